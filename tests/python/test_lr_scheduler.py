"""torch.optim.lr_scheduler and swa_utils: sixty steps of every schedule have PyTorch's rates, states, warnings and errors."""

from __future__ import annotations

import copy
import io
import json
import pickle
import warnings
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
import schedule_table as table
from live_oracle import OracleError
from monograph import nn
from monograph.optim import lr_scheduler, swa_utils

FROZEN = json.loads((Path(__file__).resolve().parents[1] / "data" / "lr_scheduler.json").read_text())


def made(lr=1.0, **options):
    return torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=lr, **options)


# --- rates ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", table.SCHEDULES)
def test_the_rates_are_pytorchs(schedule):
    np.testing.assert_allclose(table.run_here(torch, schedule)["rates"][::5], FROZEN[schedule], rtol=1e-12, atol=1e-15)


@pytest.mark.oracle
@pytest.mark.parametrize("optimizer", table.OPTIMIZERS)
@pytest.mark.parametrize("schedule", table.SCHEDULES)
def test_rates_states_and_warnings_beside_pytorch(oracle, schedule, optimizer):
    try:
        theirs = oracle.run(table.PROGRAM, schedule=schedule, optimizer=optimizer, load=None)
    except OracleError as error:
        with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared
            table.run_here(torch, schedule, optimizer)
        assert type(ours.value).__name__ == error.kind
        return
    ours = table.run_here(torch, schedule, optimizer)
    # A rate that is a tensor is a float32.
    np.testing.assert_allclose(ours["rates"], theirs["rates"], rtol=1e-6 if "tensor" in optimizer else 1e-13, atol=1e-15)
    assert ours["keys"] == theirs["keys"]
    assert [w[:60] for w in ours["warnings"]] == [w[:60] for w in theirs["warnings"]]


@pytest.mark.oracle
@pytest.mark.parametrize("schedule", table.SCHEDULES)
def test_states_go_both_ways(oracle, schedule):
    theirs = oracle.run(table.PROGRAM, schedule=schedule, optimizer=table.OPTIMIZERS[0], load=None)
    ours = table.run_here(torch, schedule)
    crossed = oracle.run(table.PROGRAM, schedule=schedule, optimizer=table.OPTIMIZERS[0], load=ours["file"])
    np.testing.assert_allclose(crossed["rates"], ours["rates"][30:], rtol=1e-12, atol=1e-15)
    crossed = table.run_here(torch, schedule, load=theirs["file"])
    np.testing.assert_allclose(crossed["rates"], theirs["rates"][30:], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("schedule", table.SCHEDULES)
def test_a_loaded_state_continues(schedule):
    first = table.run_here(torch, schedule)
    again = table.run_here(torch, schedule, load=first["file"])
    assert again["rates"] == first["rates"][30:]


def test_copies():
    optimizer = made()
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    both = pickle.loads(pickle.dumps(schedule)), copy.deepcopy(schedule)
    optimizer.step()
    schedule.step()
    for other in both:
        other.optimizer.step()
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            other.step()
        assert other.get_last_lr() == schedule.get_last_lr() == [0.5]


# --- errors and warnings --------------------------------------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("call", table.WRONG)
def test_errors_are_pytorchs(oracle, call):
    program = table.SETUP + f"result = {call}"
    with pytest.raises(OracleError) as theirs:
        oracle.run(program + "\nresult = None")
    with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared below
        exec(program, {"torch": torch})
    assert type(ours.value).__name__ == theirs.value.kind
    if not isinstance(ours.value, (KeyError, AttributeError)):
        assert theirs.value.text.split("\n")[0].rstrip(".") in str(ours.value)


@pytest.mark.parametrize("call", table.WRONG)
def test_wrong_calls_raise(call):
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        exec(table.SETUP + f"result = {call}", {"torch": torch})


def test_warnings():
    optimizer = made()
    schedule = lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step..` before `optimizer.step"):
        schedule.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        schedule.get_lr()
    with pytest.warns(UserWarning, match="The epoch parameter"):
        schedule.step(4)
    assert schedule.get_last_lr() == [pytest.approx(0.01)]
    optimizer = made()
    schedule = lr_scheduler.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match="has been overridden after learning rate scheduler"):
        schedule.step()


