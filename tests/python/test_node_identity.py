"""One Python object a node for as long as either lives, under garbage collection; meta stays with the graph; cycles are collected."""

from __future__ import annotations

import gc
import random
import weakref

import monograph as torch
import pytest
from monograph.fx import Graph, Node


class Mark:
    """Something in meta whose death can be seen."""


def chain(n: int) -> Graph:
    graph = Graph()
    node = graph.placeholder("x")
    for _ in range(n):
        node = graph.call_function(torch.relu, (node,))
    graph.output(node)
    return graph


def test_a_node_is_one_object():
    graph = Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.add, (x, 1))
    assert y.args[0] is x
    assert next(iter(graph.nodes)) is x
    assert list(graph.nodes)[1] is y
    assert list(x.users)[0] is y
    assert y.all_input_nodes[0] is x
    assert x.next is y and y.prev is x
    assert y.graph is graph
    assert x.prev is y.next is graph._root


def test_the_arguments_are_one_object_until_they_change():
    graph = Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.cat, ([x, x],), {"dim": 1})
    args = y.args
    assert y.args is args and y.kwargs is y.kwargs
    y.args = ([x],)
    assert y.args is not args
    assert y.args == ([x],) and y.kwargs == {"dim": 1}
    with pytest.raises(TypeError, match="does not support mutation"):
        y.args[0].append(x)


def test_meta_outlives_every_reference_to_its_node():
    graph = chain(3)
    for i, node in enumerate(graph.nodes):
        node.meta["i"] = i
        node.anything = [i]
    del node
    gc.collect()
    assert [n.meta["i"] for n in graph.nodes] == list(range(5))
    assert [n.anything for n in graph.nodes] == [[i] for i in range(5)]


def test_a_meta_dict_held_alone_stays_that_of_its_node():
    graph = chain(1)
    meta = next(iter(graph.nodes)).meta
    gc.collect()
    meta["late"] = True
    assert next(iter(graph.nodes)).meta == {"late": True}


def test_nodes_without_meta_leave_nothing_behind():
    graph = chain(10)
    node = list(graph.nodes)[5]
    name, seen = node.name, weakref.ref(graph)
    del graph, node
    assert seen() is None, "reference counts alone free a graph without cycles"
    assert name == "relu_4"


def test_a_graph_with_meta_dies_without_the_collector():
    gc.disable()
    try:
        graph, mark = chain(3), Mark()
        for node in graph.nodes:
            node.meta["mark"] = mark
        seen = weakref.ref(mark)
        del node, mark, graph
        assert seen() is None
    finally:
        gc.enable()


def test_a_node_keeps_its_graph():
    node = list(chain(4).nodes)[2]
    gc.collect()
    assert node.graph.output_node().args[0].prev is node.next


@pytest.mark.parametrize("kind", ["itself", "another node", "the graph", "a list of all"])
def test_cycles_through_meta_are_collected(kind: str):
    graph, mark = chain(5), Mark()
    seen = weakref.ref(mark)
    nodes = list(graph.nodes)
    nodes[2].meta["mark"] = mark
    nodes[2].meta["cycle"] = {"itself": nodes[2], "another node": nodes[3], "the graph": graph, "a list of all": nodes}[kind]
    nodes[3].meta["back"] = nodes[2]
    del mark
    gc.collect()
    assert seen() is not None
    del nodes, graph
    gc.collect()
    assert seen() is None


def test_a_cycle_in_meta_is_not_cleared_while_the_graph_lives():
    graph = chain(3)
    node = list(graph.nodes)[1]
    node.meta["self"], node.meta["word"] = node, "kept"
    del node
    for _ in range(3):
        gc.collect()
    node = list(graph.nodes)[1]
    assert node.meta["self"] is node and node.meta["word"] == "kept"
    mark = node.meta["mark"] = Mark()
    seen = weakref.ref(mark)
    del node, mark, graph
    gc.collect()
    assert seen() is None


def test_a_callable_that_closes_over_its_graph_is_collected():
    def build() -> weakref.ref[Mark]:
        graph, mark = Graph(), Mark()
        graph.call_function(lambda value: (graph, mark), (graph.placeholder("x"),))
        return weakref.ref(mark)

    seen = build()
    gc.collect()
    assert seen() is None


def test_erased_nodes_stay_readable():
    graph = Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.add, (x, 2), {"alpha": 3})
    y.meta["word"] = "still here"
    with pytest.raises(RuntimeError, match="Tried to erase Node x but it still had 1 users"):
        graph.erase_node(x)
    graph.erase_node(y)
    assert (y.name, y.op, y.target, y.args, y.kwargs) == ("add", "call_function", torch.add, (x, 2), {"alpha": 3})
    assert y.meta == {"word": "still here"} and y._erased and not y.users and not x.users
    seen = weakref.ref(y)
    del y
    gc.collect()
    assert seen() is None, "the graph does not keep what was erased"


def test_erasing_while_iterating():
    graph = Graph()
    x = graph.placeholder("x")
    for _ in range(10):
        graph.call_function(torch.relu, (x,))
    for node in graph.nodes:
        if node.op == "call_function":
            graph.erase_node(node)
    assert [n.name for n in graph.nodes] == ["x"]


