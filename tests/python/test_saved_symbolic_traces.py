"""Symbolic traces of layers and functions that ask for sizes and dtypes: their graphs are saved, loaded, and give the function's results."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from typing import Any

import monograph as torch
import pytest
from monograph import nn
from monograph.fx import symbolic_trace
from monograph.nn import functional as F
from monograph.utils import _pytree as pytree


class Calls(nn.Module):
    """layer(x, x, ...)"""

    def __init__(self, layer: Any, count: int = 1, mask: Any = None, **options: Any):
        super().__init__()
        self.layer, self.count, self.options = layer.eval(), count, options
        self.register_buffer("mask", mask)

    def forward(self, x):
        options = self.options if self.mask is None else {**self.options, "attn_mask": self.mask}
        return self.layer(*[x] * self.count, **options)


class CallsWithStates(nn.Module):
    def __init__(self, layer: Any):
        super().__init__()
        self.layer = layer

    def forward(self, x, h, c):
        return self.layer(x, (h, c))


def saved(function, tmp_path):
    """Each way to run a symbolic trace, and the graph of its file last."""
    traced = symbolic_trace(function)
    traced.graph.save(tmp_path / "g.mgraph")
    return traced, traced.graph, torch.load_graph(tmp_path / "g.mgraph")


def same(runs, function, *inputs):
    expected = pytree.tree_leaves(function(*inputs))
    for run in runs:
        results = pytree.tree_leaves(run(*inputs))
        assert len(results) == len(expected)
        for a, b in zip(results, expected, strict=True):
            assert a is b is None or (torch.equal(a, b) and a.dtype == b.dtype)


RECURRENT = [(nn.GRU, {}), (nn.LSTM, {}), (nn.RNN, {}), (nn.LSTM, {"proj_size": 2})]


@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"bidirectional": True, "num_layers": 2}])
@pytest.mark.parametrize("layer, more", RECURRENT)
def test_recurrent_layers(layer, more, options, tmp_path):
    module = Calls(layer(4, 3, **more, **options))
    runs = saved(module, tmp_path)
    for size in ((5, 2, 4), (2, 3, 4), (1, 1, 4)):
        same(runs, module, torch.randn(size))
    same(runs[:1], module, torch.randn(5, 4))  # without a batch: the module itself alone
    with pytest.raises(RuntimeError, match="where `the number of dims of %x` is 3, but here it is 2"):
        runs[-1](torch.randn(5, 4))
    with pytest.raises(RuntimeError, match="must be equal to input_size. Expected 4, got 3"):
        runs[-1](torch.randn(5, 2, 3))
    with pytest.raises(RuntimeError, match="same dtype, but got float64 and float32"):
        runs[-1](torch.randn(5, 2, 4).double())


def test_a_recurrent_layer_with_states(tmp_path):
    module = CallsWithStates(nn.LSTM(4, 3))
    runs = saved(module, tmp_path)
    for batch in (2, 1):
        same(runs, module, torch.randn(5, batch, 4), torch.randn(1, batch, 3), torch.randn(1, batch, 3))
    with pytest.raises(RuntimeError, match="the number of dims of %h"):
        runs[-1](torch.randn(5, 2, 4), torch.randn(1, 3), torch.randn(1, 3))


def causal(dtype):
    later = torch.ones(5, 5).triu(1).bool()
    return later if dtype is torch.bool else torch.zeros(5, 5).masked_fill(later, float("-inf"))


@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"bias": False}])
def test_attention(options, tmp_path):
    module = Calls(nn.MultiheadAttention(4, 2, **options), 3)
    runs = saved(module, tmp_path)
    for size in ((5, 2, 4), (2, 3, 4)):
        same(runs, module, torch.randn(size))
    with pytest.raises(RuntimeError, match="where `the number of dims of %x` is 3, but here it is 2"):
        runs[-1](torch.randn(5, 4))
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        runs[-1](torch.randn(5, 2, 3))


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", [torch.bool, torch.float32])
def test_attention_with_a_mask_of_the_module(dtype, need_weights, tmp_path):
    module = Calls(nn.MultiheadAttention(4, 2), 3, causal(dtype), need_weights=need_weights)
    runs = saved(module, tmp_path)
    same(runs, module, torch.randn(5, 2, 4))
    same(runs, module, torch.randn(5, 1, 4))
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        runs[-1](torch.randn(4, 2, 4))


TRANSFORMERS = {
    "encoder layer": lambda: Calls(nn.TransformerEncoderLayer(4, 2, 8)),
    "norm first": lambda: Calls(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=True)),
    "encoder": lambda: Calls(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)),
    "decoder": lambda: Calls(nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2), 2),
    "both": lambda: Calls(nn.Transformer(4, 2, 1, 1, 8), 2),
}


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name, tmp_path):
    module = TRANSFORMERS[name]().eval()
    runs = saved(module, tmp_path)
    for size in ((5, 2, 4), (3, 1, 4)):
        same(runs, module, torch.randn(size))


def test_attention_inside_of_a_cond(tmp_path):
    layer = Calls(nn.MultiheadAttention(4, 2), 3)

    class Chooses(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: self.layer(x)[0], lambda x: x * 2, (x,))

    module = Chooses()
    runs = saved(module, tmp_path)
    for x in (torch.ones(5, 2, 4), -torch.ones(3, 1, 4)):
        same(runs, module, x)
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        runs[-1](torch.ones(5, 4))


def test_a_loss_that_compares_sizes(tmp_path):
    runs = saved(lambda x, y: F.binary_cross_entropy_with_logits(x, y), tmp_path)
    same(runs, F.binary_cross_entropy_with_logits, torch.randn(3, 4), torch.rand(3, 4))
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        runs[-1](torch.randn(3, 4), torch.rand(3))


@pytest.mark.parametrize(
    "condition, message, refused, says",
    [
        (lambda x: x.shape[1] == 3, lambda x: f"width {x.shape[1]}", torch.ones(2, 4), "width 4"),
        (lambda x: x.dim() == 2, lambda x: f"shape {x.shape}", torch.ones(3), r"shape torch.Size\(\[3\]\)"),
        (lambda x: x.sum() > 0, lambda x: "not positive", -torch.ones(2, 3), "not positive"),
        (lambda x: x.shape[1] % 3, lambda x: "no remainder", torch.ones(2, 3), "no remainder"),
    ],
)
def test_an_assertion_of_torch_raises_when_the_graph_runs(condition, message, refused, says, tmp_path):
    def function(x):
        torch._assert(condition(x), message(x))
        return x + 1

    x = torch.ones(2, 3) if "remainder" not in says else torch.ones(2, 4)
    for run in saved(function, tmp_path):
        assert torch.equal(run(x), x + 1)
        with pytest.raises((AssertionError, RuntimeError), match=says):
            run(refused)


def test_an_assertion_of_torch_that_holds_is_no_branch():
    gm = symbolic_trace(lambda x: (torch._assert(True, "never"), x + 1)[1])
    assert "RaiseException" not in str(gm.graph)
    with pytest.raises(AssertionError, match="always"):
        symbolic_trace(lambda x: (torch._assert(False, "always"), x + 1)[1])


def test_sizes_that_the_user_compares_are_not_assumed():
    for function in (lambda x: F.relu(x) if x.shape[0] == 3 else x, lambda x: x if x.dim() == 3 else F.relu(x)):
        with pytest.raises((RuntimeError, torch.fx.proxy.TraceError)):
            symbolic_trace(function).graph.hash()


def test_unfold_and_fold_with_and_without_a_batch(tmp_path):
    for function, sizes, wrong in (
        (lambda x: F.unfold(x, 2), ((2, 3, 4, 5), (3, 4, 5)), (4, 5)),
        (lambda x: F.fold(x, (4, 5), 2), ((2, 12, 12), (12, 12)), (4,)),
    ):
        runs = saved(function, tmp_path)
        for size in sizes:
            same(runs, function, torch.randn(size))
            x = torch.randn(size, dtype=torch.float64, requires_grad=True)
            assert torch.autograd.gradcheck(function, (x,))
        with pytest.raises((RuntimeError, IndexError), match="Expected [23]D|do not fold"):
            runs[-1](torch.randn(wrong))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.eye(4, dtype=x.dtype) + x,
        lambda x: torch.zeros(2, 3, dtype=x.dtype),
        lambda x: torch.ones((2, x.shape[0]), dtype=x.dtype),
        lambda x: torch.full((2,), 3, dtype=x.dtype, requires_grad=False),
        lambda x: torch.full((2,), 0.1, dtype=x.dtype),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.bool])
def test_what_is_made_in_the_dtype_of_an_input(function, dtype, tmp_path):
    same(saved(function, tmp_path), function, torch.ones(4, 4).to(dtype))


def test_where_neither_dims_nor_dtype_are_known_the_error_says_what_to_do():
    for function, asked in ((lambda x: F.softmin(x), "dim"), (lambda x: torch.arange(4, dtype=x.dtype), "dtype")):
        with pytest.raises(RuntimeError) as error:
            symbolic_trace(function).graph.hash()
        text = str(error.value)
        assert re.search(rf"{asked} of %x is unknown in a symbolic capture.*torch.jit.trace\(f, x\) or torch.capture\(f, x\)", text)
        assert "test_saved_symbolic_traces.py" in text
    with pytest.raises(RuntimeError) as error:
        symbolic_trace(lambda x: F.interpolate(x, scale_factor=2.0, mode="area")).graph.hash()
    assert any("interpolate" in note for note in error.value.__notes__)


def first(d: list[torch.Tensor]):
    return d[0] * 2


def two(d: list[torch.Tensor]):
    return d[1] - d[0]


def nested(d: tuple[tuple[torch.Tensor, torch.Tensor]]):
    return d[0][1] * 2


def by_name(d: dict[str, list[torch.Tensor]]):
    return d["a"][0] * 2


def several(d: tuple[torch.Tensor, ...]):
    return d[1] * d[0]


def records(d: list[dict[str, torch.Tensor]]):
    return d[1]["a"] * d[0]["b"]


def from_the_end(d: tuple[torch.Tensor, torch.Tensor]):
    return d[-1] - d[0]


A, B = torch.arange(8.0).reshape(2, 4), torch.ones(2, 4)


@pytest.mark.parametrize("as_texts", [False, True])
@pytest.mark.parametrize(
    "function, inputs",
    [
        (first, [[A], [A, B]]),
        (two, [[A, B], [B, A, A]]),
        (nested, [((A, B),)]),
        (by_name, [{"a": [A]}, {"a": [A, B], "b": [A]}]),
        (several, [(A, B), (A, B, A)]),
        (records, [[{"a": A, "b": B}, {"a": B}]]),
        (from_the_end, [(A, B)]),
    ],
)
def test_annotated_lists_tuples_and_dicts_are_inputs(function, inputs, as_texts, tmp_path, monkeypatch):
    text = function.__annotations__["d"]
    assert isinstance(text, str)  # from __future__ import annotations
    if not as_texts:
        monkeypatch.setitem(function.__annotations__, "d", eval(text))
    runs = saved(function, tmp_path)
    for d in inputs:
        same(runs, function, d)


def test_lists_that_do_not_fit(tmp_path):
    loaded = saved(two, tmp_path)[-1]
    with pytest.raises(IndexError, match="list index 1 is out of range for a list of 1"):
        loaded([A])
    with pytest.raises(TypeError, match=r"Input 'd' must be Tensor\[\], but got a Tensor"):
        loaded(A)
    loaded = saved(from_the_end, tmp_path)[-1]
    with pytest.raises(TypeError, match="Input 'd' must be a tuple of 2, but got a tuple of 3"):
        loaded((A, B, A))

    def last(d: list[torch.Tensor]):
        return d[-1]

    with pytest.raises(NotImplementedError, match=r"d is annotated as a list of any length[^\n]*\n.*\nAnnotate it as a tuple"):
        symbolic_trace(last).graph.hash()
    loaded = saved(lambda d: d[0] * 2, tmp_path)[-1]  # which is a row of a tensor
    assert loaded(A).tolist() == (A[0] * 2).tolist()
    with pytest.raises(
        TypeError, match=r"must be a tensor, but got a list of 1; if fx.symbolic_trace made the graph, annotate .*`d: list\[torch.Tensor\]`"
    ):
        loaded([A])


RESAMPLED = [
    ({"scale_factor": 2}, 4),
    ({"size": 8}, 4),
    ({"size": (8,)}, 3),
    ({"size": (2, 3, 4)}, 5),
    ({"scale_factor": 2.0, "mode": "linear"}, 3),
    ({"scale_factor": (2.0, 0.5), "mode": "bilinear", "align_corners": False}, 4),
    ({"size": (8, 9), "mode": "bicubic"}, 4),
    ({"size": 3, "mode": "trilinear", "align_corners": True}, 5),
    ({"size": 3, "mode": "area"}, 4),
]


@pytest.mark.parametrize("options, dims", RESAMPLED)
def test_interpolate(options, dims, tmp_path):
    def function(x):
        return F.interpolate(x.relu(), **options) + 1

    runs = saved(function, tmp_path)
    for n in (1, 3):
        same(runs, function, torch.randn(n, 2, *(4, 6, 5)[: dims - 2]))
    with pytest.raises(RuntimeError, match="dims"):
        runs[2](torch.randn(2, 3))


@pytest.mark.parametrize("sizes", [lambda y: y.shape[2:], lambda y: y.shape[-2:], lambda y: (y.size(2), y.shape[3]), lambda y: y.size()[2:]])
def test_interpolate_to_the_size_of_another_input(sizes, tmp_path):
    def function(x, y):
        return F.interpolate(x, size=sizes(y), mode="bilinear") + y

    runs = saved(function, tmp_path)
    same(runs, function, torch.randn(1, 2, 5, 5), torch.randn(1, 2, 9, 7))
    same(runs, function, torch.randn(3, 2, 2, 3), torch.randn(3, 2, 4, 4))


def test_a_list_of_another_length_than_the_dims_is_refused(tmp_path):
    run = saved(lambda x, y: F.interpolate(x, size=y.shape[2:]), tmp_path)[2]
    with pytest.raises(RuntimeError, match="len"):
        run(torch.randn(1, 2, 5, 5), torch.randn(1, 2, 9))


def spectrum(x):
    return torch.stft(x, 8, 2, window=torch.hann_window(8), return_complex=True).abs()


@pytest.mark.parametrize(
    "function, inputs",
    [
        (spectrum, lambda n: (torch.randn(n, 24),)),
        (spectrum, lambda n: (torch.randn(20 + n),)),
        (Calls(nn.EmbeddingBag(5, 4)), lambda n: (torch.randint(0, 5, (n, 3)),)),
        (Calls(nn.EmbeddingBag(5, 4, mode="sum"), 2), lambda n: (torch.arange(n),)),
        (lambda theta, x: F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False)), lambda n: (torch.randn(n, 2, 3), torch.randn(n, 1, 4, 5))),
        (lambda x: torch.meshgrid(torch.arange(x.shape[0]), torch.arange(x.shape[1]), indexing="xy")[1] * 2, lambda n: (torch.randn(n, 3),)),
        (lambda x: x.reshape(x.shape[0], -1, 2)[..., [1, 0]], lambda n: (torch.randn(n, 4),)),
        (lambda x: x.new_tensor([0.1, 0.7]) + x.new_tensor(3), lambda n: (torch.randn(n, 2, dtype=torch.float64),)),
        (lambda x, y: torch.full_like(y, 2.5, dtype=x.dtype) * torch.ones_like(y, dtype=x.dtype) + x, lambda n: (torch.randn(n, 2), torch.arange(2 * n).view(n, 2))),
        (lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=(x @ x.mT > -9).logical_not().logical_not()), lambda n: (torch.randn(n, 3, 2),)),
    ],
    ids=["stft of a batch", "stft", "EmbeddingBag", "EmbeddingBag of offsets", "affine_grid", "meshgrid", "an index behind an ellipsis", "new_tensor", "_like in another dtype", "a mask that the code makes"],
)  # fmt: skip
def test_functions_that_ask_what_the_code_says_of_a_tensor(function, inputs, tmp_path):
    runs = saved(function, tmp_path)
    for n in (2, 3, 1):
        x = inputs(n)
        for run in runs:
            expected, found = function(*x), run(*x)
            assert torch.equal(found, expected) and found.dtype == expected.dtype if isinstance(expected, torch.Tensor) else found == expected


def test_lists_of_operators_made_of_others_have_a_length_and_types():
    def f(x, y):
        a, b = torch.meshgrid(x, y, indexing="ij")
        c, d = torch.broadcast_tensors(x.unsqueeze(1), y)
        return a + c, b + d

    graph = torch.jit.trace(f, (torch.randn(4), torch.randn(3))).inlined_graph
    assert not graph.guards
    assert "Float(s0_0, s1_0) = aten::__getitem__" in str(graph)


@pytest.mark.parametrize(
    "layer",
    [nn.InstanceNorm2d(4), nn.InstanceNorm2d(4, affine=True, track_running_stats=True), nn.Dropout2d(), nn.Softmax2d()],
    ids=lambda layer: str(layer),
)
def test_layers_of_images_behind_a_convolution_are_saved_for_a_batch(layer, tmp_path):
    """A convolution takes images with a batch and without one, so nothing says how many dims its result has."""
    module = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), layer).eval()
    traced = torch.fx.symbolic_trace(module)
    traced.graph.save(tmp_path / "layers.mgraph")
    loaded = torch.load_graph(tmp_path / "layers.mgraph")
    for sizes in ((2, 3, 8, 8), (1, 3, 5, 7)):
        x = torch.rand(sizes)
        assert loaded(x).equal(module(x)) and traced(x).equal(module(x))
    image = torch.rand(3, 5, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dropout2d reads three dims as lines
        assert traced(image).equal(module(image))
    with pytest.raises(RuntimeError, match="dim"):
        loaded(image)


INDICES = [
    lambda x: x[:, 0] + x[..., -1],
    lambda x: x[:, : x.shape[1] // 2 + 1, ...] * (x.shape[0] / 2),
    lambda x: x[None, ::2, None],
    lambda x: x.reshape(x.shape[1:] + x.shape[:1])[-1:],
    lambda x: x[:, [2, 0]],
]


@pytest.mark.parametrize("suffix", ["pt", "mgraph"])
@pytest.mark.parametrize("which", range(len(INDICES)))
def test_indices_as_generated_code_spells_them(which, suffix, tmp_path):
    """x[:, 0] is x[(slice(None, None, None), 0)] in the code of a GraphModule, which jit.save compiles."""
    function = INDICES[which]
    path = tmp_path / f"f.{suffix}"
    torch.jit.save(symbolic_trace(function), path)
    loaded = torch.load_graph(path) if suffix == "mgraph" else torch.jit.load(path)
    for rows in (1, 4):
        x = torch.randn(rows, 3)
        assert torch.equal(loaded(x), function(x))


def test_operators_keep_the_module_whose_code_called_them(tmp_path):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.inner(x + 1) * 2

    gm = symbolic_trace(torch.nn.Sequential(Block(), Block()))
    gm.graph.save(tmp_path / "blocks.mgraph")
    scopes = {n.name: n.scopeName() for n in torch.load_graph(tmp_path / "blocks.mgraph").nodes}
    assert scopes["add"] == scopes["mul"] == "__module.0" and scopes["add_1"] == scopes["mul_1"] == "__module.1"
    assert scopes["linear"] == "__module.0.inner" and scopes["linear_1"] == "__module.1.inner"


@pytest.mark.parametrize("expression", [
    "torch.ops.aten.expm1.default(x)", "torch.ops.mine.twice(x)", "x + torch.compiler.is_compiling()", "torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)",
    "x * len(__import__('xml.dom.minidom').__name__)",
])  # fmt: skip
def test_the_first_use_of_an_operator_or_module_is_no_write_of_the_program(expression, tmp_path):
    """In a new process: a name that was found once stays in its module or namespace."""
    program = (
        "import monograph as torch\n"
        "torch.library.define('mine::twice', '(Tensor x) -> Tensor')\n"
        "torch.library.impl('mine::twice', 'default', lambda x: x * 2)\n"
        f"def function(x):\n    return {expression}\n"
        "traced = torch.fx.symbolic_trace(function)\n"
        f"traced.graph.save({str(tmp_path / 'f.mgraph')!r})\n"
        "x = torch.ones(3)\n"
        "assert torch.equal(traced(x), function(x)) and torch.equal(traced(x), traced.graph(x))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
