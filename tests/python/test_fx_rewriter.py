"""torch.fx.replace_pattern: matching and replacing, beside PyTorch where the test asks for it."""

from __future__ import annotations

import random

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx
from monograph.fx.passes.utils.matcher_utils import SubgraphMatcher
from monograph.fx.subgraph_rewriter import replace_pattern_with_filters


def two_branches(x, y):
    b = torch.relu(torch.add(x, 3))
    return b, torch.relu(torch.add(y, 4))


def chain(x):
    for _ in range(8):
        x = torch.relu(x)
    return x


def used_inside(x):
    n = torch.neg(x)
    return torch.relu(n), n


@pytest.mark.parametrize(
    ("program", "pattern", "replacement", "count", "line"),
    [
        (two_branches, lambda x: torch.relu(torch.add(x, 3)), lambda x: torch.sigmoid(x), 1, "sigmoid = torch.sigmoid(x)"),
        (two_branches, lambda x, k: torch.relu(torch.add(x, k)), lambda x, k: torch.sigmoid(x) + k, 2, "add_3 = sigmoid_1 + 4"),
        (chain, lambda x: torch.relu(torch.relu(x)), lambda x: torch.neg(x), 4, "neg_3 = torch.neg(neg_2)"),
        (chain, lambda x: torch.relu(torch.relu(torch.relu(x))), lambda x: torch.neg(x), 2, "relu_7 = torch.relu(relu_6)"),
        (lambda x: torch.relu(x), lambda x: torch.relu(x), lambda x: x, 1, "return x"),
        (used_inside, lambda x: torch.relu(torch.neg(x)), lambda x: torch.sin(x), 0, "relu = torch.relu(neg)"),
        (
            lambda x: torch.relu(x) + torch.neg(x), lambda x: (torch.relu(x), torch.neg(x)), lambda x: (torch.sin(x), torch.cos(x)), 1,
            "add = sin + cos",
        ),
    ],
)  # fmt: skip
def test_places_and_code_are_those_of_pytorch(program, pattern, replacement, count, line):
    gm = fx.symbolic_trace(program)
    found = fx.replace_pattern(gm, pattern, replacement)
    assert len(found) == count
    assert line in gm.code
    gm.graph.lint()


def test_a_match_says_what_each_node_stood_for():
    gm = fx.symbolic_trace(two_branches)
    (first, _) = fx.replace_pattern(gm, lambda x, k: torch.relu(torch.add(x, k)), lambda x, k: x * k)
    assert {p.name: str(g) for p, g in first.nodes_map.items()} == {"relu": "relu", "add": "add", "x": "x", "k": "3"}
    assert first.anchor.name == "relu"


def test_literals_may_be_ignored_and_places_filtered():
    gm = fx.symbolic_trace(two_branches)
    found = replace_pattern_with_filters(
        gm, lambda x: torch.relu(torch.add(x, 3)), lambda x: torch.sigmoid(x), ignore_literals=True,
        match_filters=[lambda match, graph, pattern: match.placeholder_nodes[0].name == "y"],
    )  # fmt: skip
    assert [[n.name for n in f.replacements] for f in found] == [["sigmoid"]]
    assert "torch.sigmoid(y)" in gm.code
    assert "torch.sigmoid(x)" not in gm.code


def test_a_callback_makes_the_replacement():
    gm = fx.symbolic_trace(two_branches)

    def scaled(match, graph, pattern):
        number = match.nodes_map[next(p for p in match.nodes_map if p.name == "k")]
        return fx.symbolic_trace(lambda x, k: x * (number * 10)).graph

    replace_pattern_with_filters(gm, lambda x, k: torch.relu(torch.add(x, k)), replacement_callback=scaled)
    assert "x * 30" in gm.code
    assert "y * 40" in gm.code


