"""From one file to those that it imports: local files, and installed packages that import torch. Files are read, not run."""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path

from ._notebook import text_of
from ._reading import Imported, Reading, read


@dataclass
class SourceFile:
    """A file of the program, or of a package that it imports."""

    file: Path
    name: str  # as an import names it; empty of the script
    package: str | None  # the installed package that it is part of; None: a file of the program
    reading: Reading
    places: list[str] | None = None  # of a notebook: where each line of its text is

    def place(self, line: int) -> str:
        return str(line) if self.places is None else self.places[line - 1]


@dataclass
class SourceFiles:
    modules: list[SourceFile] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)  # a file: why it was not read
    not_installed: set[str] = field(default_factory=set)
    left_out: int = 0  # files behind the limit


_MOST_LOOKED_AT = 3000  # files of one package
# Modules of Python's own, of PyTorch and of Monograph are not followed.
_NOT_FOLLOWED = {*sys.stdlib_module_names, "torch", "monograph"}


def follow(script: Path, most_files: int) -> SourceFiles:
    """OSError or SyntaxError where the script itself cannot be read."""
    script = script.resolve()
    program = SourceFiles([_read_script(script)])
    here = script.parent
    path = [str(here), *(p for p in sys.path if p and Path(p).resolve() != here)]
    todo = deque([program.modules[0]])
    seen = {script}
    while todo:
        module = todo.popleft()
        for name in _imported_names(module):
            outermost = name.partition(".")[0]
            if PathFinder.find_spec(outermost, path) is None:
                program.not_installed.add(outermost)
            for file, full in _files_of(name, path):
                if file in seen:
                    continue
                seen.add(file)
                if len(program.modules) >= most_files:
                    program.left_out += 1
                    continue
                made = _module(program, file, full, here)
                if made is not None:
                    program.modules.append(made)
                    todo.append(made)
    return program


def _module(program: SourceFiles, file: Path, name: str, here: Path) -> SourceFile | None:
    """The file as a module, if there is something to follow in it."""
    package = None if _is_local(file, here) else name.partition(".")[0]
    try:
        if package is not None and not _names_torch(_home_of(file, name)):
            return None
        return SourceFile(file, name, package, _read_file(file))
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        program.unread[str(file)] = str(error).splitlines()[0]
        return None


def _home_of(file: Path, name: str) -> Path:
    """The folder of the installed package that the file is in; the file itself of a single module."""
    levels = name.count(".") + (file.name == "__init__.py")
    return file.parents[levels - 1] if levels else file


@functools.cache
def _names_torch(home: Path) -> bool:
    """Whether a file of the package imports torch. A package that does not is not followed."""
    files = sorted(home.rglob("*.py"), key=lambda file: len(file.parts)) if home.is_dir() else [home]
    return any(b"import torch" in text or b"from torch" in text for text in (file.read_bytes() for file in files[:_MOST_LOOKED_AT]))


def _is_local(file: Path, here: Path) -> bool:
    return file.is_relative_to(here) and not {"site-packages", "dist-packages"} & set(file.parts)


def _read_script(script: Path) -> SourceFile:
    if script.suffix != ".ipynb":
        return SourceFile(script, "", None, _read_file(script))
    text, places = text_of(script)
    try:
        return SourceFile(script, "", None, read(text, str(script)), places)
    except SyntaxError as error:
        where = places[error.lineno - 1] if error.lineno and error.lineno <= len(places) else "the last cell"
        raise ValueError(f"{where}: {error.msg}") from None


def _read_file(file: Path) -> Reading:
    import tokenize

    with tokenize.open(file) as source:  # in the encoding that the file states
        return read(source.read(), str(file))


def _imported_names(module: SourceFile) -> Iterator[str]:
    """The modules that the imports of a file may mean: `from a import b` is the module a, and perhaps the module a.b."""
    for wanted in module.reading.imports:
        home = _absolute(wanted, module)
        if home is None or home.partition(".")[0] in _NOT_FOLLOWED:
            continue
        if home:
            yield home
        for name in wanted.names:
            if name != "*":
                yield f"{home}.{name}".lstrip(".")


def _absolute(wanted: Imported, module: SourceFile) -> str | None:
    if not wanted.level:
        return wanted.module
    parts = module.name.split(".") if module.name else []
    if module.file.name != "__init__.py":
        parts = parts[:-1]
    up = wanted.level - 1
    if up > len(parts):
        return None
    return ".".join([*parts[: len(parts) - up], *([wanted.module] if wanted.module else [])])


def _files_of(name: str, path: list[str]) -> Iterator[tuple[Path, str]]:
    """The Python files that an import of a module reads: those of the packages around it, and its own."""
    at: list[str] | None = path
    for k, _ in enumerate(parts := name.split("."), 1):
        full = ".".join(parts[:k])
        try:
            spec = PathFinder.find_spec(full, at)
        except (ImportError, ValueError, OSError):
            return
        if spec is None:
            return
        if spec.origin and spec.origin.endswith(".py"):
            yield Path(spec.origin).resolve(), full
        at = list(spec.submodule_search_locations or ())
        if not at:
            return
