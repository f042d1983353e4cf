"""Texts and effects of captured programs.

An f-string, str() or "..." % n of a value that a graph computes is a text that the graph computes. print(), warnings.warn() and a logger's methods become nodes,
which print, warn and log at each run. The capture machine calls a Texts for both (python/bindings/effects.cpp, proxy_forks.cpp). The functions at the end of
the file run when the graph runs.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import io
import logging
import os
import re
import string
import sys
import threading
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import _C
from ._tensor import Tensor
from ._unprinted import beneath, is_unprinted

_PACKAGE = os.path.dirname(__file__) + os.sep

# Functions that make texts, and functions with effects. The machine passes their calls to Texts.call.
TEXTS: tuple[Any, ...] = (str, repr, format, str.format, str.join)
_LEVELS: dict[Any, int | None] = {}
for _name, _level in (("debug", 10), ("info", 20), ("warning", 30), ("warn", 30), ("error", 40), ("critical", 50), ("fatal", 50)):
    _LEVELS[getattr(logging.Logger, _name)] = _LEVELS[getattr(logging, _name)] = _level
_LEVELS[logging.Logger.log] = _LEVELS[logging.log] = None
EFFECTS: tuple[Any, ...] = (print, warnings.warn, *_LEVELS)

# Types whose text depends on nothing but the value.
PLAIN = (str, int, float, bool, complex, type(None), bytes, _C.dtype, _C.device)
_INT_SPEC = re.compile(r"(.?[<>=^])?[-+ ]?#?0?\d*[,_]?[bdoxXn]?|(.?[<>=^])?[-+ ]?0?\d*(\.\d+)?[eEfFgG%]", re.DOTALL)
_FLOAT_SPEC = re.compile(r"(.?[<>=^])?[-+ ]?0?\d*((\.\d+)?[eEfFgG%])?|(.?[<>=^])?[-+ ]?\d*[,_](\.\d+)?[eEfFgG%]", re.DOTALL)
_TEXT_SPEC = re.compile(r"(.?[<>^])?0?\d*(\.\d+)?s?", re.DOTALL)
_PERCENT = re.compile(r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+)?)?[hlL]?(?P<type>.)", re.DOTALL)


class Unknown(Exception):
    """The graph cannot compute this text, so Python makes it."""


class Texts:
    """How texts and effects are recorded. Each kind of capture has a subclass."""

    # What a subclass defines --------------------------------------------------------------------------------------------------------------
    def is_leaf(self, value: Any) -> bool:
        """Whether the graph computes the value: a number, a text or a tensor."""
        raise NotImplementedError

    def node(self, what: str, *args: Any) -> Any:
        """A node that computes a text from the arguments: "str", "repr", "join" (of two texts) or "format" (with a spec)."""
        raise NotImplementedError

    def formatted(self, value: Any, spec: str) -> Any:
        """format(value, spec) of a leaf."""
        raise NotImplementedError

    def whole(self, value: Any) -> Any:
        """A leaf as "%d" takes it."""
        raise NotImplementedError

    def effect(self, what: str, *args: Any) -> None:
        """Makes the node of an effect. In a capture that runs the program on an example, the effect also happens."""
        raise NotImplementedError

    def in_block(self) -> bool:
        """Whether the program is in a branch or loop that the graph keeps."""
        raise NotImplementedError

    # What the machine calls. NotImplemented: Python makes the text ------------------------------------------------------------------------
    def format(self, value: Any, conversion: str, spec: Any) -> Any:
        return self._known(lambda: self._format(value, conversion, _plain(spec)))

    def put_together(self, *parts: Any) -> Any:
        return self._known(lambda: self._joined(parts))

    def percent(self, text: str, values: Any) -> Any:
        return self._known(lambda: self._percent(text, values))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        methods: dict[Any, Callable[..., Any]] = {
            print: self._print, warnings.warn: self._warn, str: self._str, repr: lambda value: self._shown(value, True),
            format: lambda value, spec="": self._format(value, "", _plain(spec)), str.format: self._str_format, str.join: self._join,
        }  # fmt: skip
        call = methods.get(function) or functools.partial(self._log, function)
        try:
            inspect.signature(call).bind(*args, **kwargs)
        except TypeError:
            return NotImplemented  # Python's own call raises the error
        return self._known(lambda: call(*args, **kwargs))

    def _known(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except Unknown:
            return NotImplemented

    # Texts --------------------------------------------------------------------------------------------------------------------------------
    def _shown(self, value: Any, as_repr: bool) -> Any:
        """str(value), or repr(value)."""
        if self.is_leaf(value):
            return self._leaf(value, as_repr)
        kind = type(value)
        if kind is _C.Size:
            return self._joined(["torch.Size([", *_interleaved(", ", [self._shown(v, True) for v in value]), "])"])
        if kind is tuple:
            ends = ("(", ",)" if len(value) == 1 else ")")
        elif kind is list:
            ends = ("[", "]")
        elif kind is dict:
            pairs = [self._joined([self._shown(k, True), ": ", self._shown(v, True)]) for k, v in value.items()]
            return self._joined(["{", *_interleaved(", ", pairs), "}"])
        elif isinstance(value, PLAIN):
            return repr(value) if as_repr else str(value)
        elif isinstance(getattr(kind, "__repr__" if as_repr or kind.__str__ is object.__str__ else "__str__", None), types.FunctionType):
            text: str = _C._watched(repr if as_repr else str, value)  # a method of the program: what it reads is noted, and values in its text are guarded
            return text
        else:
            raise Unknown
        return self._joined([ends[0], *_interleaved(", ", [self._shown(v, True) for v in value]), ends[1]])

    def _leaf(self, value: Any, as_repr: bool) -> Any:
        return self.node("repr" if as_repr else "str", value)

    def _format(self, value: Any, conversion: str, spec: str) -> Any:
        if conversion == "a":
            raise Unknown
        if conversion:
            value = self._shown(value, conversion == "r")
        if self.is_leaf(value):
            return self.formatted(value, spec)
        if type(value) is str or not holds(value, self.is_leaf):
            return format(value, spec)
        if spec:
            raise Unknown
        return self._shown(value, False)

    def _joined(self, parts: Any) -> Any:
        """The concatenation of strs and texts of the graph."""
        merged: list[Any] = []
        for part in parts:
            if type(part) is not str or not merged or type(merged[-1]) is not str:
                merged.append(part)
            else:
                merged[-1] += part
        merged = [part for part in merged if type(part) is not str or part] or [""]
        return functools.reduce(lambda text, part: self.node("join", text, part), merged)

    def _str(self, value: Any) -> Any:
        return self._shown(value, False)

    def _join(self, separator: str, parts: Any) -> Any:
        if type(separator) is not str or type(parts) not in (tuple, list) or not all(type(p) is str or self.is_leaf(p) for p in parts):
            raise Unknown
        return self._joined(_interleaved(separator, list(parts)))

    def _str_format(self, text: str, *args: Any, **kwargs: Any) -> Any:
        if type(text) is not str:
            raise Unknown
        numbers = iter(range(len(args) + 1))
        formatter = string.Formatter()

        def filled(template: str) -> list[Any]:
            parts: list[Any] = []
            for literal, field, spec, conversion in formatter.parse(template):
                parts.append(literal)
                if field is None:
                    continue
                name = re.match(r"[^.\[]*", field)[0]  # type: ignore[index]
                value, _ = formatter.get_field(field if name else f"{next(numbers)}{field}", args, kwargs)
                parts.append(self._format(value, conversion or "", _plain(self._joined(filled(spec or "")))))
            return parts

        return self._joined(filled(text))

    def _percent(self, text: str, values: Any) -> Any:
        mapping = values if isinstance(values, dict) else None
        remaining = list(values) if isinstance(values, tuple) else [values]
        parts: list[Any] = []
        end = 0  # of the last field
        for field in _PERCENT.finditer(text):
            parts.append(text[end : field.start()])
            end = field.end()
            if field["type"] == "%":
                parts.append("%")
                continue
            if field["width"] == "*" or field["precision"] == "*" or (field["key"] is not None) != (mapping is not None):
                raise Unknown
            if mapping is None and not remaining:
                raise TypeError("not enough arguments for format string")
            value = mapping[field["key"]] if mapping is not None else remaining.pop(0)
            parts.append(self._percent_field(field, value))
        if mapping is None and remaining:
            raise TypeError("not all arguments converted during string formatting")
        if "%" in text[end:]:
            raise Unknown
        parts.append(text[end:])
        return self._joined(parts)

    def _percent_field(self, field: re.Match[str], value: Any) -> Any:
        """The text of one field, such as "%5.2f"."""
        kind, flags, width = field["type"], field["flags"], field["width"] or ""
        precision = "." + (field["precision"] or "0") if "." in field[0].rpartition(")")[2] else ""
        if not holds(value, self.is_leaf):
            if not isinstance(value, PLAIN) and not isinstance(value, (tuple, list, dict, _C.Size)):
                raise Unknown
            return ("%" + flags + width + precision + kind) % (value,)
        align = "<" if "-" in flags else ">"
        if kind in "srd" and kind != "d":
            return self._format(self._shown(value, kind == "r"), "", f"{align}{width}{precision}" if width or precision else "")
        if "#" in flags or not self.is_leaf(value):
            raise Unknown
        sign = "+" if "+" in flags else " " if " " in flags else ""
        fill = "0" if "0" in flags and "-" not in flags else ""
        if kind in "diu" and not precision:
            return self.formatted(self.whole(value), f"{'' if fill else align}{sign}{fill}{width}d")
        if kind in "eEfFgG":
            return self.formatted(value, f"{'' if fill else align}{sign}{fill}{width}{precision}{kind}")
        raise Unknown

    # Effects ------------------------------------------------------------------------------------------------------------------------------
    def _print(self, *args: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False) -> None:
        sep, end = " " if sep is None else _plain(sep), "\n" if end is None else _plain(end)
        stdout, stderr = streams()
        file = beneath(file)
        if not isinstance(sep, str) or not isinstance(end, str) or beneath(sys.stdout) is not stdout or (file is not None and file is not stdout and file is not stderr):
            raise Unknown
        line = self._joined(_interleaved(sep, [self._shown(a, False) for a in args]))
        if file is stderr and file is not stdout:
            self.effect("write", self._joined([line, end]), True)
        elif end == "\n":
            self.effect("print", line)
        else:
            self.effect("write", self._joined([line, end]), False)

    def _warn(self, message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
        if isinstance(message, Warning):
            if message.args and len(message.args) > 1 or type(message).__str__ is not Warning.__str__:
                raise Unknown
            category = type(message)
            message = message.args[0] if message.args else ""
        category = UserWarning if category is None else category
        if not (isinstance(category, type) and issubclass(category, Warning)) or source is not None or not isinstance(stacklevel, int):
            raise Unknown
        if type(category.__init__) is not type(Warning.__init__) or _class_of(_name_of(category)) is not category:
            raise Unknown
        text = message if self.is_leaf(message) else self._shown(message, False)
        module, file, line = _place(stacklevel)
        action = own_action("" if self.is_leaf(text) else text, category, module, line)
        if action == "ignore":
            return
        if action:  # filters that the program has set decide, and a call of the graph would ask those of its caller
            if action not in ("error", "record") or self.is_leaf(text) or not file or (action == "record" and self.in_block()):
                raise Unknown
            warn(text, _name_of(category), module, file, line)
            return
        note_writers(_places_of_warnings())
        self.effect("warn", text, _name_of(category), module, file, line)

    def _log(self, function: Any, *args: Any, exc_info: Any = None, stack_info: bool = False, stacklevel: int = 1, extra: Any = None) -> None:
        if exc_info or stack_info or extra:
            raise Unknown
        name, args = "", args
        if function in _METHODS:
            logger, *remaining = args
            args = tuple(remaining)
            if type(logger) is not logging.Logger and type(logger) is not logging.RootLogger:
                raise Unknown
            name = logger.name
            if logging.root.manager.loggerDict.get(name) is not logger and logger is not logging.root:
                raise Unknown
        level = _LEVELS[function]
        if level is None:
            level, *remaining = args
            args = tuple(remaining)
        if not args or type(level) is not int:
            raise Unknown
        message, *values = args
        message = message if self.is_leaf(message) else self._shown(message, False)
        if values:
            operands: Any = values[0] if len(values) == 1 and isinstance(values[0], Mapping) and values[0] else tuple(values)
            try:
                message = self._percent(_plain(message), operands) if holds(operands, self.is_leaf) else _plain(message) % operands
            except (TypeError, ValueError, KeyError):
                raise Unknown from None  # logging itself reports a wrong format, and goes on
        _, file, line, function_name = _place_of_call(stacklevel)
        note_writers(_places_of_logs(logging.getLogger(name) if name else logging.root))
        self.effect("message", name, level, message, file, line, function_name)


_METHODS = frozenset(f for f in _LEVELS if f.__qualname__.startswith("Logger."))


class GraphTexts(Texts):
    """The texts and effects of a trace, and of a graph in operators: each is a node that calls an operator."""

    _OPERATORS = {"str": "aten::str", "repr": "prim::repr", "format": "prim::format", "join": "aten::add.str"}
    _EFFECTS = {"print": "prim::Print", "write": "prim::Write", "warn": "aten::warn.at", "message": "prim::Log"}

    def is_leaf(self, value: Any) -> bool:
        return bool(_C._is_of_graph(value))

    def node(self, what: str, *args: Any) -> Any:
        return _C._text_node(self._OPERATORS[what], args)

    def _leaf(self, value: Any, as_repr: bool) -> Any:
        if isinstance(value, Tensor) and type(value) is not Tensor:
            raise Unknown
        if as_repr and type(value) in (_C.NumpyInt, _C.NumpyFloat):
            raise Unknown
        if type(value) is _C.SymbolicText:
            return self.node("repr", value) if as_repr else value
        if type(value) is _C.SymbolicList:
            return self._joined(["torch.Size(", self.node("str", value), ")"]) if _C._is_shape(value) else _unknown()
        return self.node("str", value)

    def formatted(self, value: Any, spec: str) -> Any:
        kind = type(value)
        if isinstance(value, Tensor):
            dtype = value.dtype if not value._is_symbolic else None  # None: a spec that does not fit the dtype is an error when the graph runs
            fits = [k.fullmatch(spec) for k in (_INT_SPEC, _FLOAT_SPEC)]
            if kind is not Tensor or not (not spec or (any(fits) if dtype is None else not dtype.is_complex and fits[dtype.is_floating_point])):
                raise Unknown
            return self.node("format", value, spec)
        if kind is _C.SymbolicList:
            return self._leaf(value, False) if not spec else _unknown()
        if not spec:
            return value if kind is _C.SymbolicText else self.node("str", value)
        known = _TEXT_SPEC if kind is _C.SymbolicText else _FLOAT_SPEC if kind is _C.SymFloat else _INT_SPEC
        if not known.fullmatch(spec):
            raise Unknown
        return self.node("format", value, spec)

    def whole(self, value: Any) -> Any:
        number = NotImplemented if isinstance(value, Tensor) and value._is_symbolic else _C._captured_number(False, value)
        return _unknown() if number is NotImplemented else number

    def in_block(self) -> bool:
        return bool(_C._is_in_block())

    def effect(self, what: str, *args: Any) -> None:
        example = _C._effect_node(self._EFFECTS[what], args)
        if example is not None:
            _do(what, example)


def _unknown() -> Any:
    raise Unknown


def _interleaved(separator: str, parts: list[Any]) -> list[Any]:
    return [x for k, part in enumerate(parts) for x in ((separator, part) if k else (part,))]


def _plain(text: Any) -> Any:
    """The str of the example for a text that the graph computes, which is then guarded."""
    return text if type(text) is str or not isinstance(text, str) else str(text)


def holds(value: Any, is_leaf: Callable[[Any], bool]) -> bool:
    """Whether a value is a leaf, or holds one in its tuples, lists and dicts."""
    if is_leaf(value):
        return True
    if isinstance(value, dict):
        return any(holds(v, is_leaf) for pair in value.items() for v in pair)
    return isinstance(value, (tuple, list)) and any(holds(v, is_leaf) for v in value)


# Places -------------------------------------------------------------------------------------------------------------------------------------


def _is_machinery(file: str) -> bool:
    """Whether the file belongs to this package, except its layers."""
    return file.startswith(_PACKAGE) and not file.startswith(_PACKAGE + "nn" + os.sep)


def _caller() -> Any:
    """The frame of the program whose call is recorded."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _place(stacklevel: int) -> tuple[str, str, int]:
    """The module, file and line that warnings.warn names. If stacklevel leads beyond the captured function: "", "", and how many callers above the call of the
    graph the place is."""
    frame = _caller()
    for remaining in range(max(stacklevel, 1) - 1, 0, -1):
        frame = frame.f_back
        if frame is None or _is_machinery(frame.f_code.co_filename):
            return "", "", remaining
    return str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename, frame.f_lineno


