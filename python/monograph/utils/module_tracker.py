"""torch.utils.module_tracker: which modules a program is in, in forward and backward passes."""

from __future__ import annotations

import weakref
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..autograd.graph import register_multi_grad_hook
from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from . import _pytree


class ModuleTracker:
    """A context whose `parents` are the names of the modules that run now, such as "Net.fc", and "Global".

    A name starts with the class of the outermost module. In a backward pass a module runs from the first gradient of its outputs to the last one of its inputs.

    >>> import monograph as torch
    >>> from monograph.utils.module_tracker import ModuleTracker
    >>> class Net(torch.nn.Module):
    ...     def forward(self, x):
    ...         print(sorted(tracker.parents))
    ...         return x
    >>> with ModuleTracker() as tracker:
    ...     y = Net()(torch.ones(1))
    ['Global', 'Net']
    """

    def __init__(self) -> None:
        self._names: Any = weakref.WeakKeyDictionary()
        self._hooks: list[Any] = []
        self._start(-1)

    def _start(self, backward_pass: int) -> None:
        self._pass, self._parents = backward_pass, {"Global"}

    @property
    def parents(self) -> set[str]:
        if self._pass != _C._pass_id():  # another pass has begun, or the last one has ended
            self._start(_C._pass_id())
        return self._parents

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass runs."""
        return _C._pass_id() != -1

    def _name(self, module: Any) -> str:
        if module not in self._names:
            self._names[module] = type(module).__name__
        name: str = self._names[module]
        for child, part in module.named_children():
            if part not in self._names:
                self._names[part] = f"{name}.{child}"
                self._name(part)
        return name

    def _when_gradients_come(self, values: Any, mode: Any, act: Any) -> None:
        tensors = [t for t in _pytree.tree_leaves(values) if isinstance(t, Tensor) and t.requires_grad]
        if tensors:
            self._hooks.append(register_multi_grad_hook(tensors, lambda _: act(), mode=mode))

    def _before(self, module: Any, inputs: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        self._when_gradients_come(inputs, "all", lambda: self.parents.discard(name))

    def _after(self, module: Any, inputs: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        self._when_gradients_come(output, "any", lambda: self.parents.add(name))

    def __enter__(self) -> ModuleTracker:
        self._start(-1)
        self._global_hooks = [register_module_forward_pre_hook(self._before), register_module_forward_hook(self._after)]
        return self

    def __exit__(self, *exc: object) -> None:
        for hook in (*self._global_hooks, *self._hooks):
            hook.remove()
        self._hooks.clear()
