"""jit.script of modules: what a forward may use, the layers of nn and whole networks beside their eager runs, copies, files, and what is refused."""

from __future__ import annotations

import collections
import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import monograph as torch
import monograph.nn.functional as F
import numpy
import pytest
from monograph import nn
from networks import NETWORKS
from test_nn import LAYERS as IMAGE_LAYERS
from test_nn_layers import BEGIN, CASES, PACKED, SEVERAL
from test_nn_rows import LAYERS as ROW_LAYERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a.float(), b.float(), 1e-5, 1e-5, equal_nan=True)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return bool(a == b)


class Block(nn.Module):
    def __init__(self, width: int, downsample: Any = None):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.downsample, self.scale = downsample, 2.0

    def forward(self, x):
        y = F.relu(self.bn(self.conv(x)))
        if self.downsample is not None:
            x = self.downsample(x)
        return F.dropout(y, 0.0, self.training) * self.scale + x


class Net(nn.Module):
    """Containers, a buffer that is written, an exported method, a property, constants of the class and of the instance, a method with a default."""

    names = ["mean", "max"]

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(3), Block(3, nn.Sequential(nn.Conv2d(3, 3, 1), nn.ReLU()))])
        self.heads = nn.ModuleDict({"mean": nn.Linear(3, 2), "max": nn.Linear(3, 2)})
        self.offsets = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))])
        self.register_buffer("calls", torch.zeros(1))
        self.weights = {"mean": 0.5, "max": 2.0}

    @property
    def depth(self) -> int:
        return len(self.blocks)

    def pooled(self, x, how: str = "mean"):
        return x.mean((2, 3)) if how == "mean" else x.amax((2, 3))

    def forward(self, x, which: int = 0):
        for k, block in enumerate(self.blocks):
            x = block(x) + k
        for block, offset in zip(reversed(self.blocks), self.offsets):  # noqa: B905
            x = x + offset * block.scale
        self.calls += 1
        if which == 2:
            return self.heads["max"](self.pooled(x, "max")) * self.weights["max"]
        for name, head in self.heads.items():
            if name == "mean" and which == 0:
                return head(self.pooled(x)) * self.depth
        return sum([head(self.pooled(x)) for head in self.heads.values()])

    @torch.jit.export
    def count(self, more: int = 1) -> int:
        return len(self.blocks) + more

    @torch.jit.unused
    def only_in_python(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(x.tolist())


@pytest.mark.parametrize("training", [True, False])
def test_a_module_runs_as_it_does_in_python(training: bool) -> None:
    net = Net().train(training)
    scripted = torch.jit.script(copy.deepcopy(net))
    x = torch.randn(2, 3, 5, 5)
    for which in (0, 1, 2):
        assert same(net(x, which), scripted(x, which)) and same(net(x, which=which), scripted(x, which=which))
    assert same(net.state_dict(), scripted.state_dict()) and float(scripted.calls) == 6
    assert scripted.count() == 3 and scripted.count(5) == 7 and scripted.names == ["mean", "max"]
    assert not hasattr(scripted, "no_such_name")


def test_the_mode_can_change_before_and_after() -> None:
    net = Net().eval()
    scripted = torch.jit.script(net)
    x = torch.randn(2, 3, 5, 5)
    for training in (True, False, True):
        net.train(training), scripted.train(training)
        before = copy.deepcopy(net.state_dict())
        expected = net(x)
        net.load_state_dict(before)
        assert same(expected, scripted(x))
        norms = [n.args[5] for n in scripted.inlined_graph.nodes if "batch_norm" in str(n.target)]
        assert norms == [training] * 2
    net.eval()
    assert scripted.training, "the mode of a scripted module is its own"


def test_parameters_are_shared_and_gradients_flow() -> None:
    net = Net().eval()
    scripted = torch.jit.script(net)
    assert isinstance(scripted, torch.jit.ScriptModule) and [n for n, _ in scripted.named_parameters()] == [
        n for n, _ in net.named_parameters()
    ]
    x = torch.randn(2, 3, 5, 5)
    net(x).sum().backward()
    expected = [p.grad.clone() for p in net.parameters() if p.grad is not None]
    net.zero_grad()
    scripted(x).sum().backward()
    assert same(expected, [p.grad for p in net.parameters() if p.grad is not None]) and len(expected) > 8
    with torch.no_grad():
        net.heads["mean"].bias += 1
    assert same(net(x), scripted(x))
    other = Net().eval()
    scripted.load_state_dict(other.state_dict())
    assert same(other(x), net(x)) and same(other(x), scripted(x))
    scripted.double()
    assert scripted(x.double()).dtype == torch.float64


def test_it_is_copied_pickled_and_saved(tmp_path: Any) -> None:
    scripted = torch.jit.script(Net().eval())
    x = torch.randn(2, 3, 5, 5)
    expected = scripted(x)
    for other in (copy.deepcopy(scripted), pickle.loads(pickle.dumps(scripted))):
        assert same(expected, other(x))
        with torch.no_grad():
            other.heads["mean"].bias += 1
        assert not same(expected, other(x)) and same(expected, scripted(x))
    scripted.save(tmp_path / "net.mgraph")
    assert same(expected, torch.load_graph(tmp_path / "net.mgraph")(x, 0))
    if not PROGRAM.exists():
        pytest.skip("the command is not built")
    shown = subprocess.run([PROGRAM, "print", tmp_path / "net.mgraph"], capture_output=True, text=True, check=True).stdout
    assert "blocks.0.conv.weight" in shown
    numpy.save(tmp_path / "x.npy", x.numpy())
    subprocess.run(
        [
            PROGRAM,
            "run",
            tmp_path / "net.mgraph",
            "--input",
            f"x={tmp_path / 'x.npy'}",
            "--input",
            "which=text:0",
            "--output",
            tmp_path / "y.npy",
        ],
        capture_output=True,
        check=True,
    )
    assert same(expected.detach(), torch.from_numpy(numpy.load(tmp_path / "y.npy")))


def test_the_graph_has_the_calls_and_the_paths() -> None:
    scripted = torch.jit.script(Net().eval())
    assert 'blocks = self.blocks\n  _0 = getattr(blocks, "0")' in scripted.code and "(_0).forward(x, )" in scripted.code  # as PyTorch prints it
    paths = {str(n.target) for n in scripted.inlined_graph.nodes if n.op == "get_attr"}
    assert {"blocks.0.conv.weight", "blocks.1.downsample.0.bias", "calls", "offsets.1"} <= paths
    assert scripted.forward.code == scripted.code and "add" in scripted.count.code


class Hooked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(x) + 1


def _ten_more(self, inputs: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
    return (inputs[0] + 10,)


def _hundred_more(self, inputs: tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
    return output + 100


class Twice(nn.Module):
    def forward(self, x):
        return x * 2


class HoldsTwice(nn.Module):
    def __init__(self, twice: nn.Module) -> None:
        super().__init__()
        self.twice = twice

    def forward(self, x):
        return self.twice(x)

    @torch.jit.export
    def direct(self, x):
        return self.twice.forward(x)


def test_forward_itself_runs_no_hooks_and_a_call_runs_them() -> None:
    """As PyTorch's, whose forward is the method and whose hooks belong to the call."""
    hooked = Twice()
    hooked.register_forward_pre_hook(_ten_more)
    hooked.register_forward_hook(_hundred_more)
    scripted, holder, x = torch.jit.script(hooked), torch.jit.script(HoldsTwice(hooked)), torch.ones(1)
    for _ in range(2):
        assert [scripted(x).item(), scripted.forward(x).item(), scripted.forward(x=x).item()] == [122, 2, 2]
        assert [holder(x).item(), holder.forward(x).item(), holder.direct(x).item()] == [122, 122, 2]
        assert [holder.twice(x).item(), holder.twice.forward(x).item()] == [122, 2]
        scripted.eval(), holder.eval()
    for copied in (copy.deepcopy(scripted), torch.jit.trace(scripted, x), torch.capture(scripted, x), torch.fx.symbolic_trace(nn.Sequential(scripted))):
        assert copied(x).item() == 122
    scripted.register_forward_hook(lambda module, inputs, output: output + 1000)
    assert [scripted(x).item(), scripted.forward(x).item()] == [1122, 2]


def test_hooks_are_compiled() -> None:
    def double(module, inputs):  # type: ignore[no-untyped-def]
        return (inputs[0] * 2,)

    def shift(module, inputs, output):  # type: ignore[no-untyped-def]
        return output + inputs[0].sum()

    net = Hooked()
    net.register_forward_pre_hook(double)
    net.inner.register_forward_hook(shift)
    net.inner.register_forward_pre_hook(double)
    x = torch.randn(3, 2)
    assert same(net(x), torch.jit.script(net)(x))
    net.inner.register_forward_hook(shift, with_kwargs=True)
    with pytest.raises(RuntimeError, match="with_kwargs or always_call"):
        torch.jit.script(net)


class Base(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None):  # noqa: UP045
        return x + 1 if mask is None else x * mask


class Derived(Base):
    def forward(self, x, mask: Optional[torch.Tensor] = None):  # noqa: UP045
        y = super().forward(x, mask)
        if hasattr(self, "gain"):
            y = y * self.gain
        if isinstance(self.layer, (nn.Identity, nn.ReLU)):
            return getattr(self, "layer")(y)  # noqa: B009
        return y

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer


def test_super_and_questions_about_modules() -> None:
    x = torch.randn(4)
    for layer in (nn.ReLU(), nn.Tanh()):
        net = Derived(layer)
        scripted = torch.jit.script(net)
        assert same(net(x), scripted(x)) and same(net(x, x), scripted(x, x))
        net.gain = 3.0
        assert same(net(x), torch.jit.script(net)(x))


def test_an_assigned_attribute_holds_from_the_next_call() -> None:
    scripted = torch.jit.script(Block(3).eval())
    x = torch.randn(1, 3, 4, 4)
    two = scripted(x) - x
    scripted.scale = 4.0
    assert same((scripted(x) - x), two * 2)


def test_scripts_in_traces_and_containers() -> None:
    net = Hooked()
    scripted = torch.jit.script(net)
    x = torch.randn(3, 2)
    traced = torch.jit.trace(lambda x: scripted(x) * 2, (x,))
    assert same(net(x) * 2, traced(x))
    both = nn.Sequential(scripted, nn.ReLU())
    assert same(torch.relu(net(x)), both(x)) and same(torch.relu(net(x)), torch.jit.script(both)(x))
    assert torch.jit.script(scripted) is scripted and len(torch.jit.script(both)) == 2


def refused(body: str, **attributes: Any) -> str:
    """What script says of a module with this forward."""
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    text = f"class Net(nn.Module):\n    def forward(self, x):\n        {body}\n    @torch.jit.ignore\n    def plain(self, x):\n        return x\n"
    import linecache

    linecache.cache["refused.py"] = (len(text), None, text.splitlines(True), "refused.py")
    exec(compile(text, "refused.py", "exec"), {"__name__": "refused", **names}, names)
    sys.modules["refused"] = type(sys)("refused")
    sys.modules["refused"].__file__ = "refused.py"
    net = names["Net"]()
    for name, value in attributes.items():
        setattr(net, name, value)
    with pytest.raises(RuntimeError) as error:
        torch.jit.script(net)
    return str(error.value)


def test_what_a_module_cannot_do_is_an_error_with_its_line() -> None:
    for body, attributes, says in [
        ("self.seen = x; return x", {}, "the module has no such attribute; give it a value in __init__"),
        ("return x + self.offset", {}, "Net has no attribute 'offset'"),
        ("return self.plain(x)", {}, "is marked with torch.jit.ignore"),
        ("return self.layers[x](x)", {"layers": nn.ModuleList([nn.ReLU()])}, "the index of ModuleList is an int, but this value has type Tensor"),
        ("return self.layers", {"layers": nn.ModuleList([nn.ReLU()])}, "an nn.Module cannot be a value in a graph"),
        ("return x + self.thing", {"thing": object()}, "a value of type object from outside"),
    ]:
        message = refused(body, **attributes)
        assert says in message and 'File "refused.py", line 3' in message, message


def test_an_unused_method_raises_when_it_runs() -> None:
    class Either(nn.Module):
        @torch.jit.unused
        def slow(self, x: torch.Tensor) -> torch.Tensor:
            return torch.tensor(x.tolist())

        def forward(self, x):
            if x.sum() > 0:
                x = self.slow(x)
            return x * 2

    scripted = torch.jit.script(Either())
    assert same(scripted(-torch.ones(2)), -2 * torch.ones(2))
    with pytest.raises(RuntimeError, match=r"marked with torch.jit.unused"):
        scripted(torch.ones(2))


# Layers ----------------------------------------------------------------------------------------------------------------------------------------

# What a graph has no value for, by the class; each is refused, and none computes something else.
names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F}
exec(BEGIN + PACKED.split("@")[0], names)
CALLS = [
    *((layer.replace("(Flatten(), Unflatten", "(nn.Flatten(), nn.Unflatten"), inputs[4:], "layer(x)") for inputs, layer in CASES),
    *((layer, "grid(2, 3, 8, 8)", "layer(x)") for layer in IMAGE_LAYERS),
    *SEVERAL,
    *((layer, f"[{inputs}]", "layer(*all)") for layer, inputs in ROW_LAYERS),
    *((f"EmbeddingBag(6, 3, mode='{mode}')", "[torch.tensor([[0, 1], [5, 5]])]", "layer(*all)") for mode in ("mean", "max", "sum")),
    # What PyTorch's eager layers take and its scripts do not.
    ("Hardtanh(-1, 0.5)", "grid(2, 3, 8, 8)", "layer(x)"),
    *((f"{pool}((None, 3))", "grid(2, 3, 8, 8)", "layer(x)") for pool in ("AdaptiveAvgPool2d", "AdaptiveMaxPool2d")),
    ("AdaptiveAvgPool3d((None, 3, None))", "grid(2, 3, 4, 8, 8)", "layer(x)"),
    ("TripletMarginWithDistanceLoss()", "[grid(2, 3), grid(2, 3) + 1, grid(2, 3) + 2]", "layer(*all)"),
    ("TripletMarginWithDistanceLoss(swap=True, reduction='sum')", "[grid(2, 3), grid(2, 3) + 1, grid(2, 3) + 2]", "layer(*all)"),
]


def outcome(layer: Any, parameters: Any, inputs: str, call: str) -> list[Any]:
    given = eval(inputs, names)
    given = given if isinstance(given, list) else [given]
    torch.manual_seed(5)
    results = names["parts"](eval(call, {**names, "layer": layer, "all": given, **dict(zip("xyz", given, strict=False))}))
    loss = sum((r * torch.arange(r.numel()).cos().view(r.shape)).sum() for r in results if r.is_floating_point() and r.requires_grad)
    if isinstance(loss, torch.Tensor):
        loss.backward()
    return [*results, *(p.grad for p in parameters if p.grad is not None), *layer.state_dict().values()]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize(("layer", "inputs", "call"), CALLS, ids=[f"{layer} of {inputs}: {call}" for layer, inputs, call in CALLS])
def test_a_layer_of_nn(layer: str, inputs: str, call: str, training: bool) -> None:
    torch.manual_seed(7)
    made = eval("nn." + layer, names).train(training)
    other = copy.deepcopy(made)
    if "packed(" in call:  # a PackedSequence is a named tuple too
        with pytest.raises((RuntimeError, TypeError)):
            outcome(torch.jit.script(other), other.parameters(), inputs, call)
        return
    expected = outcome(made, list(made.parameters()), inputs, call)
    assert same(expected, outcome(torch.jit.script(other), list(other.parameters()), inputs, call))


class PackedLayer(nn.Module):
    """Packs what it is given, as programs do around a recurrent layer."""

    def __init__(self, layer: Any, sorted_: bool) -> None:
        super().__init__()
        self.layer, self.sorted_, self.batch_first = layer, sorted_, layer.batch_first

    def forward(self, x: torch.Tensor, lengths: torch.Tensor, total: int | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, self.batch_first, self.sorted_)
        y, state = self.layer(packed)
        padded, counts = nn.utils.rnn.pad_packed_sequence(y, self.batch_first, -1.0, total)
        last = state[0] if isinstance(state, tuple) else state
        return padded, counts, last


@pytest.mark.parametrize("lengths", [[5, 3, 2], [2, 5, 3]], ids=["sorted", "mixed"])
@pytest.mark.parametrize("layer", ["LSTM(4, 6, 2, bidirectional=True)", "GRU(4, 6, batch_first=True)", "RNN(4, 6)"])
def test_sequences_are_packed_in_a_script(layer: str, lengths: list[int]) -> None:
    torch.manual_seed(7)
    net = PackedLayer(eval("nn." + layer), lengths == sorted(lengths, reverse=True))
    other = copy.deepcopy(net)
    x = torch.randn(3, 5, 4) if net.batch_first else torch.randn(5, 3, 4)
    scripted = torch.jit.script(other)
    for total in (None, 7):
        expected, got = net(x, torch.tensor(lengths), total), scripted(x, torch.tensor(lengths), total)
        assert same(list(expected), list(got))
        expected[0].sum().backward()
        got[0].sum().backward()
        assert same([p.grad for p in net.parameters()], [p.grad for p in other.parameters()])
    with pytest.raises(ValueError, match="Expected total_length to be at least"):
        scripted(x, torch.tensor(lengths), 4)


# Networks --------------------------------------------------------------------------------------------------------------------------------------


def test_networks_compute_what_they_do_in_python(sample_seed: Any) -> None:
    """Each network either computes the same, or is an error; never something else."""
    equal, causes = [], collections.Counter[str]()
    for name, (make, inputs) in NETWORKS.items():
        torch.manual_seed(3)
        net, given = make().eval(), inputs(2)
        try:
            scripted = torch.jit.script(copy.deepcopy(net))
            torch.manual_seed(5)
            got = scripted(*copy.deepcopy(given))
        except (RuntimeError, TypeError, ValueError, AttributeError, OSError) as error:
            causes[str(error).splitlines()[0][:90]] += 1
            continue
        torch.manual_seed(5)
        assert same(torch._tree.leaves_of(net(*given)), torch._tree.leaves_of(got)), name
        equal.append(name)
    print(
        f"{len(equal)} of {len(NETWORKS)} networks; the others by cause:",
        *(f"{n} {cause}" for cause, n in causes.most_common()),
        sep="\n  ",
    )
    assert len(equal) >= 98
