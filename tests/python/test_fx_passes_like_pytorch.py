"""torch.fx.passes and torch.fx.experimental: the same programs here and in live PyTorch. Code, meta, groups of nodes and errors are equal."""

from __future__ import annotations

import pytest
from beside import TRY, both

pytestmark = pytest.mark.oracle

BEGIN = (
    TRY
    + """
import importlib, operator
def part(name):
    return importlib.import_module(f"{torch.__name__}.fx.{name}")
nn, fx = torch.nn, torch.fx

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, bias=False)
        self.bn = nn.BatchNorm2d(4)
        self.inner = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU())
        self.fc = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("shift", torch.zeros(2))
    def forward(self, x, flag=True):
        y = torch.relu(self.bn(self.conv(x)))
        z = self.inner(y) + y
        a, b = torch.split(z.mean((2, 3)) * self.scale, 2, dim=1)
        return self.fc(z.mean((2, 3))) + self.shift, {"parts": (a, b), "rows": z.size(0)}

def branches(x, y):
    a = torch.sin(x) + y
    b = torch.cos(a) * y
    c = a - b
    return torch.tanh(c), b

def text(gm):
    return [gm.code, *(c.code for c in gm.children() if hasattr(c, "code"))]

def described(value):
    if isinstance(value, (tuple, list)) and not hasattr(value, "shape"):
        return [described(v) for v in value]
    if isinstance(value, dict):
        return {k: described(v) for k, v in value.items()}
    if hasattr(value, "shape"):
        return [list(value.shape), str(value.dtype), value.requires_grad, list(value.stride), str(getattr(value, "memory_format", None))]
    return str(value)
"""
)


def test_shape_prop(oracle):
    both(
        oracle,
        BEGIN
        + """
ShapeProp = part("passes.shape_prop").ShapeProp
gm = fx.symbolic_trace(Net())
ShapeProp(gm).propagate(torch.ones(2, 3, 8, 8))
result = [(n.name, described(n.meta.get("tensor_meta")), n.meta["type"].__name__) for n in gm.graph.nodes]
channels_last = fx.symbolic_trace(lambda x: torch.relu(x).transpose(1, 2))
ShapeProp(channels_last).propagate(torch.ones(2, 3, 8, 8).contiguous(memory_format=torch.channels_last))
result += [(n.name, described(n.meta.get("tensor_meta"))) for n in channels_last.graph.nodes]
wrong = fx.symbolic_trace(lambda x, y: x @ y)
result.append(attempt(lambda: ShapeProp(wrong).propagate(torch.ones(2, 3), torch.ones(2, 3)))[0].splitlines()[0])
""",
    )


def test_fake_tensor_prop(oracle):
    both(
        oracle,
        BEGIN
        + """
FakeTensorProp = part("passes.fake_tensor_prop").FakeTensorProp
def sizes(v):
    if isinstance(v, (tuple, list)):
        return [sizes(x) for x in v]
    if isinstance(v, dict):
        return {k: sizes(x) for k, x in v.items()}
    return [list(v.shape), str(v.dtype), list(v.stride())] if hasattr(v, "stride") else v
mode = importlib.import_module(torch.__name__ + "._subclasses").FakeTensorMode(allow_non_fake_inputs=True)
gm = fx.symbolic_trace(Net())
FakeTensorProp(gm, mode).propagate(torch.ones(2, 3, 8, 8))
result = [(n.name, sizes(n.meta["val"])) for n in gm.graph.nodes if n.name != "flag"]
made = fx.symbolic_trace(lambda x: (x + 1, x[:, ::2].t(), x.expand(4, 2, 3), x.to(torch.int64)))
FakeTensorProp(made).propagate(torch.ones(2, 3))
result += [(n.name, sizes(n.meta.get("val"))) for n in made.graph.nodes]
""",
    )


