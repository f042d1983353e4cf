"""Generator expressions that a builtin consumes: sum(x[i] for i in range(n)). The capture machine calls a function in place of the builtin, which holds the
expression's loop and does with each element what the builtin does. So it is a loop of the program as any other, whose branches and rounds a graph keeps."""

from __future__ import annotations

import builtins
import dis
import functools
import math
import types
from collections.abc import Callable
from typing import Any

from monograph._lists import CarriedList, SymbolicIterator, _elements
from monograph._loops import _iterator

_CO_GENERATOR = 0x20
_CACHES = {"BINARY_OP": 1, "PRECALL": 1, "CALL": 4}
_NOTHING = object()  # no element yet

_SCOPE = {"__name__": "builtins"}  # of code that counts as the program's: a branch on a value is a branch of the graph


def _of_program(function: Any) -> Any:
    return types.FunctionType(function.__code__, _SCOPE, function.__name__)


# They read no globals, so a capture has nothing to compare.
@_of_program
def _larger(best: Any, item: Any, nothing: Any) -> Any:
    return item if best is nothing or item > best else best


@_of_program
def _smaller(best: Any, item: Any, nothing: Any) -> Any:
    return item if best is nothing or item < best else best


@_of_program
def _last(best: Any, default: Any, nothing: Any, error: Any, words: str) -> Any:
    if best is not nothing:
        return best
    if default is nothing:
        raise error(words)
    return default


Code = list[tuple[str, Any]]  # instructions: names and arguments, of jumps the label


class _Fold:
    """What a builtin does: its parameters behind the iterable, what the new code does first, with each element, and at last."""

    def __init__(
        self, first: Code, each: Callable[[int], Code], last: Code, more: Code | None = None, named: dict[str, Any] | None = None, positional: dict[str, Any] | None = None
    ):  # fmt: skip
        self.first, self.each, self.last, self.more = first, each, last, more or []
        self.named, self.positional = named or {}, positional or {}


def _result(value: Code) -> Code:
    return [*value, ("RETURN_VALUE", 0)]


def _call(function: Any, *args: tuple[str, Any]) -> Code:
    return [("PUSH_NULL", 0), ("LOAD_CONST", function), *args, ("PRECALL", len(args)), ("CALL", len(args))]


def _accumulated(operator: int, start: Any, keyword_only: bool) -> _Fold:
    parameters = {"start": start}
    each: Code = [("LOAD_FAST", "start"), ("SWAP", 2), ("BINARY_OP", operator), ("STORE_FAST", "start")]
    last = _result([("LOAD_FAST", "start")])
    return _Fold([], lambda depth: each, last, named=parameters if keyword_only else None, positional=None if keyword_only else parameters)


def _early(stop: bool) -> _Fold:
    jump = "POP_JUMP_FORWARD_IF_TRUE" if stop else "POP_JUMP_FORWARD_IF_FALSE"
    return _Fold(
        [],
        lambda depth: [(jump, ("found", depth))],
        _result([("LOAD_CONST", not stop)]),
        _result([("LOAD_CONST", stop)]),
    )


def _collected(made: Code) -> _Fold:
    each: Code = [("LOAD_FAST", ".list"), ("SWAP", 2), ("LIST_APPEND", 1), ("POP_TOP", 0)]
    return _Fold([("BUILD_LIST", 0), ("STORE_FAST", ".list")], lambda depth: each, _result(made))


def _chosen(name: str, better: Any) -> _Fold:
    nothing = ("LOAD_CONST", _NOTHING)
    step = _call(better, ("LOAD_FAST", ".best"), ("LOAD_FAST", ".item"), nothing)
    error = (("LOAD_CONST", ValueError), ("LOAD_CONST", f"{name}() arg is an empty sequence"))
    last = _call(_last, ("LOAD_FAST", ".best"), ("LOAD_FAST", "default"), nothing, *error)
    return _Fold(
        [nothing, ("STORE_FAST", ".best")], lambda depth: [("STORE_FAST", ".item"), *step, ("STORE_FAST", ".best")], _result(last), named={"default": _NOTHING}
    )


