"""Programs that no capture can take as they are, and some that only look so. `test_machine_bad_input.py` captures each in every way.

    python machine_bad_programs.py trace recursion        # captures the programs of a group, and prints what came of each as JSON"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import itertools
import json
import opcode
import os
import resource
import sys
import threading
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import monograph as torch
from monograph import Tensor, fx, nn

GROUPS: dict[str, dict[str, Callable[..., Any]]] = {}
KEPT: list[Any] = []  # what programs leave here outlives their capture


def program(group: str, name: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        GROUPS.setdefault(group, {})[name or f.__name__] = f
        return f

    return add


# --- Recursion without end.


@program("recursion")
def plain(x):
    def go(x):
        return go(x) + 1

    return go(x)


@program("recursion")
def with_operators(x):
    def go(x):
        return go(x * 2) + 1

    return go(x)


@program("recursion")
def with_a_branch(x):
    def go(x):
        if x.sum() > 0:
            return go(x * 2)
        return go(x - 1)

    return go(x)


@program("recursion")
def too_deep_for_python(x):
    def go(x, n):
        if n == 0:
            return x
        if x.sum() > 0:
            return go(x - 1, n - 1)
        return go(x + 1, n - 1)

    return go(x, 100_000)


@program("recursion")
def ended_by_a_value(x):
    def go(x):
        if x.sum() > 300:
            return x
        return go(x + 1)

    return go(x)


@program("recursion")
def mutual(x):
    def a(x):
        return b(x) if x.sum() > 0 else a(-x)

    def b(x):
        return a(x + 1)

    return a(x)


@program("recursion")
def two_calls(x):
    def go(x):
        if x.sum() < 2:
            return x
        return go(x - 1) + go(x - 2)

    return go(x + 3)


@program("recursion")
def a_branch_at_each_depth(x):
    def go(x, i):
        if i > 40:
            return x
        if x.sum() > i:
            return go(x + 1, i + 1)
        return go(x - 1, i + 1)

    return go(x, 0)


class Itself(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return self(x + 1)
        return self(x - 1)


@program("recursion")
def module(x):
    return Itself()(x)


@program("recursion")
def slots(x):
    class Adds:
        def __add__(self, other):
            return self + other

        def __repr__(self):
            return repr(self)

        def __getattr__(self, name):
            return getattr(self, name + "x")

    if x.dim() > 9:
        return Adds().foo
    return Adds() + x


@program("recursion")
def through_sorted(x):
    def key(v):
        return sorted([1, 2], key=key)

    return sorted([x], key=key)[0]


@program("recursion")
def generators(x):
    def g(x):
        yield from g(x)

    return sum(g(x))


@program("recursion")
def in_a_loop(x):
    def go(x):
        while x.sum() < 8:
            x = go(x + 1)
        return x

    return go(x)


# --- Recursion that is deep, and ends; and one under a high limit.


@contextlib.contextmanager
def recursion_limit(limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@program("deep")
def sixty_thousand_calls(x):
    def go(x, n):
        return x if n == 0 else go(x + 1, n - 1)

    with recursion_limit(100_000):
        return go(x, 60_000)


@program("deep")
def sixty_thousand_calls_without_end(x):
    def go(x):
        return go(x + 1) * 2

    with recursion_limit(60_000):
        return go(x)


@program("deep")
def handlers_at_each_depth(x):
    def go(x, n):
        try:
            return x if n == 0 else go(x + 1, n - 1)
        except KeyError:
            return x

    with recursion_limit(30_000):
        return go(x, 20_000)


@program("deep")
def generators_at_each_depth(x):
    def go(x, n):
        yield x
        if n:
            for _ in go(x + 1, n - 1):
                pass

    with recursion_limit(2_000):
        return sum(go(x, 300))


# --- Loops whose values never settle, and structures without end.


@program("loops")
def growing_tuple(x):
    t = (x,)
    while x.sum() < 60:
        t = (t, x)
        x = x + 1
    return x


@program("loops")
def growing_nest(x):
    t = [x]
    while x.sum() < 60:
        t = [t]
        x = x + 1
    return x


@program("loops")
def growing_dict(x):
    d, i = {}, 0
    while x.sum() < 60:
        d[i] = x
        i += 1
        x = x + 1
    return x * len(d)


@program("loops")
def growing_text(x):
    s = ""
    while x.sum() < 60:
        s += "a"
        x = x + 1
    return x * len(s)


@program("loops")
def growing_rank(x):
    while x.sum() < 60:
        x = x.unsqueeze(0) + 1
    return x


@program("loops")
def other_dtypes(x):
    k, dtypes = 0, [torch.float32, torch.float64, torch.int64, torch.float16]
    while x.sum() < 60:
        x = (x + 1).to(dtypes[k % 4])
        k += 1
    return x


@program("loops")
def other_types(x):
    v: Any = 0
    while x.sum() < 40:
        v = "a" if v == 0 else (0 if v is None else None)
        x = x + 1
    return x


@program("loops")
def growing_chain(x):
    class Link:
        def __init__(self, before):
            self.before = before

    link = None
    while x.sum() < 60:
        link = Link(link)
        x = x + 1
    return x


@program("loops")
def growing_closure(x):
    def f(v):
        return v

    while x.sum() < 60:

        def f(v, before=f):
            return before(v) + 1

        x = f(x)
    return x


@program("loops")
def growing_set(x):
    s, n = set(), 0
    while x.sum() < 60:
        s.add(n)
        n += 1
        x = x + 1
    return x * len(s)


def nested(x: Any, depth: int, kind: type = list) -> Any:
    for _ in range(depth):
        x = kind((x,))
    return x


DEEP_LIST, DEEP_TUPLE, ITSELF = nested(1, 100_000), nested(1, 100_000, tuple), []
ITSELF.append(ITSELF)
SHARED: Any = (1,)
for _ in range(60):
    SHARED = (SHARED, SHARED)
MANY = dict.fromkeys(range(20_000), 1)


@program("structures")
def deep_globals(x):
    return x * (len(DEEP_LIST) + len(DEEP_TUPLE) + len(ITSELF) + len(SHARED))


@program("structures")
def deep_list_read(x):
    part, n = DEEP_LIST, 0
    while isinstance(part, list):
        part = part[0]
        n += 1
    return x * n


@program("structures")
def deep_tuple_in_a_branch(x):
    if x.sum() > 0:
        t = (DEEP_TUPLE, 1)
    else:
        t = (DEEP_TUPLE, 2)
    return x * t[1]


@program("structures")
def deep_in_a_branch(x):
    if x.sum() > 0:
        t = nested(x, 3000)
    else:
        t = nested(x + 1, 3000)
    return x * len(t)


@program("structures")
def deep_default(x, t=DEEP_TUPLE, s=SHARED):
    return x * (len(t) + len(s))


@program("structures")
def shared_parts_in_a_branch(x):
    if x.sum() > 0:
        t: Any = (x,)
    else:
        t = (x + 1,)
    for _ in range(40):
        t = (t, t)
    return x * len(t)


@program("structures")
def shared_parts_joined(x):
    def tree(v):
        for _ in range(30):
            v = (v, v)
        return v

    t = tree(x) if x.sum() > 0 else tree(x + 1)
    return x * len(t)


@program("structures")
def itself_in_a_branch(x):
    if x.sum() > 0:
        items = [x]
    else:
        items = [x + 1]
    items.append(items)
    return items[1][0]


@program("structures")
def many_keys(x):
    total = 0
    for k in range(20_000):
        total += MANY[k]
    return x * total


@program("structures")
def large_list_in_branches(x):
    items = list(range(100_000))
    for i in range(20):
        if x.sum() > i:
            items[i] = 0
    return x * items[5]


@program("structures")
def long_text(x):
    text = "a" * 10_000_000
    if x.sum() > 0:
        text = text + "b"
    else:
        text = text + "cc"
    return x * len(text)


@program("structures")
def long_ranges(x):
    for _ in range(10**12):
        if x.sum() > 5:
            break
        x = x + 1
    return x


@program("structures")
def too_much_memory(x):
    if x.sum() < 0:
        return x + torch.zeros(10**13).sum()
    return x


@program("structures")
def deep_exceptions(x):
    error = None
    for i in range(10_000):
        later = ValueError(i)
        later.__cause__, error = error, later
    if x.sum() < 0:
        raise error
    return x


# --- Generators and coroutines that leave the capture.


@program("generators")
def kept_generator(x):
    def g(x):
        for i in range(3):
            yield x * i

    KEPT.append(g(x))
    return x


@program("generators")
def kept_in_the_middle(x):
    def g(x):
        for i in range(3):
            if x.sum() > 0:
                yield x * i
            else:
                yield x - i

    steps = g(x)
    next(steps)
    KEPT.append(steps)
    return x


@program("generators")
def returned(x):
    def g(x):
        yield x

    return g(x)


@program("generators")
def branch_in_it(x):
    def g(x):
        if x.sum() > 0:
            yield x
        else:
            yield x * 2
            yield x * 3

    return torch.stack(list(g(x)))


@program("generators")
def moved_in_a_branch(x):
    def g(x):
        yield x
        yield x + 1

    steps = g(x)
    y = next(steps) if x.sum() > 0 else next(steps) * 2
    return y + next(steps)


@program("generators")
def closed_in_a_branch(x):
    def g(x):
        try:
            yield x
        finally:
            if x.sum() > 0:
                KEPT.append(1)

    steps = g(x)
    next(steps)
    steps.close()
    return x


@program("generators")
def kept_coroutine(x):
    async def c(x):
        return x + 1

    KEPT.append(c(x))
    return x


@program("generators")
def coroutine_with_a_branch(x):
    async def c(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    try:
        c(x).send(None)
    except StopIteration as end:
        return end.value


@program("generators")
def left_with_over_one(x):
    @contextlib.contextmanager
    def manager():
        yield 1

    if x.sum() > 0:
        with manager() as one:
            return x + one
    with manager() as one:
        return x - one


# --- Values that leave the capture.


@program("values")
def in_a_global(x):
    KEPT.append(x + 1)
    return x


@program("values")
def of_the_capture_before(x):
    y = KEPT[-1] if KEPT and isinstance(KEPT[-1], Tensor | fx.Proxy) else x
    KEPT.append(x + 1)
    return x + y.sum() * 0


@program("values")
def by_a_thread(x):
    out = []

    def go():
        if x.sum() > 0:
            out.append(x + 1)
        else:
            out.append(x - 1)

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    return out[0] if out else x


@program("values")
def in_an_exception(x):
    raise KeyError(x + 1)


@program("values")
def in_the_exception_of_a_branch(x):
    if x.sum() > 0:
        raise ValueError(x)
    return x


@program("values")
def by_a_finalizer(x):
    class A:
        def __init__(self, v):
            self.v = v

        def __del__(self):
            KEPT.append(self.v)

    a = A(x + 1)
    if x.sum() > 0:
        a = None
    return x if a is None else x * 2


@program("values")
def by_a_weak_reference(x):
    y = x + 1
    if x.sum() > 0:
        KEPT.append(weakref.ref(y, lambda _: KEPT.append(1)))
    return x


@program("values")
def as_a_key(x):
    d = {x: 1}
    d[x + 1] = 2
    return x * d[x]


@program("values")
def in_a_class(x):
    class A:
        v = x + 1

    KEPT.append(A)
    return A.v


@program("values")
def of_a_nested_trace(x):
    return torch.jit.trace(lambda a: a + 1 if a.sum() > 0 else a, (x,))(x)


@program("values")
def of_a_nested_compile(x):
    return torch.compile(lambda a: a + 1 if a.sum() > 0 else a)(x)


TRACED = torch.jit.trace(lambda a: a + 1 if a.sum() > 0 else a - 1, (torch.ones(2, 2),))


@program("values")
def of_a_trace_of_another_rank(x):
    return TRACED(x)


# --- Objects that lie, and exits in the middle.


@program("objects")
def exit_in_a_branch(x):
    if x.sum() > 0:
        sys.exit(3)
    return x


@program("objects")
def interrupt_in_the_other_way(x):
    if x.sum() < 0:
        raise KeyboardInterrupt
    return x


@program("objects")
def error_without_a_text(x):
    class E(Exception):
        def __str__(self):
            raise ValueError

        __repr__ = __str__

    if x.sum() < 0:
        raise E()
    return x


@program("objects")
def truth_that_raises(x):
    class A:
        def __bool__(self):
            raise OSError("no truth")

    v = A() if x.sum() > 0 else 1
    return x if v else x + 1


@program("objects")
def equality_that_raises(x):
    class A:
        def __eq__(self, other):
            raise OSError("no equality")

        __hash__ = None

    a = A()
    if x.sum() > 0:
        a = A()
    return x if a is not None else x + 1


@program("objects")
def attributes_that_raise(x):
    class A:
        def __getattribute__(self, name):
            raise OSError(name)

    a = A()
    b = a if x.sum() > 0 else A()
    return x if b is not None else x + 1


@program("objects")
def class_that_raises(x):
    class A:
        @property
        def __class__(self):
            raise OSError("no class")

    a = A()
    if x.sum() > 0:
        a = A()
    return x if isinstance(a, int) else x + 1


@program("objects")
def list_of_wrong_length(x):
    class A(list):
        def __len__(self):
            return -1

        def __iter__(self):
            raise OSError("no iterator")

    a = A([1, x])
    a[0] = 3 if x.sum() > 0 else 4
    return x * list.__getitem__(a, 0)


@program("objects")
def collector_in_a_branch(x):
    if x.sum() > 0:
        gc.collect()
        return x
    gc.collect()
    return x + 1


@program("objects")
def frame_of_the_caller(x):
    def clears():
        try:
            sys._getframe().f_back.clear()
        except RuntimeError:
            return 1

    return x * clears()


@program("objects")
def own_recursion_limit(x):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 5000)
    try:

        def go(x, n):
            return x if n == 0 else go(x, n - 1) + 1

        return go(x, 4000)
    finally:
        sys.setrecursionlimit(before)


@program("objects")
def own_trace_function(x):
    def note(*_):
        raise OSError("no tracing")

    sys.settrace(note)
    try:
        return (lambda: x + 1)()
    finally:
        sys.settrace(None)


# A dict that is that of an object, a new module, and another name of both: each is one object on both sides of a break.


@program("objects")
def dict_of_an_object(x):
    class A:
        pass

    a = A()
    fields = a.__dict__
    torch._dynamo.graph_break()
    fields["k"] = 3
    return x * a.k


@program("objects")
def dict_of_a_module(x):
    m = types.ModuleType("m")
    fields = m.__dict__
    torch._dynamo.graph_break()
    fields["k"] = 3
    return x * m.k


@program("objects")
def code_in_a_module(x):
    m = types.ModuleType("m")
    exec("def f(x):\n  return x if x.sum() > 0 else x + 1", m.__dict__)
    f = m.f
    del m
    return f(x)


# --- Bytecode that no compiler made.

OP = opcode.opmap
RESUME, LOAD, RETURN = (OP["RESUME"], 0), (OP["LOAD_FAST"], 0), (OP["RETURN_VALUE"], 0)
NONE = (OP["LOAD_CONST"], 0)
LIES: dict[str, tuple[int, ...]] = {
    "unknown": (*RESUME, 200, 7, *LOAD, *RETURN),
    "nothing": (),
    "nothing to return": (*RESUME, *RETURN),
    "no constant": (*RESUME, OP["LOAD_CONST"], 99, *RETURN),
    "no variable": (*RESUME, OP["LOAD_FAST"], 99, *RETURN),
    "a jump out of the code": (*RESUME, OP["JUMP_FORWARD"], 90),
    "no end": (*RESUME, *LOAD),
    "no cell": (*RESUME, OP["LOAD_DEREF"], 0, *RETURN),
    "no generator": (*RESUME, *LOAD, OP["YIELD_VALUE"], 0, *RETURN),
    "no code": (*RESUME, *LOAD, OP["MAKE_FUNCTION"], 0, *RETURN),
    "no exception": (*RESUME, *LOAD, OP["RERAISE"], 0),
    "no value": (*RESUME, OP["PUSH_NULL"], 0, *RETURN),
    "two depths": (*RESUME, *LOAD, OP["POP_JUMP_FORWARD_IF_TRUE"], 1, *LOAD, *LOAD, *RETURN),
    "a jump into a cache": (*RESUME, OP["JUMP_FORWARD"], 3, *LOAD, *LOAD, OP["BINARY_OP"], 0, 0, 0, *LOAD, *RETURN),
    "no operator": (*RESUME, *LOAD, *LOAD, OP["BINARY_OP"], 99, 0, 0, *RETURN),
    "no argument of a test": (*RESUME, *LOAD, *LOAD, OP["IS_OP"], 2, *RETURN),
    "nothing handled before": (*RESUME, *LOAD, OP["POP_EXCEPT"], 0, *LOAD, *RETURN),
    "nothing to send to": (*RESUME, *LOAD, *LOAD, OP["SEND"], 1, *RETURN, *RETURN),
    "no set": (*RESUME, *LOAD, *LOAD, OP["SET_ADD"], 1, *RETURN),
    "no set to extend": (*RESUME, *LOAD, *LOAD, OP["SET_UPDATE"], 1, *RETURN),
    "no list": (*RESUME, *LOAD, *LOAD, OP["LIST_APPEND"], 1, *RETURN),
    "no list to extend": (*RESUME, *LOAD, *LOAD, OP["LIST_EXTEND"], 1, *RETURN),
    "no list for a tuple": (*RESUME, *LOAD, OP["LIST_TO_TUPLE"], 0, *RETURN),
    "no dict": (*RESUME, *LOAD, *LOAD, *LOAD, OP["MAP_ADD"], 1, *RETURN),
    "no dict to extend": (*RESUME, *LOAD, *LOAD, OP["DICT_UPDATE"], 1, *RETURN),
    "no dict of keywords": (*RESUME, *LOAD, *LOAD, *LOAD, *LOAD, OP["DICT_MERGE"], 1, *RETURN),
    "no keys": (*RESUME, *LOAD, *LOAD, OP["BUILD_CONST_KEY_MAP"], 1, *RETURN),
    "no texts": (*RESUME, *NONE, *NONE, OP["BUILD_STRING"], 2, *RETURN),
    "no format": (*RESUME, *NONE, *NONE, OP["FORMAT_VALUE"], 4, *RETURN),
    "no mapping": (*RESUME, *LOAD, OP["BUILD_TUPLE"], 0, OP["MATCH_KEYS"], 0, *RETURN),
    "no exception to match": (*RESUME, *LOAD, *LOAD, OP["CHECK_EXC_MATCH"], 0, *RETURN),
    "no group to match": (*RESUME, *LOAD, *LOAD, OP["CHECK_EG_MATCH"], 0, *RETURN),
    "no exceptions to raise": (*RESUME, *LOAD, OP["BUILD_LIST"], 0, OP["PREP_RERAISE_STAR"], 0, *RETURN),
    "too many to raise": (*RESUME, *LOAD, *LOAD, *LOAD, OP["RAISE_VARARGS"], 3),
    "no offset": (*RESUME, *LOAD, *LOAD, OP["RERAISE"], 1),
    "no names of a class": (*RESUME, OP["SETUP_ANNOTATIONS"], 0, *LOAD, *RETURN),
    "no cells": (*RESUME, *LOAD, OP["LOAD_CONST"], 1, OP["MAKE_FUNCTION"], 8, *RETURN),
    "keywords without a call": (*RESUME, OP["KW_NAMES"], 2, *LOAD, *RETURN),
    "keywords that are no texts": (*RESUME, OP["PUSH_NULL"], 0, *LOAD, *LOAD, OP["KW_NAMES"], 3, OP["PRECALL"], 1, 0, 0, OP["CALL"], 1, *[0] * 8, *RETURN),
}


def lying(units: tuple[int, ...], **more: Any) -> types.FunctionType:
    def f(a, b=1):
        return a

    constants = (None, f.__code__, ("a",), (1,))
    return types.FunctionType(f.__code__.replace(co_code=bytes(units), **{"co_stacksize": 4, "co_consts": constants, **more}), {}, "f", (1,))


def add_lie(name: str, f: types.FunctionType) -> None:
    def calls(x):
        return f(x)

    def calls_in_a_branch(x):
        return f(x) if x.sum() > 0 else x

    def calls_behind_a_break(x):
        torch._dynamo.graph_break()
        return f(x + 1)

    program("bytecode", name)(calls)
    program("bytecode", name + ", in a branch")(calls_in_a_branch)
    program("bytecode", name + ", behind a break")(calls_behind_a_break)
    program("bytecode", name + ", itself")(f)


for name, units in LIES.items():
    add_lie(name, lying(units))

# The handler of an instruction that takes two values wants them.
taken = (*RESUME, *LOAD, *LOAD, OP["DELETE_SUBSCR"], 0, *LOAD, *RETURN, OP["POP_TOP"], 0, *RETURN)
add_lie("values that the instruction took", lying(taken, co_exceptiontable=bytes([3 | 128, 1, 6, 4])))


def of_code(f: Callable[..., Any], **changes: Any) -> types.FunctionType:
    return types.FunctionType(f.__code__.replace(**changes), f.__globals__, "f", f.__defaults__)


def with_a_branch_inside(a):
    try:
        if a.sum() > 0:
            return a
        return a + undefined_name  # noqa: F821
    except ValueError:
        return a


# What says where an instruction stands is wrong, or the file has a name that is no text: no code of it can go wrong, only messages can.
program("code objects", "no lines")(of_code(with_a_branch_inside, co_linetable=b""))
program("code objects", "wrong lines")(of_code(with_a_branch_inside, co_linetable=b"\xff\xff\xff"))
program("code objects", "a file of bytes")(of_code(with_a_branch_inside, co_filename="machine_bad_programs.py\udc80"))
program("code objects", "names of bytes")(of_code(with_a_branch_inside, co_name="\udc80", co_qualname="\udc80"))
program("code objects", "much stack")(of_code(with_a_branch_inside, co_stacksize=1_000_000))
program("bytecode", "handlers out of range")(of_code(with_a_branch_inside, co_exceptiontable=b"\xff\xff\xff\x00"))
program("bytecode", "little stack")(of_code(lambda a: [a, a, a, [a, a, [a, a]]], co_stacksize=2))


# --- Programs without end: a signal ends them.


@program("endless")
def loop_of_python(x):
    n = 0
    while True:
        n += 1


@program("endless")
def loop_of_operators(x):
    while True:
        x = x * 1


@program("endless")
def loop_on_a_value(x):
    while x.sum() > -1e30:
        x = x + 1
    return x


@program("endless")
def loop_on_a_value_inside(x):
    while True:
        x = x + 1
        if x.sum() < -1e30:
            return x


def three_times_more(x):
    for i in range(3):
        x = x + i
    return x


@program("endless")
def loop_of_branches(x):
    while True:
        x = three_times_more(x) if x.sum() > 0 else x - 1


@program("endless")
def loop_of_c(x):
    return sum(itertools.repeat(x))


@program("endless")
def loop_in_a_branch(x):
    if x.sum() > 0:
        for i in itertools.count():
            x = x + i
    return x


@program("endless")
def loop_over_numbers(x):
    return [i for i in itertools.count() if i < 0]


@program("endless")
def lying_loop(x):
    return lying((*RESUME, OP["JUMP_BACKWARD"], 1))(x)


# --- Capturing them.

WAYS: dict[str, Callable[[Callable[..., Any], Tensor], Any]] = {
    "eager": lambda f, x: f(x),
    "trace": lambda f, x: torch.jit.trace(f, (x,), check_trace=False)(x),
    "symbolic": lambda f, x: fx.symbolic_trace(f)(x),
    "compile": lambda f, x: torch.compile(f)(x),
    "fullgraph": lambda f, x: torch.compile(f, fullgraph=True)(x),
}


def state() -> dict[str, Any]:
    """What a capture could leave patched or switched."""
    before = torch._C._machine_frame_count()
    (lambda: None)()
    hook = torch._C._set_capture_hook(None)
    torch._C._set_capture_hook(hook)
    return {
        "frames in the machine": torch._C._machine_frame_count() - before,
        "capture": torch._C._is_capturing() or torch._C._is_compiling() or hook is not None,
        "grad": torch.is_grad_enabled(),
        "limit": sys.getrecursionlimit(),
        "trace function": sys.gettrace() is not None,
        "collector": gc.isenabled(),
        "tensor": torch.tensor.__qualname__,
        "wrapped": len.__qualname__ + str(functools.reduce(lambda a, b: a + b, [1, 2])),
    }


def usable() -> bool:
    """Whether captures work as before."""

    def f(a):
        return a * 2 if a.sum() > 0 else -a

    x = torch.ones(2)
    kept = [torch.jit.trace(f, (x,), check_trace=False), torch.compile(f), fx.symbolic_trace(f)]
    return all(g(x).tolist() == [2, 2] and g(-x).tolist() == [1, 1] for g in kept)


def places_of(error: BaseException) -> list[str]:
    """The lines of this file that the error names, in its text or its traceback."""
    try:
        text = str(error)
    except Exception:
        text = ""
    named = [word for word in text.replace("(", " ").replace(")", " ").split() if "machine_bad_programs.py" in word and ":" in word]
    tb = error.__traceback__
    while tb:
        if tb.tb_frame.f_code.co_filename.startswith(("machine_bad_programs", __file__)) and tb.tb_frame.f_code is not capture.__code__:
            named.append(f"{tb.tb_frame.f_code.co_name}:{tb.tb_lineno}")
        tb = tb.tb_next
    return named


def capture(f: Callable[..., Any], way: str) -> dict[str, Any]:
    KEPT.clear()
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            result = WAYS[way](f, torch.ones(3))
            shown = repr(result)[:500] if isinstance(result, Tensor) else type(result).__name__
        return {"result": shown}
    except BaseException as error:
        try:
            text = str(error)[:2000]
        except Exception:
            text = "?"
        return {"error": [c.__name__ for c in type(error).__mro__], "text": text, "places": places_of(error)[-3:]}


def main(way: str, group: str) -> None:
    limit = 5 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    usable()
    before = state()
    for name, f in GROUPS[group].items():
        # The capture machine runs no lying code for `eager`: CPython would crash.
        found = {"name": name, **capture(f, way)}
        found["changed"] = [key for key, value in state().items() if value != before[key]]
        found["usable"] = usable()
        print(json.dumps(found), flush=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps({"name": "", "megabytes": used}), flush=True)
    os._exit(0)


def interrupted(way: str, name: str) -> None:
    """Captures a program without end until a signal comes; prints what is left behind."""
    usable()
    before = state()
    print("ready", flush=True)
    found = capture(GROUPS["endless"][name], way)
    found["changed"] = [key for key, value in state().items() if value != before[key]]
    found["usable"] = usable()
    print(json.dumps(found), flush=True)
    os._exit(0)


if __name__ == "__main__":
    Path(__file__).resolve(strict=True)
    interrupted(*sys.argv[2:]) if sys.argv[1] == "interrupt" else main(*sys.argv[1:])
