"""SubgraphMatcher and replace_pattern beside live PyTorch: the places, what they stand for, and the code that is left."""

from __future__ import annotations

import pytest
from beside import TRY, both

pytestmark = pytest.mark.oracle

BEGIN = (
    TRY
    + """
import importlib, operator, random
def part(name):
    return importlib.import_module(f"{torch.__name__}.fx.{name}")
nn, fx = torch.nn, torch.fx
Matcher = part("passes.utils.matcher_utils").SubgraphMatcher
replaced = part("subgraph_rewriter").replace_pattern_with_filters
symbolic = lambda f: fx.symbolic_trace(f).graph

def described(matches):
    return [
        (
            [a.name for a in m.anchors], [(p.name, str(g)) for p, g in m.nodes_map.items()], [str(n) for n in m.placeholder_nodes],
            [n.name for n in m.returning_nodes],
        )
        for m in matches
    ]

def said(replacements):
    return [(r.anchor.name, [(p.name, str(g)) for p, g in r.nodes_map.items()], [n.name for n in r.replacements]) for r in replacements]
"""
)


def test_attributes_that_others_use_too(oracle):
    both(
        oracle,
        BEGIN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    def forward(self, x):
        a = torch.mul(x, self.w)
        return torch.add(a, self.w), torch.mul(x, self.v), torch.add(a, x)
class Product(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return torch.mul(x, self.u)
class Both(Product):
    def forward(self, x):
        a = torch.mul(x, self.u)
        return torch.add(a, self.u), a
class Given(Product):
    def forward(self, x):
        return torch.mul(x, self.u), self.u
graph = symbolic(Net())
result = [described(Matcher(symbolic(p), remove_overlapping_matches=o).match(graph)) for p in (Product(), Both(), Given()) for o in (True, False)]
""",
    )


def test_options_of_the_matcher(oracle):
    both(
        oracle,
        BEGIN
        + """
def f(x, y):
    a = torch.relu(torch.add(x, 3))
    b = torch.relu(torch.add(y, 4))
    c = torch.cat([a, b], dim=1)
    return torch.relu(torch.relu(torch.relu(c))), c[:, 1:]

graph = symbolic(f)
patterns = [
    lambda x: torch.relu(torch.add(x, 3)), lambda x, k: torch.relu(torch.add(x, k)), lambda x: torch.relu(torch.relu(x)),
    lambda parts: torch.cat(parts, dim=1), lambda a, b: torch.cat([a, b], dim=1), lambda x: x[:, 1:], lambda x: x[:, 2:],
    lambda x, y: (torch.relu(torch.add(x, 3)), torch.relu(torch.add(y, 4))),
    lambda x: (torch.relu(torch.relu(torch.relu(x))), x[:, 1:]),
]
options = [{}, {"ignore_literals": True}, {"remove_overlapping_matches": False}, {"match_output": True}, {"match_placeholder": True}]
result = [described(Matcher(symbolic(p), **o).match(graph)) for p in patterns for o in options]
result.append(described(Matcher(symbolic(lambda x: torch.sin(x))).match(graph, node_name_match="relu")))
""",
    )


def test_filters_callbacks_and_modules(oracle):
    both(
        oracle,
        BEGIN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.act, self.scale = nn.Linear(2, 2), nn.ReLU(), nn.Parameter(torch.ones(2))
    def forward(self, x):
        return self.act(self.fc(x)) * self.scale + self.act(x) * 2

class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
    def forward(self, x):
        return self.act(x)

class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.gelu, self.other = nn.GELU(), nn.Parameter(torch.ones(2))
    def forward(self, x):
        return self.gelu(x) + self.other

result = []
gm = fx.symbolic_trace(Net())
result.append(said(replaced(gm, fx.symbolic_trace(Old()), fx.symbolic_trace(New()))))
result += [gm.code, sorted(dict(gm.named_modules())), sorted(dict(gm.named_parameters()))]

gm = fx.symbolic_trace(lambda x, y: torch.relu(torch.add(x, 3)) + torch.relu(torch.add(y, 4)))
only_y = lambda match, graph, pattern: str(match.placeholder_nodes[0]) == "y"
result.append(said(replaced(gm, lambda x: torch.relu(torch.add(x, 3)), lambda x: torch.sin(x), [only_y], ignore_literals=True)))
result.append(gm.code)

def scaled(match, graph, pattern):
    k = next(v for p, v in match.nodes_map.items() if p.name == "k")
    return symbolic(lambda x, k_: torch.mul(x, k * 10))
gm = fx.symbolic_trace(lambda x, y: torch.relu(torch.add(x, 3)) + torch.relu(torch.add(y, 4)))
result.append(said(replaced(gm, lambda x, k: torch.relu(torch.add(x, k)), replacement_callback=scaled)))
result.append(gm.code)
wrong = [(lambda x: torch.relu(x), lambda x, y: x), (lambda x: torch.relu(x), lambda x: (torch.sin(x), torch.cos(x)))]
for p, r in wrong:
    module = fx.symbolic_trace(lambda x: torch.relu(x))
    result.append(str(attempt(lambda: fx.replace_pattern(module, p, r))[0]).split(".")[0])
""",
    )


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_graphs_are_rewritten_as_pytorch_rewrites_them(oracle, first):
    both(
        oracle,
        BEGIN
        + f"""
def program(rng):
    graph = fx.Graph()
    values = [graph.placeholder("x"), graph.placeholder("y")]
    for _ in range(rng.randrange(5, 40)):
        a, b = rng.choice(values[-5:]), rng.choice(values)
        calls = [(torch.relu, (a,)), (torch.add, (a, b)), (torch.neg, (a,)), (torch.sub, (a, b)), (torch.add, (a, rng.randrange(3)))]
        values.append(graph.call_function(*rng.choice(calls)))
    graph.output(tuple(values[-3:]))
    graph.eliminate_dead_code()
    return fx.GraphModule(nn.Module(), graph)

rules = [
    (lambda a, b: torch.relu(torch.add(a, b)), lambda a, b: torch.clamp(torch.add(a, b), min=0)),
    (lambda a: torch.neg(torch.neg(a)), lambda a: torch.abs(a)),
    (lambda a, b: torch.sub(a, torch.neg(b)), lambda a, b: torch.add(a, b)),
    (lambda a: torch.relu(torch.relu(a)), lambda a: torch.relu(a)),
    (lambda a: torch.add(a, 1), lambda a: torch.sub(a, -1)),
    (lambda a, b: torch.add(torch.relu(a), torch.neg(b)), lambda a, b: torch.sub(torch.relu(a), b)),
]
result = []
for seed in range({first}, {first + 50}):
    rng = random.Random(seed)
    gm = program(rng)
    for pattern, replacement in rng.sample(rules, 3):
        result.append(attempt(lambda: said(replaced(gm, pattern, replacement))))
    result.append(gm.code)
""",
    )
