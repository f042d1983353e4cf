"""Random Python functions, as source text: statements and expressions of most of the grammar, with loops that end."""

from __future__ import annotations

import random
from collections.abc import Callable

NAMES = ("a", "b", "x", "y", "z")

PRELUDE = """
import asyncio

class Stop(Exception):
    pass

class Manager:
    def __init__(self, log, swallow):
        self.log, self.swallow = log, swallow
    def __enter__(self):
        self.log.append("enter")
        return self
    def __exit__(self, kind, error, traceback):
        self.log.append(("exit", kind and kind.__name__, traceback and traceback.tb_lineno))
        return self.swallow
    async def __aenter__(self):
        await Pause(self.log)
        return self.__enter__()
    async def __aexit__(self, *what):
        await Pause(self.log)
        return self.__exit__(*what)

class Pause:
    def __init__(self, log):
        self.log = log
    def __await__(self):
        self.log.append("pause")
        got = yield "paused"
        return got

class Counter:
    __match_args__ = ("count", "limit")
    def __init__(self, limit):
        self.count, self.limit = 0, limit
    def __aiter__(self):
        return self
    async def __anext__(self):
        await asyncio.sleep(0)
        if self.count >= self.limit:
            raise StopAsyncIteration
        self.count += 1
        return self.count

def ticker(limit):
    left = limit
    def tick():
        nonlocal left
        left -= 1
        if left < 0:
            raise Stop("too many steps")
        return True
    return tick
"""


