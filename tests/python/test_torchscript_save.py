"""Archives that Monograph writes: live PyTorch loads and runs them, and so does Monograph. The programs are those of the script language
(tests/data/script/programs.py) and networks of several kinds."""

from __future__ import annotations

import importlib.util
import io
import os
import pickletools
import sys
import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import numpy as np
import pytest
from monograph import fx, nn

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "data" / "script" / "programs.py"

@pytest.fixture(scope="module")
def programs():
    """The rows of the language, in which torch means Monograph. The module has its name in PyTorch's process too: names of classes have it in them."""
    spec = importlib.util.spec_from_file_location("programs", PROGRAMS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional, "programs": module}.items():
            patch.setitem(sys.modules, name, value)
        spec.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "programs", module)
        yield module


def saved(function: Any, path: Path) -> str:
    """"" where the archive was written; else what the error says."""
    try:
        torch.jit.save(torch.jit.script(function), path)
    except NotImplementedError as error:
        assert "PyTorch cannot express" in str(error) and "programs.py:" in str(error), error
        assert not path.exists()
        return str(error)
    return ""


@pytest.mark.oracle
def test_pytorch_runs_every_program_of_the_language(programs, oracle, tmp_path):
    refused = [f.__name__ for _, f, _, _ in programs.ROWS if saved(f, tmp_path / f"{f.__name__}.pt")]
    results = oracle.run(
        "import sys; sys.path.insert(0, tests)\nimport archive_side\nresult = archive_side.run(programs, folder)",
        tests=str(ROOT / "tests" / "python"),
        programs=str(PROGRAMS),
        folder=str(tmp_path),
    )
    assert len(results) + len(refused) == len(programs.ROWS)
    bad = {name: what for name, what in results.items() if what not in ("equal", "as PyTorch's own archive")}
    assert not bad, bad
    equal = sum(what == "equal" for what in results.values())
    print(f"{equal} equal, {len(results) - equal} as PyTorch's own archive, {len(refused)} refused")
    assert equal >= 370 and len(refused) <= 15, (equal, refused)


# Networks --------------------------------------------------------------------------------------------------------------------------------------


class Digits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.2))
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


class Rnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.gru = nn.LSTM(4, 6, 2, bidirectional=True, batch_first=True), nn.GRU(12, 3)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.gru(y)[0], h, c


