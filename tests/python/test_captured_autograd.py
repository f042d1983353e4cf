"""Gradients, hooks, and modes inside of captured functions: a capture gives what the function itself gives, or an error that names a place. It never leaves
a hook, a no_grad() or a mode out."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x * 100


def under_no_grad(x):
    with torch.no_grad():
        y = x * 2
    return y + x


def switched_off_and_on(x):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(before)
    return y + x


def asks_for_the_mode(x):
    return x * 2 if torch.is_grad_enabled() else x * 3


def asks_for_requires_grad(x):
    return x * 2 if x.requires_grad else x * 3


def gradient(x):
    w = x.detach().requires_grad_()
    return torch.autograd.grad((w**3).sum(), w)[0]


def gradient_of_a_gradient(x):
    w = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    return torch.autograd.grad(g.sum(), w)[0]


def gradient_by_backward(x):
    w = x.detach().clone().requires_grad_()
    (w * w).sum().backward()
    return w.grad


def gradient_in_a_branch(x):
    w = x.detach().requires_grad_()
    loss = (w**2).sum() if x.sum() > 0 else (w**3).sum()
    return torch.autograd.grad(loss, w)[0]


def gradient_within_no_grad(x):
    with torch.no_grad(), torch.enable_grad():
        w = x.detach().requires_grad_()
        g = torch.autograd.grad((w.sin() * w).sum(), w)[0]
    return g * 2


def steps_of_a_descent(x):
    w = torch.zeros_like(x).requires_grad_()
    for _ in range(3):
        (g,) = torch.autograd.grad(((w - x) ** 2).sum(), w)
        w = (w - 0.1 * g).detach().requires_grad_()
    return w.detach()


def unused_input(x):
    a, b = x.detach().requires_grad_(), x.detach().requires_grad_()
    g = torch.autograd.grad((a * 2).sum(), [a, b], allow_unused=True)
    return g[0] if g[1] is None else g[1]


def function_of_gradients(x):
    return torch.func.grad(lambda v: (v**2).sum())(x)


def own_function(x):
    return Square.apply(x) + x


def gradient_through_own_function(x):
    w = x.detach().requires_grad_()
    return torch.autograd.grad(Square.apply(w).sum(), w)[0]


def hook_on_a_tensor(x):
    y = x * 2
    if y.requires_grad:
        y.register_hook(lambda g: g * 10)
    return y * 3


def hook_of_an_inner_gradient(x):
    w = x.detach().requires_grad_()
    y = w * 2
    y.register_hook(lambda g: g * 10)
    return torch.autograd.grad((y * y).sum(), w)[0]


class OneMode(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.drop = nn.Linear(3, 3), nn.Dropout(0.5)

    def forward(self, x):
        return self.linear(x) * 2 if self.training else self.drop(self.linear(x))


class SwitchesAMode(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.norm = nn.Dropout(0.5), nn.BatchNorm1d(3)

    def forward(self, x):
        self.drop.eval()
        y = self.drop(x)
        self.drop.train()
        return self.norm(y)


class BackwardHook(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.linear.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 5,))

    def forward(self, x):
        return self.linear(x.sin())


class Penalty(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x):
        x = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(self.layers(x).sum(), x, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()


PROGRAMS: dict[str, Any] = {
    f.__name__: f
    for f in (
        under_no_grad, switched_off_and_on, asks_for_the_mode, asks_for_requires_grad, gradient, gradient_of_a_gradient, gradient_by_backward,
        gradient_in_a_branch, gradient_within_no_grad, steps_of_a_descent, unused_input, function_of_gradients, own_function,
        gradient_through_own_function, hook_on_a_tensor, hook_of_an_inner_gradient,
    )
} | {m.__name__: m for m in (OneMode, SwitchesAMode, BackwardHook, Penalty)}  # fmt: skip

WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "trace": lambda f, x: torch.jit.trace(f, (x,)),
    "symbolic": lambda f, x: torch.fx.symbolic_trace(f),
    "compile": lambda f, x: torch.compile(f),
}

# Each of these is an error that names a place, or the derivative that is missing.
REFUSED = {
    "trace": {"hook_on_a_tensor", "BackwardHook"},
    "symbolic": {
        "unused_input", "function_of_gradients", "own_function",
        "gradient_through_own_function", "SwitchesAMode",
    },
    "compile": set(),
}  # fmt: skip


def run(f: Any, x: torch.Tensor) -> Any:
    """The result, and the gradient by the input. The kind of an error that the function itself raises is a result too."""
    x = x.detach().clone().requires_grad_(x.requires_grad)
    torch.manual_seed(3)
    out = f(x)
    if out.requires_grad:
        (out * out).sum().backward()
    return out.detach().tolist(), out.requires_grad, None if x.grad is None else x.grad.tolist()


def close(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, rel=1e-5, abs=1e-6) if isinstance(a, float) else a == b


def difference(program: Any, way: str) -> str | None:
    """What is not as the function's; a refusal is raised."""
    module = isinstance(program, type)
    torch.manual_seed(0)
    own = program() if module else program
    other = copy.deepcopy(own)
    x = torch.arange(1.0, 7.0).reshape(2, 3) / 7
    inputs = [x.requires_grad_(program not in (OneMode, SwitchesAMode, Penalty))] if module else [x[0].requires_grad_(), -x[1].requires_grad_()]
    inputs = [t.detach().requires_grad_(t.requires_grad) for t in inputs]
    start = copy.deepcopy(other.state_dict()) if module else {}
    captured = WAYS[way](other, inputs[0].detach().clone().requires_grad_(inputs[0].requires_grad))
    if module:
        other.load_state_dict(start)
    for training in (True, False) if module else (None,):
        if module:
            own.train(training), captured.train(training)
        for t in inputs:
            for enabled in (True, False):
                with torch.set_grad_enabled(enabled):
                    try:
                        expected = run(own, t)
                    except RuntimeError as error:  # there is no gradient to take
                        with pytest.raises(type(error)):
                            run(captured, t)
                        continue
                    got = run(captured, t)
                if not close(expected, got):
                    return f"training={training}, gradients={enabled}, {t}: {got}, but the function gives {expected}"
    return None


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_capture_gives_what_the_function_gives_or_names_a_place(name: str, way: str) -> None:
    if name not in REFUSED[way]:
        assert difference(PROGRAMS[name], way) is None
        return
    with pytest.raises((RuntimeError, ValueError)) as refused:
        found = difference(PROGRAMS[name], way)
        assert found is None, found
    named = "\n".join([str(refused.value), *(f"{e.path}:{e.lineno}" for e in refused.traceback)])
    assert "test_captured_autograd.py:" in named or "prim::function_result" in str(refused.value)


class AddsToGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        loss = (self.linear(x) ** 2).sum()
        loss.backward()
        return loss.detach()


def test_a_gradient_that_is_added_to_a_parameter_is_not_left_out() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="adds to the .grad of a parameter or input") as refused:
        torch.jit.trace(AddsToGrad(), (x,))
    assert "test_captured_autograd.py:" in str(refused.value)
    for capture in (torch.compile, torch.fx.symbolic_trace):
        own = AddsToGrad()
        other = copy.deepcopy(own)
        captured = capture(other)
        for _ in range(3):
            own(x), captured(x)
        for p, q in zip(own.parameters(), other.parameters(), strict=True):
            assert torch.allclose(p.grad, q.grad)


def adds_to_the_grad_of_its_input(x):
    (x * x).sum().backward()
    return x.detach() * 2


def adds_to_a_grad_of_its_own(x):
    w = x.detach().clone().requires_grad_()
    (w**3).sum().backward()
    return w.grad + x


def test_a_gradient_that_is_added_to_an_input_is_not_left_out() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)adds to the \.grad of a parameter or input.*test_captured_autograd\.py:.*torch\.compile"):
        torch.jit.trace(adds_to_the_grad_of_its_input, (torch.ones(2, requires_grad=True),))
    compiled = torch.compile(adds_to_the_grad_of_its_input)
    x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    for _ in range(3):
        assert compiled(other).tolist() == adds_to_the_grad_of_its_input(x).tolist()
        assert other.grad is not None
        assert other.grad.tolist() == x.grad.tolist()
    traced = torch.jit.trace(adds_to_a_grad_of_its_own, (torch.ones(2, requires_grad=True),))
    value = torch.tensor([1.0, 2.0, 3.0])
    assert traced(value).tolist() == adds_to_a_grad_of_its_own(value).tolist()


def test_a_capture_that_fails_under_no_grad_leaves_gradients_on() -> None:
    def f(x):
        with torch.no_grad():
            y = x * 2
            return torch.no_such_function(y)

    for way in ("trace", "symbolic"):
        with pytest.raises((AttributeError, torch.fx.proxy.TraceError)):
            WAYS[way](f, torch.ones(2))
        assert torch.is_grad_enabled()


def test_a_hook_is_left_out_where_the_caller_says_so() -> None:
    x = torch.ones(3, requires_grad=True)
    traced = torch.jit.trace(hook_on_a_tensor, (x,), on_change="ignore")
    traced(x).sum().backward()
    assert x.grad.tolist() == [6, 6, 6]


