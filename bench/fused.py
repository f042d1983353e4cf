"""A chain of seven pointwise operators, compiled on both sides."""

from run import row


def chain(torch):
    def f(x, y):
        return torch.tanh(torch.sigmoid(x * y + 1.0) * torch.exp(-x)) - y

    return f


def inputs(torch):
    return [(torch.randn(1 << 20), torch.randn(1 << 20)) for _ in range(4)]


def in_turn(f, arguments):
    turn = 0

    def once():
        nonlocal turn
        turn = (turn + 1) % len(arguments)
        return f(*arguments[turn])

    return once


def compiled(torch):
    return in_turn(torch.compile(chain(torch)), inputs(torch))


@row("fused_chain_1m", at_most=0.5, about="seven pointwise operators on 1M floats, against torch.compile", peer=compiled, rtol=2e-5)
def fused_chain(torch):
    arguments = inputs(torch)
    graph = torch.jit.trace(chain(torch), arguments[0]).graph
    return in_turn(graph.build(), arguments)
