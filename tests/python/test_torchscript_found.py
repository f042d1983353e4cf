"""What programs of many kinds have shown: archives of PyTorch's and ours whose code was read wrongly, or not at all."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

Tensor = torch.Tensor


def text(s: str) -> bytes:
    return b"X" + len(s).to_bytes(4, "little") + s.encode()


def archive(path: Path, code: str, inner: bytes = b"") -> Any:
    """What jit.load makes of an archive of PyTorch's with this code, whose root is of the class M."""
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("m/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}(" + text("training") + b"\x89" + inner + b"ub.")
        z.writestr("m/constants.pkl", b"\x80\x02).")
        z.writestr("m/code/__torch__.py", code)
        z.writestr("m/version", "10\n")
    return torch.jit.load(path)


def left_early(x: Tensor, n: int) -> tuple[Tensor, bool]:
    with torch.no_grad():
        for i in range(n):
            x = x * 2
            if i == 1:
                return x, torch.is_grad_enabled()
    return x, torch.is_grad_enabled()


def test_whether_gradients_are_on_is_asked_when_the_code_runs(tmp_path: Path):
    torch.jit.save(torch.jit.script(left_early), tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for n in (0, 1, 3):
        assert loaded(torch.ones(1), n)[1] == left_early(torch.ones(1), n)[1] == (n != 3)
    with torch.no_grad():
        assert loaded(torch.ones(1), 0)[1] is False


HOOKED = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  inner : __torch__.InnerWithALongNameOfItsOwn
  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    _0 = __torch__.InnerWithALongNameOfItsOwn.post
    inner = self.inner
    _1 = _0(inner, (x,), (inner).forward(x, ), )
    return torch.mul(_1, 2)
class InnerWithALongNameOfItsOwn(Module):
  __parameters__ = []
  __buffers__ = []
  __forward_hooks__ = ["post", ]
  training : bool
  def forward(self: __torch__.InnerWithALongNameOfItsOwn,
    x: Tensor) -> Tensor:
    return torch.add(x, 1)
  def post(self: __torch__.InnerWithALongNameOfItsOwn,
    input: Tuple[Tensor],
    output: Tensor) -> Tensor:
    return torch.sub(output, torch.mul((input)[0], 3))
"""


def test_a_variable_names_a_hook(tmp_path: Path):
    inner = text("inner") + b"c__torch__\nInnerWithALongNameOfItsOwn\n)\x81}" + text("training") + b"\x89sb"
    assert archive(tmp_path / "m.pt", HOOKED, inner)(torch.tensor([1.0, 2.0])).tolist() == [-2.0, -6.0]


ROOT_HOOKS = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  __forward_pre_hooks__ = ["before", "look", "maybe", ]
  __forward_hooks__ = ["after", "look_again", ]
  training : bool
  def forward(self: __torch__.M,
    x: Tensor,
    y: Dict[str, Tensor],
    text: str="a(,b") -> Tensor:
    return torch.add(x, y[text])
  def before(self: __torch__.M,
    input: Tuple[Tensor, Dict[str, Tensor], str]) -> Tuple[Tensor, Dict[str, Tensor], str]:
    x, y, text, = input
    return (torch.mul(x, 10), y, text)
  def look(self: __torch__.M,
    input: Tuple[Tensor, Dict[str, Tensor], str]) -> NoneType:
    return None
  def maybe(self: __torch__.M,
    input: Tuple[Tensor, Dict[str, Tensor], str]) -> Optional[Tuple[Tensor, Dict[str, Tensor], str]]:
    x, y, text, = input
    if bool(torch.gt(torch.sum(x), 100)):
      _0 : Optional[Tuple[Tensor, Dict[str, Tensor], str]] = (torch.neg(x), y, text)
    else:
      _0 = None
    return _0
  def after(self: __torch__.M,
    input: Tuple[Tensor, Dict[str, Tensor], str],
    output: Tensor) -> Tensor:
    return torch.add(output, torch.mul((input)[0], 1000))
  def look_again(self: __torch__.M,
    input: Tuple[Tensor, Dict[str, Tensor], str],
    output: Tensor) -> NoneType:
    return None
"""


def test_a_call_of_a_module_runs_its_hooks_and_forward_does_not(tmp_path: Path):
    loaded, y = archive(tmp_path / "m.pt", ROOT_HOOKS), {"a(,b": torch.tensor([5.0])}
    assert loaded(torch.tensor([2.0]), y, "a(,b").tolist() == [20025.0]
    assert loaded(torch.tensor([20.0]), y, "a(,b").tolist() == [-200195.0]
    assert loaded.forward(torch.tensor([2.0]), y, "a(,b").tolist() == [7.0]
    graph = torch.load_graph(tmp_path / "m.pt")
    assert graph(torch.tensor([2.0]), y).tolist() == [20025.0] and graph(torch.tensor([20.0]), y).tolist() == [-200195.0]
    frozen = torch.jit.freeze(loaded)
    assert frozen(torch.tensor([2.0]), y).tolist() == [20025.0]
    script = torch.jit.script(Holds(loaded))
    assert script(torch.tensor([2.0]), y).tolist() == [20025.0]
    torch.jit.save(loaded, tmp_path / "again.pt")
    again = torch.jit.load(tmp_path / "again.pt")
    assert again(torch.tensor([2.0]), y, "a(,b").tolist() == [20025.0]
    loaded.graph.findNode("aten::add").inputsAt(2).node().i_("value", 3)
    with pytest.raises(NotImplementedError, match="has hooks"):
        torch.jit.save(loaded, tmp_path / "edited.pt")


class Holds(torch.nn.Module):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x, y: dict[str, Tensor]):
        return self.inner(x, y, "a(,b")