@pytest.mark.parametrize(
    "options",
    ["", "keep_original_order=True", "keep_original_node_name=True", "keep_original_input_name=False", "partition_affix='pp'", "tuple_return=True"],
)
def test_split_module(oracle, options):
    both(
        oracle,
        BEGIN
        + f"""
split_module = part("passes.split_module").split_module
result = []
for program in (Net(), branches):
    for rule in (lambda i: i // 4, lambda i: i // 2):
        gm = fx.symbolic_trace(program)
        place = {{n: i for i, n in enumerate(gm.graph.nodes)}}
        names = {{}}
        split = split_module(gm, None, lambda n: rule(place[n]), names, {options})
        result.append((text(split), names, sorted(split.meta["partition_names"])))
gm = fx.symbolic_trace(branches)
place = {{n: i for i, n in enumerate(gm.graph.nodes)}}
result.append(attempt(lambda: split_module(gm, None, lambda n: place[n] % 2, {options}))[0].splitlines()[0] if not "{options}" else None)
x = torch.arange(3.0)
result.append(list(split(x, x)))
""",
    )


def test_split_module_simple(oracle):
    both(
        oracle,
        BEGIN
        + """
split_module_simple = part("passes.split_module").split_module_simple
gm = fx.symbolic_trace(branches)
calls = [n for n in gm.graph.nodes if n.op not in ("placeholder", "output")]
split = split_module_simple(gm, {n: i // 2 for i, n in enumerate(calls)}, partition_affix="s")
x = torch.arange(3.0)
for child in split.children():
    child.recompile()
split.recompile()
result = (text(split), list(split(x, x)))
""",
    )


def test_operator_support(oracle):
    both(
        oracle,
        BEGIN
        + """
support = part("passes.operator_support")
tools = part("passes.tools_common")
gm = fx.symbolic_trace(Net())
part("passes.shape_prop").ShapeProp(gm).propagate(torch.ones(2, 3, 8, 8))
modules = dict(gm.named_modules())
calls = [n for n in gm.graph.nodes if n.op in tools.CALLABLE_NODE_OPS]
result = [tools.get_node_target(modules, n) for n in calls]
f32, i64 = [torch.float32], [torch.int64]
table = support.OperatorSupport({
    "torch.relu": None, "_operator.add": ((f32, i64), {}), "torch.nn.modules.conv.Conv2d": ((f32,), {}), "mean": ((i64,), {}), "_operator.mul": ((f32, f32), {}),
})
class Methods(support.OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return node.op == "call_method"
result += [[s.is_node_supported(modules, n) for n in gm.graph.nodes] for s in (
    table, support.any_chain(table, Methods()), support.chain(table, support.OpSupports.decline_if_node_in_names({"relu"})),
    support.OpSupports.decline_if_input_dtype(torch.float32),
)]
result.append([tools.is_node_output_tensor(n) for n in gm.graph.nodes])
""",
    )


def test_partitioner(oracle):
    both(
        oracle,
        BEGIN
        + """
import random
partitioner = part("passes.infra.partitioner")
support = part("passes.operator_support")
result = []
for seed in range(60):
    rng = random.Random(seed)
    graph = fx.Graph()
    values = [graph.placeholder("x"), graph.placeholder("y")]
    for _ in range(rng.randrange(4, 40)):
        a, b = rng.choice(values[-7:]), rng.choice(values)
        values.append(graph.call_function(*rng.choice([(torch.sin, (a,)), (torch.add, (a, b)), (torch.neg, (a,)), (torch.sub, (a, b)), (operator.mul, (a, b))])))
    graph.output(tuple(values[-3:]))
    gm = fx.GraphModule(nn.Module(), graph)
    wanted = {n.name for n in graph.nodes if rng.random() < 0.6}
    class Some(support.OperatorSupportBase):
        def is_node_supported(self, submodules, node):
            return node.op == "call_function" and node.name in wanted
    for options in ({}, {"allows_single_node_partition": True}, {"skip_horizontal_fusion": True}, {"non_compute_ops": ["torch.neg", "_operator.mul"]}):
        found = partitioner.CapabilityBasedPartitioner(gm, Some(), **options)
        groups = found.propose_partitions()
        result.append([[n.name for n in g.nodes] for g in groups])
        found.remove_bookend_non_compute_ops(groups)
        result.append([[n.name for n in g.nodes] for g in groups])
    fused = partitioner.CapabilityBasedPartitioner(gm, Some()).partition_and_fuse()
    x = torch.arange(3.0) / 4
    result.append((text(fused), list(fused(x, x + 1))))
""",
    )


