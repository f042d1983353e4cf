"""Quantized tensors: integers with a scale and a zero point. How they are made, what they tell and print, which operators keep the quantizer, sums and
products of them, and that every other operator, file and array refuses them by name."""

from __future__ import annotations

import copy
import io
import pickle

import monograph as torch
import numpy as np
import pytest

DTYPES = ["quint8", "qint8", "qint32"]
NUMBERS = [float("nan"), float("inf"), -float("inf"), 3e38, -3e38, 1e10, -1e10, 0.05, 0.15, 0.25, -0.05, 2147483520.0, 2147483648.0, -2147483648.0, 0.0, -0.0, 1.26]


def both(oracle, program: str, **scope: object) -> object:
    """What a program gives here, which must be what it gives in PyTorch."""
    names = {"torch": torch, **scope}
    exec(program, names)
    assert repr(names["result"]) == repr(oracle.run(program, **scope)), program
    return names["result"]


def example(dtype: str = "quint8"):
    return torch.quantize_per_tensor(torch.tensor([[-1.0, 0.37, 0.5, 1.26], [2.0, 300.0, -0.25, 0.0]]), 0.1, 10, getattr(torch, dtype))


def channels():
    x = torch.tensor([[-1.0, 0.37, 0.5, 1.26], [2.0, 300.0, -0.25, 0.0]])
    return torch.quantize_per_channel(x, torch.tensor([0.1, 0.02]), torch.tensor([10, 0]), 0, torch.qint8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_a_quantized_tensor_tells(dtype):
    q = example(dtype)
    assert q.is_quantized and q.dtype is getattr(torch, dtype) and q.shape == (2, 4) and not q.requires_grad
    assert q.qscheme() is torch.per_tensor_affine and q.q_scale() == 0.1 and q.q_zero_point() == 10
    assert torch.q_scale(q) == 0.1 and torch.q_zero_point(q) == 10
    assert q.int_repr().dtype is {"quint8": torch.uint8, "qint8": torch.int8, "qint32": torch.int32}[dtype]
    assert q.int_repr()[0].tolist() == [0, 14, 15, 23] and q.dequantize().dtype is torch.float32
    assert q[0, 1].item() == pytest.approx(0.4) and len(q) == 2


def test_channels():
    q = channels()
    assert q.qscheme() is torch.per_channel_affine and q.q_per_channel_axis() == 0
    assert q.q_per_channel_scales().dtype is torch.float64 and q.q_per_channel_zero_points().tolist() == [10, 0]
    with pytest.raises(RuntimeError, match="kPerTensorAffine"):
        q.q_scale()
    with pytest.raises(RuntimeError, match="kPerChannelAffine"):
        example().q_per_channel_axis()
    assert q.clone().qscheme() is torch.per_channel_affine and torch.equal(q.clone().dequantize(), q.dequantize())
    for view in (lambda: q.t(), lambda: q.view(8), lambda: q[0], lambda: q.index_select(0, torch.tensor([1]))):
        with pytest.raises((RuntimeError, NotImplementedError), match=r"dequantize"):
            view()


def test_views_and_copies_keep_the_quantizer():
    q = example()
    moved = [
        q.view(8), q.view(4, 2), q.t(), q.transpose(0, 1), q.permute(1, 0), q[0], q[:, 1:3], q[1:], q.unsqueeze(0), q.unsqueeze(0).expand(2, 2, 4), q.squeeze(),
        q.reshape(8), q.t().reshape(8), q.flatten(), q.clone(), q.detach(), q.t().contiguous(), *q.chunk(2), *q.split(1), *q.unbind(), q.as_strided((2,), (1,)),
        q.diagonal(), q.narrow(0, 0, 1), q.unfold(1, 2, 2), q.cpu(), q.index_select(0, torch.tensor([1])), q.data, q[torch.tensor([1, 0, 0])], q[torch.tensor([True, False])], q.flip(0), q.repeat(2, 1), copy.deepcopy(q), copy.copy(q), q.movedim(0, 1),
        q.unflatten(1, (2, 2)), q.view_as(q), *q,
    ]  # fmt: skip
    for m in moved:
        assert m.dtype is torch.quint8 and m.q_scale() == 0.1 and m.q_zero_point() == 10
    assert torch.equal(q.t().dequantize(), q.dequantize().t()) and torch.equal(q[:, 1:3].dequantize(), q.dequantize()[:, 1:3])
    assert q.t().int_repr().is_contiguous() and q.view(8).data_ptr() == q.data_ptr() and q.clone().data_ptr() != q.data_ptr()


@pytest.mark.parametrize("make", [example, channels])
def test_other_operators_refuse_by_name(make):
    q = make()
    for call, name in (
        (lambda: q + q, "aten::add"), (lambda: q * 2, "aten::mul"), (lambda: q.sum(), "aten::sum"), (lambda: q @ q.t() if q.q_scale() else q, "aten::"),
        (lambda: torch.cat([q, q]), "aten::cat"), (lambda: q.to(torch.float32), "aten::"), (lambda: torch.zeros_like(q), "aten::zeros_like"),
        (lambda: q.dequantize().copy_(q), "aten::copy_"), (lambda: torch.ones(2).to(q.dtype), "aten::"), (lambda: torch.ones(2).copy_(q), "aten::copy_"),
        (lambda: q.view(torch.uint8), "aten::view"), (lambda: torch.ones(2, dtype=torch.uint8).view(torch.quint8), "aten::view"), (lambda: q.relu(), "aten::relu"),
    ):  # fmt: skip
        with pytest.raises((RuntimeError, NotImplementedError, TypeError)) as error:
            call()
        assert name in str(error.value) or "kPerTensorAffine" in str(error.value), str(error.value)


def test_nothing_holds_the_integers_without_the_quantizer(tmp_path):
    q = example()
    for call in (
        lambda: q.tolist(), lambda: pickle.dumps(q), lambda: torch.save(q, io.BytesIO()), lambda: q.__dlpack__(), lambda: torch.tensor([1], dtype=torch.quint8),
        lambda: torch.safetensors.save_file({"x": q}, tmp_path / "x.safetensors"), lambda: torch.frombuffer(bytearray(4), dtype=torch.qint8),
    ):  # fmt: skip
        with pytest.raises((NotImplementedError, RuntimeError), match="quint8|qint8"):
            call()
    with pytest.raises(TypeError, match="unsupported ScalarType QUInt8"):
        q.numpy()

    class Net(torch.nn.Module):
        def forward(self, x):
            return x + q.dequantize()

    traced = torch.jit.trace(Net(), torch.ones(2, 4))
    assert torch.equal(traced(torch.ones(2, 4)), q.dequantize() + 1)


def test_bad_input():
    x = torch.ones(2, 3)
    for call, words in (
        (lambda: torch.quantize_per_tensor(x, 0.1, 300, torch.quint8), "zero_point 300 is above upper bound"),
        (lambda: torch.quantize_per_tensor(x, 0.1, -129, torch.qint8), "zero_point -129 is below lower bound"),
        (lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.float32), "ScalarType Float is not supported"),
        (lambda: torch.quantize_per_tensor(x.double(), 0.1, 0, torch.quint8), "Quantize only works on Float Tensor, got Double"),
        (lambda: torch.quantize_per_tensor(x, torch.ones(2), torch.tensor(0), torch.quint8), "cannot be converted to Scalar"),
        (lambda: torch.quantize_per_channel(x, torch.ones(3), torch.zeros(3).long(), 0, torch.quint8), "length of scales must equal to channel, expected 2 got, 3"),
        (lambda: torch.quantize_per_channel(x, torch.ones(2), torch.zeros(3).long(), 0, torch.quint8), "must match"),
        (lambda: torch.quantize_per_channel(x, torch.ones(2), torch.zeros(2).long(), 2, torch.quint8), "Channel axis out of range"),
        (lambda: torch.quantize_per_tensor_dynamic(x, torch.qint32, False), "dtype QInt32 not supported"),
        (lambda: torch.quantize_per_tensor_dynamic(torch.empty(0), torch.quint8, False), "dim|elements|empty"),
        (lambda: x.q_scale(), "expected a quantized tensor"),
        (lambda: x.int_repr(), "expected a quantized tensor"),
        (lambda: torch.ops.quantized.add(x, x, 0.1, 0), "quantized"),
        (lambda: torch.ops.quantized.add(example(), example("qint8"), 0.1, 0), "same data type"),
        (lambda: torch.ops.quantized.add(channels(), channels(), 0.1, 0), "Only per tensor"),
        (lambda: torch.promote_types(torch.quint8, torch.float32), "promote_types"),
    ):
        with pytest.raises((RuntimeError, NotImplementedError, IndexError), match=words):
            call()
    with pytest.raises(AttributeError, match=r"quantized"):
        torch.ops.quantized.conv2d_of_nobody  # noqa: B018
    with pytest.raises(TypeError, match="cannot create 'torch.qscheme' instances"):
        torch.qscheme()
    assert repr(torch.per_tensor_symmetric) == "torch.per_tensor_symmetric" and isinstance(torch.per_tensor_symmetric, torch.qscheme)
    assert pickle.loads(pickle.dumps(torch.per_channel_affine)) is torch.per_channel_affine


