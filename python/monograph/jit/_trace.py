"""torch.jit.trace: a function run once on example inputs, its operators recorded.

What PyTorch freezes silently is kept or guarded here: sizes stay symbolic, and a number or branch that Python took from a value is checked at every
run of the traced function, which raises with the line where it no longer holds.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from .. import _C, _tree
from .._changes import (
    CaptureWords,
    Gradients,
    OtherCaptures,
    Structure,
    capture_of_now,
    checked,
    mode_paths,
    name_of,
    note_values,
    refuse_lost_hooks,
    refuse_unrepeatable,
)
from .._compile import compiled_function
from .._state import Contents, modules_of, state_kept
from .._tensor import Tensor
from .._unprinted import unprinted
from .._warnings import TracerWarning
from ..fx._lowering import Scopes
from ..fx._writes import made_is_told, refuse_lost_writes, told_tensor
from ..fx.graph import Graph
from ..fx.proxy import TraceError, _tracer_of, _user_line
from ..nn import Module
from ._archive import ArchiveProgram, is_mgraph, write
from ._constants import ConstMap, code_with_constants
from ._script import ScriptModule

# Trees of tensors ------------------------------------------------------------------------------------------------------------------------


def _leaves(tree: Any) -> list[Any]:
    return _tree.leaves_of(tree, subclasses=True)


def _check_input(value: Any, where: str) -> None:
    for leaf in _leaves(value):
        if not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"Type '{type(leaf).__name__}' of {where} cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors "
                "can be traced; give other values a default, or bind them with functools.partial"
            )


def _mapped(tree: Any, f: Callable[[Tensor], Tensor]) -> Any:
    """The tree with f of its tensors; other leaves stay."""
    return _tree.mapped(lambda leaf: f(leaf) if isinstance(leaf, Tensor) else leaf, tree, subclasses=True)


def _apart(tree: Any) -> Any:
    """Other tensors that show the same memory: what the function holds itself, a parameter or a constant, is no input though it be the example."""
    seen: dict[int, Tensor] = {}

    def other(t: Tensor) -> Tensor:
        if id(t) not in seen:
            seen[id(t)] = t.view_as(t) if t.requires_grad and not t.is_leaf else t.detach().requires_grad_(t.requires_grad)
        return seen[id(t)]

    return _mapped(tree, other)


# Recording ---------------------------------------------------------------------------------------------------------------------------------


def _bind(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[str], list[Any], Callable[..., Any]]:
    """Names and examples of the inputs in the order of the signature, and the function that takes them in this order."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except ValueError:  # a builtin without a signature
        return [f"x{i}" for i in range(len(args))], list(args), function
    except TypeError as error:
        text = f"the example inputs do not match the function's arguments {inspect.signature(function)}: {error}"
        if args and all(isinstance(x, int) for x in args):
            text += f". {args} looks like a size: pass a tensor of this size, torch.randn({', '.join(map(str, args))})"
        elif not args and not kwargs:
            text += ". Pass example inputs: torch.jit.trace(f, (x, y))"
        raise RuntimeError(text) from None
    names: list[str] = []
    values: list[Any] = []
    keywords: list[str] = []  # how each is handed over: by this keyword, or by position

    def add(name: str, value: Any, keyword: str = "") -> None:
        names.append(name)
        values.append(value)
        keywords.append(keyword)

    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            for i, v in enumerate(value):
                add(f"{name}_{i}", v)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            for k, v in value.items():
                add(k, v, k)
        else:
            add(name, value, name if kind is inspect.Parameter.KEYWORD_ONLY or name in kwargs else "")

    root = getattr(function, "called", function)

    def call(*given: Any) -> Any:
        positional = [v for v, keyword in zip(given, keywords, strict=True) if not keyword]
        named = {keyword: v for v, keyword in zip(given, keywords, strict=True) if keyword}
        _C._reads_begin(root)
        result = root(*positional, **named)
        _C._reads_end()
        return result

    return names, values, call


