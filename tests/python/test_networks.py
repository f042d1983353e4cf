"""Networks in plain spelling through every way: eager, trace, symbolic trace, a file, a plan, the program `monograph`, at two batch sizes. And PyTorch's
results of the same source with the same weights: forward, gradients and buffers."""

from __future__ import annotations

import copy
import os
import re
import subprocess
import sys
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from live_oracle import OracleError
from networks import NETWORKS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "capture"))
from network_results import by_one_rounding, floats, form, leaves  # noqa: E402

PROGRAM = os.environ.get("MONOGRAPH_PROGRAM") or Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"
# What these networks name and the library lacks. Whoever adds a name takes its line away here.
MISSING: dict[str, str] = {}
# An overload that is missing is an error of the arguments: a part of it.
MISSING_OVERLOADS: dict[str, str] = {}
# What a symbolic trace refuses, since it knows no sizes, as torch.fx does: a part of the error.
ITERATED = "cannot be iterated"
REFUSED = {
    "CTC speech encoder, conformer": ITERATED,
    "GPT-2, as transformers has it": ITERATED,
    "Llama, grouped attention and a causal mask": ITERATED,
    "NASNet-like cell": ITERATED,
    "memory-efficient attention, in chunks": ITERATED,
}
# An input without an annotation is a tensor of the graph in operators. The GraphModule takes a list, too.
TAKES_A_LIST = {"RetinaNet heads"}
# Arguments that a symbolic trace fixes to their defaults, since the program branches on them.
FIXED = {
    "GPT-NeoX, part of each head rotated": {"use_parallel_residual": True},
    "Mistral": {"position_ids": None},
    "Perceiver": {"mask": None, "queries": None, "return_embeddings": False},
    "attention seq2seq": {"teacher_forcing": True},
}
# Equal programs of two hashes, and why.
UNPACKED = "unpacking a tensor is unbind in a trace, indexing in a symbolic trace, as in PyTorch"
DTYPE = "a trace knows the dtype that x.dtype is"
LENGTH = "a trace knows the length of a list, and unrolls the loop over it; a symbolic trace keeps the loop"
SWITCHES = "what runs under a no_grad() of the network is detached in a trace, and stands between switches in a symbolic trace"
TWO_HASHES = {
    "CRNN, reading text": "a trace knows a size that the graph of a symbolic trace checks when it runs",
    "Deep SORT-like appearance match": DTYPE,
    "FPN with RetinaNet's heads and anchors": "a trace knows the number of dims",
    "GPT-NeoX, part of each head rotated": SWITCHES,
    "GRU by hand": LENGTH,
    "Mamba, a scan over time with convolution": DTYPE,
    "Mistral": SWITCHES,
    "Res2Net": "the number of tensors that split gives is known to a trace",
    "Swin, with roll": UNPACKED,
    "diffusion U-Net, conditioned on a text": DTYPE,
    "graph network with index_add": DTYPE,
    "mixture of experts, top k, one weight for all": DTYPE,
    "speech enhancement, masks over a spectrogram": "torch.stft pads the signal by its number of dims, which a trace knows; a symbolic trace calls the operator that pads",
    "autoencoder": "a part of a shape (of nn.Unflatten) that is empty at the example's number of dims is no node of a trace",
}


def assert_same(got, expected):
    assert form(got) == form(expected)
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert torch.equal(a, b)


