"""torch.fx.Graph: a function as a list of nodes. Its methods make, copy, check and erase nodes, write Python code, and run, save and compare the graph."""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import _C
from .._changes import noted_modes
from .._ops import _find
from .._result_types import with_types
from ..nn import Module, Parameter
from . import (
    _pickle,
    _reads,
    immutable_collections,  # noqa: F401
)
from ._blocks import copied_with_blocks, inner_nodes, inputs_of
from ._codegen import CodeGen, PythonCode, TransformCodeFunc, is_default, python_code, renamed, unsuited_target, with_annotations
from ._graph_names import (  # noqa: F401 (torch.fx has them here)
    _custom_builtins,
    _CustomBuiltin,
    _format_target,
    _illegal_char_regex,
    _illegal_names,
    _is_from_torch,
    _is_magic,
    _legal_ops,
    _name_regex,
    _Namespace,
    _origin_type_map,
    _parse_stack_trace,
    _ParsedStackTrace,
    _register_custom_builtin,
    _snake_case,
    _snake_case_sub,
)
from ._html import graph_as_html
from ._inputs import with_namedtuples
from ._lowering import lower
from ._pytree_codegen import _PyTreeCodeGen, _PyTreeInfo  # noqa: F401
from ._readable import place_comment, trace_comment, types_of
from ._view import GraphPage, view
from .node import Argument, Node, Target, _get_qualified_name, _type_repr, dtype_abbrs, map_aggregate, map_arg  # noqa: F401
from .script_view import ScriptGraph

_new_node = _C.GraphBase.create_node
_node_list = _C._NodeList  # the class of graph.nodes
_MADE_ON_DEMAND = {"_": "monograph.fx._private_names"}  # private names of torch.fx that have no meaning here


def _forms(*kinds: str) -> dict[str, str]:
    """Format strings for the functions of `operator` of these kinds: {"add": "{} + {}"}."""
    formats = {"unary": "{1}{{}}", "getitem": "{{}}[{{}}]", "setitem": "{{}}[{{}}] = {{}}"}
    return {name: formats.get(kind, "{{}} {1} {{}}").format(name, symbol) for name, symbol, kind in _C._python_operators() if symbol and kind in kinds}


# div has no function in `operator` of Python 3. Packages that derive from Tracer or Proxy read these three.
reflectable_magic_methods = {**_forms("binary", "getitem"), "div": "{} / {}"}
magic_methods = {**_forms("comparison", "unary"), **reflectable_magic_methods}
inplace_methods = _forms("inplace", "setitem")


class _InsertPoint:
    """What inserting_before and inserting_after return. At the end of a `with` block, the former insertion point is restored."""

    def __init__(self, graph: Graph, saved: Node | None):
        self.graph, self.saved = graph, saved

    def __enter__(self) -> _InsertPoint:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        self.graph._insert_before(self.saved)


def _made_at(node: Node) -> str:
    return f"\n  {node} was made at {node.span}" if node.span else ""


def _lines_around(graph: Graph, node: Node) -> str:
    """The text of the graph; of a long one the ten lines before and after the node's."""
    lines = str(graph).split("\n")
    at = next((k for k, line in enumerate(lines) if line.lstrip().startswith(f"%{node.name} ")), 0)
    first, last = max(at - 10, 1), min(at + 11, len(lines))
    if len(lines) <= 40:
        return "\n".join(lines)
    return "\n".join([lines[0], *["    ..."][: first > 1], *lines[first:last], *["    ..."][: last < len(lines)]])


def _check_target(node: Node, root: Any) -> None:
    *prefix, last = node.target.split(".")
    owner = root
    for k, name in enumerate((*prefix, last)):
        if not hasattr(owner, name):
            raise RuntimeError(
                f"Node {node} target {node.target} references nonexistent attribute {name} of {'.'.join(prefix[:k]) or 'the module'}{_made_at(node)}\n"
                f"add_submodule() or register_buffer() of the GraphModule puts it there\n{_lines_around(node.graph, node)}"
            )
        owner = getattr(owner, name)
    if node.op == "call_module" and not callable(owner):
        raise RuntimeError(f"Node {node} target {node.target} {last} of {'.'.join(prefix)} does not reference an nn.Module{_made_at(node)}\n{_lines_around(node.graph, node)}")
    if node.op == "call_module" and isinstance(owner, Module) and root in owner.modules():
        raise RuntimeError(f"Node {node} calls the module {node.target}, which holds the module of this graph: the call would not end{_made_at(node)}\n{_lines_around(node.graph, node)}")


