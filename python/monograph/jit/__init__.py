"""torch.jit: functions and modules as graphs that run without Python."""

from typing import Final

from ._trace import ScriptFunction, TopLevelTracedModule, TracerWarning, TracingCheckError, trace, trace_module

__all__ = ["Final", "ScriptFunction", "TopLevelTracedModule", "TracerWarning", "TracingCheckError", "trace", "trace_module"]
