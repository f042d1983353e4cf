"""repr(tensor) is PyTorch's, on several hundred frozen cases (tools/oracle/freeze_repr.py)."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path

import monograph as torch
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "data" / "repr"
CASES = [(f"{f.stem}-{i}", case) for f in sorted(FOLDER.glob("*.json")) for i, case in enumerate(json.loads(f.read_text())["cases"])]


@pytest.fixture(autouse=True)
def _default_options():
    torch.set_printoptions(profile="default")
    yield
    torch.set_printoptions(profile="default")


def test_there_are_several_hundred_cases():
    assert len(CASES) > 300


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=[n for n, _ in CASES])
def test_repr(case: dict):
    tensor = eval(case["expression"], {"torch": torch, "inf": float("inf"), "nan": float("nan")})
    torch.set_printoptions(**case["options"])
    assert repr(tensor) == case["text"]


def test_a_gradient_function_prints_by_name():
    x = torch.ones(2, requires_grad=True)
    assert repr(x + 1) == "tensor([2., 2.], grad_fn=<AddBackward0>)"


class OwnTensor(torch.Tensor):
    pass


class OwnParameter(torch.nn.Parameter):
    pass


def test_a_parameter_of_a_subclass_prints_its_class():
    x = torch.arange(30.0)
    assert repr(OwnParameter(torch.ones(2))) == "Parameter containing:\nParameter(OwnParameter([1., 1.], requires_grad=True))"
    assert repr(OwnParameter(torch.ones(2), requires_grad=False)) == "Parameter containing:\nParameter(OwnParameter([1., 1.]))"
    assert repr(torch.nn.Parameter(torch.ones(1).as_subclass(OwnTensor))) == "Parameter(OwnTensor([1.], requires_grad=True))"
    assert repr(torch.nn.Parameter(torch.ones(1))) == "Parameter containing:\ntensor([1.], requires_grad=True)"
    assert repr(OwnParameter(x)).splitlines()[2] == " " * 14 + "13., 14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25.,"  # as wide as the class's own text


def test_format_of_one_number():
    assert f"{torch.tensor(1.5):.3f}" == "1.500"
    assert f"{torch.tensor(7):5d}" == "    7"
    assert f"{torch.tensor([1.0])}" == "tensor([1.])"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("torch.float32", "torch.float32"),
        ("torch.long", "torch.int64"),
        ("torch.device('cpu')", "device(type='cpu')"),
        ("torch.device('cuda', 1)", "device(type='cuda', index=1)"),
        ("torch.Size([2, 3])", "torch.Size([2, 3])"),
        ("torch.strided", "torch.strided"),
        ("torch.channels_last", "torch.channels_last"),
        ("torch.iinfo(torch.int8)", "iinfo(min=-128, max=127, dtype=int8)"),
        (
            "torch.finfo(torch.float32)",
            "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
        ),
    ],
)
def test_other_objects(value: str, text: str):
    assert repr(eval(value, {"torch": torch})) == text


# --- beside live PyTorch --------------------------------------------------------------------------------------------------------------

DTYPES = [
    "float32", "float64", "float16", "bfloat16", "complex64", "complex128", "int64", "int32", "int16", "int8", "uint8", "bool",
]  # fmt: skip


def random_tensor(rng: random.Random) -> str:
    """An expression over `torch`, the same in both: sizes, values and dtypes of all kinds."""
    dtype = rng.choice(DTYPES)
    shape = [rng.choice([0, 1, 1, 2, 3, 5, 7, 40] if rng.random() < 0.9 else [1001, 17]) for _ in range(rng.randint(0, 4))]
    while math.prod(shape) > 3000:
        shape.pop()
    count = min(60, max(1, rng.randint(1, 60)))
    scale = 10.0 ** rng.choice([-30, -6, -3, 0, 0, 0, 2, 4, 9, 30])

    def number() -> object:
        if dtype == "bool":
            return rng.random() < 0.5
        if "int" in dtype:
            return rng.randint(0 if dtype == "uint8" else -100, 100) * (10**12 if dtype == "int64" and rng.random() < 0.05 else 1)
        value = rng.choice([rng.gauss(0, 1), float(rng.randint(-9, 9)), 0.0]) * (1 if dtype == "float16" else scale)
        return rng.choice([math.inf, -math.inf, math.nan]) if rng.random() < 0.03 else value

    numbers = [complex(number(), number()) if "complex" in dtype else number() for _ in range(count)]  # type: ignore[arg-type]
    size = math.prod(shape)
    text = f"torch.tensor({numbers!r}, dtype=torch.{dtype}).repeat({size // count + 1})[:{size}].reshape({shape})"
    if rng.random() < 0.2 and len(shape) > 1:
        text += ".transpose(0, -1)"
    if rng.random() < 0.1 and size > 1:
        text += ".flatten()[::2]"
    if rng.random() < 0.1:
        text = f"torch.empty({shape}, dtype=torch.{dtype}, device='meta')"
    if "complex" in dtype and rng.random() < 0.4:
        text += ".requires_grad_()"  # operators of complex numbers have no gradients yet
    if "float" in dtype and rng.random() < 0.4:
        # Exact operators only: f"{x}" of one value shows all its digits, and a sum may differ in the last.
        text += ".requires_grad_()" + rng.choice(["", "", " * 1", ".neg()", ".amax()", ".view(-1)"])
    return text


def random_options(rng: random.Random) -> dict[str, object]:
    options: dict[str, object] = {"profile": rng.choice(["default", "default", "short", "full"])}
    if rng.random() < 0.4:
        options |= {"precision": rng.randint(0, 8), "linewidth": rng.choice([20, 60, 80, 120, 200])}
    if rng.random() < 0.4:
        options |= {"threshold": rng.choice([0, 5, 100, 10_000]), "edgeitems": rng.choice([1, 2, 3, 5])}
    if rng.random() < 0.3:
        options["sci_mode"] = rng.choice([True, False, None])
    return options


SHOW = """
result = []
for expression, options in CASES:
    torch.set_printoptions(**options)
    try:
        x = eval(expression)
        result.append([repr(x), str(x), f"{x}", repr(torch.nn.Parameter(x.detach(), False)), repr([x])])
    except Exception as error:
        result.append(type(error).__name__)
