"""Tests on a processor that this machine is not: bochs emulates a whole PC, whose Linux has the test programs in its memory and nothing else.

    kernel     Debian's cloud kernel, unpacked and not installed
    initramfs  busybox, the programs and their shared libraries, an init that runs them and powers off
    bochs      boots both from a CD image; the guest's serial port is a file, which is read here as it grows

An emulated instruction takes some 30 ns, one on a vector of floats more: a program takes hundreds of times as long as on a real processor."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from builds import RELEASE, release
from common import BUILD, Failure, environment, output, step
from environment import debian

# What can be emulated: bochs' name of the processor, and the flags that Linux must then find.
MODELS = {"x86-64-v4": ("corei7_skylake_x", ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])}

# The programs whose tests run generated code on every instruction set of the processor, and which of their tests: not those that run the
# generator, which does the same on any processor, nor those that round to float16, which bochs does wrongly (tests/cpp/processor.h).
PROGRAMS = {
    "kernelgen_test": "-Kernelgen.*",
    "codegen_test": "*",
    "matmul_test": "-Matmul.EmitsEveryInstructionSetAnywhere:MatmulOf/2.*",
    "fused_chain_test": "-*float16",
}

FOLDER = BUILD / "emulate"
MEMORY = 2048  # MiB

# The guest clears and copies memory in words, since bochs does `rep stosb` byte by byte. It saves registers in the standard format: what
# bochs says of the compacted one contradicts itself, and Linux then leaves AVX off.
KERNEL_ARGUMENTS = (
    "console=ttyS0,115200 quiet rdinit=/init nokaslr mitigations=off init_on_alloc=0 cryptomgr.notests no_timer_check "
    "tsc=reliable lpj=1000000 clearcpuid=erms,fsrm,rep_good,xsavec,xsaves"
)
TUNABLES = ":".join(
    [
        "glibc.cpu.hwcaps=-ERMS,-FSRM,-XSAVEC",
        "glibc.cpu.x86_rep_stosb_threshold=1000000000000",
        "glibc.cpu.x86_rep_movsb_threshold=1000000000000",
    ]
)

BOCHS = """\
display_library: term
plugin_ctrl: biosdev=1, serial=1, unmapped=1, extfpuirq=1, speaker=0, parallel=0, gameport=0
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model={model}, count=1, ips=50000000, reset_on_triple_fault=0
memory: guest={memory}, host={memory}
ata0-master: type=cdrom, path={cd}, status=inserted
boot: cdrom
clock: sync=none
com1: enabled=1, mode=file, dev={serial}
log: {log}
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
"""

INIT = """\
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
exec </dev/ttyS0 >/dev/ttyS0 2>&1
echo '== booted'
/bin/busybox grep -m1 flags /proc/cpuinfo
cd /work
export HOME=/work TMPDIR=/tmp {variables}
{commands}
echo '== done'
/bin/busybox poweroff -f
"""

ISOLINUX = """\
SERIAL 0 115200
DEFAULT linux
PROMPT 0
LABEL linux
  KERNEL vmlinuz
  INITRD initrd
  APPEND {arguments}
"""


def select_tests(program: Path, pattern: str, word: str) -> list[str]:
    """The names of a program's tests that a GoogleTest filter lets through and that contain a word."""
    names, suite = [], ""
    for line in output([program, "--gtest_list_tests", f"--gtest_filter={pattern}"]).splitlines():
        text = line.split("#")[0].rstrip()
        if not text.startswith(" "):
            suite = text
        elif word.lower() in f"{program.name}.{suite}{text.strip()}".lower():
            names.append(suite + text.strip())
    return names


def kernel() -> Path:
    """Debian's kernel for virtual machines; it is only unpacked, so that this machine's boot menu stays as it is."""
    facts = output(["apt-cache", "show", "--no-all-versions", "linux-image-cloud-amd64"], check=False)
    found = re.search(r"^Depends:.*?\b(linux-image-[\w.-]+)", facts, re.MULTILINE)
    if not found:
        raise Failure("apt knows no linux-image-cloud-amd64: this needs Debian on x86-64, and `apt-get update` once")
    folder = FOLDER / found[1]
    image = folder / "boot" / f"vmlinuz-{found[1].removeprefix('linux-image-')}"
    if not image.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fetch = f"cd {shlex.quote(str(folder))} && apt-get download {found[1]} && dpkg-deb --fsys-tarfile *.deb | tar -x ./boot && rm *.deb"
        step("kernel for the emulated machine", ["bash", "-o", "pipefail", "-c", fetch])
    return image


