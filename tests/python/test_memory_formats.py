"""memory_format= of empty, to, contiguous and clone: the strides of PyTorch."""

from __future__ import annotations

import monograph as torch
import pytest
from beside import TRY, both

STRIDES = """
def strides(call):
    made = attempt(call)[0]
    return list(made.stride()) if isinstance(made, torch.Tensor) else made.split(":")[0]
result = []
for n in ((2, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (1, 3, 4, 5), (2, 3, 4, 5, 6), (2, 1, 2, 2, 2), (2, 3), (0, 3, 2, 2), (2, 3, 0, 2)):
    for f in (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d):
        made = [lambda: torch.empty(n, memory_format=f), lambda: torch.empty(*n, dtype=torch.int8, memory_format=f), lambda: torch.empty_like(torch.ones(n), memory_format=f)]
        for x in (torch.ones(n), torch.ones(n[::-1]).permute(*range(len(n))[::-1]), torch.ones(*n, 2)[..., 0]):
            made += [lambda x=x: x.to(memory_format=f), lambda x=x: x.to(torch.float64, memory_format=f), lambda x=x: x.contiguous(memory_format=f)]
            made += [lambda x=x: x.clone(memory_format=f), lambda x=x: torch.zeros_like(x, memory_format=f)]
            result.append(x.is_contiguous(memory_format=f) if f is not torch.preserve_format else None)
        result.append([strides(call) for call in made])
"""


@pytest.mark.oracle
def test_strides_are_pytorchs(oracle):
    both(oracle, TRY + STRIDES)


def test_an_image_with_one_channel_is_laid_out_anew():
    x = torch.ones(2, 1, 4, 5)
    assert x.to(memory_format=torch.channels_last).stride() == (20, 1, 5, 1)
    assert x.to(memory_format=torch.contiguous_format) is x


def test_three_dimensional_channels_last():
    x = torch.empty(2, 3, 4, 5, 6, memory_format=torch.channels_last_3d)
    assert x.stride() == (360, 1, 90, 18, 3) and x.is_contiguous(memory_format=torch.channels_last_3d)
    assert (x + 1).stride() == x.stride() and not torch.ones(2, 3, 4, 5, 6).is_contiguous(memory_format=torch.channels_last_3d)
    assert torch.nn.Conv3d(2, 3, 2).to(memory_format=torch.channels_last_3d).weight.stride() == (16, 1, 8, 4, 2)


def test_what_has_no_such_format_is_refused():
    with pytest.raises(RuntimeError, match="channels_last needs a tensor of 4 dims"):
        torch.empty(2, 3, memory_format=torch.channels_last)
    with pytest.raises(RuntimeError, match="channels_last_3d needs a tensor of 5 dims"):
        torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last_3d)
    with pytest.raises(RuntimeError, match="use torch.empty_like"):
        torch.empty(2, 3, memory_format=torch.preserve_format)
