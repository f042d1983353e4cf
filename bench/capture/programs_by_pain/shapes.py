"""Pain 4: branches on shapes, parameters and flags, at which torch.fx stops."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("4: branches on shapes and flags")


@program("batch norm's check of the rank")
def _(torch: Any) -> Made:
    class Norm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            if x.dim() != 2:
                raise ValueError(f"expected 2 dims, got {x.dim()}")
            return x * self.weight

    return Norm(), sizes(torch, (2, 3), (5, 3), (1, 3), (0, 3))


@program("vision transformer's patches")
def _(torch: Any) -> Made:
    class Patches(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.size = 2
            self.proj = torch.nn.Conv2d(3, 4, 2, stride=2)

        def forward(self, x):
            n, c, h, w = x.shape
            torch._assert(h % self.size == 0, f"wrong height {h}")
            x = self.proj(x).reshape(n, 4, (h // self.size) * (w // self.size))
            return x.permute(0, 2, 1)

    return Patches(), sizes(torch, (1, 3, 4, 4), (2, 3, 6, 8), (1, 3, 2, 2))


@program("a projection where widths differ")
def _(torch: Any) -> Made:
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 6)
            self.short = torch.nn.Linear(4, 6)

        def forward(self, x):
            y = self.fc(x)
            if x.shape[-1] != y.shape[-1]:
                x = self.short(x)
            return x + y

    return Block(), sizes(torch, (2, 4), (1, 4), (0, 4), (3, 2, 4))


@program("parameter's own shape decides")
def _(torch: Any) -> Made:
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            if self.weight.shape[0] == 1:
                return x * self.weight.expand(x.shape[-1])
            return x * self.weight

    return Scale(), sizes(torch, (2, 4), (1, 1), (3, 0))


@program("key and value heads repeated, as in Llama")
def _(torch: Any) -> Made:
    def repeat(x, n):
        b, heads, length, width = x.shape
        if n == 1:
            return x
        return x[:, :, None].expand(b, heads, n, length, width).reshape(b, heads * n, length, width)

    def f(q, k):
        return q @ repeat(k, q.shape[1] // k.shape[1]).transpose(2, 3)

    return f, [(torch.randn(b, 4, n, 2), torch.randn(b, h, n, 2)) for b, n, h in ((1, 3, 2), (2, 5, 4), (1, 1, 1))]


@program("rotary embedding of the length")
def _(torch: Any) -> Made:
    class Rotary(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("inv", 1.0 / 10000 ** (torch.arange(0, 4, 2).float() / 4))

        def forward(self, x):
            angles = torch.outer(torch.arange(x.shape[1]).float(), self.inv)
            cos = torch.cat((angles, angles), -1).cos()
            half = x.shape[-1] // 2
            return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * cos.sin()

    return Rotary(), sizes(torch, (1, 3, 4), (2, 7, 4), (1, 1, 4), (1, 0, 4))


@program("causal only when longer than one")
def _(torch: Any) -> Made:
    def f(scores):
        n = scores.shape[-1]
        if n > 1:
            scores = scores + torch.full((n, n), -1e9).triu(1)
        return scores.softmax(-1)

    return f, sizes(torch, (2, 3, 3), (2, 1, 1), (1, 6, 6))


@program("optional mask")
def _(torch: Any) -> Made:
    class Attend(torch.nn.Module):
        def forward(self, x, mask=None):
            y = x @ x.transpose(-2, -1)
            if mask is not None:
                y = y.masked_fill(mask == 0, -1e9)
            return y.softmax(-1) @ x

    return Attend(), sizes(torch, (2, 3, 4), (1, 5, 4), (1, 1, 4))


@program("two dims or three")
def _(torch: Any) -> Made:
    def f(x):
        single = x.dim() == 2
        if single:
            x = x.unsqueeze(0)
        y = x.softmax(-1) @ torch.ones(x.shape[-1], 2)
        return y.squeeze(0) if single else y

    return f, sizes(torch, (3, 4), (5, 4), (1, 1), (2, 3, 4))


@program("interpolate when sizes differ")
def _(torch: Any) -> Made:
    def f(x, y):
        if x.shape[-2:] != y.shape[-2:]:
            x = torch.nn.functional.interpolate(x, size=y.shape[-2:], mode="nearest")
        return x + y

    return f, [(torch.randn(1, 2, a, a), torch.randn(1, 2, b, b)) for a, b in ((2, 4), (4, 4), (1, 3))]


@program("crop the longer one")
def _(torch: Any) -> Made:
    def f(x, y):
        d = x.shape[-1] - y.shape[-1]
        if d > 0:
            x = x[..., :-d]
        elif d < 0:
            y = y[..., :d]
        return torch.cat([x, y], 0)

    return f, [(torch.randn(2, a), torch.randn(2, b)) for a, b in ((5, 3), (3, 5), (4, 4), (1, 1))]


@program("same padding by the input's size")
def _(torch: Any) -> Made:
    import math

    class Same(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(1, 2, 3, stride=2)

        def forward(self, x):
            ih, iw = x.size()[-2:]
            ph = max((math.ceil(ih / 2) - 1) * 2 + 3 - ih, 0)
            pw = max((math.ceil(iw / 2) - 1) * 2 + 3 - iw, 0)
            if ph > 0 or pw > 0:
                x = torch.nn.functional.pad(x, [pw // 2, pw - pw // 2, ph // 2, ph - ph // 2])
            return self.conv(x)

    return Same(), sizes(torch, (1, 1, 4, 4), (2, 1, 5, 7), (1, 1, 1, 1))


@program("window partition with padding, as in Swin")
def _(torch: Any) -> Made:
    def f(x):
        b, h, w, c = x.shape
        pad_r, pad_b = (2 - w % 2) % 2, (2 - h % 2) % 2
        x = torch.nn.functional.pad(x, (0, 0, 0, pad_r, 0, pad_b))
        _, hp, wp, _ = x.shape
        x = x.view(b, hp // 2, 2, wp // 2, 2, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)

    return f, sizes(torch, (1, 4, 4, 3), (2, 3, 5, 3), (1, 1, 1, 3))


@program("isinstance of the input")
def _(torch: Any) -> Made:
    def f(x):
        if isinstance(x, (list, tuple)):
            x = torch.cat(list(x), 0)
        return x.relu()

    return f, sizes(torch, (3, 2), (5, 2), (1, 2), (0, 2))


@program("dense layers that list features")
def _(torch: Any) -> Made:
    class Dense(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Conv1d(2 + 2 * i, 2, 1) for i in range(3))

        def forward(self, x):
            features = [x]
            for layer in self.layers:
                features.append(layer(torch.cat(features, 1)).relu())
            return torch.cat(features, 1)

    return Dense(), sizes(torch, (1, 2, 4), (3, 2, 6), (1, 2, 1))


@program("getattr by name, hasattr for an option")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer0, self.layer1 = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def forward(self, x):
            for i in range(2):
                x = getattr(self, f"layer{i}")(x)
            if hasattr(self, "head"):
                x = self.head(x)
            return x

    return Net(), sizes(torch, (2, 3), (1, 3), (0, 3))


@program("numel decides between two ways")
def _(torch: Any) -> Made:
    def f(x):
        return x.flatten().sort().values if x.numel() > 6 else x.flatten()

    return f, sizes(torch, (2, 2), (4, 4), (1,), (0, 3))


@program("match on the rank")
def _(torch: Any) -> Made:
    def f(x):
        match x.dim():
            case 1:
                return x.sum()
            case 2:
                return x.sum(1)
            case _:
                return x.flatten(1).sum(1)

    return f, sizes(torch, (2, 3), (1, 1), (0, 3), (4,))


@program("half precision on large inputs")
def _(torch: Any) -> Made:
    def f(x):
        if x.dtype == torch.float32 and x.shape[0] >= 4:
            x = x.to(torch.float64)
        return x.cumsum(0)

    return f, sizes(torch, (2, 2), (4, 2), (1, 1), (0, 1))


@program("a dict of outputs by feature level")
def _(torch: Any) -> Made:
    class Pyramid(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = torch.nn.ModuleDict({"p2": torch.nn.Conv2d(1, 1, 1), "p3": torch.nn.Conv2d(1, 1, 1)})

        def forward(self, x):
            out = {}
            for name, conv in self.convs.items():
                out[name] = conv(x)
                if x.shape[-1] > 1:
                    x = torch.nn.functional.max_pool2d(x, 2)
            return out

    return Pyramid(), sizes(torch, (1, 1, 8, 8), (2, 1, 4, 4), (1, 1, 1, 1))


@program("buckets of relative positions, as in T5")
def _(torch: Any) -> Made:
    import math

    def f(x):
        n = x.shape[1]
        distance = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        far = distance.abs()
        large = 4 + (torch.log(far.float().clamp(min=1) / 4) / math.log(16 / 4) * 4).long()
        buckets = torch.where(far < 4, far, large.clamp(max=7)) + (distance > 0).long() * 8
        return buckets + x.shape[0]

    return f, sizes(torch, (2, 9), (1, 20), (3, 1), (1, 0))


@program("positions by sines, an odd width padded")
def _(torch: Any) -> Made:
    import math

    def f(steps, width):
        d = width.shape[-1]
        frequencies = torch.exp(-math.log(10000) * torch.arange(d // 2) / max(d // 2, 1))
        angles = steps[:, None].float() * frequencies[None]
        out = torch.cat([angles.cos(), angles.sin()], -1)
        if d % 2:
            out = torch.cat([out, torch.zeros_like(out[:, :1])], -1)
        return out + width

    return f, [(torch.arange(n), torch.randn(n, d)) for n, d in ((3, 6), (2, 4), (1, 8))]


@program("table of positions stretched where the grid differs")
def _(torch: Any) -> Made:
    class Grid(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Parameter(torch.arange(18.0).reshape(1, 9, 2))

        def forward(self, x):
            b, c, h, w = x.shape
            table = self.table
            if (h, w) != (3, 3):
                square = table.reshape(1, 3, 3, 2).permute(0, 3, 1, 2)
                table = torch.nn.functional.interpolate(square, size=(h, w), mode="bilinear").flatten(2).transpose(1, 2)
            return x.flatten(2).transpose(1, 2) + table

    return Grid(), sizes(torch, (2, 2, 3, 3), (1, 2, 4, 5), (1, 2, 1, 1))


@program("queries in chunks of at most four")
def _(torch: Any) -> Made:
    def f(q, k):
        out = []
        for start in range(0, q.shape[0], 4):
            part = q[start : start + 4]
            out.append((part @ k.t()).softmax(-1) @ k)
        return torch.cat(out) if out else torch.zeros_like(q)

    return f, [(torch.randn(n, 3), torch.randn(5, 3)) for n in (6, 9, 1, 4)]
