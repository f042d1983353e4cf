"""torch.compile: state dicts of modules with a compiled module in them, and the names of torch._dynamo and torch.compiler beside torch.compile."""

from __future__ import annotations

import os
import subprocess
from collections import OrderedDict
from pathlib import Path

import monograph as torch
import pytest
from monograph import nn

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="torch.compile runs the code of Python 3.11")


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.compile(nn.Sequential(nn.Linear(3, 3), torch.compile(nn.BatchNorm1d(3))), backend="eager")
        self.tail = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.tail(self.inner(x))


def prefixed(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {k.replace("inner.", "inner._orig_mod.").replace(".1.", ".1._orig_mod."): v for k, v in state.items()}


@pytest.mark.parametrize("change", [dict, prefixed, lambda s: OrderedDict(prefixed(s)), lambda s: s])
def test_keys_of_a_compiled_submodule_load_with_and_without_its_prefix(change) -> None:
    torch.manual_seed(1)
    a, b = Outer(), Outer()
    state = a.state_dict()
    assert not any("_orig_mod" in key for key in state)
    assert str(b.load_state_dict(change(state))) == "<All keys matched successfully>"
    assert all(torch.equal(v, w) for v, w in zip(a.state_dict().values(), b.state_dict().values(), strict=True))
    whole = torch.compile(Outer(), backend="eager")
    assert str(whole.load_state_dict(change(state))) == "<All keys matched successfully>"
    whole.load_state_dict({f"_orig_mod.{k}": v for k, v in prefixed(state).items()})
    assert torch.equal(whole.state_dict()["inner.0.weight"], state["inner.0.weight"])


def test_a_key_that_is_missing_or_there_twice_is_told() -> None:
    module = Outer()
    state = module.state_dict()
    del state["inner.0.bias"]
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "inner.0.bias"'):
        module.load_state_dict(state)
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "inner._orig_mod.0.weight"'):
        module.load_state_dict({**module.state_dict(), "inner._orig_mod.0.weight": torch.ones(3, 3)})
    assert module.load_state_dict(state, strict=False).missing_keys == ["inner.0.bias"]


def test_versions_of_modules_and_hooks_reach_a_compiled_submodule() -> None:
    module = Outer()
    state = module.state_dict()
    old = OrderedDict((k, v) for k, v in state.items() if "num_batches" not in k)  # without _metadata: from before the counter
    seen = []
    module.inner.register_load_state_dict_post_hook(lambda m, keys: seen.append(type(m).__name__))
    assert str(module.load_state_dict(old)) == "<All keys matched successfully>"
    assert seen == ["OptimizedModule"]


def test_export_gives_a_graph_module_and_guards() -> None:
    def f(x, y=2):
        return {"a": x.sin() + y, "b": [x * 2 if x.sum() > 0 else x]}

    result = torch._dynamo.export(f)(torch.ones(3))
    module, guards = result
    assert module is result.graph_module and guards is result.guards and len(guards) > 0
    for x in (torch.ones(3), -torch.ones(5)):
        made, expected = module(x), f(x)
        assert torch.equal(made["a"], expected["a"]) and torch.equal(made["b"][0], expected["b"][0])
    layer = nn.Linear(3, 3)
    module, _ = torch._dynamo.export(layer)(torch.ones(2, 3))
    assert torch.equal(module(torch.ones(2, 3)), layer(torch.ones(2, 3)))

    def broken(x):
        torch._dynamo.graph_break()
        return x

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch._dynamo.export(broken)(torch.ones(2))


def test_a_function_of_numpy_takes_tensors() -> None:
    np = pytest.importorskip("numpy")

    @torch.compiler.wrap_numpy
    def f(a, b):
        return {"sum": np.sin(a) + b, "n": a.max()}

    for call in (f, torch.compile(f, backend="eager")):
        got = call(torch.ones(3), torch.zeros(3))
        assert isinstance(got["sum"], torch.Tensor) and got["sum"].dtype == torch.float32
        assert torch.allclose(got["sum"], torch.sin(torch.ones(3))) and got["n"].item() == 1
    with pytest.raises(RuntimeError, match="requires grad"):
        f(torch.ones(3, requires_grad=True), 1)


@pytest.mark.parametrize("backend", ["aot_eager_decomp_partition", "aot_eager_default_partitioner", "cudagraphs"])
def test_backends_of_pytorch_run_the_graph(backend: str) -> None:
    assert torch.equal(torch.compile(lambda x: x.sin() + 1, backend=backend)(torch.ones(2)), torch.ones(2).sin() + 1)
    assert backend in torch._dynamo.list_backends(None)


def test_an_option_that_pytorch_does_not_know_is_an_error() -> None:
    def f(x):
        return x + 1

    for options in ({"max_autotune": True, "trace.enabled": False}, {"epilogue-fusion": True}, {}):
        assert torch.equal(torch.compile(f, options=options)(torch.ones(2)), torch.ones(2) + 1)
    with pytest.raises(RuntimeError, match="Unexpected optimization option max_autotunes, .* near to it are max_autotune"):
        torch.compile(f, options={"max_autotunes": True})
    assert torch.equal(torch.compile(f, backend="eager", options={"nope": 1})(torch.ones(2)), torch.ones(2) + 1)  # "eager" takes no options


@pytest.mark.oracle
def test_the_list_of_options_is_what_its_tool_writes() -> None:
    tool = Path(__file__).resolve().parents[2] / "tools" / "oracle" / "freeze_options.py"
    done = subprocess.run([os.environ["MONOGRAPH_ORACLE"], tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
