"""PyTorch's own samples of its operators (`op_db` of its test package), through PyTorch and Monograph in one process: values, dtypes, shapes,
gradients, second gradients, and the errors of its bad calls.

    PYTHONPATH=python .venv-oracle/bin/python tools/oracle/op_db.py [--autocast] [--json FILE] [NAME...]

A finding is a line: the operator, the form of the call, and what differs. Names that Monograph lacks are counted, not run. With --autocast, float32 samples are
called in a region of autocast("cpu"), without bad calls: the dtypes of results are what counts, values agree as far as bfloat16 goes."""

from __future__ import annotations

import argparse
import collections
import json
import math
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import monograph
import pinned  # noqa: F401
import torch
from torch.testing._internal.common_methods_invocations import op_db

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64, torch.complex128)
WITH_GRADIENTS = (torch.float64, torch.complex128)
MOST_SAMPLES = 60  # of one operator and dtype
MOST_TWICE = 12  # of these, with second gradients
TOLERANCE = {torch.float32: 1e-4, torch.complex64: 1e-4, torch.float64: 1e-9, torch.complex128: 1e-9, torch.float16: 5e-3, torch.bfloat16: 3e-2}
UNSET = ("empty",)  # names with such a part return memory as it lies


class NotHere(Exception):
    """A sample that needs what Monograph leaves out on purpose, or has no name for: the reason."""


# ---- from PyTorch's values to ours ----


