"""set_execution: how the modules of a program run that does not call torch.compile: as Python does, or as graphs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _C
from .nn import Module
from .nn.modules.module import CAPTURED_CALLS

_MODES = ("eager", "graph")
_ATTRIBUTE, _KEPT = CAPTURED_CALLS  # the class's attribute that each call asks for; in a module, what captures its calls


class ExecutionCounts(NamedTuple):
    """The outermost calls of modules under set_execution("graph"), of all threads."""

    calls: int
    captures: int  # of these, the calls that were captured as they ran
    graphs: int  # of these, the calls that ran as a graph that was there

    @property
    def share(self) -> float:
        """The part of the calls that is in a graph, from 0 to 1; 1 where there were none. The others ran as Python runs them, or in several
        graphs with Python between them."""
        return (self.captures + self.graphs) / self.calls if self.calls else 1.0


def _of_module(module: Module) -> Any:
    made = module.__dict__.get(_KEPT)
    if made is None:
        from ._compile import compiled_function

        made = compiled_function(
            module._call_impl, fullgraph=False, dynamic=None, backend="monograph", keywords={}, limit=None, outermost=True
        )
        module.__dict__[_KEPT] = made
    return made


_make_descriptor: Callable[[Any], Any] = _C._graph_calls
_graph_calls = _make_descriptor(_of_module)  # one object, so that a capture which has read it holds for the next time too


def get_execution() -> str:
    """The mode that set_execution has set: "eager" or "graph"."""
    return "graph" if Module.__dict__[_ATTRIBUTE] is _graph_calls else "eager"


class set_execution:  # noqa: N801
    """Sets how modules run from here on, in all threads; as a context, until the end of the `with`.

    mode: "eager" runs modules as Python does: the default. "graph" captures the outermost call of each module at its first time, as torch.compile does, and
    runs the graph in later calls. A call for which no capture holds is captured anew. A call that cannot be captured runs as Python runs it.

    The program stays as it is: `MONOGRAPH_EXECUTION=graph python program.py` sets the mode for a whole program. `torch.execution_counts()` tells how many
    calls ran as graphs. Modules that torch.compile has made, and `Module.compile()`, keep their own settings.

    Raises ValueError for another mode, and RuntimeError for "graph" on another Python than 3.11.

    Example:
        with torch.set_execution("graph"):
            y = model(x)
    """

    def __init__(self, mode: str):
        if mode not in _MODES:
            raise ValueError(f'set_execution expects "eager" or "graph", but got {mode!r}')
        if mode == "graph":
            from ._compile import _check_machine

            _check_machine()
        self.mode = mode
        self._before = Module.__dict__[_ATTRIBUTE]
        type.__setattr__(Module, _ATTRIBUTE, _graph_calls if mode == "graph" else None)

    def __enter__(self) -> set_execution:
        return self

    def __exit__(self, *exc: Any) -> None:
        type.__setattr__(Module, _ATTRIBUTE, self._before)

    def __repr__(self) -> str:
        return f"set_execution({self.mode!r})"


def execution_counts(reset: bool = False) -> ExecutionCounts:
    """How many outermost calls of modules there were under set_execution("graph"), and how many of them ran as graphs. reset: counting starts anew."""
    counts = ExecutionCounts(*_C._execution_counts())
    if reset:
        _C._reset_execution_counts()
    return counts


def set_from_environment() -> None:
    """Reads MONOGRAPH_EXECUTION."""
    mode = os.environ.get("MONOGRAPH_EXECUTION", "eager")
    if mode not in _MODES:
        raise ValueError(f'the environment variable MONOGRAPH_EXECUTION is {mode!r}; it must be "eager" or "graph"')
    if mode == "graph":
        set_execution(mode)
