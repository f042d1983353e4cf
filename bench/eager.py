"""Eager operators called from Python."""

from pathlib import Path

from run import row

MILLION = 1 << 20


@row("add_100", at_most=0.5, about="`torch.add` of two 100-element tensors, from Python")
def add_100(torch):
    a, b = torch.rand(100), torch.rand(100)
    return lambda: torch.add(a, b)


def small(name: str, at_most: float, about: str, call) -> None:
    """A call that takes lists of ints and computes next to nothing: what it costs is the call itself."""

    def prepare(torch):
        image, line = torch.rand(1, 4, 8, 8), torch.rand(1, 8)
        return lambda: call(torch, image, line)

    row(name, at_most=at_most, about=about)(prepare)


small("select_small", 0.5, "`x.select(1, 2)` of 1×4×8×8", lambda torch, x, line: x.select(1, 2))
small("view_small", 0.5, "`x.view(4, 64)` of 1×4×8×8", lambda torch, x, line: x.view(4, 64))
small("expand_small", 0.5, "`x.expand(4, 8)` of 1×8", lambda torch, x, line: line.expand(4, 8))
small("max_pool2d_small", 0.5, "`F.max_pool2d(x, 2)` of 1×4×8×8", lambda torch, x, line: torch.nn.functional.max_pool2d(x, 2))
small("avg_pool2d_small", 0.5, "`F.avg_pool2d(x, 2)` of 1×4×8×8", lambda torch, x, line: torch.nn.functional.avg_pool2d(x, 2))


def with_gradient(name: str, at_most: float, about: str, call) -> None:
    """A small call, forward and backward: what it costs is the tape."""

    def prepare(torch):
        x, y = (torch.rand(10, 10).requires_grad_() for _ in range(2))
        weights = torch.rand(10, 10)

        def once():
            results = call(torch, x, y)
            return torch.autograd.grad(results, (x, y), [weights[tuple(slice(n) for n in t.shape)] for t in results], allow_unused=True)[0]

        return once

    row(name, at_most=at_most, about=about, rtol=1e-4, atol=1e-5)(prepare)


with_gradient("add_grad_small", 0.6, "`x + y` of 10×10, forward and backward", lambda torch, x, y: (x + y,))
with_gradient("matmul_grad_small", 0.6, "`x @ y` of 10×10, forward and backward", lambda torch, x, y: (x @ y,))
with_gradient(
    "std_mean_grad_small",
    1.1,
    "`torch.std_mean(x, 1, keepdim=True)` of 10×10, forward and backward",
    lambda torch, x, y: torch.std_mean(x, 1, keepdim=True),
)
with_gradient("split_grad_small", 0.6, "`x.split(5)` of 10×10, forward and backward", lambda torch, x, y: x.split(5))
with_gradient("chain_grad_small", 0.6, "eight calls of `tanh` and `*` on 10×10, forward and backward", lambda torch, x, y: (chain(x, y),))


def chain(x, y):
    for _ in range(4):
        x = x.tanh() * y
    return x


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


def forward(torch, model, inputs):
    """One network, without gradients, on each of the inputs in turn."""
    turn = 0

    def once():
        nonlocal turn
        turn = (turn + 1) % len(inputs)
        with torch.no_grad():
            return model(inputs[turn])

    return once


@row("minilm_128_eager", at_most=0.75, about="MiniLM, eager, one sentence of 128 tokens", rtol=1e-4)
def minilm(torch):
    """examples/minilm/model.py in either library; the weights are those of a fresh model, of which both draw the same."""
    source = (Path(__file__).resolve().parents[1] / "examples" / "minilm" / "model.py").read_text()
    scope = {"torch": torch, "nn": torch.nn, "__name__": "minilm"}
    exec(source.replace("import monograph as torch\n", "").replace("import monograph.nn as nn\n", ""), scope)
    return forward(torch, scope["MiniLM"]().eval(), [torch.randint(0, 30522, (1, 128)) for _ in range(4)])


@row("mlp_64_eager", at_most=0.9, about="MLP 784-512-512-10, eager, 64 rows")
def mlp(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return forward(torch, model.eval(), [torch.randn(64, 784) for _ in range(4)])


@row("gpt2_64_eager", at_most=0.85, about="GPT-2 (124 M parameters, random), eager, 64 tokens", rtol=1e-3, atol=1e-3)
def gpt2(torch):
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, width=768, heads=12):
            super().__init__()
            self.heads = heads
            self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, tokens, width = x.shape
            q, k, v = self.qkv(self.before_attention(x)).split(width, 2)
            q, k, v = (t.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.projection(mixed.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.down(F.gelu(self.up(self.before_mlp(x)), approximate="tanh"))

    class GPT2(nn.Module):
        def __init__(self, words=50257, width=768):
            super().__init__()
            self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(1024, width)
            self.blocks, self.last = nn.Sequential(*(Block() for _ in range(12))), nn.LayerNorm(width)

        def forward(self, ids):
            x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
            return F.linear(self.last(self.blocks(x)), self.tokens.weight)

    return forward(torch, GPT2().eval(), [torch.randint(0, 50257, (1, 64)) for _ in range(4)])
