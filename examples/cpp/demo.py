"""The C++ library as another project sees it: installed into an empty folder, moved, found by CMake and by pkg-config, and as a part of the
project's own build. The programs of this folder are built from there and run.

    python examples/cpp/demo.py            from the installed copy; builds from source are configured and planned, not made
    python examples/cpp/demo.py --full     builds from source too (as long as a build of the library takes)
    python examples/cpp/demo.py --header   only: the seconds that a file takes which includes the public header
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

MOST_MEGABYTES = 60  # of an installed copy
ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
RELEASE = ROOT / "build" / "release"
CMAKE = ROOT / ".venv" / "bin" / "cmake"


def run(*command: object, env: dict[str, str] | None = None, cwd: pathlib.Path | None = None, shown: bool = False) -> str:
    done = subprocess.run([str(c) for c in command], env={**os.environ, **(env or {})}, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nfailed (exit {done.returncode}):\n{done.stdout}{done.stderr}")
    if shown:
        print("".join(f"    {line}\n" for line in done.stdout.splitlines()[-4:]), end="")
    return done.stdout


def install(folder: pathlib.Path) -> pathlib.Path:
    """An installed copy, moved after it was made: nothing in it knows where it lies."""
    first, moved = folder / "first", folder / "moved"
    run(CMAKE, "--install", RELEASE, "--prefix", first)
    first.rename(moved)
    size = sum(f.lstat().st_size for f in moved.rglob("*") if not f.is_dir()) / 1e6
    print(f"installed: {size:.1f} MB")
    trial_of_growth = int(os.environ.get("MONOGRAPH_FAMILY_COPIES") or 1) > 1  # cmake/Copies.cmake: what three times the operators cost
    if size > MOST_MEGABYTES and not trial_of_growth:
        sys.exit(f"an installed copy takes {size:.1f} MB, at most {MOST_MEGABYTES} MB")
    print("bin/monograph:")
    run(moved / "bin" / "monograph", "tour", shown=True)
    return moved


def programs(folder: pathlib.Path, build: pathlib.Path) -> None:
    """Runs what was built; each program checks itself."""
    for name, *arguments in (["facts"], ["capture", folder / "program.mgraph"], ["serve", folder / "program.mgraph"], ["train"], ["mnist"]):
        print(f"  example_{name}")
        run(build / f"example_{name}", *arguments, shown=True)
    archive = ROOT / "tests" / "data" / "torchscript" / "cnn.pt"  # which PyTorch wrote
    for name, *arguments in (["script_load", archive], ["script_server", archive], ["script_edit", archive, folder / "edited.pt"]):
        print(f"  example_{name}")
        run(build / f"example_{name}", *arguments, shown=True)
    for script in sorted((ROOT / "examples" / "fx").glob("*.py")):
        print(f"  example_fx_{script.stem}, and examples/fx/{script.name}")
        cpp, python = run(build / f"example_fx_{script.stem}"), run(sys.executable, script)
        if [line.rstrip() for line in cpp.splitlines()] != [line.rstrip() for line in python.splitlines()]:
            sys.exit(f"the two languages do not print the same:\n{cpp}\n{python}")


def by_cmake(folder: pathlib.Path, installed: pathlib.Path) -> None:
    print("find_package(Monograph), in a copy of examples/cpp:")
    shutil.copytree(HERE, folder / "source")
    build = folder / "by_cmake"
    run(CMAKE, "-S", folder / "source", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={installed}")
    run("ninja", "-C", build)
    programs(folder, build)


def by_libtorch_programs(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """The programs of tests/libtorch, which were written for libtorch, with the installed copy: their include line is the only change."""
    build = folder / "libtorch"
    run(CMAKE, "-S", ROOT / "tests" / "libtorch", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    run("ninja", "-C", build)
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    from libtorch_programs import FOLDER, NAMES, printed

    other = [name for name in NAMES if printed(build / f"libtorch_{name}", build) != (FOLDER / f"{name}.txt").read_text()]
    if other:
        sys.exit(f"these programs of tests/libtorch print something else than with libtorch: {', '.join(other)}")
    print(f"{len(NAMES)} programs for libtorch print the same with this library")


def by_static_library(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """Another installed copy with the archive too, which a program asks for by name. The program then runs without the shared library."""
    print("find_package(Monograph COMPONENTS static):")
    run("ninja", "-C", RELEASE, "monograph_static")
    prefix, project = folder / "with_static", folder / "static"
    shutil.copytree(installed, prefix, symlinks=True)
    run(CMAKE, "--install", RELEASE, "--prefix", prefix, "--component", "static")
    project.mkdir()
    shutil.copy(HERE / "facts.cpp", project)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(static CXX)\nfind_package(Monograph REQUIRED COMPONENTS static)\n"
        "add_executable(facts facts.cpp)\ntarget_link_libraries(facts PRIVATE Monograph::monograph_static)\n"
    )
    configure = [CMAKE, "-S", project, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run(*configure, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("ninja", "-C", project / "build")
    for library in prefix.rglob("libmonograph.so*"):
        library.unlink()
    run(project / "build" / "facts", shown=True)
    without = subprocess.run(
        [str(c) for c in (*configure, "-B", project / "none", f"-DCMAKE_PREFIX_PATH={installed}")], capture_output=True, text=True
    )
    if without.returncode == 0 or "libmonograph.a is not installed" not in " ".join(without.stderr.split()):
        sys.exit(f"a copy without the archive does not say so:\n{without.stderr}")


def flags(installed: pathlib.Path, *what: str) -> list[str]:
    found = list(installed.rglob("pkgconfig"))
    return run("pkg-config", *what, "monograph", env={"PKG_CONFIG_PATH": str(found[0])}).split()


def by_pkg_config(folder: pathlib.Path, installed: pathlib.Path) -> None:
    print("pkg-config monograph, with one call of the compiler:")
    program = folder / "by_pkg_config"
    run("c++", "-std=c++20", HERE / "facts.cpp", "-o", program, *flags(installed, "--cflags", "--libs"))
    run(program, shown=True)


def by_hand(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """-lmonograph, with the folders that monograph.utils.cpp_extension names."""
    print("-lmonograph, with include_paths() and library_paths() of monograph.utils.cpp_extension:")
    program = folder / "by_hand"
    code = "from monograph.utils import cpp_extension as e; print(*e.include_flags(), *e.library_flags())"
    found = run(sys.executable, "-c", code, env={"MONOGRAPH_ROOT": str(installed)}).split()
    run("c++", "-std=c++20", HERE / "script_load.cpp", "-o", program, *found)
    run(program, ROOT / "tests" / "data" / "torchscript" / "cnn.pt", shown=True)


def plainly(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """-lmonograph and nothing else: no flags of a tool, no rpath, no thread library. The program has the generated kernels and the compiler of graphs."""
    print("c++ -lmonograph:")
    program = folder / "plainly"
    run("c++", "-std=c++20", "-I", installed / "include", HERE / "facts.cpp", "-L", installed / "lib", "-lmonograph", "-o", program)
    run(program, env={"LD_LIBRARY_PATH": str(installed / "lib")}, shown=True)


def page_programs(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """The code of docs/how_to/cpp.md compiles and runs: its program, and its fragments one after another in another program."""
    blocks = re.findall(r"^```cpp\n(.*?)^```$", (ROOT / "docs" / "how_to" / "cpp.md").read_text(), re.DOTALL | re.MULTILINE)
    fragments = "".join(f"  {{\n{block}  }}\n" for block in blocks if "int main" not in block)
    programs = [block for block in blocks if "int main" in block]
    programs.append(
        f"#include <monograph/fx.h>\n#include <monograph/script.h>\nusing namespace monograph;\nint main() {{\n{fragments}}}\n"
    )
    for k, text in enumerate(programs):
        source = folder / f"page_{k}.cpp"
        source.write_text(text)
        run("c++", "-std=c++20", source, "-o", source.with_suffix(""), *flags(installed, "--cflags", "--libs"))
        run(source.with_suffix(""), cwd=folder)
    print(f"docs/how_to/cpp.md: {len(blocks)} pieces of code compile and run")


def kernels_from_c(folder: pathlib.Path, installed: pathlib.Path) -> None:
    """The C code of docs/how_to/cpp.md, with the library of kernels, in a project that has no compiler for C++."""
    (code,) = re.findall(r"^```c\n(.*?)^```$", (ROOT / "docs" / "how_to" / "cpp.md").read_text(), re.DOTALL | re.MULTILINE)
    include, _, statements = code.partition("\n\n")
    project = folder / "c"
    project.mkdir()
    (project / "main.c").write_text(
        f"#include <stdlib.h>\n{include}\nint main(void) {{\n{statements}  return c[0] != 4 || c[3] != 11;\n}}\n"
    )
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(c C)\nfind_package(Monograph REQUIRED)\n"
        "add_executable(main main.c)\ntarget_link_libraries(main PRIVATE Monograph::kernels)\n"
    )
    run(CMAKE, "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    run("ninja", "-C", project / "build")
    run(project / "build" / "main")
    print("Monograph::kernels: a project in C builds and runs")


# A project that holds Monograph's sources as a folder. It has settings, targets and files of its own, which must stay as they are, whose names Monograph
# might have used, and which could break Monograph's build.
AROUND = """cmake_minimum_required(VERSION 3.25)
project(around CXX)
enable_testing()
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_FLAGS -Werror)
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
set(BUILD_SHARED_LIBS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/programs)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/archives)
set(LLVM_DIR /nowhere CACHE PATH "of another LLVM")
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
foreach(name kernelgen apigen tests bench core api)
  add_custom_target(${name})