def test_modules_of_the_replacement_are_installed_and_unused_ones_removed():
    class Old(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

        def forward(self, x):
            return self.act(x)

    class New(nn.Module):
        def __init__(self):
            super().__init__()
            self.gelu = nn.GELU()
            self.weight = nn.Parameter(torch.full((2,), 3.0))

        def forward(self, x):
            return self.gelu(x) * self.weight

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            return self.act(self.fc(x))

    net = Net()
    gm, x = fx.symbolic_trace(net), torch.randn(4, 2)
    assert len(fx.replace_pattern(gm, fx.symbolic_trace(Old()), fx.symbolic_trace(New()))) == 1
    assert sorted(dict(gm.named_children())) == ["fc", "gelu"]
    assert torch.equal(gm(x), torch.nn.functional.gelu(net.fc(x)) * 3)
    assert "weight" in dict(gm.named_parameters())


def test_a_modules_call_is_matched_by_its_path():
    """As in PyTorch: call_module nodes match where their targets are equal."""
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    gm = fx.symbolic_trace(model)
    pattern = fx.Graph()
    x = pattern.placeholder("x")
    pattern.output(pattern.call_module("1", (x,)))
    (match,) = SubgraphMatcher(pattern).match(gm.graph)
    assert [n.name for n in match.returning_nodes] == ["_1"]


def test_blocks_are_searched_and_a_place_lies_in_one_block():
    def program(x):
        outside = x + 1
        (v,) = torch.while_loop(lambda v: v.sum() < 9, lambda v: (torch.relu(v + 1),), (outside,))
        return torch.cond(v.sum() > 0, lambda: torch.relu(outside), lambda: torch.relu(v + 1))

    gm = fx.symbolic_trace(program)
    assert len(fx.replace_pattern(gm, lambda x: torch.relu(x + 1), lambda x: torch.clamp(x + 1, min=0))) == 2
    gm.graph.lint()
    assert gm.code.count("torch.clamp") == 2
    assert "torch.relu(add)" in gm.code  # x + 1 stands outside of the block
    for x in (torch.ones(3), -2 * torch.ones(3)):
        assert torch.equal(gm(x), program(x))


def test_what_uses_a_result_before_another_input_is_computed_moves_behind_it():
    def program(x):
        a = torch.relu(x)
        b = torch.sin(a)
        c = torch.neg(x * 3)
        return b + c

    gm = fx.symbolic_trace(program)
    assert len(fx.replace_pattern(gm, lambda x, y: (torch.relu(x), torch.neg(y)), lambda x, y: (x + y, x - y))) == 1
    gm.graph.lint()
    x = torch.randn(3)
    assert torch.equal(gm(x), torch.sin(x + x * 3) + (x - x * 3))


def test_the_new_nodes_have_the_line_of_the_old_ones():
    gm = fx.symbolic_trace(two_branches)
    line = gm.graph.find_nodes(op="call_function", target=torch.relu)[0].span
    fx.replace_pattern(gm, lambda x: torch.relu(torch.add(x, 3)), lambda x: torch.sigmoid(x))
    assert gm.graph.find_nodes(op="call_function", target=torch.sigmoid)[0].span == line


@pytest.mark.parametrize(
    ("pattern", "replacement", "error"),
    [
        (lambda x: torch.relu(x), lambda x, y: torch.sin(x), "Placeholder count mismatch: 1 vs 2"),
        (lambda x: torch.relu(x), lambda x: (torch.sin(x), torch.cos(x)), "Returning nodes count mismatch: 1 vs 2"),
        (lambda x, y: torch.relu(x), lambda x, y: torch.sin(x), "the pattern's input %y is not used"),
        (lambda x: x, lambda x: x * 2, "the pattern only returns its inputs"),
    ],
)
def test_patterns_that_cannot_be_replaced_leave_the_graph_as_it_was(pattern, replacement, error):
    gm = fx.symbolic_trace(two_branches)
    before = str(gm.graph)
    with pytest.raises((AssertionError, ValueError), match=error):
        fx.replace_pattern(gm, pattern, replacement)
    assert str(gm.graph) == before


def test_a_python_pattern_is_found_in_the_graph_of_a_trace():
    """The overload that a trace recorded stands for each way to write its call."""
    x = torch.ones(2, 2)
    traced = torch.jit.trace(lambda x, y: torch.relu(x + y) * (x + 1), (x, x)).graph
    gm = fx.GraphModule(nn.Module(), traced)
    assert len(fx.replace_pattern(gm, lambda x, y: torch.relu(x + y), lambda x, y: torch.tanh(torch.add(x, y)))) == 1
    assert torch.equal(gm(x, -x / 2), torch.tanh(x - x / 2) * 2)


def test_what_a_program_writes_is_told_apart_as_in_pytorch():
    gm = fx.symbolic_trace(lambda x, y: (x + y, torch.add(x, y), x.add(y)))
    assert [len(SubgraphMatcher(fx.symbolic_trace(p).graph).match(gm.graph)) for p in (lambda x, y: x + y, lambda x, y: torch.add(x, y), lambda x, y: x.add(y))] == [1] * 3


def test_two_spellings_of_a_call_match():
    gm = fx.symbolic_trace(lambda x: (torch.softmax(x, dim=-1), torch.softmax(x, -1), torch.softmax(input=x, dim=-1, dtype=None), torch.softmax(x, 0)))
    assert len(fx.replace_pattern(gm, lambda x: torch.softmax(x, -1), lambda x: torch.relu(x))) == 3
    assert gm.code.count("torch.softmax(") == 1


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.add_(1),
        lambda a: torch.nn.functional.relu(a, True),
        lambda a: torch.nn.functional.relu(a, inplace=True),
        lambda a: torch.neg(a, out=a),
        lambda a: a.__setitem__(0, 7.0),
    ],
)
def test_a_place_between_whose_nodes_memory_is_written_stays(write):
    """relu(x) is read by tanh after a write to x; one node at the place of tanh would read x too late."""

    def program(x):
        first = torch.neg(x)
        write(x)
        return torch.tanh(first) + x

    graph = fx.Graph()
    x = graph.placeholder("x")
    first = graph.call_function(torch.neg, (x,))
    tracer = fx.proxy.GraphAppendingTracer(graph)
    write(fx.Proxy(x, tracer))
    graph.output(graph.call_function(torch.add, (graph.call_function(torch.tanh, (first,)), x)))
    gm = fx.GraphModule(nn.Module(), graph)
    assert not fx.replace_pattern(gm, lambda x: torch.tanh(torch.neg(x)), lambda x: -torch.tanh(x))
    given = torch.tensor([0.5, -1.0])
    assert torch.equal(gm(given.clone()), program(given.clone()))


