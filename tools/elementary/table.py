#!/usr/bin/env python3
"""Writes the measured errors into docs/elementary.md, between its two marker lines.

    python tools/elementary/table.py build/tests/elementary_test            2^22 and 2^20 inputs a function
    MONOGRAPH_SLOW=1 python tools/elementary/table.py build/tests/...       all 2^32 float32 inputs
"""
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "elementary.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def main():
    table = subprocess.run([sys.argv[1], "--table"], check=True, capture_output=True, text=True).stdout
    head, rest = PAGE.read_text().split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(head + BEGIN + table + END + tail)


if __name__ == "__main__":
    main()
