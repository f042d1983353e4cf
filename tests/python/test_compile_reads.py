"""torch.compile: programs that read and write in unusual ways, each against the function itself, call by call."""

from __future__ import annotations

import array
import collections
import contextlib
import contextvars
import dataclasses
import enum
import functools
import io
import math
import operator
import random
import threading
import types
import weakref

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import _C, nn

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
PROGRAMS = {}
# Each gives the function, what happens in turn (the arguments of a call, or a change), and, where it matters, what shows the state.


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def X(*sizes):  # noqa: N802
    return torch.arange(float(math.prod(sizes))).reshape(*sizes) + 1


def seen(value, depth=0):
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.requires_grad, type(value).__name__, repr(value.detach().reshape(-1).tolist())
    if isinstance(value, dict):
        return type(value).__name__, [(seen(k), seen(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [seen(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, (int, float, str, bool, type(None), complex, slice, range, torch.dtype)):
        return type(value).__name__, repr(value)
    return type(value).__name__, seen(vars(value), depth + 1) if hasattr(value, "__dict__") and not callable(value) and depth < 3 else ""


def trial(make, wrap):
    torch.manual_seed(0)
    f, steps, *rest = make()
    g = wrap(f)
    out = []
    for step in steps:
        if callable(step):
            step()
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                result = g(*step)
            out.append((seen(result), seen(step), printed.getvalue()))
        except Exception as error:
            out.append((type(error).__name__, seen(step)))
        out.append(seen(rest[0]()) if rest else None)
    torch.set_grad_enabled(True)
    return out


@program
def dunder_methods():
    class B:
        def __init__(self):
            self.v, self.l = 2.0, [1.0, 2.0]

        def __len__(self):
            return len(self.l)

        def __bool__(self):
            return self.v > 1

        def __getitem__(self, k):
            return self.l[k]

        def __contains__(self, k):
            return k in self.l

        def __iter__(self):
            return iter(self.l)

        def __call__(self, x):
            return x * self.v

        def __radd__(self, other):
            return other + self.v

        def __lt__(self, other):
            return self.v < other

    b = B()

    def f(x):
        y = b(x) + len(b) + b[0]
        if b:
            y = y + 1
        if 5.0 in b:
            y = y * 2
        for v in b:
            y = y + v
        if b < 2.5:
            y = y + 100
        return 1.0 + b + y

    steps = [(X(2),), lambda: b.l.append(5.0), (X(2),), lambda: setattr(b, "v", 3.0), (X(2),), lambda: setattr(b, "v", 0.5), (X(2),)]
    return f, [*steps, lambda: setattr(B, "__call__", lambda self, x: x), (X(2),), lambda: setattr(B, "__len__", lambda self: 44), (X(2),)]


@program
def slots():
    class S:
        __slots__ = ("a", "b")

    s = S()
    s.a = 2.0
    return lambda x: x * s.a + (s.b if hasattr(s, "b") else 0), [
        (X(2),),
        lambda: setattr(s, "a", 3.0),
        (X(2),),
        lambda: setattr(s, "b", 3.0),
        (X(2),),
    ]


@program
def containers_of_c():
    d, a, b = collections.deque([1.0, 2.0]), array.array("d", [1.0, 2.0]), bytearray(b"ab")
    o = collections.OrderedDict(a=1.0, b=2.0)
    m = types.MappingProxyType(o)
    fs = [
        lambda x: x * d[0] + len(d), lambda x: x * sum(d), lambda x: x * a[0], lambda x: x + b[0],
        lambda x: [x * v for v in o.values()], lambda x: x * m["a"], lambda x: next(iter(o)),
    ]  # fmt: skip
    compiled = []

    def change():
        d.appendleft(9.0)
        a[0] = 5.0
        b[0] = 7
        o.move_to_end("a")
        o["a"] += 1

    def f(x):
        return [g(x) for g in (compiled or fs)]

    return f, [(X(2),), change, (X(2),), change, (X(2),)]


@program
def a_defaultdict():
    d = collections.defaultdict(float)
    return lambda x: x + d["a"], [(X(2),), (X(2),), lambda: d.update(a=4.0), (X(2),)], lambda: dict(d)


@program
def cached_functions():
    state = {"k": 1.0}

    @functools.lru_cache
    def h(n):
        return state["k"] * n

    return lambda x: x * h(2), [(X(2),), lambda: state.update(k=5.0), (X(2),), h.cache_clear, (X(2),)]


@program
def a_partial():
    q = functools.partial(lambda x, b: x * b, b=2.0)
    return lambda x: q(x), [(X(2),), lambda: q.keywords.update(b=5.0), (X(2),)]


@program
def getattribute_and_getattr():
    class A:
        def __init__(self):
            self.k = 1.0
            self.store = {"a": 1.0}

        def __getattribute__(self, name):
            return object.__getattribute__(self, name)

        def __getattr__(self, name):
            try:
                return self.store[name]
            except KeyError:
                raise AttributeError(name) from None

    a = A()
    return lambda x: x * a.k + a.a + getattr(a, "z", 5.0), [
        (X(2),),
        lambda: setattr(a, "k", 4.0),
        (X(2),),
        lambda: a.store.update(z=4.0),
        (X(2),),
        lambda: a.store.update(a=9.0),
        (X(2),),
    ]


@program
def a_metaclass():
    class M(type):
        @property
        def k(cls):
            return cls._k

        def __getitem__(cls, i):
            return cls._k + i

    class A(metaclass=M):
        _k = 1.0

    return lambda x: x * A.k + A[1], [
        (X(2),),
        lambda: setattr(A, "_k", 4.0),
        (X(2),),
        lambda: setattr(M, "k", property(lambda c: 11.0)),
        (X(2),),
    ]


@program
def super_calls():
    class A:
        v = 1.0

        def m(self, x):
            return x * self.v

        @classmethod
        def c(cls, x):
            return x * cls.v

    class B(A):
        def m(self, x):
            return super().m(x) + 1

        @classmethod
        def c(cls, x):
            return super().c(x) * 2

    b = B()
    steps = [
        (X(2),),
        lambda: setattr(A, "v", 4.0),
        (X(2),),
        lambda: setattr(A, "m", lambda self, x: x),
        (X(2),),
        lambda: setattr(A, "c", classmethod(lambda cls, x: x)),
        (X(2),),
    ]
    return lambda x: (b.m(x), B.c(x)), steps


@program
def a_descriptor_and_a_class():
    class D:
        v = 1.0

        def __get__(self, o, t):
            return self.v * (o.m if o is not None else 1)

    class A:
        d = D()

    class B:
        d, m = 3.0, 1.0

    a = A()
    a.m = 2.0
    return lambda x: x * a.d, [
        (X(2),),
        lambda: setattr(A.__dict__["d"], "v", 4.0),
        (X(2),),
        lambda: setattr(a, "m", 4.0),
        (X(2),),
        lambda: setattr(a, "__class__", B),
        (X(2),),
    ]


@program
def a_module_with_getattr():
    m, state = types.ModuleType("m"), {"v": 1.0}
    m.__getattr__ = lambda name: state[name]
    return lambda x: x * m.v, [(X(2),), lambda: state.update(v=4.0), (X(2),), lambda: setattr(m, "v", 7.0), (X(2),)]


@program
def patterns_enums_dataclasses():
    class C(enum.Enum):
        A, B = 1, 2

    @dataclasses.dataclass
    class D:
        c: object = C.A
        parts: list = dataclasses.field(default_factory=lambda: [1.0, 2.0])

    d = D()

    def f(x):
        match d:
            case D(c=C.A, parts=[a, b]):
                return x * a + b
            case D(c=C.B, parts=[a, *rest]):
                return x * a + len(rest)
        return x

    return f, [(X(2),), lambda: d.parts.append(3.0), (X(2),), lambda: setattr(d, "c", C.B), (X(2),), lambda: d.parts.clear(), (X(2),)]


@program
def texts():
    o = types.SimpleNamespace(n=3, l=[1])
    return lambda x: (x * len(f"{o.n:>{o.l[0]}}|{o.l!r}"), f"{o.n} {o.l}", "{}".format(o.l)), [  # noqa: UP032
        (X(2),),
        lambda: setattr(o, "n", 44),
        (X(2),),
        lambda: o.l.append(2),
        (X(2),),
    ]


@program
def code_is_swapped():
    def h(x):
        return x * 2

    def other(x):
        return x * 3

    return lambda x: h(x), [(X(2),), lambda: setattr(h, "__code__", other.__code__), (X(2),)]


@program
def clocks_and_such():
    v = contextvars.ContextVar("v", default=1.0)

    class C:
        k = 1.0

    box = [C()]
    w = weakref.ref(box[0])
    random.seed(3)
    return lambda x: x * random.random() * v.get() * w().k, [
        lambda: random.seed(3),
        (X(2),),
        (X(2),),
        lambda: v.set(3.0),
        (X(2),),
        lambda: setattr(box[0], "k", 4.0),
        (X(2),),
    ]


@program
def older_iterators():
    it = iter([1.0, 2.0, 3.0, 4.0])

    def generator():
        k = 0
        while True:
            k += 1
            yield k

    g = generator()
    return lambda x: x * next(it) + next(g), [(X(2),)] * 4


@program
def writes_to_names():
    n, total = 0, torch.zeros(2)

    def f(x, kept=[]):  # noqa: B006
        nonlocal n, total
        n += 1
        total = total + x
        kept.append(total)
        return total * n + len(kept)

    return f, [(X(2),)] * 12, lambda: (n, total, f.__defaults__)


@program
def objects_made_and_registered():
    registry = []

    class A:
        def __init__(self, v):
            self.v = v
            registry.append(self)

    def f(x):
        a = A(x * 2)
        a.w = len(registry)
        return a.v * a.w

    return f, [(X(2),)] * 4, lambda: [r.v for r in registry]


@program
def contexts():
    stack = [1.0]

    @contextlib.contextmanager
    def pushed():
        stack.append(3.0)
        yield stack[-1]
        stack.pop()

    def f(x):
        with pushed() as k, torch.no_grad():
            y = x * len(stack) * k
        return y

    return f, [(X(2),), lambda: stack.append(5.0), (X(2),), (X(2).requires_grad_(),)], lambda: list(stack)


@program
def sizes_as_texts_and_keys():
    table, cache = {2: 1.0, 3: 5.0}, {}

    def f(x):
        n = x.shape[0]
        if tuple(x.shape) not in cache:
            cache[tuple(x.shape)] = torch.ones(n) * n
        return {f"k{n}": x, str(x.shape): x, "%d" % n: x, repr(n): x, n: table.get(n), (n, 1): {n}}, x + cache[tuple(x.shape)]  # noqa: UP031

    return f, [(X(2),), (X(3),), (X(1),), (X(3),), (X(0),)], lambda: cache


@program
def sizes_as_numbers():
    def f(x):
        n = x.shape[0]
        return (
            int(n),
            float(n),
            math.sqrt(n),
            n in (3, 4),
            [1] * n,
            "a" * n,
            list(range(n)),
            x.shape == (3,),
            isinstance(n, int),
            x[: n - 1],
            n // 2,
            -n,
            bool(n),
            max(x.shape),
            x.shape[-1:] + (2,),
            len(x),
        )

    return f, [(X(2),), (X(3),), (X(5),), (X(1),), (X(0),)]


@program
def layouts():
    def f(x):
        return x * x.stride(0) + x.storage_offset(), x.is_contiguous(), x.is_leaf

    return f, [
        (X(2, 2),),
        (X(3, 5),),
        (X(4, 3).t(),),
        (X(4, 3)[1:],),
        (X(4, 3)[2:],),
        (X(2, 2).requires_grad_(),),
        (X(2, 2).requires_grad_() * 2,),
    ]


@program
def states_of_tensors():
    a, b = X(2), X(2)
    b.tag = 5
    return lambda x: (x * getattr(x, "tag", 1), type(x).__name__, x is a), [(a,), (b,), (a,), (nn.Parameter(X(2)),)]


@program
def tensors_that_are_replaced():
    o = types.SimpleNamespace(t=X(2))

    def other_data():
        o.t.data = X(1)

    steps = [
        (X(2),),
        lambda: setattr(o, "t", X(2) * 3),
        (X(2),),
        lambda: o.t.mul_(2),
        (X(2),),
        lambda: o.t.requires_grad_(),
        (X(2),),
        other_data,
        (X(2),),
    ]
    return lambda x: (x + o.t, o.t.shape[0], o.t.requires_grad), steps


@program
def in_place():
    base = X(4)

    def f(x):
        x.add_(1)
        x[0] = 5
        x[x > 3] = 0
        base[1:3].add_(x)
        return base, base[2:], x

    return f, [(X(2),), (X(2),), (X(1),)], lambda: base


@program
def shapes_in_place():
    return lambda x: (x.unsqueeze_(0), x.t_(), x.shape), [(X(2),), (X(3),)]


@program
def a_growing_cache():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.k, self.n, self.line = None, 0, nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x):
            y = self.line(x)
            self.k = y if self.k is None else torch.cat([self.k, y])
            self.mean = 0.9 * self.mean + x[0]
            self.n += 1
            if not hasattr(self, "table"):
                self.table = torch.arange(2.0)
            return self.k.sum(0) + self.table

    m = M()
    return m, [(X(1, 2),)] * 6 + [lambda: setattr(m, "k", None), (X(1, 2),), (X(1, 2),)], lambda: (m.k, m.mean, m.n)


@program
def containers_of_modules():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.p, self.d = nn.ParameterList([torch.ones(2), torch.ones(2) * 2]), nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Identity()})
            self.l, self.plain, self.pd = nn.ModuleList([nn.Linear(2, 2)]), [nn.Linear(2, 2)], nn.ParameterDict({"z": torch.ones(2)})

        def forward(self, x, k="a"):
            for q in self.p:
                x = x + q
            for n, m in self.d.items():
                x = m(x) + len(n)
            x = self.d[k](x) + self.pd["z"]
            for m in self.plain:
                x = m(x)
            return self.l[-1](x), sum(v.numel() for v in self.parameters()), [n for n, _ in self.named_modules()]

    m = M()
    steps = [(X(1, 2),), (X(1, 2), "b"), lambda: m.l.append(nn.Linear(2, 2)), (X(1, 2),), lambda: m.d.pop("b"), (X(1, 2),)]
    return m, [*steps, lambda: m.plain.append(nn.Identity()), (X(1, 2),), lambda: m.p.append(torch.ones(2)), (X(1, 2),)]


@program
def hooks_of_all_modules():
    m, handles = nn.Linear(2, 2), []
    return m, [
        (X(2, 2),),
        lambda: handles.append(nn.modules.module.register_module_forward_hook(lambda mod, i, o: o * 2)),
        (X(2, 2),),
        lambda: handles[0].remove(),
        (X(2, 2),),
    ]


@program
def random_numbers():
    m, g = nn.Dropout(0.5), torch.Generator()
    g.manual_seed(1)
    fs = lambda x: (m(x) + torch.randn(x.shape), torch.randint(0, 9, (2,)), x[torch.randperm(x.shape[0])])  # noqa: E731
    return fs, [(X(2),), (X(3),), lambda: m.eval(), (X(2),), lambda: torch.manual_seed(7), (X(2),)]


@program
def a_generator_of_its_own():
    g = torch.Generator()
    g.manual_seed(1)
    return lambda x: x + torch.randn(2, generator=g), [(X(2),), (X(2),), (X(2),)]


@program
def gradients_inside():
    w = torch.ones(2, requires_grad=True)

    def f(x):
        (x * w).sum().backward()
        return w.grad

    return f, [(X(2),), (X(2),)], lambda: w.grad


@program
def gradients_by_grad():
    w = torch.ones(2, requires_grad=True)
    return lambda x: torch.autograd.grad((x * w * w).sum(), w), [(X(2),), (X(3)[:2],)]


@program
def a_training_step():
    m = nn.Linear(2, 1)
    o = torch.optim.SGD(m.parameters(), 0.1)

    def f(x):
        o.zero_grad()
        loss = m(x).sum()
        loss.backward()
        o.step()
        return loss

    return f, [(X(2, 2),)] * 3, lambda: m.weight


@program
def hooks_of_tensors():
    calls = []

    def f(x):
        y = x * 2
        y.register_hook(lambda g: calls.append(1))
        return y.sum()

    return f, [(X(2).requires_grad_(),)] * 2, lambda: calls


@program
def modes_that_stay():
    def f(x):
        torch.set_grad_enabled(False)
        return x * 2

    return f, [(X(2).requires_grad_(),), (X(2).requires_grad_(),)], torch.is_grad_enabled


@program
def errors_in_between():
    log = []

    def f(x):
        log.append(1)
        try:
            x.add_(1)
            y = x.view(3)
        except RuntimeError:
            log.append(2)
            y = x
        if x.sum() > 20:
            raise KeyError("large")
        return y

    return f, [(X(3),), (X(2),), (X(3),), (X(4),), (X(9),)], lambda: list(log)


@program
def arguments_that_change():
    def f(items, table, *rest, **more):
        items[0] = rest[0]
        items.insert(0, 2)
        del items[-1]
        table["n"] = more
        table.pop("old", None)
        return len(items), table, rest

    return f, [([1, 2, 3], {"old": 1}, X(2)), ([1, 2, 3], {"old": 2}, X(3)), ([1, 2], {}, X(2))]


@program
def the_order_of_a_dict():
    a, b = X(2), X(2) * 3
    return lambda d: [v * (i + 1) for i, v in enumerate(d.values())], [({"a": a, "b": b},), ({"b": a, "a": b},), ({"a": b, "b": a},)]


@program
def results_of_many_kinds():
    def f(x):
        row = [x]
        return row, row, (row, {"a": row}), {1, 2}, x.max(0), x.sort(), None, ..., 1j, torch.float32, slice(1, 2)

    return f, [(X(2),), (X(3),)]


@program
def results_that_cannot_be_made():
    return lambda x: (lambda y: x + y)(x), [(X(2),), (X(3),)]


@program
def values_of_tensors():
    return lambda x: (
        x.tolist(),
        x.sum().item(),
        bool(x.sum() > 4),
        int(x[0]),
        len(x),
        (x == 2).any().item(),
        x[x > 2],
        x / x.max().item(),
    ), [(X(2),), (X(3) * 2,), (X(2) * 5,)]


@program
def constants_that_are_written():
    def f(x):
        t = torch.tensor([1.0, 2.0])
        t += x
        u = torch.zeros(2)
        u[0] = x[0]
        return t, u, torch.tensor(3), torch.tensor([4.0])

    return f, [(X(2),), (X(1),), (X(2),)]


@program
def recurrent_and_attention():
    lstm, mha = nn.LSTM(4, 3, batch_first=True), nn.MultiheadAttention(4, 2, batch_first=True)
    return lambda x: (lstm(x), mha(x, x, x)), [(X(1, 4, 4),), (X(2, 3, 4),), (X(1, 4, 4),)]


@program
def normed_and_embedded():
    norm, embedding = nn.BatchNorm1d(3, momentum=None), nn.Embedding(5, 3, max_norm=1.0)
    return (
        lambda i: norm(embedding(i)),
        [(torch.tensor([1, 2, 3]),), (torch.tensor([1, 4]),)],
        lambda: (embedding.weight, norm.running_mean, norm.num_batches_tracked),
    )


@program
def padding():
    return lambda x: (F.pad(x, (1, x.shape[0])), x.expand(x.shape[0], x.shape[1]), torch.full((x.shape[0], 2), 3.0)), [
        (X(2, 2),),
        (X(3, 1),),
        (X(0, 3),),
    ]


@program
def a_set_whose_element_was_freed():
    class Key:
        pass

    keys = {Key()}

    def replace():
        keys.clear()
        keys.add(None)

    return lambda x: x * (2 if None in keys else 3), [(X(2),), replace, (X(2),)]


class Chosen(nn.Module):
    """A module with two layers of which a program reads one."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Hardtanh(0, 1), nn.ReLU()

    def forward(self, x):
        return self.first(x)


@program
def a_submodule_that_is_replaced():
    m = Chosen()

    def replace():
        m.first = m.second

    return m, [(X(2),), replace, (X(2),), lambda: m.__dict__.__setitem__("first", torch.neg), (X(2),)]


@program
def a_class_that_gets_its_own_getattr():
    class Own(Chosen):
        pass

    m = Own()

    def replace():
        Own.__getattr__ = lambda self, name: Chosen.__getattr__(self, "second" if name == "first" else name)

    return m, [(X(2),), replace, (X(2),)]


@program
def a_class_with_its_own_getattribute():
    class Own(Chosen):
        shift = 0.5

        def __getattribute__(self, name):
            return (lambda x: x + Own.shift) if name == "first" else super().__getattribute__(name)

    return Own(), [(X(2),), lambda: setattr(Own, "shift", 2.0), (X(2),)]


@program
def a_class_attribute_that_hides_a_submodule():
    class Own(Chosen):
        pass

    return Own(), [(X(2),), lambda: setattr(Own, "first", torch.neg), (X(2),), lambda: delattr(Own, "first"), (X(2),)]


BACKENDS = {
    "interpreter": lambda f: torch.compile(f, backend="interpreter"),
    "monograph": torch.compile,
    "flat": lambda f: torch.compile(f, backend=lambda gm, inputs: gm.forward),
}


@program
def versions_after_writes():
    def f(x, p):
        before = x._version
        x.add_(1)
        x.mul_(2)
        p[:1].add_(1)
        return x._version - before, p._version

    x, p = X(3), X(2)
    return f, [(x, p), (x, p), (X(4), p)], lambda: (x._version, p._version)


@program
def versions_before_a_break():
    calls = []

    class Log:
        def write(self, words):
            calls.append(words)

    log = Log()

    def f(x):
        x.add_(1)
        print(x._version, file=log)
        x.add_(1)
        y = x * 2
        return y, x._version, y._version

    x = X(3)
    return f, [(x,), (x,), (X(4),)], lambda: (x._version, list(calls))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, backend):
    assert trial(PROGRAMS[name], BACKENDS[backend]) == trial(PROGRAMS[name], lambda f: f)


class OfThread(threading.local):
    training = False

    def __init__(self):
        self.scale = 1.0


def _changes_that_no_dict_shows():
    config, other = OfThread(), OfThread()
    yield "threading.local", (lambda x: x * config.scale), (lambda: setattr(config, "scale", 5.0))
    yield "threading.local, class", (lambda x: x * (2 if other.training else 1)), (lambda: setattr(other, "training", True))

    class Fields:
        pass

    a = Fields()
    a.k = 1.0
    yield "__dict__", (lambda x: x * a.k), (lambda: setattr(a, "__dict__", {"k": 5.0}))
    m, n = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    m.k, n.k = 1.0, 7.0
    yield "__dict__ of a Module", (lambda x: x * m.k), (lambda: setattr(m, "__dict__", dict(n.__dict__)))
    called, another = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    yield "__dict__ of a Module that is called", (lambda x: called(x)), (lambda: setattr(called, "__dict__", dict(another.__dict__)))
    p = functools.partial(lambda x, k: x * k, k=1.0)
    yield "partial.__setstate__", (lambda x: p(x)), (lambda: p.__setstate__((p.func, (), {"k": 4.0}, None)))
    g = torch.Generator()
    g.manual_seed(3)
    yield "Generator.initial_seed", (lambda x: x * g.initial_seed()), (lambda: g.manual_seed(4))
    box = Fields()
    box.k = 1.0

    class Later(Fields):
        k = 1.0

    yield "__getattribute__ of a class", (lambda x: x * Later().k), (lambda: setattr(Later, "__getattribute__", lambda self, name: 4.0))
    yield "operator.attrgetter", (lambda x: x * operator.attrgetter("k")(box)), (lambda: setattr(box, "k", 4.0))


@pytest.mark.parametrize("way", ["compile", "trace", "symbolic"])
def test_changes_that_no_dict_shows(way):
    x = torch.ones(2)
    capture = {"compile": torch.compile, "trace": lambda f: torch.jit.trace(f, x), "symbolic": torch.fx.symbolic_trace}[way]
    for name, f, change in _changes_that_no_dict_shows():
        g = capture(f)
        assert torch.equal(g(x), f(x)), name
        change()
        if way == "compile":
            assert torch.equal(g(x), f(x)), name
        else:
            with pytest.raises(RuntimeError, match="was captured by"):
                g(x)


def test_what_is_set_in_a_threading_local_is_set_by_each_call():
    config = OfThread()

    def f(x):
        config.scale = config.scale + 1
        return x * config.scale

    g = torch.compile(f)
    for k in range(4):
        assert g(torch.ones(1)).item() == k + 2 == config.scale
