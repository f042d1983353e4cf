# ruff: noqa
# The programs are written as users of TorchScript write them, in old spellings too.
"""Programs in the language of torch.jit.script: one a row, a few lines each, by the sections of PyTorch's language reference.

`row` takes the section and the arguments of each run, as text. tests/python/test_script.py compiles each program and compares with the same function
in Python; with live PyTorch it compares with torch.jit.script too. `ours` says why TorchScript refuses the program, or gives what
Python does not."""

import cmath
import math
import warnings
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Dict, Final, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor

ROWS = []
SCALE = 2.5
BroadcastingList2 = torch._jit_internal.BroadcastingList2
SIZES = [2, 3]
NAME = "mono"


def plain(value):
    """Objects by their attributes, members of Enums by their names, so that two processes can compare them. A result of a NamedTuple says its class."""
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value).__name__, *map(plain, value))
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if type(value).__module__ == __name__:
        return (type(value).__name__, plain(vars(value)))
    return value


def row(section, *inputs, ours=""):
    def add(function):
        ROWS.append((section, function, inputs, ours))
        return function

    return add


X = ("torch.tensor([1.0, -2.0, 3.0]),", "torch.tensor([-1.0, -2.0]),", "torch.ones(2, 3),")
N = ("0,", "1,", "5,")
L = ("[3, 1, 2],", "[1],", "[4, 4, 1, 0],")
S = ("'abc',", "'Hello World',", "'',")


# --- Types and annotations


@row("types", *X)
def tensor_default(x):
    return x + 1


@row("types", *N)
def int_argument(n: int):
    return n * 2 + 1


@row("types", "1.5,", "-2.0,", "3,")
def float_argument(f: float):
    return f / 2


@row("types", "True,", "False,")
def bool_argument(b: bool):
    return not b


@row("types", *S)
def str_argument(s: str):
    return s + "!"


@row("types", *X)
def returns_annotated(x: Tensor) -> Tensor:
    return x.relu()


@row("types", *X)
def returns_tuple(x: Tensor) -> Tuple[Tensor, int]:
    return x, 3


@row("types", *L)
def list_of_ints(v: List[int]) -> int:
    return v[0]


@row("types", *L)
def list_of_ints_new_style(v: list[int]) -> int:
    return v[-1]


@row("types", "[torch.ones(2), torch.zeros(3)],")
def list_of_tensors(v: List[Tensor]):
    return torch.cat(v)


@row("types", "{'a': 1, 'b': 2},", "{'b': 5},")
def dict_of_ints(d: Dict[str, int]) -> int:
    return d["b"]


@row("types", "None,", "3,")
def optional_argument(n: Optional[int]) -> int:
    if n is None:
        return -1
    return n


@row("types", "None,", "3,")
def optional_new_style(n: int | None) -> int:
    if n is not None:
        return n + 1
    return 0


@row("types", "(1, 2.0),", "(4, -1.0),")
def tuple_argument(t: Tuple[int, float]) -> float:
    return t[0] + t[1]


@row("types", *X)
def type_comment(x):
    # type: (Tensor) -> Tensor
    return x * 2


@row("types", "torch.ones(2), 3")
def type_comment_of_two(x, n):
    # type: (Tensor, int) -> Tensor
    return x * n


@row("types", *X)
def annotated_variable(x):
    y: Tensor = x + 1
    z: int = 3
    return y * z


@row("types", *X, ours="PyTorch reads the comment of a variable in one form of spacing only")
def variable_type_comment(x):
    y = []  # type: List[int]
    y.append(x.dim())
    return y


@row("types", *X)
def annotated_none(x):
    y: Optional[Tensor] = None
    if x.dim() == 1:
        y = x
    return y


@row("types", "torch.ones(2),", "torch.ones(2), 4")
def default_argument(x, n: int = 3):
    return x * n


@row("types", "torch.ones(2),", "torch.ones(2), 0.5")
def default_float(x, f: float = 2.0):
    return x * f


@row("types", "torch.ones(2),", "torch.ones(2), None", "torch.ones(2), 2")
def default_none(x, n: Optional[int] = None):
    if n is None:
        n = 7
    return x * n


@row("types", "1j,", "2 + 1j,")
def complex_argument(c: complex):
    return c


@row("types", *X)
def jit_annotate(x):
    v = torch.jit.annotate(List[int], [])
    v.append(x.numel())
    return v


# --- Numbers


@row("numbers", "7, 2", "-7, 2", "7, -3")
def int_arithmetic(a: int, b: int):
    return a + b, a - b, a * b, a // b, a % b


@row("numbers", "7, 2", "-7, 2", "1, 4")
def int_division(a: int, b: int):
    return a / b


@row("numbers", "7.5, 2.0", "-7.5, 2.0", "7.5, -3.0")
def float_arithmetic(a: float, b: float):
    return a + b, a - b, a * b, a / b, a // b, a % b


@row("numbers", "3, 2.5", "-3, 0.5")
def mixed_arithmetic(a: int, b: float):
    return a + b, b - a, a * b, a / b, b // a


@row("numbers", "2, 3", "5, 0", ours="PyTorch gives a float")
def int_power(a: int, b: int):
    return a**b


@row("numbers", "2.0, 3.0", "5.0, -1.0")
def float_power(a: float, b: float):
    return a**b


@row("numbers", *N, ours="PyTorch has no unary plus")
def negation(n: int):
    return -n, +n


@row("numbers", "6, 3", "12, 10")
def bit_operations(a: int, b: int):
    return a & b, a | b, a ^ b


@row("numbers", "3, 2", "1, 5")
def shifts(a: int, b: int):
    return a << b, a >> b


@row("numbers", "1, 2", "2, 2", "3, 2")
def comparisons(a: int, b: int):
    return a < b, a <= b, a == b, a != b, a > b, a >= b


@row("numbers", "1.5, 2", "2.0, 2", "3.0, 2")
def mixed_comparisons(a: float, b: int):
    return a < b, a <= b, a == b, a != b, a > b, a >= b


@row("numbers", "1.7,", "-1.7,", "0.0,")
def casts_of_float(f: float):
    return int(f), float(f), bool(f)


@row("numbers", *N)
def casts_of_int(n: int):
    return int(n), float(n), bool(n)


@row("numbers", "True,", "False,")
def casts_of_bool(b: bool):
    return int(b), float(b)


@row("numbers", "'12',", "'-3',")
def int_of_str(s: str):
    return int(s)


@row("numbers", "'1.5',", "'-3e2',")
def float_of_str(s: str):
    return float(s)


@row("numbers", "torch.tensor(3),", "torch.tensor(-4),")
def casts_of_tensor(x):
    return int(x), float(x), bool(x)


@row("numbers", "3, -5", "-1, 2")
def min_max_abs(a: int, b: int):
    return min(a, b), max(a, b), abs(a), abs(b)


@row("numbers", "3.5, -5.0", "-1.0, 2.5")
def min_max_of_floats(a: float, b: float):
    return min(a, b), max(a, b), abs(a)


@row("numbers", "1, 2, 3", "3, 2, 1")
def min_of_three(a: int, b: int, c: int):
    return min(a, b, c), max(a, b, c)


@row("numbers", "2.5,", "3.5,", "-0.4,", ours="PyTorch gives a float")
def rounding(f: float):
    return round(f)


@row("numbers", "7, 2", "-7, 3")
def divmod_of_ints(a: int, b: int):
    return divmod(a, b)


@row("numbers", *N)
def number_literals(n: int):
    return n + 0x10 + 0b11 + 0o7 + 1_000


@row("numbers", "1.0,")
def float_literals(f: float):
    return f + 1e3 + 1.5e-2 + 0.5 + 1e0


@row("numbers", *N, ours="PyTorch has no //=")
def augmented_int(n: int):
    n += 3
    n -= 1
    n *= 2
    n //= 2
    return n


# --- math


@row("math", "0.5,", "0.25,", ours="PyTorch has no math.log2")
def math_roots(f: float):
    return math.sqrt(f), math.exp(f), math.log(f), math.log2(f), math.log10(f), math.log1p(f), math.expm1(f)


@row("math", "0.5,", "0.25,", "-0.5,")
def math_circle(f: float):
    return math.sin(f), math.cos(f), math.tan(f), math.asin(f), math.acos(f), math.atan(f)


@row("math", "0.5,", "0.25,", "-0.5,")
def math_hyperbolic(f: float):
    return math.sinh(f), math.cosh(f), math.tanh(f)


@row("math", "1.5,", "-1.5,", "2.0,")
def math_whole(f: float):
    return math.floor(f), math.ceil(f), math.fabs(f)


@row("math", "1.0, 2.0", "-1.0, 0.5")
def math_of_two(a: float, b: float):
    return math.atan2(a, b), math.copysign(a, b), math.fmod(a, b), math.pow(b, a)


@row("math", "2,")
def math_of_int(n: int):
    return math.sqrt(n), math.floor(2.5)


@row("math", "1.0,")
def math_constants(f: float):
    return f + math.pi, f + math.e, math.inf > f, math.isnan(f), math.isinf(f)


@row("math", "12, 18")
def math_gcd(a: int, b: int):
    return math.gcd(a, b), math.factorial(5)


@row("math", "90.0,")
def math_degrees(f: float):
    return math.degrees(f), math.radians(f)


@row("math", "0.5,", "2.5,")
def math_special(f: float):
    return math.erf(f), math.erfc(f)


# --- Branches


