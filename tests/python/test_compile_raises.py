"""What a compiled function raises is what the function itself raises: the class, the text, the attributes and the line. Checks that elements decide stay in the graph."""

import decimal
import traceback
from decimal import Decimal

import monograph as torch
import pytest
from monograph import nn


class Bad(Exception):
    pass


class Counted(Exception):
    """Makes its text itself."""

    def __init__(self, text, code=7):
        super().__init__(f"<{text}>")
        self.code = code


def raised(f, *args):
    try:
        f(*args)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return type(error), error.args, error.__dict__, last.name, last.line
    return None


def check_raises(f, goes_on, raises, **settings):
    """Calls with what goes on and what raises, each kind first once: the results, the exceptions, and what was written are those of the function."""
    for order in ((goes_on, raises), (raises, goes_on)):
        torch._dynamo.reset()
        g = torch.compile(f, **settings)
        for x in (*order, *order):
            a, b = x.clone(), x.clone()
            expected = raised(f, a)
            assert raised(g, b) == expected
            assert torch.equal(a, b)
            if expected is None:
                assert torch.equal(f(x.clone()), g(x.clone()))
    return g


def in_a_way(x):
    if x.sum() > 10:
        raise Bad("too much")
    return x * 2


def behind_a_write(x):
    x.add_(1)
    if x.sum() > 10:
        raise Bad(f"{x.shape[0]} are too much")
    return x


def with_its_own_text(x):
    x.mul_(1)
    if x.sum() > 10:
        raise Counted("much")
    return x


def without_a_text(x):
    x.mul_(1)
    if x.sum() > 10:
        raise Bad
    return x


def checked(x):
    if x.max() > 5:
        raise Bad("five")


def in_a_function(x):
    y = x.add_(1)
    checked(y)
    return y * 2


def asserted(x):
    x.add_(1)
    if not x.sum() < 10:  # pytest would rewrite an assert
        raise AssertionError("sum")
    return x


def by_its_size(x):
    if x.shape[0] > 2:
        raise IndexError(f"{x.shape[0]}")
    return x + 1


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("f", [in_a_way, behind_a_write, with_its_own_text, without_a_text, in_a_function, asserted])
def test_raise_in_a_way(f, fullgraph):
    check_raises(f, torch.ones(3), torch.full((3,), 9.0), fullgraph=fullgraph)


@pytest.mark.parametrize("fullgraph", [True, False])
def test_raise_by_a_size(fullgraph):
    check_raises(by_its_size, torch.ones(2), torch.ones(4), fullgraph=fullgraph)


@pytest.mark.parametrize("fullgraph", [True, False])
def test_error_of_an_operator(fullgraph):
    def f(x):
        return x.reshape(2, -1) @ torch.ones(2, 1)

    g = torch.compile(f, fullgraph=fullgraph)
    assert g(torch.ones(4)).shape == (2, 1)
    for x in (torch.ones(6), torch.ones(5)):
        with pytest.raises(RuntimeError) as expected:
            f(x)
        with pytest.raises(RuntimeError) as found:
            g(x)
        assert type(found.value) is type(expected.value)
    assert g(torch.ones(4)).shape == (2, 1)


def test_own_exception_with_a_text_of_its_own_in_a_trace():
    traced = torch.jit.trace(with_its_own_text, torch.ones(3), check_trace=False)
    with pytest.raises(Counted) as found:
        traced(torch.full((3,), 9.0))
    assert found.value.args == ("<much>",)


# --- Checks of sizes that elements decide.


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, lengths):
        mask = torch.arange(int(lengths.max()))[None] >= lengths[:, None]
        return self.attention(x, x, x, key_padding_mask=mask, need_weights=False)[0]


def test_mask_of_the_longest_length_is_checked_in_the_graph():
    torch.manual_seed(0)
    model = Masked().eval()
    compiled = torch.compile(model, fullgraph=True)
    for size, lengths in ((5, [5, 3]), (5, [2, 5]), (3, [1, 3]), (4, [4, 4])):
        x = torch.randn(2, size, 8)
        assert torch.allclose(compiled(x, torch.tensor(lengths)), model(x, torch.tensor(lengths)))
    x, lengths = torch.randn(2, 5, 8), torch.tensor([4, 3])
    with pytest.raises(AssertionError) as expected:
        model(x, lengths)
    with pytest.raises(AssertionError) as found:
        compiled(x, lengths)
    assert str(found.value) == str(expected.value)
    assert len(torch._dynamo.explain(compiled)(torch.randn(2, 5, 8), torch.tensor([5, 3])).graphs) == 1


def test_a_decision_by_such_a_size_is_blamed():
    def f(x, n):
        m = torch.zeros(int(n.max()), 3)
        if m.shape[0] > 3:
            return m + 1
        return m.sum() + x

    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"m.shape\[0\] > 3`.\n.*\n  Cause: Python decides by the size of a tensor"):
        torch.compile(f, fullgraph=True)(torch.tensor(1.0), torch.tensor([4, 3]))


def test_what_a_raising_way_has_made_is_gone_behind_it():
    """A list that a raising way knows through its frames is no value behind the branch (kornia's resize)."""

    def check(condition, message):
        if not condition:
            raise Bad(message())

    def check_sizes(sizes):
        bad = []
        for s in sizes:
            if not (s % 2 == 1 and s > 0):
                bad.append(s)
        check(not bad, lambda: f"{bad[0]}")

    def f(x):
        if x.shape[0] > 8:
            k = x.shape[0] // 2
            k = k if k % 2 else k + 1
            check_sizes((k, k))
            torch.tensor([(1.0, 1.0)])
            x = x * torch.ones(1, k).sum()
        return x

    for captured in (torch.jit.trace(f, torch.ones(16)), torch.compile(f, fullgraph=True)):
        for size in (16, 4, 9, 20, 18):
            assert torch.equal(captured(torch.ones(size)), f(torch.ones(size)))


