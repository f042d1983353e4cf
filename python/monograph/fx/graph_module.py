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
from ._attributes import fetch as _fetch
from ._codegen import LEAVES, PythonCode, is_default, python_code, with_places, with_types, without_wraps
from ._hooks import KINDS, NodeHooks, watch
from ._html import graph_as_html
from ._inputs import custom, in_spec, with_namedtuples
from ._lowering import interpret
from ._plan import plan_of
from .graph import Graph, refuse_foreign_nodes

_numbers = itertools.count()
_MISSING = object()
_compiling = threading.RLock()  # two threads call a GraphModule for the first time
# The GraphModules by the file names of their generated code.
_modules_of_code: weakref.WeakValueDictionary[str, GraphModule] = weakref.WeakValueDictionary()


def _show(where: str, text: str) -> tuple[str, ...]:
    """Gives the lines of the file name `where` to tracebacks and debuggers, from now on. pdb and bdb make an absolute path of the name before they look for a
    line, so that one has the lines too. The names that were given lines."""
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


def _recorded_at(where: str, line: int) -> str:
    """The place in the user's code of the node that a line of generated code runs; "" if it is not known."""
    module = _modules_of_code.get(where)
    lines = module.code.splitlines() if module is not None else []
    if module is None or not 0 < line <= len(lines):
        return ""
    name = lines[line - 1].partition("=")[0].strip()
    return next((node.span or "" for node in module.graph.nodes if node.name == name), "")


def _tell_where(error: Exception) -> None:
    """Notes in an error that a line of generated code raised which node it is, with its place in the program: in tracebacks this stands behind the error."""
    from .proxy import _is_users

    if "recorded at" in str(error) or getattr(error, "__notes__", None):
        return
    found = None  # the line of generated code, if only this library's own lines stand behind it
    for frame, at in traceback.walk_tb(error.__traceback__):
        where = frame.f_code.co_filename
        if where in _modules_of_code:
            found = where, at
        elif _is_users(where):
            found = None
    if found is None:
        return
    recorded = _recorded_at(*found)
    note = f"  at {found[0]}:{found[1]}: {linecache.getline(*found).strip()}\n" + (f"  recorded at {recorded}\n" if recorded else "")
    error.add_note(f"{note}  graph.lint() looks for what is wrong with the graph")


class _Assignment:
    """Puts modules and tensors at paths of a module. Each module on the way is looked up once."""

    def __init__(self, to: Module):
        self.stand_ins: set[Module] = set()  # empty modules on the way: the module that belongs there may come later
        self.places: dict[str, Module] = {"": to}
        self.tables: dict[str, tuple[dict[str, Any], Module]] = {}  # of a source's modules: their submodules, and the module in their place

    def place(self, path: str) -> Module:
        """The module at a path; an empty one where there is none."""
        found = self.places.get(path)
        if found is None:
            prefix, _, name = path.rpartition(".")
            to = self.place(prefix)
            found = to._modules.get(name)
            if found is None:
                found = Module()
                self.stand_ins.add(found)
                to.add_module(name, found)
            self.places[path] = found
        return found

    def put_child(self, path: str, source: _Source) -> bool:
        """Puts the module that is there in the source; False for what is no module in another module's table, or has a place already."""
        prefix, _, name = path.rpartition(".")
        tables = self.tables.get(prefix)
        if tables is None:
            owner = source.owner(prefix)
            if not isinstance(owner, Module):
                return False
            tables = self.tables[prefix] = owner.__dict__["_modules"], self.place(prefix)
        child = tables[0].get(name)
        if not isinstance(child, Module) or _has(tables[1], name):
            return False
        tables[1]._modules[name] = child
        return True

    def put(self, path: str, value: Any) -> None:
        prefix, _, name = path.rpartition(".")
        to = self.places.get(prefix) or self.place(prefix)
        if isinstance(value, Module):
            if not _has(to, name):
                to._modules[name] = value
                return
        elif isinstance(value, Tensor) and not value._is_parameter:
            if name not in to._buffers and to.__dict__.get(name) is not value:  # a plain attribute of a module that came whole
                to.register_buffer(name, value)
            return
        if not hasattr(to, name) or to._modules.get(name) in self.stand_ins:
            setattr(to, name, value)
            self.places, self.tables = {"": self.places[""]}, {}


