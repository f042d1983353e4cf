"""What programs meet first: limits of dtypes, older constructors, backends, devices that are not there, MONOGRAPH_DEVICE_FALLBACK, reports of the environment."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import warnings

import monograph as torch
import pytest
from beside import both

# Values that are equal to PyTorch's, and kinds of errors.
EXPRESSIONS = [
    *(f"repr(torch.finfo(torch.{d}))" for d in ("float32", "float16", "bfloat16", "float64", "complex64", "complex128")),
    *(f"repr(torch.iinfo(torch.{d}))" for d in ("int8", "uint8", "int16", "int32", "int64")),
    "repr(torch.finfo())", "torch.finfo(type=torch.float32).eps", "torch.iinfo(type=torch.int8).max", "torch.finfo(torch.bfloat16).resolution",
    "torch.finfo(torch.float32) == torch.finfo(torch.float32)", "torch.finfo(torch.float32) == torch.finfo(torch.float64)", "torch.finfo(torch.float32).dtype",
    "torch.FloatTensor([1, 2])", "torch.FloatTensor(2, 3).shape", "torch.FloatTensor()", "torch.FloatTensor([[], []])", "torch.LongTensor([1.5, 2])", "torch.BoolTensor([1, 0, 2])",
    "torch.ByteTensor([255, -1])", "torch.IntTensor([True])", "torch.FloatTensor(np.array([1, 2]))", "torch.FloatTensor(range(3))", "torch.FloatTensor(torch.tensor(3.))",
    "torch.FloatTensor([torch.tensor(1.), torch.tensor(2)])", "torch.FloatTensor(size=(2,)).shape", "torch.FloatTensor([1], device='cpu')",
    "torch.Tensor(2, 3).shape", "torch.Tensor([1, 2])", "torch.Tensor(range(2))", "torch.Tensor(np.array([1, 2]))", "torch.Tensor(torch.Size([2])).shape",
    "torch.asarray([1, 2], dtype=torch.float64)", "torch.asarray(np.arange(3), dtype=torch.float32)", "torch.asarray(bytearray(b'abcd'), dtype=torch.int16)", "torch.asarray(range(3))",
    "torch.asarray([1, 2.5, True])", "torch.asarray(torch.ones(2), requires_grad=True).requires_grad", "torch.asarray(torch.ones(2), device='meta').device", "torch.asarray([])",
    "torch.asarray(torch.arange(4).view(2, 2).t()).stride()", "torch.asarray(np.array(3, dtype=np.int16))",
    "[torch.get_default_device(), torch.set_default_device('cpu:0'), torch.get_default_device(), torch.set_default_device(None), torch.get_default_device()]",
    "(torch.backends.mps.is_available(), torch.backends.mps.is_built(), torch.backends.cudnn.is_available(), torch.backends.cudnn.version(), torch.backends.cudnn.enabled)",
    "(torch.backends.cudnn.benchmark, torch.backends.cudnn.benchmark_limit, torch.backends.cudnn.deterministic, torch.backends.cudnn.allow_tf32, torch.backends.cuda.is_built())",
    "(torch.backends.cuda.matmul.allow_tf32, torch.backends.cuda.flash_sdp_enabled(), torch.backends.cuda.math_sdp_enabled(), torch.backends.cuda.cudnn_sdp_enabled())",
    "(torch.backends.mkldnn.enabled, torch.backends.opt_einsum.strategy, torch.backends.flags_frozen(), torch.backends.fp32_precision, torch.backends.mha.get_fastpath_enabled())",
    "torch.backends.cusparselt.is_available()", "(torch.has_cuda, torch.has_cudnn, torch.compiled_with_cxx11_abi(), torch.is_inference(torch.ones(1)))",
    "(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.get_rng_state_all(), torch.cuda.get_arch_list(), dict(torch.cuda.memory_stats()))",
    "(torch.cpu.is_available(), torch.cpu.device_count(), torch.cpu.current_device(), torch.cpu.synchronize(), torch.cpu.is_initialized())",
    "(torch.accelerator.is_available(), torch.accelerator.device_count(), torch.accelerator.current_accelerator(), torch.mps.is_available(), torch.xpu.is_available(), torch.xpu.device_count(), torch.mtia.is_available())",
    "[torch.get_device_module(d).__name__.rpartition('.')[2] for d in ('cpu', 'cuda', None, torch.device('cuda', 1))]",
    "torch.FloatTensor(torch.FloatStorage([1, 2, 3]))", "(torch.LongStorage([3, 4]).tolist(), len(torch.LongStorage(2)), len(torch.FloatStorage([1.5])), isinstance(torch.FloatStorage(1), torch.FloatStorage), isinstance(torch.FloatStorage(1), torch.LongStorage))",
]  # fmt: skip
ERRORS = [
    "torch.iinfo(torch.bool)", "torch.iinfo(torch.float32)", "torch.finfo(torch.int32)", "torch.iinfo()", "torch.finfo(3)", "hash(torch.finfo(torch.float32))",
    "torch.FloatTensor(2.5)", "torch.FloatTensor('a')", "torch.FloatTensor(None)", "torch.FloatTensor(-1)", "torch.FloatTensor(1, 2.5)", "torch.FloatTensor(1, device='meta')",
    "torch.FloatTensor({1, 2})", "torch.FloatTensor([1j])", "torch.FloatTensor(torch.ones(2, dtype=torch.int64))", "torch.ByteTensor([300])", "torch.Tensor(3.5)", "torch.Tensor(None)", "torch.Tensor('x')",
    "torch.ones(2).type('foo')", "torch.asarray([1, 2], requires_grad=True)", "torch.asarray([1., 2], copy=False)", "torch.asarray(np.arange(3), dtype=torch.float32, copy=False)",
    "torch.asarray(torch.ones(2), dtype=torch.float64, copy=False)", "torch.asarray(bytearray(b'abcd'), dtype=torch.float64)", "torch.asarray('abc')", "torch.asarray(None)", "torch.asarray({})",
    "torch.set_default_device('nope')", "torch.set_default_dtype(torch.int32)", "torch.cuda.synchronize()", "torch.cuda.current_device()", "torch.cuda.get_device_name()", "torch.cuda.get_device_properties(0)",
    "torch.cuda.Stream()", "torch.cuda.Event()", "torch.cuda.current_stream()", "torch.cuda.FloatTensor(2)", "torch.ones(2).pin_memory()", "torch.get_device_module('nope')", "torch.get_device_module(3.5)",
]  # fmt: skip
PRINTS = [
    "precision=2", "precision=0", "precision=8", "threshold=3", "threshold=3, edgeitems=1", "edgeitems=0, threshold=1", "linewidth=20", "linewidth=10", "profile='short'", "profile='full'",
    "sci_mode=True", "sci_mode=False", "sci_mode=True, precision=1", "precision=2, profile='short'", "threshold=float('inf')", "linewidth=0",
]  # fmt: skip


@pytest.mark.oracle
def test_values_beside_pytorch(oracle):
    for expression in EXPRESSIONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both(oracle, f"import numpy as np\nimport warnings\nwarnings.simplefilter('ignore')\nresult = [{expression}, {expression!r}]")


@pytest.mark.oracle
def test_kinds_of_errors_beside_pytorch(oracle):
    for expression in ERRORS:
        program = f"import numpy as np\ntry:\n    result = ['no error', {expression}][:1]\nexcept Exception as error:\n    result = type(error).__name__"
        both(oracle, program)


@pytest.mark.oracle
def test_print_options_beside_pytorch(oracle):
    shown = "torch.tensor([1.23456, 100.5]), torch.arange(10), torch.tensor([1e-7, 2e9]), torch.arange(27).view(3, 3, 3), torch.tensor([1+2j]), torch.ones(4, 4, 4, dtype=torch.complex64), torch.tensor([float('nan'), float('-inf'), 1.]), torch.zeros(0, 3), torch.ones(3, 3, requires_grad=True)"
    for options in PRINTS:
        both(oracle, f"torch.set_printoptions({options})\nresult = [repr(x) for x in ({shown})]\ntorch.set_printoptions(profile='default', sci_mode=None)\ntorch.set_printoptions(sci_mode=None)")


def fresh(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **variables})


GPU_PROGRAM = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import monograph as torch
    device = torch.device("cuda:1")
    x = torch.ones(2, device=device)
    net = torch.nn.Linear(2, 2).cuda().to("cuda").to(device)
    y = net(x.cuda().cuda(0).to("cuda", non_blocking=True).to(torch.device("cuda", 0)))
    seen = [str(d) for d in (device, torch.device("cuda", 1), torch.device(0), x.device, y.device, torch.randn(1, device="cuda").device)]
    torch.cuda.synchronize(); torch.cuda.set_device(0); torch.cuda.current_stream().synchronize(); torch.cuda.empty_cache()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(); end.record(); torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0): torch.ones(1)
    torch.set_default_device("cuda")
    seen += [torch.cuda.is_available(), x.is_cuda, start.elapsed_time(end) >= 0, torch.cuda.FloatTensor([1, 2]).tolist(), x.type("torch.cuda.LongTensor").type(), x.pin_memory() is x, torch.Generator(device="cuda").device.type]
    import io
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    seen.append(torch.load(file, map_location="cuda:0").tolist())
print(json.dumps([seen, [str(w.message) for w in caught]]))
"""


