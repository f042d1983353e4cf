"""What programs read of torch._C that Monograph has in other places, or answers by itself: the types of TorchScript, passes over graphs, switches of PyTorch's
executor. Loaded when a program asks for one of them."""

from __future__ import annotations

import importlib
from typing import Any

from . import _C

# What stands for each type in a schema.
_PLAIN = {
    "AnyType": "Any", "BoolType": "bool", "ComplexType": "complex", "DeviceObjType": "Device", "FloatType": "float", "IntType": "int", "NoneType": "NoneType",
    "NumberType": "Scalar", "StreamObjType": "Stream", "StringType": "str", "TensorType": "Tensor",
}  # fmt: skip
_CONTAINERS = ("DictType", "FutureType", "ListType", "OptionalType", "TupleType", "UnionType")


def _type_of(text: str) -> Any:
    """The type that a schema or a graph writes as this text."""
    return _C._type_named(text)


class _TypeClass(type):
    """The metaclass of these classes: their objects are the types of this kind."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _C.Type) and value.kind() == cls.__name__


def _list_type(element: Any) -> Any:
    """List[element]."""
    return _type_of(f"{element.str()}[]")


def _optional_type(element: Any) -> Any:
    return _type_of(f"{element.str()}?")


def _future_type(element: Any) -> Any:
    return _type_of(f"Future({element.str()})")


def _dict_type(key: Any, value: Any) -> Any:
    return _type_of(f"Dict({key.str()}, {value.str()})")


def _tuple_type(elements: Any) -> Any:
    return _type_of(f"({', '.join(element.str() for element in elements)})")


def _union_type(elements: Any) -> Any:
    return _type_of(f"Union({', '.join(element.str() for element in elements)})")


_MAKES: dict[str, Any] = {
    "DictType": _dict_type, "FutureType": _future_type, "ListType": _list_type, "OptionalType": _optional_type, "TupleType": _tuple_type, "UnionType": _union_type,
}  # fmt: skip
_LISTS = {"Bools": "bool", "Complexs": "complex", "Floats": "float", "Ints": "int", "Strings": "str", "Tensors": "Tensor"}


def _type_class(name: str) -> Any:
    """torch._C.IntType and the others: `IntType.get()`, `ListType(IntType.get())`, `isinstance(value.type(), TensorType)`."""
    members: dict[str, Any] = {"__module__": "torch._C"}
    if name in _PLAIN:
        members["get"] = staticmethod(lambda: _type_of(_PLAIN[name]))
    else:
        members["__new__"] = staticmethod(lambda cls, *args: _MAKES[name](*args))
    if name == "ListType":
        members.update({f"of{word}": staticmethod(lambda text=text: _type_of(f"{text}[]")) for word, text in _LISTS.items()})
    if name == "OptionalType":
        members["ofTensor"] = staticmethod(lambda: _type_of("Tensor?"))
    return _TypeClass(name, (), members)


class InferredType:
    """What _jit_try_infer_type gives: a type, or why there is none."""

    def __init__(self, found: Any, why: str) -> None:
        self._type, self._why = found, why

    def success(self) -> bool:
        return self._type is not None

    def type(self) -> Any:
        if self._type is None:
            raise RuntimeError(self._why)
        return self._type

    def reason(self) -> str:
        return self._why


def _inferred(value: Any) -> Any:
    """The type of a value; None where its parts do not tell it. Dtypes and layouts are ints, as in TorchScript."""
    from .jit._attributes import type_of_value

    text = "int" if isinstance(value, (_C.dtype, _C.layout)) else type_of_value(value)
    return None if text is None else _type_of(text)


def _jit_try_infer_type(value: Any) -> InferredType:
    """The type that TorchScript has for a value of Python's.

    >>> torch._C._jit_try_infer_type([1, 2]).type()
    List[int]
    """
    found = _inferred(value)
    why = "" if found is not None else f"Only tensors, numbers, strs and lists, tuples and dicts of one type of them have a type; this is a {type(value).__name__}"
    return InferredType(found, why)


def _jit_pass_inline(graph: Any) -> None:
    """Nothing: the graph of a scripted function has no calls left."""


def _jit_pass_dce(graph: Any) -> None:
    """Removes nodes whose results nobody uses and that do nothing else."""
    graph.eliminate_dead_code()


def _jit_pass_lint(graph: Any) -> None:
    """RuntimeError where the graph is not well formed."""
    graph.lint()


_GIVEN = {f.__name__: f for f in (_jit_pass_inline, _jit_pass_dce, _jit_pass_lint, _jit_try_infer_type)}


def of_C(name: str) -> Any:
    """What torch._C has under this name; None where it has nothing."""
    found: Any = None
    if name in _GIVEN:
        found = _GIVEN[name]
    elif name in _PLAIN or name in _CONTAINERS:
        found = _type_class(name)
    elif name == "_jit_pass_constant_propagation":
        found = importlib.import_module("monograph.jit._passes").constant_propagation
    elif name.startswith(("_jit_", "_set_graph_executor", "_debug_set_")):
        importlib.import_module("monograph.jit._freeze")  # puts the switches there
        return vars(_C).get(name)
    elif name in ("merge_type_from_type_comment", "parse_type_comment"):
        found = getattr(importlib.import_module("monograph.jit._type_comments"), name)
    elif name == "_get_tracing_state":
        from .jit._trace_graph import _get_tracing_state

        found = _get_tracing_state
    if found is not None:
        setattr(_C, name, found)
    return found
