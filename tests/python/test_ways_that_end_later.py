"""Ways of a branch that cannot be joined where they meet run on until the way around them ends: None beside a tensor, two functions, other texts and types."""

import monograph as torch
import pytest
from monograph import fx


def none_or_tensor(x):
    extra = None
    if x.sum() > 0:
        extra = x * 2
    y = x + 1
    if extra is not None:
        y = y + extra
    return y


def functions(x):
    act = torch.relu if x.sum() > 0 else torch.tanh
    return act(x) + 1


def texts(x):
    name = "positive" if x.sum() > 0 else "negative!"
    return x * len(name)


def two(x):
    a = b = None
    if x.sum() > 0:
        a = x
    if x.max() > 1:
        b = x * 3
    if a is None and b is None:
        return x
    if a is None:
        return b
    return a if b is None else a + b


def dtypes(x):
    h = x.double() if x.sum() > 0 else x
    return (h * 2).float()


def in_a_loop(x):
    last = None
    for i in range(3):
        if x[0] > i:
            last = x * i
        x = x + 1
    return x if last is None else x + last


def in_another_way(x):
    if x.sum() > -100:
        k = None
        if x.sum() > 0:
            k = x
        z = x if k is None else k * 2
    else:
        z = x * 7
    return z


def tuple_or_list(x):
    out = []
    if x.sum() > 0:
        out = (x, x)
    return sum(out) if out else x


def in_a_function(x):
    def part(y):
        mask = None
        if y.max() > 1:
            mask = y > 1
        return y if mask is None else torch.where(mask, y * 10, y)

    return part(x) + part(x + 1)


PROGRAMS = [none_or_tensor, functions, texts, two, dtypes, in_a_loop, in_another_way, tuple_or_list, in_a_function]
INPUTS = [torch.tensor(v) for v in ([1.0, 2.0], [-1.0, -2.0], [10.0, 20.0, 3.0], [-5.0, 2.0], [0.0], [0.5, 0.25])]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("example", range(3))
def test_a_trace_keeps_them(f, example, tmp_path):
    traced = torch.jit.trace(f, INPUTS[example].clone())
    assert traced.graph.guards == []
    traced.graph.save(tmp_path / "f.mgraph")
    loaded = torch.load_graph(str(tmp_path / "f.mgraph"))
    for x in INPUTS:
        assert torch.equal(traced(x.clone()), f(x)) and torch.equal(loaded(x.clone()), f(x))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_symbolic_trace_keeps_them(f):
    gm = fx.symbolic_trace(f)
    for x in INPUTS:
        assert torch.equal(gm(x.clone()), f(x))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compile_takes_them_whole(f):
    compiled = torch.compile(f, fullgraph=True)
    for x in INPUTS:
        assert torch.equal(compiled(x.clone()), f(x))


def test_a_way_that_writes_or_draws_is_a_guard_and_runs_once():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            seen = None
            if x.sum() > 0:
                self.count.add_(1)
                seen = x
            return x if seen is None else seen * 2

    net = Net()
    traced = torch.jit.trace(net, INPUTS[0], check_trace=False)
    assert net.count == 1 and traced(INPUTS[2]).tolist() == [20, 40, 6] and net.count == 2
    with pytest.raises(RuntimeError, match="x.sum"):
        traced(INPUTS[1])


def test_many_such_branches_end():
    def f(x):
        seen = [None] * 12
        for k in range(12):
            if x[0] > k:
                seen[k] = x * k
        return sum((s for s in seen if s is not None), x)

    traced = torch.jit.trace(f, torch.tensor([5.5]))  # too many ways: from some point on they are guards
    assert torch.equal(traced(torch.tensor([5.5])), f(torch.tensor([5.5])))
    for value in (0.5, 11.5):
        x = torch.tensor([value])
        try:
            assert torch.equal(traced(x), f(x))
        except RuntimeError as error:
            assert "was captured where" in str(error)
