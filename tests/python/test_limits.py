"""Numbers near the limits of 64 bits, lists in themselves, results on the meta device: what nobody writes on purpose, and no call may crash on."""

from __future__ import annotations

import monograph as torch
import pytest

F = torch.nn.functional
LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.pad(x, (LEAST, 0)),
        lambda x: F.pad(x, (LEAST, 5), mode="replicate"),
        lambda x: F.pad(x, (LEAST, 5), mode="circular"),
        lambda x: F.pad(x, (1 - 2**63, MOST)),
        lambda x: torch.diag(x[0, 0, 0], LEAST),
        lambda x: torch.zeros(LEAST),
        lambda x: x.view(LEAST),
        lambda x: x.expand(LEAST, 1, 4, 4),
        lambda x: F.interpolate(x, size=(LEAST, 3)),
        lambda x: F.adaptive_avg_pool2d(x, LEAST),
        lambda x: x.repeat(LEAST, 1, 1, 1),
        lambda x: x.as_strided((1,), (LEAST,)),
        lambda x: F.conv1d(x[0], torch.ones(1, 1, 2), stride=MOST),
        lambda x: F.conv_transpose2d(x, torch.ones(1, 1, 2, 2), stride=MOST),
        lambda x: F.max_pool2d(x, 2, stride=MOST),
        lambda x: torch.nn.Linear(LEAST, 2),
    ],
)
def test_numbers_that_are_no_sizes_are_refused(call):
    with pytest.raises((RuntimeError, ValueError, IndexError, OverflowError, MemoryError)) as caught:
        call(torch.ones(1, 1, 4, 4))
    assert "bug in Monograph" not in str(caught.value)


def test_numbers_from_the_least_one():
    # PyTorch's numbers for this seed.
    torch.manual_seed(0)
    assert torch.randint(LEAST, LEAST + 2, (3,)).tolist() == [LEAST, LEAST + 1, LEAST + 1]
    assert torch.empty(3, dtype=torch.int64).random_(LEAST, None).tolist() == [-2872789959691029693, -2620440792845683005, -2817708108695690231]
    assert torch.arange(LEAST, LEAST + 3).tolist() == [LEAST, LEAST + 1, LEAST + 2]
    assert torch.jit.trace(lambda x: x + torch.arange(LEAST, LEAST + 2), (torch.ones(2, dtype=torch.int64),))(
        torch.ones(2, dtype=torch.int64)
    ).tolist() == [LEAST + 1, LEAST + 2]


@pytest.mark.parametrize("x, y, dims", [(2.0, [1.0], [[0], [0]]), ([1.0, 2.0], 3.0, [[0], [-1]]), (2.0, 3.0, [[0, 0], [0, 0]])])
def test_tensordot_over_a_dim_of_a_scalar_is_refused(x, y, dims):
    with pytest.raises(IndexError, match=rf"Dimension specified as {'-1' if isinstance(x, list) else '0'} but tensor has no dimensions"):
        torch.tensordot(torch.tensor(x), torch.tensor(y), dims)


def test_differences_of_no_values_take_no_time():
    assert torch.diff(torch.empty(2**61, 0), MOST, 0).shape == (0, 0)
    assert torch.diff(torch.empty(2**60, 4, device="meta"), 2**59, 0).shape == (2**59, 4)


def test_diagonals_beyond_the_corners():
    for x in (torch.ones(3, 1), torch.ones(3, 3), torch.ones(1, 4)):
        for far in (MOST, MOST - 1, 2**62):
            assert torch.equal(x.triu(far), torch.zeros_like(x)) and torch.equal(x.tril(far), x)
        for far in (LEAST, LEAST + 1, -(2**62)):
            assert torch.equal(x.tril(far), torch.zeros_like(x)) and torch.equal(x.triu(far), x)
    assert torch.tril_indices(3, 2, LEAST).shape == (2, 0) and torch.triu_indices(3, 2, LEAST).shape == (2, 6)


@pytest.mark.parametrize("call", [torch.cat, torch.stack, torch.zeros, lambda x: torch.ops.aten.cat(x), lambda x: F.linear(torch.ones(2), x)])
def test_a_list_that_holds_itself_is_refused(call):
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises((TypeError, RuntimeError)):  # torch.ops raises the second kind
        call(endless)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: torch.stack([x, x], out=out),
        lambda x, out: torch.cat([x, x], out=out),
        lambda x, out: torch.mm(x, x.t(), out=out),
        lambda x, out: torch.sum(x, 0, out=out),
        lambda x, out: torch.cumsum(x, 1, out=out),
        lambda x, out: torch.gather(x, 0, torch.zeros(2, 3, dtype=torch.int64, device=x.device), out=out),
        lambda x, out: torch.index_select(x, 1, torch.zeros(5, dtype=torch.int64, device=x.device), out=out),
        lambda x, out: torch.add(x, 1, out=out),
        lambda x, out: torch.softmax(x, 1, out=out),
    ],
)
def test_out_on_the_meta_device_is_what_it_is_elsewhere(call):
    made = []
    for device in ("cpu", "meta"):
        x, out = torch.ones(2, 3, device=device), torch.empty(0, device=device)
        assert call(x, out) is out
        made.append((out.shape, out.stride(), out.dtype))
    assert made[0] == made[1] and made[0][0] != (0,)
    for device in ("cpu", "meta"):
        with pytest.raises(RuntimeError, match="dtype"):
            torch.mm(torch.ones(2, 2, device=device), torch.ones(2, 2, device=device), out=torch.empty(2, 2, dtype=torch.float64, device=device))


