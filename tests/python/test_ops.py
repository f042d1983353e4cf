"""Operators as Python calls them: overloads, keywords, methods, Python's operators, errors."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import monograph as torch
import monograph.nn.functional as F
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_same_operator_in_every_spelling():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])
    expected = [4.0, 7.0]
    for result in (torch.add(a, b), a.add(b), a + b, torch.add(input=a, other=b), torch.Tensor.add(a, b), torch.add(a, other=b), torch.add(a, b, alpha=1)):
        assert result.tolist() == expected
    out = torch.empty(2)
    assert torch.add(a, b, out=out) is out and out.tolist() == expected
    assert torch.add(a, b, out=None).tolist() == expected
    assert a.add_(b) is a and a.tolist() == expected
    a += 1
    assert a.tolist() == [5.0, 8.0]


def test_the_same_call_with_other_kinds_of_arguments():
    """Overloads are remembered by the kinds of arguments: each kind must keep finding its own."""
    x = torch.tensor([1.0, 2.0])
    zero_d = torch.tensor(2)
    for _ in range(3):
        assert torch.mul(x, 2).tolist() == [2.0, 4.0]
        assert torch.mul(x, 2.5).tolist() == [2.5, 5.0]
        assert torch.mul(x, x).tolist() == [1.0, 4.0]
        assert torch.mul(x, zero_d).tolist() == [2.0, 4.0]
        assert torch.mul(x, True).tolist() == [1.0, 2.0]
        assert torch.sum(x).item() == 3.0 and torch.sum(x, 0).item() == 3.0 and torch.sum(x, dim=0, keepdim=True).shape == (1,)
        assert torch.sum(x, axis=0).item() == 3.0
        with pytest.raises(TypeError):
            torch.mul(x, "x")
        with pytest.raises(TypeError):
            torch.mul(x)


def test_pythons_operators():
    x = torch.tensor([1.0, 2.0, 4.0])
    assert (1 + x).tolist() == [2, 3, 5] and (x - 1).tolist() == [0, 1, 3] and (1 - x).tolist() == [0, -1, -3]
    assert (2 * x).tolist() == [2, 4, 8] and (x / 2).tolist() == [0.5, 1, 2] and (1 / x).tolist() == [1, 0.5, 0.25]
    assert (x**2).tolist() == [1, 4, 16] and (2**x).tolist() == [2, 4, 16]
    assert (-x).tolist() == [-1, -2, -4] and (+x) is x and abs(-x).tolist() == [1, 2, 4]
    assert (x > 1).tolist() == [False, True, True] and (1 < x).tolist() == [False, True, True] and (x == 2).tolist() == [False, True, False] and (x != 2).any().item()
    assert (x @ x).item() == 21
    b = torch.tensor([True, False])
    assert (b & True).tolist() == [True, False] and (~b).tolist() == [False, True] and (b | ~b).all().item() and (b ^ b).tolist() == [False, False]
    assert (x == None) is False and (x != None) is True  # noqa: E711
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "a"
    i = torch.tensor([2, 4])
    assert (7 // i).tolist() == [3, 1] and (7 % i).tolist() == [1, 3] and (i // 3).tolist() == [0, 1] and (i % 3).tolist() == [2, 1]


def test_promotion_of_python_numbers():
    i, h = torch.tensor([1, 2]), torch.tensor([1.0], dtype=torch.float16)
    assert (i + 1).dtype is torch.int64 and (i + 1.5).dtype is torch.float32 and (h + 1.5).dtype is torch.float16 and (i / 2).dtype is torch.float32
    assert (1.5 - i).dtype is torch.float32 and (i + 1j).dtype is torch.complex64 and (i > 1.5).dtype is torch.bool


def test_sizes_as_numbers_or_as_a_sequence():
    x = torch.arange(6)
    for y in (x.view(2, 3), x.view((2, 3)), x.view([2, 3]), x.view(torch.Size([2, 3])), x.reshape(2, -1), x.view(-1, 3)):
        assert y.shape == (2, 3)
    assert torch.zeros(2, 3).shape == torch.zeros((2, 3)).shape == torch.zeros([2, 3]).shape == (2, 3)
    assert x.view(2, 3).permute(1, 0).shape == x.view(2, 3).permute((1, 0)).shape == (3, 2)
    assert torch.zeros(()).shape == () and torch.zeros(2, dtype=float).dtype is torch.float64 and torch.ones(2, dtype=bool).dtype is torch.bool


def test_several_results_and_lists():
    parts = torch.arange(6).split(4)
    assert isinstance(parts, tuple) and [p.tolist() for p in parts] == [[0, 1, 2, 3], [4, 5]]
    assert [p.tolist() for p in torch.split(torch.arange(6), [1, 5])] == [[0], [1, 2, 3, 4, 5]]
    assert torch.cat([torch.ones(1), torch.zeros(1)], dim=0).tolist() == [1, 0] and torch.stack((torch.ones(1), torch.zeros(1)), 1).shape == (1, 2)


def test_factories_take_requires_grad():
    assert torch.ones(2, requires_grad=True).requires_grad and not torch.ones(2, requires_grad=False).requires_grad
    assert torch.rand(3, requires_grad=True).is_leaf


def test_a_number_before_a_tensor_weighs_as_a_number():
    whole, double = torch.tensor([3, 4]), torch.tensor([3.0], dtype=torch.float64)
    assert torch.mul(2, whole).tolist() == [6, 8] and torch.sub(2, whole.to(torch.int8)).dtype == torch.int8
    assert torch.mul(2.5, whole).dtype == torch.add(1.0, 2.0).dtype == (7.5 // whole).dtype == torch.float32
    assert torch.mul(0.1, double).item() == 0.1 * 3 and torch.div(1, torch.tensor(4.0)).item() == 0.25
    assert (7 % whole).tolist() == [1, 3] and torch.remainder(7, whole).tolist() == [1, 3]
    for refused in (lambda: torch.neg(5), lambda: torch.round(2.5), lambda: torch.remainder(7, 3), lambda: torch.eq(2, whole)):
        with pytest.raises(TypeError, match="must be Tensor, not"):
            refused()


def test_errors_name_the_operator_the_arguments_and_the_line():
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(RuntimeError, match="size of tensor a") as info:
        torch.ones(2) + torch.ones(3)
    assert f"test_ops.py:{line}" in str(info.value)
    with pytest.raises(TypeError, match=r"add\(\) received an invalid combination of arguments - got \(Tensor, str\)") as info:
        torch.add(torch.ones(2), "x")
    assert "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" in str(info.value)
    with pytest.raises(AttributeError, match="did you mean aten::relu"):
        torch._C._find_overloads("aten::relo")
    with pytest.raises(OverflowError, match="Overflow when unpacking long long: the number does not fit into 64 bits"):
        torch.ones(1) + 2**70


def test_errors_of_layers_name_the_users_line():
    layer = torch.nn.Linear(3, 2)
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(RuntimeError) as info:
        layer(torch.ones(4))
    assert f"test_ops.py:{line}" in str(info.value)


def test_functions_are_ordinary_objects():
    assert torch.relu is torch.relu and torch.relu.__name__ == "relu" and torch.relu.__module__ == "monograph"
    assert pickle.loads(pickle.dumps(torch.relu)) is torch.relu
    assert "relu(input: Tensor" in torch.relu.__doc__

    class Holder:
        act = torch.relu

    assert Holder().act(torch.tensor([-1.0])).item() == 0, "a function does not bind as a method"
    bound = torch.tensor([-1.0]).relu
    assert bound().item() == 0 and list(map(torch.Tensor.relu, [torch.tensor(-2.0)]))[0].item() == 0


def test_operators_by_namespace():
    assert torch.ops.aten.relu is torch.ops.aten.relu and torch.ops.aten.add(torch.ones(1), 2).item() == 3
    assert "relu" in dir(torch.ops.aten)
    with pytest.raises(AttributeError, match="there is no operator aten::nothing_like_it"):
        torch.ops.aten.nothing_like_it  # noqa: B018


def test_calls_leave_nothing_behind():
    """Results, errors and handed-over calls give back what they take: objects of the type and memory stay as they were."""
    import gc
    import resource

    class Loud:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return None

    x, loud = torch.ones(64), Loud()

    def work(n):
        for _ in range(n):
            torch.add(x, x, alpha=2), x + 1, 1 - x, x[1:], x.sum(dim=0), x.view(8, 8).split(3), torch.add(x, loud), x.tolist(), x.shape, x.numpy()
            with pytest.raises(RuntimeError):
                x + torch.ones(3)

    work(200)
    gc.collect()
    types, before = sys.getrefcount(torch.Tensor), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(4000)
    gc.collect()
    assert sys.getrefcount(torch.Tensor) < types + 10  # an exception or two may still hold its frame
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 3000, "kilobytes; a leak of one tensor a call would be ten times that"


def test_generators():
    g = torch.Generator().manual_seed(3)
    first = torch.rand(4, generator=g).tolist()
    assert torch.rand(4, generator=g).tolist() != first and torch.rand(4, generator=g.manual_seed(3)).tolist() == first
    torch.manual_seed(3)
    assert torch.rand(4).tolist() == first and torch.initial_seed() == 3
    state = torch.get_rng_state()
    a = torch.randn(5).tolist()
    torch.set_rng_state(state)
    assert torch.randn(5).tolist() == a and state.dtype is torch.uint8 and state.shape == (5056,)


def test_large_work_lets_other_threads_run():
    x, ticks, stop = torch.rand(1 << 20), [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    results = [torch.tanh(x) for _ in range(20)]
    stop.set()
    thread.join()
    assert ticks[0] > 0 and all(r.data_ptr() for r in results)


def test_every_operator_has_a_function_or_a_method():
    functions = {name for table in torch._C._functions().values() for name in table}
    methods = {name for name, value in vars(torch._C.TensorBase).items() if isinstance(value, torch._C.BuiltinMethod)}
    assert len(functions) > 80 and len(methods) > 80
    assert {"add", "softmax", "linear", "where", "silu"} <= functions and {"add_", "view", "softmax"} <= methods


def test_the_stubs_are_what_the_schemas_say():
    done = subprocess.run([sys.executable, ROOT / "tools" / "stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_gelu_over_the_whole_range_of_float32():
    """x Phi(x) to 2^-22 of |x| (PyTorch's own is off by up to 1.2 times that), x itself where Phi is 1, and -0 where it is 0."""
    x = np.arange(0, 2**32, 99991, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = x[np.isfinite(x)]
    got = torch.nn.functional.gelu(torch.from_numpy(x)).numpy()
    wide = torch.from_numpy(x.astype(np.float64))
    true = (0.5 * wide * torch.erfc(wide * -(0.5**0.5))).numpy()
    assert np.all(np.abs(got - true) <= 2.0**-22 * np.abs(x) + 1e-45)
    assert np.array_equal(got[x >= 5.45], x[x >= 5.45])
    negative = got[x <= -5.45]
    assert np.all(negative == 0) and np.all(np.signbit(negative))
    ends = torch.nn.functional.gelu(torch.tensor([np.inf, -np.inf, np.nan, -0.0])).numpy()
    assert ends[0] == np.inf and np.isnan(ends[1]) and np.isnan(ends[2]) and np.signbit(ends[3])


def test_writes_through_indices_reach_what_an_expanded_tensor_shows():
    x = torch.zeros(3, 1).expand(3, 4)
    x[[0, 1], [1, 2]] = 1.0
    assert x.tolist() == [[1.0] * 4, [1.0] * 4, [0.0] * 4]
    x.index_put_((torch.tensor([2, 2]), torch.tensor([0, 3])), torch.tensor([1.0, 2.0]), accumulate=True)
    assert x.tolist()[2] == [3.0] * 4


def test_an_assigned_value_drops_leading_dims_of_size_1():
    x = torch.zeros(3, 2)
    value = torch.ones(1, 2, 2, requires_grad=True)
    x[[0, 2]] = value
    x.sum().backward()
    assert x.tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]] and value.grad.shape == value.shape
    for wrong in (torch.ones(3), torch.ones(2, 2, 2), torch.ones(0)):
        with pytest.raises(RuntimeError, match=r"aten::index_put_.*shape mismatch"):
            x[[0, 2]] = wrong


