"""Prints the names that PyTorch documents, by module, as JSON: {"torch": {"add": ["Tensor", "Scalar"], ...}, ...}. The list beside a name has the overloads
of the operator of that name, without those of named tensors and without forms that write a result given by `out=`.

    .venv-oracle/bin/python tools/oracle/documented_names.py

Documented is a public name of the module with a text of its own (`__doc__`), defined by PyTorch; of a module with `__all__`, one that stands there."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import types

import pinned  # noqa: F401
import torch

MODULES = """torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.optim torch.optim.lr_scheduler torch.autograd torch.autograd.functional torch.linalg torch.special torch.fft
torch.func torch.random torch.testing torch.utils.data torch.utils.checkpoint torch.utils.parametrize torch.distributions torch.jit torch.fx torch.library
torch.backends torch.overrides torch.autograd.graph torch.autograd.grad_mode torch.autograd.forward_ad torch.autograd.profiler torch.autograd.anomaly_mode
torch.amp torch.utils torch.utils.benchmark torch.utils.hooks torch.utils.dlpack torch.utils.deterministic torch.utils.module_tracker torch.utils.model_zoo
torch.utils.cpp_extension torch.utils._pytree torch.nn.utils.fusion torch.nn.utils.stateless torch.nn.utils.prune torch.nn.parameter torch.nn.attention
torch.nn.attention.bias torch.nn.attention.flex_attention torch.optim.swa_utils torch.signal.windows torch.serialization torch.profiler torch.cpu torch.hub
torch.package torch.futures torch.masked torch.monitor torch.multiprocessing torch.quasirandom torch.functional torch.backends.cpu torch.backends.mkl
torch.backends.mkldnn torch.backends.openmp torch.__config__ torch.__future__ torch.distributions.constraints torch.distributions.transforms
torch.distributions.kl torch.distributions.constraint_registry torch.compiler torch.accelerator""".split()
# Of these every public name that they define, and every public attribute of their classes.
FX_MODULES = """node graph graph_module interpreter proxy _symbolic_trace subgraph_rewriter operator_schemas traceback immutable_collections annotate tensor_type
passes.shape_prop passes.fake_tensor_prop passes.split_module passes.split_utils passes.splitter_base passes.operator_support passes.tools_common
passes.graph_manipulation passes.param_fetch passes.pass_manager passes.graph_drawer passes.reinplace passes.net_min_base passes.annotate_getitem_nodes
passes.infra.pass_base passes.infra.pass_manager passes.infra.partitioner passes.dialect.common.cse_pass passes.utils.common passes.utils.fuser_utils
passes.utils.matcher_utils passes.utils.matcher_with_name_node_map_utils passes.utils.source_matcher_utils experimental.optimization
experimental.merge_matmul experimental.const_fold experimental.normalize experimental.rewriter experimental.proxy_tensor
experimental.schema_type_annotation experimental.graph_gradual_typechecker experimental.meta_tracer experimental.refinement_types
experimental.unify_refinements experimental.accelerator_partitioner experimental.partitioner_utils experimental.debug""".split()


def is_documented(value: object, name: str) -> bool:
    if isinstance(value, types.ModuleType):
        return False
    if isinstance(value, type):
        if (
            "pybind11" in str(type(value))
            or value.__module__.startswith("torch._C")
            and name not in ("Generator", "Size", "dtype", "device")
        ):
            return False
        return bool(vars(value).get("__doc__"))
    home = getattr(value, "__module__", None)
    return bool(inspect.getdoc(value)) and (home is None or home.startswith("torch"))


def overloads(name: str) -> list[str]:
    packet = getattr(torch.ops.aten, name, None)
    if packet is None or not hasattr(packet, "overloads"):
        return []
    return sorted(o for o in packet.overloads() if is_plain(getattr(packet, o)._schema))


def is_plain(schema: torch._C.FunctionSchema) -> bool:
    text = str(schema)
    return "Dimname" not in text and not any(a.is_out for a in schema.arguments) and "Tensor" in text


def names_of(path: str) -> dict[str, list[str]]:
    if path == "torch.Tensor":
        home: object = torch.Tensor
    else:
        try:
            home = importlib.import_module(path)
        except ImportError:
            return {}
    public = [n for n in getattr(home, "__all__", dir(home)) if not n.startswith("_")]
    counts = path in ("torch", "torch.Tensor")
    found = {}
    for name in sorted(set(public)):
        try:
            value = getattr(home, name)
        except (AttributeError, RuntimeError):
            continue
        # An attribute of a tensor has its text on the class.
        if is_documented(value, name) or (path == "torch.Tensor" and inspect.getdoc(value)):
            found[name] = overloads(name) if counts else []
    return found


def fx_names_of(path: str) -> dict[str, list[str]]:
    home = importlib.import_module(path)
    found: dict[str, list[str]] = {}
    for name in sorted({*getattr(home, "__all__", ()), *vars(home)}):
        value = getattr(home, name, None)
        if name.startswith("_") or not (isinstance(value, type) or callable(value)) or getattr(value, "__module__", None) != path:
            continue
        found[name] = []
        if isinstance(value, type):
            found.update({f"{name}.{a}": [] for a in sorted(vars(value)) if not a.startswith("_")})
    return found


names = {path: names for path in MODULES if (names := names_of(path))}
names.update({f"torch.fx.{module}": fx_names_of(f"torch.fx.{module}") for module in FX_MODULES})
json.dump(names, sys.stdout)
