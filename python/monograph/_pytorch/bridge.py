"""Calls of functions of one library from graphs of the other, with gradients."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import monograph

from ..nn import Module
from .names import function_of_ours, function_of_theirs
from .tensors import Exchange


class _Leaf:
    """Stands for a tensor in the structure of arguments or results."""

    def __init__(self, index: int):
        self.index = index


def _flat(value: Any, is_tensor: Callable[[Any], bool], found: list[Any]) -> Any:
    """The structure of a value, with a _Leaf for each tensor, which are put into `found`."""
    if is_tensor(value):
        found.append(value)
        return _Leaf(len(found) - 1)
    if isinstance(value, (list, tuple)):
        parts = [_flat(v, is_tensor, found) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return {k: _flat(v, is_tensor, found) for k, v in value.items()} if isinstance(value, dict) else value


def _filled(value: Any, tensors: Sequence[Any], other: Callable[[Any], Any]) -> Any:
    if isinstance(value, _Leaf):
        return tensors[value.index]
    if isinstance(value, (list, tuple)):
        parts = [_filled(v, tensors, other) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts) if isinstance(value, tuple) else parts
    return {k: _filled(v, tensors, other) for k, v in value.items()} if isinstance(value, dict) else other(value)


class _BridgedCall:
    """One call of a function of the inner library on tensors of the outer one."""

    def __init__(self, function: Callable[..., Any], structure: Any, own: list[Any], inner_is_pytorch: bool):
        self.function, self.structure, self.own, self.inner_is_pytorch = function, structure, own, inner_is_pytorch
        self.inner, self.outer = _libraries(inner_is_pytorch)

    def forward(self, tensors: Sequence[Any], with_gradient: bool) -> tuple[Any, ...]:
        into = Exchange(to_ours=not self.inner_is_pytorch)
        plain = [into.tensor(t.detach()) for t in tensors]
        self.inputs = [p.requires_grad_() if with_gradient and t.requires_grad else p for p, t in zip(plain, tensors, strict=True)]
        with self.inner.set_grad_enabled(with_gradient):
            args, kwargs = _filled(self.structure, self.inputs, lambda value: _function_inside(into.constant(value), self.inner_is_pytorch))
            result = self.function(*args, **kwargs)
        self.outputs: list[Any] = []
        self.result = _flat(result, into_is_tensor(self.inner), self.outputs)
        back = Exchange(to_ours=self.inner_is_pytorch)
        self.constant = back.constant
        return tuple(back.tensor(t.detach()) for t in self.outputs)

    def backward(self, gradients: Sequence[Any]) -> list[Any]:
        into, back = Exchange(to_ours=not self.inner_is_pytorch), Exchange(to_ours=self.inner_is_pytorch)
        of = [(o, into.tensor(g)) for o, g in zip(self.outputs, gradients, strict=True) if g is not None and o.requires_grad]
        sources = [*self.inputs, *self.own]
        wanted = [s for s in sources if s.requires_grad]
        found = iter(
            self.inner.autograd.grad([o for o, _ in of], wanted, [g for _, g in of], allow_unused=True) if of else [None] * len(wanted)
        )
        taken = [next(found) if s.requires_grad else None for s in sources]
        return [None if g is None else back.tensor(g) for g in taken]


def _function_inside(value: Any, inner_is_pytorch: bool) -> Any:
    """A function among the arguments, as the inner library has it; other values as they are."""
    if not callable(value) or isinstance(value, type):
        return value
    inside = getattr(value, "in_other_library", None)
    return inside or (function_of_theirs if inner_is_pytorch else function_of_ours)(value) or value


def into_is_tensor(library: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, library.Tensor)


def _libraries(inner_is_pytorch: bool) -> tuple[Any, Any]:
    import torch

    return (torch, monograph) if inner_is_pytorch else (monograph, torch)


@functools.cache
def _function_class(outer: Any) -> Any:
    class InOtherLibrary(outer.autograd.Function):
        @staticmethod
        def forward(ctx: Any, call: _BridgedCall, count: int, *tensors: Any) -> Any:
            ctx.call = call
            made = call.forward(tensors[:count], True)
            ctx.mark_non_differentiable(*(m for m, o in zip(made, call.outputs, strict=True) if not o.requires_grad))
            return made

        @staticmethod
        @outer.autograd.function.once_differentiable
        def backward(ctx: Any, *gradients: Any) -> Any:
            return (None, None, *ctx.call.backward(gradients))

    return InOtherLibrary


def call(function: Callable[..., Any], args: Any, kwargs: Any, inner_is_pytorch: bool, own: Sequence[tuple[Any, Any]] = ()) -> Any:
    """function(*args, **kwargs), a function of the other library. own: the parameters that it computes with, of both libraries."""
    tensors: list[Any] = []
    outer = _libraries(inner_is_pytorch)[1]
    structure = _flat((args, dict(kwargs)), into_is_tensor(outer), tensors)
    outside = [a for a, _ in own]
    made = _BridgedCall(function, structure, [b for _, b in own], inner_is_pytorch)
    if outer.is_grad_enabled() and any(t.requires_grad for t in (*tensors, *outside)):
        results = _function_class(outer).apply(made, len(tensors), *tensors, *outside)
    else:
        results = made.forward(tensors, False)
    return _filled(made.result, results, made.constant)


def called(function: Callable[..., Any], inner_is_pytorch: bool, name: str = "") -> Callable[..., Any]:
    """A function of the other library, for tensors of this one. name: what generated code calls it."""

    def in_other_library(*args: Any, **kwargs: Any) -> Any:
        return call(function, args, kwargs, inner_is_pytorch)

    home = "in_pytorch" if inner_is_pytorch else "in_monograph"
    in_other_library.__name__ = in_other_library.__qualname__ = re.sub(
        r"\W", "_", name or str(getattr(function, "__name__", type(function).__name__))
    )
    in_other_library.__module__ = home  # generated code calls it in_pytorch_NAME
    in_other_library.in_other_library = function  # type: ignore[attr-defined]
    return in_other_library


def called_method(name: str, inner_is_pytorch: bool) -> Callable[..., Any]:
    """A method of the other library's tensors, for tensors of this one."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    method.__name__ = name
    return called(method, inner_is_pytorch)


