"""torch.autograd: gradients by backward passes over what was recorded."""

from __future__ import annotations

from ..utils.hooks import HandleOfHook as HandleOfHook, RemovableHandle
from . import anomaly_mode, forward_ad, function, functional, graph
from ._passes import _is_checkpoint_valid as _is_checkpoint_valid, backward, grad
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

__all__ = [
    "Function", "RemovableHandle", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function", "functional", "grad",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled",
]  # fmt: skip
