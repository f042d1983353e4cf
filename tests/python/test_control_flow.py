"""torch.cond and torch.while_loop whose functions use values of the program around them, in every capture, and in files."""

from __future__ import annotations

import copy

import monograph as torch
import monograph.nn as nn
import pytest


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.other = nn.Linear(3, 3), nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.full((3,), 2.0))
        self.register_buffer("steps", torch.tensor(3))

    def forward(self, x):
        h = self.fc(x)
        y = torch.cond(h.sum() > 0, lambda: self.other(h) * self.scale, lambda: h - self.scale)
        _, y = torch.while_loop(lambda i, y: i < self.steps, lambda i, y: (i + 1, y + self.fc(h)), (torch.tensor(0), y))
        return y * self.scale


def plain(x):
    return torch.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)


def nested(x):
    y = x + 1

    def positive():
        z = y * x
        return torch.cond(z.max() > 4, lambda: z + y, lambda: torch.cond(x.min() > 0, lambda: z, lambda: y))

    return torch.cond(x.sum() > 0, positive, lambda: y)


def several(x):
    n = x.shape[0]
    a, b = torch.cond(x.sum() > 0, lambda: (x * n, x), lambda: (x, x.sum(0, keepdim=True).expand(n, -1)))
    return a - b


def loop(x):
    limit = x.abs().sum()
    i, y = torch.while_loop(lambda i, y: y.sum() < limit * 3, lambda i, y: (i + 1, y + x.abs()), (torch.zeros(()), x.abs()))
    return y, i


def cond_in_loop(x):
    def body(i, y):
        return i + 1, torch.cond(i > 1, lambda: y + x, lambda: y * 2)

    return torch.while_loop(lambda i, y: i < 4, body, (torch.tensor(0), x))[1]


def loop_of_constants(x):
    total, _ = torch.while_loop(lambda t, i: i < 3, lambda t, i: (t + x, i + 1), (torch.zeros(3), torch.tensor(0)))
    return total


def of_outer_attributes(x):
    shape = x.shape
    return torch.cond(x.sum() > 0, lambda: x.view(shape[0], -1) * 2, lambda: x.reshape(shape)) + shape[0]


def same_in_both(x):
    y = x * 2
    return torch.cond(x.sum() > 0, lambda: y, lambda: y) + 1


def constant_of_an_arm(x):
    return torch.cond(x.sum() > 0, lambda: torch.tensor([1.0, 2.0, 3.0]), lambda: x[0])


PROGRAMS = [plain, nested, several, loop, cond_in_loop, loop_of_constants, of_outer_attributes, same_in_both, constant_of_an_arm]
INPUTS = [torch.ones(2, 3), -torch.ones(2, 3), torch.ones(4, 3) * 3, torch.tensor([[5.0, -1.0, 2.0]])]


def tuple_of(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("f", [*PROGRAMS, Net()], ids=lambda f: getattr(f, "__name__", "net"))
def test_functions_that_close_over_values(f, tmp_path):
    traced, symbolic = torch.jit.trace(f, INPUTS[0]), torch.fx.symbolic_trace(f)
    flat = traced.inlined_graph
    flat.save(tmp_path / "traced.mgraph")
    symbolic.graph.save(tmp_path / "symbolic.mgraph")
    runs = [traced, symbolic, symbolic.graph, copy.deepcopy(symbolic), symbolic.graph.build()]
    runs += [torch.load_graph(str(tmp_path / f"{name}.mgraph")) for name in ("traced", "symbolic")]
    for x in INPUTS:
        expected = tuple_of(f(x))
        for run in runs:
            got = tuple_of(run(x))
            assert len(got) == len(expected) and all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
    assert flat.hash() == symbolic.graph.hash() and not flat.guards


def test_what_a_function_made_is_no_value_outside():
    kept = []

    def f(x):
        def arm():
            kept.append(x * 2)
            return kept[-1]

        torch.cond(x.sum() > 0, arm, lambda: x)
        return kept[-1] + 1

    with pytest.raises(torch.fx.proxy.TraceError, match=r"(?s)mul was made inside a function of cond.*return kept\[-1\] \+ 1.*Return it"):
        torch.fx.symbolic_trace(f)


def test_functions_that_return_what_is_no_tensor_are_refused():
    with pytest.raises(torch.fx.proxy.TraceError, match=r"(?s)cond: false_fn must return a Tensor.*returned a int.*lambda: 1"):
        torch.fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x, lambda: 1))
    with pytest.raises(ValueError, match="both functions must return the same number of tensors, but they return 1 and 2"):
        torch.fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x, lambda: (x, x)))
    with pytest.raises(ValueError, match="while_loop: the body must return as many tensors as carried_inputs has, which is 1, but returned 2"):
        torch.fx.symbolic_trace(lambda x: torch.while_loop(lambda y: y.sum() > 0, lambda y: (y, y), (x,)))


def test_a_condition_that_is_known_takes_its_side():
    gm = torch.fx.symbolic_trace(lambda x: torch.cond(True, lambda x: x + 1, lambda x: x, (x,)))
    assert [n.name for n in gm.graph.nodes] == ["x", "add", "output"]


def test_dead_code_leaves_what_functions_use():
    gm = torch.fx.symbolic_trace(nested)
    before = str(gm.graph)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    assert str(gm.graph) == before and torch.equal(gm(INPUTS[2]), nested(INPUTS[2]))
