"""torch.fx.Node: one step of a graph, which is its own value."""

from __future__ import annotations

import linecache
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from .. import _C
from ..functional import _assert
from .script_view import ScriptNode

# Annotations of passes: what a node calls, and what it calls it with.
Target = Callable[..., Any] | str
BaseArgumentTypes = (
    str | int | float | bool | complex | _C.dtype | _C.TensorBase | _C.device | _C.memory_format | _C.layout | _C.SymInt | _C.SymBool | _C.SymFloat
)
base_types = typing.get_args(BaseArgumentTypes)
ArgumentT = typing.TypeVar("ArgumentT")
_legal_ops = dict.fromkeys(["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"])
_MADE_ON_DEMAND = {"_": "monograph.fx._private_names"}  # private names of torch.fx that have no meaning here
Argument = Any


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """`a` with fn(node) in the place of each node."""
    if not callable(fn):
        raise AssertionError(f"torch.fx.map_arg(a, fn): fn must be a callable, but got {type(fn).__name__}")
    return _C._map_arg(a, fn)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """`a` with fn(x) in the place of everything inside that is not a list, tuple, dict or slice."""
    return _C._map_aggregate(a, fn)


def _assert_is_none(value: Any, msg: str) -> None:
    """What generated code calls of an argument that concrete_args fixed to None."""
    assert value is None, msg


_assert_is_none.__module__ = "monograph.fx._symbolic_trace"  # where torch.fx has it
_side_effectful_functions: set[Any] = {_assert, _assert_is_none}  # called for what they do, such as to raise


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Says that calls of `fn` do something beside their result, so eliminate_dead_code() keeps them. Also a decorator."""
    _side_effectful_functions.add(fn)
    return fn


class Node(_C.NodeBase, ScriptNode):
    """A node of a Graph. It is made by its graph and stays the same object for as long as it or the graph's node lives."""

    tag: Any  # where split_by_tags puts it

    def __repr__(self) -> str:
        return self.name

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"node {self.name} belongs to its graph and is not copied or pickled alone{f' (made at {self.span})' if self.span else ''}; "
            "copy the graph, or call graph.node_copy(node)"
        )

    @property
    def stack_trace(self) -> Any:
        """Where the program made it: what a pass or a Tracer noted, else its line as a traceback shows it; None where that is not known."""
        noted = self.meta.get("stack_trace")
        if noted is not None or not self.span:
            return noted
        file, _, line = self.span.rpartition(":")
        source = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
        return f'  File "{file}", line {line}\n' + (f"    {source}\n" if source else "")

    @stack_trace.setter
    def stack_trace(self, text: Any) -> None:
        self.meta["stack_trace"] = text

    @property
    def _args(self) -> Any:  # packages read these two
        return self.args

    @property
    def _kwargs(self) -> Any:
        return self.kwargs

    @property
    def _input_nodes(self) -> dict[Node, None]:
        """As all_input_nodes, in a dict."""
        return dict.fromkeys(self.all_input_nodes)

    def _rename(self, candidate: str) -> None:
        """As assigning to `name`."""
        if candidate != self.name:
            self.name = candidate

    def update_arg(self, idx: int, arg: Any) -> None:
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        self.kwargs = {**self.kwargs, key: arg}

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Puts another node in the place of this one in all its users (in those that delete_user_cb accepts), and answers them."""
        if propagate_meta:
            if replace_with.meta.keys() - {"nn_module_stack"}:  # which a node has of the place that a pass gave it
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        if delete_user_cb is None:
            return self._replace_all_uses(replace_with)
        chosen = [user for user in self.users if delete_user_cb(user)]
        for user in chosen:
            user.replace_input_with(self, replace_with)
        return chosen

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it must stay though nobody uses it."""
        if self.op == "call_module" and (root := self.graph.owning_module) is not None:
            return bool(getattr(root.get_submodule(self.target), "_is_impure", False))  # a module says so of itself
        return super().is_impure() or (self.op == "call_function" and self.target in _side_effectful_functions)

    @property
    def _ref(self) -> tuple[Node, tuple[int, ...]]:  # type: ignore[override]
        """Its place for TorchScript's API (script_view.py)."""
        return (self, ())

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        """The name of what a node calls: operator.add, torch.relu, a path."""
        if isinstance(target, str):
            return target if "::" not in target else "torch.ops." + target.replace("::", ".", 1)
        name = getattr(target, "__name__", None)
        return f"builtins.{name}" if name and getattr(target, "__module__", None) == "builtins" else _C._qualified_name(target)

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *, include_tensor_metadata: bool = False
    ) -> str | None:
        """The node as a line of str(graph).

        placeholder_names: gets the name of a placeholder, and nothing is given. maybe_return_typename: gets the type of an output. include_tensor_metadata:
        with the dtype, sizes, strides and device of meta["val"].
        """
        kind = f"{type_text(self.type)} " if self.type is not None else ""
        if self.op == "output":
            if self.type is not None and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_text(self.type)}"
            return f"return {self.args[0]}"
        if self.op == "placeholder" and placeholder_names:
            placeholder_names.append(self.target + (f": {type_text(self.type)}" if self.type is not None else ""))
            return None
        value = self.meta.get("val", self.meta.get("example_value"))
        if include_tensor_metadata and isinstance(value, _C.TensorBase):
            sizes, strides = ("[" + ", ".join(map(str, numbers)) + "]" for numbers in (value.shape, value.stride()))
            kind = f'Tensor "{_abbreviated(value.dtype)}{sizes}{strides}{value.device}" '
        begin = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
        if self.op == "placeholder":
            return begin + (f"(default={self.args[0]})" if self.args else "")
        if self.op == "get_attr":
            return begin
        return f"{begin}(args = {_format_arg(self.args)}, kwargs = {_format_arg(dict(self.kwargs))})"

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """The arguments of a function or layer with all defaults, as an ArgsKwargsPair; None where it has no signature.

        root: the module that has the layers. arg_types, kwarg_types: what tells overloads apart. normalize_to_only_use_kwargs: all by name.
        """
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(self.target, self.args, dict(self.kwargs), arg_types, kwarg_types, normalize_to_only_use_kwargs)
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, dict(self.kwargs), normalize_to_only_use_kwargs)
        return None


