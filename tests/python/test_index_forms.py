"""x[...] and x[...] = v in captures that do not know how many dims a tensor has, beside eager mode, on several sizes."""

import monograph as torch
import pytest
from monograph import fx

SIZES = ((3, 4, 2), (2, 2, 2), (4, 2, 3), (2, 3, 5))


def cube(n, m, k):
    return torch.arange(1.0, n * m * k + 1).reshape(n, m, k)


# Masks of one, two and three dims that come from the values: a symbolic trace knows that they are bool, and nothing of their dims.
READS = {
    "mask of 2 dims and a slice": lambda x: x[x[..., 0] > 4, 1:],
    "mask of 2 dims and an int": lambda x: x[x[..., 0] > 4, 0],
    "mask of 2 dims and a negative int": lambda x: x[x.sum(-1) > 4, -1],
    "mask of 2 dims and None": lambda x: x[(x > 4).any(-1), None],
    "mask of 2 dims, None and an int": lambda x: x[(x > 4).any(-1), None, 0],
    "mask of 3 dims and None": lambda x: x[x > 4, None],
    "mask of 1 dim and slices": lambda x: x[x[:, 0, 0] > 2, :, 1:],
    "mask of 1 dim, None and an int": lambda x: x[x[:, 0, 0] > 2, None, 0],
    "mask of no dims and an int": lambda x: x[x.sum() > 0, 0],
    "mask of no dims that is false": lambda x: x[x.sum() < 0, 0, 1:],
    "a mask behind a slice": lambda x: x[:, x[0] > 1, None],
    "None, a mask and a slice": lambda x: x[None, x[..., 0] > 4, 0:1],
    "an int, a mask and a slice": lambda x: x[0, x[0, :, 0] > 1, 1:],
    "a mask and dims from the end": lambda x: x[x[..., 0] > 4, ..., 0],
    "a mask that is made of sizes": lambda x: x[torch.ones(x.shape[0], x.shape[1], dtype=torch.bool), 1:],
    "ints of a range and an int": lambda x: x[torch.arange(x.shape[0]), 0],
    "a list and a slice": lambda x: x[[0, 1], :, 1:],
}


def assigned(x):
    x[x[..., 0] > 4, 1:] = 5.0
    return x


def increased(x):
    x[x.sum(-1) > 9, 0] += 3
    return x * 2


def of_new(x):
    y = x + 1
    y[x > 4, None] = 7.0
    y[(x > 4).any(-1), 1:] *= 2
    return y, x


WRITES = {f.__name__: f for f in (assigned, increased, of_new)}


def check(f, capture):
    for size in SIZES:
        x, y = cube(*size), cube(*size)
        got, expected = capture(x), f(y)
        pairs = [(x, y), *(zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)])]
        assert all(a.shape == b.shape and torch.equal(a, b) for a, b in pairs), size


@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_masks_beside_other_items(name, tmp_path):
    f = {**READS, **WRITES}[name]
    traced = fx.symbolic_trace(f)
    traced.graph.save(tmp_path / "index.mgraph")
    for capture in (traced, torch.load_graph(tmp_path / "index.mgraph"), torch.jit.trace(f, cube(3, 4, 2)), torch.compile(f, backend="eager")):
        check(f, capture)


def test_a_saved_graph_refuses_a_mask_of_other_dims_by_line(tmp_path):
    def f(x, index):
        return x[index, 1:]

    fx.symbolic_trace(f).graph.save(tmp_path / "index.mgraph")
    loaded, x = torch.load_graph(tmp_path / "index.mgraph"), cube(3, 4, 2)
    row = torch.tensor([True, False, True])
    for index in (row, torch.tensor([0, 2]), torch.tensor(1), torch.tensor([[0, 1]])):
        assert torch.equal(loaded(x, index), f(x, index))
    for mask in (x[..., 0] > 4, x[..., :1] > 4, torch.tensor(True)):
        with pytest.raises(RuntimeError, match=r"%index is an index of one dim, and no mask of several(.|\n)*test_index_forms.py:\d+"):
            loaded(x, mask)
