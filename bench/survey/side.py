"""One side of the survey.

    side.py LIBRARY CASES OUT [NAME,...]

LIBRARY is `torch` (PyTorch, which runs first), `monograph` (run as `python -m monograph side.py ...`), or `back` (PyTorch reads the archives that Monograph wrote).
One JSON line for each case and each thing that is done with it goes to OUT/CASES.LIBRARY.jsonl: a start, then the outcome. A start without an outcome is a
crash, which run.py writes down. What the file has already is left out."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import logging
import os
import pickle
import random
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY, PACKAGE, OUT = sys.argv[1], sys.argv[2], Path(sys.argv[3])
ONLY = sys.argv[4].split(",") if len(sys.argv) > 4 else None
sys.path[:0] = [str(HERE), str(HERE.parent / "capture")]
sys.path += os.environ["SURVEY_PACKAGES"].split(":")
if LIBRARY != "monograph":
    sys.path.append(str(ROOT / "tools" / "oracle"))
    import pinned  # noqa: F401

import numpy as np  # noqa: E402
import torch  # noqa: E402
from network_results import difference, leaves  # noqa: E402
from registry import CASES, Draw  # noqa: E402

SECONDS = 90  # for one thing done with one case
CAPTURES = ("trace", "script", "fx", "compile", "fullgraph")
SLOW_IN_PYTORCH = 4  # PyTorch's compile takes long: it runs beside so many of the captures of a package that Monograph does not take
RESULTS, GRADIENTS, WEIGHTS = 2e-5, 2e-4, 2e-6  # of the largest element
Outcome = tuple[str, str]


class Late(BaseException):
    pass


def late(*_: Any) -> None:
    raise Late


def plain(value: Any) -> Any:
    """Tensors as arrays, objects by their fields."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        value = value.to_dense() if value.is_sparse else value
        value = value.float() if value.dtype in (torch.bfloat16, torch.float16) else value
        value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
        return value.contiguous().numpy().copy()
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if dataclasses.is_dataclass(value):
        return [plain(getattr(value, f.name)) for f in dataclasses.fields(value)]
    return [plain(v) for v in vars(value).values() if isinstance(v, torch.Tensor)] if hasattr(value, "__dict__") else None


def tensors(value: Any) -> list[torch.Tensor]:
    if dataclasses.is_dataclass(value):
        value = [getattr(value, f.name) for f in dataclasses.fields(value)]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for part in value for t in tensors(part)]
    return [value] if isinstance(value, torch.Tensor) else []


def said(error: BaseException) -> str:
    """The error, and the line of the package or case that it comes from."""
    library = os.path.dirname(torch.__file__)
    user = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(library) and f.filename != __file__]
    place = f"{'/'.join(user[-1].filename.split('/')[-3:])}:{user[-1].lineno}" if user else ""
    return f"{type(error).__name__}: {str(error).strip()[:900]} <{place}>"


def seed(number: int) -> None:
    torch.manual_seed(number)
    random.seed(number)
    np.random.seed(number)


def make(name: str, state: dict[str, np.ndarray] | None = None) -> torch.nn.Module:
    """The module of a case in eval mode, with PyTorch's weights."""
    seed(0)
    module = CASES[name][0]()
    if state is not None:
        own = module.state_dict()
        for key, array in state.items():
            if isinstance(own.get(key), torch.Tensor):
                own[key] = torch.from_numpy(array.copy()).to(own[key].dtype) if array.size else torch.empty(array.shape)
        module.load_state_dict(own)
    return module.eval()


def inputs(name: str, k: int) -> tuple[Any, ...]:
    return CASES[name][1](Draw(k + 1), k)


def call(module: Any, arguments: tuple[Any, ...]) -> Any:
    seed(1)
    return module(*arguments)


