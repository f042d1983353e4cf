"""Standing in for torch: install_as_torch() and `python -m monograph`."""

from __future__ import annotations

import doctest
import subprocess
import sys

import monograph as torch
import pytest

PROGRAM = """
import importlib.metadata, sys
import torch
import torch.nn.functional as F
import torch.utils._pytree
from torch import nn
from torch.nn.modules.linear import Linear
assert torch is sys.modules["monograph"] and F is nn.functional and torch.nn.Linear is Linear and nn.__spec__.name == "monograph.nn"
assert torch.__version__ == "2.13.0" == importlib.metadata.version("torch") and torch.__version__ >= (2, 0) and torch.version.cuda is None
assert [d.metadata["Name"] for d in importlib.metadata.distributions(name="torch")] == ["torch"]
"""


def python(*arguments: str, cwd=None) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd)


def installed(program: str) -> subprocess.CompletedProcess:
    return python("-c", f"import monograph\nmonograph.install_as_torch()\nmonograph.install_as_torch()\n{program}")


def last(run: subprocess.CompletedProcess) -> str:
    return run.stderr.strip().splitlines()[-1] if run.stderr.strip() else ""


def test_import_torch_gives_monograph():
    run = installed(PROGRAM)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("kind", ["script", "-m", "-c"])
def test_python_m_monograph_runs_a_program(tmp_path, kind):
    text = PROGRAM + "print(__name__, sys.argv[1:], torch.ones(2).sum().item())"
    (tmp_path / "prog.py").write_text(text)
    (tmp_path / "beside.py").write_text("")
    chosen = {"script": ["prog.py"], "-m": ["-m", "prog"], "-c": ["-c", text]}[kind]
    run = python("-m", "monograph", *chosen, "a", "--b", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (0, "__main__ ['a', '--b'] 2.0\n"), run.stderr


def test_a_program_imports_what_lies_beside_it_and_exits_as_it_says(tmp_path):
    (tmp_path / "part.py").write_text("VALUE = 7")
    (tmp_path / "prog.py").write_text("import sys, torch, part\nassert __file__ == sys.argv[0]\nsys.exit(part.VALUE)")
    assert python("-m", "monograph", str(tmp_path / "prog.py")).returncode == 7


def test_a_program_that_is_not_there():
    run = python("-m", "monograph", "view", "a.mgraph")
    assert run.returncode == 2 and run.stderr.startswith("python -m monograph: there is no file 'view' to run.") and "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module", "No module named no_such_module"),
        ("no_such_package.part", "No module named no_such_package"),
        ("folder", "No module named folder.__main__; 'folder' is a package and cannot be directly executed"),
        ("folder.no_such_part", "No module named folder.no_such_part"),
    ],
)
def test_a_module_that_is_not_there(tmp_path, name, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__init__.py").write_text("")
    run = python("-m", "monograph", "-m", name, cwd=tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"python -m monograph: {said}\n")


def test_an_import_that_fails_in_a_module_is_the_programs_error(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__init__.py").write_text("import no_such_module")
    run = python("-m", "monograph", "-m", "folder.part", cwd=tmp_path)
    assert run.returncode == 1 and "Traceback" in run.stderr and last(run) == "ModuleNotFoundError: No module named 'no_such_module'"


def test_usage():
    assert python("-m", "monograph", "--help").stdout.startswith("usage: python -m monograph script.py")
    for wrong in ([], ["-m"], ["--frobnicate"]):
        run = python("-m", "monograph", *wrong)
        assert run.returncode == 2 and "usage: python -m monograph" in run.stderr


def test_it_refuses_where_pytorch_is_imported():
    program = "import sys, types\nm = sys.modules['torch'] = types.ModuleType('torch'); m.__version__ = '2.13.0'; m.__file__ = 'F'\nimport monograph\nmonograph.install_as_torch()"
    assert last(python("-c", program)).startswith(
        "ImportError: install_as_torch: PyTorch 2.13.0 is already imported here, from F. Call install_as_torch() before"
    )


ABSENT = "exists in PyTorch, but it is not in Monograph yet"
APART = "exists in PyTorch, but it is not in Monograph: RPC and distributed training are not planned (docs/scope.md)"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import torch\ntorch.lobpcg", f"AttributeError: torch.lobpcg {ABSENT}"),
        ("from torch import lobpcg\nprint(lobpcg, file=sys.stderr)", "<torch.lobpcg, which is not in Monograph yet>"),
        ("from torch import lobpcg\nlobpcg(1)", f"NotImplementedError: torch.lobpcg {ABSENT}"),
        (
            "import torch.distributed.tensor as t\nt.DTensor.from_local(1)",
            f"NotImplementedError: torch.distributed.tensor.DTensor.from_local {APART}",
        ),
        ("import torch.distributed.tensor as t\nclass N(t.DTensor): pass\nN()", f"NotImplementedError: torch.distributed.tensor.DTensor {APART}"),
        (
            "from torch.distributed.rpc.api import marked\n@marked\ndef f(): pass\nf()",
            f"NotImplementedError: torch.distributed.rpc.api.marked {APART}",
        ),
        ("import torch.no_such", "ModuleNotFoundError: No module named 'torch.no_such'"),
        ("import torch.nn.no_such", "ModuleNotFoundError: No module named 'torch.nn.no_such'"),
        ("import torch.distributed.no_such", "ModuleNotFoundError: No module named 'torch.distributed.no_such'"),
        ("from torch.distributed import no_such", "ImportError: cannot import name 'no_such' from 'monograph.distributed'"),
        ("import torch\ntorch.ops.aten.no_such", "AttributeError: "),
        ("import torch\ntorch.ops.aten.miopen_rnn(1)", f"NotImplementedError: torch.ops.aten.miopen_rnn {ABSENT}"),
        ("import torch\ntorch.no_such", "AttributeError: module 'monograph' has no attribute 'no_such'"),
        ("from torch import no_such", "ImportError: cannot import name 'no_such' from 'torch'"),
    ],
)
def test_a_name_that_is_not_there_says_so_when_it_is_used(program, said):
    assert last(installed("import sys\n" + program)).startswith(said)