@dataclass
class Converter:
    """One sample's tensors; the same tensor stays one."""

    gradients: bool = False
    made: dict[int, Any] = field(default_factory=dict)
    leaves: list[tuple[Any, Any]] = field(default_factory=list)  # (PyTorch's, ours) that require a gradient

    def both(self, value: Any) -> tuple[Any, Any]:
        """A copy for PyTorch, whose gradient is its own, and ours."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self.made:
                self.made[id(value)] = (*self.tensor(value), value)
            return self.made[id(value)][:2]
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            name = str(value).removeprefix("torch.")
            if not hasattr(monograph, name):
                raise NotHere(f"torch.{name}")
            return value, getattr(monograph, name)
        if isinstance(value, torch.device):
            return value, monograph.device(str(value))
        if isinstance(value, torch.Generator):
            return value, monograph.Generator().manual_seed(value.initial_seed())
        if isinstance(value, torch.nn.Module):  # a function, such as a distance
            if list(value.parameters()) or repr(value) != f"{type(value).__name__}()":
                raise NotHere("a module of PyTorch's")
            return value, getattr(monograph.nn, type(value).__name__)()
        if isinstance(value, dict):
            pairs = {key: self.both(item) for key, item in value.items()}
            return {k: p[0] for k, p in pairs.items()}, {k: p[1] for k, p in pairs.items()}
        if isinstance(value, torch.Size):
            return value, monograph.Size(value)
        if isinstance(value, (list, tuple)):
            pairs = [self.both(item) for item in value]
            if hasattr(value, "_fields"):
                return type(value)(*(p[0] for p in pairs)), type(value)(*(p[1] for p in pairs))
            return type(value)(p[0] for p in pairs), type(value)(p[1] for p in pairs)
        return value, value

    def tensor(self, t: torch.Tensor) -> tuple[Any, Any]:
        if t.layout != torch.strided:
            raise NotHere("a sparse tensor")
        if t.device.type == "meta":
            return t, monograph.empty_strided(tuple(t.shape), t.stride(), dtype=getattr(monograph, str(t.dtype).removeprefix("torch.")), device="meta")
        if t.is_nested or t.is_quantized:
            raise NotHere("a nested or quantized tensor")
        plain = t.detach().resolve_conj().resolve_neg()
        reach = sum((n - 1) * s for n, s in zip(plain.shape, plain.stride())) + 1 if plain.numel() else 0
        theirs = plain.as_strided((reach,), (1,)).clone()
        ours = monograph.from_dlpack(theirs.clone()) if reach else monograph.empty(0, dtype=getattr(monograph, str(t.dtype).removeprefix("torch.")))
        layout = (tuple(plain.shape), plain.stride())
        theirs, ours = theirs.as_strided(*layout), ours.as_strided(*layout)
        if self.gradients and t.requires_grad:
            theirs, ours = theirs.detach().requires_grad_(), ours.detach().requires_grad_()
            self.leaves.append((theirs, ours))
        return theirs, ours


# ---- comparing ----


def to_torch(t: Any) -> torch.Tensor:
    if t.numel() == 0:
        return torch.empty(tuple(t.shape), dtype=getattr(torch, str(t.dtype).removeprefix("torch.")))
    return torch.from_dlpack(t.detach().contiguous().clone())


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and not isinstance(value, (torch.Size, monograph.Size)):
        for item in value:
            yield from flat(item)
    else:
        yield value


def difference(theirs: Any, ours: Any, unset: bool = False, least_scale: float = 1e-30) -> str | None:
    if isinstance(theirs, torch.Tensor):
        if not isinstance(ours, monograph.Tensor):
            return f"a {type(ours).__name__} instead of a tensor"
        if tuple(theirs.shape) != tuple(ours.shape):
            return "shape"
        if str(theirs.dtype) != str(ours.dtype):
            return f"dtype: {ours.dtype} instead of {theirs.dtype}"
        if theirs.numel() and any(n > 1 and a != b for n, a, b in zip(theirs.shape, theirs.stride(), ours.stride())):
            return "strides"
        if unset or theirs.device.type != "cpu":
            return None
        a, b = theirs.detach().resolve_conj().resolve_neg(), to_torch(ours)
        if theirs.dtype in TOLERANCE:
            limit = TOLERANCE[theirs.dtype]
            finite = a.abs()[a.isfinite()]
            scale = float(finite.max()) if finite.numel() else 0.0
            if not torch.allclose(a.to(torch.complex128), b.to(torch.complex128), limit, limit * max(scale, least_scale), equal_nan=True):
                return "values"
        elif not torch.equal(a, b):
            return "values"
        return None
    if isinstance(theirs, float) and isinstance(ours, float):
        return None if math.isclose(theirs, ours, rel_tol=1e-6) or (theirs != theirs and ours != ours) else "values"
    if isinstance(theirs, torch.Size):
        return None if tuple(theirs) == ours else "values"
    if isinstance(theirs, (torch.dtype, torch.device)):
        return None if str(theirs) == str(ours) else "values"
    return None if theirs == ours else "values"


def differences(theirs: Any, ours: Any, unset: bool = False) -> str | None:
    a, b = list(flat(theirs)), list(flat(ours))
    if len(a) != len(b):
        return f"{len(b)} results instead of {len(a)}"
    return next((d for d in (difference(x, y, unset) for x, y in zip(a, b)) if d), None)


def pairwise(expected: Sequence[Any], got: Sequence[Any], what: str, layouts: bool = True) -> str | None:
    """How gradients differ. None stands for zeros."""
    for x, y in zip(expected, got):
        if x is None or y is None:
            known = y if x is None else x
            if known is not None and not bool((known.abs() < 1e-12).all()):
                return f"{what}: None instead of numbers" if y is None else f"{what}: numbers instead of None"
        elif (d := difference(x, y, least_scale=1e-3)) and (layouts or d != "strides"):  # a gradient that is 0 but for rounding
            return f"{what} {d}"
    return None


def seeds_of(outputs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """What flows back into each: leaves of both sides."""
    made = [torch.randn_like(x.detach()) for x, _ in outputs]
    return [(s.requires_grad_(), monograph.from_dlpack(s.detach().resolve_conj().clone()).requires_grad_()) for s in made]


def gradient_difference(theirs: Any, ours: Any, leaves: list[tuple[Any, Any]], twice: bool = False) -> str | None:
    """How first gradients differ, and with `twice` those of the gradients, by the leaves and by what flowed back."""
    outputs = [(x, y) for x, y in zip(flat(theirs), flat(ours)) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not outputs or not leaves:
        return None
    if not all(y.requires_grad for _, y in outputs):
        return "no gradient"
    torch.manual_seed(1)
    seeds = seeds_of(outputs)

    def gradients(side: int, of: list[Any], by: list[Any], flowing: list[Any], again: bool) -> Sequence[Any]:
        module = monograph if side else torch
        given = [[pair[side] for pair in pairs] for pairs in (of, by, flowing)]
        return module.autograd.grad(*given, create_graph=again, allow_unused=True)  # type: ignore[attr-defined, no-any-return]

    try:
        expected = gradients(0, outputs, leaves, seeds, twice)
    except Exception:  # PyTorch has none
        return None
    got = gradients(1, outputs, leaves, seeds, twice)
    different = pairwise(expected, got, "gradient")
    if different or not twice:
        return different
    firsts = [(x, y) for x, y in zip(expected, got) if x is not None and x.requires_grad and x.numel()]
    if not firsts:
        return None
    if not all(y is not None and y.requires_grad for _, y in firsts):
        return "no second gradient"
    flowing = seeds_of(firsts)
    try:
        expected = gradients(0, firsts, leaves + seeds, flowing, False)
    except Exception:
        return None
    return pairwise(expected, gradients(1, firsts, leaves + seeds, flowing, False), "second gradient", layouts=False)


# ---- one operator ----


@dataclass
class Outcome:
    name: str
    variant: str
    passed: int = 0
    missing: str | None = None  # the name that is not here
    autocast: bool = False  # calls are made in a region of it
    left_out: collections.Counter[str] = field(default_factory=collections.Counter)
    findings: collections.Counter[str] = field(default_factory=collections.Counter)
    example: dict[str, str] = field(default_factory=dict)

    def found(self, what: str, how: str) -> None:
        self.findings[what] += 1
        self.example.setdefault(what, how)


def at(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def brief(value: Any) -> str:
    def one(v: Any) -> str:
        return f"{str(v.dtype).removeprefix('torch.')}{tuple(v.shape)}" if isinstance(v, torch.Tensor) else repr(v)

    return ", ".join(one(v) for v in value) if isinstance(value, (list, tuple)) else one(value)


Form = tuple[str, Callable[..., Any], Callable[..., Any]]


def forms(op: Any, outcome: Outcome) -> list[Form]:
    """The calls that an operator has: (words, PyTorch's, ours)."""
    found: list[Form] = []
    for words, module in (("function", ""), ("method", "Tensor."), ("in place", "Tensor.")):
        path = module + (op.name + "_" if words == "in place" else op.name)
        if words == "method" and op.method_variant is None or words == "in place" and op.inplace_variant is None:
            continue
        try:
            theirs = at(torch, path)
        except AttributeError:
            continue
        try:
            found.append((words, theirs, at(monograph, path)))
        except AttributeError:
            outcome.missing = outcome.missing or f"torch.{path}"
    return found


def run_sample(form: Form, sample: Any, outcome: Outcome, gradients: int, unset: bool) -> None:
    """gradients: how many times they are taken."""
    words, theirs, ours = form
    converter = Converter(gradients > 0)
    how = f"{words}({brief((sample.input, *sample.args))}, {sample.kwargs})"[:300]
    try:
        (x, y), (args, our_args), (kwargs, our_kwargs) = (converter.both(v) for v in (sample.input, tuple(sample.args), dict(sample.kwargs)))
    except NotHere as reason:
        outcome.left_out[str(reason)] += 1
        return
    if words == "in place" and converter.leaves:
        x, y = x * 1, y * 1
    torch.manual_seed(0)
    monograph.manual_seed(0)
    try:
        with torch.autocast("cpu", enabled=outcome.autocast):
            expected = theirs(x, *args, **kwargs)
    except Exception as error:
        return judge_refused(error, lambda: ours(y, *our_args, **our_kwargs), words, how, outcome)
    try:
        with monograph.autocast("cpu", enabled=outcome.autocast):
            got = ours(y, *our_args, **our_kwargs)
        different = differences(expected, got, unset)
        if words == "in place" and expected is x and got is not y:
            different = "it does not write"
        if not different and gradients:
            different = gradient_difference(expected, got, converter.leaves, gradients > 1)
    except Exception as error:
        outcome.found(f"{words}: {type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}", how)
        return
    if different:
        outcome.found(f"{words}: {different}", how)
    else:
        outcome.passed += 1


def judge_refused(refused: Exception, call: Callable[[], Any], words: str, how: str, outcome: Outcome) -> None:
    """A sample that PyTorch refuses in this form, such as a result of another dtype in place: so do we."""
    if "wrapper_set_seed" in str(refused) or isinstance(refused, TypeError):
        outcome.left_out["the sample is for PyTorch's own wrapper of the operator"] += 1
        return
    try:
        call()
    except Exception:
        outcome.passed += 1
    else:
        outcome.found(f"{words}: accepts what PyTorch refuses ({type(refused).__name__}: {str(refused).splitlines()[0][:100]})", how)


def run_errors(op: Any, form: Form, outcome: Outcome) -> None:
    """The bad calls that PyTorch tests: the same kind of error."""
    words, theirs, ours = form
    if op.error_inputs_func is None:
        return
    for bad in op.error_inputs("cpu"):
        sample, converter = bad.sample_input, Converter()
        try:
            (x, y), (args, our_args), (kwargs, our_kwargs) = (converter.both(v) for v in (sample.input, tuple(sample.args), dict(sample.kwargs)))
        except NotHere as reason:
            outcome.left_out[str(reason)] += 1
            continue
        how = f"{words}({brief((sample.input, *sample.args))}, {sample.kwargs})"[:300]
        try:
            theirs(x, *args, **kwargs)
            outcome.left_out["PyTorch's own wrapper takes other arguments"] += 1
            continue
        except Exception as error:
            kind, text = type(error), str(error).splitlines()[0][:120] if str(error) else ""
        try:
            ours(y, *our_args, **our_kwargs)
            outcome.found(f"accepts a bad call ({kind.__name__}: {text})", how)
        except Exception as error:
            if isinstance(error, kind) or isinstance(error, RuntimeError) and kind is NotImplementedError:
                outcome.passed += 1
            else:
                outcome.found(f"a bad call: {type(error).__name__} instead of {kind.__name__}: {text} / {str(error).splitlines()[0][:120]}", how)


def samples(op: Any, dtype: torch.dtype, outcome: Outcome) -> Iterator[Any]:
    try:
        for k, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=dtype in WITH_GRADIENTS and op.supports_autograd)):
            if k < MOST_SAMPLES:
                yield sample
            else:
                outcome.left_out[f"beyond {MOST_SAMPLES} samples of one dtype"] += 1
    except Exception as error:
        outcome.left_out[f"PyTorch cannot make them: {type(error).__name__}: {str(error).splitlines()[0][:80]}"] += 1


