"""What modules of packages write in scripts, in the smallest programs: each is a cause for which such a module did not compile, or computed another value than
PyTorch 2.13."""

from __future__ import annotations

import io
from typing import List, NamedTuple, Optional, Tuple  # noqa: UP035

import monograph as torch
import pytest
from monograph import Tensor, nn


def again(scripted):
    """The same out of an archive."""
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    return torch.jit.load(file)


def both(f, *args):
    """The results of the script, which are those of its archive too."""
    scripted = torch.jit.script(f)
    result, loaded = scripted(*args), again(scripted)(*args)
    for a, b in zip(result, loaded, strict=True) if isinstance(result, tuple) else [(result, loaded)]:
        assert torch.equal(a, b) and a.dtype is b.dtype if isinstance(a, Tensor) else a == b
    return result


# --- dtypes and layouts are numbers ---------------------------------------------------------------------------------------------------


class Typed(NamedTuple):
    x: Tensor
    d: torch.dtype


def dtype_field(x):
    n = Typed(x, x.dtype)
    return n.x.to(n.d), n.d


def by_position(x, d: int):
    return x.to(d), x.to(d, True, True), x.to(dtype=d), x.to("cpu", d)


def may_be_none(x, d: Optional[torch.dtype] = None):  # noqa: UP045
    return torch.zeros(2, dtype=x.dtype if d is None else d)


def number_for_a_dtype(x, d: int):
    return may_be_none(x, d), torch.ones(2, dtype=d), x.sum(dtype=d)


def number_or_none(x, d: Optional[int] = None):  # noqa: UP045
    return torch.zeros(2, dtype=d)


def dtype_for_a_number(x):
    return number_or_none(x, x.dtype), number_or_none(x), number_or_none(x, torch.float64)


def test_the_number_of_a_dtype_stands_for_it():
    assert both(dtype_field, torch.ones(2))[1] == 6
    assert {r.dtype for r in both(by_position, torch.ones(2), 7)} == {torch.float64}
    assert {r.dtype for r in both(number_for_a_dtype, torch.ones(2), 7)} == {torch.float64}
    assert [r.dtype for r in both(dtype_for_a_number, torch.ones(2))] == [torch.float32, torch.float32, torch.float64]


# --- what Monograph lacks, in code that does not run ----------------------------------------------------------------------------------


def sparse(x, a: bool):
    if x.layout == torch.sparse_coo:
        return x * 2
    if a:
        return torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), x, [2, 2]).to_dense()
    return x


def sparse_method(x, a: bool):
    return x.to_sparse().to_dense() if a else x


def sparse_layout(x, a: bool):
    return torch.zeros(2, layout=torch.sparse_coo) if a else x


def sparse_product(x, a: bool):
    if a:
        return torch.sparse.mm(x, x, "sum")
    return torch.sparse.mm(x, x)


@pytest.mark.parametrize(("f", "words"), [
    (sparse, "lacks the operator aten::sparse_coo_tensor"), (sparse_method, "lacks the operator aten::to_sparse"), (sparse_layout, "no sparse tensors"),
    (sparse_product, "needs a sparse matrix"),
])  # fmt: skip
def test_what_is_missing_raises_where_it_runs(f, words):
    x = torch.eye(2)
    scripted = torch.jit.script(f)
    assert torch.equal(scripted(x, False), x) and torch.equal(again(scripted)(x, False), x)
    with pytest.raises((RuntimeError, NotImplementedError), match=f"{words}(.|\n)*test_script_of_packages.py:"):
        scripted(x, True)


def test_where_it_always_runs_it_is_an_error_of_the_compiler():
    def f(x):
        return x.to_sparse()

    with pytest.raises(RuntimeError, match="to_sparse(.|\n)*HERE"):
        torch.jit.script(f)

    def misspelled(x, a: bool):
        return x.to_spars() if a else x

    with pytest.raises(RuntimeError, match="to_spars(.|\n)*HERE"):
        torch.jit.script(misspelled)


def test_functions_that_packages_call():
    def f(x):
        torch._assert_async(x.sum() > 0, "none left")
        return torch._segment_reduce(x, "sum", offsets=torch.tensor([0, 1, 3]), initial=0)

    assert torch.jit.script(f)(torch.ones(3)).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="none left"):
        torch.jit.script(f)(-torch.ones(3))


def test_the_method_where_takes_the_condition_first():
    def f(x, c):
        return x.where(c, c), x.where(c, x.new_zeros(1))

    x, c = torch.tensor([True, True, False]), torch.tensor([False, True, True])
    assert [r.tolist() for r in both(f, x, c)] == [[False, True, False], [False, True, False]]


# --- types ----------------------------------------------------------------------------------------------------------------------------


def sizes_of(size: Optional[Tuple[int, int]]) -> List[Optional[int]]:  # noqa: UP006, UP045
    return list(size) if size is not None else [None, None]


