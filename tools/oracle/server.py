"""PyTorch's side of tests/python/live_oracle.py: reads (program, inputs), executes the program with `torch`, `F` and the inputs in scope,
answers with the value of `result`. One length-prefixed pickle each way; both ends are ours. One thread, for reproducible bits."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pinned  # noqa: F401
import torch

torch.set_num_threads(1)


def to_torch(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(value.view(np.uint16).copy()).view(torch.bfloat16)
        tensor = torch.from_numpy(value.copy())
        return tensor if value.size else torch.empty(value.shape, dtype=tensor.dtype)  # NumPy's strides of no elements are any
    return _map(to_torch, value)


def to_numpy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        value = value.detach().resolve_conj().resolve_neg().contiguous()
        if value.dtype == torch.bfloat16:
            return value.view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
        return value.numpy()
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, (torch.dtype, torch.device, str)):
        return str(value)
    return _map(to_numpy, value)


def _map(f: Any, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(f, value)) if type(value) in (list, tuple) else tuple(map(f, value))
    return {key: f(item) for key, item in value.items()} if isinstance(value, dict) else value


def main() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a program prints goes to the error stream, never into the answers
    while head := requests.read(8):
        program, inputs = pickle.loads(requests.read(struct.unpack("<Q", head)[0]))
        scope = {"__name__": "program", "torch": torch, "F": torch.nn.functional, "np": np, **{name: to_torch(value) for name, value in inputs.items()}}
        try:
            exec(program, scope)
            answer = (True, to_numpy(scope.get("result")))
        except Exception as error:
            answer = (False, (type(error).__name__, str(error)))
        message = pickle.dumps(answer)
        answers.write(struct.pack("<Q", len(message)) + message)
        answers.flush()


main()
