"""Modules that a number or key chooses when the script runs, with and without torch.jit.interface, beside eager and PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from monograph import Tensor, nn

PROGRAM = '''
import torch
from torch import Tensor, nn

@torch.jit.interface
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass

class Add(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1

class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), 3.0))
    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Add(), Scale(), Add()])
        self.named = nn.ModuleDict({"add": Add(), "scale": Scale()})
    def forward(self, x: Tensor, i: int, key: str) -> Tensor:
        block: Block = self.blocks[i]
        other: Block = self.named[key]
        for _, module in self.named.items():
            x = module.forward(x)
        return other.forward(block.forward(x))
'''


@torch.jit.interface
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError


@torch.jit.interface
class TwoWays(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def back(self, x: Tensor) -> Tensor:
        raise NotImplementedError


class Add(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1

    @torch.jit.export
    def back(self, x: Tensor) -> Tensor:
        return x - 1


class Scale(nn.Module):
    def __init__(self, factor: float = 3.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), factor))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Add(), Scale(), Add()])
        self.named = nn.ModuleDict({"add": Add(), "scale": Scale()})

    def forward(self, x: Tensor, i: int, key: str) -> Tensor:
        block: Block = self.blocks[i]
        other: Block = self.named[key]
        for _, module in self.named.items():
            x = module.forward(x)
        for k in range(i):
            earlier: Block = self.blocks[k]
            x = earlier(x)
        return other.forward(block.forward(x))


def saved_and_loaded(module: Any, folder: Path) -> list[Any]:
    module.save(folder / "m.pt")
    module.save(folder / "m.mgraph")
    return [torch.jit.load(folder / "m.pt"), torch.load_graph(folder / "m.mgraph")]


@pytest.mark.parametrize("saved", [False, True])
def test_a_number_and_a_key_choose_a_module(saved, tmp_path):
    net, x = Net(), torch.ones(2)
    scripted = torch.jit.script(net)
    for m in [scripted, *(saved_and_loaded(scripted, tmp_path) if saved else [])]:
        for i in (-3, -2, -1, 0, 1, 2):
            for key in ("add", "scale"):
                assert torch.equal(m(x, i, key), net(x, i, key)), (i, key)
        for i in (-4, 3, 2**62, -(2**63)):
            with pytest.raises(IndexError, match=f"index {i} is out of range"):
                m(x, i, "add")
        with pytest.raises(KeyError, match="none"):
            m(x, 0, "none")


def test_only_the_chosen_module_runs_and_gets_gradients():
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Scale(), Scale(5.0)])

        def forward(self, x: Tensor, i: int) -> Tensor:
            return self.blocks[i](x)

    scripted = torch.jit.script(Two())
    scripted(torch.ones(2), 1).sum().backward()
    first, second = (torch.zeros(2) if m.weight.grad is None else m.weight.grad for m in scripted.blocks)
    assert torch.equal(first, torch.zeros(2)) and torch.equal(second, torch.ones(2))


def test_no_interface_is_needed_and_a_sequential_has_items_too():
    class Stages(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stages = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))

        def forward(self, x: Tensor, first: int):
            for k in range(first, len(self.stages)):
                x = self.stages[k](x)
            return x

    stages = Stages()
    scripted = torch.jit.script(stages)
    x = torch.randn(3, 2)
    for first in range(4):
        assert torch.equal(scripted(x, first), stages(x, first))


def test_methods_and_hooks_of_the_chosen_module():
    class Hooked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Add(), Add()])

            def doubled(module, inputs: tuple[Tensor], output: Tensor) -> Tensor:
                return output * 2

            self.blocks[1].register_forward_hook(doubled)

        def forward(self, x: Tensor, i: int):
            block: TwoWays = self.blocks[i]
            return block(x), block.back(x)

    hooked = Hooked()
    scripted = torch.jit.script(hooked)
    for i in (0, 1):
        assert all(torch.equal(a, b) for a, b in zip(scripted(torch.ones(2), i), hooked(torch.ones(2), i), strict=True))


def test_errors_name_the_modules():
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Add(), Scale()])

        def forward(self, x: Tensor, i: int) -> Tensor:
            block: TwoWays = self.blocks[i]
            return block.back(x)

    with pytest.raises(RuntimeError, match=r"Scale is no TwoWays: it has no method 'back'(.|\n)*self.blocks\[i\]"):
        torch.jit.script(Mixed())

    class Pair(nn.Module):
        def forward(self, x: Tensor):
            return x, x

    class TwoTypes(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Add(), Pair()])

        def forward(self, x: Tensor, i: int):
            return self.blocks[i](x)

    with pytest.raises(RuntimeError, match=r"forward\(\) of Add gives Tensor, and that of Pair gives Tuple\[Tensor, Tensor\]"):
        torch.jit.script(TwoTypes())

    class Reads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Scale(), Scale()])

        def forward(self, x: Tensor, i: int):
            return x * self.blocks[i].weight

    with pytest.raises(RuntimeError, match="has methods alone, and 'weight' is read here"):
        torch.jit.script(Reads())

    class NoInt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Add()])

        def forward(self, x: Tensor, i: Tensor):
            return self.blocks[i](x)

    with pytest.raises(RuntimeError, match=r"the index of ModuleList is an int, but this value has type Tensor; write int\(...\)"):
        torch.jit.script(NoInt())


def test_the_power_of_two_ints_is_that_of_torchscript():
    unit = torch.jit.CompilationUnit("""
def literal():
  return torch.pow(2, 3)
def function(a: int):
  return torch.pow(a, 2)
def operator(a: int):
  return a ** 2
def mathematics(a: int):
  return math.pow(a, 2)
""")
    told = [unit.literal(), unit.function(3), unit.operator(3), unit.mathematics(3)]
    assert told == [8.0, 9.0, 9, 9.0] and [type(v) for v in told] == [float, float, int, float]
    assert "def function(a: int) -> float" in unit.function.code


@pytest.mark.oracle
def test_archives_go_both_ways(oracle, tmp_path):
    torch.jit.script(Net()).save(tmp_path / "ours.pt")
    program = PROGRAM + """
scripted = torch.jit.script(Net())
scripted.save(folder + "/theirs.pt")
ours = torch.jit.load(folder + "/ours.pt")
result = [[scripted(torch.ones(2), i, key).tolist(), ours(torch.ones(2), i, key).tolist()] for i in (0, 1, 2) for key in ("add", "scale")]
"""
    (tmp_path / "net.py").write_text(program)
    results = oracle.run("import sys; sys.path.insert(0, folder)\nimport builtins\nbuiltins.folder = folder\nimport net\nresult = net.result", folder=str(tmp_path))
    theirs, net, x = torch.jit.load(tmp_path / "theirs.pt"), Net(), torch.ones(2)
    cases = [(i, key) for i in (0, 1, 2) for key in ("add", "scale")]
    for (i, key), (scripted, ours) in zip(cases, results, strict=True):
        assert theirs(x, i, key).tolist() == scripted
        assert net(x, i, key).tolist() == ours
