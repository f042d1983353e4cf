"""Layouts in scripts: all tensors of Monograph are dense, and programs ask whether they are. What stands behind a question that is never true need not compile."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

Tensor = torch.Tensor
LAYOUTS = ["strided", "sparse_coo", "sparse_csr", "_mkldnn", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged"]


def compared(x: Tensor):
    return (
        x.layout == torch.strided,
        x.layout == torch.sparse_coo,
        x.layout != torch.sparse_csr,
        x.layout == torch.sparse_csc or x.layout == torch.sparse_bsr,
        x.layout != torch.sparse_bsc and x.layout != torch.jagged,
        x.layout == x.t().layout,
        x.is_sparse,
        x.is_sparse_csr,
    )


def kept(x: Tensor):
    layout = x.layout
    return torch.zeros_like(x, layout=layout) + torch.ones(2, layout=layout)


def is_sparse(src: Tensor) -> bool:
    if isinstance(src, Tensor):
        if src.layout == torch.sparse_coo:
            return True
        if src.layout == torch.sparse_csr:
            return True
        if src.layout == torch.sparse_csc:
            return True
    return False


def with_branches(x: Tensor, flag: bool):
    y = x * 2
    if is_sparse(x):
        y = y.coalesce().values()
        assert y.dim() == 1
    elif x.is_sparse_csr:
        return x.crow_indices()
    else:
        y = y + 1
    for _ in range(2):
        if x.layout == torch.sparse_coo and flag:
            y = y._nnz() + y
        y = y + 1
    return y


def refuses(x: Tensor):
    if x.is_sparse:
        raise ValueError("a dense tensor is needed")
    return x + 1


def to_dense(x: Tensor):
    if x.layout == torch.sparse_coo:
        x = x * 3
    return x


ASKED = [compared, kept, is_sparse, refuses, to_dense]


@pytest.mark.parametrize("function", ASKED, ids=lambda f: f.__name__)
def test_a_script_asks_for_layouts(function: Any, tmp_path: Path):
    x = torch.arange(4.0).reshape(2, 2)
    script = torch.jit.script(function)
    torch.jit.save(script, tmp_path / "f.pt")
    script.save(tmp_path / "f.mgraph")
    for f in (script, torch.jit.load(tmp_path / "f.pt"), torch.load_graph(tmp_path / "f.mgraph")):
        got, expected = f(x), function(x)
        assert torch.equal(got, expected) if isinstance(expected, Tensor) else got == expected


def test_what_no_tensor_reaches_need_not_compile(tmp_path: Path):
    x = torch.arange(4.0).reshape(2, 2)
    script = torch.jit.script(with_branches)
    torch.jit.save(script, tmp_path / "f.pt")
    script.save(tmp_path / "f.mgraph")
    for f in (script, torch.jit.load(tmp_path / "f.pt"), torch.load_graph(tmp_path / "f.mgraph")):
        for flag in (True, False):
            assert torch.equal(f(x, flag), with_branches(x, flag))


def test_what_tensors_reach_raises():
    def f(x: Tensor):
        if x.layout == torch.strided:
            return x.coalesce()
        return x

    with pytest.raises(NotImplementedError, match="lacks the operator aten::coalesce of PyTorch"):
        torch.jit.script(f)(torch.ones(2))


@pytest.mark.oracle
def test_pytorch_runs_both_sides(oracle: Any, tmp_path: Path):
    """A branch that compiled stays; one that did not raises for the tensors that Monograph does not have."""
    paths = []
    for f in (*ASKED, with_branches):
        paths.append(str(tmp_path / f"{f.__name__}.pt"))
        torch.jit.save(torch.jit.script(f), paths[-1])
    x = torch.arange(4.0).reshape(2, 2)
    answers = oracle.run(
        "result = []\n"
        "for path in paths:\n"
        "    f = torch.jit.load(path)\n"
        "    more = [True] if path.endswith('with_branches.pt') else []\n"
        "    for given in (x, x.to_sparse()):\n"
        "        try:\n"
        "            result.append(f(given, *more))\n"
        "            result[-1] = result[-1].to_dense() if isinstance(result[-1], torch.Tensor) else result[-1]\n"
        "        except Exception as e:\n"
        "            result.append(str(e))\n",
        paths=paths,
        x=x.numpy(),
    )
    for f, dense, sparse in zip((*ASKED, with_branches), answers[::2], answers[1::2], strict=True):
        more = [True] if f is with_branches else []
        expected = f(x, *more)
        assert (torch.as_tensor(dense) == expected).all() if isinstance(expected, Tensor) else tuple(dense) == expected if isinstance(expected, tuple) else dense == expected
        if f is compared:
            assert tuple(sparse) == (False, True, True, False, True, True, True, False)
        elif f is is_sparse:
            assert sparse is True
        elif f is refuses:
            assert "a dense tensor is needed" in sparse
        elif f is to_dense:
            assert (torch.as_tensor(sparse) == 3 * x).all()
        elif f is with_branches:
            assert "this branch was not compiled, because Monograph has no such tensors" in sparse and "coalesce" in sparse


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_values(name: str):
    layout = getattr(torch, name)
    assert isinstance(layout, torch.layout) and repr(layout) == f"torch.{name}"
    assert pickle.loads(pickle.dumps(layout)) is layout and copy.deepcopy(layout) is layout
    assert (layout == torch.strided) == (name == "strided") == (torch.ones(1).layout == layout)
    assert len({getattr(torch, n) for n in LAYOUTS}) == len(LAYOUTS)


def test_no_tensor_is_made_with_another_layout():
    for layout in (torch.sparse_coo, torch.sparse_csr):
        with pytest.raises(NotImplementedError, match=rf"layout={layout!r}: all tensors of Monograph are dense; leave layout out"):
            torch.zeros(2, layout=layout)
        with pytest.raises(NotImplementedError, match="all tensors of Monograph are dense"):
            torch.zeros_like(torch.ones(1), layout=layout)

    def made():
        return torch.ones(2, layout=torch.sparse_coo)

    with pytest.raises(RuntimeError, match="the layout with PyTorch's number 1 is one of sparse tensors"):  # a script has its number
        torch.jit.script(made)()


def number(x: Tensor) -> tuple[int, bool, list[int]]:
    n: int = x.layout
    return n, n == torch.sparse_coo, [torch.sparse_coo, torch.sparse_csr, torch._mkldnn, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc, torch.jagged]


def test_a_layout_is_an_int(tmp_path: Path):
    """As in TorchScript. The layout of a tensor is torch.strided where a script returns it as it is."""
    script = torch.jit.script(number)
    torch.jit.save(script, tmp_path / "f.pt")
    for f in (script, torch.jit.load(tmp_path / "f.pt")):
        assert f(torch.ones(1)) == (0, False, [1, 2, 3, 4, 5, 6, 7])
