"""torch._dynamo.variables.lists: the same of lists and ranges."""

from __future__ import annotations

from .. import inner_parts

__getattr__ = inner_parts(__name__, "torch.fx.Proxy stands for a value in torch.fx.symbolic_trace")
