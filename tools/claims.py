"""Checks what README and docs say against the commands that say it.

A claim is a figure or a few words between two comments, which a rendered page does not show:

    `import monograph` takes <!-- claim: id=import_s cmd="./dev bench --build --only import" line="import" tolerance=50% -->0.12 s<!-- /claim -->

    id         its name, once in a file (a translation repeats it)
    cmd        a shell command, run from the repository's root with .venv's programs first; equal commands run once
    line       what is claimed follows this in the first line of output that contains it (default: a figure is the first of the last line that
               has one; words are a whole line, any one)
    tolerance  how far a number may be off: 50% of the claimed one, or an amount (0.02); default: what rounds to the claimed digits
    bound      instead of tolerance: `<=` or `>=`: the derived number must keep the side of the claimed one
    match      `whole`, alone: the text, without the fence of a code block, is all that the command prints, spaces at line ends apart

A text with a digit in it is a figure: a number, perhaps with thousands' commas, and at most one word after it, its unit. The number is
compared with the first one that follows `line`'s words, the unit with the word behind that. Any other text is words, and equals what follows
`line`'s words up to the line's end, white space apart. Exit 1 when a claim differs, its command fails, or a comment is malformed or
encloses nothing."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLAIM = re.compile(r"<!--\s*claim:(?P<head>.*?)-->(?P<text>.*?)<!--\s*/claim\s*-->", re.DOTALL)
MARK = re.compile(r"<!--\s*/?claim\b")
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
UNIT = re.compile(r"\s*(%|×|[^\W\d_/]+(?:/[^\W\d_/]+)*)?")
KEYS = {"id", "cmd", "line", "tolerance", "bound", "match"}
FENCE = re.compile(r"^(```\w*\n)(.*?)^(```)$", re.DOTALL | re.MULTILINE)


class Malformed(Exception):
    pass


@dataclass
class Claim:
    file: Path
    line_number: int
    text: str
    span: tuple[int, int]  # of the text in the file
    id: str
    cmd: str
    line: str = ""
    tolerance: str = "0"
    bound: str = ""
    match: str = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line_number}: {self.id}"


def parse(file: Path, content: str) -> list[Claim]:
    """The claims of one file, code blocks excepted (this syntax may be shown there)."""
    hidden = [m.span() for m in re.finditer(r"^(```|~~~).*?^\1", content, re.DOTALL | re.MULTILINE)]
    inside = lambda position: any(a <= position < b for a, b in hidden)
    claims, marks = [], sum(not inside(m.start()) for m in MARK.finditer(content))
    for match in CLAIM.finditer(content):
        if inside(match.start()):
            continue
        marks -= 2
        number = content.count("\n", 0, match.start()) + 1
        try:
            pairs = dict(word.split("=", 1) for word in shlex.split(match["head"]))
        except ValueError as error:
            raise Malformed(f"{file}:{number}: {error}") from None
        if not {"id", "cmd"} <= pairs.keys() <= KEYS:
            raise Malformed(f"{file}:{number}: a claim has id= and cmd=, and may have line=, tolerance=, bound= or match=")
        if pairs.get("bound", "<=") not in ("<=", ">="):
            raise Malformed(f"{file}:{number}: bound= is <= or >=")
        if "match" in pairs and (pairs["match"] != "whole" or pairs.keys() & {"line", "tolerance", "bound"}):
            raise Malformed(f"{file}:{number}: match= is whole, without line=, tolerance= and bound=")
        text = match["text"].strip()
        if not text:
            raise Malformed(f"{file}:{number}: nothing is claimed")
        if "match" not in pairs and re.search(r"\d", text) and not is_figure(text):
            raise Malformed(f"{file}:{number}: a figure is a number and at most its unit, not {text!r}")
        claims.append(Claim(file, number, text, match.span("text"), **pairs))
    if marks:
        raise Malformed(f"{file}: a claim's comment without its partner")
    return claims


def whole_difference(text: str, output: str) -> str | None:
    """The first line in which a text, perhaps a code block, is not all of an output."""
    fenced = FENCE.search(text)
    stated = [line.rstrip() for line in (fenced[2] if fenced else text).strip("\n").splitlines()]
    found = [line.rstrip() for line in output.strip("\n").splitlines()]
    for number, (a, b) in enumerate(itertools.zip_longest(stated, found, fillvalue="nothing"), 1):
        if a != b:
            return f"line {number} says {a!r}, derived {b!r}"
    return None


def number_of(text: str) -> float | None:
    found = NUMBER.search(text)
    return float(found[0].replace(",", "")) if found else None


def is_figure(text: str) -> bool:
    """Whether a text is a number and at most a unit."""
    number = NUMBER.match(text)
    return bool(number and UNIT.fullmatch(text, number.end()))


def derived_text(claim: Claim, output: str) -> str | None:
    """The part of a command's output that the claim is compared with, its white space made even."""
    lines = [" ".join(line.split()) for line in output.splitlines() if line.strip()]
    if claim.line:
        before = " ".join(claim.line.split())
        return next((line.split(before, 1)[1].strip() for line in lines if before in line), None)
    if is_figure(claim.text):
        return next((line for line in reversed(lines) if NUMBER.search(line)), None)
    words = " ".join(claim.text.split())
    return words if words in lines else lines[-1] if lines else None


