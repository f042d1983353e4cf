"""torch.nn.functional: the functions of layers. What is one operator comes from its record; here stands what takes PyTorch's other arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _C
from .._overridable import overridable
from ..functional import conv1d, conv2d  # noqa: F401

_ops: dict[str, Any] = {**_C._functions()[""], **_C._functions().get("_nn", {})}
globals().update(_C._functions().get("_nn", {}))
conv_transpose2d = _ops["conv_transpose2d"]  # torch's own, as in PyTorch


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


_HIDDEN = {"scale", "input_scale"}  # arguments of records that PyTorch's functions do not have


def _activation(name: str) -> Any:
    """PyTorch's form of an activation that has one in place: its numbers, floats by default, then `inplace`."""
    function = _ops[name]
    numbers = {a.name: float(a.default_value) for a in function._schemas[0].arguments[1:] if a.name not in _HIDDEN}
    parameters = ", ".join(["input", *(f"{n}={default}" for n, default in numbers.items()), "inplace=False"])
    # Written out, since binding names to places by hand would take longer than a small activation does; as code of this file, which no place in
    # a user's program is in.
    text = f"lambda {parameters}: (in_place if inplace else function)({', '.join(['input', *numbers])})"
    call = eval(compile(text, __file__, "eval"), {"function": function, "in_place": _ops[name + "_"]})
    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    return call


for _name in ["relu", *(name for name in _C._functions()["_nn"] if name + "_" in _ops)]:
    globals()[_name] = _activation(_name)


# Made of records.
def relu6(input: Any, inplace: bool = False) -> Any:
    return _ops["hardtanh_" if inplace else "hardtanh"](input, 0.0, 6.0)


def selu(input: Any, inplace: bool = False) -> Any:
    if inplace:
        return _ops["elu_"](input, 1.6732632423543772).mul_(1.0507009873554805)
    return 1.0507009873554805 * _ops["elu"](input, 1.6732632423543772)


def logsigmoid(input: Any) -> Any:
    return -_ops["softplus"](-input)


def tanh(input: Any) -> Any:
    return input.tanh()


def sigmoid(input: Any) -> Any:
    return input.sigmoid()


def _softmax_dim(name: str, ndim: int) -> int:
    import warnings

    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.", stacklevel=4)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return _ops["softmax"](input, _softmax_dim("softmax", input.dim()) if dim is None else dim, dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return _ops["log_softmax"](input, _softmax_dim("log_softmax", input.dim()) if dim is None else dim, dtype)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    result = _ops["dropout"](input, p, training)
    return input.copy_(result) if inplace else result


def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    if max_norm is not None:
        raise NotImplementedError("embedding(max_norm=...) is not part of Monograph yet")
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    return _ops["embedding"](weight, input, padding_idx, scale_grad_by_freq, sparse)


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return _ops["layer_norm"](input, normalized_shape, weight, bias, eps)


def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5
) -> Any:
    return _ops["batch_norm"](input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def max_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
    if return_indices:
        raise NotImplementedError("max_pool2d(return_indices=True) is not part of Monograph yet")
    return _ops["max_pool2d"](input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


# Losses ---------------------------------------------------------------------------------------------------------------------------------


def _reduce(loss: Any, reduction: str) -> Any:
    code = _reduction(reduction)
    return loss if code == 0 else loss.mean() if code == 1 else loss.sum()


_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}  # as the records count them


def _reduction(word: str) -> int:
    if word not in _REDUCTIONS:
        raise ValueError(f"{word} is not a valid value for reduction")
    return _REDUCTIONS[word]


def _chosen(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The reduction, which two older arguments name as well."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _weighted(loss: Any, weight: Any, reduction: str) -> Any:
    """The loss times its weights; a mean is over the weights."""
    if weight.size() != loss.size():
        raise ValueError(f"Weights and input must have the same size, but they have {weight.size()} and {loss.size()}.")
    loss = loss * weight
    return loss.sum() / weight.sum() if reduction == "mean" else _reduce(loss, reduction)


def mse_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None) -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    if weight is None:
        return _ops["mse_loss"](input, target, _reduction(reduction))
    return _weighted(_ops["mse_loss"](input, target, 0), weight, reduction)


def l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None) -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    loss = (input - target).abs()
    return _reduce(loss, reduction) if weight is None else _weighted(loss, weight, reduction)


def _same_size(input: Any, target: Any) -> None:
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    _same_size(input, target)
    return _ops["binary_cross_entropy"](input, target, weight, _reduction(reduction))


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    _same_size(input, target)
    if not target.is_floating_point():
        raise RuntimeError(f"[binary_cross_entropy_with_logits] expected a floating-point target, but got {target.dtype}")
    factor = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    # -log(sigmoid(input)), of one smooth expression on either side of 0: abs and clamp have kinks there, which the sum does not.
    below = input < 0
    loss = (1 - target) * input + factor * (_ops["where"](below, input, -input).exp().log1p() + _ops["where"](below, -input, 0.0))
    return _reduce(loss if weight is None else loss * weight, reduction)


def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean"
) -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    return _ops["nll_loss"](input, target, weight, _reduction(reduction), ignore_index)


def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: float = 0.0
) -> Any:
    reduction = _chosen(reduction, size_average, reduce)
    return _ops["cross_entropy_loss"](input, target, weight, _reduction(reduction), ignore_index, label_smoothing)


# Each takes part in __torch_function__, so that traces keep its name.
for _name, _value in list(globals().items()):
    if callable(_value) and not _name.startswith("_") and getattr(_value, "__module__", None) == __name__:
        globals()[_name] = overridable(_value)
