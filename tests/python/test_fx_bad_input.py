"""Edits and programs that torch.fx cannot take: the error names the node, its line and a way out, and the graph stays as it was."""

from __future__ import annotations

import gc
import operator
import re

import monograph as torch
import pytest
from monograph import fx, nn


def program(x, y):
    a = torch.relu(x)
    b = a + y
    return b * 2


RELU = program.__code__.co_firstlineno + 1
HERE = re.escape(__file__)


@pytest.fixture
def gm():
    made = fx.symbolic_trace(program)
    text, code = str(made.graph), made.code
    yield made
    assert str(made.graph) == text, "the graph changed"
    made.graph.lint()
    made.recompile()
    assert made.code == code
    x = torch.ones(2)
    assert made(x, x).tolist() == made.graph(x, x).tolist() == [4, 4]


def nodes(gm):
    return {n.name: n for n in gm.graph.nodes}


def test_a_used_node_cannot_be_erased(gm):
    with pytest.raises(
        RuntimeError, match=rf"erase Node relu but it still had 1 users in the graph: .*add.*! replace_all_uses_with .*{HERE}:{RELU}"
    ):
        gm.graph.erase_node(nodes(gm)["relu"])


def test_a_use_before_the_definition_is_found(gm):
    relu, add, x = (nodes(gm)[name] for name in ("relu", "add", "x"))
    relu.args = (add,)
    with pytest.raises(
        RuntimeError, match=rf"(?s)Argument 'add' of Node 'relu' was used before it has been defined! .*relu was made at {HERE}:{RELU}"
    ):
        gm.graph.lint()
    with pytest.raises(RuntimeError, match=rf"(?s)add is used before it is computed; graph.lint\(\) says where.*{HERE}:{RELU + 1}"):
        gm.graph(torch.ones(2), torch.ones(2))
    relu.args = (x,)
    add.append(relu)
    with pytest.raises(RuntimeError, match="Argument 'relu' of Node 'add'"):
        gm.graph.lint()
    add.prepend(relu)


def test_lint_looks_into_blocks():
    made = fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: torch.relu(x.neg()), lambda: x))
    relu, neg = (next(n for n in made.graph.nodes(recursive=True) if n.name == name) for name in ("relu", "neg"))
    made.graph.lint()
    relu.append(neg)
    with pytest.raises(RuntimeError, match="Argument 'neg' of Node 'relu' was used before"):
        made.graph.lint()


def test_nodes_of_another_graph_are_refused(gm):  # as arguments they are found by lint: test_fx_foreign_nodes.py
    foreign = nodes(fx.symbolic_trace(program))["relu"]
    relu, add = (nodes(gm)[name] for name in ("relu", "add"))
    belongs = rf"node relu \(made at {HERE}:{RELU}\) belongs to another graph; copy it with node_copy first"
    for edit in (
        lambda: add.replace_input_with(relu, foreign),
        lambda: relu.replace_all_uses_with(foreign),
        lambda: relu.replace_all_uses_with(foreign, delete_user_cb=lambda user: True),
    ):
        with pytest.raises(RuntimeError, match=belongs):
            edit()
    for move in (relu.append, relu.prepend):
        with pytest.raises(AssertionError, match=rf"move Node relu \(made at {HERE}:{RELU}\) into a different Graph. node_copy makes a copy"):
            move(foreign)
    with pytest.raises(RuntimeError, match=rf"remove relu \(made at {HERE}:{RELU}\) from wrong graph! node.graph is its own"):
        gm.graph.erase_node(foreign)
    for place in (gm.graph.inserting_before, gm.graph.inserting_after):
        with pytest.raises(AssertionError, match=rf"(?s)not in graph. relu belongs to another graph.*{HERE}:{RELU}"):
            place(foreign)


@pytest.mark.parametrize("op_first", [True, False])
def test_op_and_target_are_set_in_any_order(op_first):
    made = fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
    relu, add = nodes(made)["relu"], nodes(made)["add"]
    for node, op, target in ((relu, "call_method", "tanh"), (relu, "call_function", torch.sigmoid), (add, "call_method", "sub")):
        if op_first:
            node.op, node.target = op, target
        else:
            node.target, node.op = target, op
    made.graph.lint()
    made.recompile()
    x = torch.ones(2)
    assert torch.equal(made(x, x), x.sigmoid() - x) and torch.equal(made.graph(x, x), x.sigmoid() - x)


