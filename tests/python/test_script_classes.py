"""jit.script of classes, NamedTuples, Enums, with and try: what is no result of a program (those are in test_script.py), and their messages, which stand
in tests/errors/script."""

from __future__ import annotations

import enum
import numbers
from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from numbers import Number
from pathlib import Path
from typing import Any, NamedTuple

import monograph as torch
import pytest

ERRORS = Path(__file__).resolve().parents[1] / "errors" / "script"

TEXTS = {
    "class_attribute": "class A:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f(n: int):\n    return A(n).m\n",
    "class_attribute_type": "class A:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f(n: int):\n    a = A(n)\n    a.n = 'x'\n    return a.n\n",
    "class_attribute_new": "class A:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f(n: int):\n    a = A(n)\n    a.m = 3\n    return a\n",
    "class_argument": "class A:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f(n: int):\n    return A('x').n\n",
    "class_operator": "class A:\n    def __init__(self, n: int):\n        self.n = n\n\ndef f(n: int):\n    return A(n) + A(n)\n",
    "class_order": "class A:\n    pass\n\ndef f(n: int):\n    return A() < A()\n",
    "class_items": "class A:\n    pass\n\ndef f(n: int):\n    return A()[n]\n",
    "class_base": "class A:\n    pass\n\nclass B(A):\n    pass\n\ndef f(n: int):\n    return B()\n",
    "class_recursive": "class A:\n    def __init__(self, other: Optional['A']):\n        self.other = other\n\ndef f(n: int):\n    return A(None)\n",
    "class_recursive_of_two": (
        "class A:\n    def __init__(self, b: Optional['B']):\n        self.b = b\n\n"
        "class B:\n    def __init__(self, a: Optional[A]):\n        self.a = a\n\ndef f(n: int):\n    return B(None)\n"
    ),
    "class_makes_itself": "class A:\n    def __init__(self):\n        self.a = A()\n\ndef f(n: int):\n    return A()\n",
    "class_method_chain": (
        "class A:\n    def __init__(self, n: int):\n        self.n = n\n\n    def get(self) -> str:\n        return self.n\n\n"
        "def f(n: int):\n    return A(n).get()\n"
    ),
    "class_text": "class A:\n    pass\n\ndef f(n: int):\n    return str(A())\n",
    "named_tuple_field": "class P(NamedTuple):\n    a: int\n    b: str\n\ndef f(n: int):\n    return P(n, 'x').c\n",
    "named_tuple_assigned": "class P(NamedTuple):\n    a: int\n\ndef f(n: int):\n    p = P(n)\n    p.a = 2\n    return p\n",
    "named_tuple_missing": "class P(NamedTuple):\n    a: int\n    b: str\n\ndef f(n: int):\n    return P(n)\n",
    "named_tuple_type": "class P(NamedTuple):\n    a: int\n\ndef f(n: int):\n    return P('x')\n",
    "named_tuple_recursive": "class P(NamedTuple):\n    a: Optional[P]\n\ndef f(n: int):\n    return P(None)\n",
    "enum_member": "class E(Enum):\n    A = 1\n\ndef f(n: int):\n    return E.B\n",
    "enum_order": "class E(Enum):\n    A = 1\n\ndef f(n: int):\n    return E.A < E.A\n",
    "enum_call": "class E(Enum):\n    A = 1\n\ndef f(n: int):\n    return E(1)\n",
    "enum_value_types": "class E(Enum):\n    A = 1\n    B = 'x'\n\ndef f(e: E):\n    return e.value\n",
    "with_number": "def f(n: int):\n    with n:\n        n = 1\n    return n\n",
    "with_without_exit": "class A:\n    def __enter__(self):\n        return 1\n\ndef f(n: int):\n    with A():\n        n = 1\n    return n\n",
    "try_except": "def f(n: int):\n    try:\n        n = n // 2\n    except ValueError:\n        n = 2\n    return n\n",
    "finally_returns": "def f(n: int):\n    try:\n        n = 1\n    finally:\n        return 2\n    return n\n",
    "union_attribute": "def f(v: Union[int, str]):\n    return v + 1\n",
    "keywords_of_unknown": "def f(d: Dict[str, int]):\n    return g(**d)\n\ndef g(a: int):\n    return a\n",
    "keyword_missing": "def f(n: int):\n    return g(b=n)\n\ndef g(**kwargs: int):\n    return kwargs['a']\n",
    "percent_count": "def f(n: int):\n    return '%d %d' % n\n",
    "future_returned": "def f(x):\n    return torch.jit.fork(g, x)\n\ndef g(x):\n    return x\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_message(name):
    with pytest.raises(RuntimeError) as error:
        torch.jit.CompilationUnit(TEXTS[name])
    text = "\n".join(line.rstrip() for line in str(error.value).splitlines()) + "\n"
    assert " <--- HERE" in text and 'File "<string>", line' in text
    frozen = ERRORS / f"{name}.txt"
    assert frozen.read_text() == text, f"the message is now:\n{text}"


class Account:
    def __init__(self, n: int):
        self.n = n
        self.rate = 0.5
        self.log: list[int] = []


class Spot(NamedTuple):
    x: torch.Tensor
    n: int


class Kind(enum.Enum):
    SMALL = "s"
    LARGE = "l"


def grow(a: Account) -> Account:
    a.n += 1
    a.log.append(a.n)
    return a


def test_objects_are_copied_at_the_border():
    """As in PyTorch: the caller's object stays as it was, and the result is a new one of the same class."""
    mine = Account(3)
    got = torch.jit.script(grow)(mine)
    assert type(got) is Account and got is not mine
    assert (got.n, got.log, mine.n, mine.log) == (4, [4], 3, [])


def test_an_attribute_that_is_an_int_for_a_float_is_converted():
    def rate(a: Account):
        return a.rate

    mine = Account(1)
    mine.rate = 2
    assert type(torch.jit.script(rate)(mine)) is float
    mine.rate = "x"
    with pytest.raises(TypeError, match="'rate' of the object of class Account"):
        torch.jit.script(rate)(mine)
    del mine.rate
    with pytest.raises(AttributeError, match="has no attribute 'rate'"):
        torch.jit.script(rate)(mine)


def test_named_tuples_come_back_wherever_they_are():
    def many(s: Spot, v: list[Spot], d: dict[str, Spot]) -> tuple[list[Spot], dict[str, Spot], Spot | None]:
        return [s, v[0]], d, s

    s = Spot(torch.ones(1), 2)
    spots, table, last = torch.jit.script(many)(s, [s], {"a": s})
    assert [type(k) for k in (*spots, table["a"], last)] == [Spot] * 4 and last.n == 2


def test_a_member_of_an_enum_comes_back_as_itself():
    def other(k: Kind):
        if k == Kind.SMALL:
            return Kind.LARGE
        return Kind.SMALL

    compiled = torch.jit.script(other)
    assert compiled(Kind.SMALL) is Kind.LARGE and compiled(Kind.LARGE) is Kind.SMALL


def test_a_class_is_compiled_with_all_of_its_methods():
    class Wrong:
        def __init__(self, n: int):
            self.n = n

        def get(self) -> str:
            return self.n

    with pytest.raises(RuntimeError, match="what Wrong.get\\(\\) returns has type str|returns has type str"):
        torch.jit.script(Wrong)
    assert torch.jit.script(Account) is Account


def test_a_class_defined_again_is_another_class():
    def define(value):
        class Cell:
            def __init__(self):
                self.v = value

        def make():
            return Cell().v

        return torch.jit.script(make)

    assert define(1)() == 1 and define("a")() == "a"


def test_an_error_in_a_with_leaves_the_grad_mode_as_it_was():
    def fails(v: list[int]):
        with torch.no_grad():
            return v[9]

    with pytest.raises(IndexError):
        torch.jit.script(fails)([1])
    assert torch.is_grad_enabled()


def test_raise_runs_what_is_pending(capsys):
    def raises(n: int):
        try:
            if n > 0:
                raise ValueError("positive")
        finally:
            print("finally", n)
        return n

    compiled = torch.jit.script(raises)
    assert compiled(0) == 0
    with pytest.raises(ValueError, match="positive"):
        compiled(1)
    assert capsys.readouterr().out == "finally 0\nfinally 1\n"


def test_an_empty_list_is_not_guessed():
    def which(v: list[int] | list[str]):
        if isinstance(v, list[int]):
            return 1
        return 2

    compiled = torch.jit.script(which)
    assert compiled([1]) == 1 and compiled(["a"]) == 2
    with pytest.raises(NotImplementedError, match="isinstance of an empty list"):
        compiled([])


def test_a_graph_with_objects_prints_and_is_saved(tmp_path):
    def make(n: int):
        a = Account(n)
        a.n += 1
        return a.n

    compiled = torch.jit.script(make)
    assert "prim::CreateObject" in str(compiled.graph) and "prim::SetAttr" in str(compiled.graph)
    compiled.save(tmp_path / "f.mgraph")
    assert torch.load_graph(tmp_path / "f.mgraph")(4) == 5


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n" + "".join(f"    def m{k}(self, n: int) -> int:\n        return n + {k}\n" for k in range(2000)) + "\ndef f(n: int):\n    return A().m7(n)\n",
        "class A:\n    pass\n\ndef f(n: int):\n" + "".join(f"    a{k} = A()\n" for k in range(2000)) + "    return n\n",
        "def f(n: int):\n" + "".join(f"    n = n + {k}\n" for k in range(10000)) + "    return n\n",
    ],
    ids=["methods", "objects", "lines"],
)
def test_long_programs_compile(text):
    assert torch.jit.CompilationUnit(text).f(1) is not None


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return " + "lambda: " * 10000 + "x",
        "def f(x):\n    return [x " + "for x in x " * 10000 + "]",
        "def f(x):\n" + "".join("    " * k + "with torch.no_grad():\n" for k in range(1, 2000)) + "    " * 2000 + "return x",
        "def f(x):\n" + "".join("    " * k + "try:\n" for k in range(1, 2000)) + "    " * 2000 + "return x",
        "class A" + "(" * 10000 + ":\n    pass\n",
        "def f(x):\n    return {**" * 3000,
    ],
    ids=["lambda", "for", "with", "try", "class", "dict"],
)
def test_deep_nesting_is_an_error(text):
    with pytest.raises(RuntimeError):
        torch.jit.CompilationUnit(text)




