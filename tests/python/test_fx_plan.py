"""A call of a GraphModule runs as a plan of its generated code: values, gradients, errors, writes and objects are those of the code."""

from __future__ import annotations

import copy
import gc
import random
import sys
import threading
import traceback
import weakref

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import fx, nn


def planned(module):
    """The plan of a GraphModule, which its second call makes; None where the code runs."""
    calls = type(module).__dict__.get("_calls")
    return calls.plan or None


def chain(x, w, n=20):
    for k in range(n):
        x = torch.relu(x + w) * 0.5 if k % 2 else x - 1
    return x


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return chain(x, self.w)


def warm(module, *args):
    module(*args)
    module(*args)
    assert planned(module) is not None
    return module


def test_a_chain_runs_as_a_plan():
    torch.manual_seed(0)
    module = fx.symbolic_trace(Chain())
    x = torch.randn(2, 3)
    expected = module(x)
    assert planned(module) is None  # the first call runs the code
    assert torch.equal(module.forward(x), expected)
    assert torch.equal(module(x), expected)
    assert planned(module) is not None
    assert torch.equal(module(x), expected)


def test_a_short_graph_has_no_plan():
    module = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    module(torch.ones(2)), module(torch.ones(2))
    assert planned(module) is None


def test_gradients_are_those_of_the_code():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    x = torch.linspace(-1, 2, 3, requires_grad=True)
    found = torch.autograd.grad(module(x).sum(), (x, module.w))
    expected = torch.autograd.grad(module.forward(x).sum(), (x, module.w))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_an_edit_takes_effect_after_recompile():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    x = torch.tensor([-5.0, 1.0, 30.0])
    before = module(x)
    for node in module.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.sigmoid
    assert torch.equal(module(x), before)  # as torch.fx: the code stands until recompile()
    module.recompile()
    after = module(x)
    assert not torch.equal(after, before)
    assert torch.equal(module(x), after)
    assert torch.equal(module(x), module.forward(x))
    assert planned(module) is not None


def lines_of(call):
    try:
        call()
    except Exception as error:  # of every kind: it is compared
        frames = [
            (f.filename, f.lineno, f.name, f.line, f.colno, f.end_colno)
            for f in traceback.extract_tb(error.__traceback__)
            if "eval_with_key" in f.filename
        ]
        return type(error), str(error), frames
    raise AssertionError("it did not raise")


def test_an_error_has_the_line_of_the_generated_code():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    kind, text, frames = lines_of(lambda: module(torch.ones(4)))
    assert (kind, text, frames) == lines_of(lambda: module.forward(torch.ones(4)))
    assert kind is RuntimeError
    assert "recorded at" in text
    assert len(frames) == 1


def test_an_error_of_a_line_in_python_has_that_line_too():
    def f(x, n):
        y = chain(x, 1.0)
        return F.interpolate(y, scale_factor=n)

    module = warm(fx.symbolic_trace(f), torch.ones(1, 1, 3), 2)
    assert lines_of(lambda: module(torch.ones(3), 2)) == lines_of(lambda: module.forward(torch.ones(3), 2))


def test_hooks_and_another_forward_run():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    seen = []
    handle = module.register_forward_hook(lambda m, args, out: seen.append(1))
    module(torch.ones(3))
    assert seen == [1]
    handle.remove()
    module.forward = lambda x: "mine"
    assert module(torch.ones(3)) == "mine"
    del module.forward
    type(module).forward = lambda self, x: "the class's"
    assert module(torch.ones(3)) == "the class's"


def test_a_forward_of_another_graph_module_runs():
    module, other = fx.symbolic_trace(Chain()), fx.symbolic_trace(lambda x: chain(x, 7.0))
    type(module).forward = type(other).forward
    for _ in range(3):
        assert torch.equal(module(torch.ones(3)), other.forward(torch.ones(3)))


def test_a_debugger_sees_the_generated_code():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    files = set()

    def trace(frame, event, arg):
        files.add(frame.f_code.co_filename)
        return trace

    saved = sys.gettrace()
    sys.settrace(trace)
    try:
        module(torch.ones(3))
    finally:
        sys.settrace(saved)
    assert any(f.startswith("<eval_with_key>") for f in files)