def test_parts_of_tuples_stay_with_the_tuple(oracle):
    both(
        oracle,
        BEGIN
        + """
partitioner = part("passes.infra.partitioner")
support = part("passes.operator_support")
def f(x):
    a, b = torch.split(torch.relu(x), 2)
    return torch.add(a, b) + torch.sub(a, 1)
gm = fx.symbolic_trace(f)
class Some(support.OperatorSupportBase):
    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and node.target is not operator.getitem
found = partitioner.CapabilityBasedPartitioner(gm, Some())
groups = found.propose_partitions()
result = [[n.name for n in g.nodes] for g in groups]
result += text(found.fuse_partitions(groups, prefix="part_"))
""",
    )


def test_fuser_utils(oracle):
    both(
        oracle,
        BEGIN
        + """
fuser = part("passes.utils.fuser_utils")
gm = fx.symbolic_trace(branches)
nodes = {n.name: n for n in gm.graph.nodes}
result = [[n.name for n in fuser.topo_sort([nodes[k] for k in ("mul", "cos", "add", "sin")])]]
result += [fuser.validate_partition([nodes[k] for k in names]) for names in (("sin", "add"), ("sin", "cos"), ("add", "sub"))]
sub, inputs, outputs = fuser.fuse_as_graphmodule(gm, [nodes["add"], nodes["cos"], nodes["mul"]], "Part")
result += [sub.code, type(sub).__name__, [n.name for n in inputs], [n.name for n in outputs]]
result.append(attempt(lambda: fuser.fuse_as_graphmodule(gm, [nodes["add"], nodes["sub"]], "Part"))[0])
fuser.fuse_by_partitions(gm, [dict.fromkeys([nodes["cos"], nodes["mul"]])], always_return_tuple=True)
result += text(gm)
common = part("passes.utils.common")
result += [common.compare_graphs(fx.symbolic_trace(branches).graph, fx.symbolic_trace(f).graph) for f in (branches, lambda x, y: (x, y))]
""",
    )


def test_matcher_with_names(oracle):
    both(
        oracle,
        BEGIN
        + """
Matcher = part("passes.utils.matcher_with_name_node_map_utils").SubgraphMatcherWithNameNodeMap
def pattern(x, w):
    y = torch.matmul(x, w)
    return torch.relu(y), {"product": y}
def target(a, b):
    return torch.relu(torch.matmul(a, b)) * 2
class Traced(nn.Module):
    def forward(self, x, w):
        return pattern(x, w)
gm = fx.symbolic_trace(Traced())
if not hasattr(gm, "_out_spec") and torch.__name__ == "torch":  # PyTorch takes patterns of export only
    from torch.utils._pytree import tree_flatten
    from torch.fx.graph import _PyTreeCodeGen, _PyTreeInfo
    out = gm.graph.output_node()
    flat, spec = tree_flatten(out.args[0])
    out.args = (flat,)
    gm.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(["x", "w"], tree_flatten(((1, 2), {}))[1], spec))
    gm.recompile()
    gm._in_spec, gm._out_spec = None, spec
result = [{k: v.name for k, v in m.name_node_map.items()} for m in Matcher(gm).match(fx.symbolic_trace(target).graph)]
""",
    )


def test_orders(oracle):
    both(
        oracle,
        BEGIN
        + """
tools = part("passes.tools_common")
result = []
for sort in (tools.legalize_graph, tools.stable_topological_sort):
    gm = fx.symbolic_trace(branches)
    nodes = {n.name: n for n in gm.graph.nodes}
    nodes["tanh"].append(nodes["sin"])
    nodes["sub"].append(nodes["cos"])
    result.append([n.name for n in sort(gm).graph.nodes])
    gm = fx.symbolic_trace(Net())
    result.append([n.name for n in sort(gm).graph.nodes])
    nodes = {n.name: n for n in gm.graph.nodes}
    nodes["conv"].args = (nodes["bn"],)
    result.append(attempt(lambda: sort(gm))[0])
""",
    )


