"""Writes tests/data/torchscript_foreign with the real PyTorch: archives whose operators, tensors or objects Monograph lacks. They are quantized, sparse or for oneDNN,
or call operators of another library. And two that quantize and go on as float32, which run. (This PyTorch writes no archives for phones: test_torchscript_foreign.py makes one by hand.)

    .venv-oracle/bin/python tools/oracle/freeze_torchscript_foreign.py

A fixed seed draws the weights. Archives name the files and lines of their code: links in a short folder lead there. Where torch.library can supply what is
missing, expected.pt has the inputs and what PyTorch gives for them.
"""

import sys
import warnings
from typing import Any, List, Tuple

import freeze_torchscript
import pinned
import torch
from freeze_torchscript import FOLDER, run_by_links
from torch import Tensor, nn

OUT = FOLDER.parent / "torchscript_foreign"

# --- Operators of another library, as its Python part would define them.

vision = torch.library.Library("torchvision", "DEF")
vision.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
mine = torch.library.Library("mine", "DEF")
mine.define("ends(Tensor x, int n=2, *, float? by=None) -> (Tensor, Tensor)")
mine.define("count(Tensor x) -> int")
mine.define("parts(Tensor[] xs, str mode) -> Tensor[]")


def nms(boxes: Tensor, scores: Tensor, limit: float) -> Tensor:
    kept: List[int] = []
    for k in scores.argsort(descending=True).tolist():
        a = boxes[k]
        for other in kept:
            b = boxes[other]
            low, high = torch.maximum(a[:2], b[:2]), torch.minimum(a[2:], b[2:])
            both = (high - low).clamp(min=0).prod()
            if both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both) > limit:
                break
        else:
            kept.append(k)
    return torch.tensor(kept, dtype=torch.int64)


vision.impl("nms", nms, "CPU")
mine.impl("ends", lambda x, n=2, by=None: (x[:n] * (by or 1.0), x[-n:].clone()), "CPU")
mine.impl("count", lambda x: int((x > 0).sum()), "CPU")
mine.impl("parts", lambda xs, mode: [x.neg() if mode == "neg" else x.clone() for x in xs], "CPU")


class Detector(nn.Module):
    """The last step of a detector: which boxes stay."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(4, 1)

    def forward(self, boxes: Tensor, limit: float = 0.5) -> Tuple[Tensor, Tensor]:
        scores = self.head(boxes).flatten().sigmoid()
        kept = torch.ops.torchvision.nms(boxes, scores, limit)
        return boxes[kept], scores[kept]


class OneBranch(nn.Module):
    """Calls an operator of another library for some inputs alone."""

    def forward(self, x: Tensor, ends: bool = False) -> Tensor:
        x = x * 2
        if ends:
            first, last = torch.ops.mine.ends(x, 1, by=0.5)
            x = torch.cat([first, last])
        return x + 1

    @torch.jit.export
    def several(self, x: Tensor) -> Tuple[int, List[Tensor]]:
        n = torch.ops.mine.count(x)
        if n > 2:
            n = n * 10
        return n, torch.ops.mine.parts([x, x + n], "neg")


# --- Quantized.


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.quant, self.dequant = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.conv, self.fc = nn.Conv2d(1, 2, 3), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv(self.quant(x)))
        return self.dequant(self.fc(x.flatten(1)))


def quantized() -> nn.Module:
    torch.backends.quantized.engine = "fbgemm"
    net = Small().eval()
    net.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")  # type: ignore[assignment]
    torch.ao.quantization.prepare(net, inplace=True)
    net(torch.randn(4, 1, 4, 4))
    torch.ao.quantization.convert(net, inplace=True)
    return net


class QuantizedBuffers(nn.Module):
    """A quantized tensor beside ordinary ones. One method uses it, another one does not."""

    weight: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.quantize_per_tensor(torch.arange(6.0).reshape(2, 3), 0.1, 3, torch.qint8))
        self.register_buffer("channels", torch.quantize_per_channel(torch.arange(4.0).reshape(2, 2), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0, torch.quint8))
        self.scale = nn.Parameter(torch.tensor([2.0]))
        self.many = [torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint32)]

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.dequantize() * self.scale

    @torch.jit.export
    def plain(self, x: Tensor) -> Tensor:
        return x * self.scale

    @torch.jit.export
    def how_many(self) -> int:
        return len(self.many)


class Sparse(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("links", torch.eye(3).to_sparse())

    def forward(self, x: Tensor) -> Tensor:
        return torch.sparse.mm(self.links, x)


class Float8(nn.Module):
    """Tensors of dtypes for storage alone."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.tensor([1.0, -0.5, 448.0]).to(torch.float8_e4m3fn))
        self.register_buffer("b", torch.tensor([1.0, -0.5, 448.0]).to(torch.float8_e5m2))
        self.register_buffer("c", torch.tensor([1, 60000], dtype=torch.uint16))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.a.float() + self.b.float()


