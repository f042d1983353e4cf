"""Every function of programs.py through every capture of Monograph and of PyTorch, at the example and at two or more other inputs:

  ok                 equal results at all three
  raises at capture  an error at the capture
  raises at run      an error for an input that the captured graph does not hold for
  wrong, warned      another result, after a warning at the capture
  SILENTLY WRONG     another result and no word
  CRASH              the process died, or an internal error

`./dev coverage` runs it; --write puts the table into docs/coverage.md, where it is a claim, which --table alone derives again. Each side works in a process of its own; a program's effects on its
arguments count as results, and random numbers start from one seed."""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from programs import KINDS, LANGUAGE, PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MONOGRAPH_PROGRAM") or str(ROOT / "build" / "release" / "monograph")
CPP_PROGRAM = ROOT / "build" / "release" / "bench" / "run_file"
PAGE = ROOT / "docs" / "coverage.md"
CAPTURES = {
    "Monograph": ["trace", "trace, saved", "trace, monograph run", "trace, C++", "script", "symbolic", "compile", "compile, whole"],
    "PyTorch": ["trace", "script", "fx", "compile", "compile, whole"],
}
LIMIT = 120  # seconds for one program and capture
OUTCOMES = ["ok", "raises at capture", "raises at run", "wrong, warned", "SILENTLY WRONG", "CRASH"]


# --- one side, in its own process


def captured(torch: Any, capture: str, f: Any, example: tuple[Any, ...]) -> Any:
    if capture == "trace":
        return torch.jit.trace(f, example, strict=False)  # dicts and lists among the results
    if capture == "trace, saved":
        return saved(torch, torch.jit.trace(f, example, strict=False))
    if capture == "trace, monograph run":
        return RunByProgram(torch.jit.trace(f, example, strict=False))
    if capture == "trace, C++":
        return RunByCpp(torch, torch.jit.trace(f, example, strict=False))
    if capture == "script":
        return torch.jit.script(f)
    if capture.startswith("compile"):
        g = torch.compile(f, backend="eager", fullgraph=capture == "compile, whole")
        g(*copy.deepcopy(example))
        return g
    return torch.fx.symbolic_trace(f)


def saved(torch: Any, graph: Any) -> Any:
    """A trace after it was written to a file and read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.pt")
        torch.jit.save(graph, path)
        return torch.jit.load(path)


class RunByProgram:
    """A trace's file, run by the program `monograph`, without Python. Its results are leaves."""

    def __init__(self, traced: Any):
        self.folder, self.graph = tempfile.TemporaryDirectory(), traced.inlined_graph

    def save(self) -> None:
        self.graph.save(os.path.join(self.folder.name, "graph.mgraph"))

    def __call__(self, *arguments: Any) -> list[Any]:
        import numpy

        command = [PROGRAM, "run", "graph.mgraph", "--json", "--seed", "1"]
        for k, argument in enumerate(arguments):
            if not hasattr(argument, "numpy"):
                raise TypeError(f"monograph run takes tensors, and argument {k + 1} is a {type(argument).__name__}")
            numpy.save(os.path.join(self.folder.name, f"{k}.npy"), argument.detach().numpy())
            command += ["--input", f"{k}.npy"]
        done = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=LIMIT)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        values = [output["value"] for output in json.loads(done.stdout.splitlines()[-1])["outputs"]]  # before it stands what the program prints
        return [[v["dtype"], v["shape"], flat_list(v["data"])] if isinstance(v, dict) else v for v in values]


class RunByCpp:
    """A trace's TorchScript archive, run by a program in C++ (run_file.cpp). Its results are leaves."""

    def __init__(self, torch: Any, traced: Any):
        self.torch, self.folder, self.traced = torch, tempfile.TemporaryDirectory(), traced

    def save(self) -> None:
        self.torch.jit.save(self.traced, os.path.join(self.folder.name, "graph.pt"))

    def __call__(self, *arguments: Any) -> list[Any]:
        for k, argument in enumerate(arguments):
            if not isinstance(argument, self.torch.Tensor):
                raise TypeError(f"the program in C++ takes tensors, and argument {k + 1} is a {type(argument).__name__}")
        self.torch.save({str(k): argument.detach() for k, argument in enumerate(arguments)}, os.path.join(self.folder.name, "inputs.pt"))
        done = subprocess.run([CPP_PROGRAM, "graph.pt", "inputs.pt"], cwd=self.folder.name, capture_output=True, text=True, timeout=LIMIT)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
        return [
            [leaf[0], leaf[1], flat_list(leaf[2])] if isinstance(leaf, list) else leaf for leaf in json.loads(done.stdout.splitlines()[-1])
        ]


