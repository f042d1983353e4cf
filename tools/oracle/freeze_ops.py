"""Freezes what PyTorch computes for every operator record, as the expectations of tests/cpp/ops_test.cpp.

    support_matrix --schemas | .venv-oracle/bin/python tools/oracle/freeze_ops.py tests/data/ops

writes one file a family: a line an operator (its name and PyTorch's own schema), then a line a case, JSON. Tensors are given by dtype, sizes, strides,
offset and the hexadecimal bytes of their storage; results are contiguous. A case that PyTorch refuses keeps the exception's type.
`--seed N` after the folder draws other samples than the committed ones, as tests/python/test_oracle_ops.py does.
"""

import json
import math
import random
import sys
from pathlib import Path

import pinned  # noqa: F401
import torch

torch.set_num_threads(1)
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
COMPLEX = [torch.complex64, torch.complex128]
ALL = [*FLOATS, *INTS, torch.bool, *COMPLEX]
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 0.5, -0.5, 1.0, -1.0, 2.5, 88.0, -100.0, 1e-30, 3e38]
# Draws have their own test, and empty() has no values.
NO_VALUES = {"empty", "empty_like", "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "uniform_", "normal_", "exponential_",
             "random_", "bernoulli_", "bernoulli", "multinomial", "dropout", "dropout_", "new_empty"}


OURS = {"aten::gather_backward"}
# Gradients flow through the first result alone.
FIRST_ALONE = {"aten::native_layer_norm"}


class Samples:
    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(seed)

    def tensor(self, dtype, *sizes, low=-3.0, high=3.0):
        n = math.prod(sizes)
        real = [self.rng.uniform(low, high) for _ in range(n)]
        if dtype == torch.bool:
            return torch.tensor([x > 0 for x in real]).reshape(sizes)
        if dtype in INTS:
            return torch.tensor([int(abs(x) if dtype == torch.uint8 else x) for x in real], dtype=dtype).reshape(sizes)
        if dtype in COMPLEX:
            return torch.tensor([complex(x, self.rng.uniform(low, high)) for x in real], dtype=dtype).reshape(sizes)
        return torch.tensor(real, dtype=torch.float64).to(dtype).reshape(sizes)

    def index(self, n, *sizes):
        return torch.tensor([self.rng.randrange(n) for _ in range(math.prod(sizes))], dtype=torch.int64).reshape(sizes)

    def special(self, dtype):
        if dtype in FLOATS:
            return torch.tensor(SPECIAL, dtype=torch.float64).to(dtype)
        if dtype in COMPLEX or dtype == torch.bool:
            return self.tensor(dtype, 4)
        i = torch.iinfo(dtype)
        return torch.tensor([i.min, i.max, 0, 1, 2, 3, max(i.min, -1), max(i.min, -2)], dtype=dtype)


def pointwise(s, schema):
    """Every dtype; then, in float32, the layouts: transposed, broadcast, 0-d, without elements; then mixed dtypes."""
    tensors = [a for a in schema.arguments if str(a.type) == "Tensor"]

    def numbers(dtype, k):
        out, at = [], 0
        for a in schema.arguments:
            kind = str(a.type)
            if kind == "Tensor":
                out.append(None)
            elif a.name == "approximate":
                out.append(["none", "tanh"][k % 2])
            elif kind == "number":
                real = [2, 3, 1][at % 3] if dtype in INTS or k % 2 else [0.5, 1.5, 2.0][at % 3]
                if a.name in ("beta", "threshold", "scale", "input_scale", "alpha", "value") and a.has_default_value():
                    real = a.default_value if k % 2 == 0 else real
                out.append(real)
                at += 1
            else:
                out.append(a.default_value)
        return out

    def call(values, dtype, k):
        values = list(values)
        return [values.pop(0) if x is None else x for x in numbers(dtype, k)]

    def fix(values):  # where's condition, masked_fill's mask
        return [v.bool() if a.name in ("condition", "mask") else v for a, v in zip(tensors, values, strict=True)]

    n = len(tensors)
    for dtype in ALL:
        x = s.special(dtype)
        yield call(fix([x] + [x.flip(0) if k % 2 else x.roll(3) for k in range(1, n)]), dtype, 0)
        yield call(fix([s.tensor(dtype, 2, 3) for _ in range(n)]), dtype, 1)
    f = torch.float32
    yield call(fix([s.tensor(f, 3, 4).t() for _ in range(n)]), f, 0)
    yield call(fix([s.tensor(f) for _ in range(n)]), f, 0)
    yield call(fix([s.tensor(f, 0, 3) for _ in range(n)]), f, 0)
    yield call(fix([s.tensor(f, 17)[::2] for _ in range(n)]), f, 0)
    if n > 1:
        yield call(fix([s.tensor(f, *([(2, 1), (3,), (1, 1), (2, 3)][k])) for k in range(n)]), f, 0)
        for a, b in [(f, torch.int64), (torch.int32, torch.bool), (torch.float16, torch.bfloat16), (f, torch.float64), (torch.uint8, torch.int8), (torch.int64, torch.float16)]:
            yield call(fix([s.tensor(a, 2, 2), *[s.tensor(b, 2, 2) for _ in range(n - 1)]]), f, 0)
            yield call(fix([s.tensor(a, 2), *[s.tensor(b) for _ in range(n - 1)]]), f, 0)
        yield call(fix([s.tensor(f, 2, 3), *[s.tensor(f, 2, 4) for _ in range(n - 1)]]), f, 0)
    if schema.name == "aten::pow" and str(schema.arguments[1].type) == "number":  # reciprocals, and what integers refuse
        for dtype in ALL:
            for exponent in (-1, 0, 3):
                yield [s.special(dtype), exponent]


def rows(s, schema):
    """Reductions and softmax: every dtype; the dims in all spellings; long rows; NaN and infinities."""
    names = [a.name for a in schema.arguments]
    has_dim = "dim" in names

    def call(x, dim=None, keep=False, dtype=None, k=0):
        out = []
        for a in schema.arguments:
            if a.name in ("self", "input"):
                out.append(x)
            elif a.name == "dim":
                out.append(([dim] if "List" in str(a.type) and isinstance(dim, int) else dim) if dim is not None or a.has_default_value() or "Optional" in str(a.type) else 0)
            elif a.name == "keepdim":
                out.append(keep)
            elif a.name == "dtype":
                out.append(dtype)
            elif a.name == "correction":
                out.append([None, 0, 2][k % 3])
            else:
                out.append(a.default_value)
        return out

    d = 0 if has_dim else None
    for dtype in ALL:
        yield call(s.tensor(dtype, 3, 4), d)
        yield call(s.special(dtype), d)
    f = torch.float32
    for dim, keep in [(1, False), (-1, True), (0, True)] if has_dim else []:
        yield call(s.tensor(f, 2, 3, 4), dim, keep, None, 1)
    if any(a.name == "dim" and "List" in str(a.type) for a in schema.arguments):
        for dims in ([0, 2], [0, 2, 3], [1, 3], [-1, 0], [2, 1]):  # with dims between them
            yield call(s.tensor(f, 2, 3, 4, 5), dims, k=1)
    yield call(s.tensor(f, 3, 5).t(), d)
    yield call(s.tensor(f), d)
    yield call(s.tensor(f, 300), d)
    yield call(s.tensor(f, 3, 0), 0 if has_dim else None)
    yield call(s.tensor(f, 3, 0), 1 if has_dim else None)
    if "dtype" in names:
        yield call(s.tensor(torch.int32, 3), d, False, torch.float64)
        yield call(s.tensor(f, 3), d, False, torch.float64)


def layouts(s, *sizes):
    """One tensor a dtype, then odd layouts of a float32 one."""
    for dtype in [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool]:
        yield s.tensor(dtype, *sizes)
    yield s.tensor(torch.float32, *reversed(sizes)).permute(*reversed(range(len(sizes))))


