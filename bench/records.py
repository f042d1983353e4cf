"""Every operator record beside PyTorch, at about 10^2, 10^4 and 10^6 elements, on one thread and on two.

Nothing here names an operator. What a record is called with are its own samples (`.samples(...)`, in the words of tools/oracle/samples.py), scaled:
in a call that PyTorch computes, some sizes of the tensors grow by one factor. Which of them may grow is tried on the sample itself, with a factor of
two: all sizes, the first or the last of each tensor, or those that are equal to one number. The first way that reaches the wanted number of elements
is taken; a record without such a way has no figure for it. Random numbers fill the larger tensors, in the range of the sample's.

bench/records_above.toml has the reasons of rows that are above their bound."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tomllib
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run import GIVEN, ROOT, NotMeasured, row, row_list

MATRIX = Path(os.environ.get("MONOGRAPH_PROGRAMS", ROOT / "build" / "release" / "tests")) / "support_matrix"
# The largest tensor of a call: its name, its number of elements, and the bound on the median of the ratios.
TARGETS = {"100": (10**2, 0.7), "10k": (10**4, 0.8), "1m": (10**6, 1.0)}
AT_MOST, SHARE_ABOVE = 1.2, 0.05  # of a row's ratio, and how many rows may miss it
NEAR = 4.0  # a call counts as one of N elements from N / NEAR to N * NEAR
MOST_CASES = 24  # of a record's samples that are tried
ENOUGH = 3  # ways to reach a number of elements, of which both sides take the first that both have
POOL = 1 << 21  # random numbers, from which every tensor takes a piece


# --- the samples


@dataclass(frozen=True)
class Record:
    name: str  # aten::add.Tensor
    samples: str

    @property
    def base(self) -> str:
        return self.name.partition("::")[2].partition(".")[0]

    @property
    def overload(self) -> str:
        return self.name.partition("::")[2].partition(".")[2] or "default"

    @property
    def row(self) -> str:
        return "record_" + re.sub(r"\W", "_", self.name.partition("::")[2])


def records() -> Iterator[Record]:
    """Those with samples: a record without them says why, and forms in place and with out= have the kernel of their record."""
    if not MATRIX.exists():
        return
    text = subprocess.run([MATRIX, "--samples"], check=True, capture_output=True, text=True).stdout
    for line in map(json.loads, text.splitlines()):
        if "samples" in line:
            yield Record(line["op"], line["samples"])


@dataclass(frozen=True)
class Argument:
    """An argument of a schema, its type in PyTorch's words on both sides."""

    name: str
    type: str
    default_value: Any
    required: bool
    kwarg_only: bool

    def has_default_value(self) -> bool:
        return not self.required


def words(kind: str) -> str:
    if kind.endswith("?"):
        return f"Optional[{words(kind[:-1])}]"
    if plain := re.fullmatch(r"(\w+)\[\d*\]", kind):
        return f"List[{words(plain[1])}]"
    return {"Scalar": "number", "SymInt": "int", "ScalarType": "int"}.get(kind, kind)


def schema_of(operator: Any) -> Any:
    schema = operator._schema
    arguments = [Argument(a.name, words(str(a.type)), a.default_value, not a.has_default_value(), a.kwarg_only) for a in schema.arguments]
    return types.SimpleNamespace(name=schema.name, overload_name=schema.overload_name, arguments=arguments)


def samples_module(torch: Any) -> Any:
    """tools/oracle/samples.py over this `torch`, which on one side is Monograph."""
    if "samples" not in sys.modules:
        sys.path.insert(0, str(ROOT / "tools" / "oracle"))
        sys.modules.setdefault("pinned", types.ModuleType("pinned"))  # it is about the bits of PyTorch's results
        before = sys.modules.get("torch")
        sys.modules["torch"] = torch
        try:
            import samples  # noqa: F401
        finally:
            if before is None:
                del sys.modules["torch"]
            else:
                sys.modules["torch"] = before
    return sys.modules["samples"]


