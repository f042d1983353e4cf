"""What kernels/call.h says of structured kernels: they allocate nothing, throw nothing, and check no shape, which the operator's rule has done.

A source of src/kernels that names KernelCall, and every source and header there that such a one includes, may not name what does, nor include what could
(ALLOWED lists the rest of core that they may). KNOWN lists the lines that may. A header there declares a kernel by MONOGRAPH_KERNEL, which gives it its name for C (include/monograph/kernels.h), but for what
needs C++. The driver of products (matmul.cpp) keeps memory for each thread, which its kernels share. Elsewhere, the body of a function or lambda that takes a KernelCall may not. And the families of operators state no evaluation: a rule
and a kernel, or a decomposition, but for what EVALUATIONS lists with a reason."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = re.compile(r"\bKernelCall\b")
BODY = re.compile(r"\(\s*(?:const\s+)?KernelCall\s*&[^;{}]*\)[^;{}()]*\{")
ALLOWED = r"core/(?:dtype|generator|threads/pool)\.h"
DECLARED = re.compile(r"^KernelStatus \w+\(KernelCall&[^{]*;")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
# An array whose length is no constant: a name in its brackets that is neither kLikeThis nor a template's T.
OF_RUN_TIME_LENGTH = (
    r"^\s*(?:(?:alignas\([^)]*\)|const|static|unsigned)\s+)*(?!(?:return|else|delete|case|throw|goto|new|using)\b)[\w:]+(?:<[^;]*>)?(?:\s+|\s*\*\s*)"
    r"(?:\w+\[[^\]]*\](?:\s*=\s*\{\})?,\s*)*\w+\[[^\]]*(?<![\w.])(?<!sizeof\()(?!k[A-Z]|sizeof\b)[a-z]\w*[^\]]*\](?:\[[^\]]*\])*\s*[;,={]"
)
WHAT_DOES = {
    r"\bnew\s+\w+|\bnew\s*\(|\boperator new\b": "allocates",
    r"\b(?:malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|valloc|alloca|mmap(?:64)?|sbrk|strn?dup|v?asprintf)\b": "allocates",
    r"\bstd::(?:stable_sort|stable_partition|inplace_merge)\b": "allocates",
    r"\bstd::(?:make_unique|make_shared|allocate_shared|unique_ptr|shared_ptr|function|any|allocator|to_string|format)\b": "allocates",
    r"\bstd::(?:vector|w?string|deque|list|map|set|multimap|multiset|unordered_\w+|valarray|[io]?stringstream)\b": "allocates",
    OF_RUN_TIME_LENGTH: "has an array of a length that is not constant",
    r"\b(?:assert|MONOGRAPH_ASSERT|abort|terminate|_?[eE]xit|quick_exit)\s*\(": "may end the program",
    r"\bthread_local\b|\bpmr\b": "keeps memory",
    r"\bthrow\b": "throws",
    r"(?<![\w.>])fail\(": "checks",
    r"\bMONOGRAPH_CHECK\b": "checks",
    r"\bif\s*\(.*(?:\bsizes\[[^\]]*\]|\bstrides\[[^\]]*\]|\.dim)\s*[!=]=.*\breturn\s+(?:\w+\.fail\(|KernelStatus::Bad)": "checks a shape",
}
FORBIDDEN = {
    r"#\s*include\s+<(?:vector|string|memory|functional|map|set|unordered_map|unordered_set|deque|list|any|valarray|new|sstream|stdexcept|memory_resource|scoped_allocator)>": "allocates",
    r"#\s*include\s+<(?:cassert|assert\.h|sys/mman\.h)>": "may end the program, or allocates",
    rf'#\s*include\s+"(?!kernels/|{ALLOWED})[^"]*"': "checks, or allocates",
    **WHAT_DOES,
}
IN_A_BODY = {
    r"\b(?:Dims|Tensor|IValue)\b": "allocates",
    r'(?<!\w)(?:empty|empty_strided|empty_like|convert_tensor|copy_tensor|contiguous)\(|"_op\(': "allocates",
    **WHAT_DOES,
}
# Lines of headers that kernels include.
KNOWN = {
    "src/kernels/call.h": ("KernelStatus fail(", "how a kernel says where bad data stands"),
    "src/kernels/body.h": ("", "recorded bodies, of which kernels take the names of functions only"),
}
FOR_CPP = {"draws.h", "factorizations.h", "spectra.h"}  # they draw from a Generator, or call LAPACK
# By file of src/ops/families, how many statements have an evaluation of their own, and why.
EVALUATIONS = {
    "memory.cpp": (2, "they give a tensor other sizes or other memory, or ask for it: no kernel sees that"),
    "programs.cpp": (1, "numbers, strs, lists and dicts of programs, all by one helper: their results are values"),
    "properties.cpp": (3, "what a tensor is beside its elements, all by one helper, and backward passes: their results are numbers and strs, or are made of operators"),
    "quantized.cpp": (1, "all by one helper: a result carries a scale and a zero point, which no kernel sees, or is such a number"),
    "spellings.cpp": (2, "the out= form of draws, and writes into the tensors of a list, which no kernel takes"),
    "slices.cpp": (3, "pieces that share the tensor's memory and are no views for autograd: a kernel fills new tensors"),
    "scalars.cpp": (1, "numbers and lists, all by one helper: their results are values, not tensors that dispatch could make"),
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


def kernel_headers(root: Path) -> list[Path]:
    """The headers of src/kernels that the sources of structured kernels include, directly or not."""
    headers = {file.relative_to(root / "src").as_posix(): file for file in sorted((root / "src" / "kernels").glob("*.h"))}
    todo, found = kernel_sources(root), set()
    while todo:
        for line in todo.pop().read_text().splitlines():
            if (match := INCLUDE.match(line)) and match[1] in headers and match[1] not in found:
                found.add(match[1])
                todo.append(headers[match[1]])
    return [headers[name] for name in sorted(found)]


def kernel_bodies(text: str) -> Iterator[tuple[int, str]]:
    """The lines of the functions and lambdas of a source that take a KernelCall, by number."""
    for match in BODY.finditer(text):
        end, depth = match.end(), 1
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        first = text.count("\n", 0, match.start()) + 1
        yield from enumerate(text[match.start() : end].splitlines(), first)


def found_in(lines: Iterator[tuple[int, str]], forbidden: dict[str, str], name: Path) -> list[str]:
    found = []
    for number, line in lines:
        code = line.partition("//")[0]
        for pattern, does in forbidden.items():
            if match := re.search(pattern, code):
                found.append(f"{name}:{number}: a structured kernel {does}: {match[0]}; its operator's rule is the place (src/ops/rule.h)")
    return found


def evaluations(root: Path) -> list[str]:
    found = []
    for file in sorted((root / "src" / "ops" / "families").glob("*.cpp")):
        text = "\n".join(line.partition("//")[0] for line in file.read_text().splitlines())
        allowed, _ = EVALUATIONS.get(file.name, (0, ""))
        if (count := len(re.findall(r"\.eval\s*\(|\bOpBuilder::eval\b", text))) != allowed:
            found.append(
                f"{file.relative_to(root)}: {count} statements have an evaluation, and EVALUATIONS in tools/check_kernels.py lists {allowed}; "
                "state a rule and a kernel, or a decomposition (docs/adding_an_operator.md)"
            )
    return found


def problems(root: Path) -> list[str]:
    found = []
    sources = kernel_sources(root)
    for file in sources:
        found += found_in(enumerate(file.read_text().splitlines(), 1), FORBIDDEN, file.relative_to(root))
    for file in kernel_headers(root):
        name = file.relative_to(root)
        known = KNOWN.get(name.as_posix(), (None, ""))[0]
        lines = [(number, line) for number, line in enumerate(file.read_text().splitlines(), 1) if known is None or known not in line]
        found += found_in(iter(lines), FORBIDDEN, name)
    for file in sorted((root / "src" / "kernels").glob("*.h")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if file.name not in FOR_CPP and DECLARED.search(line):
                found.append(
                    f"{file.relative_to(root)}:{number}: declare it by MONOGRAPH_KERNEL, so that C has it too (src/kernels/call.h)"
                )
    for file in sorted((root / "src").rglob("*.cpp")):
        if file not in sources:
            found += found_in(kernel_bodies(file.read_text()), IN_A_BODY, file.relative_to(root))
    return found + evaluations(root)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    found = problems(root)
    listed = "; ".join(f"{count} in {file}, {why}" for file, (count, why) in EVALUATIONS.items())
    print("\n".join(found) if found else f"structured kernels: {len(kernel_sources(root))} sources, ok; evaluations in families: {listed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