def gradients(module: Any, arguments: tuple[Any, ...], of_inputs: bool = True) -> dict[str, np.ndarray]:
    """Of a weighted sum of all results, by the names of the parameters and the places of the inputs."""
    floating = [isinstance(a, torch.Tensor) and a.is_floating_point() for a in arguments]
    arguments = tuple(a.clone().requires_grad_() if of_inputs and is_float else a for a, is_float in zip(arguments, floating))
    module.zero_grad()
    loss: Any = None
    for t in tensors(call(module, arguments)):
        if t.requires_grad:
            t = torch.view_as_real(t) if t.is_complex() else t
            part = (t * torch.arange(t.numel()).cos().view(t.shape)).sum()
            loss = part if loss is None else loss + part
    if loss is None:
        return {}
    loss.backward()
    found = {name.replace("_orig_mod.", ""): p.grad for name, p in module.named_parameters()}
    found.update({f"input {k}": a.grad for k, a in enumerate(arguments) if isinstance(a, torch.Tensor)})
    return {name: plain(grad) for name, grad in found.items() if grad is not None}


def capture(what: str, name: str, state: dict[str, np.ndarray]) -> Any:
    module = make(name, state)
    if what == "trace":
        return torch.jit.trace(module, inputs(name, 0), strict=False)
    if what == "script":
        return torch.jit.script(module.__dict__.get("plain", module))
    if what == "fx":
        return torch.fx.symbolic_trace(module)
    torch._dynamo.reset()
    backend = {} if LIBRARY == "monograph" else {"backend": "eager"}
    return torch.compile(module, fullgraph=what == "fullgraph", **backend)


