"""Runs Python functions in CPython and in the capture machine, and compares results, exceptions with their lines, output and what is written to arguments.

    python machine_differential.py test.test_textwrap pytest:test_fx_passes.py    # prints a report as JSON

A workload runs once in CPython while a profiler notes calls: a function's code and copies of its arguments. Then each call runs again on fresh copies: twice
in CPython, once in the machine. What CPython itself does not repeat is left out and counted. An audit hook stops what would reach outside of the process."""

from __future__ import annotations

import contextlib
import copy
import dis
import importlib
import io
import itertools
import json
import os
import re
import signal
import sys
import sysconfig
import tempfile
import time
import types
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import monograph

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
OURS = Path(monograph.__file__).parent
SAMPLES = 2  # calls of each function
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
FORBIDDEN = re.compile(
    r"open|os\.(?!listdir|scandir|walk|fspath)|shutil|subprocess|socket|signal|pty|fcntl|winreg|_thread|tempfile|urllib|ftplib|smtplib|http|imaplib|sqlite3|ctypes"
    r"|sys\.(settrace|setprofile|addaudithook)|builtins\.(input|breakpoint)|syslog|resource|webbrowser"
)


def is_target(code: types.CodeType) -> bool:
    """Whether a code object is of a function of the standard library or of Monograph."""
    if not code.co_flags & 1 or code.co_name == "__del__":  # CO_OPTIMIZED: no class body, no module
        return False
    file = Path(code.co_filename)
    if file.is_relative_to(OURS):
        return True
    return file.is_relative_to(LIBRARY) and not {"test", "site-packages", "unittest", "idlelib", "lib2to3", "multiprocessing", "concurrent"} & set(
        file.relative_to(LIBRARY).parts
    )


def first_resume(code: types.CodeType) -> int:
    return next(i.offset for i in dis.get_instructions(code) if i.opname == "RESUME")


class Sample:
    """A call: what its function is made of, and its arguments as they were."""

    def __init__(self, frame: types.FrameType) -> None:
        code, values = frame.f_code, frame.f_locals
        names = code.co_varnames
        count, only = code.co_argcount, code.co_kwonlyargcount
        rest = count + only
        more = names[rest] if code.co_flags & 4 else None
        words = names[rest + (more is not None)] if code.co_flags & 8 else None
        self.code, self.globals = code, frame.f_globals
        inputs = (
            [values[name] for name in names[:count]] + list(values[more] if more else ()),
            {name: values[name] for name in names[count:rest]} | (values[words] if words else {}),
            {name: values[name] for name in code.co_freevars if name in values},
        )
        self.inputs = copy.deepcopy(inputs)

    def fresh(self) -> tuple[types.FunctionType, list, dict]:
        """The function and its arguments, copied: a run may write to them."""
        args, kwargs, free = copy.deepcopy(self.inputs)
        cells = tuple(types.CellType(free[name]) if name in free else types.CellType() for name in self.code.co_freevars)
        return types.FunctionType(self.code, self.globals, self.code.co_name, None, cells), args, kwargs


