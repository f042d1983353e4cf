"""What moves elements: copies between layouts, reading and writing by index, scans, sorts. Beside loops in Python or NumPy, in each instruction set
that the machine has, on one thread and on two."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import monograph as torch
import numpy as np
import pytest

DTYPES = ["uint8", "int16", "int32", "float32", "int64", "complex128"]  # one an element size, and its neighbours
ISAS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]  # the program takes what the machine has of it


def numbers(shape, dtype: str) -> np.ndarray:
    return np.random.randint(0 if dtype == "uint8" else -50, 50, shape).astype(dtype)


def made(array: np.ndarray):
    array = np.asarray(array)
    return torch.from_numpy(array.copy()) if array.ndim else torch.tensor(array.item(), dtype=getattr(torch, str(array.dtype)))


def laid_out(array: np.ndarray):
    """The same elements, permuted in memory, or with gaps, or as they are."""
    kind = random.randrange(3) if array.ndim else 0
    if kind == 1:
        order = random.sample(range(array.ndim), array.ndim)
        return made(np.ascontiguousarray(array.transpose(order))).permute([int(d) for d in np.argsort(order)])
    return made(np.repeat(array, 2, axis=-1))[..., ::2] if kind == 2 else made(array)


def check_copies() -> None:
    shape = [random.choice([1, 2, 3, 5, 8, 16, 17, 33, 66]) for _ in range(random.randint(0, 3))]
    array = np.arange(int(np.prod(shape))).reshape(shape).astype(random.choice(DTYPES))
    x = laid_out(array)
    order = random.sample(range(array.ndim), array.ndim)
    wanted, view = array.transpose(order), x.permute(order)
    assert np.array_equal(view.contiguous().numpy(), wanted)
    dims = [d for d in range(array.ndim) if random.random() < 0.5]
    assert np.array_equal(torch.flip(view, [d - random.choice([0, array.ndim]) for d in dims]).numpy(), np.flip(wanted, dims))
    into = torch.zeros(*shape, 2, dtype=x.dtype)  # between elements that stay
    into[..., 1].copy_(x)
    assert np.array_equal(into[..., 1].numpy(), array) and not into[..., 0].numpy().any()


def check_one_dim() -> None:
    """gather, its gradient, index_select, index_add, embedding and its gradient."""
    dtype, index_dtype = random.choice(DTYPES), random.choice(["int32", "int64"])
    shape = [random.choice([1, 2, 5, 8, 17]) for _ in range(random.randint(1, 3))]
    array, d = numbers(shape, dtype), random.randrange(len(shape))
    x, dim = laid_out(array), d - random.choice([0, len(shape)])
    sizes = [random.randint(1, n) for n in shape]
    sizes[d] = random.choice([1, 7, 1500 if len(shape) == 1 else 9])
    index, grad = np.random.randint(0, shape[d], sizes).astype(index_dtype), numbers(sizes, dtype)
    part = array[tuple(slice(None) if k == d else slice(n) for k, n in enumerate(sizes))]
    assert np.array_equal(torch.gather(x, dim, laid_out(index)).numpy(), np.take_along_axis(part, index.astype(np.int64), d))
    wanted = np.zeros(shape, dtype)
    for place in np.ndindex(*sizes):
        wanted[(*place[:d], index[place], *place[d + 1 :])] += grad[place]
    assert np.array_equal(torch.ops.aten.gather_backward(laid_out(grad), shape, dim, laid_out(index)).numpy(), wanted)

    vector = np.random.randint(0, shape[d], random.choice([0, 1, 30])).astype(index_dtype)
    assert np.array_equal(torch.index_select(x, dim, laid_out(vector)).numpy(), np.take(array, vector, axis=d))
    source, wanted = numbers([*shape[:d], len(vector), *shape[d + 1 :]], dtype), array.copy()
    for k, at in enumerate(vector):
        wanted[(slice(None),) * d + (at,)] += source[(slice(None),) * d + (k,)]
    assert np.array_equal(torch.index_add(x, dim, laid_out(vector), laid_out(source)).numpy(), wanted)

    table = array.reshape(shape[0], -1)
    rows = np.asarray(np.random.randint(0, shape[0], [random.randint(1, 5) for _ in range(random.randrange(3))]), dtype=index_dtype)
    assert np.array_equal(torch.nn.functional.embedding(laid_out(rows), laid_out(table)).numpy(), table[rows])
    grad, wanted, padding = numbers([*rows.shape, table.shape[1]], dtype), np.zeros(table.shape, dtype), random.choice([-1, 0])
    for place in np.ndindex(*rows.shape):
        wanted[rows[place]] += grad[place]
    if padding == 0:
        wanted[0] = 0
    backward = torch.ops.aten.embedding_dense_backward(laid_out(grad), laid_out(rows), shape[0], padding, False)
    assert np.array_equal(backward.numpy(), wanted)


def check_several_dims() -> None:
    """x[i, :, j], assigned and added to; masks."""
    dtype = random.choice(DTYPES)
    shape = [random.choice([1, 2, 5, 8, 17]) for _ in range(random.randint(1, 4))]
    array = numbers(shape, dtype)
    front = [random.choice([1, 2, 4]) for _ in range(random.randrange(3))]
    parts = []
    for n in shape:
        sizes = [m if random.random() < 0.7 else 1 for m in front][random.randint(0, len(front)) :]
        parts.append(np.asarray(np.random.randint(-n, n, sizes), dtype=np.int64) if random.random() < 0.6 else None)
    mask = np.random.rand(*shape) < random.choice([0, 0.3, 1])
    assert np.array_equal(torch.nonzero(laid_out(mask)).numpy(), np.argwhere(mask))
    assert np.array_equal(laid_out(array)[laid_out(mask)].numpy(), array[mask])
    if all(part is None for part in parts):
        return
    key, indices = tuple(slice(None) if p is None else p for p in parts), [None if p is None else laid_out(p) for p in parts]
    chosen = array[key]
    assert np.array_equal(torch.ops.aten.index(laid_out(array), indices).numpy(), chosen)
    values = numbers([n if random.random() < 0.8 else 1 for n in chosen.shape][random.choice([0, min(1, chosen.ndim)]) :], dtype)
    places = np.arange(array.size).reshape(shape)[key].ravel()
    for accumulate in (False, True):
        wanted = array.copy().ravel()
        for place, value in zip(places, np.broadcast_to(values, chosen.shape).ravel(), strict=True):
            wanted[place] = wanted[place] + value if accumulate else value
        x = laid_out(array)
        x.index_put_(indices, laid_out(values), accumulate)
        assert np.array_equal(x.numpy().ravel(), wanted)


def check_scans() -> None:
    dtype = random.choice(["uint8", "int32", "int64", "float32", "float64"])
    array = numbers([random.choice([1, 3, 4, 9, 300]) for _ in range(random.randint(1, 3))], dtype)
    wide = array.astype("float64" if dtype.startswith("float") else "int64")
    kept = dtype if dtype.startswith("float") else "int64"
    for dim in range(array.ndim):
        for name in ("cumsum", "cumprod"):
            with np.errstate(all="ignore"):
                wanted = getattr(np, name)(wide, axis=dim).astype(kept)
            assert np.array_equal(getattr(torch, name)(laid_out(array), dim).numpy(), wanted, equal_nan=kept != "int64")


def check_sorts() -> None:
    dtype = random.choice(["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"])
    array = np.random.randint(0, random.choice([2, 100]), [random.choice([1, 3]), random.choice([1, 16, 17, 65, 300, 2000])]).astype(dtype)
    if dtype.startswith("float"):
        array[np.random.rand(*array.shape) < 0.1] = np.nan
        array[np.random.rand(*array.shape) < 0.1] = -0.0
    order = np.argsort(array, axis=1, kind="stable")
    values, indices = torch.sort(laid_out(array), dim=1, stable=True)
    assert np.array_equal(indices.numpy(), order)
    assert values.contiguous().numpy().tobytes() == np.take_along_axis(array, order, 1).tobytes()
    falling = array.shape[1] - 1 - np.argsort(array[:, ::-1], axis=1, kind="stable")[:, ::-1]
    assert np.array_equal(torch.sort(laid_out(array.T), dim=0, descending=True, stable=True).indices.numpy().T, falling)
    k = random.randint(1, array.shape[1])
    for largest in (False, True):
        values, indices = torch.topk(laid_out(array), k, 1, largest)
        best = np.take_along_axis(array, falling if largest else order, 1)[:, :k]
        assert np.array_equal(values.numpy(), best, equal_nan=dtype.startswith("float"))
        assert np.take_along_axis(array, indices.numpy(), 1).tobytes() == values.numpy().tobytes()
        assert all(len(set(row)) == k for row in indices.tolist())


def check_columns() -> None:
    """A topk of a few down columns that lie side by side: several columns are walked at a time."""
    dtype = random.choice(["uint8", "int32", "int64", "float16", "float32", "float64"])
    array = np.random.randint(0, random.choice([2, 100, 100000]), [random.choice([64, 700, 1500]), random.choice([1, 5, 16, 37])]).astype(
        dtype
    )
    if dtype.startswith("float"):
        array[np.random.rand(*array.shape) < 0.1] = np.nan
        array[np.random.rand(*array.shape) < 0.1] = -0.0
    x = torch.from_numpy(np.stack([array, array[::-1]]))
    k, largest = random.randint(1, array.shape[0] // 64), random.choice([True, False])
    down, along = x.topk(k, 1, largest), x.transpose(1, 2).contiguous().topk(k, 2, largest)
    assert down.indices.equal(along.indices.transpose(1, 2))
    assert down.values.contiguous().numpy().tobytes() == along.values.transpose(1, 2).contiguous().numpy().tobytes()


def check_joined_rows() -> None:
    """Tensors as the columns of one."""
    dtype = random.choice(["uint8", "float16", "float32", "complex128"])
    rows, widths = random.choice([1, 64, 5000, 40000]), [random.choice([1, 2, 3, 5, 16]) for _ in range(random.choice([2, 4, 17]))]
    arrays = [np.random.randint(0, 99, (rows, w)).astype(dtype) for w in widths]
    joined = torch.cat([laid_out(a) if random.random() < 0.2 else torch.from_numpy(a) for a in arrays], 1)
    assert np.array_equal(joined.numpy(), np.concatenate(arrays, 1))


CHECKS = [check_columns, check_joined_rows, check_copies, check_one_dim, check_several_dims, check_scans, check_sorts]


def run_all(rounds: int, seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    for _ in range(rounds):
        for check in CHECKS:
            check()


@pytest.mark.parametrize("isa", ISAS)
def test_against_numpy(isa):
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_indexing as t; t.run_all(150, {ISAS.index(isa)})"
    )
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "MONOGRAPH_MAX_ISA": isa}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_large_ones_are_the_same_on_any_number_of_threads():
    """So large that they are split."""
    torch.manual_seed(0)
    x, wide = torch.randn(512, 400), torch.randn(3, 130, 300)
    index, few = torch.randint(0, 400, (512, 400)), torch.randint(0, 20, (512,))
    down, long = torch.randint(0, 512, (512, 400)), torch.randint(0, 204800, (300000,))

    def put(accumulate):
        y = x.clone()
        return y.index_put_((few,), x, accumulate)

    calls = [
        lambda: x.t().contiguous(), lambda: wide.permute(2, 0, 1).contiguous(), lambda: x.flip([0, 1]), lambda: torch.cat([x, x], 1),
        lambda: torch.gather(x, 1, index), lambda: torch.gather(x, 0, down), lambda: torch.gather(x.reshape(-1), 0, long),
        lambda: torch.ops.aten.gather_backward(x, [512, 400], 1, index), lambda: torch.ops.aten.gather_backward(x, [512, 400], 0, down),
        lambda: torch.index_select(x, 1, few), lambda: torch.index_add(x, 0, few, x), lambda: x[few], lambda: x[:, few], lambda: x[x > 0],
        lambda: put(True), lambda: put(False), lambda: x.cumsum(0), lambda: x.cumsum(1), lambda: x.cumprod(1), lambda: x.sort(0).indices,
        lambda: x.sort(1).values, lambda: x.topk(300, 1).indices, lambda: x.topk(3, 0).indices,
    ]  # fmt: skip
    before = torch.get_num_threads()
    try:
        results = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            results.append([call() for call in calls])
    finally:
        torch.set_num_threads(before)
    for k, (one, two) in enumerate(zip(*results, strict=True)):
        assert torch.equal(one, two), k


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_long_rows_are_sorted_by_the_digits_that_vary(dtype):
    rng = np.random.default_rng(7)
    before = torch.get_num_threads()
    try:
        for bits in (1, 9, 10, 11, 20, 31, 40, 62):
            array = rng.integers(-(1 << bits), 1 << bits, 70_001).astype(dtype)
            array = np.left_shift(array, 9) if dtype == "int64" and bits == 20 else array  # the lowest digit is the same
            order = np.argsort(array, kind="stable")
            for threads in (1, 2):
                torch.set_num_threads(threads)
                values, indices = torch.sort(torch.tensor(array), stable=True)
                assert np.array_equal(indices.numpy(), order), (bits, threads)
                assert np.array_equal(values.numpy(), array[order]), (bits, threads)
    finally:
        torch.set_num_threads(before)


def test_additions_follow_the_order_of_the_elements():
    """In float32 the order shows."""
    small, large = torch.ones(1).mul(1e-8), torch.ones(1)
    for order in ([large, small, small.neg(), large.neg()], [large, large.neg(), small, small]):
        values = torch.cat(order * 8)
        wanted = np.float32(0)
        for v in values.tolist():
            wanted = np.float32(wanted + np.float32(v))
        where = torch.zeros(32, dtype=torch.int64)
        x = torch.zeros(1)
        assert torch.index_add(x, 0, where, values).item() == wanted
        assert x.clone().index_put_((where,), values, True).item() == wanted
        assert torch.ops.aten.gather_backward(values, [1], 0, where).item() == wanted


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32])
@pytest.mark.parametrize(("rows", "columns", "height"), [(1024, 700, 1024), (601, 1030, 400), (1024, 2052, 512)])
def test_additions_down_the_columns_of_a_large_table(dtype, rows, columns, height):
    """Larger than a thread's cache: columns are added up in memory of their own."""
    rng = np.random.default_rng(rows)
    table = rng.integers(-50, 50, (rows, columns)).astype(dtype)
    values = (
        rng.standard_normal((height, columns)).astype(dtype) if dtype != np.int32 else rng.integers(-9, 9, (height, columns)).astype(dtype)
    )
    index = rng.integers(0, rows, (height, columns))
    wanted = table.copy()
    np.add.at(wanted, (index, np.arange(columns)), values)
    sums = np.zeros_like(table)
    np.add.at(sums, (index, np.arange(columns)), values)
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            for narrow in (torch.int64, torch.int32) if dtype == np.float32 else (torch.int64,):
                x = torch.tensor(table).scatter_add(0, torch.tensor(index).to(narrow), torch.tensor(values))
                assert np.array_equal(x.numpy(), wanted), (threads, narrow)
                for more in (0, 5):  # columns of zeros that the index does not reach
                    x = torch.ops.aten.gather_backward(torch.tensor(values), [rows, columns + more], 0, torch.tensor(index).to(narrow))
                    assert np.array_equal(x.numpy(), np.pad(sums, [(0, 0), (0, more)])), (threads, narrow, more)
            wrong = torch.tensor(index)
            wrong[height - 1, columns - 1] = rows
            with pytest.raises((IndexError, RuntimeError), match=f"index {rows} is out of bounds for dimension 0 with size {rows}"):
                torch.tensor(table).scatter_add(0, wrong, torch.tensor(values))
    finally:
        torch.set_num_threads(before)


