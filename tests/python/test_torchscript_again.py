"""Archives that are read and written again, operators of older versions, and what archives of real programs showed: a module that calls itself anything,
script classes, submodules with methods."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import typing
import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import numpy as np
import pytest
from monograph import nn

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "tests" / "data" / "torchscript"
NAMES = sorted(p.stem for p in FILES.glob("*.pt") if p.stem != "expected")
RUNS = torch.load(FILES / "expected.pt")["runs"]


def archive(path: Path, code: str, version: int, fields: dict[str, Any] | None = None) -> Path:
    """A module of PyTorch's, with this code as its forward."""
    state = b"}(X\x08\x00\x00\x00training\x89u"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("old/data.pkl", b"\x80\x02c__torch__\nOld\n)\x81" + state + b"b.")
        z.writestr("old/constants.pkl", b"\x80\x02).")
        body = "\n".join("  " + line for line in code.strip().splitlines())
        z.writestr("old/code/__torch__.py", f"class Old(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n{body}\n")
        z.writestr("old/version", f"{version}\n")
    return path


DIVISIONS = """
def forward(self: __torch__.Old, a: Tensor, b: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  c = torch.div(a, b)
  d = torch.div(a, 2)
  e = torch.div(a, 2.)
  return (c, d, e)
def full(self: __torch__.Old, n: int) -> Tuple[Tensor, Tensor]:
  a = torch.full([2], n, dtype=None, layout=None, device=torch.device("cpu"), pin_memory=False)
  b = torch.full([2], n, dtype=4, layout=None, device=torch.device("cpu"), pin_memory=False)
  return (a, b)
"""
INTS, FLOATS = (torch.tensor([7, -7, 9]), torch.tensor([2, 2, -4])), (torch.tensor([7.0, -7, 9]), torch.tensor([2, 2, -4]))


@pytest.mark.parametrize("version", [2, 3, 4, 5, 10])
def test_operators_mean_what_they_meant_in_their_version(version, tmp_path):
    module = torch.jit.load(archive(tmp_path / "old.pt", DIVISIONS, version))
    c, d, e = module(*INTS)
    assert c.tolist() == ([3, -3, -2] if version < 4 else [3.5, -3.5, -2.25]) and c.dtype == (torch.int64 if version < 4 else torch.float32)
    assert d.tolist() == ([3, -3, 4] if version < 4 else [3.5, -3.5, 4.5]) and e.tolist() == [3.5, -3.5, 4.5]
    assert [v.tolist() for v in module(*FLOATS)][0] == [3.5, -3.5, -2.25]
    a, b = module.full(3)
    assert a.dtype == (torch.float32 if version < 5 else torch.int64) and b.dtype == torch.int64


UPGRADED = """
def forward(self: __torch__.Old, a: Tensor, b: Tensor) -> List[Tensor]:
  c = torch.div(a, b, rounding_mode="floor")
  d = torch.div_(torch.clone(a), 2)
  e = torch.div(a, b, out=torch.empty_like(a))
  f = torch.div(a, b, out=torch.empty([3], dtype=7, layout=None, device=torch.device("cpu"), pin_memory=False))
  g = torch.full([2], 3, out=torch.empty([2], dtype=4, layout=None, device=torch.device("cpu"), pin_memory=False))
  i = torch.linspace(0, 1, None, dtype=None, layout=None, device=None, pin_memory=None)
  j = torch.logspace(0., 1., None, 2., dtype=7, layout=None, device=None, pin_memory=None)
  k = torch.linspace(0, 1, 3, dtype=None, layout=None, device=None, pin_memory=None)
  l = torch.linspace(0, 1, None, out=torch.empty([0]))
  m = torch.logspace(0, 1, None, 10., out=torch.empty([0]))
  n = torch.gelu(torch.to(b, 6))
  o = torch.div(a, b, rounding_mode=None)
  return [c, d, e, f, g, i, j, k, l, m, n, o]
"""


def upgraded(version: int, integers: bool) -> str:
    """The program with what its version had: a true division into ints is an error since 4, and steps=None since 8 and 9."""
    lines = UPGRADED.strip().splitlines()
    gone = {name for name, since in (("d", 4), ("e", 4)) if integers and version >= since}
    gone |= {name for name, since in (("i", 8), ("l", 8), ("j", 9), ("m", 9)) if version >= since}
    lines = [line for line in lines if line.strip().partition(" = ")[0] not in gone]
    kept = [name for name in "c d e f g i j k l m n o".split() if name not in gone]
    return "\n".join([*lines[:-1], f"  return [{', '.join(kept)}]"])


