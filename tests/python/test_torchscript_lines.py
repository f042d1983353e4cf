"""Archives that Monograph writes say from which lines of the user's program their code comes (NAME.py.debug_pkl). Live PyTorch shows these lines in its errors, and so
does Monograph."""

from __future__ import annotations

import importlib.util
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

PROGRAM = '''
import torch
from torch import nn, Tensor


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 2))

    def forward(self, x: Tensor, deep: bool):
        y = torch.relu(x)
        if deep:
            for k in range(2):
                y = y + y.mm(
                    self.weight  # in a loop
                ).sum()
        return torch.mm(y, self.weight)  # at the end

    @torch.jit.export
    def checked(self, x: Tensor) -> Tensor:
        if x.dim() != 2:
            raise ValueError("two dims are needed")  # raised
        return x


class Switching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        if self.training:
            return x.mm(x) + 1  # in training
        return x.mm(x) - 1  # in evaluation


def function(x: Tensor):
    y = x.mul(2)
    return torch.mm(y, y)  # in a function


def traced(x):
    if x.sum() > 100:
        return x - 1
    y = x + 1
    return torch.mm(y, y)  # traced


class Text:
    def __init__(self, words: str):
        self.words = words

    def same(self, other: Tensor) -> Tensor:
        return other.view(7)  # in a method of a class


def with_class(x: Tensor):
    return Text("a").same(x)
'''


@pytest.fixture
def program(tmp_path: Path):
    """The module of the user's, in a file of its own, in which torch means Monograph."""
    path = tmp_path / "of_the_user.py"
    path.write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("of_the_user", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"torch": torch, "torch.nn": torch.nn, "of_the_user": module}.items():
            patch.setitem(sys.modules, name, value)
        spec.loader.exec_module(module)
        yield module


def line_of(comment: str) -> int:
    return next(k for k, line in enumerate(PROGRAM.splitlines(), 1) if f"# {comment}" in line)


def saved(tmp_path: Path, module: Any, name: str = "saved.pt") -> str:
    torch.jit.save(module, tmp_path / name)
    return str(tmp_path / name)


