"""torch.autograd.forward_ad: dual tensors, whose tangents come from the tape."""

from __future__ import annotations

import monograph as torch
import monograph.autograd.forward_ad as forward_ad
import pytest

F = torch.nn.functional
P, T = torch.tensor([1.0, 2.0], dtype=torch.float64), torch.tensor([1.0, 3.0], dtype=torch.float64)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * x, lambda x: x.sin().exp().sum(), lambda x: F.softmax(x, 0), lambda x: x @ torch.ones(2, 3, dtype=torch.float64), lambda x: F.layer_norm(x, (2,)),
        lambda x: (x + 0.5).floor(), lambda x: x[0], lambda x: x.relu(), lambda x: torch.cat([x, x * 2]),
    ],
)  # fmt: skip
def test_a_tangent_is_the_slope_in_its_direction(f):
    with forward_ad.dual_level():
        primal, tangent = forward_ad.unpack_dual(f(forward_ad.make_dual(P, T)))
    step = 1e-6
    expected = (f(P + step * T) - f(P - step * T)) / (2 * step)
    assert torch.allclose(primal, f(P)) and torch.allclose(tangent, expected.expand_as(tangent), atol=1e-6)
    assert not primal.requires_grad and not tangent.requires_grad


def test_levels():
    with pytest.raises(RuntimeError, match="no level exists"):
        forward_ad.make_dual(P, T)
    with forward_ad.dual_level() as level:
        assert level == 0
        x = forward_ad.make_dual(P, T)
        y = x * 2
        assert forward_ad.unpack_dual(x).tangent is T
        assert forward_ad.unpack_dual(P).tangent is None
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
            forward_ad.enter_dual_level()
        with pytest.raises(ValueError, match="Expected primal to be floating point or complex, but got: torch.int64"):
            forward_ad.make_dual(torch.ones(2, dtype=torch.int64), T)
        with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
            forward_ad.make_dual(P, torch.ones(3, dtype=torch.float64))
    assert forward_ad.unpack_dual(y).tangent is None
    with torch.no_grad():
        pass


def test_two_dual_tensors_and_writes_in_place():
    with forward_ad.dual_level():
        x, y = forward_ad.make_dual(P.clone(), T), forward_ad.make_dual(P * 3, torch.ones_like(P))
        z = x * y
        assert torch.equal(forward_ad.unpack_dual(z).tangent, T * P * 3 + P)
        x.mul_(2)
        assert torch.equal(forward_ad.unpack_dual(x).tangent, T * 2)
        whole = torch.zeros(3, dtype=torch.float64)
        whole[1:] = y
        assert forward_ad.unpack_dual(whole).tangent.tolist() == [0, 1, 1]


def test_backward_through_a_tangent():
    x = P.clone().requires_grad_()
    with forward_ad.dual_level():
        primal, tangent = forward_ad.unpack_dual(forward_ad.make_dual(x, T) ** 3)
    (second,) = torch.autograd.grad(tangent.sum(), x, retain_graph=True)
    assert torch.allclose(second, 6 * P * T)
    (first,) = torch.autograd.grad(primal.sum(), x)
    assert torch.allclose(first, 3 * P**2)


@pytest.mark.parametrize("with_grad", [False, True])
@pytest.mark.parametrize("cut", [lambda x: x.detach(), lambda x: (x * 2).detach_(), lambda x: x.data, lambda x: x.detach() * 2])
def test_detach_drops_the_tangent(cut, with_grad):
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(cut(forward_ad.make_dual(P.clone().requires_grad_(with_grad), T))).tangent is None


def test_what_the_tape_would_lose_is_an_error():
    x = P.clone().requires_grad_()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, T)
        with pytest.raises(NotImplementedError, match="no_grad"), torch.no_grad():
            pass
        F.dropout(torch.nn.BatchNorm1d(2).double()(torch.stack([dual, dual * 2])), 0.5)  # the library's own no_grad is none of the program's
    with torch.no_grad():
        assert not (x * 2).requires_grad


def test_gradcheck_looks_at_tangents():
    assert torch.autograd.gradcheck(lambda x, y: (x.sin() * y, x.sum()), (P.clone().requires_grad_(), T.clone().requires_grad_()), check_forward_ad=True)
    assert torch.autograd.gradcheck(torch.exp, (P.clone().requires_grad_(),), check_forward_ad=True, check_backward_ad=False)
    with pytest.raises(AssertionError, match="Expected at least one of"):
        torch.autograd.gradcheck(torch.exp, (P.clone().requires_grad_(),), check_backward_ad=False)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(Wrong.apply, (P.clone().requires_grad_(),), check_forward_ad=True)


def test_vmap_asks_for_the_rule_of_a_function():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            asked.append((info.batch_size, info.randomness, in_dims))
            return Twice.apply(x), in_dims[0]

    asked = []
    x = torch.arange(6.0).reshape(3, 2)
    assert torch.equal(torch.vmap(Twice.apply)(x), x * 2)
    assert torch.equal(torch.vmap(Twice.apply, in_dims=1, out_dims=1)(x), x * 2)
    assert asked == [(3, "error", (0,)), (2, "error", (1,))]
    Twice.generate_vmap_rule = True
    with pytest.raises(RuntimeError, match="it has both generate_vmap_rule=True and an overriden vmap staticmethod"):
        torch.vmap(Twice.apply)(x)
