"""Branches that jit.trace keeps with control_flow="keep": the graph gives what the function gives, for inputs that go another way, and from a file; or the
trace holds a guard, which refuses such inputs by line."""

from __future__ import annotations

import array
import collections
import functools
import json
import random
import textwrap

import monograph as torch
import monograph.nn as nn
import pytest

INPUTS = [
    torch.ones(2, 3),
    -torch.ones(2, 3),
    torch.full((4, 3), 5.0),
    torch.tensor([[0.5, -2.0, 1.0]]),
    torch.zeros(3, 3),
    torch.full((1, 3), -7.0),
]


def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def without_else(x):
    y = x
    if x.sum() > 0:
        y = y * 2
    return y + 1


def elif_chain(x):
    s = x.sum()
    if s > 10:
        y = x + 1
    elif s > 0:
        y = x + 2
    elif s > -10:
        y = x + 3
    else:
        y = x + 4
    return y


def nested(x):
    if x.sum() > 0:
        if x.max() > 3:
            y = x * 2
        else:
            y = x * 3
    else:
        y = x * 4 if x.min() < -5 else x * 5
    return y


def early_return(x):
    if x.sum() > 0:
        return x * 2
    y = x + 1
    return y * y


def early_returns(x):
    if x.sum() > 10:
        return x
    if x.sum() > 0:
        return x + 1
    if x.min() < -5:
        return x + 2
    return x + 3


def conjunction(x):
    if x.sum() > 0 and x.max() < 3:
        return x + 1
    return x - 1


def disjunction(x):
    y = x - 1
    if x.sum() < 0 or x.max() > 3:
        y = x + 1
    return y


def negation(x):
    if not x.sum() > 0:
        x = x * 3
    return x


def negated_value(x):
    flag = not x.sum() > 0
    if flag:
        x = x * 3
    return x


def ternary(x):
    return (x + 1 if x.sum() > 0 else x - 1) * (2 if x.max() > 3 else 3)


def chained(x):
    if 0 < x.sum() < 10:
        return x + 1
    return x - 1


def numbers(x):
    k = 1
    if x.sum() > 0:
        k = 5
    k += 1
    return x * k


def floats(x):
    scale = 0.5 if x.sum() > 0 else 2.5
    return x * scale


def flags(x):
    positive = False
    if x.sum() > 0:
        positive = True
    if positive:
        x = x + 10
    return x


def flags_of_two(x):
    a = True if x.sum() > 0 else False
    b = True if x.max() > 3 else False
    if a and not b:
        return x + 1
    return x + 2


def lists(x):
    out = [x, x + 1]
    if x.sum() > 0:
        out[0] = x * 2
    else:
        out[1] = x * 3
    return out[0] - out[1]


def appended(x):
    out = []
    if x.sum() > 0:
        out.append(x)
        out.append(x + 1)
    else:
        out.append(x - 1)
        out.append(x * 4)
    return torch.cat(out)


def new_lists(x):
    if x.sum() > 0:
        parts = [x, x]
    else:
        parts = [x + 1, x - 1]
    parts.append(x)
    return torch.cat(parts)


def lists_of_other_lengths(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x + 1)
    return torch.cat(parts)


def shared_list(x):
    a = [x]
    b = a
    if x.sum() > 0:
        b = [x * 2]
    b.append(x + 1)
    return torch.cat(a)


def dicts(x):
    d = {"a": x, "b": x}
    if x.sum() > 0:
        d["a"] = x * 2
    else:
        d["b"] = d.pop("b") * 3
    return d["a"] + d["b"]


def new_key(x):
    d = {"a": x}
    if x.sum() > 0:
        d["b"] = x
    return d["a"] + d.get("b", 1)


def tuples(x):
    pair = (x, 1)
    if x.sum() > 0:
        pair = (x * 2, 2)
    return pair[0] * pair[1]


def helper_of(x):
    if x.sum() > 0:
        return x * 2
    return x / 2


def called(x):
    return helper_of(x) + helper_of(-x)


def closure(x):
    total = x

    def add(k):
        nonlocal total
        if total.sum() > 0:
            total = total + k
        else:
            total = total - k

    for k in range(3):
        add(k)
    return total


def comprehension(x):
    return sum([row + 1 if x.sum() > 0 else row - 1 for row in (x, x * 2)])


