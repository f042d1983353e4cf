"""The capture machine against CPython: random functions, CPython's own tests, functions of the standard library, and what a test can see of frames."""

from __future__ import annotations

import contextlib
import copy
import gc
import importlib.util
import json
import opcode
import random
import re
import subprocess
import sys
import threading
import traceback
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machine_grammar
import monograph as torch
import pytest
from hypothesis import given, settings, strategies as st
from machine_differential import describe, describe_exception, drive

HERE = Path(__file__).parent
pytestmark = [
    pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11"),
    pytest.mark.filterwarnings("ignore"),  # CPython warns of what random functions write
]


def run(function, *args: Any, **kwargs: Any) -> Any:
    """A call in the machine."""
    before = torch._C._machine_frame_count()
    try:
        return torch._C._machine_run(function, args, kwargs)
    finally:
        assert torch._C._machine_frame_count() > before


# --- Random functions.

ARGUMENTS = ((1,), (0, 0), (2, [1, 2], 3), ("ab", (1,)), (None,), ([3, 4], {"k": 5}, "r", 7), (1.5, True))


def seen_of(source: str, args: tuple, in_machine: bool) -> Any:
    """What can be seen of a call of f: result, exception with its places, the log."""
    namespace: dict[str, Any] = {"__name__": "random_function"}
    exec(compile(source, "<random>", "exec"), namespace)
    log: list[Any] = []
    result = error = None
    args = copy.deepcopy(args)  # the function may write to them

    def call() -> Any:
        return drive(namespace["f"](*args, log=log, tick=namespace["ticker"](20), n=9))

    try:
        result = run(call) if in_machine else call()
    except Exception as raised:
        error = raised
    memo: dict[int, int] = {}
    return describe(result, memo), describe_exception(error, namespace["f"].__code__, memo), describe(log, memo)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**64))
def test_a_random_function_does_in_the_machine_what_it_does_in_cpython(seed: int) -> None:
    r = random.Random(seed)
    source = machine_grammar.random_function(r)
    for args in r.sample(ARGUMENTS, 3):
        assert seen_of(source, args, True) == seen_of(source, args, False), f"f{args}\n{source}"


def test_random_functions_use_every_instruction_that_a_function_can_have() -> None:
    used: set[str] = set()
    for seed in range(600):
        todo = [compile(machine_grammar.random_function(random.Random(seed)), "<random>", "exec")]
        while todo:
            code = todo.pop()
            used |= {opcode.opname[byte] for byte in code.co_code[::2]}
            todo += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    unused = set(opcode.opmap) - used
    # Of modules and interactive input, long jumps, and globals; test_a_module_runs_in_the_machine has them.
    assert unused <= {
        "IMPORT_NAME",
        "IMPORT_FROM",
        "IMPORT_STAR",
        "PRINT_EXPR",
        "STORE_GLOBAL",
        "DELETE_GLOBAL",
        "DELETE_NAME",
        "LOAD_CLASSDEREF",
        "DELETE_ATTR",
        "DELETE_DEREF",
        "DICT_UPDATE",
    }, unused


def test_random_functions_leave_no_memory_behind() -> None:
    for seed in range(25):
        namespace: dict[str, Any] = {}
        exec(compile(machine_grammar.random_function(random.Random(seed)), "<random>", "exec"), namespace)

        def call(namespace: dict[str, Any] = namespace, args: tuple = ARGUMENTS[seed % len(ARGUMENTS)]) -> None:
            with contextlib.suppress(Exception):
                run(lambda: drive(namespace["f"](*copy.deepcopy(args), log=[], tick=namespace["ticker"](20), n=9)))

        def grown(calls: int, call: Callable[[], None] = call) -> int:
            gc.collect()
            before = sys.getallocatedblocks()
            for _ in range(calls):
                call()
            gc.collect()
            return sys.getallocatedblocks() - before

        grown(20)  # caches fill
        assert grown(300) < 150, seed  # one block lost by each call would be 300


# --- Modules, which have instructions that functions lack.

