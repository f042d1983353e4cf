"""Operators of one's own, as torch.library spells them: torch.ops.mine.leaky.

    lib = torch.library.Library("mine", "DEF")
    lib.define("leaky(Tensor self, float slope=0.1) -> Tensor")
    lib.impl("leaky", lambda self, slope=0.1: torch.where(self > 0, self, self * slope))

    @torch.library.custom_op("mine::cube", mutates_args=())
    def cube(x: torch.Tensor) -> torch.Tensor:
        return x * x * x

    cube.register_autograd(lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g,
                           setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))

An operator is a record like every other: it is a node by its name in every capture, its schema says what it writes, and a program that uses it
names it where it is missing.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal, Union

from . import _C
from ._ops import ops

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
]

_RESERVED = ("aten", "prim", "prims")
_defining: set[str] = set()  # namespaces with a Library of kind DEF


def _define_operator(schema: str) -> str:
    """Registers the operator "mine::leaky.overload(...) -> ..."; answers its full name."""
    name = _C._library_define(schema)
    space, _, rest = name.partition("::")
    vars(getattr(ops, space)).pop(rest.partition(".")[0], None)  # what was looked up there lacks this overload
    return name


class Library:
    """Defines operators of a namespace (DEF, FRAGMENT), or gives functions to those that others defined (IMPL)."""

    def __init__(self, ns: str, kind: Literal["IMPL", "DEF", "FRAGMENT"], dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns in _RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if kind == "DEF":
            if ns in _defining:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your definitions in a single "
                    'TORCH_LIBRARY block. If you were trying to specify implementations, consider using Library(ns, "IMPL"), or '
                    'Library(ns, "FRAGMENT") for more definitions.'
                )
            _defining.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Adds an operator; answers its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        if self.kind == "IMPL":
            raise RuntimeError(f"an IMPL library of {self.ns} defines no operators; make one of kind FRAGMENT")
        name = _define_operator(f"{self.ns}::{schema}")
        return name.partition("::")[2].partition(".")[0]

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False, allow_override: bool = False) -> None:
        """Gives an operator its function. The key may be CPU or Composite…; Meta is register_fake."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = _full_name(op_name, self.ns)
        key = dispatch_key or self.dispatch_key
        if key == "Meta":
            _C._library_fake(name, fn)
        elif key in ("", "CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
            if _C._library_implemented(name) and not allow_override:
                raise RuntimeError(
                    f"This is not allowed since there's already a kernel registered from python overriding {op_name}'s behavior for "
                    f"{key or 'CPU'} dispatch key and {self.ns} namespace."
                )
            _C._library_impl(name, fn)
        # Keys of devices that this build lacks are accepted, as PyTorch accepts them without the device.


def _full_name(op: Any, ns: str | None = None) -> str:
    if isinstance(op, CustomOpDef):
        return op._qualname
    name = op if isinstance(op, str) else getattr(op, "name", None) or str(op)
    if callable(name):
        name = name()
    if "::" not in name:
        if ns is None:
            raise ValueError(f"Expected the name of an operator to be of the form namespace::name, got {name}")
        name = f"{ns}::{name}"
    return name[: -len(".default")] if name.endswith(".default") else name


# --- Functions as operators.

_TYPES: dict[Any, str] = {int: "SymInt", float: "float", bool: "bool", str: "str", complex: "Scalar"}


def _schema_type(annotation: Any, where: str) -> str:
    from ._tensor import Tensor

    if annotation is Tensor:
        return "Tensor"
    if annotation in _TYPES:
        return _TYPES[annotation]
    if annotation in (_C.dtype, _C.device):
        return "ScalarType" if annotation is _C.dtype else "Device"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        if set(rest) == {int, float, bool} or set(rest) == {int, float}:
            return "Scalar" + ("?" if len(rest) != len(args) else "")
        if len(rest) == 1 and len(args) == 2:
            return _schema_type(rest[0], where) + "?"
    if origin in (list, collections.abc.Sequence) and len(args) == 1:
        return _schema_type(args[0], where) + "[]"
    raise ValueError(f"infer_schema(func): {where} has unsupported type {annotation}. The types of an operator are Tensor, int, float, bool, str, "
                     "dtype, device, and lists and optional ones of them.")  # fmt: skip


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_default, value))}]"
    return repr(value)


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None) -> str:
    """The schema that a function's annotations say: "(Tensor x, SymInt n=1) -> Tensor"."""
    signature = inspect.signature(prototype_function, eval_str=True)
    if mutates_args == "unknown":
        raise NotImplementedError('mutates_args="unknown" is not supported; name the arguments that are written, or () for none')
    written = set(mutates_args)
    if unknown := written - set(signature.parameters):
        raise ValueError(f"infer_schema(func): mutates_args names {sorted(unknown)}, which are not arguments of the function")
    parts, keywords, mark = [], False, 0
    for name, p in signature.parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise ValueError("infer_schema(func): an operator takes no *args and **kwargs")
        if p.annotation is p.empty:
            raise ValueError(f"infer_schema(func): Parameter {name} must have a type annotation, for example {name}: torch.Tensor")
        if p.kind is p.KEYWORD_ONLY and not keywords:
            keywords = True
            parts.append("*")
        t = _schema_type(p.annotation, f"parameter {name}")
        if name in written:
            t = t.replace("Tensor", f"Tensor({chr(ord('a') + mark)}!)", 1)
            mark += 1
        parts.append(f"{t} {name}" + ("" if p.default is p.empty else f"={_default(p.default)}"))
    r = signature.return_annotation
    if r is signature.empty:
        raise ValueError("infer_schema(func): the function must have a return annotation")
    if r in (None, type(None)):
        returns = "()"
    elif typing.get_origin(r) is tuple:
        returns = f"({', '.join(_schema_type(a, 'the result') for a in typing.get_args(r))})"
    else:
        returns = _schema_type(r, "the result")
    return f"{op_name or ''}({', '.join(parts)}) -> {returns}"


