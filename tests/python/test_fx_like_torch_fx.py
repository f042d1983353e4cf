"""What programs written for torch.fx expect of tracers, leaves, arguments and errors."""

import copy
import dataclasses
import enum
import pickle
import traceback
import typing
import warnings

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.experimental.rewriter import RewritingTracer
from monograph.utils import _pytree


def by_name(a, b):
    return a[0] + b


def by_function(a, b):
    return a[0] + b


def of_layer(x, layer):
    return layer(x)


fx.wrap("by_name")
fx.wrap(by_function)  # its result is not used: the name means a leaf from here on
fx.wrap("of_layer")


@fx.wrap
def decorated(a):
    return a + 1


def test_the_three_forms_of_wrap():
    gm = fx.symbolic_trace(lambda x: decorated(by_name((x, x), 1) + by_function((x, x), 2)))
    assert [n.name for n in gm.graph.nodes] == ["x", "by_name", "by_function", "add", "decorated", "output"]
    assert torch.equal(gm(torch.ones(2)), torch.full((2,), 6.0))
    assert by_function((1, 2), 3) == 4  # outside of a trace it is the function itself
    again = fx.symbolic_trace(gm)
    assert "by_function" in again.code


class Color(enum.Enum):
    RED, BLUE = 1, 2


def of_color(x, color, others=()):
    return x + (1 if color is Color.RED else 2) + len(others)


fx.wrap("of_color")


def test_members_of_an_enum_are_arguments():
    """The code names a member after its module and class; in PyTorch it is Color.RED."""

    def f(x, color=Color.RED):
        return of_color(x, Color.BLUE, others=[Color.RED]) if color != Color.BLUE else x

    gm = fx.symbolic_trace(f, concrete_args={"color": Color.RED})
    x = torch.ones(1)
    node = next(n for n in gm.graph.nodes if n.target is of_color)
    assert node.args[1] is Color.BLUE and node.kwargs == {"others": [Color.RED]}
    for made in (gm, copy.deepcopy(gm), pickle.loads(pickle.dumps(gm)), fx.Transformer(gm).transform()):
        assert made(x).item() == 4 and fx.Interpreter(made).run(x).item() == 4
    default = fx.symbolic_trace(lambda x, color=Color.BLUE: of_color(x, color))
    assert default(x).item() == 3 and default(x, Color.RED).item() == 2
    assert default.graph.find_nodes(op="placeholder")[1].args == (Color.BLUE,)
    code = default.graph.python_code("self", expanded_def=True)
    exec(code.src, code.globals)


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2, affine=False)

    def forward(self, x):
        assert x.dim() == 2
        return of_layer(x, self.norm)


def test_a_rewriting_tracer_knows_the_leaves():
    tracer = RewritingTracer()
    graph = tracer.trace(Normed())
    assert [n.name for n in graph.nodes if n.name == "of_layer"] == ["of_layer"], graph
    x = torch.rand(3, 2)
    assert torch.equal(fx.GraphModule(tracer.root, graph)(x), Normed()(x))


@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor


def test_a_dataclass_is_made_by_the_graph():
    gm = fx.symbolic_trace(lambda x: Pair(left=x + x, right=x * 3))
    made = gm(torch.ones(2))
    assert type(made) is Pair and torch.equal(made.right, torch.full((2,), 3.0))
    assert gm.graph.output_node().args[0].target is Pair


def test_an_object_says_what_it_is_in_a_graph():
    class Own:
        def __init__(self, x):
            self.x = x

        def __fx_create_arg__(self, tracer):
            return tracer.create_node("call_function", Own, (tracer.create_arg(self.x),), {})

    gm = fx.symbolic_trace(lambda x: Own(x * 2))
    assert torch.equal(gm(torch.ones(2)).x, torch.full((2,), 2.0))


def test_concrete_args_of_a_function_of_any_number():
    class Net(nn.Module):
        def forward(self, *args, **kwargs):
            return args[0] + args[1]

    gm = fx.symbolic_trace(Net(), concrete_args=(fx.PH, fx.PH))
    assert [n.target for n in gm.graph.find_nodes(op="placeholder")] == ["input_0", "input_1"]
    assert torch.equal(gm(torch.ones(1), torch.ones(1)), torch.full((1,), 2.0))


def test_self_cannot_be_one_of_any_number():
    class Net(nn.Module):
        def forward(*args):
            return torch.relu(args[1])

    with pytest.raises(RuntimeError, match=r"cannot be part of \*args expansion"):
        fx.symbolic_trace(Net())