# --- Arguments that nobody reads.


def test_arguments_that_the_function_does_not_read():
    def f(x, step, name="a", *, other=None):
        return x + 1

    g = torch.compile(f)
    for k in range(6):
        assert torch.equal(g(torch.ones(2), k, name=str(k), other=object()), torch.full((2,), 2.0))
    report = torch._dynamo.explain(g)(torch.ones(2), 9, name="x", other=[k])
    assert report.graph_count == 1


def test_an_argument_that_an_inner_function_or_locals_reads_counts():
    def inner(x, k):
        return (lambda: x * k)()

    def by_name(x, k):
        return x * locals()["k"]

    for f in (inner, by_name):
        g = torch.compile(f)
        for k in (1, 2, 3.0):
            assert torch.equal(g(torch.ones(2), k), torch.full((2,), float(k)))


# --- Loops over plain containers.


def test_the_if_of_a_comprehension_keeps_the_elements_themselves():
    def f(x):
        parts = (x.sum(), x.min(), x.max())
        kept = [s for s in parts if s > 0]
        return torch.stack(kept).sum() + 10 * sum(a is b for a in kept for b in parts) if kept else x.sum()

    g = torch.compile(f)
    for x in (torch.ones(3), -torch.ones(3), torch.tensor([-1.0, 3.0, 4.0]), torch.tensor([-9.0, 3.0, 4.0])):
        assert torch.equal(g(x), f(x))


def test_a_generator_in_a_variable_and_a_strict_zip_hold_for_all_sizes():
    def sums(x):
        parts = (x[i] * i for i in range(x.shape[0]))
        return sum(parts)

    def zipped(x, y):
        total = x.new_zeros(())
        for k, (a, b) in enumerate(zip(x, y, strict=True), start=1):
            total = total + a * b * k
        return total

    for f, count in ((sums, 1), (zipped, 2)):
        g = torch.compile(f)
        for n in (3, 1, 5, 2, 7):
            inputs = [torch.arange(float(n)) + k for k in range(count)]
            assert torch.equal(torch.as_tensor(g(*inputs)), torch.as_tensor(f(*inputs)))
        assert torch._dynamo.explain(g)(*inputs).graph_count == 1
    for call in (zipped, torch.compile(zipped)):
        with pytest.raises(ValueError, match=r"zip\(\) argument 2 is longer than argument 1"):
            call(torch.ones(2), torch.ones(3))


def test_a_generator_that_is_read_again_is_empty():
    def f(x):
        parts = (x[i] for i in range(x.shape[0]))
        first = sum(parts)
        return first + sum(parts)

    g = torch.compile(f)
    for n in (3, 1, 4):
        assert torch.equal(g(torch.arange(float(n))), f(torch.arange(float(n))))


# --- Decimal numbers.

THIRD = (Decimal(1), Decimal(3))


def test_the_context_of_decimal_numbers_is_read():
    def divided(x):
        return x * float(THIRD[0] / THIRD[1])

    def rooted(x):
        return x * float(THIRD[1].sqrt())

    def in_its_own(x):
        with decimal.localcontext() as context:
            context.prec = 3
            return x * float(THIRD[0] / THIRD[1])

    x = torch.arange(3.0)
    for f in (divided, rooted, in_its_own):
        compiled, traced, symbolic = torch.compile(f), torch.jit.trace(f, x), torch.fx.symbolic_trace(f)
        for g in (compiled, traced, symbolic):
            assert torch.equal(g(x), f(x)) and torch.equal(g(x), f(x))
        with decimal.localcontext() as context:
            context.prec = 5
            assert torch.equal(compiled(x), f(x))
            for g in (traced, symbolic):
                with pytest.raises(RuntimeError, match="the context of decimal numbers"):  # a local one is a copy of it
                    g(x)
        assert torch.equal(compiled(x), f(x)) and torch.equal(traced(x), f(x))


# --- tolist().


def test_tolist_of_a_few_elements_gives_numbers_of_the_graph():
    def shaped(x, sizes):
        height, width = sizes.tolist()
        return x.reshape(height, width) * height

    def split(x, lengths):
        return torch.stack([part.sum() for part in x.split(lengths.tolist())])

    def padded(x, lengths):
        return torch.cat([torch.zeros(n) for n in lengths.tolist()])

    def listed(x, rows):
        return rows.tolist()

    for f, given in (
        (shaped, ([3, 4], [4, 3], [1, 12])), (split, ([5, 7], [1, 11], [12, 0], [4, 4, 4])), (padded, ([1, 2], [0, 3])),
        (listed, ([[1.5, 2.0], [3.0, 0.0]], [[0.5, 2.0], [3.0, 1.0]])),
    ):  # fmt: skip
        g = torch.compile(f, fullgraph=True)
        for numbers in given:
            found, expected = g(torch.arange(12.0), torch.tensor(numbers)), f(torch.arange(12.0), torch.tensor(numbers))
            assert found == expected if f is listed else torch.equal(found, expected)
    traced = torch.jit.trace(shaped, (torch.arange(12.0), torch.tensor([3, 4])))
    assert torch.equal(traced(torch.arange(12.0), torch.tensor([2, 6])), shaped(torch.arange(12.0), torch.tensor([2, 6])))
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"calls tolist\(\)"):
        torch.compile(listed, fullgraph=True)(torch.ones(1), torch.ones(5, 5))
