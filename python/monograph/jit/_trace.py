"""torch.jit.trace: a function run once on example inputs, its operators recorded.

What PyTorch freezes silently is kept or guarded here: sizes stay symbolic, and a number or branch that Python took from a value is checked at every
run of the traced function, which raises with the line where it no longer holds.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import warnings
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from .. import _C, _tree
from .._changes import (
    MOST_CAPTURES,
    CaptureWords,
    Gradients,
    OtherCaptures,
    Structure,
    capture_of_now,
    checked,
    flipped_modes,
    input_notes,
    mode_notes,
    mode_paths,
    name_of,
    note_values,
    refuse_left_grad_mode,
    refuse_lost_hooks,
    refuse_other_inputs,
    refuse_unrepeatable,
    sets_class_attribute,
)
from .._compile import compiled_function
from .._result_types import type_notes
from .._state import Contents, modules_of, settle_written, state_kept, tensors_of
from .._tensor import Tensor
from .._unprinted import unprinted
from .._warnings import TracerWarning
from ..fx._lowering import Scopes
from ..fx._writes import made_is_told, refuse_lost_writes, told_tensor
from ..fx.graph import Graph
from ..fx.proxy import TraceError, _tracer_of, _user_line
from ..nn import Module
from ..nn.modules.module import _parts_of_traces
from ._archive import ArchiveProgram, is_mgraph, write
from ._classes import name_results
from ._constants import ConstMap, Printed, ScriptFunction
from ._own_state import kept_by, refusal_of, refuse, written_kept
from ._replay import Replay
from ._schema import schema_of
from ._script import ScriptModule
from ._values import _copied_tensors, _is_close, _leaves, _mapped, _mismatch, _tensors
from ._wrong_inputs import describe, missing as missing_input, repeated, unknown

# Trees of tensors ------------------------------------------------------------------------------------------------------------------------


def _check_input(value: Any, where: str) -> None:
    for leaf in _leaves(value):
        if not isinstance(leaf, Tensor) and type(leaf) not in (int, float):
            raise RuntimeError(
                f"Type '{type(leaf).__name__}' of {where} cannot be traced. Only Tensors, numbers, and (possibly nested) Lists, Dicts, and Tuples of "
                "them can be traced; give other values a default, or bind them with functools.partial"
            )


def _new_handles(tree: Any) -> Any:
    """The tree with other tensor objects over the same memory. So a parameter or constant that the function holds is no input, even if it is the example."""
    handles: dict[int, Tensor] = {}

    def handle(t: Tensor) -> Tensor:
        if id(t) not in handles:
            handles[id(t)] = t.view_as(t) if t.requires_grad and not t.is_leaf else t.detach().requires_grad_(t.requires_grad)
        return handles[id(t)]

    return _mapped(tree, handle)


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
    keywords: list[str] = []  # the keyword by which each is passed; "" for by position

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

    def call(*inputs: Any) -> Any:
        positional = [v for v, keyword in zip(inputs, keywords, strict=True) if not keyword]
        named = {keyword: v for v, keyword in zip(inputs, keywords, strict=True) if keyword}
        _C._reads_begin(root)
        result = root(*positional, **named)
        _C._reads_end()
        return result

    return names, values, call


class _Recording(Scopes):
    """The hook of a trace. It also sees torch.tensor(...), which makes a constant of the graph."""

    copies = False  # the function writes to such a constant, so the graph makes a copy at each run
    constants = False  # the function has made such a constant
    refuses = False  # what the graph would not do

    def __init__(self, root: Any):
        super().__init__(root)
        self.made: list[Tensor] = []

    def lost(self, done: str) -> None:
        if self.refuses:
            from ..fx.proxy import _user_line

            raise RuntimeError(
                f"torch.jit.trace: the function {done}, and a run of the graph would not:\n  {_user_line()}\nDo it outside of the function, or use torch.compile. "
                'on_change="ignore" leaves it out, as PyTorch does'
            )

    def make_constant(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
        self.constants = True
        tensor: Any = _C.tensor(*args, **{k: v for k, v in kwargs.items() if k != "requires_grad"})
        _C._note_made(tensor)
        tensor = tensor.clone() if self.copies else tensor
        self.made.append(tensor)
        return tensor.requires_grad_() if kwargs.get("requires_grad") else tensor


def _constants_of(leaves: list[Any]) -> dict[int, tuple[Tensor, bool]]:
    """The tensors in the result of a program that is being traced that are no values of the graph, by their place: each with whether the program has made it."""
    made = getattr(_C._capture_hook(), "made", ())
    return {k: (t, any(t is m for m in made)) for k, t in enumerate(leaves) if isinstance(t, Tensor) and not _C._is_captured(t)}


def _version(t: Tensor) -> int | None:
    """How often the tensor was written to; None where it was made in inference_mode, which does not count that."""
    return None if t.is_inference() else t._version


def _recorded(
    program: Callable[..., Any],
    values: list[Any],
    names: list[str],
    control_flow: str,
    module: Module | None,
    modules: list[Module],
    reads: Any,
) -> tuple[Graph, Any, Any]:
    """The graph of a run of the function, its result, and a graph with a method for each module. If the run fails, and nothing of the caller's was written, it is
    repeated: with copies of the tensors that torch.tensor(...) made, or with guards in place of kept branches."""
    hook, contents, state = _Recording(module), Contents([vars(m) for m in modules]), _C.default_generator.get_state()
    hook.refuses = reads is not None and control_flow != "freeze"
    tensors = _tensors([values, *([*m._parameters.values(), *m._buffers.values()] for m in modules)])
    versions = [_version(t) for t in tensors]
    trained = {n for n, p in module.named_parameters() if p._requires_grad} if module is not None and _C._is_grad_enabled() else set()

    def run(control_flow: str = control_flow) -> tuple[Graph, Any, Any]:
        outer_hook = _C._set_capture_hook(hook)
        try:
            with made_is_told():
                captured = _C._capture(program, values, names, "trace", control_flow, module, reads)
                refuse_lost_writes(captured[0], trained)
                return captured
        finally:
            _C._set_capture_hook(outer_hook)
            if reads is not None:
                _C._reads_forgive(reads, [told_tensor])
                _C._reads_forget(reads, [cache for m in modules if isinstance(m, ScriptModule) for cache in getattr(m, "_caches", tuple)()])
                settle_written(_C._reads_written(reads))
            Contents([vars(m) for m in modules]).settle()  # symbolic sizes that the function stored in modules become numbers

    def unwritten() -> bool:
        if None in versions or versions != [_version(t) for t in tensors]:
            return False
        contents.restore()
        _C.default_generator.set_state(state)
        return True

    try:
        return run()
    except Exception as error:
        # Code that needs a plain number fails if the capture keeps it symbolic. So the function runs again with guards; an error of its own is then raised again.
        hook.copies = isinstance(error, RuntimeError) and hook.constants
        if not hook.copies and (control_flow != "keep" or not isinstance(error, (TypeError, RuntimeError))):
            raise
        if not unwritten():
            raise
        first = error
    # Not while the first error is handled: what the program raises and catches itself would have it as its context, and count as refused, too.
    if hook.copies:
        return run()
    try:
        with unprinted():
            return run("guard")
    except Exception:
        raise first from None


def _held(value: Any) -> Any:
    """The lists and dicts in an input, with what they hold."""
    if isinstance(value, dict):
        return [*value], [*value.values()], [_held(part) for part in value.values()]
    if isinstance(value, (list, tuple)):
        return [*value], [_held(part) for part in value]
    return None


def _same_held(a: Any, b: Any) -> bool:
    if not isinstance(a, (list, tuple)):
        return a is b or (isinstance(a, str) and a == b)
    return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_same_held, a, b))


def _layout(value: Any, within: bool = False) -> Any:
    """The lengths of lists and the keys of dicts in an input, nested as it is, with the dtype and number of dims of each tensor in them; None for an input that is a
    tensor, which the graph checks."""
    if isinstance(value, dict):
        return tuple(value), tuple(_layout(part, True) for part in value.values())
    if isinstance(value, (list, tuple)):
        return tuple([_layout(part, True) for part in value])
    return (value.dtype, value.dim()) if within and isinstance(value, Tensor) else None


def _free_keywords(function: Callable[..., Any], kwargs: dict[str, Any]) -> tuple[str, ...]:
    """The keywords of a call that go into the function's **kwargs, in their order, which the function may see."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return ()
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        return ()
    named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return tuple(k for k in kwargs if k not in named)


