# Made by tools/stubs.py from the operators' records; not edited by hand.
# ruff: noqa
# mypy: disable-error-code="overload-overlap,override,misc,overload-cannot-match"
import builtins
from collections.abc import Sequence
from typing import Any, overload

from ._C import Generator, Number, _device, _dtype, _layout, _memory_format
from ._tensor import Tensor

@overload
def _pad_circular(input: Tensor, pad: Sequence[builtins.int]) -> Tensor:
    """`input` with the elements of the other end added at either end of its last dims.

    Args:
        input: The tensor to work on.
        pad: How many places come before and after, two numbers for each dim, the last dim first. Negative ones
            cut.
    """
@overload
def _pad_circular(input: Tensor, *pad: builtins.int) -> Tensor: ...
@overload
def _upsample_nearest_exact1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the middle of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales: What the size is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.
    """
@overload
def _upsample_nearest_exact1d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def _upsample_nearest_exact1d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales: What the size is multiplied by. None: what output_size says.
    """
@overload
def _upsample_nearest_exact2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the middle of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.
    """
@overload
def _upsample_nearest_exact2d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def _upsample_nearest_exact2d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def _upsample_nearest_exact3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the middle of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.
    """
@overload
def _upsample_nearest_exact3d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def _upsample_nearest_exact3d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def adaptive_avg_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The means of windows that divide each plane into `output_size` parts.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.adaptive_avg_pool2d(x, [0, 1])
        tensor([], size=(1, 0, 1))
    """
@overload
def adaptive_avg_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
def adaptive_avg_pool2d_backward(grad_output: Tensor, input: Tensor) -> Tensor:
    """The gradient of adaptive_avg_pool2d.

    Args:
        grad_output: The gradient of the result.
        input: The tensor to work on.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.adaptive_avg_pool2d_backward(x, torch.ones(1, 4, 2))
        tensor([[[0.5000, 2.5000],
                 [0.5000, 2.5000],
                 [4.5000, 6.5000],
                 [4.5000, 6.5000]]])
    """
def adaptive_avg_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The means of windows that divide each volume into `output_size` parts.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.

    Example:

        >>> torch.nn.functional.adaptive_avg_pool3d(torch.arange(8.0).reshape(1, 2, 2, 2), [1, 1, 1])
        tensor([[[[3.5000]]]])
    """
def adaptive_max_pool2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]:
    """The largest elements of windows that divide each plane into `output_size` parts, and their places in the plane.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.adaptive_max_pool2d(x, [0, 1])
        (tensor([], size=(1, 0, 1)), tensor([], size=(1, 0, 1), dtype=torch.int64))
    """
def adaptive_max_pool3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]:
    """The largest elements of windows that divide each volume into `output_size` parts, and their places in the volume.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.

    Example:

        >>> torch.nn.functional.adaptive_max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), [1, 1, 1])
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
@overload
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.
        count_include_pad: Whether the added places count in the mean.
        divisor_override: The number that a window's sum is divided by. None: how many elements it has.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.nn.functional.avg_pool2d(x, [2])
        tensor([[[2.5000, 4.5000]]])
    """
@overload
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
def avg_pool2d_backward(grad_output: Tensor, input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], ceil_mode: builtins.bool, count_include_pad: builtins.bool, divisor_override: builtins.int | None) -> Tensor:
    """The gradient of avg_pool2d.

    Args:
        grad_output: The gradient of the result.
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.
        count_include_pad: Whether the added places count in the mean.
        divisor_override: The number that a window's sum is divided by. None: how many elements it has.
    """
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window of a volume.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.
        count_include_pad: Whether the added places count in the mean.
        divisor_override: The number that a window's sum is divided by. None: how many elements it has.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
        >>> torch.nn.functional.avg_pool3d(x, [2])
        tensor([[[[[3.5000]]]]])
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: builtins.int = 1) -> Tensor:
    """Minus the logarithm of the probability that `input` gives each `target`, weighted, and reduced as in mse_loss.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        weight: The factor of each element. None: 1.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch._C._nn.binary_cross_entropy(x, torch.tensor([0.5, 0.25, 0.5]))
        tensor([0.8370, 0.6931, 0.8370])
    """
