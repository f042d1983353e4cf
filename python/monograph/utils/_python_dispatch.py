"""The modes of PyTorch's dispatcher, which Monograph does not have: the names that programs and packages import."""

from __future__ import annotations

from typing import Any


class TorchDispatchMode:
    """The base of types that get each operator below autograd in a `with` block, which is not part of Monograph.

    Raises NotImplementedError where a block is entered. torch.overrides.TorchFunctionMode gets the calls that a program makes, and torch.fx shows the operators
    of a function as a graph.
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        raise NotImplementedError(
            f"with {type(self).__name__}(): TorchDispatchMode is not part of Monograph. Calls are taken over by torch.overrides.TorchFunctionMode; the operators of "
            "a function are in the graph of torch.fx.symbolic_trace or torch.jit.trace"
        )

    def __exit__(self, *exc: object) -> None: ...

    @classmethod
    def is_infra_mode(cls) -> bool:
        return False


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is of a class that wraps other tensors with __tensor_flatten__ and __tensor_unflatten__: never here."""
    return False


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a TorchDispatchMode is on: never here."""
    return False
