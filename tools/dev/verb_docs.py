"""Runs the code of README and docs and checks their links. In each page the ```python blocks run in order in one fresh interpreter;
a ```text block right after one is its expected output (`...` stands for anything within its line; alone on a line, for any lines).
A block marked ```python no-run does not run. Links within the repository must lead to a file, and to a heading if they name one;
paths of the repository's files in `backticks` must exist. At the end the reference is written into build/reference.

  ./dev docs                           all pages, and the reference
  ./dev docs docs/quick_start.md       one page"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from builds import release
from common import PYTHON, ROOT, environment, jobs, run as run_command

SUMMARY = "run the code in README and docs, check their links, write the reference"
BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
TICKED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w*][\w.*-]*(/[\w.*-]+)+/?")
FOLDERS = {"bench", "cmake", "docs", "examples", "include", "python", "src", "tests", "tools"}
SOURCES = {".cpp", ".h", ".inc", ".md", ".py", ".pyi"}
SEPARATOR = "\x1e"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, help="only these pages (default: README*.md, CONTRIBUTING.md and docs/)")


def run(options: argparse.Namespace) -> int:
    release()
    pages = options.files or [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    failed = 0
    with ThreadPoolExecutor(jobs()) as pool:
        reference = None if options.files else pool.submit(run_command, [PYTHON, ROOT / "tools" / "reference.py"], check=False)
        for page, problems in zip(pages, pool.map(lambda page: [*links(page), *code(page)], pages)):
            failed += bool(problems)
            for problem in problems:
                print(f"{page}: {problem}")
    print(f"{len(pages) - failed} passed, {failed} failed")
    return 1 if failed or (reference and reference.result()) else 0


def links(page: Path) -> list[str]:
    """Links that lead nowhere, and files in backticks that are not there."""
    text = BLOCK.sub("", page.read_text())
    found = []
    for match in LINK.finditer(text):
        target, _, anchor = (match[1] or match[2]).partition("#")
        file = page.parent / target if target else page
        if "://" in target or target.startswith("mailto:"):
            continue
        if not file.exists():
            found.append(f"the link to {target} leads nowhere")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            found.append(f"the link to {target}#{anchor} names no heading")
    for match in TICKED.finditer(text):
        found += [f"there is no file {word}" for word in match[1].split() if not known(word.rstrip(",;:"), page)]
    return found


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    names: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *#*$", BLOCK.sub("", text), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(name if name not in names else next(f"{name}-{k}" for k in range(1, 100) if f"{name}-{k}" not in names))
    return names


def known(word: str, page: Path) -> bool:
    """Whether a word is no path of the repository, or one that is there: from its root, as an include states it, or from the page.
    A part in capitals (TOPIC) stands for any name."""
    if not PATH.fullmatch(word) or (word.split("/")[0] not in FOLDERS and Path(word).suffix not in SOURCES):
        return True
    pattern = re.sub(r"(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])", "*", word.rstrip("/"))
    return any(next(iter(folder.glob(pattern)), None) for folder in (ROOT, ROOT / "src", ROOT / "include", page.parent))


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
    pattern = ""
    for line in expected.rstrip().split("\n"):
        pattern += r"(?:[^\n]*\n)*?" if line.strip() == "..." else "[^\n]*?".join(map(re.escape, line.split("..."))) + "\n"
    return re.fullmatch(pattern, printed.rstrip() + "\n") is not None
