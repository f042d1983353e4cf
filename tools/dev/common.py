"""What the verbs share: where things are, and steps that say what they do and how long it took."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
ORACLE = ROOT / ".venv-oracle"
PROGRAMS = ROOT / ".programs"
SURVEY = ROOT / ".survey"
BUILD = ROOT / "build"
PYTHON = VENV / "bin" / "python"


class Failure(Exception):
    """An expected failure: its text is all that the developer needs to see."""


def jobs() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def environment(**more: str) -> dict[str, str]:
    """The environment of every command: .venv's programs first."""
    return {**os.environ, "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}", **more}


def run(command: Sequence[str | Path], *, check: bool = True, env: dict[str, str] | None = None, cwd: Path = ROOT) -> int:
    """Runs a command whose output is the verb's own output; a failing one fails the verb unless check is False."""
    sys.stdout.flush()
    code = subprocess.run([str(c) for c in command], cwd=cwd, env=env or environment()).returncode
    if check and code:
        raise Failure(f"{Path(str(command[0])).name} failed (exit {code})")
    return code


def output(command: Sequence[str | Path], *, check: bool = True, env: dict[str, str] | None = None) -> str:
    """The standard output of a command."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env=env or environment(), capture_output=True, text=True)
    if check and done.returncode:
        raise Failure(f"{' '.join(map(str, command))} failed (exit {done.returncode}):\n{done.stderr.strip()}")
    return done.stdout


def step(title: str, *commands: Sequence[str | Path], env: dict[str, str] | None = None) -> float:
    """Runs commands with their output kept in build/log, shows progress meanwhile and one line at the end; seconds taken.

    Steps under a second leave no line: a verb that has nothing to do says nothing."""
    if not commands:
        return 0.0
    log = BUILD / "log" / (title.split(":")[0].replace(" ", "_").replace("/", "_") + ".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with log.open("w") as sink, progress(title, lambda: last_line(log)):
        for command in commands:
            words = [str(c) for c in command]
            sink.write(f"$ {' '.join(words)}\n")
            sink.flush()
            code = subprocess.run(
                words, cwd=ROOT, env=env or environment(), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT
            ).returncode
            if code:
                break
    seconds = time.monotonic() - begin
    if code:
        lines = log.read_text(errors="replace").splitlines()
        first = next((i for i, line in enumerate(lines) if line.startswith("FAILED:")), max(0, len(lines) - 60))  # ninja's word
        shown = [line[:300] for line in lines[first : first + 60]]
        raise Failure("\n".join([f"{title} failed (exit {code}); from {log.relative_to(ROOT)}:", *shown]))
    if seconds >= 1:
        print(f"{title}: {seconds:.1f} s", flush=True)
    return seconds


def last_line(log: Path) -> str:
    return (log.read_text(errors="replace").splitlines() or [""])[-1]


@contextmanager
def progress(title: str, latest: Callable[[], str]) -> Iterator[Callable[[str], None]]:
    """Shows what `latest` answers while its block runs: a line rewritten each second on a terminal, else one line every half minute. Gives
    the function that prints a text above that line."""
    terminal = sys.stdout.isatty()
    begin = time.monotonic()
    done = threading.Event()
    printing = threading.Lock()

    def show(text: str) -> None:
        with printing:
            print(f"\r\033[K{text}" if terminal else text, flush=True)

    def watch() -> None:
        width = os.get_terminal_size().columns - 1 if terminal else 160
        while not done.wait(1 if terminal else 30):
            text = f"{title}: {time.monotonic() - begin:.0f} s  {latest()}"[:width]
            with printing:
                print(f"\r\033[K{text}" if terminal else text, end="" if terminal else "\n", flush=True)
        if terminal:
            print("\r\033[K", end="", flush=True)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield show
    finally:
        done.set()
        watcher.join()
