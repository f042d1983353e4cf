"""Calls that once differed from PyTorch 2.13 and said nothing of it, each as PyTorch answers it."""

from __future__ import annotations

import copy
import pickle

import monograph as torch
import pytest

F, nn = torch.nn.functional, torch.nn


@pytest.mark.parametrize("end", [torch.ones(3).double(), torch.tensor(1.0).double(), torch.ones(3).half(), torch.tensor([1])])
def test_lerp_promotes_nothing(end):
    x = torch.ones(3)
    for call in (lambda: torch.lerp(x, end, 0.5), lambda: x.lerp_(end, 0.5), lambda: torch.jit.trace(lambda a: a.lerp(end, 0.5), x)):
        with pytest.raises(RuntimeError, match="expected dtype torch.float32 for `end` but got dtype"):
            call()


def test_flatten_of_no_dims_checks_its_dims():
    x = torch.tensor(3.0)
    assert x.flatten().shape == x.flatten(-1, 0).shape == (1,)
    for dims in ((1,), (0, -2), (-2,)):
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.flatten(*dims)


def test_hardtanh_wants_its_ends_in_order():
    x = torch.tensor([-3.0, 3.0])
    for inplace in (False, True):
        with pytest.raises(ValueError, match="min_val cannot be greater than max_val"):
            F.hardtanh(x, 1.0, -1.0, inplace)
    assert F.hardtanh(x, 1.0, 1.0).tolist() == [1, 1]
    with pytest.raises(AssertionError, match="max_val .* must be greater than min_val"):
        nn.Hardtanh(1.0, 1.0)
    with pytest.raises(RuntimeError, match="cannot do hardtanh on an unsigned type with negative limits"):
        F.hardtanh(torch.tensor([0, 3], dtype=torch.uint8), -1, 1)


def view_without_grad(of):
    with torch.no_grad():
        return of[:2]


def test_writes_through_views_made_under_no_grad_are_refused():
    leaf = torch.ones(3, requires_grad=True)
    for base in (leaf, leaf * 1):
        for view in (view_without_grad(base), view_without_grad(base)[:1]):
            with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
                view.mul_(2)
        with pytest.raises(RuntimeError, match="Output 0 of Split is a view and is being modified inplace"):
            view_without_grad(base).split(1)[0].mul_(2)
    view = view_without_grad(torch.ones(3))
    view.mul_(2)  # nothing of it is differentiated
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.mul_(leaf[:2])
    with torch.no_grad():
        view_without_grad(leaf).mul_(2)
    assert leaf.tolist() == [2, 2, 1]


def test_views_made_under_no_grad_are_leaves():
    leaf = torch.ones(3, requires_grad=True)
    view = view_without_grad(leaf)
    assert view.requires_grad and view.is_leaf
    (view * 2).sum().backward()
    assert view.grad is None and leaf.grad is None
    with pytest.raises(RuntimeError, match="on Tensor that requires grad"):
        view.numpy()
    value = leaf * 1
    view = view_without_grad(value)
    value.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        view * 2
    assert (view_without_grad(value) * 2).tolist() == [4, 4]  # made after the write


def test_the_legacy_constructor_takes_sizes_or_sequences():
    for wrong in (2.5, True, None, 1j, "a"):
        with pytest.raises(TypeError, match="data must be a sequence|invalid data type"):
            torch.Tensor(wrong)
    assert torch.Tensor(2).shape == (2,) and torch.Tensor([2.5]).tolist() == [2.5]
    with pytest.raises(RuntimeError, match="legacy constructor expects device type: cpu but device type: "):
        torch.Tensor(2, device="meta")
    with pytest.raises(TypeError, match="invalid combination of arguments - got 2, the first a list"):
        torch.Tensor([1], 2)
    assert torch.Tensor(torch.tensor(2)).dtype is torch.int64


@pytest.mark.parametrize("bias", [None, 1.0])
def test_linear_by_a_vector(bias):
    for sizes in ((4,), (3, 4), (2, 3, 4), (0, 4), (2, 2, 3, 4)):
        x, weight = torch.randn(*sizes, requires_grad=True), torch.randn(4, requires_grad=True)
        shift = None if bias is None else torch.tensor(bias, requires_grad=True)
        if len(sizes) == 2 and bias is not None:
            with pytest.raises(RuntimeError, match="mat2 must be a matrix"):
                F.linear(x, weight, shift)
            continue
        made, known = F.linear(x, weight, shift), torch.matmul(x, weight) + (0 if shift is None else shift)
        assert made.shape == sizes[:-1] and torch.allclose(made, known, atol=1e-6)
        inputs = [x, weight] if shift is None else [x, weight, shift]
        for a, b in zip(torch.autograd.grad(made.sum(), inputs), torch.autograd.grad(known.sum(), inputs), strict=True):
            assert a.shape == b.shape and torch.allclose(a, b, atol=1e-6)
    with pytest.raises(RuntimeError, match="size mismatch"):
        F.linear(torch.ones(2, 4), torch.ones(3))


