"""Operators that have a way of their own outside of graphs, beside the operators that their decompositions are made of: the same bits.

A call that wants a gradient runs the decomposition, and so does one on tensors with gaps; the rest is written out here."""

import math
import random
from collections.abc import Callable
from typing import Any

import monograph as torch
import pytest

F = torch.nn.functional
WIDE = (torch.float32, torch.float64)


def same(a: Any, b: Any) -> None:
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
        return
    a, b = a.detach(), b.detach()
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.is_floating_point:
        assert torch.equal(a.isnan(), b.isnan()) and torch.equal(torch.signbit(a) & ~a.isnan(), torch.signbit(b) & ~b.isnan())
        a, b = a.nan_to_num(7.0), b.nan_to_num(7.0)
    assert torch.equal(a, b)


def drawn(r: random.Random, shape: list[int], dtype: torch.dtype) -> torch.Tensor:
    """Numbers with zeros of both signs among them, and sometimes a NaN or an infinity."""
    x = torch.randn(shape).to(dtype)
    x = torch.where(torch.rand(shape) < 0.1, torch.tensor(r.choice((0.0, -0.0, 1.5)), dtype=dtype), x)
    rare = r.choice((None, None, math.nan, math.inf, -math.inf))
    return x if rare is None else torch.where(torch.rand(shape) < 0.05, torch.tensor(rare, dtype=dtype), x)


def beside_decomposition(call: Callable[..., Any], *arguments: Any, wants: int = 0, **keywords: Any) -> None:
    """`wants`: which argument wants a gradient."""
    others = list(arguments)
    others[wants] = arguments[wants].clone().requires_grad_()
    same(call(*arguments, **keywords), call(*others, **keywords))


def test_pools_of_lines_and_volumes() -> None:
    done = 0
    for seed in range(400):
        r = random.Random(seed)
        dims = r.choice((1, 3))
        shape = [r.randint(1, 3) for _ in range(r.choice((1, 2)))] + [r.choice((r.randint(1, 7), r.randint(8, 40))) for _ in range(dims)]
        kernel = [r.randint(1, 4) for _ in range(dims)]
        stride, padding = [r.randint(1, 3) for _ in range(dims)], [r.randint(0, k // 2) for k in kernel]
        dilation, ceil = [r.randint(1, 2) for _ in range(dims)], r.random() < 0.5
        x = drawn(r, shape, r.choice((*WIDE, torch.bfloat16)))
        if r.random() < 0.3:
            x = x.transpose(0, -1).contiguous().transpose(0, -1)
        pool = F.max_pool1d if dims == 1 else F.max_pool3d
        try:
            beside_decomposition(pool, x, kernel, stride, padding, dilation, ceil)
            beside_decomposition(pool, x, kernel, stride, padding, dilation, ceil, return_indices=True)
            if dims == 3 and x.dtype in WIDE:
                include, divisor = r.random() < 0.5, r.choice((None, 3))
                beside_decomposition(F.avg_pool3d, x, kernel, stride, padding, ceil, include, divisor)
        except (RuntimeError, IndexError):
            continue  # no window fits
        done += 1
    assert done > 150


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, math.inf, 3.0])
def test_distances_are_norms_of_differences(p: float) -> None:
    for seed in range(40):
        r = random.Random(seed)
        n, m, k = r.randint(1, 9), r.randint(1, 9), r.choice((r.randint(1, 9), r.randint(10, 70), r.randint(60, 300)))
        dtype = r.choice(WIDE)
        x, y = drawn(r, [n, k], dtype), drawn(r, [m, k], dtype)
        if r.random() < 0.3:
            x = x.t().contiguous().t()
        distances = torch.linalg.vector_norm(x.unsqueeze(1) - y, p, dim=-1)
        same(torch.cdist(x, y, p), distances)
        if n > 1:
            among = torch.linalg.vector_norm(x.unsqueeze(1) - x, p, dim=-1)
            same(torch.pdist(x, p), among[torch.ones(n, n, dtype=torch.bool).triu(1)])


def test_histograms() -> None:
    for seed in range(60):
        r = random.Random(seed)
        dtype, bins = r.choice(WIDE), r.randint(1, 20)
        x = torch.randn(r.randint(2, 9), r.randint(2, 30)).to(dtype)
        gaps = x.t().contiguous().t()  # the same elements
        low, high = r.choice(((0, 0), (-1, 1), (-0.5, 2)))
        same(torch.histc(x, bins, low, high), torch.histc(gaps, bins, low, high))
        weight, density = r.choice((None, torch.rand(x.shape).to(dtype))), r.random() < 0.5
        edges = torch.randn(bins + 1).to(dtype)
        edges = edges if r.random() < 0.3 else edges.sort()[0]
        same(torch.histogram(x, edges, weight=weight, density=density), torch.histogram(gaps, edges, weight=weight, density=density))
        span = r.choice((None, (-1.0, 1.5)))
        same(
            torch.histogram(x, bins, range=span, weight=weight, density=density),
            torch.histogram(gaps, bins, range=span, weight=weight, density=density),
        )


