"""Checks what README and docs say against the commands that say it.

A claim is a figure or a few words of a page, with the command that derives it. The page is plain text; its claims stand beside it, those of
docs/PAGE.md in docs/claims/PAGE.toml, those of a README.md in docs/claims/README.toml:

    [import_s]
    text = "`import monograph` takes {},"
    cmd = "./dev bench --build --only import"
    line = "import:"
    tolerance = "50%"

    [ID]       its name (a translation's file repeats it)
    text       words of the page, of which {} is claimed and `...` is anything within the line. They stand once in the page; line ends count as
               spaces, and code blocks are left out
    under      a heading: text is looked for in its section only
    below      instead of text, with match: the words of a line; the first code block or table below it is claimed
    cmd        a shell command, run from the repository's root with .venv's programs first; equal commands run once
    line       what is claimed follows this in the first line of output that contains it (default: a figure is the first of the last line that
               has one; words are a whole line, any one)
    tolerance  how far a number may be off: 50% of the claimed one, or an amount (0.02); default: what rounds to the claimed digits
    bound      instead of tolerance: `<=` or `>=`: the derived number must keep the side of the claimed one
    match      `whole`: what is claimed, of a code block without its fence, is all that the command prints, spaces at line ends apart

A text with a digit in it is a figure: a number, perhaps with thousands' commas, and at most one word after it, its unit. The number is
compared with the first one that follows `line`'s words, the unit with the word behind that. Any other text is words, and equals what follows
`line`'s words up to the line's end, white space apart. Exit 1 when a claim differs, its command fails, its words are not in the page, or its
entry is malformed."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^(```|~~~).*?^\1\w*$", re.DOTALL | re.MULTILINE)
WHOLE = re.compile(r"^```.*?^```$|^\|[^\n]*\|$(?:\n\|[^\n]*\|$)*", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
UNIT = re.compile(r"\s*(%|×|[^\W\d_/]+(?:/[^\W\d_/]+)*)?")
KEYS = {"text", "under", "below", "cmd", "line", "tolerance", "bound", "match"}
MEASURING = ("./dev bench", "python bench/")
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


def claims_file(page: Path) -> Path:
    """Where a page's claims stand: in claims/ beside it, or in docs/claims/ for a page above docs/."""
    folders = (page.parent / "claims", page.parent / "docs" / "claims")
    return next((f for f in folders if f.is_dir()), folders[0]) / f"{page.stem}.toml"


def pattern(text: str) -> re.Pattern[str]:
    """What a claim's `text` finds, the claimed part as its only group."""

    def literal(part: str) -> str:
        words = r"\s+".join(map(re.escape, part.split()))
        before, after = r"\s+" if part[:1].isspace() else "", r"\s+" if part[-1:].isspace() else ""
        return before + words + after if words else before

    # The claimed part does not end inside of a number: 0.7 s is not 0 before a full stop.
    return re.compile(r"([^\s|](?:[^|]*?[^\s|])??)(?![.,]?\d)".join(r"[^\n]*?".join(map(literal, part.split("..."))) for part in text.split("{}")))


def place(content: str, entry: dict[str, str]) -> tuple[int, int]:
    """The span of what an entry claims; ValueError says what is wrong."""
    if "below" in entry:
        start = re.search(r"^.*?" + re.escape(entry["below"]) + r".*$", content, re.MULTILINE)
        whole = WHOLE.search(content, start.end()) if start else None
        if not whole:
            raise ValueError(f"the page has no code block or table below {entry['below']!r}")
        return whole.span()
    before, hole, after = entry["text"].partition("{}")
    if not hole or "{}" in after or not before.strip() or not after.strip():
        raise ValueError("text has one {}, with words before and behind it")
    hidden = [m.span() for m in BLOCK.finditer(content)]
    begin, end = section(content, entry["under"]) if "under" in entry else (0, len(content))
    found = [m.span(1) for m in pattern(entry["text"]).finditer(content, begin, end) if not any(a <= m.start(1) < b for a, b in hidden)]
    if len(found) != 1:
        raise ValueError(f"{entry['text']!r} stands {len(found)} times in the page, not once")
    return found[0]


