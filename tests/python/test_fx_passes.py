"""torch.fx.passes over the blocks of If and Loop, over writes, on real networks, and on what must be refused."""

from __future__ import annotations

import copy
import operator
import random

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx
from monograph.fx.experimental.const_fold import split_const_subgraphs
from monograph.fx.passes import graph_drawer, graph_manipulation, tools_common
from monograph.fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from monograph.fx.passes.fake_tensor_prop import FakeTensorProp
from monograph.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from monograph.fx.passes.operator_support import create_op_support
from monograph.fx.passes.shape_prop import ShapeProp
from monograph.fx.passes.split_module import split_module
from monograph.fx.passes.split_utils import split_by_tags
from monograph.fx.passes.utils.fuser_utils import fuse_by_partitions
from monograph.fx.passes.utils.source_matcher_utils import check_subgraphs_connected, get_source_partitions
from networks import NETWORKS
from test_networks import FIXED, MISSING, REFUSED, assert_same

# Sizes that only values tell, so the meta device does not know them.
BY_VALUES = {"mixture of experts, top k, one weight for all": "the size of its result depends on elements"}
NAMES = [n for n in NETWORKS if n not in MISSING and n not in REFUSED]


def branches_and_loops(x):
    a, b = torch.cond(x.sum() > 0, lambda: (torch.relu(x * 2), x), lambda: (torch.relu(x - 1), -x))

    def body(i, v):
        return i + 1, torch.relu(v) * b

    _, v = torch.while_loop(lambda i, v: i < 3, body, (torch.zeros((), dtype=torch.int64), a))
    return v + torch.relu(a), x.sin() + x.sin()


def network(name):
    """The network in eval mode, its GraphModule, and inputs."""
    make, inputs = NETWORKS[name]
    torch.manual_seed(0)
    net = make().eval()
    with torch.no_grad():  # which some of them use
        return net, fx.symbolic_trace(net, concrete_args=FIXED.get(name)), inputs(2)


# Shapes -------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sign", [1, -1])
def test_every_node_of_every_block_has_its_shape(sign):
    gm = fx.symbolic_trace(branches_and_loops)
    x = sign * torch.ones(2, 3)
    result = ShapeProp(gm).propagate(x)
    for got, expected in zip(result, branches_and_loops(x), strict=True):
        assert torch.equal(got, expected)
    for node in gm.graph.nodes(recursive=True):
        if node.op in ("output", "placeholder") and node not in set(gm.graph.nodes):
            continue
        assert "type" in node.meta, node
        if node.target in (torch.relu, operator.neg, "sin", "relu"):
            assert node.meta["tensor_meta"].shape == (2, 3), node


def test_a_block_of_which_sizes_depend_on_values_has_none():
    gm = fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x.sum(), lambda: torch.nonzero(x).sum().to(torch.float32)))
    ShapeProp(gm).propagate(torch.ones(3))
    (found,) = [n for n in gm.graph.nodes(recursive=True) if n.target is torch.nonzero]
    assert "tensor_meta" not in found.meta


def test_a_block_that_would_raise_on_the_example_has_no_shapes():
    @torch.jit.script
    def f(x):
        if x.dim() == 3:
            y = x.sum(2)
        else:
            y = x.sum(1)
        return y

    gm = fx.GraphModule(nn.Module(), f.graph)
    assert ShapeProp(gm).propagate(torch.ones(2, 3)).shape == (2,)
    assert gm.graph.output_node().meta["tensor_meta"].shape == (2,)


def test_fake_tensors_tell_both_branches_and_refuse_branches_of_two_shapes():
    gm = fx.symbolic_trace(branches_and_loops)
    FakeTensorProp(gm).propagate(torch.ones(2, 3))
    assert {tuple(n.meta["val"].shape) for n in gm.graph.nodes(recursive=True) if n.target is torch.relu} == {(2, 3)}
    growing = fx.symbolic_trace(lambda x: torch.while_loop(lambda v: v.shape[0] < 9, lambda v: (torch.cat([v, v]),), (x,)))
    with pytest.raises(RuntimeError, match="has two different shapes: a value that the loop carries is torch.float32 .2. before it and torch.float32 .4. after"):
        FakeTensorProp(growing).propagate(torch.ones(2))
    with pytest.raises(NotImplementedError, match="make tensors on the meta device"):
        with torch._subclasses.FakeTensorMode():
            pass


