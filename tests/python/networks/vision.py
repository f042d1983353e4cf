"""Networks of attention or mixing over images, in the structures of timm."""

from __future__ import annotations

import math
from functools import reduce
from operator import mul

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F

from .registry import NETWORKS, images, network, vectors


class Mlp(nn.Module):
    def __init__(self, in_features, hidden_features=None, out_features=None, act_layer=nn.GELU, bias=True, drop=0.0):
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        self.fc1 = nn.Linear(in_features, hidden_features, bias=bias)
        self.act = act_layer()
        self.drop = nn.Dropout(drop)
        self.fc2 = nn.Linear(hidden_features, out_features, bias=bias)

    def forward(self, x):
        return self.drop(self.fc2(self.drop(self.act(self.fc1(x)))))


@network("DeiT, distilled", images(3, 8))
class DistilledViT(nn.Module):
    def __init__(self, img_size=8, patch_size=4, embed_dim=8, depth=2, num_heads=2):
        super().__init__()
        self.num_patches = (img_size // patch_size) ** 2
        self.patch_size = patch_size
        self.proj = nn.Linear(3 * patch_size**2, embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.dist_token = nn.Parameter(torch.empty(1, 1, embed_dim).normal_(std=0.02))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.num_patches + 2, embed_dim))
        nn.init.normal_(self.pos_embed, std=0.02)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(
                nn.ModuleList([nn.LayerNorm(embed_dim), nn.Linear(embed_dim, 3 * embed_dim), nn.LayerNorm(embed_dim), Mlp(embed_dim, 12)])
            )
        self.heads, self.norm = num_heads, nn.LayerNorm(embed_dim)
        self.head, self.head_dist = nn.Linear(embed_dim, 4), nn.Linear(embed_dim, 4)

    def patchify(self, imgs):
        p = self.patch_size
        h = w = imgs.shape[2] // p
        x = imgs.reshape(shape=(imgs.shape[0], 3, h, p, w, p))
        return x.permute(0, 2, 4, 3, 5, 1).reshape(imgs.shape[0], h * w, p**2 * 3)

    def forward(self, x):
        x = self.proj(self.patchify(x))
        b = x.shape[0]
        x = torch.cat((self.cls_token.expand(b, -1, -1), self.dist_token.expand(b, -1, -1), x), dim=1)
        x += self.pos_embed
        for norm1, qkv, norm2, mlp in self.layers:
            b, n, c = x.shape
            q, k, v = qkv(norm1(x)).view(b, n, 3, self.heads, c // self.heads).transpose(1, 3).unbind(2)
            attn = (q @ k.transpose(-2, -1) / math.sqrt(c // self.heads)).softmax(-1)
            x = x + (attn @ v).transpose(1, 2).flatten(2)
            x = x + mlp(norm2(x))
        x = self.norm(x)
        x, x_dist = self.head(x[:, 0]), self.head_dist(x[:, 1])
        return (x, x_dist) if self.training else (x + x_dist) / 2


@network("CaiT", vectors(4, 8))
class CaiT(nn.Module):
    """Talking heads and class attention, with layer scale."""

    def __init__(self, dim=8, num_heads=2, init_values=1e-1):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.qkv, self.proj = nn.Linear(dim, dim * 3, bias=False), nn.Linear(dim, dim)
        self.proj_l, self.proj_w = nn.Linear(num_heads, num_heads), nn.Linear(num_heads, num_heads)
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.gamma_1 = nn.Parameter(init_values * torch.ones(dim), requires_grad=True)
        self.gamma_2 = nn.Parameter(init_values * torch.ones(dim))

    def talking_heads(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0] * self.scale, qkv[1], qkv[2]
        attn = q @ k.transpose(-2, -1)
        attn = self.proj_l(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        attn = attn.softmax(dim=-1)
        attn = self.proj_w(attn.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.proj((attn @ v).transpose(1, 2).reshape(B, N, C))

    def class_attention(self, x):
        B, N, C = x.shape
        q = self.q(x[:, 0]).unsqueeze(1).reshape(B, 1, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
        k = self.k(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
        v = self.v(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
        x_cls = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5 if self.training else 0.0, scale=self.scale)
        return x_cls.transpose(1, 2).reshape(B, 1, C)

    def forward(self, x):
        x = x + self.gamma_1 * self.talking_heads(x)
        u = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        return (self.cls_token.expand_as(u[:, :1]) + self.gamma_2 * self.class_attention(u)).squeeze(1)


class RelativeAttention(nn.Module):
    """Attention in one window, with a table of biases over relative positions."""

    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.dim, self.window_size, self.num_heads = dim, window_size, num_heads
        ws = window_size
        self.relative_position_bias_table = nn.Parameter(torch.randn((2 * ws - 1) * (2 * ws - 1), num_heads) * 0.1)
        rows = torch.arange(ws).view(-1, 1).expand(ws, ws)
        coords = torch.stack([rows, rows.t()]).flatten(1)
        relative_coords = coords[:, :, None] - coords[:, None, :]
        relative_coords = relative_coords.permute(1, 2, 0).contiguous()
        relative_coords[:, :, 0] += ws - 1
        relative_coords[:, :, 1] += ws - 1
        relative_coords[:, :, 0] *= 2 * ws - 1
        self.register_buffer("relative_position_index", relative_coords.sum(-1))
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        B_, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B_, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        attn = (q * (C // self.num_heads) ** -0.5) @ k.transpose(-2, -1)
        bias = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(N, N, -1)
        attn = attn + bias.permute(2, 0, 1).contiguous().unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        attn = F.softmax(attn, dim=-1, dtype=torch.float32)
        return self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))


def window_partition(x, window_size):
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, C)


def window_reverse(windows, window_size, H, W):
    B = windows.shape[0] // (H * W // window_size // window_size)
    x = windows.view(B, H // window_size, W // window_size, window_size, window_size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


class SwinBlock(nn.Module):
    def __init__(self, dim=8, window_size=2, shift_size=0, size=4, roll=None):
        super().__init__()
        self.window_size, self.shift_size, self.roll = window_size, shift_size, roll
        self.norm1, self.attn, self.norm2, self.mlp = (
            nn.LayerNorm(dim),
            RelativeAttention(dim, window_size, 2),
            nn.LayerNorm(dim),
            Mlp(dim, 2 * dim),
        )
        attn_mask = None
        if shift_size > 0:
            img_mask, cnt = torch.zeros((1, size, size, 1)), 0
            for h in (slice(0, -window_size), slice(-window_size, -shift_size), slice(-shift_size, None)):
                for w in (slice(0, -window_size), slice(-window_size, -shift_size), slice(-shift_size, None)):
                    img_mask[:, h, w, :] = cnt
                    cnt += 1
            mask_windows = window_partition(img_mask, window_size).view(-1, window_size * window_size)
            attn_mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
            attn_mask = attn_mask.masked_fill(attn_mask != 0, -100.0).masked_fill(attn_mask == 0, 0.0)
        self.register_buffer("attn_mask", attn_mask)

    def forward(self, x):
        B, H, W, C = x.shape
        shortcut, x = x, self.norm1(x)
        if self.shift_size > 0:
            x = self.roll(x, (-self.shift_size, -self.shift_size))
        windows = window_partition(x, self.window_size).view(-1, self.window_size * self.window_size, C)
        windows = self.attn(windows, mask=self.attn_mask).view(-1, self.window_size, self.window_size, C)
        x = window_reverse(windows, self.window_size, H, W)
        if self.shift_size > 0:
            x = self.roll(x, (self.shift_size, self.shift_size))
        x = shortcut + x
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.reduction, self.norm = nn.Linear(4 * dim, 2 * dim, bias=False), nn.LayerNorm(4 * dim)

    def forward(self, x):
        x0, x1, x2, x3 = x[:, 0::2, 0::2, :], x[:, 1::2, 0::2, :], x[:, 0::2, 1::2, :], x[:, 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x3], -1)
        return self.reduction(self.norm(x.view(x.shape[0], -1, x.shape[-1])))


@network("Swin", vectors(4, 4, 8))
def swin():
    def by_slices(x, shifts):
        for dim, s in enumerate(shifts, start=1):
            n = x.shape[dim]
            x = torch.cat([x.narrow(dim, n - s % 4, s % 4), x.narrow(dim, 0, n - s % 4)], dim)
        return x

    return nn.Sequential(SwinBlock(), SwinBlock(shift_size=1, roll=by_slices), PatchMerging(8))


@network("Swin, with roll", vectors(4, 4, 8))
def swin_with_roll():
    return nn.Sequential(
        SwinBlock(), SwinBlock(shift_size=1, roll=lambda x, shifts: torch.roll(x, shifts=shifts, dims=(1, 2))), PatchMerging(8)
    )


@network("MaxViT", images(4, 4))
class MaxViT(nn.Module):
    """Attention in blocks, then over a grid."""

    def __init__(self, dim=4, p=2):
        super().__init__()
        self.p, self.conv = p, nn.Conv2d(dim, dim, 3, padding=1, groups=dim)
        self.block, self.grid = RelativeAttention(dim, p, 2), RelativeAttention(dim, p, 2)

    def forward(self, x):
        x, p = x + self.conv(x), self.p
        b, c, h, w = x.shape
        for kind in ["block", "grid"]:
            if kind == "block":
                y = x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1)
            else:
                y = x.reshape(b, c, p, h // p, p, w // p).permute(0, 3, 5, 2, 4, 1)
            s = y.shape
            y = getattr(self, kind)(y.reshape(-1, p * p, c)).reshape(s)
            y = y.permute(0, 5, 1, 3, 2, 4) if kind == "block" else y.permute(0, 5, 3, 1, 4, 2)
            x = x + y.reshape(x.shape)
        return x


@network("CoAtNet", images(3, 8))
class CoAtNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.s0, self.s1 = nn.Conv2d(3, 6, 3, 2, 1), nn.Sequential(nn.Conv2d(6, 12, 1), nn.GELU(), nn.Conv2d(12, 6, 3, 2, 1))
        self.pool1, self.pool2, self.proj = nn.MaxPool2d(3, 2, 1), nn.MaxPool2d(3, 2, 1, ceil_mode=False), nn.Conv2d(6, 6, 1, bias=False)
        self.attn, self.norm = RelativeAttention(6, 2, 3), nn.LayerNorm(6)

    def forward(self, x):
        x = self.s0(x)
        x = self.proj(self.pool1(x)) + self.s1(x)
        b, c, h, w = x.shape
        t = x.flatten(-2).transpose(-1, -2)
        t = t + self.attn(self.norm(t))
        x = t.mT.reshape(b, c, h, w)
        return x.amax(dim=(2, 3))


@network("PVT, spatial reduction", vectors(16, 8))
class PVT(nn.Module):
    def __init__(self, dim=8, num_heads=2, sr_ratio=2):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.q, self.kv, self.proj = nn.Linear(dim, dim, bias=True), nn.Linear(dim, dim * 2, bias=True), nn.Linear(dim, dim)
        self.sr_ratio = sr_ratio
        if sr_ratio > 1:
            self.sr = nn.Conv2d(dim, dim, kernel_size=sr_ratio, stride=sr_ratio)
            self.norm = nn.LayerNorm(dim)

    def forward(self, x, H=4, W=4):
        B, N, C = x.shape
        q = self.q(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
        if self.sr_ratio > 1:
            x_ = x.permute(0, 2, 1).reshape(B, C, H, W)
            x_ = self.norm(self.sr(x_).reshape(B, C, -1).permute(0, 2, 1))
            kv = self.kv(x_).reshape(B, -1, 2, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        else:
            kv = self.kv(x).reshape(B, -1, 2, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        k, v = kv[0], kv[1]
        attn = ((q @ k.transpose(-2, -1)) * self.scale).softmax(dim=-1)
        return self.proj((attn @ v).transpose(1, 2).reshape(B, N, C))


@network("PoolFormer", images(4, 6))
class PoolFormer(nn.Module):
    def __init__(self, dim=4, pool_size=3):
        super().__init__()
        self.pool = nn.AvgPool2d(pool_size, stride=1, padding=pool_size // 2, count_include_pad=False)
        self.weight, self.bias = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim))
        self.mlp = nn.Sequential(nn.Conv2d(dim, 8, 1), nn.GELU(), nn.Conv2d(8, dim, 1))
        self.layer_scale = nn.ParameterList([nn.Parameter(1e-1 * torch.ones(dim)) for _ in range(2)])

    def norm(self, x, eps=1e-5):
        u = x.mean(1, keepdim=True)
        s = (x - u).pow(2).mean(1, keepdim=True)
        x = (x - u) / torch.sqrt(s + eps)
        return self.weight.unsqueeze(-1).unsqueeze(-1) * x + self.bias.unsqueeze(-1).unsqueeze(-1)

    def forward(self, x):
        y = self.norm(x)
        x = x + self.layer_scale[0].unsqueeze(-1).unsqueeze(-1) * (self.pool(y) - y)
        return x + self.layer_scale[1].view(-1, 1, 1) * self.mlp(self.norm(x))


@network("ResMLP", vectors(6, 8))
class ResMLP(nn.Module):
    class Affine(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.alpha, self.beta = nn.Parameter(torch.ones((1, 1, dim))), nn.Parameter(torch.zeros((1, 1, dim)))

        def forward(self, x):
            return torch.addcmul(self.beta, self.alpha, x)

    def __init__(self, n=6, dim=8):
        super().__init__()
        self.norm1, self.norm2, self.linear_tokens = self.Affine(dim), self.Affine(dim), nn.Linear(n, n)
        self.mlp_channels = Mlp(dim, 2 * dim)
        self.ls1, self.ls2 = nn.Parameter(torch.full([dim], 0.1)), nn.Parameter(0.1 * torch.ones(dim))

    def forward(self, x):
        x = x + self.ls1 * self.linear_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.ls2 * self.mlp_channels(self.norm2(x))
        return x


@network("gMLP", vectors(5, 6))
class GMLP(nn.Module):
    class SpatialGatingUnit(nn.Module):
        def __init__(self, d_ffn, seq_len):
            super().__init__()
            self.norm, self.spatial_proj = nn.LayerNorm(d_ffn), nn.Conv1d(seq_len, seq_len, kernel_size=1)
            nn.init.constant_(self.spatial_proj.bias, 1.0)

        def forward(self, x):
            u, v = x.chunk(2, dim=-1)
            v = self.spatial_proj(self.norm(v))
            out = u * v
            return out

    def __init__(self, d_model=6, d_ffn=4, seq_len=5):
        super().__init__()
        self.norm, self.channel_proj1, self.channel_proj2 = nn.LayerNorm(d_model), nn.Linear(d_model, d_ffn * 2), nn.Linear(d_ffn, d_model)
        self.sgu = self.SpatialGatingUnit(d_ffn, seq_len)

    def forward(self, x):
        residual = x
        x = F.gelu(self.channel_proj1(self.norm(x)))
        return self.channel_proj2(self.sgu(x)) + residual


@network("ConvMixer", images(3, 6))
def conv_mixer(dim=4, depth=2):
    class Residual(nn.Module):
        def __init__(self, fn):
            super().__init__()
            self.fn = fn

        def forward(self, x):
            return self.fn(x) + x

    return nn.Sequential(
        nn.Conv2d(3, dim, kernel_size=2, stride=2), nn.GELU(), nn.BatchNorm2d(dim),
        *[nn.Sequential(
            Residual(nn.Sequential(nn.Conv2d(dim, dim, 3, groups=dim, padding="same"), nn.GELU(), nn.BatchNorm2d(dim))),
            nn.Conv2d(dim, dim, kernel_size=1), nn.GELU(), nn.BatchNorm2d(dim),
        ) for i in range(depth)],
        nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(dim, 3),
    )  # fmt: skip


@network("XCiT, cross-covariance attention", vectors(6, 8))
class XCA(nn.Module):
    def __init__(self, dim=8, num_heads=2):
        super().__init__()
        self.num_heads, self.qkv, self.proj = num_heads, nn.Linear(dim, dim * 3, bias=False), nn.Linear(dim, dim)
        self.temperature = nn.Parameter(torch.ones(num_heads, 1, 1))

    @staticmethod
    def normalize(x):
        return x / x.square().sum(-1, keepdim=True).sqrt().clamp_min(1e-12).expand_as(x)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 4, 1).unbind(0)
        attn = self.normalize(q) @ self.normalize(k).transpose(-2, -1) * self.temperature
        return self.proj((attn.softmax(dim=-1) @ v).permute(0, 3, 1, 2).reshape(B, N, C))


@network("MobileViT", images(4, 4))
class MobileViT(nn.Module):
    def __init__(self, c=4, d=6, patch_h=2, patch_w=2):
        super().__init__()
        self.ph, self.pw = patch_h, patch_w
        self.local, self.fusion = nn.Conv2d(c, d, 1), nn.Conv2d(d + c, c, 3, padding=1)
        self.qkv = nn.Linear(d, 3 * d)

    def forward(self, x):
        shortcut = x
        x = self.local(x)
        B, C, H, W = x.shape
        patch_area, num_patch_h, num_patch_w = self.ph * self.pw, H // self.ph, W // self.pw
        num_patches = num_patch_h * num_patch_w
        x = x.reshape(B * C * num_patch_h, self.ph, num_patch_w, self.pw).transpose(1, 2)
        x = x.reshape(B, C, num_patches, patch_area).transpose(1, 3).reshape(B * patch_area, num_patches, -1)
        q, k, v = torch.chunk(self.qkv(x), chunks=3, dim=-1)
        x = x + torch.bmm(torch.softmax(torch.bmm(q, k.permute(0, 2, 1)) / C**0.5, dim=2), v)
        x = x.contiguous().view(B, patch_area, num_patches, -1)
        x = x.transpose(1, 3).reshape(B * C * num_patch_h, num_patch_w, self.ph, self.pw)
        x = x.transpose(1, 2).reshape(B, C, num_patch_h * self.ph, num_patch_w * self.pw)
        return self.fusion(torch.cat((shortcut, x), dim=1))


@network("MAE, with shuffled patches", lambda n: (torch.randn(n, 8, 6), torch.rand(n, 8)))
class MAE(nn.Module):
    def __init__(self, mask_ratio=0.75, dim=6):
        super().__init__()
        self.mask_ratio, self.encoder, self.decoder, self.mask_token = (
            mask_ratio,
            nn.Linear(dim, 4),
            nn.Linear(4, dim),
            nn.Parameter(torch.zeros(1, 1, 4)),
        )

    def forward(self, x, noise):
        N, L, D = x.shape
        len_keep = 8 - int(8 * self.mask_ratio)
        ids_shuffle = torch.argsort(noise, dim=1)
        ids_restore = torch.argsort(ids_shuffle, dim=1)
        ids_keep = ids_shuffle[:, :len_keep]
        x_masked = torch.gather(x, dim=1, index=ids_keep.unsqueeze(-1).expand(-1, -1, D))
        mask = torch.ones([N, L], device=x.device)
        mask[:, :len_keep] = 0
        mask = torch.gather(mask, dim=1, index=ids_restore)
        latent = self.encoder(x_masked)
        x_ = torch.cat([latent, self.mask_token.expand(N, L - len_keep, -1)], dim=1)
        x_ = torch.gather(x_, 1, ids_restore.unsqueeze(-1).expand(N, L, 4))
        pred = self.decoder(x_)
        loss = ((pred - x) ** 2).mean(dim=-1)
        return (loss * mask).sum() / mask.sum(), pred, mask


@network("VQ-VAE", images(3, 8))
class VQVAE(nn.Module):
    def __init__(self, k=5, d=4):
        super().__init__()
        self.encoder, self.decoder = nn.Conv2d(3, d, 4, 2, 1), nn.ConvTranspose2d(d, 3, 4, 2, 1)
        self.codebook = nn.Embedding(k, d)
        self.codebook.weight.data.uniform_(-1 / k, 1 / k)

    def forward(self, x):
        z = self.encoder(x).permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, z.shape[-1])
        d = flat.pow(2).sum(1, keepdim=True) + (self.codebook.weight**2).sum(1) - 2 * flat @ self.codebook.weight.t()
        indices = torch.argmin(d, dim=1)
        one_hot = F.one_hot(indices, 5).type(z.dtype)
        quantized = (one_hot @ self.codebook.weight).view(z.shape)
        loss = F.mse_loss(quantized, z.detach()) + 0.25 * F.mse_loss(quantized.detach(), z)
        quantized = z + (quantized - z).detach()
        usage = one_hot.mean(0)
        perplexity = torch.exp(-torch.sum(usage * torch.log(usage + 1e-10)))
        return loss, self.decoder(quantized.permute(0, 3, 1, 2)), perplexity, indices.view(x.size(0), -1)


@network("DETR decoder", lambda n: (torch.randn(n, 6, 4, 4), torch.arange(16).view(1, 4, 4).expand(n, 4, 4) > 13))
class DETR(nn.Module):
    def __init__(self, d=8, queries=3, heads=2):
        super().__init__()
        self.input_proj, self.query_embed = nn.Conv2d(6, d, kernel_size=1), nn.Embedding(queries, d)
        self.linears = nn.ModuleDict({f"{a}_{b}": nn.Linear(d, d) for a in ("self", "cross") for b in "qkvo"})
        self.norms, self.heads = nn.ModuleList(nn.LayerNorm(d) for _ in range(2)), heads
        self.bbox_embed = nn.ModuleList(nn.Linear(i, o) for i, o in [(d, d), (d, 4)])
        self.class_embed = nn.Linear(d, 3 + 1)

    def attention(self, which, q, k, v, mask=None):
        (b, n, d), m = q.shape, k.size(1)
        q, k, v = (
            self.linears[f"{which}_{name}"](t).view(b, -1, self.heads, d // self.heads).transpose(1, 2) for name, t in zip("qkv", (q, k, v))
        )  # noqa: B905
        scores = torch.matmul(q, k.transpose(2, 3)) / (d // self.heads) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask.view(b, 1, 1, m), float("-inf"))
        return self.linears[which + "_o"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))

    def half(self, dims):
        return dims // 2

    def sine(self, mask):
        not_mask = ~mask
        y_embed, x_embed = not_mask.cumsum(1, dtype=torch.float32), not_mask.cumsum(2, dtype=torch.float32)
        dim_t = torch.arange(4, dtype=torch.float32)
        dim_t = 10000 ** (2 * self.half(dim_t) / 4)
        pos_x, pos_y = x_embed[:, :, :, None] / dim_t, y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[:, :, :, 0::2].sin(), pos_x[:, :, :, 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[:, :, :, 0::2].sin(), pos_y[:, :, :, 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)

    def forward(self, samples, mask):
        src = self.input_proj(samples)
        pos = self.sine(mask).flatten(2).permute(0, 2, 1)
        memory = src.flatten(2).permute(0, 2, 1)
        query_pos = self.query_embed.weight.unsqueeze(0).expand(samples.shape[0], -1, -1)
        tgt = torch.zeros_like(query_pos)
        tgt = self.norms[0](tgt + self.attention("self", tgt + query_pos, tgt + query_pos, tgt))
        tgt = self.norms[1](tgt + self.attention("cross", tgt + query_pos, memory + pos, memory, mask.flatten(1)))
        boxes = tgt
        for i, layer in enumerate(self.bbox_embed):
            boxes = F.relu(layer(boxes)) if i < len(self.bbox_embed) - 1 else layer(boxes)
        return {"pred_logits": self.class_embed(tgt), "pred_boxes": boxes.sigmoid()}


@network("CLIP", lambda n: (torch.randn(n, 3, 8, 8), torch.randint(1, 20, (n, 5))))
class CLIP(nn.Module):
    def __init__(self, embed_dim=6):
        super().__init__()
        self.visual, self.token_embedding = nn.Sequential(nn.Conv2d(3, 8, 4, 4, bias=False), nn.Flatten(2)), nn.Embedding(20, 8)
        self.positional_embedding = nn.Parameter(torch.empty(5, 8))
        self.text_projection, self.image_projection = nn.Parameter(torch.empty(8, embed_dim)), nn.Parameter(torch.empty(8, embed_dim))
        self.logit_scale = nn.Parameter(torch.ones([]) * math.log(1 / 0.07))
        self.initialize_parameters()

    def initialize_parameters(self):
        nn.init.normal_(self.positional_embedding, std=0.01)
        for p in (self.text_projection, self.image_projection):
            nn.init.normal_(p, std=8**-0.5)

    @property
    def dtype(self):
        return self.visual[0].weight.dtype

    def encode_image(self, image):
        return self.visual(image.type(self.dtype)).mean(2) @ self.image_projection

    def encode_text(self, text):
        x = self.token_embedding(text).type(self.dtype) + self.positional_embedding.type(self.dtype)
        x = x * torch.sigmoid(1.702 * x)
        return x[torch.arange(x.shape[0]), text.argmax(dim=-1)] @ self.text_projection

    def forward(self, image, text):
        image_features, text_features = self.encode_image(image), self.encode_text(text)
        image_features = image_features / image_features.pow(2).sum(dim=1, keepdim=True).sqrt()
        text_features = text_features / text_features.pow(2).sum(dim=1, keepdim=True).sqrt()
        logits_per_image = self.logit_scale.exp() * image_features @ text_features.t()
        return logits_per_image, logits_per_image.t()


@network("SimCLR loss", lambda n: (torch.randn(n, 6), torch.randn(n, 6)))
class SimCLR(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.projector, self.temperature = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4)), temperature

    def forward(self, x_i, x_j):
        z = torch.cat([self.projector(x_i), self.projector(x_j)], dim=0)
        z = z / (z * z).sum(1, keepdim=True).sqrt()
        n = z.size(0)
        sim = torch.mm(z, z.T) / self.temperature
        sim = sim.masked_fill(torch.eye(n, dtype=torch.bool), -1e9)
        target = (torch.arange(n) + n // 2) % n
        return F.cross_entropy(sim, target)


@network("NASNet-like cell", images(4, 6))
class Cell(nn.Module):
    """The operators of each edge in a table of the class, the sum by reduce."""

    OPS = {
        "none": lambda c: nn.Identity(),
        "avg_pool_3x3": lambda c: nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False),
        "sep_conv_3x3": lambda c: nn.Sequential(nn.ReLU(inplace=False), nn.Conv2d(c, c, 3, padding=1, groups=c), nn.Conv2d(c, c, 1)),
        "dil_conv_3x3": lambda c: nn.Sequential(nn.ReLU(inplace=False), nn.Conv2d(c, c, 3, padding=2, dilation=2)),
    }

    def __init__(self, c=4, steps=2):
        super().__init__()
        self._steps, self._ops = steps, nn.ModuleList()
        for i in range(steps):
            for _ in range(1 + i):
                self._ops.append(nn.ModuleList([make(c) for make in self.OPS.values()]))
        self.alphas = nn.Parameter(1e-1 * torch.randn(len(self._ops), len(self.OPS)))
        self.size = reduce(mul, (c, steps))

    def forward(self, x):
        weights = F.softmax(self.alphas, dim=-1)
        states, offset = [x], 0
        for _ in range(self._steps):
            s = sum(sum(w * op(h) for w, op in zip(weights[offset + j], self._ops[offset + j])) for j, h in enumerate(states))  # noqa: B905
            offset += len(states)
            states.append(s)
        return torch.cat(states[-self._steps :], dim=1).narrow(1, 0, self.size)


@network("DETR decoder, a division that rounds", NETWORKS["DETR decoder"][1])
class RoundingDETR(DETR):
    def half(self, dims):
        return torch.div(dims, 2, rounding_mode="floor")
