"""What Monograph itself costs: import time, resident memory, how soon Ctrl-C ends a run, the wheel's size, build times. `./dev bench --build`.

Each figure is one line of output, `name: number unit`, as docs/benchmarks.md claims them. The builds run without ccache in a folder of
their own; an incremental build is what ninja does after one source of a layer has changed (its object is removed, no file is touched)."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import ROOT, claim, write_claims, write_section

FOLDER = ROOT / "build" / "measured"
FIGURES = ["import", "resident", "interrupt", "wheel", "full", "incremental"]
AT_MOST = {"import": 0.15, "resident": 45.0, "interrupt": 0.5, "wheel": 40.0, "installed": 75.0, "full build": 720.0}  # s, MB, s, MB, MB, s
REBUILD_AT_MOST = 20.0  # s
# How far a figure may be off when it is derived again elsewhere: times more than sizes.
TOLERANCE = {"s": "100%", "MB": "15%"}
# Which --only measures what; all others are rebuilds.
FIGURE_OF = {"import": "import", "resident": "resident", "wheel": "wheel", "installed": "wheel", "full build": "full",
             "Ctrl-C, Python": "interrupt", "Ctrl-C, monograph run": "interrupt"}  # fmt: skip

PROBE = """
import time; begin = time.perf_counter(); import monograph; seconds = time.perf_counter() - begin
status = open("/proc/self/status").read(); print(seconds, int(status.split("VmRSS:")[1].split()[0]) / 1000)
"""


def probes(count: int = 15) -> list[tuple[float, float]]:
    """(seconds to import, megabytes resident after it) in fresh interpreters, the first one left out. It writes the bytecode, which an installation by pip has,
    into a folder of its own: an environment may forbid Python to keep any (PYTHONDONTWRITEBYTECODE)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": folder}
        command = [sys.executable, "-c", PROBE]
        lines = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout for _ in range(count + 1)]
    return [tuple(map(float, line.split())) for line in lines[1:]]  # type: ignore[misc]

# A graph whose loop runs for hours.
ENDLESS = """graph forward(%x : Tensor):
  %r : Tensor = prim::Loop(1000000000000, True, %x)
    block0(%i : int, %c : Tensor):
      %d : Tensor = aten::mul(%c, 1.0)
      -> (True, %d)
  return (%r)
"""
RUN_ENDLESS = """
import monograph as torch
def f(x):
    return torch.while_loop(lambda i, x: i < 10**12, lambda i, x: (i + 1, x * 1.0), (torch.tensor(0), x))[1]
graph = torch.fx.symbolic_trace(f).graph
try:
    graph(torch.ones(2))
except KeyboardInterrupt:
    pass
"""


def interrupt_seconds(*command: str, count: int = 9) -> float:
    """From the signal of Ctrl-C to the end of the process, in the middle of a graph's loop; the longest of some times."""
    longest = 0.0
    for _ in range(count):
        # A shell starts what it runs in the background with the signal ignored, and a process inherits that.
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        )
        try:
            time.sleep(3)  # until the loop runs, with certainty
            if process.poll() is not None:
                raise RuntimeError(f"{' '.join(command)} ended by itself, with exit code {process.returncode}")
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            if process.wait(timeout=60) not in (0, -signal.SIGINT):
                raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}")
            longest = max(longest, time.monotonic() - begin)
        finally:
            process.kill()
    return longest


def wheel_megabytes() -> tuple[float, float]:
    """The wheel's size, and that of what it unpacks to."""
    house = ROOT / "build" / "wheelhouse"
    shutil.rmtree(house, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(house), "."]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    (wheel,) = house.glob("*.whl")
    shutil.unpack_archive(wheel, house / "unpacked", "zip")
    installed = sum(file.stat().st_size for file in (house / "unpacked").rglob("*") if file.is_file())
    return wheel.stat().st_size / 1e6, installed / 1e6


