"""What a trace read outside of its arguments: modes of modules, attributes, globals, closures. Each call of the traced function checks whether it has changed.

A mode counts as an input: a call in another mode (train, eval) uses a capture of its own. Any other change is an error, unless `on_change` says otherwise.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import re
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from . import _C, _settings, _tree
from ._ops import _tables as _operator_tables
from ._tensor import Tensor
from ._warnings import TracerWarning
from .nn import Module
from .nn._module_hooks import _GLOBAL

_C._set_tables_of_all(_GLOBAL)
ON_CHANGE = ("raise", "recapture", "ignore")
MOST_CAPTURES = 8  # the most captures of one function, besides the first
Capture = TypeVar("Capture")


# How the reads name modes of the thread and the default dtype. They are modes as training is, so each has a capture of its own.
_MODES_OF_THREAD = ("torch.is_grad_enabled()", "torch.is_inference_mode_enabled()", "torch.get_default_dtype()")


def checked(on_change: str, what: str) -> str:
    """The option itself; ValueError where it is none of ON_CHANGE. `what`: the name of the capture, for the message."""
    if on_change not in ON_CHANGE:
        raise ValueError(f"{what}: on_change must be one of {', '.join(map(repr, ON_CHANGE))}, but got {on_change!r}")
    return on_change


def name_of(function: Any) -> str:
    """The name of a function, with its file and line, or of a module in a message. A method of a module counts as the module."""
    owner = getattr(function, "__self__", function)
    if isinstance(owner, Module):
        return f"the module {type(owner).__name__}"
    code = getattr(function, "__code__", None)
    return getattr(function, "__qualname__", "the function") + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")


def _in_words(found: str) -> str:
    """G['x'] is the global x."""
    return re.sub(r"^((?:the values of|the program writes to) )?G\['(\w+)'\]", r"\1the global \2", found)


def changed(what: str, name: str, found: str, again: str = "Capture it again", has_options: bool = True) -> RuntimeError:
    """The error of a call when something has changed."""
    options = '. With on_change="recapture" such a call captures it anew; on_change="ignore" keeps the graph, as PyTorch does'
    return RuntimeError(
        f"{name} was captured by {what}, and what it read has changed since: {_in_words(found)}. The graph holds for the old value. {again}, or pass the value as an "
        f"input{options if has_options else ''}"
    )


def note_values(graph: Any, reads: Any) -> None:
    """Notes in the graph the numbers and texts that the program read. `monograph info FILE` prints them."""
    _C._set_relied_on(graph, [_in_words(line) for line in _C._reads_values(reads)])


# Functions that give another result at each run, which no graph can compute: by the function, or by its module or class where that holds for all of them, what it does
# and what to do instead.
_CLOCK = ("reads a clock", "Read it outside")
_UNREPEATABLE = {
    "_random.Random": ("draws from Python's random numbers", "Draw with torch.rand(())"),
    **dict.fromkeys(["posix.urandom", "posix.getrandom"], ("draws from the system's random numbers", "Draw with torch.rand(())")),
    # The names of these modules differ between versions of NumPy.
    **dict.fromkeys(
        [f"numpy.random.{owner}" for owner in ("RandomState", "mtrand.RandomState", "Generator", "_generator.Generator")],
        ("draws from NumPy's random numbers", "Draw with torch.rand(())"),
    ),
    "_contextvars.ContextVar": ("reads a context variable", "Read it outside"),
    **dict.fromkeys(
        ["time", "datetime.datetime", "datetime.date", "posix.times", "resource.getrusage", "_signal.getitimer", "_uuid.generate_time_safe"], _CLOCK
    ),
    "io.open": ("opens a file", "Read it outside"),
    **dict.fromkeys(
        [f"_io._IOBase.{method}" for method in ("getvalue", "getbuffer", "read", "read1", "readline", "readlines", "tell")], ("reads a file or stream", "Read it outside")
    ),
    "decimal.getcontext": ("reads the context of decimal numbers", "Read it outside"),
    "numpy._core._multiarray_umath._get_extobj_dict": ("asks how NumPy treats errors", "Ask it outside"),
    "sys.getrefcount": ("counts the references to an object, of which a capture has some", "Count them outside"),
}


def decimal_context() -> tuple[Any, ...]:
    """How Python's decimal numbers are computed in this thread now."""
    import decimal

    now = decimal.getcontext()
    return (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, *sorted(signal.__name__ for signal, on in now.traps.items() if on))


