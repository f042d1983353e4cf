"""Writes tests/data/torchscript_versions/VERSION with the PyTorch that runs it: archives of torch.jit.save, their inputs, and what this PyTorch gives for them.

    PYTHON tools/oracle/freeze_torchscript_versions.py        PYTHON: of an environment with PyTorch 1.13, 2.0, 2.4, 2.8 or 2.13

Old versions come as CUDA builds alone. They write the same archives where their libraries for GPUs are missing, as long as they can be imported.
The programs are those of freeze_torchscript.py, and more: operators whose version was raised, functions whose code PyTorch changed, files for phones.
"""

import sys
from typing import Any, Dict, List, Optional, Tuple

import freeze_torchscript
import torch
from freeze_torchscript import FOLDER, plain, run_by_links, script
from torch import Tensor, nn
from torch.nn import functional as F

VERSION = ".".join(torch.__version__.split("+")[0].split(".")[:2])
OUT = FOLDER.parent / "torchscript_versions" / VERSION
TOO_LARGE = {"encoder"}  # its code is 78 kB; Attention below is the layer that matters


class Raised(nn.Module):
    """Operators whose version was raised since 1.4."""

    def forward(self, a: Tensor, b: Tensor) -> Dict[str, Tensor]:
        out: Dict[str, Tensor] = {}
        out["div"] = torch.div(a, b)
        out["slash"] = a / 3
        out["floored"] = torch.div(a, b, rounding_mode="floor")
        out["cut"] = torch.div(a, 2, rounding_mode="trunc")
        out["in place"] = a.float().clone().div_(b)
        out["by two"] = a.double().clone().div_(2)
        out["whole"] = a // 2
        out["written"] = torch.div(a, b, out=torch.empty(a.shape))
        out["full"] = torch.full([2], 3)
        out["full, typed"] = torch.full([2], 3, dtype=torch.float64)
        out["linspace"] = torch.linspace(0.0, 1.0, 5)
        out["linspace, int"] = torch.linspace(0, 4, steps=3, dtype=torch.int64)
        out["logspace"] = torch.logspace(0.0, 2.0, 3)
        out["logspace, base"] = torch.logspace(0.0, 2.0, steps=3, base=2.0)
        out["gelu"] = F.gelu(a.float())
        out["gelu, tanh"] = F.gelu(a.float(), approximate="tanh")
        out["arange"] = torch.arange(1, 4) + torch.arange(0.0, 1.5, 0.5)
        return out


class Random(nn.Module):
    """Numbers of a generator that the caller seeds."""

    def forward(self, x: Tensor) -> List[Tensor]:
        y = torch.zeros(6, dtype=torch.int64)
        return [x + torch.rand(4), y.random_(10), y.clone().random_(2, 20), torch.empty(3).uniform_(-1.0, 1.0), torch.randperm(5)]


