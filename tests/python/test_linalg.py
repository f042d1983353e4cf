"""torch.linalg by what its results mean: products give the matrix back, columns are orthogonal, errors are LinAlgError. PyTorch's own samples run in
test_op_db.py, frozen results of PyTorch in ops_test and gradients_test."""

import itertools

import monograph as torch
import pytest

L = torch.linalg
DTYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
SHAPES = [(3, 3), (5, 3), (3, 5), (2, 4, 4), (2, 0, 4, 3), (0, 0), (40, 40), (70, 35)]


def matrix(dtype, *shape):
    torch.manual_seed(sum(shape) + len(shape))
    real = torch.complex64 != dtype != torch.complex128
    part = torch.float32 if dtype in (torch.float32, torch.complex64) else torch.float64
    made = torch.randn(*shape, dtype=part)
    return made if real else torch.complex(made, torch.randn(*shape, dtype=part))


def definite(dtype, *shape):
    a = matrix(dtype, *shape)
    return a @ a.mH + torch.eye(shape[-1], dtype=dtype)


def near(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype
    limit = 2e-4 if a.dtype in (torch.float32, torch.complex64) else 1e-10
    return bool(((a - b).abs() <= limit * (1 + float(b.abs().max()) if b.numel() else 1)).all())


@pytest.mark.parametrize("dtype, shape", list(itertools.product(DTYPES, SHAPES)))
def test_factors_give_the_matrix_back(dtype, shape):
    a = matrix(dtype, *shape)
    for mode in ("reduced", "complete"):
        q, r = L.qr(a, mode)
        assert (
            near(q @ r, a) and near(q.mH @ q, torch.eye(q.size(-1), dtype=dtype).expand(*q.shape[:-2], -1, -1)) and torch.equal(r, r.triu())
        )
    for full in (False, True):
        u, s, vh = L.svd(a, full_matrices=full)
        k = min(a.shape[-2:])
        assert near((u[..., :k] * s.unsqueeze(-2).to(dtype)) @ vh[..., :k, :], a) and bool((s[..., :-1] >= s[..., 1:]).all())
    assert near(L.svdvals(a), L.svd(a)[1])
    p, lower, upper = L.lu(a)
    assert near(p @ lower @ upper, a)


@pytest.mark.parametrize("dtype, n", list(itertools.product(DTYPES, [1, 3, 6, 40])))
def test_square_matrices(dtype, n):
    a, h = matrix(dtype, 2, n, n) + 2 * n**0.5 * torch.eye(n, dtype=dtype), definite(dtype, 2, n, n)
    one = torch.eye(n, dtype=dtype).expand(2, n, n)
    assert near(L.inv(a) @ a, one)
    low = L.cholesky(h)
    assert near(low @ low.mH, h) and near(L.cholesky(h, upper=True), low.mH) and torch.equal(low, low.tril())
    values, vectors = L.eigh(h)
    assert near((vectors * values.unsqueeze(-2).to(dtype)) @ vectors.mH, h) and near(L.eigvalsh(h), values)
    values, vectors = L.eig(a)
    assert near(a.to(values.dtype) @ vectors, vectors * values.unsqueeze(-2))
    b = matrix(dtype, 2, n, 3)
    assert (
        near(a @ L.solve(a, b), b)
        and near(L.solve(a, b.mH, left=False) @ a, b.mH)
        and near(a @ L.solve(a, b[..., 0]).unsqueeze(-1), b[..., :1])
    )
    for left, adjoint in itertools.product((True, False), (True, False)):
        m, side = a.mH if adjoint else a, b if left else b.mH
        x = L.lu_solve(*L.lu_factor(a), side, left=left, adjoint=adjoint)
        assert near(m @ x if left else x @ m, side)
    for upper, left in itertools.product((True, False), (True, False)):
        m, side = h.triu() if upper else h.tril(), b if left else b.mH
        x = L.solve_triangular(h, side, upper=upper, left=left)
        assert near(m @ x if left else x @ m, side)
    assert near(L.ldl_solve(*L.ldl_factor(h, hermitian=True), b, hermitian=True), L.solve(h, b))
    assert near(L.matrix_exp(a / (4 * n)) @ L.matrix_exp(-a / (4 * n)), one)
    sign, size = L.slogdet(a / n)
    assert near(sign * size.exp().to(dtype), L.det(a / n))


@pytest.mark.parametrize("driver", ["gelsy", "gels", "gelsd", "gelss"])
def test_least_squares(driver):
    a, b = matrix(torch.float64, 2, 5, 3), matrix(torch.float64, 2, 5, 2)
    found = L.lstsq(a, b, driver=driver)
    assert near(found.solution, L.pinv(a) @ b)
    if driver != "gelsy":
        assert near(found.residuals, ((a @ found.solution - b) ** 2).sum(-2))
    assert near(L.lstsq(a.mT, b[:, :3], driver=driver).solution, L.pinv(a.mT) @ b[:, :3])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: L.inv(torch.zeros(2, 2)), "linalg.inv: The diagonal element 1 is zero"),
        (lambda: L.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)])), r"\(Batch element 1\)"),
        (lambda: torch.inverse(torch.zeros(2, 2)), "singular"),
        (lambda: L.solve(torch.zeros(2, 2), torch.ones(2)), "torch.linalg.solve: The solver failed because the input matrix is singular"),
        (lambda: L.cholesky(-torch.eye(2)), "leading minor of order 1 is not positive-definite"),
        (lambda: L.cholesky_ex(-torch.eye(2), check_errors=True), "linalg.cholesky"),
        (lambda: L.svd(torch.full((2, 2), float("nan"))), "non-finite"),
    ],
)
def test_matrices_that_cannot_be_taken(call, words):
    with pytest.raises(L.LinAlgError, match=words):
        call()
    assert issubclass(L.LinAlgError, RuntimeError)


