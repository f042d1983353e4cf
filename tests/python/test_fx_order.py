"""The order of users and of inserted nodes, as torch.fx 2.13 has it: passes go through both."""

import monograph as torch
import pytest
from monograph import fx


def made():
    g = fx.Graph()
    x, y, z = (g.placeholder(name) for name in "xyz")
    a = g.call_function(torch.add, (x, y))
    b = g.call_function(torch.mul, (x, x))
    c = g.call_function(torch.cat, ([y, x],))
    g.output((c, b, a, x))
    return g, x, y, z, a, b, c


def users(*nodes):
    return [[u.name for u in n.users] for n in nodes]


def lines(g):
    """The names that the lines of the generated code bind."""
    code = fx.GraphModule({}, g).code.splitlines()
    return [line.split()[0] for line in code if " = " in line and not line.startswith("def")]


def test_a_node_whose_argument_is_replaced_is_the_last_user_of_all_its_arguments():
    _, x, y, _, a, _, _ = made()
    a.replace_input_with(x, y)
    assert users(x, y) == [["mul", "cat", "output"], ["cat", "add"]]
    a.replace_input_with(y, x)
    assert users(x, y) == [["mul", "cat", "output", "add"], ["cat"]]


def test_users_move_in_their_order():
    _, x, y, *_ = made()
    assert [n.name for n in x.replace_all_uses_with(y)] == ["add", "mul", "cat", "output"]
    assert users(x, y) == [[], ["add", "mul", "cat", "output"]]
    _, x, y, *_ = made()
    y.replace_all_uses_with(x)
    assert users(x, y) == [["mul", "output", "add", "cat"], []]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_nodes_inserted_between_placeholders_keep_the_order_of_those(order):
    g, *inputs = made()
    for k in order:
        with g.inserting_after(inputs[k]):
            g.call_function(torch.neg, (inputs[k],), name=f"n{k}")
    assert lines(g)[:3] == ["n0", "n1", "n2"]
    for k in order:
        with g.inserting_after(inputs[k]):
            g.call_function(torch.abs, (inputs[k],), name=f"m{k}")
    assert lines(g)[:6] == ["m0", "n0", "m1", "n1", "m2", "n2"]
    for k in order:
        with g.inserting_before(inputs[k]):
            g.call_function(torch.ones, (k,), name=f"b{k}")
    assert lines(g)[:9] == ["b0", "m0", "n0", "b1", "m1", "n1", "b2", "m2", "n2"]
    g.lint()


def test_a_node_behind_a_later_placeholder_uses_one_behind_an_earlier():
    g, x, y, *_ = made()
    with g.inserting_after(x):
        n = g.call_function(torch.neg, (x,))
    with g.inserting_after(n):
        m = g.call_function(torch.abs, (n,))
    with g.inserting_before(n):
        g.call_function(torch.sin, (x,))
    with g.inserting_after(y):
        c = g.call_function(torch.cos, (m,))
    g.lint()
    assert lines(g)[:4] == ["sin", "neg", "abs_1", "cos"]
    y.append(n)  # behind y, before cos
    assert lines(g)[:4] == ["sin", "abs_1", "neg", "cos"]
    x.append(c)
    assert lines(g)[:4] == ["cos", "sin", "abs_1", "neg"]


def test_what_followed_an_erased_placeholder_follows_the_one_before_it():
    g = fx.Graph()
    x, y, z = (g.placeholder(name) for name in "xyz")
    with g.inserting_after(y):
        n = g.call_function(torch.ones, (1,))
    g.output((x, z, n))
    g.erase_node(y)
    with g.inserting_after(z):
        m = g.call_function(torch.neg, (n,))
    with g.inserting_after(x):
        g.call_function(torch.abs, (x,))
    g.lint()
    assert lines(g)[:3] == ["abs_1", "ones", "neg"] and m.args == (n,)
