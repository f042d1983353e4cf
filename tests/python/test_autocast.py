"""torch.autocast("cpu"): which operators compute in which dtype, gradients through the casts, captures, and GradScaler."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import subprocess
import sys
import threading

import monograph as torch
import pytest
from beside import TRY, both
from family_copies import is_copy
from monograph import nn

F = nn.functional
BF16, F16, F32, F64 = torch.bfloat16, torch.float16, torch.float32, torch.float64


def cast(dtype=BF16, **options):
    return torch.autocast("cpu", dtype=dtype, **options)


# ---- which operators ----


@pytest.mark.oracle
def test_the_records_name_the_operators_that_pytorch_casts(oracle):
    ours = {name: how for name, how in torch._C._autocast_table().items() if not is_copy(name)}
    theirs = oracle.run(
        "known = set(torch._C._dispatch_get_all_op_names())\n"
        "result = [n for n in names if n in known and torch._C._dispatch_has_kernel_for_dispatch_key(n, 'AutocastCPU')]",
        names=list(ours),
    )
    assert {op for op, how in ours.items() if how} == set(theirs)


@pytest.mark.parametrize(
    ("call", "dtype"),
    [
        (lambda x: torch.mm(x, x), BF16),
        (lambda x: x @ x.bfloat16(), BF16),
        (lambda x: F.linear(x, x, x[0]), BF16),
        (lambda x: F.conv2d(x[None, None], x[None, None, :1, :1]), BF16),
        (lambda x: torch.addmm(x, x, x), BF16),
        (lambda x: torch.einsum("ij,jk", x, x), BF16),
        (lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]), BF16),
        (lambda x: F.prelu(x, x[0, :1]), BF16),
        (lambda x: F.mse_loss(x.bfloat16(), x.bfloat16()), F32),
        (lambda x: F.cross_entropy(x.bfloat16(), torch.tensor([0, 1, 1])), F32),
        (lambda x: torch.prod(x.bfloat16()), F32),
        (lambda x: torch.trace(x.half()), F32),
        (lambda x: torch.cat([x, x.bfloat16()]), F32),
        (lambda x: torch.cat([x.bfloat16(), x.bfloat16()]), BF16),
        (lambda x: torch.stack([x.bfloat16(), x]), F32),
        (lambda x: torch.mm(x.double(), x.double()), F64),
        (lambda x: torch.cat([x.bfloat16(), x.double()]), F64),
        (lambda x: x + x, F32),
        (lambda x: x.bfloat16() + x.bfloat16(), BF16),
        (lambda x: torch.softmax(x, 0), F32),
        (lambda x: torch.softmax(x.bfloat16(), 0), BF16),
        (lambda x: F.layer_norm(x, (3,)), F32),
        (lambda x: torch.mm(x.long(), x.long()), torch.int64),
        (lambda x: x.clone().addbmm_(x[None], x[None]), F32),
        (lambda x: torch.mm(x, x, out=torch.empty(3, 3)), F32),
    ],
)
def test_the_dtype_of_a_result(call, dtype):
    x = torch.rand(3, 3) + 0.5
    with cast():
        assert call(x).dtype == dtype


def test_tensors_of_two_short_dtypes_do_not_mix():
    with cast(), pytest.raises(RuntimeError, match=r"\[aten::cat\] Unexpected floating ScalarType in at::autocast::prioritize"):
        torch.cat([torch.ones(1).half(), torch.ones(1)[:0].half()])
    with cast(F16):
        assert (torch.ones(2, 2) @ torch.ones(2, 2).bfloat16()).dtype == F16


# ---- regions ----


def product():
    return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype


def test_regions_nest_and_end():
    state = torch.is_autocast_enabled
    assert not state("cpu") and not state() and torch.get_autocast_dtype("cpu") == BF16
    with cast():
        assert product() == BF16 and state("cpu") and torch.is_autocast_cpu_enabled()
        with cast(enabled=False):
            assert product() == F32 and not state("cpu")
            with cast(F16):
                assert product() == F16 and torch.get_autocast_cpu_dtype() == F16
            assert product() == F32
        assert product() == BF16 and torch.get_autocast_dtype("cpu") == BF16
        with pytest.raises(ValueError, match="inside"), cast(F16):
            raise ValueError("inside")
        assert product() == BF16
    assert product() == F32 and not state("cpu")


def test_a_region_is_a_decorator_and_of_its_thread():
    @torch.autocast("cpu")
    def decorated(x):
        "Text."
        return x @ x

    assert decorated(torch.ones(2, 2)).dtype == BF16 and decorated.__doc__ == "Text." and product() == F32
    seen = []
    with cast():
        other = threading.Thread(target=lambda: seen.append(product()))
        other.start()
        other.join()
    assert seen == [F32]
    with pytest.raises(TypeError, match=r"autocast\(\)\(func\) requires a callable, but got int"):
        torch.autocast("cpu")(3)


def test_the_state_can_be_set_by_hand():
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", F16)
    try:
        assert product() == F16
    finally:
        torch.set_autocast_enabled("cpu", False)
        torch.set_autocast_dtype("cpu", BF16)
    torch.set_autocast_enabled("cuda", True)
    assert torch.is_autocast_enabled() and product() == F32
    torch.set_autocast_enabled(False)
    assert not torch.is_autocast_enabled()
    assert torch.autocast_increment_nesting() == 1 and torch.autocast_decrement_nesting() == 0 and torch.is_autocast_cache_enabled()


def test_older_names_and_other_devices():
    with pytest.warns(FutureWarning, match=r"torch.amp.autocast\('cpu', args...\)"):
        older = torch.cpu.amp.autocast()
    with older:
        assert product() == BF16
    with pytest.warns(UserWarning, match="CUDA is not available or torch_xla is imported. Disabling autocast."), torch.autocast("cuda"):
        assert product() == F32 and not torch.is_autocast_enabled("cuda")
    with pytest.warns(UserWarning, match="CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently"), cast(F32):
        assert product() == F32 and not torch.is_autocast_enabled("cpu")
    with pytest.warns(FutureWarning), pytest.warns(UserWarning, match="Disabling"), torch.cuda.amp.autocast():
        assert product() == F32


STATE = [
    *(f"{f}({d!r})" for f in ("torch.amp.is_autocast_available", "torch.get_autocast_dtype", "torch.is_autocast_enabled") for d in ("cpu", "cuda", "xpu", "mps", "hpu", "xla", "mtia", "meta", "nope", 3)),
    *(f"torch.autocast({a})" for a in ("3", "'nope'", "'meta'")), "torch.set_autocast_enabled('cpu', 1)", "torch.set_autocast_dtype('cpu', 'x')", "torch.set_autocast_cache_enabled(1)",
    "torch.autocast('cpu')(3)", "torch.get_autocast_dtype()", "torch.amp.custom_fwd(device_type=3)", "torch.autocast('mps')._enabled", "torch.autocast('cpu', torch.float64)._enabled",
    "(lambda a: (a.device, a.fast_dtype, a._enabled, a._cache_enabled))(torch.autocast('cpu', cache_enabled=False))",
]  # fmt: skip


@pytest.mark.oracle
def test_the_state_beside_pytorch(oracle):
    for expression in STATE:
        both(oracle, f"{TRY}\nresult = [str(x).partition(': ')[0] if 'Error' in str(x) else str(x) for x in attempt(lambda: {expression})]")


# ---- gradients ----

NETS = [
    "nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 4)), (3, 6)",
    "nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 4)), (2, 2, 6, 6)",
    "nn.Sequential(nn.Conv1d(2, 4, 3), nn.PReLU(4), nn.ConvTranspose1d(4, 2, 3)), (2, 2, 8)",
    "nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), (2, 5, 8)",
    "nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Softmax(-1)), (3, 6)",
]


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("net", NETS)
def test_networks_and_their_gradients_beside_pytorch(oracle, net, dtype):
    program = f"""