_OLDER_ITERATOR = ("takes the next value of an iterator that was made before", "Take it outside")

# Methods of a deque after which nothing depends on what it holds.
_DEQUE_WRITES = tuple(f"collections.deque.{method}" for method in ("append", "appendleft", "extend", "extendleft", "clear"))

# Side effects that a graph does not repeat, by their kind.
_LOST = {
    "print": "prints what the graph does not show",
    "warn": "calls warnings.warn",
    "logging": "writes by logging",
}


def _warn_of_lost(what: str, name: str, unseen: list[Any]) -> None:
    """Warns where the program printed, warned or logged something that no node of the graph records."""
    for effect, words in _LOST.items():
        places = [place for kind, callee, _, place in unseen if ("warn" if callee == "_warnings.warn" else kind) == effect]
        if places:
            warnings.warn(
                f"{what}: {name} {words}, while it is captured only. A run of the graph does not do it again:\n  " + "\n  ".join(dict.fromkeys(places)),
                TracerWarning,
                stacklevel=2,
            )


_WRITES = ("_io._IOBase.write", "_io._IOBase.writelines", "posix.write")


def _of_library(place: str) -> bool:
    return "site-packages" in place or "lib/python" in place


def _refuse_lost_output(what: str, name: str, unseen: list[Any]) -> None:
    """Raises where the program writes to a file or stream, which a graph does not repeat; warns where a library does, of a progress bar for example. Text that
    it collects in memory of its own is no output."""
    made: set[str] = set()
    for _, callee, done, place in unseen:
        words = done.split()
        made.update(word.strip("().") for word in words if not callee and word.startswith("_io."))
        if callee not in _WRITES or words[-1].rpartition(".")[0] in made:
            continue
        if not _of_library(place):
            raise RuntimeError(
                f"{what}: {name} {done}, which writes to a file or stream, and a run of the graph would not:\n  {place}\nUse print(text), which a graph repeats, write "
                'outside of the function, or use torch.compile. on_change="ignore" leaves it out, as PyTorch does'
            )
        warnings.warn(f"{what}: {name} {done} while it is captured only. A run of the graph does not do it again:\n  {place}", TracerWarning, stacklevel=4)


