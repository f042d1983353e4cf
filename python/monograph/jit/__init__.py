"""torch.jit: functions and modules as graphs that run without Python."""

from typing import Final

from .._jit_internal import is_scripting
from ._script import (
    Attribute,
    CompilationUnit,
    RecursiveScriptModule,
    ScriptModule,
    ScriptWarning,
    _copy_to_script_wrapper,
    _drop,
    _IgnoreContextManager,
    _overload,
    _overload_method,
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
from ._trace import ScriptFunction, TopLevelTracedModule, TracerWarning, TracingCheckError, trace, trace_module

_script_if_tracing = script_if_tracing

__all__ = [
    "Attribute", "CompilationUnit", "Final", "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "ScriptWarning", "TopLevelTracedModule", "TracerWarning",
    "TracingCheckError", "_IgnoreContextManager", "_copy_to_script_wrapper", "_drop", "_overload", "_overload_method", "_script_if_tracing", "annotate", "export",
    "ignore", "interface", "is_scripting", "is_tracing", "isinstance", "script", "script_if_tracing", "script_method", "trace", "trace_module", "unused",
]  # fmt: skip
