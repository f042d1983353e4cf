"""torch.fx.CodeGen: how a graph becomes Python text, and what that text names.

Derive from CodeGen to write another head or return line, and give the object to graph.set_codegen.
"""

from __future__ import annotations

import io
import linecache
import re
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _C
from .._package import package
from . import _pytree
from ._annotations import Annotations
from ._inputs import bound_inputs, in_spec
from .node import type_text

if TYPE_CHECKING:
    from .graph import Graph

LEAVES = "__fx_leaves__"  # in the globals of generated code: the names of functions that torch.fx.wrap made leaves
TransformCodeFunc = Callable[[list[str]], list[str]]


@dataclass
class PythonCode:
    """The text of a graph's function, and what the names in it are."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = field(default=None)
    _prologue_start: int = 0


class CodeGen:
    """Writes a graph as `def forward(self, ...)`."""

    def __init__(self) -> None:
        self._body_transformer: TransformCodeFunc | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """The first line: free_vars are the parameters as text, with types and defaults. expanded_def: each on a line of its own."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if not expanded_def:
            return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"
        lines = "".join(f"    {name},\n" for name in free_vars)
        return f"def {self._func_name}(\n{lines}){maybe_return_annotation}:"

    def generate_output(
        self, output_args: Any, *, descs: Sequence[str] | None = None, repr_fn: Callable[[Any], str] | None = None
    ) -> str:
        """The return line. output_args holds the nodes that are returned; their repr() is their name. descs: a comment for each."""
        shown = repr_fn or repr
        if descs is None or not isinstance(output_args, (list, tuple)):
            return f"return {shown(output_args)}"
        left, right = ("(", ")") if isinstance(output_args, tuple) else ("[", "]")
        lines = "".join(f"    {shown(a)},  # {told}\n" for a, told in zip(output_args, descs, strict=False))
        return f"return {left}\n{lines}{right}"

    def process_inputs(self, *args: Any) -> Any:
        """The inputs of the graph, of the arguments of the function."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The results of the function, of those of the graph."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """What the text of a derived class names beside the rest: (name, value)."""
        return []


def is_default(codegen: CodeGen) -> bool:
    """Whether it writes what the printer in C++ writes."""
    return type(codegen) is CodeGen and codegen._body_transformer is None and codegen._func_name == "forward"


def names_of(graph: Graph) -> tuple[dict[str, Any] | None, dict[str, str], list[str]]:
    """What the code names beside builtins, None where no names can tell its functions apart; the annotations of its nodes by their names; and the names
    of the functions that torch.fx.wrap made leaves."""
    names: dict[str, Any] = {
        "torch": package(),
        "device": _C.device,
        "inf": float("inf"),
        "nan": float("nan"),
        "NoneType": type(None),
    }

    clear, annotated, wrapped = _C._code_names(graph, names)
    writer = Annotations(names)
    annotations = {node.name: writer.text(node.type) for node in annotated}
    return names if clear else None, annotations, list(dict.fromkeys(wrapped))


def _with_wraps(text: str, wrapped: list[str]) -> str:
    """The text with the lines that make functions leaves for those who trace it again, as torch.fx writes them."""
    lines = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in wrapped)
    return f"\n{lines}\n\n{text.lstrip()}" if wrapped else text


def with_annotations(graph: Graph, text: str) -> str:
    """str(graph) with the annotations of its nodes, which Python alone knows."""
    annotated = {f"%{node.name}": type_text(node.type) for node in _C._code_names(graph, {})[1]}
    if not annotated:
        return text
    lines = text.split("\n")
    for k, line in enumerate(lines):
        name, colon, rest = line.partition(" : ")
        kind = annotated.get(name.lstrip()) if colon else None
        if kind is not None:
            lines[k] = f"{name} : {kind} {rest[rest.index('[num_users=') :]}"
    return "\n".join(lines)


def without_wraps(text: str) -> tuple[str, list[str]]:
    """The text without these lines, which are left empty, and the names in them."""
    line = re.compile(r'^torch\.fx\._symbolic_trace\.wrap\("(\w+)"\)$', re.MULTILINE)
    return line.sub("", text), line.findall(text)


def python_code(graph: Graph, expanded_def: bool = False) -> tuple[str, dict[str, Any] | None]:
    """The text of the graph's function and what it names; None for the names where two functions have one."""
    names, annotations, wrapped = names_of(graph)
    parameters, bindings = bound_inputs(graph, annotations) or ("", "")
    if names is not None and bindings and in_spec(graph) is not None:
        names["fx_pytree"] = _pytree
    text = _C._python_code(graph, annotations, parameters, bindings)
    codegen = graph._codegen
    if is_default(codegen) and not expanded_def:
        return _with_wraps(text, wrapped), names
    if names is not None:
        names.update(codegen.additional_globals())
    free = [parameters] if parameters else [_parameter(n, annotations) for n in graph.nodes if n.op == "placeholder"]
    return _with_wraps(_rewritten(graph, codegen, text, free, expanded_def), wrapped), names


