"""`import functorch` where Monograph stands in for torch: the names of PyTorch 2.13, with their warnings."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import warnings
import torch, functorch
from functorch import combine_state_for_ensemble, grad, make_functional, make_functional_with_buffers, vmap

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(grad(lambda x: (x * x).sum())(torch.ones(2)), vmap(lambda x: x + 1)(torch.zeros(2)))
print([w.category.__name__ for w in caught], all(w.filename == __file__ for w in caught), str(caught[1].message)[86:150])
warnings.simplefilter("ignore")
layer = torch.nn.Linear(2, 1)
called, params = make_functional(layer)
print(called(tuple(torch.ones_like(p) for p in params), torch.ones(1, 2)).tolist(), [type(p).__name__ for p in params], params[0] is layer.weight)
print([p.requires_grad for p in make_functional(layer, disable_autograd_tracking=True)[1]])
try:
    make_functional(torch.nn.BatchNorm1d(2))
except RuntimeError as error:
    print(error)
called, params, buffers = make_functional_with_buffers(torch.nn.BatchNorm1d(2).eval())
print(called.buffer_names, called(params, buffers, torch.zeros(1, 2)).tolist())
called, params, buffers = combine_state_for_ensemble([torch.nn.Linear(2, 1) for _ in range(3)])
print([tuple(p.shape) for p in params], vmap(called, in_dims=(0, 0, None))(params, buffers, torch.ones(4, 2)).shape)
"""
EXPECTED = """
tensor([2., 2.]) tensor([1., 1.])
['FutureWarning', 'FutureWarning'] True rch.vmap` is deprecated as of PyTorch 2.0 and will be deleted in
[[3.0]] ['Parameter', 'Parameter'] False
[False, False]
make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead.
('running_mean', 'running_var', 'num_batches_tracked') [[0.0, 0.0]]
[(3, 1, 2), (3, 1)] torch.Size([3, 4, 1])
"""


def test_functorch_has_the_older_names_of_torch_func(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = subprocess.run([sys.executable, "-m", "monograph", tmp_path / "program.py"], capture_output=True, text=True)
    assert ran.stderr == "" and ran.stdout.strip() == EXPECTED.strip()
