"""torch.func: calling a module with other parameters. The transforms (grad, vmap, jvp, ...) are not part of Monograph yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .nn import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with these tensors in place of its parameters and buffers. They are named as in `module.state_dict()`; the others stay. Afterwards the
    module is as it was. With strict=True, every parameter and buffer must be named. With tie_weights=True, a tensor takes the place of every parameter that
    is the same one.

    >>> layer = torch.nn.Linear(2, 1)
    >>> torch.func.functional_call(layer, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2))
    tensor([[2.]])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        if not all(isinstance(d, dict) for d in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for d in parameter_and_buffer_dicts for name in d]
        repeated = [name for k, name in enumerate(names) if name in names[:k]]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: t for d in parameter_and_buffer_dicts for name, t in d.items()}
    else:
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(parameter_and_buffer_dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _in_place_of(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _own(module: Module) -> dict[str, Any]:
    """All parameters and buffers, each name of one that has several."""
    return {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}


@contextmanager
def _in_place_of(module: Module, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    own = _own(module)
    wanted = dict(given)
    if tie_weights:
        for name, t in given.items():
            if name in own:
                same = [other for other, value in own.items() if other != name and value is own[name]]
                if any(other in given and given[other] is not t for other in same):
                    raise ValueError(
                        f"functional_call got multiple values for keys {sorted([name, *same])}, which are tied. Consider using tie_weights=False"
                    )
                wanted.update(dict.fromkeys(same, t))
    missing, unexpected = [n for n in own if n not in wanted], [n for n in wanted if n not in own]
    if strict and (missing or unexpected):
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:"
            + (f"\n\tUnexpected key(s): {', '.join(map(repr, unexpected))}." if unexpected else "")
            + (f"\n\tMissing key(s): {', '.join(map(repr, missing))}." if missing else "")
        )
    replaced = []
    try:
        for name in own.keys() & wanted.keys():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            table = owner._parameters if last in owner._parameters else owner._buffers
            replaced.append((table, last, table[last]))
            table[last] = wanted[name]
        yield
    finally:
        for table, last, before in reversed(replaced):
            table[last] = before
