"""The schedules that tests run beside PyTorch, as text, and what they get wrong."""

from __future__ import annotations

from typing import Any

SCHEDULES = [
    "LambdaLR(o, lambda e: 0.9 ** e)", "LambdaLR(o, [lambda e: 0.9 ** e, lambda e: 1 / (e + 1)])", "MultiplicativeLR(o, lambda e: 0.95)",
    "MultiplicativeLR(o, [lambda e: 0.95, lambda e: 1.01])", "StepLR(o, 7)", "StepLR(o, 3, gamma=0.5)", "MultiStepLR(o, [2, 5, 5, 40])",
    "MultiStepLR(o, [30, 10], gamma=0.3)", "ConstantLR(o)", "ConstantLR(o, 0.25, 11)", "LinearLR(o)", "LinearLR(o, 0.1, 0.5, 20)",
    "ExponentialLR(o, 0.93)", "PolynomialLR(o)", "PolynomialLR(o, 40, 2.0)", "CosineAnnealingLR(o, 13)", "CosineAnnealingLR(o, 20, eta_min=0.01)",
    "CosineAnnealingWarmRestarts(o, 7)", "CosineAnnealingWarmRestarts(o, 5, 2, eta_min=0.02)", "CyclicLR(o, 0.01, 0.3, 5)",
    "CyclicLR(o, [0.01, 0.1], [0.3, 0.5], 4, 9)", "CyclicLR(o, 0.01, 0.3, 5, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.3, 5, mode='exp_range', gamma=0.97)", "CyclicLR(o, 0.01, 0.3, 5, scale_fn=lambda x: 0.8 ** x, scale_mode='iterations')",
    "CyclicLR(o, 0.01, 0.3, 5, cycle_momentum=False)", "CyclicLR(o, 0.01, 0.3, 5, base_momentum=0.5, max_momentum=[0.7, 0.9])",
    "OneCycleLR(o, 0.5, 60)", "OneCycleLR(o, [0.5, 0.2], epochs=10, steps_per_epoch=6, anneal_strategy='linear')",
    "OneCycleLR(o, 0.5, 61, pct_start=0.2, three_phase=True)", "OneCycleLR(o, 0.5, 90, cycle_momentum=False, div_factor=10, final_div_factor=100)",
    "OneCycleLR(o, 0.5, 70, base_momentum=0.5, max_momentum=[0.7, 0.9])",
    "SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9)], [4])",
    "SequentialLR(o, [S.LinearLR(o, 0.1), S.CosineAnnealingLR(o, 10), S.StepLR(o, 3)], [6, 25])",
    "SequentialLR(o, [S.LinearLR(o, 0.5, 1.0, 4), S.CosineAnnealingWarmRestarts(o, 6, 2)], [5])",
    "ChainedScheduler([S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9)])",
    "ChainedScheduler([S.CosineAnnealingLR(o, 10), S.StepLR(o, 9), S.LinearLR(o)], optimizer=o)",
    "SequentialLR(o, [S.ChainedScheduler([S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9)]), S.ConstantLR(o, 0.2, 5)], [7])",
    "ReduceLROnPlateau(o)", "ReduceLROnPlateau(o, 'max', factor=0.5, patience=2)", "ReduceLROnPlateau(o, patience=1, cooldown=3, min_lr=[0.01, 0.02])",
    "ReduceLROnPlateau(o, factor=0.3, patience=2, threshold=0.1, threshold_mode='abs', min_lr=0.005)",
    "ReduceLROnPlateau(o, 'max', threshold=0.2, threshold_mode='abs', patience=3, eps=0.05)", "SWALR(o, 0.02)", "SWALR(o, [0.02, 0.2], 5, 'linear')",
    "SWALR(o, 0.02, 0)",
]  # fmt: skip

# Without a plain momentum some schedules raise.
OPTIMIZERS = [
    "SGD(groups, lr=0.1, momentum=0.9)", "Adam(groups, lr=0.1)", "Rprop(groups, lr=0.1)", "SGD(groups, lr=torch.tensor(0.1), momentum=0.9)",
]  # fmt: skip

