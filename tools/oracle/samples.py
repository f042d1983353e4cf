"""The names in which records state their samples (`.samples(...)`), and what those texts mean.

A sample text is Python: a list of argument lists, each in the order of the schema; arguments left out at the end have their defaults.
`t(f32, 2, 3)` is a tensor of random elements, `t(f32, 2, 3, low=0.1)` one with a range, `index(5, 2, 2)` indices below 5 in sizes 2, 2,
`at(...)` is torch.tensor, `special(f32)` the elements at the edges of a dtype, `layouts(2, 3)` a few dtypes and odd strides, `crowds()` rows with
few different elements, `regular(f32, 3, 3)` matrices far from singular, `definite(f32, 3, 3)` positive-definite ones, `misfits()` numbers beside dtypes that some of them do not fit, `alphas()` two tensors and such a number. `pointwise()` and
`rows()` are made from the schema; a pointwise record and a row program have them where they state nothing.
"""

import math
import random
from types import CodeType
from typing import Any

import pinned  # noqa: F401
import torch

DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128,
    "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "b1": torch.bool,
}  # fmt: skip
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
COMPLEX = [torch.complex64, torch.complex128]
ALL = [*FLOATS, *INTS, torch.bool, *COMPLEX]
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 0.5, -0.5, 1.0, -1.0, 2.5, 88.0, -100.0, 1e-30, 3e38]
Cases = list[list[Any]]


