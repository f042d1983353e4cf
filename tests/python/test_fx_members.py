"""Members of Graph, Node, GraphModule, Interpreter, Transformer, Tracer and CodeGen that no other test uses: what they do is what torch.fx 2.13 does."""

import operator
import re
from pathlib import Path

import monograph as torch
import pytest
from monograph import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.full((2,), 2.0))
        self.blocks = nn.ModuleList([nn.ReLU()])
        nn.init.ones_(self.fc.weight)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x, bias=None):
        return self.blocks[0](self.fc(x)) * self.scale


def made():
    g = fx.Graph()
    x, y = g.placeholder("x"), g.placeholder("y")
    a = g.call_function(torch.add, (x, y), {"alpha": 2})
    g.output(a)
    return g, x, y, a


def test_a_node_is_written_as_a_line():
    g, x, _, a = made()
    assert x.format_node() == "%x : [num_users=1] = placeholder[target=x]"
    assert a.format_node() == "%add : [num_users=1] = call_function[target=torch.add](args = (%x, %y), kwargs = {alpha: 2})"
    assert g.output_node().format_node() == "return add"


def test_arguments_are_changed_one_by_one():
    g, x, y, a = made()
    a.update_arg(1, x)
    assert a.args == (x, x) and list(y.users) == [] and list(x.users) == [a]
    a.update_kwarg("alpha", y)
    assert a.kwargs == {"alpha": y} and list(y.users) == [a]
    a.insert_arg(0, 3)
    assert a.args == (3, x, x)
    with pytest.raises(IndexError):
        a.update_arg(7, x)
    b = g.call_method("reshape", (a, -1))
    b.insert_arg(1, x)
    assert b.args == (a, x, -1) and list(x.users) == [a, b]


def test_arguments_get_the_names_of_the_signature():
    gm = fx.symbolic_trace(Net())
    call = next(n for n in gm.graph.nodes if n.op == "call_module")
    assert [n.name for n in call.normalized_arguments(gm).args] == ["x"]
    normal = call.normalized_arguments(gm, normalize_to_only_use_kwargs=True)
    assert normal.args == () and {k: n.name for k, n in normal.kwargs.items()} == {"input": "x"}
    g, _, _, a = made()
    with pytest.raises(RuntimeError, match="ambiguous"):  # add has overloads, which only types tell apart
        a.normalized_arguments(fx.GraphModule({}, g))
    x, y = a.args
    assert a.normalized_arguments(fx.GraphModule({}, g), (torch.Tensor, torch.Tensor), {"alpha": int}, True).kwargs == {"input": x, "other": y, "alpha": 2}


def test_a_graph_knows_its_module():
    gm = fx.symbolic_trace(Net())
    assert gm.graph.owning_module is gm
    assert fx.Graph().owning_module is None


def test_a_graph_prints_as_a_table(capsys):
    made()[0].print_tabular()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["opcode", "name", "target", "args", "kwargs"]
    assert [line.split()[:2] for line in lines[2:]] == [["placeholder", "x"], ["placeholder", "y"], ["call_function", "add"], ["output", "output"]]


def test_modules_that_no_node_calls_are_deleted():
    gm = fx.symbolic_trace(Net())
    gm.add_submodule("spare.inner", nn.Tanh())
    gm.delete_all_unused_submodules()
    assert [name for name, _ in gm.named_modules()] == ["", "fc", "blocks", "blocks.0"]
    assert torch.equal(gm(torch.ones(1, 2)), torch.full((1, 2), 4.0))


class Counting(fx.Interpreter):
    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        seen = self.map_nodes_to_values(n.args, n)
        assert len(args) == len(seen) and isinstance(args, tuple) and isinstance(kwargs, dict)
        return super().run_node(n)


def test_an_interpreter_fetches_arguments_and_attributes():
    gm = fx.symbolic_trace(Net())
    run = Counting(gm)
    assert run.fetch_attr("scale") is gm.scale and run.fetch_attr("fc.weight") is gm.fc.weight
    with pytest.raises(RuntimeError, match="fc"):
        run.fetch_attr("fc.nothing")
    assert torch.equal(run.run(torch.ones(1, 2), None), torch.full((1, 2), 4.0))


class Replacing(fx.Transformer):
    def placeholder(self, target, args, kwargs):
        return super().placeholder(f"new_{target}", args, kwargs)

    def get_attr(self, target, args, kwargs):
        return super().get_attr(target, args, kwargs) + 1

    def call_module(self, target, args, kwargs):
        return torch.sigmoid(*args) if isinstance(self.fetch_attr(target), nn.ReLU) else super().call_module(target, args, kwargs)


def test_a_transformer_changes_inputs_attributes_and_modules():
    gm = Replacing(fx.symbolic_trace(Net())).transform()
    assert [(n.op, str(getattr(n.target, "__name__", n.target))) for n in gm.graph.nodes] == [
        ("placeholder", "new_x"), ("placeholder", "new_bias"), ("call_module", "fc"), ("call_function", "sigmoid"), ("get_attr", "scale"), ("call_function", "add"),
        ("call_function", "mul"), ("output", "output"),
    ]  # fmt: skip
    assert torch.equal(gm(torch.ones(1, 2)), torch.sigmoid(torch.full((1, 2), 2.0)) * 3)


class Asking(fx.Tracer):
    def call_module(self, m, forward, args, kwargs):
        self.asked = [*getattr(self, "asked", []), (self.path_of_module(m), self.get_fresh_qualname("fc"), self.get_fresh_qualname("scale_"))]
        return super().call_module(m, forward, args, kwargs)


def test_a_tracer_knows_paths_and_makes_new_names():
    tracer = Asking()
    tracer.trace(Net())
    assert tracer.asked == [("fc", "fc0", "scale_0"), ("blocks.0", "fc0", "scale_0")]
    with pytest.raises(NameError, match="not installed as a submodule"):
        tracer.path_of_module(nn.Tanh())


class Doubling(fx.CodeGen):
    def additional_globals(self):
        return [("twice", operator.mul)]

    def generate_output(self, output_args, **others):
        return f"return twice({output_args!r}, 2)"

    def process_outputs(self, outputs):
        return ("processed", outputs)


def test_a_code_generator_has_its_own_globals_and_results():
    g, *_ = made()
    g.set_codegen(Doubling())
    gm = fx.GraphModule({}, g)
    assert "return twice(add, 2)" in gm.code
    assert gm(torch.ones(1), torch.ones(1)).tolist() == [6.0]
    word, value = fx.Interpreter(gm).run(torch.ones(1), torch.ones(1))
    assert (word, value.tolist()) == ("processed", [3.0])


def test_the_page_names_a_test_for_each_member():
    tests = Path(__file__).parent
    rows = re.findall(r"^\| `(\w+\.\w+)` \| `([^`]*)` \|$", (tests.parents[1] / "docs" / "fx_coverage.md").read_text(), re.MULTILINE)
    assert len(rows) > 80
    for member, test in rows:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (tests / file).read_text(), f"{member}: run tools/api_coverage.py"
