"""Replaces an operator in a scripted, saved module, in the bodies of its loop and branch too. The edited module runs, is saved and loaded again.

    python examples/script/demo.py
"""

import os
import tempfile

import monograph as torch
import monograph.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, steps: int):
        y = torch.relu(self.first(x))
        for step in range(steps):
            if bool(y.sum() > 10):
                y = y * 0.5
            else:
                y = torch.relu(self.second(y) + step)
        return y


def with_gelu(net, x, steps):
    """What the edited module has to give."""
    y = nn.functional.gelu(net.first(x))
    for step in range(steps):
        y = y * 0.5 if bool(y.sum() > 10) else nn.functional.gelu(net.second(y) + step)
    return y


def main():
    torch.manual_seed(1)
    net, x = Net().eval(), torch.randn(2, 4)
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "net.pt"), os.path.join(folder, "edited.pt")
        torch.jit.save(torch.jit.script(net), before)
        module = torch.jit.load(before)

        for relu in module.graph.findAllNodes("aten::relu"):
            gelu = module.graph.create("aten::gelu", [relu.inputsAt(0)])
            gelu.insertBefore(relu)
            relu.output().replaceAllUsesWith(gelu.output())
            relu.destroy()

        torch.jit.save(module, after)
        loaded = torch.jit.load(after)
        same = all(torch.equal(loaded(x, steps), with_gelu(net, x, steps)) for steps in range(5))
        kinds = [node.kind() for node in loaded.graph.findAllNodes("aten::gelu")]
    print(f"{len(kinds)} calls of relu became {kinds[0]}, one of them in a branch of a loop")
    print(f"the edited file gives what gelu gives for 0 to 4 steps: {same}")
    if not same or len(kinds) != 2:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
