"""An interpreter that measures each call. It prints how often each operator ran, and with --times for how long: the times differ from run to run.
examples/cpp/fx_profile_calls.cpp prints the same."""

import sys
import time
from collections import defaultdict

import monograph as torch
from monograph import fx


class Profiler(fx.Interpreter):
    def __init__(self, gm):
        super().__init__(gm)
        self.lines = defaultdict(lambda: [0, 0.0])  # by operator: calls, milliseconds

    def run_node(self, n):
        begin = time.perf_counter()
        value = super().run_node(n)
        if n.op == "call_function":
            line = self.lines[n.target.__name__]
            line[0] += 1
            line[1] += (time.perf_counter() - begin) * 1000
        return value


def f(x, w):
    h = x
    for _ in range(3):
        h = torch.relu(torch.mm(h, w)) + x
    return torch.softmax(h, 1)


profiler = Profiler(fx.symbolic_trace(f))
for _ in range(5):
    profiler.run(torch.ones(8, 8), torch.ones(8, 8) / 8)
for name, (calls, milliseconds) in sorted(profiler.lines.items()):
    print(f"{name:<8} {calls:3d} calls" + (f" {milliseconds:8.3f} ms" if "--times" in sys.argv else ""))
