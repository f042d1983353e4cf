"""Archives of torch.jit.save: what PyTorch wrote (tests/data/torchscript, by tools/oracle/freeze_torchscript.py) runs with PyTorch's results, and damaged
files are errors."""

from __future__ import annotations

import io
import os
import random
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph"
FILES = Path(__file__).resolve().parents[1] / "data" / "torchscript"
RUNS = torch.load(FILES / "expected.pt")["runs"]


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    if isinstance(value, dict):
        return [leaf for key, part in value.items() for leaf in [key, *leaves(part)]]
    return [value]


def assert_equal(got: Any, expected: Any) -> None:
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        if isinstance(b, torch.Tensor):
            assert a.dtype == b.dtype and a.shape == b.shape
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
        else:
            assert type(a) is type(b) and a == b


@pytest.mark.parametrize("name", sorted(RUNS))
def test_what_pytorch_wrote_runs_with_its_results(name: str):
    module = torch.jit.load(FILES / f"{name}.pt")
    for args, expected in RUNS[name]:
        assert_equal(module(*args), expected)


def test_the_tree_of_modules():
    module = torch.jit.load(FILES / "cnn.pt")
    names = dict(module.named_parameters())
    assert list(names)[:4] == ["features.0.weight", "features.0.bias", "features.1.weight", "features.1.bias"]
    assert all(isinstance(p, torch.nn.Parameter) and p.requires_grad for p in names.values())
    assert list(dict(module.named_buffers())) == [f"features.1.{n}" for n in ("running_mean", "running_var", "num_batches_tracked")]
    assert module.original_name == "Cnn" and module.features.original_name == "Sequential" and not module.training
    assert "def forward" in module.code and isinstance(module, torch.jit.ScriptModule)
    x = torch.randn(1, 1, 8, 8)
    assert module.features(x).shape == (1, 8, 2, 2)  # a submodule by itself
    assert module.train().training and module.features.training and not module.eval().training


def test_shared_storages_stay_shared():
    module = torch.jit.load(FILES / "tied.pt")
    assert module.encode.weight.data_ptr() == module.decode.weight.data_ptr() == module.turned.data_ptr()
    x = torch.ones(1, 6)
    before = module(x)
    with torch.no_grad():
        module.encode.weight.mul_(2)
    assert not torch.equal(before, module(x))  # the graph reads the parameter itself
    assert torch.equal(module.row, module.encode.weight[1])


def test_gradients_reach_the_parameters():
    module = torch.jit.load(FILES / "newton.pt")
    y, count = module(torch.tensor([1.0, 4.0]))
    y.sum().backward()
    assert count > 1 and module.scale.grad is not None


def test_methods_beside_forward_and_buffers_that_change():
    module = torch.jit.load(FILES / "methods.pt")
    x = torch.tensor([1.0, 2.0])
    assert module.twice(x).tolist() == [2, 4]
    assert module(x, y=x).tolist() == [6, 12] and module.total.tolist() == [2, 4]
    with pytest.raises(ValueError, match="expected one dimension, got 2"):
        module(torch.ones(2, 2))


def test_files_beside_the_program_and_open_files():
    extra: dict[str, Any] = {"note.txt": "", "absent.txt": "kept"}
    with (FILES / "cnn.pt").open("rb") as file:
        module = torch.jit.load(file, _extra_files=extra)
    assert extra == {"note.txt": b"written by PyTorch", "absent.txt": "kept"}
    assert_equal(module(*RUNS["cnn"][0][0]), RUNS["cnn"][0][1])


def test_the_meta_device():
    module = torch.jit.load(FILES / "mlp_traced.pt", map_location="meta")
    assert all(p.device.type == "meta" for p in module.parameters())


def rewritten(name: str, tmp_path: Path, change: Any) -> Path:
    """The archive with change(entry, content) as the content of each entry, under another top folder."""
    out = tmp_path / "changed.pt"
    with zipfile.ZipFile(FILES / f"{name}.pt") as before, zipfile.ZipFile(out, "w") as after:
        for entry in before.namelist():
            inside = entry.partition("/")[2]
            content = change(inside, before.read(entry))
            if content is not None:
                after.writestr(f"any folder/{inside}", content)
    return out


