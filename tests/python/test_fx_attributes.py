"""Attributes of proxies: a symbolic trace reads them when the program does, and an assignment of one is recorded or refused."""

import copy

import monograph as torch
import pytest
from monograph import fx


def numbers(n=2, m=3):
    return torch.arange(1.0, n * m + 1).reshape(n, m)


def shape_before_it_changes(x):
    shape = x.shape
    x.t_()
    return x * shape[0]


def transposed_before_it_changes(x):
    flipped = x.T
    x.t_()
    return flipped * 2


def counts_writes(x):
    before = x._version
    x.add_(1)
    return x * (x._version - before)


def counts_writes_of_a_way(x):
    before = x._version
    if x.sum() > 30:
        x.add_(1)
        x.mul_(2)
    return x * (x._version - before)


def counts_writes_of_a_layer(x):
    before = x._version
    torch.nn.functional.relu(x, inplace=True)
    return x * (x._version - before)


def asks_before_it_sets(x):
    y = x * 1
    trained = y.requires_grad
    y.requires_grad_()
    return y.detach() * (3 if trained else 5)


def dims_before_it_changes(x):
    n = x.ndim
    x.unsqueeze_(0)
    return x * n * x.ndim


def data_of_itself(x):
    x.data += 1
    x.data.mul_(2)
    x.data[0] = 7
    return x * 2


@pytest.mark.parametrize(
    "f",
    [
        shape_before_it_changes, transposed_before_it_changes, counts_writes, counts_writes_of_a_way, counts_writes_of_a_layer, asks_before_it_sets,
        dims_before_it_changes, data_of_itself,
    ],
)  # fmt: skip
def test_an_attribute_is_read_where_the_program_reads_it(f):
    traced = fx.symbolic_trace(f)
    for n, m in ((2, 3), (3, 5), (1, 1)):
        x, y = numbers(n, m), numbers(n, m)
        assert torch.equal(traced(x), f(y)) and torch.equal(x, y), (n, m)


def test_a_method_or_shape_that_nobody_changes_is_no_node_of_its_own():
    def f(x):
        shape, add = x.shape, x.add_
        add(1)
        return x.view(shape)

    assert [node.target for node in fx.symbolic_trace(f).graph.nodes] == ["x", "add_", getattr, "view", "output"]


def test_an_attribute_that_a_way_changes_is_refused_behind_it():
    def f(x):
        y = x + 1
        shape = y.shape
        if x.sum() > 3:
            y.t_()
        return y * shape[0]

    with pytest.raises(fx.proxy.TraceError, match=r"shape(.|\n)*branch or loop(.|\n)*test_fx_attributes.py:\d+"):
        fx.symbolic_trace(f)


def of_parts(x):
    x.imag = x.real * 2
    x.real = 5
    return x * 2


def test_parts_of_complex_numbers_may_be_assigned():
    values = torch.tensor([1 + 2j, 3j])
    captures = [fx.symbolic_trace(of_parts), fx.symbolic_trace(of_parts).graph, torch.jit.trace(of_parts, values.clone()), torch.compile(of_parts, backend="eager")]
    for capture in captures:
        for x in (values, values[:1], values[:0]):
            got, expected = copy.deepcopy(x), copy.deepcopy(x)
            assert torch.equal(capture(got), of_parts(expected)) and torch.equal(got, expected)


def of_input(x, y):
    x.data = y
    return x * 2


def of_local(x, y):
    z = x + 1
    z.data = y
    z.add_(1)
    return y * 2


def of_product(x, y):
    x.data = x.data * 0.9
    return x + y


@pytest.mark.parametrize("f", [of_input, of_local, of_product])
def test_other_memory_for_a_tensor_is_refused_by_line(f):
    message = r"`\.data = `(.|\n)*copy_\(\)(.|\n)*test_fx_attributes.py:\d+|test_fx_attributes.py:\d+(.|\n)*copy_\(\)"
    with pytest.raises((RuntimeError, ValueError), match=message):
        fx.symbolic_trace(f)
    with pytest.raises((RuntimeError, ValueError), match=message):
        torch.jit.trace(f, (numbers(), numbers()), check_trace=False)
    compiled = torch.compile(f, backend="eager")
    for n in (2, 5):
        got, expected = (numbers(n), numbers(n) * 3), (numbers(n), numbers(n) * 3)
        assert torch.equal(compiled(*got), f(*expected)) and all(map(torch.equal, got, expected))


def test_an_update_of_data_in_place_is_traced():
    def f(x, w):
        w.data -= 0.5 * x
        w.data.mul_(2)
        return x * w

    captures = [torch.jit.trace(f, (numbers(), numbers())), fx.symbolic_trace(f), fx.symbolic_trace(f).graph, torch.compile(f, backend="eager")]
    for capture in captures:
        for n in (2, 1, 4):
            got, expected = (numbers(n), numbers(n) * 3), (numbers(n), numbers(n) * 3)
            assert torch.equal(capture(*got), f(*expected)) and all(map(torch.equal, got, expected))


def test_a_compiled_function_may_swap_tensors():
    net = torch.nn.Linear(2, 2)
    other = torch.nn.Linear(2, 2)

    def f(x):
        torch.utils.swap_tensors(net.weight, other.weight)
        return x @ net.weight

    compiled = torch.compile(f, backend="eager")
    weights = [other.weight.tolist(), net.weight.tolist()]
    for k in range(4):
        x = torch.ones(1 + k, 2)
        assert torch.allclose(compiled(x), x @ torch.tensor(weights[k % 2]))


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_other_memory_for_a_tensor_from_outside_is_refused_and_put_back(how):
    kept, other = torch.ones(2), torch.zeros(2)

    def doubled(x):
        kept.data = kept * 2
        return x * kept

    def replaced(x):
        kept.data = other
        return x * kept

    for f in (doubled, replaced):
        with pytest.raises(RuntimeError, match=r"data(.|\n)*test_fx_attributes.py:\d+"):
            torch.jit.trace(f, torch.ones(2), check_trace=False) if how == "trace" else fx.symbolic_trace(f)
        assert kept.tolist() == [1, 1] and other.tolist() == [0, 0]


def test_the_data_of_a_buffer_may_be_updated_in_place():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.ones(2))

        def forward(self, x):
            self.count.data *= 2
            return x * self.count

    for capture in (fx.symbolic_trace, lambda net: torch.compile(net, backend="eager")):
        net, twin = Counting(), Counting()
        captured = capture(net)
        for k in range(3):
            assert torch.equal(captured(torch.ones(2) + k), twin(torch.ones(2) + k)) and torch.equal(net.count, twin.count)
    with pytest.raises(RuntimeError, match=r"copy_\(\)(.|\n)*test_fx_attributes.py:\d+"):
        torch.jit.trace(Counting(), torch.ones(2), check_trace=False)