def test_a_rate_that_is_a_tensor_is_written_in_place():
    rate = torch.tensor(1.0)
    optimizer = made(lr=rate)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    schedule.step()
    assert rate.item() == 0.5 and optimizer.param_groups[0]["lr"] is rate
    kept = schedule.get_last_lr()[0]
    assert kept is not rate and kept.item() == 0.5


class Half:
    def __init__(self, base):
        self.base = base

    def __call__(self, epoch):
        return self.base**epoch


@pytest.mark.parametrize("kind", [lr_scheduler.LambdaLR, lr_scheduler.MultiplicativeLR])
def test_states_of_callable_objects(kind):
    schedule = kind(made(), Half(0.5))
    state = schedule.state_dict()
    assert state["lr_lambdas"] == [{"base": 0.5}] and "optimizer" not in state
    other = kind(made(), Half(0.9))
    other.load_state_dict(state)
    assert other.lr_lambdas[0].base == 0.5


def test_cyclic_with_a_callable_object():
    schedule = lr_scheduler.CyclicLR(made(momentum=0.9), 0.1, 1.0, 4, scale_fn=Half(0.5))
    other = lr_scheduler.CyclicLR(made(momentum=0.9), 0.1, 1.0, 4, scale_fn=Half(0.9))
    other.load_state_dict(schedule.state_dict())
    assert other.scale_fn(2) == 0.25


# --- averaged weights -----------------------------------------------------------------------------------------------------------------

AVERAGE = """
from torch.optim.swa_utils import *
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
averaged = AveragedModel(net, **eval(options))
for k, value in enumerate(values):
    with torch.no_grad():
        for j, p in enumerate(net.parameters()):
            p.copy_(value[: p.numel()].reshape(p.shape) + j)
    net(value.reshape(-1, 2))
    averaged.update_parameters(net)
update_bn([v.reshape(-1, 2) for v in values], averaged)
result = {k: v for k, v in averaged.state_dict().items()}
"""


@pytest.mark.oracle
@pytest.mark.parametrize(
    "options",
    [
        "{}", "{'use_buffers': True}", "{'avg_fn': get_ema_avg_fn(0.9)}", "{'multi_avg_fn': get_ema_multi_avg_fn(0.75)}",
        "{'multi_avg_fn': get_swa_multi_avg_fn()}", "{'multi_avg_fn': get_ema_multi_avg_fn(), 'use_buffers': True}",
        "{'avg_fn': lambda a, w, n: a * 0.5 + w}",
    ],
)  # fmt: skip
def test_averages_beside_pytorch(oracle, sample_seed, options):
    values = np.random.default_rng(sample_seed).standard_normal((5, 12)).astype(np.float32)
    theirs = oracle.run(AVERAGE, options=options, values=values)
    scope = {"torch": torch, "values": torch.from_numpy(values), "options": options}
    exec(AVERAGE.replace("from torch.", "from monograph."), scope)
    ours = {k: v.numpy() for k, v in scope["result"].items()}
    assert list(ours) == list(theirs)
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=1e-5, atol=1e-6)


def test_averages():
    net = nn.Linear(2, 2)
    averaged = swa_utils.AveragedModel(net, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.5))
    for value in (1.0, 3.0):
        with torch.no_grad():
            net.weight.copy_(torch.full((2, 2), value))
        averaged.update_parameters(net)
    assert averaged.module.weight.tolist() == [[2.0, 2.0], [2.0, 2.0]] and averaged.n_averaged.item() == 2
    assert list(averaged.state_dict()) == ["n_averaged", "module.weight", "module.bias"]
    file = io.BytesIO()
    torch.save(averaged.state_dict(), file)
    file.seek(0)
    other = swa_utils.AveragedModel(net)
    other.load_state_dict(torch.load(file))
    assert torch.equal(other.module.weight, averaged.module.weight)
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(net, avg_fn=swa_utils.get_swa_avg_fn(), multi_avg_fn=swa_utils.get_swa_multi_avg_fn())
    for function in (swa_utils.get_ema_avg_fn, swa_utils.get_ema_multi_avg_fn):
        with pytest.raises(ValueError, match="Invalid decay value 1.5 provided"):
            function(1.5)


def test_update_bn_leaves_the_rest():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, momentum=0.3)).eval()
    swa_utils.update_bn([(torch.randn(4, 2), 7), [torch.randn(4, 2)]], net)
    assert not net.training and net[1].momentum == 0.3 and net[1].num_batches_tracked.item() == 2