def test_captures_record_it():
    def f(x):
        q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
        return torch.ops.quantized.add(q, q, 0.2, 5).dequantize()

    x = torch.tensor([[-1.0, 0.37], [0.5, 1.26]])
    wanted = f(x)
    def plain(x):
        return torch.quantize_per_tensor(x, 0.1, 10, torch.quint8).dequantize()

    assert torch.equal(torch.jit.script(plain)(x), plain(x)) and "quantize_per_tensor" in str(torch.jit.script(plain).graph)
    for program in (torch.jit.trace(f, x), torch.fx.symbolic_trace(f), torch.compile(f)):
        assert torch.equal(program(x), wanted)
        assert torch.equal(program(torch.ones(3)), f(torch.ones(3)))
    graph = str(torch.jit.trace(f, x).graph)
    assert "aten::quantize_per_tensor" in graph and "aten::dequantize" in graph and "quantized::add" in graph


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_and_numbers_equal_pytorch(oracle, dtype):
    spread = np.random.default_rng(3).normal(size=1000).astype(np.float32) * 8
    for scale in (0.1, 0.037, 1.0, 7e-3, -0.1, 3.4e38, 1e-40):
        for zero_point in (0, 3, -3, 100, 127) if dtype != "quint8" else (0, 3, 128, 255):
            for x in (np.array(NUMBERS, dtype=np.float32), spread):
                both(
                    oracle,
                    f"q = torch.quantize_per_tensor(torch.tensor(x), {scale}, {zero_point}, torch.{dtype})\n"
                    "result = [q.int_repr().tolist(), q.dequantize().tolist()]",
                    x=x,
                )


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", DTYPES)
def test_channels_equal_pytorch(oracle, dtype):
    x = np.concatenate([np.array(NUMBERS[:15], dtype=np.float32), np.random.default_rng(4).normal(size=45).astype(np.float32) * 3]).reshape(3, 4, 5)
    for axis in range(3):
        n = x.shape[axis]
        both(
            oracle,
            f"q = torch.quantize_per_channel(torch.tensor(x), torch.arange(1, {n + 1}) * 0.07, torch.arange({n}) * 3, {axis}, torch.{dtype})\n"
            "result = [q.int_repr().tolist(), q.dequantize().tolist(), repr(q), q.q_per_channel_scales().tolist(), q.q_per_channel_axis()]",
            x=x,
        )


