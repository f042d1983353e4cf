"""The Kullback-Leibler divergence, by the classes of two distributions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from math import inf
from typing import Any

import monograph as torch

from .._tensor import Tensor
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

_linalg: Any = torch.linalg  # names that are missing say so when they are used
_Divergence = Callable[[Any, Any], Tensor]
_KL_REGISTRY: dict[tuple[type, type], _Divergence] = {}
_KL_MEMOIZE: dict[tuple[type, type], _Divergence | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[_Divergence], _Divergence]:
    """A decorator: the function computes kl_divergence(p, q) for these classes and their subclasses.

    >>> import monograph as torch
    >>> d = torch.distributions
    >>> class Mine(d.Normal): pass
    >>> @d.register_kl(Mine, Mine)
    ... def of_mine(p, q):
    ...     return (p.loc - q.loc) ** 2
    >>> d.kl_divergence(Mine(0.0, 1.0), Mine(3.0, 1.0))
    tensor(9.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # not only subclasses of Distribution: other libraries have their own distributions
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: _Divergence) -> _Divergence:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return register


def _is_nearer(a: tuple[type, ...], b: tuple[type, ...]) -> bool:
    """Whether a is the better match: where the two first differ, it has the subclass."""
    for x, y in zip(a, b):
        if not issubclass(x, y):
            return False
        if x is not y:
            return True
    return True


def _nearest(matches: list[tuple[type, ...]]) -> tuple[type, ...]:
    best = matches[0]
    for match in matches[1:]:
        if _is_nearer(match, best):
            best = match
    return best


