"""Modules of pytorch_tabnet, pyro, e3nn, torch_optimizer, torchinfo, thop and fvcore."""

import torch
from pytorch_tabnet import tab_network
from registry import add, fn, vec
from torch import nn

add("tabnet TabNetNoEmbeddings", lambda: tab_network.TabNetNoEmbeddings(6, 3, n_d=4, n_a=4), vec(6))
add(
    "tabnet TabNet",
    lambda: tab_network.TabNet(6, 3, n_d=4, n_a=4, cat_idxs=[0], cat_dims=[4], cat_emb_dim=2, group_attention_matrix=torch.eye(6)),
    lambda d, k: (torch.cat([d.i(4, 4 + k, 1).float(), d.n(4 + k, 5)], 1),),
)
from pytorch_tabnet.sparsemax import Entmax15, Sparsemax

add("tabnet Sparsemax", lambda: Sparsemax(-1), vec(6))
add("tabnet Entmax15", lambda: Entmax15(-1), vec(6))
import e3nn
import e3nn.nn as en
from e3nn import o3

e3nn.set_optimization_defaults(jit_script_fx=False) if "jit_script_fx" in e3nn.get_optimization_defaults() else None
add("e3nn Linear", lambda: o3.Linear("4x0e+2x1o", "3x0e+1x1o"), vec(10))
add(
    "e3nn FullyConnectedTensorProduct",
    lambda: o3.FullyConnectedTensorProduct("2x0e+1x1o", "1x0e+1x1o", "2x0e+1x1o"),
    lambda d, k: (d.n(4 + k, 5), d.n(4 + k, 4)),
)
add(
    "e3nn ElementwiseTensorProduct",
    lambda: o3.ElementwiseTensorProduct("1x0e+1x1o", "1x0e+1x1o"),
    lambda d, k: (d.n(4 + k, 4), d.n(4 + k, 4)),
)
add("e3nn SphericalHarmonics", lambda: o3.SphericalHarmonics([0, 1, 2], True), vec(3))
add("e3nn Norm", lambda: o3.Norm("2x0e+1x1o"), vec(5))
add("e3nn Gate", lambda: en.Gate("2x0e", [torch.relu], "1x0e", [torch.sigmoid], "1x1o"), vec(6))
add("e3nn Activation", lambda: en.Activation("3x0e", [torch.tanh]), vec(3))
add("e3nn BatchNorm", lambda: en.BatchNorm("2x0e+1x1o"), vec(5))
add("e3nn FullyConnectedNet", lambda: en.FullyConnectedNet([4, 8, 3], torch.tanh), vec(4))
add("e3nn NormActivation", lambda: en.NormActivation("2x0e+1x1o", torch.sigmoid), vec(5))
add("e3nn wigner", fn(lambda a: o3.wigner_D(2, a, a * 2, a * 3)), lambda d, k: (d.n(3 + k),))
add("e3nn soft_one_hot", fn(e3nn.math.soft_one_hot_linspace, 0.0, 3.0, 4, "gaussian", cutoff=False), lambda d, k: (d.u(5 + k),))
import pyro
import pyro.distributions as dist


class LP(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *x):
        return self.f(*x)


P = lambda n, f, i: add("pyro " + n, fn(f), i)
X = lambda d, k: (d.n(4 + k, 3),)
P("Normal log_prob", lambda x: dist.Normal(0.0, 1.0).log_prob(x), X)
P("LKJ", lambda x: dist.transforms.planar, X) if False else None
P("MVN", lambda x: dist.MultivariateNormal(torch.zeros(3), torch.eye(3) * 2).log_prob(x), X)
P("Delta", lambda x: dist.Delta(torch.zeros(3)).log_prob(x), X)
P("ZeroInflatedPoisson", lambda x: dist.ZeroInflatedPoisson(torch.tensor(2.0), gate=torch.tensor(0.3)).log_prob(x.abs().floor()), X)
P(
    "MixtureSameFamily",
    lambda x: dist.MixtureSameFamily(dist.Categorical(torch.ones(2)), dist.Normal(torch.tensor([0.0, 1.0]), torch.ones(2))).log_prob(x),
    X,
)
P("Planar", lambda x: dist.transforms.Planar(torch.ones(1), torch.ones(3) * 0.1, torch.ones(3))(x), X)
add("pyro planar module", lambda: (lambda m: LPm(m))(dist.transforms.planar(3)), X)


