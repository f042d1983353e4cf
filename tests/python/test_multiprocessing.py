"""torch.multiprocessing: processes run functions, and no tensor is sent to one without an error."""

from __future__ import annotations

import os
import signal
import sys

import monograph as torch
import monograph.multiprocessing as mp
import numpy as np
import pytest


def write_sum(rank: int, folder: str, values: list[float]) -> None:
    (torch.tensor(values) * (rank + 1)).sum().numpy().tofile(os.path.join(folder, f"{rank}"))


def fails(rank: int) -> None:
    if rank == 1:
        raise ValueError("the second one fails")


def exits(rank: int) -> None:
    if rank == 0:
        sys.exit(3)


def is_killed(rank: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("start", [lambda *a, **k: mp.spawn(*a, **k), lambda *a, **k: mp.start_processes(*a, start_method="fork", **k)], ids=["spawn", "fork"])
def test_functions_run_in_processes(start, tmp_path):
    assert start(write_sum, args=(str(tmp_path), [1.0, 2.0]), nprocs=2) is None
    assert [np.fromfile(tmp_path / f"{k}", np.float32).tolist() for k in range(2)] == [[3.0], [6.0]]


def test_an_error_in_a_process_reaches_the_caller():
    with pytest.raises(mp.ProcessRaisedException, match="-- Process 1 terminated with the following error:[^$]*ValueError: the second one fails") as caught:
        mp.start_processes(fails, nprocs=2, start_method="fork")
    assert caught.value.error_index == 1
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with exit code 3"):
        mp.start_processes(exits, nprocs=2, start_method="fork")
    with pytest.raises(mp.ProcessExitedException, match="process 0 terminated with signal SIGKILL"):
        mp.start_processes(is_killed, start_method="fork")


def test_a_context_is_joined_later(tmp_path):
    context = mp.start_processes(write_sum, (str(tmp_path), [1.0]), 2, join=False, start_method="fork")
    assert len(context.pids()) == 2
    while not context.join(timeout=60):
        pass
    assert sorted(os.listdir(tmp_path)) == ["0", "1"]


@pytest.mark.parametrize("tensor", [torch.ones(2), torch.nn.Parameter(torch.ones(2))], ids=["tensor", "parameter"])
def test_a_tensor_is_not_sent_to_another_process(tensor):
    with pytest.raises(NotImplementedError, match=r"of size \[2\] cannot be sent to another process.*Send x.numpy\(\)"):
        mp.spawn(write_sum, (tensor,))


def test_pythons_names_are_there():
    assert torch.multiprocessing is mp and mp.cpu_count() >= 1 and mp.get_context("fork").Process and mp.Queue and mp.Pool
    mp.set_sharing_strategy("file_system")
    assert mp.get_sharing_strategy() == "file_system"
    with pytest.raises(AssertionError, match="invalid sharing strategy 'none'"):
        mp.set_sharing_strategy("none")
