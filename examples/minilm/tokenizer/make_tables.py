"""Writes unicode_tables.inc, what wordpiece.cpp needs to know of Unicode, from Python's unicodedata.

    python examples/minilm/tokenizer/make_tables.py            (--check: exit 1 where the file is another)
"""

import pathlib
import sys
import unicodedata

TARGET = pathlib.Path(__file__).with_name("unicode_tables.inc")
HANGUL = range(0xAC00, 0xD7A4)  # decomposed by arithmetic


def category_ranges(prefix: str) -> list[tuple[int, int]]:
    """The ranges of code points whose category begins so."""
    ranges: list[tuple[int, int]] = []
    for c in range(0x110000):
        if unicodedata.category(chr(c)).startswith(prefix):
            if ranges and ranges[-1][1] == c - 1:
                ranges[-1] = ranges[-1][0], c
            else:
                ranges.append((c, c))
    return ranges


def folded(c: int) -> list[int]:
    """Decomposed, without nonspacing marks, in lower case."""
    kept = [x for x in unicodedata.normalize("NFD", chr(c)) if unicodedata.category(x) != "Mn"]
    return [ord(y) for x in kept for y in x.lower() if unicodedata.category(y) != "Mn"]


def main() -> int:
    single: list[tuple[int, int]] = []  # code point, difference
    several: list[tuple[int, list[int]]] = []
    for c in range(0x110000):
        if c in HANGUL or 0xD800 <= c < 0xE000 or unicodedata.category(chr(c)) == "Mn":
            continue
        to = folded(c)
        if to == [c]:
            continue
        if len(to) == 1:
            single.append((c, to[0] - c))
        else:
            several.append((c, to))
    # Runs of one difference: every code point, or every second one (upper and lower case in turn).
    runs: list[list[int]] = []  # first, last, step, difference
    for c, difference in single:
        if runs:
            first, last, step, known = runs[-1]
            if known == difference and c - last in (1, 2) and (first == last or c - last == step):
                runs[-1] = [first, c, c - last, difference]
                continue
        runs.append([c, c, 1, difference])

    def rows(items: list[str]) -> str:
        return "\n".join("    " + " ".join(items[k : k + 6]) for k in range(0, len(items), 6))

    text = f"// Made by make_tables.py from Unicode {unicodedata.unidata_version}.\n"
    for name, prefix in [("kMarks", "Mn"), ("kPunctuation", "P"), ("kOther", "C"), ("kSpaces", "Z")]:
        text += f"constexpr Range {name}[] = {{\n" + rows([f"{{0x{a:X}, 0x{b:X}}}," for a, b in category_ranges(prefix)]) + "};\n"
    text += "constexpr Run kRuns[] = {\n" + rows([f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}," for a, b, s, d in runs]) + "};\n"
    wide = max((len(to) for _, to in several), default=1)
    text += f"struct Several {{ char32_t from, to[{wide}]; }};  // ends with 0 where shorter\n"
    text += "constexpr Several kSeveral[] = {\n" + rows([f"{{0x{c:X}, {{{', '.join(f'0x{x:X}' for x in to)}}}}}," for c, to in several]) + "};\n"
    if "--check" in sys.argv[1:]:
        same = TARGET.read_text() == text
        print("the tables are those of this Python" if same else "the tables differ from this Python's")
        return 0 if same else 1
    TARGET.write_text(text)
    print(f"{len(runs)} runs, {len(several)} of several, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