def test_a_layer_that_works_in_place_writes():
    def program(inplace):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = nn.ReLU(inplace=inplace)

            def forward(self, x):
                first = torch.neg(x)
                return self.act(x) + torch.tanh(first)

        return fx.symbolic_trace(Net())

    for inplace, places in ((False, 1), (True, 0)):
        assert len(fx.replace_pattern(program(inplace), lambda x: torch.tanh(torch.neg(x)), lambda x: -torch.tanh(x))) == places


def test_an_input_of_the_pattern_stands_for_a_list_of_nodes_that_changes():
    """The list holds a node that an earlier place takes away."""
    gm = fx.symbolic_trace(lambda x: torch.cat([torch.relu(x), torch.cat([x, torch.cat([x, x])])]))
    assert len(fx.replace_pattern(gm, lambda parts: torch.cat(parts), lambda parts: torch.cat(parts, 0) * 2)) == 3
    gm.graph.lint()
    x = torch.tensor([1.0, -2.0])
    assert torch.equal(gm(x), torch.cat([torch.relu(x), torch.cat([x, torch.cat([x, x]) * 2]) * 2]) * 2)


def test_an_error_leaves_the_graph_and_its_module_as_they_were():
    class New(nn.Module):
        def forward(self, x):
            return x

    new = fx.Graph(New())
    new.output(new.create_node("call_module", "missing", (new.placeholder("x"),)))
    gm = fx.symbolic_trace(nn.Sequential(nn.ReLU(), nn.Tanh()))
    pattern = fx.Graph()
    pattern.output(pattern.call_module("0", (pattern.placeholder("x"),)))
    before, layers = str(gm.graph), list(dict(gm.named_modules()))
    with pytest.raises(RuntimeError, match="missing, but the referenced attribute does not exist"):
        replace_pattern_with_filters(gm, pattern, new)

    def fails_at_the_second(match, graph, pattern):
        calls.append(match)
        if len(calls) == 2:
            raise KeyError("from the callback")
        return fx.symbolic_trace(lambda x: torch.sin(x)).graph

    calls = []
    with pytest.raises(KeyError, match="from the callback"):
        many = fx.symbolic_trace(chain)
        text = str(many.graph)
        replace_pattern_with_filters(many, lambda x: torch.relu(x), replacement_callback=fails_at_the_second)
    assert str(many.graph) == text
    assert (str(gm.graph), list(dict(gm.named_modules()))) == (before, layers)


