"""One shape rule per operator: a call, the meta device and a graph say the same of it, in the same words."""

import monograph as torch
import monograph.nn.functional as F
import pytest


def words_of(call, *tensors) -> str:
    with pytest.raises(Exception) as raised:  # noqa: PT011  what is raised is compared by its text
        call(*tensors)
    return f"{type(raised.value).__name__}: {str(raised.value).splitlines()[0]}"


def tensor(*sizes, dtype=torch.float32):
    return torch.zeros(sizes, dtype=dtype)


X = tensor(3, 4)
CLASSES = tensor(3, dtype=torch.int64)

WRONG = {
    "copy_": (lambda x, y: x.copy_(y), X, tensor(5)),
    "index_add": (lambda x, i, y: torch.index_add(x, 0, i, y), X, CLASSES, tensor(2, 4)),
    "index_put_": (lambda x, i, y: x.index_put_((i,), y), X, CLASSES, tensor(2, 4)),
    "index_put_ of another dtype": (lambda x, i, y: x.index_put_((i,), y), X, CLASSES, CLASSES.reshape(3, 1)),
    "index by a mask": (lambda x, m: x[m], X, tensor(2, dtype=torch.bool)),
    "index by too many": (lambda x, i: torch.ops.aten.index(x, [i, i, i]), X, CLASSES),
    "linear's bias": (lambda x, w, b: F.linear(x, w, b), X, tensor(5, 4), tensor(4)),
    "nll_loss": (lambda x, t: F.nll_loss(x, t), X, tensor(2, dtype=torch.int64)),
    "cross_entropy": (lambda x, t: F.cross_entropy(x, t), X, X[:2]),
    "cross_entropy's smoothing": (lambda x, t: F.cross_entropy(x, t, label_smoothing=2.0), X, CLASSES),
    "mse_loss": (lambda x, t: torch.ops.aten.mse_loss(x, t, 0), X, tensor(5)),
    "layer_norm": (lambda x: F.layer_norm(x, (3,)), X),
    "lstm_cell": (lambda x, h, w: torch.lstm_cell(x, [h], w, w), X, X, X),
    "clamp": (lambda x: torch.clamp(x), X),
    "select_scatter": (lambda x, y: torch.select_scatter(x, y, 0, 0), X, tensor(3)),
    "attention": (lambda x, m: F.scaled_dot_product_attention(x, x, x, m, is_causal=True), X, tensor(3, 3)),
    "uniform_": (lambda x: x.uniform_(2, 1), X),
    "bernoulli_": (lambda x: x.bernoulli_(1.5), X),
    "multinomial": (lambda x: torch.multinomial(x, 9), X),
    "one_hot": (lambda t: F.one_hot(t, 0), CLASSES),
    "conv1d without outputs": (lambda x, w: F.conv1d(x, w), tensor(2, 3, 4), tensor(0, 3, 2)),
    "conv1d of two dtypes": (lambda x, w: F.conv1d(x, w), tensor(2, 3, 4), tensor(5, 3, 2, dtype=torch.float64)),
    "conv3d's bias": (lambda x, w, b: F.conv3d(x, w, b), tensor(2, 3, 4, 4, 4), tensor(5, 3, 2, 2, 2), tensor(5, dtype=torch.float64)),
    "conv_tbc's window": (lambda x, w, b: torch.conv_tbc(x, w, b), tensor(2, 3, 4), tensor(3, 4, 5), tensor(5)),
    "conv_transpose1d without outputs": (lambda x, w: F.conv_transpose1d(x, w), tensor(2, 3, 4), tensor(3, 0, 2)),
    "conv_transpose3d of integers": (
        lambda x, w: F.conv_transpose3d(x, w),
        tensor(2, 3, 4, 4, 4, dtype=torch.int32),
        tensor(3, 1, 2, 2, 2, dtype=torch.int32),
    ),
    "ctc_loss without steps": (lambda p, t: torch.ctc_loss(p, t, [0], [3]), tensor(0, 5), CLASSES),
    "ctc_loss's lengths": (lambda p, t, n: torch.ctc_loss(p, t, n, n), tensor(6, 2, 5), tensor(2, 3, dtype=torch.int64), CLASSES),
    "ctc_loss's rows": (lambda p, t, n: torch.ctc_loss(p, t, n, n), tensor(6, 3, 5), tensor(2, 3, dtype=torch.int64), CLASSES),
    "repeat_interleave": (lambda x, n: torch.repeat_interleave(x, n, 1), X, CLASSES),
    "repeat_interleave's dims": (lambda x, n: torch.repeat_interleave(x, n, 0), X, CLASSES.reshape(1, 3)),
    "unique of no slices": (lambda x: torch.unique(x, dim=0), tensor(0, 0)),
    "unique of empty slices": (lambda x: torch.unique(x, dim=1), tensor(0, 3)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_has_the_same_words_on_the_meta_device(name):
    call, *tensors = WRONG[name]
    said = words_of(call, *[t.clone() for t in tensors])
    assert said == words_of(call, *[torch.empty_like(t, device="meta") for t in tensors])
    assert "aten::" in said


def test_sizes_that_depend_on_elements_are_refused_on_the_meta_device():
    m = torch.empty_like(X, device="meta")
    for call in (lambda: m[m > 0], lambda: torch.nonzero(m), lambda: F.one_hot(torch.empty_like(CLASSES, device="meta"))):
        with pytest.raises(RuntimeError, match="the size of its result depends on elements, and a meta tensor has none"):
            call()
    m[m > 0] = 1.0  # which has the tensor's own size
    assert m.shape == (3, 4)


def test_masks_stand_for_the_places_of_their_true_elements():
    x = torch.arange(12.0).reshape(3, 4)
    assert x[torch.tensor(True)].shape == (1, 3, 4) and x[torch.tensor(False)].shape == (0, 3, 4)
    assert x[torch.tensor([True, False, True]), torch.tensor([0, 1])].tolist() == [0, 9]
    y = x.clone()
    y[torch.tensor(True)] = 7.0
    assert (y == 7).all()
    y = x.clone()
    y[x > 9] = torch.tensor(5)  # one number through one mask, in any dtype
    assert y[2].tolist() == [8, 9, 5, 5]
    version = y._version
    y[x > 9] = 1.0
    assert y._version == version + 1


def test_values_and_indices_that_share_the_tensors_memory_are_refused():
    x, places = torch.arange(6.0), torch.tensor([2, 0, 1])
    for write in (
        lambda: x.index_put_((torch.tensor([0, 1, 2]),), x[1:4]),
        lambda: places.__setitem__(places.flip(0), places),
        lambda: places.__setitem__(places, torch.tensor([7, 8, 9])),
    ):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            write()
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and places.tolist() == [2, 0, 1]


@pytest.mark.parametrize("alpha", [2, -1, 0.5])
def test_index_add_scales_what_it_adds(alpha):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x, source, index = torch.randn(4, 5).to(dtype), torch.randn(5, 3).to(dtype).t(), torch.tensor([3, 0, 3])
        expected = torch.index_add(x, 0, index, source * alpha)
        assert torch.equal(torch.index_add(x, 0, index, source, alpha=alpha), expected)
    bytes_ = torch.index_add(torch.zeros(2, dtype=torch.uint8), 0, torch.tensor([0]), torch.tensor([200], dtype=torch.uint8), alpha=2)
    assert bytes_.tolist() == [144, 0]
    complex_ = torch.index_add(torch.zeros(2, dtype=torch.complex64), 0, torch.tensor([0]), torch.tensor([1 + 2j]), alpha=3j)
    assert complex_.tolist() == [-6 + 3j, 0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.int8, torch.complex64])
def test_a_bias_of_any_layout_is_added(dtype):
    x, w = torch.randint(-4, 5, (2, 3, 4)).to(dtype), torch.randint(-4, 5, (6, 4)).to(dtype)
    product = x @ w.t()
    wide = torch.randint(-4, 5, (12,)).to(dtype)
    for bias in (wide[:6], wide[::2], wide[:1], wide[:6].reshape(1, 6), wide[:3].reshape(3, 1), wide[:1].reshape(())):
        assert torch.equal(F.linear(x, w, bias), product + bias)


def test_gradients_of_parts_of_a_tensor_with_many_dims_of_size_1():
    """70 dims, more than a kernel has loops."""
    x = torch.zeros([1] * 69 + [3], requires_grad=True)
    x.select(0, 0).sum().backward()
    assert x.grad.sum().item() == 3
    x.grad = None
    x[..., 1:].sum().backward()
    assert x.grad.flatten().tolist() == [0, 1, 1]
    assert x.detach().clone().copy_(x.detach() + 1).sum().item() == 3


def test_bad_numbers_of_a_draw_draw_nothing():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    x = tensor(4)
    for call in (
        lambda: x.uniform_(2, 1),
        lambda: x.normal_(0, -1),
        lambda: x.exponential_(0),
        lambda: x.bernoulli_(2),
        lambda: torch.bernoulli(x + 2),
        lambda: torch.multinomial(x, 1),
        lambda: torch.multinomial(x - 1, 1),
        lambda: torch.randperm(300, dtype=torch.uint8),
        lambda: torch.randint(5, 5, (3,)),
        lambda: torch.rand(3, dtype=torch.int64),
    ):
        with pytest.raises(RuntimeError, match=r"\[aten::"):
            call()
    assert torch.equal(torch.get_rng_state(), state)


def test_the_meta_device_knows_a_size_that_the_call_states():
    for call, sizes in {
        lambda x, n: torch.repeat_interleave(x, n, 0, output_size=5): (5, 4),
        lambda x, n: torch.repeat_interleave(x[:, 0], n, output_size=5): (5,),
        lambda x, n: torch.repeat_interleave(n, output_size=5): (5,),
    }.items():
        n = torch.tensor([2, 0, 3])
        assert call(X, n).shape == call(X.to("meta"), n.to("meta")).shape == sizes
        for wrong in (torch.tensor([2, 0, 2]), torch.tensor([2, 2, 2])):
            with pytest.raises(RuntimeError, match="allocated size does not match required size"):
                call(X, wrong)


def test_repeats_may_be_a_number():
    x = torch.tensor([[1.0, 2.0]])
    assert torch.repeat_interleave(x[0], torch.tensor(2)).tolist() == [1, 1, 2, 2]
    assert torch.repeat_interleave(x, torch.tensor(2), 0).tolist() == [[1, 2], [1, 2]]
    assert torch.repeat_interleave(torch.empty(0, dtype=torch.int64), output_size=5).shape == (0,)


def test_tensors_without_elements():
    # Whatever the weights are, no counts are integers.
    for weights in (torch.ones(0), torch.ones(0, dtype=torch.float64), torch.ones(2)):
        counts = torch.bincount(torch.empty(0, dtype=torch.int64), weights, 3)
        assert counts.dtype == torch.int64 and counts.tolist() == [0, 0, 0]
    # Without input channels the bias is what remains.
    assert torch.equal(torch.conv_tbc(tensor(5, 2, 0), tensor(2, 0, 4), torch.ones(4), 1), torch.ones(6, 2, 4))
    assert torch.conv_tbc(tensor(5, 2, 3), tensor(2, 3, 0), tensor(0), 1).shape == (6, 2, 0)
    assert F.instance_norm(tensor(2, 0, 4)).shape == (2, 0, 4)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int16])
def test_lengths_of_ctc_loss_may_have_any_dims(dtype):
    p, targets = torch.randn(6, 2, 5).log_softmax(2), torch.tensor([[1, 2, 3], [2, 1, 4]])
    wanted = torch.ctc_loss(p, targets, [6, 5], [3, 2], reduction=0)
    times, labels = torch.tensor([6, 5], dtype=dtype), torch.tensor([3, 2], dtype=dtype)
    assert torch.equal(torch.ctc_loss(p, targets, times, labels, reduction=0), wanted)
    assert torch.equal(torch.ctc_loss(p, targets, times.reshape(1, 2), labels.reshape(2, 1), reduction=0), wanted)
    one = torch.ctc_loss(p[:, 0], targets[0], times[0], labels[0], reduction=0)
    assert one.shape == () and torch.equal(one, wanted[0])
