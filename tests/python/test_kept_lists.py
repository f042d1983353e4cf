"""Lists whose length a graph computes: jit.trace with control_flow="keep" carries what a loop appends to, and joins lists of two lengths."""

from __future__ import annotations

import monograph as torch
import monograph.nn as nn
import pytest
from test_kept_branches import same
from test_kept_loops import INPUTS, agrees


def rnn(x):
    h = torch.zeros(3)
    outs = []
    for i in range(x.shape[0]):
        h = torch.tanh(h + x[i])
        outs.append(h)
    if len(outs) == 0:
        return x
    return torch.stack(outs)


def rows(x):
    outs = [x.sum(0)]
    for row in x:
        outs.append(row + outs[-1])
    return torch.stack(outs)


def extended(x):
    outs = [x[:1] * 0]
    for row in x:
        outs += [row.unsqueeze(0) * 2]
        outs.extend([row.unsqueeze(0)])
    return torch.cat(outs, 0)


def in_a_while(x):
    n = 0
    outs = [x]
    while x.abs().sum() < 100 and n < 6:
        x = x * 2 + 1
        n += 1
        outs.append(x)
    return torch.cat(outs)


def comprehension(x):
    return torch.stack([row * i for i, row in enumerate(x)]) if x.shape[0] > 0 else x


def appended_in_one_way(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x + 1)
    return torch.cat(parts)


def two_lists(x):
    a, b = [x.sum(0)], [x.sum(0) + 1]
    for row in x:
        if row.sum() > 0:
            a.append(a[-1] + row)
        else:
            b.append(b[-1] * row)
    return torch.cat([torch.stack(a) * 2, torch.stack(b), x * len(a)])


class Holder:
    pass


def attribute(x):
    holder = Holder()
    holder.outs = []
    for row in x:
        holder.outs.append(row)
    return torch.stack(holder.outs) if holder.outs else x


def of_a_closure(x):
    outs = [x.sum(0)]

    def add(row):
        outs.append(row)

    for row in x:
        add(row)
    return torch.stack(outs[::-1])


def in_a_dict(x):
    d = {"outs": [x.sum(0)]}
    for row in x:
        d["outs"].append(row)
    return torch.stack(d["outs"])


def nested(x):
    out = [x.sum(0)]
    for i in range(x.shape[0]):
        for j in range(i):
            out.append(x[i] * j)
    return torch.stack(out)


def numbers(x):
    ns = [0]
    for _ in x:
        ns.append(ns[-1] + 2)
    return x * ns[-1] + len(ns)


def iterated(x):
    out = []
    for row in x:
        out.append(row)
    t = x.sum(0)
    for r in out:
        t = t * 0.5 + r
    for a, b in zip(out, reversed(out)):
        t = t + a * b
    return t


def popped(x):
    stack = [x.sum(0), x.sum(0) + 1]
    n = 0
    while len(stack) > 0 and n < 8:
        h = stack.pop()
        n += 1
        if h.sum() < 10:
            stack.append(h * 2 + 3)
    return x * n


def one_list_of_two(x):
    hs = [x]
    if x.sum() > 0:
        hs = [x * 2, x * 3, x * 4]
    hs.append(x)
    return torch.cat(hs)


def concatenated(x):
    out = []
    for row in x:
        out = out + [row]
    return torch.stack([x.sum(0)] + out)


def up_to_a_tensor(x):
    found, last = [], x.sum(0)
    for row in x:
        last = last * 0.5 + row
        found.append(last)
    end = (x.sum() > 0).long() + 1
    for h in reversed(found[:end]):
        last = last + h
    return last


KEPT = [up_to_a_tensor, rnn, rows, extended, in_a_while, comprehension, appended_in_one_way, two_lists, attribute, of_a_closure, in_a_dict, nested, numbers,
        iterated, popped, one_list_of_two, concatenated]  # fmt: skip


