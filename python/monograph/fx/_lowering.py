"""Turns a symbolic trace, whose nodes call layers and functions, into a graph of operators (lower).

Each node runs once on symbolic tensors, and the operators that it calls are recorded. So the Python code of `x.float()` or F.cross_entropy says what they
mean, and no list repeats it. Functions of Python, such as len or min, are replaced by functions that also take values of the graph.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import sys
import threading
import typing
from collections.abc import Callable
from types import MethodDescriptorType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from .. import _C, _effects, _higher_order, functional as _functional
from .._changes import flipped_modes
from .._loops import elements
from .._ops import _find, ops
from .._settings import get_default_device
from .._tensor import Tensor
from .._tree import flatten, named_parts
from ..nn.modules.module import Module
from ._attributes import fetch
from ._blocks import alone
from ._control_flow import branch_again, loop_again
from ._gradient_modes import check_mode
from ._in_place import writes_of
from ._inputs import with_namedtuples
from ._kept import raise_error
from .node import Node
from .proxy import _tracer_of, forgotten

if TYPE_CHECKING:
    from .graph import Graph


class _DtypeOf:
    """x.dtype of a symbolic tensor whose dtype is not known. A conversion to this dtype uses the tensor; any other use raises."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor


def _is_dtype_of(node: Node, args: tuple[Any, ...]) -> bool:
    """Whether the node reads the dtype of a tensor whose dtype is not known."""
    if not _reads_dtype(node, args):
        return False
    try:
        return args[0].dtype is None
    except RuntimeError:
        return True


def _reads_dtype(node: Node, args: tuple[Any, ...]) -> bool:
    return node.target in (getattr, "builtins.getattr") and args[1:] == ("dtype",) and isinstance(args[0], Tensor) and bool(args[0]._is_symbolic)


def _converted(node: Node, values: dict[Node, Any]) -> Any:
    """For x.to(y.dtype) and x.type(y.dtype) with an unknown dtype: the conversion to what y has when the graph runs. For any other call: None."""
    dtype_args = [*node.args[1:], *(v for k, v in node.kwargs.items() if k == "dtype")]
    dtype = values.get(dtype_args[0]) if len(dtype_args) == 1 and isinstance(dtype_args[0], Node) else None
    if node.target not in ("to", "type") or not isinstance(dtype, _DtypeOf):
        return None
    options = {k: _argument_for(v, values) for k, v in node.kwargs.items() if k != "dtype"}
    if "device" in options:
        return None
    tensor, reads = values[node.args[0]], ops.prim.dtype
    return ops.aten.to.dtype(tensor, reads(dtype.tensor), **options) if isinstance(tensor, Tensor) else None


def _made_in_dtype(function: Any, node: Node, values: dict[Node, Any]) -> Any:
    """For a factory with an unknown dtype, such as torch.zeros(2, dtype=x.dtype): x.new_zeros(2). For torch.zeros_like(y, dtype=x.dtype): x.new_zeros(y.size()).
    For any other call: None."""
    dtype_arg = node.kwargs.get("dtype")
    like = values.get(dtype_arg) if isinstance(dtype_arg, Node) else None
    name = getattr(function, "__name__", "")
    make = _C._functions()[""].get(name)
    if make is None or make is not function or not isinstance(like, _DtypeOf):
        return None
    options = {k: _argument_for(v, values) for k, v in node.kwargs.items() if k != "dtype"}
    if options.get("device") is None:
        options["device"] = get_default_device()
    args = _argument_for(node.args, values)
    if name.endswith("_like"):
        options.pop("memory_format", None)
        name = name.removesuffix("_like")
        first = options.pop("input") if "input" in options else args[0]
        args = (first.size(), *args[1:])
    if name == "eye":  # its zeros and ones are the same in every dtype
        return make(*args, **options, dtype=_C._dtypes["bool"]).to(like.tensor.new_zeros(0, device=options["device"]))
    return getattr(like.tensor, f"new_{name}")(*args, **options) if hasattr(like.tensor, f"new_{name}") else None