def test_a_target_that_does_not_suit_the_op_is_found(gm):
    relu = nodes(gm)["relu"]
    text = rf"(?s)Node relu target .* but a str is expected, since its op is call_method\n  relu was made at {HERE}:{RELU}\n.*node.op to 'call_function'"
    relu.op = "call_method"
    with pytest.raises(ValueError, match=text + r".*%add : "):
        gm.graph.lint()
    with pytest.raises(ValueError, match=text):
        gm.recompile()
    relu.op, relu.target = "call_function", "relu"
    with pytest.raises(ValueError, match=r"Node relu target 'relu' has type str but a Callable is expected, since its op is call_function"):
        gm.recompile()
    relu.target = torch.relu
    with pytest.raises(ValueError, match="the target of a node is a str or callable, but got int"):
        relu.target = 5


def test_lint_shows_the_lines_around_the_node():
    def chain(x):
        for _ in range(100):
            x = torch.relu(x)
        return x

    made = fx.symbolic_trace(nn.Sequential(*[nn.ReLU() for _ in range(100)]))
    nodes(made)["_50"].target = "none"
    with pytest.raises(RuntimeError, match="nonexistent attribute none of the module") as raised:
        made.graph.lint()
    shown = str(raised.value).split("graph():\n")[1].splitlines()
    assert len(shown) == 23 and shown[0] == shown[-1] == "    ..." and shown[11].lstrip().startswith("%_50 ")
    long = fx.symbolic_trace(chain)
    second = nodes(long)["relu_1"]
    second.args = (nodes(long)["relu_2"],)
    with pytest.raises(RuntimeError, match="used before it has been defined") as raised:
        long.graph.lint()
    assert "%relu_1 " in str(raised.value) and "%relu_11 " in str(raised.value) and "%relu_40 " not in str(raised.value)


def test_an_erased_node_cannot_be_used(gm):
    x = nodes(gm)["x"]
    lost = gm.graph.call_function(torch.neg, (x,))
    gm.graph.erase_node(lost)
    message = rf"%neg \(made at {HERE}:\d+\) was erased from the graph. Use the node that took its place, or make a new one"
    for edit in (
        lambda: gm.graph.call_function(torch.relu, (lost,)),
        lambda: setattr(nodes(gm)["relu"], "args", (lost,)),
        lambda: x.replace_all_uses_with(lost),
        lambda: setattr(lost, "args", (x,)),
    ):
        with pytest.raises(ValueError, match=message):
            edit()


def test_keywords_that_are_no_texts_are_refused(gm):
    with pytest.raises(TypeError, match="the keys of kwargs are str, but got int"):
        nodes(gm)["relu"].kwargs = {1: 2}


def test_another_structure_than_that_of_concrete_args_is_told():
    made = fx.symbolic_trace(lambda x, d: x + d["a"][0], concrete_args={"d": {"a": [fx.PH, 3]}})
    x = torch.ones(2)
    assert made(x, {"a": [x, 3]}).tolist() == [2, 2]
    for given, error in (({"a": [x]}, IndexError), ({"b": [x, 3]}, KeyError), (5, TypeError)):
        with pytest.raises(error) as raised:
            made(x, given)
        assert "the function was traced with concrete_args that are TreeSpec(" in raised.value.__notes__[0]


def test_targets_that_do_not_exist_are_found(gm):
    relu, x = nodes(gm)["relu"], nodes(gm)["x"]
    with gm.graph.inserting_before(relu):
        with pytest.raises(AttributeError, match=r"has no attribute `nope`\ncall_module\('nope'\) needs the module: call add_submodule\('nope', module\)"):
            gm.graph.call_module("nope", (x,))
        assert "nope" not in nodes(gm)  # the graph is unchanged
        made = [lambda: gm.graph.get_attr("no.such"), lambda: gm.graph.create_node("call_module", "nope", (x,))]
        for make, name in zip(made, ("no", "nope"), strict=True):
            node = make()
            with pytest.raises(
                RuntimeError,
                match=rf"(?s)Node {node.name} .*nonexistent attribute {name} of the module\n  {node.name} was made at {HERE}:\d+\nadd_submodule\(\)",
            ):
                gm.graph.lint()
            gm.graph.erase_node(node)
        node = gm.graph.call_method("no_method", (x,))
        with pytest.raises(AttributeError, match=rf"(?s)no attribute 'no_method'.*{HERE}:\d+"):
            gm.graph(torch.ones(2), torch.ones(2))
        gm.graph.erase_node(node)