def test_a_function_that_the_program_replaced_is_called(monkeypatch):
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    package = module.forward.__globals__["torch"]
    monkeypatch.setattr(package, "relu", lambda x: x * 0)
    assert torch.equal(module(torch.full((3,), 50.0)), module.forward(torch.full((3,), 50.0)))
    monkeypatch.undo()
    monkeypatch.setattr(torch.Tensor, "__add__", lambda a, b: a.sub(b))
    assert torch.equal(module(torch.full((3,), 50.0)), module.forward(torch.full((3,), 50.0)))


def test_a_subclass_of_tensor_goes_to_its_torch_function():
    class Counted(torch.Tensor):
        calls = 0

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            Counted.calls += 1
            return super().__torch_function__(func, types, args, kwargs or {})

    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    assert type(module(torch.ones(3).as_subclass(Counted))) is Counted
    assert Counted.calls > 10


def test_a_trace_records_the_operators():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    again = fx.symbolic_trace(nn.Sequential(module))
    assert len([n for n in again.graph.nodes if n.op == "call_module"]) <= 1
    traced = torch.jit.trace(module, torch.ones(3))
    assert torch.equal(traced(torch.ones(3)), module(torch.ones(3)))
    assert "relu" in str(traced.graph)


def test_a_write_reaches_the_callers_tensor_and_the_buffer():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))

        def forward(self, x):
            self.steps.add_(1)
            y = x.add_(1)
            for _ in range(20):
                y = y + 0
            return x, y, self.steps

    module = fx.symbolic_trace(Counter())
    for k in range(1, 5):
        x = torch.zeros(2)
        out, y, steps = module(x)
        assert out is x
        assert steps is module.steps
        assert (x.tolist(), y.tolist(), steps.item()) == ([1, 1], [1, 1], k)
    assert planned(module) is not None


def test_a_replaced_parameter_is_read():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    module.w = nn.Parameter(torch.full((3,), 9.0))
    assert torch.equal(module(torch.ones(3)), module.forward(torch.ones(3)))
    del module.w
    assert lines_of(lambda: module(torch.ones(3))) == lines_of(lambda: module.forward(torch.ones(3)))


def test_one_list_stays_one_object():
    def f(x):
        parts = torch.split(x, 1)
        for _ in range(20):
            x = x + 1
        return parts, parts, x, torch.max(x, 0)

    module = fx.symbolic_trace(f)
    for _ in range(3):
        a, b, _, top = module(torch.ones(3))
        assert a is b
        assert type(a) is tuple
        assert top.values.item() == 21
        assert type(top) is type(torch.max(torch.ones(3), 0))


def test_numbers_that_are_no_tensors():
    def f(x, n):
        m = n * 2 + 1  # Python's arithmetic
        for _ in range(16):
            x = x + m
        return x.view(-1, n), m

    module = fx.symbolic_trace(f)
    for n in (2, 2, 2, 3, 2.5, 2**70):
        x = torch.ones(6)
        try:
            expected = module.forward(x, n)
        except Exception as error:  # of every kind: it is compared
            with pytest.raises(type(error)) as raised:
                module(x, n)
            assert str(raised.value) == str(error)
            continue
        found = module(x, n)
        assert torch.equal(found[0], expected[0])
        assert found[1] == expected[1]
        assert type(found[1]) is type(expected[1])
    assert planned(module) is not None


def test_branches_and_loops_are_lines_of_python():
    def f(x):
        for _ in range(16):
            x = x + 1
        y = torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 5, (x,))
        return torch.while_loop(lambda a: a.sum() < 500, lambda a: (a + 100,), (y,))

    module = fx.symbolic_trace(f)
    for scale in (1, 1, 1, -40):
        x = torch.full((3,), float(scale))
        found, expected = module(x), module.forward(x)
        assert torch.equal(found[0], expected[0])