def _parameter(node: Any, annotations: dict[str, str]) -> str:
    note = f" : {annotations[node.name]}" if node.name in annotations else ""
    return f"{node.target}{note}" + (f" = {node.args[0]!r}" if node.args else "")


def _rewritten(graph: Graph, codegen: CodeGen, text: str, free_vars: list[str], expanded_def: bool) -> str:
    """The text as another CodeGen writes it."""
    head, first, body = re.fullmatch(r"(\s*)(def forward\(.*\)(?: -> .*)?:)\n(.*?)\s*", text, re.DOTALL).groups()  # type: ignore[union-attr]
    if "\n" in first:
        first, _, rest = first.partition(":\n")
        body = f"{rest}:\n{body}"
    result = first.rpartition(") -> ")[2].removesuffix(":") if ") -> " in first else ""
    lines = [line.removeprefix("    ") + "\n" for line in body.split("\n")]
    output = graph._output
    if output is not None and type(codegen).generate_output is not CodeGen.generate_output:
        lines[-1] = codegen.generate_output(output.args[0]) + "\n"
    if codegen._body_transformer is not None:
        lines = codegen._body_transformer(lines)
    begin = codegen.gen_fn_def(list(free_vars), f" -> {result}" if result else "", **({"expanded_def": True} if expanded_def else {}))
    indented = "\n".join("    " + line for line in "".join(lines).split("\n"))
    return f"{head}{begin}\n{indented}"


def renamed(text: str, root: str) -> str:
    """The text with another name for the module than self."""
    if root == "self":
        return text
    lines = text.splitlines(keepends=True)
    found = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.NAME and t.string == "self"]
    for token in reversed(found[1:]):  # the first is the parameter
        line, column = token.start
        lines[line - 1] = lines[line - 1][:column] + root + lines[line - 1][column + 4 :]
    return "".join(lines)


def with_places(graph: Graph, text: str) -> str:
    """The text with the lines of the program that the nodes come from as comments."""
    spans = {node.name: node.span for node in graph.nodes(recursive=True) if node.span}
    lines, last = [], None
    for line in text.split("\n"):
        name = line.partition("=")[0].strip()
        span = spans.get(name)
        if span and span != last:
            file, _, number = span.rpartition(":")
            source = linecache.getline(file, int(number)).strip() if number.isdigit() else ""
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}# File: {span}" + (f", code: {source}" if source else ""))
            last = span
        lines.append(line)
    return "\n".join(lines)


def _type_text(value: Any, strides: bool, devices: bool) -> str:
    """f32[2, 3] of a tensor or of what ShapeProp noted of one, with [3, 1] and cpu behind it if asked for; "" of anything else."""
    dtype = getattr(value, "dtype", None)
    parts = re.fullmatch(r"([a-z]+)(\d*)(.*)", str(dtype).rpartition(".")[2])
    if not isinstance(dtype, _C.dtype) or parts is None:
        return ""
    letters = "bf" if parts[1] == "bfloat" else parts[1][0]  # bf16, f32, i64, b8
    text = f"{letters}{parts[2] or 8}{parts[3]}{list(value.shape)}"
    if strides:
        text += str(list(value.stride() if callable(value.stride) else value.stride))
    return text + (str(value.device) if devices and hasattr(value, "device") else "")


def with_types(graph: Graph, text: str, strides: bool, devices: bool) -> str:
    """The text with what is known of the nodes' values, in node.meta, as annotations of their names."""
    known = {n.name: _type_text(n.meta.get("val", n.meta.get("tensor_meta")), strides, devices) for n in graph.nodes(recursive=True)}
    known = {name: kind for name, kind in known.items() if kind}
    if not known:
        return text
    inputs = {n.name for n in graph.nodes if n.op == "placeholder"}
    lines = []
    for line in text.split("\n"):
        if line.startswith("def "):
            head, opening, rest = line.partition("(")
            line = head + opening + re.sub(r"(?<![\w*])(\w+)(?=, |\)| = )", lambda m: m[1] + _annotated(m[1], known if m[1] in inputs else {}), rest)
        else:
            line = re.sub(r"^( *)(\w+)(?= = )", lambda m: m[0] + _annotated(m[2], known), line)
        lines.append(line)
    return "\n".join(lines)


def _annotated(name: str, known: dict[str, str]) -> str:
    return f': "{known[name]}"' if name in known else ""
