"""torch.fx.Proxy: stands for a value while the function is traced. Operators and calls on it become nodes. The errors say what cannot be recorded, and where."""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import math
import operator
import re
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _C, _higher_order
from .._tensor import Tensor
from .._user_code import _is_users, _user_line
from ..functional import _assert
from . import traceback
from ._shown import only_shown
from ._written import never_writes
from .node import Node, map_aggregate

if TYPE_CHECKING:
    from .graph import Graph


class TraceError(ValueError):
    """The function asks for something that only a value could answer."""

    _is_refusal = True  # the traced program's own handlers do not see it


LAYERS = ("monograph.nn", "torch.nn", "monograph.ao.nn", "torch.ao.nn")  # the packages whose modules are leaves of a symbolic trace
_MADE_ON_DEMAND = {"_": "monograph.fx._private_names"}  # private names of torch.fx that have no meaning here
# The keys of meta that packages copy from a node to the one that takes its place.
_COPY_META_FIELDS = [
    "nn_module_stack", "torch_fn", "source_fn_stack", "original_aten", "recompute", "ac_graph_id", "has_backward_hook", "from_node", "quantization_tag",
    "_numeric_debug_handle", "custom", "partitioner_tag",
]  # fmt: skip


def forgotten(name: str, value: str = "") -> str:
    """The message for a captured function that assigns another tensor to self.NAME."""
    return (
        f"self.{name} is a tensor of the module, and the function assigns another one to it{value}, which the graph would forget:\n  {_user_line()}\n"
        f"Write to it in place: self.{name}.copy_(...), or self.{name} += ..., which the graph keeps"
    )


def _refuse_escaped(tracer: TracerBase, arguments: Any) -> None:
    """Raises for a proxy that is used after its function was traced: the call would be added to a finished graph."""
    proxy = _first_proxy(arguments)
    if proxy is None or not proxy._of_trace or proxy.tracer is not tracer:
        return
    while isinstance(proxy, Attribute) and proxy._node is None:
        proxy = proxy.root
    node: Node | None = vars(proxy).get("_node")
    name = node.name if node is not None else vars(proxy)["_path"]
    made = f", made at {node.span}," if node is not None and node.span else ""
    raise TraceError(
        f"the proxy of {name}{made} is used after the function was traced:\n  {_user_line()}\n"
        "Return the value from the function. To append to the graph, make a new one: torch.fx.Proxy(node)"
    )


def _first_proxy(a: Any) -> Proxy | None:
    if isinstance(a, Proxy):
        return a
    parts = a.values() if isinstance(a, dict) else a if isinstance(a, (tuple, list)) else ()
    return next((found for x in parts if (found := _first_proxy(x)) is not None), None)


def _described(proxy: Proxy) -> str:
    return f"{proxy.root.node.name}.{proxy.attr}" if isinstance(proxy, Attribute) and proxy._node is None else proxy.node.name


def _no_argument(a: Any) -> str:
    """Why `a` cannot stand in a node."""
    if isinstance(a, Tensor):
        way_out = "Register the tensor with a module and make a node that reads it, graph.get_attr(path), or trace with a Tracer, which does so"
    elif hasattr(type(a), "__array__"):
        way_out = "Make the array a tensor, which is a constant of the graph: torch.from_numpy(array)"
    else:
        way_out = "Take the tensors and numbers out of it before the call, or make the function that takes it a leaf with torch.fx.wrap"
    return f"argument of type: {type(a)}; a node takes tensors, numbers, str, dtypes, None, and tuples, lists and dicts of them\n  {_user_line()}\n{way_out}"


# Attributes of a tensor that a write changes, and those that a change of its sizes changes; and the methods that change these.
_OF_WRITES = frozenset(("_version", "requires_grad", "is_leaf", "grad_fn", "grad", "_base"))
_OF_GEOMETRY = frozenset(("shape", "ndim", "T", "mT", "H", "mH", "data", "real", "imag", "nbytes", "names"))
_CHANGES_GEOMETRY = frozenset(
    (
        "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "resize_", "resize_as_", "as_strided_", "set_", "rename_", "requires_grad_",
        "detach_", "swap_tensors",
    )
)  # fmt: skip