def test_copies_and_deletion():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    other = copy.deepcopy(module)
    assert planned(other) is None
    warm(other, torch.ones(3))
    assert torch.equal(other(torch.ones(3)), module(torch.ones(3)))
    gone = weakref.ref(other)
    kind = weakref.ref(type(other))
    del other
    gc.collect()
    assert gone() is None
    assert kind() is None


def test_two_threads_run_one_module():
    module = warm(fx.symbolic_trace(Chain()), torch.ones(3))
    inputs = [torch.full((3,), float(k)) for k in range(8)]
    expected = [module.forward(x) for x in inputs]
    found = [None] * len(inputs)

    def work(k):
        for _ in range(200):
            found[k] = module(inputs[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(inputs))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_threads_make_the_plan_together():
    for _ in range(5):
        module, x = fx.symbolic_trace(lambda y: chain(y, 1.0, 400)), torch.ones(3)
        expected, failed = module(x), []

        def work(module=module, expected=expected, failed=failed):
            try:
                assert torch.equal(module(torch.ones(3)), expected)
            except BaseException as error:  # of every kind: it is told
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not failed


# Random programs -------------------------------------------------------------------------------------------------------------------------


class Random(nn.Module):
    """A program that a seed decides: its calls are lines of every kind."""

    def __init__(self, seed: int):
        super().__init__()
        self.seed = seed
        self.w = nn.Parameter(torch.linspace(-1, 1, 3))
        self.register_buffer("b", torch.linspace(1, 2, 3))
        self.layer = nn.Linear(3, 3)

    def forward(self, x, y, n):
        pick = random.Random(self.seed)
        values = [x, y, self.w]
        numbers = [n, 2, 0.5]
        steps = [
            lambda a, b, k: a + b, lambda a, b, k: a - k, lambda a, b, k: k - a, lambda a, b, k: 2 / a, lambda a, b, k: a * b, lambda a, b, k: a / (b + 3),
            lambda a, b, k: torch.relu(a), lambda a, b, k: F.relu(a), lambda a, b, k: a.tanh(), lambda a, b, k: self.layer(a), lambda a, b, k: a @ torch.ones(3, 3),
            lambda a, b, k: torch.cat([a, b], dim=0)[:2], lambda a, b, k: torch.stack((a, b)).sum(0), lambda a, b, k: a.view(a.size(0), -1), lambda a, b, k: -a,
            lambda a, b, k: a > b, lambda a, b, k: a + self.b, lambda a, b, k: torch.where(a > 0, a, b), lambda a, b, k: a.add_(k), lambda a, b, k: a.max(0).values,
            lambda a, b, k: torch.chunk(a, 2)[0], lambda a, b, k: a.to(torch.float64), lambda a, b, k: a ** 2, lambda a, b, k: torch.clamp(a, min=-k, max=k),
            lambda a, b, k: a.reshape([-1, 3]), lambda a, b, k: a.sum(dim=(0,), keepdim=True), lambda a, b, k: a.mean(-1), lambda a, b, k: a.double().float(),
            lambda a, b, k: torch.mul(a, other=k), lambda a, b, k: a[0], lambda a, b, k: a.unsqueeze(0), lambda a, b, k: a.detach().clone(),
        ]  # fmt: skip
        for _ in range(30):
            a, b = pick.choice(values), pick.choice(values[-4:])
            values.append(pick.choice(steps)(a, b, pick.choice(numbers)))
            if pick.random() < 0.2:
                numbers.append(numbers[pick.randrange(len(numbers))] * 2 + 1)
        return {"last": values[-1], "some": [values[-2], values[-3]], "n": numbers[-1]}


def flat(result):
    if isinstance(result, dict):
        return [x for v in result.values() for x in flat(v)]
    return [x for v in result for x in flat(v)] if isinstance(result, (list, tuple)) else [result]


def outcome(run, module, inputs):
    """Values, gradients, and what inputs and parameters hold afterwards; or the error."""
    x, y, n = inputs
    x, y = x.clone().requires_grad_(), y.clone().requires_grad_()
    leaves = [x, y, *module.parameters()]
    try:
        out = flat(run(x * 1, y * 1, n))
        floats = [t for t in out if isinstance(t, torch.Tensor) and t.requires_grad]
        grads = torch.autograd.grad(sum(t.double().sum() for t in floats), leaves, allow_unused=True) if floats else []
    except Exception as error:  # of every kind: it is compared
        return type(error), str(error)
    shown = [(t.dtype, tuple(t.shape), t.detach().double().tolist()) if isinstance(t, torch.Tensor) else t for t in out]
    return shown, [None if g is None else g.tolist() for g in grads]


def test_random_programs_run_alike():
    plans, raised = 0, 0
    for seed in range(150):
        torch.manual_seed(seed)
        module = fx.symbolic_trace(Random(seed))
        x, y = torch.randn(2, 3), torch.randn(2, 3)
        for inputs in (
            (x, y, 2),
            (x, y, 2),
            (y, x, 3),
            (x, y, 0.25),
            (torch.randn(4, 3), torch.randn(4, 3), 1),
            (torch.randn(3), torch.randn(1, 3), 2),
        ):
            expected = outcome(module.forward, module, inputs)
            found = outcome(module, module, inputs)
            assert repr(found) == repr(expected), module.code  # repr: NaN equals NaN
            raised += isinstance(expected[0], type)
        plans += planned(module) is not None
    assert plans > 50
    assert raised > 50


# Lines that call layers, functions of nn.functional, methods such as size(), and lines that index: they run as what was recorded of them --------------------


class Net(nn.Module):
    """Layers and functions of many kinds, in lines of their own."""

    def __init__(self, inplace=False):
        super().__init__()
        self.conv, self.bn, self.relu = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=inplace)
        self.layers = nn.Sequential(nn.Conv2d(4, 4, 1), nn.GroupNorm(2, 4), nn.GELU())
        self.drop, self.pool = nn.Dropout(0.5), nn.AdaptiveAvgPool2d(2)
        self.norm, self.linear = nn.LayerNorm(16), nn.Linear(16, 6)

    def forward(self, x):
        y = self.relu(self.bn(self.conv(x)))
        y = F.max_pool2d(self.layers(y), 2) + F.interpolate(y, scale_factor=0.5)
        y = self.drop(y)
        y = F.softmax(self.pool(F.pad(y, (1, 1))), dim=1)
        y = self.linear(self.norm(y.view(y.size(0), -1)))
        a, b = y.chunk(2, dim=1)
        y = a * b[:, :1] + y[..., 3:].sum(0, keepdim=True)
        n = y.shape[0] * 2 - 1
        return F.normalize(y, dim=-1) * n + y[0, 0], y.size(), n


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("inplace", [False, True])
def test_layers_and_indexing_run_without_python(training, inplace):
    torch.manual_seed(0)
    module = fx.symbolic_trace(Net(inplace).train(training))
    other = copy.deepcopy(module)
    x = torch.randn(3, 2, 8, 8)
    for _ in range(5):
        torch.manual_seed(0)
        module(x)
        torch.manual_seed(0)
        other.forward(x)
    assert [line.split()[0] for line in planned(module)._measured(module, (x,))[0]] == ["return"]  # it makes a tuple
    other.forward(x)
    x.requires_grad_()
    for inputs in (x, x, torch.randn(3, 2, 8, 8), torch.randn(5, 2, 8, 6)):
        torch.manual_seed(1)
        found = module(inputs)
        torch.manual_seed(1)
        expected = other.forward(inputs)
        assert torch.equal(found[0], expected[0])
        assert found[1:] == expected[1:]
        assert type(found[1]) is torch.Size
        if inputs is x:
            leaves = [x, *module.parameters()], [x, *other.parameters()]
            a, b = torch.autograd.grad(found[0].sum(), leaves[0]), torch.autograd.grad(expected[0].sum(), leaves[1])
            assert all(torch.equal(g, h) for g, h in zip(a, b, strict=True))
        for name, buffer in other.named_buffers():
            assert torch.equal(buffer, module.get_buffer(name)), name