def test_weak_references_see_the_same_object():
    graph = chain(2)
    node = list(graph.nodes)[1]
    seen = weakref.ref(node)
    del node
    gc.collect()
    assert list(graph.nodes)[1] is seen()


def test_a_hundred_thousand_nodes():
    n = 100_000
    graph = chain(n)
    assert len(graph.nodes) == n + 2
    first = {id(node): node for node in graph.nodes}
    assert len(first) == n + 2
    assert all(id(node) in first for node in graph.nodes)
    for i, node in enumerate(graph.nodes):
        node.meta["i"] = i
    ids = [id(node) for node in graph.nodes]
    del node, first
    gc.collect()
    assert [id(node) for node in graph.nodes] == ids, "objects with meta are the same ones"
    assert all(node.meta["i"] == i for i, node in enumerate(graph.nodes))
    last = list(graph.nodes)[-1]
    while last.args:  # every node's arguments are made: the objects form one chain as long as the graph
        last = last.args[0]
    assert last.name == "x"
    seen = weakref.ref(graph)
    del graph, last
    gc.collect()
    assert seen() is None


def test_editing():
    graph = Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    a = graph.call_function(torch.add, (x, y))
    graph.output(a)
    with graph.inserting_before(a):
        b = graph.call_function(torch.relu, (x,))
    with graph.inserting_after(a):
        c = graph.call_method("neg", (a,))
    assert [n.name for n in graph.nodes] == ["x", "y", "relu", "add", "neg", "output"]
    assert a.replace_all_uses_with(c, delete_user_cb=lambda user: user is not c) == [graph.output_node()]
    assert graph.output_node().args == (c,) and c.args == (a,)
    a.replace_input_with(x, b)
    assert a.args == (b, y) and list(b.users) == [a]
    c.name = "add"
    assert c.name == "add_1"
    b.append(c)
    assert [n.name for n in graph.nodes] == ["x", "y", "relu", "add_1", "add", "output"]
    with pytest.raises(RuntimeError, match="used before it has been defined"):
        graph.lint()
    a.append(c)
    graph.lint()
    assert x < y < a and not a < x
    assert isinstance(c, Node) and {x: 1}[x] == 1


def test_dead_code_goes_and_placeholders_stay():
    graph = Graph()
    x = graph.placeholder("x")
    dead = graph.call_function(torch.relu, (x,))
    graph.call_function(torch.relu, (dead,))
    graph.output(x)
    assert graph.eliminate_dead_code()
    assert [n.op for n in graph.nodes] == ["placeholder", "output"]
    assert not graph.eliminate_dead_code()


def test_copies_are_other_nodes_with_the_same_contents():
    graph = chain(3)
    list(graph.nodes)[1].meta["word"] = "m"
    copy = graph.__deepcopy__()
    assert str(copy) == str(graph)
    assert list(copy.nodes)[1] is not list(graph.nodes)[1]
    assert list(copy.nodes)[1].meta == {"word": "m"}
    made = graph.call_function(torch.relu, (list(copy.nodes)[0],))
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        graph.lint()
    graph.erase_node(made)


def test_graph_nodes_may_be_called():
    graph = chain(2)
    assert [n.name for n in graph.nodes] == ["x", "relu", "relu_1", "output"]
    assert [n.name for n in graph.nodes()] == ["relu", "relu_1"]  # as torch._C.Graph has it
    assert [n.name for n in reversed(graph.nodes)] == ["output", "relu_1", "relu", "x"]


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_and_collections(seed: int):
    """What is held is what the graph shows, and meta is never lost, whatever is edited and collected in between."""
    rng = random.Random(seed)
    for _ in range(10):
        graph = Graph()
        graph.placeholder("x")
        held: dict[str, Node] = {}
        for step in range(300):
            alive, r = list(graph.nodes), rng.random()
            node, other = rng.choice(alive), rng.choice(alive)
            if r < 0.3:
                graph.call_function(rng.choice([torch.relu, torch.add, lambda a: a]), (node, [other], {"k": node}))
            elif r < 0.4:
                node.meta[rng.choice("abc")] = rng.choice([1, node, graph, other, [node]])
            elif r < 0.5:
                held[node.name] = node
            elif r < 0.6 and held:
                held.pop(rng.choice(list(held)))
            elif r < 0.7 and not node.users and node.op != "placeholder":
                held.pop(node.name, None)
                graph.erase_node(node)
            elif r < 0.78:
                gc.collect(0 if r < 0.75 else 2)
            elif r < 0.85:
                assert len(node.args) == len(node.args) and node.users is not None and (node.next, node.prev)
            elif r < 0.9:
                if other < node and node.args:
                    node.args = (other,)
            else:
                node.tag = step
            del node, other, alive
            shown = {n.name: n for n in graph.nodes}
            assert all(shown[name] is n for name, n in held.items())
            del shown
        noted = {n.name: dict(n.meta) for n in graph.nodes if n.meta}
        gc.collect()
        assert {n.name: n.meta for n in graph.nodes if n.meta} == noted
        seen = weakref.ref(graph)
        del graph, noted, held
        gc.collect()
        assert seen() is None
