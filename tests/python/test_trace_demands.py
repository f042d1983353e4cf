"""What a traced function may ask of its tensors: recorded, guarded or refused, never frozen in silence."""

from __future__ import annotations

import io

import monograph as torch
import monograph.nn as nn
import numpy as np
import pytest

ones = torch.ones


def agrees(program, example, *others):
    graph = torch.jit.trace(program, example)
    for x in (example, *others):
        assert torch.equal(graph(x), program(x)), (program, tuple(x.shape))


def test_data_is_the_same_memory_without_history():
    agrees(lambda x: x.data * 2, ones(2), ones(2) * 5)
    agrees(lambda x: (x + 0).data.add_(1) * 3, ones(2), ones(2) * 5)


@pytest.mark.parametrize("taken", [lambda x: x.numpy(), np.asarray, np.array, lambda x: torch.from_dlpack(x)], ids=["numpy", "asarray", "array", "dlpack"])
def test_values_are_not_taken_in_bulk(taken):
    with pytest.raises(RuntimeError, match=r"needs the values of a tensor while the function is captured(.|\n)*test_trace_demands.py"):
        torch.jit.trace(lambda x: x * float(taken(x).sum()), ones(2))


def test_the_layout_is_recorded():
    agrees(lambda x: x * x.stride(0), ones(1, 2), ones(1, 3))
    agrees(lambda x: x * sum(x.stride()), ones(1, 2), ones(4, 3))
    agrees(lambda x: x.sum() * x.nbytes, ones(2), ones(3))
    agrees(lambda x: x[1:] * x[1:].storage_offset(), ones(2, 2), ones(2, 3))


def test_a_branch_on_the_layout_is_guarded():
    graph = torch.jit.trace(lambda x: x if x.is_contiguous() else -x, ones(2, 2), control_flow="guard")
    assert torch.equal(graph(ones(3, 3)), ones(3, 3))
    with pytest.raises(RuntimeError, match="is_contiguous"):
        graph(torch.arange(4.0).view(2, 2).t())


def test_a_rank_that_sizes_decide():
    agrees(lambda x: x * x.squeeze().dim(), ones(1, 3), ones(2, 3))
    agrees(lambda x: x * x.squeeze().ndim, ones(1, 3), ones(2, 3))
    graph = torch.jit.trace(lambda x: x if x.squeeze().dim() == 1 else -x, ones(1, 3), control_flow="guard")
    with pytest.raises(RuntimeError, match="captured where"):
        graph(ones(2, 3))
    assert not torch.jit.trace(lambda x: x * x.dim(), ones(1, 3)).graph.guards


def test_a_caught_error_is_a_branch():
    def program(x):
        try:
            return x @ x
        except RuntimeError:
            return x * 0

    with pytest.raises(RuntimeError, match=r"an operator raised while the function was captured(.|\n)*aten::matmul"):
        torch.jit.trace(program, ones(2, 3))
    agrees(program, ones(2, 2), ones(3, 3))


def test_gradients_switched_off_inside():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(ones(2))

        def forward(self, x):
            with torch.no_grad():
                gate = (x * self.w).sigmoid()
            return ((x * self.w) * gate).sum()

    model, x = Gated(), ones(2) * 3
    (expected,) = torch.autograd.grad(model(x), model.w)
    (found,) = torch.autograd.grad(torch.jit.trace(model, x)(x), model.w)
    assert torch.equal(found, expected)


def test_a_backward_pass_inside_keeps_the_interpreter_locked():
    w = ones(2, requires_grad=True)

    def program(x):
        (slope,) = torch.autograd.grad((x * x * w).sum(), w)
        return slope + x

    graph = torch.jit.trace(program, ones(2), check_trace=False)
    assert torch.equal(graph(ones(2) * 3), program(ones(2) * 3))


def test_powers_of_sizes():
    agrees(lambda x: x * x.size(-1) ** -0.5, ones(2, 4), ones(2, 9))
    agrees(lambda x: x * x.size(-1) ** 2, ones(2, 4), ones(2, 9))
    agrees(lambda x: x * 2 ** x.size(-1), ones(2, 4), ones(2, 9))
    agrees(lambda x: x * x.size(-1) ** -1, ones(2, 4), ones(2, 5))