torch.set_printoptions(profile="default")
"""


@pytest.mark.oracle
def test_random_tensors_print_as_in_pytorch(oracle, sample_seed):
    rng = random.Random(sample_seed)
    cases = [(random_tensor(rng), random_options(rng)) for _ in range(400)]
    program = SHOW.replace("CASES", repr(cases))
    scope = {"torch": torch, "inf": math.inf, "nan": math.nan}
    theirs = oracle.run("inf, nan = float('inf'), float('nan')\n" + program)
    exec(program, scope)
    assert sum(isinstance(texts, list) for texts in theirs) > 300
    for case, ours, other in zip(cases, scope["result"], theirs):
        assert ours == other, case


OBJECTS = [
    "torch.Size([])", "torch.Size([1, 2])", "torch.device('meta')", "torch.device('cuda:1')", "torch.bfloat16", "torch.complex64", "torch.preserve_format", "torch.channels_last_3d",
    "torch.finfo(torch.float64)", "torch.finfo(torch.bfloat16)", "torch.iinfo(torch.uint8)", "torch.iinfo(torch.int64)", "torch.max(torch.arange(6.0).view(2, 3), 1)",
    "torch.sort(torch.tensor([3, 1, 2]))", "torch.nn.Parameter(torch.ones(2, 2))", "torch.nn.Parameter(torch.ones(2), requires_grad=False)", "torch.nn.Buffer(torch.ones(2))",
    "torch.nn.ParameterList([torch.nn.Parameter(torch.ones(2, 3))])", "torch.nn.ParameterDict({'a': torch.nn.Parameter(torch.ones(2))})", "torch.nn.ModuleDict({'a': torch.nn.Linear(1, 2)})",
    "torch.optim.Adam([torch.nn.Parameter(torch.ones(1))], lr=0.5)", "torch.optim.SGD([{'params': [torch.nn.Parameter(torch.ones(1))], 'lr': 1}, {'params': [], 'lr': 2.5}])",
    "torch.ones(2).untyped_storage().nbytes()", "torch.ones(2, 2).storage()", "torch.float64.to_complex()", "torch.ops.aten.add", "torch.ops.aten.add.Tensor",
    "torch.no_grad()", "torch.strided", "torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.ReLU()))", "str(torch.fx.symbolic_trace(torch.nn.ReLU()))",
    "torch.fx.symbolic_trace(lambda x: x + 1).graph.nodes and str(torch.fx.symbolic_trace(lambda x: x + 1).graph)", "list(torch.fx.symbolic_trace(lambda x, y=2: (x + y).relu()).graph.nodes)",
    "torch.jit.trace(torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Sequential(torch.nn.ReLU())), torch.ones(1, 1))", "torch.jit.trace(torch.nn.Linear(1, 2), torch.ones(1, 1))",
    "torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])", "torch.distributions.Normal(torch.zeros(2), 1.0)", "torch.autograd.graph.saved_tensors_hooks.__name__",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("expression", OBJECTS)
def test_objects_print_as_in_pytorch(oracle, expression):
    text = repr(eval(expression, {"torch": torch}))
    theirs = oracle.eval(f"repr({expression})")
    hidden = re.compile(r"object at 0x[0-9a-f]+>")
    assert hidden.sub("", text).replace("monograph.", "torch.") == hidden.sub("", theirs)