def _place_of_call(stacklevel: int) -> tuple[str, str, int, str]:
    """The same for a message of a logger, with the name of the function. It has no module, and a place beyond the captured function is not told."""
    frame = _caller()
    for _ in range(max(stacklevel, 1) - 1):
        if frame.f_back is None or _is_machinery(frame.f_back.f_code.co_filename):
            break
        frame = frame.f_back
    return "", frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def _name_of(category: type) -> str:
    return category.__name__ if category.__module__ == "builtins" else f"{category.__module__}.{category.__qualname__}"


def _class_of(name: str) -> Any:
    module, _, class_name = name.rpartition(".")
    return getattr(sys.modules.get(module or "builtins"), class_name, None)


# Who hears of effects -----------------------------------------------------------------------------------------------------------------------


def _state_of_warnings() -> tuple[Any, ...]:
    module: Any = warnings
    return list(module.filters), module.showwarning, module._showwarnmsg_impl


def own_action(text: str, category: type, module: str, line: int) -> str:
    """What filters that the program has set since the capture began make of this warning: an action of theirs, or "record" if a list of the program's takes it.
    "" if the filters of before decide."""
    begun = getattr(_here, "warnings", None)
    now = _state_of_warnings()
    if begun is None or begun == now:
        return ""
    filters: list[Any] = now[0]
    action: str = warnings.defaultaction  # type: ignore[attr-defined]
    at = len(filters)
    for k, (known, message, kind, place, at_line) in enumerate(filters):
        if _matches(message, text) and issubclass(category, kind) and _matches(place, module) and at_line in (0, line):
            action, at = known, k
            break
    own = len(filters) - len(begun[0])  # how many filters stand in front of those of before
    if at >= own >= 0 and filters[own:] == begun[0] and begun[1:] == now[1:]:
        return ""
    if action in ("ignore", "error"):
        return action
    recorded = isinstance(getattr(now[2], "__self__", None), list) and now[1] is getattr(warnings, "_showwarning_orig", None)
    return "record" if recorded and begun[1:] != now[1:] else "show"


