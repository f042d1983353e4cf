"""torch.jit.script: functions compiled from their source text. The compiler is written in C++ (src/capture/script). It asks a host, defined here, for source
texts and for the Python objects that names mean."""

from __future__ import annotations
import __future__

import abc
import ast
import builtins
import cmath
import collections
import dataclasses
import enum
import inspect
import itertools
import linecache
import math
import operator
import sys
import textwrap
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C, _ops, amp
from .._changes import changed
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..autograd.profiler import record_function
from ..cpu.amp import autocast as _cpu_autocast
from ..cuda.amp import autocast as _cuda_autocast
from ..fx.graph import Graph
from ..nn import Module
from ..nn.modules.utils import _pair, _quadruple, _single, _triple
from . import _classes, _constant_objects, _functional, _futures
from ._archive import ArchiveProgram, is_mgraph, write
from ._arguments import in_order, list_lengths, parameters_of, with_lists
from ._constants import ConstMap, ScriptFunction, ran
from ._fusers import strict_fusion
from ._marks import FunctionModifiers, modifier_of, overloaded
from ._schema import schema_of
from ._source import source_of
from ._wrong_inputs import describe

_texts = itertools.count()  # numbers the texts that are given to define(), so that each has a file name of its own
_TYPING = ("Any", "Dict", "List", "NamedTuple", "Optional", "Tuple", "Union")
_CONSTANTS = (bool, int, float, complex, str, type(None), _C.dtype, _C.device, _C.memory_format, _C.layout)
_MODULES = {math: "math"}
_REPEATED = frozenset((_single, _pair, _triple, _quadruple))
# The context managers that a script may use in `with`, and their names in torch.
_CONTEXTS = {
    no_grad: "no_grad", enable_grad: "enable_grad", inference_mode: "inference_mode", set_grad_enabled: "set_grad_enabled",
    record_function: "record_function", strict_fusion: "record_function",
    amp.autocast: "autocast", _cpu_autocast: "cpu.amp.autocast", _cuda_autocast: "cuda.amp.autocast",
}  # fmt: skip


def _is_of_library(function: Any) -> bool:
    """Whether it is one of the library's own functions. They are torch's where Monograph stands in for it; code that torch.fx generates has no module."""
    return (function.__module__ or "").startswith(("monograph.", "torch."))


