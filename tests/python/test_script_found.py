"""What programs of other people's packages, and trials beside PyTorch, have shown of scripts: numbers as texts, tuples, numbers in lists, types behind branches."""

from __future__ import annotations

import enum
import logging
import math
from typing import Optional, Union

import monograph as torch
import pytest

Tensor = torch.Tensor
FLOATS = [1e5, 123456789.0, 1e10, 1e15, 1e16, 1e17, 1e-4, 1e-5, 0.1, 1 / 3, 1e22, 5e-324, -0.0, math.inf, -math.inf, math.nan, 100000.5]


def as_text(x: float):
    return str(x), f"{x}", "{}".format(x), str([x]), str(complex(x, x)), "%s" % x  # noqa: UP031, UP032


def test_a_float_is_written_as_python_writes_it():
    scripted = torch.jit.script(as_text)
    for x in FLOATS:
        assert scripted(x) == as_text(x)


def joined(a: tuple[int, str], b: tuple[float, int]):
    c = a + b
    p, q, r, s = c
    c += (s,)
    return c, len(c), p + s


def test_two_tuples_are_joined_to_one():
    got = torch.jit.script(joined)((1, "a"), (2.0, 3))
    assert got == joined((1, "a"), (2.0, 3)) and type(got[0]) is tuple


def test_a_tuple_and_sizes_are_joined_to_all_sizes():
    @torch.jit.script
    def sizes(x: Tensor):
        s = (1,) + x.shape[-2:] + (2,)
        return s, x.shape[:1] + (7,), torch.zeros(s).shape

    assert [list(part) for part in sizes(torch.ones(3, 4, 5))] == [[1, 4, 5, 2], [3, 7], [1, 4, 5, 2]]


