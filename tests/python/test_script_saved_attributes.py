"""Attributes of a module that was scripted and saved: they are read, and what is assigned counts in the next call. And frozen modules that keep attributes, and
copies of loaded modules."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import monograph as torch
import pytest
from monograph import nn

X = torch.arange(6.0).reshape(2, 3)


def saved(module: Any) -> Any:
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


class Inner(nn.Module):
    __constants__ = ["fixed"]

    def __init__(self) -> None:
        super().__init__()
        self.fixed, self.by = 3, 2.0

    def forward(self, x):
        return x * self.by + self.fixed


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.n, self.flag, self.word = 2, True, "a"
        self.sizes, self.pair, self.table = [1, 2], (3, 0.5), {"a": 4}
        self.names: list[str] = ["dog", "cat"]
        self.mask = torch.ones(3)
        self.register_buffer("offset", torch.zeros(3))

    def forward(self, x):
        x = self.inner(x) * self.n + self.mask + self.offset
        if self.flag:
            x = x + len(self.word) + sum(self.sizes) + self.pair[0] + self.table["a"]
        return x

    @torch.jit.export
    def label(self, k: int) -> str:
        return self.names[k]


def test_attributes_of_a_loaded_module_are_read_and_count_when_they_are_assigned():
    net = Net()
    loaded = saved(torch.jit.script(net))
    assert torch.equal(loaded(X), net(X))
    for name in ("n", "flag", "word", "sizes", "pair", "table", "names"):
        assert getattr(loaded, name) == getattr(net, name), name
    for name, value in (("n", 5), ("word", "abc"), ("sizes", [7]), ("pair", (1, 2.0)), ("table", {"a": 9}), ("flag", False)):
        setattr(loaded, name, value), setattr(net, name, value)
        assert torch.equal(loaded(X), net(X)), name
    loaded.inner.by = net.inner.by = 10.0
    again = saved(loaded)
    assert torch.equal(loaded(X), net(X)) and torch.equal(again(X), net(X)) and again.inner.by == 10.0
    assert loaded.label(1) == "cat"


def test_the_scripted_module_is_as_before():
    net = torch.jit.script(Net())
    graph = str(net.inlined_graph)
    saved(net)
    assert str(net.inlined_graph) == graph and net.n == 2 and not net._stated
    net.n = 7
    assert saved(net).n == 7


def test_a_tensor_that_is_no_buffer_is_none_in_an_archive():
    loaded = saved(torch.jit.script(Net()))
    assert list(loaded.state_dict()) == ["offset"] and loaded.mask.tolist() == [1, 1, 1]


@pytest.mark.oracle
def test_pytorch_reads_and_assigns_the_attributes(oracle: Any, tmp_path: Any):
    torch.jit.save(torch.jit.script(Net()), tmp_path / "net.pt")
    program = """
