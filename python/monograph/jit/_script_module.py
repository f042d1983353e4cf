"""jit.script of a Module: its forward and methods compiled from their source, its parameters and buffers shared with the module that was scripted.

    class Net(nn.Module):                              net = torch.jit.script(Net())
        def forward(self, x):                          net(x)                    runs a graph
            for layer in self.layers:                  net.inlined_graph         every layer in place: layers.0.weight is a get_attr
                x = layer(x)                           net.eval()                the next call runs the graph of this mode
            return x

Numbers, strs and lists that a method reads, and the mode, are constants of its graph. So a graph is compiled for each state in which the module is called: after
train(), eval(), to() or an assignment in Python, the next call compiles again. An attribute that a method assigns (`self.calls += 1`) or appends to is no
constant: the graph reads and writes it in the module (_attributes.py).
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import itertools
import re
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import _C
from .._changes import changed
from .._tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import _Forward
from ..nn import Module, ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from ..nn._module_hooks import TABLES
from ._archive import ArchiveProgram, is_mgraph, write
from ._arguments import in_order, list_lengths, parameters_of, with_lists
from ._attributes import Attributes, all_attributes, declared_type, holds_itself, holds_named_tuple, run, type_of_value, unassignable
from ._classes import name_results, object_classes, returned_type, type_text
from ._compile import _Host, _PrintedNames, compile_class, functions_of_text
from ._constants import Printed, ran
from ._marks import Attribute, FunctionModifiers, ScriptModule, modifier_of
from ._schema import schema_of
from ._wrappers import looked_through
from ._wrong_inputs import describe

# The attributes that every Module has.
_OWN = {"training", "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_is_full_backward_hook", *TABLES}
_LISTS = (ModuleList, Sequential, ParameterList)
_DICTS = (ModuleDict, ParameterDict)
_STATE = ("__getstate__", "__setstate__")
_LISTINGS = {
    "children", "modules", "named_children", "named_modules", "parameters", "named_parameters", "buffers", "named_buffers",
}  # fmt: skip
_OF_PYTHON = (FunctionModifiers.IGNORE, FunctionModifiers.UNUSED, FunctionModifiers.COPY_TO_SCRIPT_WRAPPER)
_MOST_STATES = 8  # graphs are kept for this many states
_BARE = "forward without hooks"  # what module.forward(x) runs; a call of the module runs the graph of "forward", in which the hooks are
_ONE_PLAIN = r"(Optional\[)?(int|float|bool|str)\]?"
_ANY_PLAIN = r"(List|Dict|Tuple|Optional|list|dict|tuple|int|float|bool|str|[\[\](), ])+"


class _Super:
    """super() in a method of class `cls`: the module, and the classes after `cls` in the method resolution order."""

    def __init__(self, module: RecursiveScriptModule, cls: type):
        order = module._scripted_class.__mro__
        self.module, self.classes = module, order[order.index(cls) + 1 :]


class _Owner:
    """The attributes of a module that is scripted, as those of the original."""

    def __init__(self, module: RecursiveScriptModule):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        attributes = self._module._attributes
        return attributes[name] if name in attributes else getattr(self._module._scripted_class, name)


class _ModuleHost(_Host):
    """A host that also answers questions about modules. Paths begin at the module whose method is compiled."""

    def __init__(self, root: RecursiveScriptModule):
        super().__init__()
        self.paths = {id(module): path for path, module in root.named_modules()}
        self.traced: dict[int, Module] = {}  # by the number that stands for it: a traced or loaded module, or a part of one
        self.bare = False  # True: the hooks of the root are left out
        self.modes_run = False  # True: the graph reads the mode when it runs; False: the mode is a constant
        self.called: set[tuple[int, str]] = set()  # the methods that the compiled code calls: (id of the module, name)
        self.methods: dict[int, Graph] = {}  # by the id of a module, its forward, if that is compiled as a method of its own

    def compiled(self, number: int) -> Graph | None:
        """The graph of a module's forward, if it is called as a method; None if it is compiled in place."""
        obj = self.objects[number]
        return self.methods.get(id(obj)) if isinstance(obj, RecursiveScriptModule) else None

    def told(self, obj: Any) -> tuple[str, Any]:
        if isinstance(obj, (RecursiveScriptModule, _Super)):
            return ("module", self.add(obj))
        graph = getattr(obj, "_graph_for_script", None)
        if graph is not None and id(obj) in self.paths:  # a traced or loaded module
            return self._traced(graph(), obj)
        if isinstance(obj, dict) and (not obj or type_of_value(obj) is not None):
            return ("dict", [(self.told(k), self.told(v)) for k, v in obj.items()])
        return super().told(obj)

    # Modules ---------------------------------------------------------------------------------------------------------------------------------

    def attribute(self, owner: int, name: str) -> tuple[str, Any]:
        obj = self.objects[owner]
        if isinstance(obj, RecursiveScriptModule):
            return self._held(obj, name) or self._of_class(obj, obj._scripted_class.__mro__, name)
        if isinstance(obj, _Super):
            return self._held(obj.module, name) or self._of_class(obj.module, obj.classes, name)
        if owner in self.traced:
            return self._of_traced(self.traced[owner], name)
        return super().attribute(owner, name)

    def _traced(self, stands_for_it: Any, module: Module) -> tuple[str, Any]:
        number = self.add(stands_for_it)
        self.traced[number] = module
        return ("graph", (number, self.paths[id(module)]))

    def _of_traced(self, module: Module, name: str) -> tuple[str, Any]:
        """A parameter, buffer or part of a traced or loaded module."""
        for table in (module._parameters, module._buffers):
            if name in table:
                return self._tensor(module, name, table[name])
        part = module._modules.get(name)
        return ("missing", None) if part is None or id(part) not in self.paths else self._traced(part, part)

    def graph(self, number: int) -> Graph:
        if isinstance(self.objects[number], Module):
            path = self.paths[id(self.objects[number])]
            raise NotImplementedError(f"'{path}' is a part of a traced or loaded module, which a script calls as a whole; trace or script '{path}' by itself")
        return super().graph(number)

    def _held(self, module: RecursiveScriptModule, name: str) -> tuple[str, Any] | None:
        """The description of an attribute of the instance: a tensor, a submodule, the mode or another value. None if the instance has no such attribute."""
        if name in module._assigned.types:
            return ("state", (self.paths[id(module)], module._assigned.types[name]))
        if name in module._stated:
            return ("state", (self.paths[id(module)], module._stated[name]))
        for table in (module._parameters, module._buffers, module._script_tensors):
            if name in table:
                return self._tensor(module, name, table[name])
        if name in module._modules:
            return ("constant", None) if module._modules[name] is None else self.told(module._modules[name])
        if name == "training":
            path = self.paths[id(module)]
            return ("tensor", (f"{path}.training" if path else "training", "bool")) if self.modes_run else ("constant", module.training)
        if name not in module._attributes:
            return None
        value = module._attributes[name]
        # An empty list or dict will be filled, so it counts as an attribute that methods assign, with its declared type.
        if isinstance(value, (list, dict)) and not value and not self.assigned(self.add(module), name):
            return ("state", (self.paths[id(module)], module._assigned.types[name]))
        if isinstance(value, types.MethodType) and isinstance(value.__self__, RecursiveScriptModule):
            return ("method", (self.add(value.__func__), self.add(value.__self__)))
        if holds_itself(value):
            return ("refused", f"the attribute {name!r} is not supported in a script: {unassignable(name, value)}")
        # A NamedTuple keeps its class as an attribute that has a type; as a constant it would be a plain tuple.
        if holds_named_tuple(value) and not self.assigned(self.add(module), name):
            return self._held(module, name)
        if not isinstance(value, dict) and (constant := self._constant_object(value)) is not None:
            return constant
        # An object is the same one at every call: it lives in the module, as what is assigned does.
        classes = object_classes(value)
        if classes:
            for cls in classes:
                compile_class(cls)
            why = self.assigned(self.add(module), name)
            return ("refused", f"the attribute {name!r} is not supported in a script: {why}") if why else self._held(module, name)
        if isinstance(value, Module):
            return ("refused", f"the module '{name}' is not a submodule of {module.original_name}, which does not hold it as an attribute")
        return self.told(value)

    def assigned(self, number: int, name: str) -> str:
        """A method assigns the attribute, so graphs read and write it in the module from now on. Returns why that is not possible; "" if it is."""
        obj = self.objects[number]
        if not isinstance(obj, (RecursiveScriptModule, _Super)):
            return super().assigned(number, name)
        module: RecursiveScriptModule = obj.module if isinstance(obj, _Super) else obj
        if name == "training":
            return "train() and eval() set the mode"
        if name in module._modules:
            return "a submodule stays the one that it is"
        tables = (module._parameters, module._buffers, module._script_tensors, module._attributes)
        if not any(name in table for table in tables):
            return "the module has no such attribute; give it a value in __init__"
        value = next(table[name] for table in tables if name in table)
        type_name = module._declared.get(name) or declared_type(module._scripted_class.__mro__, name, value)
        if type_name is None:
            return unassignable(name, value)
        module._assigned.add(name, type_name)
        module.__dict__["_revision"] += 1
        return ""

    def _tensor(self, module: Module, name: str, value: Any) -> tuple[str, Any]:
        path = self.paths[id(module)]
        return ("constant", None) if value is None else ("tensor", (f"{path}.{name}" if path else name, value))

    def _of_class(self, module: RecursiveScriptModule, classes: tuple[type, ...], name: str) -> tuple[str, Any]:
        if name.endswith(".setter"):
            found = next((c.__dict__[name[: -len(".setter")]] for c in classes if name[: -len(".setter")] in c.__dict__), None)
            setter = getattr(found, "fset", None)
            return ("missing", None) if setter is None else ("method", (self.add(inspect.unwrap(setter)), self.add(module)))
        for cls in classes:
            if isinstance(cls.__dict__.get(name), (bool, int, float, str, tuple, list)):
                self._read("class", cls, name, cls.__qualname__, cls.__dict__[name])
        found = next((c.__dict__[name] for c in classes if name in c.__dict__), None)
        if found is None:
            if any(name in getattr(c, "__annotations__", {}) for c in classes):
                return ("refused", f"{module.original_name} declares '{name}', but this module has given it no value")
            return ("missing", None)
        if isinstance(found, _Forward):
            found = found.settled()
        if isinstance(found, property) and found.fget is not None:
            return ("property", (self.add(inspect.unwrap(found.fget)), self.add(module)))
        if isinstance(found, staticmethod):
            return self.told(found.__func__)
        if isinstance(found, classmethod):
            return ("refused", f"the classmethod {name}() is not supported in a script")
        if isinstance(found, types.FunctionType):
            if modifier_of(found) in (FunctionModifiers.IGNORE, FunctionModifiers.COPY_TO_SCRIPT_WRAPPER):
                return self._ignored(found)
            if name == "forward" and (why := self._other_mode(module)):
                return ("refused", why)
            why, stand_ins = looked_through(found, _Owner(module))
            if why:
                return ("refused", f"{name}() of {module.original_name}: {why}")
            if modifier_of(found) is not FunctionModifiers.UNUSED:
                self.called.add((id(module), name))
            plain = self.add(inspect.unwrap(found))
            self.stand_ins[plain] = stand_ins
            return ("method", (plain, self.add(module)))
        return self.told(found)

    def _other_mode(self, module: RecursiveScriptModule) -> str:
        """Why forward of a GraphModule is not that of this mode; "" where it is. The code of a symbolic trace that read its mode holds for one."""
        captured_reads = module._attributes.get("_captured_reads")
        mode = captured_reads.mode() if captured_reads is not None else None
        if mode is None or (mode == module.training and not self.modes_run):
            return ""
        words = {True: "training", False: "evaluation"}
        return (
            f"{module.original_name} is a symbolic trace that read its mode, and its code is that of {words[mode]}. For {words[not mode]}, script or trace the module "
            "that was traced, or its symbolic trace in that mode"
        )

    def module(self, number: int) -> tuple[Any, ...]:
        """(path, class, "" or "list" or "dict", [(key, value)], pre-hooks, hooks)"""
        obj = self.objects[number]
        if isinstance(obj, _Super):
            return ("", f"super() of {obj.module.original_name}", "", [], [], [])
        base, path = obj._scripted_class, self.paths[id(obj)]
        kind = "list" if issubclass(base, _LISTS) else "dict" if issubclass(base, _DICTS) else ""
        # A list of modules has parameters of its own, too, as that of parametrizations does.
        held = (*obj._parameters, *obj._modules) if issubclass(base, (ParameterList, ParameterDict)) else (*obj._modules,)
        items = [(k, self._held(obj, k)) for k in held] if kind else []
        of_both_kinds: tuple[list[Any], list[Any]] = ([], []) if self.bare and not path else obj._compiled_hooks
        pre_hooks, hooks = ([self.add(inspect.unwrap(hook)) for hook in of_one_kind] for of_one_kind in of_both_kinds)
        return (path, obj.original_name, kind, items, pre_hooks, hooks)

    def listing(self, number: int, method: str) -> tuple[str, Any]:
        obj = self.objects[number]
        if not isinstance(obj, RecursiveScriptModule):
            return ("missing", None)
        if issubclass(obj._scripted_class, _DICTS) and method in ("keys", "values", "items"):
            pairs = [(k, self._held(obj, k)) for k in (*obj._parameters, *obj._modules)]
            named = [(self.told(k), v) for k, v in pairs]
            return ("sequence", [k if method == "keys" else v if method == "values" else ("sequence", [k, v]) for k, v in named])
        if method not in _LISTINGS or method in vars(obj._scripted_class):
            return ("missing", None)
        listed = []
        for item in getattr(obj, method)():
            name, value = item if method.startswith("named_") else ("", item)
            described = self.told(value) if isinstance(value, Module) else self._owned(value)
            listed.append(("sequence", [self.told(name), described]) if method.startswith("named_") else described)
        return ("sequence", listed)

    def _owned(self, tensor: Tensor) -> tuple[str, Any]:
        for module in (m for m in self.objects if isinstance(m, RecursiveScriptModule)):
            for inner in (m for m in module.modules() if isinstance(m, RecursiveScriptModule)):
                for name, value in (*inner._parameters.items(), *inner._buffers.items()):
                    if value is tensor:
                        return self._tensor(inner, name, value)
        raise AssertionError("the tensor belongs to a module")

    def is_instance(self, number: int, scope: int, name: str) -> bool:
        if not isinstance(self.objects[number], RecursiveScriptModule):
            return super().is_instance(number, scope, name)
        cls = self._named_in(scope, name)
        return isinstance(cls, type) and issubclass(self.objects[number]._scripted_class, cls)

    def super_of(self, number: int, scope: int) -> tuple[str, Any]:
        if not isinstance(self.objects[number], RecursiveScriptModule):
            return super().super_of(number, scope)
        function = self.objects[scope]
        names = function.__code__.co_freevars
        if "__class__" not in names:
            return ("refused", "super() is allowed only in a method of a class")
        return self.told(_Super(self.objects[number], function.__closure__[names.index("__class__")].cell_contents))


