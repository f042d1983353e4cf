"""F.interpolate of uint8 images: bits of PyTorch's integer arithmetic, written here once more in Python's ints."""

from __future__ import annotations

import math
import random

import monograph as torch
import pytest

F = torch.nn.functional


def weights(n: int, m: int, cubic: bool, corners: bool, factor: float | None) -> tuple[list, int]:
    """For each of m results the first of the n elements that it reads, and their weights in integers; and how many bits these have behind the point."""
    step = ((n - 1) / (m - 1) if m > 1 else 0.0) if corners else 1.0 / factor if factor else n / m
    taps, rows = 4 if cubic else 2, []
    for i in range(m):
        source = step * i if corners else step * (i + 0.5) - 0.5
        if not corners and not cubic:
            source = max(source, 0.0)
        before = min(math.floor(source), n - 1)
        beyond = min(max(source - before, 0.0), 1.0)
        places = [before - taps // 2 + 1 + k for k in range(taps)]
        first = max(places[0], 0)
        row = [0.0] * (min(places[-1] + 1, n) - first)
        for k, place in enumerate(places):
            d = abs(k + 1 - taps // 2 - beyond)
            if not cubic:
                weight = max(1.0 - d, 0.0)
            elif d < 1:
                weight = ((2 - 0.75) * d - (3 - 0.75)) * d * d + 1
            else:
                weight = (((d - 5) * d + 8) * d - 4) * -0.75 if d < 2 else 0.0
            row[min(max(place, 0), n - 1) - first] += weight
        rows.append((first, row))
    largest, bits = max(w for _, row in rows for w in row), 0
    while bits < 22 and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    return [(first, [int(w * (1 << bits) + (-0.5 if w < 0 else 0.5)) for w in row]) for first, row in rows], bits


def along(line: list[int], table: tuple[list, int]) -> list[int]:
    rows, bits = table
    sums = [sum(w * line[first + k] for k, w in enumerate(row)) for first, row in rows]
    return [min(max((s + (1 << (bits - 1))) >> bits, 0), 255) for s in sums]


def by_hand(image: list[list[int]], size, cubic: bool, corners: bool, factors) -> list[list[int]]:
    for m, factor in ((size[1], factors[1]), (size[0], factors[0])):
        if m != len(image[0]):
            table = weights(len(image[0]), m, cubic, corners, factor)
            image = [along(line, table) for line in image]
        image = [list(column) for column in zip(*image, strict=True)]
    return image


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("corners", [False, True])
def test_bytes_are_interpolated_in_integers(mode, corners):
    random.seed(0)
    torch.manual_seed(0)
    for case in range(40):
        x = torch.randint(0, 256, (1, random.choice([1, 3, 6]), random.randint(1, 20), random.randint(1, 20)), dtype=torch.uint8)
        size, factors, given = (random.randint(1, 30), random.randint(1, 30)), (None, None), {}
        if case % 4 == 0:
            factor = random.choice([1.7, 2.3, 0.9, 3.0])
            size, factors = tuple(int(n * factor) for n in x.shape[2:]), (factor, factor)
            if 0 in size:
                continue
            given["scale_factor"] = factor
        else:
            given["size"] = size
        made = F.interpolate(x, mode=mode, align_corners=corners, **given)
        assert made.dtype == torch.uint8
        for channel, wanted in zip(made[0], x[0], strict=True):
            assert channel.tolist() == by_hand(wanted.tolist(), size, mode == "bicubic", corners, factors)


def test_bytes_of_any_layout_and_on_any_number_of_threads():
    torch.manual_seed(0)
    x = torch.randint(0, 256, (3, 5, 40, 50), dtype=torch.uint8)
    wanted = F.interpolate(x, size=(67, 31), mode="bicubic")
    assert F.interpolate(x.permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0), size=(67, 31), mode="bicubic").equal(wanted)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert F.interpolate(x, size=(67, 31), mode="bicubic").equal(wanted)
    finally:
        torch.set_num_threads(before)
    assert torch.jit.trace(lambda t: F.interpolate(t, size=(67, 31), mode="bicubic"), (x,))(x).equal(wanted)
