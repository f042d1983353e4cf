"""FX on the graphs of scripts and traces: Interpreter and Transformer run them, a GraphModule runs their code, and edited programs run and save."""

from __future__ import annotations

import math

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import fx, nn
from monograph.fx.passes.shape_prop import ShapeProp


def lists(x: torch.Tensor, n: int):
    out: list[torch.Tensor] = []
    for i in range(n):
        out.append(x * i)
    out[0] = x
    out.extend([x, x + 1])
    out.insert(1, x - 1)
    y = out.pop()
    out.reverse()
    del out[0]
    numbers = [1, 2, 3]
    numbers.sort(reverse=True)
    rest = numbers[1:] + numbers[:1]
    return torch.stack(out).sum(0) + y, len(out), [o.sum() for o in out], rest, sum(numbers), max(rest), list(x.shape)


def dicts(x: torch.Tensor, n: int):
    d: dict[str, torch.Tensor] = {"a": x}
    d["b"] = x + n
    d.update({"c": x})
    k = d.pop("c")
    s = ""
    for key in d.keys():  # noqa: SIM118
        s += key
    for _, v in d.items():  # noqa: PERF102
        k = k + v
    return d["a"] + d.get("b", x), "a" in d, len(d), s.upper(), k, d


def numbers_and_branches(x: torch.Tensor, n: int):
    a, b = x.chunk(2)
    t = (a, b, n)
    z: torch.Tensor | None = None
    if n > 3:
        z = a
    if z is None:
        z = b
    while n > 0:
        n -= 2
        if n == 1:
            break
    return z, t[2], f"{n} and {x.dim()}", int(x.sum()), float(n), bool(n), str(n), round(2.5), abs(-n), n // 3, n % 3, 2**n, min(n, 4), math.sqrt(4.0)


def writes(x: torch.Tensor, n: int):
    y = x.clone()
    y[0] = 1.0
    y[y > 2] = 0
    y += n
    y[:, 0] *= 2
    with torch.no_grad():
        z = y * 2
    return y, z, x.size(0), x.dtype, torch.tensor(n), x.max(0)[0], x.new_zeros(2), x.t().contiguous(), F.linear(x, x), torch.einsum("ij,ij->i", x, x)


def layers(x: torch.Tensor, n: int):
    return F.layer_norm(x, [2]), F.softmax(x.view(2, -1), dim=-1), x.to(torch.float64), x.masked_fill(x > 0, 1.0), x.sum().item(), torch.arange(x.size(0))


PROGRAMS = [lists, dicts, numbers_and_branches, writes, layers]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("from_file", [False, True])
def test_interpreters_and_code_run_scripts(program, from_file, tmp_path):
    graph = torch.jit.script(program).graph
    if from_file:
        graph.save(tmp_path / "program.mgraph")
        graph = torch.load_graph(tmp_path / "program.mgraph")

    def module():
        return fx.GraphModule(nn.Module(), graph)

    x = torch.arange(4.0).reshape(2, 2) - 1
    expected = str(program(x.clone(), 4)).replace("torch.float32", "6")  # a script returns dtypes as PyTorch's numbers
    assert str(module()(x.clone(), 4)) == expected
    assert str(fx.Interpreter(module()).run(x.clone(), 4)) == expected
    assert str(fx.Transformer(module()).transform()(x.clone(), 4)) == expected
    assert str(ShapeProp(module()).propagate(x.clone(), 4)) == expected


def test_an_override_sees_the_target_that_the_node_has():
    seen = []

    class Told(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            seen.append(target)
            return super().call_function(target, args, kwargs)

    graph = torch.jit.script(lists).graph
    Told(fx.GraphModule(nn.Module(), graph)).run(torch.ones(2, 2), 1)
    assert "aten::append" in seen and "torch.Tensor.sum" in seen and set(seen) <= {n.target for n in graph.nodes(recursive=True)}


def branches(x):
    for _ in range(3):
        x = torch.relu(x) * 2 if bool(x.sum() > 3) else torch.relu(x) + 1
    return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return torch.relu(self.linear(x)) + 1


MADE = {
    "script of a function": (lambda: torch.jit.script(branches), 2), "script of a module": (lambda: torch.jit.script(Net()), 1),
    "trace of a module": (lambda: torch.jit.trace(Net(), torch.ones(2)), 1), "trace of a function": (lambda: torch.jit.trace(lambda x: torch.relu(x) + 1, torch.ones(2)), 1),
}  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_edited_programs_run_and_save(made, tmp_path):
    """The replacement calls a function and methods, which no capture resolves to operators."""
    program, places = MADE[made][0](), MADE[made][1]
    graph = program.inlined_graph if hasattr(program, "inlined_graph") else program.graph
    module = fx.GraphModule(program if isinstance(program, nn.Module) else nn.Module(), graph)
    x = torch.tensor([1.0, -0.5])
    assert len(fx.replace_pattern(module, lambda x: torch.relu(x), lambda x: torch.sigmoid(x) + x.abs().sum(dim=0))) == places
    result = module(x)
    assert torch.equal(program(x), result) and torch.equal(fx.Interpreter(module).run(x), result)
    program.save(tmp_path / "program.pt")
    assert torch.equal(torch.jit.load(tmp_path / "program.pt")(x), result)
    program.save(tmp_path / "program.mgraph")
    assert torch.equal(torch.load_graph(tmp_path / "program.mgraph")(x), result)


@pytest.mark.parametrize("made", MADE)
def test_replace_pattern_of_what_is_no_graph_module(made):
    program = MADE[made][0]()
    before = str(program.graph)
    with pytest.raises(TypeError, match=r"replace_pattern expects a GraphModule, but got \w+\. .*fx.GraphModule\(module, module.inlined_graph\)"):
        fx.replace_pattern(program, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))
    assert str(program.graph) == before
