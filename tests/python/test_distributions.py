"""torch.distributions: beside live PyTorch (draws from one seed, scores, moments, gradients, errors), and by what must hold of any distribution."""

from __future__ import annotations

import math
import pickle

import beside
import monograph as torch
import pytest

d = torch.distributions
HAS_LGAMMA = hasattr(torch, "lgamma")

# Text that makes a distribution of parameters, which are leaves of a graph.
PARAMETERS = """
d = torch.distributions
def leaf(*values, dtype=torch.float32):
    return torch.tensor(values[0] if len(values) == 1 else values, dtype=dtype, requires_grad=True)
a, b, p, w = leaf(0.5, -1.5, 2.0), leaf(1.5, 0.25, 3.0), leaf(0.125, 0.5, 0.875), leaf([[0.5, 0.25, 2.0], [1.0, 3.0, 0.5]])
leaves = [a, b, p, w]
"""
CONTINUOUS = {
    "normal": "d.Normal(a, b)",
    "normal of numbers": "d.Normal(0.5, 2.0)",
    "normal of doubles": "d.Normal(a.double(), 2.0)",
    "broadcast": "d.Normal(a.unsqueeze(1), b)",
    "uniform": "d.Uniform(a - b, a + b)",
    "exponential": "d.Exponential(b)",
    "laplace": "d.Laplace(a, b)",
    "cauchy": "d.Cauchy(a, b)",
    "half normal": "d.HalfNormal(b)",
    "half cauchy": "d.HalfCauchy(b)",
    "log normal": "d.LogNormal(a, b)",
    "gumbel": "d.Gumbel(a, b)",
    "gumbel of numbers": "d.Gumbel(0.0, 1.0)",
    "pareto": "d.Pareto(b, b + 3)",
    "generalized pareto": "d.GeneralizedPareto(a, b, torch.tensor([0.25, 0.0, -0.5]))",
    "continuous bernoulli": "d.ContinuousBernoulli(p)",
    "continuous bernoulli by logits": "d.ContinuousBernoulli(logits=a)",
    "relaxed bernoulli": "d.RelaxedBernoulli(torch.tensor(0.75), p)",
    "logit relaxed bernoulli": "d.relaxed_bernoulli.LogitRelaxedBernoulli(torch.tensor(0.75), logits=a)",
    "relaxed one hot": "d.RelaxedOneHotCategorical(torch.tensor(0.75), w)",
    "logistic normal": "d.LogisticNormal(a, b)",
    "logistic": "d.TransformedDistribution(d.Uniform(torch.zeros(3), torch.ones(3)), [d.SigmoidTransform().inv, d.AffineTransform(loc=a, scale=b)])",
    "reversed": "d.TransformedDistribution(d.Exponential(b), d.AffineTransform(loc=a, scale=-b))",
    "softplus": "d.TransformedDistribution(d.Normal(a, b), [d.SoftplusTransform()])",
    "tanh": "d.TransformedDistribution(d.Normal(a, 0.5), [d.TanhTransform(cache_size=1)])",
    "independent": "d.Independent(d.Normal(w, b), 1)",
    "independent of nothing": "d.Independent(d.Laplace(a, b), 0)",
    "mixture": "d.MixtureSameFamily(d.Categorical(p), d.Normal(a, b))",
    "mixture of batches": "d.MixtureSameFamily(d.Categorical(w), d.Normal(w, b))",
    "mixture of events": "d.MixtureSameFamily(d.Categorical(p), d.Independent(d.Normal(torch.stack([a, b], 1), 1.0), 1))",
}
OF_GAMMA = {
    "gamma": "d.Gamma(b, b + 1)",
    "gamma of large and small shapes": "d.Gamma(leaf(0.01, 9.0, 60.0), w.sum())",
    "gamma of doubles": "d.Gamma(b.double(), 2.0)",
    "chi2": "d.Chi2(b)",
    "beta": "d.Beta(b, p)",
    "beta of numbers": "d.Beta(2.0, 3.0)",
    "beta of large parameters": "d.Beta(b * 9, 7.0 + p)",
    "dirichlet": "d.Dirichlet(w)",
    "dirichlet of many": "d.Dirichlet(torch.cat([w, 8 * w, w + 2, 1 / w], 1))",
    "dirichlet of small numbers": "d.Dirichlet(w / 16)",
    "fisher": "d.FisherSnedecor(b, b + 3)",
    "student": "d.StudentT(b, a, b)",
    "student of a number": "d.StudentT(3.0)",
    "inverse gamma": "d.InverseGamma(b + 2, b)",
    "von mises": "d.VonMises(a, b)",
    "von mises, wide and narrow": "d.VonMises(a.double(), torch.tensor([1e-6, 0.01, 300.0], dtype=torch.float64))",
    "lkj": "d.LKJCholesky(3, b.double())",
    "lkj of a number": "d.LKJCholesky(2, 0.5)",
    "low rank": "d.LowRankMultivariateNormal(a.double(), w.t().double(), b.double())",
    "low rank of batches": "d.LowRankMultivariateNormal(w, torch.stack([w.t(), 2 * w.t()]), b)",
    "wishart": "d.Wishart(b.sum().double() + 3, torch.diag(b).double() + 0.125)",
    "wishart by factor": "d.Wishart(torch.stack([b.sum(), b.sum() + 2]).double(), scale_tril=torch.diag(b).double())",
    "wishart by precision": "d.Wishart(7, precision_matrix=torch.diag(b).double())",
    "negative binomial": "d.NegativeBinomial(leaf(0.0, 2.0, 5.5), p)",
    "negative binomial by logits": "d.NegativeBinomial(4, logits=a)",
    "binomial": "d.Binomial(torch.tensor([3.0, 40.0, 1000.0]), p)",
    "binomial by logits": "d.Binomial(30, logits=a.double())",
}
DISCRETE = {
    "bernoulli": "d.Bernoulli(p)",
    "bernoulli of a number": "d.Bernoulli(0.25)",
    "bernoulli by logits": "d.Bernoulli(logits=a)",
    "geometric": "d.Geometric(p)",
    "geometric by logits": "d.Geometric(logits=a)",
    "categorical": "d.Categorical(w)",
    "categorical by logits": "d.Categorical(logits=w)",
    "one hot": "d.OneHotCategorical(w)",
    "straight through": "d.OneHotCategoricalStraightThrough(logits=w)",
}
OF_LGAMMA = {"weibull": "d.Weibull(b, b + 0.5)", "kumaraswamy": "d.Kumaraswamy(b + 1, b + 2)", "multinomial": "d.Multinomial(7, w)", "multinomial of one": "d.Multinomial(5, logits=a)"}
OF_LINALG = {
    "multivariate normal": "d.MultivariateNormal(a, scale_tril=torch.diag(b) + torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [-1.0, 0.25, 0.0]]))",
    "by covariance": "d.MultivariateNormal(w, covariance_matrix=torch.diag(b))",
    "by precision": "d.MultivariateNormal(a, precision_matrix=torch.diag(b) + 0.125)",
}
HAS_LINALG = all(hasattr(torch.linalg, name) for name in ("cholesky", "cholesky_ex", "solve_triangular"))
# What both are asked. `attempt` gives the value, or the error's text.
QUESTIONS = """
m = MADE
torch.manual_seed(5)
x = attempt(lambda: m.sample((4,)))[0]
r = attempt(lambda: m.rsample((2, 3)) if m.has_rsample else None)[0]
grads = None
if m.has_rsample and r.requires_grad:
    grads = [None if g is None else g for g in torch.autograd.grad((r * r).sum(), leaves, allow_unused=True, retain_graph=True)]
score = attempt(lambda: m.log_prob(x))
of_score = None
if isinstance(score[0], torch.Tensor) and score[0].requires_grad:
    of_score = list(torch.autograd.grad(score[0].sum(), leaves, allow_unused=True, retain_graph=True))
q = torch.tensor([0.125, 0.5, 0.75])
wider = m.expand((2,) + tuple(m.batch_shape))
result = [
    m.batch_shape, m.event_shape, repr(m), m.has_rsample, m.has_enumerate_support, x, r, grads, score, of_score,
    *(attempt(lambda name=name: getattr(m, name)) for name in ("mean", "mode", "variance", "stddev")),
    attempt(m.entropy), attempt(m.perplexity), attempt(lambda: m.cdf(x)), attempt(lambda: m.icdf(q)), attempt(lambda: m.enumerate_support()),
    attempt(lambda: m.enumerate_support(expand=False)), repr(m.support), m.support.is_discrete, m.support.event_dim, m.support.check(x),
    wider.batch_shape, repr(wider), attempt(lambda: wider.log_prob(x[:2].reshape((2, 1) + x.shape[1:])))[0], attempt(lambda: m.log_prob(x[0, ..., None].expand(x.shape[1:] + (5,)))),
]
"""


def as_torch(value):
    """Texts with the module paths of PyTorch."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_torch, value))
    return value.replace("monograph.", "torch.") if isinstance(value, str) else value


@pytest.mark.oracle
@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE, *(OF_LGAMMA if HAS_LGAMMA else ()), *(OF_LINALG if HAS_LINALG else ()), *OF_GAMMA])
def test_beside_pytorch(oracle, name):
    made = {**CONTINUOUS, **DISCRETE, **OF_LGAMMA, **OF_LINALG, **OF_GAMMA}[name]
    # The draws of a normal distribution differ by 2 ulp, and rsample's gradients square them.
    questions = QUESTIONS.replace("MADE", made)
    if name.startswith("wishart"):  # PyTorch overwrites the draws, so that they have no gradients
        questions = questions.replace("if m.has_rsample and r.requires_grad", "if False")
    program = beside.TRY + PARAMETERS + questions
    beside.assert_equal(as_torch(beside.run(program)), oracle.run(program), rtol=3e-5)


@pytest.mark.oracle
def test_errors_beside_pytorch(oracle):
    calls = [
        "d.Normal(0.0, -1.0)", "d.Normal(torch.zeros(2), torch.tensor([1.0, 0.0]))", "d.Normal(float('nan'), 1.0)", "d.Uniform(2.0, 1.0)", "d.Bernoulli(1.5)",
        "d.Bernoulli(0.5, 0.5)", "d.Bernoulli()", "d.Categorical(torch.tensor(1.0))", "d.Categorical(logits=torch.tensor(1.0))", "d.Categorical(torch.tensor([-1.0, 2.0]))",
        "d.Normal(0.0, 1.0).log_prob(1.0)", "d.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(3))", "d.Exponential(1.0).log_prob(torch.tensor(-1.0))",
        "d.Independent(d.Normal(torch.zeros(2), 1.0), 2)", "d.Independent(d.Normal(torch.zeros(2), 1.0), 1).log_prob(torch.zeros(3))",
        "d.Normal(0.0, 1.0).enumerate_support()", "d.Bernoulli(0.5).cdf(torch.tensor(0.0))", "d.Bernoulli(0.5).rsample()", "d.Geometric(0.0)", "d.Geometric(torch.tensor([0.5, 0.0]))",
        "d.TransformedDistribution(d.Normal(0.0, 1.0), [1])", "d.TransformedDistribution(d.Normal(0.0, 1.0), 1)", "d.TransformedDistribution(d.Normal(0.0, 1.0), d.StickBreakingTransform())",
        "d.MixtureSameFamily(d.Normal(0.0, 1.0), d.Normal(torch.zeros(2), 1.0))", "d.MixtureSameFamily(d.Categorical(torch.ones(2)), 3)",
        "d.MixtureSameFamily(d.Categorical(torch.ones(2)), d.Normal(torch.zeros(3), 1.0))", "d.MixtureSameFamily(d.Categorical(torch.ones(4, 2)), d.Normal(torch.zeros(3, 2), 1.0))",
        "d.Multinomial(torch.ones(2), torch.ones(2))", "d.AffineTransform(0.0, 1.0, cache_size=2)", "d.ReshapeTransform((2, 3), (5,))",
        "d.ReshapeTransform((2, 3), (6,)).forward_shape((3, 2))", "d.ReshapeTransform((2, 3), (6,)).forward_shape((3,))", "d.StickBreakingTransform().event_dim", "d.CorrCholeskyTransform().forward_shape((2,))",
        "d.ExpTransform().with_cache(3)", "d.kl_divergence(d.Bernoulli(0.5), d.Normal(0.0, 1.0))", "d.biject_to(d.constraints.boolean)", "d.constraints.dependent.check(1)",
        "d.constraints.dependent.is_discrete", "d.constraints.independent(d.constraints.real, 2).check(torch.zeros(2))", "d.constraints.cat([1])", "d.Distribution.set_default_validate_args(3)",
        "d.utils.broadcast_all('a')", "d.utils.vec_to_tril_matrix(torch.zeros(2))", "d.utils.tril_matrix_to_vec(torch.zeros(2, 2), 3)", "d.ContinuousBernoulli(2.0, validate_args=True)",
        "d.Dirichlet(torch.tensor(1.0))", "d.Gamma(-1.0, 1.0)", "d.Beta(torch.tensor([1.0, 0.0]), 1.0)", "d.LKJCholesky(1)", "d.Wishart(1.0, torch.eye(3))",
        "d.Wishart(4.0, torch.eye(3), torch.eye(3))", "d.Wishart(4.0, torch.ones(3))", "d.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))",
        "d.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2), torch.ones(2))", "d.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(3))",
        "d.LowRankMultivariateNormal(torch.zeros(3, 2), torch.ones(4, 2, 1), torch.ones(2))", "d.NegativeBinomial(-1, 0.5)", "d.VonMises(0.0, 0.0)",
        "d.Gamma(1.0, 1.0).log_prob(torch.tensor(-1.0))", "d.StudentT(0.0)", "d.Normal(0.0, 1.0).sample_n(2).shape", "d.Distribution().mode", "d.transform_to.register(3, lambda c: c)",
        "type('Mine', (d.Normal,), {'__init__': lambda self: d.Normal.__init__(self, 0.0, 1.0)})().expand((2,))",
    ]  # fmt: skip
    program = beside.TRY + "d = torch.distributions\nresult = [(call, attempt(lambda: repr(eval(call)))) for call in CALLS]"
    own = {"d.Distribution.set_default_validate_args(3)": "ValueError"}  # PyTorch says no words
    ours, theirs = beside.run(program.replace("CALLS", repr(calls))), oracle.run(program.replace("CALLS", repr(calls)))
    for (call, mine), (_, other) in zip(ours, theirs):
        assert (mine[0].partition(":")[0] == own[call]) if call in own else as_torch(mine) == other, call


TRANSFORMS = {
    "exp": ("d.ExpTransform()", "x"),
    "power": ("d.PowerTransform(torch.tensor([2.0, 0.5, 3.0]))", "x.abs()"),
    "sigmoid": ("d.SigmoidTransform()", "x"),
    "softplus": ("d.SoftplusTransform()", "x"),
    "tanh": ("d.TanhTransform()", "x"),
    "abs": ("d.AbsTransform()", "x"),
    "affine": ("d.AffineTransform(torch.tensor([1.0, 2.0, 3.0]), -2.0)", "x"),
    "affine of events": ("d.AffineTransform(1.0, torch.tensor([1.0, -2.0, 3.0]), event_dim=1)", "x"),
    "softmax": ("d.SoftmaxTransform()", "x"),
    "stick breaking": ("d.StickBreakingTransform()", "x"),
    "lower cholesky": ("d.LowerCholeskyTransform()", "torch.randn(2, 3, 3)"),
    "correlations": ("d.CorrCholeskyTransform()", "x"),
    "reshape": ("d.ReshapeTransform((3,), (3, 1))", "x"),
    "compose": ("d.ComposeTransform([d.AffineTransform(0.5, 2.0), d.ExpTransform(), d.PowerTransform(0.5)])", "x"),
    "compose of events": ("d.ComposeTransform([d.AffineTransform(0.5, 2.0), d.StickBreakingTransform()])", "x"),
    "independent": ("d.IndependentTransform(d.ExpTransform(), 1)", "x"),
    "cat": ("d.CatTransform([d.ExpTransform(), d.AffineTransform(1.0, 2.0)], dim=-1, lengths=[1, 2])", "x"),
    "stack": ("d.StackTransform([d.ExpTransform(), d.SigmoidTransform()], dim=0)", "x"),
    "cdf": ("d.CumulativeDistributionTransform(d.Normal(0.0, 2.0))", "x"),
    "identity": ("d.identity_transform", "x"),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("inverse", [False, True])
def test_transforms_beside_pytorch(oracle, name, inverse):
    made, values = TRANSFORMS[name]
    program = f"""
