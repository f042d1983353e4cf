"""Networks that find things in images, and that make images, in the structures of torchvision, timm and diffusers."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F

from .registry import images, network


def window_partition(x, window_size):
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, C)


def window_reverse(windows, window_size, H, W):
    B = windows.shape[0] // (H // window_size * (W // window_size))
    x = windows.view(B, H // window_size, W // window_size, window_size, window_size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


class WindowAttention(nn.Module):
    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.num_heads, self.window_size = num_heads, window_size
        self.scale = (dim // num_heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * window_size - 1) ** 2, num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.5)
        coords = torch.stack(torch.meshgrid(torch.arange(window_size), torch.arange(window_size), indexing="ij"))
        coords = torch.flatten(coords, 1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
        relative[:, :, 0] += window_size - 1
        relative[:, :, 1] += window_size - 1
        relative[:, :, 0] *= 2 * window_size - 1
        self.register_buffer("relative_position_index", relative.sum(-1))
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x, mask: torch.Tensor | None = None):
        B_, N, C = x.shape
        qkv = self.qkv(x).reshape(B_, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        n = self.window_size * self.window_size
        bias = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(n, n, -1)
        attn = attn + bias.permute(2, 0, 1).contiguous().unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        x = (self.softmax(attn) @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


@network("Swin, shifted windows with a mask", images(3, 16))
class SwinStage(nn.Module):
    """The mask is made once, by writes into slices, and is a buffer."""

    def __init__(self, dim=8, resolution=8, window=4):
        super().__init__()
        self.window, self.shift, self.resolution = window, window // 2, resolution
        self.patch_embed = nn.Conv2d(3, dim, 2, 2)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.ModuleList([WindowAttention(dim, window, 2) for _ in range(2)])
        self.mlp = nn.Sequential(OrderedDict([("fc1", nn.Linear(dim, 2 * dim)), ("act", nn.GELU()), ("fc2", nn.Linear(2 * dim, dim))]))
        self.reduction, self.norm = nn.Linear(4 * dim, 2 * dim, bias=False), nn.LayerNorm(4 * dim)
        img_mask = torch.zeros((1, resolution, resolution, 1))
        cnt = 0
        cuts = (slice(0, -window), slice(-window, -self.shift), slice(-self.shift, None))
        for h in cuts:
            for w in cuts:
                img_mask[:, h, w, :] = cnt
                cnt += 1
        windows = window_partition(img_mask, window).view(-1, window * window)
        mask = windows.unsqueeze(1) - windows.unsqueeze(2)
        self.register_buffer("attn_mask", mask.masked_fill(mask != 0, (-100.0)).masked_fill(mask == 0, 0.0), persistent=False)

    def block(self, x, attn, shift):
        H = W = self.resolution
        B, L, C = x.shape
        shortcut = x
        x = self.norm1(x).view(B, H, W, C)
        if shift > 0:
            x = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2))
        windows = window_partition(x, self.window).view(-1, self.window * self.window, C)
        windows = attn(windows, mask=self.attn_mask if shift else None).view(-1, self.window, self.window, C)
        x = window_reverse(windows, self.window, H, W)
        if shift > 0:
            x = torch.roll(x, shifts=(shift, shift), dims=(1, 2))
        x = shortcut + x.view(B, H * W, C)
        return x + self.mlp(self.norm2(x))

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        for i, attn in enumerate(self.attn):
            x = self.block(x, attn, self.shift if i % 2 else 0)
        B, L, C = x.shape
        x = x.view(B, self.resolution, self.resolution, C)
        x0, x1, x2, x3 = x[:, 0::2, 0::2, :], x[:, 1::2, 0::2, :], x[:, 0::2, 1::2, :], x[:, 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x3], -1).view(B, -1, 4 * C)
        return self.reduction(self.norm(x))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        x = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class DropPath(nn.Module):
    def __init__(self, drop_prob=0.0):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:
            return x
        keep_prob = 1 - self.drop_prob
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        return x.div(keep_prob) * x.new_empty(shape).bernoulli_(keep_prob)


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim, layer_scale_init_value=0.1, drop_path=0.0):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pwconv1, self.act, self.pwconv2 = nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim)
        self.gamma = nn.Parameter(layer_scale_init_value * torch.ones(dim), requires_grad=True)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()

    def forward(self, x):
        input = x
        x = self.dwconv(x).permute(0, 2, 3, 1)
        x = self.pwconv2(self.act(self.pwconv1(self.norm(x))))
        if self.gamma is not None:
            x = self.gamma * x
        return input + self.drop_path(x.permute(0, 3, 1, 2))


@network("ConvNeXt, whole", images(3, 32))
class ConvNeXt(nn.Module):
    def __init__(self, depths=(1, 1), dims=(4, 8), num_classes=3):
        super().__init__()
        norm_layer = partial(LayerNorm2d, eps=1e-6)
        self.stages = nn.Sequential()
        self.stages.add_module("stem", nn.Sequential(nn.Conv2d(3, dims[0], 4, 4), norm_layer(dims[0])))
        for i, (depth, dim) in enumerate(zip(depths, dims)):
            if i:
                self.stages.append(nn.Sequential(norm_layer(dims[i - 1]), nn.Conv2d(dims[i - 1], dim, 2, 2)))
            self.stages.append(nn.Sequential(*[ConvNeXtBlock(dim, drop_path=0.1 * i) for _ in range(depth)]))
        self.classifier = nn.Sequential(norm_layer(dims[-1]), nn.Flatten(1), nn.Linear(dims[-1], num_classes))
        self.avgpool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.classifier(self.avgpool(self.stages(x)))


def make_divisible(v, divisor=8, min_value=None):
    new_v = max(min_value or divisor, int(v + divisor / 2) // divisor * divisor)
    return new_v + divisor if new_v < 0.9 * v else new_v


@network("EfficientNet, squeeze and excite, padding as in TensorFlow", images(3, 15))
class EfficientNet(nn.Module):
    class SqueezeExcite(nn.Module):
        def __init__(self, chs, rd_ratio=0.25):
            super().__init__()
            rd = make_divisible(chs * rd_ratio, 2)
            self.conv_reduce, self.conv_expand = nn.Conv2d(chs, rd, 1), nn.Conv2d(rd, chs, 1)

        def forward(self, x):
            x_se = x.mean((2, 3), keepdim=True)
            x_se = F.silu(self.conv_reduce(x_se), inplace=True)
            return x * self.conv_expand(x_se).sigmoid()

    class SameConv(nn.Conv2d):
        def forward(self, x):
            ih, iw = x.size()[-2:]
            kh, kw = self.weight.size()[-2:]
            sh, sw = self.stride
            oh, ow = -(-ih // sh), -(-iw // sw)
            ph, pw = max((oh - 1) * sh + kh - ih, 0), max((ow - 1) * sw + kw - iw, 0)
            x = F.pad(x, [pw // 2, pw - pw // 2, ph // 2, ph - ph // 2])
            return F.conv2d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)

    def __init__(self):
        super().__init__()
        self.conv_stem, self.bn1 = self.SameConv(3, 8, 3, stride=2, bias=False), nn.BatchNorm2d(8, eps=1e-3, momentum=0.01)
        self.conv_pw, self.bn2 = nn.Conv2d(8, 16, 1, bias=False), nn.BatchNorm2d(16)
        self.conv_dw, self.bn3 = self.SameConv(16, 16, 5, stride=2, groups=16, bias=False), nn.BatchNorm2d(16)
        self.se, self.conv_pwl, self.bn4 = self.SqueezeExcite(16), nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8)
        self.classifier = nn.Linear(8, 5)

    def forward(self, x):
        x = F.hardswish(self.bn1(self.conv_stem(x)))
        x = F.silu(self.bn2(self.conv_pw(x)), inplace=True)
        x = F.silu(self.bn3(self.conv_dw(x)), inplace=True)
        x = self.bn4(self.conv_pwl(self.se(x)))
        return self.classifier(F.adaptive_avg_pool2d(x, 1).squeeze(-1).squeeze(-1))


class _DenseLayer(nn.Sequential):
    def __init__(self, num_input_features, growth_rate=4, bn_size=2):
        super().__init__()
        self.add_module("norm1", nn.BatchNorm2d(num_input_features))
        self.add_module("relu1", nn.ReLU(inplace=True))
        self.add_module("conv1", nn.Conv2d(num_input_features, bn_size * growth_rate, 1, bias=False))
        self.add_module("norm2", nn.BatchNorm2d(bn_size * growth_rate))
        self.add_module("relu2", nn.ReLU(inplace=True))
        self.add_module("conv2", nn.Conv2d(bn_size * growth_rate, growth_rate, 3, padding=1, bias=False))

    def forward(self, input):
        prev_features = [input] if isinstance(input, torch.Tensor) else input
        return super().forward(torch.cat(prev_features, 1))


class _DenseBlock(nn.ModuleDict):
    def __init__(self, num_layers, num_input_features, growth_rate=4):
        super().__init__()
        for i in range(num_layers):
            self.add_module(f"denselayer{i + 1}", _DenseLayer(num_input_features + i * growth_rate, growth_rate))

    def forward(self, init_features):
        features = [init_features]
        for _name, layer in self.items():
            features.append(layer(features))
        return torch.cat(features, 1)


@network("DenseNet, lists of features", images(3, 16))
class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([
            ("conv0", nn.Conv2d(3, 8, 3, 2, 1, bias=False)), ("norm0", nn.BatchNorm2d(8)), ("relu0", nn.ReLU(inplace=True)),
            ("pool0", nn.MaxPool2d(3, 2, 1)), ("block1", _DenseBlock(3, 8)), ("norm1", nn.BatchNorm2d(20)), ("relu1", nn.ReLU(inplace=True)),
            ("conv1", nn.Conv2d(20, 10, 1)), ("pool1", nn.AvgPool2d(2, 2)), ("block2", _DenseBlock(2, 10)), ("norm5", nn.BatchNorm2d(18)),
        ]))  # fmt: skip
        self.classifier = nn.Linear(18, 4)

    def forward(self, x):
        out = F.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(out, (1, 1)), 1))


@network("U-Net, crops and transposed convolutions", images(1, 18))
class UNet(nn.Module):
    """Odd sizes on the way: what comes up is padded to what went down."""

    class Double(nn.Sequential):
        def __init__(self, i, o):
            super().__init__(
                nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1), nn.ELU(inplace=True)
            )

    def __init__(self, channels=(4, 8, 12)):
        super().__init__()
        self.inc = self.Double(1, channels[0])
        self.downs = nn.ModuleList(nn.Sequential(nn.MaxPool2d(2), self.Double(a, b)) for a, b in zip(channels, channels[1:]))
        self.ups = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(channels, channels[1:]))
        self.decs = nn.ModuleList(self.Double(2 * a, a) for a in channels[:-1])
        self.outc = nn.Conv2d(channels[0], 2, 1)

    def forward(self, x):
        skips = [self.inc(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        x = skips.pop()
        for up, dec in zip(reversed(self.ups), reversed(self.decs)):
            x1, x2 = up(x), skips.pop()
            diffY, diffX = x2.size()[2] - x1.size()[2], x2.size()[3] - x1.size()[3]
            x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
            x = dec(torch.cat([x2, x1], dim=1))
        return self.outc(x)


class PositionEmbeddingSine(nn.Module):
    def __init__(self, num_pos_feats=4, temperature=100):
        super().__init__()
        self.num_pos_feats, self.temperature, self.scale = num_pos_feats, temperature, 2 * math.pi

    def forward(self, mask):
        not_mask = ~mask
        y_embed, x_embed = not_mask.cumsum(1, dtype=torch.float32), not_mask.cumsum(2, dtype=torch.float32)
        eps = 1e-6
        y_embed = y_embed / (y_embed[:, -1:, :] + eps) * self.scale
        x_embed = x_embed / (x_embed[:, :, -1:] + eps) * self.scale
        dim_t = torch.arange(self.num_pos_feats, dtype=torch.float32, device=mask.device)
        dim_t = self.temperature ** (2 * torch.div(dim_t, 2, rounding_mode="floor") / self.num_pos_feats)
        pos_x, pos_y = x_embed[:, :, :, None] / dim_t, y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[:, :, :, 0::2].sin(), pos_x[:, :, :, 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[:, :, :, 0::2].sin(), pos_y[:, :, :, 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)


@network("DETR, whole", lambda n: (torch.randn(n, 3, 12, 16), torch.arange(12 * 16).view(1, 12, 16).expand(n, 12, 16) % 16 > 11))
class Detr(nn.Module):
    """The mask of the padding is resized to the features; encoder and decoder are nn.Transformer's."""

    def __init__(self, d=8, queries=5, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), nn.ReLU(), nn.Conv2d(6, d, 3, 2, 1))
        self.position = PositionEmbeddingSine(d // 2)
        self.input_proj = nn.Conv2d(d, d, kernel_size=1)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 2, 16, dropout=0.0), 1, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, 2, 16, dropout=0.0), 2, norm=nn.LayerNorm(d))
        self.query_embed = nn.Embedding(queries, d)
        self.class_embed = nn.Linear(d, classes + 1)
        self.bbox_embed = nn.ModuleList(nn.Linear(d, k) for k in (d, 4))

    def forward(self, images, mask):
        x = self.backbone(images)
        mask = F.interpolate(mask[None].float(), size=x.shape[-2:]).to(torch.bool)[0]
        pos = self.position(mask).flatten(2).permute(2, 0, 1)
        bs, c, h, w = x.shape
        src = self.input_proj(x).flatten(2).permute(2, 0, 1) + pos
        mask = mask.flatten(1)
        memory = self.encoder(src, src_key_padding_mask=mask)
        query = self.query_embed.weight.unsqueeze(1).repeat(1, bs, 1)
        hs = self.decoder(query, memory, memory_key_padding_mask=mask).transpose(0, 1)
        box = hs
        for i, layer in enumerate(self.bbox_embed):
            box = F.relu(layer(box)) if i < len(self.bbox_embed) - 1 else layer(box)
        cx, cy, bw, bh = box.sigmoid().unbind(-1)
        boxes = torch.stack([cx - 0.5 * bw, cy - 0.5 * bh, cx + 0.5 * bw, cy + 0.5 * bh], dim=-1)
        return {"pred_logits": self.class_embed(hs), "pred_boxes": boxes, "scores": self.class_embed(hs).softmax(-1)[..., :-1].max(-1).values}


