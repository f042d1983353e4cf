"""Names that packages ask for when they are imported or run: kernels of attention, forward mode, function modes, storages of files, Tensor.new."""

from __future__ import annotations

import beside
import monograph as torch
import numpy as np
import pytest
from monograph.nn.attention import SDPBackend, sdpa_kernel

# The same text here and in PyTorch: the value of `result` is equal.
PROGRAMS = {
    "the order of the kernels": """
from torch.nn.attention import SDPBackend, _cur_sdpa_kernel_backends, sdpa_kernel
names = lambda *a: [b.name for b in _cur_sdpa_kernel_backends(*a)]
result = [names(), names(True)]
with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
    result += [names(), names(True), torch.backends.cuda.mem_efficient_sdp_enabled(), torch.backends.cuda.flash_sdp_enabled()]
result += [names(), {name: int(b) for name, b in SDPBackend.__members__.items()}]
""",
    "attention by a kernel that is chosen": """
from torch.nn.attention import SDPBackend, sdpa_kernel
q = torch.arange(24.0).view(1, 2, 3, 4).cos()
with sdpa_kernel(SDPBackend.MATH):
    result = F.scaled_dot_product_attention(q, q, q)
""",
    "settings of kernels": """
c = torch.backends.cuda
result = [c.flash_sdp_enabled(), c.mem_efficient_sdp_enabled(), c.math_sdp_enabled(), c.cudnn_sdp_enabled()]
c.enable_flash_sdp(False)
result.append(c.flash_sdp_enabled())
c.enable_flash_sdp(True)
q = torch.ones(1, 1, 2, 4)
params = c.SDPAParams(q, q, q, None, 0.0, False, False)
result += [c.flash_sdp_enabled(), c.can_use_flash_attention(params), c.can_use_efficient_attention(params), params.dropout]
""",
    "no tangent outside of a level": """
x = torch.ones(2)
u = torch.autograd.forward_ad.unpack_dual(x)
result = [u.primal is x, u.tangent, u._fields]
""",
    "one number for all dims": """
from torch.nn.modules.utils import _ntuple, _pair, _reverse_repeat_tuple, _triple, consume_prefix_in_state_dict_if_present
state = {"module.a": 1, "b": 2}
consume_prefix_in_state_dict_if_present(state, "module.")
result = [_pair(3), _pair([1, 2]), _triple((4,)), _ntuple(2)("ab"), _reverse_repeat_tuple((1, 2), 2), sorted(state)]
""",
    "memory of another dtype": """
x = torch.arange(6, dtype=torch.float32).view(2, 3).requires_grad_()
y = x.view(torch.int32)
z = torch.zeros(2, dtype=torch.int64)
z.view(torch.uint8)[3] = 1
result = [y, y.requires_grad, x.view(torch.uint8).shape, x.detach().view(dtype=torch.int16), z, torch.ones(4, dtype=torch.uint8).view(torch.float32)]
""",
    "bytes of a file": """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "bytes")
    with open(path, "wb") as file:
        file.write(bytes(range(16)))
    s = torch.UntypedStorage.from_file(path, False, 16)
    part = torch.asarray(s[4:8], dtype=torch.uint8)
    part[0] = 99
    result = [s.nbytes(), s[3], s[-1], s[4], len(s[2:2]), torch.asarray(s[8:16], dtype=torch.uint8).view(torch.int32), s.untyped().nbytes()]
    with open(path, "rb") as file:
        result.append(file.read()[4])
    shared = torch.UntypedStorage.from_file(path, True, 20)
    shared[17] = 7
    del shared
    with open(path, "rb") as file:
        result.append(list(file.read()))
""",
    "parts of layers that other packages call": """
def filled(layer):
    for k, p in enumerate(layer.parameters()):
        p.data.copy_(torch.arange(p.numel()).add(k).sin().view(p.shape) / 3)
    return layer.eval()
class Encoder(torch.nn.TransformerEncoderLayer):
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return super()._sa_block(x, attn_mask, key_padding_mask, is_causal) * 2
    def _ff_block(self, x):
        return super()._ff_block(x) + 1
class Decoder(torch.nn.TransformerDecoderLayer):
    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return super()._mha_block(x, mem, attn_mask, key_padding_mask, is_causal) * 3
x = torch.arange(12.0).cos().view(3, 1, 4)
with torch.no_grad():
    result = [filled(Encoder(4, 2, 8, norm_first=first))(x) for first in (False, True)] + [filled(Decoder(4, 2, 8, norm_first=first))(x, x + 1) for first in (False, True)]
    layer = filled(Decoder(4, 2, 8))
    result += [layer._sa_block(x, None, None), layer._mha_block(x, x, None, None), layer._ff_block(x)]
activation = torch.nn.modules.transformer._get_activation_fn
result += [activation("relu")(x), activation("gelu")(x)]
up = torch.nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
result += [up._output_padding(torch.ones(1, 1, 4, 4), [8, 7], [2, 2], [1, 1], [3, 3], 2), up._output_padding(torch.ones(1, 1, 4, 4), None, [2, 2], [1, 1], [3, 3], 2, [1, 1])]
rows = torch.nn.Embedding(3, 2, padding_idx=1)
rows.weight.data.fill_(7)
rows._fill_padding_idx_with_zero()
result += [rows.weight, torch.nn.LSTM(2, 2)._weights_have_changed()]
""",
    "gradients of softmax by hand": """
g, y = torch.arange(6.0).cos().view(2, 3), torch.arange(6.0).sin().view(2, 3).softmax(1)
result = [torch._softmax_backward_data(g, y, d, torch.float32) for d in (0, 1, -1)] + [torch._log_softmax_backward_data(g, y.log(), 1, torch.float32)]
result += [torch._shape_as_tensor(g), torch._shape_as_tensor(torch.tensor(2.0))]
""",
    "names that optimizers of packages import": """
from torch.optim import optimizer as o
class Own(torch.optim.Optimizer):
    def __init__(self, params, differentiable=False):
        super().__init__(params, dict(differentiable=differentiable))
    @o._use_grad_for_differentiable
    def step(self):
        return torch.is_grad_enabled()
w = torch.ones(2, requires_grad=True)
result = [Own([w]).step(), Own([w], True).step(), torch.is_grad_enabled(), o._get_capturable_supported_devices(), o._get_capturable_supported_devices(False)]
result += [o._default_to_fused_or_foreach(*a) for a in (([w], False), ([w], False, True), ([w], True, True), ([None], False), ([w.long()], False, True), ([], False))]
result += [o._get_value(torch.tensor(2.0)), o._get_value(3), o._get_scalar_dtype(), o._to_scalar(torch.tensor([2.0])), o._to_scalar(0.5), o._stack_if_compiling([1])]
""",
    "files of a hub": """
from torch.utils.model_zoo import tqdm
result = [hasattr(tqdm, "update"), hasattr(tqdm, "close")]
""",
    "Tensor.new": """
x = torch.ones(2, dtype=torch.int32)
result = [x.new([1, 2]), x.new(2, 3).shape, x.new(torch.Size([4])).shape, x.new().shape, x.new(x + 1), x.double().new([[1.5], [2]]), x.new(size=(2, 1)).shape]
""",
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_it_runs(name):
    beside.run(PROGRAMS[name].replace("from torch.", "from monograph."))


@pytest.mark.oracle
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_it_is_as_in_pytorch(name, oracle):
    beside.assert_equal(beside.run(PROGRAMS[name].replace("from torch.", "from monograph.")), oracle.run(PROGRAMS[name]))


def test_a_kernel_that_the_cpu_lacks_is_refused():
    q = torch.ones(1, 2, 4)
    with (
        pytest.raises(RuntimeError, match="SDPBackend.CUDNN_ATTENTION does not run on the CPU. Add SDPBackend.MATH"),
        sdpa_kernel(SDPBackend.CUDNN_ATTENTION),
    ):
        torch.nn.functional.scaled_dot_product_attention(q, q, q)
    with pytest.raises(AssertionError, match="got str"), sdpa_kernel("math"):
        pass
    assert torch.backends.cuda.flash_sdp_enabled()


def test_a_library_of_operators_is_not_loaded():
    with pytest.raises(OSError, match="Could not load this library: /no/where.so. It holds operators for PyTorch's C"):
        torch.ops.load_library("/no/where.so")
    assert not torch.ops.loaded_libraries


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda s, path: torch.UntypedStorage.from_file(path, False, 99),
            RuntimeError,
            "size <4> is smaller than the required mapping size <99>",
        ),
        (
            lambda s, path: torch.UntypedStorage.from_file(f"{path}.none", False, 1),
            RuntimeError,
            "in read-only mode: No such file or directory",
        ),
        (lambda s, path: s["a"], TypeError, "can't index a torch.UntypedStorage with str"),
        (lambda s, path: s[9], IndexError, "index 9 out of range for storage of size 4"),
        (lambda s, path: s[0:4:2], RuntimeError, "only a step of 1 is supported"),
    ],
)
def test_what_a_storage_of_a_file_refuses(call, error, said, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(b"abcd")
    with pytest.raises(error, match=said):
        call(torch.UntypedStorage.from_file(str(path), False, 4), str(path))


def test_a_function_mode_takes_calls_over():
    from monograph.overrides import BaseTorchFunctionMode, TorchFunctionMode, _get_current_function_mode

    class Seen(TorchFunctionMode):
        def __init__(self, calls, word):
            super().__init__()
            self.calls, self.word = calls, word

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.calls.append(f"{self.word} {func.__name__}")
            return torch.zeros(2) if func is torch.relu else func(*args, **(kwargs or {}))

    x, calls = torch.ones(2), []
    with Seen(calls, "outer"), Seen(calls, "inner") as mode:
        assert _get_current_function_mode() is mode
        y = torch.exp(x) * 2
        torch.nn.functional.silu(x)
        assert torch.relu(x).tolist() == [0, 0] and repr(y).startswith("tensor")
    assert calls[:6] == ["inner exp", "outer exp", "inner mul", "outer mul", "inner silu", "outer silu"] and "outer __repr__" in calls
    assert _get_current_function_mode() is None and torch.relu(x).tolist() == [1, 1] and issubclass(BaseTorchFunctionMode, TorchFunctionMode)
    calls.clear()
    with Seen(calls, "one"), torch._C.DisableTorchFunction():
        torch.exp(x)
    with pytest.raises(ValueError, match="stops"), Seen(calls, "two"):
        raise ValueError("stops")
    torch.exp(x)
    assert torch.DisableTorchFunction is torch._C.DisableTorchFunction and torch.DisableTorchFunctionSubclass is torch._C.DisableTorchFunctionSubclass
    assert torch.DisableTorchFunction.__name__ == "DisableTorchFunction"  # PyTorch gives each name of torch._C in torch too
    with Seen(calls, "three"), torch.DisableTorchFunction():
        torch.exp(x)
    assert calls == []


def test_pytorchs_types_of_devices_have_names():
    for kind in ("mps", "xpu", "hpu", "xla", "privateuseone", "vulkan"):
        device = torch.device(kind, 1)
        assert (device.type, device.index, str(device)) == (kind, 1, f"{kind}:1") and device != torch.device(kind)
        with pytest.raises(NotImplementedError, match=f"a tensor cannot be put on '{kind}'"):
            torch.zeros(2, device=kind)
    for text, said in {"": "must not be empty", "cuda:a": "Invalid device string: 'cuda:a'", "gpu": "Expected one of cpu, cuda, ipu, xpu"}.items():
        with pytest.raises(RuntimeError, match=said):
            torch.device(text)


def test_a_storage_says_whether_it_may_grow():
    x = torch.ones(3)
    assert x.untyped_storage().resizable() and x.storage().resizable() and torch.UntypedStorage(4).resizable()
    x.numpy()
    assert not x.untyped_storage().resizable() and not torch.from_numpy(np.ones(2)).untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="storage that is not resizable"):
        x.resize_(9)