endforeach()
macro(look when)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS LINK_DIRECTORIES TESTS)
    get_directory_property(${when}_${property} ${property})
  endforeach()
  foreach(name CMAKE_BUILD_TYPE CMAKE_CXX_STANDARD CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_MODULE_PATH CMAKE_CXX_COMPILER_LAUNCHER LLVM_DIR
               CMAKE_POSITION_INDEPENDENT_CODE CMAKE_CXX_VISIBILITY_PRESET CMAKE_EXPORT_COMPILE_COMMANDS)
    set(${when}_${name} "${${name}}")
  endforeach()
endmacro()
look(BEFORE)
get_cmake_property(names VARIABLES)
add_subdirectory(SOURCE library)
get_cmake_property(later VARIABLES)
get_cmake_property(cached CACHE_VARIABLES)
look(AFTER)
foreach(name ${later})
  if(name MATCHES "^BEFORE_(.*)")
    set(after "${AFTER_${CMAKE_MATCH_1}}")
    if(NOT "${${name}}" STREQUAL "${after}")
      message(SEND_ERROR "${CMAKE_MATCH_1} was '${${name}}' and is '${after}'")
    endif()
  elseif(NOT name IN_LIST names AND NOT name IN_LIST cached AND NOT name MATCHES "^AFTER_|^(after|cached|later|names)$")
    message(SEND_ERROR "the variable ${name} is new")
  endif()
