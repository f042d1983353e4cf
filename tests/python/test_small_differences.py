"""Calls that once differed from PyTorch in small ways: defaults, dtypes, what is refused, layouts."""

from __future__ import annotations

import math

import monograph as torch
import monograph.nn.functional as F
import numpy as np
import pytest
from beside import TRY, both

X, Y = torch.tensor([[-1.0, 0.5], [0.25, 2.0]]), torch.tensor([[0.5, 1.0], [0.0, 0.25]])

LOSSES = """
import math
x, y = torch.tensor([[-1.0, 0.5], [0.25, 2.0]]), torch.tensor([[0.5, 1.0], [0.0, 0.25]])
ones, classes = torch.ones(2), torch.tensor([1, 0])
log_probs = torch.log_softmax(torch.arange(24.0).reshape(4, 2, 3) / 5, -1)
nn = torch._C._nn
result = [
    torch.kl_div(x, y), torch.hinge_embedding_loss(x, y), torch.margin_ranking_loss(x, y, y), torch.cosine_embedding_loss(x, y, ones),
    torch.triplet_margin_loss(x, y, x + y), torch.ctc_loss(log_probs, torch.tensor([[1, 2], [2, 1]]), [4, 4], [2, 2]),
    torch.binary_cross_entropy_with_logits(x, y), nn.mse_loss(x, y), nn.l1_loss(x, y), nn.smooth_l1_loss(x, y), nn.huber_loss(x, y), nn.soft_margin_loss(x, y),
    nn.nll_loss(x, classes), nn.cross_entropy_loss(x, classes), nn.multi_margin_loss(x, classes), nn.binary_cross_entropy(y, y),
    nn.multilabel_margin_loss(x, torch.tensor([[1, -1], [0, -1]])), torch.ops.aten.mse_loss(x, y), F.kl_div(x, y, reduction="mean"), nn.mse_loss(x, y, 1),
    nn.mse_loss(x, y, reduction=2),
]
"""

LAYOUTS = """
def ramp(*sizes):
    n = math.prod(sizes)
    return (torch.arange(n).reshape(sizes) * 7 % 11 - 5).to(torch.float32) / 4
import math
shown = {
    "permuted": ramp(2, 3, 4).permute(2, 0, 1), "transposed": ramp(2, 3).t(), "gaps": ramp(4, 6)[::2, 1::2], "gaps, transposed": ramp(4, 6)[::2, ::3].t(),
    "reversed": ramp(2, 3, 4).transpose(0, 2), "channels last": ramp(2, 3, 4, 5).to(memory_format=torch.channels_last), "expanded": ramp(3, 1).expand(3, 4),
}
pair = torch.tensor([1, 0])
result = {}
for name, x in shown.items():
    c = x.shape[1]
    made = [
        x[pair], x[:, pair], x[pair, pair], x[..., pair], x[torch.tensor([[1, 0], [0, 1]]).t()], torch.ops.aten.copy(x, torch.ones(x.shape)),
        torch.batch_norm(x, None, None, torch.zeros(c), torch.ones(c), False, 0.1, 1e-5, False), torch.rsub(x, 1), torch.rsub(x, x),
    ]
    if x.dim() > 2:
        made += [x[pair, :, pair], x[:, pair, pair]]
    result[name] = [[list(t.shape), list(t.stride()), t] for t in made]
"""

