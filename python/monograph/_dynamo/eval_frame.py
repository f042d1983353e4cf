"""torch._dynamo.eval_frame: names that programs take from here."""

from .. import _C
from .._compile import OptimizedModule  # noqa: F401
from . import explain, missing_name, optimize, optimize_assert, run  # noqa: F401


def is_dynamo_supported() -> bool:
    """Whether torch.compile runs under this Python."""
    return _C._machine_supported()


is_inductor_supported = is_dynamo_supported


__getattr__ = missing_name(__name__)
