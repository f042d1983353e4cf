"""What a traced program keeps in its own objects for its next call. In the process a call of the trace runs the program, so it reads and writes them as the
program does. A file has a graph alone: it is written where each call has the same graph."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from types import CellType
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _C, _tree
from .._changes import _in_words
from .._state import Contents
from .._tensor import Tensor
from .._unprinted import unprinted
from ._values import _copied_tensors, _is_close

if TYPE_CHECKING:
    from ._trace import _Traced

_WAY_OUT = "Make such a value a buffer and write to it in place, or make it an input and a result"
_AS_IT_IS = "; or call the program once before you trace it: then the graph holds what it keeps"


class KeptPlace(NamedTuple):
    """A place that the program read and then set, so that its next call reads that."""

    name: str
    depends: str  # on "values" or "sizes" of the inputs, or on "nothing" of them; "" where no value of the graph was set
    place: str  # the line that computes it


def kept_by(reads: Any) -> list[KeptPlace]:
    return [KeptPlace(*entry) for entry in _C._reads_kept(reads)]


@contextlib.contextmanager
def written_kept(reads: Any) -> Iterator[None]:
    """Afterwards the lists, dicts, sets and cells that the program has written are as before."""
    written = [] if reads is None else _C._reads_written(reads)
    cells = [(c, c.cell_contents) for c in written if isinstance(c, CellType) and c != CellType()]
    contents = Contents([c for c in written if not isinstance(c, CellType)])
    try:
        yield
    finally:
        contents.restore()
        for c, before in cells:
            c.cell_contents = before


def _other_values(x: Tensor) -> Tensor:
    y = x.detach().clone()
    if y.dtype == _C._dtypes["bool"]:
        return ~y
    if y.dtype.is_floating_point or y.dtype.is_complex:
        return y * -1.75 + 0.5
    return y.flip(tuple(range(y.dim())))  # indices stay in their range


def _of_other_size(x: Tensor, was: int, now: int) -> Tensor:
    for dim in range(x.dim()):
        if x.shape[dim] == was:
            x = x.detach()
            places = _C.tensor([k % max(was, 1) for k in range(now)], dtype=_C._dtypes["int64"])
            x = x.index_select(dim, places) if was else x.new_zeros([now if d == dim else n for d, n in enumerate(x.shape)])
    return x


def _variants(example: list[Any]) -> Iterator[list[Any]]:
    """The example, and inputs with other values and sizes."""

    def with_tensors(change: Any) -> list[Any]:
        changed: list[Any] = _tree.mapped(lambda v: change(v) if isinstance(v, Tensor) else v, example, subclasses=True)
        return changed

    yield example
    yield with_tensors(_other_values)
    for was in sorted({n for v in _tree.leaves_of(example, subclasses=True) if isinstance(v, Tensor) for n in v.shape}):
        for now in {was + 1, max(was - 1, 0), 1} - {was}:
            yield with_tensors(lambda v, was=was, now=now: _of_other_size(v, was, now))


def same_results(first: Any, second: Any, example: list[Any]) -> bool:
    """Whether two graphs give the same where both give something, on inputs with other values and sizes than the example's."""

    def results(graph: Any, inputs: list[Any]) -> Any:
        try:
            with unprinted():
                return _tree.leaves_of(graph(*_copied_tensors(inputs)), subclasses=True)
        except Exception:
            return None

    for inputs in _variants(example):
        a, b = results(first, inputs), results(second, inputs)
        if a is not None and b is not None and (len(a) != len(b) or not all(_is_close(x, y, 1e-5) for x, y in zip(a, b, strict=True))):
            return False
    return True


def refuse(traced: _Traced, what: str) -> None:
    """Raises where a file would not do what the calls of the program do."""
    if traced.changed_inputs:
        raise NotImplementedError(
            f"{what}: {traced.name} changes {' and '.join(traced.changed_inputs)}, a list or dict that it is given, and a call of a file would leave the caller's as it is. "
            "Change a copy of it, or return the new one"
        )
    if not traced.writes:
        return
    places = ", ".join((_C._reads_changed(traced.reads) or [_in_words(traced.changed_itself)])[:3])
    refused = NotImplementedError(
        f"{what}: {traced.name} writes to {places}, and reads that at its next call, so that each call has another graph, which no file holds. {_WAY_OUT}"
    )
    if traced.changed_itself:  # a run that changes a class cannot be undone, so there is none
        raise refused
    if traced.graph._version != traced.version:  # who edits the graph says what it computes
        return
    others = traced._captured_again(traced.example, 3)
    others_differ = [other for other in others if other.graph.hash() != traced.graph.hash()]
    if not others_differ and (len(others) == 3 or not traced.kept):
        return
    if not others or any(other.writes for other in others_differ):
        raise refused
    # The first call sets what the next ones read. A file computes it at each call.
    for name, depends, place in traced.kept:
        if depends == "values":
            raise NotImplementedError(
                f"{what}: {traced.name} computes {name} in its first call, from its inputs or random numbers, and reads that at its next call, but a file computes it at each "
                f"call:\n  {place}\n{_WAY_OUT}{_AS_IT_IS}"
            )
    if not all(same_results(traced.graph, other.graph, traced.example) for other in others_differ):
        names = ", ".join(k.name for k in traced.kept[:3])
        raise NotImplementedError(
            f"{what}: {traced.name} sets {names} in its first call, and its next call, which reads that, has other results. A file has the graph of the first one. {_WAY_OUT}{_AS_IT_IS}"
        )


def refusal_of(traced: _Traced) -> Callable[[], Callable[[str], None] | None]:
    """For a graph, which may live longer than its trace: returns what raises where the graph is not to be saved, or None."""
    alive, name, names = weakref.WeakMethod(traced.refuse_own_state), traced.name, ", ".join(k.name for k in traced.kept[:3])

    def refuse_without_trace(what: str) -> None:
        raise NotImplementedError(
            f"{what}: {name} writes to {names}, and reads that at its next call. Whether each call has the same graph, its trace can tell, which is gone. Keep the trace until "
            "the graph is saved"
        )

    return lambda: alive() or (refuse_without_trace if names else None)
