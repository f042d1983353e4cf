"""Traced functions call scripted ones and the reverse; both call what was loaded. Each equals eager on both sides of its branches, before and after saving."""

from __future__ import annotations

import io
from typing import Any

import monograph as torch
import pytest
from monograph import nn

INPUTS = (torch.ones(2, 3), -torch.ones(2, 3), torch.arange(12.0).reshape(4, 3) - 7)


@torch.jit.script
def branch(x):
    if x.sum() > 0:
        return x * 2
    else:
        return x - 1


@torch.jit.script
def halved(x, limit: float = 1.0):
    n = 0
    while bool(x.abs().max() > limit):
        x = x / 2
        n += 1
    return x, n


@torch.jit.script_if_tracing
def counted(x, n: int):
    for i in range(x.size(0)):
        x = x + i * n
    return x


class Looped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, n: int = 2):
        for _ in range(n):
            x = self.fc(x)
        if bool(x.sum() > 0):
            x = -x
        return x


class HoldsScript(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sub, self.l = torch.jit.script(Looped()), nn.Linear(3, 3)

    def forward(self, x):
        return self.sub(self.l(x)).relu()


class HoldsOther(nn.Module):
    """Calls a module that was traced or loaded."""

    def __init__(self, other: Any) -> None:
        super().__init__()
        self.other, self.layers = other, nn.ModuleList([nn.Linear(3, 3), other])

    def forward(self, x):
        if bool(x.sum() > 0):
            x = self.other(x)
        for layer in self.layers:
            x = layer(x)
        return x


def saved_and_loaded(m: Any) -> Any:
    buffer = io.BytesIO()
    torch.jit.save(m, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


def assert_equal(got: Any, want: Any) -> None:
    if isinstance(want, tuple):
        for a, b in zip(got, want, strict=True):
            assert_equal(a, b)
    elif isinstance(want, torch.Tensor):
        assert torch.equal(got, want)
    else:
        assert got == want


def check(made: Any, eager: Any) -> None:
    for m in (made, saved_and_loaded(made)):
        for x in INPUTS:
            assert_equal(m(x), eager(x))


@pytest.mark.parametrize(
    "function",
    [lambda x: branch(x) + 1, lambda x: branch(branch(x) * 3), lambda x: halved(x)[0].sin(), lambda x: counted(x, 3) * 2, lambda x: halved(x, 0.5)],
    ids=["branch", "twice", "loop", "if_tracing", "number"],
)
def test_a_trace_takes_in_scripted_functions(function):
    traced = torch.jit.trace(function, INPUTS[0])
    for x in INPUTS:
        assert_equal(traced(x), function(x))


def test_a_trace_takes_in_scripted_modules():
    torch.manual_seed(0)
    net = HoldsScript().eval()
    traced = torch.jit.trace(net, INPUTS[0])
    assert sorted(traced.state_dict()) == ["l.bias", "l.weight", "sub.fc.bias", "sub.fc.weight"]
    check(traced, net)
    with torch.no_grad():
        net.sub.fc.weight.mul_(2)
    assert_equal(traced(INPUTS[1]), net(INPUTS[1]))


@pytest.mark.parametrize("how", ["traced", "loaded"])
def test_a_script_calls_what_was_traced_or_loaded(how):
    torch.manual_seed(0)
    inner = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    other = torch.jit.trace(inner, INPUTS[0]) if how == "traced" else saved_and_loaded(torch.jit.script(Looped()))
    net = HoldsOther(other).eval()
    check(torch.jit.script(net), net)


traced_function = torch.jit.trace(lambda x: x.relu().reshape(x.shape[0], -1) * 3, torch.ones(2, 3))


def calls_traced(x):
    return traced_function(x) + 1


def test_a_scripted_function_calls_a_traced_one():
    check(torch.jit.script(calls_traced), calls_traced)


guarded = torch.jit.trace(lambda x: x * 2 if x.sum() > 0 else x, torch.ones(2), control_flow="guard")


def calls_guarded(x):
    return guarded(x)


def test_what_neither_takes_in_is_an_error():
    with pytest.raises(RuntimeError, match="(?s)has guards, so a script cannot call it.*HERE"):
        torch.jit.script(calls_guarded)

    def step(x):
        y = branch(x)
        (gradient,) = torch.autograd.grad(y.sum(), x)
        return gradient

    with pytest.raises(NotImplementedError, match="a trace records no gradient through the scripted function branch"):
        torch.jit.trace(step, torch.ones(2, requires_grad=True))


# A number beside a tensor -----------------------------------------------------------------------------------------------------------------------


def doubled(x):
    y = 2 * torch.ones(4)
    return (y / 4)[0::2], (x[:, None] * y)[:, 1::2]


def test_a_number_times_a_tensor_has_the_sizes_of_the_tensor():
    compiled = torch.jit.script(doubled)
    assert_equal(compiled(torch.ones(3)), doubled(torch.ones(3)))