def libraries(program: Path) -> list[Path]:
    """The shared libraries that a program loads, and the loader."""
    return [Path(word) for word in re.findall(r"/\S+", output(["ldd", program])) if Path(word) != program]


def put(source: Path, root: Path, place: Path) -> None:
    target = root / place.relative_to("/")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def initramfs(root: Path, programs: list[Path], commands: list[str]) -> None:
    """Writes the guest's files below `root` and packs them as the CD's initrd."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("proc", "dev", "tmp", "work"):
        (root / folder).mkdir(parents=True)
    busybox = shutil.which("busybox")
    if not busybox:
        raise Failure("no busybox on PATH")
    (root / "bin").mkdir()
    for program in (Path(busybox).resolve(), *programs):
        for library in libraries(program):
            put(library.resolve(), root, library)
        subprocess.run(["strip", "-o", root / "bin" / program.name, program], check=True)
    init = root / "init"
    init.write_text(INIT.format(variables=f"GLIBC_TUNABLES={TUNABLES}", commands="\n".join(commands)))
    init.chmod(0o755)
    names = "\0".join(str(path.relative_to(root)) for path in sorted(root.rglob("*"))).encode()
    cpio = ["cpio", "--null", "--create", "--format=newc", "--quiet", "--owner=0:0", "--reproducible"]
    with (FOLDER / "cd" / "isolinux" / "initrd").open("wb") as archive:  # not compressed: the emulated disk is faster than unpacking
        subprocess.run(cpio, cwd=root, input=names, stdout=archive, check=True)


def machine(model: str, programs: list[Path], commands: list[str]) -> Path:
    """Makes the CD and bochs' description of the machine; the file of its serial port."""
    boot = FOLDER / "cd" / "isolinux"
    shutil.rmtree(FOLDER / "cd", ignore_errors=True)
    boot.mkdir(parents=True)
    shutil.copy(kernel(), boot / "vmlinuz")
    shutil.copy("/usr/lib/ISOLINUX/isolinux.bin", boot)
    shutil.copy("/usr/lib/syslinux/modules/bios/ldlinux.c32", boot)
    (boot / "isolinux.cfg").write_text(ISOLINUX.format(arguments=KERNEL_ARGUMENTS))
    initramfs(FOLDER / "root", programs, commands)
    cd, serial = FOLDER / "boot.iso", FOLDER / "serial.txt"
    boot_options = ["-no-emul-boot", "-boot-load-size", "4", "-boot-info-table"]
    burn = ["xorriso", "-as", "mkisofs", "-quiet", "-o", str(cd), "-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", *boot_options]
    step("image of the emulated machine", [*burn, str(FOLDER / "cd")])
    serial.unlink(missing_ok=True)
    settings = BOCHS.format(model=model, memory=MEMORY, cd=cd, serial=serial, log=FOLDER / "bochs.log")
    (FOLDER / "bochsrc").write_text(settings)
    (FOLDER / "continue").write_text("c\n")  # Debian's bochs starts in its debugger
    return serial


def emulate(serial: Path, stalled: float) -> Iterator[str]:
    """Runs the machine and yields the lines of its serial port, and "" each second in which there is none."""
    command = ["bochs", "-q", "-f", str(FOLDER / "bochsrc"), "-rc", str(FOLDER / "continue")]
    said = FOLDER / "bochs.txt"
    seen, last = 0, time.monotonic()
    with said.open("w") as sink:
        bochs = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=environment(TERM="xterm"), start_new_session=True
        )
    try:
        running = True
        while running:
            running = bochs.poll() is None
            drop_drawings(said)
            data = serial.read_bytes()[seen:] if serial.exists() else b""
            *lines, _ = data.split(b"\n")
            seen += sum(len(line) + 1 for line in lines)
            for line in lines:
                yield line.decode(errors="replace").rstrip("\r")
            if lines:
                last = time.monotonic()
            elif time.monotonic() - last > stalled:
                raise Failure(f"the emulated machine has said nothing for {stalled / 60:.0f} minutes; its last words are in {serial}")
            elif running:
                yield ""
                time.sleep(1)
    finally:
        bochs.kill()
        bochs.wait()


