"""Datasets for DataLoader: by index (Dataset), or as a stream (IterableDataset)."""

from __future__ import annotations

import itertools
import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ... import _C, _VF
from ..._tensor import Tensor

__all__ = ["ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset", "random_split"]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """A dataset by index. A subclass defines ``__getitem__``, and ``__len__`` for most samplers.

    It may define ``__getitems__(indices)``, which loads a batch at once. ``a + b`` is one dataset of both.

    >>> from monograph.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __getitem__(self, index):
    ...         return index**2
    ...     def __len__(self):
    ...         return 4
    >>> both = Squares() + Squares()
    >>> len(both), both[5]
    (8, 1)
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """A dataset that comes as a stream, as from a file. A subclass defines ``__iter__``.

    >>> from monograph.utils.data import DataLoader, IterableDataset
    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> [batch.tolist() for batch in DataLoader(Countdown(), batch_size=2)]
    [[3, 2], [1]]
    """

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset["tuple[Tensor, ...]"]):
    """Tensors of equal first dims: sample i is a tuple of ``tensor[i]``.

    Raises:
        AssertionError: the first dims differ.

    >>> import monograph as torch
    >>> data = torch.utils.data.TensorDataset(torch.tensor([1.0, 2.0]), torch.tensor([0, 1]))
    >>> data[1]
    (tensor(2.), tensor(1))
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [tensor.size(0) for tensor in tensors]
        if any(size != sizes[0] for size in sizes):
            raise AssertionError(f"Size mismatch between tensors: their first dims are {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Several datasets side by side: sample i is a tuple of their samples i, or a dict where they came with names.

    Raises:
        ValueError: there are no datasets, some came with a name and some without, or their lengths differ.

    >>> from monograph.utils.data import StackDataset
    >>> StackDataset(x=[1, 2], y=["a", "b"])[1]
    {'x': 2, 'y': 'b'}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = {len(dataset) for dataset in (args or kwargs.values())}
        if len(lengths) != 1:
            raise ValueError(f"Size mismatch between datasets: their lengths are {sorted(lengths)}")
        self._length = lengths.pop()

    def _stacked(self, columns: list[Any]) -> Any:
        return dict(zip(self.datasets, columns)) if isinstance(self.datasets, dict) else tuple(columns)

    def _parts(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def __getitem__(self, index: Any) -> Any:
        return self._stacked([dataset[index] for dataset in self._parts()])

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """The samples of a batch."""
        columns = []
        for dataset in self._parts():
            items = _items(dataset, indices)
            if len(items) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
            columns.append(items)
        return [self._stacked(list(row)) for row in zip(*columns)]

    def __len__(self) -> int:
        return self._length


def _items(dataset: Any, indices: list[Any]) -> Any:
    """Samples of a dataset, at once where it can."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[index] for index in indices]


class ConcatDataset(Dataset[T]):
    """Datasets one after another, as one.

    Raises:
        AssertionError: there are no datasets, or one is an IterableDataset.

    >>> from monograph.utils.data import ConcatDataset
    >>> data = ConcatDataset([[1, 2], [3]])
    >>> len(data), data[2], data[-3]
    (3, 3, 1)
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The lengths, each with those before it."""
        return list(itertools.accumulate(len(part) for part in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @property
    def cummulative_sizes(self) -> list[int]:
        """The older name of cumulative_sizes."""
        warnings.warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Streams one after another, as one.

    Raises:
        AssertionError: when it is read, where one of them is no IterableDataset.

    >>> from monograph.utils.data import ChainDataset, IterableDataset
    >>> class Letters(IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(ChainDataset([Letters(), Letters()]))
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(f"ChainDataset only supports IterableDataset, but got {type(dataset).__name__}")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._checked())


class Subset(Dataset[T]):
    """Some samples of a dataset, by their indices in it.

    Args:
        dataset: the whole dataset
        indices: the indices of the part

    >>> from monograph.utils.data import Subset
    >>> Subset("abcd", [3, 0])[0]
    'd'
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must also override "
                "__getitems__ to ensure DataLoader works correctly with your custom logic. For example:\n\ndef __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[[self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> Any:
        """The samples of a batch."""
        return _items(self.dataset, [self.indices[index] for index in indices])

    def __len__(self) -> int:
        return len(self.indices)


def _lengths_of_shares(shares: Sequence[float], count: int) -> list[int]:
    lengths = []
    for index, share in enumerate(shares):
        if share < 0 or share > 1:
            raise ValueError(f"Fraction at index {index} is not between 0 and 1")
        lengths.append(math.floor(count * share))
    for index in range(count - sum(lengths)):  # what rounding down left over, in turn
        lengths[index % len(lengths)] += 1
    for index, length in enumerate(lengths):
        if length == 0:
            warnings.warn(f"Length of split at index {index} is 0. This might result in an empty dataset.", stacklevel=3)
    return lengths


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = _C.default_generator) -> list[Subset[Any]]:
    """Splits a dataset at random into parts without common samples.

    Args:
        dataset: a dataset with a length.
        lengths: the numbers of samples, or shares whose sum is 1. What is left over by rounding goes to the first parts, one each.
        generator: where the random order comes from.

    Raises:
        ValueError: the sum of ``lengths`` is not the dataset's length, or a share is not between 0 and 1.

    >>> import monograph as torch
    >>> first, rest = torch.utils.data.random_split(range(5), [2, 3], torch.Generator().manual_seed(3))
    >>> list(first), list(rest)
    ([1, 0], [3, 4, 2])
    """
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = _lengths_of_shares(lengths, len(dataset))
    counts: list[Any] = list(lengths)
    if sum(counts) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _VF.randperm(len(dataset), generator=generator).tolist()
    return [Subset(dataset, order[end - count : end]) for end, count in zip(itertools.accumulate(counts), counts)]