class _StateHost(_ModuleHost):
    """A host for __getstate__ and __setstate__, which an archive runs: the one assigns attributes that other methods have as parameters or constants."""

    def __init__(self, root: RecursiveScriptModule):
        super().__init__(root)
        self.root, self.set, self.modes_run = root, dict[str, str](), True

    def _held(self, module: RecursiveScriptModule, name: str) -> tuple[str, Any] | None:
        if module is self.root and name in self.set:
            return ("state", (self.paths[id(module)], self.set[name]))
        return super()._held(module, name)

    def assigned(self, number: int, name: str) -> str:
        module = self.objects[number]
        own = module is self.root and (name == "training" or name in module._parameters or name in module._buffers)
        if not own:
            return super().assigned(number, name)  # all methods read it in the module then
        self.set[name] = "bool" if name == "training" else "Tensor"
        return ""


class _PrintedModuleHost(_PrintedNames, _ModuleHost):
    """A host for code that people read. The code reads the numbers and the mode of a module, unless the class declares them as constants."""

    def _held(self, module: RecursiveScriptModule, name: str) -> tuple[str, Any] | None:
        found = super()._held(module, name)
        if found == ("constant", None) and (name in module._parameters or name in module._buffers):
            return ("state", (self.paths[id(module)], "NoneType"))  # PyTorch reads these too
        if found is None or found[0] != "constant" or found[1] is None or name in module._modules:
            return found
        if name != "training" and _is_constant(module._scripted_class, name):
            return found
        type_name = "bool" if name == "training" else declared_type(module._scripted_class.__mro__, name, found[1])
        return found if type_name is None else ("state", (self.paths[id(module)], type_name))


