"""torch.cuda: there is none; Monograph runs on the CPU (docs/scope.md). The questions that programs ask first have PyTorch's answers without a GPU."""

from typing import Any


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


def is_current_stream_capturing() -> bool:
    """Whether a CUDA graph is recorded: no."""
    return False


def empty_cache() -> None:
    """Gives unused memory of the GPU back: nothing, as in PyTorch without a GPU."""


def manual_seed(seed: int) -> None:
    """Seeds the GPU's generator: nothing, as in PyTorch without a GPU."""


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all GPUs: nothing, as in PyTorch without a GPU."""


def memory_allocated(device: Any = None) -> int:
    """The memory that tensors take on the GPU: 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most memory that tensors took on the GPU: 0."""
    return 0
