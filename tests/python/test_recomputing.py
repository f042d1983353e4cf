"""torch.utils.checkpoint: the same results and gradients as without it, the function called again, and PyTorch's errors."""

from __future__ import annotations

import contextlib
import gc
import warnings
import weakref

import monograph as torch
import numpy as np
import pytest
from live_oracle import OracleError
from monograph import nn
from monograph.utils.checkpoint import CheckpointError, checkpoint, set_checkpoint_early_stop

both = pytest.mark.parametrize("reentrant", [True, False])

PROGRAM = """
from {torch}.utils.checkpoint import *
torch.manual_seed(seed)
nn = torch.nn
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 2)).double()
x = torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
calls = [0]
def count(f):
    def counted(*args, **kwargs):
        calls[0] += 1
        return f(*args, **kwargs)
    return counted
def run(x, r):
    {body}
out = []
for rounds in range(2):
    y = run(x, reentrant)
    y.pow(2).sum().backward()
    out.append(y.detach())
result = [*out, x.grad, *[p.grad for p in net.parameters()], torch.rand(3), calls[0]]
"""
BODIES = [
    "return net(x)", "return checkpoint(count(net), x, use_reentrant=r)", "return net[3:](checkpoint(count(net[:3]), x, use_reentrant=r))",
    "return checkpoint(count(net), x, use_reentrant=r, preserve_rng_state=True)", "return checkpoint_sequential(net, 3, x, use_reentrant=r)",
    "return checkpoint_sequential(list(net), 2, x, use_reentrant=r)", "return checkpoint(lambda a, b, c: net(a * b + c), x, 2.0, x, use_reentrant=r)",
    "return checkpoint(lambda a: checkpoint(count(net[3:]), checkpoint(count(net[:3]), a, use_reentrant=r), use_reentrant=r), x, use_reentrant=r)",
    "a, b = checkpoint(lambda a: (net(a), a.sum()), x, use_reentrant=r); return a * b",
    "return checkpoint(count(lambda a: net(a).relu().mean(1)), x, use_reentrant=r, early_stop=False) if not r else net(x).relu().mean(1)",
]  # fmt: skip


@pytest.mark.oracle
@both
@pytest.mark.parametrize("body", BODIES)
def test_results_gradients_draws_and_calls_beside_pytorch(oracle, sample_seed, reentrant, body):
    seed = sample_seed % 1000
    theirs = oracle.run(PROGRAM.replace("{torch}", "torch").replace("{body}", body), seed=seed, reentrant=reentrant)
    scope = {"torch": torch, "seed": seed, "reentrant": reentrant}
    exec(PROGRAM.replace("{torch}", "monograph").replace("{body}", body), scope)
    assert scope["result"][-1] == theirs[-1]
    for ours, expected in zip(scope["result"][:-1], theirs[:-1]):
        np.testing.assert_allclose(ours.detach().numpy(), expected, rtol=1e-9, atol=1e-12)


@both
@pytest.mark.parametrize("body", [*BODIES[1:6], BODIES[7]])
def test_gradients_are_those_without_it(reentrant, body):
    results = []
    for program in (body, BODIES[0]):
        scope = {"torch": torch, "seed": 3, "reentrant": reentrant}
        exec(PROGRAM.replace("{torch}", "monograph").replace("{body}", program), scope)
        results.append(scope["result"])
    assert all(torch.equal(a, b) for a, b in zip(results[0][:-1], results[1][:-1]))


def test_nothing_is_stored():
    stored = []

    class Seen:
        def __init__(self, x):
            self.x = x
            stored.append(x.shape)

    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(Seen, lambda s: s.x):
        y = checkpoint(lambda a: a.exp().sin().exp(), x, use_reentrant=False)
    assert len(stored) <= 2  # the input, and one without elements
    y.sum().backward()
    assert x.grad is not None


def test_contexts_and_keyword_arguments():
    seen = []

    @contextlib.contextmanager
    def note(what):
        seen.append(what)
        yield

    x = torch.ones(2, requires_grad=True)
    y = checkpoint(lambda a, *, by: a * a * by, x, by=3.0, use_reentrant=False, context_fn=lambda: (note("first"), note("again")))
    assert seen == ["first"]
    y.sum().backward()
    assert seen == ["first", "again"] and x.grad.tolist() == [6.0, 6.0]


