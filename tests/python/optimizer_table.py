"""The optimizers and options that tests run beside PyTorch, as text: the same program runs with Monograph and with PyTorch as `torch`."""

from __future__ import annotations

from typing import Any

import numpy as np

OPTIONS = {
    "SGD": [
        "", "lr=0.1", "lr=0.1, momentum=0.9", "lr=0.1, momentum=0.9, dampening=0.3", "lr=0.05, momentum=0.8, nesterov=True",
        "lr=0.1, weight_decay=0.02", "lr=0.1, momentum=0.9, weight_decay=0.02, maximize=True", "lr=torch.tensor(0.05)",
        "lr=torch.tensor([0.05]), momentum=0.9, nesterov=True, weight_decay=0.1", "lr=0.1, momentum=0.9, weight_decay=torch.tensor(0.02)",
        "lr=0.1, momentum=0.9, foreach=False", "lr=0.1, momentum=0.9, foreach=True", "lr=0.1, momentum=0.9, weight_decay=0.1, fused=True",
    ],
    "Adam": [
        "", "lr=0.01", "lr=0.01, betas=(0.5, 0.75)", "lr=0.01, eps=1e-3", "lr=0.01, weight_decay=0.1", "lr=0.01, amsgrad=True",
        "lr=0.01, amsgrad=True, weight_decay=0.1, maximize=True", "lr=torch.tensor(0.01)", "lr=torch.tensor([0.01]), amsgrad=True",
        "lr=0.01, betas=(torch.tensor(0.9), torch.tensor([0.99]))", "lr=0.01, weight_decay=0.1, decoupled_weight_decay=True",
        "lr=0.01, foreach=True", "lr=0.01, fused=True", "lr=0.01, amsgrad=True, fused=True, weight_decay=0.1",
    ],
    "AdamW": [
        "", "lr=0.01", "lr=0.01, betas=(0.5, 0.75), weight_decay=0.2", "lr=0.01, weight_decay=0.0", "lr=0.01, amsgrad=True, maximize=True",
        "lr=torch.tensor(0.01), weight_decay=0.2", "lr=0.01, foreach=True", "lr=0.01, fused=True",
    ],
    "RMSprop": [
        "", "lr=0.01, alpha=0.9", "lr=0.01, centered=True", "lr=0.01, momentum=0.9", "lr=0.01, momentum=0.9, centered=True, weight_decay=0.1",
        "lr=0.01, eps=1e-3, maximize=True", "lr=torch.tensor(0.01), momentum=0.5", "lr=0.01, foreach=True, centered=True",
    ],
    "Adagrad": [
        "", "lr=0.1", "lr=0.1, lr_decay=0.1", "lr=0.1, weight_decay=0.1, initial_accumulator_value=0.5", "lr=0.1, maximize=True, eps=1e-3",
        "lr=torch.tensor(0.1), lr_decay=0.5", "lr=0.1, foreach=True", "lr=0.1, fused=True",
    ],
    "Adadelta": [
        "", "lr=0.5, rho=0.5", "eps=1e-3", "weight_decay=0.1", "lr=0.7, weight_decay=0.1, maximize=True", "lr=torch.tensor(0.5)", "foreach=True",
    ],
    "Adamax": [
        "", "lr=0.01, betas=(0.5, 0.75)", "lr=0.01, eps=1e-2", "lr=0.01, weight_decay=0.1", "lr=0.01, maximize=True", "lr=torch.tensor(0.01)",
        "foreach=True",
    ],
    "NAdam": [
        "", "lr=0.01, betas=(0.5, 0.75)", "lr=0.01, momentum_decay=0.1", "lr=0.01, weight_decay=0.1",
        "lr=0.01, weight_decay=0.1, decoupled_weight_decay=True", "lr=0.01, eps=1e-3, maximize=True", "lr=torch.tensor(0.01)", "foreach=True",
    ],
    "RAdam": [
        "", "lr=0.01, betas=(0.5, 0.75)", "lr=0.01, eps=1e-3", "lr=0.01, weight_decay=0.1", "lr=0.01, weight_decay=0.1, decoupled_weight_decay=True",
        "lr=0.01, maximize=True", "lr=torch.tensor(0.01)", "foreach=True",
    ],
    "ASGD": [
        "", "lr=0.05, lambd=0.1", "lr=0.05, alpha=0.5, t0=10", "lr=0.05, weight_decay=0.1", "lr=0.05, maximize=True, t0=3", "lr=torch.tensor(0.05)",
        "lr=0.05, t0=5, foreach=True",
    ],
    "Rprop": [
        "", "lr=0.01, etas=(0.3, 1.5)", "lr=0.01, step_sizes=(1e-3, 0.05)", "lr=0.01, maximize=True", "lr=torch.tensor(0.02)", "foreach=True",
    ],
    "Adafactor": [
        "", "lr=0.1", "lr=0.1, beta2_decay=-0.5", "lr=0.1, eps=(1e-4, 1e-2)", "lr=0.1, d=2.0, weight_decay=0.1", "lr=0.1, maximize=True",
        "lr=torch.tensor(0.1)", "lr=0.1, foreach=True",
    ],
    "LBFGS": [
        "", "lr=0.5", "lr=0.1, max_iter=4, history_size=3", "line_search_fn='strong_wolfe'", "line_search_fn='strong_wolfe', max_iter=4, history_size=3",
        "max_eval=7, tolerance_change=1e-5", "line_search_fn='strong_wolfe', max_eval=6", "lr=torch.tensor(0.5), max_iter=5",
    ],
    "Muon": [
        "", "lr=0.1, momentum=0.5", "lr=0.1, nesterov=False", "lr=0.1, weight_decay=0.0", "lr=0.1, adjust_lr_fn='match_rms_adamw'",
        "lr=0.1, ns_steps=3, ns_coefficients=(2.0, -1.5, 0.5)", "lr=torch.tensor(0.1)",
    ],
}  # fmt: skip
# Optimizers that PyTorch has no `differentiable` for.
NOT_DIFFERENTIABLE = ("Adafactor", "LBFGS", "Muon")
CASES = [(name, options) for name, many in OPTIONS.items() for options in many]