class _Source:
    """What stands at paths of a module. Each module on the way is looked up once."""

    def __init__(self, root: Any):
        self.root = root
        self.owners: dict[str, Any] = {"": root}

    def owner(self, prefix: str) -> Any:
        """What stands at the path; None where there is nothing."""
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
        if isinstance(owner, Module) and (child := owner.__dict__["_modules"].get(name)) is not None:  # getattr asks three tables
            return child
        found = getattr(owner, name, _MISSING)
        return found if found is not _MISSING else _fetch(self.root, path)  # its error names what is missing


# What passes keep of the attributes of a module that a pass replaces, by this key of `meta`.
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class _CodeOnlyModule(Module):
    """A module that has these attributes and nothing else."""

    def __init__(self, body: dict[str, Any]):
        super().__init__()
        self.__dict__ = body


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Puts the module or tensor of a path at the same path of another module, with empty modules on the way there."""
    at: Any = to_module
    source: Any = from_module
    for name in target.split(".")[:-1]:
        source, at = getattr(source, name), getattr(at, name, None)
        if at is source:  # a module that was put there whole
            return
        if at is None:
            break
    _Assignment(to_module).put(target, _fetch(from_module, target))


def _has(module: Module, name: str) -> bool:
    """hasattr, without the error of a missing name, whose text takes long."""
    fields = module.__dict__
    if name in fields["_modules"] or name in fields or name in fields["_parameters"] or name in fields["_buffers"]:
        return True
    return _C._type_attribute(type(module), name, _MISSING) is not _MISSING


def _constants_of(root: Any, paths: list[str]) -> tuple[str, ...]:
    """Those of the paths that lead to a tensor which is a plain attribute: a constant, though it is a buffer of the GraphModule."""
    known = getattr(root, "_constant_paths", ())
    found = []
    for path in paths:
        owner, _, name = path.rpartition(".")
        if path in known or isinstance(_fetch(root, owner).__dict__.get(name) if owner else root.__dict__.get(name), Tensor):
            found.append(path)
    return tuple(found)


def namedtuples_in(result: Any) -> Any:
    """Which of the tuples that a function returns are namedtuples or values of registered types: a tree of their types; None where none is."""
    known = custom(result)
    if known is not None:
        return known, [namedtuples_in(v) for v in known.parts]
    if isinstance(result, dict):
        parts = {k: namedtuples_in(v) for k, v in result.items()}
        return (None, parts) if any(parts.values()) else None
    if not isinstance(result, (tuple, list)):
        return None
    inner = [namedtuples_in(v) for v in result]
    kind = type(result) if hasattr(result, "_fields") else None
    return (kind, inner) if kind or any(inner) else None


def _returning(forward: Any, types: Any) -> Any:
    """A graph has tuples and no namedtuples: forward, of which those come out that the function returned."""

    @functools.wraps(forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        return with_namedtuples(forward(*args, **kwargs), types)

    return call


class _Forward:
    """The generated forward of a class. Its text is compiled when it is first read, since a pass that follows may make another."""

    def __init__(self, module: GraphModule, text: str, names: dict[str, Any], namedtuples: Any):
        self.module, self.owner = weakref.ref(module), type(module)
        self.text, self.names, self.namedtuples = text, names, namedtuples
        self.function = module._graph._codegen._func_name
        self.made: Any = None
        self.where = f"<eval_with_key>.{next(_numbers)}"
        self.shown = _show(self.where, text)
        self.hidden = weakref.finalize(self, _forget, self.shown)
        self.hidden.atexit = False

    def __get__(self, module: Any, owner: type) -> Any:
        with _compiling:
            forward = self.made or _C._unwatched(self.compiled)  # compiling is nothing that a captured program does
        if self.owner.__dict__.get("forward") is self:
            self.owner.forward = forward
        return forward if module is None else types.MethodType(forward, module)

    def compiled(self) -> Any:
        where = self.where
        module = self.module()
        if module is not None:
            _modules_of_code[where] = module
        text, leaves = without_wraps(self.text)  # torch.fx.wrap keeps the module that calls it for ever
        names = {**self.names, LEAVES: leaves}
        exec(compile(text, where, "exec"), names)
        forward = names[self.function]
        forward._stands_for = self  # to a capture that read this before it was compiled, it is the same
        # Tracebacks show its lines for as long as it may run.
        self.hidden.detach()
        weakref.finalize(forward.__code__, _forget, self.shown).atexit = False
        self.made = _returning(forward, self.namedtuples) if self.namedtuples else forward
        return self.made


class _Calls:
    """How calls of a GraphModule run: the first one runs the generated code, and further ones a plan of it, if there is one."""

    def __init__(self, source: _Forward):
        self.source = source
        self.plan: Any = None  # False where the code runs as well

    def plan_for(self, module: GraphModule) -> Any:
        """The plan; None where the generated code has to run."""
        made = self.source.made
        if (
            made is None or type(module).__dict__.get("forward") is not made or "forward" in module.__dict__
        ):  # not compiled yet, or the user put another there
            return None
        if self.plan is None:
            with _compiling:  # ast.parse of two threads at once raises SystemError in CPython 3.11
                self.plan = self.plan if self.plan is not None else self._made_plan(made, module)
        return self.plan or None

    def _made_plan(self, made: Any, module: GraphModule) -> Any:
        return (not self.source.namedtuples and plan_of(without_wraps(self.source.text)[0], made, module)) or False


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
        # forward differs from object to object, and methods are found on classes: one class an object.
        for base in cls.__mro__:
            if base.__qualname__ != "GraphModule" or base.__dict__.get("_made"):
                continue
            return object.__new__(type("GraphModule", (cls,), {"_made": True, "__module__": cls.__module__}))
        return object.__new__(type(cls.__name__, (cls,), {"_made": True}))

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if not isinstance(graph, Graph):
            raise AssertionError(f"GraphModule: expected a Graph, but got {type(graph).__name__}: GraphModule(root, graph)")
        if not isinstance(root, (Module, dict)):
            raise RuntimeError(f"GraphModule: root must be a Module, or a dict from paths to modules and tensors, but got {type(root).__name__}")
        if isinstance(root, Module):
            object.__setattr__(self, "training", root.training)
        ops = {n.target: n.op for n in graph.nodes(recursive=True) if n.op in ("get_attr", "call_module")}
        targets = list(ops)
        assignment, source = _Assignment(self), _Source(root)
        # Of a dict, modules come before what is in them; a root has both at once.
        for target in sorted(targets, key=lambda t: t.count(".")) if isinstance(root, dict) else targets:
            if isinstance(root, Module) and assignment.put_child(target, source):
                continue
            if isinstance(root, dict) and target not in root:
                raise RuntimeError(f"Node {_node_of(graph, target)} refers to {target!r}, but the dict given as root has no such key")
            try:
                value = root[target] if isinstance(root, dict) else source.fetch(target)
            except RuntimeError as error:
                raise RuntimeError(f"Node {_node_of(graph, target)}: {error}. Put it there, or erase the node") from None
            assignment.put(target, value)
        object.__setattr__(
            self, "_constant_paths", _constants_of(root, [t for t in targets if ops[t] == "get_attr" and isinstance(root, Module)])
        )
        object.__setattr__(self, "_source", root if isinstance(root, Module) else None)
        if "meta" not in self._modules and "meta" not in self._buffers and "meta" not in self._parameters:
            object.__setattr__(self, "meta", {})
        self.graph = graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            followed = self.__dict__.get("_followed")
            if followed is not None and (followed.writes or followed.reads.check() is not None) and _C._capture_hook() is None:
                result = followed.call(self, args, kwargs)
                if result is not NotImplemented:
                    return result
            calls = type(self).__dict__.get("_calls")
            if calls is None or kwargs or self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks:
                return super().__call__(*args, **kwargs)
            plan = calls.plan_for(self)
            if plan is None or _C._capture_hook() is not None or any_global():
                return super().__call__(*args, **kwargs)
            result = plan(self, args)
            return result if result is not NotImplemented else super().__call__(*args)
        except RecursionError as error:
            raise told_of_cycle(self, self._graph, error) from None
        except Exception as error:
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
    def _in_spec(self) -> Any:
        """What the code takes arguments of registered types apart with."""
        return in_spec(self._graph)

    @property
    def code(self) -> str:
        """The Python text of forward."""
        return self._code

    def recompile(self) -> PythonCode:
        """Makes forward anew from the graph, and gives its text and what that names."""
        graph = self._graph
        text, names = python_code(graph)
        object.__setattr__(self, "_code", text)
        namedtuples = graph._output.meta.get("namedtuples") if graph._output is not None else None
        type(self)._calls = None
        if names is not None:
            source = _Forward(self, text, names, namedtuples)
            type(self).forward, type(self)._calls = source, _Calls(source)  # type: ignore[method-assign, assignment]
            return PythonCode(text, names)
        if not is_default(graph._codegen) and not _C._foreign_inputs(graph):
            raise RuntimeError(
                "two functions of this graph have one name, so no CodeGen can write it; give one of them another __qualname__"
            )

        def forward(self: Any, *args: Any) -> Any:  # two functions of one name: the text cannot tell them apart, the graph does
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
        and devices. expanded_def: each parameter has a line of its own. verbose: with the lines of the program that the nodes come from,
        which a graph whose tracer had record_stack_traces shows anyway.
        fast_sympy_print changes nothing: sizes are no sympy expressions.
        """
        for option, value in {"colored": colored, "additional_meta": additional_meta}.items():
            if value:
                raise NotImplementedError(f"print_readable: {option} is not there; leave it out")

        def code_of(module: GraphModule) -> str:
            graph = module._graph
            text = graph.python_code("self", expanded_def=True).src if expanded_def else module._code
            recorded = any("stack_trace" in node.meta for node in graph.nodes)
            text = with_places(graph, text) if verbose or recorded else text
            return with_types(graph, text, include_stride, include_device)

        text = self._as_class(type(self).__name__, code_of)
        if print_output:
            print(text)
        return text

    def _as_class(self, name: str, code_of: Callable[[GraphModule], str]) -> str:
        inner = [module._as_class(path, code_of) for path, module in self._modules.items() if isinstance(module, GraphModule)]
        lines = [line for part in (code_of(self).strip("\n"), *inner) for line in (*part.splitlines(), *([""] if inner else []))]
        return f"class {name}(torch.nn.Module):\n" + "\n".join("    " + line if line.strip() else "" for line in lines)

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
        made = module_from(copy.deepcopy(self._state(), memo), self._graph_copy(), type(self).__name__)
        for kind in KINDS.intersection(self.__dict__):
            made._hooks(kind).extend(self._hooks(kind))
            watch(made._graph)
        for hook in self.__dict__.get("_deepcopy_hooks", ()):
            hook(made)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return module_from, (self._state(), self._graph, type(self).__name__)

    def _state(self) -> dict[str, Any]:
        """Everything of the module that its graph does not say."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code", "_source", "_followed") and k not in KINDS}

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self._graph_copy(), type(self).__name__)
        made._keep_meta(self.__dict__)
        return made

    def _keep_meta(self, state: dict[str, Any]) -> None:
        """What passes noted about the module."""
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


def told_of_cycle(module: Module, graph: Graph, error: RecursionError) -> RecursionError:
    """The error with the node that calls a module which holds this one, where there is such a node; else the error as it is."""
    if getattr(error, "_names_node", False):
        return error
    for node in graph.nodes(recursive=True):
        called = _fetch(module, node.target) if node.op == "call_module" else None
        if isinstance(called, Module) and any(inner is module for inner in called.modules()):
            place = f", made at {node.span}," if node.span else ""
            told = RecursionError(
                f"the call does not end: the node {node.name}{place} calls {node.target!r}, a module that holds the module of this graph\n"
                f"Erase the node, or put another module at {node.target!r}: add_submodule({node.target!r}, module), then recompile(). graph.lint() finds such nodes"
            )
            told._names_node = True  # type: ignore[attr-defined]
            return told
    return error


def _node_of(graph: Graph, target: str) -> str:
    """The first node of this target, for a message, with its place."""
    node = next(n for n in graph.nodes(recursive=True) if n.target == target and n.op in ("get_attr", "call_module"))
    return f"{node.name} ({node.span})" if node.span else node.name


def module_from(state: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    """A GraphModule as it was: the state of its module, and its graph."""
    plain = Module()
    plain.__dict__.update(state)
    made = GraphModule(plain, graph, name)
    made._keep_meta(state)
    return made


def reduce_graph_module(body: dict[str, Any], import_block: str) -> Module:
    """A GraphModule of what torch.fx puts into a pickle: its fields, with the code of its forward, and the imports that the code needs."""
    names: dict[str, Any] = {}
    for line in import_block.splitlines():
        with contextlib.suppress(ImportError):  # of what the code may not use
            exec(_of_this_package(line), names)
    exec(compile(body.get("_code", body.get("code", "")), "<pickled GraphModule>", "exec"), names)
    return _retraced(names["forward"], body)


def _of_this_package(line: str) -> str:
    """An import of torch or of its modules as one of this package."""
    package = __name__.partition(".")[0]
    renamed = re.sub(r"^(from|import) torch\b", rf"\1 {package}", line)
    return f"{renamed} as torch" if renamed == f"import {package}" else renamed


def reduce_package_graph_module(importer: Any, body: dict[str, Any], generated_module_name: str) -> Module:
    """The same of a torch.package, which holds the code as a module."""
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
