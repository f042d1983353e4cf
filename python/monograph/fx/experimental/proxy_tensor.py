"""torch.fx.experimental.proxy_tensor: make_fx records the operators that a function calls on examples.

    gm = make_fx(f)(torch.randn(3))
    gm.code        # torch.ops.aten.sin.default(x_1)
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ... import _C
from ..._capture import capture
from ..._ops import _find
from ..._tensor import Tensor
from ...nn import Module
from ...utils._pytree import tree_flatten, tree_leaves, tree_unflatten
from .._attributes import fetch
from .._pytree_codegen import _PyTreeCodeGen, _PyTreeInfo
from ..graph import Graph
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_arg
from ..passes._nodes import copied, stands_for
from ..passes.fake_tensor_prop import FakeTensorProp
from ..passes.shape_prop import _extract_tensor_metadata

__all__ = ["make_fx"]


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
    proxy_module_inputs: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> Callable[..., GraphModule]:
    """A function of example inputs that gives a GraphModule of the operators that f calls on them, as overloads: torch.ops.aten.add.Tensor.

    The operators are those of our records, so torch.nn.functional.linear is aten.linear, where PyTorch has aten.t and aten.addmm. Sizes stay
    symbolic in every tracing_mode. A function that branches on values is refused. node.meta["val"] is what a node gives for the examples, without values. The target of an operator with several results is its name as text.
    decomposition_table: functions by the operators that they replace. One that gives NotImplemented leaves the operator as it is.
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {tracing_mode}")

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        made = _recorded(f, args)
        table = dict(decomposition_table or {})
        while table and any(_in_table(n, table) for n in made.graph.nodes(recursive=True)):
            before, made = made, _recorded(_Decomposed(made, table).run, args, f)
            if made.code == before.code:  # what is left decomposes into itself
                break
        _note_values(made, args)
        return made

    return wrapped


def _note_values(made: GraphModule, args: tuple[Any, ...]) -> None:
    """Sets meta["val"] and meta["tensor_meta"] of each node, as far as the graph runs on the meta device."""
    leaves = tree_leaves(args)
    if len(leaves) != sum(node.op == "placeholder" for node in made.graph.nodes):
        return
    with contextlib.suppress(RuntimeError, NotImplementedError, TypeError):  # an operator whose sizes depend on values
        FakeTensorProp(made).propagate(*leaves)
    for node in made.graph.nodes(recursive=True):
        if node.op == "output":
            node.meta.pop("val", None)
        value = node.meta.get("val")
        if isinstance(value, Tensor):
            node.meta["tensor_meta"] = _extract_tensor_metadata(value)


def _in_table(node: Node, table: Mapping[Any, Any]) -> Any:
    if node.op != "call_function":
        return None
    return table.get(node.target) or table.get(getattr(node.target, "overloadpacket", None))


class _Decomposed(Interpreter):
    """Runs a graph with other functions for some operators."""

    def __init__(self, module: GraphModule, table: Mapping[Any, Callable[..., Any]]):
        super().__init__(module)
        self.table = table

    def run_node(self, n: Node) -> Any:
        function = _in_table(n, self.table)
        if not function:
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        result = function(*args, **kwargs)
        return super().run_node(n) if result is NotImplemented else result


def _recorded(f: Callable[..., Any], args: tuple[Any, ...], program: Callable[..., Any] | None = None) -> GraphModule:
    """program: the function whose parameters name the inputs, if it is another one."""
    leaves, spec = tree_flatten(args)
    flat = len(leaves) == len(args) and all(a is b for a, b in zip(leaves, args, strict=True))
    if flat and program is None:
        return _recorded_flat(f, args, None)
    # Lists, tuples and dicts among the arguments: the graph has their leaves as inputs, and the code takes them apart.
    parameters = [*inspect.signature(program or f).parameters, *(f"arg_{k}" for k in range(len(args)))][: len(args)]
    names = [f"{name}_{k + 1}" for name, arg in zip(parameters, args, strict=True) for k in range(len(tree_leaves(arg)))]
    if flat:
        return _recorded_flat(f, args, names)
    made = _recorded_flat(lambda *inputs: f(*tree_unflatten(inputs, spec)), tuple(leaves), names)
    output = made.graph.output_node()
    results, out_spec = tree_flatten(map_arg(_plain(output.args[0]), _NodeLeaf))
    output.args = ([leaf.node if isinstance(leaf, _NodeLeaf) else leaf for leaf in results],)
    made.graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(parameters, spec, out_spec)))
    made.recompile()
    return made


