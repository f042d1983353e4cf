"""What a program does to .grad, requires_grad, grad mode and hooks of saved tensors, and clocks that it reads: a trace refuses what a graph would not do, by line, and
torch.compile does it."""

import datetime
import os
import resource
import signal
import time

import monograph as torch
import pytest
from monograph import nn
from monograph.fx.proxy import TraceError

X = torch.ones(2)
CAPTURES = {"trace": lambda f: torch.jit.trace(f, X, check_trace=False), "symbolic": torch.fx.symbolic_trace}


@pytest.fixture
def w():
    torch.set_grad_enabled(True)
    yield nn.Parameter(torch.ones(1) * 2)
    torch.set_grad_enabled(True)


def refusal(how, f):
    with pytest.raises((RuntimeError, TraceError)) as error:
        CAPTURES[how](f)
    assert __file__ in str(error.value)
    return str(error.value)


class ZeroGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x):
        self.zero_grad()
        return self.layer(x)


class Freezes(ZeroGrad):
    def forward(self, x):
        self.layer.requires_grad_(False)
        return self.layer(x)


@pytest.mark.parametrize("how", CAPTURES)
def test_writes_to_grad_are_refused(how, w):
    def sets(x):
        w.grad = None
        return x * 2

    class Sets(ZeroGrad):
        def forward(self, x):
            self.layer.weight.grad = None
            return self.layer(x)

    assert "sets .grad of a tensor" in refusal(how, sets)
    assert "sets .grad of a tensor" in refusal(how, Sets())
    assert "zero_grad() of a module" in refusal(how, ZeroGrad())


@pytest.mark.parametrize("how", CAPTURES)
def test_writes_to_requires_grad_are_refused(how, w):
    def calls(x):
        w.requires_grad_(False)
        return x * w

    def sets(x):
        w.requires_grad = False
        return x * w

    assert "requires_grad_() of a tensor" in refusal(how, calls)
    assert "sets .requires_grad of a tensor" in refusal(how, sets)
    class Each(ZeroGrad):
        def forward(self, x):
            for p in self.parameters():
                p.requires_grad_(False)
            return self.layer(x)

    assert "requires_grad_() of a" in refusal(how, Freezes())
    assert "requires_grad_() of a tensor" in refusal(how, Each())


@pytest.mark.parametrize("how", CAPTURES)
def test_grad_mode_that_is_left_is_refused(how, w):
    def leaves(x):
        torch.set_grad_enabled(False)
        return x * w

    assert "switches gradients off and leaves them so" in refusal(how, leaves)
    assert torch.is_grad_enabled()

    def comes_back(x):
        torch.set_grad_enabled(False)
        y = x * w
        torch.set_grad_enabled(True)
        return y

    captured = CAPTURES[how](comes_back)
    assert not captured(X).requires_grad and torch.is_grad_enabled()


def hooked(w):
    def f(x):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
            return (x * w) ** 2

    return f


@pytest.mark.parametrize("how", CAPTURES)
def test_hooks_of_saved_tensors_are_refused(how, w):
    assert "uses saved_tensors_hooks()" in refusal(how, hooked(w))


def test_hooks_of_saved_tensors_under_compile(w):
    f, gradients = torch.compile(hooked(w)), []
    for _ in range(3):
        w.grad = None
        f(X).sum().backward()
        gradients.append(w.grad.item())
    assert gradients == [32.0] * 3


@pytest.mark.parametrize("how", CAPTURES)
def test_hooks_that_change_no_value_are_left_out(how, w):
    def on_cpu(x):
        with torch.autograd.graph.save_on_cpu():
            return (x * w) ** 2

    def again(x):
        return torch.utils.checkpoint.checkpoint(lambda x: (x * w) ** 2, x, use_reentrant=False)

    for f in (on_cpu, again):
        captured = CAPTURES[how](f)
        w.grad = None
        captured(X).sum().backward()
        assert w.grad.item() == 8.0


def test_a_gradient_of_a_gradient_for_a_parameter_of_a_closure_is_refused(w):
    def twice(x):
        y = (x * w**3).sum()
        (g,) = torch.autograd.grad(y, w, create_graph=True)
        return (g**2).sum()

    assert "computed outside of the graph" in refusal("symbolic", twice)


CLOCKS = {
    "os.times": lambda x: x * os.times().elapsed, "time": lambda x: x * time.time(), "perf_counter_ns": lambda x: x * time.perf_counter_ns(),
    "monotonic": lambda x: x * time.monotonic(), "process_time": lambda x: x * time.process_time(), "thread_time": lambda x: x * time.thread_time(),
    "clock_gettime": lambda x: x * time.clock_gettime(time.CLOCK_REALTIME), "localtime": lambda x: x * time.localtime().tm_sec,
    "strftime": lambda x: x * int(time.strftime("%S")), "getrusage": lambda x: x * resource.getrusage(resource.RUSAGE_SELF).ru_utime,
    "getitimer": lambda x: x * signal.getitimer(signal.ITIMER_REAL)[0], "now": lambda x: x * datetime.datetime.now().microsecond,
    "utcnow": lambda x: x * datetime.datetime.utcnow().microsecond, "today": lambda x: x * datetime.date.today().day,
}  # fmt: skip


@pytest.mark.parametrize("name", CLOCKS)
@pytest.mark.parametrize("how", CAPTURES)
def test_clocks_are_refused(how, name):
    assert "reads a clock" in refusal(how, CLOCKS[name])


@pytest.mark.parametrize("how", CAPTURES)
def test_other_functions_of_the_system_are_none(how):
    assert CAPTURES[how](lambda x: x * (os.getpid() * 0 + 3))(X).tolist() == [3.0, 3.0]
    assert "random numbers" in refusal(how, lambda x: x * os.urandom(1)[0])