# What keeps the class of a tensor, and what a parameter made of it is.
SUBCLASSES = """
class Named(torch.Tensor):
    pass

plain = torch.arange(12.0).view(3, 4)
x = plain.as_subclass(Named)
parameter = torch.nn.Parameter(x)
made = [
    x.T, x.mT, x.H, x.mH, x.real, x.data, x.max(0).values, x.max(0), x.sort()[1], x.topk(2).values, x + 1, x[0], next(iter(x)), x.split(1)[0], x.unbind(),
    x.shape, x.detach(), parameter, parameter.T, parameter.data, torch.nn.Parameter(plain), torch.nn.Parameter(plain).T, torch.nn.Parameter(plain).data,
]
result = [type(m).__name__ for m in made] + [isinstance(p, torch.nn.Parameter) for p in (x, parameter, torch.nn.Parameter(plain), plain)]
module = torch.nn.Module()
module.weight = parameter
result += [[name for name, _ in module.named_parameters()], parameter.requires_grad, plain._base is None, plain[0]._base is plain._base]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("program", [LOSSES, LAYOUTS, SUBCLASSES])
def test_it_equals_pytorch(oracle, program):
    both(oracle, program)


def test_functions_read_the_default_reduction_as_none():
    for function in (torch._C._nn.mse_loss, torch._C._nn.l1_loss, torch.kl_div):
        assert function(X, Y).shape == X.shape and function(X, Y, 1).shape == function(X, Y, reduction=1).shape == ()
    assert torch.ops.aten.mse_loss(X, Y).shape == torch.ops.aten.mse_loss.default(X, Y).shape == F.mse_loss(X, Y).shape == ()


def test_captures_hold_the_reduction_that_the_function_read():
    def each(x, y):
        return torch.kl_div(x, y)

    def mean(x, y):
        return torch.ops.aten.mse_loss(x, y)

    for f in (each, mean):
        for captured in (torch.jit.trace(f, (X, Y)), torch.fx.symbolic_trace(f)):
            assert captured(X, Y).equal(f(X, Y))
            again = torch.fx.symbolic_trace(captured) if isinstance(captured, torch.fx.GraphModule) else captured
            assert again(X, Y).equal(f(X, Y))


def test_a_mask_writes_into_a_tensor_that_shows_elements_several_times():
    x = torch.zeros(3, 1)
    x.expand(3, 4).masked_fill_(torch.tensor([[False, True, False, False], [False] * 4, [True] * 4]), 5.0)
    assert x.flatten().tolist() == [5, 0, 5]
    y = torch.zeros(1)
    y.expand(3).masked_fill_(torch.tensor([True, False, False]), 2.0)
    assert y.item() == 2
    y.expand(3).masked_fill_(torch.tensor(False), 7.0)
    assert y.item() == 2
    z = torch.zeros(0, 1).expand(0, 3)
    assert z.masked_fill_(torch.ones(0, 3, dtype=torch.bool), 1.0) is z
    m = torch.empty(3, 1, device="meta").expand(3, 4)
    assert m.masked_fill_(torch.empty(4, dtype=torch.bool, device="meta"), 1.0) is m


def test_what_pytorch_refuses_is_refused():
    image = torch.ones(1, 1, 3, 3, dtype=torch.int64)
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        F.unfold(image, 2)
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        F.fold(torch.ones(1, 4, 4, dtype=torch.int32), (3, 3), 2)
    assert F.conv_transpose3d(image[None], image[None]).sum() == 81
    with pytest.raises(NotImplementedError, match="not implemented for 'Byte'"):
        F.conv_transpose2d(image.to(torch.uint8), image.to(torch.uint8))
    with pytest.raises(ValueError, match="output_ratio"):
        F.fractional_max_pool2d(torch.ones(1, 1, 4, 4), 2, output_ratio=(0.5, 0.5, 0.5))
    with pytest.raises(TypeError):
        F.fractional_max_pool2d(torch.ones(1, 1, 4, 4), 2, output_ratio=0.5)
    with pytest.raises(RuntimeError, match="broadcast"):
        torch.binary_cross_entropy_with_logits(torch.zeros(3, 4), torch.zeros(4))


def test_integers_are_pooled_with_quotients_cut_towards_zero():
    x = torch.tensor([[[[-5, 0], [0, 0]], [[7, 0], [0, 0]]]])
    assert F.avg_pool2d(x, 2).flatten().tolist() == [-1, 1]
    assert F.avg_pool3d(x[None], (1, 2, 2)).flatten().tolist() == [-1, 1]


def test_one_element_without_dims_is_gathered_as_a_row_of_one():
    one, row = torch.tensor(3.0), torch.tensor([1.0, 2.0, 4.0])
    assert one.gather(0, torch.tensor([0, 0])).tolist() == [3, 3]
    assert row.gather(0, torch.tensor(2)).item() == 4 and row.gather(0, torch.tensor(2)).dim() == 0


GRADIENTS = """
x, y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([1.0, 5.0, -1.0], requires_grad=True)
result = list(torch.autograd.grad(torch.nextafter(x, y), [x, y], torch.tensor([2.0, 3.0, 4.0])))
w = torch.arange(15.0).reshape(5, 3).requires_grad_()
rows = F.embedding(torch.tensor([[1, 1, 2], [1, 4, 2]]), w, padding_idx=2, scale_grad_by_freq=True)
result += list(torch.autograd.grad(rows, [w], torch.arange(18.0).reshape(2, 3, 3)))
def ramp(*sizes):
    n = 1
    for size in sizes:
        n *= size
    real = (torch.arange(n).reshape(sizes) * 7 % 11 - 5).to(torch.float64) / 4
    return torch.complex(real, (torch.arange(n).reshape(sizes) * 5 % 13 - 6).to(torch.float64) / 4).requires_grad_()
