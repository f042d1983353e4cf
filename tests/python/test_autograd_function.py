"""torch.autograd.Function in captures, and what Monograph refuses by name. tests/python/test_autograd_programs.py compares the rest with PyTorch."""

from __future__ import annotations

import gc
import weakref

import monograph as torch
import pytest


class Triple(torch.autograd.Function):
    """Its gradient is not that of its forward function."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return (x * x).sum(1) * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.unsqueeze(1) * x.exp() * ctx.k, None


def own_gradient(x):
    x = x.detach().requires_grad_()
    (g,) = torch.autograd.grad((Triple.apply(x * 2, 3) ** 2).sum(), x)
    return g


@pytest.mark.parametrize(
    "capture", [lambda f: torch.jit.trace(f, torch.randn(3, 4)), torch.fx.symbolic_trace, lambda f: torch.capture(f, torch.randn(3, 4))]
)
def test_a_capture_has_the_operators_of_forward(capture):
    graph = capture(lambda x: Triple.apply(x.sin(), 2) + 1)
    for n in (3, 1, 5):
        x = torch.randn(n, 4)
        assert torch.allclose(graph(x), (x.sin() ** 2).sum(1) * 2 + 1)


def test_a_gradient_of_a_symbolic_trace_is_an_error():
    """Never the gradient of the operators, which is another one; neither where a part of the result has one."""
    graph = torch.fx.symbolic_trace(lambda x: Triple.apply(x, 2) + x.sum(1))
    x = torch.randn(3, 4, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"holds the forward function of a torch\.autograd\.Function"):
        graph(x).sum().backward()
    assert not graph(x.detach()).requires_grad


def test_the_graph_of_a_gradient_has_backward():
    f = lambda x: Triple.apply(x, 2)  # noqa: E731
    d = torch.jit.trace(f, torch.randn(3, 4)).inlined_graph.differentiate()
    x = torch.randn(2, 4, requires_grad=True)
    f(x).sum().backward()
    _, *saved = d.forward(x.detach())
    (gradient,) = d.backward(torch.ones(2), *saved)
    assert torch.allclose(gradient, x.grad)


def test_a_captured_gradient_is_the_programs_own():
    traced = torch.jit.trace(own_gradient, torch.randn(3, 4))
    for n in (3, 1, 5):
        x = torch.randn(n, 4)
        assert torch.allclose(traced(x), own_gradient(x))


def test_the_captured_graph_is_saved(tmp_path):
    traced = torch.jit.trace(lambda x: Triple.apply(x, 2), torch.randn(3, 4))
    traced.inlined_graph.save(tmp_path / "f.mgraph")
    x = torch.randn(2, 4)
    assert torch.allclose(torch.load_graph(tmp_path / "f.mgraph")(x), traced(x))


def test_what_needs_forward_mode_says_so():
    x = torch.ones(2, requires_grad=True)
    refused = [
        (lambda: torch.autograd.functional.jacobian(torch.sin, x, strategy="forward-mode"), "forward-AD"),
        (lambda: Triple.jvp(None), "jvp function"),
        (lambda: Triple.vmap(None, None), "vmap"),
    ]
    for call, words in refused:
        with pytest.raises(NotImplementedError, match=words):
            call()


def test_anomaly_mode_names_the_line():
    x = torch.zeros(1, requires_grad=True)
    with (
        pytest.warns(UserWarning) as found,
        torch.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="nan values in its 0th output"),
    ):
        y = torch.sqrt(x - 1)  # this line
        y.backward()
    assert any(
        "Error detected in SqrtBackward0. Traceback of forward call" in str(w.message) and "# this line" in str(w.message) for w in found
    )


def test_anomaly_mode_names_the_gradient_that_made_a_gradient():
    x = torch.zeros(1, requires_grad=True)
    with pytest.warns(UserWarning) as found, torch.autograd.detect_anomaly(check_nan=True):
        (first,) = torch.autograd.grad(x**1.5, x, create_graph=True)
        with pytest.raises(RuntimeError, match="nan values"):
            (first * 0).backward()  # 0 times the infinite slope of a root at 0
    text = "".join(str(w.message) for w in found)
    assert "Error detected in" in text and "Previous calculation was induced by PowBackward0" in text


def test_hooks_that_refer_to_their_node_or_leaf_are_freed():
    class Thing:
        pass

    def of_node():
        thing, x = Thing(), torch.ones(2, requires_grad=True)
        node = (x * 2).grad_fn
        node.register_hook(lambda gi, go: (node, thing))
        node.register_prehook(lambda go: (node, thing))
        node.metadata["me"] = node, thing
        return weakref.ref(thing)

    def of_leaf():
        thing, x = Thing(), torch.ones(2, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda t: (x, thing))
        return weakref.ref(thing)

    def of_result():
        thing, y = Thing(), torch.ones(2, requires_grad=True) * 2
        y.grad_fn.register_hook(lambda gi, go: (y, thing))
        return weakref.ref(thing)

    for make in (of_node, of_leaf, of_result):
        ref = make()
        gc.collect()
        assert ref() is None, make


def test_many_functions_in_a_chain():
    x = torch.ones(2, requires_grad=True)
    y = x

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    for _ in range(20000):
        y = Same.apply(y)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]
    del y


def test_a_result_that_is_kept_on_ctx_is_freed_with_its_input():
    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.result = x * 2
            return ctx.result

        @staticmethod
        def backward(ctx, g):
            return g * ctx.result

    def run():
        x = torch.ones(3, requires_grad=True)
        y = Keeps.apply(x)
        z = (y * 3).sum()
        z.backward()
        return [weakref.ref(t) for t in (x, y, z)]

    references = run()
    gc.collect()
    assert [r() for r in references] == [None, None, None]


def test_the_node_of_a_result_that_nobody_keeps():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    node = Double.apply(x).grad_fn
    assert node.name() == "DoubleBackward"
    assert [(n.name(), slot) for n, slot in node.next_functions] == [("torch::autograd::AccumulateGrad", 0)]
    assert node.next_functions[0][0].variable is x
    assert node.metadata == {}
    twice = Double.apply(Double.apply(x)).grad_fn
    (inner, _), *_ = twice.next_functions
    assert inner.name() == "DoubleBackward" and inner.next_functions[0][0].variable is x
    del twice
    assert inner.next_functions[0][0].variable is x


@pytest.mark.parametrize("look", [lambda y: None, lambda y: y.grad_fn, lambda y: y.grad_fn.saved_tensors, lambda y: y.grad_fn._raw_saved_tensors])
def test_what_a_function_saved_goes_with_its_result(look):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    gc.collect()
    gc.disable()
    try:
        middle = torch.ones(2, requires_grad=True) * 3
        kept = weakref.ref(middle)
        y = Twice.apply(middle)
        look(y)
        del middle, y
        assert kept() is None
    finally:
        gc.enable()
