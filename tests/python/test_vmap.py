"""torch.vmap, jvp and what is made of them: beside PyTorch, and by loops."""

from __future__ import annotations

import beside
import monograph as torch
import pytest
from monograph.func import functional_call, grad, jacfwd, jacrev, jvp, linearize, stack_module_state, vjp, vmap

PROGRAMS = {
    "a row": "torch.vmap(torch.dot)(x, y)",
    "dims": "torch.vmap(torch.mul, in_dims=(0, 1), out_dims=1)(x, y.t())",
    "a shared argument": "torch.vmap(torch.mv, in_dims=(None, 0))(w, x)",
    "several results": "torch.vmap(lambda a, b: (a + b, {'k': a * 2, 'all': [b, a.sum()]}))(x, y)",
    "out_dims of each": "torch.vmap(lambda a, b: (a + b, a * b), out_dims=(1, 0))(x, y)",
    "one out_dims in a tuple": "torch.vmap(lambda a: a * 2, out_dims=(-1,))(x)",
    "a tree of arguments": "torch.vmap(lambda d, k: d['a'] * d['b'][0] + k, in_dims=({'a': 0, 'b': [1]}, None))({'a': x, 'b': [y.t()]}, 2.0)",
    "nested": "torch.vmap(torch.vmap(torch.mul, in_dims=(None, 0)), in_dims=(0, None))(x[:, 0], y[:, 1])",
    "keywords": "torch.vmap(lambda a, *, k: a * k)(x, k=w.sum())",
    "a constant result": "torch.vmap(lambda a: torch.ones(2))(x)",
    "softmax and sums": "torch.vmap(lambda a: torch.softmax(a, 0) @ w)(x)",
    "gradients of each sample": "torch.vmap(torch.func.grad(lambda p, a, b: ((a @ p - b) ** 2).sum()), in_dims=(None, 0, 0))(w, x, x)",
    "a Jacobian of each sample": "torch.vmap(torch.func.jacrev(lambda a: torch.sin(a) * a.sum()))(x)",
    "a Hessian of each sample": "torch.vmap(torch.func.hessian(lambda a: (a ** 3).sum() * a[0]))(x)",
    "gradient of a mapped function": "torch.func.grad(lambda a: torch.vmap(torch.dot)(a, y).sin().sum())(x)",
    "no samples": "torch.vmap(lambda a: (a.sum(), a * 2), out_dims=(0, 1))(x[:0])",
    "in place on a sample": "[torch.vmap(lambda a: a.add_(1))(z := x.clone()), z]",
    "chunks": "torch.vmap(torch.sum, chunk_size=2)(x)",
    "a layer": "torch.vmap(torch.nn.functional.linear, in_dims=(0, None))(x, w)",
    "convolution": "torch.vmap(lambda k: torch.nn.functional.conv1d(y[None], k[None, :, None].expand(1, 3, 2)))(x[:, :3])",
    "jvp": "torch.func.jvp(lambda a, b: (a * b, a.sum()), (x, y), (y, x))",
    "jvp of a constant": "torch.func.jvp(lambda a: (torch.ones(2), a), (x,), (y,))",
    "jvp with aux": "torch.func.jvp(lambda a: (a.sin(), a + 1), (x,), (y,), has_aux=True)",
    "jvp of a tree": "torch.func.jvp(lambda d: {'s': d['a'] @ d['b'].t()}, ({'a': x, 'b': y},), ({'a': y, 'b': x},))",
    "jvp of jvp": "torch.func.jvp(lambda a: torch.func.jvp(lambda b: b ** 3, (a,), (y,))[1], (x,), (y,))",
    "vjp of jvp": "torch.func.vjp(lambda a: torch.func.jvp(torch.sin, (a,), (y,))[1], x)[1](y)[0]",
    "jacfwd": "torch.func.jacfwd(lambda a: a.sin().sum(0))(x)",
    "jacfwd of two": "torch.func.jacfwd(lambda a, b: a @ b.t(), argnums=(0, 1))(x, y)",
    "mapped jvp": "torch.vmap(lambda a, t: torch.func.jvp(torch.tanh, (a,), (t,))[1])(x, y)",
    "linearize": "[(made := torch.func.linearize(lambda a: a.exp() * y, x))[0], made[1](y), made[1](x)]",
    "batched gradients": "(lambda a: torch.autograd.grad((a ** 2).sum(0), a, torch.eye(4), is_grads_batched=True))(x.clone().requires_grad_())",
    "jacobian": "torch.autograd.functional.jacobian(lambda a: a.sin().sum(0), x, vectorize=True)",
    "jacobian, forward": "torch.autograd.functional.jacobian(lambda a: a.sin().sum(0), x, vectorize=True, strategy='forward-mode')",
    "hessian": "torch.autograd.functional.hessian(lambda a: (a ** 3).sum(), x[0], vectorize=True, outer_jacobian_strategy='forward-mode')",
}
TENSORS = """
x = torch.tensor([[0.5, -1.0, 2.0, 0.25], [1.5, 0.75, -0.5, 1.0], [0.125, 3.0, 1.0, -2.0]])
y = torch.tensor([[1.0, 2.0, -1.0, 0.5], [0.5, 0.25, 4.0, 1.0], [-1.5, 1.0, 0.5, 2.0]])
w = torch.arange(16.0).reshape(4, 4) / 8 - 1
"""


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_beside_pytorch(oracle, name):
    beside.both(oracle, f"{TENSORS}\nresult = {PROGRAMS[name]}\n", rtol=1e-5)


