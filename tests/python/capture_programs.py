"""Programs of the kinds that people capture. Each asks a Knobs object for its constants and choices, so that a test can change one at a time."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F


class Knobs:
    """Gives the default of every knob but the one that is turned; notes which there are."""

    def __init__(self, turned: str | None = None):
        self.turned, self.names = turned, []

    def __call__(self, name: str, default: Any, other: Any) -> Any:
        if name not in self.names:
            self.names.append(name)
        return other if name == self.turned else default


class Attention(nn.Module):
    def __init__(self, k: Knobs, hidden: int, heads: int):
        super().__init__()
        self.k, self.heads, self.size = k, heads, hidden // heads
        self.query, self.key, self.value = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.size).transpose(1, 2)

    def forward(self, x):
        k = self.k
        q, key, v = self.split(self.query(x)), self.split(self.key(x)), self.split(k("value", self.value, self.key)(x))
        scores = torch.matmul(q, key.transpose(-1, -2)) / k("scale", self.size**0.5, float(self.size))
        mixed = torch.matmul(torch.softmax(scores, k("softmax dim", -1, -2)), v)
        return mixed.transpose(1, 2).reshape(x.size(0), x.size(1), x.size(2))


class Transformer(nn.Module):
    """MiniLM's structure."""

    def __init__(self, k: Knobs):
        super().__init__()
        self.k = k
        self.words, self.positions = nn.Embedding(50, 24), nn.Embedding(16, 24)
        self.norm = nn.LayerNorm(24, eps=k("eps", 1e-12, 1e-5))
        self.layers = nn.ModuleList([Attention(k, 24, 4) for _ in range(k("layers", 2, 1))])
        self.up, self.down = nn.Linear(24, 48), nn.Linear(48, 24)

    def forward(self, tokens):
        k = self.k
        x = self.words(tokens) + self.positions(torch.arange(tokens.size(1)))
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x) + (x if k("residual", True, False) else 0)
        x = x + self.down(F.gelu(self.up(x), approximate=k("gelu", "none", "tanh")))
        x = x.mean(k("pool dim", 1, -2))
        return x / torch.sqrt((x * x).sum(-1, keepdim=True) + k("floor", 1e-6, 1e-7))


class Convolutional(nn.Module):
    def __init__(self, k: Knobs):
        super().__init__()
        self.k = k
        self.conv = nn.Conv2d(3, 8, 3, stride=k("stride", 1, 2), padding=k("padding", 1, 0))
        self.bn = nn.BatchNorm2d(8, eps=k("eps", 1e-5, 1e-3))
        self.body = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=k("groups", 1, 2)), nn.ReLU(), nn.MaxPool2d(k("pool", 2, 3)))
        self.drop = nn.Dropout(k("p", 0.5, 0.25))
        self.head = nn.Linear(8, 5, bias=k("bias", True, False))

    def forward(self, x):
        k = self.k
        x = F.relu(self.bn(self.conv(x))) if k("relu", True, False) else self.bn(self.conv(x))
        x = self.body(x) + k("shift", 0.5, 0.25)
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(k("flatten", 2, 1))
        x = x.flatten(1)
        return F.log_softmax(self.head(self.drop(x)), dim=k("dim", 1, 0))


class Recurrent(nn.Module):
    """An LSTM cell by hand, over a few steps, and the library's."""

    def __init__(self, k: Knobs):
        super().__init__()
        self.k = k
        self.ih, self.hh = nn.Linear(6, 32), nn.Linear(8, 32, bias=k("bias", True, False))
        self.cell = nn.LSTMCell(6, 8)

    def step(self, x, h, c):
        k = self.k
        i, f, g, o = (self.ih(x) + self.hh(h)).chunk(4, k("chunk dim", 1, -1))
        c = torch.sigmoid(f + k("forget bias", 1.0, 0.5)) * c + torch.sigmoid(i) * (torch.tanh(g) if k("tanh", True, False) else g)
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, x, h, c):
        k = self.k
        for _ in range(k("steps", 3, 2)):
            h, c = self.step(x, h, c)
        h2, c2 = self.cell(x, (h, c))
        return (h + h2, c2) if k("sum", True, False) else (h - h2, c2)