def table(s):
    f, i64 = torch.float32, torch.int64
    t = s.tensor
    four = [None, None, None, None]
    cases = {
        "view": [[x, n] for x in layouts(s, 2, 3, 4) for n in ([6, 4], [-1], [2, -1, 2])] + [[t(f, 0, 3), [0, 3]], [t(f, 0, 3), [-1, 0]], [t(f, 4, 6)[:, ::2], [2, 2, 3]], [t(f), [1, 1]], [t(f, 2), [3]]],
        "transpose.int": [[x, a, b] for x in layouts(s, 2, 3, 4) for a, b in ((0, 1), (-1, 0))] + [[t(f), 0, -1], [t(f, 2), 0, 1]],
        "t": [[t(f, 2, 3)], [t(f, 3)], [t(f)], [t(f, 1, 1, 1)]],
        "permute": [[x, [2, 0, 1]] for x in layouts(s, 2, 3, 4)] + [[t(f, 2, 3), [0, 0]], [t(f, 2, 3), [0]], [t(f), []]],
        "expand": [[x, n, False] for x, n in ((t(f, 2, 1), [2, 3]), (t(f, 3), [2, -1]), (t(f), [2, 2]), (t(f, 2), [3]), (t(f, 1), [0]), (t(f, 3), [-1, 3]))],
        "select.int": [[x, d, i] for x in layouts(s, 2, 3) for d, i in ((0, 1), (-1, -3))] + [[t(f, 2), 0, 2], [t(f), 0, 0]],
        "slice.Tensor": [[x, d, a, b, st] for x in layouts(s, 5, 6) for d, a, b, st in ((0, 1, 4, 1), (1, None, None, 2), (-1, -3, 100, 1), (0, 4, 1, 1))] + [[t(f, 3), 0, 0, 2, 0], [t(f), 0, 0, 1, 1]],
        "unsqueeze": [[x, d] for x in layouts(s, 2, 3) for d in (0, -1, 2)] + [[t(f), 0], [t(f, 2), 3]],
        "squeeze": [[t(f, 1, 2, 1)], [t(f, 2)], [t(f)]],
        "squeeze.dim": [[t(f, 1, 2, 1), 0], [t(f, 1, 2, 1), -1], [t(f, 2), 0], [t(f), 0], [t(f, 2), 2]],
        "flatten.using_ints": [[x, a, b] for x in layouts(s, 2, 3, 4) for a, b in ((0, -1), (1, 2), (0, 0), (2, 1))] + [[t(f), 0, -1]],
        "cat": [[[t(f, 2, 3), t(f, 1, 3)], 0], [[t(f, 2, 3), t(f, 2, 1)], -1], [[t(f, 2), t(i64, 3)], 0], [[t(f, 0), t(f, 2, 2)], 0], [[t(f, 2, 3).t(), t(f, 3, 1)], 1], [[t(f, 2), t(f, 2, 2)], 0],
                [[t(f, 2, 3), t(f, 2, 4)], 0], [[t(torch.bool, 2), t(torch.uint8, 2)], 0], [[t(f)], 0]],
        "stack": [[[t(f, 2, 3), t(f, 2, 3)], d] for d in (0, 1, -1)] + [[[t(f), t(f)], 0], [[t(f, 2), t(f, 3)], 0]],
        "split.Tensor": [[t(f, 5, 2), 2, 0], [t(f, 2, 6), 3, -1], [t(f, 4), 10, 0], [t(f, 0, 2), 1, 0], [t(f, 3), 0, 0]],
        "split_with_sizes": [[t(f, 5, 2), [2, 3], 0], [t(f, 2, 4), [1, 0, 3], 1], [t(f, 3), [1, 1], 0]],
        "chunk": [[t(f, 6), 3, 0], [t(f, 5), 3, 0], [t(f, 2, 4), 3, -1], [t(f, 2), 4, 0], [t(f, 2), 0, 0], [t(f, 0, 2), 3, 0]],
        "unbind.int": [[t(f, 3, 2), 0], [t(f, 3, 2), -1], [t(f, 0, 2), 0]],
        "select_backward": [[t(f, 3), [2, 3], 0, 1], [t(f, 2), [2, 3], -1, -1]],
        "slice_backward": [[t(f, 2, 2), [2, 4], 1, 0, 4, 2], [t(f, 1, 3), [4, 3], 0, -1, 4, 1]],
        "zeros": [[[2, 3], d, None, None, None] for d in (None, *ALL)] + [[[], *four], [[0], *four]],
        "ones": [[[2], d, None, None, None] for d in (None, *ALL)],
        "full": [[[2], v, d, None, None, None] for v in (2, 1.5, True) for d in (None, i64, f, torch.bool)],
        "eye": [[3, *four], [0, *four], [2, i64, None, None, None]],
        "scalar_tensor": [[v, d, None, None, None] for v in (2, 1.5, True) for d in (None, i64)],
        "arange": [[v, *four] for v in (5, 0, 2.5, 5.0)] + [[4, f, None, None, None]],
        "arange.start": [[a, b, *four] for a, b in ((1, 5), (-2, 3), (0.5, 3), (3, 1))],
        "arange.start_step": [[a, b, c, *four] for a, b, c in ((0, 10, 3), (5, 0, -2), (0.0, 1.0, 0.1), (0, 1, 0), (1, 2, 0.3))] + [[0, 7, 2, torch.float16, None, None, None], [0, 300, 100, torch.bfloat16, None, None, None]],
        "linspace": [[a, b, n, *four] for a, b, n in ((0, 1, 5), (-3, 3, 4), (1, 2, 1), (0, 1, 0), (5, -5, 11))] + [[0, 10, 4, torch.float64, None, None, None], [0, 10, 4, i64, None, None, None], [0, 1, 3, torch.bfloat16, None, None, None]],
        "zeros_like": [[x, *four, None] for x in layouts(s, 2, 3)] + [[t(f, 2), i64, None, None, None, None]],
        "ones_like": [[x, *four, None] for x in layouts(s, 2, 3)],
        "full_like": [[x, 3, *four, None] for x in layouts(s, 2, 3)] + [[t(i64, 2), 2.7, *four, None]],
        "clone": [[x, None] for x in layouts(s, 2, 3)],
        "contiguous": [[x, torch.contiguous_format] for x in layouts(s, 2, 3)],
        "_to_copy": [[s.special(a), b, None, None, None, False, None] for a in (f, torch.float64, i64, torch.uint8, torch.bool) for b in ALL if not (a.is_floating_point and b in INTS)] + [[t(a, 5, low=0.0), b, None, None, None, False, None] for a in ALL for b in (f, i64, torch.uint8) if not a.is_complex],
        "to.dtype": [[t(f, 3, low=0.0), d, False, False, None] for d in ALL],
        "type_as": [[t(f, 3, low=0.0), t(d, 1)] for d in ALL],
        "copy_": [[t(f, 2, 3), t(i64, 3), False], [t(i64, 2), t(f, 2), False], [t(f, 2), t(f, 3), False], [t(f, 3, 2).t(), t(f, 2, 3), False]],
        "fill_.Scalar": [[t(d, 3), 2] for d in ALL] + [[t(f, 2), 1.5], [t(f, 3, 2).t(), 7]],
        "zero_": [[t(d, 3)] for d in ALL],
        "embedding": [[t(f, 5, 3), s.index(5, 2, 2), -1, False, False], [t(torch.float64, 5, 3), s.index(5, 4).int(), 0, False, False], [t(f, 5, 3), torch.tensor([5]), -1, False, False], [t(f, 5, 3), s.index(5), -1, False, False]],
        "embedding_dense_backward": [[t(f, 4, 3), s.index(3, 4), 5, -1, False], [t(f, 4, 3), s.index(3, 4), 5, 1, False]],
        "index_select": [[x, 1, torch.tensor([2, 0, 2])] for x in layouts(s, 2, 3)] + [[t(f, 3), 0, torch.tensor(1)], [t(f, 3), 0, torch.tensor([3])], [t(f, 3, 2), -2, s.index(3, 2).int()], [t(f), 0, torch.tensor([0])]],
        "index_add": [[t(f, 3, 2), 0, torch.tensor([0, 2, 0]), t(f, 3, 2), 1], [t(f, 2, 3), 1, torch.tensor([1]), t(f, 2, 1), 2], [t(i64, 4), 0, torch.tensor([3, 3]), t(i64, 2), 1]],
        "gather": [[t(f, 3, 4), d, s.index(3, 2, 3), False] for d in (0, 1, -1)] + [[t(f, 3), 0, torch.tensor([3]), False], [t(f, 3), 0, torch.tensor([[0]]), False], [t(f), 0, torch.tensor(0), False]],
        "index.Tensor": [[t(f, 3, 4, 2), ix] for ix in ([s.index(3, 2)], [None, s.index(4, 3)], [s.index(3, 2), s.index(4, 2)], [s.index(3, 2), None, s.index(2, 2)], [None, s.index(4, 2, 1), s.index(2, 3)],
                         [torch.tensor([True, False, True])], [torch.tensor([-1, 0])], [torch.tensor([3])], [t(torch.bool, 3, 4)], [None, torch.tensor([True, False, False, True]), s.index(2, 2)])],
        "index_put_": [[t(f, 3, 4), ix, v, acc] for acc in (False, True) for ix, v in (([s.index(3, 1)], t(f, 4)), ([s.index(3, 1), s.index(4, 1)], t(f)), ([t(torch.bool, 3, 4)], t(f)))] + [[t(f, 3), [torch.tensor([0, 0])], t(f, 2), True]],
        "index_put": [[t(f, 3, 4), [None, torch.tensor([1, 2])], t(f, 3, 2), False]],
        "nonzero": [[x] for x in layouts(s, 2, 3)] + [[t(f)], [t(f, 0)], [torch.tensor([0.0, -0.0, math.nan])]],
        "mm": [[t(d, 3, 4), t(d, 4, 2)] for d in ALL] + [[t(f, 4, 3).t(), t(f, 2, 4).t()], [t(f, 2, 0), t(f, 0, 3)], [t(f, 2, 3), t(f, 2, 3)], [t(f, 2), t(f, 2)], [t(f, 2, 2), t(i64, 2, 2)], [t(f, 0, 3), t(f, 3, 2)]],
        "bmm": [[t(d, 2, 3, 4), t(d, 2, 4, 2)] for d in (f, torch.float64, torch.bfloat16, i64)] + [[t(f, 2, 4, 3).transpose(1, 2), t(f, 2, 4, 2)], [t(f, 2, 3, 4), t(f, 3, 4, 2)], [t(f, 0, 3, 4), t(f, 0, 4, 2)]],
        "matmul": [[t(f, *a), t(f, *b)] for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)), ((4, 1, 2, 3), (5, 3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((2, 3), (2, 3)), ((), (2,)), ((0, 2, 3), (3, 2)), ((2, 0), (0, 2)))],
        "linear": [[t(d, 2, 3), t(d, 4, 3), b and t(d, 4)] for d in (*FLOATS, i64) for b in (True, None)] + [[t(f, 3), t(f, 4, 3), None], [t(f, 2, 5, 3), t(f, 4, 3), t(f, 4)], [t(f, 2, 3), t(f, 4, 2), None], [t(f, 0, 3), t(f, 4, 3), t(f, 4)], [t(f, 3, 2).t(), t(f, 4, 3), t(f, 4)]],
        "addmm": [[t(f, 2), t(f, 3, 4), t(f, 4, 2), b, a] for b, a in ((1, 1), (0, 1), (2, 3), (0.5, 1))] + [[t(f, 3, 2), t(f, 3, 4), t(f, 4, 2), 1, 1], [t(torch.float64, 2), t(torch.float64, 3, 4), t(torch.float64, 4, 2), 1, 1]],
        "native_layer_norm": [[t(d, 2, 3, 4), n, *wb, 1e-5] for d in FLOATS for n, wb in (([4], (t(d, 4), t(d, 4))), ([3, 4], (None, None)), ([4], (t(d, 4), None)))] + [[t(f, 2, 3), [4], None, None, 1e-5]],
        "layer_norm": [[t(f, 2, 4), [4], t(f, 4), t(f, 4), 1e-5, True], [t(f, 2, 4) * 1000, [4], None, None, 1e-5, True]],
    }
    x, w = t(f, 2, 4, 5, 6), t(f, 6, 4, 3, 3)
    cases |= {
        "conv2d": [[x, w, b, st, p, d, 1] for b in (None, t(f, 6)) for st, p, d in (([1, 1], [0, 0], [1, 1]), ([2, 1], [1, 2], [1, 1]), ([1, 1], [2, 2], [2, 2]))]
        + [[x, t(f, 6, 2, 3, 3), t(f, 6), [1, 1], [1, 1], [1, 1], 2], [x, t(f, 4, 1, 3, 3), None, [1, 1], [1, 1], [1, 1], 4], [x[0], w, None, [1, 1], [0, 0], [1, 1], 1],
           [x.double(), w.double(), None, [1, 1], [0, 0], [1, 1], 1], [x, t(f, 6, 3, 3, 3), None, [1, 1], [0, 0], [1, 1], 1]],
        "conv_transpose2d.input": [[x, t(f, 4, 6, 3, 2), b, st, p, o, 1, d] for b in (None, t(f, 6)) for st, p, o, d in (([1, 1], [0, 0], [0, 0], [1, 1]), ([2, 3], [1, 0], [1, 2], [1, 1]), ([2, 1], [2, 1], [0, 1], [1, 3]))]
        + [[x, t(f, 4, 3, 3, 3), t(f, 6), [2, 2], [1, 1], [1, 1], 2, [1, 1]], [x[0], t(f, 4, 2, 2, 2), None, [2, 2], [0, 0], [0, 0], 1, [1, 1]], [x, t(f, 5, 2, 2, 2), None, [1, 1], [0, 0], [0, 0], 1, [1, 1]],
           [x, t(f, 4, 2, 2, 2), None, [2, 2], [0, 0], [2, 2], 1, [1, 1]], [x, t(f, 4, 2, 2, 2), t(f, 3), [2, 2], [0, 0], [0, 0], 1, [1, 1]]],
        "max_pool2d": [[x, k, st, p, [1, 1], c] for k, st, p, c in (([2, 2], [], [0, 0], False), ([3, 3], [2, 2], [1, 1], False), ([2, 3], [2, 2], [0, 1], True))],
        "max_pool2d_with_indices": [[x, [3, 2], [2, 2], [1, 1], [1, 1], False], [x[0], [2, 2], [], [0, 0], [2, 1], True]],
        "im2col": [[x, [3, 2], [1, 1], [1, 0], [2, 1]], [x, [2, 2], [2, 1], [0, 0], [1, 1]]],
        "col2im": [[t(f, 2, 12, 15), [5, 7], [2, 3], [1, 1], [0, 0], [2, 1]][:1] + [[5, 7], [2, 3], [2, 1], [0, 0], [1, 1]]],
        "avg_pool2d": [[x, k, st, p, c, inc, None] for k, st, p, c, inc in (([2, 2], [], [0, 0], False, True), ([3, 3], [2, 2], [1, 1], False, False), ([2, 3], [2, 2], [1, 1], True, True))],
        "adaptive_avg_pool2d": [[x, n] for n in ([1, 1], [2, 3], [5, 6])],
        "batch_norm": [[x, t(f, 4), t(f, 4), t(f, 4), t(f, 4, low=0.5), tr, 0.1, 1e-5, False] for tr in (False, True)] + [[x, None, None, None, None, True, 0.1, 1e-5, False]],
        "mse_loss": [[t(f, 2, 3), t(f, 2, 3), r] for r in (0, 1, 2)],
        "nll_loss": [[t(f, 4, 3), s.index(3, 4), w_, r, -100] for w_ in (None, t(f, 3, low=0.1)) for r in (0, 1, 2)] + [[t(f, 4, 3), torch.tensor([0, 1, 1, 2]), None, 1, 1]],
        "cross_entropy_loss": [[t(f, 4, 3), s.index(3, 4), None, r, -100, sm] for r in (0, 1, 2) for sm in (0.0, 0.1)] + [[t(f, 4, 3), torch.tensor([0, 1, 1, 2]), t(f, 3, low=0.1), 1, 1, 0.0]],
        "sort": [[x, d, b] for x in layouts(s, 3, 4) for d, b in ((0, False), (-1, True))] + [[s.special(d), 0, b] for d in ALL for b in (False, True)] + [[t(f), -1, False], [t(f, 2, 0), 1, True], [t(f, 300), 0, False]],
        "sort.stable": [[x, b, 1, b] for x in layouts(s, 3, 4) for b in (True, False)] + [[t(i64, 40), True, 0, True]],
        "argsort": [[x, d, b] for x in layouts(s, 3, 4) for d, b in ((0, False), (-1, True))] + [[t(f), 0, False]],
        "argsort.stable": [[x, True, 1, b] for x in layouts(s, 3, 4) for b in (False, True)],
        "topk": [[t(d, 3, 40), k, dim, b, True] for d in (f, torch.float64) for k, dim, b in ((2, -1, True), (3, 0, False), (0, 1, True), (40, 1, False))] + [[t(f), 1, 0, True, True], [t(f, 3), 4, 0, True, True], *[[torch.tensor([1.0, math.nan, 3.0, 2.0]), 2, 0, b, True] for b in (True, False)], [t(i64, 1), 1, 0, True, True]],
        "cumsum": [[t(d, 3, 4), 0, None] for d in ALL] + [[x, -1, None] for x in layouts(s, 2, 3, 4)] + [[s.special(d), 0, None] for d in ALL] + [[t(f, 300), 0, None], [t(f), 0, None], [t(f, 0, 2), 0, None], [t(f, 3), 0, torch.float64], [t(torch.int32, 3), 0, f], [t(f, 3), 1, None]],
        "cumprod": [[t(d, 3, 4), 0, None] for d in ALL] + [[x, -1, None] for x in layouts(s, 2, 3, 4)] + [[s.special(d), 0, None] for d in ALL] + [[t(f, 20), 0, None], [t(f), 0, None], [t(f, 0, 2), 0, None], [t(f, 3), 0, torch.float64], [torch.tensor([2.0, 0.0, 3.0, 0.0, -1.0]), 0, None]],
        "flip": [[x, d] for x in layouts(s, 2, 3, 4) for d in ([0], [-1, 1], [])] + [[t(f), [0]], [t(f, 2, 3), [0, -2]], [t(f, 0, 3), [0, 1]]],
        "lstm_cell": [
            [t(d, n, i), [t(d, n, h), t(d, n, h)], t(d, 4 * h, i), t(d, 4 * h, h), *([t(d, 4 * h), t(d, 4 * h)] if bias else [None, None])]
            for d in (f, torch.float64) for n, i, h in ((2, 3, 4), (1, 5, 2), (3, 1, 1)) for bias in (True, False)
        ],
        "scaled_dot_product_attention": [[t(f, 2, 3, 4), t(f, 2, 5, 4), t(f, 2, 5, 4), m, 0.0, c, sc, False] for m, c, sc in ((None, False, None), (None, True, 0.3), (t(f, 3, 5), False, None), (t(torch.bool, 3, 5) | torch.eye(3, 5).bool(), False, None))],
    }
    for name, more in [*edges(Samples(f"edges {s.seed}")).items(), *composites(Samples(f"composites {s.seed}")).items()]:
        cases[name] = cases.get(name, []) + more
    return cases


