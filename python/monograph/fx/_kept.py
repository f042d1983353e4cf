"""The Python part of keeping branches and loops in a symbolic trace.

The capture machine (src/capture/machine) runs the traced function, both arms of a branch and the body of a loop. python/bindings/proxy_forks.cpp makes the If
and Loop nodes, and calls this file for arguments and proxies, and for builtins (len, range, str) that get proxies.
"""

from __future__ import annotations

import builtins
import functools
import linecache
import operator
import sys
import types
from typing import Any

from .. import _C, _effects
from .._loops import SymbolicIterator, SymbolicRange, elements
from .._tensor import Tensor
from ..nn import Module
from ._writes import ConstantWritten
from .node import Node, _side_effectful_functions
from .proxy import _ATTRIBUTE_TYPES, Attribute, ParameterProxy, Proxy, TraceError, TracerBase, _device_of, _known_type, _user_line

# Builtins whose calls the machine passes to Kept.call, besides range, len, enumerate, zip and reversed.
TAKEN: tuple[Any, ...] = (int, float, any, all, min, max, sum, tuple, list, type, callable)

# Methods of a tracer that a program may override. The machine does not watch them: their branches are not captured, and their writes are not taken back.
_METHODS = (
    "call_module", "check_write", "create_arg", "create_node", "create_proxy", "getattr", "get_fresh_qualname", "has", "is_leaf_module", "iter", "keys",
    "path_of_module", "proxy", "to_bool", "to_text", "type_of",
)  # fmt: skip

_CALLS_THE_PROGRAM = ("call_module",)
_PACKAGE = __name__.partition(".")[0] + "."


def _is_input(value: Any) -> bool:
    """Whether the proxy stands for an input, or for an element of one."""
    if not _is_proxy(value) or type(value) is Attribute or "_path" in vars(value):
        return False
    node = value.node
    while node.op == "call_function" and node.target is operator.getitem and isinstance(node.args[0], Node):
        node = node.args[0]
    return node.op == "placeholder" and not _C._is_of_region(node)


@_C._natively
def sameness(left: Any, right: Any) -> int:
    """What `left is right` of two different objects depends on, of which one is a proxy: 0 for the program, 1 for what a call passes as inputs, 2 for whether it
    passes a tensor from outside that the graph does not read from its module."""
    if not _is_input(left):
        left, right = right, left
    if not _is_input(left) or type(right) is Attribute:
        return 0
    if _is_proxy(right):
        node = None if "_path" in vars(right) else right.node
        return 1 if node is None or node.op == "get_attr" or _is_input(right) else 0
    root = getattr(left.tracer, "root", None)
    held = isinstance(root, Module) and any(right is t for m in root.modules() for t in (*m._parameters.values(), *m._buffers.values()))
    return 1 if held else 2


class CarriedList(Proxy):
    """A list whose length the graph computes: one that a loop appends to, or that has other lengths in the two ways of a branch.

    The machine finds it by the name of its class, and its items by the name of the attribute. The items are one value of the graph, which is never written to:
    append() makes a new one.
    """

    def __init__(self, items: Proxy):
        self._carried_items, self.tracer, self._of_trace = items, items.tracer, True

    @property
    def node(self) -> Node:
        return self._carried_items.node

    @property
    def _node(self) -> Node:  # type: ignore[override]
        return self._carried_items.node

    def append(self, item: Any) -> None:
        self._carried_items = self._joined(operator.add, [item])

    def extend(self, other: Any) -> None:
        self._carried_items = self._joined(operator.add, other if isinstance(other, (list, Proxy)) else list(other))

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __add__(self, other: Any) -> CarriedList:
        return CarriedList(self._joined(operator.add, other))

    def __radd__(self, other: Any) -> CarriedList:
        return CarriedList(self.tracer.create_proxy("call_function", operator.add, (other, self._carried_items), {}))

    def pop(self, index: int = -1) -> Any:
        if index not in (0, -1):
            self._refuse("pop")
        item = operator.getitem(self._carried_items, index)
        self._carried_items = self._joined(operator.getitem, slice(1, None) if index == 0 else slice(None, -1))
        return item

    def copy(self) -> CarriedList:
        return CarriedList(self._carried_items)

    def _joined(self, function: Any, other: Any) -> Proxy:
        items: Proxy = self.tracer.create_proxy("call_function", function, (self._carried_items, other), {})
        items.node.meta["_kind"] = list
        return items

    def __setitem__(self, index: Any, value: Any) -> None:
        self._refuse("an assignment to an element")

    def _refuse(self, name: str) -> None:
        raise TraceError(
            f"{name} of a list whose length the graph computes cannot be kept:\n  {_user_line()}\n"
            "Only append, extend, += and pop of its first and last element are. Make a new list, or use torch.jit.trace"
        )

    def __getattr__(self, name: str) -> Any:
        if hasattr(list, name):
            self._refuse(name)
        raise AttributeError(f"'list' object has no attribute {name!r}")


