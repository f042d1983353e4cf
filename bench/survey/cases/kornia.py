"""Modules of kornia."""

import torch
from kornia import augmentation, color, enhance, feature, filters, geometry, losses, morphology
from registry import add, fn, vec

I = lambda d, k: (d.u(2 + k, 3, 16, 16 + 4 * k),)
G = lambda d, k: (d.u(2 + k, 1, 32, 32 + 4 * k),)
for n in "RgbToGrayscale RgbToHsv HsvToRgb RgbToHls HlsToRgb RgbToLab LabToRgb RgbToLuv LuvToRgb RgbToYcbcr YcbcrToRgb RgbToYuv YuvToRgb RgbToXyz XyzToRgb RgbToLinearRgb LinearRgbToRgb RgbToBgr Sepia".split():
    add(n, (lambda n: lambda: getattr(color, n)())(n), I)
add("GaussianBlur2d", lambda: filters.GaussianBlur2d((3, 3), (1.5, 1.5)), I)
add("BoxBlur", lambda: filters.BoxBlur((3, 3)), I)
add("MedianBlur", lambda: filters.MedianBlur((3, 3)), I)
add("MotionBlur", lambda: filters.MotionBlur(5, 35.0, 0.5), I)
add("Laplacian", lambda: filters.Laplacian(3), I)
add("Sobel", lambda: filters.Sobel(), I)
add("SpatialGradient", lambda: filters.SpatialGradient(), I)
add("Canny", lambda: filters.Canny(), I)
add("UnsharpMask", lambda: filters.UnsharpMask((3, 3), (1.5, 1.5)), I)
add("BilateralBlur", lambda: filters.BilateralBlur((3, 3), 0.1, (1.5, 1.5)), I)
add("GuidedBlur", lambda: filters.GuidedBlur(3, 0.1), lambda d, k: I(d, k) * 2)
add("BlurPool2D", lambda: filters.BlurPool2D(3, 2), I)
add("MaxBlurPool2D", lambda: filters.MaxBlurPool2D(3), I)
add("DexiNed", lambda: filters.DexiNed(pretrained=False), lambda d, k: (d.u(1 + k, 3, 32, 32),))
add("SSIMLoss", lambda: losses.SSIMLoss(5), lambda d, k: I(d, k) + I(d, k))
add("MS_SSIMLoss", lambda: losses.MS_SSIMLoss(sigmas=[0.5, 1.0]), lambda d, k: (d.u(2 + k, 3, 32, 32), d.u(2 + k, 3, 32, 32)))
add("PSNRLoss", lambda: losses.PSNRLoss(1.0), lambda d, k: (*I(d, k), *I(d, k)))
add("TotalVariation", lambda: losses.TotalVariation(), I)
L = lambda d, k: (d.n(2 + k, 3, 8, 8 + k), d.i(3, 2 + k, 8, 8 + k))
add("DiceLoss", lambda: losses.DiceLoss(), L)
add("FocalLoss", lambda: losses.FocalLoss(0.5), L)
add("TverskyLoss", lambda: losses.TverskyLoss(0.5, 0.5), L)
add("LovaszSoftmaxLoss", lambda: losses.LovaszSoftmaxLoss(), L)
add("HausdorffERLoss", lambda: losses.HausdorffERLoss(k=2), lambda d, k: (d.n(2 + k, 3, 8, 8), d.i(3, 2 + k, 1, 8, 8)))
add("CharbonnierLoss", lambda: losses.CharbonnierLoss(), lambda d, k: (*I(d, k), *I(d, k)))
add("InverseDepthSmoothness", lambda: losses.InverseDepthSmoothnessLoss(), lambda d, k: (d.u(2, 1, 8, 8 + k), d.u(2, 3, 8, 8 + k)))
add("AdjustBrightness", lambda: enhance.AdjustBrightness(0.2), I)
add("AdjustContrast", lambda: enhance.AdjustContrast(0.5), I)
add("AdjustHue", lambda: enhance.AdjustHue(0.3), I)
add("AdjustSaturation", lambda: enhance.AdjustSaturation(2.0), I)
add("AdjustGamma", lambda: enhance.AdjustGamma(1.4, 2.0), I)
add("equalize", fn(enhance.equalize), I)
add("equalize_clahe", fn(enhance.equalize_clahe, grid_size=(2, 2)), lambda d, k: (d.u(2 + k, 3, 16, 16),))
add("posterize", fn(enhance.posterize, 3), I)
add("sharpness", fn(enhance.sharpness, 0.5), I)
add("solarize", fn(enhance.solarize, 0.5), I)
add("Normalize", lambda: enhance.Normalize(torch.zeros(3) + 0.1, torch.ones(3) * 2), I)
add("ZCAWhitening", lambda: enhance.ZCAWhitening().fit(torch.arange(24.0).view(8, 3).sin()), vec(3))
add("histogram", fn(enhance.histogram, torch.linspace(0, 1, 8), torch.tensor(0.1)), lambda d, k: (d.u(2 + k, 20),))
add("jpeg", fn(enhance.jpeg_codec_differentiable), lambda d, k: (d.u(2 + k, 3, 16, 16), torch.full((2 + k,), 20.0)))
for n in "dilation erosion opening closing gradient top_hat bottom_hat".split():
    add("morphology " + n, fn(getattr(morphology, n), torch.ones(3, 3)), I)