def composites(s):
    """What is made of other operators."""
    f, f64, i64, half, b1, t, at = torch.float32, torch.float64, torch.int64, torch.float16, torch.bool, s.tensor, torch.tensor
    inf, nan = math.inf, math.nan
    a, b = at([1.0, 1.0, inf, inf, -inf, nan, nan, 0.0, 1e-9, 100.0]), at([1.0, 1.00001, inf, -inf, -inf, nan, 1.0, -0.0, 0.0, 100.01])
    pairs = [[a, b], [a.double(), b.double()], [at([1, 2, 3]), at([1, 3, 3])], [at([True, False]), at([True, True])], [t(f, 3, 1), t(f, 2)], [t(f, 3), t(f, 2)], [t(f, 3), t(f64, 3)],
             [t(torch.complex64, 3), t(torch.complex64, 3)], [at([1 + 1j, complex(nan, 0)]), at([1 + 1.000001j, complex(nan, 0)])], [t(f, 0), t(f, 0)], [a.half(), b.half()]]
    close = [[*p, *n] for p in pairs for n in ((1e-5, 1e-8, False), (1e-5, 1e-8, True), (0.0, 0.0, False), (0.0, 0.0, True), (0.5, 1.0, False))] + [[*pairs[0], -1.0, 1e-8, False], [*pairs[0], 1e-5, -1.0, False]]
    same = [[v, v.clone()] for v in layouts(s, 2, 3)] + [[t(f, 3), t(f, 3)], [t(f, 3), t(f, 4)], [t(f, 1), t(f)], [at([1.0, nan]), at([1.0, nan])], [at([0.0]), at([-0.0])], [at([1, 2]), at([1.0, 2.0])], [t(f, 0), t(f, 0)], [t(f, 0), t(f, 0, 2)]]
    zeros_ = [[t(d, 2), n, e, None, None, None] for d in (f, i64, b1, half) for n in ([2, 3], [], [0]) for e in (None, f64, i64)] + [[t(f, 2), [-1], None, None, None, None]]
    line, image, one = t(f, 2, 4, 9), t(f, 2, 4, 5, 6), [1]
    probable = t(f, 3, 4, low=0.1)
    return {
        "isclose": close,
        "allclose": close,
        "equal": same,
        "l1_loss": [[t(d, 2, 3), t(d, 2, 3), r] for d in (f, f64, half) for r in (0, 1, 2)] + [[t(f, 2, 3), t(f64, 3), r] for r in (0, 1, 2)] + [[t(i64, 2), t(i64, 2), r] for r in (0, 1, 2)]
        + [[t(torch.complex64, 2), t(torch.complex64, 2), 0], [t(f, 2), t(f, 3), 1], [t(f, 0), t(f, 0), 1], [at([1.0, nan]), at([1.0, 2.0]), 2]],
        "binary_cross_entropy_with_logits": [[t(d, 3, 4), t(d, 3, 4, low=0.0, high=1.0), w and t(d, 4, low=0.0), p and t(d, 4, low=0.1), r] for d in (f, f64) for w in (None, True) for p in (None, True) for r in (0, 1, 2)]
        + [[at([0.0, -0.0, 100.0, -100.0, 1e30, -1e30, inf, -inf, nan]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 1.0, 0.0, 0.5]), None, p, r] for p in (None, at([2.0])) for r in (0, 2)]
        + [[t(f, 4), t(i64, 4), None, None, 1], [t(i64, 4), t(f, 4), None, None, 1], [t(f, 4), t(f, 3), None, None, 1], [probable, probable, t(f, 3), None, 0], [t(f, 0), t(f, 0), None, None, 1]],
        "expand_as": [[t(f, 3, 1), t(f, 2, 3, 4)], [t(f), t(f, 2)], [t(f, 2), t(f, 2)], [t(f, 2), t(f, 3)], [t(f, 2, 2), t(f, 2)], [t(f, 1), t(f, 0)]],
        "as_strided": [[t(f, 12), *g] for g in (([3, 4], [4, 1], None), ([4, 3], [1, 4], 0), ([2, 2], [3, 3], 2), ([3, 3], [1, 1], 1), ([2, 3], [0, 2], None), ([], [], 5), ([0], [1], None), ([2, 7], [6, 1], None), ([2], [1, 1], None), ([-2], [1], None), ([2], [-1], None), ([2], [1], -1))]
        + [[v, [2, 2], [1, 2], n] for v in (t(f, 3, 4).t(), t(f, 6)[1::2], t(f, 2, 3)[1:], t(f, 3, 1).expand(3, 2), t(f64, 2, 4), t(i64, 8)) for n in (None, 1)],
        "split.sizes": [[t(f, 5, 2), [2, 3], 0], [t(f, 2, 4), [1, 0, 3], 1], [t(f, 3), [1, 1], 0]],
        "new_zeros": zeros_,
        "new_ones": zeros_,
        "new_full": [[x, n, v, *rest] for x, n, *rest in zeros_[:12] for v in (2, 1.5)] + [[t(i64, 2), [2], 2.7, None, None, None, None], [t(torch.uint8, 2), [2], 300, None, None, None, None], [t(b1, 2), [2], True, None, None, None, None]],
        "conv2d.padding": [[image, t(f, 6, 4, *k), bias, [1, 1], word, d, 1] for k in ((3, 3), (2, 3), (4, 1)) for bias in (None, t(f, 6)) for word in ("same", "valid") for d in ([1, 1], [2, 1])]
        + [[image[0], t(f, 6, 2, 3, 2), None, [1, 1], "same", [1, 1], 2], [image, t(f, 6, 4, 3, 3), None, [2, 1], "valid", [1, 1], 1], [image, t(f, 6, 4, 3, 3), None, [2, 1], "same", [1, 1], 1], [image, t(f, 6, 4, 3, 3), None, [1, 1], "full", [1, 1], 1],
           [image, t(f, 6, 3, 3, 3), None, [1, 1], "same", [1, 1], 1], [image, t(f, 6, 4, 7, 7), None, [1, 1], "valid", [1, 1], 1], [image, t(f, 6, 4, 7, 7), None, [1, 1], "same", [1, 1], 1]],
        "conv1d": [[line, t(f, 6, 4, 3), bias, st, p, d, 1] for bias in (None, t(f, 6)) for st, p, d in ((one, [0], one), ([2], [1], one), (one, [2], [2]))] + [[line[0], t(f, 6, 2, 3), None, one, [0], one, 2], [line.double(), t(f64, 6, 4, 3), None, one, [0], one, 1]]
        + [[line, v, None, one, [0], one, 1] for v in (t(f, 6, 3, 3), t(f, 6, 4, 10), t(f64, 6, 4, 3), t(f, 6, 4, 3, 3), t(f, 4))] + [[v, t(f, 6, 4, 3), None, one, [0], one, 1] for v in (image, t(f, 9), t(f, 0, 4, 9))] + [[line, t(f, 6, 4, 3), None, [1, 2], [0], one, 1], [line, t(f, 6, 4, 3), t(f, 5), one, [0], one, 1]],
        "conv1d.padding": [[line, t(f, 6, 4, k), None, one, word, d, 1] for k in (3, 2, 1) for word in ("same", "valid") for d in (one, [2])] + [[line, t(f, 6, 4, 3), t(f, 6), [2], word, one, 1] for word in ("same", "valid", "full")],
    }