def sorted_by(x):
    return sorted([3, 1, 2], key=lambda v: v if x is None else -v)[0] * x if x.sum() > 0 else x


def loop_with_branch(x):
    for k in range(4):
        if x.sum() > k:
            x = x - 1
        else:
            x = x + k
    return x


def loop_with_continue(x):
    y = x
    for k in range(4):
        if y.sum() > 3:
            continue
        y = y + k
    return y


def loop_with_break(x):
    y = x
    for _ in range(4):
        if y.sum() > 3:
            break
        y = y + 1
    else:
        y = y * 2
    return y


def return_in_loop(x):
    for k in range(4):
        x = x + k
        if x.sum() > 6:
            return x * 10
    return x


def enumerated(x):
    for i, scale in enumerate((1.0, 2.0, 3.0)):
        if x.sum() > i:
            x = x - scale
            break
    return x


def zipped(x):
    for a, b in zip([1, 2, 3], [4, 5, 6]):
        if x.sum() > a:
            x = x - b
    return x


def in_place(x):
    y = x.clone()
    if x.sum() > 0:
        y.add_(1)
    else:
        y.mul_(3)
        y[0] = 7
    return y


def in_place_of_a_view(x):
    y = x.clone()
    if x.sum() > 0:
        y[:, 0] += 5
    return y


def in_place_behind(x):
    y = x * 1
    z = y
    if x.sum() > 0:
        y = y * 2
    y.add_(1)
    return z + y


def sizes(x):
    if x.shape[0] > 2:
        return x[:2]
    return x


def both(x):
    if x.shape[0] > 2 and x.sum() > 0:
        return x + x.shape[0]
    return x - 1


