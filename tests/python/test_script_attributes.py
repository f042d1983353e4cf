"""Attributes that methods of a scripted module assign: the value lives in the module, is seen after the call, copied and saved. Each program runs here, and in
live PyTorch, where the calls give the same results and leave the same attributes."""

from __future__ import annotations

import copy
import io
import pickle
import textwrap
from typing import Any

import monograph as torch
import pytest

HEAD = "import torch\nfrom torch import nn, Tensor\nfrom typing import Dict, List, Optional, Tuple\n"
# A class each, with `calls`: expressions of `net` that are evaluated in order.
PROGRAMS: dict[str, tuple[str, list[str]]] = {
    "a counter": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0
            def forward(self, x):
                self.calls += 1
                return x * self.calls
        """,
        ["net(torch.ones(2))", "net(torch.ones(2))", "net.calls", "setattr(net, 'calls', 7)", "net(torch.ones(2))", "net.calls"],
    ),
    "a cache": (
        """
        class Net(nn.Module):
            cache: Optional[Tensor]
            def __init__(self):
                super().__init__()
                self.cache = None
            def forward(self, x):
                cache = self.cache
                if cache is None:
                    y = x
                else:
                    y = x + cache
                self.cache = y
                return y
        """,
        ["net.cache", "net(torch.ones(2))", "net(torch.ones(2))", "net.cache"],
    ),
    "lists and dicts": (
        """
        class Net(nn.Module):
            seen: List[int]
            table: Dict[str, Tensor]
            def __init__(self):
                super().__init__()
                self.seen = []
                self.table = {}
                self.weights = [1.0, 2.0]
            def forward(self, x, n: int):
                self.seen.append(n)
                self.table["x"] = x
                self.weights[0] = float(n)
                return x * self.weights[0] * self.weights[1] + len(self.seen)
        """,
        ["net(torch.ones(2), 3)", "net(torch.ones(1), 4)", "net.seen", "net.table['x']", "net.weights"],
    ),
    "a buffer": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.zeros(2))
            def forward(self, x):
                self.mean = self.mean * 0.5 + x.mean(0) * 0.5
                return x - self.mean
        """,
        ["net(torch.arange(4.0).reshape(2, 2))", "net(torch.ones(2, 2))", "net.mean", "list(net.state_dict().items())"],
    ),
    "branches and loops": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.odd, self.steps, self.last = 0, 0, "none"
            def forward(self, n: int) -> int:
                while n > 0:
                    self.steps += 1
                    if n % 2 == 1:
                        self.odd += 1
                        self.last = "odd"
                    n -= 1
                return self.odd
        """,
        ["net(5)", "net.steps", "net(4)", "(net.odd, net.steps, net.last)"],
    ),
    "an error in the middle": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0
            def forward(self, x):
                self.calls += 1
                if self.calls == 2:
                    raise ValueError("twice")
                self.calls += 10
                return x
        """,
        ["net(torch.ones(1))", "attempt(lambda: net(torch.ones(1)))", "net.calls"],
    ),
    "a part of the module, and another method": (
        """
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.count = 0
            def forward(self, x):
                self.count += 1
                return x + self.count
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b, self.total = Counter(), Counter(), 0.0
            def forward(self, x):
                y = self.b(self.a(self.a(x)))
                self.total += float(y.sum())
                return y
            @torch.jit.export
            def reset(self) -> float:
                before = self.total
                self.total = 0.0
                return before
        """,
        ["net(torch.zeros(2))", "(net.a.count, net.b.count, net.total)", "net.reset()", "net(torch.zeros(2))", "(net.a.count, net.b.count, net.total)"],
    ),
    "a tuple and a method that reads alone": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.pair = (1, 2.5)
            def forward(self, n: int) -> Tuple[int, float]:
                self.pair = (n, self.pair[1] * 2)
                return self.pair
            @torch.jit.export
            def twice(self) -> int:
                return self.pair[0] * 2
        """,
        ["net.twice()", "net(4)", "net.pair", "net.twice()"],
    ),
}
RUN = """
def attempt(f):
    try:
        return f()
    except Exception as error:
        return type(error).__name__ in ("ValueError", "Error")
