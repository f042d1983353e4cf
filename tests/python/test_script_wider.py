"""What a script takes beside the rows of the language: **kwargs at the entry, keys of other types, lists that stand one by one, cmath, numbers for dtypes, and
deep programs. Values are PyTorch 2.13's where it takes the program, and eager's where it does not."""

from __future__ import annotations

import cmath
import io
import math
import threading

import monograph as torch
import pytest
from monograph import Tensor, nn
from monograph._jit_internal import BroadcastingList2


def again(scripted):
    """The same out of an archive."""
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    return torch.jit.load(file)


# --- *args and **kwargs ---------------------------------------------------------------------------------------------------------------


class Inner(nn.Module):
    def forward(self, x, scale: int = 3, **kwargs):
        return x * scale


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, *args, **kwargs):
        y = self.inner(x, **kwargs)
        if kwargs:
            y = y + 100
        if "scale" in kwargs:
            y = y * 5
        s = kwargs.get("s", 2)
        p = kwargs.pop("p", None)
        if p is None:
            y = y + 1
        return y * s * kwargs.pop("q", 3) + len(kwargs) + len(args)


def test_the_entry_takes_no_free_arguments():
    scripted, x = torch.jit.script(Outer()), torch.ones(2)
    assert torch.equal(scripted(x), Outer()(x)) and torch.equal(again(scripted)(x), Outer()(x))
    with pytest.raises(TypeError, match=r"unexpected .* argument 's'; it takes x; what is compiled has nothing in \*\*kwargs, so give s a parameter"):
        scripted(x, s=3)
    with pytest.raises(TypeError, match="takes 1 input, but got 2"):
        scripted(x, x)


def changed(x, **kw):
    kw["a"] = 5
    kw.setdefault("b", 7)
    c = kw.pop("c", 1)
    kw.update(d=2)
    del kw["d"]
    return summed(x, **kw) + c


def summed(x, a: int = 1, b: int = 1, **kw):
    return x * a + b + len(kw)


def calls_changed(x):
    return changed(x), changed(x, a=1, b=3), changed(x, c=100, e=5)


def popped_later(x, **kw):
    if x.sum() > 100:
        return x
    return x * kw.pop("c") + len(kw)


def calls_popped_later(x):
    return popped_later(x, c=100, e=5)


@pytest.mark.parametrize("function", [calls_changed, calls_popped_later])
def test_keywords_change(function):
    x = torch.ones(1)
    got, wanted = torch.jit.script(function)(x), function(x)
    assert [*map(float, got)] == [*map(float, wanted)]


def popped_in_branch(x, **kw):
    if x.sum() > 0:
        c = kw.pop("c")
    else:
        c = 2
    return x * c + len(kw)


def set_in_loop(x, **kw):
    for i in range(3):
        kw["c"] = i
    return x * kw["c"]


def of_two_names(x, **kw):
    other = kw
    other["z"] = 1
    return x + len(kw)


def calls_popped_in_branch(x):
    return popped_in_branch(x, c=100)


def calls_set_in_loop(x):
    return set_in_loop(x, c=100)


def calls_of_two_names(x):
    return of_two_names(x, c=100)


@pytest.mark.parametrize(
    ("function", "words"), [(calls_popped_in_branch, "in a branch or loop"), (calls_set_in_loop, "in a branch or loop"), (calls_of_two_names, "have two names")]
)
def test_changes_of_keywords_that_are_refused(function, words):
    with pytest.raises(RuntimeError, match=rf"a change of \*\*kwargs.* {words}"):
        torch.jit.script(function)


def given_twice(x, **kw):
    return summed(x, a=2, **kw)


def calls_given_twice(x):
    return given_twice(x, a=3)


def test_a_keyword_that_two_dicts_give_is_an_error():
    with pytest.raises(RuntimeError, match="the keyword argument 'a' is given twice"):
        torch.jit.script(calls_given_twice)


# --- lists that stand one by one ------------------------------------------------------------------------------------------------------


def starred(x, s: list[int], t: list[float]):
    a = (*s, -1)
    b = [*s, 1, *s]
    d = [*s]
    d.append(9)
    h = (*x.shape[:-1], -1, 2)
    sizes = [x.view(*x.shape[:-1], -1, 2).shape, x.permute(*[1, 0]).shape, x.new_ones(*s).shape, x.expand(*s, -1, -1).shape]
    return a, b, [0.5, *t], d, s, x.view(h), sizes, torch.zeros(*s)