def type_text(kind: Any) -> str:
    """A type as torch.fx writes it."""
    if isinstance(kind, type):
        return _C._qualified_name(kind) if kind.__module__ != "builtins" else kind.__qualname__
    return "..." if kind is ... else kind.__name__ if isinstance(kind, types.FunctionType) else re.sub(r"\bmonograph\.", "torch.", repr(kind))


def _abbreviated(dtype: Any) -> str:
    """f32, i64, b8, f8e5m2: the kind and the bits, and how an 8-bit float divides them. A quantized dtype has its own name."""
    name, _, layout = str(dtype).removeprefix("torch.").partition("_")
    if name.startswith("q"):
        return name
    kinds = {"bfloat": "bf", "float": "f", "complex": "c", "uint": "u", "int": "i", "bool": "b"}
    return next(short for long, short in kinds.items() if name.startswith(long)) + str(8 * dtype.itemsize) + layout


dtype_abbrs = {dtype: _abbreviated(dtype) for dtype in dict.fromkeys(_C._dtypes.values())}


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """An argument as str(graph) has it: a node is %name. Of a longer list or tuple so many are written."""
    if isinstance(arg, Node):
        return f"%{arg.name}"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    if not isinstance(arg, (list, tuple)):
        return str(arg)
    written = [_format_arg(a) for k, a in enumerate(arg) if k < max_list_len]
    more = f", ...[total_len={len(arg)}]" if len(arg) > max_list_len else ""
    end = "," if isinstance(arg, tuple) and len(arg) == 1 else ""
    left, right = "()" if isinstance(arg, tuple) else "[]"
    return left + ", ".join(written) + more + end + right


def _get_qualified_name(func: Any) -> str:
    """The full name of a function: torch.relu, _operator.add."""
    from ._names import qualified_name

    return qualified_name(func)


def _find_module_of_method(orig_method: Any) -> str:
    """The module of a function, by its name: torch, torch.nn.functional."""
    return _get_qualified_name(orig_method).rpartition(".")[0] or orig_method.__module__


_type_repr = type_text

Node.__module__ = "monograph.fx.node"
