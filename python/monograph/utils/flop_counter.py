"""torch.utils.flop_counter: counts the floating point operations of products and convolutions, by module."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from .._ops import ops
from .._tensor import Tensor
from . import _pytree
from ._python_dispatch import TorchDispatchMode
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]


def get_shape(i: Any) -> Any:
    """The shape of a tensor; anything else as it is."""
    return i.shape if isinstance(i, Tensor) else i


def shape_wrapper(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of shapes as one of tensors. It gets the shape of the result as out_shape."""

    @functools.wraps(f)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> Any:
        args, kwargs, out_shape = _pytree.tree_map(get_shape, (args, kwargs, out_val))
        return f(*args, out_shape=out_shape, **kwargs)

    return of_tensors


flop_registry: dict[Any, Callable[..., Any]] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As a decorator: FlopCounterMode counts an operator by this function of its arguments.

    targets: an operator of torch.ops, or a list of them. get_raw: the function gets the tensors and out_val; else their shapes and out_shape.

    >>> import monograph as torch
    >>> from monograph.utils.flop_counter import FlopCounterMode, register_flop_formula
    >>> @register_flop_formula(torch.ops.aten.exp)
    ... def exp_flop(shape, out_shape=None):
    ...     return shape.numel()
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.ones(2, 3).exp()
    >>> counter.get_total_flops()
    6
    """

    def register(formula: Callable[..., Any]) -> Callable[..., Any]:
        count = formula if get_raw else shape_wrapper(formula)
        for target in targets if isinstance(targets, Iterable) else [targets]:
            if not hasattr(target, "overloads"):
                raise ValueError(f"register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. torch.ops.mylib.foo), got {target} which is of type {type(target)}")
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = count
        return count

    return register


def _of_contraction(per_input: bool, last_dim: bool, argument: int) -> Callable[..., int]:
    """Two operations, a product and a sum, for each term (Contraction in src/ops/record.h) of each element of the result, or of the input."""

    def count(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        sizes = args[argument].shape
        return int(2 * (args[0] if per_input else out_val).numel() * (sizes[-1] if last_dim else math.prod(sizes[1:])))

    return count


def _register_records() -> None:
    for name in dir(ops.aten):
        packet = getattr(ops.aten, name)
        known = [f["contracts"] for f in packet._facts if f["contracts"]]
        if known:
            # A transposed convolution adds its window for each element of the input.
            transposed = any(a.name == "output_padding" for a in packet._schemas[0].arguments)
            flop_registry[packet] = _of_contraction(transposed, *known[0])


@register_flop_formula(ops.aten.conv2d_weight_backward)
def conv_weight_flop(grad_shape: Any, input_shape: Any, *args: Any, out_shape: Any = None) -> int:
    """The operations of the gradient of a convolution's weight: as many as of the convolution."""
    return int(2 * math.prod(grad_shape) * math.prod(out_shape[1:]))


_register_records()
suffixes = ["", "K", "M", "B", "T"]


def get_suffix_str(number: int) -> str:
    """The suffix in which a number has one to four digits before its point."""
    return suffixes[max(0, min(len(suffixes) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number: int, suffix: str) -> str:
    return f"{number / 1000 ** suffixes.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num: int, denom: int) -> str:
    return "0%" if denom == 0 else f"{num / denom:.2%}"


class FlopCounterMode:
    """A context that counts the floating point operations of matrix products, convolutions and attention, in forward and backward passes, by module.

    depth: how deep the modules of the printed table may stand. display: whether the table is printed at the end; it needs the package tabulate.
    custom_mapping: formulas by operators, beside those of register_flop_formula.

    >>> from monograph.utils.flop_counter import FlopCounterMode
    >>> counter = FlopCounterMode(display=False)
    >>> with counter:
    ...     y = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None):
        if mods is not None:
            import warnings

            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        custom = {k: v if getattr(v, "_get_raw", False) else shape_wrapper(v) for k, v in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **custom}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """For each module, the operations by operator. The module "Global" has all."""
        return {k: dict(v) for k, v in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table. It needs the package tabulate."""
        import tabulate  # type: ignore[import-untyped]

        tabulate.PRESERVE_WHITESPACE = True
        deepest = self.depth if depth is None else depth
        total = self.get_total_flops()
        suffix = get_suffix_str(total)

        def rows_of(name: str, indent: int) -> list[list[str]]:
            counts = {name: sum(self.flop_counts[name].values()), **{f" - {k}": v for k, v in self.flop_counts[name].items()}}
            return [[" " * indent + k, convert_num_with_suffix(v, suffix), convert_to_percent_str(v, total)] for k, v in counts.items()]

        names = [n for n in sorted(self.flop_counts) if n != "Global"]
        shown = [n for n in names if deepest is None or n.count(".") + 1 <= deepest]
        rows = [row for n in shown for row in rows_of(n, n.count("."))]
        has_all = any(sum(self.flop_counts[n].values()) >= total for n in shown)
        if "Global" in self.flop_counts and not has_all:
            rows = rows_of("Global", 0) + [[" " + row[0], *row[1:]] for row in rows]
        return str(tabulate.tabulate(rows or [["Global", "0", "0%"]], headers=["Module", "FLOP", "% Total"], colalign=("left", "right", "right")))

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.mode.__exit__(*exc)
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _count_flops(self, func_packet: Any, out: Any, args: Any, kwargs: Any) -> Any:
        if func_packet in self.flop_registry:
            count = self.flop_registry[func_packet](*args, **kwargs, out_val=out)
            for parent in self.mod_tracker.parents:
                self.flop_counts[parent][func_packet] += count
        return out


class _Counting(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode):
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        return self.counter._count_flops(func._overloadpacket, out, args, kwargs or {})
