"""Calls with fewer dims than a rule reads, or with dtypes that a kernel lacks, raise PyTorch's errors; numbers round once."""

from __future__ import annotations

import collections.abc
import io
import pickle

import monograph as torch
import pytest

F = torch.nn.functional


@pytest.mark.parametrize(("ends", "values"), [((3,), "c64"), ((3,), "b1c64"), ("c64", (2,)), ("b1", "b1")])
def test_a_search_among_what_has_no_order_is_refused(ends, values):
    made = {"c64": torch.ones(3) * 1j, "b1": torch.ones(3).bool(), "b1c64": torch.tensor(1j)}
    a, b = (made[k] if isinstance(k, str) else torch.ones(k) for k in (ends, values))
    for call in (lambda: torch.searchsorted(a, b), lambda: torch.bucketize(b, a)):
        with pytest.raises(NotImplementedError, match="searchsorted_out_cpu"):
            call()


def test_numbers_and_tensors_are_searched_for_in_the_dtype_of_both():
    whole = torch.tensor([1, 2, 3])
    assert torch.searchsorted(whole, 1.5).item() == torch.bucketize(1.5, whole).item() == 1
    assert torch.searchsorted(torch.tensor([False, True]), 1.5).item() == 2
    assert torch.searchsorted(torch.tensor([0.1, 0.2]).half(), torch.tensor(0.1, dtype=torch.float64)).item() == 0
    assert torch.searchsorted(torch.tensor([False, True]), torch.tensor([0.5])).tolist() == [1]


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("sizes", [[(), (), ()], [(3,), (3,), (3,)], [(2, 3), (3,), (2, 3)], [(2, 3), (2, 3), (3,)], [(3,), (2, 3), (2, 3)]])
def test_attention_needs_two_dims(sizes, device):
    with pytest.raises(RuntimeError, match="at least 2 dimensional"):
        F.scaled_dot_product_attention(*(torch.ones(s, device=device) for s in sizes))


def test_trapezoid_along_the_dim_of_the_samples():
    x = torch.tensor([[0.0, 1, 3], [1, 2, 5]])
    assert torch.trapezoid(torch.arange(4.0), x).tolist() == [0.5, 1.5, 5.0]
    assert torch.cumulative_trapezoid(torch.arange(4.0), x).tolist() == [[0.5, 1.5, 5.0]]
    for call in (torch.trapezoid, torch.cumulative_trapezoid):
        with pytest.raises(RuntimeError, match="must match"):
            call(torch.arange(3.0), x)


def test_a_generator_is_pickled_in_pytorchs_form():
    g = torch.Generator().manual_seed(5)
    torch.rand(3, generator=g)
    kind, args, (seed, offset, state) = g.__reduce__()
    assert kind is torch.Generator and args == (torch.device("cpu"),) and (seed, offset) == (5, None) and state.equal(g.get_state())
    file = io.BytesIO()
    torch.save(g, file)
    file.seek(0)
    for copy in (pickle.loads(pickle.dumps(g)), torch.load(file, weights_only=False)):
        assert copy.initial_seed() == 5 and torch.rand(2, generator=copy).equal(torch.rand(2, generator=g.clone_state()))
    older = torch.Generator()
    older.__setstate__(g.get_state())
    assert older.get_state().equal(g.get_state())
    with pytest.raises(TypeError, match="seed, None"):
        older.__setstate__((5, 3, state))


@pytest.mark.parametrize(("dtype", "bits"), [(torch.bfloat16, 7), (torch.float16, 10)])
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (-0.4, 0.7), (0.5, 1), (0, 0.7), (1, 3)])
def test_a_sum_of_products_of_16_bits_is_rounded_once(dtype, bits, beta, alpha):
    torch.manual_seed(0)
    a = torch.randn(20, 20).to(dtype)
    v = a[0].clone()
    wide = a.double() @ a.double()
    for made, wanted in [
        (torch.addmm(a, a, a, beta=beta, alpha=alpha), beta * a.double() + alpha * wide),
        (torch.baddbmm(a[None], a[None], a[None], beta=beta, alpha=alpha)[0], beta * a.double() + alpha * wide),
        (torch.addbmm(a, torch.stack([a, a]), torch.stack([a, a]), beta=beta, alpha=alpha), beta * a.double() + 2 * alpha * wide),
        (torch.addmv(v, a, v, beta=beta, alpha=alpha), beta * v.double() + alpha * (a.double() @ v.double())),
    ]:
        assert made.dtype == dtype
        ulp = 2.0 ** (wanted.abs().log2().floor().clamp(min=-14) - bits)
        assert ((made.double() - wanted).abs() / ulp).max() < 0.6


class Two(collections.abc.Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, k):
        if k >= 2:
            raise IndexError(k)
        return k


def test_a_second_try_of_a_trace_has_the_handlers_of_the_program():
    def f(x):
        c = torch.ones(20)  # a list of more elements than tolist() makes numbers of the graph
        for k in Two():  # ends by an IndexError, which the iterator catches
            x = x + k
        return x * len((x + c).tolist())

    with pytest.raises(RuntimeError, match=r"tolist\(\) needs the values"):
        torch.jit.trace(f, (torch.ones(20),))


def test_a_trace_takes_its_sizes_as_tensors():
    def f(x):
        if torch.jit.is_tracing():
            n = (torch.ceil(x.shape[-1] / 2) * 2).to(torch.int64)
        else:
            n = -(-x.shape[-1] // 2) * 2
        return F.interpolate(x, size=(n, n))

    traced = torch.jit.trace(f, (torch.ones(1, 1, 5, 5),))
    assert traced(torch.ones(1, 1, 5, 5)).shape == (1, 1, 6, 6) and traced(torch.ones(1, 1, 7, 7)).shape == (1, 1, 8, 8)
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.ceil(2.5)


def test_errors_of_absent_devices_and_of_other_storages():
    for call in (lambda: torch.ones(2).cuda(), lambda: torch.ones(2).to("cuda"), lambda: torch.ones(2, device="cuda")):
        for kind in (NotImplementedError, AssertionError):
            with pytest.raises(kind, match="runs on the CPU"):
                call()
    with pytest.raises(RuntimeError, match="Expected a Storage of type"):
        torch.FloatTensor(torch.LongTensor([1, 2]).storage())
    assert torch.FloatTensor(torch.FloatTensor([1, 2]).storage()).tolist() == [1.0, 2.0]
    for dtype in (torch.uint16, torch.float8_e4m3fn):
        x = torch.zeros(2).to(dtype)
        assert not x.is_conj() and not x.is_neg()
    with pytest.raises(RuntimeError, match="Expected a long tensor for index"):
        torch.take(torch.ones(2), torch.ones(2))


@pytest.mark.parametrize("sizes", [(), (3,)])
@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("compute_uv", [False, True])
def test_singular_values_need_a_matrix(sizes, device, compute_uv):
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        torch.svd(torch.ones(sizes, device=device), compute_uv=compute_uv)
