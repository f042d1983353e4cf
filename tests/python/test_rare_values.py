"""Values and calls that programs rarely give: infinite complex numbers, texts as bytes, the number of a GPU, memory that is read and written at once, copies."""

from __future__ import annotations

import warnings

import monograph as torch
import pytest
from beside import both

# attempt(call): the value, or the kind of the error.
ATTEMPT = """
def attempt(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
"""

INFINITE = """
import itertools
inf, nan = float("inf"), float("nan")
parts = (inf, -inf, 0.0, 1.0, -2.0, nan)
z = torch.tensor([complex(a, b) for a, b in itertools.product(parts, (inf, -inf, 0.0, 3.0)) if a or b], dtype=dtype)
made = [z**-1, z**-2, torch.reciprocal(z), 1 / z, (1 + 2j) / z, torch.ones_like(z) / z, z**-0.5, z ** torch.full_like(z, -1), z ** torch.full_like(z, -1.5 + 2j)]
result = [[f"{round(v.real, 4) + 0.0} {round(v.imag, 4) + 0.0}" for v in part.tolist()] for part in made]
"""


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_quotients_and_powers_of_infinite_complex_numbers(oracle, dtype):
    both(oracle, INFINITE.replace("dtype=dtype", f"dtype=torch.{dtype}"))


# Texts over new tensors in each line; attempt() gives the result, or the kind of the error.
FILLS = """
def fresh():
    b = torch.arange(12.0)
    return dict(torch=torch, b=b, x=b[:6], y=b[3:9], m=torch.tensor([True, False] * 3), i=torch.arange(12), one=torch.ones(1).expand(6), p=torch.tensor([0.0, 1.0, 0.0]))
texts = [
    "torch.fill(x, 2)", "torch.fill(x, torch.tensor(3))", "x.fill_(torch.tensor(2.5))", "x.fill_(torch.tensor([2.0]))", "i[:3].fill_(torch.tensor(2.5))", "torch.ops.aten.fill_.Tensor(one, torch.tensor(3.0))",
    "torch.ops.aten.fill.Tensor(x, torch.tensor(2.0))", "torch.ops.aten.fill_.Tensor(x, torch.tensor(2.0))", "torch.ops.aten.fill.Scalar(x, 2)", "torch.fill(m, 2.5)", "torch.fill(x, x)",
    "x[:3].bernoulli_(p)", "torch.ones(2, 3).bernoulli_(p)", "torch.ones(2, 3, dtype=torch.int64).bernoulli_(p.double())", "x.bernoulli_(i[:6])",
    "torch.ops.aten.fill.Scalar_out(x, 2, out=torch.ones(6))",
]
result = [attempt(lambda: eval(text, fresh())) for text in texts]
"""


@pytest.mark.oracle
def test_fill_and_bernoulli_with_tensors(oracle):
    both(oracle, ATTEMPT + "torch.manual_seed(3)\n" + FILLS)


