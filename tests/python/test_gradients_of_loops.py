"""Gradients through torch.cond and torch.while_loop that a traced function computes itself: the backward pass of a Loop is a Loop over lists that its forward
pass kept. Captured once, equal to eager at other sizes, lengths and ways through the program, bit for bit."""

from __future__ import annotations

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import pytest


def power(x, w):
    """A loop over floats and an int, which closes over w."""
    return torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, torch.tanh(y * w) + y), (torch.tensor(0), x))[1].sum()


def as_long_as(x, w):
    """How often it runs depends on the values; not at all where x is large."""
    i, y = torch.while_loop(lambda i, y: y.abs().sum() < 20, lambda i, y: (i + 1, y * (1 + w.exp())), (torch.zeros(()), x))
    return (y * i).sum() + y.sum()


def fibonacci(x, w):
    """Two values that change places; the last of one is not used."""
    a, b, i = torch.while_loop(lambda a, b, i: i < 4, lambda a, b, i: (b, a * w + b, i + 1), (x, x.sin(), torch.tensor(0)))
    return a.sum()


def overwritten(x, w):
    """What a round gives does not depend on what it takes: only where none runs a gradient reaches x."""
    i, y = torch.while_loop(lambda i, y: i < x.sum(), lambda i, y: (i + 100, w.expand_as(x) * 2), (torch.zeros(()), x * 3))
    return (y * y).sum()


def loop_in_loop(x, w):
    def body(i, y):
        _, z = torch.while_loop(lambda j, z: j < i + 1, lambda j, z: (j + 1, (z * w).sin()), (torch.tensor(0), y))
        return i + 1, z + y * x

    return torch.while_loop(lambda i, y: i < 3, body, (torch.tensor(0), x))[1].pow(2).sum()


def cond_in_loop(x, w):
    def body(i, y):
        return i + 1, torch.cond(y.sum() > 0, lambda: (y * w).exp() - i, lambda: torch.cond(i > 1, lambda: y * y + x, lambda: y - w))

    return torch.while_loop(lambda i, y: i < 4, body, (torch.tensor(0), x))[1].tanh().sum()


def loop_in_cond(x, w):
    def rounds(y):
        return torch.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * w + x), (torch.tensor(0), y))[1]

    return torch.cond(x.sum() > 0, lambda: rounds(x.cos()), lambda: rounds(x) * w).sum()


def arms_that_use_less(x, w):
    y = x * w
    a, b = torch.cond(x.sum() > 0, lambda: (y.exp(), x), lambda: (w.expand(x.size(0), -1) * 2, y))
    return (a * b).sum()


def operand_handed_through(x, w):
    y = x.sin()
    return torch.cond(x.sum() > 0, lambda y: y, lambda y: y * w, (y,)).sum() + y.sum()


def without_gradients(x, w):
    """What is computed under no_grad passes no gradient on, in an arm and in a body."""

    def body(i, y):
        with torch.no_grad():
            scale = y.abs().mean() + 1
        return i + 1, y * w / scale

    y = torch.while_loop(lambda i, y: i < 2, body, (torch.tensor(0), x))[1]
    return torch.cond(x.sum() > 0, lambda: y * y.detach(), lambda: y * w.detach()).sum()


def made_of_others(x, w):
    """Operators without a gradient of their own: layer_norm, cross_entropy, split."""

    def body(i, y):
        a, b, c = y.split(1, 1)
        return i + 1, F.layer_norm(torch.cat([b * w[0], c, a], 1), (3,), w) + y

    y = torch.while_loop(lambda i, y: i < 2, body, (torch.tensor(0), x.reshape(-1, 3)))[1]
    return torch.cond(x.sum() > 0, lambda: F.cross_entropy(y, (x.argmax(1))), lambda: F.softmax(y, 1).std())


def growing(x, w):
    """The carried value has another size after each round."""
    return torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, torch.cat([y * w, x])), (torch.tensor(0), x))[1].pow(2).sum()


def used_twice(x, w):
    """Values that go around the loop as well as through it."""
    h = x * w
    y = torch.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * h + h), (torch.tensor(0), h))[1]
    return (y * h).sum() + h.sum()


def indexed(x, w):
    """The counter chooses what a round reads."""

    def body(i, total):
        return i + 1, total + x[:, i] * w[i]

    return torch.while_loop(lambda i, total: i < 3, body, (torch.tensor(0), x[:, 0]))[1].sin().sum()


PROGRAMS = [power, as_long_as, fibonacci, overwritten, loop_in_loop, cond_in_loop, loop_in_cond, arms_that_use_less, operand_handed_through]
PROGRAMS += [without_gradients, made_of_others, growing, used_twice, indexed]


def with_gradients(program):
    def step(x, w):
        x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
        y = program(x, w)
        gradients = torch.autograd.grad(y, (x, w), allow_unused=True)
        return (y.detach(), *(torch.zeros_like(v) if g is None else g for v, g in zip((x, w), gradients, strict=True)))

    return step


