"""Writes the inverse of a function: reads its calls from the last to the first, and makes the inverse of each. examples/cpp/fx_inverse.cpp prints the same."""

import operator

import monograph as torch
from monograph import fx

INVERSES = {
    operator.add: operator.sub, operator.sub: operator.add, operator.mul: operator.truediv, operator.truediv: operator.mul,
    torch.exp: torch.log, torch.log: torch.exp, operator.neg: operator.neg,
}  # fmt: skip


def operator_name(node):
    return {"truediv": "div"}.get(node.target.__name__, node.target.__name__)


def invert(gm):
    """A chain of calls, each of the value before it and of numbers."""
    inverse = fx.Graph()
    value = inverse.placeholder("y")
    node = gm.graph.output_node().args[0]
    while node.op != "placeholder":
        if node.target not in INVERSES:
            raise NotImplementedError(f"{operator_name(node)} has no inverse")
        value = inverse.call_function(INVERSES[node.target], (value, *node.args[1:]))
        node = node.args[0]
    inverse.output(value)
    inverse.lint()
    return fx.GraphModule(torch.nn.Module(), inverse)


def show(title, gm):
    print(f"{title}:", *(operator_name(n) for n in gm.graph.nodes if n.op == "call_function"))


gm = fx.symbolic_trace(lambda x: -(torch.exp(x * 2 + 1) - 3) / 4)
inverse = invert(gm)
show("function", gm)
show("inverse", inverse)
x = torch.tensor([0.5, -1.0, 0.25])
print(*(f"{v:.4f}" for v in inverse(gm(x)).tolist()))
try:
    invert(fx.symbolic_trace(lambda v: torch.relu(v)))
except NotImplementedError as error:
    print(error)
