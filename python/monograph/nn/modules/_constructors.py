"""Errors of a wrong call name the layer: Conv2d.__init__(), not that of the private class that Conv2d inherits its constructor from."""

from __future__ import annotations

import functools
import types
from typing import Any


def named_after_the_layer(layer: Any) -> None:
    """Gives a layer that inherits the constructor of a private class its own copy, under its own name."""
    shared = layer.__init__
    if not shared.__qualname__.startswith("_"):
        return
    own: Any = types.FunctionType(shared.__code__, shared.__globals__, shared.__name__, shared.__defaults__, shared.__closure__)
    functools.update_wrapper(own, shared)
    own.__kwdefaults__, own.__qualname__ = shared.__kwdefaults__, f"{layer.__name__}.__init__"
    del own.__wrapped__
    layer.__init__ = own
