"""The orthogonal polynomials of torch.special: small degrees are computed for several elements at once, others one by one. Both give the same bits."""

import monograph as torch
import pytest

CHEBYSHEV = [f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"]
NAMES = [*CHEBYSHEV, "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
POINTS = [-2.5, -1.0, -0.75, -0.0, 0.0, 0.3, 0.5, 1.0, 1.5, 1e30, float("inf"), float("-inf"), float("nan")]
DEGREES = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.9, 3.0, 4.0, float("nan")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_elements_do_not_depend_on_their_neighbours(name, dtype):
    polynomial = getattr(torch.special, name)
    x, n = (t.reshape(-1) for t in torch.meshgrid(torch.tensor(POINTS, dtype=dtype), torch.tensor(DEGREES, dtype=dtype), indexing="ij"))
    together = polynomial(x, n)
    # A large degree beside an element makes its block one by one.
    pairs = [polynomial(torch.stack([a, torch.full_like(a, 0.25)]), torch.stack([b, torch.full_like(b, 40.0)])) for a, b in zip(x, n, strict=True)]
    assert torch.equal(torch.isnan(together), torch.isnan(torch.stack(pairs)[:, 0]))
    assert torch.equal(torch.nan_to_num(together), torch.nan_to_num(torch.stack(pairs)[:, 0]))
    strided = torch.empty(len(x), 3, dtype=dtype)
    torch.nan_to_num(polynomial(x.reshape(1, -1).expand(3, -1).t(), n.reshape(-1, 1)), out=strided)
    for column in range(3):
        assert torch.equal(strided[:, column], torch.nan_to_num(together))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_one_argument_for_a_long_row(name, dtype):
    """The row reads a table of the argument's values, except for degrees above it."""
    polynomial = getattr(torch.special, name)
    n = torch.tensor([*DEGREES, 5.0, 9.0, 30.0, 31.0, 31.5, 32.0, 33.0, 70.0], dtype=dtype).repeat(5)
    for point in POINTS:
        row = polynomial(torch.tensor(point, dtype=dtype), n)
        each = torch.stack([polynomial(torch.tensor([point], dtype=dtype), k.reshape(1))[0] for k in n])
        assert torch.equal(torch.isnan(row), torch.isnan(each))
        assert torch.equal(torch.nan_to_num(row), torch.nan_to_num(each))


def test_a_long_row_is_the_same_on_one_thread_and_on_two():
    x, n = torch.rand(50_003), (torch.rand(50_003) * 6).floor()
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = torch.special.chebyshev_polynomial_t(x, n)
        torch.set_num_threads(2)
        assert torch.equal(one, torch.special.chebyshev_polynomial_t(x, n))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(one[:1000], torch.special.chebyshev_polynomial_t(x[:1000], n[:1000]))