class Writer:
    """Writes one function. `r` chooses."""

    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.lines: list[str] = []
        self.kind = r.choice(("def", "def", "def", "generator", "async", "async generator"))
        self.inner = 0  # how many functions surround a statement, besides the one that is written
        self.loops = 0

    def source(self) -> str:
        head = "async def" if self.kind.startswith("async") else "def"
        self.put(0, f"{head} f(a, b=2, *rest, log, tick, **more):")
        self.put(1, "x, y, z = a, b, 0")
        for _ in range(self.r.randint(2, 6)):
            self.statement(1, 3)
        if "generator" in self.kind:
            self.put(1, "yield x")
            if self.kind == "generator":
                self.put(1, "return y")
        else:
            self.put(1, "return x, y, z")
        return PRELUDE + "\n" + "\n".join(self.lines) + "\n"

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    # --- Expressions.

    def name(self) -> str:
        return self.r.choice(NAMES)

    def constant(self) -> str:
        return self.r.choice(("0", "1", "2", "-3", "7", "1.5", "'s'", "'ab'", "None", "True", "(1, 2)", "[3]", "{'k': 1}", "()", "b'q'"))

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.r.random() < 0.25:
            return self.name() if self.r.random() < 0.6 else self.constant()
        return self.r.choice(self.EXPRESSIONS)(self, depth - 1)

    def binary(self, depth: int) -> str:
        # One side is a constant: values stay small.
        sides = [self.expression(depth), self.r.choice(("1", "2", "3", "'t'", "[4]", "(5,)", "0.5"))]
        self.r.shuffle(sides)
        return f"({sides[0]} {self.r.choice(('+', '-', '*', '//', '%', '/', '&', '|', '^', '>>'))} {sides[1]})"

    def comparison(self, depth: int) -> str:
        op = lambda: self.r.choice(("<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in"))  # noqa: E731
        text = f"({self.name()} {op()} {self.name()}"
        return text + (f" {op()} {self.name()})" if self.r.random() < 0.3 else ")")

    def boolean(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.r.choice(('and', 'or'))} {self.expression(depth)})"

    def unary(self, depth: int) -> str:
        return f"({self.r.choice(('not ', '-', '+', '~'))}{self.expression(depth)})"

    def ternary(self, depth: int) -> str:
        return f"({self.expression(depth)} if {self.expression(depth)} else {self.expression(depth)})"

    def call(self, depth: int) -> str:
        function = self.r.choice(("len", "abs", "str", "repr", "sorted", "sum", "list", "tuple", "bool", "type", "max", "hash", "iter"))
        if self.r.random() < 0.3:
            return f"{self.r.choice(('max', 'dict', 'sorted', 'print', 'zip'))}(*{self.expression(depth)}, **{{'key': None}})"
        return f"{function}({self.expression(depth)})"

    def method(self, depth: int) -> str:
        return f"{self.expression(depth)}.{self.r.choice(('upper()', 'count(1)', 'real', 'copy()', 'index(2)', 'get(1, 2)', 'missing'))}"

    def subscript(self, depth: int) -> str:
        return f"{self.expression(depth)}[{self.r.choice(('0', '-1', '1:', ':2', '::2', chr(39) + 'k' + chr(39), self.name()))}]"

    def display(self, depth: int) -> str:
        one, two = self.expression(depth), self.expression(depth)
        return self.r.choice(
            (
                f"[{one}, {two}]",
                f"({one}, *rest, {two})",
                f"{{{one}: {two}}}",
                "{1, *rest}",
                f"[*{one}]",
                f"{{**more, 'n': {one}}}",
                f"({one},)[0:]",
            )
        )

    def comprehension(self, depth: int) -> str:
        item, of = self.r.choice(("i", "(i, x)", "i * 2", "str(i)", "[j for j in range(2)]")), self.expression(depth)
        condition = self.r.choice(("", " if i", " if i != y"))
        return self.r.choice(
            (
                f"[{item} for i in {of}{condition}]",
                f"{{str({item}) for i in {of}{condition}}}",
                f"{{repr(i): {item} for i in {of}{condition}}}",
                f"list({item} for i in {of}{condition})",
            )
        )

    def function(self, depth: int) -> str:
        return f"(lambda p, q={self.name()}: (p, q, z))({self.expression(depth)})"

    def text(self, depth: int) -> str:
        return f'f"{{{self.name()}!r:>4}}-{{{self.name()}}}{{{self.name()}!s}}"'

    def walrus(self, depth: int) -> str:
        return f"({self.r.choice(('x', 'y', 'z'))} := {self.expression(depth)})"

    def awaited(self, depth: int) -> str:
        if not self.kind.startswith("async") or self.inner:
            return self.name()
        return self.r.choice(("(await Pause(log))", "[i async for i in Counter(2)]", "(await asyncio.sleep(0))"))

    EXPRESSIONS: tuple[Callable[[Writer, int], str], ...] = (
        binary,
        binary,
        comparison,
        boolean,
        unary,
        ternary,
        call,
        method,
        subscript,
        display,
        comprehension,
        function,
        text,
        walrus,
        awaited,
    )

    # --- Statements.

    def statement(self, depth: int, budget: int) -> None:
        simple = (
            Writer.assign,
            Writer.assign,
            Writer.augment,
            Writer.unpack,
            Writer.check,
            Writer.raising,
            Writer.delete,
            Writer.log,
            Writer.jump,
            Writer.yielding,
        )
        compound = (
            Writer.if_,
            Writer.while_,
            Writer.for_,
            Writer.try_,
            Writer.with_,
            Writer.define,
            Writer.match_,
            Writer.class_,
            Writer.star,
        )
        if budget == 0 or self.r.random() < 0.45:
            self.r.choice(simple)(self, depth, 0)
        else:
            self.r.choice(compound)(self, depth, budget - 1)

    def block(self, depth: int, budget: int) -> None:
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth, budget)

    def assign(self, depth: int, _: int) -> None:
        target = self.r.choice(("x", "y", "z", "x = y", "more['n']", "log[0:0]"))
        self.put(depth, f"{target} = {self.expression(3)}")

    def augment(self, depth: int, _: int) -> None:
        self.put(
            depth,
            f"{self.r.choice(('x', 'y', 'z'))} {self.r.choice(('+=', '-=', '*=', '//=', '|='))} {self.r.choice(('1', '2', '[5]', chr(39) + 'u' + chr(39)))}",
        )

    def unpack(self, depth: int, _: int) -> None:
        self.put(depth, f"{self.r.choice(('x, y', 'x, *y', '*x, y', '(x, y), z', '[x]', 'x, *y, z'))} = {self.expression()}")

    def check(self, depth: int, _: int) -> None:
        self.put(depth, f"assert {self.expression()}, {self.expression(1)}")

    def raising(self, depth: int, _: int) -> None:
        error = self.r.choice(
            (
                "ValueError(x)",
                "KeyError",
                "Stop('own')",
                "TypeError('t') from None",
                "IndexError() from ValueError(1)",
                "StopIteration(3)",
                "x",
                "ExceptionGroup('g', [ValueError(1), KeyError(2)])",
            )
        )
        self.put(depth, f"if {self.comparison(1)}: raise {error}")

    def delete(self, depth: int, _: int) -> None:
        self.put(depth, self.r.choice(("del x", "del more['n']", "del y, z", "del x.missing", "del log[:1]", "z = y = x = 1")))

    def log(self, depth: int, _: int) -> None:
        self.put(
            depth,
            f"log.append({self.r.choice((self.expression(), 'sorted(locals())', '__import__(' + repr('sys') + ')._getframe().f_lineno'))})",
        )

    def jump(self, depth: int, _: int) -> None:
        choices = ["pass"]
        if self.loops:
            choices += ["break", "continue"]
        if not ("generator" in self.kind and "async" in self.kind) or self.inner:
            choices.append(f"return {self.expression(1)}")
        self.put(depth, f"if {self.comparison(1)}: {self.r.choice(choices)}")

    def yielding(self, depth: int, _: int) -> None:
        if "generator" not in self.kind or self.inner:
            return self.put(depth, "pass")
        choices = [f"yield {self.expression(1)}", "x = yield", f"log.append((yield {self.name()}))"]
        if self.kind == "generator":
            choices += ["z = yield from [1, 2]", "z = yield from (i for i in range(2))"]
        self.put(depth, self.r.choice(choices))

    def if_(self, depth: int, budget: int) -> None:
        self.put(depth, f"if {self.expression()}:")
        self.block(depth + 1, budget)
        if self.r.random() < 0.4:
            self.put(depth, f"elif {self.comparison(1)}:")
            self.block(depth + 1, budget)
        if self.r.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, budget)

    def loop(self, depth: int, budget: int, head: str) -> None:
        self.put(depth, head)
        self.loops += 1
        self.block(depth + 1, budget)
        self.loops -= 1
        if self.r.random() < 0.3:
            self.put(depth, "else:")
            self.block(depth + 1, budget)

    def while_(self, depth: int, budget: int) -> None:
        condition = self.r.choice((self.expression(), f"{self.name()} is None", f"{self.name()} is not None"))
        self.loop(depth, budget, f"while tick() and {condition}:")

    def for_(self, depth: int, budget: int) -> None:
        if self.kind.startswith("async") and not self.inner and self.r.random() < 0.4:
            return self.loop(depth, budget, "async for x in Counter(3):")
        target, of = self.r.choice(
            (
                ("x", "range(3)"),
                ("y", self.expression()),
                ("i, x", "enumerate('abc')"),
                ("z", "(i * 2 for i in [1, 2, y])"),
                ("x, y", "{1: 2, 3: 4}.items()"),
            )
        )
        self.loop(depth, budget, f"for {target} in {of}:")

    def try_(self, depth: int, budget: int) -> None:
        self.put(depth, "try:")
        self.block(depth + 1, budget)
        handled = self.r.random() < 0.8
        if handled:
            self.put(
                depth,
                f"except {self.r.choice(('ValueError', '(KeyError, TypeError)', 'Exception', 'Stop', 'AttributeError', 'ArithmeticError'))} as error:",
            )
            self.put(depth + 1, "log.append((type(error).__name__, str(error)[:60], error.__traceback__.tb_lineno))")
            self.block(depth + 1, budget)
            if self.r.random() < 0.3:
                self.put(depth + 1, "raise")
            if self.r.random() < 0.3:
                self.put(depth, "else:")
                self.block(depth + 1, budget)
        if not handled or self.r.random() < 0.4:
            self.put(depth, "finally:")
            self.block(depth + 1, budget)

    def star(self, depth: int, budget: int) -> None:
        loops, self.loops = self.loops, 0  # no break out of except*
        kind, self.inner = self.inner, self.inner
        self.put(depth, "try:")
        self.put(
            depth + 1,
            f"if {self.comparison(1)}: raise ExceptionGroup('g', [ValueError(x), KeyError(y), ExceptionGroup('h', [OSError(1)])])",
        )
        self.put(depth, f"except* {self.r.choice(('ValueError', '(KeyError, OSError)', 'TypeError'))} as group:")
        self.put(
            depth + 1,
            self.r.choice(("log.append(len(group.exceptions))", "raise", "raise TypeError('in star')", "log.append(repr(group))")),
        )
        self.inner, self.loops = kind, loops

    def with_(self, depth: int, budget: int) -> None:
        head = "async with" if self.kind.startswith("async") and not self.inner and self.r.random() < 0.5 else "with"
        self.put(depth, f"{head} Manager(log, {self.r.choice(('False', 'True', 'x'))}) as m{self.r.choice(('', ', Manager(log, False)'))}:")
        self.block(depth + 1, budget)

    def define(self, depth: int, budget: int) -> None:
        self.put(depth, f"def g(p, /, q=1, *, s={self.name()}):")
        self.put(depth + 1, self.r.choice(("nonlocal x, y", "nonlocal z", "x = y = z = p", "pass")))
        loops, self.loops = self.loops, 0
        self.inner += 1
        self.block(depth + 1, min(budget, 1))
        self.inner -= 1
        self.loops = loops
        self.put(depth + 1, f"return {self.r.choice(('p, q, s', 'x', 'lambda: (p, z)', 'locals()'))}")
        self.put(
            depth,
            f"{self.r.choice(('x', 'y', 'z'))} = {self.r.choice(('g(x)', 'g(1, q=y)', 'g(*(1, 2), s=3)', 'g(p=1)', 'g(2)()', 'list(map(g, [1, 2]))'))}",
        )

    def class_(self, depth: int, budget: int) -> None:
        self.put(depth, f"class C({self.r.choice(('', 'list', 'Counter', 'metaclass=type'))}):")
        self.put(depth + 1, f"v: int = {self.name()}")
        self.put(depth + 1, "def __init__(self, *w): self.w = w; super().__init__(*w)")
        self.put(depth + 1, "def m(self): return __class__.__name__, self.v, self.w")
        self.put(depth, f"x = C({self.r.choice(('', '1', '[1, 2]'))}).m()")

    def match_(self, depth: int, budget: int) -> None:
        self.put(depth, f"match {self.expression(1)}:")
        for pattern in self.r.sample(
            (
                "0 | 1",
                "int(x)",
                "[x, *y]",
                "(x, y)",
                "{'k': z, **more}",
                "str() as x if x",
                "None",
                "Counter(1, limit=2)",
                "list([int()])",
                "float() | bool()",
            ),
            3,
        ):
            self.put(depth + 1, f"case {pattern}:")
            self.block(depth + 2, min(budget, 1))
        self.put(depth + 1, "case _:")
        self.block(depth + 2, min(budget, 1))


def random_function(r: random.Random) -> str:
    """Source text that defines `f(a, b=2, *rest, log, tick, **more)`; it compiles."""
    while True:
        source = Writer(r).source()
        try:
            compile(source, "<random>", "exec")
        except SyntaxError:  # `nonlocal` of a name that is used before, an unreachable pattern, and the like
            continue
        return source
