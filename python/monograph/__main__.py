"""python -m monograph: runs a program that says `import torch` with Monograph."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import types
import zipfile
from collections.abc import Callable

from . import install_as_torch

USAGE = """usage: python -m monograph script.py [ARGUMENT…]
       python -m monograph -m MODULE [ARGUMENT…]
       python -m monograph -c CODE [ARGUMENT…]
       python -m monograph - [ARGUMENT…]
       python -m monograph doctor [--all] [--json] script.py

Runs a Python program in which `import torch` gives Monograph, so that a program written for PyTorch runs as it is.
The program sees its own arguments in sys.argv, as under `python`. `-` reads it from the standard input.

doctor lists the names of torch that a program and its imports use, and marks those that are missing. It reads the program and does not run it."""


def why_not_a_program(name: str) -> str:
    """Why `-m name` has nothing to run, in Python's words; "" if it has."""
    try:
        found = importlib.util.find_spec(name)
        if found is None:
            return f"No module named {name}"
        if found.submodule_search_locations is not None and importlib.util.find_spec(f"{name}.__main__") is None:
            return f"No module named {name}.__main__; {name!r} is a package and cannot be directly executed"
    except ModuleNotFoundError as error:
        if not error.name or not f"{name}.".startswith(f"{error.name}."):
            raise  # the program's own import
        return f"No module named {error.name}"
    except ImportError as error:
        return str(error) if name.startswith(".") else ""
    return ""


def _run(text: str | bytes, name: str, path: str | None = None) -> None:
    """Runs a program as `__main__`, as Python does: in a module of its own, whose `__file__` is an absolute path."""
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __annotations__={})
    if path is not None:
        module.__dict__.update(__file__=path, __cached__=None, __loader__=importlib.machinery.SourceFileLoader("__main__", path))
    exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)


def _run_file(name: str) -> None:
    path = os.path.abspath(name)
    sys.path[0] = os.path.dirname(path)
    if not os.path.isfile(path) or zipfile.is_zipfile(path) or path.endswith(".pyc"):  # a folder or an archive with a __main__.py
        runpy.run_path(name, run_name="__main__")
        return
    with open(path, "rb") as file:
        text = file.read()
    _run(text, path, path)


def _shown(run: Callable[[], object]) -> None:
    """Runs a program, whose error is shown without the frames in which this module has called it."""
    try:
        run()
    except SystemExit:
        raise
    except BaseException as error:
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename in (__file__, "<frozen runpy>"):
            at = at.tb_next
        sys.excepthook(type(error), error.with_traceback(at), at)
        sys.excepthook = lambda *shown: None  # Python ends as after any error, and says nothing more
        raise


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    kind, rest = arguments[0], arguments[1:]
    if kind == "doctor" and not os.path.exists(kind):
        from ._doctor import main as doctor

        return doctor(rest)
    if kind in ("-m", "-c") and not rest:
        print(f"python -m monograph: {kind} needs a {'module' if kind == '-m' else 'program'} after it\n\n{USAGE}", file=sys.stderr)
        return 2
    if kind.startswith("-") and kind not in ("-m", "-c", "-"):
        print(f"python -m monograph: unknown option {kind!r}\n\n{USAGE}", file=sys.stderr)
        return 2
    if kind not in ("-m", "-c", "-") and not os.path.exists(kind):
        print(f"python -m monograph: there is no file {kind!r} to run. Graph files are read by the command `monograph`: monograph --help", file=sys.stderr)
        return 2
    install_as_torch()
    if kind in ("-m", "-c", "-"):
        sys.path[0] = ""
    if kind == "-m":
        sys.argv[:] = rest
        if why := why_not_a_program(rest[0]):
            print(f"python -m monograph: {why}", file=sys.stderr)
            return 1
        _shown(lambda: runpy.run_module(rest[0], run_name="__main__", alter_sys=True))
    elif kind == "-c":
        sys.argv[:] = ["-c", *rest[1:]]
        _shown(lambda: _run(rest[0], "<string>"))
    else:
        sys.argv[:] = arguments
        _shown(lambda: _run(sys.stdin.buffer.read(), "<stdin>", "<stdin>") if kind == "-" else _run_file(kind))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