class Exponents(nn.Module):
    """A dtype that Monograph lacks."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("e", torch.tensor([1.0, 0.5]).to(torch.float8_e8m0fnu))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.e.to(x.dtype)


class OneDnn(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x.to_mkldnn()).to_dense() + 1


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0]


class Rows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.fc = nn.Conv2d(1, 2, 3), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.fc(torch.relu(self.conv(x)).flatten(1)))


class Rounded(nn.Module):
    """Rounds to the numbers that 8 bits hold, and goes on with them as float32: by one scale, and by one for each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scales", torch.tensor([0.05, 0.5, 0.125]))
        self.register_buffer("zeros", torch.tensor([0, 3, -5]))
        self.register_buffer("weight", torch.arange(8.0).reshape(4, 2) / 8)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, int, float]:
        q = torch.quantize_per_tensor(x, 0.1, 10, torch.quint8)
        c = torch.quantize_per_channel(x, self.scales, self.zeros, 0, torch.qint8)
        return q.dequantize() @ self.weight, torch.dequantize(c) + q.int_repr(), q.q_zero_point(), q.q_scale()


class Steps(nn.Module):
    """What a trace of fake quantization records."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.quantize_per_tensor(x, 0.25, 0, torch.qint8).dequantize() * 2


def programs() -> Any:
    image = torch.randn(2, 1, 4, 4)
    dynamic = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), {nn.Linear}, torch.qint8)
    lstm = torch.ao.quantization.quantize_dynamic(Recurrent(), {nn.LSTM}, torch.qint8)
    rows = torch.jit.script(Rows().eval())
    return {
        "detector": torch.jit.script(Detector()),
        "detector_frozen": torch.jit.freeze(torch.jit.script(Detector().eval())),
        "one_branch": torch.jit.script(OneBranch()),
        "quantized": torch.jit.script(quantized()),
        "quantized_traced": torch.jit.trace(quantized(), image),
        "quantized_frozen": torch.jit.freeze(torch.jit.trace(quantized(), image)),
        "quantized_dynamic": torch.jit.script(dynamic.eval()),
        "quantized_lstm": torch.jit.script(lstm.eval()),
        "quantized_buffers": torch.jit.script(QuantizedBuffers()),
        "sparse": torch.jit.script(Sparse()),
        "float8": torch.jit.script(Float8()),
        "exponents": torch.jit.script(Exponents()),
        "onednn": torch.jit.trace(OneDnn(), image),
        "onednn_frozen": torch.jit.optimize_for_inference(rows),
        "rounded": torch.jit.script(Rounded().eval()),
        "rounded_traced": torch.jit.trace(Steps().eval(), image),
    }


# What torch.library can supply, with its inputs.
def runs() -> Any:
    boxes = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.5], [3, 3, 4, 5], [0.1, 0, 2, 2]])
    x = torch.randn(3, 4)
    return {
        "detector": [("forward", (boxes,)), ("forward", (boxes, 0.9))],
        "detector_frozen": [("forward", (boxes,))],
        "one_branch": [("forward", (x,)), ("forward", (x, True)), ("several", (x,)), ("several", (-x.abs(),))],
        "quantized_buffers": [("plain", (x,)), ("how_many", ())],
        "quantized_dynamic": [("forward", (x,))],
        "float8": [("forward", (x[:, :3],))],
        "rounded": [("forward", (x,)), ("forward", (x * 100,))],
        "rounded_traced": [("forward", (x,)), ("forward", (x * 30,))],
    }


def main() -> int:
    if len(sys.argv) == 1:
        return run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__)
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, program in programs().items():
        try:
            torch.jit.save(program, str(OUT / f"{name}.pt"))
        except RuntimeError as error:
            print(f"{name}: PyTorch does not save it: {error}")
    expected = {}
    for name, calls in runs().items():
        module = torch.jit.load(str(OUT / f"{name}.pt"))
        with torch.no_grad():
            expected[name] = [(method, args, getattr(module, method)(*args)) for method, args in calls]
    torch.save({"torch": str(torch.__version__), "runs": expected}, OUT / "expected.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
# ruff: noqa: UP006, UP035, UP045
