"""PyTorch and Monograph in one process: functions that tests/python/test_with_pytorch.py calls in the interpreter that has PyTorch.

Each function is a test. An AssertionError says what differs.
"""

from __future__ import annotations

import collections
import copy
import re
from collections.abc import Callable
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import monograph as mg
import pinned  # noqa: F401
import torch
import torch.nn.functional as F
from monograph import fx
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
CHECKS: dict[str, Callable[[], None]] = {}


def check(f: Callable[[], None]) -> Callable[[], None]:
    CHECKS[f.__name__] = f
    return f


def ours(value: Any) -> Any:
    return mg.from_dlpack(value.detach()) if isinstance(value, torch.Tensor) else value


def assert_close(a: Any, b: Any, tolerance: float = 1e-5) -> None:
    if isinstance(b, torch.Tensor):
        found = torch.from_dlpack(a.detach()) if isinstance(a, mg.Tensor) else a
        torch.testing.assert_close(found.detach(), b.detach(), rtol=tolerance, atol=tolerance)
    elif isinstance(b, dict):
        assert list(a) == list(b)
        [assert_close(a[k], b[k], tolerance) for k in b]
    elif isinstance(b, (list, tuple)):
        assert type(a) is type(b)
        [assert_close(x, y, tolerance) for x, y in zip(a, b, strict=True)]
    else:
        assert a == b, (a, b)


def raises(kind: type[BaseException], pattern: str, f: Callable[[], Any]) -> None:
    try:
        result = f()
    except kind as error:
        assert re.search(pattern, str(error)), f"{error}\n  does not match {pattern}"
        return
    raise AssertionError(f"no {kind.__name__}, but {result}")


