"""Modules: registration, state, text, and first values equal to PyTorch's."""

from __future__ import annotations

import copy
import pickle

import monograph as torch
import pytest
from monograph import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.act = nn.ReLU(inplace=True)
        self.rest = nn.Sequential(nn.LayerNorm(8), nn.Dropout(0.25), nn.Linear(8, 2, bias=False))
        self.register_buffer("steps", torch.zeros(1))
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.rest(self.act(self.first(x))) * self.scale


def test_registration():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "rest.0.weight", "rest.0.bias", "rest.2.weight"]
    assert [n for n, _ in net.named_buffers()] == ["steps"] and [n for n, _ in net.named_children()] == ["first", "act", "rest"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "act", "rest", "rest.0", "rest.1", "rest.2"]
    assert list(net.state_dict()) == ["scale", "steps", "first.weight", "first.bias", "rest.0.weight", "rest.0.bias", "rest.2.weight"]
    assert net.get_submodule("rest.2") is net.rest[2] and net.get_parameter("first.weight") is net.first.weight
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
        net.nothing  # noqa: B018
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'scale'"):
        net.scale = 3
    with pytest.raises(AttributeError, match=r"before Module.__init__\(\) call"):
        type("Bad", (nn.Module,), {"__init__": lambda self: setattr(self, "p", nn.Parameter(torch.ones(1)))})()
    net.scale = None
    assert net.scale is None
    del net.scale
    assert not hasattr(net, "scale")


def test_modes_and_types():
    net = Net().eval()
    assert not net.training and not net.rest[1].training and net.train().rest[1].training
    weight = net.first.weight
    assert net.double().first.weight is weight and weight.dtype is torch.float64 and net.steps.dtype is torch.float64
    assert net.to(torch.float32) is net and weight.dtype is torch.float32
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())


def test_state_dicts():
    a, b = Net().eval(), Net().eval()
    x = torch.rand(3, 4)
    assert a(x).tolist() != b(x).tolist()
    assert repr(b.load_state_dict(a.state_dict())) == "<All keys matched successfully>" and a(x).tolist() == b(x).tolist()
    state = a.state_dict()
    state["extra"] = state.pop("scale")
    with pytest.raises(RuntimeError, match=r'Error\(s\) in loading state_dict for Net:\n\tMissing key\(s\) in state_dict: "scale". \n\tUnexpected key\(s\) in state_dict: "extra". '):
        b.load_state_dict(state)
    assert b.load_state_dict(state, strict=False).missing_keys == ["scale"]
    state = a.state_dict()
    state["scale"] = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"size mismatch for scale: copying a param with shape torch.Size\(\[3\]\) from checkpoint, the shape in current model is torch.Size\(\[2\]\)."):
        b.load_state_dict(state)
    for c in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert c(x).tolist() == a(x).tolist() and c.first.weight is not a.first.weight


def test_text():
    assert repr(Net()) == (
        "Net(\n  (first): Linear(in_features=4, out_features=8, bias=True)\n  (act): ReLU(inplace=True)\n  (rest): Sequential(\n"
        "    (0): LayerNorm((8,), eps=1e-05, elementwise_affine=True, bias=True)\n    (1): Dropout(p=0.25, inplace=False)\n"
        "    (2): Linear(in_features=8, out_features=2, bias=False)\n  )\n)"
    )
    assert repr(nn.ModuleList([nn.Tanh(), nn.Tanh(), nn.GELU()])) == "ModuleList(\n  (0-1): 2 x Tanh()\n  (2): GELU(approximate='none')\n)"
    assert repr(nn.Conv2d(3, 8, 3, padding=1, bias=False)) == "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)"
    assert repr(nn.Embedding(5, 2, padding_idx=0)) == "Embedding(5, 2, padding_idx=0)" and repr(nn.Softmax(dim=1)) == "Softmax(dim=1)"
    assert repr(nn.BatchNorm2d(3)) == "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"


