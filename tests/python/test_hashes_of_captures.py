"""One program as a trace, a symbolic trace and a script: equal hashes, real branches and loops in both codes, and a text that reads back. What differs has a reason."""

from __future__ import annotations

import copy
import math
import re
import sys
from pathlib import Path

import monograph as torch
import pytest
from monograph import fx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "capture"))
import hashes  # noqa: E402
from hash_differences import DIFFERENT as DIFFERENT_IN_BENCH  # noqa: E402

X = torch.tensor([[0.3, 0.7, -0.2], [1.5, -0.4, 0.9]])


def if_elif(x):
    if x.sum() > 2:
        return x + 1
    elif x.sum() > 0:
        return x + 2
    elif x.sum() < -1:
        return x + 3
    else:
        return x


def early_returns(x):
    if x.sum() > 0:
        return x
    y = x.abs()
    if y.sum() > 1:
        return y
    return y + 1


def size_and_value(x):
    if x.shape[0] > 1 and x.sum() > 0:
        return x * 2
    return x


def size_or_value(x):
    if x.size(0) > 3 or x.sum() > 0:
        return x * 2
    return x


def not_value(x):
    if not (x.sum() > 0):
        return x * 2
    return x


def chained(x):
    if 0 < x.sum() < 5:
        return x * 2
    return x


def while_counter(x):
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x


def while_continue(x):
    i = 0
    s = x
    while i < 6:
        i += 1
        if i % 2 == 0:
            continue
        s = s + i
    return s


def for_rows(x):
    s = torch.zeros(3)
    for row in x:
        s = s + row * row
    return s


def for_zip(x):
    s = torch.zeros(3)
    for a, b in zip(x, x * 2):
        s = s + a * b
    return s


def for_break(x):
    s = torch.zeros(3)
    for i in range(x.shape[0]):
        s = s + x[i]
        if s.sum() > 3:
            break
    return s


def for_return(x):
    for i in range(x.shape[0]):
        if x[i].sum() > 1:
            return x[i]
    return x.sum(0)


def for_else2(x):
    y = x.sum(0)
    for i in range(x.shape[0]):
        if x[i].sum() > 5:
            y = x[i]
            break
    else:
        y = y * 2
    return y


def grow(x):
    out: list[torch.Tensor] = []
    for i in range(x.shape[0]):
        out.append(x[i] * i)
    return torch.stack(out + [x.sum(0)])


def grow_rows(x):
    out = []
    for row in x:
        out.append(row.sum())
    return out


def grow_if(x):
    out: list[torch.Tensor] = [x.sum(0)]
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            out.append(x[i])
    return torch.stack(out)


def comp(x):
    return torch.stack([x[i] * 2 for i in range(x.shape[0])] + [x.sum(0)])


def list_if(x):
    out = [x]
    if x.sum() > 0:
        out.append(x * 2)
    return torch.cat(out)


def step_range(x):
    for i in range(0, x.shape[0], 2):
        x = x + i
    return x


def down_range(x):
    for i in range(x.shape[0], 0, -1):
        x = x * i
    return x


def range_from(x):
    for i in range(1, x.shape[0]):
        x = x - i
    return x


def inplace(x):
    y = x.clone()
    if x.sum() > 0:
        y += 1
    else:
        y.mul_(2)
    return y


def inplace_loop(x):
    y = torch.zeros_like(x)
    for i in range(x.shape[0]):
        y += x[i]
    return y


def length(x):
    if len(x) > 2:
        return x[:2]
    return x


def numel(x):
    if x.numel() == 0:
        return torch.zeros(3)
    return x.sum(0)


def any_row(x):
    s = 0
    for row in x:
        if (row > 0).any():
            s = s + 1
    return x * s


def fib(x):
    a, b = 0, 1
    for _ in range(x.shape[0]):
        a, b = b, a + b
    return x * a


def while_true(x):
    n = 0
    while True:
        x = x + 1
        n += 1
        if x.sum() > 10 or n > 7:
            break
    return x