def test_shapes_by_a_fake_mode_compute_nothing():
    gm = fx.symbolic_trace(lambda x, w: (x @ w).relu())
    made = ShapeProp(gm, fake_mode=torch._subclasses.FakeTensorMode()).propagate(torch.ones(2, 3), torch.ones(3, 4))
    assert made.device.type == "meta"
    assert gm.graph.find_nodes(op="call_method")[0].meta["tensor_meta"].shape == (2, 4)


def test_an_error_of_shapes_names_the_node_and_its_line():
    gm = fx.symbolic_trace(lambda x, y: torch.cond(x.sum() > 0, lambda: x @ y, lambda: x))
    with pytest.raises(RuntimeError, match=r"(?s)ShapeProp error for: node=%matmul .*test_fx_passes.py:\d+") as error:
        ShapeProp(gm).propagate(torch.ones(2, 3), torch.ones(2, 3))
    assert str(error.value).count("ShapeProp error") == 1


@pytest.mark.parametrize("name", NAMES)
def test_shapes_of_a_network(name):
    net, gm, x = network(name)
    with torch.no_grad():
        expected = net(*copy.deepcopy(x))
        seen = {}

        class Seeing(ShapeProp):
            def run_node(self, n):
                seen[n] = result = super().run_node(n)
                return result

        assert_same(Seeing(gm).propagate(*copy.deepcopy(x)), expected)
        described = {n: n.meta.get("tensor_meta") for n in gm.graph.nodes}
        for node, value in seen.items():
            if isinstance(value, torch.Tensor) and node in described:
                assert described[node].shape == value.shape and described[node].dtype == value.dtype, node
        if name in BY_VALUES:
            with pytest.raises((RuntimeError, NotImplementedError), match=BY_VALUES[name]):
                FakeTensorProp(gm).propagate(*copy.deepcopy(x))
            return
        FakeTensorProp(gm).propagate(*copy.deepcopy(x))
        for node, known in described.items():
            if hasattr(known, "stride"):
                value = node.meta["val"]
                assert (value.shape, value.dtype) == (known.shape, known.dtype), node
                strides = zip(value.shape, value.stride(), known.stride, strict=True)
                assert all(a == b for n, a, b in strides if n > 1), node  # that of a dim of one element has no meaning


# Networks through passes that keep the results --------------------------------------------------------------------------------------------
def parts_of(gm, count):
    place = {n: i for i, n in enumerate(gm.graph.nodes)}
    return lambda n: place[n] * count // len(place)


def as_split(gm):
    return split_module(gm, None, parts_of(gm, 3))


def as_split_in_order(gm):
    return split_module(gm, None, parts_of(gm, 5), keep_original_order=True, tuple_return=True)


def as_tagged(gm):
    number = parts_of(gm, 3)
    for n in gm.graph.nodes:
        n.tag = f"part_{number(n)}"
    return split_by_tags(gm, ["part_0", "part_1", "part_2"])


def as_cse(gm):
    return CSEPass()(gm).graph_module


def as_sorted(gm):
    return tools_common.legalize_graph(tools_common.stable_topological_sort(gm))


def as_fused_groups(gm):
    support = create_op_support(lambda modules, n: n.op in ("call_function", "call_method") and n.name[-1] not in "13579")
    return CapabilityBasedPartitioner(gm, support).partition_and_fuse()


def as_folded(gm):
    return split_const_subgraphs(gm)


WAYS = (as_split, as_split_in_order, as_tagged, as_cse, as_sorted, as_fused_groups, as_folded)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_keeps_its_results(name):
    net, gm, x = network(name)
    with torch.no_grad():
        expected = net(*copy.deepcopy(x))
        for way in WAYS:
            inputs = gm.graph.find_nodes(op="placeholder")
            if way is as_tagged and any(n.target.startswith("*") for n in inputs):
                continue  # it names inputs as PyTorch does, so **kwargs becomes kwargs
            made = way(fx.GraphModule(net, copy.deepcopy(gm.graph)))
            made.graph.lint()
            given = copy.deepcopy(x)
            if way is as_tagged:  # which leaves defaults out, as in PyTorch
                given = (*given, *(n.args[0] for n in inputs[len(given) :] if n.args))
            assert_same(made(*given), expected), way
            assert not [n for n in made.graph.nodes if n.op.startswith("call_") and not n.span], way


