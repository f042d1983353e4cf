"""Types of a program's result that no graph has: OrderedDict and torch.Size. A file notes them in a line each, among what its program relied on; reading the file in
Python gives them back."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from typing import Any

from . import _C, _tree

_TYPES: dict[str, Any] = {"OrderedDict": OrderedDict, "torch.Size": _C.Size}
_NOTE = re.compile(r"^the result at (\[.*\]) is an? (OrderedDict|torch\.Size)$")
_Types = tuple[str, dict[Any, Any]]  # of a part: the name of its type, or ""; the same of the parts in it, by index or key


def type_notes(spec: _tree.TreeSpec) -> list[str]:
    """The lines for a result of this structure."""
    lines: list[str] = []

    def walk(spec: _tree.TreeSpec, path: list[Any]) -> None:
        if spec.is_leaf():
            return
        context: Any = spec.context
        kind = getattr(context, "kind", spec.type)
        name = next((name for name, known in _TYPES.items() if kind is known), "")
        if name:
            lines.append(f"the result at {json.dumps(path)} is a{'n' if name[0] in 'AEIOU' else ''} {name}")
        keys = context if spec.type in (dict, OrderedDict) and isinstance(context, list) else range(spec.num_children)
        for key, part in zip(keys, spec.children(), strict=True):
            if isinstance(key, (str, int)):
                walk(part, [*path, key])

    walk(spec, [])
    return lines


def noted_types(lines: list[str]) -> _Types | None:
    """What type_notes() noted; None where it noted nothing."""
    found: _Types | None = None
    for line in lines:
        note = _NOTE.match(line)
        if note is None:
            continue
        path, name = json.loads(note[1]), note[2]
        root: list[Any] = ["", {}] if found is None else [*found]
        here = root
        for key in path:
            here = here[1].setdefault(key, ["", {}])
        here[0] = name
        found = (root[0], root[1])
    return found


def with_types(value: Any, types: Any) -> Any:
    """The result with these types."""
    name, parts = types
    if parts and isinstance(value, dict):
        value = {key: with_types(part, parts[key]) if key in parts else part for key, part in value.items()}
    elif parts and isinstance(value, (list, tuple)):
        inner = [with_types(part, parts[k]) if k in parts else part for k, part in enumerate(value)]
        value = inner if isinstance(value, list) else type(value)(*inner) if hasattr(value, "_fields") else tuple(inner)
    return _TYPES[name](value) if name else value
