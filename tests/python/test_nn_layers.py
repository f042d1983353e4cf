"""Layers of torch.nn beside PyTorch's: the same first weights from a seed, the same names in the state dict, the same text, results and gradients."""

from __future__ import annotations

import copy
import math

import monograph as torch
import pytest
from monograph import nn

LINES, IMAGES, VOLUMES, ROWS = "x = grid(2, 4, 9)", "x = grid(2, 4, 6, 8)", "x = grid(2, 4, 4, 5, 6)", "x = grid(5, 3, 8)"
# By input: the layers that take it.
LAYERS = {
    LINES: [
        "ConstantPad1d(2, 1.5)", "ZeroPad1d((1, 2))", "ReflectionPad1d((2, 1))", "ReplicationPad1d(3)", "CircularPad1d((1, 2))", "Upsample(scale_factor=2)",
        "Upsample(size=5, mode='linear')", "Upsample(scale_factor=1.5, mode='linear', align_corners=True)", "InstanceNorm1d(4)", "InstanceNorm1d(4, affine=True)",
        "InstanceNorm1d(4, track_running_stats=True)", "GroupNorm(2, 4)", "LocalResponseNorm(3)", "MaxPool1d(2)", "MaxPool1d(3, 2, 1, return_indices=True)", "AvgPool1d(3, 2, 1)",
        "AdaptiveAvgPool1d(4)", "AdaptiveMaxPool1d(4)", "AdaptiveMaxPool1d(4, return_indices=True)", "LPPool1d(2, 3)", "ConvTranspose1d(4, 6, 3, 2, 1, 1)",
        "Conv1d(4, 6, 3, padding=1, padding_mode='circular')", "Dropout1d(0.5)", "PReLU(4)",
    ],
    IMAGES: [
        "ConstantPad2d((1, 0, 2, 1), 0.5)", "ZeroPad2d(1)", "ReflectionPad2d((1, 2, 0, 3))", "ReplicationPad2d(2)", "CircularPad2d(1)", "Upsample(scale_factor=2)",
        "Upsample(scale_factor=(1.5, 2), mode='bilinear')", "Upsample(size=(5, 9), mode='bicubic')", "Upsample(size=(7, 7), mode='nearest-exact')", "Upsample(size=4, mode='area')",
        "Upsample(scale_factor=1.3, mode='bilinear', recompute_scale_factor=True)", "UpsamplingNearest2d(scale_factor=2)", "UpsamplingBilinear2d(size=(9, 5))",
        "InstanceNorm2d(4, affine=True, track_running_stats=True)", "GroupNorm(4, 4, affine=False)", "RMSNorm(8)", "RMSNorm((6, 8), eps=0.1)", "LocalResponseNorm(2, 0.1, 0.5, 2.0)",
        "MaxPool2d(2, return_indices=True)", "AdaptiveMaxPool2d((2, 3))", "AdaptiveMaxPool2d(3, return_indices=True)", "LPPool2d(2, (2, 3), 2)", "PixelShuffle(2)", "PixelUnshuffle(2)",
        "ChannelShuffle(2)", "Unfold(3, padding=1, stride=2)", "Conv2d(4, 6, 3, padding=(1, 2), padding_mode='reflect')", "Conv2d(4, 6, (2, 3), padding='same', padding_mode='replicate')",
        "Dropout2d(0.3)", "AlphaDropout(0.4)", "FeatureAlphaDropout(0.4)", "CELU(0.7)", "GLU(1)", "Hardshrink(0.3)", "Softshrink(0.3)", "Threshold(0.1, 20.0)", "RReLU(0.1, 0.3)", "PReLU()",
        "Softsign()", "Tanhshrink()", "Softmin(1)", "Softmax2d()", "Sequential(Flatten(), Unflatten(1, (8, 24)))",
    ],
    VOLUMES: [
        "ConstantPad3d(1, 2.0)", "ZeroPad3d((1, 0, 0, 1, 2, 0))", "ReflectionPad3d(1)", "ReplicationPad3d((1, 2, 0, 1, 1, 1))", "CircularPad3d(1)", "Upsample(scale_factor=2)",
        "Upsample(size=(3, 7, 5), mode='trilinear')", "BatchNorm3d(4)", "InstanceNorm3d(4)", "MaxPool3d(2)", "MaxPool3d(2, 1, return_indices=True)", "AvgPool3d(2, 1, 1)",
        "AdaptiveAvgPool3d((2, 3, 4))", "AdaptiveMaxPool3d(2)", "LPPool3d(2, 2)", "Conv3d(4, 6, (2, 3, 2), padding=1)", "Conv3d(4, 4, 3, padding='same', groups=2)",
        "ConvTranspose3d(4, 6, 3, 2, 1, 1)", "Dropout3d(0.5)",
    ],
    ROWS: [
        "LSTM(8, 6)", "LSTM(8, 6, 2, bidirectional=True, proj_size=3)", "LSTM(8, 6, 2, bias=False, batch_first=True, dropout=0.5)", "GRU(8, 6, 2, bidirectional=True)", "RNN(8, 6, 2)",
        "RNN(8, 6, nonlinearity='relu')", "TransformerEncoderLayer(8, 2, 16)", "TransformerEncoderLayer(8, 2, 16, 0.0, 'gelu', norm_first=True, batch_first=True)",
        "TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2)",
    ],
    "x = grid(5, 8)": ["LSTM(8, 6)", "GRU(8, 6)", "LSTMCell(8, 6)", "GRUCell(8, 6)", "RNNCell(8, 6)", "RNNCell(8, 6, nonlinearity='relu')"],
}  # fmt: skip
CASES = [(inputs, layer) for inputs, layers in LAYERS.items() for layer in layers]
BEGIN = """
def grid(*sizes):
    n = 1
    for size in sizes:
        n *= size
    return (torch.arange(n) * 7 % 31).view(*sizes).to(torch.float32) / 8 - 2
def parts(value):
    return [p for v in value for p in parts(v)] if isinstance(value, (tuple, list)) else [value]
def outcome(layer, inputs, call):
    inputs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    torch.manual_seed(5)
    results = parts(call(layer, *inputs))
    loss = 0
    for value in results:
        if value.is_floating_point() and value.requires_grad:
            loss = loss + (value * torch.arange(value.numel()).cos().view(value.shape)).sum()
    grads = []
    if hasattr(loss, "backward"):
        loss.backward()
        grads = [t.grad for t in [*inputs, *layer.parameters()] if t.grad is not None]
    return [t.detach() for t in [*results, *grads, *layer.state_dict().values()]]
"""
RUN = (
    BEGIN
    + """
torch.manual_seed(7)
layer = torch.nn.LAYER
INPUT
result = {"text": repr(layer), "names": list(layer.state_dict()), "first": [v.clone() for v in layer.state_dict().values()]}
result["trained"] = outcome(layer, [x], lambda layer, x: layer(x))
result["evaluated"] = outcome(layer.eval(), [x], lambda layer, x: layer(x))
"""
)