def dims(x):
    if x.dim() == 2:
        return x.t()
    return x


def collatz(x):
    n = x.shape[0] + 5
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return x + steps


def dict_arms(x):
    d: dict[str, torch.Tensor] = {}
    if x.sum() > 0:
        d["a"] = x
    else:
        d["a"] = x * 2
    return d["a"]


def none_arm(x):
    y: torch.Tensor | None = None
    if x.sum() > 0:
        y = x * 2
    if y is None:
        return x
    return y


def while_both(x):
    n = 0
    while x.sum() > 0.5 and n < 5:
        x = x * 0.5
        n += 1
    return x, n


def while_break(x):
    i = 0
    while i < 10:
        x = x * 1.5
        if x.sum() > 8:
            break
        i += 1
    return x, i


def list_of_numbers(x):
    y = x
    for k in [2.0, 3.0]:
        y = y * k
    return y


def list_twice(x):
    return torch.nn.functional.max_pool2d(x[None], [1, 2], [1, 2])


def list_filled(x):
    parts = []
    for k in range(3):
        parts.append(x + k)
    return torch.cat(parts)


def alias_in_list(x):
    rows = [x.clone(), x]
    last = rows[0]
    last += 2
    return rows[0] - rows[1]


def list_is_empty(x):
    out: list[torch.Tensor] = []
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            out.append(x[i])
    if len(out) > 0:
        return torch.stack(out)
    return x


def zip_with_zeros(x):
    y = x.new_zeros(2, x.shape[1])
    for i in range(min(y.shape[0], len([x, x]))):
        y[i].copy_(x.sum(0))
    return y


def dict_filled(x):
    d: dict[str, torch.Tensor] = {}
    d["b"] = x + 1
    d["a"] = x * 2
    if x.sum() > 0:
        d["b"] = x
    return d


def item_written(x):
    y = x.clone()
    for i in range(x.shape[0] - 1):
        y[i + 1] += y[i]
    return y


def slice_written_in_arm(x):
    y = x.clone()
    if x.sum() > 0:
        y[-1:] *= 2
    return y


class Buffers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("rate", torch.ones(()))

    def forward(self, x):
        if x.sum() > 0:
            self.rate *= 2
            x = x * self.rate
        else:
            self.rate += 1
        return x + self.rate


def norm(x):
    return x.norm() + x.norm(1) + x.norm(2, dim=1).sum()


def tensor_of_sizes(x):
    return torch.tensor([x.shape[0], x.shape[1]]) * 2, torch.tensor(x.shape[0])


def tensor_of_int_in_arm(x):
    for i in range(x.shape[0]):
        if x[i].sum() > 1:
            return torch.tensor(i)
    return torch.tensor(-1)


def number_over_tensor(x):
    return 3 / (x + 5) + x.shape[0] / (x + 5) + 0.5 / (x + 5)


def masked(x):
    y = x.clone()
    y[y < 0] = 0.1
    return y


def nested_returns(x):
    y = x + 1
    if x.sum() > 0:
        if y.sum() > 3:
            return x + y
        else:
            x = x * 3
    return x - y


def break_of_known_range(x):
    k = 0
    for k in range(4):
        x = x * 1.5 + k
        if x.sum() > 8:
            break
    return x, k


def printed(x):
    if x.sum() > 0:
        print("large", x.shape[0], "rows")
    return x


def item_chooses(x):
    k = x.argmax().item()
    if k == 0:
        return x + 1
    elif k >= 3:
        return x * 2
    return x


def bool_as_int(x):
    n = x.shape[0] + int(x.shape[1] == 3)
    return x.new_zeros(n)


def math_of_sizes(x):
    return x / math.sqrt(x.shape[1]), x.new_zeros(math.ceil(x.shape[1] / 2), math.floor(x.shape[1] / 2))


