"""What captures leave behind: modules that keep things between calls, and ways of capture that fail."""

from __future__ import annotations

import collections
import gc
import linecache
import traceback

import monograph as torch
import monograph.nn as nn
import pytest

ones = torch.ones


class Lazy(nn.Module):
    """Makes a table at its first call, and again for longer inputs."""

    def __init__(self):
        super().__init__()
        self.table = None

    def forward(self, x):
        if self.table is None or self.table.shape[0] < x.shape[0]:
            self.table = torch.arange(x.shape[0]).float()
        return x * self.table[: x.shape[0]]


class Cache(nn.Module):
    """A table for each size, also by a key with other things in it; what it saw last."""

    def __init__(self):
        super().__init__()
        self.tables, self.seen, self.last = {}, {"sizes": []}, None

    def forward(self, x):
        n = x.shape[0]
        if (n, "float") not in self.tables:
            self.tables[n, "float"] = torch.arange(n).float()
        self.seen["sizes"].append(n)
        self.last = x.shape
        return x * self.tables[n, "float"]


class Remembers(nn.Module):
    """Keeps what it computed for others to look at."""

    def __init__(self):
        super().__init__()
        self.log, self.last = [], None

    def forward(self, x):
        self.log.append(x.sum())
        self.last = (x * 2,)
        return x * 1


@pytest.mark.parametrize("make", [Lazy, Cache, Remembers])
@pytest.mark.parametrize("how", ["auto", "trace"])
def test_a_capture_leaves_the_module_as_it_was(make, how):
    net, fresh = make(), make()
    captured = torch.capture(net, ones(3), how=how)
    assert torch.equal(captured(ones(3) * 2), fresh(ones(3) * 2))
    assert {k: v for k, v in vars(net).items() if k not in ("_modules",)} == {k: v for k, v in vars(make()).items() if k not in ("_modules",)}
    assert torch.equal(net(ones(2)), make()(ones(2)))


@pytest.mark.parametrize("check", [True, False])
def test_a_trace_leaves_numbers_where_the_program_kept_sizes(check):
    net = Cache()
    traced = torch.jit.trace(net, ones(3), check_trace=check)
    assert list(net.tables) == [(3, "float")] and type(net.seen["sizes"][0]) is int and net.last == torch.Size([3])
    assert torch.equal(net(ones(3)), ones(3) * torch.arange(3)) and torch.equal(traced(ones(3)), net(ones(3)))
    assert torch.equal(net(ones(2)), ones(2) * torch.arange(2))
    assert torch.equal(traced(ones(2)), ones(2) * torch.arange(2))
    assert torch.equal(traced(ones(4)), ones(4) * torch.arange(4)) and list(net.tables) == [(3, "float"), (2, "float"), (4, "float")]
    assert net.seen["sizes"][-3:] == [2, 2, 4] and net.last == torch.Size([4])  # each call writes what the module's own call does


def test_a_symbolic_trace_leaves_no_proxies_behind():
    net = Remembers()
    gm = torch.fx.symbolic_trace(net)
    assert net.log == [] and net.last is None and torch.equal(gm(ones(2)), ones(2))
    lazy = Lazy()
    torch.fx.symbolic_trace(lazy)
    assert lazy.table is None and torch.equal(lazy(ones(3)), torch.arange(3.0))


def test_a_capture_that_fails_gives_way_to_the_next_and_says_why():
    lazy = torch.capture(Lazy(), ones(3))
    assert lazy.how == "symbolic" and torch.equal(lazy(ones(5)), torch.arange(5.0))
    numel = torch.capture(lambda x: x * x.shape.numel(), ones(3))
    assert numel.how == "trace" and numel(ones(3))[0] == 3 and "symbolic was tried before" in numel.report() and "numel" in numel.report()
    with pytest.raises(ZeroDivisionError) as failed:
        torch.capture(lambda x: x if x.sum() > 0 else 1 // 0, -ones(2))
    assert any("symbolic was tried before" in note and "control flow" in note for note in failed.value.__notes__)


class Collects(nn.Module):
    """Keeps things in containers of all kinds, one of which holds itself."""

    def __init__(self):
        super().__init__()
        self.lists, self.ordered = collections.defaultdict(list), collections.OrderedDict(b=1, a=2)
        self.ordered.move_to_end("b")
        self.seen, self.last, self.loop = {1}, collections.deque([1], maxlen=2), []
        self.loop.append(self.loop)

    def forward(self, x):
        self.lists["of"].append(x.shape[0])
        self.ordered[x.shape[0] * 1.5] = x
        self.seen.add(2)
        self.last.append(x.shape)
        self.register_buffer("kept", torch.ones(1))
        return x * 1


def test_containers_of_all_kinds_are_as_before():
    net = Collects()
    assert torch.capture(net, ones(2)).how == "trace"
    assert not net.lists and list(net.ordered) == ["a", "b"] and net.seen == {1} and list(net.last) == [1] and not net._buffers and len(net.loop) == 1
    torch.jit.trace(net, ones(2), check_trace=False)
    assert net.lists == {"of": [2]} and list(net.ordered) == ["a", "b", 3.0] and "kept" in net._buffers
    assert all(type(k) in (str, float) for k in net.ordered) and net.last.maxlen == 2 and net.last[-1] == torch.Size([2])


def test_an_arm_uses_what_is_no_operand():
    def f(x):
        c = x * 2
        return torch.cond(x.sum() > 0, lambda a: a + c, lambda a: a - c, (x,))

    captured = torch.capture(f, ones(2))
    assert captured.how == "symbolic" and captured(-ones(2)).tolist() == [1, 1]


def _kept_by(call, times=300):
    """How many objects and lines of generated code so many calls leave behind."""
    for _ in range(20):
        call()
    gc.collect()
    objects, texts = len(gc.get_objects()), len(linecache.cache)
    for _ in range(times):
        call()
    gc.collect()
    return len(gc.get_objects()) - objects, len(linecache.cache) - texts


def test_captures_and_recompiling_leave_nothing_behind():
    net, x = nn.Sequential(nn.Linear(3, 3), nn.ReLU()), torch.ones(2, 3)
    gm = torch.fx.symbolic_trace(net)
    calls = [
        lambda: torch.fx.symbolic_trace(net)(x),
        lambda: torch.fx.symbolic_trace(net).graph.hash(),
        gm.recompile,
        lambda: torch.fx.GraphModule(net, gm.graph),
        lambda: torch.jit.trace(net, x)(x),
        lambda: torch.capture(net, x)(x),
        lambda: torch.fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda x: x, lambda x: -x, (x,)))(x),
    ]
    for call in calls:
        objects, texts = _kept_by(call)
        assert objects < 50 and texts == 0, (objects, texts)


def test_a_traceback_shows_the_lines_of_generated_code():
    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) @ x)
    for _ in range(3):
        gm.recompile()
    with pytest.raises(RuntimeError) as error:
        gm(torch.ones(2, 3))
    assert any("matmul = relu @ x" in line for line in traceback.format_exception(error.value))
