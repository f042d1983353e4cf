"""torch.fx.symbolic_trace: proxies, opcodes, leaf modules, GraphModule."""

from __future__ import annotations

import collections
import copy
import functools
import gc
import io
import math
import operator
import pickle
import types
import typing
import weakref

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import pytest
from monograph.fx import Graph, GraphModule, Proxy, Tracer, symbolic_trace


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x, scale=2.0):
        y = F.relu(self.body(self.fc(x)), inplace=False)
        return (y * self.weight + self.offset * 2).view(x.shape[0], -1) * scale + torch.tensor([1.0])


def ops(graph):
    return [n.op for n in graph.nodes]


def test_the_six_opcodes_and_the_code():
    net = Net()
    gm = symbolic_trace(net)
    assert isinstance(gm, GraphModule) and type(gm).__name__ == "Net"
    assert set(ops(gm.graph)) == {"placeholder", "get_attr", "call_function", "call_module", "call_method", "output"}
    targets = {n.target for n in gm.graph.nodes if n.op == "call_module"}
    assert targets == {"fc", "body.0", "body.1"}
    assert F.relu in {n.target for n in gm.graph.nodes}
    assert "torch.nn.functional.relu(body_1, inplace = False);  body_1 = None" in gm.code
    assert "def forward(self, x, scale = 2.0):" in gm.code
    x = torch.randn(2, 3)
    assert torch.equal(gm(x), net(x)) and torch.equal(gm(x, 3.0), net(x, 3.0))
    assert torch.equal(gm.graph(x), net(x))  # by itself, without the module around it
    assert gm.fc.weight is net.fc.weight


def test_tabular(capsys):
    symbolic_trace(lambda x: x + 1).graph.print_tabular()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["opcode", "name", "target", "args", "kwargs"]
    assert lines[2].split()[:3] == ["placeholder", "x", "x"]


def test_leaf_modules_are_what_the_tracer_says():
    class All(Tracer):
        def is_leaf_module(self, m, name):
            return isinstance(m, nn.ReLU)

    graph = All().trace(Net())
    assert [n.target for n in graph.nodes if n.op == "call_module"] == ["body.0"]
    assert {"fc.weight", "fc.bias"} <= {n.target for n in graph.nodes if n.op == "get_attr"}
    net = Net()
    a, b = symbolic_trace(net), GraphModule(net, All().trace(net))
    assert a.graph.hash() == b.graph.hash()


def test_control_flow_is_an_error_with_the_line():
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    def symbolic_trace(program):
        return torch.fx.symbolic_trace(program, control_flow="error")

    with pytest.raises(torch.fx.proxy.TraceError, match="cannot be used as inputs to control flow") as error:
        symbolic_trace(f)
    assert f"test_symbolic_trace.py:{f.__code__.co_firstlineno + 1}: if x.sum() > 0:" in str(error.value)
    with pytest.raises(torch.fx.proxy.TraceError, match="cannot be iterated"):
        symbolic_trace(lambda x: [y + 1 for y in x])
    with pytest.raises(RuntimeError, match="'len' is not supported"):
        symbolic_trace(lambda x: len(x))
    with pytest.raises(torch.fx.proxy.TraceError, match="needs node `getitem` as a number"):
        symbolic_trace(lambda x: range(x.shape[0]))


def test_the_graph_checks_that_nothing_is_left_after_unpacking(tmp_path):
    def f(x):
        a, b = x
        return a + b

    graph = torch.fx.symbolic_trace(f).graph
    graph.save(tmp_path / "f.mgraph")
    for run in (graph, torch.load_graph(tmp_path / "f.mgraph")):
        assert torch.equal(run(torch.ones(2, 3)), torch.full((3,), 2.0))
        with pytest.raises(RuntimeError, match="the number of rows of %x, which is unpacked` is 2, but here it is 3"):
            run(torch.ones(3, 3))


def test_unpacking_records_items():
    def f(x):
        a, b = x.split(2)
        n, m = x.shape
        return a * n + b * m

    gm = symbolic_trace(f)
    assert sum(n.target is operator.getitem for n in gm.graph.nodes) == 4
    x = torch.randn(4, 3)
    assert torch.equal(gm(x), f(x)) and torch.equal(gm.graph(x), f(x))


def test_writes_are_writes():
    # torch.fx records x += 1 as x + 1, and refuses x[0] = 1.
    def f(x):
        y = x
        x += 1
        x[0] = 7
        return y

    gm = symbolic_trace(f)
    x, z = torch.zeros(3), torch.zeros(3)
    assert torch.equal(gm(x), f(z)) and torch.equal(x, z)


def test_what_is_made_of_nothing_is_made_when_the_graph_runs():
    gm = symbolic_trace(lambda x: x + torch.rand(3) + torch.zeros(3))
    assert torch.rand in {n.target for n in gm.graph.nodes}
    assert not torch.equal(gm(torch.zeros(3)), gm(torch.zeros(3)))


def test_buffers_are_read_when_the_graph_runs():
    net = Net()
    gm = symbolic_trace(net)
    x = torch.randn(2, 3)
    before = gm(x)
    net.offset.add_(1)
    assert torch.equal(gm(x), net(x)) and not torch.equal(gm(x), before)


def scaled_or_not(x, flag=True, k=3, n=None):
    return x * k if flag and n is None else x - k


def test_a_concrete_argument_stays_a_placeholder_that_is_checked():
    gm = symbolic_trace(scaled_or_not, {"flag": True, "n": None})
    assert gm.code.strip() == """\
def forward(self, x, flag_1 = True, k = 3, n_1 = None):
    eq = flag_1 == True;  flag_1 = None
    _assert = torch._assert(eq, 'flag has been specialized to have value True but got another value');  eq = _assert = None
    _assert_is_none = torch.fx._symbolic_trace._assert_is_none(n_1, 'n has been specialized to have value None but got another value');  n_1 = _assert_is_none = None
    mul = x * k;  x = k = None
    return mul"""  # fmt: skip
    x = torch.ones(2)
    assert gm(x).tolist() == gm(x, True, 3, None).tolist() == [3, 3] and gm(x, True, 5).tolist() == [5, 5]
    with pytest.raises(AssertionError, match="flag has been specialized to have value True"):
        gm(x, False)
    with pytest.raises(AssertionError, match="n has been specialized to have value None"):
        gm(x, True, 3, 1)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    with pytest.raises(AssertionError, match="flag"):
        gm(x, False)
    # The graph in operators is the program that was fixed: it has no input for what was.
    assert gm.graph.hash() == symbolic_trace(lambda x: x * 3).graph.hash() and gm.graph(x).tolist() == [3, 3]