class TracerBase:
    """Makes nodes of the operations on proxies. A subclass decides what becomes of arguments (create_arg)."""

    graph: Graph
    in_own_method: bool = False  # whether a method of the tracer runs that the program overrides
    tracing: bool = False  # whether a function runs on the tracer's proxies
    capturing: bool = False  # the same, but already while its placeholders are made
    attribute_nodes: dict[str, Node] = {}  # by the path of a buffer, the last node that read it; each trace has a dict of its own
    traced: Any = None  # the graph, once the trace has ended: then its proxies cannot be used
    in_block: bool = False  # whether a function of cond or while_loop runs
    has_blocks: bool = False  # whether the graph has blocks of cond or while_loop, whose values cannot be used outside
    grad_mode: int = 1  # what _C._grad_mode() gave when the trace began
    switches_gradients: bool = False  # whether the graph switches gradients off or on
    unread: list[Any] = []  # weak references to what the program has read of proxies, and no node reads yet; each trace has a list of its own
    autocast_enabled: bool = False  # whether a region of autocast was on when the trace began
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    record_stack_traces: bool = False  # whether nodes get the calls of the program in their meta; each knows its line anyway
    traced_func_name: str = "forward"  # the method of a module that is traced
    proxy_buffer_attributes: bool = True  # a buffer is read when the graph runs, not frozen when it is traced

    @_C._natively
    def create_node(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None, type_expr: Any = None
    ) -> Node:
        node: Node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if traceback._state.notes:
            traceback.give_meta(node, _is_users)
        return node

    @_C._natively
    def proxy(self, node: Node) -> Proxy:
        return Proxy(node, self)

    @_C._natively
    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Any = None,
    ) -> Proxy:
        """Adds a node to the graph and returns its proxy. create_arg makes the node's arguments of those of the call."""
        before: Node | None = None
        if self.tracing:
            if self.autocast_enabled != _C._is_autocast_enabled():
                self._refuse_autocast()
            if kind != "call_module":  # a layer writes to its own tensors only
                self.check_write(kind, target, args, kwargs)
            if self.unread:
                self._read_before(kind, target, args, kwargs)
        elif self.traced is not None:
            _refuse_escaped(self, (args, kwargs))
        if type(self).create_arg in _plain_create_args:
            node_args = _C._node_argument(self, args, self.has_blocks)
            node_kwargs = _C._node_argument(self, kwargs, self.has_blocks) if kwargs else {}
        else:  # a user's tracer overrides create_arg
            node_args, node_kwargs = self.create_arg(args), self.create_arg(kwargs)
        if self.tracing and self.grad_mode != (mode := _C._grad_mode()) and not self.grad_mode & mode & 1:  # the function itself has switched them
            before = self._switch_gradients(bool(mode & 1))
        node = self.create_node(kind, target, node_args, node_kwargs, name, type_expr)
        if before is not None:
            self._switch_gradients(before)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def _read_before(self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Makes the nodes of attributes that the program has read before a call that may change them."""
        if not never_writes(kind, target):
            name = target if isinstance(target, str) else getattr(target, "__name__", "")
            self.read_now(_OF_GEOMETRY | _OF_WRITES if kind != "call_module" and name in _CHANGES_GEOMETRY else _OF_WRITES)

    def read_now(self, names: frozenset[str] = _OF_WRITES) -> None:
        """Makes the nodes of attributes with these names that the program has read. The machine asks for that where a branch or loop begins."""
        waiting, self.unread = self.unread, []
        for reference in waiting:
            attribute: Attribute | None = reference()
            if attribute is None or attribute._node is not None:
                continue
            if attribute.attr in names:
                attribute.was_read = attribute.node is not None
            else:
                self.unread.append(reference)

    def _switch_gradients(self, value: Any) -> Node:
        """Adds the nodes that switch gradients on or off, or back to what they were. Returns the node that has what they were before."""
        from .._ops import ops

        is_enabled, set_enabled = ops.aten.is_grad_enabled.default, ops.aten.set_grad_enabled.default
        before: Node = value if isinstance(value, Node) else self.create_node("call_function", is_enabled, (), {})
        self.create_node("call_function", set_enabled, (value,), {})
        self.switches_gradients = True
        return before

    def _refuse_autocast(self) -> None:
        """Raises for a mode of the function that a symbolic trace cannot record."""
        raise TraceError(
            f"the function computes in a region of autocast, which a symbolic trace cannot record:\n  {_user_line()}\n"
            "Use torch.jit.trace, whose graph has the casts, or trace the function without the region and call the result inside of one"
        )

    @_C._natively
    def check_write(self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raises where a call writes to a tensor, and the graph could not repeat that write. The base class allows every write."""

    def create_arg(self, a: Any) -> Any:
        """The argument of a node for `a`: proxies become their nodes, also in tuples, lists and dicts. Raises NotImplementedError for other objects."""
        if isinstance(a, Proxy):
            if self.has_blocks and not _C._in_scope(a.node):
                raise TraceError(
                    f"{a.node.name} was made inside a function of cond or while_loop, but is used outside of it:\n  {_user_line()}\n"
                    "Return it from the function"
                )
            return a.node
        if isinstance(a, tuple):
            parts = tuple(self.create_arg(x) for x in a)
            return type(a)(*parts) if hasattr(a, "_fields") else parts
        if isinstance(a, list):
            return [self.create_arg(x) for x in a]
        if isinstance(a, dict):
            for key in a:
                if isinstance(key, Proxy):
                    raise RuntimeError(f"a traced value ({key}) cannot be the key of a dict; only a value of the dict can be traced")
            return {k: self.create_arg(v) for k, v in a.items()}
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if a is None or a is ... or isinstance(a, (Node, bool, int, float, complex, str, enum.Enum, _C.dtype, _C.device, _C.layout, _C.memory_format)):
            return a
        if hasattr(type(a), "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if callable(a):
            return a
        if dataclasses.is_dataclass(a):  # a node makes the object from its fields
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a) if f.init}
            return self.create_node("call_function", type(a), (), fields)
        raise NotImplementedError(_no_argument(a))

    def to_bool(self, obj: Proxy) -> bool:
        raise TraceError(
            "symbolically traced variables cannot be used as inputs to control flow\n"
            f"  {_user_line()}\n"
            f"Node `{obj.node.name}` has no value while the function is traced. Keep the branch with torch.cond (a loop with torch.while_loop), "
            "or use torch.jit.trace, which records a guard"
        )

    def to_text(self, obj: Proxy) -> str:
        device = _device_of(obj)
        if device is not None:  # networks use it as the key of a cache
            cpu = _C.device("cpu")
            self.create_proxy("call_function", _assert, (device == cpu, "the trace holds for tensors on the CPU: it reads the text of a device"), {})
            return str(cpu)
        raise TraceError(
            f"str(), print() or an f-string needs the value of {_described(obj)}, which is symbolic while the function is traced:\n  {_user_line()}\n"
            "Leave it out, use repr() to look at the proxy itself, or use torch.jit.trace"
        )

    def type_of(self, obj: Proxy, by: str = "isinstance()") -> type:
        known = _known_type(obj)
        if known is not None:
            return known
        raise TraceError(
            f"{by} needs the type of {_described(obj)}, which is unknown while the function is traced:\n  {_user_line()}\n"
            "Leave the test out, fix the argument with concrete_args, or use torch.jit.trace, which runs the function on examples"
        )

    def has(self, obj: Proxy, name: str) -> bool:
        """hasattr(proxy, name), or getattr(proxy, name, default)."""
        known = _known_type(obj)
        if known is not None or hasattr(Tensor, name):  # a value of unknown type counts as a tensor, as in x.name
            return known is None or hasattr(known, name)
        raise TraceError(
            f"hasattr() or getattr() looks for {name!r} in {_described(obj)}. Tensors have no such attribute, and the type of this value is unknown while the "
            f"function is traced:\n  {_user_line()}\nLeave the test out, fix the argument with concrete_args, or use torch.jit.trace, which runs the function on examples"
        )

    def iter(self, obj: Proxy) -> Any:
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function argument. "
            f"`{obj.node.name}` has an unknown number of elements while the function is traced:\n  {_user_line()}\n"
            "Unpack it (a, b = ...), index it, or use torch.jit.trace"
        )

    def keys(self, obj: Proxy) -> Any:
        return Attribute(obj, "keys")()

    def while_loop(self, *args: Any, **kwargs: Any) -> Any:
        """torch.while_loop in a function that is traced."""
        return WITH_BLOCKS[_higher_order.while_loop](self, *args, **kwargs)


