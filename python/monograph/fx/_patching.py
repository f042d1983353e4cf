"""How packages with tracers of their own replace functions while they trace: _Patcher replaces entries of dicts and methods of classes, and puts them back.

Monograph's tracers need none of it. The names are those of torch.fx._symbolic_trace, where packages import them from.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..nn import Module
from .node import map_aggregate
from .proxy import Proxy

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_orig_module_call = Module.__call__
_orig_module_getattr = Module.__getattr__

# Methods that are recorded as method calls where an argument is a proxy, by class and name. Packages add theirs.
_wrapped_methods_to_patch: list[tuple[type, str]] = []
_MARK = "__fx_already_patched"  # an attribute of a replacement that is not replaced again


@dataclass
class _PatchedFn:
    """One replacement: in a dict, or of an attribute of a class."""

    frame_dict: Any
    fn_name: str
    orig_fn: Any
    new_fn: Any

    def patch(self) -> None:
        self.frame_dict[self.fn_name] = self.new_fn

    def revert(self) -> None:
        self.frame_dict[self.fn_name] = self.orig_fn


class _PatchedFnSetItem(_PatchedFn):
    """Of an entry that the dict had."""


class _PatchedFnDel(_PatchedFn):
    """Of a builtin, for which the dict gets an entry."""

    def revert(self) -> None:
        del self.frame_dict[self.fn_name]


class _PatchedFnSetAttr(_PatchedFn):
    """Of an attribute of a class."""

    def patch(self) -> None:
        setattr(self.frame_dict, self.fn_name, self.new_fn)

    def revert(self) -> None:
        setattr(self.frame_dict, self.fn_name, self.orig_fn)


@dataclass
class _Patcher:
    """Replaces functions until the end of the `with` block.

    Example:
        with _Patcher() as patcher:
            patcher.patch(globals(), "helper", recording)
            patcher.patch_method(Net, "forward", other)
    """

    patches_made: list[_PatchedFn] = field(default_factory=list)
    visited: set[int] = field(default_factory=set)

    def patch(self, frame_dict: dict[str, Any], name: str, new_fn: Callable[..., Any], deduplicate: bool = True) -> None:
        """Replaces frame_dict[name], or the builtin of this name. deduplicate: a later call leaves new_fn where it is. KeyError where there is nothing."""
        setattr(new_fn, _MARK, deduplicate)
        if name not in frame_dict and hasattr(builtins, name):
            self._make(_PatchedFnDel(frame_dict, name, None, new_fn))
        elif not getattr(frame_dict[name], _MARK, False):
            self._make(_PatchedFnSetItem(frame_dict, name, frame_dict[name], new_fn))

    def patch_method(self, cls: type, name: str, new_fn: Callable[..., Any], deduplicate: bool = True) -> None:
        """Replaces an attribute of a class. AttributeError where it has none."""
        setattr(new_fn, _MARK, deduplicate)
        original = getattr(cls, name)
        if not getattr(original, _MARK, False):
            self._make(_PatchedFnSetAttr(cls, name, original, new_fn))

    def _make(self, patch: _PatchedFn) -> None:
        self.patches_made.append(patch)
        patch.patch()

    def visit_once(self, thing: object) -> bool:
        """True for an object that this was not asked about before."""
        is_new = id(thing) not in self.visited
        self.visited.add(id(thing))
        return is_new

    def revert_all_patches(self) -> list[_PatchedFn]:
        """Puts all originals back, and remembers the replacements."""
        for patch in self.patches_made:
            patch.revert()
        return self.patches_made

    def reapply_all_patches(self) -> list[_PatchedFn]:
        """Puts all replacements in again."""
        for patch in self.patches_made:
            patch.patch()
        return self.patches_made

    def __enter__(self) -> _Patcher:
        return self

    def __exit__(self, *exc: object) -> None:
        while self.patches_made:  # the latest first: a function may have been replaced twice
            self.patches_made.pop().revert()
        self.visited.clear()


CURRENT_PATCHER: _Patcher | None = None


@contextmanager
def _new_patcher() -> Iterator[_Patcher]:
    """A _Patcher, which is the current one until the end of the block."""
    global CURRENT_PATCHER
    before, patcher = CURRENT_PATCHER, _Patcher()
    CURRENT_PATCHER = patcher
    try:
        yield patcher
    finally:
        patcher.revert_all_patches()
        CURRENT_PATCHER = before


@contextmanager
def _maybe_revert_all_patches() -> Iterator[None]:
    """In the block the originals stand where the current patcher has replaced them."""
    patcher = CURRENT_PATCHER
    if patcher is not None:
        patcher.revert_all_patches()
    try:
        yield
    finally:
        if patcher is not None:
            patcher.reapply_all_patches()


def _find_proxy(*objects_to_search: object) -> Proxy | None:
    """A proxy among these objects, also inside of tuples, lists, dicts and slices; None if there is none."""
    found: list[Proxy] = []

    def look(a: Any) -> None:
        if isinstance(a, Proxy):
            found.append(a)

    map_aggregate(objects_to_search, look)
    return found[-1] if found else None


def _create_wrapped_func(orig_fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a leaf: a call with a proxy becomes a node, another call runs it."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable[..., Any]:
    """The method of a class as a leaf: a call with a proxy becomes a call_method node."""
    original = getattr(cls, name)

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        return original(*args, **kwargs) if proxy is None else proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def _patch_wrapped_methods(patcher: _Patcher) -> None:
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher: _Patcher, frame_dict: dict[str, Any], function_ids: set[int]) -> None:
    """Makes leaves of the public functions of a module whose ids are among these; once for each dict."""
    if not patcher.visit_once(frame_dict):
        return
    for name, value in list(frame_dict.items()):
        if callable(value) and id(value) in function_ids and not name.startswith("_"):
            patcher.patch(frame_dict, name, _create_wrapped_func(value))


def _patch_function(fn: types.FunctionType, nargs: int) -> types.FunctionType:
    """The function with its first `nargs` variables as plain parameters: *args and **kwargs are two more."""
    code = fn.__code__
    plain = code.replace(co_flags=code.co_flags & ~HAS_VARSTUFF, co_argcount=nargs, co_posonlyargcount=0, co_kwonlyargcount=0)
    return types.FunctionType(plain, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def _transfer_attrs(fr: object, to: object) -> None:
    """Gives `to` the values of `fr` under names that `to` has not."""
    for name in dir(fr):
        value = getattr(fr, name)
        if not name.startswith("__") and not callable(value) and not hasattr(to, name):
            setattr(to, name, value)
