"""torch.optim.lr_scheduler: learning rates that change from step to step."""

from __future__ import annotations

import functools
import math
import types
import warnings
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from .._tensor import Tensor
from .optimizer import Optimizer, to_scalar

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR",
    "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

_HOW_TO = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use `scheduler.step()` to step the "
    "scheduler. During the deprecation, if epoch is different from None, the closed form is used instead of the new chainable form, where available."
)


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A list with one argument for each group: a list is returned as it is, a single value is repeated."""
    count = len(optimizer.param_groups)
    if isinstance(value, (list, tuple)) and len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups has {count}."
        )
    return [_copied(v) for v in (value if isinstance(value, (list, tuple)) else [value] * count)]


def _of_groups(optimizer: Optimizer, key: str) -> list[Any]:
    return [_copied(group[key]) for group in optimizer.param_groups]


def _set(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets an option of a group. If the present value is a tensor, such as a rate, it is written in place, so that every holder of it sees the change."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(to_scalar(value)))
    else:
        group[key] = value


def _check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """The base of all schedules. A subclass defines ``get_lr``, which returns a rate for each parameter group.

    Making a schedule sets the first rates. Call ``step()`` after the optimizer's, once an epoch or once a batch, as the schedule means it.

    Args:
        optimizer: the optimizer whose rates change.
        last_epoch: how many steps were done before, less one; -1 starts anew. With another value the groups must have ``initial_lr``.

    Raises:
        TypeError: ``optimizer`` is not an Optimizer.
        KeyError: ``last_epoch`` is not -1, and a group has no ``initial_lr``.

    >>> import monograph as torch
    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr / 2**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = Halving(optimizer)
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     schedule.step()
    >>> optimizer.param_groups[0]["lr"]
    0.125
    """

    _get_lr_called_within_step = False
    _is_initial = False
    optimizer: Optimizer
    last_epoch: int
    base_lrs: list[Any]
    _last_lr: list[Any]
    _step_count: int

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with last_epoch >= 0. "
                    "Load the optimizer's state before, or use last_epoch=-1 to start anew"
                )
        self.base_lrs = _of_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._note_steps()
        self._initial_step()

    def _note_steps(self) -> None:
        """Wraps the optimizer's step, so that the schedule can warn if it is stepped first."""
        optimizer: Any = self.optimizer
        if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
            return
        of, function = weakref.ref(optimizer), optimizer.step.__func__

        @functools.wraps(function)
        def step(*args: Any, **kwargs: Any) -> Any:
            owner: Any = of()
            owner._opt_called = True
            return function(owner, *args, **kwargs)

        step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
        optimizer.step = step

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer, as a dict for ``load_state_dict``.

        >>> import monograph as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
        >>> torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5).state_dict()["last_epoch"]
        0
        """
        return self._without("optimizer")

    def _without(self, *names: str) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in names}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what ``state_dict`` returned, of the same class of schedule. Load the optimizer's state too: it holds the rates."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates of the groups, as the last step set them."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The next rates. ``step`` calls it; for the present ones, use ``get_last_lr``."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass of LRScheduler defines get_lr()")

    def _warn_outside_of_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning, stacklevel=3)

    def step(self, epoch: int | None = None) -> None:
        """Sets the next rates.

        Args:
            epoch: deprecated: the number of the step whose rates are set.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to call "
                    f"`optimizer.step()` before `lr_scheduler.step()`. See more details at {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite "
                    "order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the "
                    f"learning rate schedule. See more details at {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(_EPOCH, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self._set_rates(closed or self.get_lr)

    def _set_rates(self, rates: Callable[[], list[Any]]) -> None:
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            _set(group, "lr", value)
        self._last_lr = _of_groups(self.optimizer, "lr")

    def _present(self) -> list[Any]:
        return _of_groups(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The old name of LRScheduler."""


def _state_of(function: Any) -> Any:
    """What a state_dict saves for a function: the attributes of a callable object. For a plain function, nothing."""
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()


class _ByFunctions(LRScheduler):
    """A schedule by one function, or by one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        functions = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(functions) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(functions)}")
        self.lr_lambdas = functions
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """As for every schedule. For callable objects their attributes are saved; for plain functions, nothing."""
        return {**self._without("optimizer", "lr_lambdas"), "lr_lambdas": [_state_of(function) for function in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what ``state_dict`` returned."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if state is not None:
                function.__dict__.update(state)


class LambdaLR(_ByFunctions):
    """The first rate times ``lr_lambda(epoch)``.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        lr_lambda: a function of the number of steps, or a list of one for each group.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        return [lr * function(self.last_epoch) for function, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunctions):
    """The last rate times ``lr_lambda(epoch)``.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        lr_lambda: a function of the number of steps, or a list of one for each group.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def _check_functions(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self._is_initial:
            return self._present()
        return [g["lr"] * function(self.last_epoch) for function, g in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)]


class StepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` every ``step_size`` steps.

    Args:
        optimizer: the optimizer whose learning rates are set
        step_size: after how many steps the rate changes
        gamma: the factor of each change
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        changes = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._times(self.gamma) if changes else self._present()

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` at each step that ``milestones`` names, as often as it names it.

    Args:
        optimizer: the optimizer whose learning rates are set
        milestones: the numbers of the steps, rising, at which the rate changes
        gamma: the factor of each change
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(3):
    ...     optimizer.step(); schedule.step()
    >>> schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch not in self.milestones:
            return self._present()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """The first rate times ``factor`` for the first ``total_iters`` steps, then the first rate itself.

    Raises:
        ValueError: ``factor`` is not between 0 and 1.

    Args:
        optimizer: the optimizer whose learning rates are set
        factor: the factor of the learning rate at first
        total_iters: after how many steps it ends
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.25, total_iters=2)
    >>> schedule.get_last_lr()
    [0.25]
    >>> for _ in range(2):
    ...     optimizer.step(); schedule.step()
    >>> schedule.get_last_lr()
    [1.0]
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        return self._times(1.0 / self.factor) if self.last_epoch == self.total_iters else self._present()

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)) for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """Goes in a line from the first rate times ``start_factor`` to the first rate times ``end_factor``, in ``total_iters`` steps.

    Raises:
        ValueError: ``start_factor`` is not above 0 and at most 1, or ``end_factor`` is not between 0 and 1.

    Args:
        optimizer: the optimizer whose learning rates are set
        start_factor: the factor of the first step
        end_factor: the factor after the last one
        total_iters: how many steps the way takes
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.75]
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        rise = self.end_factor - self.start_factor
        return self._times(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        return [lr * (self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters) for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the rate by ``gamma`` at each step.

    Args:
        optimizer: the optimizer whose learning rates are set
        gamma: the factor of each step
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        return self._present() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The first rate times ``(1 - epoch / total_iters) ** power``: 0 after ``total_iters`` steps.

    Args:
        optimizer: the optimizer whose learning rates are set
        total_iters: after how many steps the rate is 0
        power: the power of the share of the way that is left
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.75]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        left, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._times((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Goes along half a cosine from the first rate to ``eta_min`` in ``T_max`` steps, then up again in as many, and so on.

    Args:
        optimizer: the optimizer whose learning rates are set
        T_max: after how many steps the least rate is reached
        eta_min: the least rate
        last_epoch: the number of the last step taken; -1: none yet

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        if self._is_initial:
            return self._present()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        groups = self.optimizer.param_groups
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the first step up: the last rate was eta_min
            rise = 1 - math.cos(math.pi / self.T_max)
            return [group["lr"] + (lr - self.eta_min) * rise / 2 for lr, group in zip(self.base_lrs, groups, strict=True)]
        now, before = 1 + math.cos(math.pi * self.last_epoch / self.T_max), 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        share = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (lr - self.eta_min) * share / 2 for lr in self.base_lrs]


class _OfSchedules(LRScheduler):
    """A schedule that is made of others."""

    _schedulers: Any

    def _check(self, optimizer: Optimizer, schedulers: Sequence[Any]) -> None:
        name = type(self).__name__
        for index, schedule in enumerate(schedulers):
            if not hasattr(schedule, "optimizer"):
                raise TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling `step`, "
                    f"but got one at index {index} in the given schedulers sequence."
                )
            if optimizer != schedule.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler {type(schedule).__name__} at index {index} has "
                    f"{schedule.optimizer}, which is different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """As for every schedule, with the states of the inner schedules."""
        return {**self._without("optimizer", "_schedulers"), "_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what ``state_dict`` returned."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"]):
            schedule.load_state_dict(state)


class SequentialLR(_OfSchedules):
    """One schedule after another: the second takes over at the first milestone, and so on.

    Args:
        optimizer: the optimizer of all schedules.
        schedulers: the schedules in order.
        milestones: the steps at which the next one takes over, one less than there are schedules.

    Raises:
        ValueError: there are no schedules, one is of another optimizer or a ReduceLROnPlateau, or the number of milestones is wrong.

    >>> import monograph as torch
    >>> from monograph.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = SequentialLR(optimizer, [ConstantLR(optimizer, 0.5, 9), ExponentialLR(optimizer, 0.25)], milestones=[2])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates += schedule.get_last_lr(); optimizer.step(); schedule.step()
    >>> rates
    [0.5, 0.5, 1.0, 0.25]
    """

    def __init__(self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got number of "
                f"schedulers {len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            _set(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Undoes the step that each schedule did when it was created."""
        of = self if sched is None else sched
        if hasattr(of, "_schedulers"):
            for schedule in of._schedulers:
                self.recursive_undo(schedule)
        elif hasattr(of, "last_epoch"):
            of.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Sets the next rates."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_OfSchedules):
    """Several schedules at once: each step steps all of them, in order.

    Args:
        schedulers: the schedules.
        optimizer: their optimizer. None: that of the first.

    Raises:
        ValueError: there are no schedules, or one is of another optimizer or a ReduceLROnPlateau.

    >>> import monograph as torch
    >>> from monograph.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = ChainedScheduler([ConstantLR(optimizer, 0.5, 9), ExponentialLR(optimizer, 0.5)])
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer, schedulers)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._present()

    def step(self) -> None:  # type: ignore[override]
        """Steps all schedules."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self._present()


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rate by ``factor`` when a measure has not become better for more than ``patience`` steps.

    Args:
        optimizer: the optimizer whose rates change.
        mode: "min" where smaller is better, "max" where larger is.
        factor: below 1.
        patience: how many steps without a better measure pass before the rate changes.
        threshold: how much better the measure must be to count.
        threshold_mode: "rel": as a share of the best measure; "abs": as a number.
        cooldown: how many steps after a change are not counted.
        min_lr: the smallest rate, or a list of one for each group.
        eps: smaller changes of the rate are left out.

    Raises:
        ValueError: ``factor`` is 1 or more, or a mode is unknown.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.5):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(self.min_lrs)}")
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = self._present()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Takes a new measure, a number or a tensor of one element, and reduces the rate if there was no improvement for too long."""
        current = float(metrics)
        if epoch is not None:
            warnings.warn(_EPOCH, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._present()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when `ReduceLROnPlateau` was initialized "
                    f"({len(self.min_lrs)}), usually due to a new param group being added to the optimizer. Please modify the `min_lrs` field to match "
                    "the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                _set(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether steps are not counted now, because the rate has changed less than ``cooldown`` steps ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            return a < best * (1.0 - self.threshold) if self.threshold_mode == "rel" else a < best - self.threshold
        return a > best * (self.threshold + 1.0) if self.threshold_mode == "rel" else a > best + self.threshold

    def _init_is_better(self, mode: Any, threshold: float, threshold_mode: Any) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what ``state_dict`` returned."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum (of Adam: the first beta) against the rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _first_momentum(self, base_momentum: Any, max_momentum: Any, last_epoch: int) -> tuple[list[Any], list[Any]]:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        lowest, highest = _each_group("base_momentum", optimizer, base_momentum), _each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, lowest, highest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return lowest, highest

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """Goes up in a line from ``base_lr`` to ``max_lr``, down again, and so on. Step it once a batch.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        base_lr, max_lr: the lowest and the highest rate, or a list of one for each group.
        step_size_up, step_size_down: the number of steps up, and down (None: as many).
        mode: "triangular": all cycles are as high; "triangular2": each is half as high as the last; "exp_range": at step t the height is scaled by
            ``gamma ** t``.
        gamma: of "exp_range".
        scale_fn: a function in place of ``mode``, of the number of cycles or of steps.
        scale_mode: what ``scale_fn`` gets: "cycle" or "iterations".
        cycle_momentum: moves the momentum the other way, between the two that follow.
        base_momentum, max_momentum: the lowest and the highest momentum.

    Raises:
        ValueError: ``mode`` is unknown, a list has another length, or the optimizer has no momentum where ``cycle_momentum`` is True.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.5, max_lr=1.0, step_size_up=2)
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _set(group, "lr", lr)
        self.max_lrs = _each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(f"mode is invalid and scale_fn is None: mode must be 'triangular', 'triangular2' or 'exp_range', but got {mode!r}")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode: str = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._first_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The scale of a cycle's height, for the number of the cycle or of the step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [low + (high - low) * height * self.scale_fn(at) for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True):
                self._set_momentum(group, high - (high - low) * height * self.scale_fn(at))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """As for every schedule. If ``scale_fn`` is a callable object its attributes are saved; if it is a plain function, nothing."""
        function = self._scale_fn_custom
        return {**self._without("optimizer", "_scale_fn_custom"), "_scale_fn_custom": None if function is None else _state_of(function)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what ``state_dict`` returned."""
        state = {name: value for name, value in state_dict.items() if name not in ("_scale_fn_custom", "_scale_fn_ref")}
        super().load_state_dict(state)
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])


class CosineAnnealingWarmRestarts(LRScheduler):
    """Goes along half a cosine from the first rate to ``eta_min``, jumps back, and starts again.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        T_0: the number of steps of the first run.
        T_mult: how many times as long each run is as the last.
        eta_min: the lowest rate.

    Raises:
        ValueError: ``T_0`` or ``T_mult`` is not a positive int.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates += schedule.get_last_lr(); optimizer.step(); schedule.step()
    >>> rates
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        share = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * share / 2 for lr in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Sets the next rates.

        Args:
            epoch: the number of the step whose rates are set, also a fraction: ``epoch + batch / batches``.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._start_at(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.get_lr)

    def _start_at(self, epoch: Any) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            runs = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**runs - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**runs


class OneCycleLR(_WithMomentum):
    """One cycle for the whole training: up from ``max_lr / div_factor`` to ``max_lr``, then down far below the first rate. Step it once a batch.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        max_lr: the highest rate, or a list of one for each group.
        total_steps: the number of steps; or else ``epochs`` and ``steps_per_epoch``.
        pct_start: the share of steps that go up, a float.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: moves the momentum the other way, between ``max_momentum`` and ``base_momentum``.
        div_factor: the first rate is ``max_lr / div_factor``.
        final_div_factor: the last rate is the first one divided by this.
        three_phase: goes down to the first rate in as many steps as up, and then to the last rate.

    Raises:
        ValueError: an argument is out of its range, or ``step`` is called more than ``total_steps`` times.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
    >>> schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10, pct_start=0.5, anneal_strategy="linear")
    >>> for _ in range(4):
    ...     optimizer.step(); schedule.step()
    >>> schedule.get_last_lr(), optimizer.param_groups[0]["momentum"]
    ([1.0], 0.85)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = self._count(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = self._phases(pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        highest = _each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, highest):
                group["initial_lr"], group["max_lr"] = lr / div_factor, lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._first_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _count(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
        if total_steps is not None:
            given = {"total_steps": total_steps}
        elif epochs is not None and steps_per_epoch is not None:
            given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for name, value in given.items():
            if not isinstance(value, int) or value <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return math.prod(given.values())

    def _phases(self, share: float, three: bool) -> list[dict[str, Any]]:
        """Each phase by its last step, and the keys of the groups that hold its first and last rate and momentum."""
        up = float(share * self.total_steps) - 1
        rows: list[tuple[Any, str, str, str, str]] = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three:
            rows.append((float(2 * share * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            rows.append((self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
        else:
            rows.append((self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        return [dict(zip(("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"), row)) for row in rows]

    def _anneal(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phases = self._schedule_phases
        index = next((i for i, phase in enumerate(phases) if step <= phase["end_step"]), len(phases) - 1)
        phase, start = phases[index], phases[index - 1]["end_step"] if index else 0.0
        share = (step - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum(group, self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], share))
        return [self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], share) for group in self.optimizer.param_groups]