def held_in_a_dict(x):
    a = [x]
    d = {"k": a}
    b = a
    if x.sum() > 0:
        b = [x * 2]
    b.append(x + 1)
    return torch.cat(d["k"])


def held_in_a_tuple(x):
    a = [x]
    t = (a,)
    b = a
    if x.sum() > 0:
        b = [x * 2, x]
    b.append(x + 1)
    return torch.cat(t[0])


def grows_while_it_is_read(x):
    out = [x.sum(0)]
    for row in x:
        out.append(row)
    t = x.sum(0)
    n = 0
    for r in out:
        n += 1
        if n < 3:
            out.append(r + t)
        t = t + r
    return t


def replaced_in_one_way(x):
    xs = [x + 2, x - 1]
    ys = xs
    value = b = x * 0.5
    if x.sum() <= 0:
        xs.append(x)
    if xs[1].max() >= 2:
        xs[0] = value
    else:
        if x.numel() > 100:
            xs = [xs[1], xs[1] + x]
        b = xs[0]
    return xs[0] + ys[0] * 10 + len(xs) + len(ys) + b


def other_dtypes(x):
    out = [x]
    for row in x:
        out.append(row.to(torch.int64))
    return out[-1] + len(out)


def written_items(x):
    out = [x.sum(0)]
    for row in x:
        out.append(row * 2)
        out[-1].add_(1)
    out[0].mul_(3)
    return torch.stack(out)


def read_behind_one_exit(x):
    outs = [x * 0.5, x + 2]
    k = 0
    while x.sum() < 3:
        k += 1
        if k > 3:
            break
        outs.append(x)
        if x.numel() > 100:
            break
    else:
        return x + 2
    outs[0] = x
    return outs[-1] + len(outs)


GUARDED = [read_behind_one_exit, held_in_a_dict, held_in_a_tuple, grows_while_it_is_read, replaced_in_one_way, other_dtypes, written_items]


@pytest.mark.parametrize("example", range(len(INPUTS)))
@pytest.mark.parametrize("f", [*KEPT, *GUARDED], ids=lambda f: f.__name__)
def test_programs(f, example, tmp_path):
    try:
        f(INPUTS[example].clone())
    except Exception:
        return
    traced = torch.jit.trace(f, INPUTS[example].clone(), control_flow="keep", check_trace=False)
    equal = agrees(f, traced)
    traced.graph.save(tmp_path / "f.mgraph")
    assert agrees(f, torch.load_graph(tmp_path / "f.mgraph")) == equal
    if f in KEPT:
        assert not traced.graph.guards
        assert equal == len(INPUTS)


class Outputs(nn.Module):
    """All hidden states of a recurrent network, as people write it."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(6, 3), nn.Linear(3, 2)

    def forward(self, x):
        h = torch.zeros(3)
        states = []
        for i in range(x.shape[0]):
            h = torch.tanh(self.cell(torch.cat([h, x[i]])))
            states.append(h)
        return self.out(torch.stack([h, *states[:1]])) if len(states) < 1 else self.out(torch.stack(states))


def test_gradients_flow_through_lists():
    torch.manual_seed(1)
    net = Outputs()
    traced = torch.jit.trace(net, INPUTS[0].clone(), control_flow="keep", check_trace=False)
    for x in INPUTS[:4]:
        assert same(net(x), traced(x))
        given = [x.clone().requires_grad_() for _ in range(2)]
        want = torch.autograd.grad(net(given[0]).sum(), [given[0], *net.parameters()])
        got = torch.autograd.grad(traced(given[1]).sum(), [given[1], *net.parameters()])
        for a, b in zip(want, got, strict=True):
            assert torch.allclose(a, b, rtol=1e-5, atol=1e-6)


def test_what_stands_for_a_list_is_one():
    seen = []

    def f(x):
        out = [x]
        while x.sum() < 100:
            x = x * 2
            out.append(x)
        seen.append(isinstance(out, list))
        return torch.cat(out)

    torch.jit.trace(f, INPUTS[0], control_flow="keep", check_trace=False)
    assert seen == [True]
