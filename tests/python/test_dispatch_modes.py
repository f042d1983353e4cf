"""torch.utils._python_dispatch.TorchDispatchMode, and what stands on it: flop_counter, module_tracker, selective checkpoints."""

from __future__ import annotations

import functools

import monograph as torch
import pytest
from beside import both
from monograph.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
    is_in_torch_dispatch_mode,
)
from monograph.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from monograph.utils.flop_counter import FlopCounterMode, register_flop_formula

nn, F = torch.nn, torch.nn.functional


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


def test_it_gets_overloads_below_autograd():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    with Names() as mode:
        y = (x * 2).exp().sum()
        y.backward()
    assert mode.seen[:3] == ["aten.mul.Scalar", "aten.exp.default", "aten.sum.default"] or mode.seen[:3] == ["aten.mul.Tensor", "aten.exp.default", "aten.sum.default"]
    assert len(mode.seen) > 3 and torch.allclose(x.grad, 2 * (2 * x).exp())
    before = list(mode.seen)
    x.exp()
    assert mode.seen == before


def test_an_operator_that_is_made_of_others_gives_these():
    with Names() as mode:
        torch.ones(2, 3) @ torch.ones(3, 4)
    assert mode.seen == ["aten.ones.default", "aten.ones.default", "aten.mm.default"]


def test_arguments_at_their_defaults_are_left_out():
    calls = []

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append((func._overloadname, args[1:], kwargs))
            return func(*args, **kwargs)

    x = torch.arange(6.0).reshape(2, 3)
    with Seen():
        x.sum(1)
        x.sum(1, keepdim=True)
        torch.add(x, x, alpha=2)
        torch.add(x, x)
    assert calls[:2] == [("dim_IntList", ([1],), {}), ("dim_IntList", ([1], True), {})]
    assert calls[2][0] == calls[3][0] == "Tensor" and calls[2][2] == {"alpha": 2} and calls[3][2] == {}


