"""Sizes and lengths stay symbolic in a trace, whichever tuple the program puts them into, before and after saving."""

from __future__ import annotations

import io

import monograph as torch
import pytest
from monograph import nn


def traced_and_loaded(f, *examples):
    trace = torch.jit.trace(f, examples)
    file = io.BytesIO()
    torch.jit.save(trace, file)
    file.seek(0)
    return trace, torch.jit.load(file)


class Operator:
    """A class of the user's with sizes, as packages for structured matrices have."""

    def __init__(self, x):
        self.x = x

    @property
    def shape(self):
        return torch.Size((self.x.shape[0], self.x.shape[0]))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.new_zeros(torch.Size((x.shape[0], 2))) + x.sum(),
        lambda x: x.expand(torch.Size((5, *x.shape))).sum(0),
        lambda x: x.expand(torch.Size([5]) + x.shape).sum(0),
        lambda x: x.new_ones(x.shape[:1] + (2,)) * x.sum(),
        lambda x: x * torch.Size([x.shape[0], 3]).numel(),
        lambda x: x * torch.Size((x.shape[0] * 2, 3))[0],
        lambda x: x.expand(torch.broadcast_shapes((5, 1, 1), x.shape)).sum(0),
        lambda x: x.expand(torch.broadcast_shapes(x.shape, (1, 1), x.shape)) * 2,
        lambda x: x.new_zeros(Operator(x).shape) + x.sum(),
        lambda x: x.new_zeros(torch.Size(reversed(x.shape))) + x.sum(),
    ],
)
def test_sizes_in_a_size_stay_symbolic(f):
    for program in traced_and_loaded(f, torch.ones(2, 3)):
        for n in (2, 4, 1, 0):
            x = torch.randn(n, 3)
            assert torch.equal(program(x), f(x))


def test_a_size_of_other_things_is_refused_as_before():
    with pytest.raises(TypeError, match="torch.Size\\(\\) takes an iterable of 'int'"):
        torch.jit.trace(lambda x: x.new_zeros(torch.Size((x.shape[0] / 2, 2))), (torch.ones(2, 3),))


def test_the_hash_of_a_shape_is_guarded():
    f = torch.jit.trace(lambda x: x + (0 if hash(x.shape) else 0), (torch.ones(2, 3),))
    assert f(torch.ones(2, 3)).tolist() == torch.ones(2, 3).tolist()
    with pytest.raises(RuntimeError, match="captured where .*hash\\(x.shape\\)"):
        f(torch.ones(4, 3))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x + 1, None),
        lambda x: None,
        lambda x: (x, None, None),
        lambda x: (x, (x + 1, None)),
    ],
)
def test_none_in_a_result(f):
    for program in traced_and_loaded(f, torch.ones(2)):
        got, expected = torch._tree.leaves_of(program(torch.ones(3))), torch._tree.leaves_of(f(torch.ones(3)))
        assert [None if v is None else v.tolist() for v in got] == [None if v is None else v.tolist() for v in expected]


def test_a_tuple_of_the_users_that_has_no_length():
    class Irreps(tuple):
        def __len__(self):
            raise NotImplementedError

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.irreps, self.layer = Irreps((3, 2)), nn.Linear(3, 2)

        def forward(self, x):
            return self.layer(x) * self.irreps[0]

    m, x = Layer(), torch.randn(4, 3)
    assert torch.equal(torch.jit.trace(m, (torch.ones(2, 3),))(x), m(x))


def test_requires_grad_of_a_condition():
    def f(x):
        y = x.detach() * 2
        y.requires_grad_(x.shape[0] > 1)
        return y

    t = torch.jit.trace(f, (torch.ones(2, 3),))
    assert t(torch.ones(4, 3)).tolist() == f(torch.ones(4, 3)).tolist()
    with pytest.raises(RuntimeError, match="captured where .*x.shape\\[0\\] > 1"):
        t(torch.ones(1, 3))