def test_out_decides_what_a_sum_is_computed_in():
    x = torch.tensor([0.5, 0.5, 1.75])
    assert torch.sum(x, 0, out=torch.empty((), dtype=torch.int64)).item() == 1
    for call in (torch.amax, torch.softmax):
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float32, but got float64 instead"):
            call(x, 0, out=torch.empty(0, dtype=torch.float64))
    for of, into in ((x, torch.int64), (torch.tensor([1, 2]), torch.float32)):
        with pytest.raises(RuntimeError, match="aten::mean"):
            torch.mean(of, 0, out=torch.empty((), dtype=into))


def test_a_complex_number_without_an_imaginary_part_is_a_real_one():
    assert torch.full((2,), complex(1, 0), dtype=torch.float32).tolist() == [1.0, 1.0]
    assert torch.zeros(2).masked_fill(torch.tensor([True, False]), complex(2, 0)).tolist() == [2.0, 0.0]
    with pytest.raises(RuntimeError, match=r"aten::var.correction.*cannot be converted"):
        torch.var(torch.ones(3), correction=1j)


def test_every_error_of_an_operator_names_it():
    x = torch.ones(3)
    for call, name in ((lambda: x.sum(5), "aten::sum"), (lambda: torch.cat([x], 3), "aten::cat"), (lambda: x.select(0, 9), "aten::select"), (lambda: torch.zeros(-1), "aten::zeros")):
        with pytest.raises((IndexError, RuntimeError), match=rf"(in |\[){name}(.|\n)*test_ops.py"):
            call()


