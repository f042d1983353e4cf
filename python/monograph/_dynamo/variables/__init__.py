"""torch._dynamo.variables: what PyTorch's capture takes values for. Names are here, and raise when they are called."""

from __future__ import annotations

from .. import inner_parts

__getattr__ = inner_parts(__name__, "torch.fx.Proxy stands for a value in torch.fx.symbolic_trace")
