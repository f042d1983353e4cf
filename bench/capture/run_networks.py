"""The networks and programs of bench/capture/real_networks, with Monograph in the place of PyTorch and beside live PyTorch:

  weights         initial weights from one seed: their largest distance in ulps; "bits" where it is 0
  eager           results at two batch sizes with PyTorch's weights, to 1e-5 of the largest
  gradients       of all weights and inputs, to 1e-4
  training        results and buffers in training mode, to 1e-4
  trace, symbolic_trace, capture    what the captured graph gives at both batch sizes; of the trace also from its file and as a plan

`./dev programs` runs it; --write puts its tables into docs/design/third_party_programs.md. Each library works in a process of its own."""

from __future__ import annotations

import argparse
import pickle
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from network_results import by_one_rounding, difference, differing_weights

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "design" / "third_party_programs.md"
REQUIREMENTS = ROOT / "tools" / "dev" / "requirements-programs.txt"
MISSING = HERE / "real_networks" / "missing_names.txt"
EAGER = ("weights", "eager", "gradients", "training")
CAPTURES = ("trace", "symbolic_trace", "capture")
BOUNDS = {"eager": 1e-5, "gradients": 1e-4, "training": 1e-4}


class SideError(Exception):
    """What a side raised, with its program's line."""


class Side:
    """A process that answers for one library; started again where a program ends it."""

    def __init__(self, python: str | Path, side: str, packages: str | Path):
        self.command = [str(python), str(HERE / "network_side.py"), side, str(packages)]
        self.process: subprocess.Popen[bytes] | None = None
        self.said = tempfile.TemporaryFile()

    def ask(self, question: str, *arguments: Any) -> Any:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)
        assert self.process.stdin and self.process.stdout
        message = pickle.dumps((question, arguments))
        try:
            self.process.stdin.write(struct.pack("<Q", len(message)) + message)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        head = self.process.stdout.read(8)
        if len(head) < 8:
            code, self.process = self.process.wait(), None
            self.said.seek(0)
            raise SideError(f"CRASH: its process ended with exit code {code}: {self.said.read().decode(errors='replace')[-2000:]}")
        ok, value = pickle.loads(self.process.stdout.read(struct.unpack("<Q", head)[0]))
        if not ok:
            raise SideError(value)
        return value

    def close(self) -> None:
        if self.process is not None:
            assert self.process.stdin
            self.process.stdin.close()
            self.process.wait(timeout=60)
            self.process = None


class Both:
    """Monograph and PyTorch, side by side."""

    def __init__(self, monograph: str | Path, pytorch: str | Path, packages: str | Path):
        self.ours, self.theirs = Side(monograph, "Monograph", packages), Side(pytorch, "PyTorch", packages)

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def eager(self, name: str) -> dict[str, str]:
        """The columns of EAGER for a network: "ok", "bits", a number of ulps, or what is wrong."""
        state, drawn = self.theirs.ask("weights", name)
        found = {"weights": weights(lambda: self.ours.ask("weights", name)[0], state, drawn)}
        inputs = self.theirs.ask("drawn", name)
        theirs = self.theirs.ask("results", name, state, inputs)
        try:
            ours = self.ours.ask("results", name, state, inputs)
        except SideError as error:
            return found | dict.fromkeys(BOUNDS, str(error))
        others: list[Any] = []
        for what, bound in BOUNDS.items():
            wrong = difference(ours[what], theirs[what], [], bound)
            found[what] = "ok"
            if wrong:
                others = others or self.others(name, state, inputs)
                found[what] = difference(ours[what], theirs[what], [other[what] for other in others], bound) or "ok, rounding"
        return found

    def others(self, name: str, state: dict[str, Any], inputs: dict[int, Any]) -> list[Any]:
        """PyTorch's results where weights and inputs move by one rounding error, and in double precision."""
        found = [self.theirs.ask("results", name, by_one_rounding(state), by_one_rounding(inputs))]
        try:
            found.append(self.theirs.ask("results", name, state, inputs, True))
        except SideError:  # a network that makes float32 tensors itself
            pass
        return found

    def captures(self, name: str) -> dict[str, str]:
        """The columns of CAPTURES, and what the trace gives from its file and as a plan."""
        try:
            return self.ours.ask("captures", name, self.theirs.ask("weights", name)[0])
        except SideError as error:
            return dict.fromkeys(CAPTURES, str(error))

    def program(self, name: str) -> str:
        theirs = self.theirs.ask("program", name)
        try:
            return difference(self.ours.ask("program", name), theirs, [], 1e-6) or "ok"
        except SideError as error:
            return str(error)


def weights(ask: Callable[[], Any], theirs: Any, drawn: list[str]) -> str:
    try:
        most, wrong = differing_weights(ask(), theirs, drawn)
    except SideError as error:
        return str(error)
    return wrong or ("bits" if most == 0 else f"{most} ulp")


def is_good(column: str, outcome: str, ulps: int = 2) -> bool:
    """Whether an outcome is right. ulps: how far apart initial weights may be."""
    if column == "weights":
        return outcome == "bits" or bool(re.fullmatch(r"\d+ ulp", outcome) and int(outcome.split()[0]) <= ulps)
    return outcome in ("ok", "ok, rounding", "equal")