def off_around_a_branch(x):
    with torch.no_grad():
        y = x * 2 if x.sum() > 0 else x * 3
        z = y + 1
    return y * x + z


def off_in_a_branch(x):
    y = x
    if x.sum() > 0:
        with torch.no_grad():
            y = x * 2
    return y * x


def on_within_off(x):
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad():
            z = x * 3
    return y * z


def off_with_numbers(x):
    with torch.no_grad():
        n = x.shape[0]
        w = x.mean() * n
    return x.sum() * w


def on_where_it_is_on(x):
    with torch.enable_grad():
        return x * 2


@torch.no_grad()
def off_at_all(x):
    return x * 2


@pytest.mark.parametrize("f", [off_around_a_branch, off_in_a_branch, on_within_off, off_with_numbers, off_at_all])
def test_a_symbolic_trace_switches_gradients(f: Any, tmp_path: Any) -> None:
    graph = torch.fx.symbolic_trace(f)
    graph.graph.save(tmp_path / "f.mgraph")
    for g in (graph, torch.load_graph(tmp_path / "f.mgraph")):
        for x in (torch.arange(1.0, 4.0), -torch.arange(1.0, 4.0)):
            for enabled in (True, False):
                with torch.set_grad_enabled(enabled):
                    assert close(run(f, x.requires_grad_()), run(g, x.requires_grad_()))
                    assert torch.is_grad_enabled() == enabled


@pytest.mark.parametrize("way", ["symbolic", "compile"])
def test_gradients_that_the_program_switches_on_are_on(way: str) -> None:
    x = torch.ones(3, requires_grad=True)
    captured = WAYS[way](on_where_it_is_on, x)
    for enabled in (True, False):
        with torch.set_grad_enabled(enabled):
            y = captured(x)
            assert y.requires_grad
            (g,) = torch.autograd.grad(y.sum() if enabled else y, x, torch.tensor(1.0) if enabled else torch.ones(3))
        assert g.tolist() == [2, 2, 2]


def test_an_error_under_no_grad_leaves_gradients_on() -> None:
    def f(x):
        with torch.no_grad():
            return x.reshape(2, 2)

    graph = torch.fx.symbolic_trace(f)
    with pytest.raises(RuntimeError, match="invalid for input of size 3"):
        graph(torch.ones(3))
    assert torch.is_grad_enabled()


def test_a_saved_symbolic_trace_switches_gradients(tmp_path: Any) -> None:
    torch.jit.save(torch.fx.symbolic_trace(on_within_off), tmp_path / "f.pt")
    x = torch.ones(3, requires_grad=True)
    assert close(run(torch.jit.load(tmp_path / "f.pt"), x), run(on_within_off, x))


@pytest.mark.parametrize(
    "f", [lambda x: torch.func.grad(torch.sum)(x), lambda x: torch.func.vjp(torch.sin, x)[0], lambda x: torch.func.jvp(torch.sin, (x,), (x,))[1]]
)
def test_a_symbolic_trace_refuses_gradients_of_functions_by_line(f: Any) -> None:
    with pytest.raises(torch.fx.proxy.TraceError, match=r"torch\.func(.|\n)*test_captured_autograd.py:"):
        torch.fx.symbolic_trace(f)


def test_a_namedtuple_may_be_made_in_a_capture() -> None:
    from collections import namedtuple

    def f(x):
        return namedtuple("Pair", "a b")(x, x * 2).b

    assert torch.fx.symbolic_trace(f)(torch.ones(2)).tolist() == [2, 2]


# --- A capture that begins while gradients are off.

def switched_on(x):
    y = x * 2
    with torch.enable_grad():
        z = y * x
    return z + 1, z


def guided(x):
    """What diffusion models do: a gradient inside of a function that is called under no_grad."""
    with torch.enable_grad():
        inner = x.detach().requires_grad_()
        (slope,) = torch.autograd.grad((inner**3).sum(), inner)
    return x + slope


def switched_on_in_a_branch(x):
    with torch.enable_grad():
        if x.sum() > 0:
            y = x * 3
        else:
            y = x * x
    return y


