"""PyTorch's switches of fusion. They are accepted, and change nothing: Monograph's compiler decides what it fuses by the graph alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_FUSERS = ("fuser0", "fuser1", "fuser2", "fuser3")


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A with of PyTorch's, which chooses one of its fusers and changes nothing here.

    >>> with torch.jit.fuser("fuser1"):
    ...     print(torch.ones(1))
    tensor([1.])
    """
    if name not in _FUSERS:
        raise Exception(f"unrecognized fuser option (name: {name}); PyTorch has {', '.join(_FUSERS)}")
    yield


class strict_fusion:
    """A with of PyTorch's, in a script too, which changes nothing here.

    >>> with torch.jit.strict_fusion():
    ...     print(torch.ones(1))
    tensor([1.])
    """

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


fuser.__module__ = "monograph.jit"
strict_fusion.__module__ = "monograph.jit"
