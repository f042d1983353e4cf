"""Layers that learn a size of their input from the first call: until then their weights are UninitializedParameter."""

from __future__ import annotations

import sys
import warnings
from typing import Any, ClassVar

from ... import _C
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Linear
from .module import Module

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
    "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear", "LazyModuleMixin",
]  # fmt: skip


class LazyModuleMixin:
    """For a layer of your own that learns sizes from its first input: the first base of its class.

    Its __init__ makes UninitializedParameter and UninitializedBuffer. initialize_parameters(input) calls materialize(size) of each. It runs before the first
    call. Then the layer becomes one of the class cls_to_become, if that is not None.
    """

    cls_to_become: ClassVar[type[Module] | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._watch()
        warnings.warn(
            "Lazy modules are a new feature under heavy development so changes to the API or functionality can happen at any moment.", stacklevel=3
        )

    def _watch(self: Any) -> None:
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        persistent = {name: b for name, b in self._buffers.items() if name not in self._non_persistent_buffers_set}
        for name, value in {**self._parameters, **persistent}.items():
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *others: Any) -> None:
        """Gives weights that wait for their size that of the state dict."""
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                with no_grad():
                    value.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives the weights their sizes, by the first input."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer waits for its size."""
        return any(is_lazy(value) for value in [*self._parameters.values(), *self._buffers.values()])

    def _infer_parameters(self: Any, module: Any, args: Any, kwargs: Any = None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def __deepcopy__(self: Any, memo: Any) -> Any:
        """A copy has hooks of its own."""
        import copy

        cls: Any = type(self)
        made = cls.__new__(cls)
        memo[id(self)] = made
        hooks = ("_load_hook", "_initialize_hook")
        made.__dict__.update({name: copy.deepcopy(value, memo) for name, value in self.__dict__.items() if name not in hooks})
        if "_load_hook" in self.__dict__:
            made._load_state_dict_pre_hooks.pop(self._load_hook.id, None)
            made._forward_pre_hooks.pop(self._initialize_hook.id, None)
            made._forward_pre_hooks_with_kwargs.pop(self._initialize_hook.id, None)
            made._watch()
        return made


class _LazyLayer(LazyModuleMixin):
    """A lazy layer of the library. reset_parameters waits for the size too."""

    def reset_parameters(self: Any) -> None:
        if not self.has_uninitialized_params() and self._known():
            super().reset_parameters()  # type: ignore[misc]

    def _known(self) -> bool:
        raise NotImplementedError


class LazyLinear(_LazyLayer, Linear):
    """A Linear layer whose in_features is the last size of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyLinear(2)
    >>> layer(torch.ones(1, 3)).shape, layer
    (torch.Size([1, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self.weight: Any = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias: Any = UninitializedParameter(device=device, dtype=dtype)

    def _known(self) -> bool:
        return self.in_features != 0

    def initialize_parameters(self, input: Tensor) -> None:
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from self.weight: {self.weight.shape[-1]}")
            self.in_features = input.shape[-1]


class _LazyConv(_LazyLayer):
    """What lazy convolutions share: their in_channels is the number of channels of the first input."""

    def _make_lazy(self: Any, out_channels: int, bias: bool, options: dict[str, Any]) -> None:
        self.out_channels = out_channels
        self.weight = UninitializedParameter(**options)
        if bias:
            self.bias = UninitializedParameter(**options)

    def _known(self: Any) -> bool:
        return bool(self.in_channels != 0)

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        if not self.has_uninitialized_params():
            return
        rank = self.dims + 1
        if input.dim() not in (rank, rank + 1):
            raise RuntimeError(f"Expected {rank}D (unbatched) or {rank + 1}D (batched) input to {type(self).__name__}, but got input of size: {input.shape}")
        self.in_channels = input.shape[-rank]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        with no_grad():
            self.weight.materialize(self._weight_size())
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class _LazyForwardConv(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make_lazy(out_channels, bias, {"device": device, "dtype": dtype})


class _LazyTransposedConv(_LazyConv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        self._make_lazy(out_channels, bias, {"device": device, "dtype": dtype})


class LazyConv1d(_LazyForwardConv, Conv1d):
    """A Conv1d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConv1d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4))
    >>> layer
    Conv1d(3, 2, kernel_size=(2,), stride=(1,))
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyForwardConv, Conv2d):
    """A Conv2d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConv2d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4, 4))
    >>> layer
    Conv2d(3, 2, kernel_size=(2, 2), stride=(1, 1))
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyForwardConv, Conv3d):
    """A Conv3d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConv3d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4, 4, 4))
    >>> layer
    Conv3d(3, 2, kernel_size=(2, 2, 2), stride=(1, 1, 1))
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyTransposedConv, ConvTranspose1d):
    """A ConvTranspose1d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConvTranspose1d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4))
    >>> layer
    ConvTranspose1d(3, 2, kernel_size=(2,), stride=(1,))
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposedConv, ConvTranspose2d):
    """A ConvTranspose2d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConvTranspose2d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4, 4))
    >>> layer
    ConvTranspose2d(3, 2, kernel_size=(2, 2), stride=(1, 1))
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposedConv, ConvTranspose3d):
    """A ConvTranspose3d whose in_channels is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyConvTranspose3d(2, 2)
    >>> _ = layer(torch.ones(1, 3, 4, 4, 4))
    >>> layer
    ConvTranspose3d(3, 2, kernel_size=(2, 2, 2), stride=(1, 1, 1))
    """

    cls_to_become = ConvTranspose3d


