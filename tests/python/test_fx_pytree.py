"""concrete_args that hold values of registered types: they are taken apart as in torch.fx, and results of such types come out as they were."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
from collections import defaultdict, deque, namedtuple

import monograph as torch
import pytest
from monograph import fx
from monograph.fx import PH, _pytree
from monograph.utils import _pytree as pytree


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@dataclasses.dataclass
class Options:
    x: object
    y: object
    z: object = None


Point = namedtuple("Point", "x y")


@pytest.fixture(autouse=True)
def registered():
    pytree.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda parts, _: Pair(*parts))
    pytree.register_dataclass(Options)
    _pytree.register_pytree_flatten_spec(Pair, lambda p, spec: [p.a, p.b])
    yield
    pytree._deregister_pytree_node(Pair)
    pytree._deregister_pytree_node(Options)
    _pytree._deregister_pytree_flatten_spec(Pair)


ONE, TWO = torch.ones(2), 2 * torch.ones(2)

CASES = {
    "a class": (lambda p: p.a - p.b, Pair(PH, PH), Pair(ONE, TWO)),
    "a list in a class": (lambda p: p.a - p.b[1], Pair(PH, [PH, PH]), Pair(ONE, [ONE, TWO])),
    "a class in a tuple": (lambda p: p[0].a - p[1].y, (Pair(PH, PH), Point(PH, PH)), (Pair(ONE, TWO), Point(ONE, TWO))),
    "a dataclass": (lambda p: p.x - p.y, Options(PH, PH), Options(ONE, TWO)),
    "a dataclass of three": (lambda p: p.x - p.z, Options(PH, PH, PH), Options(ONE, TWO, TWO)),
    "a deque": (lambda p: p[0] - p[1], deque([PH, PH]), deque([ONE, TWO])),
    "a defaultdict": (lambda p: p["a"] - p["b"], defaultdict(list, a=PH, b=PH), defaultdict(list, a=ONE, b=TWO)),
    "a constant in a class": (lambda p: p.a * p.b, Pair(PH, 2), Pair(ONE, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_function(name):
    function, concrete, given = CASES[name]
    gm = fx.symbolic_trace(function, {"p": concrete})
    for made in (gm, copy.deepcopy(gm), fx.Interpreter(gm).run, gm, gm):  # the second call of a GraphModule runs its plan
        assert torch.equal(made(given), function(given))
    leaves = pytree.tree_leaves(concrete)
    assert [n.name for n in gm.graph.nodes if n.op == "placeholder"] == [f"p_{k + 1}" for k in range(len(leaves))]
    if len(leaves) == leaves.count(PH):
        assert torch.equal(gm.graph.process_outputs(gm.graph(*gm.graph.process_inputs(given))), function(given))


def test_results_of_registered_types_come_out():
    gm = fx.symbolic_trace(lambda p: Pair(p.a + p.b, Options([p.a], {"k": p.b})), {"p": Pair(PH, PH)})
    for call in (gm, gm, fx.Interpreter(gm).run):
        out = call(Pair(ONE, TWO))
        assert type(out) is Pair and type(out.b) is Options
        assert torch.equal(out.a, ONE + TWO) and torch.equal(out.b.x[0], ONE) and torch.equal(out.b.y["k"], TWO)


def test_the_code_is_pytorchs():
    gm = fx.symbolic_trace(lambda p, q: p.a + q, {"p": Pair(PH, PH)})
    assert "p_1, p_2, q, = fx_pytree.tree_flatten_spec([p, q], self._in_spec)" in gm.code
    assert torch.equal(gm(Pair(ONE, TWO), TWO), ONE + TWO)


def test_a_constant_is_checked():
    gm = fx.symbolic_trace(CASES["a constant in a class"][0], {"p": Pair(PH, 2)})
    with pytest.raises(AssertionError, match="specialized to have value 2"):
        gm(Pair(ONE, 3))


def test_another_structure_is_an_error():
    gm = fx.symbolic_trace(CASES["a dataclass"][0], {"p": Options(PH, PH)})
    with pytest.raises(RuntimeError, match="traced with concrete_args that are"):
        gm(Options(ONE, TWO, TWO))


def test_a_spec_takes_values_apart():
    leaves, spec = pytree.tree_flatten({"a": Pair(1, [2, 3]), "b": (4, Point(5, 6))})
    assert _pytree.tree_flatten_spec({"b": (4, Point(5, 6)), "a": Pair(1, [2, 3]), "c": 7}, spec) == leaves == [1, 2, 3, 4, 5, 6]


def test_a_class_that_is_not_registered_is_one_argument():
    class Other:
        def __init__(self):
            self.a = 3

    with pytest.warns(UserWarning, match="Was not able to add assertion"):
        gm = fx.symbolic_trace(lambda x, o: x * o.a, {"o": Other()})
    assert torch.equal(gm(ONE, Other()), 3 * ONE)


class Tower(torch.nn.Module):
    """Enough operators for a plan."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)

    def forward(self, x, d, scale=2.0, *, k=3):
        for _ in range(20):
            x = torch.relu(x) + d["a"]
        return {"y": self.fc(x) * scale * k, "z": d["b"][0]}


