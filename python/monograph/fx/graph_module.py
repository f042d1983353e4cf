"""torch.fx.GraphModule: a module whose forward is generated from a graph.

`recompile` prints the graph as Python, compiles that text under a file name of its own (`<eval_with_key>.N`), and makes it the forward of the
module's class. Each GraphModule has a class of its own.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import linecache
import os
import re
import threading
import traceback
import types
import weakref
from collections.abc import Callable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module
from ..nn._module_hooks import any_global
from ._attributes import _assign_attr, _del_attr, _get_attr, _get_attr_via_attr_list, _has_attr, fetch as _fetch  # noqa: F401 (torch.fx has them here)
from ._codegen import LEAVES, CodeGen, PythonCode, is_default, python_code, without_wraps
from ._hooks import KINDS, NodeHooks, watch
from ._html import graph_as_html
from ._inputs import with_namedtuples
from ._lowering import interpret
from ._pickle import can_be_pickled
from ._plan import plan_of
from ._pytree import tree_flatten_spec
from ._pytree_codegen import _PyTreeCodeGen
from ._readable import place_comment, trace_comment, types_of
from .graph import Graph, refuse_foreign_nodes
from .node import Node

_numbers = itertools.count()
_MISSING = object()
_compiling = threading.RLock()  # two threads may call a GraphModule for the first time at once
# The GraphModules by the file names of their generated code.
_modules_of_code: weakref.WeakValueDictionary[str, GraphModule] = weakref.WeakValueDictionary()


def _show(where: str, text: str) -> tuple[str, ...]:
    """Lets tracebacks and debuggers find the lines of the file name `where`. pdb and bdb look under the absolute path, so that name gets the lines too. Returns
    both names."""
    try:
        names: tuple[str, ...] = (where, os.path.abspath(where))
    except OSError:  # the current directory is gone
        names = (where,)
    for name in names:
        linecache.cache[name] = (text.__str__,)  # linecache asks for the text when it needs it
    return names


def _forget(names: tuple[str, ...]) -> None:
    for name in names:
        linecache.cache.pop(name, None)
        _modules_of_code.pop(name, None)


def _node_at(where: str, line: int) -> Node | None:
    """The node that a line of generated code runs: it is the first name that the line binds. None if it is not known."""
    module = _modules_of_code.get(where)
    lines = module.code.splitlines() if module is not None else []
    if module is None or not 0 < line <= len(lines):
        return None
    text = lines[line - 1].strip()
    if text.startswith("return "):
        return module.graph._output
    bound = re.match(r"(\w+)(?: : [^=]*)? = ", text) or re.search(r";\s+(\w+) = ", text)  # the second: `x[0] = y;  setitem = x`
    return next((node for node in module.graph.nodes(recursive=True) if bound and node.name == bound[1]), None)


def _recorded_at(where: str, line: int) -> str:
    """The place in the user's code of the node that a line of generated code runs; "" if it is not known. The errors of a plan tell it."""
    node = _node_at(where, line)
    return (node.span or "") if node is not None else ""


def place_in_program(message: str) -> str:
    """The place in the user's code of what a message shows of generated code, `File "<eval_with_key>.0", line 5`; "" if it is not known."""
    shown = re.search(r'File "(<eval_with_key>[^"]*)", line (\d+)\n(.*)', message)
    if shown is None:
        return ""
    if place := _recorded_at(shown[1], int(shown[2])):
        return place
    module = _modules_of_code.get(shown[1])
    made = {node.name: node.span for node in module.graph.nodes(recursive=True)} if module is not None else {}
    return next((made[name] or "" for name in re.findall(r"\w+", shown[3])[::-1] if made.get(name)), "")


