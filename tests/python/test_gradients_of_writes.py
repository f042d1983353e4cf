"""Gradients through writes in place: second gradients, and gradients that a captured function computes itself, for every batch size."""

from __future__ import annotations

import monograph as torch
import pytest

F = torch.nn.functional


def column(x, w):
    y = x @ w
    y[:, 0] = x.sum(1) * w[0, 0]
    return y


def block_and_column(x, w):
    y = x @ w
    y[1:, :2] += w[0, :2]
    y[:, -1].mul_(w[1, 1])
    return y.tanh()


def filled_column_by_column(x, w):
    out = torch.zeros_like(x)
    for i in range(4):
        out[:, i] = (x * w[i]).sum(1)
    return out


def through_several_views(x, w):
    y = (x @ w).view(-1, 2, 2)
    y[:, 0].transpose(0, 1)[1] = x[:, 0] * w[2, 2]
    return y.exp()


def clamped_columns(x, w):
    y = x @ w
    y[:, 1].clamp_(min=0)
    y[:, :2].relu_()
    return y


def row_of_a_transpose(x, w):
    y = (x @ w).t()
    y[0] = x[:, 1] * w[0, 0]
    return y


def by_indices(x, w):
    y = torch.zeros(x.shape[0], 4)
    y[torch.arange(x.shape[0]), x.argmax(1)] = (x @ w)[:, 0]
    return y


def by_mask(x, w):
    y = x @ w
    y[x > 0] = 0.0
    y[:, 2:].fill_(1.0)
    return y


def on_the_diagonal(x, w):
    y = x @ w
    y.diagonal().add_(w.diagonal()[: x.shape[0]])
    return y.sin()


def read_after_a_write_to_the_base(x, w):
    y = x @ w
    view = y[:, :2]
    y.mul_(w[0, 0])
    y[:, 3] = 0.0
    return view * view