def test_what_it_returns_is_the_result_and_the_gradient_is_the_operators():
    class Zero(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return torch.zeros_like(out) if func is torch.ops.aten.sin.default else out

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with Zero():
        y = x.sin()
    assert y.tolist() == [0, 0] and y.requires_grad
    y.sum().backward()
    assert torch.equal(x.grad, x.detach().cos())


def test_writes_and_views_keep_their_meaning():
    x = torch.zeros(2, 3)
    with Names() as mode:
        x[0].add_(1)
        x.t()[0].mul_(3)
        torch.exp(x, out=(out := torch.empty(2, 3)))
    assert x.tolist() == [[3, 1, 1], [0, 0, 0]] and torch.equal(out, x.exp()) and "aten.exp.out" in mode.seen
    w = torch.ones(3, requires_grad=True)
    with Names():
        y = w * 2
        y[1:].mul_(5)
    y.sum().backward()
    assert w.grad.tolist() == [2, 10, 10]


def test_modes_nest_and_go_off():
    with Names() as outer, Names() as inner:
        assert _get_current_dispatch_mode() is inner and is_in_torch_dispatch_mode()
        torch.ones(1)
        with _disable_current_modes():
            torch.ones(1)
    assert inner.seen == outer.seen == ["aten.ones.default"] and not is_in_torch_dispatch_mode()

    class Refuses(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ValueError(f"no {func}")

    x = torch.ones(1)
    with pytest.raises(ValueError, match="no aten.exp.default"), Refuses():
        torch.exp(x)

    class Wrong(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return object()

    with pytest.raises(TypeError, match=r"\[aten::exp\] __torch_dispatch__ returned an object of type object"), Wrong():
        x.exp()


def test_users_operators_reach_it_and_may_have_a_rule():
    lib = torch.library.Library("dispatched", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2)
    with Names() as mode:
        torch.ops.dispatched.twice(torch.ones(1))
    assert mode.seen[-1] == "dispatched.twice.default"
    torch.library.register_torch_dispatch("dispatched::twice", Names, lambda mode, func, types, args, kwargs: args[0] * 7)
    with Names():
        assert torch.ops.dispatched.twice(torch.ones(1)).tolist() == [7]


NETS = {
    "linear": "nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), torch.ones(5, 3)",
    "linear without bias, three dims": "nn.Linear(3, 4, bias=False), torch.ones(2, 5, 3)",
    "conv": "nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 3, stride=2)), torch.ones(2, 3, 9, 8)",
    "conv1d": "nn.Conv1d(3, 8, 3), torch.ones(2, 3, 9)",
    "transposed": "nn.ConvTranspose2d(3, 8, 3, stride=2), torch.ones(2, 3, 5, 6)",
}
COUNT = """
from {package}.utils.flop_counter import FlopCounterMode
nn = torch.nn
net, x = {net}
x.requires_grad_()
forward, whole = FlopCounterMode(display=False), FlopCounterMode(display=False)
with forward:
    net(x)
with whole:
    net(x).sum().backward()
result = [forward.get_total_flops(), whole.get_total_flops()]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("name", NETS)
def test_flops_are_pytorchs(oracle, name):
    scope = {"torch": torch}
    exec(COUNT.format(package="monograph", net=NETS[name]), scope)
    assert scope["result"] == oracle.run(COUNT.format(package="torch", net=NETS[name]))


def test_flops_by_module():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)

        def forward(self, x):
            return self.second(self.first(x))

    counter = FlopCounterMode(display=False)
    with counter:
        Net()(torch.ones(5, 3)).sum().backward()
    counts = {name: sum(by.values()) for name, by in counter.get_flop_counts().items()}
    assert counts == {"Global": 2 * 2 * 5 * 12 + 3 * 2 * 5 * 8, "Net": counts["Global"], "Net.first": 2 * 2 * 5 * 12, "Net.second": 3 * 2 * 5 * 8}
    with pytest.raises(RuntimeError, match="duplicate registrations"):
        register_flop_formula(torch.ops.aten.mm)(lambda *a, **k: 0)
    own = FlopCounterMode(display=False, custom_mapping={torch.ops.aten.exp: lambda shape, out_shape: shape.numel()})
    with own:
        torch.ones(2, 3).exp()
    assert own.get_total_flops() == 6


def test_selective_checkpoints_keep_what_the_policy_says():
    calls = []

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    def f(x, w):
        return (x @ w).sin().exp().sum()

    x, w = torch.rand(3, 3, requires_grad=True), torch.rand(3, 3, requires_grad=True)
    expected = torch.autograd.grad(f(x, w), (x, w))

    def products(policy, again):
        calls.clear()
        with Count():
            y = checkpoint(f, x, w, use_reentrant=False, context_fn=functools.partial(create_selective_checkpoint_contexts, policy))
            found = torch.autograd.grad(y, (x, w))
        assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))
        assert (calls.count("aten.mm.default"), calls.count("aten.sin.default")) == (3 + (again == "mm"), 2)

    products([torch.ops.aten.mm.default], "sin")
    products(lambda ctx, op, *args, **kwargs: CheckpointPolicy.PREFER_RECOMPUTE, "mm")
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got: aten.mm"):
        create_selective_checkpoint_contexts([torch.ops.aten.mm])
    with pytest.raises(TypeError, match="must be either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)


@pytest.mark.oracle
def test_names_of_simple_operators_are_pytorchs(oracle):
    both(
        oracle,
        """
mode = torch.utils._python_dispatch.TorchDispatchMode if hasattr(torch.utils, "_python_dispatch") else None
seen = []
class Names(mode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen.append([str(func), len(args), sorted(kwargs or {})])
        return func(*args, **(kwargs or {}))
x = torch.arange(6.0).reshape(2, 3)
with Names():
    x.exp(); x + x; x.sum(); x.sum(1); x.t(); x[0]; x.mm(x.t()); torch.cat([x, x]); x.clone(); x.add_(1); x.max(1); x.argmax(); x.gt(2)
result = [s[0].partition(".")[2].partition(".")[0] for s in seen]
""",
    )


def test_functions_of_library_for_modes_and_vmap():
    @torch.library.custom_op("dispatched::add_one", mutates_args=())
    def add_one(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @add_one.register_vmap
    def batched(info, in_dims, x):
        raise AssertionError("vmap calls the operator for each sample")

    assert torch.vmap(add_one)(torch.zeros(3)).tolist() == [1, 1, 1] and torch.library.register_vmap("dispatched::add_one", batched) is batched
    add_one.register_torch_dispatch(Names, lambda mode, func, types, args, kwargs: args[0] - 1)
    with Names():
        assert add_one(torch.zeros(1)).tolist() == [-1]
    with pytest.warns(FutureWarning, match="renamed to `torch.library.register_fake`"):
        torch.library.impl_abstract("dispatched::add_one", lambda x: torch.empty_like(x))
    with pytest.raises(NotImplementedError, match="should never be called"):
        torch.library.fallthrough_kernel(torch.ones(1))
    assert not torch.jit.onednn_fusion_enabled()
    torch.jit.enable_onednn_fusion(True)
    assert torch.jit.onednn_fusion_enabled()
    torch.jit.enable_onednn_fusion(False)
