"""Programs about gradients whose observations Monograph and PyTorch share: each leaves them in `result`.

tests/python/test_autograd_programs.py runs them here against what PyTorch 2.13 gave (tests/data/autograd/programs.json, written by
tools/oracle/freeze_autograd.py), and in `./dev test --oracle` in PyTorch."""

from __future__ import annotations

from saved_programs import SEEN

PRELUDE = """
import gc, warnings, weakref
from typing import Any

log = []
F64 = torch.float64

def leaf(*values):
    return torch.tensor(values, dtype=F64).requires_grad_()

def seen(t):
    return None if t is None else [round(v, 9) for v in t.detach().reshape(-1).tolist()]

def each(ts):
    return [seen(t) for t in ts]

def error_of(f):
    try:
        f()
    except Exception as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0]
    return None

def note(name, returns=None):
    def hook(*given):
        log.append([name] + [each(g) if isinstance(g, tuple) else seen(g) for g in given])
        return returns(*given) if returns else None
    return hook
"""

NODES: dict[str, str] = {
    "one node for several results": """
result = []
x = leaf(3.0, 1.0, 2.0, 5.0)
for name, call in {
    "std_mean": lambda x: torch.std_mean(x), "std_mean.dim": lambda x: torch.std_mean(x, 0), "std_mean.correction": lambda x: torch.std_mean(x, correction=0),
    "var_mean": lambda x: torch.var_mean(x), "var_mean.dim": lambda x: torch.var_mean(x, 0), "aminmax": lambda x: torch.aminmax(x),
    "aminmax.dim": lambda x: torch.aminmax(x, dim=0),
}.items():
    a, b = call(x * 1)
    result.append([name, a.grad_fn is b.grad_fn, a.grad_fn.name(), type(a.grad_fn).__name__, a.output_nr, b.output_nr, a.grad_fn.next_functions[0][0].name()])
for name, call in {"kthvalue": lambda x: torch.kthvalue(x, 2), "cummax": lambda x: x.cummax(0), "sort": lambda x: x.sort(), "topk": lambda x: x.topk(2)}.items():
    result.append([name, call(x * 1)[0].grad_fn.name()])
""",
    "gradients of several results": """
result = []
x = leaf(3.0, 1.0, 2.0, 5.0, 5.0, -2.0)
for shape in ((6,), (2, 3), (3, 2)):
    for call in (
        lambda x: torch.std_mean(x), lambda x: torch.std_mean(x, 0), lambda x: torch.std_mean(x, -1, correction=0, keepdim=True), lambda x: torch.var_mean(x),
        lambda x: torch.var_mean(x, (0,), correction=2), lambda x: torch.aminmax(x), lambda x: torch.aminmax(x, dim=0), lambda x: torch.aminmax(x, dim=-1, keepdim=True),
    ):
        for used in ((0,), (1,), (0, 1)):
            results = call(x.view(shape))
            total = sum(((k + 2) * results[k] ** 2).sum() for k in used)
            (first,) = torch.autograd.grad(total, x, create_graph=True)
            (second,) = torch.autograd.grad((first * first).sum(), x)
            result.append([seen(first), seen(second)])
""",
    "gradients of too few elements": """
result = []
for values in ((2.0,), (2.0, 2.0)):
    for call in (torch.std_mean, torch.var_mean):
        for k in (0, 1):
            x = leaf(*values)
            call(x)[k].backward()
            result.append([str(v) for v in x.grad.tolist()])
""",
    "the selected element": """
result = []
x = leaf(3.0, 1.0, 2.0, 5.0, 4.0, -2.0)
for call in (
    lambda x: x.kthvalue(2), lambda x: x.kthvalue(1, 0, True), lambda x: x.median(1), lambda x: x.median(0, keepdim=True), lambda x: x.nanmedian(1),
    lambda x: x.nanmedian(-1, keepdim=True),
):
    values, places = call(x.view(2, 3))
    (g,) = torch.autograd.grad((values ** 2).sum(), x, create_graph=True)
    result.append([seen(g), seen(torch.autograd.grad((g * g).sum(), x)[0]), places.tolist()])
result.append(seen(torch.autograd.grad((x[0] * 3).kthvalue(1)[0], x)[0]))
""",
    "hooks of two results of one node": """
x = leaf(3.0, 1.0, 2.0)
y = x * 2
spread, mean = torch.std_mean(y)
mean.register_hook(note("mean")); spread.register_hook(note("spread")); y.register_hook(note("y")); x.register_hook(note("x"))
spread.grad_fn.register_prehook(note("before")); spread.grad_fn.register_hook(note("after"))
(spread * 3 + mean).backward(retain_graph=True)
mean.backward()
result = log
""",
    "what hooks of nodes get and give": """
result = []
two = torch.ones(2, dtype=F64)
for returned in (None, (two * 7,), (two * 7, None), [two * 7, None], two, (two.float(), None), (1, None), (None, two), 5):
    del log[:]
    x = leaf(1.0, 2.0)
    y = x * 2
    y.grad_fn.register_hook(note("after", lambda *g: returned))
    result.append([error_of(lambda: y.sum().backward()), list(log), seen(x.grad)])
for returned in (None, (two * 7,), (two * 7, None), [two * 7], two, (two.float(),), (1,), (None,), 5):
    del log[:]
    x = leaf(1.0, 2.0)
    y = x * 2
    y.grad_fn.register_prehook(note("before", lambda *g: returned))
    result.append([error_of(lambda: y.sum().backward()), list(log), seen(x.grad)])
for returned in (None, two * 3, two.float(), 5, (two,)):
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: returned)
    result.append([error_of(lambda: y.sum().backward()), seen(x.grad)])
""",
    "the order of hooks": """
x = leaf(1.0, 2.0)
y = x * 3
accumulation = y.grad_fn.next_functions[0][0]
for place, t in (("y", y), ("x", x)):
    t.register_hook(note(place))
for place, node in (("y", y.grad_fn), ("x", accumulation)):
    node.register_hook(note("after " + place)); node.register_prehook(note("before " + place)); node.register_hook(note("after again " + place))
x.register_post_accumulate_grad_hook(lambda leaf: log.append(["accumulated", seen(leaf.grad), leaf is x, torch.is_grad_enabled()]))
y.register_hook(note("y again")); x.register_hook(note("x again"))
y.sum().backward()
result = log
""",
    "hooks that replace, in order": """
x = leaf(1.0, 2.0)
y = x * 3
y.register_hook(note("tensor", lambda g: g + 1))
y.grad_fn.register_prehook(note("before", lambda g: (g[0] * 10,)))
y.grad_fn.register_hook(note("after", lambda gi, go: (gi[0] + 100, gi[1])))
y.grad_fn.register_hook(note("after again", lambda gi, go: (gi[0] * 2, None)))
y.sum().backward()
result = [log, seen(x.grad)]
""",
    "which hooks autograd.grad runs": """
result = []
for wanted in ("x", "y", "xy"):
    del log[:]
    x = leaf(1.0, 2.0)
    y = x * 3
    accumulation = y.grad_fn.next_functions[0][0]
    y.grad_fn.register_prehook(note("before y")); y.grad_fn.register_hook(note("after y"))
    accumulation.register_prehook(note("before x")); accumulation.register_hook(note("after x"))
    x.register_post_accumulate_grad_hook(lambda leaf: log.append("accumulated")); x.register_hook(note("x")); y.register_hook(note("y"))
    given = torch.autograd.grad(y.sum(), [dict(x=x, y=y)[n] for n in wanted])
    result.append([each(given), list(log)])
del log[:]
y = x * 3
y.sum().backward(inputs=[x])
result.append(list(log))
""",
    "hooks that are removed": """
x = leaf(1.0)
y = x * 3
handles = [y.grad_fn.register_hook(note("after")), y.grad_fn.register_prehook(note("before")), x.register_post_accumulate_grad_hook(lambda t: log.append("leaf"))]
y.backward(retain_graph=True)
for h in handles: h.remove()
for h in handles: h.remove()
y.backward(retain_graph=True)
with y.grad_fn.register_hook(note("inside")):
    y.backward(retain_graph=True)
y.backward()
result = log
""",
    "hooks after accumulation": """
x = leaf(1.0, 2.0)
def step(p):
    log.append(seen(p.grad))
    p.grad = None
handle = x.register_post_accumulate_grad_hook(step)
for _ in range(2): (x * 3).sum().backward()
result = [
    log, seen(x.grad), error_of(lambda: (x * 2).register_post_accumulate_grad_hook(step)), error_of(lambda: torch.ones(2).register_post_accumulate_grad_hook(step)),
]
handle.remove()
(x * 3).sum().backward()
result.append(seen(x.grad))
x.register_post_accumulate_grad_hook(lambda p: 3)
result.append(error_of(lambda: (x * 3).sum().backward()))
with torch.no_grad():
    x.mul_(10)
result.append(seen(x))
""",
    "what a node knows": """
x = leaf(1.0, 2.0)
y = x * x
z = y.exp()
node = z.grad_fn
accumulation = y.grad_fn.next_functions[0][0]
node.metadata["mine"] = 5
result = [
    node.name(), type(node).__name__, repr(node).split(" object")[0], node is z.grad_fn, [(n is y.grad_fn, k) for n, k in node.next_functions],
    [(n is accumulation, k) for n, k in y.grad_fn.next_functions], accumulation.name(), type(accumulation).__name__, accumulation.variable is x,
    accumulation.next_functions, z.grad_fn.metadata, accumulation.metadata, isinstance(node, torch.autograd.graph.Node),
    isinstance(accumulation, torch.autograd.graph.Node), x.grad_fn,
    error_of(lambda: setattr(node, "foo", 1)).split(":")[0], hasattr(node, "variable"),
]
""",
    "edges of arguments without a gradient": """
x, w = leaf(1.0, 2.0), torch.ones(2, dtype=F64)
img = torch.ones(1, 1, 4, 4, dtype=F64).requires_grad_()
def edges(t):
    return [None if n is None else n.name() for n, k in t.grad_fn.next_functions]
result = [
    edges(x * 2), edges(x * w), edges(w * x), edges(x + 1), edges(1 + x), edges(x - w), edges(x / 2), edges(x ** 2), edges(torch.cat([x, w])),
    edges(torch.where(x > 0, x, w)), edges(x.exp()), edges(x.sum()), edges(torch.addcmul(x, w, w)), edges(torch.maximum(x, w)),
]
""",
    "metadata dies with its node": """
x = leaf(1.0)
class Thing: pass
def run():
    y = x * 2
    thing = Thing()
    y.grad_fn.metadata["thing"] = thing
    y.grad_fn.register_hook(lambda gi, go, y_fn=None: thing)
    return weakref.ref(thing)
ref = run()
gc.collect()
result = ref() is None
""",
}