T = geometry.transform
add("Rotate", lambda: T.Rotate(torch.tensor([30.0])), I)
add("Resize", lambda: T.Resize((8, 8)), I)
add("Rescale", lambda: T.Rescale(0.5), I)
add("Hflip", lambda: T.Hflip(), I)
add("PyrDown", lambda: T.PyrDown(), I)
add("PyrUp", lambda: T.PyrUp(), I)
add("ScalePyramid", lambda: T.ScalePyramid(3, 1.6, 8), G)
add("warp_perspective", fn(T.warp_perspective, dsize=(8, 8)), lambda d, k: (*I(d, k), torch.eye(3)[None].repeat(2 + k, 1, 1) + 0.01))
add("warp_affine", fn(T.warp_affine, dsize=(8, 8)), lambda d, k: (*I(d, k), torch.eye(3)[None, :2].repeat(2 + k, 1, 1) + 0.01))
add("HomographyWarper", lambda: T.HomographyWarper(8, 8), lambda d, k: (*I(d, k), torch.eye(3)[None].repeat(2 + k, 1, 1) + 0.01))
add("elastic_transform2d", fn(T.elastic_transform2d), lambda d, k: (d.u(1, 1, 16, 16 + k), d.u(1, 2, 16, 16 + k)))
add("thin_plate", fn(lambda p, q: T.get_tps_transform(p, q)), lambda d, k: (d.u(2 + k, 5, 2), d.u(2 + k, 5, 2)))
g = geometry
add("quaternion_to_rotation_matrix", fn(g.conversions.quaternion_to_rotation_matrix), lambda d, k: (d.n(4 + k, 4),))
add(
    "rotation_matrix_to_quaternion",
    fn(lambda q: g.conversions.rotation_matrix_to_quaternion(g.conversions.quaternion_to_rotation_matrix(q))),
    lambda d, k: (d.n(4 + k, 4),),
)
add("axis_angle_to_rotation_matrix", fn(g.conversions.axis_angle_to_rotation_matrix), lambda d, k: (d.n(4 + k, 3),))
add("find_homography_dlt", fn(g.homography.find_homography_dlt), lambda d, k: (d.u(2 + k, 6, 2), d.u(2 + k, 6, 2)))
add(
    "find_fundamental",
    fn(lambda a, b: g.epipolar.find_fundamental(a, b, torch.ones(a.shape[:2])).abs()),
    lambda d, k: (d.u(2 + k, 9, 2), d.u(2 + k, 9, 2)),
)
add("project_points", fn(g.camera.project_points), lambda d, k: (d.u(2, 5 + k, 3) + 1, torch.eye(3).expand(2, 5 + k, 3, 3)))
add("depth_to_3d", fn(g.depth.depth_to_3d), lambda d, k: (d.u(2 + k, 1, 6, 6), torch.eye(3).repeat(2 + k, 1, 1)))
add("spatial_soft_argmax2d", fn(g.subpix.spatial_soft_argmax2d), G)
add("ConvSoftArgmax2d", lambda: g.subpix.ConvSoftArgmax2d(), G)
add("NonMaximaSuppression2d", lambda: g.subpix.NonMaximaSuppression2d((3, 3)), G)
add("ConvQuadInterp3d", lambda: g.subpix.ConvQuadInterp3d(), lambda d, k: (d.u(1, 1, 3, 16, 16 + k),))
P = lambda d, k: (d.u(2 + k, 1, 32, 32),)
for n in "HardNet HyNet SOSNet TFeat".split():
    add(n, (lambda n: lambda: getattr(feature, n)(False))(n), P)
add("SIFTDescriptor", lambda: feature.SIFTDescriptor(32), P)
add("MKDDescriptor", lambda: feature.MKDDescriptor(32), P)
add("CornerHarris", lambda: feature.CornerHarris(0.04), G)
add("CornerGFTT", lambda: feature.CornerGFTT(), G)
add("BlobHessian", lambda: feature.BlobHessian(), G)
add("BlobDoG", lambda: feature.BlobDoG(), lambda d, k: (d.u(1, 1, 3, 16, 16 + k),))
add("PatchDominantGradientOrientation", lambda: feature.PatchDominantGradientOrientation(32), P)
add("LAFAffineShapeEstimator", lambda: feature.PatchAffineShapeEstimator(32), P)
add("match_mnn", fn(feature.match_mnn), lambda d, k: (d.n(6 + k, 4), d.n(7, 4)))
add("match_smnn", fn(feature.match_smnn, 0.95), lambda d, k: (d.n(6 + k, 4), d.n(7, 4)))
add("KeyNet", lambda: feature.KeyNet(False), lambda d, k: (d.u(1 + k, 1, 32, 32),))
add(
    "LoFTR coarse",
    lambda: __import__("kornia.feature.loftr.loftr_module", fromlist=["x"]).LocalFeatureTransformer(
        {"d_model": 16, "nhead": 2, "layer_names": ["self", "cross"], "attention": "linear"}
    ),
    lambda d, k: (d.n(2, 6 + k, 16), d.n(2, 8, 16)),
)
add("XFeatModel", lambda: __import__("kornia.feature.xfeat", fromlist=["x"]).XFeatModel(), lambda d, k: (d.u(1 + k, 3, 64, 64),))
add("RandomErasing p0", lambda: augmentation.RandomErasing(p=1.0), I)
add("RandomHorizontalFlip", lambda: augmentation.RandomHorizontalFlip(p=0.5), I)
add("ColorJiggle", lambda: augmentation.ColorJiggle(0.1, 0.1, 0.1, 0.1, p=1.0), I)
add("RandomAffine", lambda: augmentation.RandomAffine(15.0, p=1.0), I)
add("CenterCrop", lambda: augmentation.CenterCrop(8), I)
add(
    "AugSequential",
    lambda: augmentation.AugmentationSequential(
        augmentation.RandomHorizontalFlip(p=1.0), augmentation.RandomGrayscale(p=1.0), data_keys=["input"]
    ),
    I,
)
