"""Freezes the direction numbers of Sobol's sequence, by Stephen Joe and Frances Y. Kuo, as python/monograph/_sobol_numbers.txt.

Run with the oracle's interpreter:  .venv-oracle/bin/python tools/oracle/freeze_sobol.py

A dimension has a primitive polynomial of degree s, and s odd numbers m_1 .. m_s with m_k below 2**k. The file keeps the bits that are not known
beforehand: s in 5 bits, the s - 1 inner coefficients of the polynomial, and m_k without its last bit. They lie one after the other, the highest
first, as base 85 in lines of 500 characters. The first dimension, all of whose numbers are 1, is left out."""

from __future__ import annotations

import base64
from pathlib import Path

import pinned  # noqa: F401
import torch

DIMENSIONS, BITS = 21201, torch.quasirandom.SobolEngine.MAXBIT
FILE = Path(__file__).resolve().parents[2] / "python" / "monograph" / "_sobol_numbers.txt"


def primitive(degree: int) -> list[int]:
    """The primitive polynomials over two elements of a degree, in increasing order: their first and last coefficients are 1."""
    order = 2**degree - 1
    parts = [p for p in range(2, order + 1) if order % p == 0 and all(p % q for q in range(2, int(p**0.5) + 1))]

    def power(poly: int, n: int) -> int:
        """x to the power n, modulo the polynomial."""
        result, base = 1, 2
        while n:
            if n & 1:
                result = product(result, base, poly)
            base, n = product(base, base, poly), n >> 1
        return result

    def product(a: int, b: int, poly: int) -> int:
        result = 0
        while b:
            if b & 1:
                result ^= a
            a, b = a << 1, b >> 1
            if a >> degree:
                a ^= poly
        return result

    if degree == 1:
        return [3]
    return [p for p in range((1 << degree) + 1, 2 << degree, 2) if power(p, order) == 1 and all(power(p, order // q) != 1 for q in parts)]


def main() -> None:
    state = torch.zeros(DIMENSIONS, BITS, dtype=torch.int64)
    torch._sobol_engine_initialize_state_(state, DIMENSIONS)
    rows, bits = state.tolist(), []
    polynomials = [(s, p) for s in range(1, 19) for p in primitive(s)][: DIMENSIONS - 1]
    for row, (s, p) in zip(rows[1:], polynomials, strict=True):
        m = [row[k] >> (BITS - 1 - k) for k in range(s)]
        assert all(n & 1 and n < 2 << k for k, n in enumerate(m))
        bits.append(f"{s:05b}" + f"{p:b}"[1:-1] + "".join(f"{n >> 1:0{k}b}" for k, n in enumerate(m) if k))
    whole = "".join(bits)
    whole += "0" * (-len(whole) % 32)
    text = base64.b85encode(int(whole, 2).to_bytes(len(whole) // 8, "big")).decode()
    FILE.write_text("".join(f"{text[i : i + 500]}\n" for i in range(0, len(text), 500)))


if __name__ == "__main__":
    main()