MODULE = (
    """
import math as m, os.path
from os.path import join as j
from collections import *
x: int = 1
class A:
    y: str = "t"
    z = x
    del y
    def f(self): return __class__
def g():
    global made, gone
    made = 1
    gone = 2
    del gone
    cell = 5
    class Inner:
        seen = cell
    def use(): return cell
    before = use()
    del cell
    try:
        use()
    except NameError as error:
        return before, Inner.seen, str(error), {**{"a": 1}, **{"b": 2}}
result = [g(), j("a", "b"), m.floor(2.5), A.__annotations__, __annotations__, OrderedDict(a=1), A().f().__name__]
del m
try:
    m
except NameError as error:
    result.append((str(error), error.name))
"""
    + "\n".join(f"v{i} = {i}" for i in range(300))
    + """
if not v299:
    pass
"""
    + "\n".join(f"    v{i} += 1" for i in range(300))
    + """
result.append((v0, v299))
"""
)


def test_a_module_runs_in_the_machine() -> None:
    def module(in_machine: bool) -> dict[str, Any]:
        namespace: dict[str, Any] = {"__name__": "some_module"}
        code = compile(MODULE, "<module>", "exec")
        if in_machine:
            run(exec, code, namespace)
        else:
            exec(code, namespace)
        return {name: repr(value) for name, value in namespace.items() if name not in ("__builtins__", "A", "g", "os")}

    in_machine, in_cpython = module(True), module(False)
    assert re.sub("0x[0-9a-f]+", "0x", str(in_machine)) == re.sub("0x[0-9a-f]+", "0x", str(in_cpython)) and "v299" in in_machine


def test_what_is_typed_into_the_prompt_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run(exec, compile("1 + 1; 'text'", "<input>", "single"), {})
    assert capsys.readouterr().out == "2\n'text'\n"


# --- CPython's own tests, with all Python frames of their thread in the machine. They stand in its package `test`, which some systems leave out.

CPYTHON_TESTS = ("test_generators", "test_contextlib", "test_super", "test_patma", "test_coroutines", "test_exceptions", "test_asyncgen", "test_sys_settrace", "test_sys_setprofile",
                 "test_scope", "test_except_star", "test_exception_group", "test_raise", "test_with", "test_extcall", "test_unpack_ex", "test_positional_only_arg", "test_frame", "test_class", "test_grammar")  # fmt: skip
# The cases of other files that fail in the machine, and why. `test_all_of_cpythons_tests` runs these files.
EXCLUDED = {
    # They look at the code that CPython has specialized. The machine never specializes code.
    "test_dis": {f"test.test_dis.{c}.{t}" for c in ("DisTests", "DisWithFileTests") for t in
                 ("test_binary_specialize", "test_call_specialize", "test_load_attr_specialize", "test_loop_quicken", "test_show_caches", "test_super_instructions")},
    # It allows four levels of calls, and expects code that CPython has specialized: next() of such code takes none. CPython fails too when C code calls the test.
    "test_support": {"test.test_support.TestSupport.test_recursion"},
}  # fmt: skip
# Files that are not run at all, and why.
NOT_RUN = {
    "they start processes, which run outside of the machine, or take long for it": """test_multiprocessing_fork test_multiprocessing_forkserver
        test_multiprocessing_spawn test_concurrent_futures test_subprocess test_faulthandler test_regrtest test_venv test_ensurepip test_tools test_gdb test_embed test_lib2to3""",
    "they use the network, servers or signals of the system": """test_socket test_ssl test_asyncio test_urllib2net test_urllibnet test_smtpnet test_nntplib
        test_ftplib test_imaplib test_poplib test_httpservers test_docxmlrpc test_xmlrpc test_socketserver test_selectors test_signal""",
    "they need a screen": "test_idle test_tcl test_tkinter test_tk test_tix test_ttk_guionly test_ttk_textonly test_curses",
    "they write gigabytes": "test_zipfile64 test_largefile test_bigmem test_bigaddrspace",
    "they set free functions for the data of code objects and take them away (docs/design/machine.md)": "test_code test_capi",
}  # fmt: skip


def files_of_cpythons_tests() -> list[str]:
    """All files of the package `test` but those that are not run, and those that run in every test run."""
    package = importlib.util.find_spec("test.support")
    if package is None or package.origin is None:
        return []
    folder = Path(package.origin).parent.parent
    names = {path.name.removesuffix(".py") for path in folder.glob("test_*") if path.suffix == ".py" or (path / "__init__.py").exists()}
    return sorted(names - {name for names in NOT_RUN.values() for name in names.split()} - set(CPYTHON_TESTS))


