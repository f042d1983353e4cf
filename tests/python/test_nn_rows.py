"""Operators that programs use seldom, and layers over them, beside PyTorch: what op_db and the frozen samples do not reach."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest
from beside import both
from monograph import nn

F = nn.functional
BEGIN = """
F = torch.nn.functional
def grid(*sizes):
    n = 1
    for size in sizes:
        n *= size
    return (torch.arange(n) * 7 % 31).view(sizes).to(torch.float32) / 8 - 2
def slopes(call, *inputs):
    inputs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    results = call(*inputs)
    results = [r for r in (results if isinstance(results, (tuple, list)) else [results])]
    loss = sum((r * grid(*r.shape)).sum() for r in results if r.is_floating_point())
    leaves = [x for x in inputs if x.is_floating_point()]
    return [r.detach() for r in results], torch.autograd.grad(loss, leaves, allow_unused=True)
"""
INDICES = "torch.tensor([4, 0, 2, 2, 1, 4, 0])"
CALLS = [
    *(
        f"slopes(lambda w: F.embedding_bag({INDICES}, w, torch.tensor([0, 3, 3, 5]), mode={m!r}, padding_idx={p}), grid(5, 3))"
        for m in ("sum", "mean", "max")
        for p in (None, 2, -1)
    ),
    *(
        f"slopes(lambda w: F.embedding_bag({INDICES}, w, torch.tensor([0, 3, 5, 7]), mode={m!r}, include_last_offset=True), grid(5, 3))"
        for m in ("sum", "mean", "max")
    ),
    *(
        f"slopes(lambda w, s: F.embedding_bag({INDICES}, w, torch.tensor([0, 3, 5]), mode='sum', per_sample_weights=s, padding_idx={p}), grid(5, 3), grid(7))"
        for p in (None, 0)
    ),
    "slopes(lambda w: F.embedding_bag(torch.tensor([[0, 1], [3, 3]]), w), grid(5, 3))",
    "slopes(lambda w: F.embedding_bag(torch.tensor([0, 1, 4], dtype=torch.int32), w, torch.tensor([0, 2], dtype=torch.int32)), grid(5, 3))",
    "(w := grid(5, 3), F.embedding_bag(torch.tensor([0, 1, 4]), w, torch.tensor([0, 2]), max_norm=1.0), w)",
    "(w := grid(5, 3), F.embedding(torch.tensor([[0, 1], [1, 4]]), w, max_norm=1.0, norm_type=1.0), w)",
    *(
        f"slopes(lambda x, g: F.grid_sample(x, g, {m!r}, {p!r}, {c}), grid(2, 3, 4, 5), grid(2, 3, 3, 2) * 0.7 + 0.013)"
        for m in ("bilinear", "nearest", "bicubic")
        for p in ("zeros", "border", "reflection")
        for c in (False, True)
    ),
    *(
        f"slopes(lambda x, g: F.grid_sample(x, g, {m!r}, {p!r}, {c}), grid(2, 2, 3, 4, 5), grid(2, 2, 3, 2, 3) * 0.7 + 0.013)"
        for m in ("bilinear", "nearest")
        for p in ("zeros", "border", "reflection")
        for c in (False, True)
    ),
    *(
        f"slopes(lambda t: F.affine_grid(t, {s}, {c}), grid(2, {n}, {n + 1}))"
        for s, n in (([2, 3, 4, 5], 2), ([2, 1, 3, 4, 1], 3))
        for c in (False, True)
    ),
    *(
        f"slopes(lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([[1, 2, 2], [3, 1, 0]]), (6, 5), (3, 2), reduction={r!r}), grid(6, 2, 4))"
        for r in ("none", "mean", "sum")
    ),
    *(
        f"slopes(lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([1, 1, 2, 2, 3, 1]), torch.tensor([4, 2]), torch.tensor([3, 3]), zero_infinity={z}, reduction='sum'), grid(6, 2, 4))"
        for z in (True,)
    ),
    "slopes(lambda x: F.ctc_loss(x.log_softmax(1), torch.tensor([1, 2, 2]), torch.tensor(6), torch.tensor(3)), grid(6, 4))",
    "slopes(lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([[0, 1], [2, 0]]), (5, 6), (2, 0), blank=3), grid(6, 2, 4))",
    "slopes(lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), grid(2, 3, 4, 6))",
    "slopes(lambda x: F.max_unpool2d(*F.max_pool2d(x, 3, 2, 1, return_indices=True), 3, 2, 1, output_size=[2, 3, 5, 7]), grid(2, 3, 5, 7))",
    "slopes(lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2, output_size=[9]), grid(2, 3, 9))",
    "slopes(lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), grid(1, 2, 4, 4, 6))",
    "slopes(lambda x: F.fractional_max_pool2d(x, 2, output_size=(3, 4), _random_samples=grid(2, 3, 2).abs() / 4), grid(2, 3, 7, 9))",
    "slopes(lambda x: F.fractional_max_pool3d(x, (1, 2, 2), output_ratio=0.5, _random_samples=grid(2, 3, 3).abs() / 4), grid(2, 3, 4, 6, 5))",
    "(torch.manual_seed(3), F.fractional_max_pool2d(grid(2, 3, 7, 9), 2, output_size=3, return_indices=True))[1]",
    "slopes(lambda x: x.unfold(1, 3, 2).unfold(0, 2, 1), grid(3, 7))",
    "slopes(lambda x: torch.logcumsumexp(x, 1), grid(3, 7))",
    "slopes(lambda x: torch.quantile(x, torch.tensor([0.2, 0.8]), dim=1), grid(3, 7))",
    "slopes(lambda x: torch.pdist(x), grid(4, 3))",
    "slopes(lambda x: torch.renorm(x, 2, 0, 1.5), grid(4, 3))",
    "slopes(lambda x: torch.mode(x, 1)[0], grid(4, 3))",
    "slopes(lambda x: torch.lgamma(x.abs() + 0.3), grid(9))",
    "slopes(lambda x: torch.polygamma(2, x.abs() + 0.3), grid(9))",
    "slopes(lambda x: torch.special.log_ndtr(x), grid(9))",
    "slopes(lambda x: torch.special.ndtri(x.sigmoid()), grid(9))",
    "slopes(lambda x: torch.special.i1e(x) + torch.special.i0(x), grid(9))",
    "torch.unravel_index(torch.tensor([[0, 5], [7, 23]]), (2, 3, 4))",
    "torch.unravel_index(torch.tensor(5), 9)",
    "grid(7, 3).clone().fill_diagonal_(9.0, wrap=True)",
    "grid(3, 3, 3).clone().fill_diagonal_(9.0)",
    "slopes(lambda x: x.clone().fill_diagonal_(0.5), grid(3, 4))",
    "(x := grid(2, 3), x.resize_(3, 2), x.resize_(2), x.resize_as_(grid(2, 1)), x.shape, x.stride())",
    "(x := grid(4), y := torch.zeros(0), y.set_(x), y.mul_(2), x, y.is_set_to(x), x.is_set_to(grid(4)))",
    "(x := grid(6), y := torch.zeros(0).set_(x, 1, (2, 2), (2, 1)), y)",
    "(x := grid(6), x.set_(), x.shape)",
    "(x := grid(6), y := torch.zeros(0).set_(x.untyped_storage(), 1, (2, 2), (2, 1)), y.mul_(2), x, y.is_set_to(x))",
    "(x := grid(6), torch.zeros(0).set_(x.untyped_storage()), torch.zeros(0, dtype=torch.int32).set_(x.untyped_storage()).shape)",
    "(x := grid(6), torch.zeros(0).set_(source=x.untyped_storage(), storage_offset=2, size=(3,), stride=(1,)))",
    "(x := grid(6), y := torch.zeros(0).set_(x.storage()), y.add_(1), x)",
    "[torch.tensor([0.5, 2.0, 9.5, 12.0, 80.0]).clone().pow(1), torch.manual_seed(4) and torch.poisson(torch.tensor([0.0, 0.5, 2.0, 9.5, 12.0, 80.0, 1000.0]).repeat(40))]",
    *(
        f"(torch.manual_seed(7), torch.zeros(50, dtype=torch.{d}).{c})[1]"
        for d in ("float32", "float64")
        for c in ("geometric_(0.3)", "cauchy_(1.0, 2.0)", "log_normal_(0.5, 0.25)")
    ),
    "(torch.manual_seed(7), torch.zeros(50, dtype=torch.int64).geometric_(0.1))[1]",
]
LAYERS = [
    ("EmbeddingBag(6, 3, mode='sum', padding_idx=1)", "torch.tensor([0, 1, 5, 2]), torch.tensor([0, 2])"),
    ("EmbeddingBag(6, 3, max_norm=1.0, norm_type=1.0)", "torch.tensor([[0, 1], [5, 5]])"),
    ("Embedding(6, 3, max_norm=1.0)", "torch.tensor([[0, 1], [5, 5]])"),
    (
        "CTCLoss(blank=3, reduction='sum')",
        "grid(6, 2, 4).log_softmax(2), torch.tensor([[0, 1], [2, 0]]), torch.tensor([5, 6]), torch.tensor([2, 1])",
    ),
    ("MaxUnpool2d(2)", "*F.max_pool2d(grid(2, 3, 4, 6), 2, return_indices=True)"),
    ("MaxUnpool1d(3, 2, 1)", "*F.max_pool1d(grid(2, 3, 9), 3, 2, 1, return_indices=True)"),
    ("MaxUnpool3d(2)", "*F.max_pool3d(grid(1, 2, 4, 4, 6), 2, return_indices=True)"),
    ("FractionalMaxPool2d(2, output_ratio=(0.5, 0.7))", "grid(2, 3, 7, 9)"),
    ("FractionalMaxPool3d((1, 2, 2), output_size=3, return_indices=True)", "grid(2, 3, 4, 6, 5)"),
    ("AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7], div_value=2.0)", "grid(5, 8), torch.tensor([0, 11, 4, 3, 2])"),
    ("AdaptiveLogSoftmaxWithLoss(8, 12, [3], head_bias=True)", "grid(8), torch.tensor(7)"),
]


@pytest.mark.oracle
@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_pytorchs(oracle, call):
    both(oracle, f"{BEGIN}\nresult = {call}")


@pytest.mark.oracle
@pytest.mark.parametrize(("layer", "inputs"), LAYERS)
def test_a_layer_is_pytorchs(oracle, layer, inputs):
    program = f"""{BEGIN}
