"""torch.autograd.graph: nodes of the tape, hooks on several tensors, and hooks on the tensors that are saved for gradients."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from .. import _C

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip

Node = _C._GradNode


class GradientEdge(NamedTuple):
    """Result `output_nr` of a node of the tape. torch.autograd.grad takes it in place of a tensor, as an input or output."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The node, and the number of its result, to which the gradient of a tensor flows.

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.graph.get_gradient_edge(x * 2).node.name()
    'MulBackward0'
    """
    if not tensor._requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor.grad_fn if tensor.grad_fn is not None else tensor.view_as(tensor).grad_fn.next_functions[0][0]
    if tensor.grad_fn is None:
        return GradientEdge(node, tensor.output_nr)
    at = _C._at_edge_of(tensor)
    at._device_at_edge = tensor.device
    return GradientEdge(node, tensor.output_nr, at)


def tensor_at(edge: GradientEdge) -> Any:
    """The leaf, or a tensor without data, to which gradients flow along this edge."""
    if edge.ownership_token is not None:
        return edge.ownership_token
    at = _C._at_edge(edge.node, edge.output_nr)
    if at is None:
        raise RuntimeError(f"a GradientEdge to {edge.node} must be made by torch.autograd.graph.get_gradient_edge(tensor)")
    if at.is_meta and at.grad_fn is not None:
        at._device_at_edge = _C.device("cpu")
    return at


def increment_version(tensor: Any) -> None:
    """Counts a write to each tensor, as if it had been written in place.

    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    for t in (tensor,) if isinstance(tensor, _C.TensorBase) else tensor:
        _C._count_write(t)


class InputMetadata(NamedTuple):
    """What a node knows of a result: grad_fn._input_metadata[0]."""

    shape: Any
    dtype: Any
    device: Any = _C.device("cpu")
    is_nested_tensor: bool = False
    is_cpp_nested_tensor: bool = False


class SavedTensor:
    """A tensor that a node keeps for its step: grad_fn._raw_saved_self."""

    def __init__(self, node: Any, name: str):
        self._node, self._name = node, name

    @property
    def data(self) -> Any:
        """What is kept."""
        return getattr(self._node, f"_saved_{self._name}")

    def unpack(self) -> Any:
        """The tensor, as the step reads it."""
        return self.data

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Keeps what pack_hook gives for the tensor; the step reads what unpack_hook makes of it.

        >>> x = torch.tensor([2.0], requires_grad=True)
        >>> y = x ** 2
        >>> y.grad_fn._raw_saved_self.register_hooks(lambda t: t.numpy(), lambda kept: torch.from_numpy(kept))
        >>> y.backward()
        >>> x.grad
        tensor([4.])
        """
        _C._register_saved_hooks(self._node, self._name, pack_hook, unpack_hook)


_disabled = threading.local()


class saved_tensors_hooks:
    """Inside, `pack_hook(tensor)` decides what stands for a tensor that a gradient will read, and `unpack_hook` gives the tensor back in the backward pass.

    Args:
        pack_hook: gets each tensor that is saved for gradients, and returns what is kept of it
        unpack_hook: gets what was kept, and returns the tensor

    >>> def to_half(x):
    ...     return x.half()
    >>> def to_float(x):
    ...     return x.float()
    >>> x = torch.tensor([2.0, 3.0], requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(to_half, to_float):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([4., 6.])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        message = getattr(_disabled, "message", None)
        if message is not None:
            raise RuntimeError(message)
        self._push()

    def _push(self) -> None:
        _C._push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exc: object) -> None:
        _C._pop_saved_hooks()


class NeutralHooks(saved_tensors_hooks):
    """Hooks with which a backward pass reads the same values as without them. A capture leaves them out."""

    def _push(self) -> None:
        _C._push_neutral_hooks(self.pack_hook, self.unpack_hook)