class Recorder:
    def __init__(self) -> None:
        self.seen: dict[types.CodeType, int] = {}
        self.samples: list[Sample] = []
        self.left_out: dict[types.CodeType, str] = {}
        self.until = float("inf")

    def __call__(self, frame: types.FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        seen = self.seen.get(code)
        if seen is None:
            seen = self.seen[code] = 0 if is_target(code) else SAMPLES
        if seen >= SAMPLES or (code.co_flags & 0x2A0 and frame.f_lasti != first_resume(code)):  # the later steps of a generator
            return
        start = time.perf_counter()
        try:
            self.samples.append(Sample(frame))
            self.seen[code] += 1
        except Exception:
            self.left_out[code] = "its arguments cannot be copied"
        if time.perf_counter() - start > 0.05:
            self.seen[code] = SAMPLES


def describe(value: Any, memo: dict[int, int], depth: int = 0) -> Any:
    """A value as tuples and texts that are equal for equal values, without asking the value itself."""
    if value is None or isinstance(value, bool | int | float | complex | bytes | range | slice) and type(value).__module__ == "builtins":
        return type(value).__name__, repr(value)
    if type(value) is str:
        return ADDRESS.sub("0x", value)
    if id(value) in memo:
        return "again", memo[id(value)]
    memo[id(value)] = len(memo)
    kind = type(value).__qualname__
    if depth > 8 or len(memo) > 5000:
        return kind
    if isinstance(value, monograph.Tensor):
        return kind, str(value.dtype), tuple(value.shape), repr(value.detach().flatten()[:100])
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | type | types.ModuleType):
        return kind, getattr(value, "__qualname__", getattr(value, "__name__", ""))
    if isinstance(value, types.CodeType):
        return kind, value.co_name, value.co_code
    if isinstance(value, BaseException):
        return describe_exception(value, None, memo, depth)
    parts: list[Any] = [kind]
    if isinstance(value, list | tuple):
        parts += (
            [describe(item, memo, depth + 1) for item in list.__iter__(value)]
            if isinstance(value, list)
            else [describe(item, memo, depth + 1) for item in tuple.__iter__(value)]
        )
    elif isinstance(value, set | frozenset):
        parts += sorted((describe(item, dict(memo), depth + 1) for item in value), key=repr)
    elif isinstance(value, dict):
        parts += [(describe(key, memo, depth + 1), describe(dict.__getitem__(value, key), memo, depth + 1)) for key in dict.__iter__(value)]
    elif isinstance(value, str | bytes | int | float):
        parts.append(type(value).__mro__[-2].__repr__(value))
    with contextlib.suppress(AttributeError):
        parts.append(describe(object.__getattribute__(value, "__dict__"), memo, depth + 1))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            with contextlib.suppress(AttributeError):
                parts.append((name, describe(object.__getattribute__(value, name), memo, depth + 1)))
    return tuple(parts)


