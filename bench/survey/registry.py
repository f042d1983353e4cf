"""The cases of the survey: modules of other people's packages. The source of a case says `import torch`: this is PyTorch in one process, and Monograph in the other."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn


class Draw:
    """Draws inputs from NumPy's generator, so that both libraries get the same numbers."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def n(self, *sizes: int) -> torch.Tensor:
        """Standard normal numbers, float32."""
        return torch.from_numpy(self.generator.standard_normal(sizes).astype(np.float32))

    def u(self, *sizes: int) -> torch.Tensor:
        """Uniform numbers from 0 to 1, float32."""
        return torch.from_numpy(self.generator.random(sizes).astype(np.float32))

    def i(self, high: int, *sizes: int) -> torch.Tensor:
        """Integers from 0 to `high` - 1, int64."""
        return torch.from_numpy(self.generator.integers(0, high, sizes))

    def b(self, *sizes: int) -> torch.Tensor:
        """Bools, seven of ten True."""
        return torch.from_numpy(self.generator.random(sizes) > 0.3)


# The arguments of call k of a module, 0 or 1: the two calls have different sizes.
Inputs = Callable[[Draw, int], tuple[Any, ...]]
CASES: dict[str, tuple[Callable[[], nn.Module], Inputs]] = {}


def add(name: str, make: Callable[[], nn.Module], inputs: Inputs) -> None:
    """A case: `make()` gives the module, which runs in eval mode."""
    assert name not in CASES, name
    CASES[name] = (make, inputs)


def img(channels: int = 3, sizes: tuple[tuple[int, int], ...] = ((2, 32), (3, 48))) -> Inputs:
    """Square images; `sizes` has the batch and the side of each call."""
    return lambda draw, k: (draw.n(sizes[k][0], channels, sizes[k][1], sizes[k][1]),)


def seq(width: int, sizes: tuple[tuple[int, int], ...] = ((2, 8), (3, 12))) -> Inputs:
    """Sequences of vectors; `sizes` has the batch and the length of each call."""
    return lambda draw, k: (draw.n(*sizes[k], width),)


def tok(words: int, sizes: tuple[tuple[int, int], ...] = ((2, 8), (3, 12))) -> Inputs:
    """Sequences of the numbers of words."""
    return lambda draw, k: (draw.i(words, *sizes[k]),)


def vec(width: int, sizes: tuple[int, int] = (4, 7)) -> Inputs:
    """Vectors; `sizes` has the batch of each call."""
    return lambda draw, k: (draw.n(sizes[k], width),)


def of(module: str, cls: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    """What makes an object of a class of a module, which is imported then."""
    return lambda: getattr(importlib.import_module(module), cls)(*args, **kwargs)


def fn(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[], nn.Module]:
    """What makes a module of a function. `args` and `kwargs` go to it behind the inputs."""

    class Function(nn.Module):
        def forward(self, *inputs: Any) -> Any:
            return function(*inputs, *args, **kwargs)

    def make() -> nn.Module:
        module = Function()
        if not args and not kwargs:
            object.__setattr__(module, "plain", function)  # jit.script gets the function itself, since it takes no *inputs
        return module

    return make