def test_pass_managers(oracle):
    both(
        oracle,
        BEGIN
        + """
base, infra, old = part("passes.infra.pass_base"), part("passes.infra.pass_manager"), part("passes.pass_manager")
log = []
class Rename(base.PassBase):
    def __init__(self, old, new):
        self.old, self.new = old, new
    def requires(self, gm):
        log.append("before")
    def ensures(self, gm):
        log.append("after")
    def call(self, gm):
        changed = False
        for n in gm.graph.nodes:
            if n.op == "call_function" and n.target is self.old:
                n.target, changed = self.new, True
        return base.PassResult(gm, changed)
first, second = Rename(torch.sin, torch.cos), Rename(torch.cos, torch.tanh)
manager = infra.PassManager([second, first], steps=3, run_checks_after_each_pass=True)
manager.add_constraint(infra.this_before_that_pass_constraint(first, second))
manager.add_checks(lambda gm: log.append("check"))
found = manager(fx.symbolic_trace(branches))
result = [found.modified, found.graph_module.code, log]
result.append(attempt(lambda: infra.PassManager([lambda gm: None])(fx.symbolic_trace(branches)))[0])
result.append(attempt(lambda: infra.PassManager().add_checks(lambda a, b: None))[0])
def a(gm): pass
def b(gm): return gm
circle = infra.PassManager([a, b], [infra.this_before_that_pass_constraint(a, b), infra.this_before_that_pass_constraint(b, a)])
result.append(attempt(circle.solve_constraints)[0].split(":")[1])
order = infra.PassManager([b, a], [infra.this_before_that_pass_constraint(a, b)])
result.append(attempt(order.validate_constraints)[0].split(".")[0])
order.solve_constraints()
result.append([p.__name__ for p in order.passes])
result.append([infra.pass_result_wrapper(p)(fx.symbolic_trace(branches)).modified for p in (a, b)])

def double(x): return x * 2
def add(x): x.append(1)
manager = old.PassManager([old.loop_pass(double, 3), double])
result.append([manager(3), old.inplace_wrapper(add)([5]), old.loop_pass(double, predicate=lambda x: x < 50)(3)])
manager.add_constraint(old.these_before_those_pass_constraint(double, add))
manager.replace_pass(double, old.log_hook(double))
result.append(manager(1))
manager.remove_pass(["double"])
result += [manager(1), attempt(lambda: old.loop_pass(double))[0], attempt(lambda: old.loop_pass(double, 0)(1))[0]]
""",
    )


def test_graph_manipulation(oracle):
    both(
        oracle,
        BEGIN
        + """
change = part("passes.graph_manipulation")
gm = fx.symbolic_trace(lambda x: torch.relu(x).sum())
change.get_size_of_all_nodes(gm, [torch.ones(2, 3)])
result = [tuple(n.size_bytes) for n in gm.graph.nodes if n.op != "output"]
change.replace_target_nodes_with(gm, "call_function", torch.relu, "call_method", "tanh")
change.replace_target_nodes_with(gm, "call_method", "sum", "call_method", "mean")
result += [gm.code, gm(torch.ones(2))]
result.append(attempt(lambda: change.get_tensor_meta(next(iter(fx.symbolic_trace(branches).graph.nodes))))[0])
fetch = part("passes.param_fetch")
gm = fx.symbolic_trace(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)))
fetch.lift_lowering_attrs_to_nodes(gm)
result += [[(k, v) for k, v in n.attrs_for_lowering.items() if not hasattr(v, "shape")] for n in gm.graph.nodes if n.op == "call_module"]
""",
    )


def test_split_by_tags(oracle):
    both(
        oracle,
        BEGIN
        + """
split = part("passes.split_utils")
result = []
for return_tuple in (False, True):
    gm = fx.symbolic_trace(Net())
    for i, n in enumerate(gm.graph.nodes):
        n.tag = f"part_{i // 5}"
    made, moved = split.split_by_tags(gm, [f"part_{i}" for i in range(5)], return_fqn_mapping=True, return_tuple=return_tuple)
    result.append((text(made), moved))
gm = fx.symbolic_trace(branches)
for i, n in enumerate(gm.graph.nodes):
    n.tag = "later" if n.name == "sin" else "first"
result.append(attempt(lambda: split.split_by_tags(gm, ["first", "later"]))[0])
holder = nn.Sequential(nn.Linear(2, 2))
split.setattr_recursive(holder, "0.bias", None)
result += [split.getattr_recursive(holder, "0.bias"), split.getattr_recursive(holder, "0.x.y"), split.getattr_recursive(holder, "0.in_features")]
""",
    )


