"""Classes of scripts in files: NamedTuples and Enums of a .mgraph, Enums and objects in archives, also in a process that has none of the classes, and in PyTorch.
And what scripts of everyday use call: rsplit, tolist with its type, interfaces, complex(). The programs are those of tests/data/script/file_programs.py."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from monograph import nn
from test_torchscript_found import archive

FILE = Path(__file__).resolve().parents[1] / "data" / "script" / "file_programs.py"


def programs_of(patch: pytest.MonkeyPatch) -> Any:
    """The programs, in which torch means Monograph. Names of classes have the module's name in them, also in PyTorch's process."""
    spec = importlib.util.spec_from_file_location("file_programs", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for name, value in {"torch": torch, "torch.nn": nn, "file_programs": module}.items():
        patch.setitem(sys.modules, name, value)
    spec.loader.exec_module(module)
    return module


with pytest.MonkeyPatch.context() as _patch:
    P = programs_of(_patch)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setitem(sys.modules, "file_programs", P)


@pytest.mark.parametrize("name", P.PROGRAMS)
def test_results_are_those_of_python_before_and_after_files(name, tmp_path):
    function, inputs = P.PROGRAMS[name]
    expected = P.outcomes(function, inputs)
    scripted = torch.jit.script(function)
    assert P.outcomes(scripted, inputs) == expected
    scripted.save(tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    assert P.outcomes(loaded, inputs) == expected
    loaded.save(tmp_path / "again.pt")
    assert P.outcomes(torch.jit.load(tmp_path / "again.pt"), inputs) == expected
    scripted.save(tmp_path / "f.mgraph")
    assert P.outcomes(torch.load_graph(tmp_path / "f.mgraph"), inputs) == expected


ELSEWHERE = """
import sys
import monograph as torch
path, call = sys.argv[1:]
f = torch.jit.load(path) if path.endswith(".pt") else torch.load_graph(path)
print(repr(eval(call)))
"""


def elsewhere(path: Any, call: str) -> str:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, str(path), call], capture_output=True, text=True, timeout=300, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_process_without_the_classes_makes_them(tmp_path):
    for form in ("pt", "mgraph"):
        torch.jit.script(P.segments).save(tmp_path / f"segments.{form}")
        text = elsewhere(tmp_path / f"segments.{form}", "f(1)[2], f(1)[1], f(5)[0]['s'].tag")
        assert text == "(Segment(a=Point(x=1, y=2), b=Point(x=2, y=0), tag='small'), [Point(x=1, y=2), Point(x=2, y=0)], None)"
        torch.jit.script(P.color_of).save(tmp_path / f"color.{form}")
        assert elsewhere(tmp_path / f"color.{form}", "f(1), f(5).name, type(f(1)).__name__") == "(<Color.RED: 1>, 'BLUE', 'Color')"
    # An archive knows all members, a graph those that it names.
    assert elsewhere(tmp_path / "color.pt", "len(type(f(1)))") == "3"


def test_a_class_of_the_same_name_with_other_fields_is_another_class(tmp_path):
    torch.jit.script(P.segments).save(tmp_path / "segments.mgraph")
    (tmp_path / "file_programs.py").write_text("from typing import NamedTuple\nclass Point(NamedTuple):\n    u: int\n    v: int\n")
    call = "(__import__('file_programs').Point._fields, f.__class__ and torch.load_graph(path)(1)[1][0]._fields)"
    assert elsewhere(tmp_path / "segments.mgraph", call) == "(('u', 'v'), ('x', 'y'))"


def test_objects_that_a_module_holds(tmp_path):
    expected = P.Encoder()
    scripted = torch.jit.script(expected)
    for module in (scripted, *saved_and_loaded(scripted, tmp_path)):
        for text in ("a b a", "c"):
            rows, kind = module(text)
            assert torch.equal(rows, expected(text)[0]) and kind == "GREEN"
    scripted.save(tmp_path / "m.mgraph")
    rows, kind = torch.load_graph(tmp_path / "m.mgraph")("a b a")
    assert torch.equal(rows, expected("a b a")[0]) and kind == "GREEN"


def saved_and_loaded(module: Any, folder: Any) -> list[Any]:
    module.save(folder / "m.pt")
    loaded = torch.jit.load(folder / "m.pt")
    loaded.save(folder / "again.pt")
    return [loaded, torch.jit.load(folder / "again.pt")]


def test_a_graph_file_holds_objects_in_lists_and_as_they_are_now(tmp_path):
    eager, scripted = P.Counting(), torch.jit.script(P.Counting())
    assert scripted(1.0) == eager(1.0)
    scripted.save(tmp_path / "counting.mgraph")
    first, second = torch.load_graph(tmp_path / "counting.mgraph"), torch.load_graph(tmp_path / "counting.mgraph")
    expected = [eager(v) for v in (2.5, 4.0)]
    assert [first(v) for v in (2.5, 4.0)] == expected
    assert second(2.5) == expected[0]  # objects of its own
    second.save(tmp_path / "again.mgraph")
    assert torch.load_graph(tmp_path / "again.mgraph")(4.0) == expected[1]
    assert scripted(2.5) == expected[0]


def test_what_an_object_counts_goes_on(tmp_path):
    eager, scripted = P.Counting(), torch.jit.script(P.Counting())
    for v in (1.0, 2.5):
        assert scripted(v) == eager(v)
    assert scripted.meters[0].seen == [1.0, 2.5]  # Python sees what the graph did
    loaded, again = saved_and_loaded(scripted, tmp_path)
    expected = eager(4.0)
    assert loaded(4.0) == again(4.0) == scripted(4.0) == expected
    expected = eager(1.0)
    loaded.save(tmp_path / "later.pt")
    assert torch.jit.load(tmp_path / "later.pt")(1.0) == expected
    scripted.meters[1].total = 100.0  # and the graph sees what Python did
    assert scripted(1.0)[0] == 102.0


def test_what_python_and_torchscript_say_differently_of_a_text_is_an_error(tmp_path):
    def tabs(s: str) -> str:
        return s.expandtabs()

    assert torch.jit.script(tabs)("a\tb") == "a\tb".expandtabs()
    with pytest.raises(NotImplementedError, match="a tab after a line break"):
        torch.jit.script(tabs)("a\nb\tc")

    def named(s: str) -> bool:
        return s.isidentifier()

    assert torch.jit.script(named)("a1") and not torch.jit.script(named)("a_b c")
    with pytest.raises(NotImplementedError, match="for TorchScript nothing with a '_' is"):
        torch.jit.script(named)("a_b")


def test_tolist_says_what_its_annotation_lacks():
    def untyped(x):
        return x.tolist()

    def floats(x) -> list[float]:
        y: list[float] = x.tolist()
        return y

    with pytest.raises(RuntimeError, match=r"tolist\(\) needs a type.*numbers: List\[float\] = x\.tolist\(\)"):
        torch.jit.script(untyped)
    scripted = torch.jit.script(floats)
    assert scripted(torch.tensor([1.5, 2.0], dtype=torch.float16)) == [1.5, 2.0]
    with pytest.raises(RuntimeError, match=r"the annotation of tolist\(\) is .*, but the tensor has 2 dims"):
        scripted(torch.ones(1, 2))
    with pytest.raises(RuntimeError, match="says float, but the tensor's dtype is int64"):
        scripted(torch.tensor([1]))


def test_an_interface_is_the_module_that_it_is(tmp_path):
    x, scripted = torch.ones(2), torch.jit.script(P.Steps())
    assert torch.equal(scripted(x), P.Steps()(x))
    assert all(torch.equal(m(x), P.Steps()(x)) for m in saved_and_loaded(scripted, tmp_path))


@pytest.mark.oracle
def test_pytorch_reads_and_writes_the_same_archives(oracle, tmp_path):
    for name, (function, _) in P.PROGRAMS.items():
        torch.jit.script(function).save(tmp_path / f"{name}.pt")
    torch.jit.script(P.Encoder()).save(tmp_path / "encoder.pt")
    scripted = torch.jit.script(P.Counting())
    scripted(1.0)
    scripted.save(tmp_path / "counting.pt")
    equal = oracle.run(
        "import sys; sys.path.insert(0, programs)\nimport file_programs\nresult = file_programs.exchanged(folder)", programs=str(FILE.parent), folder=str(tmp_path)
    )
    assert equal == sorted([*P.PROGRAMS, "counting", "encoder"])
    for name, (function, inputs) in P.PROGRAMS.items():
        assert P.outcomes(torch.jit.load(tmp_path / f"{name}.torch.pt"), inputs) == P.outcomes(function, inputs), name
    encoder = torch.jit.load(tmp_path / "encoder.torch.pt")
    rows, kind = encoder("a b")
    assert torch.equal(rows, P.Encoder()("a b")[0]) and kind == "GREEN" and encoder.kind is P.Color.GREEN
    counting, eager = torch.jit.load(tmp_path / "counting.torch.pt"), P.Counting()
    assert [counting(v) for v in (1.0, 2.0)] == [eager(v) for v in (1.0, 2.0)]


def test_a_default_that_calls_its_own_function_is_an_error():
    # It was compiled for ever, and the stack overflowed: found by mutating archives.
    with pytest.raises(RuntimeError, match=r"the recursive call of f\(\) is not supported in a script(.|\n)*<--- HERE"):
        torch.jit.CompilationUnit("def f(x: int = f()) -> int:\n    return x\ndef g() -> int:\n    return f()\n")


CALLS = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    def inner():
      return x
    y = {call}
    return x
"""


@pytest.mark.parametrize("call", ["fork(inner= x\n    )", "torch.format(inner=x)", "__torch__.M.forward(self=x)"])
def test_a_call_with_its_first_argument_by_name_is_an_error(call, tmp_path):
    # The argument was taken for one by place, and memory behind it was read: found by mutating archives.
    with pytest.raises(RuntimeError):
        archive(tmp_path / "m.pt", CALLS.replace("{call}", call))(torch.ones(1))
