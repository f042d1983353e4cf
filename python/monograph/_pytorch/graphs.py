"""fx.from_torch and fx.to_torch: GraphModules of PyTorch and of Monograph."""

from __future__ import annotations

import itertools
import operator
import re
import typing
from collections.abc import Callable
from typing import Any, cast

from .. import _C, nn
from .._higher_order import while_loop
from .._tensor import Tensor
from ..fx import graph as our_graph
from ..fx._attributes import fetch
from ..fx._names import qualified_name
from ..fx._symbolic_trace import symbolic_trace
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..fx.passes.shape_prop import TensorMetadata
from ..utils import _pytree as our_pytree
from . import pytorch
from .bridge import called, called_method
from .exported import Checks, Inputs
from .modules import Modules
from .names import class_of, decompositions, function_of_ours, function_of_theirs
from .tensors import Exchange

_NO_LIMIT = 2**63 - 1  # of the rounds of a Loop

_PLAIN = (str, int, float, bool, type(None))


def from_torch(module: Any, *, fallback: bool) -> GraphModule:
    """See fx.from_torch."""
    torch = pytorch("fx.from_torch")
    if isinstance(module, torch.export.ExportedProgram):
        try:
            return _from_exported(module, fallback=False)
        except NotImplementedError:  # PyTorch may say by other operators what Monograph lacks
            lacking = {op: rule for op, rule in torch.export.default_decompositions().items() if function_of_ours(op) is None}
            program = module.run_decompositions({**lacking, **decompositions(function_of_ours)})
            return _from_exported(program, fallback=fallback)
    if isinstance(module, torch.jit.ScriptModule):
        raise TypeError(
            f"from_torch takes no {type(module).__name__}, which has no graph of torch.fx. Save it by torch.jit.save(module, path) of PyTorch and load it by "
            "torch.jit.load(path) of Monograph, or give from_torch the module that was traced or scripted"
        )
    if isinstance(module, torch.nn.Module) and not isinstance(module, torch.fx.GraphModule):
        module = torch.fx.symbolic_trace(module)
    if not isinstance(module, torch.fx.GraphModule):
        raise TypeError(
            f"from_torch expects a module or GraphModule of PyTorch, but got {type(module).__module__}.{type(module).__qualname__}"
        )
    return cast(GraphModule, FromTorch(fallback).whole(module))


def _from_exported(program: Any, *, fallback: bool) -> GraphModule:
    return cast(GraphModule, FromTorch(fallback, checks=Checks(program)).whole(program.module(check_guards=False)))


def to_torch(module: Any, *, fallback: bool) -> Any:
    """See fx.to_torch."""
    pytorch("fx.to_torch")
    if isinstance(module, nn.Module) and not isinstance(module, GraphModule):
        module = symbolic_trace(module)
    if not isinstance(module, (GraphModule, Graph)):
        raise TypeError(
            f"to_torch expects a GraphModule, Graph or module of Monograph, but got {type(module).__module__}.{type(module).__qualname__}"
        )
    return ToTorch(fallback).whole(module)


def _check_inputs(graph: Any) -> None:
    """Raises where a node of PyTorch's graph takes one that is not before it in the graph, which PyTorch finds only when the graph runs."""
    before: set[Any] = set()
    for node in graph.nodes:
        for taken in node.all_input_nodes:
            if taken not in before:
                where = "a later node" if taken.graph is graph else "a node of another graph, such as one that an earlier trace left in a module"
                raise RuntimeError(f"from_torch: node {node.name} of PyTorch's graph takes {taken.name}, {where}. graph.lint() of PyTorch finds it too")
        before.add(node)


class _Named:
    """A value that a function takes and that no node of the other graph gives."""

    def __init__(self, name: str):
        self.name = name