FUNCTION = """
F = torch.autograd.Function
class Scale(F):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        log.append(["forward", ctx.needs_input_grad, torch.is_grad_enabled(), x.requires_grad])
        return x * x * factor
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        log.append(["backward", ctx.needs_input_grad, torch.is_grad_enabled(), ctx.factor])
        return 2 * ctx.factor * x * g, None

def function(forward, backward=None, **more):
    members = dict(forward=staticmethod(forward), **{k: staticmethod(v) for k, v in more.items()})
    if backward: members["backward"] = staticmethod(backward)
    return type("Mine", (F,), members)
"""

FUNCTIONS: dict[str, str] = {
    "a function and its node": """
x = leaf(1.0, 2.0)
y = Scale.apply(x, 3)
node = y.grad_fn
result = [
    seen(y), node.name(), type(node).__name__, repr(node).split(" object")[0], each(node.saved_tensors), node.factor, node.needs_input_grad, y.output_nr, y.is_leaf,
    [(n.name(), k) for n, k in node.next_functions], node.saved_tensors[0] is x, isinstance(node, torch.autograd.graph.Node), node is y.grad_fn, y.requires_grad,
]
y.sum().backward()
result += [seen(x.grad), log, error_of(lambda: node.saved_tensors), error_of(lambda: y.sum().backward())]
""",
    "where no gradient is wanted": """
x = leaf(1.0, 2.0)
a = Scale.apply(x.detach(), 3)
with torch.no_grad():
    b = Scale.apply(x, 3)
result = [a.requires_grad, a.grad_fn, b.requires_grad, b.grad_fn, log]
""",
    "a gradient of a gradient of a function": """
x = leaf(1.0, 2.0)
y = Scale.apply(x, 3)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(second,) = torch.autograd.grad((first * first).sum(), x, create_graph=True)
(third,) = torch.autograd.grad(second.sum(), x)
result = [seen(first), seen(second), seen(third), log]
""",
    "a saved result": """
def forward(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y, None, x)
    return y
def backward(ctx, g):
    y, nothing, x = ctx.saved_tensors
    log.append([y.grad_fn is None, nothing is None, y.requires_grad])
    return g * y
Mine = function(forward, backward)
x = leaf(0.0, 1.0)
y = Mine.apply(x * 1)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, retain_graph=True)
result = [seen(first), seen(second), log, y.grad_fn.saved_tensors[0].grad_fn is y.grad_fn]
ref = weakref.ref(y.grad_fn)
del y, first, second
gc.collect()
result.append(ref() is None)
""",
    "several arguments and results": """
def forward(ctx, a, text, b, c=None):
    ctx.save_for_backward(a, b)
    return a * b, text, a + b, (a * 2).long()
def backward(ctx, ga, gt, gb, gl):
    a, b = ctx.saved_tensors
    log.append([seen(ga), None if gt is None else "zeros", seen(gb), None if gl is None else str(gl.dtype)])
    return ga * b + gb, None, ga * a + gb, None
Mine = function(forward, backward)
a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
p, text, s, l = Mine.apply(a, "text", b)
result = [text, p.grad_fn is s.grad_fn, p.output_nr, s.output_nr, l.requires_grad, str(l.dtype)]
(p.sum() * 2).backward(retain_graph=True)
result += [seen(a.grad), seen(b.grad)]
(p.sum() + s.sum()).backward()
result += [seen(a.grad), seen(b.grad), log]
""",
    "gradients that are not there": """
result = []
for materialize in (True, False):
    def forward(ctx, a):
        ctx.set_materialize_grads(materialize)
        return a * 2, a * 3
    def backward(ctx, g, h):
        log.append([seen(g), seen(h)])
        return (g if g is not None else 0) * 2 + (h if h is not None else 0) * 3
    Mine = function(forward, backward)
    x = leaf(1.0, 2.0)
    p, q = Mine.apply(x)
    q.sum().backward()
    result.append(seen(x.grad))
result.append(log)
""",
    "what backward may return": """
result = []
two = torch.ones(2, dtype=F64)
for returned in (
    two, (two,), (two, None), (two, None, None), (two, two), (None, None), None, (None,), (3, None), (torch.ones(3, dtype=F64), None), (two.float(), None),
    (torch.ones(3, 2, dtype=F64), None), (torch.ones(1, dtype=F64), None), [two, None], (), (two, 5),
):
    Mine = function(lambda ctx, x, k: x * k, lambda ctx, g: returned)
    x = leaf(1.0, 2.0)
    result.append([error_of(lambda: Mine.apply(x, 2).sum().backward()), seen(x.grad)])
""",
    "what forward may return": """
result = []
for returned in (None, 5, "text", (), (None,), [torch.ones(1)], {}):
    Mine = function(lambda ctx, x: returned, lambda ctx, *g: None)
    result.append(error_of(lambda: Mine.apply(leaf(1.0))))
Mine = function(lambda ctx, x: (x * 2, None, 5, [x]), lambda ctx, *g: g[0] * 2)
y = Mine.apply(leaf(1.0))
result += [y[1], y[2], type(y[3]).__name__, len(y)]
y[0].backward()
""",
    "setup_context": """
def forward(x, k=2, *, scale=1):
    return x * k, x + k
def setup_context(ctx, inputs, output):
    log.append([len(inputs), inputs[1], isinstance(output, tuple), output[0].requires_grad, torch.is_grad_enabled()])
    ctx.save_for_backward(inputs[0], output[0])
    ctx.k = inputs[1]
def backward(ctx, g, h):
    x, y = ctx.saved_tensors
    return g * ctx.k + h + 0 * x, None
Mine = type("Mine", (F,), dict(forward=staticmethod(lambda x, k=2: (x * k, x + k)), setup_context=staticmethod(setup_context), backward=staticmethod(backward)))
x = leaf(1.0, 2.0)
result = []
for y in (Mine.apply(x), Mine.apply(x, 5), Mine.apply(x, k=7)):
    x.grad = None
    (y[0] + y[1]).sum().backward()
    result.append(seen(x.grad))
result.append(log)
result.append(error_of(lambda: Mine.apply()))
""",
    "in place": """
result = []
def forward(ctx, x):
    x.mul_(3)
    ctx.mark_dirty(x)
    return x
Mine = function(forward, lambda ctx, g: g * 3)
x = leaf(1.0, 2.0)
y = x * 1
z = Mine.apply(y)
result += [z is y, seen(y), y.grad_fn.name(), y._version]
(y * 2).sum().backward()
result.append(seen(x.grad))
x = leaf(1.0, 2.0, 3.0)
base = x * 1
part = base[1:]
Mine.apply(part)
(base * base).sum().backward()
result += [seen(base), seen(x.grad), base.grad_fn.name()]
result.append(error_of(lambda: Mine.apply(leaf(1.0))))
result.append(error_of(lambda: function(lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2), x * 1)[2], lambda ctx, g: g).apply(leaf(1.0) * 1)))
result.append(error_of(lambda: function(lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2), (x, x * 1))[2], lambda ctx, g, h: g).apply((leaf(1.0, 2.0) * 1)[:1])).split(" You can ask")[0])
plain = torch.ones(2, dtype=F64)
result += [Mine.apply(plain) is plain, seen(plain)]
""",
    "results without a gradient": """
def forward(ctx, x):
    a, b = x * 2, x * 3
    ctx.mark_non_differentiable(b)
    return a, b
def backward(ctx, g, h):
    log.append([seen(g), seen(h)])
    return g * 2
Mine = function(forward, backward)
x = leaf(1.0, 2.0)
a, b = Mine.apply(x)
(a * b).sum().backward()
result = [a.requires_grad, b.requires_grad, b.grad_fn, seen(x.grad), log]
""",
    "an argument that is a result": """
result = []
Mine = function(lambda ctx, x: x, lambda ctx, g: g * 5)
x = leaf(1.0, 2.0)
y = Mine.apply(x)
result += [y is x, y.grad_fn.name(), seen(y), error_of(lambda: y.mul_(2))]
y.sum().backward()
result.append(seen(x.grad))
plain = torch.ones(2)
result += [Mine.apply(plain) is plain, Mine.apply(plain).requires_grad]
Mine = function(lambda ctx, x: x.view(1, 2), lambda ctx, g: g.view(2) * 5)
x = leaf(1.0, 2.0)
y = Mine.apply(x * 1)
result += [error_of(lambda: y.add_(1)), y._is_view()]
y.sum().backward()
result.append(seen(x.grad))
z = x * 1
y = Mine.apply(z)
z.mul_(2)
result.append(error_of(lambda: y * 2))
""",
    "writes to saved tensors": """
x = leaf(1.0, 2.0)
y = x * 1
z = Scale.apply(y, 3)
with torch.no_grad():
    y.mul_(2)
result = [error_of(lambda: z.sum().backward()).split(":")[1].split(" operation")[0]]
""",
    "what cannot be": """
result = [
    error_of(lambda: F().__call__(leaf(1.0))), error_of(lambda: F.apply(leaf(1.0))), error_of(lambda: function(lambda ctx, x: x * 1).apply(leaf(1.0)).backward()),
    error_of(lambda: function(lambda ctx, x: (ctx.save_for_backward(x, 5), x * 1)[1], lambda ctx, g: g).apply(leaf(1.0))),
    error_of(lambda: function(lambda ctx, x: (ctx.mark_dirty(5), x * 1)[1], lambda ctx, g: g).apply(leaf(1.0))).split(" argument")[0],
    error_of(lambda: function(lambda ctx, x: (ctx.mark_non_differentiable(5), x * 1)[1], lambda ctx, g: g).apply(leaf(1.0))).split(" got")[0],
    error_of(lambda: function(lambda ctx, x: x * 1, lambda ctx, g: g, vjp=lambda ctx, g: g).apply(leaf(1.0)).backward()),
    error_of(lambda: function(lambda ctx, x: 1 / 0, lambda ctx, g: g).apply(leaf(1.0))),
    error_of(lambda: function(lambda ctx, x: x * 1, lambda ctx, g: 1 / 0).apply(leaf(1.0)).backward()),
]
x = leaf(3.0)
function(lambda ctx, x: x * 1, vjp=lambda ctx, g: g * 7).apply(x).backward()
result.append(seen(x.grad))
""",
    "once_differentiable": """
once = torch.autograd.function.once_differentiable
def forward(ctx, x):
    ctx.save_for_backward(x)
    return x * x
def backward(ctx, g):
    log.append(torch.is_grad_enabled())
    return ctx.saved_tensors[0] * 2 * g
Mine = function(forward, once(backward))
x = leaf(1.0, 2.0)
Mine.apply(x).sum().backward()
result = [seen(x.grad)]
(first,) = torch.autograd.grad((Mine.apply(x) * x).sum(), x, create_graph=True)
result += [seen(first), first.requires_grad, error_of(lambda: first.sum().backward()), log]
""",
    "hooks of a function's node": """
x = leaf(1.0, 2.0)
y = Scale.apply(x, 3)
del log[:]
y.register_hook(note("y")); y.grad_fn.register_prehook(note("before")); y.grad_fn.register_hook(note("after")); y.grad_fn.metadata["k"] = 1
y.sum().backward()
result = [log, y.grad_fn.metadata]
""",
    "functions inside of functions": """
def forward(ctx, x):
    with torch.enable_grad():
        inner = x.detach().requires_grad_()
        y = Scale.apply(inner, 2)
    ctx.pair = inner, y
    return y.detach()
def backward(ctx, g):
    inner, y = ctx.pair
    return torch.autograd.grad(y, inner, g)[0]
Mine = function(forward, backward)
x = leaf(1.0, 2.0)
Mine.apply(Mine.apply(x)).sum().backward()
result = seen(x.grad)
""",
    "a straight-through estimator": """
Round = function(lambda ctx, x: x.round(), lambda ctx, g: g)
Reverse = function(lambda ctx, x, k: (setattr(ctx, "k", k), x.view_as(x))[1], lambda ctx, g: (g.neg() * ctx.k, None))
x = leaf(1.2, 2.7)
(Round.apply(x) * Reverse.apply(x, 0.5)).sum().backward()
result = seen(x.grad)
""",
    "what a function keeps alive": """
class Thing: pass
def run():
    def forward(ctx, x):
        ctx.thing = Thing()
        refs.append(weakref.ref(ctx.thing))
        return x * 2
    x = leaf(1.0)
    y = function(forward, lambda ctx, g: g).apply(x)
    alive = refs[0]() is not None
    fn = y.grad_fn
    del y
    return alive
refs = []
result = [run()]
gc.collect()
result.append(refs[0]() is None)
""",
}