def test_the_gradient_reaches_the_value_that_fill_writes():
    value = torch.tensor(2.0, requires_grad=True)
    x = torch.zeros(3).fill_(value)
    (x * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert value.grad.item() == 6
    (torch.fill(torch.zeros(2), value) * 5).sum().backward()
    assert value.grad.item() == 16
    kept = torch.ones(2, requires_grad=True)
    torch.fill(kept, 3).sum().backward()
    assert kept.grad.tolist() == [0, 0]


def test_a_traced_fill_with_a_tensor_keeps_the_tensor():
    traced = torch.jit.trace(lambda x, v: torch.zeros(3).fill_(v) + x, (torch.ones(3), torch.tensor(2.0)))
    assert traced(torch.ones(3), torch.tensor(5.0)).tolist() == [6, 6, 6]


OVERLAPS = [
    "x.masked_scatter_(m, x)", "x.masked_scatter_(m, y)", "torch.sort(x, out=(y, torch.empty(6, dtype=torch.int64)))", "torch.sort(i[:6], out=(i[3:9], i[6:]))",
    "torch.topk(x, 3, out=(x[:3], torch.empty(3, dtype=torch.int64)))", "torch.kthvalue(x, 3, out=(b[2], torch.empty((), dtype=torch.int64)))",
    "torch.max(x, 0, out=(b[2], torch.empty((), dtype=torch.int64)))", "torch.median(x, 0, out=(b[2], torch.empty((), dtype=torch.int64)))",
    "torch.cummax(x, 0, out=(y, torch.empty(6, dtype=torch.int64)))",
]  # fmt: skip


@pytest.mark.parametrize("text", OVERLAPS)
def test_memory_that_is_read_and_written_at_once_is_refused(text):
    b, i = torch.arange(12.0), torch.arange(12)
    with pytest.raises(RuntimeError, match="single memory location"):
        eval(text, {"torch": torch, "b": b, "i": i, "x": b[:6], "y": b[3:9], "m": torch.tensor([True, False] * 3)})
    assert b.tolist() == list(range(12))
    assert i.tolist() == list(range(12))


def test_a_sort_into_its_own_memory():
    x = torch.tensor([3.0, 1.0, 2.0])
    torch.sort(x, out=(x, torch.empty(3, dtype=torch.int64)))
    assert x.tolist() == [1, 2, 3]


ABSOLUTE = """
z, w, x, n = torch.tensor([3 + 4j]), torch.tensor([3 + 4j], dtype=torch.complex128), torch.tensor([-3.0]), torch.tensor([-3])
dtypes = (torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.int64, torch.bool)
result = [attempt(lambda: f(v, out=torch.empty(size, dtype=d))) for f in (torch.abs, torch.absolute) for v in (z, w, x, n) for d in dtypes for size in (1, 0)]
"""


@pytest.mark.oracle
def test_abs_of_complex_numbers_into_other_dtypes(oracle):
    both(oracle, ATTEMPT + ABSOLUTE)


@pytest.mark.parametrize("text", ["x.to(0)", "torch.zeros(2, device=0)", "torch.nn.Linear(2, 3).to(0)", "torch.nn.Linear(2, 3).to(device=1)", "torch.tensor([1.0], device=0)", "torch.device(0)"])
def test_the_number_of_a_gpu_is_refused_with_the_way_out(text):
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available.*MONOGRAPH_DEVICE_FALLBACK=cpu"):
        eval(text, {"torch": torch, "x": torch.ones(2)})


def test_texts_may_be_bytes():
    x = torch.ones(2, device=b"cpu")
    assert (x.device, torch.device(b"cpu"), torch.div(x, 2, rounding_mode=b"floor").tolist()) == (torch.device("cpu"), torch.device("cpu"), [0, 0])
    with pytest.raises(RuntimeError, match="device type at start of device string: nope"):
        torch.zeros(2, device=b"nope")


def told(text: str) -> list[str]:
    x = torch.ones(2, requires_grad=True)
    y, z, w = x * 2, x * 3, torch.ones(2)
    z.retain_grad()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(text, {"torch": torch, "x": x, "y": y, "z": z, "w": w})
    assert all(c.filename == "<string>" for c in caught)
    return [str(c.message) for c in caught]


@pytest.mark.parametrize("text", ["torch.tensor(x)", "torch.tensor(w, dtype=torch.int64)", "w.new_tensor(w)"])
def test_a_copy_of_a_tensor_by_its_constructor_warns(text):
    (said,) = told(text)
    function = "tensor.new_tensor" if "new" in text else "torch.tensor"
    assert said.startswith("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()")
    assert said.endswith(f"rather than {function}(sourceTensor).")


@pytest.mark.parametrize("text", ["y.grad", "hasattr(y, 'grad')", "x[0].grad", "(y.sum().backward(), y.grad)"])
def test_the_gradient_of_a_tensor_that_is_no_leaf_warns(text):
    (said,) = told(text)
    assert said.startswith("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.")


@pytest.mark.parametrize("text", ["x.grad", "w.grad", "z.grad", "y.detach().grad", "torch.tensor([w[0]])", "torch.as_tensor(w)", "torch.tensor(w[0].item())"])
def test_other_gradients_and_copies_do_not_warn(text):
    assert told(text) == []


LARGE = """
x, n, m = torch.ones(2), torch.ones(2, dtype=torch.int64), torch.tensor([True, False])
texts = [
    "x * N", "N * x", "x + N", "N - x", "x / N", "N / x", "x.clone().fill_(N)", "torch.full((2,), N, dtype=torch.float32)", "x.clamp(max=N)", "x < N", "x == N", "torch.add(x, 1, alpha=N)",
    "x.masked_fill(m, N)", "x.index_fill(0, torch.tensor([0]), N)", "torch.where(m, N, x)", "x.pow(N)", "x.double() * N", "x.half() * N", "x * (1j * 0 + x) * N", "torch.clamp_min(x, N)",
]
result = [attempt(lambda: eval(text.replace("N", str(number)))) for text in texts for number in (2**63, 2**64 - 1, 2**63 + 2**40, 2**64, -(2**63) - 1)]
"""


@pytest.mark.oracle
def test_ints_up_to_64_bits_without_a_sign_beside_floating_tensors(oracle):
    both(oracle, ATTEMPT + LARGE)


@pytest.mark.parametrize("text", ["n + 2**63", "n == 2**63", "n.masked_fill(n > 0, 2**63)", "torch.full((2,), 2**63)", "torch.ones(2, dtype=torch.bool) + 2**63"])
def test_ints_of_more_than_63_bits_beside_ints_are_refused(text):
    with pytest.raises(OverflowError, match="does not fit into 64 bits; a float is larger"):
        eval(text, {"torch": torch, "n": torch.ones(2, dtype=torch.int64)})


OLD_REDUCTIONS = """
nn = torch.nn
x, y, c = torch.tensor([[0.2, 0.7, 0.1], [0.5, 0.3, 0.4]]), torch.tensor([[0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]), torch.tensor([1, 0])
signs, logs = torch.tensor([1.0, -1.0]), torch.log_softmax(torch.arange(24.0).reshape(4, 2, 3) / 5, -1)
calls = {
    "L1Loss": (x, y), "MSELoss": (x, y), "BCELoss": (x, y), "BCEWithLogitsLoss": (x, y), "NLLLoss": (x, c), "CrossEntropyLoss": (x, c), "SmoothL1Loss": (x, y), "SoftMarginLoss": (x, y),
    "KLDivLoss": (x, y), "PoissonNLLLoss": (x, y), "HingeEmbeddingLoss": (x, y), "MarginRankingLoss": (x[:, 0], y[:, 0], signs), "CosineEmbeddingLoss": (x, y, signs),
    "TripletMarginLoss": (x, y, x + y), "MultiMarginLoss": (x, c), "MultiLabelMarginLoss": (x, torch.tensor([[1, -1, 0], [0, 2, -1]])), "MultiLabelSoftMarginLoss": (x, y),
}
flags = [{"size_average": False}, {"size_average": True}, {"reduce": False}, {"reduce": True}, {"size_average": False, "reduce": True}, {"size_average": False, "reduce": False}]
result = {name: [getattr(nn, name)(**given)(*args) for given in flags] for name, args in calls.items()}
result["functions"] = [f(*args, **given) for f, args in ((F.cross_entropy, (x, c)), (F.nll_loss, (x, c)), (F.mse_loss, (x, y)), (F.kl_div, (x, y))) for given in flags]
result["classes"] = [[k.__name__ for k in getattr(nn, name).__mro__ if "Loss" in k.__name__] for name in ("NLLLoss", "CrossEntropyLoss", "BCELoss", "MSELoss", "CTCLoss", "MultiMarginLoss")]
"""


@pytest.mark.oracle
def test_the_older_arguments_of_losses_for_their_reduction(oracle):
    both(oracle, OLD_REDUCTIONS)