def refuse_unrepeatable(what: str, name: str, reads: Any) -> None:
    """Raises if the program read a random number, a time or a count: each run of the graph would use that of the capture. Warns of prints and logs, which a
    graph does not repeat."""
    unseen = _C._reads_unseen(reads)
    _warn_of_lost(what, name, unseen)
    _refuse_lost_output(what, name, unseen)
    callees = [*(callee for _, callee, _, _ in unseen[1:]), ""][: len(unseen)]
    for (kind, callee, done, place), following in zip(unseen, callees, strict=True):
        if kind == "same_input":
            raise RuntimeError(
                f"{what}: {name} {done}, and this graph takes them for different ones:\n  {place}\nAsk by `a is b` "
                'of two inputs, which a graph keeps, or pass a bool that says so. on_change="ignore" takes them for different ones, as PyTorch does'
            )
        if kind == "older_deque" and following not in _DEQUE_WRITES:
            raise RuntimeError(
                f"{what}: {name} reads a collections.deque that was made before, and a call does not see whether it has changed:\n  {place}\n"
                'Keep the values in a list, or use torch.compile. on_change="ignore" keeps those of the capture, as PyTorch does'
            )
        if kind == "array_of_objects":
            raise RuntimeError(
                f"{what}: {name} reads an array of Python objects that was made before, and a call does not see whether it has changed:\n  {place}\n"
                'Keep the objects in a list, or use torch.compile. on_change="ignore" keeps those of the capture, as PyTorch does'
            )
        if kind == "seed":
            raise RuntimeError(
                f"{what}: {name} {done}, which a graph does not do, so that it would draw other random numbers:\n  {place}\nSet where the stream begins outside of the function, "
                'or use torch.compile. on_change="ignore" leaves it out, as PyTorch does'
            )
        if kind == "matched":
            raise RuntimeError(
                f"{what}: {name} {done}, which is unknown while it is traced:\n  {place}\nMatch on a number, such as x.dim(), write the cases with if, or use "
                "torch.jit.trace or torch.compile"
            )
        if kind == "default_dtype":
            raise RuntimeError(
                f"{what}: {name} {done}, which a graph does not do:\n  {place}\nGive the dtype to what makes tensors, as in torch.ones(2, dtype=torch.float64), set the "
                "default outside, or use torch.compile"
            )
        if kind == "left_set":
            raise RuntimeError(
                f"{what}: {name} {done}, and a run of the graph does not set it:\n  {place}\nReset it by the token that set() gives, set it outside, or use "
                'torch.compile. on_change="ignore" leaves it out, as PyTorch does'
            )
        if kind in ("lost_state", "lost_hooks"):
            raise RuntimeError(
                f"{what}: {name} {done}, and a run of the graph would not:\n  {place}\nDo it outside of the function, or use torch.compile. "
                'on_change="ignore" leaves it out, as PyTorch does'
            )
        if kind == "frozen":
            raise RuntimeError(
                f"{what}: {name} {done}, and each run of the graph would have that of the capture again:\n  {place}\nPass what depends on it as an input, "
                'or use torch.compile. on_change="ignore" keeps that of the capture, as PyTorch does'
            )
        owner = callee.rpartition(".")[0]
        words, way = _OLDER_ITERATOR if kind == "older_iterator" else _UNREPEATABLE.get(callee) or _UNREPEATABLE.get(owner, ("", ""))
        if (((words, way) == _CLOCK and owner != "_uuid") or owner in ("io", "_io._IOBase")) and (_of_library(place) or " (through " in place):
            continue  # a clock that a library reads, for a progress bar, is no part of the program; nor is a file that it reads, such as a table
        if words:
            raise RuntimeError(
                f"{what}: {name} {words}, and each run of the graph would have that of the capture again:\n  {place}: {done}\n{way}, and pass "
                'the number as an input, a tensor. on_change="ignore" keeps that of the capture, as PyTorch does'
            )
    for kind, _, done, place in unseen:
        if kind == "address" and not _of_library(place) and " (through " not in place:
            raise RuntimeError(
                f"{what}: {name} {done}, which is another object at each call:\n  {place}\nPass what depends on it as an input, or use torch.compile. "
                'on_change="ignore" keeps that of the capture, as PyTorch does'
            )


def sets_class_attribute(reads: Any) -> bool:
    """Whether the program sets an attribute of a class. No list of what it writes has it: a class belongs to nobody."""
    return any(kind == "class_attribute" and not _of_library(place) for kind, _, _, place in _C._reads_unseen(reads))


def refuse_other_inputs(what: str, name: str, asked: list[tuple[str, str, str]], inputs: Any) -> None:
    """Raises if the program asked for the type of an input, or for an attribute that a program may give to a tensor, and one of these inputs would answer otherwise
    than the plain tensors that the program of a trace runs with. `asked`: of _reads_of_inputs."""
    for leaf in _tree.flatten(inputs, subclasses=True)[0]:
        if not isinstance(leaf, Tensor):
            continue
        own = leaf.__dict__
        for attribute, words, place in asked:
            if attribute in own if attribute else type(leaf) is not Tensor or leaf._is_parameter or "_is_buffer" in own:
                got = f"one with the attribute .{attribute}" if attribute else f"a {'Buffer' if '_is_buffer' in own else type(leaf).__name__}"
                raise RuntimeError(
                    f"{what}: {name} {words}, and its graph holds for plain tensors alone, but an input is {got}:\n  {place}\n"
                    'Pass a bool that says so, or use torch.compile. on_change="ignore" takes all inputs for plain tensors'
                )


def input_notes(asked: list[tuple[str, str, str]]) -> list[str]:
    """For a file: what it holds for, of what refuse_other_inputs() checks."""
    return [f"no input has the attribute .{attribute}" if attribute else "the inputs are plain tensors, no parameters" for attribute, _, _ in asked]