SAVED: dict[str, str] = {
    "saved-tensor hooks give the gradient": """
x = leaf(0.5, 2.0)
kept = []
def pack(t):
    kept.append(seen(t))
    return len(kept), t.clone()
def unpack(p):
    log.append(p[0])
    return p[1]
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (x * x).exp()
result = [sorted(kept), seen(torch.autograd.grad(y.sum(), x, retain_graph=True)[0]), len(log)]
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
result.append(seen(torch.autograd.grad(first.sum(), x)[0]))
""",
    "saved-tensor hooks change the gradient": """
x = leaf(0.5, 2.0)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
    y = x * x
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 100):
        z = x.exp()
    w = x.sin()
y.sum().backward(); a = seen(x.grad); x.grad = None
z.sum().backward(); b = seen(x.grad); x.grad = None
w.sum().backward()
result = [a, b, seen(x.grad)]
""",
    "saved-tensor hooks of a function": """
def forward(ctx, x):
    y = x * x
    ctx.save_for_backward(x, y)
    return y
def backward(ctx, g):
    x, y = ctx.saved_tensors
    return g * (x + y)
Mine = type("Mine", (torch.autograd.Function,), dict(forward=staticmethod(forward), backward=staticmethod(backward)))
x = leaf(1.0, 2.0)
with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(seen(t)), t.requires_grad, t)[2], lambda t: t * 10):
    y = Mine.apply(x)
y.sum().backward()
result = [log, seen(x.grad)]
""",
    "errors of saved-tensor hooks": """
result = []
hooks = torch.autograd.graph.saved_tensors_hooks
def run(pack, unpack):
    def program():
        x = leaf(1.0, 2.0)
        with hooks(pack, unpack):
            y = x * x
        y.sum().backward()
    result.append(error_of(program).split(" as this can")[0])
run(lambda t: t, lambda t: 5)
run(lambda t: t.mul_(2), lambda t: t)
run(lambda t: 1 / 0, lambda t: t)
run(lambda t: t, lambda t: 1 / 0)
def disabled():
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        with hooks(lambda t: t, lambda t: t):
            pass
result.append(error_of(disabled))
x = leaf(1.0, 2.0)
with torch.autograd.graph.save_on_cpu():
    y = (x * x * x).sum()
y.backward()
result.append(seen(x.grad))
with hooks(lambda t: t, lambda t: t):
    y = x.exp().sum()
y.backward()
result.append(error_of(lambda: y.backward()))
""",
}

