"""RNN, LSTM and GRU, and their cells. RNNBase holds the weights of all layers and directions, checks the input, and calls one operator for the whole sequence."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ... import _C, _VF
from ..._jit_internal import is_scripting
from ..._tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .linear import _empty
from .module import Module


class RNNBase(Module):
    """Layers of cells over sequences, in one or both directions: what recurrent networks share."""

    gates = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
    # The order in which PyTorch has the weights of one layer in one direction.
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, "
                f"but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        for name, flag in (("bias", bias), ("batch_first", batch_first)):
            if not isinstance(flag, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
        if not isinstance(input_size, int):
            raise TypeError(f"input_size should be of type int, got: {type(input_size).__name__}")
        if input_size <= 0:
            raise ValueError("input_size must be greater than zero")
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in self.gates:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode, self.input_size, self.hidden_size, self.num_layers, self.bias = mode, input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = batch_first, float(dropout), bidirectional, proj_size
        self._all_weights: list[list[str]] = []
        self._flat_weights_names: tuple[str, ...] = ()
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 2 if bidirectional else 1]:
                self._make_weights(layer, suffix, dtype, device)
        self.reset_parameters()

    def _make_weights(self, layer: int, suffix: str, dtype: Any, device: Any) -> None:
        ways, rows, out = (2 if self.bidirectional else 1), self.gates[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        below = self.input_size if layer == 0 else out * ways
        sizes = {"weight_ih": (rows, below), "weight_hh": (rows, out), "bias_ih": (rows,), "bias_hh": (rows,), "weight_hr": (self.proj_size, self.hidden_size)}
        names = []
        for kind in self.kinds:
            if (kind.startswith("bias") and not self.bias) or (kind == "weight_hr" and not self.proj_size):
                continue
            names.append(f"{kind}_l{layer}{suffix}")
            self.register_parameter(names[-1], Parameter(_empty(*sizes[kind], dtype=dtype, device=device)))
        self._all_weights.append(names)
        self._flat_weights_names += tuple(names)

    def __getstate__(self) -> dict[str, Any]:
        """What PyTorch's has too: files of a whole module can be read there."""
        names = self._flat_weights_names
        return {**super().__getstate__(), "_flat_weights": [getattr(self, name, None) for name in names], "_flat_weights_names": [*names]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({k: tuple(v) if k == "_flat_weights_names" else v for k, v in state.items() if k != "_flat_weights"})

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def _weights_have_changed(self) -> bool:
        """Of PyTorch, for programs that call it: a list of weights is kept there, and may be old. Here they are read at each call."""
        return False

    def flatten_parameters(self) -> None:
        """Nothing: PyTorch lays the weights out anew for a GPU's library."""

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, default in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0), ("bidirectional", False)):
            value = getattr(self, name)
            if value != default:
                text += f", {name}={value}"
        return text

    def _options(self) -> tuple[Any, ...]:
        """What the operators take after the weights, but for batch_first."""
        return self.bias, self.num_layers, self.dropout, self.training, self.bidirectional

    def _size_of_state(self, batch: Any, size: int) -> tuple[int, Any, int]:
        """(layers times directions, sequences, features)."""
        return (self.num_layers * (2 if self.bidirectional else 1), batch, size)

    def _zeros(self, input: Tensor, batch: Any, size: int) -> Tensor:
        return input.new_zeros(self._size_of_state(batch, size))

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The size of the states that belong to an input: (layers times directions, sequences, features)."""
        batch = input.size(0 if self.batch_first else 1) if batch_sizes is None else int(batch_sizes[0])
        return self._size_of_state(batch, self.proj_size or self.hidden_size)

    def check_hidden_size(self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}") -> None:
        if tuple(hx.size()) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises RuntimeError where the input or the states have other sizes than the layer's."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states with the sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _run(self, input: Any, hx: Any, states: int) -> tuple[Any, tuple[Tensor, ...]]:
        """The output, as padded or packed as the input is, and the last states."""
        operator = getattr(_VF, self.mode.lower())
        packed = isinstance(input, PackedSequence)
        if packed:
            data, batch_sizes, order, back = input
            if is_scripting():
                batch = int(batch_sizes[0])
            else:
                batch = batch_sizes[0].item()
            single = False
        else:
            _C._assume_dims(input, 3)  # the graph of a symbolic trace is made for a batch, and checks it
            if input.dim() not in (2, 3):
                raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D tensor")
            data, batch_sizes, order, back = input, None, None, None
            single = input.dim() == 2
            if single:
                data = data.unsqueeze(0 if self.batch_first else 1)
            batch = data.size(0 if self.batch_first else 1)
        weight = getattr(self, self._flat_weights_names[0])
        # Of a symbolic tensor, whose dtype is not known, the operator checks it.
        if not data._is_symbolic and data.dtype != weight.dtype and not _C._is_autocast_enabled():
            raise ValueError(
                f"RNN input dtype ({data.dtype}) does not match weight dtype ({weight.dtype}). Convert input: input.to({weight.dtype}), or convert model: model.to({data.dtype})"
            )
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)[:states]
        if hx is None:
            before = [self._zeros(data, batch, size) for size in sizes]
        else:
            if states == 2 and isinstance(hx, Tensor) and not hx._is_symbolic and hx.dim() < 4:
                raise TypeError(f"{type(self).__name__}: hx must be the two states (h_0, c_0), but got one Tensor of size {list(hx.size())}")
            before = list(hx) if states == 2 else [hx]
            for state in before:
                _C._assume_dims(state, 3)
                if not packed and state.dim() != (2 if single else 3):
                    raise RuntimeError(f"For {'unbatched 2-D' if single else 'batched 3-D'} input, hx should also be {2 if single else 3}-D but got {state.dim()}-D tensor")
            if single:
                before = [state.unsqueeze(1) for state in before]
            if order is not None:
                before = [state.index_select(1, order) for state in before]
            if packed:  # of padded input, the operator's rule checks them
                for state, size, name in zip(before, sizes, ("hidden[0]", "hidden[1]")[:states], strict=True):
                    self.check_hidden_size(state, self._size_of_state(batch, size), f"Expected {name if states == 2 else 'hidden'} size {{}}, got {{}}")
        given = before if states == 2 else before[0]
        if packed:
            results = operator(data, batch_sizes, given, self._flat_weights, *self._options())
            output, after = results[0], results[1:]
            if back is not None:
                after = tuple(state.index_select(1, back) for state in after)
            return PackedSequence(output, batch_sizes, order, back), after
        results = operator(data, given, self._flat_weights, *self._options(), self.batch_first)
        output, after = results[0], results[1:]
        if single:
            output, after = output.squeeze(0 if self.batch_first else 1), tuple(state.squeeze(1) for state in after)
        return output, after


class RNN(RNNBase):
    """Layers of recurrence with tanh, or with relu.

    Args:
        input_size: how many features each step of the input has.
        hidden_size: how many features a state has.
        num_layers: how many layers there are, each over the outputs of the one before it.
        bias: whether the layers have biases.
        batch_first: whether input and output have the shape (batch, steps, features); otherwise (steps, batch, features).
        dropout: the probability that an element between two layers becomes 0 in training.
        bidirectional: whether a second layer in the other direction stands beside each; the outputs of both are joined.
        nonlinearity: "tanh" or "relu".

    >>> import monograph as torch
    >>> layer = torch.nn.RNN(3, 2)
    >>> layer(torch.zeros(5, 1, 3))[0].shape
    torch.Size([5, 1, 2])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
            if "nonlinearity" in kwargs:
                raise TypeError("RNN got nonlinearity twice: by position and by name")
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self_mode = "RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU"
        super().__init__(self_mode, *args, **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, after = self._run(input, hx, 1)
        return output, after[0]


class LSTM(RNNBase):
    """Layers of long short-term memory.

    Args:
        input_size: how many features each step of the input has.
        hidden_size: how many features a state has.
        num_layers: how many layers there are, each over the outputs of the one before it.
        bias: whether the layers have biases.
        batch_first: whether input and output have the shape (batch, steps, features); otherwise (steps, batch, features).
        dropout: the probability that an element between two layers becomes 0 in training.
        bidirectional: whether a second layer in the other direction stands beside each; the outputs of both are joined.
        proj_size: how many features the outputs are projected to; 0: they are not.

    >>> import monograph as torch
    >>> layer = torch.nn.LSTM(3, 2)
    >>> layer(torch.zeros(5, 1, 3))[0].shape
    torch.Size([5, 1, 2])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The size of the cells that belong to an input: (layers times directions, sequences, features)."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return (layers, batch, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises RuntimeError where the input, the states or the cells have other sizes than the layer's."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden[0], self.get_expected_hidden_size(input, batch_sizes), "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states and the cells with the sequences in another order."""
        return hx if permutation is None else (hx[0].index_select(1, permutation), hx[1].index_select(1, permutation))

    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, tuple[Tensor, Tensor]]:
        output, after = self._run(input, hx, 2)
        return output, (after[0], after[1])