def section(content: str, heading: str) -> tuple[int, int]:
    """From a heading to the next one."""
    start = re.search(r"^#+ +" + re.escape(heading) + r" *$", content, re.MULTILINE)
    if not start:
        raise ValueError(f"the page has no heading {heading!r}")
    following = re.compile(r"^#+ ", re.MULTILINE).search(content, start.end())
    return start.end(), following.start() if following else len(content)


def parse(file: Path, content: str) -> list[Claim]:
    """The claims of one page, in their order there."""
    if re.search(r"<!--\s*/?claim\b", BLOCK.sub("", content)):
        raise Malformed(f"{file}: a claim stands in {claims_file(file)}, not in the page")
    source = claims_file(file)
    try:
        entries = tomllib.loads(source.read_text()) if source.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise Malformed(f"{source}: {error}") from None
    claims = []
    for name, entry in entries.items():
        where = f"{source}: [{name}]"
        if not isinstance(entry, dict) or "cmd" not in entry or not entry.keys() <= KEYS or ("text" in entry) == ("below" in entry):
            raise Malformed(f"{where}: a claim has cmd, and text or below, and may have line, tolerance, bound or match")
        if entry.get("bound", "<=") not in ("<=", ">="):
            raise Malformed(f"{where}: bound is <= or >=")
        if entry.get("match", "whole") != "whole" or ("match" in entry and entry.keys() & {"line", "tolerance", "bound"}):
            raise Malformed(f"{where}: match is whole, without line, tolerance and bound")
        if "below" in entry and "match" not in entry:
            raise Malformed(f"{where}: below goes with match")
        try:
            span = place(content, entry)
        except ValueError as error:
            raise Malformed(f"{file}: {name}: {error} ({source})") from None
        text = content[slice(*span)].strip()
        if "match" not in entry and re.search(r"\d", text) and not is_figure(text):
            raise Malformed(f"{file}: {name}: a figure is a number and at most its unit, not {text!r}")
        number = content.count("\n", 0, span[0]) + 1
        claims.append(Claim(file, number, text, span, name, **{k: v for k, v in entry.items() if k not in ("text", "under", "below")}))
    return sorted(claims, key=lambda claim: claim.span)


def entry_text(name: str, **keys: str) -> str:
    """A claim as it stands in its file."""

    def quoted(value: str) -> str:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f"'{value}'" if escaped != value and "'" not in value else f'"{escaped}"'

    return f"[{name}]\n" + "".join(f"{key} = {quoted(value)}\n" for key, value in keys.items())


def replace_entries(page: Path, dropped: set[str], added: list[str]) -> None:
    """Takes claims of a page away and adds others behind."""
    source = claims_file(page)
    old = re.split(r"\n(?=\[)", source.read_text()) if source.exists() else []
    kept = [entry.rstrip() + "\n" for entry in old if (name := re.match(r"\[(\w+)\]", entry)) and name[1] not in dropped]
    source.write_text("\n".join([*kept, *added]))


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


def outputs(claims: list[Claim], known: dict[str, str]) -> dict[str, tuple[int, str]]:
    """Each different command's exit code and output, unless its output is known. Those that measure times run alone, the others one on each processor."""
    env = {**os.environ, "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def answer(command: str) -> tuple[int, str]:
        done = subprocess.run(command, shell=True, cwd=ROOT, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr

    commands = [command for command in dict.fromkeys(claim.cmd for claim in claims) if command not in known]
    measuring = [command for command in commands if command.startswith(MEASURING)]
    others = [command for command in commands if command not in measuring]
    answers = {command: (0, text) for command, text in known.items()}
    answers |= {command: answer(command) for command in measuring}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        answers |= zip(others, pool.map(answer, others), strict=True)
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
    parser.add_argument(
        "--known", metavar="COMMAND=FILE", action="append", default=[], help="a command that was run already, and the file with its output"
    )
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    files = options.files or [*sorted(ROOT.glob("README*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
    try:
        claims = [claim for file in files for claim in parse(file, file.read_text())]
    except Malformed as error:
        print(error, file=sys.stderr)
        return 1
    if not options.files:
        pages = {claims_file(page) for page in files}
        if lost := sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/claims/*.toml") if path not in pages):
            print(f"claims of no page: {', '.join(lost)}", file=sys.stderr)
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
    known = [entry.partition("=") for entry in options.known]
    answers = outputs(claims, {command: Path(file).read_text() for command, _, file in known})
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
