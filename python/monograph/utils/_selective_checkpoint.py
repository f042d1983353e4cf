"""Selective checkpoints: which operators of a checkpointed function keep their results for the backward pass."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .._ops import OpOverload, OpOverloadPacket, ops
from .._tensor import Tensor
from . import _pytree
from ._python_dispatch import TorchDispatchMode


class CheckpointPolicy(enum.Enum):
    """What a policy says of an operator's result: it is kept, or computed again. What is only preferred is done, too.

    >>> from monograph.utils.checkpoint import CheckpointPolicy
    >>> CheckpointPolicy.MUST_SAVE.name
    'MUST_SAVE'
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4  # results are in the CPU's memory already
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy gets first. is_recompute: whether the function is called for the second time."""

    def __init__(self, *, is_recompute: bool):
        self.is_recompute = is_recompute


SAC_IGNORED_OPS = {ops.aten.detach.default}
_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)


class _Kept:
    """A result that waits for the second call. A tensor must not be written meanwhile."""

    def __init__(self, value: Any):
        self.value = value.detach() if isinstance(value, Tensor) else value
        self.version = value._version if isinstance(value, Tensor) else None

    def get(self, may_change: bool) -> Any:
        if self.version is not None and self.value._version != self.version and not may_change:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


class _Selecting(TorchDispatchMode):
    def __init__(self, policy: Callable[..., Any], kept: dict[Any, list[Any]], is_recompute: bool, may_change: bool):
        super().__init__()
        self.policy, self.kept, self.context, self.may_change = policy, kept, SelectiveCheckpointContext(is_recompute=is_recompute), may_change

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        answer = self.policy(self.context, func, *args, **kwargs)
        keeps = answer if isinstance(answer, bool) else answer in _KEPT
        if not keeps:
            return func(*args, **kwargs)
        if not self.context.is_recompute:
            out = func(*args, **kwargs)
            self.kept[func].append(_pytree.tree_map(_Kept, out))
            return out
        if func not in self.kept:
            raise RuntimeError(f"{func} encountered during backward, but not found in storage")
        if not self.kept[func]:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective activation checkpoint."
            )
        return _pytree.tree_map(lambda k: k.get(self.may_change), self.kept[func].pop(0))


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The two contexts of a ``context_fn`` of ``checkpoint`` that keeps the results of some operators, and computes the others again.

    Args:
        policy_fn_or_list: the operators whose results are kept, as torch.ops.aten.mm.default; or a function (context, operator, \\*args, \\*\\*kwargs) that
            returns a CheckpointPolicy. The operators are those of Monograph's records: F.linear is aten.linear.
        allow_cache_entry_mutation: False raises RuntimeError where a kept tensor was written before it is read.

    >>> import functools, monograph as torch
    >>> from monograph.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> checkpoint(lambda x: (x @ x).sin().sum(), x, use_reentrant=False, context_fn=keep).backward()
    >>> x.grad.shape
    torch.Size([2, 2])
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                way = f" Write one of its overloads, such as {op}.{op.overloads()[0]}." if isinstance(op, OpOverloadPacket) else ""
                raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}.{way}")

        def policy(context: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in policy_fn_or_list else CheckpointPolicy.PREFER_RECOMPUTE

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    kept: dict[Any, list[Any]] = defaultdict(list)
    return _Selecting(policy, kept, False, False), _Selecting(policy, kept, True, allow_cache_entry_mutation)