def inputs():
    torch.manual_seed(0)
    for n in (4, 1, 7):
        for sign in (1, -1):
            for scale in (0.3, 5.0):
                yield torch.rand(n, 3) * sign * scale + 0.01, torch.randn(3)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("example", [0, 2], ids=["one-way", "other-way"])
def test_gradients_equal_eager(program, example, tmp_path):
    step = with_gradients(program)
    traced = torch.jit.trace(step, list(inputs())[example], check_trace=False)
    assert not [g for g in traced.inlined_graph.guards if "s0_0" in str(g)], traced.inlined_graph.guards
    traced.inlined_graph.lint()
    traced.inlined_graph.save(tmp_path / "step.mgraph")
    runs = [traced, traced.inlined_graph.build(), torch.load_graph(str(tmp_path / "step.mgraph"))]
    for x, w in inputs():
        expected = step(x, w)
        for run in runs:
            for a, b in zip(run(x, w), expected, strict=True):
                assert not a.requires_grad and torch.allclose(a, b, rtol=1e-6, atol=1e-7, equal_nan=True), (x, w, a - b)


class Cell(nn.Module):
    """An LSTM cell over time: the loop closes over the parameters of the cell and over the sequence."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(3, 5), nn.Linear(5, 3)

    def forward(self, x):
        def step(i, h, c):
            h, c = self.cell(x[:, i], (h, c))
            return i + 1, h, c

        zeros = torch.zeros(x.size(0), 5)
        _, h, _ = torch.while_loop(lambda i, h, c: i < x.size(1), step, (torch.tensor(0), zeros, zeros))
        return self.head(h)


class Step(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, y):
        loss = F.cross_entropy(self.net(x), y)
        parameters = list(self.net.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        return (loss, *(p.detach() - 0.1 * g for p, g in zip(parameters, gradients, strict=True)))


def test_an_lstm_cell_over_time_trains_at_every_batch_and_length(tmp_path):
    torch.manual_seed(0)
    step = Step(Cell())
    traced = torch.jit.trace(step, (torch.randn(4, 6, 3), torch.randint(0, 3, (4,))), check_trace=False)
    graph = traced.inlined_graph
    assert not [g for g in graph.guards if "s0_" in str(g)], graph.guards
    assert str(graph).count("prim::Loop") == 2
    graph.save(tmp_path / "step.mgraph")
    loaded = torch.load_graph(str(tmp_path / "step.mgraph"))
    for n, length in [(1, 6), (3, 6), (7, 6), (4, 1), (2, 11), (3, 0)]:
        x, y = torch.randn(n, length, 3), torch.randint(0, 3, (n,))
        expected = [torch.zeros(())]
        loss = F.cross_entropy(step.net(x), y)
        gradients = torch.autograd.grad(loss, list(step.net.parameters()), allow_unused=True)
        expected = [
            loss,
            *(p.detach() if g is None else p.detach() - 0.1 * g for p, g in zip(step.net.parameters(), gradients, strict=True)),
        ]
        for found in (traced(x, y), loaded(x, y)):
            for a, b in zip(found, expected, strict=True):
                assert torch.allclose(a, b, rtol=1e-6, atol=1e-7), (n, length, (a - b).abs().max())


def test_backward_leaves_gradients_of_what_a_loop_closes_over():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))

        def forward(self, x):
            y = torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * self.w), (torch.tensor(0), x))[1]
            y.sum().backward()
            gradient, self.w.grad = self.w.grad, None
            return gradient

    net = Net()
    traced = torch.jit.trace(net, (torch.ones(2, 3),), check_trace=False)
    x = torch.randn(5, 3)
    assert torch.equal(traced(x), net(x)) and torch.allclose(traced(x), 3 * net.w.detach() ** 2 * x.sum(0))


def test_eager_gradients_go_through_a_captured_loop():
    for program in (power, loop_in_loop, cond_in_loop, growing):
        traced = torch.jit.trace(program, next(inputs()), check_trace=False)
        for x, w in inputs():
            x.requires_grad_(), w.requires_grad_()
            expected, found = (torch.autograd.grad(f(x, w), (x, w), allow_unused=True) for f in (program, traced))
            assert all(a is b is None or torch.allclose(a, b, equal_nan=True) for a, b in zip(found, expected, strict=True))


def test_what_a_loop_uses_is_not_written_before_its_backward_pass():
    def step(x, w):
        w = w.detach().requires_grad_()
        h = x * w
        y = torch.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * h), (torch.tensor(0), h))[1]
        with torch.no_grad():
            h.add_(1)
        return torch.autograd.grad(y.sum(), w)

    with pytest.raises(RuntimeError, match=r"modified by an inplace operation: a tensor of size \[2, 3\].*expected version 0"):
        torch.jit.trace(step, (torch.ones(2, 3), torch.ones(3)), check_trace=False)


def filled(y):
    z = torch.zeros(y.shape)
    z.copy_(y * 2)
    return z


def multiplied(y):
    return (y * 1).mul_(y)


def through_views(y):
    z = y * 1
    z[0] = z[1] * 3
    z[:, 1].mul_(y[:, 0])
    return z


def through_a_flat_view(y):
    z = y * 0.5
    z.t()[0].exp_()
    return z


def overwritten(y):
    z = y * 1
    z.fill_(2.0)
    return z * y


def in_an_arm(y):
    z = y * 0.5
    z.add_(torch.cond(y.sum() > 0, lambda a: (a * 2).add_(a), lambda a: a.clone().mul_(3), (y,)))
    return z


WRITES = [filled, multiplied, through_views, through_a_flat_view, overwritten, in_an_arm]


def rounds(body, x):
    return torch.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, body(y)), (torch.tensor(0), x))[1]


@pytest.mark.parametrize("body", WRITES)
@pytest.mark.parametrize(
    "program",
    [
        rounds,
        lambda body, x: torch.cond(x.sum() > 0, lambda a: body(a), lambda a: body(a) * 2, (x,)),
        lambda body, x: torch.cond(x.sum() > 0, lambda a: body(a), lambda a: a * 2, (x,)),
    ],
    ids=["loop", "both arms", "one arm"],
)
def test_writes_to_what_a_loop_or_an_arm_makes_are_differentiated(program, body):
    def step(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad((program(body, x) + x).pow(2).sum(), x)[0]

    traced = torch.jit.trace(step, torch.randn(4, 3), check_trace=False)
    for n in (2, 3, 7):
        for sign in (1, -1):
            x = sign * torch.rand(n, 3)
            assert torch.allclose(traced(x), step(x), rtol=1e-5, atol=1e-6), (n, sign)


@pytest.mark.parametrize(
    "body",
    [
        lambda h, y: (y * 2).reshape(-1).mul_(2).reshape(y.shape),  # what may be a copy
        lambda h, y: y + h.add_(1),  # memory from outside
    ],
)
def test_other_writes_inside_of_a_differentiated_loop_are_refused(body):
    def step(x):
        x = x.detach().requires_grad_()
        h = x * 2
        return torch.autograd.grad(rounds(lambda y: body(h, y), x).sum(), x)

    with pytest.raises(
        NotImplementedError, match=r"(?s)writes to its argument 'self' in what cond or while_loop run; use the form that returns a new tensor"
    ):
        torch.jit.trace(step, (torch.ones(2, 3),), check_trace=False)


def test_a_second_gradient_through_a_loop_is_refused():
    def step(x):
        x = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(power(x, x[0]), x, create_graph=True)
        return torch.autograd.grad(g.sum(), x)

    with pytest.raises(NotImplementedError, match="a gradient of a gradient through cond or while_loop is not implemented in a trace"):
        torch.jit.trace(step, (torch.ones(2, 3),), check_trace=False)


def test_what_is_drawn_has_one_draw_in_both_passes(tmp_path):
    """dropout is drawn by the graph: once, where the forward pass draws it, and the backward pass reads that draw."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.drop, self.down = nn.Linear(3, 16), nn.Dropout(0.5), nn.Linear(16, 2)

        def forward(self, x):
            h = self.drop(torch.tanh(self.up(x)))
            _, h = torch.while_loop(lambda i, h: i < 2, lambda i, h: (i + 1, self.drop(h * 1.5)), (torch.tensor(0), h))
            return self.down(h + torch.rand(1))

    torch.manual_seed(0)
    step = Step(Net())
    labels = torch.tensor([0, 1, 1, 0])
    torch.manual_seed(5)
    traced = torch.jit.trace(step, (torch.randn(4, 3), labels), check_trace=False)
    after = torch.rand(3)
    torch.manual_seed(5)
    step(torch.randn(4, 3), labels)
    assert torch.equal(after, torch.rand(3))  # the capture draws no more than the program
    traced.inlined_graph.save(tmp_path / "step.mgraph")
    loaded = torch.load_graph(str(tmp_path / "step.mgraph"))
    for n in (4, 1, 6):
        x, y = torch.randn(n, 3), torch.randint(0, 2, (n,))
        results = []
        for run in (step, traced, loaded):
            torch.manual_seed(n)
            results.append(run(x, y))
        for found in results[1:]:
            assert all(torch.allclose(a, b, rtol=1e-6, atol=1e-7) for a, b in zip(found, results[0], strict=True)), n


def test_the_methods_of_a_traced_step_show_its_loops():
    step = Step(Cell())
    traced = torch.jit.trace(step, (torch.randn(4, 6, 3), torch.randint(0, 3, (4,))), check_trace=False)
    methods = [str(traced.inlined_graph), str(traced.graph)]
    assert methods[0].count("prim::Loop") == 2 and methods[1].count("prim::Loop") == 1, methods
