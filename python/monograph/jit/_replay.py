"""The check of a trace: its graph runs on the example, from the state in which the program's one run began, and its results are compared with that run's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from .._lists import CarriedList
from .._state import Contents, modules_of, tensors_of
from .._unprinted import unprinted
from ..autograd.grad_mode import no_grad
from ..nn import Module


def _values(tensors: list[Any]) -> list[Any]:
    return [t.detach().clone() for t in tensors]


def _set(tensors: list[Any], values: list[Any]) -> None:
    with no_grad():
        for t, value in zip(tensors, values, strict=True):
            t.copy_(value)


def _with_lists(result: Any) -> Any:
    """The result of a run, with the example's list where the graph computes the length of one."""
    if type(result) is CarriedList:
        items = result._carried_items
        return _with_lists(items if type(items) is list else list(_C._hint(items)))
    if type(result) in (list, tuple):
        return type(result)(map(_with_lists, result))
    return {key: _with_lists(value) for key, value in result.items()} if type(result) is dict else result


class Replay:
    """What the program's run began with: made before it."""

    def __init__(self, function: Any, module: Module | None, copied: Callable[[Any], Any]):
        self.copied, self.result = copied, None
        self.left: list[tuple[Any, Any]] = []
        self.modules = list({id(m): m for m in (*modules_of(module), *modules_of(function))}.values())
        # What a program may write to: buffers, other tensors that it finds by a name, and parameters that are not trained.
        found = {id(t): t for t in (*tensors_of(module), *tensors_of(function)) if not t._requires_grad}
        self.tensors = list(found.values())
        self.versions, self.before = [t._version for t in self.tensors], _values(self.tensors)
        self.random = _C.default_generator.get_state()

    def ran(self, result: Any) -> None:
        """The run has ended, with this result."""
        self.result = self.copied(_with_lists(result))

    def results(self, graph_of: Callable[[], Any]) -> Any:
        """What `graph_of` returns, which runs the graph. Afterwards all is as the program's run has left it, and `left` has the tensors to which the program or the
        graph has written: what each of the two has left in them."""
        written = [k for k, t in enumerate(self.tensors) if t._version != self.versions[k]]
        tensors = [self.tensors[k] for k in written]
        all_after = list(self.before)
        after, random, contents = _values(tensors), _C.default_generator.get_state(), Contents([vars(m) for m in self.modules])
        for k, values in zip(written, after, strict=True):
            all_after[k] = values
        _set(tensors, [self.before[k] for k in written])
        versions = [t._version for t in self.tensors]
        _C.default_generator.set_state(self.random)
        try:
            with unprinted():  # the program has printed the same already
                got = self.copied(graph_of())
            written = [k for k, t in enumerate(self.tensors) if k in written or t._version != versions[k]]
            tensors, after = [self.tensors[k] for k in written], [all_after[k] for k in written]
            self.left = list(zip(after, _values(tensors), strict=True))
            return got
        finally:
            _set(tensors, after)
            _C.default_generator.set_state(random)
            contents.restore()
