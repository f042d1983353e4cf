"""The part of a dataset that one of several processes takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ... import _C, _VF
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[Any]):
    """Every process takes other samples of one order. Call ``set_epoch`` before each epoch; otherwise all epochs have the same order.

    Args:
        dataset: a dataset with a length.
        num_replicas: the number of processes. It must be given: Monograph starts no processes.
        rank: which one this is, from 0. It must be given.
        shuffle: the order is random, from ``seed`` and the epoch. All processes need the same ``seed``.
        drop_last: leaves samples out where they do not divide evenly. Otherwise the first ones come twice.

    Raises:
        RuntimeError: ``num_replicas`` or ``rank`` is not given.
        ValueError: ``rank`` is not between 0 and ``num_replicas - 1``.

    >>> from monograph.utils.data import DistributedSampler
    >>> [list(DistributedSampler(range(5), num_replicas=2, rank=rank, shuffle=False)) for rank in (0, 1)]
    [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0, drop_last: bool = False
    ) -> None:
        if num_replicas is None or rank is None:
            missing = "num_replicas" if num_replicas is None else "rank"
            raise RuntimeError(
                f"DistributedSampler: Requires distributed package to be available to find {missing}, and Monograph has none. Pass num_replicas and rank"
            )
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch, self.drop_last, self.shuffle, self.seed = 0, drop_last, shuffle, seed
        count = len(dataset)
        self.num_samples = math.ceil((count - num_replicas if drop_last and count % num_replicas else count) / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            indices = _VF.randperm(count, generator=_C.Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            indices = list(range(count))
        if self.drop_last:
            indices = indices[: self.total_size]
        elif self.total_size > count:
            indices = (indices * math.ceil(self.total_size / count))[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Chooses the random order of this epoch, in all processes the same."""
        self.epoch = epoch