def test_with_the_fallback_a_program_for_a_gpu_runs_on_the_cpu_with_one_notice():
    run = fresh(GPU_PROGRAM, MONOGRAPH_DEVICE_FALLBACK="cpu")
    assert run.returncode == 0, run.stderr
    seen, notices = json.loads(run.stdout)
    assert seen == ["cpu"] * 6 + [False, False, True, [1.0, 2.0], "torch.LongTensor", True, "cpu", [1.0, 1.0]]
    assert notices == ["MONOGRAPH_DEVICE_FALLBACK=cpu: there is no GPU, so 'cuda' means the CPU in this process"]


@pytest.mark.parametrize("call", ["torch.ones(2).to('cuda')", "torch.ones(2).cuda()", "torch.nn.Linear(2, 2).cuda()", "torch.nn.Linear(2, 2).to('cuda')", "torch.ones(2, device='cuda')"])
@pytest.mark.parametrize("value", ["", "gpu"])
def test_without_it_a_gpu_says_what_to_do(call, value):
    run = fresh(f"import monograph as torch\n{call}", MONOGRAPH_DEVICE_FALLBACK=value)
    assert "Monograph runs on the CPU: a tensor cannot be put on 'cuda'. Use device='cpu'" in run.stderr and "set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu" in run.stderr


