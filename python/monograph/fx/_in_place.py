"""`y += x` in a symbolic trace.

If nothing else can see the memory of y, the node is `y + x`, as in torch.fx. Otherwise it is the write `operator.iadd`. The graph in operators has
the write in both cases, because a write keeps the dtype and the size of y. A pass may have changed the graph meanwhile, so this is checked again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _C
from .._tensor import Tensor
from ._blocks import alone
from ._written import FORMS, schemas
from .node import Node
from .proxy import LAYERS, Proxy, TracerBase, _known_type, without_write
from .script_view import nodes_in

if TYPE_CHECKING:
    from .graph import Graph

# The type of fx._lowering.lower. It turns a graph and its root into a graph in operators, and itself calls this file.
Lower = Callable[[Any, Any], Any]

# As many nodes of one memory are looked at. Each layer among them is lowered, which takes long in a network of thousands; the write stays then.
MOST_SHARED = 16
# The operator without the write, and the name of the one with it, by the latter.
_PLAIN: dict[Any, tuple[Any, str]] = {}
for _name, _, _form in _C._python_operators():
    if _form == "inplace":
        _PLAIN[getattr(operator, _name)] = (without_write(_name), _name)
_IN_PLACE = {_plain: _target for _target, (_plain, _) in _PLAIN.items()}


def without_needless_writes(tracer: TracerBase, root: Any, lower: Lower) -> None:
    """Replaces y += x by y + x, if later nodes read the written memory only through the result."""
    graph = tracer.graph
    writes = [n for n in graph.nodes if n.op == "call_function" and n.target in _PLAIN]
    if not writes:
        return
    memory = _Memory(graph, root, lower)
    for node in writes:
        plain, name = _PLAIN[node.target]
        if _is_no_tensor(tracer, node.args[0]) or not hasattr(Tensor, f"__{node.target.__name__}__"):
            node.target = plain
        elif memory.is_only_read_through(node):
            node.target, node.meta["in_place"] = plain, True
        else:
            node.name = name


def writes_of(graph: Graph, root: Any, lower: Lower) -> dict[Node, Any]:
    """The nodes that stand for a write in place, with the operator of that write."""
    marked = [n for n in graph.nodes if n.op == "call_function" and n.target in _IN_PLACE and n.meta.get("in_place")]
    memory = _Memory(graph, root, lower) if marked else None
    return {n: _IN_PLACE[n.target] for n in marked if memory is not None and memory.is_only_read_through(n)}


def _is_no_tensor(tracer: TracerBase, a: Any) -> bool:
    known = _known_type(tracer.proxy(a)) if isinstance(a, Node) else type(a)
    return known is not None and not issubclass(known, _C.TensorBase)


class _Memory:
    """Which nodes of a graph may name one memory."""

    def __init__(self, graph: Graph, root: Any, lower: Lower):
        self.graph, self.root, self.lower = graph, root, lower
        self.place: dict[Node, int] = {}  # in a block, that of the If or Loop
        self._shared: dict[Node, tuple[list[Node], bool]] = {}
        at, outer = 0, set(graph.nodes)
        for node in graph.nodes(recursive=True):
            at += node in outer
            self.place[node] = at

    def is_only_read_through(self, write: Node) -> bool:
        """Whether it writes to new memory that nobody reads afterwards but as the result of the write."""
        target, *values = write.args
        if not isinstance(target, Node):
            return False
        now = self.place[write]
        found, open_nodes = {target}, [target]
        while open_nodes:
            node = open_nodes.pop()
            if len(found) > MOST_SHARED:
                return False
            sources, is_outer = self.shared(node)
            if is_outer or (sources and self.may_overlap(node)) or any(self.place[user] > now for user in node.users):
                return False
            views = (user for user in node.users if self.place[user] < now and node in self.shared(user)[0])
            for other in (*sources, *views):
                if other not in found:
                    found.add(other)
                    open_nodes.append(other)
        return not any(value in found and value is not target for value in nodes_in(values))

    def may_overlap(self, node: Node) -> bool:
        """Whether the node's value may be a view that has one element at two places, as expand() gives, for a write to it is an error."""
        if node.op == "call_module":
            return not type(self.root.get_submodule(node.target)).__module__.startswith(LAYERS)
        if node.op == "call_function" and (node.target in _PLAIN or FORMS.get(node.target) == "getitem"):
            return False
        schema = node.schema()
        found = [schema] if schema is not None else schemas(node.op, node.target)
        return not found or not all(_is_written(s.arguments[k]) for s in found for k in s._shown)  # relu_() gives what it wrote to

    def shared(self, node: Node) -> tuple[list[Node], bool]:
        """The arguments whose memory the node's value may show, and whether it may show what stands outside of the graph, or be kept there."""
        if node not in self._shared:
            self._shared[node] = _shared(node) or self._of_code(node)
        return self._shared[node]

    def _of_code(self, node: Node) -> tuple[list[Node], bool]:
        """Of a layer or a function in Python: as its operators tell."""
        unknown = list(nodes_in((node.args, node.kwargs))), True
        if node.op == "call_module" and any(m._forward_hooks or m._forward_pre_hooks for m in self.root.get_submodule(node.target).modules()):
            return unknown  # what may keep the value
        graph, given = alone(node)
        try:
            lowered = self.lower(graph, self.root)
        except Exception:  # what it asks of its inputs is not known here
            return unknown
        seen, is_outer = _sources(list(nodes_in(lowered.output_node().args)))
        names = {made.name: used for used, made in given.items()}
        return [names[n.name] for n in seen if n.op == "placeholder"], is_outer


def _is_written(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def _sources(results: list[Node]) -> tuple[set[Node], bool]:
    """The nodes of a graph of operators whose memory these may show, and whether something from outside is among them."""
    seen, open_nodes, is_outer = set(results), list(results), False
    while open_nodes:
        node = open_nodes.pop()
        if node.op == "placeholder":
            continue
        sources, outer = _shared(node) or (list(nodes_in((node.args, node.kwargs))), True)
        is_outer |= outer
        open_nodes += [n for n in sources if n not in seen]
        seen.update(sources)
    return seen, is_outer


def _shared(node: Node) -> tuple[list[Node], bool] | None:
    """As _Memory.shared, where the node itself or a record tells; None of code that must be looked at."""
    arguments = list(nodes_in((node.args, node.kwargs)))
    if node.op in ("placeholder", "get_attr"):
        return [], True
    if node.op == "output" or _C._blocks(node):
        return arguments, True
    known = _known_type(Proxy(node))
    if known is not None and not issubclass(known, _C.TensorBase):
        return [], False  # sizes and what else describes a tensor
    if node.op == "call_function" and node.target in FORMS:
        return ([] if FORMS[node.target] in ("binary", "comparison") else list(nodes_in(node.args[:1]))), False
    if node.op == "call_function" and node.target is getattr:
        return arguments, False
    schema = node.schema()
    found = [schema] if schema is not None else schemas(node.op, node.target)
    if found:
        return list(_aliased(node, found)), False
    if node.op == "call_module" or _is_of_this_package(node.target):
        return None
    return arguments, True


def _is_of_this_package(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).split(".")[0] == "monograph"


def _aliased(node: Node, found: list[Any]) -> Iterator[Node]:
    """The arguments that a result of one of these overloads may be, or show."""
    for schema in found:
        for k in schema._shown:
            yield from nodes_in(node.args[k] if k < len(node.args) else node.kwargs.get(schema.arguments[k].name))


