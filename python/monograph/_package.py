"""The package itself, for the modules that it imports: looked up when it is used, since an import would be a circle."""

from __future__ import annotations

import sys
from typing import Any


def package() -> Any:
    return sys.modules[__name__.rpartition(".")[0]]
