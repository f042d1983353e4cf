"""Hooks of the gradients of nn.Module with several inputs and results, hooks of the older kind, and hooks of registrations: live beside PyTorch."""

from __future__ import annotations

import monograph as torch
import pytest
from beside import TRY, both
from monograph import nn

BEGIN = (
    TRY
    + """
import collections
nn, mod, log = torch.nn, torch.nn.modules.module, []
def show(v):
    if isinstance(v, torch.Tensor): return v.detach().clone()
    return [show(x) for x in v] if isinstance(v, (tuple, list)) else v if v is None else str(v)
def R(*sizes): return torch.ones(*sizes, requires_grad=True)
class F(nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, *a, **k): return self.f(*a, **k)
def of(f, args, hook=lambda gi, go: None, pre=lambda go: None, use=lambda y: y.sum(), kw={}):
    # The warnings and errors of a call and its gradient, what the hooks saw, and the gradients.
    def one():
        m = F(f)
        if hook: m.register_full_backward_hook(lambda m, gi, go: (log.append(['h', type(gi).__name__, show(gi), type(go).__name__, show(go)]), hook(gi, go))[1])
        if pre: m.register_full_backward_pre_hook(lambda m, go: (log.append(['p', type(go).__name__, show(go)]), pre(go))[1])
        use(m(*args, **kw)).backward()
    told = attempt(one)
    return [told, log, [show(a.grad) for a in args if isinstance(a, torch.Tensor) and a.is_leaf]]
def refused(f, multi=False, args=None):
    # Whether an in-place write to what a hooked module gives is refused.
    m = F(lambda a, b: (a * b, b * 2) if multi else a * b)
    m.register_full_backward_hook(lambda m, gi, go: None)
    y = m(R(2), R(2))
    try: f(y[0] if multi else y)
    except RuntimeError as e: return 'is being modified inplace' in str(e)
def old(f, n=2, use=lambda y: y.sum(), register=lambda m, h: m.register_backward_hook(h), change=lambda gi: None, leaf=True):
    m = F(f)
    handle = register(m, lambda m, gi, go: (log.append([type(m).__name__, show(gi), show(go)]), change(gi))[1])
    a = [R(2) for _ in range(n)]
    told = attempt(lambda: use(m(*(a if leaf else [x * 1 for x in a]))).backward())
    handle.remove()
    return [told, log, m._is_full_backward_hook, len(m._backward_hooks), [show(x.grad) for x in a]]
N = collections.namedtuple('N', 'x y')
"""
)
PROGRAMS = {
    "two": "of(lambda a, b: a * b * 2, [R(2), R(2)])",
    "constant last": "of(lambda a, b: a * b, [R(2), torch.ones(2)])",
    "constant first": "of(lambda a, b: a * b, [torch.ones(2), R(2)])",
    "number between": "of(lambda a, n, b: a * n + b, [R(2), 3, R(2)])",
    "index": "of(lambda a, i: a[i], [R(3), torch.tensor([1])])",
    "unused": "of(lambda a, b: a * 2, [R(2), R(2)])",
    "None": "of(lambda a, b: a * 2, [R(2), None])",
    "two results": "of(lambda a, b: (a * 2, b * 3), [R(2), R(2)], use=lambda y: y[0].sum() + y[1].sum())",
    "first result": "of(lambda a, b: (a * 2, b * 3), [R(2), R(2)], use=lambda y: y[0].sum())",
    "second result": "of(lambda a, b: (a * 2, b * 3), [R(2), R(2)], use=lambda y: y[1].sum())",
    "results of kinds": "of(lambda a, b: (a * 2, torch.ones(1), None, 5, torch.ones(1, dtype=torch.long)), [R(2), R(2)], use=lambda y: y[0].sum())",
    "list": "of(lambda a, b: [a * 2, b * 3], [R(2), R(2)], use=lambda y: y[0].sum())",
    "dict": "of(lambda a, b: {'o': a * 2}, [R(2), R(2)], use=lambda y: y['o'].sum())",
    "no result": "of(lambda a, b: None, [R(2), R(2)], use=lambda y: R(1).sum())",
    "nested": "of(lambda a, b: ((a * 2,), 3), [R(2), R(2)], use=lambda y: y[0][0].sum())",
    "no gradient enters": "of(lambda a, b: a * b * R(1), [torch.ones(2), torch.ones(2)])",
    "no inputs": "of(lambda: R(1) * 2, [])",
    "no inputs, empty": "of(lambda: R(1) * 2, [], hook=lambda gi, go: ())",
    "no gradient enters, None": "of(lambda a: a * R(1), [torch.ones(2)], hook=lambda gi, go: (None,))",
    "no gradient enters, one": "of(lambda a: a * R(1), [torch.ones(2)], hook=lambda gi, go: (torch.ones(2),))",
    "keyword": "of(lambda a, b=None: a * b, [R(2)], kw={'b': R(2)})",
    "changes": "of(lambda a, b: a * b, [R(2), R(2)], hook=lambda gi, go: (gi[0] * 2, gi[1] * 5))",
    "changes by a list": "of(lambda a, b: a * b, [R(2), R(2)], hook=lambda gi, go: [gi[0] * 2, gi[1] * 5])",
    "too few": "of(lambda a, b: a * b, [R(2), R(2)], hook=lambda gi, go: (gi[0] * 2,))",
    "None for one": "of(lambda a, b: a * b, [R(2), R(2)], hook=lambda gi, go: (None, gi[1] * 5))",
    "of a constant": "of(lambda a, b: a * b, [R(2), torch.ones(2)], hook=lambda gi, go: (gi[0], torch.ones(2)))",
    "changes before": "of(lambda a, b: a * b, [R(2), R(2)], pre=lambda go: (go[0] * 7,))",
    "too few before": "of(lambda a, b: (a * b, a), [R(1), R(1)], pre=lambda go: (go[0] * 7,), use=lambda y: y[0].sum() + y[1].sum())",
    "only before": "of(lambda a, b: a * b, [R(1), R(1)], hook=None, pre=lambda go: (go[0] * 7,))",
    "only before, no gradient enters": "of(lambda a, b: a * b * R(1), [torch.ones(1)] * 2, hook=None, pre=lambda go: (go[0] * 7,))",
    "only after": "of(lambda a, b: a * b, [R(1), R(1)], pre=None)",
    "one tensor thrice": "of(lambda q, k, v: q * k + v, [R(2)] * 3)",
    "gives its inputs": "of(lambda a, b: (a, b), [R(2), R(2)], use=lambda y: (y[0] * y[1]).sum())",
    "gives one twice": "of(lambda a, b: (a * b,) * 2, [R(2), R(2)], use=lambda y: (y[0] + y[1]).sum())",
    "named tuple": "of(lambda a, b: N(a * 2, b * 2), [R(2), R(2)], use=lambda y: (y.x + y.y).sum())",
    "twice": "of(lambda a, b: a * b, [R(2), R(2)], use=lambda y: (y.sum().backward(retain_graph=True), y.sum())[1])",
    "raises": "of(lambda a, b: a * b, [R(2), R(2)], hook=lambda gi, go: 1 / 0)",
    "gradients of each": """
m = F(lambda a, b: a * b); m.register_full_backward_hook(lambda m, gi, go: log.append([show(gi), show(go)])); a, b = R(2), R(2); y = m(a, b)
result = [torch.autograd.grad(y.sum(), a, retain_graph=True), torch.autograd.grad(y.sum(), b), log]""",
    "second gradient": """
m = F(lambda a, b: a * a * b); m.register_full_backward_hook(lambda m, gi, go: (log.append([show(gi), show(go)]), (gi[0] * 2, gi[1]))[1]); a, b = R(2), R(2)
g = torch.autograd.grad(m(a, b).sum(), (a, b), create_graph=True); g[0].sum().backward(); result = [show(g), log, a.grad, b.grad]""",
    "called twice": "m = F(lambda a, b: a * b); m.register_full_backward_hook(lambda m, gi, go: log.append([show(gi), show(go)])); a, b = R(2), R(2); m(m(a, b), b).sum().backward(); result = [log, a.grad, b.grad]",
    "no_grad": "\nm = F(lambda a, b: a * b); m.register_full_backward_hook(lambda m, gi, go: 1 / 0)\nwith torch.no_grad(): y = m(R(2), R(2))\nresult = [y.requires_grad, y.grad_fn is None]",
    "names": "m = F(lambda a, b: (a * b, b)); m.register_full_backward_hook(print); y = m(R(2), R(2)); result = [[type(t.grad_fn).__name__ for t in y], [t._is_view() for t in y], y[0].grad_fn is y[1].grad_fn, y[0].grad_fn.name()]",
    "in-place": "[refused(lambda y: y.mul_(3)), refused(lambda y: y.mul_(3), True), refused(lambda y: y.view(1, 2).mul_(3)), refused(lambda y: y[0].fill_(3)), refused(lambda y: y.clone().mul_(3))]",
    "in-place in the module": "[of(lambda a: a.relu_(), [R(2) * 1])[0][0][:12], of(lambda a, b: a.mul_(b), [R(2) * 1, R(2)])[0][0][:12]]",
    "order": """
m = F(lambda a: a * 2)
for k in range(4): m.register_full_backward_hook(lambda *a, k=k: log.append(k), prepend=k == 2), m.register_full_backward_pre_hook(lambda *a, k=k: log.append(-k), prepend=k == 2)
m(R(1)).sum().backward(); result = log""",
    "removed": "m = F(lambda a, b: a * b); h = m.register_full_backward_hook(lambda *a: log.append(1)); y = m(R(2), R(2)); h.remove(); y.sum().backward(); result = log",
    "of all modules": """
shapes = lambda gs: [None if g is None else tuple(g.shape) for g in gs]
h = mod.register_module_full_backward_hook(lambda m, gi, go: log.append([type(m).__name__, shapes(gi), shapes(go)]))
try:
    nn.TransformerEncoderLayer(4, 2, 5, dropout=0.0)(R(2, 1, 4)).sum().backward()
    nn.Bilinear(2, 3, 4)(R(1, 2), R(1, 3)).sum().backward()
    x = R(3, 1, 4); nn.MultiheadAttention(4, 2)(x, x, x)[0].sum().backward()
    nn.LSTM(2, 3)(R(4, 1, 2))[0].sum().backward()
    nn.TransformerDecoderLayer(4, 2, 5, dropout=0.0)(R(2, 1, 4), R(2, 1, 4)).sum().backward()
finally: h.remove()
result = log""",
    # the older kind
    "both kinds": "[attempt(lambda: (m.register_backward_hook(print), m.register_full_backward_hook(print))) for m in [nn.ReLU()]] + [attempt(lambda: (m.register_full_backward_hook(print), m.register_backward_hook(print))) for m in [nn.ReLU()]]",
    "older": "old(lambda a, b: a * b)",
    "older, one step": "old(lambda a, b: a * b, leaf=False)",
    "older, two steps": "old(lambda a, b: (a * b) * 2)",
    "older, tuple": "old(lambda a, b: (a * b, b * 2), use=lambda y: y[0].sum())",
    "older, dict": "old(lambda a, b: {'k': 3, 'a': a * b}, use=lambda y: y['a'].sum())",
    "older, no gradient": "old(lambda a: a.detach(), 1, use=lambda y: R(1).sum())",
    "older, changes": "old(lambda a: a.relu(), 1, change=lambda gi: (gi[0] * 2,))",
    "older, other inputs": "m = F(lambda a, n: a * n); m.register_backward_hook(lambda m, gi, go: None); result = attempt(lambda: m(R(2), 3).sum().backward())",
    "older, gone": "\ndef lost():\n    m = F(lambda a: a.relu()); m.register_backward_hook(lambda m, gi, go: None); return m(R(2)).sum()\nresult = attempt(lambda: lost().backward())",
    # hooks after forward that are always called
    "always, one raises": """
def run(first, with_kwargs, value):
    log, m = [], F(lambda a: a * 2)
    def bad(*a): log.append(['bad', show(a[1:])]); 1 / 0
    def good(*a): log.append(['good', show(a[1:])]); return value
    if first: m.register_forward_hook(bad, always_call=True, with_kwargs=with_kwargs)
    for _ in range(2): m.register_forward_hook(good, always_call=True, with_kwargs=with_kwargs)
    if not first: m.register_forward_hook(bad, always_call=True, with_kwargs=with_kwargs)
    return [attempt(lambda: m(torch.ones(1))), log]
result = [run(True, False, None), run(True, True, None), run(False, False, None), run(True, False, 7)]""",
    "always, forward raises": """
m = F(lambda a: 1 / 0); m.register_forward_pre_hook(lambda m, a: (a[0] * 5,))
m.register_forward_hook(lambda m, a, r: (log.append([show(a), show(r)]), 9)[1], always_call=True); m.register_forward_hook(lambda m, a, r: log.append([show(a), show(r)]), always_call=True)
result = [attempt(lambda: m(torch.ones(1))), log]""",
    "always, all raise": """
def bad(*a): raise ValueError('no')
m = F(lambda a: 1 / 0); m.register_forward_hook(bad, always_call=True); h = mod.register_module_forward_hook(bad, always_call=True)
result = attempt(lambda: m(torch.ones(1))); h.remove()""",
    # registrations
    "registrations": """
hs = [getattr(mod, f'register_module_{k}_registration_hook')(lambda m, n, v, k=k: log.append([k, type(m).__name__, n, type(v).__name__])) for k in ('module', 'parameter', 'buffer')]
try:
    net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1)); net.x = nn.ReLU(); net.x = None; net.add_module('y', None); net[1].running_mean = torch.ones(1)
    net.register_parameter('p', None); net.p = nn.Parameter(torch.ones(1)); net.p = None; net.b = nn.Buffer(torch.ones(1))
finally:
    for h in hs: h.remove()
nn.Linear(1, 1); result = log""",
    "registrations change": """
hs = [mod.register_module_parameter_registration_hook(lambda m, n, v: nn.Parameter(v.detach() * 0 + 3)), mod.register_module_module_registration_hook(lambda m, n, v: nn.Tanh()), mod.register_module_buffer_registration_hook(lambda m, n, v: v + 1)]
try: net = nn.Sequential(nn.ReLU()); line = nn.Linear(1, 1); own = nn.Module(); own.register_buffer('b', torch.ones(2)); own.p = nn.Parameter(torch.ones(1))
finally:
    for h in hs: h.remove()
result = [repr(net), line.weight.shape, own.b, own.p]""",
    # a function of the program's own
    "non-differentiable input": """
class I(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args): ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad]); return args
    @staticmethod
    def backward(ctx, *g): return g
a, b = R(2), torch.ones(2); r = I.apply(a, b); r[0].grad_fn.register_hook(lambda gi, go: log.append([show(gi), show(go)]) )
result = [[t.requires_grad for t in r], r[1] is b]; r[0].sum().backward(); result += [log, a.grad]""",
    "view of a view of a function": """
class V(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.view(-1)
    @staticmethod
    def backward(ctx, g): return g * 7
def refuses(f):
    try: f(V.apply(R(2) * 1))
    except RuntimeError as e: return 'created inside a custom Function' in str(e)
result = [refuses(lambda y: y.mul_(3)), refuses(lambda y: y.view(1, 2).mul_(3)), refuses(lambda y: y[0].mul_(3)), refuses(lambda y: y.detach().mul_(3)), refuses(lambda y: (y * 1).mul_(3))]""",
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_backward_hooks_are_pytorchs(oracle, name):
    text = PROGRAMS[name]
    both(oracle, BEGIN + (text if "result =" in text else f"result = {text}"))


def test_a_hook_sees_the_gradients_of_all_inputs_and_results():
    net, seen = nn.Bilinear(2, 3, 4), []
    net.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append([[g.shape for g in grad_input], [g.shape for g in grad_output]]))
    net(torch.ones(1, 2, requires_grad=True), torch.ones(1, 3, requires_grad=True)).sum().backward()
    assert seen == [[[(1, 2), (1, 3)], [(1, 4)]]]


