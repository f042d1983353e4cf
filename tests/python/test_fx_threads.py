"""Symbolic traces of several threads at once, beside traces and prints of others."""

from __future__ import annotations

import sys
import threading
from math import sqrt

import monograph as torch
from monograph import fx, nn


def helper(x, k):
    return x * k


fx.wrap("helper")
fx.wrap("sqrt")
ORIGINALS = helper, sqrt


class Net(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(k % 3 + 1)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) + torch.arange(x.shape[0]).sum()
            x += self.k
        x[0] = self.k
        if x.sum() > 5:
            x = x * sqrt(4)
        print(self.k, end="")
        return helper(x, self.k)


def in_threads(work, count=8):
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_capture_at_once(capsys):
    nets = [Net(k) for k in range(6)]
    texts = [str(fx.symbolic_trace(net).graph) for net in nets]
    hashes = [torch.jit.trace(net, torch.zeros(3, 4)).graph.hash() for net in nets]

    def work(number):
        for k in range(number, number + 8):
            net, x = nets[k % 6], torch.randn(3, 4)
            traced = fx.symbolic_trace(net)
            assert str(traced.graph) == texts[k % 6]
            assert torch.allclose(traced(x.clone()), net(x.clone()))
            if k % 3 == 0:
                assert torch.jit.trace(net, torch.zeros(3, 4)).graph.hash() == hashes[k % 6]

    before = sys.stdout
    in_threads(work)
    assert (helper, sqrt) == ORIGINALS, "the stand-ins of wrap are taken away"
    assert sys.stdout is before


def test_what_other_threads_print_is_shown(capsys):
    stop, shown = threading.Event(), []

    def printer():
        while not stop.is_set():
            print("seen", flush=True)
            shown.append(1)

    thread = threading.Thread(target=printer)
    thread.start()
    try:
        in_threads(lambda number: torch.jit.trace(Net(number), torch.zeros(3, 4)), 4)
    finally:
        stop.set()
        thread.join()
    print("after")
    out = capsys.readouterr().out
    assert out.count("seen") == len(shown) > 0 and out.endswith("after\n")


def test_constants_of_two_traces_of_one_module_have_names_of_their_own():
    """Traces of one module at once: each is in its function when the others choose the names of their constants."""
    count = 6
    meet = threading.Barrier(count)

    class Meeting(nn.Module):
        def forward(self, x):
            number = numbers[threading.get_ident()]
            meet.wait()
            return x + torch.tensor([float(number)])

    numbers, made = {}, {}
    net = Meeting()

    def work(number):
        numbers[threading.get_ident()] = number
        tracer = fx.Tracer()
        graph = tracer.trace(net)
        meet.wait()
        made[number] = fx.GraphModule(net, graph)

    in_threads(work, count)
    for number, gm in made.items():
        assert gm(torch.zeros(1)).item() == number, gm.code
    assert not fx._symbolic_trace._claimed_names