class Tied(nn.Module):
    """One weight in two modules, a view of it, and a module at two paths."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode = nn.Linear(4, 4, bias=False), nn.Linear(4, 4)
        self.decode.weight = self.encode.weight
        self.register_buffer("row", self.encode.weight.detach()[1])
        self.again = self.encode

    def forward(self, x):
        return self.decode(self.again(self.encode(x))) + self.row


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)])

    def forward(self, x, steps: int = 3):
        for k, layer in enumerate(self.layers):
            if k != 1 or bool(x.sum() > 0):
                x = layer(x)
        while steps > 0 and bool(x.abs().max() < 100.0):
            x = x * 2.0
            steps -= 1
            if bool(x.sum() < -50.0):
                break
        return x, steps


def rand(*sizes: int) -> Any:
    return torch.rand(*sizes, generator=torch.Generator().manual_seed(sum(sizes)))


NETWORKS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "digits": (Digits, [(rand(2, 1, 8, 8),), (rand(3, 1, 8, 8),)]),
    "encoder": (Encoder, [(rand(2, 5, 8),), (rand(1, 3, 8),)]),
    "rnn": (Rnn, [(rand(2, 5, 4),), (rand(3, 2, 4),)]),
    "tied": (Tied, [(rand(2, 4),)]),
    "branches": (Branches, [(rand(2, 3),), (-rand(2, 3), 1), (rand(1, 3) * 40, 9)]),
}
WAYS = {
    "script": lambda net, args: torch.jit.script(net),
    "trace": lambda net, args: torch.jit.trace(net, args),
    "symbolic": lambda net, args: fx.symbolic_trace(net),
}
# What takes no part: a symbolic trace has no value to branch on, and a trace of one size.
LEFT_OUT = {("symbolic", "branches"), ("symbolic", "encoder"), ("symbolic", "rnn"), ("trace", "branches"), ("trace", "encoder"), ("trace", "rnn")}
CASES = [(way, name) for way in WAYS for name in NETWORKS if (way, name) not in LEFT_OUT]


def made(way: str, name: str) -> tuple[Any, Any, list[tuple[Any, ...]]]:
    torch.manual_seed(0)
    build, inputs = NETWORKS[name]
    net = build().eval()
    return net, WAYS[way](net, inputs[0]), inputs


def leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (tuple, list)) else [value]


def numbers(value: Any) -> list[Any]:
    return [leaf.detach().numpy() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves(value)]


@pytest.mark.parametrize(("way", "name"), CASES)
def test_what_is_written_is_read(way, name, tmp_path):
    net, captured, inputs = made(way, name)
    torch.jit.save(captured, tmp_path / "net.pt")
    loaded = torch.jit.load(tmp_path / "net.pt")
    assert list(loaded.state_dict()) == list((captured if way == "symbolic" else net).state_dict())
    for args in inputs:
        for a, b in zip(numbers(loaded(*args)), numbers(net(*args)), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.oracle
def test_pytorch_runs_the_networks(oracle, tmp_path):
    for way, name in CASES:
        net, captured, inputs = made(way, name)
        torch.jit.save(captured, tmp_path / "net.pt")
        got, names = oracle.run(
            "def leaves(v): return [x for p in v for x in leaves(p)] if isinstance(v, (tuple, list)) else [v]\n"
            "net = torch.jit.load(path)\n"

            "with torch.no_grad(): outputs = [leaves(net(*args)) for args in inputs]\n"
            "result = [[x.numpy() if isinstance(x, torch.Tensor) else x for x in out] for out in outputs], list(net.state_dict())",
            path=str(tmp_path / "net.pt"),
            inputs=[[np.array(a) if isinstance(a, torch.Tensor) else a for a in args] for args in inputs],
        )
        assert names == list((captured if way == "symbolic" else net).state_dict())
        for args, out in zip(inputs, got, strict=True):
            for a, b in zip(out, numbers(net(*args)), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=f"{way} {name}")


def test_shared_memory_is_written_once(tmp_path):
    _, captured, _ = made("script", "tied")
    torch.jit.save(captured, tmp_path / "net.pt")
    names = zipfile.ZipFile(tmp_path / "net.pt").namelist()
    assert names[0] == "net/data.pkl" and sum(name.startswith("net/data/") for name in names) == 2  # the weight, and a bias
    loaded = torch.jit.load(tmp_path / "net.pt")
    assert loaded.encode.weight.data_ptr() == loaded.decode.weight.data_ptr() and loaded.row.data_ptr() == loaded.encode.weight[1].data_ptr()
    assert loaded.again is loaded.encode


def test_extra_files_and_file_objects(tmp_path):
    _, captured, inputs = made("script", "digits")
    buffer = io.BytesIO()
    torch.jit.save(captured, buffer, _extra_files={"labels.txt": "a b", "raw": b"\x00\x01"})
    extra: dict[str, Any] = {"labels.txt": "", "raw": ""}
    loaded = torch.jit.load(io.BytesIO(buffer.getvalue()), _extra_files=extra)
    assert extra == {"labels.txt": b"a b", "raw": b"\x00\x01"}
    assert torch.equal(loaded(*inputs[0]), captured(*inputs[0]))
    assert torch.jit.load(io.BytesIO(captured.save_to_buffer()))(*inputs[0]).shape == (2, 10)
    with pytest.raises(TypeError, match="expected a path or a file opened for writing bytes, but got a int"):
        torch.jit.save(captured, 3)
    with pytest.raises(TypeError, match=r"but got a Digits; torch.jit.script\(m\) makes one"):
        torch.jit.save(Digits(), tmp_path / "net.pt")


def formatted(x, n: int):
    return x, f"{n:5.2f}"


def asks_for_a_dict(x: Any):
    return isinstance(x, dict)  # the question


def asks_for_a_dict_of_numbers(x: Any):
    return torch.jit.isinstance(x, dict[str, int])


def test_a_dict_of_anything_is_asked_for_in_no_archive(tmp_path):
    """PyTorch has no dict whose keys are anything: it would load no archive that asks for one."""
    asked = torch.jit.script(asks_for_a_dict)
    assert asked({"a": 1}) and not asked(3)
    with pytest.raises(NotImplementedError, match=r"(?s)PyTorch cannot express %\w+ = prim::isinstance: .*name the types .*test_torchscript_save.py:\d+"):
        torch.jit.save(asked, tmp_path / "asked.pt")
    assert not list(tmp_path.iterdir())
    torch.jit.save(torch.jit.script(asks_for_a_dict_of_numbers), tmp_path / "asked.pt")
    assert torch.jit.load(tmp_path / "asked.pt")({"a": 1})


def test_what_pytorch_cannot_express_is_refused_and_harms_no_file(tmp_path):
    path = tmp_path / "net.pt"
    _, captured, inputs = made("script", "digits")
    captured.save(path)
    before = path.read_bytes()
    with pytest.raises(NotImplementedError, match=r"(?s)PyTorch cannot express %format_1 = prim::format: .*test_torchscript_save.py:\d+"):
        torch.jit.save(torch.jit.script(formatted), path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["net.pt"]
    full = tmp_path / "folder" / "net.pt"
    with pytest.raises((OSError, RuntimeError)):
        captured.save(full)


def returns_a_dict(x):
    out = {}
    if x.sum() > 0:
        out["x"] = x
    else:
        out["x"] = -x
    return out


DICTS = {
    "set in a way": returns_a_dict,
    "nested": lambda x: {"x": {"a": [x, x + 1]}},
    "in a tuple": lambda x: (x, {"n": x.shape[0]}),
    "numbers as keys": lambda x: {1: x, 2: x * 2},
    "no keys": lambda x: {},
    "no elements": lambda x: [],
}


@pytest.mark.parametrize("name", DICTS)
def test_a_trace_that_returns_a_dict_says_so(name, tmp_path):
    x = torch.ones(2)
    torch.jit.save(torch.jit.trace(DICTS[name], (x,), strict=False), tmp_path / "f.pt")
    back = torch.jit.load(tmp_path / "f.pt")
    for given in (x, -x):
        found, want = back(given), DICTS[name](given)
        assert type(found) is type(want) and str(found) == str(want)


@pytest.mark.oracle
def test_pytorch_runs_traces_that_return_dicts(oracle, tmp_path):
    x = torch.ones(2)
    for k, f in enumerate(DICTS.values()):
        torch.jit.save(torch.jit.trace(f, (x,), strict=False), tmp_path / f"{k}.pt")
    found = oracle.run("result = [str(torch.jit.load(f'{folder}/{k}.pt')(torch.ones(2))) for k in range(n)]", folder=str(tmp_path), n=len(DICTS))
    assert found == [str(f(x)) for f in DICTS.values()]


def test_a_dict_of_values_of_two_types_is_refused(tmp_path):
    traced = torch.jit.trace(lambda x: {"x": x, "n": 3}, (torch.ones(2),), strict=False)
    with pytest.raises(NotImplementedError, match="a dict that it returns holds Tensor and int"):
        torch.jit.save(traced, tmp_path / "f.pt")
    assert not (tmp_path / "f.pt").exists()


def test_guards_of_a_trace_go_out_as_errors(tmp_path):
    def f(x):
        return x + 1 if x.sum() > 0 else x - 1

    torch.jit.save(torch.jit.trace(f, (torch.ones(2),), control_flow="guard") if "control_flow" in torch.jit.trace.__code__.co_varnames else torch.jit.trace(f, (torch.ones(2),)), tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    assert torch.equal(loaded(torch.ones(2)), torch.full((2,), 2.0))
    try:
        assert torch.equal(loaded(-torch.ones(2)), f(-torch.ones(2)))
    except RuntimeError as error:
        assert "the graph was captured where" in str(error)


# Freezing ----------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["script", "trace", "load"])
def test_a_frozen_module_holds_what_it_read(way, tmp_path):
    net, captured, inputs = made("trace" if way == "trace" else "script", "digits")
    if way == "load":
        torch.jit.save(captured, tmp_path / "net.pt")
        captured = torch.jit.load(tmp_path / "net.pt")
    frozen = torch.jit.freeze(captured)
    want = net(*inputs[0])
    with torch.no_grad():
        net.classifier.weight.mul_(2)
    assert torch.equal(frozen(*inputs[0]), want) and not list(frozen.parameters())
    assert not any(n.op == "get_attr" for n in frozen.graph.nodes)
    torch.jit.save(frozen, tmp_path / "frozen.pt")
    assert torch.equal(torch.jit.load(tmp_path / "frozen.pt")(*inputs[0]), want)
    assert torch.equal(torch.jit.optimize_for_inference(captured)(*inputs[0]), captured(*inputs[0]))


def test_what_cannot_be_frozen_says_so():
    with pytest.raises(RuntimeError, match="Freezing expects a ScriptModule as input"):
        torch.jit.freeze(Digits())
    with pytest.raises(RuntimeError, match="only implemented for modules in eval mode"):
        torch.jit.freeze(torch.jit.script(Digits()))
    frozen = torch.jit.freeze(torch.jit.script(Digits().eval()), preserved_attrs=["features"])
    assert hasattr(frozen, "features")
    with pytest.raises(RuntimeError, match="frozen for evaluation"):
        frozen.train()


def test_switches_of_the_executor_are_kept():
    before = torch.jit.set_fusion_strategy([("STATIC", 3)])
    assert torch.jit.set_fusion_strategy(before) == [("STATIC", 3)]
    with torch.jit.optimized_execution(False):
        pass
    old = torch._C._jit_set_profiling_executor(False)
    assert torch._C._jit_set_profiling_mode(old) is False
    with pytest.raises(ValueError, match="expected pairs"):
        torch.jit.set_fusion_strategy([("EAGER", 1)])


def quotients(x, k: float, n: int):
    return k / x, n / x, k * x, k - x, n // x, x / k


def test_a_number_beside_a_tensor_is_a_tensor():
    x = torch.tensor([[1.0, 2.0], [4.0, 8.0]])
    for a, b in zip(torch.jit.script(quotients)(x, 2.0, 3), quotients(x, 2.0, 3), strict=True):
        assert torch.equal(a, b)


# What PyTorch wrote ------------------------------------------------------------------------------------------------------------------------------

FILES = ROOT / "tests" / "data" / "torchscript"


@pytest.mark.oracle
def test_what_pytorch_wrote_goes_through_us_and_back(oracle, tmp_path):
    names = sorted(torch.load(FILES / "expected.pt")["runs"])
    for name in names:
        torch.jit.save(torch.jit.load(FILES / f"{name}.pt"), tmp_path / f"{name}.pt")
    results = oracle.run(
        "import sys; sys.path.insert(0, tests)\n"
        "from archive_side import same\n"
        "def plain(v):\n"
        "    if isinstance(v, (tuple, list)): return [plain(x) for x in v]\n"
        "    return v.value if hasattr(v, 'value') and hasattr(v, 'name') else v\n"
        "runs = torch.load(expected, weights_only=False)['runs']\n"
        "result = {}\n"
        "for name in names:\n"
        "    net = torch.jit.load(f'{folder}/{name}.pt')\n"
        "    result[name] = all(same(plain(net(*args)), plain(want)) for args, want in runs[name])",
        tests=str(ROOT / "tests" / "python"),
        expected=str(FILES / "expected.pt"),
        folder=str(tmp_path),
        names=names,
    )
    assert len(results) == 13 and all(results.values()), results


@pytest.mark.oracle
def test_every_record_that_torchscript_has_is_pytorchs(oracle):
    """A record without no_torchscript() has an operator of its name in PyTorch."""
    names = sorted({name.partition(".")[0] for name in torch._C._torchscript_names() if name.partition("::")[0] in ("aten", "prim")})
    own = {"prim::CreateObject", "prim::GetAttr", "prim::SetAttr", "prim::isinstance", "prim::EnumMember", "prim::EnumName", "prim::EnumValue",
           "prim::number_of_dtype", "prim::dtype_of_number"}  # what TorchScript's language has words for  # fmt: skip
    lacking = oracle.run("result = [n for n in names if not torch._C._jit_get_schemas_for_operator(n)]", names=names)
    assert set(lacking) <= own, sorted(set(lacking) - own)


def test_a_module_that_pytorch_cannot_express_is_refused_and_not_tried_again_for_ever(tmp_path):
    class Power(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.size = 3

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.abs() > len(str(x.dim()) * self.size)

    with pytest.raises(NotImplementedError, match="PyTorch cannot express"):
        torch.jit.save(torch.jit.script(Power()), tmp_path / "power.pt")


class SharesMemory(nn.Module):
    """Two buffers are views of one storage, and the last layer has the weight of the first."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        self.last.weight = self.first.weight
        base = torch.arange(6.0)
        self.register_buffer("all", base[:4])
        self.register_buffer("part", base[2:].view(2, 2))

    def forward(self, i):
        self.all[3] += 1.0
        return self.last(self.first(i)) + self.part.sum()