def edges(s):
    """What PyTorch refuses, beside its nearest neighbours that it takes: most of it is data that no type rules out."""
    f, i64, t = torch.float32, torch.int64, s.tensor
    x, at = t(f, 3, 4), torch.tensor
    good = at([0, 1, 2, 1])
    c64, f64, half, u8 = torch.complex64, torch.float64, torch.float16, torch.uint8
    image, weight, one = t(f, 1, 2, 5, 5), t(f, 4, 2, 3, 3), [1, 1]
    filled = [[v, d] for v, d in ((300, u8), (-1, u8), (-256, u8), (255.5, u8), (2.7, u8), (-1.0, u8), (math.nan, i64), (math.inf, i64), (1e19, i64), (2**31, torch.int32), (1e39, f), (1e5, half), (100000, half), (math.inf, half), (3.4e38, torch.bfloat16), (1j, f), (1j, i64))]
    pixels = [t(f, *n) for n in ((1, 2, 0, 6), (1, 0, 6, 6), (0, 2, 6, 6), (0, 6, 6))]
    blind = [at([[True, False], [False, False]]), at([[0.0, -math.inf], [-math.inf, -math.inf]])]
    classes = [at([0, 1, c, 1]) for c in (3, -3, -100)] + [good.int(), good.to(torch.uint8), good.float(), at([0, 1])]
    # Rows with few different elements: which of equal ones comes first is PyTorch's choice.
    crowds = [s.index(5, 2, n).to(d) for n, d in zip((16, 17, 40, 70, 130) * 2, (*FLOATS, *INTS, torch.bool), strict=False)] + [torch.where(s.index(4, 1, 90) == 0, math.nan, s.index(3, 1, 90).float())]
    return {
        "sort": [[x, -1, b] for x in crowds for b in (False, True)] + [[x.t(), 0, True] for x in crowds[:2]],
        "sort.stable": [[x, stable, -1, b] for x in crowds[1:5] for stable in (True, False, None) for b in (False, True)],
        "argsort": [[x, 1, b] for x in crowds[1:4] for b in (False, True)],
        "argsort.stable": [[x, stable, 1, True] for x in crowds[1:4] for stable in (True, False)],
        "topk": [[x, k, 1, largest, in_order] for x in crowds for k in (1, 7, x.shape[1]) for largest, in_order in ((True, True), (False, False))] + [[x.t(), 3, 0, True, True] for x in crowds[:2]],
        "clamp": [[t(d, 3, 4), *b] for d in ALL for b in ((0, None), (None, 1), (-1, 1))] + [[v, *b] for v in layouts(s, 3, 4) for b in ((-0.5, 0.5), (0.5, -0.5), (None, None))] + [[s.special(f), -1.0, 2.0], [s.special(f), math.nan, None], [t(i64, 5), 0.5, None], [t(i64, 5), None, 2.5], [t(f, 0, 2), 0.0, 1.0], [t(f), 0, 1], [t(torch.uint8, 4), -1, 300], [t(torch.int8, 4), -200, None], [t(torch.int8, 4), None, 127], [t(torch.int32, 4), None, 2**31]],
        "clamp.Tensor": [[t(f, 3, 4), lo, hi] for lo, hi in ((t(f, 4), None), (None, t(f, 3, 1)), (t(f, 3, 4), t(f)), (None, None), (t(f, 5), None))] + [[t(a, 4), t(b, 4), None] for a in (f, i64, torch.bfloat16, torch.bool) for b in (f, i64, torch.float64)] + [[t(f), t(f, 2, 3), t(f, 3)], [t(f, 0, 2), t(f, 2), None]],
        "reshape": [[v, sizes] for v in layouts(s, 3, 4) for sizes in ([12], [2, 6], [-1, 2], [4, 3], [3, 4, 1])] + [[t(f, 3, 4), sizes] for sizes in ([5, 2], [-1, -1], [-1, 5], [3, -4], [])] + [[t(f), [1, 1]], [t(f, 0, 3), [3, 0]], [t(f, 0, 3), [-1, 0]], [t(f, 1), []]],
        "reshape_as": [[v, t(f, 2, 6)] for v in layouts(s, 3, 4)] + [[t(f, 3), t(i64, 3, 1)], [t(f, 3), t(f, 2)]],
        "view_as": [[t(f, 3, 4), t(f, 2, 6)], [t(f, 3, 4).t(), t(f, 12)], [t(f, 3), t(f, 2)]],
        "numpy_T": [[v] for v in layouts(s, 3, 4)] + [[t(f, 3)], [t(f)], [t(f, 2, 3, 4)]],
        "narrow": [[v, d, a, n] for v in layouts(s, 3, 4) for d, a, n in ((0, 1, 2), (-1, -2, 1), (1, 4, 0), (0, 0, 3))] + [[t(f, 3, 4), d, a, n] for d, a, n in ((0, 2, 2), (2, 0, 1), (0, -4, 1), (0, 0, -1))],
        "detach": [[v] for v in layouts(s, 2, 3)] + [[t(i64)]],
        "alias": [[v] for v in layouts(s, 2, 3)] + [[t(i64)]],
        "copy": [[t(f, 2, 3), t(i64, 3), False], [t(i64, 2), t(f, 2), False], [t(f, 2), t(f, 3), False], [t(f, 3, 2).t(), t(f, 2, 3), False]],
        "select_scatter": [[v, t(f, 3), d, i] for v in layouts(s, 3, 3) for d, i in ((0, 1), (-1, -3))] + [[t(f, 3, 2), t(f, 2), 0, 3], [t(f, 3, 2), t(f, 3), 0, 1], [t(f, 3), t(f), 0, -1]],
        "slice_scatter": [[v, t(f, 2, 3), 0, a, b, 1] for v in layouts(s, 3, 3) for a, b in ((1, 3), (None, -1), (-2, 9))] + [[t(f, 3, 5), t(f, 3, 2), 1, 0, 4, 2], [t(f, 3, 5), t(f, 3, 3), 1, 0, 4, 2], [t(f, 3), t(f, 0), 0, 2, 1, 1]],
        "to.device": [[t(a, 3, low=0.0), torch.device("cpu"), d, False, False, None] for a in (f, i64) for d in (f, i64, torch.bfloat16)],
        "to.dtype_layout": [[t(f, 3, low=0.0), d, None, None, None, False, False, None] for d in (None, i64, torch.float64)],
        "to.other": [[t(f, 3, low=0.0), t(d, 1), False, False, None] for d in ALL],
        "gather": [[x, 1, at([[c]]), False] for c in (-1, 4, True)] + [[x, 1, s.index(3, 2, 3).int(), False], [x, 1, torch.zeros(0, 5, dtype=torch.int64), False]],
        "index_select": [[x, 1, at(c)] for c in ([-1], [4], [True], 3)] + [[x, 1, at([1], dtype=torch.uint8)]],
        "index_add": [[t(f, 3, 2), 0, at([c]), t(f, 1, 2), 1] for c in (-1, 3)] + [[t(f, 3, 2), 0, at([1]), t(f, 1, 2), 1.5]]
        + [[t(i64, 2, 3), 0, at([0, 1]), t(i64, 2, 3), a] for a in (2.5, 2, 1j)] + [[t(f, 2, 3), 0, at([0, 1]), v, 1] for v in (t(i64, 2, 3), t(f64, 2, 3), t(f, 2, 4), t(f, 3, 3), t(f, 2), t(f, 1, 2, 3))]
        + [[t(f, *a), 0, ix, t(f, *b), 1] for a, ix, b in (((2, 3), at([[0]]), (1, 3)), ((2, 3), at(1), (1, 3)), ((3,), at(0), ()), ((), at([0]), ()), ((), at([0]), (1,)), ((), at([0, 0]), (2,)), ((2, 3), at([0]), (1, 1)))]
        + [[t(torch.bool, 3), 0, at([0]), t(torch.bool, 1), a] for a in (1, 2)],
        # Leading dims of size 1 beyond the chosen elements' are dropped where PyTorch's assignment drops them before it calls index_put_.
        "index_put": [[t(f, 3, 4), [at([0, 2])], v, acc] for acc in (False, True) for v in (t(f, 3), t(f, 2, 3, 4), t(f, 0), t(f, 2, 1), t(f, 3, 4), t(f, 4), t(f))]
        + [[t(f, 3, 4), [None, at([0, 2])], v, False] for v in (t(f, 3, 2), t(f, 2, 3))] + [[t(f, 3, 4), [t(f, 3, 4) > 5], t(f, 4), False], [t(f, 3), [at([0, 0])], t(f, 3), True]],
        "expand": [[t(f, 3), [-5, 3], False], [t(f, 1, 3), [-2, 3], False], [t(f, 1, 3), [0, 3], False], [t(f, 1, 3), [-1, -1], False]],
        "split_with_sizes": [[t(f, 5), n, 0] for n in ([6, -1], [5, 0], [5])],
        "split.Tensor": [[t(f, 0), -1, 0], [t(f, 5), -1, 0]],
        "full": [[[2], v, d, None, None, None] for v, d in filled],
        "full_like": [[t(d, 2), v, None, None, None, None, None] for v, d in filled],
        "fill_.Scalar": [[t(d, 2), v] for v, d in filled],
        "scalar_tensor": [[v, d, None, None, None] for v, d in filled if d.itemsize != 2] + [[1j, None, None, None, None]],
        "linspace": [[*v, None, None, None] for v in ((0, 300, 4, u8), (-3, 3, 4, u8), (0.5, 3.7, 4, i64), (0, 1000003, 7, i64), (0, 1e39, 3, f), (0, 10, 4, c64))] + [[0, 1j, 3, f, None, None, None], [0, 1, 3, torch.bool, None, None, None]],
        "arange": [[5.5, d, None, None, None] for d in (i64, torch.int32, u8, f)] + [[1j, None, None, None, None]],
        "arange.start": [[a, b, i64, None, None, None] for a, b in ((-2.5, 2.5), (0.5, 5))],
        "arange.start_step": [[a, b, c, d, None, None, None] for a, b, c in ((0, 5, 1.5), (0.5, 5.5, 1.9), (0, 5, 0.5), (5, 0, -1.5)) for d in (i64, torch.int32)],
        "layer_norm": [[t(f, 2, 4), [4], v, None, 1e-5, True] for v in (t(f, 1, 1, 4), t(f, 1), t(f), t(f, 2, 3), t(f64, 4))] + [[t(f, 2, 4), [4], t(f, 4), v, 1e-5, True] for v in (t(f, 1), t(f, 2, 4))],
        "max_pool2d": [[v, [2, 2], [], one, one, False] for v in pixels] + [[t(f, 1, 2, 6, 6), *n, False] for n in (([2, 2, 2], [], [0, 0], one), ([2, 2], [1, 1, 1], [0, 0], one), ([2, 2], [], one * 2, one), ([2, 2], [], [0, 0], [1, 1, 1]))],
        "avg_pool2d": [[v, [2, 2], [], one, False, True, None] for v in pixels] + [[t(f, 1, 2, 6, 6), *n, False, True, None] for n in (([2, 2, 2], [], [0, 0]), ([2, 2], [1, 1, 1], [0, 0]), ([2, 2], [], [1, 1, 1]))],
        "adaptive_avg_pool2d": [[t(f, 1, 2, 4, 6), [2]], [t(f, 1, 2, 0, 6), [2, 2]], [t(f, 0, 2, 4, 6), [2, 2]], [torch.ones(1, 2, 3, 3), [-1, 2]]],
        "conv2d": [[image, weight, v, one, [0, 0], one, 1] for v in (t(f, 4), t(f, 1), t(f, 3), t(f, 1, 4), t(f, 4, 1, 1), t(f), t(f64, 4))] + [[image, weight, None, *n, 1] for n in ((one * 2, one, one), ([], one, one), (one, [1, 1, 1], one), (one, one, [1, 1, 1]))]
        + [[image, v, None, one, one, one, 1] for v in (weight.double(), t(f, 0, 2, 3, 3))] + [[t(f, 1, 0, 5, 5), t(f, 4, 0, 3, 3), v, one, [0, 0], one, 1] for v in (None, t(f, 4))] + [[t(f, 0, 2, 5, 5), weight, t(f, 4), one, [0, 0], one, 1]],
        "batch_norm": [[v.to(half), *(t(f, 3, low=0.1) for _ in range(4)), tr, 0.1, 1e-5, True] for v in (t(f, 4, 3, 2),) for tr in (False, True)]
        + [[t(f, 4, 3, 2), *p, False, 0.1, 1e-5, True] for p in ((None, None, t(f64, 3), t(f64, 3)), (t(f64, 3), None, t(f, 3), t(f, 3, low=0.1)), (t(f, 1), None, t(f, 3), t(f, 3, low=0.1)), (None, t(f, 4), t(f, 3), t(f, 3, low=0.1)), (None, None, t(half, 3), t(half, 3)))]
        + [[t(i64, 4, 3, 2), None, None, t(f, 3), t(f, 3), False, 0.1, 1e-5, True], [t(f, 0, 3, 2), None, None, t(f, 3), t(f, 3, low=0.1), True, 0.1, 1e-5, True]],
        "matmul": [[t(d, 3), t(d, 3)] for d in (u8, i64, torch.bool, half, c64)] + [[t(f, 3), v] for v in (t(f64, 3), t(i64, 3), t(f, 4), t(f, 1))] + [[t(f, 1), t(f, 3)], [t(f, 0), t(f, 0)]],
        "addmm": [[t(i64, 2, 2), t(i64, 2, 2), t(i64, 2, 2), b, a] for b, a in ((1, 0.5), (0.5, 1), (3.7, 2.0), (2, 3), (1, 1j))] + [[v, t(f, 2, 2), t(f, 2, 2), b, 1] for v in (t(f64, 2, 2), t(i64, 2, 2), t(f, 3, 2), t(f, 1, 2, 2), t(f, 1), t(f)) for b in (1, 0)] + [[x[:2, :2], x[:2, :2], x[1:, 1:3], 1, 1j]],
        "linear": [[t(f, 2, 3), t(f, 4, 3), v] for v in (t(f64, 4), t(i64, 4), t(f, 1), t(f, 3))] + [[t(half, 2, 3), t(half, 4, 3), t(f, 4)], [t(i64, 2, 3), t(i64, 4, 3), t(f, 4)]],
        "binary_cross_entropy": [[p, y, w_, r] for p, y in ((at([0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.25]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.75])),) for w_ in (None, t(f, 7), t(f, 1)) for r in (0, 1, 2)]
        + [[t(d, 3, 4, low=0.1, high=0.9), t(d, 3, 4, low=0.0, high=1.0), w_ and t(d, 4), r] for d in (f, f64) for w_ in (None, True) for r in (0, 1, 2)]
        + [[at([v]), at([1.0]), None, 1] for v in (1.5, -0.1, math.nan)] + [[at([0.5, 0.2]), v, None, 1] for v in (at([1, 0]), t(f64, 2), t(f, 3))] + [[at([0.5, 0.2]), at([1.0, 0.0]), t(f, 2, 1), 1], [t(f, 0), t(f, 0), None, 1], [t(f, 0), t(f, 0), None, 2]],
        "scaled_dot_product_attention": [[t(f, 1, 2, 4), t(f, 1, 2, 4), t(f, 1, 2, 4), m, 0.0, False, None, False] for m in blind],
        "embedding": [[x, at([c]), -1, False, False] for c in (-1, 3)],
        "one_hot": [[s.index(3, 4), 3], [s.index(3, 2, 2), 5], [at([2, 0]), -1], [at(1), 2]] + [[at([c]), 3] for c in (3, -1)] + [[at([1]).int(), 3], [at([1]), 0], [s.index(3, 0), -1], [s.index(3, 0), 3]],
        "nll_loss": [[t(f, 2, 3), at([-100, c]), w_, r, -100] for c in (-100, 1) for w_ in (None, at([1.0, 0.0, 1.0])) for r in (0, 1, 2)] + [[at([[math.nan, math.inf], [1.0, 2.0]]), at([-100, 1]), None, 1, -100], [t(i64, 2, 3), at([0, 1]), None, 1, -100], [t(f, 2, 3), at([0, 1]), t(f64, 3), 1, -100]]
        + [[t(f, 4, 3), c, None, 1, -100] for c in classes] + [[t(f, 3), at(1), None, 1, -100], [t(f, 4, 3), good, t(f, 2), 1, -100]],
        "cross_entropy_loss": [[t(f, 2, 3), at([-100, -100]), None, r, -100, sm] for r in (0, 1, 2) for sm in (0.0, 0.1)] + [[t(f, 2, 3), v, None, 1, -100, sm] for v in (at([0, 1]), t(f, 2, 3)) for sm in (1.5, 1.0, -0.1)] + [[t(f, 2, 3), t(f, 2, 3), None, 1, 1, 0.0], [t(f, 2, 3), at([0, 1]), t(f64, 3), 1, -100, 0.0]]
        + [[t(f, 4, 3), c, None, 1, -100, 0.0] for c in classes] + [[t(f, 4, 3), t(f, 4, 3, low=0.1), t(f, 3, low=0.1), r, -100, 0.1] for r in (0, 1, 2)] + [[t(f, 4, 3), good, t(f, 3, low=0.1), r, 1, 0.1] for r in (0, 1, 2)],
        "to.prim_Device": [[t(a, 3, low=0.0), d, e, False, c] for a in (f, i64) for d in (torch.device("cpu"), None) for e, c in ((None, False), (f64, False), (f64, True))],
    }


