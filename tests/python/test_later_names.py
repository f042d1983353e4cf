"""Names that came late: histogramdd, CrossMapLRN2d, func.functionalize, segment_reduce, the Bessel functions; and what PyTorch hands to __torch_function__ for operators.

The numbers are PyTorch's, or those of tables of the functions where PyTorch's have fewer digits."""

from __future__ import annotations

import monograph as torch
import pytest


def test_histogramdd_counts_points_in_cells():
    points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [2.0, 2.0]])
    found = torch.histogramdd(points, bins=[2, 2])
    assert found.hist.tolist() == [[0.0, 1.0], [1.0, 2.0]] and [e.tolist() for e in found.bin_edges] == [[0.0, 1.0, 2.0]] * 2
    assert repr(found).startswith("torch.return_types.histogramdd(\nhist=") and isinstance(found, torch.return_types.histogramdd)
    density, _ = torch.histogramdd(points, 2, range=[0.0, 4.0, 0.0, 4.0], weight=torch.tensor([1.0, 1.0, 2.0, 0.0]), density=True)
    assert density.sum().item() * 4 == 1.0
    by_edges = torch.histogramdd(points, [torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.5, 2.0])])
    assert by_edges.hist.tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (RuntimeError, lambda x: torch.histogramdd(x, [2])),
        (RuntimeError, lambda x: torch.histogramdd(x, [2, 0])),
        (RuntimeError, lambda x: torch.histogramdd(x, 2, range=[0.0, 1.0])),
        (RuntimeError, lambda x: torch.histogramdd(x, 2, range=[1.0, 0.0, 0.0, 1.0])),
        (RuntimeError, lambda x: torch.histogramdd(x, 2, weight=torch.ones(3))),
        (RuntimeError, lambda x: torch.histogramdd(x[0], 2)),
        (IndexError, lambda x: torch.histogramdd(x[0, 0], 2)),
        (NotImplementedError, lambda x: torch.histogramdd(x.long(), 2)),
    ],
)
def test_wrong_calls_of_histogramdd(kind, call):
    with pytest.raises(kind, match="histogramdd"):
        call(torch.rand(4, 2))


def test_cross_map_norm():
    layer = torch.nn.CrossMapLRN2d(3, alpha=0.5, beta=0.6, k=2)
    x = torch.arange(1.0, 6.0).view(1, 5, 1, 1).requires_grad_()
    y = layer(x)
    y.sum().backward()
    assert str(layer) == "CrossMapLRN2d(3, alpha=0.5, beta=0.6, k=2)"
    assert y.flatten().tolist() == pytest.approx([0.5353298, 0.8297299, 0.9333885, 0.9757676, 1.3379025], rel=1e-5)
    assert x.grad.flatten().tolist() == pytest.approx([0.4975418, 0.2626985, 0.0028751, -0.0902562, -0.1073468], rel=1e-4)
    with pytest.raises(ValueError, match="Expected input to be 4D, got 2D"):
        layer(torch.ones(2, 3))


def test_functionalize():
    def f(x):
        y = x.view(-1)
        y.add_(1)
        return y * 2

    x = torch.ones(2, 2)
    assert torch.func.functionalize(f)(x).tolist() == [4.0] * 4 and x.tolist() == [[2.0, 2.0]] * 2
    assert torch.func.functionalize(f, remove="mutations_and_views").__name__ == "f"
    with pytest.raises(RuntimeError, match="remove='mutations' or 'mutations_and_views', but got 'x'"):
        torch.func.functionalize(f, remove="x")(x)


def test_segments_without_elements():
    x = torch.arange(6.0, requires_grad=True)
    lengths = torch.tensor([2, 0, 3, 1])
    results = {how: torch.segment_reduce(x, how, lengths=lengths).tolist() for how in ("sum", "max", "min", "prod")}
    inf = float("inf")
    assert results == {"sum": [1, 0, 9, 5], "max": [1, -inf, 4, 5], "min": [0, inf, 2, 5], "prod": [0, 1, 24, 5]}
    assert torch.segment_reduce(x, "mean", lengths=lengths).isnan().tolist() == [False, True, False, False]
    assert torch.segment_reduce(x, "mean", lengths=lengths, initial=1.5)[1].item() == 1.5
    torch.segment_reduce(x, "mean", offsets=torch.tensor([0, 2, 5, 6])).sum().backward()
    assert x.grad.tolist() == pytest.approx([0.5, 0.5, 1 / 3, 1 / 3, 1 / 3, 1.0])
    with pytest.raises(RuntimeError, match="segments that end at the size of axis 0, 6"):
        torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 1]))


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("bessel_j0", 5.0, -0.177596771314338305),
        ("bessel_j0", 20.0, 0.167024664340583154),
        ("bessel_j1", 9.0, 0.245311786573325265),
        ("bessel_y0", 3.0, 0.376850010012790407),
        ("bessel_y0", 12.0, -0.225237312634361435),
        ("bessel_y1", 5.0, 0.147863143391226839),
        ("modified_bessel_i0", 3.0, 4.88079258586502409),
        ("modified_bessel_k0", 0.5, 0.924419071227665862),
        ("modified_bessel_k1", 3.0, 0.040156431128194184),
        ("scaled_modified_bessel_k0", 3.0, 0.697761598043851625),
        ("airy_ai", 1.0, 0.135292416312881415),
        ("airy_ai", -5.0, 0.350761009024114319),
        ("airy_ai", 4.0, 0.000951563851204801840),
        ("spherical_bessel_j0", 2.0, 0.454648713412840848),
    ],
)
def test_bessel_functions_have_full_precision(name, at, expected):
    found = getattr(torch.special, name)(torch.tensor(at, dtype=torch.float64)).item()
    assert found == pytest.approx(expected, rel=4e-15, abs=0)


