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
# nn/modules has PyTorch's layers, a class for each; init's gains go by the names of what follows a layer; distributions are programs over operators; a
# tool writes the list of PyTorch's names.
NAMED_BY_PYTORCH = (
    "python/monograph/nn/modules/",
    "python/monograph/nn/init.py",
    "python/monograph/distributions/",
    "python/monograph/_pytorch_classes.py",
    "python/monograph/_pytorch_names.py",
    "python/monograph/_pytorch_modules.py",
    "python/monograph/_pytorch_operators.py",
)


def python_lines() -> list[tuple[str, str]]:
    paths = [(path.relative_to(ROOT).as_posix(), path) for path in sorted((ROOT / "python/monograph").rglob("*.py"))]
    return [(name, re.sub(r"#.*", "", line)) for name, path in paths if not name.startswith(NAMED_BY_PYTORCH) for line in path.read_text().splitlines()]


PYTHON_LINES = python_lines()


@pytest.mark.parametrize("name", ["silu", "mish", "hardswish", "selu", "hardsigmoid", "hardshrink", "logsumexp", "addcdiv", "deg2rad"])
def test_its_row_is_its_only_mention(name: str):
    """Operators that no other operator is made of: gradient, kernels, inference, captures, texts, ONNX and Python follow from the row."""
    mentions = [(str(path), line.strip()) for path, line in LINES if re.search(rf"\b{name}_?\b", line)]
    assert len(mentions) == 1, mentions
    assert mentions[0][0].startswith("src/ops/")


def python_mentions(name: str) -> list[tuple[str, str]]:
    return [(path, line.strip()) for path, line in PYTHON_LINES if re.search(rf"\b{name}_?\b", line)]


@pytest.mark.parametrize("name", ["gelu", "softplus", "cummax", "logsumexp", "logaddexp", "erfinv"])
def test_the_python_package_does_not_name_it(name: str):
    """Functions of torch and of torch.nn.functional follow from the row."""
    assert python_mentions(name) == []


@pytest.mark.parametrize("name", ["silu", "mish", "hardswish", "hardsigmoid", "leaky_relu"])
def test_the_python_package_names_it_in_one_function(name: str):
    """PyTorch's Python around an activation takes `inplace`; it is one function here, whose source a script compiler reads."""
    mentions = python_mentions(name)
    assert {path for path, _ in mentions} == {"python/monograph/nn/functional.py"} and len(mentions) == 3
    assert mentions[0][1].startswith(f"def {name}(input: Tensor, ") and [line.startswith("return _nn.") for _, line in mentions[1:]] == [True, True]


@pytest.mark.parametrize("name", ["softmax.int", "linear", "view", "add.Tensor", "where.self"])
def test_it_has_one_schema(name: str):
    """Operators that others are made of, by their schemas: add_ and the out= form are made from add's."""
    schemas = [(str(path), line.strip()) for path, line in LINES if re.search(rf'"(aten::)?{re.escape(name)}\(', line)]
    assert len(schemas) == 1, schemas
    base = name.partition(".")[0]
    forms = [(str(path), line.strip()) for path, line in LINES if re.search(rf'"(aten::)?{base}(_|\.out|\.Tensor_out)\(', line)]
    assert forms == []
