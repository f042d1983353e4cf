"""What programs of users showed about jit.script and archives: each test is a few lines out of such a program. The programs themselves are in
tests/data/script/longer; with live PyTorch they are compared with torch.jit.script, and archives go both ways."""

# ruff: noqa: UP006, UP045 - as programs for TorchScript spell their types
from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple  # noqa: UP035 - as programs for TorchScript spell their types

import monograph as torch
import pytest
from monograph import nn

Tensor = torch.Tensor


def archive(path: Path, code: str, state: bytes = b"") -> Any:
    """What jit.load makes of an archive of PyTorch's whose module has these methods and fields."""
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("m/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}(X\x08\x00\x00\x00training\x89" + state + b"ub.")
        z.writestr("m/constants.pkl", b"\x80\x02).")
        z.writestr("m/code/__torch__.py", f"class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n{code}")
        z.writestr("m/version", "10\n")
    return torch.jit.load(path)


# --- Archives of PyTorch.

GROUPED = """  def forward(self: __torch__.M, keys: List[str], xs: List[int]) -> Dict[str, List[int]]:
    out = annotate(Dict[str, List[int]], {})
    for _0 in range(torch.len(keys)):
      k = keys[_0]
      _1 = torch.__not__(torch.__contains__(out, k))
      if _1:
        torch._set_item(out, k, annotate(List[int], []))
      else:
        pass
      _2 = torch.append(out[k], xs[_0])
    return out
"""


def test_a_list_that_an_archive_puts_into_a_dict_is_a_new_one_each_time(tmp_path):
    module = archive(tmp_path / "m.pt", GROUPED)
    assert module(["a", "b", "a"], [1, 2, 3]) == {"a": [1, 3], "b": [2]}
    assert module(["a"], [1]) == {"a": [1]}


def test_an_archive_calls_operators_by_the_names_of_torchscript(tmp_path):
    code = """  def forward(self: __torch__.M, x: Tensor, n: int) -> Tuple[str, Dict[str, Tensor], int, int, Tensor, Tensor]:
    _0 = torch.percentFormat("%d of %s", (n, "x"))
    _1 = torch.dict([("a", x), ("b", torch.neg(x))])
    _2, _3 = torch.divmod(n, 3)
    _4 = torch.__and__(torch.gt(x, 0), torch.__or__(torch.lt(x, 2), torch.eq(x, 5)))
    _5 = torch.__xor__(torch.__lshift__(x, 1), x)
    return (_0, _1, _2, _3, _4, _5)
"""
    text, pairs, quotient, rest, between, bits = archive(tmp_path / "m.pt", code)(torch.tensor([-1, 1, 2, 5]), 7)
    assert (text, quotient, rest) == ("7 of x", 2, 1)
    assert list(pairs) == ["a", "b"] and pairs["b"].tolist() == [1, -1, -2, -5]
    assert between.tolist() == [False, True, False, True] and bits.tolist() == [1, 3, 6, 15]


def test_an_archive_calls_hooks_by_the_class(tmp_path):
    code = """  def forward(self: __torch__.M, x: Tensor) -> Tensor:
    _0 = __torch__.M.double(self, (x,), )
    _1, = _0
    return torch.add(_1, 1)
  def double(self: __torch__.M, input: Tuple[Tensor]) -> Tuple[Tensor]:
    return (torch.mul((input)[0], 2),)
"""
    assert archive(tmp_path / "m.pt", code)(torch.tensor([1.0, 2.0])).tolist() == [3.0, 5.0]


def test_lists_in_a_dict_of_an_archive_keep_their_types(tmp_path):
    tag = b"ctorch.jit._pickle\nrestore_type_tag\n"
    state = b"X\x05\x00\x00\x00cache" + tag + b"}X\x01\x00\x00\x00a" + tag + b"]X\x01\x00\x00\x00xaX\x09\x00\x00\x00List[str]\x86Rs"
    state += b"X\x14\x00\x00\x00Dict[str, List[str]]\x86R"
    code = """  cache : Dict[str, List[str]]
  def forward(self: __torch__.M, k: str) -> int:
    cache = self.cache
    torch._set_item(cache, k, [k])
    cache0 = self.cache
    return torch.len(cache0)
"""
    module = archive(tmp_path / "m.pt", code, state)
    assert module.cache == {"a": ["x"]}
    assert module("b") == 2 and module.cache == {"a": ["x"], "b": ["b"]}


