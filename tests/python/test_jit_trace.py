"""torch.jit.trace: what is recorded, kept, guarded, refused."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import random
import warnings
import weakref
from collections import namedtuple

import monograph as torch
import monograph.nn as nn
import pytest


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x, scale=None):
        y = self.body(self.fc(x)) + self.offset
        return self.body[1](y) if scale is None else y * scale

    def encode(self, x):
        return self.fc(x)


def close(a, b):
    assert torch.equal(a, b)


def test_a_module_keeps_its_hierarchy():
    net = Net()
    traced = torch.jit.trace(net, torch.randn(2, 3))
    assert type(traced).__name__ == "TopLevelTracedModule"
    text = str(traced.graph)
    assert text.startswith("graph(%self : __torch__.test_jit_trace.Net,\n      %x : Float(")
    assert text.count("prim::CallMethod") == 3 and "aten::linear" not in text
    assert 'prim::CallMethod[name="forward1"]' in text  # the second call of body.1
    assert "aten::linear" in str(traced.inlined_graph) and "CallMethod" not in str(traced.inlined_graph)
    assert "scope: __module.body.1" in str(traced.inlined_graph)
    assert traced.code.splitlines()[0] == "def forward(self,"
    assert "(fc).forward(x, )" in traced.code
    x = torch.randn(5, 3)
    close(traced(x), net(x))
    assert [n for n, _ in traced.named_parameters()] == [n for n, _ in net.named_parameters()]
    with torch.no_grad():
        net.fc.weight.add_(1)  # the same tensors
    close(traced(x), net(x))


def test_a_function_and_its_repr():
    def double(x):
        return x * 2

    traced = torch.jit.trace(double, torch.ones(3))
    assert traced.name == "double"
    close(traced(torch.ones(7)), torch.full((7,), 2.0))
    assert "torch.mul(x, CONSTANTS.c0)" in traced.code and traced.code_with_constants[1].c0.item() == 2


Point = namedtuple("Point", ["x", "y"])


def test_nested_inputs_and_outputs():
    def f(pair, table, items):
        a, (b, c) = pair
        return Point(a + b, (c * table["w"], items[0] - items[1]))

    def example(n):
        r = [torch.randn(n) for _ in range(6)]
        return (r[0], (r[1], r[2])), {"w": r[3]}, [r[4], r[5]]

    traced = torch.jit.trace(f, example(3))
    inputs = example(5)
    got, expected = traced(*inputs), f(*inputs)
    assert type(got) is Point
    close(got.x, expected.x)
    close(got.y[0], expected.y[0])
    close(got.y[1], expected.y[1])
    assert "Dict(str, Tensor)" in str(traced.graph)


def test_dict_results_need_strict_false():
    def f(x):
        return {"y": x + 1}

    with pytest.raises(RuntimeError, match="strict=False"):
        torch.jit.trace(f, torch.ones(2))
    traced = torch.jit.trace(f, torch.ones(2), strict=False)
    close(traced(torch.ones(3))["y"], torch.full((3,), 2.0))


def test_keyword_examples_and_calls():
    traced = torch.jit.trace(Net(), example_kwarg_inputs={"x": torch.ones(2, 3), "scale": torch.tensor(2.0)})
    close(traced(torch.ones(1, 3), torch.tensor(3.0)), traced(x=torch.ones(1, 3), scale=torch.tensor(3.0)))
    with pytest.raises(TypeError, match="missing the argument 'scale'"):
        traced(x=torch.ones(1, 3))
    with pytest.raises(RuntimeError, match=r"do not match the function's arguments \(x, scale=None\)"):
        torch.jit.trace(Net(), (torch.ones(1, 3), torch.ones(1), torch.ones(1)))


def test_trace_module_traces_several_methods():
    net = Net()
    traced = torch.jit.trace_module(net, {"forward": torch.ones(2, 3), "encode": torch.ones(2, 3)})
    x = torch.randn(4, 3)
    close(traced.encode(x), net.encode(x))
    close(traced(x), net(x))


def test_writes_in_place_and_through_views():
    def f(x):
        y = x * 2
        row = y[1]
        row += 10
        y[:, 0] = 5
        x.mul_(3)
        return y, row, x + 1

    traced = torch.jit.trace(f, torch.ones(3, 4))
    for shape in [(3, 4), (2, 6)]:
        a, b = torch.randn(*shape), None
        b = a.clone()
        for got, expected in zip(traced(a), f(b), strict=True):
            close(got, expected)
        close(a, b)  # the caller's tensor was written too


def test_buffers_are_written_where_they_live():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(1))

        def forward(self, x):
            self.n.add_(1)
            return x + self.n

    counter = Counter()
    traced = torch.jit.trace(counter, torch.ones(1), check_trace=False)
    before = float(counter.n)
    traced(torch.ones(1))
    assert float(counter.n) == before + 1


def test_writes_to_tensors_outside_are_refused():
    outside = torch.zeros(2)

    def f(x):
        outside.add_(x)
        return outside

    with pytest.raises(RuntimeError, match="tensor from outside"):
        torch.jit.trace(f, torch.ones(2))
    close(outside, torch.zeros(2))


def test_sizes_stay_symbolic():
    def f(x):
        b, n = x.shape
        half = n // 2
        return x.view(b * half, n // half)[: b + 1] + torch.zeros(x.shape[1] // half) + x.numel() + len(x.shape)

    traced = torch.jit.trace(f, torch.ones(2, 6))
    assert traced.graph.guards == []
    x = torch.randn(3, 8)
    close(traced(x), f(x))


@pytest.mark.parametrize(
    "f, other",
    [
        (lambda x: torch.stack([row * i for i, row in enumerate(x)]), torch.ones(4, 3)),
        (lambda x: sum(x.split(2, dim=1)[1:], x[:, :1]), torch.ones(2, 7)),
        (lambda x: torch.cat(x.chunk(3, 1)[::-1], 1), torch.ones(2, 2)),
        (lambda x: x.unbind(1)[-1], torch.ones(2, 4)),
    ],
)
def test_how_many_tensors_a_list_has_is_guarded(f, other):
    traced = torch.jit.trace(f, torch.ones(2, 3), control_flow="guard")
    assert torch.equal(traced(torch.full((2, 3), 2.0)), f(torch.full((2, 3), 2.0)))
    with pytest.raises(
        RuntimeError, match=r"captured where `len\(aten::\w+(\.\w+)?\(\.\.\.\)\)` is \d, but here it is \d(.|\n)*test_jit_trace.py"
    ):
        traced(other)


@pytest.mark.parametrize(
    "same",
    [
        lambda x: torch.nn.functional.dropout(x, 0.5, training=False),
        lambda x: x.type_as(x),
        lambda x: +x,
        lambda x: x.to(torch.float32),
        lambda x: x.contiguous(),
        lambda x: x.reshape(3),
    ],
)
def test_writes_to_what_is_the_input_itself_are_kept(same):
    def f(x):
        x = x + 0
        same(x).add_(1)
        return x * 2

    traced = torch.jit.trace(f, torch.zeros(3))
    for run in (traced, traced.graph.canonical(), traced.graph.build()):
        assert torch.equal(run(torch.ones(3)), f(torch.ones(3)))


def test_a_branch_is_guarded():
    def f(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    traced = torch.jit.trace(f, torch.ones(3), control_flow="guard")
    ((expression, expected, where),) = traced.graph.guards
    assert expression == "x.sum() > 0" and expected == "True" and where.endswith(f".py:{f.__code__.co_firstlineno + 1}")
    close(traced(torch.ones(3)), torch.full((3,), 2.0))
    with pytest.raises(RuntimeError, match=r"captured where `x.sum\(\) > 0` is True, but here it is False") as error:
        traced(-torch.ones(3))
    assert where in str(error.value)
    with pytest.raises(RuntimeError, match='control_flow="error"'):
        torch.jit.trace(f, torch.ones(3), control_flow="error")
    with pytest.warns(torch.jit.TracerWarning, match=r"`x.sum\(\) > 0` takes a value from the example"):
        frozen = torch.jit.trace(f, torch.ones(3), control_flow="freeze", check_trace=False)
    close(frozen(-torch.ones(3)), torch.zeros(3))  # PyTorch's behaviour, for study


def test_a_guard_of_sizes_says_what_the_comparison_gave():
    def f(x, y):
        return x if x.shape != y.shape else x + y

    like, other = torch.ones(4, 1), torch.ones(1, 1)
    assert [(g[0], g[1]) for g in torch.jit.trace(f, (like, like)).graph.guards] == [("x.shape != y.shape", "False")]
    assert [(g[0], g[1]) for g in torch.jit.trace(f, (like, other)).graph.guards] == [("x.shape != y.shape", "True")]
    traced = torch.jit.trace(f, (like, like))
    assert torch.equal(traced(torch.ones(3, 1), torch.ones(3, 1)), torch.full((3, 1), 2.0))
    with pytest.raises(RuntimeError, match=r"captured where `x.shape != y.shape` is False, but here it is True"):
        traced(like, other)
    assert torch.Size([2, 3]) == (2, 3) and torch.Size([2]) != (3,) and hash(torch.Size([2])) == hash((2,))


def test_a_guard_of_a_layer_quotes_its_condition():
    F = torch.nn.functional
    traced = torch.jit.trace(lambda x, y: F.binary_cross_entropy(x, y), (torch.ones(4), torch.ones(4)))
    assert [g[0] for g in traced.graph.guards] == ["target.size() != input.size() in F.binary_cross_entropy(x, y)"]
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):  # these only warn, outside of captures
        assert torch.jit.trace(loss, (torch.ones(4), torch.ones(4))).graph.guards == []


def test_an_lstm_checks_sizes_in_its_operator():
    lstm = torch.nn.LSTM(4, 6, batch_first=True)
    traced = torch.jit.trace(lstm, torch.ones(2, 5, 4))
    assert traced.inlined_graph.guards == []
    x = torch.randn(3, 2, 4)
    assert torch.equal(traced(x)[0], lstm(x)[0])
    for call in (traced, lstm):
        with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 4, got 7"):
            call(torch.ones(2, 5, 7))


def test_a_guard_quotes_the_part_of_the_line_that_asked():
    def f(x, y):
        z = x + 1 if x.sum() > 0 else x - 1
        if (
            z.max()
            > 100
        ) or not y.sum() > 5:  # fmt: skip
            z = z * 2
        while z.sum() < 4:
            z = z + 1  # noqa: E701
        return z * int(x[0]) + sum(range(y.shape[0])), [ö for ö in range(2) if y.min() > ö]

    traced = torch.jit.trace(f, (torch.ones(1), torch.ones(3)), strict=False, check_trace=False, control_flow="guard")
    assert [(g[0], g[1]) for g in traced.graph.guards] == [
        ("x.sum() > 0", "True"),
        ("z.max() > 100", "False"),
        ("y.sum() > 5", "False"),
        ("z.sum() < 4", "False"),
        ("int(x[0])", "1.0"),
        ("range(y.shape[0])", "3"),
        ("y.min() > ö", "True"),
        ("y.min() > ö", "False"),
    ]

    def unpacks(x):
        a = x.shape[0] // 2
        first, *rest = x
        return first * a

    ((expression, *_),) = torch.jit.trace(unpacks, torch.ones(2), check_trace=False).graph.guards
    assert expression == "len(aten::unbind.int(...))"
    made = {}
    exec(compile("def g(x):\n    return x if x.sum() > 0 else -x\n", "<no file>", "exec"), made)
    ((expression, *_),) = torch.jit.trace(made["g"], torch.ones(2), control_flow="guard").graph.guards
    assert expression == "aten::Bool.Tensor(%gt)"  # without the source, the call


def test_numbers_that_python_demands_are_guarded():
    def f(x):
        return x * int(x[0]) + float(x.max()) + sum(range(x.shape[0]))

    traced = torch.jit.trace(f, torch.tensor([2.0, 3.0]), control_flow="guard")
    assert len(traced.graph.guards) == 3
    close(traced(torch.tensor([2.0, 3.0])), f(torch.tensor([2.0, 3.0])))
    for wrong in ([3.0, 2.0], [2.0, 4.0], [2.0, 3.0, 1.0]):
        with pytest.raises(RuntimeError, match="was captured where"):
            traced(torch.tensor(wrong))
    with pytest.raises(RuntimeError, match="needs the values"):
        torch.jit.trace(lambda x: torch.tensor(x.tolist()), torch.ones(20))


def test_inputs_that_cannot_be_traced():
    with pytest.raises(RuntimeError, match="Type 'bool' of the input b cannot be traced"):
        torch.jit.trace(lambda x, b: x if b else -x, (torch.ones(2), True))
    with pytest.raises(RuntimeError, match="Type 'str'"):
        torch.jit.trace(lambda d: d["a"], ({"a": "b"},))


def test_numbers_are_inputs(tmp_path):
    def f(x, n, scale):
        for k in range(n):
            x = x + k
        return (x * 10 if n > 2 else x) * scale, n * 2

    traced = torch.jit.trace(f, (torch.ones(3), 2, 0.5))
    path = tmp_path / "numbers.pt"
    traced.save(path)
    loaded = torch.jit.load(path)
    for n, scale in ((2, 0.5), (0, 2.5), (5, -1.0)):
        for program in (traced, loaded):
            (got, twice), (expected, _) = program(torch.ones(4), n, scale), f(torch.ones(4), n, scale)
            assert torch.equal(got, expected) and twice == 2 * n
    # A number of another type is another capture, as a tensor of another dtype is.
    of_types = torch.jit.trace(lambda x, n: x + 1 if isinstance(n, int) else x - 1, (torch.ones(2), 1))
    assert of_types(torch.ones(2), 2).tolist() == [2, 2] and of_types(torch.ones(2), 2.0).tolist() == [0, 0]


def test_numbers_inside_of_inputs():
    traced = torch.jit.trace(lambda x, d: x * d["a"] + sum(d["b"]), (torch.ones(2), {"a": 1.5, "b": [1.0, 2.0]}))
    assert traced(torch.ones(2), {"a": 0.5, "b": [3.0, 4.0]}).tolist() == [7.5, 7.5]
    assert traced(torch.ones(2), {"a": 0.5, "b": [3.0, 4.0, 5.0]}).tolist() == [12.5, 12.5]


def test_a_number_that_the_program_needs_is_guarded():
    traced = torch.jit.trace(lambda x, n: x + {1: 10, 2: 20}[n], (torch.ones(2), 1))
    assert traced(torch.ones(2), 1).tolist() == [11, 11]
    with pytest.raises(RuntimeError, match=r"was captured where `\{1: 10, 2: 20\}\[n\]` is 1, but here it is 2"):
        traced(torch.ones(2), 2)


def test_wrong_inputs_to_run():
    net = Net()
    traced = torch.jit.trace(net, torch.ones(2, 3))
    # The program is captured for inputs of these kinds too, and takes them no more than it does in eager mode.
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        traced(torch.ones(2, 3, 1))
    with pytest.raises(RuntimeError, match="same dtype"):
        traced(torch.ones(2, 3, dtype=torch.int64))
    del net
    gc.collect()
    with pytest.raises(TypeError, match="Input 'x' must be a float32 tensor"):
        traced(torch.ones(2, 3, 1))
    with pytest.raises(TypeError, match="Input 'x' must be a float32 tensor"):
        traced(torch.ones(2, 3, dtype=torch.int64))
    with pytest.raises((TypeError, RuntimeError, ValueError)):
        traced()


def test_check_trace_warns_of_what_is_not_deterministic():
    calls = []

    def f(x):
        calls.append(1)
        return x * len(calls)

    with pytest.warns(torch.jit.TracerWarning, match="does not match"):  # as in PyTorch, f runs again
        torch.jit.trace(f, torch.ones(2), on_change="ignore")
    calls.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = torch.jit.trace(f, torch.ones(2))
    assert calls == [1] and traced(torch.ones(2)).tolist() == [2, 2]
    torch.jit.trace(lambda x: x * torch.rand(2), torch.ones(2))  # the same draws are checked against each other


def test_check_inputs_and_tolerance():
    def f(x):
        return x + (1 if len(seen) < 3 else 1.01)

    seen: list[int] = []

    def program(x):
        seen.append(1)
        return f(x)

    with pytest.warns(torch.jit.TracerWarning):
        torch.jit.trace(program, torch.ones(2), check_inputs=[(torch.zeros(2),), (torch.ones(3),)], check_tolerance=1e-3)
    seen.clear()
    torch.jit.trace(program, torch.ones(2), check_inputs=[(torch.zeros(2),), (torch.ones(3),)], check_tolerance=0.1)


def test_printing_is_part_of_a_program_that_keeps_its_branches(capsys):
    def f(x):
        y = x + 1
        print(y, y.shape)
        return y * 2

    guarded = torch.jit.trace(f, torch.ones(2), check_trace=False, control_flow="guard")
    assert "tensor([2., 2.])" in capsys.readouterr().out
    assert guarded.graph.guards == [] and len(guarded.inlined_graph.nodes) == 4
    guarded(torch.ones(2))
    assert capsys.readouterr().out == ""
    traced = torch.jit.trace(f, torch.ones(2))  # the graph runs for the check, and prints nothing then
    assert capsys.readouterr().out == "tensor([2., 2.]) torch.Size([2])\n"
    traced(torch.ones(3) * 2)
    assert capsys.readouterr().out == "tensor([3., 3., 3.]) torch.Size([3])\n" and traced.graph.guards == []


def test_gradients_flow_through_a_traced_program():
    net = Net()
    traced = torch.jit.trace(net, torch.ones(2, 3))
    x = torch.randn(4, 3, requires_grad=True)
    traced(x).sum().backward()
    got, x.grad = x.grad, None
    net(x).sum().backward()
    close(got, x.grad)


def test_cond_and_while_loop_are_kept():
    def f(x):
        y = torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (x,))
        _, y = torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), (torch.tensor(0), y))
        return y

    traced = torch.jit.trace(f, torch.ones(2))
    symbolic = torch.fx.symbolic_trace(f)
    assert traced.graph.hash() == symbolic.graph.hash()
    assert "prim::If" in str(traced.graph) and "prim::Loop" in str(traced.graph)
    for x in (torch.ones(3), -torch.ones(3)):
        close(traced(x), f(x))
        close(symbolic(x), f(x))
        close(symbolic.graph(x), f(x))


def test_the_report_of_capture():
    def f(x):
        name = "positive" if x.sum() > 0 else "negative"
        return {name: x}  # no graph has a dict with one key or another

    captured = torch.capture(f, torch.ones(2), control_flow="guard")
    assert captured.how == "trace" and captured.tried[0][0] == "symbolic"
    assert captured.guards[0].expression == "x.sum() > 0"
    assert "guard at" in captured.report() and "symbolic was tried before" in captured.report()
    assert torch.capture(lambda x: x + 1, torch.ones(2)).how == "symbolic"
    assert "no guards" in torch.capture(lambda x: x + 1).report()
    with pytest.raises(ValueError, match="how must be"):
        torch.capture(f, torch.ones(2), how="magic")
    with pytest.raises(torch.fx.proxy.TraceError, match=r"test_jit_trace.py:\d+: name = "):
        torch.capture(f, torch.ones(2), how="symbolic")
    kept = torch.capture(lambda x: x + 1 if x.sum() > 0 else x, torch.ones(2))
    assert kept.how == "symbolic" and not kept.guards and kept(-torch.ones(2)).tolist() == [-1, -1]
    assert torch.capture(lambda x: x + 1 if x.sum() > 0 else x, torch.ones(2), control_flow="freeze").how == "trace"


def test_errors_name_the_users_line():
    def f(x):
        return torch.matmul(x, torch.ones(5))

    with pytest.raises(RuntimeError, match=f"test_jit_trace.py:{f.__code__.co_firstlineno + 1}"):
        torch.jit.trace(f, torch.ones(2, 3))


def test_values_of_an_ended_trace_are_those_of_the_example():
    """As in PyTorch. Before, they raised: but attributes and caches keep sizes, and the program goes on to use them."""
    kept = []

    def f(x):
        kept.append(x.shape[0])
        return x + 1

    torch.jit.trace(f, torch.ones(2), check_trace=False)
    assert int(kept[0]) == 2 and kept[0] + 1 == 3


def test_a_list_that_holds_itself_is_an_error():
    loop: list = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nest deeper than 64 levels"):
        torch.jit.trace(lambda x: x, torch.ones(1)).graph(loop)


@pytest.mark.parametrize("text", [str, repr, lambda t: f"{t}", lambda t: f"{t.sum():.1f}", lambda t: f"{t.sum()}"])
def test_the_text_of_a_traced_tensor_is_that_of_each_call(text):
    """Where Python computes from it, it is a guard; its length is a number of the graph."""
    counts = torch.jit.trace(lambda x: x * len(text(x)), torch.ones(2), check_trace=False)
    looks_up = torch.jit.trace(lambda x: x * {text(torch.ones(2)): 2}.get(text(x), 3), torch.ones(2), check_trace=False)
    assert not counts.graph.guards and looks_up.graph.guards
    for x in (torch.ones(2), torch.full((2,), 1234.5), torch.ones(3)):
        assert torch.equal(counts(x), x * len(text(x)))
    assert torch.equal(looks_up(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        looks_up(torch.full((2,), 1234.5))


def _guarded(x):
    y = torch.cond(x.sum() > 5, lambda x: x, lambda x: x * 2, (x,))
    return y + 1 if x.sum() > 0 else y - 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_copies_of_a_trace_keep_its_guards_and_blocks(copied):
    traced = torch.jit.trace(_guarded, torch.ones(2), control_flow="guard")
    for twin in (copied(traced.graph), copied(traced)):
        assert twin(torch.ones(2)).tolist() == [3, 3] and twin(torch.full((2,), 9.0)).tolist() == [10, 10]
        with pytest.raises(RuntimeError, match="captured where"):
            twin(-torch.ones(2))
    shown = str(traced.graph)  # a pickle holds none of its author's folders
    assert copied(traced.graph).hash() == traced.graph.hash() and str(copied(traced.graph)) in (
        shown,
        shown.replace(__file__, os.path.basename(__file__)),
    )
    with pytest.raises(NotImplementedError, match="has guards"):
        torch.fx.Graph().graph_copy(traced.graph, {})


def test_a_traced_module_is_not_deep_copied():
    # Its graph runs on the parameters of the module that was traced: a copy with other parameters would still compute with those.
    traced = torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))
    for attempt in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"a traced module \(Linear\) cannot be deep-copied or pickled.*inlined_graph.save"):
            attempt(traced)
        with pytest.raises(TypeError, match="copy or pickle inlined_graph, which is what runs"):
            attempt(traced.graph)
    assert torch.equal(copy.copy(traced)(torch.ones(1, 2)), traced(torch.ones(1, 2)))
    twin, before = copy.deepcopy(traced.inlined_graph), traced(torch.ones(1, 2))
    with torch.no_grad():
        traced.weight.zero_()
    assert torch.equal(twin(torch.ones(1, 2)), before)


def test_what_the_program_holds_is_no_input_though_it_be_the_example():
    k = torch.ones(2)
    assert torch.jit.trace(lambda a: a + k, k)(torch.full((2,), 5.0)).tolist() == [6, 6]

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.eye(2) * 2)

        def forward(self, x):
            return x @ self.weight

    net, x = Tied(), torch.ones(1, 2)
    assert torch.jit.trace(net, net.weight)(x).tolist() == net(x).tolist() == [[2, 2]]
    twice = torch.jit.trace(lambda a, b: a + b, (k, k))  # two inputs, though one example
    assert twice(torch.zeros(2), torch.ones(2)).tolist() == [1, 1]


def test_a_container_has_as_many_items_as_its_example(tmp_path):
    x = torch.ones(2)
    of_list = torch.jit.trace(lambda xs: sum(xs), ([x, x],), control_flow="guard")
    of_dict = torch.jit.trace(lambda p: p["a"] * 2 + p["b"], ({"a": x, "b": x},))
    of_tuple = torch.jit.trace(lambda xs: xs[0] + xs[1], ((x, x),))
    for traced, fits, other in (
        (of_list, [x, x * 2], [x, x, x]),
        (of_dict, {"a": x, "b": x}, {"a": x, "b": x, "c": x}),
        (of_tuple, (x, x * 2), (x, x, x)),
    ):
        traced.graph.save(tmp_path / "g.mgraph")
        loaded = torch.load_graph(str(tmp_path / "g.mgraph"))
        assert traced(fits).tolist() == loaded(fits).tolist() == [3, 3]
        with pytest.raises((RuntimeError, TypeError), match=r"len\(|must be a tuple"):
            loaded(other)
    assert of_list([x, x, x]).tolist() == of_dict({"b": x, "c": x, "a": x}).tolist() == [3, 3]  # captured anew
    assert of_tuple((x, x * 2, x)).tolist() == [3, 3]  # captured anew, for a tuple of three


def test_a_write_through_a_view_of_a_tensor_from_outside_is_an_error():
    outside = torch.zeros(2)

    def f(x):
        v = outside[:1]
        v += x.sum()
        return x * 1

    with pytest.raises(RuntimeError, match=r"(?s)add_.*writes through a view to a tensor from outside.*buffer.*at .*test_jit_trace"):
        torch.jit.trace(f, torch.ones(2), check_trace=False)


def test_a_trace_that_is_run_again_starts_from_the_same_state():
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls, self.kept = 0, []

        def forward(self, x):
            self.calls += 1
            self.kept.append(x.shape[0])
            c = torch.tensor([0.0, 1.0])
            c += torch.rand(2)
            return c * x

    net = Counts()
    torch.manual_seed(1)
    traced = torch.jit.trace(net, torch.ones(2), check_trace=False)
    assert net.calls == 1 and net.kept == [2]
    torch.manual_seed(1)
    torch.rand(2)
    after = torch.rand(2)
    torch.manual_seed(1)
    torch.jit.trace(net, torch.ones(2), check_trace=False)
    assert torch.equal(torch.rand(2), after)
    torch.manual_seed(1)
    first = traced(torch.ones(2))
    torch.manual_seed(1)
    assert torch.equal(traced(torch.ones(2)), first) and torch.tensor is torch._C.tensor

    def writes(x):
        x.add_(1)
        c = torch.tensor(0.0)
        c += x.sum()
        return c

    x = torch.zeros(2)
    with pytest.raises(RuntimeError, match="tensor from outside"):  # a second run would write to x again
        torch.jit.trace(writes, x)
    assert x.tolist() == [1, 1]


def test_a_traced_program_with_guards_inside_of_another_capture_is_an_error_that_says_so():
    def branch(x):
        return x * 2 if x.shape[0] > 1 else x

    inner = torch.jit.trace(branch, torch.ones(2), control_flow="guard")
    for capture in (torch.jit.trace, torch.capture):
        with pytest.raises(
            RuntimeError,
            match=r"(?s)a graph with a guard is called while another.*x.shape.0. > 1.*Call the function that the graph was captured from",
        ):
            capture(lambda x: inner(x) + 1, torch.ones(2))
        assert capture(lambda x: branch(x) + 1, torch.ones(2))(torch.ones(2)).tolist() == [3, 3]
    with pytest.raises(
        torch.fx.proxy.TraceError, match=r"(?s)a traced function is called with a value of a symbolic trace.*lambda x: inner.*jit\.trace"
    ):
        torch.fx.symbolic_trace(lambda x: inner(x) + 1)
    with pytest.raises(RuntimeError, match="was captured where"):
        inner(torch.ones(1))


def test_numpy_arrays_that_meet_traced_tensors_are_errors_with_a_way_out():
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(2, dtype=numpy.float32)
    with pytest.raises(RuntimeError, match=r"(?s)needs the values.*torch\.from_numpy\(array\)"):
        torch.jit.trace(lambda x: x + array, torch.ones(2))
    with pytest.raises(NotImplementedError, match=r"(?s)ndarray.*lambda x: x \+ array.*torch\.from_numpy\(array\)"):
        torch.fx.symbolic_trace(lambda x: x + array)
    captured = torch.capture(lambda x: x + torch.from_numpy(array), torch.ones(2))
    assert captured.how == "symbolic" and captured(torch.ones(2)).tolist() == [2, 2]


def test_a_write_to_a_parameter_under_no_grad_is_an_error_with_a_way_out():
    class Steps(torch.nn.Module):
        def __init__(self, requires_grad=True):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2), requires_grad=requires_grad)

        def forward(self, x):
            with torch.no_grad():
                self.w[:1].add_(1)
            return x * self.w

    with pytest.raises(
        RuntimeError, match=r"(?s)add_.*parameter w, which requires grad.*test_jit_trace.*Make it a buffer.*under no_grad\(\)"
    ):
        torch.jit.trace(Steps(), torch.ones(2))
    net = Steps(False)
    traced = torch.jit.trace(net, torch.ones(2), check_trace=False)
    assert traced(torch.ones(2)).tolist() == [3, 1]
    with torch.no_grad():
        traced = torch.jit.trace(Steps(), torch.ones(2), check_trace=False)
        assert traced(torch.ones(2)).tolist() == [3, 1]


class Only(nn.Module):
    """Its whole forward is a child's call, or the calls of children in a row; `more` adds an operator of its own before and after."""

    def __init__(self, *children, more=False):
        super().__init__()
        self.part = nn.ModuleList(children)
        self.more = more

    def forward(self, x):
        x = x + 1 if self.more else x
        for part in self.part:
            x = part(x)
        return x * 2 if self.more else x


