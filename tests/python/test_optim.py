"""torch.optim: every optimizer with many options gives PyTorch's results (tests/data/optim.json, by tools/oracle/freeze_optim.py; live with the oracle)."""

from __future__ import annotations

import copy
import io
import json
import pickle
from pathlib import Path

import monograph as torch
import numpy as np
import optimizer_table as table
import pytest
from live_oracle import OracleError
from monograph import nn

FROZEN = json.loads((Path(__file__).resolve().parents[1] / "data" / "optim.json").read_text())
cases = pytest.mark.parametrize(("name", "options"), table.CASES, ids=[f"{n}-{o}" for n, o in table.CASES])
classes = pytest.mark.parametrize("name", table.OPTIONS)


def made(name="SGD", shape=(2, 2), **options):
    parameter = nn.Parameter(torch.ones(shape))
    return parameter, getattr(torch.optim, name)([parameter], **options)


def step(parameter, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = (parameter * parameter).sum()
        loss.backward()
        return loss

    return optimizer.step(closure)


# --- results --------------------------------------------------------------------------------------------------------------------------


@cases
def test_the_parameters_are_pytorchs(name, options):
    got = table.run_here(torch, *table.small_run(name, options))[0]
    for ours, theirs in zip(got, FROZEN[f"{name}({options})"]):
        np.testing.assert_allclose(ours.ravel(), theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@cases
def test_fifty_steps_beside_pytorch(oracle, sample_seed, name, options, dtype):
    """The gradients are given, so that what differs is the optimizer's. The states have the same names, dtypes and shapes."""
    if name == "LBFGS":
        pytest.skip("LBFGS has no step without a closure: the next test runs it")
    random = np.random.default_rng(sample_seed)
    shapes = [(4, 5), (6, 3)] if name == "Muon" else [(4, 5), (7,), (2, 3, 4), ()]
    steps = 5 if name == "Muon" else 50  # Muon's iteration in bfloat16 multiplies what one rounding differs
    inputs = {
        "name": name, "options": options, "values": [np.asarray(random.standard_normal(s), dtype) for s in shapes],
        "gradients": [np.asarray(random.standard_normal((steps, *s)), dtype) for s in shapes],
    }  # fmt: skip
    ours, theirs = table.run_here(torch, table.GIVEN_GRADIENTS, inputs), oracle.run(table.GIVEN_GRADIENTS, **inputs)
    # Adafactor's norms of rows differ in their last bits, and 50 steps multiply that.
    rtol = 1e-4 if name == "Adafactor" and dtype is np.float32 else 5e-6
    atol = 1e-6
    if name == "Muon":  # a step of its iteration rounds to 8 bits, and goes the other way where one sum differs
        rtol, atol = 2e-2, 1e-2
    for a, b in zip(ours[0], theirs[0]):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
    for a, b in zip(ours[1], theirs[1]):
        assert {k: (v.dtype, v.shape) for k, v in a.items()} == {k: (v.dtype, v.shape) for k, v in b.items()}


@pytest.mark.oracle
@cases
def test_a_network_beside_pytorch(oracle, name, options):
    random = np.random.default_rng(7)  # always these: near a minimum, fifty steps can grow a rounding error beyond any bound
    groups = {"Muon": "[w1, w2]", "LBFGS": "params"}.get(name, '[{"params": [w1, b1]}, {"params": [w2, b2], "lr": 0.02}]')
    inputs = {
        "name": name, "options": options, "groups": groups, "steps": 2 if name in ("Muon", "LBFGS") else 50,
        "values": [random.standard_normal(s) for s in ((3, 4), (4,), (4, 2), (2,))], "data": [random.standard_normal(s) for s in ((8, 3), (8, 2))],
    }  # fmt: skip
    ours, theirs = table.run_here(torch, table.NETWORK, inputs), oracle.run(table.NETWORK, **inputs)
    # A step count that is a float32 tensor, and PyTorch's foreach=True, round to float32.
    tolerance = {"rtol": 1e-5, "atol": 1e-5}
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5)
    for a, b in zip(ours[1], theirs[1]):
        np.testing.assert_allclose(a, b, **tolerance)


DIFFERENTIABLE = """
start = values.clone().requires_grad_(True)
lr = torch.tensor(0.1, dtype=values.dtype, requires_grad=True) if tensor_lr else 0.1
w = start.clone()
optimizer = eval(f"torch.optim.{name}([w], lr=lr, differentiable=True{more})")
for k in range(2 if name == "Adamax" else 3):
    w.grad = (w * w * (k + 1)).detach() + start * 0.5
    optimizer.step()
result = list(torch.autograd.grad((w ** 3).sum(), [start, lr] if tensor_lr else [start])) + [w.detach()]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("more", ["", ", weight_decay=0.1"])
@pytest.mark.parametrize("tensor_lr", [False, True])
@pytest.mark.parametrize("name", [n for n in table.OPTIONS if n not in table.NOT_DIFFERENTIABLE])
def test_gradients_flow_through_a_step(oracle, sample_seed, name, tensor_lr, more):
    if name == "Rprop" and more:
        pytest.skip("Rprop has no weight_decay")
    inputs = {"name": name, "values": np.random.default_rng(sample_seed).standard_normal(5), "tensor_lr": tensor_lr, "more": more}
    try:
        theirs = oracle.run(DIFFERENTIABLE, **inputs)
    except OracleError as error:
        # PyTorch has no gradient here. Monograph has none either, or a right one where PyTorch keeps too little.
        if name in ("Adamax", "Rprop") and not tensor_lr:
            assert "modified by an inplace operation" in str(error)
            return
        with pytest.raises((RuntimeError, TypeError)):
            table.run_here(torch, DIFFERENTIABLE, inputs)
        return
    for a, b in zip(table.run_here(torch, DIFFERENTIABLE, inputs), theirs):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_gradients_flow_through_sgd():
    start = torch.tensor([1.0, 2.0], requires_grad=True)
    w = start.clone()
    optimizer = torch.optim.SGD([w], lr=0.5, differentiable=True)
    w.grad = start * start
    optimizer.step()
    w.sum().backward()
    assert start.grad.tolist() == [0.0, -1.0]  # 1 - 0.5 * 2 * start


# --- the state as a dict --------------------------------------------------------------------------------------------------------------

MAKE = """
import io
params = [torch.nn.Parameter(a) for a in values]
optimizer = eval(f"torch.optim.{name}(params, {options})")
def train(steps):
    for k in range(steps):
        def closure():
            optimizer.zero_grad()
            loss = sum(((p - 0.5) ** 2).sum() + (p ** 4).sum() for p in params)
            loss.backward()
            return loss
        optimizer.step(closure)
"""
SAVE = "train(3)\nfile = io.BytesIO()\ntorch.save([optimizer.state_dict(), [p.detach() for p in params]], file)\ntrain(2)\n"
SAVED = MAKE + SAVE + "result = [file.getvalue(), [p.detach() for p in params], repr(optimizer)]"
LOADED = (
    MAKE
    + """
state, kept = torch.load(io.BytesIO(saved))
optimizer.load_state_dict(state)
for p, value in zip(params, kept):
    p.data.copy_(value)
train(2)
result = [p.detach() for p in params]
"""
)


@pytest.mark.oracle
@cases
def test_state_dicts_go_both_ways(oracle, name, options):
    shapes = [(3, 2), (2, 3)] if name == "Muon" else [(3, 2), (4,)]
    values = [np.cos(np.arange(np.prod(s)) + k).reshape(s) for k, s in enumerate(shapes)]
    inputs = {"name": name, "options": options, "values": values}
    tolerance = {"rtol": 1e-5, "atol": 1e-7}
    file, expected, text = oracle.run(SAVED, **inputs)
    for ours, theirs in zip(table.run_here(torch, LOADED, {**inputs, "saved": file}), expected):
        np.testing.assert_allclose(ours, theirs, **tolerance)
    file, expected, our_text = table.run_here(torch, SAVED, inputs)
    for theirs, ours in zip(oracle.run(LOADED, **inputs, saved=file), expected):
        np.testing.assert_allclose(ours, theirs, **tolerance)
    assert our_text == text


@classes
def test_a_state_dict_continues_where_it_was_taken(name):
    options = {"lr": 0.05}
    parameter, optimizer = made(name, **options)
    step(parameter, optimizer)
    file = io.BytesIO()
    torch.save({"p": parameter.detach(), "o": optimizer.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file)
    again, other = made(name, **options)
    other.load_state_dict(saved["o"])
    with torch.no_grad():
        again.copy_(saved["p"])
    for _ in range(3):
        step(parameter, optimizer)
        step(again, other)
    assert torch.equal(parameter, again)


@classes
def test_copies_and_pickles(name):
    parameter, optimizer = made(name)
    step(parameter, optimizer)
    both = [copy.deepcopy([parameter, optimizer]), pickle.loads(pickle.dumps([parameter, optimizer]))]
    step(parameter, optimizer)
    for other_parameter, other in both:
        assert type(other) is type(optimizer) and other.param_groups[0]["params"][0] is other_parameter
        step(other_parameter, other)
        assert torch.equal(other_parameter, parameter)


def test_numbers_in_old_checkpoints():
    parameter, optimizer = made("Adam")
    step(parameter, optimizer)
    state = optimizer.state_dict()
    state["state"][0]["step"] = 1
    del state["param_groups"][0]["amsgrad"], state["param_groups"][0]["decoupled_weight_decay"]
    optimizer.load_state_dict(state)
    assert optimizer.state[parameter]["step"].item() == 1.0 and optimizer.param_groups[0]["amsgrad"] is False
    step(parameter, optimizer)
    assert optimizer.state[parameter]["step"].item() == 2.0


def test_loading_takes_the_dtype_of_the_parameter_but_for_the_step():
    parameter, optimizer = made("Adam")
    step(parameter, optimizer)
    half = nn.Parameter(torch.ones(2, 2).half())
    other = torch.optim.Adam([half])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[half]["exp_avg"].dtype is torch.float16 and other.state[half]["step"].dtype is torch.float32


def test_hooks_of_state_dicts():
    seen = []
    parameter, optimizer = made()
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("pre"))
    first = optimizer.register_state_dict_post_hook(lambda o, d: seen.append("second"))
    optimizer.register_state_dict_post_hook(lambda o, d: {**d, "more": 1}, prepend=True)
    state = optimizer.state_dict()
    assert seen == ["pre", "second"] and state["more"] == 1
    first.remove()
    first.remove()
    optimizer.register_load_state_dict_pre_hook(lambda o, d: seen.append(sorted(d)) or {k: v for k, v in d.items() if k != "more"})
    with optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded")):
        optimizer.load_state_dict(state)
    optimizer.load_state_dict(state)
    assert seen[2:] == [["more", "param_groups", "state"], "loaded", ["more", "param_groups", "state"]] and "more" in state


# --- hooks of steps -------------------------------------------------------------------------------------------------------------------


def test_hooks_of_steps():
    seen = []
    parameter, optimizer = made()
    everywhere = [
        torch.optim.optimizer.register_optimizer_step_pre_hook(lambda o, a, k: seen.append("all pre")),
        torch.optim.optimizer.register_optimizer_step_post_hook(lambda o, a, k: seen.append("all post")),
    ]
    optimizer.register_step_pre_hook(lambda o, a, k: seen.append("pre"))
    optimizer.register_step_post_hook(lambda o, a, k: seen.append("post"))
    optimizer.step()
    assert seen == ["all pre", "pre", "post", "all post"]
    for handle in everywhere:
        handle.remove()
    optimizer.register_step_pre_hook(lambda o, a, k: ((a[0], lambda: 7.0), {}))
    assert optimizer.step() == 7.0
    optimizer.register_step_pre_hook(lambda o, a, k: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple of .new_args, new_kwargs., but got 3"):
        optimizer.step()


# --- groups, gradients, errors --------------------------------------------------------------------------------------------------------


def test_names_of_parameters():
    net = nn.Linear(2, 3)
    optimizer = torch.optim.SGD(net.named_parameters(), lr=0.5)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        torch.optim.SGD([("a", nn.Parameter(torch.ones(1))), nn.Parameter(torch.ones(1))])


def test_zero_grad():
    parameter, optimizer = made()
    parameter.grad = torch.ones(2, 2)
    kept = parameter.grad
    optimizer.zero_grad(set_to_none=False)
    assert parameter.grad is kept and kept.sum() == 0
    optimizer.zero_grad()
    assert parameter.grad is None


def test_step_without_gradients_leaves_no_state():
    parameter, optimizer = made("Adam")
    optimizer.step()
    assert optimizer.state_dict()["state"] == {} and torch.equal(parameter, torch.ones(2, 2))


def test_complex_parameters():
    parameter = nn.Parameter(torch.tensor([1 + 2j, 3.0]))
    optimizer = torch.optim.SGD([parameter], lr=0.5, momentum=0.5)
    for _ in range(2):
        parameter.grad = torch.tensor([1j, 2.0])
        optimizer.step()
    assert parameter.tolist() == [1 + 0.75j, 0.5 + 0j]
    if not hasattr(torch, "view_as_real"):
        with pytest.raises(NotImplementedError, match="Adam.step: a parameter is complex, and torch.view_as_real"):
            torch.optim.Adam([parameter]).step()


def test_capturable_is_refused():
    parameter, optimizer = made("Adam", capturable=True)
    with pytest.raises(AssertionError, match="If capturable=True.*Monograph runs on the CPU: use capturable=False"):
        step(parameter, optimizer)


P = "[torch.ones(2, 2, requires_grad=True)]"
WRONG = [
    "SGD([])", "SGD(torch.ones(1))", "SGD([3])", "SGD(['w'])", "SGD([{'params': {torch.ones(1, requires_grad=True)}}])", "SGD([torch.ones(1, requires_grad=True) * 2])",
    "SGD([{'params': torch.ones(1)}, 3])", "Optimizer([{'params': " + P + "}], {}).step()",
    *(f"{name}({P}, lr=-0.5)" for name in table.OPTIONS), *(f"{name}({P}, lr=torch.ones(2))" for name in table.OPTIONS),
    *(f"{name}({P}, weight_decay=-0.5)" for name in table.OPTIONS if name not in ("LBFGS", "Rprop")),
    *(f"{name}({P}, eps=-1.0)" for name in ("Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam")),
    *(f"{name}({P}, betas=({b}))" for name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam") for b in ("1.0, 0.5", "0.5, -0.1")),
    f"SGD({P}, momentum=-1)", f"SGD({P}, nesterov=True)", f"SGD({P}, nesterov=True, momentum=0.5, dampening=0.1)",
    f"SGD({P}, fused=True, foreach=True)", f"Adam({P}, fused=True, differentiable=True)", f"Adagrad({P}, fused=True, foreach=True)",
    f"Adam({P}, betas=(torch.tensor(0.9), 0.9))", f"Adam({P}, betas=(torch.ones(2) / 2, torch.tensor(0.9)))", f"Adam({P}, lr=torch.tensor(0.1), foreach=True)",
    f"Adam({P}, betas=(torch.tensor(0.9), torch.tensor(0.9)), foreach=True)", f"RMSprop({P}, alpha=-1)", f"RMSprop({P}, momentum=-1)",
    f"Adagrad({P}, lr_decay=-1)", f"Adagrad({P}, initial_accumulator_value=-1)", f"Adadelta({P}, rho=1.5)", f"NAdam({P}, momentum_decay=-1)",
    f"Rprop({P}, etas=(0.5, 0.9))", f"Adafactor({P}, beta2_decay=0.1)", f"Adafactor({P}, eps=(-1, 1))", f"Adafactor({P}, eps=(None, -1))",
    f"Adafactor({P}, d=0.5)", f"LBFGS([{{'params': {P}}}, {{'params': {P}}}])", "Muon([torch.ones(2, requires_grad=True)])", f"Muon({P}, momentum=-1)",
    f"Muon({P}, adjust_lr_fn='no')", f"SGD({P}).add_param_group([1])", f"SGD({P}).load_state_dict({{'param_groups': [], 'state': {{}}}})",
    f"SGD({P}).load_state_dict({{'param_groups': [{{'params': []}}], 'state': {{}}}})",
    "SGD([{'params': [w := torch.ones(1, requires_grad=True)]}, {'params': [w]}])",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", WRONG)
def test_errors_are_pytorchs(oracle, call):
    with pytest.raises(OracleError) as theirs:
        oracle.run(f"torch.optim.{call}")
    with pytest.raises(Exception) as ours:  # noqa: B017 - the kind is compared below
        eval(f"torch.optim.{call}", {"torch": torch})
    assert type(ours.value).__name__ == theirs.value.kind
    words = theirs.value.text.rstrip(".").replace("torch.nn.parameter.Parameter", "monograph.nn.parameter.Parameter")
    assert words in str(ours.value), (words, str(ours.value))


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_raise(call):
    with pytest.raises((ValueError, TypeError, RuntimeError, NotImplementedError)):
        eval(f"torch.optim.{call}", {"torch": torch})


def test_duplicates_warn():
    parameter = nn.Parameter(torch.ones(1))
    with pytest.warns(UserWarning, match="duplicate parameters"):
        torch.optim.SGD([parameter, parameter])


def test_a_required_option():
    with pytest.raises(ValueError, match="didn't specify a value of required optimization parameter lr"):
        torch.optim.Optimizer([nn.Parameter(torch.ones(1))], {"lr": torch.optim.optimizer.required})


# --- captures -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "capture", [lambda f, x: torch.jit.trace(f, x), lambda f, x: torch.capture(f, x), lambda f, x: torch.fx.symbolic_trace(f)]
)
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_a_step_of_outside_parameters_cannot_be_captured(capture, name):
    net = nn.Linear(3, 2)
    optimizer = getattr(torch.optim, name)(net.parameters(), lr=0.1)

    def train(x):
        net(x).sum().backward()
        optimizer.step()
        return x

    with pytest.raises(RuntimeError, match=f"{name}.step.. was called in a function that is captured"):
        capture(train, torch.ones(4, 3))
    assert optimizer.state_dict()["state"] == {}


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "ASGD", "RAdam", "NAdam", "Rprop", "Adagrad"])
def test_a_trace_follows_an_optimizer_that_is_made_in_it(name):
    def train(x, p):
        p = p.detach().clone()
        optimizer = getattr(torch.optim, name)([p], lr=0.1)
        for _ in range(7):
            p.grad = x.T @ (x @ p)
            optimizer.step()
        return p

    traced = torch.jit.trace(train, (torch.randn(4, 3), torch.randn(3, 2)))
    inputs = torch.randn(5, 3), torch.randn(3, 2)
    assert torch.equal(traced(*inputs), train(*inputs))


def test_swap_in():
    parameter, optimizer = made("Adam", lr=0.5)
    swap = torch.optim.swap_in_optimizer_params_and_state
    with pytest.raises(RuntimeError, match="the optimizer has no state yet"), swap(optimizer, {}, optimizer.state_dict()):
        pass
    step(parameter, optimizer)
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 0.25
    other = nn.Parameter(torch.zeros(2, 2))
    other.grad = torch.ones(2, 2)
    with swap(optimizer, {"w": other}, state):
        assert optimizer.param_groups[0]["lr"] == 0.25
        optimizer.step()
    assert optimizer.param_groups[0]["lr"] == 0.5 and optimizer.param_groups[0]["params"][0] is parameter
    assert state["state"][0]["step"].item() == 2.0 and optimizer.state[parameter]["step"].item() == 1.0
    assert (other < 0).all()
    for broken, words in [
        ({**state, "state": {7: {}}}, "not the number of a parameter: .7."),
        ({**state, "param_groups": []}, "expected 1 parameter groups.*but got 0"),
        ({**state, "param_groups": [{"params": [0]}]}, "keys of parameter group 0 differ"),
    ]:
        with pytest.raises(RuntimeError, match=words), swap(optimizer, {"w": other}, broken):
            pass


def test_the_package_offers_optim_late():
    assert "optim" in dir(torch) and torch.optim.SGD.__module__ == "monograph.optim.sgd"
    with pytest.raises(NotImplementedError, match="sparse tensors are not planned"):
        torch.optim.SparseAdam([torch.ones(1)])