def test_a_list_that_is_used_many_times_is_an_error_and_not_a_literal_without_end(tmp_path):
    levels = 60
    state = b"](K\x01eq\x000" + b"".join(b"](h%ch%ceq%c0" % (k, k, k + 1) for k in range(levels))
    with pytest.raises(OSError, match=r"the attribute 'a' of __torch__.M has more than \d+ values, because lists in it are used many times"):
        archive(tmp_path / "m.pt", "  a : List[int]\n  def forward(self: __torch__.M) -> int:\n    return 1\n", b"X\x01\x00\x00\x00a" + state[:-1])


# --- Numbers of item().


def random_area(x: Tensor, area: int) -> Tuple[int, int, float]:
    part = area * torch.full((1,), 0.25).item()
    ratio = x.max().item() - x.min().item()
    if part > ratio:
        part = part / 2
    return round(part), x.long().max().item(), ratio


def test_numbers_of_item_compute_and_become_what_is_wanted():
    compiled = torch.jit.script(random_area)
    for x in (torch.tensor([1.0, 2.5]), torch.tensor([-20.0, 9.0])):
        assert compiled(x, 21) == random_area(x, 21)

    def more(x: Tensor):
        a, b = x.max().item(), x.min().item()
        return a + b, a * 2, 3 - b, a / 2, a // b, a % b, -a, a == b, a <= b, round(a)

    compiled = torch.jit.script(more)
    for x in (torch.tensor([7, 2]), torch.tensor([7.5, 2.0])):
        assert compiled(x) == more(x) and list(map(type, compiled(x))) == list(map(type, more(x)))


# --- Lists, tuples and indices.


def test_tuples_are_sorted_by_their_items():
    def ranked(v: List[Tuple[float, int]], names: List[Tuple[str, int]]):
        v.sort()
        return v, sorted(names)

    compiled = torch.jit.script(ranked)
    pairs, names = [(0.5, 2), (-1.0, 7), (0.5, 1)], [("b", 1), ("a", 2), ("a", 1)]
    assert compiled(list(pairs), names) == (sorted(pairs), sorted(names))


def test_elements_that_a_tensor_selects_are_changed_in_place():
    def change(x: Tensor, mask: Tensor, places: Tensor):
        x[mask] *= 2
        x[places] += 10
        x[:, places] -= 1
        return x

    compiled = torch.jit.script(change)
    args = torch.arange(6.0).view(2, 3), torch.tensor([[True, False, False], [False, True, True]]), torch.tensor([0, 1])
    assert torch.equal(compiled(args[0].clone(), *args[1:]), change(args[0].clone(), *args[1:]))


def test_a_list_in_a_list_is_changed_in_a_saved_program(tmp_path):
    def table(n: int):
        rows: List[List[int]] = [[k] for k in range(n)]
        for row in rows:
            while len(row) < n:
                row.append(0)
        rows[0][0] = 7
        groups: Dict[str, List[int]] = {"a": []}
        groups["a"].append(n)
        return rows, groups

    compiled = torch.jit.script(table)
    torch.jit.save(compiled, tmp_path / "table.pt")
    loaded = torch.jit.load(tmp_path / "table.pt")
    for n in (1, 3):
        assert loaded(n) == compiled(n) == table(n)


class Split(NamedTuple):
    feature: int
    value: float