class Layered(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        for k in range(17):
            x = x + k
        return self.layer(x)


def recorded(layer, *args):
    module = fx.symbolic_trace(Layered(layer))
    for _ in range(4):
        module(*args)
    assert planned(module)._measured(module, args)[0] == []
    return module


def test_what_a_layer_is_now_counts():
    x = torch.randn(2, 3, 6, 6)
    module = recorded(nn.Conv2d(3, 3, 3), x)

    def same(inputs=x):
        for _ in range(4):
            assert torch.equal(module(inputs), module.forward(inputs))

    module.layer.stride = (2, 2)
    same()
    module.layer.weight = nn.Parameter(torch.ones(3, 3, 3, 3))
    same()
    module.layer.weight.data = torch.zeros(3, 3, 3, 3)
    same()
    module.layer.bias = None
    same()
    module.double()
    same(x.double())
    module.float()
    seen = []
    handle = module.layer.register_forward_hook(lambda m, args, out: seen.append(1) or out * 2)
    same()
    assert len(seen) == 8
    handle.remove()
    same()
    module.layer.forward = lambda y: y.neg()
    assert torch.allclose(module(x), -(x + sum(range(17))))
    del module.layer.forward
    module.layer = nn.BatchNorm2d(3)
    for _ in range(4):
        assert module(x).mean().abs() < 1e-5
    module.eval()
    same()


def test_a_dropout_follows_the_mode():
    module, x = recorded(nn.Dropout(0.5), torch.ones(100)), torch.ones(100)
    for training in (True, False, True, False):
        module.train(training)
        for _ in range(4):
            assert bool((module(x) == 0).any()) is training


def test_a_function_of_the_library_that_was_replaced_is_called(monkeypatch):
    module, x = recorded(nn.Linear(3, 3), torch.ones(2, 3)), torch.ones(2, 3)
    monkeypatch.setattr(F, "linear", lambda x, w, b=None: x * 0 + 7)
    for _ in range(4):
        assert module(x).tolist() == [[7.0] * 3] * 2
    monkeypatch.undo()
    assert torch.equal(module(x), module.forward(x))
    monkeypatch.setattr(nn.Linear, "forward", lambda self, x: x * 0 + 9)
    for _ in range(4):
        assert module(x).tolist() == [[9.0] * 3] * 2


def test_a_layers_errors_are_those_of_the_code():
    for layer, good, bad in (
        (nn.Linear(3, 3), torch.ones(2, 3), torch.ones(2, 4)),
        (nn.BatchNorm2d(3), torch.ones(2, 3, 4, 4), torch.ones(3, 4, 4)),
        (nn.BatchNorm1d(3), torch.ones(2, 3), torch.ones(1, 3)),
        (nn.Embedding(5, 3), torch.zeros(2, dtype=torch.long) - sum(range(17)), torch.ones(2, dtype=torch.long)),
    ):
        module = recorded(layer, good)
        for _ in range(3):
            assert lines_of(lambda m=module, b=bad: m(b)) == lines_of(lambda m=module, b=bad: m.forward(b))
        assert torch.equal(module(good), module.forward(good))


def test_a_layer_that_computes_in_autocast_or_without_gradients():
    x = torch.randn(2, 3)
    module = recorded(nn.Linear(3, 3), x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert module(x).dtype == module.forward(x).dtype == torch.bfloat16
    with torch.no_grad():
        assert not module(x).requires_grad
        for _ in range(4):
            assert not module(x).requires_grad
    assert module(x).requires_grad


def test_python_that_changes_a_layer_between_lines():
    class Changing(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(0.5)
            self.other = nn.Linear(3, 3)

        def forward(self, x):
            for k in range(17):
                x = x + k
            x = self.drop(x)
            turned(self.other.weight)
            return self.drop(x)

    module = fx.symbolic_trace(Changing())
    state["module"] = module
    x = torch.ones(50, 3)
    for k in range(8):
        module.drop.train(k % 2 == 0)
        out = module(x)
        assert bool((out == 0).any())  # one of the two calls was in training


state = {}


@fx.wrap
def turned(weight):
    state["module"].drop.train(not state["module"].drop.training)
    return weight