def build_seconds(*targets: str) -> tuple[float, float]:
    """Seconds by the clock, and of processor time, which other work on the machine hardly changes."""
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        ["ninja", "-C", str(FOLDER), f"-j{len(os.sched_getaffinity(0))}", *targets],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CCACHE_DISABLE": "1"},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def configure() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-DMONOGRAPH_EXTENSION_DIR={FOLDER / 'extension'}"]
    command = ["cmake", "-S", str(ROOT), "-B", str(FOLDER), "-G", "Ninja", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def incremental() -> dict[str, tuple[float, float]]:
    """Seconds to rebuild everything after a change of the largest source of a layer."""
    seconds = {"nothing": build_seconds()}
    for layer in ("core", "ops", "passes"):
        sources = sorted((ROOT / "src" / layer).rglob("*.cpp"), key=lambda source: source.stat().st_size)
        if sources:
            changed = sources[-1].relative_to(ROOT)
            (FOLDER / "CMakeFiles" / f"monograph_{layer}.dir" / f"{changed}.o").unlink()
            seconds[str(changed)] = build_seconds()
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=FIGURES, action="append")
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md, and the READMEs' figures")
    parser.add_argument("--no-bounds", action="store_true", help="exit 0 also where a bound is missed")
    options = parser.parse_args()
    wanted = options.only or FIGURES
    table: list[str] = []
    missed: list[str] = []
    printed: dict[str, str] = {}  # by the command that derives it again

    def report(name: str, figure: float, unit: str, digits: int, remark: str = "", at_most: float | None = None) -> None:
        text, bound = f"{figure:.{digits}f} {unit}", f"{at_most:g} {unit}" if at_most else ""
        if at_most and figure > at_most:
            missed.append(f"{name} is {text}, at most {bound}")
        command = f"./dev bench --build --only {FIGURE_OF.get(name, 'incremental')} --no-bounds"
        stated = claim(f"build_{len(table)}", command, f"{name}:", TOLERANCE[unit], text)
        printed[command] = printed.get(command, "") + f"{name}: {text}\n"
        table.append(f"| {name}{f', {remark}' if remark else ''} | {stated} | {bound} |")
        print(f"{name}: {text}" + (f" ({remark})" if remark else ""), flush=True)

    if {"import", "resident"} & set(wanted):
        seconds, resident = (statistics.median(column) for column in zip(*probes()))
        if "import" in wanted:
            report("import", seconds, "s", 3, "median of 15 fresh interpreters", AT_MOST["import"])
        if "resident" in wanted:
            report("resident", resident, "MB", 1, "the whole process after the import", AT_MOST["resident"])
    if "interrupt" in wanted:
        with tempfile.TemporaryDirectory() as folder:
            graph = Path(folder) / "endless.txt"
            graph.write_text(ENDLESS)
            program = str(ROOT / "build" / "release" / "monograph")
            for name, command in (
                ("Ctrl-C, Python", [sys.executable, "-c", RUN_ENDLESS]),
                ("Ctrl-C, monograph run", [program, "run", str(graph), "--input", "text:1,2:float32"]),
            ):
                report(name, interrupt_seconds(*command), "s", 2, "until a graph's loop has ended, the longest of 9", AT_MOST["interrupt"])
    if "wheel" in wanted:
        packed, installed = wheel_megabytes()
        report("wheel", packed, "MB", 1, at_most=AT_MOST["wheel"])
        report("installed", installed, "MB", 1, at_most=AT_MOST["installed"])
    if {"full", "incremental"} & set(wanted):
        configure()
        processors = len(os.sched_getaffinity(0))
        seconds, work = build_seconds()
        if "full" in wanted:
            remark = f"everything with its tests, {processors} processors, no ccache; {work:.0f} s of work"
            report("full build", seconds, "s", 0, remark, AT_MOST["full build"])
        if "incremental" in wanted:
            for changed, (seconds, work) in incremental().items():
                report(f"rebuild after {changed}", seconds, "s", 1, f"{work:.1f} s of work", REBUILD_AT_MOST)
        shutil.rmtree(FOLDER)
    if options.write:
        write_section("build", ["| what | figure | at most |", "|---|---|---|", *table])
        write_claims(printed)
    print("\n".join(missed) if missed else "all within their bounds")
    return 1 if missed and not options.no_bounds else 0


if __name__ == "__main__":
    sys.exit(main())