def test_an_index_out_of_range_is_named_and_nothing_is_written():
    x = torch.zeros(3, 4)
    for call, words in [
        (lambda: torch.gather(x, 1, torch.tensor([[0, 4]])), r"index 4 is out of bounds for dimension 1 with size 4"),
        (lambda: torch.gather(x, 0, torch.tensor([[-1]])), r"index -1 is out of bounds for dimension 0 with size 3"),
        (
            lambda: torch.index_select(x, -1, torch.tensor([1, 9], dtype=torch.int32)),
            r"index 9 is out of bounds for dimension 1 with size 4",
        ),
        (lambda: x[torch.tensor([0]), torch.tensor([-5])], r"index -5 is out of bounds for dimension 1 with size 4"),
        (lambda: torch.nn.functional.embedding(torch.tensor([0, 3]), x), r"index 3 and a table of 3 rows"),
        (lambda: torch.nn.functional.one_hot(torch.tensor([1, -2])), r"must be non-negative, but got -2"),
        (lambda: torch.nn.functional.one_hot(torch.tensor([1, 2]), 2), r"smaller than num_classes 2, but got 2"),
    ]:
        with pytest.raises((IndexError, RuntimeError), match=words):
            call()
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        x[torch.tensor([0, 1, 3])] = 1
    assert not x.any()


