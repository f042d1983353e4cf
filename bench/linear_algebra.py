"""Factorizations, solvers, eigenvalues and singular values of square matrices, on one thread and on two. What is compared does not depend on signs."""

from run import row_list, thread_rows

row_list("linear_algebra", about="linear algebra", median_at_most=1.0)

CALLS = {
    "lu_factor": lambda torch, x, s, b: torch.linalg.lu_factor(x)[0],
    "det": lambda torch, x, s, b: torch.linalg.det(x),
    "solve": lambda torch, x, s, b: torch.linalg.solve(x, b),
    "inv": lambda torch, x, s, b: torch.linalg.inv(x),
    "cholesky": lambda torch, x, s, b: torch.linalg.cholesky(s),
    "solve_triangular": lambda torch, x, s, b: torch.linalg.solve_triangular(s, b, upper=False),
    "qr": lambda torch, x, s, b: torch.linalg.qr(x)[1].abs(),
    "eigh": lambda torch, x, s, b: torch.linalg.eigh(s)[0],
    "svd": lambda torch, x, s, b: torch.linalg.svd(x)[1],
    "matrix_exp": lambda torch, x, s, b: torch.linalg.matrix_exp(x / x.shape[0]),
}


def matrices(torch, n):
    x = torch.randn(n, n) + torch.eye(n) * n**0.5
    return x, x @ x.mT / n + torch.eye(n), torch.randn(n, n)


for n in (32, 100, 256):
    for name, call in CALLS.items():
        thread_rows(
            f"{name}_{n}", f"`linalg.{name}` of {n}x{n}", lambda torch, n=n: matrices(torch, n),
            lambda torch, x, s, b, call=call: call(torch, x, s, b), of="linear_algebra", rtol=1e-2, atol=1e-3,
        )  # fmt: skip