def test_every_operator_whose_version_was_raised(tmp_path):
    for version in range(2, 11):
        for args in (INTS, FLOATS):
            module = torch.jit.load(archive(tmp_path / "old.pt", upgraded(version, args is INTS), version))
            sizes = [tuple(x.shape) for x in module(*args)]
            assert sizes.count((100,)) == 2 * (version < 8) + 2 * (version < 9)


@pytest.mark.oracle
@pytest.mark.parametrize("version", range(2, 11))
def test_pytorch_raises_every_version_alike(oracle, tmp_path, version):
    for args in (INTS, FLOATS):
        path = archive(tmp_path / "old.pt", upgraded(version, args is INTS), version)
        want = oracle.run("result = [x.numpy() for x in torch.jit.load(path)(*args)]", path=str(path), args=[a.numpy() for a in args])
        for got, expected in zip(torch.jit.load(path)(*args), want, strict=True):
            assert got.numpy().dtype == expected.dtype
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.oracle
def test_pytorch_upgrades_the_same(oracle, tmp_path):
    for version in (2, 3, 4, 10):
        path = archive(tmp_path / f"old{version}.pt", DIVISIONS, version)
        module = torch.jit.load(path)
        for args in (INTS, FLOATS):
            want = oracle.run(
                "net = torch.jit.load(path)\nresult = [x.numpy() for x in net(*args)]", path=str(path), args=[a.numpy() for a in args]
            )
            for got, expected in zip(module(*args), want, strict=True):
                assert got.numpy().dtype == expected.dtype
                np.testing.assert_array_equal(got.numpy(), expected)


def test_a_newer_version_is_refused(tmp_path):
    with pytest.raises(OSError, match="its operators have version 11, but Monograph knows those up to 10"):
        torch.jit.load(archive(tmp_path / "new.pt", DIVISIONS, 11))


def same(got: Any, want: Any) -> bool:
    if isinstance(want, (tuple, list)):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[k], want[k]) for k in want)
    return torch.equal(got, want) if isinstance(want, torch.Tensor) else got == want


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_is_written_with_its_own_code(name, tmp_path):
    module = torch.jit.load(FILES / f"{name}.pt")
    before = [module(*args) for args, _ in RUNS[name]]
    module = torch.jit.load(FILES / f"{name}.pt")
    torch.jit.save(module, tmp_path / f"{name}.pt")
    was, now = zipfile.ZipFile(FILES / f"{name}.pt"), zipfile.ZipFile(tmp_path / f"{name}.pt")
    code = [n for n in was.namelist() if n.startswith(f"{name}/code/")]
    assert code and all(was.read(n) == now.read(n) for n in code)
    again = torch.jit.load(tmp_path / f"{name}.pt")
    for (args, _), want in zip(RUNS[name], before, strict=True):
        assert same(again(*args), want)


def test_values_are_written_as_they_are_now(tmp_path):
    module = torch.jit.load(FILES / "cnn.pt").train()
    with torch.no_grad():
        next(iter(module.parameters())).zero_()
    torch.jit.save(module, tmp_path / "cnn.pt")
    again = torch.jit.load(tmp_path / "cnn.pt")
    assert again.training and next(iter(again.parameters())).abs().sum() == 0


# Classes ------------------------------------------------------------------------------------------------------------------------------------------


class Tally:
    def __init__(self, start: float):
        self.total = start
        self.seen: list[int] = []

    def add(self, value: float) -> None:
        self.total += value
        self.seen.append(len(self.seen))


class Pair(typing.NamedTuple):
    a: torch.Tensor
    b: int


class Pairs(nn.Module):
    def forward(self, x) -> Pair:
        return Pair(x * 2, 3)

    @torch.jit.export
    def many(self, x) -> list[Pair]:
        return [Pair(x, 1), Pair(x + 1, 2)]