def _find(type_p: type, type_q: type) -> _Divergence | None:
    matches: list[tuple[type, ...]] = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not matches:
        return None
    left_p, left_q = _nearest(matches)
    right_q, right_p = _nearest([(q, p) for p, q in matches])
    left, right = _KL_REGISTRY[left_p, left_q], _KL_REGISTRY[right_p, right_q]
    if left is not right:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left_p.__name__}, {right_q.__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return left


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean of log p(x) - log q(x) over draws of p, for each element of the batch.

    Raises:
        NotImplementedError: no formula is registered for the two classes (see register_kl).

    >>> import monograph as torch
    >>> d = torch.distributions
    >>> d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0))
    tensor(0.5000)
    """
    kinds = type(p), type(q)
    if kinds not in _KL_MEMOIZE:
        _KL_MEMOIZE[kinds] = _find(*kinds)
    function = _KL_MEMOIZE[kinds]
    if function is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {kinds[0].__name__} and q type {kinds[1].__name__}")
    return function(p, q)


def _infinite(like: Tensor) -> Tensor:
    return torch.full_like(like, inf)


def _x_log_x(x: Tensor) -> Tensor:
    return torch.xlogy(x, x)


# --- Divergences between two distributions of one class.


@register_kl(Bernoulli, Bernoulli)
def _bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    of_1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    of_1[q.probs == 0] = inf
    of_1[p.probs == 0] = 0
    of_0 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    of_0[q.probs == 1] = inf
    of_0[p.probs == 1] = 0
    return of_1 + of_0


@register_kl(Beta, Beta)
def _beta_beta(p: Beta, q: Beta) -> Tensor:
    of_p, of_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    constant = (q.concentration1.lgamma() + q.concentration0.lgamma() + of_p.lgamma()) - (
        p.concentration1.lgamma() + p.concentration0.lgamma() + of_q.lgamma()
    )
    first = (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
    second = (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
    return constant + first + second + (of_q - of_p) * torch.digamma(of_p)


@register_kl(Binomial, Binomial)
def _binomial_binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    result = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    result[p.total_count > q.total_count] = inf
    return result


@register_kl(Categorical, Categorical)
def _categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(Cauchy, Cauchy)
def _cauchy_cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    of_p = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    of_q = -q._cont_bern_log_norm() - torch.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + of_p + of_q


@register_kl(Dirichlet, Dirichlet)
def _dirichlet_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    of_p, of_q = p.concentration.sum(-1), q.concentration.sum(-1)
    constant = of_p.lgamma() - of_q.lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    slopes = p.concentration.digamma() - of_p.digamma().unsqueeze(-1)
    return constant + ((p.concentration - q.concentration) * slopes).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential_exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _family_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be computed using Bregman divergences"
        )
    theta = [parameter.detach().requires_grad_() for parameter in p._natural_params]
    normalizer = p._log_normalizer(*theta)
    gradients = torch.autograd.grad(normalizer.sum(), theta, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    for of_p, of_q, gradient in zip(theta, q._natural_params, gradients):
        result = result - _sum_rightmost((of_q - of_p) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma_gamma(p: Gamma, q: Gamma) -> Tensor:
    constant = q.concentration * (p.rate / q.rate).log() + torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    return constant + (p.concentration - q.concentration) * torch.digamma(p.concentration) + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Geometric, Geometric)
def _geometric_geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel_gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, of_q, of_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = torch.exp(of_q + torch.lgamma(1 + ratio) - of_p)
    return -ratio.log() - of_q + of_p + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal_half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal_normal(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent_independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _laplace_laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * torch.exp(-away / p.scale) - 1


def _check_events(p: Any, q: Any, kinds: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {kinds} with                          different event shapes cannot be computed")


def _squares(matrix: Tensor) -> Tensor:
    """The sum of the squares of the elements of each matrix."""
    return matrix.pow(2).sum((-2, -1))


def _of_low_rank(q: LowRankMultivariateNormal) -> tuple[Tensor, Tensor]:
    """The matrix A and the scale D^(-1/2) with inverse(covariances of q) = D^-1 - A.mT @ A."""
    a = _linalg.solve_triangular(q._capacitance_tril, q._scaled_factor(), upper=False)
    return a, q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank_low_rank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_events(p, q, "Low Rank Multivariate Normals")
    (a, scale), w = _of_low_rank(q), p._unbroadcasted_cov_factor
    traces = (p._unbroadcasted_cov_diag / q._unbroadcasted_cov_diag).sum(-1) + _squares(w * scale)
    traces = traces - _squares(a * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2)) - _squares(a.matmul(w))
    return 0.5 * (q._log_det() - p._log_det() + traces + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_low_rank(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    a, scale = _of_low_rank(q)
    traces = _squares(p._unbroadcasted_scale_tril * scale) - _squares(a.matmul(p._unbroadcasted_scale_tril))
    return 0.5 * (q._log_det() - 2 * p._half_log_det() + traces + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_multivariate(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    of_p = (p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    traces = sum(_squares(_linalg.solve_triangular(q._unbroadcasted_scale_tril, part, upper=False)) for part in of_p)
    away = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return 0.5 * (2 * q._half_log_det() - p._log_det() + traces + away - p.event_shape[0])


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_multivariate(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    _check_events(p, q, "Multivariate Normals")
    ratio = _linalg.solve_triangular(q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril, upper=False)
    traces = ratio.pow(2).sum((-2, -1)) + _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (traces - p.event_shape[0])


@register_kl(Normal, Normal)
def _normal_normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical_categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto_pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    result[p.scale < q.scale] = inf
    return result


@register_kl(Poisson, Poisson)
def _poisson_poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform_uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = inf
    return result


# --- Infinite divergences: p can draw values that q never draws.
_A_PARAMETER = ("concentration1", "concentration", "rate", "loc", "scale", "probs")  # one of those that p has
for _p, _qs in (
    (Beta, (Pareto,)), (ContinuousBernoulli, (Pareto,)), (Exponential, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gamma, (Beta, ContinuousBernoulli, Pareto, Uniform)), (Gumbel, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Laplace, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)), (Normal, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Pareto, (Beta, ContinuousBernoulli, Uniform)), (Poisson, (Bernoulli, Binomial)),
):  # fmt: skip
    for _q in _qs:
        register_kl(_p, _q)(lambda p, q: _infinite(next(getattr(p, name) for name in _A_PARAMETER if hasattr(p, name))))


# --- Divergences between distributions of two classes.


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Tensor:
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p: Beta, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def _gamma_normalizer(q: Gamma) -> Tensor:
    return q.concentration.lgamma() - q.concentration * q.rate.log()


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Tensor:
    log_mean = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _gamma_normalizer(q) - (q.concentration - 1) * log_mean + q.rate * p.mean


@register_kl(Beta, Normal)
def _beta_normal(p: Beta, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    squares = (p.variance + p.mean.pow(2)) * 0.5 - q.loc * p.mean + q.loc.pow(2) * 0.5
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + squares / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Beta, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > 0) | (q.high < 1)] = inf
    return result


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: ContinuousBernoulli, q: Exponential) -> Tensor:
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: ContinuousBernoulli, q: Normal) -> Tensor:
    normalizer = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    return -p.entropy() + normalizer + (p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * torch.square(q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    outside = torch.max(torch.ge(q.low, 0.0), torch.le(q.high, 1.0))
    return torch.where(outside, torch.ones_like(result) * inf, result)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio = q.rate / p.rate
    return -q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma() + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - ratio + torch.exp(ratio) * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Tensor:
    variance, squared = q.scale.pow(2), p.rate.pow(2)
    first = 0.5 * torch.log(squared * variance * 2 * math.pi)
    return first - 1 + (squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    k, product, ratio = p.concentration, p.rate * q.scale, q.loc / q.scale
    first = (k - 1) * k.digamma() - k.lgamma() - k + product.log() + k / product
    return first + torch.exp(ratio) * (1 + product.reciprocal()).pow(-k) - ratio


@register_kl(Gamma, Normal)
def _gamma_normal(p: Gamma, q: Normal) -> Tensor:
    k, variance, squared = p.concentration, q.scale.pow(2), p.rate.pow(2)
    first = 0.5 * torch.log(squared * variance * 2 * math.pi) - k - k.lgamma()
    squares = 0.5 * (k.pow(2) + k) / squared - q.loc * k / p.rate + 0.5 * q.loc.pow(2)
    return first + (k - 1) * k.digamma() + squares / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Gumbel, q: Normal) -> Tensor:
    ratio = p.scale / q.scale
    second = (math.pi * ratio * 0.5).pow(2) / 3
    third = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + second + third - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    squares = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -(0.5 * torch.log(2 * ratio / math.pi)) + ratio + squares / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    of_p, ratio, of_q = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    return -(ratio.log() * 0.5) + of_p - of_q + torch.exp(-of_p + 0.5 * ratio + of_q) - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    away = p.loc - q.loc
    relative = away / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * relative.pow(2))
    return -torch.log(p.scale / q.scale) + (spread + away * torch.erf(math.sqrt(0.5) * relative)) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Pareto, q: Exponential) -> Tensor:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    result[p.alpha <= 1] = inf
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    log_mean = p.scale.log() + p.alpha.reciprocal()
    result = p.alpha.log() - log_mean + _gamma_normalizer(q) + (1 - q.concentration) * log_mean + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    result[p.alpha <= 1] = inf
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Tensor:
    part = p.scale / (p.alpha - 1)
    first = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    moments = p.alpha * part.pow(2) / (p.alpha - 2) + (p.alpha * part - q.loc).pow(2)
    result = first - p.alpha.reciprocal() + moments / (2 * q.scale.pow(2)) - 1
    result[p.alpha <= 2] = inf
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()
    outside = torch.max(torch.ge(p.high, 1.0), torch.le(p.low, 0.0))
    return torch.where(outside, torch.ones_like(result) * inf, result)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    width = p.high - p.low
    of_1 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    of_0 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = of_0 + normalizer - torch.log(width) - of_1
    result[(p.high > 1) | (p.low < 0)] = inf
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    width = p.high - p.low
    of_log = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = -width.log() + _gamma_normalizer(q) + of_log + q.rate * (p.high + p.low) / 2
    result[p.low < 0] = inf
    return result


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < 0.0] = inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ratio, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Tensor:
    width = p.high - p.low
    squares = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * squares / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    width = p.high - p.low
    result = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width * (q.alpha + 1) - (q.alpha * q.scale.pow(q.alpha) * width).log()
    result[p.low < q.scale] = inf
    return result
