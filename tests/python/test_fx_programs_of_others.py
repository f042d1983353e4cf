"""What programs that were written for torch.fx do beside its public names, and arguments that they give to functions. The results are those of PyTorch 2.13."""

import copy
import enum
import pickle

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.experimental.proxy_tensor import make_fx
from monograph.fx.passes.split_module import split_module


class Mode(enum.IntEnum):
    SLOW = 1
    FAST = 2


class Word(str, enum.Enum):  # noqa: UP042 (a StrEnum has another str())
    MEAN = "mean"


@fx.wrap
def is_the_member(x, mode, word="mean"):
    return x + 1 if mode is Mode.FAST and word is Word.MEAN else x - 1


def test_a_function_gets_the_member_of_an_int_enum():
    # It got the number 2 and the text "mean".
    gm = fx.symbolic_trace(lambda x: is_the_member(x, Mode.FAST, word=Word.MEAN))
    x = torch.zeros(2)
    (call,) = gm.graph.find_nodes(op="call_function", target=is_the_member)
    assert call.args[1] is Mode.FAST and call.kwargs["word"] is Word.MEAN
    for run in (gm, gm, fx.Interpreter(gm).run, copy.deepcopy(gm), fx.Transformer(gm).transform()):
        assert run(x).tolist() == [1, 1]


@pytest.mark.parametrize("how", ["module", "graph", "interpreter"])
def test_operators_take_members_of_enums_as_numbers_and_texts(how):
    def f(x, y):
        loss = torch.nn.functional.mse_loss(x, y, reduction=Word.MEAN)
        return x.sum(Mode.SLOW) + x[Mode.SLOW, Mode.SLOW] * Mode.FAST + loss, x.reshape(Mode.FAST, -1), torch.add(x, y, alpha=Mode.FAST)

    gm = fx.symbolic_trace(f)
    run = {"module": gm, "graph": gm.graph, "interpreter": fx.Interpreter(gm).run}[how]
    x, y = torch.arange(4.0).reshape(2, 2), torch.ones(2, 2)
    for made, expected in zip(run(x, y), f(x, y), strict=True):
        assert torch.equal(made, expected)
    assert len(fx.replace_pattern(gm, lambda x: x.sum(1), lambda x: x.amax(1))) == 1  # the member is the number here, as in PyTorch


def test_members_of_enums_in_a_graph_of_operators():
    graph = torch.jit.trace(lambda x: x.sum(0) * 2, torch.ones(2, 3)).inlined_graph
    (total,) = [n for n in graph.nodes if n.name == "sum_1"]
    total.update_arg(1, [Mode.SLOW])
    assert graph(torch.ones(2, 3)).tolist() == [6, 6]


class Asks(fx.Tracer):
    def __init__(self):
        super().__init__()
        self.asked = []

    def is_leaf_module(self, m, module_qualified_name):
        self.asked.append(module_qualified_name)
        return super().is_leaf_module(m, module_qualified_name)


def test_a_tracer_asks_once_for_each_call_whether_a_module_is_a_leaf():
    # It asked twice for each module that is none: a tracer that remembers what it saw answered otherwise the second time.
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))

        def forward(self, x):
            return self.body(self.body(x))

    tracer = Asks()
    tracer.trace(Net())
    assert tracer.asked == ["body", "body.0", "body.1", "body.1.0"] * 2


