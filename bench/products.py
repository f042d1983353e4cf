"""Matrix products: our generated kernels beside oneDNN's on one thread, both with weights in their best form, and `linear`, `mm` and `bmm` from
Python beside PyTorch's, over a grid of sizes, on one thread and on two. New inputs for each call; the weight of `linear` stays, as a
layer's does.

Beside each row of the grid stand the share of the core's measured peak that Monograph reaches, and oneDNN's figure for the same product."""

import itertools

from run import Result, peak, printed, program_rows, quantity, row, row_list

SIZES = ["128x384x1152", "128x384x384", "128x384x1536", "128x1536x384"]
ROWS_OF_A, INNER, COLUMNS = [1, 4, 16, 64, 128, 512], [64, 384, 768, 3072], [64, 384, 768, 3072]
GRID = list(itertools.product(ROWS_OF_A, INNER, COLUMNS))

program_rows(
    "matmul_bench", "101", *SIZES, beside="oneDNN", at_most=round(1 / 0.9, 3),
    rows={f"product_{size}": f"{size.replace('x', ' × ')}, as in MiniLM" for size in SIZES},
)  # fmt: skip
program_rows(
    "matmul_bench", "--isa", "v3", "101", *SIZES, beside="oneDNN", at_most=round(1 / 0.9, 3),
    rows={f"product_v3_{size}": f"the same, {size.replace('x', ' × ')}, both limited to x86-64-v3" for size in SIZES},
)  # fmt: skip


def batch_of(m: int, k: int, n: int) -> int:
    """Matrices of a batch: attention's twelve, fewer where they are large."""
    return 12 if m * k * n <= 128 * 384 * 384 else 2


def note(m: int, k: int, n: int, count: int, threads: int):
    def words(result: Result) -> str:
        share = 2e-9 * count * m * k * n / result.ours / (threads * peak())
        text = f"{share:.0%} of the peak"
        if threads == 1 and count == 1:
            figures = printed(("matmul_bench", "5", *(f"{a}x{b}x{c}" for a, b, c in GRID)))
            text += f"; oneDNN {quantity(figures[f'product_{m}x{k}x{n}'][1], 's')}"
        return text

    return words


def cycled(make, count: int):
    """Every call gets the next of `count` inputs."""
    inputs = itertools.cycle([make() for _ in range(count)])
    return lambda: next(inputs)


def product_row(name: str, m: int, k: int, n: int, threads: int) -> None:
    count = batch_of(m, k, n) if name == "bmm" else 1

    def prepare(torch):
        batch = (count,) if name == "bmm" else ()
        a = cycled(lambda: torch.randn(*batch, m, k), 4)
        if name == "linear":
            weight, bias = torch.randn(n, k), torch.randn(n)
            return lambda: torch.nn.functional.linear(a(), weight, bias)
        b = cycled(lambda: torch.randn(*batch, k, n), 2 if count * k * n < 4_000_000 else 1)
        call = getattr(torch, name)
        return lambda: call(a(), b())

    row(
        f"{name}_{m}x{k}x{n}_{threads}t", about=f"{m} × {k} × {n}" + (f", {count} of them" if count > 1 else ""), at_most=1.15,
        rtol=1e-3, atol=1e-5 * k, threads=threads, of=f"{name}_{threads}t", note=note(m, k, n, count, threads),
    )(prepare)  # fmt: skip


for name, threads in itertools.product(["linear", "mm", "bmm"], [1, 2]):
    row_list(
        f"{name}_{threads}t",
        group=f"products_{name}",
        about=f"`{name}`, {'one thread' if threads == 1 else 'two threads'}",
        median_at_most=1.0,
    )
    for size in GRID:
        product_row(name, *size, threads)