@pytest.mark.parametrize("way", [as_split, as_cse, as_sorted, as_fused_groups, as_folded])
@pytest.mark.parametrize("sign", [1, -1])
def test_if_and_loop_stay_whole(way, sign):
    gm = fx.symbolic_trace(branches_and_loops)
    made = way(gm)
    made.graph.lint()
    x = sign * torch.randn(3).abs()
    for got, expected in zip(made(x), branches_and_loops(x), strict=True):
        assert torch.equal(got, expected)


# Writes keep their places -----------------------------------------------------------------------------------------------------------------
def writing(x, y):
    a = x * 2
    b = a + 1
    a.mul_(y)
    c = y.sin()
    d = a + b
    a.add_(1)
    return d, a.cos(), c


def test_sorting_keeps_reads_before_writes():
    gm = fx.symbolic_trace(writing)
    x, y = torch.randn(3), torch.randn(3)
    expected = writing(x, y)
    assert_same(as_sorted(gm)(x, y), expected)
    graph = fx.Graph()
    v = graph.placeholder("v")
    last = graph.call_method("sin", (v,))  # v.sin(), behind the write of v though it stands first among what is ready
    write = graph.call_method("add_", (v, 1))
    graph.output((write, last))
    made = fx.GraphModule(nn.Module(), graph)
    assert [n.name for n in tools_common.legalize_graph(made).graph.nodes] == ["v", "sin", "add_", "output"]


def test_parts_run_in_the_order_of_their_writes():
    """The second part needs nothing that the first gives, but writes what the first reads."""
    graph = fx.Graph()
    v = graph.placeholder("v")
    before = graph.call_method("sin", (v,))
    write = graph.call_method("add_", (v, 1))
    graph.output((before, write))
    gm = fx.GraphModule(nn.Module(), graph)
    split = split_module(gm, None, lambda n: int(n is write))
    x = torch.zeros(2)
    assert split(x)[0].tolist() == [0.0, 0.0]
    assert x.tolist() == [1.0, 1.0]


def test_parts_that_would_reorder_a_write_are_refused():
    graph = fx.Graph()
    v = graph.placeholder("v")
    before = graph.call_method("sin", (v,))
    write = graph.call_method("add_", (v, 1))
    after = graph.call_method("cos", (v,))
    graph.output((before, write, after))
    gm = fx.GraphModule(nn.Module(), graph)
    with pytest.raises(RuntimeError, match="cycle exists between partitions!\nsubmod_0, submod_1 need each other"):
        split_module(gm, None, lambda n: int(n is write))
    support = create_op_support(lambda modules, n: n in (before, after))
    assert [p.size() for p in CapabilityBasedPartitioner(gm, support, allows_single_node_partition=True).propose_partitions()] == [1, 1]


def test_a_reader_runs_behind_the_group_that_writes():
    graph = fx.Graph()
    v, w = graph.placeholder("v"), graph.placeholder("w")
    write = graph.call_method("mul_", (v, 2))
    read = graph.call_method("sin", (v,))
    last = graph.call_method("cos", (w,))
    graph.output((read, last))
    gm = fuse_by_partitions(fx.GraphModule(nn.Module(), graph), [dict.fromkeys([write, last])])
    assert gm(torch.ones(2), torch.ones(2))[0].tolist() == torch.full((2,), 2.0).sin().tolist()


def test_a_group_of_writes_with_a_reader_between_is_refused():
    graph = fx.Graph()
    v = graph.placeholder("v")
    first = graph.call_method("mul_", (v, 2))
    read = graph.call_method("sin", (v,))
    second = graph.call_method("add_", (v, 1))
    graph.output((first, read, second))
    gm = fx.GraphModule(nn.Module(), graph)
    before = gm.code
    with pytest.raises(ValueError, match="must run both after and before each other.*sin, group 0"):
        fuse_by_partitions(gm, [dict.fromkeys([first, second])])
    assert gm.code == before