def test_an_unknown_operator_and_a_device_of_the_trace(tmp_path: Path):
    path = rewritten("mlp_traced", tmp_path, lambda name, text: text.replace(b"torch.gelu(", b"ops.mine.gelu(") if name.endswith(".py") else text)
    module = torch.jit.load(path)
    with pytest.raises(RuntimeError, match=r"(?s)mine::gelu.*cannot run.*no operator mine::gelu.*freeze_torchscript.py:\d+"):
        module(torch.ones(1, 5))
    path = rewritten("mlp_traced", tmp_path, lambda name, text: text.replace(b'"cpu"', b'"cuda:0"') if name.endswith(".py") else text)
    module = torch.jit.load(path)
    with pytest.warns(UserWarning, match="cuda:0"):
        assert_equal(module(*RUNS["mlp_traced"][0][0]), RUNS["mlp_traced"][0][1])


def test_an_unknown_class(tmp_path: Path):
    path = rewritten("cnn", tmp_path, lambda name, text: None if name.endswith("nn/modules/dropout.py") else text)
    module = torch.jit.load(path)
    assert len(list(module.parameters())) == 8
    with pytest.raises(RuntimeError, match="does not define the class __torch__.torch.nn.modules.dropout.Dropout"):
        module(torch.ones(1, 1, 8, 8))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda name, text: None if name == "data.pkl" else text, "no entry data.pkl"),
        (lambda name, text: None if name == "data/0" else text, "data.pkl.*storage '0' is missing"),
        (lambda name, text: text[:2] if name == "data/0" else text, "data.pkl.*storage '0' should have"),
        (lambda name, text: text.replace(b"__torch__\nNewton", b"os\nsystem") if name == "data.pkl" else text, "data.pkl.*os.system"),
        (lambda name, text: text.replace(b"X\x08\x00\x00\x00training", b"X\x08\x00\x00\x00train\xedng") if name == "data.pkl" else text, "data.pkl.*UTF-8"),
        (lambda name, text: text.replace(b"Newton,", b"Newt\xff,") if name.endswith(".py") else text, "code/__torch__.py.*UTF-8"),
        (lambda name, text: text.replace(b"class Newton", b"import os; Newton") if name.endswith(".py") else text, "code/__torch__.py, line 1"),
        (lambda name, text: text.replace(b"K\x01t", b"K\x7ft") if name == "data.pkl" else text, "data.pkl"),
    ],
)
def test_damaged_archives_name_the_member(tmp_path: Path, change: Any, words: str):
    path = rewritten("newton", tmp_path, change)
    with pytest.raises(Exception, match=f"(?s){words}"):
        torch.jit.load(path)(torch.ones(3))


def test_a_blank_line_after_the_head_of_a_class(tmp_path: Path):
    head = b"class Newton(Module):\n"
    path = rewritten("newton", tmp_path, lambda name, text: text.replace(head, head + b"\n") if name.endswith(".py") else text)
    for args, expected in RUNS["newton"]:
        assert_equal(torch.jit.load(path)(*args), expected)


def test_a_class_that_is_called_new(tmp_path: Path):
    """Code of the form X.__new__ where both X and X.__new__ are classes; no PyTorch writes this."""
    line = b"    _0 = torch.abs(x)\n"
    more = b"    pair = __torch__.Pair.__new__(__torch__.Pair, 1)\n"
    pair = b"class Pair(NamedTuple):\n  a : int\n"

    def change(name: str, text: bytes) -> bytes:
        return pair + text.replace(line, more + line) if name == "code/__torch__.py" else text

    path = rewritten("newton", tmp_path, change)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("any folder/code/__torch__/Pair.py", "class __new__(NamedTuple):\n  a : int\n")
    with pytest.raises(Exception, match=r"__torch__"):
        torch.jit.load(path)(torch.ones(3))


def test_an_archive_of_a_pytorch_before_1_4(tmp_path: Path):
    path = rewritten("newton", tmp_path, lambda name, text: text)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("any folder/model.json", "{}")
    with pytest.raises(NotImplementedError, match=r"before 1.4.*torch.jit.save"):
        torch.jit.load(path)


