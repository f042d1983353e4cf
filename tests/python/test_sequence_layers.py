"""LSTM, GRU and RNN run a layer's direction as one operator, with one gradient: beside the same steps by cells, at other sizes, in graphs."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph import nn
from monograph.nn import functional as F
from monograph.nn.utils.rnn import PackedSequence, pack_padded_sequence

CELLS = {"LSTM": nn.LSTMCell, "GRU": nn.GRUCell, "RNN": nn.RNNCell, "RNN relu": nn.RNNCell}


def made(kind: str, *sizes: int, **options) -> nn.RNNBase:
    if kind == "RNN relu":
        options["nonlinearity"] = "relu"
    return getattr(nn, kind.split()[0])(*sizes, **options)


def cell_of(kind: str, layer: nn.RNNBase, suffix: str = "_l0") -> nn.RNNCellBase:
    options = {"nonlinearity": "relu"} if kind == "RNN relu" else {}
    cell = CELLS[kind](layer.input_size, layer.hidden_size, layer.bias, dtype=layer.weight_ih_l0.dtype, **options)
    with torch.no_grad():
        for name, _ in cell.named_parameters():
            getattr(cell, name).copy_(getattr(layer, name + suffix))
    return cell


def by_cells(
    cell: nn.RNNCellBase, x: torch.Tensor, sizes: list[int], reverse: bool = False
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Each step's h for the sequences that have it, and the states of all after their last step."""
    n, width = sizes[0], cell.hidden_size
    states = [x.new_zeros(n, width) for _ in range(2 if isinstance(cell, nn.LSTMCell) else 1)]
    outputs: list = [None] * len(sizes)
    for t in reversed(range(len(sizes))) if reverse else range(len(sizes)):
        running = [s[: sizes[t]] for s in states]
        after = cell(x[t, : sizes[t]], tuple(running) if len(running) == 2 else running[0])
        after = list(after) if isinstance(after, tuple) else [after]
        states = [torch.cat([a, s[sizes[t] :]]) for a, s in zip(after, states, strict=True)]
        outputs[t] = after[0]
    return outputs, states


def flat(result) -> list[torch.Tensor]:
    return [leaf for part in result for leaf in flat(part)] if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (7, 3, 5, 9), (4, 33, 20, 70)], ids=str)
@pytest.mark.parametrize("kind", CELLS)
def test_a_layer_has_the_bits_of_its_cells(kind, sizes, dtype):
    torch.manual_seed(1)
    steps, batch, features, hidden = sizes
    for bias in (True, False):
        layer = made(kind, features, hidden, bidirectional=True, bias=bias, dtype=dtype)
        x = torch.randn(steps, batch, features, dtype=dtype)
        output, states = layer(x)
        states = states if isinstance(states, tuple) else (states,)
        for way, suffix in enumerate(("_l0", "_l0_reverse")):
            expected, last = by_cells(cell_of(kind, layer, suffix), x, [batch] * steps, way == 1)
            assert torch.equal(output[:, :, way * hidden : (way + 1) * hidden], torch.stack(expected))
            for state, after in zip(states, last, strict=True):
                assert torch.equal(state[way], after)


@pytest.mark.parametrize("kind", CELLS)
def test_packed_sequences_have_the_bits_of_their_cells(kind):
    torch.manual_seed(2)
    lengths = [6, 6, 4, 1]
    sizes = [sum(n > t for n in lengths) for t in range(6)]
    layer, x = made(kind, 3, 5, bidirectional=True), torch.randn(6, 4, 3)
    packed, states = layer(pack_padded_sequence(x, torch.tensor(lengths)))
    states = states if isinstance(states, tuple) else (states,)
    for way, suffix in enumerate(("_l0", "_l0_reverse")):
        expected, last = by_cells(cell_of(kind, layer, suffix), x, sizes, way == 1)
        assert torch.equal(packed.data[:, way * 5 : (way + 1) * 5], torch.cat(expected))
        for state, after in zip(states, last, strict=True):
            assert torch.equal(state[way], after)


