"""Folds each batch norm of an evaluated network into the convolution before it. examples/cpp/fx_fold_batch_norm.cpp prints the same."""

import monograph as torch
import monograph.nn.functional as F
from monograph import fx


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        three = torch.arange(3, dtype=torch.float32)
        self.register_buffer("weight", torch.arange(54, dtype=torch.float32).view(3, 2, 3, 3) / 27 - 1)
        self.register_buffer("bias", three)
        self.register_buffer("gamma", three + 0.5)
        self.register_buffer("beta", three - 1)
        self.register_buffer("mean", three / 2)
        self.register_buffer("var", three + 1)

    def forward(self, x):
        y = F.conv2d(x, self.weight, self.bias)
        return F.relu(torch.batch_norm(y, self.gamma, self.beta, self.mean, self.var, False, 0.1, 1e-5, True))


def fold(gm):
    folded = 0
    for norm in gm.graph.find_nodes(op="call_function", target=torch.batch_norm):
        conv, gamma, beta, mean, var, trains, _, eps, _ = norm.args
        if conv.target is not F.conv2d or len(conv.users) != 1 or trains:
            continue
        gamma, beta, mean, var = (getattr(gm, n.target) for n in (gamma, beta, mean, var))
        scale = gamma / torch.sqrt(var + eps)
        weight, bias = (n.target for n in conv.args[1:3])
        setattr(gm, weight, getattr(gm, weight) * scale.view(-1, 1, 1, 1))
        setattr(gm, bias, (getattr(gm, bias) - mean) * scale + beta)
        norm.replace_all_uses_with(conv)
        gm.graph.erase_node(norm)
        folded += 1
    gm.graph.eliminate_dead_code()
    gm.graph.lint()
    gm.recompile()
    return folded


def show(title, gm):
    print(f"{title}:", *(n.name for n in gm.graph.nodes))


x = torch.arange(64, dtype=torch.float32).view(1, 2, 4, 8) / 32
gm = fx.symbolic_trace(Network().eval())
before = gm(x)
show("before", gm)
print(fold(gm), "folded")
show("after", gm)
after = gm(x)
print("largest difference below 0.0001:", "yes" if (after - before).abs().max().item() < 1e-4 else "no")
print(f"sum {before.sum().item():.3f}")
