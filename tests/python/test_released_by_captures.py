"""A capture does not keep the module alive that it was made of, and works in both modes all the same."""

import gc
import weakref

import monograph as torch
import pytest
from monograph import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class WithList(Plain):
    def __init__(self):
        super().__init__()
        self.factors = [1.0]

    def forward(self, x):
        return self.layer(x) * self.factors[0]


class WithMode(Plain):
    def forward(self, x):
        return self.layer(x) + (1 if self.training else 0)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = WithMode()

    def forward(self, x):
        return self.inner(x) * (2 if self.training else 3)


X = torch.ones(2)
CAPTURES = {"trace": lambda m: torch.jit.trace(m, X, check_trace=False), "symbolic": torch.fx.symbolic_trace}


@pytest.mark.parametrize("kind", [Plain, WithList, WithMode, Outer])
@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.parametrize("called", [False, True])
def test_the_module_is_freed(kind, how, called):
    module = kind()
    captured = CAPTURES[how](module)
    expected = module(X).tolist()
    if called:
        captured(X)
    alive = [weakref.ref(m) for m in module.modules() if not isinstance(m, nn.Linear)]  # the layers are the captured program's too, as in torch.fx
    del module
    gc.collect()
    assert [ref() for ref in alive] == [None] * len(alive)
    assert captured(X).tolist() == expected


@pytest.mark.parametrize("kind", [WithMode, Outer])
def test_both_modes_work_without_the_module(kind):
    module = kind()
    expected = [module.train(mode)(X).tolist() for mode in (True, False, True)]
    captured = torch.fx.symbolic_trace(module)
    del module
    gc.collect()
    assert [captured.train(mode)(X).tolist() for mode in (True, False, True)] == expected


def test_parameters_are_shared_in_the_other_mode():
    captured = torch.fx.symbolic_trace(Outer())
    gc.collect()
    with torch.no_grad():
        captured.inner.layer.weight.fill_(1)
        captured.inner.layer.bias.fill_(0)
    assert captured.eval()(X).tolist() == [6.0, 6.0]


def test_a_graph_keeps_what_its_nodes_were_traced_in():
    captured = torch.fx.symbolic_trace(Outer())
    gc.collect()
    stacks = [list(n.meta.get("nn_module_stack", {})) for n in captured.graph.nodes if n.op == "call_module"]
    assert stacks == [["inner", "inner.layer"]]


def test_in_asks_the_tracer_for_the_elements_as_torch_fx_does():
    asked = []

    class Elements(torch.fx.Tracer):
        def to_bool(self, obj):
            asked.append("to_bool")
            return True

        def iter(self, obj):
            asked.append("iter")
            return iter([obj[0], obj[1]])

    graph = Elements().trace(lambda x: x if 3 in x else x + 1)
    assert asked == ["iter", "to_bool"]
    assert [n.name for n in graph.nodes] == ["x", "getitem", "getitem_1", "eq", "output"]


def test_in_asks_a_users_proxy_for_its_elements():
    asked = []

    class Parts(torch.fx.Proxy):
        def __iter__(self):
            asked.append("iter")
            return iter([3, 4])

    class Tracer(torch.fx.Tracer):
        def proxy(self, node):
            return Parts(node, self)

    graph = Tracer().trace(lambda x: x if 3 in x else x + 1)
    assert asked == ["iter"] and [n.name for n in graph.nodes] == ["x", "output"]
