"""Programs in files: Graph.save and monograph.load_graph, and what other readers of zip and safetensors make of them."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import monograph as torch
import pytest
from interruption import interruptible
from monograph import fx


def small() -> fx.Graph:
    """silu(x + w) * 2, with 40 weights."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    w = torch.arange(40, dtype=torch.float32).reshape(4, 10)
    y = graph.call_function(torch.nn.functional.silu, (graph.call_function(torch.add, (x, w)),))
    graph.output(graph.call_function(torch.mul, (y, 2)))
    return graph


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.second = torch.nn.Linear(16, 3)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def test_a_saved_graph_runs_by_itself(tmp_path: Path):
    torch.manual_seed(0)
    net = Net()
    x = torch.randn(5, 8)
    expected = net(x)
    for graph in (fx.symbolic_trace(net).graph, torch.jit.trace(net, (x,)).graph):
        file = tmp_path / "net.mgraph"
        graph.save(file)
        loaded = torch.load_graph(file)
        assert isinstance(loaded, fx.Graph)
        assert loaded.hash() == graph.hash()
        assert torch.equal(loaded(x), expected)
        del loaded


def test_the_graph_keeps_its_weights(tmp_path: Path):
    """Neither the file nor the Unit's other owners are needed any more."""
    net = Net()
    x = torch.randn(2, 8)
    expected = net(x)
    file = tmp_path / "net.mgraph"
    fx.symbolic_trace(net).graph.save(str(file))
    loaded = torch.load_graph(file)
    file.unlink()
    del net
    gc.collect()
    assert torch.equal(loaded(x), expected)
    nodes = list(loaded.nodes)
    del loaded
    gc.collect()
    assert [n.op for n in nodes][-1] == "output", "a node keeps its graph"


def test_what_is_loaded_is_what_was_saved(tmp_path: Path):
    file, again = tmp_path / "small.mgraph", tmp_path / "again.mgraph"
    graph = small()
    graph.save(file)
    loaded = torch.load_graph(file, verify=True)
    assert loaded._to_text("mgraph") == graph._operators()._to_text("mgraph").replace(__file__, Path(__file__).name)
    assert loaded.hash() == graph.hash()
    x = torch.randn(4, 10)
    assert torch.equal(loaded(x), graph(x))
    loaded.save(again)
    assert again.read_bytes() == file.read_bytes()


def test_unknown_names_are_kept(tmp_path: Path):
    """They fail when the graph runs, not before."""
    text, file = tmp_path / "graph.txt", tmp_path / "x.mgraph"
    text.write_text("graph(%x : Tensor):\n  %y = my.function(%x)\n  return (%y)\n")
    torch.load_graph(text).save(file)
    loaded = torch.load_graph(file)
    assert [n.target for n in loaded.nodes][1] == "my.function"
    with pytest.raises(RuntimeError, match="my.function"):
        loaded(torch.ones(1))


def test_other_programs_read_the_container(tmp_path: Path):
    file = tmp_path / "small.mgraph"
    graph = small()
    graph.save(file)
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["unit.mg", "weights.safetensors"]
        assert archive.read("unit.mg").decode().startswith("monograph 1\n")
        data = archive.read("weights.safetensors")
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    (entry,) = header.values()
    assert entry["dtype"] == "F32" and entry["shape"] == [4, 10]
    begin, end = entry["data_offsets"]
    assert struct.unpack("<40f", data[8 + length + begin : 8 + length + end]) == tuple(range(40))
    # What is packed again by another program is read too.
    again = tmp_path / "again.mgraph"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    x = torch.randn(4, 10)
    assert torch.equal(torch.load_graph(again, verify=True)(x), graph(x))


def test_texts_are_read_too(tmp_path: Path):
    file = tmp_path / "graph.txt"
    file.write_text("graph(%x : Tensor):\n  %y : Tensor = aten::neg(%x)\n  return (%y)\n")
    assert torch.load_graph(file)(torch.ones(2)).tolist() == [-1.0, -1.0]