@row("branches", *X)
def if_else(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@row("branches", *X)
def if_without_else(x):
    y = x
    if x.sum() > 0:
        y = y * 2
    return y


@row("branches", "-1,", "0,", "4,")
def elif_chain(n: int):
    if n < 0:
        s = "negative"
    elif n == 0:
        s = "zero"
    elif n < 3:
        s = "few"
    else:
        s = "many"
    return s


@row("branches", "1,", "2,", "3,", "7,", "-4,", ours="TorchScript has no match")
def match_numbers(n: int):
    out = ["seen"]
    match n:
        case 1 | 2:
            out.append("few")
        case -4:
            out.append("negative")
        case k if k > 5:
            out.append(f"many: {k}")
        case _:
            out.append("other")
    return out


@row("branches", "'add', 2", "'mul', 3", "'none', 4", ours="TorchScript has no match")
def match_texts(how: str, n: int):
    match how.upper():
        case ("ADD" | "PLUS"):
            return n + 1
        case "MUL" if (n := n * 2) > 100:
            return -n
        case "MUL":
            return n
    return 0


class Reduction(Enum):
    SUM = 1
    MEAN = 2


@row("branches", "torch.ones(3), 1", "torch.ones(3), 2", ours="TorchScript has no match")
def match_members(x, n: int):
    mode = Reduction.SUM if n == 1 else Reduction.MEAN
    match mode:
        case Reduction.SUM:
            return x.sum()
        case Reduction.MEAN:
            return x.mean()


@row("branches", "None, True", "2, False", "2, True", ours="TorchScript has no match")
def match_none(n: Optional[int], flag: bool):
    match n:
        case None:
            m = -1
        case _:
            m = n + 1
    match flag:
        case True:
            match = m * 10
        case _:
            match = m
    return match


@row("branches", *X)
def nested_branches(x):
    if x.sum() > 0:
        if x.numel() > 3:
            y = x * 3
        else:
            y = x * 2
    else:
        y = -x
    return y


@row("branches", "1, 2", "0, 2", "3, 0")
def several_results(a: int, b: int):
    if a > b:
        c, d = a, b
    else:
        c, d = b, a
    return c - d, c + d


@row("branches", "torch.tensor([1.0, -2.0, 3.0]),", "torch.tensor([-1.0, -2.0]),")
def tensor_condition(x):
    if x[0] > 0:
        return x
    return -x


@row("branches", "0,", "2,")
def int_condition(n: int):
    if n:
        return 1
    return 0


@row("branches", *L, "[],")
def list_condition(v: List[int]):
    if len(v) > 0:
        return v[0]
    return -1


@row("branches", "2, 3", "0, 3", "2, 0")
def conjunction(a: int, b: int):
    if a > 0 and b > 0:
        return 1
    return 0


@row("branches", "2, 3", "0, 3", "0, 0")
def disjunction(a: int, b: int):
    if a > 0 or b > 0:
        return 1
    return 0


@row("branches", "0, 3", "2, 4")
def short_circuit(a: int, b: int):
    return a != 0 and b // a > 1


@row("branches", "True, False", "True, True", "False, False")
def bool_values(a: bool, b: bool):
    return a and b, a or b, not a, a == b


@row("branches", "1, 2, 3", "1, 3, 2", "3, 2, 1")
def chained_comparison(a: int, b: int, c: int):
    return a < b < c


@row("branches", "1, 2, 3", "1, 1, 3")
def long_chain(a: int, b: int, c: int):
    if 0 < a <= b < c < 10:
        return 1
    return 0


@row("branches", "1,", "-2,")
def ternary(n: int):
    return n if n > 0 else -n


@row("branches", *X)
def ternary_of_tensors(x):
    return x * 2 if bool(x.sum() > 0) else x / 2


@row("branches", "1,", "2,", "3,")
def nested_ternary(n: int):
    return "one" if n == 1 else "two" if n == 2 else "many"


@row("branches", *X)
def pass_statement(x):
    if x.numel() > 2:
        pass
    else:
        x = x + 1
    return x


# --- Early return


@row("early return", *X)
def return_in_both(x):
    if x.sum() > 0:
        return x
    else:
        return x + 10


@row("early return", *X)
def return_first(x):
    if x.sum() > 0:
        return x
    y = x * 2
    return y + 1


@row("early return", *X)
def return_in_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        return x
    return y + 1


@row("early return", "0,", "1,", "2,", "3,")
def several_returns(n: int):
    if n == 0:
        return "a"
    if n == 1:
        return "b"
    if n == 2:
        return "c"
    return "d"


@row("early return", "0,", "5,", "-3,", "9,")
def return_in_nested(n: int):
    if n > 0:
        if n > 7:
            return 100
        n = n + 1
    m = n * 2
    return m


@row("early return", "1, 1", "1, -1", "-1, 1", "-1, -1")
def returns_in_depth(a: int, b: int):
    if a > 0:
        if b > 0:
            return 1
        else:
            c = 5
    else:
        if b > 0:
            c = 7
        else:
            return 4
    return c


@row("early return", "0,", "2,", "4,", "9,")
def return_in_loop(n: int):
    for i in range(6):
        if i * i > n:
            return i
    return -1


@row("early return", "0,", "2,", "4,", "30,")
def return_in_nested_loops(n: int):
    for i in range(4):
        for j in range(4):
            if i * j > n:
                return i * 10 + j
    return -1


@row("early return", "3,", "10,")
def return_in_while_true(n: int):
    i = 0
    while True:
        i = i + 1
        if i * i >= n:
            return i


@row("early return", *X)
def no_return(x):
    x.add_(1)


# --- Loops


@row("loops", *N)
def for_range(n: int):
    s = 0
    for i in range(n):
        s += i
    return s


@row("loops", "1, 7", "3, 3", "5, 2")
def for_range_of_two(a: int, b: int):
    s = 0
    for i in range(a, b):
        s = s * 2 + i
    return s


@row("loops", "0, 10, 3", "10, 0, -2", "3, 3, 1", "5, 0, 1")
def for_range_of_three(a: int, b: int, c: int):
    s = 0
    for i in range(a, b, c):
        s = s * 3 + i
    return s


@row("loops", *X)
def loop_of_tensors(x):
    for _ in range(3):
        x = x * 2 + 1
    return x


@row("loops", *X)
def while_on_tensor(x):
    n = 0
    while x.abs().sum() < 100:
        x = x * 2
        n += 1
    return x, n


@row("loops", *N)
def while_on_int(n: int):
    s = 0
    while n > 0:
        s += n
        n -= 1
    return s


@row("loops", *N)
def break_statement(n: int):
    s = 0
    for i in range(10):
        if i == n:
            break
        s += i
    return s


@row("loops", *N)
def continue_statement(n: int):
    s = 0
    for i in range(6):
        if i == n:
            continue
        s += i
    return s


@row("loops", "0,", "3,", "9,")
def break_and_continue(n: int):
    s = 0
    for i in range(10):
        if i % 2 == 0:
            continue
        if i > n:
            break
        s += i
    return s


@row("loops", *N)
def while_break(n: int):
    s = 0
    while True:
        if s > n:
            break
        s += 2
    return s


@row("loops", "2, 3", "0, 3", "3, 1")
def nested_loops(a: int, b: int):
    s = 0
    for i in range(a):
        for j in range(b):
            s += i * j + 1
    return s


@row("loops", *N)
def inner_break(n: int):
    s = 0
    for i in range(4):
        for j in range(4):
            if j == n:
                break
            s += j
        s += 10
    return s


@row("loops", *N)
def break_keeps_values(n: int):
    x = 1
    while x < 100:
        x = x + 1
        if x > n:
            break
        x = x * 2
    return x


@row("loops", *N)
def continue_in_branches(n: int):
    s = 0
    for i in range(6):
        if i > 2:
            if i == n:
                continue
            z = 1
        else:
            z = 2
        s += z
    return s


@row("loops", *L)
def for_list(v: List[int]):
    s = 0
    for k in v:
        s += k
    return s


@row("loops", "torch.ones(2, 3),", "torch.arange(6.0).reshape(3, 2),")
def for_tensor(x):
    s = torch.zeros(x.size(1))
    for r in x:
        s = s * 2 + r
    return s


@row("loops", "{'a': 1, 'b': 2},")
def for_dict(d: Dict[str, int]):
    s = 0
    for k in d:
        s += d[k]
    return s


@row("loops", "{'a': 1, 'b': 2},")
def for_dict_items(d: Dict[str, int]):
    s = ""
    for k, v in d.items():
        s += k + str(v)
    return s


@row("loops", *L)
def for_enumerate(v: List[int]):
    s = 0
    for i, k in enumerate(v):
        s += i * k
    return s


@row("loops", *L)
def for_enumerate_from(v: List[int]):
    s = 0
    for i, k in enumerate(v, 5):
        s += i * k
    return s


@row("loops", "[1, 2, 3], [4, 5]", "[1], [2, 3]")
def for_zip(a: List[int], b: List[int]):
    s = 0
    for x, y in zip(a, b):
        s += x * y
    return s


@row("loops", "(1, 2.5, 'a'),")
def for_tuple(t: Tuple[int, float, str]):
    s = ""
    for k in t:
        s += str(k)
    return s


@row("loops", "1,")
def loop_variable_stays(n: int):
    i = 5
    for i in range(n, 4):
        n += 1
    return i


@row("loops", *L, ours="PyTorch has no reversed of a list")
def for_reversed(v: List[int]):
    s = 0
    for k in reversed(v):
        s = s * 10 + k
    return s


# --- Lists


@row("lists", *L)
def list_methods(v: List[int]):
    v.append(9)
    v.extend([1, 2])
    v.insert(1, 7)
    v.reverse()
    return v, len(v)


@row("lists", *L)
def list_pop(v: List[int]):
    a = v.pop()
    return a, v


@row("lists", *L)
def list_index_count(v: List[int]):
    return v.index(v[0]), v.count(v[0])


@row("lists", "[3, 1, 3],")
def list_remove(v: List[int]):
    v.remove(3)
    return v


@row("lists", *L)
def list_sort(v: List[int]):
    v.sort()
    w = sorted([5, 2, 4])
    return v, w


@row("lists", *L)
def list_sort_reverse(v: List[int]):
    v.sort(reverse=True)
    return v


@row("lists", *L)
def list_clear_copy(v: List[int]):
    w = v.copy()
    v.clear()
    return v, w


@row("lists", *L)
def list_item_assignment(v: List[int]):
    v[0] = 10
    v[-1] += 5
    return v


@row("lists", *L)
def list_slices(v: List[int]):
    return v[1:], v[:2], v[::2], v[-2:], v[:]


@row("lists", *L)
def list_sum(v: List[int]):
    return v + [1], sum(v), min(v), max(v)


@row("lists", *L)
def list_contains(v: List[int]):
    return 1 in v, 9 not in v


@row("lists", *L)
def list_equality(v: List[int]):
    return v == [3, 1, 2], v != [1]


@row("lists", *L)
def list_alias(v: List[int]):
    w = v
    w.append(1)
    w += [2]
    return v


@row("lists", "3,")
def list_repeat(n: int):
    return [0] * n


@row("lists", *N, ours="PyTorch copies the inner list")
def list_of_list(n: int):
    v = [[1, 2], [n]]
    v[1].append(4)
    return v


@row("lists", *L)
def list_comprehension(v: List[int]):
    return [2 * k for k in v]


@row("lists", *N)
def range_comprehension(n: int):
    return [i * i for i in range(n)]


@row("lists", *L, ours="PyTorch has no conditions in comprehensions")
def filtered_comprehension(v: List[int]):
    return [k for k in v if k > 1]


@row("lists", "torch.arange(6.0).reshape(3, 2),")
def tensor_comprehension(x):
    return [r.sum() for r in x]


@row("lists", *L)
def list_unpack(v: List[int]):
    w = v + [1, 2, 3]
    a, b = w[:2]
    return a - b


@row("lists", *L)
def list_delete(v: List[int]):
    del v[0]
    return v


@row("lists", *X)
def list_of_tensors_built(x):
    out: List[Tensor] = []
    for i in range(3):
        out.append(x * i)
    return torch.stack(out)


@row("lists", "['b', 'a'],")
def list_of_strs(v: List[str]):
    v.append("c")
    return v, "a" in v, sorted(v)


@row("lists", "[1.5, -2.0],")
def list_of_floats(v: List[float]):
    return sum(v), max(v), v[0]


@row("lists", "[True, False],")
def list_of_bools(v: List[bool]):
    return any(v), all(v)


@row("lists", *L)
def list_in_branch(v: List[int]):
    if v[0] > 2:
        v.append(1)
    else:
        v = [0]
    return v


@row("lists", *L)
def list_copy_by_list(v: List[int]):
    w = list(v)
    w.append(3)
    return v, w


# --- Tuples


@row("tuples", "1, 2.5")
def tuple_display(a: int, b: float):
    t = (a, b, "x")
    return t[0], t[2], t


@row("tuples", "1, 2")
def tuple_unpack(a: int, b: int):
    t = (a, (b, a))
    x, (y, z) = t
    return x, y, z


@row("tuples", "1, 2")
def tuple_swap(a: int, b: int):
    a, b = b, a
    return a, b


@row("tuples", "(1, 2, 3),")
def tuple_slice(t: Tuple[int, int, int]):
    return t[1:], len(t)


@row("tuples", "1, 2", "2, 1")
def tuple_from_branch(a: int, b: int):
    if a > b:
        t = (a, "a")
    else:
        t = (b, "b")
    return t[0], t[1]


@row("tuples", "1, 2", "2, 2")
def tuple_comparison(a: int, b: int):
    return (a, b) == (b, a)


@row("tuples", "1, 2")
def starred_unpack(a: int, b: int):
    x, *y = a, b, 3
    return x, y


@row("tuples", "torch.tensor([[1.0, 5.0], [4.0, 2.0]]),")
def operator_tuple(x):
    values, indices = torch.max(x, 1)
    return values, indices


@row("tuples", "1,", "2,")
def tuple_membership(a: int):
    return a in (1, 3)


# --- Dicts


@row("dicts", "'a',", "'z',")
def dict_display(k: str):
    d = {"a": 1, "b": 2}
    d[k] = 5
    return d, len(d)


@row("dicts", "{'a': 1, 'b': 2},")
def dict_methods(d: Dict[str, int]):
    return list(d.keys()), list(d.values()), d.get("a", 0), d.get("q", 7)


@row("dicts", "{'a': 1, 'b': 2},")
def dict_get_none(d: Dict[str, int]):
    v = d.get("z")
    if v is None:
        return -1
    return v


@row("dicts", "{'a': 1, 'b': 2},")
def dict_contains(d: Dict[str, int]):
    return "a" in d, "z" not in d


@row("dicts", "{'a': 1, 'b': 2},")
def dict_pop(d: Dict[str, int]):
    a = d.pop("a")
    return a, d


@row("dicts", "{'a': 1, 'b': 2},")
def dict_update(d: Dict[str, int]):
    d.update({"b": 3, "c": 4})
    d.setdefault("d", 9)
    return d


@row("dicts", "{'a': 1, 'b': 2},")
def dict_delete(d: Dict[str, int]):
    del d["a"]
    return d


@row("dicts", "{1: 1.5, 2: 2.5},")
def dict_of_int_keys(d: Dict[int, float]):
    d[3] = 4.0
    return d[1] + d[3]


@row("dicts", *X)
def dict_of_tensors(x):
    d: Dict[str, Tensor] = {}
    d["x"] = x
    d["y"] = x * 2
    return d


@row("dicts", *N)
def dict_augmented(n: int):
    d = {"a": n}
    d["a"] += 2
    return d


@row("dicts", *L)
def dict_comprehension(v: List[int]):
    return {k: k * k for k in v}


@row("dicts", "{'a': 1, 'b': 2},")
def dict_copy_clear(d: Dict[str, int]):
    e = d.copy()
    d.clear()
    return d, e


# --- Strings


@row("strings", *S)
def str_case(s: str):
    return s.upper(), s.lower(), s.capitalize(), s.title(), s.swapcase()


@row("strings", *S)
def str_questions(s: str):
    return s.isalpha(), s.isdigit(), s.isupper(), s.islower(), s.isspace(), s.isalnum()


@row("strings", "' a b ',", "'xax',")
def str_strip(s: str):
    return s.strip(), s.lstrip(), s.rstrip(), s.strip("x")


@row("strings", "'a,b,c',", "'abc',")
def str_split(s: str):
    return s.split(","), ",".join(["x", "y"])


@row("strings", "'a b  c',", "'',")
def str_split_spaces(s: str):
    return s.split()


@row("strings", *S)
def str_find(s: str):
    return s.find("l"), s.rfind("l"), s.count("l"), s.startswith("H"), s.endswith("d")


@row("strings", *S)
def str_replace(s: str):
    return s.replace("l", "LL")


@row("strings", "'abcdef',", "'xyz',")
def str_items(s: str):
    return s[0], s[-1], s[1:], s[:2], s[1:3], len(s)


@row("strings", "'a', 'b'", "'b', 'b'")
def str_comparison(a: str, b: str):
    return a == b, a != b, a < b


@row("strings", *N)
def f_string(n: int):
    return f"n={n}, twice={n * 2}!"


@row("strings", *N)
def str_format(n: int):
    return "{} and {}".format(n, "x")


@row("strings", "1.5,", "1e-07,", "100.0,", ours="PyTorch prints 17 digits")
def str_of_float(f: float):
    return str(f)


@row("strings", *N)
def str_of_values(n: int):
    return str(n), str(True), str("a")


@row("strings", "'5',")
def str_padding(s: str):
    return s.zfill(3), s.center(5), s.ljust(4), s.rjust(4)


@row("strings", "'a',")
def ord_chr(s: str):
    return ord(s), chr(98)


@row("strings", *N)
def string_literals(n: int):
    return "ab" + "c\n\t\x41é" + r"\n" + """d"""


@row("strings", "255,", "-10,")
def hex_of_int(n: int):
    return hex(n), oct(n), bin(n)


# --- Refinement


@row("refinement", "None,", "torch.ones(2),")
def is_none(x: Optional[Tensor]):
    if x is None:
        return torch.zeros(1)
    return x + 1


@row("refinement", "None,", "torch.ones(2),")
def is_not_none_and(x: Optional[Tensor]):
    if x is not None and x.dim() == 1:
        return x + 1
    return torch.zeros(1)


@row("refinement", "None,", "4,")
def assert_not_none(n: Optional[int] = 3):
    if n is None:
        n = 2
    assert n is not None
    return n + 1


@row("refinement", "3,", "0,")
def raise_refines(n: Optional[int]):
    if n is None:
        raise ValueError("none")
    return n + 1


@row("refinement", "None,", "3,")
def or_refines(n: Optional[int]):
    if n is None or n < 2:
        return 0
    return n * 2


@row("refinement", "None,", "3,")
def ternary_refines(n: Optional[int]):
    return 0 if n is None else n + 1


@row("refinement", "None,", "3,")
def isinstance_refines(n: Optional[int]):
    if isinstance(n, int):
        return n + 1
    return 0


@row("refinement", *X)
def isinstance_static(x):
    if isinstance(x, torch.Tensor):
        return x + 1
    return x


@row("refinement", "None,", "5,", ours="PyTorch takes the refined type for the type of the variable")
def optional_in_loop(n: Optional[int]):
    s = 0
    for i in range(3):
        if n is not None:
            s += n
            if i == 1:
                n = None
    return s


# --- Functions


def helper(x, n: int = 2):
    return x * n


def helper_with_branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


def helper_with_loop(n: int) -> int:
    for i in range(10):
        if i > n:
            return i
    return 0


@row("functions", *X)
def call_function(x):
    return helper(x) + helper(x, 3) + helper(n=4, x=x)


@row("functions", *X)
def call_with_branch(x):
    y = helper_with_branch(x)
    return helper_with_branch(y * 2)


@row("functions", *N)
def call_in_loop(n: int):
    s = 0
    for i in range(n):
        s += helper_with_loop(i)
    return s


@row("functions", *X, ours="PyTorch takes no global numbers")
def global_constants(x):
    return x * SCALE, NAME, SIZES


@row("functions", *X, ours="PyTorch has no functions in functions")
def nested_function(x):
    def twice(y):
        return y * 2

    return twice(twice(x))


@row("functions", *X, ours="PyTorch has no functions in functions")
def nested_function_reads(x):
    n = 3

    def times(y):
        return y * n

    return times(x)


@row("functions", *X)
def documented(x):
    """A text that says what the function does."""
    return x + 1


@row("functions", *X)
def functional(x):
    return F.relu(x), F.dropout(x, 0.5, False), F.softmax(x, dim=0)


@row("functions", *X)
def keyword_only_operator(x):
    return torch.sum(x, dim=0, keepdim=True), torch.clamp(x, min=0.0)


@row("functions", *X)
def alias_of_function(x):
    f = torch.relu
    return f(x)


# --- Tensors


@row("tensors", *X)
def tensor_methods(x):
    return x.sum(), x.mean(), x.abs().max(), x.view(-1), x.t() if x.dim() == 2 else x


@row("tensors", *X)
def tensor_attributes(x):
    return x.shape, x.size(), x.size(0), x.dim(), x.numel(), x.ndim, len(x)


@row("tensors", *X)
def tensor_of_dtype(x):
    return torch.zeros(2, dtype=x.dtype, device=x.device), x.dtype == torch.float32


@row("tensors", "torch.arange(12.0).reshape(3, 4),")
def tensor_index(x):
    return x[0], x[-1], x[0, 1], x[:, 1], x[1:], x[..., 0], x[:, None], x[0:2, 1:3], x[::2]


@row("tensors", "torch.arange(24.0).reshape(2, 3, 4),")
def tensor_index_behind_ellipsis(x):
    return x[..., 1:], x[0, ..., 2], x[..., None], x[..., None, 0], x[None, ..., 1]


@row("tensors", "torch.arange(12.0).reshape(3, 4),")
def tensor_index_by_tensor(x):
    i = torch.tensor([0, 2])
    return x[i], x[:, i], x[x > 4], x[0, i]


@row("tensors", "torch.arange(12.0).reshape(3, 4),")
def tensor_index_by_list(x):
    return x[[0, 2]]


@row("tensors", "torch.zeros(3, 4),")
def tensor_assignment(x):
    y = x.clone()
    y[0] = 1
    y[1, 2] = 5.0
    y[2] = torch.ones(4)
    y[:, 0] = 7
    return y


@row("tensors", "torch.arange(6.0).reshape(2, 3),")
def tensor_masked_assignment(x):
    y = x.clone()
    y[y > 2] = 0
    return y


@row("tensors", "torch.zeros(3, 4),")
def tensor_augmented_item(x):
    y = x.clone()
    y[0] += 2
    y[1, 1] -= 1
    return y


@row("tensors", *X)
def tensor_in_place(x):
    y = x.clone()
    y += 1
    y *= 2
    y.sub_(1)
    return y


@row("tensors", *X)
def tensor_operators(x):
    return x + 1, 1 - x, x * x, x / 2, x // 2, x % 2, x**2, -x, x > 0, x == x, 2 * x


@row("tensors", "torch.ones(2, 3), torch.ones(3, 2)")
def tensor_matmul(x, y):
    return x @ y


@row("tensors", *N)
def tensor_creation(n: int):
    return torch.zeros(n, 2), torch.ones([2, n]), torch.arange(n), torch.full((2,), 3.5), torch.eye(n)


@row("tensors", "2.5,")
def tensor_of_numbers(f: float):
    return torch.tensor([1, 2]), torch.tensor([[1.0, f]]), torch.tensor(f), torch.tensor(True), torch.tensor([1], dtype=torch.float64)


@row("tensors", *X)
def tensor_dtype(x):
    return x.to(torch.float64), x.to(dtype=torch.int64), x.double()


@row("tensors", "torch.tensor([1.0, -2.0, 3.0]),", "torch.tensor([4]),")
def tensor_item(x):
    return float(x[0].item()) + 1.0


@row("tensors", *X)
def tensor_cat(x):
    return torch.cat([x, x], dim=0), torch.stack((x, x))


@row("tensors", "torch.arange(6.0),")
def tensor_split(x):
    a, b = torch.split(x, 3)
    c, d, e = x.chunk(3)
    return a + b, c + d + e


@row("tensors", "torch.arange(6.0).reshape(2, 3),")
def tensor_unpack(x):
    a, b = x.unbind(0)
    return a * b


@row("tensors", *X)
def tensor_sizes_of_others(x):
    return torch.zeros(x.size(0)), torch.ones(x.shape), x.new_zeros(2)


# --- Errors and prints


@row("errors", *X)
def assertion(x):
    assert x.numel() > 0, "empty"
    assert x.dim() > 0
    return x


@row("errors", "3,", "0,")
def raise_in_branch(n: int):
    if n < 0:
        raise ValueError(f"negative: {n}")
    return n


@row("errors", "1,", "2,")
def raise_in_else(n: int):
    if n == 1:
        s = "a"
    elif n == 2:
        s = "b"
    else:
        raise RuntimeError("other")
    return s


@row("errors", *N)
def printing(n: int):
    print("n is", n, [1, 2], 1.5)
    return n


@row("errors", *X)
def scripting(x):
    if torch.jit.is_scripting():
        return x + 1
    else:
        return x + 1

# --- NamedTuples, Enums, classes


class Point(NamedTuple):
    x: Tensor
    y: int = 3


class Pair(NamedTuple):
    a: int
    b: str


Plain = namedtuple("Plain", ["first", "second"])


class Color(Enum):
    RED = 1
    GREEN = 2


class Mode(Enum):
    FAST = "fast"
    SLOW = "slow"


class Counter:
    def __init__(self, start: int):
        self.n = start
        self.history: List[int] = []
        self.last = torch.jit.annotate(Optional[int], None)

    def add(self, k: int) -> int:
        self.n += k
        self.history.append(k)
        self.last = k
        return self.n

    def reset(self):
        self.n = 0

    @property
    def double(self) -> int:
        return self.n * 2

    @staticmethod
    def three() -> int:
        return 3


class Vec:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, o: "Vec") -> "Vec":
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: "Vec") -> "Vec":
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k: float) -> "Vec":
        return Vec(self.x * k, self.y * k)

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __eq__(self, o: "Vec") -> bool:
        return self.x == o.x and self.y == o.y

    def __lt__(self, o: "Vec") -> bool:
        return self.x < o.x

    def __getitem__(self, k: int) -> float:
        return self.x if k == 0 else self.y

    def __setitem__(self, k: int, v: float):
        if k == 0:
            self.x = v
        else:
            self.y = v

    def __len__(self) -> int:
        return 2

    def __contains__(self, v: float) -> bool:
        return v == self.x or v == self.y

    def __call__(self, k: float) -> float:
        return self.x * k + self.y

    def __str__(self) -> str:
        return f"<{self.x}, {self.y}>"


