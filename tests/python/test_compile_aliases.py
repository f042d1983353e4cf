"""torch.compile beside the function itself: gradients, inputs that are written, results that share memory with inputs, and captures of sixteen threads at once."""

from __future__ import annotations

import copy
import threading

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import _C, fx, nn
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")


# --- What shares memory with what.


def views(x):
    return x[1:], x.t(), x.reshape(-1), x.detach(), x, x * 2


def one_of_two(x, y):
    if x.sum() > 0:
        return x[0], y
    return y[-1:], x


def in_containers(x):
    row = x[0]
    return {"row": row, "again": (row, [x, row])}, row.view(-1, 1)


def written_before(x):
    y = x[:, 1:]
    y += 1
    x[0] = 5.0
    return y, x.sum()


def written_after(x):
    y = x.view(-1)
    z = y.clone()
    x.mul_(2)
    return y, z, y[0:1]


def grown_in_place(x):
    x.unsqueeze_(0)
    return x, x.shape


def transposed_in_place(x):
    y = x.t_()
    return y, y[0]


def exchanged(x, y):
    x[:], y[:] = y.clone(), x.clone()
    return y, x


def split_parts(x):
    a, b = x.split(1, 1)[:2]
    a.add_(b)
    return a, b, x.unbind(0)[0]


def by_a_loop(x):
    rows = []
    for k in range(x.shape[0]):
        x[k] += k
        rows.append(x[k])
    return rows


def no_alias(x):
    return x.contiguous().clone(), x.float().abs(), torch.cat([x]), x[[0]], x.flip(0)


def maybe_alias(x):
    return x.contiguous(), x.float(), x.to(torch.float32), x.expand(2, *x.shape), x.reshape(x.shape)


def after_a_print(x):
    y = x[0]
    print(end="")
    y += 1
    return y, x.t()


def of_a_result(x):
    y = x * 2
    return y, y[0], y.t()


def through_real(x):
    y = x.narrow(0, 0, 1).squeeze(0)
    y.zero_()
    return x.diagonal(), y


def out_argument(x):
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    torch.neg(x, out=x)
    return y, x


ALIASES = [views, one_of_two, in_containers, written_before, written_after, grown_in_place, transposed_in_place, exchanged, split_parts, by_a_loop, no_alias, maybe_alias, after_a_print, of_a_result, through_real, out_argument]  # fmt: skip


def layout(tensors):
    """Which of the tensors begin where in whose memory, and which are one object."""
    found = []
    for k, t in enumerate(tensors):
        base = next(j for j, other in enumerate(tensors) if other.untyped_storage().data_ptr() == t.untyped_storage().data_ptr())
        same = next(j for j, other in enumerate(tensors) if other is t)
        found.append((k, base, same, t.storage_offset(), tuple(t.stride()), tuple(t.shape), str(t.dtype), t.tolist()))
    return found


def picture(f, inputs):
    """What a call leaves behind, and what writes to its results and inputs do then."""
    result = f(*inputs)
    tensors = [*inputs, *(t for t in torch._tree.leaves_of(result) if isinstance(t, torch.Tensor))]
    before = layout(tensors)
    for k, t in enumerate(tensors):
        if t.numel() and 0 not in t.stride():
            t.add_(100.0 * (k + 1))
    return before, layout(tensors), [v for v in torch._tree.leaves_of(result) if not isinstance(v, torch.Tensor)]


@pytest.mark.parametrize("backend", ["monograph", "eager"])
@pytest.mark.parametrize("f", ALIASES, ids=lambda f: f.__name__)
def test_results_share_memory_as_without(f, backend):
    g = torch.compile(f, backend=backend)
    count = f.__code__.co_argcount
    for n, m, sign in ((2, 3, 1), (3, 4, -1), (2, 3, -1), (4, 2, 1), (1, 2, 1)):
        inputs = [sign * (torch.arange(float(n * m)).reshape(n, m) + 1 + k) for k in range(count)]
        assert picture(g, [t.clone() for t in inputs]) == picture(f, [t.clone() for t in inputs])
        if f is written_after:
            continue  # `view` refuses the inputs below
        parts = [[torch.cat([t, t], 1)[:, : t.shape[1]] for t in inputs] for _ in range(2)]  # columns of something wider
        assert picture(g, parts[0]) == picture(f, parts[1])


def test_two_inputs_of_one_memory():
    def f(x, y):
        x.add_(1)
        return y * 2, y[:1]

    g = torch.compile(f)
    for make in (lambda z: (z, z), lambda z: (z[:2], z[1:3]), lambda z: (z[:2], z[2:4]), lambda z: (z, z[1:]), lambda z: (z[::2], z[1::2])):
        pictures = []
        for called in (g, f):
            z = torch.arange(6.0)
            pictures.append((picture(called, list(make(z))), z.tolist()))
        assert pictures[0] == pictures[1]


