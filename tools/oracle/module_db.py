"""PyTorch's own samples of its modules and optimizers (`module_db` and `optim_db` of its test package), through PyTorch and Monograph in one process.

    PYTHONPATH=python .venv-oracle/bin/python tools/oracle/module_db.py [--json FILE] [NAME...]

Of a module: its weights as one seed draws them, the names and shapes in its state_dict, its repr, results, first and second gradients of inputs and parameters,
and its state after a call, in training and in eval; and the errors of bad calls. Of an optimizer: steps of each configuration, its state_dict, steps that go on with the
state_dict of the other side, and the errors of bad arguments.

A finding is a line: the class, and what differs. What cannot be compared is counted with its reason."""

from __future__ import annotations

import argparse
import copy
import json
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import monograph
import pinned  # noqa: F401
import torch
from op_db import Converter, NotHere, Outcome, at, brief, differences, gradient_difference
from torch.testing._internal.common_modules import ModuleErrorEnum, module_db
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

DTYPES = (torch.float32, torch.float64)
STEPS = 4


class ModuleConverter(Converter):
    """Also converts functions and modules of torch."""

    def both(self, value: Any) -> tuple[Any, Any]:
        if isinstance(value, torch.nn.Module):
            return value, self.module(value)
        if isinstance(value, torch.nn.utils.rnn.PackedSequence):
            pairs = [super(ModuleConverter, self).both(part) for part in value]
            return value._replace(data=pairs[0][0]), monograph.nn.utils.rnn.PackedSequence(*(p[1] for p in pairs))
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and (getattr(value, "__module__", None) or "torch").startswith("torch"):
            return value, self.function(value)
        if isinstance(value, type) and value.__module__.startswith("torch"):
            return value, at(monograph, f"{value.__module__}.{value.__name__}".removeprefix("torch."))
        return super().both(value)

    def function(self, value: Any) -> Any:
        for home in ("nn.functional", "", "special", "linalg"):
            mine = at(torch, home) if home else torch
            if getattr(mine, value.__name__, None) is value:
                return at(monograph, f"{home}.{value.__name__}".lstrip("."))
        if "<locals>" in value.__qualname__ or value.__name__ == "<lambda>":
            return value  # of the sample: it calls methods of its arguments
        raise NotHere(f"the function {value.__name__}")

    def module(self, theirs: torch.nn.Module) -> Any:
        """The same module of ours: a layer of a Transformer, which others are made of."""
        kind = type(theirs).__name__
        if kind not in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
            raise NotHere(f"a module as argument: {kind}")
        sample = theirs.self_attn
        ours = getattr(monograph.nn, kind)(
            sample.embed_dim, sample.num_heads, theirs.linear1.out_features, theirs.dropout.p, self.function(theirs.activation), theirs.norm1.eps,
            sample.batch_first, theirs.norm_first, theirs.linear1.bias is not None,
        )  # fmt: skip
        ours = ours.to(dtype=getattr(monograph, str(theirs.linear1.weight.dtype).removeprefix("torch.")))
        ours.load_state_dict(to_ours(theirs.state_dict()))
        return ours


def to_ours(value: Any) -> Any:
    return Converter().both(value)[1] if isinstance(value, torch.Tensor) else {k: to_ours(v) for k, v in value.items()} if isinstance(value, dict) else [to_ours(v) for v in value] if isinstance(value, list) else tuple(to_ours(v) for v in value) if isinstance(value, tuple) else value


def to_theirs(value: Any) -> Any:
    if isinstance(value, monograph.Tensor):
        return torch.from_dlpack(value.detach().clone())
    if isinstance(value, dict):
        return {k: to_theirs(v) for k, v in value.items()}
    return type(value)(to_theirs(v) for v in value) if isinstance(value, (list, tuple)) else value


def first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}"


def same_error(error: BaseException, expected: BaseException) -> bool:
    return isinstance(error, type(expected)) or type(error).__name__ == type(expected).__name__ or isinstance(error, RuntimeError) and isinstance(expected, NotImplementedError)


# ---- modules ----


def state_difference(theirs: Any, ours: Any) -> str | None:
    expected, got = theirs.state_dict(), ours.state_dict()
    if list(expected) != list(got):
        return f"the names in state_dict: {list(got)} instead of {list(expected)}"
    for name in expected:
        if isinstance(expected[name], torch.Tensor) and (different := differences(expected[name], got[name])):
            return f"state_dict: {different} of {name}"
    return None


def packed(value: Any) -> Any:
    """A PackedSequence as its parts."""
    if isinstance(value, tuple):
        return tuple(packed(v) for v in value)
    return value


