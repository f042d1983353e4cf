"""transpose_, squeeze_ and others: the tensor itself gets the sizes and strides of a view."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph import fx

FORMS = {
    "transpose_": (0, 1),
    "t_": (),
    "unsqueeze_": (1,),
    "squeeze_": (),
    "swapaxes_": (0, 1),
    "swapdims_": (-1, 0),
    "as_strided_": ((2, 2), (1, 2)),
}


@pytest.mark.parametrize(("name", "args"), FORMS.items())
def test_it_becomes_the_view(name, args):
    x = torch.arange(6.0).reshape(2, 3)
    view, version = getattr(x, name[:-1])(*args), x._version
    same = getattr(x, name)(*args)
    assert same is x and x.shape == view.shape and x.stride() == view.stride() and x.equal(view)
    assert x._version == version + 1 and x.data_ptr() == view.data_ptr()


def test_squeeze_takes_dims():
    x = torch.zeros(1, 2, 1, 3, 1)
    assert x.squeeze((0, -1)).shape == (2, 1, 3) and torch.squeeze(x, [0, 1]).shape == (2, 1, 3, 1)
    assert x.clone().squeeze_((0, 2)).shape == (2, 3, 1) and x.clone().squeeze_(2).shape == (1, 2, 3, 1)
    with pytest.raises(RuntimeError, match="appears multiple times"):
        x.squeeze((0, 0))


def test_gradients_go_through_it():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    y.transpose_(0, 1).unsqueeze_(0)
    (y * torch.arange(6.0).reshape(1, 3, 2)).sum().backward()
    assert x.grad is not None and x.grad.equal(2 * torch.arange(6.0).reshape(3, 2).t())


def test_a_view_goes_on_as_a_view():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    base = x * 1
    view = base.view(3, 2)
    view.t_()
    view.mul_(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert base.equal(torch.tensor([[0.0, 4.0, 4.0], [15.0, 12.0, 30.0]]))
    base.sum().backward()
    assert x.grad is not None and x.grad.equal(torch.tensor([[1.0, 4.0, 2.0], [5.0, 3.0, 6.0]]))


def test_what_a_leaf_and_a_graph_refuse():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        torch.zeros(2, 3, requires_grad=True).t_()
    with pytest.raises(NotImplementedError, match="transpose_.*a tensor that the captured function made"):
        torch.jit.trace(lambda x: x.transpose_(0, 1), (torch.zeros(2, 3),))
    with pytest.raises(NotImplementedError, match="as_strided_.*gradient"):
        (torch.zeros(4, requires_grad=True) * 2).as_strided_((2,), (1,))


def program(x):
    y = x * 2
    z = y[0]
    y.transpose_(0, 1)
    y.add_(1)
    return y.unsqueeze_(0), z


def test_captures_give_the_same():
    x, other = torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3) - 7
    for captured in (torch.jit.trace(program, (x,)), fx.symbolic_trace(program)):
        for given in (x, other):
            for ours, expected in zip(captured(given), program(given), strict=True):
                assert ours.equal(expected) and ours.shape == expected.shape


@pytest.mark.oracle
def test_as_in_pytorch(oracle):
    lines = """
x = torch.arange(24.).reshape(2, 1, 3, 4)
seen = []
def see(t):
    seen.append((tuple(t.shape), tuple(t.stride()), t.storage_offset(), t._version, t.flatten().tolist()))
see(x.transpose_(1, -1)); see(x.squeeze_()); see(x.unsqueeze_(-1)); see(x.swapaxes_(0, 2)); see(x.squeeze_((0, 3))); see(x.as_strided_((2, 3), (3, 1), 1)); see(x.t_())
x = torch.arange(6.).reshape(2, 3).requires_grad_()
y = x * x
v = y[1]
y.t_()
y.mul_(3.)
(v.sum() + (y * y).sum()).backward()
seen.append(x.grad.tolist())
result = seen
"""
    ours = {"torch": torch}
    exec(lines, ours)
    assert ours["result"] == oracle.run(lines)
