"""Names that PyTorch writes in Python, or whose records are made of others, beside live PyTorch: sizes (torch.sym_max), copies of views, methods that call Python for
each element, files as tensors, DLPack's module, linear_cross_entropy and DataParallel."""

from __future__ import annotations

import monograph as torch
import pytest
from beside import TRY, both

# Each is computed on both sides: the value, or the kind of the error.
EXPRESSIONS = [
    "[torch.sym_max(2, 3), torch.sym_max(2, 3.0), torch.sym_max(4.0, 3), torch.sym_max(True, 2), torch.sym_min(2, 3), torch.sym_min(2.5, 3), torch.sym_min(2, 3.5)]",
    "[torch.sym_int(2.7), torch.sym_int(-2.7), torch.sym_int(True), torch.sym_float(2), torch.sym_not(False), torch.sym_not(3), torch.sym_ite(True, 1, 2), torch.sym_ite(False, 1, 2)]",
    "[torch.sym_sum(1, 2), torch.sym_sum([1, 2, 3]), torch.sym_sum((1, 2.5)), torch.sym_sum([])]", "torch.sym_max('a', 2)", "torch.sym_ite(1, 2, 3)", "torch.sym_ite(True, 2, 3.0)",
    "x.clone().apply_(lambda v: v + 1)", "x.t().apply_(lambda v: v * 10)", "torch.tensor([1, 2]).apply_(lambda v: v / 2)", "torch.tensor([True, False]).apply_(lambda v: not v)",
    "torch.tensor([1j]).apply_(lambda v: v * 2)", "x.clone().apply_(lambda v: torch.tensor(v) + 1)", "x.clone().apply_(lambda v: 'a')", "x.clone().apply_(lambda v: None)", "x.clone().apply_(3)",
    "x.clone().requires_grad_().apply_(abs)", "torch.empty(0).apply_(abs)", "x.clone().map_(torch.ones(2, 3), lambda a, b: a + b)", "x.clone().map_(torch.ones(3), lambda a, b: a - b)",
    "x.clone().map_(torch.ones(4), lambda a, b: a)", "x.clone().map_(torch.tensor([1, 2, 3]), lambda a, b: a)", "x.clone().map_(3, lambda a, b: a)", "x.clone().map_(x, lambda a: a)",
    "x.clone().map_(x.clone().requires_grad_(), lambda a, b: a)", "x.double().float_power_(2)", "x.double().float_power_(torch.tensor([2, 3, 0]))", "x.float_power_(2)", "x.double().float_power_(2j)",
    "x.cdouble().float_power_(2j)", "x.double().float_power_('a')", "[x.double().requires_grad_().mul(2).float_power_(3).grad_fn is not None]", "torch.tensor([1j]).float_power_(2)",
    "[x.dim_order(), x.t().dim_order(), x[0].dim_order(), torch.tensor(1).dim_order(), torch.ones(1, 2, 1).dim_order(), torch.ones(3, 1).expand(3, 4).dim_order()]",
    "[torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last).dim_order(), torch.empty_strided((2, 1, 4, 5), (20, 1, 5, 1)).dim_order(), torch.ones(2, 3, 1, 1).permute(0, 2, 3, 1).dim_order()]",
    "[torch.ones(2, 3, 4).permute(p).dim_order() for p in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))]",
    "[torch.empty_strided(*g).dim_order() for g in (((2, 3, 4), (0, 0, 1)), ((2, 3), (1, 1)), ((3, 2), (1, 1)), ((2, 2, 2), (4, 1, 4)), ((2, 1, 3), (3, 7, 1)), ((4, 2, 3), (1, 0, 4)))]",
    "x.dim_order(ambiguity_check=True)", "torch.ones(1, 2).dim_order(ambiguity_check=True)", "torch.ones(2, 1, 3, 3).dim_order(ambiguity_check=[torch.contiguous_format])",
    "torch.ones(2, 1, 3, 3).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last])", "x.dim_order(ambiguity_check=3)", "x.dim_order(ambiguity_check=[3])", "x.dim_order(True)",
    "[torch.t_copy(x), torch.t_copy(x).is_contiguous(), torch.t_copy(x[0]), torch.t_copy(x[0, 0]), torch.t_copy(x, out=torch.empty(3, 2))]", "torch.t_copy(torch.ones(1, 1, 1))",
    "[torch.view_copy(x, (3, 2)), torch.view_copy(x, (-1,)), torch.view_copy(x, torch.int32), torch.view_copy(x, (6,), out=torch.empty(6))]", "torch.view_copy(x, (4,))", "torch.view_copy(x.t(), (6,))",
    "[torch.unbind_copy(x), torch.unbind_copy(x, 1), torch.unbind_copy(torch.empty(0, 2))]", "torch.unbind_copy(x, 2)",
    "[torch.view_as_real_copy(c), torch.view_as_complex_copy(torch.view_as_real(c)), torch.view_as_real_copy(c, out=torch.empty(2, 2))]", "torch.view_as_real_copy(x)", "torch.view_as_complex_copy(x)",
    "[c.clone().conj_physical_(), torch.conj_physical_(c.clone()), x.clone().conj_physical_(), torch.conj_physical(c, out=torch.empty(2, dtype=torch.cfloat))]",
    "[torch.empty_permuted(s, p).stride() for s, p in (((2, 3), (1, 0)), ((2, 3, 4), (1, 2, 0)), ((2, 3, 4), (0, 1, 2)), ((), ()), ((3,), (0,)), ((2, 1, 4), (2, 0, 1)))]",
    "[torch.empty_permuted((2, 3), (1, 0), dtype=torch.int64).dtype, torch.empty_permuted((2,), (0,), requires_grad=True).requires_grad, torch.empty_permuted((2, 3), (1, 0), device='meta').stride()]",
    "torch.empty_permuted((2, 3), (0, 0))", "torch.empty_permuted((2, 3), (0,))", "torch.empty_permuted((2, 3), (0, 2))", "torch.empty_permuted((2, 3), (0, -1))", "torch.empty_permuted((-1,), (0,))",
    "[torch.conv_tbc(s, w, b, p) for p in (0, 1, 3)]", "[F.conv_tbc(s, w, b).is_contiguous(), torch.conv_tbc(s.transpose(0, 1), w, b)]", "torch.conv_tbc(s[0], w, b)", "torch.conv_tbc(s, w[0], b)",
    "torch.conv_tbc(s, w[:, :2], b)", "torch.conv_tbc(s, w, b[:2])", "torch.conv_tbc(s, w, b[0])", "torch.conv_tbc(s, w, None)",
    "[torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)), int(torch.utils.dlpack.DLDeviceType.kDLCPU), [d.name for d in torch.utils.dlpack.DLDeviceType]]",
    "[torch.has_lapack, torch.has_spectral, issubclass(torch.OutOfMemoryError, RuntimeError), torch.cuda.OutOfMemoryError is torch.OutOfMemoryError, torch.OutOfMemoryError.__name__, issubclass(torch.AcceleratorError, RuntimeError)]",
    "[x.const_data_ptr() == x.data_ptr(), x.clone().module_load(torch.zeros(2, 3)), x.module_load(torch.ones(4), assign=True)]", "x.clone().module_load(torch.ones(4))",
    "[torch.from_file(file, size=4), torch.from_file(file, size=2, dtype=torch.int32), torch.from_file(file), torch.from_file(file, size=2, requires_grad=True).requires_grad]",
    "torch.from_file(file, size=100)", "torch.from_file('/none', size=1)", "[torch.from_file(file, True, 2).mul_(2) is not None, torch.from_file(file, size=3)]",
    "[torch.nn.factory_kwargs(None), torch.nn.factory_kwargs({'dtype': torch.float64, 'factory_kwargs': {'device': 'cpu'}})]", "torch.nn.factory_kwargs({'a': 1})",
    "torch.nn.factory_kwargs({'dtype': 1, 'factory_kwargs': {'dtype': 2}})",
    "[torch.wait(torch.fork(lambda a: a + 1, x))]",
]  # fmt: skip
SETUP = """
import os, tempfile
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
c = torch.tensor([1 + 2j, -3 - 4j])
s, w, b = torch.arange(24.0).reshape(4, 2, 3) / 8, torch.arange(30.0).reshape(2, 3, 5) / 16, torch.arange(5.0)
file = os.path.join(tempfile.mkdtemp(), "numbers.bin")
torch.tensor([1.0, 2.0, -3.0, 0.5]).numpy().tofile(file)
"""


