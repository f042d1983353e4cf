"""What kernels/call.h says of structured kernels: they allocate nothing, throw nothing, and check no shape, which the operator's rule has done.

A source of src/kernels that defines `KernelStatus NAME(KernelCall& call)`, and every source there whose header such a one includes, may not
name what does. A header there declares a kernel by MONOGRAPH_KERNEL, which gives it its name for C (include/monograph/kernels.h)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = re.compile(r"^KernelStatus \w+\(KernelCall&", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
FORBIDDEN = {
    r"#\s*include\s+<(?:vector|string|memory|functional|map|unordered_map|deque|list|new|sstream|stdexcept)>": "allocates",
    r"\b(?:new\s+\w+|malloc|calloc|realloc|aligned_alloc|posix_memalign|operator new)\b": "allocates",
    r"\bstd::(?:stable_sort|stable_partition|inplace_merge)\b": "allocates",
    r"\bthrow\b": "throws",
    r'#\s*include\s+"core/(?:error|tensor|size)\.h"': "checks",
    r"(?<![\w.>])fail\(": "checks",
}


def kernel_sources(root: Path) -> list[Path]:
    """The sources of structured kernels, and those that they call."""
    sources = {file.relative_to(root / "src").as_posix(): file for file in sorted((root / "src" / "kernels").glob("*.cpp"))}
    todo = [name for name, file in sources.items() if KERNEL.search(file.read_text())]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        included = (match[1] for line in sources[name].read_text().splitlines() if (match := INCLUDE.match(line)))
        todo += [source for header in included if (source := header.removesuffix(".h") + ".cpp") in sources]
    return [sources[name] for name in sorted(found)]


def problems(root: Path) -> list[str]:
    found = []
    for file in kernel_sources(root):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = line.partition("//")[0]
            for pattern, does in FORBIDDEN.items():
                if match := re.search(pattern, code):
                    found.append(
                        f"{file.relative_to(root)}:{number}: a structured kernel {does}: {match[0]}; its operator's rule is the place (src/ops/rule.h)"
                    )
    for file in sorted((root / "src" / "kernels").glob("*.h")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if KERNEL.search(line) and line.rstrip().endswith(";"):
                found.append(
                    f"{file.relative_to(root)}:{number}: declare it by MONOGRAPH_KERNEL, so that C has it too (src/kernels/call.h)"
                )
    return found


def main() -> int:
    found = problems(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(found) if found else f"structured kernels: {len(kernel_sources(ROOT))} sources, ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