def views(k: Knobs):
    def forward(x):
        b, n, d = x.shape
        heads = x.view(b, n, k("heads", 2, 3), -1).permute(0, 2, 1, 3) if k("permute", True, False) else x.view(b, n, k("heads", 2, 3), -1)
        first = heads[:, k("select", 0, 1), ..., k("from", 1, 2) :]
        last = x[..., k("last", -1, -2)].unsqueeze(k("unsqueeze", -1, 0))
        rows = x[:, :: k("step", 2, 3)].flatten(k("flatten", 1, 0))
        parts = torch.split(x, k("split", 2, 3), k("split dim", 1, 2))
        wide = x[None].expand(k("copies", 3, 2), -1, -1, -1)
        return (
            first.contiguous().sum(),
            last + 1,
            rows.T,
            parts[k("part", 0, 1)],
            wide.reshape(-1, d),
            x.narrow(2, k("start", 0, 1), k("length", 3, 2)),
        )

    return forward, (torch.randn(2, 6, 6),)


def sizes(k: Knobs):
    def forward(x):
        n = x.size(k("dim", 0, 1))
        half = n // k("divisor", 2, 3)
        ramp = torch.arange(half * k("factor", 2, 3) + k("offset", 1, 2), dtype=k("dtype", torch.float32, torch.int64))
        frame = torch.zeros(n + k("pad", 3, 4), x.shape[k("other", 1, 0)] % k("modulus", 4, 5) + 1) + k("fill", 7.0, 8.0)
        scaled = x * n / x.shape[1] if k("scale", True, False) else x * n
        return ramp, frame, scaled.view(half, -1) if k("view", True, False) else scaled, torch.ones(x.shape)

    return forward, (torch.randn(6, 4),)


def mutation(k: Knobs):
    def forward(x, y):
        z = x * k("factor", 2, 3)
        z += y if k("by y", True, False) else x
        z[:, k("column", 0, 1)] = k("value", 1.5, 2.5)
        row = z[k("row", 1, 0)]
        row.mul_(k("scale", 3, 4))
        z[k("from", 1, 0) :, :2].add_(k("shift", 1, 2))
        w = z.t().clone()
        w.masked_fill_(w < k("min", 0.0, 0.5), 0.25)
        z.sub_(w.t() if k("transposed", True, False) else w.t() * 2, alpha=k("alpha", 2, 1))
        return z.relu_() if k("relu", True, False) else z, row

    return forward, (torch.randn(3, 4), torch.randn(3, 4))


def written_views(k: Knobs):
    def forward(x, y):
        z = x * 2
        z[k("row", 0, 1)].add_(k("add", 1, 2))
        z.view(-1)[k("from", 2, 1) : 4] = k("value", 0.5, 1.5)
        t = z.t()
        t.mul_(k("factor", 2, 3))
        z[:, k("column", 1, 2)].copy_(y[:, 0])
        z[k("start", 1, 2) : 3] = 0
        z[2].unsqueeze(0).squeeze(0)[k("step", 1, 0) :: 2].fill_(k("fill", 7.0, 8.0))
        z.narrow(1, k("narrow", 0, 1), 2)[0].zero_() if k("zero", True, False) else z.neg_()
        z[torch.tensor([0, k("index", 2, 1)])] = y[:2]
        torch.transpose(z, 0, 1)[3].tanh_()
        x[k("input", 0, 1)] += y[1]
        return z, t, x[0] * k("result", 2, 3)

    return forward, (torch.randn(4, 4), torch.randn(4, 4))


