"""linear, mm and bmm: the same bits for every layout, with a packed weight and without, on one thread and on several."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64]
SIZES = [(1, 64, 64), (3, 70, 33), (16, 300, 48), (65, 129, 200)]


def bits(t):
    return (t.to(torch.float32) if t.dtype == torch.bfloat16 else t.clone()).numpy().tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("m, k, n", SIZES)
def test_linear_is_the_product_and_then_the_sum(dtype, m, k, n):
    torch.manual_seed(m)
    x, w, b = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype), torch.randn(n).to(dtype)
    expected = bits(torch.mm(x, w.t()) + b)
    linear = torch.nn.functional.linear
    for _ in range(3):  # as it lies, then packed
        assert bits(linear(x, w, b)) == expected
    every_second = torch.stack([b, b], 1).reshape(-1)[::2]
    assert not every_second.is_contiguous() and bits(linear(x, w, every_second)) == expected
    assert bits(linear(x, w, b[:1])) == bits(torch.mm(x, w.t()) + b[:1])


@pytest.mark.parametrize("m, k, n", SIZES)
def test_layouts_and_threads_change_no_bit(m, k, n):
    torch.manual_seed(n)
    a, b = torch.randn(2, m, k), torch.randn(2, k, n)
    expected = [bits(torch.mm(x, y)) for x, y in zip(a, b)]
    transposed = [t.transpose(1, 2).contiguous().transpose(1, 2) for t in (a, b)]
    threads = torch.get_num_threads()
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            for left in (a, transposed[0]):
                for right in (b, transposed[1]):
                    assert [bits(t) for t in torch.bmm(left, right)] == expected
    finally:
        torch.set_num_threads(threads)


def test_a_packed_weight_follows_writes():
    x, w = torch.randn(4, 32), torch.randn(48, 32)
    linear = torch.nn.functional.linear
    for _ in range(3):
        linear(x, w)
    with torch.no_grad():
        w.mul_(2)
    assert bits(linear(x, w)) == bits(torch.mm(x, w.t()))
    w[0] = 0
    for _ in range(3):
        assert bits(linear(x, w)) == bits(torch.mm(x, w.t()))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_products_of_integers_wrap(dtype):
    random = np.random.default_rng(3)
    limits = np.iinfo(dtype)
    for m, k, n in ((1, 1, 1), (3, 5, 2), (7, 33, 8), (5, 9, 70), (2, 4, 129), (4, 0, 3), (6, 17, 100)):
        a = random.integers(limits.min, limits.max, (m, k), dtype=dtype, endpoint=True)
        b = random.integers(limits.min, limits.max, (k, n), dtype=dtype, endpoint=True)
        low = (a.astype("int64") @ b.astype("int64")).astype(dtype)
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        for left in (x, x.t().contiguous().t()):
            for right in (y, y.t().contiguous().t(), torch.from_numpy(np.repeat(b, 2, axis=1))[:, ::2]):
                assert np.array_equal(torch.mm(left, right).numpy(), low), (m, k, n)