def test_reversed():
    x = torch.arange(4).reshape(2, 2)
    assert torch.equal(reversed(x), x.flip(0))
    scalar = torch.tensor(3)
    assert reversed(scalar) is scalar


def test_copies_of_a_generator_go_on_from_its_place():
    g = torch.Generator().manual_seed(3)
    torch.randn(3, generator=g, dtype=torch.float64)  # leaves a value for the next call
    copies = [copy.copy(g), copy.deepcopy(g), pickle.loads(pickle.dumps(g)), g.clone_state()]
    drawn = torch.randn(3, generator=g)
    for other in copies:
        assert other.initial_seed() == 3 and torch.equal(torch.randn(3, generator=other), drawn)
    pair = copy.deepcopy([g, g])
    assert pair[0] is pair[1] and pair[0] is not g


@pytest.mark.parametrize("operator", [torch.mul, torch.add, torch.sub, torch.div, torch.remainder])
def test_a_size_stands_for_a_tensor_in_a_trace(operator):
    traced = torch.jit.trace(lambda x: operator(x.shape[0], x), torch.ones(2, 3))
    x = torch.full((5, 3), 2.0)
    assert torch.equal(traced(x), operator(5, x))
    traced = torch.jit.trace(lambda x: operator(x.shape[0], x), torch.ones(2, 3).int())
    assert torch.equal(traced(x.int()), operator(5, x.int()))


def test_a_size_stands_for_a_tensor_in_the_gradient_of_a_trace():
    x = torch.full((4, 3), 3.0, requires_grad=True)
    traced = torch.jit.trace(lambda x: torch.autograd.grad(torch.mul(x.shape[0], x).sum(), x)[0], torch.ones(2, 3, requires_grad=True))
    assert traced(x).tolist() == [[4.0] * 3] * 4


@pytest.mark.parametrize("sizes", [(0, 3), (0, 3, 2), (2, 3, 0)])
def test_the_gradient_of_a_batch_norm_of_an_empty_batch_is_zero(sizes):
    norm, x = nn.BatchNorm1d(3), torch.ones(*sizes, requires_grad=True)
    norm(x).sum().backward()
    assert norm.weight.grad.tolist() == norm.bias.grad.tolist() == [0, 0, 0] and x.grad.shape == sizes
    assert norm.running_mean.tolist() == [0, 0, 0] and norm.running_var.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64])
def test_pickle_keeps_strides(dtype):
    x = torch.arange(6).reshape(2, 3).to(dtype)
    for y in (x, x.T, x[:, 1:], x[:1].expand(2, 3), x[0, 0], x[:0], x.to("meta").T):
        made = pickle.loads(pickle.dumps(y))
        assert (made.shape, made.stride(), made.storage_offset(), made.dtype, made.device) == (
            y.shape,
            y.stride(),
            y.storage_offset(),
            dtype,
            y.device,
        )
        assert y.is_meta or made.tolist() == y.tolist()
    made = pickle.loads(pickle.dumps(x))
    made.zero_()  # its memory is its own
    assert x.tolist() == torch.arange(6).reshape(2, 3).to(dtype).tolist()


def test_put_at_indices_of_overlapping_memory_is_refused():
    x = torch.arange(6.0)
    three = torch.tensor([1, 2, 3])
    indices = torch.arange(4)
    for write in (
        lambda: x.index_put_((three,), x[:3]),
        lambda: x.index_put_((three,), x[:3], accumulate=True),
        lambda: x.__setitem__(three, x[:3]),
        lambda: x.__setitem__(x > 3, x[:2]),
        lambda: x.index_put_((torch.arange(6),), x),
        lambda: indices.index_put_((indices[1:3],), torch.tensor(0)),
    ):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            write()
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and indices.tolist() == [0, 1, 2, 3]
    x[x > 3] = x[:2].clone()
    assert x.tolist() == [0, 1, 2, 3, 0, 1]
    mask = torch.tensor([True, False])
    mask[mask] = False  # its places are read before
    assert mask.tolist() == [False, False]


