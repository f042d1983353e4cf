"""torch.__config__: how the library was built."""

from . import _C


def show() -> str:
    """A text about the build."""
    return "Monograph, on the CPU"


def parallel_info() -> str:
    """A text about the threads."""
    return f"at most {_C.get_num_threads()} threads"
