"""torch.compiler.config: settings of torch.compile. Those that torch._dynamo.config has too are the same settings. The others are kept and read by nothing."""

from __future__ import annotations

import sys
from typing import Any

from .._dynamo import config as _dynamo

# As in PyTorch: what is set here is set there.
_SHARED = {
    "accumulated_recompile_limit", "allow_unspec_int_on_nn_module", "assume_static_by_default", "automatic_dynamic_shapes", "capture_dynamic_output_shape_ops",
    "capture_scalar_outputs", "dynamic_shapes", "fail_on_recompile_limit_hit", "log_file_name", "recompile_limit", "verbose",
}  # fmt: skip

job_id = None
pgo_extra_read_key = None
pgo_extra_write_key = None
cache_key_tag = ""
force_disable_caches = False
force_cudagraph_gc = False
dynamic_sources = ""
dynamic_values = ""
unbacked_sources = ""
skip_tensor_guards_with_matching_dict_tags = True
enable_cpp_symbolic_shape_guards = True
wrap_top_frame = False
reorderable_logging_functions: set[Any] = set()


class _CompilerSettings(_dynamo.Settings):
    """The settings that torch._dynamo.config has too are properties, which are added below."""


def _shared(name: str) -> property:
    return property(lambda self: getattr(_dynamo, name), lambda self, value: setattr(_dynamo, name, value))


for _name in _SHARED:
    setattr(_CompilerSettings, _name, _shared(_name))


def patch(name: Any = None, value: Any = None, **changes: Any) -> Any:
    """patch(recompile_limit=2), patch("recompile_limit", 2) or patch({...}): a context and a decorator."""
    return _dynamo._Patch(_dynamo._changes(name, value, changes), sys.modules[__name__])


sys.modules[__name__].__class__ = _CompilerSettings
