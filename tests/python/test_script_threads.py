"""Threads that run one scripted model: each gets the same bits, none waits for the GIL, and Ctrl-C reaches the main thread, after a fork too."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
from pathlib import Path

import monograph as torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x: torch.Tensor, steps: int) -> torch.Tensor:
        kept: list[torch.Tensor] = []
        k = 0
        while k < steps:
            x = self.norm(x + self.second(torch.relu(self.first(x))))
            if bool(x.sum() > 0.0):
                x = torch.tanh(x)
            if k % 5 == 0:
                kept.append(x)
            k += 1
        return x + torch.stack(kept).sum(0)


def run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_32_threads_give_the_same_bits() -> None:
    torch.manual_seed(0)
    net = torch.jit.script(Net().eval())
    inputs = [torch.randn(3, 16) for _ in range(32)]
    with torch.no_grad():
        expected = [net(x, 40) for x in inputs]
    found: list[list[torch.Tensor]] = [[] for _ in inputs]

    def run(k: int) -> None:
        with torch.no_grad():
            for _ in range(8):
                found[k].append(net(inputs[k], 40))

    run_all([threading.Thread(target=run, args=(k,)) for k in range(32)])
    for ours, results in zip(expected, found):
        assert len(results) == 8
        for result in results:
            assert torch.equal(result, ours)


def counts(counter: torch.Tensor, going: torch.Tensor) -> int:
    k = 0
    while bool(going):
        counter.fill_(k)
        k += 1
    return k


def test_a_loop_goes_on_while_another_thread_holds_the_gil() -> None:
    counter, going = torch.zeros([], dtype=torch.int64), torch.ones([], dtype=torch.bool)
    memory = ctypes.c_int64.from_address(counter.data_ptr())
    scripted = torch.jit.script(counts)
    hold = ctypes.PyDLL(None).usleep  # a PyDLL call keeps the GIL
    thread = threading.Thread(target=scripted, args=(counter, going))
    interval = sys.getswitchinterval()
    thread.start()
    while memory.value < 2:
        pass
    sys.setswitchinterval(1000.0)  # this thread gives the GIL to none
    try:
        hold(200_000)  # longer than a loop goes on without asking for signals
        before, waits = memory.value, 0
        while memory.value == before and waits < 100:  # a busy machine may give the thread no processor for a while
            hold(100_000)
            waits += 1
        assert memory.value > before
    finally:
        sys.setswitchinterval(interval)
        going.fill_(False)
        thread.join()


def test_a_signal_stops_the_main_thread_after_a_fork_by_another(tmp_path: Path) -> None:
    program = tmp_path / "forks.py"
    program.write_text(
        "import monograph as torch, os, signal, sys, threading\n"
        "def endless(n: int) -> int:\n"
        "    while n >= 0:\n"
        "        n = (n + 1) % 1000\n"
        "    return n\n"
        "scripted = torch.jit.script(endless)\n"
        "def child():\n"
        "    process = os.fork()\n"
        "    if process == 0:\n"
        "        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "        try:\n"
        "            scripted(1)\n"
        "        except KeyboardInterrupt:\n"
        "            os._exit(7)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))\n"
        "thread = threading.Thread(target=child)\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.stdout == "7\n", done.stderr