def flat_list(data: Any) -> list[Any]:
    if isinstance(data, list):
        return [x for item in data for x in flat_list(item)]
    return [float(data) if isinstance(data, str) else data]  # 'inf' and 'nan', which JSON has no numbers for


def leaves(torch: Any, value: Any) -> list[Any]:
    """A result's tensors and numbers, in order, as a program that runs a file gives them."""
    if isinstance(value, torch.Tensor):
        return [[str(value.dtype).split(".")[-1], list(value.shape), value.detach().reshape(-1).tolist()]]
    if isinstance(value, (dict, list, tuple)):
        return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(torch, item)]
    return [value]


def numbers(torch: Any, value: Any) -> Any:
    """A result as plain lists, its structure kept."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), list(value.shape), value.detach().clone().reshape(-1).tolist()]
    if isinstance(value, dict):
        return {str(key): numbers(torch, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(numbers(torch, item) for item in value)]
    return value


def near(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-5 + 1e-4 * abs(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def called(torch: Any, f: Any, arguments: tuple[Any, ...], flat: bool = False) -> Any:
    torch.manual_seed(1)
    # Files never share memory.
    arguments = tuple(copy.deepcopy(argument) for argument in arguments) if flat else copy.deepcopy(arguments)
    result = f(*arguments)
    if flat:
        return result if isinstance(f, (RunByProgram, RunByCpp)) else leaves(torch, result)
    return numbers(torch, [result, arguments])


def restore(model: Any, state: dict[str, Any]) -> None:
    """Puts a model's buffers back to where they were, in place: captures run the program, and may share its tensors or copy them."""
    for name, value in model.state_dict().items():
        if name in state:
            value.copy_(state[name])


def made(torch: Any, name: str) -> tuple[Any, list[tuple[Any, ...]], list[Any]]:
    torch.manual_seed(0)
    f, inputs, *rest = PROGRAMS[name](torch)
    return f, inputs, rest[0] if rest else [None] * len(inputs)


def outcome(torch: Any, capture: str, name: str) -> tuple[str, str]:
    f, inputs, edits = made(torch, name)
    flat = capture.endswith(("monograph run", "C++"))
    if flat or (capture == "trace, saved" and KINDS[name].startswith("8")):
        edits = [edits[0], *[None] * (len(edits) - 1)]  # a file is what the program was: only its process can follow it
    state = {name: value.clone() for name, value in f.state_dict().items()} if isinstance(f, torch.nn.Module) else {}
    expected = []
    for arguments, edit in zip(inputs, edits, strict=True):  # in turn: a buffer may count them
        if flat:  # each run of the program reads the file anew
            f, _, fresh = made(torch, name)
            if fresh[0]:
                fresh[0](f)
        elif edit:
            edit(f)
        expected.append(called(torch, f, arguments, flat))
    followed = [edit is not None for edit in edits]
    f, inputs, edits = made(torch, name)  # anew: what the calls left behind in Python is no part of what is captured
    if edits[0]:
        edits[0](f)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            g = captured(torch, capture, f, copy.deepcopy(inputs[0]))
            note = broken(torch, g) if capture == "compile" else ""
        except Exception as error:
            return "raises at capture", f"{type(error).__name__}: {error}"
    warned = [str(w.message) for w in said if "Tracer" in w.category.__name__]
    for model in (f, g) if state and not flat else (f,) if state else ():
        restore(model, state)
    if flat:
        try:
            g.save()
        except Exception as error:
            return "raises at capture", f"{type(error).__name__}: {error}"
    for k, arguments in enumerate(inputs):
        try:
            if followed[k] and not (flat and k == 0):
                edits[k](g)
            found = called(torch, g, arguments, flat)
        except Exception as error:
            return "raises at run", f"for input {k + 1}: {type(error).__name__}: {error}"
        if not near(found, expected[k]):
            where = f"differs at input {k + 1}"
            return ("wrong, warned", f"{where}; warned: {warned[0]}") if warned else ("SILENTLY WRONG", where)
    return "ok", note or (broken(torch, g) if capture == "compile" else "")


def broken(torch: Any, g: Any) -> str:
    """Why a compiled function of Monograph runs without a graph; empty where it has one."""
    if torch.__name__ != "monograph":
        return ""
    from monograph import _C
    from monograph._compile import compiled_of

    made = compiled_of(g) if torch.__name__ == "monograph" else None
    return (
        "; ".join(f"[{e['kind']}] {e['detail']} at {e['where']}" for e in _C._compiled_entries(made) if e["kind"])
        if made is not None
        else ""
    )


def answer(torch: Any, capture: str, name: str) -> tuple[str, str]:
    try:
        with torch.no_grad():
            return outcome(torch, capture, name)
    except Exception as error:  # of the program itself, where the library lacks what it needs
        return "raises at capture", f"the function itself: {type(error).__name__}: {error}"