def test_concrete_args_by_place_and_without_a_default(tmp_path):
    gm = symbolic_trace(lambda x, flag: x + 1 if flag else x - 1, (torch.fx.PH, False))
    assert [n.name for n in gm.graph.nodes if n.op == "placeholder"] == ["x_1", "flag_1"]
    assert gm(torch.zeros(2), False).tolist() == [-1, -1]
    gm.graph.save(tmp_path / "g.mgraph")
    assert torch.load_graph(tmp_path / "g.mgraph")(torch.zeros(2)).tolist() == [-1, -1]
    for again in (copy.deepcopy(gm), pickle.loads(pickle.dumps(gm))):
        assert again(torch.zeros(1), False).tolist() == again.graph(torch.zeros(1)).tolist() == [-1]
    with pytest.raises(RuntimeError, match="expected 2 arguments but got 1"):
        symbolic_trace(lambda x, flag: x, (1,))
    with pytest.warns(UserWarning, match="Was not able to add assertion to guarantee correct input f"):
        gm = symbolic_trace(lambda x, f: f(x), {"f": torch.relu})
    assert gm(-torch.ones(1), torch.relu).tolist() == [0]


def test_concrete_args_take_lists_and_dicts_apart():
    def f(x, d, pair=(1, 2)):
        return x + d["a"] * pair[0] - d["b"]

    gm = symbolic_trace(f, {"d": {"a": torch.fx.PH, "b": 3}, "pair": (torch.fx.PH, 2)})
    assert [n.name for n in gm.graph.nodes if n.op == "placeholder"] == ["x", "d_1", "d_2", "pair_1", "pair_2"]
    x, a = torch.ones(2), torch.full((2,), 4.0)
    for module in (gm, copy.deepcopy(gm), pickle.loads(pickle.dumps(gm))):
        assert module(x, {"a": a, "b": 3}).tolist() == [2, 2] and module(x, {"a": a, "b": 3}, (2, 2)).tolist() == [6, 6]
        with pytest.raises(AssertionError, match="d has been specialized to have value 3"):
            module(x, {"a": a, "b": 4})
    assert "def forward(self, x, d, pair = (1, 2)):\n    x, d_1, d_2, pair_1, pair_2, = fx_pytree.tree_flatten_spec([x, d, pair], self._in_spec)\n" in gm.code


def test_an_input_that_is_a_dict_is_saved(tmp_path):
    gm = symbolic_trace(lambda x, d: x + d["a"]["b"] * d["c"].sum())
    d = {"a": {"b": torch.full((2,), 2.0)}, "c": torch.ones(3)}
    gm.graph.save(tmp_path / "g.mgraph")
    loaded = torch.load_graph(tmp_path / "g.mgraph")
    d["more"] = torch.ones(1)  # which the program does not read
    assert gm(torch.ones(2), d).tolist() == gm.graph(torch.ones(2), d).tolist() == loaded(torch.ones(2), d).tolist() == [7, 7]
    with pytest.raises((KeyError, RuntimeError, TypeError)):
        loaded(torch.ones(2), {"a": d["a"]})


def test_the_code_has_the_annotations_of_the_program():
    class Annotated(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor | None = None, z: int = 3, *, w: list[torch.Tensor] | None = None) -> tuple[torch.Tensor, int]:
            return x + 1, z

    gm = symbolic_trace(Annotated())
    if isinstance(Annotated.forward.__annotations__["x"], str):  # from __future__ import annotations
        assert gm.code.strip().startswith("def forward(self, x : _torch_Tensor_, y : _torch_Tensor_None_ = None, z : _int_ = 3, w : ")
    Annotated.forward.__annotations__.update(
        {"x": torch.Tensor, "y": typing.Optional[torch.Tensor], "z": int, "w": typing.List[torch.Tensor], "return": tuple[torch.Tensor, int]}  # noqa: UP006, UP045
    )
    gm = symbolic_trace(Annotated())
    assert gm.code.strip().splitlines()[0] == (
        "def forward(self, x : torch.Tensor, y : typing_Union[torch.Tensor,NoneType] = None, z : int = 3, w : typing_List[torch.Tensor] = None)"
        " -> tuple[torch.Tensor,int]:"
    )
    assert [n.type for n in gm.graph.nodes][:2] == [torch.Tensor, typing.Optional[torch.Tensor]]  # noqa: UP045
    assert torch.equal(gm(torch.ones(2))[0], torch.full((2,), 2.0)) and torch.equal(copy.deepcopy(gm)(torch.ones(2))[0], torch.full((2,), 2.0))
    node = gm.graph.find_nodes(op="call_function")[0]
    node.type = torch.Tensor
    gm.recompile()
    assert "add : torch.Tensor = x + 1" in gm.code


def test_an_argument_by_keyword_behind_one_with_a_default():
    def f(x, scale=2, *, shift):
        return x * scale + shift

    gm = symbolic_trace(f)
    assert "def forward(self, x, scale, shift):" in gm.code and gm(torch.ones(1), 3, 4).item() == gm.graph(torch.ones(1), torch.tensor(3), torch.tensor(4)).item() == 7


class Own:
    """An annotation of the user's."""


def test_annotations_of_the_users_classes():
    def f(x: Own, y: dict[str, Own]) -> Own:
        return x * 2

    f.__annotations__.update({"x": Own, "y": dict[str, Own], "return": Own})
    gm = symbolic_trace(f)
    mangled = f"{Own.__module__}_Own".replace(".", "_")
    assert f"def forward(self, x : {mangled}, y : dict[str,{mangled}]) -> {mangled}:" in gm.code and gm(torch.ones(1), {}).item() == 2


def twice(x):
    return x * 2


