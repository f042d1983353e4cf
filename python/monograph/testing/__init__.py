"""torch.testing: assert_close, and tensors of random values for tests."""

from .. import _absent
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
__getattr__ = _absent.of_module(__name__)