def test_splitter(oracle):
    both(
        oracle,
        BEGIN
        + """
base, support = part("passes.splitter_base"), part("passes.operator_support")
def f(x, y):
    a = torch.sin(x)
    b = torch.cos(a)
    n = b.size(0)
    c = torch.add(b, n)
    return torch.tanh(torch.sub(c, y))
class Some(support.OperatorSupportBase):
    def __init__(self, names):
        self.names = names
    def is_node_supported(self, submodules, node):
        return node.name in self.names
result = []
for names in ({"cos"}, {"sin", "cos", "add"}, {"size_1", "size", "add", "cos"}, {"sub"}):
    for options in ({}, {"min_acc_module_size": 2}, {"allow_non_tensor": True}, {"skip_fusion": True, "allow_non_tensor": True}):
        gm = fx.symbolic_trace(f)
        x = torch.arange(3.0)
        splitter = base._SplitterBase(gm, (x, x + 1), Some(names), base._SplitterSettingBase(**options))
        made = splitter()
        result.append((text(made), splitter.get_node_submodule_map(), made(x, x + 1)))
gm = fx.symbolic_trace(branches)
splitter = base._SplitterBase(gm, (x, x), Some({"sin", "cos"}), base._SplitterSettingBase())
result += [splitter.node_support_preview(), splitter.split_preview()]
gm = fx.symbolic_trace(branches)
found = base._SplitterBase(gm, (x, x), Some({"sin", "cos"}), base._SplitterSettingBase()).generate_split_results()
result.append({k: [list(v.shape) for v in given] for k, given in found.submodule_inputs.items()})
tracker = base.NodeEventTracker(0, "")
nodes = list(gm.graph.nodes)
tracker.add(nodes[0], "first"); tracker.add(nodes[1], "second", nodes[0])
lines = []
tracker.print_all(lines.append); tracker.print_node(nodes[1].name, recursive=True, writer=lines.append)
result += [lines, tracker.to_dict()]
""",
    )


def test_cse(oracle):
    both(
        oracle,
        BEGIN
        + """
cse = part("passes.dialect.common.cse_pass")
def f(a, b):
    x = torch.add(torch.sin(a), 1) * torch.add(torch.sin(a), 1)
    return x + torch.add(torch.sin(b), 1), torch.sum(a, dim=0) + torch.sum(a, dim=0)
found = cse.CSEPass()(fx.symbolic_trace(f))
result = [found.modified, found.graph_module.code, cse.CSEPass(banned_ops={torch.sin})(fx.symbolic_trace(f)).graph_module.code, cse.CSEPass()(found.graph_module).modified]
""",
    )


def test_optimization(oracle):
    both(
        oracle,
        BEGIN
        + """
optimization = part("experimental.optimization")
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.drop = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(0.5)
        self.down = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        self.fc, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)
        self.both, self.after = nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)
    def forward(self, x):
        x = self.drop(self.down(self.bn(self.conv(x))))
        y = self.both(x)
        return self.norm(self.fc((self.after(y) + y).mean((2, 3))))
model = Model().eval()
for k, p in enumerate((*model.parameters(), *model.buffers())):
    if p.is_floating_point():
        p.data.copy_((torch.arange(p.numel()).float() % 7 / 10 + 0.1 * (k % 5) + 0.05).reshape(p.shape))
x = torch.arange(2 * 3 * 5 * 5).float().reshape(2, 3, 5, 5) % 11 / 7
fused = optimization.fuse(model)
result = [fused.code, fused(x).detach(), [type(m).__name__ for m in fused.modules()]]
result += [optimization.remove_dropout(model).code, optimization.optimize_for_inference(model, {"mkldnn_layout_optimize": False}).code]
result += [attempt(lambda: optimization.optimize_for_inference(model, c))[0] for c in ({"mkldnn_layout_optimize": 1}, {"mkldnn_layout_optimize": {}})]
gm = fx.symbolic_trace(branches)
n = {n.name: n for n in gm.graph.nodes}
result.append(optimization.extract_subgraph(gm, [n["cos"], n["mul"]], [n["add"], n["y"]], [n["mul"], n["cos"]]).code)
""",
    )


def test_merge_matmul(oracle):
    both(
        oracle,
        BEGIN
        + """
merge = part("experimental.merge_matmul").merge_matmul
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(6.0).reshape(3, 2))
    def forward(self, a, b, c):
        x, y = torch.matmul(a, self.w), torch.matmul(b, self.w)
        return x.sum() + y.sum(), torch.matmul(c, x.t()), torch.matmul(a, c)
a, b = torch.ones(4, 3), torch.arange(6.0).reshape(2, 3)
made = merge(Model())
made.graph.eliminate_dead_code()  # PyTorch reads self.w twice
lines = [line for line in made.recompile().src.replace("w_1", "w").splitlines() if "matmul" in line or "split" in line]
result = [lines, [v.detach() for v in made(a, b, torch.ones(3, 2))]]
""",
    )


