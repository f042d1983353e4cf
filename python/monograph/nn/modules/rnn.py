from __future__ import annotations

import math
from typing import Any

from ..._tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .linear import _empty
from .module import Module


class LSTMCell(Module):
    """One step of a long short-term memory."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        for name, size in (("weight_ih", (4 * hidden_size, input_size)), ("weight_hh", (4 * hidden_size, hidden_size)), ("bias_ih", (4 * hidden_size,)), ("bias_hh", (4 * hidden_size,))):
            wanted = bias or not name.startswith("bias")
            self.register_parameter(name, Parameter(_empty(*size, dtype=dtype, device=device)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if hx is None:
            sizes = list(input.size())
            sizes[-1] = self.hidden_size
            zeros = input.new_zeros(sizes)
            hx = (zeros, zeros)
        h, c = hx
        gates = F.linear(input, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        i, f, g, o = gates.chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")
