"""The networks that most programs start from."""

from __future__ import annotations

import math
from typing import Any

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F

from .registry import images, network, tokens, vectors


def conv_bn(a: int, b: int, k: int = 3, stride: int = 1, groups: int = 1, act: Any = nn.ReLU) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(b), act())


@network("MLP", vectors(8))
class MLP(nn.Module):
    def __init__(self, a=8, hidden=16, b=4):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(a, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, b))

    def forward(self, x):
        return self.layers(x)


@network("LeNet", images(1, 16))
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(128, 16), nn.Linear(16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(x.size(0), -1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


@network("VGG", images())
class VGG(nn.Module):
    def __init__(self):
        super().__init__()
        layers, a = [], 3
        for width in (4, "M", 8, "M"):
            if width == "M":
                layers.append(nn.MaxPool2d(2, 2))
            else:
                layers += [nn.Conv2d(a, width, 3, padding=1), nn.ReLU(inplace=True)]
                a = width
        self.features, self.avgpool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d((2, 2))
        self.classifier = nn.Sequential(nn.Linear(32, 16), nn.ReLU(True), nn.Dropout(), nn.Linear(16, 5))

    def forward(self, x):
        x = self.avgpool(self.features(x))
        return self.classifier(torch.flatten(x, 1))


class BasicBlock(nn.Module):
    def __init__(self, a, b, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b)
        self.relu = nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        self.downsample = nn.Sequential(nn.Conv2d(a, b, 1, stride, bias=False), nn.BatchNorm2d(b)) if stride != 1 or a != b else None

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


@network("ResNet", images())
class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.maxpool = conv_bn(3, 4), nn.MaxPool2d(3, 2, 1)
        self.layer1, self.layer2 = nn.Sequential(BasicBlock(4, 4), BasicBlock(4, 4)), nn.Sequential(BasicBlock(4, 8, 2), BasicBlock(8, 8))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(8, 5)

    def forward(self, x):
        x = self.layer2(self.layer1(self.maxpool(self.stem(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class InvertedResidual(nn.Module):
    def __init__(self, a, b, stride, expand):
        super().__init__()
        h = a * expand
        self.use_res = stride == 1 and a == b
        layers = [conv_bn(a, h, 1, act=nn.ReLU6)] if expand != 1 else []
        layers += [conv_bn(h, h, 3, stride, h, act=nn.ReLU6), nn.Conv2d(h, b, 1, bias=False), nn.BatchNorm2d(b)]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res else self.conv(x)


@network("MobileNetV2", images())
class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        blocks = [InvertedResidual(4, 4, 1, 1), InvertedResidual(4, 8, 2, 3), InvertedResidual(8, 8, 1, 3)]
        self.features = nn.Sequential(conv_bn(3, 4, stride=2, act=nn.ReLU6), *blocks)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(8, 5))

    def _forward_impl(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))

    def forward(self, x):
        return self._forward_impl(x)


class SqueezeExcite(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Linear(c, c // r, bias=False), nn.ReLU(inplace=True), nn.Linear(c // r, c, bias=False), nn.Sigmoid())

    def forward(self, x):
        b, c, _, _ = x.size()
        y = self.pool(x).view(b, c)
        y = self.fc(y).view(b, c, 1, 1)
        return x * y.expand_as(x)


@network("SENet", images())
def se_net():
    return nn.Sequential(conv_bn(3, 4), SqueezeExcite(4), nn.Sequential(conv_bn(4, 8, stride=2), SqueezeExcite(8)), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))


@network("MobileNetV3 block", images(4))
class MobileNetV3Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand, self.depthwise = conv_bn(4, 8, 1, act=nn.Hardswish), conv_bn(8, 8, 5, 1, 8, act=nn.Hardswish)
        self.fc1, self.fc2, self.scale = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1), nn.Hardsigmoid()
        self.project = nn.Sequential(nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4))

    def forward(self, x):
        y = self.depthwise(self.expand(x))
        s = y.mean([2, 3], keepdim=True)
        y = self.scale(self.fc2(F.relu(self.fc1(s)))) * y
        y = self.project(y)
        y += x
        return y


def channel_shuffle(x, groups):
    n, c, h, w = x.size()
    x = x.view(n, groups, c // groups, h, w)
    return torch.transpose(x, 1, 2).contiguous().view(n, -1, h, w)


@network("ShuffleNet", images(8))
class ShuffleUnit(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(conv_bn(4, 4, 1), nn.Sequential(nn.Conv2d(4, 4, 3, 1, 1, groups=4, bias=False), nn.BatchNorm2d(4)), conv_bn(4, 4, 1))

    def forward(self, x):
        x1, x2 = x.chunk(2, dim=1)
        return channel_shuffle(torch.cat((x1, self.branch(x2)), dim=1), 2)


@network("DenseNet", images(4))
class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.BatchNorm2d(4 + 2 * i), nn.ReLU(inplace=True), nn.Conv2d(4 + 2 * i, 2, 3, 1, 1)) for i in range(3)])
        self.transition = nn.Sequential(nn.BatchNorm2d(10), nn.ReLU(), nn.Conv2d(10, 4, 1), nn.AvgPool2d(2, 2))

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(torch.cat(features, 1)))
        return self.transition(torch.cat(features, 1))


@network("Inception", images())
class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1, self.b2 = conv_bn(3, 2, 1), nn.Sequential(conv_bn(3, 2, 1), conv_bn(2, 4, 3))
        self.b3, self.pool = nn.Sequential(conv_bn(3, 2, 1), conv_bn(2, 4, 5)), nn.Sequential(nn.MaxPool2d(3, 1, 1), conv_bn(3, 2, 1))

    def forward(self, x):
        return torch.cat([self.b1(x), self.b2(x), self.b3(x), self.pool(x)], 1)


@network("SqueezeNet fire", images(4))
class Fire(nn.Module):
    def __init__(self):
        super().__init__()
        self.squeeze, self.act = nn.Conv2d(4, 2, 1), nn.ReLU(inplace=True)
        self.expand1x1, self.expand3x3 = nn.Conv2d(2, 4, 1), nn.Conv2d(2, 4, 3, padding=1)

    def forward(self, x):
        x = self.act(self.squeeze(x))
        return torch.cat([self.act(self.expand1x1(x)), self.act(self.expand3x3(x))], 1)


@network("EfficientNet block", images(4))
def efficient_block():
    return nn.Sequential(conv_bn(4, 8, 1, act=nn.SiLU), conv_bn(8, 8, 3, 1, 8, act=nn.SiLU), SqueezeExcite(8), nn.Conv2d(8, 4, 1), nn.BatchNorm2d(4))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


@network("ConvNeXt block", images(4))
class ConvNeXtBlock(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.dwconv, self.norm = nn.Conv2d(c, c, 7, padding=3, groups=c), nn.LayerNorm(c, eps=1e-6)
        self.pwconv1, self.act, self.pwconv2 = nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)
        self.gamma, self.down = nn.Parameter(1e-1 * torch.ones(c)), nn.Sequential(LayerNorm2d(c), nn.Conv2d(c, 8, 2, 2))

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.gamma * self.pwconv2(self.act(self.pwconv1(y)))
        return self.down(x + y.permute(0, 3, 1, 2))


class Attention(nn.Module):
    def __init__(self, dim=8, heads=2, causal=False, fused=False):
        super().__init__()
        self.heads, self.scale, self.causal, self.fused = heads, (dim // heads) ** -0.5, causal, fused
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
        if causal and not fused:
            self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            a = (q @ k.transpose(-2, -1)) * self.scale
            if self.causal:
                a = a.masked_fill(self.mask[:, :, :n, :n] == 0, float("-inf"))
            y = a.softmax(dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, n, c))


class Block(nn.Module):
    def __init__(self, dim=8, **attention):
        super().__init__()
        self.norm1, self.attn, self.norm2 = nn.LayerNorm(dim), Attention(dim, **attention), nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(0.0), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


@network("ViT", images())
class ViT(nn.Module):
    def __init__(self, dim=8, **attention):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 8, 8)
        self.cls_token, self.pos_embed = nn.Parameter(torch.zeros(1, 1, dim)), nn.Parameter(torch.randn(1, 5, dim) * 0.02)
        self.blocks, self.norm, self.head = nn.Sequential(Block(dim, **attention), Block(dim, **attention)), nn.LayerNorm(dim), nn.Linear(dim, 3)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        return self.head(self.norm(self.blocks(x))[:, 0])


