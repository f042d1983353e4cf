"""torch.jit: functions and modules as graphs that run without Python."""

from typing import TYPE_CHECKING, Final

from .. import _C
from .._jit_internal import is_scripting
from .._warnings import TracerWarning
from ._fusers import fuser, strict_fusion
from ._futures import Future, fork, wait
from ._script import (
    Attribute,
    CompilationUnit,
    ScriptModule,
    ScriptWarning,
    _copy_to_script_wrapper,
    _drop,
    _IgnoreContextManager,
    _overload,
    _overload_method,
    _unwrap_optional,
    annotate,
    export,
    ignore,
    interface,
    is_tracing,
    isinstance_ as isinstance,
    script,
    script_if_tracing,
    script_method,
    unused,
)

# These stand on torch.fx, which is imported at its first use.
_ON_DEMAND = {
    **dict.fromkeys(("ScriptFunction", "TopLevelTracedModule", "TracingCheckError", "trace", "trace_module"), "._trace"),
    **dict.fromkeys(
        ("enable_onednn_fusion", "freeze", "onednn_fusion_enabled", "optimize_for_inference", "optimized_execution", "run_frozen_optimizations", "set_fusion_strategy"),
        "._freeze",
    ),
    "RecursiveScriptModule": "._script_module", "load": "._load", "save": "._save", "_get_trace_graph": "._trace_graph", "export_opnames": "._module_members",
    "last_executed_optimized_graph": "._constants",
}  # fmt: skip

if TYPE_CHECKING:
    from ._constants import last_executed_optimized_graph
    from ._freeze import (
        enable_onednn_fusion,
        freeze,
        onednn_fusion_enabled,
        optimize_for_inference,
        optimized_execution,
        run_frozen_optimizations,
        set_fusion_strategy,
    )
    from ._load import load
    from ._module_members import export_opnames
    from ._save import save
    from ._script_module import RecursiveScriptModule
    from ._trace import ScriptFunction, TopLevelTracedModule, TracingCheckError, trace, trace_module

_script_if_tracing = script_if_tracing
Error = _C._ScriptError

__all__ = [
    "Attribute", "CompilationUnit", "Error", "Final", "Future", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "ScriptWarning", "TopLevelTracedModule",
    "TracerWarning", "TracingCheckError", "_IgnoreContextManager", "_copy_to_script_wrapper", "_drop", "_overload", "_overload_method", "_script_if_tracing",
    "_unwrap_optional", "export_opnames", "fuser", "strict_fusion",
    "annotate", "enable_onednn_fusion", "export", "fork", "freeze", "ignore", "interface", "is_scripting", "is_tracing", "isinstance", "last_executed_optimized_graph", "load",
    "onednn_fusion_enabled", "optimize_for_inference", "optimized_execution", "run_frozen_optimizations", "save", "script", "script_if_tracing", "script_method", "set_fusion_strategy", "trace", "trace_module", "unused", "wait",
]  # fmt: skip
