"""Programs that look at what the tape saves, as autograd_programs.py has them: next_functions, saved tensors and their hooks."""

from __future__ import annotations

# Calls whose whole tree of nodes, saved values and tensors given to hooks are PyTorch's.
CALLS = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
def X(*shape):
    return torch.rand(*shape).mul(0.8).add(0.1).requires_grad_()
def index(n, *shape):
    return (torch.arange(torch.Size(shape).numel()) % n).reshape(shape)
a, b, m, v, w, bias = X(3, 4), X(3, 4), X(4, 5), X(4), X(5, 4), X(5)
image, box = X(2, 3, 5, 5), X(2, 3, 5, 5, 5)
calls = {}
for name in "neg abs exp log sqrt rsqrt sin cos tan tanh sigmoid relu erf log1p expm1 floor reciprocal square acos sinh log2 sign lgamma digamma frac".split():
    calls[name] = lambda name=name: getattr(torch, name)(a)
for name in "add sub mul div pow maximum minimum atan2 fmod hypot logaddexp".split():
    calls[name] = lambda name=name: getattr(torch, name)(a, b)
for name in "gelu silu mish softplus elu selu celu leaky_relu hardtanh hardswish hardsigmoid relu6 logsigmoid softshrink hardshrink glu".split():
    calls[f"F.{name}"] = lambda name=name: getattr(F, name)(a)
calls.update({
    "a constant factor": lambda: a * torch.ones(3, 4), "a number": lambda: a * 2.5, "broadcast": lambda: a * v, "a square": lambda: a * a, "a power": lambda: a ** 2,
    "mm": lambda: a @ m, "mv": lambda: a @ v, "bmm": lambda: torch.bmm(X(2, 3, 4), X(2, 4, 5)), "matmul": lambda: X(2, 3, 4) @ m, "addmm": lambda: torch.addmm(X(5), a, m),
    "baddbmm": lambda: torch.baddbmm(X(2, 3, 5), X(2, 3, 4), X(2, 4, 5)),
    "linear": lambda: F.linear(a, w, bias), "linear without a bias": lambda: F.linear(a, w), "linear of a row": lambda: F.linear(v, w, bias),
    "linear of a batch": lambda: F.linear(X(2, 3, 4), w, bias), "linear of a constant": lambda: F.linear(torch.ones(3, 4), w, bias),
    "linear with a frozen weight": lambda: F.linear(a, w.detach(), bias),
    "softmax": lambda: F.softmax(a, 1), "log_softmax": lambda: F.log_softmax(a, 1),
    "conv1d": lambda: F.conv1d(X(2, 3, 5), X(4, 3, 3), X(4)), "conv2d": lambda: F.conv2d(image, X(4, 3, 3, 3), X(4)), "conv3d": lambda: F.conv3d(box, X(4, 3, 3, 3, 3)),
    "conv_transpose2d": lambda: F.conv_transpose2d(image, X(3, 4, 3, 3), X(4)),
    "avg_pool2d": lambda: F.avg_pool2d(image, 2), "avg_pool3d": lambda: F.avg_pool3d(box, 2), "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(image, 2),
    "BatchNorm2d": lambda: nn.BatchNorm2d(3)(image), "BatchNorm2d in eval": lambda: nn.BatchNorm2d(3).eval()(image), "LayerNorm": lambda: nn.LayerNorm(4)(a),
    "embedding": lambda: F.embedding(index(5, 2, 3), X(5, 4)),
    "sum": lambda: a.sum(), "sum of a dim": lambda: a.sum(1), "mean": lambda: a.mean(-1), "prod": lambda: a.prod(), "var": lambda: a.var(), "logsumexp": lambda: a.logsumexp(1),
    "max": lambda: a.max(1)[0], "amax": lambda: a.amax(1), "sort": lambda: a.sort()[0], "topk": lambda: a.topk(2)[0], "cumsum": lambda: a.cumsum(0),
    "view": lambda: a.view(-1), "t": lambda: a.t(), "T": lambda: a.T, "permute": lambda: a.permute(1, 0), "transpose": lambda: a.transpose(0, 1), "unsqueeze": lambda: a.unsqueeze(0),
    "expand": lambda: v.expand(3, 4), "repeat": lambda: a.repeat(2, 1), "select": lambda: a[0], "slice": lambda: a[:, 1:3], "gather": lambda: a.gather(1, index(4, 3, 2)),
    "index_select": lambda: a.index_select(0, torch.tensor([0, 1])), "masked_fill": lambda: a.masked_fill(torch.eye(3, 4) > 0, 0.0), "where": lambda: torch.where(torch.eye(3, 4) > 0, a, b),
    "cat": lambda: torch.cat([a, b]), "stack": lambda: torch.stack([a, b]), "split": lambda: a.split(2, 1)[1], "unbind": lambda: a.unbind()[0],
    "clamp": lambda: a.clamp(0, 1), "clamp_min": lambda: a.clamp(min=0), "lerp": lambda: torch.lerp(a, b, 0.5), "addcmul": lambda: torch.addcmul(a, b, b), "addcdiv": lambda: torch.addcdiv(a, b, b),
    "cross_entropy": lambda: F.cross_entropy(a, index(4, 3)), "mse_loss": lambda: F.mse_loss(a, b.detach()), "smooth_l1_loss": lambda: F.smooth_l1_loss(a, b.detach()),
    "huber_loss": lambda: F.huber_loss(a, b.detach()), "binary_cross_entropy": lambda: F.binary_cross_entropy(a, b.detach()), "kl_div": lambda: F.kl_div(a, b.detach()),
    "bce_with_logits": lambda: F.binary_cross_entropy_with_logits(a, b.detach()), "pad": lambda: F.pad(a, (1, 1)), "reflect": lambda: F.pad(image, (1, 1, 1, 1), mode="reflect"),
    "add_": lambda: (a * 1).add_(b), "exp_": lambda: (a * 1).exp_(), "sigmoid_": lambda: (a * 1).sigmoid_(), "zero_": lambda: (a * 1).zero_(), "copy_": lambda: (a * 1).copy_(b),
    "tril": lambda: a.tril(), "diagonal": lambda: a.diagonal(), "cdist": lambda: torch.cdist(a, b), "complex": lambda: torch.complex(a, b), "grid_sample": lambda: F.grid_sample(image, X(2, 2, 2, 2)),
    "an MLP": lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))(a).sum(),
})
def last(name):
    return name.rsplit("::", 1)[-1]