def as_numpy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().numpy().copy()
    if isinstance(value, dict):
        return {k: as_numpy(v) for k, v in value.items()}
    return type(value)(map(as_numpy, value)) if isinstance(value, (list, tuple)) else value


def assert_equal(ours, theirs, where=""):
    import numpy

    if isinstance(theirs, dict):
        for key in theirs:
            assert_equal(ours[key], theirs[key], key)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), where
        for a, b in zip(ours, theirs, strict=True):
            assert_equal(a, b, where)
    elif isinstance(theirs, numpy.ndarray):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, where
        bound = 1e-5 * max([1.0, *numpy.abs(theirs[numpy.isfinite(theirs)]).ravel()]) if theirs.dtype.kind == "f" else 0
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=bound, err_msg=where)
    else:
        assert ours == theirs, where


def both(oracle, program):
    ours: dict = {"torch": torch}
    exec(program, ours)
    theirs = oracle.run(program)
    assert_equal(as_numpy(ours["result"]), theirs)


@pytest.mark.oracle
@pytest.mark.parametrize(("inputs", "layer"), CASES, ids=[f"{layer} of {inputs[4:]}" for inputs, layer in CASES])
def test_a_layer_is_pytorchs(oracle, inputs, layer):
    text = layer.replace("(Flatten(), Unflatten", "(torch.nn.Flatten(), torch.nn.Unflatten")
    both(oracle, RUN.replace("LAYER", text).replace("INPUT", inputs))


