"""Steps of optimizers over the parameters of MiniLM-L6: 103 tensors, 22.7 million numbers. PyTorch's side runs with foreach=True."""

from run import row

WIDTH, INNER, VOCABULARY, LAYERS = 384, 1536, 30522, 6


def shapes():
    yield from ((VOCABULARY, WIDTH), (512, WIDTH), (2, WIDTH), (WIDTH,), (WIDTH,))
    for _ in range(LAYERS):
        yield from [(WIDTH, WIDTH), (WIDTH,)] * 4 + [(WIDTH,)] * 2 + [(INNER, WIDTH), (INNER,), (WIDTH, INNER), (WIDTH,)] + [(WIDTH,)] * 2
    yield from ((WIDTH, WIDTH), (WIDTH,))


def stepping(name, **options):
    def start(torch):
        parameters = [torch.nn.Parameter(torch.randn(shape) * 0.02) for shape in shapes()]
        for parameter in parameters:
            parameter.grad = torch.randn(parameter.shape) * 0.01
        return getattr(torch.optim, name)(parameters, **options).step

    return start


def rows(name, about, kind, **options):
    for threads, suffix, words in ((1, "", ""), (2, "_2t", ", two threads")):
        # A step returns nothing to compare: tests/python/test_optim.py compares the results.
        side = row(f"{name}{suffix}", about=about + words, peer=stepping(kind, foreach=True, **options), threads=threads, rtol=None)
        side(stepping(kind, **options))


rows("sgd_momentum", "a step of SGD with momentum over MiniLM's parameters", "SGD", lr=1e-6, momentum=0.9)
rows("adamw", "a step of AdamW over MiniLM's parameters", "AdamW", lr=1e-6)
