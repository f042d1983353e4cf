"""Two threads that run one scripted model while a third holds the GIL and sleeps: how many times the work of one thread they do.

.venv/bin/python bench/script_threads.py

A machine may be busy with other work, so the processor's time counts, not the clock's: of the time in which the GIL was held, the share in which each thread ran or
waited for a processor (it did not wait for a lock), times what a call costs alone and beside the other thread. The bound is 1.8.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROUNDS = 3
HELD = 0.3  # seconds


def model(torch: Any) -> tuple[Any, Any]:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

        def forward(self, x: torch.Tensor, steps: int) -> torch.Tensor:
            k = 0
            while k < steps:
                x = x + self.second(torch.relu(self.first(x))) * 0.01
                if k % 7 == 0:
                    x = torch.tanh(x)
                k += 1
            return x

    torch.manual_seed(0)
    return torch.jit.script(Net().eval()), torch.randn(4, 64)


def progress(thread: int) -> tuple[float, float]:
    """Seconds that a thread ran, and that it waited for a processor."""
    ran, waited = Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[:2]
    return int(ran) * 1e-9, int(waited) * 1e-9


def one_round(torch: Any, net: Any, x: Any, threads: int, steps: int) -> tuple[list[float], list[float], list[Any]]:
    """Of each thread: the share of the held time in which it waited for no lock, and the processor's time of its call; and the results."""
    costs, results = [0.0] * threads, [None] * threads

    def run(k: int) -> None:
        before = time.thread_time()
        with torch.no_grad():
            results[k] = net(x, steps)
        costs[k] = time.thread_time() - before

    workers = [threading.Thread(target=run, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    time.sleep(0.05)  # all of them are inside the model
    idents: list[Any] = [worker.native_id for worker in workers]
    before, start = [progress(t) for t in idents], time.perf_counter()
    ctypes.PyDLL(None).usleep(int(HELD * 1e6))  # PyDLL keeps the GIL
    after, held = [progress(t) for t in idents], time.perf_counter() - start
    for worker in workers:
        worker.join()
    return [(b[0] - a[0] + b[1] - a[1]) / held for a, b in zip(before, after)], costs, results


def main() -> int:
    import monograph as torch

    torch.set_num_threads(1)
    net, x = model(torch)
    with torch.no_grad():
        start = time.thread_time()
        net(x, 2000)
        steps = int(4 * (HELD + 0.1) / (time.thread_time() - start) * 2000)  # longer than the GIL is held
    factors = []
    for _ in range(ROUNDS):
        _, [alone], [expected] = one_round(torch, net, x, 1, steps)
        free, costs, results = one_round(torch, net, x, 2, steps)
        assert all(torch.equal(r, expected) for r in results), "the results differ"
        factors.append(sum(min(share, 1.0) * alone / cost for share, cost in zip(free, costs)))
        print(f"alone {alone:.2f} s of the processor, two threads {costs[0]:.2f} and {costs[1]:.2f} s, free {free[0]:.2f} and {free[1]:.2f} of the held time: {factors[-1]:.2f}")
    factor = statistics.median(factors)
    print(f"two threads do {factor:.2f} times the work of one (at least 1.8): {'held' if factor >= 1.8 else 'MISSED'}")
    return factor < 1.8


if __name__ == "__main__":
    sys.exit(main())
