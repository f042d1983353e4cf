"""The program `monograph`, as its users meet it: every example of every help text, results against NumPy, errors and exit codes."""

from __future__ import annotations

import contextlib
import copy
import json
import operator
import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from interruption import interruptible

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")
VERBS = ["tour", "info", "print", "run", "bench", "convert", "compare", "view", "doctor"]
TEXT = """\
symbol s0 in [1, 8] hint 2
graph forward[level=operator](%x : !Float(s0, 3), %y : Float(s0, 3), %n : int = 2):
  %sum : Float(s0, 3) = aten::add.Tensor(%x, %y)
  %out : Float(s0, 3) = aten::mul.Scalar(%sum, %n)
  %half : Float(s0, 3) = aten::mul.Scalar(%sum, 0.5)
  return ((%out, %half))
"""


def program(*arguments: object, folder: Path, code: int = 0, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})})
    assert done.returncode == code, f"{shlex.join(command)}: exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With what the help texts' examples use, and a model of two inputs."""
    program("tour", "--save", "tour.txt", folder=tmp_path)
    np.save(tmp_path / "x.npy", np.arange(3, dtype=np.float32))
    (tmp_path / "two.txt").write_text(TEXT)
    return tmp_path


def error(*arguments: object, folder: Path, code: int = 1) -> str:
    done = program(*arguments, folder=folder, code=code)
    assert done.stderr.startswith("monograph: error: "), done.stderr
    assert "defect" not in done.stderr
    return done.stderr


def examples() -> list[str]:
    found = []
    for arguments in [["--help"], *([verb, "--help"] for verb in VERBS)]:
        text = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  (monograph .*)$", text.split("examples:\n")[1], re.MULTILINE)
        assert len(commands) >= 2, arguments
        found += commands
    return found


def test_every_example_of_every_help_text_runs(folder: Path) -> None:
    env = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    for command in examples():
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=120, env=env)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert done.stderr == "", command
        assert done.stdout or ">" in command or "--output" in command, command


def test_version_and_usage(folder: Path) -> None:
    assert re.fullmatch(r"monograph \d+\.\d+\.\d+\n", program("--version", folder=folder).stdout)
    assert "usage: monograph VERB" in program(folder=folder, code=2).stderr
    assert program("help", "run", folder=folder).stdout == program("run", "--help", folder=folder).stdout


def tour_rows(lines: list[str]) -> tuple[list[str], list[str]]:
    """The verdicts on PyTorch and on Monograph, in the order of the columns."""
    theirs = next(line for line in lines if line.startswith("PyTorch")).split()
    return theirs[2:], next(line for line in lines if line.startswith("Monograph")).split()[1:]


def test_the_tour_is_true_and_fits_a_screen(folder: Path) -> None:
    for columns in (80, 120):
        lines = program("tour", folder=folder, env={"COLUMNS": str(columns), "MONOGRAPH_PYTHON": sys.executable}).stdout.splitlines()
        assert len(lines) <= 27
        assert max(map(len, lines)) <= columns
        assert tour_rows(lines) == (["WRONG", "right", "raises", "raises", "right"], ["right"] * 5)
        assert any("trace  script  symbolic  compile, whole  saved, run" in line for line in lines)
        assert "All 5 correct captures give the same graph" in "\n".join(lines)
    assert "[20, 20, 20] → [20.0, 20.0, 20.0]" in "\n".join(lines)
    assert "[1, 1, 1] → [11.0, 11.0, 11.0]" in "\n".join(lines)


def test_the_tour_without_python_leaves_out_what_needs_it(folder: Path) -> None:
    (folder / "monograph").mkdir()  # of the current folder, nothing is imported
    (folder / "monograph" / "_tour.py").write_text("raise SystemExit('imported')")
    for python in ("/nowhere/python", "/bin/false"):
        lines = program("tour", folder=folder, env={"MONOGRAPH_PYTHON": python}).stdout.splitlines()
        assert tour_rows(lines)[1] == ["–", "right", "–", "–", "right"]
        assert "MONOGRAPH_PYTHON" in "".join(lines) and "All 2 correct captures" in "\n".join(lines)


