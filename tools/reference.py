"""Writes the reference as Markdown into build/reference/: what is derived from the code is not kept beside it.

    python tools/reference.py            write
    python tools/reference.py --check    only check that it can be written and has what it should

python.md     every public name of the package with its signature and docstring; operators with their schemas and one line each
cpp.md        the public C++ headers: each declaration with the comment above it; the generated functions by name
c.md          the header of the C library of kernels"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "reference"
HEADERS = ["types.h", "tensor.h", "indexing.h", "checkpoint.h", "graph.h", "fx.h", "ivalue.h", "script.h", "script_graph.h", "torch.h"]
GENERATED = ROOT / "build" / "release" / "generated" / "monograph" / "generated"
MODULES = """_ nn nn.functional nn.init nn.utils nn.utils.rnn nn.utils.parametrize nn.utils.parametrizations fx fx.passes.shape_prop fx.passes.split_module
    fx.subgraph_rewriter jit autograd autograd.functional func library compiler linalg fft special distributions optim optim.lr_scheduler optim.swa_utils
    random utils.data utils.checkpoint safetensors serialization testing""".split()


def signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return "(...)"


def entry(name: str, value: Any) -> Iterator[str]:
    schemas = getattr(value, "_schemas", None)
    text = inspect.cleandoc(vars(value).get("__doc__") or "") if isinstance(value, type) else inspect.getdoc(value) or ""
    if schemas:  # an operator: what its record says
        from monograph._help import body, call_lines

        calls = call_lines(value) or [str(schema) for schema in schemas]
        yield f"### `{name}`\n\n" + "".join(f"    {call}\n" for call in calls)
        text = body(value)
    elif isinstance(value, type):
        yield f"### class `{name}`\n" if not text else f"### class `{name}`\n\n{text}\n"
        for member, function in sorted(vars(value).items()):
            if not member.startswith("_") and callable(function) and (own := inspect.getdoc(function)):
                yield f"- `{member}{signature(function)}`: {own.splitlines()[0]}"
        yield ""
        return
    else:
        yield f"### `{name}{signature(value)}`\n"
    if text:
        yield f"{text}\n"


def python_reference() -> str:
    sys.path.insert(0, str(ROOT / "python"))
    import monograph

    prefixes = ["torch" if module == "_" else f"torch.{module}" for module in MODULES]
    lines = ["# The Python package\n", "`import monograph as torch`. Made by `tools/reference.py` from docstrings and the operators' records.\n"]
    lines += [contents(prefixes)]
    for prefix in prefixes:
        value: Any = monograph if prefix == "torch" else importlib.import_module(prefix.replace("torch", "monograph", 1))
        lines.append(f"## {prefix}\n")
        names = [n for n in sorted(dir(value)) if not n.startswith("_")]
        for name in names:
            member = getattr(value, name)
            ours = str(getattr(member, "__module__", "") or "monograph").startswith(("monograph", "torch"))
            if callable(member) and ours and not isinstance(member, types.ModuleType):
                lines += entry(f"{prefix}.{name}", member)
    return "\n".join(lines) + "\n"


def contents(headings: list[str]) -> str:
    """Links to the headings of a page, by the names that GitHub gives them."""
    return " · ".join(f"[{h}](#{re.sub(r'[^a-z0-9_ -]', '', h.lower()).replace(' ', '-')})" for h in headings) + "\n"


def prose(comment: list[str]) -> str:
    """The lines of a comment as Markdown: what is indented in it is code."""
    text = ""
    for line in (line.removeprefix("//").removeprefix(" ") for line in comment):
        code = line.startswith("  ")
        if not line:
            text += "\n\n"
        elif code:
            text = text.rstrip("\n") + ("\n" if text.rpartition("\n")[2].startswith("    ") else "\n\n") + "    " + line.strip()
        else:
            text += ("\n\n" if text.rpartition("\n")[2].startswith("    ") else " ") + line
    return text.strip("\n ")


def declarations(text: str) -> Iterator[tuple[str, str]]:
    """The comment above each paragraph of a header, and the paragraph."""
    body = re.split(r"^MONOGRAPH_API_BEGIN$|^namespace torch \{$", text, flags=re.MULTILINE)[-1]
    for paragraph in re.split(r"\n\s*\n", body):
        lines = [line for line in paragraph.splitlines() if not line.startswith(("#", "MONOGRAPH_API"))]
        above = next((k for k, line in enumerate(lines) if not line.startswith("//")), len(lines))
        if lines[above:]:
            yield prose(lines[:above]), "\n".join(lines[above:])


def c_reference() -> str:
    """The header as it stands: its comments are in C's form."""
    intro, _, body = (ROOT / "include" / "monograph" / "kernels.h").read_text().partition("#endif\n\nenum")
    return f"# The C library of kernels\n\n`#include <monograph/kernels.h>`. Made by `tools/reference.py` from the header.\n\n```c\n{intro.split('#ifndef')[0]}\nenum{body}```\n"


def cpp_reference() -> str:
    lines = ["# The C++ library\n", "`#include <monograph/monograph.h>`. Made by `tools/reference.py` from the headers and the operators' records.\n"]
    lines += [contents([*(f"monograph/{header}" for header in HEADERS), "Methods of Tensor, from the records", "Functions, from the records"])]
    for header in HEADERS:
        text = (ROOT / "include" / "monograph" / header).read_text()
        intro = prose([line for line in text.split("#pragma once")[0].splitlines() if line.startswith("//")])
        lines.append(f"## monograph/{header}\n\n{intro}\n")
        for comment, code in declarations(text):
            lines.append(f"{comment}\n\n```cpp\n{code}\n```\n" if comment else f"```cpp\n{code}\n```\n")
    for title, file in (("Methods of Tensor", "methods.inc"), ("Functions", "functions.inc")):
        listed = [line for line in (GENERATED / file).read_text().splitlines() if line != "template <class = void>"]
        lines.append(f"## {title}, from the records\n\n```cpp\n" + "\n".join(listed[1:]) + "\n```\n")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pages = {"python.md": python_reference(), "cpp.md": cpp_reference(), "c.md": c_reference()}
    wanted = {"python.md": ("### `torch.softmax`", "### class `torch.nn.Linear`", "torch.jit.trace"), "cpp.md": ("Tensor softmax(", "class Tensor", "Graph load_graph("), "c.md": ("monograph_matmul",)}
    missing = [f"{page}: {words}" for page, list_of in wanted.items() for words in list_of if words not in pages[page]]
    if missing:
        print("the reference lacks", "; ".join(missing))
        return 1
    if not options.check:
        OUT.mkdir(parents=True, exist_ok=True)
        for page, text in pages.items():
            (OUT / page).write_text(text)
            print(f"{OUT / page}: {text.count(chr(10))} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
