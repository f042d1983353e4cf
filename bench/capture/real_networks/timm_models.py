"""timm's networks: some by name, others by their classes in small sizes."""

from __future__ import annotations

import importlib
from typing import Any

from .registry import images, network

TRUNCATED = 128  # ulps between numbers of trunc_normal_, 4 standard deviations away from 0


def named(name: str, size: int = 64, short: bool = False, ulps: int = 2) -> None:
    def make() -> Any:
        import timm

        return timm.create_model(name, num_classes=10)

    network(f"timm {name}", "timm", images(size), short, ulps)(make)


def small(path: str, size: int = 32, short: bool = False, **options: Any) -> None:
    """By trunc_normal_, as most of these draw their weights."""
    module, _, kind = path.rpartition(".")

    def make() -> Any:
        return getattr(importlib.import_module(f"timm.models.{module}"), kind)(num_classes=10, **options)

    network(f"timm {kind}", "timm", images(size), short, ulps=TRUNCATED)(make)


for model in (
    "mobilenetv3_small_050",
    "ghostnet_050",
    "lcnet_050",
    "repvit_m0_9",
    "efficientvit_b0",
    "starnet_s050",
    "mobilevitv2_050",
    "pvt_v2_b0",
    "resnet18",
    "ecaresnet26t",
):
    named(model, short=model == "mobilenetv3_small_050", ulps=TRUNCATED if model in ("repvit_m0_9", "starnet_s050", "pvt_v2_b0") else 2)

VIT: dict[str, Any] = {"img_size": 32, "patch_size": 8, "embed_dim": 32}
small(
    "vision_transformer.VisionTransformer",
    short=True,
    depth=2,
    num_heads=2,
    qk_norm=True,
    init_values=1e-5,
    reg_tokens=2,
    global_pool="avg",
    **VIT,
)
small("swin_transformer.SwinTransformer", 64, img_size=64, patch_size=4, embed_dim=16, depths=(2, 2), num_heads=(1, 2), window_size=4)
small("swin_transformer_v2.SwinTransformerV2", 64, img_size=64, patch_size=4, embed_dim=16, depths=(2, 2), num_heads=(1, 2), window_size=4)
small("beit.Beit", depth=2, num_heads=2, use_rel_pos_bias=True, **VIT)
small("eva.Eva", depth=2, num_heads=2, use_rot_pos_emb=True, swiglu_mlp=True, **VIT)
small("mlp_mixer.MlpMixer", num_blocks=2, **VIT)
small("cait.Cait", depth=2, num_heads=2, **VIT)
small("focalnet.FocalNet", 64, embed_dim=16, depths=(1, 1), focal_levels=(2, 2), focal_windows=(3, 3))
small("davit.DaVit", 64, depths=(1, 1), embed_dims=(16, 32), num_heads=(2, 2), window_size=4)
small("convnext.ConvNeXt", 64, depths=(1, 1, 1, 1), dims=(16, 24, 32, 40))
