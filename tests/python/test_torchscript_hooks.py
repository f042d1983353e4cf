"""Hooks and pre-hooks of scripted modules in archives: methods that a call of the module runs and forward does not, here and in PyTorch. And the calls that lead to a
line, which errors of a loaded archive show as those of the script."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Tuple  # noqa: UP035 - as PyTorch's users write

import monograph as torch
import pytest
from monograph import Tensor, nn


class Sub(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((2,), 3.0))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sub, self.k = Sub(), 3

    def forward(self, x: Tensor) -> Tensor:
        return self.sub(x) + self.k


def doubled(self, input: Tuple[Tensor]) -> Tuple[Tensor]:  # noqa: UP006
    return (input[0] * 2,)


def looked_at(self, input: Tuple[Tensor]) -> None:  # noqa: UP006
    assert input[0].dim() == 2


def with_k(self, input: Tuple[Tensor], output: Tensor) -> Tensor:  # noqa: UP006
    return output + self.k


def one_more(self, input: Tuple[Tensor], output: Tensor):  # noqa: UP006
    return output + 1 + input[0]


def hooked() -> Any:
    net = Net()
    net.register_forward_pre_hook(doubled)
    net.register_forward_pre_hook(looked_at)
    net.register_forward_hook(with_k)
    net.sub.register_forward_hook(one_more)
    return torch.jit.script(net)


X = torch.ones(1, 2)
CALL, FORWARD, SUB, SUB_FORWARD = [[15.0, 15.0]], [[8.0, 8.0]], [[5.0, 5.0]], [[3.0, 3.0]]


def saved(scripted: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    return file


def test_a_call_runs_the_hooks_and_forward_does_not_in_the_process_and_out_of_a_file() -> None:
    scripted = hooked()
    loaded = torch.jit.load(saved(scripted))
    again = torch.jit.load(saved(loaded))
    for module in (scripted, loaded, again):
        assert (module(X).tolist(), module.forward(X).tolist()) == (CALL, FORWARD)
    for module in (loaded, again):
        assert (module.sub(X).tolist(), module.sub.forward(X).tolist()) == (SUB, SUB_FORWARD)


def test_the_archive_lists_them_as_pytorchs_does() -> None:
    with zipfile.ZipFile(saved(hooked())) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("test_torchscript_hooks.py")]
        code = archive.read(name).decode()
    assert '  __forward_pre_hooks__ = ["doubled", "looked_at", ]\n  __forward_hooks__ = ["with_k", ]\n' in code
    assert '  __forward_hooks__ = ["one_more", ]\n' in code and code.count("  def one_more(self: ") == 1


def test_hooks_that_cannot_be_methods_stay_in_forward() -> None:
    def other() -> Any:
        def with_k(self, input: Tuple[Tensor], output: Tensor) -> Tensor:  # noqa: UP006
            return output + 1

        return with_k

    net = Net()
    net.register_forward_hook(other())
    net.register_forward_hook(with_k)
    scripted = torch.jit.script(net)
    assert torch.jit.load(saved(scripted))(X).tolist() == scripted(X).tolist() == [[10.0, 10.0]]


def test_a_graph_file_has_them_in_forward(tmp_path) -> None:
    scripted = hooked()
    scripted.save(tmp_path / "net.mgraph")
    assert torch.load_graph(tmp_path / "net.mgraph")(X).tolist() == CALL


@pytest.mark.oracle
def test_pytorch_runs_them(oracle, tmp_path) -> None:
    hooked().save(tmp_path / "net.pt")
    found = oracle.run(
        f"""
loaded, x = torch.jit.load({str(tmp_path / "net.pt")!r}), torch.ones(1, 2)
result = [m.tolist() for m in (loaded(x), loaded.forward(x), loaded.sub(x), loaded.sub.forward(x))]
loaded.save({str(tmp_path / "again.pt")!r})
"""
    )
    assert found == [CALL, FORWARD, SUB, SUB_FORWARD]
    again = torch.jit.load(tmp_path / "again.pt")
    assert (again(X).tolist(), again.forward(X).tolist(), again.sub(X).tolist()) == (CALL, FORWARD, SUB)


# --- Calls.


def joined(x: Tensor, y: Tensor) -> Tensor:
    z = x * 2
    return torch.cat([z, y], 1)


class Joins(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return joined(x, y) + 1


class Holds(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.joins = Joins()

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        x = x + 1
        return self.joins(x, y)


def test_an_error_out_of_an_archive_names_the_calls_that_lead_to_it() -> None:
    scripted = torch.jit.script(Holds())
    loaded = torch.jit.load(saved(scripted))
    again = torch.jit.load(saved(loaded))
    told = []
    for module in (scripted, loaded, again):
        with pytest.raises(RuntimeError) as error:
            module(torch.ones(2, 2), torch.ones(3, 2))
        told.append(str(error.value).splitlines()[1:])
    assert [line.strip().split(" ")[0] for line in told[0]] == ["at", "in", "in"] and "in joined, which Joins.forward" in told[0][1]
    assert [line.replace(" of 'joins'", "") for line in told[1]] == [line.replace(" of 'joins'", "") for line in told[0]]
    assert told[2] == told[1]


def test_a_damaged_list_of_calls_is_passed_over() -> None:
    file = saved(torch.jit.script(Holds()))
    for content in (b"call 1 in 7 at 1 1 1 1\ta\tb\tc\n", b"call x", b"\xff\xfe", b"call 1 in 0 at 99999999999999999999 1 1 1\ta\tb\tc\ncode/__torch__.py 0:1\n"):
        altered = io.BytesIO()
        with zipfile.ZipFile(file) as old, zipfile.ZipFile(altered, "w", zipfile.ZIP_STORED) as new:
            assert any(name.endswith("extra/calls.txt") for name in old.namelist())
            for name in old.namelist():
                new.writestr(name, content if name.endswith("extra/calls.txt") else old.read(name))
        altered.seek(0)
        with pytest.raises(RuntimeError, match="Sizes of tensors"):
            torch.jit.load(altered)(torch.ones(2, 2), torch.ones(3, 2))