def test_pieces_of_a_split() -> None:
    for seed in range(60):
        r = random.Random(seed)
        x = torch.randn([r.randint(1, 7) for _ in range(r.randint(1, 3))]).to(r.choice((*WIDE, torch.float16)))
        dim = r.randrange(-x.dim(), x.dim())
        n, each = x.shape[dim], r.randint(1, 8)
        same(torch.unsafe_split(x, each, dim), torch.split(x, each, dim))
        same(torch.split_copy(x, each, dim), torch.split(x, each, dim))
        same(torch.unsafe_chunk(x, each, dim), torch.chunk(x, each, dim))
        cut = r.randint(0, n)
        same(torch.unsafe_split_with_sizes(x, [cut, n - cut], dim), torch.split_with_sizes(x, [cut, n - cut], dim))


def test_unsafe_pieces_share_the_memory() -> None:
    x = torch.arange(12.0).reshape(3, 4)
    for pieces in (torch.unsafe_split(x, 2, 1), torch.unsafe_chunk(x, 2, -1), torch.unsafe_split_with_sizes(x, [2, 2], 1)):
        assert [piece.data_ptr() - x.data_ptr() for piece in pieces] == [0, 8]
        assert all(piece.stride() == (4, 1) and piece._base is None for piece in pieces)
        versions = x._version, pieces[0]._version
        pieces[1].add_(1)  # counts as no write to the others
        assert (x._version, pieces[0]._version) == versions and pieces[1]._version == 1
    assert torch.equal(x[:, 2:], torch.arange(12.0).reshape(3, 4)[:, 2:] + 3)
    w = torch.ones(5, 2, requires_grad=True)
    parts = torch.unsafe_split(w, 2)
    assert [part.data_ptr() - w.data_ptr() for part in parts] == [0, 16, 32] and parts[0].grad_fn.name() == "UnsafeSplitBackward0"
    (parts[0].sum() + 3 * torch.unsafe_chunk(w, 2)[1].sum()).backward()
    assert torch.equal(w.grad, torch.tensor([[1.0, 1], [1, 1], [0, 0], [3, 3], [3, 3]]))
    empty = torch.zeros(2, 0)
    assert [piece.shape for piece in torch.unsafe_split(empty, 0, 1)] == [(2, 0)]
    assert [piece.shape for piece in torch.unsafe_chunk(empty, 3, 1)] == [(2, 0)] * 3


def test_differences_in_one_pass() -> None:
    for seed in range(60):
        r = random.Random(seed)
        dtype = r.choice((*WIDE, torch.float16))
        shape = [r.randint(1, 5), r.choice((r.randint(1, 70), 9000))]
        x, y = (drawn(r, shape, dtype) for _ in range(2))
        if r.random() < 0.3:
            y = y.t().contiguous().t()
        same(F.mse_loss(x, y, reduction="none"), (x - y).square())
        same(F.mse_loss(x, y), (x - y).square().mean())
        same(F.mse_loss(x, y, reduction="sum"), (x - y).square().sum())
        for reduction in ("none", "mean", "sum"):
            a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
            loss = F.mse_loss(a, b, reduction=reduction)
            slope = torch.full_like(loss, 3.0)
            loss.backward(slope)
            scale = (slope / x.numel() if reduction == "mean" else slope) * 2
            same(a.grad, (x - y) * scale)
            same(b.grad, -((x - y) * scale))
        if dtype in WIDE:
            beside_decomposition(F.pairwise_distance, x, y, 2.0, 1e-3, keepdim=r.random() < 0.5)


def test_root_mean_square_norms() -> None:
    for seed in range(60):
        r = random.Random(seed)
        dtype = r.choice((*WIDE, torch.float16, torch.bfloat16))
        shape = [r.randint(1, 5), r.randint(1, 4), r.choice((r.randint(1, 70), 9000))]
        x, last = drawn(r, shape, dtype), shape[r.choice((1, 2)) :]
        weight = r.choice((None, drawn(r, last, dtype)))
        beside_decomposition(F.rms_norm, x, last, weight, r.choice((None, 0.1)))