class Scale:
    def __init__(self, k: float):
        self.k = k

    def __enter__(self) -> float:
        self.k *= 2.0
        return self.k

    def __exit__(self, kind: Any, value: Any, trace: Any):
        self.k = -1.0


class Holder:
    def __init__(self, x: Tensor):
        self.x = x
        self.inner = Counter(1)
        self.table: Dict[str, int] = {}

    def put(self, k: str, v: int):
        self.table[k] = v
        self.inner.add(v)

    @property
    def total(self) -> int:
        return self.inner.n

    @total.setter
    def total(self, v: int):
        self.inner.n = v


@dataclass
class Config:
    width: int
    rate: float = 0.5
    names: List[str] = field(default_factory=list)

    def area(self) -> float:
        return self.width * self.rate


P = ("Point(torch.ones(2)),", "Point(torch.zeros(3), 7),")
E = ("Color.RED,", "Color.GREEN,")


@row("named tuples", *X)
def make_point(x):
    return Point(x, 2)


@row("named tuples", *X)
def make_point_default(x):
    p = Point(x)
    return p.x, p.y


@row("named tuples", *X)
def make_point_keywords(x):
    p = Point(y=5, x=x)
    return p.y, p.x


@row("named tuples", *P)
def point_argument(p: Point):
    return p.x * p.y