def test_starred_lists_of_unknown_length():
    scripted, x = torch.jit.script(starred), torch.arange(12.0).view(2, 6)
    for f in (scripted, again(scripted)):
        a, b, c, d, s, v, sizes, zeros = f(x, [2, 3], [1.5])
        assert (a, b, c, d, s) == ([2, 3, -1], [2, 3, 1, 2, 3], [0.5, 1.5], [2, 3, 9], [2, 3])
        assert sizes == [[2, 3, 2], [6, 2], [2, 3], [2, 3, 2, 6]] and torch.equal(v, x.view(2, 3, 2)) and zeros.shape == (2, 3)


def add(a: int, b: int):
    return a + b


def starred_call(x, s: list[int]):
    return add(*s)


def starred_cat(x: list[Tensor]):
    return torch.cat(*x)


def starred_sum(x, s: list[int]):
    return x.sum(*s)


@pytest.mark.parametrize("function", [starred_call, starred_cat, starred_sum])
def test_other_calls_need_the_length(function):
    with pytest.raises(RuntimeError, match="a starred list of unknown length|a list of Tensor cannot stand in one of int"):
        torch.jit.script(function)


def sums(lists: list[list[int]], n: int):
    first: list[int] = [7]
    all = sum(lists, first)
    all.append(n)
    return sum([[i, i + 1] for i in range(n)], []), all, first, sum([1, 2], n), sum([0.5], 1), math.prod((n, 0.5)), math.prod(first), math.prod([0.5, 3.0])


def test_sums_with_a_beginning():
    scripted = torch.jit.script(sums)
    for f in (scripted, again(scripted)):
        assert f([[1], [2, 3]], 2) == sums([[1], [2, 3]], 2) == ([0, 1, 1, 2], [7, 1, 2, 3, 2], [7], 5, 1.5, 1.0, 7, 1.5)


class Broadcasts(nn.Module):
    def forward(self, x, k: BroadcastingList2[int]):
        return x * k[0] + k[1]

    @torch.jit.export
    def other(self, x, k: BroadcastingList2[int]):
        return x - k[1]


def test_a_number_for_a_list_of_a_method():
    scripted, x = torch.jit.script(Broadcasts()), torch.ones(2)
    assert scripted(x, 3).tolist() == [6, 6] and scripted(x, k=[1, 2]).tolist() == [3, 3] and scripted.other(x, 4).tolist() == [-3, -3]


# --- keys of dicts --------------------------------------------------------------------------------------------------------------------


def tensor_keys(a: Tensor, b: Tensor, n: int):
    d: dict[Tensor, Tensor] = {}
    d[a] = b
    for i in range(n):
        d[a + i] = b
    e = {b: 1}
    e[b] += 2
    out = 0
    for k, v in d.items():
        out += k.numel() + v.numel()
    d.pop(a)
    return out, e[b], len(d), e.get(a), e.get(a, 5), a in d, b in e, a is b


def test_tensors_are_keys_by_identity():
    scripted, a = torch.jit.script(tensor_keys), torch.ones(2)
    for f in (scripted, again(scripted)):
        assert f(a, torch.ones(2), 2) == (12, 3, 2, None, 5, False, True, False)


def missing_key(a: Tensor, b: Tensor):
    d = {a: 1}
    return d[b]


def returned_keys(a: Tensor, b: Tensor):
    d: dict[Tensor, int] = {a: 1}
    d[b] = 2
    return d


def given_keys(d: dict[Tensor, int], a: Tensor):
    return d[a], a in d


def test_dicts_of_tensors_go_in_and_out():
    a, b = torch.ones(2), torch.ones(2)
    with pytest.raises(KeyError, match="has no key"):
        torch.jit.script(missing_key)(a, b)
    assert torch.jit.script(missing_key)(a, a) == 1
    assert list(torch.jit.script(returned_keys)(a, b).values()) == [1, 2] and list(torch.jit.script(returned_keys)(a, a).values()) == [2]
    assert torch.jit.script(given_keys)({b: 1, a: 7}, a) == (7, True)


def complex_keys(n: complex):
    d: dict[complex, int] = {n: 1, 2j: 2}
    d[1 + 1j] = 7
    return d, d[n], 2j in d, 5 + 0j in d


def test_complex_keys():
    scripted = torch.jit.script(complex_keys)
    for f in (scripted, again(scripted)):
        assert f(3 + 4j) == ({3 + 4j: 1, 2j: 2, 1 + 1j: 7}, 1, True, False)


