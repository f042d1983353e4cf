"""torch._dynamo.source: where PyTorch's guards find values. Names are here, and raise when they are called."""

from __future__ import annotations

from . import inner_parts

__getattr__ = inner_parts(__name__, "torch._dynamo.explain(f)(x).out_guards lists the guards of a capture")