def test_the_torchscript_text_of_a_trace_runs(tmp_path: Path):
    def f(x):
        (y,) = torch.while_loop(lambda y: y.sum() < 9, lambda y: (y * 2,), (x,))
        a, b = torch.cat([y * 10, x.reshape(x.shape[0])], 0).split(x.shape[0])
        return torch.cond(x.sum() > 0, lambda: a + b, lambda: a - b)

    graph = torch.jit.trace(f, torch.ones(2), check_trace=False).graph
    graph.dialect = "torchscript"
    file = tmp_path / "graph.txt"
    file.write_text("symbol s0_0 hint 2\n" + str(graph))
    loaded = torch.load_graph(file)
    for x in (torch.ones(2), torch.ones(3)):
        assert torch.equal(loaded(x), f(x))
    assert loaded.hash() == graph.hash()


def test_functions_are_chosen_by_name(tmp_path: Path):
    file = tmp_path / "unit.txt"
    file.write_text("".join(f"graph {name}(%x : Tensor):\n  %y : Tensor = aten::{name}(%x)\n  return (%y)\n" for name in ("neg", "abs")))
    assert torch.load_graph(file, "abs")(-torch.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="no function .*; it has neg, abs"):
        torch.load_graph(file)


def test_errors_name_the_file_and_the_way_out(tmp_path: Path):
    file = tmp_path / "x.mgraph"
    small().save(file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OSError, match="x.mgraph: .*truncated or damaged"):
        torch.load_graph(file)
    file.write_bytes(whole.replace(b"monograph 1", b"monograph 2"))
    with pytest.raises(OSError, match="checksum"):
        torch.load_graph(file)
    altered = bytearray(whole)
    altered[whole.index(struct.pack("<3f", 20, 21, 22))] ^= 1
    file.write_bytes(altered)
    torch.load_graph(file)
    with pytest.raises(OSError, match="checksum"):
        torch.load_graph(file, verify=True)
    torch_file = tmp_path / "model.pt"
    with zipfile.ZipFile(torch_file, "w") as archive:
        archive.writestr("model/data.pkl", b".")
    with pytest.raises(OSError, match="PyTorch checkpoint.*load it with monograph.load"):
        torch.load_graph(torch_file)
    with pytest.raises(OSError, match="No such file"):
        torch.load_graph(tmp_path / "nowhere")
    with pytest.raises(OSError, match="cannot"):
        small().save(tmp_path / "nowhere" / "x.mgraph")


SAVE_FOR_EVER = """
import sys, monograph as torch
from monograph import fx
path, sizes = sys.argv[1], (1000, 300)
graphs = []
for value in (1.0, 2.0):
    graph = fx.Graph()
    graph.output(graph.call_function(torch.add, (graph.placeholder("x"), torch.full(sizes, value))))
    graphs.append(graph)
graphs[0].save(path)
print("saving", flush=True)
while True:
    for graph in graphs:
        graph.save(path)
"""


def test_kill_9_in_the_middle_of_a_save(tmp_path: Path):
    file = tmp_path / "x.mgraph"
    for wait in range(4):
        process = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, str(file)], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline() == b"saving\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.02 + 0.013 * wait)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        total = torch.load_graph(file, verify=True)(torch.zeros(1)).sum().item()
        assert total in (300_000, 600_000)


def test_weights_are_those_of_the_moment(tmp_path: Path):
    """Training, and writes that only NumPy sees, change what the next save holds; weights that were equal once stay two."""
    net = Net()
    with torch.no_grad():
        net.first.weight.fill_(0.5)
    net.second.weight = torch.nn.Parameter(torch.full((16, 3), 0.5).t())  # not row-major
    graph = fx.symbolic_trace(net).graph
    file = tmp_path / "net.mgraph"
    graph.save(file)
    before = file.read_bytes()
    x = torch.randn(5, 8)
    for change in range(2):
        if change == 0:
            with torch.no_grad():
                net.first.weight.mul_(2)
                net.second.weight.mul_(3)
        else:
            net.first.weight.detach().numpy()[:] = 7
            net.second.weight.detach().numpy()[:] = 9
        graph.save(file)
        assert torch.equal(torch.load_graph(file, verify=True)(x), net(x))
        assert file.read_bytes() != before
        before = file.read_bytes()


