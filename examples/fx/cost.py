"""Shapes, floating-point operations and bytes of each call, after ShapeProp ran the graph on an example. examples/cpp/fx_cost.cpp prints the same."""

import math

import monograph as torch
import monograph.nn.functional as F
from monograph import fx
from monograph.fx.passes.shape_prop import ShapeProp


def shape(node):
    return node.meta["tensor_meta"].shape


def count(node):
    return math.prod(shape(node))


def flops(node):
    """A product counts as two operations for each element and term, anything else as one for each element."""
    if node.target is F.conv2d:
        return 2 * count(node) * math.prod(shape(node.args[1])[1:])
    if node.target is F.linear:
        return 2 * count(node) * shape(node.args[1])[1]
    return 0 if node.target is torch.flatten else count(node)


def bytes_of(node):  # read and written, of float32
    return 4 * (count(node) + sum(count(i) for i in node.all_input_nodes))


def f(x, kernel, weight, bias):
    return torch.softmax(F.linear(torch.flatten(torch.relu(F.conv2d(x, kernel)), 1), weight, bias), 1)


gm = fx.symbolic_trace(f)
ShapeProp(gm).propagate(torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3), torch.ones(10, 144), torch.zeros(10))
calls = [n for n in gm.graph.nodes if n.op == "call_function"]
for node in calls:
    print(f"{node.name:<8} [{', '.join(map(str, shape(node))):<12}] {flops(node):8d} FLOPs {bytes_of(node):7d} bytes")
print(f"in all {sum(map(flops, calls))} FLOPs, {sum(map(bytes_of, calls))} bytes")