class _Host:
    """Answers the compiler's questions about Python objects. The compiler knows an object by its index in `objects`. A `scope` is the index of the function in
    which a name is used."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.stand_ins: dict[int, dict[str, Any]] = {}  # by the index of a function: what stands for its arguments that are None
        self.reads = _C._reads()  # the values that the compiled code has as constants, and where they were read

    def add(self, obj: Any) -> int:
        for k, known in enumerate(self.objects):
            if known is obj:
                return k
        self.objects.append(obj)
        return len(self.objects) - 1

    def name(self, scope: int, name: str) -> tuple[str, Any]:
        function = self.objects[scope]
        if isinstance(function, type):
            known, obj = _classes.names_of(function, name)
            if known:
                return self.told(obj)
            return self.told(getattr(builtins, name)) if hasattr(builtins, name) else ("missing", None)
        if name in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                return ("refused", f"'{name}' of the enclosing function has no value yet")
            self._read("cell", cell, None, name, value)
            return self.told(value)
        if name in function.__globals__:
            value = function.__globals__[name]
            if not _is_of_library(function):
                self._read("entry", function.__globals__, name, "G", value)
            return self.told(value)
        if hasattr(builtins, name):
            return self.told(getattr(builtins, name))
        return ("missing", None)

    def _read(self, kind: str, owner: Any, key: str | None, name: str, value: Any) -> None:
        """Notes where the value of a constant was read, so that a call can check whether it has changed."""
        _C._reads_add(self.reads, kind, owner, key, name)
        self._read_lists(value, f"{name}[{key!r}]" if key is not None else name)

    def _read_lists(self, value: Any, name: str, around: tuple[Any, ...] = ()) -> None:
        """Notes the items of a list that the code has as a constant, also of one in a tuple or list."""
        if not isinstance(value, (list, tuple)) or any(value is outer for outer in around):
            return
        if isinstance(value, list):
            _C._reads_add(self.reads, "list", value, None, name)
        for k, item in enumerate(value):
            if isinstance(item, (list, tuple)):
                self._read_lists(item, f"{name}[{k}]", (*around, value))

    def attribute(self, owner: int, name: str) -> tuple[str, Any]:
        obj = self.objects[owner]
        if isinstance(obj, super) or _constant_objects.is_constant_object(obj):
            return self._of_object(obj, name)
        try:
            value = getattr(obj, name)
            if isinstance(obj, types.ModuleType) and not obj.__name__.startswith(("monograph", "torch")) and obj is not math and obj is not cmath:
                self._read("entry", vars(obj), name, f"{obj.__name__}.__dict__", value)
            elif isinstance(obj, type) and obj.__module__.partition(".")[0] not in ("monograph", "builtins"):
                self._read("class", obj, name, obj.__qualname__, value)
            return self.told(value)
        except AttributeError:
            if obj is sys.modules[__package__.partition(".")[0]] and self.is_pytorchs(name):
                return ("operator", f"aten::{name}")  # one that Monograph lacks
            return ("missing", None)

    def is_pytorchs(self, name: str) -> bool:
        """Whether PyTorch has an operator of this name."""
        from .._pytorch_operators import OPERATORS

        return name in OPERATORS["aten"].split()

    def _of_object(self, obj: Any, name: str) -> tuple[str, Any]:
        """An attribute of an object that is a constant. A method is compiled in place, with the object as its first argument."""
        if _constant_objects.is_log(obj, name):
            return ("builtin", "log")
        try:
            value = getattr(obj, name)
        except AttributeError:
            value = None
        _constant_objects.attribute_guard(obj, name, self.reads)
        if value is None and not hasattr(obj, name):
            return ("missing", None)
        if isinstance(value, types.MethodType) and _constant_objects.is_constant_object(value.__self__):
            return ("object_method", (self.add(inspect.unwrap(value.__func__)), self.add(value.__self__)))
        if isinstance(value, list):
            self._read_lists(value, f"{type(obj).__name__}.{name}")
        return self._constant_object(value) or self.told(value)

    def _constant_object(self, value: Any) -> tuple[str, Any] | None:
        if not _constant_objects.is_constant_object(value):
            return None
        return ("namespace", (self.add(value), f"an object of the class {type(value).__name__} is a constant of the script, and no value of a graph; read its attributes"))

    def ask(self, number: int, question: str, key: Any) -> tuple[str, Any]:
        """What Python says of an object that is a constant: see script::Host::ask."""
        obj = self.objects[number]
        obj = getattr(obj, "__self__") if isinstance(obj, super) else obj  # noqa: B009 - mypy knows no __self__
        if question == "record":
            return ("constant", True) if _constant_objects.is_record(obj) else ("missing", None)
        if question == "call":
            found, result = _constant_objects.cached_result(obj)
            return self.told(result) if found else ("missing", None)
        if not _constant_objects.is_constant_object(obj):
            return ("missing", None)
        known, answer = _constant_objects.ask(obj, question, key, self.reads)
        if not known:
            return ("missing", None)
        for item in answer if question == "values" else [v for _, v in answer] if question == "items" else [answer]:
            if isinstance(item, list):
                self._read_lists(item, f"a value of {type(obj).__name__}")
        if question in ("keys", "values"):
            return ("sequence", [self.told(item) for item in answer])
        if question == "items":
            return ("sequence", [("sequence", [self.told(k), self.told(v)]) for k, v in answer])
        return self._constant_object(answer) or self.told(answer)

    def imported(self, scope: int, module: str, name: str) -> tuple[str, Any]:
        known, value = _constant_objects.imported(self.objects[scope], module, name)
        return self.told(value) if known else ("missing", None)

    def super_of(self, number: int, scope: int) -> tuple[str, Any]:
        """super() in a method of an object that is a constant."""
        function = self.objects[scope]
        names = function.__code__.co_freevars
        if "__class__" not in names:
            return ("refused", "super() is allowed only in a method of a class")
        cls = function.__closure__[names.index("__class__")].cell_contents
        return ("namespace", (self.add(super(cls, self.objects[number])), "super() is no value of a graph; call a method of it"))

    def assigned(self, number: int, name: str) -> str:
        """Why a write to an attribute of this object is lost."""
        return f"an object of the class {type(self.objects[number]).__name__} is a constant of the script"

    def is_instance(self, number: int, scope: int, name: str) -> bool:
        cls, obj = self._named_in(scope, name), self.objects[number]
        return isinstance(cls, type) and (issubclass(obj, cls) if _constant_objects.is_record(obj) else isinstance(obj, cls))

    def _named_in(self, scope: int, name: str) -> Any:
        """What a name with dots means in a function."""
        head, *rest = name.split(".")
        function = self.objects[scope]
        cells = dict(zip(function.__code__.co_freevars, (c.cell_contents for c in function.__closure__ or ()), strict=True))
        found = cells.get(head, function.__globals__.get(head, getattr(builtins, head, None)))
        for part in rest:
            found = getattr(found, part)
        return found

    def default_of(self, scope: int, parameter: str) -> tuple[str, Any]:
        if isinstance(self.objects[scope], type):
            return ("missing", None)
        stands = self.stand_ins.get(scope, {})
        if parameter.endswith(" of None"):  # what a decorator gives in the place of None
            name = parameter.removesuffix(" of None")
            return self.told(stands[name]) if name in stands else ("missing", None)
        if parameter in stands:
            return self.told(stands[parameter])
        known = inspect.signature(self.objects[scope]).parameters[parameter]
        if known.default is inspect.Parameter.empty:
            return ("missing", None)
        return self.told(_classes.default_as(known.default, known.annotation, self.objects[scope]))

    def function(self, number: int) -> tuple[str, str, int, str, bool, bool, bool]:
        function = self.objects[number]
        if isinstance(function, types.FunctionType) and not _is_of_library(function):
            _C._reads_add(self.reads, "function", function, None, function.__qualname__)
        return (
            *source_of(function),
            function.__name__,
            modifier_of(function) is FunctionModifiers.UNUSED,
            _is_of_library(function),
            (function.__module__, function.__qualname__) in overloaded,
        )

    def graph(self, number: int) -> Graph:
        """The graph that told() has described as ("graph", number)."""
        graph: Graph = self.objects[number]
        return graph

    def class_info(self, number: int) -> tuple[str, str, Any, list[tuple[str, Any]], bool]:
        """(kind, mangled name, source, values, whether it is a dataclass) of a class."""
        cls = self.objects[number]
        kind, name = _classes.kind_of(cls), _classes.mangled(cls)
        if kind == "enum":
            return (kind, name, None, [(m.name, self.told(m.value)) for m in cls], False)
        if kind == "named_tuple":
            defaults = getattr(cls, "_field_defaults", {})
            return (kind, name, _classes.named_tuple_text(cls), [(f, self.told(v)) for f, v in defaults.items()], False)
        return ("object", name, (*source_of(cls), cls.__name__), [], dataclasses.is_dataclass(cls))

    def find_class(self, name: str) -> int:
        cls = _classes.by_name(name)
        return -1 if cls is None else self.add(cls)

    def class_constant(self, name: str, attribute: str) -> tuple[str, Any]:
        """A number, bool or str that is an attribute of a class."""
        cls = _classes.by_name(name)
        value = inspect.getattr_static(cls, attribute, None) if cls is not None else None
        if cls is None or not isinstance(value, (bool, int, float, str)):
            return ("missing", None)
        self._read("class", cls, attribute, cls.__qualname__, value)
        return self.told(value)

    def class_compiled(self, name: str, attributes: list[tuple[str, str]]) -> None:
        _classes.register(name, attributes)

    def told(self, obj: Any) -> tuple[str, Any]:
        """The description of a Python object for the compiler: its kind, and data that depends on the kind."""
        if isinstance(obj, enum.Enum):
            return ("member", (self.add(type(obj)), obj.name))
        if obj is _futures.fork or obj is _futures.wait:
            return ("builtin", obj.__name__)
        if obj is operator.index:  # of a number that a captured loop counts to
            return ("builtin", "int")
        if obj is inspect.signature:
            return ("builtin", "signature")
        if obj is warnings.warn:
            return ("operator", "aten::warn")
        if isinstance(obj, type) and obj in _CONTEXTS:
            return ("context", _CONTEXTS[obj])
        if isinstance(obj, (*_CONSTANTS, tuple, list)) and not isinstance(obj, types.FunctionType):
            return ("constant", obj)
        if isinstance(obj, (types.ModuleType, _ops._Ops, _ops._Namespace)):
            return ("namespace", self.add(obj))
        if (constant := self._constant_object(obj)) is not None:
            return constant
        if isinstance(obj, _ops.OpOverloadPacket):  # torch.ops.aten.relu, and its overloads as attributes
            return ("namespace", self.add(obj))
        if isinstance(obj, _ops.OpOverload):
            return ("operator", obj._qualified_op_name)
        if type(obj).__name__ == "Builtin":
            return ("operator", _surface(obj))
        # torch._C._get_tracing_state is None in a script, which is not traced.
        if obj is _C._assume_dims or (getattr(obj, "__name__", "") == "_get_tracing_state" and _is_of_library(obj)):
            return ("builtin", "nothing")
        if obj is _C._is_autocast_enabled:
            return ("builtin", "is_autocast_enabled")
        if obj is _C.tensor:
            return ("operator", "torch.tensor")
        if obj is _C.as_tensor:
            return ("builtin", "as_tensor")
        if _constant_objects.is_record(obj):
            mangled, fields = _constant_objects.record_of(obj)
            return ("record", (mangled, [(f, ("missing", None) if d is dataclasses.MISSING else self.told(d)) for f, d in fields]))
        if obj is collections.OrderedDict:
            return ("builtin", "dict")
        if isinstance(obj, types.FunctionType) and obj in _REPEATED:
            return ("builtin", obj.__name__)
        if isinstance(obj, type) and obj in _functional.CLASSES:
            return ("function", self.add(_functional.CLASSES[obj]))
        if isinstance(obj, type) or typing.get_origin(obj) is not None:
            return self._class(obj)
        name: str = getattr(obj, "__name__", "")
        if isinstance(obj, types.BuiltinFunctionType) and obj.__module__ in ("math", "cmath"):
            return ("operator", f"{obj.__module__}.{name}")
        if isinstance(obj, types.BuiltinFunctionType) and getattr(builtins, name, None) is obj:
            return ("builtin", name)
        graph = getattr(obj, "_graph_for_script", None)
        if graph is not None:
            return ("graph", (self.add(graph()), ""))
        compiled = getattr(obj, "_compiled_from", None)
        if compiled is not None:
            return ("function", self.add(compiled))
        return self._function(obj)

    def _class(self, obj: Any) -> tuple[str, Any]:
        name: str = getattr(obj, "__name__", "")
        exception = inspect.isclass(obj) and BaseException in inspect.getmro(obj)
        if exception or (name and getattr(builtins, name, None) is obj):
            return ("exception" if exception else "builtin", name)
        if _classes.is_interface(obj):
            return ("interface", (name, [m for m, held in vars(obj).items() if isinstance(held, types.FunctionType) and m != "__init__"]))
        if _classes.kind_of(obj) == "object" and any(base not in (object, abc.ABC) for base in obj.__bases__):
            return ("namespace", (self.add(obj), f"the class {name} with a base class is not supported in a script"))
        if _classes.kind_of(obj) is not None:
            return ("class", self.add(obj))
        text = _classes.type_text(obj)
        if text is None:
            text = _classes.abstract_text(obj)
            if text is None:  # isinstance must not say that no value of a script is of it
                return ("builtin", name)
        if text:
            return ("type", text)
        why = f"the class {getattr(obj, '__name__', obj)} is not supported in a script"
        # A class has static methods and constants, which `Net.halve(x)` reads.
        return ("namespace", (self.add(obj), why)) if inspect.isclass(obj) else ("refused", why)

    def _ignored(self, function: Any) -> tuple[str, Any]:
        return (
            "refused",
            f"{function.__name__}() is marked with torch.jit.ignore, so that it stays in Python, and a graph runs without Python; mark it with "
            "torch.jit.unused, so that a call raises, or make it an operator with torch.library.custom_op",
        )

    def _function(self, obj: Any) -> tuple[str, Any]:
        if _constant_objects.cached_result(obj)[0]:
            return ("namespace", (self.add(obj), "a function that keeps its result is called while the script is compiled; call it without arguments"))
        plain: Any = inspect.unwrap(obj) if callable(obj) else obj
        if modifier_of(obj) is FunctionModifiers.IGNORE:
            return self._ignored(obj)
        if isinstance(plain, types.FunctionType) and plain.__module__ == "monograph.functional" and obj in _functional.FORMS:
            return ("function", self.add(inspect.unwrap(_functional.FORMS[obj])))
        if (
            isinstance(plain, types.FunctionType)
            and plain.__module__ == "monograph.functional"
            and _C._has_operator(f"aten::{plain.__name__}")
        ):
            return ("operator", f"torch.functional.{plain.__name__}")
        # torch.autograd.grad and backward are written in Python, beside the operators of these names.
        with_operator = isinstance(plain, types.FunctionType) and plain.__module__ in ("monograph", "monograph.autograd._passes", "monograph.random", "monograph.jit._script")
        if with_operator and _C._has_operator(f"aten::{plain.__name__}"):
            return ("operator", f"aten::{plain.__name__}")
        if isinstance(plain, types.FunctionType):
            return ("function", self.add(plain))
        if isinstance(obj, Module):
            return ("refused", "a Module from outside cannot be used in a script; make it a submodule of a scripted Module")
        if isinstance(obj, Tensor):
            return ("constant", obj)
        way_out = "call a function of torch or math instead" if callable(obj) else "pass it as an argument"
        return ("refused", f"a value of type {type(obj).__name__} from outside is not supported in a script; {way_out}")


def _surface(builtin: Any) -> str:
    """The name under which the graph knows an operator's function."""
    home = builtin.__module__.replace("monograph", "torch", 1)
    return f"{home}.{builtin.__name__}" if home in ("torch", "torch._C._nn") else f"aten::{builtin.__name__}"


