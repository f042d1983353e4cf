"""Images and volumes whose channels are innermost (torch.channels_last, torch.channels_last_3d) stay so through the operators that keep the layout in PyTorch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import memory_format_cases as programs
import monograph as torch
import pytest
from beside import both

F = torch.nn.functional
FROZEN = json.loads((programs.DATA / "layouts.json").read_text())

# The layouts that are not PyTorch's, with the reason.
OTHER = {
    "conv2d.padding": "the result for one image without a batch is a part of a larger one, if one end is padded more",
    "conv_transpose3d.input": "the gradients of one small volume have the order of the steps that compute them",
    "einsum": "another product is computed",
    "igamma": "a permutation other than these formats is not kept",
    "igammac": "a permutation other than these formats is not kept",
    "polygamma": "it is made of special_zeta",
    "pow.Tensor_Tensor": "PyTorch's gradient begins with the exponent, if only one of the two is laid out anew",
    "rsub.Tensor": "PyTorch exchanges the operands, if only one of the two is laid out anew",
    "special_xlog1py.other_scalar": "its gradient is made of other steps",
    "special_zeta": "a permutation other than these formats is not kept",
}


def differing(expected: dict[str, str], ours: dict[str, list[str]]) -> dict[str, str]:
    """The records whose calls are laid out otherwise. A call that either library refuses is compared elsewhere."""
    out = {}
    for name, ways in ours.items():
        wanted = expected.get(name)
        if wanted is None:
            out[name] = "is not frozen: run tools/oracle/freeze_layouts.py"
            continue
        wanted = wanted.split(" ")
        pairs = [(a, b) for a, b in zip(ways, wanted, strict=True) if not same(a, b)] if len(ways) == len(wanted) else [(" ".join(ways), " ".join(wanted))]
        if pairs:
            out[name] = f"{pairs[0][0]} instead of {pairs[0][1]}, {len(pairs)} of {len(wanted)}"
    return out


def same(ours: str, theirs: str) -> bool:
    if "!" in (ours, theirs):
        return True
    a, b = ours.partition("|"), theirs.partition("|")
    return a[0] == b[0] and (a[2] == b[2] or "!" in (a[2], b[2]) or not a[2] or not b[2])


@pytest.fixture(scope="module")
def ours() -> dict[str, list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return programs.layouts(torch)


def test_results_and_gradients_are_laid_out_as_pytorchs(ours):
    found = differing(FROZEN, ours)
    assert {name: words for name, words in found.items() if name not in OTHER} == {}
    assert not (stale := sorted(set(OTHER) - set(found))), f"these differ no longer: {stale}"
    assert len(ours) > 200


@pytest.mark.oracle
def test_the_frozen_layouts_are_those_of_live_pytorch(oracle):
    folder = str(Path(programs.__file__).parent)
    live = oracle.run(f"import sys, warnings\nsys.path.insert(0, {folder!r})\nwarnings.simplefilter('ignore')\nfrom memory_format_cases import layouts\nresult = layouts(torch)")
    assert {name: " ".join(ways) for name, ways in live.items()} == FROZEN


IMAGE = torch.channels_last


def image(*sizes: int) -> torch.Tensor:
    return programs.laid_out(torch, torch.randn(*sizes))


KEEPING = {
    "conv2d": lambda x: F.conv2d(x, torch.ones(4, 3, 3, 3, device=x.device)),
    "conv_transpose2d": lambda x: F.conv_transpose2d(x, torch.ones(3, 4, 3, 3, device=x.device)),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "max_pool2d with indices": lambda x: F.max_pool2d(x, 2, return_indices=True)[1],
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2),
    "lp_pool2d": lambda x: F.lp_pool2d(x, 2, 2),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "reflection": lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"),
    "batch_norm": lambda x: F.batch_norm(x, torch.ones(3, device=x.device), torch.ones(3, device=x.device)),
    "group_norm": lambda x: F.group_norm(x, 3),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "relu and sum": lambda x: torch.relu(x) + x * 2,
    "cat": lambda x: torch.cat([x, x], 1),
}


@pytest.mark.parametrize("name", KEEPING)
def test_meta_tensors_and_captures_say_the_same(name):
    """The interpreter of a capture runs operators, which keep the layout as an eager call does."""
    call, x = KEEPING[name], image(2, 3, 6, 8)
    expected = call(x)
    assert programs.layout(expected) == "L" and torch.equal(expected, call(x.contiguous()))
    assert call(torch.empty_like(x, device="meta")).stride() == expected.stride()
    for captured in (torch.jit.trace(call, x), torch.fx.symbolic_trace(call), torch.compile(call)):
        assert captured(x).stride() == expected.stride()
        assert programs.layout(captured(x.contiguous())) == "C"


@pytest.mark.parametrize("name", KEEPING)
def test_gradients_have_the_format_of_the_image(name):
    x = image(2, 3, 6, 8).requires_grad_()
    y = KEEPING[name](x)
    if y.is_floating_point():
        (g,) = torch.autograd.grad(y, x, torch.ones_like(y))
        plain = x.detach().contiguous().requires_grad_()
        (h,) = torch.autograd.grad(KEEPING[name](plain), plain, torch.ones(y.shape))
        assert programs.layout(g) == "L" and programs.layout(h) == "C"
        torch.testing.assert_close(g.contiguous(), h)


def test_the_gradients_of_a_convolution_follow_either_operand():
    for x, w in ((image(2, 3, 5, 5), torch.randn(4, 3, 3, 3)), (torch.randn(2, 3, 5, 5), image(4, 3, 3, 3))):
        y = F.conv2d(x.requires_grad_(), w.requires_grad_())
        for g in (torch.ones(y.shape), image(*y.shape)):
            assert "".join(map(programs.layout, [y, *torch.autograd.grad(y, (x, w), g, retain_graph=True)])) == "LLL"
    x, w = torch.randn(2, 3, 5, 5, requires_grad=True), torch.randn(4, 3, 3, 3, requires_grad=True)
    y = F.conv2d(x, w)
    assert "".join(map(programs.layout, torch.autograd.grad(y, (x, w), image(*y.shape)))) == "CC"


def test_an_out_tensor_of_another_size_gets_the_format():
    x = image(2, 3, 6, 8)
    out = torch.empty(0)
    torch._C._nn.avg_pool2d(x, 2, out=out)
    assert programs.layout(out) == "L" and torch.equal(out, F.avg_pool2d(x, 2))
    out = torch.empty(2, 3, 3, 4)  # one of the right size keeps its own
    torch._C._nn.avg_pool2d(x, 2, out=out)
    assert programs.layout(out) == "C" and torch.equal(out, F.avg_pool2d(x, 2))


def test_one_image_without_a_batch_through_weights_that_are_laid_out_anew():
    conv = torch.nn.Conv2d(3, 4, 3).to(memory_format=IMAGE)
    assert conv(torch.ones(3, 6, 8)).stride() == (1, 24, 4)  # that of a batch of one, without the batch


def test_a_script_keeps_the_format():
    @torch.jit.script
    def small(x: torch.Tensor, w: torch.Tensor):
        y = torch.relu(torch.conv2d(x, w))
        if y.is_contiguous(memory_format=torch.channels_last):
            y = y + 1
        return torch.nn.functional.max_pool2d(y, [2, 2])

    assert programs.layout(small(image(2, 3, 8, 8), torch.ones(4, 3, 3, 3))) == "L"


# Layers whose weights are laid out anew beside PyTorch's, with images in either layout. There is no convolution with windows of one pixel and a stride: the gradient
# of PyTorch's writes beyond its memory where oneDNN is held to AVX2.
LAYERS = """
def layout(t):
    s = [n for n, k in zip(t.stride(), t.shape) if k > 1]
    return [s, t.is_contiguous(memory_format=torch.channels_last if t.dim() == 4 else torch.channels_last_3d) if t.dim() in (4, 5) else None]