class _LazyNorm(_LazyLayer):
    """What lazy norms share: their num_features is the number of channels of the first input."""

    def __init__(
        self, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        made: Any = self
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        made.affine, made.track_running_stats = affine, track_running_stats
        if affine:
            made.weight = UninitializedParameter(**options)
            if bias:
                made.bias = UninitializedParameter(**options)
        if track_running_stats:
            made.running_mean, made.running_var = UninitializedBuffer(**options), UninitializedBuffer(**options)
            made.num_batches_tracked = _C.tensor(0, device=device) if device is not None else _C.tensor(0)

    def _known(self: Any) -> bool:
        return bool(self.num_features != 0)

    def initialize_parameters(self: Any, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        with no_grad():
            for value in (self.weight, self.bias, self.running_mean, self.running_var):
                if is_lazy(value):
                    value.materialize((self.num_features,))
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A BatchNorm1d whose num_features is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyBatchNorm1d()
    >>> _ = layer(torch.ones(2, 3, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A BatchNorm2d whose num_features is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyBatchNorm2d()
    >>> _ = layer(torch.ones(2, 3, 4, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A BatchNorm3d whose num_features is the number of channels of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyBatchNorm3d()
    >>> _ = layer(torch.ones(2, 3, 4, 4, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """An InstanceNorm1d whose num_features is the second size of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyInstanceNorm1d()
    >>> _ = layer(torch.ones(2, 3, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """An InstanceNorm2d whose num_features is the second size of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyInstanceNorm2d()
    >>> _ = layer(torch.ones(2, 3, 4, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """An InstanceNorm3d whose num_features is the second size of its first input.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> layer = nn.LazyInstanceNorm3d()
    >>> _ = layer(torch.ones(2, 3, 4, 4, 4))
    >>> layer.num_features
    3
    """

    cls_to_become = InstanceNorm3d


# Each stands where PyTorch's does, beside the layer that it becomes: pickles and what goes between the libraries look it up there.
for _kind in [kind for name, kind in vars().copy().items() if name in __all__ and issubclass(kind, _LazyLayer)]:
    _kind.__module__ = next(base.__module__ for base in _kind.__mro__ if base.__module__ != __name__)
    setattr(sys.modules[_kind.__module__], _kind.__name__, _kind)