# What takes several inputs: the layer, the inputs, and the call.
SEVERAL = [
    ("MultiheadAttention(8, 2)", "[grid(5, 3, 8)]", "layer(x, x, x)"),
    ("MultiheadAttention(8, 2, batch_first=True)", "[grid(3, 5, 8), grid(3, 4, 8)]", "layer(x, y, y, average_attn_weights=False)"),
    ("MultiheadAttention(8, 2, batch_first=True)", "[grid(3, 5, 8)]", "layer(x, x, x, need_weights=False)[0]"),
    ("MultiheadAttention(8, 2, kdim=6, vdim=4, bias=False)", "[grid(5, 3, 8), grid(4, 3, 6), grid(4, 3, 4)]", "layer(x, y, z)"),
    ("MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)", "[grid(5, 3, 8)]",
     "layer(x, x, x, key_padding_mask=torch.arange(15).view(3, 5) % 5 > 2, attn_mask=torch.arange(25).view(5, 5) % 6 > 4)"),
    ("MultiheadAttention(8, 2)", "[grid(5, 8)]", "layer(x, x, x, key_padding_mask=torch.arange(5) > 2)"),
    ("MultiheadAttention(8, 4)", "[grid(5, 3, 8)]", "layer(x, x, x, attn_mask=torch.nn.Transformer.generate_square_subsequent_mask(5), is_causal=True, need_weights=False)[0]"),
    ("TransformerDecoderLayer(8, 2, 16, 0.0)", "[grid(5, 3, 8), grid(4, 3, 8)]", "layer(x, y, tgt_mask=torch.nn.Transformer.generate_square_subsequent_mask(5))"),
    ("TransformerDecoderLayer(8, 2, 16, 0.0, norm_first=True, batch_first=True)", "[grid(3, 5, 8), grid(3, 4, 8)]", "layer(x, y, memory_key_padding_mask=torch.arange(12).view(3, 4) % 4 > 2)"),
    ("Transformer(8, 2, 1, 2, 16, 0.0)", "[grid(5, 3, 8), grid(4, 3, 8)]", "layer(x, y, tgt_mask=layer.generate_square_subsequent_mask(4))"),
    ("Bilinear(3, 4, 2)", "[grid(5, 3), grid(5, 4)]", "layer(x, y)"),
    ("CosineSimilarity(1)", "[grid(5, 3, 2), grid(5, 3, 2)]", "layer(x, y + 1)"),
    ("PairwiseDistance(keepdim=True)", "[grid(5, 3), grid(5, 3)]", "layer(x, y * 2)"),
    ("LSTM(8, 6, bidirectional=True)", "[grid(5, 3, 8), grid(2, 3, 6), grid(2, 3, 6)]", "layer(x, (y, z))"),
    ("GRU(8, 6, batch_first=True)", "[grid(3, 5, 8), grid(1, 3, 6)]", "layer(x, y)"),
    ("LSTMCell(8, 6)", "[grid(3, 8), grid(3, 6), grid(3, 6)]", "layer(x, (y, z))"),
    *((f"{cell}(4, 6, 2, bidirectional=True)", "[grid(5, 3, 4)]", f"packed(layer, x, {lengths}, {order})")
      for cell in ("LSTM", "GRU", "RNN") for lengths, order in (([5, 3, 2], True), ([2, 5, 3], False))),
    ("SmoothL1Loss(beta=0.5)", "[grid(3, 4), grid(3, 4)]", "layer(x, y * 0.7)"),
    ("HuberLoss('sum', 0.3)", "[grid(3, 4), grid(3, 4)]", "layer(x, y * 0.7)"),
    ("SoftMarginLoss()", "[grid(3, 4)]", "layer(x, (x > 0.3) * 2.0 - 1)"),
    ("KLDivLoss(reduction='batchmean')", "[grid(3, 4)]", "layer(x, (x * 2).softmax(1).detach())"),
    ("KLDivLoss(reduction='sum', log_target=True)", "[grid(3, 4)]", "layer(x, (x * 2).log_softmax(1))"),
    ("PoissonNLLLoss(full=True)", "[grid(3, 4)]", "layer(x, torch.arange(12.0).view(3, 4))"),
    ("GaussianNLLLoss(full=True)", "[grid(3, 4), grid(3, 4)]", "layer(x, y * 0.5, (y * y).detach())"),
    ("HingeEmbeddingLoss(0.5)", "[grid(3, 4)]", "layer(x, (x > 0.3) * 2.0 - 1)"),
    ("MarginRankingLoss(0.3)", "[grid(12), grid(12)]", "layer(x, y * 0.5, (x > 0.3) * 2.0 - 1)"),
    ("CosineEmbeddingLoss(0.1)", "[grid(3, 4), grid(3, 4)]", "layer(x, y * y, torch.tensor([1, -1, 1]))"),
    ("TripletMarginLoss(swap=True, reduction='none')", "[grid(3, 4), grid(3, 4), grid(3, 4)]", "layer(x, y * 0.5, z * z)"),
    ("MultiMarginLoss(2, 0.7)", "[grid(3, 4)]", "layer(x, torch.tensor([0, 3, 1]))"),
    ("MultiLabelMarginLoss()", "[grid(3, 4)]", "layer(x, torch.tensor([[3, 0, -1, 1], [1, -1, 0, 0], [0, 1, 2, 3]]))"),
    ("MultiLabelSoftMarginLoss()", "[grid(3, 4)]", "layer(x, (x > 0.3) * 1.0)"),
    ("BCEWithLogitsLoss(pos_weight=torch.tensor([0.5, 2.0, 1.0, 3.0]))", "[grid(3, 4)]", "layer(x, (x > 0.3) * 1.0)"),
    ("BCELoss(weight=torch.tensor([0.5, 2.0, 1.0, 3.0]))", "[grid(3, 4)]", "layer(x.sigmoid(), (x > 0.3) * 1.0)"),
]  # fmt: skip
PACKED = """
def packed(layer, x, lengths, order):
    p = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=order)
    output, state = layer(p)
    assert isinstance(output, torch.nn.utils.rnn.PackedSequence)
    padded, counts = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first=True, padding_value=0.5)
    return [padded, counts, state]
"""