def test_a_placeholder_gets_the_attributes_of_its_ph():
    from monograph.fx._symbolic_trace import PHWithMeta

    gm = fx.symbolic_trace(lambda x: x + 1, concrete_args={"x": PHWithMeta(ph_key="key")})
    (x,) = gm.graph.find_nodes(op="placeholder")
    assert x.ph_key == x.meta["ph_key"] == "key"


def test_a_transformer_keeps_the_codegen():
    class OneList(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"\ndef forward(self, args_list){maybe_return_annotation}:\n    {', '.join(free_vars)} = args_list"

        def process_inputs(self, *inputs):
            return inputs[0]

    gm = fx.symbolic_trace(lambda a, b: a + b)
    gm.graph.set_codegen(OneList())
    gm.recompile()
    assert torch.equal(fx.Transformer(gm).transform()([torch.ones(1), torch.ones(1)]), torch.full((1,), 2.0))


def test_a_pickle_of_a_module_whose_codegen_has_no_name_takes_the_same_inputs():
    class OneList(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"def forward(self, args_list){maybe_return_annotation}:\n    {', '.join(free_vars)} = args_list"

    gm = fx.symbolic_trace(lambda a, b: torch.relu(a) - b)
    gm.graph.set_codegen(OneList())
    gm.recompile()
    x = torch.ones(1, 2)
    assert torch.equal(pickle.loads(pickle.dumps(gm))([x, x]), gm([x, x]))
    changed = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    changed.graph.on_generate_code(lambda before: lambda body: ["x = x * 2\n", *body])
    changed.recompile()
    assert pickle.loads(pickle.dumps(changed))(x).tolist() == changed(x).tolist() == [[3, 3]]


def test_the_stack_trace_of_a_node():
    gm = fx.symbolic_trace(lambda x: torch.relu(x))
    (relu,) = gm.graph.find_nodes(op="call_function")
    assert "test_fx_like_torch_fx.py" in relu.stack_trace and "torch.relu(x)" in relu.stack_trace
    relu.stack_trace = "noted"
    assert relu.stack_trace == "noted"


def test_immutable_lists_stay_so_in_trees():
    for value in (fx.immutable_collections.immutable_list([1, 2]), fx.immutable_collections.immutable_dict({"a": 1})):
        leaves, spec = _pytree.tree_flatten(value)
        assert type(_pytree.tree_unflatten(leaves, spec)) is type(value)


def test_a_mutable_operation_is_found_where_a_tracer_asks():
    def f(x):
        y = torch.rand_like(x)
        torch.sigmoid(x, out=y)
        return y

    class Strict(fx.Tracer):
        check_mutable_operations = True

    with pytest.raises(RuntimeError, match=r"mutable operation aten::sigmoid\.out"):
        Strict().trace(f)
    fx.Tracer().trace(f)


def test_a_scripted_module_is_a_call_of_its_method():
    class Inner(nn.Module):
        def forward(self, x):
            return torch.relu(x)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.jit.script(Inner())

        def forward(self, x):
            return self.inner(x) + 1

    gm = fx.symbolic_trace(Outer())
    assert [(n.op, n.target) for n in gm.graph.nodes][1:3] == [("get_attr", "inner"), ("call_method", "forward")]
    x = torch.tensor([-1.0, 2.0])
    assert torch.equal(gm(x), Outer()(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.fc(x))


def named(gm, name):
    return next(n for n in gm.graph.nodes if n.name == name)


def test_a_path_that_the_module_lacks_is_warned_of():
    gm = fx.symbolic_trace(Net())
    with gm.graph.inserting_after(named(gm, "x")):
        with pytest.warns(UserWarning, match="Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule.*'fc.nope'"):
            gm.graph.get_attr("fc.nope")
        with pytest.warns(UserWarning, match="Failed to fetch module nope!"):
            gm.graph.get_attr("nope.weight")
        with pytest.warns(UserWarning, match="Attempted to insert a get_attr Node"):  # there, but no module, parameter or buffer
            gm.graph.get_attr("fc.in_features")
        with pytest.raises(AttributeError, match="has no attribute `nope`"):
            gm.graph.call_module("nope", ())
        with pytest.raises(AttributeError, match="`weight` is not an nn.Module"):
            gm.graph.call_module("fc.weight", ())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gm.graph.get_attr("fc.weight")


def test_words_for_parameters_and_buffers_that_are_not_there():
    net = Net()
    for read in (net.get_parameter, net.get_buffer):
        with pytest.raises(AttributeError, match="Linear has no attribute `nope`"):
            read("fc.nope")
    with pytest.raises(AttributeError, match="`weight` is not a buffer"):
        net.get_buffer("fc.weight")


def test_an_error_in_generated_code_names_the_line_of_the_program():
    gm = fx.symbolic_trace(Net())
    named(gm, "fc").target = "nope"
    gm.recompile()
    with pytest.raises(AttributeError, match="nope") as error:
        gm(torch.ones(2, 3))
    text = "".join(traceback.format_exception(error.value))
    assert "fc = self.nope(x);  x = None" in text
    assert "recorded at" in text and "test_fx_like_torch_fx.py" in text and "graph.lint()" in text


@pytest.mark.parametrize("lines", [1, 20])  # 20 lines run as a plan
def test_an_error_of_an_operator_shows_the_line_of_the_generated_code(lines):
    def product(x, y):
        for _ in range(lines):
            x = x + 1
        return x @ y

    gm = fx.symbolic_trace(product)
    with pytest.raises(RuntimeError, match="recorded at .*test_fx_like_torch_fx.py") as error:
        gm(torch.ones(2, 3), torch.ones(2, 3))
    shown = [line.strip() for line in "".join(traceback.format_exception(error.value)).splitlines()]
    assert any(line.endswith(gm.code.strip().splitlines()[-2].strip()) and line.startswith(f"line {5 + lines} of ") for line in shown), shown


def test_an_error_of_the_users_own_code_is_left_alone():
    def leaf(x):
        raise KeyError("mine")

    graph = fx.Graph()
    graph.output(graph.call_function(leaf, (graph.placeholder("x"),)))
    gm = fx.GraphModule(nn.Module(), graph)
    with pytest.raises(KeyError) as error:
        gm(torch.ones(2))
    assert not getattr(error.value, "__notes__", [])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: fx.symbolic_trace(Net), r"got the class Net, not an instance of it; call the class first: symbolic_trace\(Net\(\.\.\.\)\)"),
        (lambda: fx.symbolic_trace(None), "expected a function or a module, but got NoneType"),
        (lambda: fx.GraphModule(nn.Module(), "x"), "expected a Graph, but got str"),
        (lambda: fx.GraphModule(nn.Module(), fx.symbolic_trace(Net()).graph), r"Node fc \(.*\.py:\d+\): .*'fc'.*Put it there, or erase the node"),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises((TypeError, AssertionError, AttributeError), match=words):
        call()


def test_annotations_of_generated_code_are_types_of_a_script():
    def f(a: typing.List[torch.Tensor], k: int | None = None) -> typing.Dict[str, torch.Tensor]:  # noqa: UP006 (they are written otherwise than list and dict)
        return {"a": a[0]}

    def g(a: list[str]) -> list[str]:
        return a

    assert "typing_Dict[str,torch.Tensor]" in fx.symbolic_trace(f).code
    x = torch.ones(2)
    assert torch.equal(torch.jit.script(fx.symbolic_trace(f))([x])["a"], x)
    assert torch.jit.script(fx.symbolic_trace(g))(["b"]) == ["b"]


def test_code_that_would_be_no_python_is_refused_with_the_node():
    gm = fx.symbolic_trace(Net())
    with gm.graph.inserting_after(named(gm, "fc")):
        gm.graph.call_method("relu", ())
    with pytest.raises(ValueError, match="%relu_1 calls the method 'relu' of nothing. Its first argument is the value that has the method"):
        gm.recompile()
    gm = fx.symbolic_trace(Net())
    with gm.graph.inserting_after(named(gm, "x")):
        gm.graph.placeholder("x")
    with pytest.raises(ValueError, match="%x_1 and %x are both the parameter 'x'. Give one of them another target"):
        gm.recompile()


def test_lines_that_a_transformer_of_the_code_appends_stand_alone():
    gm = fx.symbolic_trace(lambda x: x + 1)
    gm.graph.on_generate_code(lambda before: lambda body: [*body, "# yo\n"])
    gm.recompile()
    assert gm.code.endswith("    return add\n    # yo\n    ")
    assert gm(torch.ones(1)).tolist() == [2.0]


def test_parameters_without_a_default_stand_first():
    graph = fx.Graph()
    graph.output((graph.placeholder("a", default_value=1), graph.placeholder("b")))
    with pytest.raises(SyntaxError, match="default argument") as raised:
        fx.GraphModule({}, graph)
    assert raised.value.text.strip() == "def forward(self, a = 1, b):" and "default_value" in raised.value.__notes__[0]


class Named(fx.GraphModule):
    def __init__(self, root, graph, class_name="Named"):
        super().__init__(root, graph, class_name)


def test_copies_have_the_class_of_the_original_and_a_plain_name():
    gm = fx.symbolic_trace(Net())
    assert [type(m).__name__ for m in (gm, copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm)))] == ["Net", *["GraphModule"] * 3]
    named = Named(Net(), gm.graph)
    again = copy.deepcopy(copy.deepcopy(named))
    assert type(named).__name__ == "Named" and type(again).__name__ == "GraphModule" and isinstance(again, Named)
    assert type(again).__mro__[1] is Named and type(again) is not type(named)


