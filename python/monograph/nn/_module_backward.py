"""The backward hooks of nn.Module: steps of the tape around the inputs and around the results of a module, whose gradients the hooks see."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..autograd.function import Function


class BackwardHookFunction(Function):
    """Its tensors as they are. The step of the tape that it makes sees the gradients of all of them together."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


def backward_hooks(module: Any, hooks: Sequence[Any], before: Sequence[Any]) -> Any:
    """What runs the hooks of the gradient of one call of a module."""
    if _C._is_capturing():
        return RecordedHooks(module, hooks, before)
    if (told := getattr(_C._capture_hook(), "lost", None)) is not None and _C._is_grad_enabled():  # a symbolic trace, which sees no gradients
        told(f"calls {type(module).__name__} with backward hooks")
    return BackwardHook(module, hooks, before)


def _check_result(result: Any) -> None:
    if not isinstance(result, (Tensor, tuple)):
        warnings.warn(
            f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type(result)}", stacklevel=6
        )


class BackwardHook:
    """The hooks of the gradient of one call of a module.

    user_hooks: called with the gradients of the inputs and of the results. user_pre_hooks: called before, with those of the results.
    """

    def __init__(self, module: Any, user_hooks: Sequence[Any], user_pre_hooks: Sequence[Any]):
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs: Any = None
        self.n_outputs, self.n_inputs = -1, -1
        self.output_tensors_index: list[int] | None = None  # which of the results are tensors; None where none has a gradient
        self.input_tensors_index: list[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments for forward."""
        self.n_inputs = len(args)
        args, self.input_tensors_index = self._around(args, lambda gradients, _: self._finished(gradients))
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """The result that the caller of the module gets."""
        _check_result(result)
        results = result if isinstance(result, tuple) else (result,)
        self.n_outputs = len(results)
        results, self.output_tensors_index = self._around(results, lambda _, gradients: self._started(gradients))
        return results if isinstance(result, tuple) else results[0]

    @staticmethod
    def _around(values: tuple[Any, ...], hook: Callable[..., Any]) -> tuple[Any, list[int] | None]:
        """The values, whose tensors have passed a step of the tape with this hook, and where they are; None where no gradient flows to them."""
        places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        if not _C._is_grad_enabled() or not any(values[i].requires_grad for i in places):
            return values, None
        passed = dict(zip(places, BackwardHookFunction.apply(*(values[i] for i in places)), strict=True))
        node = next(t.grad_fn for t in passed.values() if t.grad_fn is not None)
        node.register_hook(hook)
        parts = [passed.get(i, v) for i, v in enumerate(values)]
        return (tuple(parts) if type(values) is tuple else type(values)(*parts)), places

    @staticmethod
    def _at(places: list[int], gradients: Sequence[Any], count: int) -> tuple[Any, ...]:
        of_place = dict(zip(places, gradients, strict=True))
        return tuple(of_place.get(i) for i in range(count))

    def _started(self, gradients: tuple[Any, ...]) -> Any:
        """The gradients of the results, as the hooks before the gradient leave them."""
        assert self.output_tensors_index is not None
        grads: Any = self._at(self.output_tensors_index, gradients, self.n_outputs)
        for hook in self.user_pre_hooks:
            grads = _changed(hook(self.module, grads), grads, "Backward pre hook returned an invalid number of grad_output")
        self.grad_outputs = grads
        if self.input_tensors_index is None:
            self._without_inputs()
        return tuple(grads[i] for i in self.output_tensors_index)

    def _without_inputs(self) -> None:
        """No gradient leaves the module by its inputs: this is the time to call the hooks."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more details.",
            stacklevel=5,
        )
        grads, self.grad_outputs = self.grad_outputs, None
        for hook in self.user_hooks:
            changed = hook(self.module, (None,) * self.n_inputs, grads)
            if changed is not None and not (isinstance(changed, tuple) and all(g is None for g in changed)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None for all gradients.")

    def _finished(self, gradients: tuple[Any, ...]) -> Any:
        """The gradients of the inputs, as the hooks leave them."""
        if self.grad_outputs is None:
            return None  # a gradient of a gradient reaches the inputs by another way than the results
        assert self.input_tensors_index is not None
        grads: Any = self._at(self.input_tensors_index, gradients, self.n_inputs)
        for hook in self.user_hooks:
            grads = _changed(hook(self.module, grads, self.grad_outputs), grads, "Backward hook returned an invalid number of grad_input")
        self.grad_outputs = None
        return tuple(grads[i] for i in self.input_tensors_index)


def _changed(by_hook: Any, grads: Any, wrong: str) -> Any:
    """The gradients after a hook, which gives None where it leaves them."""
    if by_hook is None:
        return grads
    if len(by_hook) != len(grads):
        raise RuntimeError(f"{wrong}, got {len(by_hook)}, but expected {len(grads)}")
    return by_hook


class RecordedHooks:
    """The same where a capture runs: hooks of the one input and of the one result, which the graph of the gradient repeats. Several are refused."""

    def __init__(self, module: Any, user_hooks: Sequence[Any], user_pre_hooks: Sequence[Any]):
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.place, self.count = -1, 0
        self.grad_output: tuple[Any, ...] | None = None

    def _one(self, values: tuple[Any, ...], what: str) -> int:
        places = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]
        if len(places) > 1:
            raise NotImplementedError(
                f"a backward hook of {type(self.module).__name__}: {len(places)} of its {what} have gradients, and a graph repeats such hooks for one. "
                "Register hooks on the tensors, tensor.register_hook(hook), or call the module outside of captured functions"
            )
        return places[0] if places else -1

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.count = len(args)
        self.place = self._one(args, "inputs") if self.user_hooks else -1
        if self.place < 0:
            return args
        given = args[self.place].view_as(args[self.place])
        given.register_hook(lambda grad: self._finished(grad))
        return (*args[: self.place], given, *args[self.place + 1 :])

    def _finished(self, grad: Any) -> Any:
        grads: Any = tuple(grad if i == self.place else None for i in range(self.count))
        for hook in self.user_hooks:
            grads = _changed(hook(self.module, grads, self.grad_output), grads, "Backward hook returned an invalid number of grad_input")
        return grads[self.place]

    def setup_output_hook(self, result: Any) -> Any:
        _check_result(result)
        results = result if isinstance(result, tuple) else (result,)
        place = self._one(results, "results")
        if place < 0:
            return result
        shown = results[place].view_as(results[place])
        shown.register_hook(lambda grad: self._started(grad, place, len(results)))
        if not isinstance(result, tuple):
            return shown
        parts = [*results[:place], shown, *results[place + 1 :]]
        return tuple(parts) if type(result) is tuple else type(result)(*parts)

    def _started(self, grad: Any, place: int, count: int) -> Any:
        grads: Any = tuple(grad if i == place else None for i in range(count))
        for hook in self.user_pre_hooks:
            grads = _changed(hook(self.module, grads), grads, "Backward pre hook returned an invalid number of grad_output")
        self.grad_output = grads
        if self.place < 0:
            for hook in self.user_hooks:
                if hook(self.module, (None,) * self.count, grads) is not None:
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None for all gradients.")
        return grads[place]


