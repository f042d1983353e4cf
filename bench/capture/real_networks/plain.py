"""Networks in plain spelling, as people write them in one file."""

from __future__ import annotations

import math
from typing import Any

from .registry import images, network, tokens

PLAIN = "plain"


@network("U-Net", PLAIN, images(), short=True)
def unet() -> Any:
    import torch
    from torch import nn

    class DoubleConv(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.layers = nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
                nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
            )  # fmt: skip

        def forward(self, x):
            return self.layers(x)

    class Up(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, stride=2)
            self.conv = DoubleConv(inputs, outputs)

        def forward(self, x, skip):
            x = self.up(x)
            rows, columns = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
            x = nn.functional.pad(x, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])
            return self.conv(torch.cat([skip, x], dim=1))

    class UNet(nn.Module):
        def __init__(self, widths=(8, 16, 32)):
            super().__init__()
            self.first = DoubleConv(3, widths[0])
            self.down = nn.ModuleList(nn.Sequential(nn.MaxPool2d(2), DoubleConv(a, b)) for a, b in zip(widths, widths[1:]))
            self.up = nn.ModuleList(Up(b, a) for a, b in reversed(list(zip(widths, widths[1:]))))
            self.last = nn.Conv2d(widths[0], 2, 1)

        def forward(self, x):
            skips = [self.first(x)]
            for down in self.down:
                skips.append(down(skips[-1]))
            x = skips.pop()
            for up in self.up:
                x = up(x, skips.pop())
            return self.last(x)

    return UNet()


@network("GPT", PLAIN, tokens(), short=True, symbolic_trace="the elements are needed one by one here")
def gpt() -> Any:
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = (p.view(b, t, self.heads, c // self.heads).transpose(1, 2) for p in self.attn(x).split(c, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.proj(y.transpose(1, 2).contiguous().view(b, t, c))

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attn = Attention(width, heads)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width), nn.Dropout(0.1))

        def forward(self, x):
            x = x + self.attn(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class GPT(nn.Module):
        def __init__(self, words=40, width=32, layers=2, length=16):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block(width, 2) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
            self.words.weight = self.head.weight
            self.apply(self.begin)

        def begin(self, layer):
            if isinstance(layer, (nn.Linear, nn.Embedding)):
                nn.init.normal_(layer.weight, mean=0.0, std=0.02)
            if isinstance(layer, nn.Linear) and layer.bias is not None:
                nn.init.zeros_(layer.bias)

        def forward(self, ids):
            x = self.words(ids) + self.places(torch.arange(0, ids.size(1), device=ids.device))
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    return GPT()


@network("LSTM language model", PLAIN, tokens(8), short=True)
def language_model() -> Any:
    from torch import nn

    class Model(nn.Module):
        def __init__(self, words=40, width=16, layers=2):
            super().__init__()
            self.words = nn.Embedding(words, width)
            self.lstm = nn.LSTM(width, width, layers, batch_first=True, dropout=0.2)
            self.drop, self.head = nn.Dropout(0.2), nn.Linear(width, words)

        def forward(self, ids):
            out, (h, c) = self.lstm(self.drop(self.words(ids)))
            return self.head(self.drop(out)), h, c

    return Model()


@network("VAE", PLAIN, images(16, 1), short=True)
def vae() -> Any:
    import torch
    from torch import nn

    class VAE(nn.Module):
        def __init__(self, latent=4):
            super().__init__()
            self.encoder = nn.Sequential(
                nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.LeakyReLU(0.2), nn.Flatten()
            )
            self.mu, self.log_var = nn.Linear(256, latent), nn.Linear(256, latent)
            self.start = nn.Linear(latent, 256)
            self.decoder = nn.Sequential(
                nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid()
            )

        def forward(self, x):
            h = self.encoder(x)
            mu, log_var = self.mu(h), self.log_var(h)
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var) if self.training else mu
            y = self.decoder(self.start(z).view(-1, 16, 4, 4))
            kl = -0.5 * torch.mean(1 + log_var - mu.pow(2) - log_var.exp())
            return y, mu, log_var, nn.functional.binary_cross_entropy(y, torch.sigmoid(x)) + kl

    return VAE()


def graph_of(draw: Any, n: int) -> tuple[Any, ...]:
    return draw.normal(5 * n, 8), draw.integers(5 * n, 2, 20 * n)


