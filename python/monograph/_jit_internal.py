"""What torch.nn.functional uses of TorchScript's language: annotations, and whether a compiler reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Union

T = TypeVar("T")
# A list of one, two or three numbers, or one number for all of them.
BroadcastingList1 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList2 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList3 = Union[T, Sequence[T]]  # noqa: UP007


def is_scripting() -> bool:
    """Whether the code runs compiled from its source: never here. A compiler leaves out what stands under `if not is_scripting()`.

    >>> torch.jit.is_scripting()
    False
    """
    return False


# The functions that boolean_dispatch made. PyTorch's own max_pool2d is one, with and without indices. Here each is one function.
boolean_dispatched: dict[Any, Any] = {}


def boolean_dispatch(
    arg_name: str, arg_index: int, default: bool, if_true: Callable[..., Any], if_false: Callable[..., Any], module_name: str, func_name: str
) -> Callable[..., Any]:
    """A function that calls `if_true` or `if_false`, as its argument `arg_name`, which stands at `arg_index`, says.

    default: what is called without that argument. module_name, func_name: the names of the function.

    >>> pick = torch.nn.functional.boolean_dispatch("up", 1, False, lambda x, up: x + 1, lambda x, up=False: x - 1, "here", "pick")
    >>> pick(1), pick(1, up=True)
    (0, 2)
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    call.__doc__ = if_true.__doc__ or if_false.__doc__
    call.__name__, call.__module__ = func_name or call.__name__, module_name or call.__module__
    boolean_dispatched[call] = {"if_true": if_true, "if_false": if_false, "index": arg_index, "default": default, "arg_name": arg_name}
    return call
