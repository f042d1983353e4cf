"""Graphs in files, and tensors over files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _C
from ._result_types import noted_types

if TYPE_CHECKING:
    from ._tensor import Tensor
    from .fx import Graph


def load_graph(path: str | os.PathLike[str], function: str | None = None, *, verify: bool = False) -> Graph:
    """Loads the graph in a file: a .mgraph file that Graph.save wrote, or the text or JSON of a graph. Call it to run it: graph(x).

    Weights are read from the file when they are first used. verify=True reads them at once, and compares their checksums and hashes.
    If the file has several functions, `function` names one; the default is "forward".
    """
    from .jit._classes import returned_type

    graph = _C._load_graph(path, function, verify)
    graph.owning_module = None
    text = returned_type(graph)
    if text is not None:
        graph._returned = (graph._version, text)
    types = noted_types(graph.relied_on)
    graph._types = None if types is None else (graph._version, types)
    return graph


def from_file(
    filename: str | os.PathLike[str],
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: _C.dtype | None = None,
    layout: _C.layout | None = None,
    device: _C.device | str | None = None,
    pin_memory: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """A vector over the elements at the start of a file, which is mapped into memory and read when they are used.

    filename: the file. shared: whether what is written to the tensor reaches the file, which is made or made longer where it is too short. size: how many
    elements. dtype: their type; None is the default dtype. Raises RuntimeError for a file that is not there or too short.

        >>> import os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "two.bin")
        >>> torch.ones(2).numpy().tofile(file)
        >>> torch.from_file(file, size=2)
        tensor([1., 1.])
    """
    from .storage import UntypedStorage

    if layout not in (None, _C.strided) or pin_memory or (device is not None and _C.device(device).type != "cpu"):
        raise RuntimeError("from_file(): expected a strided tensor on the CPU without pinned memory; leave layout, device and pin_memory out")
    if size is None or size < 0:
        raise RuntimeError(f"from_file(): expected size to be the number of elements, 0 or more, but got {size}")
    kind = _C._get_default_dtype() if dtype is None else dtype
    storage = UntypedStorage.from_file(filename, bool(shared), size * kind.itemsize)
    made = _C._tensor_over(storage._bytes, kind, 0, [size], [1])
    made.requires_grad = requires_grad
    return made
