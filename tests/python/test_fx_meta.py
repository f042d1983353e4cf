"""What nodes know of the modules that they were traced in, and of the program's calls: node.meta, as torch.fx 2.13 writes it."""

from __future__ import annotations

import copy
import pickle

import monograph as torch
from monograph import fx, nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.relu = nn.Linear(3, 3), nn.ReLU()

    def forward(self, x):
        return self.relu(self.relu(self.linear(x)) + 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.layers = nn.Sequential(Block(), nn.ReLU())
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        return self.head(self.block(self.layers(self.block(x * 2)))).relu()


STACKS = {
    "block_linear": ["block", "block.linear"],
    "block_relu": ["block", "block.relu"],
    "add": ["block"],
    "block_relu_1": ["block", "block.relu@1"],
    "layers_0_linear": ["layers", "layers.0", "layers.0.linear"],
    "layers_0_relu": ["layers", "layers.0", "layers.0.relu"],
    "add_1": ["layers", "layers.0"],
    "layers_0_relu_1": ["layers", "layers.0", "layers.0.relu@1"],
    "layers_1": ["layers", "layers.1"],
    "block_linear_1": ["block@1", "block.linear@1"],
    "block_relu_2": ["block@1", "block.relu@2"],
    "add_2": ["block@1"],
    "block_relu_3": ["block@1", "block.relu@3"],
    "head": ["head"],
}


def stacks(graph):
    return {n.name: list(n.meta["nn_module_stack"]) for n in graph.nodes if "nn_module_stack" in n.meta}


def test_a_node_knows_the_modules_that_it_was_traced_in():
    graph = fx.symbolic_trace(Net()).graph
    assert stacks(graph) == STACKS
    known = {n.name: n.meta["nn_module_stack"] for n in graph.nodes if n.name in STACKS}
    assert known["layers_0_relu_1"] == {"layers": ("layers", nn.Sequential), "layers.0": ("layers.0", Block), "layers.0.relu@1": ("layers.0.relu", nn.ReLU)}


def test_nodes_that_are_erased_before_anyone_asks_count():
    graph = fx.symbolic_trace(Net()).graph
    first = next(n for n in graph.nodes if n.name == "block_relu")
    first.replace_all_uses_with(first.args[0])
    graph.erase_node(first)
    assert stacks(graph) == {name: stack for name, stack in STACKS.items() if name != "block_relu"}


def test_a_node_that_is_made_later_has_no_stack():
    gm = fx.symbolic_trace(Net())
    with gm.graph.inserting_before(gm.graph.output_node()):
        made = gm.graph.call_module("head", (gm.graph.output_node().args[0],))
    assert "nn_module_stack" not in made.meta


def test_copies_know_it_too():
    gm = fx.symbolic_trace(Net())
    assert stacks(copy.deepcopy(gm).graph) == STACKS
    assert stacks(copy.deepcopy(copy.deepcopy(gm.graph))) == STACKS
    assert stacks(fx.Transformer(gm).transform().graph) == STACKS
    other, known = fx.Graph(), {}
    for node in gm.graph.nodes:
        known[node] = other.node_copy(node, known.__getitem__)
    assert stacks(other) == STACKS


def test_a_graph_of_two_traces():
    graph = fx.Graph()
    result = graph.graph_copy(fx.symbolic_trace(Net()).graph, {})
    copies = {}
    tail = fx.symbolic_trace(nn.Sequential(Block()))
    copies[next(iter(tail.graph.nodes))] = result
    graph.graph_copy(tail.graph, copies)
    made = [list(n.meta["nn_module_stack"]) for n in graph.nodes if n in set(copies.values()) and n is not result]
    assert made == [["0", "0.linear"], ["0", "0.relu"], ["0"], ["0", "0.relu@1"]]
    assert {name: stack for name, stack in stacks(graph).items() if name in STACKS and not stack[0].startswith("0")} == STACKS


def test_a_tracer_of_the_users_sees_what_is_entered():
    seen = []

    class Watching(fx.Tracer):
        def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
            seen.append((kind, self.scope.module_path, list(self.module_stack)))
            return super().create_node(kind, target, args, kwargs, name, type_expr)

    tracer = Watching()
    graph = tracer.trace(Net())
    assert stacks(graph) == STACKS
    assert seen[2] == ("call_module", "block.linear", ["block", "block.linear"])
    assert tracer.node_name_to_scope["add_1"] == ("layers.0", Block) and tracer.node_name_to_scope["mul"] == ("", None)
    assert tracer.num_calls == {"block": 2, "block.linear": 2, "block.relu": 4, "layers": 1, "layers.0": 1, "layers.0.linear": 1, "layers.0.relu": 2,
                                "layers.1": 1, "head": 1}  # fmt: skip


def test_a_pickle_leaves_classes_out():
    class Local(nn.Module):
        def forward(self, x):
            return x + 1

    gm = fx.symbolic_trace(nn.Sequential(Local()))
    assert stacks(gm.graph) == {"add": ["0"]}
    assert stacks(pickle.loads(pickle.dumps(gm)).graph) == {}


def test_stack_traces_that_a_tracer_records():
    tracer = fx.Tracer()
    tracer.record_stack_traces = True
    traces = {n.name: n.meta.get("stack_trace", "") for n in tracer.trace(Net()).nodes}
    assert [traces[n].count("in forward") for n in ("x", "mul", "add", "head")] == [0, 1, 2, 1]
    assert traces["add"].splitlines()[-1].strip().startswith("return self.relu(")
    assert "stack_trace" not in next(iter(fx.symbolic_trace(Net()).graph.nodes)).meta


def test_preserved_meta():
    with fx.traceback.preserve_node_meta(), fx.traceback.annotate({"stage": 1}):
        graph = fx.symbolic_trace(Net()).graph
    assert all(n.meta["custom"] == {"stage": 1} and "nn_module_stack" not in n.meta for n in graph.nodes)


class Retraced(fx.Interpreter):
    """Traces a graph again, as make_fx over an Interpreter does."""

    def call_function(self, target, args, kwargs):
        return super().call_function(target, args, kwargs)


def test_an_interpreter_gives_the_meta_of_its_nodes_to_those_that_are_made():
    gm = fx.symbolic_trace(lambda x: (x * 2).relu())
    for node in gm.graph.nodes:
        node.meta["stack_trace"] = f"line of {node.name}"
    graph = fx.Graph()
    with fx.traceback.preserve_node_meta():
        tracer = fx.proxy.GraphAppendingTracer(graph)
        out = Retraced(gm).run(fx.Proxy(graph.placeholder("x"), tracer))
        graph.output(out.node)
    made = [n for n in graph.nodes if n.op == "call_method"]
    assert made[-1].meta["stack_trace"] == "line of relu" and [s.name for s in made[-1].meta["from_node"]] == ["relu"]
    assert made[-1].meta["from_node"][0].pass_name == "Interpreter_Retraced"
    assert fx.traceback.get_current_meta() == {}


def test_a_transformer_says_which_node_each_stands_for():
    gm = fx.symbolic_trace(Net())
    made = fx.Transformer(gm).transform().graph
    assert {n.name: n.meta["from_node"][0].name for n in made.nodes if n.name in STACKS} == {name: name for name in STACKS}


def test_results_are_those_of_the_module():
    net, x = Net(), torch.randn(2, 3)
    assert torch.equal(fx.symbolic_trace(net)(x), net(x))


def test_print_readable_shows_the_lines_of_a_recorded_trace():
    net, tracer = Net(), fx.Tracer()
    tracer.record_stack_traces = True
    text = fx.GraphModule(net, tracer.trace(net)).print_readable(False)
    assert "code: return self.relu(self.relu(self.linear(x)) + 1)" in text
    assert "code:" not in fx.symbolic_trace(net).print_readable(False)


def test_a_source_comes_back_from_its_dict():
    gm = fx.symbolic_trace(Net())
    made = fx.Transformer(fx.Transformer(gm).transform()).transform()
    for source in (n.meta["from_node"][0] for n in made.graph.nodes if "from_node" in n.meta):
        again = fx.traceback.NodeSource._from_dict(source.to_dict())
        assert again == source and again.from_node[0].pass_name == "Interpreter_Transformer"
    created = fx.traceback.NodeSource(None, "p", [fx.traceback.NodeSourceAction.REPLACE, fx.traceback.NodeSourceAction.CREATE])
    assert fx.traceback.NodeSource._from_dict(created.to_dict()) == created and fx.traceback.NodeSource._from_dict(None) is None


class PreservesLate(fx.Interpreter):
    """Switches to preserve the meta of nodes while it runs."""

    def call_function(self, target, args, kwargs):
        self.preserving = fx.traceback.preserve_node_meta()
        self.preserving.__enter__()
        return super().call_function(target, args, kwargs)

    def call_method(self, target, args, kwargs):
        self.seen = fx.traceback.get_current_meta().get("mine")
        self.preserving.__exit__(None, None, None)
        return super().call_method(target, args, kwargs)


def test_meta_may_be_preserved_from_the_middle_of_a_run_on():
    gm = fx.symbolic_trace(lambda x: torch.relu(x).neg())
    for node in gm.graph.nodes:
        node.meta["mine"] = node.name
    late = PreservesLate(gm)
    late.run(torch.ones(2))
    assert late.seen == "neg"