def plain(v):
    if isinstance(v, torch.Tensor):
        return ("tensor", v.tolist())
    if isinstance(v, (list, tuple)):
        return type(v)(plain(x) for x in v)
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    return v
def run(net, calls):
    names = {"net": net, "torch": torch, "attempt": attempt}
    return [plain(eval(call, names)) for call in calls]
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The modules of a program, whose source stands in a file."""
    import importlib.util
    import sys

    monkeypatch.setitem(sys.modules, "torch", torch)
    # `from torch import nn` asks the module alone.

    def make(text: str) -> Any:
        path = tmp_path / "program.py"
        path.write_text(HEAD + textwrap.dedent(text) + RUN)
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "program", module)
        spec.loader.exec_module(module)
        return module

    return make


def expected(program: Any, calls: list[str]) -> Any:
    return program.run(program.Net(), calls)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_method_assigns_what_python_sees(made, name):
    text, calls = PROGRAMS[name]
    program = made(text)
    assert program.run(torch.jit.script(program.Net()), calls) == expected(program, calls)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_archive_goes_on_where_the_module_was(made, name):
    text, calls = PROGRAMS[name]
    program = made(text)
    original, net = program.Net(), torch.jit.script(program.Net())
    program.run(original, calls[:1]), program.run(net, calls[:1])
    file = io.BytesIO()
    torch.jit.save(net, file)
    loaded = torch.jit.load(io.BytesIO(file.getvalue()))
    rest = [call for call in calls[1:] if "state_dict" not in call]
    assert program.run(loaded, rest) == program.run(original, rest)
    # What it assigned since is in the next file.
    again = io.BytesIO()
    torch.jit.save(loaded, again)
    names = [call for call in rest if call.startswith("net.") and "(" not in call]
    assert program.run(torch.jit.load(io.BytesIO(again.getvalue())), names) == program.run(original, names)


@pytest.mark.oracle
def test_pytorch_computes_the_same_and_goes_on_with_the_file(made, oracle, tmp_path):
    for name, (text, calls) in PROGRAMS.items():
        program = made(text)
        net = torch.jit.script(program.Net())
        want = program.run(net, calls)
        path = str(tmp_path / "net.pt")
        torch.jit.save(torch.jit.script(program.Net()), path)
        source = str(tmp_path / "program.py")
        scripted, loaded = oracle.run(
            "import importlib.util\n"
            "spec = importlib.util.spec_from_file_location('program', source)\n"
            "program = importlib.util.module_from_spec(spec)\n"
            "import sys; sys.modules['program'] = program\n"
            "spec.loader.exec_module(program)\n"
            "result = [program.run(torch.jit.script(program.Net()), calls), program.run(torch.jit.load(path), calls)]",
            source=source,
            path=path,
            calls=calls,
        )
        assert scripted == want, name
        assert loaded == want, name


def test_copies_and_pickles_have_attributes_of_their_own(made):
    program = made(PROGRAMS["a counter"][0])
    net = torch.jit.script(program.Net())
    net(torch.ones(1))
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other(torch.ones(1))
        assert (net.calls, other.calls) == (1, 2)


def test_a_saved_graph_keeps_its_attributes(made, tmp_path):
    program = made(PROGRAMS["a counter"][0])
    net = torch.jit.script(program.Net())
    net(torch.ones(1))
    net.save(tmp_path / "net.mgraph")
    graph = torch.load_graph(tmp_path / "net.mgraph")
    assert [graph(torch.ones(1)).item() for _ in range(2)] == [2, 3] and net.calls == 1
    graph.save(tmp_path / "again.mgraph")
    assert torch.load_graph(tmp_path / "again.mgraph")(torch.ones(1)).item() == 4


def test_the_mode_is_read_when_an_archive_runs(made):
    program = made(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.drop, self.norm = nn.Dropout(0.5), nn.BatchNorm1d(3)
            def forward(self, x):
                if self.training:
                    x = x + 1
                return self.norm(self.drop(x))
        """
    )
    torch.manual_seed(0)
    net, x = program.Net(), torch.randn(4, 3)
    for saved_in in (True, False):
        file = io.BytesIO()
        torch.jit.save(torch.jit.script(net).train(saved_in), file)
        loaded = torch.jit.load(io.BytesIO(file.getvalue()))
        assert loaded.training is saved_in
        for mode in (True, False, True):
            loaded.train(mode), net.train(mode)
            for key, value in net.state_dict().items():
                loaded.state_dict()[key].data.copy_(value)
            torch.manual_seed(1)
            got = loaded(x)
            torch.manual_seed(1)
            assert torch.equal(got, net(x)) and loaded.drop.training is mode


@pytest.mark.parametrize(
    ("assigned", "says"),
    [
        ("self.new = 1", "the module has no such attribute; give it a value in __init__"),
        ("self.training = False", "train\\(\\) and eval\\(\\) set the mode"),
        ("self.layer = self.layer", "a submodule stays the one that it is"),
        ("self.nothing = x", "its value is None, so its type is not known; declare it in the class: nothing: Optional\\[Tensor\\]"),
        ("self.calls = 'one'", "the attribute 'calls' of Net has type int, but this value has type str"),
        ("self.empty.append(1)", "an element of this list has type Tensor, but this value has type int"),
    ],
)
def test_what_cannot_be_assigned_is_an_error_with_its_line(made, assigned, says):
    program = made(
        f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer, self.calls, self.nothing, self.empty = nn.ReLU(), 0, None, []
            def forward(self, x):
                {assigned}
                return x
        """
    )
    with pytest.raises(RuntimeError, match=f"(?s){says}.*{assigned.split(' ')[0].replace('(', '.')[:12]}.*HERE"):
        torch.jit.script(program.Net())


def test_python_gives_an_attribute_a_value_of_its_type_only(made):
    program = made(PROGRAMS["a counter"][0])
    net = torch.jit.script(program.Net())
    net.calls = "many"
    with pytest.raises(TypeError, match="the attribute 'calls' has the type int, but it was given a str"):
        net(torch.ones(1))
