"""Collate functions: they make a batch of a list of samples."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from .... import _C, _VF
from ...._tensor import Tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

np_str_obj_array_pattern = re.compile(r"[SaUO]")  # kinds of NumPy arrays that hold texts or objects
default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _no_numbers(dtype: Any) -> bool:
    return np_str_obj_array_pattern.search(dtype.str) is not None


def _like_mapping(old: Any, new: dict[Any, Any]) -> Any:
    """A mapping of the same kind, with its other attributes where it can be copied; a dict where neither works."""
    try:
        if not isinstance(old, MutableMapping):
            return type(old)(new)
        made = copy.copy(old)
        made.update(new)
        return made
    except TypeError:
        return new


def _like_sequence(old: Any, new: list[Any]) -> Any:
    try:
        if not isinstance(old, MutableSequence):
            return type(old)(new)
        made = copy.copy(old)
        for index, value in enumerate(new):
            made[index] = value
        return made
    except TypeError:
        return new


def default_convert(data: Any) -> Any:
    """NumPy arrays and numbers as tensors, also within dicts, lists and tuples. Anything else stays. A plain tuple becomes a list.

    >>> import numpy as np
    >>> from monograph.utils.data import default_convert
    >>> default_convert({"x": np.array([1, 2]), "y": "text"})
    {'x': tensor([1, 2]), 'y': 'text'}
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_", "bytes_"):
        return data if kind is np.ndarray and _no_numbers(data.dtype) else _C.as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(default_convert(value) for value in data))
    if isinstance(data, tuple):
        return [default_convert(value) for value in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(value) for value in data])
    return data


def _wrong(kind: Any) -> TypeError:
    return TypeError(default_collate_err_msg_format.format(kind))


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Any:
    """Makes a batch of samples: those in dicts, lists and tuples one by one, others by the function of their type.

    Args:
        batch: the samples, of one structure.
        collate_fn_map: a type, or a tuple of types: ``function(samples, collate_fn_map=…)``, which makes their batch.

    Raises:
        TypeError: no function is known for a type.
        RuntimeError: lists of other lengths than the first sample's.

    >>> from monograph.utils.data._utils.collate import collate
    >>> collate([{"a": 1}, {"a": 2}], collate_fn_map={int: lambda batch, *, collate_fn_map: sum(batch)})
    {'a': 3}
    """
    first = batch[0]
    kind = type(first)
    functions = collate_fn_map or {}
    found = functions.get(kind) or next((functions[key] for key in functions if isinstance(first, key)), None)
    if found is not None:
        return found(batch, collate_fn_map=collate_fn_map)

    def one(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _like_mapping(first, {key: one([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(one(samples) for samples in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [one(samples) for samples in zip(*batch)]
        return columns if isinstance(first, tuple) else _like_sequence(first, columns)
    raise _wrong(kind)


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Tensors of one shape, stacked."""
    return _VF.stack(list(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """NumPy arrays of one shape, stacked as a tensor."""
    if _no_numbers(batch[0].dtype):
        raise _wrong(batch[0].dtype)
    return collate([_C.as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """NumPy's numbers as a tensor."""
    return _C.as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's floats as a tensor of float64."""
    return _C.tensor(batch, dtype=_C._dtypes["float64"])


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's ints or bools as a tensor."""
    return _C.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Texts stay as they are."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Makes a batch of samples, as a DataLoader does unless it got another function.

    Tensors and NumPy arrays are stacked, numbers become a tensor, texts a list; dicts, lists and tuples keep their structure (a tuple becomes a list).

    Raises:
        TypeError: a sample holds something else.
        RuntimeError: the shapes, or the lengths of lists, differ.

    >>> from monograph.utils.data import default_collate
    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
