"""torch.compile and sizes: a hundred batch sizes cost at most two captures, 0 and 1 are sizes as others, and each capture anew names the guard that failed."""

from __future__ import annotations

import collections
import dataclasses
import random

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of
from monograph._dynamo.testing import CompileCounter

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")


def captures(f):
    """How many graphs a compiled function has, none of which is a break."""
    found = _C._compiled_entries(compiled_of(f))
    assert not [e["detail"] for e in found if e["kind"]]
    return len(found)


def agree(got, expected):
    ours, theirs = torch._tree.leaves_of(got), torch._tree.leaves_of(expected)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, torch.Tensor):
            assert a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)
        else:
            assert type(a) is type(b) and a == b


def copied(inputs):
    return torch._tree.mapped(lambda t: t.clone(), inputs)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.place = nn.Linear(8, 24), nn.Linear(8, 8), nn.Parameter(torch.randn(1, 128, 8))

    def forward(self, x):
        b, t, d = x.shape
        x = x + self.place[:, :t]
        q, k, v = self.qkv(x).view(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (d // 2) ** -0.5
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.a(x))), 2)
        return self.b(x.mean((2, 3))).log_softmax(-1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(7, 4), nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 7)

    def forward(self, tokens):
        out, (h, _) = self.cell(self.embed(tokens))
        return self.head(out), h


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)

    def forward(self, batch):
        x, n = batch["x"], batch["x"].shape[0]
        weight = torch.arange(n, dtype=torch.float32)[:, None] / max(n - 1, 1)
        return {"y": self.line(x) * weight, "n": n, "half": x[: n // 2], "last": x[max(n - 1, 0) :]}


def branch_on_the_size(x):
    if x.shape[0] > 50:
        return x.mean() * 2
    return x.sum() + len(x)


def two_branches_on_the_size(x):
    n = x.size(0)
    y = x * 2 if n % 2 == 0 else x - 1
    if n == 0:
        return y.sum(), 0
    return y.cumsum(0)[-1], n


def pad_to_eight(x):
    missing = -x.shape[0] % 8
    return F.pad(x, (0, 0, 0, missing)).view(-1, 8, x.shape[1]).sum(0)


def loop_over_rows(x):
    total = torch.zeros(x.shape[1])
    for k in range(x.shape[0]):
        total = total * 0.5 + x[k]
    return total


def rows_by_iteration(x):
    return torch.stack([row.max() for row in x] + [x.sum()])


def pairs(x):
    n = x.shape[0]
    return (x[:, None] - x[None]).norm(dim=-1).masked_select(~torch.eye(n, dtype=torch.bool)).view(n, max(n - 1, 0)) if n else x.sum()


def parts(x):
    a, b = x.chunk(2, 1)
    return torch.cat([b, a]), torch.stack([a, b]), x.new_zeros(len(x)), x.numel(), x.shape


def in_place(x):
    x[: x.shape[0] // 2] += 1
    x.t().mul_(2)
    return x.sum(1)


def with_loss(x):
    return F.cross_entropy(x, torch.arange(x.shape[0]) % 4, reduction="sum"), F.one_hot(x.argmax(-1), 4)


MATRIX = lambda n: (torch.randn(n, 4),)  # noqa: E731
PROGRAMS = {
    "layers": (lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(0.1), nn.Linear(8, 2)), MATRIX),
    "convolutions": (Convolutions, lambda n: (torch.randn(n, 1, 6, 6),)),
    "attention": (Attention, lambda n: (torch.randn(n, 5, 8),)),
    "attention, the length": (Attention, lambda n: (torch.randn(2, n, 8),)),
    "an LSTM": (Recurrent, lambda n: (torch.randint(0, 7, (n, 3)),)),
    "a transformer's layer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), lambda n: (torch.randn(n, 3, 8),)),
    "dicts and numbers": (Counted, lambda n: ({"x": torch.randn(n, 3)},)),
    "a branch": (lambda: branch_on_the_size, MATRIX),
    "two branches": (lambda: two_branches_on_the_size, MATRIX),
    "a padding": (lambda: pad_to_eight, MATRIX),
    "a loop": (lambda: loop_over_rows, MATRIX),
    "an iteration": (lambda: rows_by_iteration, MATRIX),
    "pairs": (lambda: pairs, MATRIX),
    "parts": (lambda: parts, MATRIX),
    "writes": (lambda: in_place, MATRIX),
    "a loss": (lambda: with_loss, MATRIX),
}
FLAT = ["layers", "convolutions", "attention", "a transformer's layer", "writes", "a loss"]  # those without branches and loops; `chunk` of an input ends a flat graph


def order(first, seed):
    """A hundred sizes, in another order for each seed."""
    rest = [n for n in range(100) if n not in first]
    random.Random(seed).shuffle(rest)
    return first + rest


@pytest.mark.parametrize("first", [[1], [0, 1], [2, 1, 0], [7]], ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hundred_sizes_cost_two_captures(name, first):
    make, inputs = PROGRAMS[name]
    torch.manual_seed(0)
    f = make()
    if isinstance(f, nn.Module):
        f.eval()
    g = torch.compile(f)
    sizes = order(first, len(name))
    for n in sizes:
        x = inputs(n)
        y = copied(x)
        try:
            expected = f(*y)
        except (RuntimeError, ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                g(*x)
            continue
        agree(g(*x), expected)
        agree(x, y)
    assert captures(g) <= 2


@pytest.mark.parametrize("name", FLAT)
def test_a_hundred_sizes_give_a_flat_backend_two_graphs(name):
    make, inputs = PROGRAMS[name]
    f = make()
    if isinstance(f, nn.Module):
        f.eval()
    counter = CompileCounter()
    g = torch.compile(f, backend=counter, fullgraph=True)
    for n in order([3], 5):
        if n == 0:
            continue
        x = inputs(n)
        agree(g(*copied(x)), f(*x))
    assert counter.frame_count <= 2


def test_a_hundred_sizes_of_training():
    def make():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))

    model, same = make(), make()
    g = torch.compile(model)
    for n in [1 + m for m in order([1], 3)]:
        if n == 1:
            continue  # batch norm refuses to train on one row
        x = torch.randn(n, 4)
        for m, called in ((model, g), (same, same)):
            m.zero_grad()
            called(x).square().mean().backward()
        for a, b in zip(model.parameters(), same.parameters(), strict=True):
            assert torch.allclose(a.grad, b.grad, rtol=1e-4, atol=1e-6)
    assert captures(g) <= 2


def test_two_dims_of_two_inputs():
    def f(x, y):
        return torch.cat([x, y[:, : x.shape[1]]]) if y.shape[1] >= x.shape[1] else x + 1

    g = torch.compile(f)
    sizes = random.Random(1)
    for _ in range(100):
        a, b, c, d = (sizes.randrange(6) for _ in range(4))
        x, y = torch.randn(a, b), torch.randn(c, d)
        agree(g(x, y), f(x, y))
    assert captures(g) <= 3


def test_sizes_that_agreed_by_chance():
    def f(x, y):
        return x.sum(0) + y.sum(0), x.shape[0] == y.shape[0]

    g = torch.compile(f)
    for n, m in [(3, 3), (3, 4), (5, 5), (4, 4), (1, 2), (0, 0), (2, 1), (9, 1)]:
        x, y = torch.randn(n, 2), torch.randn(m, 2)
        agree(g(x, y), f(x, y))
    assert captures(g) <= 3


def test_a_broadcast_that_was_none():
    g = torch.compile(lambda x, y: x * y)
    for n, m in [(1, 1), (4, 1), (1, 4), (4, 4), (0, 1), (1, 0), (0, 0), (2, 3)]:
        x, y = torch.randn(n, 2), torch.randn(m, 2)
        try:
            expected = x * y
        except RuntimeError:
            with pytest.raises(RuntimeError):
                g(x, y)
            continue
        agree(g(x, y), expected)


# --- Captures anew, by name.

GAIN = 1.0


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain, self.drop = 2, nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(x * {2: 1.0, 3: 5.0}.get(self.gain, 0.0))


def reasons(g, *arguments):
    return torch._dynamo.explain(g)(*arguments).recompile_reasons


def test_a_capture_anew_names_a_dtype_a_rank_a_size_and_a_layout():
    g = torch.compile(lambda x: x * 2, dynamic=False)
    x = torch.ones(2, 3)
    for other in (x, x.double(), x[0], torch.ones(4, 3), torch.ones(3, 2).t(), x.clone().requires_grad_()):
        agree(g(other), other * 2)
    found = reasons(g, x)
    assert found == [
        "x had the dtype float32 and has float64",
        "x had the dtype float64 and has float32",
        "x had 1 dims and has 2",
        "x had the sizes [4, 3] and has [2, 3]",
        "x had requires_grad=False",
    ]


def test_a_capture_anew_names_what_was_read():
    global GAIN
    model = Scaled()
    table = {"k": "a"}

    def f(x):
        return model(x) * (GAIN if table["k"] == "a" else -GAIN)

    g = torch.compile(f)
    x = torch.ones(2)
    found = []
    for change in (
        lambda: None,
        lambda: setattr(model, "gain", 3),
        lambda: model.eval(),
        lambda: table.update(k="b"),
        lambda: globals().__setitem__("GAIN", "no number"),
    ):
        change()
        try:
            expected = f(x)
        except TypeError:
            with pytest.raises(TypeError):
                g(x)
            continue
        agree(g(x), expected)
    GAIN = 1.0
    found = reasons(g, x)
    text = "\n".join(found)
    assert len(found) >= 3 and all(words in text for words in ("gain", "training", "table")), text
    with torch.no_grad():
        agree(g(x), f(x))


def test_a_full_cache_goes_on_with_what_it_has():
    g = torch.compile(lambda x, k: x * k, dynamic=False)
    x = torch.ones(2)
    for k in range(30):
        agree(g(x, k), x * k)
    before = captures(g)
    for k in range(8):
        agree(g(x, k), x * k)
    report = torch._dynamo.explain(g)(x, 3)
    assert captures(g) == before == 8 and report.is_full and all("k was" in reason for reason in report.recompile_reasons)
    assert "full" in str(report)


def chunked(x):
    a, b = x.chunk(2, 1)
    return a + b


FLAT_LISTS = [
    chunked,
    lambda x: x * len(x.chunk(2, 1)),
    lambda x: x * len(x.chunk(5)),
    lambda x: x * len(x.split(2)),
    lambda x: sum(part.sum() for part in x.split(3, 1)),
    lambda x: x * len(torch.where(x > 0)),
    lambda x: x[torch.where(x > 0)],
    lambda x: torch.where(x > 0)[0] + torch.where(x > 0)[1],
    lambda x: len((x.sum() > 0).nonzero(as_tuple=True)) + x,
]


@pytest.mark.parametrize("f", FLAT_LISTS)
def test_a_flat_backend_takes_lists_whose_length_sizes_decide(f):
    """Behind `a, b = x.chunk(2, 1)` the graph holds for sizes that give two parts."""
    g = torch.compile(f, backend=CompileCounter(), fullgraph=True)
    for shape in [(4, 4), (6, 4), (4, 6), (3, 8), (0, 4), (1, 2), (5, 4), (2, 10)]:
        x = torch.randn(*shape)
        agree(g(x), f(x))


def test_a_length_that_does_not_fit_is_an_error_as_in_python():
    g = torch.compile(chunked, backend=CompileCounter(), fullgraph=True)
    agree(g(torch.ones(3, 4)), torch.full((3, 2), 2.0))
    with pytest.raises((ValueError, torch._dynamo.exc.Unsupported), match="unpack"):
        g(torch.ones(3, 1))


@dataclasses.dataclass
class Batch:
    x: object
    y: object = None


class Plain:
    shift = 1

    def __init__(self, **fields):
        self.__dict__.update(fields)


class OnBatch(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)

    def forward(self, b):
        return self.l(b.x)


Pair = collections.namedtuple("Pair", "a b")
_CONTAINERS = {
    "a list": (lambda a: a[0] * 2, lambda t: [t()]),
    "the sum of a list": (lambda a: sum(a), lambda t: [t(), t()]),
    "a list in a dict": (lambda a: a["k"][0] + 1, lambda t: {"k": [t()]}),
    "a dict in a list": (lambda a: [v * 2 for v in a[0].values()], lambda t: [{"k": t()}]),
    "a dict": (lambda a: a["k"] + 1, lambda t: {"k": t()}),
    "a tuple": (lambda a: a[0] + a[1], lambda t: (t(), t())),
    "a namedtuple": (lambda a: a.a + a.b, lambda t: Pair(t(), t())),
    "a dataclass": (lambda a: a.x * 2, lambda t: Batch(t())),
    "an object": (lambda a: a.x * a.shift + a.scale, lambda t: Plain(x=t(), scale=3)),
    "objects in a list": (lambda a: a[0].x + a[1].x, lambda t: [Batch(t()), Plain(x=t())]),
    "a list in an object": (lambda a: a.x[0] + a.x[1].y, lambda t: Batch([t(), Batch(None, t())])),
}


@pytest.mark.parametrize("name", _CONTAINERS)
def test_arguments_are_known_by_what_they_hold(name):
    f, make = _CONTAINERS[name]
    counter = CompileCounter()
    g = torch.compile(f, backend=counter, fullgraph=True)
    kept = []
    for _ in range(12):
        a = make(lambda: torch.randn(3))
        kept.append(a)
        agree(g(a), f(a))
    assert counter.frame_count == 1


def test_modules_take_batches():
    m, counter = OnBatch(), CompileCounter()
    g = torch.compile(m, backend=counter, fullgraph=True)
    for k in range(12):
        b = Batch(torch.randn(2 + k % 3, 3))
        agree(g(b), m(b))
    assert counter.frame_count <= 2


def test_one_list_whose_tensor_is_replaced():
    counter = CompileCounter()
    g = torch.compile(lambda a: a[0] * 2, backend=counter)
    a = [torch.ones(2)]
    for k in range(10):
        a[0] = torch.full((2,), float(k))
        assert g(a).tolist() == [2 * k, 2 * k]
    assert counter.frame_count == 1


def test_attributes_that_were_not_read_are_no_part_of_a_capture():
    counter = CompileCounter()
    g = torch.compile(lambda a: a.x * 2, backend=counter)
    for k in range(6):
        more = {f"a{k}": torch.ones(k), "words": "w" * k, "items": [torch.ones(1)] * k, "other": Plain(z=k)}
        agree(g(Plain(x=torch.full((2,), float(k)), **more)), torch.full((2,), 2.0 * k))
    assert counter.frame_count == 1


def test_attributes_that_were_read_are_a_part_of_a_capture():
    def f(a):
        y = a.x * (3 if a.words == "three" else 2) + getattr(a, "more", 0)
        return y + a.shift if hasattr(a, "moved") else y

    g = torch.compile(f, backend="eager", recompile_limit=100)
    x = torch.ones(2)
    for fields in ({}, {"words": "three"}, {"more": 5}, {"more": x}, {"moved": 1}, {"moved": 1, "shift": 7}, {}, {"more": 5, "shift": 9}):
        a = Plain(**{"x": torch.randn(2), "words": "two", **fields})
        agree(g(a), f(a))

    class Other(Plain):
        shift = 100

    for kind in (Plain, Other, Plain):
        a = kind(x=x, words="two", moved=True)
        agree(g(a), f(a))
    Plain.shift = 4
    try:
        agree(g(Plain(x=x, words="two", moved=True)), x * 2 + 4)
    finally:
        Plain.shift = 1


def test_what_is_written_to_an_argument_is_written_to_each():
    def f(a, items):
        a.y = a.x + 1
        a.count = a.count + 1
        items.append(a.y)
        return a, a.y * 2

    counter = CompileCounter()
    g = torch.compile(f, backend=counter, fullgraph=True)
    for k in range(6):
        a, items = Plain(x=torch.full((2,), float(k)), count=3), []
        b, out = g(a, items)
        assert b is a and a.count == 4 and a.y.tolist() == [k + 1, k + 1] and items[0] is a.y and out.tolist() == [2 * k + 2] * 2
    assert counter.frame_count == 1


SENTINEL, SHARED = Plain(x=None), Plain(x=None)


def test_programs_that_ask_which_object_an_argument_is():
    def same(a, x):
        return x * 2 if a is SENTINEL else x * 3

    def equal(a, x):
        return x * 2 if a == SENTINEL else x * 3

    def key(a, x):
        return x * {SENTINEL: 2}.get(a, 3)

    def within(a, x):
        return x * 2 if a in (SENTINEL, 1) else x * 3

    def element(a, x):
        return x * 2 if SENTINEL in [a, 1] else x * 3

    def written(a, x):
        a.x = x * 2
        return x if SHARED.x is None else SHARED.x + 1

    for f in (same, equal, key, within, element, written):
        for order in ((SENTINEL, SHARED, Plain(x=None)), (Plain(x=None), SHARED, SENTINEL)):
            g = torch.compile(f, backend="eager", recompile_limit=100)
            for a in order * 2:
                SHARED.x = a.x = None
                expected = f(a, torch.ones(2))
                SHARED.x = a.x = None
                agree(g(a, torch.ones(2)), expected)
    SHARED.x = SENTINEL.x = None


def test_an_object_given_twice_is_one():
    def f(a, b):
        a.x = b.x + 1
        return b.x * 2

    g = torch.compile(f, backend="eager")
    for twice in (True, False, True, False):
        a = Plain(x=torch.ones(2))
        b = a if twice else Plain(x=torch.ones(2))
        assert g(a, b).tolist() == [4.0 if twice else 2.0] * 2 and a.x.tolist() == [2.0] * 2


def test_a_full_cache_says_so_once(caplog):
    def f(x, words):
        return x * len(words)

    g = torch.compile(f, backend="eager", recompile_limit=2)
    for k in range(6):
        assert g(torch.ones(1), "w" * k).item() == k
    (record,) = [r for r in caplog.records if "recompile_limit" in r.getMessage()]
    text = record.getMessage()
    assert record.levelname == "WARNING" and "torch._dynamo hit config.recompile_limit (2)" in text
    assert "function: 'f'" in text and "test_compile_sizes.py" in text and "last reason: words was 'w' and is 'ww'" in text
    h = torch.compile(f, backend="eager", fullgraph=True, recompile_limit=2)
    assert [h(torch.ones(1), w).item() for w in ("", "a")] == [0, 1]
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="Hard failure due to fullgraph=True") as raised:
        h(torch.ones(1), "ab")
    assert "words was" in str(raised.value) and h(torch.ones(1), "a").item() == 1


def test_the_rank_behind_a_squeeze_is_a_matter_of_sizes():
    def rank(x):
        y = x[:, :1].squeeze(1)
        return y.new_ones(y.shape[:1]) if len(y.shape) == 2 else y * len(y.shape)

    def of_kernel(x):
        y = (x * 2).squeeze(1)
        first, *others = y.shape
        return y + len(others) * first

    def loop(x):
        for d in range(len(x.shape) - 1, 0, -1):
            x = x.squeeze(dim=d)
        return x * len(x.shape)

    def everywhere(x):
        return x.squeeze() + x.squeeze().dim()

    for f in (rank, of_kernel, loop, everywhere):
        torch._dynamo.reset()
        g = torch.compile(f, backend="eager", fullgraph=True)
        for size in ((2, 3, 4), (2, 1, 4), (5, 1, 1), (5, 3, 4), (1, 1, 1), (3, 1, 4), (2, 3, 1)):
            x = torch.randn(size)
            agree(g(x), f(x))


def test_the_sizes_of_one_hot_are_those_it_was_given():
    def f(x, y):
        n = x.size(1)
        y = F.one_hot(y.view(y.size(0), -1), n).permute(0, 2, 1)
        x = x.view(y.size(0), n, -1)
        assert x.size() == y.size()
        return x * y

    g = torch.compile(f, backend="eager", fullgraph=True)
    for n in (3, 4, 1):
        x, y = torch.randn(2, n, 8, 8), torch.zeros(2, 8, 8, dtype=torch.long)
        agree(g(x, y), f(x, y))