def test_infos_without_errors():
    singular = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    assert L.inv_ex(singular).info.tolist() == [0, 1] and L.lu_factor_ex(singular).info.tolist() == [0, 1]
    assert L.cholesky_ex(-singular).info.tolist() == [1, 1] and L.solve_ex(singular, torch.ones(2, 2)).info.tolist() == [0, 1]
    assert torch.det(singular).tolist() == [1, 0] and torch.slogdet(singular).logabsdet.tolist() == [0, -float("inf")]


def second_gradient(f, x):
    """How far the gradient of a sum of the gradient is from differences of it, along one direction."""
    x = x.detach().requires_grad_()
    weights = [torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape) for y in f(x)]
    direction = torch.linspace(-1, 1, x.numel(), dtype=x.dtype).reshape(x.shape)

    def first(x):
        return torch.autograd.grad(sum((y * w).sum() for y, w in zip(f(x), weights, strict=True)), x, create_graph=True)[0]

    exact = (torch.autograd.grad((first(x) * direction).sum(), x)[0] * direction).sum()
    step = 1e-5
    along = [(first((x + s * direction).detach().requires_grad_()) * direction).sum() for s in (step, -step)]
    return float(((along[0] - along[1]) / (2 * step) - exact).abs() / (1 + exact.abs()))


REGULAR = {
    "qr": lambda x: L.qr(x),
    "qr wide": lambda x: L.qr(x[:3]),
    "svd": lambda x: [L.svd(x)[1], (L.svd(x)[0] * L.svd(x)[2].mT).abs()],
    "svdvals": lambda x: [L.svdvals(x)],
    "eigh": lambda x: [L.eigh(x + x.mT)[0], L.eigh(x + x.mT)[1].abs()],
    "eigvalsh": lambda x: [L.eigvalsh(x + x.mT)],
    "cholesky": lambda x: [L.cholesky(x @ x.mT)],
    "inv": lambda x: [L.inv(x)],
    "solve": lambda x: [L.solve(x, x[:2].mT)],
    "triangular": lambda x: [L.solve_triangular(x, x[:2], upper=True, left=False)],
    "lu": lambda x: L.lu(x)[1:],
    "lu tall": lambda x: L.lu(x[:, :2])[1:],
    "lu wide": lambda x: L.lu(x[:2])[1:],
    "lu_solve": lambda x: [L.lu_solve(*L.lu_factor(x), x[:2], left=False)],
    "det": lambda x: [L.det(x)],
    "slogdet": lambda x: [L.slogdet(x)[1]],
    "pinv": lambda x: [L.pinv(x[:, :2])],
    "lstsq": lambda x: [L.lstsq(x[:, :2], x[:, 2:])[0]],
    "matrix_exp": lambda x: [L.matrix_exp(x / 4)],
    "cholesky_solve": lambda x: [torch.cholesky_solve(x[:, :1], L.cholesky(x @ x.mT))],
    "householder": lambda x: [L.householder_product(x[:, :2], x[0, :2] / 8)],
    "cond": lambda x: [L.cond(x), L.cond(x, 1)],
}


