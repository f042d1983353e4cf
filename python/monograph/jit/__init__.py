"""torch.jit: functions and modules as graphs that run without Python."""

from ._trace import ScriptFunction, TopLevelTracedModule, TracerWarning, TracingCheckError, trace, trace_module

__all__ = ["ScriptFunction", "TopLevelTracedModule", "TracerWarning", "TracingCheckError", "trace", "trace_module"]
