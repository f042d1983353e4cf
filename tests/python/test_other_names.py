"""Other names of operators: torch.subtract is torch.sub."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest
from monograph import fx

NAMES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "fix": "trunc", "negative": "neg",
}  # fmt: skip
PAIRS = {
    "arctan2": "atan2", "divide": "div", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "multiply": "mul",
    "not_equal": "ne", "subtract": "sub", "true_divide": "div",
}  # fmt: skip
SPECIAL = {
    "expit": "sigmoid",
    "exp2": "exp2",
    "expm1": "expm1",
    "log1p": "log1p",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "sinc": "sinc",
}
X = torch.tensor([[0.5, -0.25, 0.75], [0.1, 0.9, -0.6]])
Y = torch.tensor([[0.5, 0.25, -0.75], [0.2, 0.8, 0.6]])


@pytest.mark.parametrize(("name", "target"), [*NAMES.items(), *PAIRS.items()])
def test_it_is_the_operator_in_every_form(name, target):
    args = (X.clone(), Y.clone()) if name in PAIRS else (X.clone(),)
    expected = getattr(torch, target)(*args)
    assert getattr(torch, name)(*args).equal(expected) or expected.isnan().any()
    assert torch.allclose(getattr(args[0], name)(*args[1:]).double(), expected.double(), equal_nan=True)
    out = torch.empty(0, dtype=expected.dtype)
    assert getattr(torch, name)(*args, out=out) is out
    assert torch.allclose(out.double(), expected.double(), equal_nan=True)
    assert getattr(args[0], name + "_")(*args[1:]) is args[0]
    assert torch.allclose(args[0].double(), expected.double(), equal_nan=True)


@pytest.mark.parametrize(("name", "target"), [*NAMES.items(), *PAIRS.items()])
def test_captures_have_the_operator(name, target):
    """As in PyTorch: a trace shows the record's name, a symbolic trace the name in the program, and the graphs are equal."""
    args = (X, Y) if name in PAIRS else (X,)
    other, own = getattr(torch, name), getattr(torch, target)
    traced = torch.jit.trace(lambda *a: other(*a), args)
    assert f"aten::{target}(" in str(traced.graph) and name + "(" not in str(traced.graph)
    symbolic = fx.symbolic_trace((lambda x, y: other(x, y)) if name in PAIRS else (lambda x: other(x)))
    assert f"torch.{name}(" in symbolic.code
    assert torch.allclose(symbolic(*args).double(), own(*args).double(), equal_nan=True)


def test_arguments_may_have_other_names():
    x = torch.zeros(2, 3)
    assert x.swapaxes(axis0=0, axis1=1).shape == x.swapdims(dim0=0, dim1=1).shape == (3, 2)
    assert torch.concat([x, x], dim=1).shape == torch.concatenate([x, x], 1).shape == (2, 6)
    assert x.clip(min=0.5).equal(x.clamp(min=0.5)) and torch.clip(x, max=Y[0, 0]).shape == (2, 3)
    assert X.divide(Y, rounding_mode="floor").equal(X.div(Y, rounding_mode="floor"))
    with pytest.raises(TypeError, match="true_divide"):
        torch.true_divide(x, x, rounding_mode="floor")


@pytest.mark.parametrize(("name", "target"), SPECIAL.items())
def test_special_functions(name, target):
    assert getattr(torch.special, name)(X).equal(getattr(torch, target)(X))


def test_a_gradient_goes_through_it():
    x = X.clone().requires_grad_()
    torch.multiply(torch.negative(x), Y).sum().backward()
    assert x.grad is not None and x.grad.equal(-Y)


def test_it_has_a_name_of_its_own():
    assert torch.subtract.__name__ == "subtract" and "Another name of sub" in (torch.subtract.__doc__ or "")
    assert str(torch.ops.aten.subtract.Tensor._schema) == "aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    with pytest.raises(TypeError, match="subtract"):
        torch.subtract("x", "y")


def test_a_graph_in_text_may_say_it(tmp_path):
    texts = {
        n: f"graph(%x : Float(2, 3), %y : Float(2, 3)):\n  %z = aten::{n}.Tensor(%x, %y)\n  return (%z)\n" for n in ("multiply", "mul")
    }
    graphs = {}
    for name, graph in texts.items():
        (tmp_path / f"{name}.txt").write_text(graph)
        graphs[name] = torch.load_graph(tmp_path / f"{name}.txt")
    assert graphs["multiply"](X, Y).equal(X * Y)
    assert graphs["multiply"].canonical().hash() == graphs["mul"].canonical().hash()


@pytest.mark.oracle
@pytest.mark.parametrize("name", [*NAMES, *PAIRS])
def test_as_in_pytorch(oracle, name):
    args = {"x": np.array(X), "y": np.array(Y)} if name in PAIRS else {"x": np.array(X)}
    call = f"torch.{name}({', '.join(args)})"
    ours = eval(call, {"torch": torch, "x": X, "y": Y})
    assert np.allclose(np.array(ours), oracle.eval(call, **args), rtol=1e-6, equal_nan=True)
    graph = oracle.eval(f"str(torch.jit.trace(lambda *a: torch.{name}(*a), ({', '.join(args)},)).graph)", **args)
    kind = graph.split("aten::")[1].split("(")[0]
    assert f"aten::{kind}(" in str(torch.jit.trace(lambda *a: getattr(torch, name)(*a), (X, Y) if name in PAIRS else (X,)).graph)