class Forest(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trees = torch.jit.Attribute([[Split(1, 0.5)], [Split(0, 2.0), Split(1, -1.0)]], List[List[Split]])
        self.named = {"first": Split(2, 3.0)}

    def forward(self, tree: int, node: int) -> float:
        s = self.trees[tree][node]
        return s.value + s.feature + self.named["first"].value


def test_named_tuples_in_lists_of_a_module_keep_their_class(tmp_path):
    scripted = torch.jit.script(Forest())
    assert scripted(1, 1) == 3.0 and scripted(0, 0) == 4.5
    torch.jit.save(scripted, tmp_path / "forest.pt")
    assert torch.jit.load(tmp_path / "forest.pt")(1, 1) == 3.0


class TakesDict(nn.Module):
    def forward(self, d):
        return d["a"] + d["b"]


class TakesMany(nn.Module):
    def forward(self, x, *rest):
        return x + rest[0]


@pytest.mark.parametrize("module", [TakesDict(), TakesMany()], ids=["dict", "args"])
def test_jit_save_of_a_graph_module_names_the_way_out(module, tmp_path):
    with pytest.raises(RuntimeError, match=r"Annotate the parameters .*, as in d: Dict\[str, Tensor\], or save torch.jit.trace\(module, example_inputs\)"):
        torch.jit.save(torch.fx.symbolic_trace(module), tmp_path / "g.pt")
    x = torch.ones(2)
    args: tuple[Any, ...] = ({"a": x, "b": x},) if isinstance(module, TakesDict) else (x, x)
    torch.jit.save(torch.jit.trace(module, args), tmp_path / "t.pt")
    assert torch.jit.load(tmp_path / "t.pt")(*args).tolist() == [2.0, 2.0]


# --- Functions that PyTorch writes in Python.


def spectrum(x: Tensor, center: bool = True):
    return torch.stft(x, 4, hop_length=2, window=torch.hann_window(4), return_complex=True), torch.stft(x, 4, center=center, return_complex=True)


def distinct(x: Tensor):
    values, inverse = torch.unique(x, return_inverse=True)
    runs, counts = torch.unique_consecutive(x, return_counts=True)
    return torch.unique(x), values, inverse, runs, counts, torch.unique_consecutive(x, dim=-1), torch.unique(x, True, True, True, 0)


def first_runs(x: Tensor):
    total = 0
    for t in torch.unique_consecutive(x, dim=-1):  # the rank of x is unknown here
        total += int(t)
    return torch.unique(x, dim=0)[0], torch.unique_consecutive(x, dim=0)[1:], torch.tensor(total)


def norms(x: Tensor, y: Tensor):
    return torch.norm(x), torch.norm(x, dim=0), torch.norm(x, 1, 1, True), torch.norm(x, p="fro", dim=[0, 1]), torch.norm(x, p=3, dim=-1)


def products(x: Tensor, y: Tensor):
    return torch.tensordot(x, y, dims=([0], [0])), torch.tensordot(x, y.t(), 1), torch.tensordot(x, y), torch.cdist(x, y), torch.nonzero(x > 1)


def shapes(x: Tensor, y: Tensor):
    return torch.atleast_1d(x), torch.atleast_3d(x), torch.atleast_2d(x, y)[1], torch.lu(x[:, :2])[0]


def pools(x: Tensor):
    a, b = nn.functional.max_pool2d(x, 2, return_indices=True)
    c, d = nn.functional.adaptive_max_pool2d(x, 2, True)
    return a, b, c, d, nn.functional.max_pool2d(x, 2, return_indices=False)


MATRICES = (torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3) * 0.5 - 1)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (spectrum, (torch.arange(8.0).sin(),)),
        (distinct, (torch.tensor([3, 3, 1, 1, 3]),)),
        (first_runs, (torch.tensor([3, 3, 1, 1, 3]),)),
        (norms, MATRICES),
        (products, MATRICES),
        (shapes, MATRICES),
        (pools, (torch.arange(32.0).sin().view(1, 2, 4, 4),)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_functions_of_python_compute_the_same_in_a_script(function, args):
    got, expected = torch.jit.script(function)(*args), function(*args)
    assert len(got) == len(expected)

    def compare(a: Any, b: Any) -> None:
        if isinstance(b, Tensor):
            assert isinstance(a, Tensor) and a.dtype == b.dtype and torch.equal(a, b)
        else:
            assert len(a) == len(b)
            for one, other in zip(a, b, strict=True):
                compare(one, other)

    for a, b in zip(got, expected, strict=True):
        compare(a, b)


def test_norm_says_what_to_write_for_the_nuclear_norm():
    def nuclear(x: Tensor):
        return torch.norm(x, p="nuc")

    with pytest.raises(RuntimeError, match=r'torch.norm with p="nuc" is not supported in a script; write torch.linalg.matrix_norm\(x, "nuc"\)'):
        torch.jit.script(nuclear)


def test_an_optional_argument_keeps_its_default(tmp_path):
    def part(v: List[int], stop: Optional[int] = None):
        return v[:stop]

    torch.jit.save(torch.jit.script(part), tmp_path / "part.pt")
    assert torch.jit.load(tmp_path / "part.pt")([1, 2, 3]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("out", lambda x, y: torch.functional.tensordot(x, y, ([0], [1]), out=None)),
        ("and", lambda x, y: (x > 1).__and__(y > 0) | (x > 2).__or__(y > 1)),
        ("xor", lambda x, y: (x > 1).__xor__(y > 0)),
    ],
)
def test_calls_that_torch_fx_writes(name, function):
    gm = torch.fx.symbolic_trace(function)
    x, y = torch.arange(9.0).reshape(3, 3), torch.eye(3)
    assert torch.equal(torch.jit.script(gm)(x, y), function(x, y))


