"""torch.fx.CodeGen: how a graph becomes Python text, and what that text names.

Derive from CodeGen to write another head or return line, and give the object to graph.set_codegen.
"""

from __future__ import annotations

import enum
import inspect
import io
import re
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _C
from .._package import package
from ..utils import _pytree as pytree
from . import _pytree as fx_pytree
from ._annotations import Annotations
from ._colors import colored_value
from ._readable import in_color, in_dim_color, with_comments, with_records
from .node import type_text

if TYPE_CHECKING:
    from .graph import Graph
    from .node import Node

LEAVES = "__fx_leaves__"  # in the globals of generated code: the names of functions that torch.fx.wrap made leaves
# What each code names: these, and "torch".
BUILTIN_NAMES: dict[str, Any] = {
    "device": _C.device,
    "inf": float("inf"),
    "nan": float("nan"),
    "NoneType": type(None),
    "fx_pytree": fx_pytree,
    "pytree": pytree,
}
# The lines that import what packages have added to these (_graph_names.py), by name.
ADDED_IMPORTS: dict[str, str] = {}
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


def unsuited_target(node: Node) -> str:
    """What lint and recompile say of a node whose target does not suit its op: a text for call_function, or a function for the other ops."""
    made = f"\n  {node} was made at {node.span}" if node.span else ""
    expected, way_out = ("a Callable", "call_method") if node.op == "call_function" else ("a str", "call_function")
    return (
        f"Node {node} target {node.target!r} has type {type(node.target).__name__} but {expected} is expected, since its op is {node.op}{made}\n"
        f"Set node.target to {expected}, or node.op to {way_out!r}"
    )


def names_of(graph: Graph) -> tuple[dict[str, Any] | None, dict[str, str], list[str]]:
    """What the code names beside builtins, None where no names can tell its functions apart; the annotations of its nodes by their names; and the names
    of the functions that torch.fx.wrap made leaves."""
    names: dict[str, Any] = {"torch": package(), **BUILTIN_NAMES}
    clear, annotated, wrapped, unsuited, named = _C._code_names(graph, names)
    if unsuited:
        raise ValueError(unsuited_target(unsuited[0]))
    if named:  # of a script, or from a file
        from ._lowering import meaning_of_name

        names.update({key: function for key, name in named.items() if (function := meaning_of_name(name)) is not None})
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


def python_code(
    graph: Graph,
    expanded_def: bool = False,
    types: dict[str, str] | None = None,
    comment_of: Callable[[Node], str] | None = None,
    colored: bool = False,
    record_func: bool = False,
) -> tuple[str, dict[str, Any] | None]:
    """The text of the graph's function and what it names; None for the names where two functions have one.

    types: what is known of values, by the names of nodes, which stands in the place of their annotations. comment_of: a comment for a node.
    colored: in the colors of a terminal. record_func: with regions of the profiler around calls.
    """
    names, annotations, wrapped = names_of(graph)
    if types:
        annotations |= {name: f': "{text}"' for name, text in types.items()}
    text = _C._python_code(graph, annotations)
    if colored:
        text = in_color(graph, text)
        comment_of = in_dim_color(comment_of) if comment_of is not None else None
    if comment_of is not None:
        text = with_comments(graph, text, comment_of)
    if record_func:
        text = with_records(graph, text)
    codegen = graph._codegen
    if is_default(codegen) and not expanded_def and not colored:
        return _with_wraps(text, wrapped), names
    if names is not None:
        names.update(codegen.additional_globals())
    shown = colored_value if colored else repr
    free = [_parameter(n, annotations, shown) for n in graph.nodes if n.op == "placeholder"]
    return _with_wraps(_rewritten(graph, codegen, text, free, expanded_def), wrapped), names


def _default_value(value: Any, shown: Callable[[Any], str]) -> str:
    return re.sub(r"\W", "_", _C._qualified_name(value)) if isinstance(value, enum.Enum) else shown(value)  # the name that the code has for a member


def _parameter(node: Any, annotations: dict[str, str], shown: Callable[[Any], str]) -> str:
    note = annotations.get(node.name, "")
    return f"{node.target}{note if note[:1] in ('', ':') else ' : ' + note}" + (f" = {_default_value(node.args[0], shown)}" if node.args else "")


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
        returned, text_of_returned = output.args[0], lines[-1].strip().removeprefix("return ")
        shown: dict[str, Any] = {"repr_fn": lambda a: text_of_returned if a is returned else repr(a)}
        takes_repr = "repr_fn" in inspect.signature(codegen.generate_output).parameters
        lines[-1] = codegen.generate_output(returned, **(shown if takes_repr else {})) + "\n"
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
