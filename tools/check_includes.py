"""The directions of includes: a folder of src/ includes itself and what stands before it in LAYERS, never what stands after.

Operators rest on their mechanism, not the other way round: what stands in src/ops itself does not include src/ops/families.

The program (src/cli), the bindings and the tools stand above all layers. include/monograph, the public API, is made by src/api and may be
included by these and by tests, examples and benchmarks; the C header of the kernels by src/codegen too, whose objects call them. LLVM's headers appear in src/codegen only, and at most five sources there include them, themselves or
through a header of ours (each costs up to 9 seconds to compile)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ["core", "ir", "kernels", "ops", "autograd", "passes", "codegen", "exec", "capture", "formats", "api", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
LLVM_FILES = 6  # each costs seconds: the two emitters of bodies, those of products and convolutions, targets, and the JIT


def includes(file: Path) -> list[tuple[int, str]]:
    """The lines and names of a file's includes."""
    matches = ((number, INCLUDE.match(line)) for number, line in enumerate(file.read_text().splitlines(), 1))
    return [(number, match[1]) for number, match in matches if match]


def reaches_llvm(file: Path, root: Path) -> bool:
    """Whether a file includes LLVM's headers, itself or through headers of src/codegen."""
    seen, todo = set(), [file]
    while todo:
        names = [name for _, name in includes(todo.pop())]
        if any(name.startswith(("llvm/", "llvm-c/")) for name in names):
            return True
        headers = {root / "src" / name for name in names if name.startswith("codegen/")} - seen
        seen |= headers
        todo += [header for header in headers if header.is_file()]
    return False


def problems(root: Path) -> list[str]:
    found = []
    for file in sorted((root / "src").rglob("*.[ch]*")):
        where = file.relative_to(root)
        layer = where.parts[1]
        if layer not in LAYERS:
            found.append(f"{where}: src/{layer} is no layer; they are: {', '.join(LAYERS)}")
            continue
        for number, name in includes(file):
            folder = name.split("/")[0]
            if folder in LAYERS and LAYERS.index(folder) > LAYERS.index(layer):
                found.append(f"{where}:{number}: {layer} includes {name}, but {folder} stands above it")
            if name.startswith("ops/families/") and where.parent.as_posix() != "src/ops/families":
                found.append(f"{where}:{number}: {name} is for families of operators; what others need of it belongs to src/ops")
            if folder == "monograph" and layer not in ("api", "cli") and (layer, name) != ("codegen", "monograph/kernels.h"):
                found.append(f"{where}:{number}: the public header {name} is for users; include what it stands on")
            if folder in ("llvm", "llvm-c") and layer != "codegen":
                found.append(f"{where}:{number}: LLVM's headers belong to src/codegen")
    users = [str(file.relative_to(root)) for file in sorted((root / "src" / "codegen").rglob("*.cpp")) if reaches_llvm(file, root)]
    if len(users) > LLVM_FILES:
        found.append(f"LLVM's headers are seen by {len(users)} sources, at most {LLVM_FILES}: {', '.join(users)}")
    return found


def main() -> int:
    found = problems(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(found) if found else "include directions: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
