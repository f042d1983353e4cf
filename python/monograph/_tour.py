"""The captures of `monograph tour` that run a Python function. The command runs `python -m monograph._tour FOLDER`."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable
from typing import Any

import monograph as torch


def compiled_whole(f: Callable[[Any], Any], x: Any) -> Any:
    """The graph that torch.compile gives to its backend. It returns the function's result alone, and not the tuple of results that a backend expects."""
    graphs = []

    @torch._dynamo.register_backend(name="tour", control_flow=True)
    def keep(module: Any, inputs: Any) -> Callable[..., Any]:
        graphs.append(module.graph)
        return module.forward

    torch.compile(f, fullgraph=True, backend=keep)(x)
    [graph] = graphs
    output = graph.output_node()
    output.args = output.args[0]
    return graph


CAPTURES: dict[str, Callable[[Callable[[Any], Any], Any], Any]] = {
    "trace": lambda f, x: torch.jit.trace(f, x).graph,
    "symbolic": lambda f, x: torch.fx.symbolic_trace(f).graph,
    "compile": compiled_whole,
}


def main(folder: pathlib.Path) -> None:
    """Captures the function of FOLDER/tour.py. Saves each graph as FOLDER/NAME.mgraph. Where a capture raises, it leaves FOLDER/NAME.raises."""
    names: dict[str, Any] = {"torch": torch}
    exec(compile((folder / "tour.py").read_text(), "tour.py", "exec"), names)
    for name, capture in CAPTURES.items():
        try:
            capture(names["forward"], torch.full((3,), 20.0)).save(folder / f"{name}.mgraph")
        except Exception:
            (folder / f"{name}.raises").touch()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