ORDERED = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.M,
    x: Tensor) -> Dict[str, Tensor]:
    r = torch.dict()
    torch._set_item(r, "x", torch.add(x, 1))
    return r
"""


def test_an_ordered_dict_of_a_program_is_a_dict(tmp_path: Path):
    found = archive(tmp_path / "m.pt", ORDERED)(torch.ones(1))
    assert list(found) == ["x"] and found["x"].tolist() == [2.0]


def of_dtype(x: Tensor, dtype: int | None = None) -> Tensor:
    if dtype is None:
        dtype = x.dtype
    return torch.ones([2], dtype=dtype)


def test_a_parameter_for_an_int_takes_a_dtype(tmp_path: Path):
    """The way of TorchScript's programs: dtype: Optional[int] = None."""
    script = torch.jit.script(of_dtype)
    torch.jit.save(script, tmp_path / "f.pt")
    for f in (script, torch.jit.load(tmp_path / "f.pt")):
        assert f(torch.ones(1, dtype=torch.float64)).dtype == torch.float64
        assert f(torch.ones(1), 3).dtype == f(torch.ones(1), torch.int32).dtype == torch.int32


def not_here(x: Tensor, k: int) -> Tensor:
    raise ImportError("a package is missing")


def may_call(x: Tensor, flag: bool) -> Tensor:
    if flag:
        x = not_here(x, 2)
        x = x + 1
    return x


def test_what_always_raises_has_its_declared_type(tmp_path: Path):
    script = torch.jit.script(may_call)
    torch.jit.save(script, tmp_path / "f.pt")
    for f in (script, torch.jit.load(tmp_path / "f.pt")):
        assert f(torch.ones(1), False).item() == 1
        with pytest.raises(Exception, match="a package is missing"):
            f(torch.ones(1), True)


@pytest.mark.oracle
def test_pytorchs_archives_of_these_programs(oracle: Any, tmp_path: Path):
    program = tmp_path / "theirs.py"
    program.write_text(
        "from collections import OrderedDict\nfrom typing import Dict, Tuple\nimport torch\nfrom torch import Tensor, nn\n"
        "class InnerWithALongNameOfItsOwn(nn.Module):\n    def forward(self, x: Tensor) -> Tensor:\n        return x + 1\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = InnerWithALongNameOfItsOwn()\n"
        "    def forward(self, x: Tensor) -> Dict[str, Tensor]:\n        r: Dict[str, Tensor] = OrderedDict()\n        r['x'] = self.inner(x)\n"
        "        with torch.no_grad():\n            for i in range(3):\n                if torch.is_grad_enabled():\n                    r['on'] = x\n                if i == 2:\n                    return r\n        return r\n"
        "def post(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n    return output - input[0] * 3\n"
    )
    code = (
        "import importlib.util, sys\n"
        "spec = importlib.util.spec_from_file_location('theirs', text)\nsys.modules['theirs'] = m = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(m)\n"
        "net = m.Net()\nnet.inner.register_forward_hook(m.post)\nscript = torch.jit.script(net)\nscript.save(path)\n"
        "result = {k: v.tolist() for k, v in script(torch.tensor([1.0, 2.0])).items()}\n"
    )
    expected = oracle.run(code, text=str(program), path=str(tmp_path / "net.pt"))
    got = torch.jit.load(tmp_path / "net.pt")(torch.tensor([1.0, 2.0]))
    assert {k: v.tolist() for k, v in got.items()} == expected == {"x": [-1.0, -3.0]}
