"""Where jit.script finds the text of what it compiles: files and notebooks have other tests; here `python -c`, the prompt and doctest, and what has no text."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
import time
from typing import Any

import monograph as torch
import pytest

PROGRAM = """\
import monograph as torch
@torch.jit.script
def f(x, n: int):
    while n > 0:
        x = x * 2
        n -= 1
    return x

print("first", f(torch.ones(1), 3).item())
class Kept:
    def __init__(self, v: int):
        self.v = v
    def get(self) -> int:
        return self.v

def g(n: int) -> int:
    return Kept(n).get()

print("second", torch.jit.script(g)(3))
class Kept:
    def __init__(self, v: int):
        self.v = v * 10
    def get(self) -> int:
        return self.v

print("third", torch.jit.script(g)(3))
class Net(torch.nn.Module):
    def forward(self, x):
        return f(x, 1)

print("fourth", torch.jit.script(Net())(torch.ones(1)).item())
def bad(x):
    return x.nope()

torch.jit.script(bad)
"""
SAID = ["first 8.0", "second 3", "third 30", "fourth 2.0", "    return x.nope()", "~~~~~~~~ <--- HERE"]


def test_the_text_of_python_c() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    lines = (done.stdout + done.stderr).splitlines()
    assert [word for word in SAID if not any(word in line for line in lines)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="has no pty")
def test_the_text_of_the_prompt(tmp_path: Any) -> None:
    import pty

    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "HOME": str(tmp_path), "PYTHON_HISTORY": str(tmp_path / "history"), "PYTHON_BASIC_REPL": "1"}
    prompt = subprocess.Popen([sys.executable, "-i"], stdin=follower, stdout=follower, stderr=follower, env=environment, start_new_session=True)
    os.close(follower)
    os.write(leader, (PROGRAM + "\nprint('the ' + 'end')\n").encode())
    shown, until = b"", time.monotonic() + 120
    while b"the end" not in shown and time.monotonic() < until:
        shown += os.read(leader, 65536)
    prompt.terminate()
    prompt.wait()
    os.close(leader)
    text = shown.decode()
    assert [word for word in SAID if word not in text] == [], text


def test_doctest() -> None:
    text = """
    >>> import monograph as torch
    >>> @torch.jit.script
    ... def f(x, n: int):
    ...     while n > 0:
    ...         x, n = x * 2, n - 1
    ...     return x
    >>> f(torch.ones(1), 3)
    tensor([8.])
    """
    test = doctest.DocTestParser().get_doctest(text, {}, "scripts", "scripts.txt", 0)
    assert doctest.DocTestRunner(verbose=False).run(test) == (0, 1 + 2)


def test_what_has_no_text_says_so() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x", names)
    with pytest.raises(OSError, match=r"needs the source text of f\(\), and Python has none: it was defined by exec, or at a prompt that keeps no text"):
        torch.jit.script(names["f"])
    with pytest.raises(RuntimeError, match="cannot compile a lambda"):
        torch.jit.script(lambda x: x)


def test_another_function_of_the_same_place_is_not_taken() -> None:
    """A function that `exec` made has the file and the line of one in the text of `python -c`."""
    program = "import monograph as torch\ndef f(x): return x\nexec('\\ndef f(x): return x * 2')\ntorch.jit.script(f)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert "OSError: jit.script needs the source text of f()" in done.stderr


CELLS = """
import linecache
import monograph as torch

del globals()["__file__"]  # a notebook's __main__ has none
def cell(number, text):
    name = f"/tmp/ipykernel_1/{number}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), globals())

TEXT = '''
@torch.jit.script
class Counter:
    def __init__(self, n: int):
        self.n = n * BY
    def get(self):
        return self.n
@torch.jit.script
def count(n: int):
    return Counter(n).get()
class Net(torch.nn.Module):
    def forward(self, x):
        return self.more(x)
    def more(self, x):
        return x * BY
'''
for number, by in enumerate(("2", "30")):
    cell(number, TEXT.replace("BY", by))
    print(count(3), torch.jit.script(Net())(torch.ones(1)).item())
"""


def test_classes_of_a_notebook_are_compiled_anew_when_a_later_cell_defines_them(tmp_path):
    program = tmp_path / "cells.py"
    program.write_text(CELLS)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "6 2.0\n90 30.0\n", done.stderr
