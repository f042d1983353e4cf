"""torch.utils.hooks: RemovableHandle, which is returned when a hook is registered."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .. import _C


class RemovableHandle:
    """Takes a hook away again: handle.remove(), or the end of a `with`.

    hooks_dict: where the hook is kept, under handle.id. extra_dict: further dicts that lose the id too.

    Example:
        >>> layer = torch.nn.Linear(2, 2)
        >>> handle = layer.register_forward_hook(lambda module, inputs, output: output + 1)
        >>> handle.remove()
        >>> len(layer._forward_hooks)
        0
    """

    next_id = 0

    @_C._natively  # not watched by captures: each handle has a new number, and no captured program depends on it
    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or []
        self.extra_dict_ref: Any = tuple(weakref.ref(d) for d in extra)

    def remove(self) -> None:
        """Takes the hook away; a second time does nothing."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, int, Any]:
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state: tuple[Any, int, Any]) -> None:
        def ref(hooks: Any) -> Any:
            return weakref.ref(OrderedDict() if hooks is None else hooks)

        self.hooks_dict_ref, self.id, self.extra_dict_ref = ref(state[0]), state[1], tuple(map(ref, state[2] if len(state) > 2 else ()))
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class HandleOfHook(RemovableHandle):
    """Removes a hook of a tensor or of a node of the backward graph, which no dict holds. The handle does not keep the tensor alive.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda gradient: gradient * 2)
        >>> handle.remove()
    """

    def __init__(self, remove: Callable[[], None]):
        super().__init__(OrderedDict())
        self._remove = remove

    def remove(self) -> None:
        self._remove()


def unserializable_hook(f: Any) -> Any:
    """Marks a hook that is not saved with its tensor: PyTorch's files then leave it out without a warning.

    >>> from monograph.utils.hooks import unserializable_hook
    >>> @unserializable_hook
    ... def hook(grad):
    ...     return 2 * grad
    >>> x = torch.ones(1, requires_grad=True)
    >>> handle = x.register_hook(hook)
    """
    f.__torch_unserializable__ = True
    return f
