"""x[...] and x[...] = v in random forms: ints, slices, None, ..., bools, lists, tensors of integers, masks of 0 to 3 dims. Beside NumPy, in eager mode and
in each capture."""

from __future__ import annotations

import random

import monograph as torch
import numpy as np
import pytest

ROUNDS = 150


def a_mask(sizes) -> np.ndarray:
    mask = np.random.rand(*sizes) < 0.6
    return np.asarray(mask)


def a_form(sizes) -> list:
    """Items of an index of an array of these sizes; the integers broadcast with what the masks choose."""
    items, d, ellipsis, chosen = [], 0, False, []
    while d < len(sizes) and random.random() < 0.85:
        kind = random.choice(["int", "slice", "all", "none", "ellipsis", "list", "ints", "mask", "mask", "mask", "flag"])
        left = len(sizes) - d
        if kind == "int":
            items.append(random.randrange(-sizes[d], sizes[d]))
        elif kind == "slice":
            items.append(slice(random.choice([None, 0, 1]), random.choice([None, -1, 3]), random.choice([None, 1, 2])))
        elif kind == "all":
            items.append(slice(None))
        elif kind == "list":
            items.append([random.randrange(sizes[d])])
        elif kind == "ints":
            items.append(np.array(random.randrange(sizes[d])).reshape(random.choice([(1,), (1, 1)])))
        elif kind == "mask":
            dims = random.randint(0, min(3, left))
            items.append(a_mask(sizes[d : d + dims]))
            chosen.append(items[-1])
            d += dims - 1
        elif kind == "flag":
            items.append(random.random() < 0.7)
            d -= 1
        else:
            if kind == "ellipsis" and ellipsis:
                continue
            items.append(None if kind == "none" else ...)
            if kind == "ellipsis":
                ellipsis, skipped = True, random.randint(0, left)
                d += skipped
                # What the Ellipsis skips is fixed by the items behind it: they must take up the rest.
                rest = a_form(sizes[d:]) if d < len(sizes) else []
                if any(i is ... for i in rest) or taken(rest) != len(sizes) - d:
                    return items
                return items + rest
            d -= 1
        d += 1
    return items


def taken(items) -> int:
    return sum(
        i.ndim if isinstance(i, np.ndarray) and i.dtype == bool else 0 if i is None or i is ... or isinstance(i, bool) else 1 for i in items
    )


def by_numpy(array: np.ndarray, items: list) -> tuple[np.ndarray, tuple]:
    """PyTorch's rule in NumPy's terms: ints, slices and None first, which make a view, then the arrays and masks, each at the dims that it takes up."""
    views, arrays = [], []
    for item in items:
        if isinstance(item, (bool, np.bool_)) or (isinstance(item, np.ndarray) and item.dtype == bool and item.ndim == 0):
            views.append(None)
            arrays.append(np.array([bool(item)]))
        elif isinstance(item, (list, np.ndarray)):
            mask = isinstance(item, np.ndarray) and item.dtype == bool
            views.extend([slice(None)] * (item.ndim if mask else 1))
            arrays.append(np.asarray(item))
        else:
            views.append(item)
            if not isinstance(item, int):
                arrays.append(... if item is ... else slice(None))
    whole = () if any(v is ... for v in views) else (...,)  # so that a single element is a view, too
    return array[(*views, *whole)], tuple(arrays)


def as_tensors(items: list) -> tuple:
    return tuple(torch.tensor(i.tolist(), dtype=torch.bool).reshape(i.shape) if isinstance(i, np.ndarray) and i.dtype == bool
                 else torch.tensor(i.tolist()) if isinstance(i, np.ndarray) else i for i in items)  # fmt: skip


def forms(seed: int):
    random.seed(seed)
    np.random.seed(seed)
    for _ in range(ROUNDS):
        sizes = tuple(random.randint(1, 4) for _ in range(random.randint(1, 5)))
        array = np.arange(float(np.prod(sizes))).reshape(sizes)
        items = a_form(sizes)
        view, arrays = by_numpy(array, items)
        try:
            wanted = view[arrays]
        except IndexError:
            continue  # what two masks choose does not broadcast
        yield array, items, view, arrays, wanted


@pytest.mark.parametrize("seed", range(4))
def test_reads_writes_and_gradients(seed):
    tried = 0
    for array, items, view, arrays, wanted in forms(seed):
        x, key = torch.from_numpy(array.copy()), as_tensors(items)
        read = x[key]
        assert read.shape == wanted.shape and np.array_equal(read.numpy(), wanted), (array.shape, items)
        assert torch.empty(array.shape, device="meta")[key].shape == wanted.shape, (array.shape, items)
        before = array.copy()
        view[arrays] = -1.0  # the view of by_numpy writes `array`
        x[key] = -1.0
        assert np.array_equal(x.numpy(), array), (array.shape, items)
        leaf = torch.from_numpy(before).requires_grad_()
        leaf[key].sum().backward()
        assert np.array_equal(leaf.grad.numpy() != 0, array == -1.0), (array.shape, items)
        tried += 1
    assert tried > ROUNDS / 3


def test_captures():
    for n, (array, items, _, _, wanted) in enumerate(forms(9)):
        tensors = [k for k, i in enumerate(items) if isinstance(i, np.ndarray)]
        key = as_tensors(items)
        if not tensors or n % 3:
            continue

        def read(x, *given, items=key, tensors=tensors):
            whole = list(items)
            for k, t in zip(tensors, given, strict=True):
                whole[k] = t
            return x[tuple(whole)]

        args = (torch.from_numpy(array), *(key[k] for k in tensors))
        for made in (torch.jit.trace(read, args), torch.compile(read), torch.compile(read, dynamic=True)):
            assert np.array_equal(made(*args).numpy(), wanted), (array.shape, items)


@pytest.mark.parametrize(
    "read",
    [
        lambda y, m, i: y[m, i],
        lambda y, m, i: y[m, :, i],
        lambda y, m, i: y[m, i, i],
        lambda y, m, i: y[m, i, None],
        lambda y, m, i: y[m, 0],
        lambda y, m, i: y[m, 1:],
        lambda y, m, i: y[None, m],
        lambda y, m, i: y[m, ..., i],
        lambda y, m, i: y[m, None, i],
    ],
)
def test_a_symbolic_capture_is_right_or_refuses(read):
    y = torch.arange(120.0).view(2, 3, 4, 5)
    args = (y, torch.tensor([[True, False, True], [False, True, False]]), torch.tensor([0, 2, 1]))
    wanted = read(*args)
    try:
        traced = torch.fx.symbolic_trace(read)
    except (NotImplementedError, RuntimeError) as error:
        assert "dims" in str(error) or "mask" in str(error)  # noqa: PT017
        return
    try:
        found = traced(*args)
    except (IndexError, RuntimeError, NotImplementedError):
        return
    assert found.equal(wanted)
