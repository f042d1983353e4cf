"""Operators whose kernel takes some calls, beside their decomposition, which a call that wants a gradient runs: the same
bits and sizes, and of contiguous tensors the same strides."""

import random
from collections.abc import Callable

import monograph as torch
import pytest

Call = Callable[[random.Random, torch.dtype], tuple[Callable[..., object], list[torch.Tensor]]]


def t(r: random.Random, dtype: torch.dtype, *sizes: int) -> torch.Tensor:
    """Random elements, sometimes in another order in memory."""
    x = torch.randn(sizes).to(dtype)
    return x if len(sizes) < 2 or r.random() < 0.6 else x.transpose(0, -1).contiguous().transpose(0, -1)


def n(r: random.Random) -> int:
    return r.choice((1, 2, 3, 5, 8, 17, 40))


def matrix_and_vector(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    a, b = n(r), n(r)
    return torch.addmv, [t(r, d, a), t(r, d, a, b), t(r, d, b)]


def sum_of_outer(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    a, b = n(r), n(r)
    return torch.addr, [t(r, d, *r.choice(((a, b), (b,), (1, 1)))), t(r, d, a), t(r, d, b)]


def crossed(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    sizes = [n(r) for _ in range(r.randint(0, 2))]
    dim = r.randint(0, len(sizes))
    sizes.insert(dim, 3)
    return (lambda x, y: torch.linalg.cross(x, y, dim=dim)), [t(r, d, *sizes), t(r, d, *sizes)]


def distances(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    p, columns = r.choice((0.0, 1.0, 2.0, 3.0, float("inf"))), n(r)
    return (lambda x, y: torch.cdist(x, y, p, "donot_use_mm_for_euclid_dist")), [t(r, d, n(r), columns), t(r, d, n(r), columns)]


def pair_distances(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    p = r.choice((0.0, 1.0, 2.0, 3.0, float("inf")))
    return (lambda x: torch.pdist(x, p)), [t(r, d, n(r), n(r))]


def diagonals(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, *(n(r) for _ in range(r.randint(1, 3))))
    first, second = r.sample(range(x.dim() + 1), 2)
    return (lambda x: torch.diag_embed(x, 0, first, second)), [x]


def shifted_diagonals(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    offset = r.randint(-3, 3)
    return (lambda x: torch.diag_embed(x, offset, -1, 0)), [t(r, d, n(r), n(r))]


def filled(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, *(n(r) for _ in range(r.randint(1, 3))))
    dim = r.randrange(x.dim())
    places = torch.tensor([r.randint(-x.shape[dim], x.shape[dim] - 1) for _ in range(r.randint(0, 4))], dtype=r.choice((torch.int64, torch.int32)))
    value = r.choice((2, -1.5, torch.tensor(0.25), torch.tensor(3, dtype=torch.float64)))
    return (lambda x: torch.index_fill(x, dim, places, value)), [x]


def taken(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, n(r), n(r))
    places = torch.tensor([[r.randint(-x.numel(), x.numel() - 1) for _ in range(3)] for _ in range(r.randint(1, 30))])
    return (lambda x: torch.take(x, places)), [x]


def put(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, n(r), n(r))
    places = r.sample(range(x.numel()), r.randint(1, x.numel()))  # of a place that is named twice, any element may stay
    accumulate = r.random() < 0.3
    return (lambda x, y: torch.put(x, torch.tensor(places), y, accumulate)), [x, t(r, d, len(places))]


def repeated(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, *(n(r) for _ in range(r.randint(1, 3))))
    count, dim = r.randint(0, 4), r.choice((None, *range(-x.dim(), x.dim())))
    return (lambda x: torch.repeat_interleave(x, count, dim)), [x]


def pieces(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    x = t(r, d, *(n(r) for _ in range(r.randint(1, 3))))
    dim = r.randrange(-x.dim(), x.dim())
    size = r.randint(1, 6)
    return r.choice((lambda x: torch.unsafe_split(x, size, dim), lambda x: torch.unsafe_chunk(x, size, dim))), [x]


def groups(r: random.Random, d: torch.dtype) -> tuple[Callable[..., object], list[torch.Tensor]]:
    each, count = r.choice((1, 2, 3)), r.choice((1, 2, 4))
    channels, image = each * count, [n(r) for _ in range(r.randint(1, 2))]
    parameters = [t(r, d, channels) for _ in range(r.randint(0, 2))]
    return (lambda x, *p: torch.nn.functional.group_norm(x, count, *p)), [t(r, d, r.randint(1, 3), channels, *image), *parameters]


def rows_of(f: Callable[..., object], *sizes: Callable[[random.Random], tuple[int, ...]]) -> Call:
    return lambda r, d: (f, [t(r, d, *s(r)) for s in sizes])


def vector(r: random.Random) -> tuple[int, ...]:
    return (n(r),)


def matrix(r: random.Random) -> tuple[int, ...]:
    return (n(r), n(r))


CALLS: dict[str, Call] = {
    "outer": rows_of(torch.outer, vector, vector), "kron": rows_of(torch.kron, matrix, matrix), "trace": rows_of(torch.trace, matrix), "addmv": matrix_and_vector,
    "addr": sum_of_outer, "cross": crossed, "cdist": distances, "pdist": pair_distances, "diag_embed": diagonals, "diag_embed with an offset": shifted_diagonals,
    "index_fill": filled, "take": taken, "put": put, "repeat_interleave": repeated, "pieces": pieces, "group_norm": groups,
}  # fmt: skip


def same(a: torch.Tensor, b: torch.Tensor, strides: bool) -> None:
    assert a.dtype == b.dtype and a.shape == b.shape and (not strides or a.stride() == b.stride())
    assert torch.equal(a, b.detach())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("name", CALLS)
def test_the_kernel_gives_the_bits_of_the_decomposition(name: str, dtype: torch.dtype) -> None:
    r = random.Random(name)
    for _ in range(40):
        f, args = CALLS[name](r, dtype)
        try:
            decomposed = f(*(x.detach().requires_grad_() for x in args))
        except (RuntimeError, NotImplementedError) as e:
            with pytest.raises(type(e)):
                f(*args)
            continue
        contiguous = all(x.is_contiguous() for x in args)
        if isinstance(decomposed, torch.Tensor):
            same(f(*args), decomposed, contiguous)
            continue
        found = f(*args)
        assert len(found) == len(decomposed)
        for x, y in zip(found, decomposed, strict=True):
            same(x, y, contiguous)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_histograms_of_any_layout_and_of_a_stated_range(dtype: torch.dtype) -> None:
    r = random.Random(0)
    for _ in range(20):
        x, bins = torch.randn(n(r), n(r)).to(dtype), r.randint(1, 9)
        low, high = float(x.min()), float(x.max())
        counted = torch.histc(x, bins)
        assert torch.equal(counted, torch.histc(x.t(), bins))
        if low < high:
            assert torch.equal(counted, torch.histc(x, bins, low, high)) and counted.sum() == x.numel()
        edges = torch.tensor(sorted(r.uniform(-2, 2) for _ in range(bins + 1)), dtype=dtype)
        weight = torch.randint(0, 9, x.shape).to(dtype)
        hist, same_edges = torch.histogram(x, edges, weight=weight)
        assert torch.equal(same_edges, edges) and same_edges.data_ptr() != edges.data_ptr()
        inside = [(x >= a) & ((x < b) if k + 1 < bins else (x <= b)) for k, (a, b) in enumerate(zip(edges[:-1], edges[1:], strict=True))]
        for found, mask in zip(hist, inside, strict=True):
            assert found == (weight * mask).sum()
        density, _ = torch.histogram(x, edges, weight=weight, density=True)
        assert torch.equal(density, hist / hist.sum() / edges.diff()) or hist.sum() == 0


def test_errors_of_kernels_name_the_place() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    for call, words in (
        (lambda: torch.take(x, torch.tensor([0, 6])), "out of range: tried to access index 6 on a tensor of 6 elements"),
        (lambda: torch.index_fill(x, 1, torch.tensor([0, -4]), 1.0), "index -4 is out of bounds for dimension 1 with size 3"),
        (lambda: torch.put(x, torch.tensor([7]), torch.tensor([1.0])), "index 7 is out of bounds for dimension 0 with size 6"),
    ):
        with pytest.raises(IndexError, match=words):
            call()


def test_out_of_a_kernel_and_of_a_decomposition() -> None:
    for dtype in (torch.float32, torch.int64):
        x, y = torch.arange(3).to(dtype), torch.arange(4).to(dtype)
        out = torch.empty(0, dtype=dtype)
        assert torch.outer(x, y, out=out) is out and torch.equal(out, x[:, None] * y)
    wide = torch.empty(4, 3).t()
    torch.outer(torch.ones(3), torch.arange(4.0), out=wide)
    assert torch.equal(wide, torch.arange(4.0).expand(3, 4))
