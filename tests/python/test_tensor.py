"""The Tensor object: attributes, construction, identity, indexing, Python's protocols."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref

import monograph as torch
import pytest
from monograph.nn import Parameter


def test_attributes():
    x = torch.zeros(2, 3)
    assert x.shape == torch.Size([2, 3]) == (2, 3) and isinstance(x.shape, torch.Size)
    assert x.dtype is torch.float32 and x.ndim == x.dim() == 2 and x.numel() == 6
    assert x.size(1) == x.size(-1) == 3 and x.stride() == (3, 1) and x.stride(0) == 3
    assert x.device == torch.device("cpu") and x.layout is torch.strided
    assert x.itemsize == x.element_size() == 4 and x.nbytes == 24
    assert x.is_contiguous() and not x.T.is_contiguous() and x.T.shape == (3, 2)
    assert not x.requires_grad and x.grad is None and x.grad_fn is None and x.is_leaf
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.size(2)
    with pytest.raises(AttributeError):
        x.no_such_attribute  # noqa: B018


def test_one_object_a_tensor():
    x = torch.ones(3)
    assert x.add_(1) is x
    assert x.contiguous() is x
    assert x.requires_grad_() is x
    seen = weakref.ref(x)
    del x
    assert seen() is None, "no cycle keeps a tensor"


def test_a_tensor_with_attributes_is_collected_with_its_cycles():
    x = torch.ones(3)
    x.self = x
    seen = weakref.ref(x)
    del x
    gc.collect()
    assert seen() is None


def test_attributes_live_as_long_as_the_tensor():
    x = torch.ones(3, requires_grad=True)
    y = x * 2  # its history holds x
    x.word = "kept"
    address = id(x)
    del x
    gc.collect()
    y.sum().backward()
    (edge,) = [e for e, _ in y.grad_fn.next_functions if e is not None][:1]
    assert edge is not None and address


def test_parameters_keep_their_class_through_cpp():
    p = Parameter(torch.ones(2))
    assert isinstance(p, Parameter) and isinstance(p, torch.Tensor) and p.requires_grad and p.is_leaf
    assert p.add(0).__class__ is torch.Tensor
    with torch.no_grad():
        assert p.add_(1) is p
    assert repr(p).startswith("Parameter containing:\ntensor([2., 2.], requires_grad=True)")


def test_subclasses():
    class Mine(torch.Tensor):
        def twice(self):
            return self * 2

    m = torch.ones(2).as_subclass(Mine)
    assert type(m) is Mine and m.twice().tolist() == [2.0, 2.0]
    assert (
        type(m + 1) is type(1 - m) is type(m.sum()) is Mine and type(m.split(1)[0]) is Mine and type(torch.cat([m, torch.ones(1)])) is Mine
    )
    x = torch.ones(2, requires_grad=True)
    (x.as_subclass(Mine) * 3).sum().backward()
    assert x.grad.tolist() == [3, 3], "the view keeps its history"
    m.note = 1
    assert copy.deepcopy(m).note == 1


def test_torch_function_takes_over():
    class Loud:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, types, args, kwargs

    loud = Loud()
    name, types, args, kwargs = torch.add(torch.ones(1), loud, alpha=2)
    assert name == "add" and types == (Loud,) and args[1] is loud and kwargs == {"alpha": 2}
    assert torch.cat([torch.ones(1), loud])[0] == "cat"


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, torch.int64, ()), (1.5, torch.float32, ()), (True, torch.bool, ()), (1j, torch.complex64, ()), ([], torch.float32, (0,)), ([[]], torch.float32, (1, 0)),
        ([1, 2], torch.int64, (2,)), ([1, 2.5], torch.float32, (2,)), ([True, 2], torch.int64, (2,)), ([[1.0], [2]], torch.float32, (2, 1)), ((1, (2)), torch.int64, (2,)),
        (range(3), torch.int64, (3,)),
    ],
)  # fmt: skip
def test_tensor_infers(data, dtype, shape):
    x = torch.tensor(data)
    assert x.dtype is dtype and x.shape == shape


def test_tensor_refuses():
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        torch.tensor([[1, 2], [3]])
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        torch.tensor("abc")
    with pytest.raises(RuntimeError, match="Could not infer dtype of"):
        torch.tensor([object()])
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.tensor(300, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="[Oo]nly Tensors of floating point"):
        torch.tensor([1], requires_grad=True)


def test_python_numbers():
    assert int(torch.tensor(3.7)) == 3 and float(torch.tensor(2)) == 2.0 and bool(torch.tensor([1])) and complex(torch.tensor(1j)) == 1j
    assert [10, 20, 30][torch.tensor(1)] == 20
    assert torch.tensor(2.5).item() == 2.5 and torch.tensor([[7]]).item() == 7
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(torch.ones(2))
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        torch.ones(2).item()
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        len(torch.tensor(1))


def test_iteration_and_membership():
    x = torch.arange(6).view(2, 3)
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]] and len(x) == 2
    assert 4 in x and 9 not in x
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert hash(x) == hash(x) and {x: 1}[x] == 1
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(torch.tensor(1))


INDICES = [
    "0", "-1", "1:3", "::2", "1:", ":-1", "..., 0", "0, ...", "None", "..., None", ":, 1", "1, 2, 0", "1:3, ..., ::2", "None, 1, None", "torch.tensor([0, 2])",
    "[0, 2]", ":, [1, 0]", "torch.tensor([0, 1]), torch.tensor([1, 0])", "torch.tensor(1)", "True", "x > 10", "x[:, 0, 0] > 3", "..., [0]", "10:", "torch.tensor([[0, 1], [2, 0]])",
    "torch.tensor([True, False, True, False])", "1, [0, 2], 0:2",
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES)
def test_indexing_is_numpys(index: str):
    import numpy

    x = torch.arange(4 * 3 * 2).view(4, 3, 2)
    n = numpy.arange(24).reshape(4, 3, 2)
    ours = eval(f"x[{index}]", {"x": x, "torch": torch})
    theirs = eval(f"n[{index.replace('torch.tensor', 'numpy.array').replace('x', 'n')}]", {"n": n, "numpy": numpy})
    assert ours.tolist() == theirs.tolist() and tuple(ours.shape) == theirs.shape


@pytest.mark.parametrize("index", INDICES)
def test_assigning_is_numpys(index: str):
    import numpy

    x = torch.arange(24).view(4, 3, 2)
    n = numpy.arange(24).reshape(4, 3, 2)
    exec(f"x[{index}] = -5", {"x": x, "torch": torch})
    exec(f"n[{index.replace('torch.tensor', 'numpy.array').replace('x', 'n')}] = -5", {"n": n, "numpy": numpy})
    assert x.tolist() == n.tolist()


def test_indexing_errors():
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 2"):
        x[5]
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x[0, 0, 0]
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1)[0]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]
    with pytest.raises(IndexError, match="are valid indices"):
        x[object()]


def test_basic_indexing_is_a_view():
    x = torch.zeros(3, 2)
    x[1][0] = 5
    x[:, 1].fill_(7)
    assert x.tolist() == [[0, 7], [5, 7], [0, 7]]
    assert x[...] is not x and x[...].data_ptr() == x.data_ptr()
    x[0] = torch.tensor([[1.0, 2.0]])  # a leading dim of size 1 falls away
    assert x[0].tolist() == [1, 2]


QUANTIZED = torch.quint8, torch.qint8, torch.qint32  # test_quantized_tensors.py


@pytest.mark.parametrize("dtype", [t for t in torch._C._dtypes.values() if t not in QUANTIZED], ids=str)
def test_copies_and_pickles(dtype):
    x = torch.tensor([[1, 0], [3, 4]], dtype=dtype)
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.dtype is dtype and y.tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    p = Parameter(torch.ones(2))
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(q, Parameter) and q.requires_grad and q.tolist() == [1, 1]


def test_small_objects():
    assert torch.device("cuda:1").index == 1 and torch.device("cpu").index is None and torch.device("cpu") == torch.device("cpu")
    assert (
        torch.Size([2, 3]).numel() == 6
        and isinstance(torch.Size([2, 3])[:1], torch.Size)
        and isinstance(torch.Size([1]) + (2,), torch.Size)
    )
    assert torch.float32.is_floating_point and torch.float32.itemsize == 4 and torch.float64.to_complex() is torch.complex128
    assert pickle.loads(pickle.dumps(torch.Size([1, 2]))) == (1, 2) and pickle.loads(pickle.dumps(torch.device("cpu"))) == torch.device(
        "cpu"
    )
    assert torch.finfo(torch.float16).max == 65504.0 and torch.iinfo(torch.uint8).max == 255
    with pytest.raises(RuntimeError, match="Expected one of"):
        torch.device("toaster")


def test_the_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        assert (
            torch.tensor(1.5).dtype is torch.float64
            and torch.zeros(1).dtype is torch.float64
            and repr(torch.tensor(1.5)) == "tensor(1.5000)"
        )
    finally:
        torch.set_default_dtype(torch.float32)
    with pytest.raises(TypeError, match="floating-point"):
        torch.set_default_dtype(torch.int32)


def test_every_augmented_operator_writes_in_place():
    for change in ("x += 2", "x -= 2", "x *= 3", "x //= 2", "x %= 2", "x **= 2"):
        x = torch.tensor([5, 6, 7])
        scope = {"x": x}
        exec(change, scope)
        assert scope["x"] is x and not torch.equal(x, torch.tensor([5, 6, 7])), change
    row = torch.arange(8).reshape(2, 4)
    first = row[0]
    first //= 2
    assert row.tolist() == [[0, 0, 1, 1], [4, 5, 6, 7]]
    whole = torch.tensor([3])
    with pytest.raises(RuntimeError, match="can't be cast"):
        whole //= 2.5


def test_writes_over_what_is_read():
    """What would depend on the order of the elements is refused; the same elements in the same order are not."""
    for write in (lambda x: x[1:].add_(x[:-1]), lambda x: torch.exp(x[:-1], out=x[1:]), lambda x: x.view(2, 2).mul_(x.view(2, 2).t())):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            write(torch.ones(4))
    x = torch.ones(4)
    x.add_(x), x[:2].mul_(x[2:]), torch.exp(x, out=x)
    assert torch.equal(x, torch.tensor([4.0, 4.0, 2.0, 2.0]).exp())


def test_lists_of_indices():
    x = torch.arange(12.0).reshape(3, 4)
    assert torch.equal(x[[[0, 1], [1, 2]]], torch.tensor([1.0, 6.0]))  # a short list of lists stands for a tuple
    assert torch.equal(x[[0, 2]], x.index_select(0, torch.tensor([0, 2])))
    assert x[[]].shape == (0, 4) and torch.equal(x[[slice(0, 2), 1]], x[0:2, 1])
    x[[[0, 1], [1, 2]]] = 7
    assert (x == 7).sum().item() == 3  # one of them was 7 before


@pytest.mark.parametrize("write", ["uniform_", "normal_", "exponential_", "random_", "bernoulli_"])
def test_draws_into_an_expanded_tensor_are_refused(write):
    """Each element would be drawn, and one of them stay."""
    with pytest.raises(RuntimeError, match=rf"\[aten::{write}.*more than one element of the written-to tensor"):
        getattr(torch.zeros(1).expand(3), write)()
    assert torch.zeros(1).expand(3).fill_(2).tolist() == [2, 2, 2]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 9.3e18, -1e30])
def test_floats_that_are_no_int64(value):
    for data in (value, [1, value]):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64 without overflow"):
            torch.tensor(data, dtype=torch.int64)
    assert torch.tensor(-(2.0**63), dtype=torch.int64).item() == -(2**63)


def test_dtypes_of_index_tensors():
    x = torch.arange(6.0).view(3, 2)
    for dtype in (torch.int8, torch.int16, torch.float32):
        index = torch.tensor([0, 1], dtype=dtype)
        with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool"):
            x[index]
        with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool"):
            x[index] = 1
    assert x[torch.tensor([2, 0], dtype=torch.int32)].tolist() == [[4, 5], [0, 1]]


def test_numpy_arrays_as_indices():
    np = pytest.importorskip("numpy")
    x = torch.arange(4.0)
    row = x[np.array(1)]  # an array without dims is the int that it holds: what it gives is a view
    row.zero_()
    assert x.tolist() == [0, 0, 2, 3]
    assert x[np.array([3, 2], dtype=np.int8)].tolist() == [3, 2]


def test_values_of_another_dtype_are_not_put():
    for index in (torch.tensor([0, 1]), [0, 1]):
        for value in (torch.tensor([1, 2]), torch.tensor(1), torch.tensor([1.0, 2.0], dtype=torch.float64)):
            x = torch.zeros(3)
            with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match, got Float"):
                x[index] = value
            with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match, got Float"):
                x.index_put_((torch.tensor([0, 1]),), value)
    x = torch.zeros(3)
    x[torch.tensor([True, False, True])] = torch.tensor([2])  # one number through one mask is masked_fill's
    x[1:2] = torch.tensor([3])  # and a slice is copied into
    assert x.tolist() == [2, 3, 2]


def test_tensors_of_inference_mode():
    with torch.inference_mode():
        made = torch.ones(2)
        made.mul_(2)
        assert made.is_inference() and made.view(2, 1).is_inference()
    for write in (lambda: made.add_(1), lambda: made[:1].zero_(), lambda: torch.exp(torch.ones(2), out=made)):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
            write()
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        made.requires_grad_()
    with pytest.raises(RuntimeError, match="do not track version counter"):
        made._version  # noqa: B018
    assert (made + 1).tolist() == [3, 3] and not (made + 1).is_inference() and not made.clone().is_inference()
    weight = torch.ones(2, requires_grad=True)
    (weight + made).sum().backward()
    assert weight.grad.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        (weight * made).sum().backward()


def test_normal_tensors_in_inference_mode():
    x = torch.ones(2)
    with torch.inference_mode():
        x.add_(1)
        view = x[:1]
    assert x._version == 1 and not view.is_inference()
    view.zero_()
    assert x.tolist() == [0, 2]


def test_sequences_that_make_their_items():
    """Nothing but the reading code holds such an item."""
    array = pytest.importorskip("array")
    data = array.array("d", [1.5, 2.5])
    for sequence in (data, memoryview(data)):
        assert torch.tensor(sequence).tolist() == [1.5, 2.5]
    assert torch.tensor([torch.tensor([1.0]), torch.tensor([2.0])]).tolist() == [1, 2]
    with pytest.raises(ValueError, match="only one element tensors can be converted"):
        torch.tensor([torch.ones(2), torch.ones(2)])


def test_sequences_that_change_or_hold_themselves():
    endless: list = [1]
    endless.append(endless)
    with pytest.raises(TypeError, match="a sequence at dim 1"):
        torch.tensor(endless)

    class Clears:
        def __index__(self):
            items.clear()
            return 1

    items: list = [Clears(), 1, 2]
    with pytest.raises(ValueError, match=r"expected sequence of length 3 at dim 0 \(got 1\)"):
        torch.tensor(items, dtype=torch.int64)


def test_deep_copies_share_as_their_sources_do():
    x = torch.arange(12.0).view(3, 4)
    whole, row, turned = copy.deepcopy((x, x[1], x.t()[::2]))
    whole[1] = 7
    assert row.tolist() == [7] * 4 and turned[0, 1].item() == 7 and x[1, 0].item() == 4
    a, b = copy.deepcopy((Parameter(x), x[0]))
    b.zero_()
    assert a.sum().item() == 66  # a parameter's copy is its own
    assert turned.stride() == x.t()[::2].stride() and copy.deepcopy(torch.ones(1).expand(3)).stride() == (0,)


def test_values_for_integers():
    x = torch.arange(3)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        x[:2] = [1.7, 2.7]
    x[0] = 2.7  # one number is rounded as it is written
    x[1:] = [5, 6]
    assert x.tolist() == [2, 5, 6]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8"):
        torch.tensor([-1.0], dtype=torch.uint8)
    with pytest.raises(TypeError, match="invalid data type"):
        torch.tensor("abc", dtype=torch.bool)


def test_where_of_two_numbers():
    mask = torch.tensor([True, False])
    assert torch.where(mask, 1, 0).tolist() == [1, 0] and torch.where(mask, 1, 0).dtype is torch.int64
    assert torch.where(mask, 1.0, 0).dtype is torch.float32
    one = torch.tensor(1.0, requires_grad=True)  # tensors without dims stay tensors
    torch.where(mask, one, torch.tensor(2.0)).sum().backward()
    assert one.grad.item() == 1
