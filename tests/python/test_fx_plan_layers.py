"""Each layer of nn in a GraphModule whose calls run as a plan: values, gradients, buffers, writes and random numbers are those of the layer itself.

Most layers run as the operators that were recorded of them, without Python. Those that do not are counted, with the reason.
"""

from __future__ import annotations

import copy
import re
import threading

import monograph as torch
import monograph.fx._plan as plan_module
import pytest
from monograph import fx, nn

IMAGE, SEQUENCE, ROWS, VOLUME = (2, 4, 8, 8), (2, 4, 8), (3, 6), (2, 4, 5, 6, 7)
LAYERS: list[tuple[nn.Module, list[object]]] = []
# What asks for contents while it runs, or draws in a way that a recording does not know, with the number of modes of it that Python runs.
IN_PYTHON = {"RReLU": 1, "BatchNorm1d": 1, "BatchNorm2d": 1, "BatchNorm3d": 1, "EmbeddingBag": 2, "GaussianNLLLoss": 2}


def add(layer, *inputs):
    LAYERS.append((layer, list(inputs)))


torch.manual_seed(0)
for kind in (
    nn.ReLU, nn.ReLU6, nn.GELU, nn.SiLU, nn.Sigmoid, nn.Tanh, nn.ELU, nn.CELU, nn.SELU, nn.Hardtanh, nn.Hardswish, nn.Hardsigmoid, nn.LeakyReLU, nn.LogSigmoid,
    nn.Mish, nn.Softplus, nn.Softshrink, nn.Hardshrink, nn.Softsign, nn.Tanhshrink, nn.RReLU, nn.PReLU, nn.Identity, nn.Dropout, nn.AlphaDropout,
    nn.FeatureAlphaDropout, nn.Dropout1d, nn.Flatten,
):  # fmt: skip
    add(kind(), SEQUENCE)
for kind in (nn.ReLU, nn.Hardtanh, nn.ELU, nn.LeakyReLU, nn.SiLU):
    add(kind(inplace=True), SEQUENCE)
for kind in (nn.Softmax, nn.LogSoftmax, nn.Softmin):
    add(kind(1), ROWS)
(
    add(nn.Softmax2d(), IMAGE),
    add(nn.GLU(), ROWS),
    add(nn.Threshold(0.1, 2.0), ROWS),
    add(nn.Linear(6, 5), ROWS),
    add(nn.Bilinear(6, 6, 3), ROWS, ROWS),
)
add(nn.Conv1d(4, 3, 3), SEQUENCE), add(nn.Conv2d(4, 3, 3, padding=1), IMAGE), add(nn.Conv3d(4, 3, 3), VOLUME)
add(nn.Conv2d(4, 3, 3, padding="same", padding_mode="reflect"), IMAGE), add(nn.Conv2d(4, 4, 3, groups=2, dilation=2), IMAGE)
add(nn.ConvTranspose1d(4, 3, 3), SEQUENCE), add(nn.ConvTranspose2d(4, 3, 3, stride=2), IMAGE), add(nn.ConvTranspose3d(4, 3, 3), VOLUME)
for dims, sizes in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME)):
    add(getattr(nn, f"BatchNorm{dims}d")(4), sizes), add(getattr(nn, f"BatchNorm{dims}d")(4, affine=False, momentum=None), sizes)
    add(getattr(nn, f"InstanceNorm{dims}d")(4, affine=True, track_running_stats=True), sizes)
    for name, arguments in (
        ("MaxPool", (2,)), ("AvgPool", (2,)), ("AdaptiveAvgPool", (2,)), ("AdaptiveMaxPool", (2,)), ("LPPool", (2, 2)), ("ConstantPad", (1, 2.0)),
        ("ReflectionPad", (1,)), ("ReplicationPad", (1,)), ("Dropout", ()),
    ):  # fmt: skip
        add(getattr(nn, f"{name}{dims}d")(*arguments), sizes)
add(nn.BatchNorm2d(4, track_running_stats=False), IMAGE), add(nn.ZeroPad2d(1), IMAGE), add(nn.MaxPool2d(2, return_indices=True), IMAGE)
add(nn.LayerNorm(8), IMAGE), add(nn.GroupNorm(2, 4), IMAGE), add(nn.RMSNorm(8), IMAGE), add(nn.LocalResponseNorm(2), IMAGE)
(
    add(nn.Upsample(scale_factor=2), IMAGE),
    add(nn.Upsample(size=(5, 5), mode="bilinear"), IMAGE),
    add(nn.PixelShuffle(2), IMAGE),
    add(nn.PixelUnshuffle(2), IMAGE),
)
add(nn.ChannelShuffle(2), IMAGE), add(nn.Unfold(2), IMAGE), add(nn.Fold((4, 4), 2), (2, 8, 9)), add(nn.Unflatten(1, (2, 3)), ROWS)
add(nn.CosineSimilarity(), ROWS, ROWS), add(nn.PairwiseDistance(), ROWS, ROWS)
add(nn.LSTM(8, 5, 2, batch_first=True), SEQUENCE), add(nn.GRU(8, 5, bidirectional=True), SEQUENCE), add(nn.RNN(8, 5), SEQUENCE)
add(nn.LSTMCell(6, 5), ROWS), add(nn.GRUCell(6, 5), ROWS), add(nn.MultiheadAttention(8, 2, batch_first=True), SEQUENCE, SEQUENCE, SEQUENCE)
add(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), SEQUENCE), add(nn.TransformerDecoderLayer(8, 2, 16), SEQUENCE, SEQUENCE)
add(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2), SEQUENCE), add(nn.Transformer(8, 2, 1, 1, 16), SEQUENCE, SEQUENCE)
WORDS, CLASSES = torch.randint(0, 5, (3, 4)), torch.randint(0, 6, (3,))
add(nn.Embedding(5, 3), WORDS), add(nn.Embedding(5, 3, padding_idx=1, max_norm=1.0), WORDS), add(nn.EmbeddingBag(5, 3), WORDS)
for loss in (nn.CrossEntropyLoss(), nn.CrossEntropyLoss(label_smoothing=0.1, weight=torch.rand(6)), nn.NLLLoss(), nn.MultiMarginLoss()):
    add(loss, ROWS, CLASSES)
