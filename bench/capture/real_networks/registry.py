"""The networks and programs of this folder. Their source says `import torch`, which is PyTorch in one process and Monograph in another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Draw:
    """Inputs from NumPy's generator: the same numbers for both libraries."""

    def __init__(self, seed: int):
        self.generator = np.random.default_rng(seed)

    def normal(self, *sizes: int) -> Any:
        import torch

        return torch.from_numpy(self.generator.standard_normal(sizes).astype(np.float32))

    def uniform(self, *sizes: int) -> Any:
        import torch

        return torch.from_numpy(self.generator.random(sizes).astype(np.float32))

    def integers(self, high: int, *sizes: int) -> Any:
        import torch

        return torch.from_numpy(self.generator.integers(0, high, sizes))


Inputs = Callable[[Draw, int], tuple[Any, ...]]  # of a batch size


@dataclass(frozen=True)
class Network:
    """`refused`: the captures that do not take it, each with a part of the error. `short`: whether the tests run it, too. `ulps`: the bound of initial weights, where
    it is not that of normal numbers: trunc_normal_ is made of erfinv, whose last bits differ in the tails."""

    package: str
    make: Callable[[], Any]
    inputs: Inputs
    short: bool = False
    refused: dict[str, str] = field(default_factory=dict)
    ulps: int = 2


@dataclass(frozen=True)
class Program:
    """A function of a package whose results are equal for both libraries. Every one is a test."""

    package: str
    run: Callable[[], Any]


NETWORKS: dict[str, Network] = {}
PROGRAMS: dict[str, Program] = {}


def network(
    name: str, package: str, inputs: Inputs, short: bool = False, ulps: int = 2, **refused: str
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def keep(make: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in NETWORKS, name
        NETWORKS[name] = Network(package, make, inputs, short, refused, ulps)
        return make

    return keep


def program(name: str, package: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def keep(run: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in PROGRAMS, name
        PROGRAMS[name] = Program(package, run)
        return run

    return keep


def images(size: int = 32, channels: int = 3) -> Inputs:
    return lambda draw, n: (draw.normal(n, channels, size, size),)


def sequences(length: int, width: int) -> Inputs:
    return lambda draw, n: (draw.normal(n, length, width),)


def tokens(length: int = 12, words: int = 40) -> Inputs:
    return lambda draw, n: (draw.integers(words, n, length),)