nn = torch.nn
torch.manual_seed(2)
net, shape = {net}
for p in net.parameters():
    with torch.no_grad(): p.copy_((torch.arange(p.numel()).view(p.shape) / 5).sin() / 2)
x = (torch.arange(torch.Size(shape).numel()).view(shape) / 7).cos().requires_grad_()
with torch.autocast("cpu", dtype=torch.{dtype}):
    y = net(x)
    loss = torch.nn.functional.mse_loss(y, torch.zeros_like(y))
loss.backward()
result = [str(y.dtype), str(loss.dtype), y.float(), loss, x.grad, *(p.grad for p in net.parameters())]
"""
    both(oracle, program, rtol=4e-2)


def test_a_weight_is_cast_once_in_a_region_and_its_gradient_has_its_dtype():
    weight, x = torch.randn(3, 3, requires_grad=True), torch.randn(3, 3)
    with cast():
        first, second = (x @ weight).grad_fn, (x @ weight).grad_fn

        def cast_of(node):
            return next(f for f, _ in node.next_functions if f is not None)

        assert cast_of(first) is cast_of(second)
        with cast():  # the cache is of the outermost region
            assert cast_of((x @ weight).grad_fn) is cast_of(first)
        torch.clear_autocast_cache()
        assert cast_of((x @ weight).grad_fn) is not cast_of(first)
        with torch.no_grad():
            weight.mul_(2)  # a written weight is cast again: PyTorch would compute with its old values
        assert torch.equal(x @ weight, x.bfloat16() @ weight.detach().bfloat16())
    with cast(cache_enabled=False):
        assert cast_of((x @ weight).grad_fn) is not cast_of((x @ weight).grad_fn)
    with cast():
        with torch.no_grad():
            assert not (x @ weight).requires_grad
        (x @ weight).float().sum().backward()
    assert weight.grad.dtype == F32 and torch.equal(weight.grad, x.bfloat16().t().float().sum(1, keepdim=True).bfloat16().float().expand(3, 3))


def test_a_step_of_training_lowers_the_loss():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.randn(32, 4)
    target = x.sum(1, keepdim=True)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        with cast():
            loss = F.mse_loss(net(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0] and all(p.dtype == F32 for p in net.parameters())


# ---- captures ----


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu"):
            y = self.layer(x)
            z = torch.einsum("ij,jk->ik", y, x)
        return z.float() + y.float().sum()


def targets(graph):
    return [str(n.target) for n in graph.nodes]


def test_a_trace_has_the_casts():
    net, x = Net(), torch.randn(4, 4)
    traced = torch.jit.trace(net, x)
    for value in (x, torch.randn(4, 4)):
        assert torch.equal(traced(value), net(value))
    assert "to(" in str(traced.inlined_graph) or "aten::to" in str(traced.inlined_graph)
    x.requires_grad_()
    ours = torch.autograd.grad(net(x).sum(), [x, *net.parameters()])
    theirs = torch.autograd.grad(traced(x).sum(), [x, *net.parameters()])
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a, b, rtol=2e-2, atol=2e-2)


def test_a_trace_inside_of_a_region_has_the_casts_too():
    layer, x = nn.Linear(4, 4), torch.randn(4, 4)
    with cast():
        traced = torch.jit.trace(lambda v: layer(v) @ v, x)
        inside = layer(x) @ x
    assert traced(x).dtype == BF16 and torch.equal(traced(x), inside)
    with cast():  # a graph computes in its own dtypes
        plain = torch.jit.trace(lambda v: v + v, x)
    product = torch.capture(lambda v: v @ v, x)
    with cast():
        assert product(x).dtype == F32 and torch.equal(plain(x), x + x)


def test_a_symbolic_trace_says_that_it_cannot():
    with pytest.raises(torch.fx.proxy.TraceError, match="region of autocast, which a symbolic trace cannot record"):
        torch.fx.symbolic_trace(Net())


def test_a_symbolic_trace_without_a_region_computes_in_that_of_its_caller():
    layer, x = nn.Linear(4, 4), torch.randn(4, 4)
    traced = torch.fx.symbolic_trace(nn.Sequential(layer, nn.ReLU()))
    with cast():
        assert traced(x).dtype == BF16 and torch.equal(traced(x), F.relu(layer(x)))
        inside = torch.fx.symbolic_trace(nn.Sequential(layer, nn.ReLU()))
    assert inside(x).dtype == F32


def test_capture_chooses_the_trace():
    net, x = Net(), torch.randn(4, 4)
    assert torch.equal(torch.capture(net, x)(x), net(x))


# ---- functions of the user's ----


class Double(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=F32)
    def forward(ctx, x, kept):
        ctx.save_for_backward(x)
        Double.seen = (x.dtype, kept["a"][0].dtype, torch.is_autocast_enabled("cpu"))
        return x @ x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        Double.seen_back = torch.is_autocast_enabled("cpu")
        (x,) = ctx.saved_tensors
        return g @ x.t() + x.t() @ g, None


def test_custom_functions():
    x = torch.rand(2, 2).bfloat16().requires_grad_()
    with cast():
        y = Double.apply(x, {"a": [torch.ones(1).bfloat16()]})
        assert y.dtype == F32 and Double.seen == (F32, F32, False)
        y.sum().backward()
    assert Double.seen_back is False and x.grad.dtype == BF16
    y = Double.apply(x, {"a": [torch.ones(1).bfloat16()]})
    assert Double.seen == (BF16, BF16, False)


# ---- GradScaler ----

SCALER = """
torch.manual_seed(1)
p = torch.nn.Parameter(torch.arange(4.) / 3)
q = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([p, q], lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_factor=3.0, backoff_factor=0.25, growth_interval=2)
result = [scaler.is_enabled(), scaler.get_scale(), scaler.state_dict()]
for k in range(8):
    optimizer.zero_grad()
    loss = (p * p).sum() * (float("inf") if k == 3 else 1.0) + (q ** 3).sum()
    scaled = scaler.scale(loss)
    scaled.backward()
    if k % 2: scaler.unscale_(optimizer)
    result += [p.grad.clone(), scaler.step(optimizer), p.detach().clone(), q.detach().clone()]
    scaler.update() if k != 6 else scaler.update(16.0)
    result += [scaler.get_scale(), scaler._get_growth_tracker()]
