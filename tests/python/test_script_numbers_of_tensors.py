"""Scripts and archives whose numbers' types show when they run: what item() gives, dtypes as ints, powers of ints; and what isinstance decides of values of several types."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from live_oracle import OracleError

Tensor = torch.Tensor
Module = torch.nn.Module


def archive(path: Path, code: str) -> Any:
    """What jit.load makes of an archive of PyTorch's whose module has these methods."""
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("m/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}X\x08\x00\x00\x00training\x89sb.")
        z.writestr("m/constants.pkl", b"\x80\x02).")
        z.writestr("m/code/__torch__.py", f"class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n{code}")
        z.writestr("m/version", "10\n")
    return torch.jit.load(path)


QUOTIENTS = """  def forward(self: __torch__.M, x: Tensor, y: Tensor) -> Tuple[float, float, float, float]:
    a = torch.item(x)
    b = torch.item(y)
    return (torch.div(a, 2), torch.div(7, a), torch.div(a, b), torch.div(torch.add(a, 1.5), b))
"""


@pytest.mark.parametrize(("a", "b"), [(3, 2), (3.0, 2), (3, 2.5), (2.5, 0.5), (True, 4)])
def test_an_archive_divides_what_item_gives(a: float, b: float, tmp_path: Path):
    module = archive(tmp_path / "m.pt", QUOTIENTS)
    assert module(torch.tensor(a), torch.tensor(b)) == (a / 2, 7 / a, a / b, (a + 1.5) / b)


def quotients(x: Tensor, y: Tensor) -> tuple[float, float, float]:
    total = 0.0
    for k in range(2):
        total += x.item() / (k + 1)
    return x.item() / 2, x.item() / y.item(), total


def test_a_quotient_of_what_item_gives_is_a_float(tmp_path: Path):
    torch.jit.save(torch.jit.script(quotients), tmp_path / "q.pt")
    for f in (torch.jit.script(quotients), torch.jit.load(tmp_path / "q.pt")):
        for x, y in ((3, 2), (3.0, 2.5), (3, 0.5)):
            assert f(torch.tensor(x), torch.tensor(y)) == quotients(torch.tensor(x), torch.tensor(y))
    with pytest.raises(RuntimeError, match="division by zero"):
        torch.jit.script(quotients)(torch.tensor(1), torch.tensor(0))


DTYPES = """  def forward(self: __torch__.M, x: Tensor, d: int=3) -> Tuple[Tensor, int]:
    return (torch.zeros_like(x, dtype=d, layout=None), d)
"""


def test_a_dtype_is_an_int_of_an_archive(tmp_path: Path):
    module = archive(tmp_path / "m.pt", DTYPES)
    for given, dtype, number in (((), torch.int32, 3), ((torch.float16,), torch.float16, 5), ((d for d in [6]), torch.float32, 6)):
        zeros, code = module(torch.ones(1), *given)
        assert zeros.dtype == dtype and code == number


def powers(k: int) -> tuple[int, int, int]:
    n = k + 1
    return k**2, n**3, (n**1) + 1


def test_archives_hold_powers_of_ints_that_are_products(tmp_path: Path):
    torch.jit.save(torch.jit.script(powers), tmp_path / "p.pt")
    loaded = torch.jit.load(tmp_path / "p.pt")
    for k in (-3, 0, 2, 10**5):
        assert loaded(k) == powers(k) == torch.jit.script(powers)(k)


def powers_of_two_ints(a: int, b: int, x: Tensor) -> tuple[int, int, int, Tensor]:
    total = 0
    for k in range(b):
        total += a**k
    return a**b, 2**b, 3**11 + a**9, x * a**b


POWERS = [(2, 3), (-3, 5), (0, 0), (7, 1), (10, 18), (-1, 61), (3, 39), (2, 0)]


def test_archives_hold_powers_of_any_ints(tmp_path: Path):
    script = torch.jit.script(powers_of_two_ints)
    torch.jit.save(script, tmp_path / "p.pt")
    torch.jit.save(torch.jit.load(tmp_path / "p.pt"), tmp_path / "again.pt")
    x = torch.ones(2)
    for f in (torch.jit.load(tmp_path / "p.pt"), torch.jit.load(tmp_path / "again.pt")):
        for a, b in POWERS:
            got, expected = f(a, b, x), script(a, b, x)
            assert got[:3] == expected[:3] and torch.equal(got[3], expected[3]), (a, b)
        with pytest.raises(RuntimeError, match="an int to the power of a negative int is a float"):
            f(2, -1, x)
        with pytest.raises((RuntimeError, ValueError), match="64 bits"):
            f(3, 50, x)