@pytest.mark.parametrize(
    ("pattern", "replacement", "message"),
    [
        (lambda a: torch.relu(a), lambda a: (torch.relu(a), a), "Returning nodes count mismatch: 1 vs 2"),
        (lambda a: torch.relu(a), lambda a, b: torch.relu(a) + b, "Placeholder count mismatch: 1 vs 2"),
        (lambda a: torch.relu(a), lambda a: None, "the replacement returns None, which no node computes"),
        (lambda a: (torch.relu(a), 3), lambda a: (torch.relu(a), torch.neg(a)), "the pattern returns 3, which no node computes"),
        (
            lambda a, b: torch.relu(a),
            lambda a, b: a.relu(),
            "the pattern's input %b is not used, so it could stand for anything. Leave it out",
        ),
        (lambda a: a, lambda a: torch.relu(a), "the pattern only returns its inputs, so every value of the graph would match"),
    ],
)
def test_patterns_with_unbound_results_are_refused(gm, pattern, replacement, message):
    with pytest.raises((AssertionError, ValueError), match=message):
        fx.replace_pattern(gm, pattern, replacement)


def test_graphs_without_a_result_are_no_patterns(gm):
    empty = fx.Graph()
    empty.call_function(torch.relu, (empty.placeholder("a"),))
    for pattern, replacement in ((empty, lambda a: a.relu()), (lambda a: torch.relu(a), empty)):
        with pytest.raises(AssertionError, match="the graph has no output node yet"):
            fx.replace_pattern(gm, pattern, replacement)


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.other = None

    def forward(self, x):
        return self.other(x) + 1


def recursive(x):
    return recursive(x) + 1


def test_modules_that_call_each_other_without_end_are_named():
    first, second = Calls(), Calls()
    first.other, second.other = second, first
    line = Calls.forward.__code__.co_firstlineno + 1
    with pytest.raises(
        RecursionError,
        match=rf"(?s)calls itself without end, through the modules 'other' -> the root -> 'other':\n.*{HERE}:{line}.*concrete_args",
    ):
        fx.symbolic_trace(first)
    with pytest.raises(RecursionError, match=rf"(?s)without end, through its functions:\n.*{HERE}:{recursive.__code__.co_firstlineno + 1}"):
        fx.symbolic_trace(recursive)


def test_a_graph_that_calls_its_own_module_is_found():
    made = fx.symbolic_trace(program)
    made.add_submodule("again", nn.Sequential(made))
    relu = nodes(made)["relu"]
    with made.graph.inserting_after(relu):
        made.graph.call_module("again", (relu,))
    with pytest.raises(
        RuntimeError, match=r"(?s)Node again calls the module again, which holds the module of this graph: the call would not end.*made at"
    ):
        made.graph.lint()


def test_a_proxy_that_escapes_is_refused():
    kept = []

    def keeps(x):
        kept.extend([x, x * 2, x.shape])
        return x + 1

    made = fx.symbolic_trace(keeps)
    text, line = str(made.graph), keeps.__code__.co_firstlineno + 1
    x, doubled, shape = kept
    escaped = rf"(?s)made at {HERE}:\d+, is used after the function was traced:\n  {HERE}:\d+.*Return the value from the function.*torch.fx.Proxy\(node\)"
    for use in (
        lambda: x + 1,
        lambda: torch.relu(x),
        lambda: x.sum(),
        lambda: torch.add(torch.ones(2), doubled),
        lambda: shape[0],
        lambda: torch.cat([torch.ones(2), x]),
        lambda: 2 < x,
    ):
        with pytest.raises(fx.proxy.TraceError, match=escaped):
            use()
    with pytest.raises(fx.proxy.TraceError, match=rf"the proxy of mul, made at {HERE}:{line}"):
        doubled + 1  # noqa: B018
    assert str(made.graph) == text and made(torch.ones(1)).item() == 2
    with pytest.raises(RuntimeError, match="belongs to another graph"):
        fx.symbolic_trace(lambda y: y + x)
    again = fx.Proxy(x.node)  # who appends to the graph says so
    assert (again + 1).node.graph is made.graph


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x if x.sum() > 0 else None, "The branch cannot be kept: `the value of the expression` cannot be joined: it is a traced value on one side and None"),
        (lambda x: list(x), "`x` has an unknown number of elements"),
        (lambda x: list(range(x.shape[0])), "Python needs node `getitem` as a number here.* torch.while_loop"),
        (lambda x: 1 in x, "Node `x` has no value"),
        (lambda x: {x: 1}, "cannot be hashed"),
    ],
)
def test_control_flow_that_cannot_be_captured_is_refused(function, message):
    with pytest.raises((fx.proxy.TraceError, TypeError), match=rf"(?s){HERE}:{function.__code__.co_firstlineno}") as raised:
        fx.symbolic_trace(function)
    assert re.search(f"(?s){message}", str(raised.value))