def loss_of(output, last) -> torch.Tensor:
    parts = flat((output.data if isinstance(output, PackedSequence) else output, last))
    return sum((p * torch.linspace(-1.0, 2.0, p.numel(), dtype=p.dtype).view(p.shape)).sum() for p in parts)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("reverse", [False, True], ids=["forwards", "backwards"])
def test_gradients_are_those_of_the_steps(kind, reverse):
    """Of padded and packed input, and where only some results or parameters take part."""
    torch.manual_seed(3)
    layer = made(kind, 3, 5, bidirectional=True, dtype=torch.float64)
    cell = cell_of(kind, layer, "_l0_reverse" if reverse else "_l0")
    columns = slice(5, 10) if reverse else slice(0, 5)
    for sizes in ([4] * 6, [4, 3, 3, 2, 1, 1]):
        x = torch.randn(len(sizes), 4, 3, dtype=torch.float64, requires_grad=True)
        packed = PackedSequence(torch.cat([x[t, :n] for t, n in enumerate(sizes)]), torch.tensor(sizes)) if sizes[-1] < 4 else x
        for which in ("both", "output", "last"):
            output, states = layer(packed)
            states = [s[int(reverse)] for s in (states if isinstance(states, tuple) else (states,))]
            mine = (output.data if sizes[-1] < 4 else output)[..., columns]
            steps, last = by_cells(cell, x, sizes, reverse)
            theirs = torch.cat(steps) if sizes[-1] < 4 else torch.stack(steps)
            losses = [
                loss_of(*(p if which == "both" else (p[0], []) if which == "output" else (p[1][0], p[1][1:])))
                for p in ((mine, states), (theirs, last))
            ]
            suffix = "_l0_reverse" if reverse else "_l0"
            names = [name for name, _ in cell.named_parameters()]
            found = torch.autograd.grad(losses[0], [x, *(getattr(layer, n + suffix) for n in names)])
            expected = torch.autograd.grad(losses[1], [x, *(getattr(cell, n) for n in names)])
            for a, b in zip(found, expected, strict=True):
                assert torch.allclose(a, b, rtol=1e-12, atol=1e-13), (which, sizes, (a - b).abs().max())


@pytest.mark.parametrize("kind", CELLS)
def test_gradients_of_gradients(kind):
    torch.manual_seed(4)
    layer = made(kind, 2, 3, 2, bidirectional=True, dtype=torch.float64)
    x = torch.randn(4, 2, 2, dtype=torch.float64, requires_grad=True)
    h = [torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True) for _ in range(2 if kind == "LSTM" else 1)]

    def padded(x, *h):
        return tuple(flat(layer(x, tuple(h) if len(h) == 2 else h[0])))

    def packed(x, *h):
        data, sizes = torch.cat([x[0], x[1], x[2, :1]]), torch.tensor([2, 2, 1])
        output, states = layer(PackedSequence(data, sizes), tuple(h) if len(h) == 2 else h[0])
        return tuple(flat((output.data, states)))

    for program in (padded, packed):
        assert torch.autograd.gradcheck(program, (x, *h))
        assert torch.autograd.gradgradcheck(program, (x, *h))


def test_weights_have_second_gradients():
    torch.manual_seed(5)
    layer = nn.GRU(2, 3, dtype=torch.float64)
    names = [name for name, _ in layer.named_parameters()]
    x = torch.randn(3, 2, 2, dtype=torch.float64)

    def program(*weights):
        return torch.func.functional_call(layer, dict(zip(names, weights, strict=True)), (x,))[0]

    assert torch.autograd.gradgradcheck(program, [p.detach().clone().requires_grad_() for p in layer.parameters()])