# --- Gradients.


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x  # not the derivative, so that it shows who is asked


def product(x, y):
    return (x * y).sum() + x.prod()


def branch(x, y):
    return (x * 2 if x.sum() > 0 else y * y).sum()


def loop(x, y):
    for k in range(x.shape[0]):
        x = torch.tanh(x * y + k)
    return x.mean()


def until(x, y):
    while x.norm() < 4:
        x = x * 1.5 + y * 0.1
    return x.sum()


def detached(x, y):
    return (x.detach() * y + x * y.detach()).sum()


def partly_without(x, y):
    with torch.no_grad():
        scale = (x * y).abs().mean() + 1
    return (x / scale + y).sum()


def written(x, y):
    z = x * 1
    z[0] = y[0] * 2
    z.mul_(y)
    return z.sum()


def input_written(x, y):
    x = x * 1
    x *= 2
    x += y
    return (x * x).sum()


def own_function(x, y):
    return Twice.apply(x).sum() + y.sum()


def norms(x, y):
    return F.layer_norm(x, x.shape[-1:], y[0]).pow(3).sum() + F.softmax(x, -1).max()


def gather(x, y):
    return x[x.argsort(0), torch.arange(x.shape[1])].cumsum(0).sum() * y.amax()


def unused(x, y):
    return x.exp().sum()


def printed(x, y):
    z = x * y
    print(end="")
    return z.sin().sum()


def several(x, y):
    return x * y, x + 1, (y * 2).detach()


def view_of_input(x, y):
    return x[0], y.t()


GRADIENTS = [product, branch, loop, until, detached, partly_without, written, input_written, own_function, norms, gather, unused, printed, several, view_of_input]  # fmt: skip


