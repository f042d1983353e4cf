"""Our generated matrix product beside oneDNN's, one thread, new inputs before each call, both with weights in their best form."""

from run import program_rows

SIZES = ["128x384x1152", "128x384x384", "128x384x1536", "128x1536x384"]

program_rows(
    "matmul_bench", "101", *SIZES, beside="oneDNN", at_most=round(1 / 0.9, 3),
    rows={f"product_{size}": f"{size.replace('x', ' × ')}, as in MiniLM" for size in SIZES},
)  # fmt: skip
