"""Memory shared with NumPy, DLPack and buffers: no copies, and the owner stays alive."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import monograph as torch
import numpy
import pytest

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_numpy_shares_memory(dtype: str):
    a = numpy.array([[1, 0, 2], [3, 4, 5]]).astype(dtype)
    t = torch.from_numpy(a)
    assert t.dtype is getattr(torch, dtype) and t.tolist() == a.tolist() and t.data_ptr() == a.ctypes.data
    a[0, 1] = 1
    assert t[0, 1].item() == 1
    t[1, 2] = 0
    assert a[1, 2] == 0
    assert torch.from_numpy(a.T).stride() == (1, 3) and torch.from_numpy(a[:, ::2]).tolist() == a[:, ::2].tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_shares_memory(dtype: str):
    t = torch.tensor([[1, 0, 2], [3, 4, 5]], dtype=getattr(torch, dtype))
    a = t.numpy()
    assert a.dtype == dtype and a.tolist() == t.tolist() and a.ctypes.data == t.data_ptr()
    assert t.T.numpy().tolist() == a.T.tolist() and t[:, 1:].numpy().tolist() == a[:, 1:].tolist()
    t[0, 0] = 0
    assert a[0, 0] == 0
    assert numpy.asarray(t).ctypes.data == t.data_ptr() and numpy.array(t).ctypes.data != t.data_ptr()


def test_owners_live_as_long_as_their_borrowers():
    a = numpy.arange(10.0)
    seen = weakref.ref(a)
    t = torch.from_numpy(a)[2:]
    del a
    gc.collect()
    assert seen() is not None and t.tolist() == list(range(2, 10))
    del t
    gc.collect()
    assert seen() is None

    n = torch.arange(1000.0).numpy()
    gc.collect()
    torch.zeros(1000)  # would take the memory if it were free
    assert n.tolist() == list(range(1000))


def test_what_cannot_be_shared_says_so():
    with pytest.raises(TypeError, match=r"expected np.ndarray \(got list\)"):
        torch.from_numpy([1])
    with pytest.raises(ValueError, match="negative"):
        torch.from_numpy(numpy.arange(3)[::-1])
    with pytest.raises(TypeError, match="can't convert np.ndarray of type"):
        torch.from_numpy(numpy.array(["a"]))
    with pytest.raises(ValueError, match="byte order"):
        torch.from_numpy(numpy.arange(3).astype(">i4"))
    with pytest.raises(TypeError, match="BFloat16"):
        torch.zeros(1, dtype=torch.bfloat16).numpy()
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\)"):
        torch.zeros(1, requires_grad=True).numpy()


def test_read_only_memory_is_not_written():
    a = numpy.arange(3.0)
    a.flags.writeable = False
    t = torch.from_numpy(a)
    assert (t + 1).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="read-only"):
        t.add_(1)


def test_dlpack_both_ways():
    a = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)
    t = torch.from_dlpack(a)
    assert t.data_ptr() == a.ctypes.data and t.tolist() == a.tolist()
    b = numpy.from_dlpack(torch.arange(6.0).view(2, 3).T)
    assert b.tolist() == [[0, 3], [1, 4], [2, 5]]
    u = torch.from_dlpack(t)
    assert u.data_ptr() == t.data_ptr() and t.__dlpack_device__() == (1, 0)
    assert torch.from_dlpack(torch.tensor([True, False])).dtype is torch.bool
    capsule = t.__dlpack__()
    torch.from_dlpack(capsule)
    with pytest.raises(ValueError, match="only once"):
        torch.from_dlpack(capsule)


def test_frombuffer():
    data = bytearray(b"\x01\x00\x02\x00\x03\x00")
    t = torch.frombuffer(data, dtype=torch.int16)
    assert t.tolist() == [1, 2, 3]
    t[0] = 9
    assert data[0] == 9
    assert torch.frombuffer(data, dtype=torch.int16, offset=2, count=1).tolist() == [2]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        torch.frombuffer(data, dtype=torch.int32)
    with pytest.raises(ValueError, match="must not be greater than actual buffer length"):
        torch.frombuffer(data, dtype=torch.int16, count=4)


def test_numpy_numbers_are_numbers():
    x = torch.ones(2)
    assert (x + numpy.float32(1)).tolist() == [2, 2] and (x * numpy.int64(3)).tolist() == [3, 3]
    assert torch.tensor(numpy.float64(0.1)).dtype is torch.float64 and torch.tensor([numpy.int8(3)]).dtype is torch.int8
    assert torch.tensor(numpy.arange(3)).dtype is torch.int64 and torch.as_tensor(numpy.arange(3.0)).dtype is torch.float64
    assert x.sum(dim=numpy.int64(0)).item() == 2


def test_numpy_is_not_imported_before_it_is_used():
    code = "import sys, monograph as torch; torch.ones(3).add(1).tolist(); repr(torch.ones(2)); assert 'numpy' not in sys.modules; torch.ones(2).numpy(); assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numpy_under_no_grad_as_in_pytorch():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        x.numpy()


def test_a_dense_tensor_is_itself():
    x = torch.ones(2)
    assert x.to_dense() is x and x.to_dense(masked_grad=True) is x and x.to_dense(torch.float64).dtype == torch.float64