def drop_drawings(said: Path) -> None:
    """bochs draws the guest's screen on a pseudoterminal of its own, which it names, and stops for ever once that is full."""
    if found := re.search(r'Bochs connected to screen "(/dev/\S+)"', said.read_text(errors="replace")):
        try:
            screen = os.open(found[1], os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return  # it has ended
        try:
            termios.tcflush(screen, termios.TCIFLUSH)
        finally:
            os.close(screen)


@dataclass
class Outcome:
    """What the guest has told so far. A test's time is this machine's: the guest's clock counts instructions."""

    model: str
    total: int
    flags: list[str] = field(default_factory=list)
    passed: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    done: bool = False
    begin: float = field(default_factory=time.monotonic)
    test_begin: float = 0

    def take(self, line: str) -> None:
        line = re.sub(r"\x1b\[[0-9;]*[mK]", "", line)
        if found := re.match(r"\[ RUN +\] (.*)", line):
            self.test_begin = time.monotonic()
        elif found := re.match(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+?),? .*\(\d+ ms\)$", line):
            self.passed += found[1] == "OK"
            self.skipped += found[1] == "SKIPPED"
            if found[1] == "FAILED":
                self.failed.append(found[2])
            self.say(f"[{found[1]:^8}] {found[2]} ({time.monotonic() - self.test_begin:.0f} s)")
        elif found := re.match(r"== (\S+) exit (\d+)", line):
            self.codes[found[1]] = int(found[2])
        elif line == "== done":
            self.done = True
        elif line == "== booted":
            self.say(f"Linux is up on an emulated {self.model} after {time.monotonic() - self.begin:.0f} s")
        elif line.startswith("flags"):
            self.flags = line.split()
        elif line and not re.match(
            r"(\[[-=]+\]|\[ +(PASSED|FAILED|SKIPPED) +\]|Note: |Running main|ISOLINUX |Loading |\[ *\d+\.\d+\])", line
        ):
            self.say(line)

    def verdict(self, isa: str, flags: list[str], serial: Path) -> int:
        """The closing lines and the exit code. A machine that lacks the instructions or stops early is a failure, whatever passed."""
        failed = len(self.failed)
        for name in self.failed:
            print(f"FAILED: {name}")
        for name, code in self.codes.items():
            if code:
                print(f"FAILED: {name} (exit {code})")
        if missing := set(flags) - set(self.flags):
            raise Failure(f"the emulated machine does not have {' '.join(sorted(missing))}; {serial} says more")
        if not self.done or self.passed + failed + self.skipped != self.total:
            raise Failure(f"the emulated machine stopped after {self.passed + failed} of {self.total} tests; {serial} says more")
        print(f"{isa}, emulated: {self.passed} passed, {failed} failed, {self.skipped} skipped in {time.monotonic() - self.begin:.0f} s")
        return 1 if failed or any(self.codes.values()) else 0

    def say(self, line: str) -> None:
        print(f"\r\033[K{line}" if sys.stdout.isatty() else line, flush=True)

    def tick(self) -> None:
        if sys.stdout.isatty():
            count = self.passed + self.skipped + len(self.failed)
            print(f"\r\033[K{self.model}: {time.monotonic() - self.begin:.0f} s, {count} of {self.total} tests", end="", flush=True)


def test(isa: str, word: str) -> int:
    """Runs the tests whose names contain `word` on an emulated processor; the exit code."""
    release(tuple(PROGRAMS))
    debian("emulate")
    chosen = {name: select_tests(RELEASE / "tests" / name, pattern, word) for name, pattern in PROGRAMS.items()}
    total = sum(map(len, chosen.values()))
    if not total:
        raise Failure(f"no test that runs generated kernels has '{word}' in its name")
    commands = [f"{name} --gtest_color=no --gtest_filter={shlex.quote(':'.join(names))}" for name, names in chosen.items() if names]
    commands = [f"/bin/{command}; echo '== {command.split()[0]} exit '$?" for command in commands]
    programs = [RELEASE / "tests" / name for name, names in chosen.items() if names]
    model, flags = MODELS[isa]
    serial = machine(model, programs, commands)
    outcome = Outcome(model, total)
    for line in emulate(serial, stalled=3600):
        outcome.take(line) if line else outcome.tick()
    return outcome.verdict(isa, flags, serial)
