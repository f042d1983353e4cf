"""torch.fx.Interpreter runs a graph node by node. torch.fx.Transformer makes a new graph the same way.

Derive a class and override what a kind of node does:

    class Doubled(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            return 2 * super().call_function(target, args, kwargs)

    Doubled(fx.symbolic_trace(f)).run(x)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import _C
from ..nn import Module
from . import traceback
from ._attributes import fetch
from ._blocks import used_by
from ._codegen import is_default
from ._kept import drop_unread_results
from ._lowering import _function, _run_blocks, is_of_container, meaning
from .graph import Graph
from .graph_module import GraphModule, told_of_cycle, told_of_methods
from .node import Argument, Node, Target, map_aggregate, map_arg  # noqa: F401 (packages take the first and the last two from here)
from .proxy import Proxy, TracerBase, _plain_create_args
from .traceback import NodeSource, NodeSourceAction, _state as _node_meta


def last_uses(graph: Graph) -> dict[Node, list[Node]]:
    """The values that nobody needs any longer, by the node that reads them last."""
    found: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for user in reversed(graph.nodes):
        for used in used_by(user):
            if used not in seen:
                seen.add(used)
                found.setdefault(user, []).append(used)
    return found


def _is_name_of_operator(target: Any) -> bool:
    """Whether this is an operator without its overload, as a script has it: aten::round."""
    return isinstance(target, str) and "::" in target and "." not in target


class Interpreter:
    """Runs the nodes of a GraphModule one by one, in order.

    module: the GraphModule, or the module that the nodes refer to if `graph` is given. garbage_collect_values: a value is dropped after its
    last use. `env` holds the values by their nodes.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Any = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        if garbage_collect_values:
            self.user_to_last_uses = last_uses(self.graph)

    _plain = False  # a run goes on, of a graph without an If or Loop
    _fetched: Node | None = None  # the node whose arguments were fetched last
    _overload: tuple[Any, str] = (None, "")  # the target of the node that runs, if it is an operator of a script, and the overload that it means

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """The results of the graph for these inputs.

        initial_env: values of nodes that are known and not computed. enable_io_processing: lists and dicts that `concrete_args` took apart are taken
        apart here too.
        """
        self.env = {} if initial_env is None else initial_env
        self.args_iter: Iterator[Any] = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        last = self.user_to_last_uses if self.garbage_collect_values else {}
        result = None
        self._plain = not _C._has_blocks(self.graph)  # asked once, and not at each node
        try:
            for node in self.graph.nodes:
                if node in self.env:
                    continue
                self.env[node] = result = self._run_located(node)
                for unused in last.get(node, ()):
                    self.env.pop(unused, None)
                if node.op == "output":
                    return self.graph.process_outputs(result) if enable_io_processing else result
            return None
        finally:
            self._plain = False

    def boxed_run(self, args_list: list[Any]) -> Any:
        """run() for the inputs of the graph, which empties the list, so that an input can be freed after its last use. The result is that of the function.

        The list has a value for each placeholder, also for one with a default. RuntimeError for another number of values; the list stays as it is.
        """
        placeholders = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(args_list) != len(placeholders):
            detail = "extra arguments" if len(args_list) > len(placeholders) else "missing arguments"
            names = ", ".join(node.name for node in placeholders)
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(placeholders)} arguments for placeholders but received {len(args_list)} ({detail}). The placeholders are {names}"
            )
        values = dict(zip(placeholders, args_list, strict=True))
        args_list.clear()
        return self.graph.process_outputs(self.run(initial_env=values, enable_io_processing=False))

    def _run_located(self, node: Node) -> Any:
        """run_node. An error names the node, and the line of the program that it came from."""
        try:
            return self.run_node(node)
        except RecursionError as error:
            raise told_of_cycle(self.module, self.graph, error) from None
        except Exception as error:
            if not self.extra_traceback or getattr(error, "_names_node", False):
                raise
            words = f"While executing {node.format_node()}"
            place = node.meta.get("stack_trace") or node.span
            if place:
                words += f"\nOriginal traceback:\n{place}"
            if error.args:
                words = f"{error.args[0]}\n\n{words}"
            if isinstance(error, KeyError):  # whose text is shown as a repr, in one line
                raised = RuntimeError(words, *error.args[1:])
                raised._names_node = True  # type: ignore[attr-defined]
                raise raised from error
            error.args = (words, *error.args[1:])
            error._names_node = True  # type: ignore[attr-defined]
            raise

    def run_node(self, n: Node) -> Any:
        """What the node gives: calls the method of its kind with its target and the values of its arguments."""
        if _node_meta.preserves:
            with self._set_current_node(n):
                return self._run_node(n)
        return self._run_node(n)

    def _set_current_node(self, node: Node) -> contextlib.AbstractContextManager[None]:
        """What torch.fx's run_node runs a node in. Subclasses that write run_node anew call it."""
        return traceback.set_current_meta(node, f"Interpreter_{type(self).__name__}")

    def _run_node(self, n: Node) -> Any:
        if not self._plain and (blocks := _C._blocks(n)):
            return _run_blocks(n, blocks, lambda a: self.map_nodes_to_values(a, n), self._run_block)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        op, target = n.op, n.target
        if type(target) is str and op == "call_function" and _is_name_of_operator(target):
            self._overload = target, _C._overload(n)
        return getattr(self, op)(target, args, kwargs)

    def _keep_type(self, made: Node, old: Node) -> None:
        """Inputs and attributes keep their types, and so does a call of a module on values of the same types. The types of operators are inferred."""
        if made.op != old.op or not old.value_type:
            return
        if made.op in ("call_module", "call_method"):
            types = [[i.value_type for i in n.all_input_nodes] for n in (made, old)]
            keeps = made.target == old.target and types[0] == types[1]
        else:
            keeps = made.op in ("placeholder", "get_attr")
        if keeps:
            _C._copy_type(made, old)

    def _run_block(self, placeholders: list[Node], nodes: list[Node], results: list[Any], carried: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """One arm of an If, or one iteration of a Loop."""
        self.env.update(zip(placeholders, carried, strict=True))
        for node in nodes:
            self.env[node] = self._run_located(node)
        return tuple(self.env[r] if isinstance(r, Node) else r for r in results)

    # What a node of each kind does: override these ------------------------------------------------------------------------------------
    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The next input; its default value if there is none."""
        if target.startswith("**"):
            return {}
        if target.startswith("*"):
            return tuple(self.args_iter)
        for given in self.args_iter:
            return given
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!{told_of_methods(self.graph)}")

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The tensor or module at this path."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """target(*args, **kwargs)"""
        if type(target) is str:
            node = self._fetched
            if node is not None and (blocks := _C._blocks(node)):  # an If or Loop, from the run_node of a subclass
                return _run_blocks(node, blocks, lambda a: self.map_nodes_to_values(a, node), self._run_block)
            if target == self._overload[0]:  # the node knows which overload it is: aten::round is aten::round.float
                target = self._overload[1] or target
        return meaning(target)(*args, **kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """args[0].target(*args[1:], **kwargs)"""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of the submodule at this path."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the graph returns."""
        return args[0]

    # Values ---------------------------------------------------------------------------------------------------------------------------
    def fetch_attr(self, target: str) -> Any:
        """What stands at a path of the module."""
        return fetch(self.module, target)

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node, as values."""
        self._fetched = n
        if type(self).map_nodes_to_values is Interpreter.map_nodes_to_values:
            return _C._values_of(n, self.env)
        kwargs = n.kwargs
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(kwargs, n) if kwargs else {}

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """`args` with the values of the nodes in it. `n` is named in the error if one has no value."""
        return _C._with_values(args, self.env, n)


class _TransformingTracer(TracerBase):
    """Records what a Transformer does to its proxies. The modules are those of the module that is transformed."""

    def __init__(self, graph: Graph, root: Module):
        super().__init__()
        self.graph, self.root = graph, root
        self.origin: Node | None = None  # what is made now stands for this node: it has its place and its meta
        self.source: NodeSource | None = None  # the same, for meta["from_node"]

    def create_node(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None, type_expr: Any = None
    ) -> Node:
        made = super().create_node(kind, target, args, kwargs, name, type_expr)
        if self.origin is not None:
            _C._copy_place(made, self.origin)
            made.meta = {**self.origin.meta, "from_node": [self.source]} if self.origin.meta else {}
        return made

    def create_arg(self, a: Any) -> Any:
        if isinstance(a, _C.TensorBase):
            path = next((p for p, t in (*self.root.named_parameters(), *self.root.named_buffers()) if t is a), None)
            if path is not None:
                return self.create_node("get_attr", path, (), {})
        return super().create_arg(a)

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return True


_plain_create_args.add(_TransformingTracer.create_arg)


class Transformer(Interpreter):
    """Runs a graph on proxies, and so writes a new one: `transform()` gives it as a GraphModule.

    Without an override the new graph equals the old one. An override may make other calls:

        class Negated(fx.Transformer):
            def call_function(self, target, args, kwargs):
                return -super().call_function(target, args, kwargs)
    """

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.new_graph = Graph(tracer_cls=getattr(module.graph, "_tracer_cls", None))
        self._typed = any(p.value_type for p in module.graph.find_nodes(op="placeholder", sort=False))  # a trace, or what ShapeProp has seen
        if not is_default(module.graph._codegen):
            self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _TransformingTracer(self.new_graph, module)

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("placeholder", target, args[:1], {})

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target == "operator.getitem" and isinstance(args[0], tuple):  # a result of an If or Loop, which is a tuple of proxies here
            return args[0][args[1]]
        if target in ("prim::ListUnpack", "prim::TupleUnpack"):  # its projections take the items
            return args[0]
        function = target if _is_name_of_operator(target) or is_of_container(target) else _function(target)
        return self.tracer.create_proxy("call_function", function, args, kwargs)

    def run_node(self, n: Node) -> Any:
        """What run_node of an Interpreter gives. The nodes that it makes have the type, the place in the program and the `meta` of the old one."""
        before = self.tracer.origin, self.tracer.source
        self.tracer.origin, self.tracer.source = n, NodeSource(n, f"Interpreter_{type(self).__name__}", NodeSourceAction.CREATE)
        try:
            result = super().run_node(n)
        finally:
            self.tracer.origin, self.tracer.source = before
        if isinstance(result, Proxy) and n.op != "output" and result.node.type is None:
            result.node.type = n.type
        if isinstance(result, Proxy) and n.op == "call_function" and _is_name_of_operator(n.target) and result.node.target == n.target:
            _C._copy_overload(result.node, n)
        if self._typed and isinstance(result, Proxy):
            self._keep_type(result.node, n)
        if _C._blocks(n):  # made in C++, as what the program that runs now asks for
            for proxy in result if isinstance(result, tuple) else (result,):
                for made in (proxy.node, *proxy.node.all_input_nodes[:1]):
                    if made.target != n.target and made.target != "operator.getitem":
                        continue
                    _C._copy_place(made, n)
        return result

    def _run_block(self, placeholders: list[Node], nodes: list[Node], results: list[Any], carried: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        for old, new in zip(placeholders, carried, strict=True):
            if isinstance(new, Proxy) and new.node.op == "placeholder":
                _C._copy_place(new.node, old)
        return super()._run_block(placeholders, nodes, results, carried)

    def transform(self) -> GraphModule:
        """Runs the graph on proxies, and gives the module of the new graph."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            written = map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a)
            old = self.graph.output_node()
            made = self.new_graph.output(written, old.type)
            _C._copy_place(made, old)
            made.meta = dict(old.meta)
            drop_unread_results(self.new_graph)
        return GraphModule(self.module, self.new_graph)


__all__ = ["Interpreter", "Transformer"]
for _class in (Interpreter, Transformer):
    _class.__module__ = "monograph.fx.interpreter"