class Side:
    """What is done with a case; each gives its outcome in words, and a detail."""

    def __init__(self) -> None:
        theirs = OUT / f"{PACKAGE}.torch.pkl"
        self.theirs: dict[str, Any] = pickle.loads(theirs.read_bytes()) if LIBRARY != "torch" else {}
        self.kept = OUT / f"{PACKAGE}.{LIBRARY}.pkl"
        self.ours: dict[str, Any] = pickle.loads(self.kept.read_bytes()) if self.kept.exists() else {}

    def keep(self) -> None:
        written = self.kept.with_suffix(".new")
        written.write_bytes(pickle.dumps(self.ours))
        written.replace(self.kept)

    def archive(self, name: str, library: str) -> Path:
        return OUT / f"{PACKAGE}.{name.replace('/', '_')}.{library}.pt"

    def do(self, name: str, what: str) -> Outcome:
        ours = self.ours.setdefault(name, {}) if LIBRARY != "back" else self.theirs[name]
        theirs = self.theirs[name] if LIBRARY != "torch" else ours
        if what == "eager":
            return self.eager(name, ours, theirs)
        if what == "gradients":
            ours["gradients"] = gradients(make(name, theirs["state"]), inputs(name, 0))
            expected = theirs.get("gradients")
            return self.compared(ours["gradients"], expected, GRADIENTS) if expected is not None else ("equal", "PyTorch raises")
        if what in CAPTURES:
            return self.captured(name, what, ours, theirs)
        path = self.archive(name, "torch" if what == "load" else "monograph")
        if not path.exists():
            return "none", ""
        try:
            loaded = torch.jit.load(str(path))
        except Exception as error:
            return "refused", said(error)
        return self.run(loaded, name, theirs["eager"])

    def compared(self, ours: Any, theirs: Any, bound: float) -> Outcome:
        wrong = difference(ours, theirs, [], bound)
        return ("WRONG", wrong) if wrong else ("equal", "")

    def eager(self, name: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Outcome:
        weights = {k: plain(v) for k, v in make(name).state_dict().items() if isinstance(v, torch.Tensor)}
        if LIBRARY == "torch":
            ours["state"] = weights
        module = make(name, theirs["state"])
        ours["eager"] = [plain(call(module, inputs(name, k))) for k in (0, 1)]
        outcome = self.compared(ours["eager"], theirs["eager"], RESULTS)
        wrong = difference(weights, theirs["state"], [], WEIGHTS)
        return ("WRONG weights", wrong) if outcome[0] == "equal" and wrong else outcome

    def run(self, graph: Any, name: str, expected: Any) -> Outcome:
        """Calls at both sizes, beside what the same library computes eagerly."""
        for k in (0, 1):
            try:
                got = plain(call(graph, inputs(name, k)))
            except Exception as error:
                return f"raises at size {k + 1}", said(error)
            # An archive gives a list or dict for an object.
            if wrong := difference(arrays(got), arrays(expected[k]), [], RESULTS):
                return f"WRONG at size {k + 1}", wrong
        return "equal", ""

    def captured(self, name: str, what: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Outcome:
        try:
            graph = capture(what, name, theirs["state"])
        except Exception as error:
            return "refused", said(error)
        if what == "script" and type(graph).__name__ == "function":
            return "stays Python", "the function itself came back"
        outcome = self.run(graph, name, ours["eager"])
        if outcome[0] != "equal":
            return outcome
        if what == "trace":
            path = self.archive(name, LIBRARY)
            try:
                torch.jit.save(graph, str(path))
            except Exception as error:
                with contextlib.suppress(OSError):
                    path.unlink()
                return "not saved", said(error)
        expected = {k: v for k, v in ours.get("gradients", {}).items() if not k.startswith("input ")}
        if what not in ("trace", "compile") or not expected:
            return outcome
        try:
            found = gradients(graph, inputs(name, 0), of_inputs=False)
        except Exception as error:
            return "gradients raise", said(error)
        wrong = difference(found, expected, [], GRADIENTS)
        return ("WRONG gradients", wrong) if wrong else outcome


def arrays(value: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves(value) if isinstance(leaf, np.ndarray)]


def torchvision_operators() -> Any:
    """torchvision's binary wants a GPU's libraries. Its Python files describe these two operators; the cases do not call them."""
    names = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return names


class Log:
    """The outcomes, which a process that crashed leaves to the next."""

    def __init__(self, library: str = LIBRARY) -> None:
        self.path = OUT / f"{PACKAGE}.{library}.jsonl"
        lines = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
        self.outcomes = {(name, what): outcome for name, what, outcome, _ in lines if outcome != "start"}

    def add(self, name: str, what: str, outcome: str, detail: str = "") -> None:
        with open(self.path, "a") as file:
            file.write(json.dumps([name, what, outcome, detail]) + "\n")


def to_do() -> list[str]:
    if LIBRARY == "torch":
        return ["eager", "gradients", "trace", "script", "fx"]
    return ["eager", "gradients", *CAPTURES, "load"] if LIBRARY == "monograph" else ["back", "compile", "fullgraph"]


def outcome_of(side: Side, name: str, what: str) -> Outcome:
    signal.alarm(SECONDS)
    try:
        return side.do(name, what)
    except KeyboardInterrupt:
        raise
    except Late:
        return "TIMEOUT", f"{SECONDS} s"
    except BaseException as error:
        return "raises", said(error)
    finally:
        signal.alarm(0)


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGALRM, late)
    torch.set_num_threads(1)
    operators = torchvision_operators() if LIBRARY != "monograph" else None
    log = Log()
    try:
        importlib.import_module(f"cases.{PACKAGE}")
    except BaseException as error:
        return log.add("*", "import", "refused", said(error) + traceback.format_exc(limit=-6)[-1500:])
    side = Side()
    refused = sorted(k for k, v in Log("monograph").outcomes.items() if k[1] in ("compile", "fullgraph") and v != "equal")[:SLOW_IN_PYTORCH]
    for name in CASES:
        if (ONLY and name not in ONLY) or (LIBRARY != "torch" and "eager" not in side.theirs.get(name, {})):
            continue
        for what in to_do():
            slow = LIBRARY == "back" and what != "back" and (name, what) not in refused
            without_eager = LIBRARY != "back" and what != "eager" and "eager" not in side.ours.get(name, {})
            if slow or without_eager or (name, what) in log.outcomes:
                continue
            log.add(name, what, "start")
            began = time.monotonic()
            outcome, detail = outcome_of(side, name, what)
            log.add(name, what, outcome, detail)
            print(f"{LIBRARY:9} {PACKAGE} {name:32} {what:9} {outcome:12} {time.monotonic() - began:5.1f} s {detail[:150]!r}", flush=True)
        side.keep()
    del operators


main()
