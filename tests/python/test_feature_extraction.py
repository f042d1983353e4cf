"""torchvision's and timm's feature extraction, which stand on torch.fx: their own tracers, their own GraphModule. The same nodes and shapes as with PyTorch."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import monograph as torch
import monograph.nn as nn
import pytest
from monograph.fx import graph_module, node

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ.get("MONOGRAPH_PACKAGES") or ROOT / ".programs")

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path[:0] = PATHS
if STANDS_IN:
    import monograph
    monograph.install_as_torch()
import torch
if not STANDS_IN:  # the package's own C++ library is not loaded
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
import timm
from torchvision import models
from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names

found = {}
for name, layer, size in LAYERS:
    net = getattr(models, name)()
    names = get_graph_node_names(net)
    features = create_feature_extractor(net, return_nodes={layer: "f"}).eval()
    with torch.no_grad():
        found[name] = [names, list(features(torch.ones(1, 3, size, size))["f"].shape)]
for name in ("resnet18", "mobilenetv3_small_050", "convnext_atto"):
    net = timm.create_model(name, features_only=True, feature_cls="fx").eval()
    with torch.no_grad():
        found["timm " + name] = [list(f.shape) for f in net(torch.ones(1, 3, 64, 64))]
print(json.dumps(found))
"""
LAYERS = [
    ("resnet18", "layer3", 64), ("vit_b_32", "encoder.layers.encoder_layer_1.add_1", 224), ("swin_t", "features.1.1.add_1", 64),
    ("convnext_tiny", "features.3", 64), ("efficientnet_b0", "features.4", 64), ("mobilenet_v3_small", "features.6", 64), ("shufflenet_v2_x0_5", "stage3", 64),
]  # fmt: skip


def run(python: str, paths: list[Path], stands_in: bool) -> object:
    head = f"PATHS, STANDS_IN, LAYERS = {[str(p) for p in paths]}, {stands_in}, {LAYERS}\n"
    done = subprocess.run([python, "-c", head + PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.oracle
def test_nodes_and_shapes_are_those_of_pytorch():
    if not PACKAGES.exists():
        pytest.skip("needs other people's packages in .programs; ./dev test --oracle and ./dev setup --programs install them")
    ours = run(sys.executable, [ROOT / "python", PACKAGES], True)
    for name, _, _ in LAYERS:  # the texts of assertions' messages are nodes here
        ours[name][0] = [[n for n in names if not n.rpartition(".")[2].startswith("text")] for names in ours[name][0]]
    assert ours == run(os.environ["MONOGRAPH_ORACLE"], [PACKAGES], False)
    assert len(ours) == len(LAYERS) + 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("shift", torch.zeros(2))

    def forward(self, x):
        return self.inner(x) * self.scale + self.shift


@pytest.mark.parametrize("constant_shapes", [False, True])
def test_a_tracer_may_override_create_proxy_without_its_last_argument(constant_shapes):
    class Counting(torch.fx.Tracer):
        count = 0

        def create_proxy(self, kind: str, target: node.Target, args, kwargs, name=None, type_expr=None, *_):
            self.count += 1
            return super().create_proxy(kind, target, args, kwargs, name, type_expr)

    net = Net()
    tracer = Counting(param_shapes_constant=constant_shapes)
    gm = torch.fx.GraphModule(net, tracer.trace(net))
    assert tracer.count > 4 and torch.equal(gm(torch.ones(1, 2)), net(torch.ones(1, 2)))


def test_a_class_derived_from_graph_module_copies_itself_by_its_parts():
    """As torchvision's does: it takes the attributes that it wants with _copy_attr, and is copied through _CodeOnlyModule."""

    class Dual(torch.fx.GraphModule):
        def __init__(self, root, graph):
            super(torch.fx.GraphModule, self).__init__()
            for n in graph.nodes:
                if n.op in ("get_attr", "call_module"):
                    graph_module._copy_attr(root, self, n.target)
            self.graph = graph

        def _deepcopy_init(self):
            return Dual.__init__

        def __deepcopy__(self, memo):
            made = type(self).__new__(type(self))
            whole = graph_module._CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
            self._deepcopy_init()(made, whole, whole.__dict__["_graph"])
            made.meta = copy.deepcopy(getattr(self, "meta", {}), memo)
            assert graph_module._USER_PRESERVED_ATTRIBUTES_KEY not in made.meta
            return made

    net = Net()
    gm = torch.fx.symbolic_trace(net)
    dual = Dual(net, gm.graph)
    x = torch.randn(3, 2)
    assert torch.equal(dual(x), net(x)) and dual.inner is not net.inner and dual.get_submodule("inner.0") is net.inner[0]
    assert isinstance(dual.scale, nn.Parameter) and "shift" in dict(dual.named_buffers())
    other = copy.deepcopy(dual)
    assert torch.equal(other(x), net(x)) and other.get_submodule("inner.0") is not net.inner[0]
    assert torch.fx.GraphModule(net, gm.graph)._deepcopy_init() is torch.fx.GraphModule.__init__
    graph_module._copy_attr(net, holder := nn.Module(), "inner")
    graph_module._copy_attr(net, holder, "inner.0.weight")
    assert holder.inner is net.inner
