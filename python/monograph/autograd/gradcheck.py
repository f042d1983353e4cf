"""gradcheck and gradgradcheck: compare gradients with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .. import _C, _VF
from .function import Function
from .grad_mode import enable_grad, no_grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A gradient differs from the finite differences."""


def _tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _differentiable(outputs: Any) -> tuple[Any, ...]:
    return tuple(t for t in _tuple(outputs) if isinstance(t, _C.TensorBase) and t.requires_grad)


def _checked(inputs: tuple[Any, ...]) -> list[Any]:
    """The inputs that require grad."""
    found = [t for t in inputs if isinstance(t, _C.TensorBase) and t.requires_grad]
    for i, t in enumerate(inputs):
        if not isinstance(t, _C.TensorBase) or not t.requires_grad:
            continue
        if t.dtype not in (_C._dtypes["float64"], _C._dtypes["complex128"]):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs are not "
                "of double precision floating point or complex. ",
                stacklevel=4,
            )
        if any(step == 0 and size > 1 for step, size in zip(t.stride(), t.shape)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute the numerical "
                "gradients correctly. You should call .contiguous on the input before passing it to gradcheck."
            )
    if not found:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.")
    return found


def _numerical(func: Callable[..., Any], inputs: tuple[Any, ...], input: Any, eps: float, count: int) -> list[Any]:
    """For each result, a matrix of its derivatives by the elements of one input: a row for each element of the input. By a complex element that is the derivative
    by its real part, plus i times that by its imaginary part."""
    rows: list[list[Any]] = [[] for _ in range(count)]
    data = input.data  # the same memory: writes to it are not counted
    places: list[tuple[int, ...]] = [()]
    for size in data.shape:
        places = [(*place, i) for place in places for i in range(size)]

    def results() -> list[Any]:
        return [t.detach().clone() for t in _tuple(func(*inputs))]

    def slopes(place: tuple[int, ...], step: complex) -> list[Any]:
        before = data[place].item()
        data[place] = before - step
        low = results()
        data[place] = before + step
        high = results()
        data[place] = before
        for a, b in zip(low, high):
            _check_alike(a, b, place, eps)
        return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(low, high)]

    for place in places:
        found = slopes(place, eps)
        if input.is_complex():
            found = [a + b * 1j for a, b in zip(found, slopes(place, eps * 1j))]
        for row, slope in zip(rows, found):
            row.append(slope)
    first = [t.detach() for t in _tuple(func(*inputs))]
    return [_VF.stack(r) if r else t.new_zeros((0, t.numel())) for r, t in zip(rows, first)]


def _check_alike(a: Any, b: Any, place: Any, eps: float) -> None:
    for what, x, y in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
        if x != y:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed on index {place} by {eps}, but got: {what}s {x} and {y}."
            )


def _analytical(output: Any, inputs: list[Any]) -> list[list[Any]]:
    """For each input, its gradient of each element of the output."""
    from ._passes import grad

    rows: list[list[Any]] = [[] for _ in inputs]
    weights = output.new_zeros(output.shape)
    for k in range(output.numel()):
        weights.zero_()
        weights.view(-1)[k] = 1.0
        for of_input, g in zip(rows, grad(output, inputs, weights.clone(), retain_graph=True, allow_unused=True)):
            of_input.append(None if g is None else g.clone())
    return rows


def _matrix(rows: list[Any], input: Any, output: Any) -> Any:
    columns = [input.new_zeros((input.numel(),)) if g is None else g.reshape(-1) for g in rows]
    return _VF.stack(columns, 1) if columns else input.new_zeros((input.numel(), 0))


def _part_of(func: Callable[..., Any], part: Callable[..., Any]) -> Callable[..., Any]:
    """`func`, with only the real or the imaginary part of its complex results."""
    return lambda *args: tuple(part(t) if isinstance(t, _C.TensorBase) and t.is_complex() else t for t in _tuple(func(*args)))