def beside(s):
    """Of operators whose cases are made from their schema: numbers that do not fit, and elements at the edges of a rule."""
    f, i64, u8, i8, half, t = torch.float32, torch.int64, torch.uint8, torch.int8, torch.float16, s.tensor
    x, bits, none = t(f, 3), t(torch.bool, 3), math.nan
    alphas = [[t(d, 3), t(d, 3), a] for d, a in ((f, 1j), (i64, 1j), (i64, 0.5), (i64, True), (f, True), (torch.bool, 0.5), (torch.bool, 2), (u8, 300), (u8, -1), (f, 1e39), (half, 1e6))]
    chosen = torch.tensor([none, 1.0, none, 2.0, 0.0, -0.0]), torch.tensor([1.0, none, none, 2.0, -0.0, 3.0])
    equal, empty = torch.ones(4), t(f, 0)
    spread_ = [[v, d, c, k] for v in (x, equal, t(f, 1)) for d, k in ((None, False), ([0], True)) for c in (-1, 0.5, 1, 3, 5, none)] + [[empty, None, -1, False], [x, None, 1j, False], [t(f, 3, 4), [1], 5, False]]
    return {
        "add.Tensor": alphas + [[t(i64, 3), x, 0.5]],
        "sub.Tensor": alphas,
        "rsub.Tensor": alphas,
        "add.Scalar": [[t(u8, 3), 300, 1], [t(u8, 3), 2, 300], [t(i64, 3), 1.5, 0.5], [t(i64, 3), 1, 0.5], [x, 2, 1j]],
        "sub.Scalar": [[t(u8, 3), 300, 1], [t(i64, 3), 1, 0.5]],
        "rsub.Scalar": [[t(i64, 3), 1, 0.5]],
        "pow.Tensor_Scalar": [[t(u8, 3), 300], [t(i8, 3), 200], [t(u8, 3), 2**40], [t(u8, 3), 255]],
        "where.ScalarOther": [[bits, t(u8, 3), v] for v in (300, -1, 255)] + [[bits, t(half, 3), 1e6], [t(i64, 3), x, 1], [x, x, 1]],
        "where.ScalarSelf": [[bits, 300, t(u8, 3)], [bits, 200, t(i8, 3)]],
        "where.self": [[c, x, x] for c in (t(i64, 3), x, t(u8, 3))],
        "masked_fill.Scalar": [[t(u8, 3), bits, v] for v in (300, -1, 2.7, 256.0)] + [[t(half, 3), bits, 1e5], [x, bits, 1e39], [x, bits, -math.inf], [x, bits, 1j], *([x, m, 1] for m in (t(i64, 3), t(u8, 3), x))],
        "clamp_min": [[t(i8, 3), -200], [t(half, 3), -1e6], [x, -math.inf]],
        "clamp_max": [[t(u8, 3), 300], [t(half, 3), 1e6], [x, 1e39]],
        "lerp.Scalar": [[x, x, 1j]],
        "addcmul": [[x, x, x, 1j], [t(u8, 3), t(u8, 3), t(u8, 3), 300], [t(i64, 3), t(i64, 3), t(i64, 3), 2.7]],
        "addcdiv": [[x, x, x, 1j]],
        "leaky_relu": [[x, 1j], [x, 1e39]],
        "elu": [[x, 1j, 1, 1]],
        "hardtanh": [[t(u8, 3), 0, 300]],
        "hardsigmoid": [[torch.tensor([-3.0, 3.0, 0.0, 4.0, -4.0, none])]],
        "maximum": [[*chosen]],
        "minimum": [[*chosen]],
        "prod": [[t(torch.complex64, 3), f], [t(torch.complex64, 3), torch.complex128], [t(torch.complex64, 3), i64]],
        "var.correction": spread_,
        "std.correction": spread_,
        # A number is rounded to the dtype of 16-bit elements before it is compared.
        **{f"{name}.Scalar": [[v.to(d), n] for v in (torch.tensor([0.1, 0.0999, -0.1, 3.0, math.inf, none, 1.0]),) for d in (half, torch.bfloat16) for n in (0.1, 1e6, 3, True, math.inf)] for name in ("lt", "le", "gt", "ge", "eq", "ne")},
        "mul.Tensor": [[t(a, 2), t(b)] for a in (f, torch.float64, torch.bfloat16, i64) for b in (torch.complex64, torch.complex128)],
        "div.Tensor": [[torch.tensor([1 + 2j, 0j, 1 + 0j, -2j]).to(d), torch.zeros((), dtype=d)] for d in (torch.complex64, torch.complex128)],
    }