def _tell_of_order(error: UnboundLocalError, node: Node) -> None:
    """Adds to the words of an error that a node was used before it was computed: which node uses it, their lines, and what mends the graph."""
    used = next((u for u in node.all_input_nodes if u is node or node < u), None)
    if used is None:
        return
    if used is node:
        words = f"the node {node} is an argument of itself. Give it another one: {node}.args = (...)"
    else:
        words = f"the node {node} uses {used}, which stands after it in the graph. Move it before {node}: {node}.prepend({used})"
    places = dict.fromkeys(f"\n  {n} was made at {n.span}" for n in (node, used) if n.span)
    error.args = (f"{error}\n{words}, then recompile(). graph.lint() finds such nodes{''.join(places)}",)


def _tell_where(error: Exception) -> None:
    """Adds a note to an error that a line of generated code raised: the line, and where its node was recorded. Tracebacks print it below the error."""
    from .proxy import _is_users

    if getattr(error, "__notes__", None):
        return
    generated = None  # (file name, line) of the generated code, if no code of the user's was called from it
    for frame, line in traceback.walk_tb(error.__traceback__):
        where = frame.f_code.co_filename
        if where in _modules_of_code:
            generated = where, line
        elif _is_users(where):
            generated = None
    if generated is None:
        return
    code = linecache.getline(*generated).strip()
    if getattr(error, "_has_recorded_place", False):  # an operator's error, which says where
        error.add_note(f"  line {generated[1]} of the generated code: {code}")
        return
    node = _node_at(*generated)
    if isinstance(error, UnboundLocalError) and node is not None:
        _tell_of_order(error, node)
    place = _recorded_at(*generated)
    recorded = f"  recorded at {place}\n" if place else ""
    error.add_note(f"  at {generated[0]}:{generated[1]}: {code}\n{recorded}  graph.lint() looks for what is wrong with the graph")


class _Assignment:
    """Puts modules and tensors at paths of a module. Each module on such a path is looked up once."""

    def __init__(self, to: Module):
        self.stand_ins: set[Module] = set()  # empty modules that were made for a path; the real module may come later
        self.places: dict[str, Module] = {"": to}  # by path
        # By path: the submodules of the source's module, those here, the module here, and whether names that the source's module has are free in it.
        self.tables: dict[str, tuple[dict[str, Any], dict[str, Any], Module, bool]] = {}

    def place(self, path: str) -> Module:
        """The module at a path. An empty one is made if there is none."""
        found = self.places.get(path)
        if found is None:
            prefix, _, name = path.rpartition(".")
            to = self.place(prefix)
            found = to._modules.get(name)
            if found is None:
                found = Module()
                self.stand_ins.add(found)
                if _has(to, name):
                    to.add_module(name, found)  # which says what is there already
                to._modules[name] = found
            self.places[path] = found
        return found

    def put_children(self, paths: list[str], begin: int, source: _Source) -> int:
        """Puts the source's modules at the paths from `begin` on here. Stops at the first path at which the source has no module, or something is here already,
        and returns its index."""
        tables = self.tables
        for k in range(begin, len(paths)):
            path = paths[k]
            prefix, _, name = path.rpartition(".")
            entry = tables.get(prefix)
            if entry is None:
                owner = source.owner(prefix)
                if not isinstance(owner, Module):
                    return k
                to = self.place(prefix)
                free = to in self.stand_ins and not to._parameters and not to._buffers
                entry = tables[prefix] = owner.__dict__["_modules"], to.__dict__["_modules"], to, free
            children, placed, to, free = entry
            child = children.get(name)
            if not isinstance(child, Module) or (name in placed if free else _has(to, name)):
                return k
            placed[name] = child
        return len(paths)

    def put(self, path: str, value: Any) -> None:
        prefix, _, name = path.rpartition(".")
        to = self.places.get(prefix) or self.place(prefix)
        if isinstance(value, Module):
            if not _has(to, name):
                to._modules[name] = value
                return
        elif isinstance(value, Tensor) and not value._is_parameter:
            if name not in to._buffers and to.__dict__.get(name) is not value:  # else it is an attribute of a module that is shared with the source
                to.register_buffer(name, value)
            return
        if not hasattr(to, name) or to._modules.get(name) in self.stand_ins:
            setattr(to, name, value)
            self.places, self.tables = {"": self.places[""]}, {}


