"""Calls with one or two wrong arguments, made of PyTorch's own samples (`op_db`), through PyTorch and Monograph: which of them raises, and the kind of the error.

    PYTHONPATH=python .venv-oracle/bin/python tools/oracle/wrong_calls.py [--seed N] [--calls N] [--sample N] [--json FILE] [NAME...]

An argument becomes a tensor of another dtype, size, number of dims or device, or without elements; a number at the ends of its range; a list of another
length; a value of another type. Calls are made in another process, which may end: a crash or an endless call of Monograph is a finding; of PyTorch, the
operator is left."""

from __future__ import annotations

import argparse
import json
import os
import random
import selectors
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pinned  # noqa: F401

SECONDS = 60  # of one call
ENDLESS = ("linalg.matrix_power", "lu_unpack")  # wrong calls of these are endless in PyTorch, or end its process


# ---- wrong arguments


def wrong_tensor(t: Any, r: random.Random) -> tuple[str, Any]:
    import torch

    dtypes = [torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16, torch.uint8, torch.bfloat16, torch.float64, torch.int32]
    dim = r.randrange(t.dim()) if t.dim() else None
    choices: list[tuple[str, Callable[[], Any]]] = [(f"as {d}", lambda d=d: t.detach().to(d)) for d in r.sample(dtypes, 3)]
    choices += [
        ("None", lambda: None),
        ("a number", lambda: r.choice([2, 1.5, True, 1j, -3])),
        ("a str", lambda: "a"),
        ("a list", lambda: t.tolist() if t.numel() < 100 else [1, 2]),
        ("on meta", lambda: t.detach().to("meta")),
        ("with a dim more", lambda: t.unsqueeze(r.randint(0, t.dim()))),
        ("expanded", lambda: t.detach().unsqueeze(0).expand(3, *t.shape)),
        ("one element", lambda: t.detach().flatten()[0] if t.numel() else t.sum()),
        ("without elements", lambda: torch.empty(0, dtype=t.dtype)),
    ]
    if dim is not None:
        choices += [
            ("with a dim less", lambda: t.select(dim, 0) if min(t.shape) > 0 else t.sum(0)),
            ("twice as long", lambda: torch.cat([t, t], dim)),
            ("without slices", lambda: t.narrow(dim, 0, 0)),
            ("with a slice less", lambda: t.narrow(dim, 0, max(0, t.shape[dim] - 1))),
        ]
    words, make = r.choice(choices)
    return words, make()


