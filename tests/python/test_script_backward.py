"""Backward passes in scripts: x.backward(), torch.autograd.backward and torch.autograd.grad, as models that compute forces or penalties call them."""

# ruff: noqa: UP006, UP045 - as programs for TorchScript spell their types
from __future__ import annotations

from typing import Dict, List, Optional  # noqa: UP035 - as programs for TorchScript spell their types

import monograph as torch
import pytest
from monograph import nn

Tensor = torch.Tensor


def penalty(x: Tensor, w: Tensor) -> Tensor:
    x = x.detach().requires_grad_(True)
    y = (x @ w).tanh().sum()
    weights: List[Optional[Tensor]] = [torch.ones_like(y)]
    g = torch.autograd.grad([y], [x], grad_outputs=weights, retain_graph=True, create_graph=True)[0]
    if g is None:
        raise RuntimeError("no gradient")
    loss = (g.norm(2, dim=1) - 1).pow(2).mean()
    loss.backward()
    gradient = x.grad
    assert gradient is not None
    return gradient


def added(x: Tensor):
    a = x.detach().clone().requires_grad_()
    b, c = (a * 2).sum(), a.exp()
    torch.autograd.backward([b, c], [None, torch.ones_like(c)])
    first = a.grad
    assert first is not None
    first = first.clone()
    d = a * a
    d.backward(torch.ones_like(d), retain_graph=True)
    d.backward(torch.full_like(d, 2.0))
    second = a.grad
    assert second is not None
    return first, second


def hessian(x: Tensor) -> Tensor:
    x = x.detach().requires_grad_(True)
    y = (x**3).sum() + x.prod()
    g = torch.autograd.grad([y], [x], create_graph=True)[0]
    rows: List[Tensor] = []
    assert g is not None
    for i in range(x.numel()):
        h = torch.autograd.grad([g[i]], [x], retain_graph=True)[0]
        if h is not None:
            rows.append(h)
    return torch.stack(rows)


def unused(x: Tensor, y: Tensor, allow: bool):
    x = x.detach().requires_grad_()
    y = y.detach().requires_grad_()
    g = torch.autograd.grad([(x * x).sum(), (x * 3).sum()], [x, y], allow_unused=allow)
    return g[0], g[1] is None


def under_no_grad(x: Tensor):
    x = x.detach().requires_grad_()
    y = (x * x).sum()
    with torch.no_grad():
        g = torch.autograd.grad([y], [x])[0]
    return g


class Forces(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 4), nn.SiLU(), nn.Linear(4, 1))

    def forward(self, data: Dict[str, Tensor]) -> Dict[str, Tensor]:
        positions = data["positions"]
        positions.requires_grad_(True)
        ends = data["edges"]
        distances = (positions[ends[1]] - positions[ends[0]]).norm(2, dim=-1, keepdim=True)
        energy = self.net(distances).sum()
        g = torch.autograd.grad([energy], [positions], create_graph=self.training)[0]
        assert g is not None, "no gradient"
        return {"energy": energy, "forces": -g}


X = torch.tensor([1.0, 2.0, 3.0])
CALLS = [
    (penalty, (torch.ones(2, 3), torch.arange(6.0).view(3, 2))),
    (added, (torch.arange(3.0),)),
    (hessian, (X,)),
    (unused, (X, X, True)),
    (under_no_grad, (X,)),
]


def same(a, b):
    if isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b)
        assert a.requires_grad == b.requires_grad
        return
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other)
        return
    assert a == b


@pytest.mark.parametrize("function, args", CALLS, ids=[f.__name__ for f, _ in CALLS])
def test_a_script_takes_gradients_as_the_function_does(function, args, tmp_path):
    expected = function(*args)
    scripted = torch.jit.script(function)
    same(scripted(*args), expected)
    torch.jit.save(scripted, tmp_path / "f.pt")
    same(torch.jit.load(tmp_path / "f.pt")(*args), expected)


@pytest.mark.oracle
@pytest.mark.parametrize("function, args", CALLS, ids=[f.__name__ for f, _ in CALLS])
def test_pytorch_runs_the_archive(function, args, tmp_path, oracle):
    torch.jit.save(torch.jit.script(function), tmp_path / "f.pt")
    given = [a.tolist() if isinstance(a, torch.Tensor) else a for a in args]
    found = oracle.run(
        f"given = [torch.tensor(a) if isinstance(a, list) else a for a in {given!r}]\n"
        f"r = torch.jit.load({str(tmp_path / 'f.pt')!r})(*given)\n"
        "result = [v.tolist() if isinstance(v, torch.Tensor) else v for v in (r if isinstance(r, tuple) else (r,))]"
    )
    expected = function(*args)
    for one, other in zip(expected if isinstance(expected, tuple) else (expected,), found, strict=True):
        same(one.detach() if isinstance(one, torch.Tensor) else one, torch.tensor(other) if isinstance(other, list) else other)


def test_a_module_computes_forces_and_trains_on_them():
    torch.manual_seed(0)
    module = Forces()
    scripted = torch.jit.script(module)
    data = lambda: {"positions": torch.arange(12.0).view(4, 3).sin(), "edges": torch.tensor([[0, 1, 2], [1, 2, 3]])}
    for training in (True, False):
        module.train(training), scripted.train(training)
        expected, found = module(data()), scripted(data())
        same(found["forces"], expected["forces"])
        same(found["energy"], expected["energy"])
    module.train(), scripted.train()
    gradients = []
    for m in (module, scripted):
        m.zero_grad()
        (m(data())["forces"] ** 2).sum().backward()
        gradients.append([p.grad.clone() for p in m.parameters() if p.grad is not None])
    assert gradients[0]
    same(gradients[0], gradients[1])


def test_a_gradient_that_is_not_there_is_an_error():
    with pytest.raises(RuntimeError, match="allow_unused"):
        torch.jit.script(unused)(X, X, False)

    def of_constant(x: Tensor):
        return torch.autograd.grad([x.detach().sum()], [x])

    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.jit.script(of_constant)(X)

    def of_many(x: Tensor):
        x = x.detach().requires_grad_()
        (x * 2).backward()
        return x

    with pytest.raises(RuntimeError, match="scalar outputs"):
        torch.jit.script(of_many)(X)