@network("ViT, fused attention", images())
def fused_vit():
    return ViT(fused=True)


@network("GPT", tokens(7))
class GPT(nn.Module):
    def __init__(self, words=20, dim=8, fused=False):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, dim), nn.Embedding(16, dim)
        self.h = nn.ModuleList([Block(dim, causal=True, fused=fused), Block(dim, causal=True, fused=True)])
        self.ln_f, self.lm_head = nn.LayerNorm(dim), nn.Linear(dim, words, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        positions = torch.arange(0, ids.size(1), dtype=torch.long, device=ids.device).unsqueeze(0)
        x = self.wte(ids) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@network("GPT, fused attention", tokens(7))
def fused_gpt():
    return GPT(fused=True)


@network("BERT layer", lambda n: (torch.randn(n, 6, 8), (torch.arange(6).unsqueeze(0).expand(n, 6) < 4).float()))
class BertLayer(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query, self.key, self.value, self.dense = (nn.Linear(dim, dim) for _ in range(4))
        self.norm, self.intermediate, self.output, self.norm2 = nn.LayerNorm(dim), nn.Linear(dim, 16), nn.Linear(16, dim), nn.LayerNorm(dim)

    def split(self, x):
        return x.view(x.size()[:-1] + (self.heads, self.size)).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        bias = (1.0 - mask[:, None, None, :]) * -10000.0
        scores = torch.matmul(self.split(self.query(x)), self.split(self.key(x)).transpose(-1, -2)) / math.sqrt(self.size) + bias
        context = torch.matmul(F.softmax(scores, dim=-1), self.split(self.value(x))).permute(0, 2, 1, 3).contiguous()
        x = self.norm(self.dense(context.view(context.size()[:-2] + (self.heads * self.size,))) + x)
        return self.norm2(self.output(F.gelu(self.intermediate(x))) + x)


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


@network("Llama block", vectors(6, 8))
class LlamaBlock(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.norm1, self.norm2 = RMSNorm(dim), RMSNorm(dim)
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(dim, 16, bias=False), nn.Linear(dim, 16, bias=False), nn.Linear(16, dim, bias=False)
        self.register_buffer("freqs", 1.0 / (10000 ** (torch.arange(0, self.size, 2).float() / self.size)), persistent=False)

    def rotate(self, x, cos, sin):
        a, b = x[..., : self.size // 2], x[..., self.size // 2 :]
        return x * cos + torch.cat((-b, a), dim=-1) * sin

    def forward(self, x):
        b, n, _ = x.shape
        h = self.norm1(x)
        q, k, v = (f(h).view(b, n, self.heads, self.size).transpose(1, 2) for f in (self.q, self.k, self.v))
        angles = torch.arange(n).float()[:, None] * self.freqs[None, :]
        angles = torch.cat((angles, angles), dim=-1)
        q, k = self.rotate(q, angles.cos(), angles.sin()), self.rotate(k, angles.cos(), angles.sin())
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, -1)
        x = x + self.o(a)
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@network("MLP-Mixer", vectors(6, 8))
class Mixer(nn.Module):
    def __init__(self, n=6, c=8):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.tokens, self.channels = (nn.Sequential(nn.Linear(d, 12), nn.GELU(), nn.Linear(12, d)) for d in (n, c))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return (x + self.channels(self.norm2(x))).mean(dim=1)


@network("LSTM cell over time", vectors(5, 4))
class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.fc = nn.LSTMCell(4, 6), nn.Linear(6, 2)

    def forward(self, x):
        h = c = torch.zeros(x.size(0), 6)
        outputs = []
        for t in range(5):
            h, c = self.cell(x[:, t], (h, c))
            outputs.append(h)
        return self.fc(torch.stack(outputs, dim=1))


@network("GRU by hand", vectors(5, 4))
class GRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(4, 18), nn.Linear(6, 18)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 6)
        for step in x.unbind(1):
            xr, xz, xn = self.x(step).chunk(3, 1)
            hr, hz, hn = self.h(h).chunk(3, 1)
            z = torch.sigmoid(xz + hz)
            h = (1 - z) * torch.tanh(xn + torch.sigmoid(xr + hr) * hn) + z * h
        return h


@network("autoencoder", images(1, 8))
class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Tanh(), nn.Linear(16, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 64), nn.Sigmoid(), nn.Unflatten(1, (1, 8, 8)))

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(z), z


@network("VAE", vectors(12))
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.mu, self.logvar, self.fc3, self.fc4 = nn.Linear(12, 8), nn.Linear(8, 3), nn.Linear(8, 3), nn.Linear(3, 8), nn.Linear(8, 12)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std if self.training else mu

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = self.reparameterize(mu, logvar)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


@network("Siamese", lambda n: (torch.randn(n, 8), torch.randn(n, 8)))
class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = MLP()

    def forward(self, a, b):
        a, b = self.embed(a), self.embed(b)
        return ((a - b) ** 2).sum(dim=1).sqrt(), F.cosine_similarity(a, b)


@network("highway", vectors(8))
class Highway(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates, self.values = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)]), nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])

    def forward(self, x):
        for gate, value in zip(self.gates, self.values, strict=True):
            t = torch.sigmoid(gate(x))
            x = t * F.relu(value(x)) + (1 - t) * x
        return x


