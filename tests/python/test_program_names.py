"""Names that stop third-party programs where they are missing: normalize, init, settings, legacy types, the decorators of jit. Live beside PyTorch, and frozen."""

from __future__ import annotations

import doctest
import importlib
import warnings

import monograph as torch
import pytest
from beside import TRY, both, run

F, nn = torch.nn.functional, torch.nn

NORMALIZE = [
    "x", "x, 1.0", "x, 3.0, 0", "x, dim=-1", "x, 2.0, (0, 1)", "x, float('inf'), -1", "x * 0", "x, 2.0, 0, 10.0", "x.double()", "x[0], dim=0", "x.unsqueeze(0), dim=2",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("args", NORMALIZE)
def test_normalize(oracle, args):
    both(
        oracle,
        f"""
torch.manual_seed(0)
leaf = torch.randn(3, 4, dtype=torch.float64).float().requires_grad_()
x = leaf * 1
y = F.normalize({args})
(y * torch.arange(y.numel()).view(y.shape)).sum().backward()
result = [y, leaf.grad]
""",
    )


def test_normalize_has_a_graph_and_writes_out():
    x, out = torch.tensor([[3.0, 4.0], [0.0, 0.0]]), torch.empty(2, 2)
    assert F.normalize(x, out=out) is out and torch.allclose(out, torch.tensor([[0.6, 0.8], [0.0, 0.0]]))
    for graph in (torch.jit.trace(F.normalize, x), torch.fx.symbolic_trace(lambda a: F.normalize(a)), torch.capture(F.normalize, x)):
        assert torch.equal(graph(x + 1), F.normalize(x + 1))


@pytest.mark.oracle
@pytest.mark.parametrize(
    "args",
    ["", "distance_function=lambda a, b: (a - b).abs().sum(-1)", "swap=True, margin=0.3", "reduction='sum'", "reduction='none', swap=True", "margin=0.0", "reduction='x'"],
)
def test_triplet_margin_with_distance_loss(oracle, args):
    both(
        oracle,
        TRY
        + f"""
torch.manual_seed(0)
a, p, n = (torch.arange(12.0).view(3, 4).mul(k).sin() for k in (1, 2, 3))
result = attempt(lambda: F.triplet_margin_with_distance_loss(a, p, n, {args})) + attempt(lambda: torch.nn.TripletMarginWithDistanceLoss({args})(a, p, n))
result += attempt(lambda: F.triplet_margin_with_distance_loss(a, p, n[0]))
""",
    )


@pytest.mark.oracle
def test_activations_in_place(oracle):
    both(
        oracle,
        """
x = torch.arange(-3.0, 3.0)
result = [f(x.clone()) for f in (F.celu_, F.rrelu_, torch.rrelu_, lambda x: F.threshold_(x, 0.5, 20.0))]
y = x.clone()
result += [F.rrelu_(y) is y, y]
""",
    )


INIT = [
    "trunc_normal_(w)", "trunc_normal_(w, std=0.02)", "trunc_normal_(w, 1.0, 2.0, 0.5, 3.0)", "trunc_normal_(w, 0.0, 1.0, 2.5, 4.0)", "trunc_normal_(w, std=10.0)",
    "trunc_normal_(w, 10.0, 1.0, -1.0, 1.0)", "orthogonal_(w)", "orthogonal_(w, 2.0)", "orthogonal_(w.T)", "orthogonal_(w.view(2, 3, 2))", "orthogonal_(w[0])",
    "dirac_(w.view(2, 3, 2))", "dirac_(torch.empty(4, 2, 3, 3), 2)", "dirac_(torch.empty(3, 2, 2, 3, 1))", "dirac_(torch.empty(3, 2, 2), 2)", "dirac_(w)", "eye_(w)",
    "eye_(w[0])", "sparse_(w, 0.4)", "sparse_(w, 0.0, 3.0)", "sparse_(w[0], 0.1)", "uniform_(w, -2, 2)", "normal_(w, 1, 2)", "constant_(w, 3)", "ones_(w)", "zeros_(w)",
    "xavier_uniform_(w)", "xavier_normal_(w, 2.0)", "kaiming_uniform_(w, 0.1)", "kaiming_normal_(w, mode='fan_out', nonlinearity='relu')", "kaiming_uniform_(w[:0])",
    "kaiming_normal_(w, mode='x')", "uniform(w)", "normal(w)", "constant(w, 1)", "eye(w)", "dirac(w.view(2, 3, 2))", "xavier_uniform(w)", "xavier_normal(w)",
    "kaiming_uniform(w)", "kaiming_normal(w)", "orthogonal(w)", "sparse(w, 0.3)", "trunc_normal_(w, generator=g)", "orthogonal_(w, generator=g)",
    "trunc_normal_(torch.nn.Parameter(w))", "orthogonal_(torch.nn.Parameter(w))", "sparse_(torch.nn.Parameter(w), 0.5)", "dirac_(torch.nn.Parameter(w.view(2, 3, 2)))",
    "trunc_normal_(torch.empty(3, 4, dtype=torch.float64))", "trunc_normal_(torch.empty(8, 8, dtype=torch.float16))", "calculate_gain('leaky_relu', 0.3)", "calculate_gain('x')",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", INIT)
def test_init_draws_pytorchs_numbers(oracle, call):
    both(
        oracle,
        TRY
        + f"""
w, g = torch.zeros(4, 3), torch.Generator().manual_seed(9)
torch.manual_seed(3)
result = [*attempt(lambda: torch.nn.init.{call}), w, torch.rand(2)]
""",
        rtol=2e-6,
    )


def test_an_orthogonal_matrix_has_these_numbers():
    torch.manual_seed(0)
    expected = [[0.91113484, 0.07513042, 0.40520182], [0.33609271, -0.70446324, -0.62511873], [0.23848432, 0.70575291, -0.66711175]]
    assert torch.allclose(nn.init.orthogonal_(torch.empty(3, 3)), torch.tensor(expected), atol=1e-6)
    torch.manual_seed(0)
    assert torch.allclose(nn.init.trunc_normal_(torch.empty(3), 0.0, 1.0, 2.5, 4.0), torch.tensor([2.5334888, 2.5497289, 2.6327162]), atol=1e-6)
    assert nn.init.orthogonal_(torch.empty(3, 3, device="meta")).is_meta and nn.init.trunc_normal_(torch.empty(2, device="meta")).is_meta


LEGACY = [
    "torch.FloatTensor(2, 3).shape", "torch.FloatTensor()", "torch.LongTensor([1.5, 2])", "torch.FloatTensor(np.ones(2))", "torch.FloatTensor((2, 3))", "torch.FloatTensor(2.5)",
    "torch.FloatTensor(True)", "torch.FloatTensor(None)", "torch.FloatTensor(torch.Size([2, 3])).shape", "torch.DoubleTensor([[1, 2]])", "torch.BoolTensor([0, 2])",
    "torch.HalfTensor([1]).dtype", "torch.BFloat16Tensor([1]).dtype", "torch.ByteTensor([1]).dtype", "torch.CharTensor([1]).dtype", "torch.ShortTensor([1]).dtype",
    "torch.IntTensor(range(3))", "torch.FloatTensor(torch.ones(2)).sum()", "torch.FloatTensor(torch.ones(2).untyped_storage())",
    "torch.ones(2).type(torch.LongTensor)", "torch.ones(2).type('torch.DoubleTensor')", "torch.ones(2).type()", "repr(torch.FloatTensor)",
    "isinstance(torch.ones(2), torch.FloatTensor)", "isinstance(torch.ones(2), (torch.LongTensor, torch.cuda.FloatTensor))", "isinstance(torch.nn.Parameter(torch.ones(2)), torch.FloatTensor)",
    "torch.FloatTensor.dtype", "(torch.FloatTensor.is_cuda, torch.cuda.FloatTensor.is_cuda)", "torch.FloatTensor.__name__", "torch.typename(torch.ones(2))", "torch.typename(3)",
    "torch.typename(torch.nn.Linear(1, 1))", "torch.typename(torch.nn.Linear)", "torch.typename(F.relu)", "torch.is_storage(3)", "torch.is_storage(torch.ones(1).untyped_storage())",
    "torch.get_default_device().type", "torch.set_default_device('cpu')", "torch.get_float32_matmul_precision()", "attempt(lambda: torch.set_default_tensor_type(torch.LongTensor))[0]",
    "[attempt(lambda: torch.set_default_tensor_type('torch.DoubleTensor'))[0], torch.ones(1).dtype, attempt(lambda: torch.set_default_tensor_type(torch.FloatTensor))[0], torch.ones(1).dtype]",
    "[torch.set_float32_matmul_precision('high'), torch.get_float32_matmul_precision(), torch.set_float32_matmul_precision('highest')]",
    "[torch.use_deterministic_algorithms(True, warn_only=True), torch.get_deterministic_debug_mode(), torch.is_deterministic_algorithms_warn_only_enabled()]",
    "[torch.set_deterministic_debug_mode('error'), torch.get_deterministic_debug_mode(), torch.set_deterministic_debug_mode(0), torch.are_deterministic_algorithms_enabled()]",
    "torch.set_deterministic_debug_mode(5)", "torch.set_deterministic_debug_mode('x')", "torch.set_deterministic_debug_mode(1.5)", "torch.set_flush_denormal(False)",
    "[torch.set_warn_always(True), torch.is_warn_always_enabled(), torch.set_warn_always(False)]",
    "torch._check(True)", "torch._check(1)", "torch._check(False)", "torch._check(False, 'a')", "torch._check(False, lambda: 'text')", "torch._check_index(False)",
    "torch._check_value(False, lambda: 3)", "torch._check_type(False)", "torch._check_not_implemented(False)", "torch._check(torch.ones(1))", "torch._check_is_size(3, max=2)",
    "torch._check_tensor_all(torch.ones(2) > 0)", "torch._check_tensor_all(torch.ones(2) > 2)", "torch._check_tensor_all(torch.ones(2))", "torch._check_tensor_all(3)",
    "torch._assert(False, 'm')", "(torch.ones(1).is_pinned(), torch.ones(1).is_shared())", "torch._assert_async(torch.ones(1))", "torch._assert_async(torch.zeros(1))", "torch._assert_async(torch.zeros(()), 'mine')", "torch.nn.Identity(3, inplace=True)(torch.ones(1))", "torch._assert(True, 'm')",
    "torch.asarray([1, 2])", "torch.asarray(5.0)", "torch.asarray(np.float64(3))", "torch.asarray(np.ones(2), dtype=torch.float32)", "torch.asarray(bytearray(8), dtype=torch.int32)",
    "torch.asarray(bytearray(8))", "torch.asarray([1], copy=False)", "torch.asarray(torch.ones(2), device='meta', copy=False)",
    "(lambda x: [torch.asarray(x) is x, torch.asarray(x, copy=True) is x, torch.asarray(x, requires_grad=False) is x, torch.asarray(x.requires_grad_(), requires_grad=False).requires_grad])(torch.ones(2))",
    "(lambda x: torch.asarray(x).requires_grad)(torch.ones(2, requires_grad=True))", "(lambda a: (torch.asarray(a).fill_(3), a)[1])(np.ones(2))",
    "torch.jit.is_scripting()", "torch.jit.is_tracing()", "torch.jit.annotate(int, 3)", "torch.jit.ignore(drop=3)", "torch.jit.Attribute(3, int).value",
    "torch.jit.isinstance([1, 2], list[int])", "torch.jit.isinstance([1, 'a'], list[int])", "torch.jit.isinstance({'a': torch.ones(1)}, dict[str, torch.Tensor])",
    "torch.jit.isinstance((1, 'a'), tuple[int, str])", "torch.jit.isinstance(3, (str, int))",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", LEGACY)
def test_settings_and_legacy_types(oracle, call):
    both(oracle, TRY + f"result = attempt(lambda: {call})")


def test_settings_that_would_change_something_are_refused():
    with pytest.raises(NotImplementedError, match="Monograph runs on the CPU"):
        torch.set_default_device("cuda")
    with pytest.raises(TypeError, match="Monograph runs on the CPU"):
        torch.cuda.FloatTensor(2)
    assert torch.set_flush_denormal(True) is False
    with pytest.raises(TypeError, match=r"torch.FloatTensor\(\): expected a tensor of torch.float32, but got one of torch.int64"):
        torch.FloatTensor(torch.tensor([1]))
    with pytest.raises(RuntimeError, match="leave 'cuda.' out"):
        torch.ones(2).type("torch.cuda.FloatTensor")


def test_a_legacy_type_shares_memory_and_is_pickled_by_its_name():
    import pickle

    x = torch.ones(2)
    assert torch.FloatTensor(x).data_ptr() == x.data_ptr() and torch.FloatTensor(x) is not x
    assert pickle.loads(pickle.dumps(torch.FloatTensor)) is torch.FloatTensor and type(torch.FloatTensor) is torch.tensortype


def test_script_of_what_is_no_function_is_the_thing_itself_with_one_notice(monkeypatch):
    from monograph.jit import _script

    monkeypatch.setitem(_script._state, "told", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept = torch.ones(2)
        assert torch.jit.script(kept) is kept and torch.jit.script(torch.relu) is torch.relu
    assert len(caught) == 1 and "compiles functions, modules and classes" in str(caught[0].message) and caught[0].filename == __file__
    with pytest.raises(TypeError, match="is a built-in class"):
        torch.jit.script(abs)
    with pytest.raises(RuntimeError, match="inherits from nn.Module, pass an instance instead"):
        torch.jit.script(nn.ReLU)


def test_is_tracing_is_true_in_a_trace_only():
    seen = []

    def f(x):
        seen.append(torch.jit.is_tracing())
        return x + 1

    traced = torch.jit.trace(f, torch.ones(1), check_trace=False)
    f(torch.ones(1))
    torch.fx.symbolic_trace(f)
    assert seen == [True, False, False]
    assert isinstance(torch.jit.trace(nn.ReLU(), torch.ones(1)), torch.jit.ScriptModule) and not isinstance(traced, torch.jit.ScriptModule)


MODULES = [
    "nn.init", "_settings", "_checks", "_legacy", "jit._script",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module(f"monograph.{name}")
    found = [t for t in doctest.DocTestFinder().find(module, extraglobs={"torch": torch, "nn": nn, "F": F}) if t.examples]
    found += [t for kind in getattr(module, "TYPES", {}).values() for t in doctest.DocTestFinder().find(kind, "torch.kind", extraglobs={"torch": torch}) if t.examples]
    assert found
    for test in found:
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0, test.name


@pytest.mark.parametrize("function", [F.normalize, F.triplet_margin_with_distance_loss, nn.TripletMarginWithDistanceLoss])
def test_the_example_of_a_function_runs(function):
    text = function.__doc__
    test = doctest.DocTestParser().get_doctest(text, {"torch": torch, "nn": nn, "F": F}, "f", None, 0)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


def test_the_program_text_runs_here():
    assert run("result = torch.FloatTensor([1]).sum()").tolist() == 1.0
