"""Writes tests/data/torchscript with the real PyTorch: archives of torch.jit.save, their inputs, and what PyTorch gives for them.

    .venv-oracle/bin/python tools/oracle/freeze_torchscript.py

A fixed seed draws the weights, so the same PyTorch writes the same programs. Archives name the files and lines of their code: links in a short folder lead there.
"""

import enum
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import pinned
import torch
from torch import Tensor, nn
from torch.nn import functional as F

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "torchscript"


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU6())
        self.pool = nn.AdaptiveAvgPool2d((2, 2))
        self.drop = nn.Dropout(0.5)
        self.classifier = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.features(x))
        return F.log_softmax(self.classifier(self.drop(torch.flatten(x, 1))), dim=1)


class Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 6)
        self.lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(16, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        y, (h, _) = self.lstm(self.embed(tokens))
        return self.out(y[:, -1]) + h.sum()


class Newton(nn.Module):
    """Iterates until the step is small: how often, the data say."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer("seen", torch.zeros(1))
        self.limit: int = 50

    def forward(self, x: Tensor, tolerance: float = 1e-4) -> Tuple[Tensor, int]:
        target = x.abs() * self.scale + 1
        y = target
        count = 0
        while bool((y * y - target).abs().max() > tolerance) and count < self.limit:
            y = 0.5 * (y + target / y)
            count += 1
        if count > 4:
            y = y + self.seen
        return y, count


class Pair(NamedTuple):
    first: Tensor
    second: int


class Containers(nn.Module):
    names: List[str]
    sizes: Dict[str, int]

    def __init__(self) -> None:
        super().__init__()
        self.names = ["a", "b"]
        self.sizes = {"a": 2, "b": 3}
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.table = nn.ModuleDict({"first": nn.ReLU(), "second": nn.Tanh()})

    def forward(self, xs: List[Tensor], pick: Dict[str, int]) -> Tuple[Pair, Dict[str, Tensor], List[int]]:
        total = torch.zeros(4)
        for i, layer in enumerate(self.layers):
            total = total + layer(xs[i])
        out: Dict[str, Tensor] = {}
        counts: List[int] = []
        for name in self.names:
            if name in pick:
                out[name] = total * pick[name] + self.sizes[name]
                counts.append(self.sizes[name] * pick[name])
            else:
                counts.append(-1)
        for key, act in self.table.items():
            out[key] = act(total)
        found: Optional[int] = None
        for k in range(len(counts)):
            if counts[k] < 0:
                continue
            if counts[k] > 3:
                found = k
                break
        second = 0
        if found is not None:
            second = found
        return Pair(total, second), out, counts


class Mode(enum.Enum):
    ADD = 1
    MUL = 2


@torch.jit.script
class Accumulator:
    def __init__(self, start: float) -> None:
        self.total = start
        self.count = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1


class Classes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mode = Mode.MUL

    def forward(self, x: Tensor) -> Tensor:
        acc = Accumulator(1.0)
        for i in range(x.size(0)):
            acc.add(float(x[i].sum()))
        if self.mode == Mode.MUL:
            return x * acc.total
        return x + acc.count


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(5, 7), nn.Linear(7, 3)
        self.register_buffer("mean", torch.tensor([0.5, 0.0, -0.5]))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        y = F.gelu(self.a(x))
        return self.b(y) - self.mean + torch.tensor([1.0, 2.0, 3.0]), y[:, 1:3].t()


class Tied(nn.Module):
    """One storage under several names, and views into it."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(6, 6, bias=False)
        self.decode = nn.Linear(6, 6, bias=False)
        self.decode.weight = self.encode.weight
        self.register_buffer("row", self.encode.weight.detach()[1])
        self.register_buffer("turned", self.encode.weight.detach().t())

    def forward(self, x: Tensor) -> Tensor:
        return self.decode(self.encode(x)) + self.row + x @ self.turned


class Methods(nn.Module):
    """Methods beside forward, state that changes, and errors that are raised."""

    calls: int

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.calls = 0

    @torch.jit.export
    def twice(self, x: Tensor) -> Tensor:
        return x * 2

    def forward(self, x: Tensor, y: Optional[Tensor] = None) -> Tensor:
        if x.dim() != 1:
            raise ValueError("expected one dimension, got " + str(x.dim()))
        assert x.size(0) == 2, "two elements"
        if y is not None:
            x = x + y
        self.total += x.detach()
        return self.twice(x) + self.total


class Forked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        future = torch.jit.fork(self.lin, x)
        y = x.relu()
        return torch.jit.wait(future) + y


class DTypes(nn.Module):
    """A buffer of each dtype that a network may hold."""

    def __init__(self) -> None:
        super().__init__()
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int32, torch.int64, torch.uint8, torch.bool, torch.complex64):
            self.register_buffer("of_" + str(dtype).removeprefix("torch."), torch.tensor([0, 1, 1, 0]).to(dtype))

    def forward(self, x: Tensor) -> Tensor:
        y = x + self.of_float16.float() + self.of_bfloat16.to(torch.float32) + self.of_float64.to(x.dtype) + self.of_int8 + self.of_int32 + self.of_int64
        return torch.where(self.of_bool, y, y * self.of_uint8) + torch.view_as_real(self.of_complex64)[:, 0]


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.encoder(x)


