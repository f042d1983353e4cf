"""Dtypes that are for storage only: unsigned ints of 16 to 64 bits, complex32 and 8-bit floats. Tensors of them are made, moved, converted, printed and
stored as in PyTorch; every other operator refuses them by name."""

from __future__ import annotations

import io
import math

import monograph as torch
import numpy as np
import pytest

UNSIGNED = ["uint16", "uint32", "uint64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
STORAGE_ONLY = [*UNSIGNED, "complex32", *FLOAT8]
COMPUTED = ["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool"]


@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_factories_views_and_moves(name):
    dtype = getattr(torch, name)
    x = torch.ones(2, 3, dtype=dtype)
    assert x.dtype is dtype and x.shape == (2, 3) and x.element_size() == dtype.itemsize
    assert x.to(torch.complex64).sum().item() == 6
    y = torch.full((3,), 2, dtype=dtype)
    both = torch.cat([x[0], y])
    assert both.dtype is dtype and both.to(torch.complex64).real.tolist() == [1, 1, 1, 2, 2, 2]
    assert both.flip(0)[torch.tensor([0, 5])].to(torch.complex64).real.tolist() == [2, 1]
    assert both.view(2, 3).t().contiguous().to(torch.complex64).real.tolist() == [[1, 2]] * 3
    assert torch.stack([y, y]).index_select(1, torch.tensor([2])).shape == (2, 1)
    z = torch.zeros_like(y)
    z.copy_(torch.tensor([3, 4, 5]))
    z[1] = 6
    assert z.to(torch.complex64).real.tolist() == [3, 6, 5]
    assert torch.empty(2, dtype=dtype).dtype is dtype and y.clone().dtype is dtype and y.new_zeros(2).dtype is dtype


@pytest.mark.parametrize("name", FLOAT8)
def test_every_element_of_an_8_bit_float_comes_back(name):
    dtype = getattr(torch, name)
    x = torch.arange(256).to(torch.uint8).view(dtype)
    wide = x.to(torch.float32)
    again = wide.to(dtype).view(torch.uint8).tolist()
    for bits, (value, back) in enumerate(zip(wide.tolist(), again)):
        assert back == bits or math.isnan(value)


@pytest.mark.oracle
@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_conversions_equal_pytorch(name, oracle):
    """Both ways, between each such dtype and every other, over numbers at the edges of rounding."""
    values = [0.0, -0.0, 1.0, 1.5, 2.25, 2.75, 17.0, 18.0, 19.0, 100.0, 239.0, 240.0, 247.0, 248.0, 249.0, 447.0, 448.0, 463.9, 464.0, 464.1, 479.0, 480.0, 500.0,
              57343.0, 57344.0, 61439.0, 61440.0, 61441.0, 65504.0, 2.0**-6, 2.0**-9, 2.0**-10, 1.1 * 2.0**-10, 2.0**-14, 2.0**-16, 2.0**-17, 1.1 * 2.0**-17]  # fmt: skip
    if name in FLOAT8 or name == "complex32":
        values += [-v for v in values] + [math.inf, -math.inf]
    source = np.array(values)
    for other in COMPUTED:
        program = (
            f"x = torch.tensor(v, dtype=torch.float64).to(torch.{other})\n"
            f"y = x.to(torch.{name})\nbits = y.view(torch.{'int64' if name == 'uint64' else 'int32' if name in ('uint32', 'complex32') else 'int16' if name == 'uint16' else 'uint8'})\n"
            f"back = y.to(torch.{other})\nback = torch.view_as_real(back) if back.is_complex() else back\n"
            "result = [bits.tolist(), back.to(torch.float64).tolist()]"
        )
        if other in ("uint8", "int8", "int16", "int32", "int64", "bool"):
            scope_values = np.array([v for v in values if 0 <= v < 128])
        else:
            scope_values = source
        theirs = oracle.run(program, v=scope_values)
        scope = {"torch": torch, "v": scope_values}
        exec(program, scope)
        assert repr(scope["result"]) == repr(theirs), (name, other)


@pytest.mark.oracle
def test_between_storage_only_dtypes_equals_pytorch(oracle):
    for a in STORAGE_ONLY:
        for b in STORAGE_ONLY:
            program = f"result = torch.tensor([0.0, 1.0, 2.0, 3.0, 100.0]).to(torch.{a}).to(torch.{b}).to(torch.complex64).real.tolist()"
            scope = {"torch": torch}
            exec(program, scope)
            assert scope["result"] == oracle.run(program), (a, b)


@pytest.mark.oracle
@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_texts_equal_pytorch(name, oracle):
    for text in (
        f"repr(torch.tensor([1, 2, 3]).to(torch.{name}))", f"repr(torch.zeros(2, 2, dtype=torch.{name}))", f"torch.ones(1, dtype=torch.{name}).type()",
        f"repr(torch.{name})", f"torch.{name}.itemsize", f"torch.{name}.is_signed", f"torch.{name}.is_floating_point", f"torch.{name}.is_complex",
        f"repr(torch.{'finfo' if name not in UNSIGNED else 'iinfo'}(torch.{name}))", f"torch.tensor(3).to(torch.{name}).item()",
    ):  # fmt: skip
        assert eval(text) == oracle.eval(text), text


@pytest.mark.parametrize("name", UNSIGNED)
def test_numpy_arrays_both_ways(name):
    largest = np.iinfo(name).max
    array = np.array([0, 1, largest], dtype=name)
    x = torch.from_numpy(array)
    assert x.dtype is getattr(torch, name) and x.tolist() == [0, 1, largest] and x[2].item() == largest
    assert x.numpy().dtype == array.dtype and np.array_equal(x.numpy(), array)
    assert torch.tensor(array).tolist() == [0, 1, largest] and torch.tensor([largest], dtype=x.dtype).item() == largest
    with pytest.raises(RuntimeError, match="without overflow|does not fit|Overflow"):
        torch.tensor([largest + 1], dtype=x.dtype)


@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_files_keep_them(name, tmp_path):
    dtype = getattr(torch, name)
    x = torch.tensor([0, 1, 2, 3]).to(dtype)
    stream = io.BytesIO()
    torch.save({"x": x}, stream)
    stream.seek(0)
    y = torch.load(stream)["x"]
    assert y.dtype is dtype and y.view(torch.uint8).tolist() == x.view(torch.uint8).tolist()
    from monograph import safetensors

    safetensors.save_file({"x": x}, tmp_path / "x.safetensors")
    z = safetensors.load_file(tmp_path / "x.safetensors")["x"]
    assert z.dtype is dtype and z.view(torch.uint8).tolist() == x.view(torch.uint8).tolist()


@pytest.mark.oracle
@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_files_go_to_pytorch_and_back(name, oracle, tmp_path):
    path = tmp_path / "x.pt"
    torch.save([torch.tensor([0, 1, 2, 3]).to(getattr(torch, name))], path)
    back = tmp_path / "y.pt"
    program = "x = torch.load(path)[0]\ntorch.save({'y': x}, back)\nresult = [str(x.dtype), x.to(torch.complex64).real.tolist()]"
    assert oracle.run(program, path=str(path), back=str(back)) == [f"torch.{name}", [0, 1, 2, 3]]
    y = torch.load(back)["y"]
    assert str(y.dtype) == f"torch.{name}" and y.to(torch.complex64).real.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", STORAGE_ONLY)
def test_operators_that_compute_refuse_them_by_name(name):
    x = torch.ones(3, dtype=getattr(torch, name))
    for call in (lambda: x + x, lambda: x.sum(), lambda: torch.exp(x), lambda: x.sort(), lambda: torch.mm(x.view(1, 3), x.view(3, 1)), lambda: x.cumsum(0),
                 lambda: torch.sum(torch.ones(2), dtype=x.dtype), lambda: torch.arange(3, dtype=x.dtype), lambda: x == x, lambda: torch.rand(2, dtype=x.dtype)):  # fmt: skip
        with pytest.raises((NotImplementedError, RuntimeError), match="x.to\\(torch|not implemented|not supported|convert"):
            call()


def test_promotion_says_what_to_do():
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        torch.promote_types(torch.uint16, torch.int32)
    with pytest.raises(RuntimeError, match="Promotion for Float8 Types is not supported"):
        torch.promote_types(torch.float8_e4m3fn, torch.float32)
    assert torch.promote_types(torch.uint16, torch.float32) is torch.float32
    assert torch.promote_types(torch.complex32, torch.float16) is torch.complex32
    half = torch.ones(2, dtype=torch.float16)
    assert torch.result_type(half, 1j) is torch.result_type(half, torch.tensor(1j)) is torch.complex32  # named only: half * 1j raises
    assert torch.result_type(half.bfloat16(), 1j) is torch.complex64 and torch.result_type(half, torch.ones(2) * 1j) is torch.complex64


def test_a_trace_and_a_file_take_tokens_of_16_bits(tmp_path):
    def f(tokens, table):
        return table[tokens.to(torch.int64)] * 2

    table = torch.arange(12.0).view(4, 3)
    tokens = torch.tensor([0, 3, 1]).to(torch.uint16)
    traced = torch.jit.trace(f, (tokens, table))
    torch.jit.save(traced, tmp_path / "f.pt")
    for g in (traced, torch.jit.load(tmp_path / "f.pt"), torch.jit.script(f), torch.compile(f)):
        assert torch.equal(g(tokens.flip(0), table), f(tokens.flip(0), table))
