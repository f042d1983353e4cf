"""The FunctionSchema of scripted, traced and loaded functions and methods, beside PyTorch's."""

from __future__ import annotations

import io

import monograph as torch
import monograph.nn as nn
import pytest

Tensor = torch.Tensor
SCHEMA = 'many(Tensor x, Dict(str, Tensor) d, int[]? o=None, int n=3, str s="a") -> ((Tensor, Dict(str, Tensor)))'


def many(x, d: dict[str, Tensor], o: list[int] | None = None, n: int = 3, s: str = "a"):
    return x, d


def test_a_scripted_function():
    schema = torch.jit.script(many).schema
    assert str(schema) == SCHEMA and schema.name == "many"
    assert [(a.name, a.has_default_value()) for a in schema.arguments][2:4] == [("o", True), ("n", True)] and schema.arguments[3].default_value == 3


def test_a_traced_function():
    traced = torch.jit.trace(lambda x, y: (x + y, [y]), (torch.ones(2, 3), torch.ones(2, 3)), strict=False)
    assert str(traced.schema).endswith("(Tensor x, Tensor y) -> ((Tensor, Tensor[]))")


def test_a_method():
    scripted = torch.jit.script(nn.Linear(2, 2))
    assert str(scripted.forward.schema) == "forward(__torch__.torch.nn.modules.linear.Linear self, Tensor input) -> Tensor"
    assert scripted.forward.owner is scripted
    assert torch.jit.load(__import__("io").BytesIO(scripted.save_to_buffer()))(torch.ones(2)).shape == (2,)
    assert scripted.graph_for(torch.ones(2)) is scripted.inlined_graph


@pytest.mark.oracle
def test_as_pytorch_says(oracle):
    source = "def many(x, d: Dict[str, Tensor], o: Optional[List[int]] = None, n: int = 3, s: str = 'a'):\n  return x, d\n"
    assert oracle.run("result = str(torch.jit.CompilationUnit(source).many.schema)", source=source) == SCHEMA


def test_methods_of_a_loaded_module():
    class Scales(nn.Module):
        def forward(self, x, times: int = 3):
            return x * times

        @torch.jit.export
        def negative(self, x):
            return -x

    buffer = io.BytesIO()
    torch.jit.script(Scales()).save(buffer)
    buffer.seek(0)
    loaded = torch.jit.load(buffer)
    assert str(loaded.forward.schema).endswith("Scales self, Tensor x, int times=3) -> Tensor")
    assert str(loaded.negative.schema).endswith("Scales self, Tensor x) -> Tensor")
    assert loaded.forward.owner is loaded and loaded.forward.name == "forward" and loaded.forward.code == loaded.code
    assert repr(loaded.negative) == "<torch.ScriptMethod negative of Scales>" and loaded.negative.inlined_graph is loaded.negative.graph
    assert loaded.forward(torch.ones(1)).item() == 3 and loaded(torch.ones(1), times=2).item() == 2