def gradients(f, inputs, needs, twice):
    inputs = [t.clone().requires_grad_(need) for t, need in zip(inputs, needs, strict=True)]
    results = f(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    flags = [(r.requires_grad, r.is_leaf) for r in results]
    live = [r for r in results if r.requires_grad]
    found = []
    if live:
        wanted = [t for t in inputs if t.requires_grad]
        total = sum((r * r.detach().cos()).sum() for r in live)
        first = torch.autograd.grad(total, wanted, allow_unused=True, create_graph=twice)
        found.append(first)
        used = [g for g in first if g is not None and g.requires_grad]
        if twice and used:
            found.append(torch.autograd.grad(sum(g.pow(2).sum() for g in used), wanted, allow_unused=True))
    return [r.detach() for r in results], flags, found


@pytest.mark.parametrize("f", GRADIENTS, ids=lambda f: f.__name__)
def test_gradients_are_those_without(f):
    g = torch.compile(f)
    for n, sign, needs in ((2, 1, (True, True)), (3, -1, (True, False)), (2, -1, (False, True)), (4, 1, (True, True)), (3, 1, (False, False))):
        inputs = [sign * (torch.arange(3.0 * n).reshape(n, 3).sin() + 1.5 + k) for k in range(2)]
        for twice in (False, True):
            ours, theirs = gradients(g, inputs, needs, twice), gradients(f, inputs, needs, twice)
            assert ours[1] == theirs[1]
            for a, b in zip(torch._tree.leaves_of([ours[0], ours[2]]), torch._tree.leaves_of([theirs[0], theirs[2]]), strict=True):
                assert (a is None) == (b is None) and (a is None or torch.allclose(a, b, rtol=1e-5, atol=1e-6))


@pytest.mark.parametrize("f", [product, branch, loop, written, norms, printed], ids=lambda f: f.__name__)
def test_gradients_add_up_and_hooks_run(f):
    def run(called):
        torch.manual_seed(0)
        x, y = (torch.randn(3, 3).requires_grad_() for _ in range(2))
        seen = []
        x.register_hook(lambda grad: seen.append(grad.sum().item()))
        y.register_hook(lambda grad: grad * 2)
        for _ in range(3):
            called(x, y).backward()
        with torch.no_grad():
            quiet = called(x, y)
        return [x.grad, y.grad, quiet], seen, quiet.requires_grad

    ours, theirs = run(torch.compile(f)), run(f)
    assert all(torch.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(ours[0], theirs[0], strict=True) if b is not None)
    assert [a is None for a in ours[0]] == [b is None for b in theirs[0]]
    assert ours[1] == pytest.approx(theirs[1], abs=1e-6) and ours[2] == theirs[2]


def one_way(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            z = x * y
        else:
            z = x * 2
    else:
        z = y * 5
    return z.sum()


def rounds(x, y):
    z = x
    while z.abs().sum() < 10:
        z = z * 2
    for _ in range(x.shape[0]):
        if z.sum() > 100:
            z = z + y
    return z.sum()


@pytest.mark.parametrize("f", [one_way, rounds], ids=lambda f: f.__name__)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("other", [1.0, -1.0])
def test_hooks_of_inputs_are_called_as_without(f, sign, other):
    """From the first call on: those of an input that only an untaken branch uses are not called, and the others once."""

    def run(called):
        seen = []
        for k, (a, b) in enumerate([(sign, other), (-sign, other), (sign, -other), (sign, other)]):
            x, y = torch.full((2, 2), a, requires_grad=True), torch.full((2, 2), b, requires_grad=True)
            for name, t in (("x", x), ("y", y)):
                t.register_hook(lambda grad, k=k, name=name: seen.append((k, name, None if grad is None else grad.tolist())))
            called(x, y).backward()
            seen.append([None if t.grad is None else t.grad.tolist() for t in (x, y)])
        return seen

    assert run(torch.compile(f)) == run(f)


def test_a_written_leaf_is_refused_as_without():
    def f(x):
        x.add_(1)
        return x * 2

    for called in (f, torch.compile(f)):
        with pytest.raises(RuntimeError, match="leaf"):
            called(torch.ones(2, requires_grad=True))
        x = torch.ones(2, requires_grad=True)
        y = x * 3
        called(y).sum().backward()
        assert x.grad.tolist() == [6.0, 6.0] and y.tolist() == [4.0, 4.0]


def test_parameters_that_are_frozen_between_calls():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    same = copy.deepcopy(model)
    g = torch.compile(model)
    for frozen in ((), (0,), (0, 2), (2,), ()):
        for m in (model, same):
            m.zero_grad(set_to_none=True)
            for k in (0, 2):
                m[k].requires_grad_(k not in frozen)
        x = torch.randn(5, 3)
        ours, theirs = g(x), same(x)
        assert torch.allclose(ours, theirs) and ours.requires_grad == theirs.requires_grad
        if ours.requires_grad:
            ours.square().sum().backward()
            theirs.square().sum().backward()
        for a, b in zip(model.parameters(), same.parameters(), strict=True):
            assert (a.grad is None) == (b.grad is None) and (a.grad is None or torch.allclose(a.grad, b.grad, rtol=1e-4, atol=1e-6))


# --- Threads.


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.line, self.norm = nn.Linear(3, 3), nn.LayerNorm(3)

    def forward(self, x):
        return self.norm(self.line(x)) + self.line.bias.sum() * x.shape[0]


def kept(x):
    total = torch.zeros(3)
    for row in x:
        if row.sum() > 0:
            total = total + row
        else:
            total = total - row * 2
    return total


def by_shape(x):
    return torch.cat([x[k : k + 1] * k for k in range(x.shape[0])] + [x])


def test_sixteen_threads_capture_every_way():
    """Trace, symbolic trace, script and compile, of one module that all share, and of functions of each thread's own."""
    model = Net().eval()

    def all_texts():
        found = []
        for f in (model, kept, by_shape):
            x = torch.ones(2, 3)
            trace, symbolic = torch.jit.trace(f, (x,), check_trace=False), fx.symbolic_trace(f)
            found += [str(trace.graph), trace.graph.hash(), trace.code, symbolic.code, symbolic.graph.hash()]
            for own in (lambda x, f=f: f(x) + 1, f):
                g = torch.compile(own, backend="interpreter")
                found += [g(torch.full((n, 3), -1.0)).tolist() for n in (2, 4, 1)]
                found += [str(e["graph"]) for e in _C._compiled_entries(compiled_of(g))]
        found.append(torch.jit.script(kept).graph.hash())
        return found

    alone, found, start = all_texts(), [], threading.Barrier(16)

    def work():
        start.wait()
        for _ in range(3):
            found.append(all_texts())

    threads = [threading.Thread(target=work) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 48 and all(texts == alone for texts in found)


def test_sixteen_threads_call_one_compiled_module_while_it_is_captured():
    model = Net().eval()
    same = copy.deepcopy(model)
    g = torch.compile(model)
    wrong, start = [], threading.Barrier(16)

    def work(k):
        start.wait()
        for n in range(1, 20):
            x = torch.full((n + k % 3, 3), float(k))
            if not torch.allclose(g(x), same(x)):
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(_C._compiled_entries(compiled_of(g))) <= 2
