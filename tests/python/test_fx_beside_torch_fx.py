"""What packages do with torch.fx at its edges: operators with foreign objects, missing attributes, boxed runs, odd arguments of nodes, private names.

Each program has its result here as PyTorch 2.13 gives it; with the oracle it runs there too.
PyTorch's name of `__rtruediv__` is `__rdiv__`.
"""

from __future__ import annotations

import pickle

import monograph as torch
import pytest
from beside import both, run
from monograph import fx, nn

# Every operator with a tensor on one side and an object with __torch_function__ on the other: the name of what it is asked, and the kinds of the arguments.
OPERATORS = """
import operator
class Foo:
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None):
        assert set(types) <= {torch.Tensor, cls}
        return [{"__rdiv__": "__rtruediv__"}.get(f.__name__, f.__name__), [type(a).__name__ for a in args], kwargs or {}]
names = "add sub mul truediv floordiv mod matmul and_ or_ xor lshift rshift eq ne lt le gt ge iadd isub imul itruediv ifloordiv imod iand ior ixor ilshift irshift".split()
t, foo = torch.ones(2, dtype=torch.int64), Foo()
result = {}
for n in names:
    result[n] = [getattr(operator, n)(t, foo)]
    if not n.startswith("i"):
        result[n].append(getattr(operator, n)(foo, t))
"""


def expected_operators():
    def row(name, left, right=None):
        given = [[left, ["Tensor", "Foo"], {}]]
        return {name: given if right is None else [*given, [right, ["Tensor", "Foo"], {}]]}

    rows: dict = {}
    for name, left, right in (
        ("add", "add", "add"), ("sub", "sub", "__rsub__"), ("mul", "mul", "mul"), ("truediv", "div", "__rtruediv__"), ("floordiv", "__floordiv__", "__rfloordiv__"),
        ("mod", "remainder", "__rmod__"), ("matmul", "matmul", "__rmatmul__"), ("and_", "__and__", "bitwise_and"), ("or_", "__or__", "bitwise_or"),
        ("xor", "__xor__", "bitwise_xor"), ("lshift", "__lshift__", "__rlshift__"), ("rshift", "__rshift__", "__rrshift__"), ("eq", "eq", "eq"), ("ne", "ne", "ne"),
        ("lt", "lt", "gt"), ("le", "le", "ge"), ("gt", "gt", "lt"), ("ge", "ge", "le"),
    ):  # fmt: skip
        rows |= row(name, left, right)
    for name, method in (
        ("iadd", "add_"), ("isub", "sub_"), ("imul", "mul_"), ("itruediv", "div_"), ("ifloordiv", "floor_divide_"), ("imod", "remainder_"), ("iand", "__iand__"),
        ("ior", "__ior__"), ("ixor", "__ixor__"), ("ilshift", "__ilshift__"), ("irshift", "__irshift__"),
    ):  # fmt: skip
        rows |= row(name, method)
    return rows


