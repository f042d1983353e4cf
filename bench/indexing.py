"""Operators that move elements: by an index, in another order, sorted, or added up one after the other. On one thread and on two."""

from run import row_list, thread_rows

MILLION = 1 << 20
row_list("moving", about="operators that move elements", median_at_most=0.9)


def measured(name: str, about: str, prepare, call, rtol=1e-5, peer=None) -> None:
    thread_rows(name, about, prepare, call, of="moving", peer=peer, rtol=rtol)


def shape_name(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def randn(*shapes):
    return lambda torch: tuple(torch.randn(*shape) for shape in shapes)


# --- by an index

for shape, dim in [((MILLION,), 0), ((1024, 1024), 0), ((1024, 1024), 1), ((64, 1000), 1), ((128, 768), 0)]:
    size, name = shape[dim], f"{shape_name(shape)}_dim{dim}"

    def with_index(torch, shape=shape, size=size):
        return torch.randn(*shape), torch.randint(0, size, shape)

    measured(
        f"gather_{name}", f"`gather` along dim {dim} of {shape_name(shape)}", with_index, lambda torch, x, i, d=dim: torch.gather(x, d, i)
    )
    measured(
        f"gather_backward_{name}", f"the gradient of `gather` along dim {dim} of {shape_name(shape)}, beside `scatter_add`", with_index,
        lambda torch, x, i, d=dim: torch.ops.aten.gather_backward(x, list(x.shape), d, i),
        peer=lambda torch, x, i, d=dim: torch.zeros(x.shape).scatter_add_(d, i, x),
    )  # fmt: skip

for shape, dim in [((1024, 1024), 0), ((1024, 1024), 1), ((64, 1000), 1), ((128, 768), 0), ((30522, 384), 0), ((16, 64, 1024), 1)]:
    size, name = shape[dim], f"{shape_name(shape)}_dim{dim}"

    count = min(size, 1024)

    def with_vector(torch, shape=shape, dim=dim, count=count):
        return torch.randn(*shape), torch.randint(0, shape[dim], (count,)), torch.randn(*shape[:dim], count, *shape[dim + 1 :])

    measured(
        f"index_select_{name}", f"`index_select` along dim {dim} of {shape_name(shape)}", with_vector,
        lambda torch, x, i, y, d=dim: torch.index_select(x, d, i),
    )  # fmt: skip
    measured(
        f"index_add_{name}", f"`index_add` along dim {dim} of {shape_name(shape)}", with_vector,
        lambda torch, x, i, y, d=dim: torch.index_add(x, d, i, y),
    )  # fmt: skip

for tokens in [(1, 128), (8, 128), (64, 512)]:
    measured(
        f"embedding_{shape_name(tokens)}", f"`embedding` of {shape_name(tokens)} tokens in a table of 30522x384",
        lambda torch, tokens=tokens: (torch.randn(30522, 384), torch.randint(0, 30522, tokens)),
        lambda torch, table, i: torch.nn.functional.embedding(i, table),
    )  # fmt: skip


def table_and_rows(torch, rows=1024, width=1024, count=1024):
    return torch.randn(rows, width), torch.randint(0, rows, (count,)), torch.randn(count, width)


def put(accumulate):
    def call(torch, x, i, y):
        x.index_put_((i,), y, accumulate)

    return call


def put_elements(accumulate):
    def call(torch, x, i, j, y):
        x.index_put_((i, j), y, accumulate)

    return call


def elements(torch, n=MILLION):
    return torch.randn(1024, 1024), torch.randint(0, 1024, (n,)), torch.randint(0, 1024, (n,)), torch.randn(n)


def masked(torch):
    x = torch.randn(1024, 1024)
    return x, x > 0


measured("index_rows", "`x[i]` of 1024 rows of 1024", table_and_rows, lambda torch, x, i, y: x[i])
measured("index_columns", "`x[:, i]` of 1024 columns of 1024", table_and_rows, lambda torch, x, i, y: x[:, i])
measured("index_elements", "`x[i, j]` of 1M elements", elements, lambda torch, x, i, j, y: x[i, j])
measured("index_mask", "`x[mask]` of 1M elements", masked, lambda torch, x, m: x[m])
measured("nonzero", "`nonzero` of 1M elements", masked, lambda torch, x, m: torch.nonzero(m))
measured("index_put_rows", "`x[i] = y` of 1024 rows of 1024", table_and_rows, put(False), rtol=None)
measured("index_put_elements", "`x[i, j] = y` of 1M elements", elements, put_elements(False), rtol=None)
measured("index_put_add_rows", "`x[i] += y`, accumulating, of 1024 rows of 1024", table_and_rows, put(True), rtol=None)
measured("index_put_add_elements", "`x[i, j] += y`, accumulating, of 1M elements", elements, put_elements(True), rtol=None)

# --- in another order

for shape in [(1024, 1024), (64, 1000), (128, 768), (4096, 256), (3072, 768)]:
    name = shape_name(shape)
    measured(f"transpose_{name}", f"`x.t().contiguous()` of {name}", randn(shape), lambda torch, x: x.t().contiguous())
for dtype in ("int64", "uint8", "float16"):
    measured(
        f"transpose_{dtype}", f"`x.t().contiguous()` of 1024x1024, {dtype}",
        lambda torch, dtype=dtype: (torch.randint(0, 99, (1024, 1024)).to(getattr(torch, dtype)),),
        lambda torch, x: x.t().contiguous(),
    )  # fmt: skip
for shape, order in [
    ((8, 64, 56, 56), (0, 2, 3, 1)),
    ((8, 56, 56, 64), (0, 3, 1, 2)),
    ((1, 128, 12, 32), (0, 2, 1, 3)),
    ((1, 12, 128, 32), (0, 1, 3, 2)),
]:
    name = f"{shape_name(shape)}_to_{''.join(map(str, order))}"
    measured(
        f"permute_{name}",
        f"`permute({order})` of {shape_name(shape)}, copied",
        randn(shape),
        lambda torch, x, o=order: x.permute(o).contiguous(),
    )
for shape in [(1024, 1024), (64, 1000), (128, 768)]:
    name = shape_name(shape)
    for dim in (0, 1):
        measured(
            f"cat_{name}_dim{dim}",
            f"`cat` of two {name} along dim {dim}",
            randn(shape, shape),
            lambda torch, x, y, d=dim: torch.cat([x, y], d),
        )
        measured(f"flip_{name}_dim{dim}", f"`flip` of {name} along dim {dim}", randn(shape), lambda torch, x, d=dim: torch.flip(x, [d]))
measured("cat_narrow", "`cat` of four 65536x4 along dim 1", randn(*[(65536, 4)] * 4), lambda torch, *x: torch.cat(x, 1))
measured("stack_last", "`stack` of four vectors of 262144 as columns", randn(*[(262144,)] * 4), lambda torch, *x: torch.stack(x, -1))
measured("slice_columns", "every second column of 1024x2048, copied", randn((1024, 2048)), lambda torch, x: x[:, ::2].contiguous())

# --- one after the other

for shape, dim in [((MILLION,), 0), ((1024, 1024), 0), ((1024, 1024), 1), ((64, 1000), 1), ((128, 768), 0)]:
    name = f"{shape_name(shape)}_dim{dim}"
    measured(
        f"cumsum_{name}",
        f"`cumsum` along dim {dim} of {shape_name(shape)}",
        randn(shape),
        lambda torch, x, d=dim: torch.cumsum(x, d),
        rtol=1e-3,
    )
measured("cumprod_rows", "`cumprod` along dim 1 of 64x1000", randn((64, 1000)), lambda torch, x: torch.cumprod(x, 1), rtol=1e-3)
for dim in (0, 1):
    measured(
        f"cumsum_int64_dim{dim}", f"`cumsum` along dim {dim} of 1024x1024, int64",
        lambda torch: (torch.randint(-9, 9, (1024, 1024)),), lambda torch, x, d=dim: torch.cumsum(x, d),
    )  # fmt: skip

# --- sorted

for shape, dim in [((MILLION,), 0), ((1024, 1024), 0), ((1024, 1024), 1), ((64, 1000), 1), ((128, 768), 1)]:
    name = f"{shape_name(shape)}_dim{dim}"
    measured(f"sort_{name}", f"`sort` along dim {dim} of {shape_name(shape)}", randn(shape), lambda torch, x, d=dim: torch.sort(x, d))
for shape, dim, k in [
    ((MILLION,), 0, 10),
    ((1024, 1024), 1, 10),
    ((1024, 1024), 0, 10),
    ((64, 1000), 1, 5),
    ((64, 1000), 1, 500),
    ((8, 30522), 1, 50),
]:
    name = f"{shape_name(shape)}_dim{dim}_{k}"
    measured(
        f"topk_{name}",
        f"`topk` of {k} along dim {dim} of {shape_name(shape)}",
        randn(shape),
        lambda torch, x, d=dim, k=k: torch.topk(x, k, d),
    )
for shape in [(MILLION,), (1024, 1024)]:
    name = shape_name(shape)
    for high in (100, 1 << 40):
        measured(
            f"sort_int64_{name}_below_{high}", f"`sort` of {name}, int64 below {high}",
            lambda torch, shape=shape, high=high: (torch.randint(0, high, shape),), lambda torch, x: torch.sort(x, stable=True),
        )  # fmt: skip