# How cond, while_loop and other functions that take functions are recorded. _control_flow adds the entries; it imports this module.
WITH_BLOCKS: dict[Any, Callable[..., Any]] = {}


# The create_arg of this package's tracers. If a tracer has one of them, arguments are converted in C++.
_plain_create_args: set[Any] = {TracerBase.create_arg}


class GraphAppendingTracer(TracerBase):
    def __init__(self, graph: Graph):
        super().__init__()
        self.graph = graph


_SLOT = type(list.__len__)  # that of Tensor.__getitem__
_UNPACK, _EXTENDED = dis.opmap["UNPACK_SEQUENCE"], dis.opmap["EXTENDED_ARG"]


def _unpacked(depth: int = 2) -> int:
    """How many names the caller's caller unpacks the value into; -1 where it does something else with it."""
    frame = sys._getframe(depth)
    code, offset = frame.f_code.co_code, frame.f_lasti
    if code[offset] != _UNPACK:
        return -1
    count, shift = code[offset + 1], 8
    while offset >= 2 and code[offset - 2] == _EXTENDED:  # more than 255 names
        offset -= 2
        count |= code[offset + 1] << shift
        shift += 8
    return count


def _is_in_place(name: str) -> bool:
    """Whether the caller's caller wrote a += b, or operator.iadd(a, b). If a is a tensor and b a proxy, Python calls b.__radd__ for both a += b and a + b."""
    frame = sys._getframe(2)
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti and instruction.opname == "BINARY_OP":
            return instruction.argrepr.endswith("=")
    return name in frame.f_code.co_names  # a call of a function in C, which has no frame


@_C._natively
def _is_test_of_attribute(frame: Any) -> bool:
    """Whether the frame calls hasattr(), or getattr() with a default. A plain x.name has another instruction than a call."""
    code, offset = frame.f_code, frame.f_lasti
    if not dis.opname[code.co_code[offset]].startswith("CALL") or not _is_users(code.co_filename):
        return False
    return "hasattr" in code.co_names or ("getattr" in code.co_names and code.co_code[offset + 1] == 3)


def _list_iter(values: Any) -> Any:
    """iter() of a list that a graph computes: as many elements as are unpacked, or as the example has."""
    n = _unpacked()
    return iter([values[i] for i in range(n if n >= 0 else len(values))])


_C._set_list_iter(_list_iter)


_CACHE = type(functools.lru_cache(len))


@_C._natively
def _asks_cache() -> bool:
    """Whether the program calls a function with a cache, as in einops: its callers are ready for what has no hash."""
    return isinstance(_C._native_callee(), _CACHE)