TOOLS: dict[str, str] = {
    "products with Jacobians and Hessians": """
fn = torch.autograd.functional
cube, pair, two = (lambda x: (x ** 3).sum()), (lambda x, y: (x * y, x.sum() + y)), (lambda x, y: (x ** 2 * y).sum())
x, y = torch.tensor([1.0, 2.0], dtype=F64), torch.tensor([3.0, 5.0], dtype=F64)
def flat(v):
    return [flat(t) for t in v] if isinstance(v, tuple) else [list(v.shape), seen(v), v.requires_grad]
result = [
    flat(fn.jacobian(lambda x: x.exp(), x)), flat(fn.jacobian(pair, (x, y))), flat(fn.jacobian(lambda x: (x, x * 2), x)), flat(fn.jacobian(two, (x, y))),
    flat(fn.jacobian(lambda x: x.view(2, 1) * x, x)), flat(fn.hessian(cube, x)), flat(fn.hessian(two, (x, y))), flat(fn.vjp(pair, (x, y), (x, y))),
    flat(fn.vjp(cube, x)), flat(fn.jvp(pair, (x, y), (x, y))), flat(fn.jvp(lambda x: x.sin(), x, y)), flat(fn.vhp(cube, x, y)), flat(fn.hvp(cube, x, y)),
    flat(fn.vhp(two, (x, y), (y, x))), flat(fn.hvp(two, (x, y), (y, x))), flat(fn.hvp(lambda x: x.sum(), x, y)), flat(fn.jvp(lambda x: x * 0 + 1, x, y)),
]
x.requires_grad_()
for call in (lambda: fn.jacobian(lambda x: x.exp(), x, create_graph=True), lambda: fn.vjp(cube, x, create_graph=True)[1], lambda: fn.hessian(cube, x, create_graph=True),
             lambda: fn.hvp(cube, x, y, create_graph=True)[1], lambda: fn.vhp(cube, x, y, create_graph=True)[1], lambda: fn.jvp(lambda x: x ** 3, x, y, create_graph=True)[1]):
    found = call()
    result.append([flat(found), seen(torch.autograd.grad(found.sum(), x)[0])])
""",
    "errors of products with Jacobians": """
fn = torch.autograd.functional
x, y = torch.tensor([1.0, 2.0], dtype=F64), torch.tensor([3.0, 5.0], dtype=F64)
result = [error_of(f) for f in (
    lambda: fn.jacobian(lambda x: 5, x), lambda: fn.jacobian(lambda x: x, 5), lambda: fn.jacobian(lambda x: x, (x, 5)), lambda: fn.vjp(lambda x: x, x),
    lambda: fn.vjp(lambda x: x, x, (x, y)), lambda: fn.vjp(lambda x: (x, x), x, (x, y[:1])), lambda: fn.vjp(lambda x: x, x, y[:1]), lambda: fn.jvp(lambda x: x, x),
    lambda: fn.jvp(lambda x: x, x, (x, y)), lambda: fn.jvp(lambda x, y: x, (x, y), (x,)), lambda: fn.hessian(lambda x: x, x), lambda: fn.hessian(lambda x: (x.sum(), x.sum()), x),
    lambda: fn.vhp(lambda x: x, x, y), lambda: fn.hvp(lambda x: (x, x), x, y), lambda: fn.hvp(lambda x: x.sum(), x),
    lambda: fn.jacobian(lambda x: x.detach(), x, strict=True), lambda: fn.jacobian(lambda x, y: x * 1, (x, y), strict=True),
    lambda: fn.jacobian(lambda x: x * 2, x, strict=True, create_graph=True), lambda: fn.vjp(lambda x, y: x.sum(), (x, y), strict=True),
    lambda: fn.jvp(lambda x, y: x.sum(), (x, y), (x, y), strict=True), lambda: fn.vhp(lambda x: x.sum(), x, y, strict=True),
    lambda: fn.hvp(lambda x: x.sum(), x, y, strict=True), lambda: fn.hessian(lambda x: x.sum(), x, strict=True), lambda: fn.hessian(lambda x, y: (x ** 2).sum(), (x, y), strict=True),
    lambda: fn.vjp(lambda x: x.detach(), x, y, strict=True), lambda: fn.vhp(lambda x, y: (x ** 2).sum() + y.sum(), (x, y), (x, y), strict=True),
    lambda: fn.jacobian(lambda x: x, x, strategy="sideways"),
)]
""",
    "gradcheck": """
check, again = torch.autograd.gradcheck, torch.autograd.gradgradcheck
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * 3
class Constant(Wrong):
    @staticmethod
    def backward(ctx, g):
        return torch.full_like(g, 2)
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0].detach()
x, y = leaf(0.5, 2.0), leaf(1.5, -1.0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    result = [
        check(torch.sin, (x,)), check(lambda a, b: (a * b, a.exp()), (x, y)), check(torch.sin, x), check(lambda a, k: a * k, (x, 3)), again(lambda a, b: a * b * a, (x, y)),
        check(Wrong.apply, (x,), raise_exception=False), check(lambda x: (x * 0).detach(), (x,)), check(torch.std_mean, (x,)), again(torch.std_mean, (x,)),
        check(torch.aminmax, (x,)), again(lambda x: x.exp(), (x,), (leaf(1.0, 2.0),)),
        error_of(lambda: check(Wrong.apply, (x,))), error_of(lambda: check(torch.sin, (torch.ones(2, dtype=F64),))), error_of(lambda: check(Half.apply, (x,))),
        error_of(lambda: again(Half.apply, (x,))), error_of(lambda: check(lambda x: x.detach(), (x,))), error_of(lambda: check(torch.sin, (leaf(1.0).expand(3),))),
        error_of(lambda: check(torch.sin, (torch.ones(2, requires_grad=True),), raise_exception=True) and None).split(" for")[0],
    ]
    try:
        check(Wrong.apply, (x,))
    except RuntimeError as error:
        text = str(error).splitlines()
        result += [type(error).__name__, text[0], text[1].split("(")[0], [line.split("(")[0] for line in text if line.startswith("analytical")]]
""",
    "anomaly mode": """
def caught(f):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        error = error_of(f)
    return [error, [str(w.message).splitlines()[0].split(" (Triggered")[0] for w in found]]
def nan(x):
    return torch.sqrt(x - 5).sum()
def run(**options):
    with torch.autograd.detect_anomaly(**options):
        nan(leaf(1.0)).backward()
def outside():
    y = nan(leaf(1.0))
    with torch.autograd.set_detect_anomaly(True):
        y.backward()
def fine():
    with torch.autograd.set_detect_anomaly(True):
        (leaf(1.0) * 2).sum().backward()
def off():
    nan(leaf(1.0)).backward()
result = [caught(run), caught(lambda: run(check_nan=False)), caught(outside), caught(fine), caught(off), torch.is_anomaly_enabled() if hasattr(torch, "is_anomaly_enabled") else False]
""",
    "hooks on several tensors": """
result = []
a, b, c = leaf(1.0), leaf(2.0), leaf(3.0)
multi = torch.autograd.graph.register_multi_grad_hook
handle = multi((a, b, c), lambda grads: log.append(each(grads)))
(a * b + c).backward()
(a * 2).backward()
(b * 5 + a).backward()
handle.remove()
(a * b + c).backward()
result.append(list(log)); del log[:]
handle = multi((a, b), lambda g: log.append(seen(g)), mode="any")
(a * b).backward()
(b * 3).backward()
result.append(list(log))
result.append(error_of(lambda: multi((a,), print, mode="some")))
""",
    "functional_call": """
call = torch.func.functional_call
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 2, dtype=F64), torch.nn.Linear(2, 2, dtype=F64)
        self.second.weight = self.first.weight
        self.register_buffer("shift", torch.ones(2, dtype=F64))
    def forward(self, x, scale=1):
        return self.second(self.first(x)) * scale + self.shift
net = Net()
with torch.no_grad():
    for p in net.parameters(): p.fill_(0.5)
x, w, b = torch.tensor([[1.0, 2.0]], dtype=F64), leaf(1.0, 2.0, 3.0, 4.0).detach().view(2, 2).requires_grad_(), leaf(1.0, -1.0)
def out(*args, **kwargs):
    return seen(call(net, *args, **kwargs))
result = [
    out({"first.weight": w}, x), out({"first.weight": w}, x, tie_weights=False), out({"first.bias": b, "shift": b}, (x,), {"scale": 3}), out([{"first.bias": b}, {"shift": b}], x),
    seen(net(x)), str(error_of(lambda: call(net, {"first.weight": w, "second.weight": w * 2}, x))).split(":")[0], error_of(lambda: call(net, [{"shift": b}, {"shift": b}], x)),
    str(error_of(lambda: call(net, {"shift": b}, x, strict=True))).split(":")[0], error_of(lambda: call(net, 5, x)), error_of(lambda: call(net, [5], x)),
    str(error_of(lambda: call(net, {"other": b}, x))).split(":")[0], seen(net(x)),
]
g = torch.autograd.grad(call(net, {"first.weight": w}, x).sum(), w)[0]
result += [seen(g), sorted(net.state_dict())]
""",
    "edges and versions": """
graph = torch.autograd.graph
x = leaf(1.0, 2.0)
y = x * 2
e, of_leaf = graph.get_gradient_edge(y), graph.get_gradient_edge(x)
result = [e.node is y.grad_fn, e.output_nr, of_leaf.node.name(), of_leaf.node.variable is x, error_of(lambda: graph.get_gradient_edge(torch.ones(1)))]
before = x._version
graph.increment_version(x)
graph.increment_version([x, x])
result.append(x._version - before)
""",
}

PROGRAMS: dict[str, str] = {
    **NODES, **{name: FUNCTION + program for name, program in FUNCTIONS.items()}, **SAVED, **TOOLS, **SEEN,
}  # fmt: skip
