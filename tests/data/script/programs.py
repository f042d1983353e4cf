# ruff: noqa
# The programs are written as users of TorchScript write them, in old spellings too.
"""Programs in the language of torch.jit.script: one a row, a few lines each, by the sections of PyTorch's language reference.

`row` takes the section and the arguments of each run, as text. tests/python/test_script.py compiles each program and compares with the same function
in Python; with live PyTorch it compares with torch.jit.script too. `ours` says why TorchScript refuses the program, or gives what
Python does not."""

import math
from typing import Dict, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor

ROWS = []
SCALE = 2.5
SIZES = [2, 3]
NAME = "mono"


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


# What is no part of the compiler yet: (section, construct, program). Each is an error that shows its line.
MISSING = [
    ("types", "NamedTuple", "def f(x):\n    p = Point(x, x)\n    return p.x\n"),
    ("types", "Enum", "def f(x):\n    return Color.RED.value\n"),
    ("types", "Union", "def f(x: Union[int, str]) -> int:\n    if isinstance(x, int):\n        return x\n    return 0\n"),
    ("types", "Any", "def f(x: Any) -> int:\n    if isinstance(x, int):\n        return x\n    return 0\n"),
    ("types", "Future", "def f(x):\n    y = torch.jit.fork(g, x)\n    return torch.jit.wait(y)\n"),
    ("types", "a class", "def f(x):\n    return Thing(x).get()\n"),
    ("statements", "with", "def f(x):\n    with torch.no_grad():\n        y = x + 1\n    return y\n"),
    ("statements", "try", "def f(x):\n    try:\n        y = x\n    finally:\n        z = x\n    return z\n"),
    ("statements", "match", "def f(n: int):\n    match n:\n        case 1:\n            return 2\n    return 0\n"),
    ("statements", "global", "def f(x):\n    global q\n    return x\n"),
    ("statements", "import", "def f(x):\n    import math\n    return x\n"),
    ("statements", "a class in a function", "def f(x):\n    class A:\n        pass\n    return x\n"),
    ("statements", "else of a loop", "def f(n: int):\n    for i in range(n):\n        pass\n    else:\n        n = 1\n    return n\n"),
    ("statements", "del of a slice", "def f(v: List[int]):\n    del v[1:]\n    return v\n"),
    ("statements", "attribute assignment", "def f(x):\n    x.data = x\n    return x\n"),
    ("statements", "recursion", "def f(n: int) -> int:\n    return f(n - 1)\n"),
    ("statements", "async", "async def f(x):\n    return x\n"),
    ("expressions", "lambda", "def f(x):\n    g = lambda y: y\n    return g(x)\n"),
    ("expressions", "walrus", "def f(n: int):\n    if (m := n) > 1:\n        return m\n    return 0\n"),
    ("expressions", "set", "def f(n: int):\n    return {n, 1}\n"),
    ("expressions", "generator", "def f(n: int):\n    g = (i for i in range(n))\n    return n\n"),
    ("expressions", "await", "def f(x):\n    return await x\n"),
    ("expressions", "yield", "def f(x):\n    yield x\n"),
    ("expressions", "** in a call", "def f(x):\n    return torch.relu(**{'input': x})\n"),
    ("expressions", "format of a field", "def f(n: int):\n    return f'{n:03d}'\n"),
    ("expressions", "% of a str", "def f(n: int):\n    return 'a%d' % n\n"),
    ("expressions", "two fors", "def f(n: int):\n    return [i * j for i in range(n) for j in range(n)]\n"),
    ("expressions", "bytes", "def f(x):\n    return b'a'\n"),
    ("parameters", "*args", "def f(*args):\n    return args[0]\n"),
    ("parameters", "**kwargs", "def f(**kwargs):\n    return kwargs['a']\n"),
    ("builtins", "map", "def f(v: List[int]):\n    return list(map(abs, v))\n"),
    ("builtins", "str of a tensor", "def f(x):\n    return str(x)\n"),
    ("builtins", "hasattr", "def f(x):\n    return hasattr(x, 'shape')\n"),
    ("builtins", "super", "def f(x):\n    return super().forward(x)\n"),
]