@pytest.mark.parametrize("function", [switched_on, guided, switched_on_in_a_branch], ids=lambda f: f.__name__)
@pytest.mark.parametrize("began", [True, False], ids=["on", "off"])
def test_a_trace_follows_a_function_that_switches_gradients_on(function, began, tmp_path):
    def results(f, value):
        x = value.clone().requires_grad_()
        made = f(x)
        made = made if isinstance(made, tuple) else (made,)
        return [(m.requires_grad, m.tolist(), torch.autograd.grad(m, x, torch.ones_like(m), retain_graph=True)[0].tolist() if m.requires_grad else None) for m in made]

    with torch.set_grad_enabled(began):
        traced = torch.jit.trace(function, (torch.tensor([1.0, 2.0], requires_grad=True),))
    for value in (torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0, 0.5])):
        for on in (False, True):
            with torch.set_grad_enabled(on):
                assert results(traced, value) == results(function, value), (on, value)
    if began:
        return
    traced.graph.save(tmp_path / "switched.mgraph")
    saved = torch.load_graph(tmp_path / "switched.mgraph")
    with torch.no_grad():
        assert results(saved, torch.tensor([-1.0, 4.0])) == results(function, torch.tensor([-1.0, 4.0]))
        assert "set_grad_enabled" not in str(torch.jit.trace(guided, (torch.tensor([1.0]),)).graph)


def test_hashes_know_which_operators_run_without_gradients():
    def first(x):
        with torch.no_grad():
            y = x * 2
        return y + x

    def second(x):
        y = x * 2
        with torch.no_grad():
            z = y + x
        return z

    def neither(x):
        return x * 2 + x

    graphs = [torch.fx.symbolic_trace(f).graph for f in (first, second, neither)]
    assert len({g.hash() for g in graphs}) == 3
    for f, graph in zip((first, second), graphs):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        canonical = graph.canonical()
        assert canonical(x).requires_grad == f(x).requires_grad


# --- Captures that are made in one mode of the thread and called in another.

def asks_for_inference(x):
    return x * 2 if torch.is_inference_mode_enabled() else x * 3


def asks_for_both(x):
    return x * (1 + torch.is_inference_mode_enabled()) + torch.is_grad_enabled()


def inference_inside(x):
    with torch.inference_mode():
        y = x * 2
    return y.shape[0] + x


def inference_result(x):
    with torch.inference_mode():
        y = x * 2
    return y + 0 * x.detach()


def off_inside(x):
    with torch.no_grad():
        y = x * 2
    return y * x


def off_in_one_way(x):
    if x.sum() > 0:
        with torch.no_grad():
            y = x * 2
    else:
        y = x * 3
    return y * x


def off_in_a_loop(x):
    y, k = x, x
    while y.sum().abs() < 10:
        with torch.no_grad():
            k = y + 1
        y = y * 2 + k
    return y


def on_inside_of_off(x):
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad():
            z = x * 3
    return z, y + 1


def no_inference_inside_of_off(x):
    with torch.no_grad():
        y = x * 2
        with torch.inference_mode(False):
            z = x * 3
    return z, y + 1


def on_for_a_leaf_inside_of_off(x):
    with torch.no_grad():
        y = (x * 2).requires_grad_()
        with torch.enable_grad():
            z = y * x
    return z


def set_to_what_it_was(x):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(before)
    return y * x


