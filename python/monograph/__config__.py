"""torch.__config__: how the library was built."""

from . import _C
from .version import __version__


def show() -> str:
    """A text about the build.

    >>> print(torch.__config__.show().splitlines()[0])
    Monograph, on the CPU
    """
    lines = [
        f"the names of PyTorch {__version__}",
        "C++ standard: C++20",
        f"kernels for this processor: {_C._instruction_set()}, {_C._kernel_count()} generated",
    ]
    return "Monograph, on the CPU\n" + "".join(f"  - {line}\n" for line in lines)


def parallel_info() -> str:
    """A text about the threads.

    >>> print(torch.__config__.parallel_info().splitlines()[0])
    Threads:
    """
    return f"Threads:\n  - at most {_C.get_num_threads()}, in one pool of the process\n"


def _cxx_flags() -> str:
    return "-std=c++20"
