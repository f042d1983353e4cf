from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _VF
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from .optimizer import Optimizer, ParamsT, check_lr, to_scalar

__all__ = ["LBFGS"]


_KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """L-BFGS: a quasi-Newton method, which learns the curvature from the last gradients. It needs a closure and the whole batch.

    All parameters are one vector. It keeps ``2 * history_size`` vectors of that length.

    Args:
        params: parameters, in one group.
        lr: the length of a step, or the first one that the line search tries.
        max_iter: how many iterations one ``step`` runs at most.
        max_eval: how often one ``step`` calls the closure at most. None: ``max_iter * 5 // 4``.
        tolerance_grad: ``step`` ends when no gradient is larger.
        tolerance_change: ``step`` ends when neither the loss nor a parameter changes by more.
        history_size: how many steps back the curvature is learned from.
        line_search_fn: None, or "strong_wolfe": a search along the direction for a step that satisfies the strong Wolfe conditions.

    Raises:
        ValueError: there are several groups, or ``lr`` is negative.
        RuntimeError: in ``step``, where ``line_search_fn`` is neither None nor "strong_wolfe".

    >>> import monograph as torch
    >>> w = torch.tensor([-1.5, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], max_iter=50, line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> torch.allclose(w, torch.ones(2), atol=1e-3)
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval, "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change, "history_size": history_size, "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    # All parameters as one vector ---------------------------------------------------------------------------------------------------
    def _parameters(self) -> list[Tensor]:
        return [_VF.view_as_real(p) if p.is_complex() else p for p in self.param_groups[0]["params"]]

    def _gradient(self) -> Tensor:
        parts = []
        for p in self.param_groups[0]["params"]:
            part = _VF.zeros_like(p) if p.grad is None else p.grad
            parts.append((_VF.view_as_real(part) if part.is_complex() else part).reshape(-1))
        return _VF.cat(parts, 0)

    def _move(self, length: Any, direction: Tensor) -> None:
        at = 0
        for p in self._parameters():
            p.add_(direction[at : at + p.numel()].view_as(p), alpha=length)
            at += p.numel()

    def _evaluate(self, closure: Callable[[], Any], start: list[Tensor], length: Any, direction: Tensor) -> tuple[float, Tensor]:
        """The loss and its gradient with the parameters moved by a distance along the direction. Afterwards the parameters are as before."""
        self._move(length, direction)
        loss, gradient = float(closure()), self._gradient()
        for p, value in zip(self.param_groups[0]["params"], start):
            p.copy_(value)
        return loss, gradient

    # The direction ------------------------------------------------------------------------------------------------------------------
    @staticmethod
    def _remember(state: dict[str, Any], gradient: Tensor, history: int) -> None:
        """Adds the last step and the change of the gradient to the history, if the curvature along the step is positive."""
        change = gradient.sub(state["prev_flat_grad"])
        step = state["d"].mul(state["t"])
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(state["old_dirs"]) == history:
                for name in ("old_dirs", "old_stps", "ro"):
                    state[name].pop(0)
            state["old_dirs"].append(change)
            state["old_stps"].append(step)
            state["ro"].append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change)

    @staticmethod
    def _direction(state: dict[str, Any], gradient: Tensor, history: int) -> Tensor:
        """The inverse curvature times the negative gradient, by the two loops over the history."""
        changes, steps, inverse = state["old_dirs"], state["old_stps"], state["ro"]
        shares = state.setdefault("al", [None] * history)
        direction = gradient.neg()
        for i in reversed(range(len(changes))):
            shares[i] = steps[i].dot(direction) * inverse[i]
            direction.add_(changes[i], alpha=-shares[i])
        direction = direction.mul(state["H_diag"])
        for i in range(len(changes)):
            direction.add_(steps[i], alpha=shares[i] - changes[i].dot(direction) * inverse[i])
        return direction

    # Steps --------------------------------------------------------------------------------------------------------------------------
    @no_grad()
    def step(self, closure: Any) -> Any:
        closure = enable_grad()(closure)
        state: dict[str, Any] = self.state[self.param_groups[0]["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        state["func_evals"] += 1
        gradient = self._gradient()
        if not gradient.abs().max() <= self.param_groups[0]["tolerance_grad"]:
            self._iterate(closure, state, float(first_loss), gradient)
            for name in _KEPT:  # in the order of PyTorch's state_dict
                state[name] = state.pop(name)
        return first_loss

    def _iterate(self, closure: Callable[[], Any], state: dict[str, Any], loss: float, gradient: Tensor) -> None:
        group = self.param_groups[0]
        lr, change, history = to_scalar(group["lr"]), group["tolerance_change"], group["history_size"]
        evaluations, flat = 1, False
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                state.update(d=gradient.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1, prev_flat_grad=gradient.clone())
                state["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr
            else:
                self._remember(state, gradient, history)
                state["d"] = self._direction(state, gradient, history)
                state["t"] = lr
                state["prev_flat_grad"].copy_(gradient)
            state["prev_loss"], direction = loss, state["d"]
            slope = gradient.dot(direction)
            if slope > -change:
                return
            calls = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError(f"LBFGS: only 'strong_wolfe' is supported as line_search_fn, but got {group['line_search_fn']!r}")
                search = _StrongWolfe(self, closure, direction, loss, gradient, slope, change, group["max_eval"] - evaluations)
                loss, gradient, state["t"] = search.run(state["t"])
                calls = search.evaluations
                self._move(state["t"], direction)
                flat = bool(gradient.abs().max() <= group["tolerance_grad"])
            else:
                self._move(state["t"], direction)
                if iteration != group["max_iter"]:  # after the last iteration, the loss and gradient would not be used
                    loss, gradient, calls = float(closure()), self._gradient(), 1
                    flat = bool(gradient.abs().max() <= group["tolerance_grad"])
            evaluations += calls
            state["func_evals"] += calls
            if iteration == group["max_iter"] or evaluations >= group["max_eval"] or flat:
                return
            if direction.mul(state["t"]).abs().max() <= change or abs(loss - state["prev_loss"]) < change:
                return


class _Point:
    """A distance along the direction: the loss there, its gradient, and the slope along the direction."""

    def __init__(self, at: Any, loss: float, gradient: Tensor, slope: Any) -> None:
        self.at, self.loss, self.gradient, self.slope = at, loss, gradient, slope


class _StrongWolfe:
    """A line search for a point where the loss has fallen enough (c1) and the slope has become flat enough (c2)."""

    def __init__(
        self, owner: LBFGS, closure: Any, direction: Tensor, loss: float, gradient: Tensor, slope: Any, smallest: float, most: int
    ) -> None:
        self.c1, self.c2 = 1e-4, 0.9
        self.owner, self.closure, self.direction = owner, closure, direction
        self.origin = _Point(0, loss, gradient.clone(), slope)
        self.start = [p.clone() for p in owner.param_groups[0]["params"]]
        self.smallest, self.most = smallest, most
        self.evaluations = 0

    def point(self, at: Any) -> _Point:
        loss, gradient = self.owner._evaluate(self.closure, self.start, at, self.direction)
        self.evaluations += 1
        return _Point(at, loss, gradient, gradient.dot(self.direction))

    def fell_too_little(self, point: _Point) -> bool:
        return bool(point.loss > self.origin.loss + self.c1 * point.at * self.origin.slope)

    def is_flat(self, point: _Point) -> bool:
        return bool(abs(point.slope) <= -self.c2 * self.origin.slope)

    def run(self, first: Any) -> tuple[float, Tensor, Any]:
        bracket, rounds, done = self.bracket(first)
        if not done:
            self.zoom(bracket, rounds)
        best = bracket[0] if bracket[0].loss <= bracket[-1].loss else bracket[-1]
        return best.loss, best.gradient, best.at

    def bracket(self, first: Any) -> tuple[list[_Point], int, bool]:
        """Moves outward until a point satisfies the conditions, or two points have such a point between them."""
        last, point = self.origin, self.point(first)
        for rounds in range(self.most):
            if self.fell_too_little(point) or (rounds > 1 and point.loss >= last.loss):
                return [last, point], rounds, False
            if self.is_flat(point):
                return [point], rounds, True
            if point.slope >= 0:
                return [last, point], rounds, False
            nearest, farthest = point.at + 0.01 * (point.at - last.at), point.at * 10
            last, point = point, self.point(_lowest(last, point, nearest, farthest))
        return [self.origin, point], max(self.most, 0), False

    def zoom(self, bracket: list[_Point], rounds: int) -> None:
        """Narrows the bracket until one of its points satisfies the conditions. The point with the lower loss is `low`."""
        size = self.direction.abs().max()
        low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        stuck = False
        for _ in range(rounds, self.most):
            left, right = min(p.at for p in bracket), max(p.at for p in bracket)
            if abs(bracket[1].at - bracket[0].at) * size < self.smallest:
                return
            at, stuck = self.away_from_ends(_lowest(bracket[0], bracket[1], None, None), left, right, stuck)
            point = self.point(at)
            if self.fell_too_little(point) or point.loss >= bracket[low].loss:
                bracket[high] = point
                low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
                continue
            done = self.is_flat(point)
            if not done and point.slope * (bracket[high].at - bracket[low].at) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
            if done:
                return

    @staticmethod
    def away_from_ends(at: Any, left: Any, right: Any, stuck: bool) -> tuple[Any, bool]:
        """Returns the point, and whether it is near an end of the bracket. A point on an end, or near one for the second time, is moved inward by a tenth."""
        margin = 0.1 * (right - left)
        if not min(right - at, at - left) < margin:
            return at, False
        if not (stuck or at >= right or at <= left):
            return at, True
        return (right - margin if abs(at - right) < abs(at - left) else left + margin), False


def _lowest(a: _Point, b: _Point, nearest: Any, farthest: Any) -> Any:
    """The minimum of the cubic through two points with these slopes, clamped to the bounds. Without bounds, the points themselves are the bounds."""
    if nearest is None:
        nearest, farthest = (a.at, b.at) if a.at <= b.at else (b.at, a.at)
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at)
    under_root = d1**2 - a.slope * b.slope
    if not under_root >= 0:
        return (nearest + farthest) / 2.0
    d2 = under_root.sqrt()
    if a.at <= b.at:
        at = b.at - (b.at - a.at) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        at = a.at - (a.at - b.at) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(at, nearest), farthest)
