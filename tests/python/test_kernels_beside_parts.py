"""Kernels of operators that are also stated in other operators, beside the latter: the same bits.

Where no gradient of an operator is stated, a call that wants one runs the other operators; the rest is written out here."""

import random

import monograph as torch
import pytest

F = torch.nn.functional
FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def same(a: torch.Tensor, b: torch.Tensor) -> None:
    b = b.detach()
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.is_floating_point:
        assert torch.equal(a.isnan(), b.isnan())
        a, b = a.nan_to_num(7.0), b.nan_to_num(7.0)
    assert torch.equal(a, b)


def layout(r: random.Random, x: torch.Tensor) -> torch.Tensor:
    """The same elements, sometimes in another order in memory."""
    if x.dim() < 2 or r.random() < 0.5:
        return x
    return x.transpose(0, -1).contiguous().transpose(0, -1)


@pytest.mark.parametrize("seed", range(8))
def test_pads_are_chosen_elements(seed: int) -> None:
    r = random.Random(seed)
    done = 0
    while done < 60:
        dims = r.choice((1, 2, 3))
        shape = [r.randint(1, 3) for _ in range(r.choice((1, 2)))] + [r.randint(1, 6) for _ in range(dims)]
        pad, mode = [r.randint(-2, 6) for _ in range(2 * dims)], r.choice(("reflect", "replicate", "circular"))
        x = layout(r, torch.randn(shape).to(r.choice(FLOATS)))
        try:
            y = F.pad(x, pad, mode=mode)
        except RuntimeError:
            continue  # more places than there are elements
        same(y, F.pad(x.detach().requires_grad_(), pad, mode=mode))
        done += 1


