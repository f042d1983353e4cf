"""torch.compile: each place that a capture read is changed between calls, and the call must equal the function's own."""

from __future__ import annotations

import copy
import importlib
import itertools
import os
import random
import sys
import types
from pathlib import Path

import monograph as torch
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
SEED = int(os.environ.get("MONOGRAPH_SEED", "0"))

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "capture"))
programs = importlib.import_module("programs")
PROGRAMS = programs.PROGRAMS


class Block(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        self.a, self.b = nn.Conv2d(width, width, 3, stride, 1), nn.Conv2d(width, width, 3, 1, 1)
        self.norm = nn.ModuleList([nn.BatchNorm2d(width), nn.BatchNorm2d(width)])
        self.act, self.scale, self.cuts = nn.ReLU(), 0.5, [1, 2]
        self.options = {"residual": True, "gain": 2.0}
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        y = self.act(self.norm[0](self.a(x)))
        y = self.norm[1](self.b(y)) * self.scale
        for k in self.cuts:
            y = y + k
        self.count += 1
        return (y + x if self.options["residual"] else y) * self.options.get("gain", 1) + self.count


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.heads = nn.LayerNorm(8), 2
        self.qkv, self.out, self.drop = nn.Linear(8, 24), nn.Linear(8, 8), nn.Dropout(0.1)
        self.mask = torch.zeros(4, 4)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        attention = (q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5 + self.mask).softmax(-1)
        return x + self.drop(self.out((attention @ v).transpose(1, 2).reshape(b, n, c)))


class Reaching(nn.Module):
    """Native code looks into what this holds: indices, contents of contents, an older list in a new one, an array."""

    def __init__(self):
        super().__init__()
        self.keep, self.pairs, self.mask = [0, 1], [[1, 0], [0, 1]], [True, False, True, True]
        self.options, self.plan = {"cuts": [1, 2], "names": {"a": [3]}}, ([2], {"b": [1, 2]})
        self.gain, self.shift, self.bias = 2.0, 1, nn.Parameter(torch.ones(1))

    def forward(self, x):
        y = x[:, self.keep] * self.gain + self.shift + self.bias * (2 if [1, 0] in self.pairs else 3)
        y = y + len(str(self.options)) + max([self.options["cuts"], [1]])[0] + x[..., self.mask].sum()
        y = y + sum(map(len, self.options.values())) + (1 if (self.plan, 1) == (([2], {"b": [1, 2]}), 1) else 0)
        z = x.clone()
        z[:, self.pairs[0]] = 0
        return y.sum() + z + sum(itertools.chain(*self.pairs))


class Numbers(nn.Module):
    """Python takes numbers out of tensors that the network holds."""

    def __init__(self):
        super().__init__()
        self.cuts, self.gain, self.options = torch.tensor([1.0, 3.0, 2.0]), nn.Parameter(torch.ones(2)), {"shift": torch.tensor(0.5), "table": torch.arange(4.0)}
        self.register_buffer("limit", torch.tensor([0.25, 4.0]))
        self.scale, self.signs, self.after = 2.0, [1, -1, 1], {"bias": 1}

    def forward(self, x):
        y = x * self.cuts.tolist()[0] + self.options["shift"].item() + float(self.options["table"][1])
        if self.limit.sum() > 4:
            y = y * self.gain.detach().sum()
        for v in self.cuts.data.tolist():
            y = y + v
        y = y * self.scale + sum(self.signs) + self.after["bias"]
        return y[:, int(self.cuts.argmax())] + sum(self.limit.tolist()) + float(self.options["table"].numpy()[2])


def networks():
    torch.manual_seed(SEED)
    yield "block", Block(2), (torch.randn(2, 2, 5, 5),)
    yield "block in eval", Block(2).eval(), (torch.randn(2, 2, 5, 5),)
    yield "reaching", Reaching(), (torch.randn(3, 4),)
    yield "numbers", Numbers(), (torch.randn(3, 4),)
    yield "attention", Attention(), (torch.randn(2, 4, 8),)
    yield "layers", nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4), nn.Dropout(0.5)), (torch.arange(6),)
    yield "transformer", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), (torch.randn(2, 3, 8),)