def calls_of(module, x):
    """The tree of calls of modules that a run makes, those in it that compute nothing left out."""
    open_calls, root = [[]], []
    handles = []
    for path, m in module.named_modules():
        if path and not isinstance(m, nn.ModuleList):
            handles.append(m.register_forward_pre_hook(lambda m, args: open_calls.append([])))
            handles.append(m.register_forward_hook(lambda m, args, out, path=path: open_calls[-2].append((path, open_calls.pop()))))
    module(x)
    for handle in handles:
        handle.remove()
    (root,) = open_calls
    return root


def calls_in(graph, within=""):
    """The same of the methods that a trace made of a module."""
    functions, tree = torch._C._functions_of(graph), []
    graph.lint()
    for node in graph.nodes:
        if node.op == "call_method":
            path = f"{within}.{node.args[0].target}".removeprefix(".")
            tree.append((path, calls_in(functions[f"{node.args[0].value_type}.{node.target}"], path)))
    return tree


def nested(random, depth):
    if depth == 0:
        return random.choice([nn.Linear(4, 4), nn.ReLU()])
    shared = nested(random, depth - 1)
    children = [shared if random.random() < 0.2 else nested(random, depth - 1) for _ in range(random.choice([1, 1, 2]))]
    return Only(*children, more=random.random() < 0.3)