@_C._natively
def _catches_type_error() -> bool:
    """Whether the caller's current instruction is a call of a cache inside of `try: ... except TypeError`."""
    frame = sys._getframe(1)
    if not (_asks_cache() or (not _C._machine_supported() and dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("CALL"))):
        return False
    code, offset = dis.Bytecode(frame.f_code), frame.f_lasti
    handlers = [entry.target for entry in getattr(code, "exception_entries", ()) if entry.start <= offset < entry.end]
    instructions = {i.offset: i for i in code} if handlers else {}
    while handlers:
        start, loaded = handlers.pop(), set()
        for instruction in (i for position, i in instructions.items() if position >= start):
            if instruction.opname.startswith("LOAD_"):
                loaded.add(instruction.argval)
            elif instruction.opname.startswith("POP_JUMP"):  # to the next `except` of the same `try`
                handlers.append(instruction.argval)
                break
            elif instruction.opname not in ("PUSH_EXC_INFO", "BUILD_TUPLE", "CHECK_EXC_MATCH"):
                loaded.clear()
                break
        if "TypeError" in loaded:
            return True
    return False


_C._set_catches_type_error(_catches_type_error)


# The Python types of a tensor's attributes.
_ATTRIBUTE_TYPES: dict[str, type] = {"shape": _C.Size, "ndim": int, "dtype": _C.dtype, "device": _C.device}
# The Python types of methods' results, by the result's type in the schema.
_RESULT_TYPES: dict[str, type] = {"int": int, "int[]": _C.Size}


def _method_type(node: Node) -> type | None:
    """int or torch.Size, if all overloads of a tensor's method with this number of arguments return that; else None."""
    if node.target == "__len__":
        return int
    try:
        schemas = _C._find_overloads(f"aten::{node.target}")._schemas
    except AttributeError:
        return None
    count = len(node.args) + len(node.kwargs)
    fitting = [s for s in schemas if len(s.arguments) == count and str(s.arguments[0].type) == "Tensor" and len(s.returns) == 1]
    result_types = {_RESULT_TYPES.get(type.str()) for s in fitting if (type := s.returns[0].type) is not None}
    return result_types.pop() if len(result_types) == 1 else None


def _known_type(proxy: Proxy, known: dict[Node, type | None] | None = None) -> type | None:
    """The Python type of the proxy's value, where the recorded calls tell it; else None. `known`: what was found for other nodes, so that none is looked at twice."""
    if isinstance(proxy, Attribute) and proxy._node is None:
        return _ATTRIBUTE_TYPES.get(proxy.attr)
    if "_path" in vars(proxy):  # a buffer
        return Tensor
    # The type of a call's result may depend on the type of its first argument, and so on. This is a loop, since such a chain may be too long for a recursion.
    # proxy._node is read, not proxy.node, which would record a node for an attribute: perhaps in a branch that has ended.
    first = proxy._node if isinstance(proxy, Attribute) else proxy.node
    assert first is not None
    known = {} if known is None else known
    chain = [first]
    while chain[-1] not in known and _depends_on_argument(chain[-1]):
        chain.append(chain[-1].args[0])
    of_first: type | None = None
    for node in reversed(chain):
        if node not in known:
            known[node] = _type_of_layer(node, proxy.tracer) if node.op == "call_module" else _type_of_call(node, of_first, known)
        of_first = known[node]
    return known[first]


def _type_of_layer(node: Node, tracer: TracerBase) -> type | None:
    """Tensor, if the node calls a layer of this package whose forward is annotated to return one; else None."""
    try:
        layer = getattr(tracer, "root", None).get_submodule(node.target)  # type: ignore[union-attr]
    except AttributeError:
        return None
    from ..nn import Identity  # it returns its argument, of whatever type

    forward = type(layer).forward
    if layer._forward_hooks or isinstance(layer, Identity) or not forward.__module__.startswith(__name__.partition(".")[0] + ".nn."):
        return None
    return Tensor if forward.__annotations__.get("return") in ("Tensor", Tensor) else None


def _depends_on_argument(node: Node) -> bool:
    """Whether the type of a call's result depends on that of its first argument, which is a node."""
    first = node.args[0] if node.op == "call_function" and node.target is not getattr and node.args else None
    return isinstance(first, Node) and not _all_give_tensors(getattr(node.target, "_schemas", []))


def _all_give_tensors(schemas: list[Any]) -> bool:
    return bool(schemas) and all([str(r.type) for r in s.returns] == ["Tensor"] for s in schemas)


def _type_of_call(node: Node, first: type | None, known: dict[Node, type | None]) -> type | None:
    """The type of a node's value, if it is known; `first` is the type of its first argument."""
    if node.op == "placeholder" or _C._has_structure(node):  # the capture machine notes the types of blocks' inputs and results
        return node.meta.get("_kind")
    if node.op == "call_function" and node.target is getattr:
        return _ATTRIBUTE_TYPES.get(node.args[1])
    if node.op == "call_function" and (number := _number_type(node, first, known)):
        return number
    if node.op == "call_method" and (number := _method_type(node)):
        return number
    if _gives_a_tensor(node, first):
        return Tensor
    if node.op == "call_function" and node.target is operator.getitem and first is _C.Size:
        return _C.Size if isinstance(node.args[1], slice) else int
    return None