def serve(side: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if side == "Monograph":
        import monograph as torch
    else:
        import torch
    import logging

    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        name, capture = json.loads(line)
        if capture.startswith("compile"):
            torch._dynamo.reset()
        answers.write(json.dumps(answer(torch, capture, name)) + "\n")
        answers.flush()


# --- both sides


class Side:
    """A process that answers for one library; started again where a program ends it."""

    def __init__(self, python: str, side: str):
        self.python, self.side = python, side
        self.process: subprocess.Popen[str] | None = None

    def ask(self, name: str, capture: str) -> tuple[str, str]:
        if self.process is None:
            command = ["timeout", str(LIMIT * 100), self.python, __file__, "--serve", self.side]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps([name, capture]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            found, why = json.loads(answer)
            return found, why
        code, self.process = self.process.wait(), None
        return "CRASH", f"its process ended with exit code {code}"


WORDS = {"raises at capture": "refuses", "raises at run": "refuses", "wrong, warned": "warned", "SILENTLY WRONG": "**wrong**", "CRASH": "**crash**"}


def counts(columns: list[tuple[str, str]], found: dict[tuple[str, str, str], str]) -> list[str]:
    lines = []
    for kind in OUTCOMES:
        number = [sum(found[name, *column] == kind for name in PROGRAMS) for column in columns]
        lines.append(f"| **{kind.lower()}, of {len(PROGRAMS)}** | " + " | ".join(map(str, number)) + " |")
    return lines


def table(sides: list[str], found: dict[tuple[str, str, str], str]) -> list[str]:
    columns = [(side, capture) for side in sides for capture in CAPTURES[side]]
    lines = ["| function | " + " | ".join(f"{side} {capture}" for side, capture in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += counts(columns, found)
    before = ""
    for name in PROGRAMS:
        if KINDS[name] != before:
            before = KINDS[name]
            lines.append(f"| *{before}* |" + " |" * len(columns))
        cells = [found[name, *column] for column in columns]
        lines.append(f"| {name} | " + " | ".join(WORDS.get(c, c) for c in cells) + " |")
    return lines


def taken(side: str, capture: str, found: dict[tuple[str, str, str], str]) -> list[str]:
    """How many programs of each of three groups are ok: those of programs.py, those after users' reports, and the others."""
    groups: dict[str, list[str]] = {"of the language's": [], "of the reports'": [], "of the others": []}
    for name, kind in KINDS.items():
        group = "of the language's" if kind == LANGUAGE else "of the reports'" if kind[0].isdigit() else "of the others"
        groups[group].append(name)
    return [f"{sum(found[name, side, capture] == 'ok' for name in names)} of {len(names)} {group}" for group, names in groups.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the table into docs/coverage.md")
    parser.add_argument("--table", action="store_true", help="print the table and nothing else")
    parser.add_argument("--why", action="store_true", help="say why, for all but ok")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    pythons = {"Monograph": sys.executable}
    if peer := os.environ.get("MONOGRAPH_ORACLE"):
        pythons["PyTorch"] = peer
    found: dict[tuple[str, str, str], str] = {}
    wrong = 0
    for side, python in pythons.items():
        process = Side(python, side)
        for capture in CAPTURES[side]:
            for name in PROGRAMS:
                result, why = process.ask(name, capture)
                found[name, side, capture] = result
                if side == "Monograph" and result not in ("ok", "raises at capture", "raises at run"):
                    wrong += 1
                if not options.table:
                    print(f"{side} {capture:<9} {result:<17} {name}" + (f"\n    {why}" if why and options.why else ""), flush=True)
    lines = table(list(pythons), found)
    if options.table:
        print("\n".join(lines))
        return 1 if wrong else 0
    print("\n" + "\n".join(lines))
    if options.write:
        sys.path.insert(0, str(ROOT / "tools"))
        import claims

        text = PAGE.read_text()
        begin, end = next(c.span for c in claims.parse(PAGE, text) if c.id == "coverage_table")
        PAGE.write_text("\n".join([text[:begin].rstrip("\n"), "", *lines]) + text[end:])
    print(f"\nprograms: {len(PROGRAMS)}")
    for side in pythons:
        for capture in CAPTURES[side]:
            number = Counter(found[name, side, capture] for name in PROGRAMS)
            print(f"{side} {capture}: " + ", ".join(f"{number[kind]} {kind.lower()}" for kind in OUTCOMES))
    for side in pythons:
        for capture in CAPTURES[side]:
            print(f"{side} {capture} takes " + ", ".join(taken(side, capture, found)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
