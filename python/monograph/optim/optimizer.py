"""torch.optim.Optimizer, the base class of all optimizers. Each optimizer is a module in this folder, and defines its rule in one method `_update`."""

from __future__ import annotations

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeAlias

from .. import _C, _VF
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, set_grad_enabled
from ..nn.parameter import Parameter
from ..utils.hooks import RemovableHandle

StateDict: TypeAlias = "dict[str, Any]"
ParamsT: TypeAlias = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def _add_hook(hooks: OrderedDict[int, Any], hook: Callable[..., Any], first: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


_before_every_step: OrderedDict[int, Any] = OrderedDict()
_after_every_step: OrderedDict[int, Any] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` before each step of every optimizer.

    Args:
        hook: may return None, or a pair of new arguments of ``step``: ``(args, kwargs)``.

    Returns:
        A handle, whose ``remove()`` takes the hook away.

    >>> import monograph as torch
    >>> from monograph.optim.optimizer import register_optimizer_step_pre_hook
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)])
    >>> with register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: print(type(optimizer).__name__)):
    ...     optimizer.step()
    SGD
    """
    return _add_hook(_before_every_step, hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` after each step of every optimizer.

    Returns:
        A handle, whose ``remove()`` takes the hook away.

    >>> import monograph as torch
    >>> from monograph.optim.optimizer import register_optimizer_step_post_hook
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)])
    >>> with register_optimizer_step_post_hook(lambda optimizer, args, kwargs: print("stepped")):
    ...     optimizer.step()
    stepped
    """
    return _add_hook(_after_every_step, hook)


def type_name(obj: Any) -> str:
    """The type of a value as torch.typename writes it in errors."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def to_scalar(x: Any) -> Any:
    """Removes the dims of a hyperparameter that is a tensor of one element. Other values are returned as they are."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def scalar_dtype(fused: bool | None = False) -> Any:
    """The dtype of step counts."""
    double = not fused and _C._get_default_dtype() == _C._dtypes["float64"]
    return _C._dtypes["float64" if double else "float32"]


def check_betas(betas: Any) -> None:
    for index in (0, 1):
        if not 0.0 <= betas[index] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")


def check_lr(lr: Any, message: str = "Invalid learning rate: {}") -> None:
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(message.format(lr))


def check_at_least_zero(**values: float) -> None:
    for name, value in values.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name} value: {value}")


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


class Optimizer:
    """The base of all optimizers.

    A subclass calls ``super().__init__(params, defaults)`` and defines ``step``.

    Args:
        params: tensors, pairs ``(name, tensor)`` as of ``module.named_parameters()``, or dicts. A dict is a parameter group: its key ``params`` holds
            tensors, its other keys are options of these alone. A set is an error, because it has no order.
        defaults: the options of groups that do not say their own.

    ``param_groups`` holds the groups, ``state`` what a step keeps for each parameter, ``defaults`` the options.

    Raises:
        TypeError: ``params`` is one tensor, or holds other things than tensors.
        ValueError: there are no parameters, a parameter is in two groups, or it was computed from others.

    >>> import monograph as torch
    >>> class SignDescent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...     @torch.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad.sign()
    >>> w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = SignDescent([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.5, -1.5]
    """

    # Whether `_update` handles complex numbers itself. If not, it gets them as pairs of real numbers.
    _takes_complex = False
    # The names of entries in a parameter's state that are tensors of one number.
    _scalar_state: tuple[str, ...] = ()
    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        self._patch_step_function()
        self._made_in = _C._capture_hook()  # a capture follows the steps of optimizers that are made in it
        if isinstance(params, Tensor):
            raise TypeError(
                f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type_name(params)}. Pass a list: [tensor]"
            )
        if callable(getattr(params, "parameters", None)):
            raise TypeError(f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {type_name(params)}. Pass module.parameters()")
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list. A generator such as module.parameters() gives its tensors once only: call it again")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        for name in (
            "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
        ):  # fmt: skip
            self.__dict__.setdefault(name, OrderedDict())

    # Copies and text ----------------------------------------------------------------------------------------------------------------
    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for option, value in self._added_options().items():
                group.setdefault(option, value)
            for parameter in group["params"]:
                self._numbers_to_tensors(self.state.get(parameter) or {}, group)

    def _added_options(self) -> dict[str, Any]:
        """Options that older checkpoints lack, with the values that give the older behaviour."""
        return {}

    def _numbers_to_tensors(self, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Older checkpoints store step counts and similar entries as Python numbers. Converts them to tensors."""
        for name in self._scalar_state:
            if name in state and not isinstance(state[name], Tensor):
                state[name] = _C.tensor(float(state[name]), dtype=scalar_dtype(group.get("fused")))

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for index, group in enumerate(self.param_groups):
            lines += [""] * (index > 0) + [f"Parameter Group {index}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])

    # Hooks --------------------------------------------------------------------------------------------------------------------------
    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps ``step`` so that it calls the hooks too. This is done for each subclass when its first instance is created."""

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            capture = _C._capture_hook()
            if capture is not None and self.__dict__.get("_made_in") is not capture:
                self._refuse_capture()
            for before in [*_before_every_step.values(), *self._optimizer_step_pre_hooks.values()]:
                changed = before(self, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
                args, kwargs = changed
            out = func(*args, **kwargs)
            for after in [*self._optimizer_step_post_hooks.values(), *_after_every_step.values()]:
                after(self, args, kwargs)
            return out

        return wrapper

    def _refuse_capture(self) -> NoReturn:
        raise RuntimeError(
            f"{type(self).__name__}.step() was called in a function that is captured. The optimizer is from outside of it: a graph would not count its "
            "steps. Run step() outside of the graph, or capture a function that takes the parameters and returns new ones: docs/how_to/train.md"
        )

    def _patch_step_function(self) -> None:
        kind: Any = type(self)
        if not getattr(kind.step, "hooked", None):
            kind.step = self.profile_hook_step(kind.step)
            kind.step.hooked = True

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` before each step. It may return new arguments of ``step``: ``(args, kwargs)``.

        >>> import monograph as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("before the step"))
        >>> optimizer.step()
        before the step
        >>> handle.remove()
        >>> optimizer.step()
        """
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` before ``state_dict`` reads the state. With ``prepend``, before the hooks that are there."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., StateDict | None], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` on what ``state_dict`` returns. It may change the dict, or return another."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., StateDict | None], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` before ``load_state_dict`` reads the dict. The hook may return another dict."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` after ``load_state_dict``."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # The state as a dict ------------------------------------------------------------------------------------------------------------
    def state_dict(self) -> StateDict:
        """The state as a dict that ``torch.save`` writes and ``load_state_dict``, also PyTorch's, reads.

        Returns:
            ``{"state": …, "param_groups": …}``. Parameters are numbered through all groups. ``state`` has an entry for each parameter that has been
            stepped, and ``param_groups`` has the options of each group and the numbers of its parameters. The tensors are the optimizer's own, not
            copies.

        >>> import monograph as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'momentum_buffer': tensor([1., 1.])}}
        """
        for before in self._optimizer_state_dict_pre_hooks.values():
            before(self)
        numbers: dict[int, int] = {}
        groups = []
        first = 0
        for group in self.param_groups:
            for index, parameter in enumerate(group["params"], first):
                numbers.setdefault(id(parameter), index)
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(parameter)] for parameter in group["params"]]
            groups.append(packed)
            first += len(group["params"])
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        made = {"state": state, "param_groups": groups}
        for after in self._optimizer_state_dict_post_hooks.values():
            changed = after(self, made)
            made = made if changed is None else changed
        return made

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[str, Any]], key: Any = None
    ) -> Tensor:
        """Converts a tensor of a loaded state to the parameter's dtype, if that is floating. The step count keeps its dtype."""
        group = next((g for g in param_groups if param_id in g["params"]), {})
        if key == "step":
            return value.to(dtype=_C._dtypes["float32"]) if group.get("capturable") or group.get("fused") else value
        return value.to(dtype=param.dtype, device=param.device) if param.is_floating_point() else value.to(device=param.device)

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Takes over the state and the options of a ``state_dict``, as PyTorch or Monograph made it. Parameters are matched by their order.

        Args:
            state_dict: what ``state_dict()`` returned. It is not changed, and tensors of another dtype than their parameter's are converted.

        Raises:
            ValueError: the number of groups, or of parameters in one of them, is another.

        >>> import monograph as torch
        >>> old = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.25)
        >>> new = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
        >>> new.load_state_dict(old.state_dict())
        >>> new.param_groups[0]["lr"]
        0.25
        """
        state_dict = state_dict.copy()
        for before in self._optimizer_load_state_dict_pre_hooks.values():
            changed = before(self, state_dict)
            state_dict = state_dict if changed is None else changed
        if "param_groups" not in state_dict:
            raise KeyError(
                f"load_state_dict: expected what optimizer.state_dict() gives, with the keys 'state' and 'param_groups', but got the keys {list(state_dict)[:5]}"
            )
        saved = copy.deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError(
                f"loaded state dict has a different number of parameter groups: expected {len(self.param_groups)}, got {len(saved)}"
            )
        for index, (mine, theirs) in enumerate(zip(self.param_groups, saved)):
            if len(mine["params"]) != len(theirs["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                    f"group {index} has {len(mine['params'])} parameters, the loaded one {len(theirs['params'])}"
                )
        parameters = {
            number: parameter
            for mine, theirs in zip(self.param_groups, saved)
            for number, parameter in zip(theirs["params"], mine["params"])
        }

        def converted(parameter: Tensor, number: int, value: Any, key: Any = None) -> Any:
            if isinstance(value, Tensor):
                return Optimizer._process_value_according_to_param_policy(parameter, value, number, state_dict["param_groups"], key)
            if isinstance(value, dict):
                return {k: converted(parameter, number, v, k) for k, v in value.items()}
            if isinstance(value, Iterable):
                kind: Any = type(value)
                return kind(converted(parameter, number, v) for v in value)
            return value

        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in parameters:
                state[parameters[key]] = converted(parameters[key], key, value)
            else:
                state[key] = value
        for mine, theirs in zip(self.param_groups, saved):
            theirs["params"] = mine["params"]
            if "param_names" in mine:
                theirs.setdefault("param_names", mine["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for after in self._optimizer_load_state_dict_post_hooks.values():
            after(self)

    # Groups and gradients -----------------------------------------------------------------------------------------------------------
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters, for example of layers that are trained from now on.

        Args:
            param_group: ``params``, a tensor or an iterable of tensors or of pairs (name, tensor), and options where they differ from ``defaults``.

        >>> import monograph as torch
        >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> optimizer.add_param_group({"params": torch.ones(1, requires_grad=True), "lr": 0.5})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.5]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        self._list_parameters(param_group)
        parameters = param_group["params"]
        for parameter in parameters:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type_name(parameter)}")
            if not self.defaults.get("differentiable") and not (parameter.is_leaf or getattr(parameter, "retains_grad", False)):
                raise ValueError("can't optimize a non-leaf Tensor: it was computed from others. Pass those, or x.detach().requires_grad_()")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(parameters) != len(set(parameters)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        there: set[Any] = set()
        for group in self.param_groups:
            there.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                which = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    f"all optimizer param groups should be with/without names. cannot add param group {which} to the optimizer"
                )
        if not there.isdisjoint(parameters):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    @staticmethod
    def _list_parameters(group: dict[str, Any]) -> None:
        """Makes group["params"] a list of tensors. If the parameters were given with names, group["param_names"] gets the names."""
        if "params" not in group:
            raise KeyError(f"a parameter group needs the key 'params', but it has the keys {sorted(group)}")
        given = group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. "
                "Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [entry[0] for entry in given if isinstance(entry, tuple)]
        group["params"] = [entry[1] if isinstance(entry, tuple) else entry for entry in given]
        if names and len(names) != len(given):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        if names:
            group["param_names"] = names

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters.

        Args:
            set_to_none: ``grad`` becomes None. With False, it becomes zeros in the same memory; ``step`` then still updates the parameter.

        >>> import monograph as torch
        >>> w = torch.ones(2, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w])
        >>> w.sum().backward()
        >>> optimizer.zero_grad()
        >>> print(w.grad)
        None
        """
        for group in self.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                grad.zero_()

    def step(self, closure: Any = None) -> Any:
        """Updates the parameters once, by their gradients.

        Args:
            closure: a function without arguments that computes the loss anew, with its gradients, and returns it.

        Returns:
            What ``closure`` returned, or None.
        """
        raise NotImplementedError(f"{type(self).__name__}: a subclass of Optimizer defines step()")

    # The loop that the optimizers of this package share -----------------------------------------------------------------------------
    def _step(self, closure: Callable[[], Any] | None) -> Any:
        """Calls _update for each parameter that has a gradient."""
        loss = None
        with set_grad_enabled(self.defaults.get("differentiable", False)):
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                if group.get("capturable") and any(parameter.grad is not None for parameter in group["params"]):
                    self._refuse_capturable()
                if group.get("foreach") and group.get("differentiable"):
                    raise AssertionError("_foreach ops don't support autograd: use foreach=False with differentiable=True")
                maximize = group.get("maximize", False)
                for parameter in group["params"]:
                    grad = parameter.grad
                    if grad is not None:
                        self._update_one(parameter, -grad if maximize else grad, group)
        return loss

    def _update_one(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        if group.get("fused") and not param.is_floating_point():
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: ['cpu'] "
                f"but {param.dtype} and {param.device.type}"
            )
        state = self._state_of(param, grad, group)
        if param.is_complex() and not self._takes_complex:
            param, grad = _VF.view_as_real(param), _VF.view_as_real(grad)
            state = {name: _VF.view_as_real(v) if isinstance(v, Tensor) and v.is_complex() else v for name, v in state.items()}
        self._update(param, grad, state, group)

    def _state_of(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state: dict[str, Any] = self.state[param]
        if not state:
            self._start(state, param, grad, group)
        return state

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """Fills the state of a parameter before its first step."""

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Steps one parameter. `grad` is negated already where the group says `maximize`."""
        raise NotImplementedError

    def _refuse_capturable(self) -> NoReturn:
        raise AssertionError(
            f"{type(self).__name__}.step: If capturable=True, params and state_steps must be on supported devices: ['cuda', 'xpu', 'hpu', 'xla']. "
            "Monograph runs on the CPU: use capturable=False"
        )


def new_step(group: dict[str, Any]) -> Tensor:
    """The step count of a parameter that has not been stepped."""
    return _VF.zeros([], dtype=scalar_dtype(group.get("fused")))


def next_step(state: dict[str, Any], as_tensor: bool = False) -> Any:
    """Counts a step. The count is a Python number, or the tensor itself where gradients flow through the step."""
    state["step"].add_(1)
    return state["step"] if as_tensor else state["step"].item()


def decayed(grad: Tensor, param: Tensor, weight_decay: Any) -> Tensor:
    """The gradient of the loss with its penalty, weight_decay / 2 times the squared norm of the parameters."""
    return grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad


# Of PyTorch, for optimizers of other packages, which import them.
_foreach_supported_types = [Tensor, Parameter]


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A step that is recorded for gradients where the optimizer is differentiable, and not elsewhere."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(self.defaults["differentiable"])):
            return func(self, *args, **kwargs)

    return step


def _default_to_fused_or_foreach(params: list[Any], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether a step is fused, and whether it goes over lists. Fused steps are there for the CPU, and PyTorch's lists by default only on other devices."""
    if differentiable:
        return False, False
    known = all(p is None or (type(p) in _foreach_supported_types and p.device.type == "cpu" and p.is_floating_point()) for p in params)
    fused = use_fused and known
    return fused, not fused and all(p is None for p in params)


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The devices whose steps PyTorch can capture."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _get_value(x: Any) -> Any:
    """The number in a tensor that lies on the CPU; a number as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _get_scalar_dtype(is_fused: bool | None = None) -> _C.dtype:
    """The dtype of a counter of steps."""
    return _C._dtypes["float64" if not is_fused and _C._get_default_dtype() == _C._dtypes["float64"] else "float32"]


def _stack_if_compiling(x: list[Any]) -> Any:
    return x


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Puts the real view of each complex tensor in its place."""
    for k, p in enumerate(params):
        if p.is_complex():
            params[k] = _VF.view_as_real(p)
            for tensors in state_and_grads:
                tensors[k] = _VF.view_as_real(tensors[k])


def _to_scalar(x: Any) -> Any:
    """A tensor of one element without dims; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _disable_dynamo_if_unsupported(single_tensor_fn: Callable[..., Any] | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda func: func
