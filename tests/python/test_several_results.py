"""Gradients of calls with several results: one node for the call, whose hooks run in PyTorch's order, and no writes to one of several views.

Each program is text that leaves its observations in `result`. It runs here against what PyTorch 2.13 gave, and in `./dev test --oracle` in PyTorch."""

from __future__ import annotations

import re
from typing import Any

import monograph as torch
import pytest

PRELUDE = """
log = []

def leaf(*sizes):
    numel = 1
    for n in sizes:
        numel *= n
    return torch.arange(1.0, 1 + numel).reshape(*sizes).requires_grad_()

def hook(name, returns=lambda g: None):
    def run(g):
        log.append((name, None if g is None else g.tolist()))
        return returns(g)
    return run

def listed(tensors):
    return [None if t is None else t.tolist() for t in tensors]

def error_of(f):
    try:
        f()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return None

CALLS = {
    "unbind": lambda x: x.unbind(0), "unbind of columns": lambda x: torch.unbind(x, 1), "iteration": lambda x: tuple(x),
    "split": lambda x: x.split(3), "split of columns": lambda x: x.split(1, 1), "split, list": lambda x: x.split([1, 3]),
    "split_with_sizes": lambda x: torch.split_with_sizes(x, [1, 0, 3]), "chunk": lambda x: x.chunk(3), "one piece": lambda x: x.split(4),
}
SLICES = {
    "tensor_split": lambda x: x.tensor_split(2), "hsplit": lambda x: x.hsplit(2), "vsplit": lambda x: x.vsplit(2),
    "meshgrid": lambda x: torch.meshgrid(x[:, 0], x[:, 1], indexing="ij"),
}
"""

SEVERAL = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. "
    "You should replace the inplace operation by an out-of-place one."
)
WRITTEN = "is a view and is being modified inplace." + SEVERAL
BASE_WRITTEN = "is a view and its base or another view of its base has been modified inplace." + SEVERAL