def test_the_largest_of_nothing():
    for call, error in [
        (lambda x: x.amax(), RuntimeError), (lambda x: x.max(), RuntimeError), (lambda x: x.aminmax(), RuntimeError), (lambda x: x.argmax(), IndexError),
        (lambda x: x.amax(0), IndexError), (lambda x: x.max(0), IndexError), (lambda x: x.kthvalue(1, 0), IndexError), (lambda x: x.mode(0), IndexError),
    ]:  # fmt: skip
        with pytest.raises(error, match="reduction dim"):
            call(torch.zeros(0, 3))
    assert torch.zeros(0, 3).amax(1).shape == (0,)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.nonzero(),
        lambda x: torch.argwhere(x),
        lambda x: torch.where(x > 0),
        lambda x: F.pad(x, (1, 1)),
        lambda x: x.masked_scatter(x > 0, x),
        lambda x: x.scatter_reduce(0, torch.zeros_like(x, dtype=torch.int64), x, "sum", include_self=False),
        lambda x: torch.fft.fftn(x),
        lambda x: torch.fft.rfft2(x),
        lambda x: torch.fft.ifft2(x),
    ],
)
def test_more_dims_than_a_kernel_has_loops_are_refused(call):
    with pytest.raises(RuntimeError, match="expected a tensor of at most 64 dims, but got one of 70"):
        call(torch.ones([1] * 70))


def test_kernels_that_leave_out_dims_of_size_1_take_any_number():
    x = torch.arange(6.0).reshape([2] + [1] * 70 + [3])
    turned = x.transpose(0, -1)
    assert turned.contiguous().flatten().tolist() == [0, 3, 1, 4, 2, 5]
    assert x.flip(0).flatten().tolist() == [3, 4, 5, 0, 1, 2]
    assert torch.cat([x, x]).numel() == 12 and x.gather(-1, torch.ones_like(x, dtype=torch.int64)).flatten().tolist() == [1, 1, 1, 4, 4, 4]
    nothing = torch.empty([0] + [1] * 10 + [2] * 60).permute([*range(1, 71), 0])
    assert nothing.contiguous().shape == nothing.clone().shape == (*[1] * 10, *[2] * 60, 0)
    index = torch.zeros(nothing.shape, dtype=torch.int64)
    assert nothing.gather(0, index).shape == nothing.shape


def test_dims_beyond_64_are_told_apart():
    x = torch.arange(3.0).reshape([1] * 66 + [3])
    assert x.permute(list(range(66, -1, -1))).shape[0] == 3 and x.movedim(0, 66).shape[66] == 1
    assert x.squeeze(65).dim() == x.squeeze(1).dim() == 66 and x.squeeze((1, 65)).dim() == 65 and x.squeeze().shape == (3,)
    assert x.squeeze(66).dim() == 67
    for call in (lambda: x.permute([66, *range(1, 67)]), lambda: x.squeeze((65, 65))):
        with pytest.raises(RuntimeError, match="duplicate dims|appears multiple times"):
            call()


@pytest.mark.parametrize("sizes", [[0] + [2] * 65, [2] * 65 + [0]], ids=["first", "last"])
def test_strides_that_do_not_fit_in_64_bits_are_refused(sizes):
    """A tensor without elements has strides, too."""
    for make in (torch.empty, lambda s: torch.empty(s, device="meta")):
        with pytest.raises(RuntimeError, match="Stride calculation overflowed"):
            make(sizes)
    assert torch.empty([0] + [2] * 62).permute([*range(1, 63), 0]).narrow(1, 1, 1).numel() == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda x, n: x.expand(*[1] * n),
        lambda x, n: x.view(*[1] * n).permute(*reversed(range(n))),
        lambda x, n: x.reshape(*[1] * n),
        lambda x, n: x.view([1] * n).repeat(*[1] * n),
        lambda x, n: x.new_zeros(*[1] * n, dtype=torch.float64),
        lambda x, n: torch.zeros(*[1] * n),
    ],
)
@pytest.mark.parametrize("n", [24, 25, 64])
def test_a_size_may_be_any_number_of_ints(call, n):
    for f in (call, torch.jit.trace(lambda x: call(x, n), torch.ones(1))):
        assert (f(torch.ones(1), n) if f is call else f(torch.ones(1))).shape == (1,) * n


def test_a_generator_says_where_it_draws():
    with pytest.raises(RuntimeError, match=r"Generator\(\) expected device='cpu', but got 'cuda': Monograph draws random numbers on the CPU"):
        torch.Generator("cuda")