class TextProxy(Proxy):
    """A text that the graph computes. It is never passed to a function in C, which would read the name of the node."""

    def __add__(self, other: Any) -> Any:
        return self._joined(self, other)

    def __radd__(self, other: Any) -> Any:
        return self._joined(other, self)

    def _joined(self, left: Any, right: Any) -> Any:
        return _as_text(self.tracer.create_proxy("call_function", operator.add, (left, right), {}))


def _as_text(proxy: Any) -> Any:
    proxy.node.meta["_kind"] = str
    return TextProxy(proxy.node, proxy.tracer) if type(proxy) is Proxy else proxy


class ProxyTexts(_effects.Texts):
    """The texts and effects of a symbolic trace: nodes that call the same functions as the program."""

    _FUNCTIONS = {"str": str, "repr": repr, "join": operator.add}
    _EFFECTS = {"print": print, "write": _effects.write, "warn": _effects.warn, "message": _effects.log_message}

    def __init__(self, tracer: Any):
        self.tracer = tracer
        self.made: list[Node] = []

    def is_leaf(self, value: Any) -> bool:
        return _is_proxy(value)

    def node(self, what: str, *args: Any) -> Any:
        return self._text("call_function", self._FUNCTIONS[what], args)

    def formatted(self, value: Any, spec: str) -> Any:
        return self._text("call_function", format, (value, spec) if spec else (value,)) if spec or not self._is_text(value) else value

    def whole(self, value: Any) -> Any:
        return value

    def in_block(self) -> bool:
        return bool(self.tracer.in_block)

    def effect(self, what: str, *args: Any) -> None:
        self.tracer.create_proxy("call_function", self._EFFECTS[what], args, {})

    def _text(self, op: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """The node that computes a text. Not for a tracer or proxies of the user's classes, which may define their texts themselves."""
        if not self._are_ours((args, kwargs or {})):
            raise _effects.Unknown
        text = _as_text(self.tracer.create_proxy(op, target, args, kwargs or {}, "text"))  # a name of its own, so that the other nodes have torch.fx's names
        self.made.append(text.node)
        return text

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) in self.numpy_types():
            return self._numpy(function, args, kwargs)
        result = super().call(function, args, kwargs)
        if result is NotImplemented and function in _effects.EFFECTS and _effects.holds((args, kwargs), self.is_leaf) and self._are_proxies_of_ours((args, kwargs)):
            raise TraceError(
                f"{function.__qualname__}() shows a value that is symbolic while the function is traced, and a graph cannot record this call:\n  {_user_line()}\n"
                "Leave it out, use repr() to look at the proxy itself, or use torch.jit.trace"
            )
        return result

    def numpy_types(self) -> tuple[type, ...]:
        numpy = sys.modules.get("numpy")
        return () if numpy is None else tuple({numpy.ufunc, type(numpy.prod)} - {types.FunctionType})

    def _numpy(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """numpy.prod(x.shape) and the like, for numbers and sizes only. For a tensor, NumPy calls the tensor's own method, as in torch.fx."""

        def leaves(value: Any) -> Any:
            if isinstance(value, (tuple, list)) and not _is_proxy(value):
                return [leaf for part in value for leaf in leaves(part)]
            return [value]

        values = leaves([*args, *kwargs.values()])
        if not all(_known_type(v) in (int, float, bool, _C.Size) if _is_proxy(v) else isinstance(v, (int, float, type(None), type)) for v in values):
            return NotImplemented
        return self.tracer.create_proxy("call_function", function, args, kwargs)

    def _are_proxies_of_ours(self, value: Any) -> bool:
        """Whether none of the proxies among the values is of a class of the user's, which may define its text itself."""
        if _is_proxy(value):
            return self._are_ours(value)
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
        return all(map(self._are_proxies_of_ours, parts))

    def plain(self, text: Proxy) -> Any:
        """Raises: a function in C would read a text that the graph computes."""
        raise TraceError(
            f"Python needs the text {text.node.name}, which is symbolic while the function is traced:\n  {_user_line()}\n"
            "A text of sizes or values can be printed, logged, raised, put together and compared. Or use torch.jit.trace, which records a guard"
        )

    def _are_ours(self, value: Any) -> bool:
        if isinstance(value, (tuple, list)) and not _is_proxy(value):
            return all(map(self._are_ours, value))
        if isinstance(value, dict) and not _is_proxy(value):
            return all(map(self._are_ours, value.values()))
        if not _is_proxy(value):
            return isinstance(value, _effects.PLAIN)
        own = type(value)
        return (own.__str__ is Proxy.__str__ and own.__format__ is Proxy.__format__ and own.__repr__ in (Proxy.__repr__, Attribute.__repr__)
                and type(self.tracer).to_text is TracerBase.to_text)  # fmt: skip

    def _is_text(self, value: Any) -> bool:
        return _is_proxy(value) and not isinstance(value, Attribute) and value.node.meta.get("_kind") is str

    def _shown(self, value: Any, as_repr: bool) -> Any:
        if not _effects.holds(value, self.is_leaf):
            return super()._shown(value, as_repr)
        if not as_repr and _is_proxy(value) and _device_of(value) is not None:
            return self.tracer.to_text(value)  # "cpu"; an assertion in the graph checks it
        return value if self._is_text(value) and not as_repr else self.node("repr" if as_repr else "str", value)

    def _format(self, value: Any, conversion: str, spec: str) -> Any:
        if _is_proxy(value) and conversion in ("", "s") and _device_of(value) is not None:
            return format(self.tracer.to_text(value), spec)
        if not _effects.holds(value, self.is_leaf) or conversion == "a":
            return super()._format(value, conversion, spec)
        return self.formatted(self._shown(value, conversion == "r") if conversion else value, spec)

    def _percent(self, text: str, values: Any) -> Any:
        text % _stand_in(values)  # raises now if the format is wrong, not at each run of the graph
        return self._text("call_function", operator.mod, (text, values))

    def _str_format(self, text: str, *args: Any, **kwargs: Any) -> Any:
        return self._text("call_method", "format", (text, *args), kwargs)

    def _join(self, separator: str, parts: Any) -> Any:
        return self._text("call_method", "join", (separator, parts))


class Kept:
    """What the machine calls while the function of one tracer runs in it."""

    def __init__(self, tracer: Any):
        self.tracer = tracer
        self.blocks: list[tuple[dict[str, Any], dict[str, Node], bool]] = []  # for each open block, the state of the tracer before it
        self.versions: list[list[tuple[Any, int]]] = []  # for each open block, the tensors with values that the program held before it
        self.texts = ProxyTexts(tracer)
        self.refused: TraceError | None = None  # raised again at the end of the trace, even if the program has caught it

    # A program's own tracer ------------------------------------------------------------------------------------------------------------------
    def __enter__(self) -> Kept:
        self.frame: Any = sys._getframe(1)
        self.shadows = [name for name in _METHODS if _is_overridden(self.tracer, name)]
        for name in self.shadows:
            setattr(self.tracer, name, _unwatched(self.tracer, getattr(self.tracer, name), name not in _CALLS_THE_PROGRAM))
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self.frame = None
        for name in self.shadows:
            self.tracer.__dict__.pop(name, None)
        if error is not None:  # an error of the program: its message shows proxies, as in torch.fx
            error.args = tuple(_with_proxies(a) if type(a) is TextProxy else a for a in error.args)

    def asked(self, value: Proxy) -> bool | None:
        """The value of a condition, if the program's own tracer or proxy class gives one; None if the machine decides."""
        if value.tracer is self.tracer and type(value).__bool__ is Proxy.__bool__ and type(self.tracer).to_bool is TracerBase.to_bool:
            return None
        try:
            return bool(value)
        except TraceError:
            if value.tracer is not self.tracer:
                raise
            return None

    # Blocks ----------------------------------------------------------------------------------------------------------------------------------
    # A block reads an attribute of a module again. Nodes after it do not use that node, because it belongs to the block.
    def enter(self) -> None:
        t = self.tracer
        self.blocks.append((dict(t._cache), dict(t.attribute_nodes), t.in_block))
        self.versions.append([(tensor, tensor._version) for tensor in _tensors_of_program(sys._getframe(), self.frame)])
        t.in_block = t.has_blocks = True

    def again(self) -> None:
        cache, nodes, _ = self.blocks[-1]
        self._restore(cache, nodes)

    def leave(self) -> None:
        cache, nodes, self.tracer.in_block = self.blocks.pop()
        self._restore(cache, nodes)
        # Such a write is no node: it would hold whichever arm a run takes, and once for all rounds of a loop.
        if self.refused is None and any(tensor._version != version for tensor, version in self.versions.pop()):
            self.refused = ConstantWritten("a branch or loop on traced values")

    def _restore(self, cache: dict[str, Any], nodes: dict[str, Node]) -> None:
        self.tracer._cache.clear()
        self.tracer._cache.update(cache)
        self.tracer.attribute_nodes = dict(nodes)

    # Nodes and proxies -----------------------------------------------------------------------------------------------------------------------
    def argument(self, value: Any) -> Any:
        return self.tracer.create_arg(value)

    def end(self, value: Any) -> Any:
        """The argument of a node for a result of a block; NotImplemented if there is none. A constant is cloned, so that a later write to it changes only this run."""
        try:
            if isinstance(value, Tensor) and not _is_proxy(value) and id(value) not in self.tracer._attributes:
                value = self.tracer.create_proxy("call_method", "clone", (value,), {})
            return self.tracer.create_arg(value)
        except NotImplementedError:
            return NotImplemented

    def proxy(self, node: Node, kind: type | None) -> Proxy:
        if kind is not None:
            node.meta["_kind"] = kind
        proxy: Proxy = self.tracer.proxy(node)
        return proxy

    def carried_list(self, items: Proxy) -> CarriedList:
        return CarriedList(items)

    def forget_kind(self, node: Node) -> None:
        node.meta.pop("_kind", None)

    def kind(self, value: Any) -> type | None:
        """The type that the value has when the graph runs, if it is known."""
        if isinstance(value, (bool, int, float)) and not _is_proxy(value):
            return type(value)
        if type(value) in (list, CarriedList):
            return list
        if _is_proxy(value):
            return _known_type(value)
        return Tensor if isinstance(value, Tensor) else None

    def common_kind(self, a: Any, b: Any) -> type | None:
        kind = self.kind(a)
        return kind if kind is self.kind(b) else None

    def truth(self, value: Proxy, negated: bool) -> Any:
        """bool(value), or `not value`."""
        answer = self.asked(value)
        if answer is not None:
            return answer != negated
        if not negated and _known_type(value) is bool:
            return value
        return self._call(operator.not_ if negated else bool, (value,))

    def is_same(self, left: Any, right: Any, negated: bool) -> Any:
        """`left is right`, or `left is not right`, where one is a proxy and the other a bool or an int for which Python has one object alone; else
        NotImplemented."""
        value, other = (left, right) if _is_proxy(left) else (right, left)
        if type(value) not in (Proxy, Attribute) or value.tracer is not self.tracer:
            return NotImplemented
        if type(value) is Attribute and value.attr.startswith("_"):  # what Monograph's own classes ask, and a proxy does not know
            return NotImplemented
        kind, of_other = _known_type(value), _known_type(other) if _is_proxy(other) else type(other)
        if of_other is not bool and not (type(other) is int and -5 <= other <= 256):
            return NotImplemented
        if kind is None and not _is_proxy(other):
            function = operator.is_not if negated else operator.is_
        elif kind is of_other:
            function = operator.ne if negated else operator.eq
        else:
            return NotImplemented
        return self._call(function, (value, other))

    def read_now(self) -> None:
        """A branch or loop begins, which may write to what the program has asked an attribute of before."""
        self.tracer.read_now()

    def are_one(self, left: Any, right: Any, negated: bool) -> Any:
        """The node of `left is right`, or `left is not right`, of inputs: sameness() is 1."""
        return self._call(operator.is_not if negated else operator.is_, (left, right))

    def negated(self, condition: Proxy) -> Node:
        return self._call(operator.not_, (condition,)).node

    def _call(self, function: Any, args: tuple[Any, ...]) -> Any:
        return self.tracer.create_proxy("call_function", function, args, {})

    # Builtins --------------------------------------------------------------------------------------------------------------------------------
    def call(self, function: Any, args: tuple[Any, ...]) -> Any:
        """function(*args) with proxies among the arguments. After NotImplemented, Python calls the function itself, and a proxy may raise an error."""
        if function is range:
            return self._range(args)
        if function is builtins.iter:
            return self._iterator(args[0]) or NotImplemented
        if function is enumerate and len(args) in (1, 2):
            return self._enumerate(*args)
        if function is reversed and len(args) == 1:
            forward = self._iterator(args[0], backwards=True) if not isinstance(args[0], SymbolicIterator) else None
            return NotImplemented if forward is None else SymbolicIterator(lambda k: forward.element_at(forward.count - 1 - k), forward.count)
        if function is zip and args:
            return self._zip(args)
        if function in (any, all) and len(args) == 1:
            return self._any_or_all(function, args[0])
        if function in (min, max):
            items = args if len(args) > 1 else args[0]
            return self._call(function, args) if _is_proxy(items) or (isinstance(items, (tuple, list)) and builtins.any(map(_is_proxy, items))) else NotImplemented
        if len(args) != 1 or not _is_proxy(args[0]):
            return NotImplemented
        value = args[0]
        if function is type:
            return self._type(value, "type()")
        if function is callable:
            return self._callable(value)
        if function is list and type(value) is CarriedList:
            return value.copy()
        if function in (tuple, list):
            return self._call(function, args) if _known_type(value) is _C.Size else NotImplemented
        if function is len:
            return self._call(len, args) if type(value).__len__ is Proxy.__len__ else NotImplemented
        if function in (int, float):
            if type(value).__int__ is not Proxy.__int__ or type(value).__float__ is not Proxy.__float__:
                return NotImplemented
            return value if _known_type(value) is function else self._call(function, args)
        return self._call(function, args) if function is sum else NotImplemented

    def _type(self, value: Any, by: str) -> Any:
        """The type of what the value stands for; an error where that is not known."""
        if type(value) is CarriedList:
            return list
        return self.tracer.type_of(value, by) if type(value) in (Proxy, Attribute, TextProxy, ParameterProxy) else NotImplemented

    def _callable(self, value: Any) -> Any:
        if isinstance(value, Attribute) and value.attr not in _ATTRIBUTE_TYPES and hasattr(Tensor, value.attr):
            return callable(getattr(Tensor, value.attr))
        kind = self._type(value, "callable()")
        return kind if kind is NotImplemented else builtins.any("__call__" in vars(c) for c in kind.__mro__)

    def _range(self, args: tuple[Any, ...]) -> Any:
        if not 1 <= len(args) <= 3 or not builtins.any(map(_is_proxy, args)):
            return NotImplemented
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        if not (type(step) is int and step != 0 and all(type(a) is int or _is_proxy(a) for a in (start, stop))):
            return NotImplemented
        start, stop = (self._index(a) if _is_proxy(a) and _known_type(a) not in (int, bool) else a for a in (start, stop))
        return SymbolicRange(start, stop, step)

    def _index(self, value: Any) -> Any:
        """An int as it is; where the value is a float when the graph runs, Python's TypeError."""
        made = self._call(operator.index, (value,))
        made.node.meta["_kind"] = int
        return made

    def _iterator(self, value: Any, backwards: bool = False) -> SymbolicIterator | None:
        if type(value) in (SymbolicRange, SymbolicIterator):
            iterator: SymbolicIterator = iter(value)
            return iterator
        if not _is_proxy(value) or type(value).__iter__ is not Proxy.__iter__ or type(self.tracer).iter is not TracerBase.iter:
            return None
        if _known_type(value) in (int, float, bool):
            return None
        if type(value) is CarriedList:
            values = value._carried_items  # a loop does not see what is appended while it runs
        elif value.node.op == "call_method" and value.node.target in ("keys", "values", "items"):  # the view of a dict has no element 0
            values = self._call(list, (value,))
        elif _known_type(value) in (Tensor, list, tuple, str, _C.Size):
            values = value
        else:
            values = self._call(elements, (value, True) if backwards else (value,))
        return SymbolicIterator(lambda k: operator.getitem(values, k), self._call(len, (values,)))

    def _enumerate(self, value: Any, first: Any = 0) -> Any:
        parts = self._iterator(value) if type(first) is int else None
        if parts is None or parts.position:
            return NotImplemented
        return SymbolicIterator(lambda k: (k + first if first else k, parts.element_at(k)), parts.count)

    def _zip(self, args: tuple[Any, ...]) -> Any:
        if not builtins.any(_is_proxy(a) or type(a) in (SymbolicRange, SymbolicIterator) for a in args):
            return NotImplemented
        iterators = [i for i in map(self._iterator, args) if i is not None and not i.position]
        if len(iterators) < len(args):
            return NotImplemented
        counts = list({id(i.count): i.count for i in iterators}.values())
        return SymbolicIterator(lambda k: tuple(i.element_at(k) for i in iterators), counts[0] if len(counts) == 1 else self._call(min, tuple(counts)))

    def _any_or_all(self, function: Any, values: Any) -> Any:
        if not isinstance(values, (tuple, list, types.GeneratorType)):
            return NotImplemented
        items: list[Any] = []
        for item in values:
            if _is_proxy(item):
                items.append(item)
            elif bool(item) is (function is any):
                return function is any
        return self._call(function, (items,)) if items else function is all

    # Errors ----------------------------------------------------------------------------------------------------------------------------------
    def record_raise(self, error: BaseException) -> None:
        """Makes the node that raises this error."""
        self.tracer.create_proxy("call_function", raise_error, (type(error), *error.args), {})

    def refuse(self, what: str, why: str, place: str, cause: BaseException | None = None) -> None:
        file, _, line = place.rpartition(":")
        source = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
        why = why.replace("of type Proxy", "a traced value")
        if cause is not None:
            why = why or f"it raises {type(cause).__name__}: {cause}"
        self.refused = TraceError(
            f"symbolically traced variables cannot be used as inputs to control flow that the graph cannot keep\n  {place}{': ' if source else ''}{source}\n"
            f"The {what} cannot be kept: {why}\n"
            f"Make both sides alike there, keep the {what} with {'torch.cond' if what == 'branch' else 'torch.while_loop'}, or use torch.jit.trace, which records a guard"
        )
        raise self.refused from cause


def raise_error(kind: type[Exception], message: str = "") -> None:
    """The function that a `raise` of the traced function calls in the graph."""
    raise kind(message) if message else kind()


_CO_OPTIMIZED = 0x1


def _values_of_locals(frame: Any) -> list[Any]:
    """What the variables of a frame hold. The frame keeps no copy of them: a list that a loop fills must be held by its variable alone."""
    names = frame.f_locals
    values = list(names.values())
    if frame.f_code.co_flags & _CO_OPTIMIZED and sys.getrefcount(names) == 3:  # the frame's, the one here and that of the call: no locals() of the program
        names.clear()
    return values


def _tensors_of_program(frame: Any, last: Any) -> list[Any]:
    """The tensors with values that the frames of the traced program, up to the one that began the trace, hold in variables, and in lists, tuples and dicts of
    these."""
    found: dict[int, Any] = {}

    def find(value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            if not _is_proxy(value) and not value.is_inference():
                found[id(value)] = value
        elif type(value) in (list, tuple) and depth:
            for part in value:
                find(part, depth - 1)
        elif type(value) is dict and depth:
            for part in value.values():
                find(part, depth - 1)

    while frame is not None and frame is not last:
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGE):
            for value in _values_of_locals(frame):
                find(value, 2)
        frame = frame.f_back
    return list(found.values())


def _is_proxy(value: Any) -> bool:
    return issubclass(type(value), Proxy)  # isinstance() would read Proxy.__class__, which gives the type of its value


def _with_proxies(text: Any) -> str:
    """A text that the graph computes, with "Proxy(x)" in place of each value."""

    def shown(value: Any) -> Any:
        if not isinstance(value, Node):
            return value
        if value.target is operator.add and value.meta.get("_kind") is str:
            return "".join(str(shown(part)) for part in value.args)
        is_text_of_node = value.meta.get("_kind") is str and value.target in (str, repr, format) and isinstance(value.args[0], Node)
        return f"Proxy({value.args[0].name if is_text_of_node else value.name})"

    return str(shown(text.node))


def _stand_in(values: Any) -> Any:
    """The values with the number 1 in place of each proxy."""
    if _is_proxy(values):
        return 1
    if isinstance(values, tuple):
        return tuple(map(_stand_in, values))
    return {k: _stand_in(v) for k, v in values.items()} if isinstance(values, dict) else values


def _is_overridden(tracer: Any, name: str) -> bool:
    method = getattr(type(tracer), name, None)
    return method is not None and (getattr(method, "__module__", None) or "").split(".")[0] != "monograph"


def _unwatched(tracer: Any, method: Any, of_tracer: bool) -> Any:
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        outer, tracer.in_own_method = tracer.in_own_method, of_tracer
        try:
            return _C._unwatched(method, *args, **kwargs)
        finally:
            tracer.in_own_method = outer

    return call


def drop_unread_results(graph: Any, texts: Any = ()) -> None:
    """Erases unused nodes that read a result of an If or Loop, and unused texts that the trace made."""
    for node in [n for n in graph.nodes(recursive=True) if n.op == "call_function" and not n.users and _C._has_structure(n) and not _C._blocks(n)]:
        graph.erase_node(node)
    for node in reversed(texts):
        if not node._erased and not node.users:
            graph.erase_node(node)


_side_effectful_functions.update((raise_error, print, _effects.write, _effects.warn, _effects.log_message))
