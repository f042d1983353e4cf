"""Writes tests/data/optim.json and lr_scheduler.json: what PyTorch's optimizers and schedules give for the tables of tests/python. Run with .venv-oracle's Python."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pinned  # noqa: F401
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import optimizer_table as table  # noqa: E402
import schedule_table  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    steps = {f"{name}({options})": table.run_here(torch, *table.small_run(name, options)) for name, options in table.CASES}
    write("optim", {case: [p.ravel().tolist() for p in result[0]] for case, result in steps.items()})
    write("lr_scheduler", {schedule: schedule_table.run_here(torch, schedule)["rates"][::5] for schedule in schedule_table.SCHEDULES})


def write(name: str, values: dict[str, object]) -> None:
    lines = [f"{json.dumps(case)}: {json.dumps(value)}" for case, value in values.items()]
    (ROOT / "tests" / "data" / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
