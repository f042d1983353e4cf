"""What programs that nobody here wrote did, as programs of our own: each was once wrong, refused or unclear."""

import functools

import monograph as torch
import monograph.nn.functional as F
import pytest


def without_cache_where_the_key_has_no_hash(n):
    """A cache as einops writes it."""
    try:
        return cached(n)
    except TypeError:
        return n * 2


@functools.lru_cache
def cached(n):
    return n * 2


@pytest.fixture(autouse=True)
def empty_cache():
    cached.cache_clear()


def test_a_cache_that_takes_keys_without_a_hash_needs_no_guard():
    traced = torch.jit.trace(lambda x: x.reshape(without_cache_where_the_key_has_no_hash(x.shape[0]), -1), torch.ones(2, 4))
    assert not traced.graph.guards
    assert traced(torch.ones(3, 4)).shape == (6, 2)


def test_another_cache_guards_its_key():
    traced = torch.jit.trace(lambda x: x.reshape(cached(x.shape[0]), -1), torch.ones(2, 4))
    assert len(traced.graph.guards) == 1
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        traced(torch.ones(3, 4))


def test_a_cache_with_a_size_as_key_serves_the_next_capture():
    """The cache compares the size of the second capture with that of the first, which has ended."""

    @functools.lru_cache
    def table(n):
        return torch.ones(int(n), 2)

    first = torch.jit.trace(lambda x: x + table(x.shape[0]), torch.ones(3, 2))
    second = torch.jit.trace(lambda x: x * table(x.shape[0]), torch.ones(3, 2))
    assert table.cache_info().hits and torch.equal(second(torch.ones(3, 2)), torch.ones(3, 2))
    del first, second
    assert torch.equal(torch.jit.trace(lambda x: x - table(x.shape[0]), torch.ones(3, 2))(torch.ones(3, 2)), torch.zeros(3, 2))
    assert table(3).shape == (3, 2)
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        torch.jit.trace(lambda x: x + table(x.shape[0]), torch.ones(3, 2))(torch.ones(4, 2))


class Keeping(torch.nn.Module):
    """Keeps a size in an attribute, as caches of rotary embeddings do."""

    longest = 0

    def forward(self, x):
        if x.shape[1] > self.longest:
            self.longest = x.shape[1]
            self.table = torch.arange(self.longest).float()
        return x + self.table[: x.shape[1]]


def test_a_size_that_a_module_keeps_is_a_number_after_the_capture():
    net = Keeping()
    traced = torch.jit.trace(net, torch.zeros(2, 3), check_trace=False)
    del traced
    assert net(torch.zeros(1, 2)).tolist() == [[0.0, 1.0]] and net(torch.zeros(1, 4)).tolist() == [[0.0, 1.0, 2.0, 3.0]]


def test_numbers_of_a_capture_are_those_of_the_example_when_it_has_ended():
    kept = {}

    def f(x):
        kept.update(size=x.shape[0], shape=x.shape, half=x.shape[0] / 2, number=x.sum().item(), large=x.shape[0] > 1)
        return x * 2

    torch.jit.trace(f, torch.ones(4, 3))  # its graph is gone
    size, half, number = kept["size"], kept["half"], kept["number"]
    assert size == 4 and size + 1 == 5 and int(size) == 4 and hash(size) == hash(4) and range(5)[size] == 4 and -size == -4 and divmod(size, 3) == (1, 1)
    assert half == 2.0 and round(half) == 2 and float(half) == 2.0 and number == 12.0 and bool(kept["large"]) and tuple(kept["shape"]) == (4, 3)
    assert "4" in repr(size) and kept["shape"][:1] == (4,)
    assert torch.ones(size).shape == (4,) and torch.tensor([size, 1]).tolist() == [4, 1] and torch.ones(2, 4).view(size, -1).shape == (4, 2)
    again = torch.jit.trace(lambda x: (x * size).view(-1, size) + torch.tensor(half), torch.ones(2, 4))
    assert not again.graph.guards and again(torch.ones(3, 4))[2, 3].item() == 6.0


def test_a_tensor_of_a_region_is_refused_after_its_capture():
    kept = []

    def other(x):
        kept.append(x)
        return x - 1

    torch.jit.trace(lambda x: torch.cond(x.sum() > 0, lambda x: x * 2, other, (x,)), torch.ones(2))
    inside = kept[-1]  # of the arm that did not run: a node of a graph that is gone
    assert "another capture" in repr(inside)
    with pytest.raises(RuntimeError, match="a symbolic tensor is used outside of its capture"):
        inside + 1
    with pytest.raises(RuntimeError, match="this tensor belongs to another capture, or to one that has ended"):
        torch.jit.trace(lambda x: x + inside, torch.ones(2))


