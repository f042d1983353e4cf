from __future__ import annotations

from typing import Any

import monograph as torch

from .._tensor import Tensor
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base class of exponential families: log p(x) = <t(x), theta> - F(theta) + k(x).

    A class gives theta as `_natural_params`, F as `_log_normalizer` and the mean of k as `_mean_carrier_measure`. Its entropy and its Kullback-Leibler
    divergence follow from the gradient of F.

    >>> import monograph as torch
    >>> isinstance(torch.distributions.Exponential(2.0), torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        theta = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*theta)
        gradients = torch.autograd.grad(normalizer.sum(), theta, create_graph=True)
        result: Any = normalizer - self._mean_carrier_measure
        for parameter, gradient in zip(theta, gradients):
            result = result - (parameter * gradient).reshape((*self._batch_shape, -1)).sum(-1)
        return result