class CompiledFunction(ScriptFunction):
    """A function that jit.script has compiled. It can be called, printed as a graph or as code, and saved."""

    def __init__(self, graph: Graph, original: Any, name: str, reads: Any = None):
        self._reads = reads
        self._made: Any = (graph, graph._version)  # the graph as it was compiled, to see later edits
        self._graph, self._compiled_from, self.name = graph, original, name
        self.__name__ = self.__qualname__ = name
        self.__doc__ = getattr(original, "__doc__", None)
        self.__module__ = getattr(original, "__module__", type(self).__module__)
        # The return type, if it has NamedTuples in it: the graph returns plain tuples.
        self._restored = _classes.returned_type(graph)
        # Whether a parameter has an Enum as its default, which the graph cannot hold.
        parameters = {} if original is None else inspect.signature(original).parameters
        self._late = any(isinstance(p.default, enum.Enum) for p in parameters.values())
        self._names = [str(n.target) for n in graph.nodes if n.op == "placeholder"]
        self._list_lengths = {} if original is None else list_lengths(original)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or (self._late and len(args) < len(self._names)):
                args = in_order(self.name, self._names, args, kwargs, parameters_of(self._compiled_from), self._graph)
            if self._list_lengths:
                args = with_lists(self._names, args, self._list_lengths)
            if self._reads is not None and (found := self._reads.check()) is not None:
                self._compile_again(found)
            ran(self._graph)
            result = self._graph(*args)
        except _C._WrongInput as error:
            describe(error, self.name, lambda: self.schema, args)
            raise
        return result if self._restored is None else _C._restored(result, self._restored)

    def _compile_again(self, found: str) -> None:
        """Compiles the function again, after a global, a closure's variable or a default that the graph has as a constant has changed (`found` says what)."""
        graph, version = self._made
        if self._graph is not graph or graph._version != version:
            raise changed("torch.jit.script", self.name, found, "The graph has been edited. Script the function again, and edit that graph", False)
        new = compile_function(self._compiled_from)
        self._graph, self._reads, self._made = new._graph, new._reads, new._made
        self._restored, self._names = new._restored, new._names

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored_function, (type(self), {**self.__dict__, "_reads": None, "_made": None})

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def inlined_graph(self) -> Graph:
        return self._graph

    def _text_graph(self) -> Graph:
        graph, version = self._made or (None, 0)
        if self._graph is not graph or graph._version != version:
            return self._graph
        host = _PrintedHost()
        try:
            printed: Graph = _C._script(host, host.add(self._compiled_from))
        except (RuntimeError, NotImplementedError, OSError):  # OSError: a CompilationUnit's text, of which no file is kept
            return self._graph
        return printed

    @property
    def schema(self) -> Any:
        """The FunctionSchema: names, types and defaults of the arguments, and the type of the result."""
        return schema_of(self.name, self._graph)

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the function as torch.jit.save does; a path that ends in .mgraph gets the graph, which torch.load_graph reads."""
        if is_mgraph(f):
            self._graph.save(f)
        else:
            write(self._program(), f, _extra_files)

    def _program(self) -> ArchiveProgram:
        return ArchiveProgram(self._graph)

    @property
    def _home(self) -> str | None:
        return None if self._compiled_from is None else self.__module__


def _restored_function(cls: type, state: dict[str, Any]) -> Any:
    function: Any = object.__new__(cls)
    function.__dict__.update(state)
    return function


class _PrintedNames:
    """The part of a host for code that people read. The graph keeps calls of functions, by the names that PyTorch's code has for them."""

    objects: list[Any]

    def qualified_name(self, number: int) -> str:
        function = self.objects[number]
        home = function.__module__ or ""
        if not isinstance(function, types.FunctionType) or not function.__name__.isidentifier():
            return ""
        home = home.replace("monograph.", "torch.", 1) if home.startswith("monograph.") else home
        name = function.__name__
        if home == "torch.nn.functional" and "return_indices" in inspect.signature(function).parameters:
            name = f"_{name}"  # PyTorch calls the one that returns no indices so
        return f"__torch__.{name}" if home in ("", "__main__") else f"__torch__.{home}.{name}"