def test_the_tour_leaves_no_folder_behind(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    program("tour", folder=folder, env={"TMPDIR": str(temporary), "MONOGRAPH_PYTHON": sys.executable})
    assert list(temporary.iterdir()) == []


def test_a_size_is_asked_for_only_where_a_name_stands_for_one(folder: Path) -> None:
    (folder / "named.txt").write_text("symbol s0\ngraph(%x : Float(s0, 4)):\n  %y = aten::relu(%x)\n  return (%y)\n")
    assert "--dim" in program("info", "named.txt", folder=folder).stdout
    assert "--dim" not in program("info", "tour.txt", folder=folder).stdout


def test_misspellings_get_the_nearest_name(folder: Path) -> None:
    assert "did you mean 'info'?" in error("ifno", "tour.txt", folder=folder, code=2)
    assert "did you mean '--input'?" in error("run", "tour.txt", "--imput", "x.npy", folder=folder, code=2)
    assert "did you mean 'forward'?" in error("print", "tour.txt", "--function", "foward", folder=folder)
    assert "did you mean 'tabular'?" in error("print", "tour.txt", "--form", "tabulra", folder=folder, code=2)
    assert "did you mean 's0'?" in error("run", "two.txt", "--dim", "s1=3", "--input", "random", folder=folder, code=2)
    (folder / "named.txt").write_text(TEXT.replace("%x ", "%pixels ").replace("%x,", "%pixels,"))
    assert "did you mean 'pixels'?" in error("run", "named.txt", "--input", "pixel=x.npy", folder=folder)
    assert "FILE is required" in error("run", folder=folder, code=2)


def test_run_equals_numpy(folder: Path) -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", np.asfortranarray(y))
    program("run", "two.txt", "--input", "x.npy", "--input", "y=y.npy", "--output", "a.npy", "--output", "b.npy", folder=folder)
    np.testing.assert_array_equal(np.load(folder / "a.npy"), (x + y) * 2)
    np.testing.assert_array_equal(np.load(folder / "b.npy"), (x + y) * np.float32(0.5))
    done = program(
        "run", "two.txt", "--input", "n=text:3", "--input", "text:1,2,3;4,5,6:float32", "--input", "y.npy", "--json", folder=folder
    )
    outputs = json.loads(done.stdout)["outputs"]
    assert outputs[0]["value"] == {"dtype": "float32", "shape": [2, 3], "data": [[6.0, 9.0, 12.0], [15.0, 18.0, 21.0]]}
    assert [o["name"] for o in outputs] == ["output[0]", "output[1]"]


@pytest.mark.parametrize("name", ["add", "iadd", "floordiv", "ifloordiv", "mod", "imod", "pow", "ipow", "matmul", "imatmul"])
def test_run_finds_operators_of_python_by_their_names(folder: Path, name: str) -> None:
    x, y = np.array([[7, -5], [4, 9]], np.float32), np.array([[2, 3], [1, 2]], np.float32)
    (folder / "g.txt").write_text(f"graph forward(%x : Float(2, 2), %y : Float(2, 2)):\n  %z = operator.{name}(%x, %y)\n  return (%z)\n")
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    program("run", "g.txt", "--input", "x.npy", "--input", "y.npy", "--output", "z.npy", folder=folder)
    np.testing.assert_array_equal(np.load(folder / "z.npy"), getattr(operator, name.removeprefix("i"))(x, y))


def test_random_inputs_follow_seed_and_sizes(folder: Path) -> None:
    def result(*more: str) -> object:
        done = program("run", "two.txt", "--input", "random", "--input", "random:4x3", "--json", *more, folder=folder)
        return json.loads(done.stdout)["outputs"]

    assert result() == result()
    assert result() != result("--seed", "1")
    assert len(result()[0]["value"]["data"]) == 4  # x follows y's size rather than the example's
    done = program("run", "two.txt", "--input", "random", "--input", "random", "--dim", "s0=5", "--json", folder=folder)
    assert json.loads(done.stdout)["outputs"][0]["value"]["shape"] == [5, 3]


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], ["input 'x' is missing; it is a float32 tensor of size [*, 3]", "--input x=x.npy"]),
        (["--input", "random"], ["input 'y' is missing"]),
        (["--input", "z=random"], ["no input 'z'", "the inputs of forward: x: a float32 tensor of size [*, 3]"]),
        (["--input", "text:1,2,3"], ["input 'x' must be a float32 tensor of size [*, 3]", "int64[3]", "text:1,2,3:float32"]),
        (["--input", "text:1,2,3:float32"], ["of size [*, 3]", "float32[3], with 1 dimension", "separate rows with ';'"]),
        (["--input", "random:2x4"], ["dimension 1 must be 3, not 4"]),
        (
            ["--input", "random:2x3", "--input", "random:4x3"],
            ["input 'y' must be", "of size 2 in dimension 0, but", "dimension 0 of input 'x' has size 2"],
        ),
        (["--input", "random:9x3"], ["dimension 0 must be at least 1 and at most 8"]),
        (["--input", "random", "--input", "random", "--input", "n=text:1.5"], ["input 'n' must be an int", "a whole number"]),
        (["--input", "missing.npy"], ["missing.npy", "No such file"]),
        (["--input", "tour.txt"], ["tour.txt: not a .npy file"]),
        (["--input", "x=random", "--input", "x=random"], ["given twice"]),
        (["--input", "random", "--input", "random", "--input", "text:1", "--input", "text:1"], ["too many inputs"]),
        (["--input", "random", "--input", "random", *["--output", "o.npy"] * 3], ["gives 2 values"]),
    ],
)
def test_inputs_that_do_not_fit_are_named(folder: Path, arguments: list[str], words: list[str]) -> None:
    message = error("run", "two.txt", *arguments, folder=folder)
    for word in words:
        assert word in message, message


def test_input_specifications_that_cannot_be_read(folder: Path) -> None:
    specs = ["random:2xx3", "random:2:flaot", "text:1,a", "text:1;2,3", "random:2:int64:0", ""]
    for spec in [*specs, "text:300:uint8", "text:-1:uint8", "text:1.5:int64", "text:9223372036854775808"]:
        assert "--input" in error("run", "two.txt", "--input", spec, folder=folder, code=2)
    assert "NAME=N" in error("run", "two.txt", "--dim", "s0", folder=folder, code=2)


