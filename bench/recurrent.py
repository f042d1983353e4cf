"""LSTM, GRU and RNN over 64 steps: the layer alone, and with the gradients of its weights and input."""

import itertools

from run import row, row_list

STEPS = 64
row_list("recurrent", about="LSTM, GRU and RNN over 64 steps", median_at_most=1.0)


def layer(kind: str, batch: int, width: int, train: bool):
    def start(torch):
        net = getattr(torch.nn, kind)(width, width)
        inputs = itertools.cycle([torch.randn(STEPS, batch, width).requires_grad_(train) for _ in range(4)])

        def forward():
            with torch.no_grad():
                return net(next(inputs))[0]

        def with_gradients():
            x = next(inputs)
            return torch.autograd.grad(net(x)[0].sum(), [x, *net.parameters()])

        return with_gradients if train else forward

    return start


for _kind in ("LSTM", "GRU", "RNN"):
    for _batch in (1, 32):
        for _width in (128, 512):
            for _train in (False, True):
                for _threads in (1, 2):
                    row(
                        f"{_kind.lower()}_{_batch}x{_width}" + ("_train" if _train else "") + ("_2t" if _threads == 2 else ""),
                        about=f"{_kind} of width {_width}, batch {_batch}" + (", with gradients" if _train else "") + (", two threads" if _threads == 2 else ""),
                        at_most=1.0, of="recurrent", threads=_threads, rtol=1e-3, atol=None,
                    )(layer(_kind, _batch, _width, _train))  # fmt: skip