@row("named tuples", *P)
def point_unpacked(p: Point):
    x, y = p
    return x + y


@row("named tuples", *P)
def point_index(p: Point):
    return p[0], p[1], p[-1]


@row("named tuples", *P)
def point_returned(p: Point) -> Point:
    return Point(p.x + 1, p.y)


@row("named tuples", "[Point(torch.ones(2)), Point(torch.ones(1), 4)],")
def list_of_points(v: List[Point]):
    total = 0
    for p in v:
        total += p.y
    return total, v[0].x


@row("named tuples", *X)
def points_in_list(x):
    v = [Point(x, i) for i in range(3)]
    return v[2].y, v[1]


@row("named tuples", "{'a': Point(torch.ones(2))},")
def dict_of_points(d: Dict[str, Point]):
    return d["a"].y


@row("named tuples", "None,", "Point(torch.ones(2)),")
def optional_point(p: Optional[Point]):
    if p is None:
        return 0
    return p.y


@row("named tuples", *N)
def point_in_branch(n: int):
    if n > 0:
        p = Pair(n, "up")
    else:
        p = Pair(-n, "down")
    return p.a, p.b


@row("named tuples", *N)
def point_in_loop(n: int):
    p = Pair(0, "")
    for i in range(n):
        p = Pair(p.a + i, p.b + "x")
    return p


