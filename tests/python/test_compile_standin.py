"""Where Monograph stands in for PyTorch, layers say that they are of torch.nn. The captures of a program are the same graphs, with the same guards."""

import json
import re
import subprocess
import sys

PROGRAM = r"""
import json, sys
if sys.argv[1] == "stands in":
    import monograph
    monograph.install_as_torch()
    import torch
else:
    import monograph as torch
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop, self.k = nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.1), 2
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.shift = nn.ParameterDict({"a": nn.Parameter(torch.ones(4))})

    def forward(self, x):
        x = self.drop(F.relu(self.norm(self.first(x)))) * self.k
        for layer in self.layers:
            x = layer(x) + self.shift["a"]
            if isinstance(layer, nn.Linear):
                x = x + layer.in_features
        return x + 1 if x.sum() > 0 else x

class Twice(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2

def hooked():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    model[0].register_forward_hook(lambda layer, args, result: result * 2)
    return model

def images():
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 2))

found = {}
for make, x in (
    (Own, torch.randn(3, 4)), (lambda: Twice(4, 4), torch.randn(3, 4)), (hooked, torch.randn(2, 4)), (images, torch.randn(2, 1, 8, 8)),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(2, 3, 8)), (lambda: nn.LSTM(4, 4, 2), torch.randn(3, 2, 4)),
):
    for mode in (True, False):
        model = make().train(mode)
        torch._dynamo.reset()
        report = torch._dynamo.explain(model)(x)
        traced = torch.jit.trace(model, x, check_trace=False)
        found[f"{len(found)} {type(model).__name__} {mode}"] = [
            [str(g.graph) for g in report.graphs], sorted(map(str, report.out_guards)), [r.reason for r in report.break_reasons], str(traced.graph)
        ]
print(json.dumps(found))
"""


def captures(how):
    result = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
    text = re.sub(r"0x[0-9a-f]+", "", result.stdout.splitlines()[-1])
    return json.loads(text.replace("__torch__.monograph.", "__torch__.torch.").replace("monograph.", "torch."))


def test_captures_are_the_same_where_it_stands_in():
    stands_in, itself = captures("stands in"), captures("itself")
    assert len(itself) == 12 and stands_in.keys() == itself.keys()
    for name, found in itself.items():
        assert stands_in[name] == found, name
