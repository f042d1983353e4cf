"""The layers that C++ makes from the sources of the package (monograph/nn.h) beside Python's: the same weights from a seed, the same results, and archives that
load. tests/cpp/nn_api_test.cpp runs the cases."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from monograph import nn
from test_nn_layers import BEGIN, CASES, SEVERAL
from test_script_modules import IMAGE_LAYERS, ROW_LAYERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "tests" / "nn_api_test"
names: dict[str, Any] = {"torch": torch, "F": nn.functional}
exec(BEGIN, names)
CALLS = [
    *((layer, inputs[4:], "layer(x)") for inputs, layer in CASES),
    *((layer, "grid(2, 3, 8, 8)", "layer(x)") for layer in IMAGE_LAYERS),
    *((layer, f"[{inputs}]", "layer(*all)") for layer, inputs in ROW_LAYERS),
    *SEVERAL,
]


def plain_cases() -> list[tuple[str, list[Any]]]:
    """The layers with the arguments of their calls, where these are tensors."""
    found = []
    for layer, inputs, call in CALLS:
        if "torch.tensor" in layer:
            continue  # it is made with a tensor, which a text of C++ does not give
        values = eval(inputs, names)
        values = values if isinstance(values, list) else [values]
        given: list[Any] = []

        def record(*args: Any, given: list[Any] = given, **kwargs: Any) -> Any:
            given.extend([*args, *kwargs.values()])
            return (args[0], args[0])

        try:
            eval(call, {**names, "layer": record, "all": values, **dict(zip("xyz", values, strict=False))})
        except (AttributeError, NameError):  # it asks the layer for a mask, or packs sequences
            continue
        if "=" not in call and all(isinstance(x, torch.Tensor) for x in given):
            found.append((layer, given))
    return found


def made(layer: str) -> Any:
    torch.manual_seed(7)
    return eval("nn." + layer.replace("(Flatten(), Unflatten", "(nn.Flatten(), nn.Unflatten").replace("(torch.nn.", "(nn."), {"nn": nn, "torch": torch})


@pytest.fixture(scope="module")
def results(tmp_path_factory: Any) -> tuple[Path, list[tuple[str, str, list[Any]]], dict[int, str]]:
    """The folder that the C++ program has filled, the cases, and what it raised."""
    if not PROGRAM.exists():
        pytest.skip("the release build's nn_api_test is not built")
    folder = tmp_path_factory.mktemp("layers")
    cases = [(layer, mode, given) for layer, given in plain_cases() for mode in ("train", "eval")]
    tables = {}
    lines = []
    for n, (layer, mode, inputs) in enumerate(cases):
        tables.update({f"{n}.{k}": x for k, x in enumerate(inputs)})
        lines.append(f"{layer.replace('torch.nn.', '')}\t{mode}\t{len(inputs)}\n")
    (folder / "cases.txt").write_text("".join(lines))
    torch.save(tables, folder / "inputs.pt")
    environment = {**os.environ, "MONOGRAPH_LAYER_CASES": str(folder)}
    done = subprocess.run([PROGRAM, "--gtest_filter=NnApi.RunsTheCasesOfAFolder"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (folder / "errors.txt").read_text().splitlines()
    errors = {int(n): f"{layer}: {what}" for n, layer, what in (line.split("\t") for line in lines)}
    return folder, cases, errors


def parts(value: Any) -> list[Any]:
    return [p for v in value for p in parts(v)] if isinstance(value, (tuple, list)) else [] if value is None else [value]


def test_each_layer_is_pythons(results: Any) -> None:
    folder, cases, errors = results
    unequal, refused = [], {}
    for n, (layer, mode, inputs) in enumerate(cases):
        if n in errors:
            refused[layer] = errors[n]
            continue
        python = made(layer).train(mode == "train")
        loaded = torch.jit.load(str(folder / f"{n}.pt"))
        first, again = python.state_dict(), loaded.state_dict()
        if list(first) != list(again) or any(not torch.equal(first[k], again[k]) for k in first):
            unequal.append(f"{layer}: other weights or names: {list(first)}, {list(again)}")
            continue
        torch.manual_seed(5)
        expected = parts(python(*inputs))
        for k, e in enumerate(expected):
            if (folder / f"{n}.{k}.bin").read_bytes() != e.detach().contiguous().numpy().tobytes():
                unequal.append(f"{layer} in {mode}: result {k}")
    layers = {layer.partition("(")[0] for layer, _, _ in cases}
    print(f"{len(cases)} cases of {len(layers)} layers, {len(refused)} calls refused")
    assert not unequal
    assert not refused, "\n".join(refused.values())
    assert len(layers) >= 121


def test_every_layer_of_the_package_has_a_name_in_cpp() -> None:
    header = ROOT / "build" / "release" / "generated" / "monograph" / "generated" / "layers.inc"
    if not header.exists():
        pytest.skip("the release build's headers are not generated")
    text = header.read_text()
    layers = {n: getattr(nn, n) for n in dir(nn) if isinstance(getattr(nn, n), type) and issubclass(getattr(nn, n), nn.Module) and n != "Module"}
    public = [n for n, layer in layers.items() if layer.__module__.startswith(nn.Module.__module__.rpartition(".")[0])]  # DataParallel wraps modules of Python
    assert [n for n in public if f"using {n} = LayerOf" not in text] == []
