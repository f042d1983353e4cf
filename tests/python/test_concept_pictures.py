"""The pictures in docs/concepts are those of the graphs that the pages make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import concept_pictures  # noqa: E402

WORDS = "graph block node value type module parameter buffer attribute method function_schema".split()


def test_every_page_s_picture_is_its_graph():
    done = subprocess.run([sys.executable, ROOT / "tools" / "concept_pictures.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{len(WORDS)} pictures, 0 differ\n"


@pytest.mark.parametrize("word", WORDS)
def test_pictures_are_svg_and_show_their_nodes(word):
    picture = ROOT / "docs" / "concepts" / f"{word}.svg"
    tree = ElementTree.parse(picture)
    assert tree.getroot().tag == "{http://www.w3.org/2000/svg}svg"
    nodes = [g for g in tree.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "node"]
    dot = concept_pictures.drawn(picture)
    assert dot is not None and len(nodes) == dot.count("[label=")


def test_a_changed_page_is_noticed(tmp_path, monkeypatch, capsys):
    page = "```python\nimport monograph as torch\ngraph = torch.fx.symbolic_trace(lambda x: x {} 1).graph\n```\n![it](sum.svg)\n"
    (tmp_path / "sum.md").write_text(page.format("+"))
    dot = concept_pictures.dot_of(tmp_path / "sum.md")
    (tmp_path / "sum.svg").write_text(f"<!--\n{dot}\n-->\n<svg></svg>\n")
    monkeypatch.setattr(concept_pictures, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["concept_pictures.py", "--check"])
    assert concept_pictures.main() == 0
    (tmp_path / "sum.md").write_text(page.format("-"))
    assert concept_pictures.main() == 1
    assert "sum.svg: differs from its page" in capsys.readouterr().out