class LPm(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x):
        y = self.m(x)
        return y, self.m.log_abs_det_jacobian(x, y)


add("pyro spline", lambda: LPm(dist.transforms.spline(3)), X)
add("pyro affine_autoregressive", lambda: LPm(dist.transforms.affine_autoregressive(3, [8])), X)
add("pyro affine_coupling", lambda: LPm(dist.transforms.affine_coupling(3, [8])), X)
add("pyro batchnorm", lambda: LPm(dist.transforms.batchnorm(3)), X)
add("pyro matrix_exponential", lambda: LPm(dist.transforms.matrix_exponential(3)), X)
add("pyro AutoRegressiveNN", lambda: pyro.nn.AutoRegressiveNN(3, [8]), X)
add("pyro DenseNN", lambda: pyro.nn.DenseNN(3, [8]), X)
add("pyro gp RBF", lambda: pyro.contrib.gp.kernels.RBF(3), X)


def model(x):
    w = pyro.sample("w", dist.Normal(torch.zeros(3), 1.0).to_event(1))
    with pyro.plate("n", x.shape[0]):
        pyro.sample("y", dist.Normal((x * w).sum(-1), 1.0), obs=x[:, 0])
    return w


P("trace log_prob_sum", lambda x: pyro.poutine.trace(model).get_trace(x).log_prob_sum(), X)


def guide(x):
    m = pyro.param("m", torch.zeros(3))
    pyro.sample("w", dist.Normal(m, 1.0).to_event(1))


def elbo(x):
    pyro.clear_param_store()
    return pyro.infer.Trace_ELBO().differentiable_loss(model, guide, x)


P("Trace_ELBO", elbo, X)


def summaries(x):
    import thop
    import torchinfo

    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
    s = torchinfo.summary(m, input_data=x, verbose=0)
    return torch.tensor([s.total_params, s.total_mult_adds, s.trainable_params, *map(int, thop.profile(m, (x,), verbose=False))])


add("torchinfo and thop", fn(summaries), lambda d, k: (d.n(2 + k, 3, 8, 8),))


def flops(x):
    from fvcore.nn import FlopCountAnalysis, parameter_count

    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
    f = FlopCountAnalysis(m, x)
    f.unsupported_ops_warnings(False)
    return torch.tensor([int(f.total()), *parameter_count(m).values(), *f.by_operator().values()])


add("fvcore flops", fn(flops), lambda d, k: (d.n(2 + k, 3, 8, 8),))
import lion_pytorch
import torch_optimizer


def opt(cls, kw):
    def f(x):
        with torch.enable_grad():
            torch.manual_seed(0)
            m = nn.Linear(3, 2)
            o = cls(m.parameters(), **kw)
            for _ in range(3):
                o.zero_grad()
                m(x.detach()).square().mean().backward(create_graph=cls.__name__ == "Adahessian")
                o.step()
        return [p.detach().clone() for p in m.parameters()]

    return f


for n in "A2GradExp AccSGD AdaBelief AdaBound AdaMod Adafactor Adahessian AdamP AggMo Apollo DiffGrad LARS Lamb NovoGrad PID QHAdam QHM RAdam Ranger RangerQH RangerVA SGDP SGDW SWATS Shampoo Yogi".split():
    add("optim " + n, fn(opt(getattr(torch_optimizer, n), {"lr": 1e-2} if n not in ("A2GradExp",) else {})), X)
add("optim Lion", fn(opt(lion_pytorch.Lion, {"lr": 1e-2})), X)
