"""Convolutional networks, in the structures of torchvision and timm."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
from monograph import Tensor

from .registry import images, network, vectors


@network("ResNeXt", images())
class ResNeXt(nn.Module):
    class Bottleneck(nn.Module):
        expansion = 2

        def __init__(self, inplanes, planes, stride=1, groups=2, base_width=2, norm_layer=None):
            super().__init__()
            norm_layer = nn.BatchNorm2d if norm_layer is None else norm_layer
            width = int(planes * (base_width / 4.0)) * groups
            self.conv1 = nn.Conv2d(inplanes, width, kernel_size=1, bias=False)
            self.bn1 = norm_layer(width)
            self.conv2 = nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, groups=groups, bias=False)
            self.bn2 = norm_layer(width)
            self.conv3 = nn.Conv2d(width, planes * self.expansion, kernel_size=1, bias=False)
            self.bn3 = norm_layer(planes * self.expansion)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = None
            if stride != 1 or inplanes != planes * self.expansion:
                self.downsample = nn.Sequential(
                    OrderedDict(
                        [
                            ("0", nn.Conv2d(inplanes, planes * self.expansion, 1, stride, bias=False)),
                            ("1", norm_layer(planes * self.expansion)),
                        ]
                    )
                )

        def forward(self, x: Tensor) -> Tensor:
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.relu(self.bn2(self.conv2(out)))
            out = self.bn3(self.conv3(out))
            out += x if self.downsample is None else self.downsample(x)
            return self.relu(out)

    def __init__(self):
        super().__init__()
        self.inplanes = 4
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.layer1, self.layer2 = self._make_layer(4, 2), self._make_layer(8, 1, stride=2)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 0.5)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, planes, blocks, stride=1):
        layers = []
        for i in range(blocks):
            layers.append(self.Bottleneck(self.inplanes, planes, stride if i == 0 else 1))
            self.inplanes = planes * self.Bottleneck.expansion
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        x = self.layer2(self.layer1(self.conv1(x)))
        return x.mean(dim=(-2, -1))


@network("Wide ResNet, before activation", images(3, 8))
class WideResNet(nn.Module):
    def __init__(self, widen=2, p=0.3):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, 1, 1)
        self.blocks, a = nn.ModuleList(), 4
        for b, stride in [(4 * widen, 1), (8 * widen, 2)]:
            block = nn.ModuleDict(
                {
                    "bn1": nn.BatchNorm2d(a),
                    "conv1": nn.Conv2d(a, b, 3, 1, 1),
                    "bn2": nn.BatchNorm2d(b),
                    "conv2": nn.Conv2d(b, b, 3, stride, 1),
                }
            )
            block["shortcut"] = nn.Conv2d(a, b, 1, stride)
            self.blocks += [block]
            a = b
        self.p, self.bn, self.linear = p, nn.BatchNorm2d(a), nn.Linear(a, 5)

    def forward(self, x):
        x = self.conv1(x)
        for block in self.blocks:
            y = block["conv1"](F.relu(block["bn1"](x)))
            y = F.dropout(y, p=self.p, training=self.training)
            y = block["conv2"](F.relu(block["bn2"](y)))
            x = y + block["shortcut"](x)
        out = F.avg_pool2d(F.relu(self.bn(x), inplace=True), kernel_size=4)
        return self.linear(out.view(out.size(0), -1))


@network("Res2Net", images(8, 6))
class Res2Net(nn.Module):
    def __init__(self, width=2, scale=4):
        super().__init__()
        self.width, self.nums = width, scale - 1
        self.convs, self.bns = nn.ModuleList(), nn.ModuleList()
        for _ in range(self.nums):
            self.convs.append(nn.Conv2d(width, width, 3, padding=1, bias=False))
            self.bns.append(nn.BatchNorm2d(width))

    def forward(self, x):
        spx = torch.split(x, self.width, 1)
        for i, (conv, bn) in enumerate(zip(self.convs, self.bns)):  # noqa: B905
            sp = spx[i] if i == 0 else sp + spx[i]  # noqa: F821
            sp = F.relu(bn(conv(sp)))
            out = sp if i == 0 else torch.cat((out, sp), 1)  # noqa: F821
        return torch.cat((out, spx[self.nums]), 1) + x


@network("RegNet", images())
class RegNet(nn.Module):
    def __init__(self):
        super().__init__()

        def block(w_in, w_out, stride, group_width=2):
            f = nn.Sequential()
            f.add_module("a", nn.Conv2d(w_in, w_out, 1, bias=False))
            f.add_module("a_bn", nn.BatchNorm2d(w_out, eps=1e-5, momentum=0.1))
            f.add_module("a_relu", nn.ReLU(True))
            f.add_module("b", nn.Conv2d(w_out, w_out, (3, 3), (stride, stride), (1, 1), groups=w_out // group_width, bias=False))
            f.add_module("c", nn.Conv2d(w_out, w_out, 1, bias=False))
            return f

        self.trunk_output = nn.Sequential(OrderedDict(block1=block(3, 4, 2), block2=block(4, 8, 1)))
        self.proj = nn.Conv2d(3, 4, 1, 2)
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(output_size=(1, 1)), nn.Flatten(start_dim=1), nn.Linear(in_features=8, out_features=5)
        )

    def forward(self, x):
        y = self.trunk_output.block1(x)
        y.add_(self.proj(x))
        return self.head(self.trunk_output.block2(y.relu_()))


@network("SKNet", images(4, 6))
class SelectiveKernel(nn.Module):
    def __init__(self, c=4, m=2, reduction=2):
        super().__init__()
        self.m, self.c = m, c
        self.convs = nn.ModuleList([nn.Conv2d(c, c, 3, padding=1 + i, dilation=1 + i, groups=2) for i in range(m)])
        self.fc = nn.Linear(c, c // reduction)
        self.fcs = nn.ModuleList([nn.Linear(c // reduction, c) for _ in range(m)])
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        feas = torch.cat([conv(x).unsqueeze(dim=1) for conv in self.convs], dim=1)
        fea_s = torch.sum(feas, dim=1).mean(-1).mean(-1)
        fea_z = self.fc(fea_s)
        vectors = torch.stack([fc(fea_z) for fc in self.fcs], 1)
        weights = self.softmax(vectors)[..., None, None]
        return (feas * weights).sum(dim=1)


@network("ECA attention", images(6, 5))
class ECA(nn.Module):
    def __init__(self, k_size=3):
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.conv = nn.Conv1d(1, 1, kernel_size=k_size, padding=(k_size - 1) // 2, bias=False)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        y = self.avg_pool(x)
        y = self.conv(y.squeeze(-1).transpose(-1, -2)).transpose(-1, -2).unsqueeze(-1)
        return x * self.sigmoid(y).expand_as(x)


@network("CBAM", images(4, 6))
class CBAM(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.mlp = nn.Sequential(nn.Flatten(), nn.Linear(c, 2), nn.ReLU(), nn.Linear(2, c))
        self.spatial = nn.Sequential(
            nn.Conv2d(2, 1, 5, stride=1, padding=2, bias=False), nn.BatchNorm2d(1, eps=1e-5, momentum=0.01, affine=True)
        )

    def forward(self, x):
        channel_att_sum = None
        for pool_type in ("avg", "max", "lse"):
            if pool_type == "avg":
                pooled = F.avg_pool2d(x, (6, 6), stride=(6, 6))
            elif pool_type == "max":
                pooled = F.max_pool2d(x, (6, 6), stride=(6, 6))
            else:
                flat = x.view(x.size(0), x.size(1), -1)
                s, _ = torch.max(flat, dim=2, keepdim=True)
                pooled = s + (flat - s).exp().sum(dim=2, keepdim=True).log()
            raw = self.mlp(pooled)
            channel_att_sum = raw if channel_att_sum is None else channel_att_sum + raw
        x = x * torch.sigmoid(channel_att_sum).unsqueeze(2).unsqueeze(3).expand_as(x)
        compressed = torch.cat((torch.max(x, 1)[0].unsqueeze(1), torch.mean(x, 1).unsqueeze(1)), dim=1)
        return x * torch.sigmoid(self.spatial(compressed))


@network("GhostNet", images(3, 6))
class Ghost(nn.Module):
    def __init__(self, oup=5, ratio=2):
        super().__init__()
        self.oup = oup
        init_channels = -(-oup // ratio)
        new_channels = init_channels * (ratio - 1)
        self.primary_conv = nn.Sequential(
            nn.Conv2d(3, init_channels, 1, 1, 0, bias=False), nn.BatchNorm2d(init_channels), nn.ReLU(inplace=True)
        )
        self.cheap_operation = nn.Sequential(nn.Conv2d(init_channels, new_channels, 3, 1, 1, groups=init_channels), nn.Sequential())

    def forward(self, x):
        x1 = self.primary_conv(x)
        x2 = self.cheap_operation(x1)
        return torch.cat([x1, x2], dim=1)[:, : self.oup, :, :]


@network("EfficientNetV2", images())
class EfficientNetV2(nn.Module):
    class MBConv(nn.Module):
        def __init__(self, c, out, expand_ratio, stride, fused, norm=None):
            super().__init__()
            norm = norm or partial(nn.BatchNorm2d, eps=1e-3)
            self.use_res_connect = stride == 1 and c == out
            hidden = c * expand_ratio
            if fused:
                layers = [nn.Conv2d(c, hidden, 3, stride, 1, bias=False), norm(hidden), nn.SiLU(inplace=True)]
            else:
                layers = [
                    nn.Conv2d(c, hidden, 1, bias=False),
                    norm(hidden),
                    nn.SiLU(),
                    nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden),
                    nn.SiLU(),
                ]
            self.block = nn.Sequential(*layers, nn.Conv2d(hidden, out, 1), norm(out))
            self.drop_prob = 0.2

        def drop_path(self, x):
            if self.drop_prob == 0.0 or not self.training:
                return x
            shape = (x.shape[0],) + (1,) * (x.ndim - 1)
            return x.div(1 - self.drop_prob) * x.new_empty(shape).bernoulli_(1 - self.drop_prob)

        def forward(self, x):
            result = self.block(x)
            if self.use_res_connect:
                result = self.drop_path(result)
                result += x
            return result

    def __init__(self):
        super().__init__()
        settings = [[2, 4, 2, True], [2, 4, 1, True], [3, 6, 2, False], [3, 6, 1, False]]
        features, c = [], 3
        for t, out, s, fused in settings:
            features += [self.MBConv(c, out, t, s, fused)]
            c = out
        self.features = nn.Sequential(*features)

    def forward(self, x):
        return torch.mean(self.features(x), (2, 3), keepdim=False)


class GRN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((1, 1, 1, dim), 0.1))
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, dim))

    def forward(self, x):
        gx = (x**2).sum(dim=(1, 2), keepdim=True) ** 0.5
        nx = gx / (gx.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


@network("ConvNeXt V2", images(4, 6))
class ConvNeXtV2(nn.Module):
    def __init__(self, dims=(4, 6)):
        super().__init__()
        self.stages = nn.ModuleList()
        for dim in dims:
            stage = nn.Module()
            stage.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding="same", groups=dim)
            stage.norm = nn.LayerNorm(normalized_shape=(dim,), eps=1e-6, elementwise_affine=True)
            stage.pwconv = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(approximate="tanh"), GRN(2 * dim), nn.Linear(2 * dim, dim))
            self.stages.append(stage)
        self.downsample = nn.Conv2d(dims[0], dims[1], kernel_size=2, stride=2)

    def forward_stage(self, stage, x):
        shortcut = x
        x = stage.dwconv(x)
        x = x.permute((0, 2, 3, 1)).contiguous()
        x = stage.pwconv(stage.norm(x))
        return shortcut + x.permute(0, -1, 1, 2)

    def forward(self, x):
        x = self.forward_stage(self.stages[0], x)
        return self.forward_stage(self.stages[-1], self.downsample(x))


@network("MnasNet", images())
class MnasNet(nn.Module):
    def __init__(self, alpha=1.0):
        super().__init__()
        depths = [max(2, int(d * alpha + 0.5)) for d in [4, 2, 4]]
        layers = [
            nn.Conv2d(3, depths[0], 3, padding=1, stride=2, bias=False),
            nn.BatchNorm2d(depths[0], momentum=1 - 0.9997),
            nn.ReLU(inplace=True),
        ]
        for i in range(2):
            layers.append(self.separable(depths[i], depths[i + 1], kernel_size=3 + 2 * i))
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(p=0.2, inplace=True), nn.Linear(4, 3))

    @staticmethod
    def separable(a, b, *, kernel_size):
        depthwise = nn.Conv2d(a, a, kernel_size, padding=kernel_size // 2, groups=a, bias=False)
        return nn.Sequential(depthwise, nn.ReLU6(True), nn.Conv2d(a, b, 1, bias=False))

    def forward(self, x):
        x = self.layers(x)
        x = x.mean([2, 3])
        return self.classifier(x)


@network("RepVGG", images(4, 6))
class RepVGG(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.in_channels = c
        self.rbr_identity, self.rbr_dense, self.rbr_1x1 = (
            nn.BatchNorm2d(c),
            nn.Conv2d(c, c, 3, 1, 1, bias=False),
            nn.Conv2d(c, c, 1, 1, 0, bias=False),
        )
        self.nonlinearity = nn.ReLU()
        self.se = nn.Identity()

    @property
    def fused_kernel(self):
        kernel = torch.zeros_like(self.rbr_dense.weight)
        kernel[:, :, 1:2, 1:2] = self.rbr_1x1.weight
        return self.rbr_dense.weight + kernel

    def forward(self, inputs):
        id_out = 0 if self.rbr_identity is None else self.rbr_identity(inputs)
        slow = self.rbr_dense(inputs) + self.rbr_1x1(inputs) + id_out
        fast = F.conv2d(inputs, self.fused_kernel, padding=1) + id_out
        return self.nonlinearity(self.se(slow)), fast.relu()


@network("conditional convolution", images(4, 6))
class CondConv(nn.Module):
    def __init__(self, a=4, b=2, experts=3):
        super().__init__()
        self.routing = nn.Linear(a, experts)
        self.weight = nn.Parameter(torch.randn(experts, b * a * 3 * 3) * 0.1)

    def forward(self, x):
        b, c, h, w = x.shape
        routing = torch.sigmoid(self.routing(F.adaptive_avg_pool2d(x, 1).flatten(1)))
        weight = torch.matmul(routing, self.weight).view(b * 2, c, 3, 3)
        out = F.conv2d(x.reshape(1, b * c, h, w), weight, None, stride=1, padding=1, groups=b)
        return out.permute([1, 0, 2, 3]).view(b, 2, out.shape[-2], out.shape[-1])


@network("U-Net++", images(1, 8))
class UNetPlusPlus(nn.Module):
    def __init__(self, filters=(2, 3, 4)):
        super().__init__()
        self.pool, f = nn.MaxPool2d(2, 2), filters
        self.blocks = nn.ModuleDict({
            "00": nn.Conv2d(1, f[0], 3, 1, 1), "10": nn.Conv2d(f[0], f[1], 3, 1, 1), "20": nn.Conv2d(f[1], f[2], 3, 1, 1),
            "01": nn.Conv2d(f[0] + f[1], f[0], 3, 1, 1), "11": nn.Conv2d(f[1] + f[2], f[1], 3, 1, 1), "02": nn.Conv2d(f[0] * 2 + f[1], f[0], 3, 1, 1),
        })  # fmt: skip
        self.final = nn.ModuleList(nn.Conv2d(f[0], 1, 1) for _ in range(2))

    def grow(self, x):
        b, c, h, w = x.shape
        return x[:, :, :, None, :, None].expand(b, c, h, 2, w, 2).reshape(b, c, 2 * h, 2 * w)

    def forward(self, x):
        nodes = {}
        nodes["00"] = F.leaky_relu(self.blocks["00"](x), 0.1, inplace=True)
        nodes["10"] = F.leaky_relu(self.blocks["10"](self.pool(nodes["00"])), 0.1)
        nodes["20"] = F.leaky_relu(self.blocks["20"](self.pool(nodes["10"])), 0.1)
        nodes["01"] = self.blocks["01"](torch.cat([nodes["00"], self.grow(nodes["10"])], 1))
        nodes["11"] = self.blocks["11"](torch.cat([nodes["10"], self.grow(nodes["20"])], 1))
        nodes["02"] = self.blocks["02"](torch.cat([nodes["00"], nodes["01"], self.grow(nodes["11"])], 1))
        return [final(nodes[k]) for final, k in zip(self.final, ("01", "02"), strict=True)]


@network("FPN", images(3, 16))
class FeaturePyramid(nn.Module):
    def __init__(self, in_channels_list=(2, 4, 6), out_channels=3):
        super().__init__()
        self.body = nn.ModuleList(nn.Conv2d(a, b, 3, 2, 1) for a, b in zip((3, *in_channels_list), in_channels_list))  # noqa: B905
        self.inner_blocks, self.layer_blocks = nn.ModuleList(), nn.ModuleList()
        for in_channels in in_channels_list:
            self.inner_blocks.append(nn.Conv2d(in_channels, out_channels, 1))
            self.layer_blocks.append(nn.Conv2d(out_channels, out_channels, 3, padding=1))
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.kaiming_uniform_(p, a=1)

    def forward(self, x):
        c = []
        for layer in self.body:
            x = layer(x)
            c.append(x)
        last_inner = self.inner_blocks[-1](c[-1])
        results = [self.layer_blocks[-1](last_inner)]
        for idx in range(len(c) - 2, -1, -1):
            b, k, h, w = last_inner.shape
            top_down = last_inner.view(b, k, h, 1, w, 1).expand(-1, -1, -1, 2, -1, 2).reshape(b, k, h * 2, w * 2)
            last_inner = self.inner_blocks[idx](c[idx]) + top_down
            results.insert(0, self.layer_blocks[idx](last_inner))
        results.append(F.max_pool2d(results[-1], 1, 2, 0))
        return OrderedDict((f"p{i}", r) for i, r in enumerate(results))


@network("RetinaNet heads", lambda n: ([torch.randn(n, 4, 4, 4), torch.randn(n, 4, 2, 2)],))
class RetinaHeads(nn.Module):
    def __init__(self, num_anchors=3, num_classes=2):
        super().__init__()
        self.num_classes = num_classes
        tower = lambda: nn.Sequential(*[m for _ in range(2) for m in (nn.Conv2d(4, 4, 3, stride=1, padding=1), nn.ReLU())])  # noqa: E731
        self.cls_subnet, self.bbox_subnet = tower(), tower()
        self.cls_logits = nn.Conv2d(4, num_anchors * num_classes, kernel_size=3, stride=1, padding=1)
        self.bbox_reg = nn.Conv2d(4, num_anchors * 4, kernel_size=3, stride=1, padding=1)

    def flatten(self, t, k):
        n, _, h, w = t.shape
        t = t.view(n, -1, k, h, w)
        return t.permute(0, 3, 4, 1, 2).reshape(n, -1, k)

    def forward(self, features):
        logits, boxes = [], []
        for feature in features:
            logits.append(self.flatten(self.cls_logits(self.cls_subnet(feature)), self.num_classes))
            boxes.append(self.flatten(self.bbox_reg(self.bbox_subnet(feature)), 4))
        return {"cls_logits": torch.cat(logits, dim=1), "bbox_regression": torch.cat(boxes, dim=1)}


@network("SSD heads", images(3, 8))
class SSD(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.ModuleList([nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 6, 3, 2, 1)])
        self.loc = nn.ModuleList([nn.Conv2d(c, 4 * 2, 3, padding=1) for c in (4, 6)])
        self.conf = nn.ModuleList([nn.Conv2d(c, 3 * 2, 3, padding=1) for c in (4, 6)])
        self.register_buffer("default_boxes", torch.linspace(0.05, 0.95, 40 * 4).view(-1, 4))
        self.scale_weight = nn.Parameter(torch.ones(4) * 2)

    def forward(self, x):
        loc, conf = [], []
        for i, f in enumerate(self.features):
            x = F.relu(f(x))
            if i == 0:
                norm = x.pow(2).sum(dim=1, keepdim=True).clamp(min=1e-12).sqrt()
                x = x / norm * self.scale_weight[None, :, None, None]
            loc.append(self.loc[i](x).permute(0, 2, 3, 1).contiguous())
            conf.append(self.conf[i](x).permute(0, 2, 3, 1).contiguous())
        loc = torch.cat([o.view(o.size(0), -1) for o in loc], 1).view(x.size(0), -1, 4)
        conf = torch.cat([o.view(o.size(0), -1) for o in conf], 1).view(x.size(0), -1, 3)
        d = self.default_boxes
        boxes = torch.cat((d[:, :2] + loc[..., :2] * 0.1 * d[:, 2:], d[:, 2:] * torch.exp(loc[..., 2:] * 0.2)), 2)
        boxes[..., :2] -= boxes[..., 2:] / 2
        boxes[..., 2:] += boxes[..., :2]
        return boxes, F.softmax(conf, -1)


@network("YOLO neck and head", images(4, 8))
class YOLO(nn.Module):
    def __init__(self, na=2, nc=3):
        super().__init__()
        self.na, self.no = na, nc + 5
        self.focus, self.m = nn.Conv2d(16, 4, 1), nn.MaxPool2d(kernel_size=5, stride=1, padding=5 // 2)
        self.head = nn.Conv2d(16, na * self.no, 1)
        self.register_buffer("anchors", torch.tensor([[1.0, 1.5], [2.0, 2.5]]).view(1, na, 1, 1, 2))

    def forward(self, x):
        x = self.focus(torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1))
        y1 = self.m(x)
        y2 = self.m(y1)
        x = torch.cat((x, y1, y2, self.m(y2)), 1)
        x = self.head(x)
        bs, _, ny, nx = x.shape
        x = x.view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        gy = torch.arange(ny, device=x.device).view(1, 1, ny, 1).expand(1, 1, ny, nx)
        gx = torch.arange(nx, device=x.device).view(1, 1, 1, nx).expand(1, 1, ny, nx)
        grid = torch.stack((gx, gy), 4).to(x.dtype)
        y = x.sigmoid()
        y[..., 0:2] = (y[..., 0:2] * 2.0 - 0.5 + grid) * 8
        y[..., 2:4] = (y[..., 2:4] * 2) ** 2 * self.anchors
        return y.view(bs, -1, self.no), x


@network("DeepLab ASPP", images(3, 8))
class ASPP(nn.Module):
    def __init__(self, rates=(1, 2, 3), c=4):
        super().__init__()
        modules = [nn.Sequential(nn.Conv2d(3, c, 1, bias=False), nn.BatchNorm2d(c), nn.ReLU())]
        modules.extend(nn.Sequential(nn.Conv2d(3, c, 3, padding=r, dilation=r, bias=False), nn.BatchNorm2d(c), nn.ReLU()) for r in rates)
        self.convs = nn.ModuleList(modules)
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(3, c, 1))
        self.project = nn.Conv2d(len(self.convs) * c + c, 2, 1)

    def forward(self, x: torch.Tensor) -> dict:
        _res = [conv(x) for conv in self.convs]
        size = x.shape[-2:]
        _res += [self.pool(x).expand(-1, -1, *[8, 8])]
        out = self.project(torch.cat(_res, dim=1))
        return {"out": out, "mask": out.argmax(dim=1), "area": torch.scalar_tensor(1.0) * size[0]}


@network("PSPNet", images(3, 12))
class PSPNet(nn.Module):
    def __init__(self, sizes=(1, 2, 3)):
        super().__init__()
        self.stages = nn.ModuleList(
            [nn.Sequential(nn.AdaptiveAvgPool2d(output_size=(s, s)), nn.Conv2d(3, 2, kernel_size=1)) for s in sizes]
        )
        self.bottleneck = nn.Conv2d(3 + 2 * len(sizes), 3, kernel_size=1)

    def forward(self, feats):
        h, w = feats.size(2), feats.size(3)
        priors = []
        for stage in self.stages:
            p = stage(feats)
            k = p.shape[2]
            rows = torch.arange(h) * k // h
            columns = torch.arange(w) * k // w
            priors.append(p[:, :, rows][:, :, :, columns])
        priors.append(feats)
        return F.log_softmax(self.bottleneck(torch.cat(priors, 1)), dim=1)


@network("HRNet", images(3, 8))
class HRNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.ModuleList([nn.Conv2d(3, 2, 3, 1, 1), nn.Conv2d(3, 4, 3, 2, 1)])
        self.branches = nn.ModuleList([nn.Conv2d(2, 2, 3, 1, 1), nn.Conv2d(4, 4, 3, 1, 1)])
        self.fuse_layers = nn.ModuleList(
            [nn.ModuleList([None, nn.ConvTranspose2d(4, 2, 2, 2)]), nn.ModuleList([nn.Conv2d(2, 4, 3, 2, 1), None])]
        )

    def forward(self, x):
        x = [branch(s(x)) for s, branch in zip(self.stem, self.branches)]  # noqa: B905
        x_fuse = []
        for i in range(len(self.fuse_layers)):
            y = x[0] if i == 0 else self.fuse_layers[i][0](x[0])
            for j in range(1, len(x)):
                y = y + x[j] if i == j else y + self.fuse_layers[i][j](x[j])
            x_fuse.append(F.relu(y))
        return tuple(x_fuse)


@network("ESPCN, pixel shuffle by hand", images(3, 5))
class ESPCN(nn.Module):
    def __init__(self, upscale_factor=2):
        super().__init__()
        self.r = upscale_factor
        self.body = nn.Sequential(nn.Conv2d(3, 6, 5, padding=2), nn.Tanh(), nn.Conv2d(6, 3 * self.r**2, 3, padding=1))
        self._initialize_weights()

    def _initialize_weights(self):
        with torch.no_grad():
            self.body[0].weight.mul_(0.5)
            self.body[-1].bias.fill_(0.01)

    def forward(self, x):
        x = self.body(x)
        n, c, h, w = x.size()
        x = x.view(n, c // self.r**2, self.r, self.r, h, w).permute(0, 1, 4, 2, 5, 3)
        return torch.sigmoid(x.reshape(n, -1, h * self.r, w * self.r)).clamp_(0.0, 1.0)


@network("DCGAN", vectors(6, 1, 1))
class DCGAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(6, 4, 4, 1, 0, bias=False), nn.BatchNorm2d(4), nn.ReLU(True),
            nn.ConvTranspose2d(4, 3, 4, 2, 1, bias=False), nn.Tanh(),
        )  # fmt: skip
        self.discriminator = nn.Sequential(nn.Conv2d(3, 4, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(4, 1, 4), nn.Sigmoid())

    def forward(self, noise):
        fake = self.main(noise)
        return fake, self.discriminator(fake.detach()).view(-1, 1).squeeze(1)


@network("CycleGAN, instance norm by hand", images(3, 8))
class CycleGAN(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.c1, self.res, self.up = (
            nn.Conv2d(3, c, 3, 2, 1),
            nn.ModuleList([nn.Conv2d(c, c, 3, 1, 1) for _ in range(2)]),
            nn.ConvTranspose2d(c, 3, 3, 2, 1, output_padding=1),
        )

    @staticmethod
    def norm(x, eps=1e-5):
        mean, var = x.mean((2, 3), keepdim=True), x.var(dim=(2, 3), correction=0, keepdim=True)
        return (x - mean) / (var + eps).sqrt()

    def forward(self, x):
        x = F.relu(self.norm(self.c1(x)))
        for i in range(len(self.res)):
            x = x + self.norm(self.res[i](x))
        return torch.tanh(self.up(x))


@network("CycleGAN, a variance that is not unbiased", images(3, 8))
class CycleGANOfOld(CycleGAN):
    @staticmethod
    def norm(x, eps=1e-5):
        return (x - x.mean((2, 3), keepdim=True)) / (x.var(dim=(2, 3), unbiased=False, keepdim=True) + eps).sqrt()
