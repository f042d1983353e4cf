"""Points that fill a cube evenly: torch.quasirandom.SobolEngine, with the direction numbers of Joe and Kuo in _sobol_numbers.txt.

Point k is the exclusive or of the direction numbers whose bits are set in the Gray code of k. tools/oracle/freeze_sobol.py writes the file."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from . import _C, _VF as torch
from ._tensor import Tensor

__all__ = ["SobolEngine"]

_FILE = Path(__file__).with_name("_sobol_numbers.txt")


class SobolEngine:
    """Draws the points of Sobol's sequence in the unit cube [0, 1)^dimension: they fill it more evenly than random points.

    dimension: How many coordinates a point has, at most MAXDIM.
    scramble: Whether the sequence is shifted and mixed by random bits (Owen). The points stay evenly spread.
    seed: The seed of those bits. None: the default generator draws them.

        >>> torch.quasirandom.SobolEngine(2).draw(4)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500],
                [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = _directions(dimension, self.MAXBIT)
        self.shift: Tensor = torch.zeros(dimension, dtype=_C._dtypes["int64"])
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: _C.dtype | None = None) -> Tensor:
        """The next n points of the sequence, as a matrix of n rows.

        n: How many points are drawn.
        out: The tensor that gets them. It is resized.
        dtype: A floating dtype. None: the default one.
        """
        kind = _C._get_default_dtype() if dtype is None else dtype
        first = [self._first_point.to(kind)] if self.num_generated == 0 else []
        steps = n - len(first)
        points = [*first, self._after(steps).to(kind) * (1 / 2**self.MAXBIT)] if steps or not first else first
        result = torch.cat(points, dim=-2)
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: _C.dtype | None = None) -> Tensor:
        """The next 2**m points. The number of points drawn so far must then be a power of 2, since only such a number is balanced.

        m: The exponent.
        out: The tensor that gets them. It is resized.
        dtype: A floating dtype. None: the default one.
        """
        n, total = 2**m, self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def fast_forward(self, n: int) -> SobolEngine:
        """Goes on as if n points had been drawn, and answers the engine.

        n: How many points are left out.
        """
        self._after(n - (self.num_generated == 0))
        self.num_generated += n
        return self

    def reset(self) -> SobolEngine:
        """Goes back to the first point, and answers the engine."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def _after(self, steps: int) -> Tensor:
        """The points of the next steps, as integers. `quasi` becomes the last of them."""
        start = max(self.num_generated - 1, 0)
        numbers = torch.arange(start + 1, start + 1 + max(steps, 0))
        changed = (numbers ^ (numbers >> 1)) ^ (start ^ (start >> 1))  # which bits of the Gray code differ from those of the last point
        points = self.quasi.expand(numbers.shape[0], -1).clone()
        for k in range((start + max(steps, 0)).bit_length()):
            points.bitwise_xor_(((changed >> k) & 1).unsqueeze(1) * self.sobolstate[:, k])
        if steps > 0:
            self.quasi = points[-1].clone()
        return points

    def _scramble(self) -> None:
        """Draws a shift, and mixes the bits of each coordinate by a triangular matrix of random bits."""
        generator = None if self.seed is None else _C.Generator().manual_seed(self.seed)
        bits = torch.arange(self.MAXBIT)
        self.shift = (torch.randint(2, (self.dimension, self.MAXBIT), generator=generator) << bits).sum(1)
        mixing = torch.randint(2, (self.dimension, self.MAXBIT, self.MAXBIT), generator=generator).tril()
        mixing.diagonal(0, -2, -1).fill_(1)
        down = bits.flip(0)  # the highest bit first, as the matrix has it
        spread = ((self.sobolstate.unsqueeze(1) >> down.view(-1, 1)) & 1).double()
        mixed = torch.bmm(mixing.double(), spread).long() & 1
        self.sobolstate = (mixed << down.view(-1, 1)).sum(1)

    def __repr__(self) -> str:
        said = [
            f"dimension={self.dimension}",
            *(["scramble=True"] if self.scramble else []),
            *([] if self.seed is None else [f"seed={self.seed}"]),
        ]
        return f"{type(self).__name__}({', '.join(said)})"


def _numbers(count: int) -> Iterator[tuple[int, int, list[int]]]:
    """Of the dimensions behind the first: the degree of its polynomial, the polynomial, and the first direction numbers."""
    data = base64.b85decode(_FILE.read_text().replace("\n", ""))
    bits, at = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}", 0

    def read(length: int, last: str = "") -> int:
        nonlocal at
        at += length
        return int(bits[at - length : at] + last, 2)

    for _ in range(count):
        degree = read(5)
        polynomial = read(degree - 1, "1") | 1 << degree if degree > 1 else 3
        yield degree, polynomial, [1, *(read(k, "1") for k in range(1, degree))]


def _directions(dimension: int, bits: int) -> Tensor:
    """The direction numbers, of `bits` bits: a row for each dimension. Each number follows from those before it by the dimension's polynomial."""
    rows = [[1 << (bits - 1 - k) for k in range(bits)]]
    for degree, polynomial, first in _numbers(dimension - 1):
        row = [n << (bits - 1 - k) for k, n in enumerate(first)]
        inner = [k for k in range(1, degree) if polynomial >> (degree - k) & 1]
        for j in range(degree, bits):
            n = row[j - degree] ^ (row[j - degree] >> degree)
            for k in inner:
                n ^= row[j - k]
            row.append(n)
        rows.append(row)
    return _C.tensor(rows, dtype=_C._dtypes["int64"])
