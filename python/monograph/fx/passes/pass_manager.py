"""torch.fx.passes.pass_manager: the first pass manager of FX, whose passes give the module itself. infra.pass_manager has the newer one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from inspect import unwrap
from typing import Any

from .infra.pass_manager import this_before_that_pass_constraint

__all__ = [
    "PassManager", "inplace_wrapper", "log_hook", "loop_pass", "this_before_that_pass_constraint", "these_before_those_pass_constraint",
]  # fmt: skip

logger = logging.getLogger(__name__)
Pass = Callable[..., Any]


def inplace_wrapper(fn: Pass) -> Pass:
    """A pass that gives its module, of one that changes the module and gives something else."""

    @wraps(fn)
    def call(gm: Any, *args: Any, **kwargs: Any) -> Any:
        fn(gm, *args, **kwargs)
        return gm

    return call


def log_hook(fn: Pass, level: int = logging.INFO) -> Pass:
    """A pass that logs what it gives."""

    @wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        value = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, value)
        return value

    return call


def loop_pass(base_pass: Pass, n_iter: int | None = None, predicate: Callable[[Any], bool] | None = None) -> Pass:
    """A pass that runs n_iter times, or as long as the predicate is true of what it gave."""
    if (n_iter is None) == (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @wraps(base_pass)
    def call(source: Any) -> Any:
        if predicate is not None:
            while predicate(source):
                source = base_pass(source)
            return source
        if not n_iter or n_iter < 0:
            raise RuntimeError(f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})")
        for _ in range(n_iter):
            source = base_pass(source)
        return source

    return call


def _validate_pass_schedule_constraint(constraint: Callable[[Pass, Pass], bool], passes: list[Pass]) -> None:
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at index{j} in pass list."
                )


def these_before_those_pass_constraint(these: Pass, those: Pass) -> Callable[[Pass, Pass], bool]:
    """A constraint: `these` runs before `those`, also where both are inside of loop_pass and the like."""
    return lambda a, b: unwrap(a) != those or unwrap(b) != these


class PassManager:
    """Passes that run one after the other, each on what the one before gave; constraints(a, b) tell whether `a` may run before `b`."""

    passes: list[Pass]
    constraints: list[Callable[[Pass, Pass], bool]]
    _validated: bool = False

    def __init__(self, passes: list[Pass] | None = None, constraints: list[Callable[[Pass, Pass], bool]] | None = None):
        self.passes = passes or []
        self.constraints = constraints or []

    @classmethod
    def build_from_passlist(cls, passes: list[Pass]) -> PassManager:
        return PassManager(passes)

    def _set(self, passes: list[Pass]) -> None:
        self.passes, self._validated = passes, False

    def add_pass(self, _pass: Pass) -> None:
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[[Pass, Pass], bool]) -> None:
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes: list[str]) -> None:
        """Removes the passes of these names."""
        if _passes is not None:
            self._set([p for p in self.passes if p.__name__ not in _passes])

    def replace_pass(self, _target: Pass, _replacement: Pass) -> None:
        self._set([_replacement if p.__name__ == _target.__name__ else p for p in self.passes])

    def validate(self) -> None:
        """Raises where the order of the passes breaks a constraint."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
            self._validated = True

    def __call__(self, source: Any) -> Any:
        self.validate()
        for run in self.passes:
            source = run(source)
        return source
