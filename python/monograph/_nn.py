"""The functions that the operators' records give to torch._C._nn, for modules of this package."""

from . import _C

globals().update(_C._functions()["_nn"])
