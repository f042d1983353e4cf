"""The examples in the docstrings of these modules give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ["monograph.distributions", "monograph.optim", "monograph.utils"]


def modules(packages=PACKAGES):
    for package in map(importlib.import_module, packages):
        yield package.__name__
        yield from (found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


@pytest.mark.parametrize("name", list(modules([*PACKAGES, "monograph.nn.modules"])))
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", list(modules()))
def test_every_public_class_and_function_has_an_example(name):
    module = importlib.import_module(name)
    public = [vars(module)[n] for n in getattr(module, "__all__", ()) if n in vars(module) and not n.startswith("_")]
    bare = [f.__name__ for f in public if callable(f) and getattr(f, "__module__", "").startswith(name) and ">>>" not in (f.__doc__ or "")]
    assert not bare, f"{name}: {bare} have no example"
