"""monograph.capture: tries symbolic_trace, then jit.trace, and reports which one was used.

The graph and the function then run on the example, and their results are compared. Meanwhile the module's tensors, its attributes and the random
generator are kept, so that a capture leaves them as they were.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _C, _tree
from ._changes import (
    CaptureWords,
    OtherCaptures,
    capture_of_now,
    checked,
    flipped_modes,
    forget_structure,
    mode_paths,
    name_of,
    refuse_unrepeatable,
)
from ._state import state_kept, tensors_of
from ._unprinted import unprinted
from .fx import Graph, Tracer
from .fx._lowering import lower, paths_of_modes
from .jit._replay import Replay
from .jit._trace import TracingCheckError, _differences, _in_order, _Traced, traced_again
from .jit._values import _copied_tensors, _leaves
from .nn import Module


class Guard(NamedTuple):
    """A value of the example that the graph depends on. Every run checks it."""

    expression: str
    expected: str
    where: str


_WORDS = CaptureWords("torch.capture")


class _CaptureState:
    """What a symbolic capture read outside of its arguments, and the captures for other modes and values. A trace has its own."""

    def __init__(self, f: Any, reads: Any, on_change: str, again: Callable[..., Captured], changes_itself: bool):
        self.reads, self.on_change, self.again = reads, on_change, again
        self.name = name_of(f)
        self.changes_itself = changes_itself  # the function has written to something that it read
        refuse_unrepeatable(_WORDS.what, self.name, reads)
        self.held = weakref.ref(f) if isinstance(f, Module) else lambda: f
        self.made: OtherCaptures[Captured] = OtherCaptures()

    def other(self, found: Any, args: tuple[Any, ...], kwargs: dict[str, Any], edited: bool) -> Captured:
        """The capture for what the function reads now."""

        def make() -> Captured | None:
            f = self.held()
            return None if f is None else self.again(f, *args, **kwargs)

        def find() -> Captured | None:
            return self.made.find(lambda known: known._state is not None and known._state.reads.check() is None, make)

        return capture_of_now(_WORDS, self.name, self.reads, self.on_change, found, edited, find)


class Captured:
    """The result of torch.capture. You can call it like the function.

    graph: the function as a graph in operators. how: the capture that was used, "trace" or "symbolic". guards: the values that every run checks.
    tried: the captures that failed, with the reasons. checked: whether the graph gave the function's results on the example; False if they were not
    compared.
    """

    checked = False
    _state: _CaptureState | None = None
    _other_mode: Callable[[], tuple[Graph, list[str]] | None] | None = None  # of a symbolic trace: the graph of the other mode, and the paths whose mode it reads

    def __init__(self, graph: Graph, how: str, tried: list[tuple[str, str]], run: Any):
        self.graph, self.how, self.tried, self._run = graph, how, tried, run
        self._version = graph._version

    @property
    def guards(self) -> list[Guard]:
        return [Guard(*g) for g in self.graph.guards]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._state is not None and not _C._is_capturing():
            found = self._state.reads.check()
            if found is not None:
                return self._state.other(found, args, kwargs, self.graph._version != self._version)(*args, **kwargs)
        return self._run(*args, **kwargs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph to a `.mgraph` file that holds both modes of the module, where the graphs of the two have a common form: train() and eval() of the loaded
        graph choose. Else, and if the graph was edited, the file holds the mode of now, as graph.save(path) does."""
        self._graph_of_modes().save(path)

    def _graph_of_modes(self) -> Graph:
        if self.graph._version != self._version:
            return self.graph
        if isinstance(self._run, _Traced):
            return self._run.graph_of_modes()
        other = None if self._other_mode is None else self._other_mode()
        joined: Graph | None = None if other is None else _C._join_modes(self.graph, *other)
        return self.graph if joined is None else joined

    def __getattr__(self, name: str) -> Any:
        graph = self.__dict__.get("graph")
        way_out = f"; its graph has it: captured.graph.{name}" if graph is not None and hasattr(type(graph), name) else ""
        raise AttributeError(f"'Captured' object has no attribute {name!r}{way_out}", name=name, obj=self)

    def report(self) -> str:
        checked = (
            "On the example, the graph gives the same results as the function."
            if self.checked
            else "The graph was not compared with the function."
        )
        lines = [f"captured by {self.how}: {sum(1 for _ in self.graph.nodes)} nodes. {checked}"]
        for how, why in self.tried:
            lines.append(f"  {how} was tried before: {why.splitlines()[0]}")
        if not self.guards:
            lines.append("  no guards: the graph is right for all sizes of inputs with these dtypes and numbers of dimensions")
        for g in self.guards:
            lines.append(f"  guard at {g.where}: `{g.expression}` was {g.expected}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.report()


CONTROL_FLOW = ("keep", "guard", "error", "freeze")


def capture(
    f: Any, *inputs: Any, how: str = "auto", control_flow: str = "keep", check: bool = True, on_change: str = "raise", **kwargs: Any
) -> Captured:
    """Captures a function or Module as a graph of operators. The function is called as f(*inputs, **kwargs).

    how: "trace" runs the function once on the inputs. "symbolic" runs it on proxies, and needs no inputs. "auto" tries "symbolic" first, because its
    graph does not depend on the example, and then "trace".
    control_flow: what happens with a branch on a value. "keep" (the default): both sides stay in the graph. If that is not possible, a trace checks the value
    at every run, and a symbolic trace raises an error. "guard": a trace checks the value at every run. "error": raises an error. "freeze": a trace keeps the
    value of the example and does not check it.
    check: the graph runs on copies of the inputs, and its results are compared with those of the one run of a trace. For a symbolic capture, which runs no
    operators, the function runs once. A function that reads what it has written itself runs twice. If results differ by more than 1e-5, "auto" tries the trace,
    and a trace raises a TracingCheckError.
    on_change: what a call does when something that the function read outside of its arguments has changed since, such as a global or an attribute: "raise"
    (the default) raises an error, "recapture" captures the function again, "ignore" runs the graph. A call in another mode of the module (f.train(), f.eval())
    has a capture of its own.
    Afterwards, buffers of the module and the random generator are as they were before.
    """
    if not callable(f):
        raise TypeError(f"capture: f must be a function or a module, but got {type(f).__name__}; write capture(f, x)")
    if how not in ("auto", "trace", "symbolic"):
        raise ValueError(f'how must be "auto", "trace" or "symbolic", but got {how!r}')
    if control_flow not in CONTROL_FLOW:
        raise ValueError(f"capture: control_flow must be one of {', '.join(map(repr, CONTROL_FLOW))}, but got {control_flow!r}")
    checked(on_change, "capture")
    with state_kept(f):
        return _capture(f, inputs, kwargs, how, control_flow, check, on_change)


def _capture(
    f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any], how: str, control_flow: str, check: bool, on_change: str
) -> Captured:
    module = f if isinstance(f, Module) else None
    tried: list[tuple[str, str]] = []
    if how in ("auto", "symbolic"):
        try:
            with state_kept(f):  # the check, and the next way, start from the same
                captured = _symbolic(f, inputs, kwargs, control_flow, on_change)
            times = 2 if captured._state is None or captured._state.changes_itself else 1
            return _checked(captured, f, inputs, kwargs, check, times)
        except Exception as error:  # whatever it is, the trace may take the function
            if how == "symbolic" or not (inputs or kwargs):
                if how == "auto":
                    error.add_note("If you pass example inputs, as in capture(f, x), the trace is tried too")
                raise
            tried.append(("symbolic", str(error) or type(error).__name__))
    if not (inputs or kwargs):
        raise TypeError("a trace needs example inputs; write capture(f, x)")
    copies = (_copied_tensors(inputs), _copied_tensors(kwargs)) if check else (inputs, kwargs)  # the trace may write to them
    hooked = module is not None and (module._forward_hooks or module._forward_pre_hooks or getattr(module, "_compiled_hooks", ([], [])) != ([], []))
    function = f.forward if module is not None and not hooked else f
    try:
        check = check and control_flow != "freeze"
        replay = Replay(f, module, _copied_tensors) if check and on_change != "ignore" and _C._machine_supported() else None
        traced = traced_again(function, inputs, kwargs, module, control_flow, on_change, replay)
        captured = Captured(traced.graph, "trace", tried, traced)
        if replay is None or traced.kept:
            return _checked(captured, f, copies[0], copies[1], check, 2)
        got = replay.results(lambda: captured(*copies[0], **copies[1]))
        _compare([replay.result, [a for a, _ in replay.left]], [got, [b for _, b in replay.left]], len(replay.left), "")
        captured.checked = True
        return captured
    except Exception as error:
        for way, why in tried:
            error.add_note(f"{way} was tried before" + (f": {why}" if why != str(error) else ", with the same error"))
        raise


