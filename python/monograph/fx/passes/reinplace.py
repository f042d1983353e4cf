"""torch.fx.passes.reinplace: lets operators of a functional graph write to memory that nobody needs any longer.

    gm = make_fx(f)(x)
    reinplace(gm, x)
"""

from __future__ import annotations

import operator
from typing import Any

from ... import _C
from ..._ops import _find
from ..._tensor import Tensor
from ..graph_module import GraphModule
from ..node import Node
from ._nodes import stands_for
from ._on_meta import OnMeta

__all__ = ["reinplace"]


class _Values(OnMeta):
    """Runs the graph on the meta device and keeps what each node gave."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.garbage_collect_values = False


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, (tuple, list)) else [value]


def _overload(node: Node) -> Any:
    """The overload of an operator that a node calls; None of another node."""
    return node.target if node.op == "call_function" and isinstance(node.target, _C.OpOverload) else None


def _in_place(overload: Any) -> Any:
    """The overload that does the same in place: of the name with an underscore, the one that takes the same. None of views, and where there is none."""
    schema = overload._schema
    if 0 in schema._shown:
        return None
    namespace, name = schema.name.split("::")
    try:
        packet = _find(namespace, name + "_")
    except AttributeError:
        return None
    wanted = [str(a.type) for a in schema.arguments]
    for candidate in (getattr(packet, o) for o in packet.overloads()):
        arguments = candidate._schema.arguments
        written = [a.alias_info is not None and a.alias_info.is_write for a in arguments]
        if [str(a.type) for a in arguments] == wanted and written == [True] + [False] * (len(written) - 1):
            return candidate
    return None


def _view_of_scatter(overload: Any) -> Any:
    """Of select_scatter and the like, which give a copy with a part replaced, the view that shows this part; None of other operators."""
    namespace, name = overload._schema.name.split("::")
    if not name.endswith("_scatter"):
        return None
    wanted = [(a.name, str(a.type)) for a in overload._schema.arguments if a.name != "src"]
    try:
        packet = _find(namespace, name.removesuffix("_scatter"))
    except AttributeError:
        return None
    views = (getattr(packet, o) for o in packet.overloads())
    return next((v for v in views if 0 in v._schema._shown and [(a.name, str(a.type)) for a in v._schema.arguments] == wanted), None)


class _Reinplacing:
    """The nodes of a graph by the memory that they show."""

    def __init__(self, gm: GraphModule, sample_args: tuple[Any, ...]):
        self.gm = gm
        run = _Values(gm)
        run.run(*(run.copies.tree(a) for a in sample_args), enable_io_processing=False)
        self.values = run.env
        self.place = {n: i for i, n in enumerate(gm.graph.nodes)}
        self.memory: dict[Node, Node] = {}  # the node that made it
        self.base: dict[Node, Node] = {}  # what a view was taken of
        for node in gm.graph.nodes:
            shown = self._shown_argument(node)
            if shown is not None:
                self.base[node] = shown
            self.memory[node] = self.memory[shown] if shown is not None else node
        self.removed: list[Node] = []

    def _shown_argument(self, node: Node) -> Node | None:
        """The argument whose memory a node shows."""
        overload = _overload(node)
        found = None
        if overload is not None and overload._schema._shown:
            k = min(overload._schema._shown)
            found = node.args[k] if k < len(node.args) else node.kwargs.get(overload._schema.arguments[k].name)
        elif node.op == "call_function" and node.target in (operator.getitem, "operator.getitem"):
            found = node.args[0]
        return found if isinstance(found, Node) else None

    def aliases(self, node: Node) -> set[Node]:
        return {n for n, memory in self.memory.items() if memory is self.memory[node]}

    def later_uses(self, aliases: set[Node], node: Node) -> list[Node]:
        """What reads the memory behind a node, but for views, which count where they are read."""
        found = {u for a in aliases for u in a.users if self.place.get(u, -1) > self.place[node] and u not in aliases}
        return sorted(found, key=self.place.__getitem__)

    def may_be_written(self, node: Node) -> bool:
        """Whether the first argument is memory of the graph itself, of the sizes and dtype of the result, and nothing else of the call shows it."""
        a = node.args[0] if node.args else None
        if not isinstance(a, Node) or self.memory[a].op in ("placeholder", "get_attr"):
            return False
        before, after = _leaves(self.values[a]), _leaves(self.values[node])
        if any(not isinstance(t, Tensor) for t in (*before, *after)) or len(before) != 1:
            return False
        if len(after) == 1 and (before[0].size() != after[0].size() or before[0].dtype != after[0].dtype or _overlaps(before[0])):
            return False
        others = [n for n in node.all_input_nodes if n is not a]
        return sum(x is a for x in node.args) == 1 and (
            _view_of_scatter(node.target) is not None or all(self.memory[n] is not self.memory[a] for n in others)
        )

    def undone(self, uses: list[Node], aliases: set[Node]) -> list[Node]:
        """The scatters among the uses that would put back what a write to an alias has put there already."""
        return [n for n in uses if (view := _view_of_scatter(n.target) if _overload(n) else None) is not None and self._puts_back(n, view, aliases)]

    def _puts_back(self, scatter: Node, view: Any, aliases: set[Node]) -> bool:
        whole = scatter.args[0]
        if whole not in aliases:
            return False
        shown = view(self.values[whole], *scatter.args[2:], **scatter.kwargs)
        return any(n in aliases and _same_place(self.values[n], shown) and _same_place(self.values[b], self.values[whole]) for n, b in self.base.items())

    def visit(self, node: Node) -> None:
        if _overload(node) is None or not self.may_be_written(node):
            return
        a = node.args[0]
        aliases = self.aliases(a)
        uses = self.later_uses(aliases, node)
        undone = self.undone(uses, aliases)
        if len(undone) != len(uses):
            return
        view = _view_of_scatter(node.target)
        if view is not None:
            if node not in self.removed:
                self._write_part(node, view)
        else:
            target = _in_place(node.target)
            if target is None:
                return
            node.target = target
        for old in [node, *undone]:
            self._show(old, old.args[0])
            if old is not node and old not in self.removed:
                self.removed.append(old)

    def _write_part(self, scatter: Node, view: Any) -> None:
        graph = self.gm.graph
        whole, part, *rest = scatter.args
        with graph.inserting_before(scatter):
            shown = stands_for(graph.call_function(view, (whole, *rest), dict(scatter.kwargs)), scatter)
            write = stands_for(graph.call_function(_find("aten", "copy_.default"), (shown, part)), scatter)
        for made in (shown, write):
            self.place[made] = self.place[scatter]
            self.memory[made] = self.memory[whole]
            self.values[made] = self.values[part]
        self.removed.append(scatter)

    def _show(self, old: Node, new: Node) -> None:
        """`old` is the memory of `new` from now on; what read it reads `new`."""
        gone, kept = self.memory[old], self.memory[new]
        for n, memory in self.memory.items():
            if memory is gone:
                self.memory[n] = kept
        for user in list(old.users):
            user.replace_input_with(old, new)


def _overlaps(t: Tensor) -> bool:
    """Whether two elements of a tensor may be one place in memory."""
    reach = 1
    for stride, size in sorted((s, n) for s, n in zip(t.stride(), t.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach = stride * (size - 1) + reach
    return False


def _same_place(a: Any, b: Any) -> bool:
    return (
        isinstance(a, Tensor) and isinstance(b, Tensor) and a.size() == b.size() and a.stride() == b.stride() and a.storage_offset() == b.storage_offset()
    )


def reinplace(gm: GraphModule, *sample_args: Any) -> GraphModule:
    """b = aten.add(a, c) becomes aten.add_(a, c) where nobody reads the memory of `a` afterwards. The graph is changed, and given back.

    It must be functional and call overloads of operators, as make_fx gives it. `a` must be memory of the graph itself: no input, no attribute.
    select_scatter(a, b, ...) becomes a copy into the view select(a, ...), or goes away where a write in place did that already.
    """
    work = _Reinplacing(gm, sample_args)
    for node in list(gm.graph.nodes):
        work.visit(node)
    for node in reversed(work.removed):
        gm.graph.erase_node(node)
    gm.graph.lint()
    gm.recompile()
    return gm