def _is_constant(cls: type, name: str) -> bool:
    """Whether a class declares the attribute in `__constants__` or as Final. All attributes of the library's own layers are constants."""
    for base in cls.__mro__:
        if base is Module:  # no class of the user's or of a layer comes after it
            return False
        if base.__module__.startswith(("monograph.", "torch.")):  # of torch where Monograph stands in for it
            return True
        if name in vars(base).get("__constants__", ()) or "Final" in str(vars(base).get("__annotations__", {}).get(name, "")):
            return True
    return False


class CompiledMethod(Printed):
    """A method of a scripted module: call it, or look at the graph of the mode that the module is in."""

    def __init__(self, owner: RecursiveScriptModule, name: str, runs: str = ""):
        self._owner, self.name, self.__name__ = owner, name, name
        self._runs = runs or name  # which graph a call runs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _C._capture_hook() is not None:
            from ..fx.proxy import _tracer_of

            tracer = _tracer_of(args) or _tracer_of(kwargs)
            if tracer is not None:  # in a symbolic trace it is one node, as in torch.fx
                calls_module = self.name == "forward" and self._runs != _BARE and self._owner._is_hooked()
                return tracer.create_proxy("call_method", "__call__" if calls_module else self.name, (self._owner, *args), kwargs)
        graph, _, names, _, _, restored = self._owner._entry(self._runs)
        try:
            if kwargs:
                original = self._owner._function(self.name)
                args = in_order(self.name, names, args, kwargs, parameters_of(original), graph)
            if lengths := self._owner._list_lengths.get(self._runs):
                args = with_lists(names, args, lengths)
            ran(graph)
            assigned = self._owner._all_assigned()
            result = run(graph, args, assigned) if assigned else graph(*args)
        except _C._WrongInput as error:
            describe(error, self.name, lambda: self.schema, args)
            raise
        return result if restored is None else _C._restored(result, restored)

    @property
    def graph(self) -> Graph:
        """The method, in which calls of submodules are calls of their methods."""
        return self._owner._compiled(self.name)[1]

    @property
    def inlined_graph(self) -> Graph:
        """The method with everything in place: the graph that runs, is saved and hashed."""
        return self._owner._compiled(self.name)[0]

    @property
    def owner(self) -> RecursiveScriptModule:
        return self._owner

    @property
    def schema(self) -> Any:
        """The FunctionSchema: names, types and defaults of the arguments, and the type of the result."""
        return schema_of(self.name, self.inlined_graph, self._owner)

    def _text_graph(self) -> Graph:
        printed = self._owner._printed(self.name)
        return self.graph if printed is None else printed

    def __repr__(self) -> str:
        return f"<torch.ScriptMethod {self.name} of {self._owner.original_name}>"


