"""Modules of efficientnet_pytorch, ultralytics, open_clip, antialiased-cnns and others."""

import torch
from efficientnet_pytorch import EfficientNet
from registry import add, img, seq, vec

S = img(sizes=((1, 64), (2, 64)))
for n in ("efficientnet-b0", "efficientnet-b1"):
    add("effnet " + n, (lambda n: lambda: EfficientNet.from_name(n, num_classes=5))(n), S)
import ultralytics.nn.modules as U

I = img(8, ((1, 16), (2, 24)))
for n, a in {
    "Conv": (8, 16, 3, 2),
    "DWConv": (8, 16, 3),
    "LightConv": (8, 16),
    "ConvTranspose": (8, 16),
    "Focus": (8, 16),
    "GhostConv": (8, 16),
    "RepConv": (8, 16),
    "ChannelAttention": (8,),
    "SpatialAttention": (),
    "CBAM": (8,),
    "Bottleneck": (8, 8),
    "BottleneckCSP": (8, 16),
    "C1": (8, 16),
    "C2": (8, 16),
    "C2f": (8, 16),
    "C3": (8, 16),
    "C3x": (8, 16),
    "C3Ghost": (8, 16),
    "C3TR": (8, 16),
    "SPP": (8, 16),
    "SPPF": (8, 16),
    "RepC3": (8, 16),
    "GhostBottleneck": (8, 16),
    "HGStem": (8, 8, 16),
    "HGBlock": (8, 8, 16),
    "C2fCIB": (8, 16),
    "PSA": (64, 64),
    "C2PSA": (128, 128),
    "SCDown": (8, 16, 3, 2),
    "RepNCSPELAN4": (8, 16, 16, 8),
    "ELAN1": (8, 16, 16, 8),
    "ADown": (8, 16),
    "SPPELAN": (8, 16, 8),
    "C3k2": (8, 16),
    "A2C2f": (64, 64),
    "ResNetLayer": (8, 8),
    "CIB": (8, 8),
}.items():
    if not hasattr(U, n):
        continue
    add("yolo " + n, (lambda n, a: lambda: getattr(U, n)(*a))(n, a), img(a[0] if a else 8, ((1, 16), (2, 24))))
add("yolo DFL", lambda: U.DFL(16), lambda d, k: (d.n(1 + k, 64, 9 + k),))
add("yolo AIFI", lambda: U.AIFI(8, 16, 2), I)
add("yolo TransformerBlock", lambda: U.TransformerBlock(8, 16, 2, 1), I)
add("yolo MLP", lambda: U.MLP(8, 16, 4, 2), vec(8))
add("yolo LayerNorm2d", lambda: U.LayerNorm2d(8), I)


def yolo(cfg):
    def make():
        from ultralytics.nn.tasks import ClassificationModel, DetectionModel, SegmentationModel

        cls = ClassificationModel if "cls" in cfg else SegmentationModel if "seg" in cfg else DetectionModel
        return cls(cfg, ch=3, nc=3, verbose=False)

    return make


for c in ("yolov8n.yaml", "yolo11n.yaml", "yolo11n-cls.yaml", "yolov8n-seg.yaml", "yolov5n.yaml", "yolo12n.yaml"):
    add(c, yolo(c), img(sizes=((1, 64), (1, 96))))
import open_clip
from open_clip.model import CLIP
from open_clip.transformer import (
    Attention,
    AttentionalPooler,
    CustomResidualAttentionBlock,
    TextTransformer,
    VisionTransformer,
)

add("clip VisionTransformer", lambda: VisionTransformer(32, 8, 32, 2, 2, 2.0, output_dim=16), img(sizes=((2, 32), (3, 32))))
add("clip TextTransformer", lambda: TextTransformer(8, 20, 16, 2, 1, output_dim=16), lambda d, k: (d.i(20, 2 + k, 8),))
add(
    "clip CLIP",
    lambda: CLIP(
        16,
        {"image_size": 32, "patch_size": 8, "width": 32, "layers": 1, "head_width": 16},
        {"context_length": 8, "vocab_size": 20, "width": 16, "heads": 2, "layers": 1},
    ),
    lambda d, k: (d.n(2 + k, 3, 32, 32), d.i(20, 2 + k, 8)),
)
add(
    "clip CLIP resnet",
    lambda: CLIP(
        16,
        {"image_size": 32, "layers": (1, 1, 1, 1), "width": 8},
        {"context_length": 8, "vocab_size": 20, "width": 16, "heads": 2, "layers": 1},
    ),
    lambda d, k: (d.n(2 + k, 3, 32, 32), d.i(20, 2 + k, 8)),
)
add("clip Attention", lambda: Attention(16, 2, qkv_bias=True, scaled_cosine=True), seq(16))
add("clip AttentionalPooler", lambda: AttentionalPooler(16, 16, 2, 4), seq(16))
add("clip CustomResAttn", lambda: CustomResidualAttentionBlock(16, 2, scale_attn=True), seq(16))
add("clip ClipLoss", lambda: open_clip.ClipLoss(), lambda d, k: (d.n(3 + k, 8), d.n(3 + k, 8), torch.tensor(2.0)))
import antialiased_cnns

add("antialiased resnet18", lambda: antialiased_cnns.resnet18(pretrained=False), S)
add("antialiased mobilenet_v2", lambda: antialiased_cnns.mobilenet_v2(pretrained=False), S)
add("antialiased BlurPool", lambda: antialiased_cnns.BlurPool(8, stride=2), I)
add("antialiased densenet", lambda: antialiased_cnns.densenet121(pretrained=False), S)