# Gradients that do not depend on the parameters: what differs then is the optimizer's.
GIVEN_GRADIENTS = """
params = [torch.nn.Parameter(a) for a in values]
optimizer = eval(f"torch.optim.{name}(params, {options})")
for step in range(len(gradients[0])):
    for p, g in zip(params, gradients):
        p.grad = g[step].clone() if step % 5 != 3 or p is params[0] else None
    optimizer.step()
result = [[p.detach() for p in params], [{k: v for k, v in sorted(optimizer.state[p].items())} for p in params]]
"""

# A loss for the optimizers that call a closure.
QUADRATIC = """
params = [torch.nn.Parameter(a) for a in values]
optimizer = eval(f"torch.optim.{name}(params, {options})")
def closure():
    optimizer.zero_grad()
    loss = sum(((p + 0.5) ** 2 * (1 + k + torch.arange(p.numel()).reshape(p.shape))).sum() + (p ** 4).sum() for k, p in enumerate(params))
    loss.backward()
    return loss
optimizer.step(closure)
optimizer.step(closure)
result = [[p.detach() for p in params]]
"""

# A network, and a loss of its own results.
NETWORK = """
F = torch.nn.functional
params = [torch.nn.Parameter(a) for a in values]
x, y = data
w1, b1, w2, b2 = params
optimizer = eval(f"torch.optim.{name}({groups}, {options})")
def closure():
    optimizer.zero_grad()
    loss = ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()
    loss.backward()
    return loss
losses = [float(optimizer.step(closure)) for _ in range(steps)]
result = [losses, [p.detach() for p in params]]
"""


def small_run(name: str, options: str) -> tuple[str, dict[str, Any]]:
    """A few steps in float64, whose results are kept in tests/data/optim.json."""
    shapes = [(3, 2), (2, 3)] if name == "Muon" else [(3, 2), (4,)]
    values = [np.cos(np.arange(np.prod(shape)) + k).reshape(shape) for k, shape in enumerate(shapes)]
    inputs = {"name": name, "options": options, "values": values}
    if name == "LBFGS":
        return QUADRATIC, inputs
    steps = 3 if name == "Muon" else 9
    return GIVEN_GRADIENTS, {**inputs, "gradients": [np.sin(1.7 * np.arange(steps * np.prod(s)) ** 1.5).reshape(steps, *s) for s in shapes]}


def run_here(torch: Any, program: str, inputs: dict[str, Any]) -> Any:
    """What the server of the oracle does, in this process."""
    scope = {"torch": torch, **{name: _to_torch(torch, value) for name, value in inputs.items()}}
    exec(program, scope)
    return _to_numpy(torch, scope["result"])


def _to_torch(torch: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    return [_to_torch(torch, v) for v in value] if isinstance(value, list) else value


def _to_numpy(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, (list, tuple)):
        return type(value)(_to_numpy(torch, v) for v in value)
    return {k: _to_numpy(torch, v) for k, v in value.items()} if isinstance(value, dict) else value
