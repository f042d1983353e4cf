"""torch.ao.quantization.fuse_modules, and the layers that it makes."""

from __future__ import annotations

import pickle

import monograph as torch
import pytest
from monograph import nn
from monograph.ao.nn import intrinsic
from monograph.ao.quantization import fuse_known_modules, fuse_modules, fuse_modules_qat, fuser_method_mappings


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.relu = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU()
        self.up, self.bn2 = nn.ConvTranspose2d(3, 3, 2), nn.BatchNorm2d(3)
        self.bn3, self.relu3 = nn.BatchNorm2d(3), nn.ReLU()
        self.head = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2), nn.ReLU())

    def forward(self, x):
        x = self.bn2(self.up(self.relu(self.bn(self.conv(x)))))
        return self.head(self.relu3(self.bn3(x)).mean((2, 3)))


def trained():
    torch.manual_seed(3)
    net = Net()
    for _ in range(3):
        net(torch.randn(4, 2, 5, 5))
    return net


def test_fused_networks_compute_the_same():
    net, x = trained().eval(), torch.randn(2, 2, 5, 5)
    names = [["conv", "bn", "relu"], ["up", "bn2"], ["bn3", "relu3"], ["head.0", "head.1"], ["head.2", "head.3"]]
    fused = fuse_modules(net, names)
    kinds = [type(m).__name__ for m in (fused.conv, fused.bn, fused.relu, fused.up, fused.bn2, fused.bn3, fused.head[0], fused.head[2])]
    assert kinds == ["ConvReLU2d", "Identity", "Identity", "ConvTranspose2d", "Identity", "BNReLU2d", "Linear", "LinearReLU"]
    assert type(net.conv) is nn.Conv2d  # a copy was fused
    torch.testing.assert_close(fused(x), net(x))
    assert fuse_modules(net, ["conv", "bn"], inplace=True) is net and type(net.bn) is nn.Identity
    torch.testing.assert_close(net(x), fused(x))
    assert type(pickle.loads(pickle.dumps(fused.conv))) is intrinsic.ConvReLU2d


def test_fused_for_training():
    net = trained()
    fused = fuse_modules_qat(net, [["conv", "bn", "relu"], ["head.0", "head.1"]])
    assert type(fused.conv) is intrinsic.ConvBnReLU2d and type(fused.head[0]) is intrinsic.LinearBn1d and fused.bn.training
    x = torch.randn(4, 2, 5, 5)
    assert torch.equal(fused(x), net(x))


def test_hooks_move_to_the_fused_layer():
    net, heard = trained().eval(), []
    net.bn3.register_forward_pre_hook(lambda *_: heard.append("before"))
    net.relu3.register_forward_hook(lambda *_: heard.append("behind"))
    fused = fuse_modules(net, ["bn3", "relu3"])
    fused(torch.randn(1, 2, 5, 5))
    assert heard == ["before", "behind"]


def test_own_rules():
    calls = []

    def fuse(is_qat, conv, relu):
        calls.append(is_qat)
        return conv

    config = {"additional_fuser_method_mapping": {(nn.Conv2d, nn.ReLU): fuse}}
    assert type(fuse_modules(trained(), ["conv", "relu"], fuse_custom_config_dict=config).conv) is nn.Conv2d and calls == [False]
    assert fuser_method_mappings.get_fuser_method((nn.Linear, nn.BatchNorm1d)) is fuser_method_mappings.fuse_linear_bn
    assert len(fuse_known_modules([nn.Linear(1, 1), nn.ReLU()], False)) == 2


@pytest.mark.parametrize("names", [["conv"], ["bn", "conv"], ["conv", "head.0"], ["head.3", "conv"]])
def test_layers_that_cannot_be_fused(names):
    with pytest.raises(AssertionError, match="did not find fuser method"):
        fuse_modules(trained().eval(), names)


def test_modes_and_types():
    net = trained()
    net.bn.eval()
    with pytest.raises(AssertionError, match="must be in the same mode"):
        fuse_modules(net, ["conv", "bn"])
    with pytest.raises(AssertionError, match="eval"):
        fuse_modules(trained(), ["conv", "bn"])
    with pytest.raises(AssertionError, match="takes layers of the types Conv2d, ReLU, but got Linear, ReLU"):
        intrinsic.ConvReLU2d(nn.Linear(1, 1), nn.ReLU())
    with pytest.raises(AssertionError, match="affine"):
        fuse_modules_qat(nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2, affine=False)), ["0", "1"])
    with pytest.raises(AssertionError, match="has 2 outputs, and its batch norm 3"):
        fuse_modules_qat(nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(3)), ["0", "1"])