@network("FPN with RetinaNet's heads and anchors", images(3, 32))
class RetinaNet(nn.Module):
    """Anchors follow the sizes of the feature maps; boxes are decoded, clipped and ranked."""

    def __init__(self, width=6, num_classes=2):
        super().__init__()
        self.body = nn.ModuleDict({f"layer{i}": nn.Sequential(nn.Conv2d(i and 4 * i or 3, 4 * (i + 1), 3, 2, 1), nn.ReLU()) for i in range(3)})
        self.inner_blocks = nn.ModuleList(nn.Conv2d(4 * (i + 1), width, 1) for i in range(1, 3))
        self.layer_blocks = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.p6 = nn.Conv2d(width, width, 3, 2, 1)
        ratios, scales = torch.as_tensor([0.5, 1.0, 2.0]), torch.as_tensor([8.0, 16.0])
        h = torch.sqrt(ratios)
        ws, hs = (1 / h[:, None] * scales[None, :]).view(-1), (h[:, None] * scales[None, :]).view(-1)
        self.register_buffer("cell_anchors", (torch.stack([-ws, -hs, ws, hs], dim=1) / 2).round(), persistent=False)
        a = len(self.cell_anchors)
        self.cls_logits, self.bbox_reg = nn.Conv2d(width, a * num_classes, 3, padding=1), nn.Conv2d(width, a * 4, 3, padding=1)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - 0.01) / 0.01))
        self.num_classes = num_classes

    def grid_anchors(self, image, feature):
        grid_height, grid_width = feature.shape[-2:]
        stride_height, stride_width = image.shape[-2] // grid_height, image.shape[-1] // grid_width
        shifts_x = torch.arange(0, grid_width, dtype=torch.int32) * stride_width
        shifts_y = torch.arange(0, grid_height, dtype=torch.int32) * stride_height
        shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing="ij")
        shift_x, shift_y = shift_x.reshape(-1), shift_y.reshape(-1)
        shifts = torch.stack((shift_x, shift_y, shift_x, shift_y), dim=1)
        return (shifts.view(-1, 1, 4) + self.cell_anchors.view(1, -1, 4)).reshape(-1, 4)

    def decode(self, deltas, anchors):
        widths, heights = anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]
        ctr_x, ctr_y = anchors[:, 0] + 0.5 * widths, anchors[:, 1] + 0.5 * heights
        dx, dy, dw, dh = deltas[..., 0::4], deltas[..., 1::4], deltas[..., 2::4], deltas[..., 3::4]
        dw, dh = torch.clamp(dw, max=math.log(1000.0 / 16)), torch.clamp(dh, max=math.log(1000.0 / 16))
        x, y = dx * widths[:, None] + ctr_x[:, None], dy * heights[:, None] + ctr_y[:, None]
        w, h = torch.exp(dw) * widths[:, None], torch.exp(dh) * heights[:, None]
        return torch.stack((x - 0.5 * w, y - 0.5 * h, x + 0.5 * w, y + 0.5 * h), dim=-1).flatten(2)

    def clip(self, boxes, size):
        boxes_x, boxes_y = boxes[..., 0::2].clamp(min=0, max=size[1]), boxes[..., 1::2].clamp(min=0, max=size[0])
        return torch.stack((boxes_x, boxes_y), dim=boxes.dim()).reshape(boxes.shape)

    def forward(self, image):
        x, features = image, []
        for layer in self.body.values():
            x = layer(x)
            features.append(x)
        last_inner = self.inner_blocks[-1](features[-1])
        results = [self.layer_blocks[-1](last_inner)]
        lateral = self.inner_blocks[0](features[1])
        last_inner = lateral + F.interpolate(last_inner, size=lateral.shape[-2:], mode="nearest")
        results.insert(0, self.layer_blocks[0](last_inner))
        results.append(self.p6(F.relu(results[-1])))
        logits, boxes = [], []
        for f in results:
            N, _, H, W = f.shape
            c = self.cls_logits(f).view(N, -1, self.num_classes, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, self.num_classes)
            r = self.bbox_reg(f).view(N, -1, 4, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, 4)
            logits.append(c)
            boxes.append(self.clip(self.decode(r, self.grid_anchors(image, f)), image.shape[-2:]))
        scores, boxes = torch.sigmoid(torch.cat(logits, 1)).flatten(1), torch.cat(boxes, 1)
        top, idxs = scores.topk(7, dim=1)
        anchor_idxs = torch.div(idxs, self.num_classes, rounding_mode="floor")
        labels = idxs % self.num_classes
        return {"boxes": torch.gather(boxes, 1, anchor_idxs[..., None].expand(-1, -1, 4)), "scores": top, "labels": labels}