# --- is, cmath, powers ----------------------------------------------------------------------------------------------------------------


def same_lists(a: list[int], d: dict[str, int], n: int):
    b = a
    c = [1, 2]
    e = c if n > 0 else a
    return b is a, c is a, e is c, c is list(c), e is not a, d is d


def test_lists_are_one():
    scripted = torch.jit.script(same_lists)
    for f in (scripted, again(scripted)):
        assert f([1], {}, 1) == (True, False, True, False, True, True)
        assert f([1], {}, 0) == (True, False, False, False, False, True)


def of_complex(z: complex):
    return [
        cmath.sqrt(z), cmath.exp(z), cmath.log(z), cmath.log10(z), cmath.sin(z), cmath.cos(z), cmath.tan(z), cmath.asin(z), cmath.acos(z), cmath.atan(z), cmath.sinh(z),
        cmath.cosh(z), cmath.tanh(z), cmath.asinh(z), cmath.acosh(z), cmath.atanh(z), cmath.rect(1.5, 2), cmath.log(z, 2),
    ]  # fmt: skip


def about_complex(z: complex, x: float):
    return cmath.phase(z), cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z), cmath.sqrt(x), cmath.sqrt(4), cmath.pi


@pytest.mark.parametrize("z", [0.3 - 0.7j, -2 + 1e-3j, 1e10 + 5j, complex("inf"), complex("nan")])
def test_cmath(z):
    scripted = torch.jit.script(about_complex)
    for f in (scripted, again(scripted)):
        assert str(f(z, -4.0)) == str(about_complex(z, -4.0))
    if cmath.isfinite(z) and abs(z) < 100:
        for f in (torch.jit.script(of_complex), again(torch.jit.script(of_complex))):
            for got, wanted in zip(f(z), of_complex(z), strict=True):
                assert abs(got - wanted) <= 4e-16 * abs(wanted)


def polar(z: complex):
    return cmath.polar(z)


def test_other_functions_of_cmath_are_refused():
    with pytest.raises(RuntimeError, match=r"cmath.polar\(\) is not supported in a script"):
        torch.jit.script(polar)


def powers(n: int, m: int):
    return 2**-1, n**m, pow(n, m), 3**m, n**2, 2**3, True**m


def test_a_power_of_ints_is_a_float_where_the_text_has_a_negative_exponent():
    scripted = torch.jit.script(powers)
    for f in (scripted, again(scripted)):
        assert f(3, 2) == (0.5, 9, 9, 9, 9, 8, 1) and [type(v) for v in f(3, 2)] == [float, int, int, int, int, int, int]
        with pytest.raises(RuntimeError, match="int"):
            f(3, -1)


# --- dtypes and devices that are returned ---------------------------------------------------------------------------------------------


def dtypes(x, n: int):
    some: torch.dtype | None = None
    if n > 0:
        some = x.dtype
    many = [x.dtype]
    for _ in range(n):
        many.append(torch.int8)
    return x.dtype, torch.float16, some, many, {"a": x.dtype}, (x.layout, 1), torch.channels_last, torch.channels_last_3d


def test_returned_dtypes_are_numbers_before_and_after_saving():
    scripted = torch.jit.script(dtypes)
    for f in (scripted, again(scripted)):
        assert f(torch.ones(1), 2) == (6, 5, 6, [6, 1, 1], {"a": 6}, (0, 1), 2, 3) and f(torch.ones(1).long(), 0) == (4, 5, None, [4], {"a": 4}, (0, 1), 2, 3)


class OfDtype(nn.Module):
    def forward(self, x):
        return x.dtype


class UsesDtype(nn.Module):
    def __init__(self):
        super().__init__()
        self.scripted, self.plain = torch.jit.script(OfDtype()), OfDtype()

    def forward(self, x):
        return torch.zeros(2, dtype=self.scripted(x)), x.to(self.scripted(x)), self.scripted(x) == x.dtype, self.plain(x) == torch.float64


def test_a_dtype_of_a_submodule_is_one_inside():
    zeros, same, equal, double = torch.jit.script(UsesDtype())(torch.ones(2, dtype=torch.float64))
    assert zeros.dtype == same.dtype == torch.float64 and equal and double


def devices(x):
    d = torch.device("cuda:1")
    return d.index, d.type, d, torch.device("cpu").index, torch.device("cuda", 1).index