def test_pieces_of_a_size_that_is_computed():
    agrees(lambda x: x.split(x.shape[1] // 2, 1)[0], ones(2, 4), ones(2, 6))
    with pytest.raises(RuntimeError, match="captured where"):  # another number of pieces
        torch.jit.trace(lambda x: sum(p.sum() for p in x.split(2)), ones(4))(ones(6))


def test_sizes_that_no_memory_has():
    for make in (torch.zeros, torch.rand, torch.arange, torch.randperm, ones(1).new_zeros, torch.empty):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            make(2**62)


def test_a_hook_gives_a_gradient_of_the_same_size():
    for wrong, error in ((lambda g: "a", TypeError), (lambda g: g[:1], RuntimeError), (lambda g: g.double(), RuntimeError)):
        x = ones(2, requires_grad=True)
        x.register_hook(wrong)
        with pytest.raises(error, match="hook"):
            (x * 2).sum().backward()


@pytest.mark.parametrize(
    "body, problem",
    [
        ("  %a = prim::Loop(3, True)\n  return (%a)", "has one block, not 0"),
        ("  %a = prim::If(True)\n  return (%x)", "has two blocks, not 0"),
        ("  %r = prim::Loop(3, True, %x)\n    block0(%i : int):\n      -> (True)\n  return (%r)", "2 are expected"),
    ],
)
def test_a_file_s_graph_is_verified(tmp_path, body, problem):
    path = tmp_path / "bad.txt"
    path.write_text(f"graph(%x : Tensor):\n{body}\n")
    with pytest.raises(OSError, match=problem):
        torch.load_graph(path)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        self.steps = self.steps + 1
        return x * 2


@pytest.mark.parametrize("how", ["trace", "symbolic", "auto"])
def test_another_tensor_for_a_buffer_is_refused(how):
    with pytest.raises((RuntimeError, ValueError), match=r"self.steps is a tensor of the module(.|\n)*self.steps = self.steps \+ 1(.|\n)*copy_"):
        torch.capture(Counting(), ones(2), how=how)


def test_a_symbolic_trace_keeps_no_grad_and_refuses_seeds():
    def program(x):
        with torch.no_grad():
            gate = x.sigmoid()
        return x * gate

    x = ones(2, requires_grad=True)
    for captured in (torch.fx.symbolic_trace(program), torch.capture(program, ones(2))):
        assert torch.equal(*(torch.autograd.grad(f(x).sum(), x)[0] for f in (program, captured)))
    with torch.no_grad():
        assert torch.fx.symbolic_trace(program)(ones(2)).shape == (2,)
    with pytest.raises(RuntimeError, match="manual_seed"):
        torch.fx.symbolic_trace(lambda x: (torch.manual_seed(0), torch.rand(2) + x)[1])


def test_requires_grad_is_guarded_and_data_is_not_assigned():
    def program(x):
        return x + 1 if x.requires_grad else x * 3

    for wants in (False, True):
        x, other = ones(3).requires_grad_(wants), ones(3).requires_grad_(not wants)
        traced = torch.jit.trace(program, x, control_flow="guard")
        assert len(traced.graph.guards) == 1 and traced(x).tolist() == program(x).tolist()
        with pytest.raises(RuntimeError, match="x.requires_grad"):
            traced(other)

    def assigns(x):
        y = x * 1
        y.data = y * 2
        return y

    with pytest.raises(RuntimeError, match="is not recorded by a capture"):
        torch.jit.trace(assigns, ones(2))


def test_a_gradient_goes_through_an_operator_made_of_others():
    """What it computes inside becomes nodes where the backward pass needs it."""
    w = ones(3).requires_grad_()

    def program(x):
        return torch.autograd.grad((nn.functional.layer_norm(x * w, (3,)) ** 3).sum(), w)[0]

    traced = torch.jit.trace(program, torch.randn(2, 3))
    for n in (1, 2, 5):
        x = torch.randn(n, 3)
        assert torch.equal(traced(x), program(x))


def test_a_gradient_through_random_numbers_drawn_inside_reads_the_same_draw():
    w = ones(3).requires_grad_()

    def program(x):
        return torch.autograd.grad((nn.functional.dropout(x * w, 0.5) ** 3).sum(), w)[0]

    traced = torch.jit.trace(program, torch.randn(2, 3), check_trace=False)
    for n in (2, 1, 5):
        x = torch.randn(n, 3)
        torch.manual_seed(n)
        expected = program(x)
        torch.manual_seed(n)
        assert torch.equal(traced(x), expected)


def test_questions_about_dtypes_are_answered_while_it_is_traced():
    def f(x, y):
        kind = torch.promote_types(torch.float16, x.dtype)
        assert torch.can_cast(kind, torch.float64) is True
        limit = torch.as_tensor(4.0, dtype=kind)
        return x.to(torch.result_type(x, y)) * limit

    traced = torch.jit.trace(f, (torch.ones(2, dtype=torch.int32), torch.ones(2)))
    assert not traced.graph.guards
    for x, y in ((torch.arange(3, dtype=torch.int32), torch.ones(3)), (torch.ones(2, dtype=torch.float64), torch.ones(2))):
        assert torch.equal(traced(x, y), f(x, y)) and traced(x, y).dtype == f(x, y).dtype


MEMORY = [
    lambda x: x * float(x.storage()[0]), lambda x: x * x.untyped_storage().nbytes(), lambda x: x * len(x.untyped_storage()), lambda x: x * float((x + 1).storage()[0]),
    lambda x: x * (2 if x._is_view() else 3), lambda x: x * (2 if x.untyped_storage().data_ptr() == x.const_data_ptr() else 3),
]  # fmt: skip


@pytest.mark.parametrize("program", MEMORY)
def test_the_memory_of_a_tensor_is_refused_and_torch_compile_is_right(program):
    with pytest.raises(RuntimeError, match=r"each run (of the graph )?would have (that|the answer) of the capture(.|\n)*test_trace_demands.py"):
        torch.jit.trace(program, ones(2))
    with pytest.raises(RuntimeError, match="of the capture"):
        torch.capture(program, ones(2))
    compiled = torch.compile(program)
    for x in (ones(2), ones(2) * 3, ones(3), torch.arange(6.0)[1:4]):
        assert torch.equal(compiled(x), program(x))


def test_a_trace_seeds_as_the_program_does():
    def seeded(x):
        torch.manual_seed(0)
        return x + torch.rand(3)

    def in_a_branch(x):
        if x.sum() > 0:
            torch.default_generator.manual_seed(-1)
            return x + torch.rand(3)
        return x

    for f in (seeded, in_a_branch):
        t = torch.jit.trace(f, (torch.ones(3),))
        file = io.BytesIO()
        torch.jit.save(t, file)
        file.seek(0)
        for g in (t, torch.jit.load(file)):
            for x in (torch.ones(3), -torch.ones(3)):
                assert torch.equal(g(x), f(x)) and torch.equal(g(x), g(x))


def test_a_state_of_the_random_numbers_is_refused():
    def forked(x):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            y = torch.rand(3)
        return x + y

    for _ in range(2):  # also where the state happens to be what it was
        with pytest.raises(RuntimeError, match="the state of the default random generator is set in a function that is captured"):
            torch.jit.trace(forked, (torch.ones(3),))
        torch.manual_seed(0)
        torch.rand(3)


@pytest.mark.parametrize("grad", [True, False])
def test_a_layer_that_is_made_and_trained_inside(grad):
    def trained(x):
        torch.manual_seed(0)
        with torch.enable_grad():
            layer = nn.Linear(3, 2)
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            for _ in range(3):
                optimizer.zero_grad()
                layer(x.detach()).square().mean().backward()
                optimizer.step()
        return tuple(p.detach().clone() for p in layer.parameters())

    with torch.set_grad_enabled(grad):
        t = torch.jit.trace(trained, (ones(2, 3),))
        for n in (2, 4, 1):
            x = torch.randn(n, 3)
            for got, expected in zip(t(x), trained(x), strict=True):
                assert torch.allclose(got, expected, atol=1e-6)


def test_a_leaf_that_no_grad_writes_to_before_the_backward_pass():
    def f(x):
        w = torch.ones(3, requires_grad=True)
        with torch.no_grad():
            w.mul_(2)
        (w * w * x).sum().backward()
        return w.grad * 2

    t = torch.jit.trace(f, (ones(2, 3),))
    x = torch.randn(4, 3)
    assert torch.allclose(t(x), f(x))