@pytest.mark.parametrize("seed", range(4))
def test_triangles_are_masked_elements(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(60):
        shape = [r.randint(0, 5) for _ in range(r.randint(2, 4))]
        diagonal = r.choice((r.randint(-7, 7), 2**62, -(2**62)))
        x = layout(r, torch.randn(shape).to(r.choice((*FLOATS, torch.int8, torch.bool, torch.complex64))))
        rows, columns = torch.arange(shape[-2]).unsqueeze(1), torch.arange(shape[-1])
        below = columns - rows <= max(min(diagonal, 100), -100)
        same(x.tril(diagonal), torch.where(below, x, torch.zeros((), dtype=x.dtype)))
        above = columns - rows >= max(min(diagonal, 100), -100)
        same(x.triu(diagonal), torch.where(above, x, torch.zeros((), dtype=x.dtype)))
        same(x.clone().tril_(diagonal), x.tril(diagonal))


@pytest.mark.parametrize("seed", range(4))
def test_products_of_few_columns(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(60):
        m, k, n = r.randint(1, 70), r.randint(0, 300), r.randint(1, 9)
        dtype = r.choice(FLOATS)
        a, b = layout(r, torch.randn(m, k).to(dtype)), layout(r, torch.randn(k, n).to(dtype))
        wide = torch.cat([b, torch.randn(k, 20).to(dtype)], 1)
        same(a @ b, (a @ wide)[:, :n])
        same(torch.mv(a, b[:, 0]), (a @ wide)[:, 0])
        same(torch.bmm(a.expand(2, m, k), b.expand(2, k, n))[1], (a @ wide)[:, :n])


def written_out(x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, ignored: int, reduction: str) -> torch.Tensor:
    dim = 0 if x.dim() == 1 else 1
    keep = target != ignored
    index = torch.where(keep, target, 0)
    weights = torch.ones(target.shape, dtype=x.dtype) if weight is None else weight[index.reshape(-1)].reshape(target.shape)
    weights = weights * keep.to(x.dtype)
    loss = torch.where(keep, -(x.gather(dim, index.unsqueeze(dim)).squeeze(dim) * weights), 0.0)
    return loss.sum() / weights.sum() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


@pytest.mark.parametrize("seed", range(8))
def test_nll_loss_and_its_gradient(seed: int) -> None:
    r = random.Random(seed)
    torch.manual_seed(seed)
    for _ in range(30):
        dtype, classes, reduction = r.choice(FLOATS), r.randint(1, 40), r.choice(("none", "mean", "sum"))
        batch = r.choice(((), (r.randint(0, 70),), (r.randint(1, 9), 3), (r.randint(1, 9), 2, 3)))
        x = layout(r, torch.randn((classes,) if not batch else (batch[0], classes, *batch[1:])).to(dtype))
        weight = r.choice((None, torch.rand(classes).to(dtype)))
        target, ignored = torch.randint(0, classes, batch), r.choice((-100, 0))
        args = (target, weight, ignored, reduction)
        same(F.nll_loss(x, target, weight, ignore_index=ignored, reduction=reduction), written_out(x, *args))
        one, other = x.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
        F.nll_loss(one, target, weight, ignore_index=ignored, reduction=reduction).sum().backward()
        written_out(other, *args).sum().backward()
        same(one.grad, other.grad)


@pytest.mark.parametrize("seed", range(4))
def test_margin_losses_of_classes(seed: int) -> None:
    r = random.Random(seed)
    torch.manual_seed(seed)
    for _ in range(40):
        dtype, classes, rows, reduction = r.choice(FLOATS), r.randint(1, 40), r.randint(1, 70), r.choice(("none", "mean", "sum"))
        x = layout(r, torch.randn(rows, classes).to(dtype))
        weight, p = r.choice((None, torch.rand(classes).to(dtype))), r.choice((1, 2))
        target = torch.randint(0, classes, (rows,))
        labels = torch.stack(
            [torch.cat([torch.randperm(classes)[:k], torch.full((classes - k,), -1)]) for k in (r.randint(0, classes) for _ in range(rows))]
        )
        wants = x.detach().requires_grad_()
        for v in (x, wants):
            losses = [
                F.multi_margin_loss(v, target, p, 0.7, weight, reduction=reduction),
                F.multilabel_margin_loss(v, labels, reduction=reduction),
            ]
            if v is x:
                kernels = losses
        for kernel, parts in zip(kernels, losses, strict=True):
            same(kernel, parts)


@pytest.mark.parametrize("seed", range(8))
def test_elements_by_their_place_in_order(seed: int) -> None:
    r = random.Random(seed)
    torch.manual_seed(seed)
    for _ in range(60):
        dtype = r.choice((*FLOATS, torch.int64, torch.int8))
        shape = [r.randint(1, 9) for _ in range(r.randint(1, 3))]
        x = layout(r, (torch.randn(shape) * 3).round().to(dtype))
        if dtype.is_floating_point and r.random() < 0.3:
            x = torch.where(torch.rand(shape) < 0.3, float("nan"), x).to(dtype)
        dim, keepdim = r.randrange(len(shape)), r.random() < 0.5
        values, places = torch.sort(x, stable=True, dim=dim)
        n, k = shape[dim], r.randint(1, shape[dim])
        nans = x.isnan().sum(dim, keepdim=True)
        ranks = {
            "kthvalue": torch.full_like(nans, k - 1),
            "median": torch.where(nans > 0, n - nans, (n - 1) // 2),
            "nanmedian": (n - 1 - nans).div(2, rounding_mode="floor").clamp(min=0),
        }
        for name, rank in ranks.items():
            found = torch.kthvalue(x, k, dim, keepdim) if name == "kthvalue" else getattr(torch, name)(x, dim, keepdim)
            for got, rows in zip(found, (values, places), strict=True):
                wanted = rows.gather(dim, rank)
                same(got, wanted if keepdim else wanted.squeeze(dim))


@pytest.mark.parametrize("seed", range(2))
def test_masked_scatter_is_a_choice_of_elements(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(60):
        shape = [r.randint(0, 5) for _ in range(r.randint(0, 3))]
        dtype = r.choice((*FLOATS, torch.int8, torch.int64, torch.bool, torch.complex64, torch.complex128))
        x, mask = (layout(r, torch.randn([n if r.random() < 0.8 else 1 for n in shape])) for _ in range(2))
        x, mask, source = x.to(dtype), mask > 0, layout(r, torch.randn(11, 12)).to(dtype)
        wide, chosen = torch.broadcast_tensors(x, mask)
        places = (chosen.reshape(-1).cumsum(0) - 1).clamp(min=0).reshape(chosen.shape)
        want = torch.where(chosen, source.reshape(-1)[places], wide)
        same(x.masked_scatter(mask, source), want)
        if wide.shape == x.shape:
            same(x.clone().masked_scatter_(mask, source), want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_complex_numbers_are_their_parts(dtype: torch.dtype) -> None:
    real, imaginary = torch.randn(5, 7, dtype=dtype), torch.randn(7, dtype=dtype)
    for a, b in ((real, imaginary), (real.t(), imaginary.reshape(7, 1)), (real[:, ::2], imaginary[::2]), (real[0, 0], imaginary[0])):
        z = torch.complex(a, b)
        same(z.real, torch.broadcast_tensors(a, b)[0])
        same(z.imag, torch.broadcast_tensors(a, b)[1])


def test_equal_is_the_equality_of_all_elements() -> None:
    for dtype in (*FLOATS, torch.int8, torch.int64, torch.bool, torch.complex64, torch.complex128):
        a = torch.ones(5000).to(dtype)
        for place in (None, 0, 2047, 2048, 4999):
            b = a.clone()
            if place is not None:
                b[place] = 0
            assert torch.equal(a, b) is bool((a == b).all()) is (place is None)
            assert torch.equal(a[::2], b[::2]) is bool((a[::2] == b[::2]).all())
    nan, zero = torch.tensor([float("nan")]), torch.tensor([0.0])
    assert not torch.equal(nan, nan) and torch.equal(zero, -zero) and not torch.equal(zero, zero.reshape(1, 1))


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 2.5, float("inf")])
def test_distances_in_pieces_are_those_of_each_pair(p: float) -> None:
    for rows, columns, n in ((150, 90, 33), (1, 700, 300), (600, 1, 300), (3, 2, 70_000), (0, 5, 4), (5, 4, 0)):
        if n == 0 and p == float("inf"):
            continue  # of no elements there is no largest one
        x, y = torch.randn(rows, n), torch.randn(columns, n)
        same(torch.cdist(x, y, p), torch.linalg.vector_norm(x.unsqueeze(1) - y.unsqueeze(0), p, -1))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bool])
def test_pads_of_long_rows_and_of_long_ends(mode: str, dtype: torch.dtype) -> None:
    for columns, before, after in ((40, 3, 2), (70, 9, 12), (200, 30, 1), (33, 32, 31), (25, 0, 0), (40, -3, 5)):
        x = torch.randn(2, 5, columns).to(dtype)
        places = F.pad(torch.arange(columns, dtype=torch.float64).reshape(1, 1, -1), [before, after], mode=mode).long().reshape(-1)
        same(F.pad(x, [before, after], mode=mode), x[..., places])
        strided = x.transpose(0, 2).contiguous().transpose(0, 2)
        same(F.pad(strided, [before, after], mode=mode), x[..., places])


@pytest.mark.parametrize("columns", [2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int8])
def test_many_short_rows_beside_one(columns: int, dtype: torch.dtype) -> None:
    x, one = (torch.randn(300, columns) * 10).to(dtype), (torch.randn(columns) * 10).to(dtype)
    whole = one.expand(300, columns).contiguous()
    same(x + one, x + whole)
    same(x * one - x, x * whole - x)
    same(one - x.t().contiguous().t(), whole - x)
    same(x < one, x < whole)
    same(x[:, :1] + one, x[:, :1].expand(300, columns).contiguous() + whole)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_grids_of_small_items_are_those_of_each_item(mode: str, padding: str, dtype: torch.dtype) -> None:
    x, grid = torch.randn(23, 3, 4, 5, dtype=dtype), torch.rand(23, 2, 3, 2, dtype=dtype) * 4 - 2
    grid[3, 0, 0, 0], grid[4, 1, 2, 1], grid[5] = float("nan"), float("inf"), 1e30
    x[7, 1, 2, 2] = float("nan")
    for corners in (False, True):
        whole = F.grid_sample(x, grid, mode, padding, corners)
        for k in range(23):
            # A grid of 8 x 8 points for one item is sampled by rows.
            large = grid[k].reshape(1, 1, 6, 2).repeat(1, 11, 1, 1)
            same(whole[k].reshape(3, 6), F.grid_sample(x[k : k + 1], large, mode, padding, corners)[0, :, 4])
    if mode != "bicubic":
        volume, points = torch.randn(9, 2, 3, 4, 5, dtype=dtype), torch.rand(9, 1, 2, 2, 3, dtype=dtype) * 3 - 1.5
        whole = F.grid_sample(volume, points, mode, padding, False)
        for k in range(9):
            large = points[k].reshape(1, 1, 1, 4, 3).repeat(1, 1, 16, 1, 1)
            same(whole[k].reshape(2, 4), F.grid_sample(volume[k : k + 1], large, mode, padding, False)[0, :, 0, 3])


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear"])
def test_few_results_of_each_row(mode: str) -> None:
    corners = {"align_corners": False} if mode == "linear" else {}
    for dtype in FLOATS:
        x = torch.randn(3, 4, 37).to(dtype)
        for size in (1, 2, 4, 5):
            rows = F.interpolate(x, size=size, mode=mode, **corners)
            image_mode = {"linear": "bilinear"}.get(mode, mode)
            image = F.interpolate(x.unsqueeze(2), size=(1, size), mode=image_mode, **corners).squeeze(2)
            same(rows, image)


def test_block_diag_is_made_of_pads() -> None:
    for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64):
        parts = [torch.randn(m, n).to(dtype) for m, n in ((2, 3), (0, 2), (1, 1), (300, 200), (3, 0))]
        width, before, rows = sum(p.shape[1] for p in parts), 0, []
        for p in parts:
            rows.append(F.pad(p, [before, width - before - p.shape[1]]))
            before += p.shape[1]
        same(torch.block_diag(*parts), torch.cat(rows))
        same(torch.block_diag(*[p.t() for p in parts]), torch.cat(rows).t())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_large_matrices_of_linear_algebra(dtype: torch.dtype) -> None:
    """Matrices are copied in blocks, the triangles of a factorization too, and many right-hand sides are solved in parts."""
    n = 70
    a = torch.randn(n, n, dtype=dtype)
    lu, pivots = torch.linalg.lu_factor(a)
    same(torch.linalg.lu_factor(a.t().contiguous().t())[0], lu)
    for rows, columns in ((n, n), (n, 45), (45, n)):
        part = lu[:rows, :columns]
        p, lower, upper = torch.lu_unpack(part, pivots[: min(rows, columns)].clamp(max=rows))
        k = min(rows, columns)
        same(lower, part[:, :k].tril(-1) + torch.eye(rows, k, dtype=dtype))
        same(upper, part[:k].triu())
        assert torch.equal(p.real.sum(0), torch.ones(rows)) and torch.equal(p.real.sum(1), torch.ones(rows))
    symmetric = a + a.mT
    factors, places = torch.linalg.ldl_factor(symmetric)
    b = torch.randn(n, 75, dtype=dtype)
    x = torch.linalg.ldl_solve(factors, places, b)
    for column in (0, 31, 32, 33, 74):
        same(x[:, column : column + 1], torch.linalg.ldl_solve(factors, places, b[:, column : column + 1]))
