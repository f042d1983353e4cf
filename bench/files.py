"""Programs with their weights, from files: as many bytes as MiniLM has, in 100 tensors."""

import tempfile
from pathlib import Path

from run import row

TENSORS, ELEMENTS = 100, 225_000  # 90 MB of float32
FOLDERS = []  # kept as long as the process


def folder() -> Path:
    FOLDERS.append(tempfile.TemporaryDirectory())
    return Path(FOLDERS[-1].name)


def save_ours(torch) -> Path:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    for _ in range(TENSORS):
        x = graph.call_function(torch.add, (x, torch.rand(ELEMENTS)))
    graph.output(x)
    file = folder() / "weights.mgraph"
    graph.save(file)
    return file


def save_torchscript(torch) -> str:
    class Sum(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for k in range(TENSORS):
                self.register_buffer(f"w{k}", torch.rand(ELEMENTS))

        def forward(self, x):
            for w in self.buffers():
                x = torch.add(x, w)
            return x

    file = str(folder() / "weights.pt")
    torch.jit.trace(Sum(), (torch.zeros(1),), check_trace=False).save(file)
    return file


def load_torchscript(torch):
    file = save_torchscript(torch)
    return lambda: torch.jit.load(file)


def load_and_run_torchscript(torch):
    file, x = save_torchscript(torch), torch.zeros(1)
    return lambda: torch.jit.load(file)(x)


# Weights are mapped, and read when they are first used: the second row reads them all.
@row(
    "load_90mb",
    at_most=0.5,
    about="`load_graph` of 90 MB of weights (at most 20 ms), against `torch.jit.load`",
    peer=load_torchscript,
    rtol=None,
)
def load(torch):
    file = save_ours(torch)
    return lambda: torch.load_graph(file)


@row("load_and_run_90mb", at_most=1.0, about="the same, and one run that reads every weight", peer=load_and_run_torchscript, rtol=1e-4)
def load_and_run(torch):
    file, x = save_ours(torch), torch.zeros(1)
    return lambda: torch.load_graph(file)(x)


# The archive of 100 operators is compiled from its code.
row("jit_load_90mb", at_most=0.5, about="`jit.load` of an archive of 90 MB, against `torch.jit.load`", peer=load_torchscript, rtol=None)(load_torchscript)
row("jit_load_and_run_90mb", at_most=1.0, about="the same, and one run that reads every weight", peer=load_and_run_torchscript, rtol=1e-4)(
    load_and_run_torchscript
)