for f, image, weight in (
    (torch.conv1d, ramp(2, 4, 6), ramp(6, 2, 3)), (torch.conv2d, ramp(2, 4, 5, 6), ramp(6, 2, 3, 2)), (torch.conv3d, ramp(1, 4, 3, 4, 3), ramp(2, 2, 2, 2, 2)),
    (torch.conv_transpose1d, ramp(2, 4, 6), ramp(4, 3, 3)), (torch.conv_transpose2d, ramp(2, 4, 3, 4), ramp(4, 3, 3, 2)),
):
    groups = {"groups": 2}
    out = f(image, weight, ramp(weight.shape[0] if "trans" not in f.__name__ else 6), stride=2, padding=1, **groups)
    result += [out.detach(), *torch.autograd.grad(out, [image, weight], ramp(*out.shape).detach())]
"""


@pytest.mark.oracle
def test_gradients_equal_pytorchs(oracle):
    both(oracle, GRADIENTS)


def test_a_step_to_the_next_number_lets_the_gradient_through():
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 5.0], requires_grad=True)
    gx, gy = torch.autograd.grad(torch.nextafter(x, y), [x, y], torch.tensor([2.0, 3.0]))
    assert gx.tolist() == [0, 3] and gy.tolist() == [0, 0]


def test_a_complex_convolution_has_the_gradient_of_its_weight():
    image = torch.complex(torch.tensor([[[[1.0, 2.0]]]]), torch.tensor([[[[0.5, -1.0]]]]))
    weight = torch.complex(torch.tensor([[[[2.0]]]]), torch.tensor([[[[3.0]]]])).requires_grad_()
    (g,) = torch.autograd.grad(F.conv2d(image, weight), [weight], torch.ones(1, 1, 1, 2, dtype=torch.complex64))
    assert g.item() == complex(3.0, 0.5)


def test_a_second_ellipsis_stands_for_no_dims():
    x = torch.arange(12.0).view(3, 4)
    assert x[..., ...].shape == (3, 4) and x[0, ..., 1, ...].item() == 1
    with pytest.raises(IndexError, match="only have a single ellipsis"):
        x[..., ..., 0]


def test_an_error_of_a_part_names_the_operator_that_was_called():
    x, far = torch.arange(12.0).view(3, 4), torch.tensor([90])
    calls = [
        ("index_fill", lambda: x.index_fill(0, far, 1)), ("take", lambda: x.take(far)), ("index_copy", lambda: x.index_copy(0, far, torch.ones(1, 4))),
        ("put", lambda: x.put(far, torch.ones(1))),
    ]
    for name, call in calls:  # those with a kernel for such a call have no parts
        with pytest.raises((RuntimeError, IndexError), match=rf"^\[aten::{name}[\w.]*\] .*\n  {'in aten::' if name == 'index_copy' else 'at '}"):
            call()


def test_put_can_be_traced():
    def f(x, index, source):
        return x.put(index, source) * 2

    index, source = torch.tensor([1, 5]), torch.tensor([7.0, 8.0])
    traced = torch.jit.trace(f, (torch.arange(12.0).view(3, 4), index, source))
    for rows in (2, 5):
        x = torch.arange(4.0 * rows).view(rows, 4)
        assert torch.equal(traced(x, index, source), f(x, index, source))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_of_a_product_with_a_large_matrix_do_not_depend_on_their_number(dtype):
    # One or two rows read a matrix of 16 MiB or more in another order than three do.
    torch.manual_seed(0)
    a, b = torch.randn(3, 2051, dtype=dtype), torch.randn(2051, 2050, dtype=dtype)
    all_rows = a @ b
    assert torch.equal(a[:1] @ b, all_rows[:1]) and torch.equal(a[:2] @ b, all_rows[:2]) and torch.equal(a[::2] @ b, all_rows[::2])


INDEXED = {
    "index_fill": lambda x, i: x.index_fill(0, i, 1.0),
    "index_fill by a tensor": lambda x, i: x.index_fill(0, i, torch.tensor(1.0)),
    "index_fill_": lambda x, i: x.clone().index_fill_(0, i, 1.0),
    "index_copy": lambda x, i: x.index_copy(0, i, torch.ones(1)),
    "index_add": lambda x, i: x.index_add(0, i, torch.ones(1)),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_reduce": lambda x, i: x.index_reduce(0, i, torch.ones(1), "prod"),
    "take": lambda x, i: x.take(i),
}


@pytest.mark.parametrize("name", INDEXED)
def test_an_index_out_of_range_is_an_index_error_that_names_it(name):
    with pytest.raises(IndexError, match="index 5 "):
        INDEXED[name](torch.zeros(3), torch.tensor([5]))
    with pytest.raises(IndexError, match="index -4 "):
        INDEXED[name](torch.zeros(3), torch.tensor([-4]))


def test_a_masked_scatter_of_too_few_elements_says_so():
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
        torch.zeros(3).masked_scatter(torch.ones(3, dtype=torch.bool), torch.ones(2))


def test_a_constructor_shares_the_memory_of_an_array_of_its_dtype():
    for make, dtype in ((torch.Tensor, np.float32), (torch.FloatTensor, np.float32), (torch.LongTensor, np.int64)):
        array = np.arange(3, dtype=dtype)
        tensor = make(array)
        array[0] = 7
        assert tensor.tolist() == [7, 1, 2]
    array = np.arange(3)
    tensor = torch.Tensor(array)
    array[0] = 7
    assert tensor.tolist() == [0, 1, 2] and tensor.dtype == torch.float32
    assert torch.Tensor(np.int64(3)).shape == (3,)


WRONG_CALLS = """
result = []
for call in (lambda: ~torch.ones(2), lambda: ~torch.tensor([True]), lambda: torch.tensor([1, [2]]), lambda: torch.nn.Sequential() * 0, lambda: torch.nn.Sequential() * 1.5, lambda: torch.nn.Sequential() + []):
    try:
        call()
    except Exception as error:
        result.append(type(error).__name__)