def _matches(pattern: Any, text: str) -> bool:
    return pattern is None or (pattern == text if isinstance(pattern, str) else pattern.match(text) is not None)


def note_writers(objects: list[Any]) -> None:
    """Objects and globals that an effect of the program writes to. If the program also reads one of them, the effect cannot be left to the graph's run."""
    for o in objects:
        if type(o) is _Global:
            _C._note_writer(o.fields, o.name)
        else:
            _C._note_writer(o)


class _Global(NamedTuple):
    fields: dict[str, Any]
    name: str


@functools.lru_cache(256)
def _stored_globals(code: types.CodeType) -> tuple[str, ...]:
    return tuple(dict.fromkeys(i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")))


def _parts_of(o: Any, depth: int = 2) -> list[Any]:
    """An object with what its attributes hold."""
    fields = getattr(o, "__dict__", {}) if depth else {}
    parts = [part for v in fields.values() if not isinstance(v, (*PLAIN, types.ModuleType, type)) for part in _parts_of(v, depth - 1)]
    return [o, *parts]


def _parts_of_function(f: Any, depth: int = 3) -> list[Any]:
    """What a function of Python may write to: the globals that it sets, and what its cells and the globals that it names hold. `depth`: of the functions that it calls."""
    f = getattr(f, "__func__", f)
    if not isinstance(f, types.FunctionType):
        return _parts_of(getattr(f, "__self__", f), 1)
    held = []
    for cell in f.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:
            continue
    held += [f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__]
    called = [v for v in held if depth and isinstance(v, types.FunctionType) and v is not f and v.__module__ == f.__module__]
    inner = [part for v in called for part in _parts_of_function(v, depth - 1)]
    stored = [_Global(f.__globals__, name) for name in _stored_globals(f.__code__)]
    return [*stored, *inner, *(f.__closure__ or ()), *(v for v in held if not isinstance(v, (*PLAIN, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, logging.Logger)))]


def _is_of_user(o: Any) -> bool:
    return o is not None and type(o).__module__.partition(".")[0] not in ("logging", "builtins", "_pytest")


def _places_of_logs(logger: logging.Logger) -> list[Any]:
    """What the handlers, filters and formatters of a logger may write to, as far as it is the user's."""
    found: list[Any] = []
    at: Any = logger
    listeners: list[Any] = list(logger.filters)
    while at is not None:
        for handler in at.handlers:
            listeners += [handler, *handler.filters, handler.formatter]
            stream = getattr(handler, "stream", None)
            if stream is not None and not isinstance(stream, io.TextIOWrapper):
                found.append(stream)
        at = at.parent if at.propagate else None
    for listener in filter(_is_of_user, listeners):
        found += _parts_of(listener)
        if not isinstance(listener, types.FunctionType):
            found.append(type(listener))
        for name in ("emit", "handle", "filter", "format", "__call__"):
            if isinstance(f := getattr(type(listener), name, None), types.FunctionType) and f.__module__ != "logging":
                found += _parts_of_function(f)
    return found


def _places_of_warnings() -> list[Any]:
    module: Any = warnings
    shown = [f for f in (module.showwarning, module._showwarnmsg_impl) if f is not module._showwarning_orig and getattr(f, "__module__", "") != "warnings"]
    return [part for f in shown for part in _parts_of_function(f)]


# The effects, when a graph runs -------------------------------------------------------------------------------------------------------------

_here = threading.local()  # streams: stdout and stderr when a capture began; warnings: filters and functions then; held: the effects that wait for its end


def streams() -> tuple[Any, Any]:
    return getattr(_here, "streams", None) or (beneath(sys.stdout), sys.stderr)


def begin() -> Any:
    """Called when a capture begins. Another sys.stdout that is set later is the program's own. Returns what end() needs."""
    outer = getattr(_here, "streams", None), getattr(_here, "warnings", None)
    _here.streams, _here.warnings = (beneath(sys.stdout), sys.stderr), _state_of_warnings()
    return outer


def end(outer: Any) -> None:
    _here.streams, _here.warnings = outer


def hold() -> Any:
    """From here on, the program's effects wait until it is known whether the capture succeeds. Returns what release() needs."""
    outer = getattr(_here, "held", None)
    _here.held = []
    return outer


def release(outer: Any, do: bool) -> None:
    """Ends hold(). do: whether the effects that waited happen now."""
    held, _here.held = _here.held, outer
    if do:
        for what, args in held:
            _do(what, args)


def happens(what: str, *args: Any) -> None:
    """An effect of a graph that runs. Where a capture runs the graph of a loop for its example, it waits as the others do."""
    _do(what, args)


def _do(what: str, args: Any) -> None:
    held = getattr(_here, "held", None)
    if held is not None:
        held.append((what, args))
    else:
        _DONE[what](*args)


def write(text: str, errors: bool) -> None:
    if errors and is_unprinted():
        return
    (sys.stderr if errors else sys.stdout).write(text)


def warn(message: str, category: str, module: str, file: str, line: int) -> None:
    if is_unprinted():
        return
    kind = _class_of(category)
    if not (isinstance(kind, type) and issubclass(kind, Warning)):
        kind = UserWarning
    fields: Any = getattr(sys.modules.get(module), "__dict__", None)
    if not file:  # the place is `line` callers above the call of the graph
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        for _ in range(line - 1):
            frame = frame.f_back or frame
        fields, module, file, line = frame.f_globals, frame.f_globals.get("__name__", ""), frame.f_code.co_filename, frame.f_lineno
    registry = None if fields is None else fields.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, kind, file, line, module or None, registry)


def log_message(logger: str, level: int, message: str, file: str, line: int, function: str) -> None:
    if is_unprinted():
        return
    if not logger and not logging.root.handlers:
        logging.basicConfig()
    target = logging.getLogger(logger) if logger else logging.root
    if target.isEnabledFor(level):
        target.handle(target.makeRecord(target.name, level, file, line, message, (), None, function))


_DONE: dict[str, Callable[..., None]] = {"print": builtins.print, "write": write, "warn": warn, "message": log_message}