def _opaque(base: Any, inner_is_pytorch: bool) -> Any:
    class InOtherLibrary(base):
        """A module of the other library, whose parameters and buffers share memory with the ones here."""

        def __init__(self, module: Any, exchange: Exchange):
            super().__init__()
            object.__setattr__(self, "in_other_library", module)
            self.training = module.training
            for path, t in module.named_parameters():
                _owner(self, base, path).register_parameter(path.rpartition(".")[2], exchange.tensor(t))
            for path, t in module.named_buffers():
                _owner(self, base, path).register_buffer(path.rpartition(".")[2], exchange.tensor(t))

        def train(self, mode: bool = True) -> Any:
            self.in_other_library.train(mode)
            return super().train(mode)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            other = dict(self.in_other_library.named_parameters())
            own = [(p, other[path]) for path, p in self.named_parameters()]
            return call(self.in_other_library, args, kwargs, inner_is_pytorch, own)

        def extra_repr(self) -> str:
            return type(self.in_other_library).__qualname__

    return InOtherLibrary


def _owner(root: Any, base: Any, path: str) -> Any:
    for name in path.split(".")[:-1]:
        if name not in root._modules:
            root.add_module(name, base())
        root = root._modules[name]
    return root


InPyTorch = _opaque(Module, True)


@functools.cache
def in_monograph() -> Any:
    """The class of PyTorch's modules that call a module of Monograph."""
    import torch

    return _opaque(torch.nn.Module, False)
