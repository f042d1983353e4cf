"""A name that PyTorch has and Monograph lacks says so, and what is nearest; another name is an ordinary AttributeError."""

from __future__ import annotations

import importlib
import subprocess
import sys

import monograph as torch
import pytest
from monograph._absent import _INSTEAD


@pytest.mark.parametrize(
    ("of", "name", "full", "nearest"),
    [
        (torch, "hash_tensor", "torch.hash_tensor", ""),
        (torch, "compile", "torch.compile", ""),
        (torch, "conv_tbc", "torch.conv_tbc", ""),
        (torch.nn, "LazyLinear", "torch.nn.LazyLinear", ""),
        (torch.nn, "LazyConv2d", "torch.nn.LazyConv2d", ""),
        (
            torch.nn.functional,
            "linear_cross_entropy",
            "torch.nn.functional.linear_cross_entropy",
            "torch.nn.functional.binary_cross_entropy",
        ),
        (torch.jit, "enable_onednn_fusion", "torch.jit.enable_onednn_fusion", ""),
        (torch.autograd, "enforce_grad_layout_policy", "torch.autograd.enforce_grad_layout_policy", ""),
        (torch.func, "debug_unwrap", "torch.func.debug_unwrap", ""),
        (torch.ones(2), "to_mkldnn", "torch.Tensor.to_mkldnn", ""),
        (torch.nn.Linear(1, 1), "share_memory", "torch.nn.Module.share_memory", ""),
        (torch.ones(2), "storage_type", "torch.Tensor.storage_type", ""),
        (torch.Tensor([1.0]).as_subclass(type("S", (torch.Tensor,), {})), "storage_type", "torch.Tensor.storage_type", ""),
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
        ("from monograph import conv_tbc", "ImportError", "torch.conv_tbc exists in PyTorch, but"),
        ("from monograph import compile", "ImportError", "torch.compile exists in PyTorch, but"),
        ("from monograph.nn import LazyLinear", "ImportError", "torch.nn.LazyLinear exists in PyTorch, but"),
        (
            "from monograph.nn.functional import linear_cross_entropy",
            "ImportError",
            "torch.nn.functional.linear_cross_entropy exists in PyTorch, but",
        ),
        ("import monograph.export", "ModuleNotFoundError", "torch.export exists in PyTorch, but"),
        ("import monograph.utils.benchmark", "ModuleNotFoundError", "torch.utils.benchmark exists in PyTorch, but"),
        ("import monograph.no_such", "ModuleNotFoundError", "No module named 'monograph.no_such'"),
        ("from monograph import no_such", "ImportError", "cannot import name 'no_such' from 'monograph'"),
    ],
)
def test_an_import_says_the_same(statement, error, text):
    run = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].startswith((f"{error}: {text}",))


def test_names_that_are_here_are_not_called_missing():
    from monograph import _pytorch_names

    for home, names in _pytorch_names.NAMES.items():
        of = torch
        for part in home.split(".")[1:]:
            of = getattr(of, part)
        for name in names.split():
            if name in vars(of):
                getattr(of, name)
