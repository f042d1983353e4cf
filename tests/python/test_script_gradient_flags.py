"""What scripts ask of a tensor's gradient: is_leaf, grad, retains_grad, requires_grad, and requires_grad_(). Eager Python and PyTorch's own scripts give the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import monograph as torch
import pytest

Tensor = torch.Tensor

PROGRAM = '''
from typing import List, Optional
import torch
from torch import Tensor

def asked(x: Tensor):
    y = x.clone()
    return x.is_leaf, x.requires_grad, x.retains_grad, y.retains_grad

def gradient(x: Tensor):
    g = x.grad
    if g is None:
        return torch.zeros(1)
    return g * 2

def direct(x: Tensor):
    return x.grad + 1

def method(x: Tensor):
    return x.grad.sum()

def passed(x: Tensor):
    return torch.stack([x.grad, x])

def marked(x: Tensor):
    y = torch.ones(2)
    before = y.requires_grad
    z = y
    y.requires_grad_()
    after = z.requires_grad
    z.requires_grad_(False)
    return before, after, y.requires_grad, x.requires_grad_(True).requires_grad

def loops(x: Tensor, n: int):
    seen: List[bool] = []
    y = torch.zeros(1)
    for k in range(n):
        y.requires_grad_(k % 2 == 0)
        seen.append(y.requires_grad)
    return seen
'''
NAMES = ["asked", "gradient", "direct", "method", "passed", "marked", "loops"]
# What each is called with: the gradient that the input has, whether it requires grad, and further arguments.
CALLS: dict[str, list[tuple[list[float] | None, bool, list[Any]]]] = {
    "asked": [(None, False, []), (None, True, []), ([1.0, 2.0], True, [])],
    "gradient": [([1.0, 2.0], True, [])],
    "direct": [([1.0, 2.0], True, [])],
    "method": [([1.0, 2.0], True, [])],
    "passed": [([1.0, 2.0], True, [])],
    "marked": [(None, False, []), (None, True, [])],
    "loops": [(None, False, [3]), (None, True, [0])],
}


@pytest.fixture
def functions(tmp_path: Path):
    path = tmp_path / "flags.py"
    path.write_text(PROGRAM.replace("import torch\n", "import monograph as torch\n").replace("from torch", "from monograph"))
    space: dict[str, Any] = {"__name__": "flags"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return {name: space[name] for name in NAMES}


def given(grad: list[float] | None, requires_grad: bool) -> Tensor:
    x = torch.tensor([3.0, 4.0], requires_grad=requires_grad)
    if grad is not None:
        x.grad = torch.tensor(grad)
    return x


def plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.tolist()
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("name", NAMES)
def test_a_script_says_what_python_does(name: str, functions: Any, tmp_path: Path):
    script = torch.jit.script(functions[name])
    torch.jit.save(script, tmp_path / "f.pt")
    script.save(tmp_path / "f.mgraph")
    for f in (script, torch.jit.load(tmp_path / "f.pt"), torch.load_graph(tmp_path / "f.mgraph")):
        for grad, requires_grad, more in CALLS[name]:
            mine, theirs = given(grad, requires_grad), given(grad, requires_grad)
            assert plain(f(mine, *more)) == plain(functions[name](theirs, *more)), (name, grad, requires_grad)
            assert mine.requires_grad == theirs.requires_grad


def test_no_gradient_is_none(functions: Any):
    assert plain(torch.jit.script(functions["gradient"])(given(None, True))) == [0.0]
    for name in ("direct", "method", "passed"):
        with pytest.raises((TypeError, RuntimeError)):
            torch.jit.script(functions[name])(given(None, True))


def test_gradients_flow_to_what_a_script_has_marked():
    def f(x: Tensor):
        y = torch.ones(2).requires_grad_()
        return (x * y * 3).sum(), y

    total, y = torch.jit.script(f)(torch.tensor([1.0, 2.0]))
    total.backward()
    assert y.is_leaf and y.grad.tolist() == [3.0, 6.0]


def test_what_was_computed_is_no_leaf():
    def f(x: Tensor):
        y = x * 2
        return y.is_leaf, y.requires_grad

    for x in (given(None, False), given(None, True)):
        assert torch.jit.script(f)(x) == f(x)

    def marks_result(x: Tensor):
        y = x * 2
        return y.requires_grad_(False)

    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        torch.jit.script(marks_result)(given(None, True))


@pytest.mark.oracle
def test_pytorch_says_the_same(functions: Any, oracle: Any, tmp_path: Path):
    """PyTorch runs the archives, and its own scripts of the same text."""
    paths = {}
    for name, f in functions.items():
        paths[name] = str(tmp_path / f"{name}.pt")
        torch.jit.save(torch.jit.script(f), paths[name])
    (tmp_path / "theirs.py").write_text(PROGRAM)
    answers = oracle.run(
        "import importlib.util\n"
        "spec = importlib.util.spec_from_file_location('theirs', text)\n"
        "theirs = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(theirs)\n"
        "def given(grad, requires_grad):\n"
        "    x = torch.tensor([3.0, 4.0], requires_grad=requires_grad)\n"
        "    if grad is not None: x.grad = torch.tensor(grad)\n"
        "    return x\n"
        "def plain(v):\n"
        "    if isinstance(v, torch.Tensor): return v.tolist()\n"
        "    return [plain(p) for p in v] if isinstance(v, (list, tuple)) else v\n"
        "result = {}\n"
        "for name, path in paths.items():\n"
        "    for f in (torch.jit.load(path), torch.jit.script(getattr(theirs, name)), getattr(theirs, name)):\n"
        "        result.setdefault(name, []).append([plain(f(given(g, r), *more)) for g, r, more in calls[name]])\n",
        paths=paths,
        text=str(tmp_path / "theirs.py"),
        calls=CALLS,
    )
    for name, f in functions.items():
        ours = [plain(f(given(grad, requires_grad), *more)) for grad, requires_grad, more in CALLS[name]]
        assert answers[name] == [ours] * 3, name
