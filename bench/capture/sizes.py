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
import subprocess
import sys
import time
import warnings
from typing import Any

from programs import KINDS, PROGRAMS
from run import near, numbers, restore

MOST = 2
SECONDS = 10  # for one program; what has not come to an end by then is told


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


def result(torch: Any, f: Any, inputs: tuple[Any, ...]) -> Any:
    torch.manual_seed(1)
    inputs = copy.deepcopy(inputs)
    try:
        return numbers(torch, [f(*inputs), inputs])
    except Exception as error:
        return error


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
        expected, found = result(torch, eager, arguments), result(torch, g, arguments)
        if isinstance(expected, Exception):
            if not isinstance(found, Exception):
                wrong.append(n)
            continue
        called += 1
        if isinstance(found, Exception) or not near(found, expected):
            wrong.append(n)
    captures, plain, why = count(g)
    return {"captures": captures, "plain": plain, "why": why, "wrong": wrong, "called": called}


def side(torch: Any) -> dict[str, Any]:
    found = {}
    for name in PROGRAMS:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            try:
                if takes_sizes(torch, name):
                    found[name] = outcome(torch, name)
            except Exception as error:
                found[name] = {"captures": -1, "plain": 0, "why": [f"{type(error).__name__}: {error}"], "wrong": [], "called": 0}
    return found


def tell(who: str, found: dict[str, Any], which: bool) -> None:
    few = [name for name, of in found.items() if 0 <= of["captures"] <= MOST and not of["plain"]]
    wrong = [name for name, of in found.items() if of["wrong"]]
    calls = sum(of["called"] for of in found.values())
    print(
        f"{who}: {len(few)} of {len(found)} programs with at most {MOST} captures and no break, in {calls} calls; "
        f"{len(wrong)} differ from the function at some size"
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
        json.dump(side(torch), answers)
        return 0
    wrong = False
    for who, python in {"Monograph": sys.executable, "PyTorch": os.environ.get("MONOGRAPH_ORACLE")}.items():
        if not python:
            continue
        done = subprocess.run([python, __file__, "--side", who], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        found = json.loads(done.stdout)
        tell(who, found, options.which)
        wrong = wrong or (who == "Monograph" and any(of["wrong"] for of in found.values()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
