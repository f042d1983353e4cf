"""Gradients that a captured function computes itself: sizes stay symbols in them, so that one capture holds for every batch size, 1 among them. A guard says
what it compares, and one that every size keeps is not recorded."""

from __future__ import annotations

import monograph as torch
import monograph.nn.functional as F
import pytest


def step(function):
    def gradient(w, x):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(function(w, x).pow(2).sum(), w)[0]

    return gradient


def weight(n):
    return torch.linspace(-1, 1, 4).reshape(1, 1, 4)


def batch(n):
    return torch.linspace(-2, 3, n * 3 * 4).reshape(n, 3, 4)


OF_EVERY_BATCH = {
    "class token": lambda w, x: torch.cat([w.repeat(x.shape[0], 1, 1), x], 1),
    "tile": lambda w, x: w.tile((x.shape[0], 3, 1)) * x,
    "tile of fewer dims": lambda w, x: w.reshape(4).tile(x.shape[0] * 3) * x.reshape(-1),
    "repeat_interleave": lambda w, x: w.repeat_interleave(x.shape[0], 0) * x,
    "repeat_interleave of all": lambda w, x: w.repeat_interleave(x.shape[0] * 3) * x.reshape(-1),
    "broadcast_to": lambda w, x: w.broadcast_to(x.shape) * x,
    "narrow": lambda w, x: (w * x).narrow(0, 0, x.shape[0]),
    "narrow from a size": lambda w, x: (w * x).narrow(0, x.shape[0] - 1, 1),
    "unflatten": lambda w, x: (w * x).flatten(0, 1).unflatten(0, (x.shape[0], 3)).sin(),
    "unflatten of the rest": lambda w, x: (w * x).flatten(0, 1).unflatten(0, (-1, 3)).sin(),
    "split_with_sizes": lambda w, x: (w * x).split([x.shape[0] - 1, 1])[0] * 2,
    "tensor_split": lambda w, x: (w * x).tensor_split(2)[0].sin(),
    "tensor_split at a size": lambda w, x: (w * x).tensor_split([x.shape[0] - 1])[1].sin(),
    "vsplit": lambda w, x: (w * x).vsplit(1)[0].sin(),
    "diff": lambda w, x: torch.cat([w * x, x]).diff(dim=0),
    "roll": lambda w, x: (w * x).roll(x.shape[0] // 2, 0) * x,
    "glu": lambda w, x: F.glu(torch.cat([w * x, w * x, w * x, w * x]), 0),
    "instance_norm": lambda w, x: F.instance_norm(w * x) * x,
    "pad": lambda w, x: F.pad(w * x, (0, 0, 0, x.shape[0])),
    "convolution as large as its input": lambda w, x: F.conv1d(w * x, x[:1].expand(2, 3, 4)[..., :3], padding="same"),
    "repeat_interleave by a tensor": lambda w, x: (w * x).repeat_interleave(torch.arange(x.shape[0]), 0),
    "repeat_interleave of all by a tensor": lambda w, x: (w * x).flatten().repeat_interleave(torch.arange(x.shape[0] * 12)),
    "pdist": lambda w, x: torch.pdist((w * x).flatten(1)),
    "combinations": lambda w, x: torch.combinations((w * x).flatten()[: x.shape[0]]),
    "rfft of n points": lambda w, x: torch.fft.rfft(w * x, n=6).abs(),
    "rfft of as many points": lambda w, x: torch.fft.rfft(w * x, n=4).abs(),
    "second differences": lambda w, x: torch.cat([w * x, x]).diff(2, 0),
    "label smoothing": lambda w, x: F.cross_entropy((w * x)[:, 0], torch.zeros(x.shape[0], dtype=torch.int64), label_smoothing=0.1),
    "attention": lambda w, x: F.scaled_dot_product_attention(w * x, x, x + 1),
    "interpolate by a factor": lambda w, x: F.interpolate(w * x, scale_factor=1.3, mode="linear"),
    "complex": lambda w, x: torch.complex(w * x, x).abs(),
    "cosine_similarity": lambda w, x: F.cosine_similarity(w * x, x, -1),
    "masked_select": lambda w, x: (w * x).masked_select(x > 0),
    "take_along_dim": lambda w, x: torch.take_along_dim(w * x, x.argsort(-1), -1),
}


@pytest.mark.parametrize("name", OF_EVERY_BATCH)
def test_a_captured_gradient_holds_for_every_batch(name):
    gradient = step(OF_EVERY_BATCH[name])
    traced = torch.jit.trace(gradient, (weight(3), batch(3)), check_trace=False)
    of_one_size = [guard for guard in traced.graph.guards if "0" in guard[0] and " less " not in guard[0]]  # that two sizes are equal may be one
    assert not of_one_size, traced.graph.guards
    for n in (1, 2, 3, 6):
        assert torch.allclose(traced(weight(n), batch(n)), gradient(weight(n), batch(n)), rtol=1e-5, atol=1e-5), n


def ctc(w, x):
    """x holds log-probabilities of steps, a batch and classes."""
    steps, size = x.shape[0], x.shape[1]
    lengths = torch.full((size,), 2, dtype=torch.int64)
    return F.ctc_loss(F.log_softmax(x * w, -1), torch.ones(size, 2, dtype=torch.int64), torch.full((size,), steps, dtype=torch.int64), lengths)


def test_a_captured_gradient_of_ctc_loss_holds_for_other_steps_batches_and_lengths():
    gradient = step(ctc)
    traced = torch.jit.trace(gradient, (torch.ones(4), batch(5)), check_trace=False)
    assert traced.graph.guards == []
    for x in (batch(5), torch.linspace(-2, 3, 7 * 4).reshape(7, 1, 4), torch.linspace(-2, 3, 6 * 2 * 4).reshape(6, 2, 4)):
        assert torch.allclose(traced(torch.ones(4), x), gradient(torch.ones(4), x), rtol=1e-5, atol=1e-6), x.shape

    def of_lengths(w, x, steps, labels):
        return F.ctc_loss(F.log_softmax(x * w, -1), torch.ones(x.shape[1], 3, dtype=torch.int64), steps, labels, reduction="sum")

    def gradient_of_lengths(w, x, steps, labels):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(of_lengths(w, x, steps, labels), w)[0]

    example = (torch.ones(4), batch(8), torch.tensor([8, 7, 6]), torch.tensor([2, 1, 0]))
    traced = torch.jit.trace(gradient_of_lengths, example, check_trace=False)
    for steps, labels in (([8, 7, 6], [2, 1, 0]), ([5, 8, 8], [1, 3, 2])):
        given = (torch.ones(4), batch(8), torch.tensor(steps), torch.tensor(labels))
        assert torch.allclose(traced(*given), gradient_of_lengths(*given), rtol=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError, match="input_lengths to have value at most 8, but got value 9"):
        traced(*example[:2], torch.tensor([9, 8, 8]), example[3])
    with pytest.raises(RuntimeError, match="Expected tensor to have size at least 4 at dimension 1"):
        traced(*example[:3], torch.tensor([4, 1, 1]))


@pytest.mark.parametrize("batches", [(1, 2), (2, 1)], ids=["captured on one", "captured on two"])
def test_a_gradient_holds_where_one_batch_could_be_a_view_and_two_are_a_copy(batches):
    """Inside of a convolution over volumes there is a reshape, which is a view of a batch of one."""

    def gradient(w, x):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(F.conv3d(x, w, padding=1).pow(2).sum(), w)[0]

    w = torch.linspace(-1, 1, 3 * 2 * 27).reshape(3, 2, 3, 3, 3)
    volumes = [torch.linspace(-2, 3, n * 2 * 64).reshape(n, 2, 4, 4, 4) for n in batches]
    traced = torch.jit.trace(gradient, (w, volumes[0]), check_trace=False)
    for x in volumes:
        assert torch.allclose(traced(w, x), gradient(w, x), rtol=1e-4, atol=1e-4)


def test_affine_grid_does_not_hold_for_the_order_of_its_sizes():
    gradient = step(lambda w, x: F.affine_grid((w * x)[:, :2, :3], [x.shape[0], 2, 4, 5], False))
    traced = torch.jit.trace(gradient, (weight(3), batch(3)), check_trace=False)
    for n in (1, 2, 3, 6):
        assert torch.allclose(traced(weight(n), batch(n)), gradient(weight(n), batch(n)), rtol=1e-5, atol=1e-5), n


def test_the_product_of_sizes_stays_a_symbol():
    traced = torch.jit.trace(lambda x: x.reshape(x.shape[0], x.shape[1:].numel()), torch.ones(2, 3, 4))
    assert traced.graph.guards == []
    assert traced(torch.ones(5, 6, 1)).shape == (5, 6)


def test_only_the_number_of_pieces_is_guarded():
    gradient = step(lambda w, x: (w * x).chunk(2)[0].sin())
    traced = torch.jit.trace(gradient, (weight(4), batch(4)), check_trace=False)
    assert all(guard[0].startswith("len(") for guard in traced.graph.guards), traced.graph.guards
    for n in (2, 3, 5):
        assert torch.allclose(traced(weight(n), batch(n)), gradient(weight(n), batch(n)), rtol=1e-5, atol=1e-6), n
    with pytest.raises(RuntimeError, match="len"):
        traced(weight(1), batch(1))


SPREADS = {
    "var": lambda x: x.var(0),
    "std": lambda x: x.std(0),
    "var of everything": lambda x: x.var(),
    "std of everything": lambda x: x.std(),
    "a larger correction": lambda x: x.var(0, correction=2),
    "a larger correction of everything": lambda x: x.var(correction=6),
    "var_mean": lambda x: torch.var_mean(x, 0)[0],
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", SPREADS)
def test_the_gradient_of_a_spread_over_too_few_elements(name, dtype):
    """A division by 0 is one of floats, as in eager mode and in PyTorch: inf or NaN."""

    def gradient(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(SPREADS[name](x).sum(), x)[0]

    x = torch.arange(12.0).reshape(3, 4).sin().to(dtype)
    traced = torch.jit.trace(gradient, x, check_trace=False)
    assert traced.graph.guards == []
    for rows in (x, x[:1], x[:2], x[:1, :1], torch.cat([x, x])):
        expected, found = gradient(rows), traced(rows)
        assert torch.equal(expected.isnan(), found.isnan()) and torch.equal(expected.nan_to_num(), found.nan_to_num())


def test_a_guard_that_every_size_keeps_is_not_recorded():
    def loss(x):
        return torch.autograd.grad((x.requires_grad_() * 2).sum(), x)[0]

    def weighted(x):
        x.requires_grad_()
        return torch.autograd.grad(x * 2, x, torch.ones_like(x))[0]

    def same(x):
        return x * 2 if x.shape == x.sin().shape and x.shape[0] + 1 > x.shape[0] and x.shape[0] >= 0 else x

    for function in (loss, weighted, same):
        assert torch.jit.trace(function, torch.ones(3), check_trace=False).graph.guards == []


def guards(function, *example):
    return [guard[:2] for guard in torch.jit.trace(function, example, check_trace=False, control_flow="guard").graph.guards]


def test_a_guard_says_what_a_call_compares():
    x = torch.ones(3, 4)
    assert guards(lambda x: x[: min(x.shape)], x) == [("x.shape[1] < x.shape[0] in min(x.shape)", "False")]
    assert guards(lambda x: x[: max(x.shape[0] * 2, 5)], x) == [("2*x.shape[0] < 5 in max(x.shape[0] * 2, 5)", "False")]
    assert guards(lambda x: x * 2 if x.shape[0] > 2 else x, x) == [("x.shape[0] > 2", "True")]

    traced = torch.jit.trace(lambda x: x[: min(x.shape)], x, control_flow="guard")
    with pytest.raises(RuntimeError, match=r"captured where `x.shape\[1\] < x.shape\[0\] in min\(x.shape\)` is False, but here it is True"):
        traced(torch.ones(4, 3))


@pytest.mark.parametrize("values", [[0.0, 0.0, float("inf")], [0.0, 2.0, 3.0], [0.0, 0.0, float("nan"), 1.0], [1.0, 2.0, 4.0], [0.0, float("inf")]])
def test_the_product_beside_zeros_and_infinities(values):
    def gradient(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(x.prod() * 2, x)[0]

    x = torch.tensor(values)
    assert torch.jit.trace(gradient, (torch.ones(3),))(x).tolist() == gradient(x).tolist()


def test_a_cross_product_without_a_dim_holds_where_the_same_dim_has_size_3():
    def gradient(x, y):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(torch.cross(x, y).square().sum(), x)[0]

    x, y = torch.arange(12.0).reshape(4, 3), torch.linspace(-1, 1, 12).reshape(4, 3)
    traced = torch.jit.trace(gradient, (x, y))
    assert torch.allclose(traced(y, x), gradient(y, x))
    with pytest.raises(RuntimeError, match="in a backward pass"):
        traced(x[:3], y[:3])


def second_gradient(f):
    def twice(x):
        (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
        return torch.autograd.grad((g * g * x).sum(), x)[0]

    return twice


@pytest.mark.parametrize("example", [1, 2, 3])
@pytest.mark.parametrize("f", [lambda x: x.cumprod(0), lambda x: x.prod(0), lambda x: x.prod(), lambda x: torch.cat([x[:-1], x, x[1:]]) ** 2])
def test_a_second_gradient_of_products_holds_for_any_number_of_elements(f, example):
    """Also for no element, and where the example leaves a part of the tensor empty."""
    twice = second_gradient(f)
    traced = torch.jit.trace(twice, (torch.rand(example, requires_grad=True),), check_trace=False)
    for n in range(5):
        x = (torch.arange(n).float() + 1).div(7).requires_grad_()
        torch.testing.assert_close(traced(x), twice(x))


@pytest.mark.parametrize("example", [1, 2, 3])
def test_a_second_gradient_of_products_of_a_diagonal_holds_for_one_element(example):
    twice = second_gradient(lambda x: x.diagonal(offset=1).cumprod(0))
    traced = torch.jit.trace(twice, (torch.rand(example, example, requires_grad=True),), check_trace=False)
    for n in (1, 2, 3, 4):
        x = (torch.arange(n * n).float() + 1).reshape(n, n).div(7).requires_grad_()
        torch.testing.assert_close(traced(x), twice(x))
