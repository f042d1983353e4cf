"""The programs of tests/libtorch, and how each is run: by tests/python/test_libtorch_programs.py, and with libtorch by tools/oracle/freeze_libtorch_programs.py."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "libtorch"
NAMES = sorted(path.stem for path in FOLDER.glob("*.cpp"))
ARCHIVE = ROOT / "tests" / "data" / "torchscript" / "cnn.pt"


def printed(program: pathlib.Path, folder: pathlib.Path) -> str:
    """What a program prints. It may write files into the folder."""
    arguments = {
        "load_and_forward": [ARCHIVE],
        "freeze_and_save": [ARCHIVE, folder / "frozen.pt"],
        "tensor_files": [folder],
        "network_class": [folder],
    }.get(program.name.removeprefix("libtorch_"), [])
    done = subprocess.run([str(program), *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{program.name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
