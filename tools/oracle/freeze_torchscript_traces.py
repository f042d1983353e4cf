"""Writes tests/data/torchscript_traces with the real PyTorch: how its traces write what programs do every day. Numbers are tensors there, a layer that two modules
share is an argument, and helpers of Python's package are operators of their own.

    .venv-oracle/bin/python tools/oracle/freeze_torchscript_traces.py
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import freeze_torchscript
import pinned
import torch
from freeze_torchscript import FOLDER, run_by_links
from torch import Tensor, nn

OUT = FOLDER.parent / "torchscript_traces"


class Positions(nn.Module):
    """A number of positions that the input decides, which goes into a layer, too."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(9, 4)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        return self.embed(torch.arange(n, device=x.device)) * n**-0.5


class Ranged(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x * torch.arange(n)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ranged = Ranged()

    def forward(self, x: Tensor) -> Tensor:
        return self.ranged(x, x.shape[1])


class Block(nn.Module):
    def __init__(self, act: nn.Module) -> None:
        super().__init__()
        self.linear, self.act = nn.Linear(3, 3), act

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.linear(x))


class Shared(nn.Module):
    """One activation, which two blocks and the module itself hold."""

    def __init__(self) -> None:
        super().__init__()
        self.act = nn.ReLU()
        self.a, self.b = Block(self.act), Block(self.act)

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.b(self.a(x)) - 1)


def scaled(x: Tensor) -> tuple[Tensor, ...]:
    """Numbers beside tensors without dims: the dtype of the tensor stays."""
    s = x.sum()
    return s * 3.0, s / 2.0, s + 1, 1.5 * s, s - 0.25, s**2.0, -1.0 * (10.0 * torch.log10(4.0 / (s * s + 1)))


def programs() -> dict[str, tuple[Callable[..., Any], list[tuple[Tensor, ...]]]]:
    x = torch.randn
    return {
        "positions": (Positions(), [(x(2, 3),), (x(1, 5),)]),
        "range_as_argument": (Outer(), [(x(2, 3),), (x(4, 6),)]),
        "arange": (lambda t: t + torch.arange(t.shape[1]), [(x(2, 3),), (x(2, 1),)]),
        "shared": (Shared(), [(x(2, 3),)]),
        "numbers": (scaled, [(x(2, 3),), (torch.arange(4),), (x(3).half(),)]),
        "weight_norm": (nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), [(x(2, 3),)]),
        "conjugate": (lambda t: torch.view_as_real(torch.conj(t).resolve_conj()), [(x(2, dtype=torch.complex64),)]),
        "dropout": (nn.Sequential(nn.Dropout2d(0.5, inplace=True), nn.AlphaDropout(0.5, inplace=True), nn.FeatureAlphaDropout(0.5, inplace=True)).eval(), [(x(2, 3, 4, 4),)]),
        "fresh": (lambda t: t * torch.tensor([1.0, 2.0, 3.0]), [(x(2, 3),)]),
    }


def main() -> int:
    if len(sys.argv) == 1:
        return run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__)
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    expected = {}
    for name, (program, calls) in programs().items():
        with torch.no_grad():
            traced = torch.jit.trace(program, tuple(t.clone() for t in calls[0]), strict=False)
            torch.jit.save(traced, str(OUT / f"{name}.pt"))
            loaded = torch.jit.load(str(OUT / f"{name}.pt"))
            expected[name] = [(args, loaded(*(t.clone() for t in args))) for args in calls]
    torch.save({"torch": str(torch.__version__), "runs": expected}, OUT / "expected.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
