"""nn.utils.prune and the layouts of convolutions' weights, live beside PyTorch."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle

import monograph as torch
import pytest
from beside import TRY, both
from monograph import nn

prune = nn.utils.prune
BEGIN = (
    TRY
    + """
__import__(torch.__name__ + ".nn.utils.prune")
nn, P = torch.nn, torch.nn.utils.prune
torch.manual_seed(7)
m, c = nn.Linear(6, 5), nn.Conv2d(4, 6, 3)
def state(module): return [list(module.state_dict()), *module.state_dict().values(), [n for n, _ in module.named_parameters()]]
def trained(module, *shape):
    x = (torch.arange(torch.Size(shape).numel()).view(shape) / 7).sin()
    y = module(x)
    (y * y).sum().backward()
    out = [y, *(p.grad for p in module.parameters())]
    with torch.no_grad():
        for p in module.parameters(): p -= 0.1 * p.grad
    return [*out, module(x), *state(module)]
class Even(P.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask
"""
)
PROGRAMS = [
    "P.l1_unstructured(m, 'weight', 0.4); result = trained(m, 2, 6)",
    "P.l1_unstructured(m, 'weight', 7); P.l1_unstructured(m, 'bias', amount=2); result = trained(m, 2, 6)",
    "P.random_unstructured(m, 'weight', 0.3); result = trained(m, 2, 6)",
    "P.random_structured(c, 'weight', 2, dim=1); result = trained(c, 1, 4, 5, 5)",
    "P.ln_structured(c, 'weight', 0.5, n=2, dim=0); result = trained(c, 1, 4, 5, 5)",
    "P.ln_structured(c, 'weight', 1, n=float('inf'), dim=-1); result = state(c)",
    "P.ln_structured(m, 'weight', amount=0, n=1, dim=0); result = state(m)",
    "P.identity(m, 'weight'); result = trained(m, 2, 6)",
    "P.custom_from_mask(m, 'weight', torch.arange(30).view(5, 6) % 3 == 0); result = trained(m, 2, 6)",
    "P.l1_unstructured(m, 'weight', 5)\nP.random_unstructured(m, 'weight', 5)\nP.ln_structured(m, 'weight', 1, 2, 0)\nresult = [*trained(m, 2, 6), len(m._forward_pre_hooks), [type(h).__name__ for h in list(m._forward_pre_hooks.values())[0]]]",
    "P.ln_structured(m, 'weight', 2, 2, 0)\nP.ln_structured(m, 'weight', 1, 2, 1)\nresult = state(m)",
    "P.l1_unstructured(m, 'weight', 4, importance_scores=torch.arange(30.).view(5, 6)); result = state(m)",
    "P.ln_structured(m, 'weight', 2, 2, 0, importance_scores=torch.arange(30.).view(5, 6)); result = state(m)",
    "a, b = nn.Linear(3, 3), nn.Linear(3, 2)\nP.global_unstructured([(a, 'weight'), (b, 'weight'), (a, 'bias')], P.L1Unstructured, amount=0.5)\nP.global_unstructured([(a, 'weight'), (b, 'weight')], P.RandomUnstructured, amount=3)\nresult = [state(a), state(b)]",
    "P.global_unstructured([(m, 'weight')], P.L1Unstructured, importance_scores={(m, 'weight'): torch.arange(30.).view(5, 6)}, amount=3); result = state(m)",
    "w = m.weight; P.l1_unstructured(m, 'weight', 0.5); P.remove(m, 'weight'); result = [state(m), m.weight is w, len(m._forward_pre_hooks), m.weight.requires_grad]",
    "net = nn.Sequential(m, nn.ReLU()); before = P.is_pruned(net); P.identity(m, 'bias'); result = [before, P.is_pruned(net), P.is_pruned(m), P.is_pruned(net[1])]",
    "Even.apply(m, 'bias'); result = [state(m), Even().prune(torch.arange(1., 6)), P.L1Unstructured(2).prune(torch.tensor([3., 1., 2.])), P.L1Unstructured(1).prune(torch.ones(3), importance_scores=torch.tensor([3., 1., 2.]))]",
    "result = [attempt(lambda: P.l1_unstructured(m, 'weight', k))[0] for k in (-1, 1.5, -0.5, 'a', 31)]",
    "result = [attempt(lambda: P.remove(m, 'weight'))[0], attempt(lambda: P.ln_structured(m, 'bias', 1, 2, 0))[0], attempt(lambda: P.random_structured(m, 'weight', 1, 2))[0]]",
    "result = [attempt(lambda: P.l1_unstructured(m, 'weight', 1, importance_scores=torch.ones(2)))[0], attempt(lambda: P.custom_from_mask(m, 'weight', torch.ones(2)))[0], state(m)]",
    "result = [attempt(lambda: P.global_unstructured(3, P.L1Unstructured))[0], attempt(lambda: P.global_unstructured([(m, 'weight')], P.L1Unstructured, importance_scores=3))[0], attempt(lambda: P.global_unstructured([(m, 'weight')], P.LnStructured, amount=1, n=1))[0].replace('monograph', 'torch')]",
    "p = P.L1Unstructured(1); p._tensor_name = 'weight'; q = P.PruningContainer(p); r = P.L1Unstructured(1); r._tensor_name = 'bias'\nresult = [len(q), q[0] is p, list(q) == [p], attempt(lambda: q.add_pruning_method(3))[0]]",
    "result = [P.__all__ if False else sorted(n for n in ('BasePruningMethod', 'PruningContainer') if hasattr(P, n))]",
    "d = nn.Sequential(nn.Conv2d(2, 4, 3), nn.Sequential(nn.ConvTranspose2d(4, 2, 3), nn.Linear(2, 2)))\nU = torch.nn.utils\nr = U.convert_conv2d_weight_memory_format(d, torch.channels_last)\nresult = [r is d, d[0].weight.stride(), d[1][0].weight.stride(), d[1][1].weight.stride(), d[0].weight, U.convert_conv2d_weight_memory_format(d, torch.contiguous_format)[0].weight.stride()]",
    "d = nn.Sequential(nn.Conv3d(2, 4, 3), nn.ConvTranspose3d(4, 2, 3))\nU = torch.nn.utils\nw = d[0].weight\nU.convert_conv3d_weight_memory_format(d, torch.channels_last_3d)\nresult = [d[0].weight.stride(), d[1].weight.stride(), d[0].weight, d[0].weight is w]",
]


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS)
def test_beside_pytorch(oracle, program):
    both(oracle, BEGIN + program)


def test_a_pruned_module_can_be_copied_pickled_and_loaded():
    layer = prune.l1_unstructured(nn.Linear(4, 2), "weight", 3)
    with torch.no_grad():
        layer(torch.ones(4))  # the masked weight is a leaf now
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(torch.ones(4)), layer(torch.ones(4))) and prune.is_pruned(other)
    fresh = prune.identity(nn.Linear(4, 2), "weight")
    fresh.load_state_dict(layer.state_dict())
    assert torch.equal(fresh(torch.ones(4)), layer(torch.ones(4))) and (fresh.weight == 0).sum() == 3


def test_a_failed_method_leaves_the_parameter():
    class Broken(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            raise ValueError("no mask")

    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="no mask"):
        Broken.apply(layer, "weight")
    assert [n for n, _ in layer.named_parameters()] == ["bias", "weight"] and not prune.is_pruned(layer)


@pytest.mark.parametrize("name", ["nn.utils.prune", "nn.utils.memory_format", "utils.data.datapipe", "autograd.profiler", "random", "_override_tables"])
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module(f"monograph.{name}")
    result = doctest.testmod(module, extraglobs={"torch": torch}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed
