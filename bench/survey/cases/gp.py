"""Modules of gpytorch, linear_operator and botorch."""

import gpytorch
import torch
from registry import Draw, add, fn
from torch import nn


class K(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return self.k(x).to_dense()


X = lambda d, k: (d.n(5 + k, 2),)
kk = gpytorch.kernels
for n, mk in {
    "RBF": lambda: kk.RBFKernel(),
    "RBF ard": lambda: kk.RBFKernel(ard_num_dims=2),
    "Matern12": lambda: kk.MaternKernel(0.5),
    "Matern32": lambda: kk.MaternKernel(1.5),
    "Matern52": lambda: kk.MaternKernel(2.5),
    "Periodic": lambda: kk.PeriodicKernel(),
    "Cosine": lambda: kk.CosineKernel(),
    "Linear": lambda: kk.LinearKernel(),
    "Polynomial": lambda: kk.PolynomialKernel(2),
    "RQ": lambda: kk.RQKernel(),
    "SpectralMixture": lambda: kk.SpectralMixtureKernel(num_mixtures=2, ard_num_dims=2),
    "PiecewisePolynomial": lambda: kk.PiecewisePolynomialKernel(q=1),
    "RFF": lambda: kk.RFFKernel(4, num_dims=2),
    "Scale": lambda: kk.ScaleKernel(kk.RBFKernel()),
    "sum": lambda: kk.RBFKernel() + kk.LinearKernel(),
    "product": lambda: kk.RBFKernel() * kk.PeriodicKernel(),
    "RBFGrad": lambda: kk.RBFKernelGrad(),
    "Constant": lambda: kk.ConstantKernel(),
    "Arc": lambda: kk.ArcKernel(kk.MaternKernel(0.5), ard_num_dims=2),
}.items():
    add("kernel " + n, (lambda mk: lambda: K(mk()))(mk), X)
add("mean Constant", lambda: gpytorch.means.ConstantMean(), X)
add("mean Linear", lambda: gpytorch.means.LinearMean(2), X)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, lik):
        super().__init__(x, y, lik)
        self.mean, self.cov = gpytorch.means.ConstantMean(), kk.ScaleKernel(kk.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.cov(x))


class Post(nn.Module):
    def __init__(self):
        super().__init__()
        g = Draw(9)
        x = g.n(6, 2)
        self.lik = gpytorch.likelihoods.GaussianLikelihood()
        self.m = Exact(x, x.sum(1).sin(), self.lik)

    def forward(self, x):
        p = self.m(x)
        return p.mean, p.variance


add("ExactGP posterior", Post, X)


class Mll(nn.Module):
    def __init__(self):
        super().__init__()
        g = Draw(9)
        self.lik = gpytorch.likelihoods.GaussianLikelihood()
        x = g.n(6, 2)
        self.y = x.sum(1).sin()
        self.x = x
        self.m = Exact(x, self.y, self.lik)
        self.mll = gpytorch.mlls.ExactMarginalLogLikelihood(self.lik, self.m)

    def forward(self, s):
        self.m.train()
        return self.mll(self.m(self.x), self.y * s.mean())


add("ExactMLL", Mll, X)


class Svgp(gpytorch.models.ApproximateGP):
    def __init__(self):
        z = Draw(3).n(4, 2)
        v = gpytorch.variational
        super().__init__(v.VariationalStrategy(self, z, v.CholeskyVariationalDistribution(4), learn_inducing_locations=True))
        self.mean, self.cov = gpytorch.means.ConstantMean(), kk.ScaleKernel(kk.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.cov(x))


class Sp(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = Svgp()

    def forward(self, x):
        p = self.m(x)
        return p.mean, p.variance


add("SVGP", Sp, X)
import linear_operator as lo
from linear_operator import operators as O


def lof(name, f, inp):
    add("lo " + name, fn(f), inp)


S = lambda d, k: ((lambda a: a @ a.T + 5 * torch.eye(5 + k))(d.n(5 + k, 5 + k)), d.n(5 + k, 2))
lof("DenseLO solve", lambda a, b: O.DenseLinearOperator(a).solve(b), S)
lof("AddedDiag matmul", lambda a, b: (O.DenseLinearOperator(a).add_jitter(0.1)) @ b, S)
lof("logdet", lambda a, b: O.DenseLinearOperator(a).logdet(), S)
lof("Diag", lambda a, b: O.DiagLinearOperator(a.diagonal()) @ b, S)
lof("Kronecker", lambda a, b: O.KroneckerProductLinearOperator(O.DenseLinearOperator(a), O.DenseLinearOperator(a)).to_dense(), S)
lof("Toeplitz", lambda a, b: O.ToeplitzLinearOperator(a[0]) @ b, S)
lof("Root", lambda a, b: O.RootLinearOperator(b).to_dense(), S)
lof("LowRankRoot logdet", lambda a, b: O.LowRankRootLinearOperator(b).add_diagonal(torch.ones(a.shape[0])).logdet(), S)
lof("BlockDiag", lambda a, b: O.BlockDiagLinearOperator(O.DenseLinearOperator(torch.stack([a, a]))).to_dense(), S)
lof("Cholesky", lambda a, b: O.DenseLinearOperator(a).cholesky().to_dense(), S)
lof("linear_cg", lambda a, b: lo.utils.linear_cg(a.matmul, b, max_iter=20), S)
lof("pivoted_cholesky", lambda a, b: lo.functions.pivoted_cholesky(O.DenseLinearOperator(a), 3), S)
lof("inv_quad_logdet", lambda a, b: O.DenseLinearOperator(a).inv_quad_logdet(b, True), S)
lof("sqrt_inv_matmul", lambda a, b: lo.sqrt_inv_matmul(O.DenseLinearOperator(a), b), S)