class Counters(torch.nn.Module):
    """Three buffers of equal contents, of which one is written and one is handed out."""

    def __init__(self, size: int):
        super().__init__()
        for name in ("written", "kept", "returned"):
            self.register_buffer(name, torch.arange(float(size)))

    def forward(self, x):
        self.written.add_(x)
        return self.written * 2 + self.kept, self.returned


@pytest.mark.parametrize("size", [4, 40])  # in the text, and in the container
@pytest.mark.parametrize("capture", ["trace", "symbolic_trace"])
def test_buffers_that_are_written_keep_their_own_storage(tmp_path: Path, size: int, capture: str):
    net, x = Counters(size), torch.arange(float(size)) + 1
    graph = torch.jit.trace(net, x, check_trace=False).graph if capture == "trace" else fx.symbolic_trace(net).graph
    file, again = tmp_path / "counters.mgraph", tmp_path / "again.mgraph"
    graph.save(file)
    loaded = torch.load_graph(file)
    for _ in range(2):
        result, returned = loaded(x)
        expected, other = net(x)
        assert torch.equal(result, expected) and torch.equal(returned, other)
        returned.mul_(3)
        other.mul_(3)
    # What it holds now is what is saved.
    loaded.save(again)
    for got, wanted in zip(torch.load_graph(again, verify=True)(x), net(x), strict=True):
        assert torch.equal(got, wanted)


class Windows(torch.nn.Module):
    """A buffer, a window of it, a second name of it, its first row twice, and a buffer of the window's contents that shares nothing."""

    def __init__(self, size: int):
        super().__init__()
        self.register_buffer("all", torch.zeros(size, size))
        self.register_buffer("window", self.all[1:, :2])
        self.register_buffer("again", self.all)
        self.register_buffer("rows", self.all[0].expand(2, size))
        self.register_buffer("apart", torch.zeros(size - 1, 2))

    def forward(self, x):
        self.all.add_(x)
        self.window.mul_(2)
        return x + self.window.sum() + self.again.sum() * 3 + self.rows.sum() * 5 + self.apart.sum() * 7


@pytest.mark.parametrize("size", [3, 6])  # in the text, and in the container
@pytest.mark.parametrize("capture", ["trace", "symbolic_trace"])
def test_buffers_that_share_memory_share_it_in_a_file(tmp_path: Path, size: int, capture: str):
    net, x = Windows(size), torch.ones(1)
    graph = torch.jit.trace(net, x, check_trace=False).graph if capture == "trace" else fx.symbolic_trace(net).graph
    net.all.zero_()
    file, again = tmp_path / "windows.mgraph", tmp_path / "again.mgraph"
    graph.save(file)
    assert "sharing.json" in zipfile.ZipFile(file).namelist()
    net = Windows(size)
    loaded = torch.load_graph(file)
    for _ in range(2):
        assert torch.equal(loaded(x), net(x))
    loaded.save(again)
    reloaded = torch.load_graph(again, verify=True)
    for _ in range(2):
        assert torch.equal(reloaded(x), net(x))


