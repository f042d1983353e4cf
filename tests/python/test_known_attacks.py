"""The inputs of known attacks on loaders of models: each test has the number of what it stands for. Nothing of a file runs while it is read, no file leads out
of its folder, and sizes that a file claims are checked against what it holds."""

from __future__ import annotations

import io
import os
import pickle
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import monograph as torch
import pytest
from test_load_memory import archive

REFUSED = (pickle.UnpicklingError, RuntimeError, OSError, ValueError)
LOADERS = {"load": torch.load, "jit.load": torch.jit.load}


class Runs:
    """What a file of an attacker holds: Python's unpickler calls os.mkdir."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __reduce__(self):
        return (os.mkdir, (str(self.folder),))


def plain(x):
    return x + 1


def checkpoint(path: Path, content: bytes, *, data: bytes = b"", script: bool = False) -> Path:
    """An archive with this data.pkl, and one storage."""
    with zipfile.ZipFile(archive(path, content, script), "a") as z:
        z.writestr("a/data/0", data)
    return path


def text(words: str) -> bytes:
    return b"X" + struct.pack("<I", len(words.encode())) + words.encode()


def number(n: int) -> bytes:
    return b"\x8a\x08" + struct.pack("<q", n)


def tensor(elements: int, sizes: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> bytes:
    """The pickle of a tensor of floats, in a storage that says how many elements it has."""
    storage = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + number(elements) + b"tQ"
    shape = b"(" + b"".join(map(number, sizes)) + b"t(" + b"".join(map(number, strides)) + b"t"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + shape + b"\x89ccollections\nOrderedDict\n)RtR"


# --- code in a file -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("form", ["tar of PyTorch 0.1", "zip", "plain pickle", "old file"])
def test_cve_2025_32434_and_cve_2026_31253_no_code_of_a_checkpoint_runs(tmp_path, loader, form):
    """CVE-2025-32434: weights_only=True ran code of files in the old formats. CVE-2026-31253: a checkpoint that a program of somebody else loads."""
    made, path = tmp_path / "made", tmp_path / "net.pt"
    attack = pickle.dumps(Runs(made), protocol=2)
    if form == "zip":
        checkpoint(path, attack, script=loader == "jit.load")
    elif form == "plain pickle":
        path.write_bytes(attack)
    elif form == "old file":
        path.write_bytes(b"".join(pickle.dumps(v, protocol=2) for v in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True})) + attack)
    else:
        with tarfile.open(path, "w") as tar:
            for name in ("sys_info", "storages", "tensors", "pickle"):
                entry = tarfile.TarInfo(name)
                entry.size = len(attack)
                tar.addfile(entry, io.BytesIO(attack))
    with pytest.raises(REFUSED):
        LOADERS[loader](path)
    assert not made.exists()


@pytest.mark.parametrize(
    ("kind", "content"),
    {
        "an item of a list is set by a key": b"\x80\x02](" + text("a") + b"K\x01u.",
        "an item of a number is set": b"\x80\x02K\x05" + text("a") + b"K\x01s.",
        "something is appended to a dict": b"\x80\x02}K\x01a.",
        "several are appended to a text": b"\x80\x02" + text("a") + b"(K\x01K\x02e.",
        "the state of a number": b"\x80\x02K\x05}b.",
        "a tensor's items are set": b"\x80\x02" + tensor(2, (2,), (1,)) + text("a") + b"K\x01s.",
        "arguments that are no tuple": b"\x80\x02ccollections\nOrderedDict\nK\x05R.",
        "a storage that is a number": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(K\x05K\x00(K\x01t(K\x01t\x89}tR.",
        "sizes that are texts": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + b"K\x02tQK\x00("
        + text("a") + b"t(K\x01t\x89}tR.",
        "a key that is a list": b"\x80\x02}]K\x01s.",
    }.items(),
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_cve_2026_24747_values_of_other_types(tmp_path, kind, content):
    """CVE-2026-24747: operations of pickle on values that are no containers corrupted memory under weights_only=True."""
    with pytest.raises((*REFUSED, TypeError)):
        torch.load(checkpoint(tmp_path / "a.pt", content, data=b"\0" * 8))


@pytest.mark.parametrize(
    ("elements", "sizes", "strides", "offset"),
    [
        (1 << 20, (4,), (1,), 0),  # the storage claims more than the file holds
        (2, (1 << 20,), (1,), 0),  # the tensor reaches past the storage
        (2, (2,), (1 << 40,), 0),
        (2, (2,), (1,), 1 << 40),
        (2, (2,), (1,), -1),
        (2, (1 << 33, 1 << 33), (1, 1), 0),  # the product of the sizes overflows
        (2, (-1,), (1,), 0),
        (2, (2,), (-1,), 1),
        (-1, (2,), (1,), 0),
        (1 << 62, (2,), (1,), 0),  # its size in bytes overflows
    ],
)
def test_cve_2026_24747_sizes_that_the_storage_does_not_have(tmp_path, elements, sizes, strides, offset):
    """CVE-2026-24747, and pytorch/pytorch#185440: a file of 1,843 bytes that claims 2.2 GB."""
    with pytest.raises(REFUSED):
        torch.load(checkpoint(tmp_path / "a.pt", b"\x80\x02" + tensor(elements, sizes, strides, offset) + b".", data=b"\0" * 8))