class _Source:
    """Reads modules and tensors at paths of a module. Each module on such a path is looked up once."""

    def __init__(self, root: Any):
        self.root = root
        self.owners: dict[str, Any] = {"": root}

    def owner(self, prefix: str) -> Any:
        """The object at the path; None if there is nothing."""
        found = self.owners.get(prefix, _MISSING)
        if found is _MISSING:
            try:
                found = self.owners[prefix] = self.fetch(prefix)
            except RuntimeError:
                return None
        return found

    def fetch(self, path: str) -> Any:
        prefix, _, name = path.rpartition(".")
        owner = self.owner(prefix)
        if owner is None:
            return _fetch(self.root, path)  # its error has the whole path
        if isinstance(owner, Module) and (child := owner.__dict__["_modules"].get(name)) is not None:  # faster than getattr, which searches three tables
            return child
        found = getattr(owner, name, _MISSING)
        return found if found is not _MISSING else _fetch(self.root, path)  # its error names what is missing


# The key of `meta` under which passes keep the user's attributes of a module that a pass replaces.
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"

# The hooks that a deepcopy keeps. It leaves out those that run at calls.
_HOOKS_OF_STATE = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class _CodeOnlyModule(Module):
    """A module that has these attributes and nothing else."""

    def __init__(self, body: dict[str, Any]):
        super().__init__()
        self.__dict__ = body


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Puts the module or tensor at a path of one module at the same path of another module. Missing modules on the path are made, empty."""
    owner: Any = to_module
    source: Any = from_module
    for name in target.split(".")[:-1]:
        source, owner = getattr(source, name), getattr(owner, name, None)
        if owner is source:  # both modules share this submodule, so the target is there
            return
        if owner is None:
            break
    _Assignment(to_module).put(target, _fetch(from_module, target))


def _has(module: Module, name: str) -> bool:
    """hasattr(module, name), but faster for a missing name: no error is made for it."""
    fields = module.__dict__
    if name in fields["_modules"] or name in fields or name in fields["_parameters"] or name in fields["_buffers"]:
        return True
    return _C._type_attribute(type(module), name, _MISSING) is not _MISSING


def _constants_of(root: Any, paths: list[str]) -> tuple[str, ...]:
    """Those of the paths at which the root has a tensor as a plain attribute. It counts as a constant, though the GraphModule has it as a buffer."""
    known = getattr(root, "_constant_paths", ())
    constants = []
    for path in paths:
        owner, _, name = path.rpartition(".")
        if path in known or isinstance(_fetch(root, owner).__dict__.get(name) if owner else root.__dict__.get(name), Tensor):
            constants.append(path)
    return tuple(constants)


def namedtuples_in(result: Any) -> Any:
    """The types of the namedtuples in a function's result, as a tree; None if there are none."""
    if isinstance(result, dict):
        parts = {k: namedtuples_in(v) for k, v in result.items()}
        return (None, parts) if any(parts.values()) else None
    if not isinstance(result, (tuple, list)):
        return None
    inner = [namedtuples_in(v) for v in result]
    kind = type(result) if hasattr(result, "_fields") else None
    return (kind, inner) if kind or any(inner) else None