def _checked(captured: Captured, f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any], check: bool, times: int) -> Captured:
    """The capture, once it gave the results of the function on the example. times: how often both run: what one run leaves to the next shows in the second."""
    if not check or not (inputs or kwargs):
        return captured
    results = []
    written = [t for t in tensors_of(f) if not t._requires_grad]
    for run in (f, captured):
        quiet = unprinted() if run is captured else contextlib.nullcontext()
        with state_kept(f), quiet:
            results.append([_copied_tensors((run(*_copied_tensors(inputs), **_copied_tensors(kwargs)), written)) for _ in range(times)])
    for which, expected, got in zip(("", " of a second run"), *results):
        _compare(expected, got, len(written), which)
    captured.checked = True
    return captured


def _compare(expected: Any, got: Any, written: int, which: str) -> None:
    """Raises where a graph gives other results than the function, or leaves other values in the tensors that both have written: the last `written` leaves."""
    counts = [len(_leaves(r)) - written for r in (expected, got)]
    if counts[0] != counts[1]:
        raise TracingCheckError(f"the function returned {counts[0]} results on the example, but the captured graph {counts[1]}")
    for place, how in _differences(expected, got, 1e-5):
        if place >= counts[0]:
            raise TracingCheckError(
                f"the function writes to a tensor from outside (of size {list(_leaves(expected)[place].shape)}); the captured graph does not, or writes other values. "
                "Pass the tensor as an input, or make it a buffer of a module and write to it in place"
            )
        raise TracingCheckError(
            f"result {place + 1}{which} of the captured graph differs from the function's own on the same example: {how}. The function depends on something "
            f"that no capture sees: the type or text of a tensor, requires_grad, a clock, Python's random numbers, or an attribute that it changes "
            f"(make that a buffer, and write to it in place). check=False keeps the graph without this comparison"
        )