def by_program(path, inputs, count, folder):
    command = [PROGRAM, "run", path]
    for k, x in enumerate(inputs):
        np.save(folder / f"in{k}.npy", x.numpy())
        command += ["--input", folder / f"in{k}.npy"]
    for k in range(count):
        command += ["--output", folder / f"out{k}.npy"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [torch.from_numpy(np.load(folder / f"out{k}.npy")) for k in range(count)]


def symbolic_graph(name, net, runs):
    """The graph of a symbolic trace, which `runs` then has too; None where there is none to be had, for the reason that a table states."""
    if name in REFUSED:
        with pytest.raises(torch.fx.proxy.TraceError, match=REFUSED[name]):
            torch.fx.symbolic_trace(net, concrete_args=FIXED.get(name))
        return None
    runs["symbolic trace"] = symbolic = torch.fx.symbolic_trace(net, concrete_args=FIXED.get(name))
    symbolic.graph.lint()
    if name in TAKES_A_LIST:
        return None
    runs["graph"] = symbolic.graph
    return symbolic.graph


@pytest.mark.parametrize("name", [n for n in NETWORKS if n not in MISSING])
def test_a_network_is_one_program_in_every_way(name, tmp_path):
    make, inputs = NETWORKS[name]
    torch.manual_seed(0)
    net = make().eval()
    examples = [inputs(2), inputs(3)]
    with torch.no_grad():
        expected = [net(*copy.deepcopy(x)) for x in examples]
        traced = torch.jit.trace(net, examples[0], strict=False)
        traced.graph.lint()
        runs, graphs = {"trace": traced}, {"traced": traced.inlined_graph}
        symbolic = symbolic_graph(name, net, runs)
        if symbolic is not None:
            graphs["symbolic"] = symbolic
        hashes = {graph.hash(): how for how, graph in reversed(graphs.items())}
        assert len(hashes) == 1 + (name in TWO_HASHES)
        for how, graph in graphs.items():
            graph.save(tmp_path / f"{how}.mgraph")
            runs[f"file, {how}"] = torch.load_graph(str(tmp_path / f"{how}.mgraph"))
        for how in hashes.values():
            runs[f"plan, {how}"] = graphs[how].build()
        for x, e in zip(examples, expected, strict=True):
            for run in runs.values():
                assert_same(run(*copy.deepcopy(x)), e)
            for how in hashes.values():
                if any(not isinstance(t, torch.Tensor) for t in x):
                    with pytest.raises(AssertionError, match="the command line takes tensors, numbers and strings"):
                        by_program(tmp_path / f"{how}.mgraph", leaves(x)[:1], 0, tmp_path)
                else:
                    assert_same(by_program(tmp_path / f"{how}.mgraph", x, len(leaves(e)), tmp_path), leaves(e))


def missing_name(error):
    if isinstance(error, AttributeError):
        return re.findall(r"\.(\w+) exists in PyTorch", str(error))[-1]
    return next(name for part, name in MISSING_OVERLOADS.items() if part in str(error))


def test_what_is_missing_is_listed():
    """The table above is what the networks name and cannot find."""
    found = {}
    for name, (make, inputs) in NETWORKS.items():
        try:
            make().eval()(*inputs(1))
        except (AttributeError, TypeError) as error:
            found[name] = missing_name(error)
    print(f"{len(NETWORKS)} networks, {len(NETWORKS) - len(found)} of operators that are there; missing: {sorted(set(found.values()))}")
    assert found == MISSING
    assert len(NETWORKS) - len(found) >= 80


# In PyTorch's process the same source, with `monograph` read as `torch`.
IMPORT = """
import sys
sys.modules.update({"monograph": torch, "monograph.nn": torch.nn, "monograph.nn.functional": F})
sys.path.insert(0, folder)
import networks
result = sorted(networks.NETWORKS)
"""
# For both libraries: `name`, `state`, `inputs`, `seed` and `trains` go in; results, gradients and buffers come out.
RUN = """
import networks

def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (tuple, list)) else [value]

net = networks.NETWORKS[name][0]()
assert list(net.state_dict()) == list(state)
net.load_state_dict(state)
with torch.no_grad():
    evaluated = leaves(net.eval()(*inputs))
net.train()
torch.manual_seed(seed)
trained = leaves(net(*inputs))
loss = 0
for value in trained:
    if value.is_floating_point() and value.requires_grad:
        # Weights that differ: of a plain sum, the gradients cancel before a normalization.
        loss = loss + (value * torch.arange(value.numel()).cos().view(value.shape)).sum()
gradients = {}
if trains:
    loss.backward()
    gradients = {n: p.grad for n, p in net.named_parameters() if p.grad is not None}
result = {"eval": evaluated, "train": trained, "gradients": gradients, "buffers": dict(net.named_buffers())}
"""
# They write to what their own gradient needs, so nobody can train them.
NOT_TRAINED = {"ESPCN, pixel shuffle by hand", "YOLO neck and head"}


def as_numpy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().numpy().copy()
    if isinstance(value, dict):
        return {k: as_numpy(v) for k, v in value.items()}
    return type(value)(map(as_numpy, value)) if isinstance(value, (list, tuple)) else value


def assert_equal_to_pytorchs(ours, theirs, moved, where):
    """Integers are equal. Sums are added in another order and elementary functions are others (docs/numerics.md), so floats differ by some rounding
    errors of the largest: gradients that are 0 but for these are among them. Where a network makes more of a rounding error, as a batch norm of three
    almost equal numbers does, it does so in PyTorch too: `moved` are PyTorch's answers to operands that differ by one rounding error."""
    differences = [np.abs(a - b).max() for other in moved for a, b in zip(floats(theirs), floats(other), strict=True)]
    bound = 1e-5 * max([1.0, *(np.abs(a).max() for a in floats(theirs))]) + 4 * max([0.0, *differences])
    assert form(ours) == form(theirs), where
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, where
        assert (np.abs(a - b) <= bound).all() if b.dtype.kind == "f" else (a == b).all(), where


@pytest.fixture(scope="module")
def pytorch(oracle):
    assert oracle.run(IMPORT, folder=str(Path(__file__).parent)) == sorted(NETWORKS)
    return oracle


@pytest.mark.oracle
@pytest.mark.parametrize("name", list(NETWORKS))
def test_a_network_computes_what_pytorch_computes(name, pytorch, sample_seed):
    make, inputs = NETWORKS[name]
    torch.manual_seed(sample_seed)
    x = inputs(3)
    if name in MISSING:  # its text is good PyTorch
        pytorch.run("import networks\nnetworks.NETWORKS[name][0]().eval()(*inputs)", name=name, inputs=as_numpy(x))
        return
    state = make().state_dict()
    given = {"name": name, "seed": sample_seed, "trains": name not in NOT_TRAINED}
    theirs = pytorch.run(RUN, state=as_numpy(dict(state)), inputs=as_numpy(x), **given)
    if name in NOT_TRAINED:
        given["trains"] = True
        with pytest.raises(OracleError, match="modified by an inplace operation"):
            pytorch.run(RUN, state=as_numpy(dict(state)), inputs=as_numpy(x), **given)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run_here(state, x, **given)
        given["trains"] = False
    moved = [
        pytorch.run(RUN, state=by_one_rounding(as_numpy(dict(state)), other_way), inputs=by_one_rounding(as_numpy(x), other_way), **given)
        for other_way in (False, True)
    ]
    ours = as_numpy(run_here(state, x, **given))
    for what in theirs:
        assert_equal_to_pytorchs(ours[what], theirs[what], [other[what] for other in moved], what)


def run_here(state, inputs, **given):
    scope = {"torch": torch, "state": {k: v.clone() for k, v in state.items()}, "inputs": copy.deepcopy(inputs), **given}
    exec(RUN, scope)
    return scope["result"]
