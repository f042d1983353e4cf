"""Prints the coefficients of src/ops/families/special_tables.h from the definitions of the functions, with 40 digits (needs mpmath).

python tools/special_tables.py
"""

from __future__ import annotations

from collections.abc import Callable

from mpmath import airyai, airybi, besseli, besselj, besselk, bessely, cos, erfc, euler, exp, log, mp, mpf, pi, sin, sqrt, zeta

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


# The functions below take y from -1 to 1, and are series of the functions' smooth parts: what is left without the logarithm, the pole and the oscillation.


def j_near(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = sqrt(32 * (y + 1))
        return besselj(order, x) / (x if order else 1)

    return function


def y_near(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = sqrt(32 * (y + 1))
        smooth = bessely(order, x) - 2 / pi * log(x) * besselj(order, x)
        return (smooth + 2 / (pi * x)) / x if order else smooth

    return function


def jy_far(order: int, sine: bool) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = sqrt(128 / (y + 1))
        turned, size = x - (2 * order + 1) * pi / 4, sqrt(pi * x / 2)
        if sine:
            return size * (bessely(order, x) * cos(turned) - besselj(order, x) * sin(turned)) * x
        return size * (besselj(order, x) * cos(turned) + bessely(order, x) * sin(turned))

    return function


def k_near(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = sqrt(2 * (y + 1))
        if order:
            return x * (besselk(1, x) - log(x / 2) * besseli(1, x))
        return besselk(0, x) + log(x / 2) * besseli(0, x)

    return function


def k_far(order: int) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        x = 4 / (y + 1)
        return sqrt(x) * exp(x) * besselk(order, x)

    return function


def airy_right(y: mpf) -> mpf:
    zeta_of = 2 * AIRY_AT_TWO / (y + 1)
    x = (zeta_of * 3 / 2) ** (mpf(2) / 3)
    return exp(zeta_of) * sqrt(sqrt(x)) * airyai(x)


def airy_left(sine: bool) -> Callable[[mpf], mpf]:
    def function(y: mpf) -> mpf:
        zeta_of = AIRY_AT_TWO * sqrt(2 / (y + 1))
        x = (zeta_of * 3 / 2) ** (mpf(2) / 3)
        turned, size = zeta_of + pi / 4, sqrt(pi) * sqrt(sqrt(x))
        if sine:
            return size * (airybi(-x) * sin(turned) - airyai(-x) * cos(turned)) * zeta_of
        return size * (airyai(-x) * sin(turned) + airybi(-x) * cos(turned))

    return function


AIRY_AT_TWO = mpf(2) / 3 * mpf(2) ** (mpf(3) / 2)


def main() -> None:
    gamma = [1 - euler, *((-1) ** k * (zeta(k) - 1) / k for k in range(2, 34))]
    tables = {"kI0Near": chebyshev(near(0), 200), "kI1Near": chebyshev(near(1), 200), "kI0Far": chebyshev(far(0), 120), "kI1Far": chebyshev(far(1), 120),
              "kLogErfcx": chebyshev(log_scaled_erfc, 150), "kLogGamma": gamma}  # fmt: skip
    for order in (0, 1):
        tables |= {f"kJ{order}Near": chebyshev(j_near(order), 60), f"kY{order}Near": chebyshev(y_near(order), 60)}
        tables |= {f"kBessel{order}Cosine": chebyshev(jy_far(order, False), 80), f"kBessel{order}Sine": chebyshev(jy_far(order, True), 80)}
        tables |= {f"kK{order}Near": chebyshev(k_near(order), 60), f"kK{order}Far": chebyshev(k_far(order), 100)}
    tables |= {"kAiryNear": chebyshev(lambda y: airyai(2 * y), 80), "kAiryRight": chebyshev(airy_right, 100)}
    tables |= {"kAiryCosine": chebyshev(airy_left(False), 80), "kAirySine": chebyshev(airy_left(True), 80)}
    for name, series in tables.items():
        print(f"inline constexpr double {name}[] = {{{', '.join(float(c).hex() for c in series)}}};")


if __name__ == "__main__":
    main()
