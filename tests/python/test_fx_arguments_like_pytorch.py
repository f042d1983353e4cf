"""What a node, a call and a trace accept, and names that packages import, beside live PyTorch 2.13: the error or the value."""

from __future__ import annotations

import monograph as torch
import pytest
from beside import both, run
from monograph import fx, nn

# of("fx.graph", "Graph Node"): these names of that module. A program imports nothing of `torch`: that is Monograph here.
IMPORTS = """
import importlib
fx, nn = torch.fx, torch.nn
def of(module, names):
    return [getattr(importlib.import_module(f"{torch.__name__}.{module}"), name) for name in names.split()]
"""

# The parts of Graph.create_node.
CREATE = """
import operator
g = fx.Graph()
x = g.placeholder("x")
def attempt(*args):
    try:
        return g.create_node(*args).format_node()
    except Exception as error:
        return type(error).__name__
add = ("call_function", operator.add)
result = [attempt(*add, *rest) for rest in (
    ({"a": 1},), ([x, 1],), ("ab",), ([], []), ((x, 1), (1,)), ((x, 1), {}, 3), ((x, 1), {}, ""), (0, 0), (None, None), ({}, {}), ((x,), {"a": [x, 1]}),
    ((2**70, -(2**63)),), ((2**63, -(2**63) - 1),), ((b"x", True),),
)] + [attempt("call_method", "add", [x]), attempt("output", "output", [x]), attempt("placeholder", "y", [1])]
"""

# Functions of torch read a call before they hand it to a proxy. Methods of a proxy record what they get.
CALLS = """
import operator
programs = dict(
    many=lambda a: torch.relu(a, 3, 4), keyword=lambda a: torch.relu(a, zz=4), none=lambda a: torch.add(a), twice=lambda a: torch.sum(a, dim=1, input=a),
    first=lambda a: torch.matmul(other=a), list=lambda a: torch.cat([a], 0, 1), word=lambda a: torch.softmax(a, zz=3), out=lambda a: torch.abs(a, out=a),
    axis=lambda a: torch.sum(a, axis=1, keepdims=True), input=lambda a: torch.relu(input=a), gathered=lambda a: torch.permute(a, (1, 0)),
    clamp=lambda a: torch.clamp(a, max=a), where=lambda a: torch.where(a, a, a), alpha=lambda a: torch.add(a, a, alpha=2), empty=lambda a: torch.relu(),
    method=lambda a: a.relu(3, 4), method_keyword=lambda a: a.sum(zz=1), of_nn=lambda a: nn.functional.relu(a, 1, 2, 3), of_operator=lambda a: operator.add(a, 1, 2),
    std=lambda a: torch.std(a, 0, correction=0), maximum=lambda a: torch.max(a, 1), maximum3=lambda a: torch.max(a, 1, True), repeat=lambda a: torch.tile(a, (2, 2)),
    einsum=lambda a: torch.einsum("ij,jk", a, a), einsum2=lambda a: torch.einsum("ij,jk", [a, a]), zeros=lambda a: torch.zeros_like(a, dtype=torch.float64),
    rand=lambda a: torch.rand_like(a, requires_grad=False), block=lambda a: torch.block_diag(a, a), lists=lambda a: torch.stack((a, a), dim=0),
    norm=lambda a: torch.norm(a, p=1, dim=1), split=lambda a: torch.split(a, 1, dim=1), chunk=lambda a: torch.chunk(a, 2, 1, 3), topk=lambda a: torch.topk(a, 1, sorted=False),
)
result = {}
for name, f in programs.items():
    try:
        result[name] = [(n.op, str(n.args), str(dict(n.kwargs))) for n in fx.symbolic_trace(f).graph.nodes]
    except Exception as error:
        result[name] = type(error).__name__
"""

