"""Runs an optimizer with other parameters and another state inside of a `with` block."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]


def _refuse(what: str) -> RuntimeError:
    return RuntimeError(f"swap_in_optimizer_params_and_state: {what}")


def _checked_state(optimizer: Optimizer, given: Any) -> tuple[dict[Any, Any], list[Any]]:
    if not optimizer.state:
        raise _refuse("the optimizer has no state yet. Call step() once before")
    if not isinstance(given, dict):
        raise _refuse(f"expected a dict as of optimizer.state_dict(), but got {type(given).__name__}")
    state, groups = given.get("state"), given.get("param_groups")
    if not isinstance(state, dict):
        raise _refuse(f"state must be a dict by the numbers of parameters, but got {type(state).__name__}")
    if any(isinstance(key, Tensor) for key in state):
        raise _refuse("state must have the numbers of parameters as keys, but one is a tensor. Pass optimizer.state_dict()")
    if any(isinstance(key, int) and not isinstance(value, dict) for key, value in state.items()):
        raise _refuse("each entry of state must be a dict")
    if not isinstance(groups, list):
        raise _refuse(f"param_groups must be a list of dicts, but got {type(groups).__name__}")
    if len(groups) != len(optimizer.param_groups):
        raise _refuse(f"expected {len(optimizer.param_groups)} parameter groups, as the optimizer has, but got {len(groups)}")
    return state, groups


def _checked_group(index: int, mine: dict[str, Any], given: Any) -> list[int]:
    if not isinstance(given, dict):
        raise _refuse(f"parameter group {index} must be a dict, but got {type(given).__name__}")
    numbers = given.get("params")
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise _refuse(f"params of parameter group {index} must be a list of numbers. Pass optimizer.state_dict()")
    if len(numbers) != len(mine["params"]):
        raise _refuse(f"parameter group {index} has {len(numbers)} parameters, but the optimizer's has {len(mine['params'])}")
    if given.keys() != mine.keys():
        raise _refuse(
            f"the keys of parameter group {index} differ from the optimizer's. Only in what was passed: {sorted(given.keys() - mine.keys())}. "
            f"Only in the optimizer: {sorted(mine.keys() - given.keys())}"
        )
    return numbers


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Within the `with` block, the optimizer has other parameters, and another state. At its end it has its own again.

    Args:
        optimizer: an optimizer that has stepped.
        swapin_parameters: the other parameters, in the order of ``optimizer.param_groups``.
        swapin_optim_state: a dict as of ``optimizer.state_dict()``. Its tensors are stepped in place; entries that a step adds are lost.

    Raises:
        RuntimeError: the state does not belong to an optimizer with these groups.

    >>> import copy
    >>> import monograph as torch
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)
    >>> w.sum().backward()
    >>> optimizer.step()
    >>> other = torch.tensor([4.0], requires_grad=True)
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, copy.deepcopy(optimizer.state_dict())):
    ...     other.sum().backward()
    ...     optimizer.step()
    >>> w.item(), other.item()
    (0.5, 3.25)
    """
    state, groups = _checked_state(optimizer, swapin_optim_state)
    parameters = list(swapin_parameters.values())
    swapped: defaultdict[Any, Any] = defaultdict(dict)
    new_params = []
    numbered: set[int] = set()
    for index, (mine, given) in enumerate(zip(optimizer.param_groups, groups)):
        numbers = _checked_group(index, mine, given)
        mine_now, parameters = parameters[: len(numbers)], parameters[len(numbers) :]
        if len(mine_now) != len(numbers):
            raise _refuse("there are fewer parameters than in optimizer.param_groups")
        new_params.append(mine_now)
        numbered.update(numbers)
        for parameter, number in zip(mine_now, numbers):
            swapped[parameter] = dict(state.get(number, {}))
    extra = [key for key in state if key not in numbered]
    if extra:
        raise _refuse(f"state has keys that are not the number of a parameter: {extra}")
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        for group, given, params in zip(optimizer.param_groups, groups, new_params):
            group.update({**given, "params": params})
        optimizer.state = swapped
        yield
    finally:
        for group, own in zip(optimizer.param_groups, own_groups):
            group.clear()
            group.update(own)
        optimizer.state = own_state