def _returning(forward: Any, types: Any) -> Any:
    """forward, with the namedtuples that the function returned in place of the graph's tuples."""

    @functools.wraps(forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        return with_namedtuples(forward(*args, **kwargs), types)

    return call


def told_of_methods(graph: Graph) -> str:
    """What an error of a call adds for a graph that shows calls of methods, whose first input is the module."""
    first = next(iter(graph.nodes), None)
    if first is None or first.name != "self":  # a node of a graph of operators is never called so
        return ""
    return (
        "\nThis graph shows calls of methods, as the `graph` of a traced or scripted module does. The graph that runs is inlined_graph: "
        "fx.GraphModule(module, module.inlined_graph)"
    )


class _Forward:
    """The generated forward of a class, as an attribute that is compiled when it is first read: a later pass may generate another one before that."""

    def __init__(self, module: GraphModule, text: str, names: dict[str, Any], namedtuples: Any):
        self.module, self.owner = weakref.ref(module), type(module)
        self.text, self.names, self.namedtuples = text, names, namedtuples
        self.function = module._graph._codegen._func_name
        self.compiled_forward: Any = None
        self.where = f"<eval_with_key>.{next(_numbers)}"
        self.shown = _show(self.where, text)
        self.hidden = weakref.finalize(self, _forget, self.shown)
        self.hidden.atexit = False

    def __get__(self, module: Any, owner: type) -> Any:
        forward = self.compiled_forward or _C._unwatched(self.settled)  # compiling is no effect of a captured program
        return forward if module is None else types.MethodType(forward, module)

    def settled(self) -> Any:
        """The compiled function, which the class has from now on instead of this object."""
        with _compiling:
            forward = self.compiled_forward or self.compiled()
        if self.owner.__dict__.get("forward") is self:
            self.owner.forward = forward
        return forward

    def compiled(self) -> Any:
        where = self.where
        module = self.module()
        if module is not None:
            _modules_of_code[where] = module
        text, leaves = without_wraps(self.text)  # torch.fx.wrap would keep the globals of this code alive for ever
        names = {**self.names, LEAVES: leaves}
        exec(compile(text, where, "exec"), names)
        forward = names[self.function]
        forward._stands_for = self  # a capture that has read this object takes the function for the same value
        # The lines stay available to tracebacks as long as the code lives.
        self.hidden.detach()
        weakref.finalize(forward.__code__, _forget, self.shown).atexit = False
        self.compiled_forward = _returning(forward, self.namedtuples) if self.namedtuples else forward
        return self.compiled_forward


def _check_head(text: str) -> None:
    """Raises SyntaxError where the parameters are no Python: one without a default behind one with a default. The body is compiled when it is first read."""
    begin = text.find("def ")
    head = text[begin : text.find("\n", begin)]
    if " = " not in head:
        return
    where = f"<eval_with_key>.{next(_numbers)}"
    shown = _show(where, text)
    try:
        compile("\n" * text.count("\n", 0, begin) + head + " pass", where, "exec")
    except SyntaxError as error:
        error.text = head
        error.add_note("Python takes parameters without a default first. Give the later placeholders a default_value, or put the others before them")
        raise
    finally:
        _forget(shown)


class _Calls:
    """How calls of a GraphModule run: the first call runs the generated code, later calls a plan of it, if there is one."""

    def __init__(self, source: _Forward, codegen: CodeGen):
        self.source = source
        self.plan: Any = None  # None: not made yet; False: there is none, so the code runs
        # Where the code flattens its arguments and does nothing else before the graph: the plan takes the leaves.
        self.trees = codegen if type(codegen) is _PyTreeCodeGen and codegen._body_transformer is None else None

    def plan_for(self, module: GraphModule) -> Any:
        """The plan; None if the generated code has to run."""
        forward = self.source.compiled_forward
        # Not compiled yet, or replaced by the user.
        if forward is None or type(module).__dict__.get("forward") is not forward or "forward" in module.__dict__:
            return None
        if self.plan is None:
            with _compiling:  # ast.parse in two threads at once raises SystemError in CPython 3.11
                self.plan = self.plan if self.plan is not None else self._make_plan(forward, module)
        return self.plan or None

    def _make_plan(self, forward: Any, module: GraphModule) -> Any:
        if self.source.namedtuples:
            return False
        return plan_of(without_wraps(self.source.text)[0], forward, module, self.trees is not None) or False

    def run_with_trees(self, plan: Any, module: GraphModule, args: tuple[Any, ...]) -> Any:
        """The result of the plan, which takes and gives leaves; NotImplemented where the code has to run."""
        assert self.trees is not None
        specs, out_spec = self.trees._specs_of_arguments(), self.trees.pytree_info.out_spec
        if len(specs) != len(args):
            return NotImplemented
        try:
            leaves = [leaf for a, spec in zip(args, specs, strict=True) for leaf in tree_flatten_spec(a, spec)]
        except Exception:  # the code raises it again, with its line
            return NotImplemented
        result = plan(module, tuple(leaves))
        return result if result is NotImplemented or out_spec is None else out_spec.unflatten(result)


class GraphModule(NodeHooks, Module):
    """A graph with the modules and tensors that it refers to. Assign to `graph`, or edit it and call recompile().

    A call runs a plan of the generated code from its second time on: operators run without the GIL, so that threads run one GraphModule at once. The code
    itself runs where there are hooks, a debugger, a capture, inputs that are no tensors and numbers, or another `forward`. Results, errors and their
    lines are the same.

    root: a Module, or a dict from paths to modules and tensors; what the graph does not use is left behind.
    """

    _calls: _Calls | None = None
    _compiled_call_impl: Any = None  # it is a graph: set_execution("graph") leaves its calls as they are

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # Python finds methods on the class, and every GraphModule has its own forward. So each object gets a class of its own.
        written = next(base for base in cls.__mro__ if "_made" not in base.__dict__)  # cls itself may be such a class, in copies
        return object.__new__(type("GraphModule", (written,), {"_made": True, "__module__": written.__module__}))

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if not isinstance(graph, Graph):
            raise AssertionError(f"GraphModule: expected a Graph, but got {type(graph).__name__}: GraphModule(root, graph)")
        if not isinstance(root, (Module, dict)):
            raise RuntimeError(f"GraphModule: root must be a Module, or a dict from paths to modules and tensors, but got {type(root).__name__}")
        if isinstance(root, Module):
            object.__setattr__(self, "training", root.training)
        if isinstance(root, _CodeOnlyModule):  # a copy keeps what no node refers to
            for table in ("_modules", "_buffers", "_parameters"):
                self.__dict__[table].update(root.__dict__[table])
        ops = {n.target: n.op for n in graph.nodes(recursive=True) if n.op in ("get_attr", "call_module")}
        targets = list(ops)
        assignment, source = _Assignment(self), _Source(root)
        # With a dict, a module must be assigned before the modules and tensors in it.
        if isinstance(root, dict):
            targets.sort(key=lambda t: t.count("."))
        at = 0
        while (at := assignment.put_children(targets, at, source) if isinstance(root, Module) else at) < len(targets):
            target = targets[at]
            at += 1
            if isinstance(root, dict) and target not in root:
                raise RuntimeError(f"Node {_node_of(graph, target)} refers to {target!r}, but the dict given as root has no such key")
            try:
                value = root[target] if isinstance(root, dict) else source.fetch(target)
            except RuntimeError as error:
                raise AttributeError(f"Node {_node_of(graph, target)}: {error}. Put it there, or erase the node") from None
            assignment.put(target, value)
        object.__setattr__(
            self, "_constant_paths", _constants_of(root, [t for t in targets if ops[t] == "get_attr" and isinstance(root, Module)])
        )
        tracer_cls, extras = getattr(graph, "_tracer_cls", None), getattr(graph, "_tracer_extras", None)
        # A tracer that is defined in a function has no name for a pickle.
        object.__setattr__(self, "_tracer_cls", tracer_cls if tracer_cls is not None and "<locals>" not in tracer_cls.__qualname__ else None)
        object.__setattr__(self, "_tracer_extras", extras or {})
        object.__setattr__(self, "shape_env", None)
        if "meta" not in self._modules and "meta" not in self._buffers and "meta" not in self._parameters:
            object.__setattr__(self, "meta", {})
        self.graph = graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        grad_enabled = _C._is_grad_enabled()
        try:
            captured_reads = self.__dict__.get("_captured_reads")
            if captured_reads is not None and (captured_reads.writes or captured_reads.reads.check() is not None) and _C._capture_hook() is None:
                result = captured_reads.call(self, args, kwargs)
                if result is not NotImplemented:
                    return result
            calls = type(self).__dict__.get("_calls")
            if calls is None or kwargs or self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks:
                return super().__call__(*args, **kwargs)
            if _C._capture_hook() is not None or _C._is_compiling() or any_global():  # a capture follows the code
                return super().__call__(*args, **kwargs)
            plan = calls.plan_for(self)
            if plan is None:
                return super().__call__(*args, **kwargs)
            result = plan(self, args) if calls.trees is None else calls.run_with_trees(plan, self, args)
            return result if result is not NotImplemented else super().__call__(*args)
        except RecursionError as error:
            _C._set_grad_enabled(grad_enabled)
            raise told_of_cycle(self, self._graph, error) from None
        except Exception as error:
            _C._set_grad_enabled(grad_enabled)  # the graph may have been in a no_grad()
            if isinstance(error, TypeError) and (told := told_of_methods(self._graph)):
                error.args = (str(error) + told,)
            _tell_where(error)
            raise

    @property
    def graph(self) -> Graph:
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        object.__setattr__(self, "_graph", g)
        g.owning_module = self
        if not KINDS.isdisjoint(self.__dict__):
            watch(g)
        self.recompile()

    @property
    def code(self) -> str:
        """The Python text of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Generates forward from the graph again. Returns its text and the globals that it uses."""
        graph = self._graph
        codegen = graph._codegen
        if isinstance(codegen, _PyTreeCodeGen):  # the code reads them
            for name, spec in (("_in_spec", codegen.pytree_info.in_spec), ("_out_spec", codegen.pytree_info.out_spec)):
                object.__setattr__(self, name, spec)
        text, names = python_code(graph)
        object.__setattr__(self, "_code", text)
        namedtuples = graph._output.meta.get("namedtuples") if graph._output is not None else None
        type(self)._calls = None
        if names is not None:
            _check_head(text)
            source = _Forward(self, text, names, namedtuples)
            type(self).forward, type(self)._calls = source, _Calls(source, codegen)  # type: ignore[method-assign, assignment]
            return PythonCode(text, names)
        if not is_default(codegen) and not _C._foreign_inputs(graph):
            raise RuntimeError(
                "two functions of this graph have one name, so no CodeGen can write it; give one of them another __qualname__"
            )

        def forward(self: Any, *args: Any) -> Any:  # two functions have one name, so text cannot tell them apart: the graph is interpreted
            refuse_foreign_nodes(graph)
            return interpret(self, graph, args, at_run=True)

        type(self).forward = _returning(forward, namedtuples) if namedtuples else forward  # type: ignore[method-assign]
        return PythonCode(text, {})

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        *,
        fast_sympy_print: bool = False,
        expanded_def: bool = False,
        additional_meta: list[str] | None = None,
        verbose: bool = False,
    ) -> str:
        """Prints the code as a class, and gives that text, with the GraphModules inside as classes in it.

        Names are annotated with the dtypes and sizes that node.meta knows, after ShapeProp for example. include_stride, include_device: also with strides
        and devices. expanded_def: each parameter has a line of its own. additional_meta: keys of node.meta whose values stand in comments.
        Comments say where nodes come from, if the tracer had record_stack_traces; with verbose, without that too.
        colored: in the colors of a terminal.
        fast_sympy_print changes nothing: sizes are no sympy expressions.
        """
        comment_of = place_comment if verbose and not additional_meta else functools.partial(trace_comment, additional_meta=additional_meta)

        def code_of(module: GraphModule, expanded_def: bool) -> str:
            return python_code(module._graph, expanded_def, types_of(module._graph, include_stride, include_device, colored), comment_of, colored)[0]

        text = self._as_class(type(self).__name__, code_of, expanded_def)
        if print_output:
            print(text)
        return text

    def _as_class(self, name: str, code_of: Callable[[GraphModule, bool], str], expanded_def: bool = False) -> str:
        text = f"class {name}(torch.nn.Module):\n" + code_of(self, expanded_def).lstrip("\n")
        inner = [module._as_class(path, code_of) for path, module in self.named_children() if isinstance(module, GraphModule)]
        return _indented(text) + _indented("\n".join(["", *inner]))

    def __str__(self) -> str:
        return f"{super().__repr__()}\n{self._code}\n# To see more debug info, please use `graph_module.print_readable()`"

    def _repr_html_(self) -> str:
        """What a notebook shows: the graph as a table."""
        return graph_as_html(self._graph, type(self).__name__)

    def _graph_copy(self) -> Graph:
        return copy.deepcopy(self._graph)

    def _deepcopy_init(self) -> Any:
        """What a class derived from this one calls to make a copy."""
        return GraphModule.__init__

    def __deepcopy__(self, memo: Any) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        root = _CodeOnlyModule(copy.deepcopy(self._state(), memo))
        self._deepcopy_init()(made, root, self._graph_copy())
        made._keep_meta(root.__dict__)
        kept = {name: root.__dict__[name] for name in _HOOKS_OF_STATE if name in root.__dict__}
        for name, value in {**kept, **made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {})}.items():
            setattr(made, name, value)
        for kind in KINDS.intersection(self.__dict__):
            made._hooks(kind).extend(self._hooks(kind))
            watch(made._graph)
        for hook in self.__dict__.get("_deepcopy_hooks", ()):
            hook(made)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        codegen = self._graph._codegen
        if is_default(codegen) or can_be_pickled(codegen):
            return module_from, (self._state(), self._graph, "GraphModule")
        from ._folder import import_lines  # the code is what such a CodeGen leaves: it is traced again, as in torch.fx

        return reduce_graph_module, ({**self._state(), "_code": self._code}, "\n".join(import_lines(python_code(self._graph)[1] or {}, True)))

    def _state(self) -> dict[str, Any]:
        """The attributes of the module, without the graph and what is made from it."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code", "_captured_reads") and k not in KINDS}

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self._graph)  # of one graph with this module, as in torch.fx
        if "meta" in made.__dict__:
            object.__setattr__(made, "meta", self.__dict__.get("meta", {}))
        return made

    def _keep_meta(self, state: dict[str, Any]) -> None:
        """Takes over the notes of passes about the module from another one's state."""
        if "meta" in self.__dict__:
            self.meta.update(state.get("meta", {}))

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Writes a package with the class module_name: `from FOLDER import FxModule` makes the module, with its weights, from text.

        Modules that are no plain layers are saved as they are beside it.
        """
        from ._folder import write

        write(self, folder, module_name)

    def add_submodule(self, target: str, m: Module) -> bool:
        """Installs a module at a path, making the modules between; False where something else is in the way."""
        *prefix, name = target.split(".")
        at: Any = self
        for part in prefix:
            if not hasattr(at, part):
                at.add_module(part, Module())
            at = getattr(at, part)
            if not isinstance(at, Module):
                return False
        at.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(parent, name, None), Module):
            return False
        delattr(parent, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the modules that no node refers to."""
        called: set[str] = set()
        on_the_way: set[str] = set()
        for path, op in {(n.target, n.op) for n in self._graph.nodes(recursive=True) if n.op in ("call_module", "get_attr")}:
            if op == "call_module":
                called.add(path)
            parts = path.split(".")
            on_the_way.update(".".join(parts[: i + 1]) for i in range(len(parts)))

        def sweep(module: Module, prefix: str) -> None:
            for name, child in list(module._modules.items()):
                path = prefix + name
                if child is None or path in called:
                    continue
                if path in on_the_way:
                    sweep(child, path + ".")
                else:
                    delattr(module, name)

        sweep(self, "")