def tensors_of(torch: Any, value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors_of(torch, item)] if isinstance(value, (list, tuple)) else []


def replaced(torch: Any, value: Any, by: Callable[[Any], Any]) -> Any:
    """The same arguments with other tensors."""
    if isinstance(value, torch.Tensor):
        return by(value)
    return [replaced(torch, item, by) for item in value] if isinstance(value, list) else value


def usual(torch: Any, x: Any) -> bool:
    """No infinities and no tiny numbers: what is at the edges of a dtype has its own speed."""
    if not x.dtype.is_floating_point:
        return True
    size = x.abs().double()
    return bool(torch.isfinite(size).all()) and not bool(((size > 0) & (size < 1e-20)).any())


# --- scaling

Growth = Callable[[tuple[int, ...]], list[bool]]  # of a tensor's shape: which of its sizes grow


def ways_to_grow(sizes: set[int]) -> Iterator[Growth]:
    """All sizes but ones, the first, the last, or those that are equal to one number."""
    yield lambda shape: [n > 1 for n in shape]
    yield lambda shape: [d == 0 for d in range(len(shape))]
    yield lambda shape: [d == len(shape) - 1 for d in range(len(shape))]
    for size in sorted(sizes, reverse=True):
        yield lambda shape, size=size: [n == size for n in shape]


def scaled_shape(shape: tuple[int, ...], grows: list[bool], factor: int) -> tuple[int, ...]:
    return tuple(n * factor if g else n for n, g in zip(shape, grows, strict=True))


@functools.cache
def pool() -> Any:
    import numpy

    return numpy.random.RandomState(7).random_sample(POOL)


class Filler:
    """Tensors like those of a sample, larger, with numbers that are the same on both sides."""

    def __init__(self, torch: Any, seed: int):
        self.torch, self.at = torch, seed * 65537 % POOL

    def take(self, count: int) -> Any:
        import numpy

        self.at = (self.at + 12289) % POOL
        if count <= POOL - self.at:
            return pool()[self.at : self.at + count]
        return pool()[(numpy.arange(count) + self.at) % POOL]

    def grown(self, x: Any, grows: list[bool], factor: int) -> Any:
        torch = self.torch
        if not any(grows) and not (x.is_floating_point() or x.is_complex()):
            return x  # indices and counts that fit each other
        shape = scaled_shape(tuple(x.shape), grows, factor)
        # Its dims in the order of memory, outermost first; one that is repeated stays so.
        order = sorted(range(x.dim()), key=lambda d: (-x.stride(d), d)) if x.dim() else []
        repeated = [d for d in order if x.stride(d) == 0 and x.size(d) > 1]
        made = [1 if d in repeated else shape[d] for d in order]
        draws = self.take(math.prod(made))
        flat = x.detach().reshape(-1)
        if x.is_floating_point() or x.is_complex():
            low, high = self.limits(x)
            parts = [torch.from_numpy(low + (high - low) * d).to(torch.float64) for d in (draws, draws[::-1].copy())]
            values = torch.complex(*parts) if x.is_complex() else parts[0]
            values = values.to(x.dtype)
        else:
            values = flat[torch.from_numpy((draws * flat.numel()).astype("int64"))]
        back = [order.index(d) for d in range(x.dim())]
        return values.reshape(made).permute(back).expand(shape) if x.dim() else values.reshape(())

    @staticmethod
    def limits(x: Any) -> tuple[float, float]:
        if x.numel() == 0:
            return 0.0, 1.0
        real = (x.real if x.is_complex() else x).detach().double()
        return float(real.min()), float(real.max())