def test_names_that_are_not_utf_8_are_shown_in_json(folder: Path) -> None:
    with zipfile.ZipFile(folder / "odd.pt", "w") as archive:
        archive.writestr("odd/data.pkl", b"\x80\x02cmine\nN\xffet\n.")
        archive.writestr("odd/version", b"3\n")
    shown = json.loads(program("info", "odd.pt", "--json", folder=folder).stdout)
    assert shown["objects"] == {"mine.N\ufffdet": 1}


def test_bad_files_are_the_files_fault(folder: Path) -> None:
    (folder / "elf").write_bytes(b"\x7fELF" + bytes(100))
    (folder / "empty").write_bytes(b"")
    (folder / "cut.txt").write_text(TEXT[: len(TEXT) // 2])
    (folder / "w.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
    program("convert", "tour.txt", "whole.mgraph", folder=folder)
    whole = (folder / "whole.mgraph").read_bytes()
    (folder / "cut.mgraph").write_bytes(whole[:-20])
    for name in ["elf", "empty", "cut.txt", "w.safetensors", "cut.mgraph", "missing", "."]:
        assert name in error("info", name, folder=folder)
        assert name in error("run", name, folder=folder)


@pytest.fixture
def slow(folder: Path) -> list[str]:
    """The words that measure a model of which one call takes a while."""
    (folder / "slow.txt").write_text("graph forward(%x : Float(900, 900)):\n  %y : Float(900, 900) = aten::mm(%x, %x)\n  return (%y)\n")
    return [str(PROGRAM), "bench", "slow.txt", "--seconds"]


def test_a_crash_is_our_fault_and_says_so(slow: list[str], folder: Path) -> None:
    for number in (signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT):
        running = subprocess.Popen([*slow, "60"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        running.send_signal(number)
        _, said = running.communicate(timeout=30)
        assert running.returncode == 70, said
        assert "bug in Monograph" in said and "doctor" in said


def test_work_over_two_seconds_shows_how_far_it_is(slow: list[str], folder: Path) -> None:
    def screen(seconds: float) -> str:
        ours, theirs = pty.openpty()
        subprocess.run([*slow, str(seconds)], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
        os.set_blocking(ours, False)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        return shown.decode()

    assert screen(0.3) == ""
    shown = screen(3)
    assert re.search(r"measuring  [█░]{24} \d+ %, \d+ s left", shown)
    assert shown.endswith("\r\033[K")  # the line is clean afterwards


def test_files_are_known_by_their_content(folder: Path) -> None:
    program("convert", "two.txt", "two.mgraph", folder=folder)
    program("convert", "two.txt", "two.json", folder=folder)
    hashes = set()
    for source in ["two.txt", "two.mgraph", "two.json"]:
        (folder / "anything.npy").write_bytes((folder / source).read_bytes())
        info = json.loads(program("info", "anything.npy", "--json", folder=folder).stdout)
        hashes.add(info["functions"][0]["hash"])
        program("compare", "two.txt", "anything.npy", folder=folder)
    assert len(hashes) == 1


def test_convert_and_print_agree(folder: Path) -> None:
    program("convert", "two.txt", "again.mg", folder=folder)
    assert (folder / "again.mg").read_text().strip() == program("print", "two.txt", folder=folder).stdout.strip()
    program("convert", "two.txt", "two.py", folder=folder)
    compile((folder / "two.py").read_text(), "two.py", "exec")
    program("convert", "two.txt", "two.dot", folder=folder)
    assert (folder / "two.dot").read_text().startswith("digraph")
    for form in ["text", "tabular", "code", "torchscript", "json", "dot"]:
        assert program("print", "two.txt", "--form", form, "--function", "forward", folder=folder).stdout.strip()
    assert "no format of graphs has the suffix '.exe'" in error("convert", "two.txt", "two.exe", folder=folder, code=2)


def test_convert_writes_the_weights_of_a_graph(folder: Path) -> None:
    import monograph as torch

    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    net[1].register_buffer("again", net[0].weight.detach())  # two names of one tensor
    torch.fx.symbolic_trace(net.eval()).graph.save(folder / "net.mgraph")
    program("convert", "net.mgraph", "net.safetensors", folder=folder)
    written = torch.safetensors.load_file(str(folder / "net.safetensors"))
    loaded = torch.load_graph(folder / "net.mgraph").state_dict()
    assert sorted(written) == sorted(loaded) and written
    for name, tensor in loaded.items():
        assert torch.equal(written[name], tensor)
    assert "leave out --function" in error("convert", "net.mgraph", "f.safetensors", "--function", "forward", folder=folder, code=2)


def test_info_tells_inputs_operators_and_cost(folder: Path) -> None:
    text = program("info", "two.txt", "--dim", "s0=8", folder=folder).stdout
    for word in ["x: Float(s0, 3)", "n: int (optional)", "aten::mul.Scalar", "72 FLOP", "s0=8"]:
        assert word in text.replace("\u00a0", " "), text
    info = json.loads(program("info", "two.txt", "--json", folder=folder).stdout)
    assert info["functions"][0]["operators"] == {"aten::mul.Scalar": 2, "aten::add.Tensor": 1}
    assert info["functions"][0]["cost"]["operations"] == 18  # three operators on 2 × 3, the example's size


def test_weights(folder: Path) -> None:
    program("convert", "x.npy", "w.safetensors", folder=folder)
    assert "x" in program("info", "w.safetensors", folder=folder).stdout
    info = json.loads(program("info", "w.safetensors", "--json", folder=folder).stdout)
    assert info["tensors"] == [{"name": "x", "dtype": "float32", "shape": [3], "bytes": 12}]
    program("convert", "w.safetensors", "back.npy", "--tensor", "x", folder=folder)
    np.testing.assert_array_equal(np.load(folder / "back.npy"), np.load(folder / "x.npy"))
    assert "did you mean" in error("convert", "w.safetensors", "b.npy", "--tensor", "xx", folder=folder)
    assert "load the weights into the model" in error("run", "w.safetensors", folder=folder)


def test_compare_exits_3_where_things_differ(folder: Path) -> None:
    (folder / "other.txt").write_text(TEXT.replace("0.5", "0.50001"))
    (folder / "renamed.txt").write_text(TEXT.replace("%sum", "%total"))
    program("compare", "two.txt", "renamed.txt", folder=folder)
    done = program("compare", "two.txt", "other.txt", folder=folder, code=3)
    assert "first difference" in done.stdout
    inputs = ["--input", "random", "--input", "random"]
    done = program("compare", "two.txt", "other.txt", *inputs, "--json", folder=folder, code=3)
    first, second = json.loads(done.stdout)["results"]
    assert first["max_abs"] == 0 and first["beyond"] == 0
    assert 0 < second["max_rel"] < 3e-5 and second["max_ulp"] > 1
    program("compare", "two.txt", "other.txt", *inputs, "--rtol", "1e-4", folder=folder)
    np.save(folder / "y.npy", np.float32([0, 1, np.nextafter(np.float32(2), np.float32(3))]))
    done = program("compare", "x.npy", "y.npy", "--json", folder=folder, code=3)
    assert json.loads(done.stdout)["tensors"][0]["max_ulp"] == 1
    np.save(folder / "n.npy", np.float32([np.nan, 1, 2]))
    program("compare", "n.npy", "n.npy", folder=folder)
    program("compare", "n.npy", "x.npy", "--atol", "1e30", folder=folder, code=3)


ONE = "graph(%x : Tensor):\n  %y : Tensor = aten::{}.Scalar(%x, 1)\n  return (%y)\n"


def test_compare_sees_what_a_program_writes(folder: Path) -> None:
    """An input that one of two programs writes is a difference, though the results are equal."""
    for name in ["add", "add_"]:
        (folder / f"{name}.txt").write_text(ONE.format(name))
    given = ["--input", "text:0,0:float32"]
    done = program("compare", "add_.txt", "add.txt", *given, "--json", folder=folder, code=3)
    result, written = json.loads(done.stdout)["results"]
    assert result["max_abs"] == 0 and written["name"] == "input x, written" and written["max_abs"] == 1
    assert "input x, written" in program("compare", "add.txt", "add_.txt", *given, folder=folder, code=3).stdout
    assert "input x, written" in program("compare", "add_.txt", "add_.txt", *given, folder=folder).stdout
    program("compare", "add.txt", "add.txt", *given, folder=folder)
    # Other names of inputs: they go by their order.
    (folder / "renamed.txt").write_text(ONE.format("add_").replace("%x", "%other"))
    assert "input 0, written" in program("compare", "add_.txt", "renamed.txt", *given, folder=folder).stdout


def test_compare_sees_what_a_program_writes_to_its_buffers(folder: Path) -> None:
    import monograph as torch

    class Count(torch.nn.Module):
        def __init__(self, step):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))
            self.step = step

        def forward(self, x):
            self.count.add_(self.step)
            return x * 2

    for step in (1, 2):
        torch.fx.symbolic_trace(Count(step)).graph.save(folder / f"{step}.mgraph")
    given = ["--input", "text:1,2:float32"]
    assert "count, written" in program("compare", "1.mgraph", "2.mgraph", *given, folder=folder, code=3).stdout
    assert "count, written" in program("compare", "1.mgraph", "1.mgraph", *given, folder=folder).stdout


def test_compare_takes_none_and_texts_as_they_are(folder: Path) -> None:
    text = "graph(%x : Tensor):\n  %y : Tensor = aten::neg(%x)\n  return ((%y, None, {}))\n"
    (folder / "a.txt").write_text(text.format('"one"'))
    (folder / "b.txt").write_text(text.format('"two"'))
    (folder / "c.txt").write_text(text.format("None"))
    given = ["--input", "text:1,2:float32"]
    program("compare", "a.txt", "a.txt", *given, folder=folder)
    for other in ["b.txt", "c.txt"]:
        first, none, last = json.loads(program("compare", "a.txt", other, *given, "--json", folder=folder, code=3).stdout)["results"]
        assert first["max_abs"] == 0 and none["equal"] and not last["equal"] and "one" in last["a"]


def test_compare_says_what_is_missing(folder: Path) -> None:
    text = "graph(%x : Tensor):\n  %a : Tensor = aten::neg(%x)\n  {}return (%{})\n"
    (folder / "short.txt").write_text(text.format("", "a"))
    (folder / "long.txt").write_text(text.format("%b : Tensor = aten::abs(%a)\n  ", "b"))
    line = r"first difference: %\S+ = aten::abs\(%\S+\) is missing in the "
    assert re.search(line + "second", program("compare", "long.txt", "short.txt", folder=folder, code=3).stdout)
    assert re.search(line + "first", program("compare", "short.txt", "long.txt", folder=folder, code=3).stdout)


def test_numbers_that_are_none_are_usage(folder: Path) -> None:
    given = ["two.txt", "--input", "random", "--input", "random"]
    for seed in ["99999999999999999999999", "-1", "x", "1.5"]:
        said = error("run", *given, f"--seed={seed}", folder=folder, code=2)
        assert "from 0 to 18446744073709551615" in said and seed in said
    program("run", *given, "--seed", "18446744073709551615", folder=folder)
    for option in ["--rtol", "--atol"]:
        for value in ["nan", "-1", "inf", "x"]:
            assert "of at least 0" in error("compare", "two.txt", "two.txt", f"{option}={value}", folder=folder, code=2)
    for value in ["nan", "0", "1e9"]:
        assert "from 0.001 to 3600" in error("bench", *given, f"--seconds={value}", folder=folder, code=2)


def test_json_holds_what_it_can(folder: Path) -> None:
    import monograph as torch

    torch.fx.symbolic_trace(torch.nn.Linear(8, 3)).graph.save(folder / "net.mgraph")
    torch.fx.symbolic_trace(lambda x: x * 2 + 1).graph.save(folder / "plain.mgraph")
    said = error("convert", "net.mgraph", "net.json", "--function", "forward", folder=folder)
    assert "forward needs the module's weight" in said and "leave out --function" in said and not (folder / "net.json").exists()
    assert "has no elements for" in program("convert", "net.mgraph", "net.json", folder=folder).stderr
    assert "has no elements in this file" in re.sub(r"\s+", " ", program("doctor", "net.json", folder=folder, code=3).stdout)
    said = error("convert", "net.mgraph", "one.txt", "--function", "forward", folder=folder)
    assert "leave out --function" in said
    program("convert", "plain.mgraph", "plain.json", folder=folder)
    program("compare", "plain.mgraph", "plain.json", folder=folder)
    program("run", "plain.json", "--input", "text:1,2:float32", folder=folder)
    # A text holds only the hash of large weights: said when it is written, when it is checked and when it runs.
    assert "has no elements for" in program("convert", "net.mgraph", "net.txt", folder=folder).stderr
    assert "has no elements in this file" in re.sub(r"\s+", " ", program("doctor", "net.txt", folder=folder, code=3).stdout)
    assert "the graph has no weights" in error("run", "net.txt", "--input", "random:2x8", folder=folder)
    (folder / "alone.txt").write_text('graph(%x : Tensor):\n  %w : Tensor = get_attr["w"]()\n  return (%w)\n')
    assert "no module in the file has it" in re.sub(r"\s+", " ", program("doctor", "alone.txt", folder=folder, code=3).stdout)
    assert "use the .mgraph file, which holds them" in error("run", "alone.txt", "--input", "random:2", folder=folder)


def test_json_holds_modules(folder: Path) -> None:
    import monograph as torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(2, 3)
            self.register_buffer("shift", torch.tensor(0.5), persistent=False)

        def forward(self, x):
            return self.fc(x).relu() + self.shift

    net = torch.nn.Sequential(Net(), torch.nn.BatchNorm1d(3)).eval()
    torch.fx.symbolic_trace(net).graph.save(folder / "net.mgraph")
    program("convert", "net.mgraph", "net.json", folder=folder)
    program("convert", "net.json", "again.json", folder=folder)
    assert (folder / "net.json").read_bytes() == (folder / "again.json").read_bytes()
    assert program("print", "net.mgraph", folder=folder).stdout == program("print", "net.json", folder=folder).stdout
    assert json.loads(program("print", "net.mgraph", "--form", "json", folder=folder).stdout) == json.loads(
        (folder / "net.json").read_text()
    )
    program("compare", "net.mgraph", "net.json", "--input", "random:4x2", folder=folder)
    loaded = torch.load_graph(folder / "net.json")
    x = torch.randn(4, 2)
    assert torch.equal(loaded(x), net(x)) and loaded.state_dict().keys() == {*net.state_dict(), "0.shift"}
    data = json.loads((folder / "net.json").read_text())
    for change, words in [
        (lambda d: d["modules"][0]["values"].pop(), "a module has .* values, its class .* attributes"),
        (lambda d: d["modules"][0].update({"class": "Other"}), "there is no class Other"),
        (lambda d: d.update(root=99), "there is no module 99 among"),
        (lambda d: d.update(classes=3), 'expected a list as "classes"'),
        (lambda d: d["classes"][0]["attributes"][0].update(kind="a b"), "expected the kind of an attribute"),
        (lambda d: d["classes"][0].update(name=None), 'expected a text as "name"'),
        (lambda d: d["functions"].__setitem__(0, 1), "expected an object"),
        (lambda d: d.update(format=9), "9"),
    ]:
        wrong = copy.deepcopy(data)
        change(wrong)
        (folder / "wrong.json").write_text(json.dumps(wrong))
        assert re.search(words, error("info", "wrong.json", folder=folder))


def test_print_shows_the_program_first(folder: Path) -> None:
    import monograph as torch

    torch.fx.symbolic_trace(torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(20)])).graph.save(folder / "net.mgraph")
    lines = program("print", "net.mgraph", folder=folder).stdout.splitlines()
    assert lines[0] == "monograph 1" and lines[1].startswith("graph")
    assert [k for k, line in enumerate(lines) if line.startswith("class ")][0] > [k for k, line in enumerate(lines) if "return" in line][0]
    (folder / "net.txt").write_text("\n".join(lines))
    program("compare", "net.mgraph", "net.txt", folder=folder)


def test_info_and_doctor_tell_one_hash(folder: Path) -> None:
    import monograph as torch

    graph = torch.fx.symbolic_trace(torch.nn.Linear(8, 3)).graph
    graph.save(folder / "net.mgraph")
    (folder / "several.txt").write_text(
        "".join(f"graph {name}(%x : Tensor):\n  %y : Tensor = aten::{name}(%x)\n  return (%y)\n" for name in ("neg", "abs"))
    )
    for file, hashes in [("net.mgraph", {graph.hash()}), ("several.txt", None)]:
        doctor = json.loads(program("doctor", file, "--json", folder=folder).stdout)[file]["hash"]["result"]
        info = json.loads(program("info", file, "--json", folder=folder).stdout)["hash"]
        assert doctor == info and doctor in program("info", file, folder=folder).stdout
        assert hashes is None or {doctor} == hashes


def test_python_that_convert_writes_runs(folder: Path) -> None:
    import monograph as torch

    def f(x, n=2.5):
        b = x.shape[0]
        y = x.view(b * 2, 2)[:b].to(torch.float64) + torch.zeros(b, 2) + torch.tensor([1.0, float("inf")])
        y[0] = 7
        y = torch.cond(y.sum() > 0, lambda a: a * 2, lambda a: a - 1, (y,))
        i, y = torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * n), (torch.tensor(0), y))
        return (y, tuple(x.max(1))), [x.relu().fill_(3), torch.zeros(2, device="cpu")]

    x = torch.randn(4, 4)
    graph = torch.jit.trace(f, x, strict=False).inlined_graph
    graph.save(folder / "f.mgraph")
    program("convert", "f.mgraph", "f.py", folder=folder)
    names: dict[str, object] = {}
    exec((folder / "f.py").read_text(), names)
    made, wanted = names["forward"](None, x), graph(x)  # type: ignore[operator]
    assert str(made) == str(wanted)
    (folder / "two_functions.txt").write_text(
        "graph half(%x.1 : Tensor, %if : Tensor):\n  %sum : Tensor = aten::add(%x.1, %if)\n  %y : Tensor = aten::mul(%sum, 0.5)\n  return (%y)\n"
        "graph forward(%x : Tensor, %self : Tensor):\n  %y : Tensor = half(%x, %self)\n  return (%y)\n"
    )
    program("convert", "two_functions.txt", "two_functions.py", folder=folder)
    exec((folder / "two_functions.py").read_text(), names)
    assert names["forward"](None, torch.ones(1), torch.ones(1) * 3).item() == 2  # type: ignore[operator]