def shown(t):
    if isinstance(t, (list, tuple)):
        return [shown(item) for item in t]
    if not isinstance(t, torch.Tensor):
        return repr(t)
    return [list(t.shape), str(t.dtype).split(".")[1], t.requires_grad, t.is_leaf, isinstance(t, nn.Parameter), t.grad_fn and last(t.grad_fn.name())]
"""

SEEN: dict[str, str] = {
    "whole trees of nodes": CALLS + """
def tree(node, known):
    if node is None or node in known:
        return known.get(node)
    known[node] = len(known)
    return [last(node.name()), [[tree(n, known), i] for n, i in node.next_functions]]
result = {name: tree(f().grad_fn, {}) for name, f in calls.items()}
""",
    "saved values": CALLS + """
result = {}
for name, f in calls.items():
    y = f()
    result[name] = {n: shown(getattr(y.grad_fn, n)) for n in sorted(dir(y.grad_fn)) if n.startswith("_saved_")}
""",
    "what hooks are given": CALLS + """
result = {}
for name, f in calls.items():
    given = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (given.append(shown(t)), t)[1], lambda t: t):
        y = f()
    y.sum().abs().backward()
    result[name] = given
""",
    "gradients through hooks are the same": CALLS + """
result = []
for name, f in calls.items():
    torch.manual_seed(1)
    plain = f()
    torch.manual_seed(1)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        packed = f()
    for x in (a, b, m, v, w, bias, image, box):
        both = [torch.autograd.grad(y.abs().sum(), x, allow_unused=True, retain_graph=True)[0] for y in (plain, packed)]
        if (both[0] is None) != (both[1] is None) or both[0] is not None and not torch.allclose(both[0], both[1], rtol=1e-4, atol=1e-5):
            result.append(name)