def test_const_fold(oracle):
    both(
        oracle,
        BEGIN
        + """
fold = part("experimental.const_fold")
class Model(nn.Module):
    def __init__(self, constant=True):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.arange(3.0)), nn.Parameter(torch.ones(3))
        self.constant = constant
    def forward(self, x):
        if not self.constant:
            return x + self.a
        c = torch.sin(self.a) + self.b
        d = self.a * self.b
        return (x + c) * d, self.b
model = Model()
folded = fold.split_const_subgraphs(model)
x = torch.ones(3)
def calls(gm):
    return [n.target.__name__ for n in gm.graph.nodes if n.op == "call_function"]
result = [calls(folded.const_subgraph_module), calls(folded), [v.detach() for v in folded(x)], folded.has_folding_been_run, len(list(folded._FX_CONST_FOLDED_ATTRS))]
result += [fold.split_const_subgraphs(Model(False)).const_subgraph_module is None]
skipped = fold.split_const_subgraphs(Model(), skip_folding_node_fn=lambda n: n.target is torch.sin)
result += [calls(skipped.const_subgraph_module), [v.detach() for v in skipped(x)]]
result += [fold.get_unique_attr_name_in_module(model, name) for name in ("a", "0x", "b.c", "new")]
""",
    )


def test_normalize(oracle):
    both(
        oracle,
        BEGIN
        + """
normalize = part("experimental.normalize")
F = nn.functional
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.conv = nn.Linear(3, 3), nn.Conv1d(1, 1, 1)
    def forward(self, x):
        x = F.relu(F.dropout(self.fc(x), 0.3, training=False))
        return torch.flatten(F.layer_norm(x, (3,)), 1), torch.relu(x)
gm = fx.symbolic_trace(Model())
part("passes.shape_prop").ShapeProp(gm).propagate(torch.ones(2, 3))
result = [normalize.NormalizeArgs(gm).transform().code]
result += [normalize.NormalizeArgs(gm, normalize_to_only_use_kwargs=False).transform().code]
f = lambda x, y: torch.add(x, y) * torch.eq(torch.mul(x, 2), torch.div(x, y)) + torch.sub(x, y)
result.append(normalize.NormalizeOperators(fx.symbolic_trace(f)).transform().code)
schemas = part("operator_schemas")
result += [tuple(schemas.normalize_function(*call)) for call in (
    (F.relu, (1,)), (F.layer_norm, (1, (2,))), (torch.nn.functional.interpolate, (1, 2)), (torch.ops.aten.softmax.int, (1, 0)),
)]
result += [tuple(schemas.normalize_function(torch.ops.aten.softmax.int, (1, 0), normalize_to_only_use_kwargs=True))]
result += [schemas.type_matches(a, b) for a, b in ((int, int), (float, int), (list[int], int), (list[int], list[int]), (torch.Tensor, nn.Parameter), (int, torch.dtype))]
result += [str(schemas.create_type_hint(v)) for v in ([int, int], (int, bool), [int, str], [], int)]
n = {n.name: n for n in gm.graph.nodes}
result += [[k for k in n[name].normalized_arguments(gm, normalize_to_only_use_kwargs=True).kwargs] for name in ("fc", "relu", "dropout")]
""",
    )


def test_codegen(oracle):
    both(
        oracle,
        BEGIN
        + """
class Listed(fx.CodeGen):
    def gen_fn_def(self, free_vars, maybe_return_annotation):
        return f"def forward(self, args_list){maybe_return_annotation}:\\n    {', '.join(free_vars)} = args_list"
    def additional_globals(self):
        return [("Number", float)]
    def generate_output(self, output_args):
        return f"return list({repr(output_args)})"
    def process_inputs(self, *inputs):
        return inputs[0]
gm = fx.symbolic_trace(branches)
gm.graph.set_codegen(Listed())
gm.recompile()
x = torch.arange(3.0)
result = [gm.code, gm([x, x]), [list(fx.Interpreter(gm).run([x, x]))]]
gm = fx.symbolic_trace(branches)
def noted(before):
    return lambda body: ["note = 1\\n", *(before(body) if before else body)]
with gm.graph.on_generate_code(noted):
    gm.recompile()
    result += [gm.code]
    with gm.graph.on_generate_code(noted):
        gm.recompile()
        result += [gm.code]
gm.recompile()
result += [gm.code, gm.graph.python_code("self").src, gm.graph.python_code("self", expanded_def=True).src, gm.graph.python_code("root").src]
result += [fx.CodeGen().gen_fn_def(["a", "b"], " -> int"), fx.CodeGen().generate_output((1, 2)), fx.CodeGen().gen_fn_def(["a"], "", expanded_def=True)]
result += [fx.CodeGen().generate_output([1, 2], descs=["one", "two"])]
""",
    )


