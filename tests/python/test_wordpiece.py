"""The example's WordPiece tokenizer: its rules on a small vocabulary, its Unicode tables, its program. (The 50 frozen sentences need
the published vocabulary, which the demo downloads.)"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "minilm" / "tokenizer"
TOKENS = "[PAD] [UNK] [CLS] [SEP] un ##able ##a ##b able a b cafe ! , $ 今 天 i ##i fi σ ##σ ᄒ ##ᅡ ##ᆫ".split()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wordpiece")
    flags = ["c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-I", FOLDER]
    subprocess.run([*flags, "-shared", "-fPIC", FOLDER / "wordpiece.cpp", "-o", folder / "libwordpiece.so"], check=True)
    subprocess.run([*flags, FOLDER / "main.cpp", folder / "libwordpiece.so", "-o", folder / "wordpiece"], check=True)
    (folder / "vocab.txt").write_text("\n".join(TOKENS) + "\n")
    return folder


class Tokenizer:
    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(folder / "libwordpiece.so"))
        self.library.wordpiece_open.restype = ctypes.c_void_p
        self.library.wordpiece_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        self.library.wordpiece_encode.restype = ctypes.c_size_t
        self.library.wordpiece_encode.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        self.error = ctypes.create_string_buffer(256)

    def open(self, path: Path) -> int | None:
        return self.library.wordpiece_open(str(path).encode(), self.error, 256)

    def __call__(self, handle: int, text: str | bytes, capacity: int = 128) -> list[str]:
        data = text.encode() if isinstance(text, str) else text
        tokens = (ctypes.c_int32 * 128)()
        n = self.library.wordpiece_encode(handle, data, len(data), tokens, capacity)
        assert n <= capacity
        return [TOKENS[t] for t in tokens[:n]]


@pytest.mark.parametrize(
    "text, pieces",
    [
        ("", ""),
        ("unable", "un ##able"),
        ("UNABLE Café", "un ##able cafe"),  # case and accents go
        ("cafe\u0301", "cafe"),
        ("a,b!", "a , b !"),
        ("$a", "$ a"),  # every ASCII sign parts words
        ("今天a", "今 天 a"),  # Chinese characters stand alone
        ("a\tb\u3000a\u00a0b", "a b a b"),
        ("a\u200bb\x00\ufffd", "a ##b"),  # control and format characters go, and part nothing
        ("abc", "[UNK]"),  # c is no piece: the whole word is unknown
        ("İI", "i ##i"),
        ("ΣΣ", "σ ##σ"),
        ("한", "ᄒ ##ᅡ ##ᆫ"),
        ("a" * 100, "a" + " ##a" * 99),
        ("a" * 101, "[UNK]"),
        (b"a\xff\xc0\xaf\xed\xa0\x80b", "a ##b"),  # no UTF-8
    ],
)
def test_rules(built: Path, text: str | bytes, pieces: str) -> None:
    tokenizer = Tokenizer(built)
    handle = tokenizer.open(built / "vocab.txt")
    assert handle
    assert tokenizer(handle, text) == ["[CLS]", *pieces.split(), "[SEP]"]


def test_long_texts_are_cut(built: Path) -> None:
    tokenizer = Tokenizer(built)
    handle = tokenizer.open(built / "vocab.txt")
    assert tokenizer(handle, "a b " * 1000, 5) == ["[CLS]", "a", "b", "a", "[SEP]"]
    assert tokenizer(handle, "a b", 2) == ["[CLS]", "[SEP]"]
    assert tokenizer(handle, "a b", 1) == []


def test_vocabularies_that_are_none(built: Path) -> None:
    tokenizer = Tokenizer(built)
    assert tokenizer.open(built / "missing.txt") is None and b"cannot be read" in tokenizer.error.value
    (built / "other.txt").write_text("hello\nworld\n")
    assert tokenizer.open(built / "other.txt") is None and b"[UNK]" in tokenizer.error.value


def test_the_program(built: Path) -> None:
    done = subprocess.run([built / "wordpiece", built / "vocab.txt"], input="a b\n\nunable", capture_output=True, text=True, check=True)
    assert done.stdout == "2 9 10 3\n2 3\n2 4 5 3\n"
    assert subprocess.run([built / "wordpiece"], capture_output=True).returncode == 2
    assert subprocess.run([built / "wordpiece", "missing"], capture_output=True).returncode == 1


def test_the_tables_are_what_their_tool_writes() -> None:
    subprocess.run([sys.executable, FOLDER / "make_tables.py", "--check"], check=True)
