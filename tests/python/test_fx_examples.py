"""The examples of torch.fx print the same in Python (examples/fx) and in C++ (examples/cpp/fx_*.cpp). examples/cpp/demo.py does the same with an installed copy."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(file.stem for file in (ROOT / "examples" / "fx").glob("*.py"))
BUILT = ROOT / "build" / "release" / "examples" / "cpp"


def test_each_example_has_both_languages():
    assert EXAMPLES == sorted(file.stem.removeprefix("fx_") for file in (ROOT / "examples" / "cpp").glob("fx_*.cpp"))
    assert len(EXAMPLES) == 6


@pytest.mark.skipif(not BUILT.exists(), reason="the release build's examples are not built")
@pytest.mark.parametrize("name", EXAMPLES)
def test_both_languages_print_the_same(name):
    outputs = []
    for command in ([sys.executable, ROOT / "examples" / "fx" / f"{name}.py"], [BUILT / f"example_fx_{name}"]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) >= 4