def test_pieces_of_a_large_tensor_are_copied_by_threads() -> None:
    x = torch.arange(900_000.0).reshape(3, 300_000)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    for dim, sizes in ((1, [1, 199_999, 100_000]), (0, [1, 2])):
        same(torch.split_with_sizes_copy(x, sizes, dim), torch.split_with_sizes(x, sizes, dim))
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.uint8, torch.bool])
def test_short_rows_are_sorted(dtype: torch.dtype) -> None:
    for seed in range(150):
        r = random.Random(seed)
        n, rows = r.randint(1, 20), r.choice((1, 3, 40))
        many = r.random() < 0.5  # equal elements
        numbers = [[r.choice((-1.0, 0.0, 2.0)) if many else r.uniform(-9, 9) for _ in range(n)] for _ in range(rows)]
        if dtype.is_floating_point and r.random() < 0.3:
            numbers[0][r.randrange(n)] = math.nan
        x = torch.tensor(numbers).to(dtype)
        if r.random() < 0.3:
            x = x.t().contiguous().t()
        down = r.random() < 0.5

        def key(v: Any, down: bool = down) -> Any:
            number = (math.inf, 1) if v != v else (v, 0)
            return tuple(-part for part in number) if down else number

        orders = [sorted(range(n), key=lambda i, row=row: key(row[i])) for row in x.tolist()]
        values, places = x.sort(dim=1, descending=down, stable=True)
        assert places.tolist() == orders and torch.equal(values.nan_to_num(7.0), x.gather(1, places).nan_to_num(7.0))
        if n <= 16:
            assert x.sort(1, descending=down)[1].tolist() == orders
        if dtype is torch.bool:
            continue
        k = r.randint(1, n)
        top, at = x.topk(k, 1, largest=down)
        same(top, x.gather(1, at))
        same(top, values[:, :k])
        lowest = x.sort(dim=1, stable=True)
        found, at = x.kthvalue(k, 1)
        same(found, lowest[0][:, k - 1])
        assert torch.equal(at, lowest[1][:, k - 1])


def test_products_and_sums() -> None:
    for seed in range(60):
        r = random.Random(seed)
        dtype, m, n = r.choice(WIDE), r.randint(1, 40), r.randint(1, 40)
        x, y, matrix = drawn(r, [m], dtype), drawn(r, [n], dtype), drawn(r, [m, n], dtype)
        beside_decomposition(torch.outer, x, y)
        beside_decomposition(torch.addr, matrix, x, y, wants=1)
        beside_decomposition(torch.addmv, x, matrix, y)
        beside_decomposition(torch.kron, matrix, matrix[:3, :5].contiguous())
        beside_decomposition(torch.trace, matrix)
        same(torch.trace(matrix), matrix.diagonal().sum())
        same(torch.vdot(x, x), torch.dot(x, x))


def test_group_norm() -> None:
    for seed in range(60):
        r = random.Random(seed)
        groups, each, dtype = r.randint(1, 4), r.randint(1, 3), r.choice(WIDE)
        shape = [r.randint(1, 3), groups * each, *(r.randint(2, 9) for _ in range(r.randint(1, 2)))]
        weight, bias = (r.choice((None, drawn(r, [shape[1]], dtype))) for _ in range(2))
        beside_decomposition(F.group_norm, drawn(r, shape, dtype), groups, weight, bias, 1e-3)


def test_indices() -> None:
    for seed in range(60):
        r = random.Random(seed)
        x = drawn(r, [r.randint(1, 5), r.randint(1, 9)], r.choice(WIDE))
        n = x.numel()
        index = torch.tensor([r.randrange(-n, n) for _ in range(r.randint(0, 9))], dtype=torch.int64)
        beside_decomposition(torch.take, x, index)
        places = torch.tensor(r.sample(range(n), r.randint(0, n)), dtype=torch.int64)
        beside_decomposition(torch.put, x, places, torch.arange(len(places)).to(x.dtype))
        count, dim = r.randint(0, 4), r.choice((None, 0, 1, -1))
        beside_decomposition(torch.repeat_interleave, x, count, dim)
        for bad in (n, -n - 1):
            with pytest.raises(IndexError, match=str(bad)):
                torch.take(x, torch.tensor([bad]))
            with pytest.raises(IndexError, match=str(bad)):
                torch.put(x, torch.tensor([bad]), x.reshape(-1)[:1])