def encode(v):
    if isinstance(v, torch.Tensor):
        storage = v.untyped_storage()
        data = bytes(storage)
        if v._is_zerotensor() or v.is_conj() or v.is_neg():
            v = v.resolve_conj().resolve_neg().contiguous()
            data = bytes(v.untyped_storage())
        return {"t": str(v.dtype)[6:], "s": list(v.shape), "st": list(v.stride()), "o": v.storage_offset(), "x": data.hex()}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    if isinstance(v, torch.dtype):
        return {"d": str(v)[6:]}
    if isinstance(v, torch.device):
        return {"c": str(v)}
    if isinstance(v, torch.memory_format):
        return {"m": ["torch.contiguous_format", "torch.preserve_format", "torch.channels_last"].index(str(v))}
    if isinstance(v, float):
        return {"f": repr(v)}
    if isinstance(v, complex):
        return {"z": [v.real, v.imag]}
    return v


def result(v):
    if isinstance(v, torch.Tensor):
        return encode(v.detach().clone(memory_format=torch.contiguous_format))
    return [result(x) for x in v] if isinstance(v, (list, tuple)) else encode(v)


def call(op, args):
    """The positional call, with what the schema keeps for keywords by name."""
    schema = op._schema
    positional = [v for a, v in zip(schema.arguments, args, strict=True) if not a.kwarg_only]
    keywords = {a.name: v for a, v in zip(schema.arguments, args, strict=True) if a.kwarg_only}
    return op(*positional, **keywords)


