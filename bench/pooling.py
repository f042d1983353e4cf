"""Pooling and batch normalization, at the shapes of ResNet-18, MobileNetV2 and a U-Net."""

import itertools

from run import row, row_list


def on_images(name: str, about: str, sizes, call, rtol: float | None = 1e-5, atol: float = 1e-5) -> None:
    """A row for a call on images of these sizes, new ones in turn, on one thread and one for two."""

    def prepare(torch):
        images = itertools.cycle([torch.randn(*sizes) for _ in range(2)])
        f = call(torch)

        def once():
            with torch.no_grad():
                return f(next(images))

        return once

    for threads in (1, 2):
        row(
            f"{name}{'_2t' * (threads - 1)}", at_most=1.1, about=f"{about}, {'×'.join(map(str, sizes))}", rtol=rtol, atol=atol, threads=threads,
            of=f"pooling_{threads}t",
        )(prepare)  # fmt: skip


def functional(name: str, *args, **kwargs):
    return lambda torch: lambda x: getattr(torch.nn.functional, name)(x, *args, **kwargs)


def batch_norm(training: bool, channels: int):
    def make(torch):
        mean, var, weight, bias = torch.randn(channels), torch.rand(channels) + 1, torch.randn(channels), torch.randn(channels)
        return lambda x: torch.nn.functional.batch_norm(x, mean, var, weight, bias, training)

    return make


row_list("pooling_1t", about="pooling and batch norm, one thread", median_at_most=0.9)
row_list("pooling_2t", about="pooling and batch norm, two threads", median_at_most=0.9)
for batch in (1, 8):
    on_images(f"max_pool_3x3_s2_{batch}", "`max_pool2d` 3×3, stride 2", (batch, 64, 112, 112), functional("max_pool2d", 3, 2, 1))
    on_images(f"max_pool_2x2_{batch}", "`max_pool2d` 2×2", (batch, 64, 128, 128), functional("max_pool2d", 2))
    on_images(f"max_pool_2x2_28_{batch}", "`max_pool2d` 2×2", (batch, 256, 28, 28), functional("max_pool2d", 2))
    on_images(f"avg_pool_2x2_{batch}", "`avg_pool2d` 2×2", (batch, 64, 56, 56), functional("avg_pool2d", 2))
    on_images(f"avg_pool_3x3_{batch}", "`avg_pool2d` 3×3, stride 1", (batch, 64, 56, 56), functional("avg_pool2d", 3, 1, 1))
    on_images(f"adaptive_pool_1_{batch}", "`adaptive_avg_pool2d` to 1×1", (batch, 512, 7, 7), functional("adaptive_avg_pool2d", 1))
    on_images(f"adaptive_pool_7_{batch}", "`adaptive_avg_pool2d` to 7×7", (batch, 256, 16, 16), functional("adaptive_avg_pool2d", 7))
    for channels, size in ((64, 112), (256, 14), (960, 7)):
        for training in (False, True):
            on_images(
                f"batch_norm_{channels}_{size}_{'training' if training else 'eval'}_{batch}",
                f"`batch_norm`, {'training' if training else 'eval'}", (batch, channels, size, size), batch_norm(training, channels),
                rtol=1e-4, atol=1e-4,
            )  # fmt: skip