def test_results_lie_in_memory_as_pytorchs_do():
    """Layouts that a program sees: a view() of a contiguous result works, and sort() keeps the layout of what it sorts."""
    x = torch.arange(6.0).reshape(2, 3).t()
    for contiguous in (x.softmax(0), x.log_softmax(1), x.masked_fill(x > 3, 0.0), torch.bernoulli(x / 6), torch.nn.functional.layer_norm(x, (2,)), x.cumsum(0)):
        assert contiguous.stride() == (2, 1)
    for kept in (x.sort(0)[0], x.sort(1)[1], x.argsort(0), x.flip(0), x + 1):
        assert kept.stride() == (1, 3)
    chain = torch.fx.symbolic_trace(lambda x: (x * 2).masked_fill(x > 3, 0.0).exp().masked_fill(x > 4, 1.0)).graph
    assert chain(x).stride() == (2, 1)


def test_a_clamped_zero_keeps_its_sign():
    zeros = torch.tensor([0.0, -0.0])
    for clamped in (zeros.clamp(0.0, 1.0), zeros.clamp(min=0.0), zeros.clamp(max=0.0), torch.nn.functional.relu6(zeros), torch.nn.functional.hardtanh(zeros)):
        assert (1 / clamped).tolist() == [float("inf"), -float("inf")]


