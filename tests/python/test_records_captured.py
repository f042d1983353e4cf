"""Every operator with samples, captured on one of them and run on tensors of other sizes: the call alone, and its gradient. The capture gives what the function gives, or raises
an error. Guards on sizes are counted, and the operators that have them are listed with the reason."""

from __future__ import annotations

import collections
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import monograph as torch
import numpy as np
import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "ops"
CASES_OF_EACH = 3

# The result's structure, or the steps on the way to it, depend on the sizes: a capture holds for those of its example.
LENGTHS = "a list of as many tensors as a size says"
DIMS = "sizes of 1 decide how many dims there are"
MATRICES = "the steps depend on which of two sizes of a matrix is larger"
BROADCAST = "which of two sizes is 1 decides what broadcasts"
KERNEL = "as many steps as the kernel is deep"
GUARDED = {
    "tensor_split.tensor_indices_or_sections": LENGTHS,
    "split.Tensor": LENGTHS,
    "chunk": LENGTHS,
    "segment_reduce": "the gradient counts the elements of the segments as those of the example",
    "unbind.int": LENGTHS,
    "unbind_copy.int": LENGTHS,
    "unsafe_split.Tensor": LENGTHS,
    "unsafe_chunk": LENGTHS,
    "split_copy.Tensor": LENGTHS,
    "squeeze": DIMS,
    "squeeze_copy": DIMS,
    "squeeze.dim": DIMS,
    "squeeze_copy.dim": DIMS,
    "squeeze.dims": DIMS,
    "squeeze_copy.dims": DIMS,
    "cross": "without dim=, the first dim of size 3 is the one",
    "cov": DIMS,
    "corrcoef": DIMS,
    "linalg_lu_factor_ex": MATRICES,
    "linalg_lu_factor": MATRICES,
    "_lu_with_info": MATRICES,
    "lu_unpack": MATRICES,
    "linalg_lu": MATRICES,
    "linalg_qr": MATRICES,
    "qr": MATRICES,
    "linalg_householder_product": MATRICES,
    "orgqr": MATRICES,
    "ormqr": MATRICES,
    "linalg_lstsq": MATRICES,
    "conv3d": KERNEL,
    "conv3d.padding": KERNEL,
    "conv_transpose3d.input": KERNEL,
    "take_along_dim": BROADCAST,
    "instance_norm": "group_norm takes its number of groups, here of channels, as a number",
}
# Their gradients depend on strides, which no capture knows; the error says so.
NOT_CAPTURED = {"as_strided", "as_strided_copy", "as_strided_scatter"}


def decoded(v: Any) -> Any:
    if isinstance(v, list):
        return [decoded(x) for x in v]
    if not isinstance(v, dict):
        return v
    if "t" in v:
        elements = np.frombuffer(bytes.fromhex(v["x"]), dtype=np.dtype(v["t"])).copy()
        if not elements.size:
            return torch.zeros(v["s"], dtype=getattr(torch, v["t"]))
        return torch.as_strided(torch.from_numpy(elements), v["s"], v["st"], v["o"]).clone()
    if "d" in v:
        return getattr(torch, v["d"])
    if "c" in v:
        return torch.device(v["c"])
    if "m" in v:
        return [torch.contiguous_format, torch.preserve_format, torch.channels_last][v["m"]]
    return float(v["f"]) if "f" in v else complex(*v["z"])


def has_numpy_dtypes(v: Any) -> bool:
    if isinstance(v, list):
        return all(has_numpy_dtypes(x) for x in v)
    return not isinstance(v, dict) or v.get("t") not in ("bfloat16", "float16")


def flat(v: Any) -> list[Any]:
    return [x for part in v for x in flat(part)] if isinstance(v, (list, tuple)) else [v]


def with_tensors(args: list[Any], tensors: Iterator[Any]) -> list[Any]:
    return [with_tensors(a, tensors) if isinstance(a, list) else next(tensors) if isinstance(a, torch.Tensor) else a for a in args]


