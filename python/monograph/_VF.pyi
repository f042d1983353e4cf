# Made by tools/stubs.py from the operators' records; not edited by hand.
# ruff: noqa
# mypy: disable-error-code="overload-overlap,override,misc,overload-cannot-match"
import builtins
from collections.abc import Sequence
from typing import Any, overload

from ._C import Generator, Number, _device, _dtype, _layout, _memory_format
from ._tensor import Tensor

def _conj(input: Tensor) -> Tensor:
    """The complex conjugate; real numbers are their own. It is computed at once.

    Another name of conj.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.
    """
def _conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.
    """
@overload
def _convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[builtins.int], padding: Sequence[builtins.int], dilation: Sequence[builtins.int], transposed: builtins.bool, output_padding: Sequence[builtins.int], groups: builtins.int, benchmark: builtins.bool, deterministic: builtins.bool, cudnn_enabled: builtins.bool, allow_tf32: builtins.bool) -> Tensor:
    """convolution, as PyTorch's trace records it. The last arguments choose an algorithm on a GPU, and change nothing here.

    Args:
        input: The tensor to work on.
        weight: The windows, as of convolution.
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        transposed: Whether it is the transpose of a convolution.
        output_padding: How many places the result gets at one end of each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.
        benchmark: No effect.
        deterministic: No effect.
        cudnn_enabled: No effect.
        allow_tf32: No effect.
    """
@overload
def _convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[builtins.int], padding: Sequence[builtins.int], dilation: Sequence[builtins.int], transposed: builtins.bool, output_padding: Sequence[builtins.int], groups: builtins.int, benchmark: builtins.bool, deterministic: builtins.bool, cudnn_enabled: builtins.bool) -> Tensor: ...
@overload
def _ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], target_lengths: Sequence[builtins.int], blank: builtins.int = 0, zero_infinity: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity): Minus the logarithm of the probability of each sequence of labels; the logarithms of the probabilities on the way there.
    _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity): _ctc_loss with lengths in vectors of int64. Its second result has room for sequences as long as the targets.

    Args:
        log_probs
        targets
        input_lengths
        target_lengths
        blank
        zero_infinity
    """
@overload
def _ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: builtins.int = 0, zero_infinity: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def _ctc_loss_backward(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], target_lengths: Sequence[builtins.int], neg_log_likelihood: Tensor, log_alpha: Tensor, blank: builtins.int, zero_infinity: builtins.bool = False) -> Tensor:
    """The gradient of _ctc_loss by log_probs.

    Args:
        grad: The gradient of the result.
        log_probs
        targets
        input_lengths
        target_lengths
        neg_log_likelihood
        log_alpha
        blank
        zero_infinity

    No gradient: PyTorch has no second gradient of ctc_loss either.
    """
@overload
def _ctc_loss_backward(grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, neg_log_likelihood: Tensor, log_alpha: Tensor, blank: builtins.int, zero_infinity: builtins.bool = False) -> Tensor: ...
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How much a draw of Dirichlet's distribution grows with its concentration, divided by 1 - x.

    Args:
        x: What was drawn.
        alpha: Its concentration.
        total: The sum of the concentrations of all numbers that were drawn with it.

    No gradient: PyTorch has no second derivative of draws.
    """
@overload
def _fft_c2c(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, forward: builtins.bool) -> Tensor:
    """The discrete Fourier transform of complex numbers over `dim`, forward or backward.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        normalization
        forward
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def _fft_c2c(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, forward: builtins.bool, *, out: Tensor) -> Tensor: ...
@overload
def _fft_c2r(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, last_dim_size: builtins.int) -> Tensor:
    """The discrete Fourier transform backward over `dim`, from half of a signal, whose other half is the conjugate, to real numbers.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        normalization
        last_dim_size
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def _fft_c2r(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, last_dim_size: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def _fft_r2c(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, onesided: builtins.bool) -> Tensor:
    """The discrete Fourier transform of real numbers over `dim`: all of it, or its first half, of which the other is the conjugate.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        normalization
        onesided: Whether only the frequencies from 0 up are there, which say all for a real signal. None: for a
            real signal.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def _fft_r2c(input: Tensor, dim: Sequence[builtins.int], normalization: builtins.int, onesided: builtins.bool, *, out: Tensor) -> Tensor: ...
@overload
def _int_mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a matrix of int8 or uint8 and one of int8, summed as int32.

    Args:
        input: The tensor to work on.
        mat2: The second matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: integers have no gradient.
    """
@overload
def _int_mm(input: Tensor, mat2: Tensor, *, out: Tensor) -> Tensor: ...
def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: builtins.int, input_dtype: _dtype) -> Tensor:
    """The gradient of log_softmax for its input, from that of its result.

    Args:
        grad_output: The gradient of the result.
        output: The result.
        dim: The dim to work along. A negative one counts from the last.
        input_dtype: The dtype of the input.
    """
def _lu_with_info(input: Tensor, pivot: builtins.bool = True, check_errors: builtins.bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """linalg.lu_factor_ex, in its old spelling.

    Args:
        input: The tensor to work on.
        pivot: Whether rows are exchanged, which keeps the result precise.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.

    Returns: A named tuple (LU, pivots, info).
    """
def _make_per_channel_quantized_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, axis: builtins.int) -> Tensor:
    """A quantized tensor of these integers, with a scale and a zero point for each index along a dim.

    Args:
        input: The tensor to work on.
        scale: A scale for each index along the dim.
        zero_point: A zero point for each index along the dim.
        axis: The dim.
    """
def _make_per_tensor_quantized_tensor(input: Tensor, scale: builtins.float, zero_point: builtins.int) -> Tensor:
    """A quantized tensor of these integers.

    Args:
        input: The tensor to work on.
        scale: The distance between two numbers that integers stand for.
        zero_point: The integer that stands for 0.
    """
def _pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """The rows of a padded batch without its padding, those of the first step first, and how many sequences have each step.

    Args:
        input: The tensor to work on.
        lengths
        batch_first: Whether the batch is the first dim. It is the second otherwise.
    """
def _pad_packed_sequence(data: Tensor, batch_sizes: Tensor, batch_first: builtins.bool, padding_value: Number, total_length: builtins.int) -> tuple[Tensor, Tensor]:
    """Packed rows as a padded batch, and how many steps each sequence has.

    Args:
        data: The elements of a packed sequence.
        batch_sizes: How many sequences each step of a packed sequence has.
        batch_first: Whether the batch is the first dim. It is the second otherwise.
        padding_value
        total_length
    """
def _prelu_kernel(input: Tensor, weight: Tensor) -> Tensor:
    """`input` where it is positive, else `weight` times it.

    Args:
        input: The tensor to work on.
        weight: The factors of negative elements.

    Shapes: The tensors broadcast together, and the result has the shape that follows.
    """
def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Draws of Dirichlet's distribution: positive numbers that sum to 1 along the last dim.

    Args:
        input: The concentrations, above 0.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
    """
def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: builtins.int, input_dtype: _dtype) -> Tensor:
    """The gradient of softmax for its input, from that of its result.

    Args:
        grad_output: The gradient of the result.
        output: The result.
        dim: The dim to work along. A negative one counts from the last.
        input_dtype: The dtype of the input.
    """
def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Gamma numbers of rate 1, each of the shape that it states. Their gradient says how a draw grows with its shape.

    Args:
        input: The shapes, above 0.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
    """
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Tensor:
    """How much a draw `output` of the gamma distribution of shape `input` grows with the shape.

    Args:
        input: The tensor to work on.
        output: What was drawn.

    No gradient: PyTorch has no second derivative of draws.
    """
def _to_copy(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, non_blocking: builtins.bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A converted copy.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        non_blocking: Without effect on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.
    """
def _unique2(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements in ascending order; for each element of `input` its index among them; how often each one occurs.

    Args:
        input: The tensor to work on.
        sorted: Whether the result is in order.
        return_inverse: Whether the place of each element in the result is returned too.
        return_counts: Whether it is returned too how often each element occurs.

    No gradient: PyTorch has none: which elements are chosen is no smooth function.
    """
def _weight_norm(v: Tensor, g: Tensor, dim: builtins.int = 0) -> Tensor:
    """A weight of the direction `v` and the lengths `g`, one for each place of `dim`; one for all where `dim` is -1.

    Args:
        v
        g
        dim: The dim to work along. A negative one counts from the last.
    """
@overload
def abs(input: Tensor) -> Tensor:
    """The absolute value of each element.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.abs(x)
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def abs(input: Tensor, *, out: Tensor) -> Tensor: ...
def abs_(input: Tensor) -> Tensor:
    """The absolute value of each element.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.abs_(x)
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def absolute(input: Tensor) -> Tensor:
    """The absolute value of each element.

    Another name of abs.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.absolute(x)
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def absolute(input: Tensor, *, out: Tensor) -> Tensor: ...
def absolute_(input: Tensor) -> Tensor:
    """The absolute value of each element.

    Another name of abs_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.absolute_(x)
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def acos(input: Tensor) -> Tensor:
    """The angle of this cosine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.acos(x)
        tensor([1.3181, 1.0472, 0.7227])
    """
@overload
def acos(input: Tensor, *, out: Tensor) -> Tensor: ...
def acos_(input: Tensor) -> Tensor:
    """The angle of this cosine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.acos_(x)
        tensor([1.3181, 1.0472, 0.7227])
    """
@overload
def acosh(input: Tensor) -> Tensor:
    """The inverse of cosh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.acosh(x)
        tensor([[0.0000, 1.3170],
                [1.7627, 2.0634]])
    """
@overload
def acosh(input: Tensor, *, out: Tensor) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor:
    """The inverse of cosh.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.acosh_(x)
        tensor([[0.0000, 1.3170],
                [1.7627, 2.0634]])
    """
def adaptive_avg_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The means of windows that divide each line into `output_size` parts.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.adaptive_avg_pool1d(x, [0])
        tensor([], size=(2, 0))
    """
def adaptive_max_pool1d(input: Tensor, output_size: builtins.int | Sequence[builtins.int]) -> tuple[Tensor, Tensor]:
    """The largest elements of windows that divide each line into `output_size` parts, and their places.

    Args:
        input: The tensor to work on.
        output_size: The size of the result, in the dims that change.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.adaptive_max_pool1d(x, [0])
        (tensor([], size=(2, 0)), tensor([], size=(2, 0), dtype=torch.int64))
    """
@overload
def add(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` plus `alpha` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.add(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 2.5000, 3.0000])
    """
@overload
def add(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def add(input: Tensor, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
@overload
def add(input: Tensor, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
@overload
def add_(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` plus `alpha` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.add_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 2.5000, 3.0000])
    """
@overload
def add_(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the sum of batch1 @ batch2 over the batch).

    Args:
        input: The tensor to work on.
        batch1: The first batch of matrices, with three dims.
        batch2: The second batch of matrices, with three dims.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.ones(2, 2)
        >>> torch.addbmm(x, torch.tensor([[[1.0], [2.0]], [[1.0], [1.0]]]), torch.tensor([[[3.0, 4.0]], [[1.0, 1.0]]]))
        tensor([[ 5.,  6.],
                [ 8., 10.]])
    """
@overload
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the sum of batch1 @ batch2 over the batch).

    Args:
        input: The tensor to work on.
        batch1: The first batch of matrices, with three dims.
        batch2: The second batch of matrices, with three dims.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.ones(2, 2)
        >>> torch.addbmm_(x, torch.tensor([[[1.0], [2.0]], [[1.0], [1.0]]]), torch.tensor([[[3.0, 4.0]], [[1.0, 1.0]]]))
        tensor([[ 5.,  6.],
                [ 8., 10.]])
    """
@overload
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input` plus `value` times the quotient of `tensor1` and `tensor2`.

    Args:
        input: The tensor to work on.
        tensor1: The first factor.
        tensor2: The second factor.
        value: The number that is used as the new value or factor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.addcdiv(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  1.5000,  3.0000])
    """
@overload
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor) -> Tensor: ...
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input` plus `value` times the quotient of `tensor1` and `tensor2`.

    Args:
        input: The tensor to work on.
        tensor1: The first factor.
        tensor2: The second factor.
        value: The number that is used as the new value or factor.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.addcdiv_(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  1.5000,  3.0000])
    """
@overload
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input` plus `value` times the product of `tensor1` and `tensor2`.

    Args:
        input: The tensor to work on.
        tensor1: The first factor.
        tensor2: The second factor.
        value: The number that is used as the new value or factor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.addcmul(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([7.5000, 4.5000, 3.0000])
    """
@overload
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor) -> Tensor: ...
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input` plus `value` times the product of `tensor1` and `tensor2`.

    Args:
        input: The tensor to work on.
        tensor1: The first factor.
        tensor2: The second factor.
        value: The number that is used as the new value or factor.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.addcmul_(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([7.5000, 4.5000, 3.0000])
    """
@overload
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input: The tensor to work on.
        mat1: The first matrix.
        mat2: The second matrix.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.addmm(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[2., 3.],
                [4., 6.]])
    """
@overload
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input: The tensor to work on.
        mat1: The first matrix.
        mat2: The second matrix.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.addmm_(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[2., 3.],
                [4., 6.]])
    """
@overload
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Args:
        input: What is added: a vector, or a tensor that expands to one.
        mat: The matrix.
        vec: The vector.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([10.0, 20.0])
        >>> torch.addmv(x, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
        tensor([ 9., 19.])
    """
@overload
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Args:
        input: What is added: a vector, or a tensor that expands to one.
        mat: The matrix.
        vec: The vector.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([10.0, 20.0])
        >>> torch.addmv_(x, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
        tensor([ 9., 19.])
    """
@overload
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2).

    Args:
        input: The tensor to work on.
        vec1: The first vector.
        vec2: The second vector.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.ones(2, 3)
        >>> torch.addr(x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0, -1.0]))
        tensor([[ 2.,  1.,  0.],
                [ 3.,  1., -1.]])
    """
@overload
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2).

    Args:
        input: The tensor to work on.
        vec1: The first vector.
        vec2: The second vector.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.ones(2, 3)
        >>> torch.addr_(x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0, -1.0]))
        tensor([[ 2.,  1.,  0.],
                [ 3.,  1., -1.]])
    """