def _reads_mode(graph: Graph) -> bool:
    return any(n.op == "get_attr" and str(n.target).rpartition(".")[2] == "training" for n in graph.nodes(recursive=True))


class RecursiveScriptModule(Printed, ScriptModule):
    """A Module that jit.script has compiled. It shares parameters and buffers with the original module; its mode and attributes are its own.

    graph, inlined_graph and code are those of forward. Methods that forward calls or that are marked with jit.export are attributes, each with a graph.
    An attribute that is assigned is a constant of the graphs that are compiled next.
    """

    _scripted_class: type
    _script_tensors: dict[str, Tensor]
    _attributes: dict[str, Any]
    _reads: dict[Any, Any]
    _compiled_hooks: tuple[list[Callable[..., Any]], list[Callable[..., Any]]]
    _revision: int
    _assigned: Attributes
    _stated: dict[str, str]  # while a program is made that is saved: the types of attributes that it reads, where a graph of this process has constants
    _named_parts: Any  # of the result of a GraphModule, where it has NamedTuples
    original_name: str

    def __init__(self, original: Module, scripted: dict[int, RecursiveScriptModule]):
        super().__init__()
        scripted[id(original)] = self
        fields, original_fields = self.__dict__, original.__dict__
        fields["training"], fields["_scripted_class"], fields["original_name"] = original.training, type(original), type(original).__name__
        fields["_parameters"], fields["_buffers"] = dict(original._parameters), dict(original._buffers)
        fields["_non_persistent_buffers_set"] = set(original._non_persistent_buffers_set)
        fields["_modules"] = {name: child if child is None else wrapped(child, scripted) for name, child in original._modules.items()}
        user_fields = {name: value for name, value in original_fields.items() if name not in _OWN}
        fields["_script_tensors"] = {name: value for name, value in user_fields.items() if isinstance(value, Tensor)}
        fields["_attributes"] = {name: _moved(value, scripted) for name, value in user_fields.items() if not isinstance(value, Tensor)}
        for table in ("_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs", "_forward_hooks_always_called"):
            if original_fields[table]:
                raise RuntimeError(f"a hook of {self.original_name} was registered with with_kwargs or always_call, which a script has not")
        fields["_compiled_hooks"] = (list(original._forward_pre_hooks.values()), list(original._forward_hooks.values()))
        fields["_graphs"], fields["_reads"], fields["_reached"], fields["_revision"], fields["_list_lengths"] = {}, {}, set(), 0, {}
        fields["_defined"] = []
        fields["_named_parts"] = _named_parts(original)
        fields["_declared"] = {}
        for name, value in fields["_attributes"].items():
            if isinstance(value, Attribute):
                fields["_attributes"][name], fields["_declared"][name] = value.value, type_text(value.type)
        self._keep_assigned({})

    def _keep_assigned(self, types: dict[str, str]) -> None:
        fields = self.__dict__
        fields["_stated"] = {}
        fields["_assigned"] = Attributes(
            self.original_name, [fields["_parameters"], fields["_buffers"], fields["_script_tensors"], fields["_attributes"]]
        )
        fields["_assigned"].types.update(types)

    # Compiling -------------------------------------------------------------------------------------------------------------------------------

    def _function(self, name: str) -> Any:
        found = self._attributes.get(name, getattr(self._scripted_class, name, None))
        return inspect.unwrap(getattr(found, "__func__", found)) if callable(found) else None

    def _state(self) -> tuple[Any, ...]:
        """The state for which a graph is compiled: modes, assigned attributes, and which tensors (by id) the modules hold."""
        return tuple(
            (
                m.training,
                m._revision,
                *(id(t) for table in (m._parameters, m._buffers, m._script_tensors) for name, t in table.items() if name not in m._assigned.types),
            )
            for m in self.modules()
            if isinstance(m, RecursiveScriptModule)
        ) + tuple(id(m._graph_for_script()) for m in self.modules() if hasattr(m, "_graph_for_script") and getattr(m, "_place", 0) == 0)

    def _caches(self) -> list[dict[Any, Any]]:
        """What is filled while methods are compiled, which is no state of the module."""
        return [self._graphs, self._reads, self._list_lengths]

    def _all_assigned(self) -> list[Attributes]:
        """The attributes that methods of this module and of its submodules assign."""
        return all_attributes(self.modules())

    def _values(self) -> list[tuple[str, str, Any]]:
        """(name, type, value) of each attribute that methods assign, except parameters and buffers; and of those that a saved program reads."""
        types = {**self._stated, **self._assigned.types}
        return [(name, types[name], self._attributes[name]) for name in types if name in self._attributes]

    def _compiled(self, name: str) -> tuple[Graph, Graph, list[str]]:
        graph, methods, names, *_ = self._entry(name)
        return graph, methods, names

    def _name_results(self, name: str, graphs: tuple[Graph, ...]) -> None:
        """The forward of a GraphModule has tuples in its code where the program that it was traced from has NamedTuples."""
        if name == "forward" and self._named_parts is not None:
            for graph in graphs:
                name_results(graph, self._named_parts, refuses=False)

    def _entry(self, name: str) -> tuple[Graph, Graph, list[str], list[Tensor], tuple[int, int], str | None]:
        """A method in the present state: the graph that runs, the graph with calls of submodules, the names of inputs, the tensors that are kept alive, the versions
        of both graphs, and the return type for _C._restored."""
        graphs: dict[Any, Any] = self._graphs
        key = (name, self._state())
        reads = self._reads.get(key) if key in graphs else None
        if reads is not None and (changes := reads.check()) is not None:  # a global or a class attribute, which is a constant of the graph, has changed
            if graphs[key][0]._version != graphs[key][4][0]:
                way_out = "The graph has been edited. Script the module again, and edit that graph"
                raise changed("torch.jit.script", f"{name}() of {self.original_name}", changes, way_out, False)
            del graphs[key]
        if key not in graphs:
            if any(other == name and entry[0]._version != entry[4][0] for (other, _), entry in graphs.items()):
                raise RuntimeError(
                    f"the graph of {name}() was edited, and {self.original_name} is in another state since then: its mode, a tensor or an attribute is another "
                    "one, for which another graph would be compiled. Set the state first, and then edit the graph"
                )
            if len(graphs) >= _MOST_STATES * (1 + len(self._reached)):
                graphs.clear()
                self._reads.clear()
            host = _ModuleHost(self)
            host.bare = name == _BARE
            told = host.attribute(host.add(self), "forward" if host.bare else name)
            if told[0] != "method":
                raise RuntimeError(told[1] if told[0] == "refused" else f"{self.original_name} has no method {name}() to compile")
            flat, methods = _C._script_method(host, *told[1], self)
            self._name_results(name, (flat, methods))
            self._reached.update(method for owner, method in host.called if owner == id(self))
            # The key has the ids of tensors. They are kept alive, so that no other tensor gets such an id.
            tensors = [*self.parameters(), *self.buffers()]
            key = (name, self._state())  # compiling may have found attributes that methods assign, which changes the state
            if not any(n.op in ("call_module", "call_method") for n in methods.nodes(recursive=True)):
                methods = flat  # it calls no submodule
            versions = (flat._version, methods._version)
            self._reads[key] = host.reads
            graphs[key] = (flat, methods, [str(n.target) for n in flat.nodes if n.op == "placeholder"], tensors, versions, returned_type(flat))
            if name not in self._list_lengths:  # those of a method never change, and a trace that calls it has read them
                self._list_lengths[name] = list_lengths(self._function("forward" if host.bare else name))
        entry: tuple[Graph, Graph, list[str], list[Tensor], tuple[int, int], str | None] = graphs[key]
        flat, methods, *_, versions, _ = entry
        if methods is not flat and methods._version != versions[1]:
            raise NotImplementedError(
                f"the graph of {name}() was edited, which shows calls of submodules; edit inlined_graph, which is what runs and what is saved"
            )
        return entry

    def _printed(self, name: str) -> Graph | None:
        """The method as a graph for people to read; None if its graph was edited, or if it cannot be compiled in this form."""
        flat, *_, versions, _ = self._entry(name)
        if flat._version != versions[0]:
            return None
        host = _PrintedModuleHost(self)
        told = host.attribute(host.add(self), name)
        try:
            printed: Graph = _C._script_printed(host, *told[1], self)
        except (RuntimeError, NotImplementedError):  # for example, the code for the other mode cannot be compiled
            return None
        return printed

    def define(self, src: str, rcb: Any = None) -> None:
        """Methods from their text, which is that of functions with self as the first parameter.

        torch and math are the names that it may use, and those that rcb(name) answers. RuntimeError, with nothing changed, for what does not compile.

        >>> scripted = torch.jit.script(torch.nn.Linear(1, 1))
        >>> scripted.define("def twice(self, x): return 2 * self.forward(x)")
        >>> scripted.twice(torch.ones(1)).shape
        torch.Size([1])
        """
        functions = functions_of_text(src, rcb)
        for name in functions:
            if self._function(name) is not None:
                raise RuntimeError(f"method '{name}' already defined: {self.original_name} has one of this name")
        fields = self.__dict__
        before = set(fields["_reached"])
        methods = {name: types.MethodType(function, self) for name, function in functions.items()}
        fields["_attributes"].update(methods)
        fields["_defined"] = [*fields["_defined"], (src, list(methods))]
        fields["_revision"] += 1
        fields["_reached"].update(methods)
        try:
            for name in methods:
                self._entry(name)
        except Exception:
            for name in methods:
                del fields["_attributes"][name]
            fields["_defined"], fields["_reached"] = fields["_defined"][:-1], before
            fields["_revision"] += 1
            raise

    def _exported(self) -> Iterator[str]:
        for name in dir(self._scripted_class):
            if modifier_of(inspect.getattr_static(self._scripted_class, name)) is FunctionModifiers.EXPORT:
                yield name

    def _has_forward(self) -> bool:
        return "forward" in self._attributes or getattr(self._scripted_class, "forward", None) is not Module.forward

    # What users read -------------------------------------------------------------------------------------------------------------------------

    @property
    def forward(self) -> CompiledMethod:
        """forward, compiled. Its graph has the hooks that were compiled with it, which a call of the module runs; a call of forward itself leaves them out."""
        if not self._has_forward():
            raise NotImplementedError(f"{self.original_name} has no forward")
        return CompiledMethod(self, "forward", _BARE if self._is_hooked() else "")

    def _is_hooked(self) -> bool:
        pre_hooks, hooks = self._compiled_hooks
        return bool(pre_hooks or hooks)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        return self._with_hooks(CompiledMethod(self, "forward") if self._is_hooked() else self.forward, args, kwargs)

    @property
    def _compiled_call_impl(self) -> Any:
        """What a call of the module runs, where that is not forward alone."""
        own = self.__dict__.get("_compiled_call_impl")
        return self._call_impl if own is None and self._is_hooked() else own

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        if any(name in names for _, names in fields.get("_defined", ())):
            return CompiledMethod(self, name)
        for table in ("_script_tensors", "_attributes"):
            if name in fields.get(table, {}):
                return fields[table][name]
        if name in fields.get("_reached", ()):
            return CompiledMethod(self, name)
        found = inspect.getattr_static(fields.get("_scripted_class"), name, None)
        if isinstance(found, property) and found.fget is not None:
            return found.fget(self)
        if found is not None and not isinstance(found, (types.FunctionType, classmethod)) and not name.startswith("__"):
            return getattr(fields["_scripted_class"], name)  # a constant of the class, or a staticmethod
        if isinstance(found, types.FunctionType) and modifier_of(found) in _OF_PYTHON:  # what the program leaves out is there for callers in Python
            return types.MethodType(found, self)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        for table in ("_script_tensors", "_attributes"):
            if name in fields.get(table, {}):
                fields["_revision"] += name not in fields["_assigned"].types
                fields[table][name] = value
                return
        if "_assigned" in fields and name in fields["_assigned"].types:
            super().__setattr__(name, value)
            return
        if isinstance(value, Module) and not isinstance(value, RecursiveScriptModule) and "_scripted_class" in fields:
            value = wrapped(value, {})
        if "_scripted_class" in fields and name != "training":  # the mode is a part of the state by itself
            fields["_revision"] += 1
        super().__setattr__(name, value)

    @property
    def graph(self) -> Graph:
        """forward, in which calls of submodules are calls of their methods."""
        return self.forward.graph

    @property
    def inlined_graph(self) -> Graph:
        """forward with everything in place: the graph that runs, is saved and hashed."""
        return self.forward.inlined_graph

    def _text_graph(self) -> Graph:
        graph: Graph = self.forward._text_graph()
        return graph

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the module as torch.jit.save does; a path that ends in .mgraph gets the graph of forward, which torch.load_graph reads and `monograph run` runs."""
        if is_mgraph(f):
            self._graph_of_modes().save(f)
        else:
            write(self._program(), f, _extra_files)

    def _graph_of_modes(self) -> Graph:
        """What a .mgraph file holds: forward, which reads the modes when it runs, where it compiles so and nobody has edited it; else forward in this mode."""
        graph = self.inlined_graph
        if not self._edited():
            with contextlib.suppress(RuntimeError):
                of_modes = self._program_of(["forward"], modes_run=True, calls=False, hooks=False).graph
                graph = of_modes if _reads_mode(of_modes) else graph
        for assigned in self._all_assigned():
            assigned.give()
        return graph

    def _program(self) -> ArchiveProgram:
        """All methods in one program. The methods read `self.training` when they run; if the other mode does not compile, the program has this mode only."""
        names = [*(["forward"] if self._has_forward() else []), *(name for name in sorted(self._reached) if name != "forward" and self._stands_alone(name))]
        if not names:
            raise RuntimeError(f"{self.original_name} has no forward and no method that is marked with torch.jit.export, so there is nothing to save")
        methods = self._state_methods()  # first, because what they assign the other methods read in the modules
        return self._with_states(self._program_of_names([name for name in names if name not in _STATE]), methods)

    def _has_state(self) -> bool:
        """Whether an archive holds what __getstate__ gives, of which __setstate__ makes the attributes."""
        return {*_STATE} <= {*self._exported()}

    def _state_methods(self) -> dict[str, dict[str, Graph]]:
        """__getstate__ and __setstate__ of the modules that have them, by the path of the module."""
        modules = {path: module for path, module in self.named_modules() if isinstance(module, RecursiveScriptModule) and module._has_state()}
        # What __setstate__ assigns, __getstate__ reads in the module.
        methods = {path: {name: module._state_method(name) for name in reversed(_STATE)} for path, module in modules.items()}
        for path, made in methods.items():
            given, taken = next(iter(made["__getstate__"].outputs())).type(), list(made["__setstate__"].inputs())[-1].type()
            if str(given) != str(taken):
                raise RuntimeError(f"{modules[path].original_name}: '__getstate__'s return type ({given}) does not match '__setstate__'s argument type ({taken})")
        return methods

    def _with_states(self, program: ArchiveProgram, methods: dict[str, dict[str, Graph]]) -> ArchiveProgram:
        """The program with these methods, and what each __getstate__ gives now."""
        if not methods:
            return program
        parts = [(path, name, graph) for path, made in methods.items() for name, graph in made.items()]
        states = [(path, CompiledMethod(self.get_submodule(path), "__getstate__")(), made["__getstate__"]) for path, made in methods.items()]  # type: ignore[arg-type]
        in_place = program.in_place
        later = None if in_place is None else lambda: self._with_states(in_place(), methods)
        return program._replace(parts=[*program.parts, *parts], states=states, in_place=later)

    def _state_method(self, name: str) -> Graph:
        host = _StateHost(self)
        graph: Graph = _C._script_program(host, [host.attribute(host.add(self), name)[1]], self)
        return graph

    def _program_of_names(self, names: list[str]) -> ArchiveProgram:
        edited = self._edited()
        if edited:
            return self._edited_program(names, edited)
        # The forms are tried in this order: with and without the attributes and the mode read at run time, and with and without calls of submodules' methods.
        forms = itertools.product(self._readable(), ((True, True), (True, False), (False, True)))
        for stated, (modes_run, calls) in forms:
            try:
                return self._program_of(names, modes_run, calls, stated)
            except RuntimeError:
                continue
        return self._program_of(names, modes_run=False, calls=False)

    def _stands_alone(self, name: str) -> bool:
        """Whether a method is one of the file. One that others call may take *args, or need the value of an argument to be compiled; then it is in their code alone."""
        if name in self._exported():
            return True
        try:
            self._entry(name)
        except RuntimeError:
            return False
        return True

    def _readable(self) -> list[str]:
        """Which attributes a saved program may read: all whose types TorchScript has, numbers and texts alone, or none. The first that compiles is saved."""
        modules = [m for m in self.modules() if isinstance(m, RecursiveScriptModule)]
        return [pattern for pattern in (_ANY_PLAIN, _ONE_PLAIN) if any(m._of_types(pattern) for m in modules)] + [""]

    def _of_types(self, pattern: str) -> dict[str, str]:
        """The attributes of these types, each with its type, that no method assigns and that are no constants by declaration."""
        found = {}
        for name, value in self._attributes.items() if pattern else ():
            if name in self._assigned.types or name.startswith("__") or _is_constant(self._scripted_class, name) or object_classes(value):
                continue
            type_name = self._declared.get(name) or declared_type(self._scripted_class.__mro__, name, value)
            if type_name is not None and re.fullmatch(pattern, type_name):
                found[name] = type_name
        return found

    def _program_of(self, names: list[str], modes_run: bool, calls: bool, stated: str = "", hooks: bool = True) -> ArchiveProgram:
        """hooks: those of modules are methods of their own. Else they are in forward."""
        modules = [m for m in self.modules() if isinstance(m, RecursiveScriptModule)]
        for m in modules:
            m.__dict__["_stated"] = m._of_types(stated)
            for name, type_name in m._stated.items():
                m._assigned.object.set(name, type_name, m._attributes[name])
        try:
            return self._made_program(names, modes_run, calls, stated, hooks)
        finally:
            for m in modules:
                m.__dict__["_stated"] = {}

    def _made_program(self, names: list[str], modes_run: bool, calls: bool, stated: str, hooks: bool) -> ArchiveProgram:
        while True:
            state = self._state()
            parts: list[tuple[str, str, Graph]] = []
            compiled: dict[int, Graph] = {}
            hooked: list[tuple[str, list[str], list[str]]] = []
            if calls:
                parts, compiled = self._parts(modes_run, hooked)
            own = self._hook_methods(modes_run, compiled) if hooks and "forward" in names else {}
            if own:
                hooked.append(("", *self._hook_names()))
            graph = self._compiled_program(names, modes_run, compiled, own)
            if self._state() == state:  # else an attribute that a method assigns was found, and all methods must be compiled again to read it in the module
                break
        for assigned in self._all_assigned():
            assigned.give()
        # A program with calls also has a form without them.
        in_place = (lambda: self._program_of(names, modes_run, calls=False, stated=stated, hooks=hooks)) if calls else None
        return ArchiveProgram(graph, not modes_run, parts, in_place, hooks=hooked)

    def _hook_names(self) -> tuple[list[str], list[str]]:
        before, behind = ([inspect.unwrap(hook).__code__.co_name for hook in of_one_kind] for of_one_kind in self._compiled_hooks)
        return before, behind

    def _hook_methods(self, modes_run: bool, compiled: dict[int, Graph]) -> dict[str, Any]:
        """The hooks, by the names of the methods that they become in an archive. Empty where they cannot be methods, so that forward has them."""
        found: dict[str, Any] = {}
        for hook in map(inspect.unwrap, itertools.chain(*self._compiled_hooks)):
            name = hook.__code__.co_name if isinstance(hook, types.FunctionType) else ""
            tables = (self._parameters, self._buffers, self._script_tensors, self._attributes, self._modules)
            taken = self._function(name) is not None or any(name in table for table in tables)
            if not name.isidentifier() or taken or found.setdefault(name, hook) is not hook:
                return {}
        try:
            for hook in found.values():
                self._compiled_program([], modes_run, compiled, {"": hook})
        except RuntimeError:
            return {}
        return found

    def _compiled_program(self, names: list[str], modes_run: bool, compiled: dict[int, Graph], hooks: Mapping[str, Any] | None = None) -> Graph:
        """The first method, in a program that has all of them. hooks: those that become methods, which leaves them out of forward."""
        host = _ModuleHost(self)
        host.modes_run, host.methods, host.bare = modes_run, {**compiled}, bool(hooks)
        host.methods.pop(id(self), None)
        methods = []
        for name in names:
            kind, told = host.attribute(host.add(self), name)
            if kind == "method":
                methods.append(told)
            elif name == "forward" or kind == "refused":
                raise RuntimeError(told if kind == "refused" else f"{self.original_name} has no method {name}() to compile")
        methods += [(host.add(hook), host.add(self)) for hook in (hooks or {}).values()]
        graph: Graph = _C._script_program(host, methods, self)
        if names:
            self._name_results(names[0], (graph,))
        return graph

    def _parts(self, modes_run: bool, hooked: list[tuple[str, list[str], list[str]]]) -> tuple[list[tuple[str, str, Graph]], dict[int, Graph]]:
        """The forwards of the submodules, each with calls of those of its own submodules. One that does not compile as a method is compiled where it is called."""
        parts: list[tuple[str, str, Graph]] = []
        compiled: dict[int, Graph] = {}
        for path, module in reversed(list(self.named_modules())):
            if module is self or not isinstance(module, RecursiveScriptModule) or not module._has_forward():
                continue
            own = module._hook_methods(modes_run, compiled)
            try:
                graph = module._compiled_program(["forward"], modes_run, compiled, own)
            except RuntimeError:
                continue
            parts.append((path, "forward", graph))
            if own:  # its callers have the hooks and forward in place
                parts += [(path, name, module._compiled_program([], modes_run, compiled, {name: hook})) for name, hook in own.items()]
                hooked.append((path, *module._hook_names()))
            else:
                compiled[id(module)] = graph
        return parts, compiled

    def _edited(self) -> dict[str, Graph]:
        """By name, the edited graphs of methods."""
        state = self._state()
        edited = {}
        for (name, of), (flat, methods, _, _, versions, _) in self._graphs.items():
            if methods is not flat and methods._version != versions[1]:
                raise NotImplementedError(f"jit.save: the graph of {name}() that shows calls of modules was edited; edit inlined_graph, which is what runs")
            if flat._version != versions[0]:
                if of != state:
                    raise RuntimeError(
                        f"jit.save: the graph of {name}() was edited, and the module was changed afterwards (its mode, an attribute or a tensor); do that first"
                    )
                edited[name] = flat
        return edited

    def _edited_program(self, names: list[str], edited: dict[str, Graph]) -> ArchiveProgram:
        for assigned in self._all_assigned():
            assigned.give()
        graphs = [(name, edited.get(name) or self._compiled(name)[0]) for name in names]
        modes = any(self._compiled_reads_mode(name) for name in names)
        return ArchiveProgram(_C._graphs_as_program(graphs, self), modes)

    def _compiled_reads_mode(self, name: str) -> bool:
        """Whether the graph of a method depends on the mode."""
        try:
            graph = self._compiled_program([name], True, {})
        except RuntimeError:
            return True
        return _reads_mode(graph)

    # A scripted container (ModuleList, ModuleDict, ...) behaves as one.
    def __len__(self) -> int:
        if "__len__" in self._reached:
            return int(CompiledMethod(self, "__len__")())
        if not issubclass(self._scripted_class, (*_LISTS, *_DICTS)):
            raise TypeError(f"object of type {self.original_name!r} has no len()")
        return len(self._modules) + len(self._parameters)

    def __bool__(self) -> bool:
        return bool(CompiledMethod(self, "__bool__")()) if "__bool__" in self._reached else True

    def __contains__(self, key: Any) -> bool:
        if "__contains__" in self._reached:
            return bool(CompiledMethod(self, "__contains__")(key))
        return key in iter(self)

    def __iter__(self) -> Iterator[Any]:
        if not issubclass(self._scripted_class, (*_LISTS, *_DICTS)):
            raise TypeError(f"{self.original_name!r} object is not iterable")
        items = {**self._parameters, **self._modules}
        return iter(items if issubclass(self._scripted_class, _DICTS) else items.values())

    def __getitem__(self, key: Any) -> Any:
        if "__getitem__" in self._reached:
            return CompiledMethod(self, "__getitem__")(key)
        items = {**self._parameters, **self._modules}
        if issubclass(self._scripted_class, _DICTS):
            return items[key]
        if not issubclass(self._scripted_class, _LISTS):
            raise TypeError(f"{self.original_name!r} object is not subscriptable")
        return list(items.values())[key]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy has copies of the parameters, and compiles its graphs again. With a __getstate__ and __setstate__ that are compiled, it is what a file gives."""
        if any(isinstance(module, RecursiveScriptModule) and module._has_state() for module in self.modules()):
            from ._load import load

            memo[id(self)] = copied = load(io.BytesIO(self.save_to_buffer()))
            return copied
        return self._plain_copy(memo)

    def _plain_copy(self, memo: dict[int, Any]) -> Any:
        return copy._reconstruct(self, memo, *self.__reduce_ex__(4))  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_graphs": {}, "_reads": {}, "_assigned_types": dict(self._assigned.types)}
        del state["_assigned"]
        defined = {name for _, names in self._defined for name in names}
        state["_attributes"] = {name: value for name, value in self._attributes.items() if name not in defined}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        types = state.pop("_assigned_types")
        defined, state["_defined"] = state.get("_defined", []), []
        super().__setstate__(state)
        self._keep_assigned(types)
        for src, _ in defined:
            self.define(src)

    def _get_name(self) -> str:
        return "RecursiveScriptModule"

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