@network("graph network", PLAIN, graph_of, short=True)
def graph_network() -> Any:
    import torch
    from torch import nn

    class GraphConvolution(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(inputs, outputs))
            self.bias = nn.Parameter(torch.zeros(outputs))
            nn.init.xavier_uniform_(self.weight)

        def forward(self, x, edges):
            source, target = edges[0], edges[1]
            degree = torch.zeros(x.size(0), dtype=x.dtype).scatter_add(0, target, torch.ones_like(target, dtype=x.dtype)) + 1
            scale = degree.rsqrt()
            h = x @ self.weight
            messages = h[source] * (scale[source] * scale[target]).unsqueeze(-1)
            return torch.zeros_like(h).index_add(0, target, messages) + h / degree.unsqueeze(-1) + self.bias

    class Attention(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.line = nn.Linear(inputs, outputs, bias=False)
            self.score = nn.Linear(2 * outputs, 1)

        def forward(self, x, edges):
            source, target = edges
            h = self.line(x)
            e = nn.functional.leaky_relu(self.score(torch.cat([h[source], h[target]], -1)), 0.2).exp()
            total = torch.zeros(x.size(0), 1).index_add(0, target, e) + 1e-6
            return torch.zeros_like(h).index_add(0, target, h[source] * (e / total[target]))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.head = GraphConvolution(8, 16), Attention(16, 16), nn.Linear(16, 3)
            self.drop = nn.Dropout(0.5)

        def forward(self, x, edges):
            x = self.drop(torch.relu(self.first(x, edges)))
            return torch.log_softmax(self.head(nn.functional.elu(self.second(x, edges))), dim=-1)

    return Model()


def noisy_images(draw: Any, n: int) -> tuple[Any, ...]:
    return draw.normal(n, 3, 16, 16), draw.integers(1000, n)


@network("diffusion U-Net", PLAIN, noisy_images, short=True, symbolic_trace="the elements are needed one by one here")
def diffusion() -> Any:
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Time(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.width = width

        def forward(self, t):
            half = self.width // 2
            steps = torch.exp(torch.arange(half, device=t.device) * -(math.log(10000) / (half - 1)))
            angles = t[:, None] * steps[None, :]
            return torch.cat((angles.sin(), angles.cos()), dim=-1)

    class Residual(nn.Module):
        def __init__(self, inputs, outputs, time):
            super().__init__()
            self.norm1, self.conv1 = nn.GroupNorm(4, inputs), nn.Conv2d(inputs, outputs, 3, padding=1)
            self.norm2, self.conv2 = nn.GroupNorm(4, outputs), nn.Conv2d(outputs, outputs, 3, padding=1)
            self.time = nn.Linear(time, 2 * outputs)
            self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

        def forward(self, x, t):
            h = self.conv1(F.silu(self.norm1(x)))
            scale, shift = self.time(F.silu(t))[:, :, None, None].chunk(2, dim=1)
            return self.conv2(F.silu(self.norm2(h) * (scale + 1) + shift)) + self.skip(x)

    class Attention(nn.Module):
        def __init__(self, width, heads=2):
            super().__init__()
            self.heads, self.norm = heads, nn.GroupNorm(4, width)
            self.qkv, self.out = nn.Conv2d(width, 3 * width, 1, bias=False), nn.Conv2d(width, width, 1)

        def forward(self, x):
            b, c, h, w = x.shape
            q, k, v = (p.reshape(b, self.heads, c // self.heads, h * w) for p in self.qkv(self.norm(x)).chunk(3, dim=1))
            weights = torch.einsum("bhdi,bhdj->bhij", q * (c // self.heads) ** -0.5, k).softmax(dim=-1)
            return self.out(torch.einsum("bhij,bhdj->bhdi", weights, v).reshape(b, c, h, w)) + x

    class UNet(nn.Module):
        def __init__(self, width=16):
            super().__init__()
            self.time = nn.Sequential(Time(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, 4 * width))
            self.first = nn.Conv2d(3, width, 3, padding=1)
            self.down1, self.shrink = Residual(width, width, 4 * width), nn.Conv2d(width, 2 * width, 4, 2, 1)
            self.down2, self.attention = Residual(2 * width, 2 * width, 4 * width), Attention(2 * width)
            self.middle = Residual(2 * width, 2 * width, 4 * width)
            self.up2, self.grow = Residual(4 * width, width, 4 * width), nn.Upsample(scale_factor=2, mode="nearest")
            self.up1, self.last = Residual(2 * width, width, 4 * width), nn.Conv2d(width, 3, 1)

        def forward(self, x, t):
            t = self.time(t)
            a = self.down1(self.first(x), t)
            b = self.attention(self.down2(self.shrink(a), t))
            x = self.up2(torch.cat((self.middle(b, t), b), dim=1), t)
            return self.last(self.up1(torch.cat((self.grow(x), a), dim=1), t))

    return UNet()


@network("speech encoder", PLAIN, lambda draw, n: (draw.normal(n, 10, 33),), short=True)
def speech() -> Any:
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self, bands=10, width=32, layers=2):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv1d(bands, width, 3, padding=1), nn.Conv1d(width, width, 3, stride=2, padding=1)
            angles = torch.arange(64)[:, None] * torch.exp(-math.log(10000) / (width // 2 - 1) * torch.arange(width // 2))[None, :]
            self.register_buffer("places", torch.cat([angles.sin(), angles.cos()], dim=1))
            layer = nn.TransformerEncoderLayer(width, 2, 48, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
            self.blocks, self.norm = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False), nn.LayerNorm(width)

        def forward(self, x):
            x = nn.functional.gelu(self.conv2(nn.functional.gelu(self.conv1(x)))).permute(0, 2, 1)
            return self.norm(self.blocks(x + self.places[: x.shape[1]]))

    return Encoder()
