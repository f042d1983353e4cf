"""The source text of functions and classes. Python keeps none of what `python -c` and the prompt run, so that is looked for where it was written: in the command
line, and in the prompt's history. A text counts only if it compiles to the very code of the function."""

from __future__ import annotations
import __future__

import inspect
import linecache
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def source_of(function: Any) -> tuple[str, str, int]:
    """The source text of a function or class, its file, and the number of its first line."""
    name = getattr(function, "__name__", repr(function))
    if name == "<lambda>":
        raise RuntimeError("jit.script cannot compile a lambda, because its source text is not a statement; write a function with def")
    try:
        lines, first = inspect.getsourcelines(function)
        return "".join(lines), inspect.getsourcefile(function) or "<unknown>", max(first, 1)
    except (OSError, TypeError):
        found = _typed(function)
    if found is None:
        raise OSError(
            f"jit.script needs the source text of {name}(), and Python has none: it was defined by exec, or at a prompt that keeps no text. "
            "Write the function in a file or a notebook, or give its text to torch.jit.CompilationUnit"
        )
    return found


def _typed(function: Any) -> tuple[str, str, int] | None:
    """What source_of gives for a function or class of `python -c` or of the prompt, and for a class of a notebook."""
    codes = _codes_of(function)
    for text in _texts(codes[0].co_filename) if codes else ():
        try:
            program = compile(text, codes[0].co_filename, "exec", flags=codes[0].co_flags & _FUTURE, dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        for code in _all_codes(program):
            inside = [code] if not isinstance(function, type) else [c for c in code.co_consts if isinstance(c, types.CodeType)]
            if code.co_name == function.__name__ and all(own in inside for own in codes):
                block = inspect.getblock(text.splitlines(keepends=True)[code.co_firstlineno - 1 :])
                return "".join(block), code.co_filename, code.co_firstlineno
    return None


def _codes_of(function: Any) -> list[types.CodeType]:
    """The code of a function; those of the methods that a class's text defines."""
    if not isinstance(function, type):
        code = getattr(inspect.unwrap(function), "__code__", None)
        return [] if code is None else [code]
    values = [v.__func__ if isinstance(v, (staticmethod, classmethod)) else v for v in vars(function).values()]
    own = [v.__code__ for v in values if isinstance(v, types.FunctionType) and v.__qualname__ == f"{function.__qualname__}.{v.__name__}"]
    typed = ("<string>", "<stdin>")
    return [
        code
        for code in own
        if (code.co_filename in typed or linecache.getlines(code.co_filename)) and "__create_fn__" not in getattr(code, "co_qualname", "")
    ]


def _all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _all_codes(inner)


def _texts(file: str) -> Iterator[str]:
    """Texts that the code of this file may come from."""
    if file == "<string>":
        for word in sys.orig_argv[1:]:
            yield from dict.fromkeys([word + "\n", textwrap.dedent(word) + "\n", word.partition("c")[2] + "\n"])
    elif file == "<stdin>" and (readline := sys.modules.get("readline")) is not None:
        typed = [readline.get_history_item(k + 1) or "" for k in range(readline.get_current_history_length())]
        for first in range(len(typed) - 1, -1, -1):
            if typed[first].startswith(("def ", "class ", "@")):
                yield _statement(typed[first:])
    elif lines := linecache.getlines(file):  # the cell of a notebook: inspect finds its functions, but not its classes
        yield "".join(lines)


def _statement(lines: list[str]) -> str:
    """The first statement of lines of the prompt, where an empty line, which the history lacks, ends it."""
    last = next((k for k, text in enumerate(lines) if not text.startswith("@")), 0)
    end = next((k for k in range(last + 1, len(lines)) if not lines[k].startswith((" ", "\t", ")"))), len(lines))
    return "\n".join(lines[:end]) + "\n"
