"""The public C++ API: its example captures, saves and runs a program, which is the one that Python captures."""

import re
import subprocess
from pathlib import Path

import monograph as torch
import pytest
from monograph import _C

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "build" / "release" / "examples" / "cpp" / "example_capture"


def f(x, y):
    h = torch.softmax(torch.nn.functional.silu(x) * 2 + y, 1)
    return torch.cond(torch.sum(h * y) > 10, lambda v: (v,), lambda v: (v + 10,), (h,))[0]


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the release build's example_capture is not built")
@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_the_example_captures_what_python_captures(tmp_path, how):
    file = tmp_path / "g.mgraph"
    done = subprocess.run([EXAMPLE, file, *(["symbolic"] if how == "symbolic" else [])], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *text, values, refused, digest = done.stdout.splitlines()
    assert any("prim::If" in line for line in text)
    assert refused.startswith("refused: a symbolic tensor has no sizes")
    x, y = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), torch.full((2, 3), 0.5)
    loaded = torch.load_graph(str(file))
    assert digest == torch.jit.trace(f, (x, y)).graph.hash() == loaded.hash()
    assert torch.equal(loaded(x, y), f(x, y))
    assert [float(v) for v in values.split()] == pytest.approx(f(x, y).flatten().tolist(), rel=1e-5)


GENERATED = ROOT / "build" / "release" / "generated" / "monograph" / "generated"


@pytest.mark.skipif(not GENERATED.exists(), reason="the release build's headers are not generated")
def test_every_operator_of_the_package_is_a_function_or_method_in_cpp():
    functions, methods = ((GENERATED / name).read_text() for name in ("functions.inc", "methods.inc"))
    missing = []
    for modules in _C._functions().values():
        for name, value in modules.items():
            schemas = [str(schema) for schema in value._schemas]
            if any(schema.startswith("aten::") for schema in schemas) and not re.search(rf"\b{name}_?\(", functions + methods):
                missing.append(name)
    assert not missing
    # The overload's types, names and defaults are the schema's.
    assert "Tensor softmax(const Tensor& self, Int dim, std::optional<Dtype> dtype = {});" in functions
    assert "Tensor view(const Ints& size) const;" in methods
    assert "Tensor zeros(const Ints& size, const Options& options = {});" in functions
    assert "Tensor add_out(const Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha = 1);" in functions
