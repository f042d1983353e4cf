"""Pain 5: data decides sizes and branches: nonzero, item, tolist, unique, while."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("5: data decides sizes and branches")


@program("nonzero and a gather")
def _(torch: Any) -> Made:
    def f(x):
        index = (x > 0).nonzero()
        return index, x[index[:, 0]]

    return f, [(torch.tensor(v),) for v in ([1.0, -1.0, 2.0], [-1.0, -2.0], [3.0], [])]


@program("boolean mask, then its mean")
def _(torch: Any) -> Made:
    def f(x):
        kept = x[x > 0]
        if kept.numel() == 0:
            return x.new_zeros(())
        return kept.mean()

    return f, [(torch.tensor(v),) for v in ([1.0, -1.0, 2.0], [-1.0, -2.0], [3.0], [])]


@program("experts that take their tokens")
def _(torch: Any) -> Made:
    class Experts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = torch.nn.Linear(4, 3)
            self.experts = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))

        def forward(self, x):
            weight, chosen = self.gate(x).softmax(-1).max(-1)
            out = torch.zeros_like(x)
            for e in range(3):
                rows = torch.where(chosen == e)[0]
                if rows.numel() > 0:
                    out.index_add_(0, rows, self.experts[e](x[rows]) * weight[rows, None])
            return out

    return Experts(), sizes(torch, (5, 4), (9, 4), (1, 4), (0, 4))


@program("image tokens put among the text's")
def _(torch: Any) -> Made:
    def f(ids, text, image):
        mask = (ids == 7).unsqueeze(-1).expand_as(text)
        if mask.sum() != image.numel():
            raise ValueError("image tokens and features do not match")
        return text.masked_scatter(mask, image)

    return f, [(torch.tensor(k), torch.randn(len(k), 2), torch.randn(k.count(7), 2)) for k in ([1, 7, 7, 2], [7, 1], [3, 4, 5])]


@program("grid of sizes by tolist")
def _(torch: Any) -> Made:
    def f(grid, x):
        parts = []
        start = 0
        for t, h, w in grid.tolist():
            parts.append(x[start : start + t * h * w].view(t, h * w).sum(1))
            start += t * h * w
        return torch.cat(parts)

    return f, [(torch.tensor(g), torch.randn(sum(a * b * c for a, b, c in g))) for g in ([[1, 2, 2], [2, 1, 3]], [[1, 1, 1], [3, 2, 2]], [[1, 4, 1]])]


@program("split by lengths that are data")
def _(torch: Any) -> Made:
    def f(x, lengths):
        return [piece.sum() for piece in x.split(lengths.tolist())]

    return f, [(torch.randn(sum(k)), torch.tensor(k)) for k in ([2, 3], [1, 4], [0, 2])]


@program("durations expanded, as in a speech model")
def _(torch: Any) -> Made:
    def f(x, durations):
        return torch.repeat_interleave(x, durations, dim=0)

    return f, [(torch.randn(len(k), 2), torch.tensor(k)) for k in ([2, 1], [0, 3], [1])]


@program("frames' mask of a predicted length")
def _(torch: Any) -> Made:
    def f(log_w):
        w = torch.ceil(torch.exp(log_w)).long()
        n = int(w.sum().clamp(min=1))
        ends = w.cumsum(0)
        return (torch.arange(n)[None] < ends[:, None]).float()

    return f, [(torch.tensor(v),) for v in ([0.1, 0.9], [1.5, 0.0, 0.2], [0.0])]


@program("unique values and their counts")
def _(torch: Any) -> Made:
    def f(x):
        values, counts = x.unique(return_counts=True)
        return values[counts.argmax()], values.numel()

    return f, [(torch.tensor(v),) for v in ([1, 2, 2, 3], [5, 5], [4])]


@program("non-maximum suppression by a loop")
def _(torch: Any) -> Made:
    def f(x, scores):
        order = scores.argsort(descending=True)
        keep = []
        while order.numel() > 0:
            i = order[0]
            keep.append(i)
            order = order[1:]
            order = order[(x[order] - x[i]).abs() > 0.5]
        return torch.stack(keep)

    return f, [(torch.tensor(x), torch.arange(len(x)) * 1.0) for x in ([0.0, 0.1, 2.0], [0.0, 1.0, 2.0, 2.1], [3.0])]


@program("detections above a threshold, or none")
def _(torch: Any) -> Made:
    def f(boxes, scores):
        keep = scores > 0.5
        if keep.any():
            return boxes[keep], scores[keep]
        return boxes[:0], scores[:0]

    return f, [(torch.randn(len(s), 4), torch.tensor(s)) for s in ([0.9, 0.1], [0.1, 0.2, 0.3], [0.7], [])]


@program("halving the step until it fits")
def _(torch: Any) -> Made:
    def f(x):
        step = 1.0
        while (x * step).norm() > 1.0:
            step = step / 2
        return x * step, step

    return f, [(torch.full((n,), v),) for n, v in ((2, 3.0), (3, 0.1), (1, 50.0))]


@program("greedy decoding")
def _(torch: Any) -> Made:
    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.out = torch.nn.Embedding(6, 4), torch.nn.Linear(4, 6)

        def forward(self, tokens):
            while tokens.size(1) < 8:
                following = self.out(self.emb(tokens).mean(1)).argmax(-1, keepdim=True)
                tokens = torch.cat([tokens, following], 1)
                if (following == 0).all():
                    break
            return tokens

    return Decoder(), [(torch.tensor(t),) for t in ([[1, 2]], [[3, 4, 5], [1, 1, 1]], [[0]])]


@program("early exit when sure enough")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(3))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
                if x.softmax(-1).max() > 0.6:
                    return x
            return x

    return Net(), sizes(torch, (2, 3), (5, 3), (1, 3))


@program("chosen branch by argmax and item")
def _(torch: Any) -> Made:
    def f(x):
        k = x.argmax().item()
        if k == 0:
            return x + 1
        if k == 1:
            return x * 2
        return -x

    return f, [(torch.tensor(v),) for v in ([3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0], [5.0])]


@program("slice from an argmax")
def _(torch: Any) -> Made:
    def f(x):
        end = int((x == 0).int().argmax())
        return x[:end]

    return f, [(torch.tensor(v),) for v in ([1, 2, 0, 3], [0, 1], [4, 0])]


@program("arange to a value")
def _(torch: Any) -> Made:
    def f(n, x):
        return torch.arange(n.item()).float().sum() + x

    return f, [(torch.tensor(k), torch.ones(m)) for k, m in ((3, 2), (5, 1), (0, 0), (1, 4))]


@program("zeros of a data size")
def _(torch: Any) -> Made:
    def f(index):
        out = torch.zeros(int(index.max()) + 1)
        return out.scatter_add(0, index, torch.ones(index.shape[0]))

    return f, [(torch.tensor(k),) for k in ([0, 2, 2], [4, 1], [0])]


@program("check of finite values that raises")
def _(torch: Any) -> Made:
    def f(x):
        if not torch.isfinite(x).all():
            raise ValueError("not finite")
        return x.exp()

    return f, sizes(torch, (3,), (2, 2), (1,), (0,))


@program("assert about values")
def _(torch: Any) -> Made:
    def f(labels, logits):
        assert labels.max() < logits.shape[1], "a label is too large"
        return torch.nn.functional.cross_entropy(logits, labels)

    return f, [(torch.tensor(k), torch.randn(len(k), 4)) for k in ([0, 3], [1, 2, 2], [0])]


@program("while over a list of thresholds")
def _(torch: Any) -> Made:
    def f(x):
        thresholds = [0.5, 1.0, 2.0]
        i = 0
        while i < len(thresholds) and x.max() > thresholds[i]:
            x = x - 0.25
            i += 1
        return x, i

    return f, [(torch.full((n,), v),) for n, v in ((2, 3.0), (3, 0.1), (1, 0.9))]


@program("float of a loss compared with a limit")
def _(torch: Any) -> Made:
    def f(x, y):
        loss = ((x - y) ** 2).mean()
        if float(loss) > 1.0:
            loss = loss.sqrt()
        return loss

    return f, [(torch.full((n,), v), torch.zeros(n)) for n, v in ((2, 3.0), (3, 0.1), (1, 0.9))]


@program("sorted by length and back")
def _(torch: Any) -> Made:
    def f(x, lengths):
        order = torch.argsort(lengths, descending=True)
        y = x[order][:, : int(lengths.max())].cumsum(1)
        return y[torch.argsort(order)]

    return f, [(torch.randn(len(k), 5), torch.tensor(k)) for k in ([2, 4, 3], [1, 5], [1])]


@program("number of classes from the labels")
def _(torch: Any) -> Made:
    def f(labels):
        return torch.nn.functional.one_hot(labels).float().mean(0)

    return f, [(torch.tensor(k),) for k in ([0, 2, 1], [1, 1], [0])]


@program("sum over the first n of each row")
def _(torch: Any) -> Made:
    def f(x, n):
        return torch.stack([row[: int(k)].sum() for row, k in zip(x, n)])

    return f, [(torch.randn(len(k), 4), torch.tensor(k)) for k in ([2, 4], [0, 1, 3], [4])]


@program("steps until every row has halted")
def _(torch: Any) -> Made:
    def f(x):
        halted = torch.zeros(x.shape[0])
        out = torch.zeros_like(x)
        n = 0
        while (halted < 0.99).any() and n < 12:
            p = torch.sigmoid(x.mean(-1)) * (halted < 0.99).float()
            p = torch.where(halted + p > 0.99, 1 - halted, p)
            out = out + p[:, None] * x
            halted = halted + p
            x = x * 0.9
            n += 1
        return out, n

    return f, [(torch.randn(n, 3) + k,) for n, k in ((2, 0), (3, -2), (1, 4), (0, 0))]


@program("anchors matched to boxes, or to none")
def _(torch: Any) -> Made:
    def f(quality):
        if quality.numel() == 0:
            return torch.full((quality.shape[1],), -1, dtype=torch.int64)
        best, match = quality.max(0)
        kept = match.clone()
        match[best < 0.3] = -1
        match[(best >= 0.3) & (best < 0.6)] = -2
        of_box = quality.max(1).values
        again = torch.where(quality == of_box[:, None])[1]
        match[again] = kept[again]
        return match

    return f, [(torch.arange(n * m).reshape(n, m).sin().abs(),) for n, m in ((2, 5), (3, 4), (1, 1), (0, 3))]


@program("a loss over the valid places, or zero")
def _(torch: Any) -> Made:
    def f(scores, labels):
        valid = labels != -100
        if not valid.any():
            return scores.sum() * 0
        scores, labels = scores[valid], labels[valid]
        count = valid.sum().item()
        return torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / count

    return f, [(torch.randn(len(y), 4), torch.tensor(y)) for y in ([1, -100, 3], [-100, -100], [0], [2, 2, -100, 1, 0])]


@program("repeated labels collapsed, blanks left out")
def _(torch: Any) -> Made:
    def f(scores):
        best = scores.argmax(-1)
        out, last = [], -1
        for k in best.tolist():
            if k != last and k != 0:
                out.append(k)
            last = k
        return torch.tensor(out, dtype=torch.long)

    return f, [(torch.nn.functional.one_hot(torch.tensor(k), 4).float(),) for k in ([0, 1, 1, 2], [3, 3, 0, 3, 1], [0])]


@program("segments' means by bincount")
def _(torch: Any) -> Made:
    def f(x, segment):
        n = int(segment.max()) + 1
        counts = torch.bincount(segment, minlength=n)
        total = torch.zeros(n, x.shape[1]).index_add(0, segment, x)
        return total / counts.clamp(min=1)[:, None]

    return f, [(torch.randn(len(s), 2), torch.tensor(s)) for s in ([0, 1, 1], [2, 0, 2, 2], [0])]
