"""Random programs for symbolic_trace and random edits of their graphs, for test_fx_random_rewrites.py.

An edit answers whether the graph must still compute what it computed. An edit that must be refused raises; `refusals` has those.
"""

from __future__ import annotations

import copy
import operator
import pickle
import random
from collections.abc import Callable
from typing import Any

import monograph as torch
import monograph.nn.functional as F
from monograph import fx, nn
from monograph.fx.passes._nodes import inputs_of, is_projection, users_in
from monograph.fx.passes.dialect.common.cse_pass import CSEPass
from monograph.fx.passes.shape_prop import ShapeProp

SIZE = 3
UNARY: list[Callable[[Any], Any]] = [
    torch.relu, torch.tanh, F.silu, operator.neg, operator.abs, lambda x: x.sigmoid(), lambda x: x.t(), lambda x: x.clamp(-1.0, max=1.5), lambda x: x.softmax(dim=-1),
    lambda x: x[:, [2, 0, 1]], lambda x: x.reshape(-1).view(x.shape[0], -1), lambda x: torch.chunk(x, 3, dim=1)[1].expand(-1, SIZE), lambda x: x.max(1, keepdim=True)[0] + x,
    lambda x: x - x.sum(0, keepdim=True) / x.shape[1], lambda x: F.layer_norm(x, (SIZE,)), lambda x: torch.cat([x[1:], x[:1]], dim=0), lambda x: x.to(torch.float64).float(),
]  # fmt: skip
BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, torch.matmul, torch.maximum, lambda x, y: torch.where(x > y, x, y), lambda x, y: torch.add(x, y, alpha=2), lambda x, y: x + x.mean() * y,
    lambda x, y: torch.stack([x, y]).sum(0), lambda x, y: x.lerp(y, 0.25),
]  # fmt: skip


class Root(nn.Module):
    """A random program of `steps` steps: every run of it draws the same one from its seed."""

    def __init__(self, seed: int, steps: int):
        super().__init__()
        self.seed, self.steps = seed, steps
        self.linear, self.act = nn.Linear(SIZE, SIZE), nn.Sequential(nn.Tanh(), nn.LayerNorm(SIZE))
        self.weight = nn.Parameter(torch.eye(SIZE))
        self.register_buffer("offset", torch.ones(SIZE))

    def forward(self, x: Any, y: Any) -> Any:
        rng = random.Random(self.seed)
        values = self.body(rng, [x, y], self.steps, 0)
        return (values[-1], {"a": rng.choice(values), "b": [rng.choice(values)]}) if rng.random() < 0.5 else values[-1]

    def body(self, rng: random.Random, values: list[Any], steps: int, depth: int) -> list[Any]:
        values = list(values)
        for _ in range(steps):
            values.append(self.step(rng, values, depth))
        return values

    def step(self, rng: random.Random, values: list[Any], depth: int) -> Any:
        kind, x, y = rng.random(), rng.choice(values[-4:]), rng.choice(values)
        if kind < 0.12 and depth < 2:
            seeds = rng.random(), rng.random()
            arms = [lambda seed=seed: self.body(random.Random(seed), [x, y], 2, depth + 1)[-1] for seed in seeds]
            return torch.cond(x.sum() > y.mean(), *arms)
        if kind < 0.2 and depth < 2:
            seed = rng.random()
            count = torch.zeros((), dtype=torch.int64)
            return torch.while_loop(
                lambda k, z: k < 2, lambda k, z: (k + 1, self.body(random.Random(seed), [z, y], 2, depth + 1)[-1].tanh()), (count, x)
            )[1]
        if kind < 0.35:
            return rng.choice([self.linear, self.act, lambda x: x @ self.weight, lambda x: x + self.offset])(x)
        return rng.choice(UNARY)(x) if kind < 0.65 else rng.choice(BINARY)(x, y)