endforeach()
add_executable(example_facts facts.cpp)
target_link_libraries(example_facts PRIVATE Monograph::monograph)
"""


def around(folder: pathlib.Path) -> pathlib.Path:
    """The folder of such a project."""
    project = folder / "around"
    (project / "cmake").mkdir(parents=True)
    for part in (ROOT / "cmake").glob("*.cmake"):  # files of the project that are called as Monograph's
        (project / "cmake" / part.name).write_text('message(FATAL_ERROR "a file of the project around Monograph is read in place of its own")\n')
    shutil.copy(HERE / "facts.cpp", project)
    (project / "CMakeLists.txt").write_text(AROUND.replace("add_subdirectory(SOURCE", f"add_subdirectory({ROOT}"))
    return project


def is_alone(build: pathlib.Path, folder: pathlib.Path) -> None:
    """A project gets Monograph's targets, but neither its tests nor what it installs."""
    if "Total Tests: 0" not in run(CMAKE.parent / "ctest", "--test-dir", build, "-N"):
        sys.exit("Monograph's tests are among those of a project that uses it")
    run(CMAKE, "--install", build, "--prefix", folder / "nothing")
    if any(file.is_file() for file in (folder / "nothing").rglob("*")):
        sys.exit("what Monograph installs is among what a project installs that uses it")


