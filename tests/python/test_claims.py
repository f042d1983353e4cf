"""tools/claims.py: what it accepts, and that an altered figure and altered words fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "claims.py"


def check(tmp_path: Path, page: str, entries: str, *flags: str) -> tuple[int, str]:
    (tmp_path / "claims").mkdir(exist_ok=True)
    (tmp_path / "page.md").write_text(page)
    (tmp_path / "claims" / "page.toml").write_text(entries)
    done = subprocess.run([sys.executable, TOOL, *flags, tmp_path / "page.md"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def page(text: str) -> str:
    return f"before {text} after\n"


def claim(command: str, *more: str, name: str = "it", text: str = "before {} after") -> str:
    return "\n".join([f"[{name}]", f"text = '{text}'", f"cmd = {json.dumps(command)}", *more]) + "\n"


@pytest.mark.parametrize(
    ("text", "command", "more"),
    [
        ("0.12 s", "echo 0.12 s", ""),
        ("0.12 s", "echo 'import: 0.15 s'", "tolerance = '50%'"),
        ("12,000 nodes", "echo 12000 nodes", ""),
        ("12,000", "echo 12000", ""),
        ("50", "echo tokens equal for 50 of 50", "line = 'tokens equal for'"),
        ("3 词元", "echo 3 词元", ""),
        ("34.5 MB", "printf 'wheel: 34.9 MB\\nother: 7 MB\\n'", "line = 'wheel:'\ntolerance = '0.5'"),
        ("0.2 s", "echo 0.07 s", "bound = '<='"),
        ("-3e-07", "echo -3e-7", ""),
        ("right", "echo 'trace:   right'", "line = 'trace: '"),
        ("✓", "echo 'torch.cond: ✓'", "line = 'torch.cond:'"),
        ("**yes**, always", "printf 'no\\n**yes**,   always\\n'", ""),
    ],
)
def test_true_claims_pass(tmp_path, text, command, more):
    code, output = check(tmp_path, page(text), claim(command, more))
    assert code == 0, output
    assert output == "1 claims, 0 differ\n"


@pytest.mark.parametrize(
    ("text", "command", "more", "message"),
    [
        ("0.13 s", "echo 0.12 s", "", "says '0.13 s', derived '0.12 s'"),
        ("0.05 s", "echo 0.12 s", "tolerance = '50%'", "says '0.05 s'"),
        ("80 operators", "echo 81 operators", "", "says '80 operators'"),
        ("0.12 ms", "echo 0.12 s", "", "in ms"),
        ("0.2 s", "echo 0.21 s", "bound = '<='", "says <="),
        ("3", "echo 2.9", "bound = '>='", "says >="),
        ("80 operators", "echo 80", "", "derived '80' in no unit"),
        ("80 operators", "echo 80 operator", "", "in operators, derived '80 operator' in operator"),
        ("refuses", "echo 'it: refuses RuntimeError'", "line = 'it:'", "says 'refuses', derived 'refuses RuntimeError'"),
        ("re", "echo 'it: refuses'", "line = 'it:'", "says 're', derived 'refuses'"),
        ("refuses RuntimeError twice", "echo 'it: refuses RuntimeError'", "line = 'it:'", "derived 'refuses RuntimeError'"),
        ("refuses", "echo 'refuses RuntimeError'", "", "says 'refuses', derived 'refuses RuntimeError'"),
        ("right", "echo 'trace: right'", "", "says 'right', derived 'trace: right'"),
        ("right", "echo WRONG", "", "says 'right', derived 'WRONG'"),
        ("34.5 MB", "echo 34.5 MB", "line = 'wheel'", "no line of the output has 'wheel'"),
        ("7", "echo none", "", "nothing to compare"),
        ("7", "echo 7; exit 3", "", "exits 3"),
    ],
)
def test_altered_claims_fail(tmp_path, text, command, more, message):
    code, output = check(tmp_path, page(text), claim(command, more))
    assert code == 1 and message in output and "page.md:1: it" in output, output


@pytest.mark.parametrize(
    ("text", "entries", "message"),
    [
        ("1", "[it]\ntext = 'before {} after'", "a claim has cmd"),
        ("1", "[it]\ncmd = 'echo 1'", "a claim has cmd"),
        ("1", claim("echo 1", "tolerence = '1'"), "a claim has cmd"),
        ("1", claim("echo 1", "bound = '<'"), "bound is"),
        ("1", claim("echo 1", "match = 'all'"), "match is whole"),
        ("1", claim("echo 1", "match = 'whole'", "line = '1'"), "match is whole"),
        ("1", "[it]\nbelow = 'before'\ncmd = 'echo 1'", "below goes with match"),
        ("1", "[it]\nbelow = 'before'\ncmd = 'echo 1'\nmatch = 'whole'", "no code block or table"),
        ("1", claim("echo 1", text="before after"), "one {}"),
        ("1", claim("echo 1", text="before {}"), "one {}"),
        ("1", claim("echo 1", text="before {} {} after"), "one {}"),
        ("1", claim("echo 1", "under = 'Nowhere'"), "no heading"),
        ("1", claim("echo 1", text="behind {} after"), "stands 0 times"),
        ("", claim("echo refuses"), "stands 0 times"),
        ("1 after before 1", claim("echo 1"), "stands 2 times"),
        ("1", claim("echo 1") * 2, "page.toml"),
        ("1", "[it", "page.toml"),
        ("<!-- claim: id=it -->1<!-- /claim -->", claim("echo 1"), "not in the page"),
        ("50 of 70 GB!", claim("echo 50"), "a figure is a number"),
        ("50 GB of", claim("echo 50 GB"), "a figure is a number"),
        ("50!", claim("echo 50"), "a figure is a number"),
        ("at most 50", claim("echo 50"), "a figure is a number"),
        ("up to v4", claim("echo 4"), "a figure is a number"),
    ],
)
def test_malformed_claims_fail(tmp_path, text, entries, message):
    code, output = check(tmp_path, page(text), entries)
    assert code == 1 and "page." in output and message in output, output


def test_altered_words_around_a_figure_fail(tmp_path):
    """The words around it say which figure a claim means; where they change, they are to be stated again."""
    code, output = check(tmp_path, "below 1 after\n", claim("echo 1"))
    assert code == 1 and "stands 0 times" in output


def test_dots_stand_for_other_cells_and_line_ends_for_spaces(tmp_path):
    text = "# A\n\n| row | 1.5 | 7 | x |\n\n# B\n\n| row | 2.5 | 8 | x |\n\na sentence that goes on\nover 9 lines of text\n"
    row = "| row | ... | {} | x"
    entries = claim("echo 7", "under = 'A'", text=row) + claim("echo 8", "under = 'B'", name="b", text=row)
    entries += claim("echo 9", name="c", text="goes on over {} lines")
    assert check(tmp_path, text, entries) == (0, "3 claims, 0 differ\n")
    assert check(tmp_path, text, claim("echo 7", text=row))[0] == 1


def test_a_figure_does_not_end_inside_a_number(tmp_path):
    text = "it takes 0.7 s. It has 12,000 nodes, and 3.5.\n"
    entries = claim("echo 0.7 s", text="takes {}.") + claim("echo 12000 nodes", name="b", text="has {}, and") + claim("echo 3.5", name="c", text="and {}.")
    assert check(tmp_path, text, entries) == (0, "3 claims, 0 differ\n")


def test_code_blocks_hold_no_claims_of_words(tmp_path):
    assert check(tmp_path, f"```\n{page('2')}```\n{page('1')}", claim("echo 1")) == (0, "1 claims, 0 differ\n")


def test_update_writes_the_derived_figures(tmp_path):
    text = "before 0.10 s after, and in words: no, it says\n"
    entries = claim("echo took 0.1234 s") + claim("echo yes", name="word", text="words: {}, it")
    assert check(tmp_path, text, entries, "--update")[0] == 0
    assert (tmp_path / "page.md").read_text() == "before 0.12 s after, and in words: yes, it says\n"
    assert check(tmp_path, (tmp_path / "page.md").read_text(), entries)[0] == 0  # 0.1234 rounds to the 0.12 that is written


BLOCK = "the output of it:\n\n```text\n{}```\n"


def whole(tmp_path: Path, printed: str) -> str:
    (tmp_path / "printed").write_text(printed)
    return f"[it]\nbelow = 'output of it'\nmatch = 'whole'\ncmd = 'cat {tmp_path}/printed'\n"


def test_a_whole_output_is_compared_line_by_line(tmp_path):
    entries = whole(tmp_path, "  a  \n\nb 2\n")
    assert check(tmp_path, BLOCK.format("  a\n\nb 2\n"), entries) == (0, "1 claims, 0 differ\n")
    for text, message in (
        ("  a\n\nb 3\n", "line 3 says 'b 3', derived 'b 2'"),
        ("  a\n", "line 2 says 'nothing'"),
        ("a\n\nb 2\n", "line 1 says"),
    ):
        code, output = check(tmp_path, BLOCK.format(text), entries)
        assert code == 1 and message in output, output
    check(tmp_path, BLOCK.format("old\n"), entries, "--update")
    assert (tmp_path / "page.md").read_text() == BLOCK.format("  a\n\nb 2\n")


def test_a_table_is_a_whole_output_too(tmp_path):
    text = "the output of it:\n\n| a |\n|---|\n| 2 |\n\nmore\n\n| b |\n"
    entries = whole(tmp_path, "| a |\n|---|\n| 1 |\n")
    assert check(tmp_path, text, entries)[0] == 1
    check(tmp_path, text, entries, "--update")
    assert (tmp_path / "page.md").read_text() == text.replace("| 2 |", "| 1 |")
    assert check(tmp_path, (tmp_path / "page.md").read_text(), entries)[0] == 0


def test_skipped_claims_are_counted(tmp_path):
    entries = claim("echo 1") + claim("timing 2", name="other", text="other {} one")
    code, output = check(tmp_path, page("1") + "other 2 one\n", entries, "--skip", "timing")
    assert code == 0 and "1 claims left out: their commands begin with timing" in output and "1 claims, 0 differ" in output


def test_what_was_run_already_is_read_from_its_output(tmp_path):
    (tmp_path / "output.txt").write_text("1\n")
    known = ("--known", f"no_such_program={tmp_path / 'output.txt'}")
    assert check(tmp_path, page("1"), claim("no_such_program"), *known) == (0, "1 claims, 0 differ\n")
    assert check(tmp_path, page("2"), claim("no_such_program"), *known)[0] == 1
