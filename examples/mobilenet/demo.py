"""MobileNetV3 as torchvision writes it, from its package to a program that runs without Python: no PyTorch anywhere.

    python examples/mobilenet/demo.py

torchvision says `import torch`, which is Monograph here: install_as_torch() comes first. The package and Pillow, which it imports, come from PyPI. They are
downloaded once, without their dependencies, of which PyTorch is one. The weights are random, from one seed; published ones are a file of their own, which
this demo does not fetch. PyTorch 2.13 gave the first logits below for the same seed and the same picture.
"""

import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "mobilenet"
PACKAGES = {"torchvision": "torchvision==0.28.0", "PIL": "pillow==13.0.0"}
# The logits of PyTorch 2.13 for the first picture.
EXPECTED = [
    "0x1.6b0b4ep-11", "0x1.c34aacp-8", "-0x1.39e012p-8", "-0x1.304388p-9", "0x1.5fba4cp-8",
    "-0x1.a167bcp-8", "0x1.c0002ap-7", "0x1.23b3c4p-7", "0x1.f8899cp-9", "-0x1.6ad204p-8",
]  # fmt: skip
BOUND = 1e-5  # of the largest logit


def fetch() -> None:
    """torchvision and Pillow in a folder of their own, where they are not there yet."""
    if not all((CACHE / name).is_dir() for name in PACKAGES):
        print(f"installing {' and '.join(PACKAGES.values())} (15 MB) from PyPI, without dependencies ...", flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(CACHE)]
        done = subprocess.run([*pip, *PACKAGES.values()], capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr.strip() or "nothing").splitlines()[-1]
            sys.exit(
                f"pip could not install {' and '.join(PACKAGES.values())}, and said: {said}\nThis demo needs them once, from PyPI or in {CACHE}"
            )


def program() -> str | None:
    """The `monograph` program of this build."""
    built = [os.environ.get("MONOGRAPH_PROGRAM"), ROOT / "build" / "release" / "monograph", shutil.which("monograph")]
    return next((str(p) for p in built if p and pathlib.Path(p).exists()), None)


def picture(torch, n):
    """Pictures of 224 x 224: rings about a point that moves from one to the next."""
    rows, columns = torch.meshgrid(torch.arange(224.0), torch.arange(224.0), indexing="ij")
    rings = [((rows - 60 - 30 * k) ** 2 + (columns - 80 - 20 * k) ** 2).sqrt() / 10 for k in range(n)]
    return torch.stack([torch.stack([(r + c).sin() for c in range(3)]) for r in rings])


def calibrated(net, x, torch):
    """The network after one pass in training mode, which gives its batch norms the statistics of these pictures: random weights alone leave logits of 1e-10."""
    for layer in net.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.momentum = None  # the statistics are the average of all passes, of which there is one
    with torch.no_grad():
        net.train()(x)
    return net.eval()


def relative(found, expected) -> float:
    return ((found - expected).abs().max() / expected.abs().max()).item()


def median_ms(f, x, torch) -> float:
    spent = []
    with torch.no_grad():
        for _ in range(9):
            begin = time.perf_counter()
            f(x)
            spent.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(spent[2:])


def without_python(file, x, expected, torch) -> float | None:
    """The difference of what the program `monograph` computes, with no Python in its process; None without the program."""
    import numpy as np

    monograph = program()
    if monograph is None:
        print("the program `monograph` is not there: ./dev build makes it, or MONOGRAPH_PROGRAM names one")
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x.numpy())
        begin = time.perf_counter()
        command = [monograph, "run", str(file), "--input", f"{folder}/x.npy", "--output", f"{folder}/y.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent = 1e3 * (time.perf_counter() - begin)
        found = torch.from_numpy(np.load(f"{folder}/y.npy"))
    worst = relative(found, expected)
    print(f"monograph run {file.name}: {len(x)} pictures in {spent:.0f} ms with starting and loading; difference from Python's {worst:.1e}")
    return worst


def passed(differences: list[float | None]) -> bool:
    """Whether everything was checked and held; a difference that could not be measured is None."""
    return all(d is not None and d <= BOUND for d in differences)


def main() -> int:
    print("PyTorch in this environment:", "yes" if importlib.util.find_spec("torch") else "no")
    fetch()
    sys.path.append(str(CACHE))
    import monograph

    monograph.install_as_torch()
    import torch  # Monograph
    import torchvision

    torch.manual_seed(0)
    net = torchvision.models.mobilenet_v3_small(weights=None, num_classes=10)
    print(
        f"torchvision {torchvision.__version__}, mobilenet_v3_small: {sum(p.numel() for p in net.parameters()):,} parameters; torch is {torch.__name__}"
    )
    x = picture(torch, 3)
    expected = calibrated(net, x, torch)(x).detach()
    differences: list[float | None] = [relative(expected[0], torch.tensor([float.fromhex(v) for v in EXPECTED]))]
    print(f"logits of PyTorch 2.13 from the same seed: largest difference {differences[0]:.1e} of the largest")

    begin = time.perf_counter()
    captured = torch.capture(net, x[:1])
    print(f"\ncaptured in {1e3 * (time.perf_counter() - begin):.0f} ms\n" + captured.report())
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / "mobilenet_v3_small.mgraph"
    captured.graph.save(file)
    loaded = torch.load_graph(file)
    plan = loaded.build()
    print(f"saved to {file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.1f} MB; its code begins")
    for line in str(loaded).splitlines()[:6]:
        print("  " + line[:150])
    with torch.no_grad():
        differences += [relative(run(x), expected) for run in (captured, loaded, plan)]
    print(f"three pictures by the graph, the loaded graph and the plan: largest difference from the module {max(differences[1:]):.1e}")
    print(
        f"one picture on {torch.get_num_threads()} thread(s): {median_ms(net, x[:1], torch):.1f} ms by the module, {median_ms(plan, x[:1], torch):.1f} ms by the plan"
    )
    differences.append(without_python(file, x, expected, torch))
    ok = passed(differences)
    print("\nall checks passed" if ok else "\nA CHECK FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
