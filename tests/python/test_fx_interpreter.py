"""torch.fx.Interpreter and torch.fx.Transformer."""

from __future__ import annotations

import operator

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x, scale=2.0):
        return torch.relu(self.fc(x)) * scale + self.offset.neg()


def branches_and_loops(x):
    a, b = torch.cond(x.sum() > 0, lambda: (torch.relu(x * 2), x), lambda: (torch.relu(x - 1), -x))

    def body(i, v):
        return i + 1, torch.relu(v) * b

    _, v = torch.while_loop(lambda i, v: i < 3, body, (torch.zeros((), dtype=torch.int64), a))
    return v + torch.relu(a)


def test_an_interpreter_gives_the_results_of_the_module():
    net, x = Net(), torch.randn(2, 3)
    gm = fx.symbolic_trace(net)
    assert torch.equal(fx.Interpreter(gm).run(x), net(x))
    assert torch.equal(fx.Interpreter(gm).run(x, 3.0), net(x, 3.0))
    assert torch.equal(fx.Interpreter(gm, garbage_collect_values=False).boxed_run([x, 3.0]), net(x, 3.0))


def test_a_method_of_each_kind_of_node_may_be_overridden():
    seen = []

    class Seeing(fx.Interpreter):
        def placeholder(self, target, args, kwargs):
            seen.append(("placeholder", target))
            return super().placeholder(target, args, kwargs)

        def get_attr(self, target, args, kwargs):
            seen.append(("get_attr", target))
            return super().get_attr(target, args, kwargs)

        def call_function(self, target, args, kwargs):
            seen.append(("call_function", target))
            return torch.neg(args[0]) if target is torch.relu else super().call_function(target, args, kwargs)

        def call_method(self, target, args, kwargs):
            seen.append(("call_method", target))
            return super().call_method(target, args, kwargs)

        def call_module(self, target, args, kwargs):
            seen.append(("call_module", target))
            return super().call_module(target, args, kwargs)

        def output(self, target, args, kwargs):
            seen.append(("output", target))
            return super().output(target, args, kwargs)

    net, x = Net(), torch.randn(2, 3)
    result = Seeing(fx.symbolic_trace(net)).run(x)
    assert torch.equal(result, torch.neg(net.fc(x)) * 2.0 + net.offset.neg())
    assert seen == [
        ("placeholder", "x"), ("placeholder", "scale"), ("call_module", "fc"), ("call_function", torch.relu),
        ("call_function", operator.mul), ("get_attr", "offset"), ("call_method", "neg"), ("call_function", operator.add), ("output", "output"),
    ]  # fmt: skip


def test_values_are_dropped_after_their_last_use():
    gm = fx.symbolic_trace(lambda x: (x + 1).relu() * x)
    kept = []

    class Counting(fx.Interpreter):
        def run_node(self, n):
            kept.append({node.name for node in self.env})
            return super().run_node(n)

    Counting(gm).run(torch.ones(2))
    assert kept == [set(), {"x"}, {"x", "add"}, {"x", "relu"}, {"mul"}]


def test_a_value_that_a_block_reads_is_kept_until_the_loop_has_ended():
    gm = fx.symbolic_trace(branches_and_loops)
    for x in (torch.randn(3).abs(), -torch.randn(3).abs()):
        assert torch.equal(fx.Interpreter(gm).run(x), branches_and_loops(x))


def test_known_values_are_not_computed():
    gm = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    relu = gm.graph.find_nodes(op="call_function", target=torch.relu)[0]
    given = torch.full((2,), 7.0)
    assert fx.Interpreter(gm).run(torch.ones(2), initial_env={relu: given}).tolist() == [8.0, 8.0]


def test_lists_and_dicts_that_concrete_args_took_apart_are_taken_apart():
    gm = fx.symbolic_trace(lambda d: d["a"] + d["b"][0], concrete_args={"d": {"a": fx.PH, "b": [fx.PH]}})
    given = {"a": torch.ones(2), "b": [torch.ones(2)]}
    assert torch.equal(fx.Interpreter(gm).run(given), gm(given))
    assert gm.graph.process_inputs(given) == [given["a"], given["b"][0]]


def test_an_error_names_the_node_and_the_line_of_the_program():
    gm = fx.symbolic_trace(lambda x, y: x @ y)
    with pytest.raises(RuntimeError, match=r"(?s)While executing %matmul .*test_fx_interpreter.py:\d+"):
        fx.Interpreter(gm).run(torch.ones(2, 3), torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="Expected positional argument for parameter y"):
        fx.Interpreter(gm).run(torch.ones(2, 3))
    looked_up = fx.symbolic_trace(lambda d: d["a"])
    with pytest.raises(RuntimeError, match="(?s)a\n\nWhile executing %getitem"):  # a KeyError shows its text as a repr
        fx.Interpreter(looked_up).run({})