def test_autowrap_functions_and_modules():
    own = types.ModuleType("own")
    exec("def thrice(x): return x * 3\ndef unused(x): return x", own.__dict__)

    def f(x):
        return twice(x) + own.thrice(x) * math.sqrt(x.shape[0]) + math.floor(2.5)

    plain = torch.fx.Tracer().trace(f)
    assert [n.name for n in plain.nodes if n.op == "call_function"] == ["mul", "mul_1", "getattr_1", "getitem", "sqrt", "mul_2", "add", "add_1"]
    graph = torch.fx.Tracer(autowrap_modules=(math, own), autowrap_functions=(twice,)).trace(f)
    targets = [n.target for n in graph.nodes if n.op == "call_function"]
    assert twice in targets and own.thrice in targets and math.sqrt in targets
    x = torch.ones(4)
    for made in (plain, graph):
        gm = torch.fx.GraphModule(nn.Module(), made)
        assert gm(x).tolist() == gm.graph(x).tolist() == [10] * 4
    assert twice is globals()["twice"] and own.thrice.__name__ == "thrice" and math.sqrt(4) == 2, "nothing stays replaced"


def helper(x, n):
    return x * n if n > 1 else x


torch.fx.wrap("helper")


def test_wrapped_functions_are_leaves():
    gm = symbolic_trace(lambda x: helper(x, 3) + 1)
    assert [n.name for n in gm.graph.nodes if n.op == "call_function"] == ["helper", "add"]
    assert torch.equal(gm(torch.ones(2)), torch.full((2,), 4.0))
    assert torch.equal(gm.graph(torch.ones(2)), torch.full((2,), 4.0))


wrapped = [torch.fx.wrap(lambda x: x + 1), torch.fx.wrap(lambda x: x * 2)]


def test_two_functions_of_one_name():
    gm = symbolic_trace(lambda x: wrapped[1](wrapped[0](x)))
    assert torch.equal(gm(torch.ones(2)), torch.full((2,), 4.0))


def test_edit_and_recompile():
    gm = symbolic_trace(lambda x: torch.relu(x) + 1)
    for node in gm.graph.nodes:
        if node.target is torch.relu:
            node.target = torch.sigmoid
    before = gm.graph.hash()
    gm.recompile()
    x = torch.randn(3)
    assert "torch.sigmoid(x)" in gm.code
    assert torch.equal(gm(x), torch.sigmoid(x) + 1) and torch.equal(gm.graph(x), torch.sigmoid(x) + 1)
    assert before == gm.graph.hash() != symbolic_trace(lambda x: torch.relu(x) + 1).graph.hash()


def test_graphs_by_hand():
    graph = Graph()
    x = graph.placeholder("x")
    y = Proxy(graph.call_function(torch.relu, (x,))) * 2
    graph.output((y.node, x))
    gm = GraphModule({}, graph)
    a, b = gm(torch.tensor([-1.0, 2.0]))
    assert a.tolist() == [0.0, 4.0] and b.tolist() == [-1.0, 2.0]


def test_copies():
    net = Net()
    gm = symbolic_trace(net)
    twin = copy.deepcopy(gm)
    x = torch.randn(2, 3)
    assert torch.equal(twin(x), gm(x)) and twin.fc.weight is not gm.fc.weight
    assert twin.graph.hash() == gm.graph.hash()
    twin.graph.output_node()
    with torch.no_grad():
        twin.fc.weight.zero_()
    assert not torch.equal(twin.fc(x), gm.fc(x))


def test_missing_attributes_are_named():
    graph = Graph()
    graph.output(graph.get_attr("no.such"))
    with pytest.raises(AttributeError, match="no.such"):
        GraphModule(nn.Linear(2, 2), graph)


def test_spans_and_scopes():
    gm = symbolic_trace(Net())
    relu = next(n for n in gm.graph.nodes if n.target is F.relu)
    assert relu.span.startswith(__file__ + ":")
    lowered = gm.graph._operators()
    linear = next(n for n in lowered.nodes if "linear" in str(n.target))
    assert linear.span.startswith(__file__ + ":")


def test_nothing_is_kept_after_tracing():
    net = Net()
    mark = weakref.ref(net)
    gm = symbolic_trace(net)
    gm.graph.hash()
    traced = torch.jit.trace(net, torch.ones(2, 3))
    captured = torch.capture(net, torch.ones(2, 3))
    del net, gm, traced, captured
    gc.collect()
    assert mark() is None


def _eval(gm):
    gm.eval()


def _assign_weight(gm):
    getattr(gm, "0").weight = nn.Parameter(torch.full((8, 8), 0.5))


def _assign_data(gm):
    getattr(gm, "0").weight.data = torch.full((8, 8), 0.5)


def _no_bias(gm):
    getattr(gm, "0").bias = None


def _eps(gm):
    getattr(gm, "1").eps = 3.0


def _hook(gm):
    getattr(gm, "0").register_forward_hook(lambda module, args, result: result * 2)


@pytest.mark.parametrize("change", [_eval, _assign_weight, _assign_data, _no_bias, _eps, _hook])
def test_the_graph_follows_its_module(change, tmp_path):
    # What a lowering was made with is part of what it means: a kept one must not outlive a change of the module.
    gm = symbolic_trace(nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Dropout(0.5)))
    x = torch.randn(4, 8)
    before = gm.graph.hash()
    gm.graph(x)
    change(gm)
    torch.manual_seed(1)
    expected = gm(x)
    torch.manual_seed(1)
    assert torch.equal(gm.graph(x), expected)
    assert change in (_assign_weight, _assign_data) or gm.graph.hash() != before
    gm.graph.save(tmp_path / "changed.mgraph")
    torch.manual_seed(1)
    assert torch.equal(torch.load_graph(tmp_path / "changed.mgraph")(x), expected)


def test_a_lowering_is_kept_while_nothing_changes():
    gm = symbolic_trace(Net())
    first = gm.graph._operators()
    with torch.no_grad():
        gm.fc.weight.mul_(2)  # elements are read when the graph runs
    assert gm.graph._operators() is first
    gm.graph.output_node().args = (next(iter(gm.graph.nodes)),)
    assert gm.graph._operators() is not first


def test_a_function_of_the_users_is_asked_each_time():
    class Scaled(nn.Module):
        factor = 2

        def forward(self, x):
            return x * self.factor

    class Leaves(Tracer):
        def is_leaf_module(self, m, name):
            return True

    net = nn.Sequential(Scaled())
    gm = GraphModule(net, Leaves().trace(net))
    assert gm.graph(torch.ones(1)).tolist() == [2]
    Scaled.factor = 3
    assert gm.graph(torch.ones(1)).tolist() == gm(torch.ones(1)).tolist() == [3]


