"""What modules hold beside their tensors: their attributes, and the lists, dicts and sets in these. A capture runs the function, which may keep there what
only has a meaning while it is captured."""

from __future__ import annotations

import builtins
import contextlib
from collections import deque
from collections.abc import Iterable, Iterator
from types import CellType
from typing import Any

from . import _C
from .autograd.grad_mode import no_grad
from .nn import Module

_CONTAINERS = (dict, list, set, deque)
_NUMBERS = (_C.SymInt, _C.SymFloat, _C.SymBool)


def _pairs(a: dict[Any, Any]) -> list[tuple[Any, Any]]:
    try:
        return list(a.items())
    except RuntimeError:  # an OrderedDict looks its keys up, which needs a symbolic size as a number
        return list(dict.items(a))


def _inside(a: Any) -> Iterable[Any]:
    """The keys and values, or elements, of a container or tuple; nothing of another object."""
    if isinstance(a, dict):
        return [part for pair in _pairs(a) for part in pair]
    if isinstance(a, tuple):
        return list(tuple.__iter__(a))  # list() would ask a class of the user's for its length
    return list(a) if isinstance(a, _CONTAINERS) else ()


def _is_namespace(a: Any) -> bool:
    """Whether this is the dict of globals of a module."""
    return isinstance(a, dict) and "__builtins__" in a


def _is_of_python(key: Any) -> bool:
    """Whether a name of a module is Python's own: __builtins__, __warningregistry__."""
    return isinstance(key, str) and key.startswith("__") and key.endswith("__")


class Contents:
    """The containers that are reached from these, each with what it holds now. The dict of builtins, and what Python itself keeps in the globals of a
    module, are none of them."""

    def __init__(self, roots: Iterable[Any]):
        roots = list(roots)
        self.namespaces = [r for r in roots if _is_namespace(r)]
        self.held = _C._Snapshot(roots)

    def restore(self) -> None:
        spared = {id(vars(builtins)), *(id(v) for names in self.namespaces for key, v in _pairs(names) if _is_of_python(key))}
        for container, before in self.held.changed():
            if id(container) not in spared:
                _fill(container, before)

    def restore_where(self, kind: type) -> tuple[bool, list[tuple[dict[Any, Any], Any]]]:
        """Takes away what is of this type, or holds it: an attribute or a dict's value is as before, a list or set as a whole. Returns whether one that was there
        before had become such a value, and the others: the dict and key of each."""
        replaced = False
        removed: list[tuple[dict[Any, Any], Any]] = []
        changed = self.held.changed()
        kept = {id(container) for container, _ in self.held.pairs()} if changed else set()
        for container, before in changed:
            if not isinstance(container, dict):
                if any(_contains(v, kind, kept) for v in container):
                    _fill(container, before)
                    replaced = True
                continue
            known: dict[Any, Any] = dict(before)
            for key in [k for k, v in container.items() if _contains(v, kind, kept)]:
                if key in known:
                    container[key] = known[key]
                    replaced = True
                else:
                    del container[key]
                    removed.append((container, key))
        return replaced, removed

    def settle(self) -> None:
        """Puts the example's numbers in the place of sizes and numbers of a trace that has ended."""
        held = self.held.pairs()
        kept = {id(container) for container, _ in held}
        for container, now in held:
            if any(_contains(v, _NUMBERS, kept) for v in now):  # pairs of a dict, which are tuples
                _fill(container, [_without_symbols(v) for v in now])


def settle_written(written: Iterable[Any]) -> None:
    """The same in the containers and cells that a program has written: its caller's, and its own."""
    written = list(written)
    for cell in [c for c in written if isinstance(c, CellType) and c != CellType()]:
        number = _without_symbols(cell.cell_contents)
        if number is not cell.cell_contents:
            cell.cell_contents = number
    Contents([c for c in written if not isinstance(c, CellType)]).settle()


def _contains(a: Any, kind: type | tuple[type, ...], kept: set[int], depth: int = 8) -> bool:
    """Whether this is of the type, or holds it; a container that is kept answers for itself."""
    if issubclass(type(a), kind):  # isinstance() would ask a proxy for the type of its value
        return True
    if depth == 0 or not isinstance(a, (tuple, *_CONTAINERS)) or id(a) in kept:
        return False
    return any(_contains(v, kind, kept, depth - 1) for v in _inside(a))


def _fill(container: Any, contents: Any) -> None:
    if isinstance(container, list):
        container[:] = contents
        return
    if _is_namespace(container):  # code that runs meanwhile finds its globals
        _fill_namespace(container, dict(contents))
        return
    container.clear()
    if isinstance(container, deque):
        container.extend(contents)
    else:
        container.update(contents)


def _fill_namespace(names: dict[str, Any], contents: dict[str, Any]) -> None:
    for key in [k for k in names if k not in contents and not _is_of_python(k)]:
        del names[key]
    for key, value in contents.items():
        if not _is_of_python(key) and (key not in names or names[key] is not value):
            names[key] = value


def _without_symbols(a: Any) -> Any:
    if isinstance(a, _NUMBERS):
        return _C._hint(a)  # the example's number, which arithmetic would ask the capture for
    if not isinstance(a, tuple):
        return a
    parts = [_without_symbols(v) for v in a]
    if all(new is old for new, old in zip(parts, a, strict=True)):
        return a
    return type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)


def modules_of(f: Any) -> list[Any]:
    """The modules that a function or module runs: itself, whose method it is, those in its closure, and all inside."""
    cells = [c for c in getattr(f, "__closure__", None) or () if c != type(c)()]  # but names that are not bound yet
    roots = [f, getattr(f, "__self__", None), *(c.cell_contents for c in cells)]
    return list({id(m): m for root in roots if isinstance(root, Module) for m in root.modules()}.values())


def _functions_of(f: Any, modules: list[Any]) -> Iterable[Any]:
    """The functions in Python that f is, or that its modules run."""
    for g in (f, getattr(f, "__func__", None), *(type(m).forward for m in modules)):
        if hasattr(g, "__code__") and hasattr(g, "__globals__"):
            yield g


def tensors_of(f: Any) -> list[Any]:
    """The tensors that a function or module finds without being given them: those of its modules, of its closure, and globals that it names. Not those of
    a capture, nor those made in inference_mode, which count no writes."""
    modules = modules_of(f)
    found = [t for m in modules for t in (*m._parameters.values(), *m._buffers.values(), *vars(m).values())]
    for g in _functions_of(f, modules):
        found += [c.cell_contents for c in g.__closure__ or () if c != type(c)()]
        found += [g.__globals__[name] for name in g.__code__.co_names if name in g.__globals__]
    tensors = {id(t): t for t in found if isinstance(t, _C.TensorBase) and not t._is_symbolic and not t.is_meta and not t.is_inference()}
    return list(tensors.values())


@contextlib.contextmanager
def state_kept(f: Any) -> Iterator[None]:
    """Afterwards the tensors and attributes of the modules that f holds, what lists, dicts and sets are among these, and the random generator are as before."""
    modules = modules_of(f)
    contents = Contents([vars(m) for m in modules])
    # What a function writes: buffers, other tensors that it finds by a name, and parameters that are not trained.
    written = [(t, t.clone(), t._version) for t in tensors_of(f) if not t._requires_grad]
    state = _C.default_generator.get_state()
    try:
        yield
    finally:
        _C.default_generator.set_state(state)
        contents.restore()
        for t, values, version in written:
            if t._version != version:
                with no_grad():
                    t.copy_(values)