def halves(xs: list[float], ys: dict[str, float], zs: Optional[list[float]], t: tuple[float, list[float]]):  # noqa: UP045
    return xs, ys, zs, t, [x // 2 for x in xs]


def test_numbers_in_a_list_become_those_that_its_type_says():
    got = torch.jit.script(halves)([1], {"a": 2}, [3], (4, [5]))
    assert repr(got) == "([1.0], {'a': 2.0}, [3.0], (4.0, [5.0]), [0.0])"
    assert repr(torch.jit.script(halves)((1,), {}, (), (4, []))[:3]) == "([1.0], {}, [])"
    for bad in (["a"], [1.5, "b"], [1j]):
        with pytest.raises(TypeError, match=r"'xs' must be float\[\], but got"):
            torch.jit.script(halves)(bad, {}, None, (1, []))


def test_a_list_of_ints_takes_no_floats():
    @torch.jit.script
    def total(xs: list[int]):
        return sum(xs)

    with pytest.raises(TypeError, match="'xs' must be a list of ints, but got"):
        total([1.5])


def test_dtypes_are_compared_whatever_they_compute():
    @torch.jit.script
    def highest(x: Tensor, dtype: torch.dtype):
        if dtype == torch.uint8:
            return x * 255
        if dtype == torch.uint16 or x.dtype in (torch.uint32, torch.quint8):
            return x * 65535
        return x

    assert highest(torch.ones(1), torch.uint16).item() == 65535 and highest(torch.ones(1), torch.float32).item() == 1


def grid(n: int):
    x = torch.linspace(0.0, 1.0, n).unsqueeze_(-1)
    return x + torch.arange(n).unsqueeze_(0)


def test_a_new_tensor_gets_another_shape_in_place():
    assert torch.equal(torch.jit.script(grid)(3), grid(3))

    def of_a_name(x: Tensor):
        return x.view(3).unsqueeze_(0), x

    for function in (of_a_name, lambda_of_a_name):
        with pytest.raises(RuntimeError, match=r"unsqueeze_\(\), which gives a tensor other sizes"):
            torch.jit.script(function)


def lambda_of_a_name(x: Tensor):
    return x.unsqueeze_(0)


def test_math_log_takes_a_base():
    @torch.jit.script
    def logs(x: float, n: int):
        return math.log(x, 2), math.log(n, x), math.log(x)

    assert logs(8.0, 64) == (math.log(8.0, 2), math.log(64, 8.0), math.log(8.0))


class Mode(enum.Enum):
    NEAR = "near"
    FAR = "far"


def by_mode(x: Tensor, mode: Union[str, Mode] = Mode.NEAR, n: int = 2):  # noqa: UP007
    if isinstance(mode, str):
        return x + n
    return x * n if mode == Mode.NEAR else x - n


def test_a_member_of_an_enum_may_be_the_default_of_a_union():
    scripted, x = torch.jit.script(by_mode), torch.ones(1)
    for args in ((), ("near",), (Mode.FAR,), (Mode.NEAR, 5)):
        assert torch.equal(scripted(x, *args), by_mode(x, *args))
    assert scripted(x, n=7).item() == 7


def filled(fill: Optional[Union[int, float, list[float]]] = None):  # noqa: UP007, UP045
    if fill is None:
        fill = 0
    if isinstance(fill, (int, float)):
        return "one"
    elif len(fill) == 1:
        return "list of one"
    return "list"


def widths(sizes: list[int], sigma: Optional[list[float]] = None):  # noqa: UP045
    if sigma is None:
        sigma = [k * 0.5 for k in sizes]
    else:
        if isinstance(sigma, (list, tuple)):
            if len(sigma) == 1:
                sigma = [sigma[0], sigma[0]]
        elif isinstance(sigma, (int, float)):
            sigma = [float(sigma)]
        else:
            raise TypeError("sigma")
    total = 0.0
    for s in sigma:
        total += s
    return total, sigma


def square(n: int, size: Optional[list[int]] = None):  # noqa: UP045
    if size is None:
        side = int(math.sqrt(n))
        size = side, side
    return size[0] * size[1]


def test_what_is_no_longer_none_behind_a_branch():
    for args in ((), (3,), (2.5,), ([1.0],), ([1.0, 2.0],)):
        assert torch.jit.script(filled)(*args) == filled(*args)
    for given in (([1, 2],), ([1], [3.0]), ([1], [3.0, 4.0])):
        assert torch.jit.script(widths)(*given) == widths(*given)
    assert torch.jit.script(square)(9) == 9 and torch.jit.script(square)(9, [2, 5]) == 10


def test_sizes_that_fit_in_no_run_are_an_error_of_the_run():
    @torch.jit.script
    def f(x: Tensor, n: int):
        y = torch.ones(2)
        if n > 3:
            return y[5]
        if n > 2:
            return torch.ones(2, 3) @ torch.ones(2, 3)
        return x + y

    assert f(torch.ones(2), 1).tolist() == [2, 2]
    with pytest.raises(IndexError, match=r"(?s)index 5 is out of bounds.*test_script_found.py:\d+"):
        f(torch.ones(2), 4)
    with pytest.raises(RuntimeError, match=r"(?s)shapes.*test_script_found.py:\d+"):
        f(torch.ones(2), 3)


def test_a_script_is_not_what_torch_compile_captures():
    @torch.jit.script
    def f(x: Tensor):
        if torch.compiler.is_compiling() and not torch.jit.is_scripting():
            return x.nothing_of_the_kind()
        return x + 1

    assert f(torch.ones(1)).item() == 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Plain(enum.Enum):
    LOW = 1


@pytest.mark.parametrize("member", [Level.LOW, Plain.LOW])
@pytest.mark.parametrize("differs", [False, True])
def test_a_member_of_an_enum_is_not_compared_with_a_number(member, differs):
    def f(x: Tensor):
        return x + 1 if member == 1 else x

    def g(x: Tensor, n: int):
        return x + 1 if n != member else x

    with pytest.raises(RuntimeError, match=r"compares \w+ with \w+; compare the value of the member"):
        torch.jit.script(g if differs else f)


LOG = logging.getLogger("test_script_found")


def test_what_the_arguments_of_a_logger_call_runs():
    @torch.jit.script
    def f(x: Tensor, rest: list[int]):
        LOG.info("%d of %s", rest.pop(), "rest {}".format(len(rest)))  # noqa: UP032
        return x + len(rest)

    assert f(torch.ones(1), [1, 2, 3]).item() == 3