def registered() -> Any:
    """The networks and programs; their functions are not called here."""
    sys.path.insert(0, str(HERE))
    import real_networks

    return real_networks


# --- the page


def cell(column: str, outcome: str, ulps: int) -> str:
    if column in CAPTURES and not is_good(column, outcome):
        return outcome.partition(":")[0]
    return (
        outcome
        if is_good(column, outcome, ulps)
        else "**differs**"
        if "differs" in outcome
        else f"**{outcome.partition(':')[0] or 'not run'}**"
    )


def table(found: dict[str, dict[str, str]], networks: Any) -> list[str]:
    columns = [*EAGER, *CAPTURES]
    lines = ["| package | network | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for name, outcomes in found.items():
        lines.append(
            f"| {networks[name].package} | {name} | "
            + " | ".join(cell(c, outcomes.get(c, ""), networks[name].ulps) for c in columns)
            + " |"
        )
    good = [sum(is_good(c, outcomes.get(c, ""), networks[name].ulps) for name, outcomes in found.items()) for c in columns]
    return [*lines, f"| **good, of {len(found)}** | | " + " | ".join(map(str, good)) + " |"]


def reasons(found: dict[str, dict[str, str]], networks: Any) -> list[str]:
    """Each cell that is not good, with what was said; equal words once."""
    said: dict[str, list[str]] = {}
    for name, outcomes in found.items():
        for column, outcome in outcomes.items():
            if not is_good(column, outcome, networks[name].ulps):
                words = re.sub(r"\S*/((?:[\w-]+/){1}[\w-]+\.py)", r"\1", outcome.splitlines()[0])
                said.setdefault(f"{column}: {words}", []).append(name)
    return [f"- {', '.join(names)}: {words}" for words, names in said.items()]


def versions(packages: Path) -> str:
    named = {d.metadata["Name"].lower(): d.version for d in distributions(path=[str(packages)])}
    return ", ".join(f"{name} {named[name]}" for name in ("einops", "safetensors", "torchvision", "timm", "transformers") if name in named)


def write_page(lines: list[str]) -> None:
    text = PAGE.read_text()
    begin, end = text.index("<!-- begin -->"), text.index("<!-- end -->")
    PAGE.write_text(text[:begin] + "\n".join(["<!-- begin -->", "", *lines, "", ""]) + text[end:])


def write_missing(names: list[str]) -> None:
    head = "# Names of PyTorch that these packages import and Monograph lacks. Each raises its sentence when it is used. Written by ./dev programs --write.\n"
    MISSING.write_text(head + "".join(f"{name}\n" for name in names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only networks and programs whose names contain one of these words")
    parser.add_argument("--short", action="store_true", help="only those that the tests run")
    parser.add_argument("--eager-only", action="store_true", help="without the captures")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} and the list of missing names")
    parser.add_argument("--packages", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--pytorch", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    everything = registered()
    chosen = [n for n, net in everything.NETWORKS.items() if (net.short or not options.short) and matches(n, options.names)]
    both = Both(sys.executable, options.pytorch, options.packages)
    found: dict[str, dict[str, str]] = {}
    for name in chosen:
        try:
            found[name] = both.eager(name)
        except SideError as error:
            found[name] = {"eager": f"PyTorch: {error}"}
        if not options.eager_only:
            found[name] |= both.captures(name)
        print(f"{name}: {', '.join(f'{k} {v.splitlines()[0]}' for k, v in found[name].items())}", flush=True)
    programs = {n: both.program(n) for n in everything.PROGRAMS if matches(n, options.names)}
    for name, outcome in programs.items():
        print(f"{name}: {outcome}", flush=True)
    missing = both.ours.ask("missing")
    both.close()
    lines = [
        f"Made with {versions(options.packages)}.", "", *table(found, everything.NETWORKS), "",
        f"Programs: {'; '.join(f'{name} ({everything.PROGRAMS[name].package}): {outcome.splitlines()[0]}' for name, outcome in programs.items())}.", "",
        *reasons(found, everything.NETWORKS), "",
        f"The packages import {len(missing)} names of PyTorch that Monograph lacks (`bench/capture/real_networks/missing_names.txt`). Each raises its sentence when it is used.",
    ]  # fmt: skip
    print("\n".join(["", *lines]))
    if options.write:
        write_page(lines)
        write_missing(missing)
    networks = everything.NETWORKS
    bad = Counter(
        c for n, outcomes in found.items() for c, o in outcomes.items() if c not in CAPTURES and not is_good(c, o, networks[n].ulps)
    )
    wrong = [n for n, outcomes in found.items() if any("differs" in o or "CRASH" in o for o in outcomes.values())]
    return 1 if bad or wrong or any(o != "ok" for o in programs.values()) else 0


def matches(name: str, words: list[str]) -> bool:
    return not words or any(word.lower() in name.lower() for word in words)


if __name__ == "__main__":
    sys.exit(main())