@pytest.mark.parametrize(
    "program",
    [lambda x: x * 2 if x.shape[0] in {3, 4} else x, lambda x: x * {3: 2}.get(x.shape[0], 1), lambda x: {x}, lambda x: hash(x.sum())],
)
def test_a_proxy_cannot_be_hashed(program):
    with pytest.raises(TypeError, match=r"cannot be hashed[^\n]*\n  .*test_symbolic_trace.py:\d+: .*lambda x"):
        symbolic_trace(program)
    if program.__code__.co_names == ("shape",):
        captured = torch.capture(program, torch.ones(3))
        assert captured.how == "trace" and captured(torch.ones(3)).tolist() == [2, 2, 2]
        with pytest.raises(RuntimeError, match="captured where"):
            captured(torch.ones(5))


def test_isinstance_asks_for_the_value_that_a_proxy_stands_for():
    import collections.abc
    import numbers

    def sizes(x):
        n, *_ = x.shape[0], 0
        known = isinstance(n, int) and isinstance(n, numbers.Integral) and isinstance(x.shape, tuple) and isinstance(x.size(), collections.abc.Sequence)
        known = known and isinstance(x.size(0), int) and isinstance(x.dim(), int) and isinstance(x.stride(0), int) and isinstance(x.storage_offset(), int) and isinstance(x.shape[1:], torch.Size) and isinstance(x.dtype, torch.dtype)
        return x * 2 if known and not isinstance(n, float) else x

    assert symbolic_trace(sizes)(torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]
    dispatched = functools.singledispatch(lambda x: x)
    dispatched.register(torch.Tensor, lambda x: x * 2)
    for program in (lambda x: x * 2 if isinstance(x, torch.Tensor) else x, lambda x: x if isinstance(x + 1, tuple) else x, lambda x: dispatched(x)):
        with pytest.raises(torch.fx.proxy.TraceError, match=r"isinstance\(\) needs the type of [^\n]*\n  .*test_symbolic_trace.py"):
            symbolic_trace(program)
    assert torch.capture(lambda x: x * 2 if isinstance(x, torch.Tensor) else x, torch.ones(2))(torch.ones(2)).tolist() == [2, 2]
    proxy = Proxy(next(iter(symbolic_trace(sizes).graph.nodes)))  # outside of a trace it is what it is
    assert isinstance(proxy, Proxy) and not isinstance(proxy, torch.Tensor) and str(proxy) == f"{proxy}" == "Proxy(x)"


def test_a_tracer_of_the_users_may_test_types():
    class Mine(Tracer):
        def create_arg(self, a):
            return "mine" if isinstance(a, complex) else super().create_arg(a)

    assert isinstance(Mine().trace(lambda x: x + 1), Graph)


def shadowed(x):
    texts = []
    print = texts.append
    print(f"{x}")
    return x * len(texts[0])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * len(f"{x.shape[0]}"), lambda x: x * len(str(x)), lambda x: print(len(str(x))) or x, lambda x: x * len(f"{x.sum():.2f}"),
        lambda x: x + 1 if str(x.shape[0]) == "2" else x, shadowed,
    ],
)  # fmt: skip
def test_the_text_of_a_proxy_is_that_of_each_call(program, capsys):
    gm = symbolic_trace(program)
    assert not capsys.readouterr().out
    for x in (torch.ones(2), torch.full((12,), 1000.0)):
        want, said = program(x), capsys.readouterr().out
        assert torch.equal(gm(x), want) and capsys.readouterr().out == said


@pytest.mark.parametrize("program", [lambda x: print(x, file=io.StringIO()) or x, lambda x: {"2": x}[f"{x.shape[0]}"], lambda x: getattr(x, f"n{x.shape[0]}")])
def test_c_code_reads_no_text_of_a_proxy(program):
    with pytest.raises((torch.fx.proxy.TraceError, TypeError), match=r"while the function is traced[^\n]*\n  .*test_symbolic_trace.py:\d+"):
        symbolic_trace(program)


def test_what_is_printed_is_a_node(capsys):
    def prints(x):
        print(x, x.T, f"{x} of {x.shape[0]}", "%s" % x, "{}".format(x), str(x), repr(x), sep="; ")  # noqa: UP031, UP032
        y = x * 2
        print(f"{y=}")
        return y

    gm = symbolic_trace(prints)
    assert capsys.readouterr().out == ""
    for x in (torch.ones(2), torch.arange(3.0)):
        prints(x)
        want = capsys.readouterr().out
        gm(x)
        assert capsys.readouterr().out == want

    def raises(x):
        raise KeyError(f"no layer for {x}" + " here")

    with pytest.raises(KeyError, match=r"no layer for Proxy\(x\) here"):
        symbolic_trace(raises)


@pytest.mark.parametrize("program", [lambda x: x.max(1).values, lambda x: x.sort(1).indices, lambda x: torch.topk(x, 2).values, lambda x: x.min(0)[1]])
def test_named_results_have_their_names(program, tmp_path):
    gm, x = symbolic_trace(program), torch.randn(3, 4)
    assert torch.equal(gm(x), program(x)) and torch.equal(gm.graph(x), program(x))
    assert gm.graph.hash() == torch.jit.trace(program, x).graph.hash()
    gm.graph.save(tmp_path / "named.mgraph")
    assert torch.equal(torch.load_graph(tmp_path / "named.mgraph")(x), program(x))


def test_an_optional_tensor_that_the_program_uses_is_an_input(tmp_path):
    def masked(x, mask=None, scale=2.0):
        return x.masked_fill(mask.unsqueeze(0), 0.0) * scale

    x, mask = torch.randn(2, 3), torch.tensor([True, False, False])
    gm = symbolic_trace(masked)
    gm.graph.save(tmp_path / "masked.mgraph")
    for run in (gm, gm.graph, torch.load_graph(tmp_path / "masked.mgraph")):
        assert torch.equal(run(x, mask), masked(x, mask))
    with pytest.raises(TypeError, match=r"is missing the input 'mask' \(number 2 of 2\)"):
        gm.graph(x)
    linear = symbolic_trace(lambda x, weight, bias=None: torch.nn.functional.linear(x, weight, bias)).graph
    assert torch.equal(linear(x, x), x @ x.t())  # None does here, so bias is no input
    with pytest.raises(TypeError, match="'NoneType'"):
        symbolic_trace(lambda x, scale=2.0, y=None: x * scale + y).graph.hash()