def shapes(k: Knobs):
    def transpose_for_scores(x):
        shape = x.size()[:-1] + (k("heads", 2, 4), x.shape[-1] // k("heads", 2, 4))
        return x.view(shape).permute(0, 2, 1, 3)

    def forward(x):
        heads = transpose_for_scores(x).permute(0, k("first", 2, 1), k("first", 1, 2), 3).contiguous()
        merged = heads.view(heads.size()[:-2] + (heads.shape[-2] * heads.shape[-1],))
        b, n = x.shape[: k("lead", 2, -1)]
        flat = x.reshape((b * n,) + x.shape[k("rest", 2, -1) :])
        last = x.reshape(-1, x.shape[k("last", -1, -2)])
        tail = x.size()[1:]
        return (
            merged,
            flat,
            last,
            x.view(-1, tail[0] * tail[k("tail", 1, -1)]),
            torch.zeros(x.shape[:-1]) + k("add", 1, 2),
            torch.ones(x.shape),
        )

    return forward, (torch.randn(2, 3, 8),)


def keywords(k: Knobs):
    def forward(x, *, weight, bias=None):
        a = torch.add(x, weight, alpha=k("alpha", 2, 3))
        b = torch.sum(input=a, dim=k("dim", 1, 0), keepdim=k("keepdim", True, False))
        c = torch.clamp(x, max=k("max", 0.5, 0.75)) if bias is None else torch.clamp(x, min=0) + bias
        d = F.layer_norm(c, normalized_shape=(4,), eps=k("eps", 1e-5, 1e-4))
        e = torch.where(condition=d > k("threshold", 0, 1), input=a, other=k("other", -1.0, -2.0))
        return F.softplus(e * b, beta=k("beta", 1.0, 2.0), threshold=k("linear", 20.0, 10.0)), torch.std(
            x, dim=1, correction=k("correction", 1, 0)
        )

    return forward, {"x": torch.randn(4, 4), "weight": torch.randn(4)}


class Shared(nn.Module):
    def __init__(self, k: Knobs):
        super().__init__()
        self.k = k
        self.first = nn.Linear(5, 5)
        self.second = self.first if k("shared", True, False) else nn.Linear(5, 5)
        self.tied = nn.Linear(5, 5)
        self.tied.weight = self.first.weight
        self.blocks = nn.Sequential(nn.Linear(5, 5), k("activation", nn.Tanh, nn.Sigmoid)())

    def forward(self, x):
        k = self.k
        x = self.second(torch.relu(self.first(x)))
        for _ in range(k("times", 2, 3)):
            x = self.blocks(x)
        x = self.blocks[0](x) if k("index", True, False) else self.blocks(x)
        return self.tied(x) + self.first.bias * k("scale", 2.0, 3.0), F.linear(
            x, self.first.weight if k("use", True, False) else self.blocks[0].weight
        )


Pair = namedtuple("Pair", ["low", "high"])


def nested(k: Knobs):
    def forward(x, y):
        low, high = torch.amin(x, dim=k("dim", 1, 0)), torch.maximum(x, y)
        values, where = x.amax(k("over", 1, 0)), x.argmax(1, keepdim=k("keepdim", True, False))
        pair = Pair(low + k("low", 1, 2), high * k("high", 3, 4))
        left, right = torch.chunk(y, 2, k("chunk dim", 1, 0))
        pieces = [p * k("piece", 2, 3) for p in (left, right)]
        return {
            "pair": pair,
            k("key", "list", "items"): pieces[:: k("order", 1, -1)],
            "tuple": (values, (where, x.sum())),
            "number": k("number", 5, 6),
        }

    return forward, (torch.randn(4, 6), torch.randn(4, 6))


class Constants(nn.Module):
    def __init__(self, k: Knobs):
        super().__init__()
        self.k = k
        self.register_buffer("scale", torch.arange(4.0) + 1.0)
        self.register_buffer("mask", torch.tensor([True, False, True, True]), persistent=False)
        self.offset = torch.tensor([0.5, 1.5, 2.5, k("constant", 3.5, 4.5)])
        self.gain = k("gain", 1.25, 1.5)

    def forward(self, x):
        k = self.k
        x = x * self.scale + self.offset if k("order", True, False) else (x + self.offset) * self.scale
        x = x.masked_fill(~self.mask if k("invert", True, False) else self.mask, k("fill", float("-inf"), -1e9))
        x = torch.softmax(x.double() if k("double", True, False) else x, -1).to(k("dtype", torch.float32, torch.float16))
        y = x * torch.tensor(k("scalar", 2.0, 3.0)) + torch.full((4,), k("full", 0.1, 0.2))
        return y.float() * self.gain, 2 / (y.float() + k("one", 1, 2)), k("power", 2, 3) ** y.float(), 1 - y.float()


def _module(cls: Any, *inputs: Any) -> Any:
    def make(k: Knobs) -> Any:
        torch.manual_seed(0)
        return cls(k).eval(), inputs

    return make


PROGRAMS: dict[str, Any] = {
    "transformer": _module(Transformer, torch.randint(0, 50, (2, 7))),
    "cnn": _module(Convolutional, torch.randn(2, 3, 12, 12)),
    "lstm": _module(Recurrent, torch.randn(3, 6), torch.randn(3, 8), torch.randn(3, 8)),
    "views": views,
    "sizes": sizes,
    "mutation": mutation,
    "written_views": written_views,
    "shapes": shapes,
    "keywords": keywords,
    "shared": _module(Shared, torch.randn(3, 5)),
    "nested": nested,
    "constants": _module(Constants, torch.randn(3, 4)),
}
