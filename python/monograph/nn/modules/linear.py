"""Identity, Linear and Bilinear, and _Weighted, which makes and initializes weight and bias for the convolutions too."""

import math
from typing import Any

from ... import _VF
from ..._tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module


def _empty(*size: int, dtype: Any = None, device: Any = None) -> Tensor:
    return _VF.empty(size, dtype=dtype, device=device)


class Identity(Module):
    """Answers its input, whatever it was made with.

    >>> import monograph as torch
    >>> layer = torch.nn.Identity()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.5000,  0.5000,  2.0000])
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class _Weighted(Module):
    """What linear layers and convolutions share: a weight, a bias on demand, and what they hold at first."""

    weight: Tensor

    def _make_parameters(self, size: tuple[int, ...], outputs: int, bias: bool, dtype: Any, device: Any) -> None:
        if any(isinstance(n, (float, str)) for n in size):
            raise TypeError(f"{type(self).__name__}: expected ints for the numbers of features or channels and for the kernel, but the weight would have the size {size}")
        self.weight = Parameter(_empty(*size, dtype=dtype, device=device))
        if bias:
            self.bias = Parameter(_empty(outputs, dtype=dtype, device=device))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)


class Linear(_Weighted):
    """y = x Aᵀ + b.

    Args:
        in_features: how many features the input has.
        out_features: how many features the output has.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer(torch.zeros(4, 3)).shape
    torch.Size([4, 2])
    """

    in_features: int
    out_features: int

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self._make_parameters((out_features, in_features), out_features, bias, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of attention, which PyTorch keeps from one way of quantizing."""


class Bilinear(Module):
    """y = x1 A x2 + b, for each of the outputs.

    Args:
        in1_features: how many features the first input has.
        in2_features: how many features the second input has.
        out_features: how many features the output has.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Bilinear(2, 3, 4)
    >>> layer(torch.zeros(5, 2), torch.zeros(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(_empty(out_features, in1_features, in2_features, dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(_empty(out_features, dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, bias={self.bias is not None}"
