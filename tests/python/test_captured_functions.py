"""torch.autograd.Function in captured functions: the backward of a capture is that of the program, first and second gradients, or an error with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import monograph as torch
import pytest
from monograph.autograd.function import once_differentiable

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


class Rounded(torch.autograd.Function):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.factor * g, None


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        grad = g.clone()
        grad[x < 0] = 0
        return grad


class Exp(torch.autograd.Function):
    """Saves its result."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class Linear(torch.autograd.Function):
    """Reads needs_input_grad."""

    @staticmethod
    def forward(ctx, x, w, b=None):
        ctx.save_for_backward(x, w, b)
        y = x @ w.t()
        return y if b is None else y + b

    @staticmethod
    def backward(ctx, g):
        x, w, b = ctx.saved_tensors
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = g @ w
        if ctx.needs_input_grad[1]:
            gw = g.t() @ x
        if b is not None and ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gx, gw, gb


class Apart(torch.autograd.Function):
    @staticmethod
    def forward(x, power):
        return x**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.power = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.power * x ** (ctx.power - 1), None


class Two(torch.autograd.Function):
    """Two results, and a count that has no gradient."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        count = (x > 0).sum()
        ctx.mark_non_differentiable(count)
        return x * y, (x + y).sum(), count

    @staticmethod
    def backward(ctx, g, h, _):
        x, y = ctx.saved_tensors
        return g * y * 3 + h, g * x + 2 * h


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos() * 2


class Mean(torch.autograd.Function):
    """Keeps sizes as attributes."""

    @staticmethod
    def forward(ctx, x):
        ctx.shape, ctx.n = x.shape, x.numel()
        return x.mean()

    @staticmethod
    def backward(ctx, g):
        return (g / ctx.n * 7).expand(ctx.shape)


class Branch(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if x.sum() > 0:
            return g * 5
        return g * 11


class NoGradient(torch.autograd.Function):
    """No gradient for its second tensor."""

    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g, None


class Clipped(torch.autograd.Function):
    """Changes the gradient in a way that is not linear."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-0.5, 0.5) * torch.tensor(2.0)


class Twice(torch.autograd.Function):
    """A function in the backward of another."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return Square.apply(g) * x


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Broadcast(torch.autograd.Function):
    """Returns a gradient of other sizes, which is summed."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y * 2, g * x * 3


PROGRAMS: dict[str, Callable[..., Any]] = {
    "square": lambda x, w: Square.apply(x) + x * w,
    "rounded": lambda x, w: Rounded.apply(x * w * 3) * x,
    "reversed": lambda x, w: Reversed.apply(x * w, 0.5).tanh(),
    "relu": lambda x, w: Relu.apply(x * w - 0.1),
    "exp": lambda x, w: Exp.apply(x) * w,
    "linear": lambda x, w: Linear.apply(x, w.t() @ w, w.sum(0)),
    "linear without bias": lambda x, w: Linear.apply(x, w.t() @ w),
    "apart": lambda x, w: Apart.apply(x * w, 3),
    "two": lambda x, w: (lambda a, b, n: a * b + n)(*Two.apply(x, w)),
    "one of two": lambda x, w: Two.apply(x, w)[1] * 2,
    "once": lambda x, w: Once.apply(x * w),
    "mean": lambda x, w: Mean.apply(x * x) * w,
    "branch": lambda x, w: Branch.apply(x) * w,
    "no gradient": lambda x, w: NoGradient.apply(x, w) * x,
    "clipped": lambda x, w: Clipped.apply(x * w * 5) * 3,
    "twice": lambda x, w: Twice.apply(x) * w,
    "dirty": lambda x, w: Dirty.apply(x * 1.5) * w,
    "broadcast": lambda x, w: Broadcast.apply(x, w.sum(0)).sin(),
    "in a branch": lambda x, w: Square.apply(x) if x.sum() > 0 else Exp.apply(w),
    "in a row": lambda x, w: Exp.apply(Square.apply(x) * w),
}  # fmt: skip

WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "trace": lambda f, inputs: torch.jit.trace(f, inputs),
    "trace without grad": lambda f, inputs: torch.jit.trace(f, tuple(t.detach() for t in inputs), check_trace=False),
    "symbolic": lambda f, inputs: torch.fx.symbolic_trace(f),
    "compile": lambda f, inputs: torch.compile(f, backend="eager"),
}
# What raises at the gradient, with a reason; the result itself is right.
REFUSED = {
    "trace": {"dirty"},
    "trace without grad": {"dirty"},
    "symbolic": set(PROGRAMS),
    "compile": set(),
}


