"""torch.compile: calls equal the function's own, whatever changes between them; graphs, backends, state, breaks."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import os
import pickle
import sys
from types import SimpleNamespace

import monograph as torch
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of
from monograph._dynamo.testing import CompileCounter

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")


def states_agree(a, b):
    """A call that is captured runs batch_norm as the operators that it is made of, whose running variance may differ in the last bit."""
    return all(torch.allclose(x, y, rtol=1e-6, atol=0) for x, y in zip(a.state_dict().values(), b.state_dict().values(), strict=True))


def entries(f):
    return _C._compiled_entries(compiled_of(f))


def captures(f):
    """How many graphs a compiled function has, none of which is a break."""
    found = entries(f)
    assert not [e["detail"] for e in found if e["kind"]]
    return len(found)


# Globals that tests change.
SCALE = 2.0
TABLE = {"a": 1.0, "deep": {"b": [1.0, 2.0]}}
WEIGHT = torch.ones(3)


def helper(x, k=3, *, bias=1.0):
    return x * k + bias


class Config:
    width = 2

    def __init__(self):
        self.scale, self.layers = 3.0, [1.0, 2.0]

    @property
    def twice(self):
        return 2 * self.scale


CONFIG = Config()


def test_one_capture_serves_all_sizes():
    @torch.compile
    def f(x, y):
        return torch.sin(x) @ y, x.shape[0] * 2

    for n in range(101):
        x, y = torch.randn(n, 3), torch.randn(3, 2)
        got, size = f(x, y)
        assert torch.equal(got, torch.sin(x) @ y)
        assert type(size) is int and size == 2 * n
    assert captures(f) <= 2


def test_dynamic_false_makes_a_capture_for_each_size():
    f = torch.compile(lambda x: x + 1, dynamic=False)
    for n in (2, 3, 2, 3):
        assert torch.equal(f(torch.zeros(n)), torch.ones(n))
    assert captures(f) == 2


def test_a_branch_on_a_size_is_another_capture_or_an_if():
    def f(x):
        return x.mean(0) if x.size(0) > 4 else x.sum(0)

    for backend in ("monograph", CompileCounter()):
        g = torch.compile(f, backend=backend)
        for n in (3, 6, 4, 5, 1, 0, 9):
            x = torch.randn(n, 2)
            assert torch.allclose(g(x), f(x), equal_nan=True)
        assert captures(g) <= 2


def test_branches_on_values_are_kept():
    def f(x):
        y = x * 2
        if x.sum() > 0:
            return y + 1
        return y - 1

    g = torch.compile(f, fullgraph=True)
    for x in (torch.ones(3), -torch.ones(3), torch.ones(5), torch.zeros(0)):
        assert torch.equal(g(x), f(x))
    assert captures(g) == 1


def test_a_flat_backend_and_a_branch_on_a_value():
    counter = CompileCounter()

    def f(x):
        return x + 1 if x.sum() > 0 else x - 1

    g = torch.compile(f, backend=counter)
    for x in (torch.ones(3), -torch.ones(3)):
        assert torch.equal(g(x), f(x))
    assert counter.frame_count == 3  # the condition, and each of the ways
    with pytest.raises(torch._dynamo.exc.Unsupported, match="depends on `x.sum"):
        torch.compile(f, backend=counter, fullgraph=True)(torch.ones(3))


CHANGES = {
    "global": (lambda x: x * SCALE, lambda: globals().__setitem__("SCALE", SCALE + 1)),
    "global tensor": (lambda x: x * WEIGHT, lambda: globals().__setitem__("WEIGHT", WEIGHT + 1)),
    "global tensor in place": (lambda x: x * WEIGHT, lambda: WEIGHT.add_(1)),
    "global tensor's dtype": (lambda x: x * WEIGHT, lambda: globals().__setitem__("WEIGHT", WEIGHT.double())),
    "dict item": (lambda x: x * TABLE["a"], lambda: TABLE.__setitem__("a", TABLE["a"] + 1)),
    "dict by get": (lambda x: x * TABLE.get("new", 1), lambda: TABLE.__setitem__("new", TABLE.get("new", 1) + 1)),
    "dict keys": (lambda x: x * len(TABLE), lambda: TABLE.__setitem__(str(len(TABLE)), 0)),
    "key in a dict": (lambda x: x * (2 if "k" in TABLE else 1), lambda: TABLE.pop("k") if "k" in TABLE else TABLE.__setitem__("k", 0)),
    "dict items": (lambda x: x * sum(v for v in TABLE.values() if isinstance(v, float)), lambda: TABLE.__setitem__("a", TABLE["a"] + 1)),
    "nested list": (lambda x: x * TABLE["deep"]["b"][1], lambda: TABLE["deep"]["b"].__setitem__(1, TABLE["deep"]["b"][1] + 1)),
    "list length": (lambda x: x * len(CONFIG.layers), lambda: CONFIG.layers.append(1.0)),
    "loop over a list": (lambda x: [x * k for k in CONFIG.layers], lambda: CONFIG.layers.append(len(CONFIG.layers))),
    "list as a condition": (lambda x: x if CONFIG.layers else -x, lambda: CONFIG.layers.clear() if CONFIG.layers else CONFIG.layers.append(1.0)),
    "sum of a list": (lambda x: x * sum(CONFIG.layers), lambda: CONFIG.layers.append(0.5)),
    "attribute": (lambda x: x * CONFIG.scale, lambda: setattr(CONFIG, "scale", CONFIG.scale + 1)),
    "class attribute": (lambda x: x * CONFIG.width, lambda: setattr(Config, "width", Config.width + 1)),
    "class attribute hidden": (lambda x: x * CONFIG.width, lambda: setattr(CONFIG, "width", CONFIG.width + 1)),
    "property": (lambda x: x * CONFIG.twice, lambda: setattr(CONFIG, "scale", CONFIG.scale + 1)),
    "getattr": (lambda x: x * getattr(CONFIG, "maybe", 1), lambda: setattr(CONFIG, "maybe", getattr(CONFIG, "maybe", 1) + 1)),
    "hasattr": (lambda x: x * (2 if hasattr(CONFIG, "flag") else 1), lambda: delattr(CONFIG, "flag") if hasattr(CONFIG, "flag") else setattr(CONFIG, "flag", 1)),
    "vars": (lambda x: x * len(vars(CONFIG)), lambda: setattr(CONFIG, f"more{len(vars(CONFIG))}", 1)),
    "format": (lambda x: x * len(f"{CONFIG.layers}"), lambda: CONFIG.layers.append(1.0)),
    "function": (lambda x: helper(x), lambda: globals().__setitem__("helper", (lambda f: lambda x: f(x) + 1)(helper))),
    "grad mode": (lambda x: x * (2 if torch.is_grad_enabled() else 3), lambda: torch.set_grad_enabled(not torch.is_grad_enabled())),
    "default dtype": (lambda x: torch.ones(3).double() * (2 if torch.ones(1).dtype == torch.float32 else 1), lambda: torch.set_default_dtype(torch.float64 if torch.get_default_dtype() == torch.float32 else torch.float32)),
    "environment": (lambda x: x * int(os.environ.get("MONOGRAPH_TEST_K", "1")), lambda: os.environ.__setitem__("MONOGRAPH_TEST_K", str(int(os.environ.get("MONOGRAPH_TEST_K", "1")) + 1))),
    "module attribute": (lambda x: x * torch._test_number, lambda: setattr(torch, "_test_number", torch._test_number + 1)),
    "patched function": (lambda x: torch.nn.functional.relu(x), lambda: setattr(torch.nn.functional, "relu", (lambda f: lambda x: f(x) + 1)(torch.nn.functional.relu))),
}  # fmt: skip


@pytest.fixture
def restored():
    """Everything that a change touches, as it was."""
    saved = {k: copy.deepcopy(v) for k, v in globals().items() if k in ("SCALE", "TABLE", "WEIGHT", "CONFIG")}
    functions = helper, torch.nn.functional.relu
    torch._test_number = 2
    yield
    globals().update(saved)
    globals()["helper"], torch.nn.functional.relu = functions
    Config.width = 2
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    os.environ.pop("MONOGRAPH_TEST_K", None)
    del torch._test_number


def equal(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and a.requires_grad == b.requires_grad and torch.equal(a, b)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_read_and_has_changed_is_seen(name, restored):
    f, change = CHANGES[name]
    g = torch.compile(f, fullgraph=True)
    x = torch.randn(3)
    assert equal(g(x), f(x)) and equal(g(x), f(x))
    assert captures(g) == 1
    for _ in range(3):
        change()
        assert equal(g(x), f(x))
        assert equal(g(x), f(x))


def test_closures_defaults_and_code():
    k, numbers = 2, [1.0]

    def inner(x, n=numbers, *, m=4):
        return x * k + sum(n) + m

    def f(x):
        return inner(x)

    def other(x, n=None, *, m=0):
        return x

    g, x = torch.compile(f, fullgraph=True), torch.randn(3)

    def agree():
        assert equal(g(x), f(x)) and equal(g(x), f(x))

    agree()
    k = 5
    agree()
    numbers.append(7.0)
    agree()
    inner.__defaults__ = ([9.0],)
    agree()
    inner.__kwdefaults__["m"] = 11
    agree()
    inner.__kwdefaults__ = {"m": 12}
    agree()
    inner = lambda x: x - 1  # noqa: E731
    agree()


def test_modes_hooks_and_parameters_of_modules():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)))
    same = copy.deepcopy(model)
    g = torch.compile(model, fullgraph=True)
    calls = []

    def agree():
        for n in (3, 5):
            x = torch.randn(n, 4)
            torch.manual_seed(n)
            want = same(x)
            torch.manual_seed(n)
            assert torch.equal(g(x), want)
        assert states_agree(model, same)

    agree()
    for module in (model, same):
        module.eval()
    agree()
    for module in (model, same):
        module.train()
        module[2].p = 0.1
    agree()
    for module in (model, same):
        module[3][1].weight.data.mul_(2)
    agree()
    for module in (model, same):
        module[3][1].weight = nn.Parameter(torch.ones(2, 4))
    agree()
    for module in (model, same):
        module[3][0] = nn.Sigmoid()
    agree()
    for module in (model, same):
        module[0].register_forward_hook(lambda m, i, o: o * 2)
    agree()
    for module in (model, same):
        module[0].forward = lambda x: x
    agree()
    for module in (model, same):
        module.append(nn.Tanh())
    agree()
    assert not calls


def test_training_equals_training_without():
    def make():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))

    model, same = make(), make()
    g = torch.compile(model)
    optimizers = [torch.optim.Adam(m.parameters(), 0.01) for m in (model, same)]
    for step in range(10):
        x, y = torch.randn(4 + step % 3, 4), torch.randn(4 + step % 3, 2)
        losses = []
        for m, optimizer in zip((g, same), optimizers, strict=True):
            loss = ((m(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss)
        assert torch.equal(*losses)
    assert states_agree(model, same)
    assert captures(g) == 1


def test_gradients_of_inputs():
    f = torch.compile(lambda x, y: (x * y).sum() + (x if x.sum() > 0 else y).prod())
    for sign in (1.0, -1.0):
        x, y = (torch.full((3,), sign).requires_grad_() for _ in range(2))
        u, v = (t.detach().clone().requires_grad_() for t in (x, y))
        f(x, y).backward()
        ((u * v).sum() + (u if u.sum() > 0 else v).prod()).backward()
        assert torch.equal(x.grad, u.grad) and torch.equal(y.grad, v.grad)


def test_writes_reach_the_callers_objects():
    seen = []

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))
            self.register_buffer("mean", torch.zeros(3))
            self.last = None

        def forward(self, x, log, out):
            self.steps += 1
            self.mean = 0.5 * self.mean + x.mean(0)
            self.last = x.sum()
            seen.append(len(log))
            log.append(self.last)
            out["y"] = x * 2
            x.mul_(3)
            return x, out, x[0]

    model = Model()
    same = copy.deepcopy(model)
    g = torch.compile(model)
    lists = [[], []]
    for n in (2, 3, 4, 5):
        x = torch.randn(n, 3)
        a, b = x.clone(), x.clone()
        out, want = {}, {}
        got = g(a, lists[0], out)
        expected = same(b, lists[1], want)
        assert got[0] is a and got[1] is out and got[2].data_ptr() == a.data_ptr()
        assert torch.equal(a, b) and torch.equal(out["y"], want["y"]) and torch.equal(got[2], expected[2])
        assert all(map(torch.equal, *lists)) and len(lists[0]) == len(lists[1])
        assert torch.equal(model.steps, same.steps) and torch.equal(model.mean, same.mean) and torch.equal(model.last, same.last)
    assert seen == [k for n in range(4) for k in (n, n)]


def test_a_capture_that_fails_runs_once():
    counts = []
    total = torch.zeros(1)

    @torch.compile
    def f(x, log):
        log.append(1)
        total.add_(1)
        counts.append(len(counts))
        sys.stdout.write("effect\n")
        return x + total

    for k in range(1, 4):
        log = []
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert torch.equal(f(torch.ones(2), log), torch.ones(2) + k)
        assert log == [1] and total.item() == k and len(counts) == k and printed.getvalue() == "effect\n"
    assert entries(f)[0]["kind"] == "call"


def test_errors_are_the_functions_own():
    def f(x, log):
        log.append(1)
        if len(log) > 2:
            raise KeyError("mine")
        return x.view(2, 3)

    g, log = torch.compile(f), []
    assert g(torch.zeros(6), log).shape == (2, 3)
    with pytest.raises(RuntimeError, match="invalid for input of size 5"):
        g(torch.zeros(5), log)
    with pytest.raises(KeyError, match="mine"):
        g(torch.zeros(6), log)
    assert log == [1, 1, 1]


def test_caught_errors():
    def f(x):
        try:
            return x.view(2, 3)
        except RuntimeError:
            return x

    g = torch.compile(f)
    for n in (6, 5, 6, 7):
        assert torch.equal(g(torch.ones(n)), f(torch.ones(n)))


def test_which_inputs_are_one_tensor():
    def f(x, y):
        x.add_(1)
        return x is y, x * y, y

    g = torch.compile(f)
    for _ in range(2):
        x, y = torch.ones(2), torch.ones(2)
        same, product, out = g(x, y)
        assert not same and product.tolist() == [2.0, 2.0] and out is y
        same, product, out = g(x, x)
        assert same and product.tolist() == [9.0, 9.0] and out is x
        z = torch.ones(4)
        g(z[:2], z[1:3])
        assert z.tolist() == [2.0, 2.0, 1.0, 1.0]


def test_an_input_that_is_a_weight():
    weight = torch.ones(2)
    g = torch.compile(lambda x: x * 2 + weight)
    assert g(weight).tolist() == [3.0, 3.0]
    assert g(torch.zeros(2)).tolist() == [1.0, 1.0]
    assert g(weight).tolist() == [3.0, 3.0]


def test_kinds_of_tensors():
    def f(x):
        return x * 2 if x.dtype.is_floating_point else x + 1

    g = torch.compile(f)
    for x in (
        torch.ones(2),
        torch.ones(2).int(),
        torch.ones(2, 2),
        torch.ones(2, 3).t(),
        torch.ones(2).requires_grad_(),
        torch.ones(4)[::2],
        torch.ones(()),
    ):
        assert equal(g(x), f(x)) and equal(g(x), f(x))


def test_structures_of_arguments_and_results():
    from collections import OrderedDict, namedtuple

    Pair = namedtuple("Pair", "a b")  # noqa: PYI024

    class Out(OrderedDict):
        pass

    class Plain:
        def __init__(self, x):
            self.x, self.n = x, 3

    def f(d, pair, *rest, scale=1, **more):
        out = Out(x=pair.a * scale)
        return Pair(d["x"] + rest[0], [pair, {"k": (1, None, "s")}]), out, Plain(d["x"]), more["m"] * 2, slice(1, 2), torch.float32

    g = torch.compile(f)
    for k in range(3):
        x = torch.full((k + 1,), float(k))
        a, b = (h({"x": x}, Pair(x, 2), x, scale=k, m=x) for h in (g, f))
        assert type(a[0]) is Pair and torch.equal(a[0].a, b[0].a) and type(a[1]) is Out and torch.equal(a[1]["x"], b[1]["x"])
        assert (
            type(a[2]) is Plain
            and a[2].n == 3
            and torch.equal(a[2].x, x)
            and a[0].b[1] == b[0].b[1]
            and torch.equal(a[3], b[3])
            and a[4:] == b[4:]
        )
    assert not any(e["kind"] for e in entries(g))


def test_numbers_as_arguments():
    g = torch.compile(lambda x, n, flag=True: x * n if flag else x)
    for n in (1, 2, 1.0, True, -0.0, 0.0):
        for flag in (True, False):
            got = g(torch.ones(2), n, flag)
            assert equal(got, torch.ones(2) * n if flag else torch.ones(2))


def test_a_full_cache_keeps_its_entries_and_says_so():
    counter = CompileCounter()
    g = torch.compile(lambda x, n: x * n, backend=counter, dynamic=False)
    for n in range(20):
        assert g(torch.ones(1), n).item() == n
    assert counter.frame_count == 8
    assert [what for what, _ in g._events].count("full") == 1
    g(torch.ones(1), 3)
    assert counter.frame_count == 8
    report = torch._dynamo.explain(g)(torch.ones(1), 3)
    assert report.is_full and len(report.recompile_reasons) == 7 and report.recompile_reasons[0] == "n was 0 and is 1"
    torch._dynamo.reset()
    g(torch.ones(1), 3)
    assert counter.frame_count == 9


def test_backends():
    seen = []

    def backend(gm, example_inputs, **kwargs):
        seen.append((gm, example_inputs, kwargs))
        return gm.forward

    linear = nn.Linear(2, 3)
    g = torch.compile(linear, backend=backend, mode="reduce-overhead")
    x = torch.randn(4, 2)
    assert torch.equal(g(x), linear(x)) and torch.equal(g(x), linear(x))
    (gm, inputs, kwargs) = seen[0]
    assert isinstance(gm, torch.fx.GraphModule) and inputs[0] is x and kwargs == {"mode": "reduce-overhead"}
    assert dict(gm.named_parameters())["weight"] is linear.weight and isinstance(gm(x), tuple)
    assert {n.op for n in gm.graph.nodes} == {"placeholder", "get_attr", "call_function", "output"}
    for name in ("eager", "interpreter", "monograph", "inductor", "aot_eager"):
        assert torch.equal(torch.compile(linear, backend=name, fullgraph=True)(x), linear(x))
    assert set(torch._dynamo.list_backends()) >= {"monograph", "inductor"}
    with pytest.raises(torch._dynamo.exc.InvalidBackend):
        torch.compile(linear, backend="nonsense")(x)
    for mode in (None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"):
        assert torch.equal(torch.compile(linear, mode=mode)(x), linear(x))
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        torch.compile(linear, mode="fastest")
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(linear, mode="default", options={"a": 1})


def test_a_backend_that_takes_control_flow():
    seen = []

    @torch._dynamo.register_backend(name="keeps_control_flow", control_flow=True)
    def backend(gm, example_inputs):
        seen.append(gm)
        return gm.forward

    def f(x):
        return x + 1 if x.sum() > 0 else x - 1

    g = torch.compile(f, backend="keeps_control_flow")
    for x in (torch.ones(2), -torch.ones(2)):
        assert torch.equal(g(x), f(x))
    assert len(seen) == 1


def test_decorators_methods_and_nesting():
    class Thing:
        scale = 3

        @torch.compile
        def run(self, x):
            return inner(x) * self.scale

    @torch.compile(fullgraph=True)
    def inner(x):
        """What it does."""
        return x + 1

    assert inner.__name__ == "inner" and inner.__doc__ == "What it does."
    thing = Thing()
    assert thing.run(torch.ones(1)).item() == 6
    thing.scale = 4
    assert thing.run(torch.ones(1)).item() == 8
    assert torch.compile(thing.run)(torch.ones(1)).item() == 8
    assert torch.compile(inner, disable=True) is inner
    with torch.no_grad():
        assert inner(torch.ones(1, requires_grad=True)).requires_grad is False


def test_compiled_modules_are_modules():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    g = torch.compile(model)
    assert g._orig_mod is model and isinstance(g, nn.Module) and isinstance(g, torch._dynamo.eval_frame.OptimizedModule)
    assert list(g.state_dict()) == list(model.state_dict()) and [n for n, _ in g.named_parameters()] == ["0.weight", "0.bias"]
    g.load_state_dict({f"_orig_mod.{k}": v * 0 for k, v in model.state_dict().items()})
    assert model[0].weight.abs().sum() == 0 and g[0] is model[0] and len(g) == 2
    g.eval()
    assert not model.training and not g.training
    g.extra = 4
    assert model.extra == 4
    x = torch.randn(3, 2)
    for other in (copy.deepcopy(g), pickle.loads(pickle.dumps(g))):
        assert other._orig_mod is not model and torch.equal(other(x), g(x))
    model.compile()
    assert torch.equal(model(x), g(x)) and compiled_of(model) is not None
    assert compiled_of(copy.deepcopy(model)) is None


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((1,), 2.0))

    def forward(self, x):
        return x * self.w + 1


def test_hooks_of_what_compile_gives():
    x = torch.ones(1)
    g = torch.compile(Scaled())
    assert g(x).tolist() == [3]
    added = g.register_forward_hook(lambda module, args, result: result + 1000 if module is g else None)
    before = g.register_forward_pre_hook(lambda module, args: (args[0] + 10,))
    for f in (g, torch.compile(lambda x: g(x)), g.forward):
        assert f(x).tolist() == ([3] if f == g.forward else [1023])
    before.remove()
    assert g(x).tolist() == [1003] and g._orig_mod(x).tolist() == [3]
    added.remove()
    grads = []
    g.register_full_backward_hook(lambda module, of_inputs, of_results: grads.append(of_results[0].item()))
    g(x).sum().backward()
    assert grads == [1] and g._orig_mod.w.grad.tolist() == [1]


def test_what_is_registered_on_what_compile_gives():
    x = torch.ones(1)
    g = torch.compile(Scaled())
    g.register_buffer("b", torch.ones(1))
    g.register_parameter("p", nn.Parameter(torch.ones(1)))
    g.add_module("m", nn.Linear(1, 1))
    assert list(g.state_dict()) == ["w", "p", "b", "m.weight", "m.bias"] == list(g._orig_mod.state_dict())
    assert [n for n, _ in g.named_parameters()] == ["w", "p", "m.weight", "m.bias"] and g.b is g._orig_mod.b
    g.forward = lambda x: x + 7
    assert g(x).tolist() == [8] and torch.compile(lambda x: g(x) * 2)(x).tolist() == [16] and g._orig_mod(x).tolist() == [3]
    del g.forward
    assert g(x).tolist() == [3]


def test_marks_and_names():
    @torch._dynamo.disable
    def left_alone(x):
        return x + 1

    def f(x):
        return left_alone(x) * 2

    g = torch.compile(f)
    assert g(torch.ones(1)).item() == 4 and entries(g)[0]["kind"] == "disabled"

    @torch.compile
    def h(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    assert h(torch.ones(1)).item() == 4 and "graph_break" in entries(h)[0]["detail"]
    with pytest.raises(torch._dynamo.exc.Unsupported, match="Cure: Remove the mark"):
        torch._dynamo.optimize_assert("eager")(f)(torch.ones(1))
    answers = torch.compile(lambda x: (torch.compiler.is_compiling(), torch.jit.is_tracing(), x + 1))(torch.ones(1))
    assert answers[:2] == (True, False) and not torch.compiler.is_compiling()
    torch._dynamo.mark_dynamic(torch.ones(2), 0)
    with torch._dynamo.config.patch(recompile_limit=2):
        assert torch._dynamo.config.cache_size_limit == 2
    assert torch._dynamo.config.cache_size_limit == 8


def test_stances():
    counter = CompileCounter()
    g = torch.compile(lambda x, n: x + n, backend=counter)
    g(torch.ones(1), 1)
    with torch.compiler.set_stance("force_eager"):
        assert g(torch.ones(1), 2).item() == 3
    with torch.compiler.set_stance("eager_on_recompile"):
        assert g(torch.ones(1), 3).item() == 4
    with torch.compiler.set_stance("fail_on_recompile"):
        g(torch.ones(1), 1)
        with pytest.raises(RuntimeError, match="n was 1 and is 4"):
            g(torch.ones(1), 4)
    assert counter.frame_count == 1


def test_a_stance_with_a_backend():
    of_stance, own = CompileCounter(), CompileCounter()
    g, x = torch.compile(lambda x: x + 1, backend=own), torch.ones(1)
    with torch.compiler.set_stance(force_backend=of_stance):
        assert g(x).item() == 2
        assert torch.compile(lambda x: x + 2)(x).item() == 3
    assert (of_stance.frame_count, own.frame_count) == (2, 0)
    assert g(x).item() == 2 and (of_stance.frame_count, own.frame_count) == (2, 1)

    @torch.compiler.set_stance(force_backend=of_stance)
    def run():
        return g(x)

    run()
    assert (of_stance.frame_count, own.frame_count) == (3, 1)
    with pytest.raises(RuntimeError, match="force_backend goes with the stance 'default' alone"):
        torch.compiler.set_stance("force_eager", force_backend=own)
    with torch.compiler.set_stance(force_backend=of_stance), pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="without branches"):
        torch.compile(lambda x: x + 1 if x.sum() > 0 else x)(x)


def test_what_is_disabled():
    def f(x):
        return x + 1

    x = torch.ones(1)
    slow = torch.compiler.disable(f)
    assert slow is not f and slow.__name__ == "f" and slow(x).item() == 2
    assert captures(g := torch.compile(f)) == 0 and g(x).item() == 2 and captures(g) == 1
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"calls test_what_is_disabled.<locals>.f, which is marked with torch.compiler.disable"):
        torch.compile(lambda x: slow(x), fullgraph=True)(x)
    assert torch.compiler.disable(f, recursive=False) is f
    model = Scaled()
    calm = torch.compiler.disable(model)
    assert calm(x).item() == 3 and calm._orig_mod is model and torch.compile(calm)(x).item() == 3
    assert captures(whole := torch.compile(Scaled())) == 0 and whole(x).item() == 3 and captures(whole) == 1  # the class is unmarked
    for kind in (staticmethod, classmethod):
        assert type(torch.compiler.disable(kind(f))) is kind
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"calls torch._dynamo.graph_break\(\)\.\n.*\n.*\n.*\n  Cure: Remove the call"):
        torch.compile(lambda x: torch._dynamo.graph_break(), fullgraph=True)(x)


def test_settings_that_programs_change():
    config, x = torch._dynamo.config, torch.ones(1)
    counter = CompileCounter()
    g = torch.compile(lambda x, k: x + k, backend=counter, dynamic=False)
    own = torch.compile(lambda x, k: x + k, backend="interpreter", dynamic=False, recompile_limit=3)
    with config.patch(recompile_limit=2):
        for k in range(5):
            assert g(x, float(k)).item() == own(x, float(k)).item() == 1 + k
    assert counter.frame_count == 2 and captures(own) == 3
    g(x, 9.0)
    assert counter.frame_count == 3
    with config.patch(disable=True):
        assert torch.compile(lambda x: x + 1, backend=counter)(x).item() == 2
    assert counter.frame_count == 3 and torch.compile(lambda x: x + 1, backend=counter)(x).item() == 2 and counter.frame_count == 4
    with config.patch(nested_graph_breaks=True, reorderable_logging_functions={print}, fail_on_cache_limit_hit=True):
        assert config.nested_graph_breaks and config.fail_on_recompile_limit_hit
    assert not config.nested_graph_breaks and config.reorderable_logging_functions == set() and not config.fail_on_recompile_limit_hit
    with pytest.raises(AttributeError, match="no setting 'nonsense'"):
        config.nonsense = 1
    assert torch.compile(lambda x: x + 1, mode="lite")(x).item() == 2
    counters = torch._dynamo.utils.counters
    counters.clear()
    torch.compile(BREAKS["disabled"])(x), torch.compile(lambda x: (x + 1) * 2)(x)
    assert counters["stats"]["unique_graphs"] == counters["frames"]["ok"] == counters["frames"]["total"] >= 1 and counters["stats"]["calls_captured"] >= 2


@pytest.mark.parametrize("name", ["compiled_autograd._enable", "source.LocalSource", "variables.ConstantVariable", "variables.lists.RangeVariable"])
def test_the_inside_of_pytorchs_capture(name):
    home, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(f"monograph._dynamo.{home}"), last)
    with pytest.raises(NotImplementedError, match=f"torch._dynamo.{name} is a part of the inside of PyTorch's torch.compile"):
        found(1)
    assert not isinstance(1, found)


def test_explain_of_breaks():
    def f(x):
        y = x * Scaled.scale
        torch._dynamo.graph_break()
        return y + 1

    Scaled.scale = torch.ones(1)
    report = torch._dynamo.explain(f)(torch.ones(1))
    (reason,) = report.break_reasons
    assert reason.graph_break and "torch._dynamo.graph_break()" in reason.reason and reason.user_stack[0].filename.endswith("test_compile.py")
    assert len(report.graphs) == 2 and all(isinstance(g, torch.fx.GraphModule) and "def forward" in g.code for g in report.graphs)
    report = torch._dynamo.explain(torch.compile(Scaled()))(torch.ones(1))
    assert report.graphs[0](torch.ones(1))[0].item() == 3


def test_explain():
    report = torch._dynamo.explain(lambda x: x.sin() * SCALE)(torch.ones(2))
    assert report.graph_count == 1 and report.graph_break_count == 0 and report.op_count == 2
    assert "G['SCALE'] is 2.0" in report.out_guards and "Graph Count: 1" in str(report)


@torch.compiler.disable
def left_alone(x):
    return x


BREAKS = {
    "print": lambda x: print(x, file=PRINTED),
    "call": lambda x: os.times()[0] + x,
    "tensor_state": lambda x: x.grad,
    "lasting": lambda x: torch.manual_seed(0),
    "disabled": lambda x: left_alone(x),
    "data": lambda x: [0, 1][int(x.sum()) * 0],
    "class_attribute": lambda x: setattr(Config, "width", 2),
    "older_iterator": lambda x: x * next(ITERATOR),
    "result": lambda x: lambda: x,
}
ITERATOR = iter(range(1000))
PRINTED = io.StringIO()


@pytest.mark.parametrize("kind", BREAKS)
def test_breaks_name_line_cause_cost_and_cure(kind):
    from monograph._dynamo.breaks import BREAKS as REGISTRY

    with pytest.raises(torch._dynamo.exc.Unsupported) as raised:
        torch.compile(BREAKS[kind], fullgraph=True)(torch.ones(2))
    text = str(raised.value)
    assert REGISTRY[kind].cause in text and REGISTRY[kind].cure in text and f"{os.path.basename(__file__)}:" in text
    g = torch.compile(BREAKS[kind])
    with contextlib.redirect_stdout(io.StringIO()):
        g(torch.ones(2))
    if kind != "data":  # the graph changes nothing, so it may run to the guard
        assert entries(g)[0]["kind"] == kind


def test_memory_does_not_grow():
    import gc
    import tracemalloc

    f = torch.compile(lambda x: (x + 1, {"a": x}))
    x = torch.ones(2)
    for _ in range(100):
        f(x)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        f(x)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 10_000


def test_sixteen_threads_capture_at_once():
    import threading

    def f(x, k):
        y = x * k + SCALE
        return y if y.sum() > 0 else -y

    g = torch.compile(f)
    texts, wrong = [], []

    def work(n):
        for k in range(6):
            x = torch.full((n + 1,), float(k - 3))
            if not torch.equal(g(x, k % 3), f(x, k % 3)):
                wrong.append((n, k))
        own = torch.compile(f, backend="interpreter")
        own(torch.ones(2), 1)
        texts.append(str(entries(own)[0]["graph"]))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(set(texts)) == 1 and len(texts) == 16


def test_compiled_functions_are_collected():
    import gc
    import weakref

    class Model(nn.Module):
        def forward(self, x):
            return x + 1

    model = Model()
    g = torch.compile(model)
    g(torch.ones(1))
    alive = weakref.ref(model)
    del model, g
    gc.collect()
    assert alive() is None


def test_the_page_of_breaks():
    from pathlib import Path

    from monograph._dynamo.breaks import page

    assert (Path(__file__).resolve().parents[2] / "docs" / "graph_breaks.md").read_text() == page()


def checked_sizes(a, b):
    if a.shape[:2] != b.shape:
        raise ValueError(f"sizes {tuple(a.shape)} and {tuple(b.shape)}")
    assert a.shape[-1:] == (4,), f"the last size is {a.size(2)}"
    return a + b.unsqueeze(2)


def text_of_a_size(a, b):
    if a.size(2) != 4:
        raise ValueError(f"expected 4, got {a.size(2)}")
    score = a[0] * 1
    for i in range(1, a.shape[0]):
        score += a[i] * b[i].unsqueeze(1)
    return score


@pytest.mark.parametrize("f", [checked_sizes, text_of_a_size])
def test_checks_of_sizes_are_no_breaks(f):
    compiled = torch.compile(f, fullgraph=True)
    for n in (2, 1, 5, 3):
        a, b = torch.randn(n, 3, 4), torch.randn(n, 3)
        assert torch.equal(compiled(a.clone(), b), f(a.clone(), b))
    assert captures(compiled) <= 2


@pytest.mark.parametrize("f", [checked_sizes, text_of_a_size])
def test_the_text_of_an_error_is_that_of_the_call(f):
    compiled = torch.compile(f)
    compiled(torch.randn(2, 3, 4), torch.randn(2, 3))
    for sizes in ((2, 3, 5), (2, 3, 7)):
        a, b = torch.randn(sizes), torch.randn(2, 3)
        with pytest.raises((ValueError, AssertionError)) as expected:
            f(a.clone(), b)
        with pytest.raises(type(expected.value)) as found:
            compiled(a.clone(), b)
        assert str(found.value) == str(expected.value)


def test_functions_of_numpy_compute_with_numbers(tmp_path):
    np = pytest.importorskip("numpy")

    def f(x):
        return x.reshape(int(np.prod(x.shape))) / np.sqrt(x.shape[-1]) + np.log(2.5) * float(np.exp(x.sum().item() / 100))

    compiled = torch.compile(f, fullgraph=True)
    traced = torch.jit.trace(f, torch.randn(3, 2))
    for n in (3, 1, 7):
        x = torch.randn(n, 2)
        assert torch.equal(compiled(x), f(x)) and torch.equal(traced(x), f(x))
    assert captures(compiled) == 1


def test_arrays_of_numpy_are_not_compared():
    np = pytest.importorskip("numpy")
    array = np.ones(3)

    def f(x):
        return x * float(np.sum(array))

    compiled = torch.compile(f)
    assert compiled(torch.ones(1)).item() == 3
    array[0] = 5
    assert compiled(torch.ones(1)).item() == 7


def test_settings_of_torch_compiler():
    import monograph.compiler.config as config

    before = config.recompile_limit
    with config.patch(recompile_limit=before + 1, job_id="of this test"):
        assert torch._dynamo.config.recompile_limit == before + 1 and config.job_id == "of this test"
    assert config.recompile_limit == before and config.job_id is None
    with pytest.raises(AttributeError, match="no setting 'recompile_limits'"):
        config.recompile_limits = 1
    torch.compiler.set_enable_guard_collectives(True)
    assert torch.compiler.set_enable_guard_collectives(False) and not torch.compiler.set_enable_guard_collectives(False)
    assert torch.compiler.save_cache_artifacts() is None and torch.compiler.load_cache_artifacts(b"") is None
    with pytest.raises(NotImplementedError, match=r"torch\.jit\.load"):
        torch.compiler.load_compiled_function(None)


def test_a_filter_of_guards_says_what_pytorch_says():
    class Source:
        def is_unspecialized_nn_module(self):
            return True

        def is_unspecialized_builtin_nn_module(self):
            return False

    def entry(kind, is_global, value=None):
        return SimpleNamespace(guard_type=kind, is_global=is_global, value=value, orig_guard=SimpleNamespace(source=Source()))

    entries = [entry("TENSOR_MATCH", False), entry("TENSOR_MATCH", True, torch.nn.Parameter(torch.ones(1))), entry("SHAPE_ENV", False)]
    assert torch.compiler.skip_all_guards_unsafe(entries) == [False, False, False]
    assert torch.compiler.skip_guard_on_globals_unsafe(entries) == [True, False, True]
    assert torch.compiler.skip_guard_on_all_nn_modules_unsafe(entries) == [False, False, False]
    assert torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe(entries) == [True, True, True]
    assert torch.compiler.keep_tensor_guards_unsafe(entries) == [True, False, False]
    assert torch.compiler.keep_tensor_guards_unsafe(entries, keep_parameters=True) == [True, True, False]
    assert torch.compiler.keep_portable_guards_unsafe(entries) == [True, False, True]
    # Monograph keeps every guard: a filter changes nothing.
    scale = [2.0]
    times = torch.compile(lambda x: x * scale[0], options={"guard_filter_fn": torch.compiler.skip_all_guards_unsafe})
    assert times(torch.ones(1)).item() == 2
    scale[0] = 3.0
    assert times(torch.ones(1)).item() == 3