# What puts a function on a tensor that a backward pass is to call.
_HOOKS = ("_add_hook()", "_add_accumulation_hook()", "_retain_grad()", "register_hook()")


def refuse_lost_hooks(what: str, name: str, reads: Any) -> None:
    """Raises where the program puts a hook on a tensor, and its result has a gradient: a graph has operators alone, so its backward pass would leave the hook out."""
    for kind, _, done, place in _C._reads_unseen(reads):
        if kind == "lasting" and any(word in done for word in _HOOKS):
            raise RuntimeError(
                f"{what}: {name} puts a hook on a tensor, or asks for its .grad, and the gradient of a graph would not call it:\n  {place}\n"
                'Put it on the result, behind the call, or use torch.compile. on_change="ignore" leaves it out, as PyTorch does'
            )


def refuse_left_grad_mode(what: str, name: str, reads: Any, before: bool) -> None:
    """Raises where the program has left gradients on or off, other than it found them: a run of the graph would not. They are as before then."""
    if _C._is_grad_enabled() == before:
        return
    _C._set_grad_enabled(before)
    done, place = next(((done, place) for kind, _, done, place in reversed(_C._reads_unseen(reads)) if kind == "grad_mode"), ("leaves gradients switched", ""))
    raise RuntimeError(
        f"{what}: {name} {done}, and a run of the graph would not:\n  {place}\nUse torch.no_grad() or torch.set_grad_enabled() in a `with` block, or use torch.compile. "
        'on_change="ignore" leaves it out, as PyTorch does'
    )


class Gradients:
    """The .grad of the parameters of these modules, of inputs, and of other tensors that the program names, before a capture: a graph adds nothing to them."""

    def __init__(self, modules: list[Module], inputs: list[Any]):
        parameters = {id(p): p for p in [*(p for m in modules for p in m.parameters()), *inputs] if isinstance(p, Tensor) and p.is_leaf}
        self.before = [(p, p.grad, None if p.grad is None else p.grad._version) for p in parameters.values()]

    def refuse_if_written(self, what: str, name: str, reads: Any) -> None:
        """Raises where the program has called backward() on a loss of these."""
        if all(p.grad is grad and (grad is None or grad._version == version) for p, grad, version in self.before):
            return
        places = [place for kind, _, done, place in _C._reads_unseen(reads) if kind == "lasting" and "backward()" in done]
        raise RuntimeError(
            f"{what}: {name} adds to the .grad of a parameter or input, or of another tensor, and a run of the graph would not:\n  {places[0] if places else ''}\n"
            'Return the loss and call backward() on it outside, take the gradients with torch.autograd.grad, or use torch.compile. on_change="ignore" '
            "leaves it out, as PyTorch does"
        )


def changed_mode(what: str, name: str, reads: Any, modes: tuple[bool, ...], why: str) -> RuntimeError:
    """The error for a call in a mode for which there is no capture, and none can be made. `why` says why not."""
    words = {True: "training", False: "evaluation"}
    place, captured = next((n, old) for (n, old), new in zip(_C._reads_modes(reads), modes, strict=True) if old != new)
    return RuntimeError(f"{name} was captured by {what} with {place} = {captured}, and now is in {words[not captured]} mode. {why}")


class CaptureWords(NamedTuple):
    """The parts of error messages that differ between jit.trace, symbolic_trace and so on."""

    what: str  # the name of the capture
    again: str = "Capture it again"
    edited: str = "Capture again in that mode"  # the way out where the graph was edited
    gone: str = "What was captured is gone, or has eight captures already"


def capture_of_now(
    words: CaptureWords, name: str, reads: Any, on_change: str, found: Any, edited: bool, find: Callable[[], Capture | None]
) -> Capture:
    """The capture for the present values, after something that the program read has changed. `found`: what has changed, or the new modes. `find`: returns
    the capture, or None."""
    if isinstance(found, str) and on_change != "recapture" and not found.startswith(_MODES_OF_THREAD):
        raise changed(words.what, name, found, words.again)
    capture = None if edited else find()
    if capture is not None:
        return capture
    why = f"The graph has been edited, and an edited graph has no other captures. {words.edited}" if edited else f"{words.gone}. {words.again}"
    raise changed(words.what, name, found, why) if isinstance(found, str) else changed_mode(words.what, name, reads, found, why)


