"""torch.nn.init: first values of parameters, drawn as PyTorch draws them."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.grad_mode import no_grad


def _call_in_place(tensor: Any, method: str, *args: Any, generator: Any = None) -> Any:
    with no_grad():
        return getattr(tensor, method)(*args, generator=generator) if generator is not None else getattr(tensor, method)(*args)


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    return _call_in_place(tensor, "uniform_", a, b, generator=generator)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    return _call_in_place(tensor, "normal_", mean, std, generator=generator)


def constant_(tensor: Any, val: float) -> Any:
    return _call_in_place(tensor, "fill_", val)


def ones_(tensor: Any) -> Any:
    return _call_in_place(tensor, "fill_", 1.0)


def zeros_(tensor: Any) -> Any:
    return _call_in_place(tensor, "zero_")


def eye_(tensor: Any) -> Any:
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    zeros_(tensor)
    with no_grad():
        for i in range(min(tensor.shape)):
            tensor[i, i] = 1
    return tensor


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps variances through a layer with this activation."""
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive, tensor.size(0) * receptive


def _calculate_correct_fan(tensor: Any, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def kaiming_uniform_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)), generator)