def test_special_places_of_bessel_functions():
    inf, nan = float("inf"), float("nan")
    places = torch.tensor([0.0, -1.0, inf, nan])
    for name, expected in {"bessel_y0": [-inf, nan, nan, nan], "modified_bessel_k1": [inf, nan, 0.0, nan], "spherical_bessel_j0": [1.0, 0.84147096, 0.0, nan]}.items():
        assert getattr(torch.special, name)(places).tolist() == pytest.approx(expected, nan_ok=True), name
    x = torch.ones(2, requires_grad=True)
    assert not torch.special.bessel_j0(x).requires_grad  # PyTorch has no derivative of it


def test_a_power_of_complex_numbers_is_a_product():
    z = torch.tensor([3 + 4j, -1j])
    assert (z**2).tolist() == [-7 + 24j, -1 + 0j] and (z**3).tolist() == [-117 + 44j, 1j]
    assert (z**0).tolist() == [1, 1] and (z**1).tolist() == z.tolist() and (z**0.5).tolist() == z.sqrt().tolist()


def test_result_type_may_be_a_dtype_for_storage():
    assert torch.result_type(torch.ones(1, dtype=torch.float16), 1j) is torch.complex32


def test_gradients_by_what_an_iterator_gives():
    layer = torch.nn.Linear(2, 1)
    found = torch.autograd.grad(layer(torch.ones(1, 2)).sum(), layer.parameters())
    assert [tuple(g.shape) for g in found] == [(1, 2), (1,)]
    torch.autograd.backward(layer(torch.ones(1, 2)).sum(), inputs=dict(layer.named_parameters()).values())
    assert layer.weight.grad.tolist() == [[1.0, 1.0]]


# What PyTorch hands to __torch_function__ for each operator: a method of Tensor, by its name, and the operands with the tensor first.
METHODS = {
    "x * 2": "mul", "2 * x": "mul", "1 - x": "__rsub__", "x // 2": "__floordiv__", "x ** 2": "__pow__", "2 ** x": "__rpow__", "2 / x": "__rtruediv__", "-x": "neg",
    "abs(x)": "abs", "x @ x": "matmul", "x == 1": "__eq__", "x != x": "ne", "x < 1": "lt", "~m": "__invert__", "m & m": "__and__",
}  # fmt: skip


@pytest.mark.parametrize("text", METHODS)
def test_operators_reach_a_mode_and_a_subclass_as_methods(text):
    seen = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((torch.overrides.resolve_name(func), len(args)))
            return func(*args, **(kwargs or {}))

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((torch.overrides.resolve_name(func), len(args)))
            return super().__torch_function__(func, types, args, kwargs or {})

    x, m = torch.ones(2), torch.tensor([True])
    plain = eval(text, {"x": x, "m": m})
    wanted = ("torch.Tensor." + METHODS[text], 1 if text[0] in "-~a" else 2)
    with Mode():
        answer = eval(text, {"x": x, "m": m})
    assert seen == [wanted] and torch.equal(answer, plain) if text != "x @ x" else seen == [wanted]
    seen.clear()
    answer = eval(text, {"x": x.as_subclass(Logged), "m": m.as_subclass(Logged)})
    assert seen == [wanted] and type(answer) is Logged
    seen.clear()
    y = torch.ones(2).as_subclass(Logged)
    y *= 2
    assert seen == [("torch.Tensor.mul_", 2)]


def test_segments_need_an_offset():
    for unsafe in (True, False):
        with pytest.raises(RuntimeError, match="segment_reduce: offsets have one number more"):
            torch.segment_reduce(torch.ones(6), "sum", offsets=torch.zeros(0, dtype=torch.int64), unsafe=unsafe)