def from_source(folder: pathlib.Path, full: bool) -> None:
    """FetchContent, and add_subdirectory, with the checkout as the source: nothing is downloaded."""
    for name, source, options in (("FetchContent", HERE, [f"-DMONOGRAPH_SOURCE={ROOT}"]), ("add_subdirectory", around(folder), [])):
        build = folder / name
        run(CMAKE, "-S", source, "-B", build, "-G", "Ninja", *options)
        is_alone(build, folder)
        several = [str(c) for c in (CMAKE, "-S", source, "-B", folder / f"{name}_several", "-G", "Ninja Multi-Config", *options)]
        refused = subprocess.run(several, capture_output=True, text=True)
        if refused.returncode == 0 or "built in one configuration a folder" not in " ".join(refused.stderr.split()):
            sys.exit(f"a generator of several configurations is not refused:\n{refused.stderr}")
        # Ninja's plan: every file that the program needs is there, or is made by a step.
        needed = run("ninja", "-C", build, "-t", "inputs", "example_facts").splitlines()
        made = {line.rsplit(": ", 1)[0] for line in run("ninja", "-C", build, "-t", "targets", "all").splitlines()}
        missing = [file for file in needed if file not in made and not (build / file).exists()]
        alien = [file for file in needed if "_C.dir" in file or "_test" in file]
        if missing or alien:
            sys.exit(f"{name}: missing: {missing[:3]}; not the library's: {alien[:3]}")
        print(f"{name}: configured; {len(needed)} files lead to the program")
        if full:
            run("ninja", "-C", build, "example_facts")
            run(build / "example_facts", shown=True)


def from_repository(folder: pathlib.Path) -> None:
    """FetchContent that clones: a project of two files, which gets the last commit of this repository."""
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}  # whoever owns the checkout
    commit = run("git", "-C", ROOT, "rev-parse", "HEAD", env=trusted).strip()
    project = folder / "clones"
    project.mkdir()
    shutil.copy(HERE / "facts.cpp", project)
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(clones CXX)\ninclude(FetchContent)\n"
        f"FetchContent_Declare(monograph GIT_REPOSITORY file://{ROOT} GIT_TAG {commit})\nFetchContent_MakeAvailable(monograph)\n"
        "add_executable(facts facts.cpp)\ntarget_link_libraries(facts PRIVATE Monograph::monograph)\n"
    )
    run(CMAKE, "-S", project, "-B", project / "build", "-G", "Ninja", env=trusted)
    needed = run("ninja", "-C", project / "build", "-t", "inputs", "facts").splitlines()
    print(f"FetchContent of the repository: cloned and configured; {len(needed)} files lead to the program")


def header_seconds(folder: pathlib.Path, installed: pathlib.Path, header: str) -> float:
    """The processor's time for a file that includes a public header: the least of three compiles."""
    source = folder / "header.cpp"
    source.write_text(f"#include <monograph/{header}>\nint main() {{ return monograph::ones({{2}}).numel() != 2; }}\n")
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("c++", "-std=c++20", "-c", source, "-o", folder / "header.o", *flags(installed, "--cflags"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--header", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        installed = install(folder)
        if not options.header:
            by_cmake(folder, installed)
            by_pkg_config(folder, installed)
            by_hand(folder, installed)
            plainly(folder, installed)
            by_libtorch_programs(folder, installed)
            by_static_library(folder, installed)
            page_programs(folder, installed)
            kernels_from_c(folder, installed)
            from_source(folder, options.full)
            from_repository(folder)
        for header in ("monograph.h", "torch.h"):
            print(f"a file that includes monograph/{header} compiles in {header_seconds(folder, installed, header):.1f} s")


if __name__ == "__main__":
    main()
