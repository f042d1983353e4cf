"""torch.backends.cuda: settings of kernels. Those of scaled_dot_product_attention are kept; Monograph has one kernel, on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .._tensor import Tensor

__all__ = [
    "SDPAParams", "can_use_cudnn_attention", "can_use_efficient_attention", "can_use_flash_attention", "cudnn_sdp_enabled", "enable_cudnn_sdp",
    "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built", "is_flash_attention_available", "math_sdp_enabled",
    "matmul", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip


class _Matmul:
    """Settings that programs make; they change nothing."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()


class SDPAParams(NamedTuple):
    """The arguments of a call of scaled_dot_product_attention, for can_use_flash_attention and its like."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None
    dropout: float
    is_causal: bool
    enable_gqa: bool


def is_built() -> bool:
    """Whether CUDA is part of the build: no."""
    return False


def is_flash_attention_available() -> bool:
    """Whether CUDA's flash attention is part of the build: no."""
    return False


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether CUDA's flash attention takes this call: no, as in PyTorch without a GPU."""
    return False


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether CUDA's efficient attention takes this call: no, as in PyTorch without a GPU."""
    return False


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether cuDNN's attention takes this call: no, as in PyTorch without a GPU."""
    return False


def _is_enabled(name: str) -> bool:
    from ..nn.attention import SDPBackend, _cur_sdpa_kernel_backends

    return SDPBackend[name] in _cur_sdpa_kernel_backends()


def _enable(name: str, enabled: bool) -> None:
    from ..nn.attention import SDPBackend, _set_enabled

    _set_enabled(SDPBackend[name], enabled)


def flash_sdp_enabled() -> bool:
    """What enable_flash_sdp was given last; True at first."""
    return _is_enabled("FLASH_ATTENTION")


def mem_efficient_sdp_enabled() -> bool:
    """What enable_mem_efficient_sdp was given last; True at first."""
    return _is_enabled("EFFICIENT_ATTENTION")


def math_sdp_enabled() -> bool:
    """What enable_math_sdp was given last; True at first."""
    return _is_enabled("MATH")


def cudnn_sdp_enabled() -> bool:
    """What enable_cudnn_sdp was given last; True at first."""
    return _is_enabled("CUDNN_ATTENTION")


def enable_flash_sdp(enabled: bool) -> None:
    """Keeps the setting, which changes nothing."""
    _enable("FLASH_ATTENTION", enabled)


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Keeps the setting, which changes nothing."""
    _enable("EFFICIENT_ATTENTION", enabled)


def enable_math_sdp(enabled: bool) -> None:
    """Keeps the setting, which changes nothing."""
    _enable("MATH", enabled)


def enable_cudnn_sdp(enabled: bool) -> None:
    """Keeps the setting, which changes nothing."""
    _enable("CUDNN_ATTENTION", enabled)


@contextmanager
def sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True) -> Iterator[None]:
    """The old form of torch.nn.attention.sdpa_kernel: each kernel by a flag. Raises RuntimeError where neither flash nor math is enabled.

        >>> with torch.backends.cuda.sdp_kernel(enable_mem_efficient=False):
        ...     torch.backends.cuda.mem_efficient_sdp_enabled()
        False
    """
    from ..nn.attention import SDPBackend, sdpa_kernel

    flags = {
        SDPBackend.FLASH_ATTENTION: enable_flash,
        SDPBackend.MATH: enable_math,
        SDPBackend.EFFICIENT_ATTENTION: enable_mem_efficient,
        SDPBackend.CUDNN_ATTENTION: enable_cudnn,
    }
    with sdpa_kernel([backend for backend, enabled in flags.items() if enabled]):
        yield