def _gives_a_tensor(node: Node, first: type | None) -> bool:
    """Whether all schemas of the called operator return a tensor. Only those for a tensor as first argument count, if it is known to be one."""
    function = getattr(Tensor, node.target, None) if node.op == "call_method" else node.target
    schemas = getattr(function, "_schemas", []) if node.op in ("call_method", "call_function") else []
    if node.op == "call_method" or first is Tensor:
        if node.op == "call_function" and node.target in _ARITHMETIC:
            return True
        schemas = [s for s in schemas if s.arguments and str(s.arguments[0].type) == "Tensor"]
    return _all_give_tensors(schemas)


def _number_type(node: Node, first: type | None, known: dict[Node, type | None]) -> type | None:
    """int, float or bool, where Python's rules for numbers tell it."""
    target = node.target
    if target in (int, float, bool):
        return target
    if target is len or target in (operator.not_, operator.is_, operator.is_not, any, all):
        return int if target is len else bool
    if first is None and node.args and not isinstance(node.args[0], Node):
        first = type(node.args[0])  # 1 + n
    if first not in (int, float, bool) or target not in _ARITHMETIC or target is operator.pow:
        return None
    kinds = [first]
    for other in node.args[1:]:
        kind = _known_type(Proxy(other), known) if isinstance(other, Node) else type(other)
        if kind not in (int, float, bool):
            return None
        kinds.append(kind)
    try:
        return type(target(*(kind(1) for kind in kinds)))
    except TypeError:
        return None


_ARITHMETIC = [getattr(operator, name) for name, _, form in _C._python_operators() if form in ("binary", "comparison", "inplace")]


def _asking_program(tracer: TracerBase) -> bool:
    """Whether the code that reads a property of a proxy belongs to the traced program: not to this library, Python's own, or a tracer."""
    if not tracer.tracing:
        return False
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name in ("__instancecheck__", "__subclasscheck__"):
        frame = frame.f_back  # type: ignore[assignment]
    method: Any = frame
    while method is not None and method.f_code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        method = method.f_back
    if frame is None or method is None or isinstance(method.f_locals.get("self"), TracerBase):
        return False
    where = frame.f_code.co_filename
    return where == functools.__file__ or _is_users(where)  # functools.singledispatch branches on the type for the program


_IN_PLACE = {getattr(operator, name) for name, _, form in _C._python_operators() if form == "inplace"}


def _is_own_data(node: Node | None, of: Node) -> bool:
    """Whether the value is x.data, or what x.data += y gives, where `of` is x."""
    while node is not None and node.op == "call_function" and node.target in _IN_PLACE and isinstance(node.args[0], Node):
        node = node.args[0]
    return node is not None and node.target is getattr and node.args == (of, "data")


