"""torch.utils._cxx_pytree: the same as torch.utils._pytree."""

from ._pytree import *  # noqa: F403
from ._pytree import (  # noqa: F401
    _LEAF_SPEC,
    PyTreeSpec,
    _broadcast_to_and_flatten,
    _private_register_pytree_node,
    _register_pytree_node,
)
