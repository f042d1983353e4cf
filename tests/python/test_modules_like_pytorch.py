"""Modules and their parameters: copies, files of whole modules in both directions, "meta", containers, arguments. Live beside PyTorch."""

from __future__ import annotations

import copy

import monograph as torch
import pytest
from beside import TRY, as_numpy, assert_equal, both
from monograph import nn

PROGRAMS = {
    "copy of a module": """
m = nn.Linear(1, 1); m.weight.mark = 3; m(torch.ones(1, 1)).sum().backward(); n = copy.deepcopy(m); n(torch.ones(1, 1)).sum().backward()
result = [n.weight.grad, m.weight.grad, hasattr(n.weight, 'mark'), type(n.weight).__name__, n.weight.requires_grad]""",
    "copy of a tensor": "x = torch.ones(2, requires_grad=True); x.y = [1]; (x * 2).sum().backward(); z = copy.deepcopy(x); result = [z.grad, z.y, z.y is x.y, z.grad is x.grad]",
    "copies of one": "p = nn.Parameter(torch.ones(2)); r = copy.deepcopy([p, p, p.detach()]); result = [r[0] is r[1], r[0].data_ptr() == r[2].data_ptr()]",
    "copy of buffers": """
m = nn.Module(); m.register_buffer('b', torch.ones(2)); m.b.z = 3; m.c = nn.Buffer(torch.ones(1), persistent=False); n = copy.deepcopy(m)
result = [n.b.z, n.c.persistent, isinstance(n.c, nn.Buffer), list(n._non_persistent_buffers_set)]""",
    "copy of a class of its own": """
class Q(nn.Parameter):
    def __new__(cls, data, requires_grad=True): made = super().__new__(cls, data, requires_grad); made.k = 5; return made
q = Q(torch.ones(2)); q.k = 7; q.grad = torch.ones(2); r = copy.deepcopy(q); result = [type(r).__name__, r.k, r.grad]""",
    "copy of an optimizer": "m = nn.Linear(1, 1); m(torch.ones(1, 1)).sum().backward(); o = copy.deepcopy(torch.optim.SGD(m.parameters(), lr=1.0)); result = [p.grad for p in o.param_groups[0]['params']]",
    "copy with a hook of loading": """
m = nn.Linear(1, 1); seen = []; m.register_load_state_dict_pre_hook(lambda module, *given: seen.append(module)); n = copy.deepcopy(m); n.load_state_dict(n.state_dict())
result = seen[0] is n""",
    "meta": "m = nn.Linear(2, 2, device='meta'); told = [attempt(call)[0] for call in (lambda: m.weight.cpu(), lambda: m.cpu(), lambda: torch.ones(2, device='meta').cpu())]; result = [[t[:19], 'Cannot copy out of meta tensor; no data!' in t] for t in told]",
    "cpu": """
class N(nn.Linear):
    def _apply(self, fn, recurse=True): seen.append(fn(torch.ones(1)).device.type); return super()._apply(fn, recurse)
seen = []; m = N(1, 1); w = m.weight; result = [m.cpu() is m, m.weight is w, seen, torch.ones(2, 1, 1, 2).cpu(memory_format=torch.channels_last).stride()]""",
    "meta batch norm": "m = nn.Sequential(nn.BatchNorm1d(3, device='meta'), nn.InstanceNorm2d(3, track_running_stats=True, device='meta')); result = [v.device.type for v in m.state_dict().values()]",
    "unpad": """
rnn = nn.utils.rnn; pad_sequence, unpad_sequence, pack_sequence, unpack_sequence = rnn.pad_sequence, rnn.unpad_sequence, rnn.pack_sequence, rnn.unpack_sequence
p = pad_sequence([torch.zeros(2), torch.zeros(3)], batch_first=True); u = unpad_sequence(p, torch.tensor([2, 3]), batch_first=True); u[0].fill_(1)
s = pack_sequence([torch.zeros(3), torch.zeros(2)]); v = unpack_sequence(s); v[0].fill_(1); v[1].fill_(2)
x = torch.ones(2, 3, requires_grad=True); sum(t.sum() for t in unpad_sequence(x, torch.tensor([2, 3]), batch_first=True)).backward()
result = [p, u, s.data, v, x.grad, unpad_sequence(torch.ones(2, 3), torch.tensor([0, -1]), batch_first=True)]""",
    "insert": """
def of(kind, i, what=None):
    l = nn.ModuleList([nn.ReLU(), nn.Tanh()]) if kind == 'list' else nn.Sequential(nn.ReLU(), nn.Tanh())
    told = attempt(lambda: type(l.insert(i, nn.GELU() if what is None else what)).__name__)[0].replace('monograph', 'torch')
    return [told, *([list(l._modules), [type(m).__name__ for m in l._modules.values()]] if 'Error' not in told else [])]
result = [of(k, i) for k in ('list', 'sequential') for i in (0, 1, 2, 3, -1, -2, 7)] + [of('sequential', 0, 3)]""",
    "sizes": """
x = torch.ones(2, 3, 4)
result = []
for f in (x.size, x.stride):
    result += [f(1), f(dim=1), f(), f(None), f(dim=None), f(-1)]
    result += [attempt(call)[0].split(chr(10))[0] for call in (lambda: f(1, 2), lambda: f(1, dim=0), lambda: f(foo=1), lambda: f(dim=1, foo=2), lambda: f(True), lambda: f(1.5), lambda: f('a'), lambda: f((1,)), lambda: f(dim=True))]
    result += [attempt(lambda: f(dim=5))[0][:50]]""",
    "memory formats": "x = torch.ones(2); result = [attempt(call)[0][:9] for call in (lambda: x.cpu(3), lambda: x.float(torch.contiguous_format), lambda: x.long('a'), lambda: x.cpu(memory_format=3), lambda: x.double(memory_format=3))]",
    "keys": "k = nn.Linear(1, 1).load_state_dict(nn.Linear(1, 1).state_dict()); result = [type(k).__name__, type(k).__module__.partition('.')[2]]",
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_as_pytorchs(oracle, name):
    both(oracle, TRY + "import copy\nnn = torch.nn\n" + PROGRAMS[name])


LISTS_OF_ONE = """
nn = torch.nn
result = []
for kind, n in [(nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3), (nn.ConvTranspose1d, 1), (nn.ConvTranspose2d, 2), (nn.ConvTranspose3d, 3)]:
    for options in [{'padding': [1]}, {'padding': (1,)}, {'stride': [2]}, {'dilation': [2]}, {'output_padding': [1], 'stride': 2}, {'padding': 'same', 'stride': [1]}, {'padding': 'same', 'dilation': [2]}, {'padding': 'valid', 'stride': [2]}, {'padding': [1, 1, 1, 1]}, {'kernel_size': [3]}]:
        if ('output_padding' in options) if not kind.__name__.startswith('ConvT') else isinstance(options.get('padding'), str): continue
        m = kind(2, 3, **{'kernel_size': 3, **options})
        for p in m.parameters(): p.data = torch.arange(p.numel() * 1.0).reshape(p.shape) / 7
        try: y = m(torch.arange(2.0 * 6**n).reshape(1, 2, *[6] * n))
        except RuntimeError: y = 'RuntimeError'
        result.append([repr(m), m._reversed_padding_repeated_twice, y])
"""


@pytest.mark.oracle
def test_convolutions_take_lists_of_one_number(oracle):
    both(oracle, LISTS_OF_ONE)


# A module and the size of an input for it, where it takes one tensor.
MODULES = {
    "nn.LSTM(2, 3)": (4, 1, 2), "nn.LSTM(2, 3, 2, bidirectional=True, proj_size=2, bias=False)": (4, 1, 2), "nn.GRU(2, 3)": (4, 1, 2),
    "nn.RNN(2, 3, nonlinearity='relu')": (4, 1, 2), "nn.LSTMCell(2, 3)": (1, 2), "nn.GRUCell(2, 3)": (1, 2), "nn.RNNCell(2, 3)": (1, 2),
    "nn.MultiheadAttention(4, 2)": None, "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 5), 2)": (2, 1, 4),
    "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 5), 2)": None, "nn.Transformer(4, 2, 1, 1, 5)": None, "nn.Conv1d(1, 2, 3)": (1, 1, 5),
    "nn.Conv2d(1, 2, 3, padding='same')": (1, 1, 5, 5), "nn.Conv3d(1, 2, 3, padding=1, padding_mode='circular')": (1, 1, 5, 5, 5),
    "nn.ConvTranspose2d(1, 2, 3)": (1, 1, 5, 5), "nn.BatchNorm2d(2)": (2, 2, 3, 3), "nn.InstanceNorm1d(2, affine=True)": (2, 2, 3), "nn.GroupNorm(1, 2)": (1, 2),
    "nn.RMSNorm(2)": (1, 2), "nn.LocalResponseNorm(2)": (1, 2, 3), "nn.Embedding(3, 2, padding_idx=0)": None, "nn.EmbeddingBag(3, 2)": None, "nn.Bilinear(2, 3, 4)": None,
    "nn.Upsample(scale_factor=2)": (1, 1, 2, 2), "nn.PixelShuffle(2)": (1, 4, 2, 2), "nn.Unfold(2)": (1, 1, 4, 4), "nn.Unflatten(1, (2, 2))": (1, 4),
    "nn.ModuleDict({'a': nn.GELU()})": None, "nn.ParameterDict({'a': torch.ones(1)})": None, "nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6])": None,
    "nn.LazyLinear(3)": (1, 4), "nn.LazyConv2d(3, 2)": (1, 2, 4, 4), "nn.LazyBatchNorm1d()": (2, 4), "nn.utils.weight_norm(nn.Linear(2, 3))": (1, 2),
    "nn.utils.spectral_norm(nn.Linear(2, 3))": (1, 2), "nn.FractionalMaxPool2d(2, output_size=2)": None, "nn.MaxPool2d(2)": (1, 1, 4, 4),
    **{f"nn.{name}()": (2, 4) for name in ("ReLU6", "Hardtanh", "PReLU", "GELU", "GLU", "RReLU", "Dropout", "Softplus", "Mish")},
    **{f"nn.{name}()": None for name in ("CrossEntropyLoss", "CTCLoss", "TripletMarginLoss", "BCEWithLogitsLoss")},
}  # fmt: skip
NAMES = "nn = torch.nn\nimport math\nimport warnings; warnings.simplefilter('ignore')\n"
RUN = """
def flat(v): return v if isinstance(v, torch.Tensor) else [flat(e) for e in v if e is not None]
def results(m, size):
    m.eval()
    return [] if size is None else flat(m(torch.arange(float(math.prod(size))).reshape(size) / 7 - 1))
result = []
for k, (text, size) in enumerate(modules.items()):
    m = torch.load(f'{folder}/{k}', weights_only=False)
    y = results(m, size)
    result.append([text, type(m).__name__, {n: v for n, v in m.state_dict().items()}, y])
    m.train(); m.double(); repr(m)
"""


def saved(folder) -> str:
    """A program that saves the modules; they have their elements by a rule."""
    return f"""
folder, modules = {str(folder)!r}, {MODULES!r}
for k, text in enumerate(modules):
    m = eval(text)
    for p in m.parameters():
        if not isinstance(p, nn.parameter.UninitializedParameter): p.data = torch.arange(p.numel() * 1.0).reshape(p.shape) % 5 / 7 - 0.3
    for n, b in m.named_buffers():
        if n in ('weight_u', 'weight_v'): b.fill_(0.5)
    m.eval()
    torch.save(m, f'{{folder}}/{{k}}')
result = 0
"""


@pytest.mark.oracle
def test_files_of_whole_modules_are_read_by_each_other(oracle, tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir(), theirs.mkdir()
    here: dict = {"torch": torch}
    exec(NAMES + saved(ours), here)
    oracle.run(NAMES + saved(theirs))
    of_lazy = [k for k, text in enumerate(MODULES) if "Lazy" in text]  # what becomes of these is random
    read = {}
    for folder in (ours, theirs):
        there = oracle.run(f"{NAMES}folder, modules = {str(folder)!r}, {MODULES!r}\n{RUN}")
        exec(f"{NAMES}folder, modules = {str(folder)!r}, {MODULES!r}\n{RUN}", here)
        read[folder] = as_numpy(here["result"])
        for k, (a, b) in enumerate(zip(read[folder], there, strict=True)):
            if k in of_lazy:
                a, b = [*a[:2], list(a[2])], [*b[:2], list(b[2])]
            assert_equal(a, b, where=a[0])


def test_a_copied_recurrent_layer_uses_its_own_weights():
    layer = nn.LSTM(2, 3)
    other = copy.deepcopy(layer)
    assert all(a is b for a, b in zip(other._flat_weights, other.parameters(), strict=True)) and "_flat_weights" not in vars(other)
    assert isinstance(other._flat_weights_names, tuple)
