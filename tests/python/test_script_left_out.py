"""What a scripted module has beside its program, what PyTorch's C++ classes answer of it, and where errors of running layers happened."""

from __future__ import annotations

import io
import re
from typing import Any

import monograph as torch
import pytest
from monograph import nn


class Marked(nn.Module):
    """Methods that stay in Python."""

    @torch.jit.ignore
    def listed(self, x):
        return x.numpy().tolist()

    @torch.jit.unused
    def unused(self, x):
        return [x]

    @torch.jit.export
    def halved(self, x):
        return x.relu() / 2

    def forward(self, x):
        return x + 1


def test_ignored_and_unused_methods_are_there_for_python():
    m = torch.jit.script(Marked())
    assert m.listed(torch.ones(2)) == [1.0, 1.0] and m.unused(3) == [3]
    assert not hasattr(m, "nowhere")


class Scaled(torch.jit.ScriptModule):
    """The older way to write a script."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.full((2,), 3.0))

    @torch.jit.script_method
    def forward(self, x):
        return x * self.w

    @torch.jit.script_method
    def shifted(self, x):
        return x + self.w

    def in_python(self, x):
        return x.no_such_method()


def test_a_script_module_of_ones_own_is_a_program():
    m, x = Scaled(), torch.ones(2)
    assert m.code == "def forward(self,\n    x: Tensor) -> Tensor:\n  w = self.w\n  return torch.mul(x, w)\n"
    assert m.graph.findNode("aten::mul") is not None
    buffer = io.BytesIO()
    torch.jit.save(m, buffer)
    loaded = torch.jit.load(io.BytesIO(buffer.getvalue()))
    assert torch.equal(loaded(x), m(x)) and torch.equal(loaded.shifted(x), m.shifted(x))
    assert list(m.state_dict()) == ["w"] and torch.equal(torch.jit.script(nn.Sequential(m, nn.ReLU()))(x), m(x))


def counted(x, n: int):
    for i in range(n):
        x = x + i
    return x


def test_functions_of_graphs():
    f = torch.jit.script(counted)
    made = torch._C._create_function_from_graph("made", f.graph)
    assert torch.equal(made(torch.ones(2), 3), f(torch.ones(2), 3)) and made.graph is not f.graph
    assert made.qualified_name == "made" and f.qualified_name == f"__torch__.{__name__}.counted"
    assert isinstance(f, torch.jit.ScriptFunction) and isinstance(made, torch.jit.ScriptFunction)
    assert isinstance(torch.jit.trace(lambda x: x + 1, torch.ones(1)), torch.jit.ScriptFunction)


def test_blocks_are_an_iterator_and_a_list():
    loop = torch.jit.script(counted).graph.findNode("prim::Loop")
    blocks = loop.blocks()
    assert len(blocks) == 1 and blocks[0] == next(blocks) and list(blocks) == []
    assert [b == next(loop.blocks()) for b in loop.blocks()] == [True]


def test_an_input_of_an_empty_graph():
    graph = torch._C.Graph()
    assert graph.addInput("x").debugName() == "x" and [v.debugName() for v in [*graph.inputs(), graph.addInput("y")]] == ["x", "y"]


def test_the_line_of_a_node_is_marked():
    text = torch.jit.script(counted).graph.findNode("prim::Loop").sourceRange()
    assert text.startswith(f'  File "{__file__}", line ')
    assert text.endswith("\n    for i in range(n):\n    ~~~~~~~~~~~~~~~~~~ <--- HERE\n")


def test_switches_of_fusers_change_nothing():
    def twice(x):
        with torch.jit.strict_fusion():
            return x + x

    with torch.jit.fuser("fuser1"):
        assert torch.equal(torch.jit.script(twice)(torch.ones(2)), torch.full((2,), 2.0))
    with pytest.raises(Exception, match="unrecognized fuser option"), torch.jit.fuser("fuser9"):
        pass


def test_operators_and_the_object_of_a_module():
    m = torch.jit.script(Marked())
    assert torch.jit.export_opnames(m) == ["aten::add.Scalar", "aten::div.Scalar", "aten::relu"]
    assert m._c._method_names() == ["forward", "halved"] and m._c.hasattr("training") and m._c.getattr("training")
    assert torch.equal(m._c._get_method("halved")(torch.ones(1)), torch.full((1,), 0.5))
    with pytest.raises(RuntimeError, match="Method 'x' is not defined"):
        m._c._get_method("x")


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(nn.ReLU(), Inner())

    def forward(self, x):
        return self.blocks(x)  # this line


def _line(of: Any, text: str) -> int:
    import inspect

    lines, first = inspect.getsourcelines(of)
    return first + next(k for k, line in enumerate(lines) if text in line)


def _chain_of_outer() -> str:
    """What an error in the linear layer of Outer says behind the layer's own line."""
    container = nn.Sequential.forward.__code__.co_filename
    return f"""
  in Linear.forward of 'blocks.1.linear', which Inner.forward of 'blocks.1' calls at {__file__}:{_line(Inner, "self.linear(x)")}
  in Inner.forward of 'blocks.1', which Sequential.forward of 'blocks' calls at {container}:{_line(nn.Sequential, "module(input)")}
  in Sequential.forward of 'blocks', which Outer.forward calls at {__file__}:{_line(Outer, "this line")}"""