class Samples:
    """The names of a sample text for one operator. What is drawn depends on the operator's name and the seed alone."""

    def __init__(self, schema: Any, seed: str):
        self.schema, self.rng = schema, random.Random(f"{schema.name}.{schema.overload_name}{seed}")

    def cases(self, text: str) -> Cases:
        names = {
            name: getattr(self, name) for name in ("t", "index", "special", "layouts", "crowds", "misfits", "alphas", "regular", "definite", "pointwise", "rows")
        }
        code: CodeType = compile(f"({text})", f"<samples of {self.schema.name}>", "eval")
        cases = eval(
            code,
            {
                **DTYPES,
                **names,
                "ALL": ALL,
                "FLOATS": FLOATS,
                "INTS": INTS,
                "at": torch.tensor,
                "inf": math.inf,
                "nan": math.nan,
                "torch": torch,
            },
        )  # noqa: S307 - the repository's own text
        return [[*case, *[a.default_value for a in self.schema.arguments[len(case) :]]] for case in cases]

    def t(self, dtype: torch.dtype, *sizes: int, low: float = -3.0, high: float = 3.0) -> torch.Tensor:
        real = [self.rng.uniform(low, high) for _ in range(math.prod(sizes))]
        if dtype == torch.bool:
            return torch.tensor([x > 0 for x in real]).reshape(sizes)
        if dtype in INTS:
            return torch.tensor([int(abs(x) if dtype == torch.uint8 else x) for x in real], dtype=dtype).reshape(sizes)
        if dtype in COMPLEX:
            return torch.tensor([complex(x, self.rng.uniform(low, high)) for x in real], dtype=dtype).reshape(sizes)
        return torch.tensor(real, dtype=torch.float64).to(dtype).reshape(sizes)

    def index(self, n: int, *sizes: int) -> torch.Tensor:
        return torch.tensor([self.rng.randrange(n) for _ in range(math.prod(sizes))], dtype=torch.int64).reshape(sizes)

    def special(self, dtype: torch.dtype) -> torch.Tensor:
        if dtype in FLOATS:
            return torch.tensor(SPECIAL, dtype=torch.float64).to(dtype)
        if dtype in COMPLEX or dtype == torch.bool:
            return self.t(dtype, 4)
        i = torch.iinfo(dtype)
        return torch.tensor([i.min, i.max, 0, 1, 2, 3, max(i.min, -1), max(i.min, -2)], dtype=dtype)

    def layouts(self, *sizes: int) -> list[torch.Tensor]:
        """One tensor a dtype, then a float32 one with its dims reversed in memory."""
        plain = [self.t(dtype, *sizes) for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool)]
        return [*plain, self.t(torch.float32, *reversed(sizes)).permute(*reversed(range(len(sizes))))]

    def crowds(self) -> list[torch.Tensor]:
        """Rows with few different elements: which of equal ones comes first is PyTorch's choice."""
        lengths = (16, 17, 40, 70, 130) * 2
        rows = [self.index(5, 2, n).to(d) for n, d in zip(lengths, (*FLOATS, *INTS, torch.bool), strict=True)]
        return [*rows, torch.where(self.index(4, 1, 90) == 0, math.nan, self.index(3, 1, 90).float())]

    def regular(self, dtype: torch.dtype, *sizes: int) -> torch.Tensor:
        """Matrices far from singular: a heavy diagonal."""
        return self.t(dtype, *sizes, low=-1.0, high=1.0) + 3 * torch.eye(sizes[-2], sizes[-1], dtype=dtype)

    def definite(self, dtype: torch.dtype, *sizes: int) -> torch.Tensor:
        """Matrices that are symmetric, or Hermitian, and positive-definite."""
        half = self.t(dtype, *sizes, low=-1.0, high=1.0)
        return half @ half.mH + torch.eye(sizes[-1], dtype=dtype)

    def misfits(self) -> list[tuple[Any, torch.dtype]]:
        """Numbers, and dtypes that cannot hold them or only just."""
        u8, i32, i64, f32, f16, bf16 = torch.uint8, torch.int32, torch.int64, torch.float32, torch.float16, torch.bfloat16
        bytes_ = [(v, u8) for v in (300, -1, -256, 255.5, 2.7, -1.0)]
        return [
            *bytes_,
            (math.nan, i64),
            (math.inf, i64),
            (1e19, i64),
            (2**31, i32),
            (1e39, f32),
            (1e5, f16),
            (100000, f16),
            (math.inf, f16),
            (3.4e38, bf16),
            (1j, f32),
            (1j, i64),
        ]

    def alphas(self) -> Cases:
        """What weighs the second of two tensors, or cannot."""
        f32, i64, u8, b1, f16 = torch.float32, torch.int64, torch.uint8, torch.bool, torch.float16
        weights = [
            (f32, 1j),
            (i64, 1j),
            (i64, 0.5),
            (i64, True),
            (f32, True),
            (b1, 0.5),
            (b1, 2),
            (u8, 300),
            (u8, -1),
            (f32, 1e39),
            (f16, 1e6),
        ]
        return [[self.t(d, 3), self.t(d, 3), a] for d, a in weights]

    def numbers(self, dtype: torch.dtype, k: int) -> list[Any]:
        """The arguments of a pointwise call, None for each tensor: numbers that fit the dtype, other ones for odd k."""
        out, at = [], 0
        for a in self.schema.arguments:
            if str(a.type) == "Tensor":
                out.append(None)
            elif a.name == "approximate":
                out.append(["none", "tanh"][k % 2])
            elif str(a.type) == "number":
                real = [2, 3, 1][at % 3] if dtype in INTS or k % 2 else [0.5, 1.5, 2.0][at % 3]
                if a.name in ("beta", "threshold", "scale", "input_scale", "alpha", "value") and a.has_default_value() and k % 2 == 0:
                    real = a.default_value
                out.append(real)
                at += 1
            else:
                out.append(a.default_value)
        return out

    def pointwise(self) -> Cases:
        """Every dtype; then, in float32, the layouts: transposed, broadcast, 0-d, without elements; then mixed dtypes."""
        tensors = [a for a in self.schema.arguments if str(a.type) == "Tensor"]
        n, f, t = len(tensors), torch.float32, self.t

        def call(values: list[torch.Tensor], dtype: torch.dtype, k: int) -> list[Any]:
            rest = [v.bool() if a.name in ("condition", "mask") else v for a, v in zip(tensors, values, strict=True)]
            return [rest.pop(0) if x is None else x for x in self.numbers(dtype, k)]

        cases = []
        for dtype in ALL:
            x = self.special(dtype)
            cases.append(call([x] + [x.flip(0) if k % 2 else x.roll(3) for k in range(1, n)], dtype, 0))
            cases.append(call([t(dtype, 2, 3) for _ in range(n)], dtype, 1))
        for make in (lambda: t(f, 3, 4).t(), lambda: t(f), lambda: t(f, 0, 3), lambda: t(f, 17)[::2]):
            cases.append(call([make() for _ in range(n)], f, 0))
        if n > 1:
            cases.append(call([t(f, *([(2, 1), (3,), (1, 1), (2, 3)][k])) for k in range(n)], f, 0))
            for a, b in [
                (f, torch.int64),
                (torch.int32, torch.bool),
                (torch.float16, torch.bfloat16),
                (f, torch.float64),
                (torch.uint8, torch.int8),
                (torch.int64, torch.float16),
            ]:
                cases.append(call([t(a, 2, 2), *[t(b, 2, 2) for _ in range(n - 1)]], f, 0))
                cases.append(call([t(a, 2), *[t(b) for _ in range(n - 1)]], f, 0))
            cases.append(call([t(f, 2, 3), *[t(f, 2, 4) for _ in range(n - 1)]], f, 0))
        return cases

    def row_call(self, x: torch.Tensor, dim: Any = None, keep: bool = False, dtype: Any = None, k: int = 0) -> list[Any]:
        """The arguments of a reduction or softmax of x along these dims; k chooses among its numbers."""

        def argument(a: Any) -> Any:
            if a.name in ("self", "input"):
                return x
            if a.name == "dim":
                if dim is None and not a.has_default_value() and "Optional" not in str(a.type):
                    return 0
                return [dim] if "List" in str(a.type) and isinstance(dim, int) else dim
            known = {"keepdim": keep, "dtype": dtype, "correction": [None, 0, 2][k % 3]}
            return known[a.name] if a.name in known else a.default_value

        return [argument(a) for a in self.schema.arguments]

    def rows(self) -> Cases:
        """Reductions and softmax: every dtype; the dims in all spellings; long rows; NaN and infinities."""
        dim = next((a for a in self.schema.arguments if a.name == "dim"), None)
        f, t, call, d = torch.float32, self.t, self.row_call, 0 if dim else None
        cases = []
        for dtype in ALL:
            cases += [call(t(dtype, 3, 4), d), call(self.special(dtype), d)]
        if dim:
            cases += [call(t(f, 2, 3, 4), at, keep, None, 1) for at, keep in [(1, False), (-1, True), (0, True)]]
        if dim and "List" in str(dim.type):
            cases += [call(t(f, 2, 3, 4, 5), dims, k=1) for dims in ([0, 2], [0, 2, 3], [1, 3], [-1, 0], [2, 1])]  # with dims between them
        cases += [call(t(f, 3, 5).t(), d), call(t(f), d), call(t(f, 300), d), call(t(f, 3, 0), d), call(t(f, 3, 0), 1 if dim else None)]
        if any(a.name == "dtype" for a in self.schema.arguments):
            cases += [call(t(dtype, 3), d, False, torch.float64) for dtype in (torch.int32, f)]
        return cases
