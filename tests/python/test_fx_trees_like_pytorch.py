"""concrete_args with lists and dicts, the CodeGen of trees, and what tracers and print_readable say: the same programs here and in live PyTorch."""

from __future__ import annotations

import pytest
from beside import TRY, both

pytestmark = pytest.mark.oracle

BEGIN = (
    TRY
    + """
import collections, copy, importlib
def part(name):
    return importlib.import_module(f"{torch.__name__}.{name}")
nn, fx, pytree = torch.nn, torch.fx, part("utils._pytree")
PH = fx.PH
x = torch.arange(4.0).reshape(2, 2)
"""
)


def test_lists_and_dicts_of_a_function(oracle):
    both(
        oracle,
        BEGIN
        + """
def f(x, inputs, pair):
    return {"sum": x + inputs["a"], "parts": [x * inputs["b"][0], (pair[1],)]}
gm = fx.symbolic_trace(f, {"inputs": {"a": PH, "b": [PH]}, "pair": (PH, PH)})
given = x, {"a": x + 1, "b": [x * 2]}, (x, x - 1)
flat = gm.graph.process_inputs(*given)
info = gm.graph._codegen.pytree_info
result = [gm.code, str(gm.graph), gm(*given), type(flat).__name__, flat, info.orig_args, str(info.in_spec), str(info.out_spec), type(gm.graph._codegen).__name__]
result += [fx.Interpreter(gm).run(*given), fx.Interpreter(gm).run(*flat, enable_io_processing=False), str(gm._in_spec), str(gm._out_spec)]
result += [fx.Interpreter(gm).boxed_run(list(flat)), gm.graph.process_outputs(fx.Interpreter(gm).run(*flat, enable_io_processing=False))]
result += [gm.graph.python_code("self", expanded_def=True).src, gm.print_readable(False)]
for made in (fx.Transformer(gm).transform(), copy.deepcopy(gm), fx.GraphModule(gm, copy.deepcopy(gm.graph))):
    result += [made.code, made(*given)]
relu = next(n for n in gm.graph.nodes if n.op == "call_function")
with gm.graph.inserting_after(relu):
    new = gm.graph.call_function(torch.tanh, (relu,))
relu.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
gm.recompile()
result += [gm.code, gm(*given), attempt(lambda: gm(x, {"a": x}, (x, x)))[0]]
gm.graph.set_codegen(fx.CodeGen())
gm.recompile()
result += [gm.code, gm(*flat)]
""",
    )


def test_a_module_with_namedtuples_and_annotations(oracle):
    both(
        oracle,
        BEGIN
        + """
Point = collections.namedtuple("Point", "x y")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        for p in self.parameters():
            nn.init.constant_(p, 0.5)
    def forward(self, p, y: torch.Tensor, *, flag) -> torch.Tensor:
        out = self.fc(p.x) + p.y
        return [Point(out, y), {"k": (out if flag else y,)}]
gm = fx.symbolic_trace(Net(), {"p": Point(PH, PH), "flag": True})
given = Point(x, x), x
# PyTorch's placeholders are followed by the checks of their arguments, so the whole graphs differ.
result = [gm.code.split("eq =")[0].strip(), [v.detach() for v in pytree.tree_leaves(gm(*given, True))], [type(v).__name__ for v in gm(*given, True)]]
result += [gm.graph._codegen.pytree_info.orig_args, len(gm.graph.process_inputs(*given, True)), attempt(lambda: gm(*given, False))]
""",
    )


def test_a_codegen_of_trees_by_hand(oracle):
    both(
        oracle,
        BEGIN
        + """
_PyTreeCodeGen, _PyTreeInfo = part("fx.graph")._PyTreeCodeGen, part("fx.graph")._PyTreeInfo
def made(names, orig_args, arguments, returned):
    g = fx.Graph()
    nodes = [g.placeholder(n) for n in names]
    g.output([g.call_function(torch.add, (nodes[0], nodes[1])), *nodes[1:]])
    g.set_codegen(_PyTreeCodeGen(_PyTreeInfo(orig_args, pytree.tree_flatten(arguments)[1], returned and pytree.tree_flatten(returned)[1])))
    return fx.GraphModule(nn.Module(), g)
gm = made("ab", ["d"], ({"a": 1, "b": 2},), {"sum": 1, "b": 2})
result = [gm.code, gm({"b": x, "a": x + 1}), gm.graph.process_inputs({"a": 1, "b": 2}), gm.graph.process_outputs([3, 4])]
gm = made(["p", "q", "k"], ["p", "parts", "k"], ((1, [2]), {"k": 3}), None)
result += [gm.code, gm(x, [x], x + 1), gm.graph.process_inputs(1, [2]), gm.graph.process_outputs(5)]
""",
    )


