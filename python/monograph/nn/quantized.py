"""torch.nn.quantized: of it the modules that stand for functions until a network is quantized. They compute in floating point."""

from __future__ import annotations

from .. import _VF
from .._tensor import Tensor
from . import functional as F
from .modules import Identity, Module


class _Functional(Module):
    def forward(self, x: Tensor) -> Tensor:
        raise RuntimeError(f"{type(self).__name__} is no layer to call; call one of its functions, such as add(x, y)")

    def _seen(self, result: Tensor) -> Tensor:
        return result

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return self._seen(_VF.add(x, y))

    def add_scalar(self, x: Tensor, y: float) -> Tensor:
        return _VF.add(x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        return self._seen(_VF.mul(x, y))

    def mul_scalar(self, x: Tensor, y: float) -> Tensor:
        return _VF.mul(x, y)

    def cat(self, x: list[Tensor], dim: int = 0) -> Tensor:
        return self._seen(_VF.cat(x, dim=dim))

    def add_relu(self, x: Tensor, y: Tensor) -> Tensor:
        return self._seen(F.relu(_VF.add(x, y)))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        return self._seen(_VF.matmul(x, y))


class FloatFunctional(_Functional):
    """Functions that a network calls where a tool may put their quantized forms: self.skip = FloatFunctional(), and self.skip.add(x, y) for x + y.

    `activation_post_process` sees each result, but those of add_scalar and mul_scalar. It is an Identity until a tool puts an observer there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def _seen(self, result: Tensor) -> Tensor:
        return self.activation_post_process(result)


class FXFloatFunctional(_Functional):
    """FloatFunctional without the module that sees the results."""


for _class in (FXFloatFunctional, FloatFunctional):
    _class.__module__ = "monograph.ao.nn.quantized.modules.functional_modules"  # where torch has them
__all__ = ["FXFloatFunctional", "FloatFunctional"]