def test_runs_and_counts() -> None:
    for seed in range(60):
        r = random.Random(seed)
        numbers = [r.randint(0, 3) for _ in range(r.randint(1, 20))]
        x = torch.tensor(numbers)
        x = x if r.random() < 0.5 else x.to(r.choice((torch.float32, torch.bfloat16)))
        starts = [i for i in range(len(numbers)) if i == 0 or numbers[i] != numbers[i - 1]]
        values, places, counts = torch.unique_consecutive(x, True, True)
        same(values, x[torch.tensor(starts)])
        same(values[places], x)
        assert counts.tolist() == [b - a for a, b in zip(starts, [*starts[1:], len(numbers)], strict=True)]
        values, places, counts = torch.unique(x, True, True, True)
        assert values.tolist() == sorted(set(numbers)) and counts.tolist() == [numbers.count(v) for v in sorted(set(numbers))]
        same(values[places], x)
        weights = torch.rand(len(numbers))
        whole = torch.tensor(numbers)
        assert torch.bincount(whole, minlength=6).tolist() == [numbers.count(k) for k in range(6)]
        same(torch.bincount(whole, weights, 6), torch.zeros(6).index_add(0, whole, weights))
        assert torch.repeat_interleave(whole).tolist() == [k for k, n in enumerate(numbers) for _ in range(n)]
        rows = torch.randint(0, 4, (r.randint(1, 4), r.randint(1, 12), r.randint(1, 3))).float()
        keep, dim = r.random() < 0.5, r.randrange(-3, 3)
        values, places = torch.mode(rows, dim, keep)
        assert values.shape == places.shape == rows.sum(dim, keep).shape
        for row, value, place in zip(rows.movedim(dim, -1).flatten(0, 1).tolist(), values.flatten().tolist(), places.flatten().tolist(), strict=True):
            assert value == max(sorted(set(row)), key=row.count)
            assert place == max(i for i, one in enumerate(row) if one == value)


def test_rows_of_an_embedding() -> None:
    for seed in range(40):
        r = random.Random(seed)
        dtype, rows = r.choice(WIDE), r.randint(1, 6)
        weight, index = torch.randn(rows, r.randint(1, 90)).to(dtype) * 3, torch.tensor([[r.randrange(rows) for _ in range(5)]])
        most, p = r.uniform(0.1, 9.0), r.choice((1.0, 2.0, 3.0))
        flat = index.reshape(-1)
        same(torch._C._nn.embedding_renorm(weight, index, most, p), weight.index_copy(0, flat, weight[flat].renorm(p, 0, most)))


def test_pixels_and_channels_that_change_places() -> None:
    for seed in range(60):
        r = random.Random(seed)
        factor, lead, dtype = r.randint(1, 4), [r.randint(1, 3) for _ in range(r.randint(0, 2))], r.choice((*WIDE, torch.bfloat16))
        rows, columns, channels = r.randint(1, 5), r.randint(1, 9), r.randint(1, 4)
        for shuffle, shape in (
            (F.pixel_shuffle, [*lead, channels * factor**2, rows, columns]),
            (F.pixel_unshuffle, [*lead, channels, rows * factor, columns * factor]),
            (F.channel_shuffle, [2, channels * factor, *lead, rows]),
        ):
            x = drawn(r, shape, dtype)
            if r.random() < 0.5:
                x = x.transpose(0, -1).contiguous().transpose(0, -1)
            beside_decomposition(shuffle, x, factor)
            assert shuffle(x, factor).is_contiguous()


def test_runs_of_equal_zeros_and_of_nan_in_any_layout() -> None:
    x = torch.tensor([[-0.0, 1.0], [0.0, 1.0], [math.nan, 1.0], [math.nan, 2.0]]).t().contiguous().t()
    values, places, counts = torch.unique_consecutive(x[:, 0], True, True)
    assert counts.tolist() == [2, 1, 1] and places.tolist() == [0, 0, 1, 2] and math.copysign(1, values[0].item()) == -1
    assert torch.unique_consecutive(x[:, 1]).tolist() == [1.0, 2.0]
    values, places, counts = torch.unique_consecutive(x, True, True, dim=0)
    assert places.tolist() == [0, 0, 1, 2] and counts.tolist() == [2, 1, 1]
    empty = torch.unique_consecutive(torch.zeros(0, 3), True, True)
    assert [t.shape for t in empty] == [(0,), (0, 3), (0,)]
    for places_wanted, counts_wanted in ((True, False), (False, True), (False, False)):
        found = torch.ops.aten.unique_consecutive(x[:, 1], places_wanted, counts_wanted)
        assert [t.numel() for t in found] == [2, 4 if places_wanted else 0, 2 if counts_wanted else 0]
