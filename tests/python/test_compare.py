"""monograph.compare and monograph.bisect: the first node that differs, and the rewrite that did it."""

from __future__ import annotations

import copy

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx
from monograph.fx.experimental.optimization import fuse, remove_dropout
from monograph.fx.passes.infra.pass_base import PassResult
from monograph.fx.passes.infra.pass_manager import PassManager


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.drop, self.fc = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(0.3), nn.Linear(16, 5)

    def forward(self, x):
        y = torch.relu(self.bn(self.conv(x)))
        y = self.drop(y.flatten(1))
        return {"y": torch.tanh(self.fc(y)), "n": y.shape[0]}


@pytest.fixture
def net():
    torch.manual_seed(0)
    module = Net().eval()
    module.bn.running_mean.uniform_()
    return fx.symbolic_trace(module), torch.randn(2, 3, 4, 4)


def replaced(gm: fx.GraphModule, name: str, function, args=None) -> fx.GraphModule:
    """The node calls something else."""
    gm = copy.deepcopy(gm)
    node = next(n for n in gm.graph.nodes if n.name == name)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(function, args or node.args)
    node.replace_all_uses_with(new)
    gm.graph.erase_node(node)
    gm.recompile()
    return gm


def test_equal_graphs(net):
    gm, x = net
    found = torch.compare(gm, copy.deepcopy(gm), (x,))
    assert found and found.node is None and str(found) == "the results are equal"
    assert torch.compare(gm, gm, x)


def test_the_first_node_that_differs(net):
    gm, x = net
    after = replaced(gm, "relu", torch.nn.functional.leaky_relu)
    found = torch.compare(gm, after, (x,))
    assert not found and found.node.name == "leaky_relu" and found.before.name == "relu"
    assert (
        "the first node that differs: %leaky_relu" in str(found)
        and "before, it was: %relu" in str(found)
        and "Mismatched elements" in str(found)
    )
    assert "test_compare.py" in str(found)


def test_new_nodes_are_named(net):
    gm, x = net
    after = copy.deepcopy(gm)
    fc = next(n for n in after.graph.nodes if n.name == "fc")
    with after.graph.inserting_before(fc):
        half = after.graph.call_function(torch.mul, (fc.args[0], 0.5))
        fc.args = (after.graph.call_function(torch.mul, (half, 2.001)),)
    after.recompile()
    found = torch.compare(gm, after, (x,))
    assert found.node.name == "mul_1" and found.before.name == "drop" and [n.name for n in found.new] == ["mul"]
    assert "it is computed from new nodes: mul" in str(found) and "before, it was: %drop" in str(found)
    assert torch.compare(gm, after, (x,), rtol=0.1, atol=0.1)


def test_a_difference_that_does_not_reach_the_results_is_none(net):
    gm, x = net
    folded = fuse(gm)  # the convolution gives something else, what follows does not
    found = torch.compare(gm, folded, (x,), rtol=1e-4, atol=1e-5)
    assert found, found
    broken = replaced(folded, "tanh", torch.sin)
    found = torch.compare(gm, broken, (x,), rtol=1e-4, atol=1e-5)
    assert found.node.name == "sin"


def test_graphs_of_operators_and_branches():
    def f(x, flag):
        y = torch.cond(flag, lambda a: a.sin() + 1, lambda a: a.cos(), (x,))
        return torch.while_loop(lambda v: v.sum() < 10, lambda v: (v * 2 + 1,), (y,))

    inputs = (torch.ones(2), torch.tensor(True))
    before = torch.jit.trace(f, inputs, check_trace=False)
    after = torch.jit.trace(
        lambda x, flag: torch.while_loop(
            lambda v: v.sum() < 10, lambda v: (v * 2 + 1,), (torch.cond(flag, lambda a: a.sin() + 2, lambda a: a.cos(), (x,)),)
        ),
        inputs,
    )
    found = torch.compare(before, after, inputs)
    assert not found and found.node.target == "aten::add.Scalar" and found.node.args[1] == 2 and found.before.args[1] == 1
    assert torch.compare(before, after, (torch.ones(2), torch.tensor(False)))
    loop = torch.jit.trace(
        lambda x, flag: torch.while_loop(
            lambda v: v.sum() < 10, lambda v: (v * 3 + 1,), (torch.cond(flag, lambda a: a.sin() + 1, lambda a: a.cos(), (x,)),)
        ),
        inputs,
    )
    found = torch.compare(before, loop, inputs)
    assert found.node.target == "aten::mul.Scalar" and "time that it runs" in found.difference