def tensors_of(args):
    """The tensors among the arguments, those of lists too, in order."""
    return [x for a in args for x in (a if isinstance(a, list) else [a]) if isinstance(x, torch.Tensor)]


def weights(x):
    """What flows back into a result: exact numbers of either sign, none of them 0."""
    return ((torch.arange(x.numel()) * 7 % 11 - 5.5) / 4).to(x.dtype).reshape(x.shape)


def gradients(op, args):
    """The gradients of a call by its floating tensors: None for one that has none, False for one that was not asked. None where the call has no
    gradient at all. Cases in float32 and float64: narrower dtypes round in every step of a rule, which no two libraries have alike."""
    floating = [x for x in tensors_of(args) if x.is_floating_point() or x.is_complex()]
    if op._schema.is_mutable or any(x.dtype not in (torch.float32, torch.float64) for x in floating):
        return None
    for asked in (len(floating), 1):  # a weight or a running mean may refuse one: then the first alone
        rest = iter([x.detach().clone().requires_grad_(k < asked) for k, x in enumerate(floating)])

        def leaf(x):
            return next(rest) if isinstance(x, torch.Tensor) and x.is_floating_point() else x  # noqa: B023 - used at once

        leaves = [[leaf(x) for x in a] if isinstance(a, list) else leaf(a) for a in args]
        try:
            results = call(op, leaves)
            roots = [x for x in (results if isinstance(results, (list, tuple)) else [results]) if isinstance(x, torch.Tensor) and x.requires_grad]
            roots = roots[:1] if op._schema.name in FIRST_ALONE else roots
            inputs = [x for x in tensors_of(leaves) if x.requires_grad]
            if not roots or not inputs:
                return None
            found = torch.autograd.grad(roots, inputs, [weights(x) for x in roots], allow_unused=True)
            return [*found, *[False] * (len(floating) - len(found))]
        except (RuntimeError, NotImplementedError):
            continue
    return None


