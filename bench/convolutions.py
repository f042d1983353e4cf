"""Convolutions at the shapes of ResNet-18, MobileNetV2 and a U-Net, one image and eight; networks made of them are in networks.py."""

from run import program_rows, row

# name: channels in, channels out, kernel, stride, padding, dilation, groups, height and width of the image
SHAPES = {
    "resnet_stem": (3, 64, 7, 2, 3, 1, 1, 224),
    "resnet_56": (64, 64, 3, 1, 1, 1, 1, 56),
    "resnet_56_down": (64, 128, 3, 2, 1, 1, 1, 56),
    "resnet_56_skip": (64, 128, 1, 2, 0, 1, 1, 56),
    "resnet_28": (128, 128, 3, 1, 1, 1, 1, 28),
    "resnet_14": (256, 256, 3, 1, 1, 1, 1, 14),
    "resnet_7": (512, 512, 3, 1, 1, 1, 1, 7),
    "mobilenet_stem": (3, 32, 3, 2, 1, 1, 1, 224),
    "mobilenet_112_wide": (16, 96, 1, 1, 0, 1, 1, 112),
    "mobilenet_56_narrow": (144, 24, 1, 1, 0, 1, 1, 56),
    "mobilenet_14_narrow": (384, 64, 1, 1, 0, 1, 1, 14),
    "mobilenet_7_last": (320, 1280, 1, 1, 0, 1, 1, 7),
    "depthwise_112": (32, 32, 3, 1, 1, 1, 32, 112),
    "depthwise_112_down": (96, 96, 3, 2, 1, 1, 96, 112),
    "depthwise_56": (144, 144, 3, 1, 1, 1, 144, 56),
    "depthwise_14": (384, 384, 3, 1, 1, 1, 384, 14),
    "depthwise_7": (960, 960, 3, 1, 1, 1, 960, 7),
    "depthwise_5x5_28": (120, 120, 5, 1, 2, 1, 120, 28),
    "unet_128": (64, 64, 3, 1, 1, 1, 1, 128),
    "unet_64_join": (256, 128, 3, 1, 1, 1, 1, 64),
    "unet_128_mask": (64, 2, 1, 1, 0, 1, 1, 128),
    "grouped_56": (128, 128, 3, 1, 1, 1, 32, 56),
    "grouped_28_1x1": (240, 240, 1, 1, 0, 1, 3, 28),
    "dilated_28": (256, 256, 3, 1, 2, 2, 1, 28),
}


def describe(shape) -> str:
    """A shape in words, as "64 -> 128, 3x3, stride 2, 56x56"."""
    inputs, outputs, kernel, stride, _, dilation, groups, size = shape
    words = [f"{inputs} → {outputs}", f"{kernel}×{kernel}"]
    words += [f"stride {stride}"] * (stride > 1) + [f"dilation {dilation}"] * (dilation > 1) + [f"{groups} groups"] * (groups > 1)
    return ", ".join([*words, f"{size}×{size}"])


def forward(name: str, shape, batch: int) -> None:
    inputs, outputs, kernel, stride, padding, dilation, groups, size = shape

    def prepare(torch):
        images = [torch.randn(batch, inputs, size, size) for _ in range(2)]
        weight, bias = torch.randn(outputs, inputs // groups, kernel, kernel), torch.randn(outputs)
        turn = 0

        def once():
            nonlocal turn
            turn = 1 - turn
            with torch.no_grad():
                return torch.nn.functional.conv2d(images[turn], weight, bias, stride, padding, dilation, groups)

        return once

    row(f"conv_{name}_{batch}", at_most=1.1, about=f"`conv2d` {describe(shape)}, batch {batch}", rtol=1e-3, atol=2e-3)(prepare)


for name, shape in SHAPES.items():
    for batch in (1, 8):
        forward(name, shape, batch)


def backward(name: str) -> None:
    inputs, outputs, kernel, stride, padding, dilation, groups, size = SHAPES[name]

    def prepare(torch):
        image = torch.randn(4, inputs, size, size, requires_grad=True)
        weight = torch.randn(outputs, inputs // groups, kernel, kernel, requires_grad=True)
        out = torch.nn.functional.conv2d(image, weight, None, stride, padding, dilation, groups)
        grad = torch.randn(*out.shape)

        def once():
            out = torch.nn.functional.conv2d(image, weight, None, stride, padding, dilation, groups)
            return torch.autograd.grad(out, [image, weight], grad)

        return once

    row(f"conv_{name}_training", at_most=1.1, about=f"`conv2d` {describe(SHAPES[name])}, batch 4, with both gradients", rtol=1e-3, atol=2e-2)(prepare)


for name in ("resnet_stem", "resnet_56", "resnet_56_down", "resnet_14", "mobilenet_14_narrow", "depthwise_56", "depthwise_112_down"):
    backward(name)

program_rows(
    "convolution_bench", "15", *(":".join(map(str, (name, 1, *shape))) for name, shape in SHAPES.items()), beside="oneDNN", at_most=None,
    rows={f"kernel_{name}": f"the kernel alone, {describe(shape)}, batch 1" for name, shape in SHAPES.items()},
)  # fmt: skip
