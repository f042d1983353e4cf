"""Copies, pickles and refusals of torch.fx, and literals that a matcher ignores: each as PyTorch 2.13 has it."""

from __future__ import annotations

import copy
import functools
import pickle

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.passes.utils.matcher_utils import SubgraphMatcher


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("steps", torch.ones(2))
        self.plain = torch.ones(2)

    def forward(self, x):
        return self.fc(x) * self.steps


class Kept(fx.GraphModule):
    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__(root, graph, class_name)
        self.made = True

    def _deepcopy_init(self):
        return Kept.__init__


def test_copies_have_the_class_of_the_user_and_the_name_graph_module():
    gm = fx.symbolic_trace(Net())
    assert type(gm).__name__ == "Net"
    for copied in (copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm))):
        assert type(copied).__name__ == "GraphModule"
    kept = Kept(Net(), gm.graph, "Mine")
    again = copy.deepcopy(copy.deepcopy(kept))
    assert isinstance(again, Kept) and again.made
    assert [c.__name__ for c in type(again).__mro__[:3]] == ["GraphModule", "Kept", "GraphModule"]


def test_a_deep_copy_keeps_modules_and_buffers_that_no_node_reads():
    gm = fx.symbolic_trace(Net())
    gm.extra = nn.Linear(1, 1)
    gm.register_buffer("more", torch.ones(1))
    gm.note = 3
    gm.meta["_user_preserved_attributes"] = {"kept": 4}
    for made in (copy.deepcopy(gm), pickle.loads(pickle.dumps(gm))):
        assert sorted(made.state_dict()) == sorted(gm.state_dict())
        assert made.extra is not gm.extra
    assert not hasattr(copy.deepcopy(gm), "note") and copy.deepcopy(gm).kept == 4
    assert pickle.loads(pickle.dumps(gm)).note == 3


def test_a_shallow_copy_shares_graph_and_meta():
    gm = fx.symbolic_trace(Net())
    shallow = copy.copy(gm)
    assert shallow.graph is gm.graph and shallow.meta is gm.meta and shallow.fc is gm.fc
    x = torch.randn(3, 2)
    assert torch.equal(shallow(x), gm(x))


def test_a_module_tells_its_tracer():
    class Local(fx.Tracer):
        pass

    assert fx.symbolic_trace(Net())._tracer_cls is fx.Tracer
    local = fx.GraphModule(Net(), Local().trace(Net()))
    assert local._tracer_cls is None and local._tracer_extras == {} and local.shape_env is None


def test_refused_nodes_have_the_classes_of_errors_of_pytorch():
    graph = fx.Graph()
    with pytest.raises(AssertionError, match="op 'bad' is not in _legal_ops"):
        graph.create_node("bad", "x")
    for op, target in (("call_function", "x"), ("call_function", 3), ("call_method", torch.relu)):
        with pytest.raises(ValueError, match="the target of a"):
            graph.create_node(op, target)


def test_ignored_literals_stand_for_nodes_too():
    gm = fx.symbolic_trace(lambda x: torch.add(x, x) + torch.add(x, 2))
    pattern = fx.symbolic_trace(lambda a: torch.add(a, 1)).graph
    assert len(SubgraphMatcher(pattern, ignore_literals=True).match(gm.graph)) == 2
    assert SubgraphMatcher(pattern).match(gm.graph) == []


def test_a_proxy_can_be_copied():
    proxy = fx.Proxy(fx.Graph().placeholder("x"))
    other = copy.copy(proxy)
    assert type(other) is fx.Proxy and other.node is proxy.node and other.tracer is proxy.tracer


def test_map_arg_wants_a_function():
    with pytest.raises(AssertionError, match="fn must be a callable"):
        fx.map_arg(1, 2)


def test_a_partial_function_can_be_traced():
    gm = fx.symbolic_trace(functools.partial(lambda x, y: x + y, y=2))
    assert gm(torch.ones(1)).item() == 3


def test_a_tracer_knows_the_paths_of_modules_while_it_traces():
    seen = []

    class Seeing(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            seen.append((self.submodule_paths[m], self.root_module_name))
            return super().is_leaf_module(m, module_qualified_name)

    tracer = Seeing()
    tracer.trace(Net())
    assert seen == [("fc", "Net")]
