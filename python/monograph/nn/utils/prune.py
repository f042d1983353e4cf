"""torch.nn.utils.prune: parameters of which a mask sets some elements to zero.

A pruned parameter NAME becomes the parameter NAME_orig and the buffer NAME_mask. NAME is their product, computed before each call of the module.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from ... import _C, _VF
from ..._package import package
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer", "RandomStructured", "RandomUnstructured",
    "custom_from_mask", "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


def _check_scores(scores: Any, like: Any, what: str) -> Any:
    """The scores of the elements; the elements themselves where there are none."""
    if scores is None:
        return like
    if scores.shape != like.shape:
        raise AssertionError(f"importance_scores should have the same shape as {what}, got {scores.shape} vs {like.shape}")
    return scores


class BasePruningMethod(ABC):
    """A way to choose elements. A subclass has compute_mask(t, default_mask) and PRUNING_TYPE: "unstructured", "structured" or "global"."""

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for a tensor that default_mask masks already: 1 where an element stays, 0 where it goes."""

    def apply_mask(self, module: Any) -> Any:
        """The masked parameter of the module."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = getattr(module, self._tensor_name + "_mask"), getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def _for(cls, module: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The method for this parameter: a new one, or a container of it and of what pruned the parameter before, which leaves the module's hooks."""
        hooks = module._forward_pre_hooks
        before = [k for k, hook in hooks.items() if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
        if len(before) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer.")
        old = hooks.pop(before[0]) if before else None
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if old is None:
            return method
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prunes the parameter of this name; the method as it stands among the module's hooks. args, kwargs: of the method's class."""
        method = cls._for(module, name, args, kwargs)
        original = getattr(module, name)
        scores = _check_scores(importance_scores, original, f"parameter {name} of {module}")
        is_first = not isinstance(method, PruningContainer)
        if is_first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = _VF.ones_like(original)
        else:
            mask = getattr(module, name + "_mask").detach().clone(memory_format=_C.contiguous_format)
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if is_first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """The tensor with the mask on it, which is not kept."""
        scores = _check_scores(importance_scores, t, "tensor t")
        return t * self.compute_mask(scores, default_mask=_VF.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Makes the masked parameter an ordinary one again: its zeros stay."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        masked = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = masked.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter. The last one chooses among the elements that are left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Adds a method for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        places = _left(method, t, default_mask)
        mask[places] = method.compute_mask(t[places], default_mask=default_mask[places]).to(dtype=mask.dtype)
        return mask


def _left(method: Any, t: Any, mask: Any) -> Any:
    """The index of what this method may choose from: elements, or channels, that the mask leaves."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    dims = t.dim()
    index: list[Any] = [slice(None)] * dims
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
        dim = method.dim + dims if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {dims}")
        index[dim] = mask.sum(dim=[d for d in range(dims) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(index)


class Identity(BasePruningMethod):
    """Prunes nothing: the parameter gets a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Prunes the elements with the least scores: `amount` of them, or this part of all."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def places(self, t: Any, count: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        count = _compute_nparams_toprune(self.amount, t.nelement())
        _validate_pruning_amount(count, t.nelement())
        mask = default_mask.clone(memory_format=_C.contiguous_format)
        if count != 0:
            mask.view(-1)[self.places(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements by chance. amount: how many, or a part between 0.0 and 1.0."""

    def places(self, t: Any, count: int) -> Any:
        return _VF.topk(_VF.rand_like(t).view(-1), k=count)[1]

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the least absolute values. amount: how many, or a part between 0.0 and 1.0."""

    def places(self, t: Any, count: int) -> Any:
        return _VF.topk(_VF.abs(t).view(-1), k=count, largest=False)[1]

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Prunes whole channels: `amount` of those along `dim`, or this part of them."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def kept(self, t: Any, channels: int, count: int) -> Any:
        """The index along `dim` of the channels that stay."""
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        channels = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, channels)
        _validate_pruning_amount(count, channels)
        kept = self.kept(t, channels, count)
        if count == 0:
            return default_mask
        mask = _VF.zeros_like(t)
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = kept
        mask[tuple(index)] = 1
        return mask.mul_(default_mask.to(dtype=mask.dtype))


class RandomStructured(_Structured):
    """Prunes channels by chance. amount: how many, or a part between 0.0 and 1.0. dim: along which the channels lie."""

    def kept(self, t: Any, channels: int, count: int) -> Any:
        if count == 0:
            return slice(None)
        drawn = _VF.rand(channels)
        return drawn > _VF.kthvalue(drawn, k=count)[0]

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, dim: int = -1) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels with the least norms of order `n`. amount: how many, or a part between 0.0 and 1.0. dim: along which the channels lie."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def kept(self, t: Any, channels: int, count: int) -> Any:
        return _VF.topk(_compute_norm(t, self.n, self.dim), k=channels - count, largest=True)[1]

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> Any:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


def identity(module: Any, name: str) -> Any:
    """Gives the parameter a mask of ones; the module.

    >>> sorted(n for n, _ in torch.nn.utils.prune.identity(torch.nn.Linear(2, 1), "bias").named_parameters())
    ['bias_orig', 'weight']
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prunes elements of the parameter by chance; the module. amount: how many, or a part between 0.0 and 1.0.

    >>> layer = torch.nn.utils.prune.random_unstructured(torch.nn.Linear(4, 2), "weight", amount=3)
    >>> layer.weight_mask.sum()
    tensor(5.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Prunes the elements with the least absolute values, or with the least of `importance_scores`; the module. amount: how many, or a part between 0.0 and 1.0.

    >>> layer = torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(4, 2), "weight", amount=0.5)
    >>> (layer.weight == 0).sum()
    tensor(4)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prunes channels along `dim` by chance; the module. amount: how many, or a part between 0.0 and 1.0.

    >>> layer = torch.nn.utils.prune.random_structured(torch.nn.Linear(4, 2), "weight", amount=1, dim=0)
    >>> layer.weight_mask.sum()
    tensor(4.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Prunes the channels along `dim` with the least norms of order `n`; the module. amount: how many, or a part between 0.0 and 1.0.

    >>> layer = torch.nn.utils.prune.ln_structured(torch.nn.Linear(4, 2), "weight", amount=0.25, n=2, dim=1)
    >>> layer.weight_mask.sum()
    tensor(6.)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prunes several parameters as one. parameters: pairs of a module and a name. pruning_method: a class of PRUNING_TYPE "unstructured", and `kwargs` its
    arguments. importance_scores: by such a pair, scores in place of the elements.

    >>> a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    >>> prune = torch.nn.utils.prune
    >>> prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=5)
    >>> a.weight_mask.sum() + b.weight_mask.sum()
    tensor(3.)
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = list(parameters)
    all_scores = parameters_to_vector([scores.get((module, name), getattr(module, name)) for module, name in pairs])
    all_masks = parameters_to_vector([getattr(module, name + "_mask", _VF.ones_like(getattr(module, name))) for module, name in pairs])
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type {method.PRUNING_TYPE}')
    mask = PruningContainer(method).compute_mask(all_scores, all_masks)
    at = 0
    for module, name in pairs:
        parameter = getattr(module, name)
        custom_from_mask(module, name, mask=mask[at : at + parameter.numel()].view_as(parameter))
        at += parameter.numel()


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prunes the parameter by this mask; the module.

    >>> torch.nn.utils.prune.custom_from_mask(torch.nn.Linear(2, 1), "bias", torch.tensor([0])).bias == 0
    tensor([True])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """Makes the pruned parameter an ordinary one, with its zeros; the module. Raises ValueError if it is not pruned.

    >>> layer = torch.nn.utils.prune.identity(torch.nn.Linear(2, 1), "bias")
    >>> sorted(n for n, _ in torch.nn.utils.prune.remove(layer, "bias").named_parameters())
    ['bias', 'weight']
    """
    for k, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module, or of a module in it, is pruned.

    >>> torch.nn.utils.prune.is_pruned(torch.nn.Linear(2, 1))
    False
    """
    return any(isinstance(hook, BasePruningMethod) for _, part in module.named_modules() for hook in part._forward_pre_hooks.values())


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if float(amount) < 0 or (not isinstance(amount, numbers.Integral) and float(amount) > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t: Any) -> None:
    if t.dim() <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with {t.dim()} dims"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Any, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Any, n: Any, dim: int) -> Any:
    """The norm of each channel along `dim`."""
    dims = list(range(t.dim()))
    del dims[dim]
    return package().norm(t, p=n, dim=dims)