_FOLDS: dict[Any, _Fold] = {
    builtins.sum: _accumulated(0, 0, False),
    math.prod: _accumulated(5, 1, True),
    builtins.any: _early(True),
    builtins.all: _early(False),
    builtins.list: _collected([("LOAD_FAST", ".list")]),
    builtins.tuple: _collected(_call(builtins.tuple, ("LOAD_FAST", ".list"))),
    builtins.max: _chosen("max", _larger),
    builtins.min: _chosen("min", _smaller),
}
_OF_ELEMENTS = frozenset({builtins.sum, builtins.any, builtins.all, builtins.max, builtins.min, math.prod})


class _Label:
    def __init__(self) -> None:
        self.offset = 0


class _Instruction:
    def __init__(self, name: str, arg: int, positions: Any, target: _Label | None = None, caches: int = 0):
        self.name, self.arg, self.positions, self.target, self.caches = name, arg, positions, target, caches
        self.label, self.units, self.offset = _Label(), 1, 0


class _Writer:
    """The new code of a generator expression: what it had with a yield, with the instructions of a fold instead."""

    def __init__(self, code: types.CodeType, fold: _Fold):
        self.code, self.fold = code, fold
        self.consts = list(code.co_consts)
        own = [*fold.positional, *fold.named]
        written = [a for name, a in [*fold.first, *fold.each(0), *fold.last] if name.endswith("_FAST")]
        self.locals = list(dict.fromkeys([*own, *written]))
        self.shift = len(self.locals)
        self.out: list[_Instruction] = []
        self.found: dict[int, _Label] = {}  # by how many iterators stand on the stack

    def constant(self, value: Any) -> int:
        self.consts.append(value)
        return len(self.consts) - 1

    def add(self, instructions: Code, positions: Any) -> _Label:
        """Where they begin."""
        begin = len(self.out)
        for name, arg in instructions:
            target = None
            if isinstance(arg, tuple) and name.startswith("POP_JUMP"):
                target, arg = self.found.setdefault(arg[1], _Label()), 0
            elif name == "LOAD_CONST":
                arg = self.constant(arg)
            elif name.endswith("_FAST"):
                arg = 1 + self.locals.index(arg)
            self.out.append(_Instruction(name, arg, positions, target, _CACHES.get(name, 0)))
        return self.out[begin].label

    def run(self) -> types.CodeType | None:
        read = [i for i in dis.get_instructions(self.code, show_caches=True) if i.opname != "EXTENDED_ARG"]
        instructions: list[Any] = []
        for i in read:
            if i.opname == "CACHE":
                instructions[-1][1] += 1
            else:
                instructions.append([i, 0])
        names = [i.opname for i, _ in instructions]
        if self.code.co_exceptiontable or names.count("YIELD_VALUE") != 1 or "SEND" in names or "GET_AITER" in names:
            return None
        yields = instructions[names.index("YIELD_VALUE")][0].offset
        depth = sum(i.opname == "FOR_ITER" and i.offset < yields < i.argval for i, _ in instructions)
        labels: dict[int, _Label] = {}
        jumps: list[tuple[_Instruction, int]] = []
        k = 0
        while k < len(instructions):
            i, caches = instructions[k]
            following = names[k + 1 : k + 3]
            if i.opname == "RETURN_GENERATOR":
                if following != ["POP_TOP", "RESUME"]:
                    return None
                labels[i.offset] = self.add([("RESUME", 0), *self.fold.first], i.positions)
                k += 3
            elif i.opname == "YIELD_VALUE":
                if following != ["RESUME", "POP_TOP"]:
                    return None
                labels[i.offset] = self.add(self.fold.each(depth), i.positions)
                k += 3
            elif i.opname == "LOAD_CONST" and following[:1] == ["RETURN_VALUE"]:
                labels[i.offset] = self.add(self.fold.last, i.positions)
                k += 2
            else:
                local = i.opcode in dis.haslocal or i.opcode in dis.hasfree
                made = _Instruction(i.opname, i.arg + self.shift if local and i.arg else i.arg or 0, i.positions, None, caches)
                if i.opcode in dis.hasjrel:
                    jumps.append((made, i.argval))
                labels[i.offset] = made.label
                self.out.append(made)
                k += 1
        for made, to in jumps:
            while to not in labels:  # in front of a longer argument, or inside of what another instruction replaces
                to += 2
                if to > len(self.code.co_code):
                    return None
            made.target = labels[to]
        for count, label in self.found.items():
            begin = len(self.out)
            self.add([*[("POP_TOP", 0)] * count, *self.fold.more], self.out[-1].positions)
            self.out[begin].label = label
        return self.assembled()

    def assembled(self) -> types.CodeType:
        moved = True
        while moved:  # a longer argument moves what follows
            moved, at = False, 0
            for i in self.out:
                i.label.offset = i.offset = at
                at += i.units + i.caches
            for i in self.out:
                if i.target is not None:
                    end = i.offset + i.units + i.caches
                    i.arg = abs(i.target.offset - end)
                units = 1 + (i.arg > 0xFF) + (i.arg > 0xFFFF) + (i.arg > 0xFFFFFF)
                if units > i.units:
                    i.units, moved = units, True
        code, lines = bytearray(), bytearray()
        line = self.code.co_firstlineno
        for i in self.out:
            for n in range(i.units - 1, 0, -1):
                code += bytes((dis.EXTENDED_ARG, i.arg >> 8 * n & 0xFF))
            code += bytes((dis.opmap[i.name], i.arg & 0xFF)) + bytes(2 * i.caches)
            line = _add_place(lines, i.positions, i.units + i.caches, line)
        c, fold = self.code, self.fold
        return c.replace(
            co_code=bytes(code), co_linetable=bytes(lines), co_consts=tuple(self.consts), co_flags=c.co_flags & ~_CO_GENERATOR,
            co_varnames=(*c.co_varnames[:1], *self.locals, *c.co_varnames[1:]), co_nlocals=c.co_nlocals + self.shift, co_stacksize=c.co_stacksize + 8,
            co_argcount=1 + len(fold.positional), co_posonlyargcount=1, co_kwonlyargcount=len(fold.named),
        )  # fmt: skip


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 64:
        out.append(0x40 | value & 0x3F)
        value >>= 6
    out.append(value)
    return bytes(out)


