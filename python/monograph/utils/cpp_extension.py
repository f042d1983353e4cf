"""Paths of the library's headers and library, for compiling C++ programs without CMake or pkg-config.

    c++ -std=c++20 app.cpp $(python -c "from monograph.utils import cpp_extension as e; print(*e.include_flags(), *e.library_flags())")
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["include_paths", "library_paths", "include_flags", "library_flags"]

_PACKAGE = Path(__file__).resolve().parents[1]


def _installed() -> Path | None:
    """The folder that MONOGRAPH_ROOT names: a copy made by `cmake --install`."""
    root = os.environ.get("MONOGRAPH_ROOT")
    return Path(root) if root else None


def _checkout() -> Path | None:
    """The checkout whose sources this package is, if it is built."""
    root = _PACKAGE.parents[1]
    return root if (root / "build" / "release" / "lib" / "libmonograph.so").exists() and (root / "include" / "monograph").is_dir() else None


def _missing(what: str) -> OSError:
    return OSError(
        f"cpp_extension: the {what} of the C++ library are not here. A wheel has none of them: install the library with `cmake --install BUILD --prefix FOLDER`, "
        "and set MONOGRAPH_ROOT to this folder"
    )


def include_paths(device_type: str = "cpu") -> list[str]:
    """The folders of the headers, for -I. OSError where the library is not installed.

    Example:

        >>> from monograph.utils import cpp_extension
        >>> all(isinstance(path, str) for path in cpp_extension.include_paths())
        True
    """
    installed, checkout = _installed(), _checkout()
    if installed is not None:
        if not (installed / "include" / "monograph" / "monograph.h").exists():
            raise OSError(f"cpp_extension: MONOGRAPH_ROOT is {installed}, which has no include/monograph/monograph.h")
        return [str(installed / "include")]
    if checkout is not None:
        return [str(checkout / "include"), str(checkout / "build" / "release" / "generated")]
    raise _missing("headers")


def library_paths(device_type: str = "cpu") -> list[str]:
    """The folder of libmonograph.so, for -L and for the rpath. OSError where the library is not installed.

    Example:

        >>> from monograph.utils import cpp_extension
        >>> len(cpp_extension.library_paths())
        1
    """
    installed, checkout = _installed(), _checkout()
    if installed is not None:
        found = sorted(path.parent for path in installed.glob("lib*/**/libmonograph.so"))
        if not found:
            raise OSError(f"cpp_extension: MONOGRAPH_ROOT is {installed}, which has no lib/libmonograph.so")
        return [str(found[0])]
    if checkout is not None:
        return [str(checkout / "build" / "release" / "lib")]
    raise _missing("libraries")


def include_flags() -> list[str]:
    """-I for each folder of include_paths().

    Example:

        >>> from monograph.utils import cpp_extension
        >>> all(flag.startswith("-I") for flag in cpp_extension.include_flags())
        True
    """
    return [f"-I{path}" for path in include_paths()]


def library_flags() -> list[str]:
    """-L, the rpath and -lmonograph, as pkg-config gives them.

    Example:

        >>> from monograph.utils import cpp_extension
        >>> "-lmonograph" in cpp_extension.library_flags()
        True
    """
    return [flag for path in library_paths() for flag in (f"-L{path}", f"-Wl,-rpath,{path}")] + ["-lmonograph", "-pthread"]