RUN_CPYTHONS_TESTS = """
import sys, unittest, importlib, io, json, os, tempfile
import monograph
name, how = sys.argv[1:]
os.chdir(tempfile.mkdtemp())
def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module("test." + name))
    return unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
before = monograph._C._machine_frame_count()
r = monograph._C._machine_run(main, ()) if how == "machine" else main()
print(json.dumps([r.testsRun, len(r.skipped), sorted(t.id() if not hasattr(t, "test_case") else t.test_case.id() for t, _ in r.failures + r.errors), monograph._C._machine_frame_count() - before]))
sys.stdout.flush()
os._exit(0)
"""


def run_cpythons_tests(name: str, how: str) -> list[Any] | None:
    """How many tests there are, how many are skipped, which fail, and how many frames the machine ran. None for a file that CPython itself cannot import."""
    pytest.importorskip("test.support", reason="this Python has no package `test`")
    done = subprocess.run(
        [sys.executable, "-c", RUN_CPYTHONS_TESTS, name, how], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800
    )
    if how == "cpython" and done.returncode == 1 and ("SkipTest" in done.stderr or "ModuleNotFoundError" in done.stderr):
        return None
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", CPYTHON_TESTS)
def test_cpythons_tests_pass_in_the_machine(name: str) -> None:
    count, _, failed, frames = run_cpythons_tests(name, "machine") or (0, 0, [], 0)
    assert count > 0 and frames > count and failed == []


@pytest.mark.slow
@pytest.mark.parametrize("name", files_of_cpythons_tests())
def test_all_of_cpythons_tests(name: str) -> None:
    """What they give in the machine is what they give in CPython: how many there are, how many are skipped, which fail."""
    in_cpython = run_cpythons_tests(name, "cpython")
    if in_cpython is None:
        pytest.skip("CPython cannot import it here")
    in_machine = run_cpythons_tests(name, "machine")
    assert in_machine is not None and in_machine[:2] == in_cpython[:2] and in_machine[3] > in_machine[0]
    assert set(in_machine[2]) == set(in_cpython[2]) | EXCLUDED.get(name, set())


# --- Functions of the standard library and of Monograph, with the arguments that tests give them.

WORKLOADS = (
    ("test.test_textwrap", "test.test_difflib", "test.test_argparse", "test.test_statistics"),
    ("test.test_email.test_email", "test.test_json", "test.test_re", "test.test_configparser"),
    ("test.test_calendar", "test.test_csv", "test.test_html", "test.test_htmlparser", "test.test_urlparse", "test.test_ipaddress"),
    ("test.test_decimal", "test.test_fractions", "test.test_random", "test.test_heapq", "test.test_bisect", "test.test_colorsys"),
    ("test.test_ast", "test.test_unparse", "test.test_tokenize", "test.test_dis", "test.test_inspect", "test.test_pprint", "test.test_reprlib"),
    ("test.test_typing", "test.test_dataclasses", "test.test_enum", "test.test_collections", "test.test_functools", "test.test_contextlib", "test.test_copy"),
    ("test.test_pickle", "test.test_pickletools", "test.test_plistlib", "test.test_xml_etree", "test.test_minidom", "test.test_tomllib", "test.test_zoneinfo"),
    ("test.test_pathlib", "test.test_posixpath", "test.test_ntpath", "test.test_fnmatch", "test.test_shlex", "test.test_string", "test.test_base64", "test.test_quopri"),
    ("test.test_http_cookies", "test.test_http_cookiejar", "test.test_email.test_headerregistry", "test.test_email.test__header_value_parser", "test.test_email.test_message"),
    ("test.test_optparse", "test.test_getopt", "test.test_gettext", "test.test_codecs", "test.test_traceback", "test.test_cmd"),
    ("test.test_weakref", "test.test_weakset", "test.test_userdict", "test.test_graphlib", "test.test_abc", "test.test_operator", "test.test_uuid"),
    ("pytest:test_fx_passes.py", "pytest:test_fx_interpreter.py", "pytest:test_symbolic_trace.py"),
    ("pytest:test_nn.py", "pytest:test_optim.py", "pytest:test_lr_scheduler.py"),
    ("pytest:test_data.py", "pytest:test_checkpoints.py", "pytest:test_distributions.py", "pytest:test_parametrize.py"),
)  # fmt: skip


def differential(*workloads: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(HERE / "machine_differential.py"), *workloads], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_functions_of_the_standard_library_do_in_the_machine_what_they_do_in_cpython() -> None:
    pytest.importorskip("test.support", reason="this Python has no package `test`")
    report = differential("test.test_textwrap", "test.test_fractions", "test.test_json", "test.test_csv")
    assert report["different"] == {}
    assert len(report["same"]) >= 150, report