RESULTS = """
result = []
for f in (lambda x: (x, lambda y: y), lambda x: {"a": nn.ReLU()}, lambda x: [int], lambda x: torch.relu, lambda x: (x, "a", 3, torch.float32, None)):
    try:
        result.append(len(fx.symbolic_trace(f).graph.nodes))
    except Exception as error:
        result.append([type(error).__name__, str(error).split(";")[0].replace("monograph.", "torch.").replace("torch._C.Builtin", "builtin_function_or_method")])
"""

NAMES = """
from collections import namedtuple
_get_qualified_name, _type_repr, dtype_abbrs = of("fx.graph", "_get_qualified_name _type_repr dtype_abbrs")
_assign_attr, _del_attr, _get_attr, _get_attr_via_attr_list, _has_attr = of("fx.graph_module", "_assign_attr _del_attr _get_attr _get_attr_via_attr_list _has_attr")
_dict_flatten_spec, _list_flatten_spec, _namedtuple_flatten_spec, _tuple_flatten_spec = of("fx._pytree", "_dict_flatten_spec _list_flatten_spec _namedtuple_flatten_spec _tuple_flatten_spec")
_dict_flatten_spec_exact_match, _tuple_flatten_spec_exact_match = of("fx._pytree", "_dict_flatten_spec_exact_match _tuple_flatten_spec_exact_match")
_parent_name, = of("fx.experimental.optimization", "_parent_name")
map_arg, = of("fx.interpreter", "map_arg")
map_aggregate, = of("fx._symbolic_trace", "map_aggregate")
tree_flatten, = of("utils._pytree", "tree_flatten")
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
_assign_attr(torch.ones(2), m, "a.b.c")
_assign_attr(nn.Parameter(torch.ones(1)), m, "a.p")
_assign_attr(3, m, "a.n")
found = [sorted(dict(m.named_buffers())), sorted(dict(m.named_parameters())), _get_attr(m, "a.n"), type(_get_attr(m, "0")).__name__, _has_attr(m, "a"), _has_attr(m, "zz")]
_del_attr(m, "a.b.c")
found += [sorted(dict(m.named_buffers())), _get_attr_via_attr_list(m, []) is m, _get_attr_via_attr_list(m, ["0", "bias"]) is m[0].bias]
try:
    _get_attr(m, "q.r")
except Exception as error:
    found.append(type(error).__name__)
P = namedtuple("P", "a b")
specs = [_dict_flatten_spec({"a": 1, "b": 2, "c": 3}, tree_flatten({"b": 0, "a": 0})[1]), _list_flatten_spec([1, 2, 3], tree_flatten([0, 0])[1])]
specs += [_tuple_flatten_spec((1, 2, 3), tree_flatten((0,))[1]), _namedtuple_flatten_spec(P(1, 2), tree_flatten(P(0, 0))[1])]
specs += [_dict_flatten_spec_exact_match({"a": 1}, tree_flatten({"b": 0})[1]), _tuple_flatten_spec_exact_match((1,), tree_flatten((0, 0))[1])]
g = fx.Graph()
x = g.placeholder("x")
n = g.call_function(torch.add, (x, x), {"alpha": x})
dtypes = (torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.complex64, torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e5m2fnuz)
result = [
    found, specs, [dtype_abbrs[d] for d in dtypes], [_parent_name(p) for p in ("a.b.c", "a", "a.b")], list(map(str, n._input_nodes)), _type_repr(int),
    _get_qualified_name(torch.relu), map_arg((x, 1), str), map_aggregate([1, (2,)], lambda a: a + 1),
]
"""

SPLIT = """
split_module, = of("fx.passes.split_module", "split_module")
gm = fx.symbolic_trace(lambda x: torch.relu(x + 1) * 2)
for n in gm.graph.nodes:
    n.meta["tag"] = n.name
split = split_module(gm, None, lambda n: int(n.name == "mul"))
result = [[(n.name, n.meta.get("tag")) for n in m.graph.nodes] for m in (split, split.submod_0, split.submod_1)]
"""