def test_a_guard_is_checked_by_the_python_that_convert_writes(folder: Path) -> None:
    import monograph as torch

    traced = torch.jit.trace(lambda x: x * int(x[0]) if x.shape[0] == 2 else x, torch.tensor([2.0, 3.0]), check_trace=False, control_flow="guard")
    traced.inlined_graph.save(folder / "g.mgraph")
    program("convert", "g.mgraph", "g.py", folder=folder)
    names: dict[str, object] = {}
    exec((folder / "g.py").read_text(), names)
    assert names["forward"](None, torch.tensor([2.0, 5.0])).tolist() == [4, 10]  # type: ignore[operator]
    for other in (torch.tensor([3.0, 5.0]), torch.tensor([2.0, 5.0, 1.0])):
        with pytest.raises(AssertionError, match="the graph was captured where"):
            names["forward"](None, other)  # type: ignore[operator]


def test_a_program_that_computes_gradients_itself(folder: Path) -> None:
    import monograph as torch

    def by_backward(x):
        x = x.detach().clone().requires_grad_()
        (x * x).sum().backward()
        return x.grad

    def by_grad(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad((x * x).sum(), x)[0]

    def step(x):
        w = torch.zeros(2, requires_grad=True)
        for _ in range(2):
            (g,) = torch.autograd.grad(((w - x) ** 2).sum(), w)
            w = (w - 0.25 * g).detach().requires_grad_()
        return w

    x = torch.tensor([1.0, 2.0])
    for f in (by_backward, by_grad, step):
        torch.jit.trace(f, x, check_trace=False).save(folder / "traced.mgraph")
        files = ["traced.mgraph"]
        if f is by_backward:
            torch.jit.save(torch.fx.symbolic_trace(f), folder / "symbolic.mgraph")
            files.append("symbolic.mgraph")
        for file in files:
            program("run", file, "--input", "text:3.0,5.0", "--output", "y.npy", folder=folder)
            assert np.load(folder / "y.npy").tolist() == f(torch.tensor([3.0, 5.0])).tolist()
            program("bench", file, "--input", "text:3.0,5.0", "--runs", 2, folder=folder)
            program("compare", file, file, "--input", "text:3.0,5.0", folder=folder)


def test_files_that_pytorch_wrote_are_named(folder: Path) -> None:
    files = ROOT / "tests" / "data" / "files"
    for name, words in [
        ("checkpoint.pt", "PyTorch checkpoint"),
        ("arrays.npz", "npz archive of NumPy arrays"),
    ]:
        for verb in ("info", "doctor", "print"):
            done = subprocess.run([PROGRAM, verb, files / name], capture_output=True, text=True, check=False)
            said = re.sub(r"\s+", " ", done.stdout + done.stderr)
            reads = verb != "print" and name == "checkpoint.pt"  # they look at the tensors
            assert (
                done.returncode in ((0,) if reads else (1, 3))
                and "damaged" not in said
                and ("NumPy" if verb != "info" and "npz" in words else words) in said
            ), said


def test_doctor_checks_the_checksums_of_checkpoints(folder: Path) -> None:
    good = (ROOT / "tests" / "data" / "files" / "checkpoint.pt").read_bytes()
    (folder / "good.pt").write_bytes(good)
    assert "checksums agree" in re.sub(r"\s+", " ", program("doctor", "good.pt", folder=folder).stdout)
    with zipfile.ZipFile(folder / "good.pt") as archive:
        entry = next(e for e in archive.infolist() if "/data/" in e.filename)
        content = archive.read(entry)
    at = good.index(content)
    (folder / "bad.pt").write_bytes(good[:at] + bytes([content[0] ^ 1]) + good[at + 1 :])
    assert "does not match its checksum" in re.sub(r"\s+", " ", program("doctor", "bad.pt", folder=folder, code=3).stdout)


def test_paths_that_cannot_be_looked_at(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    for path in ("loop", "a" * 5000):
        said = error("run", "two.txt", "--input", path, folder=folder)
        assert "cannot open the file" in said and "bug in Monograph" not in said
    assert "set the environment variable TMPDIR" in program("tour", folder=folder, code=1, env={"TMPDIR": "/nonexistent"}).stderr


def test_a_pipe_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "expected a regular file, but it is a pipe; write what comes from it to a file first" in error("info", "pipe", folder=folder)
    assert "it is a folder" in error("info", ".", folder=folder)


def test_ctrl_c_ends_a_loop(folder: Path) -> None:
    (folder / "loop.txt").write_text(
        "graph forward(%x : Tensor):\n  %r : Tensor = prim::Loop(1000000000, True, %x)\n    block0(%i : int, %c : Tensor):\n"
        "      %d : Tensor = aten::mul(%c, 1.0)\n      -> (True, %d)\n  return (%r)\n"
    )
    with interruptible([PROGRAM, "run", "loop.txt", "--input", "text:1,2:float32"], cwd=folder) as process:
        time.sleep(0.5)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGINT


def test_recursion_is_refused_before_it_runs(folder: Path) -> None:
    (folder / "self.txt").write_text("graph forward(%x : Tensor):\n  %a : Tensor = forward(%x)\n  return (%a)\n")
    assert "a function calls itself: forward -> forward" in error("run", "self.txt", "--input", "text:1,2:float32", folder=folder)


def test_later_formats_are_refused_with_their_number(folder: Path) -> None:
    (folder / "later.txt").write_text("monograph 7\n" + ONE.format("add"))
    (folder / "later.json").write_text('{"format": 7}')
    (folder / "none.json").write_text("{}")
    (folder / "cut.json").write_text('{"format": 1, "nodes": [')
    for file, words in {
        "later.txt": "expected format 1, but this text has format 7",
        "later.json": "expected format 1, but this JSON has format 7",
        "none.json": 'an object lacks "format"',
        "cut.json": "the text ends too early",
    }.items():
        said = error("info", file, folder=folder)
        assert words in said and "json.exception" not in said, said


def test_torchscript_text_of_a_trace_reads_back(folder: Path) -> None:
    import monograph as torch

    x = torch.ones(2, 3, 4, 5)
    torch.jit.trace(lambda x: x.mean((2, 3)) + x.sum(1).mean(), (x,)).inlined_graph.save(folder / "mean.mgraph")
    (folder / "again.txt").write_text(program("print", "mean.mgraph", "--form", "torchscript", folder=folder).stdout)
    program("compare", "mean.mgraph", "again.txt", folder=folder)
    program("compare", "mean.mgraph", "again.txt", "--input", "random:2x3x4x5", folder=folder)


def test_bench_says_how_many_runs(folder: Path) -> None:
    inputs = ["--input", "random", "--input", "random"]
    done = program("bench", "two.txt", "two.txt", *inputs, "--runs", "7", folder=folder)
    assert "7 runs each, interleaved" in done.stdout and "ratio" in done.stdout
    figures = json.loads(program("bench", "two.txt", "--runs", "9", "--json", folder=folder).stdout)["results"][0]
    assert figures["runs"] == 9 and 0 < figures["fastest"] <= figures["median"] <= figures["ninetieth"]


def test_doctor_checks_files(folder: Path) -> None:
    program("convert", "tour.txt", "tour.mgraph", folder=folder)
    assert "checksums" in program("doctor", "tour.mgraph", folder=folder).stdout
    good = (folder / "tour.mgraph").read_bytes()
    at = good.index(b"aten::sum") + 6
    (folder / "bad.mgraph").write_bytes(good[:at] + b"S" + good[at + 1 :])
    done = program("doctor", "tour.mgraph", "bad.mgraph", folder=folder, code=3)
    assert "WRONG" in done.stdout
    (folder / "invalid.txt").write_text(TEXT.replace("aten::add.Tensor(%x, %y)", 'aten::add.Tensor(%x, "y")'))
    done = program("doctor", "invalid.txt", folder=folder, code=3)
    assert "WRONG reads invalid.txt: the graph forward is not valid" in re.sub(" +", " ", done.stdout)


SCRIPTS = """
import monograph as torch


@torch.jit.script
def taken_apart(x):
    if x.sum() > 0:
        y = [x, x]
    else:
        raise ValueError("no")
    a, b = y
    return torch.cat([a, b]) * 2, [1, 2]


@torch.jit.script
def of_one_way(x):
    if x.sum() > 0:
        y = x * 2
        x = y + 1
    return x


for f in (taken_apart, of_one_way):
    f.save(f.name + ".mgraph")
"""


def test_doctor_knows_what_a_script_is_made_of(folder: Path) -> None:
    """A graph has nodes that are no operators, such as prim::ListConstruct and the value that a variable lacks after a `raise`."""
    (folder / "script.py").write_text(SCRIPTS)
    subprocess.run([sys.executable, "script.py"], cwd=folder, check=True)
    for name in ("taken_apart", "of_one_way"):
        assert "WRONG" not in program("doctor", f"{name}.mgraph", folder=folder).stdout
    assert "prim::Uninitialized" in program("print", "taken_apart.mgraph", folder=folder).stdout
    assert "prim::Uninitialized" not in program("print", "of_one_way.mgraph", folder=folder).stdout  # nobody reads y after the `if`


def test_an_object_that_a_script_makes_is_json(folder: Path) -> None:
    (folder / "script.py").write_text(
        "import monograph as torch\n\n\n@torch.jit.script\nclass Counter:\n    def __init__(self, n: int):\n        self.n = n\n\n\n"
        "@torch.jit.script\ndef f(n: int):\n    return Counter(n).n + 1\n\n\nf.save('f.mgraph')\n"
    )
    subprocess.run([sys.executable, "script.py"], cwd=folder, check=True)
    program("convert", "f.mgraph", "f.json", folder=folder)
    program("compare", "f.mgraph", "f.json", folder=folder)


def test_doctor_checks_every_kernel(folder: Path) -> None:
    found = json.loads(program("doctor", "--json", folder=folder).stdout)
    assert found["fine"]
    kernels = next(value for key, value in found.items() if key.startswith("kernels"))
    assert len(kernels) > 5 and all(row["fine"] for row in kernels.values())


def test_a_full_disk_is_told(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "print", "tour.txt"], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_colour_only_on_a_terminal_and_without_no_color(folder: Path) -> None:
    def shown(**env: str) -> bytes:
        main, other = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "tour"],
            cwd=folder,
            stdout=other,
            stderr=other,
            env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **env},
        )
        os.close(other)
        data = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                part = b""
            if not part:
                break
            data += part
        os.close(main)
        assert process.wait() == 0
        return data

    assert b"\033[" in shown()
    assert b"\033[" not in shown(NO_COLOR="1")
    assert b"\033[" not in shown(TERM="dumb")
    assert "\033[" not in program("tour", folder=folder).stdout


