"""Modules of segmentation-models-pytorch."""

import segmentation_models_pytorch as smp
from registry import add, img

K = {"encoder_name": "resnet18", "encoder_weights": None, "classes": 3}
I = img(sizes=((1, 64), (2, 96)))
for n in "Unet UnetPlusPlus MAnet Linknet FPN PAN DeepLabV3 DeepLabV3Plus Segformer UPerNet".split():
    add(n, (lambda n: lambda: getattr(smp, n)(**K))(n), img(sizes=((2, 64), (3, 96))) if n in ("PAN",) else I)
add("Unet aux", lambda: smp.Unet(**K, aux_params={"classes": 4, "dropout": 0.2, "pooling": "avg"}), I)
add("Unet scse", lambda: smp.Unet(**K, decoder_attention_type="scse"), I)
add("Unet vgg", lambda: smp.Unet("vgg11", encoder_weights=None, encoder_depth=3, decoder_channels=(32, 16, 8)), I)
add("FPN mobilenet_v2", lambda: smp.FPN("mobilenet_v2", encoder_weights=None), I)
add("Unet efficientnet-b0", lambda: smp.Unet("efficientnet-b0", encoder_weights=None), I)
add("Unet mit_b0", lambda: smp.Unet("mit_b0", encoder_weights=None), I)
L = lambda d, k: (d.n(2 + k, 3, 8, 8 + k), d.i(3, 2 + k, 8, 8 + k))
B = lambda d, k: (d.n(2 + k, 1, 8, 8 + k), d.i(2, 2 + k, 1, 8, 8 + k).float())
add("DiceLoss", lambda: smp.losses.DiceLoss("multiclass"), L)
add("DiceLoss binary", lambda: smp.losses.DiceLoss("binary"), B)
add("JaccardLoss", lambda: smp.losses.JaccardLoss("multiclass"), L)
add("FocalLoss", lambda: smp.losses.FocalLoss("binary"), B)
add("FocalLoss multiclass", lambda: smp.losses.FocalLoss("multiclass"), L)
add("LovaszLoss", lambda: smp.losses.LovaszLoss("multiclass"), L)
add("LovaszLoss binary", lambda: smp.losses.LovaszLoss("binary"), B)
add("TverskyLoss", lambda: smp.losses.TverskyLoss("multiclass"), L)
add("SoftBCE", lambda: smp.losses.SoftBCEWithLogitsLoss(smooth_factor=0.1), B)
add("SoftCE", lambda: smp.losses.SoftCrossEntropyLoss(smooth_factor=0.1), L)
add("MCCLoss", lambda: smp.losses.MCCLoss(), B)