def test_small_attributes():
    x, layer = torch.ones(2), torch.nn.Linear(2, 2)
    storage = x.untyped_storage()
    assert (x.is_mkldnn, storage.is_shared(), storage.is_pinned(), storage.filename, storage.is_cuda) == (False, False, False, None, False)
    kind, index = x.__dlpack_device__()
    assert (kind.name, kind, index) == ("kDLCPU", 1, 0)
    with pytest.raises(ValueError, match="Unknown device type meta for Dlpack"):
        torch.ones(2, device="meta").__dlpack_device__()
    handle = layer.register_full_backward_hook(print)
    assert layer._get_backward_hooks() == ([print], []) and layer._get_backward_pre_hooks() == []
    handle.remove()
    assert layer._wrapped_call_impl(x).equal(layer._slow_forward(x)) and list(layer._replicate_for_data_parallel().parameters()) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: x.new("a"), "invalid data type 'str'"),
        (lambda x: x.new(torch.ones(2)), "expected a tensor of torch.int32, but got one of torch.float32"),
        (lambda x: x.new(2, device="meta"), "the device is that of the tensor, cpu, but got meta"),
        (lambda x: x.to("meta").new([1]), "of a tensor on the meta device it takes sizes"),
    ],
)
def test_what_new_refuses(call, said):
    with pytest.raises(TypeError, match=said):
        call(torch.ones(2, dtype=torch.int32))


def test_new_on_the_meta_device():
    assert torch.ones(2, device="meta").new(2, 3).shape == (2, 3)
    assert torch.ones(2, device="meta").new(torch.Size([4])).is_meta and torch.ones(2, device="meta").new().shape == (0,)


def test_new_of_sizes_that_a_graph_computes():
    traced = torch.jit.trace(lambda x: x.new(x.shape[0], 2).fill_(3), torch.ones(4))
    assert traced(torch.ones(5)).tolist() == [[3.0, 3.0]] * 5