def test_an_early_stop():
    seen = []

    def f(x):
        y = x * x
        seen.append("between")
        z = y + 1
        seen.append("end")
        return z

    x = torch.ones(2, requires_grad=True)
    checkpoint(f, x, use_reentrant=False).sum().backward()
    assert seen == ["between", "end"]  # the second call ends within x * x, which saves the last tensor
    seen.clear()
    with set_checkpoint_early_stop(False):
        y = checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    assert seen == ["between", "end"] * 2


def test_without_gradients_it_is_a_plain_call():
    calls = []
    with torch.no_grad():
        y = checkpoint(lambda a: calls.append(1) or a * 2, torch.ones(2, requires_grad=True), use_reentrant=False)
    assert not y.requires_grad and calls == [1]


def test_twice_and_second_gradients():
    x = torch.tensor([2.0], requires_grad=True)
    y = checkpoint(lambda a: a**3, x, use_reentrant=False)
    (g,) = torch.autograd.grad(y, x, retain_graph=True)
    assert g.item() == 12.0
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert g.item() == 12.0 and torch.autograd.grad(g, x)[0].item() == 12.0


def test_autograd_grad_is_refused_where_it_would_write_gradients():
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = checkpoint(lambda a: a * w, x, use_reentrant=True).sum()
    for call in (lambda: torch.autograd.grad(y, x, retain_graph=True), lambda: y.backward(inputs=[x], retain_graph=True)):
        with pytest.raises(RuntimeError, match="incompatible with .grad.. or passing an `inputs` parameter"):
            call()
    assert w.grad is None
    y.backward()
    assert w.grad.tolist() == [1.0, 1.0]


def test_other_tensors_the_second_time():
    turn = []

    def f(x):
        turn.append(1)
        return (x * x * x).sum() if len(turn) % 2 else (x[:1] * x[:1] * x[:1]).sum()

    x = torch.ones(3, requires_grad=True)
    with pytest.raises(CheckpointError, match="different metadata|different number|more tensors"):
        checkpoint(f, x, use_reentrant=False, early_stop=False).backward()


def test_warnings():
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(lambda a: a * 2, torch.ones(1, requires_grad=True))
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(lambda a: a * 2, torch.ones(1), use_reentrant=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint(lambda a: a * 2, torch.ones(1), use_reentrant=False)


WRONG = [
    "checkpoint(f, x, use_reentrant=True, more=1)", "checkpoint(f, x, use_reentrant=True, debug=True)", "checkpoint(f, x, use_reentrant=False, debug=True, context_fn=lambda: noop_context_fn())",
    "checkpoint(f, x, use_reentrant=False, determinism_check='no')", "checkpoint_sequential([f], 1, x, use_reentrant=False, more=1)", "detach_variable([x])",
    "checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward()",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", WRONG)
def test_errors_are_pytorchs(oracle, call):
    setup = "from {}.utils.checkpoint import *\nfrom {}.utils.checkpoint import noop_context_fn\nx = torch.ones(2, requires_grad=True)\nf = lambda a: a * 2\n"
    with pytest.raises(OracleError) as theirs:
        oracle.run(setup.replace("{}", "torch") + call + "\nresult = None")
    with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared below
        exec(setup.replace("{}", "monograph") + call, {"torch": torch})
    assert type(ours.value).__name__ == theirs.value.kind
    assert theirs.value.text[:40] in str(ours.value)


def test_modules_with_running_figures():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU())
    checkpoint(net, torch.randn(4, 2), use_reentrant=False).sum().backward()
    assert net[0].weight.grad is not None


@both
@pytest.mark.parametrize("inside", [False, True])
def test_autocast_is_as_it_was_in_the_second_call(reentrant, inside):
    net, x = nn.Linear(4, 4), torch.randn(3, 4, requires_grad=True)
    dtypes = []

    def run(x):
        y = net(x)
        dtypes.append(y.dtype)
        return y

    with torch.autocast("cpu", torch.bfloat16):
        y = checkpoint(run, x, use_reentrant=reentrant)
        if inside:
            y.float().sum().backward()
    if not inside:
        y.float().sum().backward()
    assert set(dtypes) == {torch.bfloat16} and x.grad.dtype == torch.float32


@both
def test_what_a_checkpoint_keeps_goes_with_its_result(reentrant):
    gc.collect()
    gc.disable()
    try:
        x = torch.randn(3, requires_grad=True)
        middle = x * 2
        kept = weakref.ref(middle)
        y = checkpoint(lambda t: t.sin().cos(), middle, use_reentrant=reentrant)
        del middle
        assert kept() is not None
        del y
        assert kept() is None
    finally:
        gc.enable()