def padded(x):
    n = x.shape[0]
    if n % 2 == 1:
        x = torch.cat([x, x[:1]])
    return x.view(x.shape[0] // 2, 2, 3)


def other_sizes(x):
    y = x if x.sum() > 0 else torch.cat([x, x])
    return y * y.shape[0] + y.sum(0)


def asserted(x):
    assert x.sum() < 1000, "too large"
    return x + 1


def raising(x):
    if x.sum() > 1000:
        raise ValueError("too large")
    return x + 1


def none_or_tensor(x):
    mask = None
    if x.sum() > 0:
        mask = x > 1
    return x if mask is None else x * mask


def other_dtype(x):
    y = x if x.sum() > 0 else x.to(torch.float64)
    return y * 2


def strings(x):
    mode = "a" if x.sum() > 0 else "b"
    return x + 1 if mode == "a" else x - 1


def printed(x):
    if x.sum() > 0:
        print("positive")
        x = x + 1
    return x


def item(x):
    if x.sum().item() > 0:
        return x * 2
    return x - 2


def item_in_arm(x):
    if x.sum() > 0:
        return x * x.max().item()
    return x - x.min().item()


def boolean(x):
    return x * 2 if bool(x.sum() > 0) else x - 1


def any_of(x):
    if (x > 3).any():
        x = x.clamp(max=3)
    return x


def noise(x):
    y = torch.rand(3)
    if x.sum() > 0:
        y = y + torch.rand(3)
    return y + torch.rand(3)


def no_grad(x):
    if x.sum() > 0:
        with torch.no_grad():
            x = x * 2
    return x + 1


def while_loop(x):
    n = 0
    while x.abs().sum() < 100:
        x = x * 2 + 1
        n += 1
        if n > 20:
            break
    return x


def match(x):
    kind = 1 if x.sum() > 0 else 0
    match kind:
        case 1:
            return x + 1
        case _:
            return x - 1


def walrus(x):
    if (s := x.sum()) > 0:
        return x * s
    return x + s


def try_finally(x):
    try:
        if x.sum() > 0:
            y = x + 1
        else:
            y = x - 1
    finally:
        z = x * 2
    return y + z


def generator(x):
    def parts():
        for k in range(3):
            yield x + k

    return sum(p if x.sum() > 0 else -p for p in parts())


def deleted(x):
    y = x + 1
    if x.sum() > 0:
        z = y * 2
        del y
    else:
        z = y
    return z


def unpacked(x):
    a, b = (x, x + 1) if x.sum() > 0 else (x + 1, x)
    return a - b * 2


def constant_of_an_arm(x):
    y = torch.tensor([1.0, 2.0, 3.0]) if x.sum() > 0 else x[0]
    y += 1
    return y


def swapped(x):
    a, b = x, x + 1
    if x.sum() > 0:
        a, b = b, a
    return a * 2 - b


def star_arguments(x):
    def add(*parts, **named):
        if parts[0].sum() > 0:
            return parts[0] + parts[1] * named["k"]
        return parts[0]

    more = {"k": 2}
    return add(*(x, x + 1), **more)


def default_dict(x):
    found = collections.defaultdict(list)
    if x.sum() > 0:
        found["a"].append(x)
    return x + len(found)


def arrays(x):
    counts = array.array("l", [1, 2])
    if x.sum() > 0:
        counts[0] = 5
    return x * counts[0]


def deques(x):
    queue = collections.deque([x])
    if x.sum() > 0:
        queue += [x + 1]
    else:
        queue[0] = x * 3
    return sum(queue)


@functools.lru_cache
def cached(k):
    return k + 1


def caches(x):
    if x.sum() > 0:
        x = x + cached(1)
    return x + cached(2)


class Slotted:
    __slots__ = ("value",)


def slots(x):
    box = Slotted()
    box.value = x
    if x.sum() > 0:
        box.value = x * 2
    return box.value


class Counting:
    def __init__(self):
        self.total = 0

    def __iadd__(self, k):
        self.total += k
        return self

    def __setitem__(self, k, v):
        self.total = v * k

    @property
    def twice(self):
        return self.total * 2

    @twice.setter
    def twice(self, v):
        self.total = v / 2


def objects(x):
    c = Counting()
    if x.sum() > 0:
        c += 2
    else:
        c[3] = 4
    if x.max() > 3:
        c.twice = c.total * 4.0
    else:
        c.twice = 1.0
    return x * c.total


KEPT = [objects,if_else, without_else, elif_chain, nested, early_return, early_returns, conjunction, disjunction, negation, negated_value, ternary, chained, numbers,
        floats, flags, flags_of_two, lists, appended, new_lists, dicts, tuples, called, closure, comprehension, loop_with_branch, loop_with_continue,
        loop_with_break, return_in_loop, zipped, in_place, in_place_of_a_view, in_place_behind, sizes, both, other_sizes, item, item_in_arm, boolean, any_of,
        noise, no_grad, match, walrus, try_finally, generator, deleted, unpacked, swapped, star_arguments, sorted_by, enumerated,
        constant_of_an_arm, padded, none_or_tensor, strings]  # fmt: skip
GUARDED = [
    default_dict,
    arrays,
    deques,
    caches,
    slots,
    lists_of_other_lengths,
    shared_list,
    new_key,
    asserted,
    raising,
    other_dtype,
    printed,
    while_loop,
]


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.other = nn.Linear(3, 3), nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x):
        h = self.fc(x)
        if h.sum() > 0:
            h = self.other(h) * self.scale
        return h


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.last = None

    def forward(self, x):
        if x.sum() > 0:
            self.last = x + 1
            x = self.norm(x)
        else:
            self.last = x - self.norm.weight
        return x + self.last


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Branching(), Branching(), Branching()])
        self.steps = 0

    def forward(self, x):
        for layer in self.layers:
            if x.mean() > -1:
                x = layer(x)
                self.steps += 1
            else:
                self.steps += 1
        return x


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bool(torch.equal(a, b) or torch.allclose(a, b, equal_nan=True))


def compare(f, traced, inputs, run):
    """How many of the inputs gave the function's result; the others must have been refused, by file and line."""
    equal = 0
    for x in inputs:
        torch.manual_seed(3)
        try:
            expected = f(x.clone())
        except Exception:
            expected = None
        torch.manual_seed(3)
        try:
            got = run(x.clone())
        except Exception as error:
            assert expected is None or "the graph was captured where" in str(error) or "Sizes of tensors" in str(error), error
            continue
        if expected is None:
            continue
        assert same(expected, got), (x, expected, got, str(traced.graph))
        equal += 1
    return equal


@pytest.mark.parametrize("example", range(len(INPUTS)))
@pytest.mark.parametrize("f", [*KEPT, *GUARDED], ids=lambda f: f.__name__)
def test_programs(f, example, tmp_path):
    if f is padded and INPUTS[example].shape[0] == 0:
        return
    traced = torch.jit.trace(f, INPUTS[example].clone(), control_flow="keep", check_trace=False)
    equal = compare(f, traced, INPUTS, traced)
    traced.graph.save(tmp_path / "f.mgraph")
    assert compare(f, traced, INPUTS, torch.load_graph(tmp_path / "f.mgraph")) == equal
    if f in KEPT:
        assert not traced.graph.guards
        assert equal == len(INPUTS)


