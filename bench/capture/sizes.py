"""A hundred batch sizes: how many captures torch.compile makes of each program of programs.py that takes tensors, beside PyTorch in one run. The first size of
each tensor that is as long as the first one's goes from 0 to 99, in a shuffled order behind 1 and 0; the others stay. Each result is compared with the function's own.

python bench/capture/sizes.py                            # our counts; exit 1 where a result differs
MONOGRAPH_ORACLE=python python bench/capture/sizes.py    # and PyTorch's
python bench/capture/sizes.py --which                    # and each program that has more than two captures, with what failed"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
import warnings
from typing import Any

from programs import KINDS, PROGRAMS
from run import near, numbers, restore

MOST = 2
CALL = 5  # seconds for one call: the function itself may have no end at some size
SECONDS = 10  # for one program: no more sizes after that
LONGEST = 60  # for one program whose call does not come back: another process goes on with the next one


def order() -> list[int]:
    rest = list(range(2, 100))
    random.Random(0).shuffle(rest)
    return [1, 0, *rest]


def resized(torch: Any, inputs: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """The example's tensors with another first size, their elements repeated."""
    first = inputs[0].shape[0]

    def of(t: Any) -> Any:
        if t.dim() == 0 or t.shape[0] != first:
            return t.clone()
        return t[torch.arange(n) % first].clone()

    return tuple(of(t) for t in inputs)


def takes_sizes(torch: Any, name: str) -> bool:
    torch.manual_seed(0)
    _, inputs, *rest = PROGRAMS[name](torch)
    tensors = all(isinstance(t, torch.Tensor) for t in inputs[0])
    return not rest and tensors and bool(inputs[0]) and inputs[0][0].dim() > 0 and inputs[0][0].shape[0] > 0


def counter(torch: Any) -> tuple[Any, Any]:
    """A backend, and a function that says how many captures a compiled function has, and why it captured anew."""
    if torch.__name__ == "monograph":
        from monograph import _C
        from monograph._compile import compiled_of

        def count(g: Any) -> tuple[int, int, list[str]]:
            found = _C._compiled_entries(compiled_of(g))
            return len(found), sum(bool(e["kind"]) for e in found), [e["detail"] for e in found if e["kind"]]

        return "monograph", count
    from torch._dynamo.testing import CompileCounterWithBackend

    made = CompileCounterWithBackend("eager")
    return made, lambda g: (made.frame_count, 0, [])


def no_end(*_: Any) -> None:
    raise TimeoutError


def result(torch: Any, f: Any, inputs: tuple[Any, ...]) -> Any:
    torch.manual_seed(1)
    inputs = copy.deepcopy(inputs)
    signal.setitimer(signal.ITIMER_REAL, CALL)
    try:
        return numbers(torch, [f(*inputs), inputs])
    except Exception as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def outcome(torch: Any, name: str) -> dict[str, Any]:
    torch.manual_seed(0)
    f, inputs, *_ = PROGRAMS[name](torch)
    torch.manual_seed(0)
    eager, *_ = PROGRAMS[name](torch)
    state = {key: value.clone() for key, value in f.state_dict().items()} if isinstance(f, torch.nn.Module) else {}
    torch._dynamo.reset()
    backend, count = counter(torch)
    g = torch.compile(f, backend=backend)
    wrong, called, end = [], 0, time.monotonic() + SECONDS
    for n in order():
        if time.monotonic() > end:
            break
        for model in (f, eager) if state else ():
            restore(model, state)
        arguments = resized(torch, inputs[0], n)
        expected = result(torch, eager, arguments)
        if isinstance(expected, TimeoutError):  # a loop that doubles a tensor does not end where it has no rows
            end += CALL
            continue
        found = result(torch, g, arguments)
        if isinstance(expected, Exception):
            if not isinstance(found, Exception):
                wrong.append(n)
            continue
        called += 1
        if isinstance(found, Exception) or not near(found, expected):
            wrong.append(n)
    captures, plain, why = count(g)
    return {"captures": captures, "plain": plain, "why": why, "wrong": wrong, "called": called}


def row(torch: Any, name: str) -> dict[str, Any] | None:
    try:
        return outcome(torch, name) if takes_sizes(torch, name) else None
    except Exception as error:
        return {"captures": -1, "plain": 0, "why": [f"{type(error).__name__}: {error}"], "wrong": [], "called": 0}


def serve(torch: Any, answers: Any) -> None:
    """Answers names of programs, line by line: null for one that takes no sizes."""
    signal.signal(signal.SIGALRM, no_end)
    for line in sys.stdin:
        name = line.rstrip("\n")
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            found = row(torch, name)
        print(json.dumps(found), file=answers, flush=True)


class Side:
    """A process of one library that counts. Where a program takes too long it is ended, and another one goes on with the next program."""

    def __init__(self, who: str, python: str):
        self.command = [python, __file__, "--side", who]
        self.process: subprocess.Popen[str] | None = None

    def ask(self, name: str) -> dict[str, Any] | None:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin and self.process.stdout
        print(name, file=self.process.stdin, flush=True)
        if select.select([self.process.stdout], [], [], LONGEST)[0]:
            answer = self.process.stdout.readline()
            if answer:
                return json.loads(answer)
        self.end()
        return {"captures": -1, "plain": 0, "why": [f"no end after {LONGEST} s"], "wrong": [], "called": 0, "hangs": True}

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def tell(who: str, found: dict[str, Any], which: bool) -> None:
    few = [name for name, of in found.items() if 0 <= of["captures"] <= MOST and not of["plain"]]
    wrong = [name for name, of in found.items() if of["wrong"]]
    hangs = [name for name, of in found.items() if of.get("hangs")]
    calls = sum(of["called"] for of in found.values())
    print(
        f"{who}: {len(few)} of {len(found)} programs with at most {MOST} captures and no break, in {calls} calls; "
        f"{len(wrong)} differ from the function at some size; {len(hangs)} have no end after {LONGEST} s"
    )
    for name, of in found.items():
        if which and (name in wrong or name not in few):
            print(f"  {name} ({KINDS[name]}): {of['captures']} captures {of['why'][:1]}" + (f", differs at {of['wrong'][:5]}" if of["wrong"] else ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--which", action="store_true", help="name those with more captures")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        import logging

        if options.side == "Monograph":
            import monograph as torch
        else:
            import torch
        logging.disable(logging.CRITICAL)
        answers = os.fdopen(os.dup(1), "w")  # the programs print
        os.dup2(2, 1)
        serve(torch, answers)
        return 0
    from tqdm import tqdm

    wrong = False
    for who, python in {"Monograph": sys.executable, "PyTorch": os.environ.get("MONOGRAPH_ORACLE")}.items():
        if not python:
            continue
        side, found = Side(who, python), {}
        for name in tqdm(list(PROGRAMS), who, unit="program", disable=None, leave=False):
            answer = side.ask(name)
            if answer is not None:
                found[name] = answer
        side.end()
        tell(who, found, options.which)
        wrong = wrong or (who == "Monograph" and any(of["wrong"] for of in found.values()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