def debug_entries(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as z:
        return {n.partition("/")[2]: z.read(n) for n in z.namelist() if n.endswith(".debug_pkl")}


def scripts(program: Any) -> dict[str, tuple[Any, str, list[Any], str]]:
    """By name: what is saved, the method, arguments that are wrong, and the comment of the line that finds it out."""
    wide = torch.ones(2, 5)
    return {
        "end": (torch.jit.script(program.Net()), "forward", [wide, False], "at the end"),
        "loop": (torch.jit.script(program.Net()), "forward", [wide, True], "in a loop"),
        "raised": (torch.jit.script(program.Net()), "checked", [torch.ones(2)], "raised"),
        "training": (torch.jit.script(program.Switching()), "forward", [wide], "in training"),
        "evaluation": (torch.jit.script(program.Switching().eval()), "forward", [wide], "in evaluation"),
        "function": (torch.jit.script(program.function), "forward", [wide], "in a function"),
        "class": (torch.jit.script(program.with_class), "forward", [wide], "in a method of a class"),
        "traced": (torch.jit.trace(program.traced, (torch.ones(2, 2),)), "forward", [wide], "traced"),
        "traced_modes": (torch.jit.trace(program.Switching(), (torch.ones(2, 2),), check_trace=False), "forward", [wide], "in training"),
    }


def test_a_loaded_archive_knows_the_lines(program: Any, tmp_path: Path):
    for name, (module, method, args, comment) in scripts(program).items():
        path = saved(tmp_path, module, f"{name}.pt")
        assert debug_entries(path), name
        for loaded in (torch.jit.load(path), torch.jit.load(saved(tmp_path, torch.jit.load(path), "again.pt"))):
            with pytest.raises(Exception, match=r"of_the_user\.py") as raised:
                getattr(loaded, method)(*args)
            place = f"of_the_user.py:{line_of(comment)}"
            before = f"of_the_user.py:{line_of(comment) - 1}"  # the call in brackets begins a line before
            assert place in str(raised.value) or (name == "loop" and before in str(raised.value)), (name, str(raised.value))


@pytest.mark.oracle
def test_pytorch_shows_the_lines_of_the_program(program: Any, oracle: Any, tmp_path: Path):
    asked = scripts(program)
    paths = {name: saved(tmp_path, module, f"{name}.pt") for name, (module, *_) in asked.items()}
    shown = oracle.run(
        "result = {}\n"
        "for name, path in paths.items():\n"
        "    loaded = torch.jit.load(path)\n"
        "    try:\n"
        "        getattr(loaded, methods[name])(*[torch.as_tensor(a) if not isinstance(a, bool) else a for a in args[name]])\n"
        "        result[name] = 'no error'\n"
        "    except Exception as e:\n"
        "        result[name] = str(e)\n",
        paths=paths,
        methods={name: method for name, (_, method, _, _) in asked.items()},
        args={name: [a.numpy() if isinstance(a, torch.Tensor) else a for a in args] for name, (_, _, args, _) in asked.items()},
    )
    for name, (_, _, _, comment) in asked.items():
        text = shown[name]
        original = text.partition("original code (most recent call last)")[2]
        line = line_of(comment) - (name == "loop")
        assert f'of_the_user.py", line {line}, in' in original, (name, text)
        marked = original.splitlines()
        at = next(k for k, row in enumerate(marked) if "<--- HERE" in row)
        assert PROGRAM.splitlines()[line_of(comment) - 1].strip() in original, (name, original)
        assert set(marked[at].strip().removesuffix("<--- HERE").strip()) == {"~"}, (name, original)


@pytest.mark.oracle
def test_pytorch_marks_the_part_of_the_line(program: Any, oracle: Any, tmp_path: Path):
    path = saved(tmp_path, torch.jit.script(program.function))
    text = oracle.run(
        "try:\n    torch.jit.load(path)(torch.ones(2, 5))\nexcept Exception as e:\n    result = str(e)\n", path=path
    ).partition("original code")[2]
    rows = text.splitlines()
    at = next(k for k, row in enumerate(rows) if "<--- HERE" in row)
    begin, end = rows[at].index("~"), rows[at].rindex("~") + 1
    assert rows[at - 1][begin:end] == "torch.mm(y, y)"


@pytest.mark.oracle
def test_a_line_that_no_program_has_is_named_so(program: Any, oracle: Any, tmp_path: Path):
    """The trace takes the dict apart before the program runs."""

    def keyed(d):
        return d["a"] + d["b"]

    module = torch.jit.trace(keyed, ({"a": torch.ones(2), "b": torch.ones(2)},), check_trace=False, strict=False)
    path = saved(tmp_path, module)
    text = oracle.run("try:\n    torch.jit.load(path)({'a': torch.ones(2), 'c': torch.ones(2)})\nexcept Exception as e:\n    result = str(e)\n", path=path)
    original = text.partition("original code")[2]
    assert 'File "<written by Monograph>"' in original and "getitem_1 = d[\"b\"]\n    ~~~~~~~~~~~~~~~~~~ <--- HERE" in original, text


def test_files_that_an_archive_names_are_not_read(program: Any, tmp_path: Path):
    """A loaded archive may name any file. Its lines are not copied into what is saved."""
    secret = tmp_path / "secret.txt"
    secret.write_text("".join(f"password number {k}\n" for k in range(40)))
    path = saved(tmp_path, torch.jit.script(program.Net().eval()))
    forged = tmp_path / "forged.pt"
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(forged, "w") as after:
        for entry in before.infolist():
            content = before.read(entry)
            if entry.filename.endswith(".debug_pkl"):
                own, other = str(tmp_path / "of_the_user.py").encode(), str(secret).encode()
                assert own in content
                content = content.replace(len(own).to_bytes(4, "little") + own, len(other).to_bytes(4, "little") + other)
            after.writestr(entry, content)
    frozen = torch.jit.freeze(torch.jit.load(str(forged)))
    buffer = io.BytesIO()
    torch.jit.save(frozen, buffer)
    assert b"password" not in buffer.getvalue()
    assert b"secret.txt" in buffer.getvalue()


def test_without_known_lines_there_is_no_entry(tmp_path: Path):
    (tmp_path / "g.txt").write_text("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n")
    graph = torch.load_graph(tmp_path / "g.txt")
    assert all(not n.span for n in graph.nodes)
    path = saved(tmp_path, graph)
    assert not debug_entries(path)
    assert torch.jit.load(path)(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