def differentiable(t: torch.Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def cases() -> Iterator[tuple[str, Callable[..., Any], list[Any], bool]]:
    """Name, call, arguments, and whether PyTorch has a gradient of the call."""
    for file in sorted(DATA.glob("*.jsonl")):
        left, seen = 0, set()
        for line in file.read_text().splitlines():
            case = json.loads(line)
            if "op" in case:
                name = case["op"].partition("::")[2]
                base, _, overload = name.partition(".")
                op = getattr(getattr(torch.ops.aten, base), overload or "default")
                before, *behind = case["schema"].rpartition(") ->")[0].split("*, ")
                keywords = [a.partition("=")[0].split()[-1] for a in behind[0].split(", ") if a] if behind else []
                left, seen = CASES_OF_EACH, set()
                continue
            if not left or "e" in case or not has_numpy_dtypes(case["a"]):
                continue
            args = decoded(case["a"])
            tensors = [x for x in flat(args) if isinstance(x, torch.Tensor)]
            key = repr([tuple(x.shape) if isinstance(x, torch.Tensor) else x for x in flat(args)])
            if key in seen or all(t.dim() == 0 for t in tensors):
                continue
            seen.add(key)
            left -= 1
            count = len(args) - len(keywords)

            def call(tensors: tuple[Any, ...], op=op, args=args, count=count, keywords=keywords) -> Any:
                given = with_tensors(args, iter(tensors))
                return op(*given[:count], **dict(zip(keywords, given[count:], strict=True)))

            yield name, call, tensors, "g" in case and any(differentiable(t) for t in tensors)


def plain(call: Callable[..., Any]) -> Callable[..., Any]:
    def function(*tensors: Any) -> Any:
        result = call(tensors)
        return tuple(result) if isinstance(result, list) else result

    return function


def gradient(call: Callable[..., Any]) -> Callable[..., Any]:
    def function(*tensors: Any) -> Any:
        leaves = [t.detach().clone().requires_grad_(True) if differentiable(t) else t for t in tensors]
        results = [y for y in flat(call(leaves)) if isinstance(y, torch.Tensor) and y.requires_grad]
        loss = sum(((y * y.conj()).real if y.is_complex() else y * y).sum() for y in results)
        found = torch.autograd.grad(loss, [t for t in leaves if t.requires_grad], allow_unused=True)
        return tuple(g for g in found if g is not None)

    return function


def resized(tensors: list[Any], size: Callable[[int, int], int], rng: random.Random) -> list[Any]:
    """Tensors of other sizes, with elements of the given ones."""
    out = []
    for t in tensors:
        sizes = [size(d, n) for d, n in enumerate(t.shape)]
        if sizes == list(t.shape) or not t.numel():
            out.append(t.clone() if sizes == list(t.shape) else torch.zeros(sizes, dtype=t.dtype))
            continue
        elements = t.reshape(-1)
        count = int(np.prod(sizes))
        out.append(torch.stack([elements[rng.randrange(t.numel())] for _ in range(count)]).reshape(sizes))
    return out


def equal(a: Any, b: Any) -> bool:
    a, b = flat(a), flat(b)
    for x, y in zip(a, b, strict=True):
        if isinstance(x, torch.Tensor):
            if x.shape != y.shape or x.dtype != y.dtype:
                return False
            x, y = (v.detach().float() if v.dtype == torch.bfloat16 else v.detach() for v in (x, y))
            # Sums in another order. Of a matrix, the error of each element is measured by the largest.
            finite = x.numpy()[np.isfinite(x.numpy())] if x.is_floating_point() and x.dim() > 1 else np.zeros(0)
            if not np.allclose(x.numpy(), y.numpy(), rtol=1e-4, atol=1e-5 * np.max(np.abs(finite), initial=1.0), equal_nan=True):
                return False
        elif x != y and not (x != x and y != y):
            return False
    return True


def outcome(function: Callable[..., Any], tensors: list[Any]) -> Any:
    torch.manual_seed(3)
    try:
        return function(*(t.clone() for t in tensors))
    except Exception as e:  # noqa: BLE001 - compared by the caller
        return e


@pytest.mark.parametrize(("kind", "least"), [(plain, 8_500), (gradient, 6_300)], ids=["call", "gradient"])
def test_a_capture_holds_for_other_sizes(kind, least):
    counts: collections.Counter[str] = collections.Counter()
    guarded: dict[str, str] = {}
    wrong: list[str] = []
    for name, call, tensors, has_gradient in cases():
        if kind is gradient and (not has_gradient or name in NOT_CAPTURED):
            continue
        function = kind(call)
        if isinstance(outcome(function, tensors), Exception):  # a value that has no gradient here, or a view that the samples cannot be written to
            counts["no example"] += 1
            continue
        try:
            traced = torch.jit.trace(function, tuple(t.clone() for t in tensors), check_trace=False)
        except Exception as e:  # noqa: BLE001 - listed below
            wrong.append(f"{name} cannot be captured: {e}")
            continue
        first = next(t for t in tensors if t.dim()).shape[0]
        rng = random.Random(name)  # the inputs of a record do not depend on the records before it
        for size in (
            lambda d, n: n,
            lambda d, n, first=first: n + 1 if d == 0 and n == first and n else n,
            lambda d, n, first=first: 1 if d == 0 and n == first else n,
            lambda d, n, first=first: 5 if d == 0 and n == first else n,
            lambda d, n: n + 1 if n > 1 else n,
        ):
            given = resized(tensors, size, rng)
            wanted, got = outcome(function, given), outcome(traced, given)
            sizes = [tuple(t.shape) for t in given]
            if isinstance(wanted, Exception) or isinstance(got, Exception):
                if isinstance(wanted, Exception) and isinstance(got, Exception):
                    counts["both raise"] += 1
                elif isinstance(got, Exception) and "was captured where" in str(got):
                    counts["guarded"] += 1
                    guarded.setdefault(name, str(got).splitlines()[0])
                else:
                    wrong.append(f"{name} {sizes}: {wanted!r:.200} and, captured, {got!r:.300}")
            elif equal(wanted, got):
                counts["equal"] += 1
            else:
                wrong.append(f"{name} {sizes}: other results")
    print(dict(counts))
    assert not wrong, "\n".join(wrong)
    unexplained = {name: why for name, why in guarded.items() if name not in GUARDED}
    assert not unexplained, "\n".join(f"{name}: {why}" for name, why in unexplained.items())
    assert counts["equal"] > least and counts["guarded"] < 150, counts