class CustomOpDef:
    """What custom_op makes: calls the operator, and takes its other rules."""

    def __init__(self, qualname: str, schema: str, fn: Callable[..., Any]):
        self._qualname, self._init_fn = qualname, fn
        _define_operator(f"{qualname}{schema}")
        _C._library_impl(qualname, fn)
        _C._library_new_results(qualname)
        namespace, _, name = qualname.partition("::")
        self._opoverload = getattr(getattr(ops, namespace), name)
        self.__doc__ = fn.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        return register_fake(self._qualname, fn)

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        register_autograd(self._qualname, backward, setup_context=setup_context)

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        return register_kernel(self._qualname, device_types, fn)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        return register_vmap(self._qualname, func)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        return register_torch_dispatch(self._qualname, torch_dispatch_class, fn)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes a function an operator: torch.ops.<namespace>.<name>, one node in every capture."""
    namespace, separator, rest = name.partition("::")
    if not separator or not rest:
        raise ValueError(f"Expected the name of an operator to be of the form namespace::name, got {name}")
    if namespace in _RESERVED:
        raise ValueError(f"{namespace} is a reserved namespace. Please try creating a library with another name.")

    def inner(f: Callable[..., Any]) -> CustomOpDef:
        return CustomOpDef(name, schema if schema is not None else infer_schema(f, mutates_args=mutates_args), f)

    return inner if fn is None else inner(fn)


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Adds the operator `qualname` with the schema "(Tensor x) -> Tensor"."""
    namespace = qualname.partition("::")[0]
    if lib is None and namespace in _RESERVED:
        raise ValueError(f"{namespace} is a reserved namespace. Please try creating a library with another name.")
    _define_operator(f"{qualname}{schema}")


def impl(qualname: str, types: Any, func: Callable[..., Any] | None = None, *, lib: Library | None = None) -> Any:
    """Gives the operator its function on these devices ("cpu", "default"); without `func` a decorator."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        for t in [types] if isinstance(types, str) else types:
            if t.lower() in ("cpu", "default", "compositeexplicitautograd", "compositeimplicitautograd"):
                _C._library_impl(_full_name(qualname), f)
            elif t.lower() == "meta":
                _C._library_fake(_full_name(qualname), f)
        return f

    return register if func is None else register(func)


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """impl for an operator that custom_op made."""
    return impl(_full_name(op), "default" if device_types is None else device_types, func, lib=lib)


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None, _stacklevel: int = 1, allow_override: bool = False) -> Any:
    """Gives the operator its sizes and dtypes: a function on tensors without elements."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        name = _full_name(op)
        # Of a library that load_library refused there are no operators: what a package says of them has no use.
        if not ops._refused or hasattr(getattr(ops, name.partition("::")[0]), name.partition("::")[2].partition(".")[0]):
            _C._library_fake(name, f)
        return f

    return register if func is None else register(func)


def impl_abstract(qualname: Any, func: Callable[..., Any] | None = None, *, lib: Library | None = None, _stacklevel: int = 1) -> Any:
    """The older name of register_fake. It warns."""
    warnings.warn(
        "`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will remove `torch.library.impl_abstract` in "
        "a future version of PyTorch.",
        FutureWarning,
        stacklevel=2,
    )
    return register_fake(qualname, func, lib=lib)


def fallthrough_kernel(*args: Any, **kwargs: Any) -> Any:
    """Stands for a kernel that is passed over. Raises NotImplementedError when it is called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Takes the function for batches of an operator, and does not call it: torch.vmap calls the operator for each sample. Without func it is a decorator."""
    _full_name(op)
    return (lambda f: f) if func is None else func


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Gives the operator its own answer under a TorchDispatchMode: func(mode, operator, types, args, kwargs).

    torch_dispatch_class: the class of the mode. Without func it is a decorator.
    """

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        from .utils._python_dispatch import RULES

        name, _, overload = _full_name(op).partition("::")[2].partition(".")
        packet = getattr(getattr(ops, _full_name(op).partition("::")[0]), name)
        RULES[getattr(packet, overload or "default"), torch_dispatch_class] = f
        return f

    return register if func is None else register(func)


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Library | None = None) -> None:
    """Gives the operator its gradient: backward(ctx, *grads), and setup_context(ctx, inputs, output), which runs before it."""
    _C._library_autograd(_full_name(op), backward, setup_context)


class _Context:
    """What setup_context fills and backward reads."""

    def __init__(self, needs_input_grad: tuple[bool, ...]):
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def set_materialize_grads(self, value: bool) -> None:
        pass


def _run_backward(name: str, backward: Any, setup_context: Any, inputs: tuple, output: Any, needs: tuple, grads: tuple) -> tuple:
    ctx = _Context(needs)
    if setup_context is not None:
        setup_context(ctx, inputs, output)
    made = backward(ctx, *grads)
    made = made if isinstance(made, tuple) else (made,)
    if len(made) != len(inputs):
        raise RuntimeError(
            f"[{name}] the backward function returned {len(made)} gradients, but the operator has {len(inputs)} input(s); return None for an input without a gradient"
        )
    return made