def col2im(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Columns added into the images whose windows they are.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        kernel_size: The size of the window, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
    """
def conv2d_weight_backward(grad_output: Tensor, input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], groups: builtins.int) -> Tensor:
    """The gradient of conv2d by its weight.

    Args:
        grad_output: The gradient of the result.
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.
    """
def cross_entropy_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: builtins.int = 1, ignore_index: builtins.int = -100, label_smoothing: builtins.float = 0.) -> Tensor:
    """nll_loss of the log-softmax; targets may be probabilities.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        weight: The factor of each class. None: 1.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        ignore_index: Targets of this class are left out.
        label_smoothing: How much of each target is spread over all classes.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.cross_entropy_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(14.8548)
    """
@overload
def elu(input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Tensor:
    """scale * (exp(input_scale * input) - 1) below 0.

    Args:
        input: The tensor to work on.
        alpha: The factor of the second operand.
        scale: The factor of the result.
        input_scale: The factor of the input.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.elu(x)
        tensor([-0.7769,  0.5000,  2.0000])
    """
@overload
def elu(input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1, *, out: Tensor) -> Tensor: ...
def elu_(input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Tensor:
    """scale * (exp(input_scale * input) - 1) below 0.

    Args:
        input: The tensor to work on.
        alpha: The factor of the second operand.
        scale: The factor of the result.
        input_scale: The factor of the input.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.elu_(x)
        tensor([-0.7769,  0.5000,  2.0000])
    """
def embedding_renorm(input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float) -> Tensor:
    """A copy of `input` whose rows at `indices` are scaled down to a norm of at most `max_norm`.

    Args:
        input: The tensor to work on.
        indices: The indices, integers.
        max_norm: Rows that are looked up and whose norm is larger are scaled down to it, in the weight itself.
            None: they stay.
        norm_type: The order of the norm.

    No gradient: it limits the rows of a table before they are looked up, under no_grad.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch._C._nn.embedding_renorm(x, torch.tensor([0, 1]), 0.5, 0.5)
        tensor([[0.0858, 0.1716],
                [0.1077, 0.1436]])
    """
def fractional_max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int], random_samples: Tensor) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place. The windows begin at random, about evenly, so that there are as many as `output_size` says.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        output_size: How many windows there are along the rows and the columns.
        random_samples: Numbers from 0 to below 1 that decide where the windows begin, of shape (batch, channels,
            2).

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch._C._nn.fractional_max_pool2d(x, [2, 2], [2, 2], torch.tensor([[[0.2, 0.7]]]))
        (tensor([[[[ 5.,  7.],
                  [13., 15.]]]]), tensor([[[[ 5,  7],
                  [13, 15]]]]))
    """
def fractional_max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], output_size: builtins.int | Sequence[builtins.int], random_samples: Tensor) -> tuple[Tensor, Tensor]:
    """fractional_max_pool2d of volumes.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        output_size: How many windows there are along the depth, the rows and the columns.
        random_samples: Numbers from 0 to below 1 that decide where the windows begin, of shape (batch, channels,
            3).

    Example:

        >>> x = torch.arange(27.0).reshape(1, 1, 3, 3, 3)
        >>> torch._C._nn.fractional_max_pool3d(x, [2, 2, 2], [1, 1, 1], torch.tensor([[[0.2, 0.7, 0.5]]]))
        (tensor([[[[[26.]]]]]), tensor([[[[[26]]]]]))
    """
@overload
def gelu(input: Tensor, *, approximate: builtins.str = "none") -> Tensor:
    """`input` times the normal distribution's cumulative function, or its tanh approximation.

    Args:
        input: The tensor to work on.
        approximate: "none" computes exactly, "tanh" by an approximation.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.gelu(x)
        tensor([-0.1002,  0.3457,  1.9545])
    """