def test_tags_that_would_reorder_a_write_are_refused():
    def program(x):
        y = x.clone()
        before = y.sin()
        y.add_(1)
        return before, y

    gm = fx.symbolic_trace(program)
    for node in gm.graph.nodes:
        node.tag = "b" if node.name == "sin" else "a"
    with pytest.raises(AssertionError, match="Component a runs before b, but add_ must stay behind sin"):
        split_by_tags(gm, ["a", "b"])
    for node in gm.graph.nodes:
        node.tag = "b" if node.name == "add_" else "a"
    assert_same(split_by_tags(gm, ["a", "b"])(torch.ones(2)), program(torch.ones(2)))


def test_random_draws_keep_their_order():
    gm = fx.symbolic_trace(lambda x: (torch.rand_like(x) * 2, torch.rand_like(x) + x))
    torch.manual_seed(3)
    expected = gm(torch.ones(2))
    split = split_module(gm, None, lambda n: int(n.name in ("rand_like_1", "add")))
    torch.manual_seed(3)
    assert_same(split(torch.ones(2)), expected)


# Common subexpressions --------------------------------------------------------------------------------------------------------------------
def test_what_draws_or_reads_what_was_written_is_computed_again():
    def program(x):
        a, b = torch.rand_like(x), torch.rand_like(x)
        c = x.sin()
        y = x.clone()
        d = y.cos()
        y.add_(1)
        return a - b, c + x.sin(), d + y.cos()

    gm = fx.symbolic_trace(program)
    made = CSEPass()(gm).graph_module
    assert made.code.count("rand_like(") == 2
    assert made.code.count(".cos()") == 2
    torch.manual_seed(0)
    expected = program(torch.ones(2))
    torch.manual_seed(0)
    assert_same(made(torch.ones(2)), expected)


def test_what_a_block_writes_is_computed_again():
    def program(x, p):
        y = x.clone()
        a = torch.sin(y)
        if p.sum() > 0:
            y.add_(1)
        return a, torch.sin(y)

    made = CSEPass()(fx.symbolic_trace(program)).graph_module
    for p in (torch.ones(1), -torch.ones(1)):
        assert_same(made(torch.ones(2), p), program(torch.ones(2), p))


def test_dropout_in_training_is_drawn_twice():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(x) - self.drop(x)

    assert not CSEPass()(fx.symbolic_trace(Net())).modified
    assert CSEPass()(fx.symbolic_trace(Net().eval())).modified


def test_numbers_of_two_types_are_two_values():
    def program(x):
        return torch.add(x, 1), torch.add(x, 1.0), torch.add(x, True), torch.add(x, 0.0), torch.add(x, -0.0)

    assert not CSEPass()(fx.symbolic_trace(program)).modified


def test_banned_operators_come_from_their_records():
    banned = get_CSE_banned_ops()
    aten = torch.ops.aten
    assert {aten.rand_like, aten.bernoulli, aten.multinomial, aten.add_, aten.relu_, aten.randn} <= banned
    assert not {aten.add, aten.sin, aten.softmax, aten.view} & banned


# Random graphs ----------------------------------------------------------------------------------------------------------------------------
def random_module(rng, size):
    graph = fx.Graph()
    values = [graph.placeholder("x"), graph.placeholder("y")]
    own = []  # memory that the graph made itself, which may be written
    for _ in range(size):
        a, b = rng.choice(values[-7:]), rng.choice(values)
        if own and rng.random() < 0.2:
            values.append(graph.call_method("neg_", (rng.choice(own),)))
            continue
        made = graph.call_function(*rng.choice([(torch.sin, (a,)), (torch.add, (a, b)), (torch.neg, (a,)), (torch.mul, (a, b))]))
        own.append(made)
        values.append(made)
    graph.output(tuple(values[-4:]))
    return fx.GraphModule(nn.Module(), graph)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_that_write_keep_their_results(seed):
    """Groups and parts of random programs with writes: equal results, or a refusal."""
    rng = random.Random(seed)
    x, y = torch.randn(4), torch.randn(4)
    size = rng.randrange(6, 40)

    def fresh():
        return random_module(random.Random(seed + 1000), size)

    expected = fresh()(x.clone(), y.clone())
    wanted = {n.name for n in fresh().graph.nodes if rng.random() < 0.6}
    support = create_op_support(lambda modules, n: n.op.startswith("call_") and n.name in wanted)
    cut = rng.randrange(2, 5)
    ways = (
        as_sorted, as_cse, lambda gm: CapabilityBasedPartitioner(gm, support).partition_and_fuse(),
        lambda gm: split_module(gm, None, parts_of(gm, cut)), lambda gm: split_module(gm, None, lambda n: int(n.name in wanted)),
    )  # fmt: skip
    for number, way in enumerate(ways):
        try:
            made = way(fresh())
        except (RuntimeError, ValueError) as error:
            assert number in (2, 4) and ("cycle" in str(error) or "must run both" in str(error)), f"seed {seed}: {error}"
            continue
        for got, wanted_value in zip(made(x.clone(), y.clone()), expected, strict=True):
            assert torch.equal(got, wanted_value), f"seed {seed}, way {number}"


