"""Writes tests/data/repr/*.json: how PyTorch prints tensors. Run with PyTorch's interpreter: .venv-oracle/bin/python tools/oracle/freeze_repr.py

A case is an expression over `torch`, evaluated the same way by PyTorch here and by Monograph in tests/python/test_repr.py, the print options it is
printed under, and the text."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pinned  # noqa: F401
import torch

ROOT = Path(__file__).resolve().parents[2]
INF, NAN = float("inf"), float("nan")


def literal(v: object) -> str:
    if isinstance(v, list):
        return "[" + ", ".join(map(literal, v)) + "]"
    return f"complex({v.real!r}, {v.imag!r})" if isinstance(v, complex) else repr(v)


def expression(values: object, dtype: str) -> str:
    return f"torch.tensor({literal(values)}, dtype=torch.{dtype})"


def floats(rng: random.Random) -> list[str]:
    fixed = [
        [], [0.0], [1.0], [-1.0], [1.5], [0.1, 0.25], [1e-5], [1e-4], [9.9e-5], [123456.0], [1e8], [1.1e8], [99999999.0], [1e9], [1.0, 1000.0], [1.0, 1001.0],
        [0.001, 1.0], [0.0009, 1.0], [1e10, 1.0], [INF], [NAN], [-INF, 1.0], [NAN, 1.5], [INF, 1e9], [0.0, -0.0], [-0.0, 1.5], [1e-45], [3e38, 1e-38], [2.0, NAN, INF],
        [1.0, 2.5, 1e6], [0.5, 5000.0], [0.00012, 0.5], [12345.678, 1.0], [16777216.0, 1.0], [-1234.5, 0.25], [1e-30, 1e-31], [0.1] * 30, [1.0] * 50, [-12.75] * 20,
    ]  # fmt: skip
    cases = [expression(v, "float32") for v in fixed] + [expression(v, "float64") for v in fixed]
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        for _ in range(12):
            scale = 10.0 ** rng.randint(-6, 4)
            shape = [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]

            def build(dims: list[int], scale: float = scale) -> object:
                return [build(dims[1:]) for _ in range(dims[0])] if dims else round(rng.gauss(0, 1) * scale, rng.randint(0, 8))

            cases.append(expression(build(shape), dtype))
    return cases


def others(rng: random.Random) -> list[str]:
    cases = []
    for dtype in ("uint8", "int8", "int16", "int32", "int64"):
        low = 0 if dtype == "uint8" else -100
        cases += [expression([rng.randint(low, 100) for _ in range(n)], dtype) for n in (0, 1, 5, 40)]
        cases.append(expression([[rng.randint(low, 9) for _ in range(4)] for _ in range(3)], dtype))
    cases += [expression(v, "int64") for v in ([2**40, 1], -7, [[[-1]]], [[1, -20], [300, 4]])]
    cases += [expression(v, "bool") for v in (True, [True, False], [[True], [False]], [])]
    for dtype in ("complex64", "complex128"):
        cases += [
            expression(v, dtype)
            for v in (1j, [1 + 2j, -1.5 - 0.25j], [[1e6 + 1j], [1e-6 - 1j]], [complex(NAN, 1), complex(1, INF)], [complex(0.0, -0.0)], [], [3 + 0j, 4 - 1j] * 12)
        ]
    cases += [expression(v, d) for v in (3.0, 3.25, 1e-7, NAN, -INF, 1e20) for d in ("float32", "float64", "float16")]
    cases += [
        "torch.zeros(0)", "torch.zeros(0, 3)", "torch.zeros(2, 0, 3)", "torch.zeros(0, dtype=torch.int64)", "torch.zeros(0, 2, dtype=torch.bool)",
        "torch.zeros(2, 3)", "torch.ones(1, 1, 1, 1)", "torch.zeros(3, 1, 2)", "torch.ones(2, 2, 2, 2)", "torch.ones(2, 3, dtype=torch.float64)",
        "torch.empty(2, 3, device='meta')", "torch.empty(4, device='meta', dtype=torch.int32)",
        "torch.ones(3, requires_grad=True)", "torch.ones(3, 40, requires_grad=True)", "torch.ones(2, dtype=torch.float64, requires_grad=True)",
        "torch.full((7,), 123456.75, dtype=torch.float64, requires_grad=True)",
        "torch.arange(24).view(2, 3, 4).transpose(0, 2)", "torch.arange(12.0).view(3, 4)[:, ::2]", "torch.arange(6).expand(3, 6)",
    ]  # fmt: skip
    return cases


def large() -> list[str]:
    return [
        "torch.arange(1000)", "torch.arange(1001)", "torch.arange(1001.0)", "torch.arange(5000).view(50, 100)", "torch.arange(2000.0).view(2, 1000)",
        "torch.arange(3000).view(10, 300)", "torch.arange(4096).view(8, 8, 64)", "torch.arange(1440.0).view(2, 3, 4, 60)", "torch.zeros(40, 40, dtype=torch.bool)",
        "torch.arange(1100.0).view(1100, 1)", "torch.arange(1100).view(1, 1100)", "torch.arange(6, 1212).view(6, 201)", "torch.ones(2000, dtype=torch.complex64)",
        "torch.arange(7 * 7 * 40).view(7, 7, 40)", "torch.arange(2000.0, requires_grad=True)", "torch.arange(1200.0).view(1200) / 7", "torch.arange(5000.0) / 1e4",
        "torch.ones(1001, dtype=torch.float16)",
    ]  # fmt: skip


def with_options(rng: random.Random) -> list[tuple[str, dict]]:
    some = [
        expression([1.23456789, -0.000123, 1e5], "float32"), expression([[0.5, 2.0], [3.0, NAN]], "float64"), "torch.arange(30)", "torch.arange(30.0) / 7", "torch.arange(2000)",
        "torch.arange(400).view(20, 20)", expression([1 + 2j, 0.1 - 3j], "complex64"), "torch.ones(12, requires_grad=True)", expression(0.1, "float32"),
    ]  # fmt: skip
    options = [
        {"precision": 2}, {"precision": 8}, {"precision": 0}, {"threshold": 20}, {"threshold": 20, "edgeitems": 1}, {"threshold": 10, "edgeitems": 5},
        {"linewidth": 40}, {"linewidth": 120}, {"linewidth": 10}, {"sci_mode": True}, {"sci_mode": False}, {"profile": "short"}, {"profile": "full"},
        {"profile": "short", "precision": 6}, {"threshold": 5, "edgeitems": 0},
    ]  # fmt: skip
    return [(e, o) for o in options for e in some if not (o.get("profile") == "full" and "2000" in e)]


def main() -> None:
    rng = random.Random(0)
    namespace = {"torch": torch, "inf": INF, "nan": NAN}
    groups = {"floats": floats(rng), "others": others(rng), "large": large(), "options": with_options(rng)}
    folder = ROOT / "tests" / "data" / "repr"
    folder.mkdir(parents=True, exist_ok=True)
    for name, cases in groups.items():
        rows = []
        for case in cases:
            text, options = case if isinstance(case, tuple) else (case, {})
            torch.set_printoptions(profile="default")
            torch.set_printoptions(**options)
            rows.append({"expression": text, "options": options, "text": repr(eval(text, namespace))})
        content = {"made_by": "tools/oracle/freeze_repr.py", "torch": torch.__version__, "cases": rows}
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
        print(f"{name}: {len(rows)} cases")


if __name__ == "__main__":
    main()