def test_a_symbolic_trace_with_a_loop_is_scripted():
    class Counts(torch.nn.Module):
        def forward(self, x, n: int):
            for k in range(n):
                x = x + k
            return x

    Counts.forward.__annotations__["n"] = int  # the class itself, which generated code names
    gm = torch.fx.symbolic_trace(Counts())
    for n in (0, 1, 4):
        assert torch.equal(torch.jit.script(gm)(torch.ones(2), n), Counts()(torch.ones(2), n))


# --- Numbers, lists and classes.


def test_a_union_of_numbers_converts():
    def as_float(x: int | float) -> float:
        return float(x)

    def as_int(x: int | float) -> int:
        return int(x)

    for x in (3, 2.5):
        for f in (as_float, as_int):
            got = torch.jit.script(f)(x)
            assert got == f(x) and type(got) is type(f(x))


class Halves(nn.Module):
    PARTS = 2

    @staticmethod
    def part(x: Tensor) -> Tensor:
        return x / Halves.PARTS

    def forward(self, x):
        return Halves.part(x) + self.part(x)


def test_a_static_method_is_called_by_the_name_of_its_module():
    module = Halves()
    x = torch.tensor([1.0, 3.0])
    assert torch.equal(torch.jit.script(module)(x), module(x))

    def outside(x):
        return Halves.part(x) * 3

    assert torch.equal(torch.jit.script(outside)(x), outside(x))

    def makes(x):
        return Halves()(x)

    def takes(x: Halves):
        return x

    for refused in (makes, takes):
        with pytest.raises(RuntimeError, match="the class Halves is not supported in a script"):
            torch.jit.script(refused)


def test_super_may_name_its_class():
    class Twice(Halves):
        def forward(self, x):
            return super().forward(x) * 2

    module, x = Twice(), torch.tensor([1.0, 3.0])
    assert torch.equal(torch.jit.script(module)(x), module(x))


def test_a_tensor_of_an_empty_list_has_the_dtype_of_its_type(tmp_path):
    def ints(xs: List[int]):
        return torch.tensor(xs)

    def flags(xs: List[bool]):
        return torch.as_tensor(xs)

    def floats(xs: List[float]):
        return torch.tensor(xs)

    def nested(xs: List[List[int]]):
        return torch.tensor(xs), torch.tensor([xs])

    def small(xs: List[int]):
        return torch.tensor(xs, dtype=torch.int32)

    for f, dtype in ((ints, torch.int64), (flags, torch.bool), (floats, torch.float32), (small, torch.int32)):
        compiled = torch.jit.script(f)
        assert compiled([]).dtype is dtype and compiled([]).shape == (0,)
        torch.jit.save(compiled, tmp_path / "f.pt")
        assert torch.jit.load(tmp_path / "f.pt")([]).dtype is dtype
    assert [(t.dtype, t.shape) for t in torch.jit.script(nested)([[]])] == [(torch.int64, (1, 0)), (torch.int64, (1, 1, 0))]
    assert torch.jit.script(ints).code == "def ints(xs: List[int]) -> Tensor:\n  return torch.tensor(xs)\n"
    code = "  def forward(self: __torch__.M, xs: List[int]) -> Tensor:\n    return torch.tensor(xs, dtype=None, device=None)\n"
    assert archive(tmp_path / "m.pt", code)([]).dtype is torch.int64