def test_a_list_of_a_tuple_takes_the_type_that_is_wanted():
    def f(x, size: Optional[Tuple[int, int]] = None):  # noqa: UP006, UP045
        sizes = sizes_of(size)
        sizes[0] = x.shape[0]
        return sizes

    scripted = torch.jit.script(f)
    assert scripted(torch.ones(2)) == [2, None] and scripted(torch.ones(2), (5, 6)) == [2, 6]


def test_a_variable_is_narrowed_behind_a_branch_that_may_return():
    def weighted(x, w: Optional[Tensor] = None):  # noqa: UP045
        if w is None:
            if x.dtype == torch.uint8:
                return x + 1
            if x.dtype in (torch.float32, torch.float64):
                w = torch.tensor([1.0, 2.0, 3.0], dtype=x.dtype)
            else:
                raise TypeError("unknown")
        else:
            w = w * 2
        a, b, c = w.unbind()
        return x * a + b + c

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        def forward(self, x):
            return weighted(x, w=self.w)

    assert torch.jit.script(Net())(torch.ones(2)).tolist() == [6, 6] and torch.jit.script(weighted)(torch.ones(2), torch.ones(3)).tolist() == [6, 6]


def test_what_item_gives_is_a_bound_of_a_slice():
    def f(x, s):
        n = s[0].item()
        k = min(3, n)
        return x[4 - k :], x[:n]

    assert [r.tolist() for r in both(f, torch.arange(6), torch.tensor([2]))] == [[2, 3, 4, 5], [0, 1]]


# --- modules --------------------------------------------------------------------------------------------------------------------------


def test_the_default_of_getattr_is_compiled_where_the_attribute_is_missing():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()
            self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

        def forward(self, x):
            for i, layer in enumerate(self.layers):
                x = getattr(self, "act", nn.ReLU())(layer(x)) if i < 1 else layer(x)
            return x + 1 if getattr(self, "residual", False) else x

    net = Net()
    assert torch.equal(torch.jit.script(net)(torch.ones(2, 2)), net(torch.ones(2, 2)))


def test_a_list_of_modules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])

        def forward(self, x):
            first, *others = list(self.layers)
            x = first(x)
            for other in others:
                x = other(x)
            return x

    net = Net()
    assert torch.equal(torch.jit.script(net)(torch.ones(2, 2)), net(torch.ones(2, 2)))


def test_a_graph_module_as_a_part():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.g = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))

        def forward(self, x):
            return self.g(x) + 1

    net = Net()
    scripted = torch.jit.script(net)
    assert torch.equal(scripted(torch.ones(2, 2)), net(torch.ones(2, 2))) and torch.equal(again(scripted)(torch.ones(2, 2)), net(torch.ones(2, 2)))


class Halves(nn.Module):
    def forward(self, x):
        return x / 2


class Prepared(nn.Module):
    def forward(self, x):
        return [f(x) for f in (torch.relu,)]

    def __prepare_scriptable__(self):
        return Halves()


def test_prepare_scriptable_gives_what_is_compiled():
    assert torch.jit.script(Prepared())(torch.ones(2)).tolist() == [0.5, 0.5]
    net = nn.Sequential(nn.ReLU(), Prepared())
    assert torch.jit.script(net)(torch.ones(2)).tolist() == [0.5, 0.5]


# --- what a trace saves ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [
    lambda x: torch.div(7.5, x, rounding_mode="floor"), lambda x: torch.div(7, x, rounding_mode="trunc"), lambda x: torch.div(7, x, rounding_mode=None),
    lambda x: torch.div(7, x), lambda x: torch.add(2, x, alpha=3), lambda x: torch.sub(2, x, alpha=2), lambda x: torch.floor_divide(7, x),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8])
def test_a_number_in_front_of_a_tensor_is_saved(f, dtype):
    x = torch.tensor([1, 2, 3]).to(dtype)
    for given in (x, x[1]):
        traced = torch.jit.trace(f, (given,))
        saved = again(traced)(given)
        assert torch.equal(saved, f(given)) and saved.dtype is f(given).dtype


def dims_in_tuples(x, y):
    return torch.tensordot(x, y, dims=((0, 1), (0, 1)), out=None)


def values_of_a_sparse_tensor(x, a: bool, size: Optional[List[int]] = None):  # noqa: UP006, UP045
    if a:
        x = torch.sparse_coo_tensor(x.indices(), x.values(), size=tuple(size) if size is not None else None)
    return x


def test_what_stands_inside_of_a_call_that_does_not_run():
    assert both(dims_in_tuples, torch.ones(2, 3), torch.ones(2, 3)).item() == 6
    scripted = torch.jit.script(values_of_a_sparse_tensor)
    assert scripted(torch.ones(2), False).tolist() == [1, 1]
    with pytest.raises(NotImplementedError, match="lacks the operator"):
        scripted(torch.ones(2), True)
