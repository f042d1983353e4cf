"""Training steps as graphs: forward, loss, autograd's backward pass and SGD written by hand, captured at one batch size and run at others. The step takes its
parameters and gives the next ones, so that a saved step trains without Python."""

from __future__ import annotations

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import pytest

SIZES = (1, 3, 7)  # beside the 4 of the example


class Block(nn.Module):
    """A transformer block, as MiniLM has six of."""

    def __init__(self, width: int = 8, heads: int = 2):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 16), nn.Linear(16, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.heads = heads

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x):
        scores = self.split(self.query(x)) @ self.split(self.key(x)).transpose(-2, -1) / 2.0
        mixed = torch.softmax(scores, -1) @ self.split(self.value(x))
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(x.size(0), x.size(1), -1)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(8, 3)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.size(1)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 4, 3, stride=2)
        self.norm, self.head = nn.BatchNorm2d(4), nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        return self.head(F.adaptive_avg_pool2d(self.conv2(x), 1).flatten(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(3, 5), nn.Linear(5, 3)

    def forward(self, x):
        state = (torch.zeros(x.size(0), 5), torch.zeros(x.size(0), 5))
        for step in range(4):
            state = self.cell(x[:, step], state)
        return self.head(state[0])


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.mean, self.spread, self.decode = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 6)

    def forward(self, x, noise):
        h = torch.tanh(self.encode(x))
        mean, spread = self.mean(h), self.spread(h)
        return self.decode(mean + noise * torch.exp(0.5 * spread)), mean, spread


def classes(net, x, y):
    return F.cross_entropy(net(x), y)


def evidence(net, x, noise):
    image, mean, spread = net(x, noise)
    difference = F.mse_loss(image, x, reduction="sum") - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())
    return difference / x.size(0)


def batch(kind, n):
    torch.manual_seed(n)
    labels = torch.randint(0, 3, (n,))
    return {
        "transformer": lambda: (torch.randint(0, 11, (n, 6)), labels),
        "cnn": lambda: (torch.randn(n, 2, 8, 8), labels),
        "lstm": lambda: (torch.randn(n, 4, 3), labels),
        "vae": lambda: (torch.rand(n, 6), torch.randn(n, 2)),
    }[kind]()


NETWORKS = {"transformer": (Transformer, classes), "cnn": (Cnn, classes), "lstm": (Recurrent, classes), "vae": (Vae, evidence)}


class Step(nn.Module):
    """One step: the loss and the next value of every parameter."""

    def __init__(self, net, loss):
        super().__init__()
        self.net, self.loss = net, loss

    def forward(self, *inputs):
        loss = self.loss(self.net, *inputs)
        parameters = list(self.net.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        return (loss, *(p.detach() - 0.1 * g for p, g in zip(parameters, gradients)))


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_step_captured_at_one_batch_size_runs_at_others(kind, tmp_path):
    network, loss = NETWORKS[kind]
    torch.manual_seed(0)
    step = Step(network(), loss)
    traced = torch.jit.trace(step, batch(kind, 4), check_trace=False)
    assert not [g for g in traced.inlined_graph.guards if "s0_0" in str(g)], traced.inlined_graph.guards
    traced.inlined_graph.save(tmp_path / "step.mgraph")
    loaded = torch.load_graph(str(tmp_path / "step.mgraph"))
    for n in SIZES:
        inputs = batch(kind, n)
        expected = step(*inputs)
        for found in (traced(*inputs), loaded(*inputs)):
            for a, b in zip(found, expected):
                torch.testing.assert_close(a, b) if hasattr(torch, "testing") else None
                assert torch.allclose(a, b, rtol=1e-6, atol=1e-7), (n, (a - b).abs().max())


class Weighted(nn.Module):
    """The gradient of a weight through one function of it and the inputs."""

    def __init__(self, function):
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.randn(3, 3))

    def forward(self, *inputs):
        y = self.function(self.weight, *inputs)
        return torch.autograd.grad((y * y).sum(), [self.weight])[0]


def rows(n):
    return torch.randn(n, 3)


def matrices(n):
    return torch.randn(n, 3, 3)


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda w, x, y: torch.matmul(x @ w, y), (matrices, matrices)),
        (lambda w, x, y: torch.matmul((x @ w).unsqueeze(1), y.unsqueeze(0)), (matrices, lambda n: torch.randn(1, 3, 3))),
        (lambda w, x: F.batch_norm(x, torch.zeros(3), torch.ones(3), w[0], w[1]), (rows,)),
        (lambda w, x: F.batch_norm(x, torch.zeros(3), torch.ones(3), w[0], w[1], training=True), (rows,)),
        (lambda w, x: (x @ w)[:, :1].squeeze(), (rows,)),
    ],
    ids=["matmul of two inputs", "matmul, one broadcast", "batch norm of an input", "batch norm in training", "squeeze"],
)
def test_a_gradient_holds_for_sizes_that_are_equal_or_open_in_the_example(function, inputs):
    step = Weighted(function)
    traced = torch.jit.trace(step, tuple(make(4) for make in inputs), check_trace=False)
    for n in (3, 7):
        x = [make(n) for make in inputs]
        assert torch.allclose(traced(*x), step(*x), rtol=1e-5, atol=1e-6)


def test_a_gradient_says_which_sizes_have_to_be_equal():
    traced = torch.jit.trace(Weighted(lambda w, x, y: torch.matmul(x @ w, y)), (matrices(4), matrices(4)), check_trace=False)
    with pytest.raises(RuntimeError, match="the size s0_0 less the size s1_0"):
        traced(matrices(4), matrices(1))
    squeezed = torch.jit.trace(Weighted(lambda w, x: (x @ w)[:, :1].squeeze()), rows(4), check_trace=False)
    with pytest.raises(RuntimeError, match="the number of dims in a backward pass"):
        squeezed(rows(1))
