"""torch.backends: which of PyTorch's backends are there: none but the CPU's own kernels. Settings of the others are kept, and change nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .. import _C, _absent

__all__ = ["cpu", "cuda", "cudnn", "cusparselt", "disable_global_flags", "flags_frozen", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum", "quantized"]

fp32_precision = "none"
_frozen = False


def flags_frozen() -> bool:
    """Whether disable_global_flags() was called.

    >>> torch.backends.flags_frozen()
    False
    """
    return _frozen


def disable_global_flags() -> None:
    """From here on, an assignment to a setting of a backend raises RuntimeError; its flags() context goes on to work."""
    global _frozen
    _frozen = True


class _Backend(ModuleType):
    """A backend that is not there. Its settings can be read and set, as programs do before they ask; others raise AttributeError where they are read."""

    def __init__(self, name: str, functions: dict[str, Any] | None = None, **settings: Any):
        super().__init__(f"{__name__}.{name}", "A backend of PyTorch that is not in Monograph. Its settings change nothing.")
        self.__dict__.update({"_settings": settings, "is_available": lambda: False, "is_built": lambda: False, **(functions or {}), **settings})
        sys.modules[self.__name__] = self
        _absent.complete(self)

    def __setattr__(self, name: str, value: Any) -> None:
        if _frozen and name in self.__dict__["_settings"]:
            raise RuntimeError(f"not allowed to set {self.__name__.replace('monograph', 'torch', 1)} flags after disable_global_flags; please use flags() context manager instead")
        super().__setattr__(name, value)

    def set_flags(self, *values: Any, **settings: Any) -> tuple[Any, ...]:
        """Sets the settings that are given, in their order or by name; what they were before."""
        names = list(self._settings)
        before = tuple(self.__dict__[name] for name in names)
        given = {name.lstrip("_"): value for name, value in {**dict(zip(names, values)), **settings}.items() if value is not None}
        self.__dict__.update(given)
        return before

    @contextmanager
    def flags(self, *values: Any, **settings: Any) -> Iterator[None]:
        """The settings, for the time of the context."""
        before = {name: self.__dict__[name] for name in self._settings}
        self.set_flags(*values, **settings)
        try:
            yield
        finally:
            self.__dict__.update(before)


class _BackendSettings:
    """Settings of a part of a backend: kept, and without effect."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)


def _choice(name: str, value: str) -> Callable[..., str]:
    """A function that keeps a choice among libraries, and answers it."""
    kept = [value]

    def choose(backend: Any = None) -> str:
        if backend is not None:
            kept[0] = str(backend)
        return kept[0]

    choose.__name__ = name
    return choose


def _cpu_capability() -> str:
    """The best instructions that PyTorch's kernels would use here: DEFAULT, AVX2 or AVX512."""
    return {"x86-64-v3": "AVX2", "x86-64-v4": "AVX512"}.get(_C._instruction_set(), "DEFAULT")


@contextmanager
def _sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True) -> Iterator[None]:
    wanted = {"flash_sdp": enable_flash, "math_sdp": enable_math, "mem_efficient_sdp": enable_mem_efficient, "cudnn_sdp": enable_cudnn}
    switches = vars(cuda)  # nn.attention puts them there
    before = {name: switches[f"{name}_enabled"]() for name in wanted}
    for name, on in wanted.items():
        switches[f"enable_{name}"](on)
    try:
        yield
    finally:
        for name, on in before.items():
            switches[f"enable_{name}"](on)


@contextmanager
def _verbose(enable: int) -> Iterator[None]:
    """In PyTorch the library prints the calls inside. It is not here: nothing is printed."""
    yield


_reduced = [False]
_fastpath = [True]
cpu = _Backend("cpu", {"get_cpu_capability": _cpu_capability, "is_available": lambda: True, "is_built": lambda: True})
cudnn = _Backend(
    "cudnn",
    {"version": lambda: None, "is_acceptable": lambda tensor: False},
    enabled=True, benchmark=False, benchmark_limit=None, deterministic=False, allow_tf32=True, fp32_precision="none",
)  # fmt: skip
cuda = _Backend(
    "cuda",
    {
        "sdp_kernel": _sdp_kernel,
        "matmul": _BackendSettings(allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False, fp32_precision="none"),
        "preferred_linalg_library": _choice("preferred_linalg_library", "default"),
        "preferred_blas_library": _choice("preferred_blas_library", "default"),
        "is_flash_attention_available": lambda: False,
        "can_use_flash_attention": lambda params, debug=False: False,
        "can_use_efficient_attention": lambda params, debug=False: False,
        "can_use_cudnn_attention": lambda params, debug=False: False,
        "allow_fp16_bf16_reduction_math_sdp": lambda enabled: _reduced.__setitem__(0, bool(enabled)),
        "fp16_bf16_reduction_math_sdp_allowed": lambda: _reduced[0],
    },
)
mps = _Backend("mps", {"is_macos_or_newer": lambda major, minor: False, "is_macos13_or_newer": lambda minor=0: False})
mkldnn = _Backend("mkldnn", {"verbose": _verbose, "VERBOSE_OFF": 0, "VERBOSE_ON": 1, "VERBOSE_ON_CREATION": 2}, enabled=True, deterministic=False, allow_tf32=True, fp32_precision="none")
nnpack = _Backend("nnpack", enabled=True)
opt_einsum = _Backend("opt_einsum", {"get_opt_einsum": lambda: None}, enabled=False, strategy=None)
mha = _Backend("mha", {"get_fastpath_enabled": lambda: _fastpath[0], "set_fastpath_enabled": lambda value: _fastpath.__setitem__(0, bool(value))})
quantized = _Backend("quantized", engine="none", supported_engines=["none"])
mkl = _Backend("mkl", {"verbose": _verbose, "VERBOSE_OFF": 0, "VERBOSE_ON": 1})
openmp, miopen, cusparselt, kleidiai = (_Backend(n) for n in ("openmp", "miopen", "cusparselt", "kleidiai"))
