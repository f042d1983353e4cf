"""no_grad(), enable_grad() and set_grad_enabled() in a symbolic trace.

A node that the function makes while it has switched gradients itself stands between two switches:

    before = torch.ops.aten.is_grad_enabled()
    torch.ops.aten.set_grad_enabled(False)
    y = x * 2
    torch.ops.aten.set_grad_enabled(before)

So each node is right in whatever block it is. Nodes that follow each other then share their switches.

Where the function asks for a mode (torch.is_grad_enabled()), the graph holds for that one, and checks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._ops import ops
from .node import Node

if TYPE_CHECKING:
    from .graph import Graph


def check_mode(now: bool, traced: bool, question: str) -> None:
    """Raises where the mode of the thread is not the one that the graph was traced in."""
    if now != traced:
        raise RuntimeError("the graph was captured where `" + question + "` was otherwise. Trace the function again in this mode")


def join_switches(graph: Graph) -> None:
    """Takes away a switch back to what gradients were, if the next one follows at once; that one too, where it switches them to what they are there."""
    is_enabled, set_enabled = ops.aten.is_grad_enabled.default, ops.aten.set_grad_enabled.default

    def calls(node: Node, target: object) -> bool:
        return node.op == "call_function" and node.target is target

    for back in [n for n in graph.nodes(recursive=True) if calls(n, set_enabled) and isinstance(n.args[0], Node)]:
        asks = back.next
        if not calls(asks, is_enabled):
            continue
        switch = asks.next
        if calls(switch, set_enabled) and not isinstance(switch.args[0], Node):
            before = back.prev
            while not calls(before, set_enabled):
                before = before.prev
            asks.replace_all_uses_with(back.args[0])
            for node in (switch, asks, back) if before.args[0] is switch.args[0] else (asks, back):
                graph.erase_node(node)