@pytest.mark.oracle
def test_pytorch_computes_powers_of_any_ints(oracle: Any, tmp_path: Path):
    script = torch.jit.script(powers_of_two_ints)
    torch.jit.save(script, tmp_path / "p.pt")
    code = "f = torch.jit.load(path)\nresult = [f(a, b, torch.ones(2)) for a, b in calls]"
    for (a, b), got in zip(POWERS, oracle.run(code, path=str(tmp_path / "p.pt"), calls=POWERS), strict=True):
        expected = script(a, b, torch.ones(2))
        assert tuple(got[:3]) == expected[:3] and torch.equal(torch.as_tensor(got[3]), expected[3]), (a, b)
    with pytest.raises(OracleError, match="has more than 64 bits"):
        oracle.run("torch.jit.load(path)(3, 50, torch.ones(2))", path=str(tmp_path / "p.pt"))


class Bare:
    pass


def is_module(x: Any) -> bool:
    return isinstance(x, Module)


def is_module_or_int(x: Any) -> bool:
    return isinstance(x, (Module, int))


def is_bare(x: Any) -> bool:
    return isinstance(x, Bare)


def is_bare_or_int(x: Any) -> bool:
    return isinstance(x, (Bare, (int, (str,))))


def kind(x: int | float | list[int] | Tensor) -> str:
    if isinstance(x, Tensor):
        return "tensor" + str(x.dim())
    elif isinstance(x, (int, (float,))):
        return "number " + str(float(x))
    return "list " + str(len(x))


def kind_of_optional(x: int | str | None) -> str:
    if x is None:
        return "none"
    elif isinstance(x, int):
        return "int " + str(x + 1)
    else:
        y = x.upper()
    return y


def test_no_other_value_is_an_instance_of_a_class(tmp_path: Path):
    modules = torch.jit.script(is_module)
    assert [modules(x) for x in (None, 1, "a", torch.ones(1))] == [False] * 4
    either = torch.jit.script(is_module_or_int)
    assert [either(x) for x in (None, 1, "a")] == [False, True, False]
    bare = torch.jit.script(is_bare)
    torch.jit.save(bare, tmp_path / "bare.pt")
    for f in (bare, torch.jit.load(tmp_path / "bare.pt")):
        assert [f(x) for x in (None, 1, "a", torch.ones(1))] == [False] * 4
    g = torch.jit.script(is_bare_or_int)
    assert [g(x) for x in (None, 1, "a", 2.5)] == [False, True, True, False]


def kind_of_any(x: Any) -> str:
    if x is None:
        return "none"
    return "some" if x is not None else "never"


def first_of(x: int | None, y: int | None) -> int:
    if x is None:
        if y is None:
            return -1
        x = y
    elif x > 5:
        return 9
    return x + 1


def test_behind_arms_that_may_return_a_value_is_what_it_is_at_their_ends():
    f = torch.jit.script(first_of)
    for x, y in ((1, None), (None, None), (7, 2), (None, 4)):
        assert f(x, y) == first_of(x, y)


UNION = """  def forward(self: __torch__.M, x: Union[int, str]) -> str:
    _2 = isinstance(x, int)
    if _2:
      x1 = unchecked_cast(int, x)
      _3, x0 = "j", x1
    else:
      x2 = unchecked_cast(str, x)
      _3, x0 = x2, x2
    _10 = isinstance(x0, str)
    if _10:
      x3 = unchecked_cast(str, x0)
      _11 = torch.add(_3, x3)
    else:
      _11 = _3
    return _11
"""


def test_the_arms_of_an_archive_give_a_name_several_types(tmp_path: Path):
    module = archive(tmp_path / "m.pt", UNION)
    assert module(1) == "j" and module("a") == "aa"


def test_behind_a_return_a_value_has_the_types_that_are_left():
    f = torch.jit.script(kind)
    for x in (1, 2.5, [1, 2], torch.ones(2, 2)):
        assert f(x) == kind(x)
    g = torch.jit.script(kind_of_optional)
    for x in (None, 1, "a"):
        assert g(x) == kind_of_optional(x)


def several(x: int | str, again: bool) -> str:
    for _ in range(2):
        if isinstance(x, int):
            if again:
                continue
            x = "s"
        else:
            x = x + "t"
    return str(x)