def test_numbers_of_item_in_a_bare_graph():
    """What an operator gives of item() shows when the graph runs."""
    functions = (lambda x: x.item() ** 2, lambda x: 2 ** x.item(), lambda x: x.item() ** -1,
                 lambda x: x.item() // 2, lambda x: x.item() % 2, lambda x: x.item() - 1)  # fmt: skip
    for f in functions:
        graph = torch.fx.symbolic_trace(f).graph
        for x in (torch.tensor(3), torch.tensor(2.5), torch.tensor(-2)):
            assert graph(x) == f(x) and type(graph(x)) is type(f(x)), (str(graph), x)

    def powers(x: Tensor):
        n = x.item()
        return n**2, n**-1, n**0.5

    for x in (torch.tensor(3), torch.tensor(2.5)):
        assert torch.jit.script(powers)(x) == powers(x)


def test_code_has_formats_and_long_texts_as_pytorch(tmp_path):
    def checked(x: Tensor, n: int):
        assert x.dim() == 2, f"expected 2 dims but got {x.dim()}"
        if n < 0:
            raise ValueError("the number of rows must not be negative, whatever else")
        return x[:, n]

    code = torch.jit.script(checked).code
    assert 'torch.format("expected 2 dims but got {}", torch.dim(x))' in code
    assert '  _0 = "the number of rows must not be negative, whatever else"\n' in code.replace("_1", "_0")
    assert "torch.select(torch.slice(x), 1, n)" in code


def with_defaults(x: Tensor, gain: float = 2, power: Optional[float] = 3, pair: Tuple[float, float] = (1, 2), on: bool = 1, n: int = True):
    return x * gain, gain, power, pair, on, n


def calls_with_defaults(x: Tensor) -> Tensor:
    return with_defaults(x)[0]


def test_a_default_has_the_type_of_its_parameter():
    """`gain: float = 2` is 2.0, as in PyTorch's scripts, at a call from Python and from another script."""
    x = torch.ones(2)
    scripted = torch.jit.script(with_defaults)
    result = scripted(x)
    assert [type(v) for v in result[1:]] == [float, float, tuple, bool, int] and type(result[3][0]) is float
    assert result[1:] == (2.0, 3.0, (1.0, 2.0), True, 1) and "gain: float=2." in scripted.code
    assert scripted(x, n=5)[1:] == (2.0, 3.0, (1.0, 2.0), True, 5)
    assert torch.equal(torch.jit.script(calls_with_defaults)(x), x * 2)

    def wrong(x: Tensor, gain: int = 2.5):
        return x * gain

    with pytest.raises(RuntimeError, match="'gain' has type int, but this value has type float"):
        torch.jit.script(wrong)


def test_defaults_of_a_loaded_method_before_an_argument_by_name(tmp_path):
    """What is left out before an argument that is given by name has its default in the graph, where no Python function is known."""

    class Scaled(nn.Module):
        def forward(self, x: Tensor, gain: float = 2.0, power: int = 1):
            return x * gain, power

    x = torch.ones(1)
    scripted = torch.jit.script(Scaled()).eval()
    torch.jit.save(scripted, tmp_path / "scaled.pt")
    for module in (scripted, torch.jit.load(tmp_path / "scaled.pt"), torch.jit.freeze(scripted)):
        assert module(x, power=3) == (torch.tensor([2.0]), 3)
        with pytest.raises(TypeError, match="'x'"):
            module(power=3)
    unit = torch.jit.CompilationUnit("def f(x: Tensor, gain: float=2., power: int=1):\n  return x * gain, power\n")
    assert unit.f(x, power=3) == (torch.tensor([2.0]), 3)


# --- What programs for TorchScript and Python do beside.


class Stages(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Identity()])
        self._scale = 2
        self.flag = False

    @property
    def scale(self) -> int:
        return self._scale * 2

    @scale.setter
    def scale(self, value: int) -> None:
        self._scale = value

    @torch.jit.unused
    def in_python(self, x: Tensor) -> Tensor:
        import math

        return x * math.pi

    def forward(self, xs: List[Tensor], names: List[str]) -> Tuple[List[Tensor], str, int]:
        out: List[Tensor] = []
        text = ""
        for i, (stage, x, name) in enumerate(zip(self.stages, xs, names)):
            if name == "stop":
                break
            if name == "skip":
                continue
            out.append(stage(x))
            text += name + str(i)
        more = [stage(x) for stage, x in zip(self.stages, xs)]
        self.scale = self.scale + len(more)
        if self.flag:
            out.append(self.in_python(out[0]))
        return out + more, text, self._scale


