"""Writes docs/api_coverage.md: which of the names that PyTorch documents are there, and docs/fx_coverage.md: each public name of torch.fx.

    .venv/bin/python tools/api_coverage.py            writes the pages
    .venv/bin/python tools/api_coverage.py --check    fails where they are not what would be written

PyTorch's own modules say the names (tools/oracle/documented_names.py, by .venv-oracle); what Monograph has is found by looking. tools/api_use.txt counts how
many programs use a name. A name is *there* where Monograph has it, with every overload of its operator; *partly* where overloads are missing."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import monograph
from monograph._scope import OUT, found, out_of_scope
from overload_reasons import reason_of_overload

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api_coverage.md"
FX_PAGE = ROOT / "docs" / "fx_coverage.md"


# Why a name is missing: a pattern of what stands behind "torch.". The tool fails where a missing name has no reason.
REASONS = {
    "statically quantized layers are missing, whose kernels these are": r"^(Tensor\.)?(quantized_\w+|to_mkldnn)$",
    "a device that Monograph does not run on": r"^Tensor\.(ipu|mtia|xpu|record_stream)$",
    "products of 8-bit and grouped matrices, for which PyTorch has kernels on accelerators only": r"^nn\.functional\.(grouped_mm|scaled_\w+)$",
    "a text of PyTorch's documentation": r"_notes$",
    "worker processes that share memory are missing": r"^(Tensor\.share_memory_|thread_safe_generator)$",
    "nested tensors are out of scope": r"(^Tensor\.to_padded_tensor|NestedIOFunction)$",
    "part of how PyTorch is built inside": (
        r"^(AVG|SUM|init_num_threads|utils\.checkpoint\.(DefaultDeviceType|GraphExecGroup)|autograd\.(grad_mode\.)?enforce_grad_layout_policy|library\.get_(ctx|kernel))$"
    ),
    "it makes kernels of another language": r"^library\.(triton_op|wrap_triton)$",
    "it asks for, or sets, something of an accelerator": r"^(accelerator\.|nn\.attention\.\w+_flash_attention_impl|autograd\.graph\.set_\w+stream|autograd\.profiler\.load_nvprof)",
    "it compiles with PyTorch's headers": r"^utils\.(cpp_extension\.|cmake_prefix_path|get_cpp_backtrace|\w+_privateuse1_backend)",
    "it reads and writes an archive of Python's modules": r"^package\.",
    "it counts instructions with valgrind": r"^utils\.benchmark\.(Callgrind|CopyIf|Function)",
    "nobody has asked for it yet: no program that was looked through uses it": r"",
}


def reason_of(name: str) -> str:
    short = name.removeprefix("torch.")
    return next(reason for reason, pattern in REASONS.items() if re.search(pattern, short))


def stated_reason(name: str, overload: str) -> str:
    reason = reason_of_overload(name, overload)
    return reason or sys.exit(f"the missing overload {overload} of {name} has no reason in tools/overload_reasons.py")


def with_reasons(reasons: list[tuple[str, str]]) -> str:
    """"`a`, `b`: why; `c`: why" of pairs of a name and its reason."""
    groups: dict[str, list[str]] = {}
    for name, reason in reasons:
        groups.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in groups.items())


def missing_overloads(name: str, theirs: list[str]) -> list[str]:
    packet = getattr(monograph.ops.aten, name, None)
    ours = {o.replace("default", "") for o in packet.overloads()} if hasattr(packet, "overloads") else set()
    return [o for o in theirs if ours and o.replace("default", "") not in ours]


def uses() -> Counter[str]:
    lines = (ROOT / "tools" / "api_use.txt").read_text().splitlines()
    return Counter({name: int(count) for name, _, count in (line.rpartition(" ") for line in lines if not line.startswith("#"))})


def counted(name: str, use: int) -> str:
    return f"`{name}`" + (f" {use}" if use else "")


def is_there(path: str) -> bool:
    """Whether the name is there, None being a value too."""
    home, _, name = path.rpartition(".")
    return found(path) is not None or hasattr(found(home), name)


# The classes of torch.fx whose members stand in a table, each with a test that uses it.
TESTED = ("CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer")
DERIVED_FROM = ("CodeGen", "Interpreter", "Tracer", "Transformer")  # whose name a test writes


def names_in(node: ast.AST) -> set[str]:
    """The names that a function or class uses or defines."""
    used = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)} | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return used | {n.name for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}


def tests_of_names() -> dict[str, list[tuple[int, str, set[str]]]]:
    """For each name, the tests of torch.fx that use it: how many names each uses, its own ("test_fx_hooks.py::test_calls"), and the names."""
    tests: dict[str, list[tuple[int, str, set[str]]]] = {}
    for file in sorted((ROOT / "tests" / "python").glob("test_fx*.py")):
        tree = ast.parse(file.read_text())
        helpers = {n.name: names_in(n) for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("test_")}
        for test in (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")):
            used = names_in(test)
            used |= {name for helper in used & helpers.keys() for name in helpers[helper]}
            for name in used:
                tests.setdefault(name, []).append((len(used), f"{file.name}::{test.name}", used))
    return tests


def test_of(member: str, tests: dict[str, list[tuple[int, str, set[str]]]]) -> str:
    """The test that uses a member, as `Graph.lint`, and the fewest other names; "none". What several classes have needs the name of its class too."""
    owner, _, name = member.partition(".")
    needed = {owner} if owner in DERIVED_FROM else set()
    return min((test[:2] for test in tests.get(name, ()) if needed <= test[2]), default=(0, "none"))[1]


def fx_page(modules: dict[str, dict[str, list[str]]]) -> str:
    """The page of torch.fx: which names of each module are there."""
    rows, sections, counts, tested, tests = [], [], Counter[str](), [], tests_of_names()
    for path, names in modules.items():
        short = path.removeprefix("torch.fx.")
        there = [n for n in names if is_there(f"{path}.{n}")]
        missing = [n for n in names if n not in there]
        counts.update(there=len(there), missing=len(missing))
        members = [n for n in there if n.partition(".")[0] in TESTED and "." in n]
        tested += [f"| `{n}` | `{test_of(n, tests)}` |" for n in members]
        rows.append(f"| `{short}` | {len(there)} | {len(missing)} |")
        listed = [f"there: {', '.join(f'`{n}`' for n in there)}"] if there else []
        listed += [f"missing: {', '.join(f'`{n}`' for n in missing)}"] if missing else []
        sections.append(f"**`{short}`**\n\n" + "\n\n".join(listed))
    return f"""# The names of torch.fx

