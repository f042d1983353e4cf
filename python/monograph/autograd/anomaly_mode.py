"""Anomaly mode: an error of a backward pass names the line of the forward pass that caused it."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _C
from .grad_mode import _Mode

__all__ = ["detect_anomaly", "set_detect_anomaly"]


def _created(metadata: dict[str, Any], parent: Any) -> None:
    import traceback

    metadata["traceback_"] = traceback.format_stack()[:-1]
    if parent is not None:
        metadata["parent_"] = parent


def _failed(name: str, metadata: dict[str, Any]) -> None:
    """Warns as PyTorch does: with the place where the node was made, and if another node made it, with the place of that one."""
    stack = metadata.get("traceback_")
    if stack is None:
        warnings.warn(
            f"Error detected in {name}. No forward pass information available. Enable detect anomaly during forward pass for more information.",
            stacklevel=2,
        )
        return
    warnings.warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{''.join(stack)}", stacklevel=2)
    parent = metadata.get("parent_")
    while parent is not None:
        by, stack = parent.name(), parent.metadata.get("traceback_")
        if stack is None:
            warnings.warn(
                f"\n\nPrevious calculation was induced by {by}. No forward pass information available. Enable detect anomaly during forward pass for more "
                "information.",
                stacklevel=2,
            )
            return
        warnings.warn(
            f"\n\nPrevious calculation was induced by {by}. Traceback of forward call that induced the previous calculation:\n{''.join(stack)}",
            stacklevel=2,
        )
        parent = parent.metadata.get("parent_")


class set_detect_anomaly:
    """Switches anomaly mode on or off at once, and back at the end of the `with` block if it is used as one. With check_nan=False, NaN is no error.

    Args:
        mode: on or off
        check_nan: whether a NaN in a gradient is an error
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self.previous = _C._is_anomaly_enabled(), _C._is_anomaly_check_nan()
        _C._set_anomaly(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _C._set_anomaly(*self.previous)


class detect_anomaly(_Mode):
    """Inside, each node of the tape knows the line that made it. If its step raises an error, or makes a NaN, a warning shows that line. It is slow: for
    debugging only.

    >>> x = torch.zeros(1, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     torch.sqrt(x - 1).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        self.previous = False, True
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )

    def clone(self) -> detect_anomaly:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return detect_anomaly(self.check_nan)

    def __enter__(self) -> None:
        self.previous = _C._is_anomaly_enabled(), _C._is_anomaly_check_nan()
        _C._set_anomaly(True, self.check_nan)

    def __exit__(self, *exc: object) -> None:
        _C._set_anomaly(*self.previous)