X = torch.ones(2, 2)
GIVEN = X, {"b": (X,), "a": 2 * X}  # in another order than concrete_args
APART = {"d": {"a": PH, "b": (PH,)}}


def test_a_call_with_trees_runs_a_plan():
    net = Tower()
    gm = fx.symbolic_trace(net, APART)
    want = net(*GIVEN)
    for _ in range(3):
        out = gm(*GIVEN)
        assert list(out) == ["y", "z"] and torch.equal(out["y"], want["y"])
    calls = type(gm)._calls
    assert calls.run_with_trees(calls.plan_for(gm), gm, GIVEN) is NotImplemented  # it lacks arguments, which have defaults
    ran = calls.run_with_trees(calls.plan_for(gm), gm, (*GIVEN, 2.0, 3))
    assert torch.equal(ran["y"], want["y"])
    assert torch.equal(gm(*GIVEN, 1.0, 5)["y"], net(*GIVEN, 1.0, k=5)["y"])
    with pytest.raises(KeyError, match="b"):
        gm(X, {"a": X}, 2.0, 3)


def test_copies_pickles_folders_and_files_take_trees(tmp_path, monkeypatch):
    net = Tower()
    gm = fx.symbolic_trace(net, APART)
    want = net(*GIVEN)
    gm.to_folder(tmp_path / "saved_tower", "Saved")
    monkeypatch.syspath_prepend(tmp_path)
    saved = importlib.import_module("saved_tower").Saved()
    for made in (copy.copy(gm), copy.deepcopy(gm), pickle.loads(pickle.dumps(gm)), fx.Transformer(gm).transform(), saved):
        assert torch.equal(made(*GIVEN)["y"], want["y"])
    assert copy.deepcopy(gm).code == pickle.loads(pickle.dumps(gm)).code == gm.code
    gm.graph.save(tmp_path / "tower.mgraph")
    loaded, leaves = torch.load_graph(tmp_path / "tower.mgraph"), gm.graph.process_inputs(*GIVEN)
    assert torch.equal(gm.graph.process_outputs(loaded(*leaves))["y"], want["y"])
    before = gm.graph.hash()
    assert loaded.hash() == before
    relu = gm.graph.find_nodes(op="call_function", target=torch.relu)[0]
    relu.target = torch.tanh
    assert gm.graph.hash() != before


def test_hooks_of_the_module_see_trees():
    net = Tower()
    net.register_forward_pre_hook(lambda m, args: (args[0] * 2, *args[1:]))
    net.register_forward_hook(lambda m, args, out: {**out, "more": args[1]["a"] + 1})
    gm = fx.symbolic_trace(net, APART)
    out, want = gm(*GIVEN), net(*GIVEN)
    assert list(out) == list(want) and torch.equal(out["y"], want["y"]) and torch.equal(out["more"], want["more"])


def test_any_number_of_arguments_beside_trees():
    gm = fx.symbolic_trace(lambda d, *rest, k=2, **named: d["a"] * k + rest[0] - named["z"], {"d": {"a": PH}})
    assert torch.equal(gm({"a": ONE}, TWO, z=ONE), 3 * ONE)
    assert "def forward(self, d, *rest, k = 2, **named):" in gm.code


def test_lists_grow_and_branches_stay_where_arguments_are_trees():
    def grows(x, d):
        d["c"] = x + 1
        d["l"].append(x)
        return d, [len(d)]

    made, count = fx.symbolic_trace(grows, {"d": {"l": [PH]}})(ONE, {"l": [TWO]})
    assert count == [2] and torch.equal(made["c"], TWO) and len(made["l"]) == 2
    gm = fx.symbolic_trace(lambda x, d: x + d["a"] if x.sum() > 0 else x - d["a"], {"d": {"a": PH}})
    assert gm(ONE, {"a": ONE}).tolist() == [2, 2] and gm(-ONE, {"a": ONE}).tolist() == [-2, -2]