@row("named tuples", *N, ours="PyTorch has no == of NamedTuples")
def point_equal(n: int):
    return Pair(n, "a") == Pair(1, "a"), Pair(n, "a") != Pair(1, "b")


@row("named tuples", *N, ours="PyTorch prints it as a tuple")
def point_text(n: int):
    return str(Pair(n, "k")), f"{Pair(n, 'q')}"


@row("named tuples", *N, ours="PyTorch has no _replace")
def point_replace(n: int):
    return Pair(n, "k")._replace(b="z")


@row("named tuples", *P)
def point_length(p: Point):
    return len(p)


@row("named tuples", *X)
def plain_namedtuple(x):
    p = Plain(x, x + 1)
    return p.second - p.first, p


@row("named tuples", *X)
def point_to_function(x):
    return _norm(Point(x, 2))


def _norm(p: Point):
    return p.x.sum() * p.y


@row("named tuples", *P)
def point_of_tuples(p: Point):
    t = (p, 3)
    q, n = t
    return q.y + n


@row("enums", *E)
def enum_compare(c: Color):
    if c == Color.RED:
        return 1
    return 0


@row("enums", *E)
def enum_not_equal(c: Color):
    return c != Color.GREEN


@row("enums", *E, ours="PyTorch says False of a member that came from outside")
def enum_is(c: Color):
    return c is Color.RED, c is not Color.RED


@row("enums", *E)
def enum_name_and_value(c: Color):
    return c.name, c.value


@row("enums", "Mode.FAST,", "Mode.SLOW,")
def enum_of_strs(m: Mode):
    return m.value + "!"


FAVOURITE = Color.RED
WEIGHT = torch.tensor([2.0])


@row("enums", *N)
def enum_constant(n: int):
    return Color.RED.value + n, Color.GREEN.name


@row("enums", *N)
def enum_returned(n: int):
    if n > 0:
        return Color.GREEN
    return Color.RED


@row("enums", *N)
def enum_iterated(n: int):
    return [c.value + n for c in Color]


@row("enums", *N)
def enum_loop(n: int):
    total = n
    for c in Color:
        total += c.value
    return total


@row("enums", *E, ours="PyTorch has no `in` for them")
def enum_in_tuple(c: Color):
    return c in (Color.RED,), c in [Color.GREEN]


@row("enums", *E, ours="PyTorch has no Color['RED']")
def enum_by_name(c: Color):
    return c == Color["RED"]


@row("enums", "None,", "Color.RED,")
def enum_optional(c: Optional[Color]):
    if c is None:
        return 0
    return c.value


@row("enums", "[Color.RED, Color.GREEN],")
def enum_list(v: List[Color]):
    return [c.name for c in v]


@row("enums", *E, ours="PyTorch writes <Enum ...>")
def enum_text(c: Color):
    return str(c), f"{c}"


@row("enums", *E)
def enum_default(c: Color, d: Color = Color.RED):
    return c == d


@row("classes", *N)
def object_made(n: int):
    c = Counter(n)
    return c.n


@row("classes", *N)
def object_method(n: int):
    c = Counter(n)
    c.add(3)
    c.add(4)
    return c.n, c.history


@row("classes", *N)
def object_identity(n: int):
    a = Counter(n)
    b = a
    b.add(1)
    return a.n, a is b


@row("classes", *N)
def object_two(n: int):
    a = Counter(n)
    b = Counter(n)
    a.add(1)
    return a.n, b.n


@row("classes", *N)
def object_attribute_set(n: int):
    c = Counter(0)
    c.n = n
    c.n += 2
    return c.n


@row("classes", *N)
def object_property(n: int):
    return Counter(n).double


@row("classes", *N)
def object_setter(n: int):
    h = Holder(torch.ones(1))
    h.total = n
    return h.total, h.inner.n


@row("classes", *N, ours="PyTorch finds static methods by the class alone")
def object_static(n: int):
    return Counter.three() + n, Counter(1).three()


@row("classes", *N)
def object_in_loop(n: int):
    c = Counter(0)
    for i in range(n):
        c.add(i)
    return c.n


@row("classes", *N)
def object_in_branch(n: int):
    c = Counter(1)
    if n > 0:
        c.add(n)
    else:
        c.reset()
    return c.n


@row("classes", *N)
def object_from_branch(n: int):
    if n > 0:
        c = Counter(n)
    else:
        c = Counter(100)
    return c.add(1)


@row("classes", *N)
def object_optional_attribute(n: int):
    c = Counter(n)
    if n > 0:
        c.add(5)
    last = c.last
    if last is None:
        return -1
    return last


@row("classes", *N)
def object_list(n: int):
    v = [Counter(i) for i in range(n + 1)]
    v[0].add(7)
    return [c.n for c in v]


@row("classes", *N)
def object_dict(n: int):
    d: Dict[str, Counter] = {}
    d["a"] = Counter(n)
    d["a"].add(1)
    return d["a"].n


@row("classes", *N)
def object_none(n: int):
    c: Optional[Counter] = None
    if n > 0:
        c = Counter(n)
    if c is not None:
        return c.n
    return 0


@row("classes", *N)
def object_to_function(n: int):
    c = Counter(n)
    _grow(c)
    _grow(c)
    return c.n


def _grow(c: Counter):
    c.add(10)


@row("classes", *N)
def object_from_function(n: int):
    return _counter(n).n


def _counter(n: int) -> Counter:
    c = Counter(n)
    c.add(1)
    return c


@row("classes", *N)
def object_in_object(n: int):
    h = Holder(torch.ones(2))
    h.put("a", n)
    h.put("b", 2)
    return h.inner.n, h.table


@row("classes", "Counter(4),", "Counter(0),")
def object_argument(c: Counter):
    return c.add(3)


@row("classes", *N)
def object_returned(n: int):
    c = Counter(n)
    c.add(2)
    return c


@row("classes", "[Counter(1), Counter(2)],")
def object_list_argument(v: List[Counter]):
    return v[0].n + v[1].n


@row("classes", "Holder(torch.ones(2)),")
def object_with_tensor(h: Holder):
    return h.x + h.inner.n


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_add(a: float, b: float):
    v = Vec(a, b) + Vec(1.0, 1.0)
    return v.x, v.y


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_operators(a: float, b: float):
    v = (Vec(a, b) - Vec(b, a)) * 2.0
    w = -v
    return v.x, w.y


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_compare(a: float, b: float):
    return Vec(a, b) == Vec(1.0, 2.0), Vec(a, b) < Vec(b, a)


@row("classes", "1.0, 2.0", "0.5, 0.5", ours="PyTorch has no != without __ne__")
def vec_not_equal(a: float, b: float):
    return Vec(a, b) != Vec(1.0, 2.0)


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_items(a: float, b: float):
    v = Vec(a, b)
    v[0] = 7.0
    return v[0], v[1]


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_len_and_in(a: float, b: float):
    v = Vec(a, b)
    return len(v), 1.0 in v


@row("classes", "1.0, 2.0", "0.5, 0.5")
def vec_call(a: float, b: float):
    v = Vec(a, b)
    return v(3.0)


@row("classes", "1.0, 2.0", "0.5, 0.5", ours="PyTorch writes 1.0 as 1.")
def vec_text(a: float, b: float):
    return str(Vec(a, b))


@row("classes", "1.0, 2.0", ours="PyTorch has no augmented items of objects")
def vec_item_augmented(a: float, b: float):
    v = Vec(a, b)
    v[1] += 1.0
    return v.y


@row("classes", "1.0, 2.0")
def vec_augmented(a: float, b: float):
    v = Vec(a, b)
    v = v + v
    return v.x


@row("classes", *N)
def object_while(n: int):
    c = Counter(0)
    while c.n < n:
        c.add(1)
    return c.n, len(c.history)


@row("classes", *N)
def object_early_return(n: int):
    c = Counter(n)
    if c.n > 3:
        return c.double
    c.add(1)
    return c.n


@row("classes", *N)
def object_attribute_list(n: int):
    c = Counter(0)
    c.history.append(n)
    c.history += [1, 2]
    return c.history


@row("dataclasses", *N, ours="PyTorch compiles a dataclass only where it is decorated, and without default_factory")
def data_made(n: int):
    c = Config(n)
    return c.width, c.rate


@row("dataclasses", *N, ours="PyTorch compiles a dataclass only where it is decorated, and without default_factory")
def data_keywords(n: int):
    return Config(width=n, rate=2.0).area()


@row("dataclasses", *N, ours="PyTorch does not know default_factory")
def data_factory(n: int):
    c = Config(n)
    c.names.append("a")
    return c.names, Config(1).names


@row("dataclasses", "Config(3),", "Config(1, 4.0),", ours="PyTorch does not know default_factory")
def data_argument(c: Config):
    c.width += 1
    return c.area()


@row("dataclasses", *N, ours="PyTorch does not know default_factory")
def data_equal(n: int):
    return Config(n) == Config(1), Config(n) != Config(5)


@row("dataclasses", *N, ours="PyTorch has no text of a dataclass")
def data_text(n: int):
    return str(Config(n, 0.25, ["a"]))


# --- Any and Union


@row("any and union", "3,", "2.5,", "'abc',")
def any_argument(v: Any):
    if isinstance(v, int):
        return v + 1
    if isinstance(v, str):
        return len(v)
    return -1


@row("any and union", "3,", "[1, 2],")
def any_list(v: Any):
    if torch.jit.isinstance(v, List[int]):
        return v[0]
    return -1


@row("any and union", "3,", "5,")
def any_assert(v: Any) -> int:
    assert isinstance(v, int)
    return v * 2