# Text, and what PyTorch 2.13 leaves in `result`.
PROGRAMS: dict[str, tuple[str, Any]] = {
    "one node for the call": (
        """
result = []
for name, call in CALLS.items():
    results = call(leaf(4, 2) * 1)
    node = results[0].grad_fn
    result.append((name, node.name(), [t.grad_fn is node for t in results] == [True] * len(results), [t.output_nr for t in results]))
""",
        [
            ("unbind", "UnbindBackward0", True, [0, 1, 2, 3]),
            ("unbind of columns", "UnbindBackward0", True, [0, 1]),
            ("iteration", "UnbindBackward0", True, [0, 1, 2, 3]),
            ("split", "SplitBackward0", True, [0, 1]),
            ("split of columns", "SplitBackward0", True, [0, 1]),
            ("split, list", "SplitWithSizesBackward0", True, [0, 1]),
            ("split_with_sizes", "SplitWithSizesBackward0", True, [0, 1, 2]),
            ("chunk", "SplitBackward0", True, [0, 1]),
            ("one piece", "SplitBackward0", True, [0]),
        ],
    ),
    "a node for each slice": (
        """
result = []
for name, call in SLICES.items():
    results = call(leaf(4, 2) * 1)
    result.append((name, len({t.grad_fn for t in results}), [t.output_nr for t in results]))
""",
        [("tensor_split", 2, [0, 0]), ("hsplit", 2, [0, 0]), ("vsplit", 2, [0, 0]), ("meshgrid", 2, [0, 0])],
    ),
    "what leads to the node": (
        """
x = leaf(2, 2)
y = x * 2
a, b = y.unbind()
total = (a * b).sum()
product = total.grad_fn.next_functions[0][0]
result = [
    [(node is a.grad_fn, place) for node, place in product.next_functions],
    [(node is y.grad_fn, place) for node, place in a.grad_fn.next_functions],
    a.grad_fn is a.grad_fn, a.grad_fn == b.grad_fn, a.grad_fn == y.grad_fn, len({a.grad_fn, b.grad_fn}),
]
""",
        [[(True, 0), (True, 1)], [(True, 0)], True, True, False, 1],
    ),
    "hooks run in the order of their tensors' first hooks": (
        """
x = leaf(3, 2)
a, b, c = x.unbind(0)
c.register_hook(hook("c")); a.register_hook(hook("a")); b.register_hook(hook("b")); c.register_hook(hook("c again"))
(a * b * 2 + c).sum().backward()
result = [log, x.grad.tolist()]
""",
        [
            [("c", [1, 1]), ("c again", [1, 1]), ("a", [6, 8]), ("b", [2, 4])],
            [[6, 8], [2, 4], [1, 1]],
        ],
    ),
    "a hook of a result without a gradient gets None": (
        """
x = leaf(3, 2)
y = x * 2
a, b, c = y.unbind(0)
y.register_hook(hook("y")); c.register_hook(hook("c")); a.register_hook(hook("a")); x.register_hook(hook("x"))
(a * 3).sum().backward()
result = log
""",
        [("c", None), ("a", [3, 3]), ("y", [[3, 3], [0, 0], [0, 0]]), ("x", [[6, 6], [0, 0], [0, 0]])],
    ),
    "a hook does not make a gradient of None": (
        """
x = leaf(3, 2)
a, b, c = x.unbind(0)
c.register_hook(hook("c", lambda g: torch.ones(2)))
result = [error_of(lambda: a.sum().backward()), log]
""",
        ["can't replace a None gradient with a non-None value", [("c", None)]],
    ),
    "what hooks return goes to the formula": (
        """
x = leaf(5)
a, b = x.split([2, 3])
a.register_hook(hook("a", lambda g: g * 10)); b.register_hook(hook("b", lambda g: g + 1))
(a.sum() + (b * b).sum()).backward()
result = [log, x.grad.tolist()]
""",
        [[("a", [1, 1]), ("b", [6, 8, 10])], [10, 10, 7, 9, 11]],
    ),
    "retain_grad": (
        """
x = leaf(3, 2)
parts = x.unbind(0)
for t in parts: t.retain_grad()
parts[1].register_hook(hook("b", lambda g: g * 5))
(parts[1] * 3).sum().backward()
result = [log, listed(t.grad for t in parts), x.grad.tolist()]
""",
        [[("b", [3, 3])], [None, [15, 15], None], [[0, 0], [15, 15], [0, 0]]],
    ),
    "gradients of results": (
        """
result = []
for wanted in ("abxc", "a", "x", "b"):
    del log[:]
    x = leaf(3, 2)
    a, b, c = x.unbind(0)
    a.register_hook(hook("a", lambda g: g * 5)); b.register_hook(hook("b")); c.register_hook(hook("c")); x.register_hook(hook("x"))
    result.append((listed(torch.autograd.grad((a * b).sum(), [dict(a=a, b=b, c=c, x=x)[n] for n in wanted], allow_unused=True)), list(log)))
""",
        [
            (
                [[3, 4], [1, 2], [[15, 20], [1, 2], [0, 0]], None],
                [("a", [3, 4]), ("b", [1, 2]), ("c", None), ("x", [[15, 20], [1, 2], [0, 0]])],
            ),
            ([[15, 20]], [("a", [3, 4]), ("b", [1, 2]), ("c", None)]),
            ([[[15, 20], [1, 2], [0, 0]]], [("a", [3, 4]), ("b", [1, 2]), ("c", None), ("x", [[15, 20], [1, 2], [0, 0]])]),
            ([[1, 2]], [("a", [3, 4]), ("b", [1, 2]), ("c", None)]),
        ],
    ),
    "backward to results": (
        """
x = leaf(3, 2)
a, b, c = x.unbind(0)
a.register_hook(hook("a", lambda g: g * 5)); b.register_hook(hook("b"))
(a * b).sum().backward(inputs=[a, x])
result = [log, a.grad.tolist(), x.grad.tolist()]
""",
        [[("a", [3, 4]), ("b", [1, 2])], [15, 20], [[15, 20], [1, 2], [0, 0]]],
    ),
    "gradients of gradients": (
        """
result = []
for name, call in CALLS.items():
    x = leaf(4, 2)
    parts = call(x)
    (first,) = torch.autograd.grad((parts[0] ** 2).sum() + (parts[-1] ** 3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad((first * first).sum(), x)
    result.append((name, first.tolist(), second.tolist()))
""",
        None,  # filled below
    ),
    "leaves and hooks in one pass": (
        """
w, x = leaf(2), leaf(2)
e = w * 3
a = x * 2
b = a * w
c = b + e
for name, t in dict(w=w, x=x, a=a, b=b, c=c, e=e).items(): t.register_hook(hook(name))
c.sum().backward()
result = log
""",
        [("c", [1, 1]), ("b", [1, 1]), ("a", [1, 2]), ("x", [2, 4]), ("e", [1, 1]), ("w", [5, 7])],
    ),
    "a leaf goes before all calls": (
        """
w, x, v = leaf(2), leaf(2), leaf(2)
s = x + v
a = s * w
b = a * v
c = torch.stack([b, x, w])
d = c.sum(0) * a
for name, t in dict(w=w, x=x, v=v, s=s, a=a, b=b, c=c, d=d).items(): t.register_hook(hook(name))
d.sum().backward()
result = [name for name, g in log]
""",
        ["d", "c", "b", "a", "w", "s", "x", "v"],
    ),
    "leaves that are ready together": (
        """
leaves = [leaf(1) for _ in range(8)]
for k, t in enumerate(leaves): t.register_hook(hook(k))
torch.cat(leaves).sum().backward()
result = [name for name, g in log]
""",
        [0, 2, 6, 5, 7, 4, 1, 3],
    ),
    "writes to a result": (
        """
WRITES = {
    "mul_": lambda t: t.mul_(2), "setitem": lambda t: t.__setitem__(0, 2.0), "a view of it": lambda t: t.view(t.shape).mul_(2),
    "copy_": lambda t: t.copy_(torch.ones(())), "zero_": lambda t: t.zero_(), "relu": lambda t: torch.nn.functional.relu(t, inplace=True),
    "with a gradient": lambda t: t.add_(leaf(1)),
}
result = [(name, error_of(lambda: write((leaf(4, 2) * 1).unbind(0)[1]))) for name, write in WRITES.items()]
for name, call in CALLS.items():
    for base in (leaf(4, 2), leaf(4, 2) * 1):
        result.append((name, error_of(lambda: call(base)[0].mul_(2))))
""",
        [
            ("mul_", "Output 1 of Unbind " + WRITTEN),
            ("setitem", "Output 0 of Select " + WRITTEN),
            ("a view of it", "Output 0 of View " + WRITTEN),
            ("copy_", "Output 1 of Unbind " + WRITTEN),
            ("zero_", "Output 1 of Unbind " + WRITTEN),
            ("relu", "Output 1 of Unbind " + WRITTEN),
            ("with a gradient", "Output 1 of Unbind " + WRITTEN),
            *[
                (name, f"Output 0 of {node} " + WRITTEN)
                for name, node in (
                    ("unbind", "Unbind"),
                    ("unbind of columns", "Unbind"),
                    ("iteration", "Unbind"),
                    ("split", "Split"),
                    ("split of columns", "Split"),
                    ("split, list", "SplitWithSizes"),
                    ("split_with_sizes", "SplitWithSizes"),
                    ("chunk", "Split"),
                    ("one piece", "Split"),
                )
                for _ in range(2)
            ],
        ],
    ),
    "writes to slices": (
        """
result = []
for name, call in list(SLICES.items())[:3]:
    x = leaf(4, 2)
    y = x * 1
    call(y)[0].mul_(2)
    y.sum().backward()
    result.append((name, x.grad.tolist()))
""",
        [
            ("tensor_split", [[2, 2], [2, 2], [1, 1], [1, 1]]),
            ("hsplit", [[2, 1], [2, 1], [2, 1], [2, 1]]),
            ("vsplit", [[2, 2], [2, 2], [1, 1], [1, 1]]),
        ],
    ),
    "writes to a leaf that is a view": (
        """
def leaf_view():
    return torch.ones(8).view(4, 2).requires_grad_()

result = [error_of(lambda: write(leaf_view())) for write in (lambda x: x.mul_(2), lambda x: x[:2].mul_(2), lambda x: x.tensor_split(2)[0].zero_())]
result = [error.split(" Variable")[0] for error in result]
""",
        ["a view of a leaf"] * 3,
    ),
    "a result after a write": (
        """
def use(write, then=lambda part: part * 2):
    x = leaf(4, 2)
    y = x * 1
    parts = y.split(2)
    write(y, parts)
    return error_of(lambda: then(parts[0]))

def quietly(y, parts):
    with torch.no_grad():
        parts[1].mul_(2)

result = [
    use(lambda y, parts: y.mul_(3)), use(lambda y, parts: y[0].mul_(3)), use(lambda y, parts: y.detach().zero_()), use(quietly),
    use(quietly, lambda part: part.grad_fn), use(quietly, lambda part: part.view(-1)), use(quietly, lambda part: part.detach()),
    use(lambda y, parts: y.data.mul_(2)), use(lambda y, parts: None),
]
""",
        ["Output 0 of Split " + BASE_WRITTEN] * 6 + [None, None, None],
    ),
    "the text of a result after a write": (
        """
x = leaf(2, 2)
a, b = x.split(1)
before = repr(a)
with torch.no_grad():
    x.mul_(2)
result = [before, repr(a)]
""",
        ["tensor([[1., 2.]], grad_fn=<SplitBackward0>)", "tensor([[2., 4.]], grad_fn=<Invalid>)"],
    ),
    "writes that nothing records": (
        """
plain = torch.ones(4, 2)
plain.unbind(0)[1].mul_(2)
x = leaf(4, 2)
y = x * 1
with torch.no_grad():
    y.split(2)[0].mul_(3)
y.sum().backward()
result = [plain.tolist(), y.tolist(), x.grad.tolist()]
""",
        [[[1, 1], [2, 2], [1, 1], [1, 1]], [[3, 6], [9, 12], [5, 6], [7, 8]], [[1, 1]] * 4],
    ),
    "writes to results made under no_grad": (
        """
y = leaf(4, 2) * 1
with torch.no_grad():
    part, half = y.split(2)[0], y[:2]
result = [error_of(lambda: t.mul_(2)).split(" inplace")[0] for t in (part, half.split(1)[0])]
""",
        ["A view was created in no_grad mode and is being modified", "Output 0 of Split is a view and is being modified"],
    ),
}


