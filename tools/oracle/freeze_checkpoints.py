"""Writes small files of torch.save for tests/python/test_checkpoints.py, and seeds for the fuzzer of checkpoints.

.venv-oracle/bin/python tools/oracle/freeze_checkpoints.py tests/data/checkpoints tests/data/fuzz/checkpoint"""

from __future__ import annotations

import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import freeze_torchscript
import pinned
import torch
from torch import nn


class Tagged(torch.Tensor):
    pass


def content(net: Any) -> dict[str, Any]:
    """What the tests expect by the same statements in Monograph."""
    base = torch.arange(12.0).reshape(3, 4)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    return {
        "model": net.state_dict(),
        "optimizer": optimizer.state_dict(),
        "parameter": net[0].weight,
        "transposed": base.t(),
        "row": base[1],
        "expanded": torch.ones(1).expand(5),
        "nothing": torch.zeros(0, 3),
        "scalar": torch.tensor(3),
        "dtypes": [torch.tensor([0, 1, 2]).to(d) for d in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)]
        + [
            torch.tensor([0.5, -1.0]).to(d)
            for d in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)
        ],
        "meta": torch.empty(2, 3, device="meta"),
        "values": (
            torch.bfloat16,
            torch.device("cpu"),
            torch.Size([1, 2]),
            torch.strided,
            2**200,
            -(2**63),
            1.5,
            "h\u00e9",
            b"\xff\0",
            1j,
            None,
            {1, 2},
        ),
    }


def main(folder: Path, corpus: Path) -> None:
    warnings.simplefilter("ignore")
    folder.mkdir(parents=True, exist_ok=True)
    corpus.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.ReLU())
    saved = content(net)
    torch.save(saved, folder / "zip.pt")
    torch.save(saved, folder / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(net, folder / "module.pt")
    torch.save(torch.eye(2).to_sparse(), folder / "sparse.pt")
    torch.save(torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), folder / "quantized.pt")
    torch.save(torch.ones(2, dtype=torch.complex64).conj(), folder / "conjugate.pt")
    torch.save(torch.ones(2).as_subclass(Tagged), folder / "subclass.pt")
    torch.save(torch.ones(2, dtype=torch.uint16), folder / "uint16.pt")
    torch.save([torch.arange(3.0).untyped_storage(), torch.arange(3.0).storage()], folder / "storages.pt")
    torch.jit.save(torch.jit.script(nn.ReLU()), folder / "script.pt")
    for name in ("zip", "legacy", "module", "sparse", "quantized", "storages"):
        (corpus / f"{name}.pt").write_bytes((folder / f"{name}.pt").read_bytes())
    with zipfile.ZipFile(folder / "zip.pt") as archive:
        (corpus / "pickle").write_bytes(b"p" + archive.read("zip/data.pkl"))


if __name__ == "__main__":
    if sys.argv[1] != "linked":  # an archive of torch.jit.save names the files of its code
        sys.exit(freeze_torchscript.run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__, arguments=tuple(sys.argv[1:])))
    main(Path(sys.argv[2]), Path(sys.argv[3]))
