"""A name that PyTorch has and Monograph lacks says so, and what is nearest; another name is an ordinary AttributeError."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import monograph as torch
import pytest
from monograph._absent import _INSTEAD
from monograph._pytorch_classes import CLASSES
from monograph._pytorch_names import MODULES, NAMES


@pytest.mark.parametrize(
    ("of", "name", "full", "nearest"),
    [
        (torch, "hash_tensor", "torch.hash_tensor", ""),
        (torch, "native_group_norm", "torch.native_group_norm", "torch.native_layer_norm"),
        (torch.nn, "qat", "torch.nn.qat", ""),
        (torch.nn.functional, "grouped_mm", "torch.nn.functional.grouped_mm", ""),
        (torch.jit, "generate_bytecode", "torch.jit.generate_bytecode", ""),
        (torch.autograd, "enforce_grad_layout_policy", "torch.autograd.enforce_grad_layout_policy", ""),
        (torch.func, "rearrange", "torch.func.rearrange", ""),
        (torch.ones(2), "to_mkldnn", "torch.Tensor.to_mkldnn", ""),
        (torch.nn.DataParallel(torch.nn.Linear(1, 1)), "gather", "torch.nn.DataParallel.gather", ""),
        (torch.ones(2), "reinforce", "torch.Tensor.reinforce", ""),
        (torch.Tensor([1.0]).as_subclass(type("S", (torch.Tensor,), {})), "reinforce", "torch.Tensor.reinforce", ""),
    ],
)
def test_a_name_of_pytorch_is_known(of, name, full, nearest):
    with pytest.raises(AttributeError) as caught:
        getattr(of, name)
    said = str(caught.value)
    assert said.startswith(f"{full} exists in PyTorch, but it is not in Monograph yet.")
    assert (f"Until then, {_INSTEAD[full]}" if full in _INSTEAD else "docs/scope.md") in said
    if nearest:
        assert f"The nearest name that is here is {nearest}." in said
    assert not hasattr(of, name)


@pytest.mark.parametrize("full", sorted(_INSTEAD))
def test_a_name_with_another_way_is_still_absent(full):
    home, _, name = full.rpartition(".")
    of = torch.nn.Linear(1, 1) if home == "torch.nn.Module" else importlib.import_module(home.replace("torch", "monograph", 1))
    with pytest.raises(AttributeError, match="Until then, "):
        getattr(of, name)


@pytest.mark.parametrize("of", [torch, torch.nn, torch.nn.functional, torch.fx, torch.ones(2)])
def test_another_name_is_not(of):
    for name in ("no_such_name", "_private", "__array_interface__"):
        with pytest.raises(AttributeError) as caught:
            getattr(of, name)
        assert "PyTorch" not in str(caught.value) and name in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "error", "text"),
    [
        ("from monograph import native_group_norm", "ImportError", "torch.native_group_norm exists in PyTorch, but"),
        ("from monograph.nn import qat", "ImportError", "torch.nn.qat exists in PyTorch, but"),
        ("from monograph.nn.functional import grouped_mm", "ImportError", "torch.nn.functional.grouped_mm exists in PyTorch, but"),
        ("import monograph.export", "ModuleNotFoundError", "torch.export exists in PyTorch, but"),
        ("import monograph.utils.bundled_inputs", "ModuleNotFoundError", "torch.utils.bundled_inputs exists in PyTorch, but"),
        ("import monograph.no_such", "ModuleNotFoundError", "No module named 'monograph.no_such'"),
        ("from monograph import no_such", "ImportError", "cannot import name 'no_such' from 'monograph'"),
    ],
)
def test_an_import_says_the_same(statement, error, text):
    run = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].startswith((f"{error}: {text}",))


@pytest.mark.parametrize(
    ("of", "name", "says"),
    [
        (torch, "sparse_coo_tensor", "sparse tensors are not planned (docs/scope.md): use dense tensors"),
        (torch.distributed, "all_reduce", "RPC and distributed training are not planned (docs/scope.md): run one process"),
        (torch.utils, "tensorboard", "torch.utils.tensorboard is not planned (docs/scope.md): write the numbers"),
    ],
)
def test_a_name_out_of_scope_says_so_and_what_to_use(of, name, says):
    with pytest.raises(AttributeError) as caught:
        getattr(of, name)
    assert f".{name} exists in PyTorch, but it is not in Monograph: {says}" in str(caught.value) and "yet" not in str(caught.value)


SAID = re.compile(r"exists in PyTorch, but it is not in Monograph( yet\. |: )")


def module_here(name):
    """What a module of PyTorch is here; None where it is missing, and the import says so."""
    try:
        return importlib.import_module(name.replace("torch", "monograph", 1))
    except ModuleNotFoundError as error:
        assert SAID.search(str(error)), name  # noqa: PT017
        return None


def plainly_missing(of, names):
    """The names that are missing without the sentence."""
    found = []
    for name in names.split():
        try:
            getattr(of, name)
        except AttributeError as error:
            if not re.search(rf"\.{name} {SAID.pattern}", str(error)):
                found.append(name)
        except NotImplementedError:  # it is there
            pass
    return found


def test_every_name_of_every_module_is_here_or_is_said_to_be_missing():
    for name in MODULES.split():
        module_here(name)
    plain = {home: plainly_missing(module, names) for home, names in NAMES.items() if (module := module_here(home)) is not None}
    assert not {home: names for home, names in plain.items() if names}


# Attributes that objects get when they are made, so that the class does not have them.
OF_OBJECTS = {
    "torch.autograd.Function": "dirty_tensors materialize_grads non_differentiable saved_for_forward to_save",
    "torch.autograd.function.BackwardCFunction": "saved_for_forward",
    "torch.autograd.profiler.profile": "function_events", "torch.finfo": "bits dtype eps max min resolution smallest_normal tiny", "torch.iinfo": "bits dtype max min",
    "torch.nn.attention.SDPBackend": "name value", "torch.utils.data.DataLoader": "multiprocessing_context",
}  # fmt: skip


def test_every_name_of_every_class_is_here_or_is_said_to_be_missing():
    plain = {}
    for full, names in CLASSES.items():
        home, _, name = full.rpartition(".")
        module = module_here(home)
        cls = getattr(module, name, None)
        if isinstance(cls, type):
            plain[full] = plainly_missing(cls, names)
    assert {full: " ".join(names) for full, names in plain.items() if names} == OF_OBJECTS


def test_the_table_has_every_module_that_is_here():
    assert [name for name in MODULES.split() if name not in NAMES and module_here(name) is not None] == []


@pytest.mark.parametrize(
    ("of", "name", "full"),
    [
        (torch.Tensor, "to_mkldnn", "torch.Tensor.to_mkldnn"),
        (torch.nn.Parameter, "xpu", "torch.Tensor.xpu"),
        (torch.nn.Parameter(torch.ones(1)), "xpu", "torch.Tensor.xpu"),
        (torch.nn.DataParallel, "gather", "torch.nn.DataParallel.gather"),
        (torch.Generator(), "get_offset", "torch.Generator.get_offset"),
        (torch.ones(2).untyped_storage(), "hpu", "torch.UntypedStorage.hpu"),
        (torch.float32, "abbr", "torch.dtype.abbr"),
        (torch.optim.SGD([torch.ones(1)]), "OptimizerPreHook", "torch.optim.Optimizer.OptimizerPreHook"),
        (torch.backends.cuda, "SDPBackend", "torch.backends.cuda.SDPBackend"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_a_class_and_its_objects_say_what_they_lack(of, name, full):
    with pytest.raises(AttributeError, match=rf"^{full} exists in PyTorch, but it is not in Monograph yet\. "):
        getattr(of, name)
    assert not hasattr(of, name)


def test_a_missing_name_is_free_for_programs():
    class Net(torch.nn.DataParallel):
        def __init__(self):
            super().__init__(torch.nn.Linear(1, 1))
            self.gather = torch.nn.Parameter(torch.ones(1))
            self.scatter = 3

        def replicate(self):
            return 4

    net = Net()
    assert (net.gather.item(), net.scatter, net.replicate()) == (1, 3, 4)
    with pytest.raises(AttributeError, match=r"^torch\.nn\.DataParallel\.parallel_apply exists in PyTorch"):
        net.parallel_apply  # noqa: B018
    assert "parallel_apply" not in dir(net)


def test_a_module_in_a_package_of_pytorch_is_known_where_the_package_is_one_file_here():
    with pytest.raises(ModuleNotFoundError, match=r"^torch\.distributed\.fsdp exists in PyTorch"):
        importlib.import_module("monograph.distributed.fsdp")