@dataclasses.dataclass
class _NodeLeaf:
    """A node, as a leaf of a tree."""

    node: Node


def _plain(tree: Any) -> Any:
    """An argument of a node with lists and dicts in the place of immutable ones."""
    if isinstance(tree, dict):
        return {k: _plain(v) for k, v in tree.items()}
    return type(tree)(map(_plain, tree)) if type(tree) is tuple else list(map(_plain, tree)) if isinstance(tree, list) else tree


def _recorded_flat(f: Callable[..., Any], args: tuple[Any, ...], names: list[str] | None) -> GraphModule:
    captured = capture(f, *args, how="trace", check=False, control_flow="guard")
    # Whether a value requires grad stays as the examples have it, as in PyTorch.
    values = [value for value, _, _ in _C._guard_values(captured.graph)]
    guards = [g for g, value in zip(captured.guards, values, strict=True) if not _asks_for_grad(value)]
    if guards:
        told = "\n".join(f"  {g.where}: `{g.expression}` was {g.expected}" for g in guards)
        raise RuntimeError(
            f"make_fx: the function depends on values or sizes of its inputs, which a GraphModule does not check:\n{told}\n"
            "torch.capture(f, x) keeps these as guards; torch.cond keeps both branches"
        )
    return _graph_of_overloads(captured.graph, f, names)


def _asks_for_grad(value: Any) -> bool:
    return isinstance(value, Node) and value.target == "prim::requires_grad"


def _graph_of_overloads(graph: Graph, f: Any, names: list[str] | None) -> GraphModule:
    """The graph with objects as targets, and inputs named x_1 as in PyTorch; its tensors are attributes of a module."""
    made = Graph()
    known: dict[Node, Any] = {}
    root = Module()
    given = iter(names or [])
    for node in graph.nodes:
        if node.op == "placeholder":
            name = next(given, f"{node.target}_1")
            known[node] = stands_for(made.create_node("placeholder", name, node.args[:1], type_expr=node.type), node)
        elif _asks_for_grad(node) and not node.users:
            continue
        elif node.op == "get_attr":
            known[node] = _attribute(made, root, node, f)
        elif node.target == "prim::TupleConstruct":  # a NamedTuple of the result, which the module gives as a tuple
            known[node] = tuple(map_arg(node.args, lambda n: known[n]))
        elif node.op == "output":
            stands_for(made.output(map_arg(node.args[0], lambda n: known[n])), node)
        else:
            known[node] = copied(made, node, known)
    for node in made.nodes(recursive=True):
        if node.op == "call_function" and not _C._has_structure(node):
            _name_as_pytorch(node)
            with contextlib.suppress(ValueError):  # of several results, which stay with the name of the operator
                node.target = _object(node.target)
    return GraphModule(root, made, getattr(f, "__name__", type(f).__name__))


def _name_as_pytorch(node: Node) -> None:
    """Gives a node of a tensor and a number the overload that PyTorch calls, so that a pass that looks for aten.add.Tensor finds it."""
    named = _C._overload_of_tensors(node)
    if not named:
        return
    args = node.args
    node.target = named
    if len(args) > 2:  # alpha, which is given by name there
        node.args, node.kwargs = args[:2], {"alpha": args[2], **node.kwargs}


def _object(target: Any) -> Any:
    """The overload that the name of a target means."""
    if not isinstance(target, str) or "::" not in target:
        return target
    namespace, _, name = target.partition("::")
    return _find(namespace, name if "." in name else f"{name}.default")


def _attribute(made: Graph, root: Module, node: Node, f: Any) -> Node:
    name = node.target.replace(".", "_")
    setattr(root, name, fetch(f, node.target) if isinstance(f, Module) else dict(_values(node.graph))[node.target])
    return stands_for(made.get_attr(name), node)


def _values(graph: Graph) -> list[tuple[str, Any]]:
    return [(path, tensor) for path, _, _, tensor in _C._graph_attributes(graph)]


def get_proxy_mode() -> None:
    """The mode that records a program on proxies: none is ever active, since make_fx captures otherwise."""
    return None
