"""The order of keys that a program changes: move_to_end() of an OrderedDict, a key that is taken out and put in again."""

from __future__ import annotations

import collections
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

X = [torch.tensor(v) for v in ([1.0, 2.0, 3.0], [-9.0, -1.0], [4.0], [])]


def in_a_branch(x):
    d = collections.OrderedDict(b=x + 1, a=x * 2)
    if x.sum() > 0:
        d.move_to_end("b")
    return d


def in_a_plain_dict(x):
    d = {"b": x + 1, "a": x * 2}
    if x.sum() > 0:
        d["b"] = d.pop("b")
    return d


class Rotates(nn.Module):
    """Takes its oldest entry, which is the newest then."""

    def __init__(self, make: Any):
        super().__init__()
        self.entries = make([("a", 1.0), ("b", 2.0), ("c", 3.0)])

    def forward(self, x):
        name = next(iter(self.entries))
        value = self.entries.pop(name)
        self.entries[name] = value
        return x * value


class Touches(nn.Module):
    def __init__(self):
        super().__init__()
        self.entries = collections.OrderedDict(a=1.0, b=2.0, c=3.0)

    def forward(self, x):
        self.entries.move_to_end("a", last=x.shape[0] > 1)
        return x * 2


def seen(result: Any) -> Any:
    return [(k, v.tolist()) for k, v in result.items()] if isinstance(result, dict) else result.tolist()


@pytest.mark.parametrize("f", [in_a_branch, in_a_plain_dict])
@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, (X[0],), strict=False), torch.fx.symbolic_trace, torch.compile])
def test_sides_of_a_branch_that_leave_another_order(f: Any, capture: Any) -> None:
    try:
        captured = capture(f)
    except torch.fx.proxy.TraceError as error:
        assert "test_kept_order.py:" in str(error)
        return
    for x in X:
        try:
            got = seen(captured(x))
        except RuntimeError as error:
            assert "test_kept_order.py:" in str(error)
            continue
        assert got == seen(f(x))


@pytest.mark.parametrize("make", [lambda: Rotates(dict), lambda: Rotates(collections.OrderedDict), Touches])
@pytest.mark.parametrize("capture", [lambda m: torch.jit.trace(m, X[0]), torch.compile])
def test_the_order_of_what_the_module_keeps(make: Any, capture: Any) -> None:
    own, other = make(), make()
    captured = capture(other)
    if capture is not torch.compile:
        own(X[0])
    for x in [*X, *X]:
        assert seen(captured(x)) == seen(own(x))
        assert list(other.entries) == list(own.entries)