class _Recording(Scopes):
    """The hook of a trace: it hears of torch.tensor(...), too, which gives a constant. A function that writes to one gets copies, which its graph makes."""

    copies = constants = False

    def make_constant(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
        self.constants = True
        made: Any = _C.tensor(*args, **{k: v for k, v in kwargs.items() if k != "requires_grad"})
        _C._note_made(made)
        made = made.clone() if self.copies else made
        return made.requires_grad_() if kwargs.get("requires_grad") else made


def _recorded(
    program: Callable[..., Any],
    values: list[Any],
    names: list[str],
    control_flow: str,
    module: Module | None,
    modules: list[Module],
    reads: Any,
) -> tuple[Graph, Any, Any]:
    """The graph of a run of the function. One that fails after torch.tensor(...) is run again with copies, if it has written to nothing of its caller's."""
    hook, contents, state = _Recording(module), Contents([vars(m) for m in modules]), _C.default_generator.get_state()
    tensors = [t for t in _leaves([values, *([*m._parameters.values(), *m._buffers.values()] for m in modules)]) if t is not None]
    versions = [t._version for t in tensors]
    trained = {n for n, p in module.named_parameters() if p._requires_grad} if module is not None and _C._is_grad_enabled() else set()

    def run(control_flow: str = control_flow) -> tuple[Graph, Any, Any]:
        saved = _C._set_capture_hook(hook)
        try:
            with made_is_told():
                made = _C._capture(program, values, names, "trace", control_flow, module, reads)
                refuse_lost_writes(made[0], trained)
                return made
        finally:
            _C._set_capture_hook(saved)
            if reads is not None:
                _C._reads_forgive(reads, [told_tensor])
            Contents([vars(m) for m in modules]).settle()  # sizes that the function kept there

    def unwritten() -> bool:
        if versions != [t._version for t in tensors]:
            return False
        contents.restore()
        _C.default_generator.set_state(state)
        return True

    try:
        return run()
    except Exception as error:
        # What needs a number as a number fails where the graph keeps it. Then the numbers are guarded; an error of the program itself comes again.
        if isinstance(error, RuntimeError) and hook.constants:
            if not unwritten():
                raise
            hook.copies = True
            return run()
        if control_flow != "keep" or not isinstance(error, (TypeError, RuntimeError)) or not unwritten():
            raise
        try:
            with unprinted():
                return run("guard")
        except Exception:
            raise error from None


def _layout(value: Any) -> Any:
    """Of an input that is a list or dict: its length, or its keys in order, and so on inside; None of a tensor."""
    if isinstance(value, dict):
        return tuple(value), tuple(map(_layout, value.values()))
    return tuple(map(_layout, value)) if isinstance(value, (list, tuple)) else None


def _kinds(tree: Any) -> Any:
    """What a graph is made for: the structure of the inputs, and of each tensor its dtype and number of dimensions."""
    leaves, structure = _tree.flatten(tree, subclasses=True)
    return str(structure), tuple((t.dtype, t.dim()) if isinstance(t, Tensor) else type(t) for t in leaves)


_WORDS = CaptureWords(
    "torch.jit.trace", "Trace it again", "Edit each mode's graph, or trace again in that mode", "What was traced is gone, or has eight captures already"
)


class _Again:
    """Captures the function anew: for inputs of other kinds than the example's, and for other modes of its modules. It keeps no module alive."""

    def __init__(
        self, make: Callable[[tuple[Any, ...], dict[str, Any]], _Traced | None], held: Any, first: _Traced, method: str = ""
    ):
        self.make, self.held, self.first, self.method = make, held, first, method
        self.made: OtherCaptures[_Traced] = OtherCaptures()
        self.structure: Structure | None = None
        self.compiled: Any = None

    def function(self) -> Any:
        """What was captured; None where it is gone."""
        held = self.held()
        return getattr(held, self.method) if held is not None and self.method else held

    def modes(self) -> Any:
        """Meanwhile the program has the modes of the traced module."""
        return self.structure.modes() if self.structure is not None else contextlib.nullcontext()

    def of(self, kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for inputs of these kinds and what the program reads now. None where no more can be made."""

        def fits(known: _Traced) -> bool:
            return known.kinds == kinds and (known.reads is None or known.reads.check() is None)

        return self.first if fits(self.first) else self.made.find(fits, lambda: self._new(args, kwargs))

    def _new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        held = self.held()
        if held is None:
            return None
        # The program runs for its graph; the graph's run is the call.
        with self.modes(), state_kept(held), unprinted():
            made = self.make(_copied_tensors(args), _copied_tensors(kwargs))
        if made is None:
            return None
        if self.structure is not None and made.reads is not None:
            self.structure.follow(made.reads)
        made.again = self
        return made

    def as_program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a program that writes to objects of its own, where it is still there: captured by torch.compile, which does these writes again."""
        if self.compiled is None:
            self.compiled = compiled_function(self.function(), False, None, "monograph", {}, None)
        with self.modes():
            return self.compiled(*args, **kwargs)


def _held(function: Any) -> Callable[[], Any]:
    """Gives the function as long as it lives; one that holds no module lives as long as what it gives it."""
    if isinstance(function, MethodType):
        return weakref.WeakMethod(function)
    if not isinstance(function, Module) and not modules_of(function):
        return lambda: function
    try:
        return weakref.ref(function)
    except TypeError:
        return lambda: None


class _Traced:
    """One traced function: its graph, and how its inputs and outputs look to Python."""

    again: _Again | None = None

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        module: Module | None,
        strict: bool,
        control_flow: str,
        on_change: str = "raise",
    ):
        self.on_change, self.name = on_change, name_of(getattr(function, "called", function))
        self.reads = _C._reads() if on_change != "ignore" and _C._machine_supported() else None
        self.names, values, call = _bind(function, args, kwargs)
        for name, value in zip(self.names, values, strict=True):
            _check_input(value, f"the input {name}")
        values = self.example = _apart(values)
        self.structure: Any = None

        forms = [_tree.flatten(value, subclasses=True)[1] for value in values]

        def program(*inputs: Any) -> Any:
            result = call(*(_tree.retyped(value, form) for value, form in zip(inputs, forms, strict=True)))  # a namedtuple is one
            if strict and _has_list_or_dict(_tree.flatten(result, subclasses=True)[1]):
                raise RuntimeError(
                    "Encountering a dict or list at the output of the tracer might cause the trace to be incorrect, this is only valid if the container "
                    "structure does not change based on the module's inputs. Consider using a constant container instead (e.g. for `list`, use a "
                    "`tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the side effects, pass "
                    "strict=False to trace() to allow this behavior."
                )
            self.structure = _tree.flatten(result, subclasses=True)[1]
            return _tree.plain(result)

        modules = [*modules_of(module), *modules_of(function)]
        gradients = Gradients(modules) if self.reads is not None else None
        self.graph, result, self.methods = _recorded(program, values, self.names, control_flow, module, modules, self.reads)
        self._as_made = self.graph._version
        if self.methods is not None:
            self.methods._inlined = (self.methods._version, self.graph)
        self.kinds, self.version = _kinds(values), self.graph._version
        self.layout = tuple(map(_layout, values)) if any(not isinstance(v, Tensor) for v in values) else None
        self.branches = not self.graph.guards and any(_C._blocks(n) for n in self.graph.nodes)
        self.raised = _C._kept_raises()  # the classes of exceptions that the function raises in a branch, by name
        # The program has written to objects that it found: each of its calls does.
        self.writes = self.reads is not None and bool(_C._reads_changed(self.reads))
        if self.reads is not None and control_flow != "freeze":
            refuse_unrepeatable(_WORDS.what, self.name, self.reads)
            if any(isinstance(t, Tensor) and t.requires_grad for t in _tree.flatten(result)[0]):
                refuse_lost_hooks(_WORDS.what, self.name, self.reads)
            if gradients is not None:
                gradients.refuse_if_written(_WORDS.what, self.name, self.reads)
        if self.reads is not None:
            for graph in (self.graph, self.methods):
                if graph is not None:
                    note_values(graph, self.reads)

    def program(self) -> ArchiveProgram:
        """What is saved: in both modes, where the program reads any, can still be captured in the other one, and nobody has edited the graph."""
        now = self._of_this_mode()
        if now is not self:
            return now.program()
        self.refuse_own_state()
        return self._program_of_modes()._replace(keys=self._ordered_keys())

    def _captured_again(self, values: list[Any]) -> _Traced | None:
        """Another capture of the program as it is now, which stays as it is; None where it is gone, or was edited, or cannot be captured."""
        held = self.again.held() if self.again is not None else None
        if self.again is None or held is None or self.graph._version != self.version:
            return None
        with self.again.modes(), state_kept(held), unprinted():
            try:
                return self.again.make(tuple(_copied_tensors(values)), {})
            except Exception:
                return None

    def refuse_own_state(self) -> None:
        """A program may write to its own objects. If its next graph is another one, no file holds it."""
        if not self.writes:
            return
        places = _C._reads_changed(self.reads)
        other = self._captured_again(self.example)
        if other is not None and other.writes and other.graph.hash() != self.graph.hash():
            raise NotImplementedError(
                f"jit.save: {self.name} writes to {', '.join(places[:3])}, and reads that at its next call, so that each call has another graph, which no "
                "file holds. Make such a value a buffer and write to it in place, or make it an input and a result"
            )

    def _ordered_keys(self) -> list[tuple[str, list[str]]]:
        """The inputs that are dicts, with their keys, where the graph is another one for another order."""
        dicts = [(name, v) for name, v in zip(self.names, self.example, strict=True) if isinstance(v, dict) and len(v) > 1]
        dicts = [(name, v) for name, v in dicts if all(type(key) is str for key in v)]
        if not dicts:
            return []
        turned = [dict(reversed(v.items())) if isinstance(v, dict) else v for v in self.example]
        other = self._captured_again(turned)
        return [] if other is not None and other.graph.hash() == self.graph.hash() else [(name, list(v)) for name, v in dicts]

    def _program_of_modes(self) -> ArchiveProgram:
        whole = self._program_of_one_mode()
        if self.reads is None or not _C._reads_modes(self.reads) or self.graph._version != self.version:
            return whole
        of_one_mode = whole._replace(one_mode=True)
        if self.again is None or self.again.structure is None:
            return whole
        other = self._of_other_mode()
        if other is None:
            return of_one_mode
        paths = mode_paths(self.reads)
        flat = ArchiveProgram(self.graph, in_place=lambda: of_one_mode, other_mode=other.graph, modes=paths)
        return whole._replace(in_place=lambda: flat, other_mode=other._program_of_one_mode().graph, modes=paths)

    def graph_of_modes(self) -> Graph:
        """What a .mgraph file holds: a graph that reads the modes when it runs, where the graphs of the two have a common form; else that of this mode."""
        now = self._of_this_mode()
        if now is not self:
            return now.graph_of_modes()
        if self.reads is None or not _C._reads_modes(self.reads) or self.again is None or self.again.structure is None:
            return self.graph
        other = self._of_other_mode() if self.graph._version == self.version else None
        joined: Graph | None = _C._join_modes(self.graph, other.graph, mode_paths(self.reads)) if other is not None else None
        return self.graph if joined is None else joined

    def _of_other_mode(self) -> _Traced | None:
        """The capture with each module in its other mode; None where there is none, or somebody has edited it."""
        if self.again is None or self.again.structure is None:
            return None
        with self.again.structure.flipped():
            other = self._of_this_mode()
        return None if other is self or other.graph._version != other.version else other

    def _of_this_mode(self) -> _Traced:
        """The capture for the modes that the modules are in now; this one where there is no other."""
        if self.reads is None or self.again is None or not isinstance(self.reads.check(), tuple) or self.graph._version != self.version:
            return self
        try:
            return self.again.of(self.kinds, tuple(self.example), {}) or self
        except Exception:  # a program that has no graph in this mode is saved in the one that it has
            return self

    def _program_of_one_mode(self) -> ArchiveProgram:
        """With a method for each call of a module, where nobody has edited the graph and it has no guards, which belong to the whole."""
        methods = self.methods
        if methods is None or self.graph._version != self._as_made or methods._version != methods._inlined[0] or _C._guards(self.graph):
            return ArchiveProgram(self.graph)
        return ArchiveProgram(methods, parts=[], in_place=None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.branches and self.again is not None and _C._is_capturing() and (function := self.again.function()) is not None:
            return function(*args, **kwargs)  # the other capture keeps its branches too
        if self.reads is not None and not _C._is_capturing():
            found = self.reads.check()
            if found is not None or self.writes:
                return self._of_other_state(found, args, kwargs)
        if self.layout is not None and self.again is not None and not _C._is_capturing():
            given = _in_order(self.names, args, kwargs)
            if tuple(map(_layout, given)) != self.layout and (other := self._of_other_kinds(args, kwargs)) is not None:
                return other._run(args, kwargs)  # a list of another length, a dict in another order
        return self._run(args, kwargs)

    def _of_other_state(self, found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call, when the program is not as it was (`found` says in what), or writes to its own objects."""
        edited = self.graph._version != self.version
        if self.writes and self.again is not None and not edited and self.again.function() is not None:
            return self.again.as_program(args, kwargs)
        if found is None:  # nobody is left to see what it writes
            return self._run(args, kwargs)

        def find() -> _Traced | None:
            return self.again.of(_kinds(list(_in_order(self.names, args, kwargs))), args, kwargs) if self.again is not None else None

        return capture_of_now(_WORDS, self.name, self.reads, self.on_change, found, edited, find)._run(args, kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return _tree.retyped(self.graph(*_in_order(self.names, args, kwargs)), self.structure)
        except _C._ScriptError as error:
            # A graph knows the usual kinds of errors; of the others, such as AssertionError, it says the name. A trace raises the class that the function raises.
            name, text = error._raised
            if name in self.raised:
                raise (self.raised[name](text) if text else self.raised[name]()) from error
            raise type(error).__bases__[0](*error.args) from None
        except TypeError:
            if _C._is_capturing() and self.again is not None and (function := self.again.function()) is not None:
                return function(*args, **kwargs)  # of another rank or dtype: the capture around it records what the function does
            if _tracer_of((args, kwargs)) is None:
                other = self._of_other_kinds(args, kwargs)
                if other is None:
                    raise
            else:
                raise TraceError(
                    f"a traced function is called with a value of a symbolic trace, which has no node for it:\n  {_user_line()}\n"
                    "Call the function that it was traced from, or use torch.jit.trace, which takes its operators over"
                ) from None
        return other(*args, **kwargs)  # its errors have no part in the one above

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes no captures of its own, and what the program reads is not asked."""
        return {**self.__dict__, "again": None, "reads": None}

    def _of_other_kinds(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for inputs of other kinds than the example's. None where these are of the same kinds, or where the program is not at hand any more."""
        if self.again is None or _C._is_capturing() or self.graph._version != self.version:
            return None
        given = list(_in_order(self.names, args, kwargs))
        kinds = _kinds(given)
        return None if kinds == self.kinds or len(given) != len(self.names) else self.again.of(kinds, args, kwargs)


def _in_order(names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The inputs of a call in the order of these names."""
    if not kwargs:
        return args
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in values:
            raise TypeError(f"forward() got an unexpected or repeated argument {name!r}; it takes {', '.join(names)}")
        values[name] = value
    missing = [n for n in names if n not in values]
    if missing:
        raise TypeError(f"forward() is missing the argument {missing[0]!r}")
    return tuple(values[n] for n in names)


def _has_list_or_dict(tree: _tree.TreeSpec) -> bool:
    """Whether a list or dict is among the nodes of a tree."""
    return (
        tree.type is list or (isinstance(tree.type, type) and issubclass(tree.type, dict)) or any(map(_has_list_or_dict, tree.children()))
    )


# Checking ----------------------------------------------------------------------------------------------------------------------------------


class TracingCheckError(Exception):
    """The graph gives other results than the function it was captured from."""


def _check(traced: _Traced, function: Callable[..., Any], runs: list[tuple[tuple[Any, ...], dict[str, Any]]], tolerance: float) -> None:
    for args, kwargs in runs:
        state = _C.default_generator.get_state()
        expected = function(*_copied_tensors(args), **_copied_tensors(kwargs))
        _C.default_generator.set_state(state)
        with unprinted():  # the function has printed this
            got = traced(*_copied_tensors(args), **_copied_tensors(kwargs))
        for difference in _differences(expected, got, tolerance):
            warnings.warn(
                f"Output nr {difference[0] + 1}. of the traced function does not match the corresponding output of the Python function: "
                f"{difference[1]}. Is the function deterministic?",
                TracerWarning,
                stacklevel=4,
            )


def _differences(expected: Any, got: Any, tolerance: float) -> list[tuple[int, str]]:
    """What two results differ in: the place among their leaves, and how."""
    return [
        (k, _mismatch(a, b)) for k, (a, b) in enumerate(zip(_leaves(expected), _leaves(got), strict=True)) if not _near(a, b, tolerance)
    ]


def _near(a: Any, b: Any, tolerance: float) -> bool:
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return not isinstance(a, Tensor) and not isinstance(b, Tensor) and bool(a == b or (a != a and b != b))
    if a.shape != b.shape or a.dtype != b.dtype or a.device != b.device:
        return False
    if a.is_meta:  # without values
        return True
    if not a.dtype.is_floating_point:
        return bool((a == b).all())
    return bool((((a - b).abs() <= tolerance + tolerance * a.abs()) | (a == b) | ((a != a) & (b != b))).all())


def _mismatch(a: Any, b: Any) -> str:
    if isinstance(a, Tensor) and a.shape == b.shape and a.device == b.device and a.dtype.is_floating_point:
        return f"they differ by up to {float((a - b).abs().max()):.3g}"
    return f"expected {a}, got {b}"


def _copied_tensors(tree: Any) -> Any:
    return _mapped(tree, lambda t: t.detach().clone().requires_grad_(t._requires_grad))


# What users call -----------------------------------------------------------------------------------------------------------------------------


def _example(example_inputs: Any, example_kwarg_inputs: dict[str, Any] | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if example_kwarg_inputs is not None and example_inputs is not None:
        raise RuntimeError("example_inputs and example_kwarg_inputs: give one of them, or put all inputs into example_kwarg_inputs")
    if example_inputs is None:
        return (), dict(example_kwarg_inputs or {})
    if isinstance(example_inputs, dict):
        return (), dict(example_inputs)
    if isinstance(example_inputs, Tensor):
        return (example_inputs,), {}
    if isinstance(example_inputs, list):
        return tuple(example_inputs), {}
    return tuple(example_inputs), {}


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: dict[str, Any] | None = None,
    _store_inputs: bool = True,
    *,
    control_flow: str = "keep",
    on_change: str = "raise",
) -> Any:
    """Runs the function once on example inputs, and records its operators as a graph. Returns a ScriptFunction, or a TopLevelTracedModule of a Module.

    example_inputs: a Tensor, or a tuple of inputs, each a tensor, or a tuple, list or dict of tensors.
    check_trace: runs the graph on the example, and on each of check_inputs. Warns where its results differ by more than check_tolerance.
    strict: False allows lists and dicts as results.
    control_flow: what happens where Python needs a bool or a number for a branch: "keep" (the default) keeps both sides of a branch, and loops, where it can
    and guards them where it cannot, "guard" checks the value at every run, "error" raises an error, "freeze" keeps the value of the example, as PyTorch does.
    on_change: what a call does when something that the function read outside of its arguments has changed since, such as a global or an attribute: "raise"
    (the default) raises an error, "recapture" captures the function again, "ignore" runs the graph, as PyTorch does. A call in another mode (train() or
    eval() of the result) has a capture of its own.

    Example:
        traced = torch.jit.trace(model, torch.rand(1, 3))
        print(traced.code)
        traced(x)
    """
    if isinstance(func, type) and issubclass(func, Module):
        raise TypeError(
            f"jit.trace got the class {func.__name__}, not an instance of it; call the class first: jit.trace({func.__name__}(...), inputs)"
        )
    if not callable(func):
        raise TypeError(f"jit.trace: expected a function or a module, but got {type(func).__name__}")
    if isinstance(func, Module):
        if isinstance(func, TopLevelTracedModule):
            warnings.warn("The input to trace is already a ScriptModule, tracing it is a no-op. Returning the object as is.", stacklevel=2)
            return func
        args, kwargs = _example(example_inputs, example_kwarg_inputs)
        runs = _check_runs(args, kwargs, check_trace, check_inputs)
        return trace_module(
            func,
            {"forward": (args, kwargs)},
            check_trace=False,
            strict=strict,
            control_flow=control_flow,
            on_change=on_change,
            _runs={"forward": runs},
            check_tolerance=check_tolerance,
        )
    args, kwargs = _example(example_inputs, example_kwarg_inputs)
    owner = getattr(func, "__self__", None)
    runs = _check_runs(args, kwargs, check_trace, check_inputs)
    held, module = _held(func), owner if isinstance(owner, Module) else None
    checked(on_change, "jit.trace")
    traced = _Traced(func, args, kwargs, module, strict, control_flow, on_change)

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        function = held()
        owner = getattr(function, "__self__", None)
        return function and _Traced(function, args, kwargs, owner if isinstance(owner, Module) else None, strict, control_flow, on_change)

    traced.again = _Again(make, held, traced)
    _check(traced, func, runs, check_tolerance)
    return ScriptFunction(traced, getattr(func, "__name__", "forward"), func)


def traced_again(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], module: Module | None, control_flow: str, on_change: str
) -> _Traced:
    """A trace that captures the function anew where what it reads demands it, for torch.capture. What the program writes is not done again, so it is not asked."""
    held = _held(function)
    module_held = None if module is None else weakref.ref(module)

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        f = held()
        owner = None if module_held is None else module_held()
        return None if f is None else without_writes(_Traced(f, args, kwargs, owner, False, control_flow, on_change))

    def without_writes(made: _Traced) -> _Traced:
        made.writes = False
        if made.reads is not None:
            _C._reads_forgive_writes(made.reads)
        return made

    made = without_writes(_Traced(function, args, kwargs, module, False, control_flow, on_change))
    made.again = _Again(make, held, made)
    return made


def _check_runs(args: Any, kwargs: Any, check_trace: bool, check_inputs: Any) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Inputs to check with: copies, taken before the function runs and may write to them."""
    if not check_trace:
        return []
    runs = [(args, kwargs)]
    for more in check_inputs or []:
        runs.append(((), more) if isinstance(more, dict) else ((more,) if isinstance(more, Tensor) else tuple(more), {}))
    return [(_copied_tensors(a), _copied_tensors(k)) for a, k in runs]


def trace_module(
    mod: Module,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_inputs_is_kwarg: bool = False,
    _store_inputs: bool = True,
    *,
    control_flow: str = "keep",
    on_change: str = "raise",
    _runs: Any = None,
) -> Any:
    """Traces several methods of a module, each with its example inputs: trace_module(net, {"forward": x, "encode": (x, y)})."""
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    traced: dict[str, _Traced] = {}
    for name, example in inputs.items():
        if isinstance(example, tuple) and len(example) == 2 and isinstance(example[0], tuple) and isinstance(example[1], dict):
            args, kwargs = example
        elif isinstance(example, dict) and example_inputs_is_kwarg:
            args, kwargs = (), example
        else:
            args, kwargs = _example(example, None)
        method = mod.forward if name == "forward" else getattr(mod, name)
        call = mod if name == "forward" else method
        runs = _runs[name] if _runs is not None else _check_runs(args, kwargs, check_trace, None)
        for more in check_inputs or []:
            given = more[name]
            runs += _check_runs((given,) if isinstance(given, Tensor) else tuple(given), {}, True, None)
        traced[name] = _Traced(_signed(call, method), args, kwargs, mod, strict, control_flow, on_change)
        again = _again_of_module(weakref.ref(mod), name, strict, control_flow, on_change)
        traced[name].again = _Again(again, weakref.ref(mod), traced[name], "" if name == "forward" else name)
        _check(traced[name], _signed(call, method), runs, check_tolerance)
    return TopLevelTracedModule(mod, traced)


def _again_of_module(held: Any, name: str, strict: bool, control_flow: str, on_change: str) -> Callable[..., _Traced | None]:
    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        mod = held()
        if mod is None:
            return None
        method = mod.forward if name == "forward" else getattr(mod, name)
        return _Traced(_signed(mod if name == "forward" else method, method), args, kwargs, mod, strict, control_flow, on_change)

    return make


def _signed(call: Any, method: Any) -> Callable[..., Any]:
    """`call` with the signature of `method`: a module runs with its hooks, but forward names the inputs."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    run.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    run.called = call  # type: ignore[attr-defined]
    return run


class ScriptFunction:
    """A traced function: call it, print its graph and code, save it."""

    def _graph_for_script(self) -> Graph:
        return self._traced.graph

    def __init__(self, traced: _Traced, name: str, original: Any):
        self._traced, self.name = traced, name
        self.__name__ = name
        self.__doc__ = getattr(original, "__doc__", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._traced(*args, **kwargs)

    @property
    def graph(self) -> Graph:
        return self._traced.graph

    @property
    def inlined_graph(self) -> Graph:
        return self._traced.graph

    @property
    def code(self) -> str:
        """The function in TorchScript's words."""
        return self.graph._to_text("code")

    @property
    def code_with_constants(self) -> tuple[str, ConstMap]:
        """`.code`, and the tensors that it calls CONSTANTS.c0, CONSTANTS.c1, …"""
        return code_with_constants(self.graph)

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the function as torch.jit.save does; a path that ends in .mgraph gets the graph, which torch.load_graph reads."""
        _save_traced(self, f, _extra_files)

    def _program(self) -> ArchiveProgram:
        return self._traced.program()

    def __repr__(self) -> str:
        return f"<torch.jit.ScriptFunction {self.name}>"


class TopLevelTracedModule(ScriptModule):
    """A traced module: runs its graphs; its parameters and buffers are those of the module that was traced."""

    def __init__(self, original: Module, traced: dict[str, _Traced]):
        super().__init__()
        self.__dict__["training"] = original.training
        self.__dict__["original_name"] = type(original).__name__
        self.__dict__["_methods"] = traced
        # Its own modules, with the same tensors: what is written to one of these, the other sees.
        structure = Structure(original, self)
        for method in traced.values():
            if method.reads is not None:
                structure.follow(method.reads)
            if method.again is not None:
                method.again.structure = structure

    def __getattr__(self, name: str) -> Any:
        methods = self.__dict__.get("_methods", {})
        return methods[name] if name in methods else super().__getattr__(name)

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the module as torch.jit.save does; a path that ends in .mgraph gets the graph of forward, which torch.load_graph reads."""
        _save_traced(self, f, _extra_files)

    def _program(self) -> ArchiveProgram:
        if len(self._methods) != 1:
            raise NotImplementedError(
                f"jit.save writes one traced method, but {self.original_name} has {', '.join(self._methods)}; trace each in a module of its own"
            )
        (traced,) = self._methods.values()
        return traced.program()

    def __copy__(self) -> TopLevelTracedModule:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"a traced module ({self.original_name}) cannot be deep-copied or pickled, since its graph runs on the parameters of the module that was traced. "
            "Copy or pickle that module and trace the copy, or save the graph: traced.inlined_graph.save(path), torch.load_graph(path)"
        )

    def _graph_for_script(self) -> Graph:
        return self.inlined_graph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if "forward" not in self._methods:
            raise RuntimeError(f"forward was not traced; the traced methods are {', '.join(self._methods)}")
        return self._methods["forward"](*args, **kwargs)

    @property
    def graph(self) -> Graph:
        """forward, in which calls of submodules are calls of their methods."""
        return self._methods["forward"].methods

    @property
    def inlined_graph(self) -> Graph:
        """forward with everything in place: the graph that runs, is saved and hashed."""
        return self._methods["forward"].graph

    @property
    def code(self) -> str:
        """forward in TorchScript's words."""
        return self.graph._to_text("code")

    @property
    def code_with_constants(self) -> tuple[str, ConstMap]:
        """`.code`, and the tensors that it calls CONSTANTS.c0, CONSTANTS.c1, …"""
        return code_with_constants(self.graph)

    def _get_name(self) -> str:
        return "TopLevelTracedModule"

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"

    def __repr__(self) -> str:
        return _text_of_traced(self.original_name, self._modules)


def _save_traced(traced: Any, f: Any, extra_files: Any) -> None:
    if is_mgraph(f):
        for method in traced._methods.values() if isinstance(traced, TopLevelTracedModule) else (traced._traced,):
            method.refuse_own_state()
        (traced._methods["forward"] if isinstance(traced, TopLevelTracedModule) else traced._traced).graph_of_modes().save(f)
    else:
        write(traced._program(), f, extra_files)


def _text_of_traced(name: str, modules: dict[str, Any]) -> str:
    """As PyTorch prints a traced module: of each module below it the name alone."""
    below = [(key, _text_of_traced(type(module).__name__, module._modules)) for key, module in modules.items() if module is not None]
    if not below:
        return f"{name}(original_name={name})"
    lines = [f"original_name={name}", *(f"({key}): {text}" for key, text in below)]
    return f"{name}(\n  " + "\n".join(lines).replace("\n", "\n  ") + "\n)"


for _class in (ScriptFunction, TopLevelTracedModule, TracerWarning, TracingCheckError):
    _class.__module__ = "monograph.jit._trace"