def nodes_behind(tensor: torch.Tensor) -> int:
    seen, todo = set(), [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(seen)


@pytest.mark.parametrize("kind", CELLS)
def test_the_history_does_not_grow_with_the_steps(kind):
    layer = made(kind, 3, 4)
    assert nodes_behind(layer(torch.randn(2, 1, 3))[0]) == nodes_behind(layer(torch.randn(40, 1, 3))[0])


def test_some_weights_are_frozen():
    torch.manual_seed(6)
    layer, x = nn.LSTM(3, 4), torch.randn(5, 2, 3)
    layer(x)[0].sum().backward()
    expected = {name: p.grad for name, p in layer.named_parameters()}
    for trained in expected:
        layer.zero_grad()
        for name, p in layer.named_parameters():
            p.requires_grad_(name == trained)
        layer(x)[0].sum().backward()
        for name, p in layer.named_parameters():
            assert (p.grad is None) == (name != trained)
            assert p.grad is None or torch.equal(p.grad, expected[name])


def test_a_changed_weight_is_used():
    """A packed copy of a weight is kept between calls, as long as nobody writes to it."""
    torch.manual_seed(7)
    layer, x = nn.LSTM(3, 4), torch.randn(5, 2, 3)
    with torch.no_grad():
        first = [layer(x)[0] for _ in range(3)]
        layer.weight_hh_l0.mul_(0.5)
        second = [layer(x)[0] for _ in range(3)]
        expected = torch.stack(by_cells(cell_of("LSTM", layer), x, [2] * 5)[0])
    assert all(torch.equal(a, first[0]) for a in first) and all(torch.equal(a, expected) for a in second)


@pytest.mark.parametrize("kind", CELLS)
def test_a_trace_holds_for_other_batches_and_steps(kind, tmp_path):
    torch.manual_seed(8)
    layer = made(kind, 3, 4, 2, bidirectional=True, batch_first=True).eval()
    traced = torch.jit.trace(layer, torch.randn(2, 5, 3))
    traced.inlined_graph.save(tmp_path / "layer.mgraph")
    loaded = torch.load_graph(str(tmp_path / "layer.mgraph"))
    for batch, steps in ((1, 1), (3, 8), (2, 5)):
        x = torch.randn(batch, steps, 3)
        for run in (traced, traced.inlined_graph.build(), loaded):
            assert all(torch.equal(a, b) for a, b in zip(flat(run(x)), flat(layer(x)), strict=True))


class Step(nn.Module):
    """A training step: the loss, and the parameters after it."""

    def __init__(self, layer: nn.RNNBase):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(layer.hidden_size, 3)

    def forward(self, x, y):
        loss = F.cross_entropy(self.head(self.layer(x)[0][-1]), y)
        parameters = list(self.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        return (loss, *(p.detach() - 0.1 * g for p, g in zip(parameters, gradients, strict=True)))


@pytest.mark.parametrize("kind", CELLS)
def test_a_traced_training_step_holds_for_other_batches_and_steps(kind, tmp_path):
    torch.manual_seed(9)
    step = Step(made(kind, 3, 4))
    traced = torch.jit.trace(step, (torch.randn(5, 2, 3), torch.tensor([0, 2])), check_trace=False)
    graph = traced.inlined_graph
    assert not [g for g in graph.guards if "s0_" in str(g)], graph.guards
    graph.save(tmp_path / "step.mgraph")
    loaded = torch.load_graph(str(tmp_path / "step.mgraph"))
    for batch, steps in ((1, 1), (4, 7), (2, 5)):
        x, y = torch.randn(steps, batch, 3), torch.randint(0, 3, (batch,))
        for run in (traced, graph.build(), loaded):
            for a, b in zip(run(x, y), step(x, y), strict=True):
                assert torch.allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_traced_gradient_by_the_input_alone():
    torch.manual_seed(10)
    layer = nn.LSTM(3, 4, 2)

    def by_input(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(layer(x)[0].sum(), x)[0]

    traced = torch.jit.trace(by_input, torch.randn(5, 2, 3), check_trace=False)
    for shape in ((5, 2, 3), (1, 1, 3), (8, 4, 3)):
        x = torch.randn(*shape)
        assert torch.allclose(traced(x), by_input(x), rtol=1e-6, atol=1e-7)


def test_bad_batch_sizes_raise():
    layer = nn.GRU(2, 3)
    weights, hx = list(layer.parameters()), torch.zeros(1, 2, 3)
    for sizes, words in (
        ([2, 3, 1], "must not grow"),
        ([2, 2, 0], "must be positive"),
        ([2, 1], "sum of 6"),
        ([1, 1], "batch size"),
        ([2, -1, 5], "must be positive"),
    ):
        for grad in (True, False):
            with torch.set_grad_enabled(grad), pytest.raises(RuntimeError, match=words):
                torch.gru(torch.ones(6, 2), torch.tensor(sizes), hx, weights, True, 1, 0.0, False, False)


def test_the_meta_device_has_the_sizes():
    layer = nn.LSTM(3, 4, 2, bidirectional=True, device="meta")
    output, (h, c) = layer(torch.empty(5, 2, 3, device="meta"))
    assert output.is_meta and output.requires_grad
    assert (tuple(output.shape), tuple(h.shape), tuple(c.shape)) == ((5, 2, 8), (4, 2, 4), (4, 2, 4))
    output.sum().backward()
    assert all(p.grad.is_meta and p.grad.shape == p.shape for p in layer.parameters())


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("network", "gates"), [(torch.lstm, 4), (torch.gru, 3), (torch.rnn_tanh, 1), (torch.rnn_relu, 1)])
def test_weights_of_a_sequence_have_the_sizes_of_its_layers(network, gates, packed, device):
    rows = gates * 2  # hidden_size is 2; two layers in both directions
    good = {
        f"{kind}_l{layer}{direction}": sizes
        for layer in range(2)
        for direction in ("", "_reverse")
        for kind, sizes in {"weight_ih": [rows, 4 if layer else 3], "weight_hh": [rows, 2], "bias_ih": [rows], "bias_hh": [rows]}.items()
    }

    def call(**changed):
        params = [torch.ones(sizes, device=device) for sizes in {**good, **changed}.values()]
        h = torch.zeros(4, 5, 2, device=device)
        states = (h, h) if network is torch.lstm else h
        if packed:
            return network(torch.ones(9, 3, device=device), torch.tensor([5, 4], device=device), states, params, True, 2, 0.0, False, True)[0]
        return network(torch.ones(6, 5, 3, device=device), states, params, True, 2, 0.0, False, True, False)[0]

    assert call().shape[-1] == 4
    for name in good:
        # With 1 row less for each gate, `chunk` would still give as many gates; with 1 row it gives fewer.
        for wrong in {rows - gates, rows + 1, 0, 1} - ({1} if "bias" in name else set()):
            with pytest.raises(RuntimeError, match=rf"expected {name} of size \[{rows}.*\], but got size \[{wrong}[],]"):
                call(**{name: [wrong, *good[name][1:]]})
        if "weight" in name:
            with pytest.raises(RuntimeError, match=rf"expected {name} of size|input_size|Expected hidden states with 3 features"):
                call(**{name: [rows, good[name][1] + 1]})
            with pytest.raises(RuntimeError, match=rf"expected {name} of size \[{rows}, {good[name][1]}\], but got size \[{rows}\]"):
                call(**{name: [rows]})
        else:
            assert call(**{name: [1]}).shape == call().shape  # one number for all rows, as in PyTorch
    bad = {name: [1, *sizes[1:]] for name, sizes in good.items()}
    with pytest.raises(RuntimeError, match=rf"expected weight_ih_l0 of size \[{rows}, 3\], but got size \[1, 3\]"):
        call(**bad)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_the_weights_of_a_projection_have_its_sizes(device):
    good = {"weight_ih_l0": [12, 4], "weight_hh_l0": [12, 2], "weight_hr_l0": [2, 3]}

    def call(cells=3, projected=True, **changed):
        params = [torch.ones(sizes, device=device) for sizes in {**good, **changed}.values()]
        h, c = torch.zeros(1, 5, 2, device=device), torch.zeros(1, 5, cells, device=device)
        x = torch.ones(6, 5, 4, device=device)
        return torch.lstm(x, (h, c), params if projected else params[:2], False, 1, 0.0, False, False, False)[0]

    assert call().shape == (6, 5, 2)
    for wrong in ([3, 3], [2, 2], [1, 3], [2]):
        with pytest.raises(RuntimeError, match=r"expected weight_hr_l0 of size \[2, 3\], but got size \["):
            call(weight_hr_l0=wrong)
    with pytest.raises(RuntimeError, match=r"expected weight_ih_l0 of size \[16, 4\], but got size \[12, 4\]"):
        call(cells=4)
    with pytest.raises(RuntimeError, match=r"Expected hidden states of one size, because no weight projects them"):
        call(projected=False)


@pytest.mark.parametrize(("cell", "gates"), [(torch.gru_cell, 3), (torch.rnn_tanh_cell, 1), (torch.rnn_relu_cell, 1), (torch.lstm_cell, 4)])
def test_weights_of_a_cell_have_rows_for_its_gates(cell, gates):
    def states(x):
        return (x, x) if cell is torch.lstm_cell else x

    for x in (torch.randn(2), torch.randn(1, 2)):
        for rows in [(2 * gates + 1, 2 * gates), (2 * gates, 2 * gates - 1), (0, 0)]:
            with pytest.raises(RuntimeError, match=rf"weight_[ih]h first dim must be {gates} \* hidden_size = {2 * gates}, but got \d"):
                cell(x, states(x), torch.randn(rows[0], 2), torch.randn(rows[1], 2))


@pytest.mark.parametrize("layer", [nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4), nn.RNNCell(3, 4, nonlinearity="relu")])
def test_a_cell_takes_one_dim_or_two(layer):
    def state(*sizes):
        h = torch.zeros(*sizes)
        return (h, h) if isinstance(layer, nn.LSTMCell) else h

    with pytest.raises(ValueError, match=r"expected an input of size \[batch, features\] or \[features\], but got \[5, 2, 3\]"):
        layer(torch.zeros(5, 2, 3))
    with pytest.raises(ValueError, match=r"expected hidden0 of size \[batch, hidden\] or \[hidden\], but got \[1, 2, 4\]"):
        layer(torch.zeros(2, 3), state(1, 2, 4))
    with pytest.raises(RuntimeError, match="as many dims as the input"):  # PyTorch's kind, too
        layer(torch.zeros(2, 3), state(4))


@pytest.mark.parametrize("batch_first", [False, True])
def test_the_operators_pack_and_pad_as_the_functions_do(batch_first):
    x = torch.arange(24.0).reshape(4, 3, 2).requires_grad_()
    given = x.transpose(0, 1) if batch_first else x
    lengths = torch.tensor([4, 2, 1])
    data, sizes = torch._pack_padded_sequence(given, lengths, batch_first)
    packed = pack_padded_sequence(given, lengths, batch_first)
    assert torch.equal(data, packed.data) and torch.equal(sizes, packed.batch_sizes)
    padded, back = torch._pad_packed_sequence(data, sizes, batch_first, -1.0, 6)
    assert torch.equal(back, lengths) and padded.shape == ((3, 6, 2) if batch_first else (6, 3, 2))
    padded.sum().backward()
    assert torch.equal(x.grad[:, :, 0], torch.tensor([[1.0, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0]]))


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([2, 3, 1], "sorted in decreasing order"),
        ([2, 1, 0], "greater than 0"),
        ([2, 1], "equal to batch_size"),
        ([5, 1, 1], "at most 4 steps"),
    ],
)
def test_lengths_that_cannot_be_packed_raise(lengths, message):
    with pytest.raises(RuntimeError, match=message):
        torch._pack_padded_sequence(torch.ones(4, 3, 2), torch.tensor(lengths), False)


def test_a_trace_packs_other_lengths():
    def f(x, lengths):
        data, sizes = torch._pack_padded_sequence(x, lengths, False)
        return torch._pad_packed_sequence(data * 2, sizes, False, 0.0, -1)[0]

    traced = torch.jit.trace(f, (torch.ones(4, 3, 2), torch.tensor([3, 2, 1])))
    for lengths in ([4, 2, 1], [1, 1, 1], [2, 2, 2]):
        x, n = torch.arange(24.0).reshape(4, 3, 2), torch.tensor(lengths)
        assert torch.equal(traced(x, n), f(x, n))


def test_packed_sequences_are_converted():
    packed = pack_padded_sequence(torch.ones(3, 2, 4), torch.tensor([3, 2]))
    assert (
        packed.double().data.dtype == torch.float64 and packed.half().data.dtype == torch.float16 and packed.int().data.dtype == torch.int32
    )
    assert packed.float() is packed and packed.long().data.dtype == torch.int64 and packed.long().batch_sizes is packed.batch_sizes
