"""One meaning per name: a type under src and python/bindings has a name that no other type has.

Counted are classes, structs, unions, enums and aliases that stand in a namespace, unnamed ones too: what is hidden from the compiler is not hidden from a reader.
A type inside of a class has the class's name before its own (`KernelArg::Kind`); it may only not be called as one that a header declares. Free are:
- declarations, specializations, and definitions of a type declared in a class (`struct Recorder::Table`);
- an alias of a type of that name (`using Kind = SymExpr::Kind`), and types inside of functions.

In the Python package, a class of a module has a name that no class of another module has.

SEVERAL and SEVERAL_IN_PYTHON list names that stand for one thing in two places, or that PyTorch has twice, with the reason. An entry that is found no more must go."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "python/bindings")

# Comments, texts and the preprocessor's lines say nothing of types.
SILENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
    re.DOTALL | re.MULTILINE,
)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|[^\s\w]|\d[\w']*")
# The name, and what makes it no definition of a new one: a class that it was declared in, or the arguments of a specialization.
CLASS = re.compile(
    r"^(?:template < .* > )?(?:struct|class|union|enum(?: class)?)(?: alignas \( .*? \)| \[ \[ .*? \] \])*(?: (\w+))?((?: :: \w+| < .* >)*)(?: final)?(?: : .*)?$"
)
NAMESPACE = re.compile(r"^(?:inline )?namespace\b|^extern\s*$")
# What may stand before a definition without a semicolon: access specifiers, and macros.
BEFORE = re.compile(r"^(?:(?:public|private|protected) : |MONOGRAPH_\w+ \( .* \) (?=(?:template|struct|class|union|enum|using)\b))+")
ALIAS = re.compile(r"^(?:template < .* > )?using (\w+) = (.*)$")

# The same thing, declared for two readers.
SEVERAL: dict[str, str] = {
    "FloatMode": "one for each kind of processor",
}


PYTORCH = "PyTorch has both"
SEVERAL_IN_PYTHON: dict[str, str] = {
    **dict.fromkeys(("Attribute", "Event", "GradScaler", "Identity", "Partition", "PassManager", "Stream", "StreamContext", "Transformer", "_Namespace", "autocast", "profile"), PYTORCH),
    "CarriedList": "the machine knows such a list by this name, whichever capture made it",
}


class Type(NamedTuple):
    name: str
    file: str
    line: int
    owner: str  # the class around it; "" in a namespace


def types_of(text: str, file: str) -> Iterator[Type]:
    """The types that a source defines in namespaces and in classes."""
    text = SILENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    around: list[str] = []  # what each open brace is of: "namespace", "class NAME", or "": code
    head: list[str] = []  # since the last ; { or }
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        token = match[0]
        line += text.count("\n", at, match.start())
        at = match.start()
        if token not in "{};":
            head.append(token)
            continue
        words = BEFORE.sub("", " ".join(head))
        counts = "" not in around
        owner = next((brace[6:] for brace in reversed(around) if brace.startswith("class ")), "")
        if token == "{":
            defined = CLASS.match(words)
            if defined and defined[1] and not defined[2] and counts:
                yield Type(defined[1], file, line, owner)
            around.append("namespace" if NAMESPACE.match(words) else f"class {defined[1]}" if defined else "")
        elif token == "}":
            del around[-1:]
        elif counts and (alias := ALIAS.match(words)) and not re.search(rf"(?:^|:: ){alias[1]}$", alias[2]):
            yield Type(alias[1], file, line, owner)
        head = []


def problems(root: Path, several: dict[str, str]) -> list[str]:
    found: dict[str, list[Type]] = {}
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.[ch]*")):
            for one in types_of(file.read_text(), file.relative_to(root).as_posix()):
                found.setdefault(one.name, []).append(one)
    out, used = [], set()
    for name, types in sorted(found.items()):
        free = [t for t in types if not t.owner]
        if any(t.file.endswith(".h") for t in free):
            free += [t for t in types if t.owner]
        if len(free) < 2:
            continue
        if name in several:
            used.add(name)
            continue
        places = ", ".join(f"{t.file}:{t.line}" for t in free)
        out.append(f"{name} names {len(free)} types ({places}); give each the name of what it holds, or make them one type")
    out += [f"tools/check_type_names.py lists {name!r}, which names one type: take it out" for name in several if name not in used]
    return out


def classes(root: Path) -> dict[str, list[str]]:
    """The modules of the Python package that define a class of each name, without those inside of functions and classes."""
    found: dict[str, list[str]] = {}
    for file in sorted((root / "python" / "monograph").rglob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(f"{file.relative_to(root).as_posix()}:{node.lineno}")
    return found


def problems_in_python(root: Path, several: dict[str, str]) -> list[str]:
    twice = {name: at for name, at in classes(root).items() if len(at) > 1}
    out = [f"{at[1]}: {name} is a class at {at[0]} too; give it another name" for name, at in twice.items() if name not in several]
    return out + [f"tools/check_type_names.py lists {name!r}, which names one class: take it out" for name in several if name not in twice]


def main() -> int:
    found = problems(ROOT, SEVERAL) + problems_in_python(ROOT, SEVERAL_IN_PYTHON)
    print("\n".join(found) if found else f"names of types: each has one meaning, {len(SEVERAL)} exceptions; of classes in Python {len(SEVERAL_IN_PYTHON)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
