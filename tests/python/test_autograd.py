"""Gradients and gradients of gradients where a rule that looks right can be wrong. The numbers are PyTorch 2.13's."""

from __future__ import annotations

import math

import monograph as torch
import pytest
from monograph import nn

F = nn.functional
grad = torch.autograd.grad


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def slopes(function, *values):
    """The first derivative, and that of its sum."""
    x = leaf(*values)
    (first,) = grad(function(x).sum(), x, create_graph=True)
    return first.tolist(), grad(first.sum(), x)[0].tolist()


def test_bce_with_logits_at_zero():
    def loss(x):
        return F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0, 1.0]), reduction="sum")

    first, second = slopes(loss, 0.0, 0.0, -0.0)
    assert first == [-0.5, 0.5, -0.5] and second == [0.25, 0.25, 0.25]
    first, second = slopes(loss, 100.0, 100.0, -100.0)
    assert first == pytest.approx([0, 1, -1]) and second == pytest.approx([0, 0, 0], abs=1e-40)


def test_embedding_twice():
    weight, scale = torch.arange(6.0).reshape(3, 2).requires_grad_(), leaf(2.0)
    y = (F.embedding(torch.tensor([0, 2, 0, 1]), weight, padding_idx=1) ** 2 * scale).sum()
    (g,) = grad(y, weight, create_graph=True)
    by_weight, by_scale = grad((g * g).sum(), (weight, scale))
    assert by_weight.tolist() == [[0, 128], [0, 0], [128, 160]] and by_scale.tolist() == [720]


@pytest.mark.parametrize(
    ("function", "values", "first", "second"),
    [
        (lambda x: x.cumprod(0), (2.0, 3.0, 4.0), [16, 10, 6], [8, 7, 5]),
        (lambda x: x.cumprod(0), (2.0, 0.0, 4.0, 5.0), [1, 50, 0, 0], [25, 45, 12, 8]),
        (lambda x: x.prod(), (2.0, 3.0, 4.0), [12, 8, 6], [7, 6, 5]),
        (lambda x: x.prod(), (2.0, 0.0, 4.0), [0, 8, 0], [4, 6, 2]),
        (lambda x: x.prod(), (2.0, 0.0, 0.0), [0, 0, 0], [0, 2, 2]),
        (lambda x: x.prod(), (0.0,), [1], [0]),
    ],
)
def test_products_twice(function, values, first, second):
    found = slopes(lambda x: function(x) + 0 * (x * x).sum(), *values)
    assert found[0] == first and found[1] == pytest.approx(second, rel=1e-6)


def test_cumprod_thrice_beside_zeros():
    x = torch.tensor([[2.0, 0.0, 3.0], [1.0, 0.0, 0.0]], requires_grad=True)
    (g,) = grad(x.cumprod(0).cumprod(1).sum(), x, create_graph=True)
    (h,) = grad((g * g).sum(), x, create_graph=True)
    assert g.tolist() == [[2, 8, 0], [2, 0, 0]] and h.tolist() == [[68, 16, 32], [4, 32, 0]]
    assert grad((h * h).sum(), x)[0].tolist() == [[8720, 2624, 5504], [2320, 6016, 6144]]


def test_an_operator_without_a_derivative_says_so():
    x = leaf(1.0, 5.0)
    y = x // 2
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="derivative for aten::floor_divide.* is not implemented"):
        y.sum().backward()
    assert not (x > 2).requires_grad and not x.argmax().requires_grad and not x.detach().requires_grad and not torch.rand_like(x).requires_grad
    a, b = leaf(7.0), leaf(2.0)
    by_a, by_b = grad(torch.remainder(a, b), (a, b), create_graph=True)
    assert (by_a.item(), by_b.item()) == (1, -3)


@pytest.mark.parametrize(
    ("function", "second"),  # at -1e20, -100, -89, -20, -1, 0, 1, 30, 39, 89, 100, 1e20; PyTorch's mish has NaN from 89 on
    [
        (F.silu, [0, 0, 0, -3.7100769e-08, 0.30236614, 0.5, 0.30236611, 0, 0, 0, 0, 0]),
        (F.elu, [0, 0, 0, 2.0611537e-09, 0.36787945, 0, 0, 0, 0, 0, 0, 0]),
        (F.selu, [0, 0, 0, 3.6237129e-09, 0.64676863, 0, 0, 0, 0, 0, 0, 0]),
        (F.mish, [0, 0, 0, -3.7100769e-08, 0.34970570, 0.64, 0.18468584, 0, 0, 0, 0, 0]),
        (F.softplus, [0, 0, 0, 2.0611537e-09, 0.19661194, 0.25, 0.19661193, 0, 0, 0, 0, 0]),
        (F.logsigmoid, [0, 0, 0, 0, -0.19661194, -0.25, -0.19661193, 0, 0, 0, 0, 0]),
        (torch.sigmoid, [0, 0, 0, 2.0611537e-09, 0.09085775, 0, -0.09085775, 0, 0, 0, 0, 0]),
    ],
)
def test_second_derivatives_far_out(function, second):
    first, found = slopes(function, -1e20, -100.0, -89.0, -20.0, -1.0, 0.0, 1.0, 30.0, 39.0, 89.0, 100.0, 1e20)
    assert all(map(math.isfinite, first))
    assert found == pytest.approx(second, rel=2e-6, abs=5e-9)


