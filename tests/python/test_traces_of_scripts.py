"""Traces of modules that hold scripted ones: both modes, in the process and in files."""

import io

import monograph as torch
import pytest
from monograph import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(2, 2), nn.Dropout(0.5)

    def forward(self, x):
        y = self.drop(self.fc(x))
        if self.training:
            y = y * 10
        return y


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.drop = torch.jit.script(Scaled()), nn.Dropout(0.3)

    def forward(self, x):
        return self.drop(self.inner(x)) + 1


def results(net, x):
    found = {}
    for mode in (True, False):
        net.train(mode)
        torch.manual_seed(0)
        found[mode] = net(x)
    return found


def archived(traced):
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    return torch.jit.load(file)


@pytest.mark.parametrize("training", [True, False])
def test_a_trace_that_holds_a_script_has_both_modes(training):
    net, x = Around().train(training), torch.ones(4, 2)
    traced = torch.jit.trace(net, x)
    loaded = archived(traced)
    expected = results(net, x)
    net.train(training)
    in_process = torch.jit.trace(net, x)
    in_process.train(not training), in_process(x)
    del net
    for capture in (loaded, in_process, archived(in_process)):
        assert all(torch.equal(v, expected[mode]) for mode, v in results(capture, x).items())


def test_the_file_of_both_modes_is_complete_once_the_module_is_gone(tmp_path):
    net, x = Around().train(), torch.ones(4, 2)
    traced = torch.jit.trace(net, x)
    expected = results(net, x)
    traced.train().save(tmp_path / "both.mgraph")
    del net
    graph = torch.load_graph(tmp_path / "both.mgraph")
    assert torch.equal(graph.eval()(x), expected[False])
    torch.manual_seed(0)
    assert torch.equal(graph.train()(x), expected[True])
