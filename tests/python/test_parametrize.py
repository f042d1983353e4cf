"""nn.utils: parametrize, parametrizations, the older weight_norm and spectral_norm, fusion and skip_init, live beside PyTorch and frozen."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle

import monograph as torch
import pytest
from beside import TRY, both
from monograph import nn

P = nn.utils.parametrize

BEGIN = (
    TRY
    + """
nn, U = torch.nn, torch.nn.utils
P, Z = U.parametrize, U.parametrizations
class Double(nn.Module):
    def forward(self, x): return 2 * x
    def right_inverse(self, x): return x / 2
class Split(nn.Module):
    def forward(self, a, b): return a + b
    def right_inverse(self, x): return x / 3, x * 2 / 3
class Sym(nn.Module):
    def forward(self, x): return x.triu() + x.triu(1).T
class Wrong(nn.Module):
    def forward(self, x): return x[0]
class Type(nn.Module):
    def forward(self, x): return x.double()
def trained(net, *shape):
    x = (torch.arange(torch.Size(shape).numel()).view(shape) / 7).sin()
    out = []
    for _ in range(2):
        for p in net.parameters(): p.grad = None
        y = net(x)
        (y * torch.arange(y.numel()).cos().view(y.shape)).sum().backward()
        out += [y, *(p.grad for p in net.parameters())]
        with torch.no_grad():
            for p in net.parameters(): p -= 0.1 * p.grad
    return out + [net.eval()(x), *net.state_dict().values(), list(net.state_dict())]
