"""Wrong calls of everyday functions raise PyTorch's kind of error, or are taken where PyTorch takes them."""

from __future__ import annotations

from typing import Any

import monograph as torch
import pytest

MAKE = """
import torch.nn.utils.rnn  # noqa
x, y, v = torch.ones(2, 3), torch.ones(3, 4), torch.ones(3)
n, b, z = torch.tensor([1, 2]), torch.tensor([True, False]), torch.ones(2, dtype=torch.complex64)
g = torch.ones(2, requires_grad=True)
nn, F, optim = torch.nn, torch.nn.functional, torch.optim
""".replace("import torch.nn.utils.rnn  # noqa\n", "")
DEVICES = ["'nope'", "'gpu'", "'cuda:x'", "''", "'CPU'", "3.5", "[1]", "torch.float32", "b'cpu'", "object()", "'cpu:0'", "'meta'", "torch.device('meta')", "None"]
PLACES_OF_DEVICES = [
    "torch.zeros(2, device={})", "torch.ones_like(x, device={})", "torch.tensor([1.0], device={})", "torch.as_tensor([1.0], device={})", "torch.arange(3, device={})",
    "torch.randn(2, device={})", "x.to({})", "x.to(device={})", "x.new_zeros(2, device={})", "x.new_tensor([1.0], device={})", "torch.device({})", "torch.full((2,), 1.0, device={})",
    "nn.Linear(2, 3, device={})", "nn.Linear(2, 3).to({})", "nn.Parameter(x).to({})", "torch.eye(2, device={})", "torch.empty(2, device={})", "torch.ops.aten.zeros([2], device={})",
    "torch.Generator({})", "torch.asarray([1.0], device={})", "torch.scalar_tensor(1.0, device={})", "torch.rand_like(x, device={})", "torch.randint(3, (2,), device={})",
]  # fmt: skip
DTYPES = ["'float32'", "float", "int", "bool", "complex", "3", "None", "torch.device('cpu')", "str", "[torch.float32]", "object()", "torch.strided"]
PLACES_OF_DTYPES = [
    "torch.zeros(2, dtype={})", "torch.ones_like(x, dtype={})", "torch.tensor([1], dtype={})", "torch.as_tensor([1], dtype={})", "torch.arange(3, dtype={})", "x.to({})",
    "x.to(dtype={})", "x.sum(dtype={})", "torch.softmax(x, 0, dtype={})", "x.new_zeros(2, dtype={})", "x.new_tensor([1], dtype={})", "x.type({})", "nn.Linear(2, 3, dtype={})",
    "nn.Linear(2, 3).to({})", "torch.finfo({})", "torch.iinfo({})", "torch.set_default_dtype({})", "torch.can_cast({}, torch.float32)", "torch.promote_types({}, torch.float32)",
    "torch.asarray([1], dtype={})", "torch.empty(2, dtype={})", "torch.cumsum(x, 0, dtype={})", "torch.full((2,), 1, dtype={})", "x.view({})", "torch.randint(3, (2,), dtype={})",
]  # fmt: skip
OTHERS = [
    "nn.Parameter(3)", "nn.Parameter([1.0])", "nn.Parameter('a')", "nn.Parameter(n)", "nn.Parameter(n, requires_grad=False)", "nn.Parameter()", "nn.Parameter(None)", "nn.Buffer(3)",
    "nn.Parameter(x, 3)", "torch.where(x > 0, x, x, out=x)", "torch.where(x > 0, x, x, out=torch.empty(0))", "torch.where(x > 0, x, x, out=torch.empty(0, dtype=torch.float64))",
    "torch.where(x > 0, x, 1, out=x)", "torch.where(x, x, x)", "torch.where(x > 0, x)", "torch.where(b)", "torch.where(1, 2, 3)", "x[5]", "x[0, 0, 0]", "x['a']", "x[1.5]", "x[v]",
    "x[b, b]", "x[:, 5]", "x[b[:1]]", "x.view(7)", "x.view(-1, -1)", "x.view('a')", "x.reshape(5)", "x.reshape(2.0, 3)", "x.expand(3, 3)", "x.permute(0)", "x.permute(0, 0)",
    "x.transpose(0, 5)", "x.squeeze(7)", "x.unsqueeze(9)", "x + y", "x @ x", "x @ 3", "x + 'a'", "x + None", "'a' + x", "x * [1, 2]", "x // 0", "n // 0", "n % 0", "1 / n", "x < 'a'", "x == 'a'",
    "x & x", "~x", "x << 1", "x ** 'a'", "-b", "b - b", "b + b", "n.sqrt()", "n.mean()", "b.mean()", "z < z", "z.max()", "z.sort()", "torch.cat([])", "torch.cat([x, y])", "torch.cat([x, 1])",
    "torch.cat(x)", "torch.stack([x, y])", "torch.stack([])", "torch.cat([x, x], dim=3)", "torch.cat([x, x], 'a')", "torch.mm(x, x)", "torch.mm(x, 3)", "torch.bmm(x, x)", "torch.dot(x, x)",
    "torch.matmul(x, 'a')", "torch.einsum('ij,jk', x)", "torch.einsum('ij', x, x)", "torch.einsum(x)", "torch.einsum('ij,jk', x, x)", "torch.zeros(-1)", "torch.zeros('a')", "torch.zeros(1.5)",
    "torch.zeros(2, 'a')", "torch.zeros((2, -3))", "torch.ones()", "torch.arange()", "torch.arange('a')", "torch.arange(0, 5, 0)", "torch.arange(5, 0)", "torch.linspace(0, 1)", "torch.linspace(0, 1, -1)",
    "torch.linspace(0, 1, 2.5)", "torch.tensor()", "torch.tensor('a')", "torch.tensor([1, 'a'])", "torch.tensor([[1], [1, 2]])", "torch.tensor(object())", "torch.tensor({})", "torch.tensor(None)",
    "torch.tensor([1.0], requires_grad='a')", "torch.tensor([1], requires_grad=True)", "torch.tensor([1.0], 3)", "torch.randn('a')", "torch.randint(5)", "torch.randint(5, 3)", "torch.randint(0, (2,))",
    "torch.randint(3, 2, (2,))", "torch.randperm(-1)", "torch.randperm(2.5)", "torch.multinomial(v, 5)", "torch.multinomial(-v, 1)", "torch.normal(0.0, -1.0, (2,))", "torch.bernoulli(v * 2)",
    "torch.manual_seed('a')", "torch.manual_seed(1.5)", "torch.eye(-1)", "torch.eye('a')", "torch.full((2,), 'a')", "torch.full((2,))", "torch.full(2, 1.0)", "x.sum(5)", "x.sum('a')", "x.sum(dim=(0, 0))",
    "x.mean(dim=2)", "x.max(5)", "x.max('a')", "x.argmax(4)", "torch.zeros(0).max()", "torch.zeros(0).argmax()", "torch.zeros(0).mean()", "x.item()", "x.tolist(1)", "x.numpy(1, 2)", "g.numpy()", "int(x)", "float(x)",
    "bool(x)", "len(torch.tensor(1))", "iter(torch.tensor(1))", "list(torch.tensor(1))", "hash(x) and 1", "x.backward()", "g.backward()", "g.sum().backward(torch.ones(2))", "g.sum().backward('a')",
    "torch.autograd.grad(g.sum(), x)", "torch.autograd.grad(g.sum(), 3)", "torch.autograd.grad(x.sum(), g)", "torch.autograd.grad(g * 2, g)", "torch.autograd.backward(3)", "g.add_(1)", "g.requires_grad_('a')",
    "n.requires_grad_()", "n.float().requires_grad_(1)", "x.requires_grad_(None)", "setattr(x, 'grad', 3)", "setattr(x, 'grad', torch.ones(5))", "setattr(x, 'requires_grad', 'a')", "setattr(x, 'data', 3)",
    "setattr(x, 'shape', (1,))", "x.no_such_name", "torch.no_such_name", "nn.NoSuchLayer", "x.gather(0, n)", "x.gather(0, torch.zeros(2, 3))", "x.gather(0, torch.full((2, 3), 5))", "x.scatter_(0, n, 1)",
    "x.index_select(0, torch.tensor([5]))", "x.index_select(0, v)", "x.index_select(5, n)", "x.masked_fill(x, 1)", "x.masked_fill(x > 0, 'a')", "x.masked_select(n)", "x.topk(9)", "x.topk(-1)", "x.topk('a')",
    "x.sort(9)", "x.chunk(0)", "x.chunk('a')", "x.split(0)", "x.split([1, 5])", "x.split('a')", "x.repeat(2)", "x.repeat('a')", "x.repeat(-1, 1)", "x.tile('a')", "x.flip(5)", "x.flip('a')", "x.roll(1, 9)", "x.clamp()",
    "x.clamp('a')", "x.clamp(min='a')", "x.fill_('a')", "x.fill_(x)", "x.copy_(y)", "x.copy_('a')", "x.norm('a')", "x.std(5)", "x.var('a')", "x.unfold(0, 9, 1)", "x.diagonal(0, 1, 1)", "v.diagonal()", "x.trace(1)",
    "y.trace()", "v.trace()", "torch.linalg.inv(x)", "torch.linalg.inv(torch.zeros(2, 2))", "torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))", "torch.linalg.cholesky(-torch.eye(2))", "torch.linalg.svd(v)",
    "torch.linalg.eigh(x)", "torch.linalg.det(x)", "torch.linalg.norm(x, 'a')", "torch.cross(x, y)", "torch.cdist(x, y)", "torch.meshgrid(x, x)", "torch.broadcast_tensors(x, y)", "torch.broadcast_to(x, (5,))",
    "nn.Linear(2)", "nn.Linear('a', 2)", "nn.Linear(2, 3)(x)", "nn.Linear(3, 2)(n)", "nn.Linear(3, 2)('a')", "nn.Linear(-1, 2)", "nn.Linear(3, 2)()", "nn.Linear(3, 2)(x, x)", "nn.Conv2d(1, 2)", "nn.Conv2d(3, 5, 3, groups=2)",
    "nn.Conv2d(1, 2, 3)(x)", "nn.Conv2d(1, 2, 3)(torch.ones(1, 2, 5, 5))", "nn.Conv2d(1, 2, 9)(torch.ones(1, 1, 5, 5))", "nn.Conv2d(1, 2, 3, padding='nope')", "nn.Conv2d(1, 2, 3, padding_mode='nope')",
    "nn.BatchNorm1d(4)(x)", "nn.BatchNorm2d(3)(x)", "nn.BatchNorm1d(3)(torch.ones(1, 3))", "nn.LayerNorm(4)(x)", "nn.GroupNorm(2, 3)", "nn.GroupNorm(3, 6)(x)", "nn.Embedding(3, 2)(v)", "nn.Embedding(3, 2)(torch.tensor([5]))",
    "nn.Embedding(3, 2, padding_idx=7)", "nn.Dropout(2.0)", "nn.Dropout('a')", "nn.Dropout(-0.5)", "nn.MaxPool2d(2)(v)", "nn.MaxPool2d(2, padding=5)(torch.ones(1, 1, 4, 4))", "nn.LSTM(3, 4)(torch.ones(2, 2, 5))", "nn.LSTM(3)",
    "nn.LSTM(3, 4, proj_size=9)", "nn.GRU(3, 4)(torch.ones(2, 2, 3), torch.ones(1, 5, 4))", "nn.RNN(3, 4, nonlinearity='nope')", "nn.MultiheadAttention(5, 2)", "nn.Transformer(5, 2)", "nn.Sequential(3)", "nn.Sequential(nn.ReLU())[3]",
    "nn.Sequential(nn.ReLU())['a']", "nn.ModuleList([3])", "nn.ModuleList(3)", "nn.ModuleDict({'a': 3})", "nn.ModuleDict({'a.b': nn.ReLU()})", "nn.ParameterList(['a'])", "nn.Module()(x)", "nn.Module().forward(x)",
    "nn.Module().no_such", "nn.Module().register_buffer('a.b', x)", "nn.Module().register_buffer('a', 3)", "nn.Module().register_parameter('a', x)", "nn.Module().add_module('a', 3)", "nn.Module().get_submodule('a')",
    "nn.Linear(2, 2).get_parameter('no')", "nn.Linear(2, 2).load_state_dict({})", "nn.Linear(2, 2).load_state_dict(3)", "nn.Linear(2, 2).load_state_dict({'weight': torch.ones(3, 3), 'bias': torch.ones(2)})", "nn.Linear(2, 2).to(torch.int32)",
    "nn.Linear(2, 2).train('a')", "nn.Linear(2, 2).apply(3)", "nn.Flatten(5)(x)", "nn.Unflatten(1, (2, 2))(x)", "nn.Softmax(dim=5)(x)", "nn.CrossEntropyLoss()(x, torch.tensor([0, 5]))", "nn.CrossEntropyLoss()(x, x[:1])",
    "nn.CrossEntropyLoss(reduction='nope')(x, n)", "nn.CrossEntropyLoss()(x, v)", "nn.NLLLoss()(x, n.float())", "nn.MSELoss()(x, y)", "nn.MSELoss()(x, 3)", "nn.BCELoss()(x * 2, x)", "nn.BCELoss()(x, y)", "nn.BCEWithLogitsLoss()(x, y)",
    "nn.KLDivLoss(reduction='nope')(x, x)", "nn.CTCLoss()(x, x, n, n)", "nn.TripletMarginLoss()(x, y, x)", "nn.Upsample(scale_factor=2)(x)", "F.interpolate(torch.ones(1, 1, 2, 2))", "F.interpolate(torch.ones(1, 1, 2, 2), size=4, scale_factor=2)",
    "F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2, mode='nope')", "F.pad(x, (1,))", "F.pad(x, (1, 1), mode='nope')", "F.pad(x, 'a')", "F.one_hot(v)", "F.one_hot(n, 1)", "F.one_hot(-n)", "F.softmax(x, 'a')", "F.linear(x, y)",
    "F.embedding(v, x)", "F.dropout(x, 1.5)", "F.gumbel_softmax(n)", "F.normalize(x, dim=9)", "F.cosine_similarity(x, y)", "F.conv2d(x, y)", "F.unfold(x, 2)", "F.grid_sample(x, x)", "F.relu('a')", "F.relu(3)", "F.relu()", "F.cross_entropy(x, 3)",
    "optim.SGD([], lr=0.1)", "optim.SGD(nn.Linear(2, 2).parameters(), lr=-1)", "optim.SGD(x, lr=0.1)", "optim.SGD([3], lr=0.1)", "optim.SGD([g * 2], lr=0.1)", "optim.SGD([g], lr='a')", "optim.SGD([g], lr=0.1, momentum=-1)",
    "optim.SGD([g], lr=0.1, nesterov=True)", "optim.SGD([{'params': [g]}, {'params': [g]}], lr=0.1)", "optim.Adam([g], betas=(2, 0.9))", "optim.Adam([g], eps=-1)", "optim.Adam([g], no_such=1)", "optim.Adam(3)", "optim.Adam({'a': g})",
    "optim.LBFGS([g]).step()", "optim.SGD([g], 0.1).load_state_dict({})", "optim.SGD([g], 0.1).add_param_group(3)", "optim.lr_scheduler.StepLR(3, 1)", "optim.lr_scheduler.StepLR(optim.SGD([g], 0.1), 0).step()",
    "optim.lr_scheduler.MultiStepLR(optim.SGD([g], 0.1), 3)", "optim.lr_scheduler.OneCycleLR(optim.SGD([g], 0.1), 0.1)", "optim.lr_scheduler.CyclicLR(optim.SGD([g], 0.1), 0.1, 1, mode='nope')",
    "optim.lr_scheduler.ReduceLROnPlateau(optim.SGD([g], 0.1), mode='nope')", "torch.utils.data.DataLoader(3)[0]", "torch.utils.data.DataLoader([1], batch_size=0)", "torch.utils.data.DataLoader([1], batch_size='a')",
    "torch.utils.data.DataLoader([1], sampler=[0], shuffle=True)", "torch.utils.data.DataLoader([1], num_workers=-1)", "next(iter(torch.utils.data.DataLoader([object()])))", "next(iter(torch.utils.data.DataLoader([])))",
    "next(iter(torch.utils.data.DataLoader([x, y], batch_size=2)))", "torch.utils.data.TensorDataset(x, y)", "torch.utils.data.random_split([1, 2], [1, 2])", "torch.utils.data.Subset([1], [5])[0]", "torch.utils.data.ConcatDataset([])",
    "torch.utils.data.RandomSampler([], replacement=False)", "torch.utils.data.RandomSampler([1], num_samples=0)", "torch.utils.data.WeightedRandomSampler([1.0], 5, replacement=False)", "torch.load('/no/such/file')", "torch.save(x, '/no/such/dir/f')",
    "torch.save(x, 3)", "torch.load(3)", "torch.from_numpy(x)", "torch.from_numpy([1])", "torch.set_num_threads(0)", "torch.set_num_threads('a')", "torch.set_default_dtype(torch.int32)", "torch.set_printoptions(profile='nope')",
    "torch.distributions.Normal(0.0, -1.0)", "torch.distributions.Normal(v, torch.ones(2))", "torch.distributions.Categorical(-v)", "torch.distributions.Categorical()", "torch.distributions.Bernoulli(2.0)", "torch.distributions.Normal(0.0, 1.0).log_prob('a')",
    "torch.nn.utils.clip_grad_norm_(3, 1.0)", "torch.nn.utils.clip_grad_norm_([g], 'a')", "torch.nn.utils.rnn.pack_padded_sequence(x, n)", "torch.nn.utils.rnn.pad_sequence([])", "torch.nn.utils.rnn.pad_sequence([x, y])", "torch.nn.init.xavier_uniform_(v)",
    "torch.nn.init.kaiming_normal_(x, mode='nope')", "torch.nn.init.calculate_gain('nope')", "torch.jit.script(3)", "torch.fft.fft('a')", "torch.fft.fft(x, dim=9)", "torch.cumsum(x, 9)", "torch.cumsum(x)", "torch.histc(n)", "torch.bincount(v)",
    "torch.bincount(-n)", "torch.unique(3)", "torch.isclose(x, n)", "torch.allclose(x, y)", "torch.equal(x, 3)", "torch.searchsorted(v, 'a')", "torch.bucketize(v, x)", "torch.quantile(x, 2.0)", "torch.quantile(n, 0.5)", "torch.median(x, 9)", "torch.kthvalue(x, 9)",
]  # fmt: skip
# Calls whose kind of error differs; docs/design/plan.md names them.
DIFFER = {
    'x.to(3.5)',
    'nn.Linear(2, 3).to(3.5)',
    'nn.Parameter(x).to(3.5)',
    "torch.set_printoptions(profile='nope')",
}
KINDS = """
result = {}
for text in texts:
    scope = {"torch": torch}
    exec(make, scope)
    try:
        eval(text, scope)
        result[text] = "no error"
    except Exception as error:
        result[text] = type(error).__name__
    torch.set_default_dtype(torch.float32)
"""