def doubly(pieces: Any) -> tuple[list, list]:
    """The gradients of the program "gradients of gradients", written out: `pieces` are the first and the last one's places of 4 by 2 elements."""
    first, second = [[[0.0, 0.0] for _ in range(4)] for _ in range(2)]
    for i in range(4):
        for j in range(2):
            v, squared, cubed = 2.0 * i + j + 1, (i, j) in pieces[0], (i, j) in pieces[1]
            first[i][j] = 2 * v * squared + 3 * v * v * cubed
            second[i][j] = 2 * first[i][j] * (2 * squared + 6 * v * cubed)
    return first, second


def rows(*numbers: int) -> list[tuple[int, int]]:
    return [(i, j) for i in numbers for j in range(2)]


def column(j: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(4)]


PROGRAMS["gradients of gradients"] = (
    PROGRAMS["gradients of gradients"][0],
    [
        (name, *doubly(pieces))
        for name, pieces in {
            "unbind": (rows(0), rows(3)),
            "unbind of columns": (column(0), column(1)),
            "iteration": (rows(0), rows(3)),
            "split": (rows(0, 1, 2), rows(3)),
            "split of columns": (column(0), column(1)),
            "split, list": (rows(0), rows(1, 2, 3)),
            "split_with_sizes": (rows(0), rows(1, 2, 3)),
            "chunk": (rows(0, 1), rows(2, 3)),
            "one piece": (rows(0, 1, 2, 3), rows(0, 1, 2, 3)),
        }.items()
    ],
)