def map_leaves(a: Any, leaf: Callable[[Any], Any]) -> Any:
    """`a` with leaf(x) in place of each x in its tuples, lists, dicts and slices. Unlike the results of map_aggregate, its lists and dicts may be changed."""
    if isinstance(a, tuple):
        parts = tuple(map_leaves(x, leaf) for x in a)
        return type(a)(*parts) if hasattr(a, "_fields") else parts
    if isinstance(a, list):
        return [map_leaves(x, leaf) for x in a]
    if isinstance(a, dict):
        return {k: map_leaves(v, leaf) for k, v in a.items()}
    if isinstance(a, slice):
        return slice(map_leaves(a.start, leaf), map_leaves(a.stop, leaf), map_leaves(a.step, leaf))
    return leaf(a)


def _argument_for(a: Any, values: dict[Node, Any]) -> Any:
    """The value that a call gets for an argument of a node. Values of nodes are not copied: a torch.return_types.max stays one."""
    if isinstance(a, Node):  # the most frequent case
        return _value_of(a, values)
    return map_leaves(a, lambda x: _value_of(x, values) if isinstance(x, Node) else x)


def _value_of(node: Node, values: dict[Node, Any]) -> Any:
    known = values.get(node, values)  # `values` itself stands for a missing value
    if known is values:
        raise RuntimeError(f"{node.name} is used before it is computed; graph.lint() says where" + (f"\n  {node.name} was made at {node.span}" if node.span else ""))
    return known.tensor.dtype if isinstance(known, _DtypeOf) else known


