"""Archives that PyTorch 1.13, 2.0, 2.4, 2.8 and 2.13 wrote (tests/data/torchscript_versions, by tools/oracle/freeze_torchscript_versions.py): each runs with the
results of the version that wrote it, before and after it is saved anew, and its files beside the program are read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from test_torchscript import assert_equal

FOLDER = Path(__file__).resolve().parents[1] / "data" / "torchscript_versions"
FILES = sorted(FOLDER.glob("*/*.pt"))
RUNS = {path.parent.name: torch.load(path)["runs"] for path in FILES if path.stem == "expected"}
ARCHIVES = [path for path in FILES if path.stem != "expected"]


def results(module: Any, runs: list[Any]) -> list[Any]:
    found = []
    for args, _ in runs:
        torch.manual_seed(1)
        with torch.no_grad():
            found.append(module(*args))
    return found


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_an_archive_runs_as_the_version_that_wrote_it(path: Path):
    extra = {"note.txt": ""}
    module = torch.jit.load(path, _extra_files=extra)
    assert extra == {"note.txt": f"written by PyTorch {path.parent.name}".encode()}
    runs = RUNS[path.parent.name][path.stem]
    for got, (_, expected) in zip(results(module, runs), runs, strict=True):
        assert_equal(got, expected)
    module, buffer = torch.jit.load(path), io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    for got, (_, expected) in zip(results(torch.jit.load(buffer), runs), runs, strict=True):
        assert_equal(got, expected)


def test_the_counts():
    counts = {version: sum(path.parent.name == version for path in ARCHIVES) for version in sorted(RUNS)}
    print(counts)
    assert all(set(RUNS[path.parent.name]) >= {path.stem} for path in ARCHIVES) and min(counts.values()) >= 21
    assert max(path.stat().st_size for path in ARCHIVES) < 60_000


@pytest.mark.parametrize("version", sorted(RUNS))
def test_shared_storages_stay_shared(version: str):
    module = torch.jit.load(FOLDER / version / "tied.pt")
    assert module.encode.weight.data_ptr() == module.decode.weight.data_ptr() == module.turned.data_ptr()
    assert torch.equal(module.row, module.encode.weight[1])


def leaves_of(value: Any) -> list[Any]:
    parts = list(value.values()) if isinstance(value, dict) else value
    return [leaf for part in parts for leaf in leaves_of(part)] if isinstance(parts, (list, tuple)) else [value]


def with_arrays(value: Any) -> Any:
    """Tensors as arrays, which go to PyTorch's process."""
    if isinstance(value, torch.Tensor):
        return value.numpy()
    if isinstance(value, (list, tuple)):
        return type(value)(map(with_arrays, value))
    return {key: with_arrays(part) for key, part in value.items()} if isinstance(value, dict) else value


@pytest.mark.oracle
def test_pytorch_gives_the_same_today(oracle: Any):
    """The archives mean today what they meant."""
    program = (
        "leaves = lambda v: [p for x in (v.values() if isinstance(v, dict) else v) for p in leaves(x)] if isinstance(v, (list, tuple, dict)) else [v]\n"
        "net = torch.jit.load(path)\n"
        "with torch.no_grad(): result = [[x.detach() if isinstance(x, torch.Tensor) else x for x in leaves(net(*args))] for args in runs]"
    )
    for path in ARCHIVES:
        if path.stem == "random":  # what the numbers are is not in the archive
            continue
        runs = RUNS[path.parent.name][path.stem]
        results = oracle.run(program, path=str(path), runs=[with_arrays(list(args)) for args, _ in runs])
        for got, (_, expected) in zip(results, runs, strict=True):
            assert_equal([torch.from_numpy(x) if hasattr(x, "dtype") else x for x in got], leaves_of(expected))