def test_what_programs_ask_and_set_first():
    run = installed(
        """
import warnings; warnings.simplefilter("ignore")
import torch, torch.distributed, torch.backends.cudnn as cudnn, torch._dynamo, torch.compiler, torch.onnx.symbolic_helper, torch.cuda.amp
assert not any([torch.distributed.is_available(), torch.cuda.is_available(), torch.backends.mps.is_available(), torch.compiler.is_compiling(), torch.onnx.is_in_onnx_export()])
cudnn.benchmark = True; torch.backends.cuda.matmul.allow_tf32 = True; torch._dynamo.config.suppress_errors = True
f = lambda x: x
assert torch.compiler.disable(f)(3) == torch._dynamo.disable()(f)(3) == 3 and torch.cuda.amp.custom_fwd(f).__wrapped__ is f and not torch.is_autocast_enabled("cpu")
with torch.autocast("cuda"), torch.cuda.amp.autocast(): assert torch.ones(1).dtype is torch.float32
assert torch.finfo(torch.float8_e4m3fn).max == 448 and torch.ones(1).layout != torch.sparse_coo and torch.qint8 not in (torch.int8,) and repr(torch.qint8) == "torch.qint8"
assert list(torch.overrides.handle_torch_function.__code__.co_varnames)[:2] == ["public_api", "relevant_args"] and not torch.overrides.has_torch_function((torch.ones(1),))
from torch._subclasses import FakeTensor, FakeTensorMode
from torch._C import ScriptObject, Graph
from torch._jit_internal import boolean_dispatched
from torch.nn.modules.module import _global_backward_hooks, _global_forward_hooks, _global_forward_pre_hooks
x = torch.ones(2)
assert isinstance(FakeTensorMode().from_tensor(x), FakeTensor) and not isinstance(x, FakeTensor) and not isinstance(x, (ScriptObject, torch.qscheme))
assert type(torch.jit.trace(lambda x: x + 1, x).graph) is Graph is torch.fx.Graph and not boolean_dispatched
handle = torch.nn.modules.module.register_module_forward_hook(lambda *args: None)
assert len(_global_forward_hooks) == 1 and not _global_forward_pre_hooks and not _global_backward_hooks
print(torch.__config__.show())
"""
    )
    assert run.returncode == 0 and run.stdout.startswith("Monograph, on the CPU\n"), run.stderr


def test_without_it_torch_is_not_there_and_the_version_is_monographs():
    run = python("-c", "import monograph\nprint(monograph.__version__, hasattr(monograph, 'quint4x2'))\nimport torch")
    assert run.stdout == "0.1.0 False\n" and last(run) == "ModuleNotFoundError: No module named 'torch'"