class ModuleSample:
    """One sample of a module, in one dtype and mode, on both sides."""

    def __init__(self, info: Any, sample: Any, dtype: torch.dtype, training: bool, outcome: Outcome) -> None:
        self.info, self.sample, self.dtype, self.training, self.outcome = info, sample, dtype, training, outcome
        given = sample.constructor_input
        self.how = f"{info.name}({brief(given.args)}, {given.kwargs}) {dtype} {'training' if training else 'eval'} {sample.desc}"[:300]

    def found(self, what: str) -> None:
        self.outcome.found(what, self.how)

    def run(self) -> None:
        try:
            pair = self.construct()
            if pair is None:
                return
            theirs, ours = pair
            if self.check_before(theirs, ours) and self.call(theirs, ours) and (not self.info.is_lazy or self.check_before(theirs, ours)):
                self.outcome.passed += 1
        except NotHere as reason:
            self.outcome.left_out[str(reason)] += 1

    def construct(self) -> tuple[Any, Any] | None:
        given, converter = self.sample.constructor_input, ModuleConverter()
        args, kwargs = converter.both(tuple(given.args)), converter.both(dict(given.kwargs))
        torch.manual_seed(3)
        monograph.manual_seed(3)
        theirs = self.info.module_cls(*args[0], **kwargs[0])
        kind = at(monograph, self.info.name)
        try:
            ours = kind(*args[1], **kwargs[1])
        except Exception as error:
            self.found(f"construction: {first_line(error)}")
            return None
        return theirs, ours

    def check_before(self, theirs: Any, ours: Any) -> bool:
        different = None if has_lazy_weights(theirs) and has_lazy_weights(ours) else state_difference(theirs, ours)
        if different:
            self.found(f"as constructed: {different}")
            return False
        if repr(theirs) != repr(ours):
            self.found(f"repr: {repr(ours)[:80]!r} instead of {repr(theirs)[:80]!r}")
        if [n for n, _ in theirs.named_parameters()] != [n for n, _ in ours.named_parameters()] or [n for n, _ in theirs.named_modules()] != [n for n, _ in ours.named_modules()]:
            self.found("the names of parameters or modules")
        return True

    def call(self, theirs: Any, ours: Any) -> bool:
        theirs = theirs.to(self.dtype).train(self.training)
        if not has_extra_state(theirs) and not has_lazy_weights(theirs):  # lazy weights are drawn in the call, from one seed
            ours.load_state_dict(to_ours(dict(theirs.state_dict())))
        ours = ours.to(getattr(monograph, str(self.dtype).removeprefix("torch."))).train(self.training)
        given, converter = self.sample.forward_input, ModuleConverter(gradients=True)
        if given is None:
            raise NotHere("a sample without a call")
        args, kwargs = converter.both(tuple(given.args)), converter.both(dict(given.kwargs))
        torch.manual_seed(4)
        monograph.manual_seed(4)
        expected = theirs(*args[0], **kwargs[0])
        try:
            got = ours(*args[1], **kwargs[1])
            different = differences(packed(expected), packed(got))
            if not different:
                parameters = [(p, q) for p, q in zip(theirs.parameters(), ours.parameters()) if p.requires_grad]
                different = gradient_difference(packed(expected), packed(got), converter.leaves + parameters, self.info.supports_gradgrad and self.dtype == torch.float64)
            different = different or state_difference(theirs, ours)
        except NotHere:
            raise
        except Exception as error:
            self.found(f"a call: {first_line(error)}")
            return False
        if different:
            self.found(f"a call: {different}")
        return not different


def has_lazy_weights(module: Any) -> bool:
    """Whether some weights wait for the sizes of a first input."""
    return getattr(module, "has_uninitialized_params", bool)()


def has_extra_state(module: torch.nn.Module) -> bool:
    return any(not isinstance(v, torch.Tensor) for v in module.state_dict().values())


def run_module_errors(info: Any, outcome: Outcome) -> None:
    if info.module_error_inputs_func is None:
        return
    for training in (True, False):
        for bad in info.module_error_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=training):
            sample = bad.module_error_input
            how = f"{info.name}({brief(tuple(sample.constructor_input.args))}, {sample.constructor_input.kwargs})"[:300]

            def attempt(side: int, kind: Any, sample: Any = sample, bad: Any = bad) -> BaseException | None:
                converter = ModuleConverter()
                try:
                    module = kind(*converter.both(tuple(sample.constructor_input.args))[side], **converter.both(dict(sample.constructor_input.kwargs))[side])
                    if bad.error_on != ModuleErrorEnum.CONSTRUCTION_ERROR:
                        module(*converter.both(tuple(sample.forward_input.args))[side], **converter.both(dict(sample.forward_input.kwargs))[side])
                except NotHere:
                    raise
                except Exception as error:
                    return error
                return None

            try:
                expected = attempt(0, info.module_cls)
                got = attempt(1, at(monograph, info.name))
            except NotHere as reason:
                outcome.left_out[str(reason)] += 1
                continue
            judge_error(expected, got, how, outcome)