def wrong(value: Any, r: random.Random) -> tuple[str, Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return wrong_tensor(value, r)
    if isinstance(value, (list, tuple)) and value:
        k = r.randrange(len(value))
        words, item = wrong(value[k], r)
        whole = list(value)
        return r.choice([(words, [*whole[:k], item, *whole[k + 1 :]])] * 3 + [("shorter", whole[:-1]), ("longer", [*whole, whole[-1]]), ("empty", []), ("None", None), ("a str", "a"), ("3", 3)])
    others: dict[type, list[Any]] = {
        bool: ["a", 3, None, 1.5],
        int: [-1, -2, -100, 0, 1, 7, 100, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64, 1.5, 2.0, "a", None, True, [1], [1, 2, 3], torch.tensor(1), torch.float32, float("nan")],
        float: [float("nan"), float("inf"), "a", None, 1j, -1.0, 0, 2**70, [1.0], torch.tensor(1.0), torch.ones(2)],
        str: ["nope", "", 3, None],
        torch.dtype: [torch.bool, torch.uint8, torch.complex64, torch.float16, torch.int64, "float32", float, 3, None],
        type(None): [1, -1, "a", torch.ones(2), [1], 1.5],
    }
    other = r.choice(next((found for kind, found in others.items() if isinstance(value, kind)), [object()]))
    return f"{value!r} becomes {other!r}", other


# ---- the process that calls


def calls_of(op: Any, seed: int, count: int) -> Iterator[tuple[str, Any, Any, list[Any], dict[str, Any]]]:
    """(words, PyTorch's function, ours, arguments, keywords)"""
    import op_db
    import torch

    name = ".".join(filter(None, (op.name, op.variant_test_name)))
    forms = op_db.forms(op, op_db.Outcome(op.name, op.variant_test_name))[:2]
    dtypes = [d for d in (torch.float32, torch.int64, torch.complex64) if d in op.dtypes]
    if not forms or not dtypes:
        return
    r = random.Random(f"{name} {seed}")
    torch.manual_seed(seed)
    samples = []
    try:
        for sample in op.sample_inputs("cpu", dtypes[0], requires_grad=False):
            samples.append(sample)
            if len(samples) == 30:
                break
    except Exception:  # PyTorch cannot make them
        return
    for _ in range(count if samples else 0):
        sample, (words, theirs, ours) = r.choice(samples), r.choice(forms)
        args, kwargs = [sample.input, *sample.args], dict(sample.kwargs)
        said = []
        for _ in range(r.choice([1, 1, 1, 2])):
            place = r.choice([*range(len(args)), *kwargs])
            given: Any = args if isinstance(place, int) else kwargs
            if isinstance(given[place], torch.Tensor) and given[place].layout != torch.strided:
                return
            what, given[place] = wrong(given[place], r)
            said.append(f"{place}: {what}")
        if words == "function" or isinstance(args[0], torch.Tensor):
            yield f"{words}({op_db.brief(args)}, {kwargs}), {'; '.join(said)}"[:400], theirs, ours, args, kwargs


def outcome(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[str, str, Any]:
    """The kind of the error, its words, the result."""
    try:
        return "works", "", function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error)[:300], None


def work(seed: int, count: int, names: list[str]) -> None:
    import monograph
    import op_db
    import torch

    def tell(**line: Any) -> None:
        print(json.dumps(line), flush=True)

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    monograph.set_num_threads(1)
    for op in op_db.op_db:
        name = ".".join(filter(None, (op.name, op.variant_test_name)))
        if name not in names:
            continue
        tell(name=name)
        for words, theirs, ours, args, kwargs in calls_of(op, seed, count):
            try:
                converter = op_db.Converter()
                (a, b), (c, d) = converter.both(tuple(args)), converter.both(kwargs)
            except Exception:  # noqa: S112 - a value that is not there, such as a sparse tensor
                continue
            line = {"name": name, "call": words}
            torch.manual_seed(0)
            monograph.manual_seed(0)
            tell(**line, calls="PyTorch")
            expected, expected_words, theirs_made = outcome(theirs, a, c)
            tell(**line, calls="Monograph")
            got, got_words, ours_made = outcome(ours, b, d)
            different = None
            if expected == got == "works" and name != "chalf":  # PyTorch cannot compare complex32
                different = op_db.differences(theirs_made, ours_made, any(part in name for part in op_db.UNSET))
            tell(**line, expected=expected, got=got, words=got_words, expected_words=expected_words, different=different)
        tell(name=name, done=True)


# ---- the process that asks


def answers(options: argparse.Namespace, names: list[str]) -> Iterator[dict[str, Any]]:
    """What workers say. A worker that ends or is silent gives a line with `ended`."""
    left = list(names)
    while left:
        command = [sys.executable, __file__, "--work", "--seed", str(options.seed), "--calls", str(options.calls), *left]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        last: dict[str, Any] = {}
        assert worker.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(worker.stdout, selectors.EVENT_READ)
            while selector.select(SECONDS) and (text := worker.stdout.readline()):
                last = json.loads(text)
                if last.get("done"):
                    left.remove(last["name"])
                yield last
        worker.kill()
        if worker.wait() == 0 or not last:
            return
        if "calls" in last:
            yield {**last, "ended": "is endless" if worker.returncode == -9 else f"ends the process ({worker.returncode})"}
        left = [name for name in left if name != last["name"]]


def same(expected: str, got: str) -> bool:
    kinds = {"NotImplementedError": "RuntimeError"}
    return kinds.get(expected, expected) == kinds.get(got, got)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="operators as PyTorch names them (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=10, help="of each operator (default: %(default)s)")
    parser.add_argument("--sample", type=int, help="so many operators, which the seed chooses (default: all)")
    parser.add_argument("--json", help="write what was found")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.seed, options.calls, options.names) or 0
    import op_db

    every = [".".join(filter(None, (op.name, op.variant_test_name))) for op in op_db.op_db]
    names = [n for n in every if n in options.names] if options.names else [n for n in every if n not in ENDLESS]
    if options.sample:
        names = random.Random(options.seed).sample(names, options.sample)
    found: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()  # calls, and those that ended PyTorch's process
    for line in answers(options, names):
        if "ended" in line:
            counts["ended"] += line["calls"] == "PyTorch"
            if line["calls"] == "Monograph":
                found.append({**line, "what": f"Monograph {line['ended']}"})
        elif "got" in line:
            counts["calls"] += 1
            if "bug in Monograph" in line["words"]:
                found.append({**line, "what": "a bug"})
            elif not same(line["expected"], line["got"]) or line["different"]:
                found.append({**line, "what": line["different"] or f"{line['got']} instead of {line['expected']}"})
    for line in found:
        print(f"{line['name']}: {line['what']}\n    {line['call']}\n    {line.get('expected_words', '')[:120]!r} / {line.get('words', '')[:120]!r}")
    print(f"{counts['calls']} calls, {len(found)} differ; {counts['ended']} ended PyTorch's process")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"calls": counts["calls"], "found": found}, file, indent=1)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