@row("any and union", "3,", "'abc',")
def union_argument(v: Union[int, str]):
    if isinstance(v, int):
        return v + 1
    else:
        return len(v)


@row("any and union", "3,", "'abc',", "[7, 8],")
def union_of_three(v: Union[int, str, List[int]]):
    if isinstance(v, int):
        return v
    elif isinstance(v, str):
        return len(v)
    else:
        return v[0]


@row("any and union", "3,", "None,", "'a',")
def union_with_none(v: Union[int, str, None]) -> int:
    if v is None:
        return -1
    if isinstance(v, int):
        return v
    return 100


@row("any and union", "3,", "2.5,", "'a',")
def union_of_two_types(v: Union[int, float, str]):
    if isinstance(v, (int, float)):
        return 1
    return 2


@row("any and union", "3,", "torch.ones(2),")
def union_tensor(v: Union[int, Tensor]):
    if isinstance(v, Tensor):
        return v + 1
    return torch.ones(2) * v


@row("any and union", *N)
def union_result(n: int) -> Union[int, str]:
    if n > 0:
        return n
    return "none"


@row("any and union", *N)
def union_variable(n: int):
    v: Union[int, str] = n
    if n > 3:
        v = "big"
    if isinstance(v, str):
        return 1
    return 0


@row("any and union", "3,", "'abc',")
def union_new_style(v: int | str):
    if isinstance(v, str):
        return v + "!"
    return "n"


@row("any and union", "3,", "'abc',")
def union_negated(v: Union[int, str]):
    if not isinstance(v, int):
        return len(v)
    return v


@row("any and union", "3,", "'abc',")
def union_in_condition(v: Union[int, str]):
    return isinstance(v, int) and v > 2


@row("any and union", "{'a': 1},", "3,")
def union_dict(v: Union[int, Dict[str, int]]):
    if isinstance(v, int):
        return v
    return v["a"]


# --- with, try


@row("with", *X)
def with_no_grad(x):
    with torch.no_grad():
        y = x * 2
    return y


@row("with", "torch.ones(2, requires_grad=True),")
def with_no_grad_gradient(x):
    with torch.no_grad():
        y = x * 2
    z = x * 3
    return y.requires_grad, z.requires_grad


@row("with", "torch.ones(2, requires_grad=True),", ours="PyTorch cannot script enable_grad in no_grad like this")
def with_enable_grad(x):
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
        z = x * 2
    return y.requires_grad, z.requires_grad


@row("with", "torch.ones(2, requires_grad=True), 1", "torch.ones(2, requires_grad=True), 5", ours="PyTorch fails with an internal error")
def with_return(x, n: int):
    with torch.no_grad():
        if n == 1:
            return x * 2
        x = x * 3
    return x + 1


@row("with", "torch.ones(2, requires_grad=True),", ours="PyTorch has no break in with")
def with_break(x):
    n = 0
    for i in range(4):
        with torch.no_grad():
            if i == 2:
                break
            n += i
    return n, (x * 2).requires_grad


@row("with", "2.0,", "-1.0,")
def with_object(k: float):
    s = Scale(k)
    with s as v:
        w = v + 1.0
    return w, s.k


@row("with", "2.0,", "-1.0,")
def with_object_without_name(k: float):
    s = Scale(k)
    with s:
        w = s.k
    return w, s.k


@row("with", "2.0,")
def with_two(k: float):
    a = Scale(k)
    b = Scale(3.0)
    with a as x, b as y:
        z = x + y
    return z, a.k, b.k


@row("with", *X)
def with_record_function(x):
    with torch.autograd.profiler.record_function("name"):
        y = x + 1
    return y


@row("with", "torch.ones(2, requires_grad=True), False", "torch.ones(2, requires_grad=True), True", ours="PyTorch does not script it")
def with_set_grad_enabled(x, on: bool):
    with torch.set_grad_enabled(on):
        y = x * 2
    return y.requires_grad


@row("with", *N, ours="PyTorch has no try")
def try_finally(n: int):
    v: List[int] = []
    try:
        v.append(n)
    finally:
        v.append(100)
    return v


@row("with", *N, ours="PyTorch has no try")
def try_finally_return(n: int):
    v = [0]
    try:
        if n == 1:
            return v
        v.append(1)
    finally:
        v.append(2)
    return v


@row("with", *N, ours="PyTorch has no try")
def try_finally_loop(n: int):
    v: List[int] = []
    for i in range(6):
        try:
            if i == n:
                continue
            if i == n + 2:
                break
            v.append(i)
        finally:
            v.append(-i)
    return v


# --- More statements


@row("loops", *N, ours="PyTorch has no else of loops")
def for_else(n: int):
    for i in range(4):
        if i == n:
            break
    else:
        n = 100
    return n


@row("loops", *N, ours="PyTorch has no else of loops")
def while_else(n: int):
    k = 0
    while k < 3:
        if k == n:
            break
        k += 1
    else:
        k = -1
    return k


@row("loops", *N, ours="PyTorch has no else of loops")
def for_else_return(n: int):
    for i in range(4):
        if i == n:
            return "in"
    else:
        n += 1
    return f"out {n}"


@row("loops", *N, ours="PyTorch has no else of loops")
def nested_for_else(n: int):
    found: List[int] = []
    for a in range(2, n + 4):
        for b in range(2, a):
            if a % b == 0:
                break
        else:
            found.append(a)
    return found


@row("loops", "(1, 2.5, 3), 2", "(1, 2.5, 3), 9", ours="PyTorch has no break or continue in a loop over a tuple")
def tuple_loop_break(t: Tuple[int, float, int], n: int):
    total = 0.0
    for v in t:
        if v > n:
            break
        total += v
    return total


@row("loops", "(1, 2, 3), 2", "(1, 2, 3), 9", ours="PyTorch has no break or continue in a loop over a tuple")
def tuple_loop_continue(t: Tuple[int, int, int], n: int):
    total = 0
    for v in t:
        if v == n:
            continue
        total += v
    return total


@row("loops", "(1, 2, 3), 2", "(1, 2, 3), 9", ours="PyTorch has no break or continue in a loop over a tuple")
def tuple_loop_return(t: Tuple[int, int, int], n: int):
    for v in t:
        if v == n:
            return v
        if v > n:
            break
    return -1


@row("lists", *L, ours="PyTorch has no del of a slice")
def delete_slice(v: List[int]):
    del v[1:]
    return v


@row("lists", *L, ours="PyTorch has no del of a slice")
def delete_steps(v: List[int]):
    del v[::2]
    return v


@row("lists", *L, ours="PyTorch has no assignment to a slice of a list")
def assign_slice(v: List[int]):
    v[1:2] = [7, 8, 9]
    v[:0] = [5]
    return v


@row("lists", "[1, 2, 3],", "[1, 2, 3, 4, 5],", ours="PyTorch has no starred target for a list")
def starred_list(v: List[int]):
    a, *b, c = v
    return a, b, c


@row("lists", *L, ours="PyTorch has no map")
def map_of_list(v: List[int]):
    return list(map(abs, v))


@row("lists", *L, ours="PyTorch has no lambda")
def map_of_lambda(v: List[int]):
    return list(map(lambda k: k * 2, v))


@row("lists", *N, ours="PyTorch has one for in a comprehension")
def two_fors(n: int):
    return [i * j for i in range(n) for j in range(i)]


@row("lists", *N, ours="PyTorch has one for in a comprehension")
def two_fors_and_ifs(n: int):
    return [i + j for i in range(n) if i % 2 == 0 for j in range(n) if j > i]


@row("lists", *N, ours="PyTorch has no condition in a comprehension")
def filtered(n: int):
    return [i for i in range(n) if i % 2 == 1]


@row("lists", "[[1, 2], [3]],", ours="PyTorch has one for in a comprehension")
def flattened(v: List[List[int]]):
    return [k for part in v for k in part]


@row("lists", *N)
def sum_of_generator(n: int):
    return sum([i * i for i in range(n)])


@row("lists", *N)
def sum_of_a_generator(n: int):
    return sum(i * i for i in range(n))


@row("lists", *L)
def any_all_of_generator(v: List[int]):
    return any(k > 3 for k in v), all(k > 0 for k in v)


@row("lists", *N, ours="PyTorch has no walrus")
def walrus(n: int):
    if (m := n * 2) > 1:
        return m
    return -m


@row("lists", *N, ours="PyTorch has no walrus")
def walrus_in_while(n: int):
    total = 0
    while (left := n - total) > 0:
        total += 1 + left // 2
    return total, left


@row("lists", *N, ours="PyTorch has no set")
def in_a_set(n: int):
    return n in {0, 5}, n not in {1}


@row("dicts", *N)
def dict_comprehension_squares(n: int):
    return {i: i * i for i in range(n)}


@row("dicts", *N, ours="PyTorch has no condition in a comprehension")
def dict_comprehension_filtered(n: int):
    return {str(i): i for i in range(n) if i > 1}


@row("dicts", "{'a': 1}, {'a': 2, 'b': 3}", ours="PyTorch has no ** in a dict")
def merged_dicts(a: Dict[str, int], b: Dict[str, int]):
    return {**a, **b, "c": 9}


@row("dicts", *N)
def dict_of_keywords(n: int):
    return dict(a=n, b=2)


@row("dicts", "['a', 'b'], [1, 2]")
def dict_of_zip(k: List[str], v: List[int]):
    return dict(zip(k, v))


@row("strings", "3,", "-42,", ours="PyTorch has no formats in f-strings")
def format_int(n: int):
    return f"{n:03d}|{n:>5}|{n:<5}|{n:+}|{n:x}|{n:,}|{n:^7}"


