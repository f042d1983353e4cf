"""What PyTorch says of the Python of this package: whether torch.jit.script compiles its functions and layers from their source, and what the names
that both have are in PyTorch.

    .venv-oracle/bin/python tools/oracle/script_python.py          # JSON

The sources run as they are, in a package `monograph` whose modules of C++ are PyTorch's. tests/python/test_script_language.py reads the answer.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pinned  # noqa: F401
import torch
import torch._C._nn
import torch._VF

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "monograph"
sys.path.insert(0, str(ROOT / "tests" / "python"))
from scripted_calls import samples  # noqa: E402

# Modules of ours that PyTorch has under another name, and those without which the sources do not import.
STANDS_FOR = {
    "_C": torch._C, "_VF": torch._VF, "_nn": torch._C._nn, "_jit_internal": torch._jit_internal, "_tensor": torch._tensor,
    "overrides": torch.overrides, "autograd": torch.autograd, "autograd.grad_mode": torch.autograd.grad_mode,
    "nn.utils.rnn": torch.nn.utils.rnn, "nn.modules.container": torch.nn.modules.container, "nn.parameter": torch.nn.parameter, "nn.init": torch.nn.init, "nn.modules.module": torch.nn.modules.module,
    "nn._module_backward": torch.nn.modules._functions,
}  # fmt: skip


def install(name: str, module: types.ModuleType) -> types.ModuleType:
    full = f"monograph.{name}".rstrip(".")
    sys.modules[full] = module
    parent, _, last = full.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)
    return module


def folder(name: str) -> None:
    install(name, types.ModuleType(f"monograph.{name}".rstrip("."))).__path__ = []


def source(name: str) -> types.ModuleType:
    """The module of this file, as it stands."""
    path = PACKAGE / (name.replace(".", "/") + ".py")
    module = types.ModuleType(f"monograph.{name}")
    module.__file__, module.__package__ = str(path), f"monograph.{name}".rpartition(".")[0]
    install(name, module)
    exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), module.__dict__)
    return module


def tried(run: Any) -> str | None:
    """What went wrong, or None."""
    try:
        run()
    except Exception as error:  # noqa: BLE001 - a refusal is the answer
        return f"{type(error).__name__}: {error}"[:600]
    return None


def copied(args: tuple[Any, ...]) -> list[Any]:
    return [a.clone() if isinstance(a, torch.Tensor) else a for a in args]


def compare(compiled: Any, own: Any, calls: list[tuple[Any, ...]]) -> str | None:
    """Where the compiled function of ours differs from PyTorch's own."""
    for args in calls:
        got, want = compiled(*copied(args)), own(*copied(args))
        for a, b in zip(got if isinstance(got, tuple) else [got], want if isinstance(want, tuple) else [want], strict=True):
            try:
                torch.testing.assert_close(a, b, equal_nan=True)
            except AssertionError as error:
                return f"{[a for a in args if not isinstance(a, torch.Tensor)]}: {error}"
    return None


def functions(name: str) -> dict[str, dict[str, Any]]:
    """Each function that the module writes, helpers too: why it does not compile, and how it differs."""
    module, calls, answer = source(name), samples(), {}
    for function, value in vars(module).items():
        if not inspect.isfunction(value) or value.__module__ != module.__name__:
            continue
        failure = tried(lambda: torch.jit.script(value))  # noqa: B023 - used at once
        entry = answer[function] = {"failure": failure, "calls": 0, "difference": None}
        if failure is None and function in calls and name == "nn.functional":
            entry["calls"] = len(calls[function])
            entry["difference"] = compare(torch.jit.script(value), getattr(torch.nn.functional, function), calls[function])
    return answer


def initializers() -> dict[str, dict[str, str | None]]:
    """Each public function of nn.init: why ours does not compile, and why PyTorch's own does not."""
    module = source("nn.init")
    return {
        name: {"ours": tried(lambda: torch.jit.script(getattr(module, name))), "theirs": tried(lambda: torch.jit.script(getattr(torch.nn.init, name)))}  # noqa: B023 - used at once
        for name in module.__all__
        if name.endswith("_")
    }