class Net(nn.Module):
    """A layer of each kind: parameters, buffers of both kinds, constants, nesting, structures of results."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn, self.act, self.fc = nn.Conv2d(3, 8, 3, padding="same"), nn.BatchNorm2d(8), nn.GELU(), nn.Linear(8, 5)
        self.seq = nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5), nn.LayerNorm(5))
        self.register_buffer("k", torch.arange(5.0))
        self.register_buffer("hidden", torch.full((5,), 2.0), persistent=False)
        self.w = nn.Parameter(torch.ones(5))

    def forward(self, x: torch.Tensor, scale: float = 2.0) -> Any:
        y = F.relu(self.bn(self.conv(x)), inplace=True)
        y = F.adaptive_avg_pool2d(self.act(y), 1).flatten(1)
        y = self.fc(y) * scale + self.k - self.hidden
        a, b = torch.chunk(self.seq(y) * self.w, 2, dim=-1)
        return {"a": a.softmax(-1), "b": (b.to(torch.float64), y.shape[0], y[:, None, ..., 1:3])}


def net() -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    return Net().eval(), torch.randn(2, 3, 8, 8)


@check
def a_module_goes_to_monograph() -> None:
    m, x = net()
    gm = fx.from_torch(m)
    theirs = torch.fx.symbolic_trace(m)
    assert_close(gm(ours(x)), m(x))
    assert [n.name for n in gm.graph.nodes] == [n.name for n in theirs.graph.nodes]
    assert gm.code == theirs.code
    assert {k: tuple(v.shape) for k, v in gm.state_dict().items()} == {k: tuple(v.shape) for k, v in theirs.state_dict().items()}
    assert not gm.training and not gm.bn.training


@check
def tensors_are_shared() -> None:
    m, x = net()
    gm = fx.from_torch(m)
    back = fx.to_torch(gm)
    with torch.no_grad():
        m.fc.weight.mul_(2)
        m.k.add_(1)
    assert_close(gm(ours(x)), m(x))
    assert_close(back(x), m(x))
    assert back.fc.weight.data_ptr() == m.fc.weight.data_ptr() and isinstance(back.fc.weight, nn.Parameter)
    m.train(), gm.train()
    gm(ours(x))  # writes the statistics
    assert int(m.bn.num_batches_tracked) == 1


@check
def the_way_back_is_the_same_program() -> None:
    m, x = net()
    theirs = torch.fx.symbolic_trace(m)
    back = fx.to_torch(fx.from_torch(theirs))
    assert isinstance(back, torch.fx.GraphModule) and back.code == theirs.code
    assert list(back.state_dict()) == list(theirs.state_dict())
    assert [type(c) for c in back.modules()][1:] == [type(c) for c in theirs.modules()][1:]
    assert_close(back(x), m(x))


@check
def functions_of_lists_and_dicts_go_both_ways() -> None:
    Pair = collections.namedtuple("Pair", "first second")

    def f(x: Any, d: Any) -> Any:
        return {"sum": x + d["a"] * d["b"][0], "pair": Pair(x, [d["a"]])}

    theirs, x = torch.fx.symbolic_trace(f, {"d": {"a": torch.fx.PH, "b": (torch.fx.PH,)}}), torch.randn(2, 3)
    given = x, {"a": x + 1, "b": (x + 2,)}
    made = fx.from_torch(theirs)
    assert made.code == theirs.code
    back = fx.to_torch(made)
    assert back.code == theirs.code
    results = theirs(*given), made(ours(x), {"a": ours(given[1]["a"]), "b": (ours(given[1]["b"][0]),)}), back(*given)
    for result in results:
        assert type(result["pair"]) is Pair
        assert_close(result["sum"], results[0]["sum"])
        assert_close(result["pair"].second[0], given[1]["a"])

    class Mine:
        def __init__(self, x: Any):
            self.x = x

    mg.utils._pytree.register_pytree_node(Mine, lambda v: ([v.x], None), lambda parts, _: Mine(parts[0]))
    traced = fx.symbolic_trace(lambda v: v.x + 1, {"v": Mine(fx.PH)})
    raises(NotImplementedError, "takes or returns a Mine, which the other library does not know", lambda: fx.to_torch(traced))
    mg.utils._pytree._deregister_pytree_node(Mine)


@check
def gradients_are_the_same() -> None:
    m, x = net()
    m.seq[1].p = 0.0
    m.train()
    m2 = copy.deepcopy(m)
    gm = fx.from_torch(m)
    (gm(ours(x))["a"] ** 2).sum().backward()
    (m2(x)["a"] ** 2).sum().backward()
    for name, p in m2.named_parameters():
        assert_close(gm.get_parameter(name).grad, p.grad, 1e-4)


@check
def shared_parameters_stay_shared() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
            self.b.weight = self.a.weight
            self.c = self.a

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.c(self.b(self.a(x)))

    m = Tied()
    gm = fx.from_torch(m)
    assert gm.a.weight is gm.b.weight
    assert len(list(gm.parameters())) == 3
    assert_close(gm(ours(torch.ones(2, 3))), m(torch.ones(2, 3)))
    back = fx.to_torch(gm)
    assert back.a.weight is back.b.weight


@check
def every_layer_has_the_place_of_pytorchs() -> None:
    """What pickle, from_torch and to_torch look a class up by."""
    from monograph._pytorch.names import class_of

    layers = [kind for kind in vars(mg.nn).values() if isinstance(kind, type) and issubclass(kind, mg.nn.Module)]
    assert len(layers) > 100
    assert [kind for kind in layers if class_of(f"{kind.__module__}.{kind.__qualname__}", False) is None] == []


@check
def attention_goes_both_ways() -> None:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention, self.shuffle = nn.MultiheadAttention(8, 2, batch_first=True), nn.ChannelShuffle(2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.shuffle(self.attention(x, x, x, need_weights=False)[0])

    m, x = Attention().eval(), torch.randn(2, 4, 8)
    gm = fx.from_torch(m)
    assert_close(gm(ours(x)), m(x))
    assert_close(fx.to_torch(gm)(x), m(x))
    _goes_both_ways(nn.MultiheadAttention(8, 2), x, x, x)


def _goes_both_ways(m: nn.Module, *inputs: torch.Tensor) -> None:
    """m: of layers; each is one node."""
    graph = torch.fx.Graph()
    graph.output(graph.call_module("layer", tuple(graph.placeholder(f"x{k}") for k in range(len(inputs)))))
    gm = fx.from_torch(torch.fx.GraphModule({"layer": m.eval()}, graph))
    assert_close(gm(*map(ours, inputs)), m(*inputs))
    back = fx.to_torch(gm)
    assert_close(back(*inputs), m(*inputs))
    assert repr(back.layer) == repr(m) == repr(gm.layer)


@check
def layers_with_state_beside_tensors_go_both_ways() -> None:
    """What a layer of one library keeps as an attribute, and that of the other does not; functions among the attributes."""
    image, words = torch.randn(2, 4, 6, 6), torch.randn(2, 5, 8)
    _goes_both_ways(nn.InstanceNorm2d(4, affine=True, track_running_stats=True), image)
    _goes_both_ways(nn.TransformerEncoderLayer(8, 2, 16, norm_first=True), words)
    _goes_both_ways(nn.TransformerDecoderLayer(8, 2, 16, activation=F.gelu), words, words)
    _goes_both_ways(nn.LSTM(8, 3, 2, bidirectional=True, batch_first=True), words)
    _goes_both_ways(nn.TripletMarginWithDistanceLoss(), words[0], words[0] + 1, words[1])


@check
def an_edited_graph_goes_back() -> None:
    m = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    gm = fx.from_torch(m)
    for node in gm.graph.nodes:
        if node.op == "call_module" and node.target == "1":
            with gm.graph.inserting_after(node):
                node.replace_all_uses_with(gm.graph.call_function(mg.nn.functional.gelu, node.args, {"approximate": "tanh"}))
            gm.graph.erase_node(node)
    gm.recompile()
    back = fx.to_torch(gm)
    x = torch.randn(2, 3)
    assert_close(back(x), F.gelu(m[0](x), approximate="tanh"))
    assert back.code == gm.code


@check
def a_graph_of_operators_goes_to_pytorch() -> None:
    m, x = net()
    gm = fx.from_torch(m)
    graph = mg.jit.trace(lambda x: gm(x)["a"], ours(x)).inlined_graph
    back = fx.to_torch(graph)
    assert_close(back(x), m(x)["a"])
    assert {n.target for n in back.graph.nodes if n.op == "call_function"} >= {
        torch.ops.aten.batch_norm.default,
        torch.ops.aten.softmax.int,
    }
    assert all(n.stack_trace for n in back.graph.nodes if isinstance(n.target, torch._ops.OpOverload))


@check
def guards_are_checked_in_pytorch() -> None:
    def f(x: Any) -> Any:
        y = x + 1 if x.sum() > 0 else x
        return y * 2 if x.shape[0] == 3 else y

    back = fx.to_torch(mg.jit.trace(f, mg.ones(3, 2), control_flow="guard").inlined_graph)
    assert_close(back(torch.ones(3, 2)), torch.full((3, 2), 4.0))
    raises(AssertionError, r"x\.sum\(\) > 0 is True; .*with_pytorch.py:\d+", lambda: back(-torch.ones(3, 2)))
    raises(AssertionError, r"x\.shape\[0\] == 3", lambda: back(torch.ones(2, 2)))


@check
def branches_go_to_pytorch_and_back() -> None:
    def f(x: Any, y: Any) -> Any:
        return mg.cond(x.sum() > 0, lambda a: (a + y, a * 2), lambda a: (a - y, a), (x,))

    gm = fx.symbolic_trace(f)
    back = fx.to_torch(gm)
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    for sign in (1, -1):
        assert_close(gm(ours(sign * x), ours(y)), back(sign * x, y))
    again = fx.from_torch(back)
    for sign in (1, -1):
        assert_close(tuple(again(ours(sign * x), ours(y))), tuple(back(sign * x, y)))


@check
def loops_go_to_pytorch_and_back() -> None:
    def one(x: Any, y: Any) -> Any:
        return mg.while_loop(lambda v: v.abs().sum() < 10, lambda v: (v * 2 + y,), (x,))[0] - 1

    def two(x: Any, y: Any) -> Any:
        scale = y.relu() + 1
        return mg.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, mg.cond(v.sum() > 0, lambda: v * scale, lambda: v - x)), (mg.tensor(0), x))

    def counted(x: mg.Tensor, n: int) -> mg.Tensor:
        for i in range(n):
            x = x * 2 + i
        return x

    def parts(result: Any) -> tuple[Any, ...]:
        values = result if isinstance(result, (tuple, list)) else (result,)
        return tuple(torch.from_dlpack(v.detach()) if isinstance(v, mg.Tensor) else v for v in values)

    x, y = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -0.25])
    for function in (one, two):
        gm = fx.symbolic_trace(function)
        back = fx.to_torch(gm)
        again = fx.from_torch(back)
        for a in (x, -x, 9 * x):
            expected = function(ours(a), ours(y))
            for result in (gm(ours(a), ours(y)), back(a, y), again(ours(a), ours(y))):
                assert_close(parts(result), parts(expected))
        assert_close(parts(mg.jit.trace(again, (ours(x), ours(y)))(ours(-x), ours(y))), parts(function(ours(-x), ours(y))))
    program = mg.jit.script(counted)
    back = fx.to_torch(program.graph)
    for n in (0, 1, 3, 9):
        assert_close(parts(program(ours(x), n)), parts(back(x, n)))

    def summed(x: mg.Tensor, n: int) -> mg.Tensor:
        s = 0.5
        for _ in range(n):
            s = s * 2
        return x * s

    raises(NotImplementedError, "carries .*float.*tensors and ints", lambda: fx.to_torch(mg.jit.script(summed).graph))


@check
def loops_of_pytorch_come_here() -> None:
    from torch._higher_order_ops import while_loop
    from torch.fx.experimental.proxy_tensor import make_fx

    class Looping(nn.Module):
        def forward(self, x: torch.Tensor, w: torch.Tensor) -> Any:
            i, y = while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * w), (torch.zeros((), dtype=torch.int64), x))
            return while_loop(lambda v: v.sum() < 100, lambda v: (v + w,), (y,))[0] + i

    x, w = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])
    program = torch.export.export(Looping(), (x, w))
    for gm in (fx.from_torch(program), fx.from_torch(make_fx(Looping())(x, w))):
        assert_close(gm(ours(x), ours(w)), Looping()(x, w))
        assert_close(gm(ours(x / 2), ours(w)), Looping()(x / 2, w))


@check
def exported_programs_are_checked() -> None:
    class M(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))

        def forward(self, x: torch.Tensor, d: dict[str, torch.Tensor]) -> Any:
            y = x.reshape(2, -1) if x.shape[0] % 2 == 0 else x
            return {"a": (x * self.w + d["k"]).to(torch.float64), "b": (x.shape[0], y)}

    m = M()
    x, k = torch.randn(4, 3), torch.randn(3)
    auto = torch.export.Dim.AUTO
    free = fx.from_torch(torch.export.export(m, (x, {"k": k}), dynamic_shapes={"x": {0: auto}, "d": {"k": None}}))
    fixed = fx.from_torch(torch.export.export(m, (x, {"k": k})))
    for gm in (free, fixed):
        assert_close(gm(ours(x), {"k": ours(k)}), m(x, {"k": k}))
    more = torch.randn(8, 3)
    assert_close(free(ours(more), {"k": ours(k)}), m(more, {"k": k}))
    raises(AssertionError, "size 0 of x must be 4", lambda: fixed(ours(more), {"k": ours(k)}))
    raises(AssertionError, "% 2", lambda: free(ours(torch.randn(5, 3)), {"k": ours(k)}))
    raises(AssertionError, "x must be of torch.float32", lambda: free(ours(x.double()), {"k": ours(k)}))
    program = torch.export.export(m, (x, {"k": k}))
    raises(NotImplementedError, "give from_torch the ExportedProgram itself", lambda: fx.from_torch(program.module()))


@torch.fx.wrap
def twice(x: Any) -> Any:
    return x * 2


class Own(nn.Module):
    """A leaf that Monograph has no class for."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return torch._saturate_weight_to_fp16(self.inner(x).detach()) + self.inner(x)