class Edits:
    """A GraphModule that is edited. `gm` may be another object after an edit."""

    def __init__(self, gm: Any, rng: random.Random):
        self.gm, self.rng = gm, rng

    @property
    def graph(self) -> Any:
        return self.gm.graph

    def nodes(self) -> list[Any]:
        return list(self.graph.nodes)

    def tensors(self) -> list[Any]:
        """Nodes of the root block that give a float matrix of SIZE columns: those whose users may take another one."""
        ShapeProp(self.gm).propagate(torch.ones(SIZE, SIZE), torch.ones(SIZE, SIZE))
        return [n for n in self.nodes() if n.op != "output" and getattr(n.meta.get("tensor_meta"), "shape", None) == (SIZE, SIZE)
                and n.meta["tensor_meta"].dtype is torch.float32]  # fmt: skip

    def inner(self) -> list[Any]:
        return [n for n in self.nodes() if n.op not in ("placeholder", "output")]

    def any_inner(self) -> Any:
        if not self.inner():  # dead code went, and the program returns its inputs
            with self.graph.inserting_before(self.graph.output_node()):
                self.graph.call_function(torch.neg, (self.nodes()[0],))
        return self.rng.choice(self.inner())

    # Edits that keep what the graph computes ------------------------------------------------------------------------------------------
    def insert_after(self) -> None:
        node = self.rng.choice(self.tensors())
        with self.graph.inserting_after(node):
            made = self.rng.choice([
                lambda: self.graph.call_function(torch.clone, (node,)), lambda: self.graph.call_function(operator.mul, (node, 1)), lambda: self.graph.call_method("clone", (node,)),
                lambda: self.graph.call_function(torch.reshape, (node, (SIZE, SIZE))), lambda: self.graph.call_method("view", (node, SIZE, -1)), lambda: self.graph.call_function(torch.sub, (node, 0), {"alpha": 2}),
            ])()  # fmt: skip
        changed = node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)
        assert made not in changed and set(node.users) == {made}

    def insert_before(self) -> None:
        node = self.rng.choice([n for n in self.inner() + [self.graph.output_node()] if not is_projection(n)])
        with self.graph.inserting_before(node):
            made = self.graph.call_function(torch.zeros_like, (self.nodes()[0],))
        assert made.next is node

    def module_inserted(self) -> None:
        node = self.rng.choice(self.tensors())
        self.gm.add_submodule("same", nn.Identity())
        with self.graph.inserting_after(node):
            made = self.graph.call_module("same", (node,))
        node.replace_all_uses_with(made, delete_user_cb=lambda user: user is not made)

    def input_replaced(self) -> None:
        node = self.rng.choice(self.tensors())
        users = list(node.users)
        if users:
            with self.graph.inserting_after(node):
                made = self.graph.call_method("clone", (node,))
            user = self.rng.choice(users)
            user.replace_input_with(node, made)
            assert user in made.users

    def argument_updated(self) -> None:
        node = self.any_inner()
        for k, argument in enumerate(node.args):
            node.update_arg(k, argument)
        node.args, node.kwargs = tuple(node.args), dict(node.kwargs)

    def erase(self) -> None:
        unused = [n for n in self.inner() if not n.users and not n.is_impure()]
        if unused:
            self.graph.erase_node(self.rng.choice(unused))

    def copy_node(self) -> None:
        node = self.rng.choice([n for n in self.tensors() if n.op != "placeholder"] or [None])
        if node is None or is_projection(node):
            return
        with self.graph.inserting_after(node):
            made = self.graph.node_copy(node, lambda n: n)
        for user in list(node.users):
            if self.rng.random() < 0.5:
                user.replace_input_with(node, made)

    def copy_graph(self) -> None:
        made: Any = fx.Graph()
        values: dict[Any, Any] = {}
        result = made.graph_copy(self.graph, values)
        made.output(result)
        self.gm = fx.GraphModule(self.gm, made)

    def replace_pattern(self) -> None:
        patterns = [
            (lambda a, b: a + b, lambda a, b: torch.add(a, b)), (lambda a, b: torch.add(a, b), lambda a, b: a + b), (lambda a: torch.relu(a), lambda a: a.relu()), (lambda a: a.relu(), lambda a: torch.relu(a)),
            (lambda a: a.clone(), lambda a: a), (lambda a, b: a * b, lambda a, b: torch.mul(a, b)), (lambda a: -a, lambda a: torch.neg(a)), (lambda a: torch.tanh(a).t(), lambda a: torch.tanh(a.t())),
        ]  # fmt: skip
        fx.replace_pattern(self.gm, *self.rng.choice(patterns))

    def move(self) -> None:
        """A node to another place between its last input and its first user."""
        node = self.any_inner()
        if is_projection(node) or any(is_projection(n) for n in node.users):
            return  # the results of an If or Loop move with it
        order = {n: k for k, n in enumerate(self.nodes())}
        above = max([order[n] for n in inputs_of(node)], default=-1)
        below = min([order[n] for n in users_in(self.graph)[node]], default=len(order) - 1)
        choices = [n for n, k in order.items() if above < k <= below and n is not node and n.op != "placeholder"]
        places = [n for n in choices if not is_projection(n)]
        if places:
            self.rng.choice(places).prepend(node)

    def rename(self) -> None:
        self.any_inner().name = self.rng.choice(["total", "x", "a_1", "value"])

    def eliminate_dead_code(self) -> None:
        self.graph.eliminate_dead_code()

    def common_subexpressions(self) -> None:
        self.gm = CSEPass()(self.gm).graph_module

    def deepcopy(self) -> None:
        self.gm = copy.deepcopy(self.gm)

    def pickle(self) -> None:
        self.gm = pickle.loads(pickle.dumps(self.gm))

    def recompile(self) -> None:
        self.gm.recompile()

    def graph_assigned(self) -> None:
        self.gm.graph = self.graph

    def transformed(self) -> None:
        self.gm = fx.Transformer(self.gm).transform()

    # Edits that change it -----------------------------------------------------------------------------------------------------------------
    def another_operand(self) -> None:
        tensors = self.tensors()
        order = {n: k for k, n in enumerate(self.nodes())}
        node = self.rng.choice(tensors)
        earlier = [n for n in tensors if order[n] < order[node]]
        given = [n for n in node.all_input_nodes if n in tensors]
        if earlier and given:
            node.replace_input_with(self.rng.choice(given), self.rng.choice(earlier))

    def all_uses_of_another(self) -> None:
        tensors = self.tensors()
        k = self.rng.randrange(len(tensors))
        if k:
            tensors[k].replace_all_uses_with(self.rng.choice(tensors[:k]))

    def another_function(self) -> None:
        for node in self.inner():
            if node.target in (torch.relu, torch.tanh, operator.neg):
                node.target = self.rng.choice([torch.relu, torch.tanh, operator.neg])
                return


