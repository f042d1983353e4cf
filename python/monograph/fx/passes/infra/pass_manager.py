"""torch.fx.passes.infra.pass_manager: runs passes in an order that keeps constraints, until nothing changes."""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any

from ....nn import Module
from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]

logger = logging.getLogger(__name__)
logger.setLevel(logging.WARNING)

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def pass_result_wrapper(fn: Pass) -> Callable[..., PassResult | None]:
    """A pass that gives a PassResult, of one that changes the module and gives nothing, or gives a module."""
    if fn is None:
        return None

    @wraps(fn)
    def call(gm: Module) -> PassResult | None:
        result = fn(gm)
        if isinstance(result, PassResult):
            return result
        made: Any = gm if result is None else result
        is_module = isinstance(made, Module)
        return PassResult(made, True) if is_module else None

    if not inspect.isfunction(fn):
        call.__name__ = type(fn).__name__
    return call


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """A constraint: `this` runs before `that`."""
    return lambda a, b: a != that or b != this


def _validate_pass_schedule_constraint(constraint: Constraint, passes: list[Pass]) -> None:
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at index {j} in pass list."
                )


def _topological_sort_passes(passes: list[Pass], constraints: list[Constraint]) -> list[Pass]:
    """An order of the passes that keeps all constraints."""
    if not constraints:
        return passes
    later: dict[Pass, list[Pass]] = {p: [] for p in passes}  # what must come behind each
    waiting = dict.fromkeys(passes, 0)
    for a in passes:
        for b in passes:
            for constraint in constraints:
                if a != b and not constraint(a, b):
                    later[b].append(a)
                    waiting[a] += 1
    ready = deque(p for p in passes if waiting[p] == 0)
    found: list[Pass] = []
    while ready:
        found.append(ready.popleft())
        for p in later[found[-1]]:
            waiting[p] -= 1
            if waiting[p] == 0:
                ready.append(p)
    circle = [p for p, count in waiting.items() if count]
    if circle:
        raise RuntimeError(f"Circular dependency detected within the following passes: {circle}")
    return found


def _name(fn: Pass) -> str:
    return fn.__name__ if inspect.isfunction(fn) else type(fn).__name__


class PassManager:
    """Passes, each a callable that gives a PassResult, and constraints on their order.

    steps: how often they run, as long as something changes. run_checks_after_each_pass: whether the function given to add_checks runs after each pass.
    """

    passes: list[Pass]
    constraints: list[Constraint]
    _validated: bool = False
    steps: int = 1

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ):
        self.passes = passes or []
        self.constraints = constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures

    def add_pass(self, _pass: Pass) -> None:
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        """constraint(a, b): whether `a` may run before `b`."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raises where the passes, as they stand, break a constraint."""
        if not self._validated:
            for constraint in self.constraints:
                _validate_pass_schedule_constraint(constraint, self.passes)
            self._validated = True

    def solve_constraints(self) -> None:
        """Orders the passes."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable[[Module], None]) -> None:
        """A function of the module that raises where something is wrong: it runs before the passes, and after each if that was asked for."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        setattr(self, "check", check)  # noqa: B010 (a method of the class)

    def check(self, module: Module) -> None: ...

    def __call__(self, module: Module) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified_at_all = False
        for _ in range(self.steps):
            modified = False
            for i, fn in enumerate(self.passes):
                try:
                    module, changed = self._run(fn, module)
                except Exception as error:
                    before = [_name(p) for p in self.passes[:i]]
                    raise Exception(f"An error occurred when running the '{_name(fn)}' pass after the following passes: {before}") from error
                modified = modified or changed
            modified_at_all = modified_at_all or modified
            if not modified:
                break
        return PassResult(module, modified_at_all)  # type: ignore[arg-type]

    def _run(self, fn: Pass, module: Module) -> tuple[Module, bool]:
        logger.debug("Running pass '%s'", _name(fn))
        result = fn(module)
        if not hasattr(result, "graph_module"):
            raise TypeError(f"The result of the pass {_name(fn)} should be type PassResult.Please wrap it with pass_result_wrapper()")
        module = result.graph_module
        if isinstance(module, GraphModule):
            logger.debug("Graph after pass '%s': %s", _name(fn), module.graph)
            module.recompile()
        if self.run_checks_after_each_pass:
            self.check(module)
        return module, result.modified
