"""Training steps: ours as graphs, whose backward pass is part of them, PyTorch's eager."""

from run import row


def lstm_step(torch, steps):
    """An LSTM cell over time, its loss, its gradients and SGD."""
    nn = torch.nn
    cell = nn.LSTMCell(32, 64)

    def step(x):
        zeros = torch.zeros(x.size(0), 64)
        h = steps(torch, cell, x, zeros)
        parameters = list(cell.parameters())
        gradients = torch.autograd.grad(h.pow(2).mean(), parameters)
        return tuple(p.detach() - 0.1 * g for p, g in zip(parameters, gradients, strict=True))

    return step, [torch.randn(16, 32, 32) for _ in range(4)]


def unrolled(torch, cell, x, zeros):
    state = (zeros, zeros)
    for k in range(x.size(1)):
        state = cell(x[:, k], state)
    return state[0]


def looped(torch, cell, x, zeros):
    def step(i, h, c):
        return i + 1, *cell(x[:, i], (h, c))

    return torch.while_loop(lambda i, h, c: i < x.size(1), step, (torch.tensor(0), zeros, zeros))[1]


def in_turn(f, inputs):
    turn = 0

    def once():
        nonlocal turn
        turn = (turn + 1) % len(inputs)
        return f(inputs[turn])

    return once


def eager(torch):
    return in_turn(*lstm_step(torch, unrolled))


def graph_of(torch, steps):
    step, inputs = lstm_step(torch, steps)
    cell = next(c.cell_contents for c in step.__closure__ if isinstance(c.cell_contents, torch.nn.Module))
    module = torch.nn.Module()
    module.cell, module.forward = cell, step
    graph = torch.jit.trace(module, inputs[0], check_trace=False).inlined_graph
    return in_turn(graph, inputs)


@row("lstm_step_unrolled", about="a training step of an LSTM cell over 32 steps as a graph, against eager PyTorch", peer=eager, rtol=1e-4)
def unrolled_graph(torch):
    return graph_of(torch, unrolled)


@row("lstm_step_looped", about="the same with while_loop: one Loop forward, one backward", peer=eager, rtol=1e-4)
def looped_graph(torch):
    return graph_of(torch, looped)
