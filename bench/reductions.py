"""Reductions, softmax and norms over each dim, on one thread and on two."""

from run import row_list, thread_rows

MILLION = 1 << 20
row_list("reductions", about="reductions, softmax and norms", median_at_most=0.9)

SHAPES = [((MILLION,), 0), ((1024, 1024), 0), ((1024, 1024), 1), ((64, 1000), 1), ((128, 768), 1), ((16, 64, 1024), 1)]
CALLS = {
    "sum": lambda torch, x, d: torch.sum(x, d),
    "mean": lambda torch, x, d: torch.mean(x, d),
    "amax": lambda torch, x, d: torch.amax(x, d),
    "max": lambda torch, x, d: torch.max(x, d),
    "argmax": lambda torch, x, d: torch.argmax(x, d),
    "var": lambda torch, x, d: torch.var(x, d),
    "logsumexp": lambda torch, x, d: torch.logsumexp(x, d),
    "softmax": lambda torch, x, d: torch.softmax(x, d),
    "log_softmax": lambda torch, x, d: torch.log_softmax(x, d),
}


def measured(name, about, prepare, call):
    thread_rows(name, about, prepare, call, of="reductions", rtol=1e-4, atol=1e-5)


for shape, dim in SHAPES:
    sizes = "x".join(map(str, shape))
    for name, call in CALLS.items():
        measured(
            f"{name}_{sizes}_dim{dim}", f"`{name}` along dim {dim} of {sizes}",
            lambda torch, shape=shape: (torch.randn(*shape),), lambda torch, x, d=dim, call=call: call(torch, x, d),
        )  # fmt: skip
for dim in (0, 1):
    measured(
        f"sum_int64_dim{dim}", f"`sum` along dim {dim} of 1024x1024, int64",
        lambda torch: (torch.randint(0, 99, (1024, 1024)),), lambda torch, x, d=dim: torch.sum(x, d),
    )  # fmt: skip
for shape in [(128, 384), (128, 768), (1024, 1024), (8, 128, 768)]:
    sizes = "x".join(map(str, shape))
    measured(
        f"layer_norm_{sizes}", f"`layer_norm` of {sizes}",
        lambda torch, shape=shape: (torch.randn(*shape), torch.randn(shape[-1]), torch.randn(shape[-1])),
        lambda torch, x, w, b: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b),
    )  # fmt: skip
