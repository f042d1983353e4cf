"""Replaces the activations of a network: first each node by itself, then by a pattern. examples/cpp/fx_replace_activation.cpp prints the same."""

import monograph as torch
import monograph.nn.functional as F
from monograph import fx


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight_0 = torch.nn.Parameter(torch.arange(12, dtype=torch.float32).view(4, 3) / 10 - 0.5)
        self.bias_0 = torch.nn.Parameter(torch.arange(4, dtype=torch.float32) / 4)
        self.weight_1 = torch.nn.Parameter(torch.arange(8, dtype=torch.float32).view(2, 4) / 8 - 0.25)
        self.bias_1 = torch.nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return F.relu(F.linear(F.relu(F.linear(x, self.weight_0, self.bias_0)), self.weight_1, self.bias_1))


def show(title, gm, x):
    print(f"{title}:", *(n.target.__name__ for n in gm.graph.nodes if n.op == "call_function"))
    print(" ", *(f"{v:.4f}" for v in gm(x).flatten().tolist()))


x = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]])
gm = fx.symbolic_trace(Network())
show("relu", gm, x)

for node in gm.graph.nodes:
    if node.target is F.relu:
        node.target = F.gelu
        node.kwargs = {}
gm.graph.lint()
gm.recompile()
show("gelu", gm, x)

places = fx.replace_pattern(gm, lambda v: F.gelu(v), lambda v: v * torch.sigmoid(v * 1.702))
gm.graph.lint()
print(len(places), "places")
show("quick gelu", gm, x)