class _PrintedHost(_PrintedNames, _Host):
    pass


def compile_function(function: Callable[..., Any]) -> CompiledFunction:
    """The function, compiled from its source. RuntimeError with the user's line if it is not written in the language of TorchScript."""
    plain = inspect.unwrap(function)
    host = _Host()
    graph = _C._script(host, host.add(plain))
    return CompiledFunction(graph, plain, plain.__name__, host.reads)


def compile_class(cls: type) -> None:
    """Compiles a class with all of its methods. RuntimeError with the user's line if it is not written in the language of TorchScript."""
    host = _Host()
    _C._script_class(host, host.add(cls))


def functions_of_text(text: str, rcb: Any = None) -> dict[str, types.FunctionType]:
    """The functions that a text defines, as Python functions. The text may hold only defs, so no other code runs. Its lines stay available to messages and to the
    compiler."""
    text = textwrap.dedent(text)
    file = f"<text {next(_texts)} of define>"
    try:
        tree = ast.parse(text, file)
    except SyntaxError as e:
        raise RuntimeError(f"define: the text is no Python: {e.msg}, line {e.lineno}: {(e.text or '').strip()}") from None
    for part in tree.body:
        if not isinstance(part, ast.FunctionDef) or part.decorator_list:
            raise RuntimeError(f"define: a text has functions without decorators alone, but line {part.lineno} is something else")
        if not part.args.args:
            raise RuntimeError(f"define: the method {part.name}() takes no self; write it as its first parameter")
        defaults: list[ast.expr] = [*part.args.defaults, *(d for d in part.args.kw_defaults if d is not None)]
        # A default must be a literal. Annotations do not run: the compiler reads their text.
        for default in defaults:
            if any(isinstance(inner, ast.Call) for inner in ast.walk(default)):
                raise RuntimeError(f"define: the default in line {default.lineno} is a call; a default is a literal")
    if not tree.body:
        raise RuntimeError("define: the text has no method; it begins with `def forward(self, x):`")
    library = sys.modules[__name__.partition(".")[0]]
    names: dict[str, Any] = {"torch": library, "math": math, "Tensor": Tensor, **{name: getattr(typing, name) for name in _TYPING}, "__name__": file}
    for node in ast.walk(tree):
        if rcb is not None and isinstance(node, ast.Name) and node.id not in names and not hasattr(builtins, node.id):
            found = rcb(node.id)
            if found is not None:
                names[node.id] = found
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(tree, file, "exec", flags=__future__.annotations.compiler_flag), names)
    return {part.name: names[part.name] for part in tree.body if isinstance(part, ast.FunctionDef)}