def test_a_captured_call_refuses_hooks_of_several_tensors():
    class Sum(nn.Module):
        def forward(self, a, b):
            return a + b

    net, x = Sum(), torch.ones(1, requires_grad=True)
    net.register_full_backward_hook(lambda *given: None)
    for capture in (torch.capture, torch.jit.trace):
        with pytest.raises(NotImplementedError, match="2 of its inputs have gradients.*tensor.register_hook"):
            capture(lambda a: net(a, a * 2), x)
    with pytest.raises(torch.fx.proxy.TraceError, match='(?s)calls Sum with backward hooks, and a run of the graph would not.*on_change="ignore"'):
        torch.fx.symbolic_trace(lambda a: net(a, a * 2))
    with torch.no_grad():
        assert torch.capture(lambda a: net(a, a * 2), x)(x).tolist() == [3]
    seen = []
    net.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(len(grad_input)))
    torch.compile(lambda a: net(a, a * 2))(x).backward()
    assert seen == [2] and x.grad.tolist() == [3]


def test_a_hook_of_all_modules_has_one_kind():
    program = """
import monograph as torch
mod = torch.nn.modules.module
handle = mod.register_module_backward_hook(lambda *given: None)
try:
    mod.register_module_full_backward_hook(lambda *given: None)
except RuntimeError as error:
    print(error)
"""
    from test_standing_in import python

    run = python("-c", program)
    assert run.stdout == "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them.\n", run.stderr
