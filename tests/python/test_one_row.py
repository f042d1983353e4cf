"""An operator is one row: what docs/adding_an_operator.md promises, counted in the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "include", "tools", "cmake", "python/bindings")


def code_lines() -> list[tuple[Path, str]]:
    """Every line of the library's sources and build, without its comment."""
    lines = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".cpp", ".h", ".cmake"}:
                comment = r"#.*" if path.suffix == ".cmake" else r"//.*"
                lines += [(path.relative_to(ROOT), re.sub(comment, "", line)) for line in path.read_text().splitlines()]
    return lines


LINES = code_lines()


@pytest.mark.parametrize("name", ["silu", "mish", "hardswish", "elu", "leaky_relu", "hardtanh", "logsumexp", "addcdiv", "lerp"])
def test_its_row_is_its_only_mention(name: str):
    """Operators that no other operator is made of: gradient, kernels, inference, captures, texts, ONNX and Python follow from the row."""
    mentions = [(str(path), line.strip()) for path, line in LINES if re.search(rf"\b{name}_?\b", line)]
    assert len(mentions) == 1, mentions
    assert mentions[0][0].startswith("src/ops/")


@pytest.mark.parametrize("name", ["softmax.int", "linear", "view", "add.Tensor", "where.self"])
def test_it_has_one_schema(name: str):
    """Operators that others are made of, by their schemas: add_ and the out= form are made from add's."""
    schemas = [(str(path), line.strip()) for path, line in LINES if re.search(rf'"(aten::)?{re.escape(name)}\(', line)]
    assert len(schemas) == 1, schemas
    base = name.partition(".")[0]
    forms = [(str(path), line.strip()) for path, line in LINES if re.search(rf'"(aten::)?{base}(_|\.out|\.Tensor_out)\(', line)]
    assert forms == []