def difference(claim: Claim, output: str) -> str | None:
    """What is wrong with a claim, or None."""
    if claim.match:
        return whole_difference(claim.text, output)
    derived = derived_text(claim, output)
    if derived is None:
        return f"no line of the output has {claim.line!r}" if claim.line else "the command printed nothing to compare"
    if not is_figure(claim.text):
        words = " ".join(claim.text.split())
        return None if words == derived else f"says {words!r}, derived {derived!r}"
    stated, found = number_of(claim.text), number_of(derived)
    assert stated is not None
    if found is None:
        return f"says {claim.text!r}, but there is no number in {derived!r}"
    unit, unit_found = unit_of(claim.text), unit_of(derived)
    if unit and unit != unit_found:
        return f"says {claim.text!r} in {unit}, derived {derived!r} in {unit_found or 'no unit'}"
    if claim.bound:
        held = found <= stated if claim.bound == "<=" else found >= stated
        return None if held else f"says {claim.bound} {claim.text}, derived {derived!r}"
    percent = claim.tolerance.endswith("%")
    allowed = float(claim.tolerance.rstrip("%")) * (abs(stated) / 100 if percent else 1)
    allowed = max(allowed, rounding_of(claim.text))
    if abs(found - stated) <= allowed * (1 + 1e-9):
        return None
    return f"says {claim.text!r}, derived {derived!r} (tolerance {claim.tolerance})"


def rounding_of(text: str) -> float:
    """Half a unit of the last digit of a text's first number."""
    mantissa, _, exponent = NUMBER.search(text)[0].lower().partition("e")  # type: ignore[index]
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def unit_of(text: str) -> str:
    """The word right after a text's first number: "ms" of "0.12 ms", else nothing."""
    number = NUMBER.search(text)
    after = UNIT.match(text, number.end()) if number else None
    return after[1] or "" if after else ""


def outputs(claims: list[Claim]) -> dict[str, tuple[int, str]]:
    """Each different command's exit code and output."""
    env = {**os.environ, "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    answers = {}
    for command in dict.fromkeys(claim.cmd for claim in claims):
        done = subprocess.run(command, shell=True, cwd=ROOT, env=env, capture_output=True, text=True)
        answers[command] = (done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr)
    return answers


def updated(content: str, claim: Claim, output: str) -> str:
    """The file's content with the derived figure (or words) in the claim's place, its digits and unit kept as far as they go."""
    if claim.match:
        text = content[claim.span[0] : claim.span[1]]
        lines = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
        around = re.match(r"(\s*).*?(\s*)$", text, re.DOTALL)  # a table stands on lines of its own
        assert around
        text = FENCE.sub(lambda fence: f"{fence[1]}{lines}\n{fence[3]}", text) if FENCE.search(text) else f"{around[1]}{lines}{around[2]}"
        return content[: claim.span[0]] + text + content[claim.span[1] :]
    derived = derived_text(claim, output) or claim.text
    old, new = NUMBER.search(claim.text), NUMBER.search(derived)
    if is_figure(claim.text) and old and new:
        digits = len(old[0].partition(".")[2])
        text = claim.text[: old.start()] + f"{float(new[0].replace(',', '')):.{digits}f}" + claim.text[old.end() :]
    else:
        text = derived
    return content[: claim.span[0]] + text + content[claim.span[1] :]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--only", metavar="ID")
    parser.add_argument("--skip", metavar="COMMAND", action="append", default=[], help="leave out claims whose command begins so, and count them")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    files = options.files or [*sorted(ROOT.glob("README*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    try:
        claims = [claim for file in files for claim in parse(file, file.read_text())]
    except Malformed as error:
        print(error, file=sys.stderr)
        return 1
    counted: dict[tuple[str, Path], int] = {}
    for claim in claims:
        counted[claim.id, claim.file] = counted.get((claim.id, claim.file), 0) + 1
    twice = sorted({name for (name, _), count in counted.items() if count > 1})
    if twice:
        print(f"claims with one id in one file: {', '.join(twice)}", file=sys.stderr)
        return 1
    if options.only:
        claims = [claim for claim in claims if claim.id == options.only]
    skipped = [claim for claim in claims if claim.cmd.startswith(tuple(options.skip))]
    if skipped:
        claims = [claim for claim in claims if claim not in skipped]
        print(f"{len(skipped)} claims left out: their commands begin with {' or '.join(options.skip)}")
    if options.list:
        for claim in claims:
            print(f"{claim.where}: {claim.text!r} by {claim.cmd}")
        return 0
    answers = outputs(claims)
    failures = 0
    # From the end of each file backwards, so that an update leaves the spans before it valid.
    for claim in reversed(claims):
        code, output = answers[claim.cmd]
        wrong = f"its command exits {code}: {claim.cmd}\n{output.rstrip()}" if code else difference(claim, output)
        if wrong and options.update and not code:
            claim.file.write_text(updated(claim.file.read_text(), claim, output))
            print(f"{claim.where}: updated ({wrong})")
        elif wrong:
            failures += 1
            print(f"{claim.where}: {wrong}")
    print(f"{len(claims)} claims, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