"""
SEQUENCES = """
a, b = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()), torch.nn.Sequential(torch.nn.Sigmoid())
result = [str(a + b), str(b * 2), str(3 * b), str(a)]
a += b
b *= 2
result += [str(a), str(b), b[0] is b[1], a(torch.ones(2))]
"""


INDICES_ON_THE_CPU = """
x = torch.ones(3, 4, device="meta")
mask = torch.tensor([True, False, True])
parts = [x[..., [0, 2]], x[torch.tensor([0])], x[:, [1]], x[mask], x[[0, 1], [1, 2]], x[torch.tensor([1]), ..., None], x[torch.ones(3, 4) > 0], x[mask, :2]]
result = [[list(part.shape), str(part.device)] for part in parts]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("program", [WRONG_CALLS, SEQUENCES, INDICES_ON_THE_CPU], ids=["kinds of errors", "Sequential + and *", "indices of a meta tensor"])
def test_small_calls_equal_pytorch(program, oracle):
    both(oracle, program)


def test_the_gradient_of_sinc_is_precise_near_0():
    """The formula (a cos(a) - sin(a)) / a^2 loses its bits there; the exact value is computed from float64 by a series."""
    x = torch.tensor([1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.3, -0.2], requires_grad=True)
    slope = torch.autograd.grad(torch.sinc(x).sum(), x)[0].double()
    a = x.detach().double() * math.pi
    exact = math.pi * sum((-1) ** k * a ** (2 * k - 1) * (2 * k / math.factorial(2 * k + 1)) for k in range(1, 12))
    assert ((slope - exact) / exact).abs().max() < 4e-7
    z = torch.tensor(0.0, requires_grad=True)
    assert torch.autograd.grad(torch.sinc(z), z)[0].item() == 0.0