@row("strings", "3.14159,", "-0.5,", "1e10,", ours="PyTorch has no formats in f-strings")
def format_float(f: float):
    return f"{f:.2f}|{f:8.3f}|{f:e}|{f:g}|{f:+.1f}|{f:%}"


@row("strings", *S, ours="PyTorch has no formats in f-strings")
def format_str(s: str):
    return f"{s:>8}|{s:<8}|{s:^9}|{s!r}|{s:.2}|{s:*>6}"


@row("strings", "3, 2.5, 'a'", ours="PyTorch has no % of strs")
def percent(n: int, f: float, s: str):
    return "%d of %s, %5.2f%%, %-4s|%04d" % (n, s, f, s, n)


@row("strings", "3,")
def percent_of_one(n: int):
    return "n=%d" % n


@row("strings", "3, 2.5", ours="PyTorch's format has no formats")
def format_method_with_formats(n: int, f: float):
    return "{:>4}|{:.1f}|{1:g}".format(n, f) if n < 0 else "{0:>4}|{1:.1f}".format(n, f)


@row("strings", *S)
def repr_of_str(s: str):
    return [s, s]


@row("functions", *N, ours="PyTorch has no lambda")
def lambda_local(n: int):
    f = lambda k, j=2: k * j + n
    return f(3), f(3, 4)


@row("functions", *N, ours="PyTorch has no lambda")
def lambda_argument(n: int):
    return _twice(lambda k: k + 1, n)


def _twice(f, n: int):
    return f(f(n))


@row("functions", *X, ours="PyTorch has no ** in a call")
def keywords_from_dict(x):
    return torch.sum(**{"input": x, "dim": 0})


@row("functions", *N, ours="PyTorch has no *args")
def arguments_of_known_count(n: int):
    return _total(1, n, 3), _total()


def _total(*args: int):
    total = 0
    for k in args:
        total += k
    return total


@row("functions", *N, ours="PyTorch has no **kwargs")
def keywords_of_known_names(n: int):
    return _named(a=n, b=2), _named(b=1)


def _named(**kwargs: int):
    total = kwargs.get("a", 10)
    for k, v in kwargs.items():
        total += v
    if "b" in kwargs:
        total += kwargs["b"] * 100
    return total, len(kwargs)


@row("functions", *N, ours="PyTorch has no *args")
def arguments_passed_on(n: int):
    return _forward(n, 2, scale=3)


def _forward(*args: int, **kwargs: int):
    return _scaled(*args, **kwargs)


def _scaled(a: int, b: int, scale: int = 1):
    return (a + b) * scale


@row("functions", "2,", "3,", ours="PyTorch has no keyword-only arguments with defaults")
def keyword_only(n: int):
    return _keyword_only(1, b=n)


def _keyword_only(a: int, *, b: int, c: int = 5):
    return a * 100 + b * 10 + c


@row("functions", "2,", "3,", ours="PyTorch's nested functions take tensors")
def nested_function_of_ints(n: int):
    def inner(k: int) -> int:
        return k + n

    return inner(1) + inner(2)


@row("functions", "2,", "2, 9", ours="PyTorch's nested functions take tensors")
def nested_default_of_the_same_name(n: int, k: int = 5):
    def inner(k: int = 7) -> int:
        return k + n

    return inner() + k


@row("functions", *X)
def fork_and_wait(x):
    f = torch.jit.fork(_plus_one, x)
    return torch.jit.wait(f)


def _plus_one(x):
    return x + 1


@row("functions", *X)
def forks_in_a_list(x):
    futures: List[torch.jit.Future[Tensor]] = []
    for i in range(3):
        futures.append(torch.jit.fork(_times, x, i))
    total = torch.zeros(1)
    for f in futures:
        total = total + torch.jit.wait(f).sum()
    return total


def _times(x, k: int):
    return x * k


@row("functions", *X, ours="PyTorch takes no tensor from outside")
def tensor_from_outside(x):
    return x.sum() + WEIGHT


@row("functions", *N, ours="PyTorch takes no number from outside")
def constants_from_outside(n: int):
    return n * SCALE, NAME, n + SIZES[0]


@row("functions", *N)
def enum_from_outside(n: int):
    return FAVOURITE == Color.RED, n


@row("functions", *X)
def warns(x):
    if x.sum() > 1e9:
        warnings.warn("large")
    return x


@row("functions", *X, ours="PyTorch's hasattr asks objects only")
def asks_attributes(x):
    return hasattr(x, "shape"), hasattr(x, "nothing_of_it")


@row("functions", "Counter(2),")
def asks_attributes_of_objects(c: Counter):
    return hasattr(c, "n"), hasattr(c, "nothing")


@row("functions", *X)
def reads_attribute_by_name(x):
    return getattr(x, "shape")[0]


@row("tensors", *X, ours="PyTorch writes tensors in another way")
def text_of_tensor(x):
    return str(x), f"{x}"


@row("tensors", "torch.ones(2),", "torch.ones(2, dtype=torch.int64),")
def dtype_questions(x):
    return x.dtype == torch.float32, x.dtype != torch.int64


@row("tensors", "torch.ones(2),", ours="PyTorch gives a number for a dtype")
def dtype_text(x):
    return str(x.dtype)


@row("tensors", "torch.ones(2),")
def device_questions(x):
    return x.device.type, x.device == torch.device("cpu"), str(x.device), x.device.index


@row("tensors", "torch.device('cpu'),")
def device_argument(d: torch.device):
    return torch.ones(2, device=d)


@row("tensors", "torch.float64,", "torch.int64,")
def dtype_argument(t: torch.dtype):
    return torch.ones(2, dtype=t)


@row("tensors", "torch.ones(2, requires_grad=True),", "torch.ones(2),")
def requires_grad_question(x):
    return x.requires_grad

@row("types", "[1, 2],")
def broadcasting_list(v: List[int]):
    return _pooled(v)


def _pooled(size: BroadcastingList2[int]):
    return size[0]


@row("types", *N, ours="PyTorch knows Final in modules alone")
def final_local(n: int):
    k: Final[int] = n + 1
    return k


@row("types", "torch.ones(2), None", "torch.ones(2), torch.ones(2)")
def optional_tensor_pair(x, y: Optional[Tensor]):
    if y is None:
        y = x
    return x + y


@row("types", "{1: [1.0, 2.0], 2: []},")
def dict_of_int_to_lists(d: Dict[int, List[float]]):
    return len(d[1]) + len(d[2])


@row("types", "([1, 2], {'a': 'b'}),")
def nested_tuple_argument(t: Tuple[List[int], Dict[str, str]]):
    v, d = t
    return v[1], d["a"]


@row("branches", *N)
def branch_of_branches(n: int):
    s = ""
    if n > 0:
        if n > 3:
            s += "a"
        else:
            s += "b"
        s += "c"
    return s


@row("branches", "3, None", "3, 4")
def optional_in_and(a: int, b: Optional[int]):
    if b is not None and b > a:
        return b
    return a


@row("branches", "3, None", "3, 4")
def optional_in_or(a: int, b: Optional[int]):
    return b is None or b > a


@row("loops", *N)
def loop_over_zip_and_enumerate(n: int):
    total = 0
    for i, (a, b) in enumerate(zip(range(n), [1, 2, 3])):
        total += i * a + b
    return total


@row("loops", "{'a': 1, 'b': 2},")
def loop_over_items(d: Dict[str, int]):
    keys = ""
    total = 0
    for k, v in d.items():
        keys += k
        total += v
    return keys, total


@row("lists", *L)
def sort_a_copy(v: List[int]):
    w = sorted(v)
    v.sort(reverse=True)
    return v, w


@row("strings", "'a,b,c',", "'',")
def split_and_join(s: str):
    return "-".join(s.split(",")), [len(k) for k in s.split(",")]


@row("tensors", *X)
def slices_and_masks(x):
    y = x[x > 0]
    return y, x[..., 0], x[-1:], x[None]


@row("tensors", *X)
def shape_arithmetic(x):
    n = x.shape[0] * 2
    return torch.zeros(n, x.dim()), x.numel() // n


@row("refinement", "None,", "torch.ones(2),")
def assert_after_branch(x: Optional[Tensor]):
    if x is None:
        x = torch.zeros(1)
    assert x is not None
    return x + 1


@row("errors", "1,", "2,")
def raise_in_function(n: int):
    return _positive(n) + 1


def _positive(n: int) -> int:
    if n <= 0:
        raise ValueError("n must be positive")
    return n


@row("lists", *L, ours="PyTorch's sorted() takes no reverse")
def sorted_reverse(v: List[int]):
    return sorted(v, reverse=True), sorted(v, reverse=False), v


@row("lists", "torch.tensor([0.5, 2.0, 1.0]), ['a', 'b', 'c']", "torch.tensor([3.0, 2.0]), ['a', 'b']")
def list_index_of_tensor(x, names: List[str]):
    return names[x.argmax()], [names[k] for k in x.argsort()]


@row("loops", *L, ours="PyTorch has no else of loops")
def for_else_always(v: List[int]) -> int:
    n = 0
    for x in v:
        n += x
    else:
        return n * 2


@row("loops", *N)
def type_after_return(n: int):
    parts = []
    if n == 0:
        return torch.zeros(1)
    for i in range(n):
        parts.append(torch.ones(1) * i)
    parts = torch.cat(parts)
    return parts


@row("tuples", "(1, 'a'), (1, 'b')", "(2, 'a'), (1, 'b')", "(1, 'b'), (1, 'b')", ours="PyTorch has no order of tuples")
def tuple_order(a: Tuple[int, str], b: Tuple[int, str]):
    return a < b, a <= b, a > b, a >= b


@row("numbers", *N, ours="PyTorch has no ~ of an int")
def invert_int(n: int):
    return ~n, ~(n + 1)