@pytest.mark.slow
def test_three_thousand_functions_do_in_the_machine_what_they_do_in_cpython() -> None:
    pytest.importorskip("test.support", reason="this Python has no package `test`")
    same: set[str] = set()
    left_out: Counter[str] = Counter()
    for workload in WORKLOADS:
        report = differential(*workload)
        assert report["different"] == {}, workload
        same |= set(report["same"])
        left_out.update(report["left_out"])
    print(len(same), "functions are the same; left out:", dict(left_out))
    assert len(same) >= 3000 and sum(name.startswith("monograph/") for name in same) >= 250


def test_the_comparison_sees_a_difference() -> None:
    """A machine whose jumps of one function go the other way is told from CPython."""
    source = (
        "import machine_differential as d, sys, textwrap\n"
        + """
def turned(code, offset, op, value):
    return (not value) if code.co_name == "dedent" and isinstance(value, bool | str | list) else None
real = d.monograph._C._machine_run
d.monograph._C._machine_run = lambda f, args: real(f, args, None, turned)
report = d.main(["test.test_textwrap"])
assert any("dedent" in name for name in report["different"]), report
"""
    )
    pytest.importorskip("test.support", reason="this Python has no package `test`")
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=HERE, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr[-2000:]


# --- What a program sees of frames.


def test_calls_from_python_to_python_do_not_use_the_c_stack() -> None:
    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    def spread(n: int, *rest: int, **words: int) -> int:
        return len(rest) if n == 0 else spread(n - 1, *rest, n, **words)

    class Tree:
        def __init__(self) -> None:
            self.seen = 0

        def descend(self, n: int, *more: int, last: bool = False, **words: int) -> int:
            self.seen += 1
            return self.seen if n == 0 else self.descend(*(n - 1, *more), **words, last=True)

    def steps(n: int):
        yield n
        if n:
            yield from steps(n - 1)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        assert run(depth, 100_000) == 100_000
        assert run(spread, 2_000, a=1) == 2_000
        assert run(Tree().descend, 50_000, 1, b=2) == 50_001
        assert run(lambda: sum(1 for _ in steps(3_000))) == 3_001
    finally:
        sys.setrecursionlimit(before)


def test_recursion_without_end_is_an_error() -> None:
    def forever(n: int) -> int:
        return forever(n + 1)

    for _ in range(3):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded") as caught:
            run(forever, 0)
        assert len(traceback.extract_tb(caught.value.__traceback__)) > 500
    assert run(lambda: 1) == 1


def test_frames_and_tracebacks_are_those_of_cpython() -> None:
    def inner(a: int, b: int = 2) -> Any:
        c = a + b  # noqa: F841
        frame = sys._getframe()
        seen = dict(frame.f_locals)
        return frame, seen, frame.f_lineno, [f.name for f in traceback.extract_stack()][-2:]

    def outer() -> Any:
        here = sys._getframe()
        frame, seen, line, names = inner(1)
        return frame, seen, frame.f_back is here, line - inner.__code__.co_firstlineno, names

    frame, seen, is_caller, line, names = run(outer)
    assert {**seen, "frame": 0} == {"a": 1, "b": 2, "c": 3, "frame": 0} and is_caller and line == 4 and names == ["outer", "inner"]
    assert frame.f_locals["c"] == 3 and frame.f_back.f_code.co_name == "outer"  # the frame object outlives the call
    frame.clear()
    assert frame.f_locals == {}


def test_generators_are_cpythons_and_go_on_outside() -> None:
    def numbers():
        try:
            for i in range(5):
                got = yield i, sys._getframe().f_back.f_code.co_name
                assert got is None
        finally:
            done.append(1)

    done: list[int] = []
    generator = run(lambda: numbers())
    assert type(generator) is types.GeneratorType

    def two() -> list:
        return [next(generator), next(generator)]

    assert [n for n, _ in run(two)] == [0, 1]
    before = torch._C._machine_frame_count()
    assert next(generator)[0] == 2 and torch._C._machine_frame_count() == before  # this step ran in CPython
    assert run(lambda: [x[0] for x in generator]) == [3, 4] and done == [1] and generator.gi_frame is None