def comparable(v: Any) -> Any:
    """Without the name of the operator that Monograph puts in front of an error."""
    if isinstance(v, str):
        return re.sub(r"^\[aten::[\w.]+\] ", "", v)
    if isinstance(v, (list, tuple)):
        return [comparable(item) for item in v]
    return v


@pytest.mark.parametrize("name", PROGRAMS)
def test_several_results(name):
    program, expected = PROGRAMS[name]
    scope: dict = {"torch": torch}
    exec(PRELUDE + program, scope)
    assert comparable(scope["result"]) == comparable(expected)


def once(f, x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(f(x).sum(), x)[0]


def twice(f, x):
    x = x.detach().requires_grad_()
    (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    return torch.autograd.grad((first * first).sum(), x)[0]


@pytest.mark.parametrize("program", [once, twice])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.split(1, 1)[2].exp() * x.split([1, 2], 1)[0],
        lambda x: x.split([1, 2], 1)[1] * x.sin().split(2, 1)[0],
        lambda x: x.unbind(1)[2] * x.unbind(1)[0].exp(),
        lambda x: sum(k * part.sin() for k, part in enumerate(x.t().unbind(0))),
        lambda x: torch.split_with_sizes(x * x, [1, 0, 2], 1)[2],
        lambda x: torch.cat([part.pow(k + 2) for k, part in enumerate((x * x).unbind(1))]),
    ],
    ids=["split", "pieces of two sizes", "unbind", "all of unbind", "an empty piece", "cat"],
)
def test_captured_gradients_hold_for_every_batch(function, program):
    def traced(f):
        return torch.jit.trace(f, torch.randn(4, 3), check_trace=False)

    def guards(graph):
        return {(expression, value) for expression, value, place in graph.graph.guards}

    graph = traced(lambda x: program(function, x))
    # Those of the function, whose Python code counts the pieces, and those of any gradient.
    assert guards(graph) == guards(traced(function)) | guards(traced(lambda x: program(lambda x: x * x, x)))
    for n in (1, 2, 7):
        x = torch.randn(n, 3)
        assert torch.allclose(graph(x), program(function, x), rtol=1e-5, atol=1e-6), n


