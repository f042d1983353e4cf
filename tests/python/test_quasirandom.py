"""torch.quasirandom.SobolEngine: its points beside PyTorch's, bit for bit."""

from __future__ import annotations

import pickle

import monograph as torch
import numpy as np
import pytest
from monograph.quasirandom import SobolEngine

# What each program draws, as tensors; `engine` makes a SobolEngine.
PROGRAMS = {
    "first points": "[engine(5).draw(7)]",
    "one by one": "[e.draw() for e in [engine(3)] for _ in range(5)]",
    "pieces": "[e.draw(n) for e in [engine(4, scramble=True, seed=3)] for n in (1, 2, 5, 1, 8, 100)]",
    "many dims": "[engine(21201).draw(3)[:, ::97], engine(1000, scramble=True, seed=0).draw(4)[:, ::13]]",
    "many points": "[engine(2).draw(3000)[::31]]",
    "float64": "[e.draw(n, dtype=torch.float64) for e in [engine(3, scramble=True, seed=11)] for n in (3, 4)]",
    "scrambled by the default generator": "[(torch.manual_seed(5), engine(4, scramble=True))[1].draw(9)]",
    "left out": "[e.fast_forward(n).draw(3) for e in [engine(3), engine(3, True, 1)] for n in (1, 4, 13)]",
    "from the start": "[e.reset().draw(4) for e in [engine(3, True, 2)] for _ in range(2)]",
    "powers of two": "[e.draw_base2(m) for e in [engine(3, True, 2)] for m in (2, 2, 3)]",
    "into a tensor": "[engine(3).draw(4, out=torch.empty(0)), engine(3).draw(4, out=torch.ones(9, 9))]",
    "its numbers": "[engine(40).sobolstate, engine(3, True, 9).sobolstate, engine(3, True, 9).shift]",
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_points_are_those_of_pytorch(oracle, name):
    found = eval(PROGRAMS[name], {"torch": torch, "engine": SobolEngine})
    expected = oracle.run(f"engine = torch.quasirandom.SobolEngine\nresult = {PROGRAMS[name]}")
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        a = a.numpy()
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == np.ascontiguousarray(b).tobytes()


def test_the_first_points():
    assert SobolEngine(3).draw(4).tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]]


def test_each_half_of_each_coordinate_has_half_of_the_points():
    for engine in (SobolEngine(50), SobolEngine(50, scramble=True, seed=1)):
        points = engine.draw(64)
        for k in range(1, 7):  # in each of 2**k pieces of equal length
            counts = [[int((column * 2**k).long().eq(i).sum()) for i in range(2**k)] for column in points.t()]
            assert all(n == 64 // 2**k for row in counts for n in row)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SobolEngine(0), r"Supported range of dimensionality for SobolEngine is \[1, 21201\]"),
        (lambda: SobolEngine(21202), r"Supported range of dimensionality for SobolEngine is \[1, 21201\]"),
        (lambda: unbalanced(), r"n=3\+2\*\*2=7"),
    ],
)
def test_what_it_refuses(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def unbalanced():
    engine = SobolEngine(2)
    engine.draw(3)
    engine.draw_base2(2)


def test_its_text_and_its_copies():
    engine = SobolEngine(2, scramble=True, seed=4)
    assert repr(engine) == "SobolEngine(dimension=2, scramble=True, seed=4)" and repr(SobolEngine(3)) == "SobolEngine(dimension=3)"
    engine.draw(5)
    copy = pickle.loads(pickle.dumps(engine))
    assert torch.equal(copy.draw(3), engine.draw(3))