def refuse_foreign_nodes(graph: Graph) -> None:
    """Raises if an argument of a node is a node of another graph. node.args = ... accepts one, since a later edit may replace it."""
    foreign_inputs = _C._foreign_inputs(graph)
    if foreign_inputs:
        node, foreign = foreign_inputs[0]
        raise RuntimeError(
            f"Argument '{foreign}' of Node '{node}' does not belong to this Graph, but was used as an argument! It is a node of another graph"
            f"{_made_at(node)}{_made_at(foreign)}\nnode_copy and graph_copy copy nodes of another graph into this one. In node_copy(node, arg_transform), "
            f"arg_transform takes a node of the other graph and returns the node of this graph to use instead\n{_lines_around(graph, node)}"
        )


class Graph(_C.GraphBase, ScriptGraph):
    """A function as a list of nodes: placeholders first, one output last."""

    owning_module: Any = None  # the GraphModule; None if there is none, also for a graph from a file or a capture
    _returned: tuple[int, str | None] | None = None  # its version, and the type that it returns, where NamedTuples are in it
    _types: tuple[int, Any] | None = None  # of a file: its version, and the types of its result that no graph has
    _one_mode: Sequence[str] = ()  # of a trace: the modes of modules that its program read, for a file
    _in_tuples: tuple[int, Any] | None = None  # where it returns NamedTuples: its version, and the graph with tuples, which is what its code shows
    _notes: Any = None  # of a trace: what its `.code` says beyond the graph
    _loses_names: str = ""  # why a file of it would give plain tuples where the program gives NamedTuples
    _attributes_of_capture: Any = None  # for torch._dynamo.explain: the tensors that the graph of a compiled function reads, by their names
    _refuse_own_state: Callable[[], Callable[[str], None] | None] | None = None  # of a trace that writes to its own objects

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None):
        self.owning_module = owning_module
        if tracer_cls is not None:
            self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras

    def __str__(self) -> str:
        text = self._to_text(self.dialect)
        return with_annotations(self, text) if self.dialect == "fx" else text

    # Python text --------------------------------------------------------------------------------------------------------------------
    @property
    def _codegen(self) -> CodeGen:
        found: CodeGen | None = self.__dict__.get("_own_codegen")
        if found is None:
            found = self.__dict__["_own_codegen"] = CodeGen()
        return found

    @_codegen.setter
    def _codegen(self, codegen: CodeGen) -> None:
        self.__dict__["_own_codegen"] = codegen

    def set_codegen(self, codegen: CodeGen) -> None:
        """What writes the graph as Python from the next recompile() on."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[TransformCodeFunc | None], TransformCodeFunc]
    ) -> contextlib.AbstractContextManager[None]:
        """Changes the text that recompile() makes: make_transformer is called with the function that changes it now, or None, and gives the new one.

        Such a function gets the lines of the body and gives lines. As a `with` block the change ends with it.
        """
        codegen = self._codegen
        previous = codegen._body_transformer
        codegen._body_transformer = make_transformer(previous)

        @contextlib.contextmanager
        def until_end() -> Iterator[None]:
            try:
                yield
            finally:
                codegen._body_transformer = previous

        return until_end()

    def python_code(
        self,
        root_module: str,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        """The graph as Python: `src` is the text, `globals` what it names. root_module: the name of the module in it, such as "self".

        verbose: the lines of the program that the nodes come from stand as comments between them, and names are annotated with the dtypes and sizes that
        node.meta knows, with include_stride and include_device also with strides and devices. expanded_def: each parameter has a line of its own.
        additional_meta: keys of node.meta whose values stand in comments. colored: in the colors of a terminal.
        record_func: each call stands in a region of the profiler that is named after the number of its node, `## 3 ##`.
        """
        types, comment_of = None, None
        if verbose:
            types = types_of(self, include_stride, include_device, colored)
            comment_of = functools.partial(trace_comment, additional_meta=additional_meta) if additional_meta else place_comment
        text, names = python_code(self, expanded_def, types, comment_of, colored, record_func)
        if names is None:
            refuse_foreign_nodes(self)
            raise RuntimeError("two functions of this graph have one name, so text cannot tell them apart; give one of them another __qualname__")
        return PythonCode(renamed(text, root_module), names)

    # Making nodes -------------------------------------------------------------------------------------------------------------------
    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Adds an input of the graph, and returns its node."""
        return _new_node(self, "placeholder", name, () if default_value is ... else (default_value,), None, None, type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds a node that reads the attribute at a path of the module, such as "layer.weight", and returns it."""
        self._warn_of_missing(qualified_name)
        return self.create_node("get_attr", qualified_name, (), {}, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: Any = None, kwargs: Any = None, type_expr: Any = None, name: str | None = None
    ) -> Node:
        """Adds a node that calls a function with these arguments, and returns it."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def call_method(self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """Adds a node that calls a method of its first argument, and returns it."""
        return self.create_node("call_method", method_name, args, kwargs, None, type_expr)

    def call_module(self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """Adds a node that calls the submodule at a path, and returns it."""
        if self.owning_module is not None:
            try:
                self.owning_module.get_submodule(module_name)
            except AttributeError as error:
                raise AttributeError(f"{error}\ncall_module({module_name!r}) needs the module: call add_submodule({module_name!r}, module) of the owning GraphModule first") from None
        return self.create_node("call_module", module_name, args, kwargs, None, type_expr)

    def _warn_of_missing(self, path: str) -> None:
        """Warns of a path at which the module of this graph has no module, parameter or buffer: it may get it later."""
        owner = self.owning_module
        if owner is None:
            return
        prefix, _, name = path.rpartition(".")
        try:
            owner = owner.get_submodule(prefix)
        except AttributeError:
            warnings.warn(f"Failed to fetch module {prefix}!", stacklevel=3)
        else:
            found = getattr(owner, name, None)
            if isinstance(found, (Module, Parameter)) or name in owner._buffers:
                return
        warnings.warn(
            f"Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! It has no module, parameter or buffer at {path!r}. "
            "Call GraphModule.add_submodule to add the module, GraphModule.register_parameter to add the Parameter, or register_buffer to add the buffer",
            stacklevel=3,
        )

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Adds the node of what the graph returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def create_size_node(self, tensor_node: Node, dim: int) -> Node:
        """A node that reads one size of a tensor. Where the tensor's meta has a value, so has the new node's."""
        return self._property_node("sym_size", "int", (tensor_node, dim), lambda t: t.size(dim))

    def create_stride_node(self, tensor_node: Node, dim: int) -> Node:
        """A node that reads one stride of a tensor."""
        return self._property_node("stride", "int", (tensor_node, dim), lambda t: t.stride(dim))

    def create_storage_offset_node(self, tensor_node: Node) -> Node:
        """A node that reads where in its storage a tensor begins."""
        return self._property_node("storage_offset", "default", (tensor_node,), lambda t: t.storage_offset())

    def _property_node(self, name: str, overload: str, args: tuple[Any, ...], read: Callable[[Any], Any]) -> Node:
        """A node that reads a property of a tensor with an operator; `read` reads it of the value in the tensor's meta."""
        node = self.call_function(getattr(_find("aten", name), overload), args)
        for key in ("val", "example_value"):
            if (value := args[0].meta.get(key)) is not None:
                node.meta[key] = read(value)
                break
        return node

    def materialize_symints(self, values: Iterable[Any]) -> list[Any]:
        """Sizes as arguments of nodes. The sizes of a tensor in `meta` are plain ints, and stay so."""
        sizes = list(values)
        for value in sizes:
            if not isinstance(value, int):
                raise TypeError(
                    f"materialize_symints: expected an int, but got {type(value).__name__} ({value!r}). A symbolic size lives as long as its capture; "
                    "create_size_node makes a node that reads it"
                )
        return sizes

    def materialize_symint(self, value: Any) -> Any:
        """materialize_symints for one value."""
        return self.materialize_symints([value])[0]

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """A copy of a node of any graph, its inputs as arg_transform answers them, with its meta. An If or Loop is copied with its blocks."""
        if _C._has_structure(node):
            return self._copy_with_blocks(node, arg_transform)
        new = self.create_node(
            node.op, node.target, map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform), node.name, node.type
        )
        _C._copy_place(new, node)
        new.meta = dict(node.meta)
        return new

    def _copy_with_blocks(self, node: Node, arg_transform: Callable[[Node], Any]) -> Node:
        inputs = {used: arg_transform(used) for used in inputs_of(node)}
        constant = next((used for used, transformed in inputs.items() if not isinstance(transformed, Node)), None)
        if constant is not None:
            raise NotImplementedError(f"node_copy: {node.name} has blocks, which read {constant.name}; arg_transform must give a node for it, but gave {inputs[constant]!r}")
        return copied_with_blocks(self, node, inputs)

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copies the nodes of another graph to the insertion point and answers what its output returns, in nodes of this graph."""
        if _C._guards(g):
            raise NotImplementedError(
                "graph_copy: the graph has guards, which copies of its nodes would leave out; copy.deepcopy keeps them"
            )
        if all(isinstance(v, Node) for v in val_map.values()):
            _C._copy_nodes(self, g, val_map)
            calls = g.__dict__.get("_module_calls")
            if calls is not None:
                calls.copied_to(self, val_map)
        else:
            self._copy_one_by_one(g, val_map)
        if g._output is None:
            return None
        result = map_arg(g._output.args[0], lambda n: val_map[n])
        return (result, g._output) if return_output_node else result

    def _copy_one_by_one(self, g: Graph, val_map: dict[Node, Any]) -> None:
        """graph_copy where val_map has constants for some nodes."""
        for node in g.nodes:
            if node.op == "output" or node in val_map:
                continue
            if not _C._has_structure(node):
                val_map[node] = self.node_copy(node, lambda n: val_map[n])
                continue
            node_map = {old: new for old, new in val_map.items() if isinstance(new, Node)}
            new_node: Node = _C._copy_with_blocks(self, node, node_map)
            for old in [node, *(n for n in node_map if n not in val_map)]:
                node_map[old].meta = dict(old.meta)
            val_map[node] = new_node
            val_map.update(node_map)

    def __deepcopy__(self, memo: Any = None) -> Graph:
        owns_tensors = self.owning_module is None and bool(self.find_nodes(op="get_attr"))
        if owns_tensors or self._is_operator_level and _pickle.is_more_than_nodes(self) or _C._guards(self):
            return _pickle.copied(self)
        graph = Graph(tracer_cls=getattr(self, "_tracer_cls", None))
        if not is_default(self._codegen):
            graph._codegen = copy.deepcopy(self._codegen)
        node_map: dict[Node, Node] = {}
        result = graph.graph_copy(self, node_map, return_output_node=True)
        if result is not None:
            value, old_output = result
            output = graph.output(value, old_output.type)
            output.meta = dict(old_output.meta)
        return graph

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _pickle.reduced(self, _from_nodes)

    # What packages use of torch.fx beside its public names ---------------------------------------------------------------------------
    @property
    def _graph_namespace(self) -> _Namespace:
        """Makes names that no node has. A name that it has made is not made again."""
        names: _Namespace = self.__dict__.setdefault("_namespace", _Namespace())
        names._used_names.update(n.name for n in self.nodes(recursive=True))
        return names

    def _target_to_str(self, target: Any) -> str:
        """The name from which the name of a node with this target is made."""
        name = target if isinstance(target, str) else target.__name__
        return _snake_case(name[2:-2] if _is_magic(name) else name)

    # Changing -----------------------------------------------------------------------------------------------------------------------
    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """`with graph.inserting_before(node):` new nodes stand before this one; without a node, before all."""
        if n is None:
            return self.inserting_after(self._root)
        return self._inserting(self._insert_before, n)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """`with graph.inserting_after(node):` new nodes stand behind this one; without a node, before the output."""
        if n is None:
            return self._inserting(self._insert_before, self._root)
        return self._inserting(self._insert_after, n)

    def _inserting(self, place: Callable[[Node], None], n: Node) -> _InsertPoint:
        if not isinstance(n, Node):
            raise TypeError(f"expected a Node to insert next to, but got {type(n).__name__}")
        if n.graph is not self:
            raise AssertionError(f"Node to insert next to is not in graph. {n.name} belongs to another graph{_made_at(n)}")
        saved = _InsertPoint(self, self._insert_point())
        place(n)
        return saved

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Erases the nodes whose results nobody uses and that do nothing else; answers whether there were any. What a guard checks is used."""
        impure = is_impure_node or self._is_impure
        guarded = {value for value, _, _ in _C._guard_values(self)}
        erased = False
        for node in reversed(self.nodes):
            if not node.users and node not in guarded and not impure(node):
                self.erase_node(node)
                erased = True
        return erased

    def _is_impure(self, node: Node) -> bool:
        if node.op == "call_module" and self.owning_module is not None:
            module = self.owning_module.get_submodule(str(node.target))
            if getattr(module, "_is_impure", False):  # a module may declare this itself
                return True
            return module.training and any(True for _ in module.buffers())  # training may write buffers, as BatchNorm does
        if node.is_impure():
            return True
        return _C._has_structure(node) and any(self._is_impure(inner) for inner in inner_nodes(node) if inner.op != "placeholder")

    # Looking ------------------------------------------------------------------------------------------------------------------------
    def output_node(self) -> Node:
        """The node of what the graph returns."""
        if self._output is None:
            raise AssertionError("the graph has no output node yet")
        return self._output

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of this op and target, such as op="call_function", target=torch.relu, in order."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target is target or n.target == target)]

    def lint(self) -> None:
        """Raises where the graph is broken: a use before its definition, a use of an erased node, what its module does not have."""
        refuse_foreign_nodes(self)
        unsuited = _C._code_names(self, {})[3]
        if unsuited:
            raise ValueError(f"{unsuited_target(unsuited[0])}\n{_lines_around(self, unsuited[0])}")
        seen: set[Node] = set()

        def check(node: Node, inputs: Iterable[Any]) -> None:
            for used in inputs:
                if isinstance(used, Node) and used not in seen:
                    raise RuntimeError(
                        f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes in the graph are topologically ordered"
                        f"{_made_at(node)}\n{_lines_around(self, node)}"
                    )

        def nodes_in(node: Node, blocks: list[Any]) -> Iterator[Node]:
            for placeholders, nodes, results in blocks:
                seen.update(placeholders)
                yield from nodes
                check(node, results)
                seen.difference_update(placeholders)  # values of a block cannot be used after it
                seen.difference_update(nodes)
            seen.add(node)

        open_blocks: list[Iterator[Node]] = [iter(self.nodes)]  # the nodes still to be checked of each open block, the innermost last
        while open_blocks:
            node = next(open_blocks[-1], None)
            if node is None:
                open_blocks.pop()
                continue
            check(node, node.all_input_nodes)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                _check_target(node, self.owning_module)
            blocks = _C._blocks(node)
            if blocks:
                open_blocks.append(nodes_in(node, blocks))
            else:
                seen.add(node)

    def print_tabular(self) -> None:
        """Prints the nodes as a table."""
        print(self._to_text("tabular"))

    def view(self, path: str | os.PathLike[str] | None = None, *, before: Any = None) -> GraphPage | None:
        """Writes a page of HTML that shows the graph, as torch.view does. before: the graph before a pass; the page marks what the pass changed.

        Without a path, the page is returned, and a notebook shows it.

        Example:
            graph.view("net.html")
        """
        return view(self, path=path) if before is None else view(before, self, path)

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the nodes."""
        return graph_as_html(self, "graph")

    # Running, saving and comparing ---------------------------------------------------------------------------------------------------
    def _operators(self) -> Graph:
        """This graph in operators: itself, if all of its nodes are operators."""
        refuse_foreign_nodes(self)
        if self._is_operator_level or self._has_torchscript_nodes():
            return self
        inlined = getattr(self, "_inlined", None)
        if inlined is not None:  # a graph that shows the methods of a traced module; the flat graph runs
            if inlined[0] != self._version:
                raise NotImplementedError(
                    "this graph shows the methods of a traced module, and was edited; edit inlined_graph, which is what runs"
                )
            return inlined[1]
        return self._lowering()

    def _has_torchscript_nodes(self) -> bool:
        """Whether it was read from a text in TorchScript's spelling, in which literals and lists are nodes. Such a graph runs without lowering."""
        cached = getattr(self, "_torchscript", None)
        if cached is None or cached[0] != self._version:
            cached = self._torchscript = (self._version, any(n.kind().startswith("prim::") and not _C._blocks(n) for n in self.nodes if n.op == "call_function"))
        return bool(cached[1])

    def _lowering(self) -> Graph:
        """The graph in operators. It is cached until the graph is edited, or something that it reads of its module changes (training flags, parameters, settings)."""
        root = self.owning_module
        cached = getattr(self, "_lowered", None)
        if cached is None or cached[0] != self._version:
            cached = (self._version, _reads.paths(self), None, None)
        version, paths, cached_state, lowered = cached
        state = _reads.state(root, paths)
        if lowered is None or state is None or state != cached_state:
            lowered = lower(self)
            _C._set_relied_on(lowered, self.relied_on)
        self._lowered = (version, paths, state, lowered)
        return lowered

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the graph by itself, without Python in between."""
        if kwargs:
            inputs = ", ".join(str(node.target) for node in self.nodes if node.op == "placeholder")
            raise TypeError(f"a graph takes its inputs by position, but got the keyword {next(iter(kwargs))!r}; write graph({inputs})")
        graph = self._operators()
        result = graph._run(*args)
        result = (self if self._returned is not None else graph)._with_classes(result)
        types = self._types
        return with_types(result, types[1]) if types is not None and types[0] == self._version else result

    def _with_classes(self, result: Any) -> Any:
        """The result with the NamedTuples that the program returns in place of tuples."""
        if self._returned is None:
            return result
        version, text = self._returned
        if version != self._version:
            from ..jit._classes import returned_type

            text = returned_type(self)
            self._returned = (self._version, text)
        return result if text is None else _C._restored(result, text)

    def build(self) -> Any:
        """A Program, which is a compiled graph: this graph's results, bit for bit, with its pointwise operators fused into kernels that are compiled now.

        Later edits of the graph do not change it. `report()` counts the kernels, and the operators that are called one by one.
        """
        return _C._build(self._operators())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph in operators, with its weights, to a `.mgraph` file. monograph.load_graph reads it, and the command `monograph run` runs it.

        The file holds this graph, which is of one mode: training or evaluation, as its modules are now. To save both modes, save the module:
        traced.save(path), torch.jit.save(graph_module, path) or torch.capture(module, x).save(path).

        The file appears whole or not at all, and is the same wherever the sources lie: source files are named from the folders that Python imports
        from. A graph that calls what is known by name only is saved as it stands.
        """
        from ..jit._classes import refuse_lost_names
        from ._pickle import source_roots

        captured_reads = None if self.owning_module is None else self.owning_module.__dict__.get("_captured_reads")
        if captured_reads is not None:
            captured_reads.refuse_own_state("Graph.save", self)
        refuse = self._refuse_own_state() if self._refuse_own_state is not None else None
        if refuse is not None:
            refuse("Graph.save")
        if self._is_operator_level:  # what a rewrite added to a trace
            _C._resolve_operators(self)
        by_name = any(
            n.op == "call_function" and isinstance(n.target, str) and "::" not in n.target and not _C._has_structure(n)
            for n in self.nodes(recursive=True)
        )
        graph = self if by_name else self._operators()
        refuse_lost_names("Graph.save", graph)
        relied_on = graph.relied_on
        if graph._one_mode:
            _C._set_relied_on(graph, [*relied_on, *graph._one_mode])
        try:
            _C._save_graph(graph, path, source_roots())
        finally:
            _C._set_relied_on(graph, relied_on)

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders for these arguments of the function: the leaves of the lists and dicts that `concrete_args` took apart."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What the function returns where the graph returns `out`. `graph.process_outputs(graph(*graph.process_inputs(*args)))` is the result of the function."""
        types = self._output.meta.get("namedtuples") if self._output is not None else None
        out = with_namedtuples(out, types) if types else out
        return out if type(self._codegen) is CodeGen else self._codegen.process_outputs(out)

    # The modes of its modules --------------------------------------------------------------------------------------------------------
    def train(self, mode: bool = True) -> Graph:
        """Sets the mode of all modules of a graph that load_graph gave: training, or with mode=False evaluation. Gives the graph back.

        A graph without modules whose mode it reads raises RuntimeError: it was saved in one mode, or the mode changes nothing.
        """
        if _C._set_mode(self, bool(mode)):
            return self
        word, saved = "train" if mode else "eval", set(noted_modes(self.relied_on))
        if saved == {bool(mode)}:
            return self
        why = (
            f"it holds for {' and '.join('training' if m else 'evaluation' for m in sorted(saved))} alone, the mode in which it was captured"
            if saved
            else "so it computes the same in training and in evaluation, or it was saved in one mode"
        )
        raise RuntimeError(
            f"{word}() of a graph: it reads the mode of no module, {why}. A graph in memory follows its module: call train() or eval() there. A file holds both modes "
            "if the module was saved: traced.save('model.mgraph'), torch.jit.save(graph_module, 'model.mgraph'), torch.capture(module, x).save('model.mgraph')"
        )

    def eval(self) -> Graph:
        """train(False)."""
        return self.train(False)

    # The tensors of its modules -----------------------------------------------------------------------------------------------------
    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Paths and parameters, those of the module that it was traced from, or that came with it in a file."""
        if self.owning_module is not None:
            yield from self.owning_module.named_parameters()
        else:
            yield from ((path, tensor) for path, kind, _, tensor in _C._graph_attributes(self._operators()) if kind == "parameter")

    def parameters(self) -> Iterator[Any]:
        """The parameters that the graph holds."""
        return (tensor for _, tensor in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Paths and buffers, as named_parameters."""
        if self.owning_module is not None:
            yield from self.owning_module.named_buffers()
        else:
            yield from ((path, tensor) for path, kind, _, tensor in _C._graph_attributes(self._operators()) if kind == "buffer")

    def buffers(self) -> Iterator[Any]:
        """The buffers that the graph holds."""
        return (tensor for _, tensor in self.named_buffers())

    def state_dict(self) -> dict[str, Any]:
        """Parameters and persistent buffers by path. Those of a loaded graph lie in its file and are read-only, but for buffers that the graph writes."""
        if self.owning_module is not None:
            return self.owning_module.state_dict()
        return {
            path: tensor for path, kind, persistent, tensor in _C._graph_attributes(self._operators()) if kind == "parameter" or persistent
        }

    def differentiate(self) -> Differentiated:
        """The graph's forward and backward pass as two graphs, If and Loop included, for every size that the graph holds for.

        `forward` takes the graph's inputs, and gives its results and then what `backward` reads of it. `backward` takes the gradients of the floating
        results, then that; it gives the gradients of the floating inputs and attributes, None where none flows there. Writes become values first.

        Example:
            d = graph.differentiate()
            y, *saved = d.forward(x)
            dx, dw = d.backward(torch.ones_like(y), *saved)  # d.gradients: ("x", "w")
        """
        return Differentiated(*_C._differentiate(self._operators()))

    def canonical(self) -> Graph:
        """The canonical form: one graph for equal functions, whichever capture they came from."""
        return _C._canonical(self._operators())

    def hash(self) -> str:
        """SHA-256 of the canonical form: equal for graphs that compute the same, changed by any edit."""
        return _C._hash(self._operators())

    def difference(self, other: Graph) -> str:
        """Names the first difference between the canonical forms of two graphs; "" if they are equal."""
        return _C._difference(self._operators(), other._operators())

    @property
    def guards(self) -> list[Any]:
        """The values of the example that every run checks, each as (expression, expected value, place)."""
        return _C._guards(self._operators())

    @property
    def relied_on(self) -> list[str]:
        """The numbers and texts that the program read outside of its inputs when it was captured, a line each: "the global SCALE is 2.0". Files keep them."""
        return _C._relied_on(self)

    def __iter__(self) -> Iterator[Node]:
        raise TypeError("a Graph is not iterable; use graph.nodes")


class Differentiated(NamedTuple):
    """What Graph.differentiate gives."""

    forward: Graph
    backward: Graph
    results: int  # how many of forward's results are the graph's
    gradients: tuple[str, ...]  # the inputs and attributes that backward's results are the gradients of


def _from_nodes(records: list[tuple[Any, ...]], codegen: CodeGen | None = None, facts: dict[str, Any] | None = None) -> Graph:
    """A graph from the records of its nodes in a pickle, and what it knows beside them. Pickles name this function."""
    facts = facts or {}
    graph = Graph(tracer_cls=facts.get("tracer"))
    if codegen is not None:
        graph.set_codegen(codegen)
    _pickle.fill(graph, records, facts)
    return graph


Graph.__module__ = CodeGen.__module__ = PythonCode.__module__ = "monograph.fx.graph"
_C._set_graph_types(Graph, Node)