def _indented(text: str) -> str:
    """The text with four spaces before each line but the first. Lines of spaces become empty."""
    first, *lines = text.split("\n")
    return "\n".join([first, *("    " + line if line.strip() else "" for line in lines)])


def told_of_cycle(module: Module, graph: Graph, error: RecursionError) -> RecursionError:
    """An error that names the node which calls a module that contains this one, if there is such a node; else the given error."""
    if getattr(error, "_names_node", False):
        return error
    for node in graph.nodes(recursive=True):
        called = _fetch(module, node.target) if node.op == "call_module" else None
        if isinstance(called, Module) and any(inner is module for inner in called.modules()):
            place = f", made at {node.span}," if node.span else ""
            named = RecursionError(
                f"the call does not end: the node {node.name}{place} calls {node.target!r}, a module that holds the module of this graph\n"
                f"Erase the node, or put another module at {node.target!r}: add_submodule({node.target!r}, module), then recompile(). graph.lint() finds such nodes"
            )
            named._names_node = True  # type: ignore[attr-defined]
            return named
    return error


def _node_of(graph: Graph, target: str) -> str:
    """The first node of this target, for a message, with its place."""
    node = next(n for n in graph.nodes(recursive=True) if n.target == target and n.op in ("get_attr", "call_module"))
    return f"{node.name} ({node.span})" if node.span else node.name