def run_operator(op: Any, autocast: bool = False) -> Outcome:
    outcome = Outcome(op.name, op.variant_test_name, autocast=autocast)
    chosen = forms(op, outcome)
    unset = any(part in op.name for part in UNSET)
    for form in chosen:
        for dtype in DTYPES[:1] if autocast else DTYPES:
            if dtype in op.dtypes:
                torch.manual_seed(2)
                with_gradients = dtype in WITH_GRADIENTS and op.supports_autograd and not unset
                for k, sample in enumerate(samples(op, dtype, outcome)):
                    run_sample(form, sample, outcome, with_gradients + (with_gradients and op.supports_gradgrad and k < MOST_TWICE), unset)
    for form in chosen[: 0 if autocast else 1]:
        try:
            run_errors(op, form, outcome)
        except Exception:
            outcome.left_out["PyTorch cannot make its bad calls: " + traceback.format_exc(limit=0).splitlines()[-1][:80]] += 1
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="operators as PyTorch names them, for example nn.functional.relu (default: all)")
    parser.add_argument("--json", help="write the outcomes")
    parser.add_argument("--autocast", action="store_true", help="call float32 samples in a region of autocast")
    parser.add_argument("--most", type=int, default=MOST_SAMPLES, help="so many samples of one operator and dtype (default: %(default)s)")
    options = parser.parse_args()
    globals()["MOST_SAMPLES"] = options.most
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    monograph.set_num_threads(1)
    if options.autocast:
        TOLERANCE[torch.float32] = TOLERANCE[torch.bfloat16]
    outcomes = [run_operator(op, options.autocast) for op in op_db if not options.names or op.name in options.names]
    missing = {o.missing for o in outcomes if o.missing}
    for o in outcomes:
        for what, count in o.findings.most_common():
            print(f"{o.name}{'.' + o.variant if o.variant else ''}: {what} ({count})\n    {o.example[what]}")
    print(f"{len(outcomes)} operators: {sum(o.passed for o in outcomes)} calls equal, {sum(sum(o.findings.values()) for o in outcomes)} of "
          f"{sum(bool(o.findings) for o in outcomes)} operators differ, {sum(sum(o.left_out.values()) for o in outcomes)} left out; {len(missing)} names are missing")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([{"name": o.name, "variant": o.variant, "passed": o.passed, "missing": o.missing, "left_out": o.left_out,
                        "findings": o.findings, "example": o.example} for o in outcomes], file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
