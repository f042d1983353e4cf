"""The builds: one CMake folder for each kind under build/."""

from __future__ import annotations

import os
import re

from common import BUILD, PYTHON, ROOT, VENV, environment, jobs, step
from environment import debian, python_environment

RELEASE = BUILD / "release"


# How many times the operator families are compiled and registered (cmake/Copies.cmake): a trial of growth, for every build that is made.
COPIES = "MONOGRAPH_FAMILY_COPIES"


def copies_of(folder: str) -> str:
    """What build/FOLDER was configured with."""
    found = re.search(rf"^{COPIES}:STRING=(.*)$", (BUILD / folder / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def configure(folder: str, *options: str, compiler: str = "", copies: str | None = None) -> list[list[str]]:
    """The command that configures build/FOLDER, unless it is configured: CMake itself notices later changes of its files."""
    copies = os.environ.get(COPIES, "") if copies is None else copies
    if (BUILD / folder / "build.ninja").exists():
        return [] if copies_of(folder) == copies else [[str(VENV / "bin" / "cmake"), f"-D{COPIES}={copies}", str(BUILD / folder)]]
    command = [str(VENV / "bin" / "cmake"), "-S", str(ROOT), "-B", str(BUILD / folder), "-G", "Ninja", f"-DPython_EXECUTABLE={PYTHON}"]
    command.append(f"-D{COPIES}={copies}")
    if compiler:
        command += [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_C_COMPILER={compiler.replace('++', '')}"]
    return [[*command, *options]]


def ninja(folder: str, *targets: str, parallel: int = 0) -> list[str]:
    return ["ninja", "-C", str(BUILD / folder), f"-j{parallel or jobs()}", *targets]


def release(targets: tuple[str, ...] = (), parallel: int = 0) -> None:
    """The set-up and the release build: what every verb that runs something begins with."""
    debian("build")
    python_environment()
    step("release build", *configure("release", "-DCMAKE_BUILD_TYPE=Release"), ninja("release", *targets, parallel=parallel))


def sanitized(sanitizers: str, targets: list[str]) -> str:
    """A clang build under sanitizers, of some targets only; the name of its folder. That for addresses serves the fuzz targets as well: both
    stages of .ci/run then compile the libraries once."""
    debian("sanitize")
    release(("kernelgen", "monograph_kernel_files"))
    folder = "tsan" if sanitizers == "thread" else "asan"
    options = [f"-DMONOGRAPH_SANITIZE={sanitizers}", "-DMONOGRAPH_PYTHON=OFF", f"-DMONOGRAPH_KERNELGEN={RELEASE / 'kernelgen'}"]
    if folder == "asan":
        options.append("-DMONOGRAPH_FUZZ=ON")
    # Races are looked for in the mechanism, which is there once: that build grows with the code its tests run in threads, not with the operators.
    copies = "1" if folder == "tsan" else None
    step(
        f"{folder} build",
        *configure(folder, *options, compiler="clang++-19", copies=copies),
        ninja(folder, *targets),
        env=environment(),
    )
    return folder