def test_a_vector_without_elements_chooses_nothing():
    x = torch.ones(2, 3)
    nothing = torch.tensor([], dtype=torch.int64)
    x[nothing] = 5
    x.index_put_((nothing, nothing), torch.tensor([]), True)
    assert x.eq(1).all() and x[nothing].shape == (0, 3) and x[:, nothing].shape == (2, 0)


@pytest.mark.parametrize("key", [slice(0, 2), torch.tensor([0, 1]), torch.tensor([True, True, False]), [0, 1]])
def test_a_list_takes_the_dtype_of_what_it_is_assigned_to(key):
    for dtype, values in ((torch.int32, [7, -8]), (torch.float16, [1.5, 2]), (torch.bool, [True, False]), (torch.uint8, [255, 0])):
        x = torch.zeros(3, dtype=dtype)
        x[key] = values
        assert x.tolist() == [*values, 0]
    x = torch.zeros(3, dtype=torch.int32)
    for values, error in (([1.5, 2.0], TypeError), ([2**40, 1], RuntimeError), ([1j, 0], TypeError)):
        with pytest.raises(error):
            x[key] = values
    assert not x.any()


def test_a_wrong_number_of_threads_is_an_error_of_every_kernel():
    program = "import monograph as torch; torch.ones(3).flip(0)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "MONOGRAPH_NUM_THREADS": "many"}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "ValueError: expected MONOGRAPH_NUM_THREADS to be a number from 1 to 1024 but got 'many'" in done.stderr