@overload
def gelu(input: Tensor, *, approximate: builtins.str = "none", out: Tensor) -> Tensor: ...
def gelu_(input: Tensor, *, approximate: builtins.str = "none") -> Tensor:
    """`input` times the normal distribution's cumulative function, or its tanh approximation.

    Args:
        input: The tensor to work on.
        approximate: "none" computes exactly, "tanh" by an approximation.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.gelu_(x)
        tensor([-0.1002,  0.3457,  1.9545])
    """
def glu(input: Tensor, dim: builtins.int = -1) -> Tensor:
    """The first half of `input` along `dim` times the sigmoid of the second.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch._C._nn.glu(x)
        tensor([[0.8808],
                [2.9460]])
    """
@overload
def hardsigmoid(input: Tensor) -> Tensor:
    """relu6(input + 3) / 6.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.hardsigmoid(x)
        tensor([0.2500, 0.5833, 0.8333])
    """
@overload
def hardsigmoid(input: Tensor, *, out: Tensor) -> Tensor: ...
def hardsigmoid_(input: Tensor) -> Tensor:
    """relu6(input + 3) / 6.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.hardsigmoid_(x)
        tensor([0.2500, 0.5833, 0.8333])
    """
@overload
def hardswish(input: Tensor) -> Tensor:
    """input * relu6(input + 3) / 6.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.hardswish(x)
        tensor([-0.3750,  0.2917,  1.6667])
    """
@overload
def hardswish(input: Tensor, *, out: Tensor) -> Tensor: ...
def hardswish_(input: Tensor) -> Tensor:
    """input * relu6(input + 3) / 6.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.hardswish_(x)
        tensor([-0.3750,  0.2917,  1.6667])
    """
@overload
def hardtanh(input: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """Elements kept between `min_val` and `max_val`.

    Args:
        input: The tensor to work on.
        min_val: The smallest value.
        max_val: The largest value.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.hardtanh(x)
        tensor([-1.0000,  0.5000,  1.0000])
    """
@overload
def hardtanh(input: Tensor, min_val: Number = -1, max_val: Number = 1, *, out: Tensor) -> Tensor: ...
def hardtanh_(input: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """Elements kept between `min_val` and `max_val`.

    Args:
        input: The tensor to work on.
        min_val: The smallest value.
        max_val: The largest value.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.hardtanh_(x)
        tensor([-1.0000,  0.5000,  1.0000])
    """
def huber_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1, delta: builtins.float = 1.) -> Tensor:
    """Half of the squared difference if the absolute difference is at most `delta`, else `delta` times (the absolute difference minus half of `delta`).

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        delta: Where the loss turns from a parabola into a line.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.huber_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([4.0000, 1.0000, 0.5000])
    """
def im2col(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Each window of the images as a column.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
    """
def l1_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1) -> Tensor:
    """The mean (1) or sum (2) of the absolute differences, or all of them (0).

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.l1_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([4.5000, 1.5000, 1.0000])
    """
@overload
def leaky_relu(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """Negative elements times `negative_slope`.

    Args:
        input: The tensor to work on.
        negative_slope: The factor of negative elements.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.leaky_relu(x)
        tensor([-0.0150,  0.5000,  2.0000])
    """
@overload
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, *, out: Tensor) -> Tensor: ...
def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """Negative elements times `negative_slope`.

    Args:
        input: The tensor to work on.
        negative_slope: The factor of negative elements.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.leaky_relu_(x)
        tensor([-0.0150,  0.5000,  2.0000])
    """
@overload
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias.

    Args:
        input: The tensor to work on.
        weight: The matrix, of shape (output features, input features).
        bias: What is added to each output channel or feature. None: nothing.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.linear(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(-1.5000)
    """
@overload
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor) -> Tensor: ...
@overload
def log_sigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(`input`)).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.logsigmoid(x)
        tensor([-1.7014, -0.4741, -0.1269])
    """
@overload
def log_sigmoid(input: Tensor, *, out: Tensor) -> Tensor: ...
def max_pool2d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in the plane.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.max_pool2d_with_indices(x, [2])
        (tensor([[[5., 7.]]]), tensor([[[5, 7]]]))
    """
