"""The classes of scripts: NamedTuples, Enums, dataclasses and classes of objects. Each has a mangled name, by which graphs know it."""

from __future__ import annotations

import abc
import collections
import enum
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module

_RETURN_TYPES = "__torch__.torch.return_types."
_names: dict[type, str] = {}
_by_name: dict[str, type] = {}
_attributes: dict[type, list[tuple[str, str]]] = {}


def kind_of(cls: Any) -> str | None:
    """"named_tuple", "enum" or "object"; None for what is no class of the user's."""
    if not isinstance(cls, type) or issubclass(cls, (Module, Tensor, BaseException)):
        return None
    if issubclass(cls, enum.Enum):
        return "enum"
    if issubclass(cls, tuple):
        return "named_tuple" if hasattr(cls, "_fields") else None
    if cls.__module__ == "builtins" or cls.__module__.partition(".")[0] in ("monograph", "typing", "collections") or type(cls) is not type:
        return None
    return "object" if type(cls).__flags__ and cls.__flags__ & (1 << 9) else None  # made by a class statement


def object_classes(value: Any, depth: int = 0) -> set[type]:
    """The classes of objects that a value is or that a list, tuple or dict holds."""
    if kind_of(type(value)) == "object":
        return {type(value)}
    if not isinstance(value, (list, tuple, dict)) or depth > 8:
        return set()
    held = value.values() if isinstance(value, dict) else value
    return {cls for item in held for cls in object_classes(item, depth + 1)}


def mangled(cls: type) -> str:
    """The name of a class in graphs, as PyTorch makes it: "__torch__.model.Point"."""
    if cls not in _names:
        home = cls.__module__.replace("monograph.", "torch.", 1) if cls.__module__.startswith("monograph.") else cls.__module__
        module = "__torch__" if home == "__main__" else f"__torch__.{home}"
        name, k = f"{module}.{cls.__name__}", 0
        while name in _by_name:
            name, k = f"{module}.___torch_mangle_{k}.{cls.__name__}", k + 1
        _names[cls], _by_name[name] = name, cls
    return _names[cls]


def by_name(name: str) -> type | None:
    return _by_name.get(name)


def is_interface(cls: Any) -> bool:
    """Whether a class is marked with torch.jit.interface: it says what a module can do, and modules are known by themselves."""
    return isinstance(cls, type) and "__torch_script_interface__" in vars(cls)


def type_text(t: Any, of: Any = None) -> str | None:
    """A Python type as the graph's types are written; None where it is no type of a script. `of` has the names that a type in a str may use."""
    if isinstance(t, typing.ForwardRef):
        t = t.__forward_arg__
    if isinstance(t, str):
        try:
            t = eval(t, vars(sys.modules[of.__module__]) if of is not None else {})
        except Exception:
            return None
    if isinstance(t, type) and issubclass(t, Tensor):
        return "Tensor"
    plain = {
        int: "int", float: "float", bool: "bool", str: "str", complex: "complex", type(None): "NoneType", None: "NoneType", _C.device: "Device",
        _C.dtype: "ScalarType", _C.Generator: "Generator", Any: "Any",
    }  # fmt: skip
    try:
        if t in plain:
            return plain[t]
    except TypeError:
        return None
    kind = kind_of(t)
    if kind is not None:
        if kind == "enum":
            return f"Enum<{_quoted(mangled(t))}>"
        return named_tuple_text(t) if kind == "named_tuple" else f"Class<{_quoted(mangled(t))}>"
    origin, parts = typing.get_origin(t), [type_text(part, of) for part in typing.get_args(t) if part != ()]
    if any(part is None for part in parts):
        return None
    words = [part for part in parts if part is not None]
    if origin is list and len(words) == 1:
        return f"List[{words[0]}]"
    if origin is dict and len(words) == 2:
        return f"Dict({words[0]}, {words[1]})"
    if origin is tuple:
        return f"({', '.join(words)}{',' if len(words) == 1 else ''})"
    if origin in (typing.Union, types.UnionType):
        return f"Union[{', '.join(words)}]"
    return None


# What a default may be where its parameter has one of these types.
_CONVERTED: dict[Any, tuple[type, ...]] = {bool: (int,), int: (bool,), float: (bool, int), complex: (bool, int, float)}


