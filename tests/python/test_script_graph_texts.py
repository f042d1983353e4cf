"""str(graph) beside PyTorch's (tests/data/script/graphs.json, by tools/oracle/freeze_script_code.py): which texts are equal, and why the others are not. And
torch.parse_ir reads PyTorch's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from script_code_programs import programs

PYTORCHS = json.loads((Path(__file__).resolve().parents[1] / "data" / "script" / "graphs.json").read_text())
PROGRAMS = programs(torch)

# What every text may have otherwise, which _plain() takes away.
#   names of values: a graph of Monograph has one naming for all captures, and it says what a value is: %mul, %y_1. PyTorch counts, also what it drops later: %14, %y.5.
#   numbers in mangled names: they count the classes of the process.
#   places: that of a part is where the part stands, in the files of this library. A constant, of which one stands for all its uses, has none.
#   scopes: in an inlined graph PyTorch's text does not say the module that a node comes from.
NAMES = re.compile(r"%[\w.]+")

_INLINED = "a function of torch.nn.functional is inlined, as everything that is no method of a module"
_METHODS = "PyTorch has the constants of a method where its call was, and reads modules in front of the method that it inlines"
_MODE = "a graph is compiled for the mode that the modules are in; plain attributes are constants"
DIFFERENT = {
    ("indexing", "graph"): "x[:, None] has no slice for the first dim, which stays whole",
    ("asserts", "graph"): "the message and the class of an exception stand apart, as a handler of `try` needs them",
    ("functional", "graph"): _INLINED,
    ("Gate", "graph"): _MODE,
    ("Newton", "graph"): _MODE,
    ("Stack", "graph"): "PyTorch reads all layers of a ModuleList in front of the loop over them",
    ("indexing", "inlined_graph"): "as its graph",
    ("asserts", "inlined_graph"): "as its graph",
    ("functional", "inlined_graph"): _INLINED,
    ("Gate", "inlined_graph"): _MODE,
    ("Newton", "inlined_graph"): _MODE,
    ("Stack", "inlined_graph"): "as its graph",
    ("ConvNet", "inlined_graph"): _METHODS,
    ("MLP", "inlined_graph"): _METHODS,
}


def _plain(text: str) -> str:
    lines = [re.sub(r"(, scope: \S+)?( # .*)?$", "", line) for line in text.splitlines()]
    known: dict[str, str] = {}
    plain = re.sub(r"___torch_mangle_\d+\.", "", "\n".join(lines))
    return NAMES.sub(lambda found: known.setdefault(found[0], f"%{len(known)}"), plain)


def _of(name: str, which: str) -> str:
    return str(getattr(torch.jit.script(PROGRAMS[name]), which))


@pytest.mark.parametrize("which", ["graph", "inlined_graph"])
@pytest.mark.parametrize("name", sorted(PYTORCHS))
def test_text_is_pytorchs(name: str, which: str) -> None:
    ours, theirs = _plain(_of(name, which)), _plain(PYTORCHS[name][which])
    assert (ours == theirs) == ((name, which) not in DIFFERENT), f"{ours}\n--- PyTorch\n{theirs}"


def test_the_counts() -> None:
    equal = {which: sum((name, which) not in DIFFERENT for name in PYTORCHS) for which in ("graph", "inlined_graph")}
    print(equal)
    assert len(PYTORCHS) == 20 and equal == {"graph": 14, "inlined_graph": 12}


ARGUMENTS: dict[str, Any] = {
    "arithmetic": (torch.ones(2, 2), torch.ones(2, 2)),
    "branch": (torch.ones(2),),
    "while_loop": (torch.ones(2), 9),
    "for_range": (torch.ones(2), 3),
    "lists": (torch.ones(2), [1, 2]),
    "dicts": (["a", "b", "a"],),
    "optional": (torch.ones(2), torch.ones(2)),
    "early_return": (torch.ones(2), False),
    "tuples": (torch.ones(2),),
    "indexing": (torch.arange(12.0).view(3, 4)[:, :2].contiguous(),),
    "strings": ("a", 3),
    "asserts": (torch.ones(2, 2),),
    "comprehension": ([1, 2],),
}


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_texts_are_read_back(name: str) -> None:
    """PyTorch's and ours, and both compute what the program does."""
    args = ARGUMENTS[name]
    wanted = PROGRAMS[name](*args)
    for text in (PYTORCHS[name]["graph"], _of(name, "graph")):
        result = torch.parse_ir(text)(*args)
        parts = zip(result, wanted, strict=True) if isinstance(wanted, tuple) else [(result, wanted)]
        assert all(torch.equal(a, b) if isinstance(b, torch.Tensor) else a == b for a, b in parts)


@pytest.mark.parametrize("name", ["MLP", "ConvNet", "Stack", "Attention", "Gate", "Newton", "functional"])
def test_texts_of_modules_are_read(name: str) -> None:
    for which in ("graph", "inlined_graph"):
        for text in (PYTORCHS[name][which], _of(name, which)):
            if "prim::Constant[name=" in text:  # a function as a constant, which PyTorch writes without its code
                with pytest.raises(RuntimeError, match="line [23], column 1"):
                    torch.parse_ir(text)
                assert name == "functional"
                continue
            read = torch.parse_ir(text)
            read.lint()
            assert len(list(read.inputs())) == text.split(")", 1)[0].count(" : ")
