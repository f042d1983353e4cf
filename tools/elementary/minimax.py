#!/usr/bin/env python3
"""Derives the polynomial coefficients of the elementary functions: writes src/ops/elementary/tables.h.

    python tools/elementary/minimax.py > src/ops/elementary/tables.h

Each table is the polynomial p that minimizes max |w(u) (g(u) - p(u))| over [low, high]: Remez's exchange on a dense grid of Chebyshev
points, in 60 digits. Coefficients are rounded to their dtype one by one, lowest power first, and those that follow are fitted again, so
that rounding costs little. `w` is the share of the polynomial in the function's value, so the error is relative to the result.
The comment after each table is its largest relative error as a power of two, rounded coefficients included.
"""
import struct
import sys

import numpy as np
from mpmath import mp, mpf

mp.dps = 50


def round_to(dtype, x):
    if dtype == "f64":
        return mpf(float(x))
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def evaluate(c, u):
    s = mpf(0)
    for k in reversed(c):
        s = s * u + k
    return s


def remez(us, gs, ws, first, count):
    """Coefficients of u^first ... u^(first+count-1), nearest to gs with weights ws."""
    n = len(us)
    pick = [round((n - 1) * (1 - mp.cos(mp.pi * k / count)) / 2) for k in range(count + 1)]
    best = None
    for _ in range(30):
        rows = [[us[i] ** (first + k) * ws[i] for k in range(count)] + [mpf(-1) ** j] for j, i in enumerate(pick)]
        solution = list(mp.lu_solve(mp.matrix(rows), mp.matrix([gs[i] * ws[i] for i in pick])))
        c, level = solution[:count], abs(solution[count])
        errors = [w * (g - u**first * evaluate(c, u)) for u, g, w in zip(us, gs, ws)]
        worst = max(abs(e) for e in errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        if worst <= level * mpf("1.001"):
            break
        # The extremum of each run of one sign; then the count + 1 neighbours of largest worst error.
        runs = []
        for i, e in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > count + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < count + 1 or runs == pick:
            break
        pick = runs
    return best[1]


def fit(dtype, g, w, low, high, count):
    low, high = mpf(low), mpf(high)
    points = 24 * count + 200
    us = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * points)) for k in range(points)]
    gs, ws = [g(u) for u in us], [w(u) for u in us]
    fixed = []
    for k in range(count):
        rest = [a - evaluate(fixed, u) for a, u in zip(gs, us)]
        fixed.append(round_to(dtype, remez(us, rest, ws, k, count - k)[0]))
    # Where 0 lies inside the interval, fitting u^k p(u) may not converge: plain rounding is the other candidate.
    plain = [round_to(dtype, x) for x in remez(us, gs, ws, 0, count)]
    error = lambda c: max(abs(b * (a - evaluate(c, u))) for a, b, u in zip(gs, ws, us))
    return min((error(c), c) for c in (fixed, plain))


def fit_quotient(g, w, low, high, count):
    """float32 coefficients of p and q and a number c, so that max |w(u) (g(u) - c - p(u) / q(u))| is small: a quotient of two polynomials with
    `count` coefficients each, less the products that its limit c and the last coefficient of q, 1, turn into additions. q comes from
    Lawson's iteration, weighted least squares that lean towards where the error was largest; p is then fitted to (g - c) q."""
    v = -np.cos(np.pi * (np.arange(600) + 0.5) / 600)
    us = [(mpf(low) + mpf(high)) / 2 + (mpf(high) - mpf(low)) / 2 * mpf(x) for x in v]
    gs, ws = (np.array([float(f(u)) for u in us]) for f in (g, w))
    base = np.polynomial.chebyshev.chebvander(v, count - 1)
    lean, q, best = np.ones(600), np.ones(600), (np.inf, None)
    for _ in range(800):
        rows = np.hstack([base, -gs[:, None] * base]) * (np.sqrt(lean) * ws / np.abs(q))[:, None]
        c = np.linalg.svd(rows, full_matrices=False)[2][-1]
        q = base @ c[count:]
        error = ws * np.abs(gs - base @ c[:count] / q)
        if error.max() < best[0] and (q > 0).all() == (q[0] > 0):
            best = (error.max(), c[count:])
        lean = np.maximum(lean * error / error.max(), 1e-14 * lean.max())
        lean /= lean.sum()
    line = np.polynomial.Polynomial([-(high + low) / (high - low), 2 / (high - low)])
    coefficients = np.polynomial.Polynomial(np.polynomial.chebyshev.cheb2poly(best[1]))(line).coef
    q = [round_to("f32", x / coefficients[-1]) for x in coefficients]
    _, whole = fit("f32", lambda u: g(u) * evaluate(q, u), lambda u: w(u) / evaluate(q, u), low, high, count)
    c = whole[-1]
    error, p = fit("f32", lambda u: (g(u) - c) * evaluate(q, u), lambda u: w(u) / evaluate(q, u), low, high, count - 1)
    return error, p, q, c


