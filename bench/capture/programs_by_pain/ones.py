"""Pain 10: captured with an example of size 1, run at 0, 1, 2, 7 and 33."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("10: an example of size 1")


@program("linear layer, one row")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 2)

        def forward(self, x):
            return self.fc(x).relu()

    return Net(), sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("batch kept in a view")
def _(torch: Any) -> Made:
    def f(x):
        return x.view(x.size(0), 2, 2).sum(-1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("batch kept in a reshape by -1")
def _(torch: Any) -> Made:
    def f(x):
        return x.reshape(-1, x.shape[1] // 2)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("squeeze of the batch")
def _(torch: Any) -> Made:
    def f(x):
        return x.squeeze(0) * 2

    return f, sizes(torch, (1, 4), (2, 4), (7, 4), (0, 4))


@program("squeeze of everything")
def _(torch: Any) -> Made:
    def f(x):
        return x.squeeze().sum()

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("broadcast against one row")
def _(torch: Any) -> Made:
    def f(x):
        return x + torch.arange(4) * torch.ones(x.shape[0], 1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("expand to the batch")
def _(torch: Any) -> Made:
    def f(x):
        cls = torch.zeros(1, 1, 4)
        return torch.cat([cls.expand(x.shape[0], -1, -1), x.unsqueeze(1)], 1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("pairs of rows")
def _(torch: Any) -> Made:
    def f(x):
        return (x[:, None] - x[None]).pow(2).sum(-1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("softmax over the batch")
def _(torch: Any) -> Made:
    def f(x):
        return x.softmax(0)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("standardize by the batch's deviation")
def _(torch: Any) -> Made:
    def f(x):
        return (x - x.mean(0)) / (x.var(0, unbiased=False) + 1e-5).sqrt()

    return f, sizes(torch, (1, 4), (2, 4), (7, 4), (33, 4))


@program("matrix product with itself")
def _(torch: Any) -> Made:
    def f(x):
        return x @ x.t()

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("is it one row")
def _(torch: Any) -> Made:
    def f(x):
        if x.shape[0] == 1:
            return x[0]
        return x.sum(0)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("repeat and tile")
def _(torch: Any) -> Made:
    def f(x):
        return x.repeat(2, 1), torch.tile(x, (1, 2))

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("stack of rows")
def _(torch: Any) -> Made:
    def f(x):
        return torch.stack([x, x * 2]).flatten(0, 1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("flip and roll")
def _(torch: Any) -> Made:
    def f(x):
        return x.flip(0).roll(1, 0)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("one image through a small ResNet block")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(1, 1, 3, padding=1)
            self.bn = torch.nn.BatchNorm2d(1).eval()

        def forward(self, x):
            return (self.bn(self.conv(x)) + x).relu().mean((2, 3))

    return Net(), sizes(torch, (1, 1, 4, 4), (2, 1, 4, 4), (7, 1, 3, 5), (0, 1, 4, 4))


@program("one step through an LSTM")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = torch.nn.LSTM(2, 3, batch_first=True)

        def forward(self, x):
            return self.rnn(x)[0]

    return Net(), sizes(torch, (1, 1, 2), (2, 1, 2), (1, 7, 2), (3, 3, 2))


@program("one token through attention")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.att = torch.nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, x):
            return self.att(x, x, x)[0]

    return Net(), sizes(torch, (1, 1, 4), (1, 5, 4), (3, 2, 4))


@program("embedding of one token")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = torch.nn.Embedding(5, 3)

        def forward(self, x):
            return self.emb(x.abs().long().clamp(max=4)).sum(1)

    return Net(), sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("sort, top one and argmax")
def _(torch: Any) -> Made:
    def f(x):
        return x.sort(0).values, x.argmax(1)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("einsum over the batch")
def _(torch: Any) -> Made:
    def f(x):
        return torch.einsum("bi,bj->bij", x, x).sum(0)

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("mean over a size that may be 1")
def _(torch: Any) -> Made:
    def f(x):
        return x.mean(-1, keepdim=True) / x.shape[-1]

    return f, sizes(torch, (1, 1), (2, 1), (1, 7), (33, 2))


@program("last row")
def _(torch: Any) -> Made:
    def f(x):
        return x[-1:], x[:-1]

    return f, sizes(torch, (1, 4), (0, 4), (2, 4), (7, 4), (33, 4))


@program("a bias of one row or of each")
def _(torch: Any) -> Made:
    def f(x, bias):
        return (x + bias).reshape(x.shape[0], -1).mean(1)

    return f, [(torch.randn(n, 3), torch.randn(m, 3)) for n, m in ((1, 1), (4, 1), (4, 4), (1, 4))]


@program("states of one beam given to all")
def _(torch: Any) -> Made:
    def f(state, scores):
        n = scores.shape[0]
        if state.shape[0] != n:
            state = state.expand(n, -1)
        return (state * scores.softmax(0)[:, None]).sum(0), state.shape[0]

    return f, [(torch.randn(m, 3), torch.randn(n)) for m, n in ((1, 1), (1, 5), (4, 4))]


@program("a window of the moving average at the edges")
def _(torch: Any) -> Made:
    def f(x):
        k = min(3, x.shape[-1])
        front, end = x[:, :1].repeat(1, (k - 1) // 2), x[:, -1:].repeat(1, k // 2)
        return torch.cat([front, x, end], 1).unfold(1, k, 1).mean(-1)

    return f, sizes(torch, (1, 1), (2, 7), (1, 2), (3, 3))
