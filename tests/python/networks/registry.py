"""NETWORKS gives for each name a function that makes the network, and its inputs at a batch size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import monograph as torch

Example = Callable[[int], tuple[Any, ...]]
NETWORKS: dict[str, tuple[Callable[[], Any], Example]] = {}


def images(channels: int = 3, size: int = 16) -> Example:
    return lambda n: (torch.randn(n, channels, size, size),)


def vectors(*sizes: int) -> Example:
    return lambda n: (torch.randn(n, *sizes),)


def tokens(length: int, words: int = 20) -> Example:
    return lambda n: (torch.randint(0, words, (n, length)),)


def network(name: str, inputs: Example) -> Callable[[Any], Any]:
    def keep(make: Any) -> Any:
        assert name not in NETWORKS, name
        NETWORKS[name] = make, inputs
        return make

    return keep
