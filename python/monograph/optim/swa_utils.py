"""torch.optim.swa_utils: averages of a model's weights over the training."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal

from .. import _C
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler import LRScheduler, _each_group
from .optimizer import Optimizer

__all__ = ["AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn"]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _interpolates(x: Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A ``multi_avg_fn`` of ``AveragedModel``: the exponential moving average ``decay * average + (1 - decay) * weights``.

    Raises:
        ValueError: ``decay`` is not between 0 and 1.

    >>> import monograph as torch
    >>> average = torch.zeros(2)
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)([average], [torch.ones(2)], 1)
    >>> average
    tensor([0.2500, 0.2500])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        for average, now in zip(ema_param_list, current_param_list, strict=True):
            if _interpolates(ema_param_list[0]):
                average.lerp_(now, 1 - decay)
            else:
                average.copy_(average * decay + now * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A ``multi_avg_fn`` of ``AveragedModel``: the mean of all weights that were given, each as much.

    >>> import monograph as torch
    >>> average = torch.zeros(2)
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()([average], [torch.ones(2)], 3)
    >>> average
    tensor([0.2500, 0.2500])
    """

    @no_grad()
    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        for average, now in zip(averaged_param_list, current_param_list, strict=True):
            if _interpolates(averaged_param_list[0]):
                average.lerp_(now, 1 / (num_averaged + 1))
            elif isinstance(num_averaged, Tensor):
                average.addcdiv_(now - average, num_averaged + 1)
            else:
                average.add_(now - average, alpha=1.0 / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """An ``avg_fn`` of ``AveragedModel``: the exponential moving average ``decay * average + (1 - decay) * weights``.

    Raises:
        ValueError: ``decay`` is not between 0 and 1.

    >>> import monograph as torch
    >>> torch.optim.swa_utils.get_ema_avg_fn(0.75)(torch.zeros(2), torch.ones(2), 1)
    tensor([0.2500, 0.2500])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """An ``avg_fn`` of ``AveragedModel``: the mean of all weights that were given, each as much.

    >>> import monograph as torch
    >>> torch.optim.swa_utils.get_swa_avg_fn()(torch.zeros(2), torch.ones(2), 3)
    tensor([0.2500, 0.2500])
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose weights are an average of the model's during training. The copy is called as the model is.

    Args:
        model: the model. It is copied.
        device: where the copy lies.
        avg_fn: ``avg_fn(average, weights, count)`` returns the new average of one tensor. None: the mean.
        multi_avg_fn: ``multi_avg_fn(averages, weights, count)`` changes the averages in place, all tensors of one dtype in one call.
        use_buffers: averages the buffers too. Otherwise they are the model's last ones.

    Raises:
        AssertionError: both functions are given.

    >>> import monograph as torch
    >>> net = torch.nn.Linear(1, 1, bias=False)
    >>> averaged = torch.optim.swa_utils.AveragedModel(net)
    >>> for value in (1.0, 2.0, 6.0):
    ...     with torch.no_grad():
    ...         net.weight[:] = value
    ...     averaged.update_parameters(net)
    >>> averaged(torch.ones(1)).item()
    3.0
    """

    n_averaged: Tensor
    module: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _C.tensor(0, dtype=_C._dtypes["int64"], device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]

    def update_parameters(self, model: Module) -> None:
        """Adds the model's present weights to the average. The first call copies them."""
        pairs = [(a.detach(), w.detach().to(a.device)) for a, w in zip(self._averaged(self.module), self._averaged(model))]
        if bool(self.n_averaged == 0):
            for average, now in pairs:
                average.copy_(now)
        elif self.multi_avg_fn is not None:
            kinds: dict[Any, list[tuple[Tensor, Tensor]]] = {}
            for average, now in pairs:
                kinds.setdefault((average.device, average.dtype), []).append((average, now))
            for kind in kinds.values():
                self.multi_avg_fn([average for average, _ in kind], [now for _, now in kind], self.n_averaged)
        else:
            function = self.avg_fn or get_swa_avg_fn()
            for average, now in pairs:
                average.copy_(function(average, now, self.n_averaged))
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach().to(mine.device))
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Computes the running means and variances of batch norm layers anew, as of averaged weights: runs the model in training mode over all batches.

    Args:
        loader: batches. Of a tuple or list, the first entry is the model's input.
        model: the model. It is in training mode meanwhile.
        device: where batches are put.

    >>> import monograph as torch
    >>> net = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.0], [3.0]]), torch.tensor([[3.0], [5.0]])], net)
    >>> net.running_mean
    tensor([3.])
    """
    momenta: dict[Any, Any] = {}
    for layer in model.modules():
        if isinstance(layer, _BatchNorm):
            layer.reset_running_stats()
            momenta[layer] = layer.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for layer in momenta:
        layer.momentum = None  # the mean over all batches
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch if device is None else batch.to(device))
    for layer, momentum in momenta.items():
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Goes from the present rate to a constant one, at which weights are averaged.

    Args:
        optimizer, last_epoch: as of ``LRScheduler``.
        swa_lr: the constant rate, or a list of one for each group.
        anneal_epochs: how many steps the way takes.
        anneal_strategy: "cos" or "linear".

    Raises:
        ValueError: ``anneal_epochs`` is negative or no int, or ``anneal_strategy`` is unknown.

    >>> import monograph as torch
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> optimizer.step(); schedule.step(); schedule.get_last_lr()
    [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t: float) -> float:
        """The weight of the new rate at the fraction t of the annealing."""
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def _share(self, step: float) -> float:
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list[Any]:
        self._warn_outside_of_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            first = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * now + first * (1 - now))
        return rates
