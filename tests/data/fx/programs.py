"""Programs whose FX texts tests compare with PyTorch's: names of nodes, print_tabular, str(graph), code.

tools/oracle/freeze_fx_texts.py runs this file with PyTorch, tests/python/test_fx_texts.py with Monograph. The reader sets LIBRARY before the file runs.
A program is a function that gives a GraphModule.
"""

from __future__ import annotations

import collections
import enum
import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

torch: Any = importlib.import_module(globals().get("LIBRARY", "monograph"))
fx: Any = importlib.import_module(torch.__name__ + ".fx")
nn: Any = torch.nn
F: Any = torch.nn.functional

PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(make: Callable[[], Any]) -> Callable[[], Any]:
    assert make.__name__ not in PROGRAMS, make.__name__
    PROGRAMS[make.__name__] = make
    return make


def traced(function: Any) -> Any:
    """A program that traces a function, under its name."""
    program_of(function.__name__, lambda: fx.symbolic_trace(function))
    return function


def traced_module(kind: Any) -> Any:
    """A program that traces an object of a class, under the name of the class."""
    program_of(kind.__name__, lambda: fx.symbolic_trace(kind()))
    return kind


def program_of(name: str, make: Callable[[], Any]) -> None:
    assert name not in PROGRAMS, name
    PROGRAMS[name] = make


# Modules ------------------------------------------------------------------------------------------------------------------------------


@traced_module
class LinearAndFunctional(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)

    def forward(self, x):
        return F.relu(self.linear(x))


@traced_module
class NestedSequential(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Sequential(nn.BatchNorm2d(2), nn.ReLU()), nn.Sequential(nn.Sequential(nn.Tanh())))

    def forward(self, x):
        return self.body(x) + self.body[1](x) + self.body[-1][0][0](x)


@traced_module
class ListOfModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            x = layer(x) * self.scales[k % 2]
        return self.layers[0](x)


@traced_module
class DictOfModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({"first": nn.Linear(2, 2), "relu-6": nn.ReLU6(), "2d": nn.Identity()})
        self.scales = nn.ParameterDict({"left": nn.Parameter(torch.ones(2))})

    def forward(self, x):
        x = self.layers["relu-6"](self.layers["first"](x))
        return self.layers["2d"](x) * self.scales["left"]


@traced_module
class SharedLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = self.first
        self.third = nn.Sequential(self.first, nn.ReLU())

    def forward(self, x):
        return self.third(self.second(self.first(x)))


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("offset", torch.ones(2))
        self.table = torch.ones(2)

    def forward(self, x, scale=1.0, *, shift=None):
        y = self.fc(x) * self.weight + self.offset - self.table
        return y * scale if shift is None else y * scale + shift


@traced_module
class InnerModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Inner()
        self.b = nn.ModuleList([Inner(), nn.Sequential(Inner())])

    def forward(self, x):
        return self.a(x) + self.b[0](x, 2.0) + self.b[0](x, shift=3) + self.b[1][0](x, scale=x)


@traced_module
class CapitalNames(nn.Module):
    def __init__(self):
        super().__init__()
        self.FC1, self.myLayer, self.HTTPServer, self.Conv2D = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
        self.layer_1, self.layer1, self.__dict__["x"] = nn.Linear(2, 2), nn.Linear(2, 2), 3
        self.Weight = nn.Parameter(torch.ones(2))

    def forward(self, x, Xs, myInput, ABC):
        return self.layer1(self.layer_1(self.Conv2D(self.HTTPServer(self.myLayer(self.FC1(x + Xs + myInput + ABC)))))) * self.Weight * self.x


@traced_module
class ParametersAndBuffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.register_buffer("table", torch.ones(2, 2))
        self.register_buffer("hidden", torch.ones(2), persistent=False)

    def forward(self, x):
        y = x @ self.weight.t() + self.table.sum(0) + self.hidden[0]
        y = y + self.weight.shape[0] + self.fc.weight.abs().mean() + self.fc.bias
        return F.linear(y, self.fc.weight, bias=self.fc.bias), self.weight


