"""torch.fx.symbolic_trace: a function run on proxies, its calls recorded as a graph."""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import itertools
import linecache
import logging
import math
import operator
import sys
import threading
import traceback
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType  # noqa: F401 (tracers of packages find them here)
from typing import Any

from .. import _C
from .._changes import checked, forget_package
from .._script_object import ScriptObject  # noqa: F401
from .._state import Contents, modules_of
from .._tensor import Tensor
from .._tree import NODES, node_type
from ..nn import Module, Parameter, Sequential
from . import _control_flow, _patching, _writes, graph_module  # noqa: F401 (the first gives the tracers torch.cond)
from ._annotations import hints_of
from ._captured_reads import CapturedReads
from ._codegen import LEAVES
from ._compatibility import compatibility  # noqa: F401
from ._gradient_modes import check_mode, join_switches
from ._in_place import without_needless_writes
from ._inputs import PH, PHBase, PHWithMeta, concrete_argument, flat_argument  # noqa: F401
from ._kept import Kept, drop_unread_results
from ._lowering import lower
from ._module_stack import Entry, ModuleCalls
from ._patching import (  # noqa: F401 (torch.fx has them here)
    HAS_VARSTUFF,
    _autowrap_check,
    _create_wrapped_func,
    _create_wrapped_method,
    _find_proxy,
    _maybe_revert_all_patches,
    _new_patcher,
    _orig_module_call,
    _orig_module_getattr,
    _patch_function,
    _patch_wrapped_methods,
    _PatchedFn,
    _PatchedFnDel,
    _PatchedFnSetAttr,
    _PatchedFnSetItem,
    _Patcher,
    _transfer_attrs,
    _wrapped_methods_to_patch,
)
from ._pytree_codegen import _PyTreeCodeGen, flat_function
from .graph import Graph
from .graph_module import GraphModule, namedtuples_in
from .node import Argument, Node, _assert_is_none, base_types, map_aggregate  # noqa: F401
from .operator_schemas import check_for_mutable_operation
from .proxy import (
    LAYERS,
    Attribute,
    ParameterProxy,
    Proxy,
    Scope,
    TraceError,
    TracerBase,
    _is_users,
    _plain_create_args,
    _tracer_of,
    _user_line,
    call_of,
    forgotten,
    proxy_with_own_calls,
    read_when_used,
)
from .traceback import _state as _notes, recording_stacks

# What a tracer may have as attributes of its own in the place of methods.
_OVERRIDDEN = {"call_module", "path_of_module", "create_proxy", "create_node"}

# By (id of the globals, name): the globals for wrap("name"), and the globals and function for wrap(function).
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_functions: dict[tuple[int, str], Any] = {}


def wrap(fn_or_name: Any) -> Any:
    """Makes calls of a function of this module leaves: recorded, not entered. At module scope: wrap("helper"), wrap(helper), or as a decorator."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    if callable(fn_or_name):

        @functools.wraps(fn_or_name)
        def call(*args: Any, **kwargs: Any) -> Any:
            tracer = _tracer_of(args) or _tracer_of(kwargs)
            return _leaf_call(tracer, call, args, kwargs) if tracer else fn_or_name(*args, **kwargs)

        name: str = getattr(fn_or_name, "__name__", "")
        if frame.f_globals.get(name) is fn_or_name:  # wrap(helper): its name still means the function itself
            _wrapped_functions[id(frame.f_globals), name] = frame.f_globals, fn_or_name
        return call
    _wrapped_fns_to_patch[id(frame.f_globals), fn_or_name] = frame.f_globals
    return fn_or_name


def _check_result(part: Any) -> Any:
    """Raises where a function, class or module is a result: a graph has no such values, and a function may hold proxies."""
    if callable(part) and not isinstance(part, Node):
        raise NotImplementedError(
            f"argument of type: {type(part)}; the function returns {getattr(part, '__qualname__', type(part).__name__)}, and a graph returns tensors, numbers, str, "
            "dtypes, None, and tuples, lists and dicts of them\nReturn what it computes: call it in the function that is traced"
        )
    return part


def _recording(original: Any, autowrapped: bool = False) -> Any:
    """A stand-in for a function, which records calls with proxies. autowrapped: only for tracers whose autowrap_modules or _functions hold the function."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        tracer = _tracer_of(args) or _tracer_of(kwargs)
        if tracer is None or (autowrapped and id(original) not in getattr(tracer, "_autowrapped", ((id(original),), ()))[0]):
            return original(*args, **kwargs)
        return _leaf_call(tracer, original, args, kwargs)

    call._stands_for = original  # type: ignore[attr-defined]
    return call


def _without_stand_in(value: Any) -> Any:
    """The function that a stand-in of another thread's trace stands for; other values as they are."""
    return vars(value).get("_stands_for", value) if type(value) is types.FunctionType else value