def test_containers():
    s = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    assert len(s) == 3 and isinstance(s[-1], nn.Linear) and len(s[:2]) == 2 and s[:2][0] is s[0]
    m = nn.ModuleList([nn.Tanh()])
    m.append(nn.ReLU())
    m.insert(0, nn.GELU())
    assert [type(x).__name__ for x in m] == ["GELU", "Tanh", "ReLU"] and list(m._modules) == ["0", "1", "2"]
    d = nn.ModuleDict({"a": nn.Tanh()})
    d["b"] = nn.ReLU()
    assert list(d) == ["a", "b"] and "b" in d and len(d) == 2


def test_first_values_are_pytorchs():
    """Frozen from PyTorch 2.13: torch.manual_seed(0), then the layer's weights."""
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    assert repr(layer.weight.detach()) == "tensor([[-0.0043,  0.3097, -0.4752],\n        [-0.4249, -0.2224,  0.1548]])"
    assert repr(layer.bias.detach()) == "tensor([-0.0114,  0.4578])"


def test_training_moves_parameters():
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    x = torch.rand(32, 2)
    y = x.sum(dim=1, keepdim=True)
    losses = []
    for _ in range(60):
        loss = nn.functional.mse_loss(net(x), y)
        losses.append(loss.item())
        net.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.1 * p.grad
    assert losses[-1] < 0.1 * losses[0]


def test_hooks():
    layer, seen = nn.Linear(2, 2), []
    handle = layer.register_forward_hook(lambda module, args, output: seen.append(output.shape))
    layer(torch.ones(1, 2))
    handle.remove()
    layer(torch.ones(1, 2))
    assert seen == [(1, 2)]


LAYERS = [
    "Conv2d(3, 4, 3)", "BatchNorm2d(3)", "MaxPool2d(2)", "AdaptiveAvgPool2d(1)", "AvgPool2d(2)", "Flatten()", "LayerNorm(8)", "GELU()", "SiLU()", "ELU()", "LeakyReLU()",
    "Hardtanh()", "Hardsigmoid()", "Hardswish()", "ReLU6()", "SELU()", "Mish()", "Softplus()", "LogSigmoid()", "Softmax(1)", "LogSoftmax(1)", "Dropout(0.5)", "Tanh()", "Sigmoid()",
]  # fmt: skip
FORWARD = """
import math
torch.manual_seed(7)
layer = torch.nn.LAYER
x = (torch.arange(2 * 3 * 8 * 8) * 7 - 31 * (torch.arange(2 * 3 * 8 * 8) * 7 // 31)).view(2, 3, 8, 8).to(torch.float32) / 8 - 2
result = layer(x)
"""


@pytest.mark.oracle
@pytest.mark.parametrize("layer", LAYERS)
def test_layers_are_pytorchs(oracle, layer: str):
    import numpy

    ours: dict = {"torch": torch}
    program = FORWARD.replace("LAYER", layer)
    exec(program, ours)
    theirs = oracle.run(program + "result = result.detach()")
    numpy.testing.assert_allclose(ours["result"].detach().numpy(), theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_run_and_differentiate(layer: str):
    x = torch.rand(2, 3, 8, 8, requires_grad=True)
    y = eval(f"nn.{layer}", {"nn": nn})(x * 1.0)
    y.sum().backward()
    assert x.grad.shape == x.shape and torch.isfinite(y).all().item() and torch.isfinite(x.grad).all().item()


def test_an_empty_batch_moves_no_statistics():
    layer = nn.BatchNorm1d(3)
    assert layer(torch.zeros(0, 3)).shape == (0, 3)
    assert layer.running_mean.tolist() == [0.0] * 3 and layer.running_var.tolist() == [1.0] * 3


def test_a_loss_refuses_a_target_of_another_size():
    x = torch.tensor([0.5, 0.25])
    for loss in (torch.nn.functional.binary_cross_entropy, torch.nn.functional.binary_cross_entropy_with_logits):
        with pytest.raises(ValueError, match="Target size"):
            loss(x, torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        torch.nn.functional.binary_cross_entropy(x + 1, x)
