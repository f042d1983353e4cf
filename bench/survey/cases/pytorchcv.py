"""Modules of pytorchcv."""

from pytorchcv.model_provider import get_model
from registry import add, img

S = img(sizes=((1, 64), (2, 64)))
for n in "shufflenetv2_wd2 mobilenetv3_small_w7d20 ghostnet peleenet hardnet39ds mixnet_s octresnet10_ad2 dicenet_wd5 condensenet74_c4_g4 sknet18 cbam_resnet18 isqrtcovresnet18".split():
    add(n, (lambda n: lambda: get_model(n, pretrained=False, num_classes=5) if n != "dpn68" else get_model(n, pretrained=False))(n), S)
for n in "resnet20_cifar10 nin_cifar10 diaresnet20_cifar10".split():
    add(n, (lambda n: lambda: get_model(n, pretrained=False))(n), img(sizes=((1, 32), (2, 32))))
for n, s in {
    "fcn8sd_resnetd50b_voc": 64,
    "enet_cityscapes": 64,
    "erfnet_cityscapes": 64,
    "cgnet_cityscapes": 64,
    "dabnet_cityscapes": 64,
    "fastscnn_cityscapes": 64,
    "lednet_cityscapes": 64,
    "edanet_cityscapes": 64,
    "esnet_cityscapes": 64,
    "contextnet_cityscapes": 64,
    "sinet_cityscapes": 64,
    "bisenet_resnet18_celebamaskhq": 64,
}.items():
    add(
        n,
        (lambda n, s: lambda: get_model(n, pretrained=False, pretrained_backbone=False, in_size=(s, s), fixed_size=False))(n, s),
        img(sizes=((1, s), (2, s))),
    )
