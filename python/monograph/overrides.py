"""torch.overrides: functions that types with __torch_function__ take over."""

from __future__ import annotations

import functools
import threading
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from . import _C
from ._override_tables import (
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
    is_tensor_method_or_property,
    resolve_name,
)

__all__ = [
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function", "has_torch_function", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip


def _takes_over(kind: type) -> bool:
    method = getattr(kind, "__torch_function__", None)
    if method is None or method is _C._disabled_torch_function_impl:
        return False
    # Within DisableTorchFunctionSubclass tensors of subclasses are plain ones.
    return not (issubclass(kind, _C.TensorBase) and (_is_own(kind) or _C._torch_function_off(0) > 0))


def _is_own(kind: type) -> bool:
    """Whether it is Tensor or Parameter, whose calls go to the operators."""
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the type of one of these has a __torch_function__ of its own, or a TorchFunctionMode is on.

    >>> torch.overrides.has_torch_function((torch.ones(1), 3))
    False
    """
    return _C._function_modes() > 0 or any(_takes_over(type(a)) for a in relevant_args)


def has_torch_function_unary(arg: Any) -> bool:
    """has_torch_function of one argument."""
    return _C._function_modes() > 0 or _takes_over(type(arg))


def has_torch_function_variadic(*args: Any) -> bool:
    """has_torch_function of these arguments."""
    return has_torch_function(args)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """The call as the innermost TorchFunctionMode, or else the first type with __torch_function__ answers it; a subclass before its base. Raises TypeError where none does.

    public_api: the function that was called. relevant_args: the arguments that may take it over. args, kwargs: the call's.
    """
    kinds: list[type] = []
    for kind in (type(a) for a in relevant_args):
        if _takes_over(kind) and kind not in kinds:
            place = next((i for i, k in enumerate(kinds) if issubclass(kind, k)), len(kinds))
            kinds.insert(place, kind)
    if _C._function_modes():
        return _call_in_mode(public_api, tuple(kinds), args, kwargs)
    for kind in kinds:
        result = kind.__torch_function__(public_api, tuple(kinds), args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement __torch_function__: {kinds}")


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As a decorator: types with __torch_function__ take a function over. dispatcher: gets the call's arguments, and answers those whose types are asked.

    >>> @torch.overrides.wrap_torch_function(lambda a: (a,))
    ... def double(a):
    ...     return a + a
    >>> double(torch.ones(1))
    tensor([2.])
    """

    def wrap(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return wrap


class _Modes(threading.local):
    """The modes that stand around, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[TorchFunctionMode] = []


_modes = _Modes()


class TorchFunctionMode:
    """The base of types that take over the calls of torch in a `with` block.

    In the block, `__torch_function__` gets the calls of operators, of methods of tensors, of Python's operators on tensors and of the functions of
    `torch.nn.functional`, and attributes: `x.shape` is a call of `Tensor.shape.__get__`. While it runs, the mode is off.

    >>> class Names(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     y = torch.relu(torch.ones(2)) + 1
    ones
    relu
    add
    """

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _modes.stack.append(self)
        _C._set_function_modes(len(_modes.stack))
        return self

    def __exit__(self, *exc: object) -> None:
        _modes.stack.pop()
        _C._set_function_modes(len(_modes.stack))

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """The mode itself; deprecated: write `with Mode():`."""
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls the function itself."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> TorchFunctionMode | None:
    return _modes.stack[-1] if _modes.stack else None


def _get_current_function_mode_stack() -> list[TorchFunctionMode]:
    return list(_modes.stack)


class _PythonMethod:
    """A method of Tensor that is written in Python, as a mode gets it. A call asks the modes around that one, and the types of the arguments."""

    def __init__(self, function: Any):
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _C._hand_over_as_given(self.__wrapped__, *args, **kwargs)  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == getattr(other, "__wrapped__", other)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.__wrapped__)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return repr(self.__wrapped__)  # type: ignore[attr-defined]


def _is_python_method(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and function.__module__ == "monograph._tensor" and not hasattr(function, "_asks_itself")


def _call_in_mode(function: Any, kinds: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """The call as the innermost mode answers it. Inside, the modes around that one are on. kwargs: None where PyTorch passes none."""
    mode = _modes.stack.pop()
    before = _C._set_function_modes(len(_modes.stack))
    if (_modes.stack or kinds) and _is_python_method(function):
        function = _PythonMethod(function)
    try:
        result = mode.__torch_function__(function, kinds, args) if kwargs is None else mode.__torch_function__(function, kinds, args, kwargs)
    finally:
        _modes.stack.append(mode)
        _C._set_function_modes(before)
    if result is NotImplemented:
        raise TypeError(f"no implementation found for '{function.__module__}.{function.__name__}' on types that implement __torch_function__: {[type(mode)]}")
    return result


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or its type has __torch_function__.

    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(3)
    (True, False)
    """
    return isinstance(inp, _C.TensorBase) or hasattr(type(inp), "__torch_function__")
