"""What a symbolic trace read outside of its arguments: attributes of modules, globals, closures, and the modes of modules. Each call of the GraphModule looks
whether that is as it was. What happens otherwise is as in jit.trace: _changes.py."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _C
from .._changes import MOST_CAPTURES, changed, changed_mode, forget_structure, name_of, note_values, refuse_unrepeatable
from ..nn import Module

if TYPE_CHECKING:
    from .graph_module import GraphModule

_WHAT = "torch.fx.symbolic_trace"


class Followed:
    """The reads of one symbolic trace, and the captures for other modes and values."""

    def __init__(self, root: Any, reads: Any, on_change: str, again: Callable[[Any], GraphModule]):
        self.reads, self.on_change, self.again = reads, on_change, again
        module = isinstance(root, Module)
        self.name = name_of(root)
        self.root: Callable[[], Any] = weakref.ref(root) if module else lambda: root
        self.modes_agree = True
        self.made: list[GraphModule] = []
        self.compiled: Any = None
        refuse_unrepeatable(_WHAT, self.name, reads)
        # The program counts, or remembers something, in what it reads: the next call reads another value.
        self.writes = isinstance(reads.check(), str)
        forget_structure(root, reads)

    def belongs_to(self, made: GraphModule) -> None:
        """The modes that were read are that of the GraphModule from here on."""
        root = self.root()
        if isinstance(root, Module):
            self.modes_agree = all(training == root.training for _, training in _C._reads_modes(self.reads))
            _C._reads_one_mode(self.reads, made.__dict__, root.training)
        self.version = made._graph._version
        note_values(made._graph, self.reads)
        made.__dict__["_followed"] = self

    def call(self, module: GraphModule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call of the GraphModule gives; NotImplemented where its graph is to run."""
        found = self.reads.check()
        edited = module._graph._version != self.version
        root = self.root()
        if self.writes:
            return NotImplemented if edited or root is None else self._as_program(root, args, kwargs)
        if found is None:
            return NotImplemented
        if isinstance(found, str) and self.on_change != "recapture":
            raise changed(_WHAT, self.name, found, "Trace it again")
        made = None
        if edited:
            why = "The graph has been edited, and an edited graph has no other captures. Trace again, and edit that graph"
        else:
            why = "What was traced is gone, has modules in different modes, or has eight captures already. Trace it again"
            made = self._other(root, module)
        if made is not None:
            return made(*args, **kwargs)
        raise changed(_WHAT, self.name, found, why) if isinstance(found, str) else changed_mode(_WHAT, self.name, self.reads, found, why)

    def _other(self, root: Any, module: GraphModule) -> GraphModule | None:
        """The capture for what the program reads now, and the mode of the GraphModule."""
        for made in self.made:
            if made.training == module.training and made.__dict__["_followed"].reads.check() is None:
                return made
        if root is None or len(self.made) >= MOST_CAPTURES or not self.modes_agree:
            return None
        modules = list(root.modules()) if isinstance(root, Module) else []
        before = [m.training for m in modules]
        try:
            for m in modules:
                m.__dict__["training"] = module.training
            made = self.again(root)
        finally:
            for m, training in zip(modules, before, strict=True):
                m.__dict__["training"] = training
        self.made.append(made)
        return made

    def _as_program(self, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.compiled is None:
            from .._compile import compiled_function

            self.compiled = compiled_function(root, False, None, "monograph", {}, None)
        return self.compiled(*args, **kwargs)