@pytest.mark.parametrize("make", [Branching, Norm, Outer])
def test_modules(make, tmp_path):
    torch.manual_seed(1)
    net = make().eval()
    traced = torch.jit.trace(net, INPUTS[0], control_flow="keep", check_trace=False)
    assert not traced.graph.guards
    for x in INPUTS:
        assert same(net(x), traced(x))
    for p in net.parameters():
        p.grad = None
    for x in (INPUTS[0], INPUTS[3]):  # which go two ways through each of them
        want = torch.autograd.grad(net(x).sum(), list(net.parameters()), allow_unused=True)
        got = torch.autograd.grad(traced(x).sum(), list(net.parameters()), allow_unused=True)
        for a, b in zip(want, got, strict=True):
            assert (a is None) == (b is None) or bool(((a if b is None else b) == 0).all())
            assert a is None or b is None or same(a, b)
    traced.inlined_graph.save(tmp_path / "net.mgraph")
    loaded = torch.load_graph(tmp_path / "net.mgraph")
    for x in INPUTS:
        assert same(net(x), loaded(x))


def test_the_graph_holds_an_if():
    graph = torch.jit.trace(if_else, INPUTS[0], control_flow="keep").graph
    assert "prim::If" in str(graph)
    assert graph.hash() == torch.jit.trace(if_else, INPUTS[1], control_flow="keep").graph.hash()


def test_effects_run_once():
    calls = []

    def f(x):
        y = [x]
        if x.sum() > 0:
            y.append(calls.append("taken"))
        else:
            y.append(calls.append("other"))
        return y[0]

    calls.clear()
    torch.jit.trace(f, INPUTS[0], control_flow="keep", check_trace=False)
    assert calls == ["taken"]


def test_example_is_left_as_it_is():
    x = torch.ones(2, 3)

    def f(x):
        if x.sum() < 0:
            x.add_(100)
        return x * 2

    traced = torch.jit.trace(f, x, control_flow="keep")
    assert torch.equal(x, torch.ones(2, 3))
    assert torch.equal(traced(torch.full((1, 3), -1.0)), torch.full((1, 3), 198.0))
    assert torch.equal(traced(torch.ones(1, 3)), torch.full((1, 3), 2.0))


def test_many_branches_in_a_row():
    body = "".join(f"    if x.sum() > {k - 15}:\n        x = x + {k}\n    else:\n        x = x - 1\n" for k in range(30))
    scope: dict = {}
    exec(f"def f(x):\n{body}    return x\n", scope)
    traced = torch.jit.trace(scope["f"], INPUTS[0], control_flow="keep")
    assert not traced.graph.guards
    assert str(traced.graph).count("prim::If") == 30
    assert compare(scope["f"], traced, INPUTS, traced) == len(INPUTS)