d = torch.distributions
x = torch.tensor([[0.5, -1.5, 0.25], [1.0, 0.125, -0.75]])
torch.manual_seed(0)
t, x = {made}, {values}
y = t(x)
if {inverse}:
    t, x, y = t.inv, y, t.inv(y)
result = [
    y, attempt(lambda: t.log_abs_det_jacobian(x, y)), repr(t), t.bijective, attempt(lambda: t.sign), attempt(lambda: t.event_dim), repr(t.domain), repr(t.codomain),
    t.domain.event_dim, t.codomain.event_dim, t.forward_shape(x.shape), attempt(lambda: t.inverse_shape(y.shape)), t.inv.inv is t, t == t, t == d.ExpTransform(),
    attempt(lambda: t.with_cache(1)._cache_size), t.codomain.check(y),
]
"""
    beside.both(oracle, beside.TRY + program, rtol=2e-5)


@pytest.mark.oracle
def test_divergences_beside_pytorch(oracle):
    program = """
d = torch.distributions
a, b, c, p, q = torch.tensor([0.5, -1.5]), torch.tensor([1.5, 0.25]), torch.tensor([2.0, 4.0]), torch.tensor([0.125, 0.5]), torch.tensor([0.75, 1.0])
made = [
    d.Normal(a, b), d.Normal(b, c), d.Laplace(a, b), d.Laplace(b, c), d.Uniform(-b, c), d.Uniform(b * 0, c * 0 + 1), d.Exponential(b), d.Exponential(c), d.Cauchy(a, b),
    d.Gumbel(a, b), d.Pareto(b, c), d.Pareto(c, b + 1), d.Bernoulli(p), d.Bernoulli(q), d.Geometric(p), d.ContinuousBernoulli(p), d.ContinuousBernoulli(1 - p), d.HalfNormal(b), d.HalfNormal(c),
    d.LogNormal(a, b), d.LogNormal(b, c), d.Independent(d.Normal(a, b), 1), d.Independent(d.Normal(b, c), 1), d.Poisson(b), d.Poisson(c),
    d.Binomial(3, p), d.Binomial(2, p), d.Gamma(b, c), d.Gamma(c, b), d.Beta(b, c), d.Beta(c, p), d.Uniform(p / 2, p), d.Chi2(c),
]
of_vectors = [
    d.MultivariateNormal(a, torch.diag(b)), d.MultivariateNormal(b, torch.diag(c)), d.LowRankMultivariateNormal(a, b[:, None], c),
    d.LowRankMultivariateNormal(c, torch.stack([a, b]), b), d.Dirichlet(b), d.Dirichlet(c), d.MultivariateNormal(torch.zeros(3), torch.eye(3)),
    d.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3)),
]
of_events = [d.Categorical(p), d.Categorical(torch.tensor([0.0, 1.0])), d.OneHotCategorical(q)]
pairs = [(x, y) for group in (made, of_events, of_vectors) for x in group for y in group if not (isinstance(x, d.Gumbel) and isinstance(y, d.Gumbel))]
result = [(repr(x), repr(y), attempt(lambda: d.kl_divergence(x, y))) for x, y in pairs]
"""
    beside.both(oracle, beside.TRY + program, rtol=2e-5)


@pytest.mark.oracle
def test_constraints_beside_pytorch(oracle):
    program = """