class Layers(nn.Module):
    """Layers whose forward has code of its own in the archive."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(2, 4, 3, padding="same"), nn.GroupNorm(2, 4), nn.SiLU(), nn.AvgPool2d(2))
        self.pad = nn.ReflectionPad2d(1)
        self.up = nn.Sequential(nn.ConvTranspose2d(4, 2, 2, stride=2), nn.InstanceNorm2d(2, affine=True), nn.PReLU())
        self.norm = nn.LayerNorm(2)
        self.conv = nn.Conv1d(2, 3, 3, padding=1, padding_mode="circular")

    def forward(self, x: Tensor, size: Optional[List[int]] = None) -> Tuple[Tensor, Tensor, Tensor]:
        y = self.up(self.pad(self.down(x)))
        z = F.interpolate(y, size=size, scale_factor=0.5 if size is None else None, mode="bilinear", align_corners=False)
        w = self.norm(y.permute(0, 2, 3, 1)).mean([1, 2])
        return z, F.hardswish(w), self.conv(x.flatten(2))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tuple[Tensor, Optional[Tensor]]:
        return self.attention(x, x, x, key_padding_mask=mask)


class Losses(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.smooth = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.weighted = nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 0.5]), reduction="sum")

    def forward(self, x: Tensor, target: Tensor) -> List[Tensor]:
        one = F.one_hot(target, 3).to(x.dtype)
        logits = F.log_softmax(x, dim=-1)
        return [
            self.smooth(x, target), self.weighted(logits, target), F.binary_cross_entropy_with_logits(x, one), F.mse_loss(x, one),
            F.smooth_l1_loss(x, one, beta=0.5), F.kl_div(logits, one, reduction="batchmean"), F.cosine_similarity(x, one), F.huber_loss(x, one),
        ]  # fmt: skip


class Indexed(nn.Module):
    """Subscripts, views and functions with many arguments."""

    def forward(self, x: Tensor, rows: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, List[Tensor], Tensor]:
        y = x.clone()
        y[1:, ::2] = 0.0
        y[rows] += 1.0
        values, places = torch.sort(y, dim=1, descending=True)
        q = torch.einsum("ij,kj->ik", [values, x])
        best = torch.topk(q, 2, dim=1)
        parts = torch.split(x, [1, 2], dim=0)
        where = torch.where(x > 0, x, torch.zeros_like(x)).clamp(max=1.0)
        return y[..., -1], q, best.indices + places[:, :2], where[:, None].expand(-1, 2, -1).reshape(-1), [p.sum(0) for p in parts], torch.norm(x, dim=1)


class Words(nn.Module):
    """Strings, dicts, None and early returns."""

    names: Dict[str, int]
    bias: Optional[Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.names = {"one": 1, "two": 2}
        self.bias = None
        self.steps: List[float] = [0.5, 0.25]

    def number(self, word: str) -> int:
        if word not in self.names:
            return -1
        return self.names[word]

    def forward(self, x: Tensor, words: List[str]) -> Tuple[Tensor, str, List[int], Optional[Tensor]]:
        numbers = [self.number(w.lower().strip()) for w in words]
        text = "{}: {}".format(len(words), ", ".join(words)) + f" {numbers[0]}"
        for k, step in enumerate(self.steps):
            if numbers[k] < 0:
                break
            x = x + step * numbers[k]
        return x, text, numbers, self.bias


class Counted(nn.Module):
    """A script class."""

    def forward(self, x: Tensor) -> Tuple[Tensor, int]:
        sums = freeze_torchscript.Accumulator(1.0)
        for i in range(x.size(0)):
            sums.add(float(x[i].sum()))
        return x * sums.total, sums.count


class Traced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 4))

    def forward(self, x: Tensor, table: Dict[str, Tensor]) -> Dict[str, Tensor]:
        y = self.body(x)
        y[:, 0] = table["scale"]
        return {"y": y + x.new_zeros(x.size(1)), "rest": y.reshape(x.shape[0], 2, -1).softmax(-1)}


def programs() -> Dict[str, Any]:
    x = torch.randn
    enums = VERSION != "1.13"  # it compiles none of Python 3.11
    made = {name: program for name, program in freeze_torchscript.programs(enums).items() if name not in TOO_LARGE}
    made["counted"] = (script(Counted()), [(x(3, 2),)])
    table = {"scale": torch.tensor(2.0)}
    made["raised"] = (script(Raised()), [(torch.tensor([7, -7, 9]), torch.tensor([2, 2, -4])), (torch.tensor([1.5, -3.0]), torch.tensor([2, 7]))])
    made["random"] = (script(Random()), [(torch.ones(4),)])
    made["layers"] = (script(Layers()), [(x(1, 2, 6, 6),), (x(2, 2, 6, 6), [3, 5])])
    made["attention"] = (script(Attention()), [(x(2, 3, 4),), (x(1, 3, 4), torch.tensor([[False, False, True]]))])
    made["losses"] = (script(Losses()), [(x(4, 3), torch.tensor([0, 2, 1, 1]))])
    made["indexed"] = (script(Indexed()), [(x(3, 4), torch.tensor([2, 0]))])
    made["words"] = (script(Words()), [(x(3), ["one", " Two"]), (x(3), ["none", "two"])])
    made["traced"] = (torch.jit.trace(Traced(), (x(2, 4), table), strict=False), [(x(2, 4), table), (x(5, 4), table)])
    made["for_phones"] = (script(freeze_torchscript.Cnn()), [(x(2, 1, 8, 8),)])
    return made


def main() -> int:
    if len(sys.argv) == 1:
        return run_by_links(__file__, freeze_torchscript.__file__)
    torch.manual_seed(0)
    OUT.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, (module, inputs) in programs().items():
        file, extra = str(OUT / f"{name}.pt"), {"note.txt": f"written by PyTorch {VERSION}"}
        if name == "for_phones":
            module._save_for_lite_interpreter(file, _extra_files=extra)
        else:
            torch.jit.save(module, file, _extra_files=extra)
        fresh = torch.jit.load(file)
        with torch.no_grad():
            expected[name] = []
            for args in inputs:
                torch.manual_seed(1)
                expected[name].append((args, plain(fresh(*args))))
    torch.save({"torch": str(torch.__version__), "runs": expected}, OUT / "expected.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
# PyTorch 1.13 knows the names of typing alone.
# ruff: noqa: UP006, UP035, UP045