def _moved(value: Any, scripted: dict[int, RecursiveScriptModule]) -> Any:
    """The value of an attribute in a scripted module: a bound method of a module becomes that of its scripted module."""
    if isinstance(value, types.MethodType) and isinstance(value.__self__, Module):
        return types.MethodType(value.__func__, wrapped(value.__self__, scripted))
    return value


def wrapped(module: Module, scripted: dict[int, RecursiveScriptModule]) -> RecursiveScriptModule:
    """The scripted module of a module, without compiling anything. `scripted` has those that exist already, by the id of the original. A traced, loaded or scripted
    module is returned itself."""
    if isinstance(module, ScriptModule) and (isinstance(module, RecursiveScriptModule) or hasattr(module, "_graph_for_script")):
        return module  # type: ignore[return-value]
    return scripted[id(module)] if id(module) in scripted else RecursiveScriptModule(module, scripted)


def _named_parts(module: Module) -> Any:
    graph = module.__dict__.get("_graph")
    output = graph._output if isinstance(graph, Graph) else None
    return None if output is None else output.meta.get("namedtuples")


def _prepared(module: Module, known: dict[int, Module]) -> Module:
    """The module that a script compiles in its place: what __prepare_scriptable__ gives, also of its parts, as in PyTorch."""
    if id(module) in known or isinstance(module, ScriptModule):
        return known.get(id(module), module)
    made = module.__prepare_scriptable__() if hasattr(module, "__prepare_scriptable__") else module
    known[id(module)] = made
    for name, part in made._modules.items():
        if part is not None and (other := _prepared(part, known)) is not part:
            made._modules[name] = other
    return made


def compile_module(module: Module) -> RecursiveScriptModule:
    """The module with its forward and exported methods compiled. RuntimeError with the user's line if one is not written in the language of TorchScript."""
    module = _prepared(module, {})
    scripted = wrapped(module, {})
    if scripted is not module:
        for name in (*(["forward"] if scripted._has_forward() else []), *scripted._exported()):
            if name in _STATE and scripted._has_state():
                scripted._state_method(name)  # for its errors; archives alone run them
                continue
            scripted._reached.add(name)
            scripted._compiled(name)
    return scripted


for _class in (RecursiveScriptModule,):
    _class.__module__ = "monograph.jit._script"
