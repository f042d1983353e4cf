"""torch._dynamo: the marks of the compiler, which is not there."""

from types import SimpleNamespace

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, reset, substitute_in_graph

forbid_in_graph = disallow_in_graph = mark_dynamic = mark_static = graph_break = nonstrict_trace = disable
# Settings that programs make: kept, and read by nothing.
config = SimpleNamespace(suppress_errors=False, cache_size_limit=8, dynamic_shapes=True, capture_scalar_outputs=False)
__all__ = ["allow_in_graph", "assume_constant_result", "config", "disable", "is_compiling", "reset", "substitute_in_graph"]