def test_a_class_that_is_derived_may_say_what_matches():
    class AnyActivation(SubgraphMatcher):
        def _nodes_are_equal(self, pn, gn, node_name_match=""):
            both = {pn.target, gn.target} <= {torch.relu, torch.tanh}
            return both or super()._nodes_are_equal(pn, gn, node_name_match)

    gm = fx.symbolic_trace(lambda x: torch.tanh(torch.neg(x)) + torch.relu(torch.neg(x)))
    pattern = fx.symbolic_trace(lambda x: torch.relu(torch.neg(x))).graph
    assert len(AnyActivation(pattern).match(gm.graph)) == 2
    assert len(SubgraphMatcher(pattern).match(gm.graph)) == 1


def test_places_carry_what_an_earlier_place_made():
    gm = fx.symbolic_trace(chain)
    found = replace_pattern_with_filters(gm, lambda x: torch.relu(torch.relu(x)), lambda x: torch.neg(x))
    inputs = [next(v for p, v in f.nodes_map.items() if p.op == "placeholder").name for f in found]
    assert inputs == ["x", "neg", "neg_1", "neg_2"]


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_results(seed):
    """Replacements that compute the same, on random graphs with values that are used several times."""
    rng = random.Random(seed)
    graph = fx.Graph()
    values = [graph.placeholder("x"), graph.placeholder("y")]
    for _ in range(rng.randrange(5, 60)):
        a, b = rng.choice(values[-6:]), rng.choice(values)
        made = graph.call_function(*rng.choice([(torch.relu, (a,)), (torch.add, (a, b)), (torch.neg, (a,)), (torch.sub, (a, b))]))
        values.append(made)
    graph.output(tuple(values[-3:]))
    gm = fx.GraphModule(nn.Module(), graph)
    x, y = torch.randn(5), torch.randn(5)
    before = gm(x, y)
    rules = [
        (lambda a, b: torch.relu(torch.add(a, b)), lambda a, b: torch.clamp(torch.add(a, b), min=0)),
        (lambda a: torch.neg(torch.neg(a)), lambda a: a),
        (lambda a, b: torch.sub(a, torch.neg(b)), lambda a, b: torch.add(a, b)),
        (lambda a, b: (torch.neg(a), torch.relu(b)), lambda a, b: (a * -1, torch.relu(b))),
    ]
    for pattern, replacement in rng.sample(rules, len(rules)):
        fx.replace_pattern(gm, pattern, replacement)
        gm.graph.lint()
    for old, new in zip(before, gm(x, y), strict=True):
        assert torch.equal(old, new), f"seed {seed}"