def _called(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """function(*args, **kwargs). A layer or function of the library may assume that sizes of symbolic tensors agree, which the graph checks when it runs. The
    user's code may not."""
    home = (type(function) if isinstance(function, Module) else function).__module__ or ""
    if not home.startswith(_NN):
        return function(*args, **kwargs)
    saved = _C._set_sizes_agree(True)
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        error.add_note(f"in {_C._qualified_name(type(function)) if isinstance(function, Module) else f'{home}.{function.__name__}'}")
        raise
    finally:
        _C._set_sizes_agree(saved)


_NN = (Module.__module__.partition(".")[0] + ".nn.", "torch.nn.")  # the second name is used after install_as_torch()


def interpret(
    root: Any, graph: Graph, args: tuple[Any, ...], on_node: Callable[[Node | None], None] | None = None, at_run: bool = False,
    replacements: dict[Node, Any] | None = None,
) -> Any:  # fmt: skip
    """Runs the nodes of a graph one by one, as the function would.

    on_node: called with each node before it runs.
    at_run: args has values for arguments that were fixed with concrete_args too, and they are checked; else the fixed values are used.
    replacements: by node, a function that is called in place of the node's target.
    """
    values: dict[Node, Any] = {}
    inputs = list(args)

    def value(a: Any) -> Any:
        return _argument_for(a, values)

    def run(node: Node) -> Any:
        if node.op == "get_attr":
            return fetch(root, node.target)
        if node.op == "call_function":
            blocks = _C._blocks(node)
            if blocks:
                return _run_blocks(node, blocks, value, block)
            args = value(node.args)
            if _is_dtype_of(node, args):
                return _DtypeOf(args[0])
            if "unpacked" in node.meta and isinstance(args[0], Tensor):
                _C._assume_rows(args[0], node.meta["unpacked"])
            function = replacements[node] if replacements and node in replacements else meaning(node.target)
            if function is getattr and not node.users and args[1:] == ("grad_fn",):
                return None  # read before a call that might have changed it, and not used
            if function is getattr and args[1:] == ("ndim",) and _is_symbolic_tensor(args[0]):
                return _rank(args[0])
            tensor = _made_in_dtype(function, node, values)
            if tensor is not None:
                return tensor
            return _called(function, args, value(node.kwargs))
        if node.op == "call_method":
            converted = _converted(node, values)
            if converted is not None:
                return converted
            self, *rest = value(node.args)
            if node.target in ("dim", "ndimension") and _is_symbolic_tensor(self):
                return _rank(self)
            if type(self) is str and node.target in ("format", "join"):
                return _with_texts(getattr(str, node.target))(self, *rest, **value(node.kwargs))
            return getattr(self, node.target)(*rest, **value(node.kwargs))
        return _called(fetch(root, node.target), value(node.args), value(node.kwargs))

    def block(placeholders: list[Node], nodes: list[Node], results: list[Any], carried: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        values.update(zip(placeholders, carried, strict=True))
        for node in nodes:
            if on_node is not None:
                on_node(node)
            values[node] = run(node)
        return value(tuple(results))

    for node in graph.nodes:
        if on_node is not None:
            on_node(node)
        if node.op == "placeholder":
            if not at_run and "concrete" in node.meta:
                values[node] = node.meta["concrete"]
            elif node.target.startswith("**"):
                values[node] = {}
            elif node.target.startswith("*"):
                values[node] = tuple(inputs) if node.users else ()
                inputs = [] if node.users else inputs
            elif inputs:
                values[node] = inputs.pop(0)
            elif node.args:
                values[node] = node.args[0]
            else:
                raise TypeError(f"forward() is missing the argument {node.target!r}")
        elif node.op == "output":
            return value(node.args[0])
        else:
            values[node] = run(node)
    return None


def _run_blocks(node: Node, blocks: list[Any], value: Callable[[Any], Any], block: Callable[..., tuple[Any, ...]]) -> Any:
    """The value of an If or Loop. Several results are a tuple, from which getitem nodes take them."""
    if len(blocks) == 2:
        then, otherwise = blocks
        results = _branch(value(node.args[0]), then, otherwise, block)
    else:
        results = _loop(*value(node.args), blocks=blocks, block=block)
    return results[0] if len(results) == 1 else results


def _branch(holds: Any, then: Any, otherwise: Any, block: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
    recorded: tuple[Any, ...] | None = _C._branch_of_values(holds, lambda: block(*then), lambda: block(*otherwise))
    if recorded is not None:
        return recorded
    if tracer := _tracer_of((holds,)):
        return branch_again(tracer, holds, lambda: block(*then), lambda: block(*otherwise))
    if isinstance(holds, Tensor) and _C._is_capturing():  # in a trace
        results: tuple[Any, ...] = _higher_order.cond(holds, lambda: block(*then), lambda: block(*otherwise))
        return results
    return block(*then) if holds else block(*otherwise)


def _loop(count: Any, holds: Any, *initial: Any, blocks: list[Any], block: Callable[..., tuple[Any, ...]]) -> tuple[Any, ...]:
    slots, nodes, ends = blocks[0]

    def body(index: Any, carried: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        condition, *result = block(slots, nodes, ends, (index, *carried))
        return condition, tuple(result)

    if tracer := _tracer_of((count, holds, *initial)):
        return loop_again(tracer, count, holds, initial, body)
    values: tuple[Any, ...] | None = _C._loop_of_values(count, holds, initial, body)
    if values is not None:
        return values
    values = initial
    if _C._is_capturing() and count == _NO_LIMIT:  # in a trace
        condition = [holds]  # of the next iteration

        def step(*carried: Any) -> tuple[Any, ...]:
            condition[0], result = body(0, carried)
            return result

        results: tuple[Any, ...] = _higher_order.while_loop(lambda *_: condition[0], step, values)
        return results
    index = 0
    while index < count and holds:
        holds, values = body(index, values)
        index += 1
    return values


_NO_LIMIT = (1 << 63) - 1


def meaning_of_name(target: str) -> Any:
    """The function for a name from a file or a script: an operator of Python, or a function or method that is an operator. A file can reach no other code."""
    module, _, name = target.rpartition(".")
    module = module or "builtins"
    if module in _PYTHON:
        return getattr(_PYTHON[module], name, None)
    owner: Any = sys.modules[__package__.partition(".")[0]]
    if module == "torch":
        found = _C._functions()[""].get(name)
        if found is None and hasattr(ops.aten, name):  # torch.tensor
            return getattr(owner, name, None)
    elif module == "torch.Tensor":
        found = getattr(Tensor, name, None) if hasattr(ops.aten, name) else None
        return found if isinstance(found, (_C.BuiltinMethod, MethodDescriptorType)) else None
    elif module == "torch.functional":  # written in Python, as einsum
        return vars(_functional).get(name) if hasattr(ops.aten, name) else None
    elif module.startswith("torch."):
        for part in module.split(".")[1:]:
            owner = getattr(owner, part, None)
        found = getattr(owner, name, None)
    else:
        return None
    return found if isinstance(found, (_C.Builtin, _C._Overridable)) else None


def _sqrt(x: Any) -> Any:
    """math.sqrt, also of a number that the graph computes. It gives the same bits, which x ** 0.5 does not."""
    return x.sqrt() if isinstance(x, (_C.SymInt, _C.SymFloat)) else math.sqrt(x)


def _is_symbolic_tensor(x: Any) -> bool:
    return isinstance(x, Tensor) and bool(x._is_symbolic)


def _rank(x: Any) -> Any:
    """x.dim() as a number that the graph computes. (x.dim() itself raises for a symbolic tensor of unknown rank.)"""
    return _C._number_of_dims(x)


def _bool(x: Any) -> Any:
    known = _C._truth_of(x, False)
    return bool(x) if known is None else known


def _not(x: Any) -> Any:
    known = _C._truth_of(x, True)
    return not x if known is None else known


def _is(x: Any, y: Any, negated: bool = False) -> Any:
    """`x is y` of two inputs, or of a value and a bool or int for which Python has one object alone."""
    if isinstance(x, _C.TensorBase) and isinstance(y, _C.TensorBase):
        return _C._same_inputs(x, y, negated)
    same = x == y if isinstance(x, _C.SymBool if isinstance(y, bool) else _C.SymInt) else x is y
    return _not(same) if negated else same


def _len(x: Any) -> Any:
    if type(x) is _C.SymbolicText:
        return _C._text_node("aten::len.str", (x,))
    return x.shape[0] if _is_symbolic_tensor(x) else _C._list_length(x) if type(x) is _C.SymbolicList else len(x)


def _elements(x: Any, backwards: bool = False) -> Any:
    return x if _is_symbolic_tensor(x) or type(x) in (_C.SymbolicText, _C.SymbolicList) else elements(x, backwards)


def _number(kind: Any) -> Any:
    def convert(x: Any) -> Any:
        if _is_symbolic_tensor(x) or isinstance(x, (_C.SymInt, _C.SymFloat, _C.SymBool)):
            number = _C._number_of(x, kind is float)
            if number is not None:
                return number
        return kind(x)

    return convert


def _index(x: Any) -> Any:
    """A number of the graph that stands for an int is one: an operator that needs another one raises when the graph runs."""
    return x if _is_symbolic_tensor(x) or isinstance(x, (_C.SymInt, _C.SymBool)) else operator.index(x)


def _any(xs: Any) -> Any:
    """any() of values that are computed already, so that reading all of them has no effects: not (not a and not b)."""
    return functools.reduce(lambda a, b: _not(_both(_not(a), _not(b))), [_bool(x) for x in xs], False)


def _all(xs: Any) -> Any:
    return functools.reduce(_both, [_bool(x) for x in xs], True)


def _both(a: Any, b: Any) -> Any:
    if type(a) is bool:
        return b if a else False
    return a if b is True else _C._both(a, b)


def _add(a: Any, b: Any) -> Any:
    joined = _C._list_joined(a, b) if type(a) is _C.SymbolicList or type(b) is _C.SymbolicList else None
    return a + b if joined is None else joined


def _item(values: Any, key: Any) -> Any:
    part = _C._list_slice(values, key) if type(values) is _C.SymbolicList and isinstance(key, slice) else None
    return values[key] if part is None else part


def _least(*values: Any) -> Any:
    items = values[0] if len(values) == 1 else values
    if not isinstance(items, (tuple, list)) or not any(type(v) is _C.SymInt for v in items):
        return min(*values)
    return functools.reduce(_C._smaller, items)


def _greatest(*values: Any) -> Any:
    items = values[0] if len(values) == 1 else values
    if not isinstance(items, (tuple, list)) or not any(type(v) is _C.SymInt for v in items):
        return max(*values)
    return functools.reduce(_C._larger, items)


def _raise(kind: type[Exception], message: str = "") -> None:
    if not _C._record_raise(message, kind.__name__):
        raise_error(kind, message)


def _assert(condition: Any, message: Any) -> None:
    """torch._assert(), also of a value of the graph. There it is a branch that raises, as `assert` is."""
    holds = _bool(condition)
    if type(holds) is bool:
        return _functional._assert(holds, message)

    def fails() -> tuple[()]:
        _raise(AssertionError, message)
        return ()

    _C._branch_of_values(holds, tuple, fails)


def _with_texts(function: Any) -> Any:
    """str, format, print and so on, also for values that the graph computes: then the text is one, too."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not _C._is_capturing():
            return function(*args, **kwargs)
        result = _TEXTS.call(function, args, kwargs)
        if result is not NotImplemented:
            return result
        if function is print:
            raise NotImplementedError('a graph in operators cannot print this; leave out the print(), or save a jit.trace with control_flow="keep"')
        if _effects.holds((args, kwargs), _TEXTS.is_leaf):
            raise NotImplementedError(f"a graph in operators has no {function.__qualname__}() of this; leave it out, or save a jit.trace")
        return function(*args, **kwargs)

    return call


def _effect(what: str, function: Any) -> Any:
    return lambda *args: _TEXTS.effect(what, *args) if _C._is_capturing() else function(*args)


def _mod(a: Any, b: Any) -> Any:
    text = _TEXTS.percent(a, b) if type(a) is str and _C._is_capturing() else NotImplemented
    if text is NotImplemented and type(a) is str and _C._is_capturing() and _effects.holds(b, _TEXTS.is_leaf):
        raise NotImplementedError(f"a graph in operators cannot format this by {a!r}; leave it out, or save a jit.trace")
    return a % b if text is NotImplemented else text


class _Texts(threading.local, _effects.GraphTexts):
    def __init__(self) -> None:
        # While this thread lowers a graph: lists of sizes that tuple() or list() has returned, which print otherwise than a torch.Size.
        self.converted_sizes: list[tuple[Any, type]] = []

    def _leaf(self, value: Any, as_repr: bool) -> Any:
        kind = next((kind for sizes, kind in self.converted_sizes if sizes is value), None)
        if kind is tuple:
            raise _effects.Unknown  # (3,) or (3, 2): the number of sizes is not known
        return self.node("str", value) if kind is list else super()._leaf(value, as_repr)


_TEXTS = _Texts()


def _as_sizes(kind: Any) -> Any:
    """tuple() and list(), also of sizes. In the graph the result is the same list, but its text differs from that of a torch.Size."""

    def convert(x: Any) -> Any:
        if type(x) is not _C.SymbolicList:
            return kind(x)
        sizes = _C._another_list(x)
        _TEXTS.converted_sizes.append((sizes, kind))
        return sizes

    return convert


def _attribute(value: Any, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"a graph from a file may not read {name!r}")
    return getattr(value, name)


def _check_mode(now: Any, traced: bool, question: str) -> None:
    if type(now) is bool:
        return check_mode(now, traced, question)
    _C._guard_bool(now, traced, question)


# Functions of Python, and what is called in their place, so that they also take values that a graph computes.
_GRAPH_FUNCTIONS: dict[Any, Any] = {
    operator.add: _add, operator.getitem: _item, math.sqrt: _sqrt, bool: _bool, operator.not_: _not, operator.is_: _is, operator.is_not: lambda x, y: _is(x, y, True), operator.index: _index, len: _len, int: _number(int), float: _number(float), any: _any, all: _all, min: _least,
    max: _greatest, elements: _elements, raise_error: _raise, _functional._assert: _assert, operator.mod: _mod, **{f: _with_texts(f) for f in (print, str, repr, format)},
    check_mode: _check_mode, _effects.write: _effect("write", _effects.write), _effects.warn: _effect("warn", _effects.warn), _effects.log_message: _effect("message", _effects.log_message), tuple: _as_sizes(tuple), list: _as_sizes(list),
}  # fmt: skip
_BUILTINS = {f.__name__: f for f in (bool, len, int, float, any, all, min, max, abs, sum, range, divmod, round)}

# The functions of Python that a graph from a file may call.
_PYTHON = {
    "builtins": SimpleNamespace(**{name: _GRAPH_FUNCTIONS.get(f, f) for name, f in _BUILTINS.items()}, getattr=_attribute),
    "math": SimpleNamespace(floor=math.floor, ceil=math.ceil, trunc=math.trunc, sqrt=_sqrt),
    "operator": SimpleNamespace(**{**{name: getattr(operator, name) for name, _, _ in _C._python_operators()}, "not_": _not, "index": _index}),
}


def _pairs(*parts: Any) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _given(value: Any = None, **named: Any) -> Any:
    return next(iter(named.values()), value)


# Nodes of a script that are no operators: they make lists, tuples and dicts, and take them apart.
_STRUCTURAL = {
    "prim::Constant": _given, "prim::Uninitialized": _given, "prim::ListConstruct": lambda *items: list(items), "prim::TupleConstruct": lambda *items: items,
    "prim::DictConstruct": _pairs, "prim::ListUnpack": _given, "prim::TupleUnpack": _given, "prim::TupleIndex": operator.getitem,
}  # fmt: skip


def _set_slice(value: Any, start: Any, stop: Any, step: Any, items: Any) -> None:
    value[start:stop:step] = items


def _delete_slice(value: Any, start: Any, stop: Any, step: Any) -> None:
    del value[start:stop:step]


# Operators on lists, dicts and texts that are no methods of them, as Python writes them.
_OF_CONTAINERS: dict[str, Any] = {
    "__getitem__": operator.getitem, "__contains__": operator.contains, "len": len, "list": list, "sorted": sorted, "sum": sum, "any": any, "all": all, "_set_item": operator.setitem,
    "Delete": operator.delitem, "slice": lambda value, start, stop, step: value[start:stop:step], "set_slice": _set_slice, "delete_slice": _delete_slice,
    "sort": lambda value, reverse=False: value.sort(reverse=reverse),
    **{name: lambda value, name=name: list(getattr(value, name)()) for name in ("keys", "values", "items")},
}  # fmt: skip


def _of_container(name: str, function: Any) -> Any:
    """An operator that is also called on lists, dicts and texts of Python. They are written in place; the operator itself would write to a copy."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else None
        method = None
        if isinstance(value, (list, tuple, dict, str)):
            method = _OF_CONTAINERS.get(name) or getattr(type(value), name, None)
        if method is None:
            return function(*args, **kwargs)
        result = method(*args, **kwargs)
        return value if result is None and name not in ("get", "pop") else result

    return call


def is_of_container(target: Any) -> bool:
    """Whether this names an operator on lists, dicts or texts, or one that makes them or takes them apart: of a script."""
    if not isinstance(target, str):
        return False
    name = target.removeprefix("aten::").partition(".")[0]
    return target in _STRUCTURAL or (target.startswith("aten::") and (name in _OF_CONTAINERS or any(hasattr(t, name) for t in (list, dict, str))))


def _function(target: Any) -> Any:
    if not isinstance(target, str):
        return target
    if target in _STRUCTURAL:
        return _STRUCTURAL[target]
    if "::" in target:
        namespace, _, name = target.partition("::")
        found = _find(namespace, name)
        return _of_container(name.partition(".")[0], found) if is_of_container(target) else found
    if target.startswith("torch.ops."):
        return _find(*target.removeprefix("torch.ops.").split(".", 1))
    found = meaning_of_name(target)
    if found is not None:
        return found
    raise RuntimeError(
        f"the graph calls {target!r}, but only its name is known. A graph that was read from a file runs only if all its targets are operators"
    )


def meaning(target: Any) -> Any:
    """The function to call for a target. It takes values that a graph computes."""
    function = _function(target) if isinstance(target, str) else target
    try:
        return _GRAPH_FUNCTIONS.get(function, function)
    except TypeError:  # an object that cannot be hashed
        return function


def _is_unused_rest(node: Node) -> bool:
    """Whether this is a *args or **kwargs placeholder without users. Raises for one with users, which cannot be lowered."""
    if not node.target.startswith("*"):
        return False
    if node.users:
        raise NotImplementedError(
            f"{node.target} takes any number of inputs, but a graph in operators has a fixed number of them\n  {node.span or ''}\n"
            "Capture it with examples, which tell how many there are: torch.capture(f, x, ...) or torch.jit.trace"
        )
    return True


def _shape_of(node: Node, kind: Any) -> Any:
    """The form of an input for _C._capture: None for a tensor about which nothing is known, or a dict, list or tuple of forms.

    An input is a dict if the function only reads items of it by str keys. A list or tuple is read like a tensor, so only its annotation (`kind`) tells.
    """
    container, parts = _container_of(kind)
    if container is tuple and parts and parts[-1] is not ...:
        return tuple(_merged(node, k, part) for k, part in enumerate(parts))
    keys = _keys(node)
    if not keys:
        return None
    if all(isinstance(key, str) for key in keys):
        return {key: _merged(node, key, parts[-1] if container is dict and parts else None) for key in keys}
    if container in (list, tuple):
        if any(type(key) is not int or key < 0 for key in keys):
            raise NotImplementedError(
                f"{node.name} is annotated as a {container.__name__} of any length, but not only read by numbers from its start: a symbolic trace does not know the length\n"
                f"  {node.span or ''}\nAnnotate it as a tuple of so many tensors, or capture the function with an example: torch.capture(f, x, ...) or torch.jit.trace"
            )
        return [_merged(node, k, parts[0] if parts else None) for k in range(max(keys) + 1)]  # of any length
    return None


def _keys(node: Node) -> list[Any] | None:
    """The keys by which items of a node are read; None if it has other users."""
    reads = [u for u in node.users if u.op == "call_function" and u.target is operator.getitem and u.args[0] is node and not isinstance(u.args[1], Node)]
    return [u.args[1] for u in reads] if len(reads) == len(node.users) else None


def _merged(node: Node, key: Any, kind: Any) -> Any:
    """The form of an item of a node: the one with the most parts, of all reads of this item."""
    reads = [u for u in node.users if u.op == "call_function" and u.target is operator.getitem and u.args[0] is node and u.args[1] == key]
    shapes = [shape for shape in (_shape_of(read, kind) for read in reads) if shape is not None]
    return max(shapes, key=len) if shapes else None


def _container_of(annotation: Any) -> tuple[Any, list[Any]]:
    """For an annotation such as list[torch.Tensor], or its text: list, tuple or dict, and its parameters. For others: (None, [])."""
    if isinstance(annotation, str):
        try:
            annotation = ast.parse(annotation, mode="eval").body
        except SyntaxError:
            return None, []
    if isinstance(annotation, ast.AST):
        base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        name = (base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")).lower()
        subscript = annotation.slice if isinstance(annotation, ast.Subscript) else None
        parts = subscript.elts if isinstance(subscript, ast.Tuple) else [subscript] if subscript is not None else []
        return _CONTAINERS.get(name), [... if isinstance(p, ast.Constant) and p.value is ... else p for p in parts]
    container = typing.get_origin(annotation) or annotation
    return (container, list(typing.get_args(annotation))) if container in (list, tuple, dict) else (None, [])


_CONTAINERS = {"list": list, "tuple": tuple, "dict": dict}


def _located(run: Callable[[Callable[[Node | None], None]], Any]) -> Any:
    """The result of `run`, which calls its argument with each node. An error of Python itself, such as an operator that a number of the graph does not have, gets
    the line of the node in the user's program."""
    current: list[Node | None] = [None]

    def on_node(node: Node | None) -> None:
        current[0] = node
        _C._locate(node)

    try:
        return run(on_node)
    except (TypeError, AttributeError, NotImplementedError) as error:
        place = current[0].span if current[0] is not None else None
        if not place or getattr(error, "_has_place", False):
            raise
        located: Any = type(error)(f"{error}\n  at {place}")
        located._has_place = True
        raise located from error


def lower(graph: Graph, root: Any = None, on_result: Callable[[Any], None] = lambda result: None) -> Graph:
    """A graph of operators that computes the same. Its attributes are the tensors of `root`, or of the graph's module.

    An argument with a default is no input of the lowered graph. But if the graph does not run with the default None, the argument must be a tensor, so it is one.

    on_result: gets the result of the nodes on symbolic tensors.
    """
    root = graph.owning_module if root is None else root
    placeholders = [n for n in graph.nodes if n.op == "placeholder" and "concrete" not in n.meta and not _is_unused_rest(n)]
    inputs = [n for n in placeholders if not n.args]
    try:
        return _lowered(graph, root, on_result, placeholders, inputs)
    except (TypeError, AttributeError):
        optional = [n for n in placeholders if not n.args or (n.args == (None,) and n.users)]
        if optional == inputs or optional != placeholders[: len(optional)]:
            raise
        return _lowered(graph, root, on_result, placeholders, optional)


def _lowered(graph: Graph, root: Any, on_result: Callable[[Any], None], placeholders: list[Node], inputs: list[Node]) -> Graph:
    if inputs != placeholders[: len(inputs)]:
        raise NotImplementedError("a graph with an input that has a default before one without a default cannot be lowered; reorder the arguments of the function")

    from ..jit._classes import name_results

    writes = writes_of(graph, root, lower)
    named: list[Any] = []  # where the result has NamedTuples

    def run(*args: Any) -> Any:
        result = _located(lambda on_node: interpret(root, graph, args, on_node, replacements=writes))
        on_result(result)
        types = graph._output.meta.get("namedtuples") if graph._output is not None else None
        named.append(named_parts(flatten(with_namedtuples(result, types), subclasses=True)[1]))
        return result

    outer_hook = _C._set_capture_hook(Scopes(root))
    try:
        lowered, _, _ = _C._capture(
            run,
            [_shape_of(n, n.type) for n in inputs],
            [n.target for n in inputs],
            "symbolic",
            "error",
            root if isinstance(root, Module) else None,
        )
    finally:
        _C._locate(None)
        _C._set_capture_hook(outer_hook)
        _TEXTS.converted_sizes.clear()
    name_results(lowered, named[-1])
    return lowered


def layer_alone(node: Node) -> Graph | None:
    """The call of a layer as a graph of operators. None if the layer has hooks or code of the user's, which may have effects."""
    root = node.graph.owning_module
    layer = fetch(root, node.target) if root is not None else None
    if not isinstance(layer, Module):
        return None
    for m in layer.modules():
        if not type(m).__module__.startswith(_NN) or m._forward_hooks or m._forward_pre_hooks:
            return None
    try:
        return lower(alone(node)[0], root)
    except Exception:  # the arguments do not fit, which a run will say
        return None


def paths_of_modes(graph: Graph, root: Any) -> list[str]:
    """The paths of the modules that the graph calls and that compute otherwise in their other mode."""
    found: dict[str, None] = {}
    for node in graph.nodes(recursive=True):
        layer = fetch(root, node.target) if node.op == "call_module" else None
        if not isinstance(layer, Module) or str(node.target) in found:
            continue
        now = layer_alone(node)
        with flipped_modes(list(layer.modules())):
            other = layer_alone(node)
        if now is None or other is None or now.hash() != other.hash():
            leaves = [path for path, m in layer.named_modules() if not m._modules]
            found.update(dict.fromkeys(f"{node.target}.{path}" if path else str(node.target) for path in leaves))
    return list(found)


class Scopes:
    """The hook of nn.Module while operators are recorded. It notes the module whose code runs, so that each node knows its module."""

    gives_submodules = True

    def __init__(self, root: Any):
        self.paths: dict[Module, str] = {}
        if isinstance(root, Module):
            for path, module in root.named_modules():
                self.paths.setdefault(module, path)

    def call(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        path = self.paths.get(module)
        if not path or not _C._is_capturing():  # not capturing: the example runs a loop to its end
            return module._call_impl(*args, **kwargs)
        _C._begin_module(path)
        try:
            return module._call_impl(*args, **kwargs)
        finally:
            _C._end_module()

    def read(self, module: Module, name: str, value: Any) -> Any:
        return value

    def write(self, module: Module, name: str, value: Any) -> bool:
        """self.NAME = tensor. Raises if it replaces a parameter or buffer, since no node of a graph can do that."""
        if module not in self.paths or not isinstance(value, _C.TensorBase):
            return False
        if value is module._buffers.get(name, module._parameters.get(name)):
            return True
        raise RuntimeError(forgotten(name))
