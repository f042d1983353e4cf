"""torch._dynamo.compiled_autograd: the capture of backward passes. Names are here, and raise when they are called."""

from __future__ import annotations

from . import inner_parts

__getattr__ = inner_parts(__name__, "Capture the gradient in the function: torch.compile(f) records torch.autograd.grad")