def test_a_module_without_tensors_goes_to_a_gpu_as_in_pytorch():
    relu = torch.nn.ReLU()
    assert relu.cuda() is relu


def test_backends_keep_their_settings(monkeypatch):
    cudnn = torch.backends.cudnn
    cudnn.benchmark = True
    with cudnn.flags(enabled=False, benchmark=False):
        assert (cudnn.enabled, cudnn.benchmark) == (False, False)
    assert (cudnn.enabled, cudnn.benchmark) == (True, True)
    cudnn.benchmark = False
    assert cudnn.set_flags(_deterministic=True) == (True, False, None, False, True, "none") and cudnn.deterministic
    cudnn.deterministic = False
    torch.backends.cuda.enable_flash_sdp(False)
    assert not torch.backends.cuda.flash_sdp_enabled() and torch.backends.cuda.math_sdp_enabled()
    torch.backends.cuda.enable_flash_sdp(True)
    with torch.backends.cuda.sdp_kernel(enable_math=False):
        assert not torch.backends.cuda.math_sdp_enabled()
    assert torch.backends.cuda.math_sdp_enabled()
    assert torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
    with pytest.raises(AttributeError, match="has no attribute 'no_such'"):
        _ = cudnn.no_such
    monkeypatch.setattr(sys.modules["monograph.backends"], "_frozen", True)
    with pytest.raises(RuntimeError, match=r"not allowed to set torch.backends.cudnn flags after disable_global_flags"):
        cudnn.benchmark = True


