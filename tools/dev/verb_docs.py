"""Runs the code of README and docs and checks their links. In each page the ```python blocks run in order in one fresh interpreter;
a ```text block right after one is the output expected of it (`...` stands for anything). A block marked ```python no-run is shown only.
Links within the repository must lead to something."""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from builds import release
from common import PYTHON, ROOT, environment

SUMMARY = "run the code in README and docs, check their links"
BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
SEPARATOR = "\x1e"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, help="only these pages (default: README*.md, CONTRIBUTING.md and docs/)")


def run(options: argparse.Namespace) -> int:
    release()
    pages = options.files or [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    failed = 0
    for page in pages:
        problems = [*links(page), *code(page)]
        failed += bool(problems)
        for problem in problems:
            print(f"{page}: {problem}")
    print(f"{len(pages) - failed} passed, {failed} failed")
    return 1 if failed else 0


def links(page: Path) -> list[str]:
    text = BLOCK.sub("", page.read_text())
    found = []
    for match in LINK.finditer(text):
        target = (match[1] or match[2]).split("#")[0]
        if target and "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
            found.append(f"the link to {target} leads nowhere")
    return found


def code(page: Path) -> list[str]:
    """Runs a page's Python; one process, with a separator printed after each block."""
    text = page.read_text()
    blocks = list(BLOCK.finditer(text))
    shown: list[tuple[int, str, str | None]] = []  # line, code, expected output
    for index, block in enumerate(blocks):
        if block[1] != "python" or "no-run" in block[2]:
            continue
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        adjacent = following and following[1] == "text" and not text[block.end() : following.start()].strip()
        shown.append((text.count("\n", 0, block.start()) + 2, block[3], following[3] if adjacent and following else None))
    if not shown:
        return []
    # Blank lines keep the page's line numbers in tracebacks.
    program, line = "", 1
    for start, source, _ in shown:
        program += "\n" * (start - line) + source + f"print({SEPARATOR!r}, flush=True)\n"
        line = start + source.count("\n") + 1
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / page.name.replace(".md", ".py")
        script.write_text(program)
        done = subprocess.run([PYTHON, script], cwd=folder, env=environment(), capture_output=True, text=True)
    outputs = done.stdout.split(f"{SEPARATOR}\n")
    problems = []
    if done.returncode:
        problems.append(f"its Python fails:\n{done.stderr.rstrip()}")
    for (start, _, expected), printed in zip(shown, outputs):
        if expected is not None and not agrees(expected, printed):
            problems.append(f"line {start}: printed\n{printed.rstrip()}\nwhere the page says\n{expected.rstrip()}")
    return problems


def agrees(expected: str, printed: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, printed.rstrip(), re.DOTALL) is not None
