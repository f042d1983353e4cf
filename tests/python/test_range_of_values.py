"""Loops over range() whose ends are values of tensors: a trace, a symbolic trace and torch.compile run as often as the program does."""

from __future__ import annotations

import random
from collections.abc import Callable

import monograph as torch
import pytest
from monograph import fx

Program = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def to_the_end(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(int(n)):
        x = x + i
    return x


def to_the_largest_element(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for _ in range((x.long() + n).max().item()):
        x = x - 1
    return x


def with_start_and_step(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(1, int(n), 2):
        x = x * 2 + i
    return x


def downwards(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(int(n), 0, -1):
        x = x * 2 + i
    return x


def from_behind(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in reversed(range(int(n))):
        x = x * 2 + i
    return x


def left_early(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(int(n)):
        if i == 2:
            break
        x = x + 1
    else:
        x = x * 10
    return x


def one_in_another(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(int(n)):
        for j in range(i):
            x = x + i * j
    return x


PROGRAMS = [to_the_end, to_the_largest_element, with_start_and_step, downwards, from_behind, left_early, one_in_another]
CAPTURES: dict[str, Callable[[Program], Program]] = {
    "trace": lambda f: torch.jit.trace(f, (torch.ones(2), torch.tensor(3)), check_trace=False),
    "symbolic": fx.symbolic_trace,
    "compile": torch.compile,
}


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_range_ends_at_a_value(program: Program, capture: str, sample_seed: int) -> None:
    random.seed(sample_seed)
    captured = CAPTURES[capture](program)
    for n in (0, 1, 2, 5, -2, random.randrange(12)):
        for size in (0, 1, 3):
            if size == 0 and program is to_the_largest_element:
                continue  # max() of no elements raises
            x = torch.tensor([float(random.randrange(-3, 4)) for _ in range(size)])
            wanted, got = program(x, torch.tensor(n)), captured(x, torch.tensor(n))
            assert torch.equal(wanted, got), f"n = {n}, x = {x}"