def test_a_value_that_is_not_there_is_named():
    gm = fx.symbolic_trace(lambda x: torch.relu(x))
    interpreter = fx.Interpreter(gm)
    with pytest.raises(RuntimeError, match="Node relu referenced nonexistent value x! Run Graph.lint"):
        interpreter.run_node(gm.graph.find_nodes(op="call_function")[0])


@pytest.mark.parametrize("program", [Net(), branches_and_loops], ids=["module", "blocks"])
def test_a_transformer_without_overrides_writes_the_same_graph(program):
    gm = fx.symbolic_trace(program)
    made = fx.Transformer(gm).transform()
    made.graph.lint()
    assert made.code == gm.code
    assert made.graph.hash() == gm.graph.hash()
    # What a block returns has no line of its own, nor has the counter of a loop.
    lines = [[n.span for n in m.graph.nodes(recursive=True) if n.op not in ("output", "placeholder")] for m in (made, gm)]
    assert lines[0] == lines[1]


def test_a_transformer_may_make_other_calls_also_in_blocks():
    class Clamped(fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is torch.relu:
                return super().call_function(torch.clamp, args, {"min": 0})
            return super().call_function(target, args, kwargs)

    gm = fx.symbolic_trace(branches_and_loops)
    made = Clamped(gm).transform()
    assert "relu" not in made.code
    assert made.code.count("torch.clamp") == 4
    for x in (torch.randn(3).abs(), -torch.randn(3).abs()):
        assert torch.equal(made(x), gm(x))


def test_a_new_node_has_the_place_and_the_meta_of_the_one_that_it_stands_for():
    gm = fx.symbolic_trace(lambda x: torch.relu(x))
    (relu,) = gm.graph.find_nodes(op="call_function")
    relu.meta["mark"] = 1

    class Twice(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(target, args, kwargs) * 2

    made = Twice(gm).transform()
    assert [(n.span, n.meta.get("mark")) for n in made.graph.find_nodes(op="call_function")] == [(relu.span, 1)] * 2


calls = []


@fx.has_side_effect
@fx.wrap
def note(x):
    calls.append(x)


def test_what_a_guard_checks_is_no_dead_code():
    def branch(x):
        if x.sum() > 0:
            return torch.relu(x)
        return x

    graph = torch.jit.trace(branch, torch.ones(2), control_flow="guard").inlined_graph
    guards = graph.guards
    graph.output_node().replace_input_with(graph.output_node().args[0], next(iter(graph.nodes)))
    assert graph.eliminate_dead_code() and graph.guards == guards
    assert not any("relu" in node.name for node in graph.nodes) and not graph.eliminate_dead_code()
    assert torch.equal(graph(torch.ones(2)), torch.ones(2))
    with pytest.raises(RuntimeError, match="was captured where"):
        graph(-torch.ones(2))


def test_functions_with_side_effects_stay():
    gm = fx.symbolic_trace(lambda x: (note(x), x + 1)[1])
    gm.graph.eliminate_dead_code()
    gm.recompile()
    gm(torch.ones(1))
    assert len(calls) == 1


def test_a_transformer_of_a_trace_keeps_the_types():
    class Inner(nn.Module):
        def forward(self, x):
            return x * 2 if x.sum() > 0 else x - 1

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 4)
            self.inner = Inner()

        def forward(self, x):
            return self.inner(self.fc(x).relu()).sum(0)

    class Summed(fx.Transformer):
        def call_function(self, target, args, kwargs):
            result = super().call_function(target, args, kwargs)
            return torch.cat([result, result], 1) if target == "aten::relu" else result

    traced = torch.jit.trace(Net(), torch.ones(2, 3))
    types = [n.value_type for n in traced.graph.nodes]
    same = fx.Transformer(fx.GraphModule(traced, traced.graph)).transform()
    assert [n.value_type for n in same.graph.nodes] == types and "Float(s0_0, s0_1)" in types
    wide = {n.name: n.value_type for n in Summed(fx.GraphModule(traced, traced.graph)).transform().graph.nodes}
    assert wide["relu"] == "Float(s0_0, 4)" and wide["cat"] == "Float(s0_0, 8)"
    assert wide["forward_1"] is None  # of another input than in the trace
