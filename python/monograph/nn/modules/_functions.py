"""PyTorch's place for the step of the tape that backward hooks of modules use."""

from .._module_backward import BackwardHookFunction as BackwardHookFunction
