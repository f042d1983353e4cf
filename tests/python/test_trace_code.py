"""`.code` of traces beside PyTorch's, byte for byte (tools/oracle/freeze_script_code.py writes PyTorch's). What differs has a reason."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import monograph as torch
import pytest
from trace_code_programs import PACKAGES, code_of, code_of_parts, programs

ROOT = Path(__file__).resolve().parents[2]
PYTORCHS = json.loads((ROOT / "tests" / "data" / "script" / "trace_code.json").read_text())
FOLDER = Path(os.environ.get("MONOGRAPH_PACKAGES") or ROOT / ".programs")
_GUARDS = "the graph checks what the capture relied on, and the text says so"
DIFFERENT: dict[str, str] = {
    "dict_input": _GUARDS,
    "einsum": _GUARDS,
    "indices": "behind an ellipsis the graph counts dims from the end, so that it holds for any number of dims",
    "advanced": "a list as an index becomes a tensor when the function is traced; PyTorch's graph converts it at each run",
    "made": "the graph leaves open what the program leaves open; PyTorch's has the device of the trace",
}
OWN = sorted(name for name in PYTORCHS if not name.startswith(PACKAGES))


@pytest.fixture(scope="module")
def of_packages() -> dict[str, str]:
    if not FOLDER.exists():
        pytest.skip("needs torchvision and timm in .programs; ./dev setup --programs installs them")
    program = (
        "import json, sys\nimport monograph\nmonograph.install_as_torch()\nsys.path += sys.argv[1:]\nimport torch, trace_code_programs as t\n"
        "print(json.dumps({name: t.code_of(torch, *made) for name, made in t.of_packages(torch).items()}))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(ROOT / "tests" / "python"), str(FOLDER)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", OWN)
def test_code_is_pytorchs(name: str) -> None:
    code = code_of(torch, *programs(torch)[name])
    assert (code == PYTORCHS[name]) == (name not in DIFFERENT), f"{code}\n{PYTORCHS[name]}"


def test_code_of_networks_of_packages_is_pytorchs(of_packages: dict[str, str]) -> None:
    assert {name for name, code in of_packages.items() if code != PYTORCHS[name]} == {name for name in DIFFERENT if name not in OWN}


def test_the_counts() -> None:
    print(f"{len(PYTORCHS) - len(DIFFERENT)} of {len(PYTORCHS)} equal")
    assert len(PYTORCHS) == 46 and len(DIFFERENT) <= 5


def test_a_text_with_constants_computes_the_same_again() -> None:
    """A number beside a tensor stays a number, also where PyTorch's constant would change the dtype: beside a float32 without dims."""

    def f(x):
        return x * 2.5 + 1

    traced = torch.jit.trace(f, torch.tensor(1.0))
    text, constants = traced.code_with_constants
    assert "torch.mul(x, CONSTANTS.c0)" in text and constants.c0.item() == 2.5
    unit = torch.jit.CompilationUnit()
    unit.define(text, rcb={"CONSTANTS": constants}.get)
    assert unit.f(torch.tensor(3.0)).dtype is torch.float32 and unit.f(torch.tensor(3.0)).item() == 8.5


def test_symbols_of_tensors_compile_again() -> None:
    unit = torch.jit.CompilationUnit()
    unit.define("def f(x: Tensor, y: Tensor) -> Tensor:\n  return torch.__and__(torch.gt(x, 0), torch.__or__(torch.lt(y, 2), torch.gt(y, 5)))\n")
    assert unit.f(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, 3.0, 1.0])).tolist() == [True, False, False]


def test_an_edit_shows_in_the_text() -> None:
    def f(x):
        y = x + x
        return torch.relu(y) * y

    traced = torch.jit.trace(f, torch.ones(2))
    assert "y = torch.add(x, x)" in traced.code
    next(n for n in traced.graph.nodes if n.name == "relu").target = torch.ops.aten.sigmoid.default
    assert "sigmoid" in traced.code and "torch.relu" not in traced.code


def test_names_are_those_of_the_frame_that_calls() -> None:
    def outer(x):
        doubled = x * 2

        def inner(given):
            return given + doubled

        return inner(doubled).neg() @ doubled

    assert torch.jit.trace(outer, torch.ones(3)).code.splitlines()[1] == "  given = torch.mul(x, CONSTANTS.c0)"


def test_a_call_that_computes_nothing_is_in_the_text() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before, self.fc = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Identity()), torch.nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fc(self.before(x))

    assert "  _0 = (before).forward()\n" in torch.jit.trace(Net(), torch.ones(1, 2)).code


# --- The submodules of a trace ----------------------------------------------------------------------------------------------------------

PARTS = json.loads((ROOT / "tests" / "data" / "script" / "trace_code_parts.json").read_text())


@pytest.mark.parametrize("name", [name for name in PARTS if not name.startswith(PACKAGES)])
def test_code_of_submodules_is_pytorchs(name: str) -> None:
    found = code_of_parts(torch, *programs(torch)[name])
    # The layer makes its first state by new_zeros, so that it has the dtype of the input; PyTorch's has the dtype of the trace.
    different = {"lstm"} if name == "Embedded" else set()
    assert {path for path, code in found.items() if code != PARTS[name].get(path)} == different and set(found) == set(PARTS[name])


def test_code_of_submodules_of_networks_of_packages_is_pytorchs() -> None:
    if not FOLDER.exists():
        pytest.skip("needs torchvision and timm in .programs; ./dev setup --programs installs them")
    program = (
        "import json, sys\nimport monograph\nmonograph.install_as_torch()\nsys.path += sys.argv[1:]\nimport torch, trace_code_programs as t\n"
        "nets = {name: made for name, made in t.of_packages(torch).items() if t.has_frozen_parts(torch, name, made)}\n"
        "print(json.dumps({name: t.code_of_parts(torch, f.eval(), inputs) for name, (f, inputs) in nets.items()}))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(ROOT / "tests" / "python"), str(FOLDER)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    for name, codes in found.items():
        different = {path: code for path, code in codes.items() if code != PARTS[name].get(path)}
        assert set(codes) == set(PARTS[name]) and different == {}, f"{name}: {len(different)} of {len(codes)}: {list(different.items())[:2]}"


def test_what_a_submodule_of_a_trace_has() -> None:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.unused = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(x) * 2

    net = Net()
    traced = torch.jit.trace(net, torch.ones(1, 2))
    assert "torch.linear(x, weight, bias)" in traced.linear.code and traced.linear.code_with_constants[0] == traced.linear.code
    assert traced.linear.graph.findNode("aten::linear") is not None and traced.linear.inlined_graph.findNode("aten::linear") is not None
    for module in (traced.unused, net.linear):  # not called; not of the trace
        for name in ("code", "graph", "inlined_graph", "code_with_constants"):
            assert not hasattr(module, name)
    again = torch.jit.trace(net, torch.ones(1, 2))
    assert again.linear.code == traced.linear.code
    part = again.linear
    del again
    gc.collect()
    with pytest.raises(AttributeError, match="which is gone"):
        part.code  # noqa: B018
