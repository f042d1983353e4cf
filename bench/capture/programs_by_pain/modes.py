"""Pain 17: train() and eval() after the capture. Each entry of `edits` runs before the call of its input."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("17: train() and eval() after the capture")


def train(called: Any) -> None:
    called.train()


def evaluate(called: Any) -> None:
    called.eval()


EDITS = [evaluate, train, evaluate]
SIZES = ((2, 4), (3, 4), (1, 4))


@program("dropout")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = torch.nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(x) * 2

    return Net(), sizes(torch, *SIZES), EDITS


@program("batch norm")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bn = torch.nn.BatchNorm1d(4)

        def forward(self, x):
            return self.bn(x)

    return Net(), sizes(torch, (2, 4), (3, 4), (5, 4)), EDITS


@program("functional dropout by self.training")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.p = 0.5

        def forward(self, x):
            return torch.nn.functional.dropout(x, self.p, self.training)

    return Net(), sizes(torch, *SIZES), EDITS


@program("if self.training")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 4)

        def forward(self, x):
            if self.training:
                return self.fc(x), x
            return self.fc(x), x * 0

    return Net(), sizes(torch, *SIZES), EDITS


@program("another structure when training")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.aux = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)

        def forward(self, x):
            if self.training:
                return self.fc(x), self.aux(x)
            return self.fc(x)

    return Net(), sizes(torch, *SIZES), EDITS


@program("stochastic depth")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 4)

        def forward(self, x):
            if self.training and torch.rand(()) < 0.5:
                return x
            return x + self.fc(x)

    return Net(), sizes(torch, *SIZES), EDITS


@program("noise when training")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.std = 0.1

        def forward(self, x):
            if not self.training:
                return x
            return x + torch.randn_like(x) * self.std

    return Net(), sizes(torch, *SIZES), EDITS


@program("layer in a sequence")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.1), torch.nn.ReLU())

        def forward(self, x):
            return self.body(x)

    return Net(), sizes(torch, *SIZES), EDITS


@program("attention's dropout")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.att = torch.nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True)

        def forward(self, x):
            return self.att(x, x, x, need_weights=False)[0]

    return Net(), sizes(torch, (1, 2, 4), (2, 3, 4), (1, 1, 4)), EDITS


@program("running statistics by hand")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(4))

        def forward(self, x):
            if self.training:
                self.mean = self.mean * 0.9 + x.mean(0) * 0.1
            return x - self.mean

    return Net(), sizes(torch, *SIZES), EDITS


@program("temperature only when evaluating")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.t = 2.0

        def forward(self, x):
            x = x / (1.0 if self.training else self.t)
            return x.softmax(-1)

    return Net(), sizes(torch, *SIZES), EDITS


@program("a codebook that follows when training")
def _(torch: Any) -> Made:
    class Codes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("codes", torch.arange(12.0).reshape(3, 4).cos())

        def forward(self, x):
            nearest = torch.cdist(x, self.codes).argmin(1)
            if self.training:
                hot = torch.nn.functional.one_hot(nearest, 3).to(x.dtype)
                self.codes.mul_(0.9).add_(0.1 * (hot.t() @ x))
            return self.codes[nearest]

    return Codes(), sizes(torch, *SIZES), EDITS


@program("the range of values seen when training")
def _(torch: Any) -> Made:
    class Range(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("low", torch.tensor(float("inf")))
            self.register_buffer("high", torch.tensor(float("-inf")))

        def forward(self, x):
            if self.training:
                self.low = torch.minimum(self.low, x.min())
                self.high = torch.maximum(self.high, x.max())
            if self.low > self.high:
                return x
            scale = (self.high - self.low).clamp(min=1e-6) / 255
            return ((x - self.low) / scale).round().clamp(0, 255) * scale + self.low

    return Range(), sizes(torch, *SIZES), EDITS