def test_first_derivatives_keep_their_smallest_values():
    assert slopes(F.softplus, -100.0)[0] == pytest.approx([3.783505853677006e-44], rel=1e-1)
    assert slopes(F.logsigmoid, 100.0)[0] == pytest.approx([3.783505853677006e-44], rel=1e-1)
    assert all(math.isnan(slopes(f, math.nan)[0][0]) for f in (F.silu, F.mish, F.softplus))


@pytest.mark.parametrize(
    "layer",
    [
        nn.LeakyReLU(0.2),
        nn.ELU(0.7),
        nn.SELU(),
        nn.Hardtanh(-1.0, 0.5),
        nn.ReLU(),
        nn.ReLU6(),
        nn.SiLU(),
        nn.Mish(),
        nn.Hardswish(),
        nn.Hardsigmoid(),
    ],
)
def test_layers_in_place(layer):
    def gradients(inplace):
        layer.inplace = inplace
        net = nn.Sequential(nn.Linear(2, 3), layer, nn.Linear(3, 1))
        with torch.no_grad():
            for p in net.parameters():
                p.copy_((torch.arange(p.numel()).reshape(p.shape) - 2.5) / 3)
        net(torch.tensor([[1.0, -2.0], [0.5, 3.0]])).sum().backward()
        return [p.grad.tolist() for p in net.parameters()]

    assert gradients(True) == gradients(False)


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda y: y.clamp_(-1, 1), [0, 1, 1, 0]),
        (lambda y: y.clamp_min_(-1), [0, 1, 1, 1]),
        (lambda y: y.pow_(2), [-4, -1, 1, 4]),
        (lambda y: y.pow_(torch.tensor(3.0)), [12, 0.75, 0.75, 12]),
        (lambda y: y[1:3].clamp_(0, 1), [1, 0, 1, 1]),
        (lambda y: y.t().clamp_(0, 1), [0, 0, 1, 0]),
        (lambda y: y.masked_fill_(y > 0, 1.0), [1, 1, 0, 0]),
    ],
)
def test_writes_that_need_what_was_there(write, expected):
    x = leaf(-2.0, -0.5, 0.5, 2.0)
    y = x * 1
    write(y)
    y.sum().backward()
    assert x.grad.tolist() == expected


def test_what_was_written_is_still_an_error_where_it_is_needed():
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.clamp_(0, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    "function",
    [
        F.relu,
        F.leaky_relu,
        F.hardtanh,
        F.relu6,
        torch.abs,
        lambda x: F.max_pool2d(x.reshape(1, 1, 5), (1, 2)),
        lambda x: F.l1_loss(x, x.detach() + 1),
    ],
)
def test_piecewise_linear_functions_have_zero_second_derivatives(function):
    assert slopes(function, -3.0, -1.0, 0.0, 0.5, 7.0)[1] == [0] * 5


@pytest.mark.parametrize(("function", "left"), [(F.relu, 0.0), (F.leaky_relu, 0.01), (torch.abs, -1.0), (F.hardtanh, 1.0)])
def test_the_gradient_of_a_piecewise_linear_functions_gradient_by_the_incoming_one(function, left):
    x, v = leaf(-0.5, 0.25), leaf(3.0, 4.0)
    (g,) = grad(function(x), x, v, create_graph=True)
    by_x, by_v = grad((g * g).sum(), (x, v))
    assert by_x.tolist() == [0, 0] and by_v.tolist() == pytest.approx([6 * left * left, 8])


def test_a_gradient_penalty_through_relu():
    x, w = leaf(1.0, 2.0), torch.tensor([[1.0, -2.0], [0.5, 1.5]], requires_grad=True)
    (g,) = grad((F.relu(x @ w) ** 2).sum(), x, create_graph=True)
    by_x, by_w = grad((g * g).sum(), (x, w))
    assert by_x.tolist() == [-50, 50] and by_w.tolist() == [[10, 30], [60, 80]]