class _Converter:
    """What both directions share. `missing` collects what the other library lacks."""

    to_ours: bool

    def __init__(self, fallback: bool):
        self.fallback = fallback
        self.missing: dict[str, str] = {}
        self.called: dict[Any, Any] = {}  # functions that stay in their library
        self.exchange = Exchange(to_ours=self.to_ours)
        self.modules = Modules(self.exchange, self.graph_module, fallback, self.missing)

    def whole(self, module: Any) -> Any:
        made = self.graph_module(module)
        if self.missing:
            names = "\n  ".join(f"{name}{f' ({why})' if why else ''}" for name, why in self.missing.items())
            here, there = ("Monograph", "PyTorch") if self.to_ours else ("PyTorch", "Monograph")
            raise NotImplementedError(
                f"{here} does not have what this graph of {there} calls:\n  {names}\n"
                f"With fallback=True the graph calls {there} there. Or change these nodes before: graph.call_function, replace_pattern"
            )
        return made

    def graph_module(self, module: Any) -> Any:
        raise NotImplementedError

    def function_of(self, function: Any) -> Any:
        raise NotImplementedError

    def lacking(self, name: str, node: Any, instead: Callable[[], Any]) -> Any:
        if self.fallback:
            return instead()
        self.missing.setdefault(name, f"node {node.name}")
        return None

    def function(self, node: Any) -> Any:
        found = self.function_of(node.target)
        if found is not None:
            return found
        back = getattr(node.target, "in_other_library", None)
        if back is not None:
            return back
        if node.target not in self.called:
            name = self.name_of(node.target)
            taken = [c for c in self.called.values() if c is not None and c.__name__ == re.sub(r"\W", "_", name)]
            self.called[node.target] = self.lacking(name, node, lambda: called(node.target, self.to_ours, name + ("_" if taken else "")))
        return self.called[node.target]

    def name_of(self, function: Any) -> str:
        return (
            qualified_name(function)
            if isinstance(function, str) or not hasattr(function, "__qualname__")
            else f"{function.__module__}.{function.__qualname__}"
        )

    def hint(self, kind: Any) -> Any:
        """The type of a placeholder or result, if it means the same in the other library."""
        if isinstance(kind, str):
            return kind
        arguments = typing.get_args(kind)
        if arguments and typing.get_origin(kind) in (list, tuple, dict):
            return typing.get_origin(kind)[tuple(k if k is ... else self.hint(k) for k in arguments)]
        if isinstance(kind, type) and kind.__module__.partition(".")[0] in ("torch", "monograph"):
            return class_of(f"{kind.__module__}.{kind.__qualname__}", self.to_ours)
        return kind if isinstance(kind, type) and kind.__module__ == "builtins" else None

    def meta(self, meta: dict[str, Any]) -> dict[str, Any]:
        """What is known of a node and means the same in the other library."""
        kept = {k: v for k, v in meta.items() if _is_plain(v)}
        found = meta.get("tensor_meta")
        if getattr(type(found), "__name__", "") == "TensorMetadata" and (known := self.tensor_meta(found)) is not None:
            kept["tensor_meta"] = known
        return kept

    def tensor_meta(self, found: Any) -> Any:
        import torch

        kind: Any = TensorMetadata if self.to_ours else torch.fx.passes.shape_prop.TensorMetadata
        if not all(isinstance(n, int) for n in (*found.shape, *(found.stride or ()))):  # a size that the values decide has no number
            return None
        values = {name: self.exchange.constant(value) for name, value in found._asdict().items()}
        size: Any = _C.Size if self.to_ours else torch.Size
        return kind(**{**values, "shape": size(tuple(found.shape))})

    def put(self, root: Any, path: str, value: Any) -> None:
        """Puts a tensor or module where the graph looks for it."""
        base = type(root)
        *prefix, name = path.split(".")
        for part in prefix:
            if part not in root._modules:
                root.add_module(part, base())
            root = root._modules[part]
        import torch

        if isinstance(value, (nn.Parameter, torch.nn.Parameter)):
            root.register_parameter(name, value)
        elif isinstance(value, (Tensor, torch.Tensor)):
            root.register_buffer(name, value)
        elif isinstance(value, (nn.Module, torch.nn.Module)):
            before = root._modules.get(name)
            root.add_module(name, value)
            for inner, module in before._modules.items() if before is not None and value is not before else ():
                value._modules.setdefault(inner, module)
        else:
            setattr(root, name, value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(k) and _is_plain(v) for k, v in value.items())
    return all(map(_is_plain, value)) if isinstance(value, (list, tuple)) else type(value) in _PLAIN