m = torch.jit.load(path)
result = [list(m.state_dict()), m.n, m.sizes, m.pair, m.table, m.names, m(torch.arange(6.0).reshape(2, 3)).tolist()]
m.n, m.inner.by = 5, 10.0
result.append(m(torch.arange(6.0).reshape(2, 3)).tolist())
"""
    net = Net()
    expected = [["offset"], net.n, net.sizes, net.pair, net.table, net.names, net(X).tolist()]
    net.n, net.inner.by = 5, 10.0
    assert oracle.run("import torch\n" + program, path=str(tmp_path / "net.pt")) == [*expected, net(X).tolist()]


class Counts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.n = 2
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        return self.fc(x) * self.n + self.seen

    @torch.jit.export
    def count(self, x):
        self.n += 1
        self.seen += 1
        return x * self.n

    @torch.jit.export
    def twice(self, x):
        return self.forward(x) * 2


@pytest.mark.parametrize("load", [False, True])
def test_a_module_whose_other_methods_assign_is_frozen(load: bool):
    net = Counts().eval()
    scripted = saved(torch.jit.script(net)) if load else torch.jit.script(net)
    frozen = torch.jit.freeze(scripted)
    expected = net(X)
    assert torch.equal(frozen(X), expected) and list(frozen.state_dict()) == [] and not hasattr(frozen, "fc") and not hasattr(frozen, "count")
    scripted.fc.weight.data.zero_()
    assert torch.equal(frozen(X), expected) and torch.equal(saved(frozen)(X), expected)


def test_methods_and_attributes_that_are_preserved():
    net = Counts().eval()
    scripted = torch.jit.script(net)
    frozen = torch.jit.freeze(scripted, preserved_attrs=["twice", "count", "n"])
    assert torch.equal(frozen.twice(X), net(X) * 2)
    assert torch.equal(frozen.count(X), X * 3) and frozen.n == 3
    assert torch.equal(frozen(X), net.fc(X) * 3 + 1)  # what the method assigned counts
    frozen.n = 10
    assert torch.equal(frozen(X), net.fc(X) * 10 + 1) and torch.equal(saved(frozen)(X), net.fc(X) * 10 + 1)
    assert scripted.n == 2 and scripted.seen.item() == 0 and torch.equal(scripted(X), net(X))
    for module in (frozen, torch.jit.optimize_for_inference(scripted, ["twice"])):
        assert "forward" in str(module.code)
    assert torch.equal(saved(torch.jit.freeze(torch.jit.script(Inner().eval()), ["by"]))(X), Inner()(X))
    with pytest.raises(RuntimeError, match="has no attribute 'nothing' to preserve"):
        torch.jit.freeze(scripted, ["nothing"])


def test_several_frozen_methods_are_saved():
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(3, 2)

        def forward(self, x):
            return self.fc(x)

        @torch.jit.export
        def more(self, x, k: int):
            return self.fc(x) * k

    net = Two().eval()
    loaded = saved(torch.jit.freeze(torch.jit.script(net), ["more"]))
    assert torch.equal(loaded(X), net(X)) and torch.equal(loaded.more(X, 3), net.more(X, 3))


def test_a_loaded_module_is_copied_and_pickled():
    net = Counts().eval()
    loaded = saved(torch.jit.script(net))
    loaded.count(X)
    for copied in (copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert copied.n == 3 and torch.equal(copied(X), loaded(X)) and not copied.training
        copied.fc.weight.data.zero_()
        assert not torch.equal(copied(X), loaded(X))
    holder = nn.Sequential(loaded)
    assert torch.equal(copy.deepcopy(holder)(X), loaded(X))


def test_magic_methods_that_are_exported():
    class Box(nn.Module):
        def forward(self, x):
            return x

        @torch.jit.export
        def __len__(self) -> int:
            return 7

        @torch.jit.export
        def __contains__(self, key: str) -> bool:
            return key == "a"

        @torch.jit.export
        def __getitem__(self, k: int) -> int:
            return k * 10

    box = torch.jit.script(Box())
    assert len(box) == 7 and "a" in box and "b" not in box and box[4] == 40
    with pytest.raises(TypeError, match="has no len"):
        len(torch.jit.script(Inner()))


def test_futures_and_switches_of_the_executor():
    future = torch.jit.fork(torch.neg, torch.ones(1))
    seen: list[float] = []
    future.add_done_callback(lambda f: seen.append(f.value().item()))
    assert future.done() and future.value().item() == -1 and future.then(lambda f: f.wait() * 3).wait().item() == -3 and seen == [-1]
    with torch.jit.fuser("fuser1"):
        pass
    with pytest.raises(Exception, match="unrecognized fuser option"), torch.jit.fuser("other"):
        pass
    torch.jit.run_frozen_optimizations(torch.jit.freeze(torch.jit.script(Inner().eval())))
    for name in ("_jit_override_can_fuse_on_cpu", "_jit_set_texpr_fuser_enabled", "_jit_set_num_profiled_runs", "_set_graph_executor_optimize"):
        assert getattr(torch._C, name)(False) is None


def test_a_function_of_a_graph():
    graph = torch._C.parse_ir("graph(%x : Tensor, %k : int[]):\n  %c : int = prim::Constant[value=2]()\n  %2 : Tensor = aten::add(%x, %x, %c)\n  return (%2)\n")
    assert [str(v.type()) for v in graph.inputs()] == ["Tensor", "List[int]"] and list(graph.inputs())[1].type().str() == "int[]"
    function = torch._C._create_function_from_graph("f", graph)
    assert function(torch.ones(1), []).item() == 3 and function.name == "f" and "torch.add" in function.code
    empty = torch._C.Graph()
    x = empty.addInput("x")
    node = empty.create("aten::relu", [x], 1)
    empty.insertNode(node)
    empty.registerOutput(node.output())
    assert torch._C._create_function_from_graph("g", empty)(-X).sum().item() == 0