def test_what_tracers_are_told(oracle):
    both(
        oracle,
        BEGIN
        + """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.fc = nn.ReLU(), nn.Linear(2, 2)
    def forward(self, x):
        return self.relu(self.fc(self.relu(x)))
tracer = fx.Tracer()
tracer.trace(nn.Sequential(nn.Tanh(), Block(), nn.Sequential(Block(), nn.ReLU())))
result = [list(tracer.num_calls.items())]
told = []
class Told(fx.Tracer):
    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        told.append((kind, name))
        name = "named" if kind == "call_function" and name is None else name
        return super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
graph = Told().trace(lambda x: torch.relu(x) + torch.nn.functional.relu(x).neg() - torch.cat([x, x]))
result += [told, str(graph)]
graph = fx.Graph()
v = graph.placeholder("v")
nodes = [graph.call_function(getattr, (v, "shape")), graph.call_function(len, (v,)), graph.call_function(slice, (1, 2))]
result += [[graph.create_node("call_function", len, (v,), name=name).name for name in ("", "", "len", "len", "a.b", "1x", "torch", "pytree", "fx_pytree")]]
result += [[n.format_node() for n in nodes], [n._pretty_print_target(n.target) for n in nodes]]
""",
    )


def test_readable_code(oracle):
    both(
        oracle,
        BEGIN
        + """
inner = fx.symbolic_trace(lambda v: torch.tanh(v) * 2)
graph = fx.Graph()
v = graph.placeholder("v")
first = graph.call_function(torch.relu, (v,))
second = graph.call_module("inner", (first,))
third = graph.call_method("neg", (second,))
graph.output(third)
gm = fx.GraphModule({"inner": inner}, graph)
result = [gm.print_readable(False), gm.print_readable(False, expanded_def=True)]
second.meta["stack_trace"] = '  File "a.py", line 1, in f\\n    y = g(x)\\n  File "model.py", line 12, in forward\\n    return self.inner(y)\\n'
first.meta["custom"], third.meta["seq_nr"] = {"key": "v" * 50, "n": 1}, 3
result += [gm.print_readable(False), gm.print_readable(False, additional_meta=["seq_nr", "none"])]
part("fx.passes.shape_prop").ShapeProp(gm).propagate(x)
result += [gm.print_readable(False)]
first.meta["val"] = torch.ones(2, 3).t()
result += [gm.print_readable(False, colored=True), gm.print_readable(False, colored=True, additional_meta=["seq_nr"])]
result += [gm.print_readable(False, colored=True, expanded_def=True)]
calls = fx.symbolic_trace(lambda v, k=(1, 2.5): (torch.cat([v[1:, None, ...], v[:1, None]], dim=0).to(torch.float64) ** 2 - -v, {"a": 1 - v}, v.shape[0]))
calls.graph.find_nodes(op="placeholder")[0].meta["val"] = torch.ones(2, 3).t()
result += [calls.print_readable(False, True, True, True), calls.graph.python_code("self", colored=True).src]
empty = fx.Graph()
empty.output(empty.placeholder("v"))
result += [fx.GraphModule({}, empty).print_readable(False)]
""",
    )


def test_names_of_what_const_fold_computes(oracle):
    both(
        oracle,
        BEGIN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        self.inner = nn.Linear(2, 2)
    def forward(self, x):
        return torch.relu(x + (self.a + self.b)) * (self.a * 2) + self.b @ self.inner.weight
folded = part("fx.experimental.const_fold").split_const_subgraphs(Net())
result = [folded.code, folded.const_subgraph_module.code]
""",
    )


def test_each_part_that_const_fold_makes_names_its_nodes_anew(oracle):
    both(
        oracle,
        BEGIN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2, 2))
        self.inner = nn.Linear(2, 2)
    def forward(self, x):
        y = x + 1
        y = y + (self.a + 1)
        w = (self.b + self.a).relu()
        return self.inner(y.relu() @ w) + self.inner(self.a), (w + 1) * y, torch.cat([w, y])
class Summed(Net):
    def forward(self, x, add):
        return add + x + (self.a + self.b) + self.b
result = []
for kind in (Net, Summed):
    folded = part("fx.experimental.const_fold").split_const_subgraphs(kind())
    result += [folded.code, folded.const_subgraph_module.code]
""",
    )


def test_types_of_functionals(oracle):
    both(
        oracle,
        BEGIN
        + """
F = torch.nn.functional
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return torch.add(F.relu(self.fc(x)), F.softmax(x, 1))
result = part("fx.experimental.schema_type_annotation").AnnotateTypesWithSchema(fx.symbolic_trace(Net())).transform().code
""",
    )