@network("gated linear units", vectors(8))
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 12)

    def forward(self, x):
        a, b = self.fc(x).split(6, dim=-1)
        return a * b.sigmoid()


@network("attention pooling", lambda n: (torch.randn(n, 5, 8), torch.arange(5).expand(n, 5) < 3))
class AttentionPooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1, bias=False))

    def forward(self, x, mask):
        s = self.score(x).squeeze(-1).masked_fill(~mask, -1e9)
        return (torch.softmax(s, dim=1).unsqueeze(-1) * x).sum(1)


@network("deep sets", vectors(5, 4))
class DeepSets(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi, self.rho = MLP(4, 8, 6), MLP(12, 8, 2)

    def forward(self, x):
        h = self.phi(x)
        return self.rho(torch.cat([h.mean(1), h.max(dim=1).values], dim=-1))


@network("PointNet", vectors(3, 9))
class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.bn, self.fc = nn.Conv1d(3, 8, 1), nn.Conv1d(8, 16, 1), nn.BatchNorm1d(8), nn.Linear(16, 9)

    def forward(self, x):
        h = self.conv2(F.relu(self.bn(self.conv1(x))))
        h = torch.max(h, 2, keepdim=True)[0].view(-1, 16)
        t = self.fc(h).view(-1, 3, 3) + torch.eye(3).view(1, 3, 3)
        return torch.bmm(x.transpose(2, 1), t)


@network("text CNN", tokens(9))
class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.convs, self.fc = nn.ModuleList([nn.Conv2d(1, 3, (k, 8)) for k in (2, 3)]), nn.Linear(6, 2)

    def forward(self, ids):
        x = self.embedding(ids).unsqueeze(1)
        x = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        x = [h.max(2)[0] for h in x]
        return self.fc(torch.cat(x, 1))


@network("mixture of experts", vectors(8))
class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(8, 3), nn.ModuleList([MLP() for _ in range(3)])

    def forward(self, x):
        weights = F.softmax(self.gate(x), dim=1)
        return (torch.stack([e(x) for e in self.experts], dim=1) * weights.unsqueeze(2)).sum(dim=1)


@network("DQN, dueling", vectors(6))
class Dueling(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.value, self.advantage = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 1), nn.Linear(8, 4)

    def forward(self, x):
        h = self.body(x)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(1, keepdim=True)


@network("graph convolution", lambda n: (torch.randn(n, 5, 4), (torch.randn(n, 5, 5) > 0).float()))
class GraphConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 3)

    def forward(self, x, adjacency):
        a = adjacency + torch.eye(adjacency.size(-1))
        d = a.sum(-1).pow(-0.5)
        a = d.unsqueeze(-1) * a * d.unsqueeze(-2)
        return self.fc2(a @ F.relu(self.fc1(a @ x))).log_softmax(-1)


