"""Writes under no_grad() inside of a captured program: an average of the weights gets no gradient of them, whatever the mode of the call."""

from __future__ import annotations

from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest


class Averages(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        nn.init.constant_(self.fc.weight, 0.5)
        nn.init.constant_(self.fc.bias, 0.25)
        self.register_buffer("average", torch.zeros(2, 2))
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        y = self.fc(x)
        with torch.no_grad():
            self.average.lerp_(self.fc.weight, 0.25)
            self.mean.mul_(0.5).add_(y.mean(0), alpha=0.5)
        return y - self.mean + x @ self.average


class AveragesInABranch(Averages):
    def forward(self, x):
        y = self.fc(x)
        if x.sum() > 0:
            with torch.no_grad():
                self.average.lerp_(self.fc.weight, 0.25)
                self.mean.mul_(0.5).add_(y.mean(0), alpha=0.5)
            return y * 2
        return x @ self.average


class AveragesAll(Averages):
    def forward(self, x):
        with torch.no_grad():
            torch._foreach_lerp_([self.average, self.mean], [self.fc.weight, self.fc.bias], 0.25)
        return self.fc(x) + x @ self.average


def writes_behind_the_gradient(x):
    y = x * 3
    with torch.no_grad():
        y.mul_(2)
    return y


X = [torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[-1.0, -2.0]]), torch.tensor([[0.5, 0.5], [1.0, 0.0], [2.0, 2.0]])]
CAPTURES = [lambda f: torch.jit.trace(f, (X[0].clone(),)), lambda f: torch.compile(f, backend="eager")]


@pytest.mark.parametrize("make", [Averages, AveragesInABranch, AveragesAll])
@pytest.mark.parametrize("capture", CAPTURES, ids=["trace", "compile"])
def test_an_average_has_no_gradient(make: Any, capture: Any) -> None:
    if not hasattr(torch, "_foreach_lerp_") and make is AveragesAll:
        pytest.skip("no such function")
    own, other = make(), make()
    captured = capture(other)
    if capture is CAPTURES[0]:
        own(X[0])
    for _ in range(3):
        for x in X:
            expected, got = own(x), captured(x)
            assert torch.allclose(expected, got) and got.requires_grad == expected.requires_grad
            for name, buffer in own.named_buffers():
                mine = dict(other.named_buffers())[name]
                assert torch.allclose(buffer, mine) and not mine.requires_grad and mine.grad_fn is None, name
            for net, result in ((own, expected), (other, got)):
                net.zero_grad()
                if result.requires_grad:
                    result.sum().backward()
            assert (own.fc.weight.grad is None) == (other.fc.weight.grad is None)
            if own.fc.weight.grad is not None:
                assert torch.allclose(own.fc.weight.grad, other.fc.weight.grad)


@pytest.mark.parametrize("capture", CAPTURES, ids=["trace", "compile"])
def test_a_write_under_no_grad_leaves_the_gradient_as_it_was(capture: Any) -> None:
    x, y = X[0].clone().requires_grad_(), X[0].clone().requires_grad_()
    captured = capture(writes_behind_the_gradient) if capture is CAPTURES[1] else torch.jit.trace(writes_behind_the_gradient, (X[0].clone().requires_grad_(),))
    results = writes_behind_the_gradient(x), captured(y)
    assert torch.equal(*results)
    for result in results:
        result.sum().backward()
    assert torch.equal(x.grad, y.grad)
