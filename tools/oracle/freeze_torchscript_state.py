"""Writes tests/data/torchscript_state with the real PyTorch: modules whose __getstate__ and __setstate__ are compiled, so that an archive holds what the first gives,
and the second makes the attributes of it; a region of torch.autocast, and a call
of an overload that Monograph lacks.

    .venv-oracle/bin/python tools/oracle/freeze_torchscript_state.py

expected.pt has the inputs and what PyTorch gives for them: of the archive, and of the archive that PyTorch writes of the loaded one.
"""

import io
import sys
import warnings
from typing import Dict, List, Tuple

import freeze_torchscript
import pinned
import torch
from freeze_torchscript import FOLDER, run_by_links
from torch import Tensor, nn

OUT = FOLDER.parent / "torchscript_state"


class Taken(nn.Module):
    """Its __setstate__ takes the attributes out of the state."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("w", torch.arange(4.0))
        self.scale = 2.0
        self.names = ["a", "b"]

    def forward(self, x: Tensor) -> Tensor:
        return x * self.w * self.scale + len(self.names)

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, float, List[str], bool]:
        return (self.w, self.scale, self.names, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, float, List[str], bool]) -> None:
        self.w = state[0]
        self.scale = state[1]
        self.names = state[2]
        self.training = state[3]


class Computed(nn.Module):
    """Its __setstate__ computes them, with a loop and a call of another method."""

    cache: Dict[str, Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.arange(6.0).reshape(3, 2))
        self.b = nn.Parameter(torch.zeros(2))
        self.loads = 1
        self.cache = {"w": self.w.detach().t()}

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.cache["w"], self.b) * self.loads

    @torch.jit.export
    def rebuilt(self, w: Tensor) -> Dict[str, Tensor]:
        made: Dict[str, Tensor] = {}
        for i in range(3):
            if i > 1:
                made["w"] = w.detach().t()
        return made

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, Tensor, int, bool]:
        return self.w * 2, self.b, self.loads + 1, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, Tensor, int, bool]) -> None:
        self.w = state[0] / 2
        self.b = state[1]
        self.loads = state[2]
        self.cache = self.rebuilt(self.w)
        self.training = state[3]


class Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.taken = Taken()
        self.computed = Computed()

    def forward(self, x: Tensor) -> Tensor:
        return self.taken(x).sum() + self.computed(x[:3])


class Cast(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = torch.mm(x, y)
        return z


class Lacking(nn.Module):
    """It calls an overload that Monograph lacks, where no tensor of Monograph leads; and it computes a dtype."""

    def forward(self, x: Tensor, sparse: bool) -> Tensor:
        if sparse:
            return torch.sparse.mm(x, x, "sum")
        dtype = torch.promote_types(x.dtype, torch.float32)
        if dtype == torch.float16:
            dtype = torch.float32
        return x.to(dtype) * 2


def main() -> int:
    if len(sys.argv) == 1:
        return run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__)
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, module, inputs in (
        ("taken", Taken().eval(), (torch.ones(4),)), ("computed", Computed(), (torch.ones(1, 3),)), ("both", Both(), (torch.ones(4),)),
        ("autocast", Cast(), (torch.ones(2, 2), torch.full((2, 2), 1.01))), ("lacking", Lacking(), (torch.ones(2, 2, dtype=torch.int64), False)),
    ):  # fmt: skip
        torch.jit.save(torch.jit.script(module), str(OUT / f"{name}.pt"))
        loaded = torch.jit.load(str(OUT / f"{name}.pt"))
        file = io.BytesIO()
        torch.jit.save(loaded, file)
        file.seek(0)
        again = torch.jit.load(file)
        with torch.no_grad():
            expected[name] = (inputs, loaded(*inputs), again(*inputs), loaded.training, sorted(loaded.state_dict()))
    torch.save(expected, OUT / "expected.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
# ruff: noqa: UP006, UP035