def test_shared_memory_is_referred_to_in_the_file():
    """PyTorch reads a storage anew for each reference by its key, so there is one for each."""
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(SharesMemory()), buffer)
    with zipfile.ZipFile(buffer) as z:
        names = z.namelist()
        data = z.read(next(n for n in names if n.endswith("/data.pkl")))
    opcodes = [opcode.name for opcode, _, _ in pickletools.genops(data)]
    assert opcodes.count("BINPERSID") == sum("/data/" in n for n in names) == 2
    assert data.count(b"_rebuild_tensor_v2") == 3


@pytest.mark.oracle
def test_memory_is_shared_in_pytorch_too(oracle, tmp_path):
    torch.manual_seed(0)
    scripted, i = torch.jit.script(SharesMemory()), torch.tensor([0, 2])
    torch.jit.save(scripted, tmp_path / "shared.pt")
    found = oracle.run(
        "m = torch.jit.load(path)\n"
        "result = [m(i).tolist(), m(i).tolist(), len(list(m.parameters())), m.all.data_ptr() + 8 == m.part.data_ptr(), m.all.tolist(), m.part.tolist()]",
        path=str(tmp_path / "shared.pt"),
        i=i.numpy(),
    )
    ours = [scripted(i).tolist(), scripted(i).tolist(), 1, True, scripted.all.tolist(), scripted.part.tolist()]
    assert found[2:] == ours[2:] and torch.allclose(torch.tensor(found[:2]), torch.tensor(ours[:2]))


def repeated(x, n):
    for _ in range(n.item()):
        x = x * 2
    return x


def test_a_loop_over_item_is_saved(tmp_path):
    traced = torch.jit.trace(repeated, (torch.ones(2), torch.tensor(3)))
    torch.jit.save(traced, tmp_path / "loop.pt")
    for n in (0, 3, 5):
        assert torch.jit.load(tmp_path / "loop.pt")(torch.ones(2), torch.tensor(n)).tolist() == [2.0**n] * 2


@pytest.mark.oracle
def test_pytorch_runs_a_loop_over_item(oracle, tmp_path):
    torch.jit.save(torch.jit.trace(repeated, (torch.ones(2), torch.tensor(3))), tmp_path / "loop.pt")
    found = oracle.run("m = torch.jit.load(path)\nresult = [m(torch.ones(2), torch.tensor(n)).tolist() for n in (0, 3, 5)]", path=str(tmp_path / "loop.pt"))
    assert found == [[2.0**n] * 2 for n in (0, 3, 5)]
