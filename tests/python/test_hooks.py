"""Tensor hooks: a hook belongs to the version of its tensor at which it was registered. The expected values are PyTorch's."""

from __future__ import annotations

import monograph as torch
import pytest


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


@pytest.fixture
def log():
    return []


@pytest.fixture
def hook(log):
    return lambda name: lambda g: log.append((name, g.tolist()))


def test_a_hook_sees_the_gradient_of_its_version(x, log, hook):
    y = x * 2
    y.register_hook(hook("a"))
    y.mul_(3)
    y.register_hook(hook("b"))
    y[0] = 5.0
    y.register_hook(hook("c"))
    (y * 5).sum().backward()
    assert log == [("c", [5, 5]), ("b", [0, 5]), ("a", [0, 15])]


def test_what_hooks_return_flows_on_from_their_version(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.mul_(3)
    y.register_hook(lambda g: g + 1)
    (y * 5).sum().backward()
    assert x.grad.tolist() == [360, 360]


def test_the_versions_of_a_base_and_its_view(x, log, hook):
    y = x * 2
    v = y[:1]
    v.register_hook(hook("v"))
    y.register_hook(hook("y"))
    v.mul_(3)
    v.register_hook(hook("v2"))
    y.register_hook(hook("y2"))
    (y.sum() * 7).backward()
    assert log == [("y2", [7, 7]), ("y", [21, 7])]


@pytest.mark.parametrize(("first", "expected"), [(True, [("b", [5, 5])]), (False, [("a", [15, 15])])])
def test_a_hook_of_either_version_is_removed(x, log, hook, first, expected):
    y = x * 2
    a = y.register_hook(hook("a"))
    y.mul_(3)
    b = y.register_hook(hook("b"))
    for _ in range(2):
        (a if first else b).remove()
    (y * 5).sum().backward()
    assert log == expected


def test_retain_grad_follows_the_last_version(x):
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.mul_(3)
    (y * 5).sum().backward()
    assert y.grad.tolist() == [5, 5] and x.grad.tolist() == [60, 60]


def test_a_tensor_says_whether_it_keeps_its_gradient(x):
    y = x * 2
    assert not x.retains_grad and not y.retains_grad and not torch.ones(2).retains_grad
    x.retain_grad()
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad  # a leaf has its gradient anyway
    y.mul_(3)
    assert y.retains_grad


def test_hooks_that_add_and_remove_hooks(x, log, hook):
    y = x * 2

    def first(g):
        log.append("first")
        second.remove()
        for _ in range(50):
            y.register_hook(hook("added"))

    y.register_hook(first)
    second = y.register_hook(lambda g: log.append("second"))
    z = y.sum()
    z.backward(retain_graph=True)
    assert log == ["first", "second"]  # those that were there at the start
    z.backward()
    assert len(log) == 3 + 50 and "second" not in log[2:]


def test_what_grad_takes_beside_a_hook(x):
    """PyTorch's autograd.grad takes the gradient before the hooks where the pass goes on from there, else behind them."""
    y = x * 2
    y.register_hook(lambda g: g * 2)
    assert [g.tolist() for g in torch.autograd.grad(y.sum(), [x, y], retain_graph=True)] == [[4, 4], [1, 1]]
    assert [g.tolist() for g in torch.autograd.grad(y.sum(), [y])] == [[2, 2]]


def test_grad_runs_only_what_leads_to_its_inputs(x, log, hook):
    w = torch.ones(2, requires_grad=True)
    y, z = x * 2, w * 3
    y.register_hook(hook("y"))
    z.register_hook(hook("z"))
    w.register_hook(hook("w"))
    (g,) = torch.autograd.grad((y * z).sum(), [x], retain_graph=True)
    assert g.tolist() == [6, 6] and log == [("y", [3, 3])]
    (y * z).sum().backward(inputs=[w])
    assert w.grad.tolist() == [6, 12] and x.grad is None and [name for name, _ in log] == ["y", "z", "w"]


def test_a_handle_is_pytorchs_class():
    """`isinstance(handle, torch.utils.hooks.RemovableHandle)` holds for hooks of tensors, of nodes and of modules."""
    from monograph.utils.hooks import RemovableHandle

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    for register in (x.register_hook, y.register_hook, x.register_post_accumulate_grad_hook, y.grad_fn.register_hook, y.grad_fn.register_prehook):
        with register(lambda *args: None) as handle:
            assert isinstance(handle, RemovableHandle)
        handle.remove()  # a second time does nothing
    assert isinstance(torch.nn.ReLU().register_forward_hook(lambda *args: None), RemovableHandle)
