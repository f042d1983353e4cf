"""node.kwargs, and lists and dicts inside node.args: they cannot be changed in place, since the graph would not notice."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import _C, _tree

_HELP = "Create a copy, change it, and assign it to node.args or node.kwargs."


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list):
    __delitem__ = __iadd__ = __imul__ = __setitem__ = append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return (immutable_list, (list(self),))


class immutable_dict(dict):
    __delitem__ = __setitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return (immutable_dict, (dict(self),))


def _register(kind: type, of: type) -> None:
    """Trees (torch.utils._pytree) take these apart as lists and dicts, and put them together as what they were."""
    node = _tree.NODES[of]
    _tree.NODES[kind] = node._replace(type=kind, unflatten_fn=lambda children, context: kind(node.unflatten_fn(children, context)))


_register(immutable_list, list)
_register(immutable_dict, dict)
_C._set_immutable_types(immutable_list, immutable_dict)