@pytest.mark.oracle
def test_dynamic_equals_pytorch(oracle):
    draws = np.random.default_rng(5)
    for k in range(30):
        x = (draws.normal(size=50) * 10.0 ** draws.integers(-8, 8) + draws.normal() * 2).astype(np.float32)
        x = abs(x) if k % 3 == 0 else -abs(x) if k % 3 == 1 else x
        for dtype in ("quint8", "qint8"):
            for reduced in (False, True):
                both(
                    oracle,
                    f"q = torch.quantize_per_tensor_dynamic(torch.tensor(x), torch.{dtype}, {reduced})\nresult = [q.q_scale(), q.q_zero_point(), q.int_repr().tolist()]",
                    x=x,
                )
    both(oracle, "result = repr(torch.quantize_per_tensor_dynamic(torch.zeros(3), torch.qint8, True))")


def test_equal():
    q = example()
    assert torch.equal(q, q.clone()) and q.equal(q.t().contiguous().t()) and not torch.equal(q, example("qint8")) and not torch.equal(q, q.dequantize())
    assert not torch.equal(q, torch.quantize_per_tensor(q.dequantize(), 0.2, 10, torch.quint8)) and not q.equal(q[0]) and channels().equal(channels())


@pytest.mark.oracle
@pytest.mark.parametrize("op", ["add", "add_relu", "mul", "mul_relu"])
def test_sums_and_products_equal_pytorch(oracle, op):
    draws = np.random.default_rng(6)
    for dtype in DTYPES if "add" in op else DTYPES[:2]:
        for n in (1, 17, 63, 64, 200, 1000):
            x, y = (draws.normal(size=n).astype(np.float32) * 2 for _ in range(2))
            for scales in ((0.1, 0.1, 0.2), (0.05, 0.03, 0.07), (0.02, 0.013, 0.004)):
                both(
                    oracle,
                    f"a, b = torch.quantize_per_tensor(torch.tensor(x), {scales[0]}, 7, torch.{dtype}), torch.quantize_per_tensor(torch.tensor(y), {scales[1]}, 11, torch.{dtype})\n"
                    f"q = torch.ops.quantized.{op}(a, b, {scales[2]}, 5)\nresult = [q.q_scale(), q.q_zero_point(), q.int_repr().tolist()]",
                    x=x,
                    y=y,
                )


