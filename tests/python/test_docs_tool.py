"""./dev docs: code that fails or prints something else than its page says is reported with its line; so is a dead link."""

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
    (tmp_path / "there.md").write_text("")
    text = "[a](there.md#part) [b](https://example.org) ![c](gone.svg) [d](#here)\n'''\n[e](code.md)\n'''\n"
    assert verb_docs.links(page(tmp_path, text)) == ["the link to gone.svg leads nowhere"]
