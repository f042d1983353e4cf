"""Modules of torchdiffeq and torchsde."""

import torch
import torchsde
from registry import add, vec
from torch import nn
from torchdiffeq import odeint, odeint_adjoint


class F(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3))

    def forward(self, t, y):
        return self.n(y) * torch.cos(t)


class Ode(nn.Module):
    def __init__(self, method, solve=odeint, options=None):
        super().__init__()
        self.f, self.method, self.solve, self.options = F(), method, solve, options

    def forward(self, y, t):
        return self.solve(self.f, y, t, method=self.method, options=self.options, rtol=1e-4, atol=1e-4)


I = lambda d, k: (d.n(2 + k, 3), torch.linspace(0, 1, 4 + k))
for m in "dopri5 dopri8 bosh3 fehlberg2 adaptive_heun euler midpoint heun3 rk4 explicit_adams implicit_adams scipy_solver".split():
    add(m, (lambda m: lambda: Ode(m, options={"solver": "RK45"} if m == "scipy_solver" else None))(m), I)
add("adjoint dopri5", lambda: Ode("dopri5", odeint_adjoint), I)
add("adjoint rk4", lambda: Ode("rk4", odeint_adjoint), I)


class Sde(nn.Module):
    sde_type, noise_type = "ito", "diagonal"

    def __init__(self, kind, method):
        super().__init__()
        self.sde_type = kind
        self.mu, self.s, self.method = nn.Linear(3, 3), nn.Linear(3, 3), method

    def f(self, t, y):
        return self.mu(y)

    def g(self, t, y):
        return torch.sigmoid(self.s(y))

    def forward(self, y):
        return torchsde.sdeint(
            self,
            y,
            torch.linspace(0, 1, 3),
            dt=0.1,
            method=self.method,
            bm=torchsde.BrownianInterval(0.0, 1.0, size=tuple(y.shape), entropy=3),
        )


for k, m in (
    ("ito", "euler"),
    ("ito", "milstein"),
    ("ito", "srk"),
    ("stratonovich", "midpoint"),
    ("stratonovich", "heun"),
    ("stratonovich", "reversible_heun"),
):
    add("sde " + m, (lambda k, m: lambda: Sde(k, m))(k, m), vec(3))