def test_pytorch_185440_a_small_file_claims_2_gb(tmp_path):
    path = checkpoint(tmp_path / "a.pt", b"\x80\x02" + tensor(550_000_000, (550_000_000,), (1,)) + b".", data=b"\0" * 1024)
    assert path.stat().st_size < 2200
    with pytest.raises(REFUSED, match="2200000000"):
        torch.load(path)
    # The archive's directory lies, too.
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x01\x02")
    content[place + 20 : place + 28] = struct.pack("<II", 2_200_000_000, 2_200_000_000)
    path.write_bytes(content)
    with pytest.raises(REFUSED):
        torch.load(path)


def test_pytorch_151233_and_88868_a_type_comment_is_not_evaluated(tmp_path):
    """pytorch/pytorch#151233 and #88868: type comments and annotations of a text went through eval."""
    made = tmp_path / "made"
    attack = f"__import__('os').mkdir({str(made)!r})"
    for program in (f"def f(x):\n    # type: ({attack}) -> Tensor\n    return x\n", f"def f(x: {attack}):\n    return x\n", f"def f(x):\n    y: {attack} = 1\n    return x\n"):
        with pytest.raises(RuntimeError):
            torch.jit.CompilationUnit(program)
    path = tmp_path / "net.pt"
    torch.jit.save(torch.jit.script(plain), path)
    whole = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(whole, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            new.writestr(entry.filename, content.replace(b"x: Tensor", b"x: " + attack.encode()) if entry.filename.endswith(".py") else content)
    path.write_bytes(whole.getvalue())
    with pytest.raises(RuntimeError):
        torch.jit.load(path)(torch.ones(1))
    assert not made.exists()


# --- paths ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../../../../etc/passwd", id="CVE-2022-25882"),
        pytest.param("/etc/passwd", id="CVE-2022-25882 absolute"),
        pytest.param("a/data/../../../../etc/passwd", id="CVE-2024-27318"),  # past a check of the beginning alone
        pytest.param("..\\..\\..\\etc\\passwd", id="CVE-2024-27318 backslash"),
    ],
)
def test_names_of_members_lead_nowhere(tmp_path, loader, name):
    """CVE-2022-25882 and CVE-2024-27318: the place of a tensor's data, which a file names, leads out of its folder."""
    path = checkpoint(tmp_path / "a.pt", b"\x80\x02}.", script=loader == "jit.load")
    with zipfile.ZipFile(path, "a") as z:
        z.writestr(name, b"x")
    with pytest.raises(REFUSED, match="leads out of the folder"):
        LOADERS[loader](path)


@pytest.mark.parametrize("key", ["../data.pkl", "../../../../../etc/passwd", "/etc/passwd", "..", ""])
def test_cve_2024_27318_the_key_of_a_storage_is_a_name_in_the_archive(tmp_path, key):
    content = b"\x80\x02" + tensor(2, (2,), (1,)).replace(text("0"), text(key)) + b"."
    with pytest.raises(REFUSED):
        torch.load(checkpoint(tmp_path / "a.pt", content, data=b"\0" * 8))


@pytest.mark.parametrize("name", ["../../../made", "a/../../../../made"])
def test_cve_2025_51480_nothing_outside_is_overwritten(tmp_path, name):
    """CVE-2025-51480: what is saved beside a model went where the names in it said."""
    kept = tmp_path / "made"
    kept.write_text("kept")
    folder = tmp_path / "in" / "here"
    folder.mkdir(parents=True)
    with pytest.raises(ValueError, match="leads out of the folder"):
        torch.jit.save(torch.jit.script(plain), folder / "net.pt", _extra_files={name: "x"})
    assert kept.read_text() == "kept" and not list(folder.iterdir())


@pytest.mark.parametrize("loader", LOADERS)
def test_cve_2026_27489_a_member_that_is_a_symbolic_link_is_not_followed(tmp_path, loader):
    """CVE-2026-27489: an entry whose mode says that it is a link is the bytes that it holds."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"\1" * 8)
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(checkpoint(path, b"\x80\x02" + tensor(2, (2,), (1,)) + b".")) as old:
        content = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as z:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)
            if name == "a/data/0":
                entry.external_attr, data = (stat.S_IFLNK | 0o777) << 16, str(secret).encode()
            z.writestr(entry, data)
    try:
        held = LOADERS[loader](path)
    except REFUSED:
        return
    assert bytes(held.numpy().tobytes()) == str(secret).encode()[:8]


@pytest.mark.parametrize("attribute", ["__class__", "__dict__", "data", "grad_fn", "_backward_hooks", "__reduce_ex__"])
def test_cve_2026_34445_a_file_sets_no_attributes_of_its_choice(tmp_path, attribute):
    """CVE-2026-34445: the keys of a file became attributes of the object that reads it."""
    state = b"}" + text(attribute) + text("os.system") + b"s"
    for content in (b"ccollections\nOrderedDict\n)R" + state + b"b", tensor(2, (2,), (1,)) + state + b"b"):
        try:
            held = torch.load(checkpoint(tmp_path / "a.pt", b"\x80\x02" + content + b".", data=b"\0" * 8))
        except REFUSED:
            continue
        assert type(held).__name__ in ("OrderedDict", "Tensor")
        assert attribute.startswith("__") or getattr(held, attribute, None) != "os.system" or type(held).__name__ == "OrderedDict"


def test_cve_2026_28500_a_repository_is_trusted_by_nobody_but_its_user(tmp_path):
    """CVE-2026-28500: a flag that keeps a loader of models quiet let code of any repository run."""
    with pytest.raises((*REFUSED, NotImplementedError, AttributeError)):
        torch.hub.load("somebody/models", "net", trust_repo=False, verbose=False)