class Proxy:
    """A value of the function being traced. Operators, functions, methods and attributes of it are recorded and give proxies again."""

    _of_trace: bool = False  # whether a trace made it; False where a program appends to a graph with Proxy(node)

    @_C._natively
    def __init__(self, node: Node, tracer: TracerBase | None = None):
        self.tracer = tracer or GraphAppendingTracer(node.graph)
        self._node: Node | None = node
        if self.tracer.capturing:
            self._of_trace = True

    @property
    @_C._natively
    def node(self) -> Node:
        assert self._node is not None
        return self._node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name if '_node' in vars(self) else vars(self)['_path']})"

    def __str__(self) -> str:
        return self.tracer.to_text(self) if _asking_program(self.tracer) and not only_shown(sys._getframe(1)) else repr(self)

    def __format__(self, spec: str) -> str:
        return format(self.tracer.to_text(self) if _asking_program(self.tracer) and not only_shown(sys._getframe(1)) else repr(self), spec)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class that isinstance() sees: in the traced program, the type of the value; elsewhere, such as in methods of a tracer, Proxy."""
        return self.tracer.type_of(self) if not self.tracer.in_own_method and _asking_program(self.tracer) else type(self)

    @_C._natively
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """An array would hold the proxy as if it were one number."""
        raise self._no_array()

    @_C._natively
    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's functions of single elements, as numpy.sqrt, call the method of an object that stands in an array alone."""
        import numpy as np

        def alone(value: Any) -> Any:
            if isinstance(value, np.ndarray) and value.ndim:
                raise self._no_array()
            if not issubclass(type(value), Proxy):
                return value
            array = np.empty((), dtype=object)
            array[()] = value
            return array

        if method != "__call__" or kwargs:
            raise self._no_array()
        if function.__name__ in ("floor", "ceil", "trunc"):  # of an object, NumPy would call those of math, which give an int
            return self.tracer.create_proxy("call_function", function, inputs, {})
        return function(*map(alone, inputs))

    def _no_array(self) -> TraceError:
        return TraceError(
            f"NumPy needs the values of {_described(self)}, which has none while the function is traced:\n  {_user_line()}\n"
            "Use functions of torch, or x.numpy() first, or torch.jit.trace"
        )

    @_C._natively
    def __hash__(self) -> int:
        error = TypeError(
            f"{_described(self)} cannot be hashed (for a set, the key of a dict, or a cache): it has no value while the function is traced, so a "
            f"lookup would find nothing:\n  {_user_line()}\n"
            "To choose by value, use torch.where(x == 1, a, b) or torch.cond, or torch.jit.trace, which records a guard. To look up the node itself, use proxy.node as the key"
        )
        error._is_refusal = not _asks_cache()  # type: ignore[attr-defined]
        raise error

    def _read(self) -> Node:
        """The node that reads a buffer. A block of an If or Loop uses the one from outside of it, if there is one."""
        tracer, path = self.tracer, vars(self)["_path"]
        outer = tracer.attribute_nodes.get(path) if tracer.in_block else None
        if outer is not None and _C._in_scope(outer):
            return outer
        node = tracer.attribute_nodes[path] = tracer.create_node("get_attr", path, (), {})
        if not tracer.in_block:
            self._node = node
        return node

    @_C._natively
    def __getattr__(self, name: str) -> Any:
        if name == "_node":
            return self._read()
        if self.tracer.tracing and _is_test_of_attribute(sys._getframe(1)):
            if not self.tracer.has(self, name):
                raise AttributeError(f"{_described(self)} has no attribute {name!r}")
        elif name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Attribute(self, name)

    def _traced_is_tensor(self) -> bool:
        """torch.is_tensor(proxy)."""
        return self.tracer.tracing and issubclass(self.tracer.type_of(self, "is_tensor()"), _C.TensorBase)

    def __copy__(self) -> Proxy:
        made: Proxy = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Any:
        n = _unpacked()
        if n < 0:
            return self.tracer.iter(self)
        parts = [_record_call(operator.getitem, self, i) for i in range(n)]
        for part in parts[:1]:  # the lowered graph checks the number of items
            part.node.meta["unpacked"] = n
        return iter(parts)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __len__(self) -> int:
        frame = sys._getframe(1)
        if _is_users(frame.f_code.co_filename) and "len" not in frame.f_code.co_names:  # a function in C that takes a sequence
            raise TraceError(
                f"a function that the graph cannot record needs the values of {_described(self)}, which are unknown while the function is traced:\n  {_user_line()}\n"
                "Use functions of torch (torch.full, torch.stack), or use torch.jit.trace"
            )
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at module scope\n"
            f"  {_user_line()}\n"
            f"For a tensor, {self.node.name}.shape[0] is the same number, and stays symbolic"
        )

    def __index__(self) -> int:
        raise TraceError(
            f"Python needs node `{self.node.name}` as a number here, but it is symbolic while the function is traced:\n  {_user_line()}\n"
            "Compute with it directly: leave out int() and float(), and write x.shape[-1] ** 0.5 for math.sqrt(x.shape[-1]). A loop over range(x.shape[0]) is torch.while_loop. "
            "Or use torch.jit.trace, which records a guard"
        )

    __int__ = __float__ = __complex__ = __index__

    def _refuse_elements(self) -> None:
        raise TraceError(
            f"the elements are needed one by one here, but their number `{_described(self)}` is unknown while the function is traced:\n  {_user_line()}\n"
            "A loop of the program stays in the graph, unless it leaves two loops at once, yields, or always ends in its first round. A function in C cannot take the elements. "
            "Use torch.while_loop, index them, or use torch.jit.trace"
        )

    def __delitem__(self, index: Any) -> None:
        raise TypeError(
            f"del {self.node.name}[{index!r}] takes an element out of a value that is symbolic while the function is traced, and no graph does that to an input:\n"
            f"  {_user_line()}\nMake a list of the elements that remain, as in [v for k, v in enumerate(values) if k != 0], or use torch.jit.trace"
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tracer.create_proxy("call_function", operator.setitem, (self, index, value), {})

    def __contains__(self, x: Any) -> bool:
        if type(self).__iter__ is not Proxy.__iter__:  # as Python does for an object with elements
            return x in iter(self)
        if getattr(self.tracer.iter, "__func__", None) is not TracerBase.iter:
            return x in self.tracer.iter(self)
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        return self.tracer.keys(self)

    @property
    @_C._natively
    def data(self) -> Any:
        return self.__getattr__("data")

    @data.setter
    @_C._natively
    def data(self, value: Any) -> None:
        """x.data += y writes in place and then assigns what was there. Other memory for x has no node."""
        node: Any = value.node if issubclass(type(value), Proxy) else None
        if not _is_own_data(node, self.node):
            raise TraceError(
                f"`.data = ` of {_described(self)} gives a tensor other memory, which a graph does not record:\n  {_user_line()}\n"
                "Compute a new tensor, or write into this one with copy_(), or use torch.compile"
            )

    @property
    @_C._natively
    def real(self) -> Any:
        return self.__getattr__("real")

    @real.setter
    @_C._natively
    def real(self, value: Any) -> None:
        self.__getattr__("real").copy_(value)

    @property
    @_C._natively
    def imag(self) -> Any:
        return self.__getattr__("imag")

    @imag.setter
    @_C._natively
    def imag(self, value: Any) -> None:
        self.__getattr__("imag").copy_(value)

    @classmethod
    @_C._natively
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tracer = _tracer_of(args) or _tracer_of(kwargs)
        assert tracer is not None
        if function in WITH_BLOCKS:
            return WITH_BLOCKS[function](tracer, *args, **kwargs)
        is_subscript = isinstance(function, _SLOT) and function.__name__ == "__getitem__"
        if isinstance(function, _C.BuiltinMethod) or is_subscript or getattr(function, "__qualname__", "").startswith("Tensor."):
            return tracer.create_proxy("call_method", function.__name__, args, kwargs)
        return call_of(tracer, function, args, kwargs)


def proxy_with_own_calls(value: Any) -> Proxy | None:
    """A proxy in tuples, lists and dicts whose class, one of the program's, has its own __torch_function__."""
    if isinstance(value, Proxy):
        owner = next(c for c in type(value).__mro__ if "__torch_function__" in vars(c))
        return value if owner.__module__ != __name__ else None
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return None
    return next((own for own in map(proxy_with_own_calls, value) if own is not None), None)


@_C._natively
def call_of(tracer: TracerBase, function: Any, args: Any, kwargs: Any) -> Proxy:
    """Records the call of a function of the library."""
    if type(tracer).create_proxy is TracerBase.create_proxy and "create_proxy" not in vars(tracer):
        return tracer.create_proxy("call_function", function, args, kwargs)
    # A tracer that overrides create_proxy is told the name of the function, as in torch.fx.
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", function.__name__).lower() if hasattr(function, "__name__") else None
    return tracer.create_proxy("call_function", function, args, kwargs, name=name)




class MetaProxy(Proxy):
    """A proxy that also runs each call on the tensors in meta["val"] of its nodes, which are on the meta device, and stores the result there."""

    def __init__(self, node: Node, tracer: TracerBase | None = None, fake_mode: Any = None):
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self) -> str:
        return f"MetaProxy({self.node.name})"

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        meta_proxies: list[MetaProxy] = []

        def value(a: Any) -> Any:
            if isinstance(a, MetaProxy):
                meta_proxies.append(a)
            return a.node.meta["val"] if isinstance(a, Proxy) else a

        meta_args, meta_kwargs = map_aggregate((tuple(args), dict(kwargs or {})), value)
        proxy = super().__torch_function__(function, types, args, kwargs)
        proxy.node.meta["val"] = function(*meta_args, **meta_kwargs)
        return MetaProxy(proxy.node, proxy.tracer, meta_proxies[0].fake_mode)