def _add_place(lines: bytearray, positions: Any, units: int, line: int) -> int:
    """Writes where the units come from, in CPython's format, and returns the line that the next entry counts from."""
    for at in range(0, units, 8):
        length = min(units - at, 8) - 1
        begin, end, first, last = positions
        if begin is None:
            lines.append(0x80 | 15 << 3 | length)
            continue
        step = begin - line
        signed = _varint(step << 1 if step >= 0 else -step << 1 | 1)
        line = begin
        if end is None or end < begin or first is None or last is None:
            lines.append(0x80 | 13 << 3 | length)
            lines += signed
        else:
            lines.append(0x80 | 14 << 3 | length)
            lines += signed + _varint(end - begin) + _varint(first + 1) + _varint(last + 1)
    return line


@functools.lru_cache(maxsize=1000)
def _code(code: types.CodeType, function: Any) -> types.CodeType | None:
    return _Writer(code, _FOLDS[function]).run()


_ELEMENTS = next(c for c in (lambda values: (item for item in values)).__code__.co_consts if isinstance(c, types.CodeType))


def _iterator_of(values: Any) -> SymbolicIterator | None:
    if type(values) is SymbolicIterator:  # somebody else may go on with it
        return None
    if type(values) is CarriedList and type(values._carried_items) is not list:
        return _elements(values, lambda k, count: k)  # a builtin changes nothing meanwhile
    return _iterator(values)


def fold(function: Any, value: Any, expression: Any, count: int, keywords: tuple[str, ...]) -> Any:
    """A function to call instead of function(value, ...), and what to call it with first; None if function is to be called. expression: of a generator, the
    function that made it and its iterator. count: of positional arguments."""
    made = _FOLDS.get(function)
    if made is None or count > 1 + len(made.positional) or any(k not in made.named and k not in made.positional for k in keywords):
        return None
    if expression is not None:
        source, iterator = expression
        code, scope, closure = source.__code__, source.__globals__, source.__closure__
    else:
        iterator = _iterator_of(value) if function in _OF_ELEMENTS else None
        if iterator is None:
            return None
        code, scope, closure = _ELEMENTS, _SCOPE, None
    code = _code(code, function)
    if code is None:
        return None
    loop = types.FunctionType(code, scope, code.co_name, tuple(made.positional.values()), closure)
    loop.__kwdefaults__ = dict(made.named) or None
    return loop, iterator