def default_as(value: Any, t: Any, of: Any) -> Any:
    """A default in the type of its parameter, as PyTorch's scripts have it: 2.0 for `gain: float = 2`. `of` has the names that a type in a str may use."""
    while isinstance(t, (str, typing.ForwardRef)):
        try:
            t = eval(t if isinstance(t, str) else t.__forward_arg__, vars(sys.modules[of.__module__]))
        except Exception:
            return value
    if isinstance(t, type) and t in _CONVERTED:
        return t(value) if type(value) in _CONVERTED[t] else value
    origin, parts = typing.get_origin(t), typing.get_args(t)
    if origin in (typing.Union, types.UnionType):
        others = [part for part in parts if part is not type(None)]
        return default_as(value, others[0], of) if len(others) == 1 else value
    if origin is tuple and type(value) is tuple and len(parts) == len(value):
        return tuple(default_as(item, part, of) for item, part in zip(value, parts, strict=True))
    if origin is list and type(value) in (list, tuple):
        return type(value)(default_as(item, parts[0], of) for item in value)
    return value


# What a value of a script can be, and how the graph's types are written; None where no type holds all of them, as all lists.
_VALUES: dict[type, str | None] = {
    bool: "bool", int: "int", float: "float", complex: "complex", str: "str", type(None): "NoneType", Tensor: "Tensor", list: None, dict: None,
    tuple: None,
}  # fmt: skip


def abstract_text(cls: Any) -> str | None:
    """The types of a script that are of an abstract class, as isinstance says: "Union[bool, int, float, complex]" for numbers.Number. "" where no type is
    of it; None where the graph's types cannot say it, as for Sequence, which every list is."""
    cls = typing.get_origin(cls) or cls
    if not isinstance(cls, abc.ABCMeta):
        return ""
    try:
        texts = [text for value, text in _VALUES.items() if issubclass(value, cls)]
    except TypeError:  # a protocol that only says what attributes there are
        return None
    words = [text for text in texts if text is not None]
    return None if len(words) < len(texts) else f"Union[{', '.join(words)}]" if len(words) > 1 else "".join(words)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def named_tuple_text(cls: Any) -> str | None:
    """The type of a NamedTuple. A field without a type is a Tensor."""
    # A class in front of the NamedTuple itself, as PackedSequence is, has no annotations.
    hints: dict[str, Any] = next((c.__dict__["__annotations__"] for c in cls.__mro__ if c.__dict__.get("__annotations__")), {})
    fields = []
    for field in cls._fields:
        text = type_text(hints[field], cls) if field in hints else "Tensor"
        if text is None:
            raise RuntimeError(f"the field {field!r} of the NamedTuple {cls.__name__} has the type {hints[field]}, which is not a type of a script")
        fields.append(f"{field} : {text}")
    return f"NamedTuple<{_quoted(mangled(cls))}>({', '.join(fields)})"


def returned_type(graph: Any, members_of: Callable[[str], dict[str, Any]] | None = None) -> str | None:
    """The type of what a graph returns, where NamedTuples are in it: _C._restored makes them of the plain tuples that graphs give. A class that this process
    does not have, as of a file, is made. members_of(name) has the members of an Enum; without it they are those that the graph names."""
    text: str = _C._output_type(graph)
    taken: list[str] = _C._input_types(graph)
    for name in sorted({found for part in (text, *taken) for found in re.findall(r'Enum<"?([^">]*)"?>', part)}):
        _C._register_class(name, enum_of(name, _named_members(graph, name) if members_of is None else members_of(name)), [])
    if "NamedTuple<" not in text:
        return None
    for found in re.finditer(r'NamedTuple<"?([^">]*)"?>\(', text):
        _C._register_class(found.group(1), _named_tuple(found.group(1), _field_names(text, found.end())), [])
    return text


def _mangled_form(form: Any) -> Any:
    """What _tree.named_parts() gives, with the names of classes and of their fields in place of the classes."""
    if form is None:
        return None
    kind, parts = form
    inner = {key: _mangled_form(part) for key, part in parts.items()} if isinstance(parts, dict) else [_mangled_form(part) for part in parts]
    return ("", [], inner) if kind is None else (mangled(kind), list(getattr(kind, "_fields", None) or kind.__match_args__), inner)


