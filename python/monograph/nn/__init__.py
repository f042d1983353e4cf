"""torch.nn: layers and what they are made of."""

import types as _types

from .. import _C
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter

utils._late()


def _describe_functions() -> None:
    """A function of nn.functional that has no text of its own has the sentences of the operator that it calls."""
    tables = _C._functions()
    operators = {**tables[""], **tables["_nn"]}
    for name, function in vars(functional).items():
        if isinstance(function, _types.FunctionType) and function.__doc__ is None and name in operators:
            sentences = operators[name]._facts[0]["doc"].partition("\n\n")[0]
            function.__doc__ = sentences.replace("`self`", "`input`").replace("(self", "(input")


_describe_functions()

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils", *modules.__all__]
