"""torch.utils.collect_env: a text about the machine and the library, for reports of errors. `python -m monograph.utils.collect_env` prints it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from typing import NamedTuple

from .. import _C, __config__
from .._package import package

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main", "pretty_str"]

# Packages that a report names.
_PACKAGES = ("numpy", "monograph", "torch", "torchvision", "torchaudio", "timm", "transformers", "einops", "safetensors", "onnx", "onnxruntime")


class SystemEnv(NamedTuple):
    """The result of get_env_info(). Its fields have PyTorch's names; None means that Monograph has no such thing.

    >>> from monograph.utils import collect_env
    >>> collect_env.SystemEnv._fields[:2]
    ('torch_version', 'is_debug_build')
    """

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    cuda_runtime_version: str | None
    nvidia_gpu_models: str | None
    pip_packages: str
    cpu_info: str
    instruction_set: str
    threads: str
    build: str


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), platform.processor())
    except OSError:
        return platform.processor()


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()) + f" ({platform.machine()})"
    except OSError:
        return f"{platform.system()} ({platform.machine()})"


def _packages() -> str:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"[pip3] {name}=={importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return "\n".join(found)


def get_env_info() -> SystemEnv:
    """Collects the values that the report shows.

    >>> from monograph.utils import collect_env
    >>> collect_env.get_env_info().is_cuda_available
    'False'
    """
    return SystemEnv(
        torch_version=str(package().__version__),
        is_debug_build="False",
        cuda_compiled_version="None",
        os=_system(),
        libc_version="-".join(platform.libc_ver()),
        python_version=f"{sys.version} ({8 * (sys.maxsize.bit_length() + 1) // 8}-bit runtime)".replace("\n", " "),
        python_platform=platform.platform(),
        is_cuda_available="False",
        cuda_runtime_version=None,
        nvidia_gpu_models=None,
        pip_packages=_packages(),
        cpu_info=f"{_processor()}, {os.cpu_count()} processors",
        instruction_set=_C._instruction_set(),
        threads=str(_C.get_num_threads()),
        build=__config__.show().strip(),
    )


def pretty_str(envinfo: SystemEnv) -> str:
    """Formats these values as the report.

    >>> from monograph.utils import collect_env
    >>> print(collect_env.pretty_str(collect_env.get_env_info()).splitlines()[1])
    Is debug build: False
    """
    text = f"""Monograph version: {envinfo.torch_version}
Is debug build: {envinfo.is_debug_build}
CUDA used to build Monograph: {envinfo.cuda_compiled_version}

OS: {envinfo.os}
Libc version: {envinfo.libc_version}

Python version: {envinfo.python_version}
Python platform: {envinfo.python_platform}
Is CUDA available: {envinfo.is_cuda_available}

CPU: {envinfo.cpu_info}
Instructions: {envinfo.instruction_set}
Threads: {envinfo.threads}

Build:
{envinfo.build}

Versions of relevant libraries:
{envinfo.pip_packages}
"""
    return text


def get_pretty_env_info() -> str:
    """The report.

    >>> from monograph.utils import collect_env
    >>> collect_env.get_pretty_env_info().partition(":")[0]
    'Monograph version'
    """
    return pretty_str(get_env_info())


def main() -> None:
    """Prints the report.

    >>> from monograph.utils import collect_env
    >>> collect_env.main()  # doctest: +ELLIPSIS
    Collecting environment information...
    Monograph version: ...
    """
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