KEEP = [
    "insert_after", "insert_before", "module_inserted", "input_replaced", "argument_updated", "erase", "copy_node", "copy_graph", "replace_pattern", "move", "rename", "eliminate_dead_code",
    "common_subexpressions", "deepcopy", "pickle", "recompile", "graph_assigned", "transformed",
]  # fmt: skip
CHANGE = ["another_operand", "all_uses_of_another", "another_function"]


# Edits that must be refused: each gives the node that the error names, and the call that raises -------------------------------------------
def _foreign() -> Any:
    return fx.symbolic_trace(lambda foreign: foreign + 1).graph


def _bad_pattern(edits: Edits) -> Any:
    return None, lambda: fx.replace_pattern(edits.gm, lambda a: torch.relu(a), lambda a: (torch.relu(a), a))


def _erase_used(edits: Edits) -> Any:
    node = edits.rng.choice([n for n in edits.nodes() if n.users])
    return node, lambda: edits.graph.erase_node(node)


def _erase_foreign(edits: Edits) -> Any:
    node = next(n for n in _foreign().nodes if n.op == "call_function")
    return node, lambda: edits.graph.erase_node(node)


def _insert_at_foreign(edits: Edits) -> Any:
    node = next(iter(_foreign().nodes))
    return node, lambda: edits.rng.choice([edits.graph.inserting_before, edits.graph.inserting_after])(node)


def _uses_of_another_graph(edits: Edits) -> Any:
    node, foreign = edits.rng.choice([n for n in edits.nodes() if n.users]), next(iter(_foreign().nodes))
    return foreign, lambda: node.replace_all_uses_with(foreign)


def _move_from_another_graph(edits: Edits) -> Any:
    node, foreign = edits.any_inner(), next(iter(_foreign().nodes))
    return foreign, lambda: node.prepend(foreign)


REFUSED = [
    _bad_pattern, _erase_used, _erase_foreign, _insert_at_foreign, _uses_of_another_graph, _move_from_another_graph,
]  # fmt: skip


# States that lint finds: each breaks the graph, gives the node that lint must name, and mends it ------------------------------------------
def _use_before_definition(edits: Edits) -> Any:
    node = edits.any_inner()
    later = edits.nodes()[edits.nodes().index(node) + 1 : -1]
    if not later or not node.args or is_projection(node):
        return None
    before, value = node.args, edits.rng.choice(later)
    node.args = (value, *before[1:])
    return node, lambda: setattr(node, "args", before)


def _argument_of_another_graph(edits: Edits) -> Any:
    node, foreign = edits.any_inner(), next(iter(_foreign().nodes))
    if not node.args or is_projection(node):
        return None
    before = node.args
    node.args = (foreign, *before[1:])
    return node, lambda: setattr(node, "args", before)


def _call_of_another_graph(edits: Edits) -> Any:
    with edits.graph.inserting_before(edits.graph.output_node()):
        node = edits.graph.call_function(torch.relu, (next(iter(_foreign().nodes)),))
    return node, lambda: edits.graph.erase_node(node)


def _missing_target(edits: Edits) -> Any:
    nodes = [n for n in edits.inner() if n.op in ("get_attr", "call_module")]
    if not nodes:
        return None
    node = edits.rng.choice(nodes)
    before, node.target = node.target, "not.there"
    return node, lambda: setattr(node, "target", before)


BROKEN = [_use_before_definition, _argument_of_another_graph, _call_of_another_graph, _missing_target]