@row("numbers", "torch.ones(2), 1.0", "torch.ones(1), -0.5")
def complex_arithmetic(x, a: float):
    c = complex(a, 2)
    d = c * 2
    e = complex(1, 2) + complex(3, 4)
    return x * d + e, d * e, c - d, e == d, -c, c != d, abs(e)


@row("refinement", *N)
def none_in_one_arm(n: int):
    if n > 0:
        m = torch.ones(1) * n
    else:
        m = None
    if m is None:
        return torch.zeros(1)
    return m + 1


def _larger(x: Optional[Tensor]) -> Optional[Tensor]:
    if x is None:
        return None
    if x.sum() > 3:
        return x * 2
    return None


@row("refinement", "torch.ones(2), 1", "torch.ones(5), 1", "torch.ones(500), 1")
def refined_in_front_of_a_loop(x, n: int) -> Tuple[Tensor, int]:
    y = _larger(x)
    if y is None:
        return x, n
    while True:
        y = y * 2
        n += 1
        if n > 5:
            break
        if y.sum() > 1000:
            return y, -n
    return y, n


def _scaled_by(x, k: float, n: int = 2) -> Tensor:
    return x * k + n


@row("functions", "torch.tensor([0.25, 2.0]),")
def tensors_for_numbers(x):
    return _scaled_by(x, torch.sin(torch.tensor(0.5))), _scaled_by(x, 1.0, x.argmax())


@row("functions", "torch.arange(16.0).reshape(1, 4, 4),", ours="PyTorch compiles it, and a call that uses the default fails")
def a_number_as_the_default_of_a_broadcasting_list(x, k: BroadcastingList2[int] = 2):
    return torch.max_pool2d(x, k)


@row("refinement", "torch.ones(2),")
def unwrapped_optional(x: Optional[Tensor]):
    return torch.jit._unwrap_optional(x) + 1


@row("tensors", "torch.arange(6.0).reshape(2, 3), 2")
def slices_as_values(x, n: int):
    s = slice(0, n)
    return x[:, s], x[slice(1)], x[0, slice(None, None, 2)]


@row("lists", "[1, 2, 3, 4],")
def a_slice_of_a_list(x: List[int]):
    s = slice(1, 3)
    return x[s], x[slice(None, None, 2)]


@row("types", "torch.ones(2),", "torch.ones(2, dtype=torch.int64),")
def old_types_of_tensors(x: torch.FloatTensor) -> torch.LongTensor:
    return x + 1


@row("tensors", "torch.ones(2),")
def seeds(x):
    torch.manual_seed(3)
    a = torch.rand(2)
    torch.manual_seed(3)
    return (a == torch.rand(2)).all()


@row("strings", "'abc',", "'',")
def hash_of_a_text(s: str):
    return hash(s) == hash(s + ""), hash(s) == hash(s + "x")


@torch.jit.interface
class Shape(object):
    def area(self, k: int) -> float:
        pass


class Square(object):
    def __init__(self, side: float):
        self.side = side

    def area(self, k: int) -> float:
        return self.side * self.side * k


@row("classes", "2.0,", "0.5,")
def an_interface_of_classes(side: float):
    s: Shape = Square(side)
    return s.area(2)


@row("types", "torch.ones(2),", "torch.tensor(3.0),")
def number_of_a_tensor_for_an_optional(x):
    scale: Optional[float] = None
    if x.dim() > 0:
        scale = x.sum().item()
    return -1.0 if scale is None else scale * 2


def an_optional_number(scale: Optional[float], n: Optional[int] = None):
    return (0.0 if scale is None else scale) + (0 if n is None else n)


@row("functions", "torch.ones(2),")
def number_of_a_tensor_as_an_optional_argument(x):
    return an_optional_number(x.sum().item()) + an_optional_number(1.5, x.sum().to(torch.int64).item())


@row("functions", "torch.ones(2),")
def number_of_a_tensor_as_an_optional_result(x) -> Optional[float]:
    return x.sum().item()


@row("types", "torch.ones(2),")
def a_declared_variable_changes_its_type(x):
    parts: List[List[Tensor]] = [[x, x], [x]]
    parts = [torch.cat(t) for t in parts]
    best: Optional[int] = None
    best = "none"
    return parts, best


@row("branches", "torch.ones(2),")
def the_state_of_a_trace(x):
    if torch._C._get_tracing_state():
        return x + 1
    return x


@row("functions", "2, torch.ones(1, 4, 4),", "[4, 1], torch.ones(1, 4, 4),")
def one_number_for_a_list(k: BroadcastingList2[int], x):
    return F.max_pool2d(x, k)


@row("tensors", "torch.ones(2),", "torch.tensor([-1.0, 2.0]),")
def operators_by_their_full_names(x):
    return torch.ops.aten.relu(x) + torch.ops.aten.add(x, x, alpha=2)


@row("branches", "torch.tensor([True, False]), torch.tensor([True, True]),", "torch.tensor([True]), torch.tensor([False]),",
     ours="PyTorch gives a bool, Python one of the tensors")
def tensors_as_operands_of_and(x, y):
    return x.all() and y.any(), x.all() or y.all() or x.any()


@row("functions", "2, [3, 4],", "-1, [5],")
def one_number_for_a_pair(n: int, given: List[int]):
    pair = torch.nn.modules.utils._pair(n)
    same = torch.nn.modules.utils._triple(given)
    return pair[0] + pair[1], len(pair), same[0], len(same)


@row("tensors", "torch.tensor([3, -2]), 0, 4.5,", "torch.tensor([7, 9]), 8, 1.0,")
def larger_of_a_tensor_and_a_number(x, n: int, f: float):
    a, b, c = max(x[0], n), min(n, x[1]), max(float(x[0]), f)
    return int(a), int(b), c


@row("numbers", *N)
def int_power_of_a_constant(n: int):
    return n ** -1 if n != 0 else 0.0, 2**-1


@row("dicts", "torch.ones(2), torch.ones(2)", "torch.ones(3), torch.zeros(2)")
def tensors_as_keys(a: Tensor, b: Tensor):
    d: Dict[Tensor, int] = {a: 1, b: 2}
    d[a] = d[a] + 5
    return d[a], d[b], a.clone() in d, a in d, len(d)


@row("dicts", "1j,", "3 + 4j,")
def complex_keys(z: complex):
    d: Dict[complex, int] = {z: 1, 2j: 2}
    d[1 + 1j] = 7
    return d[z], 2j in d, len(d)


@row("lists", "[1], 1", "[1, 2], 0")
def one_list(a: List[int], n: int):
    b = a
    c = [1, 2]
    d = c if n > 0 else a
    return b is a, c is a, d is c, d is not a


@row("numbers", "0.3 - 0.7j,", "2 + 0j,")
def functions_of_cmath(z: complex):
    return cmath.phase(z), cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z), abs(cmath.sqrt(z) - cmath.exp(cmath.log(z) * 0.5)) < 1e-12


@row("tensors", "torch.ones(2), 2", ours="PyTorch has no starred list of unknown length")
def sizes_one_by_one(x, n: int):
    sizes = [n]
    for k in x.shape:
        sizes.append(k)
    return x.view(*x.shape, 1), torch.zeros(*sizes), [*sizes, 1], x.view((*x.shape, -1))


@row("tensors", "torch.ones(2), True", "torch.ones(2), False")
def number_of_a_tensor_declared(x, b: bool):
    scale: Optional[float] = None
    if b:
        scale = x.max().item()
    return scale


@row("refinement", "None,", "0,", "3,", ours="PyTorch takes no Optional as a condition")
def truth_of_what_may_be_none(n: Optional[int]):
    if n:
        return n + 1
    return 0 if not n else 1


@row("functions", *X, ours="PyTorch has no import in a function")
def import_in_a_function(x):
    import math as m
    from math import floor, sqrt as root

    return x * root(4.0) + floor(2.5) + m.pi


def added(k: float):
    def add(x):
        return x + k

    return add


def applied_twice(f, x):
    k = 100.0  # no k of f
    return f(f(x)) + 0 * k


@row("functions", *X, ours="PyTorch has no function as a value")
def functions_returned(x):
    f = added(1.0)
    g = added(2.0)
    return applied_twice(f, g(x)), f(x)


@row("functions", "torch.ones(2), True", "torch.ones(2), False", ours="PyTorch has no function as a value")
def functions_chosen(x, b: bool):
    f = added(1.0)
    if b:
        f = added(2.0)
    return f(x) * 2


# What is no part of the compiler yet: (section, construct, program). Each is an error that shows its line.
MISSING = [
    ("types", "a class with a base", "class Base:\n    pass\n\nclass Thing(Base):\n    pass\n\ndef f(x):\n    return Thing()\n"),
    ("statements", "try with except", "def f(x):\n    try:\n        y = x.view(2)\n    except ValueError:\n        y = x\n    return y\n"),
    ("statements", "match on the parts of a value", "def f(n: Tuple[int, int]):\n    match n:\n        case (1, y):\n            return y\n    return 0\n"),
    ("statements", "global", "def f(x):\n    global q\n    return x\n"),
    ("statements", "a class in a function", "def f(x):\n    class A:\n        pass\n    return x\n"),
    ("statements", "attribute assignment of a tensor", "def f(x):\n    x.data = x\n    return x\n"),
    ("statements", "recursion", "def f(n: int) -> int:\n    return f(n - 1)\n"),
    ("statements", "async", "async def f(x):\n    return x\n"),
    ("expressions", "set", "def f(n: int):\n    return {n, 1}\n"),
    ("expressions", "await", "def f(x):\n    return await x\n"),
    ("expressions", "yield", "def f(x):\n    yield x\n"),
    ("expressions", "bytes", "def f(x):\n    return b'a'\n"),
    ("builtins", "super", "def f(x):\n    return super().forward(x)\n"),
]
