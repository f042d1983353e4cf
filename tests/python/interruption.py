"""Processes that tests interrupt as Ctrl-C does."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible(command: list[str], **options: object) -> Iterator[subprocess.Popen]:
    """The running command, its output in pipes; killed at the end if it still runs.

    A shell starts what it runs in the background with the signal of Ctrl-C ignored, and processes inherit that: here it works.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options
    )
    try:
        yield process
    finally:
        process.kill()
