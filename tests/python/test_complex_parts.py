"""Real and imaginary parts as views, and what is made of them."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest


def test_parts_are_views():
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert z.real.tolist() == [1.0, 3.0] and torch.imag(z).tolist() == [2.0, -4.0]
    assert z.real.stride() == (2,) and z.imag.storage_offset() == 1 and z[1:].imag.storage_offset() == 3
    z.real.mul_(2)
    torch.view_as_real(z)[:, 1] = 7
    assert z.tolist() == [2 + 7j, 6 + 7j]
    z.imag = torch.tensor([1.0, 2.0])
    z.real = 0
    assert z.tolist() == [1j, 2j]
    pairs = torch.zeros(2, 2)
    torch.view_as_complex(pairs).add_(1 + 2j)
    assert pairs.tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_real_numbers():
    x = torch.tensor([1.0, -2.0])
    assert x.real.equal(x) and x.real.data_ptr() == x.data_ptr() and x.conj().data_ptr() == x.data_ptr()
    assert not x.is_conj() and not torch.is_conj(x) and torch.isreal(x).all()
    assert np.allclose(x.angle(), [0.0, np.pi])
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        x.imag  # noqa: B018 - it raises


def test_conjugates():
    z = torch.tensor([[1 + 2j, 3 - 4j]])
    assert z.conj().tolist() == [[1 - 2j, 3 + 4j]] and z.conj_physical().equal(z.conj()) and z.resolve_conj().equal(z)
    assert z.mH.tolist() == z.H.tolist() == [[1 - 2j], [3 + 4j]]
    assert torch.isreal(torch.tensor([1 + 0j, 1j])).tolist() == [True, False]
    with pytest.raises(RuntimeError, match="tensor.H is only supported on matrices"):
        torch.zeros(2, 2, 2).H  # noqa: B018 - it raises


def test_polar():
    z = torch.polar(torch.tensor([2.0]), torch.tensor([0.5]))
    assert abs(z.abs().item() - 2) < 1e-6 and abs(z.angle().item() - 0.5) < 1e-6
    assert torch.complex(torch.ones(2, 1), torch.zeros(3)).shape == (2, 3)


def test_dtypes_that_arithmetic_gives():
    x = torch.ones(2, dtype=torch.int32)
    assert torch.result_type(x, 1.5) == torch.float32 and torch.result_type(x, torch.tensor(1.5, dtype=torch.float64)) == torch.float64
    assert torch.result_type(1, 2) == torch.int64 and torch.result_type(2, x) == torch.int32
    assert torch.promote_types(torch.int32, torch.float16) == torch.float16 and torch.promote_types(torch.uint8, torch.int8) == torch.int16
    assert torch.can_cast(torch.float32, torch.float64) and not torch.can_cast(torch.float32, torch.int64)
    assert torch.is_nonzero(torch.tensor([2.0])) and not torch.is_nonzero(torch.tensor(0))
    with pytest.raises(RuntimeError, match="ambiguous"):
        torch.is_nonzero(torch.ones(2))


def test_places_of_elements():
    x = torch.tensor([[0, 1], [2, 0]])
    rows, columns = torch.where(x)
    assert rows.tolist() == [0, 1] and columns.tolist() == [1, 0]
    assert isinstance(torch.where(x), tuple) and x[torch.nonzero(x, as_tuple=True)].tolist() == [1, 2]
    assert x.nonzero().tolist() == [[0, 1], [1, 0]] and torch.nonzero(torch.tensor(3), as_tuple=True)[0].tolist() == [0]
    assert x.where(x > 1, 9).tolist() == [[9, 9], [2, 9]]
    assert torch.ones(2).masked_fill(torch.tensor([True, False]), torch.tensor(3)).tolist() == [3.0, 1.0]
    with pytest.raises(RuntimeError, match="only supports a 0-dimensional value tensor"):
        torch.ones(2).masked_fill(torch.tensor([True, False]), torch.ones(1))


def test_normal_numbers():
    torch.manual_seed(3)
    drawn = torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0]))
    torch.manual_seed(3)
    plain = torch.empty(2).normal_()
    assert drawn.equal(plain * torch.tensor([1.0, 0.0]) + torch.tensor([0.0, 100.0]))
    torch.manual_seed(3)
    assert torch.normal(2.0, 3.0, (4,)).equal((torch.manual_seed(3), torch.empty(4).normal_(2.0, 3.0))[1])
    assert torch.normal(torch.zeros(2, 3)).shape == (2, 3) and torch.normal(1.0, torch.ones(3)).shape == (3,)
    with pytest.raises(RuntimeError, match=r"normal expects std >= 0.0, but found std -1"):
        torch.normal(torch.zeros(2), -1.0)
    with pytest.raises(RuntimeError, match=r"normal expects all elements of std >= 0.0"):
        torch.normal(0.0, torch.tensor([-1.0]))


def test_copies_of_views():
    x = torch.arange(6.0).reshape(2, 3)
    for name, args in (("transpose", (0, 1)), ("select", (0, 1)), ("unsqueeze", (0,)), ("permute", ((1, 0),)), ("expand", ((2, 2, 3),)),
                       ("diagonal", ()), ("detach", ()), ("squeeze", ()), ("as_strided", ((2,), (1,)))):  # fmt: skip
        view = getattr(x, name)(*args)
        copied = getattr(torch, name + "_copy")(x, *args)
        assert copied.equal(view) and copied.data_ptr() != x.data_ptr() and copied.is_contiguous()
    y = x.clone().requires_grad_()
    torch.transpose_copy(y, 0, 1)[0].sum().backward()
    assert y.grad is not None and y.grad.tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
