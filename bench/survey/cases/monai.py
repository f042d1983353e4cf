"""Modules of monai."""

import monai.losses as L
import monai.networks.blocks as B
import monai.networks.layers as Y
import monai.networks.nets as N
import torch
from registry import add, img, seq, tok, vec
from torch import nn

I1 = img(1, ((1, 32), (2, 32)))


def a(name, make, inputs=I1):
    add(name, make, inputs)


a("UNet", lambda: N.UNet(2, 1, 2, (4, 8, 16), (2, 2), num_res_units=2), img(1, ((1, 32), (2, 48))))
a("BasicUNet", lambda: N.BasicUNet(2, 1, 2, (4, 4, 8, 8, 8, 4)), img(1, ((1, 32), (2, 48))))
a("BasicUNetPlusPlus", lambda: N.BasicUNetPlusPlus(2, 1, 2, (4, 4, 8, 8, 8, 4)), img(1, ((1, 32), (2, 48))))
a("AttentionUnet", lambda: N.AttentionUnet(2, 1, 2, (4, 8, 16), (2, 2)), img(1, ((1, 32), (2, 48))))
a("DynUNet", lambda: N.DynUNet(2, 1, 2, [3, 3, 3], [1, 2, 2], [2, 2], [4, 8, 16]), img(1, ((1, 32), (2, 48))))
a(
    "DynUNet deep supervision",
    lambda: N.DynUNet(2, 1, 2, [3, 3, 3, 3], [1, 2, 2, 2], [2, 2, 2], [4, 8, 8, 8], deep_supervision=True, deep_supr_num=1),
    img(1, ((1, 32), (2, 48))),
)
a("SegResNet", lambda: N.SegResNet(2, init_filters=8), img(1, ((1, 32), (2, 48))))
a("SegResNetVAE", lambda: N.SegResNetVAE((32, 32), spatial_dims=2, init_filters=8))
a("SegResNetDS", lambda: N.SegResNetDS(2, init_filters=8, dsdepth=2))
a("VNet", lambda: N.VNet(2))
a("UNETR", lambda: N.UNETR(1, 2, 32, feature_size=4, hidden_size=24, mlp_dim=48, num_heads=2, spatial_dims=2))
a("SwinUNETR", lambda: N.SwinUNETR(1, 2, feature_size=12, spatial_dims=2), img(1, ((1, 64), (2, 64))))
a("ViT", lambda: N.ViT(1, 32, 8, hidden_size=24, mlp_dim=48, num_layers=2, num_heads=2, spatial_dims=2, classification=True))
a("ViTAutoEnc", lambda: N.ViTAutoEnc(1, 32, 8, hidden_size=24, mlp_dim=48, num_layers=1, num_heads=2, spatial_dims=2))
a("AutoEncoder", lambda: N.AutoEncoder(2, 1, 1, (4, 8), (2, 2)), img(1, ((1, 32), (2, 48))))
a("VarAutoEncoder", lambda: N.VarAutoEncoder(2, (1, 32, 32), 1, 5, (4, 8), (2, 2)))
a(
    "AutoencoderKL",
    lambda: N.AutoencoderKL(
        2,
        1,
        1,
        (1, 1),
        (8, 8),
        (False, False),
        latent_channels=3,
        norm_num_groups=4,
        with_encoder_nonlocal_attn=False,
        with_decoder_nonlocal_attn=False,
    ),
)
a("VQVAE", lambda: N.VQVAE(2, 1, 1, (8, 8), 1, (8, 8), ((2, 4, 1, 1), (2, 4, 1, 1)), ((2, 4, 1, 1, 0), (2, 4, 1, 1, 0)), 16, 8))
a(
    "DiffusionModelUNet",
    lambda: N.DiffusionModelUNet(2, 1, 1, 1, (8, 8), (False, True), norm_num_groups=4, num_head_channels=4),
    lambda d, k: (d.n(1 + k, 1, 16, 16), d.i(100, 1 + k)),
)
a(
    "ControlNet",
    lambda: N.ControlNet(2, 1, 1, (8, 8), (False, True), norm_num_groups=4, num_head_channels=4, conditioning_embedding_num_channels=(8,)),
    lambda d, k: (d.n(1 + k, 1, 16, 16), d.i(100, 1 + k), d.n(1 + k, 1, 16, 16)),
)
a("DenseNet121", lambda: N.DenseNet(2, 1, 3, init_features=8, growth_rate=4, block_config=(2, 2)))
a("resnet10", lambda: N.resnet10(spatial_dims=2, n_input_channels=1, num_classes=3))
a(
    "SENet",
    lambda: (
        N.SENet(2, 1, N.senet.SEBottleneck, (1, 1, 1, 1), 1, 16, inplanes=8, num_classes=3)
        if False
        else N.SEResNet50(spatial_dims=2, in_channels=1, num_classes=3, layers=(1, 1, 1, 1))
    ),
    img(1, ((1, 64), (2, 64))),
)
a(
    "EfficientNetBN",
    lambda: N.EfficientNetBN("efficientnet-b0", pretrained=False, spatial_dims=2, in_channels=1, num_classes=3),
    img(1, ((1, 64), (2, 64))),
)
a("HighResNet", lambda: N.HighResNet(2, 1, 2))
a("Regressor", lambda: N.Regressor((1, 32, 32), 3, (4, 8), (2, 2)))
a("Classifier", lambda: N.Classifier((1, 32, 32), 3, (4, 8), (2, 2)))
a("Discriminator", lambda: N.Discriminator((1, 32, 32), (4, 8), (2, 2)))
a("Generator", lambda: N.Generator((6,), (4, 8, 8), (4, 1), (2, 2)), vec(6))
a("FullyConnectedNet", lambda: N.FullyConnectedNet(6, 3, [8, 8]), vec(6))
a("MultiScalePatchDiscriminator", lambda: N.MultiScalePatchDiscriminator(2, 2, 3, 2, 8, 1), img(1, ((1, 64), (2, 64))))
a("RegUNet", lambda: N.RegUNet(2, 1, 4, 2))
a("LocalNet", lambda: N.LocalNet(2, 1, 4, (0, 1, 2), out_channels=2))
a("GlobalNet", lambda: N.GlobalNet((32, 32), 2, 1, 4, 2))
a("VoxelMorphUNet", lambda: N.VoxelMorphUNet(2, 2, 4, (4, 4, 8, 8, 8, 8, 4, 4), (4, 4)), img(2, ((1, 32), (2, 32))))
a(
    "Restormer",
    lambda: N.Restormer(spatial_dims=2, in_channels=1, out_channels=1, dim=8, num_blocks=(1, 1), heads=(1, 2), num_refinement_blocks=1),
)
a(
    "MedNeXt",
    lambda: N.MedNeXt(
        spatial_dims=2,
        init_filters=4,
        in_channels=1,
        out_channels=2,
        encoder_expansion_ratio=2,
        decoder_expansion_ratio=2,
        bottleneck_expansion_ratio=2,
        blocks_down=(1, 1, 1, 1),
        blocks_bottleneck=1,
        blocks_up=(1, 1, 1, 1),
    ),
)
a("Quicknat", lambda: N.Quicknat(num_classes=2, num_channels=1, num_filters=8, kernel_h=3, kernel_w=3))
a("DecoderOnlyTransformer", lambda: N.DecoderOnlyTransformer(20, 32, 16, 1, 2), tok(20))
a(
    "MILModel",
    lambda: N.MILModel(
        3,
        mil_mode="att",
        pretrained=False,
        backbone=nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        backbone_num_features=8,
    ),
    lambda d, k: (d.n(2 + k, 3, 3, 8, 8),),
)
a("FlexibleUNet", lambda: N.FlexibleUNet(1, 2, "resnet18", spatial_dims=2, decoder_channels=(32, 16, 16, 8, 8)), img(1, ((1, 64), (2, 64))))
a(
    "MaskedAutoEncoderViT",
    lambda: N.MaskedAutoEncoderViT(
        1,
        32,
        8,
        hidden_size=24,
        mlp_dim=48,
        num_layers=1,
        num_heads=2,
        spatial_dims=2,
        decoder_hidden_size=24,
        decoder_mlp_dim=48,
        decoder_num_layers=1,
        decoder_num_heads=2,
    ),
)
a("ASPP", lambda: B.SimpleASPP(2, 4, 4), img(4))
a("CRF", lambda: B.CRF(iterations=1), lambda d, k: (d.n(1, 2, 8, 8), d.n(1, 1, 8, 8)))
a("Warp", lambda: B.Warp(), lambda d, k: (d.n(1 + k, 1, 8, 8), d.n(1 + k, 2, 8, 8)))
a("DVF2DDF", lambda: B.DVF2DDF(), lambda d, k: (d.n(1 + k, 2, 8, 8),))
a("SABlock", lambda: B.SABlock(16, 2), seq(16))
a("SABlock rel", lambda: B.SABlock(16, 2, rel_pos_embedding="decomposed", input_size=(4, 4)), seq(16, ((2, 16), (3, 16))))
a("CrossAttentionBlock", lambda: B.CrossAttentionBlock(16, 2), lambda d, k: (d.n(2, 5, 16), d.n(2, 7 + k, 16)))
a("ResidualSELayer", lambda: B.ResidualSELayer(2, 4), img(4))
a("UpSample pixelshuffle", lambda: B.UpSample(2, 4, 2, 2, mode="pixelshuffle"), img(4))
a("SubpixelUpsample", lambda: B.SubpixelUpsample(2, 4), img(4))
a("Convolution", lambda: B.Convolution(2, 1, 4, act="prelu", norm="instance", dropout=0.1), img(1))
a("LocalNetUp", lambda: B.MLPBlock(16, 32), seq(16))
lab = lambda d, k: (d.n(2 + k, 3, 8, 8), d.i(3, 2 + k, 1, 8, 8))
for n, kw in {
    "DiceLoss": {"to_onehot_y": True, "softmax": True},
    "DiceCELoss": {"to_onehot_y": True, "softmax": True},
    "FocalLoss": {"to_onehot_y": True},
    "TverskyLoss": {"to_onehot_y": True, "softmax": True},
    "GeneralizedDiceLoss": {"to_onehot_y": True, "softmax": True},
    "HausdorffDTLoss": {"to_onehot_y": True, "softmax": True},
    "GeneralizedWassersteinDiceLoss": {"dist_matrix": [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]},
    "SoftclDiceLoss": {},
    "UnifiedFocal": {},
}.items():
    if n in ("SoftclDiceLoss", "UnifiedFocal"):
        continue
    a(n, (lambda n, kw: lambda: getattr(L, n)(**kw))(n, kw), lab)
two = lambda d, k: (d.u(2 + k, 1, 16, 16), d.u(2 + k, 1, 16, 16))
a("SSIMLoss", lambda: L.SSIMLoss(2), two)
a("LNCC", lambda: L.LocalNormalizedCrossCorrelationLoss(spatial_dims=2), two)
a("GlobalMI", lambda: L.GlobalMutualInformationLoss(), two)
a("BendingEnergy", lambda: L.BendingEnergyLoss(), lambda d, k: (d.n(2 + k, 2, 8, 8),))
a("GaussianFilter", lambda: Y.GaussianFilter(2, 1.0), img(1))
a("MedianFilter", lambda: Y.MedianFilter(1, 2), img(1, ((1, 16), (2, 16))))
a("SavitzkyGolay", lambda: Y.SavitzkyGolayFilter(5, 2), lambda d, k: (d.n(2 + k, 1, 20 + k),))
a("HilbertTransform", lambda: Y.HilbertTransform(), lambda d, k: (d.n(2 + k, 1, 20 + k),))
a("AffineTransform", lambda: Y.AffineTransform((8, 8)), lambda d, k: (d.n(2 + k, 1, 8, 8), torch.eye(3)))