def _leaf_call(tracer: TracerBase, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
    """Records the call. The node is marked, so that the code of the graph wraps the function too: it stays a leaf when that code is traced."""
    proxy = tracer.create_proxy("call_function", function, args, kwargs)
    proxy.node.meta["is_wrapped"] = True
    return proxy


class _Patches:
    """Globals that are replaced by stand-ins while functions are traced. Several threads may trace at once: the first sets a stand-in, the last restores."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By the id of the globals: the globals, and for each name its original value (None: it had none) and how many traces use the stand-in.
        self._held: dict[int, tuple[dict[str, Any], dict[str, tuple[Any, int]]]] = {}

    def holds(self, names: dict[str, Any]) -> bool:
        """Whether these globals hold a stand-in."""
        return id(names) in self._held

    def put(self, names: dict[str, Any], values: dict[str, Any]) -> None:
        with self._lock:
            _, held = self._held.setdefault(id(names), (names, {}))
            for name, value in values.items():
                original, users = held.get(name) or (names.get(name), 0)
                held[name] = original, users + 1
                if not users:
                    names[name] = value

    def restore(self, names: dict[str, Any], replaced: Iterable[str]) -> None:
        with self._lock:
            _, held = self._held[id(names)]
            for name in replaced:
                original, users = held.pop(name)
                if users > 1:
                    held[name] = original, users - 1
                elif original is None:
                    del names[name]
                else:
                    names[name] = original
            if not held:
                del self._held[id(names)]


_patches = _Patches()


class _Wrapped:
    """While a function is traced, these functions record calls with proxies: those named by wrap(), and a tracer's autowrap_functions and _modules."""

    def __init__(self, functions: dict[int, Any], modules: tuple[Any, ...]):
        self.functions, self.modules = functions, modules  # what records a call, by the id of the function
        self.put: list[Any] = []
        self.methods = _Patcher()  # of classes

    def __enter__(self) -> _Wrapped:
        self.saved: list[tuple[dict[str, Any], Iterable[str]]] = []
        self.patched: set[int] = set()
        try:
            for (_, name), names in list(_wrapped_fns_to_patch.items()):
                original = names.get(name, getattr(builtins, name, None))
                if original is None:
                    raise NameError(f"torch.fx.wrap({name!r}): there is no function of this name")
                self._put(names, {name: original})
            for (_, name), (names, function) in list(_wrapped_functions.items()):
                if names.get(name) is function:
                    self._put(names, {name: function})
            _patch_wrapped_methods(self.methods)
            self.put += [patch.new_fn for patch in self.methods.patches_made]
            for module in self.modules:
                self.look_in(vars(module))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self.methods.__exit__()
        for names, replaced in reversed(self.saved):
            _patches.restore(names, replaced)

    def look_in(self, names: dict[str, Any]) -> None:
        """Sets stand-ins in the globals of a function whose code runs next."""
        if id(names) in self.patched:
            return
        self.patched.add(id(names))
        if LEAVES in names:
            self._put(names, {name: names.get(name, getattr(builtins, name, None)) for name in names[LEAVES]})
        if not self.functions or not (_patches.holds(names) or self.functions.keys() & set(map(id, names.values()))):
            return
        recorded = {name: self.functions.get(id(_without_stand_in(value))) for name, value in list(names.items())}
        self._put(names, {name: function for name, function in recorded.items() if function is not None and not name.startswith("_")})

    def _put(self, names: dict[str, Any], functions: dict[str, Any]) -> None:
        if not functions:
            return
        recording = {name: f if hasattr(f, "_stands_for") else _recording(f) for name, f in functions.items()}
        _patches.put(names, recording)
        self.saved.append((names, recording))
        self.put += [names[name] for name in recording]


@functools.cache
def _recordings(modules: tuple[Any, ...], functions: tuple[Any, ...]) -> dict[int, Any]:
    """A stand-in for each public function of these modules and each of these functions, by the id of the function."""
    of_modules = (_without_stand_in(f) for m in modules for name, f in vars(m).items() if not name.startswith("_") and callable(f))
    return {id(f): _recording(f, autowrapped=True) for f in (*of_modules, *functions)}


_proxyable_classes: dict[type, None] = {}  # those of this metaclass


class ProxyableClassMeta(type):
    """The metaclass of a class whose objects a symbolic trace may make: `Pair(x, y)` of proxies is a node that calls Pair."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        _proxyable_classes[cls] = None
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        tracer = _tracer_of(args) or _tracer_of(kwargs)
        if tracer is None or not tracer.tracing:
            return super().__call__(*args, **kwargs)
        return tracer.create_proxy("call_function", cls, args, kwargs)


# The names that running traces have chosen for attributes of their roots: by the id of the root and the name.
_claimed_names: dict[tuple[int, str], Any] = {}


class Tracer(TracerBase):
    """Traces a module or function. Override is_leaf_module, call_module, create_arg, path_of_module to trace otherwise."""

    def __init__(
        self,
        autowrap_modules: tuple[Any, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ):
        super().__init__()
        self._autowrapped = _recordings(tuple(autowrap_modules), tuple(autowrap_functions)), tuple(autowrap_modules)
        # The same as torch.fx has it: for packages whose tracers patch functions themselves.
        self._autowrap_search = list(autowrap_modules)
        self._autowrap_function_ids = set(self._autowrapped[0])
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None  # while a module is traced: the paths of its modules
        self.root_module_name = ""
        self.root: Any = None
        self.bound: dict[str, Any] = {}  # arguments that an example leaves at their defaults: no inputs of the graph
        self.variadic_inputs: dict[str, list[str]] = {}  # the inputs that *args or **kwargs stand for, where an example tells
        self._extra: dict[str, Any] = {}  # tensors of no module, which become attributes of the root
        self._constants: dict[str, Any] = {}  # these, and plain attributes of modules
        self._versions: dict[str, int] = {}
        # By the id of a tensor, its path: of the tensors that were plain attributes, and of the parameters and buffers, when the trace began. Built at first use.
        self._plain_attributes: dict[int, str] | None = None
        self._attribute_paths: dict[int, str] | None = None
        self._contents: Contents | None = None  # what the modules held when the trace began
        self._calls = ModuleCalls()  # the calls of modules whose code was traced
        self._entered: tuple[Entry, ...] = ()  # the calls that have not ended, the outermost first
        self._no_leaf: Module | None = None  # the module that is called now, if is_leaf_module has said that it is none: it is asked once for a call
        self._copies_constants = False  # whether torch.tensor(...) makes a new tensor at each run, since the function writes to one

    # Gets what the program reads outside of its arguments; None where that is not recorded.
    reads: Any = None
    # How a branch or loop on a traced value is captured: "keep" makes it an If or Loop of the graph, "error" raises.
    control_flow: str = "keep"

    # What users override ---------------------------------------------------------------------------------------------------------------
    @_C._natively
    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of `m` is one node; else its forward is traced. By default layers of torch.nn but Sequential."""
        return m.__module__.startswith(LAYERS) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        path = self._paths.get(mod)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        path = self.path_of_module(m)
        entry, enclosing = self._calls.entry(path, type(m)), self._entered
        self._entered = (*enclosing, entry)
        try:
            if m is not self._no_leaf and not self._has_new_hooks(m) and self.is_leaf_module(m, path):
                self._check_mode(m, path)
                proxy = self.create_proxy("call_module", path, args, kwargs)
                self._calls.by_node[proxy.node] = entry
                return proxy
            self._no_leaf = None
            scope = "__module." + entry[0]
            self._calls.entered[scope] = self._entered
            _C._set_scope(self.graph, scope)
            return forward(*args, **kwargs)
        except RecursionError:
            self._called.append(path)
            raise
        finally:
            self._entered = enclosing
            _C._set_scope(self.graph, "__module." + enclosing[-1][0] if enclosing else "")

    @property
    def module_stack(self) -> OrderedDict[str, tuple[str, type]]:
        """The modules whose code runs now, the outermost first: their paths, with @1 in the second call and so on, and their paths and classes."""
        return OrderedDict(self._entered)

    @property
    def scope(self) -> Scope:
        """The innermost of them."""
        return Scope(*self._entered[-1][1]) if self._entered else Scope("", None)

    @property
    def num_calls(self) -> dict[str, int]:
        """How often each module was called."""
        self._calls.settle()
        return {path: self._calls.counts[path] for path in self._calls.order}

    @property
    def node_name_to_scope(self) -> dict[str, tuple[str, Any]]:
        """The module that each node was made in: its path and its class."""
        stacks = {node.name: self._calls(node) for node in self.graph.nodes}
        return {name: next(reversed(stack.values())) if stack else ("", None) for name, stack in stacks.items()}

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> tuple[Any, list[Any]]:
        """Makes a placeholder for each argument. Gives the function to call and its arguments, of a module's forward the module first."""
        if not self.capturing:  # the tracer of a package has a trace() of its own, which has set root and graph
            graph = self.graph
            self._begin(self.root)
            self.graph = graph
            graph.__dict__["_module_calls"] = self._calls
        return self._arguments(root_fn, self.root if is_module else None, concrete_args or {})

    def get_fresh_qualname(self, prefix: str) -> str:
        """prefix0, prefix1 and so on: the first that the module has no attribute of."""
        return next(name for i in itertools.count() if not hasattr(self.root, name := f"{prefix}{i}") and name not in self._extra)

    def create_arg(self, a: Any) -> Any:
        if isinstance(type(a), ProxyableClassMeta):  # made outside of the function: an attribute of the module
            name = next((n for n, v in vars(self.root).items() if v is a), None) or self.get_fresh_qualname(
                f"_{type(a).__name__}_constant_"
            )
            object.__setattr__(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Tensor):
            path = self._attributes.get(id(a))
            if path is None:
                path = self._constant(a)
            return self.create_node("get_attr", path, (), {})
        if isinstance(a, Module) and a in self._paths:
            return self.create_node("get_attr", self._paths[a], (), {})
        return super().create_arg(a)

    @_C._natively
    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What self.attr gives inside of a module that is traced: a parameter or buffer is a proxy."""
        if isinstance(attr_val, Parameter) or (self.proxy_buffer_attributes and isinstance(attr_val, Tensor)):
            path = self._attributes.get(id(attr_val))
            if path is not None and not isinstance(attr_val, Parameter) and not (self._asks_for_buffers() and type(self).proxy is not TracerBase.proxy):
                return read_when_used(self, path)
            if path is not None:
                if path not in parameter_proxy_cache:
                    factory: dict[str, Any] = {}
                    # A tracer may override create_proxy without this argument.
                    if self.param_shapes_constant and "proxy_factory_fn" in inspect.signature(self.create_proxy).parameters:
                        factory["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, path, attr_val)
                    parameter_proxy_cache[path] = self.create_proxy("get_attr", path, (), {}, **factory)
                return parameter_proxy_cache[path]
        return attr_val

    def _asks_for_buffers(self) -> bool:
        """Whether the user's tracer sets proxy_buffer_attributes: then it makes the proxies of buffers where they are read."""
        name = "proxy_buffer_attributes"
        return name in vars(self) or any(name in vars(kind) for kind in type(self).__mro__ if kind is not TracerBase)

    # Tracing -----------------------------------------------------------------------------------------------------------------------------
    def _constant(self, a: Tensor) -> str:
        """The path of a tensor that is no parameter or buffer: of a plain attribute of a module, or an attribute `_tensor_constant0` of the root."""
        for name, value in self._constants.items():
            if value is a:
                self._check_constant(name)
                return name
        if self.reads is not None and not a.is_leaf:
            raise TraceError(
                f"the function computes with a tensor that requires grad and that was computed outside of the graph, from a parameter that is none of the traced module:\n"
                f"  {_user_line()}\nThe graph would keep its value, and the first backward pass would free what a second one needs. Make the parameter an input, or one "
                'of the module, or use torch.jit.trace. on_change="ignore" keeps the value, as torch.fx does'
            )
        name = self._plain_attribute(a)
        if not name:
            name = self._claimed_name("_tensor_constant")
            self._extra[name] = a
        self._constants[name] = a
        self._versions[name] = a._version
        return name

    @_C._natively
    def _claimed_name(self, prefix: str) -> str:
        """A fresh name that no other trace of the same module, which may run in another thread, takes before this one ends."""
        for k in itertools.count():
            key = id(self.root), f"{prefix}{k}"
            if key[1] in self._extra or _claimed_names.setdefault(key, self) is not self:
                continue
            if not hasattr(self.root, key[1]):  # asked behind the claim: a trace sets its attributes before it gives its claims up
                break
            del _claimed_names[key]
        return key[1]

    @property
    def _attributes(self) -> dict[int, str]:
        """The paths of the parameters and buffers that the modules had when the trace began, by the tensors' ids. Most traces of layers never ask."""
        if self._attribute_paths is None:
            changed = self._changed_contents()
            paths: dict[int, str] = {}
            self._alive: list[Any] = []  # keeps the tensors alive, so that no other object gets the id of one
            for table in ("_parameters", "_buffers"):
                for module, path in self._paths.items():
                    tensors = vars(module)[table]
                    for name, tensor in changed.get(id(tensors), tensors.items()) if tensors or id(tensors) in changed else ():
                        if tensor is not None:
                            paths.setdefault(id(tensor), f"{path}.{name}" if path else name)
                            self._alive.append(tensor)
            self._attribute_paths = paths
        return self._attribute_paths

    def _plain_attribute(self, a: Tensor) -> str:
        """The path of a tensor that was an attribute of a module, and no parameter or buffer, when the trace began; "" of another."""
        if self._plain_attributes is None:
            changed = self._changed_contents()
            paths: dict[int, str] = {}
            for module, path in self._paths.items():
                fields = vars(module)
                for name, value in changed.get(id(fields), fields.items()):
                    if isinstance(value, Tensor):
                        paths.setdefault(id(value), f"{path}.{name}" if path else name)
            self._plain_attributes = paths
        return self._plain_attributes.get(id(a), "")

    @property
    def tensor_attrs(self) -> dict[Tensor, str]:
        """The tensors that are attributes of the traced modules, and no parameters or buffers, with their paths. A subclass may set another dict."""
        if "_tensor_attrs" in self.__dict__:
            own: dict[Tensor, str] = self.__dict__["_tensor_attrs"]
            return own
        found: dict[Tensor, str] = {}
        for module, path in getattr(self, "_paths", {}).items():
            for name, value in vars(module).items():
                if isinstance(value, Tensor):
                    found.setdefault(value, f"{path}.{name}" if path else name)
        return found

    @tensor_attrs.setter
    def tensor_attrs(self, attrs: dict[Tensor, str]) -> None:
        self.__dict__["_tensor_attrs"] = attrs

    def _changed_contents(self) -> dict[int, Any]:
        """The dicts of modules that have changed since the trace began: by the id of the dict, the items that it had then."""
        return {id(container): before for container, before in self._contents.held.changed()} if self._contents is not None else {}

    @_C._natively
    def _check_constant(self, name: str) -> None:
        """Raises where the function has written plain numbers to a constant: such a write is no node, so it would change what was read before it."""
        if self._constants[name]._version != self._versions[name]:
            raise _writes.ConstantWritten(f"something between two uses of {name}, at the latest here,")

    @_C._natively
    def check_write(self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        _writes.check(kind, target, args, kwargs, self._constants, lambda t: id(t) in self._attributes)

    def trace(self, root: Any, concrete_args: dict[str, Any] | tuple[Any, ...] | None = None) -> Graph:
        """The graph of a module's forward, or of a function.

        An argument in concrete_args is fixed to that value: the graph keeps a placeholder for it, and checks what it is given. PH in a list, tuple or
        dict leaves that element an input.
        """
        self._copies_constants = False
        try:
            with contextlib.suppress(_writes.ConstantWritten):  # torch.tensor(...) is a constant, as in torch.fx, until the function writes to one
                return self._traced(root, concrete_args)
            self._copies_constants = True
            return self._traced(root, concrete_args)
        finally:
            for key in [key for key, tracer in list(_claimed_names.items()) if tracer is self]:
                del _claimed_names[key]

    def _traced(self, root: Any, concrete_args: dict[str, Any] | tuple[Any, ...] | None) -> Graph:
        is_module = isinstance(root, Module)
        if isinstance(root, type) and issubclass(root, Module):
            raise TypeError(f"symbolic_trace got the class {root.__name__}. Pass an instance: {root.__name__}(...)")
        if not callable(root):
            raise TypeError(f"symbolic_trace takes a Module or a function, but got {type(root).__name__} ({root!r:.60})")
        self.root = root if is_module else Module()
        if is_module and not hasattr(type(root), self.traced_func_name):
            raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
        function = getattr(type(root), self.traced_func_name) if is_module else root
        self._begin(root)
        self.traced, self.capturing = None, True
        try:
            call, args = self.create_args_for_root(function, is_module, concrete_args)
        finally:
            self.capturing = False
        self._add_output(self._run_root(root, function, call, args))
        foreign = _C._foreign_inputs(self.graph)
        if foreign:
            node, other = foreign[0]
            raise RuntimeError(
                f"{node.name} at {node.span} takes {other.name} ({other.span}), a value of another function that is or was traced: node {other.name} belongs to "
                "another graph. Give the value to the function as an argument"
            )
        if self.control_flow == "keep":
            drop_unread_results(self.graph, self._texts_made)
        if self.switches_gradients:
            join_switches(self.graph)
        without_needless_writes(self, self.root, lower)
        if self.check_mutable_operations:
            self._check_mutable_operations()
        for name, value in self._extra.items():
            if is_module:
                object.__setattr__(root, name, value)
            else:
                self.root.register_buffer(name, value)
        self.traced, self._contents, self.submodule_paths = self.graph, None, None
        self._calls.end()
        return self.graph

    def _begin(self, root: Any) -> None:
        """Sets the state of a new trace."""
        self.traced_program = root
        self.graph = Graph(tracer_cls=type(self))
        self._paths: dict[Module, str] = {}
        for path, module in self.root.named_modules():
            self._paths.setdefault(module, path)
        if isinstance(root, Module):
            self.submodule_paths, self.root_module_name = self._paths, root._get_name()
        self._modes, self._switched = {m: m.training for m in self._paths}, set[Module]()
        self._attribute_paths, self._plain_attributes, self._contents = None, None, None
        self._extra, self._constants, self._versions = {}, {}, {}
        self._calls, self._entered = ModuleCalls(), ()
        self._texts_made: list[Node] = []
        self.unread = []
        self._calls.paths = self._paths
        self.graph.__dict__["_module_calls"] = self._calls
        kind = type(self)
        # Whether no method of the user's runs when a layer becomes a node: then `call` records it without entering the module.
        self._plain = (kind.call_module, kind.path_of_module, kind.create_proxy, kind.create_node) == (
            Tracer.call_module, Tracer.path_of_module, TracerBase.create_proxy, TracerBase.create_node,
        ) and _OVERRIDDEN.isdisjoint(vars(self))  # fmt: skip
        # Whether all that create_proxy does for a layer is to make the node and its proxy, while gradients and autocast are as they were.
        self._plain_arguments = kind.create_arg in _plain_create_args and "create_arg" not in vars(self)
        # By class, whether its modules are leaves; None if the user's is_leaf_module decides for each module.
        self._leaf_classes: dict[type, bool] | None = (
            {} if kind.is_leaf_module is Tracer.is_leaf_module and "is_leaf_module" not in vars(self) else None
        )
        self.attribute_nodes, self.in_block, self.switches_gradients = {}, False, False
        self._calls_hooks = False  # whether what create_args_for_root gave runs the hooks of the root itself
        self._hooks = {m: _hooks_of(m) for m in self._paths}  # those that the layers have when the trace begins
        self.remembers = ""  # what the program read and set to a traced value, which its next call would read; "" if nothing
        self._called: list[str] = []  # after a RecursionError: the paths of the modules that ran, the innermost first
        self._cache: dict[str, Any] = {}

    def _run_root(self, root: Any, function: Any, call: Any, args: list[Any]) -> Any:
        """The result of the function, which runs on proxies: `call` with `args`. What it assigns to modules is taken back where it is a proxy."""
        is_module = isinstance(root, Module)
        outer_hook, grad_mode = _C._set_capture_hook(self), _C._grad_mode()
        contents = self._contents = Contents([vars(m) for m in (self._paths if is_module else modules_of(root))])
        try:
            self._patches = _Wrapped(*self._autowrapped)
            with self._patches, _writes.made_is_told(), recording_stacks(self.record_stack_traces):
                self._patches.look_in(getattr(inspect.unwrap(function), "__globals__", {}))
                self.capturing = True
                self.tracing, self.grad_mode, self.autocast_enabled = True, grad_mode & 1, _C._is_autocast_enabled()
                _C._restore_grad_mode(self.grad_mode)  # that of the caller
                if not is_module:
                    return self._run(call, tuple(args))
                if self._calls_hooks:
                    return self._run(functools.partial(call, root), tuple(args[1:]))
                # The hooks of the root run too, as those of its submodules do.
                return self._run(functools.partial(root._with_hooks, functools.partial(call, root)), (tuple(args[1:]), {}))
        except BaseException as error:
            _C._restore_grad_mode(grad_mode)  # the function may have been in a no_grad()
            if isinstance(error, RecursionError):
                raise _endless_recursion(error, self._called) from None
            raise
        finally:
            _C._restore_grad_mode(_C._is_grad_enabled() | grad_mode & 2)
            self.tracing = self.capturing = False
            _C._set_capture_hook(outer_hook)
            if self.reads is not None:
                _C._reads_forgive(self.reads, [_writes.told_tensor, *self._patches.put])
                forget_package(self.reads)
                found = self.reads.check()
                self.remembers = _C._reads_remembers(self.reads)
            replaced, removed = contents.restore_where(Proxy)
            if self.reads is not None:
                self._note_remembered(found, replaced, removed)

    def _note_remembered(self, found: Any, replaced: bool, removed: list[tuple[dict[Any, Any], Any]]) -> None:
        """Notes what the next call would read: a traced value in the place of another one, or in a place where the program found nothing, as cached_property
        does. `found`: what had changed before both were taken back."""
        if replaced:
            found = found if isinstance(found, str) else self.reads.check()
            self.remembers = found if isinstance(found, str) else self.remembers
        missing = [name for place in removed if (name := _C._reads_missing(self.reads, *place))]
        if missing:
            self.remembers = f"{missing[0]} was missing and is a traced value"

    def _add_output(self, result: Any) -> None:
        flat = isinstance(self.graph._codegen, _PyTreeCodeGen)
        output = self.create_arg(result)
        map_aggregate(output, _check_result)
        for name in self._constants:
            self._check_constant(name)
        self.output_form = output  # as the function returns it; the graph itself has tuples in place of namedtuples
        node = self.create_node("output", "output", (output,), {}, type_expr=None if flat else self._hints.get("return"))
        namedtuples = namedtuples_in(output)
        if namedtuples:
            node.meta["namedtuples"] = namedtuples

    def _check_mutable_operations(self) -> None:
        for node in self.graph.nodes:
            if node.op == "call_function":
                try:
                    check_for_mutable_operation(node.target, node.args, dict(node.kwargs))
                except RuntimeError as error:
                    raise RuntimeError(f"{error}\n  {node.name} at {node.span}" if node.span else str(error)) from None

    def _run(self, function: Any, args: tuple[Any, ...]) -> Any:
        if self.control_flow != "keep" or not _C._machine_supported():
            return function(*args)
        with Kept(self) as kept:
            self._texts_made = kept.texts.made
            result = _C._run_keeping_proxies(kept, self.graph, function, args, self.reads, self.traced_program)
        if kept.refused is not None:
            raise kept.refused
        return result

    # The hook of nn.Module: calls and reads of attributes while this traces.
    def call(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        proxy = self._leaf_node(module, args, kwargs) if self._plain else None
        if proxy is not None:
            return proxy
        if module not in self._paths and not self._has_own_path(module):  # made while tracing, or of another program: its code is traced, its tensors are constants
            return module._call_impl(*args, **kwargs)
        self._patches.look_in(getattr(type(module).forward, "__globals__", {}))
        forward = functools.partial(_C._watched, module._call_impl) if "call_module" in vars(self) else module._call_impl
        return self.call_module(module, forward, args, kwargs)

    def _has_own_path(self, module: Module) -> bool:
        """Whether the user's path_of_module gives a path to a module that was made while tracing, as transformers' tracer does. It is asked once for a module."""
        if type(self).path_of_module is Tracer.path_of_module:
            return False
        try:
            path = self.path_of_module(module)
        except NameError:
            return False
        self._paths[module], self._modes[module] = path, module.training
        return True

    @_C._natively
    def _leaf_node(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy | None:
        """Records the call of a layer as call_module does, at once. None if it is no leaf of the traced module."""
        path = self._paths.get(module)
        if path is None:
            return None
        if not self._is_leaf(module, path):
            self._no_leaf = module
            return None
        if self._switched or module.training is not self._modes[module]:
            self._check_mode(module, path)
        if (
            self._plain_arguments
            and not self.unread
            and not _notes.notes
            and self.grad_mode == _C._grad_mode()
            and self.autocast_enabled == _C._is_autocast_enabled()
        ):
            node_args = _C._node_argument(self, args, self.has_blocks)
            node = self.graph.create_node("call_module", path, node_args, _C._node_argument(self, kwargs, self.has_blocks) if kwargs else {})
            proxy = self.proxy(node)
        else:
            proxy = self.create_proxy("call_module", path, args, kwargs)
        self._calls.leaves.append(proxy)
        return proxy

    def _has_new_hooks(self, module: Module) -> bool:
        """Whether the program has put a hook on the layer. It runs now, so the graph has what the layer and the hook compute."""
        return bool(module._forward_hooks or module._forward_pre_hooks) and _hooks_of(module) != self._hooks.get(module, ())

    @_C._natively
    def _is_leaf(self, module: Module, path: str) -> bool:
        if (module._forward_hooks or module._forward_pre_hooks) and self._has_new_hooks(module):
            return False
        if self._leaf_classes is None or "__module__" in module.__dict__:
            return self.is_leaf_module(module, path)
        kind = type(module)
        found = self._leaf_classes.get(kind)
        if found is None:
            found = self._leaf_classes[kind] = self.is_leaf_module(module, path)
        return found

    def refuse_unused(self) -> None:
        """The function may ask which gradients are None."""
        raise TraceError(
            f"torch.autograd.grad(..., allow_unused=True) gives None for some inputs, and a symbolic trace does not know for which:\n  {_user_line()}\n"
            "Add materialize_grads=True, which gives zeros, or use torch.jit.trace"
        )

    @_C._natively
    def mode_asked(self, question: Any, on: bool) -> None:
        """The function has asked for a mode of the thread: the graph holds for that one, and checks it. A call in the same process has a graph for each."""
        if not self.tracing or self.reads is None:
            return
        from .._ops import ops

        op = ops.aten.is_grad_enabled.default if question.__name__ == "is_grad_enabled" else ops.prim.is_inference_mode_enabled.default
        asked = self.create_proxy("call_function", op, (), {})
        self.create_proxy("call_function", check_mode, (asked, on, f"torch.{question.__name__}()"), {})

    def mode_set(self, module: Module) -> None:
        """The function has called train() or eval() of a module."""
        if self.tracing:
            self._switched.add(module)

    @_C._natively
    def _check_mode(self, module: Module, path: str) -> None:
        """A layer is called in the mode that it has when the graph runs, which is not one that the function gives it."""
        if module in self._switched or module.training != self._modes.get(module, module.training):
            raise TraceError(
                f"the function switches the mode of {path} by train() or eval(), and a graph calls it in the mode that it has then:\n  {_user_line()}\n"
                "Switch it outside, call a function with its mode (F.dropout(x, training=False)), or use torch.jit.trace"
            )

    def make(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """torch.zeros(3), torch.rand(2): made when the graph runs, not frozen when it is traced. So is what is made of lists of proxies: torch.cat([x, y])."""
        own = proxy_with_own_calls((args, kwargs))
        return call_of(self, function, args, kwargs) if own is None else type(own).__torch_function__(function, (type(own),), args, kwargs)

    def lost(self, done: str) -> None:
        """Raises where the program does something that the graph would not do."""
        if self.reads is not None:
            raise TraceError(
                f"the function {done}, and a run of the graph would not:\n  {_user_line()}\nDo it outside of the function, or use torch.compile. "
                'on_change="ignore" leaves it out, as torch.fx does'
            )

    def make_constant(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """torch.tensor(...): a constant, until the function writes to one. dtype and device may be those of a traced tensor."""
        traced = {k: v for k, v in kwargs.items() if k in ("dtype", "device") and isinstance(v, Proxy)}
        constant_kwargs = {k: v for k, v in kwargs.items() if k not in traced}
        if _tracer_of((args, constant_kwargs)) is not None:
            return _C.tensor(*args, **kwargs)  # made of numbers that the graph computes, so it is a node
        tensor: Any = _C.tensor(*args, **constant_kwargs)
        if "dtype" in traced and tensor.dtype == _C._get_default_dtype():  # the dtype that it gets may hold all 53 bits of a Python float
            tensor = _C.tensor(*args, **constant_kwargs, dtype=_C._dtypes["float64"])
        if self._copies_constants or tensor._requires_grad:
            tensor = self.create_proxy("call_method", "clone" if self._copies_constants else "detach", (tensor.detach(),), {})
        if kwargs.get("requires_grad"):
            tensor = self.create_proxy("call_method", "requires_grad_", (tensor,), {})
        dtype = traced.get("dtype")
        if isinstance(dtype, Attribute) and dtype.attr == "dtype":  # x.dtype: to(x) needs no node that reads it
            return self.create_proxy("call_method", "to", (tensor, dtype.root), {})
        return self.create_proxy("call_method", "to", (tensor,), traced) if traced else tensor

    @property
    def gives_submodules(self) -> bool:
        """Whether a submodule that the program reads is what it gets: the user's tracer has no getattr of its own."""
        return type(self).getattr is Tracer.getattr

    @_C._natively
    def read(self, module: Module, name: str, value: Any) -> Any:
        if isinstance(value, Module) and self.gives_submodules:
            return value
        return self.getattr(name, value, self._cache)

    def write(self, module: Module, name: str, value: Any) -> bool:
        """self.NAME = value. True where the value is the buffer itself, written in place (self.steps += 1). Raises for another traced value."""
        if not isinstance(value, Proxy):
            return False
        path = self._attributes.get(id(module._buffers.get(name, module._parameters.get(name))))
        if path is not None and _written_tensor(value.node) == path:
            return True
        raise TraceError(forgotten(name, f" ({value.node.name})"))

    def _arguments(self, function: Any, module: Any, concrete: dict[str, Any] | tuple[Any, ...]) -> tuple[Any, list[Any]]:
        """The function and the arguments to call it with: each parameter is a placeholder, which keeps the default."""
        parameters = list(inspect.signature(function).parameters.values())
        args: list[Any] = []
        if module is not None:
            if not parameters or parameters[0].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                raise RuntimeError(f"``self`` argument cannot be part of *args expansion! Write {function.__qualname__}(self, *args)")
            args.append(module)
            parameters = parameters[1:]
        variadic = [p for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        self._hints = hints_of(function)
        if isinstance(concrete, tuple) and concrete and len(variadic) == len(parameters) and module is not None:
            return function, [*args, *(flat_argument(self, k, value) for k, value in enumerate(concrete))]
        if isinstance(concrete, tuple):
            names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            if len(names) != len(concrete):
                raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(concrete)} concrete arguments")
            concrete = dict(zip(names, concrete, strict=True))
        keywords: dict[str, Any] = {}
        starred: list[Any] = []  # one proxy for all of *args, and one for all of **kwargs
        for p in parameters:
            if p.name in self.variadic_inputs:
                inputs = {n: self.create_proxy("placeholder", n, (), {}) for n in self.variadic_inputs[p.name]}
                if p.kind is p.VAR_KEYWORD:
                    keywords.update(inputs)
                else:
                    args.extend(inputs.values())
            elif p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                starred.append(self.create_proxy("placeholder", "*" * (1 + (p.kind is p.VAR_KEYWORD)) + p.name, (), {}))
            elif p.kind is p.KEYWORD_ONLY:
                keywords[p.name] = self._argument(p, concrete)
            else:
                args.append(self._argument(p, concrete))
        self._drop_defaults_before_others()
        known = {p.name for p in parameters}
        if any(node_type(value) in NODES for name, value in concrete.items() if name in known):
            return self._flat_arguments(function, module, args, keywords, starred)
        if starred:
            return _without_stars(function), [*args, *keywords.values(), *starred]
        if not keywords:
            return function, args
        call = functools.partial(function, **keywords)
        call.__annotations__ = getattr(function, "__annotations__", {})  # which tracers of packages read
        return call, args

    def _flat_arguments(
        self, function: Any, module: Any, args: list[Any], keywords: dict[str, Any], starred: list[Any]
    ) -> tuple[Any, list[Any]]:
        """What create_args_for_root gives where concrete_args took arguments apart: a function of their leaves. It runs the hooks of the module."""
        parameters = list(inspect.signature(function).parameters.values())
        stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        named = [k for k, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY]
        rest = [k for k, p in enumerate(parameters) if p.kind in stars]
        positional, others = iter(args), iter(starred)
        values = [next(others) if k in rest else keywords[p.name] if k in named else next(positional) for k, p in enumerate(parameters)]
        names = [stars.get(p.kind, "") + p.name for p in parameters]
        starless = _without_stars(function) if starred else None

        def call(*given: Any) -> Any:
            first = [v for k, v in enumerate(given) if k not in named and k not in rest]
            if starless is not None:
                return starless(*first, *(given[k] for k in named), *(given[k] for k in rest))
            return function(*first, **{parameters[k].name: given[k] for k in named})

        if module is None:
            return flat_function(self.graph, names, values, call)
        self._calls_hooks = True
        names[0] = "self"
        return flat_function(self.graph, names, values, lambda root, *given: root._with_hooks(functools.partial(call, root), given, {}))

    def _drop_defaults_before_others(self) -> None:
        """Removes the defaults of inputs before one without a default: a graph has positional inputs only, of which Python allows no default before a required one."""
        found_required = False
        for node in reversed(self.graph.nodes):
            if node.op == "placeholder" and not node.target.startswith("*"):
                if found_required and node.args:
                    node.args = ()
                found_required = found_required or not node.args

    def _argument(self, p: inspect.Parameter, concrete: dict[str, Any]) -> Any:
        if p.name in self.bound:
            return self.bound[p.name]
        if p.name in concrete:
            return concrete_argument(self, p, concrete[p.name])
        default = () if p.default is p.empty else (p.default,)
        return self.create_proxy("placeholder", p.name, default, {}, type_expr=self._hints.get(p.name))


graph_module._tracer = Tracer


def _endless_recursion(error: RecursionError, called: list[str]) -> RecursionError:
    """The error for a function or modules that call each other without end."""
    modules = list(dict.fromkeys(repr(path) if path else "the root" for path in reversed(called)))
    through = f"the modules {' -> '.join([*modules, modules[0]])}" if modules else "its functions"
    lines = [
        f"{f.f_code.co_filename}:{n}: {linecache.getline(f.f_code.co_filename, n).strip()}"
        for f, n in traceback.walk_tb(error.__traceback__)
        if _is_users(f.f_code.co_filename)
    ]
    where = "\n".join(f"  {line}" for line in dict.fromkeys(lines[-12:]))
    return RecursionError(
        f"symbolic_trace: the function calls itself without end, through {through}:\n{where}\n"
        "A recursion ends by a number that is known while it is traced. Fix it with concrete_args, or write a loop with torch.while_loop"
    )


def _written_tensor(node: Node) -> str | None:
    """The attribute that a chain of in-place operators has written and returns; None where a new tensor is returned."""
    # x @= y makes a new tensor.
    in_place = [
        getattr(operator, name) for name, _, form in _C._python_operators() if form == "inplace" and hasattr(_C.TensorBase, f"__{name}__")
    ]
    while node.op != "get_attr":
        method = node.op == "call_method" and node.target.endswith("_") and not node.target.endswith("__")
        if not (method or (node.op == "call_function" and node.target in in_place)) or not isinstance(node.args[0], Node):
            return None
        node = node.args[0]
    return node.target


def _without_stars(function: Any) -> Any:
    """The function with *args and **kwargs as plain arguments at its end: one proxy stands for all that a call will give, as in torch.fx."""
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    if code is None or hasattr(plain, "__wrapped__"):
        own = inspect.unwrap(plain) if callable(plain) else plain
        place = f" at {own.__code__.co_filename}:{own.__code__.co_firstlineno}" if hasattr(own, "__code__") else ""
        raise NotImplementedError(
            f"symbolic_trace cannot record the *args and **kwargs of {getattr(own, '__qualname__', function)}{place}, because it is decorated, or is no Python function; "
            "use torch.capture or torch.jit.trace with example inputs, which say how many arguments there are"
        )
    stars = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    count = (
        code.co_argcount + code.co_kwonlyargcount + sum(bool(code.co_flags & star) for star in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    )
    code = code.replace(co_flags=code.co_flags & ~stars, co_argcount=count, co_kwonlyargcount=0, co_posonlyargcount=0)
    starless = types.FunctionType(code, plain.__globals__, plain.__name__, None, plain.__closure__)
    return functools.partial(starless, function.__self__) if plain is not function else starless


CONTROL_FLOW = ("keep", "error")


def symbolic_trace(
    root: Any,
    concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    *,
    control_flow: str = Tracer.control_flow,
    on_change: str = "raise",
) -> GraphModule:
    """The function as a GraphModule: its forward run once on proxies.

    control_flow: what becomes of a branch or loop on a traced value. "keep" keeps both sides of the branch, and the loop, in the graph. "error" raises an error
    that names the line. What cannot be kept is an error, too.
    on_change: what a call does when something that the function read outside of its arguments has changed since, such as a global or an attribute: "raise"
    (the default) raises an error, "recapture" captures the function again, "ignore" runs the graph, as torch.fx does. A call in another mode (train() or
    eval() of the result) has a capture of its own.

    Example:
        gm = torch.fx.symbolic_trace(model)
        print(gm.graph, gm.code)
        gm(x)
    """
    if control_flow not in CONTROL_FLOW:
        raise ValueError(
            f"symbolic_trace: control_flow must be one of {', '.join(map(repr, CONTROL_FLOW))}, but got {control_flow!r}. A symbolic trace has no values to guard or to freeze"
        )
    if isinstance(root, type) and issubclass(root, Module):
        raise TypeError(f"symbolic_trace got the class {root.__name__}, not an instance of it; call the class first: symbolic_trace({root.__name__}(...))")
    if not callable(root):
        raise TypeError(f"symbolic_trace: expected a function or a module, but got {type(root).__name__}")
    if concrete_args is not None and not isinstance(concrete_args, (dict, tuple)):
        raise TypeError(
            f"symbolic_trace: concrete_args must be a dict or tuple of fixed arguments, but got {type(concrete_args).__name__}. A symbolic trace takes no example "
            "inputs: write symbolic_trace(f), or torch.jit.trace(f, x)"
        )
    checked(on_change, "symbolic_trace")
    tracer = Tracer()
    tracer.control_flow = control_flow
    tracer.reads = _C._reads() if on_change != "ignore" and control_flow == "keep" and _C._machine_supported() else None
    grad_enabled = _C._is_grad_enabled()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", type(root).__name__)
    module = GraphModule(tracer.root, graph, name)
    if tracer.reads is not None:
        recapture = functools.partial(symbolic_trace, concrete_args=concrete_args, control_flow=control_flow, on_change=on_change)
        CapturedReads(root, tracer.reads, on_change, recapture, tracer.remembers, grad_enabled).belongs_to(module)
    return module


def _hooks_of(module: Module) -> tuple[Any, ...]:
    return (*module._forward_pre_hooks, *module._forward_hooks)


def is_fx_tracing() -> bool:
    """Whether a function runs on proxies now, on this thread."""
    hook = _C._capture_hook()
    return bool(globals().get("_is_fx_tracing_flag")) or (isinstance(hook, TracerBase) and hook.tracing)


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    """Makes leaves of the functions that torch.fx.wrap("name") names, until the patcher's block ends: for a tracer that patches by itself."""
    for (_, name), names in list(_wrapped_fns_to_patch.items()):
        original = names.get(name, getattr(builtins, name, None))
        if original is None:
            raise KeyError(name)
        patcher.patch(names, name, _create_wrapped_func(original))
    _patch_wrapped_methods(patcher)


def __getattr__(name: str) -> Any:
    if name == "_is_fx_tracing_flag":  # torch.fx's, which packages read, or set for their own tracers
        return is_fx_tracing()
    if name == "CURRENT_PATCHER":
        return _patching.CURRENT_PATCHER
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def is_fx_symbolic_tracing() -> bool:
    """is_fx_tracing(), outside of torch.compile."""
    return is_fx_tracing()


def is_fx_tracing_warning() -> None:
    """Logs what is_fx_tracing() means."""
    logging.getLogger(__name__).warning(
        "is_fx_tracing() is true while symbolic_trace runs a function. In torch.compile, use torch.compiler.is_compiling()."
    )


Tracer.__module__ = ProxyableClassMeta.__module__ = "monograph.fx._symbolic_trace"
_plain_create_args.add(Tracer.create_arg)
__all__ = ["Node", "Proxy", "Tracer", "symbolic_trace", "wrap"]
