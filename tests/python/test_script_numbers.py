"""Scripted loops over numbers give what Python gives, bit for bit: random programs, and the places where a step leaves the loop over numbers (exec/direct.cpp)."""

from __future__ import annotations

import importlib.util
import math
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import monograph as torch
import pytest

PROGRAMS = 60


def imported(path: Path, source: str):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(call, *arguments):
    try:
        return repr(call(*arguments))
    except Exception as error:
        assert "ivision by zero" in str(error) or "modulo" in str(error) or "out of range" in str(error), error
        return "raises"


class Writer:
    """A function over ints, floats, bools and a list, with bounded loops. Ints stay small, so that Python's have 64 bits too."""

    def __init__(self, random: random.Random):
        self.random, self.lines, self.loops = random, [], 0

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def integer(self) -> str:
        a, b = self.choose("a", "b", "c"), self.choose("a", "b", "c", "3", "-7", "2")
        return self.choose(
            f"{a} + {b}", f"{a} - {b}", f"({a} * {b}) % 10007", f"{a} // {b}", f"{a} % {b}", f"{b}", f"-{a}", f"abs({a})", "int(x)",
            f"{a} & {b}", f"{a} | 5", f"{a} ^ {b}", f"numbers[{a} % 5]", f"numbers[{a} % 7 - 3]", "len(numbers)", f"min({a}, {b})", "int(p)",
            f"max({a}, {b})", f"numbers[{a}]",
        )  # fmt: skip

    def floating(self) -> str:
        a, x = self.choose("a", "b", "c"), self.choose("x", "y", "0.5", "-1.25")
        return self.choose(
            f"x * 0.5 + {x} % 3.0", f"(y - {x}) % 1000.0", f"float({a})", f"x / {x}", f"({x} + {a}) * 0.25", f"{a} / 3", f"x % {x}", f"-{x}", f"abs({x})",
            f"min(x, {x})",
        )  # fmt: skip

    def condition(self) -> str:
        sign = self.choose("<", "<=", ">", ">=", "==", "!=")
        return self.choose(f"a {sign} b", f"x {sign} y", f"a {sign} y", f"c {sign} 3", "p", "not p", f"a % 2 {sign} 0", f"p and x {sign} 1.0", f"p or c {sign} a")

    def block(self, indent: int, depth: int) -> None:
        self.lines.append("    " * indent + f"c = {self.choose('(c + 1) % 97', 'a', '(b - c) % 97')}")
        for _ in range(self.random.randint(1, 4)):
            space, kind = "    " * indent, self.random.random()
            if kind < 0.35:
                self.lines.append(f"{space}{self.choose('a', 'b', 'c')} = ({self.integer()}) % 4099 - {self.choose('0', '1000')}")
            elif kind < 0.55:
                self.lines.append(f"{space}{self.choose('x', 'y')} = {self.floating()}")
            elif kind < 0.65:
                self.lines.append(f"{space}p = {self.condition()}")
            elif kind < 0.75:
                self.lines.append(space + self.choose("a, b = b, a", "a, b, c = b, c, a", "x, y = y, x", "a, b = a % 1009, (a - b) % 1009", "a, b, c = b, a, a"))
            elif depth and kind < 0.88:
                self.lines.append(f"{space}if {self.condition()}:")
                self.block(indent + 1, depth - 1)
                if self.random.random() < 0.6:
                    self.lines.append(f"{space}else:")
                    self.block(indent + 1, depth - 1)
            elif depth:
                self.loops += 1
                if self.random.random() < 0.4:
                    self.lines.append(f"{space}for k{self.loops} in {self.choose('range(4)', 'numbers', 'range(2, 9, 3)')}:")
                    self.lines.append(f"{space}    c = (c + k{self.loops}) % 10007")
                else:
                    left = f"left{self.loops}"
                    self.lines += [f"{space}{left} = 6", f"{space}while {left} > 0 and ({self.condition()}):", f"{space}    {left} -= 1"]
                    if self.random.random() < 0.3:
                        self.lines.append(f"{space}    if {self.condition()}: {self.choose('break', 'continue')}")
                self.block(indent + 1, depth - 1)

    def program(self, name: str) -> str:
        self.lines = [f"def {name}(a: int, b: int, x: float, p: bool, numbers: list[int]) -> tuple[int, int, int, float, float, bool]:", "    c = 1", "    y = 2.0"]
        for _ in range(3):
            self.block(1, 3)
        # Floats stay finite: int(x) of an infinite one is another error in each language.
        return "\n".join([*self.lines, "    return a, b, c, x, y, p", "", ""])


def test_random_programs(tmp_path: Path) -> None:
    seed = int(os.environ.get("MONOGRAPH_SEED") or random.SystemRandom().randrange(2**31))
    print("MONOGRAPH_SEED", seed)
    source = random.Random(seed)
    text = "".join(Writer(source).program(f"program_{k}") for k in range(PROGRAMS))
    module = imported(tmp_path / f"numbers_{seed}.py", text)
    values = 0
    for k in range(PROGRAMS):
        function = getattr(module, f"program_{k}")
        scripted = torch.jit.script(function)
        for _ in range(4):
            arguments = (source.randint(-9, 20), source.randint(-3, 9), source.uniform(-4, 4), source.random() < 0.5, [source.randint(-5, 5) for _ in range(6)])
            try:
                expected = outcome(function, *arguments)
            except AssertionError:
                continue  # an overflow of Python's floats
            assert outcome(scripted, *arguments) == expected, (f"program_{k}", arguments, text)
            values += expected != "raises"
    assert values > PROGRAMS


