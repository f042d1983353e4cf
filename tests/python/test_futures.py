"""torch.jit.Future is torch.futures.Future, and what fork and then() give is of torch.Future, its base, as in PyTorch."""

from __future__ import annotations

import pickle

import beside
import monograph as torch
import pytest

PROGRAM = """
J, B = torch.futures.Future, torch.Future
def tried(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
f, g = torch.jit.fork(lambda x: x + 1, torch.ones(2)), J()
g.set_result(3)
seen = []
f.add_done_callback(lambda done: seen.append(done.value()))
result = [J is torch.jit.Future, issubclass(J, B), [isinstance(x, kind) for x in (f, g, g.then(lambda x: 1)) for kind in (B, J)], f.done(), f.value(), f.wait(), seen, torch.jit.wait(g), f.then(lambda x: x.wait() * 2).wait(), g.then(lambda x: x.value() + 1).wait()]
result += [tried(lambda: f.set_result(1)), tried(lambda: J([1])), tried(J().value), torch.futures.wait_all([f, g]), len(torch.futures.collect_all([f, g]).wait())]
"""


def test_runs_here():
    beside.run(PROGRAM)


@pytest.mark.oracle
def test_like_pytorch(oracle):
    beside.both(oracle, PROGRAM)


def test_a_future_is_one_class():
    future = torch.futures.Future()
    assert torch.jit.Future is torch.futures.Future and isinstance(future, torch.Future) and type(torch.jit.fork(len, [1])) is torch.Future
    assert torch.jit.Future[torch.Tensor] and not future.done()
    with pytest.raises(RuntimeError, match="Can not pickle"):
        pickle.dumps(future)