def half_to(x, y):
    h = x.half().float()
    return h.to(y.dtype), h.to(dtype=y.dtype, copy=True), h.type(y.dtype), h.type_as(y), h.to(y), h.to(h.relu().dtype)


def test_a_tensor_takes_the_dtype_of_a_traced_tensor(tmp_path):
    gm = symbolic_trace(half_to)
    gm.graph.save(tmp_path / "to.mgraph")
    for dtype in (torch.float64, torch.int32, torch.bool):
        x, y = torch.tensor([0.1, 2.0]), torch.tensor([1, 0]).to(dtype)
        for run in (gm, gm.graph, torch.load_graph(tmp_path / "to.mgraph"), torch.jit.trace(half_to, (x, y))):
            for a, b in zip(run(x, y), half_to(x, y), strict=True):
                assert torch.equal(a, b) and a.dtype == b.dtype
    for unknown in (lambda x: torch.arange(2, dtype=x.dtype), lambda x: x.to("cpu", x.dtype), lambda x: (x, x.dtype)):
        with pytest.raises(RuntimeError, match="dtype of %x is unknown in a symbolic capture"):
            symbolic_trace(unknown).graph.hash()


def test_limits_of_a_dtype_are_asked_when_the_graph_runs():
    def masked(x, mask):
        return x.masked_fill(mask, torch.finfo(x.dtype).min)

    gm = symbolic_trace(masked)
    mask = torch.tensor([True, False])
    for dtype in (torch.float32, torch.float64):
        x = torch.ones(2, dtype=dtype)
        assert torch.equal(gm(x, mask), masked(x, mask))
    assert symbolic_trace(lambda x: x + torch.iinfo(type=x.dtype).max)(torch.zeros(1, dtype=torch.int8)).tolist() == [127]
    assert "torch.finfo(" in gm.code
    with pytest.raises(RuntimeError, match=r"dtype of %x is unknown in a symbolic capture[^\n]*Trace with an example[^\n]*\n  at .*test_symbolic_trace.py:\d+"):
        gm.graph.hash()  # which is one for all dtypes
    captured = torch.capture(masked, torch.ones(2), mask)
    assert captured.how == "trace" and torch.equal(captured(torch.ones(2), mask), masked(torch.ones(2), mask))


def test_stars_stand_for_all_that_a_call_gives():
    x, y = torch.ones(2), torch.full((2,), 3.0)
    gm = symbolic_trace(lambda *xs: torch.cat(xs))
    assert [n.target for n in gm.graph.nodes if n.op == "placeholder"] == ["*xs"]
    assert gm(x, y).tolist() == [1, 1, 3, 3] and gm(x).tolist() == [1, 1]

    def options(x, *rest, scale=2.0, **kw):
        return x * kw.get("factor", 1) * scale + rest[0]

    gm = symbolic_trace(options)
    assert gm(x, y).tolist() == options(x, y).tolist() == [5, 5] and gm(x, y, factor=4, scale=1.0).tolist() == [7, 7]
    with pytest.raises(NotImplementedError, match=r"\*rest takes any number of inputs[^\n]*\n.*\n.*torch.capture"):
        gm.graph.hash()

    class Unused(nn.Module):
        def forward(self, x, *args, **kwargs):
            return x + 1

    gm = symbolic_trace(Unused())
    assert gm(x, 1, a=2).tolist() == gm.graph(x).tolist() == [2, 2]
    assert symbolic_trace(lambda *xs: sum(xs) / len(xs))(x, y).tolist() == [2, 2]
    for program in (lambda x, **kw: options(x, **kw), lambda *xs: xs[0] if xs else None):
        with pytest.raises(torch.fx.proxy.TraceError, match="test_symbolic_trace.py"):
            symbolic_trace(program)


def test_a_buffer_written_by_an_assignment_in_place():
    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))
            self.scale = nn.Parameter(torch.ones(1), requires_grad=False)

        def forward(self, x):
            self.steps += 1
            self.steps = self.steps.mul_(2)
            self.scale *= 3
            return x + self.steps * self.scale

    net, same = Counts(), Counts()
    gm = symbolic_trace(net)
    x = torch.zeros(1)
    assert net.steps.item() == 0  # tracing writes nothing
    assert [gm(x).item(), gm(x).item()] == [same(x).item(), same(x).item()] == [6, 54]
    assert gm.steps.item() == 6 and gm.graph(x).item() == same(x).item() and gm.steps.item() == same.steps.item()
    captured = torch.capture(Counts(), x)
    assert captured.how == "symbolic" and [captured(x).item(), captured(x).item()] == [6, 54]


IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift]


@pytest.mark.parametrize("write", IN_PLACE)
def test_every_operator_in_place_writes_a_buffer(write, tmp_path):
    start = torch.tensor([7, 5]) if write in IN_PLACE[-5:] else torch.tensor([7.0, 5.0])

    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", start.clone())

        def forward(self, x):
            self.n = write(self.n, 2)
            return self.n + x

    net, same, x = Counts(), Counts(), torch.ones(2)
    gm = symbolic_trace(net)
    assert write in {node.target for node in gm.graph.nodes}
    assert torch.equal(gm(x), same(x)) and torch.equal(gm.n, same.n) and not torch.equal(gm.n, start)
    text = gm.graph._to_text("native")
    assert f"operator.{write.__name__}" in text
    # Without the module around it, by the operator's name and the types of its arguments.
    lines = [line.replace("%n_1", "%n") for line in text.splitlines() if "get_attr" not in line]  # each read is a node, as in torch.fx
    kind = "Long" if write in IN_PLACE[-5:] else "Float"
    (tmp_path / "g.txt").write_text("\n".join(lines).replace("(%x)", f"(%n : {kind}(2), %x : Float(2))", 1))
    loaded, n = torch.load_graph(tmp_path / "g.txt"), start.clone()
    assert torch.equal(loaded(n, x), Counts()(x)) and torch.equal(n, same.n)