def names_of_frame(frame: types.FrameType) -> Callable[[str], Any]:
    """What names mean to the caller of define."""
    return lambda name: frame.f_locals.get(name, frame.f_globals.get(name))


@dataclasses.dataclass(frozen=True)
class _Home:
    """What printed code calls __torch__, or a package below it: the modules of functions, by their names. torch's are the library's own."""

    path: str = ""

    def module(self) -> types.ModuleType | None:
        library = __name__.partition(".")[0]
        return sys.modules.get(library + self.path[len("torch") :] if f"{self.path}.".startswith("torch.") else self.path or "__main__")


class _TextHost(_Host):
    """Says what a text may use beside its own functions, torch and math."""

    def __init__(self, known: Callable[[str], Any]) -> None:
        super().__init__()
        self.known = known

    def name(self, scope: int, name: str) -> tuple[str, Any]:
        if scope >= 0:
            return super().name(scope, name)
        if name == "__torch__":
            return ("namespace", self.add(_Home()))
        found = self.known(name)
        if found is None and name == "CONSTANTS":
            return ("refused", "the text reads CONSTANTS, which are not part of it; write `text, CONSTANTS = f.code_with_constants` to have them")
        return ("missing", None) if found is None else self.told(found)

    def attribute(self, owner: int, name: str) -> tuple[str, Any]:
        home = self.objects[owner]
        if not isinstance(home, _Home):
            return super().attribute(owner, name)
        found = getattr(home.module(), name, None)
        if found is None and home.path == "torch.nn.functional":
            found = getattr(home.module(), name.removeprefix("_"), None)  # as qualified_name says it
        inner = _Home(f"{home.path}.{name}".lstrip("."))
        if found is None or isinstance(found, types.ModuleType):
            if inner.module() is not None:
                return ("namespace", self.add(inner))
            found = self.known(name)  # a function that another one made
        return ("missing", None) if found is None else self.told(found)

    def told(self, thing: Any) -> tuple[str, Any]:
        return ("namespace", self.add(thing)) if isinstance(thing, ConstMap) else super().told(thing)


def compile_text(text: str, known: Callable[[str], Any]) -> dict[str, CompiledFunction]:
    """The functions of a text, by name. `known` gives what a name means that is not the text's own and not the library's, or None."""
    return {name: CompiledFunction(graph, None, name) for name, graph in _C._script_text(textwrap.dedent(text), _TextHost(known))}
