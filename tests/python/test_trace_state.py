"""What a trace holds besides its inputs: tensors from outside, tensors that the program makes, and whether gradients flow to them."""

from __future__ import annotations

import copy
import warnings

import monograph as torch
import monograph.nn as nn
import pytest


class Unregistered(nn.Module):
    """Its layers stand in a plain list, its scale in a dict: no path of the module leads to them."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]
        self.kept = {"scale": nn.Parameter(torch.full((3,), 2.0)), "fixed": nn.Parameter(torch.ones(3), requires_grad=False)}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x * self.kept["scale"] + self.kept["fixed"]

    def outside(self):
        return [p for layer in self.layers for p in layer.parameters()] + list(self.kept.values())


def captures(program, x):
    yield torch.jit.trace(program, x)
    yield torch.fx.symbolic_trace(program)
    for how in ("trace", "symbolic"):
        yield torch.capture(program, x, how=how)


def graph_of(captured):
    if isinstance(captured, torch.fx.Graph):
        return captured
    return captured.inlined_graph if hasattr(captured, "inlined_graph") else captured.graph


def gradients(run, x, parameters):
    for p in parameters:
        p.grad = None
    run(x).sum().backward()
    return [p.grad for p in parameters if p.requires_grad]


def test_parameters_that_no_module_holds_stay_the_programs_own(tmp_path):
    net, x = Unregistered(), torch.randn(2, 3)
    expected, runs = gradients(net, x, net.outside()), list(captures(net, x))
    runs += [graph_of(run) for run in runs]
    for run in runs:
        assert run(x).requires_grad
        for a, b in zip(gradients(run, x, net.outside()), expected, strict=True):
            assert torch.equal(a, b)
    with torch.no_grad():
        for p in net.outside():
            p.add_(0.5)
    for run in runs:
        assert torch.equal(run(x), net(x))
    assert len({graph_of(run).hash() for run in runs}) == 1
    graph_of(runs[0]).save(tmp_path / "g.mgraph")
    assert torch.equal(torch.load_graph(str(tmp_path / "g.mgraph"))(x), net(x))
    text = str(runs[0].inlined_graph)
    assert "_param_constant5" in text and "_param_constant6" not in text


def test_a_function_over_parameters():
    w = nn.Parameter(torch.ones(3))
    for run in captures(lambda x: x * w, torch.ones(2, 3)):
        for again in (run, graph_of(run)):
            (grad,) = gradients(again, torch.full((2, 3), 2.0), [w])
            assert grad.tolist() == [4.0, 4.0, 4.0]


def test_a_number_of_a_parameter_from_outside_is_guarded():
    steps = nn.Parameter(torch.tensor(2.0))
    traced = torch.jit.trace(lambda x: x * int(steps), torch.ones(2), control_flow="guard")
    assert traced(torch.ones(2)).tolist() == [2.0, 2.0]
    with torch.no_grad():
        steps.fill_(3.0)
    with pytest.raises(RuntimeError, match="captured where"):
        traced(torch.ones(2))


def test_what_was_computed_outside_and_requires_grad_is_no_constant():
    w = nn.Parameter(torch.ones(3)) * 2
    with pytest.raises(RuntimeError, match=r"(?s)requires grad and was computed outside.*parameter of a module.*detach\(\).*test_trace_state"):
        torch.jit.trace(lambda x: x * w, torch.ones(2, 3))
    d = w.detach()
    assert torch.jit.trace(lambda x: x * d, torch.ones(2, 3))(torch.ones(1, 3)).tolist() == [[2.0, 2.0, 2.0]]


def test_writes_to_parameters_that_no_module_holds_are_refused():
    net = Unregistered()

    def f(x):
        with torch.no_grad():
            net.kept["scale"].add_(1)
        return x * net.kept["scale"]

    with pytest.raises(RuntimeError, match="writes to a tensor from outside"):
        torch.jit.trace(f, torch.ones(2, 3))


MADE = {
    "ones": lambda x: x * torch.ones(3, requires_grad=True),
    "ones, then": lambda x: x * torch.ones(3).requires_grad_(),
    "tensor": lambda x: x * torch.tensor([1.0, 2.0, 3.0], requires_grad=True),
    "tensor, then": lambda x: x * torch.tensor([1.0, 2.0, 3.0]).requires_grad_(),
    "detached": lambda x: x.detach().requires_grad_() * 2,
    "no longer": lambda x: x.detach().requires_grad_().requires_grad_(False) * 2,
    "input": lambda x: x.requires_grad_() * 2,
}
PARAMETERS = {
    "parameter": lambda x: x * nn.Parameter(torch.ones(3)),
    "parameter of a constant": lambda x: x * nn.Parameter(torch.tensor([1.0, 2.0, 3.0])),
    "parameter of the input": lambda x: nn.Parameter(x * 2) * 3,
    "assigned": lambda x: required(x.sum(0)),
    "fixed parameter of the input": lambda x: nn.Parameter(x * 2, requires_grad=False) * 3,
}


def required(y):
    y = y.detach()
    y.requires_grad = True
    return y * 3


@pytest.mark.parametrize("name", [*MADE, *PARAMETERS])
def test_what_the_program_makes_requires_grad_as_it_says(name, tmp_path):
    f = {**MADE, **PARAMETERS}[name]
    x, other = torch.randn(2, 3), torch.randn(4, 3)
    expected = f(other.clone())
    runs = [torch.jit.trace(f, x.clone())]
    if name in MADE:
        runs.append(torch.fx.symbolic_trace(f))
    for run in runs:
        run.graph.save(tmp_path / "g.mgraph")
        for again in (run, graph_of(run), torch.load_graph(str(tmp_path / "g.mgraph"))):
            got = again(other.clone())
            assert torch.equal(got, expected)
            # A symbolic trace sees no flag of a constant: it is a tensor from outside, and one from a file requires no grad.
            if name != "tensor, then" or run is runs[0]:
                assert got.requires_grad == expected.requires_grad
        if not any(n.op == "get_attr" for n in graph_of(run).nodes):  # the canonical form of a program with attributes does not run by itself
            assert torch.equal(graph_of(run).canonical()(other.clone()), expected)
        with torch.no_grad():
            assert torch.equal(graph_of(run).build()(other.clone()), expected)


def test_a_tensor_made_anew_by_each_run_gathers_no_gradient():
    def f(x):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        return x * w, w

    traced = torch.jit.trace(f, torch.ones(2))
    for _ in range(2):
        y, w = traced(torch.ones(2))
        y.sum().backward()
        assert w.grad.tolist() == [1.0, 1.0] and w.is_leaf


def test_the_slope_of_the_program_itself():
    def f(x):
        y = x.detach().requires_grad_()
        (g,) = torch.autograd.grad((y * y * y).sum(), y)
        return g * y

    x = torch.randn(2, 3)
    traced, other = torch.jit.trace(f, x), torch.randn(2, 3)
    assert torch.equal(traced(other), f(other)) and traced(other).requires_grad


def test_gradients_reach_an_input_that_the_program_lets_require_them():
    traced = torch.jit.trace(lambda x: x.requires_grad_() * 2, torch.ones(2))
    x = torch.ones(2, requires_grad=True)
    traced(x * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


class Data(nn.Module):
    def __init__(self, take):
        super().__init__()
        self.weight, self.take = nn.Parameter(torch.ones(3)), take
        self.register_buffer("offset", torch.ones(3))

    def forward(self, x):
        return x * self.take(self.weight) + self.take(self.offset)


TAKES = {
    "data": lambda t: t.data,
    "detach": lambda t: t.detach(),
    "deepcopy": copy.deepcopy,
    "Tensor": lambda t: torch.Tensor(t.detach()),
    "Parameter": nn.Parameter,
}


@pytest.mark.parametrize("name", TAKES)
def test_other_faces_of_a_tensor_are_read_when_the_graph_runs(name):
    take = TAKES[name]
    net, x = Data(take), torch.randn(2, 3)
    traced, of_input = torch.jit.trace(net, x), torch.jit.trace(lambda x: take(x * 1) * 2, x)
    assert torch.equal(of_input(x), take(x) * 2)
    with torch.no_grad():
        net.weight.mul_(3), net.offset.mul_(5)
    other = torch.randn(5, 3)
    assert torch.equal(traced(other), net(other)) and torch.equal(of_input(other), take(other) * 2)


RANKS = {
    "last size": lambda x: x.squeeze().shape[-1] * x,
    "size()": lambda x: x.squeeze().size()[-1] * x,
    "unpacked": lambda x: x * [*x.squeeze().shape][-1],
    "squeeze of a dim": lambda x: x.squeeze(0).shape[-1] * x,
    "of what follows": lambda x: (x.squeeze() + 1).relu().shape[-1] * x,
    "strides": lambda x: x * x.squeeze().stride()[-1],
    "a mask before a slice": lambda x: x.unsqueeze(-1).squeeze(0)[x.squeeze(0) > -1, :1],
    "index behind an ellipsis": lambda x: x.squeeze()[..., torch.tensor([0, 1])],
    "len of the shape": lambda x: x * len(x.squeeze().shape),
    "dim": lambda x: x * x.squeeze().dim(),
    "ndim": lambda x: x * x.squeeze().ndim,
}


@pytest.mark.parametrize("name", RANKS)
def test_a_rank_that_sizes_decide_is_right_or_guarded(name):
    f = RANKS[name]
    for example in (torch.ones(1, 3), torch.ones(2, 3)):
        traced = torch.jit.trace(f, example)
        assert torch.equal(traced(example * 3), f(example * 3))
        for other in (torch.ones(2, 3), torch.ones(1, 3), torch.ones(1, 2), torch.ones(4, 2), torch.ones(1, 4), torch.ones(2, 1)):
            try:
                expected = f(other)
            except (RuntimeError, IndexError):
                expected = None
            try:
                got = traced(other)
            except (RuntimeError, IndexError) as error:
                assert "captured where" in str(error) or expected is None
                continue
            assert expected is not None and torch.equal(got, expected), other.shape


class DoesMoreThanItComputes(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.zeros(()))
        self.seen: list[int] = []

    def forward(self, x):
        self.calls += 1
        self.total += x.sum()
        self.seen.append(x.shape[0])
        LOG.append(self.calls)
        print("forward", x.shape[0])
        return x * self.total + torch.rand(x.shape)


LOG: list[int] = []


def test_the_program_runs_once_and_its_graph_is_compared_with_that_run(capsys):
    """check_trace is on: the graph runs for the check, from the state in which the program began."""
    LOG.clear()
    own, net, x = DoesMoreThanItComputes(), DoesMoreThanItComputes(), torch.ones(2)
    torch.manual_seed(3)
    own(x)
    drawn = torch.rand(2)
    torch.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", torch.jit.TracerWarning)
        torch.jit.trace(net, x)
    assert torch.equal(torch.rand(2), drawn)
    assert (net.calls, net.total.item(), net.seen, LOG) == (own.calls, own.total.item(), own.seen, [1, 1])
    assert capsys.readouterr().out == "forward 2\n" * 2


def test_a_graph_that_differs_from_the_run_is_told(monkeypatch):
    from monograph.jit import _trace

    run = _trace._Traced._run
    monkeypatch.setattr(_trace._Traced, "_run", lambda self, args, kwargs: run(self, args, kwargs) + 1)
    with pytest.warns(torch.jit.TracerWarning, match="does not match the corresponding output of the Python function: they differ by up to 1"):
        torch.jit.trace(lambda x: x * 2, torch.ones(2))