@pytest.mark.parametrize("make", [operator.imatmul])
def test_a_new_tensor_of_an_operator_in_place_is_no_write(make):
    class Replaces(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.ones(2, 2))

        def forward(self, x):
            self.n = make(self.n, x)
            return self.n

    with pytest.raises(torch.fx.proxy.TraceError, match="n"):
        symbolic_trace(Replaces())


@pytest.mark.parametrize("name", ["steps", "scale"])
def test_another_tensor_for_a_buffer_is_an_error(name):
    class Replaces(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            setattr(self, name, getattr(self, name) + 1)
            return x

    with pytest.raises(torch.fx.proxy.TraceError, match=rf"(?s)self.{name} is a tensor of the module.*test_symbolic_trace.py:\d+: setattr.*self.{name}.copy_\(...\)"):
        symbolic_trace(Replaces())


def test_pickle():
    gm, x = symbolic_trace(Net().eval()), torch.randn(2, 3)
    next(iter(gm.graph.nodes)).meta["note"] = "kept"
    again = pickle.loads(pickle.dumps(gm))
    assert type(again).__name__ == "GraphModule" and again.code == gm.code and not again.training and str(again.graph) == str(gm.graph)
    assert torch.equal(again(x), gm(x)) and again.graph.hash() == gm.graph.hash() and again.fc.weight is not gm.fc.weight
    assert next(iter(again.graph.nodes)).meta == {"note": "kept"} and list(again.state_dict()) == list(gm.state_dict())
    assert torch.equal(pickle.loads(pickle.dumps(gm.graph._operators()))(x), gm(x))
    branching = symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda x: x, lambda x: -x, (x,)))
    assert torch.equal(pickle.loads(pickle.dumps(branching))(-x.abs()), x.abs())


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x * len(repr(x)),
        lambda x: x + 1 if type(x) is torch.Tensor else x,
        lambda x: x + 1 if type(x.shape[0]) is int else x,
        lambda x: x + 1 if x.requires_grad else x,
        lambda x: x * len(f"{x.shape[0]}"),
    ],
)
@pytest.mark.filterwarnings("ignore::monograph.jit.TracerWarning")
def test_a_capture_gives_the_results_of_the_program_on_the_example(program):
    """These look at what a capture does not see: the trace takes over where it sees it, else nothing is captured."""
    for x in (torch.ones(3), torch.ones(3, requires_grad=True)):
        try:
            captured = torch.capture(program, x)
        except torch.jit.TracingCheckError:
            continue
        assert captured.checked and captured(x).tolist() == program(x).tolist()


def test_a_capture_leaves_modules_and_the_generator_as_they_were():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.calls = nn.BatchNorm1d(3), 0

        def forward(self, x):
            self.calls += 1
            return torch.nn.functional.dropout(self.norm(x))

    net = Counting()
    torch.manual_seed(3)
    expected, state = torch.rand(1), torch.manual_seed(3).get_state()
    captured = torch.capture(net, torch.randn(4, 3, generator=torch.Generator()))
    assert captured.checked and net.calls == 0 and net.norm.num_batches_tracked == 0 and net.norm.running_mean.tolist() == [0, 0, 0]
    assert torch.equal(torch.get_rng_state(), state) and torch.equal(torch.rand(1), expected)

    class Drifts(Counting):
        def forward(self, x):
            self.calls += 1
            return x * self.calls

    with pytest.raises(torch.jit.TracingCheckError, match="differs from the function's own on the same example"):
        torch.capture(Drifts(), torch.ones(3))


def test_a_capture_returns_what_the_program_returns():
    pair = collections.namedtuple("pair", ["low", "high"])
    x = torch.tensor([3.0, 1.0])
    for how in ("symbolic", "trace"):
        captured = torch.capture(lambda x: {"of": pair(x.min(), [x.max()])}, x, how=how)
        assert captured(x)["of"].low == 1 and captured(x)["of"].high[0] == 3 and type(captured(x)["of"]) is pair


def _accumulates(x):
    c = torch.tensor(0.0)
    c.add_(x.sum())
    return c * 2


def _under_another_name(x):
    c = torch.tensor([0.0, 1.0])
    d = c
    d += x.sum()
    return c


def _through_a_view(x):
    c = torch.tensor([0.0, 1.0])
    v = c[:1]
    v += x.sum()
    return c


def _through_an_unknown_view(x):
    c = torch.tensor([0.0, 1.0]).to(x.device)
    c += x
    return c


def _filled(x):
    c = torch.tensor([0.0] * 2)
    for i in range(2):
        c[i] = x[i]
    return c


def _out(x):
    c = torch.tensor([0.0, 1.0])
    torch.add(x, 1, out=c)
    return operator.iadd(c, x)


def _between(x):
    c = torch.tensor([0.0, 1.0])
    y = x + c
    c.add_(1)
    return y + c


@pytest.mark.parametrize(
    "f", [_accumulates, _under_another_name, _through_a_view, _through_an_unknown_view, _filled, _out, _between], ids=lambda f: f.__name__
)
def test_a_constant_that_the_program_writes_is_made_by_each_run(f):
    gm, expected = symbolic_trace(f), f(torch.ones(2))
    for _ in range(2):
        assert torch.equal(gm(torch.ones(2)), expected) and torch.equal(gm.graph(torch.ones(2)), expected)
    assert torch.equal(torch.capture(f, torch.ones(2))(torch.ones(2)), expected)
    traced = torch.jit.trace(f, torch.ones(2))
    assert traced.graph.hash() == gm.graph.hash() and not traced.graph.guards
    for _ in range(2):
        assert torch.equal(traced(torch.ones(2) * 2), f(torch.ones(2) * 2))


OUTSIDE = torch.zeros(2)


def test_a_write_to_a_tensor_from_outside_is_an_error():
    def rebinds(x):
        k = OUTSIDE
        k += x
        return x * 1

    def views(x):
        OUTSIDE.view(x.shape[0]).mul_(x)
        return x * 1

    def reads(x):
        y = x + OUTSIDE
        with torch.no_grad():
            OUTSIDE.zero_()
        return y + OUTSIDE

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.state = torch.zeros(2)

        def forward(self, x):
            self.state[0] = x.sum()
            return self.state * 1

    for f, line in ((rebinds, "k \\+= x"), (views, "mul_"), (reads, "return y"), (Plain(), "self.state\\[0\\]")):
        with pytest.raises(torch.fx.proxy.TraceError, match=f"(?s)writes to a tensor that is not an input.*{line}.*register it as a buffer"):
            symbolic_trace(f)
    assert OUTSIDE.tolist() == [0, 0]