@traced_module
class PlainTensors(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = torch.ones(2)
        self.inner = Inner()
        self.values = [torch.ones(2), torch.ones(2)]

    def forward(self, x):
        return x + self.plain + self.inner.table + self.values[0] + self.values[1] + self.values[0] + torch.tensor([1.0, 2.0]) + torch.ones(2).new_tensor([3.0])


@traced_module
class InnerHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.leaf = nn.Linear(2, 2)
        self.inner.register_forward_hook(lambda module, args, result: result * 2)
        self.inner.register_forward_pre_hook(lambda module, args: (args[0] + 1, *args[1:]))
        self.leaf.register_forward_hook(lambda module, args, result: result * 3)

    def forward(self, x):
        return self.leaf(self.inner(x, 2.0))


@program
def hook_of_the_root():
    module = Inner()
    module.register_forward_hook(lambda module, args, result: torch.relu(result))
    return fx.symbolic_trace(module)


@traced_module
class KeywordNamedModules(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("class", "lambda", "None"):
            self.add_module(name, nn.Identity())
        self.register_buffer("import", torch.ones(2))

    def forward(self, x):
        for module in self.children():
            x = module(x)
        return x + getattr(self, "import")


@traced_module
class OddlyNamedModules(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("9", "a b", "self", "torch", "print", "π", "x-y", "__z"):
            self.add_module(name, nn.Identity())
        self.register_buffer("0", torch.ones(2))

    def forward(self, x):
        for module in self.children():
            x = module(x)
        return x + getattr(self, "0")


@traced_module
class LayerNamesLikeFunctions(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.add, self.getattr, self.add_1, self.output, self.x = (nn.ReLU() for _ in range(6))

    def forward(self, x, relu, add):
        y = self.relu(x) + self.add(x) + torch.relu(relu) + self.add_1(add)
        return self.output(self.x(self.getattr(y.shape[0] + y)))


@traced_module
class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(2, 2, 3, padding=1, bias=False), nn.BatchNorm2d(2)
        self.conv2, self.bn2 = nn.Conv2d(2, 2, 3, padding=1, bias=False), nn.BatchNorm2d(2)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)


@traced_module
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = 2
        self.norm, self.qkv, self.out = nn.LayerNorm(4), nn.Linear(4, 12), nn.Linear(4, 4)

    def forward(self, x, mask=None):
        batch, steps, width = x.shape[0], x.size(1), x.size(-1)
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (t.view(batch, steps, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(2)
        scores = torch.softmax(scores.masked_fill(scores == 0, float("-inf")), dim=-1)
        return x + self.out((scores @ v).permute(0, 2, 1, 3).contiguous().view(batch, -1, width))


@traced_module
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(10, 4), nn.Embedding(8, 4)
        self.dropout, self.head = nn.Dropout(0.1), nn.Linear(4, 10)
        self.blocks = nn.Sequential(*[Attention() for _ in range(2)])

    def forward(self, tokens, positions):
        hidden = self.dropout(self.embedding(tokens) + self.positions(positions))
        return F.log_softmax(self.head(self.blocks(hidden)), dim=-1)


# Layers that are the root themselves ---------------------------------------------------------------------------------------------------
LAYERS: dict[str, Callable[[], Any]] = {
    "Linear": lambda: nn.Linear(3, 4),
    "LinearWithoutBias": lambda: nn.Linear(3, 4, bias=False),
    "Bilinear": lambda: nn.Bilinear(2, 3, 4),
    "Identity": lambda: nn.Identity(),
    "Conv1d": lambda: nn.Conv1d(2, 2, 3, stride=2, dilation=2),
    "Conv2d": lambda: nn.Conv2d(2, 4, 3, padding=1, groups=2),
    "Conv2dSame": lambda: nn.Conv2d(2, 4, 3, padding="same", bias=False),
    "Conv2dReflect": lambda: nn.Conv2d(2, 4, 3, padding=1, padding_mode="reflect"),
    "Conv3d": lambda: nn.Conv3d(2, 2, (1, 2, 3)),
    "Embedding": lambda: nn.Embedding(5, 3, padding_idx=0),
    "Dropout": lambda: nn.Dropout(0.25).eval(),
    "DropoutInTraining": lambda: nn.Dropout(0.25),
    "AlphaDropout": lambda: nn.AlphaDropout().eval(),
    "Flatten": lambda: nn.Flatten(1, -1),
    "Unflatten": lambda: nn.Unflatten(1, (2, 3)),
    "ReLU": lambda: nn.ReLU(),
    "ReLUInPlace": lambda: nn.ReLU(inplace=True),
    "ReLU6": lambda: nn.ReLU6(),
    "LeakyReLU": lambda: nn.LeakyReLU(0.1),
    "PReLU": lambda: nn.PReLU(),
    "ELU": lambda: nn.ELU(),
    "SELU": lambda: nn.SELU(),
    "CELU": lambda: nn.CELU(),
    "GELU": lambda: nn.GELU(approximate="tanh"),
    "SiLU": lambda: nn.SiLU(),
    "Mish": lambda: nn.Mish(),
    "Hardtanh": lambda: nn.Hardtanh(),
    "Hardswish": lambda: nn.Hardswish(),
    "Hardsigmoid": lambda: nn.Hardsigmoid(),
    "Sigmoid": lambda: nn.Sigmoid(),
    "LogSigmoid": lambda: nn.LogSigmoid(),
    "Tanh": lambda: nn.Tanh(),
    "Tanhshrink": lambda: nn.Tanhshrink(),
    "Softshrink": lambda: nn.Softshrink(),
    "Hardshrink": lambda: nn.Hardshrink(),
    "Threshold": lambda: nn.Threshold(0.1, 20),
    "Softplus": lambda: nn.Softplus(),
    "Softsign": lambda: nn.Softsign(),
    "Softmax": lambda: nn.Softmax(dim=1),
    "Softmin": lambda: nn.Softmin(dim=1),
    "LogSoftmax": lambda: nn.LogSoftmax(dim=-1),
    "GLU": lambda: nn.GLU(),
    "BatchNorm2d": lambda: nn.BatchNorm2d(3).eval(),
    "LayerNorm": lambda: nn.LayerNorm([2, 3]),
    "RMSNorm": lambda: nn.RMSNorm(3),
    "GroupNorm": lambda: nn.GroupNorm(2, 4),
    "LocalResponseNorm": lambda: nn.LocalResponseNorm(2),
    "MaxPool1d": lambda: nn.MaxPool1d(2),
    "MaxPool2d": lambda: nn.MaxPool2d(2, stride=1, ceil_mode=True),
    "AvgPool1d": lambda: nn.AvgPool1d(2),
    "AvgPool2d": lambda: nn.AvgPool2d(2),
    "AdaptiveAvgPool2d": lambda: nn.AdaptiveAvgPool2d((None, 2)),
    "AdaptiveMaxPool1d": lambda: nn.AdaptiveMaxPool1d(2),
    "Upsample": lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
    "PixelShuffle": lambda: nn.PixelShuffle(2),
    "ZeroPad2d": lambda: nn.ZeroPad2d(1),
    "ReflectionPad1d": lambda: nn.ReflectionPad1d(2),
    "ConstantPad1d": lambda: nn.ConstantPad1d(2, 1.5),
    "CosineSimilarity": lambda: nn.CosineSimilarity(),
    "PairwiseDistance": lambda: nn.PairwiseDistance(),
    "MSELoss": lambda: nn.MSELoss(),
    "L1Loss": lambda: nn.L1Loss(reduction="sum"),
    "SmoothL1Loss": lambda: nn.SmoothL1Loss(),
    "HuberLoss": lambda: nn.HuberLoss(delta=2.0),
    "CrossEntropyLoss": lambda: nn.CrossEntropyLoss(label_smoothing=0.1),
    "NLLLoss": lambda: nn.NLLLoss(),
    "KLDivLoss": lambda: nn.KLDivLoss(log_target=True),
    "BCELoss": lambda: nn.BCELoss(),
    "BCEWithLogitsLoss": lambda: nn.BCEWithLogitsLoss(),
    "CosineEmbeddingLoss": lambda: nn.CosineEmbeddingLoss(),
    "MarginRankingLoss": lambda: nn.MarginRankingLoss(),
    "TripletMarginLoss": lambda: nn.TripletMarginLoss(),
    "Fold": lambda: nn.Fold((4, 4), 2),
    "Unfold": lambda: nn.Unfold(2),
    "ChannelShuffle": lambda: nn.ChannelShuffle(2),
    "SequentialRoot": lambda: nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1))),
    "SequentialWithNames": lambda: nn.Sequential(collections.OrderedDict([("first", nn.Linear(2, 3)), ("act", nn.ReLU())])),
}
for _name, _make in LAYERS.items():
    program_of("layer_" + _name, lambda make=_make: fx.symbolic_trace(make()))


# Arguments -----------------------------------------------------------------------------------------------------------------------------


@traced
def keyword_arguments(x, w):
    y = F.conv2d(x, weight=w, bias=None, stride=(2, 1), padding="valid", groups=1)
    y = torch.sum(y, dim=(0, 1), keepdim=True)
    return torch.clamp(input=y, min=0.0, max=None).add(other=y, alpha=2).sum(dim=[0], keepdim=True, dtype=torch.float64)


@traced
def slices(x, i):
    a = x[1:], x[:, ::2], x[..., None], x[1:-1, None, ..., 2], x[x.shape[0] // 2 :], x[i], x[[0, 1]], x[x > 0], x[True], x[:]
    b = x[i : i + 1, -1], x[(0, slice(None, None, 2))], x[None], x[i, [0, 1]], x[::i], x[()]
    return a, b


@traced
def dtypes_and_devices(x):
    a = x.to(torch.float64), x.to("cpu"), x.to(dtype=torch.int64, copy=True), x.to(torch.device("cpu")), x.to(torch.device("cpu", 0)), x.to(device="meta")
    b = x.type(torch.float16), x.contiguous(memory_format=torch.channels_last), torch.zeros_like(x, layout=torch.strided, dtype=torch.bool)
    c = x.to(torch.bfloat16, non_blocking=True), x.new_zeros(2, dtype=torch.complex64), x.new_full((2, 3), 1.5, device=torch.device("cpu"))
    return a, b, c, torch.float32, torch.device("cpu")


@traced
def tuples_and_dicts(x, y):
    return {"a": x + y, "b": [y, 1, None], 3: (x, (y, [x - y])), "c": {"d": (), "e": [], "f": {}}}, (x,), [[y]], "text", 2.5, True, None


@traced
def sequences_as_arguments(x, y):
    a = torch.cat([x, y], dim=0), torch.cat((x, y, x), 1), torch.stack([x]), torch.einsum("ij,jk->ik", x, y), torch.einsum("i,i", [x, y])
    return a, torch.meshgrid(x, y, indexing="ij"), torch.broadcast_tensors(x, y), torch.block_diag(x, y), torch.cartesian_prod(x, y)


@traced
def operators_in_place(x, y):  # each result is new memory that nothing else names
    a = x + 1
    a += y
    a -= 2
    a *= a
    a /= 3
    b = y * 2
    b **= 2
    b //= 3
    b %= 5
    c = x.relu()
    c @= y
    return a, b, c


@traced
def bits_in_place(x):
    c = (x > 0) + 0
    c &= 1
    c |= 2
    c ^= 3
    c <<= 1
    c >>= 2
    return c


@traced
def conversion_in_place(x):
    c = x.int()  # which may be x itself
    c += 1
    return c


@traced
def methods_in_place(x):
    y = x.clone().add_(1).mul_(2)
    y.clamp_(0, 1)
    F.relu(y, inplace=True)
    torch.relu_(y)
    y.zero_()
    return y.copy_(x).fill_(3.0)


@traced
def attributes(x):
    a = x.shape, x.shape[0], x.T, x.mT, x.dtype, x.device, x.ndim, x.data, x.real, x.is_cuda, x.requires_grad, x.grad, x.layout
    b = x.T.shape[0], x.shape[-1] * 2, x.size(), x.size(0), x.dim(), x.numel(), x.stride(0), x.T.T, x.to(x.dtype), x.mT.contiguous().shape[1:]
    return a, b, getattr(x, "shape"), x.unknown, x.unknown.other.method(1)  # noqa: B009


@traced
def operators(x, y):
    a = x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y, x & y, x | y, x ^ y, x << y, x >> y
    b = x == y, x != y, x < y, x <= y, x > y, x >= y, -x, +x, ~x, abs(x), x[y]
    c = 1 + x, 2 - x, 3 * x, 4 / x, 5 // x, 6 % x, 7**x, 1 & x, 2 | x, 3 ^ x, 4 << x, 5 >> x, 1 < x, 2 >= x
    return a, b, c


@traced
def functions_of_operator(x, y):
    a = operator.add(x, y), operator.sub(1, x), operator.mul(x, 2), operator.truediv(x, y), operator.floordiv(x, y), operator.mod(x, y), operator.pow(x, 2)
    b = operator.matmul(x, y), operator.neg(x), operator.pos(x), operator.invert(x), operator.inv(x), operator.and_(x, y), operator.or_(x, y), operator.xor(x, y)
    c = operator.getitem(x, 0), operator.eq(x, y), operator.lt(x, y), operator.ge(x, 0), operator.lshift(x, 1), operator.abs(x), sum([x, y, x])
    return a, b, c


@traced
def functions_of_torch(x, y, i):
    a = torch.add(x, y, alpha=2), torch.matmul(x, y), torch.where(x > 0, x, y), torch.split(x, 2), torch.split(x, [1, 2], dim=1), torch.chunk(x, 2), torch.unbind(x)
    b = torch.topk(x, 2, dim=1, largest=False), torch.sort(x, descending=True), torch.max(x, 1), torch.min(x), torch.std(x, dim=0, unbiased=False), torch.norm(x)
    c = torch.gather(x, 1, i), torch.index_select(x, 0, i), torch.masked_select(x, x > 0), torch.addmm(x, y, y), torch.bmm(x, y), torch.baddbmm(x, y, y, beta=0.5)
    d = torch.flatten(x, 1), torch.squeeze(x), torch.unsqueeze(x, 0), torch.transpose(x, 0, 1), torch.permute(x, (1, 0)), torch.reshape(x, (-1,)), torch.movedim(x, 0, 1)
    e = torch.cdist(x, y), torch.tensordot(x, y, dims=1), torch.linalg.norm(x, dim=1), torch.special.expit(x), torch.nn.functional.silu(x), torch.sigmoid(x), torch.isnan(x)
    f = torch.ones_like(x), torch.full_like(x, 2), torch.lerp(x, y, 0.5), torch.diag(x), torch.tril(x, diagonal=-1), torch.roll(x, 1), torch.flip(x, [0]), torch.rsqrt(x)
    return a, b, c, d, e, f


@traced
def functions_of_nn_functional(x, w, t):
    a = F.softmax(x, dim=1), F.gelu(x), F.layer_norm(x, (4,)), F.layer_norm(x, [4], weight=w, eps=1e-6), F.interpolate(x, scale_factor=2.0, mode="nearest"), F.pad(x, (1, 1))
    b = F.dropout(x, 0.3), F.dropout(x, p=0.5, training=False), F.cross_entropy(x, t), F.embedding(t, w), F.one_hot(t, 5), F.scaled_dot_product_attention(x, x, x, is_causal=True)
    c = F.max_pool2d(x, 2), F.max_pool2d(x, 2, stride=1, padding=1), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, (1, 1)), F.adaptive_max_pool2d(x, 1), F.max_pool1d(x, 3)
    d = F.linear(x, w), F.conv1d(x, w), F.conv_transpose2d(x, w), F.batch_norm(x, w, w), F.group_norm(x, 2), F.instance_norm(x), F.normalize(x, dim=0), F.logsigmoid(x)
    e = F.mse_loss(x, t), F.l1_loss(x, t, reduction="none"), F.nll_loss(x, t), F.binary_cross_entropy(x, t), F.kl_div(x, t), F.cosine_similarity(x, t), F.pairwise_distance(x, t)
    f = F.leaky_relu(x, 0.2), F.elu(x), F.hardtanh(x, -2.0, 2.0), F.softplus(x), F.relu6(x), F.glu(x), F.tanh(x), F.sigmoid(x), F.prelu(x, w), F.unfold(x, 2), F.pixel_shuffle(x, 2)
    return a, b, c, d, e, f


@traced
def methods_of_tensors(x, y, i):
    a = x.view(2, -1), x.reshape((2, 3)), x.permute(1, 0), x.transpose(0, 1), x.expand(2, -1), x.contiguous(), x.flatten(1), x.squeeze(0), x.unsqueeze(-1), x.repeat(2, 1)
    b = x.masked_fill(x > 0, 0), x.type_as(y), x.float(), x.double(), x.int(), x.bool(), x.clone(), x.detach(), x.gather(1, i), x.scatter(0, i, y), x.index_select(0, i)
    c = x.sum(), x.sum(0, keepdim=True), x.mean((0, 1)), x.max(), x.max(dim=1)[0], x.min(1).values, x.softmax(-1), x.argmax(1), x.var(unbiased=False), x.prod(), x.cumsum(0)
    d = x.add(y), x.mul(2), x.matmul(y), x.pow(2), x.sqrt(), x.exp(), x.log(), x.sin(), x.abs(), x.neg(), x.sigmoid(), x.tanh(), x.relu(), x.clamp(min=0), x.eq(y), x.any(), x.all()
    e = x.chunk(2)[1], x.split(2, dim=0)[0], x.norm(p=2), x.topk(2)[1], x.size()[0], x.__add__(y)
    return a, b, c, d, e


@traced
def methods_of_the_class(x):
    return torch.Tensor.relu(x), torch.Tensor.add(x, 1, alpha=2), torch.Tensor.view(x, -1)


@traced
def operators_of_torch_ops(x, y):
    a = torch.ops.aten.add.Tensor(x, y), torch.ops.aten.relu.default(x), torch.ops.aten.relu(x), torch.ops.aten.sum.dim_IntList(x, [0], keepdim=True)
    return a, torch.ops.aten.mm(x, y), torch.ops.aten.add.Scalar(x, 2), torch.ops.aten.view.default(x, [-1])


@traced
def defaults(x, scale=2.0, name="it's", flag=True, nothing=None, dims=(1, 2), low=-1e-7, sizes=[2, 3], options={"a": 1}):  # noqa: B006
    return x * scale


@traced
def defaults_without_numbers(x, low=-math.inf, high=math.inf, none=math.nan, dtype=torch.float32, device=torch.device("cpu"), form=torch.channels_last):  # noqa: B008
    return x.clamp(low, high).to(dtype)


class Own:
    pass


# The annotations of a module with `from __future__ import annotations` are texts; programs without it have types.
def annotated_with(**hints: Any) -> Any:
    def take(function: Any) -> Any:
        function.__annotations__ = hints
        return function

    return take


def _typing() -> Any:
    return importlib.import_module("typing")


@traced
def annotations_as_texts(x: torch.Tensor, n: int, own: Own, many: list[torch.Tensor]) -> torch.Tensor:
    return x + n


@traced
@annotated_with(
    x=torch.Tensor, n=int, f=float, s=str, o=_typing().Optional[torch.Tensor], l=_typing().List[int], d=_typing().Dict[str, torch.Tensor],
    t=_typing().Tuple[int, torch.Tensor], u=int | None, g=list[int], h=dict[str, int], e=tuple[int, ...], a=Any, own=Own, dt=torch.dtype, dev=torch.device,
    **{"return": _typing().Tuple[torch.Tensor, int]},
)  # fmt: skip
def annotations_as_types(x, n, f, s, o, l, d, t, u, g, h, e, a, own, dt, dev):  # noqa: E741
    return x + n, 1


@traced
@annotated_with(x=_typing().Union[int, torch.Tensor], y=_typing().List[_typing().List[torch.Tensor]], z=None, w=_typing().Callable, **{"return": None})
def annotations_of_other_kinds(x, y, z, w):
    return None


@traced
def star(*args):
    return args[0] + args[1]


@traced
def star_and_keywords(x, *args, **kwargs):
    return x + args[0] * kwargs["scale"]


@traced
def keyword_only(x, *, scale, shift=1):
    return x * scale + shift


@program
def concrete_bool():
    def f(x, flag, other=None):
        return x + 1 if flag else x - 1

    return fx.symbolic_trace(f, concrete_args={"flag": True})


@program
def concrete_none_and_number():
    def f(x, mask=None, scale=2.0, name="a"):
        return x * scale if mask is None else x * mask

    return fx.symbolic_trace(f, concrete_args={"mask": None, "scale": 3.0, "name": "b"})


@program
def concrete_structures():
    def f(x, pair, table, flag):
        return x + pair[0] + table["a"] * table["b"][0] + (pair[1] if flag else 0)

    PH = fx.PH
    return fx.symbolic_trace(f, concrete_args={"pair": [PH, PH], "table": {"a": PH, "b": (PH,)}, "flag": False})


@program
def concrete_module_argument():
    class Net(nn.Module):
        def forward(self, x, use=False):
            return torch.relu(x) if use else x

    return fx.symbolic_trace(Net(), concrete_args={"use": True})


# Functions that are leaves ---------------------------------------------------------------------------------------------------------------


def scaled(x, by, text=""):
    return x * by


def OtherName(x):  # noqa: N802
    return x


def _private(x, **options):
    return x


def not_wrapped(x):
    return x * 2


@fx.wrap
def decorated(x, y):
    return x + y


for _name in ("scaled", "OtherName", "_private", "len", "isinstance"):
    fx.wrap(_name)


@traced
def wrapped_functions(x):
    return scaled(x, 2) + OtherName(x) + _private(x, a=1, b=[x]) + decorated(x, y=x) + scaled(x, by=x.shape[0])


@traced
def wrapped_builtins(x):
    return x * len(x) + len(x.shape) + math.sqrt(x.shape[0]) + math.floor(x.size(0)) + math.log(x.dim(), 2)


@traced
def texts(x):
    a = scaled(x, 1, "it's"), scaled(x, 1, 'a "b" c'), scaled(x, 1, "it's \"b\""), scaled(x, 1, "tab\tnew\nback\\slash\r\0\x7f"), scaled(x, 1, "é ü 漢 🙂 \u200b")
    return a, scaled(x, 1, ""), scaled(x, 1, text="{x} %s %d"), "a'b", {"k'ey": x, 'q"': 1}


@traced
def numbers(x):
    a = x.masked_fill(x > 0, float("-inf")), torch.clamp(x, -math.inf, math.inf), x + math.nan, scaled(x, [math.inf, -math.inf, math.nan]), x * -0.0, x * 1e-5, x * 1e20, x / 1e16
    b = x + 10**18, x - -5, x * 1j, x * (1 + 2j), x * (-0.0 - 1j), x * complex(math.inf, 0), x + True, x**0.5, x**-1, x * 123456789.125, x * 1e-4, x + (2**63 - 1), x * 5e-324
    return a, b, 1 / 3, -1e100, 1e15, 1e17, 123456789012345678


@traced
def numbers_beyond_64_bits(x):
    return x + 2**63


@program
def leaf_modules():
    class Leaf(nn.Module):
        def forward(self, x):
            return x + 1 if x.sum() > 0 else x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.leaf, self.inner, self.linear = Leaf(), Inner(), nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(self.inner(self.leaf(x)))

    class OwnTracer(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, Leaf) or (not isinstance(m, nn.Linear) and super().is_leaf_module(m, module_qualified_name))

    net = Net()
    return fx.GraphModule(net, OwnTracer().trace(net))


@program
def autowrapped_functions():
    graph = fx.Tracer(autowrap_functions=(not_wrapped,)).trace(lambda x: not_wrapped(x) + 1)
    return fx.GraphModule(nn.Module(), graph)


@program
def function_inside_of_a_function():
    def inner(x):
        return x * 2

    graph = fx.Graph()
    graph.output(graph.call_function(inner, (graph.placeholder("x"),)))
    return fx.GraphModule(nn.Module(), graph)


@traced
def names_of_keywords(x):
    return x.is_.None_.method(1).lambda_


@program
def node_with_the_name_none():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.create_node("call_function", torch.add, (x, x), name="None"))
    return fx.GraphModule(nn.Module(), graph)


# Names -----------------------------------------------------------------------------------------------------------------------------------


@traced
def names_of_builtins(input, list, len, getattr, device, inf, type, id):
    return input + list * len - getattr / device + inf + type + id


@traced
def names_of_nodes(add, add_1, relu, torch_, output, x_1, x, mul_3):
    y = add + add_1
    y = y + torch.relu(relu)
    return (y + torch_) * output * x_1 * x * mul_3


@traced
def names_with_underscores(_x, __y, _, _1, a_, a__1, _tensor_constant0):
    return _x + __y + _ + _1 + a_ + a__1 + _tensor_constant0 + torch.tensor([1.0])


@traced
def many_of_one_name(x):
    for _ in range(12):
        x = x + 1
    add_3 = x * 2
    return torch.add(add_3, 1).add(2)


@program
def names_of_methods():
    def f(x):
        return x.add_1(1).is_(2).sum_(3).Upper(4).camelCase(5).x1(6).add_(7).a__b(8)

    return fx.symbolic_trace(f)


@program
def names_in_a_graph_by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.placeholder("y", torch.Tensor, 2.0)
    star = graph.placeholder("*rest")
    nodes = [graph.create_node("call_function", torch.add, (x, y), name=name) for name in ("x", "sum", "9lives", "a b", "class", "a.b", "_", "x_7", "x", "x_7")]
    nodes.append(graph.call_function(operator.getitem, (star, 0), name="first", type_expr=torch.Tensor))
    nodes.append(graph.call_method("relu", (x,), {}, int))
    graph.output((*nodes, y), tuple)
    return fx.GraphModule(nn.Module(), graph)


@program
def targets_in_a_graph_by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x")
    a = graph.get_attr("layers.0.weight")
    b = graph.call_module("layers.0", (x,), {"k": a})
    c = graph.call_function(getattr, (x, "T"))
    d = graph.call_function(getattr, (x, "9"))
    e = graph.call_function(setattr, (x, "a", 1))
    f = graph.call_function(getattr, (x, "T", None))
    g = graph.call_function(print, (x,), {"end": ""})
    h = graph.call_function(operator.iadd, (x, 1))
    i = graph.call_function(operator.setitem, (x, 0, 1))
    j = graph.call_function(slice, (x, None))
    k = graph.call_function(collections.OrderedDict, ([("a", x)],))
    m = graph.call_function(math.sqrt, (x,))
    graph.output([a, b, c, d, e, f, g, h, i, j, k, m])
    module = nn.Module()
    module.layers = nn.Sequential(nn.Linear(2, 2))
    return fx.GraphModule(module, graph)


@program
def renamed_nodes():
    module = fx.symbolic_trace(lambda x, y: torch.relu(x + y) * 2)
    nodes = list(module.graph.nodes)
    nodes[2].name = "total"
    nodes[3]._rename("positive")
    with module.graph.inserting_after(nodes[3]):
        module.graph.call_function(torch.relu, (nodes[3],))
        module.graph.call_function(operator.add, (nodes[3], 1))
    module.recompile()
    return module


# Results and inputs ----------------------------------------------------------------------------------------------------------------------


@traced
def unused(x, y, z):
    torch.sin(x)
    a = y + 1  # noqa: F841
    return x


@traced
def result_is_none(x):
    return None


@traced
def result_is_a_constant(x):
    return 3


@traced
def no_inputs():
    return torch.tensor([1.0]) * 2


@traced
def result_twice(x):
    y = x + 1
    return y, y, (y, x)


Pair = collections.namedtuple("Pair", ["left", "right"])


@traced
def result_is_a_namedtuple(x):
    return Pair(x + 1, [Pair(x, 2)])


@traced
def namedtuple_as_argument(x):
    return scaled(x, Pair(x, 1))


@traced
def unpacked(x):
    a, b = x
    (c, d), e = torch.split(x, 2)[0], x.shape[1]
    return a + b + c + d + e


@traced
def asserts(x):
    torch._assert(x.shape[0] == 2, "two rows, not one")
    return x


@traced
def literals(x):
    return scaled(x, slice(1, None)), scaled(x, ...), scaled(x, torch.float32), scaled(x, [[x], (1, x)])


@traced
def ranges_as_arguments(x):
    return scaled(x, range(3))


@traced
def classes_as_arguments(x):
    return scaled(x, int)


@traced
def functions_as_arguments(x):
    return scaled(x, torch.relu), scaled(x, operator.add), scaled(x, math.sqrt), scaled(x, scaled), scaled(x, len)


@traced
def python_functions_as_arguments(x):
    return scaled(x, OtherName)


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 0


@traced
def enums_as_arguments(x):
    return scaled(x, Color.RED), scaled(x, [Level.LOW])


# Graphs that are changed -----------------------------------------------------------------------------------------------------------------


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)

    def forward(self, x):
        return torch.relu(self.fc2(self.act(self.fc1(x))) + x)