def assert_fn(x: object) -> None:
    """The function that a traced `assert` calls when the graph runs."""
    assert x


class Attribute(Proxy):
    """proxy.name: a method where it is called next, else a value read by getattr, recorded when it is used, or before something that may change it."""

    was_read: bool = False  # before something that may have changed it

    @_C._natively
    def __init__(self, root: Proxy, attr: str):
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._of_trace = root._of_trace
        self._node: Node | None = None
        if (attr in _OF_WRITES or attr in _OF_GEOMETRY) and self.tracer.tracing:
            self.tracer.unread.append(weakref.ref(self))

    @property
    @_C._natively
    def node(self) -> Node:
        if self._node is None or (self.tracer.has_blocks and not _C._in_scope(self._node)):
            if self.was_read:
                raise TraceError(
                    f"{self.root.node.name}.{self.attr} is read before a branch or loop that may change it, and used behind:\n  {_user_line()}\n"
                    "Read it where it is used, or use torch.jit.trace"
                )
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    @_C._natively
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


_C._set_proxy_types(Proxy, Attribute)


def read_when_used(tracer: TracerBase, path: str) -> Proxy:
    """The proxy of a buffer, self.NAME. The node that reads it is made where the value is first used, as in torch.fx.

    It is a Proxy and not of a subclass: for x < y Python would call y's method first, if the class of y were derived from that of x.
    """
    proxy: Proxy = Proxy.__new__(Proxy)
    vars(proxy).update(tracer=tracer, _path=path, _of_trace=True)  # without _node, so that __getattr__ makes it at its first use
    return proxy


def _device_of(obj: Proxy) -> Proxy | None:
    """The proxy of x.device, if obj is x.device or x.device.type; else None."""
    device: Any = obj
    if type(device) is Attribute and device.attr == "type" and type(device.root) is Attribute:
        device = device.root
    return device if type(device) is Attribute and device.attr == "device" else None


class ParameterProxy(Proxy):
    """A parameter whose sizes are known while the function is traced: param_shapes_constant of a Tracer."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any):
        super().__init__(node, tracer)
        if not getattr(param, "_is_parameter", False):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    def size(self, *dim: int) -> Any:
        return self.param.size(*dim)

    def dim(self) -> int:
        return self.param.dim()

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def numel(self) -> int:
        return self.param.numel()

    nelement = numel


class Scope:
    """The module whose forward is traced: its path and class."""

    def __init__(self, module_path: str, module_type: Any):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Inside of the `with` block `scope` is what current_scope is."""

    def __init__(self, scope: Scope, current_scope: Scope):
        self._scope, self._before = scope, (scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exc: object) -> None:
        self._scope.module_path, self._scope.module_type = self._before


