"""Convolutions at the shapes of ResNet-18, MobileNetV2 and a U-Net, one image and eight, on one thread and on two; networks made of them are in
networks.py. Beside each row stand the share of the core's measured peak and, for one image on one thread, the figure of oneDNN's kernel alone."""

import itertools

from run import Result, peak, printed, program_rows, quantity, row, row_list

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
# The same of transposed convolutions: a U-Net's way up, a generator of images, a decoder.
TRANSPOSED = {
    "unet_up_64": (128, 64, 2, 2, 0, 1, 1, 64),
    "unet_up_16": (512, 256, 2, 2, 0, 1, 1, 16),
    "dcgan_16": (256, 128, 4, 2, 1, 1, 1, 16),
    "decoder_28": (64, 32, 3, 1, 1, 1, 1, 28),
}
TRAINED = ("resnet_stem", "resnet_56", "resnet_56_down", "resnet_14", "mobilenet_14_narrow", "depthwise_56", "depthwise_112_down")
KERNELS = ("convolution_bench", "15", *(":".join(map(str, (name, 1, *shape))) for name, shape in SHAPES.items()))


def describe(shape) -> str:
    """A shape in words, as "64 -> 128, 3x3, stride 2, 56x56"."""
    inputs, outputs, kernel, stride, _, dilation, groups, size = shape
    words = [f"{inputs} → {outputs}", f"{kernel}×{kernel}"]
    words += [f"stride {stride}"] * (stride > 1) + [f"dilation {dilation}"] * (dilation > 1) + [f"{groups} groups"] * (groups > 1)
    return ", ".join([*words, f"{size}×{size}"])


def operations(shape, batch: int, transposed: bool = False) -> float:
    """Multiplications and additions of a call."""
    inputs, outputs, kernel, stride, padding, dilation, groups, size = shape
    places = size if transposed else (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    return 2.0 * batch * inputs * outputs // groups * kernel**2 * places**2


def note(count: float, threads: int, kernel: str = ""):
    """What stands beside a row: the share of the peak, and the figure of oneDNN's kernel of this name."""

    def words(result: Result) -> str:
        text = f"{1e-9 * count / result.ours / (threads * peak()):.0%} of the peak"
        return text + (f"; oneDNN {quantity(printed(KERNELS)[kernel][1], 's')}" if kernel else "")

    return words


def forward(name: str, shape, batch: int, threads: int, call: str = "conv2d") -> None:
    inputs, outputs, kernel, stride, padding, dilation, groups, size = shape
    transposed = call == "conv_transpose2d"

    def prepare(torch):
        images = itertools.cycle([torch.randn(batch, inputs, size, size) for _ in range(2)])
        sizes = (inputs, outputs // groups) if transposed else (outputs, inputs // groups)
        weight, bias = torch.randn(*sizes, kernel, kernel), torch.randn(outputs)
        more = (stride, padding, 0, groups, dilation) if transposed else (stride, padding, dilation, groups)

        def once():
            with torch.no_grad():
                return getattr(torch.nn.functional, call)(next(images), weight, bias, *more)

        return once

    oneDNN = f"kernel_{name}" if (batch, threads, transposed) == (1, 1, False) else ""
    row(
        f"{'conv_transpose' if transposed else 'conv'}_{name}_{batch}{'_2t' * (threads - 1)}", at_most=1.1,
        about=f"`{call}` {describe(shape)}, batch {batch}", rtol=1e-3, atol=2e-3, threads=threads, of=f"convolutions_{threads}t",
        note=note(operations(shape, batch, transposed), threads, oneDNN),
    )(prepare)  # fmt: skip


def backward(name: str, threads: int) -> None:
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

    row(
        f"conv_{name}_training{'_2t' * (threads - 1)}", at_most=1.1, about=f"`conv2d` {describe(SHAPES[name])}, batch 4, with both gradients",
        rtol=1e-3, atol=2e-2, threads=threads, of=f"convolutions_{threads}t", note=note(3 * operations(SHAPES[name], 4), threads),
    )(prepare)  # fmt: skip


for threads, words in ((1, "one thread"), (2, "two threads")):
    row_list(f"convolutions_{threads}t", about=f"convolutions, {words}", median_at_most=0.9)
    for batch in (1, 8):
        for name, shape in SHAPES.items():
            forward(name, shape, batch, threads)
        for name, shape in TRANSPOSED.items():
            forward(name, shape, batch, threads, "conv_transpose2d")
    for name in TRAINED:
        backward(name, threads)

program_rows(
    *KERNELS, beside="oneDNN", at_most=None,
    rows={f"kernel_{name}": f"the kernel alone, {describe(shape)}, batch 1" for name, shape in SHAPES.items()},
)  # fmt: skip
