"""torch.utils.checkpoint: compute a part of a model again in the backward pass, in place of storing what its gradients read."""

from __future__ import annotations

import contextlib
import functools
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _C, _VF, autograd
from .._tensor import Tensor
from ..amp._state import get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled
from ..amp.autocast_mode import autocast
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.graph import NeutralHooks
from ..random import get_rng_state, set_rng_state
from ._selective_checkpoint import SAC_IGNORED_OPS, CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

__all__ = [
    "SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "SelectiveCheckpointContext", "check_backward_validity", "checkpoint",
    "checkpoint_sequential", "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn", "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip


class CheckpointError(RuntimeError):
    """The function computed something else the second time: other tensors, or tensors of another shape or dtype.

    >>> import monograph as torch
    >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    True
    """


def noop_context_fn() -> tuple[Any, Any]:
    """The default ``context_fn`` of ``checkpoint``: two contexts that do nothing.

    >>> from monograph.utils.checkpoint import noop_context_fn
    >>> first, again = noop_context_fn()
    >>> with first:
    ...     print("computed")
    computed
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors of a tuple detached, with their ``requires_grad``. Other values stay.

    >>> import monograph as torch
    >>> x = torch.ones(1, requires_grad=True) * 2
    >>> torch.utils.checkpoint.detach_variable((x, 3))
    (tensor([2.], requires_grad=True), 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    out = []
    for value in inputs:
        detached = value
        if isinstance(value, Tensor):
            detached = value.detach()
            detached.requires_grad = value.requires_grad
        out.append(detached)
    return tuple(out)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no tensor requires grad.

    >>> import monograph as torch
    >>> torch.utils.checkpoint.check_backward_validity([torch.ones(1, requires_grad=True)])
    """
    if not any(value.requires_grad for value in inputs if isinstance(value, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The random states of the accelerators on which the tensors lie: none, on the CPU.

    >>> from monograph.utils.checkpoint import get_device_states
    >>> get_device_states()
    ([], [])
    """
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Sets what ``get_device_states`` returned: nothing, on the CPU.

    >>> from monograph.utils.checkpoint import set_device_states
    >>> set_device_states([], [])
    """


_always: dict[str, bool | None] = {"debug": None, "early_stop": None}


@contextlib.contextmanager
def _set_always(name: str, value: bool | None) -> Iterator[None]:
    before, _always[name] = _always[name], value
    try:
        yield
    finally:
        _always[name] = before


def set_checkpoint_debug_enabled(enabled: bool | None) -> Any:
    """Within the `with` block, ``debug`` of all calls of ``checkpoint`` is this. None: as each call says.

    >>> from monograph.utils.checkpoint import set_checkpoint_debug_enabled
    >>> with set_checkpoint_debug_enabled(True):
    ...     pass
    """
    return _set_always("debug", enabled)


def set_checkpoint_early_stop(enable: bool) -> Any:
    """Within the `with` block, ``early_stop`` of all calls of ``checkpoint`` is this.

    >>> from monograph.utils.checkpoint import set_checkpoint_early_stop
    >>> with set_checkpoint_early_stop(False):
    ...     pass
    """
    return _set_always("early_stop", enable)


@contextlib.contextmanager
def _random_state(state: Tensor | None) -> Iterator[None]:
    """Within the `with` block the random generator has this state; afterwards it has its own again. None: nothing changes."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)


def _autocast_of_now() -> Callable[[], Any]:
    """Makes contexts in which torch.autocast is as it is now."""
    enabled, dtype, cached = is_autocast_enabled("cpu"), get_autocast_dtype("cpu"), is_autocast_cache_enabled()
    return lambda: autocast("cpu", dtype, enabled, cached)


# --- with use_reentrant=False: what stands for a saved tensor is computed when a gradient reads it --------------------------------------


class _Stop(Exception):
    """Raised to stop the recomputation once all tensors that the gradients need are there."""


class _Slot:
    """Stands for a saved tensor. It holds the values that each backward pass has computed again."""

    def __init__(self) -> None:
        self.values: dict[int, Tensor] = {}


def _metadata(x: Tensor) -> dict[str, Any]:
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


_CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": _metadata, "none": lambda x: None}


class _KeptInputs(Function):
    """A node that keeps the inputs of a checkpoint. Around it, an outer checkpoint does not store them, but computes them again too."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Tensor:
        ctx.save_for_backward(*tensors[1:])
        return _VF.empty([0])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("the inputs of a checkpoint have no gradient of their own")


class _Frame:
    """One call of a checkpointed function."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, state: Tensor | None, context: Any, check: Any, early_stop: bool) -> None:
        self.function, self.kwargs, self.state, self.context = function, kwargs, state, context
        self.check, self.early_stop, self.autocast = check, early_stop, _autocast_of_now()
        self.slots: list[weakref.ref[_Slot]] = []
        self.metadata: list[Any] = []
        self.complete = False
        self.keep(args)

    def keep(self, args: Any) -> None:
        self.args = [None if isinstance(arg, Tensor) else arg for arg in args]
        self.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        # An extra input that requires grad, so that the function always gets a node.
        with enable_grad():
            kept = _KeptInputs.apply(_VF.empty([0]).requires_grad_(True), *(args[i] for i in self.places))
        self.kept = kept.grad_fn

    def inputs(self) -> list[Any]:
        args = list(self.args)
        for place, tensor in zip(self.places, self.kept.saved_tensors):
            args[place] = tensor
        return args

    def pack(self, x: Tensor) -> _Slot:
        slot = _Slot()
        self.slots.append(weakref.ref(slot))
        with no_grad():
            self.metadata.append(self.check(x))
        return slot

    def unpack(self, slot: _Slot) -> Tensor:
        number = _C._pass_id()
        if number not in slot.values:
            self.compute_again(number)
        if number not in slot.values:
            raise CheckpointError(
                "torch.utils.checkpoint: a tensor that was saved during the original forward was not saved during recomputation. "
                "The function must compute the same each time"
            )
        return slot.values.pop(number)

    def compute_again(self, number: int) -> None:
        count, differing = 0, []

        def pack(x: Tensor) -> Tensor:
            nonlocal count
            x, index, count = x.detach(), count, count + 1
            if index >= len(self.slots):
                if self.complete:
                    raise CheckpointError(
                        "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass. "
                        f"The original forward saved {len(self.slots)}"
                    )
                return x
            with no_grad():
                found = self.check(x)
            if found != self.metadata[index]:
                differing.append(f"tensor at position {index}:\nsaved metadata: {self.metadata[index]}\nrecomputed metadata: {found}")
            slot = self.slots[index]()
            if slot is not None:
                slot.values[number] = x
            if self.early_stop and self.complete and count == len(self.slots):
                raise _Stop
            return x

        args = self.inputs()
        with contextlib.suppress(_Stop), NeutralHooks(pack, lambda x: x), enable_grad(), _random_state(self.state), self.autocast(), self.context:
            self.function(*args, **self.kwargs)
        if self.complete and count != len(self.slots):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.slots)}\nNumber of tensors saved during recomputation: {count}."
            )
        if differing:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.\n"
                + "\n".join(differing)
            )


def _checkpoint_by_hooks(
    function: Callable[..., Any], args: Any, kwargs: Any, preserve: bool, context_fn: Any, determinism_check: str, debug: bool, early_stop: bool
) -> Any:
    debug = debug if _always["debug"] is None else bool(_always["debug"])
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in _CHECKS:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    forward, again = context_fn()
    if not _C._is_grad_enabled():
        with forward:
            return function(*args, **kwargs)
    state = get_rng_state() if preserve else None
    stop = early_stop if _always["early_stop"] is None else bool(_always["early_stop"])
    frame = _Frame(function, args, kwargs, state, again, _CHECKS[determinism_check], stop)
    with NeutralHooks(frame.pack, frame.unpack), forward:
        result = function(*args, **kwargs)
    frame.complete = True
    return result


# --- with use_reentrant=True: one node, whose gradient runs the function and a backward pass through it --------------------------------


class CheckpointFunction(Function):
    """The node of ``checkpoint(use_reentrant=True)``.

    >>> import monograph as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: x * 2, x, use_reentrant=True)
    >>> y.grad_fn.name()
    'CheckpointFunctionBackward'
    """

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state, ctx.autocast = get_rng_state() if preserve_rng_state else None, _autocast_of_now()
        ctx.inputs = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if not autograd._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward(). "
                "To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            inputs[place] = tensor
        with _random_state(ctx.state), enable_grad(), ctx.autocast():
            detached = detach_variable(tuple(inputs))
            outputs = ctx.run_function(*detached)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        flowing = [(out, grad) for out, grad in zip(outputs, grads) if isinstance(out, Tensor) and out.requires_grad]
        if not flowing:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([out for out, _ in flowing], [grad for _, grad in flowing])
        return (None, None, *(value.grad if isinstance(value, Tensor) else None for value in detached))


_ASK = (
    "torch.utils.checkpoint{}: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling checkpoint without use_reentrant "
    "will raise an exception. use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can pass "
    "use_reentrant=True."
)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls a function without storing what its gradients read. The backward pass calls the function again.

    Args:
        function: the function. It must compute the same each time.
        args, kwargs: its arguments, and ``preserve_rng_state``: whether random numbers are the same the second time (True unless stated).
        use_reentrant: False is recommended. True runs a backward pass within the backward pass: it does not work with ``autograd.grad``, nor with
            keyword arguments, and one of the arguments must require grad.
        context_fn: returns two contexts, for the first and the second call. Only with ``use_reentrant=False``, as the arguments below.
        determinism_check: "default" compares shapes and dtypes of both calls; "none" does not.
        debug: accepted. A CheckpointError names the tensors that differ in any case.
        early_stop: the second call ends as soon as all that is needed has been computed.

    Returns:
        What the function returned.

    Raises:
        CheckpointError: in the backward pass, where the second call saves other tensors.
        ValueError: arguments that exclude each other.

    >>> import monograph as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> def cube(x):
    ...     print("called")
    ...     return x * x * x
    >>> y = torch.utils.checkpoint.checkpoint(cube, x, use_reentrant=False)
    called
    >>> y.sum().backward()
    called
    >>> x.grad
    tensor([ 3., 12.])
    """
    if use_reentrant is None:
        warnings.warn(_ASK.format(""), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        return _checkpoint_by_hooks(function, args, kwargs, preserve, context_fn, determinism_check, debug, early_stop)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Calls functions one after another, in segments, of which all but the last are checkpoints.

    Args:
        functions: a ``nn.Sequential``, or a list of functions.
        segments: how many segments there are.
        input: the argument of the first function.
        use_reentrant: as of ``checkpoint``.
        kwargs: ``preserve_rng_state``, as of ``checkpoint``.

    >>> import monograph as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    >>> x = torch.ones(4, 2, requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint_sequential(net, 2, x, use_reentrant=False)
    >>> torch.equal(y, net(x))
    True
    """
    if use_reentrant is None:
        warnings.warn(_ASK.format(".checkpoint_sequential"), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(steps) // segments

    def run(steps: list[Any]) -> Callable[[Any], Any]:
        return lambda x: functools.reduce(lambda value, step: step(value), steps, x)

    last = size * (segments - 1)
    for start in range(0, last, size) if size else ():
        input = checkpoint(run(steps[start : start + size]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(steps[last:])(input)