def texts() -> list[str]:
    given = [place.format(device) for place in PLACES_OF_DEVICES for device in DEVICES]
    given += [place.format(dtype) for place in PLACES_OF_DTYPES for dtype in DTYPES]
    return given + OTHERS


@pytest.mark.oracle
def test_the_kinds_of_errors_are_pytorchs(oracle):
    ours: dict[str, Any] = {"torch": torch, "texts": texts(), "make": MAKE}
    exec(KINDS, ours)
    theirs = oracle.run(KINDS, texts=texts(), make=MAKE)
    differ = {text: f"{ours['result'][text]} here, {theirs[text]} in PyTorch" for text in theirs if ours["result"][text] != theirs[text]}
    assert {text for text in differ if "b'cpu'" not in text} == DIFFER, differ


@pytest.mark.parametrize("call", ["torch.zeros(2, device='nope')", "torch.ones(2).to('gpu')", "torch.ops.aten.zeros([2], device='nope')", "torch.tensor([1.0], device='nope')"])
def test_a_text_that_names_no_device(call):
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda, ipu, .* device type at start of device string: (nope|gpu)"):
        eval(call)


def test_a_parameter_is_made_of_a_tensor():
    with pytest.raises(AttributeError, match=r"'int' object has no attribute 'detach': Parameter\(\) takes a Tensor, but got int; make one with torch.tensor\(...\)"):
        torch.nn.Parameter(3)


def test_where_writes_into_out():
    x, out = torch.tensor([1.0, -1.0]), torch.empty(2)
    assert torch.where(x > 0, x, torch.zeros(2), out=out) is out and out.tolist() == [1, 0]
    with pytest.raises(RuntimeError, match="dtype"):
        torch.where(x > 0, x, x, out=torch.empty(2, dtype=torch.int64))