def test_what_only_reads_constants_keeps_them_as_constants():
    def f(x):
        c = torch.tensor([1.0, 2.0])
        y = F.linear(x.view(1, 2), c.view(1, 2))
        y += c[0]
        return y

    assert [n.op for n in symbolic_trace(f).graph.nodes].count("get_attr") == 2
    assert "clone" not in symbolic_trace(f).code and torch.equal(symbolic_trace(f)(torch.ones(2)), f(torch.ones(2)))


Pair = collections.namedtuple("Pair", ["low", "high"])


def test_a_capture_keeps_the_types_of_what_operators_return():
    def f(x):
        return x.shape, x.split(1), x.max(1), [x.shape[1:]], {"top": x.topk(1)}, x.shape[0]

    x = torch.ones(2, 3)
    for how, n in (("symbolic", 4), ("trace", 2)):  # a trace guards how many pieces there are
        size, parts, largest, (rest,), top, rows = torch.capture(f, x, how=how)(torch.ones(n, 3))
        assert type(size) is type(rest) is torch.Size and size == (n, 3) and type(parts) is tuple and len(parts) == rows == n
        assert type(largest) is type(x.max(1)) and largest.values.shape == (n,) and top["top"].indices.shape == (n, 1)
        assert type(torch.capture(lambda x: x.shape, x, how=how)(x)) is torch.Size


def test_a_graph_module_returns_the_namedtuples_of_the_program():
    gm = symbolic_trace(lambda x: Pair(x, {"of": [Pair(x.max(0), 2)]}))
    for m in (gm, copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm))):
        low, high = m(torch.ones(2))
        assert type(m(torch.ones(2))) is Pair and type(high["of"][0]) is Pair and type(high["of"][0].low) is type(torch.ones(2).max(0))
    node = gm.graph.output_node()
    node.args = ((node.args[0][0],),)  # another tree: a plain one
    gm.recompile()
    assert gm(torch.ones(2))[0].tolist() == [1, 1]


def _took(test, x=None):
    """Whether the program's test held, when it was traced and when the graph runs."""
    gm, x = symbolic_trace(lambda x: x * (2.0 if test(x) else 3.0)), torch.ones(3) if x is None else x
    assert torch.equal(gm.graph(x), gm(x)) and torch.equal(gm(x), x * (2.0 if test(x) else 3.0))
    return gm(x)[0].item() == 2


def test_is_tensor_and_hasattr_of_a_proxy_answer_for_the_value():
    assert _took(lambda x: torch.is_tensor(torch.relu(x)) and isinstance(x.sum() + 1, torch.Tensor) and not isinstance(x.relu(), nn.Parameter))
    assert not _took(lambda x: torch.is_tensor(x.shape[0]) or torch.is_tensor(x.shape) or torch.is_tensor(3))
    assert _took(lambda x: hasattr(x, "shape") and hasattr(x, "split") and hasattr(x, "__array__") and hasattr(x.shape, "numel"))
    assert not _took(lambda x: hasattr(x.relu(), "foo") or hasattr(x.shape[0], "item") or getattr(x.size(), "foo", False))
    for test in (lambda x: torch.is_tensor(x), lambda x: hasattr(x, "foo"), lambda x: getattr(x, "foo", None), lambda x: hasattr(x, "__foo__")):
        with pytest.raises(torch.fx.proxy.TraceError, match=r"(?s)unknown while the function is traced:.*lambda x: .*jit\.trace"):
            symbolic_trace(lambda x: x * (2.0 if test(x) else 3.0))  # noqa: B023
    read = symbolic_trace(lambda x: x.foo + operator.attrgetter("bar")(x)).graph  # what a value of the user's may have
    assert [n.args[1] for n in read.nodes if n.target is getattr] == ["foo", "bar"]



def test_pow_with_a_modulus_is_an_error():
    for f in (lambda x: x * pow(x.shape[0], 2, 3), lambda x: pow(x, 2, 3)):
        with pytest.raises(torch.fx.proxy.TraceError, match=r"(?s)modulus \(3\).*pow\(x.*a \*\* b % m"):
            symbolic_trace(f)
    assert symbolic_trace(lambda x: x * pow(x.shape[0], 2, None))(torch.ones(3))[0] == 9


def test_dead_code_keeps_writes():
    """What writes by its name stays, though no type is known: so does a module whose buffers training writes."""

    def program(x):
        x += 1
        x[0] = 7
        x.mul_(2)
        torch.relu(x)  # dead
        return torch.ones(1)

    gm = torch.fx.symbolic_trace(program)
    assert gm.graph.eliminate_dead_code()
    assert [n.name for n in gm.graph.nodes] == ["x", "iadd", "setitem", "mul_", "ones", "output"]

    class Normed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(2)

        def forward(self, x):
            self.norm(x)
            return x

    gm = torch.fx.symbolic_trace(Normed())
    assert not gm.graph.eliminate_dead_code()
    gm.eval()
    assert gm.graph.eliminate_dead_code()


def test_lint_finds_what_the_module_does_not_have():
    gm = symbolic_trace(Net())
    gm.graph.lint()
    call = next(n for n in gm.graph.nodes if n.op == "call_module")
    for target, word in (("nope", r"nonexistent attribute nope of the module\n"), ("body.0.nope", r"nonexistent attribute nope of body\.0"), ("weight", "nn.Module")):
        call.target = target
        with pytest.raises(RuntimeError, match=f"target {target} .*{word}"):
            gm.graph.lint()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_torch_tensor_takes_dtype_and_device_of_a_traced_tensor(dtype):
    x = torch.tensor([3, 4]).to(dtype)
    for f in (
        lambda x: x * torch.tensor([0.1, 2.0], dtype=x.dtype, device=x.device),
        lambda x: torch.tensor([1, 2], dtype=x.dtype) - x,
        lambda x: torch.tensor(3.5, device=x.device) + x,
        lambda x: torch.tensor([0.1, 2.0], dtype=x.dtype).add_(x),
    ):
        for run in (symbolic_trace(f), symbolic_trace(f).graph, torch.capture(f, x), torch.jit.trace(f, x)):
            for _ in range(2):
                assert torch.equal(run(x), f(x)) and run(x).dtype == f(x).dtype


