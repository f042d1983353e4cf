"""The examples in the docstrings of these modules give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import types

import monograph
import pytest

PACKAGES = ["monograph.distributions", "monograph.optim", "monograph.utils"]


def modules(packages=PACKAGES):
    for package in map(importlib.import_module, packages):
        yield package.__name__
        yield from (found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


@pytest.mark.parametrize("name", list(modules([*PACKAGES, "monograph.nn.modules"])))
def test_examples(name):
    module = importlib.import_module(name)
    names = {"torch": monograph, "nn": monograph.nn}
    assert doctest.testmod(module, extraglobs=names, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", list(modules()))
def test_every_public_class_and_function_has_an_example(name):
    module = importlib.import_module(name)
    if name.endswith((".constraints", ".transforms")):
        return  # constraints are objects; one class stands for the transforms
    public = [vars(module)[n] for n in getattr(module, "__all__", ()) if n in vars(module) and not n.startswith("_")]
    bare = [f.__name__ for f in public if isinstance(f, (type, types.FunctionType)) and not f.__name__.endswith("Transform") and getattr(f, "__module__", "").startswith(name) and ">>>" not in (f.__doc__ or "")]
    assert not bare, f"{name}: {bare} have no example"
