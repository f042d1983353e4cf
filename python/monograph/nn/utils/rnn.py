"""torch.nn.utils.rnn: sequences of several lengths in one batch, padded or packed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ... import _C, _VF
from ..._jit_internal import is_scripting
from ..._tensor import Tensor


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """The rows of a batch of sequences, those of the first step first: `batch_sizes` says how many sequences are still there at each step."""

    def __new__(cls, data: Tensor, batch_sizes: Tensor | None = None, sorted_indices: Tensor | None = None, unsorted_indices: Tensor | None = None) -> PackedSequence:
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with its data moved or converted; its indices go to the same device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        order = [None if t is None else t.to(data.device) for t in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(data, self.batch_sizes, *order)

    def _with(self, data: Tensor) -> PackedSequence:
        return self if data is self.data else type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to("cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(self.data.cuda(*args, **kwargs).device)

    def byte(self) -> PackedSequence:
        return self._with(self.data.byte())

    def char(self) -> PackedSequence:
        return self._with(self.data.char())

    def short(self) -> PackedSequence:
        return self._with(self.data.short())

    def double(self) -> PackedSequence:
        return self._with(self.data.double())

    def float(self) -> PackedSequence:
        return self._with(self.data.float())

    def half(self) -> PackedSequence:
        return self._with(self.data.half())

    def long(self) -> PackedSequence:
        return self._with(self.data.long())

    def int(self) -> PackedSequence:
        return self._with(self.data.int())

    def pin_memory(self) -> PackedSequence:
        return self

    @property
    def is_cuda(self) -> bool:
        return False

    def is_pinned(self) -> bool:
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Where each place went."""
    return None if permutation is None else permutation.argsort()


def _lengths(lengths: Any) -> list[int]:
    if isinstance(lengths, Tensor):
        if lengths.dim() != 1:
            raise RuntimeError(f"lengths must be 1-dimensional, but it has {lengths.dim()} dims")
        return [int(n) for n in lengths.tolist()]
    return [int(n) for n in lengths]


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """The sequences of a padded batch (steps, batch, ...) without their padding.

    Args:
        input: the padded batch
        lengths: how many steps each sequence has
        batch_first: whether the batch is the first dim; otherwise the second
        enforce_sorted: whether the lengths must fall; otherwise the sequences are sorted here
    """
    if is_scripting():
        return _pack_in_script(input, lengths if isinstance(lengths, Tensor) else _C.tensor(lengths), batch_first, enforce_sorted)
    counts = _lengths(lengths)
    order = None
    if not enforce_sorted:
        order = _C.tensor(counts).argsort(descending=True)
        counts = [counts[k] for k in order.tolist()]
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    if len(counts) != input.size(1):
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={input.size(1)})")
    if not counts or min(counts) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if counts != sorted(counts, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence "
            "and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability."
        )
    if counts[0] > input.size(0):
        raise RuntimeError(f"Expected lengths of at most {input.size(0)} steps, but got {counts[0]}")
    sizes = [sum(n > step for n in counts) for step in range(counts[0])]
    data = _VF.cat([input[step, :n] for step, n in enumerate(sizes)])
    return PackedSequence(data, _C.tensor(sizes), order, None)


def _pack_in_script(input: Tensor, lengths: Tensor, batch_first: bool, enforce_sorted: bool) -> PackedSequence:
    """The same in a graph, where the lengths are known when it runs."""
    counts = lengths.long()
    order: Tensor | None = None
    if not enforce_sorted:
        counts, order = _VF.sort(counts, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = _VF._pack_padded_sequence(input, counts, batch_first)
    return PackedSequence(data, batch_sizes, order, invert_permutation(order))


def _pad_in_script(sequence: PackedSequence, batch_first: bool, padding_value: float, total_length: int | None) -> tuple[Tensor, Tensor]:
    steps = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got total_length={total_length} and max sequence length being {steps}")
        steps = total_length
    padded, lengths = _VF._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value, steps)
    back = sequence.unsorted_indices
    if back is not None:
        return padded.index_select(0 if batch_first else 1, back), lengths[back]
    return padded, lengths


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The sequences as a padded batch, and their lengths: pack_padded_sequence backwards.

    Args:
        sequence: the packed batch
        batch_first: whether the batch is the first dim; otherwise the second
        padding_value: what stands behind the end of a sequence
        total_length: the number of steps of the result; None: that of the longest sequence
    """
    if is_scripting():
        return _pad_in_script(sequence, batch_first, padding_value, total_length)
    sizes = [int(n) for n in sequence.batch_sizes.tolist()]
    steps, batch = len(sizes), sizes[0]
    if total_length is not None and total_length < steps:
        raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got total_length={total_length} and max sequence length being {steps}")
    rows = []
    for data in sequence.data.split(sizes):
        missing = batch - data.size(0)
        rows.append(_VF.cat([data, data.new_full((missing, *data.shape[1:]), padding_value)]) if missing else data)
    if total_length is not None:
        rows += [rows[0].new_full(rows[0].shape, padding_value)] * (total_length - steps)
    padded = _VF.stack(rows)
    lengths = _C.tensor([sum(n > k for n in sizes) for k in range(batch)])
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        return padded.index_select(0 if batch_first else 1, sequence.unsorted_indices), lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """Sequences of several lengths as one batch, filled up with `padding_value` at one side.

    Args:
        sequences: the tensors, each of shape (steps, features)
        batch_first: whether the batch is the first dim; otherwise the second
        padding_value: what stands at the steps that a sequence lacks
        padding_side: "right" or "left": where those steps are
    """
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for k, s in enumerate(sequences):
        if not isinstance(s, Tensor):
            raise TypeError(f"pad_sequence: expected a list of Tensors, but element {k} is {type(s).__name__}; make it a tensor with torch.tensor(...)")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    steps = max(s.size(0) for s in sequences)
    rows = []
    for s in sequences:
        padding = s.new_full((steps - s.size(0), *sequences[0].shape[1:]), padding_value)
        rows.append(_VF.cat([s, padding] if padding_side == "right" else [padding, s]))
    return _VF.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded batch, each without its padding and in memory of its own.

    Args:
        padded_sequences: the padded batch
        lengths: how many steps each sequence has
        batch_first: whether the batch is the first dim; otherwise the second
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[: max(int(n), 0)].clone() for sequence, n in zip(padded_sequences.unbind(0), lengths.tolist(), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of several lengths, packed.

    Args:
        sequences: the tensors, each of shape (steps, features)
        enforce_sorted: whether the lengths must fall; otherwise the sequences are sorted here
    """
    lengths = _C.tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that pack_sequence packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
