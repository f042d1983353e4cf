"""The functions that the operators' records give to torch, for modules of this package: _VF.relu is torch.relu."""

from . import _C

globals().update(_C._functions()[""])