def layers() -> dict[str, str | None]:
    """Each layer, as its constructor makes it of small numbers: why its forward does not compile."""
    arguments = {"Linear": (3, 4), "Conv1d": (2, 4, 3), "Conv2d": (2, 4, 3), "ConvTranspose2d": (2, 4, 3), "BatchNorm1d": (3,), "BatchNorm2d": (3,), "LayerNorm": (4,),
                 "Embedding": (5, 2), "LSTMCell": (3, 4), "MaxPool2d": (2,), "AvgPool2d": (2,), "AdaptiveAvgPool2d": (2,), "Conv3d": (2, 4, 3), "ConvTranspose1d": (2, 4, 3), "ConvTranspose3d": (2, 4, 3), "BatchNorm3d": (3,), "SyncBatchNorm": (3,), "InstanceNorm1d": (3,), "InstanceNorm2d": (3,),
                 "InstanceNorm3d": (3,), "GroupNorm": (2, 4), "RMSNorm": (4,), "LocalResponseNorm": (2,), "MaxPool1d": (2,), "MaxPool3d": (2,), "AvgPool1d": (2,), "AvgPool3d": (2,),
                 "AdaptiveAvgPool1d": (2,), "AdaptiveAvgPool3d": (2,), "AdaptiveMaxPool1d": (2,), "AdaptiveMaxPool2d": (2,), "AdaptiveMaxPool3d": (2,), "LPPool1d": (2, 2), "LPPool2d": (2, 2),
                 "LPPool3d": (2, 2), "PixelShuffle": (2,), "PixelUnshuffle": (2,), "ChannelShuffle": (2,), "Fold": (4, 2), "Unfold": (2,), "Bilinear": (3, 4, 2),
                 "NonDynamicallyQuantizableLinear": (3, 4), "GRUCell": (3, 4), "RNNCell": (3, 4), "RNNCellBase": (3, 4, True, 1), "RNNBase": ("GRU", 3, 4), "LSTM": (3, 4), "GRU": (3, 4),
                 "RNN": (3, 4), "MultiheadAttention": (4, 2), "TransformerEncoderLayer": (4, 2, 8), "TransformerDecoderLayer": (4, 2, 8), "Transformer": (4, 2, 1, 1, 8),
                 "TransformerEncoder": (torch.nn.TransformerEncoderLayer(4, 2, 8), 1), "TransformerDecoder": (torch.nn.TransformerDecoderLayer(4, 2, 8), 1), "Threshold": (0.5, 1.0),
                 "Upsample": (None, 2), "UpsamplingNearest2d": (None, 2), "UpsamplingBilinear2d": (None, 2), "Softmin": (1,),
                 **{f"{kind}Pad{n}d": (1, 0.5) if kind == "Constant" else (1,) for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero") for n in (1, 2, 3)},
                 "Unflatten": (1, (2, 2)), "Softmax": (1,), "LogSoftmax": (1,), "EmbeddingBag": (5, 2), "MaxUnpool1d": (2,), "MaxUnpool2d": (2,), "MaxUnpool3d": (2,),
                 "FractionalMaxPool2d": (2, 2), "FractionalMaxPool3d": (2, 2), "AdaptiveLogSoftmaxWithLoss": (8, 10, [3, 6])}  # fmt: skip
    answer = {}
    home = PACKAGE / "nn" / "modules"
    sys.modules["monograph.nn.modules"].__path__ = [str(home)]
    for file in sorted({path.stem for path in home.glob("*.py")} - {"__init__", "module", "container"}):
        module = importlib.import_module(f"monograph.nn.modules.{file}")
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, torch.nn.Module) and value.__module__ == module.__name__ and not name.startswith("_"):
                answer[name] = tried(lambda: torch.jit.script(value(*arguments.get(name, ()))))  # noqa: B023 - used at once
    return answer


def kinds() -> dict[str, dict[str, str]]:
    """Of each public name of PyTorch: whether it is written in Python."""
    homes = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.Tensor": torch.Tensor}
    return {
        home: {name: "python" if inspect.isfunction(value) else type(value).__name__ for name in dir(o) if not name.startswith("_") and callable(value := getattr(o, name, None))}
        for home, o in homes.items()
    }


def main() -> None:
    warnings.simplefilter("ignore")
    folder("")
    for name in ("nn", "nn.modules", "nn.utils"):
        folder(name)
    for name, module in STANDS_FOR.items():
        install(name, module)
    torch._C.tensor = torch.tensor  # where ours is
    torch._C._natively = lambda function: function
    torch._C._dtypes = {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)}
    vars(install("_dtypes", types.ModuleType("monograph._dtypes"))).update(torch._C._dtypes)
    plain = types.ModuleType("monograph._overridable")
    plain.overridable = plain.as_given = lambda function: function  # type: ignore[attr-defined]
    plain.leaves_out = lambda *names: lambda function: function  # type: ignore[attr-defined]
    install("_overridable", plain)
    assumed = types.ModuleType("monograph._assumed_dims")
    assumed.resamples = lambda function: function  # type: ignore[attr-defined]
    assumed.assumes_dims = assumed.symbolically = lambda rule: lambda function: function  # type: ignore[attr-defined]
    install("_assumed_dims", assumed)
    install("_pytorch_names", types.ModuleType("monograph._pytorch_names")).NAMES = {"torch.nn.functional": " ".join(dir(torch.nn.functional))}  # type: ignore[attr-defined]
    source("nn._antialias")
    source("nn._adaptive_sizes")
    source("nn._losses")  # whose functions nn.functional has
    answer = {"functions": {name: functions(name) for name in ("nn.functional", "functional")}, "layers": layers(), "initializers": initializers(), "kinds": kinds()}
    answer["schemas"] = sorted({s.name.partition("::")[2] for s in torch._C._jit_get_all_schemas() if s.name.startswith("aten::")})  # type: ignore[assignment]
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main()
