"""What reading a file may take in memory: files that describe far more values than they have bytes, and honest ones (src/formats/pickle/memory.h)."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import monograph as torch
import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"
SIZE = 3_000_000
HEAD, TEXTS = b"\x80\x02", b"\x80\x04"


def many(unit: bytes) -> bytes:
    return unit * (SIZE // len(unit))


def index(k: int) -> bytes:
    return struct.pack("<I", k * 2654435761 & 0xFFFFFFFF)


# Each is one pickle. Those of REFUSED describe more than the limit allows; those of CHEAP need little memory.
REFUSED = {
    "empty lists": HEAD + b"](" + many(b"]") + b"e.",
    "lists on the stack": HEAD + many(b"]") + b".",
    "marks and lists": HEAD + many(b"](") + b".",
    "lists in lists": HEAD + b"](" + many(b"](]e") + b"e.",
    "lists of one": HEAD + b"](" + many(b"]Na") + b"e.",
    "empty tuples": HEAD + b"](" + many(b")") + b"e.",
    "tuples of one": HEAD + b"](" + many(b"K\x01\x85") + b"e.",
    "tuples in tuples": HEAD + b")" + many(b"\x85") + b".",
    "empty dicts": HEAD + b"](" + many(b"}") + b"e.",
    "dicts of one": HEAD + b"](" + many(b"}K\x01Ns") + b"e.",
    "sets": TEXTS + b"](" + many(b"\x8f") + b"e.",
    "frozen sets": TEXTS + b"](" + many(b"(\x91") + b"e.",
    "empty texts": TEXTS + b"](" + many(b"\x8c\x00") + b"e.",
    "empty bytes": TEXTS + b"](" + many(b"C\x00") + b"e.",
    "DUP": HEAD + b"](N" + many(b"2") + b"e.",
    "None": HEAD + b"(" + many(b"N") + b"t.",
    "ordered dicts": HEAD + b"ccollections\nOrderedDict\nq\x00)q\x01](" + many(b"h\x00h\x01R") + b"e.",
}
CHEAP = {
    "BINPUT": HEAD + b"N" + many(b"q\x00") + b".",
    "MEMOIZE": TEXTS + b"N" + many(b"\x94") + b".",
    "huge indices": HEAD + b"N" + b"".join(b"r" + index(k) for k in range(SIZE // 5)) + b".",
    "huge indices that are read": HEAD + b"N" + b"".join(b"r" + index(k) + b"j" + index(k) + b"0" for k in range(SIZE // 11)) + b".",
    "POP": HEAD + b"N" + many(b"K\x010") + b".",
}

# Prints what reading each file takes beside the file itself, in bytes, and the error.
PEAKS = """
import ctypes, sys
import monograph as torch

def kibibytes(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))

def peak(read, path):
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")
    before, said = kibibytes("VmRSS"), ""
    try:
        read(path)
    except Exception as error:
        said = str(error).replace("\\n", " ")
    print(1024 * (kibibytes("VmHWM") - before), said, flush=True)

torch.load(sys.argv[1])
for path in sys.argv[2:]:
    peak(torch.load if path.endswith(".ckpt") else torch.jit.load, path)
