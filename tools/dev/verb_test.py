"""Without options: builds, then runs all C++ tests (CTest) and all Python tests (pytest), and shows the last lines of both.
--oracle, --sanitize, --fuzz and --emulate each run other tests instead, in their own environment or build folder.

  ./dev test                                  what every change must pass
  ./dev test -k tensor                        only tests whose names match
  ./dev test --slow                           also the exhaustive ones (an hour and more)
  ./dev test --oracle                         against live PyTorch, on fresh random samples
  ./dev test --sanitize address,undefined     build/asan: the tests of core, ir, ops, formats, capture
  ./dev test --sanitize thread                build/tsan: the tests of core, ir, exec, capture
  ./dev test --fuzz 60                        build/asan: every tests/fuzz/*_fuzz.cpp for 60 seconds
  ./dev test --emulate x86-64-v4              the tests of generated kernels on an emulated processor with AVX-512: slow
  ./dev test --emulate x86-64-v4 -k silu      only some of them"""

from __future__ import annotations

import argparse
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from builds import release, sanitized
from common import BUILD, ORACLE, PROGRAMS, PYTHON, ROOT, VENV, Failure, environment, jobs, run as run_command
from emulator import MODELS, test as emulated
from environment import oracle_environment, program_packages

SUMMARY = "run the C++ and Python tests; --oracle, --sanitize, --fuzz and --emulate run others"

# The layers whose tests run under each sanitizer (those that handle foreign input, and those that share memory between threads).
LAYERS = {
    "address,undefined": ["core", "ir", "ops", "capture", "formats"],
    "thread": ["core", "ir", "exec", "capture"],
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", metavar="WORD", default="", help="only tests whose names contain this")
    parser.add_argument("--slow", action="store_true", help="also the exhaustive tests (sets MONOGRAPH_SLOW=1)")
    parser.add_argument("--seed", type=int, help="the seed of random samples (sets MONOGRAPH_SEED; default: a fresh one, printed with what fails)")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--oracle", action="store_true", help="the tests that compare with live PyTorch")
    other.add_argument("--sanitize", choices=sorted(LAYERS), help="the C++ tests of some layers, built by clang under sanitizers")
    other.add_argument("--fuzz", type=int, metavar="SECONDS", help="libFuzzer on every target for so long")
    other.add_argument("--emulate", choices=sorted(MODELS), help="the tests of generated kernels, on an emulated processor that has these")
    parser.add_argument("--layers", help="with --sanitize: these layers instead, by commas")


def run(options: argparse.Namespace) -> int:
    more = {"MONOGRAPH_SLOW": "1"} if options.slow else {}
    if options.seed is not None:
        more["MONOGRAPH_SEED"] = str(options.seed)
    if options.sanitize:
        return sanitize(options, more)
    if options.fuzz is not None:
        return fuzz(options.fuzz, options.k, options.seed)
    if options.emulate:
        if options.slow:
            raise Failure("--slow tries all inputs, which takes days on an emulated processor; leave it out")
        return emulated(options.emulate, options.k)
    release()
    if options.oracle:
        oracle_environment()
        program_packages()
        more["MONOGRAPH_PACKAGES"] = str(PROGRAMS)
        more["MONOGRAPH_ORACLE"] = str(ORACLE / "bin" / "python")
        return pytest(["-m", "oracle", "-n", "2"], options.k, more)
    # A failure in one runner does not keep the other from running.
    return ctest("release", options.k, [], more) | pytest(["-n", "2"], options.k, more)


def ctest(folder: str, word: str, selection: list[str], more: dict[str, str]) -> int:
    """Without a word to select by, running no test at all is a failure."""
    chosen = ["-R", word] if word else ["--no-tests=error"]
    command = [VENV / "bin" / "ctest", "--test-dir", BUILD / folder, "--output-on-failure", "-j2", *chosen, *selection]
    return run_command(command, check=False, env=environment(**more))


def pytest(selection: list[str], word: str, more: dict[str, str]) -> int:
    chosen = ["-k", word] if word else []
    code = run_command([PYTHON, "-m", "pytest", *selection, *chosen], check=False, env=environment(**more))
    return 0 if word and code == 5 else code  # 5: no test of this name here


def sanitize(options: argparse.Namespace, more: dict[str, str]) -> int:
    layers = options.layers.split(",") if options.layers else LAYERS[options.sanitize]
    folder = sanitized(options.sanitize, [f"tests_{layer}" for layer in layers])
    more |= {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TSAN_OPTIONS": f"suppressions={ROOT / 'tests' / 'tsan.supp'}:halt_on_error=1",
    }
    return ctest(folder, options.k, ["-L", f"^({'|'.join(layers)})$"], more)


def fuzz(seconds: int, word: str, seed: int | None) -> int:
    """Runs each target from its committed seeds, one on each processor; what it finds stays in build/asan/found, what it learns in build/asan/corpus."""
    targets = [source.stem for source in sorted(ROOT.glob("tests/fuzz/*_fuzz.cpp")) if word in source.stem]
    if not targets:
        raise Failure("no fuzz target matches")
    folder = BUILD / sanitized("address,undefined", targets)
    # All targets for the first part of the time, then all for the second, which begins with what the first has learned: so no processor is idle
    # for a whole turn at the end.
    parts = [(seconds + 1) // 2, seconds // 2]
    turns = [(target, part, 2 * (seed or 0) + k) for k, part in enumerate(parts) for target in targets if part or not k]
    with ThreadPoolExecutor(jobs()) as pool:
        good = dict.fromkeys(targets, True)
        for (target, _, _), passed in zip(turns, pool.map(lambda turn: fuzz_target(folder, *turn), turns)):
            good[target] &= passed
    print(f"{sum(good.values())} passed, {len(good) - sum(good.values())} failed")
    return 0 if all(good.values()) else 1


def fuzz_target(folder: Path, target: str, seconds: int, seed: int) -> bool:
    topic = target.removesuffix("_fuzz")
    learned, found = folder / "corpus" / topic, folder / "found"
    learned.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    log = folder / f"{target}.log"
    limits = [f"-seed={seed}", f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]
    corpora = [learned, ROOT / "tests" / "data" / "fuzz" / topic]
    with log.open("w") as sink:
        command = [folder / "tests" / target, *limits, f"-artifact_prefix={found}/{topic}-", *corpora]
        code = subprocess.run(command, cwd=ROOT, stdout=sink, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    lines = [f"{target}: {'failed' if code else 'ok'}, {runs[1] if runs else 'no'} runs", *(text.splitlines()[-60:] if code else [])]
    print("\n".join(lines), flush=True)
    return code == 0

