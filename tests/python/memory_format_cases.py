"""Calls of the records with images and volumes whose channels are innermost, for either library: how results and gradients are laid out.

The calls are those of tests/data/ops, with each tensor of four or five dims laid out in channels_last or channels_last_3d: all of them, and each alone. Tensors of
pointwise records have two more dims than there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"
POINTWISE = ("activations", "arithmetic", "elementwise", "special_functions")  # families
CASES_OF_EACH = 6
DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool")
# What these results or gradients hold is as it lies in memory, or drawn.
LEFT_OUT = ("empty", "rand", "as_strided", "bernoulli", "dropout", "multinomial", "normal", "poisson", "_weight_norm")


def decoded(torch: Any, v: Any) -> Any:
    if isinstance(v, list):
        return [decoded(torch, x) for x in v]
    if not isinstance(v, dict):
        return v
    if "t" in v:
        dtype, data = getattr(torch, v["t"]), bytearray.fromhex(v["x"])
        return torch.frombuffer(data, dtype=dtype).as_strided(v["s"], v["st"], v["o"]).clone() if data else torch.empty(v["s"], dtype=dtype)
    if "m" in v:
        return [torch.contiguous_format, torch.preserve_format, torch.channels_last][v["m"]]
    if "z" in v:
        return complex(*v["z"])
    return getattr(torch, v["d"]) if "d" in v else torch.device(v["c"]) if "c" in v else float(v["f"])


def tensors_in(v: Any) -> Iterator[dict[str, Any]]:
    """The tensors of encoded arguments."""
    if isinstance(v, list):
        for x in v:
            yield from tensors_in(x)
    elif isinstance(v, dict) and "t" in v:
        yield v


def cases() -> Iterator[tuple[str, str, list[str], Any, bool]]:
    """Family, operator, its keyword-only arguments, the encoded arguments, and whether tensors get more dims."""
    for file in sorted((DATA / "ops").glob("*.jsonl")):
        name, keywords, left, seen = "", [], 0, set()
        for line in file.read_text().splitlines():
            case = json.loads(line)
            if "op" in case:
                name, left, seen = case["op"].partition("::")[2], CASES_OF_EACH, set()
                behind = case["schema"].rpartition(") ->")[0].split("*, ")[1:]
                keywords = [a.partition("=")[0].split()[-1] for a in behind[0].split(", ") if a] if behind else []
                if "Tensor(a!)" in case["schema"] or name.startswith(LEFT_OUT):
                    left = 0
                continue
            tensors = list(tensors_in(case["a"]))
            kinds = (tuple(len(t["s"]) for t in tensors), tuple(t["t"] for t in tensors))
            if not left or "e" in case or not tensors or any(t["t"] not in DTYPES for t in tensors) or kinds in seen and left < CASES_OF_EACH // 2:
                continue
            lifted = file.stem in POINTWISE and max(kinds[0]) == 2 and all(t["x"] for t in tensors)
            if not lifted and not any(n in (4, 5) for n in kinds[0]) or any(0 in t["s"] for t in tensors):
                continue
            left -= 1
            seen.add(kinds)
            yield file.stem, name, keywords, case["a"], lifted


def laid_out(torch: Any, t: Any) -> Any:
    """The tensor with its channels innermost, the strides of dims with one element too."""
    format = torch.channels_last if t.dim() == 4 else torch.channels_last_3d
    return torch.empty(tuple(t.shape), dtype=t.dtype, memory_format=format).copy_(t)


def layout(t: Any) -> str:
    """L: the channels are innermost. C: contiguous. B: both. Else the strides, of dims with one element 0."""
    sizes, strides = tuple(t.shape), tuple(t.stride())

    def has(order: list[int]) -> bool:
        step = 1
        for d in order:
            if sizes[d] != 1 and strides[d] != step:
                return False
            step *= sizes[d]
        return True

    n = len(sizes)
    usual = has(list(range(n))[::-1])
    last = n in (4, 5) and has([1, *range(n - 1, 1, -1), 0])
    if usual or last:
        return "B" if usual and last else "C" if usual else "L"
    return f"({','.join(str(s if n > 1 else 0) for n, s in zip(sizes, strides))})"


def flat(v: Any) -> list[Any]:
    return [x for part in v for x in flat(part)] if isinstance(v, (list, tuple)) else [v]


def replaced(v: Any, f: Callable[[Any], Any], is_tensor: Callable[[Any], bool]) -> Any:
    return [replaced(x, f, is_tensor) for x in v] if isinstance(v, list) else f(v) if is_tensor(v) else v


class Call:
    """One call, in one library, with some of its tensors laid out anew."""

    def __init__(self, torch: Any, op: Callable[..., Any], keywords: list[str], args: Any, lifted: bool) -> None:
        self.torch, self.op, self.keywords = torch, op, keywords
        args = decoded(torch, args)
        if lifted:  # the same elements for each image and channel
            args = replaced(args, lambda t: t.expand(2, 3, *t.shape).clone() if t.dim() == 2 else t, self.is_tensor)
        self.args = args

    def is_tensor(self, v: Any) -> bool:
        return isinstance(v, self.torch.Tensor)

    def ways(self) -> Iterator[tuple[str, list[Any]]]:
        """Which tensors are laid out anew, and the arguments."""
        images = [k for k, v in enumerate(t for t in flat(self.args) if self.is_tensor(t)) if v.dim() in (4, 5)]
        for chosen in [images, *([[k] for k in images[:3]] if len(images) > 1 else [])]:
            count = iter(range(1000))

            def one(t: Any, chosen: Any = chosen, count: Any = count) -> Any:
                return laid_out(self.torch, t) if next(count) in chosen else t.clone()

            yield ",".join(map(str, chosen)), replaced(self.args, one, self.is_tensor)

    def run(self, args: list[Any]) -> Any:
        count = len(args) - len(self.keywords)
        return self.op(*args[:count], **dict(zip(self.keywords, args[count:])))

    def layouts(self, args: list[Any]) -> str:
        """Those of the results, and behind a bar those of the gradients, where a gradient comes in the layout of its result. ! where the call is refused."""
        leaves = []

        def leaf(t: Any) -> Any:
            if t.dtype in (self.torch.float32, self.torch.float64):
                leaves.append(t.requires_grad_())
            return t

        try:
            results = [r for r in flat(self.run(replaced(args, leaf, self.is_tensor))) if self.is_tensor(r)]
        except Exception:  # noqa: BLE001 - PyTorch refuses the layout, or the dims
            return "!"
        said = "".join(map(layout, results))
        roots = [r for r in results if r.requires_grad]
        if not roots:
            return said
        try:
            found = self.torch.autograd.grad(roots, leaves, [self.torch.ones_like(r) for r in roots], allow_unused=True)
        except Exception:  # noqa: BLE001 - it has no gradient
            return said + "|!"
        return said + "|" + "".join("-" if g is None else layout(g) for g in found)


def layouts(torch: Any) -> dict[str, list[str]]:
    """For each operator, what its calls give, one after another."""
    out: dict[str, list[str]] = {}
    for _, name, keywords, encoded, lifted in cases():
        base, _, overload = name.partition(".")
        try:
            op = getattr(getattr(torch.ops.aten, base), overload or "default")
        except AttributeError:
            continue
        call = Call(torch, op, keywords, encoded, lifted)
        out.setdefault(name, []).extend(call.layouts(args) for _, args in call.ways())
    return out
