"""Builds the programs of tests/libtorch with libtorch itself, and writes what each prints to tests/libtorch/NAME.txt.

    .venv-oracle/bin/python tools/oracle/freeze_libtorch_programs.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

import pinned  # noqa: E402, F401
import torch  # noqa: E402
from libtorch_programs import FOLDER, NAMES, printed  # noqa: E402

CMAKE = ROOT / ".venv" / "bin" / "cmake"

with tempfile.TemporaryDirectory() as name:
    build = pathlib.Path(name)
    options = [f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}", "-DWITH_LIBTORCH=ON", "-DPython_EXECUTABLE=" + sys.executable]
    subprocess.run([CMAKE, "-S", FOLDER, "-B", build, "-G", "Ninja", *options], check=True, env={**os.environ, "CC": "gcc", "CXX": "g++"})
    subprocess.run([CMAKE, "--build", build], check=True)
    for program in NAMES:
        (FOLDER / f"{program}.txt").write_text(printed(build / f"libtorch_{program}", build))
        print(f"{program}.txt")