def inputs_of(rows: int = 3, sign: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    x = sign * torch.linspace(-0.4, 1.3, rows * 3).reshape(rows, 3)
    w = torch.linspace(0.2, 0.9, rows * 3).reshape(rows, 3)
    return x.requires_grad_(), w.requires_grad_()


def gradients(f: Callable[..., Any], inputs: Any, twice: bool) -> Any:
    out = f(*inputs)
    grads = torch.autograd.grad((out * out).sum(), inputs, create_graph=twice, allow_unused=True)
    found = [out.detach(), *grads]
    if twice and any(g is not None and g.requires_grad for g in grads):
        found += torch.autograd.grad(sum((g * g).sum() for g in grads if g is not None), inputs, allow_unused=True)
    return [None if t is None else t.detach().tolist() for t in found]


def close(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, rel=1e-4, abs=1e-6) if isinstance(a, float) else a == b


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_gradients_are_the_programs_own(name: str, way: str) -> None:
    f = PROGRAMS[name]
    if (name, way) == ("in a branch", "symbolic"):
        with pytest.raises(torch.fx.proxy.TraceError, match="test_captured_functions.py:"):
            WAYS[way](f, inputs_of())
        return
    captured = WAYS[way](f, inputs_of())
    for inputs in (inputs_of(), inputs_of(3, -1.0), inputs_of(2), inputs_of(1)):
        try:
            found = captured(*inputs)
        except RuntimeError as error:  # a branch that is not kept
            assert name == "in a branch"
            assert "test_captured_functions.py:" in str(error)
            continue
        assert close(found.tolist(), f(*inputs).tolist())
        for twice in (False, True):
            if name in REFUSED[way]:
                with pytest.raises(NotImplementedError, match=r"function_result"):
                    gradients(captured, inputs, twice)
                continue
            if name == "once" and twice:
                with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_differentiable"):
                    gradients(captured, inputs, twice)
                continue
            assert close(gradients(captured, inputs, twice), gradients(f, inputs, twice)), (name, way, twice)


@pytest.mark.parametrize("name", ["square", "linear", "two", "mean", "exp"])
def test_a_saved_graph_has_the_gradient(name: str, tmp_path) -> None:
    f = PROGRAMS[name]
    torch.jit.trace(f, inputs_of()).inlined_graph.save(tmp_path / "f.mgraph")
    loaded = torch.load_graph(tmp_path / "f.mgraph")
    for inputs in (inputs_of(), inputs_of(2)):
        assert close(gradients(loaded, inputs, False), gradients(f, inputs, False))


def test_compiled_functions_are_whole_graphs() -> None:
    for name in set(PROGRAMS) - {"dirty", "in a branch"}:
        torch._dynamo.reset()
        torch.compile(PROGRAMS[name], backend="eager", fullgraph=True)(*inputs_of())


log: list[str] = []


class Logged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        log.append("backward")
        return g * 3


def test_a_backward_that_writes_is_refused_by_a_trace_and_run_by_compile() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"writes to G\['log'\](.|\n)*test_captured_functions.py:"):
        torch.jit.trace(lambda x: Logged.apply(x), (x,))
    log.clear()
    compiled = torch.compile(lambda x: Logged.apply(x) + x, backend="eager")
    for k in (1, 2):
        y = compiled(x)
        assert len(log) == k - 1
        y.sum().backward()
        assert len(log) == k
    assert x.grad.tolist() == [8, 8]


class Writes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x


def written_later(x):
    x = x * 1
    y = Writes.apply(x)
    x.mul_(2)
    return y + x


def test_a_saved_tensor_that_is_written_later_is_an_error() -> None:
    for f in (written_later, torch.jit.trace(written_later, (torch.ones(2),))):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            f(torch.ones(2, requires_grad=True)).sum().backward()


def test_a_second_backward_of_a_freed_graph_is_an_error() -> None:
    for f in (Writes.apply, torch.jit.trace(lambda x: Writes.apply(x), (torch.ones(2),)), torch.compile(lambda x: Writes.apply(x), backend="eager")):
        y = f(torch.ones(2, requires_grad=True)).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            y.backward()


def test_needs_input_grad_is_checked() -> None:
    x, w = inputs_of()
    traced = torch.jit.trace(lambda x, w: Linear.apply(x, w.t() @ w), (x, w))
    with pytest.raises(NotImplementedError, match=r"reads ctx\.needs_input_grad"):
        traced(x.detach(), w).sum().backward()


def test_a_graph_without_the_backward_is_not_differentiated() -> None:
    graph = torch.jit.trace(PROGRAMS["branch"], inputs_of()).inlined_graph
    with pytest.raises(NotImplementedError, match="has a branch or a loop"):
        graph.differentiate()