class AsksWhileItComputes(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        y = self.linear(x)
        if not torch.is_grad_enabled() and torch.is_inference_mode_enabled():
            y = y.relu()
        with torch.no_grad():
            z = self.linear(x) * 2
        return y * z


MODES = {"on": torch.enable_grad, "off": torch.no_grad, "inference": torch.inference_mode}
# inference_mode's own tensors are errors where gradients need them. A graph has ordinary ones there, so it gives what the program would.
MODE_PROGRAMS = [
    asks_for_inference, asks_for_both, inference_inside, inference_result, off_inside, off_in_one_way, off_in_a_loop, on_inside_of_off,
    no_inference_inside_of_off, on_for_a_leaf_inside_of_off, set_to_what_it_was, AsksWhileItComputes,
]  # fmt: skip


# A file of such a program, captured while gradients were on, has no gradient where it is called while they are off.
SWITCHES_ON = (on_inside_of_off, no_inference_inside_of_off, on_for_a_leaf_inside_of_off)


def results_in(f: Any, x: torch.Tensor, mode: str) -> Any:
    """Results and gradients of a call in this mode."""
    x = x.detach().clone().requires_grad_(x.requires_grad)
    with MODES[mode]():
        out = f(x)
    outs = out if isinstance(out, tuple) else (out,)
    found = []
    for t in outs:
        g = torch.autograd.grad(t.sum(), x, retain_graph=True, allow_unused=True)[0] if t.requires_grad and x.requires_grad else None
        found.append((t.detach().tolist(), t.requires_grad, None if g is None else g.tolist()))
    return found


@pytest.mark.parametrize("called", list(MODES))
@pytest.mark.parametrize("made", list(MODES))
@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("program", MODE_PROGRAMS, ids=lambda f: f.__name__)
def test_a_capture_made_in_one_mode_is_right_in_another(program: Any, way: str, made: str, called: str, tmp_path: Any) -> None:
    torch.manual_seed(0)
    f = program() if isinstance(program, type) else program
    given = [torch.tensor([1.0, 2.0, -0.5]), torch.tensor([-1.0, -2.0, 0.5])]
    for with_gradient in (True, False):
        example = given[0].clone().requires_grad_(with_gradient)
        with MODES[made]():
            captured = WAYS[way](f, example)
        for x in given:
            for needed in (with_gradient, True):
                x = x.detach().clone().requires_grad_(needed)
                try:
                    expected = results_in(f, x, called)
                except RuntimeError:  # PyTorch's, of a tensor that was made in inference_mode and is needed for a gradient
                    continue
                got = results_in(captured, x, called)
                assert close(expected, got), (with_gradient, x, got, expected)


@pytest.mark.parametrize("called", list(MODES))
@pytest.mark.parametrize("made", list(MODES))
@pytest.mark.parametrize("way", ["trace", "symbolic"])
@pytest.mark.parametrize("program", MODE_PROGRAMS, ids=lambda f: f.__name__)
def test_a_saved_capture_made_in_one_mode_is_right_in_another_or_refuses(program: Any, way: str, made: str, called: str, tmp_path: Any) -> None:
    torch.manual_seed(0)
    f = program() if isinstance(program, type) else program
    given = [torch.tensor([1.0, 2.0, -0.5]), torch.tensor([-1.0, -2.0, 0.5])]
    example = given[0].clone().requires_grad_()
    with MODES[made]():
        captured = WAYS[way](f, example)
        (captured.inlined_graph if way == "trace" else captured.graph).save(tmp_path / "f.mgraph")
    saved = torch.load_graph(tmp_path / "f.mgraph")
    for x in given:
        x.requires_grad_()
        try:
            expected = results_in(f, x, called)
        except RuntimeError:
            continue
        try:
            got = results_in(saved, x, called)
        except (RuntimeError, AssertionError) as error:
            assert "_enabled()" in str(error) and "test_captured_autograd.py:" in str(error)
            assert "asks" in program.__name__.lower() or program is set_to_what_it_was
            continue
        if made == "on" and called != "on" and program in SWITCHES_ON:
            expected, got = ([value for value, *_ in results] for results in (expected, got))  # docs/design/plan.md
        assert close(expected, got), (x, got, expected)


def detached_in_place(x):
    y = x * 2
    y.detach_()
    z = x * 3
    return y, y + z


def detached_in_a_branch(x):
    y = x * 2
    if x.sum() > 0:
        y.detach_()
    return y * x


@pytest.mark.parametrize("f", [detached_in_place, detached_in_a_branch])
@pytest.mark.parametrize("how", ["trace", "symbolic", "compile"])
def test_what_detach_in_place_leaves_has_no_gradient(how: str, f: Any) -> None:
    positive, negative = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0])
    capture = {"trace": lambda: torch.jit.trace(f, positive.clone().requires_grad_()), "symbolic": lambda: torch.fx.symbolic_trace(f), "compile": lambda: torch.compile(f)}
    captured = capture[how]()
    for values in (positive, positive, negative):
        seen = []
        for g in (f, captured):
            x = values.clone().requires_grad_()
            try:
                results = g(x)
            except RuntimeError as error:  # a guard of the branch
                assert how == "trace" and "the graph was captured where" in str(error)
                break
            parts = results if isinstance(results, tuple) else (results,)
            (gradient,) = torch.autograd.grad(sum(t.sum() for t in parts if t.requires_grad), x)
            seen.append(([t.requires_grad for t in parts], [t.tolist() for t in parts], gradient.tolist()))
        assert len(seen) == 1 or seen[0] == seen[1]


def test_detach_in_place_of_an_input_is_refused_by_line() -> None:
    def f(x):
        x.detach_()
        return x * 2

    with pytest.raises(RuntimeError, match=r"(?s)detach_\(\) changes a tensor that the captured function was given.*test_captured_autograd\.py:\d+: x\.detach_\(\)"):
        torch.jit.trace(f, torch.ones(2, requires_grad=True))
    compiled = torch.compile(f)
    for _ in range(2):
        x = torch.ones(2, requires_grad=True)
        assert not compiled(x).requires_grad and not x.requires_grad


def test_inference_mode_saves_its_own_tensors_within_it_alone():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        y = (x * 2).requires_grad_()
        with torch.enable_grad():
            assert (y * x).tolist() == [2, 8]  # as PyTorch
        y = x * 2
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        y * x
