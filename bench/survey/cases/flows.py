"""Modules of nflows and normflows."""

import nflows.distributions as D
import nflows.transforms as T
import torch
from nflows.flows import MaskedAutoregressiveFlow, SimpleRealNVP
from nflows.nn.nets import ResidualNet
from registry import add, vec
from torch import nn

V = vec(4)


def net(i, o):
    return ResidualNet(i, o, hidden_features=8, num_blocks=1)


m = torch.tensor([1, 0, 1, 0])
add("nflows AffineCoupling", lambda: T.AffineCouplingTransform(m, net), V)
add("nflows AdditiveCoupling", lambda: T.AdditiveCouplingTransform(m, net), V)
for n in ("PiecewiseLinear", "PiecewiseQuadratic", "PiecewiseCubic", "PiecewiseRationalQuadratic"):
    add(
        f"nflows {n}Coupling",
        (lambda n: lambda: getattr(T, n + "CouplingTransform")(m, net, tails="linear", tail_bound=3.0, num_bins=4))(n),
        V,
    )
    add(
        f"nflows Masked{n}AR",
        (
            lambda n: (
                lambda: (
                    getattr(T, f"Masked{n}AutoregressiveTransform")(features=4, hidden_features=8, num_bins=4, num_blocks=1)
                    if n in ("PiecewiseLinear", "PiecewiseCubic")
                    else getattr(T, f"Masked{n}AutoregressiveTransform")(
                        features=4, hidden_features=8, num_bins=4, num_blocks=1, tails="linear", tail_bound=3.0
                    )
                )
            )
        )(n),
        lambda d, k: (d.u(4 + k, 4),),
    )
add("nflows MaskedAffineAR", lambda: T.MaskedAffineAutoregressiveTransform(4, 8, num_blocks=1), V)
add("nflows LULinear", lambda: T.LULinear(4), V)
add("nflows QRLinear", lambda: T.QRLinear(4, 2), V)
add("nflows SVDLinear", lambda: T.SVDLinear(4, 2), V)
add("nflows NaiveLinear", lambda: T.NaiveLinear(4), V)
add("nflows HouseholderSequence", lambda: T.HouseholderSequence(4, 2), V)
add("nflows RandomPermutation", lambda: T.RandomPermutation(4), V)
add("nflows BatchNorm", lambda: T.BatchNorm(4), V)
add("nflows ActNorm", lambda: T.ActNorm(4), V)
add("nflows OneByOneConv", lambda: T.OneByOneConvolution(4), lambda d, k: (d.n(2 + k, 4, 3, 3),))
add("nflows Squeeze", lambda: T.SqueezeTransform(), lambda d, k: (d.n(2 + k, 4, 4, 4),))
add("nflows Sigmoid", lambda: T.Sigmoid(), V)
add("nflows LeakyReLU", lambda: T.LeakyReLU(), V)
add("nflows CompositeCDF", lambda: T.CompositeCDFTransform(T.Sigmoid(), T.PiecewiseRationalQuadraticCDF([4], num_bins=4)), V)


class LP(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f.log_prob(x)


add("nflows MAF log_prob", lambda: LP(MaskedAutoregressiveFlow(4, 8, 2, 1)), V)
add("nflows RealNVP log_prob", lambda: LP(SimpleRealNVP(4, 8, 2, 1)), V)
add("nflows MADE", lambda: __import__("nflows.transforms.made", fromlist=["x"]).MADE(4, 8, num_blocks=1, output_multiplier=2), V)
add("nflows StandardNormal", lambda: LP(D.StandardNormal([4])), V)
add("nflows MADEMoG", lambda: LP(D.MADEMoG(4, 8, 0, num_blocks=1, num_mixture_components=2)), V)
import normflows as nf


def f(n, make):
    add("normflows " + n, make, V)


f("Planar", lambda: nf.flows.Planar((4,)))
f("Radial", lambda: nf.flows.Radial((4,)))
f(
    "MaskedAffine",
    lambda: nf.flows.MaskedAffineFlow(torch.tensor([1.0, 0, 1, 0]), nf.nets.MLP([4, 8, 4], init_zeros=False), nf.nets.MLP([4, 8, 4])),
)
f("AffineCouplingBlock", lambda: nf.flows.AffineCouplingBlock(nf.nets.MLP([2, 8, 4])))
f("ActNorm", lambda: nf.flows.ActNorm((4,)))
f("Permute", lambda: nf.flows.Permute(4, mode="swap"))
f("LULinearPermute", lambda: nf.flows.LULinearPermute(4))
f("Invertible1x1", lambda: nf.flows.InvertibleAffine(4))
f("AutoregressiveRQS", lambda: nf.flows.AutoregressiveRationalQuadraticSpline(4, 1, 8))
f("CoupledRQS", lambda: nf.flows.CoupledRationalQuadraticSpline(4, 1, 8))
f("CircularCoupledRQS", lambda: nf.flows.CircularCoupledRationalQuadraticSpline(4, 1, 8, [0, 1]))
f("MaskedAffineAR", lambda: nf.flows.MaskedAffineAutoregressive(4, 8))
f("Residual", lambda: nf.flows.Residual(nf.nets.LipschitzMLP([4, 8, 4]), reverse=False))
f(
    "NormalizingFlow",
    lambda: LP(
        nf.NormalizingFlow(nf.distributions.DiagGaussian(4), [nf.flows.AffineCouplingBlock(nf.nets.MLP([2, 8, 4])), nf.flows.Permute(4)])
    ),
)
f("GaussianMixture", lambda: LP(nf.distributions.GaussianMixture(3, 4)))