def test_named_tuples_come_back_as_such(tmp_path):
    scripted = torch.jit.script(Pairs())
    torch.jit.save(scripted, tmp_path / "p.pt")
    content = (tmp_path / "p.pt").read_bytes()
    for module in (scripted, torch.jit.load(tmp_path / "p.pt"), torch.jit.freeze(scripted.eval())):
        pair = module(torch.ones(1))
        assert type(pair).__name__ == "Pair" and pair._fields == ("a", "b") and pair.a.item() == 2 and pair.b == 3
    # In a process that has no such class, one is made.
    program = (
        "import io, sys\nimport monograph as torch\nm = torch.jit.load(io.BytesIO(sys.stdin.buffer.read()))\n"
        "p, q = m(torch.ones(1)), m.many(torch.ones(1))[1]\nprint(p.a.item(), p.b, q.a.item(), q._fields)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, timeout=60)
    assert done.stdout.decode().split(maxsplit=3) == ["2.0", "3", "2.0", "('a', 'b')\n"], done.stderr.decode()


def tallied(x, n: int):
    tally = Tally(1.0)
    for i in range(n):
        tally.add(float(x.sum()) + i)
    return tally.total, tally.seen


def test_objects_of_script_classes_are_read_back(tmp_path):
    torch.jit.save(torch.jit.script(tallied), tmp_path / "t.pt")
    loaded = torch.jit.load(tmp_path / "t.pt")
    for n in (0, 3):
        assert loaded(torch.ones(2), n) == tallied(torch.ones(2), n)


# Methods of submodules ----------------------------------------------------------------------------------------------------------------------------


class Layer(nn.Module):
    def __init__(self, n: int):
        super().__init__()
        self.fc, self.scale = nn.Linear(n, n), 2.0

    def forward(self, x, bias: float = 0.5):
        if bool(x.sum() > 0):
            x = self.fc(x)
        return x * self.scale + bias


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(3), Layer(3)])
        self.head = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 2))

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            x = layer(x) if k == 0 else layer(x, bias=1.5)
        return self.head(x)


def test_submodules_of_a_written_archive_have_methods(tmp_path):
    torch.manual_seed(0)
    net = Net().eval()
    torch.jit.save(torch.jit.script(net), tmp_path / "net.pt")
    loaded = torch.jit.load(tmp_path / "net.pt")
    assert "(self.head).forward(" in loaded.code and "(getattr(self.layers, \"1\")).forward(" in loaded.code
    x = torch.randn(4, 3)
    assert torch.equal(loaded(x), net(x)) and torch.equal(loaded.head(x), net.head(x))
    assert torch.equal(getattr(loaded.layers, "0")(x, 3.0), net.layers[0](x, 3.0))
    assert torch.equal(loaded.train()(x), net.train()(x))


@pytest.mark.oracle
def test_pytorch_calls_submodules(oracle, tmp_path):
    torch.manual_seed(0)
    net, x = Net().eval(), torch.randn(4, 3)
    for how, made in (("script", torch.jit.script(net)), ("trace", torch.jit.trace(net.head, x))):
        path, part = tmp_path / f"{how}.pt", "head" if how == "script" else "1"
        torch.jit.save(made, path)
        want = (net.head if how == "script" else net.head[1])(x)
        got, names = oracle.run(
            "net = torch.jit.load(path)\nresult = (getattr(net, part)(x).detach().numpy(), [n for n, m in net.named_modules() if hasattr(m, 'forward')])",
            path=str(path),
            part=part,
            x=x.numpy(),
        )
        np.testing.assert_allclose(got, want.detach().numpy(), rtol=1e-5, atol=1e-6)
        assert len(names) >= (8 if how == "script" else 3)


# Edits and attributes -----------------------------------------------------------------------------------------------------------------------------


class Power(nn.Module):
    def __init__(self):
        super().__init__()
        self.times, self.name = 3, "power"

    def forward(itself, x):
        for _ in range(itself.times):
            x = torch.relu(x) * 2
        return torch.relu(x)


def test_what_is_assigned_and_edited_is_used_and_written(tmp_path):
    torch.jit.save(torch.jit.script(Power()), tmp_path / "p.pt")
    x = torch.tensor([-1.0, 2.0])
    loaded = torch.jit.load(tmp_path / "p.pt")
    assert loaded(x).tolist() == [0, 16]
    for node in list(loaded.graph.nodes):
        if node.op == "call_function" and node.target == "aten::relu":
            node.target = "aten::neg"
    edited = loaded(x)
    loaded.save(tmp_path / "q.pt")
    assert torch.equal(torch.jit.load(tmp_path / "q.pt")(x), edited)
    with pytest.raises(RuntimeError, match=r"the mode is set, but the graph of forward\(\) was edited"):
        loaded.train(not loaded.training)


