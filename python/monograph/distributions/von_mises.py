from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]

# Polynomials for Bessel's I0 and I1 (Abramowitz and Stegun, 9.8): below 3.75, and above.
_NEAR = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_FAR = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)


def _polynomial(y: Tensor, coefficients: Sequence[float]) -> Tensor:
    *rest, last = coefficients
    result: Any = last
    for c in reversed(rest):
        result = c + y * result
    return result


def _log_bessel(x: Tensor, order: int) -> Tensor:
    """log(I0(x)) or log(I1(x)), for x > 0."""
    near = _polynomial((x / 3.75) * (x / 3.75), _NEAR[order])
    if order == 1:
        near = x.abs() * near
    far = x - 0.5 * x.log() + _polynomial(3.75 / x, _FAR[order]).log()
    return torch.where(x < 3.75, near.log(), far)


class VonMises(Distribution):
    """The von Mises distribution: angles on a circle, similar to a normal distribution on a line.

    Args:
        loc: the mean angle, in radians. Angles that differ by 2 pi are the same.
        concentration: the larger, the nearer to loc draws are.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.VonMises(torch.tensor([1.0]), torch.tensor([2.0])).mean
    tensor([1.])
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> VonMises:
        return type(self)(
            self.loc.expand(batch_shape), self.concentration.expand(batch_shape), validate_args=self.__dict__.get("_validate_args")
        )  # fmt: skip

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        score = self.concentration * torch.cos(value - self.loc)
        return score - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    def _proposal(self, k: Tensor) -> Tensor:
        """The parameter of the wrapped Cauchy distribution that draws are taken from."""
        tau = 1 + (1 + 4 * k**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        return torch.where(k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        # Best and Fisher's rejection, in float64.
        with torch.no_grad():
            loc, k = self.loc.double(), self.concentration.double()
            r, shape = self._proposal(k), self._extended_shape(sample_shape)
            x = torch.empty(shape, dtype=loc.dtype, device=loc.device)
            done = torch.zeros(shape, dtype=torch.bool, device=loc.device)
            while not bool(done.all()):
                u1, u2, u3 = torch.rand((3, *shape), dtype=loc.dtype, device=loc.device).unbind()
                z = torch.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
