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