DIFFERENT = {
    "dims": "a trace knows the number of dims",
    "collatz": "a trace knows that a size is not negative, so that the first round runs",
}
PROGRAMS = [
    if_elif, early_returns, size_and_value, size_or_value, not_value, chained, while_counter, while_continue, for_rows, for_zip, for_break, for_return, for_else2, grow, grow_rows, grow_if, comp, list_if, step_range, down_range, range_from, inplace, inplace_loop, length, numel, any_row, fib, while_true, dims, collatz, dict_arms, none_arm, while_both, while_break,
    list_of_numbers, list_twice, list_filled, alias_in_list, list_is_empty, zip_with_zeros, dict_filled, item_written, slice_written_in_arm, Buffers(), norm, tensor_of_sizes, tensor_of_int_in_arm, number_over_tensor, masked, nested_returns, break_of_known_range, printed, item_chooses, bool_as_int, math_of_sizes,
]  # fmt: skip


def name_of(f):
    return getattr(f, "__name__", type(f).__name__)


def graphs(f):
    trace = torch.jit.trace(copy.deepcopy(f), X.clone(), check_trace=False, strict=False)
    assert not trace.graph.guards
    return trace, fx.symbolic_trace(copy.deepcopy(f)), torch.jit.script(copy.deepcopy(f))


def graph_of(g):
    return g.inlined_graph if hasattr(g, "inlined_graph") else g.graph


@pytest.mark.parametrize("f", PROGRAMS, ids=name_of)
def test_hashes_agree(f):
    hashes = {graph_of(g).hash() for g in graphs(f)}
    assert (len(hashes) == 1) == (name_of(f) not in DIFFERENT), name_of(f)


@pytest.mark.parametrize("f", PROGRAMS, ids=name_of)
def test_codes_have_branches_and_loops_and_texts_read_back(f, tmp_path):
    for g in graphs(f):
        kept = str(graph_of(g))
        if "prim::If" in kept:
            assert re.search(r"^\s*if .*:$", g.code, re.MULTILINE) or " if " in g.code
        if "prim::Loop" in kept:
            assert re.search(r"^\s*(while|for) .*:$", g.code, re.MULTILINE) or " for " in g.code
        graph_of(g).save(tmp_path / "g.txt")
        assert torch.load_graph(tmp_path / "g.txt").hash() == graph_of(g).hash()


def test_the_counts():
    assert len(PROGRAMS) == 55 and len(DIFFERENT) == 2


# Of each kind of program in bench/capture: how many all three captures keep.
KEPT: dict[str, int] = {
    "10: an example of size 1": 25,
    "11: other shapes and structures": 12,
    "17: train() and eval() after the capture": 10,
    "1: branches and numbers frozen by a trace": 24,
    "2: writes in place and through views": 24,
    "4: branches on shapes and flags": 15,
    "5: data decides sizes and branches": 23,
    "6: what the ways of a branch may do": 19,
    "8: what it read has changed since": 11,
    "Python's control flow": 2,
    "Python's data structures": 0,
    "Python's language and models": 34,
    "state, hooks, NumPy, gradients and views": 7,
}


@pytest.mark.parametrize("kind", sorted(set(hashes.KINDS.values())))
def test_programs_of_bench_have_one_hash_or_a_reason(kind, capsys):
    names = [name for name in hashes.PROGRAMS if hashes.KINDS[name] == kind]
    found = {name: hashes.graphs(name) for name in names}
    groups = {name: hashes.agreement(graphs) for name, graphs in found.items()}
    assert {name: group for name, group in groups.items() if "|" in group} == {name: DIFFERENT_IN_BENCH[name][0] for name in names if name in DIFFERENT_IN_BENCH}
    assert sum(len(graphs) == 3 for graphs in found.values()) == KEPT[kind]


def test_each_difference_in_bench_is_of_a_program():
    assert set(DIFFERENT_IN_BENCH) <= set(hashes.PROGRAMS) and all(reason for _, reason in DIFFERENT_IN_BENCH.values())
