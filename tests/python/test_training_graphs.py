"""Training steps as graphs: forward, loss, autograd's backward pass and SGD written by hand, captured at one batch size and run at others. The step takes its
parameters and gives the next ones, so that a saved step trains without Python."""

from __future__ import annotations

import copy
import importlib.util
import os
import subprocess
from pathlib import Path

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")
WEIGHTS = ROOT / ".cache" / "minilm" / "model.safetensors"
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


class Looped(nn.Module):
    """The same cell with while_loop: its backward pass is a Loop too."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(3, 5), nn.Linear(5, 3)

    def forward(self, x):
        def step(i, h, c):
            return i + 1, *self.cell(x[:, i], (h, c))

        zeros = torch.zeros(x.size(0), 5)
        return self.head(torch.while_loop(lambda i, h, c: i < x.size(1), step, (torch.tensor(0), zeros, zeros))[1])


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.mean, self.spread, self.decode = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 6)

    def forward(self, x, noise):
        h = torch.tanh(self.encode(x))
        mean, spread = self.mean(h), self.spread(h)
        return self.decode(mean + noise * torch.exp(0.5 * spread)), mean, spread


def minilm():
    """examples/minilm/model.py as a module."""
    spec = importlib.util.spec_from_file_location("minilm_model", ROOT / "examples" / "minilm" / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def small_minilm():
    return minilm().MiniLM(vocabulary=50, hidden=16, layers=2, heads=4, intermediate=32, positions=12)


def distance(net, tokens, wanted):
    return F.mse_loss(net(tokens), wanted, reduction="sum")


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
        "lstm-loop": lambda: (torch.randn(n, 4, 3), labels),
        "vae": lambda: (torch.rand(n, 6), torch.randn(n, 2)),
        "minilm": lambda: (torch.randint(0, 50, (n, 7)), torch.randn(n, 16)),
    }[kind]()


NETWORKS = {
    "transformer": (Transformer, classes), "cnn": (Cnn, classes), "lstm": (Recurrent, classes), "lstm-loop": (Looped, classes), "vae": (Vae, evidence),
    "minilm": (small_minilm, distance),
}  # fmt: skip


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


def traced_step(kind):
    network, loss = NETWORKS[kind]
    torch.manual_seed(0)
    step = Step(network(), loss)
    traced = torch.jit.trace(step, batch(kind, 4), check_trace=False)
    assert not [g for g in traced.inlined_graph.guards if "s0_0" in str(g)], traced.inlined_graph.guards
    return step, traced


def by_the_program(file, graph, inputs, folder):
    """What `monograph run` gives, which knows nothing of Python."""
    names = [n.name for n in graph.nodes if n.op == "placeholder"]
    command = [PROGRAM, "run", file]
    for name, value in zip(names, inputs, strict=True):
        np.save(folder / f"{name}.npy", value.numpy())
        command += ["--input", f"{name}={folder / name}.npy"]
    outputs = [folder / f"out{k}.npy" for k in range(len(list(graph.nodes)[-1].args[0]))]
    for path in outputs:
        command += ["--output", path]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return [torch.from_numpy(np.load(path)) for path in outputs]


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_step_captured_at_one_batch_size_runs_at_others(kind, tmp_path):
    step, traced = traced_step(kind)
    file, graph = tmp_path / "step.mgraph", traced.inlined_graph
    graph.save(file)
    loaded = torch.load_graph(str(file))
    for n in SIZES:
        inputs = batch(kind, n)
        expected = step(*inputs)
        found = traced(*inputs)
        for a, b in zip(found, expected, strict=True):
            assert torch.allclose(a, b, rtol=1e-6, atol=1e-7), (n, (a - b).abs().max())
        if kind == "cnn":  # each run of the step also moves the statistics of the norm, of which every program has its own
            continue
        for again in (loaded(*inputs), by_the_program(file, graph, inputs, tmp_path)):
            assert all(torch.equal(a, b) for a, b in zip(again, found, strict=True)), n


def test_a_saved_step_of_a_batch_norm_begins_with_its_statistics(tmp_path):
    _, traced = traced_step("cnn")
    file, graph = tmp_path / "step.mgraph", traced.inlined_graph
    graph.save(file)
    for n in SIZES:
        inputs = batch("cnn", n)
        by_file, by_program = torch.load_graph(str(file))(*inputs), by_the_program(file, graph, inputs, tmp_path)
        expected = traced(*inputs)  # in training, the statistics have no part in the results
        for found in (by_file, by_program):
            assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True)), n


@pytest.mark.parametrize(("norm", "sizes"), [(nn.BatchNorm1d, ()), (nn.BatchNorm2d, (2, 2))])
def test_a_batch_norm_in_training_takes_an_empty_batch_in_a_graph(norm, sizes):
    """As in eager mode: gradients of 0, and running statistics that stay."""

    class Statistics(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = norm(3)

        def forward(self, x):
            loss = self.norm(x).pow(3).sum()
            return (loss, *torch.autograd.grad(loss, list(self.norm.parameters())), self.norm.running_mean.clone(), self.norm.running_var.clone())

    step = Statistics()
    traced = torch.jit.trace(step, torch.randn(4, 3, *sizes), check_trace=False)
    for n in (0, 5, 0):
        x, before = torch.randn(n, 3, *sizes), copy.deepcopy(step.state_dict())
        expected = step(x)
        step.load_state_dict(before)
        for a, b in zip(traced(x), expected, strict=True):
            assert not a.isnan().any() and torch.allclose(a, b, rtol=1e-5, atol=1e-6), n


@pytest.mark.skipif(not WEIGHTS.exists(), reason="examples/minilm/demo.py has not fetched the weights of MiniLM")
def test_the_real_minilm_trains_at_other_sizes_than_it_was_captured_at():
    torch.manual_seed(0)
    step = Step(minilm().load(WEIGHTS), distance)
    traced = torch.jit.trace(step, (torch.randint(0, 30522, (2, 5)), torch.randn(2, 384)), check_trace=False)
    for n, length in ((1, 5), (3, 9)):
        inputs = torch.randint(0, 30522, (n, length)), torch.randn(n, 384)
        for a, b in zip(traced(*inputs), step(*inputs), strict=True):
            assert torch.allclose(a, b, rtol=1e-5, atol=1e-6), (n, length, (a - b).abs().max())


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


def gradients_of(function):
    """The gradients of all floating inputs."""

    def step(*inputs):
        inputs = [v.detach().requires_grad_() if v.is_floating_point() else v for v in inputs]
        loss = function(*inputs)
        return torch.autograd.grad(loss, [v for v in inputs if v.is_floating_point()])

    return step


def holds_for(step, example, runs):
    traced = torch.jit.trace(step, example, check_trace=False)
    for inputs in runs:
        for a, b in zip(traced(*inputs), step(*inputs), strict=True):
            assert a.shape == b.shape, [v.shape for v in inputs]
            assert torch.allclose(a, b, rtol=1e-5, atol=1e-6), [v.shape for v in inputs]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.reshape(x.shape[:1] + (3, 1)).pow(3).sum(),
        lambda x: x.t().reshape(x.shape[1:] + x.shape[:1] + (1,)).pow(3).sum(),  # a copy
        lambda x: x.view(x.shape[:1] + (-1, 1)).pow(3).sum(),
        lambda x: nn.Unflatten(1, (3, 1))(x).pow(3).sum(),
        lambda x: x.unsqueeze(1).expand(x.shape[:1] + (2,) + x.shape[1:]).pow(3).sum(),
        lambda x: x.reshape(x.shape[:1] + (-1, 1)).unbind(1)[0].pow(3).sum(),
        lambda x: x.reshape(x.shape[0], -1, 1).chunk(3, 1)[1].pow(3).sum(),
    ],
    ids=["reshape", "reshape that copies", "view", "Unflatten", "expand", "unbind", "chunk"],
)
def test_a_gradient_goes_through_sizes_that_are_computed(function):
    holds_for(gradients_of(function), (rows(4),), [(rows(n),) for n in SIZES])


def classes_of(n):
    return torch.randint(0, 3, (n,))


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x, k: F.cross_entropy(x, k), (rows, classes_of)),
        (lambda x, k: F.cross_entropy(x, k, label_smoothing=0.1), (rows, classes_of)),
        (lambda x, y: F.cross_entropy(x, torch.softmax(y, 1)), (rows, rows)),
        (lambda x, y: F.cross_entropy(x @ y.t(), torch.arange(x.shape[0])), (rows, rows)),
        (lambda x, y: torch.clamp(x - y, -0.5, 0.5).pow(2).sum(), (rows, rows)),
        (lambda x, y: torch.clamp(x - y, min=0).mean(), (rows, rows)),
        (lambda x, y: F.mse_loss(torch.tanh(x - y), torch.maximum(x, y)), (rows, rows)),
    ],
    ids=["cross entropy", "with smoothing", "with probabilities", "rows against rows", "clamp", "clamp from below", "mse"],
)
@pytest.mark.parametrize("example", [3, 4])  # 3: as many rows as columns
def test_a_loss_of_two_inputs_holds_for_every_batch_size(function, inputs, example):
    holds_for(gradients_of(function), tuple(make(example) for make in inputs), [tuple(make(n) for make in inputs) for n in SIZES])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x - y).pow(2).sum(),
        lambda x, y: (x * y).exp().sum(),
        lambda x, y: torch.where(x > 0, x, y).pow(2).sum(),
        lambda x, y: torch.maximum(x, y).pow(2).sum(),
        lambda x, y: x.clamp(y, y + 1).pow(2).sum(),
        lambda x, y: torch.lerp(x, y, 0.3).pow(2).sum(),
        lambda x, y: torch.addcmul(x, y, y).pow(2).sum(),
        lambda x, y: F.mse_loss(torch.tanh(x), y),
    ],
    ids=["sub", "mul", "where", "maximum", "clamp", "lerp", "addcmul", "mse_loss"],
)
@pytest.mark.parametrize("example", [(4, 4), (4, 1), (1, 4)])
def test_sizes_that_are_equal_in_the_example_may_broadcast_at_a_run(function, example):
    pairs = [(7, 7), (7, 1), (1, 7), (1, 1)]
    holds_for(gradients_of(function), tuple(rows(n) for n in example), [(rows(a), rows(b)) for a, b in pairs])
    # Each element of a row too.
    holds_for(gradients_of(function), tuple(rows(n) for n in example), [(rows(5)[:, :1], rows(5)), (rows(5), rows(5)[:, :1])])


def test_a_second_gradient_holds_where_sizes_broadcast():
    def step(x, y):
        x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
        first = torch.autograd.grad((x * y).pow(3).sum(), [x, y], create_graph=True)
        return torch.autograd.grad(sum(g.pow(2).sum() for g in first), [x, y])

    holds_for(step, (rows(4), rows(4)), [(rows(7), rows(7)), (rows(7), rows(1)), (rows(1), rows(7))])


def test_a_tensor_of_unknown_rank_has_a_gradient_for_every_rank():
    def step(x, y):
        x = x.detach().requires_grad_()
        return torch.autograd.grad((x.squeeze() * y).sum(), x)

    holds_for(step, (rows(4), rows(4)), [(rows(7), rows(7)), (rows(1), rows(1))])


def test_a_size_is_followed_through_any_number_of_integers():
    def program(x):
        n = x.shape[0]
        for _ in range(300):
            n = n + 1
        return torch.zeros(n - 300, 3) + x

    traced = torch.jit.trace(program, rows(4), check_trace=False)
    assert str(next(n for n in traced.inlined_graph.nodes if "zeros" in n.name).value_type).startswith("Float(s0_0, 3")
    for n in SIZES:
        assert torch.equal(traced(torch.ones(n, 3)), torch.ones(n, 3))


def test_a_function_trains_a_network_of_several_layers_from_outside():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 3))

    def step(x, labels):
        loss = F.cross_entropy(net(x), labels)
        return loss.detach(), *torch.autograd.grad(loss, list(net.parameters()))

    holds_for(step, (rows(4), classes_of(4)), [(rows(n), classes_of(n)) for n in SIZES])
    traced = torch.jit.trace(step, (rows(4), classes_of(4)), check_trace=False)
    with torch.no_grad():  # the graph reads the parameters of the moment
        for p in net.parameters():
            p.mul_(2)
    x, labels = rows(5), classes_of(5)
    assert all(torch.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(traced(x, labels), step(x, labels), strict=True))
