"""Which dtypes an out= tensor may have: what PyTorch takes, for the out= form of every record with samples (tests/data/ops).

    support_matrix --samples | .venv-oracle/bin/python tools/oracle/out_dtypes.py tests/data/ops

prints a line of JSON for each: the overload, the case, the dtypes of its results, and for each result the dtypes that are taken.
tests/python/test_out_dtypes.py asks Monograph the same through `taken`."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DTYPES = "uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128 bool bfloat16".split()
OPTIONS = ("dtype", "layout", "device", "pin_memory")


def decode(torch: Any, v: Any) -> Any:
    if isinstance(v, list):
        return [decode(torch, x) for x in v]
    if not isinstance(v, dict):
        return v
    if "x" in v:
        dtype = getattr(torch, v["t"])
        if not v["x"]:
            return torch.empty(v["s"], dtype=dtype)
        flat = torch.frombuffer(bytearray.fromhex(v["x"]), dtype=dtype)
        return flat.as_strided(v["s"], v["st"], v["o"])
    if "m" in v:
        return [torch.contiguous_format, torch.preserve_format, torch.channels_last][v["m"]]
    if "z" in v:
        return complex(*v["z"])
    if "f" in v:
        return float(v["f"])
    return getattr(torch, v["d"]) if "d" in v else torch.device(v["c"])


def operator(torch: Any, name: str) -> Any:
    """The overload of this name, or None."""
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    try:
        return getattr(getattr(getattr(torch.ops, space), base), overload or "default")
    except AttributeError:
        return None


def taken(torch: Any, row: dict[str, Any]) -> list[list[str]]:
    """For each result of a row's case the dtypes that an out= tensor may have, beside others of the right dtype."""
    call = operator(torch, row["op"])
    args = [decode(torch, a) for a in row["a"]]
    positional = [a for a, how in zip(args, row["how"], strict=True) if how is None]
    keywords = {how: a for a, how in zip(args, row["how"], strict=True) if how}
    found: list[list[str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for which in range(len(row["r"])):
            found.append([])
            for dtype in DTYPES:
                dtypes = [*row["r"][:which], dtype, *row["r"][which + 1 :]]
                outs = {name: torch.empty(0, dtype=getattr(torch, d)) for name, d in zip(row["outs"], dtypes, strict=True)}
                try:
                    call(*positional, **keywords, **outs)
                except Exception:  # noqa: BLE001 - whatever PyTorch raises: it is not taken
                    continue
                found[-1].append(dtype)
    return found


def forms(torch: Any, names: list[str]) -> dict[str, list[Any]]:
    """The out= overloads of each operator without effects, by the operator's name."""
    schemas = {name: op._schema for name in names if (op := operator(torch, name)) is not None}
    found: dict[str, list[Any]] = {}
    for name, schema in schemas.items():
        outs = [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write and a.kwarg_only]
        own = [a for a in schema.arguments if a.name not in outs]
        if not outs:
            continue
        for other, of in schemas.items():
            if of.name != schema.name or any(a.alias_info and a.alias_info.is_write for a in of.arguments):
                continue
            theirs = [a for a in of.arguments if a.name not in OPTIONS or a.name in {x.name for x in own}]
            if [(a.name, str(a.type)) for a in theirs] == [(a.name, str(a.type)) for a in own]:
                how = [a.name if a.kwarg_only else None for a in own]
                found.setdefault(other, []).append({"op": name, "outs": outs, "how": how})
    return found


def numel(v: Any) -> int:
    if isinstance(v, list):
        return max(map(numel, v), default=0)
    n = 1
    for size in v.get("s", []) if isinstance(v, dict) else []:
        n *= size
    return n


def cases(torch: Any, names: list[str], folder: Path) -> Iterator[dict[str, Any]]:
    """A case for each dtype of results, the largest."""
    by_operator = forms(torch, names)
    for file in sorted(folder.glob("*.jsonl")):
        largest: dict[tuple[str, str], dict[str, Any]] = {}
        name = ""
        for line in file.read_text().splitlines():
            case = json.loads(line)
            name = case.get("op", name)
            results = case.get("r") if isinstance(case.get("r"), list) else [case.get("r")]
            if name not in by_operator or not results or not all(isinstance(r, dict) and "x" in r for r in results):
                continue
            key = name, results[0]["t"]
            if key not in largest or numel(results) > numel(largest[key]["results"]):
                largest[key] = {"a": case["a"], "results": results}
        for (name, _), case in largest.items():
            for form in by_operator[name]:
                if len(form["outs"]) == len(case["results"]):
                    args = case["a"][: len(form["how"])]
                    yield {**form, "how": form["how"][: len(args)], "a": args, "r": [r["t"] for r in case["results"]]}


def main() -> None:
    import pinned  # noqa: F401
    import torch

    torch.set_num_threads(1)
    names = [json.loads(line)["op"] for line in sys.stdin]
    for row in cases(torch, names, Path(sys.argv[1])):
        print(json.dumps({**row, "taken": taken(torch, row)}))


if __name__ == "__main__":
    main()
