"""pdb in the code of a GraphModule: breakpoints that are set before it runs, by function, line and file; the lines that pdb shows."""

import gc
import linecache
import os
import pdb
import sys
from io import StringIO

import monograph as torch
import pytest
from monograph import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        y = self.fc(x)
        return torch.relu(y) + 1


def session(call: str, names: dict, *commands: str) -> str:
    """What pdb prints while it runs the call: at its first line it reads these commands."""
    out = StringIO()
    debugger = pdb.Pdb(stdin=StringIO("\n".join(commands) + "\n"), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    gc.collect()
    gc.disable()  # it would call what watches weak references, and pdb would stop there
    try:
        debugger.runcall(eval, call, names)
    finally:
        gc.enable()
        debugger.clear_all_breaks()  # they belong to the process
    return out.getvalue()


def line_of(module: fx.GraphModule, part: str) -> int:
    return next(k for k, text in enumerate(module.code.splitlines(), 1) if part in text)


@pytest.fixture
def module():
    return fx.symbolic_trace(Net())


def test_a_breakpoint_in_a_module_that_has_not_run(module):
    names = {"module": module, "x": torch.ones(2, 3)}
    text = session("module(x)", names, "break module.forward", "continue", "next", "p fc.shape", "where", "list", "continue")
    assert "Breakpoint 1 at " in text and "Blank or comment" not in text, text
    assert "torch.Size([2, 3])" in text
    assert "fc = self.fc(x);  x = None" in text  # `next` and `list` show the generated lines


@pytest.mark.parametrize("calls", [0, 1, 2])  # the first call compiles the code, further ones run a plan of it
def test_a_breakpoint_by_file_and_line(module, calls):
    x = torch.ones(2, 3)
    for _ in range(calls):
        module(x)
    where = module.forward.__code__.co_filename
    line = line_of(module, "torch.relu")
    text = session("module(x)", {"module": module, "x": x}, f"break {os.path.abspath(where)}:{line}", "continue", "p fc.shape", "continue")
    assert f"{where}({line})forward()" in text, text
    assert "-> relu = torch.relu(fc);  fc = None" in text
    assert "torch.Size([2, 3])" in text


def test_a_breakpoint_in_the_frame_by_line(module):
    line = line_of(module, "torch.relu")
    names = {"module": module, "x": torch.ones(2, 3)}
    text = session("module(x)", names, "break module.forward", "continue", f"break {line}", "continue", "p fc.shape", "continue")
    assert text.count("Breakpoint ") == 2 and "torch.Size([2, 3])" in text, text


def test_bdb_finds_the_lines_before_the_first_call(module):
    where = module.forward.__code__.co_filename
    debugger = pdb.Pdb(nosigint=True, readrc=False)
    line = line_of(module, "torch.relu")
    try:
        assert debugger.set_break(where, line) is None
        assert debugger.set_break(where, 1000) == f"Line {os.path.abspath(where)}:1000 does not exist"
    finally:
        debugger.clear_all_breaks()
        sys.settrace(None)


def test_lines_of_code_that_is_gone_are_forgotten():
    before = set(linecache.cache)
    module = fx.symbolic_trace(Net())
    module.recompile()
    module(torch.ones(2, 3))
    assert len(set(linecache.cache) - before) == 2  # of the last code, by both of its names
    del module
    gc.collect()
    assert not {name for name in set(linecache.cache) - before if "eval_with_key" in name}


def test_a_folder_that_was_written_can_be_debugged(module, tmp_path, monkeypatch):
    folder = tmp_path / "written"
    module.to_folder(folder, "Written")
    monkeypatch.syspath_prepend(tmp_path)
    from written import Written

    file = folder / "module.py"
    line = next(k for k, text in enumerate(file.read_text().splitlines(), 1) if "torch.relu" in text)
    x = torch.ones(2, 3)
    made = Written()
    text = session("made(x)", {"made": made, "x": x}, f"break {file}:{line}", "continue", "p fc.shape", "continue")
    assert f"{file}({line})forward()" in text and "torch.Size([2, 3])" in text, text
    assert torch.equal(made(x), module(x))