c = torch.distributions.constraints
x = torch.tensor([[0.0, 1.0, 0.0], [0.25, 0.5, 0.25], [-1.0, 2.0, 3.0], [float("nan"), 1.5, 0.0]])
lower = torch.tensor([[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.5], [0.0, 1.0]]])
simple = ["boolean", "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_integer", "real", "real_vector", "simplex", "unit_interval"]
made = [c.greater_than(0.5), c.greater_than_eq(0.5), c.less_than(0.5), c.interval(0.25, 1.0), c.half_open_interval(0.25, 1.0), c.integer_interval(0, 2), c.multinomial(2),
    c.independent(c.positive, 1), c.cat([c.positive, c.real], -1, [1, 2]), c.stack([c.real, c.positive, c.boolean], -1), c.MixtureSameFamilyConstraint(c.positive)]
of_matrices = ["lower_triangular", "lower_cholesky", "corr_cholesky", "square", "symmetric"]
result = [(repr(k).split("object")[0], k.is_discrete, k.event_dim, k.check(x)) for k in [*(getattr(c, n) for n in simple), *made]]
result += [(repr(k), k.event_dim, k.check(lower)) for k in (getattr(c, n) for n in of_matrices)]
result += [sorted(c.__all__), c.is_dependent(c.dependent), c.is_dependent(torch.distributions.Uniform.support), torch.distributions.Categorical.support.event_dim]
for registry in (torch.distributions.biject_to, torch.distributions.transform_to):
    for k in [getattr(c, n) for n in ("real", "positive", "nonnegative", "unit_interval", "simplex", "real_vector", "corr_cholesky")] + made[:5] + made[7:9]:
        t = registry(k)
        result.append((repr(t), t(torch.tensor([[0.5, -0.25, 1.0]]))))
