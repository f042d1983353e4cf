"""What becomes of a name of torch when a program uses it here."""

from __future__ import annotations

import functools
import inspect
import re
import types
from dataclasses import dataclass
from typing import Any

from .. import _absent
from .._package import package
from .._pytorch_classes import CLASSES
from .._pytorch_names import MODULES, NAMES
from .._scope import found, out_of_scope, said_of

# The states, in the order of the report.
MISSING, OUT, RAISES, PERHAPS, THERE = "missing", "out of scope", "raises when called", "perhaps missing", "there"


@dataclass(frozen=True)
class Verdict:
    """A name as it is reported, its state, and a sentence about it."""

    name: str
    state: str
    says: str = ""


def _way_out(name: str) -> str:
    said = _absent._INSTEAD.get(name)
    return f"until then, {said}" if said else ""


def _holds_names(value: object) -> bool:
    return isinstance(value, (types.ModuleType, type))


def _missing(name: str, rest: list[str]) -> Verdict:
    """Of the first name on the way that is not here. What follows it is told where it is inside of a module of PyTorch."""
    whole = name
    if name in MODULES.split():
        whole = ".".join([name, *rest[:1]])
    if out := said_of(whole):
        return Verdict(whole, OUT, out)
    home, _, last = name.rpartition(".")
    if last.startswith("_"):
        return Verdict(whole, MISSING, "a private part of PyTorch")
    names = NAMES.get(home, CLASSES.get(home))
    if names is not None and last not in names.split() and name not in MODULES.split():
        return Verdict(whole, MISSING, "not a public name of PyTorch 2.13 either")
    return Verdict(whole, MISSING, _way_out(name))


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".")


@functools.cache
def verdict(chain: str) -> Verdict:
    """Of a chain of attributes such as torch.nn.Linear.weight, up to the part that PyTorch's names end with."""
    parts = chain.split(".")
    name = parts[0]
    value: object = package()
    for at, part in enumerate(parts[1:], 1):
        if not _holds_names(value):
            break
        if isinstance(value, type) and _absent.is_missing(value, part):
            return _missing(f"{name}.{part}", parts[at + 1 :])
        if isinstance(value, type) and name not in ("torch.Tensor", "torch.nn.Module"):
            break  # a member of another class is not looked up: its objects may have it
        following = found(f"{name}.{part}")
        if following is None and not _is_none(value, part):
            return _missing(f"{name}.{part}", parts[at + 1 :])
        name, value = f"{name}.{part}", following
    return _of_value(name, value)


def _of_value(name: str, value: object) -> Verdict:
    """Of what is there. A function that raises whenever it is called begins its text with the error: `Raises RuntimeError: ...` or `Raises RuntimeError, ...`."""
    said = inspect.getdoc(value) if callable(value) and not isinstance(value, type) else None
    if said and re.match(r"Raises \w+[:,]", said):
        return Verdict(name, RAISES, _first_sentence(said))
    return Verdict(name, THERE)


def _is_none(value: object, part: str) -> bool:
    """Whether the value has this attribute, which is None."""
    return part in vars(value) or hasattr(value, part)


def is_module(name: str) -> bool:
    return name == "torch" or name in MODULES.split() or isinstance(found(name), types.ModuleType)


def names_in(module: str) -> list[str]:
    """What `from MODULE import *` binds, so far as it is known here."""
    here = found(module)
    own = getattr(here, "__all__", None) or [n for n in dir(here) if not n.startswith("_")] if here is not None else []
    return sorted({*own, *NAMES.get(module, "").split()})


# ---- methods ----

# Methods that other objects of usual programs have too: such a call says nothing of a tensor.
_OTHERS = {name for kind in (dict, list, str, bytes, set, tuple, int, float, complex, slice, range, memoryview) for name in dir(kind)}


@functools.cache
def _tensor_names() -> frozenset[str]:
    return frozenset(CLASSES["torch.Tensor"].split())


def method(name: str, plainly: bool) -> Verdict | None:
    """Of x.NAME, where x is plainly a tensor, or may be one: then only what is missing counts."""
    if name.startswith("_") or (not plainly and (name not in _tensor_names() or name in _OTHERS)):
        return None
    full = f"torch.Tensor.{name}"
    if hasattr(package().Tensor, name):
        return _of_value(full, getattr(package().Tensor, name)) if plainly else None
    if not plainly:
        return Verdict(full, PERHAPS, "if this is a method of a tensor") if out_of_scope(name) is None else None
    return _missing(full, []) if name in _tensor_names() else Verdict(full, MISSING, "not a public name of PyTorch 2.13 either")


@functools.cache
def gives_tensor(name: str) -> bool:
    """Whether a call of torch.NAME, or of a method of a tensor of this name, plainly gives a tensor."""
    if name in ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        return True
    home, _, last = name.rpartition(".")
    if home not in ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft"):
        return False
    last = {"torch.linalg": "linalg_", "torch.special": "special_", "torch.fft": "fft_"}.get(home, "") + last
    packet: Any = getattr(package().ops.aten, last, None)
    if packet is None or not hasattr(packet, "overloads"):
        return getattr(getattr(package().Tensor, last, None), "__annotations__", {}).get("return") == "Tensor"  # a method in Python
    texts = [str(getattr(packet, overload or "default")._schema) for overload in packet.overloads()]
    return all(t.rpartition("-> ")[2].startswith("Tensor") and "[]" not in t.rpartition("-> ")[2] for t in texts if "Tensor" in t) and any("Tensor" in t for t in texts)


