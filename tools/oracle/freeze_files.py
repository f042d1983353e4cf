"""Writes tests/data/files/*: files as PyTorch writes them, a few kB each. Run with PyTorch's interpreter: .venv-oracle/bin/python tools/oracle/freeze_files.py

`torch.save` in its zip and its older form, `torch.jit.save` of a traced and of a scripted module, and an .npz of NumPy's."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import freeze_torchscript
import numpy as np
import pinned
import torch

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "files"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()).eval()
    torch.save(net.state_dict(), FOLDER / "checkpoint.pt")
    torch.save(net.state_dict(), FOLDER / "checkpoint_before_zip.pt", _use_new_zipfile_serialization=False)
    torch.save({"model": net.state_dict(), "step": 3, "rate": 0.1}, FOLDER / "training.pt")
    torch.jit.trace(net, torch.ones(1, 3)).save(str(FOLDER / "traced.pt"))
    torch.jit.script(net).save(str(FOLDER / "scripted.pt"))
    np.savez(FOLDER / "arrays.npz", a=np.arange(3), b=np.eye(2))
    np.savez_compressed(FOLDER / "deflated.npz", a=np.zeros(100))
    with zipfile.ZipFile(FOLDER / "other.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("notes.txt"), "no program")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(freeze_torchscript.run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__))
    main()
