"""Tensors as Python objects: subclasses with __slots__, half-made ones, what the garbage collector frees, copies, and results that have names."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import monograph as torch
import pytest


class Slotted(torch.Tensor):
    __slots__ = ["elem"]


class Deeper(Slotted):
    __slots__ = ["more"]


def test_a_subclass_with_slots_is_whole_from_its_birth():
    x = torch.Tensor.__new__(Slotted)
    assert x.shape == (0,) and not hasattr(x, "elem")
    x.elem, x.name = 3, "x"
    assert (x.elem, x.name) == (3, "x")
    for made in (Slotted([1.0]), torch.Tensor._make_subclass(Deeper, torch.ones(2)), torch.ones(2).as_subclass(Slotted), Deeper([1.0]) * 2):
        assert not hasattr(made, "elem")
        made.elem = [made]
        assert made.elem[0] is made
    assert type(Deeper([1.0]).as_subclass(Slotted)) is Slotted


@pytest.mark.parametrize("kind", [Slotted, Deeper])
def test_slots_travel_through_copy_and_pickle(kind):
    x = kind([1.0, 2.0])
    x.elem, x.name = [5], "x"
    for other, is_shared in ((copy.copy(x), True), (copy.deepcopy(x), False), (pickle.loads(pickle.dumps(x)), False)):
        assert type(other) is kind and other.elem == [5] and other.name == "x" and other.tolist() == [1, 2]
        assert (other.elem is x.elem) == is_shared and not hasattr(other, "more")


def test_tensors_are_made_by_their_classes_only():
    with pytest.raises(RuntimeError, match="Cannot directly construct TensorBase; make a torch.Tensor"):
        torch._C.TensorBase()
    for kind in (torch.Tensor, Slotted):
        with pytest.raises(TypeError, match="not safe"):
            object.__new__(kind)
    with pytest.raises(TypeError, match="not a subtype"):
        torch.Tensor.__new__(int)


def test_the_attributes_of_a_tensor_are_a_dict_that_may_be_replaced():
    x = torch.ones(2)
    assert vars(x) == {}
    x.__dict__ = {"b": 2}
    assert x.b == 2
    del x.__dict__
    assert vars(x) == {}


def is_freed(make) -> bool:
    kept = make()
    gc.collect()
    return kept() is None


def slot_that_leads_back():
    x = Deeper([1.0])
    x.more = [x]
    return weakref.ref(x)


def leaf():
    p = torch.ones(2, requires_grad=True)
    p.register_hook(lambda g: p)
    return weakref.ref(p)


def parameter_of_a_module():
    m = torch.nn.Linear(2, 2)
    m.weight.register_hook(lambda g: g * m.bias.sum())
    m(torch.ones(1, 2)).sum().backward()
    return weakref.ref(m)


def result():
    y = torch.ones(2, requires_grad=True) * 2
    y.register_hook(lambda g: y)
    return weakref.ref(y)


def result_that_was_used():
    y = torch.ones(2, requires_grad=True).exp()
    y.register_hook(lambda g: g + y * 0)
    (y * y).sum().backward()
    return weakref.ref(y)


def earlier_version():
    y = torch.ones(2, requires_grad=True) * 2
    y.register_hook(lambda g: y)
    y.mul_(3)
    y.register_hook(lambda g: y)
    return weakref.ref(y)


def sum_behind_which_a_hook_refers_to_it():
    y = torch.ones(2, requires_grad=True) * 2
    z = (y * 3 + y).sum()
    z.name = "z"
    y.register_hook(lambda g: z)
    return weakref.ref(z)


def view():
    y = torch.ones(2, requires_grad=True) * 2
    v = y[0]
    v.register_hook(lambda g: v)
    y.mul_(2)
    return weakref.ref(v)


@pytest.mark.parametrize(
    "make", [slot_that_leads_back, leaf, parameter_of_a_module, result, result_that_was_used, earlier_version, sum_behind_which_a_hook_refers_to_it, view]
)
def test_a_tensor_that_leads_back_to_itself_is_freed(make):
    assert is_freed(make)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("is_leaf", [False, True])
def test_hooks_stay_while_a_backward_pass_may_come(is_leaf, write):
    x = torch.ones(2, requires_grad=True)
    calls = []

    def loss():
        y = torch.ones(2, requires_grad=True) if is_leaf else x * 2
        y.name = "y"
        y.register_hook(lambda g: (calls.append(1), y * 100)[1])
        if write and not is_leaf:
            y.mul_(3)
        return (y * 3).sum()

    z = loss()
    gc.collect()
    z.backward()
    assert calls == [1]


def test_a_handle_keeps_no_tensor_alive():
    def make():
        y = torch.ones(2, requires_grad=True) * 2
        handles.append(y.register_hook(lambda g: None))
        return weakref.ref(y)

    handles = []
    assert is_freed(make)
    handles[0].remove()


def test_a_long_chain_of_tensors_dies_one_by_one():
    for kind in (torch.Tensor, Slotted):
        x = None
        for _ in range(100_000):
            y = torch.Tensor._make_subclass(kind, torch.ones(1))
            y.elem = x
            x = y
        del x, y


# Results with names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [lambda x: x.max(0), lambda x: x.min(1), lambda x: x.sort(1), lambda x: x.sort(stable=True), lambda x: x.topk(2)])
def test_results_with_names_are_copied_and_pickled(call):
    made = call(torch.arange(12.0).reshape(3, 4))
    others = [copy.copy(made), copy.deepcopy(made), *(pickle.loads(pickle.dumps(made, protocol)) for protocol in range(6))]
    for other in others:
        assert type(other) is type(made) and isinstance(other, tuple) and len(other) == 2
        assert torch.equal(other.values, made.values) and torch.equal(other[1], made.indices)


def test_results_with_names_have_one_type_for_each_operator():
    x = torch.arange(4.0).reshape(2, 2)
    assert type(x.sort()) is type(x.sort(stable=True)) is torch.return_types.sort
    assert type(x.max(0)) is torch.return_types.max and torch.return_types.max((1, 2)).values == 1
    assert repr(x.max(0)) == "torch.return_types.max(\nvalues=tensor([2., 3.]),\nindices=tensor([1, 1]))"
    with pytest.raises(AttributeError):
        x.max(0).values = 3