def test_nothing_is_changed_and_random_numbers_are_the_same(net):
    _, x = net
    module = Net().train()
    gm = fx.symbolic_trace(module)
    mean, state, count = module.bn.running_mean.clone(), torch.get_rng_state(), int(module.bn.num_batches_tracked)
    assert torch.compare(gm, copy.deepcopy(gm), (x,))
    assert (
        torch.equal(module.bn.running_mean, mean)
        and torch.equal(torch.get_rng_state(), state)
        and int(module.bn.num_batches_tracked) == count
    )

    def write(v):
        v.add_(1)
        return v * 2

    assert torch.compare(fx.symbolic_trace(write), fx.symbolic_trace(write), x)
    assert torch.equal(x, net[1])
    found = torch.compare(fx.symbolic_trace(write), fx.symbolic_trace(lambda v: (v + 1) * 2), x)
    assert not found and found.node is None and "wrote to the inputs" in str(found)


def test_bisect_names_the_rewrite_and_the_node(net):
    gm, x = net

    def to_gelu(module):
        for node in list(module.graph.nodes):
            if node.target is torch.relu:
                node.target = torch.nn.functional.relu
        return PassResult(module, True)

    def to_sin(module):
        return replaced(module, "tanh", torch.sin)

    def nothing(module):
        module.graph.eliminate_dead_code()

    for passes in ([fuse, to_gelu, nothing, to_sin, nothing, remove_dropout], PassManager([fuse, to_gelu, nothing, to_sin, nothing])):
        found = torch.bisect(gm, passes, (x,), rtol=1e-4, atol=1e-5)
        assert found.index == 3 and found.rewrite is to_sin and found.comparison.node.name == "sin"
        assert "rewrite 3, to_sin, changed the results" in str(found) and "the first node that differs: %sin" in str(found)
        assert torch.compare(gm, found.before, (x,), rtol=1e-4, atol=1e-5) and not torch.compare(gm, found.after, (x,))
    assert "torch.sin" not in gm.code and any(n.name == "bn" for n in gm.graph.nodes)
    found = torch.bisect(gm, [fuse, nothing, remove_dropout], (x,), rtol=1e-4, atol=1e-5)
    assert found.index is None and str(found) == "no rewrite changed the results"


def test_bisect_finds_a_rewrite_that_raises_or_leaves_a_broken_graph(net):
    gm, x = net

    def nothing(module):
        return module

    def raises(module):
        raise KeyError("no such node")

    def backwards(module):
        nodes = list(module.graph.nodes)
        nodes[1].append(nodes[3])
        nodes[2].args = (nodes[3],)
        nodes[3].args = (nodes[2],)

    def wrong_size(module):
        fc = next(n for n in module.graph.nodes if n.name == "fc")
        with module.graph.inserting_before(fc):
            fc.args = (module.graph.call_function(torch.reshape, (fc.args[0], (3, 7))),)

    found = torch.bisect(gm, [nothing, raises, nothing], (x,))
    assert found.index == 1 and isinstance(found.error, KeyError) and str(found) == "rewrite 1, raises, raised an error\n  KeyError: 'no such node'"
    assert torch.bisect(gm, [nothing, nothing, backwards], (x,)).index == 2
    found = torch.bisect(gm, [wrong_size, nothing, nothing], (x,))
    assert found.index == 0 and "reshape" in str(found.error)
    with pytest.raises(RuntimeError, match="the module raises an error on these inputs, before any rewrite"):
        torch.bisect(gm, [nothing], (torch.ones(1, 2),))
    with pytest.raises(RuntimeError, match="differs from itself"):
        counts = iter(range(100))
        gm.stateful = nn.Module()
        gm.stateful.forward = lambda v: v + next(counts)
        flatten = next(n for n in gm.graph.nodes if n.name == "flatten")
        with gm.graph.inserting_after(flatten):
            call = gm.graph.call_module("stateful", (flatten,))
        flatten.replace_all_uses_with(call, delete_user_cb=lambda user: user is not call)
        gm.recompile()
        torch.bisect(gm, [nothing], (x,))


def test_wrong_arguments():
    with pytest.raises(TypeError, match="compare expects a Graph, or an object that has one, as before"):
        torch.compare(3, 4, ())
    with pytest.raises(TypeError, match="load_graph"):
        torch.compare("a.mgraph", "b.mgraph", ())
