"""Graph.differentiate: the forward and backward pass of a graph as graphs, against autograd."""

from __future__ import annotations

import monograph as torch
import monograph.nn.functional as F
import pytest
from test_gradients_of_loops import PROGRAMS, Cell, inputs
from test_training_graphs import NETWORKS, SIZES, batch


def check(d, results, wanted, given):
    """What both graphs give for these inputs, against autograd's gradients of a weighted sum."""
    out = d.forward(*given)
    out = out if isinstance(out, tuple) else (out,)
    found, saved = out[: d.results], out[d.results :]
    assert all(torch.allclose(a, b, rtol=1e-6, atol=1e-7, equal_nan=True) for a, b in zip(found, results, strict=True))
    tangents = [torch.full_like(y, 0.5 + k) for k, y in enumerate(results)]
    expected = torch.autograd.grad(results, wanted, tangents, allow_unused=True)
    for name, a, b in zip(d.gradients, d.backward(*tangents, *saved), expected, strict=True):
        if a is None or b is None:
            assert (a is None or not a.any()) and (b is None or not b.any()), name
        else:
            assert torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True), (name, (a - b).abs().max())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_of_control_flow(program, tmp_path):
    torch.jit.trace(program, next(inputs()), check_trace=False).inlined_graph.save(tmp_path / "f.mgraph")
    d = torch.load_graph(str(tmp_path / "f.mgraph")).differentiate()
    d.forward.lint(), d.backward.lint()
    assert d.gradients == ("x", "w") and d.results == 1
    for x, w in inputs():
        x.requires_grad_(), w.requires_grad_()
        check(d, [program(x, w)], [x, w], [x.detach(), w.detach()])


@pytest.mark.parametrize("kind", ["transformer", "lstm", "lstm-loop", "vae", "minilm"])
def test_of_networks_at_other_batch_sizes(kind, tmp_path):
    torch.manual_seed(0)
    net = NETWORKS[kind][0]()
    given = (lambda n: batch(kind, n)) if kind == "vae" else (lambda n: batch(kind, n)[:1])
    torch.jit.trace(net, given(4), check_trace=False).inlined_graph.save(tmp_path / "net.mgraph")
    graph = torch.load_graph(str(tmp_path / "net.mgraph"))
    d = graph.differentiate()
    parameters = dict(net.named_parameters())
    for n in SIZES:
        values = [v.requires_grad_() if v.is_floating_point() else v for v in given(n)]
        names = [p.name for p in graph.nodes if p.op == "placeholder"]
        wanted = [parameters[name] if name in parameters else values[names.index(name)] for name in d.gradients]
        assert {*d.gradients} >= {*parameters}
        out = net(*values)
        out = out if isinstance(out, tuple) else (out,)
        check(d, list(out), wanted, [v.detach() for v in values])


def test_both_graphs_are_saved(tmp_path):
    torch.manual_seed(0)
    net = Cell()
    d = torch.jit.trace(net, (torch.randn(2, 3, 3),), check_trace=False).inlined_graph.differentiate()
    d.forward.save(tmp_path / "forward.mgraph"), d.backward.save(tmp_path / "backward.mgraph")
    forward, backward = (torch.load_graph(str(tmp_path / f"{name}.mgraph")) for name in ("forward", "backward"))
    x = torch.randn(4, 5, 3)
    y, *saved = forward(x)
    expected = torch.autograd.grad(net(x).sum(), list(net.parameters()))
    found = dict(zip(d.gradients, backward(torch.ones_like(y), *saved), strict=True))
    for (name, _), g in zip(net.named_parameters(), expected, strict=True):
        assert torch.allclose(found[name], g, rtol=1e-6, atol=1e-7)


def test_writes_become_values_first():
    def f(x):
        y = x * 2
        y[0] = x[1].exp()
        y.mul_(x)
        return y

    d = torch.jit.trace(f, torch.ones(2, 3)).inlined_graph.differentiate()
    x = torch.randn(4, 3, requires_grad=True)
    check(d, [f(x)], [x], [x.detach()])


def test_what_the_forward_pass_writes_is_saved_as_it_was():
    def f(x):
        y = x * x.t()
        x.mul_(2)
        return y * x

    graph = torch.jit.trace(f, torch.ones(3, 3)).inlined_graph
    d = graph.differentiate()
    given = torch.randn(3, 3)
    x = given.clone().requires_grad_()
    expected = torch.autograd.grad((x * x.t() * (x * 2)).sum(), x)[0]
    out = given.clone()
    y, *saved = d.forward(out)
    assert torch.equal(out, given * 2)
    assert torch.allclose(d.backward(torch.ones_like(y), *saved)[0], expected)


def test_draws_are_those_of_the_forward_pass():
    d = torch.jit.trace(lambda x: F.dropout(x, 0.5, True), torch.ones(4, 3), check_trace=False).inlined_graph.differentiate()
    x = torch.ones(5, 3)
    torch.manual_seed(3)
    y, *saved = d.forward(x)
    (g,) = d.backward(torch.ones_like(y), *saved)
    assert torch.equal(g, y) and 0 < (y != 0).sum() < 15


def test_what_cannot_be_differentiated_says_so():
    graph = torch.jit.trace(lambda x: x.argmax(1), torch.ones(2, 3)).inlined_graph
    with pytest.raises(ValueError, match="differentiate: the graph forward returns no floating-point tensor, so it has no gradient"):
        graph.differentiate()


ROWS = {
    "kthvalue": lambda x: x.kthvalue(2, 0)[0] * 2,
    "median": lambda x: x.median(0)[0] * 2,
    "median of everything": lambda x: x.median() * 2,
    "mode": lambda x: x.mode(0)[0] * 2,
    "layer_norm over the last size": lambda x: F.layer_norm(x, x.shape[-1:]) * x,
    "layer_norm over all sizes but one": lambda x: F.layer_norm(x, x.shape[1:]) * x,
    "rms_norm": lambda x: F.rms_norm(x, x.shape[-1:]) * x,
    "attention": lambda x: F.scaled_dot_product_attention(x, x * 2, x + 1),
    "replicated padding": lambda x: F.pad(x, (1, 2), mode="replicate") * 2,
}


@pytest.mark.parametrize("name", ROWS)
def test_sizes_are_no_numbers(name):
    function = ROWS[name]
    d = torch.jit.trace(function, torch.randn(4, 3, 2), check_trace=False).inlined_graph.differentiate()
    assert d.forward.guards == []
    for sizes in ((4, 3, 2), (2, 1, 5), (3, 4, 1)):
        x = torch.randn(sizes, requires_grad=True)
        y, *saved = d.forward(x)
        (got,) = d.backward(torch.ones_like(y), *saved)
        (wanted,) = torch.autograd.grad(function(x).sum(), x)
        assert torch.allclose(got, wanted, rtol=1e-4, atol=1e-5), sizes


def test_attention_of_three_inputs_guards_that_they_are_one_batch():
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 4)
    d = torch.jit.trace(F.scaled_dot_product_attention, (q, k, v), check_trace=False).inlined_graph.differentiate()
    assert all(" - " in guard[0] and guard[1] == "0" for guard in d.forward.guards), d.forward.guards
    q, k, v = torch.randn(1, 2, 8), torch.randn(1, 6, 8), torch.randn(1, 6, 8)
    assert torch.allclose(d.forward(q, k, v)[0], F.scaled_dot_product_attention(q, k, v), rtol=1e-5, atol=1e-6)