def copied(z, y):
    z.copy_(y)
    return z


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (lambda y: y[[0, 2]], [1, 0, 1]),
        (lambda y: y.index_select(0, torch.tensor([0, 2])), [1, 0, 1]),
        (lambda y: y.gather(0, torch.tensor([0, 0])), [2, 0, 0]),
        (lambda y: torch.zeros(3).index_put((torch.tensor([0, 2, 1]),), y), [1, 1, 1]),
        (lambda y: torch.select_scatter(torch.zeros(2, 3), y, 0, 1), [1, 1, 1]),
        (lambda y: copied(torch.zeros(3), y), [1, 1, 1]),
        (lambda y: copied(torch.zeros(3, dtype=torch.float64), y), [1, 1, 1]),
        (lambda y: y.double(), [1, 1, 1]),
        (lambda y: F.linear(y, torch.ones(2, 3)), [2, 2, 2]),
    ],
)
def test_a_write_after_the_use_of_sizes_alone(use, expected):
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    z = use(y)
    y.add_(1)
    z.sum().backward()
    assert x.grad.tolist() == expected


def test_rows_written_from_themselves():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    y[[0, 2]] = y[[0, 2]] * 2
    y.sum().backward()
    assert x.grad.tolist() == [2, 1, 2]
    weight = torch.ones(3, 1, requires_grad=True)
    table = weight * 1
    rows = F.embedding(torch.tensor([0, 2]), table)
    table.add_(1)
    rows.sum().backward()
    assert weight.grad.tolist() == [[1], [0], [1]]


def test_layer_norm_twice():
    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, -1.0, 3.0]], requires_grad=True)
    w, b, c = leaf(1.0, 2.0, 0.5), leaf(0.0, 1.0, 0.0), torch.tensor([[1.0, -2.0, 3.0], [2.0, 0.5, 1.0]])
    y = F.layer_norm(x, (3,), w, b)
    first = grad((y * y * c).sum(), (x, w, b), create_graph=True)
    second = grad(sum((g * g * g).sum() for g in first), (x, w, b))
    flat = [v for g in (*first, *second) for v in g.flatten().tolist()]
    expected = [1.019, -1.529, 0.51, -0.108, 0.081, 0.027, 2.901, 1.44, 7.242, -3.707, -2.823, 5.382]
    expected += [247.654, -375.064, 127.409, -23.981, 17.985, 5.996, -72.727, 7.001, 3207.413, 150.572, -90.47, 2386.079]
    assert flat == pytest.approx(expected, abs=2e-3)


def test_all_results_of_native_layer_norm():
    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, -1.0, 3.0]], dtype=torch.float64, requires_grad=True)
    _, mean, rstd = torch.native_layer_norm(x, (3,), None, None, 0.5)
    deviation = ((x - x.mean(1, True)) ** 2).mean(1, True)
    for found, plain in ((mean, x.mean(1, True)), (rstd, (deviation + 0.5).rsqrt())):
        weights = torch.tensor([[2.0], [3.0]], dtype=torch.float64)
        (got,), (want,) = grad((found * weights).sum(), x, retain_graph=True), grad((plain * weights).sum(), x, retain_graph=True)
        assert torch.allclose(got, want, rtol=1e-12)


def test_a_captured_gradient_of_a_gradient_keeps_values_of_the_graph():
    w = torch.ones(3, requires_grad=True)

    def penalty(x):
        (g,) = grad(((x * w) ** 3).sum(), w, create_graph=True)
        return grad((g * g).sum(), w)[0]

    x = torch.tensor([-1.5, 0.0, 2.0])
    assert torch.jit.trace(penalty, x, check_trace=False)(x + 1).tolist() == penalty(x + 1).tolist()


@pytest.mark.parametrize(
    "program",
    [
        lambda w: w.sum(),
        lambda w: w.mean(),
        lambda w: torch.cat([w, w]).sum(),
        lambda w: (-w + w - 1).view(3, 1).t().sum(),
        lambda w: w[1:].clone().cumsum(0).sum(),
        lambda w: w.split(1)[0].sum(),
        lambda w: w.clone().add_(1).expand(2, 3).sum(),
    ],
)
def test_backward_twice_where_no_element_is_kept(program):
    """A rule that asks for sizes alone has them after its graph was freed, as in PyTorch."""
    once, twice = (torch.arange(3.0, requires_grad=True) for _ in range(2))
    program(once).backward()
    loss = program(twice)
    loss.backward()
    loss.backward()
    assert torch.equal(twice.grad, once.grad * 2)