def exp_tail(r):  # e^r = 1 + r + r^2 g(r)
    return (mp.expm1(r) - r) / r**2


def exp2_tail(r):  # 2^r = 1 + r g(r)
    return mp.expm1(r * mp.log(2)) / r


def log_tail(f):  # log(1 + f) = f + f^2 g(f)
    return (mp.log1p(f) - f) / f**2


def odd_tail(function):  # function(x) = x + x^3 g(x^2)
    return lambda u: (function(mp.sqrt(u)) / mp.sqrt(u) - 1) / u


def odd_weight(function):
    return lambda u: u * mp.sqrt(u) / function(mp.sqrt(u))


def cos_tail(u):  # cos(x) = 1 - x^2 / 2 + x^4 g(x^2)
    return (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2


def atanh_tail(u):  # log((1 + s) / (1 - s)) = 2 s + s^3 g(s^2)
    s = mp.sqrt(u)
    return (2 * mp.atanh(s) / s - 2) / u


def atanh_weight(u):
    return u * mp.sqrt(u) / (2 * mp.atanh(mp.sqrt(u)))


def atanh_tail2(u):  # the same after 2 s + s^3 (2/3 + s^2 g)
    return (atanh_tail(u) - mpf(2) / 3) / u


def erf_small(u):  # erf(x) = x + x g(x^2)
    return mp.erf(mp.sqrt(u)) / mp.sqrt(u) - 1


def erf_small_weight(u):
    return mp.sqrt(u) / mp.erf(mp.sqrt(u))


def erf_exponent(x):  # erf(x) = 1 - exp(-(x + x g(x)))
    return -mp.log(mp.erfc(x)) / x - 1


def normal_half(u):  # the normal distribution's cumulative function is 1/2 + x g(x^2)
    return mp.erf(mp.sqrt(u / 2)) / (2 * mp.sqrt(u)) if u else 1 / mp.sqrt(2 * mp.pi)


def erfc_scaled(t):  # exp(x^2) erfc(x) (1 + 2 x) = g((x - 4) / (x + 4))
    x = 4 * (1 + t) / (1 - t)
    if x > 100:
        series = mpf(0)
        term = mpf(1)
        for k in range(1, 20):
            series += term
            term *= -(2 * k - 1) / (2 * x * x)
        return (1 + 2 * x) * series / (x * mp.sqrt(mp.pi))
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def erfinv_ratio(w):  # erfinv(x) = x g(w) with w = -log((1 - x)(1 + x)); by Newton's steps on log(erfc(z)), so that x near 1 loses nothing
    if w < mpf("1e-20"):
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    goal = -w - mp.log(1 + x)  # log(1 - x)
    z = x * mp.sqrt(mp.pi) / 2 if w < 1 else mp.sqrt(w) * mpf("0.9")
    for _ in range(100):
        rest = mp.erfc(z)
        step = (mp.log(rest) - goal) * rest * mp.sqrt(mp.pi) / 2 * mp.exp(z * z)
        z += step
        if abs(step) < mpf(10) ** -(mp.dps - 4):
            break
    return z / x


ERFINV_NEAR = lambda u: erfinv_ratio(u + mpf("3.125"))  # w from 0 to 6.25
ERFINV_MIDDLE = lambda u: erfinv_ratio((u + mpf("3.25")) ** 2)  # the root of w from 2.5 to 4
ERFINV_FAR = lambda u: erfinv_ratio((u + 5) ** 2)  # from 4 to 6.01, which float64 has near 1
relative = lambda g: lambda u: 1 / g(u)
# The parts of the same for float32: x (sqrt(pi) / 2 + w g(w)), and x (root + g(root - 3.125)).
erfinv_above_slope = lambda w: (erfinv_ratio(w) - mp.sqrt(mp.pi) / 2) / w
erfinv_above_root = lambda u: erfinv_ratio((u + mpf("3.125")) ** 2) - (u + mpf("3.125"))


def one(u):
    return mpf(1)


LOG_LOW, LOG_HIGH = mp.sqrt(mpf(0.5)) - 1, mp.sqrt(2) - 1
S_HIGH = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
HALF_LN2 = mpf("0.3468")
QUARTER_PI2 = mpf("0.6185")  # a little more than (pi / 4)^2
TAN_EIGHTH2 = (mp.tan(mp.pi / 8)) ** 2 * mpf("1.0001")

# name, dtype, g, w, low, high, count
exp_w = lambda r: r**2 / mp.exp(r)
exp2_w = lambda r: r / mp.exp(r * mp.log(2))
log_w = lambda f: f**2 / mp.log1p(f)
atanh2_w = lambda u: atanh_weight(u) * u
TABLES = [
    ("kExpF32", "f32", exp_tail, exp_w, -HALF_LN2, HALF_LN2, 5),
    ("kExpF64", "f64", exp_tail, exp_w, -HALF_LN2, HALF_LN2, 10),
    ("kExp2F32", "f32", exp2_tail, exp2_w, "-0.5", "0.5", 6),
    ("kExp2F64", "f64", exp2_tail, exp2_w, "-0.5", "0.5", 11),
    ("kExp2Half", "f64", exp2_tail, exp2_w, "-0.5", "0.5", 6),
    ("kLogF32", "f32", log_tail, log_w, LOG_LOW, LOG_HIGH, 9),
    ("kAtanhF64", "f64", atanh_tail, atanh_weight, 0, S_HIGH, 7),
    ("kAtanhHalf", "f64", atanh_tail, atanh_weight, 0, S_HIGH, 4),
    ("kAtanhPow", "f64", atanh_tail2, atanh2_w, 0, S_HIGH, 8),
    ("kSinF32", "f32", odd_tail(mp.sin), odd_weight(mp.sin), 0, QUARTER_PI2, 3),
    ("kSinF64", "f64", odd_tail(mp.sin), odd_weight(mp.sin), 0, QUARTER_PI2, 7),
    ("kSinHalf", "f64", odd_tail(mp.sin), odd_weight(mp.sin), 0, QUARTER_PI2, 4),
    ("kCosF32", "f32", cos_tail, lambda u: u**2 / mp.cos(mp.sqrt(u)), 0, QUARTER_PI2, 3),
    ("kCosF64", "f64", cos_tail, lambda u: u**2 / mp.cos(mp.sqrt(u)), 0, QUARTER_PI2, 6),
    ("kCosHalf", "f64", cos_tail, lambda u: u**2 / mp.cos(mp.sqrt(u)), 0, QUARTER_PI2, 3),
    ("kAsinF32", "f32", odd_tail(mp.asin), odd_weight(mp.asin), 0, "0.3165", 6),
    ("kAsinF64", "f64", odd_tail(mp.asin), odd_weight(mp.asin), 0, "0.3165", 14),
    ("kAtanF32", "f32", odd_tail(mp.atan), odd_weight(mp.atan), 0, 1, 9),
    ("kAtanF64", "f64", odd_tail(mp.atan), odd_weight(mp.atan), 0, TAN_EIGHTH2, 11),
    ("kAtanHalf", "f64", odd_tail(mp.atan), odd_weight(mp.atan), 0, TAN_EIGHTH2, 5),
    ("kSinhF32", "f32", odd_tail(mp.sinh), odd_weight(mp.sinh), 0, 1, 4),
    ("kSinhF64", "f64", odd_tail(mp.sinh), odd_weight(mp.sinh), 0, 1, 7),
    ("kTanhF32", "f32", odd_tail(mp.tanh), odd_weight(mp.tanh), 0, "0.3025", 5),
    ("kTanhF64", "f64", odd_tail(mp.tanh), odd_weight(mp.tanh), 0, "0.3025", 11),
    ("kErfSmallF64", "f64", erf_small, erf_small_weight, 0, 1, 14),
    ("kErfF32", "f32", erf_exponent, lambda x: x * mp.erfc(x) / mp.erf(x), 0, "3.93", 9),
    ("kErfcF64", "f64", erfc_scaled, one, "-0.78", "0.76", 22),
    ("kErfcHalf", "f64", erfc_scaled, one, "-1", "0.467", 12),
    ("kErfinvNearF32", "f32", erfinv_above_slope, lambda w: w / erfinv_ratio(w), "1e-12", 5, 10),
    ("kErfinvNearF64", "f64", ERFINV_NEAR, relative(ERFINV_NEAR), "-3.125", "3.125", 24),
    ("kErfinvMiddleF32", "f32", erfinv_above_root, lambda u: 1 / erfinv_ratio((u + mpf("3.125")) ** 2), "-0.889", "0.875", 11),
    ("kErfinvMiddleF64", "f64", ERFINV_MIDDLE, relative(ERFINV_MIDDLE), "-0.75", "0.75", 22),
    ("kErfinvFarF64", "f64", ERFINV_FAR, relative(ERFINV_FAR), "-1", "1.01", 18),
]


# name, g, w, low, high, count: quotients; the error is absolute, in the whole expression.
QUOTIENTS = [("kNormalF32", normal_half, mp.sqrt, 0, 5.43**2, 6)]


def print_table(name, dtype, c, error):
    words = ", ".join(float(x).hex().replace("0000000000p", "p") if dtype == "f32" else float(x).hex() for x in c)
    print(f"inline constexpr double {name}[] = {{{words}}};  // 2^{float(mp.log(error, 2)):.1f}", flush=True)


def main():
    only = sys.argv[1:]
    print("// Written by tools/elementary/minimax.py, which says what each table approximates and how; the power of two is its relative error.")
    print("#pragma once\n\n#include <cstdint>\n\nnamespace monograph::tables {\n")
    for name, dtype, g, w, low, high, count in TABLES:
        if only and name not in only:
            continue
        error, c = fit(dtype, g, w, low, high, count)
        print_table(name, dtype, c, error)
    for name, g, w, low, high, count in QUOTIENTS:
        if only and name not in only:
            continue
        error, p, q, c = fit_quotient(g, w, low, high, count)
        print_table(f"{name}P", "f32", p, error)
        print_table(f"{name}Q", "f32", q, error)
        print(f"inline constexpr double {name}C = {float(c).hex()};", flush=True)
    if only:
        return
    # 2 / pi to 1,216 bits: kTwoOverPiF32[k] holds the 64 bits from bit 32 k after 16 zeros, kTwoOverPiF64[k] those from 64 k after 32 zeros.
    mp.prec = 1400
    for name, step, zeros, count in (("kTwoOverPiF32", 32, 16, 6), ("kTwoOverPiF64", 64, 32, 19)):
        digits = int(mp.floor(2 / mp.pi * mpf(2) ** 1300))
        total = 1300 + zeros
        words = [(digits >> (total - step * k - 64)) & (2**64 - 1) for k in range(count)]
        print(f"inline constexpr uint64_t {name}[] = {{{', '.join(f'{w:#x}' for w in words)}}};")
    # Constants as sums of parts, each the nearest value to what is left.
    constants = (("kLn2", mp.log(2)), ("kPiHalf", mp.pi / 2), ("kLog2E", 1 / mp.log(2)), ("kLog10E", 1 / mp.log(10)), ("kLog10Of2", mp.log10(2)))
    for name, value in constants:
        for dtype in ("f32", "f64"):
            parts = []
            for _ in range(3):
                parts.append(round_to(dtype, value - sum(parts)))
            print(f"inline constexpr double {name}{dtype.upper()}[] = {{{', '.join(float(x).hex() for x in parts)}}};")
    print("\n}  // namespace monograph::tables")


if __name__ == "__main__":
    main()