@pytest.mark.oracle
def test_errors_beside_pytorch(oracle):
    calls = [
        "torch.vmap(torch.sin)()", "torch.vmap(torch.sin, in_dims=1.5)(x)", "torch.vmap(torch.sin, in_dims=(0, 0))(x)", "torch.vmap(torch.sin, in_dims=2)(x)",
        "torch.vmap(torch.sin, in_dims=(None,))(x)", "torch.vmap(torch.mul)(x, 2.0)", "torch.vmap(torch.mul)(x, x[:2])", "torch.vmap(lambda a: 3)(x)",
        "torch.vmap(torch.sin, randomness='none')", "torch.vmap(torch.sin, chunk_size=0)", "torch.vmap(lambda a: torch.rand(2) + a.sum())(x)",
        "torch.vmap(torch.sin, in_dims=('a',))(x)", "torch.vmap(lambda a: (a, a), out_dims=(0, 1, 2))(x)", "torch.func.jvp(torch.sin, x, x)",
        "torch.func.jvp(torch.sin, (x,), (x, x))", "torch.func.stack_module_state([])",
        "torch.func.stack_module_state([torch.nn.Linear(2, 2), torch.nn.ReLU()])", "torch.func.jvp(torch.sin, (x,), (x[0],))",
    ]  # fmt: skip
    program = f"{beside.TRY}{TENSORS}\nresult = [(call, attempt(lambda: eval(call))) for call in {calls!r}]"
    ours, theirs = beside.run(program), oracle.run(program)
    for (call, mine), (_, other) in zip(ours, theirs):
        assert mine[0].partition(":")[0] == other[0].partition(":")[0], (call, mine, other)


def test_random_numbers():
    x = torch.zeros(3, 2)
    torch.manual_seed(0)
    different = vmap(lambda a: a + torch.rand(2), randomness="different")(x)
    torch.manual_seed(0)
    same = vmap(lambda a: a + torch.rand(2), randomness="same")(x)
    assert same[0].equal(same[2]) and not different[0].equal(different[1]) and different[0].equal(same[0])
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(torch.nn.functional.dropout)(x)


def test_what_only_calls_for_each_sample_can():
    def f(a):
        return a * 2 if a.sum() > 0 else a - a.max().item()

    x = torch.tensor([[1.0, 2.0], [-3.0, 1.0]])
    assert vmap(f)(x).tolist() == [[2.0, 4.0], [-4.0, 0.0]]
    with pytest.raises(RuntimeError, match="expected results of the same structure and sizes for all samples"):
        vmap(lambda a: a[a > 0])(x)


def test_an_ensemble_and_gradients_of_each_sample():
    torch.manual_seed(0)
    nets = [torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)) for _ in range(3)]
    parameters, buffers = stack_module_state(nets)
    x = torch.randn(5, 3)
    got = vmap(lambda p, b: functional_call(nets[0], (p, b), (x,)))(parameters, buffers)
    assert torch.allclose(got, torch.stack([net(x) for net in nets]))
    got.sum().backward()
    assert parameters["0.weight"].grad.shape == (3, 4, 3)
    own = dict(nets[0].named_parameters())
    each = vmap(grad(lambda p, a: functional_call(nets[0], p, (a,)).sum()), in_dims=(None, 0))(own, x)
    for i in range(5):
        found = torch.autograd.grad(nets[0](x[i]).sum(), list(own.values()))
        assert all(torch.allclose(each[name][i], g) for name, g in zip(own, found))


def test_jvp_against_differences():
    torch.manual_seed(1)
    x, t = torch.randn(4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    for f in (torch.sin, torch.softmax and (lambda a: torch.softmax(a, 0)), lambda a: a.cumsum(0).exp(), lambda a: torch.linalg.norm(a) * a):
        y, moved = jvp(f, (x,), (t,))
        assert torch.allclose(moved, (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6, rtol=1e-6, atol=1e-8)
        assert torch.allclose(linearize(f, x)[1](t), moved) and torch.allclose(jacfwd(f)(x), jacrev(f)(x)) and not moved.requires_grad
        assert torch.allclose((moved * t).sum(), (vjp(f, x)[1](t)[0] * t).sum())


def test_a_mapped_function_is_captured():
    def f(x, y):
        return vmap(torch.dot)(x, y)

    traced = torch.jit.trace(f, (torch.ones(3, 2), torch.ones(3, 2)))
    x = torch.arange(6.0).reshape(3, 2)
    assert traced(x, x).equal(f(x, x))
    with pytest.raises(RuntimeError, match="the graph was captured where"):  # the trace holds the example's number of samples
        traced(torch.ones(4, 2), torch.ones(4, 2))