@network("SRGAN, pixel shuffle", images(3, 5))
class SrGenerator(nn.Module):
    def __init__(self, n_residual_blocks=2, upscale=2, width=4):
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv2d(3, width, kernel_size=9, padding=4), nn.PReLU())
        for i in range(n_residual_blocks):
            body = [nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.PReLU(width), nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)]
            self.add_module("residual_block" + str(i + 1), nn.Sequential(*body))
        self.n = n_residual_blocks
        self.up = nn.Sequential(nn.Conv2d(width, width * upscale**2, 3, padding=1), nn.PixelShuffle(upscale), nn.PReLU())
        self.out = nn.Conv2d(width, 3, 9, padding=4, padding_mode="reflect")

    def forward(self, x):
        y = self.block1(x)
        cache = y.clone()
        for i in range(self.n):
            y = y + self.__getattr__("residual_block" + str(i + 1))(y)
        y = self.up(y + cache)
        base = F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)
        return (torch.tanh(self.out(y)) + base).clamp_(0, 1).mul(255.0).round().div(255.0) + 0 * base


def timestep_embedding(timesteps, embedding_dim, max_period=10000):
    half = embedding_dim // 2
    exponent = -math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32, device=timesteps.device) / half
    emb = timesteps[:, None].float() * torch.exp(exponent)[None, :]
    emb = torch.cat([torch.cos(emb), torch.sin(emb)], dim=-1)
    if embedding_dim % 2 == 1:
        emb = F.pad(emb, (0, 1, 0, 0))
    return emb


