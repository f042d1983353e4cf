"""Hooks and state dicts of nn.Module, live beside PyTorch and frozen."""

from __future__ import annotations

import copy
import doctest
import io
import pickle
import weakref

import monograph as torch
import pytest
from beside import TRY, both
from monograph import nn

BEGIN = (
    TRY
    + """
nn = torch.nn
log = []
def note(name, value=None):
    def hook(*given):
        log.append((name, [type(g).__name__ for g in given]))
        return value
    return hook
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.bn = nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2)
    def forward(self, x, scale=1.0): return self.b(self.a(x)) * scale
def same(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.arange(p.numel()).view(p.shape) / 3 - i)
    return net
net, x = same(Two()), torch.ones(3, 2, requires_grad=True)
"""
)
PROGRAMS = {
    "order": "net.register_forward_pre_hook(note('p1')); net.register_forward_pre_hook(note('p2'), prepend=True); net.register_forward_hook(note('f1')); net.register_forward_hook(note('f2'), prepend=True); net(x); result = log",
    "changes": "net.register_forward_pre_hook(lambda m, a: a[0] * 2); net.register_forward_hook(lambda m, a, r: r + 1); result = net(x)",
    "kwargs": "net.register_forward_pre_hook(lambda m, a, k: (a, {**k, 'scale': 3.0}), with_kwargs=True); net.register_forward_hook(lambda m, a, k, r: r + k['scale'], with_kwargs=True); result = net(x, scale=2.0)",
    "bad": "net.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True); result = attempt(lambda: net(x))",
    "always": "net.register_forward_hook(note('always'), always_call=True); net.register_forward_hook(note('not')); result = [attempt(lambda: net(torch.ones(3, 5)))[0][:12], log]",
    "removed": "h = net.register_forward_hook(note('f'), with_kwargs=True); h.remove(); h.remove(); net(x); result = [log, len(net._forward_hooks), len(net._forward_hooks_with_kwargs)]",
    "with": "\nwith net.register_forward_hook(note('f')): net(x)\nnet(x); result = log",
    "global": "\nmod = torch.nn.modules.module\nhs = [mod.register_module_forward_pre_hook(note('p')), mod.register_module_forward_hook(note('f'))]\nnet(x)\nfor h in hs: h.remove()\nnet(x); result = log",
    "backward": "net.register_full_backward_hook(note('b')); net.register_full_backward_pre_hook(note('bp')); net.a.register_full_backward_hook(note('a')); net(x).sum().backward(); result = [log, x.grad]",
    "backward changes": "net.a.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2 + go[0].sum(),)); net.register_full_backward_pre_hook(lambda m, go: (go[0] * 3,)); net(x).sum().backward(); result = [x.grad, net.a.weight.grad]",
    "backward without input": "net.register_full_backward_hook(note('b')); net(x.detach()).sum().backward(); result = log",
    "backward count": "net.register_full_backward_hook(lambda m, gi, go: (gi[0], None)); result = attempt(lambda: net(x).sum().backward())",
    "metadata": "result = [list(net.state_dict()._metadata.items()), list(nn.Sequential(nn.Sequential(nn.BatchNorm2d(1))).state_dict(prefix='p.')._metadata.items())]",
    "post hook": "net.a.register_state_dict_post_hook(lambda m, s, p, meta: s.update({p + 'more': torch.ones(1)})); net.register_state_dict_pre_hook(note('pre')); result = [list(net.state_dict()), log]",
    "post hook returns": "net.register_state_dict_post_hook(lambda *a: 3); result = attempt(lambda: net.state_dict())",
    "load pre hook": "\nnet.a.register_load_state_dict_pre_hook(lambda m, s, p, *rest: s.update({p + 'weight': s.pop(p + 'w')}))\ns = net.state_dict(); s['a.w'] = s.pop('a.weight') + 1\nresult = [attempt(lambda: str(net.load_state_dict(s))), net.a.weight]",
    "load post hook": "\nnet.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())\ns = net.state_dict(); del s['a.weight']\nresult = [attempt(lambda: str(net.load_state_dict(s))), attempt(lambda: str(same(Two()).load_state_dict(s, strict=False)))]",
    "keys": "\ns = net.state_dict(); s['x'] = s.pop('a.weight'); s['a.y.z'] = s['x']; s['bn.weight'] = torch.ones(3); s['a.bias'] = 3\nresult = [attempt(lambda: net.load_state_dict(s)), attempt(lambda: Two().load_state_dict(s, strict=False))]",
    "old batch norm": "\ns = dict(net.state_dict()); del s['bn.num_batches_tracked']; t = net.state_dict(); del t['bn.num_batches_tracked']\nresult = [attempt(lambda: str(net.load_state_dict(s))), attempt(lambda: net.load_state_dict(t))]",
    "assign": "\ns = net.state_dict(); m = Two()\nresult = [str(m.load_state_dict(s, assign=True)), m.a.weight.data_ptr() == s['a.weight'].data_ptr(), type(m.a.weight).__name__, m.a.weight.requires_grad]",
    "extra": "\nclass E(nn.Linear):\n    def get_extra_state(self): return {'v': 1}\n    def set_extra_state(self, s): self.got = s\ne = E(1, 1); s = e.state_dict(); e.load_state_dict(s); result = [list(s), e.got, attempt(lambda: nn.Linear(1, 1).load_state_dict(s)), attempt(lambda: e.load_state_dict(nn.Linear(1, 1).state_dict()))]",
    "override": "\nclass O(nn.Linear):\n    def _load_from_state_dict(self, state_dict, prefix, *args):\n        state_dict[prefix + 'bias'] = state_dict[prefix + 'weight'].sum(1)\n        super()._load_from_state_dict(state_dict, prefix, *args)\nn = nn.Sequential(O(2, 1)); n.load_state_dict({'0.weight': torch.ones(1, 2)}); result = n.state_dict()",
    "positional": "result = [attempt(lambda: list(net.a.state_dict(None, 'p.', True)))]",
    "destination": "d = {}; net.a.state_dict(destination=d, prefix='q.'); result = list(d)",
    "init": "result = [attempt(lambda: nn.Module(3)), attempt(lambda: nn.Module(a=1))]",
    "to_empty": "m = nn.Linear(2, 3, device='meta').to_empty(device='cpu'); result = [m.weight.shape, m.weight.is_meta, isinstance(m.weight, nn.Parameter)]",
    "scalar": "\nclass P(nn.Module):\n    def __init__(self):\n        super().__init__(); self.p = nn.Parameter(torch.tensor(0.0))\nm = P(); m.load_state_dict({'p': torch.ones(1)}); result = m.p",
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_hooks_and_state_dicts_are_pytorchs(oracle, name):
    both(oracle, BEGIN + PROGRAMS[name])


def test_hooks_of_a_copy_and_a_pickle():
    net = nn.Sequential(nn.Linear(2, 2))
    net[0].register_forward_hook(torch.nn.functional.relu and _double)
    x = torch.ones(1, 2)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(other(x), net(x)) and other[0]._forward_hooks


def _double(module, args, result):
    return result * 2


def test_a_module_without_newer_tables_can_be_called():
    net = nn.ReLU()
    state = {k: v for k, v in net.__dict__.items() if "hook" not in k or k in ("_forward_hooks", "_forward_pre_hooks")}
    made = nn.ReLU.__new__(nn.ReLU)
    made.__setstate__(state)
    assert made(torch.ones(1)).tolist() == [1] and made.state_dict() == {}


def test_a_handle_does_not_keep_the_module():
    net = nn.ReLU()
    handle, seen = net.register_forward_hook(_double), weakref.ref(net)
    del net
    assert seen() is None
    handle.remove()


def test_metadata_is_saved_and_loaded(tmp_path):
    file = io.BytesIO()
    torch.save(nn.BatchNorm1d(2).state_dict(), file)
    file.seek(0)
    state = torch.load(file)
    assert state._metadata == {"": {"version": 2}}
    del state["num_batches_tracked"]
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        nn.BatchNorm1d(2).load_state_dict(state)


@pytest.mark.parametrize("name", ["_module_hooks", "_module_state", "modules.module"])
def test_the_examples_in_docstrings_run(name):
    import importlib

    module = importlib.import_module(f"monograph.nn.{name}")
    result = doctest.testmod(module, extraglobs={"torch": torch, "nn": nn}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed


def test_a_class_may_keep_a_version_of_its_own():
    class Model(nn.Linear):
        _version = "4.1"

    net = Model(1, 1)
    assert net.state_dict()._metadata[""] == {"version": "4.1"} and not net.load_state_dict(net.state_dict()).missing_keys


LISTS = """
L = nn.ParameterList
a = L([torch.ones(2), nn.Parameter(torch.zeros(1)), 'text', nn.ReLU(), L([torch.ones(1)])])
a[1] = torch.full((3,), 2.0)
a += [torch.ones(1, 2)]
result = [repr(a), len(a), list(a.state_dict()), [type(v).__name__ for v in a], len(a[1:3]), a[-1], attempt(lambda: a[9]), attempt(lambda: L(torch.ones(2))), attempt(lambda: a(1)), repr(L())]
"""


@pytest.mark.oracle
def test_a_parameter_list_takes_what_pytorchs_takes(oracle):
    both(oracle, BEGIN + LISTS)
