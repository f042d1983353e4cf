"""Layers that learn a size from their first input, and their parameters."""

from __future__ import annotations

import copy
import pickle
import warnings

import monograph as torch
import pytest
from monograph import nn
from monograph.nn.modules.lazy import LazyModuleMixin
from monograph.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

pytestmark = pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")

LAYERS = {
    "Linear": (lambda lazy: nn.LazyLinear(4) if lazy else nn.Linear(3, 4), (2, 3)),
    "Conv1d": (lambda lazy: nn.LazyConv1d(4, 3, groups=2) if lazy else nn.Conv1d(6, 4, 3, groups=2), (2, 6, 5)),
    "Conv2d": (lambda lazy: nn.LazyConv2d(4, 3, padding=1) if lazy else nn.Conv2d(3, 4, 3, padding=1), (2, 3, 4, 4)),
    "Conv3d": (lambda lazy: nn.LazyConv3d(4, 2, bias=False) if lazy else nn.Conv3d(3, 4, 2, bias=False), (3, 4, 4, 4)),
    "ConvTranspose1d": (lambda lazy: nn.LazyConvTranspose1d(4, 2) if lazy else nn.ConvTranspose1d(3, 4, 2), (3, 5)),
    "ConvTranspose2d": (lambda lazy: nn.LazyConvTranspose2d(4, 2, stride=2) if lazy else nn.ConvTranspose2d(3, 4, 2, stride=2), (1, 3, 4, 4)),
    "ConvTranspose3d": (lambda lazy: nn.LazyConvTranspose3d(4, 2) if lazy else nn.ConvTranspose3d(3, 4, 2), (1, 3, 2, 2, 2)),
    "BatchNorm1d": (lambda lazy: nn.LazyBatchNorm1d() if lazy else nn.BatchNorm1d(3), (4, 3)),
    "BatchNorm2d": (lambda lazy: nn.LazyBatchNorm2d(affine=False) if lazy else nn.BatchNorm2d(3, affine=False), (4, 3, 2, 2)),
    "BatchNorm3d": (lambda lazy: nn.LazyBatchNorm3d(bias=False) if lazy else nn.BatchNorm3d(3, bias=False), (4, 3, 2, 2, 2)),
    "InstanceNorm1d": (lambda lazy: nn.LazyInstanceNorm1d() if lazy else nn.InstanceNorm1d(3, affine=True, track_running_stats=True), (2, 3, 4)),
    "InstanceNorm2d": (lambda lazy: nn.LazyInstanceNorm2d() if lazy else nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (2, 3, 4, 4)),
    "InstanceNorm3d": (lambda lazy: nn.LazyInstanceNorm3d(track_running_stats=False) if lazy else nn.InstanceNorm3d(3, affine=True), (2, 3, 4, 4, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_after_the_first_call_it_is_the_layer(name):
    make, sizes = LAYERS[name]
    lazy = make(True)
    assert type(lazy) is getattr(nn, f"Lazy{name}") and lazy.has_uninitialized_params() and f"Lazy{name}(" in repr(lazy)
    torch.manual_seed(1)
    plain, x = make(False), torch.randn(sizes)
    torch.manual_seed(1)
    with torch.no_grad():
        result = lazy(x) if name.startswith(("Batch", "Instance")) else lazy(torch.zeros(sizes)) * 0 + lazy(x)
    assert type(lazy) is type(plain) and repr(lazy) == repr(plain) and not any(is_lazy(p) for p in lazy.parameters())
    assert list(lazy.state_dict()) == list(plain.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(lazy.parameters(), plain.parameters(), strict=True))  # the same draws
    assert torch.equal(result, plain(x)) and not lazy._forward_pre_hooks and not lazy._load_state_dict_pre_hooks


def network():
    return nn.Sequential(nn.LazyConv2d(2, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))


def test_state_dicts_and_copies():
    net, x = network(), torch.ones(2, 3, 5, 5)
    assert is_lazy(net.state_dict()["0.weight"])
    waiting, again = copy.deepcopy(net), network()
    again.load_state_dict(net.state_dict())  # both wait
    assert again[0].has_uninitialized_params()
    net(x)
    waiting.load_state_dict(net.state_dict())  # it gets the sizes
    assert type(waiting[3]) is nn.LazyLinear and not waiting[3].has_uninitialized_params() and torch.equal(waiting.eval()(x), net.eval()(x))
    assert type(waiting[3]) is nn.Linear and waiting[3].in_features == 18
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        network()[3].cls_to_become(2, 2).load_state_dict(nn.LazyLinear(2).state_dict())
    assert type(pickle.loads(pickle.dumps(nn.UninitializedParameter(False)))) is nn.UninitializedParameter


def test_training_after_the_first_call():
    net, x = network().double(), torch.randn(4, 1, 4, 4, dtype=torch.float64)
    net(x)
    before = [p.clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(x).sum().backward()
    optimizer.step()
    assert all(p.dtype == torch.float64 and p.grad is not None for p in net.parameters()) and not torch.equal(before[0], net[0].weight)


def test_parameters_without_a_size():
    weight = UninitializedParameter(dtype=torch.float64)
    assert isinstance(weight, nn.Parameter) and weight.dtype == torch.float64 and weight.requires_grad and repr(weight) == "<UninitializedParameter>"
    for use in (lambda: weight + 1, lambda: weight.sum(), lambda: torch.relu(weight)):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
            use()
    with pytest.raises(RuntimeError, match="Can't access the shape"):
        weight.shape  # noqa: B018
    weight.materialize((2, 3), dtype=torch.float32)
    assert type(weight) is nn.Parameter and weight.shape == (2, 3) and weight.dtype == torch.float32 and weight.is_leaf
    buffer = UninitializedBuffer()
    buffer.materialize([2])
    assert type(buffer) is torch.Tensor and not buffer.requires_grad


def test_wrong_inputs():
    with pytest.raises(ValueError, match="divisible by groups"):
        nn.LazyConv2d(3, 1, groups=3)(torch.ones(1, 2, 4, 4))
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"):
        nn.LazyConv2d(3, 1)(torch.ones(2, 4))
    with pytest.warns(UserWarning, match="Lazy modules are a new feature"), warnings.catch_warnings():
        warnings.simplefilter("always")
        nn.LazyLinear(1)


def test_own_lazy_layers():
    class Scale(LazyModuleMixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.count = nn.UninitializedParameter(), nn.UninitializedBuffer()

        def initialize_parameters(self, x, *, k=1):
            self.weight.materialize(x.shape[-1:])
            self.count.materialize((k,))
            nn.init.ones_(self.weight)
            self.count.fill_(k)

        def forward(self, x, *, k=1):
            return x * self.weight + self.count

    layer = Scale()
    assert layer(torch.ones(2, 3), k=1).tolist() == [[2, 2, 2]] * 2 and type(layer) is Scale
    assert list(layer.state_dict()) == ["weight", "count"] and layer(torch.ones(3)).tolist() == [2, 2, 2]

    class Forgets(LazyModuleMixin, nn.Module):
        def forward(self, x):
            return x

    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Forgets"):
        Forgets()(torch.ones(1))

    class Half(Scale):
        def initialize_parameters(self, x, **kwargs):
            self.weight.materialize((1,))

    with pytest.raises(RuntimeError, match="Half has not been fully initialized"):
        Half()(torch.ones(1))
