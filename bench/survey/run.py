"""The survey: hundreds of modules of packages of other people, in Monograph and beside live PyTorch. For each module:

  eager        results at two sizes with PyTorch's weights, and the initial weights of one seed
  gradients    of all parameters and inputs
  trace, script, fx, compile, fullgraph    the capture beside the same library's eager results at both sizes; of trace and compile also the gradients
  load         PyTorch's archive of its trace, run by Monograph
  back         Monograph's archive of its trace, run by PyTorch

`./dev survey` runs it. Each library works in a process of its own; one that crashes or hangs is written down, and another goes on behind it. What OUT holds already is not
run again."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = sorted(f.stem for f in (HERE / "cases").glob("[a-z]*.py"))
COLUMNS = ("eager", "gradients", "trace", "script", "fx", "compile", "fullgraph", "load", "back")
SIDES = ("torch", "monograph", "back")
HANGS = 240  # seconds without a line
STARTS = 20  # of one side of one package


@dataclass
class Sides:
    """The Pythons of the two libraries."""

    monograph: str
    pytorch: str
    packages: str
    out: Path

    def command(self, side: str, cases: str) -> list[str]:
        script = [str(HERE / "side.py"), side, cases, str(self.out)]
        return [self.monograph, "-m", "monograph", *script] if side == "monograph" else [self.pytorch, *script]

    def lines(self, side: str, cases: str) -> list[tuple[str, str, str, str]]:
        path = self.out / f"{cases}.{side}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def run(self, side: str, cases: str) -> None:
        path = self.out / f"{cases}.{side}.jsonl"
        for _ in range(STARTS):
            code = self.process(side, cases, path)
            lines = self.lines(side, cases)
            done = {(name, what) for name, what, outcome, _ in lines if outcome != "start"}
            lost = [(name, what) for name, what, outcome, _ in lines if outcome == "start" and (name, what) not in done]
            with open(path, "a") as file:
                for name, what in lost:
                    file.write(json.dumps([name, what, "CRASH", f"exit code {code}"]) + "\n")
            if not lost:
                return

    def process(self, side: str, cases: str, path: Path) -> int:
        environment = {**os.environ, "SURVEY_PACKAGES": self.packages, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        with open(self.out / f"{cases}.{side}.err", "ab") as errors:
            process = subprocess.Popen(self.command(side, cases), stderr=errors, stdin=subprocess.DEVNULL, env=environment)
            last = time.monotonic()
            size = -1
            while process.poll() is None:
                time.sleep(0.3)
                now = path.stat().st_size if path.exists() else 0
                if now != size:
                    size, last = now, time.monotonic()
                if time.monotonic() - last > HANGS:
                    process.kill()
                    process.wait()
        return process.returncode


class Report:
    """What OUT holds."""

    def __init__(self, sides: Sides, packages: list[str]) -> None:
        self.outcomes: dict[tuple[str, str, str, str], tuple[str, str]] = {}
        for cases in packages:
            for side in SIDES:
                for name, what, outcome, detail in sides.lines(side, cases):
                    if outcome != "start":
                        self.outcomes[cases, name, what, side] = (outcome, detail)
        self.modules = [k[:2] for k, v in self.outcomes.items() if k[2:] == ("eager", "torch") and v[0] == "equal"]

    def ours(self, module: tuple[str, str], what: str) -> tuple[str, str]:
        return self.outcomes.get((*module, what, "back" if what == "back" else "monograph"), ("not run", ""))

    def theirs(self, module: tuple[str, str], what: str) -> str:
        found = self.outcomes.get((*module, what, "torch")) or (self.outcomes.get((*module, what, "back")) if what != "back" else None)
        return found[0] if found else "-"

    def counts(self) -> str:
        out = [f"{len(self.modules)} modules of {len({m[0] for m in self.modules})} groups of packages; equal to PyTorch:"]
        for what in COLUMNS:
            ours = Counter(self.ours(m, what)[0] for m in self.modules)
            theirs = sum(self.theirs(m, what) == "equal" for m in self.modules)
            beside = f"; PyTorch {theirs}" if what in ("trace", "script", "fx") else ""
            others = ", ".join(f"{n} {outcome}" for outcome, n in ours.most_common() if outcome != "equal")
            out.append(f"  {what:10} {ours['equal']:4}{beside}   ({others})")
        return "\n".join(out)

    def causes(self) -> str:
        """What is not equal, by what was said about it; the most frequent first, with PyTorch's outcome and two modules."""
        groups: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
        for module in self.modules:
            for what in COLUMNS:
                outcome, detail = self.ours(module, what)
                if outcome not in ("equal", "none", "not run"):
                    groups[what, outcome.split(" at")[0], cause(detail)].append(module)
        lines = []
        for (what, outcome, text), modules in sorted(groups.items(), key=lambda item: (COLUMNS.index(item[0][0]), -len(item[1]))):
            pytorch = dict(Counter(self.theirs(m, what) for m in modules))
            lines.append(
                f"{len(modules):4} {what:10} {outcome:9} PyTorch {pytorch} | {text} | {', '.join(':'.join(m) for m in modules[:2])}"
            )
        return "\n".join(lines)


def cause(detail: str) -> str:
    """The first line of an error without what is particular to a module: names, numbers, paths."""
    line = detail.split("\n")[0]
    if "TorchScript interpreter" in detail:
        said = [part for part in detail.split("\n") if "RaiseException" in part or ("Error" in part and "following" not in part)]
        line = (said or [line])[0].strip()
    line = re.sub(r"<[^<>]*>$", "", line)
    line = re.sub(r"`[^`]*`", "`…`", line)
    line = re.sub(r"'[^']*'", "'…'", line)
    return re.sub(r"%\w+|/\S+|\b\d+(\.\d+)?(e-?\d+)?\b", "…", line)[:170]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"groups of packages: {', '.join(CASES)}")
    parser.add_argument("--monograph", default=sys.executable, help="the Python that has Monograph")
    parser.add_argument("--pytorch", required=True, help="the Python that has PyTorch")
    parser.add_argument("--packages", required=True, help="the folders of the packages, by ':'")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the outcomes")
    parser.add_argument("--causes", action="store_true", help="print the causes of what is not equal")
    parser.add_argument("--report", action="store_true", help="run nothing: print what the folder holds")
    options = parser.parse_args()
    if unknown := set(options.groups) - set(CASES):
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    sides = Sides(options.monograph, options.pytorch, options.packages, options.out.resolve())
    groups = options.groups or CASES
    for cases in [] if options.report else groups:
        for side in SIDES:
            sides.run(side, cases)
    report = Report(sides, groups)
    print(report.counts())
    if options.causes:
        print(report.causes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