@pytest.mark.parametrize("name", REGULAR)
def test_gradients_of_gradients(name):
    torch.manual_seed(3)
    x = torch.randn(4, 4, dtype=torch.float64) + torch.diag(torch.tensor([3.0, 5.0, 7.0, 9.0], dtype=torch.float64))
    assert second_gradient(REGULAR[name], x) < 1e-6


def test_the_gradient_of_a_determinant_that_is_zero():
    x = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
    torch.det(x).backward()
    assert torch.allclose(x.grad, torch.tensor([[4.0, -2.0], [-2.0, 1.0]], dtype=torch.float64))


def test_captured_with_any_batch():
    def f(x):
        q, r = torch.linalg.qr(x)
        return q @ torch.linalg.inv(r + 5 * torch.eye(3)), torch.linalg.det(r)

    traced = torch.jit.trace(f, torch.randn(2, 4, 3))
    x = torch.randn(5, 4, 3)
    for ours, eager in zip(traced(x), f(x), strict=True):
        assert torch.equal(ours, eager)


def test_meta_tensors_and_out():
    a = torch.empty(2, 4, 3, device="meta")
    assert [tuple(t.shape) for t in L.svd(a)] == [(2, 4, 4), (2, 3), (2, 3, 3)] and L.qr(a).Q.is_meta
    x = torch.randn(3, 3)
    q, r = torch.empty(0), torch.empty(0)
    found = torch.linalg.qr(x, out=(q, r))
    assert torch.equal(found.Q, L.qr(x).Q) and torch.equal(q @ r, found[0] @ found[1])
    assert type(found).__name__ == "linalg_qr" and type(torch.slogdet(x)).__name__ == "slogdet"
    inverse = torch.empty(3, 3)
    assert torch.equal(L.inv(x, out=inverse), L.inv(x)) and torch.equal(inverse, L.inv(x))


def test_old_spellings():
    a, b = matrix(torch.float64, 4, 4), matrix(torch.float64, 4, 2)
    u, s, v = torch.svd(a)
    assert near(u @ torch.diag(s) @ v.mT, a) and near(torch.qr(a).Q, L.qr(a).Q) and near(a.inverse(), L.inv(a)) and near(a.det(), L.det(a))
    factors, pivots = torch.lu(a)
    assert (
        near(torch.lu_solve(b, factors, pivots), L.solve(a, b)) and near(a.lu()[0], factors) and torch.lu(a, get_infos=True)[2].item() == 0
    )
    packed, tau = torch.geqrf(a)
    q = torch.orgqr(packed, tau)
    assert near(torch.ormqr(packed, tau, b), q @ b) and near(torch.ormqr(packed, tau, b.mT, left=False, transpose=True), b.mT @ q.mT)
    assert near(torch.triangular_solve(b, a).solution, L.solve_triangular(a, b, upper=True)) and near(torch.pinverse(a), L.pinv(a))
    assert near(torch.norm(a, "nuc"), L.matrix_norm(a, "nuc")) and near(torch.norm(a, "nuc", dim=(0, 1)), L.svdvals(a).sum())
    assert near(torch.cov(a), (a - a.mean(1, True)) @ (a - a.mean(1, True)).mT / 3) and near(
        torch.corrcoef(a).diagonal(), torch.ones(4, dtype=torch.float64)
    )