def test_a_captured_gradient_of_pieces_of_the_batch():
    def step(x):
        x = x.detach().requires_grad_()
        first, *_, last = x.split(2)
        return torch.autograd.grad(first.exp().sum() + last.pow(3).sum(), x)[0]

    traced = torch.jit.trace(step, torch.randn(5, 3), check_trace=False)
    assert [guard[0] for guard in traced.graph.guards] == ["len(aten::split.Tensor(...))"]
    for n in (5, 6):
        x = torch.randn(n, 3)
        assert torch.allclose(traced(x), step(x), rtol=1e-5, atol=1e-6)
    with pytest.raises(RuntimeError, match="len"):
        traced(torch.randn(4, 3))


def test_a_list_of_an_operator_from_a_library():
    """As in PyTorch: one node for the call, whose backward function gets the list of gradients."""
    library, seen = torch.library.Library("several", "DEF"), []
    library.define("three(Tensor x) -> Tensor[]")
    library.impl("three", lambda x: [x * 2, x * 3, x + 1])

    def setup(ctx, inputs, output):
        seen.append([t.tolist() for t in output])

    def backward(ctx, grads):
        seen.append([g.tolist() for g in grads])
        return grads[0] * 2 + grads[1] * 3 + grads[2]

    torch.library.register_autograd("several::three", backward, setup_context=setup)
    x = torch.ones(2, requires_grad=True)
    a, b, c = torch.ops.several.three(x)
    assert a.grad_fn is c.grad_fn and [t.output_nr for t in (a, b, c)] == [0, 1, 2]
    (a + b).sum().backward()
    assert x.grad.tolist() == [5, 5]
    assert seen == [[[2, 2], [3, 3], [2, 2]], [[1, 1], [1, 1], [0, 0]]]
    a.mul_(2)  # no view


def test_hooks_where_a_rule_gives_none():
    """The expected values are PyTorch's, of an autograd.Function that gives None."""
    library, log = torch.library.Library("several_none", "DEF"), []
    library.define("first(Tensor a, Tensor b) -> Tensor")
    library.impl("first", lambda a, b: a * 1)
    torch.library.register_autograd("several_none::first", lambda ctx, g: (g, None))
    a, b, w = (torch.ones(2, requires_grad=True) for _ in range(3))
    c = b * 2
    for name, t in {"a": a, "b": b, "c": c, "w": w}.items():
        t.register_hook(lambda g, name=name: log.append((name, None if g is None else g.tolist())))
    torch.ops.several_none.first(a, c).sum().backward()
    torch.ops.several_none.first(a, w).sum().backward()
    assert log == [("a", [1, 1]), ("c", None), ("b", None), ("a", [1, 1]), ("w", None)]
    assert b.grad is None and w.grad is None
    w.register_hook(lambda g: torch.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        torch.ops.several_none.first(a, w).sum().backward()


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_several_results_of_pytorch(oracle, name):
    program, expected = PROGRAMS[name]
    assert comparable(oracle.run(PRELUDE + program)) == comparable(expected)