def test_an_exception_is_thrown_into_a_generator() -> None:
    def catching():
        while True:
            try:
                yield "ready"
            except ValueError as error:
                yield str(error), error.__traceback__.tb_lineno

    def use() -> Any:
        generator = catching()
        return next(generator), generator.throw(ValueError("thrown")), next(generator), generator.close(), list(generator)

    assert run(use) == use()


def test_a_debugger_that_is_set_in_the_middle_sees_the_rest() -> None:
    def traced() -> list:
        events = []

        def note(frame, event, arg):
            events.append((event, frame.f_code.co_name, frame.f_lineno - first, arg if isinstance(arg, int) else None))
            return note

        first = sys._getframe().f_lineno

        def callee(n: int) -> int:
            for i in range(n):
                n += i
            return n

        sys.settrace(note)
        value = callee(2)
        try:
            sum(i // 0 for i in [value])
        except ZeroDivisionError:
            pass
        sys.settrace(None)
        return events

    assert run(traced) == traced() != []


def test_other_threads_run_in_cpython_and_get_the_gil() -> None:
    counts: list[int] = []
    go_on = threading.Event()

    def other() -> None:
        before = torch._C._machine_frame_count()
        for _ in range(100):
            (lambda: None)()
        counts.append(torch._C._machine_frame_count() - before)
        go_on.set()

    def busy() -> int:
        turns = 0
        while not go_on.is_set():
            turns += 1
        return turns

    thread = threading.Thread(target=other)

    def both() -> int:
        thread.start()
        return busy()

    assert run(both) >= 0
    thread.join()
    # Its 100 calls were not counted; what the first thread did meanwhile may have been.
    ours = torch._C._machine_frame_count()
    assert counts and ours > 0


def test_a_signal_stops_a_loop_without_end() -> None:
    code = """
import monograph, os, signal, threading, time
def forever():
    while True:
        pass
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    monograph._C._machine_run(forever, ())
except KeyboardInterrupt as error:
    print("stopped at", error.__traceback__.tb_next.tb_frame.f_code.co_name)
print((lambda: 1)())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "stopped at forever\n1\n", done.stderr


def test_an_exception_set_by_another_thread_is_raised() -> None:
    import ctypes

    def forever() -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), ctypes.py_object(KeyError))
        while True:
            pass

    with pytest.raises(KeyError):
        run(forever)
    assert run(lambda: sum(range(100))) == 4950


def test_code_that_c_calls_back_runs_in_the_machine() -> None:
    class Item:
        def __init__(self, n: int) -> None:
            self.n = n

        def __lt__(self, other: Item) -> bool:
            counted.append(1)
            return self.n < other.n

    counted: list[int] = []

    def work() -> list[int]:
        return [i.n for i in sorted(map(Item, [3, 1, 2]))]

    before = torch._C._machine_frame_count()
    assert run(work) == [1, 2, 3]
    assert torch._C._machine_frame_count() - before >= 1 + 3 + len(counted)


# --- The hook of jumps.


def jumps(xs: list) -> list:
    out = []
    for x in xs:
        if x > 1:
            out.append("big")
        y = x or 5
        out.append(not y)
        while x is not None:
            x = None
    return out


def test_the_hook_is_asked_at_every_jump() -> None:
    asked: list[tuple[str, Any]] = []

    def ask(code: types.CodeType, offset: int, op: int, value: Any) -> None:
        assert code is jumps.__code__ and code.co_code[2 * offset] == op
        asked.append((opcode.opname[op], value))

    assert torch._C._machine_run(jumps, ([2, 0],), None, ask) == jumps([2, 0])
    names = {name for name, _ in asked}
    assert names == {
        "FOR_ITER",
        "POP_JUMP_FORWARD_IF_FALSE",
        "JUMP_IF_TRUE_OR_POP",
        "UNARY_NOT",
        "POP_JUMP_FORWARD_IF_NONE",
        "POP_JUMP_BACKWARD_IF_NOT_NONE",
    }
    assert [value for name, value in asked if name == "JUMP_IF_TRUE_OR_POP"] == [2, 0]


def test_the_hook_can_choose_and_can_raise() -> None:
    def choose(code: types.CodeType, offset: int, op: int, value: Any) -> bool | None:
        return True if opcode.opname[op] == "POP_JUMP_FORWARD_IF_FALSE" else None

    assert torch._C._machine_run(jumps, ([0],), None, choose) == ["big", False]

    def refuse(code: types.CodeType, offset: int, op: int, value: Any) -> None:
        if opcode.opname[op] == "UNARY_NOT":
            raise ValueError("refused")

    with pytest.raises(ValueError, match="refused") as caught:
        torch._C._machine_run(jumps, ([0],), None, refuse)
    assert [f.tb_lineno for f in frames_of(caught.value) if f.tb_frame.f_code is jumps.__code__] == [jumps.__code__.co_firstlineno + 6]


def frames_of(error: BaseException) -> list[types.TracebackType]:
    found, tb = [], error.__traceback__
    while tb:
        found.append(tb)
        tb = tb.tb_next
    return found


def test_the_hook_cannot_answer_for_an_iterator() -> None:
    with pytest.raises(SystemError, match="a hook cannot answer for FOR_ITER"):
        torch._C._machine_run(jumps, ([0],), None, lambda *_: True)


# --- Wrong use.


def test_the_machine_leaves_nothing_behind() -> None:
    def fail() -> None:
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            run(fail)
        before = torch._C._machine_frame_count()
        (lambda: None)()
        assert torch._C._machine_frame_count() == before


def test_cpython_runs_as_before_after_a_run() -> None:
    """With a frame hook, each call of CPython uses the C stack, which would not hold these."""
    code = """
import monograph, sys
monograph._C._machine_run(len, ([],))
sys.setrecursionlimit(10**6)
def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
print(depth(200_000))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "200000\n"


def test_arguments_that_do_not_fit_raise_cpythons_errors() -> None:
    def f(a, b, /, c, *, d):
        return a, b, c, d

    for args, words in (
        ((), {}),
        ((1, 2, 3, 4), {"d": 1}),
        ((1,), {"b": 2, "c": 3, "d": 4}),
        ((1, 2, 3), {"d": 1, "e": 2}),
        ((1, 2, 3), {"c": 3, "d": 4}),
        ((1, 2, 3), {"d": 4}),
    ):
        texts = []
        for how in (run, lambda g: g()):
            try:
                texts.append(how(lambda: f(*args, **words)))  # noqa: B023
            except TypeError as error:
                texts.append(str(error))
        assert texts[0] == texts[1]


def test_a_wrong_call_of_the_machine_says_what_it_expects() -> None:
    with pytest.raises(TypeError, match="_machine_run expects a dict of keyword arguments, but got list"):
        torch._C._machine_run(len, ([],), [])
    with pytest.raises(TypeError, match="'int' object is not callable"):
        torch._C._machine_run(3, ())


def with_code(*units: int, **more: Any) -> types.FunctionType:
    """A function of hand-made instructions: pairs of opcode and argument."""

    def f(a: int = 1) -> int:
        return a

    return types.FunctionType(f.__code__.replace(co_code=bytes(units), **more), {}, "f", (1,))


OP = opcode.opmap
RESUME, LOAD, RETURN = (OP["RESUME"], 0), (OP["LOAD_FAST"], 0), (OP["RETURN_VALUE"], 0)


@pytest.mark.parametrize(
    "units, message",
    [
        ((*RESUME, 200, 7, *LOAD, *RETURN), "unknown opcode 200 at offset 2"),
        ((*RESUME, *RETURN), "the stack has 0 values of 1 at offset 2"),
        ((*RESUME, *LOAD, *LOAD, *RETURN), "the stack is deeper than 1 values at offset 4"),
        ((*RESUME, OP["LOAD_CONST"], 99, *RETURN), "there is no constant 99 at offset 2"),
        ((*RESUME, OP["LOAD_FAST"], 9, *RETURN), "there is no variable 9 at offset 2"),
        ((*RESUME, OP["LOAD_NAME"], 0, *RETURN), "there is no name 0 at offset 2"),
        ((*RESUME, OP["JUMP_FORWARD"], 90), "it leads out of the code at offset 2"),
        ((*RESUME, *LOAD), "it leads out of the code at offset 2"),
        ((*RESUME, OP["JUMP_BACKWARD"], 90), "it leads out of the code at offset 2"),
        ((*RESUME, OP["PUSH_NULL"], 0, *RETURN), "a value is missing at offset 4"),
        ((*RESUME, *LOAD, OP["POP_JUMP_FORWARD_IF_TRUE"], 1, *LOAD, *LOAD, *RETURN), "the stack is of two depths at offset 8"),
        ((*RESUME, OP["JUMP_BACKWARD_NO_INTERRUPT"], 1), "it is not the loop of a SEND at offset 2"),
    ],
)
def test_bytecode_that_cannot_run_is_an_error_with_its_line(units: tuple[int, ...], message: str) -> None:
    with pytest.raises(SystemError, match=re.escape(message)) as caught:
        run(with_code(*units, co_stacksize=1))
    assert re.match(r"the bytecode of .*f \(.*test_machine.py:\d+\) cannot run: ", str(caught.value))


def test_the_class_of_bytecode_errors_is_made_while_an_exception_is_under_way() -> None:
    code = """
import monograph as torch, opcode, types
def fails(x):
    raise ValueError(x.shape)
try:
    torch.compile(fails)(torch.ones(2))  # the first that asks for the class
except ValueError:
    pass
f = types.FunctionType((lambda: 1).__code__.replace(co_code=bytes([opcode.opmap["RESUME"], 0, 200, 7])), {})
try:
    torch._C._machine_run(f, ())
except SystemError as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "BytecodeError the bytecode of <lambda>" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(
    "units, message",
    [
        ((OP["LOAD_DEREF"], 0, *RETURN), "a cell"),
        ((*LOAD, OP["YIELD_VALUE"], 0, *RETURN), "the frame of a generator"),
        ((*LOAD, OP["MAKE_FUNCTION"], 0, *RETURN), "a code object"),
        ((*LOAD, OP["RERAISE"], 0), "an exception"),
        ((*LOAD, OP["PUSH_EXC_INFO"], 0, *RETURN), "an exception"),
        ((*LOAD, *LOAD, OP["FOR_ITER"], 1, *RETURN, *RETURN), "an iterator"),
    ],
)  # fmt: skip
def test_bytecode_with_values_of_wrong_types_is_an_error(units: tuple[int, ...], message: str) -> None:
    with pytest.raises(SystemError, match=rf"opcode \d+ at offset \d+ of .*f \(.*test_machine.py:\d+\) expects {message}"):
        run(with_code(*RESUME, *units, co_stacksize=4))


def test_random_bytecode_ends_and_leaves_the_process_usable() -> None:
    code = """
import monograph, random, signal, types, sys, machine_grammar, io, warnings
warnings.simplefilter("ignore")
def stop(*_): raise TimeoutError
signal.signal(signal.SIGALRM, stop)
sys.stdout = io.StringIO()
refused = ran = 0
for seed in range(400):
    r = random.Random(seed)
    namespace = {}
    exec(machine_grammar.random_function(r), namespace)
    f = namespace["f"]
    units = bytearray(f.__code__.co_code)
    for _ in range(r.randint(1, 3)):
        units[r.randrange(len(units))] = r.randrange(180)
    changed = types.FunctionType(f.__code__.replace(co_code=bytes(units)), namespace, "f", f.__defaults__)
    try:
        monograph._C._machine_check(changed.__code__)
    except SystemError:
        refused += 1
        continue
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        monograph._C._machine_run(changed, (1, 2), {"log": [], "tick": namespace["ticker"](5)})
    except Exception:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    ran += 1
print(refused, ran, file=sys.__stdout__)
assert refused > 50 and ran > 50
"""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stderr[-3000:]


def test_all_code_of_the_package_can_run() -> None:
    todo = [compile(file.read_bytes(), str(file), "exec") for file in Path(torch.__file__).parent.rglob("*.py")]
    for code in todo:  # grows
        torch._C._machine_check(code)
        todo += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    assert len(todo) > 1000
    with pytest.raises(TypeError, match="expected a code object, but got int"):
        torch._C._machine_check(1)


def test_cpython_runs_the_functions_that_are_no_part_of_a_program():
    seen: list[int] = []

    def program(x):
        return x + 1

    def natively(x, *, twice=1):
        seen.append(torch._C._machine_frame_count())
        return program(x) * twice + sum(program(k) for k in range(2))

    def called(x):
        return natively(x) + natively(x, twice=2) + natively(*(x,), twice=3)

    want = called(4)
    before = run(called, 4)
    frames = [b - a for a, b in zip(seen[3:], seen[4:], strict=False)]
    seen.clear()
    torch._C._natively(natively)
    assert before == run(called, 4) == want
    fewer = [b - a for a, b in zip(seen, seen[1:], strict=False)]
    assert fewer == [n - 1 for n in frames]  # what it calls is still run here
