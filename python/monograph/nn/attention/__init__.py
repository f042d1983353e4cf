"""torch.nn.attention: the names with which programs choose a kernel for scaled_dot_product_attention. There is one kernel here, whatever is chosen."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...backends import cuda

__all__ = ["SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """PyTorch's kernels for scaled_dot_product_attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


# Those that are allowed, in PyTorch's two orders: of the question, and of preference.
_ORDER = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH, SDPBackend.OVERRIDEABLE]
_enabled = set(_ORDER)
_preference = [_ORDER[k] for k in (1, 2, 3, 0, 4)]
_ON_THE_CPU = {SDPBackend.MATH, SDPBackend.FLASH_ATTENTION}


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    return [b for b in (_preference if with_priority else _ORDER) if b in _enabled]


@contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[dict[str, object]]:
    """Allows only some of PyTorch's kernels for scaled_dot_product_attention in a `with` block. Monograph has one kernel, which computes what they all compute.

    backends: one of SDPBackend, or a list of them. set_priority: whether the list is in the order of preference, which changes nothing here.

    Raises AssertionError for other types, and RuntimeError where none of them runs on the CPU, as MATH and FLASH_ATTENTION do: PyTorch raises at the call inside.

        >>> from monograph.nn.attention import SDPBackend, sdpa_kernel
        >>> q = torch.ones(1, 2, 4)
        >>> with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        ...     torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
        torch.Size([1, 2, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}")
    chosen = list(dict.fromkeys(backends if isinstance(backends, list) else [backends]))
    if not _ON_THE_CPU.intersection(chosen):
        raise RuntimeError(
            f"No viable backend for scaled_dot_product_attention was found: {', '.join(map(str, chosen)) or 'none'} does not run on the CPU. "
            "Add SDPBackend.MATH to the list"
        )
    before, order = set(_enabled), list(_preference)
    try:
        _enabled.clear()
        _enabled.update(b for b in chosen if b in _ORDER)
        if set_priority:
            _preference[:] = [*chosen, *(b for b in order if b not in chosen)]
        yield {}
    finally:
        _enabled.clear()
        _enabled.update(before)
        _preference[:] = order


class SDPAParams(NamedTuple):
    """The arguments of a call of scaled_dot_product_attention, as torch.backends.cuda.can_use_flash_attention takes them."""

    query: Any
    key: Any
    value: Any
    attn_mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool


def _switch(backend: SDPBackend) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    """Two functions of torch.backends.cuda: one allows a kernel or not, the other answers."""
    return lambda enabled: (_enabled.add if enabled else _enabled.discard)(backend), lambda: backend in _enabled


vars(cuda)["SDPAParams"] = SDPAParams
for _name, _kernel in {
    "flash": "FLASH_ATTENTION",
    "mem_efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
    "cudnn": "CUDNN_ATTENTION",
}.items():
    vars(cuda)[f"enable_{_name}_sdp"], vars(cuda)[f"{_name}_sdp_enabled"] = _switch(SDPBackend[_kernel])

for _name in ("flash", "efficient", "cudnn"):  # CUDA's: none takes any call
    vars(cuda).setdefault(f"can_use_{_name}_attention", lambda params, debug=False: False)