class OtherCaptures(list[Capture]):
    """The captures of a program for other modes, values and inputs than the first one's."""

    def find(self, fits: Callable[[Capture], bool], make: Callable[[], Capture | None]) -> Capture | None:
        """A capture that fits, or a new one; None where no more can be made."""
        for capture in self:
            if fits(capture):
                return capture
        new = make() if len(self) < MOST_CAPTURES else None
        if new is not None:
            self.append(new)
        return new


@contextlib.contextmanager
def flipped_modes(modules: list[Module]) -> Iterator[None]:
    """A context in which each of these modules is in its other mode."""
    for m in modules:
        m.__dict__["training"] = not m.__dict__["training"]
    try:
        yield
    finally:
        for m in modules:
            m.__dict__["training"] = not m.__dict__["training"]


_MODE_NOTE = "the mode of "


def mode_notes(reads: Any) -> list[str]:
    """For a file that holds one mode: the modes that the program read, a line each."""
    paths, modes = mode_paths(reads), [training for _, training in _C._reads_modes(reads)]
    words = {True: "training", False: "evaluation"}
    return [f"{_MODE_NOTE}{path or 'the module'} is {words[training]}" for path, training in zip(paths, modes, strict=True)]


def noted_modes(lines: list[str]) -> list[bool]:
    """Of what a file relied on, the modes that mode_notes() gave: True for training."""
    return [line.endswith(" is training") for line in lines if line.startswith(_MODE_NOTE) and line.endswith((" is training", " is evaluation"))]


def mode_paths(reads: Any) -> list[str]:
    """The paths of the modules of a traced module whose mode it read."""
    return [name.removeprefix("self").removeprefix(".").removesuffix("training").removesuffix(".") for name, _ in _C._reads_modes(reads)]


# The structure of a traced module ------------------------------------------------------------------------------------------------------------

# The dicts and sets that a module keeps: its parameters, buffers, modules and hooks.
TABLES = tuple(name for name, value in vars(Module()).items() if isinstance(value, (dict, set)))
_OF_STRUCTURE = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


@functools.lru_cache(1)
def _own_modules(loaded: int) -> list[Any]:
    """The modules of this package. `loaded`, the number of loaded modules, is the key of the cache: an import may add some."""
    package = __name__.partition(".")[0]
    return [m for name, m in list(sys.modules.items()) if name == package or name.startswith(package + ".")]


def forget_package(reads: Any) -> None:
    """For a symbolic trace: drops the reads of this package's functions and operators, which the graph calls by name. Their first use adds an entry to a module
    (torch.compiler), a namespace (torch.ops.aten.relu) or sys.modules; that is no write of the program."""
    own = [vars(m) for m in _own_modules(len(sys.modules)) if m is not _settings]
    _C._reads_forget(reads, [sys.path_importer_cache, *own, *_operator_tables()])
    _C._reads_forget_modules(reads, __name__.partition(".")[0])


def forget_structure(root: Any, reads: Any) -> None:
    """For a symbolic trace: drops the reads of this package, and the reads of the module's structure, since the graph has a copy of it."""
    forget_package(reads)
    if isinstance(root, Module):
        _C._reads_forget_structure(reads, "self", [f".{name}" for name in TABLES])