torch.manual_seed(4)
"""
)
PROGRAMS = [
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Double()); result = [m.weight, *trained(m, 2, 3), P.is_parametrized(m), P.is_parametrized(m, 'bias'), type(m).__name__]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Split()); result = [*trained(m, 2, 3), m.parametrizations.weight.ntensors]",
    "m = nn.Linear(3, 3)\nfor k in (Sym(), Double()): P.register_parametrization(m, 'weight', k)\nresult = [*trained(m, 2, 3), len(m.parametrizations.weight), repr(m)]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Double()); m.weight = torch.ones(3, 3); result = [m.weight, m.parametrizations.weight.original]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Sym()); result = attempt(lambda: setattr(m, 'weight', torch.ones(3, 3)))",
    "m = nn.Linear(3, 3); w = m.weight; P.register_parametrization(m, 'weight', Double()); P.remove_parametrizations(m, 'weight'); result = [m.weight is w, type(m).__name__, list(m.state_dict()), m.weight]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Double()); P.remove_parametrizations(m, 'weight', False); result = [m.weight, list(dict(m.named_parameters()))]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Split()); result = [attempt(lambda: P.remove_parametrizations(m, 'weight', False))[0], P.remove_parametrizations(m, 'weight').weight]",
    "result = [attempt(lambda: P.register_parametrization(nn.Linear(3, 3), 'weight', k)) for k in (Wrong(), Type())]",
    "result = [attempt(lambda: P.register_parametrization(nn.Linear(2, 2), 'nothing', Sym())), attempt(lambda: P.remove_parametrizations(nn.Linear(2, 2), 'weight'))]",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Wrong(), unsafe=True); result = m.weight",
    "m = P.register_parametrization(nn.Linear(3, 3), 'weight', Double()); result = [attempt(lambda: P.register_parametrization(m, 'weight', k)) for k in (Wrong(), Type())]",
    "m = P.register_parametrization(nn.BatchNorm1d(3), 'running_mean', Double()); result = [m.running_mean, list(m.state_dict()), list(dict(m.named_buffers()))]",
    "\nm = P.register_parametrization(nn.Linear(3, 3), 'weight', Double())\nwith P.cached(): a = m.weight is m.weight\nresult = [a, m.weight is m.weight]",
    "a, b = P.register_parametrization(nn.Linear(3, 3), 'weight', Double()), nn.Linear(3, 3); P.transfer_parametrizations_and_params(a, b); result = [b.weight, P.type_before_parametrizations(b).__name__, list(b.state_dict())]",
    "result = trained(Z.weight_norm(nn.Linear(3, 4)), 2, 3)", "result = trained(Z.weight_norm(nn.Conv2d(3, 4, 2), dim=1), 2, 3, 4, 4)", "result = trained(Z.weight_norm(nn.Conv1d(3, 4, 2), dim=None), 2, 3, 4)",
    "result = trained(Z.weight_norm(nn.Linear(3, 4), 'bias'), 2, 3)", "result = P.remove_parametrizations(Z.weight_norm(nn.Linear(3, 4)), 'weight').weight",
    "m = nn.Linear(3, 4); s = U.weight_norm(m).state_dict(); n = Z.weight_norm(nn.Linear(3, 4)); result = [str(n.load_state_dict(s)), n.weight]",
    "result = trained(Z.spectral_norm(nn.Linear(3, 4)), 2, 3)", "result = trained(Z.spectral_norm(nn.Conv2d(3, 4, 2), n_power_iterations=3), 2, 3, 4, 4)",
    "result = trained(Z.spectral_norm(nn.ConvTranspose2d(3, 4, 2)), 2, 3, 4, 4)", "result = trained(Z.spectral_norm(nn.Linear(3, 4), 'bias'), 2, 3)",
    "result = [attempt(lambda: Z.spectral_norm(nn.Linear(3, 4), n_power_iterations=0)), attempt(lambda: Z.spectral_norm(nn.Linear(3, 4), dim=5)), attempt(lambda: Z.spectral_norm(nn.Linear(3, 4), 'x'))]",
    "result = trained(Z.orthogonal(nn.Linear(3, 3)), 2, 3)[:3]", "result = trained(Z.orthogonal(nn.Linear(4, 3)), 2, 4)[:3]", "result = trained(Z.orthogonal(nn.Linear(3, 5)), 2, 3)[:3]",
    "result = trained(Z.orthogonal(nn.Linear(4, 3), orthogonal_map='householder', use_trivialization=False), 2, 4)", "result = trained(Z.orthogonal(nn.Linear(4, 3), orthogonal_map='matrix_exp'), 2, 4)[:3]",
    "result = trained(Z.orthogonal(nn.Linear(3, 3), orthogonal_map='cayley'), 2, 3)[:3]", "result = trained(Z.orthogonal(nn.Linear(4, 3), orthogonal_map='cayley', use_trivialization=False), 2, 4)[:3]",
    "m = Z.orthogonal(nn.Linear(3, 3)); w = torch.nn.init.orthogonal_(torch.empty(3, 3)); m.weight = w; result = [m.weight - w]",
    "m = Z.orthogonal(nn.Linear(3, 3), use_trivialization=False, orthogonal_map='matrix_exp'); result = [m.weight, attempt(lambda: setattr(m, 'weight', torch.eye(3)))]",
    "result = [attempt(lambda: Z.orthogonal(nn.Linear(3, 3), orthogonal_map='x')), attempt(lambda: Z.orthogonal(nn.Linear(3, 3), 'bias'))]",
    "result = trained(U.weight_norm(nn.Linear(3, 4)), 2, 3)", "result = trained(U.weight_norm(nn.Conv2d(3, 4, 2), dim=1), 2, 3, 4, 4)", "result = trained(U.weight_norm(nn.Linear(3, 4), dim=None), 2, 3)",
    "m = U.weight_norm(nn.Linear(3, 4)); result = [attempt(lambda: U.weight_norm(m))[0], list(U.remove_weight_norm(m).state_dict()), m.weight, attempt(lambda: U.remove_weight_norm(m))]",
    "result = attempt(lambda: [U.weight_norm(nn.Linear(3, 4)), 0][1])",
    "result = trained(U.spectral_norm(nn.Linear(3, 4)), 2, 3)", "result = trained(U.spectral_norm(nn.ConvTranspose2d(3, 4, 2), n_power_iterations=2), 2, 3, 4, 4)",
    "m = U.spectral_norm(nn.Linear(3, 4)); result = [attempt(lambda: U.spectral_norm(m)), m.state_dict()._metadata[''], list(U.remove_spectral_norm(m).state_dict()), m.weight, attempt(lambda: U.remove_spectral_norm(m))]",
    "c, b = nn.Conv2d(3, 4, 2).eval(), nn.BatchNorm2d(4).eval(); b.running_mean.uniform_(); b.running_var.uniform_(1, 2); f = U.fuse_conv_bn_eval(c, b); result = [f.weight, f.bias, f(torch.ones(1, 3, 4, 4))]",
    "c, b = nn.ConvTranspose2d(3, 4, 2, bias=False).eval(), nn.BatchNorm2d(4, affine=False).eval(); b.running_var.uniform_(1, 2); f = U.fuse_conv_bn_eval(c, b, True); result = [f.weight, f.bias]",
    "c, b = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval(); b.running_mean.uniform_(); f = U.fuse_linear_bn_eval(c, b); result = [f.weight, f.bias]",
    "result = [attempt(lambda: U.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))), attempt(lambda: U.fuse_linear_bn_eval(nn.Linear(3, 4).eval(), nn.BatchNorm1d(3).eval()))]",
    "result = [U.skip_init(nn.Linear, 5, 1).weight.shape, attempt(lambda: U.skip_init(nn.ReLU))]",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS)
def test_utils_are_pytorchs(oracle, program):
    both(oracle, BEGIN + program, rtol=5e-6)


def test_weights_of_a_norm_have_these_numbers():
    layer = nn.Linear(2, 1, bias=False)
    layer.weight.data = torch.tensor([[3.0, 4.0]])
    assert nn.utils.parametrizations.spectral_norm(copy.deepcopy(layer)).weight[0].tolist() == pytest.approx([0.6, 0.8])
    normed = nn.utils.parametrizations.weight_norm(layer)
    assert normed.parametrizations.weight.original0.tolist() == [[5.0]]
    normed.parametrizations.weight.original0.data.fill_(1.0)
    assert normed(torch.ones(1, 2)).tolist() == [[pytest.approx(1.4)]]


def test_a_parametrized_module_is_traced_and_copied_but_not_pickled():
    layer, x = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)), torch.ones(1, 2)
    traced = torch.jit.trace(layer, x)
    assert torch.equal(traced(x + 1), layer(x + 1)) and torch.equal(copy.deepcopy(layer)(x), layer(x))
    layer.parametrizations.weight.original0.data.mul_(2)
    assert torch.equal(traced(x), layer(x))
    with pytest.raises(RuntimeError, match="only supported through state_dict"):
        pickle.dumps(layer)


@pytest.mark.parametrize("orthogonal_map", ["matrix_exp", "cayley"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_a_complex_weight_is_unitary(shape, orthogonal_map):
    layer = nn.Module()
    layer.weight = nn.Parameter(torch.complex(torch.randn(shape), torch.randn(shape)))
    nn.utils.parametrizations.orthogonal(layer, orthogonal_map=orthogonal_map)
    w = layer.weight if shape[0] >= shape[1] else layer.weight.mT
    assert torch.allclose(w.mH @ w, torch.eye(w.size(-1), dtype=w.dtype), atol=1e-5)
    torch.view_as_real(layer.weight).sum().backward()
    assert layer.parametrizations.weight.original.grad.abs().sum() > 0
    with pytest.raises(ValueError, match="does not support complex"):
        nn.utils.parametrizations.orthogonal(layer, orthogonal_map="householder")


@pytest.mark.parametrize("name", ["parametrize", "parametrizations", "weight_norm", "spectral_norm", "fusion", "init"])
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module(f"monograph.nn.utils.{name}")
    result = doctest.testmod(module, extraglobs={"torch": torch, "nn": nn}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed
