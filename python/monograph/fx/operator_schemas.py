"""torch.fx.operator_schemas: the arguments of calls by their names, with defaults filled in."""

from __future__ import annotations

import inspect
import numbers
import typing
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _C, nn
from .._tensor import Tensor
from ..nn import Module

__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "get_signature_for_torch_op", "create_type_hint", "type_matches", "normalize_function",
    "normalize_module",
]  # fmt: skip


class ArgsKwargsPair(NamedTuple):
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


_TYPES: dict[str, Any] = {
    "Tensor": Tensor, "Scalar": numbers.Number, "number": numbers.Number, "int": int, "SymInt": int, "float": float, "bool": bool, "str": str,
    "ScalarType": int, "Layout": int, "MemoryFormat": int, "Device": _C.device, "Generator": _C.Generator, "complex": complex,
}  # fmt: skip


def _python_type(text: str) -> Any:
    """The Python type that the text of a schema's type means."""
    if text.endswith("?"):
        return typing.Optional[_python_type(text[:-1])]  # noqa: UP045 (of a value)
    if text.endswith("]"):
        return list[_python_type(text[: text.rindex("[")])]  # type: ignore[misc]
    return _TYPES.get(text, Any)


def _signature(schema: Any) -> inspect.Signature:
    """The signature of an operator's Python function: the first tensor is `input`."""
    parameters: list[inspect.Parameter] = []
    for a in schema.arguments:
        kind: Any = inspect.Parameter.KEYWORD_ONLY if a.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        if a.name == "from":  # a word of Python: this and what stands before it is given by position
            kind = inspect.Parameter.POSITIONAL_ONLY
            parameters = [p.replace(kind=kind) for p in parameters]
        default = a.default_value if a.has_default_value() else inspect.Parameter.empty
        name = "input" if a.name == "self" else a.name
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=_python_type(a.type.str())))
    results = [_python_type(r.type.str()) for r in schema.returns]
    given = None if not results else results[0] if len(results) == 1 else tuple(results)
    return inspect.Signature(_in_valid_order(parameters), return_annotation=given)


def _in_valid_order(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """A default before an argument without one is none."""
    seen = False
    for k in reversed(range(len(parameters))):
        p = parameters[k]
        if p.kind is p.KEYWORD_ONLY:
            continue
        if seen and p.default is not p.empty:
            parameters[k] = p.replace(default=p.empty)
        seen = seen or p.default is p.empty
    return parameters


def _schemas(op: Any) -> list[Any] | None:
    if isinstance(op, _C.OpOverload):
        return [op._schema]
    return list(op._schemas) if isinstance(op, (_C.Builtin, _C.OpOverloadPacket)) else None


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of an operator's overloads, and with return_schemas their schemas too. None of another function."""
    schemas = _schemas(op)
    signatures = None if schemas is None else [_signature(s) for s in schemas]
    return (signatures, schemas) if return_schemas else signatures


def _binds(signature: inspect.Signature, args: Any, kwargs: Any) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def check_for_mutable_operation(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises where the call can only be one that writes to an argument."""
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    fitting = [schema for signature, schema in zip(signatures or (), schemas or ()) if _binds(signature, args, kwargs)]
    if len(fitting) == 1 and fitting[0].is_mutable:
        raise RuntimeError(
            f"Tried to trace mutable operation {fitting[0]}. FX only supports functional code, so operations that mutate operands in-place "
            "(e.g. via `out` arguments) are not supported"
        )


def create_type_hint(x: Any) -> Any:
    """A type for a list or tuple of types: list[T] where all are T; other values as they are."""
    if not isinstance(x, (list, tuple)):
        return x

    def of(element: Any) -> Any:
        return list[element] if isinstance(x, list) else tuple[element, ...]

    try:
        base: Any = x[0] if x else Any
        for t in x:
            if not issubclass(t, base):
                if not issubclass(base, t):
                    return of(Any)
                base = t
        return of(base)
    except TypeError:
        warnings.warn(f"We were not able to successfully create type hint from the type {x}", stacklevel=2)
        return x


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether a parameter of the first type takes an argument of the second."""
    if signature_type is argument_type or signature_type is Any:
        return signature_type is argument_type
    origin, parts = typing.get_origin(signature_type), typing.get_args(signature_type)
    if origin is typing.Union:
        return any(type_matches(part, argument_type) for part in parts)
    if origin is list:
        return _list_takes(parts[0], argument_type)
    if signature_type is int and argument_type is _C.dtype:  # a number in schemas
        return True
    if signature_type is numbers.Number:
        return argument_type in (int, float)
    return inspect.isclass(argument_type) and inspect.isclass(signature_type) and issubclass(argument_type, signature_type)


def _list_takes(element: Any, argument_type: Any) -> bool:
    if argument_type is int and element is int:  # one number stands for a list
        return True
    if not inspect.isclass(element):
        warnings.warn(f"Does not support nested parametric types, got list[{element}]. Please file a bug.", stacklevel=3)
        return False
    given = typing.get_args(argument_type)
    if typing.get_origin(argument_type) is list:
        return inspect.isclass(given[0]) and issubclass(given[0], element)
    return typing.get_origin(argument_type) is tuple and all(t is ... or (inspect.isclass(t) and issubclass(t, element)) for t in given)


def normalize_function(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call with all defaults; with normalize_to_only_use_kwargs all by name. None where the function has no signature.

    arg_types, kwarg_types: the types of the arguments, which tell overloads of an operator apart. Raises where these are needed.
    """
    kwargs = kwargs or {}
    signatures = get_signature_for_torch_op(target)
    if signatures is None:
        if inspect.isbuiltin(target) or not callable(target):
            return None
        try:
            signature = inspect.signature(inspect.unwrap(target))
        except ValueError:  # a function in C
            return None
        return _normalized(signature, args, kwargs, normalize_to_only_use_kwargs)
    fitting = [s for s in signatures if _binds(s, args, kwargs)]
    if len(fitting) > 1:
        if arg_types is None and kwarg_types is None:
            listed = "\n".join(map(str, fitting))
            raise RuntimeError(
                f"Tried to normalize arguments to {_C._qualified_name(target)} but the schema match was ambiguous! Please provide argument types to "
                f"the normalize_arguments() call. Available schemas:\n{listed}"
            )
        fitting = [s for s in fitting if _types_match(s, arg_types or (), kwarg_types or {})]
    return _normalized(fitting[0], args, kwargs, normalize_to_only_use_kwargs) if fitting else None


def _types_match(signature: inspect.Signature, arg_types: tuple[Any, ...], kwarg_types: dict[str, Any]) -> bool:
    if not _binds(signature, arg_types, kwarg_types):
        return False
    bound = signature.bind(*arg_types, **kwarg_types).arguments
    return all(type_matches(signature.parameters[name].annotation, given) for name, given in bound.items())


def normalize_module(
    root: Module, target: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, normalize_to_only_use_kwargs: bool = False
) -> ArgsKwargsPair | None:
    """normalize_function of the call of a layer of torch.nn. None of another module."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(f"Tried to normalize node with target {target} but root did not have that target!") from error
    if getattr(nn, type(module).__name__, None) is not type(module):
        return None
    return _normalized(inspect.signature(inspect.unwrap(module.forward)), args, kwargs or {}, normalize_to_only_use_kwargs)


def _normalized(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], only_kwargs: bool) -> ArgsKwargsPair | None:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(p.kind not in named for p in signature.parameters.values()) and list(signature.parameters) != ["input", "from", "to", "generator"]:
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    count = 0 if only_kwargs else len(args)
    values = list(bound.arguments.items())
    return ArgsKwargsPair(tuple(v for _, v in values[:count]), dict(values[count:]))