def test_wrap_in_a_function_is_refused():
    for f in (lambda x: x, "len"):
        with pytest.raises(NotImplementedError, match="wrap must be called at the top level of a module"):
            fx.wrap(f)


@pytest.mark.parametrize("asks", [False, True])
def test_a_tracer_makes_proxies_of_buffers_only_if_it_asks_for_them(asks):
    class Buffered(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("b", torch.ones(2))

        def forward(self, x):
            return x + self.b

    made = []

    class Counting(fx.Tracer):
        def proxy(self, node):
            made.append(node.name)
            return fx.Proxy(node, self)

    tracer = Counting()
    if asks:
        tracer.proxy_buffer_attributes = True
    assert [n.op for n in tracer.trace(Buffered()).nodes] == ["placeholder", "get_attr", "call_function", "output"]
    assert made == (["x", "b", "add"] if asks else ["x", "add"])


def hook_of_state(*args):
    pass


def test_copies_keep_what_no_node_refers_to():
    gm = fx.symbolic_trace(Net())
    gm.register_buffer("late", torch.ones(1))
    gm.note = "kept"
    gm._register_state_dict_hook(hook_of_state)
    again, copied = pickle.loads(pickle.dumps(gm)), copy.deepcopy(gm)
    assert "late" in again.state_dict() and "late" in copied.state_dict()
    assert again.note == "kept" and not hasattr(copied, "note")
    assert len(copied._state_dict_hooks) == 1
    both = copy.deepcopy([gm, gm])
    assert both[0] is both[1]


def test_a_transformed_module_is_called_graph_module():
    assert type(fx.Transformer(fx.symbolic_trace(Net())).transform()).__name__ == "GraphModule"


def test_methods_of_a_tracer_may_show_proxies_in_a_list():
    shown = []

    class Shows(fx.Tracer):
        def call_module(self, m, forward, args, kwargs):
            shown.append([str(a) for a in args])
            return super().call_module(m, forward, args, kwargs)

    Shows().trace(nn.Sequential(nn.ReLU()))
    assert shown == [["Proxy(input_1)"]]


def test_print_readable_of_modules_inside_has_one_line_between_them():
    graph = fx.Graph()
    graph.output(graph.call_module("m", (graph.placeholder("x"),)))
    text = fx.GraphModule({"m": fx.symbolic_trace(nn.ReLU())}, graph).print_readable(print_output=False)
    assert "        return m\n\n    class m(torch.nn.Module):" in text


def test_functions_of_several_tensors_record_their_keywords_and_lists():
    def code(function):
        return fx.symbolic_trace(function).code

    assert "torch.functional.meshgrid(x, y, indexing = None)" in code(lambda x, y: torch.meshgrid(x, y))
    assert "torch.functional.meshgrid(x, y, indexing = 'ij')" in code(lambda x, y: torch.meshgrid(x, y, indexing="ij"))
    assert "torch.meshgrid([x, y])" in code(lambda x, y: torch.meshgrid([x, y]))
    assert "torch.atleast_2d([x, y])" in code(lambda x, y: torch.atleast_2d([x, y]))
    assert "torch.functional.chain_matmul(x, y)" in code(lambda x, y: torch.chain_matmul(x, y))
    assert "torch.nonzero(x)" in code(lambda x: torch.nonzero(x))
    flags = "sorted = True, return_inverse = False, return_counts = True, dim = None"
    assert f"torch.functional.unique(x, {flags})" in code(lambda x: torch.unique(x, return_counts=True))
    assert "torch.functional.unique_consecutive(x, return_inverse = True, return_counts = False, dim = 0)" in code(
        lambda x: torch.unique_consecutive(x, True, dim=0)
    )
    assert "torch.functional.lu(x, pivot = True, get_infos = False, out = None)" in code(lambda x: torch.lu(x))
    with pytest.warns(UserWarning, match="upsample` is deprecated"):
        upsampled = code(lambda x: torch.nn.functional.upsample(x, 2))
    assert "torch.nn.functional.interpolate(x, size = 2, scale_factor = None, mode = 'nearest', align_corners = None" in upsampled
    counted = fx.symbolic_trace(lambda x: torch.unique(x, return_counts=True)[1])
    assert counted(torch.tensor([3, 1, 3])).tolist() == counted.graph(torch.tensor([3, 1, 3])).tolist() == [1, 2]
    gm = fx.symbolic_trace(lambda x, y: torch.meshgrid([x, y])[1])
    assert gm(torch.ones(2), torch.arange(3.0)).tolist() == gm.graph(torch.ones(2), torch.arange(3.0)).tolist() == [[0, 1, 2]] * 2
