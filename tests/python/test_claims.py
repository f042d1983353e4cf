"""tools/claims.py: what it accepts, and that an altered figure and altered words fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "claims.py"


def check(tmp_path: Path, text: str, *flags: str) -> tuple[int, str]:
    page = tmp_path / "page.md"
    page.write_text(text)
    done = subprocess.run([sys.executable, TOOL, *flags, page], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def claim(text: str, command: str, more: str = "") -> str:
    return f'before <!-- claim: id=it cmd="{command}" {more} -->{text}<!-- /claim --> after\n'


@pytest.mark.parametrize(
    ("text", "command", "more"),
    [
        ("0.12 s", "echo 0.12 s", ""),
        ("0.12 s", "echo 'import: 0.15 s'", "tolerance=50%"),
        ("12,000 nodes", "echo 12000 nodes", ""),
        ("12,000", "echo 12000", ""),
        ("50", "echo tokens equal for 50 of 50", "line='tokens equal for'"),
        ("3 词元", "echo 3 词元", ""),
        ("34.5 MB", "printf 'wheel: 34.9 MB\\nother: 7 MB\\n'", "line=wheel: tolerance=0.5"),
        ("0.2 s", "echo 0.07 s", "bound='<='"),
        ("-3e-07", "echo -3e-7", ""),
        ("right", "echo 'trace:   right'", "line='trace: '"),
        ("✓", "echo 'torch.cond: ✓'", "line=torch.cond:"),
        ("**yes**, always", "printf 'no\\n**yes**,   always\\n'", ""),
    ],
)
def test_true_claims_pass(tmp_path, text, command, more):
    code, output = check(tmp_path, claim(text, command, more))
    assert code == 0, output
    assert output == "1 claims, 0 differ\n"


@pytest.mark.parametrize(
    ("text", "command", "more", "message"),
    [
        ("0.13 s", "echo 0.12 s", "", "says '0.13 s', derived '0.12 s'"),
        ("0.05 s", "echo 0.12 s", "tolerance=50%", "says '0.05 s'"),
        ("80 operators", "echo 81 operators", "", "says '80 operators'"),
        ("0.12 ms", "echo 0.12 s", "", "in ms"),
        ("0.2 s", "echo 0.21 s", "bound='<='", "says <="),
        ("3", "echo 2.9", "bound='>='", "says >="),
        ("80 operators", "echo 80", "", "derived '80' in no unit"),
        ("80 operators", "echo 80 operator", "", "in operators, derived '80 operator' in operator"),
        ("refuses", "echo 'it: refuses RuntimeError'", "line=it:", "says 'refuses', derived 'refuses RuntimeError'"),
        ("re", "echo 'it: refuses'", "line=it:", "says 're', derived 'refuses'"),
        ("refuses RuntimeError twice", "echo 'it: refuses RuntimeError'", "line=it:", "derived 'refuses RuntimeError'"),
        ("refuses", "echo 'refuses RuntimeError'", "", "says 'refuses', derived 'refuses RuntimeError'"),
        ("right", "echo 'trace: right'", "", "says 'right', derived 'trace: right'"),
        ("right", "echo WRONG", "", "says 'right', derived 'WRONG'"),
        ("34.5 MB", "echo 34.5 MB", "line=wheel", "no line of the output has 'wheel'"),
        ("7", "echo none", "", "nothing to compare"),
        ("7", "echo 7; exit 3", "", "exits 3"),
    ],
)
def test_altered_claims_fail(tmp_path, text, command, more, message):
    code, output = check(tmp_path, claim(text, command, more))
    assert code == 1 and message in output and "page.md:1: it" in output, output


@pytest.mark.parametrize(
    "text",
    [
        '<!-- claim: id=it cmd="echo 1" -->1',
        "1<!-- /claim -->",
        "<!-- claim: id=it -->1<!-- /claim -->",
        '<!-- claim: id=it cmd="echo 1" tolerence=1 -->1<!-- /claim -->',
        '<!-- claim: id=it cmd="echo 1 -->1<!-- /claim -->',
        claim("1", "echo 1", "match=all"),
        claim("1", "echo 1", "match=whole line=1"),
        claim("", "echo refuses"),
        claim("  ", "echo refuses"),
        claim("50 of 70 GB!", "echo 50"),
        claim("50 GB of", "echo 50 GB"),
        claim("50!", "echo 50"),
        claim("at most 50", "echo 50"),
        claim("up to v4", "echo 4"),
        claim("1", "echo 1") * 2,
    ],
)
def test_malformed_claims_fail(tmp_path, text):
    code, output = check(tmp_path, text)
    assert code == 1 and "page.md" in output or "one id" in output, output


def test_code_blocks_only_show_the_syntax(tmp_path):
    assert check(tmp_path, f"```\n{claim('2', 'echo 1')}```\n{claim('1', 'echo 1')}") == (0, "1 claims, 0 differ\n")


def test_update_writes_the_derived_figures(tmp_path):
    text = claim("0.10 s", "echo 'took 0.1234 s'") + claim("no", "echo yes").replace("id=it", "id=word")
    assert check(tmp_path, text, "--update")[0] == 0
    assert "-->0.12 s<!--" in (tmp_path / "page.md").read_text() and "-->yes<!--" in (tmp_path / "page.md").read_text()
    assert check(tmp_path, (tmp_path / "page.md").read_text())[0] == 0  # 0.1234 rounds to the 0.12 that is written


BLOCK = "\n```text\n{}```\n"


def test_a_whole_output_is_compared_line_by_line(tmp_path):
    command = "printf '  a  \\n\\nb 2\\n'"
    assert check(tmp_path, claim(BLOCK.format("  a\n\nb 2\n"), command, "match=whole")) == (0, "1 claims, 0 differ\n")
    for text, message in (
        ("  a\n\nb 3\n", "line 3 says 'b 3', derived 'b 2'"),
        ("  a\n", "line 2 says 'nothing'"),
        ("a\n\nb 2\n", "line 1 says"),
    ):
        code, output = check(tmp_path, claim(BLOCK.format(text), command, "match=whole"))
        assert code == 1 and message in output, output
    check(tmp_path, claim(BLOCK.format("old\n"), command, "match=whole"), "--update")
    page = (tmp_path / "page.md").read_text()
    assert page == claim(BLOCK.format("  a\n\nb 2\n"), command, "match=whole")


def test_a_whole_output_without_a_fence_keeps_its_lines(tmp_path):
    text = claim("\n| a |\n|---|\n| 2 |\n", "printf '| a |\\n|---|\\n| 1 |\\n'", "match=whole")
    assert check(tmp_path, text)[0] == 1
    check(tmp_path, text, "--update")
    assert (tmp_path / "page.md").read_text() == text.replace("| 2 |", "| 1 |")
    assert check(tmp_path, (tmp_path / "page.md").read_text())[0] == 0


def test_skipped_claims_are_counted(tmp_path):
    text = claim("1", "echo 1") + claim("2", "timing 2").replace("id=it", "id=other")
    code, output = check(tmp_path, text, "--skip", "timing")
    assert code == 0 and "1 claims left out: their commands begin with timing" in output and "1 claims, 0 differ" in output
