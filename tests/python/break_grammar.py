"""Random programs with graph breaks: the text of a module with a function `f(x, y, n)`, and what can be seen of the module's state from outside."""

from __future__ import annotations

import random

PREAMBLE = '''
import collections, io, itertools, time
import monograph as torch

OUT = io.StringIO()                 # its methods are C functions that a capture does not know
COUNTER = itertools.count()
QUEUE = collections.deque()
LOG = []
STATE = {"k": 0, "last": None}
WEIGHT = torch.full((1,), 0.5).requires_grad_()

class Config:
    width = 0

class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))
        self.calls = 0
    def forward(self, x):
        self.seen += 1
        self.calls += 1
        return x * 0.5 + self.seen

LAYER, NORM = Layer(), torch.nn.BatchNorm1d(1)

@torch._dynamo.disable
def left_alone(x):
    OUT.write("left alone;")
    return x + 1

def numbers(k):
    for j in range(k):
        OUT.write("yield;")
        yield j
'''

# Statements that a graph cannot record. {t} is a tensor, {k} a number that stands in the text.
BREAKS = {
    "print": ['print("line {k}", n)', "print({t}.sum())", 'print("shape", tuple({t}.shape))'],
    "call": ['OUT.write("call {k};")', "a = a + OUT.write('three')", "time.perf_counter()", 'OUT.write(f"{{float(a.sum())}};")'],
    "callee": ["a = spoken(a, {k})", "a = twice_spoken(a, {k})"],
    "generator": ["a = a + sum(numbers({k}))", "for j in numbers({k}):\n    a = a + j"],
    "disabled": ["a = left_alone({t})", "torch._dynamo.graph_break()"],
    "lasting": ["({t}.detach() * WEIGHT).sum().backward()", "torch.manual_seed({k})", "a = a + torch.rand(1)"],
    "data": ["n = n + int({t}.sum()) % 3", "a = a + len(str({t}.sum().item()))", "LOG.append({t}.tolist())"],
    "class_attribute": ["Config.width += {k}"],
    "older_iterator": ["a = a + next(COUNTER)"],
    "older_object": ["QUEUE.append({k})", "QUEUE.append({t})", "QUEUE.appendleft(n)"],
    "tensor_state": ['STATE["grad"] = WEIGHT.grad is None', "a = a + (1 if {t}.grad is None else 2)"],
    "try": ['try:\n    OUT.write({k})\nexcept TypeError as e:\n    OUT.write("caught;")', "try:\n    a = a + OUT.write('ok')\nfinally:\n    LOG.append({k})"],
    "with": ["with torch.no_grad():\n    OUT.write('inside;')\n    a = a * 2"],
    "raises": ["if n == {k}:\n    OUT.write({k})", 'if n == {k}:\n    OUT.write("before;")\n    raise ValueError("n is {k}")'],
}
RECORDED = [
    "a = a + {k}", "b = b * 0.5 + a", "a = torch.relu(b - {k})", "a = -a", "b = a + y", "a = LAYER(a)",
    "LOG.append({k})", 'STATE["k"] += 1', 'STATE["last"] = {t}', "x.add_({k})", "n = n + 1", "a = helper(a, n)", "pair = (a, [b, n])\na, (b, n) = pair",
    "parts = [a, b]\nparts.append(a * 2)\na = sum(parts) * 0.25", "b, a = a, b",
    "with torch.no_grad():\n    WEIGHT.add_({k})", "a = a * WEIGHT", "a[:1].mul_(2)", "x[:1].add_({k})", "LAYER.seen.mul_(2)", "if x.shape[0] > {k}:\n    n = n + 1",
    "a = NORM(a.reshape(-1, 1)).reshape(-1).detach() if x.shape[0] > 1 else a",
]  # fmt: skip
HEADS = [
    "if n > {k}:", "if x.shape[0] > {k}:", 'if STATE["k"] % 2:', "if x.sum() > 0:", "for i in range({k}):", "for i in range(n):",
    "for row in [a, b]:", "while n < {k}:\n    n = n + 1",
    "while n < {k} + 1:\n    n = n + 1", "while a.sum() < {k} and n < 5:\n    n = n + 1\n    a = a + 1",
]  # fmt: skip


def _indented(text: str, depth: int) -> str:
    return "\n".join("    " * depth + line for line in text.split("\n"))


class Program:
    """The text of a random program, and the kinds of breaks in it."""

    def __init__(self, seed: int) -> None:
        self.rng, self.kinds = random.Random(seed), set()
        body = self._block(1, self.rng.randint(3, 6))
        if not self.kinds:
            body += "\n" + self._break(1)
        functions = (
            'def helper(t, n):\n    LOG.append("helper")\n    return t * 0.5 + n\n\n'
            'def spoken(t, k):\n    t = t + k\n    LOG.append("a")\n    OUT.write(f"spoken {k};")\n    LOG.append("b")\n    return t * 0.5\n\n'
            "def twice_spoken(t, k):\n    return spoken(spoken(t, k) - 1, k + 1)\n"
        )
        self.text = f"{PREAMBLE}\n{functions}\ndef f(x, y, n=1):\n    a, b = x * 2, y + 1\n{body}\n    return a, b, n, list(LOG[-2:])\n"

    def _fill(self, line: str) -> str:
        return line.format(k=self.rng.randint(1, 3), t=self.rng.choice(["a", "b", "x"]))

    def _break(self, depth: int) -> str:
        kind = self.rng.choice(list(BREAKS))
        self.kinds.add(kind)
        return _indented(self._fill(self.rng.choice(BREAKS[kind])), depth)

    def _block(self, depth: int, count: int) -> str:
        return "\n".join(self._statement(depth) for _ in range(count))

    def _statement(self, depth: int) -> str:
        draw = self.rng.random()
        if draw < 0.3:
            return self._break(depth)
        if draw < 0.5 and depth < 4:
            head = _indented(self._fill(self.rng.choice(HEADS)), depth)
            text = head + "\n" + self._block(depth + 1, self.rng.randint(1, 3))
            if head.lstrip().startswith("if") and self.rng.random() < 0.5:
                text += f"\n{_indented('else:', depth)}\n{self._block(depth + 1, self.rng.randint(1, 2))}"
            return text
        return _indented(self._fill(self.rng.choice(RECORDED)), depth)