def test_a_value_that_is_assigned_again_has_all_its_types():
    f = torch.jit.script(several)
    for x in (1, "a"):
        for again in (False, True):
            assert f(x, again) == several(x, again)


def chosen(flag: bool) -> list[int]:
    xs = [1, 2]
    if flag:
        xs = (3, 4, 5)
    return xs


def test_a_list_that_a_branch_assigns_a_tuple_stays_a_list():
    f = torch.jit.script(chosen)
    assert f(True) == [3, 4, 5] and f(False) == [1, 2]


def layouts(x: Tensor) -> tuple[bool, bool, Tensor]:
    return x.layout == torch.strided, x.layout != torch.strided, torch.zeros_like(x, layout=x.layout)


def test_layouts_are_compared():
    assert torch.jit.script(layouts)(torch.ones(2))[:2] == (True, False)


def tracing(x: Tensor) -> Tensor:
    if torch.jit.is_tracing():
        return x + 1
    return x


def test_a_script_does_not_trace():
    assert torch.jit.script(tracing)(torch.ones(1)).tolist() == [1.0]


def unsqueezed(x: Tensor) -> Tensor:
    x.unsqueeze_(0)
    return x


def test_other_sizes_in_place_are_refused_with_a_way_out():
    with pytest.raises(RuntimeError, match=r"unsqueeze_\(\), which gives a tensor other sizes or strides in place; write x = x.unsqueeze"):
        torch.jit.script(unsqueezed)


def converges(x: Tensor, steps: int) -> tuple[float, int]:
    last, n = 0.0, 0
    for n in range(steps):  # noqa: B007 - it is read behind the loop
        now = x.sum().item()
        if abs(now - last) < 0.5:
            break
        last = now
        x = x / 2
    return last, n


def annotated(n: int) -> list[int]:
    out = []
    out = torch.jit.annotate(list[int], [])
    for k in range(n):
        out.append(k)
    return out


def test_a_variable_of_floats_takes_what_item_gives():
    f = torch.jit.script(converges)
    for x in (torch.ones(3), torch.tensor([8.0])):
        assert f(x, 9) == converges(x, 9)


def test_an_empty_list_that_is_annotated_holds_what_it_says():
    assert torch.jit.script(annotated)(3) == [0, 1, 2]


def found(n: int, wanted: int) -> tuple[int, int]:
    place, before = 0, -1
    for place in range(n):
        if place == wanted:
            break
        before = place
    return place, before


def test_the_counter_behind_a_loop_that_breaks_is_that_of_its_last_iteration(tmp_path: Path):
    f = torch.jit.script(found)
    torch.jit.save(f, tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for n, wanted in ((5, 2), (5, 9), (0, 0), (1, 0)):
        assert loaded(n, wanted) == f(n, wanted) == found(n, wanted)


@pytest.mark.oracle
def test_pytorch_runs_what_is_saved(oracle: Any, tmp_path: Path):
    calls: list[tuple[Any, list[tuple[Any, ...]]]] = [
        (quotients, [(torch.tensor(3), torch.tensor(2)), (torch.tensor(3.0), torch.tensor(2.5))]),
        (powers, [(-3,), (7,)]),
        (is_bare, [(None,), (1,)]),
        (kind, [(1,), (2.5,), ([1, 2],), (torch.ones(2, 2),)]),
        (kind_of_optional, [(None,), (1,), ("a",)]),
        (kind_of_any, [(None,), (1,), ("a",)]),
        (first_of, [(1, None), (None, None), (7, 2), (None, 4)]),
        (several, [(1, False), (1, True), ("a", False)]),
        (chosen, [(True,), (False,)]),
        (converges, [(torch.ones(3), 9), (torch.tensor([8.0]), 9)]),
        (annotated, [(3,)]),
        (found, [(5, 2), (5, 9), (0, 0), (1, 0)]),
    ]
    for function, inputs in calls:
        scripted = torch.jit.script(function)
        torch.jit.save(scripted, tmp_path / "f.pt")
        arrays = [[v.numpy() if isinstance(v, torch.Tensor) else v for v in i] for i in inputs]
        theirs = oracle.run("f = torch.jit.load(path)\nresult = [f(*i) for i in inputs]", path=str(tmp_path / "f.pt"), inputs=arrays)
        ours = [scripted(*i) for i in inputs]
        if function is kind:  # PyTorch writes 1.0 as "1."
            theirs = [text + "0" * text.endswith(".") for text in theirs]
        assert theirs == ours, function
