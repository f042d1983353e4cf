"""Storages: made, read, written, resized, converted and copied as in PyTorch; tensors over them; plain pickles, which PyTorch reads and writes too while Monograph stands in for it."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
import weakref

import beside
import monograph as torch
import numpy as np
import pytest
from monograph import TypedStorage, UntypedStorage

# The same text here and in PyTorch: the value of `result` is equal.
PROGRAMS = {
    "bytes": """
U = torch.UntypedStorage
s = U([1, 2, 255])
result = [list(s), len(s), s[1], s[-1], list(s[1:]), U([1, 256, -1]).tolist(), U(2).fill_(300).tolist(), U((3, 4)).tolist(), U(range(2)).tolist(), U(U([5])).tolist(), len(U(sequence=[7])), U(size=3).nbytes()]
result += [s.clone().tolist(), U(3).copy_(s).tolist(), U([1, 2, 3]).resize_(1).tolist(), U([1, 2]).resize_(4).nbytes(), s.element_size(), s.is_cuda, s.is_shared(), s.device, s.get_device(), U(1).resizable(), s.new().size()]
result += [repr(U([1, 2])), str(U(0)), s.type(), s.float().tolist(), s.bool().tolist(), s.cpu().tolist(), s.to(device="cpu").tolist(), U(2, device="meta").nbytes(), U([1]) == U([1]), 1 in U([1]), bool(U(0)), hasattr(s, "dtype")]
s[0:2] = 9
t = U([1, 0, 2, 0])
t.byteswap(torch.int16)
result += [s.tolist(), t.tolist()]
""",
    "elements": """
T = torch.TypedStorage
s = T([1, 2], dtype=torch.int64)
result = [T().size(), T([1, 2]).dtype, s.tolist(), s[1], s.nbytes(), s.size(), len(s), s.element_size(), s.type(), s.pickle_storage_type(), repr(s), s.untyped().tolist(), s.float().tolist(), s.half().tolist(), s.bool().tolist(), s.complex_float().tolist(), s.bfloat16().dtype]
result += [s.clone().fill_(5).tolist(), s.clone().copy_(T([7, 8], dtype=torch.int64)).tolist(), T(3, dtype=torch.int32).size(), T(wrap_storage=torch.UntypedStorage([0, 0, 128, 63]), dtype=torch.float32).tolist(), s.is_pinned(), s.resizable()]
u = s.clone()
u.resize_(4)
u[2:] = 6
result += [u.tolist(), torch.Storage([1, 2]).dtype, torch.FloatStorage.dtype, torch.ones(2, dtype=torch.int16).storage_type().__name__, torch.is_storage(s), torch.is_storage(s.untyped())]
""",
    "buffers": """
U, T = torch.UntypedStorage, torch.TypedStorage
b = bytes([1, 2, 3, 4])
result = [U.from_buffer(b, "little", dtype=torch.int16).tolist(), U.from_buffer(b, "big", dtype=torch.int16).tolist(), U.from_buffer(b, "native", 1, 2, dtype=torch.int16).tolist(), U.from_buffer(bytearray(b), dtype=torch.uint8).tolist()]
result += [torch.IntStorage.from_buffer(b, byte_order="big").tolist(), T.from_buffer(bytes(8), "native").tolist(), torch.BoolStorage.from_buffer(bytes([0, 3]), "native").untyped().tolist()]
""",
    "errors": """