for loss in (
    nn.MSELoss(),
    nn.L1Loss(),
    nn.SmoothL1Loss(),
    nn.HuberLoss(),
    nn.BCEWithLogitsLoss(),
    nn.KLDivLoss(reduction="batchmean"),
    nn.SoftMarginLoss(),
    nn.PoissonNLLLoss(),
):
    add(loss, ROWS, ROWS)
(
    add(nn.TripletMarginLoss(), ROWS, ROWS, ROWS),
    add(nn.CosineEmbeddingLoss(), ROWS, ROWS, torch.ones(3)),
    add(nn.GaussianNLLLoss(), ROWS, ROWS, torch.rand(3, 6)),
)
add(nn.MarginRankingLoss(), ROWS, ROWS, torch.ones(3, 6))


class One(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, a):
        return self.layer(a)


class Two(One):
    def forward(self, a, b):
        return self.layer(a, b)


class Three(One):
    def forward(self, a, b, c):
        return self.layer(a, b, c)


def flat(value):
    return [t for v in value for t in flat(v)] if isinstance(value, (tuple, list)) else [value]


def told(run, module, inputs):
    """Everything that a call does, or its error."""
    torch.manual_seed(3)
    given = [t.clone().requires_grad_() if t.is_floating_point() else t.clone() for t in inputs]
    try:
        out = flat(run(*[t * 1 if t.is_floating_point() else t for t in given]))  # * 1: a layer may write to its input
    except Exception as error:  # of every kind: it is compared
        return type(error).__name__, re.sub(r"<eval_with_key>\.\d+", "", str(error))
    leaves = [p for p in (*given, *module.parameters()) if p.is_floating_point()]
    floats = [t for t in out if isinstance(t, torch.Tensor) and t.requires_grad]
    gradients = torch.autograd.grad(sum(t.double().sum() for t in floats), leaves, allow_unused=True) if floats else []
    tensors = [*out, *gradients, *module.buffers(), *given]
    shown = [(str(t.dtype), tuple(t.shape), t.tolist()) if isinstance(t, torch.Tensor) else t for t in tensors]
    return repr(shown), torch.rand(1).item()


def lines_in_python(module, inputs):
    plan = type(module).__dict__["_calls"].plan
    return plan._measured(module, tuple(inputs))[0] if plan else ["no plan"]


def test_every_layer(monkeypatch):
    monkeypatch.setattr(plan_module, "FEWEST_STEPS", 1)
    found: dict[str, int] = {}
    for layer, sizes in LAYERS:
        inputs = [torch.randn(s) if isinstance(s, tuple) else s for s in sizes]
        fewer = [t[:1] if t.shape[0] == 2 else t for t in inputs]
        for training in (False, True):
            module = fx.symbolic_trace((One, Two, Three)[len(inputs) - 1](copy.deepcopy(layer)).train(training))
            code = copy.deepcopy(module)
            for given in (*[inputs] * 4, fewer, fewer, inputs, [t.double() if t.is_floating_point() else t for t in inputs]):
                assert told(module, module, given) == told(code.forward, code, given), (layer, training)
            if lines_in_python(module, inputs):
                found[type(layer).__name__] = found.get(type(layer).__name__, 0) + 1
    assert found == IN_PYTHON
    assert len(LAYERS) > 125


def test_threads_run_layers_at_once():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.LayerNorm(8)) for _ in range(8)])

        def forward(self, x):
            return self.layers(x)[:, : x.size(1) // 2]

    module = fx.symbolic_trace(Net().eval())
    inputs = [torch.randn(k + 1, 8) for k in range(8)]
    expected = [module.forward(x) for x in inputs]
    wrong = []

    def work(k):
        for _ in range(100):
            if not torch.equal(module(inputs[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(inputs))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert lines_in_python(module, inputs[:1]) == []


@pytest.mark.parametrize("index", [(0,), (slice(None), 1), (..., -1), (None, slice(0, 2)), ([0, 1],), (slice(None, None, 2), None, 0)])
def test_indexing(index, monkeypatch):
    monkeypatch.setattr(plan_module, "FEWEST_STEPS", 1)
    module = fx.symbolic_trace(lambda x: x[index])
    for sizes in ((3, 4), (3, 4), (3, 4), (5, 2), (3, 4, 2), (3,), (3, 4)):
        x = torch.randn(sizes)
        assert told(module, nn.Module(), [x]) == told(module.forward, nn.Module(), [x])
    assert len(lines_in_python(module, [torch.randn(3, 4)])) == (index == ([0, 1],))  # a list makes a tensor, which is not recorded