def _compare(
    func: Callable[..., Any], inputs: tuple[Any, ...], eps: float, atol: float, rtol: float, nondet_tol: float, check_grad_dtypes: bool
) -> tuple[Any, ...]:
    checked = _checked(inputs)
    outputs = _differentiable(func(*inputs))
    bounds = (checked, eps, atol, rtol, nondet_tol, check_grad_dtypes)
    complex_ones = {i for i, t in enumerate(outputs) if t.is_complex()}
    if not complex_ones:
        _compare_real(func, inputs, *bounds)
    for word, part in (("imaginary", _VF.imag), ("real", _VF.real)) if complex_ones else ():
        words = dict.fromkeys(complex_ones, f"While considering the {word} part of complex outputs only, ")
        _compare_real(_part_of(func, part), inputs, *bounds, words)
    return outputs


def _compare_real(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    checked: list[Any],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    check_grad_dtypes: bool,
    words: dict[int, str] | None = None,
) -> None:
    """Compares the gradients of real results. `words` begin the error of some."""
    given = _tuple(func(*inputs))
    outputs = _differentiable(given)
    numerical = [_numerical(func, inputs, t, eps, len(given)) for t in checked]
    if not outputs:
        for of_input in numerical:
            if any(not matrix.eq(0).all() for matrix in of_input):
                raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    places = [i for i, t in enumerate(given) if t.requires_grad]
    for o, output in enumerate(outputs):
        first, second = _analytical(output.clone(), checked), _analytical(output.clone(), checked)
        matrices = []
        for rows, again, input in zip(first, second, checked):
            if check_grad_dtypes and any(g is not None and g.dtype != input.dtype for g in rows):
                raise GradcheckError("Gradient has dtype mismatch")
            if any(g is not None and g.shape != input.shape for g in rows):
                raise GradcheckError("Analytical gradient has incorrect size")
            matrices.append(_matrix(rows, input, output))
            if matrices[-1].numel() and (matrices[-1] - _matrix(again, input, output)).abs().max().item() > nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, although "
                    f"analytical gradient matches numerical gradient.The tolerance for nondeterminism was {nondet_tol}."
                )
        for i, a in enumerate(matrices):
            n = numerical[i][places[o]].to(a.dtype)
            if not _VF.allclose(a, n, rtol, atol):
                begin = (words or {}).get(o, "")
                raise GradcheckError(
                    f"{begin}Jacobian mismatch for output {o:d} with respect to input {i:d},\nnumerical:{n}\nanalytical:{a}\n"
                )


