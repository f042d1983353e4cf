"""A long row that threads share has the bits of the same row on one thread."""

import monograph as torch
import pytest

SIZES = [16384, 16385, 70000, 131072, 3 * 8192 + 1, (1 << 18) + 8191, 500_001]
REDUCTIONS = {
    "sum": torch.sum,
    "mean": torch.mean,
    "amax": torch.amax,
    "amin": torch.amin,
    "var": torch.var,
}


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


CASES = [(name, dtype) for name in REDUCTIONS for dtype in (torch.float32, torch.float64)]
CASES += [(name, torch.int64) for name in ("sum", "amax", "amin")]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_bits_do_not_depend_on_threads(name, dtype, threads):
    torch.manual_seed(3)
    reduce = REDUCTIONS[name]
    for n in SIZES:
        x = (torch.randn(n) * 100).to(dtype)
        rows = torch.stack([x, x.flip(0), x])
        for values, dim in [(x, 0), (rows, 1), (x[::2], 0), (rows[1:], 1)]:
            threads(1)
            expected = reduce(values, dim).numpy().tobytes()
            for count in (2, 3, 7):
                threads(count)
                assert reduce(values, dim).numpy().tobytes() == expected, (n, count)


def test_nan_and_infinity_reach_the_result(threads):
    threads(4)
    x = torch.zeros(100_000)
    x[77_777] = float("nan")
    assert torch.isnan(torch.sum(x, 0)) and torch.isnan(torch.amax(x, 0)) and torch.isnan(torch.mean(x, 0))
    x[77_777] = float("-inf")
    assert torch.amin(x, 0).item() == float("-inf") and torch.amax(x, 0).item() == 0
