"""The directions of includes: a folder of src/ includes itself and what stands before it in LAYERS, never what stands after.

The program (src/cli), the bindings and the tools stand above all layers. include/monograph, the public API, may be included by these
and by tests, examples and benchmarks. LLVM's headers appear in src/codegen only, in at most four source files (each costs 9 seconds)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ["core", "ir", "kernels", "ops", "autograd", "passes", "codegen", "exec", "quant", "capture", "formats", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
LLVM_FILES = 4


def problems(root: Path) -> list[str]:
    found, llvm_files = [], []
    for file in sorted((root / "src").rglob("*.[ch]*")):
        where = file.relative_to(root)
        layer = where.parts[1]
        if layer not in LAYERS:
            found.append(f"{where}: src/{layer} is no layer; they are: {', '.join(LAYERS)}")
            continue
        uses_llvm = False
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            folder = match[1].split("/")[0]
            if folder in LAYERS and LAYERS.index(folder) > LAYERS.index(layer):
                found.append(f"{where}:{number}: {layer} includes {match[1]}, but {folder} stands above it")
            if folder == "monograph" and layer != "cli":
                found.append(f"{where}:{number}: the public header {match[1]} is for users; include what it stands on")
            uses_llvm |= folder in ("llvm", "llvm-c")
        if uses_llvm:
            llvm_files.append(where)
            if layer != "codegen":
                found.append(f"{where}: LLVM's headers belong to src/codegen")
    if len(llvm_files) > LLVM_FILES:
        found.append(f"LLVM's headers are in {len(llvm_files)} files, at most {LLVM_FILES}: {', '.join(map(str, llvm_files))}")
    return found


def main() -> int:
    found = problems(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(found) if found else "include directions: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