class Programs:
    """Random functions of branches and loops over three tensors, two numbers, a list, a dict and an object."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def tensor(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.4:
            return r.choice(["a", "b", "c", "xs[0]", "xs[1]", "d['k']", "box.value"])
        return r.choice(
            [
                "({0} + {1})",
                "({0} - {1})",
                "({0} * 0.5)",
                "({0} + n)",
                "({0} * w)",
                "{0}.clamp(-4, 4)",
                "torch.maximum({0}, {1})",
                "helper({0})",
            ]
        ).format(self.tensor(depth + 1), self.tensor(depth + 1))

    def condition(self, depth=0):
        r = self.random
        if depth < 2 and r.random() < 0.3:
            return r.choice(["({0} and {1})", "({0} or {1})", "(not {0})"]).format(self.condition(depth + 1), self.condition(depth + 1))
        if r.random() < 0.15:
            return r.choice(["flag", "n > 2", "a.shape[0] > 2", "-2 < a.sum() < 3"])
        return f"{self.tensor(1)}.{r.choice(['sum', 'max', 'min', 'mean'])}() {r.choice(['>', '<', '>=', '<='])} {r.randint(-4, 4)}"

    def statement(self, indent, depth, loops):
        r, pad = self.random, "    " * indent
        kind = r.random()
        if kind < 0.30 and depth < 3:
            self.lines.append(f"{pad}if {self.condition()}:")
            self.block(indent + 1, depth + 1, loops)
            if r.random() < 0.6:
                if r.random() < 0.3:
                    self.lines.append(f"{pad}elif {self.condition()}:")
                    self.block(indent + 1, depth + 1, loops)
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth + 1, loops)
        elif kind < 0.38 and loops < 1:
            self.lines.append(f"{pad}for i in {r.choice(['range(3)', '[1, 2]', 'enumerate(list(xs))'])}:")
            self.block(indent + 1, depth + 1, loops + 1)
        elif kind < 0.42 and loops:
            self.lines.append(pad + r.choice(["break", "continue"]))
        elif kind < 0.45 and depth:
            self.lines.append(f"{pad}return {self.tensor()}")
        else:
            self.lines.append(
                pad
                + r.choice(
                    [
                        f"{r.choice('abc')} = {self.tensor()}",
                        f"xs[{r.randint(0, 1)}] = {self.tensor()}",
                        f"d['k'] = {self.tensor()}",
                        f"box.value = {self.tensor()}",
                        f"n = {r.randint(0, 4)}",
                        "n += 1",
                        "w = w * 0.5",
                        f"flag = {self.condition()}",
                        f"a, b = {self.tensor()}, {self.tensor()}",
                        f"c += {self.tensor()}",
                        f"xs.append({self.tensor()})",
                        f"xs = [{self.tensor()}, {self.tensor()}]",
                        f"b = {self.tensor()} if {self.condition()} else {self.tensor()}",
                        "ys = xs",
                        "set_c()",
                        "d['j'] = a",
                        "xs[0].add_(1)",
                        "c = c.clone(); c[0] = 1",
                    ]
                )
            )

    def block(self, indent, depth, loops):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, loops)

    def source(self):
        self.lines = [
            "def f(x):",
            "    a, b, c = x + 1, x * 2, x.clone()",
            "    n, w, flag = 1, 1.5, False",
            "    xs, d, box = [x + 2, x - 1], {'k': x - 2}, Box()",
            "    box.value = x * 0.5",
            "    ys = xs",
            "    def set_c():",
            "        nonlocal c",
            "        c = c + 1",
            "    def helper(t):",
            f"        if {self.random.choice(['t.sum() > 1', 't.mean() < 0', 'not t.max() > 2'])}:",
            "            return t + 1",
            "        return t * 0.5",
        ]
        for _ in range(self.random.randint(3, 7)):
            self.statement(1, 0, 0)
        self.lines.append(
            "    return (a + 2 * b + 3 * c + xs[0] * n + xs[-1] * w + d['k'] + box.value + (1 if flag else 0) + len(xs) + ys[0] + len(ys))"
        )
        return "\n".join(self.lines) + "\n"


class Box:
    value: torch.Tensor


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed):
    source = Programs(seed).source()
    scope = {"torch": torch, "Box": Box}
    exec(compile(source, f"<seed {seed}>", "exec"), scope)
    f = scope["f"]
    refused = 0
    for x in INPUTS:
        expected = f(x.clone())
        traced = torch.jit.trace(f, x.clone(), control_flow="keep", check_trace=False)
        assert same(expected, traced(x.clone())), (seed, source, str(traced.graph))
        try:
            refused += len(INPUTS) - compare(f, traced, INPUTS, traced)
        except AssertionError:
            print(f"seed {seed}\n{textwrap.indent(source, '  ')}")
            raise


# Errors and prints -------------------------------------------------------------------------------------------------------------------


class Refused(Exception):
    pass


def raises(x):
    if x.sum() > 10:
        raise ValueError("too large")
    return x * 2


_plain: dict = {}
exec("def asserts(x):\n    assert x.sum() < 10, 'the sum'\n    return x + 1\n", _plain)  # pytest does not see this assert
asserts = _plain["asserts"]


def raises_its_own(x):
    if x.sum() <= 10:
        y = x + 1
        if x.sum() < 0:
            raise Refused("negative")
        y = y * 2
    else:
        y = x
    return y


def raises_in_a_loop(x):
    h = x.sum() * 0
    for row in x:
        if row.sum() < -6:
            raise IndexError("a row")
        h = h + row.sum()
    return h


def raises_in_a_function(x):
    def checked(t):
        if t.max() > 3:
            raise RuntimeError("the greatest element")
        return t * 2

    return checked(x) + 1


def prints(x):
    print("shape", x.shape, 3, None)
    if x.sum() > 0:
        print("positive", x.sum())
    else:
        print("negative")
    for row in x:
        print("row", row.sum(), "of", x.shape[0])
    return x


def is_caught(x):
    try:
        if x.sum() > 10:
            raise ValueError("large")
        return x
    except ValueError:
        return x - 1


def says_a_value(x):
    if x.sum() > 10:
        raise ValueError(f"{x.sum()} is too large")
    return x * 2


def effects_of(f, x, capsys):
    try:
        result = f(x.clone())
    except Exception as error:
        result = type(error), str(error).partition("\n")[0]
    return result, capsys.readouterr().out


@pytest.mark.parametrize("example", range(len(INPUTS)))
@pytest.mark.parametrize(
    "f",
    [raises, asserts, raises_its_own, raises_in_a_loop, raises_in_a_function, prints, is_caught, says_a_value],
    ids=lambda f: f.__name__,
)
def test_errors_and_prints_are_those_of_the_function(f, example, capsys):
    x = INPUTS[example]
    want = effects_of(f, x, capsys)
    if isinstance(want[0], tuple):
        with pytest.raises(want[0][0]):
            torch.jit.trace(f, x.clone(), check_trace=False)
        return
    traced = torch.jit.trace(f, x.clone(), check_trace=False)
    assert capsys.readouterr().out == want[1]  # once
    assert (f is is_caught) == bool(traced.graph.guards)
    for other in INPUTS:
        (expected, said), (got, printed) = effects_of(f, other, capsys), effects_of(traced, other, capsys)
        if isinstance(got, tuple) and "the graph was captured where" in got[1]:
            assert traced.graph.guards
            continue
        assert printed == said and (got == expected if isinstance(got, tuple) else same(got, expected)), (got, expected)


def test_a_raise_in_a_file_says_its_type(tmp_path):
    torch.jit.trace(raises, INPUTS[1], check_trace=False).graph.save(tmp_path / "f.mgraph")
    loaded = torch.load_graph(tmp_path / "f.mgraph")
    with pytest.raises(ValueError, match="too large"):
        loaded(INPUTS[2])


# Numbers -----------------------------------------------------------------------------------------------------------------------------


NUMBERS = {
    "a tensor": lambda x: x[:1] + torch.tensor(float(x.max())),
    "a size": lambda x: torch.zeros(int(x.max())) + 1,
    "a slice": lambda x: x[: int(x.max())],
    "an index": lambda x: x[int(x.min())],
    "a power": lambda x: x ** float(x.max()),
    "isinstance of a float": lambda x: x if isinstance(float(x.max()), float) else -x,
    "type of an int": lambda x: x if type(int(x.max())) in (int, bool) else -x,
    "divmod": lambda x: x * divmod(int(x.sum()), 2)[0],
    "a comparison": lambda x: x if float(x.max()) > 2 else -x,
    "an f-string": lambda x: x * len(f"{float(x.max()):.3f}"),
}
GUARDED_NUMBERS = {
    "round": lambda x: x * round(float(x.max()), 2),
    "a text": lambda x: x * {"3": 3, "2": 5}[str(int(x.max()))],
    "json": lambda x: x * len(json.dumps(float(x.max()))),
    "an element of a list": lambda x: x * [1, 2, 3, 4][int(x.max())],
    "a key": lambda x: x * {2: 5, 3: 7}[int(x.max())],
}
NUMBER_INPUTS = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 1.0]), torch.tensor([0.5, 0.25, 1.0, 3.0])]


@pytest.mark.parametrize("name", [*NUMBERS, *GUARDED_NUMBERS])
def test_numbers_of_values(name):
    f = NUMBERS.get(name) or GUARDED_NUMBERS[name]
    traced = torch.jit.trace(f, NUMBER_INPUTS[0], check_trace=False)
    for x in NUMBER_INPUTS:
        try:
            got = traced(x)
        except RuntimeError as error:
            assert name in GUARDED_NUMBERS and "captured where" in str(error)
            continue
        assert same(got, f(x))
    assert (not traced.graph.guards) == (name in NUMBERS)