def name_results(graph: Any, form: Any, refuses: bool = True) -> None:
    """Lets a graph return NamedTuples where its program does, in a file too. form: what _tree.named_parts() gives of the program's result.

    refuses: where the graph cannot say that, it is not saved. Else it gives plain tuples.
    """
    if form is None:
        return
    plain = _C._clone(graph)
    why: str = _C._name_results(graph, _mangled_form(form))
    if not why:
        graph._in_tuples = (graph._version, plain)
        graph._returned = (graph._version, returned_type(graph))
    elif refuses:
        graph._loses_names = why


def refuse_lost_names(what: str, graph: Any) -> None:
    """Raises for a graph that would give plain tuples out of a file where its program gives NamedTuples."""
    if graph._loses_names:
        raise NotImplementedError(
            f"{what}: {graph._loses_names}, so that they would be plain tuples out of a file. Return a tuple of tensors, NamedTuples in a tuple, or lists of one NamedTuple"
        )


def _known(name: str, fits: Callable[[Any], bool]) -> type | None:
    """The class of this mangled name that a script used here, or that a module of this process has. A file may be older than the class of its name."""
    if name in _by_name:
        return _by_name[name]
    home, _, last = name.removeprefix("__torch__").removeprefix(".").rpartition(".")
    cls = getattr(sys.modules.get(home or "__main__"), "__dict__", {}).get(last)  # a __getattr__ of the module would run code for a file
    return _made(name, cls) if kind_of(cls) is not None and cls not in _names and fits(cls) else None


def _made(name: str, cls: Any) -> type:
    _names[cls], _by_name[name] = name, cls
    return _by_name[name]


def _named_tuple(name: str, fields: list[str]) -> type:
    if name.startswith(_RETURN_TYPES) and name not in _by_name:
        from .. import return_types

        found = getattr(return_types, name.removeprefix(_RETURN_TYPES), None)
        if found is not None and list(getattr(found, "__match_args__", ())) == fields:
            return _made(name, found)

    def fits(cls: Any) -> bool:
        own: Any = getattr(cls, "_fields", None) or getattr(cls, "__dataclass_fields__", ())
        return list(own) == fields

    return _known(name, fits) or _made(name, collections.namedtuple(name.rpartition(".")[2], fields))


def enum_of(name: str, members: dict[str, Any]) -> Any:
    """The Enum of this mangled name with these members; one that this process does not have is made."""
    def fits(cls: Any) -> bool:
        return kind_of(cls) == "enum" and all(member in cls.__members__ and cls[member].value == value for member, value in members.items())

    return _known(name, fits) or _made(name, enum.Enum(name.rpartition(".")[2], members))


def _named_members(graph: Any, name: str) -> dict[str, Any]:
    """The members of an Enum that a graph names."""
    made = (n for n in graph.nodes(recursive=True) if n.op == "call_function" and str(n.target) == "prim::EnumMember")
    return {str(n.args[1]): n.args[2] for n in made if n.args[0] == name}


def _field_names(text: str, begin: int) -> list[str]:
    """Of `a : Tensor, b : (int, int))`: what stands before the colons outside of inner brackets."""
    names, depth, word = [], 0, begin
    for k in range(begin, len(text)):
        depth += (text[k] in "([<") - (text[k] in ")]>")
        if depth < 0:
            break
        if depth == 0 and text[k] == ":":
            names.append(text[word:k].strip())
        elif depth == 0 and text[k] == ",":
            word = k + 1
    return names


def register(name: str, attributes: list[tuple[str, str]]) -> None:
    """Says what the attributes of a class's objects are, so that they can be passed and returned."""
    cls = _by_name.get(name)
    if cls is not None:
        _attributes[cls] = attributes
        _C._register_class(name, cls, attributes)


def names_of(cls: type, name: str) -> tuple[bool, Any]:
    """What a name means in the body of a class, and whether it means anything: the class itself, what its methods close over, its module's globals."""
    if name == cls.__name__:
        return True, cls
    for value in vars(cls).values():
        function = inspect.unwrap(value.__func__ if isinstance(value, (staticmethod, classmethod)) else getattr(value, "fget", None) or value) \
            if callable(value) or isinstance(value, (staticmethod, classmethod, property)) else None
        if isinstance(function, types.FunctionType):
            if name in function.__code__.co_freevars:
                try:
                    return True, function.__closure__[function.__code__.co_freevars.index(name)].cell_contents  # type: ignore[index]
                except ValueError:
                    return False, None
            if name in function.__globals__:
                return True, function.__globals__[name]
    space = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    return name in space, space.get(name)