class FromTorch(_Converter):
    """instead: gives the function of Monograph for one of PyTorch; None if there is none."""

    to_ours = True

    def __init__(self, fallback: bool, instead: Callable[[Any], Any] = function_of_ours, checks: Checks | None = None):
        super().__init__(fallback)
        self.instead, self.checks = instead, checks
        self.carrying: set[str] = set()  # bodies of loops that return all they take

    def function_of(self, function: Any) -> Any:
        return self.instead(function)

    def name_of(self, function: Any) -> str:
        import torch

        if isinstance(function, torch._ops.OpOverload):
            return str(function._schema.name) + (f".{function._overloadname}" if function._overloadname != "default" else "")
        return super().name_of(function)

    def graph_module(self, module: Any) -> Any:
        import torch

        graph, root = Graph(), nn.Module()
        made: dict[Any, Any] = {}
        inputs = _flat_inputs(module.graph)

        def argument(a: Any) -> Any:
            if isinstance(a, torch.fx.Node):
                return made[a]
            if isinstance(a, torch.SymInt):
                raise NotImplementedError(
                    f"the graph has the symbolic size {a} among its arguments; from_torch takes graphs whose sizes are nodes or numbers"
                )
            if not callable(a) or isinstance(a, type):
                return a
            # What is handed to a function that stays in PyTorch may be one that only PyTorch has.
            return function_of_ours(a) or (called(a, True, self.name_of(a)) if isinstance(a, torch._ops.OperatorBase) else a)

        read: dict[Any, Any] = {}
        leaves: list[tuple[Any, Node]] = []
        _check_inputs(module.graph)
        for node in module.graph.nodes:
            if node.op != "placeholder" and leaves and self.checks is not None and inputs is not None:
                self.checks.insert(inputs, leaves)
                leaves = []
            args, kwargs = self.exchange.value(tuple(node.args), argument), self.exchange.value(dict(node.kwargs), argument)
            hint = self.hint(node.type)
            if node.op == "placeholder":
                new = (
                    inputs.placeholder(graph, node, hint, args)
                    if inputs is not None
                    else graph.create_node(node.op, node.target, args, {}, node.name, hint)
                )
                leaves.append((node, new))
            elif node.op == "output":
                new = graph.output(args[0] if inputs is None else inputs.result(args[0]), hint)
            else:
                new = self._call(module, root, graph, node, args, kwargs, read)
            if new is not None:
                new.meta.update(self.meta(node.meta))
            made[node] = new
        if self.missing:
            return None
        root.training = module.training
        _same_trees(module.graph, graph, to_ours=True)
        return GraphModule(root, graph, type(module).__name__)

    def _call(self, module: Any, root: nn.Module, graph: Graph, node: Any, args: Any, kwargs: Any, read: dict[Any, Any]) -> Node | None:
        import torch

        op, target = node.op, node.target
        if op == "call_function" and target is torch.ops.higher_order.while_loop:
            target, args, kwargs = while_loop, self._carrying_all(root, node, args), {}
        elif op == "call_function":
            if self.checks is not None and self.checks.skips(target):
                return None
            target = self.function(node)
        elif op == "call_method":
            if hasattr(torch.Tensor, target) and not hasattr(Tensor, target):
                op, target = "call_function", self.lacking(f"torch.Tensor.{target}", node, lambda: called_method(node.target, True))
        else:
            self._attribute(module, root, target, read)
        return graph.create_node(op, target, args, kwargs, node.name, self.hint(node.type)) if target is not None else None

    def _carrying_all(self, root: nn.Module, node: Any, args: Any) -> Any:
        """The arguments of a loop that carries what PyTorch's gives to each round beside: its body returns these as they came."""
        condition, body, carried, beside = (*args, ())[:4]
        function = fetch(root, body.target)
        if beside and isinstance(function, GraphModule) and body.target not in self.carrying:
            self.carrying.add(body.target)
            output = function.graph.output_node()
            inputs = [n for n in function.graph.nodes if n.op == "placeholder"]
            output.args = ((*output.args[0], *inputs[len(inputs) - len(beside) :]),)
            function.recompile()
        return condition, body, (*carried, *beside)

    def _attribute(self, module: Any, root: nn.Module, path: str, read: dict[Any, Any]) -> None:
        import torch

        if path in read:
            return
        value = read[path] = fetch(module, path)
        if isinstance(value, torch.nn.Module):
            self.put(root, path, self.modules.module(value))
        elif isinstance(value, torch.Tensor):
            self.put(root, path, self.exchange.tensor(value))
        else:
            self.put(root, path, self.exchange.value(value))


