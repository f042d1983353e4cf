"""monograph.view: a graph as one page of HTML."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

from .. import _C

if TYPE_CHECKING:
    from .graph import Graph


class GraphPage:
    """The page of a graph. `html` is its text, `save(path)` writes it; a notebook shows it."""

    def __init__(self, text: str):
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page. The file appears whole or not at all."""
        _C._write_text(path, self.html)

    def _repr_html_(self) -> str:
        """In a frame of its own, which no style or script of the notebook reaches, and which reaches nothing of the notebook."""
        return f'<iframe sandbox="allow-scripts" style="width: 100%; height: 560px; border: 0" srcdoc="{html.escape(self.html)}"></iframe>'


def view(graph: Any, after: Any = None, path: str | os.PathLike[str] | None = None) -> GraphPage | None:
    """Shows a graph as one page of HTML, which needs no network. With `after`, the same graph after a pass: the page marks what was removed, added and changed.

    graph, after: a Graph, or what has one: a GraphModule, a traced function or module, what torch.capture gives.
    path: the file to write. Without it, the page is returned; a notebook shows it.

    Example:
        page = torch.view(torch.fx.symbolic_trace(net))
        page.save("net.html")
    """
    sides = [_graph(graph, "graph")] + ([] if after is None else [_graph(after, "after")])
    titles = [_title(g) for g in sides]
    described = [(_shown(g), title, _modules(g), _types(g)) for g, title in zip(sides, titles)]
    before = described[0] if after is not None else None
    title = titles[0] if len(set(titles)) == 1 else " \N{RIGHTWARDS ARROW} ".join(titles)
    page = GraphPage(_C._view_page(title, before, described[-1]))
    if path is None:
        return page
    page.save(path)
    return None


def _graph(value: Any, argument: str) -> Graph:
    if isinstance(value, (str, os.PathLike)):
        raise TypeError(
            f"view expects a graph as {argument}, but got the text {os.fspath(value)!r}. To write a page, name the path: view(graph, path={os.fspath(value)!r}). "
            "To view a graph file, load it: view(torch.load_graph(file))"
        )
    return graph_in(value, f"view expects a Graph, or an object that has one, as {argument}")


def graph_in(value: Any, expectation: str) -> Graph:
    """The graph of a GraphModule, a traced function and the like."""
    found: Any = value if isinstance(value, _C.GraphBase) else getattr(value, "graph", None)
    if not isinstance(found, _C.GraphBase):
        raise TypeError(
            f"{expectation}, but got {type(value).__name__}. Capture it first: torch.fx.symbolic_trace or torch.jit.trace"
        )
    graph: Graph = found  # type: ignore[assignment]
    return graph


def _shown(graph: Graph) -> Graph:
    """Of a trace the flat graph, whose nodes say from which module they come; the graph of a trace itself calls methods."""
    return graph._operators() if getattr(graph, "_inlined", None) is not None else graph


def _title(graph: Graph) -> str:
    owner = graph.owning_module
    return "graph" if owner is None else type(owner).__name__


def _modules(graph: Graph) -> dict[str, tuple[str, str, int, int]]:
    """Class, arguments, and the number of elements and bytes of parameters and buffers, by path."""
    owner = graph.owning_module
    if owner is None:
        return {}
    found = {}
    for path, module in owner.named_modules():
        tensors = {id(t): t for t in (*module.parameters(), *module.buffers())}.values()
        name = f"{type(module).__module__}.{type(module).__qualname__}"
        elements = sum(t.numel() for t in tensors)
        found[path] = (name, module.extra_repr(), elements, sum(t.numel() * t.element_size() for t in tensors))
    return found


def _types(graph: Graph) -> dict[str, str]:
    """What ShapeProp or FakeTensorProp noted about the values of nodes."""
    found = {}
    for node in graph.nodes(recursive=True):
        noted = node.meta.get("tensor_meta", node.meta.get("val"))
        if hasattr(noted, "shape") and hasattr(noted, "dtype"):
            found[node.name] = f"{str(noted.dtype).removeprefix('torch.')}[{', '.join(map(str, noted.shape))}]"
    return found