def test_reports_of_the_environment():
    run = subprocess.run([sys.executable, "-m", "monograph.utils.collect_env"], capture_output=True, text=True)
    assert run.returncode == 0 and "Monograph version: 0.1.0" in run.stdout and "Is CUDA available: False" in run.stdout, run.stderr
    assert f"[pip3] numpy=={__import__('numpy').__version__}" in run.stdout
    assert torch._C._instruction_set() in torch.__config__.show() and str(torch.get_num_threads()) in torch.__config__.parallel_info()


def test_fork_rng():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    with torch.random.fork_rng(devices=[]):
        torch.rand(7)
    assert torch.equal(torch.rand(2), expected)
    torch.manual_seed(3)
    with torch.random.fork_rng(enabled=False):
        torch.rand(1)
    assert not torch.equal(torch.rand(2), expected)
    with pytest.raises(AssertionError, match="leave devices= out"), torch.random.fork_rng(devices=[0]):
        pass
    with pytest.raises(ValueError, match="inside"):  # the stream comes back after an error too
        with torch.random.fork_rng():
            torch.manual_seed(9)
            raise ValueError("inside")
    assert torch.initial_seed() == 3 and torch.random.thread_safe_generator() is None


def test_data_pipes():
    from monograph.utils.data import DataLoader, IterDataPipe, MapDataPipe, functional_datapipe

    class Numbers(IterDataPipe):
        def __iter__(self):
            yield from range(4)

    @functional_datapipe("first_names_times")
    class Times(IterDataPipe):
        def __init__(self, source, factor):
            self.source, self.factor = source, factor

        def __iter__(self):
            return (self.factor * x for x in self.source)

    numbers = Numbers()
    assert list(numbers.first_names_times(3)) == [0, 3, 6, 9] and "first_names_times" in dir(numbers) and "Numbers" in repr(numbers)
    assert [b.tolist() for b in DataLoader(numbers.first_names_times(2), batch_size=2)] == [[0, 2], [4, 6]]
    old, new = iter(numbers), iter(numbers)
    assert next(new) == 0
    with pytest.raises(RuntimeError, match="invalidated because another iterator"):
        next(old)
    with pytest.raises(AttributeError, match="has no attribute 'no_such'"):
        _ = numbers.no_such
    with pytest.raises(Exception, match="already taken"):
        functional_datapipe("first_names_times")(Times)

    class Squares(MapDataPipe):
        def __getitem__(self, k):
            return k * k

        def __len__(self):
            return 3

    assert [b.tolist() for b in DataLoader(Squares(), batch_size=3)] == [[0, 1, 4]]


def test_overrides_know_the_functions():
    overrides = torch.overrides
    functions = overrides.get_overridable_functions()
    assert torch.add in functions[torch] and torch.nn.functional.relu in functions[torch.nn.functional] and torch.Tensor.add in functions[torch.Tensor]
    assert torch.Tensor.T.__get__ in functions[torch.Tensor] and torch.ones not in functions[torch] and torch.ones in overrides.get_ignored_functions()
    assert inspect.getcallargs(overrides.get_testing_overrides()[torch.nn.functional.relu], 3) == {"input": 3, "inplace": False}
    assert set(overrides.get_testing_overrides()) == {f for group in functions.values() for f in group} and overrides.get_testing_overrides()[torch.add](1) == -1
    for f, name in ((torch.add, "torch.add"), (torch.Tensor.T.__get__, "torch.Tensor.T.__get__"), (torch.Tensor.add, "torch.Tensor.add"), (torch.ops.aten.add, "aten.add")):
        assert overrides.resolve_name(f) == name
    assert overrides.resolve_name(len) is None and overrides.resolve_name([]) is None
    assert overrides.is_tensor_method_or_property(torch.Tensor.T.__get__) and not overrides.is_tensor_method_or_property(torch.add)

    class Logged:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "taken", func, args, kwargs

    @overrides.wrap_torch_function(lambda a, b=None: (a, b))
    def mine(a, b=None):
        """Text."""
        return "own"

    value = Logged()
    assert mine(1) == "own" and mine(value, b=2) == ("taken", mine, (value,), {"b": 2}) and mine.__doc__ == "Text."