def main():
    folder, seed = Path(sys.argv[1]), "".join(sys.argv[3:4])
    folder.mkdir(parents=True, exist_ok=True)
    lines, skipped = {}, []
    explicit = None
    for line in sys.stdin:
        family, functional, text = line.rstrip("\n").split("\t")
        name = text[: text.index("(")]
        base, _, overload = name.removeprefix("aten::").partition(".")
        if not name.startswith("aten::") or base in NO_VALUES or family == "scalars":
            continue
        try:
            op = getattr(getattr(torch.ops.aten, base), overload or "default")
        except AttributeError:
            skipped.append(name)
            continue
        out = lines.setdefault(family, [])
        out.append(json.dumps({"op": name, "schema": str(op._schema)}))
        if name in OURS:
            continue  # PyTorch's operator of this name is another
        if functional:
            continue  # the test runs these forms on the cases of the functional one
        s = Samples(name + seed)
        explicit, more = table(s), beside(Samples(f"beside {name}{seed}"))
        key = base + ("." + overload if overload else "")
        kinds = {str(a.type) for a in op._schema.arguments}
        if key in explicit:
            cases = explicit[key]
        elif family in ("arithmetic", "elementwise", "activations") and kinds <= {"Tensor", "number", "str"}:
            cases = [*pointwise(s, op._schema), *more.get(key, [])]
        elif family in ("reductions", "norms"):
            cases = [*rows(s, op._schema), *more.get(key, [])]
        else:
            skipped.append(name)
            continue
        for args in cases:
            frozen = {"a": [encode(a) for a in args]}
            try:
                frozen["r"] = result(call(op, args))
                if (g := gradients(op, args)) is not None:
                    frozen["g"] = result(g)
            except Exception as e:  # noqa: BLE001 - whatever PyTorch raises is the expectation
                frozen["e"] = type(e).__name__
            out.append(json.dumps(frozen, separators=(",", ":")))
    for family, text in lines.items():
        (folder / f"{family}.jsonl").write_text("\n".join(text) + "\n")
    print("no cases for:", *skipped, file=sys.stderr)


main()