def test_a_text_does_not_end_at_a_nul(tmp_path):
    text = "graph[level=operator](%x):\n  %y = aten::relu(%x)\n  return (%y)\n"
    (tmp_path / "g.txt").write_text(text + "\0")
    assert "line 4, column 1: expected" in program("print", "g.txt", folder=tmp_path, code=1).stderr


def test_doctor_of_a_python_program(folder: Path) -> None:
    (folder / "prog.py").write_text("import torch\ntorch.ones(2)\ntorch.cudnn_convolution\n")
    (folder / "good.py").write_text("import torch\ntorch.ones(2)\n")
    env = {"MONOGRAPH_PYTHON": sys.executable}
    assert "torch.cudnn_convolution  prog.py:3" in program("doctor", "prog.py", folder=folder, code=3, env=env).stdout
    found = json.loads(program("doctor", "good.py", "--json", folder=folder, env=env).stdout)
    assert found["fine"] and [row["name"] for row in found["program"]] == ["torch.ones"]
    said = program("doctor", "prog.py", folder=folder, code=1, env={"MONOGRAPH_PYTHON": "/nowhere/python"}).stderr
    assert "no Python was found to read it" in said and "Set MONOGRAPH_PYTHON" in said
    assert "one Python program at a time" in program("doctor", "prog.py", "good.py", folder=folder, code=1, env=env).stderr