def test_devices_stay_what_they_are():
    scripted = torch.jit.script(devices)
    for f in (scripted, again(scripted)):
        assert f(torch.ones(1)) == (1, "cuda", torch.device("cuda:1"), None, 1)


def largest(x, b: bool):
    scale: float | None = None
    count: int = 0
    if b:
        scale = x.max().item()
        count = x.max().item()
    return scale, count


def test_what_item_gives_becomes_the_declared_number():
    assert torch.jit.script(largest)(torch.ones(2), True) == (1.0, 1) and torch.jit.script(largest)(torch.ones(2), False) == (None, 0)


# --- deep programs --------------------------------------------------------------------------------------------------------------------

DEEP = {
    "sum": "def f(x):\n    return " + " + ".join(["x"] * 1500) + "\n",
    "calls": "def f(x):\n    return x" + ".abs()" * 600 + "\n",
    "functions": "def f(x):\n    return g0(x)\n" + "".join(f"def g{k}(x):\n    return g{k + 1}(x) + 1\n" for k in range(200)) + "def g200(x):\n    return x\n",
    "elif": "def f(x):\n    n = int(x)\n    if n == -1:\n        return x\n" + "".join(f"    elif n == {k}:\n        return x + {k}\n" for k in range(600)) + "    return x * 2\n",
}


def deep_values(name):
    f = torch.jit.CompilationUnit(DEEP[name]).f
    wanted = {"sum": 1500.0, "calls": 1.0, "functions": 201.0, "elif": 2.0}[name]
    assert float(f(torch.ones(()))) == wanted
    assert float(again(f)(torch.ones(()))) == wanted
    assert f.code and str(f.graph) and f.graph.hash()


@pytest.mark.parametrize("name", DEEP)
def test_deep_programs(name):
    deep_values(name)