def describe_exception(error: BaseException | None, inside: types.CodeType | None, memo: dict[int, int], depth: int = 0) -> Any:
    """Its type, arguments, notes, causes, and the lines of its traceback from the frame of `inside` on."""
    if error is None or depth > 5:
        return None
    lines, started, tb = [], inside is None, error.__traceback__
    while tb:
        started = started or tb.tb_frame.f_code is inside
        if started:
            place = next(itertools.islice(tb.tb_frame.f_code.co_positions(), tb.tb_lasti // 2, None))
            lines.append((tb.tb_frame.f_code.co_name, tb.tb_lineno, place))
        tb = tb.tb_next
    chain = [describe_exception(e, None, memo, depth + 1) for e in (error.__cause__, error.__context__)]
    return type(error).__qualname__, describe(error.args, memo), describe(error.__dict__, memo), lines, chain, error.__suppress_context__


def drive(result: Any) -> Any:
    """What a generator yields or a coroutine waits for, in 50 steps at most."""
    if isinstance(result, types.AsyncGeneratorType):
        result = collect(result)
    if not isinstance(result, types.GeneratorType | types.CoroutineType):
        return result
    steps: list[Any] = []
    try:
        for _ in range(50):
            steps.append(result.send(None))
    except StopIteration as stop:
        steps.append(("returned", stop.value))
    result.close()
    return type(result).__name__, steps


async def collect(generator: types.AsyncGeneratorType) -> list:
    return [item async for item in generator]


class TooLong(BaseException):
    pass


class Guard:
    """Stops what would leave the process, while a call runs again."""

    def __init__(self) -> None:
        self.on = False
        sys.addaudithook(self)
        signal.signal(signal.SIGALRM, self.stop)

    def __call__(self, event: str, _: tuple) -> None:
        if self.on and FORBIDDEN.match(event):
            raise PermissionError(f"{event} is not run again")

    def stop(self, *_: object) -> None:
        raise TooLong

    @contextlib.contextmanager
    def running(self):
        limit, out = sys.getrecursionlimit(), sys.stdout
        sys.stdout = io.StringIO()
        signal.setitimer(signal.ITIMER_REAL, 2.0)
        self.on = True
        try:
            yield sys.stdout
        finally:
            self.on = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.stdout = out
            sys.setrecursionlimit(limit)


def outcome(sample: Sample, in_machine: bool, guard: Guard) -> Any:
    """Everything that can be seen of a call."""
    function, args, kwargs = sample.fresh()
    result = error = None

    def call():
        nonlocal result, error
        try:
            result = drive(function(*args, **kwargs))
        except BaseException as raised:
            if isinstance(raised, TooLong):
                raise
            error = raised

    with guard.running() as output:
        if in_machine:
            monograph._C._machine_run(call, ())
        else:
            call()
    memo: dict[int, int] = {}
    return (
        describe(result, memo),
        describe_exception(error, sample.code, memo),
        describe((args, kwargs), memo),
        ADDRESS.sub("0x", output.getvalue()),
    )


def compare(sample: Sample, guard: Guard) -> str:
    """ "same", "different: ...", or why a call is left out."""
    try:
        first, second = outcome(sample, False, guard), outcome(sample, False, guard)
        if first != second:
            return "CPython does not repeat it"
        machine = outcome(sample, True, guard)
        if machine == first:
            return "same"
        if outcome(sample, False, guard) != first:
            return "CPython does not repeat it"
        return "different: " + next(
            f"{what}: {a!r} in CPython, {b!r} in the machine"[:2000]
            for what, a, b in zip(("result", "exception", "arguments", "output"), first, machine, strict=True)
            if a != b
        )
    except TooLong:
        return "takes more than two seconds"
    except Exception as error:
        return f"cannot be compared: {type(error).__name__}"


def run_workload(name: str, recorder: Recorder) -> None:
    """test.test_x: a module of unittest; pytest:FILE: tests of this folder."""
    if name.startswith("pytest:"):
        import pytest

        def run() -> None:
            pytest.main(["-q", "-x", "-p", "no:cacheprovider", str(Path(__file__).parent / name.removeprefix("pytest:"))])
    else:
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))

        def run() -> None:
            unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)

    with contextlib.redirect_stdout(io.StringIO()):
        sys.setprofile(recorder)
        try:
            run()
        except BaseException as error:
            print(f"{name}: {error!r}", file=sys.stderr)
        finally:
            sys.setprofile(None)


def name_of(code: types.CodeType) -> str:
    file = Path(code.co_filename)
    return f"{file.relative_to(OURS.parent if file.is_relative_to(OURS) else LIBRARY)}:{code.co_firstlineno} {code.co_qualname}"


def main(names: list[str]) -> dict[str, Any]:
    os.chdir(tempfile.mkdtemp())
    recorder, guard = Recorder(), Guard()
    for name in names:
        run_workload(name, recorder)
    results: dict[types.CodeType, set[str]] = {}
    for sample in recorder.samples:
        results.setdefault(sample.code, set()).add(compare(sample, guard))
    same, different, left_out = [], {}, Counter()
    for code, found in results.items():
        wrong = [text for text in found if text.startswith("different")]
        if wrong:
            different[name_of(code)] = wrong
        elif "same" in found:
            same.append(name_of(code))
        else:
            left_out[min(found)] += 1
    left_out.update(why for code, why in recorder.left_out.items() if code not in results)
    return {"same": sorted(same), "different": different, "left_out": dict(left_out)}


if __name__ == "__main__":
    real = sys.stdout
    report = main(sys.argv[1:])
    json.dump(report, real)
    real.flush()
    os._exit(0)  # threads that a workload has left do not hold the process