@_C._natively
def _tracer_of(a: Any) -> TracerBase | None:
    if isinstance(a, Proxy):
        return a.tracer
    parts = a.values() if isinstance(a, dict) else a if isinstance(a, (tuple, list)) else (a.start, a.stop, a.step) if isinstance(a, slice) else ()
    for x in parts:
        if found := _tracer_of(x):
            return found
    return None


@_C._natively
def _record_call(target: Any, *args: Any) -> Any:
    tracer = _tracer_of(args)
    assert tracer is not None
    return tracer.create_proxy("call_function", target, args, {})


def _refuse_modulus(exponent: Any, modulus: Any) -> None:
    if modulus is not None:
        raise TraceError(
            f"pow() of a traced value with a modulus ({modulus!r}) has no operator in a graph:\n  {_user_line()}\n"
            "Write a ** b % m, which is the same where b is not negative, or use torch.jit.trace and int(...), which guards the number"
        )


def without_write(name: str) -> Any:
    """operator.add for iadd, operator.and_ for iand."""
    return getattr(operator, name[1:], None) or getattr(operator, name[1:] + "_")


# The method of Tensor that torch.fx records for an operator whose left operand is a tensor. For //, &, | and ^ it records __floordiv__ and the like, which
# jit.script cannot compile: here they stay operators.
_METHODS = {name: name for name in ("add", "sub", "mul", "pow", "matmul")}
_METHODS |= {"truediv": "div", "mod": "remainder", "lshift": "__lshift__", "rshift": "__rshift__"}
_MIRRORED = {"lt": (">", "gt"), "gt": ("<", "lt"), "le": (">=", "ge"), "ge": ("<=", "le")}


def _is_comparison(symbol: str) -> bool:
    """Whether the caller's caller compares with `symbol`. If a is a tensor and b a proxy, Python calls b.__lt__(a) for both b < a and a > b."""
    frame = sys._getframe(2)
    code, offset = frame.f_code, frame.f_lasti
    if dis.opname[code.co_code[offset]] != "COMPARE_OP":
        return False
    return any(i.argrepr == symbol for i in dis.get_instructions(code) if i.offset == offset)


def _define_method(name: str, target: Any, reflected: bool = False, functional_name: str | None = None) -> None:
    """Defines Proxy.__NAME__ (or __rNAME__) as a call of `target`. functional_name: of an in-place operator, the name of its functional form."""
    in_place = getattr(operator, f"i{name}", None) if hasattr(_C.TensorBase, f"__i{name}__") else None
    mirrored = _MIRRORED.get(name)

    @_C._natively
    def method(self: Proxy, *args: Any) -> Any:
        if len(args) > 1:
            _refuse_modulus(*args)
        if not reflected:
            if mirrored is not None and args and isinstance(args[0], _C.TensorBase) and _is_comparison(mirrored[0]):
                return self.tracer.create_proxy("call_method", mirrored[1], (args[0], self), {})
            if functional_name is not None and self.tracer.tracing and _known_type(self) in (int, float, bool):  # n += 1 of a number is n + 1
                return self.tracer.create_proxy("call_function", without_write(target.__name__), (self, *args[:1]), {})
            # a += b becomes a + b if nothing else can see the write (_in_place.py), so the node already has the name "add".
            return self.tracer.create_proxy("call_function", target, (self, *args[:1]), {}, functional_name if self.tracer.tracing else None)
        if isinstance(args[0], _C.TensorBase):
            if in_place is not None and _is_in_place(in_place.__name__):
                self.tracer.check_write("call_function", in_place, (args[0], self), {})
            if name in _METHODS:
                return self.tracer.create_proxy("call_method", _METHODS[name], (args[0], self), {})
        return _record_call(target, args[0], self)

    method.__name__ = f"__{'r' if reflected else ''}{name}__"
    setattr(Proxy, method.__name__, method)


# torch.fx always records x += 1 as x + 1. Here it is recorded as an in-place operator, since the function writes to x; _in_place.py makes it x + 1 if nothing
# else can see the write.
for _name, _symbol, _form in _C._python_operators():
    if _symbol and _form != "setitem":  # __setitem__ is defined above: it returns nothing
        _functional_name = without_write(_name).__name__ if _form == "inplace" else None
        _define_method(_name.rstrip("_"), getattr(operator, _name), functional_name=_functional_name)
        if _form == "binary":
            _define_method(_name.rstrip("_"), getattr(operator, _name), reflected=True)
_define_method("divmod", divmod)
_define_method("divmod", divmod, reflected=True)
for _name, _target in (("round", round), ("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc)):
    _define_method(_name, _target)
for _name in ("Proxy", "Attribute", "ParameterProxy", "Scope", "ScopeContextManager", "TracerBase", "GraphAppendingTracer", "TraceError"):
    globals()[_name].__module__ = "monograph.fx.proxy"