@pytest.mark.oracle
@pytest.mark.parametrize(("layer", "inputs", "call"), SEVERAL, ids=[f"{layer}: {call}" for layer, _, call in SEVERAL])
def test_a_layer_of_several_inputs_is_pytorchs(oracle, layer, inputs, call):
    names = ", ".join("xyz"[: inputs.count("grid")])
    both(
        oracle,
        f"""{BEGIN}{PACKED}
torch.manual_seed(7)
layer = torch.nn.{layer}
result = {{"text": repr(layer), "names": list(layer.state_dict()), "trained": outcome(layer, {inputs}, lambda layer, {names}: {call}),
           "evaluated": outcome(layer.eval(), {inputs}, lambda layer, {names}: {call})}}
""",
    )


FUNCTIONS = [
    "F.pad(grid(2, 3, 4), (1, 2, 0, 1), value=2.5)", "F.pad(grid(2, 3, 4), (-1, 2))", "F.interpolate(grid(2, 3, 4), size=6)", "F.interpolate(grid(2, 3, 4, 5), scale_factor=[2, 0.5])",
    "F.interpolate(grid(2, 3, 4, 5), scale_factor=0.5, mode='area')", "F.gumbel_softmax(grid(2, 5), tau=0.5)", "F.gumbel_softmax(grid(2, 5), hard=True, dim=0)",
    "F.max_pool1d(grid(2, 3, 8), 2)", "F.fold(grid(2, 12, 15), (5, 7), (2, 3), (2, 1))", "F.unfold(grid(2, 5, 6), 2)", "F.local_response_norm(grid(2, 5, 3), 2)",
    "F.rrelu(grid(40), training=True)", "F.celu(grid(8), inplace=True)", "torch.nn.utils.rnn.pad_sequence([grid(2, 3), grid(4, 3)], padding_value=1.0, padding_side='left')",
    "torch.nn.utils.rnn.pad_sequence([grid(2, 3), grid(4, 3)], True)", "torch.nn.utils.parameters_to_vector([grid(2, 3), grid(4)])",
    "[t for t in torch.nn.utils.rnn.pack_sequence([grid(2, 3), grid(4, 3)], enforce_sorted=False)]",
    "torch.nn.utils.rnn.unpack_sequence(torch.nn.utils.rnn.pack_sequence([grid(4, 3), grid(2, 3)]))",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", FUNCTIONS)
def test_a_function_is_pytorchs(oracle, call):
    both(oracle, f"{BEGIN}\nF = torch.nn.functional\ntorch.manual_seed(3)\nresult = {call}")


CLIP = """
net = torch.nn.Linear(3, 2)
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(grid(*p.shape))
        p.grad = grid(*p.shape) * (k + 3)
result = [torch.nn.utils.CALL, [p.grad for p in net.parameters()]]
"""


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call", ["clip_grad_norm_(net.parameters(), 1.5)", "clip_grad_norm_(net.parameters(), 1.5, 1)", "clip_grad_norm_(net.weight, 2.0, float('inf'))",
             "clip_grad_norm_(net.parameters(), 1000.0)", "clip_grad_value_(net.parameters(), 0.5)"]
)  # fmt: skip
def test_gradients_are_clipped_as_pytorch_does(oracle, call):
    both(oracle, BEGIN + CLIP.replace("CALL", call))