# The rest ---------------------------------------------------------------------------------------------------------------------------------
def test_modules_whose_paths_become_one_name_stay_two():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Sequential(nn.Linear(2, 2))
            self.a_0 = nn.Linear(2, 2)

        def forward(self, x):
            return self.a_0(self.a(x))

    net = Net()
    split = split_module(fx.symbolic_trace(net), None, lambda n: 0)
    assert sorted(dict(split.submod_0.named_children())) == ["a_0", "a_0_1"]
    x = torch.randn(1, 2)
    assert torch.equal(split(x), net(x))


def test_keep_original_order_names_what_is_missing():
    gm = fx.symbolic_trace(lambda x: torch.relu(torch.sin(x)) * torch.cos(x))
    numbers = {"sin": 1, "relu": 0, "cos": 0, "mul": 2}
    with pytest.raises(RuntimeError, match="keep_original_order|cycle"):
        split_module(gm, None, lambda n: 0 if n.name in ("sin", "mul") else 1, keep_original_order=True)
    split = split_module(gm, None, lambda n: numbers[n.name])
    assert torch.equal(split(torch.ones(2)), gm(torch.ones(2)))


def test_targets_are_replaced_in_blocks_too():
    gm = fx.symbolic_trace(branches_and_loops)
    graph_manipulation.replace_target_nodes_with(gm, "call_function", torch.relu, "call_method", "sigmoid")
    assert "relu" not in [n.target for n in gm.graph.nodes(recursive=True)]
    assert gm.code.count(".sigmoid()") == 4
    gm(torch.ones(2))


def test_sizes_of_nodes():
    gm = fx.symbolic_trace(nn.Sequential(nn.Linear(3, 4), nn.ReLU()))
    graph_manipulation.get_size_of_all_nodes(gm, [torch.ones(2, 3)])
    assert [tuple(n.size_bytes) for n in gm.graph.nodes if n.op != "output"] == [(24, 24), (32, 96), (32, 32)]


def test_sources_of_nodes():
    gm = fx.symbolic_trace(lambda x: torch.relu(torch.sin(torch.cos(x))))
    cos, sin, relu = gm.graph.find_nodes(op="call_function")
    for node in (cos, sin):
        node.meta["nn_module_stack"] = {"a": ("a", nn.Linear)}
    relu.meta["source_fn_stack"] = [("relu", torch.relu)]
    found = get_source_partitions(gm.graph, [nn.Linear, torch.relu])
    (linear,), (other,) = found[nn.Linear], found[torch.relu]
    assert (linear.nodes, [n.name for n in linear.input_nodes], linear.output_nodes) == ([cos, sin], ["x"], [sin])
    assert check_subgraphs_connected(linear, other)
    assert not check_subgraphs_connected(other, linear)
    relu.meta = {"nn_module_stack": {"a": ("a", "torch.nn.modules.linear.Linear")}}
    assert len(get_source_partitions(gm.graph, [nn.Linear])[nn.Linear][0].nodes) == 3


def test_groups_that_pass_numbers_stay_together():
    gm = fx.symbolic_trace(lambda x: torch.add(torch.sin(x), x.size(0)))
    ShapeProp(gm).propagate(torch.ones(3))
    nodes = {n.name: n for n in gm.graph.nodes}
    groups = tools_common.FxNetAccFusionsFinder(gm, {n for n in gm.graph.nodes if n.op.startswith("call")})()
    assert groups[nodes["size"]] == {nodes["size"], nodes["add"]}