def script(module: nn.Module) -> Any:
    return torch.jit.script(module.eval())


class Packed(nn.Module):
    """Sequences of several lengths, in an order of their own or sorted."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 5)

    def forward(self, x: Tensor, lengths: Tensor, total: Optional[int]) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        packed, (h, _) = self.lstm(nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
        y, count = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0, total_length=total)
        last, n = self.gru(nn.utils.rnn.pack_padded_sequence(y, count.sort(descending=True).values, batch_first=True))
        return y, h, nn.utils.rnn.pad_packed_sequence(last)[0], n


def programs(enums: bool = True) -> Dict[str, Tuple[Any, List[Tuple[Any, ...]]]]:
    x = torch.randn
    tokens = torch.randint(0, 20, (2, 5))
    return {
        "cnn": (script(Cnn()), [(x(2, 1, 8, 8),), (x(1, 1, 12, 12),)]),
        "cnn_frozen": (torch.jit.freeze(script(Cnn())), [(x(2, 1, 8, 8),)]),
        "lstm": (script(Lstm()), [(tokens,)]),
        "newton": (script(Newton()), [(x(3),), (x(5) * 100, 1e-2)]),
        "containers": (script(Containers()), [([x(2, 4), x(2, 4)], {"a": 3}), ([x(1, 4), x(1, 4)], {"b": 5, "a": 1})]),
        **({"classes": (script(Classes()), [(x(3, 2),)])} if enums else {}),
        "mlp_traced": (torch.jit.trace(Mlp().eval(), x(2, 5)), [(x(2, 5),), (x(4, 5),)]),
        "tied": (script(Tied()), [(x(2, 6),)]),
        "methods": (script(Methods()), [(x(2),), (x(2), x(2))]),
        "forked": (script(Forked()), [(x(2, 3),)]),
        "dtypes": (script(DTypes()), [(x(4),)]),
        "encoder": (script(Encoder()), [(x(2, 4, 8),)]),
        "packed": (
            script(Packed()),
            [(x(4, 5, 3), torch.tensor([3, 5, 1, 4]), None), (x(2, 3, 3), torch.tensor([3, 3]), 6), (x(1, 2, 3), torch.tensor([1]), None)],
        ),
    }


def run_by_links(*files: str, arguments: Tuple[str, ...] = ()) -> int:
    """Runs the first file, with the others beside it, by links in a folder that names no machine."""
    folder = pathlib.Path(tempfile.gettempdir()) / "pytorch"
    folder.mkdir(exist_ok=True)
    for target in (pathlib.Path(torch.__file__).parent, *map(pathlib.Path, files)):
        link = folder / target.name
        link.unlink(missing_ok=True)
        link.symlink_to(target.resolve())
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1"}
    program = str(folder / pathlib.Path(files[0]).name)
    return subprocess.run([sys.executable, "-W", "ignore", program, "linked", *arguments], env=environment).returncode


def main() -> int:
    if len(sys.argv) == 1:
        return run_by_links(__file__, pinned.__file__)
    torch.manual_seed(0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, (module, inputs) in programs().items():
        extra = {"note.txt": "written by PyTorch"} if name == "cnn" else {}
        torch.jit.save(module, str(FOLDER / f"{name}.pt"), _extra_files=extra)
        fresh = torch.jit.load(str(FOLDER / f"{name}.pt"))
        with torch.no_grad():
            expected[name] = [(args, plain(fresh(*args))) for args in inputs]
    torch.save({"torch": str(torch.__version__), "runs": expected}, FOLDER / "expected.pt")
    return 0


def plain(value: Any) -> Any:
    """A NamedTuple of an archive as a tuple, which a checkpoint may hold."""
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    return value


if __name__ == "__main__":
    sys.exit(main())
# PyTorch 1.13, which freeze_torchscript_versions.py runs these programs with, knows the names of typing alone.
# ruff: noqa: UP006, UP035, UP045