@pytest.mark.parametrize(
    "count, names", [(2, ["a", "b", "c"]), (4, ["a", "skip", "c", "d"]), (1, ["stop"]), (3, []), (0, ["a"])], ids=["2", "4", "stop", "names", "none"]
)
def test_zip_goes_over_modules_and_lists_together(count, names, tmp_path):
    xs = [torch.arange(3.0) - k for k in range(count)]
    module, scripted = Stages(), torch.jit.script(Stages())
    torch.jit.save(scripted, tmp_path / "m.pt")
    loaded = torch.jit.load(tmp_path / "m.pt")
    for _ in range(2):  # the setter's value stays
        expected = module(xs, names)
        for other in (scripted, loaded):
            found = other(xs, names)
            assert [t.tolist() for t in found[0]] == [t.tolist() for t in expected[0]]
            assert found[1:] == expected[1:]


class Holder:
    def __init__(self, items: Optional[List[int]]):
        self.items = items

    def clear(self) -> None:
        self.items = None


def held(n: int) -> int:
    h = Holder([4, 5] if n != 1 else None)
    count = 0
    if h.items is not None:
        count += len(h.items) * 10 + h.items[0]
        if n == 2:
            h.clear()
            if h.items is None:
                return -1
        if n == 3:
            h.clear()
        for k in h.items:
            count += k
    if h.items is None:
        h.items = [1]
    return count + len(h.items)


def test_an_attribute_that_is_not_none_is_used_as_one_that_is_there():
    scripted = torch.jit.script(held)
    assert [scripted(n) for n in (0, 1, 2)] == [held(n) for n in (0, 1, 2)]
    with pytest.raises(RuntimeError, match="'items' is None, although a condition said that it is not"):
        scripted(3)


class Score:
    def __init__(self, value: float, name: str):
        self.value = value
        self.name = name

    def __lt__(self, other: Score) -> bool:
        return self.value < other.value


def ranked(values: List[float]) -> List[List[str]]:
    scores = [Score(v, str(i)) for i, v in enumerate(values)]
    first, second = sorted(scores), sorted(scores, reverse=True)
    scores.sort(reverse=True)
    return [[s.name for s in each] for each in (first, second, scores)]


@pytest.mark.parametrize("values", [[0.5, 0.1, 0.5, 0.9, 0.1], []], ids=["5", "0"])
def test_objects_are_sorted_by_their_method(values):
    assert torch.jit.script(ranked)(values) == ranked(values)


def forked(x: Tensor, n: int) -> Tensor:
    return x * n


def waits(x: Tensor) -> Tensor:
    return torch.jit.fork(forked, x, 3).wait() + 1


def test_a_future_has_wait():
    assert torch.jit.script(waits)(torch.ones(2)).tolist() == [4.0, 4.0]


class Filter(torch.autograd.Function):
    GAIN = 3

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def run(x: Tensor) -> Tensor:
        return Filter.forward(torch.empty(0), x) if torch.jit.is_scripting() else Filter.apply(x)


def filtered(x: Tensor) -> Tensor:
    return Filter.run(x) + Filter.GAIN


def test_static_methods_of_any_class_are_called():
    assert torch.jit.script(filtered)(torch.ones(2)).tolist() == [5.0, 5.0]


TABLE = ([1, 2], ([3],))


def reads_table(n: int) -> int:
    return TABLE[0][n] + TABLE[1][0][0]


def test_a_list_in_a_tuple_is_asked_for_changes():
    scripted = torch.jit.script(reads_table)
    assert scripted(1) == 5
    try:
        TABLE[0][1] = 20
        assert scripted(1) == 23
        TABLE[1][0][0] = 30
        assert scripted(1) == 50
    finally:
        TABLE[0][1], TABLE[1][0][0] = 2, 3


def bools(b: bool, n: int) -> Tuple[int, int, int, float, int, str]:
    return b + 1, b * n, b + b, b / 2, -b, str(n - b)


@pytest.mark.parametrize("b", [True, False], ids=str)
def test_a_bool_computes_as_an_int(b):
    found, expected = torch.jit.script(bools)(b, 3), bools(b, 3)
    assert found == expected
    assert [type(v) for v in found] == [type(v) for v in expected]


def last_key(d: Dict[str, int]) -> Tuple[str, int]:
    return d.popitem()


def test_popitem_takes_the_last_key_and_no_archive(tmp_path):
    scripted = torch.jit.script(last_key)
    assert scripted({"b": 1, "a": 2}) == ("a", 2)
    with pytest.raises(NotImplementedError, match="takes the first key"):
        torch.jit.save(scripted, tmp_path / "f.pt")