@pytest.mark.oracle
def test_options_of_printing_for_a_block(oracle):
    both(
        oracle,
        """
x = torch.arange(3.0) / 3
before = str(x)
with torch._tensor_str.printoptions(precision=1, sci_mode=True):
    within = str(x)
result = [before, within, str(x)]
""",
    )


@pytest.mark.oracle
def test_a_few_singular_values_of_a_matrix(oracle):
    both(
        oracle,
        TRY
        + """
torch.manual_seed(0)
A = torch.randn(6, 4)
result = []
for call in (lambda: torch.svd_lowrank(A, 3), lambda: torch.svd_lowrank(A.T, 2), lambda: torch.svd_lowrank(A, 2, M=A[:1] / 2), lambda: torch.svd_lowrank(A, 4, niter=0),
             lambda: torch.pca_lowrank(A), lambda: torch.pca_lowrank(A.T, 2, center=False), lambda: torch.pca_lowrank(torch.stack([A, A * 2]).double(), 1)):
    torch.manual_seed(1)
    U, S, V = call()
    result += [S, U.abs(), V.abs()]
result += [attempt(call)[0].split(":")[0] for call in (lambda: torch.pca_lowrank(A, 7), lambda: torch.pca_lowrank(A, niter=-1), lambda: torch.svd_lowrank(A[0]))]
""",
        rtol=1e-4,
    )


CONVERSIONS = """
t = torch.tensor
calls = [
    lambda: int(torch.ones(2)), lambda: float(torch.ones(2)), lambda: complex(torch.ones(2)), lambda: torch.ones(2).item(), lambda: int(torch.empty(0)),
    lambda: int(t(1j)), lambda: int(t(2 + 0j)), lambda: float(t(2 + 0j)), lambda: float(t(1 + 2j)), lambda: complex(t(1 + 2j)), lambda: int(t([[3]])), lambda: float(t(True)),
    lambda: t(2**70), lambda: torch.ones(2)[2**70], lambda: torch.ones(2).sum(2**70), lambda: torch.ones(2, 2).flatten(2**70), lambda: torch.fft.fftshift(t(1.0), 0),
    lambda: torch.fft.fftshift(t(1.0)),
    lambda: torch.ones(3, 3)[t([[0, 1], [1, 2]]), t([0, 1, 2])], lambda: torch.ones(3, 3).index_put((t([0, 1]), t([0, 1, 2])), t(1.0)),
    lambda: torch.ones(3, 3)[t([[0], [1]]), t([0, 1, 2])].shape, lambda: torch.is_same_size(t([1]), t([2.0])), lambda: t([1]).is_same_size(t(1)), lambda: torch.is_same_size(t(1), 3),
]
result = [value if not isinstance(value := attempt(call)[0], str) else value.split(":")[0] for call in calls]
"""