@pytest.mark.oracle
def test_fake_quantization_equals_pytorch(oracle):
    """Numbers and gradients, at the edges of the integers too."""
    spread = np.concatenate([np.array(NUMBERS, dtype=np.float32), np.random.default_rng(7).normal(size=47).astype(np.float32) * 20]).reshape(8, 8)
    for dtype in ("float32", "float64", "float16"):
        for scale, zero_point, least, most in ((0.1, 10, 0, 255), (0.037, -5, -128, 127), (1.5, 0, -8, 7)):
            both(
                oracle,
                f"x = torch.tensor(x).to(torch.{dtype}).requires_grad_()\ny = torch.fake_quantize_per_tensor_affine(x, {scale}, {zero_point}, {least}, {most})\n"
                "y.backward(torch.ones_like(y))\nresult = [y.tolist(), x.grad.tolist(), str(y.dtype)]",
                x=spread,
            )
    for axis in range(2):
        both(
            oracle,
            "x = torch.tensor(x).requires_grad_()\n"
            f"y = torch.fake_quantize_per_channel_affine(x, torch.arange(1, 9) * 0.07, torch.arange(8, dtype=torch.int32) * 3, {axis}, 0, 255)\n"
            "y.backward(torch.ones_like(y))\nresult = [y.tolist(), x.grad.tolist()]",
            x=spread,
        )
    both(oracle, "result = torch.fake_quantize_per_tensor_affine(torch.tensor(x), torch.tensor(0.3), torch.tensor(4, dtype=torch.int32), 0, 15).tolist()", x=spread)


@pytest.mark.oracle
def test_texts_equal_pytorch(oracle):
    for text in (
        "repr(torch.quantize_per_tensor(torch.arange(8).reshape(2, 4) * 0.3, 0.1, 10, torch.quint8))", "repr(torch.quantize_per_tensor(torch.tensor(1.5), 0.1, 0, torch.qint8))",
        "repr(torch.quantize_per_tensor(torch.empty(0), 0.1, 0, torch.quint8))", "repr(torch.quantize_per_tensor(torch.arange(3000.0), 0.1, 0, torch.qint32))",
        "torch.quantize_per_tensor(torch.ones(1), 0.1, 0, torch.quint8).type()", "repr(torch.quint8)", "torch.qint32.itemsize", "torch.quint8.is_floating_point",
        "repr(torch.per_channel_affine_float_qparams)", "repr(torch.quantize_per_tensor([torch.ones(2), torch.zeros(1)], torch.tensor([0.1, 0.2]), torch.tensor([3, 4]), torch.quint8))",
        "repr(torch.dequantize([torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)]))", "repr(torch.ones(2).half().dequantize())",
        "torch.quantize_per_tensor(torch.ones(2, 3, 4, 4).contiguous(memory_format=torch.channels_last), 0.1, 0, torch.quint8).stride()",
        "torch.quantize_per_tensor(torch.ones(4, 3).t(), 0.1, 0, torch.quint8).stride()", "repr(torch._make_per_tensor_quantized_tensor(torch.tensor([1, 2], dtype=torch.int8), 0.5, 1))",
    ):  # fmt: skip
        assert eval(text) == oracle.eval(text), text