{counts["there"]} of the {counts.total()} public names that PyTorch 2.13 defines in these modules of `torch.fx` are there: functions, classes, and the
methods and attributes of classes. `tools/api_coverage.py` writes this page. It only looks whether a name is there. The tests
`tests/python/test_fx_passes_like_pytorch.py`, `test_fx_trees_like_pytorch.py`, `test_fx_passes.py`, `test_fx_experimental.py`, `test_fx_interpreter.py` and `test_fx_rewriter.py` compare what it does.

| module | there | missing |
|---|---|---|
{chr(10).join(rows)}
| all | {counts["there"]} | {counts["missing"]} |

## The members of the classes, each with a test

Of the tests in `tests/python` that use the name, the one that uses the fewest others.

| member | test |
|---|---|
{chr(10).join(tested)}

## Each name

{(chr(10) * 2).join(sections)}
"""


def main() -> None:
    command = [str(ROOT / ".venv-oracle/bin/python"), str(ROOT / "tools/oracle/documented_names.py")]
    documented: dict[str, dict[str, list[str]]] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    of_fx = {path: documented.pop(path) for path in list(documented) if path.startswith("torch.fx.")}
    use = uses()
    rows, lists = [], []
    total: Counter[str] = Counter()
    for path, names in documented.items():
        state: Counter[str] = Counter()
        partly, missing = [], []
        for name, theirs in names.items():
            full = f"{path}.{name}"
            if out_of_scope(name):
                state["out"] += 1
            elif found(full) is None:
                missing.append((-use[full], name))
            elif lacking := missing_overloads(name, theirs):
                partly.append((name, lacking))
            else:
                state["there"] += 1
        state["partly"], state["missing"] = len(partly), len(missing)
        total += state
        rows.append(f"| `{path}` | {len(names)} | {state['there']} | {state['partly']} | {state['missing']} | {state['out']} |")
        if partly:
            pairs = [(f"`{n}.{o or 'default'}`", stated_reason(n, o or "default")) for n, lacking in partly for o in lacking]
            lists.append(f"- `{path}`, partly: {with_reasons(pairs)}.")
        if missing:
            pairs = [(counted(name, -count), reason_of(f"{path}.{name}")) for count, name in sorted(missing)]
            lists.append(f"- `{path}`, missing: {with_reasons(pairs)}.")
    often = [
        (name, count)
        for name, count in use.items()
        if count >= 2 and not any(out_of_scope(part) for part in name.split(".")) and found(name) is None
    ]
    listed = [f"- {with_reasons([(counted(name, count), reason_of(name)) for name, count in often])}" if often else "None."]
    share = total["there"] / (total.total() - total["out"])
    text = f"""# Which names of PyTorch are there

{share:.0%} of the names that PyTorch 2.13 documents are there with every overload. Names that are out of scope are not counted. Of the names that at least two of some
4,300 programs use, {len(often)} are missing. `tools/api_coverage.py` writes this page. It only looks whether a name is there. Other tests compare what a name does with PyTorch.

| module | names | there | partly | missing | out of scope |
|---|---|---|---|---|---|
{chr(10).join(rows)}
| all | {total.total()} | {total["there"]} | {total["partly"]} | {total["missing"]} | {total["out"]} |

*Partly*: some overloads of its operator are missing; they stand below. *Out of scope*: {", ".join(OUT)} ([scope](scope.md)). A
number is how many of the programs use the name.

## Used at least twice, and missing

{chr(10).join(listed)}

## What is missing, by module

{chr(10).join(lists)}
"""
    for page, wanted in ((PAGE, text), (FX_PAGE, fx_page(of_fx))):
        if "--check" not in sys.argv:
            page.write_text(wanted)
        elif page.read_text() != wanted:
            sys.exit(f"{page.relative_to(ROOT)} is not what PyTorch's and our names say; run tools/api_coverage.py")
    print(f"{share:.1%} there; {len(often)} of the names used at least twice missing")


if __name__ == "__main__":
    main()
