"""Values of scripts that PyTorch's programs rely on: numbers of tensors, powers, and/or of tensors, lists for numbers, and the names that torch._C has for scripts."""

import subprocess
import sys

import monograph as torch
import pytest
from monograph import nn


def test_a_power_of_ints_that_does_not_fit_raises():
    def power(x: int, y: int):
        return x**y

    scripted = torch.jit.script(power)
    assert scripted(3, 39) == 3**39 and scripted(-2, 63) == -(2**63) and scripted(0, 0) == 1 and scripted(1, 10**12) == 1
    for x, y in ((10, 70), (2, 63), (2, 70), (3, 40), (-3, 41)):
        with pytest.raises(RuntimeError, match=rf"{x} to the power of {y} has more than 64 bits.*make one of them a float"):
            scripted(x, y)
    with pytest.raises(RuntimeError, match="to the power of -1 is not an int"):
        scripted(10, -1)


def test_a_power_of_ints_that_does_not_fit_raises_after_saving(tmp_path):
    def power(x: int, y: int):
        return x**y, x**8

    torch.jit.script(power).save(tmp_path / "power.pt")
    loaded = torch.jit.load(tmp_path / "power.pt")
    for x, y in ((3, 39), (-2, 63), (0, 0), (1, 10**12), (-1, 5), (0, 3), (-3, 3)):
        assert loaded(x, y) == (x**y, x**8)
    for x, y in ((10, 70), (2, 63), (3, 40), (-3, 41), (1000, 2)):
        with pytest.raises((RuntimeError, ValueError), match="64 bits"):
            loaded(x, y)


def test_and_of_tensors_is_a_bool_where_one_is_wanted():
    def both(x, y) -> bool:
        return x.all() and y.any()

    def flag(x, y):
        ok: bool = x.all() or y.any()
        return ok

    x, y = torch.tensor([True, False]), torch.tensor([True])
    assert torch.jit.script(both)(x, y) is False and torch.jit.script(both)(y, x) is True
    assert torch.jit.script(flag)(x, y) is True


def test_and_computes_the_second_tensor_only_where_the_first_asks_for_it():
    def guarded(x, i: int):
        return x.any() and x[i] > 0

    scripted = torch.jit.script(guarded)
    assert not scripted(torch.zeros(1), 5)
    with pytest.raises(IndexError):
        scripted(torch.ones(1), 5)

    def mixed(x, n: int):
        return x.any() and n > 0

    with pytest.raises(RuntimeError, match="the first is a Tensor, but this one has type bool; write bool"):
        torch.jit.script(mixed)


def pooled(k: torch._jit_internal.BroadcastingList2[int], x):
    return x.view(k)


def scaled(x, k: torch._jit_internal.BroadcastingList3[float] = 2.0):
    return x * k[0] + k[2]


def test_one_number_is_a_list_where_a_function_begins():
    assert torch.jit.script(pooled)(2, torch.ones(4)).shape == (2, 2)
    assert torch.jit.script(pooled)(x=torch.ones(4), k=2).shape == (2, 2)
    assert torch.jit.script(pooled)([4, 1], torch.ones(4)).shape == (4, 1)
    f = torch.jit.script(scaled)
    assert f(torch.ones(1)).item() == 4 and f(torch.ones(1), 5.0).item() == 10 and f(torch.ones(1), [1.0, 2.0, 3.0]).item() == 4


def test_a_text_with_a_nul_has_a_whole_message():
    with pytest.raises(RuntimeError) as error:
        torch.jit.CompilationUnit("def f(x):\n  y = 1\n  return x \x00 + 1")
    assert "the character \\x00 is not part of Python's syntax" in str(error.value) and 'line 3' in str(error.value)
    assert "return x ? + 1" in str(error.value)


class HoldsItself(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = [1]
        self.items.append(self.items)

    def forward(self, x):
        return len(self.items)


def test_a_list_that_holds_itself_is_named():
    with pytest.raises(RuntimeError, match="attribute 'items' is not supported in a script: the list holds itself"):
        torch.jit.script(HoldsItself())


def test_an_operator_without_a_kernel_is_named_when_it_runs():
    library = torch.library.Library("values_of_scripts", "DEF")
    library.define("nms(Tensor boxes, Tensor scores, float threshold) -> Tensor")

    def keep(boxes, scores):
        return torch.ops.values_of_scripts.nms(boxes, scores, 0.5)

    scripted = torch.jit.script(keep)
    with pytest.raises((RuntimeError, NotImplementedError), match="values_of_scripts::nms"):
        scripted(torch.ones(1, 4), torch.ones(1))


FIRST_CALLS = """
import monograph as torch
assert hasattr(torch._C, "_jit_set_profiling_executor") and hasattr(torch._C, "_get_tracing_state")
assert torch._C._jit_set_profiling_executor(False) is True and torch._C._jit_set_profiling_mode(True) is False
assert torch._C._jit_set_bailout_depth(2) is None and torch._C._get_tracing_state() is None
assert not hasattr(torch._C, "_jit_no_such_name")
"""


def test_switches_of_the_executor_are_there_from_the_first_call():
    subprocess.run([sys.executable, "-c", FIRST_CALLS], check=True)


def test_types_of_torchscript_have_their_names():
    def f(x, n: int, names: list[str], more: dict[str, int], last: float | None = None):
        return x

    types = [v.type() for v in torch.jit.script(f).graph.inputs()]
    kinds = [torch._C.TensorType, torch._C.IntType, torch._C.ListType, torch._C.DictType, torch._C.OptionalType]
    for k, type_ in enumerate(types):
        assert [isinstance(type_, kind) for kind in kinds] == [n == k for n in range(len(kinds))]
    assert types[0] == torch._C.TensorType.get() and types[1] == torch._C.IntType.get()
    assert types[2] == torch._C.ListType(torch._C.StringType.get()) == torch._C.ListType.ofStrings()
    assert types[3] == torch._C.DictType(torch._C.StringType.get(), torch._C.IntType.get())
    assert types[4] == torch._C.OptionalType(torch._C.FloatType.get())
    assert str(torch._C.TupleType([torch._C.BoolType.get()])) == "Tuple[bool]"


def test_types_of_values_are_inferred():
    infer = torch._C._jit_try_infer_type
    for value, text in ((1, "int"), ([1.0], "List[float]"), ((1, "a"), "Tuple[int, str]"), ({"a": 1}, "Dict[str, int]"), ([["a"]], "List[List[str]]"), (None, "NoneType")):
        assert infer(value).success() and str(infer(value).type()) == text
    assert not infer(object()).success() and "object" in infer(object()).reason()


def test_passes_of_torchscript_change_a_graph():
    def f(x):
        a = torch.relu(x)
        b = torch.relu(x)
        torch.neg(x)
        return a + b

    graph = torch.jit.script(f).graph
    torch._C._jit_pass_inline(graph)
    assert torch._C._jit_pass_cse(graph) is True and torch._C._jit_pass_cse(graph) is False
    torch._C._jit_pass_dce(graph)
    torch._C._jit_pass_lint(graph)
    assert [n.kind() for n in graph.nodes() if n.kind() != "prim::Constant"] == ["aten::relu", "aten::add"]