""",
    "hooks of one saved tensor": """
result = []
def run(make, name, pack=lambda t: t * 10, unpack=lambda t: t + 1):
    def program():
        x = leaf(2.0, 3.0)
        y = make(x)
        getattr(y.grad_fn, name).register_hooks(pack, unpack)
        y.sum().backward()
        result.append(seen(x.grad))
        getattr(y.grad_fn, name).register_hooks(pack, unpack)
    result.append(error_of(program))
run(lambda x: x.pow(2), "_raw_saved_self")
run(lambda x: x.exp(), "_raw_saved_result")
run(lambda x: x * torch.ones(2, dtype=F64), "_raw_saved_self")
x = leaf(2.0, 3.0)
y = x.pow(2)
y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
result.append(error_of(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)))
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0] ** 2
y = Cube.apply(x)
(kept,) = y.grad_fn._raw_saved_tensors
kept.register_hooks(lambda t: t, lambda t: t * 10)
result += [seen(torch.autograd.grad(y.sum(), x, retain_graph=True)[0]), error_of(lambda: kept.register_hooks(lambda t: t, lambda t: t))]
""",
    "saved values at the end": """
x = leaf(2.0, 3.0)
y, z = x.pow(2), x.exp()
result = [x is y.grad_fn._saved_self, z is z.grad_fn._saved_result, z.grad_fn._saved_result.grad_fn is z.grad_fn, y.grad_fn._saved_exponent]
y.sum().backward()
result += [error_of(lambda: y.grad_fn._saved_self), y.grad_fn._saved_exponent]
a = x * 1
w = a.pow(2)
a.add_(1)
result.append(error_of(lambda: w.grad_fn._saved_self).split("inplace operation")[0])
result += [hasattr(w.grad_fn, "_saved_other"), hasattr(w.grad_fn, "saved_tensors"), hasattr(w.grad_fn, "variable")]
""",
    "edges made from nodes": """
graph = torch.autograd.graph
x = leaf(1.0, 2.0)
y = x.exp()
z = (y * y).sum()
result = [seen(torch.autograd.grad(z, graph.GradientEdge(y.grad_fn, 0), retain_graph=True)[0]),
          seen(torch.autograd.grad(z, graph.GradientEdge(*z.grad_fn.next_functions[0]), retain_graph=True)[0]),
          [[list(d.shape), str(d.dtype), str(d.device)] for d in y.grad_fn._input_metadata]]
torch.autograd.backward(graph.GradientEdge(z.grad_fn, 0))
result.append(seen(x.grad))
""",
    "nodes are called": """
x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
g = torch.ones(2, dtype=F64)
result = [seen(x.exp().grad_fn(g)), [seen(t) for t in (x * w).grad_fn(g)], [t is None for t in (x * g).grad_fn(g)]]
""",
    "hooks of a node of linear": """
layer = torch.nn.Linear(3, 2, dtype=F64)
x = torch.ones(4, 3, dtype=F64, requires_grad=True)
y = layer(x)
f = y.grad_fn
shapes = lambda gs: [None if g is None else list(g.shape) for g in gs]
f.register_hook(lambda made, given: log.append([shapes(made), shapes(given)]))
f.register_hook(lambda made, given: (made[0] * 10, made[1], made[2] * 100))
y.sum().backward()
result = [log, seen(layer.bias.grad), seen(layer.weight.grad), f.next_functions[0][0].variable is layer.bias,
          f.next_functions[2][0].next_functions[0][0].variable is layer.weight, f.next_functions[2][0] is f.next_functions[2][0]]
""",
    "what is counted for a block": """
nn = torch.nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1, self.conv2, self.bn2 = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x
        return self.relu(out)
result = []
for make, x in ((Block, torch.ones(2, 4, 5, 5, requires_grad=True)), (lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4), nn.LayerNorm(4)), torch.ones(2, 3, 4, requires_grad=True)),
                (lambda: nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)), torch.ones(2, 4, 5, 5))):
    module, count = make(), [0, 0, 0]
    def pack(t):
        count[0] += 1
        count[1] += t.numel()
        count[2] += isinstance(t, nn.Parameter)
        return t
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        out = module(x)
    out.sum().backward()
    result.append(count)
