"""What a symbolic trace read outside of its arguments: attributes of modules, globals, closures, and the modes of modules. Each call of the GraphModule looks
whether that is as it was. What happens otherwise is as in jit.trace: _changes.py."""

from __future__ import annotations

import contextlib
import copy
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _C
from .._changes import TABLES, CaptureWords, OtherCaptures, _in_words, capture_of_now, forget_structure, name_of, note_values, refuse_unrepeatable
from .._state import state_kept
from .._unprinted import unprinted
from ..nn import Module

if TYPE_CHECKING:
    from .graph_module import GraphModule

_WORDS = CaptureWords(
    "torch.fx.symbolic_trace", "Trace it again", "Trace again, and edit that graph", "What was traced is gone, has modules in different modes, or has eight captures already"
)


@contextlib.contextmanager
def _in_mode(modules: list[Module], training: bool) -> Iterator[None]:
    before = [m.training for m in modules]
    try:
        for m in modules:
            m.__dict__["training"] = training
        yield
    finally:
        for m, was in zip(modules, before, strict=True):
            m.__dict__["training"] = was


def _stand_in(root: Module, kept: set[int]) -> Module:
    """A copy of a module with its submodules, for captures in other modes when the module itself is gone: a capture does not keep it alive. `kept`: the ids of the
    submodules that the GraphModule has. The copy shares these, and all parameters and buffers."""
    copies: dict[int, Module] = {}

    def copied(module: Module) -> Module:
        if id(module) in kept:
            return module
        if id(module) not in copies:
            made = copies[id(module)] = object.__new__(type(module))
            made.__dict__.update((name, copy.copy(value) if name in TABLES else value) for name, value in module.__dict__.items())
            children = made.__dict__.get("_modules", {})
            children.update((name, copied(child)) for name, child in children.items() if child is not None)
        return copies[id(module)]

    return copied(root)


class CapturedReads:
    """The reads of one symbolic trace, and the captures for other modes and values."""

    def __init__(self, root: Any, reads: Any, on_change: str, again: Callable[[Any], GraphModule], remembers: str = ""):
        self.reads, self.on_change, self.again = reads, on_change, again
        module = isinstance(root, Module)
        self.name = name_of(root)
        self.root: Callable[[], Any] = weakref.ref(root) if module else lambda: root
        self.modes_agree = True
        self.made: OtherCaptures[GraphModule] = OtherCaptures()
        self.compiled: Any = None
        refuse_unrepeatable(_WORDS.what, self.name, reads)
        # The program counts, or remembers something, in what it reads: the next call reads another value.
        self.remembers, found = remembers, reads.check()
        self.changed: str = remembers or (found if isinstance(found, str) else "")
        self.writes = bool(self.changed)
        if self.writes:  # a program that writes to its own objects runs at each call, so it lives as long as its trace
            self.root = lambda: root
        forget_structure(root, reads)

    def belongs_to(self, made: GraphModule) -> None:
        """The modes that were read are that of the GraphModule from here on."""
        root = self.root()
        if isinstance(root, Module):
            self.modes_agree = all(training == root.training for _, training in _C._reads_modes(self.reads))
            if not self.writes:
                self._outlive(root, set(map(id, made.modules())))
            _C._reads_one_mode(self.reads, made.__dict__, root.training)
        self.version = made._graph._version
        note_values(made._graph, self.reads)
        made.__dict__["_captured_reads"] = self

    def _outlive(self, root: Module, kept: set[int]) -> None:
        """Prepares for the end of the module: what it held cannot change any more then, and needs no checks. `kept`: as in _stand_in()."""
        own = [t for m in root.modules() if id(m) not in kept for t in (m.__dict__, *(m.__dict__[name] for name in TABLES if name in m.__dict__))]
        self_ref = weakref.ref(self)

        def release(_: Any) -> None:
            alive = self_ref()
            if alive is not None:
                _C._reads_forget(alive.reads, own)
                own.clear()

        ref = self.root = weakref.ref(root, release)
        if _C._reads_modes(self.reads):
            stand_in = _stand_in(root, kept)
            self.root = lambda: stand_in if (root := ref()) is None else root

    def refuse_own_state(self, what: str, graph: Any) -> None:
        """Raises if the program writes to its own objects so that its next call has another graph: no file can hold that."""
        root = self.root()
        if not self.writes or root is None or graph._version != self.version:
            return
        if not self.remembers and isinstance(root, Module):  # it may count without a use of the number: then its next calls have the same graph
            with state_kept(root), unprinted():
                try:
                    if all(self.again(root).graph.hash() == graph.hash() for _ in range(3)):
                        return
                except Exception:  # it cannot be captured again as it is now
                    pass
        raise NotImplementedError(
            f"{what}: {self.name} writes to its own objects, and reads that at its next call, so that each call has another graph, which no file holds: "
            f"{_in_words(self.changed)}. Make such a value a buffer and write to it in place, or make it an input and a result"
        )

    def mode(self) -> bool | None:
        """The mode of the module that the trace read, which its code holds for; None where it read none."""
        modes = _C._reads_modes(self.reads)
        return modes[0][1] if modes else None

    def call(self, module: GraphModule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call of the GraphModule gives; NotImplemented where its graph is to run."""
        found = self.reads.check()
        edited = module._graph._version != self.version
        root = self.root()
        if self.writes:
            return NotImplemented if edited or root is None else self._as_program(root, args, kwargs)
        if found is None:
            return NotImplemented

        def fits(known: GraphModule) -> bool:
            return known.training == module.training and known.__dict__["_captured_reads"].reads.check() is None

        made = capture_of_now(
            _WORDS, self.name, self.reads, self.on_change, found, edited, lambda: self.made.find(fits, lambda: self._other(root, module))
        )
        apart = made.__dict__.get("_apart")
        if apart is None:  # layers that this graph alone calls: nobody else sets their mode
            known = set(module.modules())
            apart = made.__dict__["_apart"] = [m for m in made.modules() if m not in known and m is not made]
        with _in_mode(apart, module.training):
            return made(*args, **kwargs)

    def _other(self, root: Any, module: GraphModule) -> GraphModule | None:
        """A new capture in the mode of the GraphModule."""
        if root is None or not self.modes_agree:
            return None
        with _in_mode(list(root.modules()) if isinstance(root, Module) else [], module.training):
            return self.again(root)

    def _as_program(self, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.compiled is None:
            from .._compile import compiled_function

            self.compiled = compiled_function(root, False, None, "monograph", {}, None)
        return self.compiled(*args, **kwargs)
