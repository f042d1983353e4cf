"""torch.utils._python_dispatch: modes that get each operator that is evaluated, below autograd."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from .. import _C


class _DispatchModes(threading.local):
    """The modes that stand around, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[TorchDispatchMode] = []


_modes = _DispatchModes()
RULES: dict[tuple[Any, type], Any] = {}  # of torch.library.register_torch_dispatch: the answer of a mode of this class to an operator


class TorchDispatchMode:
    """The base of types that get each operator that is evaluated in a `with` block, below autograd, in backward passes too.

    `__torch_dispatch__` gets an overload, such as `torch.ops.aten.mul.Tensor`, and the arguments that are not at their defaults. What it returns is the
    result. While it runs, the mode is off. The operators are those of Monograph's records: `F.linear` is `aten.linear`, where PyTorch has `aten.t` and `aten.addmm`.
    An operator that is made of others gives these others. What a compiled graph computes in one kernel is not handed over.

    >>> from monograph.utils._python_dispatch import TorchDispatchMode
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     y = torch.ones(2).exp() + 1
    aten.ones.default
    aten.exp.default
    aten.add.Scalar
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchDispatchMode:
        """The mode itself; deprecated: write `with Mode():`."""
        import warnings

        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that calls the operator itself."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _push_mode(mode: TorchDispatchMode) -> None:
    _modes.stack.append(mode)
    _C._set_dispatch_modes(len(_modes.stack))


def _pop_mode() -> TorchDispatchMode:
    mode = _modes.stack.pop()
    _C._set_dispatch_modes(len(_modes.stack))
    return mode


@contextlib.contextmanager
def _pop_mode_temporarily() -> Iterator[TorchDispatchMode]:
    """In the block the innermost mode is off."""
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """In the block no mode is on."""
    saved, _modes.stack = _modes.stack, []
    _C._set_dispatch_modes(0)
    try:
        yield saved
    finally:
        _modes.stack = saved
        _C._set_dispatch_modes(len(saved))


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    return _modes.stack[-1] if _modes.stack else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    return list(_modes.stack)


def _call_in_mode(func: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call as the innermost mode answers it. Inside, the modes around that one are on."""
    with _pop_mode_temporarily() as mode:
        if (rule := RULES.get((func, type(mode)))) is not None:
            return rule(mode, func, types, args, kwargs)
        return mode.__torch_dispatch__(func, types, args, kwargs)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is of a class that wraps other tensors with __tensor_flatten__ and __tensor_unflatten__: never here."""
    return False


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a TorchDispatchMode is on."""
    return bool(_modes.stack)
