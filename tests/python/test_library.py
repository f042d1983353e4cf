"""Operators that a program defines: torch.library's ways, through eager, gradients, captures and the interpreter."""

from __future__ import annotations

import math
import threading
import typing

import monograph as torch
import monograph.library  # noqa: F401
import pytest

lib = torch.library.Library("mine", "DEF")
lib.define("leaky(Tensor self, float slope=0.1) -> Tensor")
lib.impl("leaky", lambda self, slope=0.1: torch.where(self > 0, self, self * slope))
torch.library.register_fake("mine::leaky", lambda self, slope=0.1: torch.empty_like(self))


def _leaky_setup(ctx, inputs, output):
    self, slope = inputs
    ctx.save_for_backward(self)
    ctx.slope = slope


def _leaky_backward(ctx, grad):
    (self,) = ctx.saved_tensors
    return torch.where(self > 0, grad, grad * ctx.slope), None


torch.library.register_autograd("mine::leaky", _leaky_backward, setup_context=_leaky_setup)


@torch.library.custom_op("mine::cube", mutates_args=())
def cube(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """x to the power of 3."""
    return x * x * x * scale


@cube.register_fake
def _(x, scale=1.0):
    return torch.empty_like(x)


def test_it_is_an_operator():
    x = torch.tensor([-2.0, 0.5])
    assert torch.ops.mine.leaky(x).tolist() == pytest.approx([-0.2, 0.5])
    assert torch.ops.mine.leaky(x, slope=0.5).tolist() == [-1.0, 0.5]
    assert cube(x).tolist() == [-8.0, 0.125]
    assert torch.ops.mine.cube(x, 2.0).tolist() == [-16.0, 0.25]
    with pytest.raises(RuntimeError, match="argument 'slope'"):
        torch.ops.mine.leaky(x, "steep")


def test_it_has_a_gradient():
    x = torch.tensor([-2.0, 0.5], requires_grad=True)
    torch.ops.mine.leaky(x, 0.25).sum().backward()
    assert x.grad.tolist() == [0.25, 1.0]
    y = torch.tensor([2.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match="mine::cube"):
        cube(y).sum().backward()


def test_its_sizes_are_known_without_running():
    m = torch.empty(2, 3, device="meta")
    assert torch.ops.mine.leaky(m).shape == (2, 3)
    assert torch.ops.mine.leaky(m).device.type == "meta"


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_it_is_a_node_of_a_capture(how):
    def f(x):
        return cube(torch.ops.mine.leaky(x, 0.5)) + 1

    x = torch.tensor([-2.0, 3.0])
    captured = torch.capture(f, x, how=how)
    text = str(captured.graph)
    assert "mine.leaky" in text or "mine::leaky" in text, text
    assert captured(x).tolist() == f(x).tolist() == [0.0, 28.0]


def test_writes_are_marked():
    @torch.library.custom_op("mine::fill_with", mutates_args=("x",))
    def fill_with(x: torch.Tensor, value: float) -> None:
        x.fill_(value)

    x = torch.zeros(2)
    assert fill_with(x, 3.0) is None
    assert x.tolist() == [3.0, 3.0]


def test_errors():
    with pytest.raises(ValueError, match="reserved namespace"):
        torch.library.Library("aten", "DEF")
    with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY"):
        torch.library.Library("mine", "DEF")
    with pytest.raises(ValueError, match="namespace::name"):
        torch.library.custom_op("plain", mutates_args=())(lambda x: x)
    with pytest.raises(AttributeError, match="mine::leeky"):
        torch.ops.mine.leeky  # noqa: B018
    torch.library.define("mine::empty_one", "(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match="mine::empty_one"):
        torch.ops.mine.empty_one(torch.zeros(1))
    with pytest.raises(ValueError, match="registered already"):
        torch.library.define("mine::empty_one", "(Tensor x) -> Tensor")

    @torch.library.custom_op("mine::raises", mutates_args=())
    def raises(x: torch.Tensor) -> torch.Tensor:
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        raises(torch.zeros(1))


def test_schemas_from_annotations():
    def f(x: torch.Tensor, n: int = 2, *, s: float | None = None, xs: typing.Sequence[torch.Tensor] = ()) -> tuple[torch.Tensor, torch.Tensor]:  # noqa: UP007, E501
        return x, x

    assert torch.library.infer_schema(f, mutates_args=()) == "(Tensor x, SymInt n=2, *, float? s=None, Tensor[] xs=[]) -> (Tensor, Tensor)"
    assert math.isclose(torch.ops.mine.leaky(torch.tensor(-1.0)).item(), -0.1, rel_tol=1e-6)


def test_another_overload_joins_a_name_that_is_in_use():
    more = torch.library.Library("joined", "DEF")
    more.define("f.one(Tensor x) -> Tensor")
    more.impl("f.one", lambda x: x + 1)
    assert torch.ops.joined.f(torch.ones(1)).item() == 2
    more.define("f.two(Tensor x, str word) -> Tensor")
    more.impl("f.two", lambda x, word: x + len(word))
    assert torch.ops.joined.f(torch.ones(1), "abc").item() == 4 and torch.ops.joined.f(torch.ones(1)).item() == 2


def test_a_function_gives_what_its_schema_says():
    @torch.library.custom_op("mine::number", mutates_args=())
    def number(x: torch.Tensor) -> torch.Tensor:
        return 3

    @torch.library.custom_op("mine::pair", mutates_args=())
    def pair(x: torch.Tensor) -> torch.Tensor:
        return x * 2, x * 3

    @torch.library.custom_op("mine::half", mutates_args=())
    def half(x: torch.Tensor) -> int:
        return 0.5

    for function, given in ((number, "int"), (pair, r"tuple of \(Tensor, Tensor\)"), (half, "float")):
        with pytest.raises(TypeError, match=rf"\[mine::\w+\] the function returned {given}, but the schema says"):
            function(torch.ones(2))


def test_a_custom_op_returns_new_memory():
    @torch.library.custom_op("mine::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.library.custom_op("mine::part", mutates_args=())
    def part(x: torch.Tensor) -> torch.Tensor:
        return x[:1]

    @torch.library.custom_op("mine::twice", mutates_args=())
    def twice(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * 2
        return y, y

    for function in (same, part, twice):
        with pytest.raises(RuntimeError, match="shares its memory"):
            function(torch.ones(2))


def test_a_backward_function_gives_a_gradient_for_each_input_in_its_size():
    @torch.library.custom_op("mine::times", mutates_args=())
    def times(x: torch.Tensor, k: float) -> torch.Tensor:
        return x * k

    x = torch.ones(2, requires_grad=True)
    for backward, text in (
        (lambda ctx, g: g, "returned 1 gradients, but the operator has 2 input"),
        (lambda ctx, g: (torch.ones(3), None), r"returned a gradient of size \[3\] for x, which has size \[2\]"),
        (lambda ctx, g: (g.sum(), None), r"returned a gradient of size \[\] for x"),
        (lambda ctx, g: ("x", None), "returned str as the gradient of x"),
    ):
        times.register_autograd(backward)
        with pytest.raises((RuntimeError, TypeError), match=rf"\[mine::times\] the backward function {text}"):
            times(x, 2.0).sum().backward()
    times.register_autograd(lambda ctx, g: (g.expand(4, 2), None))  # sums to the size of x
    times(x, 2.0).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_operators_are_defined_while_graphs_run_in_other_threads():
    """tests/cpp/registry_threads_test.cpp does the same under the thread sanitizer, for operators of C++."""
    x = torch.full((3,), 2.0)
    traced = torch.jit.trace(lambda x: (x * x).sum(), x)
    graphs = [traced, traced.graph.build(), torch.fx.symbolic_trace(lambda x: torch.cond(x.sum() > 0, lambda: (x * x).sum(), lambda: x.sum()))]
    done, runs, errors = threading.Event(), [0] * 3, []

    def run(thread: int) -> None:
        try:
            while not done.is_set() or not runs[thread]:
                for graph in graphs:
                    assert float(graph(x)) == 12
                runs[thread] += 1
        except BaseException as error:  # what a thread raises is lost otherwise
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    try:
        for k in range(100):
            torch.library.define(f"mine::while_running{k}", "(Tensor x, float factor=2.0) -> Tensor")
            torch.library.impl(f"mine::while_running{k}", "cpu", lambda x, factor=2.0: x * factor)
            torch.library.register_fake(f"mine::while_running{k}", lambda x, factor=2.0: torch.empty_like(x))
            op = getattr(torch.ops.mine, f"while_running{k}")
            assert op(x, float(k)).tolist() == [2.0 * k] * 3
            assert torch.jit.trace(lambda x: op(x) + 1, x)(x).tolist() == [5.0] * 3  # noqa: B023 - used at once
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not errors and all(runs)