def wrapping(a: int, times: int) -> int:
    k = 0
    while k < times:
        a = a * 3 + 1
        k += 1
    return a


def test_ints_have_64_bits() -> None:
    expected = 2**62 - 1
    for _ in range(100):
        expected = (expected * 3 + 1 + 2**63) % 2**64 - 2**63
    assert torch.jit.script(wrapping)(2**62 - 1, 100) == expected


def least_by_minus_one(a: int, b: int) -> tuple[int, int]:
    k = 0
    while k < 1:
        k += 1
        a, b = a // b, a % b
    return a, b


def test_the_least_int_by_minus_one() -> None:
    assert torch.jit.script(least_by_minus_one)(-(2**63), -1) == (-(2**63), 0)


def counts_down(n: int) -> int:
    total = 0
    while n > -5:
        total += 100 // n  # the quotient
        n -= 1
    return total


def test_an_error_inside_a_loop_names_its_line() -> None:
    with pytest.raises(RuntimeError, match="division by zero") as error:
        torch.jit.script(counts_down)(7)
    line = counts_down.__code__.co_firstlineno + 3
    assert f"test_script_numbers.py:{line}" in str(error.value) or f'line {line}' in str(error.value), error.value


def reads_past_the_end(numbers: list[int]) -> int:
    k = 0
    total = 0
    while k < 5:
        total += numbers[k]
        k += 1
    return total


def test_an_index_past_the_end_names_its_line() -> None:
    assert torch.jit.script(reads_past_the_end)([1, 2, 3, 4, 5]) == 15
    with pytest.raises(IndexError, match="index 3 is out of range for a list of 3") as error:
        torch.jit.script(reads_past_the_end)([1, 2, 3])
    assert str(reads_past_the_end.__code__.co_firstlineno + 4) in str(error.value)


def special_floats(x: float, y: float) -> tuple[bool, bool, bool, float, float, float]:
    a = False
    b = False
    c = False
    m = 0.0
    q = 0.0
    f = 0.0
    k = 0
    while k < 1:
        a, b, c = x < y, x != y, x == y
        m, q, f = x % 3.0, x - y, min(x, y)
        k += 1
    return a, b, c, m, q, f


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, -0.0, 0.0, 5.5])
@pytest.mark.parametrize("y", [math.nan, math.inf, -0.0, 2.0])
def test_special_floats(x: float, y: float) -> None:
    assert repr(torch.jit.script(special_floats)(x, y)) == repr(special_floats(x, y))


def tensors_of_a_list(tensors: list[torch.Tensor], order: list[int]) -> torch.Tensor:
    chosen = tensors[0]
    for k in order:
        chosen = tensors[k]
        if k > 1:
            chosen = chosen * 2.0
    return chosen


def test_an_element_may_be_a_tensor_and_keeps_its_gradient() -> None:
    tensors = [torch.ones(2, requires_grad=True) * k for k in range(4)]
    result = torch.jit.script(tensors_of_a_list)(tensors, [0, 3, 1, -1])
    assert result is tensors[-1]
    doubled = torch.jit.script(tensors_of_a_list)(tensors, [3])
    assert doubled.tolist() == [6.0, 6.0] and doubled.requires_grad


def traced_around(x: torch.Tensor, n: int) -> torch.Tensor:
    k = 0
    while k < n:
        x = x + k
        k += 1
    return x


def test_a_capture_hears_of_the_loop() -> None:
    scripted = torch.jit.script(traced_around)
    traced = torch.jit.trace(lambda x: scripted(x, x.shape[0]), torch.zeros(3))
    for size in (3,):
        assert torch.equal(traced(torch.zeros(size)), traced_around(torch.zeros(size), size))


def test_threads_share_one_function() -> None:
    scripted = torch.jit.script(wrapping)
    expected = [scripted(k, 2000) for k in range(32)]
    found = [0] * 32

    def run(k: int) -> None:
        for _ in range(5):
            found[k] = scripted(k, 2000)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_a_signal_stops_a_loop_of_numbers(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(
        "import monograph as torch, os, signal, threading, time\n"
        "def endless(n: int) -> int:\n"
        "    while n >= 0:\n"
        "        n = (n + 1) % 1000\n"
        "    return n\n"
        "scripted = torch.jit.script(endless)\n"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    scripted(1)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert done.stdout == "stopped\n", done.stderr


def test_an_empty_list_of_ints_indexes_nothing() -> None:
    def f(x: torch.Tensor, rows: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.clone()
        y[rows] *= 2
        return y, y[rows]

    x = torch.arange(6.0).reshape(3, 2)
    scripted = torch.jit.script(f)
    for rows in ([], [2, 0]):
        for got, expected in zip(scripted(x, rows), f(x, rows)):
            assert torch.equal(got, expected) and got.shape == expected.shape
    assert "torch.tensor(rows, dtype=4)" in scripted.code