def changed(value, rng):
    """Another value of the kind; the value itself where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([1, -1])
    if isinstance(value, float):
        return value + rng.choice([1.0, -0.5, 0.0])
    if isinstance(value, torch.Tensor) and type(value) in (torch.Tensor, nn.Parameter) and value.is_floating_point():
        made = value.detach() + rng.choice([0.5, -1.0])
        return nn.Parameter(made, value.requires_grad) if isinstance(value, nn.Parameter) else made
    if isinstance(value, nn.Module) and not list(value.children()):
        return nn.Identity()
    return value


def in_place(tensor, other, rng):
    """Writes other values into the same tensor, or into its memory behind its back, and its own ones back."""
    own = tensor.detach().clone()
    into = rng.choice([tensor.detach(), tensor.data])
    shared = into.numpy() if rng.random() < 0.3 else None

    def write(value):
        values = own if value is tensor else other
        if shared is None:
            into.copy_(values)
        else:
            shared[...] = values.numpy()

    return write


class Changed:
    """A place with another value in it, for a while."""

    def __init__(self, kind, owner, key, rng):
        self.kind, self.owner, self.key, self.done = kind, owner, key, False
        if kind == "entry" and isinstance(owner, dict) and key in owner:
            self.before, self.write = owner[key], lambda v: owner.__setitem__(key, v)
        elif kind == "cell" and owner != types.CellType():
            self.before, self.write = owner.cell_contents, lambda v: setattr(owner, "cell_contents", v)
        elif kind == "list":
            self.before = list(owner)
            self.write = lambda v: owner.__setitem__(slice(None), v)
            self.after = rng.choice([[*owner, *owner[:1]], owner[:-1], [changed(v, rng) for v in owner]])
            return
        else:
            self.before = self.after = None
            return
        self.after = changed(self.before, rng)
        if isinstance(self.before, torch.Tensor) and self.after is not self.before and rng.random() < 0.5:
            self.write = in_place(self.before, self.after.detach(), rng)

    def __bool__(self):
        return self.after is not self.before

    def __enter__(self):
        self.write(self.after)

    def __exit__(self, *error):
        self.write(self.before)


def outcome(f, inputs):
    torch.manual_seed(1)
    inputs = copy.deepcopy(inputs)
    try:
        return "returned", f(*inputs), inputs
    except Exception as error:
        return "raised", type(error).__name__, None


def numbers(value):
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), list(value.shape), value.detach().reshape(-1).tolist()]
    if isinstance(value, dict):
        return {str(k): numbers(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(numbers, value)]
    return repr(value) if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__


def near(a, b):
    """Equal, but for the last bits of what batch_norm keeps: a call that is captured runs it as the operators that it is made of."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-5 * abs(b) + 1e-6 or (a != a and b != b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def state_of(f):
    return {k: v.clone() for k, v in f.state_dict().items()} if isinstance(f, nn.Module) else {}


def restore(f, state):
    if state:
        with torch.no_grad():
            for k, v in f.state_dict().items():
                if k in state and v.shape == state[k].shape:
                    v.copy_(state[k])


def both(f, g, inputs, start):
    """What the function and the compiled one do from the same state, and what state they leave. `start` brings the state that is in no tensor."""
    found = []
    for call in (f, g):
        start(f)
        state = state_of(f)
        found.append([*map(numbers, outcome(call, inputs)), numbers(state_of(f))])
        restore(f, state)
    return found


def run(f, inputs, rng, start=lambda f: None):
    compiled = torch.compile(f, backend="interpreter", recompile_limit=1000)
    made = compiled_of(compiled)
    for k in range(2):
        expected, got = both(f, compiled, inputs, start)
        assert near(expected, got), f"call {k}"
    places = [p for p in _C._compiled_reads(made) if not (isinstance(p[1], dict) and p[1].get("__name__", "").startswith("monograph"))]
    rng.shuffle(places)
    tried = 0
    for kind, owner, key in places[:150]:
        change = Changed(kind, owner, key, rng)
        if not change:
            continue
        tried += 1
        with change:
            expected, got = both(f, compiled, inputs, start)
            assert near(expected, got), (kind, key, change.before, change.after)
            expected, got = both(f, compiled, inputs, start)
            assert near(expected, got), ("second call", kind, key, change.before, change.after)
        expected, got = both(f, compiled, inputs, start)
        assert near(expected, got), ("back", kind, key, change.before, change.after)
    return tried


@pytest.mark.parametrize("name", [name for name, _, _ in networks()])
def test_networks(name):
    print("MONOGRAPH_SEED", SEED)
    f, inputs = next((f, inputs) for n, f, inputs in networks() if n == name)
    assert run(f, inputs, random.Random(f"{SEED} {name}")) > 7  # all that Numbers has: one capture reads them


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    print("MONOGRAPH_SEED", SEED)
    torch.manual_seed(SEED)
    f, inputs, *edits = PROGRAMS[name](torch)
    starts = [edits[0][0]] if edits and programs.KINDS[name].startswith("state") else []
    for given in inputs:
        run(f, given, random.Random(f"{SEED} {name}"), *starts)