@pytest.mark.parametrize("name", ["torch_version", "overrides", "__config__", "utils.collect_env", "_devices"])
def test_the_examples_in_docstrings_run(name):
    import importlib

    module = importlib.import_module(f"monograph.{name}")
    result = doctest.testmod(module, extraglobs={"torch": torch}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed


def test_the_example_of_install_as_torch_runs():
    program = (
        "import doctest, monograph\n"
        "example = doctest.DocTestFinder().find(monograph.install_as_torch, globs={'torch': monograph})[0]\n"
        "result = doctest.DocTestRunner().run(example)\n"
        "assert result.attempted == 3 and not result.failed"
    )
    assert python("-c", program).returncode == 0


def test_a_dtype_that_is_not_there_is_refused_by_operators():
    run = installed("import torch\ntorch.ones(2, dtype=torch.quint4x2)")
    assert "TypeError: ones()" in run.stderr, run.stderr


def test_what_libraries_for_torch_ask():
    """What Pyro, kornia and GPyTorch need to be imported and run."""
    run = installed(
        """
import torch, warnings
from torch._subclasses.fake_tensor import is_fake
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.serialization import MAP_LOCATION
assert torch.__name__ == "torch" and not is_fake(torch.ones(1)) and is_fake(torch.ones(1, device="meta")) and get_proxy_mode() is None
class Foreign: ...
torch.distributions.register_kl(torch.distributions.Normal, Foreign)(lambda p, q: 0)
"""
    )
    assert run.returncode == 0, run.stderr


def test_a_function_that_script_cannot_compile_goes_on_in_python(tmp_path):
    (tmp_path / "program.py").write_text(
        """
import torch, warnings
def f(x, y):
    return x.resize_as_(y).copy_(y)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    g = torch.jit.script(f)
assert g is f and "f stays a Python function, since Monograph cannot compile it: resize_as_(), which gives a tensor other sizes" in str(told[0].message), told
assert g(torch.empty(0), torch.ones(2)).tolist() == [1, 1]
"""
    )
    run = python("-m", "monograph", str(tmp_path / "program.py"))
    assert run.returncode == 0, run.stderr
    (tmp_path / "own.py").write_text("import monograph as torch\ndef f(x, y):\n    return x.resize_as_(y).copy_(y)\ntorch.jit.script(f)\n")
    assert "RuntimeError: resize_as_(), which gives a tensor other sizes or strides in place; make a new tensor" in python(str(tmp_path / "own.py")).stderr


def test_names_that_packages_import():
    run = installed(
        "import sys, torch\n"
        "from torch._C._functorch import is_batchedtensor, _add_batch_dim\n"
        "from torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter\n"
        "from torch.utils.data._utils.collate import np_str_obj_array_pattern, default_collate_err_msg_format\n"
        "from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors\n"
        "import torch.distributed as dist\n"
        "x = torch.ones(2)\n"
        "assert not is_batchedtensor(x) and not torch.cuda._initialized and not torch._C._is_tracing()\n"
        "def reduce(t, op=dist.ReduceOp.SUM, group: dist.ProcessGroup = None): ...\n"
        "loader = torch.utils.data.DataLoader([1, 2])\n"
        "assert isinstance(iter(loader), _BaseDataLoaderIter) and not isinstance(iter(loader), _MultiProcessingDataLoaderIter)\n"
        "flat = _flatten_dense_tensors([torch.ones(2, 2), x])\n"
        "assert flat.shape == (6,) and [t.shape for t in _unflatten_dense_tensors(flat, [torch.ones(2, 2), x])] == [(2, 2), (2,)]\n"
        "from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy\n"
        "assert not isinstance(torch.nn.Parameter(x), UninitializedParameter) and not is_lazy(torch.nn.Parameter(x))\n"
        "profilers = torch.autograd.profiler.emit_nvtx | torch.autograd.profiler.emit_itt\n"
        "from torch.utils.data import functional_datapipe\n"
        "from torch.utils.data.datapipes.iter import Batcher\n"
        "@functional_datapipe('ours')\n"
        "class Own(Batcher): ...\n"
        "from torch.optim.optimizer import _default_to_fused_or_foreach, _get_capturable_supported_devices, _use_grad_for_differentiable\n"
        "from torch.nn.modules.transformer import _get_activation_fn\n"
        "from torch.jit.annotations import BroadcastingList2, List\n"
        "import torch._custom_ops, torch.distributed.rpc\n"
        "from torch.nn.parallel import DistributedDataParallel\n"
        "from torch.utils.data._utils.pin_memory import pin_memory\n"
        "from torch._C import _ExcludeDispatchKeyGuard\n"
        "assert torch._C._get_accelerator() == torch.device('cpu') and torch._C._get_privateuse1_backend_name() == 'privateuseone'\n"
        "assert torch._custom_ops is sys.modules['torch._custom_ops'] and torch._inductor.no_such_name is not None and pin_memory([1, 'a']) == [1, 'a']\n"
        "assert torch._shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3] and torch._shape_as_tensor(torch.tensor(1.0)).dtype is torch.int64\n"
        "assert _default_to_fused_or_foreach([x], False, True) == (True, False) and not any(_default_to_fused_or_foreach([x], False))\n"
        "for refused in (lambda: DistributedDataParallel(torch.nn.Linear(1, 1)), lambda: _ExcludeDispatchKeyGuard(1)):\n"
        "    try: refused()\n"
        "    except NotImplementedError as error: assert 'exists in PyTorch' in str(error)\n"
        "    else: raise SystemExit('runs')\n"
        "import pickle\n"
        "assert torch.equal(pickle.loads(pickle.dumps(torch.nn.Parameter(x))), x)\n"
        "try: _add_batch_dim(x, 0, 1)\n"
        "except NotImplementedError as error: print(error)\n"
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("torch._C._functorch._add_batch_dim exists in PyTorch, but it is not in Monograph yet")


def test_a_name_that_pytorch_has_not_is_nowhere():
    run = installed(
        """
import importlib.util, sys
import torch, torch.distributed, torch.export, torch.futures, torch.masked, torch.monitor, torch.nested, torch.package
assert not any(hasattr(module, "no_such") for module in (torch.distributed, torch.export, torch.futures, torch.masked, torch.monitor, torch.nested, torch.package, torch.ops.prims))
for name in ("torch.no_such", "torch.nn.no_such", "torch.utils.no_such", "torch.optim.no_such", "torch.cuda.no_such", "torch.distributed.no_such"):
    assert importlib.util.find_spec(name) is None, name
    try: importlib.import_module(name)
    except ModuleNotFoundError as error: assert error.name == name and str(error) == f"No module named {name!r}"
    else: raise SystemExit(name)
assert importlib.util.find_spec("torch.distributed.tensor") and torch.distributed.tensor.DTensor and torch.distributed.tensor._any_private
try: from torch.utils.tensorboard import SummaryWriter
except ModuleNotFoundError as error: assert error.name == "tensorboard" and importlib.util.find_spec("tensorboard") is None
"""
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_that_a_program_starts_have_torch_too(tmp_path, way):
    (tmp_path / "prog.py").write_text(
        """
import multiprocessing
import torch
def answer(n):
    return torch.__name__, torch.ones(n).sum().item()
if __name__ == "__main__":
    with multiprocessing.get_context("WAY").Pool(1) as pool:
        print(pool.map(answer, [2, 3]))
""".replace("WAY", way)
    )
    run = subprocess.run([sys.executable, "-m", "monograph", "prog.py"], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert (run.returncode, run.stdout) == (0, "[('torch', 2.0), ('torch', 3.0)]\n"), run.stderr


def test_a_program_runs_as_under_python(tmp_path):
    text = """
import os, sys, pickle
class Own: ...
print(__name__, sys.argv, __spec__, __package__, __doc__, sys.modules["__main__"].Own is Own, type(pickle.loads(pickle.dumps(Own()))) is Own)
print("__file__" in globals() and __file__, __annotations__, sorted(n for n in globals() if not n.startswith("__")))
def f():
    raise ValueError("of the program")
f()
"""
    (tmp_path / "prog.py").write_text(text)
    (tmp_path / "wrong.py").write_text("x = (\n")
    (tmp_path / "exits.py").write_text("import sys, atexit\natexit.register(print, 'done')\nsys.excepthook = lambda *e: print(e[0].__name__, e[2].tb_lineno)\nraise KeyError(1)")
    for arguments in (["prog.py", "a"], ["-c", text, "b"], ["-", "c"], ["wrong.py"], ["exits.py"]):
        ours, theirs = (
            subprocess.run([sys.executable, *way, *arguments], input=text, capture_output=True, text=True, cwd=tmp_path) for way in (["-m", "monograph"], [])
        )
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_captures_know_the_packages_own_functions():
    run = installed(
        """
import torch
x = torch.ones(2)
programs = [
    lambda x: x * 2 if torch.is_grad_enabled() else x + 1,
    lambda x: x * 2 if torch.is_inference_mode_enabled() else x + 1,
    lambda x: x * 2 if torch.is_tensor(x) and torch.get_default_dtype() == torch.float32 else x,
    lambda x: torch.signal.windows.hann(2) + x,
    lambda x: x + int(torch.onnx.is_in_onnx_export()),
]
for program in programs:
    assert torch.equal(torch.compile(program, fullgraph=True)(x), program(x))
assert torch.__name__ == "torch"
"""
    )
    assert run.returncode == 0, run.stderr
