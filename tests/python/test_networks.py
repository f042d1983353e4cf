"""Networks in plain spelling through every way: eager, trace, symbolic trace, a file, the program `monograph`, at two batch sizes."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from networks import NETWORKS

PROGRAM = os.environ.get("MONOGRAPH_PROGRAM") or Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"
# What these networks name and the library lacks. Whoever adds a name takes its line away here.
MISSING = {
    "U-Net, nearest": "interpolate",
    "group norm": "GroupNorm",
    "LSTM": "LSTM",
    "multi-head attention": "MultiheadAttention",
    "GPT": "tril",
    "Siamese": "cosine_similarity",
}
# What a symbolic trace refuses, since it knows no sizes: a part of the error.
REFUSED = {"GRU by hand": "cannot be iterated"}
# Equal programs of two hashes: a part of a shape (of nn.Unflatten) that is empty at the example's number of dims is no node of a trace.
TWO_HASHES = {"autoencoder"}


def results(value):
    return value if isinstance(value, tuple) else (value,)


def assert_same(got, expected, bound=0.0):
    assert len(results(got)) == len(results(expected))
    for a, b in zip(results(got), results(expected), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert bool(((a - b).abs() <= bound).all())


def by_program(path, inputs, count, folder):
    command = [PROGRAM, "run", path]
    for k, x in enumerate(inputs):
        np.save(folder / f"in{k}.npy", x.numpy())
        command += ["--input", folder / f"in{k}.npy"]
    for k in range(count):
        command += ["--output", folder / f"out{k}.npy"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return tuple(torch.from_numpy(np.load(folder / f"out{k}.npy")) for k in range(count))


@pytest.mark.parametrize("name", [n for n in NETWORKS if n not in MISSING])
def test_a_network_is_one_program_in_every_way(name, tmp_path):
    make, inputs = NETWORKS[name]
    torch.manual_seed(0)
    net = make().eval()
    examples = [inputs(2), inputs(3)]
    with torch.no_grad():
        expected = [net(*x) for x in examples]
        traced = torch.jit.trace(net, examples[0])
        traced.graph.lint()
        runs, graphs = {"trace": traced}, {"traced": traced.inlined_graph}
        if name in REFUSED:
            with pytest.raises(torch.fx.proxy.TraceError, match=REFUSED[name]):
                torch.fx.symbolic_trace(net)
        else:
            symbolic = torch.fx.symbolic_trace(net)
            runs |= {"symbolic trace": symbolic, "graph": symbolic.graph}
            graphs["symbolic"] = symbolic.graph
        for how, graph in graphs.items():
            graph.save(tmp_path / f"{how}.mgraph")
            runs[f"file, {how}"] = torch.load_graph(str(tmp_path / f"{how}.mgraph"))
        for x, e in zip(examples, expected, strict=True):
            for run in runs.values():
                assert_same(run(*x), e)
            assert_same(by_program(tmp_path / "traced.mgraph", x, len(results(e)), tmp_path), e)
    assert len({graph.hash() for graph in graphs.values()}) == 1 + (name in TWO_HASHES)


def test_what_is_missing_is_listed():
    """The table above is what the networks name and cannot find."""
    found = {}
    for name, (make, inputs) in NETWORKS.items():
        try:
            make().eval()(*inputs(1))
        except AttributeError as error:
            found[name] = re.findall(r"\.(\w+) exists in PyTorch", str(error))[-1]
    print(f"{len(NETWORKS)} networks, {len(NETWORKS) - len(found)} of operators that are there; missing: {sorted(set(found.values()))}")
    assert found == MISSING