def test_a_complex_number_takes_the_width_of_the_tensor_beside_it():
    assert (torch.ones(2) * torch.ones((), dtype=torch.complex128)).dtype == torch.complex64
    assert (torch.ones(2, dtype=torch.float64) * torch.ones((), dtype=torch.complex64)).dtype == torch.complex128
    with pytest.raises(RuntimeError, match=r"(?s)float16 tensor with a complex number gives complex32.*in aten::mul"):
        torch.ones(2).half() * 1j


def test_tensors_of_two_devices_are_refused():
    meta, cpu = torch.ones(3, device="meta"), torch.ones(3)
    calls = [
        lambda: meta + cpu, lambda: cpu + meta, lambda: meta.add_(cpu), lambda: torch.add(cpu, cpu, out=meta), lambda: torch.where(meta > 0, cpu, cpu),
        lambda: torch.equal(cpu, meta), lambda: torch.cat([cpu, meta]), lambda: torch.nn.LayerNorm(3, device="meta")(cpu), lambda: cpu[meta.long()],
        lambda: torch.nn.functional.linear(cpu, torch.ones(2, 3, device="meta")),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            call()
    for call in (lambda: cpu.copy_(meta), lambda: meta.to("cpu"), lambda: meta.sum().item()):
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
            call()
    assert meta.copy_(cpu) is meta and (meta * torch.tensor(2.0)).is_meta and cpu.to("meta").is_meta and cpu.to("cpu") is cpu


def test_a_tensor_beside_an_array_and_its_shallow_copy():
    x, n = torch.tensor([1.0, 2.0]), np.array([1.0, 3.0])
    assert (x == n).tolist() == (n == x).tolist() == [True, False] and (x != n).tolist() == [False, True]
    assert (n / x).tolist() == [1.0, 1.5]
    copy.copy(x)[0] = 9
    assert x.tolist() == [9, 2]


def test_made_like_another_in_a_format():
    x = torch.ones(2, 3).t()
    assert torch.rand_like(x).stride() == (1, 3) and torch.rand_like(x, memory_format=torch.contiguous_format).stride() == (2, 1)
    with pytest.raises(RuntimeError, match="channels_last needs a tensor of 4 dims"):
        torch.zeros_like(x, memory_format=torch.channels_last)


def test_a_flag_that_is_no_bool_says_so():
    several = torch.ones(2)
    with pytest.raises(TypeError, match=re.escape("numpy() takes 0 positional arguments but 1 was given")):
        several.numpy(several)
    for flag, kind in ((several, "Tensor"), (1, "int")):
        with pytest.raises(TypeError, match=re.escape(f"numpy(): argument 'force' must be bool, not {kind}")):
            several.numpy(force=flag)
    with pytest.raises(TypeError, match=re.escape("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not Tensor")):
        several.requires_grad_(several)
    for flag, kind in ((several, "Tensor"), (1, "int"), ("a", "str")):
        with pytest.raises(TypeError, match=re.escape(f"ones(): argument 'requires_grad' must be bool, not {kind}")):
            torch.ones(2, requires_grad=flag)
    assert not torch.ones(2, requires_grad=None).requires_grad


def test_calls_that_repeat_are_bound_as_the_first():
    """The overload of a call is remembered by the kinds of its values and its keywords: other kinds, keywords and orders are bound anew."""
    x = torch.arange(24.0).reshape(2, 3, 4)
    for _ in range(3):
        assert x.view(4, 6).shape == x.view((4, 6)).shape == x.view(size=(4, 6)).shape == (4, 6)
        assert x.view(-1).shape == x.view(24).shape == (24,)
        assert x.view(3, 2, 4).shape == (3, 2, 4)
        assert x[0, 0].expand(2, 4).shape == x[0, 0].expand(size=(2, 4)).shape == (2, 4)
        assert torch.equal(torch.sum(x, dim=1), torch.sum(x, 1)) and torch.equal(torch.sum(x, axis=1), torch.sum(dim=1, input=x))
        assert torch.sum(x, dim=1, keepdim=True).shape == torch.sum(x, keepdim=True, dim=1).shape == (2, 1, 4)
        assert torch.sum(x, dim=(0, 1), keepdim=True).shape == (1, 1, 4) and torch.sum(x, dtype=torch.float64).dtype is torch.float64
        assert F.max_pool2d(x, 2).shape == F.max_pool2d(x, (3, 2), 1).shape[:1] + (1, 2) == F.max_pool2d(x, [2, 2], stride=[2, 2]).shape
        assert x.sum(**{"dim": 2, "keep" + "dim": True}).shape == (2, 3, 1)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            torch.sum(x, dim=1, keepdims=True, wrong=1)


def test_a_long_vector_of_integers_is_sorted_stably():
    """As by PyTorch, which sorts it by digits; shorter vectors, floats and descending orders are in tests/data/ops/sorting.jsonl."""
    torch.manual_seed(0)
    x = torch.randint(5, (32768,))
    assert torch.equal(x.sort().indices, x.sort(stable=True).indices)
    for other in (x[1:], x.float(), x.unsqueeze(0)):
        assert not torch.equal(other.sort().indices, other.sort(stable=True).indices)
    assert not torch.equal(x.sort(descending=True).indices, x.sort(descending=True, stable=True).indices)


def test_of_equal_elements_kthvalue_gives_the_one_that_a_stable_sort_puts_there():
    for x in (torch.tensor([2, 1, 2, 1, 2]), torch.randint(0, 3, (7, 40)).float()):
        places = x.sort(stable=True, dim=-1).indices
        for k in (1, 2, x.shape[-1]):
            assert torch.equal(x.kthvalue(k).indices, places[..., k - 1])


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x[1:].copy_(x[:-1]),
        lambda x: x.__setitem__(slice(0, 3), x[1:4]),
        lambda x: x.reshape(2, 2).copy_(x.reshape(2, 2).t()),
        lambda x: x.reshape(2, 2).copy_(x[:2]),
    ],
)
def test_a_copy_from_what_it_overwrites_is_refused(write):
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match=r"\[aten::copy_\] unsupported operation: some elements of the input tensor.*Please clone\(\)"):
        write(x)
    assert x.tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="Please clone"):
        write(x.requires_grad_() * 2)