def scalar_is_number(x: int | float, y: list[int], z: str) -> tuple[bool, bool, bool, bool]:
    return isinstance(x, Number), isinstance(x, numbers.Integral), isinstance(y, Number), isinstance(z, (Number, str))


def any_is_number(x: Any) -> bool:
    return isinstance(x, Number)


def optional_number(x: float | None) -> float:
    return x + 1.0 if isinstance(x, Number) else -1.0


def test_isinstance_of_an_abstract_class_of_numbers():
    """An abstract class holds of the types that Python says."""
    scripted = torch.jit.script(scalar_is_number)
    for x in (3, 2.5):
        assert scripted(x, [1], "a") == scalar_is_number(x, [1], "a")
    scripted = torch.jit.script(any_is_number)
    for x in (3, 2.5, True, 1j, "a", torch.ones(2), [1], None):
        assert scripted(x) == any_is_number(x)
    scripted = torch.jit.script(optional_number)
    assert scripted(1.5) == 2.5 and scripted(None) == -1.0


@pytest.mark.parametrize("cls", [Sequence, Mapping, Sized, Hashable])
def test_isinstance_of_an_abstract_class_that_no_type_can_say(cls):
    """The types of a script do not say all lists: an error, and not False for every list."""
    def asks(xs: list[int]) -> bool:
        return isinstance(xs, cls)

    with pytest.raises(RuntimeError, match="'cls' is not a type of a script"):
        torch.jit.script(asks)


def test_isinstance_of_a_class_that_no_value_of_a_script_has():
    def asks(x: torch.Tensor) -> bool:
        return isinstance(x, Callable)

    assert torch.jit.script(asks)(torch.ones(1)) is False