# A pattern of several results, some of which lie apart: a place through which another node runs from one result to another is none.
CYCLE = """
SubgraphMatcher, = of("fx.passes.utils.matcher_utils", "SubgraphMatcher")
pairs = [
    (lambda a, b: (torch.tanh(a), torch.relu(b)), lambda x: torch.tanh(torch.relu(x) + 1)),
    (lambda a, b: (torch.tanh(a), torch.relu(b)), lambda x: torch.tanh(torch.relu(x) + 1) + torch.relu(x.neg())),
    (lambda a, b, c: (a + b, (a + b) * c), lambda x, y: (x + y) * torch.neg(x + y)),
    (lambda a: (torch.tanh(torch.relu(a)), torch.relu(a)), lambda x: (torch.tanh(torch.relu(x)), x)),
]
def shared(x, y):
    s = x + y
    return s * torch.neg(s), s
def pattern(a, b, c):
    s = a + b
    return s, s * c
pairs.append((pattern, shared))
pairs.append((pattern, lambda x, y: (lambda s: (s * y, s))(x + y)))
result = []
for p, f in pairs:
    for overlapping in (False, True):
        g = fx.symbolic_trace(f).graph
        try:
            found = SubgraphMatcher(fx.symbolic_trace(p).graph, remove_overlapping_matches=not overlapping).match(g)
            result.append([sorted((str(k), str(v)) for k, v in m.nodes_map.items()) for m in found])
        except Exception as error:
            result.append(type(error).__name__)
"""

PROGRAMS = {"create_node": CREATE, "calls": CALLS, "results": RESULTS, "names": NAMES, "split_module": SPLIT, "cycle": CYCLE}


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_beside_pytorch(oracle, program):
    both(oracle, IMPORTS + program)


def test_create_node_takes_a_tuple_and_a_dict():
    found = run(IMPORTS + CREATE)
    assert found[:3] == ["AssertionError"] * 3 and found[4:6] == ["AssertionError", "TypeError"]
    assert found[11] == "%add_5 : [num_users=0] = call_function[target=operator.add](args = (1180591620717411303424, -9223372036854775808), kwargs = {})"


def test_a_call_that_no_values_make_right_is_refused_with_its_line():
    line = test_a_call_that_no_values_make_right_is_refused_with_its_line.__code__.co_firstlineno + 5
    with pytest.raises(
        TypeError, match=rf"(?s)relu\(\) takes 1 positional argument but 3 were given; the schema is relu\(Tensor self\) -> Tensor.*{__file__}:{line}"
    ):
        fx.symbolic_trace(lambda a: torch.relu(a, 3, 4))
    with pytest.raises(TypeError, match="relu.. got an unexpected keyword argument 'zz'"):
        fx.symbolic_trace(lambda a: torch.relu(a, zz=4))
    gm = fx.symbolic_trace(lambda a: torch.relu(a) + 1)
    text = str(gm.graph)
    with pytest.raises(TypeError, match="but 3 were given"):
        fx.replace_pattern(gm, lambda a: torch.relu(a), lambda a: torch.relu(a, 3, 4))
    assert str(gm.graph) == text


def test_args_of_a_node_are_a_tuple_or_list():
    graph = fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(torch.relu, (x,))
    for wrong in ({"a": 1}, "abc", 3, {x}):
        with pytest.raises(TypeError, match="args must be a tuple, but got"):
            node.args = wrong
        assert node.args == (x,)
    node.args = [x]
    assert node.args == (x,)


def test_a_number_of_more_than_64_bits_is_kept(tmp_path):
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output((x, graph.call_function(max, (2**70, 1))))
    gm = fx.GraphModule(nn.Module(), graph)
    assert gm(torch.ones(1))[1] == 2**70 == fx.Interpreter(gm).run(torch.ones(1))[1]
    assert f"max({2**70}, 1)" in gm.code


def test_a_function_is_no_result():
    with pytest.raises(NotImplementedError, match="(?s)argument of type: <class 'function'>; the function returns .*call it in the function that is traced"):
        fx.symbolic_trace(lambda x: (x, lambda y: y + x))