def test_copies_that_do_not_overlap_stay():
    x = torch.arange(8.0)
    x.copy_(x)
    x[2:4].copy_(x[2:4])
    x[:2].copy_(x[2:4])
    x[4::2].copy_(x[5::2])  # PyTorch does not judge tensors with gaps
    assert x.tolist() == [2, 3, 2, 3, 5, 5, 7, 7]


def test_an_adaptive_pool_to_one_place_is_the_mean_of_each_plane():
    torch.manual_seed(0)
    for height, width in ((7, 7), (1, 1), (3, 5), (8, 8), (1, 63), (16, 20), (100, 90), (131, 129)):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            dense = torch.randn(3, 5, height, width).to(dtype)
            beside = torch.randn(3, 5, height, 2 * width).to(dtype)
            for x in (dense, dense[0], dense.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2), beside[..., ::2], beside[:, 1:4, :, :width],
                      dense[:, :1].expand(3, 4, height, width)):  # fmt: skip
                pooled, mean = torch.nn.functional.adaptive_avg_pool2d(x, 1), x.mean((-2, -1), keepdim=True)
                same = pooled.double().contiguous().numpy().tobytes() == mean.double().contiguous().numpy().tobytes()
                assert same and pooled.shape == mean.shape, (x.shape, x.stride(), dtype)


