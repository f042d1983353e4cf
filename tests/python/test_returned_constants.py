"""Tensors that a captured program returns as they are: inputs, parameters, tensors from outside, and those that it makes of numbers."""

import monograph as torch
import pytest
from monograph import fx, nn

OUTSIDE = torch.ones(2)
TRAINED = nn.Parameter(torch.ones(2))


def all_ways(f, x):
    return torch.jit.trace(f, x, strict=False), fx.symbolic_trace(f), torch.compile(f, backend="eager")


def test_a_tensor_from_outside_is_returned_itself():
    def f(x):
        return OUTSIDE, x, [OUTSIDE, x + 1], {"trained": TRAINED}

    for capture in all_ways(f, torch.zeros(2)):
        x = torch.zeros(2)
        first, same, (again, _), named = capture(x)
        assert first is OUTSIDE and again is OUTSIDE and same is x and named["trained"] is TRAINED


def test_a_write_to_what_was_returned_reaches_the_tensor_from_outside():
    kept = torch.ones(2)

    def f(x):
        return kept

    traced = torch.jit.trace(f, torch.zeros(2), on_change="ignore")
    traced(torch.zeros(2)).add_(1)
    assert kept.tolist() == [2, 2]


def test_tensors_of_a_module_are_returned_themselves():
    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))
            self.register_buffer("mean", torch.ones(2))
            self.plain = torch.ones(2)

        def forward(self, x):
            return self.weight, self.mean, self.plain, self.weight, x

    net, x = Holder(), torch.zeros(2)
    for capture in (*all_ways(net, x), torch.jit.script(net)):
        weight, mean, plain, same, given = capture(x)
        assert weight is net.weight and mean is net.mean and plain is net.plain and same is weight and given is x


@pytest.mark.parametrize("how", ["trace", "compile", "script"])
def test_a_tensor_of_numbers_is_another_one_in_each_call(how):
    def f(x):
        return torch.tensor([1.0, 2.0]), x + 1

    capture = {"trace": lambda: torch.jit.trace(f, torch.zeros(2)), "compile": lambda: torch.compile(f, backend="eager"), "script": lambda: torch.jit.script(f)}[how]()
    made, _ = capture(torch.zeros(2))
    made.add_(1)
    again, _ = capture(torch.zeros(2))
    assert again is not made and again.tolist() == [1, 2]


def test_an_edited_graph_returns_what_it_computes():
    def f(x):
        return OUTSIDE

    traced = torch.jit.trace(f, torch.zeros(2))
    output = next(n for n in traced.graph.nodes if n.op == "output")
    with traced.graph.inserting_before(output):
        doubled = traced.graph.call_function(torch.ops.aten.mul.Scalar, (output.args[0], 2))
    output.args = (doubled,)
    assert traced(torch.zeros(2)).tolist() == [2, 2]