def test_a_copy_of_an_if_has_its_blocks():
    made = fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1))
    choice = next(n for n in made.graph.nodes if n.name == "if_1")
    with made.graph.inserting_after(choice):
        copied = made.graph.node_copy(choice, lambda n: n)
    made.graph.output_node().args = (made.graph.call_function(operator.add, (choice, copied)),)
    made.graph.lint()
    made.recompile()
    for x, expected in ((torch.ones(2), [4, 4]), (-torch.ones(2), [-4, -4])):
        assert made(x).tolist() == made.graph(x).tolist() == expected
    with pytest.raises(NotImplementedError, match="node_copy: if_1 has blocks, which read"):
        made.graph.node_copy(choice, lambda n: 1)


@pytest.fixture
def no_collection():
    """A collection in the deepest call runs callbacks of other tests' weak references, which reach Python's limit there; pytest takes that for a failure."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("method", ["__repr__", "state_dict", "train", "eval", "half", "apply", "load_state_dict"])
def test_a_graph_module_that_contains_itself(method, no_collection):
    given = {"apply": [lambda m: None], "load_state_dict": [{}]}.get(method, [])
    gm = fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    gm.other = nn.Sequential(nn.Linear(1, 1))
    gm.other.back = gm
    with pytest.raises(RecursionError, match=r"would not end, because a module contains itself: 'other\.back' is the module itself again.*del module\.get_submodule\('other'\)\.back"):
        getattr(gm, method)(*given)
    del gm.other.back
    gm.inner = nn.Sequential(nn.Sequential())
    gm.inner[0].append(gm.inner)
    with pytest.raises(RecursionError, match=r"'inner\.0\.0' is 'inner' again.*get_submodule\('inner\.0'\)\._modules\['0'\]"):
        getattr(gm, method)(*given)
    del gm.inner
    gm.reference = [gm]  # no submodule
    getattr(gm, method)(*(given if method != "load_state_dict" else [gm.state_dict()]))


def test_a_wrapped_name_that_does_not_exist_is_named():
    from monograph.fx import _symbolic_trace

    names: dict = {"__name__": "somewhere"}
    exec("import monograph.fx\nmonograph.fx.wrap('no_such_function')", names)
    try:
        with pytest.raises(NameError, match=r"torch.fx.wrap\('no_such_function'\): there is no function of this name"):
            fx.symbolic_trace(lambda x: x + 1)
    finally:
        for key in [key for key in _symbolic_trace._wrapped_fns_to_patch if key[1] == "no_such_function"]:
            del _symbolic_trace._wrapped_fns_to_patch[key]
    assert fx.symbolic_trace(lambda x: x + 1)(torch.ones(1)).item() == 2


def test_a_call_with_a_use_before_the_definition_names_both_nodes():
    gm = fx.symbolic_trace(program)
    relu, add = nodes(gm)["relu"], nodes(gm)["add"]
    add.append(relu)
    gm.recompile()
    words = rf"(?s)the node add uses relu, which stands after it in the graph\. Move it before add: add\.prepend\(relu\), then recompile.*add was made at {HERE}:{RELU + 1}.*{HERE}:{RELU}"
    with pytest.raises(UnboundLocalError, match=words):
        gm(torch.ones(2), torch.ones(2))
    add.prepend(relu)
    gm.recompile()
    assert gm(torch.ones(2), torch.ones(2)).tolist() == [4, 4]


def test_a_call_of_a_node_that_is_its_own_argument_names_it():
    gm = fx.symbolic_trace(program)
    relu = nodes(gm)["relu"]
    relu.args = (relu,)
    gm.recompile()
    with pytest.raises(UnboundLocalError, match=rf"the node relu is an argument of itself\. Give it another one.*\n  relu was made at {HERE}:{RELU}"):
        gm(torch.ones(2), torch.ones(2))


def test_errors_of_typed_and_writing_lines_name_the_users_line():
    def missing_method(x, y):
        return x.vieww(2)

    def write_outside(x, y):
        a = torch.relu(x)
        a[7] = y
        return a

    first = missing_method.__code__.co_firstlineno
    typed = fx.symbolic_trace(missing_method)
    for node in typed.graph.nodes:
        node.type = torch.Tensor
    typed.recompile()
    for gm, line in ((typed, first + 1), (fx.symbolic_trace(write_outside), first + 5)):
        with pytest.raises((AttributeError, IndexError)) as caught:
            gm(torch.ones(2), torch.ones(()))
        assert f"recorded at {__file__}:{line}" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