NEW_DIMS = """
x = torch.ones(2, 3)
views = [x.expand(1, 2, 3), x.expand(4, 1, 2, 3), x.expand(1, 4, 2, 3), x.t().expand(1, 1, 3, 2), torch.ones(()).expand(1, 1), torch.ones(0, 3).expand(1, 0, 3)]
views += [torch.ones(1, 3)[:, ::2].expand(2, 1, 1, 2), torch.broadcast_to(x, (1, 1, 2, 3)), torch.broadcast_tensors(torch.ones(2, 1), torch.ones(1, 2, 3))[0]]
result = [[list(view.shape), list(view.stride())] for view in views]
"""


@pytest.mark.oracle
def test_kinds_of_errors_of_conversions_and_indices(oracle):
    both(oracle, TRY + CONVERSIONS)


@pytest.mark.oracle
def test_strides_of_new_dims_of_one_element(oracle):
    both(oracle, NEW_DIMS)


def test_an_int_of_several_elements_says_what_to_do():
    with pytest.raises(ValueError, match="this one has 2; take one element first"):
        int(torch.ones(2))
    with pytest.raises(RuntimeError, match="without overflow: it is a complex number; take x.real first"):
        float(torch.tensor(1j))
    with pytest.raises(IndexError, match=r"could not be broadcast together with shapes \[2\], \[3\]"):
        torch.ones(3, 3)[[0, 1], [0, 1, 2]]


def test_every_name_that_dir_shows_of_a_module_class_is_there():
    """pyro copies the docs of all of them."""
    assert [name for name in dir(torch.nn.Module) if not hasattr(torch.nn.Module, name)] == []
    with pytest.raises(NotImplementedError, match="runs on the CPU"):
        torch.nn.Linear(1, 1).xpu()
    assert type(torch.nn.ReLU().share_memory()) is torch.nn.ReLU


@pytest.mark.oracle
def test_a_hook_of_the_last_operator_of_a_module(oracle):
    both(
        oracle,
        """
layer, seen = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid()), []
handle = layer.register_backward_hook(lambda module, grad_input, grad_output: seen.append([type(module).__name__, list(grad_input), list(grad_output)]))
x = torch.tensor([1.0, -2.0], requires_grad=True)
layer(x).sum().backward()
handle.remove()
layer(x).sum().backward()
layer.register_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 2,))
layer(x).sum().backward()
result = [seen, x.grad]
""",
    )


# --- found by wrong calls and second gradients -----------------------------------------------------------------------------------------


def meta(*sizes, **options):
    return torch.empty(sizes, device="meta", **options)


@pytest.mark.parametrize("name", ["add", "mul", "pow", "maximum"])
def test_tensors_without_dims_may_lie_beside_meta(name):
    function, number = getattr(torch, name), torch.ones(())
    for args in ((number, meta()), (meta(), number), (number, meta(2)), (meta(2), number)):
        assert function(*args).device.type == "meta"
    assert torch.addcdiv(number, number, meta()).device.type == "meta" and torch.nn.functional.prelu(number, meta()).device.type == "meta"
    with pytest.raises(RuntimeError, match="device"):
        torch.ones(()).add_(meta())  # its elements would be unknown


@pytest.mark.parametrize("call", [torch.relu, torch.sigmoid, lambda x: x * x, lambda x: torch.softmax(x, 0), lambda x: torch.nn.functional.gelu(x)])
def test_gradients_on_meta(call):
    x = meta(2, 3, requires_grad=True)
    call(x).sum().backward()
    assert x.grad.device.type == "meta" and x.grad.shape == (2, 3)


@pytest.mark.parametrize("offset", [2**61, 2**62, 2**63 - 1])
def test_an_offset_beyond_64_bits_of_bytes(offset):
    for write in (False, True):
        x = torch.ones(2, 3)
        with pytest.raises(RuntimeError):
            (x.as_strided_ if write else x.as_strided)((2, 2), (1, 2), offset)
    assert x.as_strided((0, 2), (1, 2), offset).shape == (0, 2)