def _flat_inputs(graph: Any) -> Inputs | None:
    """None where each argument of the function is a placeholder."""
    info = getattr(graph._codegen, "pytree_info", None)
    return Inputs(info) if info is not None and not _is_of_signature(info) else None


def _is_of_signature(info: Any) -> bool:
    """Whether in_spec has one child for each parameter, as symbolic_trace makes it; that of torch.export is (args, kwargs)."""
    spec = info.in_spec
    first = [child.type for child in spec.children()]
    return spec.num_children == len(info.orig_args) and not (spec.type is tuple and first == [tuple, dict])


def _same_trees(old: Any, new: Any, to_ours: bool) -> None:
    """Gives the new graph the CodeGen of the old one if its function takes or returns trees."""
    import torch

    info = getattr(old._codegen, "pytree_info", None)
    if info is None or (to_ours and not _is_of_signature(info)):
        return
    library: Any = our_pytree if to_ours else torch.utils._pytree
    graphs: Any = our_graph if to_ours else torch.fx.graph

    def tree(spec: Any) -> Any:
        if spec is None or spec.is_leaf():
            return spec and library.tree_structure(0)
        if spec.type not in library.SUPPORTED_NODES:
            raise NotImplementedError(
                f"{'from_torch' if to_ours else 'to_torch'}: the function takes or returns a {spec.type.__name__}, which the other library does not know. "
                "Register the type with both: utils._pytree.register_pytree_node"
            )
        return library.TreeSpec(spec.type, spec.context, [tree(child) for child in spec.children()])

    codegen = graphs._PyTreeCodeGen(graphs._PyTreeInfo(list(info.orig_args), tree(info.in_spec), tree(info.out_spec)))
    if to_ours:
        codegen.of_signature = True
    new.set_codegen(codegen)


