"""monograph.compare and monograph.bisect: which node of a graph gives something else after a rewrite, and which rewrite did it."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import _C
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..nn import Module
from ..random import get_rng_state, set_rng_state
from ._view import _shown, graph_in
from .node import Node

if TYPE_CHECKING:
    from .graph import Graph
    from .graph_module import GraphModule


class Comparison:
    """What compare() found. It is true if the results are equal.

    node: the first node that differs, of the graph after the rewrite; before: its partner. Both are None if no node differs. difference: in which way, as
    text. new: nodes without a partner that `node` is computed from.
    """

    def __init__(self, equal: bool, node: Node | None = None, before: Node | None = None, difference: str = "", new: Sequence[Node] = ()):
        self.equal, self.node, self.before, self.difference, self.new = equal, node, before, difference, list(new)

    def __bool__(self) -> bool:
        return self.equal

    def __repr__(self) -> str:
        if self.equal:
            return "the results are equal"
        if self.node is None:
            return f"the results differ\n{_indented(self.difference)}"
        lines = ["the results differ", f"the first node that differs: {_line(self.node)}"]
        if self.before is not None and _call(self.before) != _call(self.node):
            lines.append(f"before, it was: {_line(self.before)}")
        if self.new:
            lines.append(
                "it is computed from new nodes: " + ", ".join(n.name for n in self.new[:10]) + (", ..." if len(self.new) > 10 else "")
            )
        return "\n".join([*lines, _indented(self.difference)])


def _line(node: Node) -> str:
    return f"{_call(node)}" + (f"\n  {node.span}" if node.span else "")


def _call(node: Node) -> str:
    return str(node.format_node())


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines() if line)


def compare(before: Any, after: Any, inputs: Any, *, rtol: float | None = None, atol: float | None = None) -> Comparison:
    """Runs two graphs on the same inputs, node by node, and finds the first node that differs.

    before, after: a graph before and after a rewrite: a Graph, or what has one (a GraphModule, a traced function). inputs: a tuple of arguments, or one.
    rtol, atol: as in testing.assert_close, which decides what differs. Nodes are paired as `view` pairs them. A difference that does not reach the results
    is none. The runs start with the same random state, and leave parameters, buffers and `inputs` as they were.

    Example:
        print(torch.compare(gm, rewritten, (x,)))
    """
    first, second = _shown(_graph(before, "before")), _shown(_graph(after, "after"))
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    check = _Check(rtol, atol)
    partners = _nodes_before_and_after(first, second)
    with _same_randomness(), no_grad():
        old = _Run(first, _module(before, first), inputs)
        new = _Run(second, _module(after, second), inputs)
    differs = {a: text for a, b in partners.items() if (text := check.nodes(old.values.get(b), new.values.get(a))) is not None}
    written = check.nodes([old.inputs], [new.inputs])
    output = second.output_node()
    if output not in differs:
        return Comparison(written is None, difference="" if written is None else f"what the graphs wrote to the inputs differs:\n{written}")
    guilty, fresh = _differing_sources(output, differs, partners)
    node = next(n for n in _in_order(second.nodes) if n in guilty)
    _, near = _differing_sources(node, {node: ""}, partners)
    return Comparison(False, node, partners[node], differs[node], [n for n in _in_order(second.nodes) if n in near and n in fresh])


def _graph(value: Any, argument: str) -> Graph:
    if isinstance(value, (str, os.PathLike)):
        raise TypeError(
            f"compare expects a graph as {argument}, but got the text {os.fspath(value)!r}. For a graph file, load it: torch.load_graph(file)"
        )
    return graph_in(value, f"compare expects a Graph, or an object that has one, as {argument}")


def _nodes_before_and_after(before: Graph, after: Graph) -> dict[Node, Node]:
    """The nodes before by those after that mean the same step, and by those that stand in their place in the arguments of such a step."""
    pairs = _C._paired_nodes(before, after)
    partners = {a: b for b, a in pairs}
    known = {b for b, _ in pairs}
    todo = list(pairs)
    while todo:
        b, a = todo.pop()
        for x, y in _parallel((b.args, dict(b.kwargs)), (a.args, dict(a.kwargs))):
            if y not in partners:
                partners[y] = x
                if x not in known and _is_projection(x) == _is_projection(y):
                    known.add(x)
                    todo.append((x, y))
    return partners


def _parallel(before: Any, after: Any) -> Iterator[tuple[Node, Node]]:
    """The nodes at the same places of two arguments."""
    if isinstance(before, Node) and isinstance(after, Node):
        yield before, after
    elif isinstance(before, (tuple, list)) and isinstance(after, (tuple, list)) and len(before) == len(after):
        for b, a in zip(before, after):
            yield from _parallel(b, a)
    elif isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() & after.keys():
            yield from _parallel(before[key], after[key])


def _in_order(nodes: Any) -> Iterator[Node]:
    """Nodes as they are done: those of the blocks of an If or Loop come before it."""
    for node in nodes:
        for _, inner, _ in _C._blocks(node):
            yield from _in_order(inner)
        yield node


def _differing_sources(node: Node, differs: dict[Node, str], partners: dict[Node, Node]) -> tuple[set[Node], set[Node]]:
    """The nodes that differ and those without a partner from which `node` is computed, with no equal node between."""
    from ._blocks import used_by

    guilty: set[Node] = set()
    fresh: set[Node] = set()
    todo = [node]
    while todo:
        n = todo.pop()
        if n in guilty or n in fresh:
            continue
        if n in differs:
            guilty.add(n)
        elif n not in partners and not _is_projection(n):
            fresh.add(n)
        elif n in partners:
            continue
        todo.extend(used_by(n))
    return guilty, fresh


def _is_projection(node: Node) -> bool:
    """Whether the node only takes one of several results; such nodes have no partners."""
    return isinstance(node.target, str) and node.target == "operator.getitem"


class _Check:
    def __init__(self, rtol: float | None, atol: float | None):
        self.rtol, self.atol = rtol, atol

    def nodes(self, before: list[Any] | None, after: list[Any] | None) -> str | None:
        """In which way the values of a node differ, one for each time that it ran; None if they do not. A node that ran in one graph only is no difference."""
        if before is None or after is None:
            return None
        for k, (b, a) in enumerate(zip(before, after)):
            text = self.values(a, b)
            if text is not None:
                return text if len(before) == len(after) == 1 else f"the {k + 1}. time that it runs: {text}"
        return None if len(before) == len(after) else f"it ran {len(after)} times, and {len(before)} times before"

    def values(self, after: Any, before: Any) -> str | None:
        from ..testing import assert_close

        try:
            assert_close(after, before, rtol=self.rtol, atol=self.atol, equal_nan=True)
        except AssertionError as error:
            return str(error)
        except TypeError:  # neither tensors nor numbers
            return None if type(after) is type(before) else f"{type(after).__name__}, and before {type(before).__name__}"
        return None


class _same_randomness:
    """Each run inside starts with the random state of the beginning; at the end it is as it was."""

    def __enter__(self) -> None:
        self.state = get_rng_state()

    def __exit__(self, *error: object) -> None:
        set_rng_state(self.state)


class _Run:
    """One run of a graph. values: what each node gave, as often as it ran; inputs: the arguments, with what the graph wrote to them."""

    def __init__(self, graph: Graph, module: Module, inputs: tuple[Any, ...]):
        from .interpreter import Interpreter

        values: dict[Node, list[Any]] = {}

        class Recorder(Interpreter):
            def run_node(self, n: Node) -> Any:
                value = super().run_node(n)
                values.setdefault(n, []).append(_snapshot(value))  # a later node may write to it
                return value

        self.values, self.inputs = values, _snapshot(inputs)
        random = get_rng_state()
        tensors = [*module.parameters(), *module.buffers()]
        saved = [(t, t._version, t.detach().clone()) for t in tensors]
        try:
            Recorder(module, graph=graph).run(*self.inputs)
        finally:
            set_rng_state(random)
            for t, version, contents in saved:
                if t._version != version:
                    t.detach().copy_(contents)


def _snapshot(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, (tuple, list)):
        parts = [_snapshot(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return {k: _snapshot(v) for k, v in value.items()} if isinstance(value, dict) else value


def _module(value: Any, graph: Graph) -> Module:
    """What holds the tensors of a graph."""
    if isinstance(value, Module) and graph is getattr(value, "graph", None):
        return value
    if graph.owning_module is not None:
        return graph.owning_module
    from .graph_module import _Assignment

    holder = Module()
    assignment = _Assignment(holder)
    for path, _, _, tensor in _C._graph_attributes(graph):
        assignment.put(path, tensor)
    return holder


class Bisection:
    """What bisect() found. index, rewrite: which one; None if the results stay equal. before, after: the GraphModule before and after it.

    comparison: what compare() says of the two; error: what the rewrite, or a run after it, raised.
    """

    def __init__(
        self,
        index: int | None = None,
        rewrite: Any = None,
        before: GraphModule | None = None,
        after: GraphModule | None = None,
        comparison: Comparison | None = None,
        error: Exception | None = None,
    ):
        self.index, self.rewrite, self.before, self.after, self.comparison, self.error = index, rewrite, before, after, comparison, error

    def __repr__(self) -> str:
        if self.index is None:
            return "no rewrite changed the results"
        which = f"rewrite {self.index}, {_name(self.rewrite)},"
        if self.error is not None:
            return f"{which} raised an error\n{_indented(f'{type(self.error).__name__}: {self.error}')}"
        return f"{which} changed the results\n{_indented(str(self.comparison))}"


def _name(rewrite: Any) -> str:
    return str(getattr(rewrite, "__name__", type(rewrite).__name__))


def bisect(module: GraphModule, rewrites: Any, inputs: Any, *, rtol: float | None = None, atol: float | None = None) -> Bisection:
    """Finds the rewrite that changed the results of a GraphModule, and the first node that differs after it.

    rewrites: functions, called in order: each changes a GraphModule, or gives a new one or a PassResult. A PassManager is taken for its passes.
    inputs, rtol, atol: as in compare(). The module stays as it is. The rewrites run on copies, some of them several times.

    Example:
        print(torch.bisect(gm, [fuse, remove_dropout, fold], (x,)))
    """
    steps = list(getattr(rewrites, "passes", rewrites))
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    states: dict[int, GraphModule] = {0: copy.deepcopy(module)}
    errors: dict[int, Exception] = {}

    def after(count: int) -> GraphModule | None:
        """The module after so many rewrites; None if one of them raised."""
        start = max(k for k in states if k <= count)
        made = copy.deepcopy(states[start])
        for k in range(start, count):
            try:
                made = _applied(steps[k], made)
            except Exception as error:
                errors[k] = error
                return None
        states[count] = copy.deepcopy(made)
        return made

    def breaks(count: int) -> Comparison | Exception | None:
        made = after(count)
        if made is None:
            return errors[min(errors)]
        try:
            found = compare(states[0], made, inputs, rtol=rtol, atol=atol)
        except Exception as error:
            return error
        return None if found else found

    differs = breaks(0)
    if isinstance(differs, Exception):
        raise RuntimeError(f"bisect: the module raises an error on these inputs, before any rewrite\n{_indented(str(differs))}") from differs
    if differs is not None:
        raise RuntimeError(f"bisect: the module differs from itself in two runs, before any rewrite\n{_indented(str(differs))}")
    if breaks(len(steps)) is None:
        return Bisection()
    good, bad = 0, len(steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        if breaks(middle) is None:
            good = middle
        else:
            bad = middle
    before, made = after(good), after(bad)
    if made is None:
        return Bisection(good, steps[good], before, None, error=errors[good])
    try:
        return Bisection(good, steps[good], before, made, comparison=compare(before, made, inputs, rtol=rtol, atol=atol))
    except Exception as error:
        return Bisection(good, steps[good], before, made, error=error)


def _applied(rewrite: Callable[[Any], Any], module: Any) -> Any:
    from .graph_module import GraphModule

    result = rewrite(module)
    made = getattr(result, "graph_module", result)
    module = module if not isinstance(made, Module) else made
    if isinstance(module, GraphModule):
        module.graph.lint()
        module.recompile()
    return module