def run(layer, n, sizes, laid_out):
    form = torch.channels_last if n == 4 else torch.channels_last_3d
    torch.manual_seed(0)
    layer = layer().to(memory_format=form)
    x = torch.randn(sizes)
    x = x.contiguous(memory_format=form) if laid_out else x
    x.requires_grad_()
    y = layer(x)
    y = y[0] if isinstance(y, tuple) else y
    if y.requires_grad:
        y.backward(torch.ones_like(y))
    return [layout(y), *(layout(t.grad) for t in [x, *layer.parameters()] if t.grad is not None)]
nn = torch.nn
PLANES = [lambda: nn.Conv2d(4, 6, 3), lambda: nn.Conv2d(4, 8, 3, groups=2, padding=1), lambda: nn.Conv2d(4, 6, 1), lambda: nn.Conv2d(4, 6, 3, dilation=2, padding="same"),
    lambda: nn.ConvTranspose2d(4, 6, 3, stride=2), lambda: nn.MaxPool2d(2), lambda: nn.MaxPool2d(3, 2, 1, return_indices=True), lambda: nn.AvgPool2d(2), lambda: nn.LPPool2d(2, 2),
    lambda: nn.AdaptiveAvgPool2d(1), lambda: nn.AdaptiveAvgPool2d(3), lambda: nn.AdaptiveMaxPool2d(3), lambda: nn.BatchNorm2d(4), lambda: nn.BatchNorm2d(4).eval(),
    lambda: nn.GroupNorm(2, 4), lambda: nn.InstanceNorm2d(4), lambda: nn.InstanceNorm2d(4, affine=True), lambda: nn.LayerNorm(8), lambda: nn.Upsample(scale_factor=2),
    lambda: nn.Upsample(scale_factor=1.5, mode="bilinear"), lambda: nn.Upsample(scale_factor=2, mode="bicubic"), lambda: nn.ReflectionPad2d(1), lambda: nn.ReplicationPad2d(1),
    lambda: nn.ZeroPad2d(1), lambda: nn.ConstantPad2d(1, 2.0), lambda: nn.CircularPad2d(1), lambda: nn.PixelShuffle(2), lambda: nn.PixelUnshuffle(2), lambda: nn.ChannelShuffle(2),
    lambda: nn.Dropout(0.5), lambda: nn.Dropout(0.5).eval(), lambda: nn.Dropout2d(0.5), lambda: nn.ReLU(), lambda: nn.ReLU6(), lambda: nn.GELU(), lambda: nn.SiLU(), lambda: nn.Hardswish(),
    lambda: nn.Sigmoid(), lambda: nn.Softmax2d(), lambda: nn.Softmax(1), lambda: nn.PReLU(4), lambda: nn.LocalResponseNorm(2), lambda: nn.Flatten(), lambda: nn.LeakyReLU(), lambda: nn.ELU(), lambda: nn.Mish()]