def max_pool3d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The largest element of each window of a volume, and its place in the volume.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
        >>> torch._C._nn.max_pool3d_with_indices(x, [2])
        (tensor([[[[[7.]]]]]), tensor([[[[[7]]]]]))
    """
@overload
def max_unpool2d(input: Tensor, indices: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Zeros, with each element of `input` at its place in `indices`: what undoes max_pool2d, except for the elements that were not the largest.

    Args:
        input: The elements, of shape (batch, channels, rows, columns) or without the batch.
        indices: The place of each element in its channel of the result, as max_pool2d returns it.
        output_size: The rows and columns of the result.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[[5.0, 7.0]]])
        >>> torch._C._nn.max_unpool2d(x, torch.tensor([[[0, 3]]]), [2, 2])
        tensor([[[5., 0.],
                 [0., 7.]]])
    """
@overload
def max_unpool2d(input: Tensor, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def max_unpool3d(input: Tensor, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """max_unpool2d of volumes.

    Args:
        input: The elements, of shape (batch, channels, depth, rows, columns) or without the batch.
        indices: The place of each element in its channel of the result, as max_pool3d returns it.
        output_size: The depth, rows and columns of the result.
        stride: Checked to be above 0. It changes no result.
        padding: It changes no result.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[[[5.0, 7.0]]]])
        >>> torch._C._nn.max_unpool3d(x, torch.tensor([[[[0, 3]]]]), [1, 2, 2], [1, 1, 1], [0, 0, 0])
        tensor([[[[5., 0.],
                  [0., 7.]]]])
    """
@overload
def max_unpool3d(input: Tensor, indices: Tensor, output_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int], padding: builtins.int | Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def mish(input: Tensor) -> Tensor:
    """input * tanh(softplus(input)).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.mish(x)
        tensor([-0.2981,  0.3752,  1.9440])
    """
@overload
def mish(input: Tensor, *, out: Tensor) -> Tensor: ...
def mish_(input: Tensor) -> Tensor:
    """input * tanh(softplus(input)).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.mish_(x)
        tensor([-0.2981,  0.3752,  1.9440])
    """
def mse_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1) -> Tensor:
    """The mean (1) or sum (2) of the squared differences, or all of them (0).

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.mse_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([20.2500,  2.2500,  1.0000])
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: Number = 1, margin: Number = 1, weight: Tensor | None = None, reduction: builtins.int = 1) -> Tensor:
    """The mean over the other classes of max(0, margin - score of the target class + score of the other class) ** p.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        p: The power of each difference, 1 or 2.
        margin: How far apart the two sides should be.
        weight: The factor of each class. None: 1.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1) -> Tensor:
    """The sum over target classes t and other classes o of max(0, 1 - score of t + score of o), divided by the number of classes. In each row of `target`, a -1 ends the list of classes.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: builtins.int = 1, ignore_index: builtins.int = -100) -> Tensor:
    """Minus the log-probability of each target class, weighted, and reduced as in mse_loss.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        weight: The factor of each class. None: 1.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        ignore_index: Targets of this class are left out.
    """
def nll_loss_nd(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: builtins.int = 1, ignore_index: builtins.int = -100) -> Tensor:
    """Minus the log-probability of each target class, weighted, and reduced as in mse_loss.

    Another name of nll_loss.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        weight: The factor of each class. None: 1.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        ignore_index: Targets of this class are left out.
    """
def one_hot(input: Tensor, num_classes: builtins.int = -1) -> Tensor:
    """1 at the class of each element along a last dim of `num_classes`, 0 elsewhere; -1 counts up to the largest class.

    Args:
        input: The tensor to work on.
        num_classes: How many classes there are. -1: one more than the largest.

    No gradient: class numbers are integers.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.nn.functional.one_hot(x)
        tensor([[0, 0, 0, 0, 0, 0, 1],
                [0, 0, 0, 0, 0, 1, 0],
                [0, 0, 0, 1, 0, 0, 0]])
    """
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = "constant", value: builtins.float | None = None) -> Tensor:
    """`input` made larger at the ends of its last dims.

    Args:
        input: The tensor to work on.
        pad: How many places come before and after, two numbers for each dim, the last dim first. Negative ones
            cut.
        mode: What the new places show: "constant", the number `value`; "reflect", the mirrored elements;
            "replicate", the element at the edge; "circular", those of the other end.
        value: The number in new places, if mode is "constant". None: 0.

    Example:

        >>> torch.nn.functional.pad(torch.tensor([1.0, 2.0]), (1, 2))
        tensor([0., 1., 2., 0., 0.])
    """
def reflection_pad1d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` mirrored at the ends of its last dims, without its first and last element.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch._C._nn.reflection_pad1d(x, [0, 1])
        tensor([[1., 2., 1.],
                [3., 4., 3.]])
    """