class _Undefined(Function):
    """Returns its argument, but no gradient flows to the result: backward of the node before gets None, not zeros."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None


def _check_product(outputs: tuple[Any, ...], checked: list[Any]) -> None:
    """Checks that a gradient is linear: from zeros it must compute zeros."""
    from ._passes import grad

    for g, t in zip(grad(outputs, checked, [o.new_zeros(o.shape) for o in outputs], retain_graph=True, allow_unused=True), checked):
        if g is None:
            continue
        if not g.eq(0).all():
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != t.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.shape != t.shape:
            raise GradcheckError("grad is incorrect size")


def _check_undefined(func: Callable[..., Any], inputs: tuple[Any, ...], checked: list[Any]) -> None:
    from ._passes import grad

    count = len(_differentiable(func(*inputs)))
    for absent in [set(range(count)), *({i} for i in range(count) if count > 1)]:
        outputs = [_Undefined.apply(t) if i in absent else t for i, t in enumerate(_differentiable(func(*inputs)))]
        try:
            grads = grad(outputs, checked, [t.new_zeros(t.shape) for t in outputs], allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. With check_undefined_grad=False, gradcheck does not look at that"
            ) from error
        if any(g is not None and not g.eq(0).all() for g in grads):
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined or zero.")


def _check_forward(func: Callable[..., Any], inputs: tuple[Any, ...], eps: float, atol: float, rtol: float) -> None:
    """Compares the tangents of the results in each direction with finite differences."""
    from . import forward_ad

    given = _tuple(func(*inputs))
    plain = [t.detach() if isinstance(t, _C.TensorBase) else t for t in inputs]
    if any(isinstance(t, _C.TensorBase) and t.is_complex() for t in (*inputs, *given)):
        raise NotImplementedError("gradcheck(check_forward_ad=True) of complex tensors is not part of Monograph")
    wanted = [i for i, t in enumerate(inputs) if isinstance(t, _C.TensorBase) and t.requires_grad]
    for number, i in enumerate(wanted):
        expected = _numerical(func, inputs, inputs[i], eps, len(given))
        for k in range(inputs[i].numel()):
            direction = plain[i].new_zeros(plain[i].numel())
            direction[k] = 1.0
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(plain[i], direction.view(plain[i].shape))
                tangents = [forward_ad.unpack_dual(t)[1] for t in _tuple(func(*plain[:i], dual, *plain[i + 1 :]))]
            for o, tangent in enumerate(tangents):
                n = expected[o][k]
                a = n.new_zeros(n.shape) if tangent is None else tangent.reshape(-1).to(n.dtype)
                if not _VF.allclose(a, n, rtol, atol):
                    raise GradcheckError(
                        f"Jacobian computed with forward mode mismatch for output {o:d} with respect to input {number:d},\nnumerical:{n}\nanalytical:{a}\n"
                    )


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of func(*inputs) are what finite differences of step `eps` say. The inputs that require grad should be float64 or complex128. If they
    differ, a GradcheckError shows both; with raise_exception=False, the result is False. fast_mode=True compares whole Jacobians too.
    check_batched_grad and check_batched_forward_grad look at nothing more: gradients of a batch are computed one by one.

    Args:
        func: a function of tensors to tensors
        inputs: its inputs, of float64 or complex128, those that require grad being checked
        eps: the step of the finite differences
        atol: how far values may be apart, absolutely
        rtol: how far values may be apart, relative to the expected one
        raise_exception: whether a wrong gradient is an error; otherwise the result is False
        nondet_tol: how far two backward passes may be apart
        check_undefined_grad: whether gradients that are None are tried
        check_grad_dtypes: whether a gradient must have the dtype of its input
        check_batched_grad: whether gradients under vmap are tried
        check_batched_forward_grad: whether forward gradients under vmap are tried
        check_forward_ad: whether forward gradients are checked
        check_backward_ad: whether backward gradients are checked
        fast_mode: whether random directions stand for the whole Jacobian
        masked: accepted for sparse tensors, which are out of scope

    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, (x,))
    True
    """
    if not check_backward_ad and not check_forward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    inputs = _tuple(inputs)
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    try:
        if check_forward_ad:
            _check_forward(func, inputs, eps, atol, rtol)
        outputs = _compare(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes) if check_backward_ad else ()
        if outputs:
            checked = [t for t in inputs if isinstance(t, _C.TensorBase) and t.requires_grad]
            _check_product(outputs, checked)
            if check_undefined_grad:
                _check_undefined(func, inputs, checked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of func(*inputs) are what finite differences say. `grad_outputs` are the gradients of the results; without them,
    random ones are drawn.

    Args:
        func: a function of tensors to tensors
        inputs: its inputs, of float64 or complex128
        grad_outputs: the gradients of the outputs; None: random ones
        eps: the step of the finite differences
        atol: how far values may be apart, absolutely
        rtol: how far values may be apart, relative to the expected one
        raise_exception: whether a wrong gradient is an error; otherwise the result is False

    >>> x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.sin, (x,))
    True
    """
    from ._passes import grad

    if not check_rev_over_rev and not check_fwd_over_rev:
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    inputs = _tuple(inputs)
    if grad_outputs is None:
        weights = tuple(_random_like(t, gen_non_contig_grad_outputs) for t in _differentiable(func(*inputs)))
    else:
        weights = _tuple(grad_outputs)
    wanted = [isinstance(t, _C.TensorBase) and t.requires_grad for t in inputs]

    def first(*args: Any) -> tuple[Any, ...]:
        given, by = args[: len(inputs)], args[len(inputs) :]
        with enable_grad():
            outputs = _differentiable(func(*given))
            checked = [t for t, is_wanted in zip(given, wanted) if is_wanted]
            found = grad(outputs, checked, by, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        first, (*inputs, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad, fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev,
    )  # fmt: skip


def _random_like(t: Any, apart: bool) -> Any:
    with no_grad():
        drawn = _VF.rand([*t.shape, 2] if apart else list(t.shape), dtype=t.dtype) * 2 - (1 + 1j if t.is_complex() else 1)
    return (drawn[..., 0] if apart else drawn).requires_grad_()