def test_buffers_of_equal_contents_share_nothing_in_a_file(tmp_path: Path):
    class Twins(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("a", torch.zeros(20))
            self.register_buffer("b", torch.zeros(20))

        def forward(self, x):
            self.a.add_(1)
            self.b.add_(10)
            return x + self.a[0] + self.b[0]

    file = tmp_path / "twins.mgraph"
    fx.symbolic_trace(Twins()).graph.save(file)
    assert "sharing.json" not in zipfile.ZipFile(file).namelist()
    assert torch.load_graph(file)(torch.ones(1)).tolist() == [12.0]


def test_a_buffer_that_repeats_itself_does_so_in_a_file(tmp_path: Path):
    class Repeated(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("five", torch.zeros(1).expand(5))

        def forward(self, x):
            self.five[0].add_(1)
            return x + self.five.sum()

    file = tmp_path / "repeated.mgraph"
    fx.symbolic_trace(Repeated()).graph.save(file)
    loaded, net = torch.load_graph(file), Repeated()
    for _ in range(2):
        assert torch.equal(loaded(torch.ones(1)), net(torch.ones(1)))


def pack_again(source: Path, target: Path, **entries: str) -> None:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, entries.get(name.split(".")[0], old.read(name)))


def test_a_lie_about_shared_memory_is_refused(tmp_path: Path):
    file, bad = tmp_path / "windows.mgraph", tmp_path / "bad.mgraph"
    fx.symbolic_trace(Windows(6)).graph.save(file)
    (memory,) = json.loads(zipfile.ZipFile(file).read("sharing.json"))["memories"]
    view = {v["attribute"]: v for v in memory["views"]}
    assert memory["elements"] == 36 and view["window"] == {"module": 0, "attribute": "window", "offset": 6, "strides": [6, 1]}
    huge = 2**62
    cases = [
        ("[]", "not JSON of memories"),
        ("{", "not JSON of memories"),
        ('{"memories": [3]}', 'expected an object with "elements"'),
        ({"elements": huge}, "views of"),
        ({"elements": -1}, "elements is not a whole number"),
        ({"elements": 30}, "reaches beyond its memory of 30 elements"),
        ({"views": []}, "a memory has no views"),
        ({"views": [{**view["all"], "module": 7}]}, "there is no module m7"),
        ({"views": [{**view["all"], "attribute": "none"}]}, "m0 has no attribute none"),
        ({"views": [{**view["all"], "offset": huge}]}, "m0.all reaches beyond"),
        ({"views": [{**view["all"], "strides": [huge, huge]}]}, "m0.all reaches beyond"),
        ({"views": [{**view["all"], "strides": [6, -1]}]}, "a stride is not a whole number"),
        ({"views": [{**view["all"], "strides": [1]}]}, "m0.all has 2 dims and 1 strides"),
        ({"views": [view["all"], view["all"]]}, "m0.all is there twice"),
    ]
    for change, message in cases:
        text = change if isinstance(change, str) else json.dumps({"memories": [{**memory, **change}]})
        pack_again(file, bad, sharing=text)
        with pytest.raises(OSError, match=message):
            torch.load_graph(bad)
    # Two contents of one place.
    fx.symbolic_trace(Windows(3)).graph.save(file)
    text = zipfile.ZipFile(file).read("unit.mg").decode()
    zeros = ", ".join(["0.0"] * 9)
    assert text.count(f"[{zeros}]") == 1
    pack_again(file, bad, unit=text.replace(f"[{zeros}]", f"[1.0{zeros[3:]}]", 1))
    with pytest.raises(OSError, match="sharing.json: m0.rows has other contents than what shares its memory"):
        torch.load_graph(bad)


o = torch.ones
NESTED = {
    "list in dict": ({"a": o(2), "b": [o(3, 2)]}, lambda d: d["a"] + d["b"][0]),
    "tuple in dict": ({"a": o(2), "b": (o(2), o(3, 2))}, lambda d: d["a"] + d["b"][1]),
    "dict in dict": ({"a": o(2), "b": {"c": o(3, 2)}}, lambda d: d["a"] + d["b"]["c"]),
    "list in list": ([o(2), [o(3, 2)]], lambda d: d[0] + d[1][0]),
    "tuple in list": ([o(2), (o(2), o(3, 2))], lambda d: d[0] + d[1][1]),
    "tuples in list": ([(o(2), o(3, 2))], lambda d: d[0][0] + d[0][1]),
    "tuples of two lengths": ({"a": (o(2),), "b": (o(3, 2), o(2))}, lambda d: d["a"][0] + d["b"][0]),
    "three kinds": ({"a": [o(2), {"x": (o(3, 2),)}], "b": o(2)}, lambda d: d["a"][1]["x"][0] + d["b"]),
}


@pytest.mark.parametrize("case", NESTED)
def test_nested_inputs_of_several_kinds_load_and_run(tmp_path: Path, case: str):
    example, function = NESTED[case]
    graph = torch.jit.trace(function, (example,)).inlined_graph
    file, again = tmp_path / "nested.mgraph", tmp_path / "again.mgraph"
    graph.save(file)
    loaded = torch.load_graph(file)
    assert torch.equal(loaded(example), function(example))
    loaded.save(again)
    assert again.read_bytes() == file.read_bytes()
    assert torch.equal(torch.load_graph(again)(example), function(example))


def test_recursion_is_refused(tmp_path: Path):
    file = tmp_path / "unit.txt"
    for calls in ({"forward": "forward"}, {"forward": "f", "f": "g", "g": "f"}):
        file.write_text("".join(f"graph {a}(%x : Tensor):\n  %y : Tensor = {b}(%x)\n  return (%y)\n" for a, b in calls.items()))
        with pytest.raises(OSError, match="(?s)unit.txt: .*a function calls itself: (forward -> forward|f -> g -> f); .* prim::Loop"):
            torch.load_graph(file)


PROGRAM = """
import sys
import monograph as torch
import helpers

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)

    def forward(self, x):
        y = helpers.scaled(self.fc(x))
        return y * 2 if y.sum() > -1e9 else y

torch.manual_seed(0)
traced = torch.jit.trace(Net(), torch.ones(1, 3), control_flow="guard")
traced.inlined_graph.save(sys.argv[1])
torch.fx.symbolic_trace(lambda x: x + helpers.scaled(x)).graph.save(sys.argv[2])
"""


def test_a_program_in_another_folder_is_the_same_bytes(tmp_path: Path):
    files = []
    for name in ("here", "over/there"):
        folder = tmp_path / name
        (folder / "helpers").mkdir(parents=True)
        (folder / "main.py").write_text(PROGRAM)
        (folder / "helpers" / "__init__.py").write_text("def scaled(x):\n    return x * 0.5\n")
        subprocess.run([sys.executable, folder / "main.py", folder / "a.mgraph", folder / "b.mgraph"], check=True, cwd=tmp_path)
        files.append([(folder / n).read_bytes() for n in ("a.mgraph", "b.mgraph")])
    assert files[0] == files[1]
    text = zipfile.ZipFile(tmp_path / "here" / "a.mgraph").read("unit.mg").decode()
    assert str(tmp_path) not in text and "# main.py:12:" in text and "# helpers/__init__.py:2:" in text and text.count("guard %") == 1
    spans = [n.span for n in torch.load_graph(tmp_path / "here" / "a.mgraph").nodes if n.op == "call_function"]
    assert "helpers/__init__.py:2" in spans


def test_copies_in_memory_keep_the_full_names_of_files():
    graph = torch.jit.trace(lambda x: x + 1, torch.ones(2)).inlined_graph
    spans = [n.span for n in graph.nodes if n.op == "call_function"]
    assert spans == [n.span for n in copy.deepcopy(graph).nodes if n.op == "call_function"] and __file__ in spans[0]
    assert __file__.encode() not in pickle.dumps(graph)


@pytest.mark.parametrize("capture", ["trace", "symbolic"])
def test_a_loaded_graph_has_its_parameters(tmp_path: Path, capture: str):
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(30, 2)
            self.register_buffer("shift", torch.tensor([1.0, 2.0]))
            self.register_buffer("scratch", torch.ones(1), persistent=False)

        def forward(self, x):
            return self.fc(x) + self.shift * self.scratch

    net = torch.nn.Sequential(Inner(), torch.nn.Linear(2, 2))
    x = torch.randn(3, 30)
    made = torch.jit.trace(net, x).inlined_graph if capture == "trace" else torch.fx.symbolic_trace(net).graph
    made.save(tmp_path / "net.mgraph")
    loaded = torch.load_graph(tmp_path / "net.mgraph")
    for graph in (made, loaded):
        assert dict(graph.named_parameters()).keys() == dict(net.named_parameters()).keys()
        assert dict(graph.named_buffers()).keys() == dict(net.named_buffers()).keys()
        assert len(list(graph.parameters())) == 4 and len(list(graph.buffers())) == 2
        state = graph.state_dict()
        assert state.keys() - net.state_dict().keys() == ({"0.scratch"} if capture == "symbolic" else set())
        assert all(torch.equal(state[k], v) for k, v in net.state_dict().items())
    with pytest.raises(RuntimeError, match="memory is read-only"):
        loaded.state_dict()["1.weight"].zero_()
    other = torch.nn.Sequential(Inner(), torch.nn.Linear(2, 2))
    other.load_state_dict(loaded.state_dict(), strict=capture == "trace")  # a GraphModule keeps every buffer, as in torch.fx
    assert torch.equal(other(x), loaded(x))


FILES = Path(__file__).resolve().parents[1] / "data" / "files"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("checkpoint.pt", "a PyTorch checkpoint.*load it with monograph.load"),
        ("training.pt", "a PyTorch checkpoint.*load it with monograph.load"),
        ("checkpoint_before_zip.pt", "a PyTorch checkpoint.*load it with monograph.load"),
        ("arrays.npz", "a NumPy array or archive.*pass the array to a graph"),
        ("deflated.npz", "a NumPy array or archive.*pass the array to a graph"),
        ("other.zip", "a zip archive that is not a .mgraph file"),
    ],
)
def test_files_that_pytorch_and_numpy_wrote_are_named(name: str, words: str):
    with pytest.raises(OSError, match=f"the file holds {words}"):
        torch.load_graph(FILES / name)