def test_pooling_to_nothing_and_stacking_nothing():
    x = torch.ones(1, 2, 4, 4)
    for size, shape in ((0, (1, 2, 0, 0)), ((0, 3), (1, 2, 0, 3)), ((3, 0), (1, 2, 3, 0))):
        assert torch.nn.functional.adaptive_avg_pool2d(x, size).shape == shape
        assert torch.nn.AdaptiveAvgPool2d(size)(x[0].to("meta")).shape == shape[1:]
    with pytest.raises(RuntimeError, match="stack expects a non-empty TensorList"):
        torch.stack([])
    with pytest.raises(ValueError, match=r"torch.cat\(\): expected a non-empty list of Tensors"):
        torch.cat([])


def test_erfinv_is_precise_up_to_1():
    """float32 beside float64 in units of the last place; float64 by erfc, which loses nothing near 1. PyTorch's trunc_normal_ draws weights through erfinv."""
    near_1 = [1 - 2.0**-k for k in range(1, 24)]
    x = torch.tensor([k / 4096 for k in range(4096)] + near_1 + [1 - 1.5 * 2.0**-k for k in range(2, 23)] + [10.0**-k for k in range(1, 38)])
    exact = torch.erfinv(x.double())
    ulp = 2.0 ** (torch.frexp(exact.float()).exponent.double() - 24)
    assert ((torch.erfinv(x).double() - exact).abs() <= 2 * ulp).all()
    assert torch.equal(torch.erfinv(-x), -torch.erfinv(x))
    for value in [k / 512 for k in range(1, 512)] + near_1 + [1 - 2.0**-k for k in range(24, 53)]:
        y = torch.erfinv(torch.tensor(value, dtype=torch.float64)).item()
        assert abs(math.erfc(y) - (1 - value)) <= 2e-14 * (1 - value), value
    assert list(map(str, torch.erfinv(torch.tensor([1.0, -1.0, 0.0, -0.0])).tolist())) == ["inf", "-inf", "0.0", "-0.0"]
    assert torch.erfinv(torch.tensor([1.5, -2.0, math.nan])).isnan().all()