@pytest.mark.oracle
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_beside_pytorch(oracle, expression):
    both(oracle, f"{SETUP}\ntry:\n    result = {expression}\nexcept Exception as error:\n    result = type(error).__name__")


LOSS = """
torch.manual_seed(0)
input, target, bias, factor = torch.randn(4, 3), torch.tensor([0, 2, 1, 4]), torch.randn(5), torch.rand(5)
weight, deep, places = torch.randn(5, 3), torch.randn(5, 2, 3), torch.tensor([[0, 1], [2, 3], [4, 0], [1, 1]])
calls = {
    "plain": lambda: F.linear_cross_entropy(input, weight, target),
    "one": lambda: F.linear_cross_entropy(input[0], weight, target[1]),
    "bias": lambda: F.linear_cross_entropy(input, weight, target, linear_bias=bias, weight=factor, reduction="sum"),
    "none": lambda: F.linear_cross_entropy(input, weight, target, reduction="none", ignore_index=2, label_smoothing=0.1),
    "deep": lambda: F.linear_cross_entropy(input, deep, places, linear_bias=torch.stack((bias, bias * 2), 1)),
    "shares": lambda: F.linear_cross_entropy(input, weight, torch.full((4, 5), 0.2)),
    "options": lambda: F.linear_cross_entropy(input, weight, target, options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)),
    "ignored shares": lambda: F.linear_cross_entropy(input, weight, torch.full((4, 5), 0.2), ignore_index=1),
    "three dims": lambda: F.linear_cross_entropy(input[None], weight, target),
    "vector": lambda: F.linear_cross_entropy(input, weight[0], target),
    "features": lambda: F.linear_cross_entropy(input, weight[:, :2], target),
    "short bias": lambda: F.linear_cross_entropy(input, weight, target, linear_bias=bias[:2]),
    "no batch": lambda: F.linear_cross_entropy(input[0], deep, places),
    "policy": lambda: torch.nn.LinearCrossEntropyOptions(acc_policy="x"),
    "method": lambda: torch.nn.LinearCrossEntropyOptions(chunking_method="aspect_ratio:0"),
    "chunk": lambda: torch.nn.LinearCrossEntropyOptions(batch_chunk_size=0),
    "dtype": lambda: torch.nn.LinearCrossEntropyOptions(acc_dtype=torch.int32),
    "shown": lambda: repr(torch.nn.LinearCrossEntropyOptions(chunking_method="aspect_ratio:2")),
}
def layer(**named):
    loss = torch.nn.LinearCrossEntropyLoss(3, 5, **named)
    value = loss(input, places if "out_features" in named else target)
    value.sum().backward()
    return [repr(loss), list(loss.state_dict()), value, loss.linear.weight.grad]
for named in ({}, {"bias": True, "weight": factor}, {"out_features": (2,), "reduction": "none"}, {"label_smoothing": 0.2, "ignore_index": 1}, {"weight": bias[:2]}, {"label_smoothing": 2.0}):
    calls[f"layer {sorted(named)}{named.get('label_smoothing')}"] = lambda named=named: layer(**named)
result = {}
for name, call in calls.items():
    try:
        result[name] = call()
    except Exception as error:
        result[name] = type(error).__name__
"""