@dataclass
class Way:
    """A sample that can grow: its arguments, how they grow, and how large the call is by the factor."""

    arguments: tuple[list[Any], dict[str, Any]]
    call: Callable[..., Any]
    grows: Growth
    shapes: list[tuple[int, ...]]  # of its tensors
    results: tuple[int, int]  # the largest result's elements at a factor of one and of two
    name: str  # which sample, and which sizes grow: the same on both sides

    def elements(self, factor: int) -> float:
        """Of the largest tensor: of the results as two factors show their growth."""
        largest = max((math.prod(scaled_shape(s, self.grows(s), factor)) for s in self.shapes), default=0)
        once, twice = self.results
        power = math.log2(twice / once) if once and twice else 0.0
        return max(float(largest), once * factor**power)

    def factor(self, target: int) -> int | None:
        """The one that comes nearest to so many elements; None where none comes near."""
        low, high = 1, 2
        if self.elements(2) <= self.elements(1):
            high = 1
        while self.elements(high) < target and high > low and high < 1 << 24:
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.elements(middle) <= target else (low, middle)
        best = min((low, high), key=lambda f: abs(math.log(max(self.elements(f), 1) / target)))
        return best if target / NEAR <= self.elements(best) <= target * NEAR else None


class Plans:
    """How the records are called in this process."""

    def __init__(self, torch: Any):
        self.torch = torch
        warnings.simplefilter("ignore")  # of what samples do on purpose
        self.ways = functools.cache(self._ways)

    def cases(self, record: Record) -> tuple[Any, list[list[Any]]]:
        schema = schema_of(getattr(getattr(self.torch.ops.aten, record.base), record.overload))
        cases = samples_module(self.torch).Samples(schema, "").cases(record.samples)
        torch = self.torch
        good = [c for c in cases if all(usual(torch, x) and x.numel() > 0 for x in tensors_of(torch, c))]
        # float32 first, then what is largest: a later sample is often an error, or an edge.
        narrow = [c for c in good if any(x.dtype == torch.float32 for x in tensors_of(torch, c))]
        rest = [c for c in good if not any(c is n for n in narrow)]
        return schema, [*narrow, *rest][:MOST_CASES]

    def spelled(self, record: Record, schema: Any, case: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The call as one writes it: without what has its default."""
        pairs = list(zip(schema.arguments, case, strict=True))
        keywords = {a.name: v for a, v in pairs if a.kwarg_only and not is_default(self.torch, a, v)}
        positional = [(a, v) for a, v in pairs if not a.kwarg_only]
        while positional and is_default(self.torch, *positional[-1]):
            positional.pop()
        return [v for _, v in positional], keywords

    def functions(self, record: Record) -> Iterator[Callable[..., Any]]:
        """As which name Python has the operator: the first that takes the call is measured."""
        torch, name = self.torch, record.base
        for place in (torch, torch._C._nn, getattr(torch._C, "_linalg", None), torch.special, torch.Tensor):
            if callable(found := getattr(place, name, None)):
                yield found
        yield getattr(getattr(torch.ops.aten, name), record.overload)

    def _ways(self, record: Record) -> list[Way]:
        """What this side computes at a factor of one and of two, until there are enough for each target."""
        found: list[Way] = []
        schema, cases = self.cases(record)
        for number, case in enumerate(cases):
            for way in self.ways_of(record, number, *self.spelled(record, schema, case)):
                found.append(way)
                if all(sum(w.factor(target) is not None for w in found) >= ENOUGH for target, _ in TARGETS.values()):
                    return found
        return found

    def ways_of(self, record: Record, number: int, positional: list[Any], keywords: dict[str, Any]) -> Iterator[Way]:
        shapes = [tuple(x.shape) for x in tensors_of(self.torch, [*positional, *keywords.values()])]
        call = self.working(record, positional, keywords) if shapes else None
        if call is None:
            return
        once = self.largest(call(*positional, **keywords))
        for turn, grows in enumerate(ways_to_grow({n for shape in shapes for n in shape if n > 1})):
            if not any(any(grows(shape)) for shape in shapes):
                continue
            way = Way((positional, keywords), call, grows, shapes, (once, once), f"{number}:{turn}")
            try:
                way.results = (once, self.largest(self.scaled(way, 2, 1)()))
            except Exception:  # noqa: BLE001, S112 - whatever it raises: the sample does not grow this way
                continue
            yield way

    def scaled(self, way: Way, factor: int | None, seed: int) -> Callable[[], Any]:
        assert factor is not None
        filler, known = Filler(self.torch, seed), {}

        def grown(x: Any) -> Any:  # one tensor that stands twice among the arguments stays one
            if id(x) not in known:
                known[id(x)] = filler.grown(x, way.grows(tuple(x.shape)), factor)
            return known[id(x)]

        positional, keywords = (replaced(self.torch, part, grown) for part in (way.arguments[0], list(way.arguments[1].values())))
        return functools.partial(way.call, *positional, **dict(zip(way.arguments[1], keywords, strict=True)))

    def working(self, record: Record, positional: list[Any], keywords: dict[str, Any]) -> Callable[..., Any] | None:
        for function in self.functions(record):
            try:
                function(*positional, **keywords)
            except Exception:  # noqa: BLE001, S112 - another name, or an error that PyTorch raises too
                continue
            return function
        return None

    def largest(self, result: Any) -> int:
        return max((x.numel() for x in tensors_of(self.torch, result)), default=0)

    def reaching(self, record: Record, target: int) -> list[Way]:
        return [way for way in self.ways(record) if way.factor(target) is not None]

    @functools.lru_cache(maxsize=1)  # noqa: B019 - of the process's one object: rows for one thread and for two stand side by side
    def calls(self, record: Record, target: int, names: tuple[str, ...] | None = None) -> tuple[list[Callable[[], Any]], str]:
        """The call with several sets of inputs, and the name of its way: the first of these names, or of all."""
        ways = self.reaching(record, target)
        for way in ways if names is None else [way for name in names for way in ways if way.name == name]:
            made = [self.scaled(way, way.factor(target), seed) for seed in range(3 if target >= 10**6 else 4)]
            try:
                made[0]()
            except Exception:  # noqa: BLE001, S112 - as at a factor of two
                continue
            return made, way.name
        raise NotMeasured(f"no sample of {record.name} can be scaled to {target} elements")


def is_default(torch: Any, argument: Argument, value: Any) -> bool:
    if argument.required or isinstance(value, torch.Tensor):
        return False
    default = argument.default_value
    return type(value) is type(default) and not tensors_of(torch, value) and value == default


@functools.cache
def plans(torch: Any) -> Plans:
    return Plans(torch)


def start(record: Record, target: int) -> Callable[[Any], Callable[[], Any]]:
    def prepare(torch: Any) -> Callable[[], Any]:
        names = GIVEN["ways"]
        made, way = plans(torch).calls(record, target, None if names is None else tuple(names))
        turn = itertools.cycle(made)

        def call() -> Any:
            return next(turn)()

        call.way, call.ways = way, [w.name for w in plans(torch).reaching(record, target)]  # type: ignore[attr-defined]
        return call

    return prepare


for _name, (_target, _median) in TARGETS.items():
    row_list(
        f"records_{_name}", about=f"every record at about {_target:,} elements", median_at_most=_median, share_above=SHARE_ABOVE,
        quick=(5, 0.003), again=(9, 0.01), brief=True,
    )  # fmt: skip
# Why rows are above their bound, by the operator's name.
REASONS = {name: group["reason"] for group in tomllib.loads((ROOT / "bench" / "records_above.toml").read_text()).values() for name in group["operators"]}
for _record in records():
    for _name, (_target, _) in TARGETS.items():
        for _threads in (1, 2):
            row(
                f"{_record.row}_{_name}" + ("_2t" if _threads == 2 else ""), at_most=AT_MOST, of=f"records_{_name}", threads=_threads,
                about=f"`{_record.name}`, about {_target:,} elements" + (", two threads" if _threads == 2 else "")
                + (f" (where it is above its bound: {REASONS[_record.base]})" if _record.base in REASONS else ""), rtol=1e-3, atol=None,
            )(start(_record, _target))  # fmt: skip
