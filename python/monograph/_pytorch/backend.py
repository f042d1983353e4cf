"""The backend "monograph" of PyTorch's torch.compile. PyTorch finds it by the entry point of this package, once both are installed.

torch.compile gives a graph, and AOTAutograd makes of it the forward and the backward pass in operators. Both run in Monograph. PyTorch keeps what is
around them: guards, autograd, writes to inputs. Operators that Monograph lacks are decomposed as PyTorch decomposes them. What is still lacking, and
operators that draw random numbers, are called in PyTorch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import _C, Tensor, no_grad
from . import pytorch
from .graphs import FromTorch
from .names import decompositions, draws, function_of_ours
from .tensors import to_ours, to_theirs


def compiled(module: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """What torch.compile(model, backend="monograph") calls for each graph. module: a GraphModule of PyTorch."""
    pytorch("the backend of torch.compile")
    from torch._dynamo.backends.common import aot_autograd

    return aot_autograd(fw_compiler=_in_operators, bw_compiler=_in_operators, decompositions=_decompositions())(module, example_inputs)


@functools.cache
def _decompositions() -> dict[Any, Callable[..., Any]]:
    return decompositions(_function)


def _laid_out(value: Tensor, strides: tuple[int, ...]) -> Tensor:
    """The tensor with these strides, which the graph counts on. Some operators give other strides than those of PyTorch."""
    if value.stride() == strides:
        return value
    return _C._functions()[""]["empty_strided"](tuple(value.shape), strides, dtype=value.dtype).copy_(value)


def _function(operator: Any) -> Any:
    """Monograph's function for an operator of PyTorch; None if PyTorch shall compute it."""
    import torch

    if operator is _laid_out:
        return operator
    if operator is torch.ops.aten.view.default:  # views are values here, and a value with other strides may need a copy
        return _C._functions()[""]["reshape"]
    return None if draws(operator) else function_of_ours(operator)


def _strides(node: Any) -> tuple[int, ...] | None:
    """The strides of a value of PyTorch's graph; None if they are unknown or symbolic."""
    import torch

    value = node.meta.get("val") if isinstance(node, torch.fx.Node) else None
    if not isinstance(value, torch.Tensor) or not all(isinstance(s, int) for s in value.stride()) or value.numel() == 0:
        return None
    return tuple(value.stride())


def _lay_out(graph: Any) -> None:
    """Makes as_strided, which reads memory by strides, get those of PyTorch."""
    import torch

    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.as_strided.default):
        strides = _strides(node.args[0])
        if strides is None:
            raise NotImplementedError(
                f'the backend "monograph" takes no as_strided of a tensor whose strides are symbolic: {node.name}. Use dynamic=False'
            )
        with graph.inserting_before(node):
            node.update_arg(0, graph.call_function(_laid_out, (node.args[0], strides)))


def _factor_as_theirs(graph: Any) -> None:
    """Makes determinants give the factors that PyTorch's gradients of them read: of the transposed matrix, where a real matrix is contiguous."""
    import torch

    aten = torch.ops.aten
    for target in (aten._linalg_det.default, aten._linalg_slogdet.default):
        for node in graph.find_nodes(op="call_function", target=target):
            value = node.args[0].meta.get("val")
            if isinstance(value, torch.Tensor) and value.is_contiguous() and not value.is_complex():
                with graph.inserting_before(node):
                    node.update_arg(0, graph.call_function(aten.transpose.int, (node.args[0], -2, -1)))


def _in_operators(module: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """A function of PyTorch's tensors that runs one graph of operators in Monograph."""
    import torch
    from torch._functorch.aot_autograd import make_boxed_func
    from torch.utils._python_dispatch import _disable_current_modes

    _lay_out(module.graph)
    _factor_as_theirs(module.graph)
    with _disable_current_modes():  # it is called where tensors have no values
        ours = FromTorch(fallback=True, instead=_function).whole(module)
    placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
    results = next(n for n in module.graph.nodes if n.op == "output").args[0]
    strides = [_strides(r) for r in results]
    given = [placeholders.index(r) if isinstance(r, torch.fx.Node) and r.op == "placeholder" else None for r in results]

    def run(*inputs: Any) -> Any:
        with no_grad():
            computed = ours(*[to_ours(x) if isinstance(x, torch.Tensor) else x for x in inputs])
        memory = {x.untyped_storage().data_ptr(): x for x in inputs if isinstance(x, torch.Tensor)}
        return tuple(inputs[k] if k is not None else _result(r, s, memory) for r, s, k in zip(computed, strides, given, strict=True))

    return make_boxed_func(run)


def _result(value: Any, strides: tuple[int, ...] | None, memory: dict[int, Any]) -> Any:
    """A result as a tensor of PyTorch. A view of an input is a view there too, so that writes between the forward and the backward pass are noticed."""
    if not isinstance(value, Tensor):
        return value
    made = to_theirs(value if strides is None else _laid_out(value, strides))
    base = memory.get(value.untyped_storage().data_ptr()) if value.numel() else None
    if base is None or base.dtype is not made.dtype:
        return made
    return base.detach().as_strided(made.shape, made.stride(), (made.data_ptr() - base.untyped_storage().data_ptr()) // made.element_size())
