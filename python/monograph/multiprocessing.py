"""torch.multiprocessing: Python's multiprocessing, and functions that start several processes.

Tensors are not shared between processes. One that is sent to another process, through a queue or as an argument of a new interpreter, raises an error.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import *  # noqa: F403
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ._tensor import Tensor
from .nn.parameter import Buffer, Parameter

__all__ = [
    *multiprocessing.__all__, "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "get_all_sharing_strategies",
    "get_sharing_strategy", "set_sharing_strategy", "spawn", "start_processes",
]  # fmt: skip

_strategies = ["file_descriptor"]


def _refuse(tensor: Any) -> Any:
    raise NotImplementedError(
        f"a {type(tensor).__name__} of size {list(tensor.shape)} cannot be sent to another process, because Monograph shares no memory between processes. "
        "Send x.numpy(), which is copied, and make a tensor of it with torch.from_numpy() there"
    )


for _kind in (Tensor, Parameter, Buffer):
    ForkingPickler.register(_kind, _refuse)


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes.

    >>> sorted(torch.multiprocessing.get_all_sharing_strategies())
    ['file_descriptor', 'file_system']
    """
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The name that was set last. It changes nothing: tensors are not shared."""
    return _strategies[-1]


def set_sharing_strategy(new_strategy: str) -> None:
    """Keeps the name, which changes nothing: tensors are not shared."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}; it is one of {sorted(get_all_sharing_strategies())}")
    _strategies.append(new_strategy)


class ProcessException(Exception):
    """A process has failed. `error_index`: which one. `error_pid`: its number."""

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid


class ProcessRaisedException(ProcessException):
    """The function raised an exception in its process. The message has its traceback."""


class ProcessExitedException(ProcessException):
    """A process was killed by a signal (`signal_name`), or exited with a code that is not 0 (`exit_code`)."""

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def _run(function: Callable[..., Any], index: int, args: Sequence[Any], error_file: str) -> None:
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        with open(error_file, "w") as file:
            file.write(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """Processes that `start_processes` has started."""

    def __init__(self, processes: list[Any], error_files: list[str]):
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: k for k, process in enumerate(processes)}

    def pids(self) -> list[int]:
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until a process ends. True if all have ended. If one fails, the others are ended, and its error is raised.

        timeout: how many seconds to wait. grace_period: how long the others may go on after a failure.
        """
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout) if self.sentinels else ():
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                self._end_others(grace_period)
                raise self._error(index)
        return not self.sentinels

    def _end_others(self, grace_period: float | None) -> None:
        end = time.monotonic() + (grace_period or 0)
        for process in self.processes:
            process.join(max(0, end - time.monotonic()))
        for process in self.processes:
            if process.is_alive():
                process.terminate()
                process.join(30)
            if process.is_alive():
                process.kill()
            process.join()

    def _error(self, index: int) -> ProcessException:
        process = self.processes[index]
        if os.path.exists(self.error_files[index]):
            with open(self.error_files[index]) as file:
                text = file.read()
            os.unlink(self.error_files[index])
            return ProcessRaisedException(f"\n\n-- Process {index} terminated with the following error:\n{text}", index, process.pid)
        code = process.exitcode
        if code >= 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, process.pid, code)
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, process.pid, code, name)


def start_processes(
    fn: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn"
) -> ProcessContext | None:
    """Runs fn(k, *args) in processes 0 to nprocs - 1. With join=False, returns a ProcessContext at once.

    start_method: how Python's multiprocessing starts a process: "spawn", "fork" or "forkserver".
    """
    context = multiprocessing.get_context(start_method)
    processes, error_files = [], []
    for k in range(nprocs):
        handle, path = tempfile.mkstemp(prefix="monograph-error-", suffix=".txt")
        os.close(handle)
        os.unlink(path)
        process = context.Process(target=_run, args=(fn, k, args, path), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
        error_files.append(path)
    started = ProcessContext(processes, error_files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(fn: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn") -> ProcessContext | None:
    """The same. Each process is a new interpreter, so `fn` must be a function of a module."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
