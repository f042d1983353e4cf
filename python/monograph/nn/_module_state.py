"""The state dict of nn.Module: its hooks, the versions of its modules (_metadata), and how it is loaded."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..utils.hooks import RemovableHandle
from ._cycles import explains_cycles
from ._module_backward import WrappedHook
from .parameter import Parameter, is_lazy

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(tuple[list[str], list[str]]):
    """What load_state_dict returns: the keys that were missing, and those that nothing took."""

    __slots__ = ()
    _fields = ("missing_keys", "unexpected_keys")
    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __new__(cls, missing_keys: list[str], unexpected_keys: list[str]) -> _IncompatibleKeys:
        return tuple.__new__(cls, (missing_keys, unexpected_keys))

    def __repr__(self) -> str:
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"

    __str__ = __repr__


_IncompatibleKeys.__module__ = "monograph.nn.modules.module"


def _way_out(module: Any, state: Mapping[str, Any]) -> str:
    """What to do about two common mistakes: keys of a wrapped module, and a checkpoint that holds the state dict beside other things."""
    wanted = set(module.state_dict())
    for key, value in state.items():
        if isinstance(value, Mapping) and wanted & set(value):
            return f"\nThe state dict is in the item {key!r}: load_state_dict(checkpoint[{key!r}])"
    prefixes = {key.partition(".")[0] for key in state}
    if len(prefixes) == 1 and state and not wanted & set(state):
        prefix = f"{prefixes.pop()}."
        if wanted & {key.removeprefix(prefix) for key in state}:
            return f'\nAll keys begin with "{prefix}". Remove it: {{k.removeprefix("{prefix}"): v for k, v in state_dict.items()}}'
    return ""


def of_wrapped(state: Any, prefix: str, wrapped: str) -> Any:
    """A state dict whose keys below `prefix` lack the name that a wrapper gives to its module: `inner.weight` for `inner._orig_mod.weight`, where no key has that name."""
    below = f"{prefix}{wrapped}."

    def renamed(key: Any) -> Any:
        short = prefix + key.removeprefix(below) if isinstance(key, str) and key.startswith(below) else key
        return key if short in state else short

    made: Any = OrderedDict((renamed(k), v) for k, v in state.items())
    metadata = getattr(state, "_metadata", None)
    if metadata is not None:
        made._metadata = {f"{prefix}{f'{k}.'.removeprefix(below)}"[:-1] if f"{k}.".startswith(below) else k: v for k, v in metadata.items()}
    return made


class StateOfModule:
    """The part of nn.Module that writes and reads state dicts."""

    _version: int = 1
    _name_in_wrapper: str | None = None  # of a wrapper without a state of its own: the name of the module in it, which keys do not have
    _later_keys: frozenset[str] = frozenset()  # buffers that files from before _version lack
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Any]
    _state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_post_hooks: dict[int, Any]

    def get_extra_state(self) -> Any:
        """What a module of yours puts into its state dict beside tensors, under `_extra_state`. A module with it needs set_extra_state too."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please define get_extra_state() in the module's class."
        )

    def set_extra_state(self, state: Any) -> None:
        """Takes what get_extra_state gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please define set_extra_state() in the module's class."
        )

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, local_metadata) on what state_dict gives; what it returns takes its place."""
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, local_metadata) at the end of state_dict. It may change the dict, and returns None.

            >>> layer = nn.Linear(1, 1)
            >>> handle = layer.register_state_dict_post_hook(lambda module, state, prefix, meta: state.pop(prefix + "bias") and None)
            >>> list(layer.state_dict())
            ['weight']
        """

        def checked(*given: Any) -> None:
            if hook(*given) is not None:
                raise RuntimeError("state_dict post-hook must return None")

        return self._register_state_dict_hook(checked)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, prefix, keep_vars) before state_dict reads the module."""
        handle = RemovableHandle(self._state_dict_pre_hooks)
        self._state_dict_pre_hooks[handle.id] = hook
        return handle

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> RemovableHandle:
        handle = RemovableHandle(self._load_state_dict_pre_hooks)
        self._load_state_dict_pre_hooks[handle.id] = WrappedHook(hook, self if with_module else None)
        return handle

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) before this module is loaded.

        The hook may change the state dict: rename the keys of an old file.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls hook(module, incompatible_keys) after this module is loaded. The hook may change the two lists, and returns None."""
        handle = RemovableHandle(self._load_state_dict_post_hooks)
        self._load_state_dict_post_hooks[handle.id] = hook
        return handle

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Writes the module's own parameters and buffers, without those of the modules in it."""
        for name, value in self._parameters.items():
            if value is not None:
                destination[prefix + name] = value if keep_vars else value.detach()
        for name, value in self._buffers.items():
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if keep_vars else value.detach()
        if type(self).get_extra_state is not StateOfModule.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    @explains_cycles
    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> dict[str, Any]:
        """Every parameter and persistent buffer by its path. Its attribute _metadata holds the version of each module.

        destination: a dict that takes them. prefix: in front of each path. keep_vars: the tensors themselves, with their gradients.

            >>> list(nn.Linear(1, 1).state_dict())
            ['weight', 'bias']
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            return self.state_dict(**{"destination": destination, "prefix": prefix, "keep_vars": keep_vars, **given})
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, local_metadata)
            destination = destination if changed is None else changed
        return destination

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]
    ) -> None:
        """Reads the module's own parameters and buffers, without those of the modules in it. A class of yours may do more."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        buffers = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        own = {k: v for k, v in (*self._parameters.items(), *buffers.items()) if v is not None}
        is_old = bool(self._later_keys) and (local_metadata.get("version") or 1) < self._version  # a class of yours may keep another kind of _version
        for name, target in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, target, state_dict[key], local_metadata.get("assign_to_params_buffers", False), error_msgs)
            elif strict and not (is_old and name in self._later_keys):
                missing_keys.append(key)
        if type(self).set_extra_state is not StateOfModule.set_extra_state:
            if prefix + EXTRA_STATE in state_dict:
                self.set_extra_state(state_dict[prefix + EXTRA_STATE])
            elif strict:
                missing_keys.append(prefix + EXTRA_STATE)
        elif strict and prefix + EXTRA_STATE in state_dict:
            unexpected_keys.append(prefix + EXTRA_STATE)
        if strict:
            for key in state_dict:
                name, dot, _ = key.removeprefix(prefix).partition(".") if key.startswith(prefix) and key != prefix + EXTRA_STATE else ("", "", "")
                if name and name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_one(self, name: str, key: str, target: Any, value: Any, assign: bool, error_msgs: list[str]) -> None:
        if not isinstance(value, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but received {type(value)}'
            )
            return
        if is_lazy(target) and is_lazy(value):
            return  # neither has elements yet
        if target.dim() == 0 and value.shape == (1,):
            value = value[0]
        if value.shape != target.shape:
            error_msgs.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current model is {target.shape}.")
            return
        if target.is_meta and not value.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op. (Did you mean to pass "
                "`assign=True` to assign items in the state dictionary to their corresponding key in the module instead of copying them in place?)",
                stacklevel=2,
            )
            return
        try:
            with no_grad():
                if not assign:
                    target.copy_(value)
                elif isinstance(target, Parameter):
                    made = value.requires_grad_(target.requires_grad) if isinstance(value, Parameter) else Parameter(value, target.requires_grad)
                    setattr(self, name, made)
                else:
                    setattr(self, name, value)
        except Exception as error:  # noqa: BLE001 - all errors are told together
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {target.size()} and whose dimensions in the checkpoint are '
                f"{value.size()}, an exception occurred : {error.args}."
            )

    @explains_cycles
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> _IncompatibleKeys:
        """Copies the values of a state dict into this module's parameters and buffers.

        strict: whether a missing or an unexpected key is an error. assign: puts the tensors themselves in place.
        Returns the missing and the unexpected keys. Raises TypeError for what is no mapping, RuntimeError for keys and sizes that do not fit.

            >>> nn.Linear(1, 1).load_state_dict({"weight": torch.ones(1, 1), "bias": torch.zeros(1)})
            <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state: Any = OrderedDict(state_dict)
        if metadata is not None:
            state._metadata = metadata

        def load(module: Any, part: Any, prefix: str) -> None:
            if type(module)._name_in_wrapper is not None:
                load(module._modules[type(module)._name_in_wrapper], of_wrapped(part, prefix, type(module)._name_in_wrapper), prefix)
                return tell(module)
            local: dict[str, Any] = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local = {**local, "assign_to_params_buffers": True}
            module._load_from_state_dict(part, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, OrderedDict((k, v) for k, v in part.items() if k.startswith(below)), below)
            tell(module)

        def tell(module: Any) -> None:
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if incompatible_keys need to be "
                        "modified, it should be done inplace."
                    )

        load(self, state, "")
        if strict and unexpected:
            errors.insert(0, "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in unexpected)))
        if strict and missing:
            errors.insert(0, "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in missing)))
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(errors)) + _way_out(self, state_dict))
        return _IncompatibleKeys(missing, unexpected)