@pytest.mark.parametrize("kib", [512, 1024])
@pytest.mark.parametrize("name", DEEP)
def test_deep_programs_on_a_small_stack_run_or_are_refused(name, kib):
    seen = []

    def run():
        try:
            torch.jit.CompilationUnit(DEEP[name]).f(torch.ones(()))
        except RuntimeError as error:
            seen.append(str(error))

    before = threading.stack_size(kib << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert all("nest" in text for text in seen)


# --- names of torch._C ----------------------------------------------------------------------------------------------------------------


def test_the_graph_that_ran_last():
    scripted = torch.jit.script(polar_of_tensor)
    scripted(torch.ones(1))
    assert torch.jit.last_executed_optimized_graph() is scripted.graph
    net = torch.jit.script(OfDtype())
    net(torch.ones(1))
    assert torch.jit.last_executed_optimized_graph() is not scripted.graph


def polar_of_tensor(x):
    y = x + (1 + 2) * 3
    if 1 + 1 == 2:
        y = y * 2
    return y, [1, 2 + 5], 7 // 0 if x.sum() > 100 else 1


def test_constants_are_propagated():
    scripted = torch.jit.script(polar_of_tensor)
    graph = scripted.graph.copy()
    torch._C._jit_pass_constant_propagation(graph)
    names = [str(n.target) for n in graph.nodes(recursive=True)]
    assert len(names) < len(list(scripted.graph.nodes(recursive=True))) and "operator.eq" not in names and "operator.floordiv" in names
    y, numbers, one = graph(torch.ones(1))
    assert (float(y), numbers, one) == (20.0, [1, 7], 1)


def test_a_module_as_a_text():
    text = torch.jit.script(nn.Linear(1, 1))._c.dump_to_str(False, False, False)
    assert text.splitlines()[:5] == ["module Linear {", "  parameters {", "    weight = ...", "    bias = ...", "  }"]
    assert "training = True" in text and "method forward" in text and "aten::linear" not in text
    assert "aten::linear" in torch.jit.script(nn.Linear(1, 1))._c.dump_to_str(True, True, True)


# The texts are PyTorch 2.13's.
COMMENTS = {
    "# type: () -> None": "(decl (list) (option (None)))",
    "# type: (*int) -> int": """(decl
  (list
    (param
      (ident )
      (option
        (starred
          (variable (ident int))))
      (option)
      (False)))
  (option (variable (ident int))))""",
    "# type: (Tensor) -> Tuple[()]": """(decl
  (list
    (param
      (ident )
      (option
        (variable (ident Tensor)))
      (option)
      (False)))
  (option
    (subscript
      (variable (ident Tuple))
      (list (tuple-literal (list))))))""",
    "# type: (BroadcastingList2[int]) -> 'Foo'": """(decl
  (list
    (param
      (ident )
      (option
        (subscript
          (variable
            (ident BroadcastingList2))
          (list (variable (ident int)))))
      (option)
      (False)))
  (option (string_literal Foo)))""",
    "# type: (int | None, Optional[torch.Tensor])": """(decl
  (list
    (param
      (ident )
      (option
        (|
          (variable (ident int))
          (None)))
      (option)
      (False))
    (param
      (ident )
      (option
        (subscript
          (variable (ident Optional))
          (list
            (.
              (variable (ident torch))
              (ident Tensor)))))
      (option)
      (False)))
  (option))""",
}


@pytest.mark.parametrize("comment", COMMENTS)
def test_type_comments_are_trees(comment):
    assert str(torch.parse_type_comment(comment)) == COMMENTS[comment] + "\n"


def test_type_comments_are_merged():
    two, other = torch.parse_type_comment("# type: (Tensor, int) -> Tensor"), torch.parse_type_comment("# type: (int, str) -> int")
    assert str(torch._C.merge_type_from_type_comment(two, other, False)) == str(other)
    one = torch.parse_type_comment("# type: (str) -> int")
    assert str(torch.merge_type_from_type_comment(two, one, True)) == str(torch.parse_type_comment("# type: (Tensor, str) -> int"))
    with pytest.raises(RuntimeError, match=r"Number of type annotations \(1\) did not match the number of function parameters \(2\)"):
        torch.merge_type_from_type_comment(two, one, False)
    for wrong in ("# type: int", "x", "# type: (int) -> __import__('os').system('true')", "# type: (" + "(" * 500, "# type: (a=int) -> int"):
        with pytest.raises(RuntimeError):
            torch.parse_type_comment(wrong)


def test_types_of_values_are_pytorchs():
    """What PyTorch 2.13 infers of these values."""
    values = {
        "NoneType": None, "int": 1, "bool": True, "float": 1.5, "complex": 1j, "str": "a", "Tensor": torch.ones(1), "Device": torch.device("cpu"), "List[int]": [1],
        "Tuple[NoneType, int]": (None, 1), "Tuple[int]": (1,), "Tuple[()]": (), "List[NoneType]": [None], "Dict[str, int]": {"a": 1}, "Dict[int, List[float]]": {1: [2.0]},
        "List[List[int]]": [[1], [2]], "List[Optional[int]]": [1, None], "Dict[str, Optional[int]]": {"a": 1, "b": None}, "Generator": torch.Generator(),
        "Tuple[int, int]": torch.Size([1, 2]), "List[Tuple[int]]": [torch.Size([1])],
    }  # fmt: skip
    for name, value in values.items():
        assert str(torch._C._jit_try_infer_type(value).type()) == name
    assert str(torch._C._jit_try_infer_type(torch.float32).type()) == str(torch._C._jit_try_infer_type(torch.strided).type()) == "int"
    for value in ([], [1, 2.0], {}, [torch.ones(1), 1], object(), range(3)):
        assert not torch._C._jit_try_infer_type(value).success()


def mean_or_sum(x, more=None):
    if more is None:
        return x.mean()
    return x.sum() + more


def shape_or_list(x, sizes=None):
    if sizes is None:
        sizes = [2, 3]
    return x.new_zeros(sizes)


class MayHaveLengths(nn.Module):
    def forward(self, x, lengths=None):
        if lengths is not None:
            x = x * lengths
        return x.sum()


def test_an_argument_whose_default_is_none_takes_a_tensor(tmp_path):
    x, t = torch.ones(2, 3), torch.tensor(5.0)
    for program in (mean_or_sum, MayHaveLengths()):
        scripted = torch.jit.script(program)
        torch.jit.save(scripted, tmp_path / "p.pt")
        for run in (scripted, torch.jit.load(tmp_path / "p.pt")):
            assert torch.equal(run(x), program(x)) and torch.equal(run(x, t), program(x, t))
            with pytest.raises((TypeError, RuntimeError), match="must be"):
                run(x, "a")


def test_an_argument_that_only_none_fits_takes_nothing_else():
    scripted = torch.jit.script(shape_or_list)
    assert torch.equal(scripted(torch.ones(1)), torch.zeros(2, 3))
    with pytest.raises(TypeError, match="Input 'sizes' must be None, but got a"):
        scripted(torch.ones(1), [4])
