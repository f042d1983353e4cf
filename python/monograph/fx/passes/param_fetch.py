"""torch.fx.passes.param_fetch: the attributes of layers that a backend needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import nn
from ...nn import Module
from .._names import spelled_as_torch
from ..graph_module import GraphModule

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """The name of an attribute in a version of a layer: the same in all."""
    return name


# By the class of a layer: the newest version that is known, its attributes, and what gives the name of one in a version.
module_fetch_book: dict[type, tuple[int, list[str], Callable[[str, int], str]]] = {
    nn.Linear: (1, ["weight", "bias"], default_matching),
    nn.Conv2d: (1, ["weight", "bias", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode"], default_matching),
    nn.BatchNorm2d: (2, ["weight", "bias", "running_mean", "running_var", "eps"], default_matching),
    nn.AdaptiveAvgPool2d: (1, [], default_matching),
    nn.MaxPool2d: (1, ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"], default_matching),
    nn.ReLU: (1, ["inplace"], default_matching),
}


def extract_attrs_for_lowering(mod: Module) -> dict[str, Any]:
    """The attributes of a layer that module_fetch_book names, and its class under "name"."""
    name = f"{spelled_as_torch(type(mod).__module__)}.{type(mod).__qualname__}"
    if type(mod) not in module_fetch_book:
        raise RuntimeError(f"{name} is not in the module_fetch_book yet; add it: module_fetch_book[{type(mod).__name__}] = (version, names, default_matching)")
    version, attributes, matching = module_fetch_book[type(mod)]
    if version < mod._version:
        raise RuntimeError(f"Fetcher version {version} try to fetch {name} version {mod._version}; update its entry of the module_fetch_book")
    return {"name": name, **{a: getattr(mod, matching(a, mod._version)) for a in attributes}}


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Writes node.attrs_for_lowering to every node that calls a layer, those of GraphModules inside too."""
    for node in fx_module.graph.nodes(recursive=True):
        if node.op != "call_module":
            continue
        called = fx_module.get_submodule(node.target)
        if isinstance(called, GraphModule):
            lift_lowering_attrs_to_nodes(called)
        else:
            node.attrs_for_lowering = extract_attrs_for_lowering(called)