def test_len_is_a_node_or_an_error_with_a_way_out():
    with pytest.raises(RuntimeError, match="'len' is not supported"):
        symbolic_trace(lambda x: len(x), control_flow="error")
    assert symbolic_trace(lambda x: x * len(x)).graph(torch.ones(4)).sum() == 16
    assert symbolic_trace(lambda x: torch.full((), x.shape[0], dtype=torch.int64)).graph(torch.ones(4)).item() == 4


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, scale=2.0, *, shift=1.0):
        return self.fc(x) * scale + shift


def test_hooks_of_the_root_are_traced():
    net, x, seen = Hooked(), torch.randn(2, 3), []
    net.register_forward_pre_hook(lambda m, args: (args[0] * 2, *args[1:]))
    net.register_forward_pre_hook(lambda m, args: seen.append(len(args)))
    net.register_forward_hook(lambda m, args, out: out + args[0].sum())
    net.register_forward_hook(lambda m, args, out: m.fc(out))
    net.fc.register_forward_hook(lambda m, args, out: out.relu())
    gm = symbolic_trace(net, concrete_args={"scale": 3.0})
    assert torch.equal(gm(x, 3.0), net(x, 3.0)) and seen == [1 + 1, 2] and not gm._forward_hooks
    gm = torch.capture(net, x, how="symbolic")
    assert torch.equal(gm(x), net(x)) and gm.graph.hash() == torch.jit.trace(net, x).inlined_graph.hash()


class ReadsALayersWeight(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.body[1].register_buffer("scale", torch.full((), 2.0))
        self.body[1].shift = torch.ones(2)

    def forward(self, x):
        layer, relu = self.body[0], self.body[1]
        return layer(x * layer.weight.sum()) + relu(x) * relu.scale + relu.shift


def test_a_layers_weight_may_be_read_before_the_layer_is_called():
    net, x = ReadsALayersWeight(), torch.randn(3, 2)
    gm = symbolic_trace(net)
    assert all(at(gm, path) is at(net, path) for path in ("body.0", "body.1"))
    tensors = {n.target: at(net, n.target) for n in gm.graph.nodes if n.op in ("get_attr", "call_module")}
    for run in (gm, gm.graph, GraphModule(tensors, gm.graph), GraphModule(dict(reversed(tensors.items())), gm.graph)):
        assert torch.equal(run(x), net(x))


class Dictionary(nn.Module):
    def __init__(self, read):
        super().__init__()
        self.read, self.weights = read, nn.ParameterDict({"a": torch.ones(2), "b": torch.ones(2)})

    def forward(self, x):
        return x * (1 - self.read(self.weights))


@pytest.mark.parametrize("read", [lambda d: d["b"], lambda d: dict(d.items())["b"], lambda d: list(d.values())[1]])
def test_a_parameter_of_a_dict_is_read_when_the_graph_runs(read):
    net, x = Dictionary(read), torch.randn(3, 2)
    gm = symbolic_trace(net)
    with torch.no_grad():
        net.weights["b"].fill_(2.0)
    for run in (gm, gm.graph):
        assert torch.equal(run(x), net(x))
    with pytest.raises(AttributeError):  # as in PyTorch
        net.weights["c"]


def at(net, path):
    for part in path.split("."):
        net = getattr(net, part)
    return net


def test_a_long_network_with_a_write_at_its_end_needs_no_recursion():
    class Long(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(1200))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            x += 1
            return x

    assert torch.fx.symbolic_trace(Long())(torch.zeros(2)).tolist() == [1.0, 1.0]


def test_print_readable_shows_graph_modules_inside():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.fx.symbolic_trace(lambda x: torch.relu(x))

        def forward(self, x):
            return self.a(x) + 1

    class Leaves(torch.fx.Tracer):
        def is_leaf_module(self, m, path):
            return isinstance(m, torch.fx.GraphModule)

    net = Outer()
    text = torch.fx.GraphModule(net, Leaves().trace(net), "Outer").print_readable(print_output=False)
    assert text.startswith("class Outer(torch.nn.Module):\n    def forward(self, x):") and "\n\n    class a(torch.nn.Module):\n        def forward(self, x):" in text
    assert "            relu = torch.relu(x)" in text and text.count("def forward") == 2


def test_the_code_of_a_graph_module_compiles_as_a_script():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 4)

        def forward(self, x):
            return torch.relu(self.fc(x)).reshape(-1) * 2

    gm = torch.fx.symbolic_trace(Net())
    scripted = torch.jit.script(gm)
    for rows in (1, 5):
        x = torch.randn(rows, 3)
        assert torch.equal(scripted(x), gm(x))


def test_isinstance_knows_what_a_layer_gives():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)
            self.pool, self.rnn, self.same = torch.nn.MaxPool1d(2, return_indices=True), torch.nn.LSTM(4, 4), torch.nn.Identity()

        def forward(self, x):
            y = self.layer(x)
            if isinstance(y, (list, tuple)):
                y = y[0]
            assert isinstance(y, torch.Tensor)
            return y * 2

    net = Net()
    assert torch.equal(torch.fx.symbolic_trace(net)(torch.ones(2, 4)), net(torch.ones(2, 4)))
    for name in ("pool", "rnn", "same"):

        class Asked(Net):
            def forward(self, x, name=name):
                return x if isinstance(getattr(self, name)(x), tuple) else x + 1

        with pytest.raises(torch.fx.proxy.TraceError, match="needs the type of"):
            torch.fx.symbolic_trace(Asked(), concrete_args={"name": name})


def test_the_text_of_a_device(tmp_path):
    class Cached(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x):
            cache = {str(x.device): self.weight * 2}
            return x + cache[f"{x.device.type}"]

    gm = symbolic_trace(Cached())
    assert gm(torch.ones(3)).tolist() == [3, 3, 3] and gm.code.count("torch._assert(") == 2
    with pytest.raises(AssertionError, match="holds for tensors on the CPU"):
        gm(torch.ones(3, device="meta"))
    gm.graph.save(tmp_path / "cached.mgraph")
    assert "aten.add" in str(torch.load_graph(tmp_path / "cached.mgraph"))