@pytest.mark.oracle
def test_linear_cross_entropy_beside_pytorch(oracle):
    both(oracle, LOSS)


@pytest.mark.oracle
def test_data_parallel_without_a_gpu(oracle):
    both(oracle, TRY + """
torch.manual_seed(0)
net = torch.nn.DataParallel(torch.nn.Linear(2, 1), device_ids=[0, 1])
result = [repr(net), list(net.state_dict()), net.device_ids, net(torch.ones(3, 2)), net(input=torch.ones(1, 2)), [n for n, _ in net.named_parameters()], net.eval().module.training]
""")


SIZES = [
    lambda x: x.new_zeros(torch.sym_max(x.shape[0], x.shape[1] - 1) + 1),
    lambda x: x.new_zeros(torch.sym_min(x.shape[0], 2)),
    lambda x: x.new_zeros(torch.sym_int(x.shape[0] / 2)),
    lambda x: x.new_zeros(torch.sym_sum(x.shape)),
    lambda x: x * torch.sym_float(x.shape[0]),
    lambda x: x.new_zeros(1 if torch.sym_not(x.shape[0] > 3) else 2),
]


@pytest.mark.parametrize("k", range(len(SIZES)))
@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, torch.ones(3, 4)), torch.fx.symbolic_trace])
def test_sizes_stay_symbolic_in_captures(k, capture):
    graph = capture(SIZES[k])
    for shape in ((3, 4), (5, 2), (2, 9), (8, 1)):
        x = torch.ones(shape)
        assert graph(x).equal(SIZES[k](x))