def test_a_module_that_is_a_leaf_from_its_second_call_on():
    class SecondIsLeaf(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            seen, self.seen = module_qualified_name in getattr(self, "seen", ()), {*getattr(self, "seen", ()), module_qualified_name}
            return seen

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

        def forward(self, x):
            return self.act(self.act(x))

    assert [n.op for n in SecondIsLeaf().trace(Net()).nodes] == ["placeholder", "call_function", "call_module", "output"]


def test_a_subclass_of_the_interpreter_may_write_run_node_as_torch_fx_has_it():
    class Counted(fx.Interpreter):
        calls = 0

        def run_node(self, n):
            with self._set_current_node(n):
                args, kwargs = self.fetch_args_kwargs_from_env(n)
                self.calls += 1
                return getattr(self, n.op)(n.target, args, kwargs)

    run = Counted(fx.symbolic_trace(nn.Sequential(nn.ReLU(), nn.Tanh())))
    assert run.run(torch.zeros(2)).tolist() == [0, 0] and run.calls == 4

    def f(x, n: int):
        y = torch.sin(x) if x.sum() > 0 else torch.cos(x)
        for i in range(n):
            y = y * 2 if i == 1 else y + i
        return y

    for gm in (fx.symbolic_trace(f), fx.GraphModule(nn.Module(), torch.jit.script(f).graph)):
        for x in (torch.ones(2), -torch.ones(2)):
            assert torch.equal(Counted(gm).run(x, 3), f(x, 3))


def test_names_that_no_node_has():
    graph = fx.symbolic_trace(lambda x: torch.relu(x)).graph
    assert graph._graph_namespace.create_name("relu", None) == "relu_1"
    assert graph._graph_namespace.create_name("relu", None) == "relu_2"
    graph.call_function(torch.tanh, (next(iter(graph.nodes)),))
    assert "tanh" in graph._graph_namespace._used_names
    assert graph._graph_namespace.create_name("tanh", None) == "tanh_1"
    assert [graph._target_to_str(t) for t in (torch.relu, "__add__", "someName")] == ["relu", "add", "some_name"]


def test_the_tensors_that_are_plain_attributes():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.k, self.inner = torch.ones(2), nn.Module()
            self.inner.t = torch.zeros(2)
            self.register_buffer("b", torch.ones(2))

        def forward(self, x):
            return x + self.k

    tracer, net = fx.Tracer(), Net()
    tracer.trace(net)
    assert [(t is net.k, path) for t, path in tracer.tensor_attrs.items()] == [(True, "k"), (False, "inner.t")]
    tracer.tensor_attrs = {}  # as tracers that trace otherwise set it
    tracer.tensor_attrs[net.k] = "k2"
    assert tracer.tensor_attrs[net.k] == "k2"


@pytest.mark.parametrize("make", [torch.jit.script, lambda m: torch.jit.trace(m, torch.ones(1, 2))], ids=["script", "trace"])
def test_a_call_of_a_graph_that_shows_methods_names_the_one_that_runs(make):
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    made = make(module)
    x = torch.ones(1, 2)
    told = r"This graph shows calls of methods(.|\n)*fx.GraphModule\(module, module.inlined_graph\)"
    with pytest.raises(TypeError, match=told):
        fx.GraphModule(module, made.graph)(x)
    with pytest.raises(RuntimeError, match=told):
        fx.Interpreter(fx.GraphModule(module, made.graph)).run(x)
    assert torch.equal(fx.GraphModule(module, made.inlined_graph)(x), module(x))


def test_a_script_that_reads_attributes_is_split():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(4, 2)

        def forward(self, x):
            z = x.flatten(1)
            return self.l(z * z.shape[0])

    net, x = Net(), torch.ones(3, 2, 2)
    script = fx.GraphModule(net, torch.jit.script(net).inlined_graph)
    numbers = iter(range(100))
    split = split_module(script, net, lambda node: next(numbers) // 2)
    assert len(list(split.children())) > 1 and torch.equal(split(x), net(x))
    copied = fx.Graph()
    known = {}
    for n in script.graph.nodes:  # as passes copy nodes that they leave as they are
        args, kwargs = fx.node.map_arg((n.args, dict(n.kwargs)), lambda a: known[a])
        known[n] = copied.create_node(n.op, n.target, args, kwargs, n.name, n.type)
    copied.lint()
    assert torch.equal(fx.GraphModule(net, copied)(x), net(x))


def test_data_of_an_input_is_a_view_in_the_graph_too():
    gm = fx.symbolic_trace(lambda x: (x.data.add_(1), x)[1])
    for run in (gm, gm.graph, fx.Interpreter(gm).run):
        x = torch.zeros(2)
        assert run(x).tolist() == [1, 1] and x.tolist() == [1, 1]


def test_dicts_and_slices_in_the_text_of_a_graph():
    graph = fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(print, ({"k": (x, 1)}, [{1: x, ("a", 2): "t"}], slice(x, None)), {"q": {"m": slice(x, 1)}})
    text = "args = ({k: (%x, 1)}, [{1: %x, ('a', 2): t}], slice(x, None, None)), kwargs = {q: {m: slice(x, 1, None)}})"
    assert node.format_node().endswith(text) and str(graph).endswith(text)


def test_make_fx_names_the_overloads_that_pytorch_names():
    def f(x):
        y = x.clone()
        y.add_(1)
        return x + 1, x - 1, x * 2, x / 2, 1 - x, x // 2, x % 2, x**2, x > 1, x.add(1, alpha=2), torch.div(x, 2, rounding_mode="floor"), y

    gm = make_fx(f)(torch.ones(2))
    names = [str(n.target).partition("aten.")[2].strip("'>") for n in gm.graph.nodes if n.op == "call_function"]
    assert names == [
        "clone.default", "add_.Tensor", "add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "rsub.Scalar", "floor_divide.default", "remainder.Scalar",
        "pow.Tensor_Scalar", "gt.Scalar", "add.Tensor", "div.Tensor_mode",
    ]  # fmt: skip
    (scaled,) = [n for n in gm.graph.nodes if n.kwargs.get("alpha")]
    assert scaled.args[1:] == (1,) and dict(scaled.kwargs) == {"alpha": 2}
    for x in (torch.tensor([1.5, -3.0]), torch.tensor([3, -5])):
        for run in (gm, fx.Interpreter(gm).run, gm.graph, fx.Transformer(gm).transform(), copy.deepcopy(gm)):
            for made, expected in zip(run(x), f(x), strict=True):
                assert torch.equal(made, expected) and made.dtype == expected.dtype


def test_a_proxy_with_its_own_calls_is_asked_for_lists_of_proxies_too():
    # It was not asked for torch.cat([x, x]), so a tracer that notes something with each proxy lost it there.
    class Noted(fx.Proxy):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return super().__torch_function__(function, types, args, kwargs)

    class Notes(fx.Tracer):
        def proxy(self, node):
            return Noted(node, self)

    seen = []
    graph = Notes().trace(lambda x: torch.cat([x, torch.stack((x, x))[0]]) + torch.zeros(2))
    assert seen == ["stack", "cat"]
    assert [n.name for n in graph.nodes] == ["x", "stack", "getitem", "cat", "zeros", "add", "output"]


def test_a_tracer_gives_modules_that_are_made_while_tracing_a_place():
    class Places(fx.Tracer):
        def path_of_module(self, mod):
            try:
                return super().path_of_module(mod)
            except NameError:
                if list(mod.parameters()):
                    raise
                name = f"{type(mod).__name__.lower()}_{len(self.root._modules)}"
                setattr(self.root, name, mod)
                return name

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(2, 2)

        def forward(self, x):
            return nn.ReLU()(nn.Tanh()(self.l(x)))

    net, tracer = Net(), Places()
    gm = fx.GraphModule(net, tracer.trace(net))
    assert [n.target for n in gm.graph.nodes if n.op == "call_module"] == ["l", "tanh_1", "relu_2"]
    assert torch.equal(gm(torch.ones(1, 2)), net(torch.ones(1, 2)))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda n: copy.deepcopy(n.args), pickle.dumps], ids=["copy", "deepcopy", "args", "pickle"])
def test_a_copy_of_a_node_alone_says_what_copies_nodes(copied):
    graph = fx.symbolic_trace(lambda x: torch.relu(x) + 1).graph
    text = str(graph)
    with pytest.raises(TypeError, match=r"node \w+ belongs to its graph .*made at .*graph.node_copy\(node\)"):
        copied(graph.output_node().args[0])
    assert str(graph) == text
