"""Prints the coefficients of src/ops/families/special_tables.h from the definitions of the functions, with 40 digits (needs mpmath).

python tools/special_tables.py
"""

from __future__ import annotations

from collections.abc import Callable

from mpmath import besseli, cos, erfc, euler, exp, log, mp, mpf, pi, sqrt, zeta

mp.dps = 40
LEAST = mpf(2) ** -58  # of the largest coefficient: below it float64 sees none


def chebyshev(function: Callable[[mpf], mpf], points: int) -> list[mpf]:
    """c0, c1, .. of c0 / 2 + c1 T1(y) + .. = function(y)."""
    places = [cos(pi * (k + mpf(1) / 2) / points) for k in range(points)]
    values = [function(y) for y in places]
    series = [mpf(2) / points * sum(values[k] * cos(pi * j * (k + mpf(1) / 2) / points) for k in range(points)) for j in range(50)]
    while abs(series[-1]) < LEAST * max(map(abs, series)):
        series.pop()
    return series


def near(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = 4 * (y + 1)
        return exp(-x) * besseli(order, x) / (x if order else 1)

    return function


def far(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = 16 / (y + 1)
        return sqrt(x) * exp(-x) * besseli(order, x)

    return function


def log_scaled_erfc(y: mpf) -> mpf:
    t = (y + 1) / 2
    u = 2 / t - 2
    if u <= 50:
        return log(exp(u * u) * erfc(u) / t)
    total = term = mpf(1)
    for k in range(1, 40):  # the asymptotic series, up to its least term
        following = -term * (2 * k - 1) / (2 * u * u)
        if abs(following) > abs(term):
            break
        term = following
        total += term
    return log(total / (u * sqrt(pi)) / t)


def main() -> None:
    gamma = [1 - euler, *((-1) ** k * (zeta(k) - 1) / k for k in range(2, 34))]
    tables = {"kI0Near": chebyshev(near(0), 200), "kI1Near": chebyshev(near(1), 200), "kI0Far": chebyshev(far(0), 120), "kI1Far": chebyshev(far(1), 120),
              "kLogErfcx": chebyshev(log_scaled_erfc, 150), "kLogGamma": gamma}  # fmt: skip
    for name, series in tables.items():
        print(f"inline constexpr double {name}[] = {{{', '.join(float(c).hex() for c in series)}}};")


if __name__ == "__main__":
    main()
