"""The committed files of tests: none names a folder of the machine that made it. Archives are unpacked for that."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = re.compile(rb"/(?:home|root|work|Users|mnt|opt|tmp)/[\w.\-]+")
NEUTRAL = re.compile(rb"/tmp/pytorch\b")  # the folder of links by which tools/oracle runs what writes archives


def contents(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file, or what an archive holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.namelist():
                yield from contents(f"{name}!{entry}", archive.read(entry))
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError):
        yield name, data


def test_no_file_names_a_folder_of_a_machine():
    listed = [f for folder in (ROOT / "tests" / "data", ROOT / "examples") for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    assert len(listed) > 200
    found = {
        name: sorted({m for m in FOLDERS.findall(data) if not NEUTRAL.match(m)})
        for file in listed
        for name, data in contents(str(file.relative_to(ROOT)), file.read_bytes())
    }
    assert not {name: folders for name, folders in found.items() if folders}