def test_an_attribute_of_a_loaded_module_is_assigned(tmp_path):
    code = """
scale : float
def forward(self: __torch__.Old, x: Tensor) -> Tensor:
  scale = self.scale
  return torch.mul(x, scale)
"""
    path = archive(tmp_path / "a.pt", code, 10)
    with zipfile.ZipFile(path) as z:
        content = {n: z.read(n) for n in z.namelist()}
    content["old/data.pkl"] = b"\x80\x02c__torch__\nOld\n)\x81}(X\x08\x00\x00\x00training\x89X\x05\x00\x00\x00scaleG@\x00\x00\x00\x00\x00\x00\x00ub."
    with zipfile.ZipFile(path, "w") as z:
        for name, data in content.items():
            z.writestr(name, data)
    module = torch.jit.load(path)
    assert module(torch.ones(1)).item() == 2
    module.scale = 5
    assert module(torch.ones(1)).item() == 5
    torch.jit.save(module, tmp_path / "b.pt")
    assert torch.jit.load(tmp_path / "b.pt")(torch.ones(1)).item() == 5
    with pytest.raises(TypeError, match="the attribute 'scale' of __torch__.Old has the type float, but it was given a str"):
        module.scale = "x"


# Bad input ----------------------------------------------------------------------------------------------------------------------------------------


def test_inflated_entries_count_together(tmp_path):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        tensors = b"".join(
            b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x00%dX\x03\x00\x00\x00cpuJ\x00\x00\xc0\x00tQK\x00J\x00\x00\xc0\x00\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR" % k
            for k in range(4)
        )
        z.writestr("a/data.pkl", b"\x80\x02c__torch__\nOld\n)\x81}(X\x08\x00\x00\x00training\x89X\x01\x00\x00\x00t(" + tensors + b"tub.")
        z.writestr("a/version", "10")
        for k in range(4):
            z.writestr(f"a/data/{k}", bytes(48 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(OSError, match="would inflate to (far more|more than)"):
        torch.jit.load(path)


def test_altered_archives_that_we_wrote_never_crash(tmp_path):
    seed = int(os.environ.get("MONOGRAPH_SEED", "0")) or random.randrange(1 << 30)
    print("MONOGRAPH_SEED", seed)
    program = f"""
import io, random, warnings
import monograph as torch
warnings.simplefilter("ignore")
draw = random.Random({seed})
for path in {[str(p) for p in made(tmp_path)]!r}:
    content = open(path, "rb").read()
    for _ in range(300):
        data = bytearray(content)
        for _ in range(draw.choice((1, 1, 3, 20))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.2:
            del data[draw.randrange(len(data)):]
        try:
            module = torch.jit.load(io.BytesIO(bytes(data)))
            torch.jit.save(module, io.BytesIO())
            module.graph
        except (OSError, RuntimeError, TypeError, ValueError, KeyError, AttributeError, NotImplementedError, IndexError):
            pass
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (seed, done.returncode, done.stderr[-2000:])


def made(folder: Path) -> list[Path]:
    paths = [folder / "net.pt", folder / "tally.pt"]
    torch.jit.save(torch.jit.script(Net()), paths[0])
    torch.jit.save(torch.jit.script(tallied), paths[1])
    return paths


def test_a_buffer_gets_the_archive(tmp_path):
    loaded = torch.jit.load(FILES / "cnn.pt")
    assert torch.jit.load(io.BytesIO(loaded.save_to_buffer())).state_dict().keys() == loaded.state_dict().keys()


def test_the_lines_of_the_users_program_are_kept():
    """What NAME.py.debug_pkl says: nodes have the user's lines, and errors show them behind those of the archive's code."""
    module = torch.jit.load(FILES / "newton.pt")
    spans = {n.span for n in module.inlined_graph.nodes if n.op == "call_function"}
    lines = (ROOT / "tools" / "oracle" / "freeze_torchscript.py").read_text().splitlines()
    shown = {lines[int(span.rpartition(":")[2]) - 1].strip() for span in spans if span and span.rpartition(":")[0].endswith("freeze_torchscript.py")}
    assert {"target = x.abs() * self.scale + 1", "if count > 4:"} <= shown, spans
    with pytest.raises(Exception, match=r"expected one dimension") as raised:
        torch.jit.load(FILES / "methods.pt")(torch.ones(2, 2))
    assert "freeze_torchscript.py:" in str(raised.value)


def test_a_damaged_debug_entry_says_nothing(tmp_path):
    for content in (b"", b"\x80\x02N.", b"\x80\x02X\xff\xff\xff\xff", b"\x80\x02(X\x18\x00\x00\x00FORMAT_WITH_STRING_TABLE)K\x01t."):
        out = tmp_path / "newton.pt"
        with zipfile.ZipFile(FILES / "newton.pt") as before, zipfile.ZipFile(out, "w") as after:
            for entry in before.infolist():
                after.writestr(entry, content if entry.filename.endswith(".debug_pkl") else before.read(entry))
        args, expected = RUNS["newton"][0]
        got = torch.jit.load(out)(*args)
        assert torch.allclose(got[0], expected[0]) and got[1] == expected[1]
