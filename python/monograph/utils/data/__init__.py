"""torch.utils.data: datasets, the order of their samples, and batches."""

from __future__ import annotations

from . import _utils
from .dataloader import DataLoader, _DatasetKind, default_collate, default_convert, get_worker_info
from .datapipe import DFIterDataPipe, IterDataPipe, MapDataPipe, functional_datapipe
from .dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DFIterDataPipe", "DataLoader", "Dataset", "DistributedSampler", "IterDataPipe", "IterableDataset", "MapDataPipe",
    "RandomSampler", "Sampler",
    "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "_DatasetKind", "_utils",
    "default_collate", "default_convert", "functional_datapipe", "get_worker_info", "random_split",
]  # fmt: skip