def test_nodes_as_text(oracle):
    both(
        oracle,
        BEGIN
        + """
gm = fx.symbolic_trace(Net())
result = [n.format_node() for n in gm.graph.nodes if n.name != "split"]
node = part("node")
result += [node._get_qualified_name(f) for f in (torch.relu, operator.add, torch.nn.functional.relu, torch.ops.aten.add.Tensor, len)]
result += [node._format_arg(a, 2) for a in ((1, 2, 3), [1], (1,), {"a": (1, [2])}, slice(1, None))]
""",
    )


def test_tracer_and_modules(oracle):
    both(
        oracle,
        BEGIN
        + """
class Pair(metaclass=fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right
    def add(self, other):
        return Pair(self.left + other.left, self.right + other.right)
Pair.__module__ = "pairs"
def f(x, y):
    return x.add(Pair(y, y)).add(x)
gm = fx.symbolic_trace(f)
x, y = Pair(torch.ones(2), torch.zeros(2)), torch.full((2,), 3.0)
made = gm(x, y)
result = [gm.code, made.left, made.right]
tracer = fx.Tracer()
tracer.root = nn.Module()
names = []
for _ in range(3):
    names.append(tracer.get_fresh_qualname("_t"))
    setattr(tracer.root, names[-1], 1)
result.append(names)
class Constant(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 3))
    def forward(self, x):
        return x.reshape(self.w.shape) * self.w.numel() if self.w.dim() == 2 else x
result.append(str(fx.Tracer(param_shapes_constant=True).trace(Constant())))
class Renamed(fx.Tracer):
    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        fn, args = super().create_args_for_root(root_fn, is_module, concrete_args)
        for n in self.graph.nodes:
            n.meta["seen"] = True
        return fn, args
result.append([n.meta.get("seen") for n in Renamed().trace(branches).nodes])
net = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
net.set_submodule("1.0", nn.Tanh())
net.set_submodule("1.new", nn.Sigmoid())
result.append(str(net))
result += [attempt(lambda: net.set_submodule(*a))[0] for a in (("", nn.ReLU()), ("2.x", nn.ReLU()), ("1.y", nn.ReLU(), True), ("0.in_features", nn.ReLU()))]
scope = part("proxy").Scope("", None)
with part("proxy").ScopeContextManager(scope, part("proxy").Scope("a.b", int)) as inside:
    result.append((inside.module_path, inside.module_type.__name__))
result.append((scope.module_path, scope.module_type))
""",
    )


def test_traceback(oracle):
    both(
        oracle,
        BEGIN
        + """
tb = part("traceback")
result = []
with tb.preserve_node_meta():
    with tb.annotate({"stage": 1}):
        with tb.annotate({"part": 2}):
            result.append(dict(tb.get_current_meta()["custom"]))
            gm = fx.symbolic_trace(branches)
        result.append(dict(tb.get_current_meta()["custom"]))
        tb.set_stack_trace(["one\\n", "two\\n"])
        result.append(tb.format_stack())
        node = next(iter(gm.graph.nodes))
        node.meta["mark"] = 1
        with tb.set_current_meta(node, "mine"):
            result.append((tb.get_current_meta()["mark"], tb.get_current_meta()["from_node"][0].name))
        tb.set_grad_fn_seq_nr(3); tb.set_grad_fn_seq_nr(4); tb.reset_grad_fn_seq_nr()
        result.append((tb.get_current_meta()["grad_fn_seq_nr"], tb.get_current_meta()["in_grad_fn"]))
    result.append("custom" in tb.get_current_meta())
result += [tb.has_preserved_node_meta(), "stack_trace" in tb.get_current_meta(), isinstance(tb.format_stack(), list)]
result.append([n.meta.get("custom") for n in gm.graph.nodes])
@tb.annotate_fn({"a": 1})
def f():
    return dict(tb.get_current_meta()["custom"])
result.append(f())
""",
    )