def test_an_error_in_a_layer_shows_the_calls_that_lead_to_it():
    with pytest.raises(RuntimeError) as error:
        torch.jit.script(Outer())(torch.ones(2))
    assert str(error.value).endswith(_chain_of_outer()), str(error.value)


def test_the_calls_that_lead_to_an_error_are_saved(tmp_path):
    graph = torch.jit.script(Outer()).inlined_graph
    graph.save(str(tmp_path / "a.mgraph"))
    (tmp_path / "a.json").write_text(graph._to_text("json"))
    for file in ("a.mgraph", "a.json"):
        again = torch.load_graph(tmp_path / file)
        with pytest.raises(RuntimeError) as error:
            again(torch.ones(2))
        # The folders of the program are not in the file.
        told, expected = (re.sub(r"[\w./\-]*/(?=\w+\.py:)", "", text) for text in (str(error.value), _chain_of_outer()))
        assert told.endswith(expected), told


def _inner(x, y):
    return x @ y


def _middle(x, y):
    z = _inner(x, y)  # of the middle
    return z + 1


class Point:
    def __init__(self, x: torch.Tensor):
        self.x = x

    def times(self, y: torch.Tensor) -> torch.Tensor:
        return _middle(self.x, y)  # of times


def _with_class(x, y, n: int):
    p = Point(x)
    for _ in range(n):
        y = p.times(y)  # of the outer one
    return y


def test_an_error_in_a_function_shows_the_calls_that_lead_to_it():
    f, x = torch.jit.script(_with_class), torch.ones(2, 3)
    with pytest.raises(RuntimeError) as error:
        f(x, x, 2)
    assert str(error.value).endswith(f"""
  at {__file__}:{_line(_inner, "x @ y")}
  in _inner, which _middle calls at {__file__}:{_line(_middle, "of the middle")}
  in _middle, which Point.times calls at {__file__}:{_line(Point, "of times")}
  in Point.times, which _with_class calls at {__file__}:{_line(_with_class, "of the outer one")}""")
    assert torch.equal(f(x, torch.ones(3, 2), 0), torch.ones(3, 2))


def test_a_function_that_calls_none_shows_its_line_alone():
    with pytest.raises(RuntimeError) as error:
        torch.jit.script(_inner)(torch.ones(2, 3), torch.ones(2, 3))
    assert str(error.value).endswith(f"\n  at {__file__}:{_line(_inner, 'x @ y')}")


class Undeclared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append(x)  # here
        return x


def test_the_line_that_writes_to_an_undeclared_list_is_marked():
    with pytest.raises(RuntimeError) as error:
        torch.jit.script(Undeclared())
    text = str(error.value)
    assert "declare it in the class: seen: List[int]" in text
    assert f'line {_line(Undeclared, "# here")}\n        self.seen.append(x)  # here\n        ~~~~~~~~~ <--- HERE' in text


