"""Modules: registration, state, text, and first values equal to PyTorch's."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections import OrderedDict

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
    assert repr(nn.BatchNorm2d(3)) == "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"


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
    "ConvTranspose2d(3, 4, 3)", "ConvTranspose2d(3, 6, (3, 2), (2, 3), 1, (1, 2), 3)", "ConvTranspose2d(3, 2, 3, 2, output_padding=1, bias=False, dilation=2)",
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


CONVOLUTIONS = [
    (1, ""), (1, "stride=2, padding=1"), (1, "dilation=2, groups=2"), (1, "padding='same'"), (1, "padding='same', dilation=3, bias=False"), (1, "padding='valid'"),
    (2, "padding='same', dilation=(1, 2)"), (2, "padding='valid', stride=2"), (2, "padding='same', groups=2"),
]  # fmt: skip
CONVOLVE = """
torch.manual_seed(3)
layer = torch.nn.ConvDIMSd(4, 6, KERNEL, ARGUMENTS)
x = torch.arange(2 * 4 * 9 ** DIMS).to(torch.float32).view(2, 4, *[9] * DIMS) % 11 / 8
result = layer(x)
"""


def _convolve(dims: int, arguments: str, kernel: str) -> str:
    return CONVOLVE.replace("DIMS", str(dims)).replace("ARGUMENTS", arguments).replace("KERNEL", kernel)


@pytest.mark.oracle
@pytest.mark.parametrize("kernel", ["3", "4"])
@pytest.mark.parametrize(("dims", "arguments"), CONVOLUTIONS)
def test_convolutions_are_pytorchs(oracle, dims, arguments, kernel):
    import numpy

    ours: dict = {"torch": torch}
    exec(_convolve(dims, arguments, kernel), ours)
    theirs = oracle.run(_convolve(dims, arguments, kernel) + "result = result.detach()")
    numpy.testing.assert_allclose(ours["result"].detach().numpy(), theirs, rtol=1e-5, atol=1e-6)
    theirs = oracle.run(_convolve(dims, arguments, kernel) + "result = layer(x[0]).detach()")
    numpy.testing.assert_allclose(ours["layer"](ours["x"][0]).detach().numpy(), theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kernel", ["3", "4"])
@pytest.mark.parametrize(("dims", "arguments"), CONVOLUTIONS)
def test_convolutions_are_what_their_padding_says(dims, arguments, kernel):
    """Without PyTorch: against the sum that a convolution is, and in every capture."""
    found: dict = {"torch": torch}
    exec(_convolve(dims, arguments, kernel), found)
    layer, x, result = found["layer"], found["x"], found["result"]
    spread = [d * (k - 1) for d, k in zip(layer.dilation, layer.kernel_size, strict=True)]
    front = [s // 2 for s in spread] if layer.padding == "same" else [0] * dims if layer.padding == "valid" else layer.padding
    for place in [(0, 0, *[0] * dims), (1, 5, *[n - 1 for n in result.shape[2:]]), (1, 3, *[n // 2 for n in result.shape[2:]])]:
        assert abs(result[place].item() - _sum_at(layer, x, place, front)) < 1e-4
    if layer.padding == "same":
        assert result.shape[2:] == x.shape[2:]
    net = nn.Sequential(layer)
    symbolic, traced = torch.fx.symbolic_trace(net), torch.jit.trace(net, x)
    assert torch.equal(symbolic(x), result) and torch.equal(symbolic.graph(x), result) and torch.equal(traced(x), result)
    assert symbolic.graph.hash() == traced.inlined_graph.hash()


def _sum_at(layer, x, place, front):
    import itertools

    n, out, *at = place
    wide = layer.in_channels // layer.groups
    first = out // (layer.out_channels // layer.groups) * wide
    total = layer.bias[out].item() if layer.bias is not None else 0.0
    for c, *k in itertools.product(range(wide), *map(range, layer.kernel_size)):
        where = [a * s - f + j * d for a, s, f, j, d in zip(at, layer.stride, front, k, layer.dilation, strict=True)]
        if all(0 <= w < 9 for w in where):
            total += layer.weight[(out, c, *k)].item() * x[(n, first + c, *where)].item()
    return total


def test_convolutions_refuse_as_pytorch_does():
    import monograph.nn.functional as F

    assert F.conv1d is torch.conv1d and F.conv2d is torch.conv2d
    with pytest.raises(RuntimeError, match=r"Expected 2D \(unbatched\) or 3D \(batched\) input to conv1d, but got input of size: \[2, 4, 9, 9\]"):
        F.conv1d(torch.ones(2, 4, 9, 9), torch.ones(6, 4, 3))
    with pytest.raises(RuntimeError, match=r"expected stride to be a single integer value or a list of 1 values, but got stride=\[1, 2\]"):
        F.conv1d(torch.ones(2, 4, 9), torch.ones(6, 4, 3), stride=(1, 2))
    for call in (lambda: F.conv2d(torch.ones(1, 1, 5, 5), torch.ones(1, 1, 3, 3), padding="same", stride=2), lambda: nn.Conv1d(1, 1, 3, 2, "same")):
        with pytest.raises((RuntimeError, ValueError), match="padding='same' is not supported for strided convolutions"):
            call()
    with pytest.raises(ValueError, match="Invalid padding string 'full'"):
        nn.Conv2d(1, 1, 3, padding="full")
    with pytest.raises(RuntimeError, match=r"\[aten::conv2d.padding\] padding must be numbers, 'valid' or 'same', but got 'full'"):
        F.conv2d(torch.ones(1, 1, 5, 5), torch.ones(1, 1, 3, 3), padding="full")


def test_a_transposed_convolution():
    import monograph.nn.functional as F

    assert F.conv_transpose2d is torch.conv_transpose2d
    layer = nn.ConvTranspose2d(2, 4, (3, 2), stride=(2, 3), padding=1, output_padding=(1, 2), groups=2, bias=False)
    assert repr(layer) == "ConvTranspose2d(2, 4, kernel_size=(3, 2), stride=(2, 3), padding=(1, 1), output_padding=(1, 2), groups=2, bias=False)"
    assert layer.weight.shape == (2, 2, 3, 2) and nn.ConvTranspose2d(2, 6, 3, groups=2).bias.shape == (6,)
    x = torch.randn(2, 2, 5, 4)
    assert layer(x).shape == (2, 4, 10, 11) and layer(x, output_size=(9, 9)).shape == (2, 4, 9, 9) and layer(x[0]).shape == (4, 10, 11)
    assert torch.equal(layer(x, output_size=[2, 4, 10, 11]), layer(x)) and torch.equal(layer(x, (9, 9)), layer(x)[:, :, :9, :9])
    with pytest.raises(ValueError, match=r"requested an output size of \(12, 9\), but valid sizes range from \[9, 9\] to \[10, 11\] \(for an input of torch.Size"):
        layer(x, (12, 9))
    with pytest.raises(ValueError, match=r"ConvTranspose2D: for 4D input, output_size must have 2 or 4 elements \(got 3\)"):
        layer(x, (4, 9, 9))
    with pytest.raises(ValueError, match='Only "zeros" padding mode is supported for ConvTranspose2d'):
        nn.ConvTranspose2d(2, 4, 3, padding_mode="reflect")
    with pytest.raises(RuntimeError, match="output padding must be smaller than either stride or dilation"):
        nn.ConvTranspose2d(2, 4, 3, stride=2, output_padding=2)(x)


def test_a_transposed_convolution_is_the_gradient_of_a_convolution():
    import monograph.nn.functional as F

    weight, g = torch.randn(4, 3, 3, 3, dtype=torch.float64), torch.randn(2, 4, 3, 4, dtype=torch.float64)
    x = torch.randn(2, 3, 6, 8, dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(F.conv2d(x, weight, stride=2, padding=1), x, g)
    assert torch.allclose(F.conv_transpose2d(g, weight, stride=2, padding=1, output_padding=1), grad)


def test_a_functional_convolution_in_a_graph():
    gm = torch.fx.symbolic_trace(lambda x, w: torch.conv1d(x, w, padding="same"))
    call = next(n for n in gm.graph.nodes if n.op == "call_function")
    assert call.target is torch.conv1d and len(call.args) == 2 and dict(call.kwargs) == {"padding": "same"}
    for kernel in (3, 4):
        x, w = torch.randn(2, 4, 9), torch.randn(2, 4, kernel)
        assert torch.equal(gm(x, w), torch.conv1d(x, w, padding="same")) and torch.equal(gm.graph(x, w), gm(x, w))


def test_an_assigned_parameter_keeps_its_place():
    layer = nn.Linear(2, 2)
    layer.weight = nn.Parameter(torch.ones(2, 2))
    assert [n for n, _ in layer.named_parameters()] == list(layer.state_dict()) == ["weight", "bias"]
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    setattr(net, "0", nn.GELU())
    assert [n for n, _ in net.named_children()] == ["0", "1"]
    layer.bias = nn.Linear(1, 1)  # another kind of thing
    assert [n for n, _ in layer.named_parameters()] == ["weight", "bias.weight", "bias.bias"]


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


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("relu", {}), ("silu", {}), ("mish", {}), ("hardswish", {}), ("hardsigmoid", {}), ("leaky_relu", {"negative_slope": 0.2}), ("elu", {"alpha": 0.5}),
     ("hardtanh", {"min_val": -0.5, "max_val": 0.25})],
)  # fmt: skip
def test_activations_in_place(name, numbers):
    function = getattr(nn.functional, name)
    assert list(inspect.signature(function).parameters) == ["input", *numbers, "inplace"]
    x = torch.tensor([-2.0, -0.3, 0.1, 3.0])
    for values, named in (((), numbers), (tuple(numbers.values()), {}), ((), {})):
        expected, y = function(x, *values, **named), x.clone()
        assert torch.equal(y, x) and function(y, *values, **named, inplace=True) is y and torch.equal(y, expected)
    y = x.clone()
    assert function(y, *numbers.values(), True) is y and torch.equal(y, function(input=x, **numbers))
    leaf, same = x.clone().requires_grad_(), x.clone().requires_grad_()
    function(leaf * 2, inplace=True).sum().backward()
    function(same * 2).sum().backward()
    assert torch.equal(leaf.grad, same.grad)
    captured = torch.capture(lambda x: function(x, inplace=True), x)
    places = [str(n.span) for n in captured.graph.nodes if n.op == "call_function"]
    assert places and all(place.startswith(__file__) for place in places)
    with pytest.raises(TypeError):
        function(x, *numbers.values(), True, 1)
    with pytest.raises(TypeError):
        function(x, wrong=1)


def test_checkpoints_without_a_count_of_batches():
    norm = nn.BatchNorm1d(2)
    state = {k: v + 1 for k, v in norm.state_dict().items() if k != "num_batches_tracked"}
    assert norm.load_state_dict(state).missing_keys == []
    assert norm.running_mean.tolist() == [1, 1] and norm.num_batches_tracked.item() == 0


def test_a_parameter_cannot_hide_behind_an_attribute_of_the_class():
    with pytest.raises(KeyError, match="attribute 'keys' already exists"):
        nn.ParameterDict({"keys": torch.ones(2)})
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        nn.Linear(2, 2).forward = nn.Parameter(torch.ones(2))
    net = nn.Linear(2, 2)
    net.scale = 1.0
    net.scale = nn.Parameter(torch.ones(2))
    assert "scale" in dict(net.named_parameters())


def test_the_order_of_a_dict_of_parameters():
    one, two = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))
    assert list(nn.ParameterDict({"b": one, "a": two}).state_dict()) == ["a", "b"]  # sorted, as in PyTorch
    assert list(nn.ParameterDict(OrderedDict(b=one, a=two)).state_dict()) == ["b", "a"]
    assert list(nn.ParameterDict([("b", one), ("a", two)]).state_dict()) == ["b", "a"]
    assert list(nn.ParameterDict(nn.ParameterDict([("b", one), ("a", two)])).state_dict()) == ["b", "a"]


def test_a_parameter_dict_keeps_what_is_no_tensor():
    d = nn.ParameterDict({"b": torch.ones(2), "a": 3, "n": None})
    assert str(d) == "ParameterDict(\n    (a): Object of type: int\n    (b): Parameter containing: [torch.FloatTensor of size 2]\n    (n): Object of type: NoneType\n)"
    assert (d["a"], d["n"], list(d), list(d.state_dict())) == (3, None, ["a", "b", "n"], ["b"])
    assert d.pop("a") == 3 and d.get("a", 7) == 7 and d.setdefault("z", 1) == 1 and d.popitem() == ("z", 1) and list(reversed(d)) == ["n", "b"]
    joined = d | nn.ParameterDict({"c": torch.zeros(1)})
    assert list(joined) == ["b", "n", "c"] and joined["b"] is d["b"] and list(d.copy()) == list(d) and d.fromkeys("xy", 2)["y"] == 2
    d.clear()
    assert len(d) == 0 and "b" not in d and not list(d.parameters())
    with pytest.raises(TypeError, match=r"not a string \(type is 'int'\)"):
        d[3] = torch.ones(1)
    with pytest.raises(TypeError, match="iterable of key/value pairs, but got int"):
        d.update(3)
    with pytest.raises(AttributeError, match="'ParameterDict' object has no attribute 'q'"):
        d["q"]


def test_layers_with_no_features_have_gradients():
    x = torch.randn(2, 4, requires_grad=True)
    for layer, given in ((nn.Linear(4, 0), x), (nn.Linear(0, 3), torch.ones(2, 0, requires_grad=True)), (nn.Linear(4, 0), x[0])):
        layer(given).sum().backward()
        assert layer.weight.grad.shape == layer.weight.shape and torch.equal(layer.weight.grad, torch.zeros_like(layer.weight))
    assert torch.equal(x.grad, torch.zeros(2, 4))
    nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])(x, torch.tensor([0, 5])).loss.backward()


def test_what_subclasses_of_recurrent_layers_call():
    layer, packed = nn.LSTM(3, 4, 2, proj_size=2), torch.tensor([2, 1])
    assert layer.get_expected_hidden_size(torch.ones(5, 2, 3), None) == (2, 2, 2) and layer.get_expected_cell_size(torch.ones(3, 3), packed) == (2, 2, 4)
    states = torch.arange(8.0).view(2, 2, 2), torch.arange(16.0).view(2, 2, 4)
    layer.check_forward_args(torch.ones(5, 2, 3), states, None)
    assert [s[0].tolist() for s in layer.permute_hidden(states, torch.tensor([1, 0]))] == [[[2, 3], [0, 1]], [[4, 5, 6, 7], [0, 1, 2, 3]]]
    with pytest.raises(RuntimeError, match=r"Expected hidden\[1\] size \(2, 2, 4\), got \[2, 2, 2\]"):
        layer.check_forward_args(torch.ones(5, 2, 3), (states[0], states[0]), None)


def test_the_kinds_of_merged_masks():
    layer, query, mask, padding = nn.MultiheadAttention(4, 2), torch.ones(3, 5, 4), torch.ones(5, 5), torch.ones(3, 5)
    assert layer.merge_masks(None, None, query) == (None, None) and layer.merge_masks(None, padding, query) == (padding, 1)
    merged, kind = layer.merge_masks(mask, padding, query)
    assert kind == 2 and torch.equal(merged, torch.full((3, 2, 5, 5), 2.0)) and layer.merge_masks(torch.ones(6, 5, 5), None, query)[0].shape == (3, 2, 5, 5)


def test_a_hook_after_accumulation_may_return_its_parameter():
    v = torch.zeros(3, requires_grad=True)
    v.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad, alpha=-0.5))
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert v.tolist() == [-0.5, -1.0, -1.5]
    w = torch.zeros(1, requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda p: p.data.add_(1))
    with pytest.raises(RuntimeError, match="should return None"):
        w.sum().backward()


def test_bags_without_a_padding_row_count_every_index():
    for count in range(1, 9):
        assert torch.embedding_bag(torch.eye(count), torch.arange(count), torch.arange(count))[0].sum(1).tolist() == [1.0] * count


@pytest.mark.parametrize("drop", ["dropout", "alpha_dropout"])
def test_dropout_draws_in_the_order_of_the_memory(drop):
    """As PyTorch, whose attention gives such tensors: the draws for a transposed tensor are those for the tensor as it lies."""
    dense = torch.arange(1.0, 81.0).reshape(5, 2, 8)
    torch.manual_seed(4)
    expected = getattr(torch.nn.functional, drop)(dense, 0.5, training=True).transpose(0, 1)
    torch.manual_seed(4)
    assert getattr(torch.nn.functional, drop)(dense.transpose(0, 1), 0.5, training=True).equal(expected)