VOLUMES = [lambda: nn.Conv3d(4, 6, 3), lambda: nn.Conv3d(4, 4, 3, groups=2), lambda: nn.ConvTranspose3d(4, 6, 2), lambda: nn.MaxPool3d(2), lambda: nn.AvgPool3d(2), lambda: nn.AdaptiveAvgPool3d(2),
    lambda: nn.AdaptiveMaxPool3d(2), lambda: nn.BatchNorm3d(4), lambda: nn.BatchNorm3d(4).eval(), lambda: nn.GroupNorm(2, 4), lambda: nn.InstanceNorm3d(4), lambda: nn.Upsample(scale_factor=2),
    lambda: nn.Upsample(scale_factor=2, mode="trilinear"), lambda: nn.ReflectionPad3d(1), lambda: nn.ReplicationPad3d(1), lambda: nn.ConstantPad3d(1, 1.0), lambda: nn.ReLU(), lambda: nn.Dropout3d(0.5)]
import warnings
warnings.simplefilter("ignore")
result = [run(layer, n, sizes, laid_out) for layers, n, sizes in ((PLANES, 4, (2, 4, 8, 8)), (VOLUMES, 5, (2, 4, 4, 6, 8))) for layer in layers for laid_out in (True, False)]
"""


@pytest.mark.oracle
def test_layers_moved_to_the_format(oracle):
    both(oracle, LAYERS)


NETWORKS = """
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
from torchvision import models

found = {}
for name in NAMES:
    torch.manual_seed(0)
    net = getattr(models, name)(weights=None).to(memory_format=torch.channels_last)
    told = found[name] = []
    flowed = {}
    def tell(module, args, y, told=told, flowed=flowed):
        if not isinstance(y, torch.Tensor):
            return
        told.append([type(module).__name__, list(y.shape), [s for n, s in zip(y.shape, y.stride()) if n > 1]])
        if y.requires_grad:
            y.register_hook(lambda g, place=len(told): flowed.__setitem__(place, [s for n, s in zip(g.shape, g.stride()) if n > 1]))
    for module in net.modules():
        if not list(module.children()):
            module.register_forward_hook(tell)
    x = torch.randn(2, 3, 64, 64).contiguous(memory_format=torch.channels_last)
    net(x).sum().backward()
    told.append(sorted(flowed.items()))
    told.append([[name, list(p.grad.stride())] for name, p in net.named_parameters()])
print(json.dumps(found))
"""
NAMES = ["resnet18", "mobilenet_v2", "mobilenet_v3_small", "densenet121", "shufflenet_v2_x0_5", "efficientnet_b0", "squeezenet1_1"]


@pytest.mark.oracle
def test_each_layer_of_networks():
    """torchvision's networks in channels_last, training: the strides of each layer's output, of what flows back into it, and of the weights' gradients."""
    packages = Path(os.environ.get("MONOGRAPH_PACKAGES") or programs.DATA.parents[1] / ".programs")
    if not packages.exists():
        pytest.skip("needs torchvision in .programs; ./dev setup --programs installs it")

    def run(python: str, paths: list[Path], stands_in: bool) -> dict[str, list[object]]:
        head = f"PATHS, STANDS_IN, NAMES = {[str(p) for p in paths]}, {stands_in}, {NAMES}\n"
        env = {name: value for name, value in os.environ.items() if name != "ONEDNN_MAX_CPU_ISA"}  # see LAYERS
        done = subprocess.run([python, "-c", head + NETWORKS], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.splitlines()[-1])

    ours = run(sys.executable, [programs.DATA.parents[1] / "python", packages], True)
    theirs = run(os.environ["MONOGRAPH_ORACLE"], [packages], False)
    for name, layers in theirs.items():
        flowed, expected = dict(ours[name].pop(-2)), dict(layers.pop(-2))
        assert {k: (flowed.get(k), g, layers[k - 1]) for k, g in expected.items() if flowed.get(k) != g} == {}, name
        assert [(a, b) for a, b in zip(ours[name], layers, strict=True) if a != b] == [], name
        assert len(layers) > 20
