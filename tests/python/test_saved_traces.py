"""What a file of a trace or symbolic trace gives and takes: NamedTuples come back as such, in PyTorch too, and inputs of another dtype or number of dims are errors."""

from __future__ import annotations

import collections
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import monograph as torch
import pytest
from monograph import nn

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "monograph"


class Point(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


class Pair(NamedTuple):
    first: Any
    second: Any


Segment = collections.namedtuple("Segment", ["start", "end"])


def returned(x):
    return Point(x + 1, x * 2)


def beside_others(x):
    return x - 1, Point(x + 1, x * 2), [x]


def within(x):
    return Segment(Point(x, x + 1), Point(x + 2, x + 3))


def in_a_list(x):
    return [Point(x, x + 1), Point(x + 2, x + 3)]


def in_a_dict(x):
    return {"a": Point(x, x + 1), "b": Point(x + 2, x + 3)}


def beside_a_tensor_in_a_dict(x):
    return {"loss": x.sum(), "at": Point(x, x + 1)}


def of_two_kinds(x):
    return Pair(x.shape[0], None), Pair(x, "text")


def behind_a_branch(x):
    return Point(x + 1, x * 2) if x.sum() > 0 else Point(x - 1, x / 2)


def behind_a_loop(x):
    y = x + 1
    while x.sum() < 10:
        x, y = x.abs() * 2 + 1, y + 1
    return Point(x, y)


def of_an_operator(x):
    return x.unsqueeze(0).max(0)


def taken_and_returned(p):
    return p


def taken(p):
    return Point(p.y, p.x), p.x + p.y


OF_TENSORS = [
    returned, beside_others, within, in_a_list, in_a_dict, beside_a_tensor_in_a_dict, of_two_kinds, behind_a_branch, behind_a_loop, of_an_operator,
]  # fmt: skip
# A dict of TorchScript has values of one type, and a class fields of one type.
NOT_IN_ARCHIVES = [beside_a_tensor_in_a_dict, of_two_kinds]


def shape(value: Any) -> Any:
    """A result with the names of the classes and of their fields, for comparing."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None) or getattr(value, "__match_args__", ())
        return (type(value).__name__, tuple(fields), *(shape(v) for v in value))
    if isinstance(value, list):
        return [shape(v) for v in value]
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    return value.tolist() if isinstance(value, torch.Tensor) else value


INPUTS = [torch.tensor([1.0, 2.0]), torch.tensor([-3.0, -1.0, 0.5]), torch.tensor([4.0])]


@pytest.mark.parametrize("f", OF_TENSORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["mgraph", "pt"])
@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_namedtuples_come_out_of_files(f, kind, how, tmp_path):
    x, path = INPUTS[0], tmp_path / f"f.{kind}"
    captured = torch.jit.trace(f, x, strict=False) if how == "trace" else torch.fx.symbolic_trace(f)
    assert shape(captured(x)) == shape(f(x))
    if kind == "pt" and (f in NOT_IN_ARCHIVES or (how == "symbolic" and f is behind_a_loop)):  # the loops of a GraphModule's code have no types
        with pytest.raises((NotImplementedError, RuntimeError)):
            torch.jit.save(captured, path)
        return
    if how == "symbolic" and kind == "mgraph":
        captured.graph.save(path)
    else:
        torch.jit.save(captured, path)
    loaded = torch.load_graph(path) if kind == "mgraph" else torch.jit.load(path)
    for x in INPUTS:
        expected = f(x)
        if how == "symbolic" and kind == "pt" and f is of_an_operator:
            expected = tuple(expected)  # the code of a GraphModule is compiled, and an operator of a script gives a tuple, as in PyTorch
        assert shape(loaded(x)) == shape(expected)


@pytest.mark.parametrize("f", [returned, beside_others, within, in_a_list, in_a_dict, behind_a_branch])
def test_a_symbolic_trace_that_is_compiled_returns_namedtuples(f, tmp_path):
    gm = torch.fx.symbolic_trace(f)
    torch.jit.save(gm, tmp_path / "f.mgraph")
    for x in INPUTS:
        for captured in (torch.jit.script(gm), torch.load_graph(tmp_path / "f.mgraph")):
            assert shape(captured(x)) == shape(f(x))


def test_the_graphs_themselves_return_namedtuples(tmp_path):
    x = INPUTS[0]
    traced, symbolic = torch.jit.trace(returned, x), torch.fx.symbolic_trace(returned)
    assert traced.graph.hash() == symbolic.graph.hash()
    for k, graph in enumerate((traced.graph, symbolic.graph, torch.capture(returned, x).graph)):
        assert shape(graph(x)) == shape(returned(x))
        graph.save(tmp_path / f"{k}.mgraph")
        assert shape(torch.load_graph(tmp_path / f"{k}.mgraph")(x)) == shape(returned(x))


def test_a_namedtuple_may_be_given_to_a_file(tmp_path):
    p = Point(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    for f in (taken, taken_and_returned):
        traced = torch.jit.trace(f, (p,))
        traced.save(tmp_path / "f.mgraph"), traced.save(tmp_path / "f.pt")
        for loaded in (torch.load_graph(tmp_path / "f.mgraph"), torch.jit.load(tmp_path / "f.pt")):
            assert shape(loaded(p)) == shape(loaded(tuple(p))) == shape(f(p))


ELSEWHERE = """
import sys
import TORCH as torch
x = torch.tensor([1.0, 2.0])
for path in sys.argv[1:]:
    f = torch.load_graph(path) if path.endswith(".mgraph") else torch.jit.load(path)
    result = f(x)
    print(type(result).__name__, result._fields, [v.tolist() for v in result])
"""


def test_a_process_without_the_class_makes_one(tmp_path):
    traced = torch.jit.trace(returned, INPUTS[0])
    paths = [str(tmp_path / name) for name in ("f.mgraph", "f.pt")]
    for path in paths:
        traced.save(path)
    done = subprocess.run([sys.executable, "-c", ELSEWHERE.replace("TORCH", "monograph"), *paths], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["Point ('x', 'y') [[2.0, 3.0], [2.0, 4.0]]"] * 2, done.stderr


@pytest.mark.oracle
def test_pytorch_reads_the_namedtuples_of_an_archive(tmp_path, oracle):
    import os

    torch.jit.trace(returned, INPUTS[0]).save(tmp_path / "trace.pt")
    torch.jit.save(torch.fx.symbolic_trace(returned), tmp_path / "symbolic.pt")
    paths = [str(tmp_path / name) for name in ("trace.pt", "symbolic.pt")]
    done = subprocess.run([os.environ["MONOGRAPH_ORACLE"], "-c", ELSEWHERE.replace("TORCH", "torch"), *paths], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["Point ('x', 'y') [[2.0, 3.0], [2.0, 4.0]]"] * 2, done.stderr


def two_classes_in_a_dict(x):
    return {"a": Point(x, x + 1), "b": Segment(x, x + 2)}


def test_what_a_type_cannot_say_is_not_saved(tmp_path):
    traced = torch.jit.trace(two_classes_in_a_dict, INPUTS[0], strict=False)
    assert shape(traced(INPUTS[1])) == shape(two_classes_in_a_dict(INPUTS[1]))
    for save in (lambda: traced.save(tmp_path / "f.mgraph"), lambda: traced.save(tmp_path / "f.pt"), lambda: traced.graph.save(tmp_path / "f.mgraph")):
        with pytest.raises(NotImplementedError, match="NamedTuples of several classes"):
            save()


# Dtypes and numbers of dims ------------------------------------------------------------------------------------------------------------------------------------


def asks_for_the_dtype(x):
    return x * 2 if x.dtype == torch.float32 else x * 3


def asks_for_the_rank(x):
    return x.sum(1) if x.dim() == 2 else x.sum(0) + 1


def of_a_list(xs):
    return xs[0] * 2 if xs[0].dtype == torch.float32 and xs[1].dim() == 2 else xs[0] * 3


def of_a_tuple(xs):
    x, (y, z) = xs
    return x * 2 if y.dtype == torch.float32 and z.dim() == 2 else x * 3


def of_a_dict(d):
    return d["a"] * 2 if d["a"].dtype == torch.float32 and d["b"].dim() == 2 else d["a"] * 3


class Asks(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        return self.inner(x) if x.dim() == 2 else self.inner(x).sum(0)


def floats(*size: int, dtype: Any = None):
    return torch.arange(float(torch.Size(size).numel())).reshape(size).to(dtype or torch.float32)


M, W, D = floats(2, 3), floats(2, 3, 1), floats(2, 3, dtype=torch.float64)
KINDS = [
    (asks_for_the_dtype, M, [D, M.long()]), (asks_for_the_rank, M, [W, M[0], D]), (of_a_list, [M, M], [[D, M], [M, W], [M, D]]),
    (of_a_tuple, (M, (M, M)), [(D, (M, M)), (M, (D, M)), (M, (M, W))]), (of_a_dict, {"a": M, "b": M}, [{"a": D, "b": M}, {"a": M, "b": W}]),
]  # fmt: skip


@pytest.mark.parametrize(("f", "example", "others"), KINDS, ids=[f.__name__ for f, _, _ in KINDS])
def test_another_dtype_or_rank_is_another_capture_or_an_error_from_a_file(f, example, others, tmp_path):
    traced = torch.jit.trace(f, (example,))
    for other in others:
        assert shape(traced(other)) == shape(f(other))
    traced.save(tmp_path / "f.mgraph"), traced.save(tmp_path / "f.pt")
    for loaded in (torch.load_graph(tmp_path / "f.mgraph"), torch.jit.load(tmp_path / "f.pt"), torch.load_graph(tmp_path / "f.pt")):
        assert shape(loaded(example)) == shape(f(example))
        for other in others:
            with pytest.raises((TypeError, RuntimeError), match=r"must be|is captured where|was captured where"):
                loaded(other)


def test_an_archive_has_the_hash_of_its_trace_and_its_errors(tmp_path):
    traced = torch.jit.trace(asks_for_the_rank, M)
    traced.save(tmp_path / "f.pt"), traced.save(tmp_path / "f.mgraph")
    loaded = torch.load_graph(tmp_path / "f.pt")
    assert loaded.hash() == traced.graph.hash()
    words = []
    for name in ("f.pt", "f.mgraph"):
        with pytest.raises(TypeError, match="Input 'x' must be a float32 tensor with 2 dimensions") as error:
            torch.load_graph(tmp_path / name)(W)
        words.append(str(error.value).splitlines()[0])
    assert words[0] == words[1]
    # Saved again it checks the same.
    torch.jit.load(tmp_path / "f.pt").save(tmp_path / "again.pt")
    with pytest.raises(TypeError, match="must be a float32 tensor with 2 dimensions"):
        torch.jit.load(tmp_path / "again.pt")(D)


@pytest.mark.parametrize("training", [False, True])
def test_an_archive_of_both_modes_checks_too(training, tmp_path):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).train(training)
    torch.jit.trace(net, M, check_trace=False).save(tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for mode in (training, not training):
        loaded.train(mode)
        assert loaded(M).shape == (2, 3)
        for other in (D, W.reshape(2, 1, 3)):
            with pytest.raises(TypeError, match=r"Input 'input(_1)?' must be a float32 tensor with 2 dimensions"):
                loaded(other)


def test_the_command_checks_the_inputs_of_an_archive(tmp_path):
    torch.jit.trace(asks_for_the_rank, M).save(tmp_path / "f.pt")
    for size, code in (("2x3", 0), ("2x3x1", 1)):
        done = subprocess.run([PROGRAM, "run", "f.pt", "--input", f"random:{size}:float32"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == (code == 0), done.stderr
        assert code == 0 or "must be a float32 tensor with 2 dimensions" in done.stderr


IN_PYTORCH = """
import json, sys
import torch
m = torch.arange(6.0).reshape(2, 3)
said = []
for path, args in [("rank", m), ("rank", m.reshape(2, 3, 1)), ("rank", m.double()), ("list", [m, m]), ("list", [m, m.double()]), ("list", [m, m.reshape(2, 3, 1)]),
                   ("tuple", (m, (m, m))), ("tuple", (m, (m, m.double()))), ("module", m), ("module", m.double())]:
    try:
        said.append(torch.jit.load(f"{sys.argv[1]}/{path}.pt")(args).tolist())
    except Exception as error:
        said.append("must be" in str(error) or "was captured where" in str(error))
print(json.dumps(said))
"""


@pytest.mark.oracle
def test_pytorch_gets_the_errors_too(tmp_path, oracle):
    import os

    net = Asks()
    for name, f, example in (("rank", asks_for_the_rank, M), ("list", of_a_list, [M, M]), ("tuple", of_a_tuple, (M, (M, M))), ("module", net, M)):
        torch.jit.trace(f, (example,)).save(tmp_path / f"{name}.pt")
    done = subprocess.run([os.environ["MONOGRAPH_ORACLE"], "-c", IN_PYTORCH, str(tmp_path)], capture_output=True, text=True, timeout=120)
    said = json.loads(done.stdout) if done.stdout else done.stderr
    assert said[:-2] == [M.sum(1).tolist(), True, True, (M * 2).tolist(), True, True, (M * 2).tolist(), True], said
    assert torch.allclose(torch.tensor(said[-2]), net(M).detach(), atol=1e-6) and said[-1] is True