torch.manual_seed(2)
layer = torch.nn.{layer}
out = layer({inputs})
parts = list(out) if isinstance(out, (tuple, list)) else [out]
weights = list(layer.parameters())
loss = sum(p.sum() for p in parts if p.is_floating_point() and p.requires_grad)
gradients = torch.autograd.grad(loss, weights) if weights else []
result = [repr(layer), sorted(layer.state_dict()), [p.detach() for p in parts], [w.detach() for w in weights], gradients]
"""
    both(oracle, program)


@pytest.mark.oracle
def test_adaptive_softmax_names_probabilities_and_choices(oracle):
    both(
        oracle,
        f"{BEGIN}\ntorch.manual_seed(1)\nlayer = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 7])\nresult = [layer.log_prob(grid(5, 8)).detach(), layer.predict(grid(5, 8))]",
    )


def test_resized_memory_is_kept_and_guarded():
    x = torch.arange(6)
    whole = x.clone().resize_(2, 2)
    assert whole.tolist() == [[0, 1], [2, 3]] and whole.resize_(6).tolist()[:4] == [0, 1, 2, 3]
    shown = x.numpy()
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(1000)
    assert shown.tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(3)
    with pytest.raises(RuntimeError, match="negative dimension"):
        torch.ones(2).resize_(-1)
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        torch.ones(2).set_(torch.ones(2, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="negative"):
        torch.ones(2).set_(torch.ones(4), 0, (2,), (-1,))
    with pytest.raises(RuntimeError, match=r"expected a storage of the tensor's dtype, torch\.int32, but got one of torch\.float32"):
        torch.ones(2, dtype=torch.int32).set_(torch.ones(4).storage())


def test_a_capture_refuses_other_sizes_in_place():
    for call in (lambda x: (x + 1).resize_(2), lambda x: (x + 1).set_(x)):
        with pytest.raises(NotImplementedError, match="changes the sizes of a tensor in place"):
            torch.jit.trace(call, torch.ones(4))


def test_wrong_calls_say_what_was_expected():
    x, weight = torch.ones(2, 3), torch.ones(5, 3)
    with pytest.raises(RuntimeError, match=r"index 5 is out of range: the table has 5 rows"):
        F.embedding_bag(torch.tensor([5]), weight, torch.tensor([0]))
    with pytest.raises(RuntimeError, match=r"offsets\[0\] has to be 0.*got 1"):
        F.embedding_bag(torch.tensor([1, 2]), weight, torch.tensor([1]))
    with pytest.raises(RuntimeError, match="number of indices, 2, but got 3"):
        F.embedding_bag(torch.tensor([1, 2]), weight, torch.tensor([0, 3]))
    with pytest.raises(ValueError, match="mode has to be one of sum, mean or max"):
        F.embedding_bag(torch.tensor([1]), weight, torch.tensor([0]), mode="least")
    with pytest.raises(RuntimeError, match="expected targets below the number of classes, 4.*got 4"):
        F.ctc_loss(torch.zeros(5, 1, 4), torch.tensor([[4]]), (5,), (1,))
    with pytest.raises(RuntimeError, match="value at most 5, but got value 6"):
        F.ctc_loss(torch.zeros(5, 1, 4), torch.tensor([[1]]), (6,), (1,))
    with pytest.raises(RuntimeError, match=r"q values must be in the range \[0, 1\]"):
        torch.quantile(x, torch.tensor([0.5, 1.5]))
    with pytest.raises(RuntimeError, match="maximum size for tensor at dimension 1 is 3 but size is 4"):
        x.unfold(1, 4, 1)
    with pytest.raises(ValueError, match="dim 0 must be between"):
        F.max_unpool1d(torch.ones(1, 1, 2), torch.zeros(1, 1, 2, dtype=torch.int64), 2, output_size=[9])
    with pytest.raises(RuntimeError, match="invalid Poisson rate.*element 1 is not"):
        torch.poisson(torch.tensor([1.0, -1.0]))
    with pytest.raises(NotImplementedError, match="the derivative for 'self' of special_zeta"):
        torch.special.zeta(torch.tensor(2.0, requires_grad=True), torch.tensor(1.0)).backward()


def test_windows_of_unfold_are_a_view():
    x = torch.arange(6.0)
    windows = x.unfold(0, 2, 2)
    windows[1, 0] = 9
    assert x.tolist() == [0, 1, 9, 3, 4, 5] and torch.unfold_copy(x, 0, 2, 2).tolist() == windows.tolist()
    graph = torch.jit.trace(lambda y: y.unfold(0, 3, 1).sum(1), torch.arange(6.0))
    assert graph(torch.arange(8.0)).tolist() == [3, 6, 9, 12, 15, 18]


@pytest.mark.parametrize("name", ["lgamma", "digamma", "special.i0e", "special.i1", "special.erfcx", "special.log_ndtr"])
def test_doubles_are_as_near_as_floats_say(name):
    """float32 results are those of float64, rounded once."""
    function = torch.special.__dict__[name.split(".")[1]] if "." in name else getattr(torch, name)
    x = torch.linspace(0.1, 9.0, 200, dtype=torch.float64).to(torch.float32)
    assert np.array_equal(function(x).numpy(), function(x.double()).float().numpy())