def test_the_way_out_of_another_error_is_not_a_cache():
    def f(x):
        try:
            return x * cached(x.shape[0])
        except (KeyError, ValueError):
            raise TypeError from None

    assert len(torch.jit.trace(f, torch.ones(2)).graph.guards) == 1


def test_a_handler_of_several_errors_counts():
    def f(x):
        try:
            n = cached(x.shape[0])
        except ValueError:
            n = 0
        except (KeyError, TypeError):
            n = x.shape[0] * 2
        return x * n

    assert not torch.jit.trace(f, torch.ones(2)).graph.guards


# PyTorch's gradients of these read the arguments alone, so a program may write to the result: a mixture of experts does `gate /= total; gate *= mask`.
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a / b,
        lambda a, b: torch.div(a, b, rounding_mode=None),
        lambda a, b: (a * 1).div_(b),
        lambda a, b: F.softsign(a) + b * 0,
        lambda a, b: torch.erfinv(a).add_(b * 0),
    ],
    ids=["div", "div with rounding_mode", "div_", "softsign", "erfinv"],
)
def test_a_result_that_no_gradient_reads_may_be_written(f):
    def gradients(write):
        a, b = torch.tensor([0.25, -0.5, 0.75], requires_grad=True), torch.tensor([2.0, 3.0, -4.0], requires_grad=True)
        write(f(a, b)).sum().backward()
        return a.grad, b.grad

    for got, expected in zip(gradients(lambda y: y.mul_(5)), gradients(lambda y: y * 5), strict=True):
        assert torch.equal(got, expected)


def test_the_argument_of_a_reciprocal_may_be_written():
    x = torch.tensor([0.5, -2.0], requires_grad=True)
    y = x * 1
    z = y.reciprocal()
    y.zero_()
    z.sum().backward()
    assert x.grad.tolist() == [-4.0, -0.25]
    y = x * 1
    z = y.reciprocal()
    z.mul_(2)
    with pytest.raises(RuntimeError, match=r"aten::reciprocal\] one of the variables needed for gradient computation has been modified"):
        z.sum().backward()


def test_attributes_may_be_annotated_as_final():
    class Scale(torch.nn.Module):
        factor: torch.jit.Final[int]

        def __init__(self):
            super().__init__()
            self.factor = 3

        def forward(self, x):
            return x * self.factor

    assert torch.jit.trace(Scale(), torch.ones(2))(torch.ones(3)).tolist() == [3.0, 3.0, 3.0]


def test_a_tensor_takes_the_type_that_another_names():
    x, ids = torch.ones(2), torch.arange(2)
    assert ids.type(x.type()).dtype == torch.float32 and x.type(ids.type()).dtype == torch.int64
    assert x.type("torch.BoolTensor").dtype == torch.bool and x.type("torch.FloatTensor") is x
    with pytest.raises(ValueError, match=r"invalid type: 'float'. Write a dtype, as torch.float32, or what x.type\(\) gives"):
        x.type("float")
    for traced in (
        torch.jit.trace(lambda x, y: y.type(x.type()) / 2, (x, ids)),
        torch.fx.symbolic_trace(lambda x, y: y.type(x.type()) / 2),
    ):
        assert torch.equal(traced(torch.ones(3), torch.arange(3)), torch.tensor([0.0, 0.5, 1.0]))


def test_the_message_of_an_assertion_that_a_graph_keeps_shows_the_value():
    def f(x):
        torch._assert(x.ndim == 2, f"expected 2 dims (got {x.ndim})")
        torch._assert(x.shape[0] > 0, message=f"no rows in {x.shape}")
        return x * 2

    traced = torch.fx.symbolic_trace(f)
    assert torch.equal(traced(torch.ones(2, 3)), torch.full((2, 3), 2.0))
    with pytest.raises(AssertionError, match=r"expected 2 dims \(got 1\)"):
        traced(torch.ones(2))


def test_a_function_that_is_only_called_assert_reads_its_message():
    class Own:
        @staticmethod
        def _assert(condition, message):
            return len(message)

    def f(x):
        return x * Own._assert(x.ndim == 2, f"got {x.ndim}")

    assert torch.equal(torch.fx.symbolic_trace(f)(torch.ones(2)), f(torch.ones(2)))