class save_on_cpu(NeutralHooks):
    """Keeps the tensors that gradients will read in the memory of the CPU. Monograph's tensors are there already: they are kept as they are.

    Args:
        pin_memory: accepted for PyTorch's sake; it changes nothing
        device_type: accepted for PyTorch's sake; it changes nothing

    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor([4.])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach(), lambda kept: kept)


class _KeptCopies:
    """The copies of the tensors that were saved in an `allow_mutation_on_saved_tensors` block."""

    def __init__(self) -> None:
        self.copies: dict[int, Any] | None = {}

    def keep(self, tensor: Any) -> int:
        assert self.copies is not None
        number = len(self.copies)
        self.copies[number] = tensor.clone()
        return number

    def give(self, number: int) -> Any:
        if self.copies is None:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was originally recorded. "
                "Call backward() inside of the `with` block"
            )
        return self.copies[number]

    def clear(self) -> None:
        """Drops the copies. Backward passes that need them raise from here on."""
        self.copies = {}


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_KeptCopies]:
    """Inside, tensors that a gradient will read may be written in place: the gradient reads a copy of them. The backward pass runs inside of the block too.

    >>> x = torch.tensor([2.0, 3.0], requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y ** 2).sum()
    ...     _ = y.sin_()
    ...     z.backward()
    >>> x.grad
    tensor([4., 6.])
    """
    if getattr(_disabled, "keeps_copies", False):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    kept = _KeptCopies()
    _disabled.keeps_copies = True
    try:
        with saved_tensors_hooks(kept.keep, kept.give):
            yield kept
    finally:
        kept.copies = None
        _disabled.keeps_copies = False


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` raises a RuntimeError with this message."""
    before = getattr(_disabled, "message", None)
    if before is None and _C._has_saved_hooks():
        raise RuntimeError(error_message)
    _disabled.message = error_message
    try:
        yield
    finally:
        _disabled.message = before


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all") -> Any:
    """Calls fn when the gradients of `tensors` have been computed: with mode "all" fn(gradients), once all that this backward pass computes are there; with
    mode "any" fn(gradient), at the first one.

    Args:
        tensors: the tensors to wait for
        fn: the hook: of "all" it gets the list of gradients, of "any" the first one
        mode: "all" or "any"

    >>> a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    >>> handle = torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: print(grads))
    >>> (a * 2 + b * 3).backward()
    (tensor([2.]), tensor([3.]))
    """
    from ..utils.hooks import HandleOfHook

    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock, state = threading.Lock(), _Passes()
    nodes = [get_gradient_edge(t)[0] for t in tensors] if mode == "all" else []

    def collect(i: int, gradient: Any) -> None:
        with lock:
            count, grads = state.of_this_pass(len(tensors))
            if count is None:
                count = state.expect(sum(_C._will_run(node) for node in nodes))
            grads[i] = gradient
            state.seen += 1
            done = state.seen == count
        if done:
            fn(tuple(grads))

    def first(gradient: Any) -> None:
        with lock:
            ran, state.pass_id = state.pass_id == _C._pass_id(), _C._pass_id()
        if not ran:
            fn(gradient)

    handles = [t.register_hook(functools.partial(collect, i) if mode == "all" else first) for i, t in enumerate(tensors)]

    def remove() -> None:
        for handle in handles:
            handle.remove()

    return HandleOfHook(remove)


class _Passes:
    """The gradients that a hook on several tensors has received from the running backward pass."""

    def __init__(self) -> None:
        self.pass_id, self.seen = -1, 0
        self.count: int | None = None
        self.grads: list[Any] = []

    def of_this_pass(self, n: int) -> tuple[int | None, list[Any]]:
        if self.pass_id != _C._pass_id():
            self.pass_id, self.seen, self.count, self.grads = _C._pass_id(), 0, None, [None] * n
        return self.count, self.grads

    def expect(self, count: int) -> int:
        self.count = count
        return count
