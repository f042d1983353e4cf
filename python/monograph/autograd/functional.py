"""torch.autograd.functional: Jacobians, Hessians, and products with them, of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C, _VF
from .grad_mode import enable_grad, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_STRICT = "This is not allowed in strict mode."


def _tensors(value: Any, argument: str, function: str) -> tuple[bool, tuple[Any, ...]]:
    """Returns whether the value is a tuple, and its tensors as a tuple."""
    parts = value if isinstance(value, tuple) else (value,)
    for i, part in enumerate(parts):
        if not isinstance(part, _C.TensorBase):
            which = f" value at index {i}" if isinstance(value, tuple) else f" given {argument}"
            raise TypeError(
                f"The {argument} given to {function} must be either a Tensor or a tuple of Tensors but the{which} has type {type(part)}."
            )
    return isinstance(value, tuple), parts


def _inputs(tensors: tuple[Any, ...], create_graph: bool, requires_grad: bool) -> tuple[Any, ...]:
    """New tensors for the inputs. The function may also use the given tensors in other ways, and this use must not count as an input."""
    return tuple(t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(requires_grad) for t in tensors)


def _results(tensors: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    return tensors if create_graph else tuple(t.detach() for t in tensors)


def _one(tensors: tuple[Any, ...], is_tuple: bool) -> Any:
    return tensors if is_tuple else tensors[0]


def _gradients(
    outputs: Any, inputs: tuple[Any, ...], weights: Any = None, create_graph: bool = False, retain_graph: bool | None = None
) -> tuple[Any, ...]:
    """The gradients of the inputs; None for an input on which no output depends."""
    from ._passes import grad

    weights = weights if weights is not None else (None,) * len(outputs)
    pairs = [(t, w) for t, w in zip(outputs, weights) if t is not None and t.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    roots, given = zip(*pairs)
    return grad(roots, inputs, given, allow_unused=True, create_graph=create_graph, retain_graph=retain_graph)


def _check_depends(
    tensors: tuple[Any, ...], strict: bool, message: Callable[[int], str], absent: Callable[[int], str] | None = None
) -> None:
    for i, t in enumerate(tensors if strict else ()):
        if t is None and absent is not None:
            raise RuntimeError(f"{absent(i)} {_STRICT}")
        if not t.requires_grad:
            raise RuntimeError(message(i))


def _check_outputs(outputs: tuple[Any, ...], strict: bool) -> None:
    _check_depends(
        outputs,
        strict,
        lambda i: (
            f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in a differentiable manner from the input "
            "when running in strict mode."
        ),
    )


def _check_jacobian(jacobian: tuple[Any, ...], strict: bool) -> None:
    _check_depends(
        jacobian,
        strict,
        lambda i: (
            f"While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is independent of the input. "
            "This is not allowed in strict mode. You should ensure that your function is twice differentiable and that the jacobian depends on the inputs "
            "(this would be violated by a linear function for example)."
        ),
        lambda i: f"The output of the user-provided function is independent of input {i}.",
    )


def _with_zeros(
    grads: tuple[Any, ...], like: tuple[Any, ...], strict: bool, create_graph: bool, absent: Callable[[int], str], what: str
) -> tuple[Any, ...]:
    """Replaces None by zeros; raises in strict mode."""
    found = []
    for i, g in enumerate(grads):
        if g is None:
            if strict:
                raise RuntimeError(absent(i))
            g = like[i].new_zeros(like[i].shape)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict mode when create_graph=True."
            )
        found.append(g)
    return tuple(found)


def _vector(v: Any, function: str, like: tuple[Any, ...], is_tuple: bool, create_graph: bool) -> tuple[Any, ...]:
    _, parts = _tensors(v, "v", function)
    parts = _inputs(parts, create_graph, False)
    if len(parts) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(parts)}."
            if is_tuple
            else "The given v should contain a single Tensor."
        )
    for i, (t, other) in enumerate(zip(parts, like)):
        if t.shape != other.shape:
            entry = f"Entry {i} in " if is_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {t.shape}.")
    return parts


def _vector_by_input(v: Any, function: str, inputs: tuple[Any, ...], is_tuple: bool, create_graph: bool) -> Any:
    if v is not None:
        return _vector(v, function, inputs, is_tuple, create_graph)
    if len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    return None


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The results of func(*inputs), and the product of the vector `v` with their Jacobian: v has the shapes of the results.

    Args:
        func: a function of tensors to tensors
        inputs: a tensor or a tuple of tensors
        v: the vector, of the shape of the result
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros

    >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        is_tuple, parts = _tensors(inputs, "inputs", "vjp")
        parts = _inputs(parts, create_graph, True)
        gives_tuple, outputs = _tensors(func(*parts), "outputs of the user-provided function", "vjp")
        _check_outputs(outputs, strict)
        if v is not None:
            v = _vector(v, "vjp", outputs, gives_tuple, create_graph)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
    with set_grad_enabled(create_graph or _C._is_grad_enabled()):
        grads = _gradients(outputs, parts, v, create_graph)
        product = _with_zeros(
            grads,
            parts,
            strict,
            create_graph,
            lambda i: f"The output of the user-provided function is independent of input {i}. {_STRICT}",
            "jacobian",
        )
    return _one(_results(outputs, create_graph), gives_tuple), _one(_results(product, create_graph), is_tuple)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The results of func(*inputs), and the product of their Jacobian with the vector `v`, which has the shapes of the inputs. It takes two backward passes.

    Args:
        func: a function of tensors to tensors
        inputs: a tensor or a tuple of tensors
        v: the vector, of the shape of the inputs
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros

    >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        is_tuple, parts = _tensors(inputs, "inputs", "jvp")
        parts = _inputs(parts, create_graph, True)
        v = _vector_by_input(v, "jvp", parts, is_tuple, create_graph)
        gives_tuple, outputs = _tensors(func(*parts), "outputs of the user-provided function", "jvp")
        _check_outputs(outputs, strict)
        weights = tuple(t.new_zeros(t.shape).requires_grad_() for t in outputs)  # the gradient is linear in them: any values do
        grads = _gradients(outputs, parts, weights, create_graph=True)
        _check_depends(
            grads,
            strict,
            lambda i: f"The gradient with respect to input {i} is independent of the inputs of the user-provided function. {_STRICT}",
            lambda i: f"The output of the user-provided function is independent of input {i}.",
        )
    with set_grad_enabled(create_graph or _C._is_grad_enabled()):
        product = _with_zeros(
            _gradients(grads, weights, v, create_graph),
            outputs,
            strict,
            create_graph,
            lambda i: (
                f"The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double backward trick to compute "
                f"forward mode gradients. {_STRICT}"
            ),
            "jacobian",
        )
    return _one(_results(outputs, create_graph), gives_tuple), _one(_results(product, create_graph), gives_tuple)


def _check_strategy(function: str, vectorize: bool, strategy: str, argument: str, strict: bool) -> None:
    """Checks `strategy`. Every strategy, and vectorize=True, gives the same result: it is always computed row by row."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            f'Expected {argument} to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than inputs, "forward-mode" tends to '
            'be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode" and strict and argument == "strategy":
        raise RuntimeError(
            f'{function}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set `strict=False` or '
            '`strategy="reverse-mode"`.'
        )
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`.")
    if vectorize and strict:
        raise RuntimeError(f"{function}: `strict=True` and `vectorized=True` are not supported together. Please either set `strict=False` or `vectorize=False`.")


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivatives of each element of the results by each element of the inputs: of shape results.shape + input.shape. With several inputs or results,
    a tuple of them.

    Args:
        func: a function of tensors to tensors
        inputs: a tensor or a tuple of tensors
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros
        vectorize: whether all rows are computed at once, under vmap
        strategy: "reverse-mode" or, with vectorize, "forward-mode"

    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy == "forward-mode" and create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
            '`create_graph=False` or `strategy="reverse-mode"`.'
        )
    _check_strategy("torch.autograd.functional.jacobian", vectorize, strategy, "strategy", strict)
    with enable_grad():
        is_tuple, parts = _tensors(inputs, "inputs", "jacobian")
        parts = _inputs(parts, create_graph, True)
        gives_tuple, outputs = _tensors(func(*parts), "outputs of the user-provided function", "jacobian")
        _check_outputs(outputs, strict)
        found = tuple(_rows(out, i, parts, create_graph, strict) for i, out in enumerate(outputs))
    found = tuple(_one(_results(of_output, create_graph), is_tuple) for of_output in found)
    return _one(found, gives_tuple)


def _rows(out: Any, place: int, inputs: tuple[Any, ...], create_graph: bool, strict: bool) -> tuple[Any, ...]:
    rows: list[list[Any]] = [[] for _ in inputs]
    for element in out.reshape(-1).unbind(0) if out.numel() else ():
        for i, g in enumerate(_gradients((element,), inputs, retain_graph=True, create_graph=create_graph)):
            if g is None and strict:
                raise RuntimeError(f"Output {place} of the user-provided function is independent of input {i}. {_STRICT}")
            if g is not None and strict and create_graph and not g.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {place}. This is not allowed in strict mode when create_graph=True."
                )
            rows[i].append(inputs[i].new_zeros(inputs[i].shape) if g is None else g)
    return tuple(_VF.stack(of_input).view(out.shape + inputs[i].shape) for i, of_input in enumerate(rows))


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function that gives one number: of shape input.shape + input.shape. With several inputs, a tuple of tuples.

    Args:
        func: a function of tensors to one number
        inputs: a tensor or a tuple of tensors
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros
        vectorize: whether all rows are computed at once, under vmap
        outer_jacobian_strategy: "reverse-mode" or, with vectorize, "forward-mode"

    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    is_tuple, parts = _tensors(inputs, "inputs", "hessian")
    _check_strategy("torch.autograd.functional.hessian", vectorize, outer_jacobian_strategy, "outer_jacobian_strategy", strict)

    def number(*args: Any) -> Any:
        return _one_number(func(*args), "hessian", strict)[0].squeeze()

    def first(*args: Any) -> Any:
        found = jacobian(number, args, create_graph=True)
        _check_jacobian(found, strict)
        return found

    found = jacobian(first, parts, create_graph=create_graph, strict=strict)
    return found if is_tuple else found[0][0]


def _one_number(output: Any, function: str, strict: bool) -> tuple[Any, ...]:
    gives_tuple, outputs = _tensors(output, "outputs of the user-provided function", function)
    _check_outputs(outputs, strict)
    if gives_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outputs


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The result of a function that gives one number, and the product of the vector `v` with its Hessian.

    Args:
        func: a function of tensors to one number
        inputs: a tensor or a tuple of tensors
        v: the vector, of the shape of the inputs
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros

    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        is_tuple, parts = _tensors(inputs, "inputs", "vhp")
        parts = _inputs(parts, create_graph, True)
        v = _vector_by_input(v, "vhp", parts, is_tuple, create_graph)
        outputs = _one_number(func(*parts), "vhp", strict)
        first = _gradients(outputs, parts, create_graph=True)
        _check_jacobian(first, strict)
    with set_grad_enabled(create_graph or _C._is_grad_enabled()):
        product = _with_zeros(
            _gradients(first, parts, v, create_graph),
            parts,
            strict,
            create_graph,
            lambda i: f"The jacobian of the user-provided function is independent of input {i}. {_STRICT}",
            "hessian",
        )
    return _results(outputs, create_graph)[0], _one(_results(product, create_graph), is_tuple)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The result of a function that gives one number, and the product of its Hessian with the vector `v`. `vhp` gives the same faster if the second
    derivatives are continuous.

    Args:
        func: a function of tensors to one number
        inputs: a tensor or a tuple of tensors
        v: the vector, of the shape of the inputs
        create_graph: whether the result can be differentiated again
        strict: whether an input that the result does not depend on is an error; otherwise its part is zeros

    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        is_tuple, parts = _tensors(inputs, "inputs", "hvp")
        parts = _inputs(parts, create_graph, True)
        v = _vector_by_input(v, "hvp", parts, is_tuple, create_graph)
        outputs = _one_number(func(*parts), "hvp", strict)
        first = _gradients(outputs, parts, create_graph=True)
        _check_jacobian(first, strict)
        weights = tuple(t.new_zeros(t.shape).requires_grad_() for t in parts)
        second = _gradients(first, parts, weights, create_graph=True)
    with set_grad_enabled(create_graph or _C._is_grad_enabled()):
        product = _with_zeros(
            _gradients(second, weights, v, create_graph),
            parts,
            strict,
            create_graph,
            lambda i: (
                f"The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not allowed in strict mode as it "
                "prevents from using the double backward trick to replace forward mode AD."
            ),
            "hessian",
        )
    return _results(outputs, create_graph)[0], _one(_results(product, create_graph), is_tuple)