WRITES = {
    f.__name__: f
    for f in (
        column,
        block_and_column,
        filled_column_by_column,
        through_several_views,
        clamped_columns,
        row_of_a_transpose,
        by_indices,
        by_mask,
        on_the_diagonal,
        read_after_a_write_to_the_base,
    )
}
WRITES |= {
    "relu_": lambda x, w: (x @ w).relu_(),
    "clamp_": lambda x, w: (x @ w).clamp_(-1, 1),
    "masked_fill_": lambda x, w: (x @ w).masked_fill_(x > 0, 0.0),
    "scatter_": lambda x, w: torch.zeros_like(x).scatter_(1, x.argsort(1), x @ w),
    "scatter_add_": lambda x, w: torch.zeros_like(x).scatter_add_(1, x.argsort(1) // 2, x @ w),
    "index_add_": lambda x, w: torch.zeros_like(x).index_add_(0, torch.arange(x.shape[0]), x @ w),
    "index_copy_": lambda x, w: (x @ w).index_copy_(1, torch.tensor([1]), x[:, :1] * w[0, 0]),
    "index_fill_": lambda x, w: (x @ w).index_fill_(1, torch.tensor([1]), 2.0),
    "addcmul_": lambda x, w: (x @ w).addcmul_(x, w[0]),
    "lerp_": lambda x, w: (x @ w).lerp_(x, 0.3),
    "copy_": lambda x, w: torch.zeros_like(x).copy_(x @ w),
    "tril_": lambda x, w: (x @ w).tril_(),
}


def data(n):
    generator = torch.Generator().manual_seed(n)
    return torch.randn(n, 4, generator=generator), torch.randn(4, 4, generator=generator)


def gradient_of(function):
    def step(x, w):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(function(x, w).pow(2).sum(), w)[0]

    return step


@pytest.mark.parametrize("name", WRITES)
def test_a_captured_gradient_through_a_write_holds_for_every_batch(name, tmp_path):
    gradient = gradient_of(WRITES[name])
    traced = torch.jit.trace(gradient, data(2), check_trace=False)
    assert not traced.graph.guards
    traced.graph.save(tmp_path / "step.mgraph")
    loaded = torch.load_graph(tmp_path / "step.mgraph")
    for n in (1, 2, 3, 4):
        expected = gradient(*data(n))
        assert torch.allclose(traced(*data(n)), expected, rtol=1e-5, atol=1e-5), n
        assert torch.allclose(loaded(*data(n)), expected, rtol=1e-5, atol=1e-5), n


@pytest.mark.parametrize("name", WRITES)
def test_second_gradients_through_a_write(name):
    x, w = (t.double() for t in data(3))
    # Away from where relu and clamp have no derivative.
    function = WRITES[name]
    zeros = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.autograd.gradcheck(lambda v: function(x, v), (w.clone().requires_grad_(),))
        assert torch.autograd.gradgradcheck(lambda v: function(x, v) ** 2, (w.clone().requires_grad_(),))
    finally:
        torch.set_default_dtype(zeros)


def test_the_captured_graph_keeps_the_write_where_no_gradient_asks_for_its_parts():
    traced = torch.jit.trace(lambda x, w: (x @ w).clamp_(-1, 1), (data(2)[0], data(2)[1].requires_grad_()), check_trace=False)
    assert "aten::clamp_(" in str(traced.graph) and "copy_" not in str(traced.graph)


def attention(x, w):
    heads = (x @ w).view(x.shape[0], x.shape[1], 2, 2).transpose(1, 2)
    return F.scaled_dot_product_attention(heads, heads, heads)


# Gradients of a graph: forward and backward as graphs.
LISTS_AND_LAYERS = {
    "layer_norm": lambda x, w: F.layer_norm(x @ w, (4,)),
    "rms_norm": lambda x, w: F.rms_norm(x @ w, (4,), w[0]),
    "attention": attention,
    "chunk": lambda x, w: (x @ w).chunk(2, -1)[0] * 2,
    "split": lambda x, w: (x @ w).split(2, -1)[1] * 2,
    "unbind": lambda x, w: (x @ w).unbind(1)[0],
    "index": lambda x, w: (x @ w)[:, torch.tensor([0, 2, 2])],
    "index by a mask": lambda x, w: (x @ w)[x > 0],
    "group_norm": lambda x, w: F.group_norm((x @ w).transpose(1, 2), 2),
    "batch_norm": lambda x, w: F.batch_norm((x @ w).transpose(1, 2), torch.zeros(4), torch.ones(4), training=True),
    "einsum": lambda x, w: torch.einsum("bij,jk->bik", x, w),
    "lstm_cell": lambda x, w: torch.lstm_cell(x[:, 0], (x[:, 0], x[:, 1]), w.repeat(4, 1), w.repeat(4, 1))[0],
}


@pytest.mark.parametrize("name", LISTS_AND_LAYERS)
def test_forward_and_backward_as_graphs_hold_for_every_batch(name):
    function = LISTS_AND_LAYERS[name]
    differentiated = torch.jit.trace(function, (torch.randn(2, 3, 4), torch.randn(4, 4)), check_trace=False).graph.differentiate()
    for n in (1, 2, 3, 5):
        x, w = torch.randn(n, 3, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)
        function(x, w).pow(2).sum().backward()
        y, *saved = differentiated.forward(x.detach(), w.detach())
        dx, dw = differentiated.backward(2 * y, *saved)
        assert torch.allclose(dx, x.grad, rtol=1e-4, atol=1e-4) and torch.allclose(dw, w.grad, rtol=1e-4, atol=1e-4), n


def test_the_backward_graph_of_batch_norm_comes_with_the_update_of_its_statistics():
    norm, x = torch.nn.BatchNorm1d(4), torch.randn(6, 4)
    differentiated = torch.jit.trace(norm, x, check_trace=False).graph.differentiate()
    before = norm.running_var.clone()
    differentiated.forward(x)
    assert torch.allclose(norm.running_var, 0.9 * before + 0.1 * x.var(0), atol=1e-6)


@pytest.mark.parametrize("name", ["exp_", "tanh_", "sigmoid_", "sqrt_", "rsqrt_", "reciprocal_", "relu_"])
def test_second_gradients_through_a_write_whose_gradient_reads_its_result(name):
    def function(p):
        y = p.clone()
        getattr(y[1:], name)()
        return y**3

    p = (torch.arange(6.0, dtype=torch.float64).reshape(3, 2) + 0.5).requires_grad_()
    assert torch.autograd.gradgradcheck(function, (p,))


RESHAPED = {
    "t_": lambda p, w: (p * p).t_().sin() * w,
    "swapaxes_": lambda p, w: (p * 2).swapaxes_(0, 1).exp() * w,
    "unsqueeze_ and squeeze_": lambda p, w: (p * p).unsqueeze_(1).squeeze_(1).t_() * w,
}


@pytest.mark.parametrize("name", RESHAPED)
def test_a_captured_gradient_through_another_shape_in_place(name):
    def gradient(x):
        p = x.detach().requires_grad_()
        return torch.autograd.grad(RESHAPED[name](p, torch.arange(20.0).reshape(5, 4)).sum(), p)[0]

    traced = torch.jit.trace(gradient, torch.randn(4, 5), check_trace=False)
    x = torch.randn(4, 5)
    assert torch.equal(traced(x), gradient(x))


WRITTEN_LATER = {
    "narrow": lambda m: m.index_add_(0, torch.tensor([0]), m.narrow(0, 0, 1) * 0.5),
    "expand_as": lambda m: m.add_(m[0].expand_as(m) * 1.0),
    "chunk": lambda m: torch.cat([part * 2 for part in m.chunk(2, 1)], 1) + m.add_(1),
}


@pytest.mark.parametrize("name", WRITTEN_LATER)
def test_a_view_of_what_is_written_later(name):
    def gradient(x):
        p = x.detach().requires_grad_()
        return torch.autograd.grad(WRITTEN_LATER[name](p * 1.5).pow(2).sum(), p)[0]

    traced = torch.jit.trace(gradient, torch.randn(3, 4), check_trace=False)
    for n in (1, 2, 5):
        x = torch.randn(n, 4)
        assert torch.allclose(traced(x), gradient(x), rtol=1e-5, atol=1e-6), n


@pytest.mark.parametrize("function", [lambda p: torch.fft.irfft(torch.fft.rfft(p), n=8), lambda p: torch.fft.rfft(p, n=6).abs()])
def test_a_decomposition_that_compares_sizes_takes_one_path_for_all_of_them(function):
    def gradient(x):
        p = x.detach().requires_grad_()
        return torch.autograd.grad(function(p).pow(2).sum(), p)[0]

    traced = torch.jit.trace(gradient, torch.randn(3, 8), check_trace=False)
    assert traced.graph.guards == []
    for sizes in ((3, 8), (3, 10), (1, 5), (2, 6)):
        x = torch.randn(sizes)
        assert torch.allclose(traced(x), gradient(x), rtol=1e-4, atol=1e-5), sizes


# What differentiate needs as numbers it takes from the example, with a guard.
BY_EXAMPLE = {
    "median": lambda x: x.median(1)[0],
    "mode": lambda x: x.mode(1)[0],
    "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[0, 1], indexing="ij")[0],
    "tensor_split": lambda x: x.tensor_split(2, 1)[1],
    "gradient": lambda x: torch.gradient(x, dim=1)[0],
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "instance_norm": F.instance_norm,
    "layer_norm": lambda x: F.layer_norm(x, (x.shape[-1],)),
    "index_fill": lambda x: x.index_fill(1, torch.tensor([0]), 0.5),
    "index_copy": lambda x: x.index_copy(1, torch.tensor([0]), x[:, :1]),
    "take_along_dim": lambda x: x.take_along_dim(torch.tensor([[[1]]]), 2),
    "cross_entropy of a constant": lambda x: F.cross_entropy(x[:, 0], torch.tensor([1, 2])),
    "ldexp": lambda x: torch.ldexp(x, torch.tensor(2)),
}


@pytest.mark.parametrize("name", BY_EXAMPLE)
def test_differentiate_takes_sizes_from_the_example_where_it_needs_numbers(name):
    function = BY_EXAMPLE[name]
    differentiated = torch.jit.trace(function, torch.randn(2, 4, 6)).inlined_graph.differentiate()
    x = torch.randn(2, 4, 6, requires_grad=True)
    function(x).pow(2).sum().backward()
    y, *saved = differentiated.forward(x.detach())
    (dx,) = differentiated.backward(2 * y, *saved)
    assert torch.allclose(dx, x.grad, rtol=1e-4, atol=1e-5)


def test_differentiate_has_a_gradient_for_each_result():
    differentiated = torch.jit.trace(lambda x: (x * 2, x.median(1)[0]), torch.randn(4, 5)).inlined_graph.differentiate()
    x = torch.randn(4, 5, requires_grad=True)
    y, m, *saved = differentiated.forward(x.detach())
    (dx,) = differentiated.backward(torch.ones_like(y), torch.ones_like(m), *saved)
    ((x * 2).sum() + x.median(1)[0].sum()).backward()
    assert torch.equal(dx, x.grad)