class GRU(RNNBase):
    """Layers of gated recurrent units.

    Args:
        input_size: how many features each step of the input has.
        hidden_size: how many features a state has.
        num_layers: how many layers there are, each over the outputs of the one before it.
        bias: whether the layers have biases.
        batch_first: whether input and output have the shape (batch, steps, features); otherwise (steps, batch, features).
        dropout: the probability that an element between two layers becomes 0 in training.
        bidirectional: whether a second layer in the other direction stands beside each; the outputs of both are joined.

    >>> import monograph as torch
    >>> layer = torch.nn.GRU(3, 2)
    >>> layer(torch.zeros(5, 1, 3))[0].shape
    torch.Size([5, 1, 2])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, after = self._run(input, hx, 1)
        return output, after[0]


class RNNCellBase(Module):
    """One step of a recurrent network: its weights and their first values."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        for name, size in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)), ("bias_ih", (rows,)), ("bias_hh", (rows,))):
            wanted = bias or not name.startswith("bias")
            self.register_parameter(name, Parameter(_empty(*size, dtype=dtype, device=device)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _state(self, input: Tensor) -> Tensor:
        """Zeros, where a call gives no state."""
        sizes = list(input.size())
        sizes[-1] = self.hidden_size
        return input.new_zeros(sizes)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """One step of a recurrence with tanh, or with relu.

    Args:
        input_size: how many features the input has.
        hidden_size: how many features the state has.
        bias: whether a learned number is added.
        nonlinearity: "tanh" or "relu".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.RNNCell(3, 2)
    >>> layer(torch.zeros(4, 3)).shape
    torch.Size([4, 2])
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if hx is None:
            hx = self._state(input)
        if self.nonlinearity == "tanh":
            return _VF.rnn_tanh_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.nonlinearity == "relu":
            return _VF.rnn_relu_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else f"{text}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory.

    Args:
        input_size: how many features the input has.
        hidden_size: how many features the state has.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.LSTMCell(3, 2)
    >>> layer(torch.zeros(4, 3))[0].shape
    torch.Size([4, 2])
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        if hx is None:
            zeros = self._state(input)
            hx = (zeros, zeros)
        return _VF.lstm_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit.

    Args:
        input_size: how many features the input has.
        hidden_size: how many features the state has.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.GRUCell(3, 2)
    >>> layer(torch.zeros(4, 3)).shape
    torch.Size([4, 2])
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if hx is None:
            hx = self._state(input)
        return _VF.gru_cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