class ResnetBlock2D(nn.Module):
    def __init__(self, i, o, temb, groups=2):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(groups, i, eps=1e-6), nn.Conv2d(i, o, 3, padding=1)
        self.time_emb_proj = nn.Linear(temb, 2 * o)
        self.norm2, self.conv2 = nn.GroupNorm(groups, o), nn.Conv2d(o, o, 3, padding=1)
        self.conv_shortcut = nn.Conv2d(i, o, 1) if i != o else None

    def forward(self, x, temb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time_emb_proj(F.silu(temb))[:, :, None, None].chunk(2, dim=1)
        h = self.conv2(F.silu(self.norm2(h) * (1 + scale) + shift))
        if self.conv_shortcut is not None:
            x = self.conv_shortcut(x)
        return (x + h) / math.sqrt(2.0)


class CrossAttention(nn.Module):
    def __init__(self, dim, context, heads=2):
        super().__init__()
        self.heads, self.norm = heads, nn.GroupNorm(2, dim)
        self.to_q, self.to_k, self.to_v = (nn.Linear(n, dim, bias=False) for n in (dim, context, context))
        self.to_out = nn.ModuleList([nn.Linear(dim, dim), nn.Dropout(0.0)])
        self.ff = nn.Linear(dim, 8 * dim)
        self.ff_out = nn.Linear(4 * dim, dim)

    def forward(self, x, context):
        b, c, h, w = x.shape
        y = self.norm(x).view(b, c, h * w).transpose(1, 2)
        q, k, v = self.to_q(y), self.to_k(context), self.to_v(context)
        q, k, v = (t.view(b, -1, self.heads, c // self.heads).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.0, is_causal=False)
        y = y.transpose(1, 2).reshape(b, -1, c)
        for module in self.to_out:
            y = module(y)
        value, gate = self.ff(y).chunk(2, dim=-1)
        y = y + self.ff_out(value * F.gelu(gate))
        return x + y.transpose(-1, -2).reshape(b, c, h, w)


@dataclass
class UNetOutput:
    sample: torch.Tensor


@network("diffusion U-Net, conditioned on a text", lambda n: (torch.randn(n, 3, 8, 8), torch.arange(n) * 7 + 1, torch.randn(n, 4, 6)))
class DiffusionUNet(nn.Module):
    def __init__(self, widths=(4, 8), temb=8, context=6):
        super().__init__()
        self.dim = widths[0]
        self.time_embedding = nn.Sequential(nn.Linear(self.dim, temb), nn.SiLU(), nn.Linear(temb, temb))
        self.conv_in = nn.Conv2d(3, widths[0], 3, padding=1)
        self.down_blocks, self.up_blocks = nn.ModuleList(), nn.ModuleList()
        self.down_blocks.append(nn.ModuleList([ResnetBlock2D(4, 4, temb), nn.Conv2d(4, 8, 3, stride=2, padding=1)]))
        self.mid_block = nn.ModuleList([ResnetBlock2D(8, 8, temb), CrossAttention(8, context), ResnetBlock2D(8, 8, temb)])
        self.up_blocks.append(nn.ModuleList([nn.Conv2d(8, 4, 3, padding=1), ResnetBlock2D(8, 4, temb)]))
        self.conv_norm_out, self.conv_out = nn.GroupNorm(num_channels=4, num_groups=2, eps=1e-5), nn.Conv2d(4, 3, 3, padding=1)

    def forward(self, sample, timestep, encoder_hidden_states):
        temb = self.time_embedding(timestep_embedding(timestep, self.dim).to(dtype=sample.dtype))
        sample = self.conv_in(sample)
        res = ()
        for resnet, down in self.down_blocks:
            sample = resnet(sample, temb)
            res += (sample,)
            sample = down(F.pad(sample, (0, 1, 0, 1), mode="constant", value=0))[..., :-1, :-1]
        first, attn, second = self.mid_block
        sample = second(attn(first(sample, temb), encoder_hidden_states), temb)
        for up, resnet in self.up_blocks:
            last, res = res[-1], res[:-1]
            sample = up(F.interpolate(sample, scale_factor=2.0, mode="nearest"))[..., : last.shape[-2], : last.shape[-1]]
            sample = resnet(torch.cat([sample, last], dim=1), temb)
        out = self.conv_out(F.silu(self.conv_norm_out(sample)))
        return UNetOutput(sample=out).sample


@network("spatial transformer", images(1, 12))
class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.localization = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.Conv2d(4, 4, 2), nn.MaxPool2d(2), nn.ReLU(True))
        self.fc_loc = nn.Sequential(nn.Linear(4 * 2 * 2, 8), nn.ReLU(True), nn.Linear(8, 3 * 2))
        self.fc_loc[2].weight.data.mul_(0.1)
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def forward(self, x):
        xs = self.localization(x)
        theta = self.fc_loc(xs.view(-1, 4 * 2 * 2)).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False, padding_mode="border")


@network("StyleGAN2, modulated convolution in groups", lambda n: (torch.randn(n, 5),))
class StyleGenerator(nn.Module):
    """Each sample has a kernel of its own: the batch is the groups of one convolution."""

    class Modulated(nn.Module):
        def __init__(self, i, o, style, k=3, demodulate=True):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(1, o, i, k, k))
            self.modulation, self.k, self.o, self.demodulate = nn.Linear(style, i), k, o, demodulate
            self.scale = 1 / math.sqrt(i * k**2)

        def forward(self, input, style):
            batch, in_channel, height, width = input.shape
            style = self.modulation(style).view(batch, 1, in_channel, 1, 1)
            weight = self.scale * self.weight * style
            if self.demodulate:
                demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
                weight = weight * demod.view(batch, self.o, 1, 1, 1)
            weight = weight.view(batch * self.o, in_channel, self.k, self.k)
            out = F.conv2d(input.view(1, batch * in_channel, height, width), weight, padding=self.k // 2, groups=batch)
            _, _, height, width = out.shape
            return out.view(batch, self.o, height, width)

    def __init__(self, style=5):
        super().__init__()
        self.input = nn.Parameter(torch.randn(1, 4, 4, 4))
        self.style = nn.Sequential(*[layer for _ in range(2) for layer in (nn.Linear(style, style), nn.LeakyReLU(0.2))])
        self.conv1, self.conv2 = self.Modulated(4, 6, style), self.Modulated(6, 4, style)
        self.to_rgb = self.Modulated(4, 3, style, k=1, demodulate=False)
        kernel = torch.tensor([1.0, 3.0, 3.0, 1.0])
        self.register_buffer("blur", torch.outer(kernel, kernel) / kernel.sum() ** 2)

    def forward(self, z):
        z = z * torch.rsqrt(torch.mean(z**2, dim=1, keepdim=True) + 1e-8)
        w = self.style(z)
        out = F.leaky_relu(self.conv1(self.input.repeat(w.shape[0], 1, 1, 1), w), 0.2) * math.sqrt(2)
        out = F.interpolate(out, scale_factor=2, mode="bilinear", align_corners=False)
        b, c, h, wd = out.shape
        out = F.conv2d(F.pad(out.reshape(-1, 1, h, wd), (2, 1, 2, 1)), torch.flip(self.blur, [0, 1])[None, None]).view(b, c, h, wd)
        return self.to_rgb(F.leaky_relu(self.conv2(out, w), 0.2), w)


@network("Deep SORT-like appearance match", lambda n: (torch.randn(n, 4, 6), torch.randn(n, 5, 6)))
class Match(nn.Module):
    """Sinkhorn's iterations over costs that are padded by a dustbin, as SuperGlue does."""

    def __init__(self, d=6):
        super().__init__()
        self.proj = nn.Conv1d(d, d, 1, bias=True)
        self.register_parameter("bin_score", nn.Parameter(torch.tensor(1.0)))

    def forward(self, desc0, desc1):
        desc0, desc1 = self.proj(desc0.mT), self.proj(desc1.mT)
        scores = torch.einsum("bdn,bdm->bnm", desc0, desc1) / desc0.shape[1] ** 0.5
        b, m, n = scores.shape
        one = scores.new_tensor(1)
        ms, ns = (m * one).to(scores), (n * one).to(scores)
        bins0, bins1 = self.bin_score.expand(b, m, 1), self.bin_score.expand(b, 1, n)
        couplings = torch.cat([torch.cat([scores, bins0], -1), torch.cat([bins1, self.bin_score.expand(b, 1, 1)], -1)], 1)
        norm = -(ms + ns).log()
        log_mu = torch.cat([norm.expand(m), ns.log()[None] + norm])
        log_nu = torch.cat([norm.expand(n), ms.log()[None] + norm])
        log_mu, log_nu = log_mu[None].expand(b, -1), log_nu[None].expand(b, -1)
        u, v = torch.zeros_like(log_mu), torch.zeros_like(log_nu)
        for _ in range(5):
            u = log_mu - torch.logsumexp(couplings + v.unsqueeze(1), dim=2)
            v = log_nu - torch.logsumexp(couplings + u.unsqueeze(2), dim=1)
        Z = couplings + u.unsqueeze(2) + v.unsqueeze(1) - norm
        max0, max1 = Z[:, :-1, :-1].max(2), Z[:, :-1, :-1].max(1)
        indices0, indices1 = max0.indices, max1.indices
        mutual0 = torch.arange(indices0.shape[1])[None] == indices1.gather(1, indices0)
        zero = Z.new_tensor(0)
        mscores0 = torch.where(mutual0, max0.values.exp(), zero)
        valid0 = mutual0 & (mscores0 > 0.0)
        return torch.where(valid0, indices0, indices0.new_tensor(-1)), mscores0, Z


class Boxes(NamedTuple):
    xyxy: torch.Tensor
    area: torch.Tensor


@network("FCOS-like head with centerness and generalized IoU", lambda n: (torch.randn(n, 4, 6, 5), torch.rand(n, 1, 4)))
class Fcos(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        tower = []
        for _ in range(2):
            tower += [nn.Conv2d(c, c, 3, padding=1), nn.GroupNorm(2, c), nn.ReLU()]
        self.tower = nn.Sequential(*tower)
        self.reg, self.center, self.scale = nn.Conv2d(c, 4, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1), nn.Parameter(torch.ones([]))

    @staticmethod
    def boxes(t):
        return Boxes(t, (t[..., 2] - t[..., 0]) * (t[..., 3] - t[..., 1]))

    def giou(self, a, b):
        lt, rb = torch.max(a.xyxy[..., :2], b.xyxy[..., :2]), torch.min(a.xyxy[..., 2:], b.xyxy[..., 2:])
        wh = (rb - lt).clamp(min=0)
        inter = wh[..., 0] * wh[..., 1]
        union = a.area + b.area - inter
        hull = (torch.max(a.xyxy[..., 2:], b.xyxy[..., 2:]) - torch.min(a.xyxy[..., :2], b.xyxy[..., :2])).clamp(min=0).prod(-1)
        return inter / union - (hull - union) / hull.clamp_min(1e-7)

    def forward(self, x, target):
        n, _, h, w = x.shape
        x = self.tower(x)
        ltrb = F.softplus(self.scale * self.reg(x)).permute(0, 2, 3, 1).reshape(n, h * w, 4)
        ys, xs = torch.meshgrid((torch.arange(h) + 0.5) / h, (torch.arange(w) + 0.5) / w, indexing="ij")
        at = torch.stack([xs, ys], -1).view(1, -1, 2)
        predicted = torch.cat([at - ltrb[..., :2], at + ltrb[..., 2:]], -1)
        low, size = target[..., :2] * 0.4, target[..., 2:] * 0.5 + 0.1
        iou = self.giou(self.boxes(predicted), self.boxes(torch.cat([low, low + size], -1)))
        lr, tb = ltrb[..., [0, 2]], ltrb[..., [1, 3]]
        centerness = torch.sqrt((lr.min(-1)[0] / lr.max(-1)[0]) * (tb.min(-1)[0] / tb.max(-1)[0]))
        logits = self.center(x).flatten(1)
        return 1 - iou, F.binary_cross_entropy_with_logits(logits, centerness.detach(), reduction="none"), logits.sigmoid() * centerness
