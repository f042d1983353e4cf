"""torch.save and torch.load: files of PyTorch 2.13 (tests/data/checkpoints, by tools/oracle/freeze_checkpoints.py) and ours, in both formats and directions."""

from __future__ import annotations

import collections
import copy
import io
import json
import os
import pickle
import re
import subprocess
import warnings
import zipfile
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from monograph import nn

FILES = Path(__file__).resolve().parents[1] / "data" / "checkpoints"
PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"


class Point:
    """A class of the program, which pickles name."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return type(other) is Point and (self.x, self.y) == (other.x, other.y)


class Reduced:
    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return (Reduced, self.parts)


class Slots:
    __slots__ = ("a",)


def saved(obj, **options) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file, **options)
    file.seek(0)
    return file


def again(obj, **options):
    return torch.load(saved(obj, **options))


formats = pytest.mark.parametrize("zip", [True, False], ids=["zip", "legacy"])


# --- files of PyTorch -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["zip", "legacy"])
@pytest.mark.parametrize("how", ["weights", "pickle"])
def test_a_file_of_pytorch(name, how):
    got = torch.load(FILES / f"{name}.pt", weights_only=how == "weights")
    base = torch.arange(12.0).reshape(3, 4)
    assert list(got["model"]) == [
        "0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked",
    ]  # fmt: skip
    assert type(got["model"]) is collections.OrderedDict and got["model"]._metadata["1"] == {"version": 2}
    assert torch.equal(got["transposed"], base.t()) and got["transposed"].stride() == (1, 4)
    assert torch.equal(got["row"], base[1]) and got["row"].storage_offset() == 4
    got["row"][0] = 100
    assert got["transposed"][0, 1] == 100  # they share memory
    assert type(got["parameter"]) is nn.Parameter and got["parameter"].requires_grad and got["parameter"].is_leaf
    with torch.no_grad():
        got["parameter"][0, 0] = 7
    assert got["model"]["0.weight"][0, 0] == 7
    assert got["expanded"].stride() == (0,) and got["expanded"].shape == (5,)
    assert got["nothing"].shape == (0, 3) and got["scalar"].item() == 3 and got["scalar"].dtype == torch.int64
    assert [t.dtype for t in got["dtypes"]] == [
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool,
        torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
    ]  # fmt: skip
    assert got["dtypes"][5].tolist() == [False, True, True]
    assert all(t.tolist() == [0, 1, 2] for t in got["dtypes"][:5]) and all(t.tolist() == [0.5, -1.0] for t in got["dtypes"][6:])
    assert got["meta"].is_meta and got["meta"].shape == (2, 3)
    expected = (
        torch.bfloat16,
        torch.device("cpu"),
        torch.Size([1, 2]),
        torch.strided,
        2**200,
        -(2**63),
        1.5,
        "hé",
        b"\xff\0",
        1j,
        None,
        {1, 2},
    )
    assert got["values"] == expected and [type(a) for a in got["values"]] == [type(a) for a in expected]
    state = got["optimizer"]
    assert state["state"][0]["step"].item() == 1.0 and state["param_groups"][0]["betas"] == (0.9, 0.999)
    assert state["param_groups"][0]["params"] == [0, 1, 2, 3]


def test_a_whole_module_of_pytorch_loads_as_ours():
    with pytest.raises(pickle.UnpicklingError, match="GLOBAL torch.nn.modules.container.Sequential was not an allowed global"):
        torch.load(FILES / "module.pt")
    net = torch.load(FILES / "module.pt", weights_only=False)
    assert type(net) is nn.Sequential and type(net[0]) is nn.Linear and type(net[1]) is nn.BatchNorm1d
    weights = torch.load(FILES / "zip.pt")["model"]
    assert all(torch.equal(a, weights[name]) for name, a in net.state_dict().items())
    assert net(torch.ones(4, 3)).shape == (4, 2)
    with torch.serialization.safe_globals([nn.Sequential, nn.Linear, nn.BatchNorm1d, nn.ReLU]):
        allowed = torch.load(FILES / "module.pt")
    assert torch.equal(allowed[0].weight, net[0].weight) and repr(allowed) == repr(net)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("sparse", pickle.UnpicklingError, "sparse"),
        ("quantized", pickle.UnpicklingError, "a quantized tensor"),
        ("conjugate", pickle.UnpicklingError, "'conj'.*resolve_conj"),
        ("subclass", pickle.UnpicklingError, "GLOBAL __main__.Tagged was not an allowed global"),
        ("script", RuntimeError, "is a TorchScript archive"),
    ],
)
def test_what_monograph_lacks_is_refused_by_name(name, kind, words):
    with pytest.raises(kind, match=words):
        torch.load(FILES / f"{name}.pt")


def test_a_file_with_an_unsigned_dtype_of_pytorch_is_read():
    x = torch.load(FILES / "uint16.pt")
    assert x.dtype is torch.uint16 and x.tolist() == [1, 1]


def test_a_subclass_is_refused_even_where_its_class_is_allowed():
    with (
        torch.serialization.safe_globals([(Point, "__main__.Tagged")]),
        pytest.raises(pickle.UnpicklingError, match="a tensor of the subclass '__main__.Tagged'"),
    ):
        torch.load(FILES / "subclass.pt")


def test_storages():
    untyped, typed = torch.load(FILES / "storages.pt")
    assert type(untyped) is torch.UntypedStorage and untyped.nbytes() == 12 and bytes(untyped)[:8] == b"\0\0\0\0\0\0\x80?"
    assert type(typed) is torch.TypedStorage and typed.dtype is torch.float32 and typed.tolist() == [0, 1, 2]
    x = torch.arange(4)
    assert x[1:].untyped_storage() == x.untyped_storage() and x.clone().untyped_storage() != x.untyped_storage()
    back = again([x.untyped_storage(), x.clone().storage()])
    assert back[0].nbytes() == 32 and back[1].tolist() == [0, 1, 2, 3]


# --- our own files --------------------------------------------------------------------------------------------------------------------


@formats
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_is_saved_comes_back(zip, protocol):
    shared = [1]
    obj = {
        "list": [shared, shared, (), ((1,), 2, 3, 4)],
        "numbers": [0, -1, 255, 256, 65536, -(2**31), 2**31, 2**63, -(2**63), -(2**64), 2**2000, 1.5, float("inf"), True, None, 2 + 3j],
        "texts": ["", "é\ud800\U0001f600", b"a", b"\x80\xff", bytearray(b"ab")],
        "ordered": collections.OrderedDict(b=1, a=2),
        "counter": collections.Counter("abca"),
        "set": {1, "a", (2, 3)},
        3: "int key",
        (1, 2): "tuple key",
        "parameter": nn.Parameter(torch.ones(2)),
        "grad": torch.ones(3, requires_grad=True),
        "size": torch.Size([2, 3]),
        "device": torch.device("cuda", 1),
    }
    got = again(obj, pickle_protocol=protocol, _use_new_zipfile_serialization=zip)
    assert got["list"] == obj["list"] and got["list"][0] is got["list"][1]
    for name in ("numbers", "texts", "ordered", "counter", "set", 3, (1, 2), "size", "device"):
        assert got[name] == obj[name] and type(got[name]) is type(obj[name])
    assert [type(a) for a in got["numbers"]] == [type(a) for a in obj["numbers"]]
    assert list(got) == list(obj)
    assert got["parameter"].requires_grad and got["grad"].requires_grad and type(got["grad"]) is torch.Tensor


@formats
def test_views_share_memory_and_whole_storages_are_saved(zip):
    base = torch.arange(100.0)
    got = again([base[10:20], base[15:25].view(2, 5).t(), base], _use_new_zipfile_serialization=zip)
    got[0][5] = -1
    assert got[1][0, 0] == -1 and got[2][15] == -1
    assert got[0].untyped_storage().nbytes() == 400 and got[0].storage_offset() == 10
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([base, torch.TypedStorage(wrap_storage=base.untyped_storage(), dtype=torch.int32)], _use_new_zipfile_serialization=zip)


@formats
def test_containers_that_hold_themselves(zip):
    circle: list = [1]
    circle.append({"up": circle})
    got = again(circle, _use_new_zipfile_serialization=zip)
    assert got[1]["up"] is got


def test_attributes_of_tensors_stay():
    x, p = torch.ones(2), nn.Parameter(torch.ones(2))
    x.note, p.note = "kept", [1]
    got = again([x, p])
    assert got[0].note == "kept" and got[1].note == [1] and type(got[1]) is nn.Parameter


def test_the_archive_is_what_pytorch_writes(tmp_path):
    torch.save({"w": torch.ones(3)}, tmp_path / "name.pt")
    archive = zipfile.ZipFile(tmp_path / "name.pt")
    assert archive.testzip() is None
    assert archive.namelist() == ["name/data.pkl", "name/byteorder", "name/data/0", "name/version", "name/.data/serialization_id"]
    assert archive.read("name/byteorder") == b"little" and archive.read("name/version") == b"3\n"
    number = archive.read("name/.data/serialization_id")
    assert len(number) == 40 and number.isdigit()
    data = (tmp_path / "name.pt").read_bytes()
    assert data.index(np.ones(3, np.float32).tobytes()) % 64 == 0


def test_classes_of_the_program():
    file = saved({"p": Point(1, torch.ones(2)), "r": Reduced(3, "x")})
    name = f"{Point.__module__}.Point"
    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {name} was not an allowed global.*add_safe_globals"):
        torch.load(file)
    file.seek(0)
    assert sorted(torch.serialization.get_unsafe_globals_in_checkpoint(file)) == [name, f"{Point.__module__}.Reduced"]
    try:
        torch.serialization.add_safe_globals([Point, (Reduced, f"{Point.__module__}.Reduced")])
        assert len(torch.serialization.get_safe_globals()) == 2
        file.seek(0)
        assert torch.serialization.get_unsafe_globals_in_checkpoint(file) == []
        file.seek(0)
        got = torch.load(file)
        assert got["p"].x == 1 and got["p"].y.tolist() == [1, 1] and got["r"].parts == (3, "x")
    finally:
        torch.serialization.clear_safe_globals()
    file.seek(0)
    with torch.serialization.safe_globals([Point, Reduced]):
        assert torch.load(file)["r"].parts == (3, "x")
    assert torch.serialization.get_safe_globals() == []
    file.seek(0)
    assert torch.load(file, weights_only=False)["p"].x == 1


def test_nothing_in_a_file_runs(tmp_path):
    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "made"),))

    file = saved([Evil()])
    with pytest.raises(pickle.UnpicklingError, match="whose module posix is blocked"):
        torch.load(file)
    file.seek(0)
    with torch.serialization.safe_globals([os.mkdir]), pytest.raises(pickle.UnpicklingError, match="blocked"):
        torch.load(file)
    assert not (tmp_path / "made").exists()
    file.seek(0)
    torch.load(file, weights_only=False)  # Python's unpickler, as it was asked for
    assert (tmp_path / "made").exists()
    # Neither does a plain pickle.
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(pickle.dumps(Evil(), protocol=2)))


def test_the_environment_can_forbid_it_but_not_allow_it(monkeypatch):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="not an allowed global"):
        torch.load(saved(Point(1, 2)))
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="not an allowed global"):
        torch.load(saved(Point(1, 2)), weights_only=False)


# --- options --------------------------------------------------------------------------------------------------------------------------


@formats
@pytest.mark.parametrize("weights_only", [True, False])
def test_map_location(zip, weights_only):
    def load(place):
        return torch.load(saved({"w": torch.arange(3.0)}, _use_new_zipfile_serialization=zip), place, weights_only=weights_only)["w"]

    for place in (
        None,
        "cpu",
        torch.device("cpu"),
        {"cpu": "cpu"},
        {"cuda:0": "cpu"},
        lambda storage, place: storage,
        lambda storage, place: None,
    ):
        assert load(place).tolist() == [0, 1, 2]
    for place in ("meta", torch.device("meta"), {"cpu": "meta"}):
        assert load(place).is_meta and load(place).shape == (3,)
    for place in ("cuda", {"cpu": "cuda:0"}):
        with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but torch.cuda.is_available.. is False"):
            load(place)
    places = []
    load(lambda storage, place: places.append((storage.nbytes(), place)))
    assert places == [(12, "cpu")]


def test_mmap(tmp_path):
    path = tmp_path / "x.pt"
    torch.save({"w": torch.arange(1000.0), "half": torch.ones(3).half()}, path)
    for weights_only in (True, False):
        got = torch.load(path, mmap=True, weights_only=weights_only)
        before = path.read_bytes()
        got["w"][0] = 5
        assert path.read_bytes() == before and torch.load(path)["w"][0] == 0
        assert got["half"].tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        torch.load(io.BytesIO(path.read_bytes()), mmap=True)
    torch.save(1, path, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used with"):
        torch.load(path, mmap=True)


def test_a_file_may_change_after_it_was_loaded(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(1000), path)
    got = torch.load(path)
    path.write_bytes(b"")
    assert got.sum() == 1000


def test_strings_of_python_2():
    text = b"\x80\x02U\x03a\xc3\xa9."
    file = saved({"x": "?"})
    parts = zipfile.ZipFile(file)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as out:
        for name in parts.namelist():
            out.writestr(name, text if name.endswith("data.pkl") else parts.read(name))
    for encoding, expected in (("utf-8", "aé"), ("latin1", "aÃ©"), ("bytes", b"a\xc3\xa9")):
        changed.seek(0)
        assert torch.load(changed, encoding=encoding) == expected
        changed.seek(0)
        assert torch.load(changed, encoding=encoding, weights_only=False) == expected
    changed.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="not ASCII"):
        torch.load(changed, encoding="ascii")
    with pytest.raises(ValueError, match="expected encoding="):
        torch.load(changed, encoding="cp437")


def test_errors_of_arguments(tmp_path):
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
        torch.save(1, 2)
    with pytest.raises(ValueError, match="pickle_protocol=2 to 5"):
        torch.save(1, io.BytesIO(), pickle_protocol=0)
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        torch.load(saved(1), pickle_module=pickle, weights_only=True)
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "nothing.pt")
    with pytest.warns(UserWarning, match="pickle_load_args only works"):
        torch.load(saved(1), fix_imports=True)
    assert torch.load(saved(1), pickle_module=pickle) == 1


def test_several_objects_in_one_file():
    file = io.BytesIO()
    for k in range(3):
        torch.save(torch.full((2,), float(k)), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [torch.load(file)[0].item() for _ in range(3)] == [0, 1, 2]


def test_saving_never_harms_the_old_file(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(1, path)
    before = path.read_bytes()

    class Fails:
        def __reduce__(self):
            raise ValueError("no")

    for zip in (True, False):
        with pytest.raises(ValueError, match="no"):
            torch.save([torch.ones(3), Fails()], path, _use_new_zipfile_serialization=zip)
        assert path.read_bytes() == before and os.listdir(tmp_path) == ["x.pt"]

    class Full:
        def write(self, data):
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        torch.save(torch.ones(3), Full())


# --- damaged files --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["zip", "legacy"])
def test_truncated_files_are_errors(name):
    data = (FILES / f"{name}.pt").read_bytes()
    for n in [*range(300), *range(300, len(data), 97), len(data) - 1]:
        with pytest.raises((pickle.UnpicklingError, RuntimeError) if n else EOFError):
            torch.load(io.BytesIO(data[:n]))


def test_files_of_other_kinds_are_named(tmp_path):
    for content, words in (
        (b"", "is empty"),
        (b"hello world", "damaged|not a checkpoint"),
        (pickle.dumps(5, protocol=2), "Invalid magic number"),
    ):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(pickle.UnpicklingError if content else EOFError, match=words):
            torch.load(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "y", "w") as archive:
        archive.writestr("a/b", "c")
    with pytest.raises(RuntimeError, match="without an entry data.pkl"):
        torch.load(tmp_path / "y")


# --- other doors ----------------------------------------------------------------------------------------------------------------------


def monograph(*arguments) -> str:
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def test_info_lists_the_tensors(tmp_path):
    text = monograph("info", FILES / "zip.pt")
    assert "PyTorch checkpoint" in text and "model.0.weight" in text and "optimizer.state.0.exp_avg" in text
    listed = json.loads(monograph("info", FILES / "zip.pt", "--json"))
    rows = {row["name"]: (row["dtype"], row["shape"]) for row in listed["tensors"]}
    assert rows["model.0.weight"] == ("float32", [2, 3]) and rows["dtypes.7"] == ("bfloat16", [2]) and rows["meta"] == ("float32", [2, 3])
    module = json.loads(monograph("info", FILES / "module.pt", "--json"))
    assert module["objects"]["torch.nn.modules.linear.Linear"] >= 1
    assert "format before 1.6" in monograph("info", FILES / "legacy.pt")
    assert "torch._utils._rebuild_qtensor" in monograph("info", FILES / "quantized.pt")


def test_convert_and_compare(tmp_path):
    torch.save({"a": torch.arange(6.0).reshape(2, 3).t(), "b": [torch.ones(2)]}, tmp_path / "x.pt")
    monograph("convert", tmp_path / "x.pt", tmp_path / "x.safetensors")
    got = torch.safetensors.load_file(tmp_path / "x.safetensors") if hasattr(torch, "safetensors") else None
    if got is None:
        from monograph import safetensors

        got = safetensors.load_file(tmp_path / "x.safetensors")
    assert got["a"].tolist() == [[0, 3], [1, 4], [2, 5]] and got["b.0"].tolist() == [1, 1]
    assert "differ" not in monograph("compare", tmp_path / "x.pt", tmp_path / "x.safetensors").lower().replace("difference", "")


# --- live PyTorch ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.oracle
@formats
def test_pytorch_reads_ours(oracle, tmp_path, zip):
    base = torch.arange(12.0).reshape(3, 4)
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    obj = {
        "model": net.state_dict(),
        "p": net[0].weight,
        "t": base.t(),
        "row": base[1],
        "values": (torch.bfloat16, torch.Size([2]), b"x", 2**70),
    }
    obj |= {"meta": torch.ones(2, device="meta"), "dev": torch.device("cpu"), "empty": torch.zeros(0), "bool": torch.tensor([True])}
    torch.save(obj, tmp_path / "x.pt", _use_new_zipfile_serialization=zip)
    got = oracle.run(
        "y = torch.load(path, weights_only=True)\n"
        "y['row'][0] = 100\n"
        "net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))\n"
        "net.load_state_dict(y['model'])\n"
        "maps = [torch.load(path, mmap=True)['t'].numpy()] if is_zip else []\n"
        "result = [y['t'].numpy(), net[0].weight.detach().numpy(), type(y['p']).__name__, y['p'].requires_grad, str(y['values']), str(y['meta'].device),"
        " y['empty'].numel(), y['bool'].tolist(), maps]",
        path=str(tmp_path / "x.pt"),
        is_zip=zip,
    )
    base[1, 0] = 100
    assert np.array_equal(got[0], base.t().numpy()) and np.array_equal(got[1], net[0].weight.detach().numpy())
    assert got[2:8] == ["Parameter", True, f"(torch.bfloat16, torch.Size([2]), b'x', {2**70})", "meta", 0, [True]]
    if zip:
        assert got[8][0][0, 1] == 4


@pytest.mark.oracle
@formats
def test_we_read_pytorchs(oracle, tmp_path, zip):
    path = tmp_path / "x.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle.run(
            "import collections\n"
            "x = torch.randn(5, 7, generator=torch.Generator().manual_seed(1))\n"
            "torch.save({'x': x, 'v': x[1:3, ::2], 'c': collections.Counter('aab')}, path, _use_new_zipfile_serialization=is_zip)\n"
            "torch.save(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.LayerNorm(3)), path + '.net', _use_new_zipfile_serialization=is_zip)\n"
            "result = None",
            path=str(path),
            is_zip=zip,
        )
    x = oracle.eval("torch.randn(5, 7, generator=torch.Generator().manual_seed(1))")
    got = torch.load(path)
    assert np.array_equal(got["x"].numpy(), x) and np.array_equal(got["v"].numpy(), x[1:3, ::2]) and got["c"] == {"a": 2, "b": 1}
    assert got["v"].untyped_storage() == got["x"].untyped_storage()
    net = torch.load(f"{path}.net", weights_only=False)
    assert type(net[1]) is nn.LayerNorm and net(torch.ones(1, 2)).shape == (1, 3)


@pytest.mark.oracle
def test_the_allow_list_is_pytorchs(oracle):
    theirs = oracle.run("from torch import _weights_only_unpickler as w\nresult = sorted(w._get_allowed_globals())")
    for name in theirs:
        module, _, last = name.rpartition(".")
        content = b"\x80\x02c" + module.encode() + b"\n" + last.encode() + b"\n."
        assert torch._C._unsafe_globals(content) == [], name
    assert torch._C._unsafe_globals(b"\x80\x02ctorch.nn.modules.linear\nLinear\n.") == ["torch.nn.modules.linear.Linear"]


# --- names that Monograph lacks, and options ------------------------------------------------------------------------------------------


def legacy_file(content: bytes) -> io.BytesIO:
    """A file of the older format with this pickle and no storages."""
    facts = (torch.serialization.MAGIC_NUMBER, torch.serialization.PROTOCOL_VERSION, {"little_endian": True})
    return io.BytesIO(b"".join(pickle.dumps(fact, protocol=2) for fact in facts) + content + pickle.dumps([], protocol=2))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("torch float8_e8m0fnu", "the dtype torch.float8_e8m0fnu, which Monograph does not have"),
        ("torch quint4x2", "the dtype torch.quint4x2, which Monograph does not have"),
        ("torch bits1x8", "the dtype torch.bits1x8, which Monograph does not have"),
        ("torch._utils _rebuild_qtensor", "a quantized tensor"),
        ("torch._utils _rebuild_sparse_tensor", "a sparse tensor"),
        ("torch._utils _rebuild_nested_tensor", "a nested tensor"),
        ("torch.nn.modules.nowhere Layer", "the file uses torch.nn.modules.nowhere.Layer, which Monograph does not have"),
        ("torch no_such", "the file uses torch.no_such, which Monograph does not have"),
    ],
)
def test_pythons_unpickler_names_what_is_missing(name, said):
    module, _, attribute = name.partition(" ")
    with pytest.raises(NotImplementedError, match=re.escape(f"load: {said}")):
        torch.load(legacy_file(f"\x80\x02c{module}\n{attribute}\n.".encode("latin1")), weights_only=False)


def test_functions_of_torch_in_files_of_pytorch():
    named = b"\x80\x02c__builtin__\ngetattr\nctorch._C\n_VariableFunctionsClass\nX\x04\x00\x00\x00%s\x86R."
    assert torch.load(legacy_file(named % b"relu"), weights_only=False) is torch.relu
    with pytest.raises(NotImplementedError, match="the file uses torch.nope, which Monograph does not have"):
        torch.load(legacy_file(named % b"nope"), weights_only=False)


def test_options_of_serialization():
    s = torch.serialization
    assert s.get_default_load_endianness() is None and s.get_crc32_options() is True
    s.set_default_load_endianness(s.LoadEndianness.LITTLE)
    assert s.get_default_load_endianness() is s.LoadEndianness.LITTLE
    s.set_default_load_endianness(None)
    with pytest.raises(NotImplementedError, match="big-endian"):
        s.set_default_load_endianness(s.LoadEndianness.BIG)
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
        s.set_default_load_endianness(2)
    with s.set_default_mmap_options(s.get_default_mmap_options()):
        pass
    with pytest.raises(ValueError, match="expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got 5"):
        s.set_default_mmap_options(5)
    with pytest.raises(NotImplementedError, match="MAP_SHARED"):
        s.set_default_mmap_options(1)
    assert s.location_tag(torch.ones(2).untyped_storage()) == "cpu"


@pytest.mark.oracle
@formats
def test_what_files_of_pytorch_hold_that_is_not_here(oracle, tmp_path, zip):
    """Each is refused by its name, by either reader."""
    dtypes = ["float8_e8m0fnu"]
    others = {
        "sparse": ("torch.eye(2).to_sparse()", "sparse"),
        "csr": ("torch.eye(2).to_sparse_csr()", "sparse"),
        "quantized": ("torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8)", "quantized"),
        "channels": ("torch.quantize_per_channel(torch.ones(2, 2), torch.ones(2), torch.zeros(2, dtype=torch.int64), 0, torch.quint8)", "quantized"),
        "nested": ("torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])", "nested"),
        "conjugate": ("torch.tensor([1j]).conj()", "the mark 'conj'"),
        "subclass": ("torch.ones(2).as_subclass(type('Sub', (torch.Tensor,), {'__module__': 'torch'}))", "torch.Sub"),
    }
    made = {**{name: (f"torch.zeros(3).to(torch.{name})", f"torch.{name}") for name in dtypes}, **others}
    for name, (expression, _) in made.items():
        program = f"x = {expression}\ntorch.Sub = type(x)\ntorch.save([x], path, _use_new_zipfile_serialization=is_zip)\nresult = None"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle.run(program, path=str(tmp_path / name), is_zip=zip)
    for name, (_, said) in made.items():
        with pytest.raises((pickle.UnpicklingError, NotImplementedError), match=re.escape(said)):
            torch.load(tmp_path / name)
        with pytest.raises(NotImplementedError, match=re.escape(said)):
            torch.load(tmp_path / name, weights_only=False)


# Layers that a program pickles whole, with an input.
WHOLE = {
    "convolutions": ("nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3), nn.Softmax(1))", (1, 1, 6, 6)),
    "norms": ("nn.Sequential(nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.GELU(), nn.Dropout(0.5).eval(), nn.RMSNorm(4), nn.Identity())", (3, 4)),
    "recurrent": ("nn.LSTM(3, 2, num_layers=2)", (5, 1, 3)),
    "gru": ("nn.GRU(3, 2, bidirectional=True)", (5, 1, 3)),
    "containers": ("nn.Sequential(nn.ModuleList([nn.Linear(2, 2)])[0], *nn.ModuleDict({'a': nn.Tanh()}).values())", (1, 2)),
    "parametrized by hooks": ("nn.utils.weight_norm(nn.Linear(2, 2))", (1, 2)),
    "transposed": ("nn.Sequential(nn.ConvTranspose1d(2, 3, 2), nn.AdaptiveAvgPool1d(2), nn.PReLU(), nn.Upsample(scale_factor=2))", (1, 2, 4)),
}  # fmt: skip


@pytest.mark.oracle
@formats
@pytest.mark.parametrize("name", WHOLE)
def test_whole_modules_of_pytorch_compute_the_same(oracle, tmp_path, zip, name):
    text, shape = WHOLE[name]
    path = tmp_path / "net.pt"
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    theirs = oracle.run(
        f"import warnings\nwarnings.simplefilter('ignore')\nnn = torch.nn\nnet = {text}\nnet.register_buffer('note', torch.arange(3))\n"
        "torch.save(net, path, _use_new_zipfile_serialization=is_zip)\nwith torch.no_grad():\n    y = net(x)\nresult = (y[0] if isinstance(y, tuple) else y, repr(net))",
        path=str(path),
        is_zip=zip,
        x=x,
    )
    net = torch.load(path, weights_only=False)
    with torch.no_grad():
        y = net(torch.from_numpy(x))
    assert repr(net) == theirs[1]
    np.testing.assert_allclose((y[0] if isinstance(y, tuple) else y).numpy(), theirs[0], rtol=1e-5, atol=1e-6)


def names_in_file(obj):
    """The names of functions and classes in the pickle of a file."""
    import pickletools
    import zipfile

    buffer = io.BytesIO()
    torch.save(obj, buffer)
    with zipfile.ZipFile(buffer) as archive:
        content = next(archive.read(name) for name in archive.namelist() if name.endswith("data.pkl"))
    return [arg for op, arg, _ in pickletools.genops(content) if op.name == "GLOBAL"]


def test_what_a_file_names_has_pytorchs_modules():
    import importlib

    from monograph._pytorch_names import NAMES

    wrong, seen = {}, set()
    for home, names in NAMES.items():
        try:
            module = importlib.import_module(home.replace("torch", "monograph", 1))
        except ImportError:
            continue
        for name in names.split():
            value = vars(module).get(name)
            if id(value) in seen or not (callable(value) or isinstance(value, (torch.dtype, torch.qscheme, torch.layout))):
                continue
            seen.add(id(value))
            if type(value).__module__ == "typing":
                continue
            try:
                found = [n for n in names_in_file([value]) if n.startswith("monograph")]
            except Exception:  # a function that no file can name
                continue
            if found:
                wrong[f"{home}.{name}"] = found
    assert wrong == {}
    assert "torch.nn.functional relu" in names_in_file(torch.nn.TransformerEncoderLayer(4, 2, 8))
    assert names_in_file([torch.qint8, torch.per_tensor_affine]) == ["torch qint8", "torch per_tensor_affine"]
    buffer = io.BytesIO()
    torch.save(torch.nn.TransformerEncoderLayer(4, 2, 8, activation="gelu"), buffer)
    buffer.seek(0)
    assert torch.load(buffer, weights_only=False).activation is torch.nn.functional.gelu


class Own(torch.nn.Parameter):
    pass


def test_a_class_derived_from_parameter_is_a_plain_one_in_a_file():
    layer = torch.nn.Linear(2, 2)
    layer.weight = Own(torch.ones(2, 2))
    layer.weight.note = "kept"
    buffer = io.BytesIO()
    torch.save(layer.state_dict(), buffer)
    buffer.seek(0)
    assert torch.equal(torch.load(buffer)["weight"], torch.ones(2, 2))
    buffer = io.BytesIO()
    torch.save(layer, buffer)
    buffer.seek(0)
    loaded = torch.load(buffer, weights_only=False)
    loaded(torch.ones(1, 2)).sum().backward()
    assert type(loaded.weight) is torch.nn.Parameter and loaded.weight.is_leaf and loaded.weight.grad is not None and loaded.weight.note == "kept"
    copied = copy.deepcopy(layer)
    assert type(copied.weight) is Own and copied.weight.is_leaf