@network("NeRF encoding", vectors(3))
class Nerf(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.skip = nn.Linear(21, 8), nn.Linear(29, 4)

    def forward(self, x):
        parts = [x]
        for i in range(3):
            parts += [torch.sin(2.0**i * x), torch.cos(2.0**i * x)]
        e = torch.cat(parts, -1)
        h = torch.cat([F.elu(self.fc(e)), e], -1)
        out = self.skip(h)
        return torch.sigmoid(out[..., :3]), F.softplus(out[..., 3:])


@network("U-Net", images(1, 8))
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.mid, self.pool = conv_bn(1, 4), conv_bn(4, 8), nn.MaxPool2d(2)
        self.up, self.out = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        d = self.down(x)
        u = self.up(self.mid(self.pool(d)))
        return self.out(torch.cat([d, u], dim=1))


@network("U-Net, nearest", images(1, 8))
class UNetNearest(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.mid, self.out = conv_bn(1, 4), conv_bn(4, 4), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        d = self.down(x)
        u = F.interpolate(self.mid(F.avg_pool2d(d, 2)), scale_factor=2, mode="nearest")
        return self.out(torch.cat([d, u], dim=1))


@network("group norm", images(4, 8))
def group_norm():
    return nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.SiLU())


@network("LSTM", vectors(5, 4))
class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 2)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1])


@network("multi-head attention", vectors(5, 8))
class MultiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]
