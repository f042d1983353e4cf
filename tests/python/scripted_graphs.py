"""Functions whose graphs are compared with PyTorch's through TorchScript's graph API. The file imports either library: the oracle sets TORCH before."""

from __future__ import annotations

import importlib
import os
from typing import Any

torch: Any = importlib.import_module(os.environ.get("MONOGRAPH_GRAPH_API_LIBRARY", "monograph"))
List = list


def arithmetic(x, y):
    return (x + y * 2 - 1).clamp(min=0.0).div(3)


def reductions(x):
    return x.sum(1), x.mean([0, 1], keepdim=True), torch.max(x)


def shapes(x):
    a = x.view([2, -1]).transpose(0, 1).unsqueeze(0)
    return torch.cat([a, a], 1).reshape(-1, 4)


def branch(x, flag: bool):
    if flag:
        y = torch.relu(x)
    else:
        y = torch.tanh(x) * 0.5
    return y


def loop(x, n: int):
    for i in range(n):
        x = torch.sigmoid(x + i)
    return x


def while_loop(x):
    while bool(x.sum() < 100):
        x = x * 2
    return x


def factories(x):
    return x + torch.zeros([2, 3]) + torch.ones([3]) + torch.full([1], 2.5)


def convolution(x, w):
    return torch.conv2d(x, w, None, [1, 1], [1, 1])


def attention(q, k, v):
    s = torch.matmul(q, k.transpose(-2, -1)) * 0.125
    return torch.matmul(torch.softmax(s, -1), v)


def several_results(x):
    values, indices = torch.topk(x, 2, 1)
    return values * 2, indices


def normalized(x, w, b):
    return torch.layer_norm(x, [4], w, b, 1e-5) + torch.nn.functional.gelu(x)


def nested(x, n: int):
    for i in range(n):
        if i % 2 == 0:
            x = x.exp()
        else:
            x = x.neg()
    return x


def in_place(x):
    y = x.clone()
    y.add_(1.5)
    y[0] = 2.0
    return y


def indexed(x):
    return x[0] + x[:, 1:3].sum() + x[..., -1].sum()


def converted(x):
    return x.to(torch.float64).to(torch.float32), x.dtype


NAMES = [name for name, thing in list(globals().items()) if type(thing).__name__ == "function"]


def _value(v: Any) -> Any:
    """A constant's value, or the kind of the node that makes it, for lists with what is in them."""
    node = v.node()
    kind = node.kind()
    if kind == "prim::Constant":
        value = v.toIValue()
        return ["constant", value if value is None or isinstance(value, (bool, int, float, str)) else str(value)]
    if kind in ("prim::ListConstruct", "prim::TupleConstruct"):
        return [kind, [_value(part) for part in node.inputs()]]
    return kind


def described(graph: Any) -> Any:
    """The nodes in order, with their inputs: constants by their values, others by the kind of their node."""
    plain = ("prim::Constant", "prim::ListConstruct", "prim::TupleConstruct")

    def of_block(block: Any) -> Any:
        return {"nodes": of_nodes(block.nodes()), "inputs": len(list(block.inputs())), "outputs": [_value(v) for v in block.outputs()]}

    def of_nodes(nodes: Any) -> Any:
        return [[n.kind(), [_value(v) for v in n.inputs()], n.outputsSize(), [of_block(b) for b in n.blocks()]] for n in nodes if n.kind() not in plain]

    return {"nodes": of_nodes(graph.nodes()), "inputs": len(list(graph.inputs())), "outputs": [_value(v) for v in graph.outputs()]}
