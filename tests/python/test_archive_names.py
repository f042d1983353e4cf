"""Names of entries that a program which unpacks an archive would follow out of its folder: every reader refuses them by name, and no writer writes them."""

from __future__ import annotations

import io
import os
import subprocess
import warnings
import zipfile
from pathlib import Path

import monograph as torch
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")


def _plus_one(x):
    return x + 1


def _info(path: Path) -> str:
    run = subprocess.run([PROGRAM, "info", str(path)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout


def _script(path: Path) -> None:
    torch.jit.save(torch.jit.script(_plus_one), path)


def _checkpoint(path: Path) -> None:
    torch.save({"weight": torch.ones(3)}, path)


def _graph(path: Path) -> None:
    torch.jit.trace(_plus_one, torch.ones(2)).graph.save(str(path))


READERS = {
    "jit.load": (_script, "net.pt", torch.jit.load),
    "load": (_checkpoint, "net.pth", torch.load),
    "load of what is trusted": (_checkpoint, "net.pth", lambda path: torch.load(path, weights_only=False)),
    "open": (_graph, "net.mgraph", torch.load_graph),
    "info of a script": (_script, "net.pt", _info),
    "info of a checkpoint": (_checkpoint, "net.pth", _info),
    "info of a graph": (_graph, "net.mgraph", _info),
}
OUTSIDE = ["../evil.txt", "a/../../evil.txt", "/tmp/evil.txt", "..\\evil.txt", "\\evil.txt", "C:/evil.txt", "C:\\evil.txt", ".."]
INSIDE = ["evil.txt", "a/../evil.txt", "a//b", "a\\b", "...", "..a/b", "folder/", "./a"]


class _AnyName(zipfile.ZipInfo):
    """zipfile itself writes no empty name."""

    def is_dir(self) -> bool:
        return self.filename.endswith("/")


def _with_entry(path: Path, name: str) -> None:
    """Adds one more entry of this name, behind those that are there."""
    whole = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(whole, "w") as new, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there already
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry))
        new.writestr(_AnyName(name), b"" if name.endswith("/") else b"x")
    path.write_bytes(whole.getvalue())


@pytest.fixture(params=READERS)
def reader(request, tmp_path):
    make, file, read = READERS[request.param]
    path = tmp_path / "in" / "here" / file
    path.parent.mkdir(parents=True)
    make(path)
    read(path)
    return path, read


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_outside_are_refused(reader, name: str, tmp_path: Path):
    path, read = reader
    _with_entry(path, name)
    with pytest.raises((RuntimeError, OSError), match="leads out of the folder to which the archive is unpacked") as error:
        read(path)
    assert f"'{name}'".replace("\\", "\\\\") in str(error.value).replace("\\\\", "\\").replace("\\", "\\\\")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [path]


@pytest.mark.parametrize("name", INSIDE)
def test_other_names_are_read(reader, name: str):
    path, read = reader
    _with_entry(path, name)
    read(path)


def test_names_that_come_twice_and_empty_ones_are_refused(reader):
    path, read = reader
    content = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        twice = file.namelist()[-1]
    _with_entry(path, twice)
    with pytest.raises((RuntimeError, OSError), match=f"its entry '{twice}' comes twice"):
        read(path)
    path.write_bytes(content)
    _with_entry(path, "")
    with pytest.raises((RuntimeError, OSError), match="one of its entries has no name"):
        read(path)


@pytest.mark.parametrize("name", ["../../../x", "a/../../../../x"])
def test_extra_files_that_lead_outside_are_not_written(name: str, tmp_path: Path):
    with pytest.raises(ValueError, match=r"leads out of the folder.*give it a name without '\.\.'"):
        torch.jit.save(torch.jit.script(_plus_one), tmp_path / "net.pt", _extra_files={name: "x"})
    assert not list(tmp_path.iterdir())


def test_an_extra_file_needs_a_name(tmp_path: Path):
    with pytest.raises(ValueError, match="needs a name, but got 'net/extra/'; give each extra file a name"):
        torch.jit.save(torch.jit.script(_plus_one), tmp_path / "net.pt", _extra_files={"": "x"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["../x", "/abs", "a\\b", "a/../b", "C:/x"])
def test_extra_files_of_other_names_come_back(name: str, tmp_path: Path):
    torch.jit.save(torch.jit.script(_plus_one), tmp_path / "net.pt", _extra_files={name: "x"})
    extra = {name: ""}
    torch.jit.load(tmp_path / "net.pt", _extra_files=extra)
    assert extra == {name: b"x"}