# Hooks of the older kind, on the last step of forward ------------------------------------------------------------------------------------


def hook_last_step(module: Any, hooks: Sequence[Any], args: Any, result: Any) -> None:
    """Registers hooks of the older kind (register_backward_hook) on the step of the tape that has made the result."""
    t = result
    while not isinstance(t, Tensor):
        t = next(v for v in t.values() if isinstance(v, Tensor)) if isinstance(t, dict) else t[0]
    step = t.grad_fn
    if step is None:
        return
    for hook in hooks:
        step.register_hook(WrappedHook(hook, module))
    missing = _what_is_missing(args, result, step)
    if missing:
        warnings.warn(missing, FutureWarning, stacklevel=6)


class WrappedHook:
    """A hook that is called with its module before all else, where there is one. The hook does not keep the module. Files of PyTorch have this class."""

    def __init__(self, hook: Callable[..., Any], module: Any = None):
        functools.update_wrapper(self, hook)
        self.hook, self.with_module = hook, module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        of_module = {"module": self.module()} if self.with_module else {}
        return {"hook": self.hook, "with_module": self.with_module, **of_module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


WrappedHook.__module__, WrappedHook.__name__, WrappedHook.__qualname__ = "monograph.nn.modules.module", "_WrappedHook", "_WrappedHook"


def _what_is_missing(args: tuple[Any, ...], result: Any, step: Any) -> str:
    """What the last step does not show of the module's gradients; "" where it shows all."""
    documented = "Please use register_full_backward_hook to get the documented behavior."
    results = (result,) if isinstance(result, Tensor) else result
    if not (isinstance(results, tuple) and all(isinstance(r, Tensor) for r in results)):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is deprecated and will be removed in future "
            f"versions. This hook will be missing some of the grad_output. {documented}"
        )
    if not all(isinstance(a, Tensor) for a in args):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors is deprecated and will be removed in "
            f"future versions. This hook will be missing some of the grad_input. {documented}"
        )
    if len({r.grad_fn for r in results if r.grad_fn is not None}) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes is deprecated and will be removed in future versions. This "
            f"hook will be missing some grad_output. {documented}"
        )
    if {a.grad_fn for a in args if a.grad_fn is not None} != {node for node, _ in step.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be removed in future versions. This hook "
            f"will be missing some grad_input. {documented}"
        )
    return ""