@program
def another_function_and_its_arguments():
    module = fx.symbolic_trace(Small())
    for node in module.graph.nodes:
        if node.target is torch.relu:
            node.target, node.args, node.kwargs = F.leaky_relu, (node.args[0], 0.1), {"inplace": False}
    module.recompile()
    return module


@program
def inserted_and_erased():
    module = fx.symbolic_trace(Small())
    for node in list(module.graph.nodes):
        if node.target is torch.relu:
            with module.graph.inserting_after(node):
                made = module.graph.call_function(torch.tanh, (node.args[0],))
                node.replace_all_uses_with(made)
            module.graph.erase_node(node)
    with module.graph.inserting_before(next(n for n in module.graph.nodes if n.op == "output")):
        module.graph.call_method("relu", (made,))
        module.graph.get_attr("fc1.weight")
    module.recompile()
    return module


@program
def pattern_replaced():
    module = fx.symbolic_trace(lambda x, y: torch.relu(x + y) * torch.relu(y + x))
    fx.replace_pattern(module, lambda a, b: torch.relu(a + b), lambda a, b: F.gelu(torch.add(b, a), approximate="tanh"))
    return module


@program
def dead_code_removed():
    module = fx.symbolic_trace(lambda x, y: ((x + 1) * 2, x - 1, torch.sin(y))[1])
    module.graph.eliminate_dead_code()
    module.recompile()
    return module


