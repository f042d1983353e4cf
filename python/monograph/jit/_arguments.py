"""The arguments of a call in the order of a graph's inputs."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import textwrap
from typing import Any

from ._source import source_of
from ._wrong_inputs import missing, repeated, unknown


def parameters_of(original: Any) -> dict[str, Any]:
    """The parameters of the function that was compiled, with their defaults; none where only a text is known."""
    return {} if original is None else dict(inspect.signature(original).parameters)


def in_order(
    name: str, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], parameters: dict[str, Any], graph: Any = None
) -> tuple[Any, ...]:
    """The values of all inputs up to the last one that is given; what stands behind it has its default in the graph.

    The defaults of the `graph`, or else those of the Python function's `parameters`, fill what is left out before. TypeError as Python raises it.
    """
    values = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names or key in values:
            free = next((p.name for p in parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD), None)
            empty = f"; what is compiled has nothing in **{free}, so give {key} a parameter of its own" if free and key not in names else ""
            text = f"{name}() got an unexpected or repeated argument {key!r}; it takes {', '.join(names) or 'none'}{empty}"
            raise unknown(name, key, text) if key not in names else repeated(key, text)
        values[key] = value
    given = max((names.index(key) for key in values), default=-1) + 1
    # The graph has no members of Enums as defaults.
    late = [k for k, p in enumerate(parameters.values()) if isinstance(p.default, enum.Enum)]
    given = max(given, *(k + 1 for k in late)) if late else given
    defaults = {k: p.default for k, p in parameters.items()}
    defaults.update((str(n.target), n.args[0]) for n in (graph.nodes if graph is not None else ()) if n.op == "placeholder" and n.args)
    for key in names[:given]:
        if key not in values and defaults.get(key, inspect.Parameter.empty) is inspect.Parameter.empty:
            what = "is missing the argument" if parameters else "is called without the argument"
            raise missing(name, key, f"{name}() {what} {key!r}" + ("" if parameters else ", which comes before one that is given by name"))
    return tuple(values[key] if key in values else defaults[key] for key in names[:given])


def list_lengths(function: Any) -> dict[str, int]:
    """The parameters that are annotated as BroadcastingListN, by their names: N. The annotation itself is None, as in PyTorch, so that the text is asked."""
    try:
        text = source_of(function)[0]
    except (OSError, TypeError, RuntimeError):
        return {}
    if "BroadcastingList" not in text:
        return {}
    found = (node for node in ast.walk(ast.parse(textwrap.dedent(text))) if isinstance(node, ast.FunctionDef))
    arguments = next(found).args
    lengths = {a.arg: re.search(r"\bBroadcastingList([1-9])\[", ast.unparse(a.annotation)) for a in (*arguments.args, *arguments.kwonlyargs) if a.annotation}
    return {name: int(length[1]) for name, length in lengths.items() if length}


def with_lists(names: list[str], args: tuple[Any, ...], lengths: dict[str, int]) -> tuple[Any, ...]:
    """The arguments, where a number for a BroadcastingListN is a list of N."""
    number = (int, float)
    return tuple(
        [value] * lengths[name] if name in lengths and isinstance(value, number) else value for name, value in zip(names, args, strict=False)
    ) + args[len(names) :]
