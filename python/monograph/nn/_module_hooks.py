"""The hooks of nn.Module: before and after forward, and before and after its gradient."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils.hooks import RemovableHandle

# Hooks of every module.
_global_forward_pre_hooks: dict[int, Any] = OrderedDict()
_global_forward_hooks: dict[int, Any] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()
_global_backward_pre_hooks: dict[int, Any] = OrderedDict()
_global_backward_hooks: dict[int, Any] = OrderedDict()
_GLOBAL = (_global_forward_pre_hooks, _global_forward_hooks, _global_backward_pre_hooks, _global_backward_hooks)
# The dicts of hooks that each module has.
TABLES = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


def any_global() -> bool:
    return any(_GLOBAL)


def _add(hooks: dict[int, Any], hook: Any, prepend: bool = False, marks: tuple[dict[int, bool] | None, ...] = ()) -> RemovableHandle:
    kept = [m for m in marks if m is not None]
    handle = RemovableHandle(hooks, extra_dict=kept)
    hooks[handle.id] = hook
    for mark in kept:
        mark[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)  # type: ignore[attr-defined]
    return handle


class HooksOfModule:
    """The part of nn.Module that registers hooks and runs them."""

    _backward_pre_hooks: dict[int, Any]
    _backward_hooks: dict[int, Any]
    _forward_hooks: dict[int, Any]
    _forward_hooks_with_kwargs: dict[int, bool]
    _forward_hooks_always_called: dict[int, bool]
    _forward_pre_hooks: dict[int, Any]
    _forward_pre_hooks_with_kwargs: dict[int, bool]

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Calls hook(module, args) before forward; what it returns, if not None, takes the place of the args.

        prepend: before the hooks that are there. with_kwargs: calls hook(module, args, kwargs), which returns None or (args, kwargs).

            >>> layer = nn.ReLU()
            >>> handle = layer.register_forward_pre_hook(lambda module, args: (args[0] - 1,))
            >>> layer(torch.tensor([3.0]))
            tensor([2.])
            >>> handle.remove()
        """
        return _add(self._forward_pre_hooks, hook, prepend, (self._forward_pre_hooks_with_kwargs if with_kwargs else None,))

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls hook(module, args, result) after forward; what it returns, if not None, takes the place of the result.

        prepend: before the hooks that are there. with_kwargs: calls hook(module, args, kwargs, result). always_call: also where forward raises.

            >>> layer = nn.ReLU()
            >>> handle = layer.register_forward_hook(lambda module, args, result: result * 2)
            >>> layer(torch.tensor([3.0]))
            tensor([6.])
        """
        marks = (self._forward_hooks_with_kwargs if with_kwargs else None, self._forward_hooks_always_called if always_call else None)
        return _add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls hook(module, grad_output) before the gradient of the module is computed; what it returns, if not None, takes grad_output's place.

        The forward of the module must give one tensor with a gradient: NotImplementedError for several.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 5,))
            >>> layer(x).backward()
            >>> x.grad
            tensor([5.])
        """
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) when the gradients of the module's inputs are computed; what it returns takes grad_input's place.

        Of the inputs and of the results, one tensor each may have a gradient: NotImplementedError for several.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 3,))
            >>> layer(x).backward()
            >>> x.grad
            tensor([3.])
        """
        return _add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) with the gradients of the last operator of forward, not of the module. PyTorch deprecates it: use
        register_full_backward_hook.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_backward_hook(lambda module, grad_input, grad_output: print(grad_output))
            >>> layer(x).backward()
            (tensor([1.]),)
        """

        def watch(module: Any, args: Any, result: Any) -> None:
            while isinstance(result, (dict, list, tuple)):
                result = next(iter(result.values())) if isinstance(result, dict) else result[0]
            if result.grad_fn is not None:
                result.grad_fn.register_hook(lambda grad_input, grad_output: hook(module, grad_input, grad_output))

        return self.register_forward_hook(watch)

    def _with_hooks(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            return self._in_hooks(forward, args, kwargs, called)
        except Exception:
            self._call_always(args, kwargs, called)
            raise

    def _in_hooks(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> Any:
        for id_, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if id_ not in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
                continue
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
                args, kwargs = changed
        backward = _Backward(self) if self._backward_hooks or self._backward_pre_hooks or _global_backward_hooks or _global_backward_pre_hooks else None
        if backward is not None:
            args = backward.of_inputs(args)
        result = forward(*args, **kwargs)
        for id_, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            called.add(id_)
            with_kwargs = id_ in self._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            result = result if changed is None else changed
        return result if backward is None else backward.of_result(result)

    def _call_always(self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> None:
        """The hooks with always_call that an error of forward kept from running."""
        for id_, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            if id_ in called or (id_ not in self._forward_hooks_always_called and id_ not in _global_forward_hooks_always_called):
                continue
            try:
                if id_ in self._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs:
                    hook(self, args, kwargs, None)
                else:
                    hook(self, args, None)
            except Exception as error:  # noqa: BLE001 - the error of forward is the one to see
                warnings.warn(
                    f"module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: {error}",
                    stacklevel=4,
                )


class _Backward:
    """The hooks of a module's gradient, on tensors that stand for its one input and its one result."""

    def __init__(self, module: Any):
        self.module = module
        self.pre = [*_global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        self.hooks = [*_global_backward_hooks.values(), *module._backward_hooks.values()]
        self.place, self.count = -1, 0
        self.grad_output: tuple[Any, ...] | None = None

    def _one(self, values: tuple[Any, ...], what: str) -> int:
        places = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]
        if len(places) > 1:
            raise NotImplementedError(
                f"a backward hook of {type(self.module).__name__}: {len(places)} of its {what} have gradients, and Monograph calls such hooks for one. "
                "Register hooks on the tensors: tensor.register_hook(hook)"
            )
        return places[0] if places else -1

    def of_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.count = len(args)
        self.place = self._one(args, "inputs") if self.hooks else -1
        if self.place < 0:
            return args
        given = args[self.place].view_as(args[self.place])
        given.register_hook(lambda grad: self._finished(grad))
        return (*args[: self.place], given, *args[self.place + 1 :])

    def _finished(self, grad: Any) -> Any:
        """The gradient of the input, as the hooks leave it."""
        grads: tuple[Any, ...] = tuple(grad if i == self.place else None for i in range(self.count))
        for hook in self.hooks:
            changed = hook(self.module, grads, self.grad_output)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
                if len(grads) != self.count:
                    raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(grads)}, but expected {self.count}")
        return grads[self.place]

    def of_result(self, result: Any) -> Any:
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                f"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {type(result)}", stacklevel=5
            )
            return result
        results = result if isinstance(result, tuple) else (result,)
        place = self._one(results, "results")
        if place < 0:
            return result
        shown = results[place].view_as(results[place])
        shown.register_hook(lambda grad: self._started(grad, place, len(results)))
        if not isinstance(result, tuple):
            return shown
        parts = [*results[:place], shown, *results[place + 1 :]]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def _started(self, grad: Any, place: int, count: int) -> Any:
        """The gradient of the result, as the hooks before the gradient leave it."""
        grads: tuple[Any, ...] = tuple(grad if i == place else None for i in range(count))
        for hook in self.pre:
            changed = hook(self.module, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        self.grad_output = grads
        if self.place < 0:
            for hook in self.hooks:
                if hook(self.module, (None,) * self.count, grads) is not None:
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None for all gradients.")
        return grads[place]


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """register_forward_pre_hook for every module. For debugging.

        >>> handle = nn.modules.module.register_module_forward_pre_hook(lambda module, args: print(module))
        >>> nn.ReLU()(torch.ones(1))
        ReLU()
        tensor([1.])
        >>> handle.remove()
    """
    return _add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False) -> RemovableHandle:
    """register_forward_hook for every module."""
    marks = (_global_forward_hooks_with_kwargs if with_kwargs else None, _global_forward_hooks_always_called if always_call else None)
    return _add(_global_forward_hooks, hook, marks=marks)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """register_full_backward_pre_hook for every module."""
    return _add(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """register_full_backward_hook for every module."""
    return _add(_global_backward_hooks, hook)