def test_what_is_missing_says_so():
    x = torch.ones(1, 2, 4, 4)
    F = nn.functional
    with pytest.raises(ValueError, match="Anti-alias option is restricted to bilinear and bicubic modes"):
        F.interpolate(x, scale_factor=2, mode="nearest", antialias=True)
    with pytest.raises(NotImplementedError, match=r"interpolate\(antialias=True\) takes floating-point images and those of uint8, but got torch.int64"):
        F.interpolate(x.long(), scale_factor=2, mode="bilinear", antialias=True)
    with pytest.raises(ValueError, match="only one of size or scale_factor"):
        F.interpolate(x, size=2, scale_factor=2)
    with pytest.raises(ValueError, match="either size or scale_factor"):
        F.interpolate(x)
    with pytest.raises(ValueError, match="align_corners option can only be set"):
        F.interpolate(x, size=2, align_corners=True)
    with pytest.raises(NotImplementedError, match="Only 3D, 4D and 5D input"):
        F.interpolate(x, size=2, mode="trilinear")
    with pytest.raises(RuntimeError, match="Padding size should be less than the corresponding input dimension"):
        F.pad(x, (4, 0, 0, 0), "reflect")
    with pytest.raises(RuntimeError, match=r"\[aten::constant_pad_nd\] Length of pad must be even"):
        torch.constant_pad_nd(x, (1,))
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 3, got 4"):
        nn.LSTM(3, 2)(torch.ones(5, 1, 4))
    with pytest.raises(RuntimeError, match="must be sorted in decreasing order"):
        nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), torch.tensor([1, 3]))


def test_a_recurrent_layer_is_a_node_of_a_capture():
    net = nn.Sequential(nn.LSTM(4, 3, batch_first=True)).eval()
    x = torch.randn(2, 5, 4)
    graph = torch.capture(lambda x: net[0](x)[0], x)
    assert torch.equal(graph(x), net(x)[0])


def test_layers_copy_and_keep_their_state():
    for layer in (nn.LSTM(4, 3, 2), nn.MultiheadAttention(4, 2), nn.Transformer(4, 2, 1, 1, 8), nn.InstanceNorm2d(3, affine=True, track_running_stats=True)):
        twin = copy.deepcopy(layer)
        assert list(twin.state_dict()) == list(layer.state_dict())
        twin.load_state_dict(layer.state_dict())
    assert math.isfinite(nn.LSTM(4, 3)(torch.zeros(2, 1, 4))[0].sum().item())


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_loss_of_two_sizes_warns(name):
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[4\]\)\) that is different to the input size"):
        getattr(torch.nn.functional, name)(torch.ones(4, 1), torch.ones(4))


def test_a_wrong_call_names_the_layer():
    """Also where the constructor is that of a class that several layers share."""
    layers = [layer for name in nn.__all__ if isinstance(layer := getattr(nn, name), type) and issubclass(layer, nn.Module)]
    assert len(layers) > 100 and not [layer for layer in layers if layer.__init__.__qualname__.startswith("_")]
    with pytest.raises(TypeError, match=r"^Conv2d.__init__\(\) missing 1 required positional argument: 'kernel_size'$"):
        nn.Conv2d(3, 4)
    with pytest.raises(TypeError, match=r"^ReLU.__init__\(\) takes from 1 to 2 positional arguments"):
        nn.ReLU(1, 2)