def test_an_index_that_is_computed_is_no_tuple():
    """Of x[i] both x and i have no other user: PyTorch moves the node from one group to the other for ever."""
    gm = fx.symbolic_trace(lambda x, y: torch.relu(x)[torch.argmax(y)] + 1)
    support = create_op_support(lambda modules, n: n.op == "call_function" and n.target is not torch.relu)
    groups = CapabilityBasedPartitioner(gm, support).propose_partitions()
    assert [[n.name for n in g.nodes] for g in groups] == [["argmax", "getitem", "add"]]


def test_a_long_chain_of_nodes_needs_no_recursion():
    graph = fx.Graph()
    v = graph.placeholder("x")
    for _ in range(1000):
        v = graph.call_function(torch.neg, (v,))
    graph.output(v)
    gm = fx.GraphModule(nn.Module(), graph)
    support = create_op_support(lambda modules, n: n.op == "call_function")
    assert [p.size() for p in CapabilityBasedPartitioner(gm, support).propose_partitions()] == [1000]
    assert len(list(tools_common.stable_topological_sort(gm).graph.nodes)) == 1002
    assert len(split_module(gm, None, parts_of(gm, 2)).submod_0.graph.nodes) > 400


# Pictures ---------------------------------------------------------------------------------------------------------------------------------
def test_a_graph_as_dot(tmp_path):
    gm = fx.symbolic_trace(nn.Sequential(nn.Linear(3, 4), nn.ReLU()))
    ShapeProp(gm).propagate(torch.ones(2, 3))
    drawer = graph_drawer.FxGraphDrawer(gm, "net")
    text = drawer.get_dot_graph().to_string()
    assert text.startswith("digraph net {") and text.endswith("}\n")
    assert '_0 [label="{name=%_0|op_code=call_module' in text
    assert "torch.nn.modules.linear.Linear" in text and "shape=(2, 4)" in text
    assert '"_0.weight" -> _0;' in text and "input_1 -> _0;" in text
    assert drawer.get_all_dot_graphs() == {"net": drawer.get_main_dot_graph()}
    without = graph_drawer.FxGraphDrawer(gm, "net", ignore_parameters_and_buffers=True).get_dot_graph().to_string()
    assert "_0.weight" not in without
    assert drawer.get_dot_graph().write(tmp_path / "net.dot")
    assert (tmp_path / "net.dot").read_text() == text


def test_blocks_are_frames_and_calls_of_graph_modules_have_graphs():
    gm = fx.symbolic_trace(branches_and_loops)
    text = graph_drawer.FxGraphDrawer(gm, "blocks").get_dot_graph().to_string()
    assert text.count("subgraph ") == 3 and text.count("{\n") == 4
    split = split_module(fx.symbolic_trace(lambda x: torch.sin(torch.cos(x))), None, lambda n: int(n.name == "sin"))
    drawer = graph_drawer.FxGraphDrawer(split, "whole")
    assert sorted(drawer.get_all_dot_graphs()) == ["whole", "whole_submod_0", "whole_submod_1"]
    assert "sin" in drawer.get_dot_graph("submod_1").to_string()


def test_a_picture_without_graphviz_says_how_to_get_it(tmp_path, monkeypatch):
    dot = graph_drawer.FxGraphDrawer(fx.symbolic_trace(lambda x: x + 1), "net").get_dot_graph()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="needs the program `dot` of Graphviz; install it"):
        dot.write_svg(tmp_path / "net.svg")
    with pytest.raises(AttributeError, match="has no attribute 'draw'"):
        dot.draw()


def test_a_picture_is_drawn_by_graphviz(tmp_path, monkeypatch):
    """Of a `dot` that gives back what it is given."""
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho $1\ncat\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    dot = graph_drawer.FxGraphDrawer(fx.symbolic_trace(lambda x: x + 1), "net").get_dot_graph()
    dot.write_png(tmp_path / "net.png")
    assert (tmp_path / "net.png").read_text() == "-Tpng\n" + dot.to_string()
    assert dot.create_svg().startswith(b"-Tsvg\n")
    program.write_text("#!/bin/sh\necho wrong >&2\nexit 1\n")
    with pytest.raises(RuntimeError, match="failed on net: wrong"):
        dot.write_svg(tmp_path / "net.svg")

