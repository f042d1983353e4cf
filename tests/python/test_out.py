"""out=: factories, lists, products, and operators with several results."""

from __future__ import annotations

import monograph as torch
import pytest

X = torch.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
CALLS = {
    "zeros": ((2, 3), {}),
    "ones": ((2, 3), {}),
    "full": (((2,), 1.5), {}),
    "eye": ((3,), {}),
    "arange": ((5,), {}),
    "linspace": ((0.0, 1.0, 5), {}),
    "cat": (([X, X],), {"dim": 1}),
    "stack": (([X, X],), {}),
    "concat": (([X, X],), {}),
    "matmul": ((X, X.t()), {}),
    "mm": ((X, X.t()), {}),
    "bmm": ((X[None], X.t()[None]), {}),
    "addmm": ((torch.ones(2, 2), X, X.t()), {}),
    "cumsum": ((X, 1), {}),
    "cumprod": ((X, 0), {}),
    "index_select": ((X, 1, torch.tensor([2, 0])), {}),
    "index_add": ((X, 0, torch.tensor([1]), X[:1]), {}),
    "gather": ((X, 1, torch.tensor([[0], [2]])), {}),
    "nonzero": ((X,), {}),
    "argmax": ((X,), {}),
    "any": ((X, 1), {}),
    "all": ((X,), {}),
    "prod": ((X,), {}),
    "median": ((X,), {}),
    "complex": ((X, X), {}),
}
SEVERAL = {
    "max": (X, 1),
    "min": (X, 0),
    "sort": (X, 1),
    "topk": (X, 2),
    "kthvalue": (X, 2),
    "median": (X, 1),
    "cummax": (X, 1),
    "cummin": (X, 1),
}


@pytest.mark.parametrize(("name", "call"), CALLS.items())
def test_it_writes_and_returns_the_tensor(name, call):
    args, keywords = call
    expected = getattr(torch, name)(*args, **keywords)
    for out in (
        torch.empty(0, dtype=expected.dtype),
        torch.zeros_like(expected),
        torch.zeros(*expected.shape, 2, dtype=expected.dtype)[..., 0],
    ):
        version = out._version
        assert getattr(torch, name)(*args, **keywords, out=out) is out
        assert out.equal(expected) and out._version > version


@pytest.mark.parametrize(("name", "args"), SEVERAL.items())
def test_several_results_take_a_tuple(name, args):
    expected = getattr(torch, name)(*args)
    for sizes in ((0,), expected[0].shape):
        out = tuple(torch.empty(sizes, dtype=e.dtype) for e in expected)
        got = getattr(torch, name)(*args, out=out)
        assert all(g is o and o.equal(e) for g, o, e in zip(got, out, expected, strict=True))
        assert type(got) is type(expected)


def test_the_names_of_a_schema_are_keywords_of_the_overload():
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.ops.aten.sort.values(X, 1, values=values, indices=indices)
    assert values.equal(X.sort(1).values) and indices.equal(X.sort(1).indices)


