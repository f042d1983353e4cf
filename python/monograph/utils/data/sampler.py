"""Samplers: they yield the indices of samples in the order in which a DataLoader loads them. From the same seed, random orders equal PyTorch's."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ... import _C, _VF

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler"]

T = TypeVar("T", covariant=True)


def drawn_seed(generator: Any = None) -> int:
    """A seed from the stream of a generator (None: the program's), one draw."""
    return int(_VF.empty([], dtype=_C._dtypes["int64"]).random_(generator=generator).item())


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class Sampler(Generic[T]):
    """The base of all samplers. A subclass defines ``__iter__``, which yields indices, and ``__len__``.

    >>> import monograph as torch
    >>> class Backward(torch.utils.data.Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    ...     def __len__(self):
    ...         return 3
    >>> loader = torch.utils.data.DataLoader([10, 20, 30], batch_size=3, sampler=Backward())
    >>> next(iter(loader))
    tensor([30, 20, 10])
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__}: a subclass of Sampler defines __iter__()")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, …: the samples in order.

    >>> from monograph.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The samples in random order, or, with replacement, any sample each time.

    Args:
        data_source: a dataset with a length.
        replacement: a sample may come more than once.
        num_samples: how many are drawn. None: as many as there are.
        generator: where the order comes from. None: a generator whose seed is drawn from the program's stream.

    Raises:
        ValueError: ``num_samples`` is not a positive int, or the dataset is empty.

    >>> import monograph as torch
    >>> list(torch.utils.data.RandomSampler("abcde", generator=torch.Generator().manual_seed(3)))
    [1, 0, 3, 4, 2]
    """

    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None) -> None:
        self.data_source, self.replacement, self._num_samples, self.generator = data_source, replacement, num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many samples are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = _C.Generator()
            generator.manual_seed(drawn_seed())
        if self.replacement:
            for _ in range(wanted // 32):
                yield from _VF.randint(high=count, size=(32,), dtype=_C._dtypes["int64"], generator=generator).tolist()
            yield from _VF.randint(high=count, size=(wanted % 32,), dtype=_C._dtypes["int64"], generator=generator).tolist()
        else:
            for _ in range(wanted // count):
                yield from _VF.randperm(count, generator=generator).tolist()
            yield from _VF.randperm(count, generator=generator).tolist()[: wanted % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    Args:
        indices: the indices to draw from
        generator: the generator that draws the numbers; None: the default one

    >>> import monograph as torch
    >>> list(torch.utils.data.SubsetRandomSampler([10, 20, 30], torch.Generator().manual_seed(3)))
    [20, 10, 30]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for index in _VF.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[index]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn by weights, which need not sum to 1.

    Args:
        weights: a weight for each sample.
        num_samples: how many are drawn.
        replacement: a sample may come more than once.
        generator: where the draws come from.

    Raises:
        ValueError: ``num_samples`` is not a positive int, or ``weights`` has other than one dim.

    >>> import monograph as torch
    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        _check_count("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = _C.as_tensor(weights, dtype=_C._dtypes["float64"])
        if self.weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = _VF.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler["list[int]"]):
    """Lists of ``batch_size`` indices of another sampler.

    Args:
        sampler: any iterable of indices.
        batch_size: a positive int.
        drop_last: leaves out the last list where it is shorter.

    Raises:
        ValueError: ``batch_size`` is not a positive int, or ``drop_last`` no bool.

    >>> from monograph.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_count("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler: Any = sampler
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