class Structure:
    """A copy of the submodules and tables of a module, for the module that was traced from it. Both share parameters and buffers."""

    def __init__(self, root: Module, traced: Module):
        self.modules: list[tuple[Any, Any]] = []  # (original, copy) of each submodule
        self.of_freed: list[Any] = []  # weak references to the copies, once the original was freed
        self.copies: list[tuple[Any, Any]] = []  # the same, and (original, copy) of each dict and set
        self_ref = weakref.ref(self)
        self.root, self.traced = weakref.ref(root, lambda _: _released(self_ref)), weakref.ref(traced)
        self.redirected_reads: list[Any] = []  # the reads that were redirected to the copies
        self._copy_by_id: dict[int, Any] = {id(root): traced}
        tables = {name: self._copy(root, name) for name in TABLES}
        traced.__dict__.update((name, tables[name]) for name in _OF_STRUCTURE)
        self._copy_children(traced)
        self.fields = [(root.__dict__, traced.__dict__)]
        # The attributes that the program finds in the traced module: those of the original, and what has been assigned since.
        self.attributes = {**{name: self._copy_by_id.get(id(value), value) for name, value in root.__dict__.items()}, **tables}
        self.copies.append((root.__dict__, self.attributes))
        self.assigned: set[str] = set()  # those of the original that have been assigned in the traced module
        self._kind = type(root)

    def _copy(self, module: Module, name: str) -> Any:
        table = module.__dict__[name]
        table_copy = copy.copy(table)
        self.copies.append((table, table_copy))
        return table_copy

    def _copy_children(self, module: Module) -> None:
        children = module.__dict__["_modules"]
        for name, child in children.items():
            if child is not None:
                children[name] = self._copy_of(child)

    def _copy_of(self, module: Module) -> Any:
        known = self._copy_by_id.get(id(module))
        if known is not None:
            return known
        if any(hasattr(module, name) for name in ("_graph_for_script", "_graph")) or any(name not in module.__dict__ for name in TABLES):
            return self._copy_by_id.setdefault(id(module), module)  # a captured program, which is not copied
        module_copy = object.__new__(type(module))
        self._copy_by_id[id(module)] = module_copy
        module_copy.__dict__.update(module.__dict__)
        self.modules.append((module, module_copy))
        self.copies += [(module, module_copy), (module.__dict__, module_copy.__dict__)]
        for name in TABLES:
            module_copy.__dict__[name] = self._copy(module, name)
        self._copy_children(module_copy)
        return module_copy

    def assign(self, name: str, value: Any) -> None:
        """An attribute is assigned in the traced module: a program that has read it is no more the one that was captured."""
        if name == "training" or any(name in self.attributes[table] for table in _OF_STRUCTURE):
            return
        if name in self.attributes or hasattr(self._kind, name):
            self.assigned.add(name)
        self.attributes[name] = value

    def refuse_assigned(self, name: str) -> None:
        """Raises where the original module would run in the place of the traced one, which has other attributes."""
        if self.assigned:
            places = ", ".join(sorted(self.assigned))
            raise RuntimeError(
                f"{name}: {places} was assigned in the traced module, and this call runs the module that was traced, which has another. Assign it there, and trace it again"
            )

    def redirect(self, reads: Any) -> None:
        """Redirects reads of the original modules to the copies."""
        root, traced = self.root(), self.traced()
        if root is not None and traced is not None:
            self.redirected_reads.append(reads)
            _C._reads_follow(reads, [(root, traced), *self.copies], self.fields)

    @contextlib.contextmanager
    def modes(self) -> Iterator[None]:
        """A context in which the original modules have the modes of their copies, for a new capture of the original."""
        pairs = [(m, copied) for m, copied in [(self.root(), self.traced()), *self.modules] if m is not None and copied is not None]
        saved_modes = [m.__dict__["training"] for m, _ in pairs]
        for original, copied in pairs:
            original.__dict__["training"] = copied.__dict__["training"]
        try:
            yield
        finally:
            for (original, _), training in zip(pairs, saved_modes, strict=True):
                original.__dict__["training"] = training

    def flipped(self) -> contextlib.AbstractContextManager[None]:
        """A context in which each module of the traced one is in its other mode."""
        return flipped_modes([m for m in [self.traced(), *(copied for _, copied in self.modules), *(ref() for ref in self.of_freed)] if m is not None])

    def release(self) -> None:
        """The original was freed: its dicts cannot change any more, so they need no checks."""
        freed = [fields for pairs in (self.fields, self.copies) for fields, _ in pairs if isinstance(fields, dict)]
        for reads in self.redirected_reads:
            _C._reads_forget(reads, freed)
        self.of_freed = [weakref.ref(copied) for _, copied in self.modules]
        self.modules, self.copies, self.fields, self.redirected_reads, self._copy_by_id = [], [], [], [], {}


def _released(structure_ref: Any) -> None:
    structure = structure_ref()
    if structure is not None:
        structure.release()
