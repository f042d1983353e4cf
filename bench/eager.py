"""Eager operators called from Python."""

from pathlib import Path

from run import row

MILLION = 1 << 20


@row("add_100", at_most=0.5, about="`torch.add` of two 100-element tensors, from Python")
def add_100(torch):
    a, b = torch.rand(100), torch.rand(100)
    return lambda: torch.add(a, b)


def pointwise(name: str, at_most: float, call, binary: bool = False, positive: bool = False) -> None:
    """One pointwise operator on a million floats; fresh inputs in turn, so that no call finds its operand in the first cache."""

    def prepare(torch):
        inputs = [torch.rand(MILLION) if positive else torch.randn(MILLION) for _ in range(4)]
        turn = 0

        def once():
            nonlocal turn
            turn = (turn + 1) % 4
            return call(torch, inputs[turn], inputs[turn - 1]) if binary else call(torch, inputs[turn])

        return once

    row(f"{name}_1m", at_most=at_most, about=f"`{name}` on 1M floats", rtol=2e-5)(prepare)


pointwise("add", 1.0, lambda torch, x, y: torch.add(x, y), binary=True)
pointwise("mul", 1.0, lambda torch, x, y: torch.mul(x, y), binary=True)
pointwise("div", 1.0, lambda torch, x, y: torch.div(x, y), binary=True)
pointwise("relu", 1.0, lambda torch, x: torch.relu(x))
pointwise("sigmoid", 1.0, lambda torch, x: torch.sigmoid(x))
pointwise("silu", 1.0, lambda torch, x: torch.nn.functional.silu(x))
pointwise("sin", 1.0, lambda torch, x: torch.sin(x))
pointwise("rsqrt", 1.0, lambda torch, x: torch.rsqrt(x), positive=True)
pointwise("tanh", 0.5, lambda torch, x: torch.tanh(x))
pointwise("gelu", 0.5, lambda torch, x: torch.nn.functional.gelu(x))
pointwise("erf", 0.5, lambda torch, x: torch.erf(x))
pointwise("exp", 0.5, lambda torch, x: torch.exp(x))


@row("minilm_128_eager", at_most=1.0, about="MiniLM, eager, one sentence of 128 tokens", rtol=1e-4)
def minilm(torch):
    """examples/minilm/model.py in either library; the weights are those of a fresh model, of which both draw the same."""
    source = (Path(__file__).resolve().parents[1] / "examples" / "minilm" / "model.py").read_text()
    scope = {"torch": torch, "nn": torch.nn, "__name__": "minilm"}
    exec(source.replace("import monograph as torch\n", "").replace("import monograph.nn as nn\n", ""), scope)
    model = scope["MiniLM"]().eval()
    sentences = [torch.randint(0, 30522, (1, 128)) for _ in range(4)]
    turn = 0

    def once():
        nonlocal turn
        turn = (turn + 1) % 4
        with torch.no_grad():
            return model(sentences[turn])

    return once