"""


# Runs a command, and prints its exit code and the most memory that it took. A process of its own, because a child counts what its parent has.
CHILD = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(done.returncode, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def archive(path: Path, pickle: bytes, script: bool) -> Path:
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a/data.pkl", pickle)
        z.writestr("a/version", "3")
        if script:
            z.writestr("a/constants.pkl", b"\x80\x02).")
            z.writestr("a/code/__torch__.py", "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n")
        else:
            z.writestr("a/byteorder", "little")
    return path


def limit(path: Path) -> int:
    """The pages of the mapped file count too, and so does what Python itself needs for an error."""
    return 5 * path.stat().st_size + (64 << 20) + (8 << 20)


def peaks(folder: Path, paths: list[Path]) -> list[tuple[int, str]]:
    torch.save([1], folder / "first")
    done = subprocess.run([sys.executable, "-c", PEAKS, folder / "first", *paths], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    return [(int(bytes), said) for bytes, _, said in lines]


@pytest.mark.parametrize("script", [False, True])
def test_hostile_pickles_are_refused_within_the_limit(tmp_path, script):
    paths = [archive(tmp_path / f"{k}.{'pt' if script else 'ckpt'}", pickle, script) for k, pickle in enumerate(REFUSED.values())]
    for name, path, (bytes, said) in zip(REFUSED, paths, peaks(tmp_path, paths)):
        assert f"data.pkl: reading it would take more than {4 * path.stat().st_size + (64 << 20)} bytes" in said, (name, said)
        assert "set the environment variable MONOGRAPH_LOAD_MEMORY" in said
        assert bytes < limit(path), (name, bytes)


def test_what_nothing_reads_of_the_memo_takes_no_memory(tmp_path):
    paths = [archive(tmp_path / f"{k}.ckpt", pickle, False) for k, pickle in enumerate(CHEAP.values())]
    for name, (bytes, said) in zip(CHEAP, peaks(tmp_path, paths)):
        assert said == "" and bytes < 24 << 20, (name, bytes, said)


def test_an_index_of_the_memo_is_kept_only_where_both_kinds_of_puts_occur(tmp_path):
    pickle = TEXTS + b"](" + b"".join(b"Nr" + index(k) + b"\x94" for k in range(SIZE // 7)) + b"e."
    path = archive(tmp_path / "a.ckpt", pickle, False)
    [(bytes, said)] = peaks(tmp_path, [path])
    assert said == "" and bytes < limit(path)


@pytest.mark.parametrize("name", ["empty lists", "dicts of one", "tuples of one"])
def test_info_has_the_same_limit(tmp_path, name):
    for path in (archive(tmp_path / "a.pt", REFUSED[name], False), tmp_path / "b.pt"):
        if path.name == "b.pt":  # the older format: three pickles come first
            torch.save(None, path, _use_new_zipfile_serialization=False)
            path.write_bytes(path.read_bytes().partition(b"\x80\x02N.")[0] + REFUSED[name])
        done = subprocess.run([sys.executable, "-c", CHILD, PROGRAM, "info", path], capture_output=True, text=True, timeout=100)
        assert "reading it would take more than" in done.stderr, done.stderr
        code, bytes = map(int, done.stdout.split())
        assert code == 1 and bytes < limit(path) + (64 << 20)  # the command itself has about 60 MB


def test_large_vocabularies_load(tmp_path):
    words = [(f"w{k}", k) for k in range(1_000_000)]
    small = [[k % 7] for k in range(1_000_000)]
    for name, value in (("pairs", words), ("dict", dict(words)), ("lists", small)):
        path = tmp_path / f"{name}.ckpt"
        torch.save({"vocabulary": value}, path)
        assert torch.load(path)["vocabulary"] == value


def test_the_environment_variable_sets_the_limit(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.ckpt", REFUSED["empty lists"], False)
    monkeypatch.setenv("MONOGRAPH_LOAD_MEMORY", "1000000000")
    assert len(torch.load(path)) == SIZE
    monkeypatch.setenv("MONOGRAPH_LOAD_MEMORY", "100000")
    torch.save([1.5] * 10, tmp_path / "few.ckpt")
    assert torch.load(tmp_path / "few.ckpt") == [1.5] * 10
    with pytest.raises(Exception, match="more than 100000 bytes of memory, the limit that MONOGRAPH_LOAD_MEMORY sets"):
        torch.load(path)
    monkeypatch.setenv("MONOGRAPH_LOAD_MEMORY", "much")
    with pytest.raises(ValueError, match="MONOGRAPH_LOAD_MEMORY: expected a number of bytes, such as 8000000000, but got much"):
        torch.load(path)


def test_deflated_storages_count(tmp_path):
    torch.save(torch.zeros(30_000_000), tmp_path / "a.ckpt")
    with zipfile.ZipFile(tmp_path / "a.ckpt") as z, zipfile.ZipFile(tmp_path / "b.ckpt", "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in z.namelist():
            packed.writestr(entry, z.read(entry))
    with pytest.raises(Exception, match="would inflate to (far more|more than).*write it stored"):
        torch.load(tmp_path / "b.ckpt")
