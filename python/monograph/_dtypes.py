"""The dtypes as attributes of a module, for functions of this package that scripts compile: PyTorch's compiler knows no dtype in a global variable."""

from typing import TYPE_CHECKING

from . import _C

if TYPE_CHECKING:

    def __getattr__(name: str) -> _C.dtype: ...


globals().update(_C._dtypes)