class ToTorch(_Converter):
    to_ours = False

    def function_of(self, function: Any) -> Any:
        return function_of_theirs(function)

    def graph_module(self, module: Any) -> Any:
        import torch

        graph = module.graph if isinstance(module, GraphModule) else module
        source = module if isinstance(module, GraphModule) else graph.owning_module
        attributes = {path: tensor for path, _, _, tensor in _C._graph_attributes(graph)} if source is None else {}
        if any("concrete" in n.meta for n in graph.nodes if n.op == "placeholder"):
            raise NotImplementedError(
                "to_torch: the graph has arguments that concrete_args fixed. Trace a function without these arguments, for example a lambda"
            )
        root = torch.nn.Module()
        made: dict[Any, Any] = {}
        new = self.nodes(graph, [n for n in graph.nodes if n.op != "output"], made, root, source, attributes, torch.fx.Graph())
        if self.missing:
            return None
        self.guards(graph, made, new)
        output = graph.output_node()
        self.nodes(graph, [output], made, root, source, attributes, new)
        root.training = module.training if isinstance(module, GraphModule) else False
        _same_trees(graph, new, to_ours=False)
        return torch.fx.GraphModule(root, new, type(module).__name__ if isinstance(module, GraphModule) else "GraphModule")

    def nodes(self, graph: Any, nodes: Any, made: dict[Any, Any], root: Any, source: Any, attributes: dict[str, Any], new: Any) -> Any:
        """Appends the nodes of a graph, or of a block, to `new`."""

        def argument(a: Any) -> Any:
            if isinstance(a, Node):
                return made[a]
            if isinstance(a, Tensor):  # a constant
                path = next(name for k in itertools.count() if not hasattr(root, name := f"_tensor_constant{k}") and name not in attributes)
                self.put(root, path, self.exchange.tensor(a))
                return new.get_attr(path)
            return (function_of_theirs(a) or a) if callable(a) and not isinstance(a, type) else a

        for node in nodes:
            args, kwargs = self.exchange.value(tuple(node.args), argument), self.exchange.value(dict(node.kwargs), argument)
            blocks = _C._blocks(node) if node.op == "call_function" else None
            name = re.sub(r"\W", "_", node.name)
            if blocks:
                made[node] = self.branch(node, blocks, made, root, source, attributes, new, args)
                continue
            target = node.target
            if node.op in ("get_attr", "call_module"):
                self._attribute(source, attributes, root, target)
            elif node.op == "call_function":
                target = self.function(node)
            if target is None:
                made[node] = None
                continue
            made[node] = new.create_node(node.op, target, args, kwargs, name, self.hint(node.type))
            made[node].meta.update(self.meta(node.meta))
            if node.span:
                made[node].meta.setdefault("stack_trace", _stack_trace(node.span))
        return new

    def guards(self, graph: Graph, made: dict[Any, Any], new: Any) -> None:
        """What a trace checks on every run, as calls of torch._assert."""
        import torch

        for (value, expected, _), (expression, _, place) in zip(_C._guard_values(graph), _C._guards(graph), strict=True):
            source, dim = (value, None) if not isinstance(value, str) else _size(value, graph)
            if source is None:
                raise NotImplementedError(
                    f"to_torch: the graph has a guard of the size {value} ({expression}, {place}), which is not a size of an input"
                )
            last = next(n for n in reversed(list(new.nodes)) if n.op == "placeholder") if dim is not None else made[source]
            with new.inserting_before(last.next):
                seen = torch.fx.Proxy(made[source]) if dim is None else torch.fx.Proxy(made[source]).shape[dim]
                condition = seen == self.exchange.value(expected)
                new.call_function(torch._assert, (condition.node, f"the trace was made where {expression} is {expected}; {place}"))

    def branch(
        self, node: Any, blocks: Any, made: dict[Any, Any], root: Any, source: Any, attributes: dict[str, Any], new: Any, args: Any
    ) -> Any:
        """An If or Loop as torch.cond or torch.while_loop of PyTorch, whose functions get what the blocks read."""
        import torch

        from ..fx._blocks import inputs_of

        def function(name: str, block: Any, takes: list[Any], returns: Callable[[dict[Any, Any], Any], Any]) -> Any:
            inner, holder = torch.fx.Graph(), torch.nn.Module()
            within = {n: inner.placeholder(re.sub(r"\W", "_", n.name)) for n in takes}
            self.nodes(node.graph, block[1], within, holder, source, attributes, inner)
            if self.missing:
                return None
            inner.output(returns(within, inner))
            self.put(root, f"{node.name}_{name}", torch.fx.GraphModule(holder, inner))
            return new.get_attr(f"{node.name}_{name}")

        if len(blocks) == 1:
            return self.loop(node, blocks[0], made, new, args, function)
        reads = [n for n in inputs_of(node) if n is not node.args[0]]

        def returned(results: list[Any]) -> Callable[[dict[Any, Any], Any], Any]:
            return lambda within, _: tuple(within[r] if isinstance(r, Node) else r for r in results)

        functions = [function(name, block, reads, returned(block[2])) for name, block in zip(("true", "false"), blocks, strict=True)]
        whole = new.call_function(torch.ops.higher_order.cond, (args[0], *functions, tuple(made[r] for r in reads)))
        if len(blocks[0][2]) > 1:
            return whole
        return new.call_function(operator.getitem, (whole, 0))

    def loop(self, node: Any, block: Any, made: dict[Any, Any], new: Any, args: Any, function: Callable[..., Any]) -> Any:
        """PyTorch asks the condition before each round, of what is carried: so the number of the round and the condition of the next one are carried too."""
        import torch

        from ..fx._blocks import inputs_of, used_by

        (index, *carried), nodes, results = block
        for n in carried:
            if n.value_type in [kind.__name__ for kind in (float, complex, str)]:
                raise NotImplementedError(
                    f"to_torch: the loop {node.name} carries {n.name}, a {n.value_type}; torch.while_loop carries tensors and ints. Make it a tensor\n  {node.span or ''}"
                )
        limit = node.args[0]
        counts = limit != _NO_LIMIT or any(index in set(used_by(n)) for n in nodes) or index in results
        own = set(node.args[:1]) if isinstance(limit, Node) else set()
        inside = {n for n in inputs_of(node) if n in set(itertools.chain.from_iterable(map(used_by, nodes))) | set(results)}
        reads = [n for n in inputs_of(node) if n in inside or n in own]
        go = _Named("condition")
        takes = [*([index] if counts else []), go, *carried, *reads]

        def goes_on(within: dict[Any, Any], inner: Any) -> Any:
            if limit == _NO_LIMIT:
                return within[go]
            last = within[limit] if isinstance(limit, Node) else limit
            return inner.call_function(operator.and_, (within[go], inner.call_function(operator.lt, (within[index], last))))

        def following(within: dict[Any, Any], inner: Any) -> Any:
            values = [within[r] if isinstance(r, Node) else r for r in results]
            return ((inner.call_function(operator.add, (within[index], 1)),) if counts else ()) + tuple(values)

        condition = function("condition", ([], [], []), takes, goes_on)
        body = function("body", block, takes, following)
        if self.missing:
            return None
        initial = (*((0,) if counts else ()), *args[1:])
        whole = new.call_function(torch.ops.higher_order.while_loop, (condition, body, initial, tuple(made[r] for r in reads)))
        first = len(initial) - len(carried)
        return new.call_function(operator.getitem, (whole, first if len(carried) == 1 else slice(first, None)))

    def _attribute(self, source: Any, attributes: dict[str, Any], root: Any, path: str) -> None:
        value = attributes[path] if path in attributes else fetch(source, path)
        if isinstance(value, nn.Module):
            self.put(root, path, self.modules.module(value))
        elif isinstance(value, Tensor):
            self.put(root, path, self.exchange.tensor(value))
        else:
            self.put(root, path, self.exchange.value(value))


def _size(symbol: str, graph: Graph) -> tuple[Any, int | None]:
    """The input and dimension whose size the symbol stands for; (None, None) if there is none."""
    for value in graph.inputs():
        dims = re.search(r"\((.*)\)", str(value.type()))
        for dim, text in enumerate(dims[1].split(", ") if dims else ()):
            if text == symbol:
                return value.node(), dim
    return None, None


def _stack_trace(span: str) -> str:
    """The user's line as PyTorch writes it."""
    where, _, line = span.rpartition(":")
    path, _, number = where.rpartition(":") if where.rpartition(":")[2].isdigit() else (where, "", line)
    return f'  File "{path or where}", line {number or line}, in forward'
