"""torch.utils.swap_tensors, the conversions of torch.__future__, tensors that are written though a gradient reads them, Futures, and masks of torch.nn.attention.bias:
what each does, beside PyTorch."""

from __future__ import annotations

import re
import threading
import weakref
from typing import Any

import monograph as torch
import pytest
from monograph.futures import Future, collect_all, wait_all
from monograph.nn.attention.bias import CausalBias, CausalVariant, causal_lower_right, causal_upper_left

ATTENTION = """
torch.manual_seed(0)
q, k = torch.randn(1, 1, 2, 8), torch.randn(1, 1, 4, 8)
from {package}.nn.attention.bias import causal_lower_right, causal_upper_left
result = [torch.nn.functional.scaled_dot_product_attention(q, k, k, mask) for mask in (causal_lower_right(2, 4), causal_upper_left(2, 4))]
"""


@pytest.fixture
def conversions() -> Any:
    yield torch.__future__
    torch.__future__.set_swap_module_params_on_conversion(False)
    torch.__future__.set_overwrite_module_params_on_conversion(False)


def test_two_tensors_change_places() -> None:
    a, b = torch.ones(2), torch.nn.Parameter(torch.zeros(3))
    a.tag = "of a"
    places = id(a), id(b)
    torch.utils.swap_tensors(a, b)
    assert (id(a), id(b)) == places
    assert a.tolist() == [0, 0, 0] and type(a) is torch.nn.Parameter and a.requires_grad and not hasattr(a, "tag")
    assert b.tolist() == [1, 1] and type(b) is torch.Tensor and not b.requires_grad and b.tag == "of a"
    (a.sum() * 2).backward()
    assert a.grad.tolist() == [2, 2, 2] and b.grad is None
    del a, b


def test_what_others_hold_is_not_swapped() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * x
    with pytest.raises(RuntimeError, match="others hold this one"):
        torch.utils.swap_tensors(x, torch.zeros(2))
    z = torch.ones(1)
    watched = weakref.ref(z)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        torch.utils.swap_tensors(z, torch.zeros(1))
    assert y.tolist() == [1, 1] and watched() is z


def test_a_conversion_keeps_replaces_or_swaps_parameters(conversions: Any) -> None:
    layer = torch.nn.Linear(2, 2)
    weight = layer.weight
    layer.double()
    assert layer.weight is weight and weight.dtype == torch.float64
    conversions.set_overwrite_module_params_on_conversion(True)
    layer.float()
    assert layer.weight is not weight and weight.dtype == torch.float64 and layer.weight.dtype == torch.float32
    conversions.set_overwrite_module_params_on_conversion(False)
    conversions.set_swap_module_params_on_conversion(True)
    assert conversions.get_swap_module_params_on_conversion()
    weight = layer.weight
    weight.grad = grad = torch.ones(2, 2)
    layer.double()
    assert layer.weight is weight and type(weight) is torch.nn.Parameter and weight.dtype == torch.float64
    assert weight.grad is grad and grad.dtype == torch.float64


def test_a_saved_tensor_may_be_written() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y**2).sum()
        y.sin_()
        z.backward()
    assert x.grad.tolist() == [4, 6]
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a = torch.ones(2, requires_grad=True)
        b = a * 2
        (first,) = torch.autograd.grad((b**3).sum(), a, create_graph=True)
        b.zero_()
        (second,) = torch.autograd.grad(first.sum(), a)
    assert first.tolist() == [24, 24] and second.tolist() == [48, 48]


def test_the_backward_pass_of_such_a_block_runs_in_it() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = (x.clone() ** 2).sum()
        with pytest.raises(RuntimeError, match="cannot be nested"), torch.autograd.graph.allow_mutation_on_saved_tensors():
            pass
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"):
        y.backward()


def test_a_future_gives_its_result_to_threads_and_callbacks() -> None:
    future: Future[int] = Future()
    more = future.then(lambda f: f.value() + 1)
    got: list[int] = []
    waiting = threading.Thread(target=lambda: got.append(future.wait()))
    waiting.start()
    future.add_done_callback(lambda f: 1 // 0)  # its error is dropped
    future.set_result(3)
    waiting.join()
    assert got == [3] and more.wait() == 4 and future.done()
    with pytest.raises(RuntimeError, match="can only be marked completed once"):
        future.set_result(4)


def test_a_future_gives_an_error() -> None:
    future: Future[int] = Future()
    after = future.then(lambda f: f.value())
    future.set_exception(ValueError("wrong"))
    for wait in (future.wait, future.value):
        with pytest.raises(ValueError, match="wrong"):
            wait()
    with pytest.raises(RuntimeError, match="error when running the callback: ValueError: wrong"):
        after.wait()
    with pytest.raises(AssertionError, match="not an Exception"):
        Future().set_exception(3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="not there yet"):
        Future().value()


def test_several_futures_are_waited_for_together() -> None:
    futures: list[Future[Any]] = [Future(), Future()]
    both = collect_all(futures)
    futures[1].set_result(2)
    assert not both.done()
    futures[0].set_result(1)
    assert [f.value() for f in both.wait()] == wait_all(futures) == [1, 2]
    assert wait_all([]) == []


def test_a_causal_mask_says_its_corner() -> None:
    assert causal_upper_left(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert causal_lower_right(2, 3).tolist() == [[True, True, False], [True, True, True]]
    mask = CausalBias(CausalVariant.LOWER_RIGHT, 2, 3)
    assert (mask.variant, mask.seq_len_q, mask.seq_len_kv) == (CausalVariant.LOWER_RIGHT, 2, 3)
    q = torch.ones(1, 2, 4)
    with pytest.raises(ValueError, match=re.escape("CausalBias should not be used with causal=True")):
        torch.nn.functional.scaled_dot_product_attention(q, torch.ones(1, 3, 4), torch.ones(1, 3, 4), mask, is_causal=True)
    with pytest.raises(AssertionError, match="2D tensors"):
        causal_upper_left(2)
    with pytest.warns(UserWarning, match="NaNs"):
        causal_lower_right(3, 2)


@pytest.mark.oracle
def test_attention_with_a_causal_mask_is_that_of_pytorch(oracle: Any) -> None:
    scope: dict[str, Any] = {"torch": torch}
    exec(ATTENTION.format(package="monograph"), scope)
    for ours, theirs in zip(scope["result"], oracle.run(ATTENTION.format(package="torch")), strict=True):
        torch.testing.assert_close(ours, torch.from_numpy(theirs))
