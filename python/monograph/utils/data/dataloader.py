"""torch.utils.data.DataLoader: the batches of a dataset, loaded in the process of the program."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NoReturn, TypeVar

from ._utils.collate import default_collate, default_convert
from .dataset import IterableDataset, _items
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T = TypeVar("T", covariant=True)


def get_worker_info() -> None:
    """Information about the worker process in which it is called. Always None, as in the main process: there are no worker processes yet.

    >>> from monograph.utils.data import get_worker_info
    >>> print(get_worker_info())
    None
    """
    return None


class _DatasetKind:
    Map = 0
    Iterable = 1


class _InfiniteConstantSampler(Sampler[None]):
    """The sampler of a stream: how many samples there are is not known."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


def _start_methods() -> list[str]:
    import multiprocessing  # only here: importing it takes time

    return multiprocessing.get_all_start_methods()


class DataLoader(Generic[T]):
    """The batches of a dataset. Iterate over it once for each epoch.

    Args:
        dataset: a ``Dataset``, anything else with ``__getitem__`` and ``__len__``, or an ``IterableDataset``.
        batch_size: the number of samples in a batch. None: single samples, without a dimension for the batch.
        shuffle: random order, another one in each epoch. For the same seed it is PyTorch's.
        sampler: the order of the samples, in place of ``shuffle``.
        batch_sampler: the indices of each batch, in place of ``batch_size``, ``shuffle``, ``sampler`` and ``drop_last``.
        num_workers: 0. Worker processes are planned; another number raises NotImplementedError.
        collate_fn: makes a batch of a list of samples. None: ``default_collate``, or for single samples ``default_convert``.
        pin_memory, pin_memory_device: accepted with a warning, as in PyTorch on a machine without an accelerator.
        drop_last: leaves out the last batch where it is smaller.
        timeout, worker_init_fn, multiprocessing_context, prefetch_factor, persistent_workers, in_order: of worker processes.
        generator: where the random order comes from. None: the program's stream.

    Raises:
        ValueError: arguments that exclude each other, or are out of range.
        NotImplementedError: ``num_workers`` is not 0.

    >>> import monograph as torch
    >>> data = torch.utils.data.TensorDataset(torch.arange(5.0), torch.arange(5))
    >>> loader = torch.utils.data.DataLoader(data, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(0))
    >>> len(loader)
    3
    >>> for x, y in loader:
    ...     print(x, y)
    tensor([3., 1.]) tensor([3, 1])
    tensor([0., 4.]) tensor([0, 4])
    tensor([2.]) tensor([2])
    """

    _initialized = False
    _fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
    multiprocessing_context: Any

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self._check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset, self.num_workers, self.prefetch_factor, self.timeout = dataset, num_workers, prefetch_factor, timeout
        self.pin_memory, self.pin_memory_device, self.worker_init_fn = pin_memory, pin_memory_device, worker_init_fn
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        if self._dataset_kind == _DatasetKind.Iterable:
            self._check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last, self.sampler, self.batch_sampler = batch_size, drop_last, sampler, batch_sampler
        self.generator, self.persistent_workers = generator, persistent_workers
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self._initialized = True

    @staticmethod
    def _check_workers(number: int, timeout: float, prefetch: int | None, persistent: bool, context: Any) -> None:
        if number < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if number == 0 and prefetch is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing."
                "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if prefetch is not None and prefetch < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent and number == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if context is not None and number == 0:
            raise ValueError(
                f"multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers={number}"
            )
        if isinstance(context, str) and context not in (known := _start_methods()):
            raise ValueError(f"multiprocessing_context option should specify a valid start method in {known!r}, but got multiprocessing_context={context!r}")
        if number > 0:
            raise NotImplementedError(
                f"DataLoader: num_workers={number} needs worker processes, which Monograph does not have yet. Use num_workers=0: the "
                "program loads the batches itself, in the same order"
            )

    @staticmethod
    def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
        for name, value, absent in (("shuffle", shuffle, (False, None)), ("sampler", sampler, (None,)), ("batch_sampler", batch_sampler, (None,))):
            if not any(value is nothing for nothing in absent):
                raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")

    def __setattr__(self, attr: str, val: Any) -> None:
        if self._initialized and attr in self._fixed:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self) -> _SingleProcessDataLoaderIter:
        return _SingleProcessDataLoaderIter(self)

    def __iter__(self) -> Any:
        return self._get_iterator()

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


class _BaseDataLoaderIter:
    """The base class of iterators over a loader, for packages that use isinstance()."""


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A pass whose samples come from other processes: there is none, so isinstance() answers False."""


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """One pass over the batches of a loader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._auto_collation, self._drop_last, self._collate_fn = loader._auto_collation, loader.drop_last, loader.collate_fn
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._index_sampler = loader._index_sampler
        if loader.pin_memory and loader.pin_memory_device:
            warnings.warn(
                "pin_memory_device is deprecated, the current accelerator will be used as the device,"
                f"ignore pin_memory_device='{loader.pin_memory_device}'.",
                stacklevel=4,
            )
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.", stacklevel=4
            )
        self._sampler_iter = iter(self._index_sampler)
        # The seed of worker processes. PyTorch draws it even without workers, so it is drawn here too, and later draws are the same.
        self._base_seed = drawn_seed(loader.generator)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._num_yielded = 0
        self._stream = iter(self._dataset) if self._dataset_kind == _DatasetKind.Iterable else None
        self._ended = False

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> Any:
        index = next(self._sampler_iter)
        data = self._collate_fn(self._samples(index) if self._stream is None else self._next_of_stream(index))
        self._num_yielded += 1
        said = self._IterableDataset_len_called
        if self._stream is not None and said is not None and self._num_yielded > said:
            warnings.warn(
                f"Length of IterableDataset {self._dataset} was reported to be {said}(when accessing len(dataloader)), but {self._num_yielded} samples "
                "have been fetched. ",
                stacklevel=2,
            )
        return data

    def _samples(self, index: Any) -> Any:
        return _items(self._dataset, index) if self._auto_collation else self._dataset[index]

    def _next_of_stream(self, index: Any) -> Any:
        stream: Any = self._stream
        if self._ended:
            raise StopIteration
        if not self._auto_collation:
            return next(stream)
        samples = []
        for _ in index:
            try:
                samples.append(next(stream))
            except StopIteration:
                self._ended = True
                break
        if not samples or (self._drop_last and len(samples) < len(index)):
            raise StopIteration
        return samples

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")