""",
    "hooks whose tensors refer to their node are garbage": """
x = leaf(1.0, 2.0)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    y = x.exp().sigmoid()
gone = weakref.ref(y)
del y
gc.collect()
result = gone() is None
""",
    "what is computed for hooks alone": """
F = torch.nn.functional
x = (torch.arange(24, dtype=F64) * 7 % 11 / 5 - 1).view(2, 3, 2, 2).requires_grad_()
rows, target = x.view(2, 12)[:, :3], torch.tensor([2, 1])
weight = torch.tensor([0.5, 2.0, 1.5], dtype=F64)
calls = [lambda: F.batch_norm(x, None, None, training=True), lambda: F.batch_norm(x, torch.zeros(3, dtype=F64), torch.ones(3, dtype=F64), training=False),
         lambda: F.layer_norm(x, (2, 2)), lambda: F.group_norm(x, 3), lambda: F.max_pool2d(x, 2), lambda: F.logsigmoid(x), lambda: F.nll_loss(rows, target),
         lambda: F.nll_loss(rows, target, weight), lambda: F.nll_loss(rows, target, ignore_index=1), lambda: F.nll_loss(rows, target, weight, reduction="sum")]
result = []
for f in calls:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append([list(t.shape), seen(t)]), t.clone())[1], lambda t: t):
        y = f()
    names = [n for n in dir(y.grad_fn) if n in ("_saved_result1", "_saved_result2", "_saved_total_weight", "_saved_buffer")]
    result.append([list(log), [[n, seen(getattr(y.grad_fn, n))] for n in sorted(names)], seen(torch.autograd.grad((y * y).sum(), x)[0])])
    log.clear()
""",
    "a drawing of the tape": """
nn = torch.nn
def walk(node, known):
    if node is None or node in known:
        return []
    known.add(node)
    kept = []
    for name in sorted(dir(node)):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            kept.append([name, list(value.shape) if torch.is_tensor(value) else [list(t.shape) if torch.is_tensor(t) else t for t in value] if isinstance(value, tuple) else str(value)])
    leaf_size = [list(node.variable.shape)] if hasattr(node, "variable") else []
    return [[type(node).__name__, kept, leaf_size]] + [part for n, _ in node.next_functions for part in walk(n, known)]
mlp = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(16, 2))
result = [walk(mlp(torch.ones(1, 8, requires_grad=True)).mean().grad_fn, set()), walk(nn.functional.cross_entropy(net(torch.ones(2, 3, 6, 6)), torch.tensor([0, 1])).grad_fn, set())]
""",
    "saved values of linear": """
layer, x = torch.nn.Linear(3, 2, dtype=F64), torch.arange(24, dtype=F64).view(2, 4, 3).requires_grad_()
f = layer(x[0].detach().requires_grad_()).grad_fn
result = [bool((f._saved_mat2 == layer.weight.t()).all()), list(f._saved_mat2.stride()), f._saved_mat2.requires_grad, type(f._saved_mat2.grad_fn).__name__, f._saved_alpha, f._saved_mat1_sym_sizes]
y = layer(x)
inner = y.grad_fn.next_functions[0][0]
result += [seen(inner._saved_mat1), bool((inner._saved_mat2 == layer.weight.t()).all()), inner._saved_mat1.requires_grad]
y.sum().backward()
result.append(str(error_of(lambda: inner._saved_mat1)).split(" Saved")[0])
layer.weight.requires_grad_(False)
f = layer(torch.ones(4, 3, dtype=F64)).grad_fn
result += [f._saved_mat1 is None, f._saved_mat2 is None, [n is None for n, _ in f.next_functions]]
""",
    "hooks that keep the tensor itself": """
x = leaf(1.0, 2.0)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = (x * 2).exp()
    z = torch.nn.functional.linear(x.view(1, 2), torch.ones(3, 2, dtype=F64).requires_grad_()).relu()
    (y.sum() + z.sum()).backward()
result = seen(x.grad)
""",
}