def test_truncated_and_altered_archives_are_errors_and_no_crashes():
    random.seed(0)
    whole = (FILES / "newton.pt").read_bytes()
    x, outcomes = torch.ones(3), {"read": 0, "refused": 0}
    for k in range(400):
        damaged = bytearray(whole)
        if k % 4 == 0:
            damaged = damaged[: random.randrange(len(whole))]
        else:
            for _ in range(random.randrange(1, 4)):
                damaged[random.randrange(len(whole))] = random.randrange(256)
        try:
            torch.jit.load(io.BytesIO(bytes(damaged))).forward.graph  # noqa: B018
            outcomes["read"] += 1
        except torch._C.InternalError:
            raise
        except (OSError, RuntimeError, NotImplementedError, ValueError, KeyError, AttributeError, torch.serialization.pickle.UnpicklingError):
            outcomes["refused"] += 1
    assert outcomes["refused"] > 200 and x.sum() == 3


def test_the_command_reads_archives(tmp_path: Path):
    def run(*args: object) -> str:
        return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=True).stdout

    path = FILES / "newton.pt"
    assert "prim::Loop" in run("info", path) and "aten::div" in run("print", path)
    run("convert", path, tmp_path / "newton.mgraph")
    args, expected = RUNS["newton"][0]
    assert_equal(torch.load_graph(tmp_path / "newton.mgraph")(*args), expected)


def test_load_graph_reads_archives():
    args, expected = RUNS["lstm"][0]
    assert_equal(torch.load_graph(FILES / "lstm.pt")(*args), expected)


@pytest.mark.oracle
@pytest.mark.parametrize("name", [
    "nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.GroupNorm(2, 4), nn.SiLU(), nn.Flatten(), nn.LazyLinear(2))",
    "nn.GRU(4, 5, batch_first=True)",
    "nn.RNN(4, 5, nonlinearity='relu')",
    "nn.TransformerDecoderLayer(8, 2, 16)",
    "nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.GELU(), nn.Softmax(-1))",
    "nn.Sequential(nn.ConvTranspose2d(2, 3, 2), nn.InstanceNorm2d(3, affine=True), nn.Upsample(scale_factor=2))",
    "nn.Sequential(nn.Conv1d(4, 4, 3, groups=2), nn.PReLU(), nn.AdaptiveMaxPool1d(2))",
    "nn.Sequential(nn.ZeroPad2d(1), nn.MaxPool2d(2), nn.PixelShuffle(1), nn.Hardswish())",
    "nn.Bilinear(3, 4, 2)",
    "nn.Sequential(nn.Embedding(7, 4), nn.Dropout(0.1), nn.Linear(4, 7), nn.LogSoftmax(-1))",
])  # fmt: skip
@pytest.mark.parametrize("how", ["script", "trace"])
def test_networks_that_pytorch_makes_now(name: str, how: str, oracle: Any, tmp_path: Path):
    if how == "script" and name.startswith(("nn.GRU", "nn.RNN")):
        how = "trace"  # alone they have overloads of forward, and no forward that PyTorch calls
    if how == "script" and "Lazy" in name:
        name = name.replace("Lazy", "").replace("Linear(2)", "Linear(64, 2)")
    shapes = {"Conv2d(3": [(2, 3, 8, 8)], "GRU": [(2, 3, 4)], "RNN": [(2, 3, 4)], "Decoder": [(3, 2, 8), (4, 2, 8)], "Transpose": [(1, 2, 3, 3)],
              "Conv1d": [(2, 4, 9)], "ZeroPad": [(1, 4, 6, 6)], "Bilinear": [(2, 3), (2, 4)], "Embedding": [(2, 3)]}  # fmt: skip
    shape = next((s for key, s in shapes.items() if key in name), [(2, 4)])
    results = oracle.run(
        "from torch import nn\n"
        "torch.manual_seed(0)\n"
        f"net = {name}.eval()\n"
        f"inputs = tuple({'torch.randint(0, 7, s)' if 'Embedding' in name else 'torch.randn(s)'} for s in shape)\n"
        "net(*inputs)\n"
        "made = torch.jit.script(net) if how == 'script' else torch.jit.trace(net, inputs, check_trace=False)\n"
        "torch.jit.save(made, path)\n"
        "y = made(*inputs)\n"
        "flat = lambda v: [v] if isinstance(v, torch.Tensor) else [x for p in v for x in flat(p)]\n"
        "result = ([x.detach() for x in inputs], [t.detach() for t in flat(y)])",
        shape=shape, how=how, path=str(tmp_path / "net.pt"),
    )  # fmt: skip
    inputs, expected = results
    with torch.no_grad():
        got = torch.jit.load(tmp_path / "net.pt")(*[torch.from_numpy(x) for x in inputs])
    assert_equal(leaves(got), [torch.from_numpy(y) for y in expected])