def _kinds(tree: Any) -> Any:
    """What a graph is made for: the structure of the inputs, and of each tensor its dtype and number of dimensions."""
    leaves, structure = _tree.flatten(tree, subclasses=True)
    return str(structure), tuple((t.dtype, t.dim()) if isinstance(t, Tensor) else type(t) for t in leaves)


def _trained(tree: Any) -> tuple[bool, ...]:
    """Which of the tensors in the inputs require grad."""
    return tuple(t._requires_grad for t in _tensors(tree))


_WORDS = CaptureWords(
    "torch.jit.trace", "Trace it again", "Edit each mode's graph, or trace again in that mode", "What was traced is gone, or has eight captures already"
)


class _Recapture:
    """Captures the function again: for inputs of other kinds than the example's, and for other modes of its modules. It keeps no module alive.

    make: captures for given inputs. ref: returns the function or module, or None once it was freed. first: the first capture. method: of a module, the method.
    """

    def __init__(
        self, make: Callable[[tuple[Any, ...], dict[str, Any]], _Traced | None], ref: Any, first: _Traced, method: str = ""
    ):
        self.make, self.ref, self.first, self.method = make, ref, first, method
        self.others: OtherCaptures[_Traced] = OtherCaptures()
        # A program that writes to its own objects runs at each call, so it lives as long as its trace.
        self.held = ref() if first.writes else None
        self.structure: Structure | None = None
        self.compiled: Any = None

    def function(self) -> Any:
        """The captured function; None once it was freed."""
        owner = self.ref()
        return getattr(owner, self.method) if owner is not None and self.method else owner

    def modes(self) -> Any:
        """A context in which the original modules have the modes of the traced module."""
        return self.structure.modes() if self.structure is not None else contextlib.nullcontext()

    def of(self, kinds: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for inputs of these kinds, which holds for the present values of what the program reads. None where no more can be made."""

        def fits(capture: _Traced) -> bool:
            if capture.kinds != kinds or capture.default_dtype != _C._get_default_dtype() or (capture.reads is not None and capture.reads.check() is not None):
                return False
            if kwargs and capture.takes_other_keywords(kwargs):
                return False
            return capture.trained is None or capture.trained == _trained(_in_order(capture.names, args, kwargs))

        return self.first if fits(self.first) else self.others.find(fits, lambda: self._new(args, kwargs))

    def _new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        owner = self.ref()
        if owner is None:
            return None
        if self.structure is not None:
            self.structure.refuse_assigned(self.first.name)
        # This run only makes the graph. The graph then runs for the call, so what this run prints and writes is dropped.
        with self.modes(), state_kept(owner), unprinted():
            new = self.make(_copied_tensors(args), _copied_tensors(kwargs))
        if new is None:
            return None
        if self.structure is not None and new.reads is not None:
            self.structure.redirect(new.reads)
        new.again = self
        return new

    def as_program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function itself, under torch.compile, which repeats its writes to its own objects at each call."""
        if self.structure is not None:
            self.structure.refuse_assigned(self.first.name)
        if self.compiled is None:
            self.compiled = compiled_function(self.function(), False, None, "monograph", {}, None)
        with self.modes():
            return self.compiled(*args, **kwargs)


def _weakly_held(function: Any) -> Callable[[], Any]:
    """Returns the function, or None once it was freed. A function that holds no module is kept alive."""
    if isinstance(function, MethodType):
        return weakref.WeakMethod(function)
    if not isinstance(function, Module) and not modules_of(function):
        return lambda: function
    try:
        return weakref.ref(function)
    except TypeError:
        return lambda: None


@_C._natively
def _plain_result(result: Any, name: str) -> Any:
    """The result with Python's numbers as the keys of dicts: their hash was asked for, so a guard checks them. ValueError for what would be another value in the graph."""
    numpy = sys.modules.get("numpy")
    if _C._of_python(result) is not result or (numpy is not None and isinstance(result, numpy.generic)):
        raise ValueError(f"jit.trace: {name} returns a number of NumPy's, which no graph holds; return int(n) or float(n)")
    if isinstance(result, bytes):
        raise ValueError(f"jit.trace: {name} returns bytes, which no graph holds; return a tensor, a number or a str")
    if type(result) in (list, tuple):
        plain_items = [_plain_result(item, name) for item in result]
        return result if [*map(id, plain_items)] == [*map(id, result)] else type(result)(plain_items)
    if isinstance(result, dict):
        plain = [(_C._plain_key(k), _plain_result(v, name)) for k, v in result.items()]
        if any(id(k) != id(was) or id(v) != id(value) for (k, v), (was, value) in zip(plain, result.items(), strict=True)):
            made = result.copy()
            made.clear()
            made.update(plain)
            return made
    return result


def _exception_of(cls: type[BaseException], text: str) -> BaseException:
    """An __init__ in Python has made the text already, so it is not called again."""
    arguments = (text,) if text else ()
    return cls.__new__(cls, *arguments) if inspect.isfunction(cls.__init__) else cls(*arguments)


class _Traced:
    """One traced function: its graph, and the Python structure of its inputs and outputs."""

    again: _Recapture | None = None  # makes captures for other inputs and modes

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        module: Module | None,
        strict: bool,
        control_flow: str,
        on_change: str = "raise",
        replay: Replay | None = None,
    ):
        self.on_change, self.name = on_change, name_of(getattr(function, "called", function))
        self.reads = _C._reads() if on_change != "ignore" and _C._machine_supported() else None
        self.names, values, call = _bind(function, args, kwargs)
        self.keywords = _free_keywords(function, kwargs)
        for name, value in zip(self.names, values, strict=True):
            _check_input(value, f"the input {name}")
        given = values
        values = self.example = _new_handles(values)
        self.structure: Any = None  # of the result
        self.constants: dict[int, tuple[Tensor, bool]] = {}  # in the result

        forms = [_tree.flatten(value, subclasses=True)[1] for value in values]
        changed_inputs: list[str] = []

        def program(*inputs: Any) -> Any:
            given = [_tree.retyped(value, form) for value, form in zip(inputs, forms, strict=True)]  # with namedtuples in place of tuples
            before = [_held(value) for value in given]
            result = _plain_result(call(*given), self.name)
            changed_inputs[:] = [name for name, value, held in zip(self.names, given, before, strict=True) if not _same_held(_held(value), held)]
            if strict and _has_list_or_dict(_tree.flatten(result, subclasses=True)[1]):
                raise RuntimeError(
                    "Encountering a dict or list at the output of the tracer might cause the trace to be incorrect, this is only valid if the container "
                    "structure does not change based on the module's inputs. Consider using a constant container instead (e.g. for `list`, use a "
                    "`tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and know the side effects, pass "
                    "strict=False to trace() to allow this behavior."
                )
            leaves, self.structure = _tree.flatten(result, subclasses=True)
            self.constants = _constants_of(leaves)
            return _tree.plain(result)

        modules = [*modules_of(module), *modules_of(function)]
        gradients = Gradients(modules, [*_tensors(values), *tensors_of(function)]) if self.reads is not None else None
        grad_enabled = _C._is_grad_enabled()
        self.graph, result, self.methods = _recorded(program, values, self.names, control_flow, module, modules, self.reads)
        if replay is not None:
            replay.ran(result)
        structure: Any = self.structure
        for graph in (self.graph, self.methods):
            if graph is not None:
                name_results(graph, _tree.named_parts(structure))
        self._version_at_capture = self.graph._version
        if self.methods is not None:
            self.methods._inlined = (self.methods._version, self.graph)
        self.kinds, self.version = _kinds(values), self.graph._version
        # The program switches gradients on, which were off: its graph has the switches only where the result requires grad.
        self.trained = _trained(values) if self.reads is not None and _C._reads_asked_grad(self.reads) is False else None
        self.layout = tuple(map(_layout, values)) if any(not isinstance(v, Tensor) for v in values) else None
        self.branches = not self.graph.guards and any(_C._blocks(n) for n in self.graph.nodes)
        self.raised = _C._kept_raises()  # the classes of exceptions that the function raises in a branch, by name
        # Whether the program has written to its own objects. Then each of its calls must do so.
        self.writes = self.reads is not None and bool(_C._reads_changed(self.reads))
        self.kept = kept_by(self.reads) if self.reads is not None else []
        # It has changed something else that it read, such as an attribute of a class.
        found = self.reads.check() if self.reads is not None and not self.writes else None
        self.changed_itself = found if isinstance(found, str) else ""
        # It has changed a list or dict that it was given: each call must change that of its caller.
        self.changed_inputs = changed_inputs if self.reads is not None else []
        of_class = self.reads is not None and sets_class_attribute(self.reads)
        self.writes = self.writes or bool(self.changed_inputs) or bool(self.changed_itself) or of_class
        self.default_dtype = _C._get_default_dtype()
        if self.writes:
            self.graph._refuse_own_state = refusal_of(self)  # for Graph.save
        # What the program asks about its inputs beside their elements and sizes.
        self.asked = _C._reads_of_inputs(self.reads) if self.reads is not None and control_flow != "freeze" else []
        if self.reads is not None and control_flow != "freeze":
            refuse_unrepeatable(_WORDS.what, self.name, self.reads)
            refuse_other_inputs(_WORDS.what, self.name, self.asked, given)
            refuse_left_grad_mode(_WORDS.what, self.name, self.reads, grad_enabled)
            if any(isinstance(t, Tensor) and t.requires_grad for t in _tree.flatten(result)[0]):
                refuse_lost_hooks(_WORDS.what, self.name, self.reads)
            if gradients is not None:
                gradients.refuse_if_written(_WORDS.what, self.name, self.reads)
        if self.reads is not None:
            for graph in (self.graph, self.methods):
                if graph is not None:
                    note_values(graph, self.reads)
                    _C._set_relied_on(graph, [*_C._relied_on(graph), *type_notes(structure), *input_notes(self.asked)])
            self.graph._one_mode = mode_notes(self.reads)

    def program(self) -> ArchiveProgram:
        """What is saved: the graphs of both modes if the program reads a mode, can be captured in the other one too, and the graph was not edited."""
        current = self._of_this_mode()
        if current is not self:
            return current.program()
        self.refuse_own_state()
        return self._program_of_modes()._replace(keys=self._ordered_keys())

    def _captured_again(self, values: list[Any], times: int = 1) -> list[_Traced]:
        """Captures of the program's next calls. None of them if it was freed or its graph was edited; fewer if it cannot be captured then."""
        owner = self.again.ref() if self.again is not None else None
        if self.again is None or owner is None or self.graph._version != self.version:
            return []
        made: list[_Traced] = []
        with self.again.modes(), state_kept(owner), written_kept(self.reads), unprinted(), contextlib.suppress(Exception):
            for _ in range(times):
                other = self.again.make(tuple(_copied_tensors(values)), {})
                made += [] if other is None else [other]
        return made

    def refuse_own_state(self, what: str = "jit.save") -> None:
        """Raises if the program writes to its own objects so that its next call has another graph: no file can hold that."""
        refuse(self, what)

    def _ordered_keys(self) -> list[tuple[str, list[str]]]:
        """The inputs that are dicts, with their keys in order, if the order of the keys changes the graph; else nothing."""
        dicts = [(name, v) for name, v in zip(self.names, self.example, strict=True) if isinstance(v, dict) and len(v) > 1]
        dicts = [(name, v) for name, v in dicts if all(type(key) is str for key in v)]
        if not dicts:
            return []
        reversed_keys = [dict(reversed(v.items())) if isinstance(v, dict) else v for v in self.example]
        others = self._captured_again(reversed_keys)
        return [] if others and others[0].graph.hash() == self.graph.hash() else [(name, list(v)) for name, v in dicts]

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

    def printed(self, name: str, path: str = "") -> tuple[str, list[Any]] | None:
        """`.code` in the form in which PyTorch traces the program, and its constants; None for a graph that was edited since, or that returns NamedTuples.

        path: of a submodule, whose method of this name is meant.
        """
        methods, graph = self.methods, self.graph
        edited = graph._version != self._version_at_capture or (methods is not None and methods._version != methods._inlined[0])
        if edited or graph._notes is None or graph._in_tuples is not None:
            return None
        made: tuple[str, list[Any]] = _C._code_of_trace(graph, name, methods is not None, path)
        return made

    def graph_of_modes(self) -> Graph:
        """What a .mgraph file holds: a graph that reads the modes when it runs, where the graphs of the two have a common form; else that of this mode."""
        now = self._of_this_mode()
        if now is not self:
            return now.graph_of_modes()
        if self.reads is None or not _C._reads_modes(self.reads) or self.graph._version != self.version:
            return self.graph
        other = self._of_other_mode()
        joined: Graph | None = None if other is None else _C._join_modes(self.graph, other.graph, mode_paths(self.reads))
        return self.graph if joined is None else joined

    def _of_other_mode(self) -> _Traced | None:
        """The capture with each module in its other mode; None where there is none, or somebody has edited it."""
        if self.again is None:
            return None
        structure, function = self.again.structure, self.again.function()
        if function is None and structure is None:
            return None  # once the function was freed, a module that was traced has the captures that it has
        with structure.flipped() if structure is not None else flipped_modes(modules_of(function)):
            other = self._of_this_mode()
        return None if other is self or other.graph._version != other.version else other

    def _of_this_mode(self) -> _Traced:
        """The capture for the present modes of the modules; this one if there is no other."""
        if self.reads is None or self.again is None or not isinstance(self.reads.check(), tuple) or self.graph._version != self.version:
            return self
        try:
            return self.again.of(self.kinds, tuple(self.example), {}) or self
        except Exception:  # the program cannot be captured in this mode: the graph of the other mode is saved
            return self

    def _program_of_one_mode(self) -> ArchiveProgram:
        """The program with a method for each call of a module. If the graph was edited, or has guards (which hold for all of it), the program is one graph."""
        methods = self.methods
        if methods is None or self.graph._version != self._version_at_capture or methods._version != methods._inlined[0] or _C._guards(self.graph):
            return ArchiveProgram(self.graph)
        return ArchiveProgram(methods, parts=[], in_place=None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.branches and self.again is not None and _C._is_capturing() and (function := self.again.function()) is not None:
            return function(*args, **kwargs)  # runs in another capture, which keeps the branches itself
        if self.reads is not None and not _C._is_capturing():
            if self.asked:
                refuse_other_inputs(_WORDS.what, self.name, self.asked, (args, kwargs))
            found = self.reads.check()
            if found is not None or self.writes:
                return self._of_other_state(found, args, kwargs)
            if self.default_dtype != _C._get_default_dtype() and (other := self._of_other_dtype(args, kwargs)) is not None:
                return other._run(args, kwargs)
            if self.trained is not None and self.again is not None and self.graph._version == self.version:
                inputs = _in_order(self.names, args, kwargs)
                if _trained(inputs) != self.trained and (other := self.again.of(_kinds(list(inputs)), args, kwargs)) is not None:
                    return other._run(args, kwargs)
        if len(self.keywords) > 1 and not _C._is_capturing() and self.takes_other_keywords(kwargs):
            other = self._of_other_keywords(args, kwargs)
            if other is None:
                raise TypeError(f"{self.name} was captured with the keywords {', '.join(self.keywords)}, in this order, and now gets them as {', '.join(kwargs)}. {_WORDS.again}")
            return other._run(args, kwargs)
        if self.layout is not None and self.again is not None and not _C._is_capturing():
            inputs = _in_order(self.names, args, kwargs)
            if tuple(map(_layout, inputs)) != self.layout and (other := self._of_other_kinds(args, kwargs)) is not None:
                return other._run(args, kwargs)  # a list of another length, a dict in another order
        return self._run(args, kwargs)

    def takes_other_keywords(self, kwargs: dict[str, Any]) -> bool:
        """Whether a call gives **kwargs the names of the example in another order."""
        given = tuple(k for k in kwargs if k in self.keywords)
        return given != self.keywords and len(given) == len(self.keywords)

    def _of_other_keywords(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for this order of the names in **kwargs; None if there is none."""
        function = self.again.function() if self.again is not None and self.graph._version == self.version else None
        if self.again is None or function is None:
            return None
        return self.again.of(_kinds(_bind(function, args, kwargs)[1]), args, kwargs)

    def _of_other_dtype(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for the present default dtype, which constants of the program have; None if there is none."""
        if self.again is None or self.graph._version != self.version:
            return None
        return self.again.of(_kinds(list(_in_order(self.names, args, kwargs))), args, kwargs)

    def _of_other_state(self, found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call, if something that the program read has changed (`found` says what), or if it writes to its own objects."""
        edited = self.graph._version != self.version
        if self.writes and self.again is not None and not edited and self.again.function() is not None:
            return self.again.as_program(args, kwargs)
        if found is None:  # the function was freed, so nothing can see its writes
            return self._run(args, kwargs)

        def find() -> _Traced | None:
            return self.again.of(_kinds(list(_in_order(self.names, args, kwargs))), args, kwargs) if self.again is not None else None

        return capture_of_now(_WORDS, self.name, self.reads, self.on_change, found, edited, find)._run(args, kwargs)

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            result = _tree.retyped(self.graph(*_in_order(self.names, args, kwargs)), self.structure)
            return self._with_own_constants(result) if self.constants else result
        except _C._ScriptError as error:
            # A graph raises the common classes of errors itself. For another one, such as AssertionError, it gives the name, and the class is raised here.
            name, text = error._raised
            if name in self.raised:
                raise _exception_of(self.raised[name], text) from error
            raise type(error).__bases__[0](*error.args) from None
        except TypeError as error:
            if hasattr(error, "_begin"):  # a keyword that there is not
                self._describe(error, args)
                raise
            if _C._is_capturing() and self.again is not None and (function := self.again.function()) is not None:
                return function(*args, **kwargs)  # inputs of another rank or dtype: the enclosing capture records the function's own operators
            if _tracer_of((args, kwargs)) is None:
                other = self._of_other_kinds(args, kwargs)
                if other is None:
                    self._describe(error, args)
                    error.args = ("\n".join(filter(None, (str(error), self._why_no_other(args, kwargs)))),)
                    raise
            else:
                raise TraceError(
                    f"a traced function is called with a value of a symbolic trace, which has no node for it:\n  {_user_line()}\n"
                    "Call the function that it was traced from, or use torch.jit.trace, which takes its operators over"
                ) from None
        return other(*args, **kwargs)  # outside of the except clause, so that its errors do not name the TypeError as their context

    def _with_own_constants(self, result: Any) -> Any:
        """The result with the program's own tensors in place of the graph's copies, and with new ones for what the program makes at each call."""
        if self.graph._version != self.version:
            return result
        leaves, structure = _tree.flatten(result, subclasses=True)
        for k, (tensor, made) in self.constants.items():
            leaves[k] = leaves[k].clone() if made else tensor
        return structure.unflatten(leaves)

    def _describe(self, error: TypeError, args: tuple[Any, ...]) -> None:
        """Puts PyTorch's words in front of those of an error for wrong inputs."""
        if isinstance(error, _C._WrongInput):
            word = self.name.partition(" ")[0].rpartition(".")[2]
            name = "forward" if self.name.startswith("the module ") else word if word.isidentifier() else "_lambda"
            describe(error, name, lambda: schema_of(name, self.graph), args)

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes no other captures, and does not check what the program has read."""
        return {**self.__dict__, "again": None, "reads": None}

    def _of_other_kinds(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        """The capture for inputs of other kinds than the example's; None if they are of the same kinds, or if no capture can be made."""
        if self.again is None or _C._is_capturing() or self.graph._version != self.version:
            return None
        inputs = list(_in_order(self.names, args, kwargs))
        kinds = _kinds(inputs)
        return None if kinds == self.kinds or len(inputs) != len(self.names) else self.again.of(kinds, args, kwargs)

    def _why_no_other(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """Why there is no capture for inputs of other kinds than the example's; nothing if these are of the same kinds."""
        inputs = list(_in_order(self.names, args, kwargs))
        capturable = (Tensor, int, float, complex, str, list, tuple, dict, type(None))
        if self.again is None or len(inputs) != len(self.names) or _kinds(inputs) == self.kinds or not all(isinstance(v, capturable) for v in inputs):
            return ""
        if self.graph._version != self.version:
            return "Inputs of another rank or dtype have a capture of their own, but this graph has been edited. Trace again with such inputs"
        if self.again.function() is None:
            return "Inputs of another rank or dtype have a capture of their own, but what was traced is gone. Keep it, or trace it again with such inputs"
        full = len(self.again.others) >= MOST_CAPTURES
        return f"At most {MOST_CAPTURES} captures are kept for inputs of another rank or dtype, and there are as many. Trace it again with such inputs" if full else ""


def _in_order(names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The inputs of a call in the order of these names."""
    if not kwargs:
        return args
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in values:
            text = f"forward() got an unexpected or repeated argument {name!r}; it takes {', '.join(names)}"
            raise unknown("forward", name, text) if name not in names else repeated(name, text)
        values[name] = value
    missing = [n for n in names if n not in values]
    if missing:
        raise missing_input("forward", missing[0], f"forward() is missing the argument {missing[0]!r}")
    return tuple(values[n] for n in names)


def _has_list_or_dict(tree: _tree.TreeSpec) -> bool:
    """Whether a list or dict is among the nodes of a tree."""
    return (
        tree.type is list or (isinstance(tree.type, type) and issubclass(tree.type, dict)) or any(map(_has_list_or_dict, tree.children()))
    )


# Checking ----------------------------------------------------------------------------------------------------------------------------------


class TracingCheckError(Exception):
    """The graph gives other results than the function it was captured from."""


def _check(
    traced: _Traced, function: Callable[..., Any], runs: list[tuple[tuple[Any, ...], dict[str, Any]]], tolerance: float, replay: Replay | None
) -> None:
    for k, (args, kwargs) in enumerate(runs):
        if k == 0 and replay is not None:
            expected, got = replay.result, replay.results(lambda args=args, kwargs=kwargs: traced._run(_copied_tensors(args), _copied_tensors(kwargs)))  # type: ignore[misc]
        else:
            state = _C.default_generator.get_state()
            expected = function(*_copied_tensors(args), **_copied_tensors(kwargs))
            _C.default_generator.set_state(state)
            with unprinted():  # the function has printed the same already
                got = traced(*_copied_tensors(args), **_copied_tensors(kwargs))
        for difference in _differences(expected, got, tolerance):
            warnings.warn(
                f"Output nr {difference[0] + 1}. of the traced function does not match the corresponding output of the Python function: "
                f"{difference[1]}. Is the function deterministic?",
                TracerWarning,
                stacklevel=4,
            )


def _differences(expected: Any, got: Any, tolerance: float) -> list[tuple[int, str]]:
    """The differences between two results: the index among their leaves, and a description."""
    return [
        (k, _mismatch(a, b)) for k, (a, b) in enumerate(zip(_leaves(expected), _leaves(got), strict=True)) if not _is_close(a, b, tolerance)
    ]


# The public functions and classes -----------------------------------------------------------------------------------------------------------


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
    check_trace: runs the graph on the example, and warns where its results differ from those of the function's one run by more than check_tolerance. On each of
    check_inputs the function and its graph both run.
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
    ref, module = _weakly_held(func), owner if isinstance(owner, Module) else None
    checked(on_change, "jit.trace")
    replay = _replay(func, module, runs, on_change)
    traced = _Traced(func, args, kwargs, module, strict, control_flow, on_change, replay)

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        function = ref()
        owner = getattr(function, "__self__", None)
        return function and _Traced(function, args, kwargs, owner if isinstance(owner, Module) else None, strict, control_flow, on_change)

    traced.again = _Recapture(make, ref, traced)
    _check(traced, func, runs, check_tolerance, replay)
    return TracedFunction(traced, getattr(func, "__name__", "forward"), func)


def traced_again(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], module: Module | None, control_flow: str, on_change: str, replay: Replay | None = None
) -> _Traced:
    """A trace for torch.capture: if something that the function reads has changed, it captures the function again. Writes of the program to its own objects are
    not repeated by a call, so they are ignored here."""
    ref = _weakly_held(function)
    module_ref = None if module is None else weakref.ref(module)

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        f = ref()
        owner = None if module_ref is None else module_ref()
        return None if f is None else without_writes(_Traced(f, args, kwargs, owner, False, control_flow, on_change))

    def without_writes(traced: _Traced) -> _Traced:
        if traced.changed_inputs:
            traced.refuse_own_state("capture")
        traced.writes = False
        if traced.reads is not None:
            _C._reads_forgive_writes(traced.reads)
        return traced

    traced = without_writes(_Traced(function, args, kwargs, module, False, control_flow, on_change, replay))
    traced.again = _Recapture(make, ref, traced)
    return traced


def _replay(function: Any, module: Module | None, runs: list[Any], on_change: str) -> Replay | None:
    """For a check without a second run of the function. With on_change="ignore" nothing watches what the function reads, so it runs again, as in PyTorch."""
    return Replay(function, module, _copied_tensors) if runs and on_change != "ignore" and _C._machine_supported() else None


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
        replay = _replay(call, mod, runs, on_change)
        for more in check_inputs or []:
            inputs_of_run = more[name]
            runs += _check_runs((inputs_of_run,) if isinstance(inputs_of_run, Tensor) else tuple(inputs_of_run), {}, True, None)
        traced[name] = _Traced(_with_signature(call, method), args, kwargs, mod, strict, control_flow, on_change, replay)
        make = _recapture_of_method(weakref.ref(mod), name, strict, control_flow, on_change)
        traced[name].again = _Recapture(make, weakref.ref(mod), traced[name], "" if name == "forward" else name)
        _check(traced[name], _with_signature(call, method), runs, check_tolerance, replay)
    return TopLevelTracedModule(mod, traced)


def _recapture_of_method(module_ref: Any, name: str, strict: bool, control_flow: str, on_change: str) -> Callable[..., _Traced | None]:
    """Captures the method again, as long as the module lives."""

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Traced | None:
        mod = module_ref()
        if mod is None:
            return None
        method = mod.forward if name == "forward" else getattr(mod, name)
        call = mod if name == "forward" else method
        return _Traced(_with_signature(call, method), args, kwargs, mod, strict, control_flow, on_change)

    return make


def _with_signature(call: Any, method: Any) -> Callable[..., Any]:
    """`call` with the signature of `method`: a module runs with its hooks, but forward names the inputs."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    run.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    run.called = call  # type: ignore[attr-defined]
    return run


class TracedFunction(ScriptFunction):
    """A traced function: call it, print its graph and code, save it."""

    def _graph_for_script(self) -> Graph:
        return self._traced.graph

    def __init__(self, traced: _Traced, name: str, original: Any):
        self._traced, self.name = traced, name
        self.__name__ = name
        self.__doc__ = getattr(original, "__doc__", None)
        self._home = getattr(original, "__module__", "")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._traced(*args, **kwargs)

    @property
    def graph(self) -> Graph:
        return self._traced.graph

    @property
    def inlined_graph(self) -> Graph:
        return self._traced.graph

    @property
    def schema(self) -> Any:
        """The FunctionSchema: names and types of the arguments, and the type of the result."""
        return schema_of(self.name, self._traced.graph)

    def _text_graph(self) -> Graph:
        return self.graph

    def _told(self) -> tuple[str, list[Any]]:
        return self._traced.printed(self.name if self.name.isidentifier() else "_lambda") or super()._told()

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the function as torch.jit.save does; a path that ends in .mgraph gets the graph, which torch.load_graph reads."""
        _save_traced(self, f, _extra_files)

    def _program(self) -> ArchiveProgram:
        return self._traced.program()


def _note_parts(traced: TopLevelTracedModule, structure: Structure) -> None:
    """Lets the submodules of a traced module answer what their code and graph are."""
    whole = weakref.ref(traced)

    def text(part: Module, name: str) -> Any:
        found = whole()
        path = None if found is None else next((path for path, module in found.named_modules() if module is part), None)
        if found is None or path is None:
            raise AttributeError(f"this {type(part).__name__} was a part of a traced module, which is gone, so that it has no {name}")
        return found._text_of_part(path, name)

    for _, part in structure.modules:
        _parts_of_traces[id(part)] = text
        weakref.finalize(part, _parts_of_traces.pop, id(part), None).atexit = False


class TopLevelTracedModule(Printed, ScriptModule):
    """A traced module: runs its graphs; its parameters and buffers are those of the module that was traced."""

    def __init__(self, original: Module, traced: dict[str, _Traced]):
        super().__init__()
        self.__dict__["training"] = original.training
        self.__dict__["original_name"] = type(original).__name__
        self.__dict__["_methods"] = traced
        # It has modules of its own, which share the parameters and buffers of the original ones.
        structure = self.__dict__["_structure"] = Structure(original, self)
        if "forward" in traced:
            _note_parts(self, structure)
        for method in traced.values():
            if method.reads is not None:
                structure.redirect(method.reads)
            if method.again is not None:
                method.again.structure = structure

    def __getattr__(self, name: str) -> Any:
        methods = self.__dict__.get("_methods", {})
        return methods[name] if name in methods else super().__getattr__(name)

    def _text_of_part(self, path: str, name: str) -> Any:
        """`.code` and the like of a submodule."""
        forward = self._methods["forward"]
        if name in ("graph", "inlined_graph"):
            graph = None if forward.methods is None else _C._method_of_trace(forward.methods, path)
            if graph is None:
                raise AttributeError(f"the trace calls no forward() of '{path}', so that it has no {name}")
            if name == "inlined_graph" and graph.findNode("prim::CallMethod") is not None:
                raise AttributeError(f"'{path}' calls other modules; the inlined_graph of the whole trace has their operators in the place of the calls")
            return graph
        text, tensors = forward.printed("forward", path) or (None, None)
        if text is None or tensors is None:
            raise AttributeError(f"the graph of the trace was edited, or returns NamedTuples, so that '{path}' has no {name}")
        return text if name == "code" else (text, ConstMap({f"c{k}": t for k, t in enumerate(tensors)}))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if "_structure" in self.__dict__:
            self._structure.assign(name, value)

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the module as torch.jit.save does; a path that ends in .mgraph gets the graph of forward, which torch.load_graph reads."""
        _save_traced(self, f, _extra_files)

    def _program(self) -> ArchiveProgram:
        if len(self._methods) == 1:
            (traced,) = self._methods.values()
            return traced.program()
        methods = {name: traced._of_this_mode() for name, traced in self._methods.items()}
        for name, traced in methods.items():
            traced.refuse_own_state()
            refused = "writes outside of itself" if traced.writes else "depends on the order of a dict's keys" if name != "forward" and traced._ordered_keys() else ""
            if refused:
                raise NotImplementedError(
                    f"jit.save: {name}() of {self.original_name} {refused}, and an archive has no such method beside others, but the "
                    f"traced methods are {', '.join(self._methods)}; trace each in a module of its own"
                )
        program = self._program_of_methods(methods)
        return program._replace(keys=methods["forward"]._ordered_keys()) if "forward" in methods else program

    def _program_of_methods(self, methods: dict[str, _Traced]) -> ArchiveProgram:
        """Several methods in one program, in both modes where one of them reads a mode and all can be captured in the other one."""
        program = ArchiveProgram(_C._graphs_as_program([(name, traced.graph) for name, traced in methods.items()], self))
        reading = {name: traced for name, traced in methods.items() if traced.reads is not None and _C._reads_modes(traced.reads)}
        if not reading:
            return program
        of_one_mode = program._replace(one_mode=True)
        others = {name: traced._of_other_mode() for name, traced in reading.items()}
        if None in others.values():
            return of_one_mode
        with self._structure.flipped():
            graphs = [(name, (others.get(name) or traced).graph) for name, traced in methods.items()]
            other = _C._graphs_as_program(graphs, self)
        paths = list(dict.fromkeys(path for traced in reading.values() for path in mode_paths(traced.reads)))
        return program._replace(in_place=lambda: of_one_mode, other_mode=other, modes=paths)

    def __copy__(self) -> TopLevelTracedModule:
        result = object.__new__(type(self))
        result.__dict__.update(self.__dict__)
        return result

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

    def _text_graph(self) -> Graph:
        return self.graph

    def _told(self) -> tuple[str, list[Any]]:
        return self._methods["forward"].printed("forward") or super()._told()

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
    """The text of a traced module, as PyTorch prints it: only the names of the classes."""
    children = [(key, _text_of_traced(type(module).__name__, module._modules)) for key, module in modules.items() if module is not None]
    if not children:
        return f"{name}(original_name={name})"
    lines = [f"original_name={name}", *(f"({key}): {text}" for key, text in children)]
    return f"{name}(\n  " + "\n".join(lines).replace("\n", "\n  ") + "\n)"


for _class in (ScriptFunction, TracedFunction, TopLevelTracedModule, TracerWarning, TracingCheckError):
    _class.__module__ = "monograph.jit._trace"