def kept_from_none(x: torch.Tensor | None):
    return torch.jit._unwrap_optional(x) + 1


def hashes(a: str, b: int, c: float):
    return hash(a), hash(b), hash(c), hash((1, 2))


def device_of(i: int):
    return torch.device("cpu", i)


def test_values_of_torchscript():
    assert torch.jit.script(hashes)("ab", 12345678901, 2.5) == (5498234120169091963, 12345678901, -9080642332174582316, 175247769363)
    assert torch.jit.script(device_of)(0) == torch.device("cpu", 0)
    with pytest.raises(RuntimeError, match="expected a value that is not None"):
        torch.jit.script(kept_from_none)(None)


def applied(x):
    return _applied(torch.relu, x)


def _applied(f, x):
    s = slice(0, 2)
    return f(x)[s]


def test_a_slice_and_a_function_are_no_values_of_the_graph():
    assert torch.equal(torch.jit.script(applied)(torch.tensor([-1.0, 2.0, 3.0])), torch.tensor([0.0, 2.0]))

    def returned(x):
        s = slice(0, 2)
        return s

    with pytest.raises(RuntimeError, match=r"slice\(...\) can only be an index"):
        torch.jit.script(returned)


class ReadsTraced(nn.Module):
    """It holds a traced module, and reads its parameters beside calling it."""

    def __init__(self, traced: Any) -> None:
        super().__init__()
        self.traced = traced

    def forward(self, x):
        return self.traced(x) + self.traced.weight.sum() + self.traced.bias


class ReadsPartOfTraced(nn.Module):
    def __init__(self, traced: Any) -> None:
        super().__init__()
        self.traced = traced

    def forward(self, x):
        return nn.functional.linear(self.traced(x), getattr(self.traced, "0").weight)


def test_a_script_reads_the_parameters_of_a_traced_module(tmp_path):
    layer, x = nn.Linear(2, 2), torch.ones(1, 2)
    traced = torch.jit.trace(layer, x)
    torch.jit.save(traced, tmp_path / "traced.pt")
    for held in (traced, torch.jit.load(tmp_path / "traced.pt")):
        scripted = torch.jit.script(ReadsTraced(held))
        expected = layer(x) + layer.weight.sum() + layer.bias
        assert torch.equal(scripted(x), expected)
        torch.jit.save(scripted, tmp_path / "scripted.pt")
        assert torch.equal(torch.jit.load(tmp_path / "scripted.pt")(x), expected)
        assert "traced" in scripted.code and set(scripted.state_dict()) == {"traced.weight", "traced.bias"}
    with torch.no_grad():
        layer.weight.add_(1.0)
    scripted = torch.jit.script(ReadsTraced(traced))
    assert torch.equal(scripted(x), layer(x) + layer.weight.sum() + layer.bias)
    scripted(x).sum().backward()
    assert layer.weight.grad is not None


def test_a_script_reads_the_parts_of_a_traced_module():
    net, x = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), torch.ones(1, 2)
    scripted = torch.jit.script(ReadsPartOfTraced(torch.jit.trace(net, x)))
    assert torch.equal(scripted(x), nn.functional.linear(net(x), net[0].weight))


class CallsPartOfTraced(ReadsPartOfTraced):
    def forward(self, x):
        return getattr(self.traced, "0")(x)  # the part


def test_a_part_of_a_traced_module_is_called_with_the_whole():
    traced = torch.jit.trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), torch.ones(1, 2))
    with pytest.raises(NotImplementedError, match=r"'traced\.0' is a part of a traced or loaded module, which a script calls as a whole"):
        torch.jit.script(CallsPartOfTraced(traced))
    with pytest.raises(RuntimeError, match=r"has no attribute 'nowhere'"):
        torch.jit.script(ReadsNothingOfTraced(traced))


class ReadsNothingOfTraced(ReadsPartOfTraced):
    def forward(self, x):
        return self.traced.nowhere + x
