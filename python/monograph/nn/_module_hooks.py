"""The hooks of nn.Module: before and after forward, and before and after its gradient."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..utils.hooks import RemovableHandle
from ._module_backward import backward_hooks, hook_last_step

# Hooks of every module.
_global_forward_pre_hooks: dict[int, Any] = OrderedDict()
_global_forward_hooks: dict[int, Any] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()
_global_backward_pre_hooks: dict[int, Any] = OrderedDict()
_global_backward_hooks: dict[int, Any] = OrderedDict()
_global_buffer_registration_hooks: dict[int, Any] = OrderedDict()
_global_module_registration_hooks: dict[int, Any] = OrderedDict()
_global_parameter_registration_hooks: dict[int, Any] = OrderedDict()
_GLOBAL = (_global_forward_pre_hooks, _global_forward_hooks, _global_backward_pre_hooks, _global_backward_hooks)
# The dicts of hooks that each module has.
TABLES = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


class _KindOfAll:
    """Of which kind the backward hooks of every module are: full ones, or the older ones."""

    full: bool | None = None

    def set(self, full: bool) -> None:
        if self.full is (not full):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them.")
        self.full = full


_of_all = _KindOfAll()


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

    _is_full_backward_hook: bool | None
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

        grad_output has a place for each result; None where a result is no tensor, or has no gradient.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 5,))
            >>> layer(x).backward()
            >>> x.grad
            tensor([5.])
        """
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) when the gradients of the module's inputs are computed; what it returns takes grad_input's place.

        grad_input has a place for each positional argument, and grad_output for each result; None where one is no tensor. In a captured function, one argument
        and one result may have a gradient: NotImplementedError for several. RuntimeError where the module has hooks of the older kind.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 3,))
            >>> layer(x).backward()
            >>> x.grad
            tensor([3.])
        """
        self._set_kind(True)
        return _add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) with the gradients of the last operator of forward, not of the module. PyTorch deprecates it: use
        register_full_backward_hook. RuntimeError where the module has a hook of that kind.

            >>> layer, x = nn.ReLU(), torch.ones(1, requires_grad=True)
            >>> handle = layer.register_backward_hook(lambda module, grad_input, grad_output: print(grad_output))
            >>> layer(x.exp()).backward()
            (tensor([1.]),)
        """
        self._set_kind(False)
        return _add(self._backward_hooks, hook)

    def _set_kind(self, full: bool) -> None:
        """The backward hooks of one module are of one kind."""
        if self._is_full_backward_hook is (not full):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them.")
        self._is_full_backward_hook = full

    def _get_backward_hooks(self) -> tuple[list[Any], list[Any]]:
        """Its full backward hooks, the global ones first; and those of the older kind."""
        of_kinds: tuple[list[Any], list[Any]] = ([], [])
        for hooks, full in ((_global_backward_hooks, _of_all.full), (self._backward_hooks, self._is_full_backward_hook)):
            of_kinds[full is False].extend(hooks.values())
        return of_kinds

    def _get_backward_pre_hooks(self) -> list[Any]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _with_hooks(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = _Call(self, args, kwargs)
        try:
            return call.run(forward)
        except Exception:
            call.run_always()
            raise


class _Call:
    """One call of a module with hooks."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.module, self.args, self.kwargs, self.result = module, args, kwargs, None
        self.called: set[int] = set()  # the hooks after forward that have begun

    def run(self, forward: Callable[..., Any]) -> Any:
        module = self.module
        full, older = module._get_backward_hooks()
        before = module._get_backward_pre_hooks()
        for id_, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            self._run_before(hook, id_ in module._forward_pre_hooks_with_kwargs)
        backward = backward_hooks(module, full, before) if full or before else None
        if backward is not None:
            self.args = backward.setup_input_hook(self.args)
        self.result = forward(*self.args, **self.kwargs)
        for id_, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
            self.called.add(id_)
            self._run_after(id_, hook)
        if backward is not None:
            self.result = backward.setup_output_hook(self.result)
        if older:
            hook_last_step(module, older, self.args, self.result)
        return self.result

    def _run_before(self, hook: Any, with_kwargs: bool) -> None:
        changed = hook(self.module, self.args, self.kwargs) if with_kwargs else hook(self.module, self.args)
        if changed is None:
            return
        if not with_kwargs:
            self.args = changed if isinstance(changed, tuple) else (changed,)
            return
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
        self.args, self.kwargs = changed

    def _run_after(self, id_: int, hook: Any) -> None:
        with_kwargs = id_ in self.module._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs
        changed = hook(self.module, self.args, self.kwargs, self.result) if with_kwargs else hook(self.module, self.args, self.result)
        if changed is not None:
            self.result = changed

    def run_always(self) -> None:
        """The hooks with always_call that an error kept from running. They get the result as it was then, or None."""
        for id_, hook in (*_global_forward_hooks.items(), *self.module._forward_hooks.items()):
            if id_ in self.called or (id_ not in self.module._forward_hooks_always_called and id_ not in _global_forward_hooks_always_called):
                continue
            try:
                self._run_after(id_, hook)
            except Exception as error:  # noqa: BLE001 - the first error is the one to see
                whose = "global module" if id_ in _global_forward_hooks_always_called else "module"
                warnings.warn(
                    f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: {error}",
                    stacklevel=4,
                )


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
    _of_all.set(True)
    return _add(_global_backward_hooks, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """register_backward_hook for every module. PyTorch deprecates it: use register_module_full_backward_hook."""
    _of_all.set(False)
    return _add(_global_backward_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(module, name, parameter) when a module gets a parameter; what it returns, if not None, takes the parameter's place.

        >>> handle = nn.modules.module.register_module_parameter_registration_hook(lambda module, name, parameter: print(name))
        >>> layer = nn.Linear(1, 1)
        weight
        bias
        >>> handle.remove()
    """
    return _add(_global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(module, name, buffer) when a module gets a buffer; what it returns, if not None, takes the buffer's place."""
    return _add(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(module, name, submodule) when a module gets a submodule; what it returns, if not None, takes the submodule's place."""
    return _add(_global_module_registration_hooks, hook)


def registered(hooks: dict[int, Any], module: Any, name: str, value: Any) -> Any:
    """What a module registers under a name, as the hooks of registrations leave it."""
    for hook in hooks.values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value