def test_what_another_zip_writer_says_twice_must_agree(tmp_path: Path):
    data = bytearray((FILES / "checkpoint.pt").read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 10] += 1  # the number of entries in the last record, which the Zip64 record tells too
    data[end + 8] += 1
    (tmp_path / "lie.pt").write_bytes(data)
    with pytest.raises(OSError, match="truncated or damaged .its two end records name different directories.. Copy it again"):
        torch.load_graph(tmp_path / "lie.pt")
    for cut in (1, 10, 22, 30, 42, 60, 98, 100, 500):
        (tmp_path / "cut.pt").write_bytes((FILES / "checkpoint.pt").read_bytes()[:-cut])
        with pytest.raises(OSError, match="truncated or damaged"):
            torch.load_graph(tmp_path / "cut.pt")


@pytest.mark.parametrize("byte", [0x80, 0xFF, 0xC3, 0x00, 0x1B, 0x7F])
def test_a_bad_byte_in_the_name_of_an_entry_is_shown(tmp_path: Path, byte: int):
    file = tmp_path / "x.mgraph"
    small().save(file)
    data = bytearray(file.read_bytes())
    at = data.index(b"unit.mg")
    data[at] = byte  # in the entry's own head alone: the directory tells another name
    file.write_bytes(data)
    with pytest.raises(OSError, match="its entry 'unit.mg' has another name or size than the directory says"):
        torch.load_graph(file)
    data[data.rindex(b"unit.mg")] = byte
    file.write_bytes(data)
    with pytest.raises(OSError, match="a zip archive that is not a .mgraph file"):
        torch.load_graph(file)
    shown = {0x80: r"\\x80nit.mg", 0xFF: r"\\xffnit.mg", 0xC3: r"\\xc3nit.mg"}.get(byte, r"\?nit.mg")
    size = data.index(b"PK\x01\x02") + 24
    data[size] ^= 1  # an entry that has two sizes
    file.write_bytes(data)
    with pytest.raises(OSError, match=f"entry '{shown}'"):
        torch.load_graph(file)


@pytest.mark.parametrize("how", ["run", "build", "thread"])
def test_ctrl_c_ends_a_loop(how: str):
    program = f"""
import signal, sys, threading, time
import monograph as torch

def f(x):
    i, x = torch.while_loop(lambda i, x: i < 10**9, lambda i, x: (i + 1, x * 1.0), (torch.tensor(0), x))
    return x

graph = torch.fx.symbolic_trace(f).graph
run = graph.build() if {how!r} == "build" else graph
print("ready", flush=True)
try:
    if {how!r} == "thread":
        threading.Thread(target=run, args=(torch.ones(2),), daemon=True).start()
        time.sleep(60)
    run(torch.ones(2))
except KeyboardInterrupt:
    print("interrupted", torch.ones(1).item(), flush=True)
    if {how!r} == "thread":
        sys.stdout.flush(), __import__("os")._exit(0)
"""
    with interruptible([sys.executable, "-c", program], text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)  # a loop of 10^9 rounds takes many minutes
        assert process.returncode == 0 and out == "interrupted 1.0\n", err
