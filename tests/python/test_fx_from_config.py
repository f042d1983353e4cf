"""A model that a configuration file describes, built with Graph alone: no module and no function of the user's is traced."""

import json
import subprocess
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from monograph import fx, nn

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"

CONFIG = {
    "inputs": ["image"],
    "layers": [
        {"name": "conv", "op": "conv2d", "of": "image", "weight": [4, 3, 3, 3], "bias": [4], "padding": [1, 1]},
        {"name": "act", "op": "relu", "of": "conv"},
        {"name": "pooled", "op": "mean.dim", "of": "act", "dim": [2, 3]},
        {"name": "logits", "op": "linear", "of": "pooled", "weight": [5, 4], "bias": [5]},
    ],
    "outputs": ["logits"],
}


def graph_of(file):
    """The graph that a configuration file describes, and its tensors by their path."""
    config = json.loads(file.read_text())
    generator = torch.Generator().manual_seed(0)
    graph, values, tensors = fx.Graph(), {}, {}
    for name in config["inputs"]:
        values[name] = graph.placeholder(name)
    for layer in config["layers"]:
        args = [values[layer["of"]]]
        for part in ("weight", "bias"):
            if part in layer:
                path = f"{layer['name']}_{part}"
                tensors[path] = torch.randn(layer[part], generator=generator)
                args.append(graph.get_attr(path))
        settings = {key: layer[key] for key in ("padding", "dim") if key in layer}
        values[layer["name"]] = graph.call_function(f"aten::{layer['op']}", tuple(args), settings, name=layer["name"])
    graph.output(values[config["outputs"][0]])
    return graph, tensors


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net.json"
    path.write_text(json.dumps(CONFIG))
    return path


def plain(tensors, x):
    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU())
    head = nn.Linear(4, 5)
    net[0].weight.data, net[0].bias.data = tensors["conv_weight"], tensors["conv_bias"]
    head.weight.data, head.bias.data = tensors["logits_weight"], tensors["logits_bias"]
    return head(net(x).mean([2, 3])).detach()


def test_a_graph_of_a_configuration_runs(file):
    graph, tensors = graph_of(file)
    graph.lint()
    gm = fx.GraphModule(tensors, graph, "FromConfig")
    for size in ((1, 3, 6, 6), (4, 3, 5, 7)):
        x = torch.randn(size)
        assert torch.equal(gm(x), plain(tensors, x))
    assert sorted(gm.state_dict()) == ["conv_bias", "conv_weight", "logits_bias", "logits_weight"]
    assert type(gm).__name__ == "FromConfig" and "aten.conv2d" in gm.code


def test_it_is_edited_saved_and_run_without_python(file, tmp_path):
    graph, tensors = graph_of(file)
    gm = fx.GraphModule(tensors, graph)
    act = next(n for n in gm.graph.nodes if n.name == "act")
    act.target = "aten::silu"
    gm.recompile()
    x = torch.randn(2, 3, 6, 6)
    expected = gm(x)
    assert not torch.equal(expected, plain(tensors, x))
    gm.graph.save(tmp_path / "net.mgraph")
    assert torch.equal(torch.load_graph(tmp_path / "net.mgraph")(x), expected)
    np.save(tmp_path / "x.npy", x.numpy())
    done = subprocess.run([PROGRAM, "run", "net.mgraph", "--input", "image=x.npy", "--output", "y.npy"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "y.npy"), expected.numpy())