def test_make_fx(oracle):
    both(
        oracle,
        BEGIN
        + """
make_fx = part("experimental.proxy_tensor").make_fx
aten = torch.ops.aten
def f(x, y):
    return torch.sin(x) * torch.cos(y).sum(1, keepdim=True), x.relu()
x, y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
gm = make_fx(f)(x, y)
result = [gm.code, list(gm(x, x)), [n.target is aten.sin.default for n in gm.graph.nodes]]
made = make_fx(f, decomposition_table={aten.sin.default: lambda x: torch.cos(x - 1)})(x, x)
result += [any(n.target == aten.sin.default for n in made.graph.nodes), made(x, x)[0]]
cse = part("passes.dialect.common.cse_pass")
found = cse.CSEPass(banned_ops=cse.get_CSE_banned_ops())(make_fx(lambda x: torch.sin(x) + torch.sin(x) * torch.rand_like(x) * torch.rand_like(x))(x))
result += [found.graph_module.code.count("sin"), found.graph_module.code.count("rand_like.default")]
result.append(attempt(lambda: make_fx(f, tracing_mode="other")(x, x))[0])
""",
    )


def test_reinplace(oracle):
    both(
        oracle,
        BEGIN
        + """
make_fx = part("experimental.proxy_tensor").make_fx
reinplace = part("passes.reinplace").reinplace
aten = torch.ops.aten
def chain(x):
    a = x.sin(); b = a.cos(); c = b.relu(); return c * b
def view(x):
    a = x.clone(); b = a.view(-1); c = b.sin(); return c
def kept(x):
    a = x.clone(); b = a.view(-1); c = a.sin(); return b + x.view(-1), c
def filled(x):
    a = x.clone(); b = aten.diagonal.default(a, 0, 0, 1); c = b.sin(); return aten.diagonal_scatter.default(a, c, 0, 0, 1)
def selected(x):
    a = x.clone(); b = aten.select.int(a, 0, 1); c = b.sin(); return aten.select_scatter.default(a, c, 0, 1)
def other_dtype(x):
    a = x.sin(); return aten.ge.Tensor(a, x)
def larger(x):
    a = x.sum(0, keepdim=True); return aten.mul.Tensor(a, x)
def twice(x):
    a = x.clone(); return aten.mul.Tensor(a, a)
x = torch.arange(9.0).reshape(3, 3)
result = []
for f in (chain, view, kept, filled, selected, other_dtype, larger, twice):
    gm = make_fx(f)(x)
    before = gm(x)
    reinplace(gm, x)
    after = gm(x)
    result.append((f.__name__, [str(n.target) for n in gm.graph.nodes if n.op == "call_function"], before, after))
""",
    )


def test_types(oracle):
    both(
        oracle,
        BEGIN
        + """
types, getitems = part("tensor_type"), part("passes.annotate_getitem_nodes")
annotate = part("annotate").annotate
T, Dyn = types.TensorType, types.Dyn
pairs = ((T((1, 2)), T((1, Dyn))), (T((1, Dyn)), T((1, 2))), (Dyn, T((1,))), (T((1,)), T((1, 2))), (3, 3), (T((1,)), 3))
result = [str(T((1, Dyn))), T((1, 2)) == T([1, 2])]
result += [(types.is_consistent(a, b), types.is_more_precise(a, b)) for a, b in pairs]
def f(x):
    y = annotate(torch.relu(x), int)
    return y[0], y[1], annotate(3, int)
gm = fx.symbolic_trace(f)
result.append(gm.code)
for kind in (list[int], tuple[int, float], tuple[float, ...]):
    gm.graph.find_nodes(op="call_function", target=torch.relu)[0].type = kind
    getitems.annotate_getitem_nodes(gm.graph)
    result.append([str(n.type) for n in gm.graph.find_nodes(op="call_function", target=operator.getitem)])
tracing = part("_symbolic_trace").is_fx_tracing
seen = []
fx.symbolic_trace(lambda x: (seen.append(tracing()), x)[1])
result += [seen, tracing()]
""",
    )