def test_a_symbolic_trace_calls_sizes_by_their_names():
    assert "torch.sym_min(" in torch.fx.symbolic_trace(SIZES[1]).code


def test_gradients_through_copies_of_views():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    for call in (torch.t_copy, lambda v: torch.view_copy(v, (3, 2)), lambda v: torch.unbind_copy(v, 1)[1] * 3, torch.conj_physical):
        (grad,) = torch.autograd.grad((call(x) * 2).sum(), x)
        assert grad.shape == x.shape and grad.sum() == (12 if grad.count_nonzero() == 6 else 12)
        assert torch.autograd.gradcheck(call, (x.detach().double().requires_grad_(),))
    pairs = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: torch.view_as_real_copy(torch.view_as_complex_copy(v) ** 2), (pairs,))
    s, w, b = (torch.randn(*n, dtype=torch.float64, requires_grad=True) for n in ((4, 2, 3), (2, 3, 2), (2,)))
    assert torch.autograd.gradcheck(lambda *a: torch.conv_tbc(*a, 1), (s, w, b)) and torch.autograd.gradgradcheck(lambda *a: torch.conv_tbc(*a, 1), (s, w, b))


def test_copies_share_no_memory():
    x = torch.arange(6.0).reshape(2, 3)
    for copy in (torch.t_copy(x), torch.view_copy(x, (6,)), *torch.unbind_copy(x), torch.view_copy(x, torch.int32)):
        copy.zero_()
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_trace_keeps_or_refuses_what_calls_python_for_each_element():
    traced = torch.jit.trace(lambda x: (x * 2).apply_(lambda v: v + 1), torch.ones(3), control_flow="guard")
    assert traced(torch.tensor([1.0, 5.0, 2.0])).tolist() == [3, 11, 5]
    with pytest.raises(RuntimeError, match="was captured where"):
        traced(torch.ones(4))
    asks = torch.jit.trace(lambda x: (x * 2).apply_(lambda v: v if v > 3 else 0), torch.ones(3), control_flow="guard")
    with pytest.raises(RuntimeError, match="`v > 3` is False, but here it is True"):
        asks(torch.tensor([1.0, 5.0, 2.0]))
    with pytest.raises(RuntimeError, match=r"tolist\(\)"):
        torch.jit.trace(lambda x: (x * 2).apply_(lambda v: v + 1), torch.ones(20), control_flow="guard")


CONVERTED = """
nn, result = torch.nn, []
with torch.device("meta"):
    layer = nn.Linear(2, 3)
weight = layer.weight
layer.to_empty(device="cpu")
result.append([layer.weight is weight, weight.is_meta, layer.weight.is_meta, type(layer.weight).__name__])
layer = nn.Conv2d(2, 4, 3)
weight = layer.weight
layer.to(memory_format=torch.channels_last)
result.append([layer.weight is weight, layer.weight.stride(), layer.bias.stride()])
both = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)).to(torch.float64, memory_format=torch.channels_last)
result.append([both[0].weight.dtype, both[0].weight.stride(), both[1].weight.stride()])
try:
    nn.Conv3d(2, 4, 3).to(memory_format=torch.channels_last)
except RuntimeError as error:
    result.append("RuntimeError")
layer = nn.Linear(2, 2)
layer(torch.ones(1, 2)).sum().backward()
grad, kept = layer.weight.grad, list(layer.parameters())
layer.double()
result.append([layer.weight.grad is grad, grad.dtype, grad.requires_grad, all(a is b for a, b in zip(kept, layer.parameters()))])
result.append([nn.Linear(2, 2).to("meta").weight.is_meta, nn.LazyLinear(2).double()(torch.ones(1, 3, dtype=torch.float64)).dtype])
"""


@pytest.mark.oracle
def test_what_a_conversion_of_a_module_keeps(oracle):
    both(oracle, CONVERTED)