@pytest.mark.parametrize("seed", range(12))
def test_modules_that_do_nothing_but_call_others_keep_their_hierarchy(seed):
    torch.manual_seed(seed)
    net, x = nested(random.Random(seed), 4), torch.randn(2, 4)
    traced = torch.jit.trace(net, x)
    assert calls_in(traced.graph) == calls_of(net, x)
    assert torch.equal(traced(torch.ones(3, 4)), net(torch.ones(3, 4)))


class Again(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, again=True):
        return self(x, False) if again else self.inner(x)


class Holds(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Borrows(Holds):
    def __init__(self, inner):
        nn.Module.__init__(self)
        self.inner = [inner]

    def forward(self, x):
        return self.inner[0](x)


def test_a_module_that_is_called_by_itself_in_the_same_place():
    net, x = nn.Sequential(Again()), torch.randn(2, 4)
    traced = torch.jit.trace(net, x)
    assert calls_of(net, x) == [("0", [("0", [("0.inner", [])])])]
    assert calls_in(traced.graph) == [("0", [("0.inner", [])])]  # a module is no attribute of itself
    assert torch.equal(traced(x), net(x))


def test_a_module_that_another_one_calls_is_named_from_there():
    shared, x = Only(nn.Linear(4, 4)), torch.randn(2, 4)
    net = nn.Sequential(shared, Holds(shared), Borrows(shared))
    traced = torch.jit.trace(net, x)
    assert calls_in(traced.graph) == [
        ("0", [("0.part.0", [])]),
        ("1", [("1.inner", [("1.inner.part.0", [])])]),
        ("2", []),
    ]
    assert torch.equal(traced(x), net(x))
    assert [n.target for n in traced.inlined_graph.nodes if n.op == "get_attr"] == ["0.part.0.weight", "0.part.0.bias"] * 3


# Inputs of other kinds ---------------------------------------------------------------------------------------------------------------


def test_a_trace_captures_anew_for_another_dtype_or_number_of_dimensions():
    def f(x):
        y = x * 2
        y[0] = 1
        return y if x.sum() > 3 else -y

    traced = torch.jit.trace(f, torch.ones(3), check_trace=False)
    for x in (torch.ones(5), torch.ones(2, 2), torch.ones(4, dtype=torch.int64), torch.ones(2, 3) * 4, -torch.ones(2, 2)):
        expected = f(x.clone())
        for _ in range(2):
            assert torch.equal(traced(x), expected) and traced(x).dtype == expected.dtype
    assert [made.kinds[1] for made in traced._traced.again.others] == [((torch.float32, 2),), ((torch.int64, 1),)]  # each once
    assert traced.graph.guards == []
    graph = copy.copy(traced.graph)  # it is the first one's
    with pytest.raises(TypeError, match="must be a float32 tensor with 1 dimension"):
        graph(torch.ones(2, 2))


def test_a_new_capture_writes_nothing_twice(capsys):
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls += 1
            x.mul_(2)
            print("called")
            return x * self.calls + torch.rand(1)

    net = Counting()
    traced = torch.jit.trace(net, torch.ones(2), check_trace=False)
    with torch.no_grad():
        net.calls.zero_()
    capsys.readouterr()
    x = torch.ones(2, 2)
    torch.manual_seed(1)
    got = traced(x)
    assert x.tolist() == [[2, 2], [2, 2]] and net.calls.item() == 1 and capsys.readouterr().out == "called\n"
    torch.manual_seed(1)
    assert torch.equal(got, torch.full((2, 2), 2.0) + torch.rand(1))


def test_a_trace_keeps_no_module_alive_and_captures_none_that_is_gone():
    net = Net()
    traced = torch.jit.trace(net, torch.ones(2, 3))
    assert torch.equal(traced(torch.ones(4, 2, 3)), net(torch.ones(4, 2, 3)))
    net.eval()  # the traced module has a mode of its own
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None
    with pytest.raises(TypeError, match="float32 tensor with 2 dimensions"):
        traced(torch.ones(3))
    assert traced(torch.ones(2, 2, 3)).shape[:2] == (2, 2)  # of the capture that there is


def test_a_traced_function_with_a_branch_is_part_of_another_capture():
    inner = torch.jit.trace(lambda x: x * 2 if x.sum() > 0 else x - 1, torch.ones(2))
    assert inner.graph.guards == []
    for capture in (torch.jit.trace, torch.capture):
        outer = capture(lambda x: inner(x) + 1, torch.ones(2))
        assert outer(torch.ones(2)).tolist() == [3, 3] and outer(-torch.ones(2)).tolist() == [-1, -1]