import re
U, T = torch.UntypedStorage, torch.TypedStorage
s, t = U([1, 2, 3]), T([1, 2], dtype=torch.int64)
def failed(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
calls = [lambda: s[3], lambda: s["a"], lambda: s[::2], lambda: s.__setitem__(0, 1.5), lambda: s.copy_(U([1])), lambda: t.copy_(T([1], dtype=torch.int64)), lambda: t[0:1], lambda: U([1.5]), lambda: U("ab"), lambda: U(3, 4), lambda: s.byteswap(torch.int16), lambda: U(2, device="meta")[0],
         lambda: s.resize_(-1), lambda: T(1, 2), lambda: s.nothing, lambda: U.from_buffer(bytes(3), "native", dtype=torch.int16), lambda: torch.zeros(2).set_(torch.LongStorage([1])), lambda: torch.zeros(2).set_(U(16), -1, (2,)), lambda: torch.zeros(2).set_(torch.ones(2).long())]
result = [failed(call) for call in calls]
""",
    "memory of tensors": """
x = torch.arange(4.0)
s = x.untyped_storage()
same = [s is x.untyped_storage(), s is x[1:].untyped_storage(), s == x[1:].untyped_storage(), s._cdata == x[1:].untyped_storage()._cdata, s.data_ptr() == x.data_ptr(), x.to("meta").untyped_storage().nbytes(), x.to("meta")[1:2].untyped_storage().nbytes(), x[2:].storage().size()]
s[0:4] = 0
x.storage()[1] = 9
y = torch.zeros(4)
y.untyped_storage().copy_(s)
z = torch.empty(0).set_(torch.UntypedStorage([0, 0, 128, 63] * 4), 1, (3,), (1,))
w = torch.empty(0).set_(source=s, storage_offset=1, size=(2, 1), stride=(1, 1))
result = [same, x, y, z, w, torch.zeros(2).set_(), torch.tensor([1, 2]).set_(torch.tensor([3, 4, 5]), 1, (2,)), torch.tensor([1, 2]).set_(torch.LongStorage([3, 4, 5]))]
""",
    "memory given back and taken again": """
x = torch.arange(6.0).view(2, 3)
s, kept, part = x.untyped_storage(), x.clone(), x[1]
n = s.nbytes()
s.resize_(0)
result = [s.nbytes(), x.shape, x.data_ptr(), x.untyped_storage().size(), part.shape]
s.resize_(n)
x.copy_(kept)
result += [x, part, x.untyped_storage().nbytes()]
s.resize_(2 * n)
result += [x, torch.empty(0).set_(s, 0, (3,)), torch.ones(3).resize_(1).untyped_storage().nbytes(), torch.ones(2, device="meta").untyped_storage().resize_(0).nbytes()]
""",
    "copies": """
import copy, pickle
s, t = torch.UntypedStorage([1, 2]), torch.TypedStorage([1, 2], dtype=torch.int64)
c, d, e = copy.deepcopy(s), copy.copy(s), copy.deepcopy([t, t])
c[0], e[0][0] = 9, 9
result = [s.tolist(), c.tolist(), d.tolist(), t.tolist(), e[1].tolist(), pickle.loads(pickle.dumps(t)).tolist()]
""",
    "room in a file": """
import io
m = torch.nn.Linear(2, 2)
file = io.BytesIO()
with torch.serialization.skip_data():
    torch.save(m.state_dict(), file)
file.seek(0)
result = torch.load(file)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_here(name):
    beside.run(PROGRAMS[name])


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_like_pytorch(oracle, name):
    beside.both(oracle, PROGRAMS[name])


def test_bytes_and_elements():
    assert UntypedStorage([1, 256]).fill_(-1).tolist() == [255, 255] and TypedStorage([1.5, 2], dtype=torch.float64).tolist() == [1.5, 2.0]
    assert repr(UntypedStorage([1])) == " 1\n[torch.storage.UntypedStorage(device=cpu) of size 1]"
    storage = torch.ones(2).untyped_storage()
    assert weakref.ref(storage)() is storage and {storage: 1}[storage] == 1 and UntypedStorage(3, device="meta").nbytes() == 3


@pytest.mark.parametrize("call", [lambda x: x.sum(), lambda x: x + 1, lambda x: x.tolist(), repr, lambda x: x[5].item(), lambda x: x.copy_(torch.ones(6)), lambda x: torch.stack([x, x])])
def test_a_tensor_whose_memory_was_given_back_is_not_read(call):
    x = torch.arange(6.0)
    x.untyped_storage().resize_(4)
    with pytest.raises(RuntimeError, match=r"storage .*was resized to 4 bytes.*untyped_storage\(\).resize_\(bytes\)"):
        call(x)
    assert x.shape == (6,) and torch.empty_like(x).shape == (6,) and x[:1].tolist() == [0.0] and x.view(2, 3).shape == (2, 3)
    x.untyped_storage().resize_(24)
    assert x.fill_(2).sum() == 12


def test_large_memory_goes_back_to_the_system():
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    x = torch.ones(1 << 24)  # 64 MiB
    before = resident()
    x.untyped_storage().resize_(0)
    assert before - resident() > 60 << 20
    x.untyped_storage().resize_(1 << 26)
    assert x.fill_(3).sum() == 3 << 24


def test_memory_whose_address_is_known_keeps_its_size():
    array = np.ones(3, dtype=np.float32)
    with pytest.raises(RuntimeError, match="not resizable"):
        torch.from_numpy(array).untyped_storage().resize_(0)
    x = torch.ones(3)
    y = x.numpy()
    with pytest.raises(RuntimeError, match="not resizable"):
        x.untyped_storage().resize_(24)
    assert y.sum() == 3 == x.sum()


def test_files(tmp_path):
    path = os.fspath(tmp_path / "bytes")
    storage = UntypedStorage.from_file(path, shared=True, nbytes=4)
    assert storage.fill_(7).filename == path and (tmp_path / "bytes").read_bytes() == b"\7" * 4
    assert torch.IntStorage.from_file(path, False, 1).tolist() == [0x07070707] and UntypedStorage.from_file(path, nbytes=2).filename is None
    with pytest.raises(RuntimeError, match="the older format has no room"), torch.serialization.skip_data():
        torch.save(torch.ones(1), io.BytesIO(), _use_new_zipfile_serialization=False)


def test_copies_of_a_layer_and_its_pickle():
    layer = torch.nn.LSTM(2, 3, 2)
    x = torch.ones(1, 1, 2)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(x)[0], layer(x)[0]) and "_flat_weights" not in vars(other) and "_flat_weights" in layer.__getstate__()


