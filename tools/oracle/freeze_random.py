"""Freezes PyTorch's random streams under tests/data/random/, for tests/cpp/random_test.cpp.

Run with the oracle's interpreter:  .venv-oracle/bin/python tools/oracle/freeze_random.py

streams.txt: line 1 the version, line 2 the seeds, then a case a line. A case is one or more steps on one generator, seeded anew for
each seed. A step is OP DTYPE NDIM SIZES.. STRIDES.. STORAGE OFFSET ARGS..: a storage of zeros, a strided view of it, a fill of the view.
  hash | STEP ; STEP | CRC32 of seed 0's bytes and whole state | CRC32 over all seeds, state digests included | seed 0's first bytes
  near | STEP ; STEP      the bytes of all seeds follow in near.bin (float64 normals: equal to a stated share, the rest within 2 ulp)
"""

import itertools
import pathlib
import warnings
import zlib

import pinned  # noqa: F401
import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)

SEEDS = [*range(90), 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**40 + 7, 67280421310721, 2**63 - 1, 2**63, 2**64 - 1]
DTYPES = {
    "uint8": torch.uint8, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64,
    "float16": torch.float16, "float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16,
    "bool": torch.bool, "complex64": torch.complex64, "complex128": torch.complex128,
}  # fmt: skip
HALVES = ["float16", "bfloat16"]
FLOATS = ["float32", "float64", *HALVES]
COMPLEX = ["complex64", "complex128"]
INTS = ["uint8", "int8", "int16", "int32", "int64"]
SIZES = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 100, 1000]

# Layouts as (sizes, strides, storage, offset).
FLAT = [((n,), (1,), n, 0) for n in SIZES]
DIMS = [
    ((), (), 1, 0),  # a scalar
    ((4, 5, 6), (30, 6, 1), 120, 0),
    ((2, 0, 3), (3, 3, 1), 0, 0),
    ((3, 1, 7), (7, 99, 1), 21, 0),  # the stride of a single element does not count
    ((4, 9), (9, 1), 40, 3),  # contiguous, at an offset
]
STRIDED = [
    ((50,), (2,), 100, 0),  # every second
    ((8, 6), (1, 8), 48, 0),  # transposed
    ((6, 4, 5), (1, 30, 6), 120, 0),  # permuted
    ((2, 3, 5, 7), (105, 1, 21, 3), 210, 0),  # channels_last
    ((3, 16), (20, 1), 63, 3),  # columns cut out
    ((17,), (3,), 51, 1),  # a column
    ((2, 1, 5), (5, 0, 1), 10, 0),  # a stride of 0 that repeats nothing
    ((3, 4), (2, 6), 25, 1),  # transposed with gaps
]
LAYOUTS = FLAT + DIMS + STRIDED
FEW = [FLAT[2], FLAT[5], FLAT[7], FLAT[11], DIMS[1], STRIDED[1]]
WIDE = [((2000,), (1,), 2000, 0)]


def ramp(n, dtype, mode):
    """Weights and probabilities that the test computes likewise: hundredths, or small integers with zeros among them."""
    index = torch.arange(n, dtype=torch.float64) * 37
    return ((index % 101) / 100 if mode == 0 else (index + 11) % 19).to(dtype)


def run(step, generator):
    op, name, (sizes, strides, storage, offset), args = step
    dtype = DTYPES[name]
    memory = torch.zeros(storage, dtype=dtype)
    view = memory.as_strided(sizes, strides, offset)
    if op == "uniform":
        view.uniform_(*args, generator=generator)
    elif op == "normal":
        view.normal_(*args, generator=generator)
    elif op == "random":
        view.random_(generator=generator)
    elif op == "range":
        view.random_(args[0], None if args[1] == "none" else args[1], generator=generator)
    elif op == "bernoulli":
        view.bernoulli_(*args, generator=generator)
    elif op == "bernoulli_tensor":  # args: dtype of p, whether it is one broadcast number or (2) in the reverse order of dimensions
        p_dtype, how = DTYPES[args[0]], args[1]
        if how == 1:
            p = torch.full((), 0.3, dtype=torch.float64).to(p_dtype)
        elif how == 2:
            p = ramp(view.numel(), p_dtype, 0).view(view.shape[::-1]).permute(tuple(reversed(range(view.dim()))))
        else:
            p = ramp(view.numel(), p_dtype, 0).view(view.shape)
        view.bernoulli_(p, generator=generator)
    elif op == "exponential":
        view.exponential_(*args, generator=generator)
    elif op == "dropout":
        view.fill_(1)
        view.copy_(torch.nn.functional.dropout(view, *args, training=True))  # draws from the default generator, which this is
    elif op == "randperm":
        torch.randperm(sizes[0], dtype=dtype, generator=generator, out=view)
    elif op == "multinomial":  # args: samples, replacement, mode of the weights; the view holds the weights
        view.copy_(ramp(view.numel(), dtype, args[2]).view(view.shape))
        memory = torch.multinomial(view, args[0], bool(args[1]), generator=generator).contiguous()
    return memory.reshape(-1).view(torch.uint8).numpy().tobytes() if memory.numel() else b""


