"""What a machine needs before the build: Debian's packages and the two Python environments. Each part is skipped when it is there."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from common import ORACLE, PROGRAMS, PYTHON, ROOT, SURVEY, VENV, Failure, output, step

# By what they are needed for; a verb asks only for its own group.
DEBIAN = {
    "build": """
        g++ make ninja-build ccache git ca-certificates python3 python3-dev python3-venv
        llvm-19-dev lld-19 libzstd-dev zlib1g-dev liblapack-dev libblas-dev libdnnl-dev nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev
    """.split(),
    "sanitize": ["clang-19", "libclang-rt-19-dev", "llvm-19"],
    "lint": ["clang-format-19", "clang-tidy-19"],
    "docs": ["graphviz"],
    "tests": ["libpython3.11-testsuite"],  # CPython's own tests, which run in the capture machine
    "emulate": ["bochs", "bochs-term", "bochsbios", "vgabios", "isolinux", "syslinux-common", "xorriso", "busybox", "cpio"],
}


def debian(*groups: str) -> None:
    """Installs what is missing of some groups; asks for no rights where nothing is."""
    wanted = [name for group in groups for name in DEBIAN[group]]
    answer = output(["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\n", *wanted], check=False)
    present = {line.split()[1] for line in answer.splitlines() if line.startswith("ii")}
    missing = [name for name in wanted if name not in present]
    if not missing:
        return
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and not shutil.which("sudo"):
        raise Failure(f"these Debian packages are missing, and there is no sudo to install them: {' '.join(missing)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    step(
        f"Debian packages for {', '.join(groups)}",
        [*as_root, "apt-get", "update"],
        [*as_root, "apt-get", "install", "-y", "--no-install-recommends", *missing],
        env=env,
    )


def python311() -> str:
    """A Python 3.11 to make the environments with."""
    for name in ("python3.11", "/usr/bin/python3.11", "python3"):
        probe = "import sys, ensurepip; print(sys.version_info[:2] == (3, 11))"
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", probe], capture_output=True, text=True).stdout.strip() == "True":
            return found
    raise Failure("Python 3.11 with its venv module is needed (Debian 12: python3.11-venv)")


def venv(folder: Path, requirements: Path, title: str) -> None:
    """Makes or completes an environment; a stamp remembers the requirements that it was made from."""
    stamp = folder / ".requirements"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    commands: list[list[str | Path]] = []
    if not (folder / "bin" / "python").exists():
        commands.append([python311(), "-m", "venv", folder])
    commands.append([folder / "bin" / "python", "-m", "pip", "install", "--progress-bar", "off", "--requirement", requirements])
    step(title, *commands)
    stamp.write_text(digest)


def python_environment() -> None:
    venv(VENV, ROOT / "tools" / "dev" / "requirements.txt", "Python packages in .venv")
    # The package and the program are used from where they are built: a rebuild needs no installation.
    site = next((VENV / "lib").glob("python3.*")) / "site-packages"
    path_entry = site / "monograph.pth"
    if not path_entry.exists() or path_entry.read_text() != f"{ROOT / 'python'}\n":
        path_entry.write_text(f"{ROOT / 'python'}\n")
    program = VENV / "bin" / "monograph"
    if not program.is_symlink():
        program.symlink_to(ROOT / "build" / "release" / "monograph")


def oracle_environment() -> None:
    """PyTorch and the other peers, apart from .venv. Where pip's index offers torch's CPU build beside the CUDA one, pip takes it
    (its version, 2.13.0+cpu, ranks higher)."""
    venv(ORACLE, ROOT / "tools" / "dev" / "requirements-oracle.txt", "PyTorch and other peers in .venv-oracle")


def program_packages() -> None:
    """Other people's packages that ./dev programs runs."""
    foreign_packages(PROGRAMS, "programs", "--only-binary", ":all:")


def survey_packages() -> None:
    """Those that ./dev survey runs. Some are sources alone."""
    foreign_packages(SURVEY, "survey")


def foreign_packages(folder: Path, name: str, *options: str) -> None:
    """Installs packages into a folder of their own, without their dependencies, so that no PyTorch comes with them."""
    requirements = ROOT / "tools" / "dev" / f"requirements-{name}.txt"
    stamp = folder / ".requirements"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    command = [PYTHON, "-m", "pip", "install", "--progress-bar", "off", "--no-deps", "--no-compile", *options]
    step(f"packages of other people in {folder.name}", [*command, "--target", folder, "--requirement", requirements])
    stamp.write_text(digest)
