"""Which tests run, and the fixture `oracle`: live PyTorch in a process of its own."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import hypothesis
import pytest

if os.environ.get("MONOGRAPH_ORACLE"):
    # Whichever process of PyTorch a test starts takes its AVX2 kernels.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "oracle"))
    import pinned  # noqa: F401

# With MONOGRAPH_SEED a run draws the same samples every time: Hypothesis too.
hypothesis.settings.register_profile("repeated", derandomize=True, database=None)
if os.environ.get("MONOGRAPH_SEED"):
    hypothesis.settings.load_profile("repeated")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = pytest.mark.skip(reason="tries very many inputs; ./dev test --slow runs it")
    oracle = pytest.mark.skip(reason="needs live PyTorch; ./dev test --oracle runs it")
    for item in items:
        if item.get_closest_marker("slow") and not os.environ.get("MONOGRAPH_SLOW"):
            item.add_marker(slow)
        if item.get_closest_marker("oracle") and not os.environ.get("MONOGRAPH_ORACLE"):
            item.add_marker(oracle)


@pytest.fixture(scope="session")
def oracle():
    """A LiveOracle; a test that asks for it carries the mark `oracle`."""
    from live_oracle import LiveOracle

    with LiveOracle(os.environ["MONOGRAPH_ORACLE"]) as live:
        yield live


@pytest.fixture(scope="session")
def sample_seed() -> int:
    """The seed of an oracle run's random samples: fresh each time, printed with a failure, set by ./dev test --oracle --seed N."""
    seed = int(os.environ.get("MONOGRAPH_SEED") or random.SystemRandom().randrange(2**31))
    print(f"samples from seed {seed}: ./dev test --oracle --seed {seed} repeats them")
    return seed
