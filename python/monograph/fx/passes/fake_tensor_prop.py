"""torch.fx.passes.fake_tensor_prop: sizes and dtypes of all nodes without computing values.

    FakeTensorProp(gm).propagate(torch.randn(2, 3))
    gm.graph.nodes ... node.meta["val"].shape
"""

from __future__ import annotations

from typing import Any

from ... import _C
from ..._subclasses.fake_tensor import FakeTensorMode
from ..._tensor import Tensor
from ..graph_module import GraphModule
from ..node import Node, map_aggregate
from ._on_meta import OnMeta

__all__ = ["FakeTensorProp"]


class FakeTensorProp(OnMeta):
    """Runs the graph on the meta device. node.meta["val"] is what a node gives: a tensor without values, or a number.

    In PyTorch such a tensor names the device that it stands for. Here its device is meta. Of an If both arms run, of a Loop one iteration.
    mode: a FakeTensorMode, whose copies of tensors are used.
    """

    def __init__(self, module: GraphModule, mode: FakeTensorMode | None = None):
        self._mode = FakeTensorMode() if mode is None else mode
        super().__init__(module, self._mode.copies)

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)

        def described(value: Any) -> Any:
            if isinstance(value, Tensor):
                return value.detach() if not value.requires_grad else value.detach().requires_grad_()
            return value if isinstance(value, (int, float, bool, _C.SymInt, _C.SymFloat)) else None

        found = map_aggregate(result, described)
        if found is not None:
            n.meta["val"] = found
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the graph on inputs like these."""
        return self.propagate_dont_convert_inputs(*(self.copies.tree(a) for a in args))

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """propagate, of tensors that are on the meta device already."""
        return self.run(*args)
