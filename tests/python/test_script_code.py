"""`.code` beside PyTorch's, byte for byte (tools/oracle/freeze_script_code.py writes PyTorch's). What differs has a reason."""

from __future__ import annotations

import json
from pathlib import Path

import monograph as torch
import pytest
from script_code_programs import programs

PYTORCHS = json.loads((Path(__file__).resolve().parents[1] / "data" / "script" / "code.json").read_text())
PROGRAMS = programs(torch)
DIFFERENT: dict[str, str] = {}


@pytest.mark.parametrize("name", sorted(PYTORCHS))
def test_code_is_pytorchs(name: str) -> None:
    code = torch.jit.script(PROGRAMS[name]).code
    assert (code == PYTORCHS[name]) == (name not in DIFFERENT), f"{code}\n{PYTORCHS[name]}"


def test_the_counts() -> None:
    print(f"{len(PYTORCHS) - len(DIFFERENT)} of {len(PYTORCHS)} equal")
    assert len(PYTORCHS) == 20 and len(DIFFERENT) <= 1


def test_what_is_long_keeps_its_order() -> None:
    """What would be computed before a part that gets a line gets one too."""

    @torch.jit.script
    def f(x, y):
        return torch.cat([x.add_(1), y.mul(2).add(3).clamp(min=0.5, max=2.5) + x], 0)

    lines = f.code.splitlines()
    assert next(k for k, text in enumerate(lines) if "torch.add_(x, 1)" in text) < next(k for k, text in enumerate(lines) if "clamp" in text)


def test_a_module_that_is_called_twice_has_one_method() -> None:
    class Twice(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.act, self.fc = torch.nn.ReLU(), torch.nn.Linear(2, 2)

        def forward(self, input: torch.Tensor) -> torch.Tensor:
            return self.act(self.fc(self.act(input) + 1))

    scripted = torch.jit.script(Twice())
    assert scripted.code.count("(act).forward(") + scripted.code.count("(act0).forward(") == 2 and "forward1" not in scripted.code
    assert "input: Tensor" in scripted.code and "input0" not in scripted.code
    assert "forward1" in torch.jit.trace(Twice(), torch.ones(1, 2)).code  # a trace has one for each call, as PyTorch's has


def test_a_long_list_has_a_line() -> None:
    @torch.jit.script
    def f(x, p: int):
        return x.reshape(p // 2 + 1, p // 3 + 1, p // 4 + 1, -1)

    assert "  _0 = [torch.add(torch.floordiv(p, 2), 1), " in f.code and "torch.reshape(x, _0)" in f.code


def test_calls_and_modes_stay_as_the_text_has_them() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc, self.keeps = torch.nn.Linear(2, 2), True

        def double(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if self.training:
                x = torch.nn.functional.layer_norm(x, [2])
            return self.double(self.fc(x)) if self.keeps else x

    scripted = torch.jit.script(Net())
    code = scripted.code
    assert "  _0 = __torch__.torch.nn.functional.layer_norm\n" in code and "(self).double(" in code
    assert "training = self.training" in code and "keeps = self.keeps" in code
    assert scripted.eval().code == code  # the graphs that run are those of one mode
    assert not any("keeps" in str(n) for n in scripted.inlined_graph.nodes)


def test_modules_whose_names_are_no_identifiers() -> None:
    from collections import OrderedDict

    names = {"block1-0": "block1_0", "0x": "_0x", "b c": "b_c"}  # as PyTorch writes them
    code = torch.jit.script(torch.nn.Sequential(OrderedDict((name, torch.nn.ReLU()) for name in names))).code
    for name, variable in names.items():
        assert f'  {variable} = getattr(self, "{name}")\n' in code
        assert f"({variable}).forward(" in code