@pytest.mark.parametrize("call", ["x.size(0)", "x.size(-1)", "x.stride(0)", "torch.ops.aten.size.int(x, 0)", "torch.ops.aten.sym_size.int(x, 0)"])
def test_a_tensor_without_dims_has_no_size_of_a_dim(call: str):
    with pytest.raises(IndexError, match="Dimension specified as -?[01] but tensor has no dimensions"):
        eval(call, {"torch": torch, "x": torch.tensor(1.0)})


def test_dropout_scales_floats_alone():
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.dropout(torch.arange(3), 0.5, True)
    assert torch.dropout(torch.arange(3), 0.5, False).tolist() == [0, 1, 2]


def test_no_permutation_of_less_than_no_numbers():
    with pytest.raises(RuntimeError, match="n must be non-negative, got -1"):
        torch.randperm(-1, out=torch.empty(0, dtype=torch.int64))


def test_a_deviation_of_integers_or_a_norm_of_a_narrower_dtype_is_refused():
    for f in (torch.std, torch.var):
        with pytest.raises(RuntimeError):
            f(torch.arange(6).reshape(2, 3), 0, out=torch.empty(0))
        z = torch.tensor([[1 + 2j, 3 - 1j], [0j, 1j]])
        assert torch.equal(f(z, 0, out=torch.empty(0)), f(z, 0))
    with pytest.raises(RuntimeError, match="convertible without narrowing"):
        torch.norm(torch.ones(3), dtype=torch.float16)
    with pytest.raises(RuntimeError, match="dtype should be real for real inputs"):
        torch.linalg.vector_norm(torch.ones(3), dtype=torch.complex64)


def test_images_with_their_channels_last_are_joined_in_that_order():
    images = torch.arange(48.0).reshape(1, 2, 4, 6)
    last = images.to(memory_format=torch.channels_last)
    for other, strides in ((last, (96, 1, 24, 4)), (last.double(), (96, 1, 24, 4)), (images, (96, 24, 6, 1))):
        joined = torch.cat([last, other], 1)
        assert joined.stride() == strides and torch.equal(joined, torch.cat([images, images], 1).to(joined.dtype))
    out = torch.empty(0)
    assert torch.cat([last, last], out=out) is out and out.is_contiguous(memory_format=torch.channels_last)