def reflection_pad2d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` mirrored at the ends of its last dims, without its first and last element.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.
    """
def reflection_pad3d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` mirrored at the ends of its last dims, without its first and last element.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.
    """
def relu6(input: Tensor) -> Tensor:
    """Elements kept between 0 and 6.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.relu6(x)
        tensor([0.0000, 0.5000, 2.0000])
    """
def relu6_(input: Tensor) -> Tensor:
    """Elements kept between 0 and 6.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.relu6_(x)
        tensor([0.0000, 0.5000, 2.0000])
    """
def replication_pad1d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` with its first and last elements repeated along its last dims.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch._C._nn.replication_pad1d(x, [0, 1])
        tensor([[1., 2., 2.],
                [3., 4., 4.]])
    """
def replication_pad2d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` with its first and last elements repeated along its last dims.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.
    """
def replication_pad3d(input: Tensor, padding: builtins.int | Sequence[builtins.int]) -> Tensor:
    """`input` with its first and last elements repeated along its last dims.

    Args:
        input: The tensor to work on.
        padding: How many places are added at each end of each dim, one number or one for each dim.
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: builtins.float = 0., is_causal: builtins.bool = False, *, scale: builtins.float | None = None, enable_gqa: builtins.bool = False) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value. With enable_gqa each head of key and value serves as many heads of the query.

    Args:
        query: What asks, of shape (..., queries, features).
        key: What is asked, of shape (..., keys, features).
        value: The tensor that holds the new value.
        attn_mask: What is added to the scores; False of a bool mask hides a key. None: nothing.
        dropout_p: The probability with which a weight is dropped.
        is_causal: Whether a query sees only the keys up to its own place.
        scale: The factor of the scores. None: 1 divided by the root of the features.
        enable_gqa: Whether several heads of queries share one of keys.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nn.functional.scaled_dot_product_attention(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[0.6698, 1.0000],
                [0.8930, 1.0000]])
    """
@overload
def silu(input: Tensor) -> Tensor:
    """`input` times sigmoid(`input`).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.silu(x)
        tensor([-0.2736,  0.3112,  1.7616])
    """
@overload
def silu(input: Tensor, *, out: Tensor) -> Tensor: ...
def silu_(input: Tensor) -> Tensor:
    """`input` times sigmoid(`input`).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.silu_(x)
        tensor([-0.2736,  0.3112,  1.7616])
    """
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1, beta: builtins.float = 1.) -> Tensor:
    """Half of the squared difference divided by `beta` if the absolute difference is below `beta`, else the absolute difference minus half of `beta`.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        beta: The factor of the first operand.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.smooth_l1_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([4.0000, 1.0000, 0.5000])
    """
def soft_margin_loss(input: Tensor, target: Tensor, reduction: builtins.int = 1) -> Tensor:
    """log(1 + exp(-target * input)).

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch._C._nn.soft_margin_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([4.5110, 0.3133, 0.1269])
    """
@overload
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(beta * input)) / beta.

    Args:
        input: The tensor to work on.
        beta: The factor of the first operand.
        threshold: Where the function changes.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.softplus(x)
        tensor([0.2014, 0.9741, 2.1269])
    """
@overload
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20, *, out: Tensor) -> Tensor: ...
@overload
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """`input` moved towards 0 by `lambd`, and 0 where it is nearer.

    Args:
        input: The tensor to work on.
        lambd: Where the function changes.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nn.functional.softshrink(x)
        tensor([-1.0000,  0.0000,  1.5000])
    """
@overload
def softshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor) -> Tensor: ...
@overload
def upsample_bicubic2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """Cubic sums of the four nearest elements of `input` along each dim.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        align_corners: Whether the first and last elements stay at the ends.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch._C._nn.upsample_bicubic2d(x, [2, 2], True)
        tensor([[[[ 0.,  3.],
                  [12., 15.]]]])
    """
@overload
def upsample_bicubic2d(input: Tensor, output_size: Sequence[builtins.int] | None, align_corners: builtins.bool, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_bicubic2d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        align_corners: Whether the first and last elements stay at the ends.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def upsample_bilinear2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """Between the two nearest elements of `input` along each dim; `align_corners` puts the first and last ones at the ends.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        align_corners: Whether the first and last elements stay at the ends.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch._C._nn.upsample_bilinear2d(x, [2, 2], True)
        tensor([[[[ 0.,  3.],
                  [12., 15.]]]])
    """
@overload
def upsample_bilinear2d(input: Tensor, output_size: Sequence[builtins.int] | None, align_corners: builtins.bool, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_bilinear2d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        align_corners: Whether the first and last elements stay at the ends.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def upsample_linear1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales: builtins.float | None = None) -> Tensor:
    """Between the two nearest elements of `input` along each dim; `align_corners` puts the first and last ones at the ends.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        align_corners: Whether the first and last elements stay at the ends.
        scales: What the size is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.upsample_linear1d(x, [2], True)
        tensor([[[0., 3.],
                 [4., 7.]]])
    """
@overload
def upsample_linear1d(input: Tensor, output_size: Sequence[builtins.int] | None, align_corners: builtins.bool, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_linear1d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        align_corners: Whether the first and last elements stay at the ends.
        scales: What the size is multiplied by. None: what output_size says.
    """
@overload
def upsample_nearest1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the start of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales: What the size is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch._C._nn.upsample_nearest1d(x, [2])
        tensor([[[0., 2.],
                 [4., 6.]]])
    """
@overload
def upsample_nearest1d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_nearest1d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales: What the size is multiplied by. None: what output_size says.
    """
@overload
def upsample_nearest2d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the start of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch._C._nn.upsample_nearest2d(x, [2, 2])
        tensor([[[[ 0.,  2.],
                  [ 8., 10.]]]])
    """
@overload
def upsample_nearest2d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_nearest2d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def upsample_nearest3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The element of `input` nearest to the start of each result's part.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.
    """
@overload
def upsample_nearest3d(input: Tensor, output_size: Sequence[builtins.int] | None, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_nearest3d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
@overload
def upsample_trilinear3d(input: Tensor, output_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """Between the two nearest elements of `input` along each dim; `align_corners` puts the first and last ones at the ends.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.
        align_corners: Whether the first and last elements stay at the ends.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
        scale_factors: What each size is multiplied by, where output_size is not given.
    """
@overload
def upsample_trilinear3d(input: Tensor, output_size: Sequence[builtins.int] | None, align_corners: builtins.bool, scale_factors: Sequence[builtins.float] | None) -> Tensor: ...
def upsample_trilinear3d_backward(grad_output: Tensor, output_size: builtins.int | Sequence[builtins.int], input_size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool, scales_d: builtins.float | None = None, scales_h: builtins.float | None = None, scales_w: builtins.float | None = None) -> Tensor:
    """The gradient of resampling.

    Args:
        grad_output: The gradient of the result.
        output_size: The size of the result, in the dims that change.
        input_size: The sizes of the input whose gradient is computed.
        align_corners: Whether the first and last elements stay at the ends.
        scales_d: What the depth is multiplied by. None: what output_size says.
        scales_h: What the height is multiplied by. None: what output_size says.
        scales_w: What the width is multiplied by. None: what output_size says.
    """
