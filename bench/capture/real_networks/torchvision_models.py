"""torchvision's networks: those of usual names as they are, with ten classes; others by their classes, in small sizes."""

from __future__ import annotations

from typing import Any

from .registry import images, network

TV = "torchvision"


def usual(name: str, size: int = 64, short: bool = False, title: str = "", **options: Any) -> None:
    def make() -> Any:
        from torchvision import models

        return getattr(models, name)(weights=None, num_classes=10, **options)

    network(title or name, TV, images(size), short)(make)


usual("resnet18", short=True, title="ResNet-18")
usual("resnet50", title="ResNet-50")
usual("resnext50_32x4d")
usual("mobilenet_v2", short=True, title="MobileNetV2")
usual("mobilenet_v3_small", short=True, title="MobileNetV3")
usual("efficientnet_b0", title="EfficientNet")
usual("efficientnet_v2_s")
usual("squeezenet1_1")
usual("shufflenet_v2_x0_5")
usual("mnasnet0_5")
usual("regnet_y_400mf")
usual("googlenet", init_weights=False, aux_logits=False)
usual("inception_v3", 96, init_weights=False, aux_logits=False)


@network("DenseNet", TV, images(), short=True)
def densenet() -> Any:
    from torchvision.models import DenseNet

    return DenseNet(growth_rate=8, block_config=(2, 2, 2), num_init_features=16, num_classes=10)


@network("ViT", TV, images(), short=True)
def vit() -> Any:
    from torchvision.models import VisionTransformer

    return VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=48, num_classes=10)


@network("Swin", TV, images(64), short=True)
def swin() -> Any:
    from torchvision.models import SwinTransformer

    return SwinTransformer(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[1, 2], window_size=[4, 4], num_classes=10)


@network("Swin V2", TV, images(64))
def swin_v2() -> Any:
    from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2

    return SwinTransformer(
        patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[1, 2], window_size=[4, 4], num_classes=10,
        block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2,
    )  # fmt: skip


@network("ConvNeXt", TV, images(64), short=True)
def convnext() -> Any:
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    return ConvNeXt([CNBlockConfig(16, 24, 1), CNBlockConfig(24, 32, 1), CNBlockConfig(32, None, 1)], num_classes=10)


@network("MaxViT", TV, images(64))
def maxvit() -> Any:
    from torchvision.models import MaxVit

    return MaxVit(
        input_size=(64, 64), stem_channels=8, partition_size=4, block_channels=[8, 16], block_layers=[1, 1], head_dim=8,
        stochastic_depth_prob=0.1, num_classes=10,
    )  # fmt: skip


def segmentation(name: str) -> None:
    def make() -> Any:
        from torchvision.models import segmentation

        return getattr(segmentation, name)(weights=None, weights_backbone=None, num_classes=5)

    network(name, TV, images(64))(make)


segmentation("lraspp_mobilenet_v3_large")
segmentation("deeplabv3_mobilenet_v3_large")


@network("R(2+1)D", TV, lambda draw, n: (draw.normal(n, 3, 4, 32, 32),))
def video() -> Any:
    from torchvision.models.video.resnet import BasicBlock, Conv2Plus1D, R2Plus1dStem, VideoResNet

    return VideoResNet(block=BasicBlock, conv_makers=[Conv2Plus1D] * 4, layers=[1, 1, 1, 1], stem=R2Plus1dStem, num_classes=10)