def _arguments(f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """What the example tells of the arguments: the defaults that it leaves in place, which are part of the function then, and the names of the inputs
    that *args and **kwargs stand for. Without an example, nothing."""
    if not (inputs or kwargs):
        return {}, {}
    signature = inspect.signature(f.forward if isinstance(f, Module) else f)
    given = signature.bind(*inputs, **kwargs).arguments
    defaults = {n: p.default for n, p in signature.parameters.items() if n not in given and p.default is not p.empty}
    rest: dict[str, list[str]] = {}
    for n, p in signature.parameters.items():
        if p.kind is p.VAR_POSITIONAL:
            rest[n] = [f"{n}_{i}" for i in range(len(given.get(n, ())))]
        elif p.kind is p.VAR_KEYWORD:
            rest[n] = list(given.get(n, {}))
    return defaults, rest


def _sequence(values: list[Any]) -> Any:
    """A list that a graph computed, as operators give it to Python: sizes as a Size, tensors as a tuple."""
    return _C.Size(values) if all(isinstance(v, int) for v in values) else tuple(values)


def _result_structure(returned: _tree.TreeSpec, computed: Any) -> _tree.TreeSpec:
    """The structure of a result: of the tuples, lists and dicts that the function returned, and of what the nodes among them gave."""
    if not returned.is_leaf():
        parts = zip(returned.children(), _tree.parts_of(computed, returned), strict=True)
        return _tree.TreeSpec(returned.type, returned.context, [_result_structure(r, c) for r, c in parts])
    return _tree.of_any_length(_sequence) if isinstance(computed, _C.SymbolicList) else _tree.flatten(computed, subclasses=True)[1]


def _other_mode_of(
    held: Callable[[], Any], gm: Any, reads: Any, control_flow: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[], tuple[Graph, list[str]] | None]:
    """A function that captures the module in its other mode. It returns the graph and the paths of the modules whose mode the two graphs depend on; None if there
    are none, or the capture fails."""
    given, named = _tree.mapped(lambda leaf: None, (inputs, kwargs), subclasses=True)  # how many there are is all that matters

    def capture_other() -> tuple[Graph, list[str]] | None:
        module = held()
        paths = [] if module is None else list(dict.fromkeys([*(mode_paths(reads) if reads is not None else []), *paths_of_modes(gm.graph, gm)]))
        if not paths:
            return None
        with flipped_modes(list(module.modules())), state_kept(module):
            try:
                return _symbolic(module, given, named, control_flow, "ignore").graph, paths
            except Exception:
                return None

    return capture_other


def _symbolic(f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any], control_flow: str, on_change: str) -> Captured:
    from .fx.graph_module import GraphModule

    tracer = Tracer()
    tracer.control_flow = "keep" if control_flow == "keep" else "error"  # it has no values to guard or to freeze
    tracer.bound, tracer.variadic_inputs = _arguments(f, inputs, kwargs)
    reads = tracer.reads = _C._reads() if on_change != "ignore" and _C._machine_supported() else None
    graph = tracer.trace(f)
    gm = GraphModule(tracer.root, graph, "Captured")
    graph.owning_module = gm
    results: list[Any] = []
    lowered = lower(graph, gm, results.append)
    structure = _result_structure(_tree.flatten(tracer.output_form, subclasses=True)[1], results[-1])
    names = [n.target for n in graph.nodes if n.op == "placeholder" and not n.args and not n.target.startswith("*")]

    def run(*args: Any, **given: Any) -> Any:
        return _tree.retyped(lowered(*_in_order(names, args, given)), structure)

    captured = Captured(lowered, "symbolic", [], run)
    if isinstance(f, Module):
        captured._other_mode = _other_mode_of(weakref.ref(f), gm, reads, control_flow, inputs, kwargs)
    if reads is not None:
        changes_itself = bool(tracer.remembers) or isinstance(reads.check(), str)
        forget_structure(f, reads)
        _C._reads_forgive_writes(reads)
        again = functools.partial(capture, how="symbolic", control_flow=control_flow, check=False, on_change=on_change)
        captured._state = _CaptureState(f, reads, on_change, again, changes_itself)
    return captured


Captured.__module__ = Guard.__module__ = capture.__module__ = "monograph"
