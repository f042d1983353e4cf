"""An operator's schema as Python sees it: the names, types and defaults of its arguments. help(), editors and tools/stubs.py show them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import NamedTuple

TYPES = {
    "Tensor": "Tensor", "int": "int", "SymInt": "int", "float": "float", "bool": "bool", "str": "str", "Scalar": "Number", "ScalarType": "dtype",
    "Device": "device | str", "Layout": "layout", "MemoryFormat": "memory_format", "Generator": "Generator",
}  # fmt: skip


def split(text: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


def python_type(text: str, result: bool = False) -> str:
    optional = text.endswith("?")
    text = text.removesuffix("?")
    if listed := re.fullmatch(r"(.+)\[(\d*)\]", text):
        element = python_type(listed[1])
        sequence = f"tuple[{element}, ...]" if result else f"Sequence[{element}]"
        kind = f"{element} | {sequence}" if listed[2] and not result else sequence
    else:
        kind = TYPES.get(text, "Any")
    return kind + (" | None" if optional else "")


def python_default(text: str) -> str:
    """What the schema has behind `=`, as Python writes it; "..." where Python has no literal for it."""
    if re.fullmatch(r"None|True|False|-?[\d.]+(e[+-]?\d+)?|'[^'\\]*'|\"[^\"\\]*\"", text):
        return text
    if listed := re.fullmatch(r"\[([-\d, ]*)\]", text):
        numbers = split(listed[1])
        return f"({', '.join(numbers)}{',' if len(numbers) == 1 else ''})"
    return "1" if text == "Mean" else "..."  # reduction, a number in Python


class ParameterText(NamedTuple):
    name: str
    type: str
    default: str  # "": it must be given
    keyword_only: bool
    schema_type: str  # "int[1]?"

    def __str__(self) -> str:
        return f"{self.name}: {self.type}{f' = {self.default}' if self.default else ''}"


class Form:
    """One overload of a function, or of a method, whose first argument is the tensor itself."""

    def __init__(self, schema: str, method: bool = False, self_name: str = "input") -> None:
        name, _, rest = schema.partition("(")  # apart first: an overload may be named Tensor
        rest = re.sub(r"\bTensor\([^)]*\)", "Tensor", rest)  # alias marks
        arguments, _, returns = rest.rpartition(" -> ")
        self.name = name.split("::")[-1].split(".")[0]
        self.method, self.result = method, returns
        self.words = ""  # what its record says
        parts = split(arguments.removesuffix(")"))
        self.parameters: list[ParameterText] = []
        for k, part in enumerate(parts):
            if part == "*" or (method and k == 0):
                continue
            kind, _, rest = part.partition(" ")
            own, _, default = rest.partition("=")
            own = self_name if own == "self" else own + "_" if keyword.iskeyword(own) else own
            self.parameters.append(ParameterText(own, python_type(kind), python_default(default) if default else "", "*" in parts[:k], kind))

    @property
    def returns(self) -> str:
        parts = split(self.result[1:-1]) if self.result.startswith("(") else [self.result]
        if not parts:
            return "None"
        kinds = [python_type(p.split(" ")[0], result=True) for p in parts]
        return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"

    @property
    def positional(self) -> list[ParameterText]:
        return [p for p in self.parameters if not p.keyword_only]

    @property
    def takes_loose_numbers(self) -> bool:
        """x.view(2, 3) for x.view((2, 3))."""
        return bool(self.positional) and re.fullmatch(r"(Sym)?[iI]nt\[\]", self.positional[-1].schema_type) is not None

    def _text(self, positional: list[str], keywords: list[str], star: bool) -> str:
        own = ["self"] if self.method else []
        return f"({', '.join([*own, *positional, *(['*'] if keywords and star else []), *keywords])}) -> {self.returns}"

    def texts(self) -> Iterator[str]:
        """The ways to write it, without the name."""
        positional, keywords = [str(p) for p in self.positional], [str(p) for p in self.parameters if p.keyword_only]
        yield self._text(positional, keywords, star=True)
        if self.takes_loose_numbers:
            yield self._text([*positional[:-1], f"*{self.positional[-1].name}: int"], keywords, star=False)