def test_out_of_an_operator_made_of_others_does_not_overlap_what_it_reads():
    x = torch.arange(6.0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        torch.clamp(x[:5], 1, 2, out=x[1:])
    torch.clamp(x, 1, 2, out=x)
    assert x.tolist() == [1, 1, 2, 2, 2, 2]


def test_out_of_another_size_is_resized():
    x = torch.arange(6.0).reshape(2, 3)
    for call in (
        torch.exp,
        lambda a, out: torch.clamp(a, 1, 2, out=out),
        lambda a, out: torch.add(a, 1, out=out),
        lambda a, out: torch.softmax(a, 1, out=out),
    ):
        out = torch.empty(5)
        assert call(x, out=out) is out and out.shape == (2, 3) and torch.equal(out, call(x, out=torch.empty(2, 3)))
    whole = torch.zeros(9)
    part = whole[1:3]
    torch.add(x, 1, out=part)
    assert part.shape == (2, 3) and whole.tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 0]
    out = torch.empty(0)
    assert torch.exp(x.T, out=out).stride() == (1, 3) and torch.clamp(x.T, 1, 2, out=torch.empty(7)).stride() == (1, 3)
    row = torch.zeros(3)
    for call in (torch.add, torch.mul):
        with pytest.raises(RuntimeError, match="output with shape"):
            call(row, x, out=row)
    with pytest.raises(RuntimeError, match="output with shape"):
        torch.sum(x, 1, out=x)
    assert row.shape == (3,) and x.shape == (2, 3)


def test_gradients_of_parts_check_their_size():
    for call in (
        lambda: torch.ops.aten.slice_backward(torch.ones(2, 2), [2, 4], 1, 0, 4, 1),
        lambda: torch.ops.aten.slice_backward(torch.ones(2, 3), [2, 4], 1, 0, 4, 2),
        lambda: torch.ops.aten.slice_backward(torch.ones(3), [2, 4], 1, 0, 4, 2),
        lambda: torch.ops.aten.select_backward(torch.ones(4), [2, 3], 0, 1),
        lambda: torch.ops.aten.embedding_dense_backward(torch.ones(3), torch.tensor([0, 1]), 4, -1, False),
    ):
        with pytest.raises(RuntimeError, match="expected a gradient"):
            call()
    with pytest.raises(IndexError, match="out of bounds"):
        torch.ops.aten.select_backward(torch.ones(3), [2, 3], 0, 2)
    for step in (0, -1):
        with pytest.raises(RuntimeError, match="slice step must be positive"):
            torch.ops.aten.slice_backward(torch.ones(2, 2), [2, 4], 1, 0, 4, step)


def test_a_cell_without_four_gates_is_refused():
    state = torch.ones(2, 4)
    for rows in (5, 1):
        with pytest.raises(RuntimeError, match=r"weight_ih first dim must be 4 \* hidden_size = 16, but got"):
            torch.ops.aten.lstm_cell(torch.ones(2, 3), [state, state], torch.ones(rows, 3), torch.ones(rows, 4))


def test_a_scatter_keeps_the_strides():
    gaps = torch.arange(36.0).reshape(6, 6)[::2, ::2]
    made = gaps.select_scatter(torch.zeros(3), 0, 1)
    assert made.stride() == (12, 2) and made.tolist() == [[0, 2, 4], [0, 0, 0], [24, 26, 28]]
    assert torch.slice_scatter(gaps.T, torch.zeros(3, 1), 1, 0, 1).stride() == (2, 12)
    assert torch.zeros(1, 3).expand(3, 3).select_scatter(torch.ones(3), 0, 1).tolist() == [[0] * 3, [1] * 3, [0] * 3]


def test_numbers_and_dtypes_that_pytorch_refuses():
    x = torch.ones(2)
    for number in (float("nan"), -1.0):
        with pytest.raises(RuntimeError, match="must be greater than or equal to zero"):
            torch.isclose(x, x, rtol=number)
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex tensors"):
        torch.ones(2, dtype=torch.complex64).abs_()
    assert torch.ones(2, dtype=torch.complex64).eq_(1).tolist() == [1, 1]
    for dtype in (torch.int64, torch.complex64):
        with pytest.raises(NotImplementedError, match="mse_cpu"):
            F.mse_loss(x.to(dtype), x.to(dtype))
