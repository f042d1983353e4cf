"""torch.nn: layers and what they are made of."""

from typing import Any

from .. import _C
from . import attention, functional, init, modules, parallel, parameter, utils
from .modules import *  # noqa: F403
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

from . import quantized  # isort: skip

utils._import_submodules()
_C._set_module_getattr(modules.Module.__dict__["__getattr__"])


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments device, dtype and memory_format of a layer, for the calls that make its tensors: those in `kwargs`, and those in its "factory_kwargs".

    Raises TypeError for any other argument, and for one that is given twice.

        >>> torch.nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"device": "cpu"}})
        {'device': 'cpu', 'dtype': torch.float64}
    """
    if kwargs is None:
        return {}
    names = ("device", "dtype", "memory_format")
    if unknown := kwargs.keys() - {*names, "factory_kwargs"}:
        raise TypeError(f"unexpected kwargs {unknown}; factory_kwargs takes {', '.join(names)} and factory_kwargs")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in names:
        if name in kwargs:
            if name in found:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            found[name] = kwargs[name]
    return found

__all__ = ["Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter", "attention", "functional", "factory_kwargs", "init", "modules", "parallel", "parameter", "quantized", "utils", *modules.__all__]