def judge_error(expected: BaseException | None, got: BaseException | None, how: str, outcome: Outcome) -> None:
    if expected is None:
        outcome.left_out["PyTorch raises nothing"] += 1
    elif got is None:
        outcome.found(f"accepts a bad call ({first_line(expected)})", how)
    elif same_error(got, expected):
        outcome.passed += 1
    else:
        outcome.found(f"a bad call: {first_line(got)} instead of {first_line(expected)}", how)


def run_module(info: Any) -> Outcome:
    outcome = Outcome(info.name, "")
    if ".ao." in info.module_cls.__module__:
        outcome.left_out["a module of ao.nn"] += 1
        return outcome
    try:
        at(monograph, info.name)
    except AttributeError:
        outcome.missing = f"torch.{info.name}"
        return outcome
    for dtype in DTYPES:
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for training in (True, False) if info.train_and_eval_differ else (True,):
            torch.manual_seed(2)
            for sample in info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training):
                ModuleSample(info, sample, dtype, training, outcome).run()
    run_module_errors(info, outcome)
    return outcome


# ---- optimizers ----


def parameters_for(name: str) -> list[torch.Tensor]:
    torch.manual_seed(5)
    sizes = [(5, 3), (2, 4)] if name == "Muon" else [(5, 3), (4,), ()]
    # The curvature that LBFGS keeps is a difference of nearly equal gradients.
    return [torch.randn(size, dtype=torch.float64 if name == "LBFGS" else torch.float32) for size in sizes]


class OptimizerRun:
    """Optimizers of both sides with the same parameters and gradients."""

    def __init__(self, name: str, kwargs: dict[str, Any], starts: list[torch.Tensor]) -> None:
        converted = Converter().both(dict(kwargs))
        self.theirs = [torch.nn.Parameter(t.clone()) for t in starts]
        self.ours = [monograph.nn.Parameter(to_ours(t)) for t in starts]
        self.optimizers = (getattr(torch.optim, name)(self.theirs, **copy.deepcopy(converted[0])), getattr(monograph.optim, name)(self.ours, **converted[1]))

    def step(self, seed: int, closure: bool) -> str | None:
        torch.manual_seed(seed)
        grads = [torch.randn_like(t) for t in self.theirs]

        def set_gradients() -> None:
            for p, q, g in zip(self.theirs, self.ours, grads):
                p.grad, q.grad = g.clone(), to_ours(g)

        set_gradients()
        if closure:
            self.optimizers[0].step(self.loss(self.theirs, torch))
            self.optimizers[1].step(self.loss(self.ours, monograph))
        else:
            for optimizer in self.optimizers:
                optimizer.step()
        return next((d for p, q in zip(self.theirs, self.ours) if (d := differences(p, q))), None)

    def loss(self, parameters: list[Any], module: Any) -> Callable[[], Any]:
        def closure() -> Any:
            self.optimizers[0 if module is torch else 1].zero_grad()
            loss = sum(((p - 0.5) ** 4).sum() + (p * p).sum() for p in parameters)
            loss.backward()
            return loss

        return closure


def optimizer_state_difference(theirs: Any, ours: Any) -> str | None:
    if isinstance(theirs, dict):
        if not isinstance(ours, dict) or list(map(str, theirs)) != list(map(str, ours)):
            return f"keys {list(ours) if isinstance(ours, dict) else ours} instead of {list(theirs)}"
        return next((f"{d}" for k in theirs if (d := optimizer_state_difference(theirs[k], ours[k]))), None)
    if isinstance(theirs, (list, tuple)):
        if type(theirs) is not type(ours) or len(theirs) != len(ours):
            return f"{ours!r:.80} instead of {theirs!r:.80}"
        return next((d for a, b in zip(theirs, ours) if (d := optimizer_state_difference(a, b))), None)
    return differences(theirs, ours)


def run_configuration(name: str, sample: Any, closure: bool, flags: dict[str, Any], outcome: Outcome) -> None:
    kwargs = {**sample.kwargs, **flags}
    if closure:
        kwargs.setdefault("max_iter", 3)  # at the minimum, gradients are rounding errors
    how = f"{name}({kwargs}) {sample.desc}"[:300]
    try:
        run = OptimizerRun(name, kwargs, parameters_for(name))
    except NotHere as reason:
        outcome.left_out[str(reason)] += 1
        return
    except Exception as error:
        try:
            getattr(torch.optim, name)([torch.nn.Parameter(t) for t in parameters_for(name)], **copy.deepcopy(kwargs))
        except Exception:
            outcome.left_out[f"PyTorch refuses it on the CPU: {first_line(error)[:60]}"] += 1
            return
        outcome.found(f"construction: {first_line(error)}", how)
        return
    try:
        different = next((f"step {k + 1}: {d}" for k in range(1 if closure else STEPS) if (d := run.step(10 + k, closure))), None)
        different = different or (f"state_dict: {d}" if (d := optimizer_state_difference(run.optimizers[0].state_dict(), run.optimizers[1].state_dict())) else None)
        if not different and repr(run.optimizers[0]) != repr(run.optimizers[1]):
            different = "repr"
        different = different or exchange_difference(name, kwargs, run, closure)
    except Exception as error:
        different = first_line(error)
    if different:
        outcome.found(different, how)
    else:
        outcome.passed += 1