"""
    beside.assert_equal(as_torch(beside.run(program)), oracle.run(program), rtol=2e-5)


UNIVARIATE = ["normal of numbers", "generalized pareto", "uniform", "exponential", "laplace", "half normal", "log normal", "gumbel", "weibull", "continuous bernoulli", "logistic", "pareto", "cauchy", "half cauchy", "reversed"]


def made(name):
    scope = {"torch": torch}
    exec(f"{PARAMETERS}\nm = { {**CONTINUOUS, **OF_LGAMMA}[name]}", scope)
    return scope["m"], scope


@pytest.mark.parametrize("name", UNIVARIATE)
def test_the_cdf_is_the_integral_of_the_density(name):
    m, _ = made(name)
    q = torch.linspace(0.04, 0.9, 16).reshape(-1, *([1] * len(m.batch_shape)))
    x = m.icdf(q).detach()
    assert torch.allclose(m.cdf(x), q.expand(x.shape), atol=1e-5)
    x.requires_grad_()
    (density,) = torch.autograd.grad(m.cdf(x).sum(), x)
    assert torch.allclose(density.log(), m.log_prob(x).detach(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", [n for n in UNIVARIATE if "cauchy" not in n and n not in ("pareto", "weibull", "log normal")] + ["weibull"] * HAS_LGAMMA)
def test_draws_have_the_mean_and_variance(name):
    m, _ = made(name)
    if name in ("logistic", "reversed"):  # PyTorch has no mean of transformed distributions
        with pytest.raises(NotImplementedError):
            _ = m.mean
        return
    torch.manual_seed(3)
    x = m.sample((20_000,)).double()
    tolerance = 6 * m.stddev / 20_000**0.5
    assert bool(((x.mean(0) - m.mean).abs() <= tolerance).all())
    assert x.var(0).tolist() == pytest.approx(m.variance.tolist(), rel=0.15)


@pytest.mark.parametrize("name", ["bernoulli", "bernoulli by logits", "categorical", "one hot"])
def test_probabilities_of_all_values_sum_to_one(name):
    scope = {"torch": torch}
    exec(f"{PARAMETERS}\nm = {DISCRETE[name]}", scope)
    m = scope["m"]
    values = m.enumerate_support()
    p = m.log_prob(values).exp()
    assert torch.allclose(p.sum(0), torch.ones(m.batch_shape))
    assert torch.allclose(-(p * p.log()).sum(0), m.entropy(), atol=1e-6)
    torch.manual_seed(0)
    drawn = m.sample((20_000,))
    equal = (drawn[None] == values[:, None]) if not m.event_shape else (drawn[None] == values[:, None]).all(-1)
    assert torch.allclose(equal.float().mean(1), p.reshape(equal.shape[0], *m.batch_shape), atol=0.02)


def test_the_divergence_is_a_mean_over_draws():
    p, q = d.Normal(torch.tensor([0.0, 1.0]), 1.0), d.Laplace(torch.tensor([0.5, -1.0]), 2.0)
    torch.manual_seed(0)
    x = p.sample((50_000,))
    assert torch.allclose((p.log_prob(x) - q.log_prob(x)).mean(0), d.kl_divergence(p, q), atol=0.02)


def test_the_most_specific_divergence_is_taken():
    class A(d.Normal): ...

    class B(A): ...

    d.register_kl(A, d.Normal)(lambda p, q: "A, Normal")
    d.register_kl(d.Normal, B)(lambda p, q: "Normal, B")
    one = d.Normal(0.0, 1.0)
    assert d.kl_divergence(one, one).item() == 0
    assert d.kl_divergence(B(0.0, 1.0), one) == "A, Normal" and d.kl_divergence(one, B(0.0, 1.0)) == "Normal, B"
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(B, B\). Please register_kl\(A, B\)"):
        d.kl_divergence(B(0.0, 1.0), B(0.0, 1.0))
    with pytest.raises(TypeError, match="type_p to be a Distribution subclass"):
        d.register_kl(3, d.Normal)


def test_a_policy_gradient_and_a_reparameterized_one():
    scores = torch.zeros(3, requires_grad=True)
    torch.manual_seed(0)
    for _ in range(200):
        policy = d.Categorical(logits=scores)
        action = policy.sample((16,))
        loss = -(policy.log_prob(action) * (action == 2)).mean()
        (gradient,) = torch.autograd.grad(loss, scores)
        with torch.no_grad():
            scores -= gradient
    assert d.Categorical(logits=scores).probs[2] > 0.9
    loc = torch.tensor(3.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(d.Normal(loc, 0.5).rsample((1000,)).square().mean(), loc)
    assert gradient.item() == pytest.approx(6, rel=0.02)


def test_checks_can_be_turned_off():
    assert d.Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    assert math.isnan(d.Exponential(1.0, validate_args=False).log_prob(torch.tensor(-1.0)).item()) is False
    d.Distribution.set_default_validate_args(False)
    try:
        d.Normal(0.0, -1.0)
    finally:
        d.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
        d.Normal(0.0, -1.0)


def test_a_distribution_can_be_pickled_and_traced():
    m = pickle.loads(pickle.dumps(d.LogNormal(torch.tensor([0.5]), 1.0)))
    x = torch.tensor([2.0])
    assert torch.equal(m.log_prob(x), d.LogNormal(torch.tensor([0.5]), 1.0).log_prob(x))

    def score(loc, x):
        return d.Normal(loc, 2.0, validate_args=False).log_prob(x).sum()

    traced = torch.jit.trace(score, (torch.zeros(3), torch.ones(3)))
    loc, x = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, -1.0])
    assert torch.equal(traced(loc, x), score(loc, x))


def test_a_name_that_pytorch_lacks():
    with pytest.raises(AttributeError, match="has no attribute 'Student'"):
        _ = d.Student
