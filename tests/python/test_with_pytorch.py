"""fx.from_torch, fx.to_torch and torch.compile(backend="monograph"), beside real PyTorch in one process."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("with_pytorch.py")
NAMES = [
    f.name
    for f in ast.parse(SOURCE.read_text()).body
    if isinstance(f, ast.FunctionDef) and any(getattr(d, "id", "") == "check" for d in f.decorator_list)
]


@pytest.fixture(scope="module")
def beside_pytorch(oracle, tmp_path_factory):
    """Live PyTorch, which finds Monograph with the metadata of its package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    metadata = tmp_path_factory.mktemp("metadata") / "monograph-0.0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: monograph\nVersion: 0.0.0\n")
    sections = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in entries.items()) for group, entries in project["entry-points"].items()]
    (metadata / "entry_points.txt").write_text("\n".join(sections) + "\n")
    places = [str(metadata.parent), str(ROOT / "python"), str(ROOT / "tools" / "oracle"), str(SOURCE.parent)]
    oracle.run("import sys\nsys.path[:0] = places", places=places)
    return oracle


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_beside_pytorch(beside_pytorch, name):
    beside_pytorch.run("import with_pytorch\nwith_pytorch.CHECKS[name]()\nresult = None", name=name)


def test_without_pytorch_the_error_says_what_is_needed():
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0:
        pytest.skip("PyTorch is installed here")
    code = (
        "import monograph as mg\n"
        "for f in (mg.fx.from_torch, mg.fx.to_torch):\n"
        "    try: f(mg.nn.ReLU())\n"
        "    except ImportError as error: print(error)\n"
        "mg.install_as_torch()\n"
        "try: mg.fx.from_torch(mg.nn.ReLU())\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second, third = done.stdout.splitlines()
    assert first == "fx.from_torch needs PyTorch, which is not installed here: pip install torch"
    assert second == "fx.to_torch needs PyTorch, which is not installed here: pip install torch"
    assert third == "fx.from_torch needs PyTorch, but `import torch` means Monograph in this process, since install_as_torch() was called"