def exchange_difference(name: str, kwargs: dict[str, Any], run: OptimizerRun, closure: bool) -> str | None:
    """Steps go on after each side loaded what the other saved."""
    following = OptimizerRun(name, kwargs, [p.detach() for p in run.theirs])
    saved = (run.optimizers[0].state_dict(), run.optimizers[1].state_dict())
    following.optimizers[0].load_state_dict(to_theirs(saved[1]))
    following.optimizers[1].load_state_dict(to_ours(saved[0]))
    return next((f"after an exchange of state_dicts, step {k + 1}: {d}" for k in range(2) if (d := following.step(20 + k, closure))), None)


def run_optimizer_errors(info: Any, outcome: Outcome) -> None:
    if info.optim_error_inputs_func is None:
        return
    for bad in info.optim_error_inputs_func(device="cpu", dtype=torch.float32):
        sample = bad.optimizer_error_input
        how = f"{info.name}({sample.params}, {sample.kwargs}) {sample.desc}"[:300]

        def attempt(side: int, module: Any, sample: Any = sample, in_step: bool = bad.error_on == OptimizerErrorEnum.STEP_ERROR) -> BaseException | None:
            converter = OptimizerArguments()
            params = converter.both([torch.nn.Parameter(torch.ones(2, 2))] if sample.params is None else sample.params)[side]
            kwargs = converter.both(dict(sample.kwargs))[side]
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                try:
                    optimizer = getattr(module.optim, info.name)(params, **kwargs)
                    if in_step:
                        for p in params:
                            p.grad = module.ones_like(p)
                        optimizer.step()
                except NotHere:
                    raise
                except Exception as error:
                    return error
            return None

        try:
            judge_error(attempt(0, torch), attempt(1, monograph), how, outcome)
        except NotHere as reason:
            outcome.left_out[str(reason)] += 1


class OptimizerArguments(Converter):
    def both(self, value: Any) -> tuple[Any, Any]:
        if isinstance(value, torch.nn.Parameter):
            if id(value) not in self.made:
                self.made[id(value)] = (value, monograph.nn.Parameter(to_ours(value.detach())), value)
            return self.made[id(value)][:2]
        return super().both(value)


def run_optimizer(info: Any) -> Outcome:
    outcome = Outcome(f"optim.{info.name}", "")
    if info.only_supports_sparse_grads:
        outcome.left_out["it takes sparse gradients only"] += 1
    elif not hasattr(monograph.optim, info.name):
        outcome.missing = f"torch.optim.{info.name}"
        return outcome
    else:
        for sample in info.optim_inputs_func(device="cpu"):
            for flags in ({}, *({impl: True} for impl in info.supported_impls if impl in ("foreach", "fused"))):
                if not set(flags) & set(sample.kwargs):
                    run_configuration(info.name, sample, info.step_requires_closure, flags, outcome)
    run_optimizer_errors(info, outcome)
    return outcome


def outcomes(names: list[str]) -> Iterator[Outcome]:
    for info in module_db:
        if not names or info.name in names:
            yield run_module(info)
    for info in optim_db:
        if not names or f"optim.{info.name}" in names:
            yield run_optimizer(info)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="classes, for example nn.Linear or optim.Adam (default: all)")
    parser.add_argument("--json", help="write the outcomes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    monograph.set_num_threads(1)
    found = list(outcomes(options.names))
    for o in found:
        for what, count in o.findings.most_common():
            print(f"{o.name}: {what} ({count})\n    {o.example[what]}")
    missing = sorted({o.missing for o in found if o.missing})
    print(f"{len(found)} classes: {sum(o.passed for o in found)} samples equal, {sum(sum(o.findings.values()) for o in found)} of "
          f"{sum(bool(o.findings) for o in found)} classes differ, {sum(sum(o.left_out.values()) for o in found)} left out; missing: {', '.join(missing)}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([{"name": o.name, "passed": o.passed, "missing": o.missing, "left_out": o.left_out, "findings": o.findings, "example": o.example} for o in found], file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