def test_forms_that_write_do_so_where_gradients_are_recorded():
    """A form whose functional form is made of others was recorded as these, and wrote nothing."""
    x = torch.ones(2, 3, requires_grad=True) * 1
    assert x.addmm_(torch.ones(2, 2), torch.ones(2, 3)) is x and x.tolist() == [[3.0] * 3] * 2
    a, out = torch.eye(2).requires_grad_(), torch.empty(0)
    for call in (lambda: torch.matmul(a, a, out=out), lambda: torch.addmm(a, a, a, out=out), lambda: torch.linalg.solve(a, a, out=out), lambda: torch.linalg.svdvals(a, out=out)):
        with pytest.raises(RuntimeError, match="out=... arguments don't support automatic differentiation"):
            call()
    with torch.no_grad():
        assert torch.matmul(a, a, out=out) is out and out.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_gradients_of_symmetric_matrices_are_symmetric():
    a = torch.tensor([[2.0, 1.0, 0.3], [1.0, 4.0, -0.5], [0.3, -0.5, 1.0]], dtype=torch.float64, requires_grad=True)
    weights = torch.arange(9.0, dtype=torch.float64).cos().reshape(3, 3)
    for call in (lambda: (torch.linalg.eigh(a).eigenvectors ** 2 * weights).sum(), lambda: (torch.linalg.eigvalsh(a) ** 3 * weights[0]).sum()):
        (first,) = torch.autograd.grad(call(), a, create_graph=True)
        assert torch.allclose(first, first.mT)
        (second,) = torch.autograd.grad((first * (weights + weights.mT)).sum(), a)
        assert torch.allclose(second, second.mT)


@pytest.mark.parametrize("name", ["avg_pool1d", "avg_pool2d", "avg_pool3d"])
def test_none_stands_for_a_list_that_may_be_left_out(name):
    pool, x = getattr(torch.nn.functional, name), torch.arange(16.0).reshape([1, 2] + [2] * (int(name[-2]) - 1) + [2 ** (4 - int(name[-2]))])
    assert torch.equal(pool(x, 2, None), pool(x, 2)) and torch.equal(pool(x, 2, stride=None), pool(x, 2))
    with pytest.raises(RuntimeError):
        getattr(torch.ops.aten, name)(x, [2] * int(name[-2]), None)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda F, x: torch.scatter(x[:0], 0, torch.zeros(2, 3, dtype=torch.long), x), RuntimeError),
        (lambda F, x: torch.scatter_reduce(x[:0], 0, torch.zeros(2, 3, dtype=torch.long), x, "mean"), RuntimeError),
        (lambda F, x: torch.renorm(x, 2, 0, 1j), RuntimeError),
        (lambda F, x: torch.heaviside(x, x.double()), RuntimeError),
        (lambda F, x: torch.linalg.cross(x, x.double()), RuntimeError),
        (lambda F, x: F.soft_margin_loss(x[:1], x), RuntimeError),
        (lambda F, x: torch.combinations(x[0], 2**40), RuntimeError),
        (lambda F, x: torch.ones(2, 2).long().polygamma_(1), RuntimeError),
        (lambda F, x: F.nll_loss(x, torch.tensor(1)), ValueError),
        (lambda F, x: F.nll_loss(x[0], torch.tensor([0, 1, 2])), ValueError),
        (lambda F, x: F.cross_entropy(x, torch.tensor([[0, 1]])), ValueError),
        (lambda F, x: F.cross_entropy(x[0], torch.tensor([0, 1, 2])), RuntimeError),
        (lambda F, x: F.adaptive_avg_pool2d(x, (2, None)), ValueError),
        (lambda F, x: F.adaptive_max_pool3d(x[None], (2, None, 2)), ValueError),
        (lambda F, x: torch.einsum([x], "ij"), TypeError),
        (lambda F, x: torch.tensordot(x, x, None), RuntimeError),
        (lambda F, x: torch.tensordot(x, x, []), ValueError),
        (lambda F, x: torch.nonzero(x, as_tuple=3), TypeError),
        (lambda F, x: torch.index_reduce(x, 0, torch.tensor([0]), x, "mean"), RuntimeError),
        (lambda F, x: torch.index_fill(x, 0, torch.tensor([[0, 1]]), 1.0), RuntimeError),
        (lambda F, x: torch.put(x, torch.tensor([0, 1]), torch.ones(3)), IndexError),
        (lambda F, x: torch.diag_embed(torch.tensor(1.0)), IndexError),
        (lambda F, x: x.repeat(2**62, 2**3), RuntimeError),
        (lambda F, x: torch.diag_embed(x, 2**63 - 1), RuntimeError),
    ],
)
def test_the_kind_of_an_error(call, kind):
    with pytest.raises(kind) as raised:
        call(torch.nn.functional, torch.ones(2, 3))
    assert raised.type is kind


