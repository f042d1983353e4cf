"""torch.cuda: there is none; Monograph runs on the CPU (docs/scope.md). The questions that programs ask first have PyTorch's answers without a GPU.

With MONOGRAPH_DEVICE_FALLBACK=cpu in the environment, the device "cuda" means the CPU, and what waits for a GPU or sets it up does nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, NoReturn

from .. import _C, random as _random
from .._settings import AcceleratorError, OutOfMemoryError  # noqa: F401

_initialized = False  # packages ask


def _refuse(what: str) -> NoReturn:
    raise AssertionError(
        f"torch.cuda.{what}: Torch not compiled with CUDA enabled. Monograph runs on the CPU; ask torch.cuda.is_available() first, "
        "or set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu"
    )


def _fall_back(what: str) -> None:
    """AssertionError, PyTorch's without a GPU, unless "cuda" means the CPU."""
    if _C.device("cuda").type != "cpu":
        _refuse(what)


def is_available() -> bool:
    """Whether there is a GPU: no."""
    return False


def device_count() -> int:
    """How many GPUs there are: 0."""
    return 0


def is_initialized() -> bool:
    """Whether CUDA was begun: no."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU computes in bfloat16: there is none."""
    return False


def is_tf32_supported() -> bool:
    """Whether the GPU computes in tf32: there is none."""
    return False


def is_current_stream_capturing() -> bool:
    """Whether a CUDA graph is recorded: no."""
    return False


def get_arch_list() -> list[str]:
    """The kinds of GPU that the library was built for: none."""
    return []


def init() -> None:
    """Raises AssertionError, unless "cuda" means the CPU."""
    _fall_back("init()")


def synchronize(device: Any = None) -> None:
    """Raises AssertionError, unless "cuda" means the CPU, where there is nothing to wait for."""
    _fall_back("synchronize()")


def current_device() -> int:
    """Raises AssertionError, unless "cuda" means the CPU: then 0."""
    _fall_back("current_device()")
    return 0


def set_device(device: Any) -> None:
    """Raises AssertionError, unless "cuda" means the CPU."""
    _fall_back("set_device()")


def get_device_name(device: Any = None) -> str:
    """Raises AssertionError, unless "cuda" means the CPU: then "CPU"."""
    _fall_back("get_device_name()")
    return "CPU"


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Raises AssertionError: there is none."""
    _refuse("get_device_capability()")


def get_device_properties(device: Any = None) -> NoReturn:
    """Raises AssertionError: there is none."""
    _refuse("get_device_properties()")


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Raises AssertionError: there is none."""
    _refuse("mem_get_info()")


class device:
    """A context that chooses a GPU in PyTorch. It does nothing, as in PyTorch without a GPU.

    >>> with torch.cuda.device(0):
    ...     torch.ones(1).device
    device(type='cpu')
    """

    def __init__(self, device: Any) -> None:
        self.idx = device if isinstance(device, int) else -1

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


class Stream:
    """An order of work on a GPU. Raises RuntimeError, unless "cuda" means the CPU, where work is done at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if _C.device("cuda").type != "cpu":
            raise RuntimeError("torch.cuda.Stream requires CUDA support. Monograph runs on the CPU; set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu")

    def synchronize(self) -> None:
        """Nothing."""

    def wait_stream(self, stream: Any) -> None:
        """Nothing."""

    def wait_event(self, event: Any) -> None:
        """Nothing."""

    def query(self) -> bool:
        """True: the work is done."""
        return True

    def record_event(self, event: Any = None) -> Any:
        """The event, at this time."""
        event = event or Event(enable_timing=True)
        event.record(self)
        return event


class Event:
    """A time in the work of a GPU. Raises RuntimeError, unless "cuda" means the CPU, where it is the time on the clock."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        if _C.device("cuda").type != "cpu":
            raise RuntimeError("torch.cuda.Event requires CUDA support. Monograph runs on the CPU; set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu")
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """Takes the time."""
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        """Nothing."""

    def wait(self, stream: Any = None) -> None:
        """Nothing."""

    def query(self) -> bool:
        """True: the work is done."""
        return True

    def elapsed_time(self, end_event: Any) -> float:
        """The milliseconds from this event to that one."""
        return (end_event._time - self._time) * 1000.0


class StreamContext:
    """A context that works in a stream: it does nothing."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


def stream(stream: Any) -> StreamContext:
    """A context that does nothing, as in PyTorch without a GPU."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """Raises AssertionError, unless "cuda" means the CPU."""
    _fall_back("current_stream()")
    return Stream()


def default_stream(device: Any = None) -> Stream:
    """Raises AssertionError, unless "cuda" means the CPU."""
    _fall_back("default_stream()")
    return Stream()


def empty_cache() -> None:
    """Gives unused memory of the GPU back: nothing, as in PyTorch without a GPU."""


def ipc_collect() -> None:
    """Raises AssertionError, unless "cuda" means the CPU."""
    _fall_back("ipc_collect()")


def manual_seed(seed: int) -> None:
    """Seeds the GPU's generator: nothing, as in PyTorch without a GPU."""


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all GPUs: nothing, as in PyTorch without a GPU."""


def seed() -> None:
    """Seeds the GPU's generator by chance: nothing, as in PyTorch without a GPU."""


def seed_all() -> None:
    """Seeds the generators of all GPUs by chance: nothing, as in PyTorch without a GPU."""


def get_rng_state(device: Any = "cuda") -> Any:
    """Raises AssertionError, unless "cuda" means the CPU: then that of torch.get_rng_state()."""
    _fall_back("get_rng_state()")
    return _random.get_rng_state()


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Sets the state of the GPU's generator: nothing, as in PyTorch without a GPU."""


def get_rng_state_all() -> list[Any]:
    """The states of the generators of all GPUs: none."""
    return []


def set_rng_state_all(new_states: Any) -> None:
    """Sets the states of the generators of all GPUs: nothing."""


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Figures about the GPU's memory: none."""
    return OrderedDict()


def memory_allocated(device: Any = None) -> int:
    """The memory that tensors take on the GPU: 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most memory that tensors took on the GPU: 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """The memory of the GPU that is kept for tensors: 0."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """The most memory of the GPU that was kept for tensors: 0."""
    return 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Forgets the most memory so far: nothing."""


def reset_max_memory_allocated(device: Any = None) -> None:
    """The older name of reset_peak_memory_stats()."""