def affine_grid_generator(theta: Tensor, size: Sequence[builtins.int], align_corners: builtins.bool) -> Tensor:
    """A grid for grid_sampler: each place of an image or volume of this size, mapped by a matrix.

    Args:
        theta: The matrices, of shape (batch, 2, 3) for images and (batch, 3, 4) for volumes. Each maps (x, y, 1)
            or (x, y, z, 1) to a place.
        size: The size of the images or volumes: (batch, channels, rows, columns), or with a depth before the
            rows.
        align_corners: Whether -1 and 1 are the centers of the corner pixels. False: they are their outer edges.

    Example:

        >>> theta = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> torch.affine_grid_generator(theta, [1, 1, 1, 2], False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
def alias(input: Tensor) -> Tensor:
    """A view of all of it.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.alias(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def alias_copy(input: Tensor) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.alias_copy(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def alias_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def all(input: Tensor) -> Tensor:
    """all(input): Whether every element is nonzero.
    all(input, dim, keepdim): Whether every element along `dim` is nonzero.
    all(input, dim, keepdim): Whether every element over `dim` is nonzero.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.all(x)
        tensor(True)
    """
@overload
def all(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def all(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def all(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def all(input: Tensor, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def all(input: Tensor, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> bool:
    """Whether all elements are close: isclose.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        rtol: The allowed difference, relative to the second value.
        atol: The allowed difference.
        equal_nan: Whether two NaNs count as equal.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.allclose(x, torch.tensor([3.0, 2.0, 1.0]))
        False
    """
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout that keeps the mean and the variance: elements become a number far below 0, then all are scaled and shifted.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.alpha_dropout(x, 0.5, True)
        tensor([-0.7792, -0.7792,  2.5520])
    """
def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """The same, written into `input`.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Returns: The tensor itself, changed.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.alpha_dropout_(x, 0.5, True)
        tensor([-0.7792, -0.7792,  2.5520])
    """
@overload
def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False) -> Tensor:
    """The largest element over `dim`; a NaN wins.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.amax(x)
        tensor(2.)
    """
@overload
def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False) -> Tensor:
    """The smallest element over `dim`; a NaN wins.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.amin(x)
        tensor(-1.5000)
    """
@overload
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] = (), keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def aminmax(input: Tensor, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element, along `dim` if it is given.

    Args:
        input: The tensor to work on.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (min, max).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.aminmax(x)
        torch.return_types.aminmax(
        min=tensor(-1.5000),
        max=tensor(2.))
    """
@overload
def aminmax(input: Tensor, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, min: Tensor, max: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def angle(input: Tensor) -> Tensor:
    """The angle of each complex number, in radians. For a real number it is 0, or pi if it is negative.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.angle(x)
        tensor([3.1416, 0.0000, 0.0000])
    """
@overload
def angle(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def any(input: Tensor) -> Tensor:
    """any(input): Whether some element is nonzero.
    any(input, dim, keepdim): Whether some element along `dim` is nonzero.
    any(input, dim, keepdim): Whether some element over `dim` is nonzero.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.any(x)
        tensor(True)
    """
@overload
def any(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def any(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def any(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def any(input: Tensor, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def any(input: Tensor, dim: Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def arange(end: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """arange(end, dtype, layout, device, pin_memory): 0, 1, ... up to `end`.
    arange(start, end, dtype, layout, device, pin_memory): Numbers from `start` to `end`.
    arange(start, end, step, dtype, layout, device, pin_memory): Numbers from `start` to `end` by `step`.

    Args:
        end: The end of the range, which is not in the result.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        start: The first value.
        step: The distance from one value to the next.

    Example:

        >>> torch.arange(5)
        tensor([0, 1, 2, 3, 4])
        >>> torch.arange(1, 2, 0.25)
        tensor([1.0000, 1.2500, 1.5000, 1.7500])
    """
@overload
def arange(end: Number, *, out: Tensor) -> Tensor: ...
@overload
def arange(start: Number, end: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def arange(start: Number, end: Number, step: Number = 1, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def arange(start: Number, end: Number, step: Number = 1, *, out: Tensor) -> Tensor: ...
@overload
def arccos(input: Tensor) -> Tensor:
    """The angle of this cosine.

    Another name of acos.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arccos(x)
        tensor([1.3181, 1.0472, 0.7227])
    """
@overload
def arccos(input: Tensor, *, out: Tensor) -> Tensor: ...
def arccos_(input: Tensor) -> Tensor:
    """The angle of this cosine.

    Another name of acos_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arccos_(x)
        tensor([1.3181, 1.0472, 0.7227])
    """
@overload
def arccosh(input: Tensor) -> Tensor:
    """The inverse of cosh.

    Another name of acosh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.arccosh(x)
        tensor([[0.0000, 1.3170],
                [1.7627, 2.0634]])
    """
@overload
def arccosh(input: Tensor, *, out: Tensor) -> Tensor: ...
def arccosh_(input: Tensor) -> Tensor:
    """The inverse of cosh.

    Another name of acosh_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.arccosh_(x)
        tensor([[0.0000, 1.3170],
                [1.7627, 2.0634]])
    """
@overload
def arcsin(input: Tensor) -> Tensor:
    """The angle of this sine.

    Another name of asin.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arcsin(x)
        tensor([0.2527, 0.5236, 0.8481])
    """
@overload
def arcsin(input: Tensor, *, out: Tensor) -> Tensor: ...
def arcsin_(input: Tensor) -> Tensor:
    """The angle of this sine.

    Another name of asin_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arcsin_(x)
        tensor([0.2527, 0.5236, 0.8481])
    """
@overload
def arcsinh(input: Tensor) -> Tensor:
    """The inverse of sinh.

    Another name of asinh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arcsinh(x)
        tensor([-1.1948,  0.4812,  1.4436])
    """
@overload
def arcsinh(input: Tensor, *, out: Tensor) -> Tensor: ...
def arcsinh_(input: Tensor) -> Tensor:
    """The inverse of sinh.

    Another name of asinh_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arcsinh_(x)
        tensor([-1.1948,  0.4812,  1.4436])
    """
@overload
def arctan(input: Tensor) -> Tensor:
    """The angle of this tangent.

    Another name of atan.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arctan(x)
        tensor([-0.9828,  0.4636,  1.1071])
    """
@overload
def arctan(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def arctan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input).

    Another name of atan2.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arctan2(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.4636,  0.2450,  1.1071])
    """
@overload
def arctan2(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input).

    Another name of atan2_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arctan2_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.4636,  0.2450,  1.1071])
    """
def arctan_(input: Tensor) -> Tensor:
    """The angle of this tangent.

    Another name of atan_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.arctan_(x)
        tensor([-0.9828,  0.4636,  1.1071])
    """
@overload
def arctanh(input: Tensor) -> Tensor:
    """The inverse of tanh.

    Another name of atanh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arctanh(x)
        tensor([0.2554, 0.5493, 0.9730])
    """
@overload
def arctanh(input: Tensor, *, out: Tensor) -> Tensor: ...
def arctanh_(input: Tensor) -> Tensor:
    """The inverse of tanh.

    Another name of atanh_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.arctanh_(x)
        tensor([0.2554, 0.5493, 0.9730])
    """
@overload
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
    """The first index of the largest element.

    Args:
        input: The tensor to work on.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.argmax(x)
        tensor(2)
    """
@overload
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
    """The first index of the smallest element.

    Args:
        input: The tensor to work on.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.argmin(x)
        tensor(0)
    """
@overload
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False) -> Tensor:
    """The indices that sort the elements along `dim`. `stable=True` keeps the order of equal elements.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        descending: Whether the largest comes first.
        stable: Whether equal elements keep their order.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.argsort(x)
        tensor([0, 1, 2])
    """
@overload
def argsort(input: Tensor, *, stable: builtins.bool, dim: builtins.int = -1, descending: builtins.bool = False) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, one row for each.

    Args:
        input: The tensor to work on.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.argwhere(x)
        tensor([[0],
                [1],
                [2]])
    """
def as_strided(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
    """A view of the storage of `input`: element (i, j, …) lies `storage_offset` + i * stride[0] + j * stride[1] + … from its start.

    Args:
        input: The tensor to work on.
        size: The sizes, as a list or one by one.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        storage_offset: The place of the first element in memory. None: that of the tensor.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.as_strided(x, [2, 3], [0, 1])
        tensor([[-1.5000,  0.5000,  2.0000],
                [-1.5000,  0.5000,  2.0000]])
    """
@overload
def as_strided_copy(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        size: The sizes, as a list or one by one.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        storage_offset: The place of the first element in memory. None: that of the tensor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.as_strided_copy(x, [2, 3], [0, 1])
        tensor([[-1.5000,  0.5000,  2.0000],
                [-1.5000,  0.5000,  2.0000]])
    """
@overload
def as_strided_copy(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
def as_strided_scatter(input: Tensor, src: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
    """A copy of `input` in which the places that as_strided shows hold the elements of `src`.

    Args:
        input: The tensor to work on.
        src: The tensor whose elements are taken.
        size: The size of the part.
        stride: The step between elements of the part along each dim, in memory.
        storage_offset: The place of the first element in memory. None: that of the tensor.

    No gradient: it depends on how the tensor lies in memory; its parts have one outside of graphs.

    Example:

        >>> x = torch.zeros(2, 2)
        >>> torch.as_strided_scatter(x, torch.tensor([1.0, 2.0]), [2], [3])
        tensor([[1., 0.],
                [0., 2.]])
    """
@overload
def asin(input: Tensor) -> Tensor:
    """The angle of this sine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.asin(x)
        tensor([0.2527, 0.5236, 0.8481])
    """
@overload
def asin(input: Tensor, *, out: Tensor) -> Tensor: ...
def asin_(input: Tensor) -> Tensor:
    """The angle of this sine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.asin_(x)
        tensor([0.2527, 0.5236, 0.8481])
    """
@overload
def asinh(input: Tensor) -> Tensor:
    """The inverse of sinh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.asinh(x)
        tensor([-1.1948,  0.4812,  1.4436])
    """
@overload
def asinh(input: Tensor, *, out: Tensor) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor:
    """The inverse of sinh.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.asinh_(x)
        tensor([-1.1948,  0.4812,  1.4436])
    """
@overload
def atan(input: Tensor) -> Tensor:
    """The angle of this tangent.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.atan(x)
        tensor([-0.9828,  0.4636,  1.1071])
    """
@overload
def atan(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input).

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.atan2(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.4636,  0.2450,  1.1071])
    """
@overload
def atan2(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input).

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.atan2_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.4636,  0.2450,  1.1071])
    """
def atan_(input: Tensor) -> Tensor:
    """The angle of this tangent.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.atan_(x)
        tensor([-0.9828,  0.4636,  1.1071])
    """
@overload
def atanh(input: Tensor) -> Tensor:
    """The inverse of tanh.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.atanh(x)
        tensor([0.2554, 0.5493, 0.9730])
    """
@overload
def atanh(input: Tensor, *, out: Tensor) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor:
    """The inverse of tanh.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.atanh_(x)
        tensor([0.2554, 0.5493, 0.9730])
    """
@overload
def atleast_1d(input: Tensor) -> Tensor:
    """A view with dims of size 1 where there is none.

    Args:
        input: The tensor to work on.
        tensors: The tensors, as a list or tuple.
    """
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(input: Tensor) -> Tensor:
    """A view with dims of size 1 in front up to two.

    Args:
        input: The tensor to work on.
        tensors: The tensors, as a list or tuple.
    """
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(input: Tensor) -> Tensor:
    """A view with dims of size 1 around up to three.

    Args:
        input: The tensor to work on.
        tensors: The tensors, as a list or tuple.
    """
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window along a line.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.
        count_include_pad: Whether the added places count in the mean.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.avg_pool1d(x, [2])
        tensor([[1.5000],
                [3.5000]])
    """
@overload
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for each matrix of the batch.

    Args:
        input: The tensor to work on.
        batch1: The first batch of matrices, with three dims.
        batch2: The second batch of matrices, with three dims.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.ones(1, 2, 2)
        >>> torch.baddbmm(x, torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[3.0, 4.0]]]))
        tensor([[[4., 5.],
                 [7., 9.]]])
    """
@overload
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor) -> Tensor: ...
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for each matrix of the batch.

    Args:
        input: The tensor to work on.
        batch1: The first batch of matrices, with three dims.
        batch2: The second batch of matrices, with three dims.
        beta: The factor of the first operand.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.ones(1, 2, 2)
        >>> torch.baddbmm_(x, torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[3.0, 4.0]]]))
        tensor([[[4., 5.],
                 [7., 9.]]])
    """
@overload
def bartlett_window(window_length: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """bartlett_window(window_length, dtype, layout, device, pin_memory): Bartlett's window, a triangle, for a period of `window_length` points.
    bartlett_window(window_length, periodic, dtype, layout, device, pin_memory): Bartlett's window of a period, or symmetric.

    Args:
        window_length: How many elements the window has.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        periodic: Whether the window is a symmetric one of one more element, without the last: it repeats without
            a jump. False: it is symmetric.

    Example:

        >>> torch.bartlett_window(1)
        tensor([1.])
    """
@overload
def bartlett_window(window_length: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def bartlett_window(window_length: builtins.int, periodic: builtins.bool, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def bartlett_window(window_length: builtins.int, periodic: builtins.bool, *, out: Tensor) -> Tensor: ...
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool) -> Tensor:
    """Each channel centred and scaled, by its own statistics in training, which then move the running ones, else by those.

    Args:
        input: The tensor to work on.
        weight: The factor of each channel. None: 1.
        bias: What is added to each channel. None: 0.
        running_mean: The mean of each channel so far. In training it is updated.
        running_var: The variance of each channel so far. In training it is updated.
        training: Whether the layer is in training.
        momentum: How much the new statistics weigh in the running ones.
        eps: A small number that keeps a divisor from being 0.
        cudnn_enabled: Without effect on the CPU.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
        >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])
    """
@overload
def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """bernoulli(input, generator): 1 with the probability that each element states, else 0.
    bernoulli(input, p, generator): 1 with probability p, else 0, in the tensor's size.

    Args:
        input: The tensor to work on.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        p: The probability, from 0 to 1.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.bernoulli(x)
        tensor([0., 0., 1.])
    """
@overload
def bernoulli(input: Tensor, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def bernoulli(input: Tensor, p: builtins.float, *, generator: Generator | None = None) -> Tensor: ...
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 for each k, plus bias.

    Args:
        input1: The first tensor.
        input2: The second tensor.
        weight: The matrices, of shape (output features, features of input1, features of input2).
        bias: What is added to each output feature. None: nothing.

    Example:

        >>> a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])
        >>> torch.bilinear(a, b, torch.ones(1, 2, 2), None)
        tensor([[21.]])
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: builtins.int = 1) -> Tensor:
    """binary_cross_entropy of sigmoid(`input`), which overflows nowhere; `pos_weight` multiplies the part of target 1.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        weight: The factor of each element. None: 1.
        pos_weight: The factor of the part where the target is 1, one for each class.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.binary_cross_entropy_with_logits(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ 4.7014, -0.0259,  0.1269])
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights.

    Args:
        input: The tensor to work on.
        weights: How much each element counts. None: 1.
        minlength: How many counts there are at least.

    No gradient: its arguments are counts.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bincount(x)
        tensor([0, 0, 0, 1, 0, 1, 1])
    """
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` tries succeed, each with the probability `prob`.

    Args:
        count: How many tries there are, as floating-point numbers.
        prob: The probability that one succeeds. It broadcasts with `count`.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    No gradient: PyTorch has none: a count does not grow smoothly.

    Example:

        >>> torch.binomial(torch.tensor([10.0, 20.0]), torch.tensor([0.0, 1.0]))
        tensor([ 0., 20.])
    """
@overload
def bitwise_and(input: Tensor, other: Tensor) -> Tensor:
    """bitwise_and(input, other): The bits that both elements have.
    bitwise_and(input, other): The bits that both have.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_and(x, torch.tensor([2, 1, 3]))
        tensor([2, 1, 3])
    """
@overload
def bitwise_and(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_and(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_and(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_and(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_and(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_and_(input: Tensor, other: Tensor) -> Tensor:
    """The bits that both elements have.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_and_(x, torch.tensor([2, 1, 3]))
        tensor([2, 1, 3])
    """
@overload
def bitwise_and_(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_left_shift(input: Tensor, other: Tensor) -> Tensor:
    """The bits shifted left by `other` places.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_left_shift(x, torch.tensor([2, 1, 3]))
        tensor([24, 10, 24])
    """
@overload
def bitwise_left_shift(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_left_shift(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift_(input: Tensor, other: Tensor) -> Tensor:
    """The bits shifted left by `other` places.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_left_shift_(x, torch.tensor([2, 1, 3]))
        tensor([24, 10, 24])
    """
@overload
def bitwise_left_shift_(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_not(input: Tensor) -> Tensor:
    """The bits that the element lacks.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_not(x)
        tensor([-7, -6, -4])
    """
@overload
def bitwise_not(input: Tensor, *, out: Tensor) -> Tensor: ...
def bitwise_not_(input: Tensor) -> Tensor:
    """The bits that the element lacks.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_not_(x)
        tensor([-7, -6, -4])
    """
@overload
def bitwise_or(input: Tensor, other: Tensor) -> Tensor:
    """bitwise_or(input, other): The bits that one of the elements has.
    bitwise_or(input, other): The bits that one of both has.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.bitwise_or(x, torch.tensor([True, False, False]))
        tensor([ True,  True, False])
    """
@overload
def bitwise_or(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_or(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_or(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_or(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_or(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_or_(input: Tensor, other: Tensor) -> Tensor:
    """The bits that one of the elements has.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.bitwise_or_(x, torch.tensor([True, False, False]))
        tensor([ True,  True, False])
    """
@overload
def bitwise_or_(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_right_shift(input: Tensor, other: Tensor) -> Tensor:
    """The bits shifted right by `other` places; the sign is kept.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_right_shift(x, torch.tensor([2, 1, 3]))
        tensor([1, 2, 0])
    """
@overload
def bitwise_right_shift(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_right_shift(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift_(input: Tensor, other: Tensor) -> Tensor:
    """The bits shifted right by `other` places; the sign is kept.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_right_shift_(x, torch.tensor([2, 1, 3]))
        tensor([1, 2, 0])
    """
@overload
def bitwise_right_shift_(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: Tensor) -> Tensor:
    """bitwise_xor(input, other): The bits that exactly one of the elements has.
    bitwise_xor(input, other): The bits that exactly one of both has.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_xor(x, torch.tensor([2, 1, 3]))
        tensor([4, 4, 0])
    """
@overload
def bitwise_xor(input: Tensor, other: Number) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_xor(input: Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def bitwise_xor_(input: Tensor, other: Tensor) -> Tensor:
    """The bits that exactly one of the elements has.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([6, 5, 3])
        >>> torch.bitwise_xor_(x, torch.tensor([2, 1, 3]))
        tensor([4, 4, 0])
    """
@overload
def bitwise_xor_(input: Tensor, other: Number) -> Tensor: ...
@overload
def blackman_window(window_length: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """blackman_window(window_length, dtype, layout, device, pin_memory): Blackman's window, of two cosines, for a period of `window_length` points.
    blackman_window(window_length, periodic, dtype, layout, device, pin_memory): Blackman's window of a period, or symmetric.

    Args:
        window_length: How many elements the window has.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        periodic: Whether the window is a symmetric one of one more element, without the last: it repeats without
            a jump. False: it is symmetric.

    Example:

        >>> torch.blackman_window(1)
        tensor([1.])
    """
@overload
def blackman_window(window_length: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def blackman_window(window_length: builtins.int, periodic: builtins.bool, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def blackman_window(window_length: builtins.int, periodic: builtins.bool, *, out: Tensor) -> Tensor: ...
@overload
def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """Zeros with the matrices along the diagonal.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def block_diag(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
@overload
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices.

    Args:
        input: The tensor to work on.
        mat2: The second matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.bmm(x, torch.ones(1, 4, 2))
        tensor([[[ 6.,  6.],
                 [22., 22.]]])
    """
@overload
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor) -> Tensor: ...
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the tensors in the sizes that all of them broadcast to.

    Args:
        tensors: The tensors, as a list or tuple.
    """
@overload
def broadcast_to(input: Tensor, size: Sequence[builtins.int]) -> Tensor:
    """A view in which dims of size 1 are repeated.

    Args:
        input: The tensor to work on.
        size: The sizes, as a list or one by one.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.broadcast_to(x, [2, 3])
        tensor([[-1.5000,  0.5000,  2.0000],
                [-1.5000,  0.5000,  2.0000]])
    """
@overload
def broadcast_to(input: Tensor, *size: builtins.int) -> Tensor: ...
@overload
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False) -> Tensor:
    """bucketize(input, boundaries, out_int32, right): The index of the interval between `boundaries` in which each element lies.
    bucketize(input, boundaries, out_int32, right): The index of the interval between `boundaries` in which a number lies.

    Args:
        input: The tensor to work on.
        boundaries: The sorted ends of the buckets.
        out_int32: Whether the indices are int32. They are int64 otherwise.
        right: Which end of a bucket belongs to it: True the left one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.bucketize(x, torch.tensor([0.5, 0.25, 0.5]))
        tensor([0, 2, 3])
    """
@overload
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def bucketize(input: Number, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False) -> Tensor: ...
def can_cast(from_: _dtype, to: _dtype) -> bool:
    """Whether a result of the first dtype may be written to a tensor of the second.

    Args:
        from_: The dtype to convert.
        to: The dtype to convert to.

    Example:

        >>> torch.can_cast(torch.float32, torch.float64)
        True
    """
def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor:
    """All rows that take one element of each vector, the last one changing fastest.

    Args:
        tensors: The tensors, as a list or tuple.
    """
@overload
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors one after another along `dim`.

    Args:
        tensors: The tensors, as a list or tuple.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cat([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([-1.5000,  0.5000,  2.0000,  3.0000,  2.0000,  1.0000])
    """
@overload
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor) -> Tensor: ...
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2., compute_mode: builtins.int | None = None) -> Tensor:
    """The distances of order `p` between each row of `x1` and each row of `x2`.

    Args:
        x1: The first tensor.
        x2: The second tensor.
        p: The probability, from 0 to 1.
        compute_mode
    """
@overload
def ceil(input: Tensor) -> Tensor:
    """The smallest integer that is not less.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ceil(x)
        tensor([-1.,  1.,  2.])
    """
@overload
def ceil(input: Tensor, *, out: Tensor) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer that is not less.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ceil_(x)
        tensor([-1.,  1.,  2.])
    """
def celu(input: Tensor, alpha: Number = 1.) -> Tensor:
    """alpha * (exp(input / alpha) - 1) below 0.

    Args:
        input: The tensor to work on.
        alpha: The factor of the second operand.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.celu(x)
        tensor([-0.7769,  0.5000,  2.0000])
    """
def celu_(input: Tensor, alpha: Number = 1.) -> Tensor:
    """alpha * (exp(input / alpha) - 1) below 0.

    Args:
        input: The tensor to work on.
        alpha: The factor of the second operand.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.celu_(x)
        tensor([-0.7769,  0.5000,  2.0000])
    """
@overload
def chain_matmul(matrices: Sequence[Tensor]) -> Tensor:
    """The product of the matrices.

    Args:
        matrices
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def chain_matmul(matrices: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The first channel of each group, then the second ones, and so on.

    Args:
        input: The tensor to work on.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.channel_shuffle(x, 1)
        tensor([[[0., 1., 2., 3.],
                 [4., 5., 6., 7.]]])
    """
@overload
def cholesky(input: Tensor, upper: builtins.bool = False) -> Tensor:
    """linalg.cholesky, in its old spelling.

    Args:
        input: The tensor to work on.
        upper: The largest slope that is drawn.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
        >>> torch.cholesky(x)
        tensor([[2., 0.],
                [1., 2.]])
    """
@overload
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def cholesky_inverse(input: Tensor, upper: builtins.bool = False) -> Tensor:
    """The inverse of matrices whose Cholesky factor is given.

    Args:
        input: The tensor to work on.
        upper: The largest slope that is drawn.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.cholesky_inverse(x)
        tensor([[ 1.5625, -0.1875],
                [-0.1875,  0.0625]])
    """
@overload
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def cholesky_solve(input: Tensor, input2: Tensor, upper: builtins.bool = False) -> Tensor:
    """The solution of systems of equations whose matrix has the Cholesky factor `input2`.

    Args:
        input: The tensor to work on.
        input2: The second tensor.
        upper: The largest slope that is drawn.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.cholesky_solve(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[inf, inf],
                [-inf, -inf]])
    """
@overload
def cholesky_solve(input: Tensor, input2: Tensor, upper: builtins.bool = False, *, out: Tensor) -> Tensor: ...
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along `dim`.

    Args:
        input: The tensor to work on.
        chunks: How many parts there should be, at most.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.chunk(x, 1)
        (tensor([-1.5000,  0.5000,  2.0000]),)
    """
@overload
def clamp(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor:
    """The elements, raised to min and lowered to max.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept. None: there is no limit.
        max: The largest value that is kept. None: there is no limit.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.clamp(x, 2)
        tensor([[2., 2.],
                [3., 4.]])
    """
@overload
def clamp(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clamp(input: Tensor, min: Number | None = None, max: Number | None = None, *, out: Tensor) -> Tensor: ...
@overload
def clamp(input: Tensor, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor:
    """The elements, raised to min and lowered to max.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept. None: there is no limit.
        max: The largest value that is kept. None: there is no limit.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.clamp_(x, 2)
        tensor([[2., 2.],
                [3., 4.]])
    """
@overload
def clamp_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clamp_max(input: Tensor, max: Tensor) -> Tensor:
    """Elements above `max` become `max`.

    Args:
        input: The tensor to work on.
        max: The largest value that is kept, for each element.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.clamp_max(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  1.0000])
    """
@overload
def clamp_max(input: Tensor, max: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def clamp_max(input: Tensor, max: Number) -> Tensor: ...
@overload
def clamp_max(input: Tensor, max: Number, *, out: Tensor) -> Tensor: ...
@overload
def clamp_max_(input: Tensor, max: Tensor) -> Tensor:
    """Elements above `max` become `max`.

    Args:
        input: The tensor to work on.
        max: The largest value that is kept, for each element.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.clamp_max_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  1.0000])
    """
@overload
def clamp_max_(input: Tensor, max: Number) -> Tensor: ...
@overload
def clamp_min(input: Tensor, min: Tensor) -> Tensor:
    """Elements below `min` become `min`.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept, for each element.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.clamp_min(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def clamp_min(input: Tensor, min: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def clamp_min(input: Tensor, min: Number) -> Tensor: ...
@overload
def clamp_min(input: Tensor, min: Number, *, out: Tensor) -> Tensor: ...
@overload
def clamp_min_(input: Tensor, min: Tensor) -> Tensor:
    """Elements below `min` become `min`.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept, for each element.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.clamp_min_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def clamp_min_(input: Tensor, min: Number) -> Tensor: ...
@overload
def clip(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor:
    """The elements, raised to min and lowered to max.

    Another name of clamp.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept. None: there is no limit.
        max: The largest value that is kept. None: there is no limit.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.clip(x, 2)
        tensor([[2., 2.],
                [3., 4.]])
    """
@overload
def clip(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clip(input: Tensor, min: Number | None = None, max: Number | None = None, *, out: Tensor) -> Tensor: ...
@overload
def clip(input: Tensor, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor) -> Tensor: ...
@overload
def clip_(input: Tensor, min: Number | None = None, max: Number | None = None) -> Tensor:
    """The elements, raised to min and lowered to max.

    Another name of clamp_.

    Args:
        input: The tensor to work on.
        min: The smallest value that is kept. None: there is no limit.
        max: The largest value that is kept. None: there is no limit.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.clip_(x, 2)
        tensor([[2., 2.],
                [3., 4.]])
    """
@overload
def clip_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """A copy.

    Args:
        input: The tensor to work on.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.clone(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors along dim 1, vectors as columns.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.column_stack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([[-1.5000,  3.0000],
                [ 0.5000,  2.0000],
                [ 2.0000,  1.0000]])
    """
@overload
def column_stack(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """All choices of `r` elements of a vector, one a row.

    Args:
        input: The tensor to work on.
        r: How many elements a choice has.
        with_replacement: Whether a choice may have an element several times.

    Example:

        >>> x = torch.tensor([1, 2, 3])
        >>> torch.combinations(x)
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
@overload
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers with these real and imaginary parts.

    Args:
        real: The real parts.
        imag: The imaginary parts.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.complex(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000+3.j,  0.5000+2.j,  2.0000+1.j])
    """
@overload
def complex(real: Tensor, imag: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def concat(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors one after another along `dim`.

    Another name of cat.

    Args:
        tensors: The tensors, as a list or tuple.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.concat([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([-1.5000,  0.5000,  2.0000,  3.0000,  2.0000,  1.0000])
    """
@overload
def concat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor) -> Tensor: ...
@overload
def concatenate(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors one after another along `dim`.

    Another name of cat.

    Args:
        tensors: The tensors, as a list or tuple.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.concatenate([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([-1.5000,  0.5000,  2.0000,  3.0000,  2.0000,  1.0000])
    """
@overload
def concatenate(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor) -> Tensor: ...
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; real numbers are their own. It is computed at once.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.conj(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate; real numbers are their own.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.conj_physical(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def conj_physical(input: Tensor, *, out: Tensor) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor:
    """The complex conjugate; real numbers are their own.

    Args:
        input: The tensor to work on.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.conj_physical_(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: Number = 0) -> Tensor:
    """Pads `input` with `value`. `pad` says how many elements are added before and after each dim, the last dim first. Negative numbers remove elements.

    Args:
        input: The tensor to work on.
        pad: How many places come before and after, two numbers for each dim, the last dim first. Negative ones
            cut.
        value: The number that is used as the new value or factor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.constant_pad_nd(x, [1, 1])
        tensor([ 0.0000, -1.5000,  0.5000,  2.0000,  0.0000])
    """
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1,), padding: builtins.int | Sequence[builtins.int] = (0,), dilation: builtins.int | Sequence[builtins.int] = (1,), groups: builtins.int = 1) -> Tensor:
    """conv1d(input, weight, bias, stride, padding, dilation, groups): conv2d over images of one row, without that row.
    conv1d(input, weight, bias, stride, padding, dilation, groups): conv1d without padding ("valid"), or with as many outputs as inputs ("same").

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (output channels, input channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> x = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
        >>> torch.conv1d(x, torch.tensor([[[1.0, -1.0]]]))
        tensor([[[-1., -1., -1.]]])
    """
@overload
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1,), padding: builtins.str = "valid", dilation: builtins.int | Sequence[builtins.int] = (1,), groups: builtins.int = 1) -> Tensor: ...
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1), padding: builtins.int | Sequence[builtins.int] = (0, 0), dilation: builtins.int | Sequence[builtins.int] = (1, 1), groups: builtins.int = 1) -> Tensor:
    """conv2d(input, weight, bias, stride, padding, dilation, groups): Each output channel: the sum over the input channels and the window of weight times input.
    conv2d(input, weight, bias, stride, padding, dilation, groups): conv2d without padding ("valid"), or with as many outputs as inputs ("same").

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (output channels, input channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> x = torch.arange(9.0).reshape(1, 1, 3, 3)
        >>> torch.conv2d(x, torch.ones(1, 1, 2, 2))
        tensor([[[[ 8., 12.],
                  [20., 24.]]]])
    """
@overload
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1), padding: builtins.str = "valid", dilation: builtins.int | Sequence[builtins.int] = (1, 1), groups: builtins.int = 1) -> Tensor: ...
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1, 1), padding: builtins.int | Sequence[builtins.int] = (0, 0, 0), dilation: builtins.int | Sequence[builtins.int] = (1, 1, 1), groups: builtins.int = 1) -> Tensor:
    """conv3d(input, weight, bias, stride, padding, dilation, groups): Each output channel: the sum over the input channels and the window of weight times input, over volumes.
    conv3d(input, weight, bias, stride, padding, dilation, groups): conv3d without padding ("valid"), or with as many outputs as inputs ("same").

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (output channels, input channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> torch.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2))
        tensor([[[[[8.]]]]])
    """
@overload
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1, 1), padding: builtins.str = "valid", dilation: builtins.int | Sequence[builtins.int] = (1, 1, 1), groups: builtins.int = 1) -> Tensor: ...
@overload
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: builtins.int = 0) -> Tensor:
    """conv1d of sequences whose dims are steps, batch and channels.

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (size of the window, input channels, output channels).
        bias: What is added to each output channel.
        pad: How many zeros are added at each end.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.arange(4.0).reshape(4, 1, 1)
        >>> torch.conv_tbc(x, torch.ones(2, 1, 1), torch.zeros(1)).flatten()
        tensor([1., 3., 5.])
    """
@overload
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: builtins.int = 0, *, out: Tensor) -> Tensor: ...
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1,), padding: builtins.int | Sequence[builtins.int] = (0,), output_padding: builtins.int | Sequence[builtins.int] = (0,), groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = (1,)) -> Tensor:
    """conv_transpose2d over images of one row, without that row.

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (input channels, output channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        output_padding: How many places the result gets at one end of each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.
        dilation: The step between the elements of a window, one number or one for each dim.

    Example:

        >>> x = torch.tensor([[[1.0, 2.0]]])
        >>> torch.conv_transpose1d(x, torch.tensor([[[1.0, 10.0]]]))
        tensor([[[ 1., 12., 20.]]])
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1), padding: builtins.int | Sequence[builtins.int] = (0, 0), output_padding: builtins.int | Sequence[builtins.int] = (0, 0), groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = (1, 1)) -> Tensor:
    """The transpose of a convolution: each pixel adds its window of the weight into the result.

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (input channels, output channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        output_padding: How many places the result gets at one end of each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.
        dilation: The step between the elements of a window, one number or one for each dim.

    Example:

        >>> x = torch.tensor([[[[1.0, 2.0]]]])
        >>> torch.conv_transpose2d(x, torch.ones(1, 1, 1, 2))
        tensor([[[[1., 3., 2.]]]])
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = (1, 1, 1), padding: builtins.int | Sequence[builtins.int] = (0, 0, 0), output_padding: builtins.int | Sequence[builtins.int] = (0, 0, 0), groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = (1, 1, 1)) -> Tensor:
    """The transpose of a convolution over volumes: each element adds its window of the weight into the result.

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (input channels, output channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        output_padding: How many places the result gets at one end of each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.
        dilation: The step between the elements of a window, one number or one for each dim.

    Example:

        >>> torch.conv_transpose3d(torch.ones(1, 1, 1, 1, 2), torch.ones(1, 1, 1, 1, 2))
        tensor([[[[[1., 2., 1.]]]]])
    """
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[builtins.int], padding: Sequence[builtins.int], dilation: Sequence[builtins.int], transposed: builtins.bool, output_padding: Sequence[builtins.int], groups: builtins.int) -> Tensor:
    """A convolution over one, two or three axes, or a transposed one.

    Args:
        input: The tensor to work on.
        weight: The windows, of shape (output channels, input channels / groups, sizes of the window); if
            transposed, (input channels, output channels / groups, sizes of the window).
        bias: What is added to each output channel or feature. None: nothing.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        transposed: Whether it is the transpose of a convolution.
        output_padding: How many places the result gets at one end of each dim.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> torch.convolution(torch.ones(1, 1, 3), torch.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1)
        tensor([[[2., 2.]]])
    """
@overload
def copysign(input: Tensor, other: Tensor) -> Tensor:
    """The size of `input` with the sign of `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.copysign(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def copysign(input: Tensor, other: Number) -> Tensor: ...
@overload
def copysign(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def copysign(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def copysign_(input: Tensor, other: Tensor) -> Tensor:
    """The size of `input` with the sign of `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.copysign_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def copysign_(input: Tensor, other: Number) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of variables, one a row.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.corrcoef(x)
        tensor(1.)
    """
@overload
def cos(input: Tensor) -> Tensor:
    """The cosine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cos(x)
        tensor([ 0.0707,  0.8776, -0.4161])
    """
@overload
def cos(input: Tensor, *, out: Tensor) -> Tensor: ...
def cos_(input: Tensor) -> Tensor:
    """The cosine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cos_(x)
        tensor([ 0.0707,  0.8776, -0.4161])
    """
@overload
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cosh(x)
        tensor([2.3524, 1.1276, 3.7622])
    """
@overload
def cosh(input: Tensor, *, out: Tensor) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cosh_(x)
        tensor([2.3524, 1.1276, 3.7622])
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0., reduction: builtins.int = 1) -> Tensor:
    """1 - cos(input1, input2) if `target` is 1, and max(0, cos(input1, input2) - margin) if it is -1. The cosine is taken along the last dim.

    Args:
        input1: The first tensor.
        input2: The second tensor.
        target: What the input is compared with.
        margin: How far apart the two sides should be.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> torch.cosine_embedding_loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([1]), reduction=1)
        tensor(0.2929)
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`.

    Args:
        x1: The first tensor.
        x2: The second tensor.
        dim: The dim to work along. A negative one counts from the last.
        eps: A small number that keeps a divisor from being 0.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.cosine_similarity(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([0.8944, 0.9899])
    """
@overload
def count_nonzero(input: Tensor, dim: builtins.int | None = None) -> Tensor:
    """count_nonzero(input, dim): How many elements are not 0.
    count_nonzero(input, dim): How many elements over `dim` are not 0.

    Args:
        input: The tensor to work on.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.

    No gradient: its result is a count.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.count_nonzero(x)
        tensor(3)
    """
@overload
def count_nonzero(input: Tensor, dim: Sequence[builtins.int]) -> Tensor: ...
@overload
def count_nonzero(input: Tensor, *dim: builtins.int) -> Tensor: ...
def cov(input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariances of variables, one a row, over observations, which `fweights` count and `aweights` weigh.

    Args:
        input: The tensor to work on.
        correction: What is taken from the number of elements before dividing by it. None: 1.
        fweights: How often each observation counts: integers.
        aweights: How much each observation counts: any numbers.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cov(x)
        tensor(3.0833)
    """
@overload
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None) -> Tensor:
    """The cross products of vectors of three elements along `dim`. Without `dim`, along the first dim of size 3.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cross(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-3.5000,  7.5000, -4.5000])
    """
@overload
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int], target_lengths: Sequence[builtins.int], blank: builtins.int = 0, reduction: builtins.int = 1, zero_infinity: builtins.bool = False) -> Tensor:
    """ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity): Minus the logarithm of the probability of each target sequence, summed over all ways to place it in the input (connectionist temporal classification).
    ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity): ctc_loss whose lengths are tensors.

    Args:
        log_probs: The logarithms of the probabilities, of shape (steps, batch, classes), or (steps, classes)
            without a batch.
        targets: The classes of the sequences, of shape (batch, longest target), or all sequences one after the
            other. None of them is blank.
        input_lengths: How many steps each input has.
        target_lengths: How many classes each target has.
        blank: The class that stands for no class.
        reduction: 0 returns the loss of each sequence, 1 the mean of the losses, each divided by the length of
            its target, 2 their sum.
        zero_infinity: Whether an infinite loss, of a target that is too long for its input, counts as 0 and has
            the gradient 0.

    Example:

        >>> log_probs = torch.full((4, 1, 3), 1 / 3).log()
        >>> torch.ctc_loss(log_probs, torch.tensor([[1, 2]]), [4], [2], reduction=1)
        tensor(0.8432)
    """
@overload
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: builtins.int = 0, reduction: builtins.int = 1, zero_infinity: builtins.bool = False) -> Tensor: ...
@overload
def cummax(input: Tensor, dim: builtins.int) -> tuple[Tensor, Tensor]:
    """The largest element so far along `dim`, and its index.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cummax(x, 0)
        torch.return_types.cummax(
        values=tensor([-1.5000,  0.5000,  2.0000]),
        indices=tensor([0, 1, 2]))
    """
@overload
def cummax(input: Tensor, dim: builtins.int, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def cummin(input: Tensor, dim: builtins.int) -> tuple[Tensor, Tensor]:
    """The smallest element so far along `dim`, and its index.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cummin(x, 0)
        torch.return_types.cummin(
        values=tensor([-1.5000, -1.5000, -1.5000]),
        indices=tensor([0, 0, 0]))
    """
@overload
def cummin(input: Tensor, dim: builtins.int, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def cumprod(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
    """The products along `dim` up to each element; integers are multiplied as int64.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cumprod(x, 0)
        tensor([-1.5000, -0.7500, -1.5000])
    """
@overload
def cumprod(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
def cumprod_(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
    """The products along `dim` up to each element; integers are multiplied as int64.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cumprod_(x, 0)
        tensor([-1.5000, -0.7500, -1.5000])
    """
def cumprod_backward(grad: Tensor, input: Tensor, dim: builtins.int, output: Tensor) -> Tensor:
    """The gradient of a cumulative product.

    Args:
        grad: The gradient of the result.
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        output: The result.

    No gradient: differentiate cumprod with create_graph=True, which does without this operator.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cumprod_backward(x, torch.tensor([3.0, 2.0, 1.0]), 0, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3.5000, 7.5000, 4.0000])
    """
@overload
def cumsum(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
    """The sums along `dim` up to each element; integers are summed as int64.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cumsum(x, 0)
        tensor([-1.5000, -1.0000,  1.0000])
    """
@overload
def cumsum(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
def cumsum_(input: Tensor, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
    """The sums along `dim` up to each element; integers are summed as int64.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.cumsum_(x, 0)
        tensor([-1.5000, -1.0000,  1.0000])
    """
@overload
def cumulative_trapezoid(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """cumulative_trapezoid(y, x, dim): The integrals along `dim` from the first place to each of the others, by trapezoids. `dim` has one element less in the result.
    cumulative_trapezoid(y, dx, dim): cumulative_trapezoid of places `dx` apart.

    Args:
        y: The values of the function.
        x: The places of the values: a tensor of the size of `dim`, or one that broadcasts with `y`.
        dim: The dim to work along. A negative one counts from the last.
        dx: The distance between neighbouring places.

    Example:

        >>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0]))
        tensor([1.5000, 4.0000])
    """
@overload
def cumulative_trapezoid(y: Tensor, *, dx: Number = 1, dim: builtins.int = -1) -> Tensor: ...
@overload
def deg2rad(input: Tensor) -> Tensor:
    """Converts degrees to radians.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.deg2rad(x)
        tensor([-0.0262,  0.0087,  0.0349])
    """
@overload
def deg2rad(input: Tensor, *, out: Tensor) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor:
    """Converts degrees to radians.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.deg2rad_(x)
        tensor([-0.0262,  0.0087,  0.0349])
    """
@overload
def dequantize(input: Tensor) -> Tensor:
    """dequantize(input): The numbers that the integers of a quantized tensor stand for, as a tensor of float32.
    dequantize(tensors): The same for each tensor of a list.

    Args:
        input: The tensor to work on.
        tensors: The tensors, as a list or tuple.

    Example:

        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 0.97]), 0.1, 10, torch.quint8)
        >>> torch.dequantize(x)
        tensor([-1.,  0.,  1.])
    """
@overload
def dequantize(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def det(input: Tensor) -> Tensor:
    """The determinants of matrices.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.det(x)
        tensor(-2.0000)
    """
def detach(input: Tensor) -> Tensor:
    """The same tensor, outside of gradients.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.detach(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def detach_copy(input: Tensor) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.detach_copy(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def detach_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def diag(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """For a vector, the matrix with the vector on its diagonal. For a matrix, a copy of its diagonal.

    Args:
        input: The tensor to work on.
        diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.diag(x)
        tensor([[-1.5000,  0.0000,  0.0000],
                [ 0.0000,  0.5000,  0.0000],
                [ 0.0000,  0.0000,  2.0000]])
    """
@overload
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
@overload
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """Zeros, with the last dim of `input` on a diagonal of the dims `dim1` and `dim2`.

    Args:
        input: The tensor to work on.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dim1: One of the two dims. A negative one counts from the last.
        dim2: The other of the two dims. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.diag_embed(x)
        tensor([[-1.5000,  0.0000,  0.0000],
                [ 0.0000,  0.5000,  0.0000],
                [ 0.0000,  0.0000,  2.0000]])
    """
@overload
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1, *, out: Tensor) -> Tensor: ...
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """The matrix with all elements on its diagonal.

    Args:
        input: The tensor to work on.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.diagflat(x)
        tensor([[-1.5000,  0.0000,  0.0000],
                [ 0.0000,  0.5000,  0.0000],
                [ 0.0000,  0.0000,  2.0000]])
    """
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A view of a diagonal of dims `dim1` and `dim2`, which becomes the last dim.

    Args:
        input: The tensor to work on.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dim1: One of the two dims. A negative one counts from the last.
        dim2: The other of the two dims. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.diagonal(x)
        tensor([1., 4.])
    """
@overload
def diagonal_copy(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dim1: One of the two dims. A negative one counts from the last.
        dim2: The other of the two dims. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.diagonal_copy(x)
        tensor([1., 4.])
    """
@overload
def diagonal_copy(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor) -> Tensor: ...
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A copy of `input`, with `src` in place of the elements that the view shows.

    Args:
        input: The tensor to work on.
        src: The tensor whose elements are taken.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dim1: One of the two dims. A negative one counts from the last.
        dim2: The other of the two dims. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.diagonal_scatter(x, torch.tensor([7.0, 8.0]))
        tensor([[7., 2.],
                [3., 8.]])
    """
@overload
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """The differences of neighbours along `dim`, `n` times, after `prepend` and before `append`.

    Args:
        input: The tensor to work on.
        n: How many.
        dim: The dim to work along. A negative one counts from the last.
        prepend: What is put before the tensor first. None: nothing.
        append: What is put after the tensor first. None: nothing.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.diff(x)
        tensor([2.0000, 1.5000])
    """
@overload
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor) -> Tensor: ...
@overload
def digamma(input: Tensor) -> Tensor:
    """The derivative of lgamma. It is infinite at 0 and NaN at negative whole numbers.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.digamma(x)
        tensor([ 0.7032, -1.9635,  0.4228])
    """
@overload
def digamma(input: Tensor, *, out: Tensor) -> Tensor: ...
def digamma_(input: Tensor) -> Tensor:
    """The derivative of lgamma. It is infinite at 0 and NaN at negative whole numbers.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.digamma_(x)
        tensor([ 0.7032, -1.9635,  0.4228])
    """
def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The norm of order `p` of the difference.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        p: The order of the norm.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.dist(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(4.8477)
    """
@overload
def div(input: Tensor, other: Tensor) -> Tensor:
    """div(input, other): `input` divided by `other`; integers give floats.
    div(input, other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.div(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def div(input: Tensor, other: Number) -> Tensor: ...
@overload
def div(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def div(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def div(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def div(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
@overload
def div(input: Tensor, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def div(input: Tensor, other: Number, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
@overload
def div_(input: Tensor, other: Tensor) -> Tensor:
    """div_(input, other): `input` divided by `other`; integers give floats.
    div_(input, other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.div_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def div_(input: Tensor, other: Number) -> Tensor: ...
@overload
def div_(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def div_(input: Tensor, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def divide(input: Tensor, other: Tensor) -> Tensor:
    """divide(input, other): `input` divided by `other`; integers give floats.
    divide(input, other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

    Another name of div.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.divide(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def divide(input: Tensor, other: Number) -> Tensor: ...
@overload
def divide(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def divide(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def divide(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def divide(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
@overload
def divide(input: Tensor, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def divide(input: Tensor, other: Number, *, rounding_mode: builtins.str | None, out: Tensor) -> Tensor: ...
@overload
def divide_(input: Tensor, other: Tensor) -> Tensor:
    """divide_(input, other): `input` divided by `other`; integers give floats.
    divide_(input, other, rounding_mode): The quotient: as it is, or rounded by rounding_mode="trunc" or "floor".

    Another name of div_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        rounding_mode: None divides exactly, "trunc" rounds towards 0, "floor" rounds down.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.divide_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def divide_(input: Tensor, other: Number) -> Tensor: ...
@overload
def divide_(input: Tensor, other: Tensor, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def divide_(input: Tensor, other: Number, *, rounding_mode: builtins.str | None) -> Tensor: ...
@overload
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The dot product of two vectors.

    Args:
        input: The tensor to work on.
        tensor: The second tensor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.dot(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(-1.5000)
    """
@overload
def dot(input: Tensor, tensor: Tensor, *, out: Tensor) -> Tensor: ...
def dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In training, zero with probability p and scaled by 1 / (1 - p) otherwise; else the input.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.dropout(x, 0.5, True)
        tensor([-0., 0., 4.])
    """
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout, written into `input`.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Returns: The tensor itself, changed.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.dropout_(x, 0.5, True)
        tensor([-0., 0., 4.])
    """
@overload
def dsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views along dim 2.

    Args:
        input: The tensor to work on.
        sections: Into how many equal parts the tensor is divided.
        indices: The places where the tensor is divided, along the dim.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.dsplit(x, 2)
        (tensor([[[0., 1.],
                 [4., 5.]]]), tensor([[[2., 3.],
                 [6., 7.]]]))
    """
@overload
def dsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def dsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors along dim 2.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.dstack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([[[-1.5000,  3.0000],
                 [ 0.5000,  2.0000],
                 [ 2.0000,  1.0000]]])
    """
@overload
def dstack(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
def einsum(equation: builtins.str, tensors: Sequence[Tensor], *, path: Sequence[builtins.int] | None = None) -> Tensor:
    """The sums of products that the equation names: "ij,jk->ik" is a matrix product. Letters that stand on the left alone are summed.

    Args:
        equation
        tensors: The tensors, as a list or tuple.
        path
    """
def embedding(weight: Tensor, indices: Tensor, padding_idx: builtins.int = -1, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False) -> Tensor:
    """Rows of `weight` by index.

    Args:
        weight: The rows, of shape (rows, features).
        indices: The indices, integers.
        padding_idx: The row that gets no gradient. -1: none.
        scale_grad_by_freq: Whether a row's gradient is divided by how often its index occurs. True has no
            gradient yet.
        sparse: Without effect: the gradient is dense.

    Example:

        >>> rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.embedding(rows, torch.tensor([1, 0, 1]))
        tensor([[3., 4.],
                [1., 2.],
                [3., 4.]])
    """
@overload
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: builtins.bool = False, mode: builtins.int = 0, sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The sum, mean or largest elements of rows of `weight`, bag by bag. The first result is the bags, of shape (bags, features). The others are what the gradient reads.

    Args:
        weight: The table, of shape (rows, features).
        indices: The rows of all bags, one bag after the other.
        offsets: Where each bag begins in `indices`. The first is 0.
        scale_grad_by_freq: Whether a row's gradient is divided by how often its index occurs. True has no
            gradient yet.
        mode: 0 the sum of a bag's rows, 1 their mean, 2 their largest elements.
        sparse: Without effect: the gradient is dense.
        per_sample_weights: A factor for the row of each index, for the sum. None: 1.
        include_last_offset: Whether `offsets` has one more number, the end of the last bag.
        padding_idx: Indices of this row count in no bag. None: every index counts.

    Example:

        >>> weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> torch.embedding_bag(weight, torch.tensor([0, 2, 1]), torch.tensor([0, 2]))[0]
        tensor([[6., 8.],
                [3., 4.]])
    """
@overload
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: builtins.bool, mode: builtins.int, sparse: builtins.bool, per_sample_weights: Tensor | None, include_last_offset: builtins.bool, padding_idx: builtins.int | None) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def embedding_dense_backward(grad_output: Tensor, indices: Tensor, num_weights: builtins.int, padding_idx: builtins.int, scale_grad_by_freq: builtins.bool) -> Tensor:
    """The gradient of an embedding by its weight.

    Args:
        grad_output: The gradient of the result.
        indices: The indices, integers.
        num_weights: How many rows the weight has.
        padding_idx: The row that gets no gradient. -1: none.
        scale_grad_by_freq: Whether a row's gradient is divided by how often its index occurs. True has no
            gradient yet.
    """
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float) -> Tensor:
    """Scales the rows of `input` at `indices` down to a norm of at most `max_norm`.

    Args:
        input: The tensor to work on.
        indices: The indices, integers.
        max_norm: Rows that are looked up and whose norm is larger are scaled down to it, in the weight itself.
            None: they stay.
        norm_type: The order of the norm.

    Returns: The tensor itself, changed.

    No gradient: it limits the rows of a table before they are looked up, under no_grad.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.embedding_renorm_(x, torch.tensor([0, 1]), 0.5, 0.5)
        tensor([[0.0858, 0.1716],
                [0.1077, 0.1436]])
    """
@overload
def empty(size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor whose elements are not set.

    Args:
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory: `torch.contiguous_format`, `torch.channels_last` (4 dims)
            or `torch.channels_last_3d` (5 dims).
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.empty(2, 3).shape
        torch.Size([2, 3])
    """
@overload
def empty(*size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def empty(size: Sequence[builtins.int], *, memory_format: _memory_format | None = None, out: Tensor) -> Tensor: ...
@overload
def empty(*size: builtins.int, memory_format: _memory_format | None = None, out: Tensor) -> Tensor: ...
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """Like `input`, with elements that are not set.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> torch.empty_like(torch.zeros(2, 3)).shape
        torch.Size([2, 3])
    """
@overload
def empty_permuted(size: Sequence[builtins.int], physical_layout: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """A tensor whose elements are not set, and whose dims lie in memory in this order.

    Args:
        size: The sizes, as a list or one by one.
        physical_layout: The dims, each once, from the one with the largest stride to the one with the smallest.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> torch.empty_permuted((2, 3), (1, 0)).stride()
        (1, 2)
    """
@overload
def empty_permuted(size: Sequence[builtins.int], *physical_layout: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def empty_strided(size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """A tensor of these sizes and strides whose elements are not set.

    Args:
        size: The sizes, as a list or one by one.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> torch.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
@overload
def empty_strided(size: Sequence[builtins.int], *stride: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def eq(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements are equal.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.eq(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([ True,  True, False])
    """
@overload
def eq(input: Tensor, other: Number) -> Tensor: ...
@overload
def eq(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def eq(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def eq_(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements are equal.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.eq_(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 1., 0.])
    """
@overload
def eq_(input: Tensor, other: Number) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same size and the same elements.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.equal(x, torch.tensor([3.0, 2.0, 1.0]))
        False
    """
@overload
def erf(input: Tensor) -> Tensor:
    """The error function.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.erf(x)
        tensor([-0.9661,  0.5205,  0.9953])
    """
@overload
def erf(input: Tensor, *, out: Tensor) -> Tensor: ...
def erf_(input: Tensor) -> Tensor:
    """The error function.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.erf_(x)
        tensor([-0.9661,  0.5205,  0.9953])
    """
@overload
def erfc(input: Tensor) -> Tensor:
    """1 - erf(input), exact for large elements.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.erfc(x)
        tensor([1.9661, 0.4795, 0.0047])
    """
@overload
def erfc(input: Tensor, *, out: Tensor) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), exact for large elements.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.erfc_(x)
        tensor([1.9661, 0.4795, 0.0047])
    """
@overload
def erfinv(input: Tensor) -> Tensor:
    """The inverse of erf.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.erfinv(x)
        tensor([0.2253, 0.4769, 0.8134])
    """
@overload
def erfinv(input: Tensor, *, out: Tensor) -> Tensor: ...
def erfinv_(input: Tensor) -> Tensor:
    """The inverse of erf.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.erfinv_(x)
        tensor([0.2253, 0.4769, 0.8134])
    """
@overload
def exp(input: Tensor) -> Tensor:
    """e to the power of each element.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.exp(x)
        tensor([0.2231, 1.6487, 7.3891])
    """
@overload
def exp(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def exp2(input: Tensor) -> Tensor:
    """2 to the power of each element.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.exp2(x)
        tensor([0.3536, 1.4142, 4.0000])
    """
@overload
def exp2(input: Tensor, *, out: Tensor) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor:
    """2 to the power of each element.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.exp2_(x)
        tensor([0.3536, 1.4142, 4.0000])
    """
def exp_(input: Tensor) -> Tensor:
    """e to the power of each element.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.exp_(x)
        tensor([0.2231, 1.6487, 7.3891])
    """
@overload
def expand_copy(input: Tensor, size: Sequence[builtins.int], *, implicit: builtins.bool = False) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        size: The sizes, as a list or one by one.
        implicit: Unused, as in PyTorch.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.expand_copy(x, [2, 3])
        tensor([[-1.5000,  0.5000,  2.0000],
                [-1.5000,  0.5000,  2.0000]])
    """
@overload
def expand_copy(input: Tensor, *size: builtins.int, implicit: builtins.bool = False) -> Tensor: ...
@overload
def expand_copy(input: Tensor, size: Sequence[builtins.int], *, implicit: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def expand_copy(input: Tensor, *size: builtins.int, implicit: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def expm1(input: Tensor) -> Tensor:
    """exp(input) - 1, exact near 0.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.expm1(x)
        tensor([-0.7769,  0.6487,  6.3891])
    """
@overload
def expm1(input: Tensor, *, out: Tensor) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor:
    """exp(input) - 1, exact near 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.expm1_(x)
        tensor([-0.7769,  0.6487,  6.3891])
    """
@overload
def eye(n: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """eye(n, dtype, layout, device, pin_memory): The identity matrix.
    eye(n, m, dtype, layout, device, pin_memory): 1 where row and column are the same, else 0.

    Args:
        n: How many rows and columns.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        m: How many columns.

    Example:

        >>> torch.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
@overload
def eye(n: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def eye(n: builtins.int, m: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def eye(n: builtins.int, m: builtins.int, *, out: Tensor) -> Tensor: ...
def fake_quantize_per_channel_affine(input: Tensor, scale: Tensor, zero_point: Tensor, axis: builtins.int, quant_min: builtins.int, quant_max: builtins.int) -> Tensor:
    """The numbers of `input` as they are after quantizing, with a scale and a zero point for each index along a dim.

    Args:
        input: The tensor to work on.
        scale: A scale for each index along the dim.
        zero_point: A zero point for each index along the dim.
        axis: The dim.
        quant_min: The smallest integer.
        quant_max: The largest integer.

    Example:

        >>> torch.fake_quantize_per_channel_affine(torch.tensor([[-1.0, 0.04], [0.97, 30.0]]), torch.tensor([0.1, 0.5]), torch.tensor([10, 0], dtype=torch.int32), 0, 0, 255)
        tensor([[-1.,  0.],
                [ 1., 30.]])
    """
@overload
def fake_quantize_per_tensor_affine(input: Tensor, scale: builtins.float, zero_point: builtins.int, quant_min: builtins.int, quant_max: builtins.int) -> Tensor:
    """The numbers of `input` as they are after quantizing: rounded to multiples of `scale`, and cut to what the integers stand for. The gradient passes where
    nothing was cut.

    Args:
        input: The tensor to work on.
        scale: The distance between two numbers that integers stand for.
        zero_point: The integer that stands for 0.
        quant_min: The smallest integer.
        quant_max: The largest integer.

    Example:

        >>> torch.fake_quantize_per_tensor_affine(torch.tensor([-1.0, 0.04, 0.97, 30.0]), 0.1, 10, 0, 255)
        tensor([-1.0000,  0.0000,  1.0000, 24.5000])
    """
@overload
def fake_quantize_per_tensor_affine(input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: builtins.int, quant_max: builtins.int) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """alpha_dropout of whole channels.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.feature_alpha_dropout(x, 0.5, True)
        tensor([[-0.7792, -0.7792],
                [ 3.4384, -0.7792]])
    """
def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """The same, written into `input`.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Returns: The tensor itself, changed.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.feature_alpha_dropout_(x, 0.5, True)
        tensor([-0.7792, -0.7792,  2.5520])
    """
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """In training, whole channels become zero with probability p and are scaled by 1 / (1 - p) otherwise; else the input.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.feature_dropout(x, 0.5, True)
        tensor([[0., 0.],
                [6., 0.]])
    """
def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """The same, written into `input`.

    Args:
        input: The tensor to work on.
        p: The probability, from 0 to 1.
        train: Whether the layer is in training. Elements are dropped only then.

    Returns: The tensor itself, changed.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.feature_dropout_(x, 0.5, True)
        tensor([-0., 0., 4.])
    """
@overload
def fft_fft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The discrete Fourier transform along `dim`, of `n` elements: the sums of input[k] exp(-2 pi i j k / n).

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_fft(x)
        tensor([ 1.0000+0.0000j, -2.7500+1.2990j, -2.7500-1.2990j])
    """
@overload
def fft_fft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_fft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The discrete Fourier transform over `dim`, of `s` elements.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_fft2(x)
        tensor([[10.+0.j, -2.+0.j],
                [-4.+0.j,  0.+0.j]])
    """
@overload
def fft_fft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_fftfreq(n: builtins.int, d: builtins.float = 1., *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """The frequencies of fft's elements: 0 up, then the negative ones.

    Args:
        n: How many.
        d: The distance between samples.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.fft_fftfreq(1)
        tensor([0.])
    """
@overload
def fft_fftfreq(n: builtins.int, d: builtins.float = 1., *, out: Tensor) -> Tensor: ...
@overload
def fft_fftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The discrete Fourier transform over `dim`, of `s` elements.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_fftn(x)
        tensor([ 1.0000+0.0000j, -2.7500+1.2990j, -2.7500-1.2990j])
    """
@overload
def fft_fftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_hfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The fft of a signal that is its own conjugate backwards, of which `input` has the first half. The result is real.

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_hfft(x)
        tensor([ 1.5000, -3.5000, -0.5000, -3.5000])
    """
@overload
def fft_hfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_hfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The transform over `dim` of a signal that is its own conjugate backwards. The result is real.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_hfft2(x)
        tensor([[10., -2.],
                [-4.,  0.]])
    """
@overload
def fft_hfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_hfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The transform over `dim` of a signal that is its own conjugate backwards. The result is real.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_hfftn(x)
        tensor([ 1.5000, -3.5000, -0.5000, -3.5000])
    """
@overload
def fft_hfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ifft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The inverse of fft.

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_ifft(x)
        tensor([ 0.3333-0.0000j, -0.9167-0.4330j, -0.9167+0.4330j])
    """
@overload
def fft_ifft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ifft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The inverse of the transform over `dim`.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_ifft2(x)
        tensor([[ 2.5000+0.j, -0.5000+0.j],
                [-1.0000+0.j,  0.0000+0.j]])
    """
@overload
def fft_ifft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ifftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The inverse of the transform over `dim`.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_ifftn(x)
        tensor([ 0.3333+0.0000j, -0.9167-0.4330j, -0.9167+0.4330j])
    """
@overload
def fft_ifftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ihfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The inverse of hfft.

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_ihfft(x)
        tensor([ 0.3333-0.0000j, -0.9167-0.4330j])
    """
@overload
def fft_ihfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ihfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The inverse of that transform.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_ihfft2(x)
        tensor([[ 2.5000-0.j, -0.5000-0.j],
                [-1.0000+0.j,  0.0000+0.j]])
    """
@overload
def fft_ihfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_ihfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The inverse of that transform.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_ihfftn(x)
        tensor([ 0.3333-0.0000j, -0.9167-0.4330j])
    """
@overload
def fft_ihfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_irfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The inverse of rfft. `n` is the size of the result: 2 (size - 1) where it is not given.

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_irfft(x)
        tensor([ 0.3750, -0.8750, -0.1250, -0.8750])
    """
@overload
def fft_irfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_irfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The inverse of the transform of real numbers. `s` are the sizes of the result.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_irfft2(x)
        tensor([[ 2.5000, -0.5000],
                [-1.0000,  0.0000]])
    """
@overload
def fft_irfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_irfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The inverse of the transform of real numbers. `s` are the sizes of the result.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_irfftn(x)
        tensor([ 0.3750, -0.8750, -0.1250, -0.8750])
    """
@overload
def fft_irfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_rfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None) -> Tensor:
    """The first n / 2 + 1 elements of the fft of real numbers. The others are their conjugates.

    Args:
        input: The tensor to work on.
        n: How many elements along the dim are transformed: it is cut, or filled with zeros. None: all.
        dim: The dim to work along. A negative one counts from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_rfft(x)
        tensor([ 1.0000+0.0000j, -2.7500+1.2990j])
    """
@overload
def fft_rfft(input: Tensor, n: builtins.int | None = None, dim: builtins.int = -1, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_rfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None) -> Tensor:
    """The transform of real numbers over `dim`, of whose last one it has the first half.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several. Negative ones count from the last.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fft_rfft2(x)
        tensor([[10.+0.j, -2.+0.j],
                [-4.+0.j,  0.+0.j]])
    """
@overload
def fft_rfft2(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] = (-2, -1), norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fft_rfftfreq(n: builtins.int, d: builtins.float = 1., *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """The frequencies of rfft's elements.

    Args:
        n: How many.
        d: The distance between samples.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.fft_rfftfreq(1)
        tensor([0.])
    """
@overload
def fft_rfftfreq(n: builtins.int, d: builtins.float = 1., *, out: Tensor) -> Tensor: ...
@overload
def fft_rfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None) -> Tensor:
    """The transform of real numbers over `dim`, of whose last one it has the first half.

    Args:
        input: The tensor to work on.
        s: How many elements along each of the dims are transformed: they are cut, or filled with zeros. None:
            all.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        norm: Where the transform is divided: "backward" in the inverse one, by n; "forward" in the other one, by
            n; "ortho" in both, by the root of n. None: "backward".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fft_rfftn(x)
        tensor([ 1.0000+0.0000j, -2.7500+1.2990j])
    """
@overload
def fft_rfftn(input: Tensor, s: builtins.int | Sequence[builtins.int] | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, norm: builtins.str | None = None, *, out: Tensor) -> Tensor: ...
@overload
def fill(input: Tensor, value: Number) -> Tensor:
    """fill(input, value): A tensor like `input` with one number everywhere.
    fill(input, value): A tensor like `input` with the element of `value` everywhere.

    Args:
        input: The tensor to work on.
        value: The number that is used as the new value or factor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.fill(torch.zeros(2), 3)
        tensor([3., 3.])
    """
@overload
def fill(input: Tensor, value: Number, *, out: Tensor) -> Tensor: ...
@overload
def fill(input: Tensor, value: Tensor) -> Tensor: ...
@overload
def fill(input: Tensor, value: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def fill_(input: Tensor, value: Number) -> Tensor:
    """fill_(input, value): Writes one number everywhere.
    fill_(input, value): Writes the element of `value` everywhere.

    Args:
        input: The tensor to work on.
        value: The number that is used as the new value or factor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fill_(x, 2)
        tensor([2., 2., 2.])
    """
@overload
def fill_(input: Tensor, value: Tensor) -> Tensor: ...
@overload
def fix(input: Tensor) -> Tensor:
    """The integer part.

    Another name of trunc.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fix(x)
        tensor([-1.,  0.,  2.])
    """
@overload
def fix(input: Tensor, *, out: Tensor) -> Tensor: ...
def fix_(input: Tensor) -> Tensor:
    """The integer part.

    Another name of trunc_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fix_(x)
        tensor([-1.,  0.,  2.])
    """
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Dims `start_dim` to `end_dim` made one.

    Args:
        input: The tensor to work on.
        start_dim: The first of the dims that become one.
        end_dim: The last of the dims that become one.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.flatten(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def flip(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """A copy with the elements along `dims` in reverse order.

    Args:
        input: The tensor to work on.
        dims: The dims, one or several. Negative ones count from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.flip(x, [0])
        tensor([ 2.0000,  0.5000, -1.5000])
    """
@overload
def flip(input: Tensor, *dims: builtins.int) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.fliplr(x)
        tensor([[2., 1.],
                [4., 3.]])
    """
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.flipud(x)
        tensor([ 2.0000,  0.5000, -1.5000])
    """
@overload
def float_power(input: Tensor, exponent: Tensor) -> Tensor:
    """`input` raised to `exponent`, in float64.

    Args:
        input: The tensor to work on.
        exponent: The power. A tensor broadcasts with the base.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.float_power(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-3.3750,  0.2500,  2.0000], dtype=torch.float64)
    """
@overload
def float_power(input: Tensor, exponent: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def float_power(input: Tensor, exponent: Number) -> Tensor: ...
@overload
def float_power(input: Tensor, exponent: Number, *, out: Tensor) -> Tensor: ...
@overload
def float_power(input: Number, exponent: Tensor) -> Tensor: ...
@overload
def float_power(input: Number, exponent: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def floor(input: Tensor) -> Tensor:
    """The largest integer that is not greater.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.floor(x)
        tensor([-2.,  0.,  2.])
    """
@overload
def floor(input: Tensor, *, out: Tensor) -> Tensor: ...
def floor_(input: Tensor) -> Tensor:
    """The largest integer that is not greater.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.floor_(x)
        tensor([-2.,  0.,  2.])
    """
@overload
def floor_divide(input: Tensor, other: Tensor) -> Tensor:
    """The quotient rounded down.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: use floor(self / other), whose gradient is zero.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.floor_divide(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.,  0.,  2.])
    """
@overload
def floor_divide(input: Tensor, other: Number) -> Tensor: ...
@overload
def floor_divide(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def floor_divide(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def floor_divide_(input: Tensor, other: Tensor) -> Tensor:
    """The quotient rounded down.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: use floor(self / other), whose gradient is zero.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.floor_divide_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.,  0.,  2.])
    """
@overload
def floor_divide_(input: Tensor, other: Number) -> Tensor: ...
@overload
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two elements. If one is NaN, the other one.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fmax(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def fmax(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two elements. If one is NaN, the other one.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fmin(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  1.0000])
    """
@overload
def fmin(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def fmod(input: Tensor, other: Tensor) -> Tensor:
    """The remainder with the sign of `input`, as C has it.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fmod(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  0.0000])
    """
@overload
def fmod(input: Tensor, other: Number) -> Tensor: ...
@overload
def fmod(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def fmod(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def fmod_(input: Tensor, other: Tensor) -> Tensor:
    """The remainder with the sign of `input`, as C has it.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.fmod_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  0.0000])
    """
@overload
def fmod_(input: Tensor, other: Number) -> Tensor: ...
@overload
def frac(input: Tensor) -> Tensor:
    """The fractional part of each element, with its sign.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.frac(x)
        tensor([-0.5000,  0.5000,  0.0000])
    """
@overload
def frac(input: Tensor, *, out: Tensor) -> Tensor: ...
def frac_(input: Tensor) -> Tensor:
    """The fractional part of each element, with its sign.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.frac_(x)
        tensor([-0.5000,  0.5000,  0.0000])
    """
@overload
def frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    """Each element as a mantissa, from 0.5 to below 1, times 2 to the power of an int32 exponent.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (mantissa, exponent).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.frexp(x)
        torch.return_types.frexp(
        mantissa=tensor([-0.7500,  0.5000,  0.5000]),
        exponent=tensor([1, 0, 2], dtype=torch.int32))
    """
@overload
def frexp(input: Tensor, *, mantissa: Tensor, exponent: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def frobenius_norm(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
    """The norm of order `p`: linalg.vector_norm.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.frobenius_norm(x, [0])
        tensor(2.5495)
    """
@overload
def frobenius_norm(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def full(size: Sequence[builtins.int], fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """One number everywhere.

    Args:
        size: The sizes, as a list or one by one.
        fill_value: The number that every element gets.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.full([2, 3], 2)
        tensor([[2, 2, 2],
                [2, 2, 2]])
    """
@overload
def full(size: Sequence[builtins.int], fill_value: Number, *, out: Tensor) -> Tensor: ...
def full_like(input: Tensor, fill_value: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """One number everywhere, like `input`.

    Args:
        input: The tensor to work on.
        fill_value: The number that every element gets.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.full_like(x, 2)
        tensor([2., 2., 2.])
    """
@overload
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
    """The elements of `input` at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        sparse_grad: Without effect: the gradient is dense.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.gather(x, 0, torch.tensor([0, 1]))
        tensor([-1.5000,  0.5000])
    """
@overload
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor) -> Tensor: ...
def gather_backward(grad: Tensor, sizes: Sequence[builtins.int], dim: builtins.int, index: Tensor) -> Tensor:
    """The gradient of a gather.

    Args:
        grad: The gradient of the result.
        sizes: The sizes.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.gather_backward(x, [0], 0, torch.tensor([0, 1]))
        tensor([])
    """
@overload
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The largest integer that divides both, element by element. It is not negative, and 0 for two zeros.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([12, -8, 0])
        >>> torch.gcd(x, torch.tensor([18, 20, 5]))
        tensor([6, 4, 5])
    """
@overload
def gcd(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """The largest integer that divides both, element by element. It is not negative, and 0 for two zeros.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([12, -8, 0])
        >>> torch.gcd_(x, torch.tensor([18, 20, 5]))
        tensor([6, 4, 5])
    """
@overload
def ge(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at least `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ge(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([False, False,  True])
    """
@overload
def ge(input: Tensor, other: Number) -> Tensor: ...
@overload
def ge(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def ge(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def ge_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at least `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ge_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 0., 1.])
    """
@overload
def ge_(input: Tensor, other: Number) -> Tensor: ...
@overload
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """R on and above the diagonal, below it the vectors of the reflections whose product is Q, and their factors.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (a, tau).

    No gradient: PyTorch has none; use linalg.qr.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.geqrf(x)
        torch.return_types.geqrf(
        a=tensor([[-3.1623, -4.4272],
                [ 0.7208, -0.6325]]),
        tau=tensor([1.3162, 0.0000]))
    """
@overload
def geqrf(input: Tensor, *, a: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors: all products of an element of `input` and an element of `vec2`.

    Another name of outer.

    Args:
        input: The tensor to work on.
        vec2: The second vector.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ger(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([[-4.5000, -3.0000, -1.5000],
                [ 1.5000,  1.0000,  0.5000],
                [ 6.0000,  4.0000,  2.0000]])
    """
@overload
def ger(input: Tensor, vec2: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def gradient(input: Tensor, *, spacing: Number | None = None, dim: builtins.int | None = None, edge_order: builtins.int = 1) -> tuple[Tensor, ...]:
    """The derivatives of a function with these values, one tensor for each dim: central differences, and one-sided ones at the ends.

    Args:
        input: The tensor to work on.
        spacing: The distance between neighbouring values: one number, one for each dim, or a tensor of places for
            each dim. None: 1.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        edge_order: The order of the differences at the ends, 1 or 2. A dim needs at least edge_order + 1
            elements.

    Example:

        >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)
        >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]), spacing=2.0)
        (tensor([1.5000, 2.0000, 3.0000, 3.5000]),)
    """
@overload
def gradient(input: Tensor, *, spacing: Number, dim: Sequence[builtins.int], edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, dim: Sequence[builtins.int], edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[Number], dim: builtins.int | None = None, edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[Number], dim: Sequence[builtins.int], edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[Tensor], dim: builtins.int | None = None, edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(input: Tensor, *, spacing: Sequence[Tensor], dim: Sequence[builtins.int], edge_order: builtins.int = 1) -> tuple[Tensor, ...]: ...
@overload
def greater(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is greater than `other`.

    Another name of gt.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.greater(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([False, False,  True])
    """
@overload
def greater(input: Tensor, other: Number) -> Tensor: ...
@overload
def greater(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def greater(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def greater_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is greater than `other`.

    Another name of gt_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.greater_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 0., 1.])
    """
@overload
def greater_(input: Tensor, other: Number) -> Tensor: ...
@overload
def greater_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at least `other`.

    Another name of ge.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.greater_equal(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([False, False,  True])
    """
@overload
def greater_equal(input: Tensor, other: Number) -> Tensor: ...
@overload
def greater_equal(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def greater_equal(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def greater_equal_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at least `other`.

    Another name of ge_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.greater_equal_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 0., 1.])
    """
@overload
def greater_equal_(input: Tensor, other: Number) -> Tensor: ...
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """The input read at the places of `grid`, between pixels by interpolation. torch.nn.functional.grid_sample calls it.

    Args:
        input: The images, of shape (batch, channels, rows, columns), or volumes, with a depth before the rows.
        grid: Where to read, of shape (batch, rows, columns, 2) for images and (batch, depth, rows, columns, 3)
            for volumes. The last dim is (x, y) or (x, y, z), from -1 to 1 inside the input.
        interpolation_mode: How pixels are joined: 0 bilinear, 1 the nearest one, 2 bicubic.
        padding_mode: What is read outside: 0 zeros, 1 the pixel at the border, 2 the reflection at the border.
        align_corners: Whether the first and last elements stay at the ends.

    Example:

        >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
        >>> grid = torch.tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]]])
        >>> torch.grid_sampler(x, grid, 0, 0, True)
        tensor([[[[0.0000, 1.5000, 3.0000]]]])
    """
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """grid_sampler of images, of shape (batch, channels, rows, columns).

    Args:
        input: The tensor to work on.
        grid: Where to read, of shape (batch, rows, columns, 2) for images and (batch, depth, rows, columns, 3)
            for volumes. The last dim is (x, y) or (x, y, z), from -1 to 1 inside the input.
        interpolation_mode: How pixels are joined: 0 bilinear, 1 the nearest one, 2 bicubic.
        padding_mode: What is read outside: 0 zeros, 1 the pixel at the border, 2 the reflection at the border.
        align_corners: Whether the first and last elements stay at the ends.

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch.grid_sampler_2d(x, torch.ones(1, 1, 2, 2), 1, 1, True)
        tensor([[[[15., 15.]]]])
    """
def grid_sampler_2d_backward(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool, wanted: builtins.int) -> tuple[Tensor, Tensor]:
    """The gradients of grid_sampler by its input and by its grid.

    Args:
        grad_output: The gradient of the result.
        input: The tensor to work on.
        grid: Where to read, of shape (batch, rows, columns, 2) for images and (batch, depth, rows, columns, 3)
            for volumes. The last dim is (x, y) or (x, y, z), from -1 to 1 inside the input.
        interpolation_mode: How pixels are joined: 0 bilinear, 1 the nearest one, 2 bicubic.
        padding_mode: What is read outside: 0 zeros, 1 the pixel at the border, 2 the reflection at the border.
        align_corners: Whether the first and last elements stay at the ends.
        wanted: Which gradients are computed: 1 that of the input, 2 that of the grid, 3 both.

    Example:

        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> torch.grid_sampler_2d_backward(x, torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), 1, 1, True, 1)
        (tensor([[[[0., 0.],
                  [0., 1.]]]]), tensor([]))
    """
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """grid_sampler of volumes, of shape (batch, channels, depth, rows, columns).

    Args:
        input: The tensor to work on.
        grid: Where to read, of shape (batch, rows, columns, 2) for images and (batch, depth, rows, columns, 3)
            for volumes. The last dim is (x, y) or (x, y, z), from -1 to 1 inside the input.
        interpolation_mode: How pixels are joined: 0 bilinear, 1 the nearest one, 2 bicubic.
        padding_mode: What is read outside: 0 zeros, 1 the pixel at the border, 2 the reflection at the border.
        align_corners: Whether the first and last elements stay at the ends.
    """
def grid_sampler_3d_backward(grad_output: Tensor, input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool, wanted: builtins.int) -> tuple[Tensor, Tensor]:
    """The gradients of grid_sampler by its input and by its grid.

    Args:
        grad_output: The gradient of the result.
        input: The tensor to work on.
        grid: Where to read, of shape (batch, rows, columns, 2) for images and (batch, depth, rows, columns, 3)
            for volumes. The last dim is (x, y) or (x, y, z), from -1 to 1 inside the input.
        interpolation_mode: How pixels are joined: 0 bilinear, 1 the nearest one, 2 bicubic.
        padding_mode: What is read outside: 0 zeros, 1 the pixel at the border, 2 the reflection at the border.
        align_corners: Whether the first and last elements stay at the ends.
        wanted: Which gradients are computed: 1 that of the input, 2 that of the grid, 3 both.
    """
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enabled: builtins.bool = True) -> Tensor:
    """Each group of channels of each image to mean 0 and variance 1, then every channel scaled and shifted.

    Args:
        input: The tensor to work on.
        num_groups: Into how many groups the channels are divided.
        weight: The factor of each channel. None: 1.
        bias: What is added to each channel. None: 0.
        eps: A small number that keeps a divisor from being 0.
        cudnn_enabled: Without effect on the CPU.

    Example:

        >>> torch.group_norm(torch.tensor([[1.0, 3.0, 2.0, 6.0]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
@overload
def gru(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """Layers of gated recurrent units over sequences: the last layer's outputs, and the last states of all.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        params: The weights and biases, layer by layer.
        has_biases: Whether params has biases.
        num_layers: How many layers there are, one above the other.
        dropout: The probability with which an element between layers is dropped.
        train: Whether the layer is in training. Elements are dropped only then.
        bidirectional: Whether the sequence is also read from its end.
        batch_first: Whether the batch is the first dim. It is the second otherwise.
        data: The elements of a packed sequence.
        batch_sizes: How many sequences each step of a packed sequence has.

    Example:

        >>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
        >>> params = [torch.ones(3, 1), torch.ones(3, 1)]
        >>> torch.gru(x, h, params, False, 1, 0.0, False, False, True)[0].flatten()
        tensor([0.2048, 0.3468])
    """
@overload
def gru(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a gated recurrent unit: the next hidden state.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        w_ih: The weight for the input, of shape (3 * hidden, features): of the reset, update and new gate.
        w_hh: The weight for the hidden state, of shape (3 * hidden, hidden).
        b_ih: The bias for the input. None: 0.
        b_hh: The bias for the hidden state. None: 0.

    Example:

        >>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
        >>> torch.gru_cell(x, h, torch.ones(3, 2), torch.ones(3, 1))
        tensor([[0.1149]])
    """
@overload
def gt(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is greater than `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.gt(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([False, False,  True])
    """
@overload
def gt(input: Tensor, other: Number) -> Tensor: ...
@overload
def gt(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def gt(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def gt_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is greater than `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.gt_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 0., 1.])
    """
@overload
def gt_(input: Tensor, other: Number) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """hamming_window(window_length, dtype, layout, device, pin_memory): Hamming's window, 0.54 - 0.46 times a cosine, for a period of `window_length` points.
    hamming_window(window_length, periodic, dtype, layout, device, pin_memory): Hamming's window of a period, or symmetric.
    hamming_window(window_length, periodic, alpha, dtype, layout, device, pin_memory): `alpha` minus 0.46 times a cosine.
    hamming_window(window_length, periodic, alpha, beta, dtype, layout, device, pin_memory): `alpha` minus `beta` times a cosine.

    Args:
        window_length: How many elements the window has.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        periodic: Whether the window is a symmetric one of one more element, without the last: it repeats without
            a jump. False: it is symmetric.
        alpha: The factor of the second operand.
        beta: The factor of the first operand.

    Example:

        >>> torch.hamming_window(1)
        tensor([1.])
    """
@overload
def hamming_window(window_length: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, *, out: Tensor) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, *, out: Tensor) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, beta: builtins.float, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def hamming_window(window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, beta: builtins.float, *, out: Tensor) -> Tensor: ...
@overload
def hann_window(window_length: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """hann_window(window_length, dtype, layout, device, pin_memory): Hann's window, half a cosine up and half a cosine down, for a period of `window_length` points.
    hann_window(window_length, periodic, dtype, layout, device, pin_memory): Hann's window of a period, or symmetric.

    Args:
        window_length: How many elements the window has.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        periodic: Whether the window is a symmetric one of one more element, without the last: it repeats without
            a jump. False: it is symmetric.

    Example:

        >>> torch.hann_window(1)
        tensor([1.])
    """
@overload
def hann_window(window_length: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def hann_window(window_length: builtins.int, periodic: builtins.bool, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def hann_window(window_length: builtins.int, periodic: builtins.bool, *, out: Tensor) -> Tensor: ...
@overload
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """`input` where it is farther from 0 than `lambd`, else 0.

    Args:
        input: The tensor to work on.
        lambd: Where the function changes.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.hardshrink(x)
        tensor([-1.5000,  0.0000,  2.0000])
    """
@overload
def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor) -> Tensor: ...
@overload
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0.

    Args:
        input: The tensor to work on.
        values: The values to use.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: it is not differentiable with respect to its values at 0 in PyTorch; write where.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.heaviside(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 1., 1.])
    """
@overload
def heaviside(input: Tensor, values: Tensor, *, out: Tensor) -> Tensor: ...
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0.

    Args:
        input: The tensor to work on.
        values: The values to use.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: it is not differentiable with respect to its values at 0 in PyTorch; write where.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.heaviside_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([0., 1., 1.])
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1., reduction: builtins.int = 1) -> Tensor:
    """`input` if `target` is 1, and max(0, margin - input) if it is -1.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        margin: How far apart the two sides should be.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.hinge_embedding_loss(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 1., 2.])
    """
@overload
def histc(input: Tensor, bins: builtins.int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """How many elements lie in each of `bins` equal parts of the range from `min` to `max`. Elements outside and NaN are not counted.

    Args:
        input: The tensor to work on.
        bins: How many parts there are.
        min: The lower end of the range.
        max: The upper end of the range, which belongs to it. If `min` and `max` are both 0, the range is that of
            the elements.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: it counts.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
        >>> torch.histc(x, bins=4, min=0, max=4)
        tensor([0., 2., 1., 0.])
    """
@overload
def histc(input: Tensor, bins: builtins.int = 100, min: Number = 0, max: Number = 0, *, out: Tensor) -> Tensor: ...
@overload
def histogram(input: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """histogram(input, bins, weight, density): How many elements lie in each bin, and the edges of the bins. An edge belongs to the bin above it, and the last one to the last bin.
    histogram(input, bins, range, weight, density): histogram of `bins` bins of one width.

    Args:
        input: The tensor to work on.
        bins: How many bins of one width there are, or a tensor with the edges, in order.
        weight: How much each element counts, in a tensor of the same size. None: 1.
        density: Whether the result is a density: each bin divided by its width and by the sum of all, so that the
            integral is 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        range: The two ends of the bins, if `bins` is a number. None: the smallest and the largest element.

    Returns: A named tuple (hist, bin_edges).

    No gradient: its first result counts, its second one are edges.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
        >>> torch.histogram(x, 4, range=(0.0, 4.0))
        torch.return_types.histogram(
        hist=tensor([0., 2., 1., 0.]),
        bin_edges=tensor([0., 1., 2., 3., 4.]))
    """
@overload
def histogram(input: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False, hist: Tensor, bin_edges: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def histogram(input: Tensor, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def histogram(input: Tensor, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, hist: Tensor, bin_edges: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def hsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views along dim 1, of vectors along dim 0.

    Args:
        input: The tensor to work on.
        sections: Into how many equal parts the tensor is divided.
        indices: The places where the tensor is divided, along the dim.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.hsplit(x, 2)
        (tensor([[1.],
                [3.]]), tensor([[2.],
                [4.]]))
    """
@overload
def hsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def hsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along dim 1, vectors along dim 0.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.hstack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([-1.5000,  0.5000,  2.0000,  3.0000,  2.0000,  1.0000])
    """
@overload
def hstack(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
@overload
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The root of the sum of squares, without overflow.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.hypot(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3.3541, 2.0616, 2.2361])
    """
@overload
def hypot(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """The root of the sum of squares, without overflow.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.hypot_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3.3541, 2.0616, 2.2361])
    """
@overload
def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.i0(x)
        tensor([1.6467, 1.0635, 2.2796])
    """
@overload
def i0(input: Tensor, *, out: Tensor) -> Tensor: ...
def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.i0_(x)
        tensor([1.6467, 1.0635, 2.2796])
    """
@overload
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function: the integral of t^(input - 1) exp(-t) from 0 to `other`, divided by gamma(`input`).

    Args:
        input: The parameter, at least 0.
        other: Where the integral ends, at least 0.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.igamma(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0]))
        tensor([0.6321, 0.5665])
    """
@overload
def igamma(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function: the integral of t^(input - 1) exp(-t) from 0 to `other`, divided by gamma(`input`).

    Args:
        input: The parameter, at least 0.
        other: Where the integral ends, at least 0.

    Returns: The tensor itself, changed.

    Example:

        >>> torch.igamma_(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0]))
        tensor([0.6321, 0.5665])
    """
@overload
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function: 1 - igamma(`input`, `other`).

    Args:
        input: The parameter, at least 0.
        other: Where the integral begins, at least 0.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.igammac(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0]))
        tensor([0.3679, 0.4335])
    """
@overload
def igammac(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function: 1 - igamma(`input`, `other`).

    Args:
        input: The parameter, at least 0.
        other: Where the integral begins, at least 0.

    Returns: The tensor itself, changed.

    Example:

        >>> torch.igammac_(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 4.0]))
        tensor([0.3679, 0.4335])
    """
def imag(input: Tensor) -> Tensor:
    """A view of the imaginary parts.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([1 + 2j, 3 - 1j])
        >>> torch.imag(x)
        tensor([ 2., -1.])
    """
@overload
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` with slices of `source` added at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_add(x, 0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 1.5000, 4.0000])
    """
@overload
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
def index_add_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` with slices of `source` added at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.
        alpha: The factor of the second operand.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_add_(x, 0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 1.5000, 4.0000])
    """
@overload
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with slices of `source` written at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_copy(x, 0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 1., 2.])
    """
@overload
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor) -> Tensor: ...
def index_copy_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with slices of `source` written at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_copy_(x, 0, torch.tensor([0, 2, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 1., 2.])
    """
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Number) -> Tensor:
    """index_fill(input, dim, index, value): `input` with a number in its slices at `index` along `dim`.
    index_fill(input, dim, index, value): `input` with one element in its slices at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        value: The number that is used as the new value or factor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_fill(x, 0, torch.tensor([0, 1]), 0.5)
        tensor([0.5000, 0.5000, 2.0000])
    """
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, out: Tensor) -> Tensor: ...
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
@overload
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def index_fill_(input: Tensor, dim: builtins.int, index: Tensor, value: Number) -> Tensor:
    """index_fill_(input, dim, index, value): `input` with a number in its slices at `index` along `dim`.
    index_fill_(input, dim, index, value): `input` with one element in its slices at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        value: The number that is used as the new value or factor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_fill_(x, 0, torch.tensor([0, 1]), 0.5)
        tensor([0.5000, 0.5000, 2.0000])
    """
@overload
def index_fill_(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor) -> Tensor: ...
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy of `input` with `values` written or added at the indices.

    Args:
        input: The tensor to work on.
        indices: An index tensor for each dim. None leaves its dim alone.
        values: The values to use.
        accumulate: Whether values are added to what is there instead of replacing it.

    Example:

        >>> x = torch.zeros(2, 2)
        >>> torch.index_put(x, [torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0]))
        tensor([[6., 0.],
                [5., 0.]])
    """
def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """Writes or adds `values` at the indices.

    Args:
        input: The tensor to work on.
        indices: An index tensor for each dim. None leaves its dim alone.
        values: The values to use.
        accumulate: Whether values are added to what is there instead of replacing it.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.zeros(2, 2)
        >>> torch.index_put_(x, [torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0]))
        tensor([[6., 0.],
                [5., 0.]])
    """
@overload
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """`input` joined with slices of `source` at `index` along `dim`: by product, mean, largest or smallest.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: Whether the elements that were there take part.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.index_reduce(x, 0, torch.tensor([0, 2, 0]), torch.tensor([5.0, 1.0, 4.0]), "amax")
        tensor([5., 2., 3.])
    """
@overload
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor) -> Tensor: ...
def index_reduce_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """`input` joined with slices of `source` at `index` along `dim`: by product, mean, largest or smallest.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        source: The tensor whose elements are taken.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: Whether the elements that were there take part.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.index_reduce_(x, 0, torch.tensor([0, 2, 0]), torch.tensor([5.0, 1.0, 4.0]), "amax")
        tensor([5., 2., 3.])
    """
@overload
def index_select(input: Tensor, dim: builtins.int, index: Tensor) -> Tensor:
    """The slices at `index` along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.index_select(x, 0, torch.tensor([0, 1]))
        tensor([-1.5000,  0.5000])
    """
@overload
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products over the last dims.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.inner(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(-1.5000)
    """
@overload
def inner(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool) -> Tensor:
    """Each channel of each image centred and scaled by its own statistics, or by running ones.

    Args:
        input: The tensor to work on.
        weight: The factor of each channel. None: 1.
        bias: What is added to each channel. None: 0.
        running_mean: The mean of each channel so far. In training it is updated.
        running_var: The variance of each channel so far. In training it is updated.
        use_input_stats: Whether the statistics are those of the input.
        momentum: How much the new statistics weigh in the running ones.
        eps: A small number that keeps a divisor from being 0.
        cudnn_enabled: Without effect on the CPU.

    Example:

        >>> x = torch.tensor([[[1.0, 3.0], [2.0, 6.0]]])
        >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
def int_repr(input: Tensor) -> Tensor:
    """The integers of a quantized tensor.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
        >>> torch.int_repr(x)
        tensor([ 0, 10, 20], dtype=torch.uint8)
    """
@overload
def inverse(input: Tensor) -> Tensor:
    """The inverses of matrices.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.inverse(x)
        tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]])
    """
@overload
def inverse(input: Tensor, *, out: Tensor) -> Tensor: ...
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.is_complex(x)
        False
    """
def is_conj(input: Tensor) -> bool:
    """Whether the elements are marked as to be conjugated or negated, which no tensor's are: both are computed at once.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.is_conj(x)
        False
    """
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating-point numbers.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.is_floating_point(x)
        True
    """
def is_neg(input: Tensor) -> bool:
    """Whether the elements are marked as to be conjugated or negated, which no tensor's are: both are computed at once.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.is_neg(x)
        False
    """
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([2.0])
        >>> torch.is_nonzero(x)
        True
    """
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same sizes.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.is_same_size(x, torch.tensor([3.0, 2.0, 1.0]))
        True
    """
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
    """Where |input - other| <= atol + rtol |other|; equal infinities are close.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        rtol: The allowed difference, relative to the second value.
        atol: The allowed difference.
        equal_nan: Whether two NaNs count as equal.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.isclose(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([ True,  True, False])
    """
def isfinite(input: Tensor) -> Tensor:
    """Whether the element is neither infinite nor a NaN.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isfinite(x)
        tensor([True, True, True])
    """
@overload
def isin(elements: Tensor, test_element: Number, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
    """isin(elements, test_element, assume_unique, invert): Whether each element is one of `test_elements`. One of the two is a number.
    isin(elements, test_elements, assume_unique, invert): Whether each element is one of `test_elements`.

    Args:
        elements: The elements to look for.
        test_element: The number that the elements are compared with.
        assume_unique: Whether no element stands twice in either. It changes no result.
        invert: Whether the answer is turned round.
        element: The number to look for.
        test_elements: Where to look for them.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isin(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([False, False,  True])
    """
@overload
def isin(element: Number, test_elements: Tensor, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor: ...
@overload
def isin(elements: Tensor, test_elements: Tensor, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor: ...
def isinf(input: Tensor) -> Tensor:
    """Whether the element is infinite.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isinf(x)
        tensor([False, False, False])
    """
def isnan(input: Tensor) -> Tensor:
    """Whether the element is a NaN.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isnan(x)
        tensor([False, False, False])
    """
@overload
def isneginf(input: Tensor) -> Tensor:
    """Whether the element is minus infinity.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isneginf(x)
        tensor([False, False, False])
    """
@overload
def isneginf(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def isposinf(input: Tensor) -> Tensor:
    """Whether the element is infinity.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isposinf(x)
        tensor([False, False, False])
    """
@overload
def isposinf(input: Tensor, *, out: Tensor) -> Tensor: ...
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.isreal(x)
        tensor([True, True, True])
    """
def istft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
    """The signal whose short-time transform is nearest to `input`.

    Args:
        input: The tensor to work on.
        n_fft: How many elements each transform has.
        hop_length: The step from one window to the next. None: a quarter of n_fft.
        win_length: How many elements the window has. None: n_fft.
        window: The factors of a window's elements. None: 1.
        center: Whether each window lies around its place. False: it begins there.
        normalized: Whether the result is divided by the root of n_fft.
        onesided: Whether only the frequencies from 0 up are there, which say all for a real signal. None: for a
            real signal.
        length: How many elements along the dim.
        return_complex: Whether the result is complex. False: a last dim holds the real and imaginary parts.
    """
@overload
def kaiser_window(window_length: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """Kaiser's window: the Bessel function i0 of `beta` times a half circle, divided by i0(beta). It is 1 in the middle.

    Args:
        window_length: How many elements the window has.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        periodic: Whether the window repeats without a jump, as spectra need it: it is a symmetric window of one
            more element, without the last. False: it is symmetric.
        beta: How narrow the window is.

    Example:

        >>> torch.kaiser_window(5, periodic=False)
        tensor([5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01, 5.2773e-05])
    """
@overload
def kaiser_window(window_length: builtins.int, periodic: builtins.bool, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def kaiser_window(window_length: builtins.int, periodic: builtins.bool, beta: builtins.float, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
def kl_div(input: Tensor, target: Tensor, reduction: builtins.int = 1, *, log_target: builtins.bool = False) -> Tensor:
    """target * (log(target) - input), where `input` is a logarithm, and `target` too with `log_target`.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        reduction: 0 returns each element, 1 their mean, 2 their sum.
        log_target: Whether the target holds logarithms.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.kl_div(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ 7.7958,  0.3863, -2.0000])
    """
@overload
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of `input` becomes a block, the element times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.kron(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000, -3.0000, -1.5000,  1.5000,  1.0000,  0.5000,  6.0000,  4.0000,
                 2.0000])
    """
@overload
def kron(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The `k`-th smallest element along `dim`, and its index. Equal elements count in their order.

    Args:
        input: The tensor to work on.
        k: How many, or which one, counted from 1 where it is a rank.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.kthvalue(x, 1)
        torch.return_types.kthvalue(
        values=tensor(-1.5000),
        indices=tensor(0))
    """
@overload
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enable: builtins.bool = True) -> Tensor:
    """Layer normalization over the last dims.

    Args:
        input: The tensor to work on.
        normalized_shape: The sizes of the last dims, over which each row is normalized.
        weight: The factor of each element of a row. None: 1.
        bias: What is added to each element of a row. None: 0.
        eps: A small number that keeps a divisor from being 0.
        cudnn_enable: Without effect on the CPU.

    Example:

        >>> torch.layer_norm(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
@overload
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least integer that both divide, element by element. It is not negative, and 0 where one is 0.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([4, -6, 0])
        >>> torch.lcm(x, torch.tensor([6, 4, 5]))
        tensor([12, 12,  0])
    """
@overload
def lcm(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """The least integer that both divide, element by element. It is not negative, and 0 where one is 0.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Returns: The tensor itself, changed.

    No gradient: integers have no gradient.

    Example:

        >>> x = torch.tensor([4, -6, 0])
        >>> torch.lcm_(x, torch.tensor([6, 4, 5]))
        tensor([12, 12,  0])
    """
@overload
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """`input` times 2 to the power of `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ldexp(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-12.,   2.,   4.])
    """
@overload
def ldexp(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """ldexp, written into `input`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ldexp_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-12.,   2.,   4.])
    """
@overload
def le(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at most `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.le(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ True,  True, False])
    """
@overload
def le(input: Tensor, other: Number) -> Tensor: ...
@overload
def le(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def le(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def le_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at most `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.le_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 1., 0.])
    """
@overload
def le_(input: Tensor, other: Number) -> Tensor: ...
@overload
def lerp(input: Tensor, end: Tensor, weight: Number) -> Tensor:
    """lerp(input, end, weight): The point between `input` and `end` at `weight`.
    lerp(input, end, weight): The point between `input` and `end` at each `weight`.

    Args:
        input: The tensor to work on.
        end: What weight 1 gives.
        weight: The part of the way from `self` to `end`.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> torch.lerp(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]), 0.5)
        tensor([2., 4.])
    """
@overload
def lerp(input: Tensor, end: Tensor, weight: Number, *, out: Tensor) -> Tensor: ...
@overload
def lerp(input: Tensor, end: Tensor, weight: Tensor) -> Tensor: ...
@overload
def lerp(input: Tensor, end: Tensor, weight: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def lerp_(input: Tensor, end: Tensor, weight: Number) -> Tensor:
    """lerp_(input, end, weight): The point between `input` and `end` at `weight`.
    lerp_(input, end, weight): The point between `input` and `end` at each `weight`.

    Args:
        input: The tensor to work on.
        end: What weight 1 gives.
        weight: The part of the way from `self` to `end`.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> torch.lerp_(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 6.0]), 0.5)
        tensor([2., 4.])
    """
@overload
def lerp_(input: Tensor, end: Tensor, weight: Tensor) -> Tensor: ...
@overload
def less(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is less than `other`.

    Another name of lt.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.less(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ True,  True, False])
    """
@overload
def less(input: Tensor, other: Number) -> Tensor: ...
@overload
def less(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def less(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def less_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is less than `other`.

    Another name of lt_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.less_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 1., 0.])
    """
@overload
def less_(input: Tensor, other: Number) -> Tensor: ...
@overload
def less_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at most `other`.

    Another name of le.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.less_equal(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ True,  True, False])
    """
@overload
def less_equal(input: Tensor, other: Number) -> Tensor: ...
@overload
def less_equal(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def less_equal(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def less_equal_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is at most `other`.

    Another name of le_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.less_equal_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 1., 0.])
    """
@overload
def less_equal_(input: Tensor, other: Number) -> Tensor: ...
@overload
def lgamma(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of the gamma function. For a whole number n above 0, this is log((n - 1)!).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([1.0, 4.0, 0.5])
        >>> torch.lgamma(x)
        tensor([0.0000, 1.7918, 0.5724])
    """
@overload
def lgamma(input: Tensor, *, out: Tensor) -> Tensor: ...
def lgamma_(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of the gamma function. For a whole number n above 0, this is log((n - 1)!).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([1.0, 4.0, 0.5])
        >>> torch.lgamma_(x)
        tensor([0.0000, 1.7918, 0.5724])
    """
@overload
def linalg_cholesky(input: Tensor, *, upper: builtins.bool = False) -> Tensor:
    """The Cholesky factor of positive-definite matrices.

    Args:
        input: The tensor to work on.
        upper: The largest slope that is drawn.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
        >>> torch.linalg.cholesky(x)
        tensor([[2., 0.],
                [1., 2.]])
    """
@overload
def linalg_cholesky(input: Tensor, *, upper: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_cholesky_ex(input: Tensor, *, upper: builtins.bool = False, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The Cholesky factors of positive-definite matrices, and for each 0, or the order of the minor that is not.

    Args:
        input: The tensor to work on.
        upper: The largest slope that is drawn.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (L, info).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_cholesky_ex(x)
        torch.return_types.linalg_cholesky_ex(
        L=tensor([[ 1.,  0.],
                [ 3., -5.]]),
        info=tensor(2, dtype=torch.int32))
    """
@overload
def linalg_cholesky_ex(input: Tensor, *, upper: builtins.bool = False, check_errors: builtins.bool = False, L: Tensor, info: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_cond(input: Tensor, p: Number | None = None) -> Tensor:
    """The condition numbers of matrices in the norm `p`.

    Args:
        input: The tensor to work on.
        p: The order of the norm.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_cond(x)
        tensor(14.9330)
    """
@overload
def linalg_cond(input: Tensor, p: Number | None = None, *, out: Tensor) -> Tensor: ...
@overload
def linalg_cond(input: Tensor, p: builtins.str) -> Tensor: ...
@overload
def linalg_cond(input: Tensor, p: builtins.str, *, out: Tensor) -> Tensor: ...
@overload
def linalg_cross(input: Tensor, other: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """The cross products of vectors of three elements along `dim`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.linalg_cross(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-3.5000,  7.5000, -4.5000])
    """
@overload
def linalg_cross(input: Tensor, other: Tensor, *, dim: builtins.int = -1, out: Tensor) -> Tensor: ...
@overload
def linalg_det(A: Tensor) -> Tensor:
    """The determinants of matrices.

    Args:
        A: The matrix, or a batch of matrices.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_det(x)
        tensor(-2.0000)
    """
@overload
def linalg_det(A: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def linalg_eig(input: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues of matrices and their vectors as columns, both complex.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (eigenvalues, eigenvectors).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_eig(x)
        torch.return_types.linalg_eig(
        eigenvalues=tensor([-0.3723+0.j,  5.3723+0.j]),
        eigenvectors=tensor([[-0.8246+0.j, -0.4160+0.j],
                [ 0.5658+0.j, -0.9094+0.j]]))
    """
@overload
def linalg_eig(input: Tensor, *, eigenvalues: Tensor, eigenvectors: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_eigh(input: Tensor, UPLO: builtins.str = "L") -> tuple[Tensor, Tensor]:
    """The eigenvalues of symmetric or Hermitian matrices in ascending order, and their vectors as columns. One triangle of the matrix is read.

    Args:
        input: The tensor to work on.
        UPLO: Which triangle of the matrix is read: "L" for the lower one, "U" for the upper one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (eigenvalues, eigenvectors).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_eigh(x)
        torch.return_types.linalg_eigh(
        eigenvalues=tensor([-0.8541,  5.8541]),
        eigenvectors=tensor([[-0.8507,  0.5257],
                [ 0.5257,  0.8507]]))
    """
@overload
def linalg_eigh(input: Tensor, UPLO: builtins.str = "L", *, eigvals: Tensor, eigvecs: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_eigvals(input: Tensor) -> Tensor:
    """The eigenvalues of matrices, which are complex.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_eigvals(x)
        tensor([-0.3723+0.j,  5.3723+0.j])
    """
@overload
def linalg_eigvals(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def linalg_eigvalsh(input: Tensor, UPLO: builtins.str = "L") -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices in ascending order.

    Args:
        input: The tensor to work on.
        UPLO: Which triangle of the matrix is read: "L" for the lower one, "U" for the upper one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_eigvalsh(x)
        tensor([-0.8541,  5.8541])
    """
@overload
def linalg_eigvalsh(input: Tensor, UPLO: builtins.str = "L", *, out: Tensor) -> Tensor: ...
@overload
def linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of the reflections that geqrf gives.

    Args:
        input: The tensor to work on.
        tau: How far the numbers are from 0 and 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def linalg_householder_product(input: Tensor, tau: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def linalg_inv(A: Tensor) -> Tensor:
    """The inverses of matrices.

    Args:
        A: The matrix, or a batch of matrices.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_inv(x)
        tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]])
    """
@overload
def linalg_inv(A: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def linalg_inv_ex(A: Tensor, *, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The inverses of matrices, and for each 0, or the number of a pivot that is 0.

    Args:
        A: The matrix, or a batch of matrices.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (inverse, info).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_inv_ex(x)
        torch.return_types.linalg_inv_ex(
        inverse=tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]]),
        info=tensor(0, dtype=torch.int32))
    """
@overload
def linalg_inv_ex(A: Tensor, *, check_errors: builtins.bool = False, inverse: Tensor, info: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_ldl_factor(input: Tensor, *, hermitian: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """linalg.ldl_factor_ex, with an error for a singular matrix.

    Args:
        input: The tensor to work on.
        hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (LD, pivots).

    No gradient: PyTorch has none; use linalg.solve.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_ldl_factor(x)
        torch.return_types.linalg_ldl_factor(
        LD=tensor([[ 4.0000,  0.0000],
                [ 0.7500, -1.2500]]),
        pivots=tensor([2, 2], dtype=torch.int32))
    """
@overload
def linalg_ldl_factor(input: Tensor, *, hermitian: builtins.bool = False, LD: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_ldl_factor_ex(input: Tensor, *, hermitian: builtins.bool = False, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The factors of symmetric or Hermitian matrices: L, and D with blocks of one or two rows.

    Args:
        input: The tensor to work on.
        hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (LD, pivots, info).

    No gradient: PyTorch has none; use linalg.solve.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_ldl_factor_ex(x)
        torch.return_types.linalg_ldl_factor_ex(
        LD=tensor([[ 4.0000,  0.0000],
                [ 0.7500, -1.2500]]),
        pivots=tensor([2, 2], dtype=torch.int32),
        info=tensor(0, dtype=torch.int32))
    """
@overload
def linalg_ldl_factor_ex(input: Tensor, *, hermitian: builtins.bool = False, check_errors: builtins.bool = False, LD: Tensor, pivots: Tensor, info: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: builtins.bool = False) -> Tensor:
    """The solution of systems of equations whose matrix has the factors `LD`.

    Args:
        LD: The factors that torch.linalg.ldl_factor gives.
        pivots: The pivots that the factorization gives.
        B: The right side: a matrix, or a batch of matrices.
        hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: PyTorch has none; use linalg.solve.
    """
@overload
def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_lstsq(input: Tensor, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The solution X for which A X is nearest to B, by one of LAPACK's drivers gelsy, gels, gelsd and gelss.

    Args:
        input: The matrix A, or a batch of matrices.
        b: The right side B, with as many rows as A.
        rcond: Singular values below this part of the largest one count as 0.
        driver: Which of LAPACK's or cuSOLVER's ways is taken. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (solution, residuals, rank, singular_values).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_lstsq(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        torch.return_types.linalg_lstsq(
        solution=tensor([[ 1.0000, -1.0000],
                [-0.5000,  1.0000]]),
        residuals=tensor([]),
        rank=tensor(2),
        singular_values=tensor([]))
    """
@overload
def linalg_lstsq(input: Tensor, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None, solution: Tensor, residuals: Tensor, rank: Tensor, singular_values: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
@overload
def linalg_lu(A: Tensor, *, pivot: builtins.bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """The permutations, lower and upper triangles whose product is `A`.

    Args:
        A: The matrix, or a batch of matrices.
        pivot: Whether rows are exchanged, which keeps the result precise.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (P, L, U).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_lu(x)
        torch.return_types.linalg_lu(
        P=tensor([[0., 1.],
                [1., 0.]]),
        L=tensor([[1.0000, 0.0000],
                [0.3333, 1.0000]]),
        U=tensor([[3.0000, 4.0000],
                [0.0000, 0.6667]]))
    """
@overload
def linalg_lu(A: Tensor, *, pivot: builtins.bool = True, P: Tensor, L: Tensor, U: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def linalg_lu_factor(A: Tensor, *, pivot: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """linalg.lu_factor_ex, with an error for a matrix that has a pivot of 0.

    Args:
        A: The matrix, or a batch of matrices.
        pivot: Whether rows are exchanged, which keeps the result precise.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (LU, pivots).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_lu_factor(x)
        torch.return_types.linalg_lu_factor(
        LU=tensor([[3.0000, 4.0000],
                [0.3333, 0.6667]]),
        pivots=tensor([2, 2], dtype=torch.int32))
    """
@overload
def linalg_lu_factor(A: Tensor, *, pivot: builtins.bool = True, LU: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_lu_factor_ex(A: Tensor, *, pivot: builtins.bool = True, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The factors of matrices, L below the diagonal and U on and above it, with the exchanges of rows, counted from 1.

    Args:
        A: The matrix, or a batch of matrices.
        pivot: Whether rows are exchanged, which keeps the result precise.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (LU, pivots, info).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_lu_factor_ex(x)
        torch.return_types.linalg_lu_factor_ex(
        LU=tensor([[3.0000, 4.0000],
                [0.3333, 0.6667]]),
        pivots=tensor([2, 2], dtype=torch.int32),
        info=tensor(0, dtype=torch.int32))
    """
@overload
def linalg_lu_factor_ex(A: Tensor, *, pivot: builtins.bool = True, check_errors: builtins.bool = False, LU: Tensor, pivots: Tensor, info: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: builtins.bool = True, adjoint: builtins.bool = False) -> Tensor:
    """The solution of systems of equations whose matrix has the factors `LU`.

    Args:
        LU: The factors that torch.linalg.lu_factor gives.
        pivots: The pivots that the factorization gives.
        B: The right side: a matrix, or a batch of matrices.
        left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
        adjoint: Whether the transposed, conjugated matrix takes the place of the matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
        >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[2.0], [9.0]]))
        tensor([[1.],
                [2.]])
    """
@overload
def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: builtins.bool = True, adjoint: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_exp(input: Tensor) -> Tensor:
    """The exponentials of square matrices.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_matrix_exp(x)
        tensor([[ 51.9690,  74.7366],
                [112.1050, 164.0740]])
    """
@overload
def linalg_matrix_exp(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_norm(input: Tensor, ord: Number, dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The norms of matrices in two dims.

    Args:
        input: The tensor to work on.
        ord: The order of the norm: a number, inf or -inf.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_matrix_norm(x)
        tensor(5.4772)
    """
@overload
def linalg_matrix_norm(input: Tensor, ord: Number, dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_norm(input: Tensor, ord: builtins.str = "fro", dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def linalg_matrix_norm(input: Tensor, ord: builtins.str = "fro", dim: Sequence[builtins.int] = (-2, -1), keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False) -> Tensor:
    """The numbers of singular values above the tolerance.

    Args:
        input: The tensor to work on.
        atol: The allowed difference.
        rtol: The allowed difference, relative to the second value.
        hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        tol: Singular values below this count as 0.

    No gradient: it is a count.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_matrix_rank(x)
        tensor(2)
    """
@overload
def linalg_matrix_rank(input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, tol: builtins.float, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, tol: builtins.float, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, tol: Tensor, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, tol: Tensor, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def linalg_multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that costs least.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.linalg_multi_dot([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor(-1.5000)
    """
@overload
def linalg_multi_dot(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
@overload
def linalg_norm(input: Tensor, ord: Number | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """linalg_norm(input, ord, dim, keepdim, dtype): The norm of vectors. With two dims and an `ord`, the norm of matrices.
    linalg_norm(input, ord, dim, keepdim, dtype): The Frobenius norm of matrices.

    Args:
        input: The tensor to work on.
        ord: The order of the norm: a number, inf or -inf. None: 2.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.linalg_norm(x)
        tensor(2.5495)
    """
@overload
def linalg_norm(input: Tensor, ord: Number | None = None, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def linalg_norm(input: Tensor, ord: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def linalg_norm(input: Tensor, ord: builtins.str, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False) -> Tensor:
    """The pseudo-inverses of matrices; singular values up to the tolerance count as 0.

    Args:
        input: The tensor to work on.
        atol: The allowed difference.
        rtol: The allowed difference, relative to the second value.
        hermitian: Whether the matrix is symmetric, or Hermitian if it is complex: then a faster way is taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        rcond: Singular values below this part of the largest one count as 0.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_pinv(x)
        tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]])
    """
@overload
def linalg_pinv(input: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, *, atol: builtins.float | None = None, rtol: builtins.float | None = None, hermitian: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, rcond: builtins.float, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, rcond: builtins.float, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, rcond: Tensor, hermitian: builtins.bool = False) -> Tensor: ...
@overload
def linalg_pinv(input: Tensor, rcond: Tensor, hermitian: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def linalg_qr(A: Tensor, mode: builtins.str = "reduced") -> tuple[Tensor, Tensor]:
    """Q with orthogonal columns and R upper triangular whose product is `A`. `mode` is reduced, complete or r (R alone).

    Args:
        A: The matrix, or a batch of matrices.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear" or "area".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (Q, R).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_qr(x)
        torch.return_types.linalg_qr(
        Q=tensor([[-0.3162, -0.9487],
                [-0.9487,  0.3162]]),
        R=tensor([[-3.1623, -4.4272],
                [ 0.0000, -0.6325]]))
    """
@overload
def linalg_qr(A: Tensor, mode: builtins.str = "reduced", *, Q: Tensor, R: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of determinants and the logarithms of their absolute values.

    Args:
        A: The matrix, or a batch of matrices.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (sign, logabsdet).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_slogdet(x)
        torch.return_types.linalg_slogdet(
        sign=tensor(-1.),
        logabsdet=tensor(0.6931))
    """
@overload
def linalg_slogdet(A: Tensor, *, sign: Tensor, logabsdet: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_solve(A: Tensor, B: Tensor, *, left: builtins.bool = True) -> Tensor:
    """The solution X of A X = B, or of X A = B with left=False.

    Args:
        A: The matrix, or a batch of matrices.
        B: The right side: a matrix, or a batch of matrices.
        left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_solve(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[ 1.0000, -1.0000],
                [-0.5000,  1.0000]])
    """
@overload
def linalg_solve(A: Tensor, B: Tensor, *, left: builtins.bool = True, out: Tensor) -> Tensor: ...
@overload
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = True, check_errors: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The solution of systems of equations, and for each matrix 0, or the number of a pivot that is 0.

    Args:
        A: The matrix, or a batch of matrices.
        B: The right side: a matrix, or a batch of matrices.
        left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
        check_errors: Whether a matrix that has no such factorization raises an error. False: only `info` tells
            it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (result, info).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_solve_ex(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        torch.return_types.linalg_solve_ex(
        result=tensor([[ 1.0000, -1.0000],
                [-0.5000,  1.0000]]),
        info=tensor(0, dtype=torch.int32))
    """
@overload
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = True, check_errors: builtins.bool = False, result: Tensor, info: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def linalg_solve_triangular(input: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False) -> Tensor:
    """The solution of systems of equations whose matrix is triangular; the other triangle is not read.

    Args:
        input: The tensor to work on.
        B: The right side: a matrix, or a batch of matrices.
        upper: The largest slope that is drawn.
        left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
        unitriangular: Whether the diagonal counts as ones.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_solve_triangular(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]), upper=True)
        tensor([[-0.5000,  0.5000],
                [ 0.2500,  0.2500]])
    """
@overload
def linalg_solve_triangular(input: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def linalg_svd(A: Tensor, full_matrices: builtins.bool = True, *, driver: builtins.str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and Vh whose product is `A`: orthogonal columns, singular values in descending order, orthogonal rows.

    Args:
        A: The matrix, or a batch of matrices.
        full_matrices: Whether U and Vh are square. False: only as many columns and rows as there are singular
            values.
        driver: Which of LAPACK's or cuSOLVER's ways is taken. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (U, S, Vh).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_svd(x)
        torch.return_types.linalg_svd(
        U=tensor([[-0.4046, -0.9145],
                [-0.9145,  0.4046]]),
        S=tensor([5.4650, 0.3660]),
        Vh=tensor([[-0.5760, -0.8174],
                [ 0.8174, -0.5760]]))
    """
@overload
def linalg_svd(A: Tensor, full_matrices: builtins.bool = True, *, driver: builtins.str | None = None, U: Tensor, S: Tensor, Vh: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def linalg_svdvals(A: Tensor, *, driver: builtins.str | None = None) -> Tensor:
    """The singular values of matrices in descending order.

    Args:
        A: The matrix, or a batch of matrices.
        driver: Which of LAPACK's or cuSOLVER's ways is taken. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_svdvals(x)
        tensor([5.4650, 0.3660])
    """
@overload
def linalg_svdvals(A: Tensor, *, driver: builtins.str | None = None, out: Tensor) -> Tensor: ...
@overload
def linalg_tensorinv(input: Tensor, ind: builtins.int = 2) -> Tensor:
    """The inverse of a tensor whose first `ind` dims are rows and whose others are columns of a square matrix.

    Args:
        input: The tensor to work on.
        ind: How many of the first dims become the rows of the matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.linalg_tensorinv(x, 1)
        tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]])
    """
@overload
def linalg_tensorinv(input: Tensor, ind: builtins.int = 2, *, out: Tensor) -> Tensor: ...
@overload
def linalg_tensorsolve(input: Tensor, other: Tensor, dims: Sequence[builtins.int] | None = None) -> Tensor:
    """The X for which the sum of products of `input` with it over its last dims is `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        dims: The dims, one or several. Negative ones count from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def linalg_tensorsolve(input: Tensor, other: Tensor, dims: Sequence[builtins.int] | None = None, *, out: Tensor) -> Tensor: ...
@overload
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """The sums of products of vectors along `dim`. If they are complex, the first is conjugated.

    Args:
        x: The first vectors.
        y: The second vectors. They broadcast with the first.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0]))
        tensor([-1., -1.])
    """
@overload
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = -1, out: Tensor) -> Tensor: ...
@overload
def linalg_vector_norm(input: Tensor, ord: Number = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The vector norm of order `ord` over `dim`. The order is any number, or inf or -inf.

    Args:
        input: The tensor to work on.
        ord: The order of the norm: a number, inf or -inf.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.linalg_vector_norm(x)
        tensor(2.5495)
    """
@overload
def linalg_vector_norm(input: Tensor, ord: Number = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def linspace(start: Number, end: Number, steps: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """`steps` numbers from `start` to `end`, both included.

    Args:
        start: The first value.
        end: The last value.
        steps: How many values there are.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
@overload
def linspace(start: Number, end: Number, steps: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def log(input: Tensor) -> Tensor:
    """The natural logarithm.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log(x)
        tensor([[0.0000, 0.6931],
                [1.0986, 1.3863]])
    """
@overload
def log(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def log10(input: Tensor) -> Tensor:
    """The logarithm to base 10.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log10(x)
        tensor([[0.0000, 0.3010],
                [0.4771, 0.6021]])
    """
@overload
def log10(input: Tensor, *, out: Tensor) -> Tensor: ...
def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log10_(x)
        tensor([[0.0000, 0.3010],
                [0.4771, 0.6021]])
    """
@overload
def log1p(input: Tensor) -> Tensor:
    """log(1 + input), exact near 0.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log1p(x)
        tensor([[0.6931, 1.0986],
                [1.3863, 1.6094]])
    """
@overload
def log1p(input: Tensor, *, out: Tensor) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor:
    """log(1 + input), exact near 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log1p_(x)
        tensor([[0.6931, 1.0986],
                [1.3863, 1.6094]])
    """
@overload
def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log2(x)
        tensor([[0.0000, 1.0000],
                [1.5850, 2.0000]])
    """
@overload
def log2(input: Tensor, *, out: Tensor) -> Tensor: ...
def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log2_(x)
        tensor([[0.0000, 1.0000],
                [1.5850, 2.0000]])
    """
def log_(input: Tensor) -> Tensor:
    """The natural logarithm.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.log_(x)
        tensor([[0.0000, 0.6931],
                [1.0986, 1.3863]])
    """
@overload
def log_softmax(input: Tensor, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
    """The logarithm of softmax, computed as one.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.log_softmax(x, 0)
        tensor([-3.7258, -1.7258, -0.2258])
    """
@overload
def log_softmax(input: Tensor, dim: builtins.int, dtype: _dtype | None = None, *, out: Tensor) -> Tensor: ...
@overload
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(input) + exp(other)), without overflow.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.logaddexp(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3.0110, 2.2014, 2.3133])
    """
@overload
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2^input + 2^other), without overflow.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.logaddexp2(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3.0624, 2.4368, 2.5850])
    """
@overload
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def logcumsumexp(input: Tensor, dim: builtins.int) -> Tensor:
    """The logarithm of the sum of the exponentials along `dim` up to each element, without overflow: log(cumsum(exp(x))).

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([0.0, 1.0, 2.0])
        >>> torch.logcumsumexp(x, 0)
        tensor([0.0000, 1.3133, 2.4076])
    """
@overload
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor) -> Tensor: ...
def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants: NaN of a negative one.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.logdet(x)
        tensor(nan)
    """
@overload
def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether both elements are nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.logical_and(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[False,  True],
                [ True,  True]])
    """
@overload
def logical_and(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """Whether both elements are nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.logical_and_(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[0., 1.],
                [1., 1.]])
    """
@overload
def logical_not(input: Tensor) -> Tensor:
    """Whether the element is zero.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.logical_not(x)
        tensor([False, False,  True])
    """
@overload
def logical_not(input: Tensor, *, out: Tensor) -> Tensor: ...
def logical_not_(input: Tensor) -> Tensor:
    """Whether the element is zero.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.logical_not_(x)
        tensor([False, False,  True])
    """
@overload
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether one of the elements is nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.logical_or(x, torch.tensor([True, False, False]))
        tensor([ True,  True, False])
    """
@overload
def logical_or(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """Whether one of the elements is nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.logical_or_(x, torch.tensor([True, False, False]))
        tensor([ True,  True, False])
    """
@overload
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one of the elements is nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.logical_xor(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[ True, False],
                [False, False]])
    """
@overload
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one of the elements is nonzero.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.logical_xor_(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[1., 0.],
                [0., 0.]])
    """
@overload
def logit(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """log(x / (1 - x)). With `eps`, x is first limited to the range from eps to 1 - eps.

    Args:
        input: The tensor to work on.
        eps: A small number that keeps a value from the ends of its range. None: nothing is kept.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.logit(x)
        tensor([-1.0986,  0.0000,  1.0986])
    """
@overload
def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor) -> Tensor: ...
def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """log(x / (1 - x)). With `eps`, x is first limited to the range from eps to 1 - eps.

    Args:
        input: The tensor to work on.
        eps: A small number that keeps a value from the ends of its range. None: nothing is kept.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([0.25, 0.5, 0.75])
        >>> torch.logit_(x)
        tensor([-1.0986,  0.0000,  1.0986])
    """
@overload
def logspace(start: Number, end: Number, steps: builtins.int, base: builtins.float = 10., *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """`steps` powers of `base`, whose exponents lie evenly from `start` to `end`.

    Args:
        start: The first exponent.
        end: The last exponent, which is in the result.
        steps: How many values there are.
        base: The number whose powers the elements are.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.logspace(0, 3, 4)
        tensor([   1.,   10.,  100., 1000.])
    """
@overload
def logspace(start: Number, end: Number, steps: builtins.int, base: builtins.float = 10., *, out: Tensor) -> Tensor: ...
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
    """log(sum(exp(input))) over `dim`, without overflow.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.logsumexp(x, [0])
        tensor(2.2258)
    """
@overload
def lstm(input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of long short-term memory over sequences: the last layer's outputs, and the last states of all.

    Args:
        input: The tensor to work on.
        hx: The hidden state and the cell state.
        params: The weights and biases, layer by layer.
        has_biases: Whether params has biases.
        num_layers: How many layers there are, one above the other.
        dropout: The probability with which an element between layers is dropped.
        train: Whether the layer is in training. Elements are dropped only then.
        bidirectional: Whether the sequence is also read from its end.
        batch_first: Whether the batch is the first dim. It is the second otherwise.
        data: The elements of a packed sequence.
        batch_sizes: How many sequences each step of a packed sequence has.

    Example:

        >>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
        >>> params = [torch.ones(4, 1), torch.ones(4, 1)]
        >>> torch.lstm(x, (h, h), params, False, 1, 0.0, False, False, True)[0].flatten()
        tensor([0.3696, 0.6505])
    """
@overload
def lstm(data: Tensor, batch_sizes: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor, Tensor]: ...
def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the next hidden and cell state.

    Args:
        input: The tensor to work on.
        hx: The hidden state and the cell state.
        w_ih: The weight for the input, of shape (4 * hidden, features): of the input, forget, cell and output
            gate.
        w_hh: The weight for the hidden state, of shape (4 * hidden, hidden).
        b_ih: The bias for the input. None: 0.
        b_hh: The bias for the hidden state. None: 0.

    Example:

        >>> x, h, c = torch.ones(1, 2), torch.zeros(1, 1), torch.zeros(1, 1)
        >>> torch.lstm_cell(x, [h, c], torch.ones(4, 2), torch.ones(4, 1))
        (tensor([[0.6083]]), tensor([[0.8491]]))
    """
@overload
def lt(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is less than `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.lt(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ True,  True, False])
    """
@overload
def lt(input: Tensor, other: Number) -> Tensor: ...
@overload
def lt(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def lt(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def lt_(input: Tensor, other: Tensor) -> Tensor:
    """Whether `input` is less than `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.lt_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1., 1., 0.])
    """
@overload
def lt_(input: Tensor, other: Number) -> Tensor: ...
@overload
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """linalg.lu_solve, in its old spelling.

    Args:
        input: The right side: a matrix, or a batch of matrices.
        LU_data: The factors that torch.linalg.lu_factor gives.
        LU_pivots: The pivots that torch.linalg.lu_factor gives.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
        >>> x = torch.tensor([[2.0], [9.0]])
        >>> torch.lu_solve(x, LU, pivots)
        tensor([[1.],
                [2.]])
    """
@overload
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """The matrices P, L and U of what linalg.lu_factor gives.

    Args:
        LU_data: The factors that torch.linalg.lu_factor gives.
        LU_pivots: The pivots that torch.linalg.lu_factor gives.
        unpack_data: Whether L and U are made. False: they are empty.
        unpack_pivots: Whether P is made. False: it is empty.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (P, L, U).

    Example:

        >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
        >>> torch.lu_unpack(LU, pivots).L
        tensor([[1.0000, 0.0000],
                [0.5000, 1.0000]])
    """
@overload
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True, *, P: Tensor, L: Tensor, U: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0., reduction: builtins.int = 1) -> Tensor:
    """max(0, -target * (input1 - input2) + margin). With `target` 1, `input1` should be larger; with -1, `input2`.

    Args:
        input1: The first tensor.
        input2: The second tensor.
        target: What the input is compared with.
        margin: How far apart the two sides should be.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.margin_ranking_loss(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([13.5000,  3.0000,  0.0000])
    """
@overload
def masked_fill(input: Tensor, mask: Tensor, value: Number) -> Tensor:
    """masked_fill(input, mask, value): A copy of `input` with `value` where `mask` is true.
    masked_fill(input, mask, value): A copy of `input` with the one element of `value` where `mask` is true.

    Args:
        input: The tensor to work on.
        mask: Where it is True, the element is chosen. It broadcasts with the tensor.
        value: The number that is used as the new value or factor.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.masked_fill(x, x > 0.5, 2)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def masked_fill(input: Tensor, mask: Tensor, value: Tensor) -> Tensor: ...
@overload
def masked_fill_(input: Tensor, mask: Tensor, value: Number) -> Tensor:
    """masked_fill_(input, mask, value): A copy of `input` with `value` where `mask` is true.
    masked_fill_(input, mask, value): A copy of `input` with the one element of `value` where `mask` is true.

    Args:
        input: The tensor to work on.
        mask: Where it is True, the element is chosen. It broadcasts with the tensor.
        value: The number that is used as the new value or factor.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.masked_fill_(x, x > 0.5, 2)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def masked_fill_(input: Tensor, mask: Tensor, value: Tensor) -> Tensor: ...
@overload
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input`, with the elements at which `mask` is true replaced by the elements of `source`, in order.

    Args:
        input: The tensor to work on.
        mask: Where it is True, the element is chosen. It broadcasts with the tensor.
        source: The tensor whose elements are taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.masked_scatter(x, x > 0.5, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  3.0000])
    """
@overload
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor) -> Tensor: ...
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input`, with the elements at which `mask` is true replaced by the elements of `source`, in order.

    Args:
        input: The tensor to work on.
        mask: Where it is True, the element is chosen. It broadcasts with the tensor.
        source: The tensor whose elements are taken.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.masked_scatter_(x, x > 0.5, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  3.0000])
    """
@overload
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` is true, in one dim.

    Args:
        input: The tensor to work on.
        mask: Where it is True, the element is chosen. It broadcasts with the tensor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.masked_select(x, x > 0.5)
        tensor([2.])
    """
@overload
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product. Leading dims broadcast. A vector on the left counts as a row, one on the right as a column.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.matmul(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(-1.5000)
    """
@overload
def matmul(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor:
    """The exponentials of square matrices.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.matrix_exp(x)
        tensor([[ 51.9690,  74.7366],
                [112.1050, 164.0740]])
    """
@overload
def matrix_power(input: Tensor, n: builtins.int) -> Tensor:
    """The `n`-th power of a square matrix. A negative `n` means a power of the inverse.

    Args:
        input: The tensor to work on.
        n: How many.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.matrix_power(x, 1)
        tensor([[1., 2.],
                [3., 4.]])
    """
@overload
def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, other: Tensor) -> Tensor:
    """max(input, other): The larger of two elements; a NaN wins.
    max(input): The largest element; a NaN wins.
    max(input, dim, keepdim): The largest elements along `dim`, and their first indices; a NaN wins.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.max(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, max: Tensor, max_values: Tensor) -> tuple[Tensor, Tensor]: ...
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), dilation: builtins.int | Sequence[builtins.int] = (1,), ceil_mode: builtins.bool = False) -> Tensor:
    """The largest element of each window along a line.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.max_pool1d(x, [2])
        tensor([[2.],
                [4.]])
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = (0,), dilation: builtins.int | Sequence[builtins.int] = (1,), ceil_mode: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The largest element of each window along a line, and its place.

    Args:
        input: The tensor to work on.
        kernel_size: The size of the window, one number or one for each dim.
        stride: The step between windows, one number or one for each dim. Of pools, None or empty: the window's
            own size.
        padding: How many places are added at each end of each dim, one number or one for each dim.
        dilation: The step between the elements of a window, one number or one for each dim.
        ceil_mode: Whether a window that is not full counts at the end.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.max_pool1d_with_indices(x, [2])
        (tensor([[2.],
                [4.]]), tensor([[1],
                [1]]))
    """
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> Tensor:
    """The largest element of each window.

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
        >>> torch.max_pool2d(x, [2])
        tensor([[[5., 7.]]])
    """
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] = (), padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False) -> Tensor:
    """The largest element of each window of a volume.

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
        >>> torch.max_pool3d(x, [2])
        tensor([[[[[7.]]]]])
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
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two elements; a NaN wins.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.maximum(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def maximum(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mean(input: Tensor, *, dtype: _dtype | None = None) -> Tensor:
    """mean(input, dtype): The mean of all elements.
    mean(input, dim, keepdim, dtype): The mean over `dim`.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.mean(x)
        tensor(0.3333)
    """
@overload
def mean(input: Tensor, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor:
    """median(input): The median; of two middle elements the lower one. A NaN wins.
    median(input, dim, keepdim): The median along `dim`, and its index; of two middle elements the lower one.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.median(x)
        tensor(0.5000)
    """
@overload
def median(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def meshgrid(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """meshgrid(tensors): For each vector, a tensor of one dim a vector that goes through its elements along its dim.
    meshgrid(tensors, indexing): meshgrid with the first two dims exchanged where indexing is "xy".

    Args:
        tensors: The tensors, as a list or tuple.
        indexing
    """
@overload
def meshgrid(tensors: Sequence[Tensor], *, indexing: builtins.str) -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor, other: Tensor) -> Tensor:
    """min(input, other): The smaller of two elements; a NaN wins.
    min(input): The smallest element; a NaN wins.
    min(input, dim, keepdim): The smallest elements along `dim`, and their first indices; a NaN wins.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.min(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  1.0000])
    """
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, min: Tensor, min_indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two elements; a NaN wins.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.minimum(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.5000,  0.5000,  1.0000])
    """
@overload
def minimum(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Args:
        input: The tensor to work on.
        mat2: The second matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.mm(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        tensor([[2., 3.],
                [4., 7.]])
    """
@overload
def mm(input: Tensor, mat2: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The most frequent element along `dim`, and an index of it. If several are as frequent, the smallest of them.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.mode(x)
        torch.return_types.mode(
        values=tensor(-1.5000),
        indices=tensor(0))
    """
@overload
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor:
    """moveaxis(input, source, destination): A view with dims moved to other places; the rest keeps its order.
    moveaxis(input, source, destination): A view with one dim moved to another place; the rest keeps its order.

    Another name of movedim.

    Args:
        input: The tensor to work on.
        source: The dims that move.
        destination: Where the dims move to.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.moveaxis(x, [0], [0])
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def moveaxis(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
@overload
def moveaxis(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor: ...
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], destination: Sequence[builtins.int]) -> Tensor:
    """movedim(input, source, destination): A view with dims moved to other places; the rest keeps its order.
    movedim(input, source, destination): A view with one dim moved to another place; the rest keeps its order.

    Args:
        input: The tensor to work on.
        source: The dims that move.
        destination: Where the dims move to.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.movedim(x, [0], [0])
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def movedim(input: Tensor, source: Sequence[builtins.int], *destination: builtins.int) -> Tensor: ...
@overload
def movedim(input: Tensor, source: builtins.int, destination: builtins.int) -> Tensor: ...
@overload
def msort(input: Tensor) -> Tensor:
    """The elements in order along dim 0.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.msort(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def msort(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mul(input: Tensor, other: Tensor) -> Tensor:
    """`input` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.mul(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000,  1.0000,  2.0000])
    """
@overload
def mul(input: Tensor, other: Number) -> Tensor: ...
@overload
def mul(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mul(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def mul_(input: Tensor, other: Tensor) -> Tensor:
    """`input` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.mul_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000,  1.0000,  2.0000])
    """
@overload
def mul_(input: Tensor, other: Number) -> Tensor: ...
@overload
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
    """Indices drawn with the probabilities of each row.

    Args:
        input: The tensor to work on.
        num_samples: How many indices are drawn from each row.
        replacement: Whether an index may be drawn more than once.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: its result is an index.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.multinomial(x, 1)
        tensor([[1],
                [0]])
    """
@overload
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def multiply(input: Tensor, other: Tensor) -> Tensor:
    """`input` times `other`.

    Another name of mul.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.multiply(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000,  1.0000,  2.0000])
    """
@overload
def multiply(input: Tensor, other: Number) -> Tensor: ...
@overload
def multiply(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def multiply(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def multiply_(input: Tensor, other: Tensor) -> Tensor:
    """`input` times `other`.

    Another name of mul_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.multiply_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000,  1.0000,  2.0000])
    """
@overload
def multiply_(input: Tensor, other: Number) -> Tensor: ...
@overload
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector.

    Args:
        input: The tensor to work on.
        vec: The vector.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.mv(x, torch.tensor([1.0, -1.0]))
        tensor([-1., -1.])
    """
@overload
def mv(input: Tensor, vec: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def mvlgamma(input: Tensor, p: builtins.int) -> Tensor:
    """The logarithm of the gamma function of `p` dims, for elements above (p - 1) / 2: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, and log(pi) p (p - 1) / 4.

    Args:
        input: The tensor to work on.
        p: How many dims the gamma function has, from 1 on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([2.0, 3.0])
        >>> torch.mvlgamma(x, 2)
        tensor([0.4516, 1.5502])
    """
@overload
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor) -> Tensor: ...
def mvlgamma_(input: Tensor, p: builtins.int) -> Tensor:
    """The logarithm of the gamma function of `p` dims, for elements above (p - 1) / 2: the sum of lgamma(x - k / 2) over k = 0 .. p - 1, and log(pi) p (p - 1) / 4.

    Args:
        input: The tensor to work on.
        p: How many dims the gamma function has, from 1 on.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([2.0, 3.0])
        >>> torch.mvlgamma_(x, 2)
        tensor([0.4516, 1.5502])
    """
@overload
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
    """The elements, with NaN replaced by `nan` (default 0), and the infinities by `posinf` and `neginf` (default the largest finite numbers).

    Args:
        input: The tensor to work on.
        nan: What replaces NaN. None: 0.
        posinf: What replaces infinity. None: the largest number of the dtype.
        neginf: What replaces minus infinity. None: the smallest number of the dtype.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nan_to_num(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor) -> Tensor: ...
def nan_to_num_(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
    """The elements, with NaN replaced by `nan` (default 0), and the infinities by `posinf` and `neginf` (default the largest finite numbers).

    Args:
        input: The tensor to work on.
        nan: What replaces NaN. None: 0.
        posinf: What replaces infinity. None: the largest number of the dtype.
        neginf: What replaces minus infinity. None: the smallest number of the dtype.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nan_to_num_(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def nanmean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The mean of the elements that are not NaN.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nanmean(x)
        tensor(0.3333)
    """
@overload
def nanmean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor) -> Tensor:
    """nanmedian(input): The median of the elements that are not NaN.
    nanmedian(input, dim, keepdim): The median along `dim` of the elements that are not NaN, and its index.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nanmedian(x)
        tensor(0.5000)
    """
@overload
def nanmedian(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def nanquantile(input: Tensor, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor:
    """nanquantile(input, q, dim, keepdim, interpolation): quantile of the elements that are not NaN. The result is NaN where all are.
    nanquantile(input, q, dim, keepdim, interpolation): quantile of the elements that are numbers.

    Args:
        input: The tensor to work on.
        q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        keepdim: Whether the dims that were worked along stay, with size 1.
        interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([1.0, float("nan"), 3.0])
        >>> torch.nanquantile(x, 0.5)
        tensor(2.)
    """
@overload
def nanquantile(input: Tensor, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
@overload
def nanquantile(input: Tensor, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor: ...
@overload
def nanquantile(input: Tensor, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
@overload
def nansum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
    """The sum of the elements that are not NaN.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nansum(x)
        tensor(1.)
    """
@overload
def nansum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
def narrow(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
    """A view of `length` places from `start` on along a dim.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        start: The first index.
        length: How many elements along the dim.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.narrow(x, 0, 1, 1)
        tensor([0.5000])
    """
@overload
def narrow_copy(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
    """A copy of `length` places from `start` on along a dim.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        start: The first index.
        length: How many elements along the dim.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.narrow_copy(x, 0, 1, 1)
        tensor([0.5000])
    """
@overload
def narrow_copy(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int, *, out: Tensor) -> Tensor: ...
def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The first channel of each group, then the second ones, and so on.

    Another name of channel_shuffle.

    Args:
        input: The tensor to work on.
        groups: Into how many groups the channels are divided. Each group sees its own inputs alone.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.native_channel_shuffle(x, 1)
        tensor([[[0., 1., 2., 3.],
                 [4., 5., 6., 7.]]])
    """
def native_layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None, bias: Tensor | None, eps: builtins.float) -> tuple[Tensor, Tensor, Tensor]:
    """Layer normalization over the last dims, with the mean and reciprocal deviation of each row.

    Args:
        input: The tensor to work on.
        normalized_shape: The sizes of the last dims, over which each row is normalized.
        weight: The factor of each element of a row. None: 1.
        bias: What is added to each element of a row. None: 0.
        eps: A small number that keeps a divisor from being 0.

    Example:

        >>> torch.native_layer_norm(torch.tensor([[1.0, 3.0]]), (2,), None, None, 1e-5)
        (tensor([[-1.0000,  1.0000]]), tensor([[2.]]), tensor([[1.0000]]))
    """
@overload
def ne(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements differ.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.ne(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([False, False,  True])
    """
@overload
def ne(input: Tensor, other: Number) -> Tensor: ...
@overload
def ne(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def ne(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def ne_(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements differ.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.ne_(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([0., 0., 1.])
    """
@overload
def ne_(input: Tensor, other: Number) -> Tensor: ...
@overload
def neg(input: Tensor) -> Tensor:
    """The negative of each element.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.neg(x)
        tensor([ 1.5000, -0.5000, -2.0000])
    """
@overload
def neg(input: Tensor, *, out: Tensor) -> Tensor: ...
def neg_(input: Tensor) -> Tensor:
    """The negative of each element.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.neg_(x)
        tensor([ 1.5000, -0.5000, -2.0000])
    """
@overload
def negative(input: Tensor) -> Tensor:
    """The negative of each element.

    Another name of neg.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.negative(x)
        tensor([ 1.5000, -0.5000, -2.0000])
    """
@overload
def negative(input: Tensor, *, out: Tensor) -> Tensor: ...
def negative_(input: Tensor) -> Tensor:
    """The negative of each element.

    Another name of neg_.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.negative_(x)
        tensor([ 1.5000, -0.5000, -2.0000])
    """
@overload
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The number of the dtype that comes next after each element, towards `other`.

    Args:
        input: The tensor to work on.
        other: Which way the step goes. It broadcasts with the first tensor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> torch.nextafter(torch.tensor(1.0), torch.tensor(2.0)).item()
        1.0000001192092896
    """
@overload
def nextafter(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """The number of the dtype that comes next after each element, towards `other`.

    Args:
        input: The tensor to work on.
        other: Which way the step goes. It broadcasts with the first tensor.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> torch.nextafter_(torch.tensor(1.0), torch.tensor(2.0)).item()
        1.0000001192092896
    """
@overload
def nonzero(input: Tensor) -> Tensor:
    """The places of elements that are not zero, one a row.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: its result is an index.
    """
@overload
def nonzero(input: Tensor, *, out: Tensor) -> Tensor: ...
def nonzero_numpy(input: Tensor) -> tuple[Tensor, ...]:
    """The places of elements that are not zero, a tensor for each dim.

    Args:
        input: The tensor to work on.

    No gradient: its results are indices.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.nonzero_numpy(x)
        (tensor([0, 1, 2]),)
    """
@overload
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
    """The places of the first `size` elements that are not zero, one a row. The size of the result does not depend on the elements, so a graph knows it.

    Args:
        input: The tensor to work on.
        size: How many rows the result has.
        fill_value: What the last rows hold, if fewer elements are not zero.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([0, 3, 4])
        >>> torch.nonzero_static(x, size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
    """
@overload
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number = 2) -> Tensor:
    """The norm of order `p`: linalg.vector_norm.

    Args:
        input: The tensor to work on.
        p: The order of the norm.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dims to work along, one or several. Negative ones count from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.
        dtype: The dtype of the result.
    """
@overload
def norm(input: Tensor, p: Number = 2, *, out: Tensor) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool, *, dtype: _dtype) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool, *, dtype: _dtype, out: Tensor) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, *, dtype: _dtype) -> Tensor: ...
@overload
def norm(input: Tensor, p: Number | None, *, dtype: _dtype, out: Tensor) -> Tensor: ...
def norm_except_dim(v: Tensor, pow: builtins.int = 2, dim: builtins.int = 0) -> Tensor:
    """The norms over all dims but one, which keeps its place; over all of them where `dim` is -1.

    Args:
        v: The weight.
        pow: The order of the norm.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.norm_except_dim(x)
        tensor([1.5000, 0.5000, 2.0000])
    """
@overload
def normal(mean: Tensor, std: builtins.float = 1., *, generator: Generator | None = None) -> Tensor:
    """normal(mean, std, generator): Normal numbers, each of its own mean and deviation.
    normal(mean, std, size, generator, dtype, layout, device, pin_memory): Normal numbers of this mean and deviation.

    Args:
        mean: The mean of each number.
        std: The standard deviation.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.normal(x)
        tensor([ 0.0410,  0.2066, -0.1788])
    """
@overload
def normal(mean: Tensor, std: builtins.float = 1., *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: Tensor, *, generator: Generator | None = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: Tensor, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: Generator | None = None) -> Tensor: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, size: Sequence[builtins.int], *, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, *size: builtins.int, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, size: Sequence[builtins.int], *, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def normal(mean: builtins.float, std: builtins.float, *size: builtins.int, generator: Generator | None = None, out: Tensor) -> Tensor: ...
@overload
def not_equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements differ.

    Another name of ne.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.not_equal(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([False, False,  True])
    """
@overload
def not_equal(input: Tensor, other: Number) -> Tensor: ...
@overload
def not_equal(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def not_equal(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def not_equal_(input: Tensor, other: Tensor) -> Tensor:
    """Whether the elements differ.

    Another name of ne_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([1.0, 2.0, 4.0])
        >>> torch.not_equal_(x, torch.tensor([1.0, 2.0, 3.0]))
        tensor([0., 0., 1.])
    """
@overload
def not_equal_(input: Tensor, other: Number) -> Tensor: ...
@overload
def nuclear_norm(input: Tensor, keepdim: builtins.bool = False) -> Tensor:
    """nuclear_norm(input, keepdim): The sum of the singular values of a matrix.
    nuclear_norm(input, dim, keepdim): The sums of the singular values of matrices in two dims.

    Args:
        input: The tensor to work on.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dims to work along, one or several. Negative ones count from the last.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nuclear_norm(x)
        tensor(5.8310)
    """
@overload
def nuclear_norm(input: Tensor, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def nuclear_norm(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor: ...
@overload
def nuclear_norm(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
def numel(input: Tensor) -> int:
    """The number of elements of a tensor.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.numel(x)
        3
    """
@overload
def ones(size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """Ones.

    Args:
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.ones([2, 3])
        tensor([[1., 1., 1.],
                [1., 1., 1.]])
    """
@overload
def ones(*size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def ones(size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def ones(*size: builtins.int, out: Tensor) -> Tensor: ...
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """Ones like `input`.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ones_like(x)
        tensor([1., 1., 1.])
    """
@overload
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of the product of the reflections that geqrf gives.

    Args:
        input: The tensor to work on.
        input2: The second tensor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
    """The product of the reflections that geqrf gives with `input3`, from the left or the right.

    Args:
        input: The tensor to work on.
        input2: The second tensor.
        input3: The matrix that is multiplied.
        left: Whether the matrix stands on the left of the unknown: A X = B. False: X A = B.
        transpose: Whether the transposed matrix takes the place of the matrix.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors: all products of an element of `input` and an element of `vec2`.

    Args:
        input: The tensor to work on.
        vec2: The second vector.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.outer(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([[-4.5000, -3.0000, -1.5000],
                [ 1.5000,  1.0000,  0.5000],
                [ 6.0000,  4.0000,  2.0000]])
    """
@overload
def outer(input: Tensor, vec2: Tensor, *, out: Tensor) -> Tensor: ...
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2., eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """The length of `x1` - `x2` + `eps` along the last dim, by the p-norm.

    Args:
        x1: The first tensor.
        x2: The second tensor.
        p: The order of the norm.
        eps: What is added to each difference, so that no distance is 0.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.pairwise_distance(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(4.8477)
    """
def pdist(input: Tensor, p: builtins.float = 2.) -> Tensor:
    """The distances of each two rows of a matrix: (0, 1), (0, 2), ..., (1, 2), and so on.

    Args:
        input: The tensor to work on.
        p: The order of the norm of the difference: 0 or more, or inf.

    Example:

        >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
        tensor([5.0000, 1.0000, 4.2426])
    """
@overload
def permute(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """A view with the dims in another order.

    Args:
        input: The tensor to work on.
        dims: The dims, one or several. Negative ones count from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.permute(x, [0])
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def permute(input: Tensor, *dims: builtins.int) -> Tensor: ...
@overload
def permute_copy(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dims: The dims, one or several. Negative ones count from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.permute_copy(x, [0])
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def permute_copy(input: Tensor, *dims: builtins.int) -> Tensor: ...
@overload
def permute_copy(input: Tensor, dims: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def permute_copy(input: Tensor, *dims: builtins.int, out: Tensor) -> Tensor: ...
def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """linalg.pinv, in its old spelling.

    Args:
        input: The tensor to work on.
        rcond: Singular values below this part of the largest one count as 0.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.pinverse(x)
        tensor([[-2.0000,  1.0000],
                [ 1.5000, -0.5000]])
    """
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Squares of `upscale_factor` by as many pixels, made of as many channels.

    Args:
        input: The tensor to work on.
        upscale_factor: How many times larger each side becomes.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.pixel_shuffle(x, 1)
        tensor([[[0., 1., 2., 3.],
                 [4., 5., 6., 7.]]])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """Channels, made of squares of `downscale_factor` by as many pixels: pixel_shuffle backwards.

    Args:
        input: The tensor to work on.
        downscale_factor: How many times smaller each side becomes.

    Example:

        >>> x = torch.arange(8.0).reshape(1, 2, 4)
        >>> torch.pixel_unshuffle(x, 1)
        tensor([[[0., 1., 2., 3.],
                 [4., 5., 6., 7.]]])
    """
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Counts of events, each element of the rate that it states.

    Args:
        input: The tensor to work on.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.poisson(x)
        tensor([[2., 3.],
                [3., 4.]])
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool, full: builtins.bool, eps: builtins.float, reduction: builtins.int) -> Tensor:
    """The negative logarithm of the probability that a Poisson distribution of this rate (or its logarithm) gives `target`.

    Args:
        input: The tensor to work on.
        target: What the input is compared with.
        log_input: Whether the input holds logarithms.
        full: Whether the part that depends on the target alone is added.
        eps: A small number that keeps a divisor from being 0.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.poisson_nll_loss(x, torch.tensor([3.0, 2.0, 1.0]), True, True, 0.5, 1)
        tensor(4.3923)
    """
@overload
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers with these absolute values and angles.

    Args:
        abs: The sizes.
        angle: The angles, in radians.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.polar(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ 1.4850-0.2117j, -0.2081+0.4546j,  1.0806+1.6829j])
    """
@overload
def polar(abs: Tensor, angle: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def polygamma(n: builtins.int, input: Tensor) -> Tensor:
    """The `n`-th derivative of digamma.

    Args:
        n: Which derivative, from 0 on. 0 is digamma itself.
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
        tensor([1.6449, 4.9348])
    """
@overload
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor) -> Tensor: ...
def positive(input: Tensor) -> Tensor:
    """The tensor itself.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.positive(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def pow(input: Tensor, exponent: Tensor) -> Tensor:
    """`input` raised to `exponent`.

    Args:
        input: The tensor to work on.
        exponent: The power. A tensor broadcasts with the base.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.pow(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-3.3750,  0.2500,  2.0000])
    """
@overload
def pow(input: Tensor, exponent: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def pow(input: Tensor, exponent: Number) -> Tensor: ...
@overload
def pow(input: Tensor, exponent: Number, *, out: Tensor) -> Tensor: ...
@overload
def pow(input: Number, exponent: Tensor) -> Tensor: ...
@overload
def pow(input: Number, exponent: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def pow_(input: Tensor, exponent: Tensor) -> Tensor:
    """`input` raised to `exponent`.

    Args:
        input: The tensor to work on.
        exponent: The power. A tensor broadcasts with the base.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.pow_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-3.3750,  0.2500,  2.0000])
    """
@overload
def pow_(input: Tensor, exponent: Number) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`input` where it is positive, else `weight` times it: one weight, or one for each channel (dim 1).

    Args:
        input: The tensor to work on.
        weight: The factor of negative elements, one number or one for each channel.

    Example:

        >>> torch.prelu(torch.tensor([-2.0, 3.0]), torch.tensor([0.25]))
        tensor([-0.5000,  3.0000])
    """
@overload
def prod(input: Tensor, *, dtype: _dtype | None = None) -> Tensor:
    """prod(input, dtype): The product of all elements.
    prod(input, dim, keepdim, dtype): The product along `dim`.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.
        keepdim: Whether the dims that were worked along stay, with size 1.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.prod(x)
        tensor(-1.5000)
    """
@overload
def prod(input: Tensor, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def prod(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def prod(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
def promote_types(type1: _dtype, type2: _dtype) -> _dtype:
    """The smallest dtype that holds the numbers of both.

    Args:
        type1: The first dtype.
        type2: The second dtype.

    Example:

        >>> torch.promote_types(torch.int64, torch.float32)
        torch.float32
    """
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy of `input` with the elements of `source` at the places `index`, which count all elements as one row.

    Args:
        input: The tensor to work on.
        index: The indices, integers.
        source: As many elements as there are places.
        accumulate: Whether values are added to what is there instead of replacing it.

    Example:

        >>> x = torch.zeros(2, 2)
        >>> torch.put(x, torch.tensor([0, 3]), torch.tensor([5.0, 6.0]))
        tensor([[5., 0.],
                [0., 6.]])
    """
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy of `input` with the elements of `source` at the places `index`, which count all elements as one row.

    Args:
        input: The tensor to work on.
        index: The indices, integers.
        source: As many elements as there are places.
        accumulate: Whether values are added to what is there instead of replacing it.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.zeros(2, 2)
        >>> torch.put_(x, torch.tensor([0, 3]), torch.tensor([5.0, 6.0]))
        tensor([[5., 0.],
                [0., 6.]])
    """
def q_per_channel_axis(input: Tensor) -> int:
    """The dim along which a tensor is quantized.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
        >>> torch.q_per_channel_axis(x)
        0
    """
def q_per_channel_scales(input: Tensor) -> Tensor:
    """The scales of a tensor that is quantized along a dim.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
        >>> torch.q_per_channel_scales(x)
        tensor([0.5000, 0.2500], dtype=torch.float64)
    """
def q_per_channel_zero_points(input: Tensor) -> Tensor:
    """The zero points of a tensor that is quantized along a dim.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
        >>> torch.q_per_channel_zero_points(x)
        tensor([10,  0])
    """
def q_scale(input: Tensor) -> float:
    """The scale of a quantized tensor.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
        >>> torch.q_scale(x)
        0.1
    """
def q_zero_point(input: Tensor) -> int:
    """The integer that stands for 0 in a quantized tensor.

    Args:
        input: The tensor to work on.

    Example:

        >>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
        >>> torch.q_zero_point(x)
        10
    """
@overload
def qr(input: Tensor, some: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """linalg.qr, in its old spelling.

    Args:
        input: The tensor to work on.
        some: Whether the factors have only as many columns as needed.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (Q, R).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.qr(x)
        torch.return_types.qr(
        Q=tensor([[-0.3162, -0.9487],
                [-0.9487,  0.3162]]),
        R=tensor([[-3.1623, -4.4272],
                [ 0.0000, -0.6325]]))
    """
@overload
def qr(input: Tensor, some: builtins.bool = True, *, Q: Tensor, R: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def quantile(input: Tensor, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor:
    """quantile(input, q, dim, keepdim, interpolation): The values below which shares `q` of the elements lie, along `dim`. The result is NaN where an element is NaN. A tensor `q` gives a first dim, of its size.
    quantile(input, q, dim, keepdim, interpolation): The element below which a share `q` of them lies.

    Args:
        input: The tensor to work on.
        q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        keepdim: Whether the dims that were worked along stay, with size 1.
        interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 10.0]])
        >>> torch.quantile(x, 0.5)
        tensor(2.5000)
        >>> torch.quantile(x, torch.tensor([0.25, 0.75]), dim=1)
        tensor([[0.5000, 3.5000],
                [1.5000, 7.0000]])
    """
@overload
def quantile(input: Tensor, q: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
@overload
def quantile(input: Tensor, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear") -> Tensor: ...
@overload
def quantile(input: Tensor, q: builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = "linear", out: Tensor) -> Tensor: ...
def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: builtins.int, dtype: _dtype) -> Tensor:
    """A tensor of integers that stand for the numbers of `input`, with a scale and a zero point for each index along a dim.

    Args:
        input: The tensor to work on.
        scales: A scale for each index along the dim.
        zero_points: A zero point for each index along the dim.
        axis: The dim.
        dtype: torch.quint8, torch.qint8 or torch.qint32.

    Example:

        >>> torch.quantize_per_channel(torch.tensor([[-1.0, 0.0], [1.0, 2.0]]), torch.tensor([0.1, 0.01]), torch.tensor([10, 0]), 0, torch.quint8)
        tensor([[-1.,  0.],
                [ 1.,  2.]], size=(2, 2), dtype=torch.quint8,
               quantization_scheme=torch.per_channel_affine,
               scale=tensor([0.1000, 0.0100], dtype=torch.float64),
               zero_point=tensor([10,  0]), axis=0)
    """
@overload
def quantize_per_tensor(input: Tensor, scale: builtins.float, zero_point: builtins.int, dtype: _dtype) -> Tensor:
    """quantize_per_tensor(input, scale, zero_point, dtype): A tensor of integers that stand for the numbers of `input`: each is `round(x / scale) + zero_point`, or the nearest integer that the dtype has.
    `dequantize` gives the numbers back, rounded.
    quantize_per_tensor(input, scale, zero_point, dtype): The same, with a scale and a zero point in tensors of one element.
    quantize_per_tensor(tensors, scales, zero_points, dtype): The same for each tensor of a list, with a scale and a zero point of its own.

    Args:
        input: The tensor to work on.
        scale: The distance between two numbers that integers stand for.
        zero_point: The integer that stands for 0.
        dtype: torch.quint8, torch.qint8 or torch.qint32.
        tensors: The tensors, as a list or tuple.
        scales: A scale for each tensor.
        zero_points: A zero point for each tensor.

    Example:

        >>> torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
        tensor([-1.,  0.,  1.], size=(3,), dtype=torch.quint8,
               quantization_scheme=torch.per_tensor_affine, scale=0.1, zero_point=10)
    """
@overload
def quantize_per_tensor(input: Tensor, scale: Tensor, zero_point: Tensor, dtype: _dtype) -> Tensor: ...
@overload
def quantize_per_tensor(tensors: Sequence[Tensor], scales: Tensor, zero_points: Tensor, dtype: _dtype) -> tuple[Tensor, ...]: ...
def quantize_per_tensor_dynamic(input: Tensor, dtype: _dtype, reduce_range: builtins.bool) -> Tensor:
    """A tensor of integers that stand for the numbers of `input`, with a scale and a zero point that follow from its smallest and its largest number.

    Args:
        input: The tensor to work on.
        dtype: torch.quint8 or torch.qint8.
        reduce_range: Whether to use half of the integers.

    Example:

        >>> torch.quantize_per_tensor_dynamic(torch.tensor([-1.0, 0.0, 1.0]), torch.quint8, False)
        tensor([-0.9961,  0.0000,  0.9961], size=(3,), dtype=torch.quint8,
               quantization_scheme=torch.per_tensor_affine, scale=0.00784313725490196,
               zero_point=128)
    """
@overload
def rad2deg(input: Tensor) -> Tensor:
    """Converts radians to degrees.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.rad2deg(x)
        tensor([-85.9437,  28.6479, 114.5916])
    """
@overload
def rad2deg(input: Tensor, *, out: Tensor) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor:
    """Converts radians to degrees.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.rad2deg_(x)
        tensor([-85.9437,  28.6479, 114.5916])
    """
@overload
def rand(size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """Uniform numbers in [0, 1).

    Args:
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> torch.rand([2, 3])
        tensor([[0.4963, 0.7682, 0.0885],
                [0.1320, 0.3074, 0.6341]])
    """
@overload
def rand(*size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def rand(size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def rand(*size: builtins.int, out: Tensor) -> Tensor: ...
@overload
def rand(size: Sequence[builtins.int], *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def rand(*size: builtins.int, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def rand(size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def rand(*size: builtins.int, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def rand_like(input: Tensor, *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """Uniform numbers in [0, 1), like `input`.

    Args:
        input: The tensor to work on.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.rand_like(x)
        tensor([0.4963, 0.7682, 0.0885])
    """
@overload
def rand_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """randint(low, high, size, dtype, layout, device, pin_memory): Integers from `low` to below `high`.
    randint(high, size, dtype, layout, device, pin_memory): Integers from 0 to below `high`.

    Args:
        low: The smallest number that may be drawn.
        high: One above the largest number that may be drawn.
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> torch.randint(1, 10, [2, 3])
        tensor([[9, 1, 3],
                [7, 8, 7]])
    """
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, out: Tensor) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, *size: builtins.int, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(high: builtins.int, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def randint(high: builtins.int, *size: builtins.int, out: Tensor) -> Tensor: ...
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(high: builtins.int, *size: builtins.int, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randint(high: builtins.int, *size: builtins.int, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randint_like(input: Tensor, high: builtins.int, *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """randint_like(input, high, generator, dtype, layout, device, pin_memory, memory_format): Integers from 0 to below `high`, like `input`.
    randint_like(input, low, high, generator, dtype, layout, device, pin_memory, memory_format): Integers from `low` to below `high`, like `input`.

    Args:
        input: The tensor to work on.
        high: One above the largest number that may be drawn.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.
        low: The smallest number that may be drawn.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.randint_like(x, 10)
        tensor([4., 9., 3.])
    """
@overload
def randint_like(input: Tensor, low: builtins.int, high: builtins.int, *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def randint_like(input: Tensor, high: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def randint_like(input: Tensor, low: builtins.int, high: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """Normal numbers of mean 0 and deviation 1.

    Args:
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> torch.randn([2, 3])
        tensor([[ 1.5410, -0.2934, -2.1788],
                [ 0.5684, -1.0845, -1.3986]])
    """
@overload
def randn(*size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def randn(*size: builtins.int, out: Tensor) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randn(*size: builtins.int, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randn(*size: builtins.int, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def randn_like(input: Tensor, *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """Normal numbers like `input`.

    Args:
        input: The tensor to work on.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> _ = torch.manual_seed(0)
        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.randn_like(x)
        tensor([ 1.5410, -0.2934, -2.1788])
    """
@overload
def randn_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor: ...
@overload
def randperm(n: builtins.int, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """The numbers below `n` in random order.

    Args:
        n: How many.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> torch.randperm(1)
        tensor([0])
    """
@overload
def randperm(n: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def randperm(n: builtins.int, *, generator: Generator | None, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def randperm(n: builtins.int, *, generator: Generator | None, out: Tensor) -> Tensor: ...
@overload
def range(start: Number, end: Number, step: Number = 1, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """range(start, end, step, dtype, layout, device, pin_memory): Numbers from `start` to `end` by `step`. Unlike arange, it includes `end`.
    range(start, end, dtype, layout, device, pin_memory): Numbers from `start` to `end` by 1. Unlike arange, it includes `end`.

    Args:
        start: The first value.
        end: The end of the numbers, which is in the result if the steps reach it.
        step: The distance from one value to the next.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> torch.range(1, 3, 0.5)
        tensor([1.0000, 1.5000, 2.0000, 2.5000, 3.0000])
    """
@overload
def range(start: Number, end: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
def ravel(input: Tensor) -> Tensor:
    """All elements in one dim.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.ravel(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
def real(input: Tensor) -> Tensor:
    """A view of the real parts. A real tensor gives itself.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.real(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def reciprocal(input: Tensor) -> Tensor:
    """1 / input.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.reciprocal(x)
        tensor([-0.6667,  2.0000,  0.5000])
    """
@overload
def reciprocal(input: Tensor, *, out: Tensor) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor:
    """1 / input.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.reciprocal_(x)
        tensor([-0.6667,  2.0000,  0.5000])
    """
def relu(input: Tensor) -> Tensor:
    """`input` where it is positive, else 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.relu(x)
        tensor([0.0000, 0.5000, 2.0000])
    """
def relu_(input: Tensor) -> Tensor:
    """`input` where it is positive, else 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.relu_(x)
        tensor([0.0000, 0.5000, 2.0000])
    """
@overload
def remainder(input: Tensor, other: Tensor) -> Tensor:
    """Python's %: the remainder with the sign of the divisor.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.remainder(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 0.5000, 0.0000])
    """
@overload
def remainder(input: Tensor, other: Number) -> Tensor: ...
@overload
def remainder(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def remainder(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def remainder_(input: Tensor, other: Tensor) -> Tensor:
    """Python's %: the remainder with the sign of the divisor.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.remainder_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 0.5000, 0.0000])
    """
@overload
def remainder_(input: Tensor, other: Number) -> Tensor: ...
@overload
def renorm(input: Tensor, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
    """The slices along `dim`. One whose norm of order `p` is above `maxnorm` is scaled down to it.

    Args:
        input: The tensor to work on.
        p: The order of the norm.
        dim: The dim to work along. A negative one counts from the last.
        maxnorm: The largest norm that a slice keeps.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
        >>> torch.renorm(x, 2, 0, 1)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
@overload
def renorm(input: Tensor, p: Number, dim: builtins.int, maxnorm: Number, *, out: Tensor) -> Tensor: ...
def renorm_(input: Tensor, p: Number, dim: builtins.int, maxnorm: Number) -> Tensor:
    """The slices along `dim`. One whose norm of order `p` is above `maxnorm` is scaled down to it.

    Args:
        input: The tensor to work on.
        p: The order of the norm.
        dim: The dim to work along. A negative one counts from the last.
        maxnorm: The largest norm that a slice keeps.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
        >>> torch.renorm_(x, 2, 0, 1)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
@overload
def repeat_interleave(input: Tensor, repeats: builtins.int, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """repeat_interleave(input, repeats, dim, output_size): Each slice along `dim` `repeats` times in a row; without a dim, each element.
    repeat_interleave(input, repeats, dim, output_size): Each slice along `dim` as many times as `repeats` says.
    repeat_interleave(repeats, output_size): 0 as many times as `repeats` says first, then 1, and so on.

    Args:
        input: The tensor to work on.
        repeats: How often each element is repeated.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        output_size: The size of the result.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.repeat_interleave(x, 2)
        tensor([-1.5000, -1.5000,  0.5000,  0.5000,  2.0000,  2.0000])
    """
@overload
def repeat_interleave(input: Tensor, repeats: Tensor, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: builtins.int | None = None) -> Tensor: ...
@overload
def reshape(input: Tensor, shape: Sequence[builtins.int]) -> Tensor:
    """The same elements in another size; a view where it can be.

    Args:
        input: The tensor to work on.
        shape: The sizes, as a list or one by one. One of them may be -1: it follows from the others.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.reshape(x, [3, 1])
        tensor([[-1.5000],
                [ 0.5000],
                [ 2.0000]])
    """
@overload
def reshape(input: Tensor, *shape: builtins.int) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conjugates and negatives are computed at once.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.resolve_conj(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: conjugates and negatives are computed at once.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.resolve_neg(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def result_type(tensor: Tensor, other: Tensor) -> _dtype:
    """The dtype that arithmetic of the two gives.

    Args:
        tensor: The second tensor.
        other: The second tensor. It broadcasts with the first.
        scalar: The number.
        scalar1: The first number.
        scalar2: The second number.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.result_type(x, torch.tensor([3.0, 2.0, 1.0]))
        torch.float32
    """
@overload
def result_type(tensor: Tensor, other: Number) -> _dtype: ...
@overload
def result_type(scalar: Number, tensor: Tensor) -> _dtype: ...
@overload
def result_type(scalar1: Number, scalar2: Number) -> _dtype: ...
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, eps: builtins.float | None = None) -> Tensor:
    """`input` divided by the root of the mean square over the last dims, times `weight`.

    Args:
        input: The tensor to work on.
        normalized_shape: The sizes of the last dims, over which each row is normalized.
        weight: The factor of each element. None: 1.
        eps: What is added to the mean of squares. None: the dtype's eps.

    Example:

        >>> torch.rms_norm(torch.tensor([3.0, 4.0]), (2,))
        tensor([0.8485, 1.1314])
    """
@overload
def rnn_relu(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """Layers of recurrence with relu over sequences: the last layer's outputs, and the last states of all.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        params: The weights and biases, layer by layer.
        has_biases: Whether params has biases.
        num_layers: How many layers there are, one above the other.
        dropout: The probability with which an element between layers is dropped.
        train: Whether the layer is in training. Elements are dropped only then.
        bidirectional: Whether the sequence is also read from its end.
        batch_first: Whether the batch is the first dim. It is the second otherwise.
        data: The elements of a packed sequence.
        batch_sizes: How many sequences each step of a packed sequence has.

    Example:

        >>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
        >>> params = [torch.ones(1, 1), torch.ones(1, 1)]
        >>> torch.rnn_relu(x, h, params, False, 1, 0.0, False, False, True)[0].flatten()
        tensor([1., 2.])
    """
@overload
def rnn_relu(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a recurrence with relu: the next hidden state.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        w_ih: The weight for the input.
        w_hh: The weight for the hidden state.
        b_ih: The bias for the input. None: 0.
        b_hh: The bias for the hidden state. None: 0.

    Example:

        >>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
        >>> torch.rnn_relu_cell(x, h, torch.ones(1, 2), torch.ones(1, 1))
        tensor([[2.]])
    """
@overload
def rnn_tanh(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """Layers of recurrence with tanh over sequences: the last layer's outputs, and the last states of all.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        params: The weights and biases, layer by layer.
        has_biases: Whether params has biases.
        num_layers: How many layers there are, one above the other.
        dropout: The probability with which an element between layers is dropped.
        train: Whether the layer is in training. Elements are dropped only then.
        bidirectional: Whether the sequence is also read from its end.
        batch_first: Whether the batch is the first dim. It is the second otherwise.
        data: The elements of a packed sequence.
        batch_sizes: How many sequences each step of a packed sequence has.

    Example:

        >>> x, h = torch.ones(1, 2, 1), torch.zeros(1, 1, 1)
        >>> params = [torch.ones(1, 1), torch.ones(1, 1)]
        >>> torch.rnn_tanh(x, h, params, False, 1, 0.0, False, False, True)[0].flatten()
        tensor([0.7616, 0.9427])
    """
@overload
def rnn_tanh(data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool) -> tuple[Tensor, Tensor]: ...
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a recurrence with tanh: the next hidden state.

    Args:
        input: The tensor to work on.
        hx: The hidden state.
        w_ih: The weight for the input.
        w_hh: The weight for the hidden state.
        b_ih: The bias for the input. None: 0.
        b_hh: The bias for the hidden state. None: 0.

    Example:

        >>> x, h = torch.ones(1, 2), torch.zeros(1, 1)
        >>> torch.rnn_tanh_cell(x, h, torch.ones(1, 2), torch.ones(1, 1))
        tensor([[0.9640]])
    """
@overload
def roll(input: Tensor, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`; what leaves at the end comes in at the start.

    Args:
        input: The tensor to work on.
        shifts: By how many places the elements move, one number or one for each dim.
        dims: The dims, one or several. Negative ones count from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.roll(x, [0])
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def roll(input: Tensor, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] = (), *, out: Tensor) -> Tensor: ...
@overload
def rot90(input: Tensor, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
    """The elements turned `k` times by a quarter, from the first of two dims to the second.

    Args:
        input: The tensor to work on.
        k: How many, or which one, counted from 1 where it is a rank.
        dims: The dims, one or several. Negative ones count from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.rot90(x)
        tensor([[2., 4.],
                [1., 3.]])
    """
@overload
def rot90(input: Tensor, k: builtins.int = 1, *dims: builtins.int) -> Tensor: ...
@overload
def rot90(input: Tensor, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1), *, out: Tensor) -> Tensor: ...
@overload
def rot90(input: Tensor, k: builtins.int = 1, *dims: builtins.int, out: Tensor) -> Tensor: ...
@overload
def round(input: Tensor) -> Tensor:
    """round(input): The nearest integer, the even one at ties.
    round(input, decimals): The nearest number with so many decimals, the even one at ties; with `decimals` below 0, tens, hundreds and so on.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        decimals: To how many digits after the decimal point. A negative number: to tens, hundreds and so on.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.round(x)
        tensor([-2.,  0.,  2.])
    """
@overload
def round(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def round(input: Tensor, *, decimals: builtins.int) -> Tensor: ...
@overload
def round(input: Tensor, *, decimals: builtins.int, out: Tensor) -> Tensor: ...
@overload
def round_(input: Tensor) -> Tensor:
    """round_(input): The nearest integer, the even one at ties.
    round_(input, decimals): The nearest number with so many decimals, the even one at ties; with `decimals` below 0, tens, hundreds and so on.

    Args:
        input: The tensor to work on.
        decimals: To how many digits after the decimal point. A negative number: to tens, hundreds and so on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.round_(x)
        tensor([-2.,  0.,  2.])
    """
@overload
def round_(input: Tensor, *, decimals: builtins.int) -> Tensor: ...
@overload
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one below the other: along dim 0, vectors as rows.

    Another name of vstack.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.row_stack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([[-1.5000,  0.5000,  2.0000],
                [ 3.0000,  2.0000,  1.0000]])
    """
@overload
def row_stack(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
def rrelu(input: Tensor, lower: Number = 0.125, upper: Number = 0.3333333333333333, training: builtins.bool = False, generator: Generator | None = None) -> Tensor:
    """Negative elements times a slope: the mean of `lower` and `upper`, or in training one that is drawn between them for each.

    Args:
        input: The tensor to work on.
        lower: The smallest slope that is drawn.
        upper: The largest slope that is drawn.
        training: Whether the layer is in training.
        generator: The generator that draws the random numbers. None: the one that torch.manual_seed sets.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.rrelu(x)
        tensor([-0.3438,  0.5000,  2.0000])
    """
@overload
def rsqrt(input: Tensor) -> Tensor:
    """1 / sqrt(input).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.rsqrt(x)
        tensor([[1.0000, 0.7071],
                [0.5774, 0.5000]])
    """
@overload
def rsqrt(input: Tensor, *, out: Tensor) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor:
    """1 / sqrt(input).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.rsqrt_(x)
        tensor([[1.0000, 0.7071],
                [0.5774, 0.5000]])
    """
@overload
def rsub(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`other` minus `alpha` times `input`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.rsub(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([ 4.5000,  1.5000, -1.0000])
    """
@overload
def rsub(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def scalar_tensor(s: Number, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """A 0-d tensor of one number.

    Args:
        s: The number.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.scalar_tensor(2)
        tensor(2.)
    """
@overload
def scalar_tensor(s: Number, *, out: Tensor) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """scatter(input, dim, index, src): `input` with elements of `src` written along `dim` at `index`.
    scatter(input, dim, index, value): `input` with a number written along `dim` at `index`.
    scatter(input, dim, index, src, reduce): `input` with elements of `src` added or multiplied along `dim` at `index`: reduce="add" or "multiply".
    scatter(input, dim, index, value, reduce): `input` with a number added or multiplied along `dim` at `index`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        value: The number that is used as the new value or factor.
        reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
            or "multiply".

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Number) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, out: Tensor) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str, out: Tensor) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str, out: Tensor) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """scatter_(input, dim, index, src): `input` with elements of `src` written along `dim` at `index`.
    scatter_(input, dim, index, value): `input` with a number written along `dim` at `index`.
    scatter_(input, dim, index, src, reduce): `input` with elements of `src` added or multiplied along `dim` at `index`: reduce="add" or "multiply".
    scatter_(input, dim, index, value, reduce): `input` with a number added or multiplied along `dim` at `index`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.
        value: The number that is used as the new value or factor.
        reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
            or "multiply".

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter_(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 2.])
    """
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, value: Number) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, reduce: builtins.str) -> Tensor: ...
@overload
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, value: Number, *, reduce: builtins.str) -> Tensor: ...
@overload
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with elements of `src` added along `dim` at `index`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter_add(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 2.5000, 2.0000])
    """
@overload
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor) -> Tensor: ...
def scatter_add_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with elements of `src` added along `dim` at `index`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter_add_(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]))
        tensor([1.5000, 2.5000, 2.0000])
    """
@overload
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """`input` joined with elements of `src` along `dim` at `index`: by sum, product, mean, largest or smallest. Without `include_self` what stands there does not count.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.
        reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
            or "multiply".
        include_self: Whether the elements that were there take part.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter_reduce(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]), "sum")
        tensor([1.5000, 2.5000, 2.0000])
    """
@overload
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True, out: Tensor) -> Tensor: ...
def scatter_reduce_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """`input` joined with elements of `src` along `dim` at `index`: by sum, product, mean, largest or smallest. Without `include_self` what stands there does not count.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The indices, integers.
        src: The tensor whose elements are taken.
        reduce: How several values for one element become one: "sum", "prod", "mean", "amax" or "amin"; or "add"
            or "multiply".
        include_self: Whether the elements that were there take part.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.scatter_reduce_(x, 0, torch.tensor([0, 1]), torch.tensor([3.0, 2.0, 1.0]), "sum")
        tensor([1.5000, 2.5000, 2.0000])
    """
@overload
def searchsorted(sorted_sequence: Tensor, input: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: builtins.str | None = None, sorter: Tensor | None = None) -> Tensor:
    """searchsorted(sorted_sequence, input, out_int32, right, side, sorter): The index at which each element would be inserted into a sorted row: before equal elements, or after them with right=True.
    searchsorted(sorted_sequence, input, out_int32, right, side, sorter): The index at which a number would be inserted into a sorted row.

    Args:
        sorted_sequence: The sorted values, along the last dim.
        input: The tensor to work on.
        out_int32: Whether the indices are int32. They are int64 otherwise.
        right: Which end of a bucket belongs to it: True the left one.
        side: "left" or "right", as right=.
        sorter: The indices that sort sorted_sequence, if it is not sorted. None: it is.

    No gradient: its result is an index.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.searchsorted(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3, 2, 2])
    """
@overload
def searchsorted(sorted_sequence: Tensor, input: Number, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: builtins.str | None = None, sorter: Tensor | None = None) -> Tensor: ...
@overload
def segment_reduce(data: Tensor, reduce: builtins.str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False, initial: Number | None = None) -> Tensor:
    """Cuts `data` along `axis` into segments, and reduces each to one element.

    Args:
        data: What is reduced, in a floating dtype.
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: How many elements each segment has. Its last dim is `axis`; the dims before it are those of
            `data`.
        indices: Not supported, in PyTorch too.
        offsets: Where each segment begins, and the end of the last. It stands for `lengths`.
        axis: The dim that is cut.
        unsafe: Whether the sum of the lengths is left unchecked.
        initial: What each segment begins with, and the result of a segment without elements.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0, 4.0]), "sum", lengths=torch.tensor([1, 3]))
        tensor([1., 9.])
    """
@overload
def segment_reduce(data: Tensor, reduce: builtins.str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False, initial: Number | None = None, out: Tensor) -> Tensor: ...
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """The slice at `index` along `dim`, without that dim.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The index along the dim. A negative one counts from the end.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.select(x, 0, 1)
        tensor(0.5000)
    """
def select_backward(grad_output: Tensor, input_sizes: Sequence[builtins.int], dim: builtins.int, index: builtins.int) -> Tensor:
    """Zeros with the gradient at one index.

    Args:
        grad_output: The gradient of the result.
        input_sizes: The sizes of the input whose gradient is computed.
        dim: The dim to work along. A negative one counts from the last.
        index: The index along the dim. A negative one counts from the end.

    Example:

        >>> x = torch.tensor([1 + 2j, 3 - 1j])
        >>> torch.select_backward(x, [2, 2], 1, 1)
        tensor([[0.+0.j, 1.+2.j],
                [0.+0.j, 3.-1.j]])
    """
@overload
def select_copy(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        index: The index along the dim. A negative one counts from the end.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.select_copy(x, 0, 1)
        tensor(0.5000)
    """
@overload
def select_copy(input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A copy of `input`, with `src` in place of the elements that the view shows.

    Args:
        input: The tensor to work on.
        src: The tensor whose elements are taken.
        dim: The dim to work along. A negative one counts from the last.
        index: The index along the dim. A negative one counts from the end.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.select_scatter(x, torch.tensor([7.0, 8.0]), 1, 1)
        tensor([[1., 7.],
                [3., 8.]])
    """
def selu(input: Tensor) -> Tensor:
    """elu with the alpha and scale that keep a layer's mean at 0 and its variance at 1.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.selu(x)
        tensor([-1.3658,  0.5254,  2.1014])
    """
def selu_(input: Tensor) -> Tensor:
    """elu with the alpha and scale that keep a layer's mean at 0 and its variance at 1.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.selu_(x)
        tensor([-1.3658,  0.5254,  2.1014])
    """
@overload
def sgn(input: Tensor) -> Tensor:
    """The sign of each element. For a complex number z it is z / abs(z).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sgn(x)
        tensor([-1.,  1.,  1.])
    """
@overload
def sgn(input: Tensor, *, out: Tensor) -> Tensor: ...
def sgn_(input: Tensor) -> Tensor:
    """The sign of each element. For a complex number z it is z / abs(z).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sgn_(x)
        tensor([-1.,  1.,  1.])
    """
@overload
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sigmoid(x)
        tensor([0.1824, 0.6225, 0.8808])
    """
@overload
def sigmoid(input: Tensor, *, out: Tensor) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sigmoid_(x)
        tensor([0.1824, 0.6225, 0.8808])
    """
@overload
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of each element; 0 for a NaN.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sign(x)
        tensor([-1.,  1.,  1.])
    """
@overload
def sign(input: Tensor, *, out: Tensor) -> Tensor: ...
def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of each element; 0 for a NaN.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sign_(x)
        tensor([-1.,  1.,  1.])
    """
@overload
def signbit(input: Tensor) -> Tensor:
    """Whether the sign bit is set.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    No gradient: its result is a bool.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.signbit(x)
        tensor([ True, False, False])
    """
@overload
def signbit(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def sin(input: Tensor) -> Tensor:
    """The sine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sin(x)
        tensor([-0.9975,  0.4794,  0.9093])
    """
@overload
def sin(input: Tensor, *, out: Tensor) -> Tensor: ...
def sin_(input: Tensor) -> Tensor:
    """The sine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sin_(x)
        tensor([-0.9975,  0.4794,  0.9093])
    """
@overload
def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sinc(x)
        tensor([-2.1221e-01,  6.3662e-01,  2.7828e-08])
    """
@overload
def sinc(input: Tensor, *, out: Tensor) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sinc_(x)
        tensor([-2.1221e-01,  6.3662e-01,  2.7828e-08])
    """
@overload
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sinh(x)
        tensor([-2.1293,  0.5211,  3.6269])
    """
@overload
def sinh(input: Tensor, *, out: Tensor) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sinh_(x)
        tensor([-2.1293,  0.5211,  3.6269])
    """
def slice_backward(grad_output: Tensor, input_sizes: Sequence[builtins.int], dim: builtins.int, start: builtins.int | None, end: builtins.int | None, step: builtins.int) -> Tensor:
    """Zeros with the gradient in one slice.

    Args:
        grad_output: The gradient of the result.
        input_sizes: The sizes of the input whose gradient is computed.
        dim: The dim to work along. A negative one counts from the last.
        start: The first index. None: 0.
        end: The index after the last one. None: the size of the dim.
        step: The distance from one index to the next.

    Example:

        >>> x = torch.tensor([1 + 2j, 3 - 1j])
        >>> torch.slice_backward(x, [2], 0, 0, 5, 1)
        tensor([1.+2.j, 3.-1.j])
    """
@overload
def slice_copy(input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        start: The first index. None: 0.
        end: The index after the last one. None: the size of the dim.
        step: The distance from one index to the next.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.slice_copy(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def slice_copy(input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor) -> Tensor: ...
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """A copy of `input`, with `src` in place of the elements that the view shows.

    Args:
        input: The tensor to work on.
        src: The tensor whose elements are taken.
        dim: The dim to work along. A negative one counts from the last.
        start: The first index. None: 0.
        end: The index after the last one. None: the size of the dim.
        step: The distance from one index to the next.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.slice_scatter(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([3., 2., 1.])
    """
@overload
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of determinants and the logarithms of their absolute values.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (sign, logabsdet).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.slogdet(x)
        torch.return_types.slogdet(
        sign=tensor(-1.),
        logabsdet=tensor(0.6931))
    """
@overload
def slogdet(input: Tensor, *, sign: Tensor, logabsdet: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def softmax(input: Tensor, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
    """exp(input), scaled so that it sums to 1 along `dim`.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        dtype: The dtype of the result. None: the usual one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.softmax(x, 0)
        tensor([0.0241, 0.1780, 0.7979])
    """
@overload
def softmax(input: Tensor, dim: builtins.int, dtype: _dtype | None = None, *, out: Tensor) -> Tensor: ...
@overload
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The elements in ascending order along `dim`, and their indices. `stable=True` keeps the order of equal elements.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        descending: Whether the largest comes first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        stable: Whether equal elements keep their order.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sort(x)
        torch.return_types.sort(
        values=tensor([-1.5000,  0.5000,  2.0000]),
        indices=tensor([0, 1, 2]))
    """
@overload
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def sort(input: Tensor, *, stable: builtins.bool | None, dim: builtins.int = -1, descending: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def sort(input: Tensor, *, stable: builtins.bool | None, dim: builtins.int = -1, descending: builtins.bool = False, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def special_xlog1py(input: Tensor, other: Tensor) -> Tensor:
    """`input` times log1p(`other`). It is 0 where `input` is 0, and NaN where `other` is NaN.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 1.0]))
        tensor([0.0000, 1.3863])
    """
@overload
def special_xlog1py(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_xlog1py(input: Tensor, other: Number) -> Tensor: ...
@overload
def special_xlog1py(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def special_xlog1py(input: Number, other: Tensor) -> Tensor: ...
@overload
def special_xlog1py(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def split(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """split(input, split_size, dim): Views of `split_size` slices each along `dim`; the last may be smaller.
    split(input, split_size, dim): split_with_sizes.

    Args:
        input: The tensor to work on.
        split_size: The size of each part. The last one may be smaller.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.
    """
@overload
def split(input: Tensor, split_size: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
def split_copy(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """split, into copies.

    Args:
        input: The tensor to work on.
        split_size: The size of each part. The last one may be smaller.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.split_copy(x, 2)
        (tensor([-1.5000,  0.5000]), tensor([2.]))
    """
def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of the given sizes along `dim`.

    Args:
        input: The tensor to work on.
        split_sizes: The size of each part.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.split_with_sizes(x, [1, 2])
        (tensor([-1.5000]), tensor([0.5000, 2.0000]))
    """
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """split_with_sizes, into copies.

    Args:
        input: The tensor to work on.
        split_sizes: The size of each part.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.split_with_sizes_copy(x, [1, 2])
        (tensor([-1.5000]), tensor([0.5000, 2.0000]))
    """
@overload
def sqrt(input: Tensor) -> Tensor:
    """The square root.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.sqrt(x)
        tensor([[1.0000, 1.4142],
                [1.7321, 2.0000]])
    """
@overload
def sqrt(input: Tensor, *, out: Tensor) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor:
    """The square root.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.sqrt_(x)
        tensor([[1.0000, 1.4142],
                [1.7321, 2.0000]])
    """
@overload
def square(input: Tensor) -> Tensor:
    """Each element times itself.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.square(x)
        tensor([2.2500, 0.2500, 4.0000])
    """
@overload
def square(input: Tensor, *, out: Tensor) -> Tensor: ...
def square_(input: Tensor) -> Tensor:
    """Each element times itself.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.square_(x)
        tensor([2.2500, 0.2500, 4.0000])
    """
@overload
def squeeze(input: Tensor) -> Tensor:
    """squeeze(input): A view without the dims of size 1.
    squeeze(input, dim): A view without `dim`, where its size is 1.
    squeeze(input, dim): A view without those of the dims whose size is 1.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.squeeze(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def squeeze(input: Tensor, dim: builtins.int) -> Tensor: ...
@overload
def squeeze(input: Tensor, dim: Sequence[builtins.int]) -> Tensor: ...
@overload
def squeeze(input: Tensor, *dim: builtins.int) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.squeeze_copy(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def squeeze_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: builtins.int) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: Sequence[builtins.int]) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, *dim: builtins.int) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, *dim: builtins.int, out: Tensor) -> Tensor: ...
@overload
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors one after another along a new dim.

    Args:
        tensors: The tensors, as a list or tuple.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.stack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([[-1.5000,  0.5000,  2.0000],
                [ 3.0000,  2.0000,  1.0000]])
    """
@overload
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor) -> Tensor: ...
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> Tensor:
    """std(input, dim, correction, keepdim): The square root of the variance over `dim`.
    std(input, unbiased): The root of the variance.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        correction: What is taken from the number of elements before dividing by it. None: 1.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        unbiased: True divides by n - 1, False by n.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.std(x)
        tensor(1.7559)
    """
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def std(input: Tensor, unbiased: builtins.bool = True) -> Tensor: ...
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def std(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def std_mean(input: Tensor, unbiased: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """The root of the variance, and the mean.

    Args:
        input: The tensor to work on.
        unbiased: True divides by n - 1, False by n.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        correction: What is taken from the number of elements before dividing by it. None: 1.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.std_mean(x)
        (tensor(1.7559), tensor(0.3333))
    """
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def stft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor:
    """stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window): The Fourier transforms of pieces of a signal, `hop_length` apart: a row for each frequency, a column for each piece.
    stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window): The short-time Fourier transform. With `center`, the signal is padded, so that the pieces are centered at multiples of `hop_length`.

    Args:
        input: The tensor to work on.
        n_fft: How many elements each transform has.
        hop_length: The step from one window to the next. None: a quarter of n_fft.
        win_length: How many elements the window has. None: n_fft.
        window: The factors of a window's elements. None: 1.
        normalized: Whether the result is divided by the root of n_fft.
        onesided: Whether only the frequencies from 0 up are there, which say all for a real signal. None: for a
            real signal.
        return_complex: Whether the result is complex. False: a last dim holds the real and imaginary parts.
        align_to_window: Whether the windows begin at the signal's first element, for center=False.
        center: Whether each window lies around its place. False: it begins there.
        pad_mode: How the signal is continued at its ends, for center=True: "reflect", "constant", "replicate" or
            "circular".
    """
@overload
def stft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: builtins.str = "reflect", normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor: ...
@overload
def sub(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` minus `alpha` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sub(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000, -1.5000,  1.0000])
    """
@overload
def sub(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def sub(input: Tensor, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
@overload
def sub(input: Tensor, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
@overload
def sub_(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` minus `alpha` times `other`.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sub_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000, -1.5000,  1.0000])
    """
@overload
def sub_(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def subtract(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` minus `alpha` times `other`.

    Another name of sub.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.subtract(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000, -1.5000,  1.0000])
    """
@overload
def subtract(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def subtract(input: Tensor, other: Tensor, *, alpha: Number = 1, out: Tensor) -> Tensor: ...
@overload
def subtract(input: Tensor, other: Number, alpha: Number = 1, *, out: Tensor) -> Tensor: ...
@overload
def subtract_(input: Tensor, other: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` minus `alpha` times `other`.

    Another name of sub_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        alpha: The factor of the second operand.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.subtract_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-4.5000, -1.5000,  1.0000])
    """
@overload
def subtract_(input: Tensor, other: Number, alpha: Number = 1) -> Tensor: ...
@overload
def sum(input: Tensor, *, dtype: _dtype | None = None) -> Tensor:
    """sum(input, dtype): The sum of all elements; integers are summed as int64.
    sum(input, dim, keepdim, dtype): The sum over `dim`.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.sum(x)
        tensor(1.)
    """
@overload
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None, out: Tensor) -> Tensor: ...
@overload
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """linalg.svd in its old spelling, with V in place of its adjoint.

    Args:
        input: The tensor to work on.
        some: Whether the factors have only as many columns as needed.
        compute_uv: Whether U and V are computed. False: they are zeros.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (U, S, V).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.svd(x)
        torch.return_types.svd(
        U=tensor([[-0.4046, -0.9145],
                [-0.9145,  0.4046]]),
        S=tensor([5.4650, 0.3660]),
        V=tensor([[-0.5760,  0.8174],
                [-0.8174, -0.5760]]))
    """
@overload
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *, U: Tensor, S: Tensor, V: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """A view with two dims swapped.

    Another name of transpose.

    Args:
        input: The tensor to work on.
        axis0: The first of the two dims. A negative one counts from the last.
        axis1: The second of the two dims. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.swapaxes(x, 0, 1)
        tensor([[1., 3.],
                [2., 4.]])
    """
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dims swapped.

    Another name of transpose.

    Args:
        input: The tensor to work on.
        dim0: The first of the two dims. A negative one counts from the last.
        dim1: One of the two dims. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.swapdims(x, 0, 1)
        tensor([[1., 3.],
                [2., 4.]])
    """
def t(input: Tensor) -> Tensor:
    """A view of a matrix with its dims swapped.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.t(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def t_copy(input: Tensor) -> Tensor:
    """A copy of a matrix with its dims swapped.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.t_copy(x)
        tensor([-1.5000,  0.5000,  2.0000])
    """
@overload
def t_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at the positions in `index`, which count all elements in row-major order.

    Args:
        input: The tensor to work on.
        index: The indices, integers.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.take(x, torch.tensor([0, 1]))
        tensor([-1.5000,  0.5000])
    """
@overload
def take(input: Tensor, index: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
    """The elements at `indices` along `dim`; `input` and `indices` broadcast in the other dims. Without `dim`, `input` is flattened first.

    Args:
        input: The tensor to work on.
        indices: The indices, integers.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.take_along_dim(x, torch.tensor([0, 1]))
        tensor([-1.5000,  0.5000])
    """
@overload
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor) -> Tensor: ...
@overload
def tan(input: Tensor) -> Tensor:
    """The tangent.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tan(x)
        tensor([-14.1014,   0.5463,  -2.1850])
    """
@overload
def tan(input: Tensor, *, out: Tensor) -> Tensor: ...
def tan_(input: Tensor) -> Tensor:
    """The tangent.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tan_(x)
        tensor([-14.1014,   0.5463,  -2.1850])
    """
@overload
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tanh(x)
        tensor([-0.9051,  0.4621,  0.9640])
    """
@overload
def tanh(input: Tensor, *, out: Tensor) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tanh_(x)
        tensor([-0.9051,  0.4621,  0.9640])
    """
@overload
def tensor_split(input: Tensor, sections: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """tensor_split(input, sections, dim): As many views along `dim`, the first ones larger by one where they cannot be equal.
    tensor_split(input, indices, dim): Views along `dim`, cut at `indices`.
    tensor_split(input, tensor_indices_or_sections, dim): tensor_split by numbers in a tensor.

    Args:
        input: The tensor to work on.
        sections: Into how many equal parts the tensor is divided.
        dim: The dim to work along. A negative one counts from the last.
        indices: The places where the tensor is divided, along the dim.
        tensor_indices_or_sections: How many equal parts there are, or the places between them, as a tensor.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tensor_split(x, 2)
        (tensor([-1.5000,  0.5000]), tensor([2.]))
    """
@overload
def tensor_split(input: Tensor, indices: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(input: Tensor, tensor_indices_or_sections: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensordot(input: Tensor, other: Tensor, dims_self: Sequence[builtins.int], dims_other: Sequence[builtins.int]) -> Tensor:
    """The sums of products over the dims that both lists name.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        dims_self: The dims of the first tensor that are summed over.
        dims_other: The dims of the second tensor that are summed over.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def tensordot(input: Tensor, other: Tensor, dims_self: Sequence[builtins.int], *dims_other: builtins.int) -> Tensor: ...
@overload
def tensordot(input: Tensor, other: Tensor, dims_self: Sequence[builtins.int], dims_other: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def tensordot(input: Tensor, other: Tensor, dims_self: Sequence[builtins.int], *dims_other: builtins.int, out: Tensor) -> Tensor: ...
@overload
def threshold(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """`input` where it is above `threshold`, else `value`.

    Args:
        input: The tensor to work on.
        threshold: Where the function changes.
        value: The number that is used as the new value or factor.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.threshold(x, 0.5, 0.5)
        tensor([0.5000, 0.5000, 2.0000])
    """
@overload
def threshold(input: Tensor, threshold: Number, value: Number, *, out: Tensor) -> Tensor: ...
def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """`input` where it is above `threshold`, else `value`.

    Args:
        input: The tensor to work on.
        threshold: Where the function changes.
        value: The number that is used as the new value or factor.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.threshold_(x, 0.5, 0.5)
        tensor([0.5000, 0.5000, 2.0000])
    """
@overload
def tile(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """A copy in which the last dims are gone through `dims` times.

    Args:
        input: The tensor to work on.
        dims: The dims, one or several. Negative ones count from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.tile(x, [0])
        tensor([])
    """
@overload
def tile(input: Tensor, *dims: builtins.int) -> Tensor: ...
@overload
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """The `k` largest or smallest elements along `dim`, in order, and their indices.

    Args:
        input: The tensor to work on.
        k: How many, or which one, counted from 1 where it is a rank.
        dim: The dim to work along. A negative one counts from the last.
        largest: True finds the largest elements, False the smallest.
        sorted: Whether the result is in order.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (values, indices).

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.topk(x, 1)
        torch.return_types.topk(
        values=tensor([2.]),
        indices=tensor([2]))
    """
@overload
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.trace(x)
        tensor(5.)
    """
@overload
def trace(input: Tensor, *, out: Tensor) -> Tensor: ...
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dims swapped.

    Args:
        input: The tensor to work on.
        dim0: The first of the two dims. A negative one counts from the last.
        dim1: One of the two dims. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.transpose(x, 0, 1)
        tensor([[1., 3.],
                [2., 4.]])
    """
@overload
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dim0: The first of the two dims. A negative one counts from the last.
        dim1: One of the two dims. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.transpose_copy(x, 0, 1)
        tensor([[1., 3.],
                [2., 4.]])
    """
@overload
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor) -> Tensor: ...
@overload
def trapezoid(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """trapezoid(y, x, dim): The integral along `dim` of a function with the values `y` at the places `x`, or at places `dx` apart: the sum of the trapezoids between neighbours.
    trapezoid(y, dx, dim): trapezoid of places `dx` apart.

    Args:
        y: The values of the function.
        x: The places of the values: a tensor of the size of `dim`, or one that broadcasts with `y`.
        dim: The dim to work along. A negative one counts from the last.
        dx: The distance between neighbouring places.

    Example:

        >>> y = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.trapezoid(y, dx=2)
        tensor(8.)
        >>> torch.trapezoid(y, torch.tensor([0.0, 1.0, 3.0]))
        tensor(6.5000)
    """
@overload
def trapezoid(y: Tensor, *, dx: Number = 1, dim: builtins.int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """trapz(y, x, dim): trapezoid, in its old spelling.
    trapz(y, dx, dim): trapz of places `dx` apart.

    Args:
        y: The values of the function.
        x: The places of the values: a tensor of the size of `dim`, or one that broadcasts with `y`.
        dim: The dim to work along. A negative one counts from the last.
        dx: The distance between neighbouring places.

    Example:

        >>> torch.trapz(torch.tensor([1.0, 2.0, 3.0]))
        tensor(4.)
    """
@overload
def trapz(y: Tensor, *, dx: builtins.float = 1., dim: builtins.int = -1) -> Tensor: ...
@overload
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """linalg.solve_triangular, in its old spelling, and a copy of the matrix.

    Args:
        input: The tensor to work on.
        A: The matrix, or a batch of matrices.
        upper: The largest slope that is drawn.
        transpose: Whether the transposed matrix takes the place of the matrix.
        unitriangular: Whether the diagonal counts as ones.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Returns: A named tuple (solution, cloned_coefficient).

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.triangular_solve(x, torch.tensor([[0.0, 1.0], [1.0, 1.0]]))
        torch.return_types.triangular_solve(
        solution=tensor([[-inf, -inf],
                [3., 4.]]),
        cloned_coefficient=tensor([[0., 1.],
                [1., 1.]]))
    """
@overload
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, X: Tensor, M: Tensor) -> tuple[Tensor, Tensor]: ...
@overload
def tril(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """`input` with zeros above the diagonal number `diagonal`, counted upwards.

    Args:
        input: The tensor to work on.
        diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.tril(x)
        tensor([[1., 0.],
                [3., 4.]])
    """
@overload
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
def tril_(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """`input` with zeros above the diagonal number `diagonal`, counted upwards.

    Args:
        input: The tensor to work on.
        diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.tril_(x)
        tensor([[1., 0.],
                [3., 4.]])
    """
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """The rows and columns of the places on and below a diagonal.

    Args:
        row: How many rows the matrix has.
        col: How many columns the matrix has.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> torch.tril_indices(1, 0)
        tensor([], size=(2, 0), dtype=torch.int64)
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1., p: builtins.float = 2., eps: builtins.float = 1e-06, swap: builtins.bool = False, reduction: builtins.int = 1) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), for distances d of order `p`.

    Args:
        anchor: The tensor whose distances are compared.
        positive: What should be near to the anchor.
        negative: What should be far from the anchor.
        margin: How far apart the two sides should be.
        p: The order of the norm.
        eps: What is added to each difference, so that no distance is 0.
        swap: Whether the negative's distance from the positive counts where it is smaller.
        reduction: 0 returns each element, 1 their mean, 2 their sum.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.triplet_margin_loss(x, torch.tensor([3.0, 2.0, 1.0]), torch.tensor([3.0, 2.0, 1.0]))
        tensor(1.)
    """
@overload
def triu(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """`input` with zeros below the diagonal number `diagonal`, counted upwards.

    Args:
        input: The tensor to work on.
        diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.triu(x)
        tensor([[1., 2.],
                [0., 4.]])
    """
@overload
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor) -> Tensor: ...
def triu_(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """`input` with zeros below the diagonal number `diagonal`, counted upwards.

    Args:
        input: The tensor to work on.
        diagonal: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.triu_(x)
        tensor([[1., 2.],
                [0., 4.]])
    """
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """The rows and columns of the places on and above a diagonal.

    Args:
        row: How many rows the matrix has.
        col: How many columns the matrix has.
        offset: Which diagonal: 0 the main one, above 0 those above it, below 0 those below it.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.

    Example:

        >>> torch.triu_indices(1, 0)
        tensor([], size=(2, 0), dtype=torch.int64)
    """
@overload
def true_divide(input: Tensor, other: Tensor) -> Tensor:
    """`input` divided by `other`; integers give floats.

    Another name of div.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.true_divide(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def true_divide(input: Tensor, other: Number) -> Tensor: ...
@overload
def true_divide(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def true_divide(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def true_divide_(input: Tensor, other: Tensor) -> Tensor:
    """`input` divided by `other`; integers give floats.

    Another name of div_.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.true_divide_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-0.5000,  0.2500,  2.0000])
    """
@overload
def true_divide_(input: Tensor, other: Number) -> Tensor: ...
@overload
def trunc(input: Tensor) -> Tensor:
    """The integer part.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The result has the shape of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.trunc(x)
        tensor([-1.,  0.,  2.])
    """
@overload
def trunc(input: Tensor, *, out: Tensor) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor:
    """The integer part.

    Args:
        input: The tensor to work on.

    Shapes: The result has the shape of the tensor.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.trunc_(x)
        tensor([-1.,  0.,  2.])
    """
def unbind(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, without it.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unbind(x)
        (tensor(-1.5000), tensor(0.5000), tensor(2.))
    """
def unbind_copy(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Copies of the slices along `dim`, without it.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unbind_copy(x)
        (tensor(-1.5000), tensor(0.5000), tensor(2.))
    """
@overload
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """A view with one dim cut into several, of which one may be -1.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        sizes: The sizes.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.unflatten(x, 1, [2])
        tensor([[1., 2.],
                [3., 4.]])
    """
@overload
def unflatten(input: Tensor, dim: builtins.int, *sizes: builtins.int) -> Tensor: ...
def unfold_backward(grad_in: Tensor, input_sizes: Sequence[builtins.int], dim: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
    """The gradient of unfold: each element sums the windows that show it.

    Args:
        grad_in: The gradient of the windows.
        input_sizes: The sizes of the tensor that was unfolded.
        dim: The dim along which the windows lie.
        size: How many elements a window has.
        step: The distance from the start of one window to the start of the next.

    Example:

        >>> windows = torch.tensor([[1.0, 1.0], [1.0, 1.0]])
        >>> torch.unfold_backward(windows, [3], 0, 2, 1)
        tensor([1., 2., 1.])
    """
@overload
def unfold_copy(input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dimension: The dim along which the windows lie. A negative one counts from the last.
        size: How many elements a window has.
        step: The distance from one index to the next.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
    """
@overload
def unfold_copy(input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor) -> Tensor: ...
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The elements without those that equal the one before; for each element of `input` its index among them; the length of each run.

    Args:
        input: The tensor to work on.
        return_inverse: Whether the place of each element in the result is returned too.
        return_counts: Whether it is returned too how often each element occurs.
        dim: The dim to work along; a negative one counts from the last. None: all elements, as if the tensor had
            one dim.

    No gradient: PyTorch has none: which elements are chosen is no smooth function.
    """
def unique_dim(input: Tensor, dim: builtins.int, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct slices along `dim` in ascending order; for each slice of `input` its index among them; how often each one occurs.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        sorted: Whether the result is in order.
        return_inverse: Whether the place of each element in the result is returned too.
        return_counts: Whether it is returned too how often each element occurs.

    No gradient: PyTorch has none: which elements are chosen is no smooth function.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unique_dim(x, 0)
        (tensor([-1.5000,  0.5000,  2.0000]), tensor([0, 1, 2]), tensor([1, 1, 1]))
    """
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """chunk, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

    Args:
        input: The tensor to work on.
        chunks: How many parts there should be, at most.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unsafe_chunk(x, 1)
        (tensor([-1.5000,  0.5000,  2.0000]),)
    """
def unsafe_split(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """split, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

    Args:
        input: The tensor to work on.
        split_size: The size of each part. The last one may be smaller.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unsafe_split(x, 2)
        (tensor([-1.5000,  0.5000]), tensor([2.]))
    """
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """split_with_sizes, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to the pieces.

    Args:
        input: The tensor to work on.
        split_sizes: The size of each part.
        dim: The dim to work along. A negative one counts from the last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unsafe_split_with_sizes(x, [1, 2])
        (tensor([-1.5000]), tensor([0.5000, 2.0000]))
    """
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """A view with a dim of size 1 inserted.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unsqueeze(x, 1)
        tensor([[-1.5000],
                [ 0.5000],
                [ 2.0000]])
    """
@overload
def unsqueeze_copy(input: Tensor, dim: builtins.int) -> Tensor:
    """A copy of the view that the form without _copy returns.

    Args:
        input: The tensor to work on.
        dim: The dim to work along. A negative one counts from the last.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.unsqueeze_copy(x, 1)
        tensor([[-1.5000],
                [ 0.5000],
                [ 2.0000]])
    """
@overload
def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor) -> Tensor: ...
def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """The powers of elements from N - 1 to 0, one element a row.

    Args:
        x: The numbers whose powers are taken, in one dim.
        N: How many powers. None: as many as there are elements.
        increasing: Whether the powers grow from column to column.

    Example:

        >>> torch.vander(torch.tensor([1.0, 2.0, 3.0]))
        tensor([[1., 1., 1.],
                [4., 2., 1.],
                [9., 3., 1.]])
    """
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> Tensor:
    """var(input, dim, correction, keepdim): The variance over `dim`: the sum of the squared distances from the mean, divided by n - correction. The default correction is 1.
    var(input, unbiased): The variance.

    Args:
        input: The tensor to work on.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        correction: What is taken from the number of elements before dividing by it. None: 1.
        keepdim: Whether the dims that were worked along stay, with size 1.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        unbiased: True divides by n - 1, False by n.

    Shapes: The result lacks the dims that were worked along, or has size 1 there if `keepdim` is True.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.var(x)
        tensor(3.0833)
    """
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False, out: Tensor) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: builtins.bool = True) -> Tensor: ...
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> Tensor: ...
@overload
def var(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False, *, out: Tensor) -> Tensor: ...
@overload
def var_mean(input: Tensor, unbiased: builtins.bool = True) -> tuple[Tensor, Tensor]:
    """The variance, and the mean.

    Args:
        input: The tensor to work on.
        unbiased: True divides by n - 1, False by n.
        dim: The dims to work along, one or several; negative ones count from the last. None: all dims.
        keepdim: Whether the dims that were worked along stay, with size 1.
        correction: What is taken from the number of elements before dividing by it. None: 1.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.var_mean(x)
        (tensor(3.0833), tensor(0.3333))
    """
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None, unbiased: builtins.bool = True, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, *, correction: Number | None = None, keepdim: builtins.bool = False) -> tuple[Tensor, Tensor]: ...
@overload
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The dot product of two vectors, with the first one conjugated.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.vdot(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor(-1.5000)
    """
@overload
def vdot(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor:
    """A view that shows the pairs along the last dim as complex numbers.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.view_as_complex(x)
        tensor([1.+2.j, 3.+4.j])
    """
@overload
def view_as_complex_copy(input: Tensor) -> Tensor:
    """A copy of pairs along the last dim as complex numbers.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.view_as_complex_copy(x)
        tensor([1.+2.j, 3.+4.j])
    """
@overload
def view_as_complex_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor:
    """A view with a last dim of two: the real and the imaginary parts.

    Args:
        input: The tensor to work on.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([1 + 2j, 3 - 1j])
        >>> torch.view_as_real(x)
        tensor([[ 1.,  2.],
                [ 3., -1.]])
    """
@overload
def view_as_real_copy(input: Tensor) -> Tensor:
    """A copy with a last dim of two: the real and the imaginary parts.

    Args:
        input: The tensor to work on.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([1 + 2j, 3 - 1j])
        >>> torch.view_as_real_copy(x)
        tensor([[ 1.,  2.],
                [ 3., -1.]])
    """
@overload
def view_as_real_copy(input: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def view_copy(input: Tensor, size: Sequence[builtins.int]) -> Tensor:
    """view_copy(input, size): A copy of the same elements in another size.
    view_copy(input, dtype): A copy of the bits of the elements as elements of another dtype.

    Args:
        input: The tensor to work on.
        size: The sizes, as a list or one by one.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.
        dtype: The dtype of the result.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.view_copy(x, [3, 1])
        tensor([[-1.5000],
                [ 0.5000],
                [ 2.0000]])
    """
@overload
def view_copy(input: Tensor, *size: builtins.int) -> Tensor: ...
@overload
def view_copy(input: Tensor, size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def view_copy(input: Tensor, *size: builtins.int, out: Tensor) -> Tensor: ...
@overload
def view_copy(input: Tensor, dtype: _dtype) -> Tensor: ...
@overload
def view_copy(input: Tensor, dtype: _dtype, *, out: Tensor) -> Tensor: ...
@overload
def vsplit(input: Tensor, sections: builtins.int) -> tuple[Tensor, ...]:
    """Views along dim 0.

    Args:
        input: The tensor to work on.
        sections: Into how many equal parts the tensor is divided.
        indices: The places where the tensor is divided, along the dim.

    Returns: A view: it shares the memory of the tensor.

    Example:

        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.vsplit(x, 2)
        (tensor([[1., 2.]]), tensor([[3., 4.]]))
    """
@overload
def vsplit(input: Tensor, indices: Sequence[builtins.int]) -> tuple[Tensor, ...]: ...
@overload
def vsplit(input: Tensor, *indices: builtins.int) -> tuple[Tensor, ...]: ...
@overload
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one below the other: along dim 0, vectors as rows.

    Args:
        tensors: The tensors, as a list or tuple.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.vstack([x, torch.tensor([3.0, 2.0, 1.0])])
        tensor([[-1.5000,  0.5000,  2.0000],
                [ 3.0000,  2.0000,  1.0000]])
    """
@overload
def vstack(tensors: Sequence[Tensor], *, out: Tensor) -> Tensor: ...
@overload
def where(condition: Tensor, input: Tensor, other: Tensor) -> Tensor:
    """where(condition, input, other): `input` where `condition` is true, else `other`.
    where(condition): The places of elements that are not zero, a tensor for each dim.

    Args:
        condition: Where it is True, the first value is taken, else the second.
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([True, True, False])
        >>> torch.where(x, torch.tensor([True, False, False]), torch.tensor([True, False, False]))
        tensor([ True, False, False])
    """
@overload
def where(condition: Tensor, input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def where(condition: Tensor, input: Tensor, other: Number) -> Tensor: ...
@overload
def where(condition: Tensor, input: Number, other: Tensor) -> Tensor: ...
@overload
def where(condition: Tensor, input: Number, other: Number) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def xlogy(input: Tensor, other: Tensor) -> Tensor:
    """`input` times the logarithm of `other`, 0 where `input` is 0.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.xlogy(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.6479,  0.3466,  0.0000])
    """
@overload
def xlogy(input: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def xlogy(input: Tensor, other: Number) -> Tensor: ...
@overload
def xlogy(input: Tensor, other: Number, *, out: Tensor) -> Tensor: ...
@overload
def xlogy(input: Number, other: Tensor) -> Tensor: ...
@overload
def xlogy(input: Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def xlogy_(input: Tensor, other: Tensor) -> Tensor:
    """`input` times the logarithm of `other`, 0 where `input` is 0.

    Args:
        input: The tensor to work on.
        other: The second tensor. It broadcasts with the first.

    Shapes: The tensors broadcast together, and the result has the shape that follows.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.xlogy_(x, torch.tensor([3.0, 2.0, 1.0]))
        tensor([-1.6479,  0.3466,  0.0000])
    """
@overload
def xlogy_(input: Tensor, other: Number) -> Tensor: ...
def zero_(input: Tensor) -> Tensor:
    """Writes zeros.

    Args:
        input: The tensor to work on.

    Returns: The tensor itself, changed.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.zero_(x)
        tensor([0., 0., 0.])
    """
@overload
def zeros(size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor:
    """Zeros.

    Args:
        size: The sizes, as a list or one by one.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        out: Where the result is written, instead of into a new tensor. It is resized if its size differs.

    Example:

        >>> torch.zeros([2, 3])
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
@overload
def zeros(*size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None) -> Tensor: ...
@overload
def zeros(size: Sequence[builtins.int], *, out: Tensor) -> Tensor: ...
@overload
def zeros(*size: builtins.int, out: Tensor) -> Tensor: ...
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _device | builtins.str | None = None, pin_memory: builtins.bool | None = None, memory_format: _memory_format | None = None) -> Tensor:
    """Zeros like `input`.

    Args:
        input: The tensor to work on.
        dtype: The dtype of the result. None: the usual one.
        layout: Only torch.strided is there.
        device: Where the result lies: "cpu", or "meta" for a tensor without elements.
        pin_memory: False. There is no memory to pin on the CPU.
        memory_format: The order of the dims in memory, such as torch.contiguous_format or torch.channels_last.

    Example:

        >>> x = torch.tensor([-1.5, 0.5, 2.0])
        >>> torch.zeros_like(x)
        tensor([0., 0., 0.])
    """