other = torch.amp.GradScaler("cpu")
other.load_state_dict(scaler.state_dict())
result += [other.state_dict(), [t.tolist() for t in scaler.scale([torch.ones(1), torch.ones(2)])]]
"""
BAD_SCALER = [
    "torch.amp.GradScaler('cpu').step(o)", "torch.amp.GradScaler('cpu').unscale_(o)", "torch.amp.GradScaler('cpu').update()", "torch.amp.GradScaler('cpu', growth_factor=1.0)",
    "torch.amp.GradScaler('cpu', backoff_factor=1.0)", "s.step(o, closure=lambda: 1)", "(s.unscale_(o), s.unscale_(o))", "(s.step(o), s.step(o))", "s.scale(3)", "s.load_state_dict({})", "s.update(torch.ones(2))",
    "torch.amp.GradScaler('cpu', enabled=False).scale(3)", "torch.amp.GradScaler('cpu', enabled=False).state_dict()", "torch.amp.GradScaler('cuda').scale(3)", "torch.cuda.amp.GradScaler().get_scale()",
]  # fmt: skip


@pytest.mark.oracle
def test_grad_scaler_beside_pytorch(oracle):
    both(oracle, SCALER, rtol=1e-6)
    for call in BAD_SCALER:
        both(
            oracle,
            f"{TRY}p = torch.nn.Parameter(torch.ones(2))\no = torch.optim.SGD([p], lr=0.1)\ns = torch.amp.GradScaler('cpu')\ns.scale((p * p).sum()).backward()\nresult = [str(x) for x in attempt(lambda: {call})]",
        )


def test_a_scaler_is_pickled_between_steps_and_float16_gradients_are_refused():
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    assert scaler.scale(torch.ones(1)).item() == 4.0
    assert pickle.loads(pickle.dumps(scaler)).get_scale() == copy.deepcopy(scaler).get_scale() == 4.0
    p = nn.Parameter(torch.ones(2).half())
    p.grad = torch.ones(2).half()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(torch.optim.SGD([p], lr=0.1))


def test_an_lstm_is_cast_as_a_whole_and_other_recurrent_layers_in_their_parts():
    # As in PyTorch, where oneDNN has a kernel for an LSTM without a projection over padded input.
    x, packed = torch.ones(3, 2, 4), nn.utils.rnn.pack_padded_sequence(torch.randn(3, 2, 4), torch.tensor([3, 2]))
    with cast():
        for layer in (nn.LSTM(4, 4), nn.LSTM(4, 4, 2, bidirectional=True, batch_first=True), nn.LSTM(4, 4, bias=False).requires_grad_(False)):
            output, (h, c) = layer(x)
            assert (output.dtype, h.dtype, c.dtype) == (BF16, BF16, BF16)
        output, (h, c) = nn.LSTM(4, 4, proj_size=2)(x)
        assert (output.dtype, h.dtype, c.dtype) == (BF16, BF16, F32)
        assert nn.LSTM(4, 4)(packed)[0].data.dtype == F32 and nn.GRU(4, 4)(x)[0].dtype == F32 and nn.RNN(4, 4)(x)[0].dtype == BF16
    layer = nn.LSTM(4, 4)
    expected = layer(x)[0]
    with cast():
        output = layer(x)[0]
    assert torch.allclose(output.float(), expected, atol=0.02)
    output.sum().backward()
    assert layer.weight_ih_l0.grad.dtype == F32


@pytest.mark.parametrize("name", ["amp.autocast_mode", "amp.grad_scaler", "amp._state", "cuda"])
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module(f"monograph.{name}")
    result = doctest.testmod(module, extraglobs={"torch": torch}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed


def test_a_region_that_is_left_open_at_the_end_of_the_process():
    program = "import monograph as torch\nw = torch.nn.Linear(2, 2)\ntorch.autocast('cpu').__enter__()\nprint(w(torch.ones(2)).dtype)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "torch.bfloat16\n"), run.stderr
