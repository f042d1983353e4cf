"""torch.autocast in a script: PyTorch's compiler casts the arguments of its own list of operators. The dtypes are those of PyTorch 2.13's scripts."""

from __future__ import annotations

import io
import linecache
from pathlib import Path

import monograph as torch
import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "torchscript_state"
REDUCED = "mm:x,x matmul:x,x addmm:x,x,x bmm:b,b F.linear:x,x mv:x,v addmv:v,x,v addr:x,v,v baddbmm:b,b,b addbmm:x,b,b conv1d:b,b prelu:x,w".split()
FULL = (
    "dot:v,v softmax:x,1 log_softmax:x,1 exp:x log:x pow:x,2 sum:x cumsum:x,1 cumprod:x,1 prod:x layer_norm:x,[2] F.gelu:x F.mse_loss:x,x F.l1_loss:x,x "
    "F.smooth_l1_loss:x,x cosine_similarity:x,x cdist:x,x logsumexp:x,1 add:x,h mul:x,h add:h,h sub:h,1 atan2:x,h addcmul:x,h,h tensordot:x,x acos:x rsqrt:x "
    "sinh:x tan:x reciprocal:x F.softplus:x dist:x,x"
).split()
# The last four are cast in a program without a script, and by no script.
AS_GIVEN = "relu:h tanh:h sigmoid:h mean:h max_pool1d:b,2 stack:[h,h] norm:h softmax:h,1 poisson_nll_loss:h,h,True,False,1e-8,1 conv_transpose2d:b[None],b[None].transpose(0,1)".split()


def program(call: str, region: str):
    """The script of one call inside of a region."""
    name, arguments = call.split(":", 1)
    text = (
        "import monograph as torch\nimport monograph.nn.functional as F\n\n\ndef f(x, h, b, v, w):\n"
        f"    with {region}:\n        r = {name if name.startswith('F.') else 'torch.' + name}({arguments})\n    return r\n"
    )
    file = f"<autocast {call} {region}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict = {}
    exec(compile(text, file, "exec"), names)
    return torch.jit.script(names["f"])


def inputs():
    x = torch.rand(2, 2)
    return x, x.bfloat16(), torch.rand(2, 2, 2), torch.rand(2), torch.rand(1)


def test_the_dtypes_of_results():
    region = "torch.autocast('cpu', dtype=torch.bfloat16)"
    for calls, wanted in ((REDUCED, torch.bfloat16), (FULL, torch.float32)):
        assert {call: program(call, region)(*inputs()).dtype for call in calls} == dict.fromkeys(calls, wanted)
    as_given = {call: program(call, region)(*inputs()).dtype for call in AS_GIVEN}
    assert as_given == {call: torch.float32 if call.startswith(("max_pool", "conv")) else torch.bfloat16 for call in AS_GIVEN}


@pytest.mark.parametrize(("region", "dtype"), [
    ("torch.autocast('cpu')", torch.bfloat16), ("torch.autocast('cpu', torch.float16)", torch.float16), ("torch.autocast('cpu', enabled=False)", torch.float32),
    ("torch.autocast(device_type='cuda')", torch.float32), ("torch.cuda.amp.autocast()", torch.float32), ("torch.amp.autocast('cpu')", torch.bfloat16),
    ("torch.cpu.amp.autocast()", torch.bfloat16), ("torch.autocast('cpu', dtype=torch.bfloat16, cache_enabled=False)", torch.bfloat16),
])  # fmt: skip
def test_regions(region, dtype):
    assert program("mm:x,x", region)(*inputs()).dtype is dtype


def halved(x):
    return torch.mm(x, x)


def nested(x, n: int):
    y = x
    with torch.autocast("cpu"):
        a = halved(x)
        with torch.autocast("cpu", enabled=False):
            b = torch.mm(x, x)
        for _ in range(n):
            if y.sum() > 0:
                y = torch.mm(y, x)
        c = torch.mm(x, x)
    return a, b, c, y, torch.mm(x, x)


def leaves(x, n: int):
    with torch.autocast("cpu"):
        if n > 0:
            return torch.mm(x, x)
        y = torch.mm(x, x)
    return y + torch.mm(x, x)


def test_a_region_is_what_stands_in_it():
    scripted = torch.jit.script(nested)
    dtypes = [torch.bfloat16, torch.float32, torch.bfloat16, torch.bfloat16, torch.float32]
    assert [r.dtype for r in scripted(torch.ones(2, 2), 2)] == dtypes
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    assert [r.dtype for r in torch.jit.load(file)(torch.ones(2, 2), 2)] == dtypes
    assert torch.jit.script(leaves)(torch.ones(2, 2), 1).dtype is torch.bfloat16 and torch.jit.script(leaves)(torch.ones(2, 2), 0).dtype is torch.float32


def test_gradients_pass_through_the_casts():
    x = torch.ones(2, 2, requires_grad=True)
    torch.jit.script(nested)(x, 1)[0].sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [[4, 4], [4, 4]]


def test_what_a_script_cannot_tell_is_an_error():
    def f(x, e: bool):
        with torch.autocast("cpu", enabled=e):
            return torch.mm(x, x)

    with pytest.raises(RuntimeError, match="'enabled' of torch.autocast must be a constant(.|\n)*HERE"):
        torch.jit.script(f)
    with pytest.raises(RuntimeError, match="unsafe to autocast"):
        program("F.binary_cross_entropy:x,x", "torch.autocast('cpu')")


def test_an_archive_of_pytorch():
    """In its code the region is an object of PyTorch's class. It was loaded, and computed in float32."""
    loaded = torch.jit.load(DATA / "autocast.pt")
    assert loaded(torch.ones(2, 2), torch.ones(2, 2)).dtype is torch.bfloat16
