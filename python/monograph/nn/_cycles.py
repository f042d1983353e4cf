"""Errors for a module that contains itself: methods that visit every module would not end, and Python's RecursionError does not say why."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def _paths_of_cycle(module: Any) -> tuple[list[str], list[str]] | None:
    """The path of a module that contains itself, and the path from there back to it. None where there is no such module."""
    open_modules: list[Any] = [module]
    names: list[str] = []
    waiting = [iter(module._modules.items())]
    done: set[int] = set()
    while waiting:
        name, child = next(waiting[-1], (None, None))
        if name is None:
            waiting.pop()
            done.add(id(open_modules.pop()))
            if names:
                names.pop()
        elif child is None or id(child) in done:
            continue
        elif any(child is above for above in open_modules):
            place = next(k for k, above in enumerate(open_modules) if above is child)
            return names[:place], [*names[place:], name]
        else:
            open_modules.append(child)
            names.append(name)
            waiting.append(iter(child._modules.items()))
    return None


def _explained(module: Any, method: str, error: RecursionError) -> RecursionError:
    found = _paths_of_cycle(module)
    if found is None:
        return error
    place, way = found
    where, back = ".".join(place) or "the module itself", ".".join(place + way)
    parent, _, last = back.rpartition(".")
    owner = f"module.get_submodule({parent!r})" if parent else "module"
    remedy = f"del {owner}.{last}" if last.isidentifier() else f"del {owner}._modules[{last!r}]"
    return RecursionError(
        f"{type(module).__name__}.{method}() would not end, because a module contains itself: '{back}' is {where if not place else repr(where)} again. "
        f"Give it another module, or remove it: {remedy}. To keep a reference that is no submodule, put it in a list: module.reference = [other]"
    )


def explains_cycles(method: Callable[..., T]) -> Callable[..., T]:
    """Of a method that calls itself on the modules below. The outermost call has the last word: it says the path from the module that the program called."""

    @functools.wraps(method)
    def visit(self: Any, *args: Any, **kwargs: Any) -> T:
        try:
            return method(self, *args, **kwargs)
        except RecursionError as error:
            raise _explained(self, method.__name__, error) from None

    return visit
