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
