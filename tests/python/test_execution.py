"""set_execution: the modules of a program run as Python does or as graphs, with the same results, and the program is not changed."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path

import monograph as torch
import pytest
from monograph import _C, nn

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

EXAMPLES = Path(__file__).parents[2] / "examples"


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.rest = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, 2))
        self.scale = 2.0

    def forward(self, x):
        y = self.rest(self.first(x))
        return y * self.scale if y.sum() > 0 else y - 1


class Prints(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 2)

    def forward(self, x):
        y = self.inner(x)
        open(os.devnull).close()
        return y


@pytest.fixture(autouse=True)
def counted():
    torch.execution_counts(reset=True)
    yield
    assert torch.get_execution() == os.environ.get("MONOGRAPH_EXECUTION", "eager")


def counts():
    return tuple(torch.execution_counts(reset=True))


def test_calls_run_as_graphs():
    model = Branch().eval()
    inputs = [torch.randn(n, 4) for n in (3, 1, 5, 0, 2)]
    expected = [model(x) for x in inputs]
    assert counts() == (0, 0, 0)
    with torch.set_execution("graph"):
        assert torch.get_execution() == "graph"
        found = [model(x) for x in inputs]
    assert all(torch.equal(a, b) for a, b in zip(expected, found, strict=True))
    calls, captures, graphs = counts()
    assert calls == 5 and captures + graphs == 5 and captures <= 2


def test_a_change_of_the_module_counts():
    model = Branch().eval()
    x = torch.randn(3, 4)
    with torch.set_execution("graph"):
        model(x)
        model.scale = 5.0
        changed = model(x)
        model.rest[0] = nn.Tanh()
        replaced = model(x)
    assert torch.equal(replaced, model(x))
    model.rest[0] = nn.ReLU()
    assert torch.equal(changed, model(x))
    assert counts() == (3, 3, 0)


def test_training_is_the_same():
    torch.manual_seed(0)
    eager = Branch()
    graph = copy.deepcopy(eager)
    batches = [torch.randn(n, 4) for n in (4, 4, 7, 4, 2)]
    for model, mode in ((eager, "eager"), (graph, "graph")):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        with torch.set_execution(mode):
            for x in batches:
                optimizer.zero_grad()
                model(x).pow(2).mean().backward()
                optimizer.step()
    for (name, a), b in zip(eager.state_dict().items(), graph.state_dict().values(), strict=True):
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-6), name  # a captured batch norm may round its running variance otherwise
    assert torch.execution_counts().share == 1.0


def test_only_the_outermost_call_counts():
    model = Prints()
    x = torch.randn(2, 4)
    expected = model(x)
    with torch.set_execution("graph"):
        for _ in range(3):
            assert torch.equal(model(x), expected)
    calls, captures, graphs = counts()
    assert (calls, captures + graphs) == (3, 0)  # it opens a file, so Python runs it; the layer inside is no outermost call


def test_nothing_is_left_in_copies_and_files():
    model = Branch().eval()
    x = torch.randn(3, 4)
    with torch.set_execution("graph"):
        expected = model(x)
        for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert not [name for name in vars(twin) if "graph" in name]
            twin.scale = 3.0
            assert torch.equal(twin(x), twin._call_impl(x))
        assert torch.equal(model(x), expected)
    assert set(model.state_dict()) == set(Branch().state_dict())


def test_captures_of_other_kinds_work_inside():
    model = Branch().eval()
    x = torch.randn(3, 4)
    expected = model(x)
    with torch.set_execution("graph"):
        assert torch.equal(torch.jit.trace(model, x)(x), expected)
        assert torch.equal(torch.fx.symbolic_trace(model)(x), expected)
        assert torch.equal(torch.compile(model)(x), expected)
        assert torch.equal(torch.jit.script(model)(x), expected)
        own = copy.deepcopy(model)
        own.compile(backend="interpreter")
        assert torch.equal(own(x), expected)
    assert torch.execution_counts().share == 1.0  # the calls by which a trace checks itself are outermost ones


def test_contexts_nest():
    model = Branch().eval()
    x = torch.randn(3, 4)
    with torch.set_execution("graph"):
        model(x)
        with torch.set_execution("eager"):
            model(x)
            assert torch.get_execution() == "eager"
        model(x)
    assert counts() == (2, 1, 1)
    with pytest.raises(KeyError), torch.set_execution("graph"):
        raise KeyError
    assert torch.get_execution() == "eager"


def test_threads_have_outermost_calls_of_their_own():
    model = Branch().eval()
    x = torch.randn(3, 4)
    expected = model(x)
    wrong = []

    def work():
        for _ in range(50):
            if not torch.equal(model(x), expected):
                wrong.append(1)

    with torch.set_execution("graph"):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong
    assert torch.execution_counts().calls == 200 and torch.execution_counts().share == 1.0


def test_hooks_run():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    seen = []
    model.register_forward_hook(lambda module, inputs, output: output + 1)
    model[0].register_forward_pre_hook(lambda module, inputs: seen.append("called"))
    x = torch.randn(2, 4)
    expected = model(x)
    with torch.set_execution("graph"):
        assert torch.equal(model(x), expected)
        assert torch.equal(model(x), expected)
    assert seen == ["called"] * 3


def test_wrong_modes():
    with pytest.raises(ValueError, match='expects "eager" or "graph", but got \'fast\''):
        torch.set_execution("fast")
    run = subprocess.run([sys.executable, "-c", "import monograph"], env={**os.environ, "MONOGRAPH_EXECUTION": "fast"}, capture_output=True, text=True)
    assert "MONOGRAPH_EXECUTION is 'fast'; it must be \"eager\" or \"graph\"" in run.stderr


RUN = """
import runpy, sys
import monograph as torch
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:  # a demo ends with its exit code
    if end.code:
        raise
