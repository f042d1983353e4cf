"""torch.fx.passes.shape_prop: runs a graph on an example and writes sizes and dtypes to its nodes.

    ShapeProp(gm).propagate(torch.randn(2, 3))
    for node in gm.graph.nodes:
        print(node.name, node.meta["tensor_meta"].shape)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import _C
from ..._tensor import Tensor
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate
from ._nodes import inputs_of
from ._on_meta import MetaCopies, OnMeta

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    """What describes a tensor of a program."""

    shape: _C.Size
    dtype: _C.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: _C.memory_format | None  # the first of contiguous, channels_last and channels_last_3d that it has
    is_quantized: bool
    qparams: dict[str, Any]


_metadata = tuple.__new__  # three times as fast as the call of TensorMetadata


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    found = None
    if include_contiguity:
        if result.is_contiguous():
            found = _C.contiguous_format
        else:
            found = next((f for f in (_C.channels_last, _C.channels_last_3d) if result.is_contiguous(memory_format=f)), None)
    return _metadata(TensorMetadata, (result.shape, result.dtype, result.requires_grad, result.stride(), found, False, {}))


def _record(n: Node, result: Any) -> None:
    """Writes what a node gave to its meta."""
    meta = n.meta
    if isinstance(result, Tensor):  # the most frequent case
        meta["tensor_meta"] = _C._contiguous_metadata(TensorMetadata, result) or _extract_tensor_metadata(result)
    elif isinstance(result, (tuple, list, dict)):
        found = False

        def described(value: Any) -> Any:
            nonlocal found
            if isinstance(value, Tensor):
                found = True
                return _extract_tensor_metadata(value)
            return value

        described_result = map_aggregate(result, described)
        if found:
            meta["tensor_meta"] = described_result
    meta["type"] = type(result)


class _ShapesOnMeta(OnMeta):
    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        _record(n, result)
        return result


class ShapeProp(Interpreter):
    """Runs the graph. node.meta["tensor_meta"] is the TensorMetadata of what a node gave (in tuples and lists, as it gave them), node.meta["type"] its type.

    An If or Loop runs as the example tells. The nodes of a block that did not run get their sizes on the meta device; those of which the sizes depend on
    values get none. fake_mode: a FakeTensorMode; the graph then runs on the meta device, and computes nothing.
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None):
        super().__init__(gm)
        self.fake_mode = fake_mode
        self.real_module = self.module
        self.fake_module = None
        self._done: set[Node] = set()

    def run_node(self, n: Node) -> Any:
        try:
            result = super().run_node(n)
        except Exception as error:
            if getattr(error, "_of_shape_prop", False):  # of a node inside of this one
                raise
            told = RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}")
            told._of_shape_prop = True  # type: ignore[attr-defined]
            raise told from error
        _record(n, result)
        if not self._plain or n.graph is not self.graph:
            self._done.add(n)
            if blocks := _C._blocks(n):
                self._shapes_of_what_did_not_run(n, blocks)
        return result

    def _shapes_of_what_did_not_run(self, n: Node, blocks: Any) -> None:
        for placeholders, nodes, results in blocks:
            if all(inner in self._done for inner in nodes):
                if placeholders:
                    for slot in placeholders:
                        _record(slot, self.env[slot])
                continue
            copies = MetaCopies()
            run = _ShapesOnMeta(self.module, copies)
            run._unknown = 1  # its `raise` is not the program's now
            run.env = {used: copies.tree(self.env[used]) for used in inputs_of(n)}
            carried = (0, *run.map_nodes_to_values(n.args, n)[2:]) if placeholders else ()
            try:
                run._run_block(placeholders, nodes, results, carried)
                for slot in placeholders:
                    _record(slot, run.env[slot])
            except Exception:  # sizes that depend on values, or a block that raises on such inputs: the program did not run it
                continue

    def propagate(self, *args: Any) -> Any:
        """Runs the graph on these inputs, and gives its results."""
        if self.fake_mode is not None:
            run = _ShapesOnMeta(self.module, self.fake_mode.copies)
            return run.run(*(self.fake_mode.copies.tree(a) for a in args))
        return self.run(*args)
