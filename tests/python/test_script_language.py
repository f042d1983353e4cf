"""What is public is a record, or typed Python in the language of TorchScript. The first tests look at the package; the last ask PyTorch, whose
torch.jit.script compiles each function and layer from its source (tools/oracle/script_python.py).

An exception has a reason, and their number is in a test: one more needs a reason and that number."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
from pathlib import Path
from types import ModuleType

import monograph as torch
import pytest
from monograph import _C

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "monograph"
F = torch.nn.functional
HOMES = {
    "torch": torch,
    "torch.functional": torch.functional,
    "torch.nn.functional": F,
    "torch.nn.init": torch.nn.init,
    "torch.random": torch.random,
    "torch.Tensor": torch.Tensor,
}

IN_CPP = "C++ in the class: it answers without a call where nothing is captured"
LISTS = ("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "chain_matmul", "meshgrid")
SHADOWS = {
    **dict.fromkeys(
        (f"torch.Tensor.{name}" for name in ("is_leaf", "retains_grad", "requires_grad_", "retain_grad", "detach_", "grad", "backward")), "the class Tensor answers; a script calls the record"
    ),
    **dict.fromkeys((f"torch.Tensor.{name}" for name in ("cpu", "cuda", "data", "device")), "torch.ops has a record of this name; the class Tensor answers"),
    "torch.Tensor.qscheme": "the record gives a number; the class Tensor gives the torch.qscheme of it",
    "torch.split": "PyTorch writes it in Python, and FX code calls it torch.functional.split",
    **dict.fromkeys(
        (f"torch.{name}" for name in LISTS), "PyTorch writes it in Python: tensors one by one, where the operator takes a list"
    ),
    **dict.fromkeys(
        ("torch.stft", "torch.Tensor.stft"), "PyTorch writes it in Python: center= pads the signal, which the operator does not"
    ),
    "torch.tensordot": "PyTorch writes it in Python: dims= may be a number",
    **dict.fromkeys(("torch.norm", "torch.Tensor.norm"), "PyTorch writes it in Python: p= has a default, and a name"),
    "torch.einsum": "PyTorch writes it in Python: tensors one by one, and lists of numbers in place of letters",
    **dict.fromkeys(("torch.nonzero", "torch.Tensor.nonzero"), "as_tuple= decides how many tensors it returns"),
    "torch.Tensor.where": "the tensor is the operator's second argument",
    "torch.Tensor.set_": "it takes a storage too, which no operator does",
    "torch.Tensor.polygamma": "the tensor is the operator's second argument",
    **dict.fromkeys(("torch.Tensor.real", "torch.Tensor.imag"), "attributes that can be assigned"),
    **dict.fromkeys(("torch.Tensor.mT", "torch.Tensor.mH", "torch.Tensor.adjoint"), "attributes, and a method that the attribute mH names"),
    "torch.cdist": "PyTorch writes it in Python: compute_mode= has a name, where the operator has a number",
    **dict.fromkeys(
        ("torch.unique_consecutive", "torch.Tensor.unique_consecutive"), "PyTorch writes it in Python: it gives only what is asked for"
    ),
    **dict.fromkeys(
        (
            f"torch.Tensor.{name}"
            for name in ("dim", "element_size", "get_device", "is_complex", "is_contiguous", "is_floating_point", "is_inference", "is_pinned", "is_signed", "item", "numel", "size", "storage_offset", "stride")
        ),
        IN_CPP,
    ),
}
WITH_ANY = dict.fromkeys(("torch.capture", "torch.compile", "torch.cond", "torch.fork", "torch.vmap", "torch.wait", "torch.while_loop"), "it takes functions, and what they take") | {
    **dict.fromkeys(
        (
            "torch.nn.functional.boolean_dispatch", "torch.nn.functional.handle_torch_function", "torch.nn.functional.has_torch_function",
            "torch.nn.functional.has_torch_function_unary", "torch.nn.functional.has_torch_function_variadic",
        ),
        "it takes functions and objects of any type",
    ),
    **dict.fromkeys(("torch.bisect", "torch.compare", "torch.view"), "it takes graphs of several kinds"),
    "torch.get_printoptions": "a dict of options of several types",
    **dict.fromkeys(("torch.load", "torch.save"), "a file holds any object, and pickle_module is any module"),
}
NOT_COMPILED = {
    "split": "TorchScript has no tuple of unknown length; its own split is a builtin",
    **dict.fromkeys(("broadcast_shapes", "_list", "einsum", "_letters", *LISTS), "TorchScript has no variable number of arguments"),
    **dict.fromkeys(("norm", "tensordot"), "an argument has one of several types"),
    **dict.fromkeys(("unique", "unique_consecutive", "_requested_parts", "lu"), "the type of its result depends on its arguments"),
    "unravel_index": "TorchScript has no tuple of unknown length",
    "triplet_margin_with_distance_loss": "it takes a function, as PyTorch's does, which its compiler refuses too",
    "linear_cross_entropy": "LinearCrossEntropyOptions is no type of TorchScript, and PyTorch's function is not compiled either",
    "_is_one": "it asks whether a size is a symbol, of captures alone",
    "_warn_outside_of_captures": "it asks whether a capture is running, which no script is",
}
# What PyTorch's schemas name, without Python in PyTorch: here it is Python all the same.
PYTHON_HERE = {
    **dict.fromkeys(("torch.nonzero", "torch.Tensor.nonzero"), "as_tuple= decides how many tensors it returns"),
    "torch.Tensor.where": "the tensor is the operator's second argument",
    "torch.Tensor.set_": "it takes a storage too, which no operator does",
    **dict.fromkeys(("torch.Tensor.polygamma", "torch.Tensor.polygamma_"), "the tensor is the operator's second argument"),
    "torch.Tensor.float_power_": "it is pow_ behind a question about dtypes, in PyTorch too",
    "torch.Tensor.qscheme": "the record gives a number, of which this is the torch.qscheme",
    "torch.from_file": "it reads a file, which no graph does",
    "torch.histogramdd": "it is made of other operators",
    "torch.wait": "it is torch.jit.wait",
    "torch.is_inference": "whether a tensor was made in inference_mode is in no graph",
    "torch.is_grad_enabled": "it reads a switch of the thread, which is in no graph",
    "torch.Tensor.cpu": "the tensor itself",
    "torch.nn.functional.has_torch_function": "it asks about classes of Python, which are in no graph",
    "torch.Tensor.chalf": "a conversion, as half() and float(), which no schema of PyTorch has",
    **dict.fromkeys(("torch.adjoint", "torch.Tensor.adjoint"), "it is `mH`, an attribute"),
    "torch.Tensor.cuda": "an error: there is no GPU, unless MONOGRAPH_DEVICE_FALLBACK says otherwise",
    "torch.Tensor.detach_": "it changes how autograd sees the tensor, not its elements, which is all that a record says",
    "torch.Tensor.retain_grad": "likewise",
    **dict.fromkeys(("torch.Tensor.pin_memory", "torch.Tensor.is_pinned"), "there is no GPU"),
    **dict.fromkeys(
        ("torch.get_autocast_dtype", "torch.is_autocast_enabled", "torch.is_autocast_cpu_enabled"),
        "it reads a setting of the thread, which is in no graph",
    ),
    **dict.fromkeys(
        ("torch.rrelu_", "torch.nn.functional.rrelu_"),
        "the record's in-place form draws its own slopes, so it is the result copied, as rrelu(inplace=True)",
    ),
}
# What PyTorch writes in Python, with nothing to add to the record.
RECORDS_HERE = {
    "torch.Tensor.istft": "PyTorch's passes its arguments on",
    "torch.Tensor.split": "its two overloads take a size and sizes",
    "torch.Tensor.index": "PyTorch's is for its dims of first class, which are not here",
    "torch.Tensor.unflatten": "the record itself refuses no sizes, which is all that PyTorch's adds",
}
LAYERS_NOT_COMPILED = {
    **dict.fromkeys(
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"),
        "in a symbolic trace the rank that it checks is not known, and TorchScript has no way to ask",
    ),
    "TripletMarginWithDistanceLoss": "it calls a function of the user's",
    "CrossMapLRN2d": "it is an autograd.Function, in PyTorch too",
    "LinearCrossEntropyLoss": "it calls linear_cross_entropy, which TorchScript has no type for",
    "AdaptiveLogSoftmaxWithLoss": "PyTorch's is not taken either",
    **dict.fromkeys(
        ("RNNBase", "RNN", "LSTM", "GRU"), "its input is a tensor or a PackedSequence, for which PyTorch has an overload of forward each"
    ),
    **dict.fromkeys(
        ("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"),
        "its factor is a number or a list, for which PyTorch has an overload of interpolate each",
    ),
}


def public(home: object) -> dict[str, object]:
    """The public names of a module or class: what each one is, without the wrapper that lets types take a call over."""
    found = {
        name: inspect.getattr_static(home, name)
        for name in dir(home)
        if not name.startswith("_") and not isinstance(getattr(home, name, None), ModuleType)
    }
    return {name: value.__wrapped__ if isinstance(value, _C._Overridable) else value for name, value in found.items()}


def ours(value: object) -> bool:
    return inspect.isfunction(value) and Path(value.__code__.co_filename).is_relative_to(PACKAGE)


def records(home: str) -> set[str]:
    """The names of operators that have this home."""
    aten = set(_C._operator_names("aten"))
    if home == "torch.Tensor":
        return aten
    return {"torch": set(_C._functions()[""]), "torch.nn.functional": set()}.get(home, set())


def test_no_function_shadows_a_record():
    shadows = {
        f"{home}.{name}"
        for home, o in HOMES.items()
        for name, value in public(o).items()
        if name in records(home) and not isinstance(value, (_C.Builtin, _C.BuiltinMethod))
    }
    assert shadows == set(SHADOWS) and len(SHADOWS) == 54


def test_what_comes_from_a_record_is_the_record_itself():
    for name, function in _C._functions()["_nn"].items():
        if isinstance(getattr(F, name, None), _C.Builtin):
            assert getattr(F, name) is function
    assert F.conv1d is torch.conv1d and F.logsigmoid is _C._nn.log_sigmoid and F.relu_ is torch.relu_
    for name in (
        "selu",
        "isclose",
        "allclose",
        "equal",
        "conv1d",
        "conv2d",
        "as_strided",
        "numel",
        "is_complex",
        "is_floating_point",
        "dropout",
    ):
        assert isinstance(getattr(torch, name), _C.Builtin), name
    for name in (
        "isclose",
        "allclose",
        "equal",
        "as_strided",
        "expand_as",
        "view_as",
        "reshape_as",
        "type_as",
        "split",
        "new_zeros",
        "new_ones",
        "new_full",
        "new_empty",
    ):
        assert isinstance(inspect.getattr_static(torch.Tensor, name), _C.BuiltinMethod), name


def test_signatures_are_typed():
    """Every argument and result has a type, which is not Any."""
    untyped, count = set(), 0
    for home, o in HOMES.items():
        for name, value in public(o).items():
            if not ours(value):
                continue
            count += 1
            arguments = [p for p in inspect.signature(value).parameters if p != "self"]
            if (
                "return" not in value.__annotations__
                or any(a not in value.__annotations__ for a in arguments)
                or "Any" in str(value.__annotations__)
            ):
                untyped.add(f"{home}.{name}")
    assert untyped == set(WITH_ANY) and len(WITH_ANY) == 18
    assert count > 60


@pytest.mark.parametrize(
    "file",
    [
        "__init__.py",
        "functional.py",
        "nn/functional.py",
        "nn/_losses.py",
        "random.py",
        "_tensor.py",
        "_VF.py",
        "_nn.py",
        *(f"nn/modules/{p.name}" for p in (PACKAGE / "nn/modules").glob("*.py")),
    ],
)
def test_nothing_is_made_of_text(file):
    """No eval and no exec: what a function does stands in its source."""
    names = {node.id for node in ast.walk(ast.parse((PACKAGE / file).read_text())) if isinstance(node, ast.Name)}
    assert not names & {"eval", "exec", "compile"}


@pytest.fixture(scope="module")
def answer():
    tool = ROOT / "tools" / "oracle" / "script_python.py"
    return json.loads(subprocess.run([os.environ["MONOGRAPH_ORACLE"], tool], check=True, capture_output=True, text=True).stdout)


@pytest.mark.oracle
def test_pytorchs_compiler_takes_every_function(answer):
    tried = {name: entry for functions in answer["functions"].values() for name, entry in functions.items()}
    failed = {name: entry["failure"] for name, entry in tried.items() if entry["failure"] and not name.startswith("_assert")}
    assert set(failed) == set(NOT_COMPILED) and len(NOT_COMPILED) == 24, failed
    for name, value in [*public(F).items(), *public(torch.functional).items()]:
        assert name in tried or not ours(value) or not value.__module__.endswith("functional"), name


@pytest.mark.oracle
def test_compiled_functions_compute_what_pytorchs_own_do(answer):
    entries = answer["functions"]["nn.functional"]
    assert {name: entry["difference"] for name, entry in entries.items() if entry["difference"]} == {}
    assert [name for name, entry in entries.items() if not name.startswith("_") and name not in NOT_COMPILED and not entry["calls"]] == []


@pytest.mark.oracle
def test_pytorchs_compiler_takes_the_initializers_that_it_takes_of_pytorch(answer):
    found = answer["initializers"]
    taken = {name for name, failure in found.items() if not failure["ours"]}
    assert {name for name, failure in found.items() if not failure["theirs"]} <= taken, {name: failure["ours"] for name, failure in found.items()}
    assert {"uniform_", "normal_", "constant_", "ones_", "zeros_", "xavier_uniform_", "xavier_normal_"} <= taken


def test_a_script_calls_initializers() -> None:
    @torch.jit.script
    def f(x):
        return torch.nn.init.constant_(x, 2.0), torch.nn.init.xavier_uniform_(torch.zeros(3, 3)), torch.nn.init.normal_(torch.zeros(2), 5.0, 0.0)

    x = torch.zeros(2, requires_grad=True)
    filled, drawn, same = f(x)
    assert filled.tolist() == x.tolist() == [2.0, 2.0] and 0 < float(drawn.abs().max()) <= 1 and same.tolist() == [5.0, 5.0]


@pytest.mark.oracle
def test_pytorchs_compiler_takes_the_layers(answer):
    # A lazy layer is of another class behind its first call; before that PyTorch scripts none, either.
    failed = {name: failure for name, failure in answer["layers"].items() if failure and not name.startswith("Lazy")}
    assert set(failed) == set(LAYERS_NOT_COMPILED) and len(LAYERS_NOT_COMPILED) == 15, failed
    assert len(answer["layers"]) >= 130


@pytest.mark.oracle
def test_what_pytorch_writes_in_python_is_python_here_and_the_rest_records(answer):
    """A name of PyTorch's schemas is Python here only where PyTorch has Python of that name, and a record only where it has none."""
    python, records = set(), set()
    for home in ("torch", "torch.nn.functional", "torch.Tensor"):
        theirs = answer["kinds"][home]
        for name, value in public(HOMES[home]).items():
            if name in theirs and name in answer["schemas"] and ours(value) and theirs[name] != "python":
                python.add(f"{home}.{name}")
            if name in theirs and isinstance(value, (_C.Builtin, _C.BuiltinMethod)) and theirs[name] == "python":
                records.add(f"{home}.{name}")
    assert python == set(PYTHON_HERE) and len(PYTHON_HERE) == 28
    assert records == set(RECORDS_HERE) and len(RECORDS_HERE) == 4


def test_results_have_the_names_of_the_operator() -> None:
    @torch.jit.script
    def f(x):
        best = torch.topk(x, 2)
        return best.values, best.indices, torch.max(x, dim=0).values

    x = torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
    values, indices, largest = f(x)
    assert values.tolist() == [[3, 2], [6, 5]] and indices.tolist() == [[0, 2], [1, 2]] and largest.tolist() == [4, 6, 5]


def test_a_number_stands_for_a_dtype() -> None:
    @torch.jit.script
    def f(k: int):
        return torch.ones([2], dtype=1), torch.zeros([2], dtype=6), torch.ones([2], dtype=k)

    assert [t.dtype for t in f(7)] == [torch.int8, torch.float32, torch.float64]
    with pytest.raises(RuntimeError, match="99"):
        f(99)


def test_the_keys_of_a_module_dict() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads = torch.nn.ModuleDict({"a": torch.nn.ReLU()})

        def forward(self, name: str):
            return "a" in self.heads, "b" in self.heads, "b" not in self.heads, name in self.heads

    scripted = torch.jit.script(Net())
    assert scripted("a") == (True, False, True, True) and scripted("c") == (True, False, True, False)