# Written and read by a Python in which `import torch` gives Monograph, and by PyTorch's own.
OBJECTS = """
import pickle, sys
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2))
adam = torch.optim.Adam(net.parameters(), lr=0.5)
net(torch.ones(3, 2)).sum().backward()
adam.step()
x = torch.arange(6.0)
objects = {
    "tensors": [x, x.view(2, 3).t(), x[2:], x.bool(), x.to(torch.bfloat16), torch.tensor(1j), torch.ones(2, requires_grad=True), torch.ones(2, device="meta"), nn.Parameter(torch.ones(2)), nn.Buffer(x)],
    "kinds": [torch.float32, torch.int64, torch.Size([1, 2]), torch.device("cpu"), torch.strided, torch.channels_last, torch.per_tensor_affine],
    "net": net, "state": net.state_dict(), "optimizer": adam, "schedule": torch.optim.lr_scheduler.StepLR(adam, 2), "lstm": nn.LSTM(2, 3, 1), "average": torch.optim.swa_utils.AveragedModel(nn.Linear(1, 1)),
    "names": [torch.relu, torch.add, nn.functional.relu, nn.functional.gelu, nn.Linear, torch.Tensor, torch.Tensor.add, nn.init.xavier_uniform_],
    "others": [torch.Generator().manual_seed(3), torch.FloatStorage([1, 2]), torch.distributions.Normal(0.0, 1.0), nn.utils.rnn.pack_sequence([x]), torch.max(x.view(2, 3), 0), torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x))],
}
"""
WRITES = OBJECTS + "pickle.dump({key: pickle.dumps(value) for key, value in objects.items()}, open(sys.argv[1], 'wb'))\n"
READS = """
import pickle, sys
import torch
read = {key: pickle.loads(value) for key, value in pickle.load(open(sys.argv[1], "rb")).items()}
x = torch.arange(6.0)
tensors = read["tensors"]
assert torch.equal(tensors[0], x) and torch.equal(tensors[1], x.view(2, 3).t()) and tensors[1].stride() == (1, 3) and torch.equal(tensors[2], x[2:]) and tensors[6].requires_grad
assert tensors[7].is_meta and type(tensors[8]) is torch.nn.Parameter and tensors[4].dtype == torch.bfloat16
assert read["kinds"] == [torch.float32, torch.int64, torch.Size([1, 2]), torch.device("cpu"), torch.strided, torch.channels_last, torch.per_tensor_affine] and type(read["kinds"][2]) is torch.Size
assert torch.equal(read["net"].state_dict()["0.weight"], read["state"]["0.weight"]) and read["net"](torch.ones(3, 2)).shape == (3, 2) and read["optimizer"].param_groups[0]["lr"] == 0.5
assert read["lstm"](torch.ones(4, 1, 2))[0].shape == (4, 1, 3) and read["schedule"].step_size == 2 and read["average"](torch.ones(1)).shape == (1,)
assert read["names"][0](torch.tensor(-1.0)) == 0 and read["names"][4] is torch.nn.Linear and read["names"][5] is torch.Tensor and read["names"][6](x, x)[1] == 2
assert read["others"][0].initial_seed() == 3 and read["others"][1].tolist() == [1, 2] and read["others"][2].mean == 0 and len(read["others"][5]) == 6 and read["others"][4].values.shape == (3,)
"""


def run(program: str, path: str, *python: str) -> None:
    done = subprocess.run([*python, "-W", "ignore", "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def standing_in(program: str, path: str) -> None:
    run("import monograph\nmonograph.install_as_torch()\n" + program, path, sys.executable)


def test_a_plain_pickle_of_a_program_names_no_module_of_ours(tmp_path):
    path = os.fspath(tmp_path / "objects")
    standing_in(WRITES, path)
    standing_in(READS, path)
    written = pickle.loads((tmp_path / "objects").read_bytes())
    assert not [key for key, text in written.items() if b"monograph" in text]


@pytest.mark.oracle
def test_plain_pickles_go_to_pytorch_and_come_back(tmp_path):
    ours, theirs = os.fspath(tmp_path / "ours"), os.fspath(tmp_path / "theirs")
    pytorch = os.environ["MONOGRAPH_ORACLE"]
    standing_in(WRITES, ours)
    run(READS, ours, pytorch)
    run(WRITES, theirs, pytorch)
    standing_in(READS, theirs)
