"""./dev docs: code that fails or prints something else than its page says is reported with its line; so are dead links and paths."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import verb_docs  # noqa: E402


def page(folder: Path, text: str) -> Path:
    file = folder / "page.md"
    file.write_text(text.replace("'''", "```"))
    return file


@pytest.mark.parametrize(
    "text",
    [
        "no code at all",
        "'''python\nx = 1\n'''\nprose\n'''python\nprint(x + 1)\n'''\n\n'''text\n2\n'''\n",
        "'''python\nprint('at 0x7f')\n'''\n'''text\nat 0x...\n'''\n",
        "'''python no-run\nraise SystemExit(3)\n'''\n",
        "'''python\nprint(1)\n'''\nnot its output:\n'''text\n2\n'''\n",
    ],
)
def test_pages_that_hold(tmp_path, text):
    assert verb_docs.code(page(tmp_path, text)) == []


def test_another_output_is_reported(tmp_path):
    (problem,) = verb_docs.code(page(tmp_path, "one\n\n'''python\nprint(3)\n'''\n'''text\n2\n'''\n"))
    assert problem == "line 4: printed\n3\nwhere the page says\n2"


def test_failing_code_is_reported_with_the_page_s_line(tmp_path):
    (problem,) = verb_docs.code(page(tmp_path, "'''python\nx = 1\n'''\n\ntext\n\n'''python\n\n1 / 0\n'''\n"))
    assert "ZeroDivisionError" in problem and "line 9" in problem


def test_links(tmp_path):
    (tmp_path / "there.md").write_text("# Part\n")
    text = "[a](there.md#part) [b](https://example.org) ![c](gone.svg) [d](#here)\n# Here\n'''\n[e](code.md)\n'''\n"
    assert verb_docs.links(page(tmp_path, text)) == ["the link to gone.svg leads nowhere"]


def test_links_to_headings(tmp_path):
    (tmp_path / "there.md").write_text("# One, `two`: three\n## Again\n```\n# no heading\n```\n## Again\n## 尚缺\n")
    text = "# Here\n[a](there.md#one-two-three) [b](#here) [c](there.md#again-1) [d](there.md#尚缺) [e](there.md#no-heading) [f](#gone)\n"
    assert verb_docs.links(page(tmp_path, text)) == [
        "the link to there.md#no-heading names no heading",
        "the link to #gone names no heading",
    ]


def test_paths_in_backticks(tmp_path):
    (tmp_path / "near.md").write_text("")
    there = "`src/ir/graph.h` `ir/graph.h` `tools/claims.py --list` `tests/cpp/TOPIC_test.cpp`, `bench/*.py` `examples/minilm` `python/bindings/`"
    others = "`and/or` `float32/float64` `monograph run net.mgraph` `.venv/bin/python` `build/release/monograph` `sub/near.md`"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "near.md").write_text("")
    assert verb_docs.links(page(tmp_path, f"{there}\n{others}\n```\n`src/code.cpp`\n```\n")) == []
    gone = "`src/ir/node.h`, `capture/gone.h` `cc src/a.cpp src/ir/graph.h` `tests/gone/`"
    assert verb_docs.links(page(tmp_path, gone)) == [
        f"there is no file {name}" for name in ("src/ir/node.h", "capture/gone.h", "src/a.cpp", "tests/gone/")
    ]


@pytest.mark.parametrize(
    ("expected", "printed", "holds"),
    [
        ("a ... c", "a b c\n", True),
        ("a ... c", "a b\nb c\n", False),
        ("a\n...\nc", "a\nb\nb\nc\n", True),
        ("a\n...\nc", "a\nc\n", True),
        ("a\n...\nc", "a\nb c\n", False),
        ("a\n...", "a\nb\nc", True),
        ("a ...", "a b\nc", False),
        ("...", "", True),
    ],
)
def test_dots_stay_within_their_line(expected, printed, holds):
    assert verb_docs.agrees(expected, printed) == holds