def text(step):
    op, name, (sizes, strides, storage, offset), args = step
    words = [op, name, len(sizes), *sizes, *strides, storage, offset]
    return " ".join([*map(str, words), *(x.hex() if isinstance(x, float) else str(x) for x in args)])


def cases():
    """Yields (kind, steps)."""

    def each(op, dtypes, layouts, arguments=((),), kind="hash"):
        for name, layout, args in itertools.product(dtypes, layouts, arguments):
            yield kind, [(op, name, layout, tuple(args))]

    yield from each("uniform", FLOATS + COMPLEX, LAYOUTS, [(0.0, 1.0)])
    bounds = [(-b, b) for b in (0.0576, 1 / 3, 0.5773502691896258)] + [(-0.37, 0.81), (1.5, 7.25), (100.0, 101.3), (-2.0, -2.0)]
    yield from each("uniform", FLOATS + ["complex64"], FEW + WIDE, bounds)
    yield from each("uniform", ["float32"], FEW, [(1e8, 1e8 + 16)])
    yield from each("uniform", ["float64"], FEW, [(1e17, 1e17 + 128)])
    single = [*HALVES, "float32", "complex64"]
    yield from each("normal", single, LAYOUTS, [(0.0, 1.0)])
    yield from each("normal", single, FEW + WIDE, [(0.3, 2.7), (-5.0, 0.02)])
    yield from each("normal", ["float64"], [FLAT[3], FLAT[5], FLAT[7], FLAT[10], FLAT[11], STRIDED[1]], [(0.0, 1.0)], "near")
    yield from each("normal", ["complex128"], [FLAT[3], FLAT[7]], [(0.0, 1.0)], "near")
    yield from each("normal", ["float64"], [STRIDED[0], FLAT[10]], [(0.3, 2.7)], "near")
    yield from each("random", INTS + FLOATS + ["bool"], LAYOUTS)
    narrow = [(0, 2), (0, 100), (3, 127)]
    yield from each("range", INTS + FLOATS, LAYOUTS, [(0, 10)])
    yield from each("range", INTS + FLOATS, FEW, narrow)
    yield from each("range", INTS[1:] + FLOATS, FEW, [(-5, 7)])
    yield from each("range", INTS + FLOATS, FEW, [(0, "none"), (5, "none")])
    yield from each("range", INTS[2:] + FLOATS, FEW, [(0, 257), (0, 2049), (-7, 300)])
    yield from each("range", ["float16"], FEW, [(0, 65504), (-2047, 2051)])
    yield from each("range", ["bool"], LAYOUTS, [(0, 2), (0, "none"), (0, 1)])
    big = [(3, 2**28 + 2), (3, 2**28 + 3), (1 - 2**30, 2**30 - 1), (0, 2**24 + 5), (0, 2**24)]
    yield from each("range", ["int32", "int64", "float32", "float64", "bfloat16"], FEW, big)
    huge = [(-(2**40), 2**41), (-(2**63), "none"), (-(2**62), "none"), (-(2**63) + 5, 2**63 - 1)]
    yield from each("range", ["int64", "float32", "float64", "bfloat16"], FEW, huge)
    yield from each("range", ["float32", "float64"], FEW, [(2**24 + 1, 2**24 + 90)])
    yield from each("range", ["float64", "int64"], FEW, [(2**53 - 1, 2**53 + 100)])
    everything = INTS + FLOATS + ["bool"]
    yield from each("bernoulli", everything, LAYOUTS, [(0.3,)])
    yield from each("bernoulli", everything, FEW, [(0.0,), (1.0,), (0.9,)])
    some = FEW + [STRIDED[2], STRIDED[4], DIMS[0]]
    yield from each("bernoulli_tensor", everything, some, [(p, how) for p in FLOATS for how in (0, 1)])
    yield from each("bernoulli_tensor", ["float32", "bool"], DIMS + STRIDED, [("float32", 2), ("float64", 2)])
    yield from each("exponential", FLOATS, LAYOUTS, [(1.0,)])
    yield from each("exponential", FLOATS, FEW + WIDE, [(1.7,), (0.001,), (float("inf"),)])
    yield from each("dropout", FLOATS, [layout for layout in LAYOUTS if layout[2]], [(0.1,), (0.5,)])
    yield from each("randperm", INTS + FLOATS, FLAT[:-1])
    yield from each("randperm", INTS[2:] + FLOATS[:3], FLAT[-1:])
    rows = [FLAT[4], FLAT[7], FLAT[11], ((4, 7), (7, 1), 28, 0), ((5, 9), (1, 5), 45, 0), ((3, 8), (20, 2), 60, 1)]
    yield from each("multinomial", FLOATS, rows, [(1, 0, 0), (3, 0, 0), (3, 0, 1), (1, 1, 0), (40, 1, 0), (40, 1, 1)])
    yield from each("multinomial", FLOATS, [FLAT[12]], [(10, 0, 0), (15, 0, 1), (16, 0, 1), (500, 0, 0), (1000, 0, 0), (50, 1, 0)])

    # Sequences: what one call leaves in the generator, the next one meets.
    def flat(op, name, n, *args):
        return op, name, ((n,), (1,), n, 0), args

    odd = flat("normal", "float32", 3, 0.0, 1.0)
    yield "hash", [odd, odd, odd]
    yield "hash", [odd, flat("uniform", "float32", 5, 0.0, 1.0), flat("normal", "bfloat16", 1, 1.0, 2.0), flat("random", "int64", 4)]
    yield "hash", [odd, flat("normal", "float32", 20, 0.0, 1.0), odd]
    yield "hash", [flat("normal", "float32", 623, 0.0, 1.0), flat("uniform", "float64", 3, 0.0, 1.0), flat("randperm", "int64", 33)]
    yield "hash", [flat("random", "int32", 623), flat("bernoulli", "bool", 4, 0.5), flat("exponential", "float32", 700, 2.0)]
    half = flat("normal", "float16", 15, 0.0, 1.0)
    yield "hash", [flat("normal", "complex64", 7, 0.0, 1.0), flat("multinomial", "float32", 20, 5, 0, 0), half]
    yield "hash", [flat("dropout", "float32", 64, 0.1), flat("normal", "float32", 64, 0.0, 0.02), flat("range", "int64", 9, 0, 30522)]


def main():
    folder = pathlib.Path(__file__).parent.parent / "tests" / "data" / "random"
    folder.mkdir(parents=True, exist_ok=True)
    generator = torch.default_generator
    lines, near = [f"torch {torch.__version__} {torch.backends.cpu.get_cpu_capability()}", " ".join(map(str, SEEDS))], bytearray()
    for kind, steps in cases():
        line = f"{kind} | " + " ; ".join(map(text, steps))
        first = everything = 0
        head = b""
        for seed in SEEDS:
            generator.manual_seed(seed)
            results = [run(step, generator) for step in steps]
            if kind == "near":
                near += b"".join(results)
                continue
            state = generator.get_state().numpy().tobytes()
            for result in results:
                everything = zlib.crc32(result, everything)
            if seed == 0:
                first, head = zlib.crc32(state, everything), results[0][:16]
            everything = zlib.crc32(state[:24] + state[5016:], everything)
        lines.append(line if kind == "near" else f"{line} | {first:08x} | {everything:08x} | {head.hex()}")
    (folder / "streams.txt").write_text("\n".join(lines) + "\n")
    (folder / "near.bin").write_bytes(near)
    print(f"{len(lines) - 2} cases, {len(near)} bytes of arrays")


if __name__ == "__main__":
    main()