@check
def what_monograph_lacks_is_an_error_or_is_called() -> None:
    class M(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.own = Own()

        def forward(self, x: torch.Tensor) -> Any:
            return torch._saturate_weight_to_fp16(twice(self.own(x))), x.geqrf()[0]

    class Leaves(torch.fx.Tracer):
        def is_leaf_module(self, m: nn.Module, name: str) -> bool:
            return isinstance(m, Own) or super().is_leaf_module(m, name)

    m = M()
    tracer = Leaves()
    theirs = torch.fx.GraphModule(m, tracer.trace(m))
    raises(NotImplementedError, r"(?s)saturate.*twice|twice.*saturate|Own", lambda: fx.from_torch(theirs))
    for name in ("saturate", "twice", "Own"):
        raises(NotImplementedError, name, lambda: fx.from_torch(theirs))
    gm = fx.from_torch(theirs, fallback=True)
    x = torch.randn(3, 3)
    assert_close(gm(ours(x)), m(x))
    before = int(m.own.calls)
    gm(ours(x))
    assert int(m.own.calls) == before + 1 == int(gm.own.calls)
    back = fx.to_torch(gm)
    assert back.own is m.own and twice in {n.target for n in back.graph.nodes}
    assert_close(back(x), m(x))


@check
def gradients_go_through_what_is_called_in_pytorch() -> None:
    own = Own()
    calls = torch.fx.Graph()
    x = calls.placeholder("x")
    calls.output(calls.call_function(twice, (calls.call_module("own", (calls.call_function(torch.exp, (x,)),)),)))
    theirs = torch.fx.GraphModule({"own": own}, calls)
    gm = fx.from_torch(theirs, fallback=True)
    a = torch.randn(2, 3)
    ours_in, theirs_in = ours(a.clone()).requires_grad_(), a.clone().requires_grad_()
    (gm(ours_in) ** 2).sum().backward()
    (theirs(theirs_in) ** 2).sum().backward()
    assert_close(ours_in.grad, theirs_in.grad)
    for name, p in own.named_parameters():
        assert_close(gm.own.get_parameter(name).grad, p.grad)


@check
def gradients_go_through_what_is_called_in_monograph() -> None:
    class Ours(mg.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = mg.nn.Parameter(mg.ones(3) * 3)

        def forward(self, x: Any) -> Any:
            return x * self.w

    gm = fx.GraphModule({"m": Ours()}, _calling("m"))
    raises(NotImplementedError, "Ours", lambda: fx.to_torch(gm))
    theirs = fx.to_torch(gm, fallback=True)
    x = torch.ones(2, 3, requires_grad=True)
    y = theirs(x)
    assert_close(y, torch.full((2, 3), 3.0))
    y.sum().backward()
    assert_close(x.grad, torch.full((2, 3), 3.0))
    assert_close(dict(theirs.named_parameters())["m.w"].grad, torch.full((3,), 2.0))


def _calling(path: str) -> fx.Graph:
    graph = fx.Graph()
    graph.output(graph.call_module(path, (graph.placeholder("x"),)))
    return graph


@check
def sizes_that_values_decide_are_exported() -> None:
    class Picked(nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return x[x > 0].sum(), torch.unique(x.long())

    x = torch.tensor([[1.0, -2.0], [3.0, 1.0]])
    gm = fx.from_torch(torch.export.export(Picked(), (x,)))
    assert_close(gm(ours(x)), Picked()(x))
    assert_close(gm(ours(-x)), Picked()(-x))


@check
def exported_operators_are_decomposed_where_monograph_lacks_them() -> None:
    class Written(nn.Module):
        def forward(self, x: torch.Tensor, t: torch.Tensor) -> Any:
            y = x.clone()
            y[0] = 1.0
            y[:, 1] += 2
            return y, F.cross_entropy(x, t, label_smoothing=0.1), F.nll_loss(F.log_softmax(x, 1), t), (x > 0) & (x < 1) ^ (x > 2)

    x, t = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    gm = fx.from_torch(torch.export.export(Written(), (x, t)))
    assert_close(gm(ours(x), ours(t)), Written()(x, t))
    m, x = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3)).eval(), torch.randn(2, 3)
    assert_close(fx.from_torch(torch.export.export(m, (x,)))(ours(x)), m(x))


@check
def operators_of_pytorch_are_arguments() -> None:
    """Checks of linear algebra are such operators: they are arguments of what keeps their order."""

    class Solved(nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> Any:
            return torch.linalg.inv(a), torch.linalg.solve(a, b)

    a, b = torch.eye(3) * 2 + torch.ones(3, 3), torch.ones(3)
    assert_close(torch.compile(Solved(), backend="monograph")(a, b), Solved()(a, b))
    raises(RuntimeError, "singular", lambda: torch.compile(Solved(), backend="monograph")(torch.zeros(3, 3), b))


@check
def wrong_arguments_are_errors() -> None:
    raises(
        TypeError,
        "from_torch expects a module or GraphModule of PyTorch, but got monograph",
        lambda: fx.from_torch(fx.symbolic_trace(lambda x: x)),
    )
    raises(TypeError, "to_torch expects", lambda: fx.to_torch(3))
    raises(TypeError, "a tensor of PyTorch and one of Monograph", lambda: torch.add(torch.ones(2), mg.ones(2)))
    graph = torch.fx.Graph()
    graph.output(graph.get_attr("k"))
    sparse = torch.fx.GraphModule({"k": torch.eye(2).to_sparse()}, graph)
    raises(TypeError, "sparse", lambda: fx.from_torch(sparse))


# torch.compile --------------------------------------------------------------------------------------------------------------------------
def trained(module: nn.Module, inputs: tuple[Any, ...], loss: Callable[[Any], Any], how: Any) -> Any:
    torch.manual_seed(0)
    module = copy.deepcopy(module)
    optimizer = torch.optim.SGD(module.parameters(), 0.05, momentum=0.9)
    called = torch.compile(module, backend=how) if how else module
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        value = loss(called(*inputs))
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return losses, dict(module.named_parameters()), dict(module.named_buffers())


def compiles(module: nn.Module, *inputs: Any, loss: Callable[[Any], Any] = lambda y: (y**2).mean()) -> None:
    """Three training steps and a call for inference, compiled and not."""
    torch._dynamo.reset()
    a, b = trained(module, inputs, loss, None), trained(module, inputs, loss, "monograph")
    for mine, theirs in zip(b, a, strict=True):
        assert_close(mine, theirs, 1e-4)
    module = module.eval()
    with torch.no_grad():
        assert_close(torch.compile(module, backend="monograph")(*inputs), module(*inputs), 1e-4)


@check
def the_entry_point_is_declared() -> None:
    entry = [e for e in Distribution.from_name("monograph").entry_points if e.group == "torch_dynamo_backends"]
    assert [e.name for e in entry] == ["monograph"]
    assert "monograph" in torch.compiler.list_backends()


@check
def a_network_compiles() -> None:
    torch.manual_seed(0)
    compiles(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), torch.randn(4, 3))


@check
def convolutions_compile() -> None:
    class M(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.c, self.b, self.d, self.f = nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.BatchNorm2d(8), nn.Dropout(0.3), nn.Linear(32, 5)
            self.t = nn.ConvTranspose2d(8, 8, 2, stride=2, output_padding=1, groups=2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = F.max_pool2d(self.t(F.relu(self.b(self.c(x)), inplace=True)), 4)
            return F.log_softmax(self.f(self.d(y.flatten(1))), -1)

    torch.manual_seed(0)
    compiles(M(), torch.randn(2, 3, 8, 8), loss=lambda y: F.nll_loss(y, torch.tensor([1, 2])))


@check
def attention_and_recurrence_compile() -> None:
    torch.manual_seed(0)
    compiles(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), torch.randn(2, 5, 16))

    class M(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.e, self.g, self.n = nn.Embedding(10, 6), nn.GRU(6, 6, batch_first=True), nn.LayerNorm(6)

        def forward(self, i: torch.Tensor) -> torch.Tensor:
            return F.gelu(self.n(self.g(self.e(i))[0]))

    compiles(M(), torch.tensor([[1, 2, 3], [4, 5, 6]]))


@check
def writes_and_graph_breaks_compile() -> None:
    class M(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.randn(4, 4))
            self.register_buffer("n", torch.zeros(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.n += 1
            y = x @ self.w
            y[:, 0] = 0
            y.add_(1)
            if y.sum() > 1e9:  # a break of the graph
                y = y * 2
            z = torch._neg_view_copy(y).detach() + y.sort(-1)[0] + y.cumsum(0) + y.clamp(-1, 1) + torch.where(y > 0, y, -y)
            return torch.logsumexp(z, 1) + torch.linalg.norm(z, dim=1)

    torch.manual_seed(0)
    compiles(M(), torch.randn(4, 4))

    def write(x: torch.Tensor) -> torch.Tensor:
        x.mul_(2)
        return x[1:]

    torch._dynamo.reset()
    a, b = torch.ones(3), torch.ones(3)
    view = torch.compile(write, backend="monograph")(a)
    assert_close((view, a), (write(b), b))
    view.add_(1)
    assert a[2] == 3  # a view of the input


@check
def gradients_of_determinants_compile() -> None:
    """PyTorch's gradient reads the factors of the transposed matrix if the matrix is contiguous."""

    class Determinant(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.tensor([[2.0, 0.5, -1.0], [3.0, 1.0, 0.2], [-0.4, 0.1, 1.5]]))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.w * x
            return torch.linalg.det(y) + torch.linalg.det(y.T + 1) + torch.slogdet(y)[1] + torch.logdet(y.T @ y) + torch.linalg.solve(y.T, x).sum()

    compiles(Determinant(), torch.rand(3, 3) + 1, loss=lambda y: y.sum() / 100)


@check
def strides_are_those_of_pytorch() -> None:
    torch._dynamo.reset()

    def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = (3 - x.permute(0, 2, 1)).clone()
        return y, y.as_strided((2, 2), (1, 2)), F.layer_norm(y, (3,)).permute(0, 2, 1).reshape(2, -1)

    x = torch.randn(2, 3, 4)
    a, b = torch.compile(f, backend="monograph")(x), f(x)
    assert_close(a, b)
    assert [t.stride() for t in a] == [t.stride() for t in b]
    compiles(
        nn.Sequential(nn.Conv2d(3, 8, 4, 4), nn.Flatten(2), nn.Linear(4, 4), nn.Softmax(1), nn.GroupNorm(2, 8)), torch.randn(2, 3, 8, 8)
    )
    compiles(nn.LSTM(3, 4, bidirectional=True), torch.randn(5, 2, 3), loss=lambda y: y[0].sum() + y[1][0].sum())


@check
def sizes_may_change() -> None:
    torch._dynamo.reset()
    m = nn.Sequential(nn.Linear(3, 4), nn.ReLU())

    def f(x: torch.Tensor) -> torch.Tensor:
        return m(x).sum() * x.shape[0] + torch.arange(x.shape[0] * 2).sum()

    g = torch.compile(f, backend="monograph", dynamic=True)
    for n in (2, 5, 7, 1):
        assert_close(g(torch.ones(n, 3)), f(torch.ones(n, 3)))


@check
def a_branch_compiles() -> None:
    torch._dynamo.reset()
    g = torch.compile(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)), backend="monograph", fullgraph=True)
    assert_close((g(torch.ones(2)), g(-torch.ones(2))), (torch.full((2,), 2.0), torch.full((2,), -2.0)))


@check
def random_numbers_are_those_of_pytorch() -> None:
    torch._dynamo.reset()

    def f(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.5) + torch.rand_like(x) + torch.randn(3)

    x = torch.ones(4, 3)
    torch.manual_seed(3)
    want = f(x)
    torch.manual_seed(3)
    assert_close(torch.compile(f, backend="monograph")(x), want)


@check
def a_write_between_forward_and_backward_is_noticed() -> None:
    torch._dynamo.reset()
    w = torch.randn(3, 3, requires_grad=True)
    y = torch.compile(lambda x: (x @ w).sin(), backend="monograph")(torch.ones(2, 3, requires_grad=True))
    with torch.no_grad():
        w.add_(1)
    raises(RuntimeError, "modified by an inplace operation", lambda: y.sum().backward())


@check
def a_graph_with_a_node_of_another_one_is_refused() -> None:
    class Cached(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cache: dict[str, Any] = {}

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if "double" not in self.cache:
                self.cache["double"] = x * 2
            return x + self.cache["double"]

    m = Cached()
    assert_close(torch.from_dlpack(fx.from_torch(torch.fx.symbolic_trace(m))(mg.ones(2))), torch.full((2,), 3.0))
    again = torch.fx.symbolic_trace(m)  # reads the proxy of the first trace
    raises(RuntimeError, "node add of PyTorch's graph takes mul, a node of another graph", lambda: fx.from_torch(again))


@check
def a_script_module_is_refused_with_the_way_out() -> None:
    traced = torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))
    raises(TypeError, "from_torch takes no TopLevelTracedModule.*torch.jit.save", lambda: fx.from_torch(traced))