# A type that answers NotImplemented, or raises: a TypeError leaves the operator to its methods, another error is the user's.
REFUSED = """
class Quiet:
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None):
        return NotImplemented
class Reflected(Quiet):
    def __radd__(self, other): return "radd"
    def __add__(self, other): return "add"
    def __rmatmul__(self, other): return "rmatmul"
    def __eq__(self, other): return "eq"
    def __gt__(self, other): return "gt"
class Raising(Reflected):
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None):
        raise cls.kind("own")
class Kinds(Raising):
    kind = TypeError
class Values(Raising):
    kind = ValueError
class Disabled(Reflected):
    __torch_function__ = torch._C._disabled_torch_function_impl
def attempt(f):
    try:
        r = f()
        return r if isinstance(r, (str, bool)) else type(r).__name__
    except Exception as e:
        return [type(e).__name__, str(e) if "own" in str(e) or "unsupported" in str(e) else ""]
def inplace(o):
    t = torch.ones(2)
    t += o
    return t
result = {}
for kind in (Quiet, Reflected, Kinds, Values, Disabled):
    t, o = torch.ones(2), kind()
    result[kind.__name__] = [attempt(f) for f in (
        lambda: t + o, lambda: o + t, lambda: t @ o, lambda: t == o, lambda: t < o, lambda: t - o, lambda: inplace(o), lambda: o - t, lambda: t ** o, lambda: t != o,
    )]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("program", [OPERATORS, REFUSED], ids=["operators", "refused"])
def test_operators_beside_pytorch(oracle, program):
    both(oracle, program)


def test_a_tensor_asks_the_object_on_the_other_side():
    found = run(OPERATORS)
    assert found == expected_operators()


def test_not_implemented_leaves_the_operator_to_the_object():
    found = run(REFUSED)
    assert found["Reflected"][:5] == ["radd", "add", "rmatmul", "eq", "gt"] and found["Reflected"][6] == "radd"
    assert found["Quiet"][0] == ["TypeError", "unsupported operand type(s) for +: 'Tensor' and 'Quiet'"] and found["Quiet"][3] is False
    assert found["Kinds"][0] == "radd" and found["Values"][0] == ["ValueError", "own"]


# Errors and runs ------------------------------------------------------------------------------------------------------------------------
def small_graph():
    graph = fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y", default_value=2)
    graph.output(graph.call_function(torch.add, (x, y)))
    return graph


def test_a_missing_attribute_is_an_attribute_error():
    graph = fx.Graph()
    graph.output(graph.call_module("layers.fc", (graph.placeholder("x"),)))
    for root in (nn.Module(), nn.Sequential()):
        with pytest.raises(AttributeError, match=r"Node layers_fc .*'layers'.*Put it there"):
            fx.GraphModule(root, graph)
    with pytest.raises(RuntimeError, match="no such key"):
        fx.GraphModule({}, graph)
    read = fx.Graph()
    read.output(read.get_attr("w"))
    with pytest.raises(AttributeError, match="Node w.*'w'"):
        fx.GraphModule(nn.Module(), read)


def test_a_boxed_run_takes_a_value_for_each_placeholder():
    interpreter = fx.Interpreter(fx.GraphModule(nn.Module(), small_graph()))
    for given, words in (([], "expected 2 arguments for placeholders but received 0 .missing arguments."), ([1], "received 1 .missing"), ([1, 2, 3], "received 3 .extra")):
        values = list(given)
        with pytest.raises(RuntimeError, match=f"Interpreter.boxed_run.*{words}"):
            interpreter.boxed_run(values)
        assert values == given  # the list stays as it is
    values = [torch.ones(2), torch.ones(2)]
    assert interpreter.boxed_run(values).tolist() == [2, 2] and values == []


def test_a_boxed_run_gives_inputs_by_place_and_frees_them():
    class Seen(fx.Interpreter):
        def placeholder(self, target, args, kwargs):
            raise AssertionError("the values are known")

    assert Seen(fx.GraphModule(nn.Module(), small_graph())).boxed_run([torch.ones(1), 4]).tolist() == [5]


# Arguments of nodes ---------------------------------------------------------------------------------------------------------------------
class Box:
    """An object that no code can write."""

    def __init__(self, n):
        self.n = n


def taken(x, what):
    if isinstance(what, Box):
        return x * what.n
    return x * sum(what)


@pytest.mark.parametrize(
    ("value", "text"),
    [({1, 2}, "{1, 2}"), (frozenset({3}), "frozenset({3})"), (set(), "set()"), (range(1, 4), "range(1, 4)"), ((1, {2}), None), ([range(3)], None)],
    ids=str,
)
def test_sets_and_ranges_are_arguments_of_nodes(value, text):
    graph = fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(taken, (x, value))
    assert node.args == (x, value) and node.all_input_nodes == [x] and type(node.args[1]) in (type(value), fx.immutable_collections.immutable_list)
    if text is None:
        return
    graph.output(node)
    gm = fx.GraphModule(nn.Module(), graph)
    assert f"(x, {text});" in gm.code and text in str(graph)
    assert gm(torch.ones(1)).item() == sum(value) == fx.Interpreter(gm).run(torch.ones(1)).item()
    again = pickle.loads(pickle.dumps(gm))
    assert again.code == gm.code and again(torch.ones(1)).item() == sum(value)


def test_two_equal_sets_in_one_graph():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output((graph.call_function(taken, (x, {1, 2})), graph.call_function(taken, (x, {1, 2}))))
    gm = fx.GraphModule(nn.Module(), graph)
    assert gm.code.count("{1, 2}") == 2 and [y.item() for y in gm(torch.ones(1))] == [3, 3]


def test_objects_are_arguments_of_nodes():
    graph = fx.Graph()
    x, first, second = graph.placeholder("x"), Box(2), Box(3)
    a, b = graph.call_function(taken, (x, first)), graph.call_function(taken, (x, second))
    graph.output((a, b))
    assert a.args[1] is first and b.args[1] is second
    gm = fx.GraphModule(nn.Module(), graph)
    assert [y.item() for y in gm(torch.ones(1))] == [2, 3]
    assert [y.item() for y in pickle.loads(pickle.dumps(gm))(torch.ones(1))] == [2, 3]


def test_a_node_in_a_set_is_an_error_that_names_it():
    graph = fx.Graph()
    x = graph.placeholder("x")
    with pytest.raises(TypeError, match="the node x .*set.*tuple or list"):
        graph.call_function(taken, (x, {x}))
    with pytest.raises(TypeError, match="the node x .*frozenset"):
        graph.call_function(taken, (x, [frozenset({x})]))
    assert len(graph.nodes) == 1


# Blocks, files, where -------------------------------------------------------------------------------------------------------------------
def test_nodes_of_a_block_can_be_iterated_and_called():
    @torch.jit.script
    def f(x):
        if bool(x.sum() > 0):
            y = x + 1
            y = y * 2
        else:
            y = x
        return y

    found = next(n for n in f.graph.nodes() if n.kind() == "prim::If")
    block = next(iter(found.blocks()))
    kinds = [n.kind() for n in block.nodes]
    assert kinds == [n.kind() for n in block.nodes()] and "aten::mul" in kinds and len(block.nodes) == len(kinds)
    assert [n.kind() for n in reversed(block.nodes)] == kinds[::-1]


def test_jit_load_of_a_graph_file_names_load_graph(tmp_path):
    path = tmp_path / "net.mgraph"
    fx.symbolic_trace(nn.Linear(2, 2)).graph.save(path)
    with pytest.raises(OSError, match=r"\.mgraph file.*torch\.load_graph"):
        torch.jit.load(path)
    with open(path, "rb") as file, pytest.raises(OSError, match=r"\.mgraph file.*torch\.load_graph"):
        torch.jit.load(file)


def test_where_of_a_constant_is_a_method():
    c = torch.arange(3.0)
    gm = fx.symbolic_trace(lambda x: c.where(x > 0, x))
    node = next(n for n in gm.graph.nodes if n.target == "where")
    assert node.op == "call_method" and [str(a) for a in node.args] == ["_tensor_constant0", "gt", "x"]
    x = torch.tensor([-1.0, 1.0, -3.0])
    assert torch.equal(gm(x), c.where(x > 0, x))


# Private names --------------------------------------------------------------------------------------------------------------------------
def test_a_patcher_replaces_functions_until_its_end():
    from monograph.fx._symbolic_trace import _autowrap_check, _create_wrapped_func, _find_proxy, _Patcher

    names = {"f": abs}

    class Kind:
        def method(self):
            return 1

    with _Patcher() as patcher:
        patcher.patch(names, "f", lambda x: "new")
        patcher.patch(names, "len", lambda x: "len")
        patcher.patch_method(Kind, "method", lambda self: 2)
        assert names["f"](1) == "new" and names["len"]([]) == "len" and Kind().method() == 2
        patcher.patch(names, "f", lambda x: "again")  # once
        assert names["f"](1) == "new" and len(patcher.patches_made) == 3
        patcher.revert_all_patches()
        assert names == {"f": abs} and Kind().method() == 1
        patcher.reapply_all_patches()
        assert Kind().method() == 2 and patcher.visit_once(names) and not patcher.visit_once(names)
    assert names == {"f": abs} and Kind().method() == 1
    with pytest.raises(KeyError), _Patcher() as patcher:
        patcher.patch({}, "no_such_function", lambda: 1)

    graph = fx.Graph()
    proxy = fx.Proxy(graph.placeholder("x"))
    assert _find_proxy({"a": [proxy]}) is proxy and _find_proxy(1, (2,)) is None
    made = _create_wrapped_func(max)(proxy, 1)
    assert made.node.target is max and made.node.meta["is_wrapped"]
    scope = {"taken": taken, "_hidden": taken}
    with _Patcher() as patcher:
        _autowrap_check(patcher, scope, {id(taken)})
        assert scope["taken"] is not taken and scope["_hidden"] is taken
    assert scope["taken"] is taken


def test_wrapped_methods_of_packages_are_recorded():
    from monograph.fx import _symbolic_trace

    class Table:
        def look_up(self, x):
            return self + x

    _symbolic_trace._wrapped_methods_to_patch.append((Table, "look_up"))
    try:
        graph = fx.symbolic_trace(lambda x: Table.look_up(x, 1)).graph
    finally:
        _symbolic_trace._wrapped_methods_to_patch.pop()
    assert ("call_method", "look_up") in [(n.op, n.target) for n in graph.nodes]
    assert Table.look_up(1, 1) == 2 and "add" in str(fx.symbolic_trace(lambda x: Table.look_up(x, 1)).graph)


def test_the_flag_of_a_running_trace():
    from monograph.fx import _symbolic_trace

    seen = []
    fx.symbolic_trace(lambda x: (seen.append(_symbolic_trace._is_fx_tracing_flag), x)[1])
    assert seen == [True] and _symbolic_trace._is_fx_tracing_flag is False
    _symbolic_trace._is_fx_tracing_flag = True
    try:
        assert _symbolic_trace.is_fx_tracing()
    finally:
        del _symbolic_trace._is_fx_tracing_flag
    assert not _symbolic_trace.is_fx_tracing()


NAMES = """
g, node, proxy = torch.fx.graph, torch.fx.node, torch.fx.proxy
_Namespace, _snake_case, _is_magic, _format_target, _parse_stack_trace = g._Namespace, g._snake_case, g._is_magic, g._format_target, g._parse_stack_trace
n = _Namespace()
made = [n.create_name(c, None) for c in ("add", "add", "add_1", "add_7", "add", "x y", "3d", "", "if", "print", "len_1", "len", "add_7")]
key = object()
made += [n.create_name("k", key), n.create_name("other", key)]
trace = 'File "a.py", line 3, in f\\n    x + 1\\nFile "b.py", line 4, in g\\n    y'
parsed = _parse_stack_trace(trace)
result = [
    made, [_snake_case(s) for s in ("myModule", "ABC", "HTTPServer", "a_b")], _is_magic("__add__"), _format_target("self", "a.0.b"),
    [parsed.file, parsed.lineno, parsed.name, parsed.code, parsed.get_summary_str()], _parse_stack_trace(trace, lambda f, n, c: f == "a.py").code,
    list(g._legal_ops), list(node._legal_ops), [node._type_repr(t) for t in (int, ...)], proxy._COPY_META_FIELDS, str in node.base_types,
]
"""


@pytest.mark.oracle
def test_private_names_beside_pytorch(oracle):
    both(oracle, NAMES)


def test_namespaces_and_other_private_names():
    found = run(NAMES)
    assert found[0] == ["add", "add_1", "add_2", "add_7", "add_8", "x_y", "_3d", "_unnamed", "if_1", "print_1", "len_1", "len_2", "add_9", "k", "k"]
    assert found[1] == ["my_module", "abc", "httpserver", "a_b"] and found[3] == 'getattr(self.a, "0").b'


def test_names_without_a_meaning_say_so_when_they_are_used():
    from monograph.fx.graph import _BoxedCodeGen, _color_fns
    from monograph.fx.proxy import _get_seq_nr

    for use in (lambda: _BoxedCodeGen(), lambda: _get_seq_nr(), lambda: _color_fns.get("red"), lambda: _make_class(_BoxedCodeGen)):
        with pytest.raises(NotImplementedError, match="exists in PyTorch, but it is not in Monograph yet"):
            use()
    with pytest.raises(ImportError):
        from monograph.fx.graph import _no_such_name  # noqa: F401


def _make_class(base):
    class Mine(base):
        pass

    return Mine


def test_custom_builtins_are_known_to_generated_code(tmp_path):
    import fractions

    from monograph.fx import _codegen, graph as graph_module

    graph_module._register_custom_builtin("fractions", "import fractions", fractions)
    try:
        gm = fx.symbolic_trace(lambda x: x + 1)
        assert gm.graph.python_code("self").globals["fractions"] is fractions
        gm.to_folder(tmp_path / "folder")
        assert "import fractions\n" in (tmp_path / "folder" / "module.py").read_text()
    finally:
        for table in (_codegen.BUILTIN_NAMES, _codegen.ADDED_IMPORTS, graph_module._custom_builtins, graph_module._illegal_names):
            table.pop("fractions", None)


class PatchingTracer(fx.Tracer):
    """A tracer with a trace() of its own, as packages write it over torch.fx: it patches nn.Module itself."""

    def trace(self, root, concrete_args=None):
        from monograph.fx._symbolic_trace import (
            FunctionType,
            ScriptObject,
            _autowrap_check,
            _orig_module_call,
            _orig_module_getattr,
            _patch_wrapped_functions,
            _Patcher,
            compatibility,
        )

        assert isinstance(compatibility(is_backward_compatible=True)(type(root).forward), FunctionType) and not isinstance(root, ScriptObject)
        self.root = root
        self.submodule_paths = {module: name for name, module in root.named_modules()}
        self.graph = fx.Graph(tracer_cls=type(self))
        function = type(root).forward
        scope = function.__globals__
        function, args = self.create_args_for_root(function, True, concrete_args)
        cache = {}

        def read(module, name):
            return self.getattr(name, _orig_module_getattr(module, name), cache)

        def call(module, *args, **kwargs):
            return self.call_module(module, lambda *a, **k: _orig_module_call(module, *a, **k), args, kwargs)

        with _Patcher() as patcher:
            patcher.patch_method(nn.Module, "__getattr__", read, deduplicate=False)
            patcher.patch_method(nn.Module, "__call__", call, deduplicate=False)
            _patch_wrapped_functions(patcher)
            _autowrap_check(patcher, scope, self._autowrap_function_ids)
            for module in self._autowrap_search:
                _autowrap_check(patcher, module.__dict__, self._autowrap_function_ids)
            returned = function.__annotations__.get("return", None)
            self.create_node("output", "output", (self.create_arg(function(*args)),), {}, type_expr=returned)
        self.submodule_paths = None
        return self.graph


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.full((2,), 2.0))

    def forward(self, x):
        return torch.relu(self.fc(x)) * self.scale


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x, k=2):
        return self.inner(x) + self.shift * k


def test_a_tracer_that_patches_modules_itself():
    net = Whole()
    usual = nn.Module.__call__, nn.Module.__getattr__
    gm = fx.GraphModule(net, PatchingTracer().trace(net))
    assert (nn.Module.__call__, nn.Module.__getattr__) == usual
    assert [(n.op, str(n.target)) for n in gm.graph.nodes if n.op in ("call_module", "get_attr")] == [
        ("call_module", "inner.fc"), ("get_attr", "inner.scale"), ("get_attr", "shift"),
    ]  # fmt: skip
    x = torch.randn(3, 2)
    assert torch.equal(gm(x), net(x))


def test_only_functions_are_wrapped_in_the_code_of_a_graph():
    class Halves(torch.nn.Module):
        def forward(self, x):
            return x.half()

    graph = fx.symbolic_trace(Halves()).graph
    next(n for n in graph.nodes if n.op == "call_method").meta["is_wrapped"] = True  # as where a wrapped function is traced into
    assert "wrap(" not in fx.GraphModule(Halves(), graph).code