@program
def transformed():
    class Other(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(torch.sigmoid if target is torch.relu else target, args, kwargs)

        def call_module(self, target, args, kwargs):
            return super().call_module(target, args, kwargs) * 2 if target == "act" else super().call_module(target, args, kwargs)

    return Other(fx.symbolic_trace(Small())).transform()


@program
def copied_into_another():
    inner, graph = fx.symbolic_trace(lambda a, b: torch.relu(a + b) * a).graph, fx.Graph()
    x, add = graph.placeholder("x"), graph.placeholder("add")
    values = dict(zip((n for n in inner.nodes if n.op == "placeholder"), (x, add), strict=True))
    first = graph.graph_copy(inner, dict(values))
    second = graph.graph_copy(inner, dict(values))
    relu = next(n for n in inner.nodes if n.target is torch.relu)
    copy = graph.node_copy(relu, lambda n: x)
    graph.output((first, second, copy))
    return fx.GraphModule(nn.Module(), graph)


@program
def decomposed_by_proxies():
    graph, made, env = fx.symbolic_trace(lambda x: F.relu(x) + F.relu(x + 1)).graph, fx.Graph(), {}
    tracer = fx.proxy.GraphAppendingTracer(made)
    for node in graph.nodes:
        if node.target is F.relu:
            x = fx.Proxy(env[node.args[0]], tracer)
            env[node] = ((x > 0) * x).node
        else:
            env[node] = made.node_copy(node, lambda n: env[n])
    return fx.GraphModule(nn.Module(), made)


@program
def traced_again():
    return fx.symbolic_trace(fx.symbolic_trace(Small()))


@program
def graph_module_inside():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = fx.symbolic_trace(Small())

        def forward(self, x):
            return self.inner(x) + 1

    return fx.symbolic_trace(Outer())


@program
def split_in_two():
    split = importlib.import_module(torch.__name__ + ".fx.passes.split_module").split_module
    module, count = fx.symbolic_trace(Small()), iter(range(9))
    return split(module, nn.Module(), lambda node: min(next(count) // 2, 1))


@program
def part_of_a_split():
    split = importlib.import_module(torch.__name__ + ".fx.passes.split_module").split_module
    module, count = fx.symbolic_trace(Small()), iter(range(9))
    return split(module, nn.Module(), lambda node: min(next(count) // 2, 1)).submod_1


@program
def convolution_and_norm_fused():
    fuse = importlib.import_module(torch.__name__ + ".fx.experimental.optimization").fuse
    return fuse(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()).eval())


@program
def deep_copy_and_edit():
    copied = importlib.import_module("copy").deepcopy(fx.symbolic_trace(Small()))
    end = copied.graph.output_node()
    with copied.graph.inserting_before(end):
        end.args = (copied.graph.call_function(operator.add, (end.args[0], 1)),)
    copied.recompile()
    return copied


@program
def another_head():
    class Lists(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation, **options):
            return f"def forward(self, args_list){maybe_return_annotation}:\n    {', '.join(free_vars)} = args_list"

        def additional_globals(self):
            return [("List", list)]

        def process_inputs(self, *inputs):
            return inputs[0]

    module = fx.symbolic_trace(lambda x, y: x + y)
    module.graph.set_codegen(Lists())
    module.recompile()
    return module


# What the two libraries record otherwise, on purpose ---------------------------------------------------------------------------------------


@traced
def write_to_an_input(x):
    x += 1
    return x


@traced
def item_written(x):
    x[0] = 7
    return x


@traced
def random_numbers(x):
    return x + torch.rand(3)


@traced
def made_of_nothing(x):
    return x + torch.zeros(3) + torch.arange(3)


@traced
def made_of_a_size(x):
    return torch.zeros(x.shape[0]) + torch.arange(x.size(0), device=x.device)


@traced_module
class BufferWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count.add_(1)
        self.count += 2
        return x + self.count


@traced
def rounded(x):
    return round(x), divmod(x, 2), math.trunc(x)


# What differs by intention -------------------------------------------------------------------------------------------------------------


@traced_module
class LayerInAList(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.ReLU()]

    def forward(self, x):
        return self.layers[0](x)


@program
def second_output():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.relu, (x,)))
    graph.output(x)
    return fx.GraphModule(nn.Module(), graph)


@traced
def keywords_behind_any_number(x, *rest, flag: bool = False, **kw):
    return x + 1


@traced
def view_written(x):
    y = torch.cat([x, x], 1)[:, :3]
    y += x
    return y * 2


@traced
def transposed_view_written(x):
    y = torch.relu(x).t()
    y += x
    return y * 2


@traced
def in_place_result_written(x):
    y = torch.cat([x, x]).relu_()
    y += 1
    return y * 2