print(*torch.execution_counts(), file=sys.stderr)
"""

PROGRAM = """
import monograph as torch
from monograph import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(64, 3)
for step in range(20):
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
"""


# What differs from run to run in a text that a program prints: times, and the names of temporary folders.
CHANGES = re.compile(r"\d+(\.\d+)? (ms|µs|us|s)\b|/tmp/\S+")
# Examples that fetch a package or weights once, by where they keep them. They run where these are there already.
FETCHED = {"branches": "torchcrf", "minilm": "model.safetensors", "mobilenet": "torchvision"}


def examples():
    """The programs of examples/, but for what was never fetched. That of cpp/ builds C++ programs, and calls no Module of Python."""
    programs = sorted(p for p in EXAMPLES.rglob("*.py") if p.name not in ("model.py", "make_tables.py") and p.parent.name != "cpp")  # a module, and a tool
    cache = EXAMPLES.parent / ".cache"
    return [p for p in programs if (found := FETCHED.get(p.parent.name)) is None or (cache / p.parent.name / found).exists()]


def code_of(notebook):
    cells = json.loads(notebook.read_text())["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


def test_an_unmodified_program_runs_either_way(tmp_path):
    """Programs are not told: the environment sets the mode. They print the same, and at least 95 % of their outermost calls are in a graph."""
    (tmp_path / "train.py").write_text(PROGRAM)
    programs = [tmp_path / "train.py", *examples()]
    for notebook in EXAMPLES.rglob("*.ipynb"):
        (tmp_path / f"{notebook.stem}.py").write_text(code_of(notebook))
        programs.append(tmp_path / f"{notebook.stem}.py")
    assert len(programs) >= 10
    rows = {}
    for program in programs:
        printed = {}
        for mode in ("eager", "graph"):
            run = subprocess.run(
                [sys.executable, "-c", RUN, str(program)], env={**os.environ, "MONOGRAPH_EXECUTION": mode}, cwd=program.parent, capture_output=True, text=True
            )
            assert run.returncode == 0, f"{program}: {run.stdout[-1000:]}{run.stderr}"
            printed[mode] = CHANGES.sub("...", run.stdout)
            if mode == "graph":
                calls, captures, graphs = map(int, run.stderr.split()[-3:])
                rows[f"{program.parent.name}/{program.name}"] = calls, captures + graphs
        if program.name not in ("profile_calls.py", "demo.py"):  # they print times; the demos check their own results
            assert printed["eager"] == printed["graph"], program.name
    total, in_graphs = (sum(row[k] for row in rows.values()) for k in (0, 1))
    assert total >= 20 and in_graphs >= 0.95 * total, rows