@pytest.mark.parametrize(
    "program",
    [lambda w: (w * w).sum(), lambda w: w.exp().sum(), lambda w: w[torch.tensor([0, 1])].sum(), lambda w: w.max(), lambda w: w @ w, lambda w: w.var()],
)
def test_backward_twice_where_elements_are_kept(program):
    w = torch.arange(3.0, requires_grad=True)
    loss = program(w)
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_hooks_of_leaves_run_wherever_their_gradient_goes():
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda g: g * 10)
    (captured,) = torch.autograd.grad((w * 2).sum(), w)
    (w * 2).sum().backward()
    assert captured.tolist() == w.grad.tolist() == [20, 20]


def test_gradients_are_added_in_place():
    w = torch.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    held = w.grad
    (w * 3).sum().backward()
    assert held is w.grad and held.tolist() == [5, 5] and held._version == 1


def test_the_first_gradient_has_the_layout_of_its_leaf():
    w = torch.ones(3, 2).t().requires_grad_()
    w.sum().backward()
    assert w.grad.stride() == (1, 2)


def test_what_is_retained_is_what_the_hooks_left():
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert y.grad.tolist() == [10, 10] and w.grad.tolist() == [20, 20]


def test_backward_to_inputs_that_are_no_leaves():
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    (y * 3).sum().backward(inputs=[y, y])
    assert y.grad.tolist() == [3, 3] and w.grad is None


@pytest.mark.parametrize(
    "program",
    [
        torch.relu,
        lambda x: x.clamp(0, 5),
        lambda x: x.clamp_min(0),
        lambda x: torch.maximum(x, torch.zeros(2)),
        nn.functional.relu6,
        nn.functional.hardtanh_,
        lambda x: torch.where(x > 0, x, 0.0),
        lambda x: x.masked_fill(x < 0, 0.0),
        torch.floor,
        lambda x: x**0,
    ],
)
def test_nothing_passes_where_nothing_was_chosen(program):
    """An infinite gradient neither: it is no product with 0."""
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    y = program(x * 1)
    y.backward(torch.tensor([math.inf, 0.25]))
    assert x.grad[0].item() == 0 and not x.grad.isnan().any()
    captured = torch.tensor([-1.0, 4.0], requires_grad=True)
    (recorded,) = torch.autograd.grad(program(captured * 1), captured, torch.tensor([math.inf, 0.25]), create_graph=True)
    assert torch.equal(recorded, x.grad)


def test_the_maximum_takes_an_infinite_gradient():
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    x.max().backward(torch.tensor(math.inf))
    assert x.grad.tolist() == [0, math.inf]


def test_writes_through_data_are_counted_apart():
    weight = torch.ones(3, requires_grad=True)
    y = (weight * 2).data
    product = y * weight
    y.add_(1)
    assert y._version == 1 and y.view(3)._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
    weight.data.add_(1)
    assert weight._version == 0


def test_views_are_not_detached_in_place():
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (torch.ones(2, requires_grad=True) * 2)[:1].detach_()


def test_the_sign_is_a_factor_of_the_gradient_of_abs():
    """As in PyTorch: an infinite gradient at 0 is NaN; the sign of NaN is 0."""
    x = torch.tensor([0.0, -2.0, math.nan, 0.0], requires_grad=True)
    x.abs().backward(torch.tensor([math.inf, math.inf, 1.0, 3.0]))
    assert x.grad.isnan().tolist() == [True, False, False, False] and x.grad[1].item() == -math.inf and x.grad[3].item() == 0


def test_variable_is_a_detached_tensor():
    variable = torch.autograd.Variable
    data = torch.ones(2)
    made = variable(data, requires_grad=True)
    assert made.requires_grad and not data.requires_grad and made.data_ptr() == data.data_ptr()
    assert isinstance(made, variable) and isinstance(data, variable) and not isinstance(3, variable)
    assert not variable(leaf(1.0) * 2).requires_grad and variable().shape == (0,)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        variable(3)
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert not variable(data, volatile=True).requires_grad
    with pytest.warns(UserWarning, match="volatile was removed"), pytest.raises(ValueError, match="can't be volatile and require_grad"):
        variable(data, True, True)


def test_a_retained_gradient_is_a_copy():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    seen = []
    y.register_hook(lambda g: seen.append(g))
    z = y + 1
    z.backward(given := torch.ones(3))
    y.grad.mul_(5)
    assert given.tolist() == [1, 1, 1] and seen[0].tolist() == [1, 1, 1] and x.grad.tolist() == [2, 2, 2]
    given.zero_()
    assert y.grad.tolist() == [5, 5, 5]
