"""Splits a graph into parts that run one after another, as a pipeline over several machines needs them. examples/cpp/fx_split.cpp prints the same."""

import itertools

import monograph as torch
from monograph import fx
from monograph.fx.passes.split_module import split_module


def f(x0, x1):
    a = torch.relu(x0 + x1)
    b = torch.tanh(a * 2)
    return torch.sigmoid(b + a) - x1


gm = fx.symbolic_trace(f)
# Two calls a part, in order.
seen = itertools.count()
whole = split_module(gm, gm, lambda node: next(seen) // 2)

x, y = torch.tensor([0.5, -1.0, 0.25]), torch.tensor([1.0, 0.5, -2.0])
for p, part in enumerate(whole.children()):
    nodes = list(part.graph.nodes)
    takes, calls = ([n.name for n in nodes if n.op == op] for op in ("placeholder", "call_function"))
    gives = [n.name for n in nodes[-1].all_input_nodes]
    print(f"part {p} takes", *takes, end=", ")
    print("calls", *calls, end=", ")
    print("gives", *gives)
result = whole(x, y)
print(*(f"{v:.4f}" for v in result.tolist()))
print("equal to the whole:", "yes" if torch.equal(result, f(x, y)) else "no")