def test_what_pytorch_takes():
    F, x = torch.nn.functional, torch.ones(3)
    assert torch.equal(F.gaussian_nll_loss(x, x * 2, 1.5), F.gaussian_nll_loss(x, x * 2, torch.full((3,), 1.5)))
    with pytest.raises(ValueError, match="negative"):
        F.gaussian_nll_loss(x, x, -1.5)
    assert torch.normal(x, x.double()).dtype == torch.float32
    assert torch.unravel_index(torch.tensor(3, dtype=torch.int32), (2, 3))[0].dtype == torch.int64
    assert len(torch.split(x, 2**63 - 1)) == 1
    assert torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), torch.tensor(1)).shape == (2, 2)
    z = torch.tensor([[3 + 4j, 0]])
    assert F.pairwise_distance(z, torch.zeros(1, 2), eps=0.0).tolist() == [5.0]
    assert str(torch.ops.aten.pow_.Scalar._schema).startswith("aten::pow_.Scalar(Tensor(a!) self, Scalar exponent)")


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [False, True])
def test_second_gradients_of_sampling(dims, padding, corners):
    def ramp(*sizes):
        return (torch.arange(math.prod(sizes), dtype=torch.float64) * 1.37 + 0.3).sin().reshape(sizes)

    x, grid = ramp(1, 2, *[3, 4, 3][:dims]).requires_grad_(), (ramp(1, *[2] * dims, dims) * 1.6).requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x, grid: F.grid_sample(x, grid, padding_mode=padding, align_corners=corners), (x, grid))
    nearest = F.grid_sample(x, grid, mode="nearest", padding_mode=padding, align_corners=corners)
    (first,) = torch.autograd.grad(nearest.pow(2).sum(), x, create_graph=True)
    assert torch.autograd.grad(first.sum(), x)[0].abs().sum() >= 0
    if dims == 2:
        (first,) = torch.autograd.grad(F.grid_sample(x, grid, mode="bicubic", align_corners=corners).sum(), grid, create_graph=True)
        with pytest.raises(NotImplementedError, match="bicubic"):
            first.sum().backward()


def test_the_least_common_multiple_of_the_smallest_integer():
    assert torch.lcm(torch.tensor([-(2**63)]), torch.tensor([7])).dtype == torch.int64  # PyTorch's process ends
    assert torch.lcm(torch.tensor([-(2**31)], dtype=torch.int32), torch.tensor([7], dtype=torch.int32)).shape == (1,)


def test_sizes_that_no_library_counts():
    with pytest.raises(RuntimeError, match="LAPACK"):
        torch.linalg.qr(torch.empty(0, 2**40))
    assert torch.softmax(torch.empty(0, 2**40), 0).shape == (0, 2**40)
    with pytest.raises(RuntimeError, match="no list of"):
        torch.empty(2**40, device="meta").split(10)
