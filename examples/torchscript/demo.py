"""A program that PyTorch trained, compiled and wrote (tools/oracle/freeze_torchscript_demo.py): looked at, run, edited and saved, without PyTorch.

    python examples/torchscript/demo.py

digits.pt reads handwritten digits. It looks at a picture until it is sure: a `while` whose condition is a tensor. expected.pt has PyTorch's results. Where
PyTorch is installed beside Monograph (`./dev setup` puts it into .venv-oracle), it loads and runs the edited file at the end.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import monograph as torch
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILE = HERE / "digits.pt"
BOUND = 1e-4  # of logits that reach 20


def program() -> str | None:
    """The `monograph` program of this build."""
    built = [os.environ.get("MONOGRAPH_PROGRAM"), ROOT / "build" / "release" / "monograph", shutil.which("monograph")]
    return next((str(p) for p in built if p and pathlib.Path(p).exists()), None)


def pytorch() -> str | None:
    """A Python that has PyTorch."""
    for python in (os.environ.get("MONOGRAPH_ORACLE"), ROOT / ".venv-oracle" / "bin" / "python"):
        if python and pathlib.Path(python).exists() and not subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
            return str(python)
    return None


def first_lines(command: list[str], count: int) -> None:
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print("$ monograph", *(pathlib.Path(word).name for word in command[1:]))
    for line in text.splitlines()[:count]:
        print("  " + line[:140])


def worst(net, inputs, logits, looks) -> float:
    """The largest difference of the logits; infinite where the loop ran another number of times."""
    differences = []
    for x, want, count in zip(inputs, logits, looks, strict=True):
        got, n = net(x)
        differences.append((got - want).abs().max().item() if n == count else float("inf"))
    return max(differences)


def by_program(monograph: str, file: pathlib.Path, x, want) -> float:
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x.numpy())
        command = [monograph, "run", str(file), "--input", f"{folder}/x.npy", "--output", f"{folder}/y.npy", "--output", f"{folder}/n.npy"]
        subprocess.run(command, check=True, capture_output=True)
        return float(np.abs(np.load(f"{folder}/y.npy") - want.detach().numpy()).max())


def edit(net) -> None:
    """Half as sure after the first look."""
    graph = net.graph
    for node in list(graph.nodes):
        if node.target == "aten::softmax":
            with graph.inserting_before(node):
                node.args = (graph.call_function("aten::mul", (node.args[0], 0.5)), *node.args[1:])


IN_PYTORCH = """
import sys, torch
data = torch.load(sys.argv[2])
net = torch.jit.load(sys.argv[1])
print(torch.__version__, max((net(x)[0] - y).abs().max().item() for x, y in zip(data["inputs"], data["logits"])))
"""


def main() -> int:
    expected = torch.load(HERE / "expected.pt")
    inputs, logits, looks = expected["inputs"], expected["logits"], expected["looks"]
    monograph = program()
    if monograph:
        first_lines([monograph, "info", str(FILE)], 8)
        first_lines([monograph, "print", str(FILE)], 6)
    net = torch.jit.load(FILE)
    print("\nthe code, as PyTorch wrote it:")
    print("  " + "\n  ".join(net.code.splitlines()[:12]))
    differences = [worst(net, inputs, logits, looks)]
    print(f"\neight pictures: looks {[net(x)[1] for x in inputs]}, digits {[net(x)[0].argmax().item() for x in inputs]}")
    print(f"difference from PyTorch's results: {differences[0]:.1e}")
    if monograph:
        differences.append(by_program(monograph, FILE, inputs[0], logits[0]))
        print(f"monograph run, without Python: {differences[-1]:.1e}")

    edit(net)
    edited = [net(x) for x in inputs]
    print(f"\nedited, half as sure after the first look: looks {[n for _, n in edited]}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "edited.pt"
        net.save(file)
        again = torch.jit.load(file)
        differences.append(worst(again, inputs, [y for y, _ in edited], [n for _, n in edited]))
        print(f"saved to {file.name}, {file.stat().st_size:,} bytes, and loaded: difference {differences[-1]:.1e}")
        if monograph:
            differences.append(by_program(monograph, file, inputs[0], edited[0][0]))
            print(f"monograph run: {differences[-1]:.1e}")
        python = pytorch()
        if python:
            data = pathlib.Path(folder) / "data.pt"
            torch.save({"inputs": inputs, "logits": [y.detach() for y, _ in edited]}, data)
            done = subprocess.run([python, "-W", "ignore", "-c", IN_PYTORCH, str(file), str(data)], capture_output=True, text=True)
            if done.returncode:
                print(done.stderr)
                return 1
            version, difference = done.stdout.splitlines()[0].split()
            differences.append(float(difference))
            print(f"PyTorch {version} loads and runs it: {differences[-1]:.1e}")
        else:
            print("PyTorch is not installed here, so it does not read the edited file back")
    ok = all(d <= BOUND for d in differences)
    print("\nall checks passed" if ok else "\nA CHECK FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
