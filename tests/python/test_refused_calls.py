"""Calls that PyTorch 2.13 refuses, though the tensors are empty or the result could be computed; and those beside them that it takes."""

from __future__ import annotations

import monograph as torch
import pytest

F = torch.nn.functional
NONE = torch.zeros(0, 3, dtype=torch.long)


def pivots(*rows):
    return torch.tensor(rows, dtype=torch.int32)


REFUSED = {
    "gather from nothing": (lambda: torch.gather(torch.zeros(0, 3), 7, NONE), "Dimension out of range"),
    "gather of nothing": (lambda: torch.gather(torch.zeros(2, 3), 7, NONE), "Dimension out of range"),
    "gather of nothing, out=": (lambda: torch.gather(torch.zeros(2, 3), 7, NONE, out=torch.empty(0)), "Dimension out of range"),
    "pixel_unshuffle, width": (lambda: F.pixel_unshuffle(torch.zeros(0, 4, 4, 1), 2), "to be divisible by downscale_factor"),
    "pixel_unshuffle, height": (lambda: F.pixel_unshuffle(torch.zeros(0, 4, 3, 2), 2), "to be divisible by downscale_factor"),
    "pad cuts more than there is": (lambda: F.pad(torch.ones(4), (-5, 10)), "plus negative padding -5 and 10"),
    "pad cuts more at the end": (lambda: F.pad(torch.ones(4), (10, -5)), "plus negative padding 10 and -5"),
    "pad cuts more at both ends": (lambda: F.pad(torch.ones(4), (-3, -3)), "plus negative padding -3 and -3"),
    "unfold of no rows": (lambda: F.unfold(torch.zeros(2, 1, 0, 3), 2, 2, 2, 2), "other non-zero dimensions"),
    "unfold of no columns": (lambda: F.unfold(torch.zeros(2, 1, 3, 0), 2, 2, 2, 2), "other non-zero dimensions"),
    "unfold of no channels": (lambda: F.unfold(torch.zeros(2, 0, 3, 3), 2, 2, 2, 2), "other non-zero dimensions"),
    "fold of no channels": (lambda: F.fold(torch.zeros(1, 0, 9), 4, 2), "and non-zero dimensions"),
    "one size for two dims": (lambda: F.adaptive_max_pool2d(torch.ones(1, 2, 4, 4), (2,)), r"output_size to have 2 values, but got \[2\]"),
    "one size for three dims": (lambda: F.adaptive_max_pool3d(torch.ones(1, 2, 4, 4, 4), (2,)), r"output_size to have 3 values, but got \[2\]"),
    "one size for the mean of three dims": (lambda: F.adaptive_avg_pool3d(torch.ones(1, 2, 4, 4, 4), (2,)), r"output_size to have 3 values, but got \[2\]"),
    "lu_unpack, beyond": (lambda: torch.lu_unpack(torch.eye(2), pivots(70000, 2)), "must be between 1 and LU.size.* 2, but one is 70000"),
    "lu_unpack, 0": (lambda: torch.lu_unpack(torch.eye(2), pivots(0, 2)), "must be between 1 and"),
    "lu_unpack, wide": (lambda: torch.lu_unpack(torch.ones(2, 3), pivots(3, 2)), "must be between 1 and"),
    "lu_solve, beyond": (lambda: torch.linalg.lu_solve(torch.eye(2), pivots(1, 3), torch.ones(2, 1)), "must all be smaller or equal to"),
    "lu_solve, 0": (lambda: torch.linalg.lu_solve(torch.eye(2), pivots(1, 0), torch.ones(2, 1)), "must all be greater or equal to 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name):
    call, words = REFUSED[name]
    with pytest.raises((IndexError, RuntimeError), match=words):
        call()


def test_what_stands_beside_them_is_taken():
    assert torch.gather(torch.zeros(2), 0, NONE).shape == (0, 3)
    assert torch.gather(torch.zeros(()), -1, torch.zeros(0, dtype=torch.long)).shape == (0,)
    assert F.pixel_unshuffle(torch.zeros(0, 4, 4, 2), 2).shape == (0, 4, 4, 2)
    assert F.pad(torch.ones(4), (-4, 3)).tolist() == [0, 0, 0]
    assert F.pad(torch.ones(4), (-2, -2)).shape == (0,)
    assert F.unfold(torch.zeros(0, 1, 3, 3), 2, 2, 2, 2).shape == (0, 4, 9)
    assert torch.lu_unpack(torch.eye(2), pivots(7, 7), unpack_pivots=False).L.equal(torch.eye(2))
    assert torch.lu_unpack(torch.eye(2), pivots(2, 1)).P.equal(torch.eye(2))
    b = torch.tensor([[1.0], [2.0]])
    assert torch.linalg.lu_solve(torch.eye(2), pivots(1, 1), b).tolist() == [[2.0], [1.0]]
    assert torch.linalg.lu_solve(torch.eye(2), pivots(2, 1), b).equal(b)


INDEX = torch.tensor([[1, 0], [0, 1]])
EXACT = {
    "tril": lambda x, out: torch.tril(x, out=out),
    "triu": lambda x, out: torch.triu(x, out=out),
    "gather": lambda x, out: torch.gather(x, 0, INDEX, out=out),
    "index_select": lambda x, out: torch.index_select(x, 0, INDEX[0], out=out),
    "index_add": lambda x, out: torch.index_add(x, 0, INDEX[0], x, out=out),
    "index_copy": lambda x, out: torch.index_copy(x, 0, INDEX[0], x, out=out),
    "index_reduce": lambda x, out: torch.index_reduce(x, 0, INDEX[0], x, "prod", out=out),
    "scatter": lambda x, out: torch.scatter(x, 0, INDEX, x, out=out),
    "scatter_add": lambda x, out: torch.scatter_add(x, 0, INDEX, x, out=out),
    "scatter_reduce": lambda x, out: torch.scatter_reduce(x, 0, INDEX, x, "sum", out=out),
    "take": lambda x, out: torch.take(x, INDEX, out=out),
    "take_along_dim": lambda x, out: torch.take_along_dim(x, INDEX, 0, out=out),
}


@pytest.mark.parametrize("name", EXACT)
def test_out_has_the_dtype_of_the_result(name):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for dtype in (torch.float64, torch.float16, torch.complex64, torch.int64):
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float32, but got"):
            EXACT[name](x, torch.empty(0, dtype=dtype))
    assert EXACT[name](x, torch.empty(0)).shape == (2, 2)


# What shares memory. Each call reads x and writes out; both show a part of one tensor.

PLACES = torch.tensor([[2, 0, 1], [1, 1, 0], [0, 2, 2]])
ROWS = torch.tensor([2, 0, 1])
Y = torch.arange(9.0).view(3, 3) / 2 + 1
# Of these no argument that is read may share memory with what is written.
APART = {
    "gather": lambda x, out: torch.gather(x, 0, PLACES, out=out),
    "index_select": lambda x, out: torch.index_select(x, 0, ROWS, out=out),
    "take": lambda x, out: torch.take(x, PLACES, out=out),
    "index_add": lambda x, out: torch.index_add(Y, 0, ROWS, x, out=out),
    "index_copy": lambda x, out: torch.index_copy(Y, 0, ROWS, x, out=out),
    "index_reduce": lambda x, out: torch.index_reduce(Y, 0, ROWS, x, "prod", out=out),
    "scatter": lambda x, out: torch.scatter(Y, 0, PLACES, x, out=out),
    "scatter_add": lambda x, out: torch.scatter_add(Y, 0, PLACES, x, out=out),
    "scatter_reduce": lambda x, out: torch.scatter_reduce(Y, 0, PLACES, x, "sum", out=out),
    "scatter_": lambda x, out: out.scatter_(0, PLACES, x),
    "scatter_ and add": lambda x, out: out.scatter_(0, PLACES, x, reduce="add"),
    "scatter_add_": lambda x, out: out.scatter_add_(0, PLACES, x),
    "scatter_reduce_": lambda x, out: out.scatter_reduce_(0, PLACES, x, "sum"),
    "index_add_": lambda x, out: out.index_add_(0, ROWS, x),
    "index_copy_": lambda x, out: out.index_copy_(0, ROWS, x),
    "index_reduce_": lambda x, out: out.index_reduce_(0, ROWS, x, "prod"),
    "index_put_": lambda x, out: out.index_put_((ROWS,), x),
    "put_": lambda x, out: out.put_(PLACES, x),
}
# Of these the whole of x may be written, not a part of it.
WHOLE = {
    "cumsum": lambda x, out: torch.cumsum(x, 0, out=out),
    "cumprod": lambda x, out: torch.cumprod(x, 0, out=out),
    "logcumsumexp": lambda x, out: torch.logcumsumexp(x, 0, out=out),
    "tril": lambda x, out: torch.tril(x, out=out),
    "index_add": lambda x, out: torch.index_add(x, 0, ROWS, Y, out=out),
    "index_copy": lambda x, out: torch.index_copy(x, 0, ROWS, Y, out=out),
    "scatter": lambda x, out: torch.scatter(x, 0, PLACES, Y, out=out),
    "scatter_add": lambda x, out: torch.scatter_add(x, 0, PLACES, Y, out=out),
    "scatter_reduce": lambda x, out: torch.scatter_reduce(x, 0, PLACES, Y, "sum", out=out),
}
SHARED = "refer to a single memory location|refers to a single memory location"


def parts():
    """x with a tensor that shows as much, but not the same; and what neither may change."""
    for make in (lambda base: base[1:10].view(3, 3), lambda base: base[:9].view(3, 3).t()):
        base = torch.arange(12.0) + 1
        yield base[:9].view(3, 3), make(base), base


@pytest.mark.parametrize("name", APART)
def test_what_an_index_chooses_lies_apart(name):
    x = torch.arange(9.0).view(3, 3)
    for given, out, base in (*parts(), (x, x, x), (x, x.view(3, 3), x)):
        before = base.clone()
        with pytest.raises(RuntimeError, match=SHARED):
            APART[name](given, out)
        assert base.equal(before)


@pytest.mark.parametrize("name", WHOLE)
def test_a_part_of_what_is_read_is_not_written(name):
    for x, out, base in parts():
        before = base.clone()
        with pytest.raises(RuntimeError, match=SHARED):
            WHOLE[name](x, out)
        assert base.equal(before)
    x = torch.arange(9.0).view(3, 3) + 1
    expected = WHOLE[name](x, torch.empty(0))
    assert WHOLE[name](x.clone(), (y := x.clone())) is y and y.equal(expected)
    y = x.clone()
    assert WHOLE[name](y, y).equal(expected)
    y = x.clone()
    WHOLE[name](y, y.view(3, 3))
    assert y.equal(expected)


@pytest.mark.parametrize("program", [APART["gather"], APART["scatter_add"], WHOLE["cumsum"], lambda x, out: torch.softmax(x, 0, out=out)])
def test_a_tensor_that_repeats_its_elements_is_not_written(program):
    with pytest.raises(RuntimeError, match=SHARED):
        program(torch.ones(3, 3), torch.zeros(1, 3).expand(3, 3))


def test_a_number_of_the_tensor_is_read_before():
    x = torch.arange(6.0)
    assert x.index_fill_(0, torch.tensor([0, 1]), x[3]).tolist() == [3, 3, 2, 3, 4, 5]
    x = torch.arange(6.0)
    x[x > 2] = x[0]
    assert x.tolist() == [0, 1, 2, 0, 0, 0]
    x = torch.arange(6.0)
    x[x > 2] = x[3:4]  # which it overwrites
    assert x.tolist() == [0, 1, 2, 3, 3, 3]
    x = torch.arange(6.0)
    with pytest.raises(RuntimeError, match=SHARED):
        x[torch.tensor([1, 2])] = x[0]
    with pytest.raises(RuntimeError, match=SHARED):
        x.index_put_((x > 2,), x[0], accumulate=True)
    with pytest.raises(RuntimeError, match=SHARED):
        x[x > 3] = x[:2]
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "program",
    [
        lambda x, out: torch.softmax(x, 0, out=out),
        lambda x, out: torch.log_softmax(x, 1, out=out),
        lambda x, out: torch.sum(x, 1, out=out[2]),
        lambda x, out: torch.amax(x, 0, out=out[0]),
    ],
)
def test_rows_are_read_before_the_first_is_written(program):
    for x, out, _ in parts():
        expected = out.clone()
        program(x.clone(), expected)
        program(x, out)
        assert out.equal(expected)
