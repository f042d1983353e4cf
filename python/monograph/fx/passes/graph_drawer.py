"""torch.fx.passes.graph_drawer: a graph as DOT, and as a picture where Graphviz is installed.

    dot = FxGraphDrawer(gm, "net").get_dot_graph()
    dot.write_svg("net.svg")
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from typing import Any

from ... import _C
from ...nn import Module, Parameter
from .._attributes import fetch
from .._names import qualified_name, spelled_as_torch
from ..graph_module import GraphModule
from ..node import Node, _format_arg
from ._nodes import inputs_of
from .shape_prop import TensorMetadata

__all__ = ["FxGraphDrawer"]

_COLORS = {"placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_param": "Yellow2", "get_attr": "LightGrey", "output": "PowderBlue"}
# For functions and methods, by their names.
_TARGET_COLORS = """CadetBlue1 Coral DarkOliveGreen1 DarkSeaGreen1 GhostWhite Khaki1 LavenderBlush1 LightSkyBlue MistyRose1 MistyRose2
PaleTurquoise2 PeachPuff1 Salmon Thistle1 Thistle3 Wheat1""".split()
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|-?\d+")


def _quoted(text: str) -> str:
    """A name or value as DOT writes it."""
    if _PLAIN_NAME.fullmatch(text) or (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    return '"' + text.replace('"', '\\"').replace("\n", "\\n") + '"'


class Dot:
    """A graph in the DOT language, with the methods of pydot.Dot that draw it."""

    def __init__(self, name: str):
        self.name = name
        self.prog = "dot"
        self._lines = ["rankdir=TB;"]

    def add_node(self, name: str, **attributes: str) -> None:
        listed = ", ".join(f"{k}={_quoted(v)}" for k, v in attributes.items())
        self._lines.append(f"{_quoted(name)} [{listed}];")

    def add_edge(self, source: str, to: str, **attributes: str) -> None:
        listed = ", ".join(f"{k}={_quoted(v)}" for k, v in attributes.items())
        self._lines.append(f"{_quoted(source)} -> {_quoted(to)}" + (f" [{listed}];" if listed else ";"))

    def begin_cluster(self, name: str, label: str) -> None:
        self._lines.append(f"subgraph {_quoted('cluster_' + name)} {{\nlabel={_quoted(label)};")

    def end_cluster(self) -> None:
        self._lines.append("}")

    def to_string(self) -> str:
        return f"digraph {_quoted(self.name)} {{\n" + "\n".join(self._lines) + "\n}\n"

    __str__ = to_string

    def create(self, prog: str | None = None, format: str = "ps") -> bytes:
        """The picture, made by Graphviz: format "svg", "png", "pdf" and others."""
        program = shutil.which(prog or self.prog)
        if program is None:
            raise FileNotFoundError(
                f"a picture of {self.name} needs the program `{prog or self.prog}` of Graphviz; install it (apt-get install graphviz, brew install graphviz), "
                'or write the text, write("graph.dot"), and draw it elsewhere'
            )
        done = subprocess.run([program, f"-T{format}"], input=self.to_string().encode(), capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{program} failed on {self.name}: {done.stderr.decode().strip()}")
        return done.stdout

    def write(self, path: str | os.PathLike[str], prog: str | None = None, format: str = "raw", encoding: str | None = None) -> bool:
        """Writes a file: the text (format "raw"), or a picture."""
        data = self.to_string().encode(encoding or "utf-8") if format == "raw" else self.create(prog, format)
        with open(path, "wb") as file:
            file.write(data)
        return True

    def __getattr__(self, name: str) -> Any:
        """write_svg(path), create_png() and so on."""
        verb, _, format = name.partition("_")
        if verb == "write" and format:
            return lambda path, prog=None: self.write(path, prog, format)
        if verb == "create" and format:
            return lambda prog=None: self.create(prog, format)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class FxGraphDrawer:
    """The graph of a GraphModule, and of the GraphModules that it calls, as DOT.

    ignore_getattr: without get_attr nodes. ignore_parameters_and_buffers: without those of layers. skip_node_names_in_args: arguments that are nodes are
    not written, since edges show them. parse_stack_trace: with the line of the program. dot_graph_shape: the shape of a node. normalize_args: arguments
    of functions by their names. An If or Loop is drawn with its blocks in frames.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ):
        self._name = name
        self.dot_graph_shape = "record" if dot_graph_shape is None else dot_graph_shape
        self.normalize_args = normalize_args
        options = ignore_getattr, ignore_parameters_and_buffers, skip_node_names_in_args, parse_stack_trace
        self._dot_graphs = {name: self._to_dot(graph_module, name, *options)}
        for node in graph_module.graph.nodes:
            called = self._get_leaf_node(graph_module, node) if node.op == "call_module" else None
            if isinstance(called, GraphModule):
                inner = f"{name}_{node.target}"
                self._dot_graphs[inner] = self._to_dot(called, inner, *options)

    def get_dot_graph(self, submod_name: str | None = None) -> Dot:
        """The graph, or that of a GraphModule that it calls."""
        return self.get_main_dot_graph() if submod_name is None else self.get_submod_dot_graph(submod_name)

    def get_main_dot_graph(self) -> Dot:
        return self._dot_graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Dot:
        return self._dot_graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Dot]:
        return self._dot_graphs

    # What users override --------------------------------------------------------------------------------------------------------------
    def _get_node_style(self, node: Node) -> dict[str, str]:
        color = _COLORS.get(node.op)
        if color is None:  # the same for the same target, whichever graph it stands in
            digest = hashlib.md5(self._typename(node.target).encode(), usedforsecurity=False).hexdigest()
            color = _TARGET_COLORS[int(digest[:8], 16) % len(_TARGET_COLORS)]
        return {"shape": self.dot_graph_shape, "fillcolor": color, "style": '"filled,rounded"', "fontcolor": "#000000"}

    def _get_leaf_node(self, module: Module, node: Node) -> Any:
        return fetch(module, node.target)

    def _typename(self, target: Any) -> str:
        if isinstance(target, Module):
            found = f"{spelled_as_torch(type(target).__module__)}.{type(target).__qualname__}"
        else:
            found = target if isinstance(target, str) else qualified_name(target).removeprefix("_")
        return _escaped(found)

    def _get_node_label(self, module: GraphModule, node: Node, skip_node_names_in_args: bool, parse_stack_trace: bool) -> str:
        label = "{" + f"name=%{node.name}|op_code={node.op}\n"
        if node.op == "call_module":
            called = self._get_leaf_node(module, node)
            listed = [f"{c}: {getattr(called, c)}" for c in getattr(called, "__constants__", ())]
            label += rf"\n{self._typename(called)}\n|" + _escaped(r"\n".join(listed)) + r"\n"
        else:
            label += f"|target={self._typename(node.target)}" + r"\n"
            args, kwargs = self._arguments(node)
            label += self._written(args, skip_node_names_in_args) + self._written(kwargs, skip_node_names_in_args)
            label += f"|num_users={len(node.users)}" + r"\n"
        label += self._tensor_meta_to_label(node.meta.get("tensor_meta"))
        place = (node.stack_trace or node.span) if parse_stack_trace else None
        if place:
            label += "|file=" + _escaped("/".join(str(place).splitlines()[-1].split("/")[-2:])) + r"\n"
        return label + "}"

    def _arguments(self, node: Node) -> tuple[Any, Any]:
        if self.normalize_args and node.op == "call_function" and node.graph.owning_module is not None:
            try:
                found = node.normalized_arguments(node.graph.owning_module, normalize_to_only_use_kwargs=True)
            except (RuntimeError, TypeError):  # of overloads that only types tell apart
                found = None
            if found is not None:
                return found
        return node.args, node.kwargs

    def _written(self, arguments: Any, skip_nodes: bool) -> str:
        if isinstance(arguments, dict):
            begin, end = r"|kwargs={\l", r",\n}\l"
            texts = [f"{k}: {_format_arg(v, max_list_len=8)}" for k, v in arguments.items()]
        else:
            begin, end = r"|args=(\l", r",\n)\l"
            texts = [_format_arg(a, max_list_len=8) for a in arguments]
        texts = [t for t in texts if not skip_nodes or "%" not in t]
        if not texts:
            return ""
        text = begin + r",\n".join(texts) + end
        if len(texts) == 1:
            text = text.replace(r"\l", "").replace(r"\n", "")
        return "|" + _escaped(text[1:])

    def _tensor_meta_to_label(self, tm: Any) -> str:
        if isinstance(tm, TensorMetadata):
            return self._stringify_tensor_meta(tm)
        if isinstance(tm, (list, tuple, dict)):
            return "".join(map(self._tensor_meta_to_label, tm.values() if isinstance(tm, dict) else tm))
        return ""

    def _stringify_tensor_meta(self, tm: TensorMetadata) -> str:
        shown = {"dtype": tm.dtype, "shape": tuple(tm.shape), "requires_grad": tm.requires_grad, "stride": tm.stride}
        return "".join(f"|{name}={value}" + r"\n" for name, value in shown.items())

    def _get_tensor_label(self, t: Any) -> str:
        return f"{t.dtype}{list(t.shape)}" + r"\n"

    # The text -------------------------------------------------------------------------------------------------------------------------
    def _to_dot(
        self, graph_module: GraphModule, name: str, ignore_getattr: bool, ignore_parameters_and_buffers: bool, skip_node_names_in_args: bool,
        parse_stack_trace: bool,
    ) -> Dot:  # fmt: skip
        dot = Dot(name)
        edges: list[tuple[str, str]] = []

        def draw(node: Node) -> None:
            if ignore_getattr and node.op == "get_attr":
                return
            label = self._get_node_label(graph_module, node, skip_node_names_in_args, parse_stack_trace)
            dot.add_node(node.name, label=label, **self._get_node_style(node))
            for k, (placeholders, nodes, results) in enumerate(_C._blocks(node)):
                kinds = ("body",) if len(_C._blocks(node)) == 1 else ("then", "else")
                dot.begin_cluster(f"{node.name}_{k}", f"{node.name}: {kinds[k]}")
                for inner in (*placeholders, *nodes):
                    draw(inner)
                dot.end_cluster()
                edges.extend((r.name, node.name) for r in results if isinstance(r, Node))
            edges.extend((used.name, node.name) for used in (inputs_of(node) if not _C._blocks(node) else node.all_input_nodes))
            called = self._get_leaf_node(graph_module, node) if node.op == "call_module" else None
            if called is not None and not ignore_parameters_and_buffers and not isinstance(called, GraphModule):
                self._draw_tensors(dot, node, called)

        for node in graph_module.graph.nodes:
            draw(node)
        hidden = {n.name for n in graph_module.graph.nodes(recursive=True) if ignore_getattr and n.op == "get_attr"}
        for source, to in edges:
            if source not in hidden:
                dot.add_edge(source, to)
        return dot

    def _draw_tensors(self, dot: Dot, node: Node, module: Module) -> None:
        for path, t in (*module.named_parameters(), *module.named_buffers()):
            kind = "parameter" if isinstance(t, Parameter) else "buffer"
            label = "{" + f"{node.name}.{path}|op_code=get_{kind}" + r"\l" + self._get_tensor_label(t) + "}"
            dot.add_node(
                f"{node.name}.{path}", label=label, fillcolor="Salmon", style='"filled,rounded"', fontcolor="#000000", shape=self.dot_graph_shape
            )
            dot.add_edge(f"{node.name}.{path}", node.name)


def _escaped(text: str) -> str:
    """A text inside of a label of the shape "record", where { } | < > mean something."""
    return re.sub(r"([{}|<>])", r"\\\1", text)
