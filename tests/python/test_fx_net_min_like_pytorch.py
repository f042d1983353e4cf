"""torch.fx.passes.net_min_base beside PyTorch: the same nodes are found, with the same steps and the same printed reports."""

from __future__ import annotations

import pytest
from beside import TRY, both

BEGIN = (
    TRY
    + """
import contextlib, importlib, io
fx = torch.fx
base = importlib.import_module(f"{torch.__name__}.fx.passes.net_min_base")

def program(x):
    a = x + 1
    b = a.relu()
    c = torch.sigmoid(b)
    return (c * a).neg() + b

class Minimizer(base._MinimizerBase):
    wrong, failing = "sigmoid", None
    def run_a(self, mod, inputs, report_idx=-1):
        return mod(*inputs)
    def run_b(self, mod, inputs, report_idx=-1):
        names = [n.name for n in mod.graph.nodes]
        if self.failing in names:
            raise ValueError("it does not run")
        made = mod(*inputs)
        if self.wrong in names:
            made = made + 1 if isinstance(made, torch.Tensor) else tuple(m + 1 for m in made)
        return made

class Failing(Minimizer):
    wrong, failing = None, "mul"

class Right(Minimizer):
    wrong = None

def compare(a, b, names):
    a, b = (v if isinstance(v, (tuple, list)) else (v,) for v in (a, b))
    far = max(float((p - q).abs().max()) for p, q in zip(a, b))
    return far, far < 0.5

exported = []

def found(kind, call=lambda m: m.minimize(), excluded=None, **settings):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        m = kind(fx.symbolic_trace(program), (torch.ones(2),), compare, base._MinimizerSettingBase(**settings), lambda i, s, n: exported.append(n), excluded)
        nodes = call(m)
        m.print_reports()
    text = "\\n".join(line for line in printed.getvalue().split("\\n") if "{" not in line or "=" in line)
    return [sorted(n.name for n in nodes) if nodes is not None else None, str(m.results), m.iteration, text]
"""
)


@pytest.mark.oracle
@pytest.mark.parametrize("method", ["sequential", "binary", "accumulate", "defined", "block"])
def test_each_traversal(oracle, method):
    both(
        oracle,
        BEGIN
        + f"""
result = []
for kind in (Minimizer, Failing, Right):
    result += found(kind, traverse_method={method!r})
    result += found(kind, traverse_method={method!r}, find_all=True, accumulate_error=True, all_outputs=True)
result += [exported]
""",
    )


@pytest.mark.oracle
def test_parts_of_the_graph(oracle):
    both(
        oracle,
        BEGIN
        + """
result = found(Minimizer, lambda m: m.minimize(skip_nodes=["relu", "neg"]), traverse_method="skip")
result += found(Minimizer, lambda m: m.minimize(find_last_node=True), traverse_method="block")
result += found(Minimizer, lambda m: m.minimize(find_last_node=False), traverse_method="block")
result += found(Minimizer, lambda m: m.minimize("relu", "mul"), traverse_method="binary")
result += found(Minimizer, lambda m: m.run_nodes("relu", "mul"))
result += found(Minimizer, lambda m: m.run_nodes(), return_intermediate=True)
result += found(Minimizer, excluded=lambda nodes, start, end: nodes.clear(), find_all=True)
result += found(Minimizer, excluded=lambda nodes, start, end: nodes.clear(), traverse_method="binary")
result += [str(base._MinimizerSettingBase())]
""",
    )


def test_refusals():
    import monograph as torch
    from monograph.fx.passes import net_min_base as base

    gm, x = torch.fx.symbolic_trace(lambda x: x + 1), torch.ones(1)
    with pytest.raises(AssertionError, match=r"Placeholder count \(1\) does not match sample_input count \(2\)"):
        base._MinimizerBase(gm, (x, x), print, base._MinimizerSettingBase())
    for method, words in (("no", "Unknown traverse method no!"), ("skip", "'skip_nodes' can't be None")):
        with pytest.raises(RuntimeError, match=words):
            base._MinimizerBase(gm, (x,), print, base._MinimizerSettingBase(traverse_method=method)).minimize()
