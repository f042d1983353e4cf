"""Decorators of methods that a script looks through: it compiles the method, and says why not where the decorator would do more than call it.

Other decorators are not asked: as in PyTorch, a script compiles what they wrap.
"""

from __future__ import annotations

import inspect
from typing import Any

_GENERIC = "transformers.utils.generic"
_RETURNS_TUPLES = f"{_GENERIC}.can_return_tuple.<locals>.wrapper"
_MERGES_CONFIG = f"{_GENERIC}.merge_with_config_defaults.<locals>.wrapper"
_CAPTURES = "transformers.utils.output_capturing.capture_outputs.<locals>.wrapped_fn.<locals>.wrapper"
_CHECKPOINTS = "transformers.modeling_layers.GradientCheckpointingLayer.__init_subclass__.<locals>.forward_with_checkpointing"
# The arguments for which the configuration stands in, where they are None.
_OF_CONFIG = ("use_cache", "vision_feature_layer", "vision_feature_select_strategy", "vision_aspect_ratio")


def looked_through(function: Any, owner: Any) -> tuple[str, dict[str, Any]]:
    """(why the decorators of this method cannot be looked through, "" where they can; what stands for its arguments that are None)."""
    config, stand_ins = getattr(owner, "config", None), {}
    while hasattr(function, "__wrapped__"):
        name = f"{function.__module__}.{function.__qualname__}"
        if name in (_RETURNS_TUPLES, _CAPTURES) and not getattr(config, "return_dict", True):
            return "config.return_dict is False, and a script gives the outputs by name; set it to True, and call to_tuple() of what the script returns", {}
        if name == _CAPTURES:
            wanted = [key for key in ("output_attentions", "output_hidden_states") if getattr(config, key, False)]
            if wanted:
                return f"config.{wanted[0]} asks for outputs that hooks of Python collect, and a graph has none; set it to False, or trace the model", {}
        if name == _CHECKPOINTS and getattr(owner, "gradient_checkpointing", False):
            return "gradient_checkpointing is on, and a script has no checkpoints; call gradient_checkpointing_disable() of the model", {}
        if name == _MERGES_CONFIG:
            parameters = inspect.signature(function.__wrapped__).parameters
            stand_ins = {key: getattr(config, key) for key in _OF_CONFIG if key in parameters and getattr(config, key, None) is not None}
            if getattr(config, "is_causal", None) is not None:
                return "config.is_causal is set, which a decorator gives to all layers as a keyword; trace the model", {}
        function = function.__wrapped__
    return "", stand_ins