def test_wrong_destinations():
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float32, but got float64 instead"):
        torch.mm(X, X.t(), out=torch.empty(0, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype int64, but got float32 instead"):
        torch.sort(X, out=(torch.empty(0), torch.empty(0)))
    with pytest.raises(TypeError):
        torch.sort(X, out=torch.empty(0))
    with pytest.raises(TypeError):
        torch.sort(X, out=(torch.empty(0),))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.sort(X.clone().requires_grad_(), out=(torch.empty(0), torch.empty(0, dtype=torch.int64)))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.cat([X, X], out=torch.empty(0, dtype=torch.int64))


def test_a_result_with_gaps_has_room_for_them():
    solution, residuals, singular_values = torch.empty(0), torch.empty(0), torch.empty(0)
    rank = torch.empty(0, dtype=torch.int64)
    torch.linalg.lstsq(torch.randn(2, 4, 3), torch.randn(2, 4, 2), out=(solution, residuals, rank, singular_values))
    last = sum((n - 1) * step for n, step in zip(solution.shape, solution.stride()))
    assert solution.untyped_storage().nbytes() >= (last + 1) * solution.element_size()


def test_a_factory_takes_the_dtype_of_out():
    for dtype in (torch.float64, torch.int32, torch.bool):
        assert torch.ones(2, out=torch.empty(0, dtype=dtype)).dtype == dtype
    assert torch.arange(1, 4, out=torch.empty(0, dtype=torch.float64)).tolist() == [1.0, 2.0, 3.0]
    assert torch.cat([X, X], out=torch.empty(0, dtype=torch.float64)).dtype == torch.float64


def test_a_result_may_be_what_it_is_made_of():
    x = X.clone()
    torch.cumsum(x, 1, out=x)
    assert x.equal(X.cumsum(1))
    x = X.clone()
    assert x.cumsum_(1).equal(X.cumsum(1)) and x.cumprod_(0).equal(X.cumsum(1).cumprod(0))


def test_a_list_that_holds_what_is_written_is_an_error():
    x, y = torch.randn(2, 5), torch.randn(4, 5)
    for out, parts in ((x, [x, y]), (y[:3], [y[:2], y[2:]]), (y, [y[:2], y[2:]])):
        before = [p.clone() for p in parts]
        with pytest.raises(RuntimeError, match="single memory location|cannot be resized"):
            torch.cat(parts, 0, out=out)
        assert all(a.equal(b) for a, b in zip(before, parts))


# Factories that draw: a tensor gets them in the order of its memory.
DRAWS = {
    "rand": "(3, 7)",
    "randn": "(3, 7)",
    "randint": "100, (3, 7)",
    "randint between": "-5, 9, (3, 7)",
    "randperm": "21",
    "normal": "2.0, 3.0, (3, 7)",
    "rand with a generator": "(3, 7), generator=torch.Generator().manual_seed(4)",
    "randn with a generator": "(3, 7), generator=torch.Generator().manual_seed(4)",
    "randint with a generator": "100, (3, 7), generator=torch.Generator().manual_seed(4)",
    "randperm with a generator": "21, generator=torch.Generator().manual_seed(4)",
}
INTO = {
    "of the size": "torch.ones(21, dtype=t) if one else torch.ones(3, 7, dtype=t)",
    "another size": "torch.ones(0, dtype=t)",
    "turned": "torch.ones(21, dtype=t) if one else torch.ones(7, 3, dtype=t).t()",
    "with gaps": "torch.ones(42, dtype=t)[::2] if one else torch.ones(3, 14, dtype=t)[:, ::2]",
    "float64": "torch.ones(21, dtype=torch.float64) if one else torch.ones(3, 7, dtype=torch.float64)",
}


@pytest.mark.oracle
@pytest.mark.parametrize("into", INTO)
@pytest.mark.parametrize("name", DRAWS)
def test_draws_go_into_a_tensor_as_in_pytorch(oracle, name, into):
    function, _, _ = name.partition(" ")
    setup = {"t": "torch.int64" if function in ("randint", "randperm") else "torch.float32", "one": str(function == "randperm")}
    program = "\n".join(
        [
            *(f"{k} = {v}" for k, v in setup.items()),
            "torch.manual_seed(3)",
            f"out = {INTO[into]}",
            f"same = torch.{function}({DRAWS[name]}, out=out) is out",
        ]
    )
    expected = oracle.run(program + "\nresult = [out, same, torch.rand(2)]")
    here = {"torch": torch}
    exec(program, here)
    for a, b in zip([here["out"], torch.rand(2)], [expected[0], expected[2]], strict=True):
        a = a.contiguous().numpy()
        assert a.shape == b.shape and a.dtype == b.dtype
        if function == "normal" or "randn" in name:
            torch.testing.assert_close(torch.from_numpy(a), torch.from_numpy(b.copy()), rtol=1e-6, atol=1e-6)
        else:
            assert a.tobytes() == b.copy(order="C").tobytes()
    assert here["same"] and expected[1]