# Thirty steps, the state to a file and back, thirty more. `load`: a file of another run, whose steps go on from there.
PROGRAM = """
import io, math, warnings
S = torch.optim.lr_scheduler
S.SWALR = torch.optim.swa_utils.SWALR
groups = [{"params": [torch.ones(2, requires_grad=True)]}, {"params": [torch.ones(1, requires_grad=True)], "lr": 0.03}]
o = eval("torch.optim." + optimizer, {"torch": torch, "groups": groups})
def plain(x):
    return float(x)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    made = eval("S." + schedule, {"S": S, "o": o})
    rates, file = [], None
    if load is not None:
        states = torch.load(io.BytesIO(load), weights_only=False)
        o.load_state_dict(states[0])
        made.load_state_dict(states[1])
    for step in range(30 if load else 0, 60):
        if step == 30 and not load:
            buffer = io.BytesIO()
            torch.save([o.state_dict(), made.state_dict()], buffer)
            file = buffer.getvalue()
        o.step()
        made.step(*([2 + math.sin(step * step) / (1 + step // 20)] if schedule.startswith("Reduce") else []))
        rates.append([plain(x) for g in o.param_groups for x in (g["lr"], g.get("momentum", 0), *g.get("betas", ()))] + [plain(x) for x in made.get_last_lr()])
hidden = ("_scale_fn_ref", "anneal_func", "_anneal_func")
result = {
    "rates": rates, "file": file, "keys": sorted(k for k in made.state_dict() if k not in hidden), "warnings": [str(w.message) for w in caught],
}
"""

SETUP = """
S = torch.optim.lr_scheduler
o = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)
plain = torch.optim.Rprop([torch.ones(2, requires_grad=True)])
two = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
"""
WRONG = [
    "S.StepLR(3, 2)", "S.StepLR(o, 2, last_epoch=4)", "S.LambdaLR(o, [lambda e: 1, lambda e: 2])", "S.MultiplicativeLR(o, [3])", "S.ConstantLR(o, 1.5)",
    "S.LinearLR(o, 0)", "S.LinearLR(o, 0.5, 1.5)", "S.CosineAnnealingWarmRestarts(o, 0)", "S.CosineAnnealingWarmRestarts(o, 3, 0)",
    "S.CosineAnnealingWarmRestarts(o, 3, eta_min='a')", "S.CosineAnnealingWarmRestarts(o, 3).step(-1)", "S.CyclicLR(3, 0.1, 1)",
    "S.CyclicLR(o, 0.1, 1, mode='no')", "S.CyclicLR(o, [0.1, 0.2], 1)", "S.CyclicLR(plain, 0.1, 1)", "S.OneCycleLR(o, 1)", "S.OneCycleLR(o, 1, 0)",
    "S.OneCycleLR(o, 1, epochs=0, steps_per_epoch=2)", "S.OneCycleLR(o, 1, epochs=2, steps_per_epoch=0.5)", "S.OneCycleLR(o, 1, 5, pct_start=2)",
    "S.OneCycleLR(o, 1, 5, anneal_strategy='no')", "S.OneCycleLR(plain, 1, 5)", "S.OneCycleLR(3, 1, 5)", "[s.step() for s in [S.OneCycleLR(o, 1, 2)] * 4]",
    "S.SequentialLR(o, [], [])", "S.SequentialLR(o, [S.StepLR(o, 1)], [1])", "S.SequentialLR(o, [S.ReduceLROnPlateau(o)], [])",
    "S.SequentialLR(o, [3], [])", "S.ChainedScheduler([])", "S.ChainedScheduler([S.ReduceLROnPlateau(o)])", "S.ChainedScheduler([S.StepLR(o, 1), 3])",
    "S.SequentialLR(two, [S.StepLR(o, 1)], [])", "S.ChainedScheduler([S.StepLR(o, 1), S.StepLR(two, 1)])", "S.ReduceLROnPlateau(o, 'no')",
    "S.ReduceLROnPlateau(o, factor=1.0)", "S.ReduceLROnPlateau(o, threshold_mode='no')", "S.ReduceLROnPlateau(o, min_lr=[1, 2])", "S.ReduceLROnPlateau(3)",
    "torch.optim.swa_utils.SWALR(o, 0.1, -1)", "torch.optim.swa_utils.SWALR(o, 0.1, anneal_strategy='no')", "torch.optim.swa_utils.SWALR(o, [0.1, 1])",
]  # fmt: skip


def run_here(torch: Any, schedule: str, optimizer: str = OPTIMIZERS[0], load: bytes | None = None) -> Any:
    scope = {"torch": torch, "schedule": schedule, "optimizer": optimizer, "load": load}
    exec(PROGRAM, scope)
    return scope["result"]
