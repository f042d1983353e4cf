"""replace_pattern finds in a scripted graph, and in one of a file, what it finds in a symbolic trace."""

from __future__ import annotations

import monograph as torch
import monograph.nn.functional as F
from monograph import fx


def program(x, y):
    z = torch.relu(x) + y
    if bool(z.sum() > 0):
        z = torch.relu(z) * 2
    return F.softmax(z, dim=-1) - torch.relu(y)


def old(a):
    return torch.relu(a)


def new(a):
    return torch.sigmoid(a) + 1


def expected(x, y):
    z = new(x) + y
    if bool(z.sum() > 0):
        z = new(z) * 2
    return F.softmax(z, dim=-1) - new(y)


def test_scripted_graphs(tmp_path):
    scripted = torch.jit.script(program).graph
    scripted.save(tmp_path / "f.mgraph")
    inputs = [(torch.randn(2, 3), torch.randn(2, 3)), (torch.randn(2, 3), torch.full((2, 3), -9.0))]
    for graph in (scripted, torch.load_graph(tmp_path / "f.mgraph")):
        module = fx.GraphModule(torch.nn.Module(), graph)
        assert len(fx.replace_pattern(module, old, new)) == 3
        for x, y in inputs:
            assert torch.equal(module(x, y), expected(x, y))


def test_other_functions_are_no_match():
    def f(x):
        return torch.tanh(x) + torch.softmax(x, 0)

    module = fx.GraphModule(torch.nn.Module(), torch.jit.script(f).graph)
    assert not fx.replace_pattern(module, old, new)
    assert not fx.replace_pattern(module, lambda a: F.softmax(a, dim=0), new)
    assert len(fx.replace_pattern(module, lambda a: torch.tanh(a), new)) == 1
