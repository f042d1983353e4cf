"""./dev teaches: every verb has help, a misspelt one is answered with the nearest, and usage errors exit with 2."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERBS = ["setup", "build", "demo", "test", "bench", "coverage", "programs", "survey", "lint", "format", "docs", "claims"]


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, cwd="/")


def test_help_lists_every_verb():
    for arguments in ((), ("--help",), ("help",)):
        done = dev(*arguments)
        assert done.returncode == 0
        assert re.findall(r"^  (\w+) +\S", done.stdout, re.MULTILINE) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_explains_itself(verb):
    done = dev(verb, "--help")
    assert done.returncode == 0 and done.stdout.startswith(f"usage: ./dev {verb}")


@pytest.mark.parametrize(("wrong", "right"), [("tset", "test"), ("benhc", "bench"), ("set-up", "setup"), ("linting", "lint")])
def test_a_misspelt_verb_is_answered_with_the_nearest(wrong, right):
    done = dev(wrong)
    assert done.returncode == 2 and f"did you mean '{right}'" in done.stderr and done.stdout == ""


def test_a_wrong_option_is_a_usage_error():
    assert dev("test", "--fuzzy").returncode == 2
    assert dev("test", "--oracle", "--fuzz", "3").returncode == 2


def test_an_expected_failure_is_one_line():
    done = dev("demo", "no_such_demo")
    assert done.returncode == 1 and "no demo 'no_such_demo'" in done.stderr and "Traceback" not in done.stderr
