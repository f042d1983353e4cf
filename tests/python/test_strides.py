"""Strides of results: those of PyTorch 2.13, which decide in which order a later draw fills them."""

from __future__ import annotations

import monograph as torch
import pytest

F = torch.nn.functional


@pytest.fixture
def gaps():
    """A permuted tensor with gaps between its elements, [4, 2, 2]."""
    return torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1)[:, :, ::2]


@pytest.mark.parametrize(
    "program",
    [
        torch.relu,
        torch.clone,
        torch.empty_like,
        torch.rand_like,
        F.dropout,
        lambda x: x + x,
        lambda x: x * 2,
        lambda x: x.double(),
        lambda x: torch.where(x > 3, x, x),
        lambda x: x + torch.ones(2),
        lambda x: x + torch.ones(4, 2, 2),
    ],
)
def test_a_permutation_with_gaps_is_kept(program, gaps):
    assert program(gaps).stride() == (1, 8, 4)


def test_the_first_operand_that_tells_two_dims_apart_decides(gaps):
    contiguous = torch.ones(4, 2, 2)
    assert (contiguous + gaps).stride() == (4, 2, 1)
    assert (torch.ones(2) + gaps).stride() == (1, 8, 4)
    assert (torch.ones(4, 1, 1) + gaps).stride() == (1, 8, 4)
    assert (gaps.sum(0) + torch.ones(2, 2)).stride() == (2, 1)


def test_repeated_elements_are_laid_out_one_by_one():
    x = torch.ones(3, 1).expand(3, 4)
    assert x.clone().stride() == x.relu().stride() == (x + x).stride() == (4, 1)
    assert torch.ones(3).expand(4, 3).t().relu().stride() == (4, 1)


def test_a_fused_chain_lays_its_result_out_as_the_operators_do(gaps):
    def chain(x, y):
        return torch.relu(x * 2 + y) - x

    traced = torch.jit.trace(chain, (gaps, torch.ones(2)))
    for x in (gaps, gaps.contiguous(), gaps.transpose(0, 1).contiguous().transpose(0, 1)):
        assert traced(x, torch.ones(2)).stride() == chain(x, torch.ones(2)).stride()


def test_nonzero_stands_dim_by_dim():
    found = torch.tensor([[1, 0], [0, 1], [1, 1]]).nonzero()
    assert found.tolist() == [[0, 0], [1, 1], [2, 0], [2, 1]] and found.stride() == (1, 4)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_operands_without_gaps_give_a_contiguous_result_whatever_dims_of_size_1_say(device):
    x = torch.ones(1, 4, device=device).t()
    assert x.stride() == (1, 4)
    programs = [
        torch.floor,
        torch.square,
        torch.exp,
        lambda x: x + x,
        lambda x: ~(x > 0),
        lambda x: x**2,
        lambda x: torch.lerp(x, x, 0.5),
        lambda x: torch.where(x > 0, x, x),
        lambda x: x * torch.ones(4, 1, device=device),
        lambda x: torch.add(x, x, out=torch.empty(0, device=device)),
    ]
    for program in programs:
        assert program(x).stride() == (1, 1)
    assert torch.relu(torch.ones(2, 1, 3, device=device).permute(1, 0, 2)).stride() == (6, 3, 1)
    assert torch.exp(torch.ones(0, 3, device=device).t()).stride() == (1, 1)
    assert x.clone().stride() == torch.empty_like(x).stride() == (1, 4)
