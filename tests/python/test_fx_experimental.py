"""torch.fx.experimental, generated code, to_folder, fx.traceback."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx
from monograph.fx.experimental import const_fold, merge_matmul, normalize, optimization, rewriter
from monograph.fx.experimental.proxy_tensor import make_fx
from monograph.fx.operator_schemas import check_for_mutable_operation, normalize_function
from monograph.fx.passes.reinplace import reinplace
from monograph.fx.passes.tools_common import legalize_graph
from networks import NETWORKS
from test_fx_passes import NAMES, branches_and_loops, network
from test_networks import FIXED, assert_same, leaves


@pytest.mark.parametrize("name", NAMES)
def test_a_fused_network_gives_the_same_within_rounding(name):
    make, inputs = NETWORKS[name]
    net, gm, x = network(name)
    with torch.no_grad():
        for m in net.modules():  # statistics that a fold does not ignore
            if isinstance(getattr(m, "running_mean", None), torch.Tensor):
                m.running_mean.uniform_(-0.5, 0.5)
                m.running_var.uniform_(0.5, 2)
        expected = net(*copy.deepcopy(x))
        fused = optimization.fuse(gm, no_trace=True) if name in FIXED else optimization.fuse(net)
        got = fused(*copy.deepcopy(x))
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        if isinstance(b, torch.Tensor) and b.is_floating_point():
            bound = 2e-4 * max(1.0, float(b.abs().max()) if b.numel() else 1.0)
            assert (a - b).abs().max() <= bound if b.numel() else True
    # A batch norm behind a convolution that nothing else reads is gone.
    graph, modules = fused.graph, dict(fused.named_modules())
    for node in graph.nodes:
        pair = any(optimization.matches_module_pattern(p[:2], node, modules) for p in optimization._FOLDS)
        assert not pair or len(node.args[0].users) > 1 or optimization._uses(graph, modules)[modules[node.args[0].target]] > 1


def test_a_layer_that_is_called_twice_is_not_fused():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.one, self.two = nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.BatchNorm2d(1)

        def forward(self, x):
            return self.one(self.conv(x)) + self.two(self.conv(x))

    net = Net().eval()
    net.one.running_mean.fill_(3.0)
    x = torch.ones(1, 1, 2, 2)
    assert torch.equal(optimization.fuse(net)(x), net(x))


def test_fusing_needs_eval_mode_and_may_be_in_place():
    net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2))
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        optimization.fuse(net)
    weight = net[0].weight.clone()
    optimization.fuse(net.eval())
    assert torch.equal(net[0].weight, weight)
    with pytest.raises(NotImplementedError, match="modules_to_mkldnn: tensors have no MKLDNN layout here"):
        optimization.modules_to_mkldnn([], {})


def test_inference_keeps_results():
    net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.Dropout(0.5), nn.ReLU()).eval()
    made = optimization.optimize_for_inference(net)
    assert [n.name for n in made.graph.nodes if n.op == "call_module"] == ["_0", "_3"]
    x = torch.randn(1, 1, 2, 2)
    assert torch.allclose(made(x), net(x), atol=1e-6)


def test_sets_that_are_joined():
    sets = optimization.UnionFind(5)
    for v in range(5):
        sets.make_set(v)
    sets.join(0, 1), sets.join(3, 4), sets.join(1, 4)
    assert len({sets.find(v) for v in (0, 1, 3, 4)}) == 1
    assert sets.find(2) == 2


def test_merged_products_keep_dependent_ones():
    def program(a, b, c):
        first = torch.matmul(a, c)
        return first, torch.matmul(first, c), torch.matmul(b, c)

    x = torch.randn(2, 2)
    made = merge_matmul.merge_matmul(program)
    assert made.code.count("torch.matmul(") == 3
    assert_same(made(x, x + 1, x), program(x, x + 1, x))
    independent = merge_matmul.merge_matmul(lambda a, b, c: torch.matmul(a, c) + torch.matmul(b, c))
    assert independent.code.count("torch.matmul(") == 1
    assert torch.allclose(independent(x, x + 1, x), torch.matmul(x, x) + torch.matmul(x + 1, x))
    assert all(n.span for n in independent.graph.nodes if n.op.startswith("call"))


def test_products_of_several_groups_are_merged():
    def program(a, b, c, d):
        return torch.matmul(a, c), torch.matmul(a, d), torch.matmul(b, c), torch.matmul(b, d)

    made, inputs = merge_matmul.merge_matmul(program), [torch.randn(2, 2) for _ in range(4)]
    assert made.code.count("torch.matmul(") == 2
    for ours, theirs in zip(made(*inputs), program(*inputs), strict=True):
        assert torch.allclose(ours, theirs)


def test_products_of_what_is_written_stay():
    def program(a, b, c):
        first = torch.matmul(a, c)
        c.mul_(2)
        return first + torch.matmul(b, c)

    made, x = merge_matmul.merge_matmul(program), torch.randn(2, 2)
    assert torch.equal(made(x, x, x.clone()), program(x, x, x.clone()))


def test_what_a_layer_calls_p_need_not_be_a_rate():
    class Powered(nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x * self.p

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.powered = nn.Parameter(torch.ones(2)), Powered()

        def forward(self, x):
            return self.powered(x) + self.powered(self.w)

    class Tracer(fx.Tracer):
        def is_leaf_module(self, m, name):
            return isinstance(m, Powered)

    gm = fx.GraphModule(net := Net(), Tracer().trace(net))
    assert legalize_graph(gm)(torch.ones(2)).tolist() == [2, 2]
    folded = const_fold.split_const_subgraphs(gm)
    assert "powered" in folded.const_subgraph_module.code and folded(torch.ones(2)).tolist() == [2, 2]


def test_random_and_training_values_are_not_folded():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(4))
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return x + self.drop(self.w) + torch.rand_like(self.w) + self.w.exp()

    folded = const_fold.split_const_subgraphs(Net())
    assert "exp" in folded.const_subgraph_module.code
    assert "drop" not in folded.const_subgraph_module.code and "rand" not in folded.const_subgraph_module.code
    assert "drop" not in folded.const_subgraph_module.code
    x = torch.zeros(4)
    assert not torch.equal(folded(x), folded(x))


def test_a_folded_branch():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x * torch.cond(self.w.sum() > 0, lambda: self.w * 2, lambda: self.w * 3)

    folded = const_fold.split_const_subgraphs(Net())
    assert "if" in folded.const_subgraph_module.code and "if" not in folded.code.replace("pad_if", "")
    assert folded(torch.ones(2)).tolist() == [2.0, 2.0]
    assert folded.has_folding_been_run
    with pytest.raises(AssertionError, match="Folding has already been run"):
        folded.run_folding()


def test_normalized_calls_in_blocks_run():
    gm = fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: nn.functional.relu(x), lambda: nn.functional.softmax(x, 0)))
    made = normalize.NormalizeArgs(gm).transform()
    assert "input = x" in made.code
    for x in (torch.ones(2), -torch.ones(2)):
        assert torch.equal(made(x), gm(x))
    swapped = normalize.NormalizeOperators(fx.symbolic_trace(lambda x: torch.add(x, x, alpha=2))).transform()
    assert "alpha = 2" in swapped.code


def test_overloads_that_only_types_tell_apart():
    with pytest.raises(RuntimeError, match="(?s)the schema match was ambiguous.*Available schemas"):
        normalize_function(torch.add, (1, 2))
    assert normalize_function(torch.add, (1, 2), arg_types=(torch.Tensor, torch.Tensor), kwarg_types={}).kwargs == {"alpha": 1}
    assert normalize_function(len, ([],)) is None
    with pytest.raises(RuntimeError, match="Tried to trace mutable operation aten::relu_"):
        check_for_mutable_operation(torch.ops.aten.relu_.default, (1,), {})
    check_for_mutable_operation(torch.ops.aten.relu.default, (1,), {})


def test_a_rewritten_assert_is_recorded():
    bound = 2

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x, y=1):
            assert x.shape[0] < bound + 3, "too long"
            x: torch.Tensor = x + 0  # noqa: PLW2901
            return self.inner(x) * y

    class Inner(nn.Module):
        def forward(self, x):
            assert (x > 0).all()
            return x.sin()

    tracer = rewriter.RewritingTracer()
    net = Net()
    gm = fx.GraphModule(net, tracer.trace(net))
    assert gm.code.count("torch._assert(") == 2
    assert "add : torch.Tensor = x + 0" in gm.code
    assert torch.equal(gm(torch.ones(2)), torch.ones(2).sin())
    with pytest.raises(AssertionError, match="too long"):
        gm(torch.ones(9))
    with pytest.raises(AssertionError):
        gm(-torch.ones(2))
    assert type(net).forward is Net.forward  # the class is as it was


def test_make_fx_keeps_branches_and_refuses_guards():
    gm = make_fx(branches_and_loops)(torch.ones(3))
    for x in (torch.ones(3), -torch.ones(3)):
        assert_same(gm(x), branches_and_loops(x))
    with pytest.raises(RuntimeError, match="(?s)make_fx: the function depends on values.*torch.capture"):
        make_fx(lambda x: x + 1 if x.sum() > 0 else x)(torch.ones(3))


def test_make_fx_takes_lists_and_dicts():
    def f(x, params, pair):
        return {"out": torch.sin(x) * params["w"] + params["b"], "l": [pair[0].cos(), (pair[1][0], x)]}

    args = (torch.ones(2), {"w": torch.full((2,), 2.0), "b": torch.zeros(2)}, (torch.ones(2), [torch.ones(3)]))
    gm = make_fx(f)(*args)
    assert [n.name for n in gm.graph.nodes if n.op == "placeholder"] == ["x_1", "params_1", "params_2", "pair_1", "pair_2"]
    assert "def forward(self, x, params, pair):" in gm.code and "tree_unflatten" in gm.code
    got, expected = gm(*args), f(*args)
    assert list(got) == list(expected) and torch.equal(got["out"], expected["out"]) and torch.equal(got["l"][1][0], args[2][1][0])
    net = nn.Linear(2, 2)
    params = {k: torch.ones_like(v.detach()) for k, v in net.named_parameters()}
    called = make_fx(lambda p, x: torch.func.functional_call(net, p, (x,)))(params, torch.ones(3, 2))
    assert torch.equal(called({k: v * 2 for k, v in params.items()}, torch.ones(1, 2)), torch.full((1, 2), 6.0))


def test_make_fx_of_a_gradient():
    gm = make_fx(torch.func.grad(lambda x: (x * x).sum()))(torch.ones(2))
    assert gm(torch.full((2,), 3.0)).tolist() == [6.0, 6.0] and "requires_grad" not in gm.code
    gm = make_fx(lambda w, x: torch.func.grad(lambda w: torch.tanh(x @ w).sum())(w))(torch.ones(3), torch.ones(2, 3))
    w, x = torch.randn(3).requires_grad_(), torch.randn(4, 3)
    (expected,) = torch.autograd.grad(torch.tanh(x @ w).sum(), w)
    torch.testing.assert_close(gm(w.detach(), x), expected)


def test_make_fx_notes_what_each_node_gives():
    def f(x, parts):
        values, places = torch.topk(x @ parts["w"], 2)
        return values.sum(0), places, x.shape[0] * x

    gm = make_fx(f)(torch.ones(3, 4), {"w": torch.ones(4, 5, dtype=torch.float32)})
    tensors = [node.meta["val"] for node in gm.graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)]
    assert {tuple(t.shape) for t in tensors} == {(3, 4), (4, 5), (3, 5), (3, 2), (2,)} and torch.int64 in {t.dtype for t in tensors}
    assert all(node.meta["tensor_meta"].shape == node.meta["val"].shape for node in gm.graph.nodes if isinstance(node.meta.get("val"), torch.Tensor))
    product = next(node for node in gm.graph.nodes if "matmul" in node.name)
    assert tuple(product.meta["val"].shape) == (3, 5) and product.meta["val"].device.type == "meta"
    # Where sizes depend on values, the nodes before have them.
    gm = make_fx(lambda x: torch.nonzero(x + 1))(torch.ones(3))
    assert next(tuple(node.meta["val"].shape) for node in gm.graph.nodes if "add" in node.name) == (3,)


@pytest.mark.parametrize("name", NAMES)
def test_a_network_by_make_fx_and_reinplaced(name):
    net, _, x = network(name)
    with torch.no_grad():
        expected = net(*copy.deepcopy(x))
        try:
            gm = make_fx(net)(*x)
        except RuntimeError as error:
            assert "depends on values or sizes" in str(error)
            return
        gm.graph.lint()
        flat = leaves(list(copy.deepcopy(x)))
        got = gm(*copy.deepcopy(x))
        for a, b in zip(leaves(got), leaves(expected), strict=True):
            assert not isinstance(b, torch.Tensor) or torch.equal(a, b)
        try:
            reinplace(gm, *flat)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            assert "meta" in str(error) or "two different shapes" in str(error), error
            return
        for a, b in zip(leaves(gm(*copy.deepcopy(x))), leaves(expected), strict=True):
            assert not isinstance(b, torch.Tensor) or torch.equal(a, b)


# Code -------------------------------------------------------------------------------------------------------------------------------------
def test_a_module_as_a_package(tmp_path, monkeypatch):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.act = nn.Linear(2, 2), nn.PReLU()
            self.w = nn.Parameter(torch.ones(2))
            self.register_buffer("b", torch.full((2,), 3.0))

        def forward(self, x):
            return self.act(self.fc(x)) * self.w + self.b

    gm = fx.symbolic_trace(Net())
    with pytest.warns(UserWarning, match="Was not able to save the following children modules as reprs"):
        gm.to_folder(tmp_path / "written_net", "Written")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("written_net").Written()
    sys.modules.pop("written_net"), sys.modules.pop("written_net.module")
    x = torch.randn(3, 2)
    assert torch.equal(made(x), gm(x))
    assert torch.equal(fx.symbolic_trace(made)(x), gm(x))


@pytest.mark.filterwarnings("ignore")
def test_a_package_keeps_what_a_repr_leaves_out(tmp_path, monkeypatch):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.frozen = nn.Linear(2, 2).double(), nn.Linear(2, 2).requires_grad_(False)
            self.normed = nn.utils.weight_norm(nn.Linear(2, 2))

        def forward(self, x):
            return self.wide(x.double()) + self.frozen(x) + self.normed(x)

    class Tracer(fx.Tracer):
        def is_leaf_module(self, m, name):
            return True

    gm = fx.GraphModule(net := Net(), Tracer().trace(net))
    gm.register_buffer("scale", torch.full((2,), 3.0), persistent=False)
    add = gm.graph.output_node().args[0]
    with gm.graph.inserting_after(add):
        scale = gm.graph.get_attr("scale")
        gm.graph.output(gm.graph.call_function(torch.mul, (add, scale)))
    gm.recompile()
    gm.to_folder(tmp_path / "kept_net", "Kept")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("kept_net").Kept()
    sys.modules.pop("kept_net"), sys.modules.pop("kept_net.module")
    x = torch.randn(3, 2)
    assert made(x).dtype == torch.float64 and torch.equal(made(x), gm(x)) and made.state_dict().keys() == gm.state_dict().keys()
    assert not made.frozen.weight.requires_grad and made.wide.weight.requires_grad


def test_a_package_of_a_function_that_nothing_imports_is_refused(tmp_path):
    def local(x):
        return x

    graph = fx.Graph()
    graph.output(graph.call_function(local, (graph.placeholder("x"),)))
    with pytest.raises(RuntimeError, match="which no import gives"):
        fx.GraphModule({}, graph).to_folder(tmp_path / "net")


def test_code_for_debugging_runs_before_the_body():
    seen = []
    fx.seen_by_test = seen
    gm = fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x + 1, lambda: x))
    with gm.graph.on_generate_code(lambda before: lambda body: ["torch.fx.seen_by_test.append(x)\n", *body]):
        gm.recompile()
    assert gm(torch.ones(1)).tolist() == [2.0]
    assert len(seen) == 1
    del fx.seen_by_test
    copied = copy.deepcopy(gm)
    assert "seen_by_test" not in copied.code


def test_code_with_the_lines_of_the_program():
    gm = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    text = gm.graph.python_code("self", verbose=True).src
    assert "# File: " in text and "test_fx_experimental.py:" in text and "torch.relu(x) + 1" in text
    assert "relu + \x1b[34m1\x1b[0m" in gm.graph.python_code("self", colored=True).src
    self_named = fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    assert "root" in self_named.graph.python_code("root").src


def test_code_with_a_region_of_the_profiler_around_each_call():
    """The text is that of PyTorch for this program."""

    def program(x, y):
        a = torch.relu(x)
        return a.view(-1) + y

    code = fx.symbolic_trace(program).graph.python_code("self", record_func=True)
    begin = "torch._C._profiler._RecordFunctionFast"
    assert code.src.strip("\n ").splitlines() == [
        "def forward(self, x, y):",
        f"    _rf = {begin}('## ENTER_GRAPH_PLACEHOLDER_KEY ##'); _rf.__enter__()",
        f"    _rf_relu = {begin}('## 2 ##'); _rf_relu.__enter__()",
        "    relu = torch.relu(x);  x = None",
        "    _rf_relu.__exit__(None, None, None)",
        f"    _rf_view = {begin}('## 3 ##'); _rf_view.__enter__()",
        "    view = relu.view(-1);  relu = None",
        "    _rf_view.__exit__(None, None, None)",
        f"    _rf_add = {begin}('## 4 ##'); _rf_add.__enter__()",
        "    add = view + y;  view = y = None",
        "    _rf_add.__exit__(None, None, None)",
        "    return add",
        "    _rf.__exit__(None, None, None)",
    ]
    names = dict(code.globals)
    exec(code.src, names)
    with torch.autograd.profiler.profile() as recorded:
        assert names["forward"](None, torch.tensor([-1.0, 2.0]), 1).tolist() == [1.0, 3.0]
    assert {"## 2 ##", "## 3 ##", "## 4 ##"} <= {event.key for event in recorded.key_averages()}


def test_what_passes_note_about_a_module_stays():
    gm = fx.symbolic_trace(lambda x: x + 1)
    gm.meta["note"] = 1
    assert [m.meta["note"] for m in (copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm)))] == [1, 1, 1]


def test_meta_of_new_nodes_is_of_the_thread():
    import threading

    found = []
    with fx.traceback.preserve_node_meta(), fx.traceback.annotate({"a": 1}):
        thread = threading.Thread(target=lambda: found.append((fx.traceback.has_preserved_node_meta(), dict(fx.traceback.get_current_meta()))))
        thread.start()
        thread.join()
    assert found == [(False, {})]


def test_a_sum_with_more_dims_is_not_reinplaced():
    def f(x):
        return x.clone().add(torch.ones(1, 3))

    x = torch.randn(3)
    assert torch.equal(reinplace(make_fx(f)(x), x)(x), f(x))


def test_a_decomposition_may_leave_an_operator_as_it_is():
    aten = torch.ops.aten
    table = {aten.relu.default: lambda x: NotImplemented, aten.neg.default: lambda x: torch.neg(x), aten.sigmoid.default: lambda x: torch.tanh(x)}
    gm = make_fx(lambda x: torch.relu(-x).sigmoid(), table)(torch.ones(2))
    assert [str(n.target) for n in gm.graph.nodes if n.op == "call_function"] == ["aten.neg.default", "aten.relu.default", "aten.tanh.default"]
