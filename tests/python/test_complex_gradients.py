"""Gradients through complex numbers: PyTorch's convention, the conjugate of the slope times what flows in. Finite differences decide (gradcheck), and
tests/python/test_op_db.py compares with PyTorch itself."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph.autograd import gradcheck, gradgradcheck

Z = torch.tensor([0.3 + 0.4j, -0.7 + 0.2j, 0.5 - 0.6j, -0.25 - 0.85j], dtype=torch.complex128)
W = torch.tensor([1.1 - 0.3j, 0.4 + 0.9j, -0.8 + 0.1j, 0.2 - 1.2j], dtype=torch.complex128)
X = torch.tensor([0.7, -1.3, 0.4, 2.1], dtype=torch.float64)


def leaves(*tensors):
    return tuple(t.clone().requires_grad_() for t in tensors)


SMOOTH = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt rsqrt reciprocal square sigmoid neg "
    "conj conj_physical abs angle sgn real imag view_as_real sum mean cumsum prod"
).split()


@pytest.mark.parametrize("name", SMOOTH)
def test_functions_of_one_number(name):
    def call(z):
        return torch.cumsum(z, 0) if name == "cumsum" else getattr(torch, name)(z)

    assert gradcheck(call, leaves(Z))
    assert gradgradcheck(call, leaves(Z))


@pytest.mark.parametrize("first", [Z, X], ids=["complex", "real"])
@pytest.mark.parametrize("second", [W, X], ids=["complex", "real"])
@pytest.mark.parametrize("name", ["add", "sub", "rsub", "mul", "div", "pow", "dot", "vdot"])
def test_functions_of_two_numbers(name, first, second):
    if name in ("dot", "vdot"):
        if first.dtype != second.dtype:
            return
    if name == "pow" and not first.is_complex() and not second.is_complex():
        first = first.abs()
    assert gradcheck(getattr(torch, name), leaves(first, second))
    assert gradgradcheck(getattr(torch, name), leaves(first, second))


@pytest.mark.parametrize(
    "call",
    [
        lambda z: z * (2 - 3j),
        lambda z: (1 + 2j) / z,
        lambda z: z ** (0.5 + 1j),
        lambda z: z**3,
        lambda z: (2 + 1j) ** z,
        lambda z: torch.add(z, W, alpha=2j),
        lambda z: torch.addcmul(W, z, z, value=1.5 - 1j),
        lambda z: torch.addcdiv(W, z, W, value=1j),
        lambda z: torch.lerp(z, W, 0.3 + 0.1j),
        lambda z: torch.lerp(W, z, z),
        lambda z: torch.where(z.real > 0, z, W),
        lambda z: z.masked_fill(z.real > 0, 1j),
        lambda z: torch.cat([z, z * z]),
        lambda z: z.reshape(2, 2) @ W.reshape(2, 2),
        lambda z: W.reshape(2, 2) @ z.reshape(2, 2).mH,
        lambda z: torch.linalg.vector_norm(z),
        lambda z: torch.linalg.vector_norm(z, 3),
        lambda z: torch.linalg.vector_norm(z, 1),
        lambda z: z.var(),
        lambda z: z.std(),
        lambda z: z.logsumexp(0),
        lambda z: torch.cumprod(z, 0),
        lambda z: z.index_select(0, torch.tensor([0, 0, 3])),
        lambda z: torch.nn.functional.silu(z),
        lambda z: torch.einsum("i,j->ij", z, z.conj()),
        lambda z: torch.view_as_real(z)[:, 1] * X,
        lambda z: torch.view_as_complex(torch.view_as_real(z) * 2.0),
        lambda z: z.to(torch.complex128).real.to(torch.complex128) * z,
    ],
)
def test_programs(call):
    assert gradcheck(call, leaves(Z))
    assert gradgradcheck(call, leaves(Z))


def test_real_arguments_get_real_gradients():
    x, y = leaves(X, X + 1)
    for call in (
        torch.complex,
        lambda a, b: torch.polar(a.abs(), b),
        lambda a, b: a * 1j + b.to(torch.complex128),
        lambda a, b: torch.pow(a.abs(), W) * b,
    ):
        assert gradcheck(call, (x, y)) and gradgradcheck(call, (x, y))
    (x * W).abs().sum().backward()
    assert x.grad.dtype == torch.float64 and not x.grad.is_complex()


def test_known_values():
    z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.tolist() == [2 + 4j, 6 - 8j]  # of |z|^2: 2 z
    z.grad = None
    z.abs().sum().backward()
    assert torch.allclose(z.grad, torch.sgn(z.detach()))
    (z.detach().requires_grad_() ** 2).sum().backward(torch.tensor(1j))
    zero = torch.zeros(1, dtype=torch.complex64, requires_grad=True)
    (zero.abs() + zero.sgn().real + zero.angle()).sum().backward()
    assert zero.grad.tolist() == [0j]


def test_branches():
    """Beside a branch cut the conjugates go around the product, not into the function."""
    base = torch.tensor([-2.0, -0.5], dtype=torch.float64)
    w = torch.tensor([0.5 + 1j, 2 - 1j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda w: torch.pow(base, w), (w,))
    left = torch.tensor([-2 + 1e-3j, -3 - 1e-3j, -0.5 + 2j], dtype=torch.complex128, requires_grad=True)
    for name in ("acosh", "sqrt", "log", "asinh", "atanh"):
        assert gradcheck(getattr(torch, name), (left,))


def test_roots_of_a_backward_pass():
    z = torch.tensor([1 + 1j], requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs but got torch.complex64"):
        (z * 2).sum().backward()
    with pytest.raises(RuntimeError, match="both grad_output and output are required to have the same dtype"):
        (z * 2).backward(torch.ones(1))
    with pytest.raises(RuntimeError, match="both grad_output and output are required to have the same dtype"):
        z.abs().backward(torch.ones(1, dtype=torch.complex64))
    (z * 2j).backward(torch.ones(1, dtype=torch.complex64))
    assert z.grad.tolist() == [-2j]


def test_writes_through_the_parts():
    def write_real(z):
        y = z * 1
        y.real.mul_(X)
        return y

    def write_parts(z):
        y = z * z
        torch.view_as_real(y)[1:].mul_(3.0)
        return y

    def write_complex(x):
        y = x * 1
        torch.view_as_complex(y.reshape(2, 2)).mul_(1 + 2j)
        return y

    def see_the_write(z):
        y = z * 1
        imaginary = y.imag
        y.mul_(W)
        return imaginary

    for call, given in ((write_real, Z), (write_parts, Z), (write_complex, X), (see_the_write, Z)):
        assert gradcheck(call, leaves(given))


def test_a_graph_of_a_gradient():
    def step(z):
        with torch.enable_grad():
            w = z.detach().requires_grad_()
            loss = (torch.exp(w) * W.to(torch.complex64)).abs().sum()
        return torch.autograd.grad(loss, w)[0]

    z = Z.to(torch.complex64)
    traced = torch.jit.trace(step, (z,))
    other = torch.tensor([1 - 1j, 0.25j, 2 + 0j, -1 + 1j])
    assert torch.allclose(traced(other), step(other))


def test_gradcheck_of_complex_results():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * 2 * z  # without the conjugate

    with pytest.raises(
        RuntimeError,
        match="While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with respect to input 0",
    ):
        gradcheck(Wrong.apply, leaves(Z))
    assert not gradcheck(Wrong.apply, leaves(Z), raise_exception=False)
    assert gradcheck(lambda z, x: (z * x, x * 2, z.real), leaves(Z, X))