def module_from(state: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    """A GraphModule with the attributes of another one's state, and this graph. Pickles name this function."""
    module = GraphModule(_CodeOnlyModule(dict(state)), graph, name)
    module._keep_meta(state)
    for attribute, value in state.items():
        if not hasattr(module, attribute):
            object.__setattr__(module, attribute, value)
    return module


def reduce_graph_module(body: dict[str, Any], import_block: str) -> Module:
    """A GraphModule from a pickle of torch.fx: its attributes, with the code of its forward, and the imports of that code."""
    names: dict[str, Any] = {}
    for line in import_block.splitlines():
        with contextlib.suppress(ImportError):  # the code may not use the module
            exec(_of_this_package(line), names)
    exec(compile(body.get("_code", body.get("code", "")), "<pickled GraphModule>", "exec"), names)
    return _retraced(names["forward"], body)


def _of_this_package(line: str) -> str:
    """An import of torch or of its modules as one of this package."""
    package = __name__.partition(".")[0]
    renamed = re.sub(r"^(from|import) torch\b", rf"\1 {package}", line)
    return f"{renamed} as torch" if renamed == f"import {package}" else renamed


def reduce_package_graph_module(importer: Any, body: dict[str, Any], generated_module_name: str) -> Module:
    """The same for a torch.package, which holds the code as a Python module."""
    return _retraced(importer.import_module(generated_module_name).forward, body)


_tracer: Any = None  # the class Tracer: _symbolic_trace, which imports this module, sets it


def _retraced(forward: Any, body: dict[str, Any]) -> GraphModule:
    class KeepModules(_tracer):
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    fields = {
        k: v for k, v in body.items() if k not in ("_graph", "_code", "code", "_graphmodule_cls_name", "_tracer_cls", "_tracer_extras")
    }
    holder = type("CodeOnlyModule", (_CodeOnlyModule,), {"forward": forward})(fields)
    kind = body.get("_tracer_cls")
    tracer = type("KeepModules", (KeepModules, kind), {})() if isinstance(kind, type) and kind is not _tracer else KeepModules()
    made = GraphModule(holder, tracer.trace(holder), body.get("_graphmodule_cls_name", "GraphModule"))
    for name, value in fields.items():  # what the graph does not name
        if name not in made.__dict__:
            object.__setattr__(made, name, value)
    made._keep_meta(fields)
    return made


GraphModule.__module__ = "monograph.fx.graph_module"
