"""The checks that ./dev lint makes of the tree, on small trees that break them; and the version, which is stated twice."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from family_copies import is_copy
from monograph import _C

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from check_imports import problems as import_problems  # noqa: E402
from check_includes import LAYERS, problems  # noqa: E402
from check_kernels import problems as kernel_problems  # noqa: E402
from check_operator_names import operator_names, problems as name_problems  # noqa: E402
from check_texts import problems as text_problems  # noqa: E402
from check_type_names import problems as type_problems  # noqa: E402


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    "line",
    ["'no attribute' in str(e)", "str(e).startswith('x')", "e.args[0] == 'x'", "str(e).lower().partition(': ')[0]", "re.search('x', str(e))", "repr(e) == 'x'", "'cuda' in str(type(e))"],
)  # fmt: skip
def test_what_is_recognized_by_a_text_is_named(tmp_path, line):
    (found,) = text_problems(tree(tmp_path, {"python/monograph/a.py": f"try:\n    f()\nexcept ValueError as e:\n    g({line})\n"}), {})
    assert found.startswith("python/monograph/a.py: ")


@pytest.mark.parametrize("file", sorted((ROOT / "tools" / "oracle").glob("*.py")), ids=lambda file: file.stem)
def test_pytorch_is_pinned_to_its_avx2_kernels_before_it_is_imported(file):
    imports = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = [(node.lineno, node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) for node in imports]
    torch_at = min((line for line, name in modules if name and name.partition(".")[0] == "torch"), default=None)
    pins = [line for line, name in modules if name and (name == "pinned" or name.startswith("freeze_"))]
    assert torch_at is None or (pins and min(pins) < torch_at), f"{file.name} imports torch, and not `pinned` before it"


@pytest.mark.parametrize("line", ['if (std::string_view(e.what()).find("x") != npos) throw;', "if (what.starts_with(x)) throw;", "if (e.what() == words) throw;"])
def test_what_is_recognized_by_a_text_in_cpp_is_named(tmp_path, line):
    (found,) = text_problems(tree(tmp_path, {"src/ir/a.cpp": f"  {line}\n"}), {})
    assert found.startswith(f"src/ir/a.cpp: {line}")


def test_the_text_of_an_error_may_be_shown(tmp_path):
    shown = "try:\n    f()\nexcept ValueError as e:\n    raise TypeError(f'x: {e}', str(e).splitlines()[0], repr(f)) from e\n"
    assert text_problems(tree(tmp_path, {"python/monograph/a.py": shown, "src/ir/a.cpp": "throw UsageError(e.what());\n"}), {}) == []


def test_includes_point_down(tmp_path):
    assert problems(tree(tmp_path, {"src/ops/a.h": '#include "core/dtype.h"\n#include "ops/b.h"\n#include <vector>\n'})) == []


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("src/core/a.h", '#include "ir/graph.h"', "src/core/a.h:1: core includes ir/graph.h, but ir stands above it"),
        ("src/exec/plan/a.cpp", '\n#  include "capture/trace.h"', "src/exec/plan/a.cpp:2: exec includes"),
        ("src/ops/a.cpp", "#include <llvm/IR/Value.h>", "LLVM's headers belong to src/codegen"),
        ("src/ops/a.cpp", "#include <monograph/torch.h>", "is for users"),
        ("src/ops/a.h", '#include "ops/families/creation.h"', "is for families of operators"),
        ("src/misc/a.cpp", "", "src/misc is no layer"),
    ],
)
def test_a_wrong_include_is_named(tmp_path, file, text, message):
    (found,) = problems(tree(tmp_path, {file: text}))
    assert message in found


def test_llvm_is_seen_by_six_files_at_most(tmp_path):
    files = {f"src/codegen/{i}.cpp": '#include "llvm/IR/Value.h"\n' for i in range(5)}
    files |= {"src/codegen/emit.h": '#include "codegen/values.h"\n', "src/codegen/values.h": "#include <llvm/IR/Value.h>\n"}
    files |= {"src/codegen/5.cpp": '#include "codegen/emit.h"\n', "src/codegen/free.cpp": '#include "codegen/api.h"\n'}
    assert problems(tree(tmp_path, files)) == []
    (found,) = problems(tree(tmp_path, {"src/codegen/6.cpp": '#include "codegen/emit.h"\n'}))
    assert "seen by 7 sources, at most 6" in found


def test_imports_make_no_circle(tmp_path):
    files = {
        "monograph/__init__.py": "from . import _C\nfrom .a import f\n",
        "monograph/a.py": "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nfrom . import _C\nfrom .n import b\nif TYPE_CHECKING:\n    from .c import g\n",
        "monograph/n/__init__.py": "",
        "monograph/n/b.py": "import math\nfrom .. import c\n",
        "monograph/c.py": "",
    }
    assert import_problems(tree(tmp_path, files)) == []


@pytest.mark.parametrize(
    "back",
    ["from .a import f", "def g():\n    from . import a", "import monograph.a", "from monograph.n import b", "def g():\n    importlib.import_module('.a', __package__)", "x = importlib.import_module('monograph.a')"],
)  # fmt: skip
def test_a_circle_of_imports_is_named(tmp_path, back):
    files = {
        "monograph/__init__.py": "from .a import f\n",
        "monograph/a.py": "from .n import b\n",
        "monograph/n/__init__.py": "",
        "monograph/n/b.py": "from ..c import g\n",
        "monograph/c.py": back + "\n",
    }
    found = import_problems(tree(tmp_path, files))
    assert len(found) in (2, 3) and any("monograph/c.py:" in line and "in a circle of" in line for line in found)


KERNEL = """#include "kernels/copy.h"
#include <array>
static_assert(sizeof(int64_t) == 8);
KernelStatus flip_kernel(KernelCall& call) {  // throws nothing
  int64_t rows[kMost], columns[sizeof(int)][kMost] = {};
  for (int64_t i = 0; i < kMost; ++i) rows[i] = columns[0][i];
  if (call.args[0].tensor.dim < 0) return call.fail(1, 2);
  return KernelStatus::Ok;
}
"""


def test_a_structured_kernel_only_computes(tmp_path):
    files = {"src/kernels/flip.cpp": KERNEL, "src/kernels/copy.cpp": "void copy() {}\n", "src/kernels/other.cpp": "#include <vector>\n"}
    assert kernel_problems(tree(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#include <vector>", "allocates: #include <vector>"),
        ("char* p = new char[8];", "allocates: new char"),
        ("char* p = new (std::nothrow) char[8];", "allocates: new ("),
        ("std::vector<int> rows(3);", "allocates: std::vector"),
        ("std::string text;", "allocates: std::string"),
        ("auto p = std::make_unique<int>(3);", "allocates: std::make_unique"),
        ("void* p = mmap(0, 8, 3, 34, -1, 0);", "allocates: mmap"),
        ("char* p = strdup(text);", "allocates: strdup"),
        ("assert(n > 0);", "may end the program: assert("),
        ("std::abort();", "may end the program: abort("),
        ("int64_t rows[n];", "has an array of a length that is not constant: int64_t rows[n];"),
        ("const T a[kMost], b[n * 2 + 1] = {};", "has an array of a length that is not constant: const T a[kMost], b[n * 2 + 1]"),
        ("std::stable_sort(a, b);", "allocates: std::stable_sort"),
        ("throw 1;", "throws: throw"),
        ('#include "core/error.h"', 'checks, or allocates: #include "core/error.h"'),
        ("monograph::fail(ErrorKind::Runtime);", "checks: fail("),
    ],
)
@pytest.mark.parametrize("file", ["flip", "copy"])
def test_a_structured_kernel_that_does_more_is_named(tmp_path, file, text, message):
    files = {"src/kernels/flip.cpp": KERNEL, "src/kernels/copy.cpp": "void copy() {}\n"}
    files[f"src/kernels/{file}.cpp"] += text + "\n"
    (found,) = kernel_problems(tree(tmp_path, files))
    assert message in found and f"src/kernels/{file}.cpp:" in found


@pytest.mark.parametrize(
    "head",
    [
        "KernelStatus flip(\n    KernelCall& call) {",
        "auto flip(KernelCall& call) -> KernelStatus {",
        "inline KernelStatus flip(const KernelCall& call) {",
        "template <class T> KernelStatus flip(KernelCall& call) {",
        "const auto flip = [](KernelCall& call) {",
    ],
)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auto* p = new float[3];", "allocates: new float"),
        ("if (call.args[0].tensor.dim != 2) return KernelStatus::BadValue;", "checks a shape: if"),
        ("if (t.sizes[0] == u.sizes[1]) return call.fail(0, 0);", "checks a shape: if"),
        ("static thread_local Buffer buffer;", "keeps memory: thread_local"),
        ('#include "core/storage.h"', 'checks, or allocates: #include "core/storage.h"'),
        ("#include <memory_resource>", "allocates: #include <memory_resource>"),
    ],
)
def test_a_kernel_is_known_however_it_is_written(tmp_path, head, text, message):
    (found,) = kernel_problems(tree(tmp_path, {"src/kernels/flip.cpp": f"{head}\n{text}\n}}\n"}))
    assert message in found and f"src/kernels/flip.cpp:{head.count(chr(10)) + 2}:" in found


@pytest.mark.parametrize("text", ["inline std::vector<int> rows() { return {}; }", "inline void stop() { throw 1; }"])
def test_a_header_of_a_structured_kernel_is_looked_at(tmp_path, text):
    files = {"src/kernels/flip.cpp": KERNEL, "src/kernels/copy.h": '#include "kernels/more.h"\n', "src/kernels/more.h": text + "\n"}
    (found,) = kernel_problems(tree(tmp_path, files))
    assert "src/kernels/more.h:1:" in found
    del files["src/kernels/copy.h"]  # no kernel includes it now
    assert kernel_problems(tree(tmp_path / "without", files)) == []


TURNS = """#include <vector>

std::vector<int> helper() { return {}; }

KernelStatus turn_kernel(KernelCall& call) {
  return KernelStatus::Ok;
}

void turns(Registry& r) { r.op("turn(Tensor self) -> Tensor").rule(turn_rule).kernel(turn_kernel); }
"""


def test_a_kernel_beside_its_rule_only_computes(tmp_path):
    assert kernel_problems(tree(tmp_path, {"src/ops/families/turns.cpp": TURNS})) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Tensor t;", "allocates: Tensor"),
        ("auto t = empty(sizes, type);", "allocates: empty("),
        ('auto t = "add"_op(a, b);', 'allocates: "_op('),
        ("MONOGRAPH_CHECK(fits, Runtime, 1);", "checks: MONOGRAPH_CHECK"),
    ],
)
def test_a_kernel_beside_its_rule_that_does_more_is_named(tmp_path, text, message):
    files = {"src/ops/families/turns.cpp": TURNS.replace("  return KernelStatus", f"  {text}\n  return KernelStatus")}
    (found,) = kernel_problems(tree(tmp_path, files))
    assert message in found and "src/ops/families/turns.cpp:6:" in found


def test_a_kernel_that_a_record_holds_only_computes(tmp_path):
    files = {"src/ops/families/turns.cpp": TURNS.replace("turn_kernel);", '[](KernelCall& call) { auto t = "add"_op(a, b); return KernelStatus::Ok; });')}
    (found,) = kernel_problems(tree(tmp_path, files))
    assert "src/ops/families/turns.cpp:9: " in found and 'allocates: "_op(' in found


@pytest.mark.parametrize("text", [".eval(turn)", ".eval (turn)", ".eval\n(turn)", "; (record.*&OpBuilder::eval)(turn)"])
def test_an_evaluation_in_a_family_is_named(tmp_path, text):
    files = {"src/ops/families/turns.cpp": TURNS.replace(".kernel(turn_kernel)", text)}
    (found,) = kernel_problems(tree(tmp_path, files))
    assert "src/ops/families/turns.cpp: 1 statements have an evaluation" in found


FAMILY = """void shapes(Registry& r) {
  r.op("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor")
      .odd()  // no other has it: .rare()
      .special(Special::Rare, "reason")
      .doc("...");
  r.op({"view(Tensor(a) self, SymInt[] size) -> Tensor(a)"}).plain();
  r.op("copy_(Tensor(a!) self, Tensor src) -> Tensor(a!)").plain();
  binary("add", "int", "float", f);
}
"""
RECORDS = {
    "src/ops/families/shapes.cpp": FAMILY,
    "src/ops/registry.h": "class OpBuilder {\n  OpBuilder& odd();  // where\n  OpBuilder& plain();\n  OpBuilder& rare();\n  OpBuilder& doc(const char* text);\n};\n",
    "src/ops/record.h": "enum class Special : uint8_t {\n  Rare,  // one\n  Unused,\n};\n",
}
ALONE = {".odd()": "a reason", "Special::Rare": "a reason"}


def test_calls_of_operators_are_no_decisions(tmp_path):
    files = {
        "src/passes/a.cpp": 'Tensor f() { return "where"_op(c, "add"_op(a, b)); }  // "where"\nauto& view = find_operator("aten::view");\ncall(find_operator(flag ? "aten::view" : "aten::where.self"));\n',
        "python/monograph/a.py": 'def f(x):\n    """where"""\n    return functions["where" if x else "view"](x), "where it is"\n',
        "python/monograph/b.py": '__all__ = ["view", "where"]\nfrom .a import f as where\n\ndef view(x):\n    return x\n',
        "tests/cpp/a_test.cpp": 'TEST() { if (op.name() == "aten::where.self") return; }\n',  # not a test of all records
        "tests/cpp/all_test.cpp": 'for (auto& op : Registry::global().all()) run("aten::view");\n',
    }
    assert name_problems(tree(tmp_path, RECORDS | files), {}, {}, ALONE) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("src/passes/a.cpp", '\nif (op.base_name() == "where") {', "src/passes/a.cpp:2: 'where': is compared with a name"),
        ("src/passes/a.cpp", 'const std::set<std::string> kViews{"aten::view"};', "src/passes/a.cpp:1: 'aten::view'"),
        ("src/passes/a.cpp", 'const auto* copy = &find_operator("aten::copy_");\nif (n->info() != copy) return;', "src/passes/a.cpp:2: 'copy': is compared with an operator that was looked up"),
        ("src/passes/a.cpp", 'if (name == "add.int" || name == "add_") {', "src/passes/a.cpp:1: 'add_'"),
        ("include/monograph/a.h", 'inline constexpr const char* kName = "where.self";', "include/monograph/a.h:1: 'where.self'"),
        ("python/monograph/a.py", "if name in ('where', 'x'):\n    pass", "python/monograph/a.py:1: 'where'"),
        ("python/monograph/a.py", "__all__ = ['view', 'f']\ndef f(): ...", "python/monograph/a.py:1: 'view'"),
        ("python/monograph/a.py", "NAMES = ['view']\ndef view(): ...", "python/monograph/a.py:1: 'view'"),
        ("python/monograph/a.py", "def f(op):\n    return op is torch.ops.aten.view.default", "python/monograph/a.py:2: 'view': is compared with an operator that was looked up"),
        ("tools/a.py", "TABLE = {'view': 1}", "tools/a.py:1: 'view'"),
        ("tests/cpp/all_test.cpp", 'for (auto& op : Registry::global().all())\n  if (op->base_name() == "view") continue;', "tests/cpp/all_test.cpp:2: 'view'"),
        ("tests/cpp/all_test.cpp", 'std::set<std::string> known{\n  "aten::view",\n};\nfor_each_case(f);', "tests/cpp/all_test.cpp:2: 'aten::view'"),
    ],
)
def test_a_decision_by_an_operators_name_is_named(tmp_path, file, text, found):
    root = tree(tmp_path, RECORDS | {file: text + "\n"})
    (message,) = name_problems(root, {}, {}, ALONE)
    assert message.startswith(found)
    name = found.split("'")[1]
    assert name_problems(root, {}, {file: (name, "a reason")}, ALONE) == name_problems(root, {file: (name, "a reason")}, {}, ALONE) == []


def test_a_list_of_exceptions_holds_nothing_else(tmp_path):
    root = tree(tmp_path, RECORDS)
    (gone,) = name_problems(root, {}, {"src/passes/a.cpp": ("view", "a reason")}, ALONE)
    assert "lists 'view' in src/passes/a.cpp, where it is found no more" in gone
    odd, rare = name_problems(root, {}, {}, {})
    assert "src/ops/families/shapes.cpp:3: .odd() is a trait of one record alone" in odd and "shapes.cpp:4: Special::Rare" in rare
    (shared,) = name_problems(root, {}, {}, ALONE | {".plain()": "a reason"})
    assert ".plain(), which is no trait of one record alone" in shared


def test_the_check_knows_the_name_of_every_record():
    names = operator_names(ROOT)
    records = [f"{space}::{name}" for space in ("aten", "prim", "monograph") for name in _C._operator_names(space)]
    assert len(records) > 250 and [name for name in records if not is_copy(name) and name not in names] == []


def test_types_of_one_meaning(tmp_path):
    files = {
        "src/ir/graph.h": "namespace monograph::ir {\nclass Node;\nstruct Frame;\nclass Node final : public Base {\n public:\n  enum class Kind : uint8_t { A };\n};\n}\n",
        "src/ir/type.h": "template <class T> struct Reader {};\ntemplate <> struct Reader<int> {\n  struct Slot {};\n};\nstruct Graph::Place {};\n",
        "src/ops/a.cpp": "#define X struct Node {}\n// struct Node {\nusing Kind = Node::Kind;\nusing Dim = ir::TensorType::Dim;\nstruct Table { Kind kind = Kind::A; };\n",
        "src/ops/b.cpp": "using Kind = Other::Kind;\nclass Holder {\n  struct Slot {};\n  enum class Kind { B };\n};\nvoid f(struct Node* n) {\n  struct Frame {};\n}\n",
        "src/kernels/call.h": 'extern "C" {\nstruct Call {};\n}\n',
    }
    assert type_problems(tree(tmp_path, files), {}) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("src/ops/a.cpp", "namespace monograph {\nnamespace {\nstruct Frame {\n  int a;\n};\n}\n}\n", "Frame names 2 types (src/exec/run.cpp:5, src/ops/a.cpp:3)"),
        ("src/ops/a.cpp", "\nusing Frame = std::vector<int>;\n", "Frame names 2 types (src/exec/run.cpp:5, src/ops/a.cpp:2)"),
        ("src/ops/a.cpp", "template <class T, size_t N>\nclass alignas(64) Frame : Base<T> {};\n", "Frame names 2 types (src/exec/run.cpp:5, src/ops/a.cpp:2)"),
        ("python/bindings/a.cpp", "MONOGRAPH_VARIANTS((template <class T>), f, g, (int64_t n))\n\nenum class Frame : int64_t { A };\n", "Frame names 2 types"),
        ("src/ops/a.cpp", "class Driver {\n public:\n  int64_t a = 0;\n private:\n  struct Node {};\n};\n", "Node names 2 types (src/ir/graph.h:1, src/ops/a.cpp:5)"),
    ],
)
def test_a_name_of_two_types_is_named(tmp_path, file, text, found):
    files = {"src/ir/graph.h": "class Node {};\n", "src/exec/run.cpp": "namespace monograph {\nint f() { return 1; }\nnamespace {\nchar open = '{';\nstruct Frame {};\n}\n}\n"}
    (message,) = type_problems(tree(tmp_path, {**files, file: text}), {})
    assert message.startswith(found)
    assert type_problems(tmp_path, {message.split()[0]: "a reason"}) == []
    assert "which names one type: take it out" in type_problems(tree(tmp_path, {file: ""}), {"Frame": "a reason"})[0]


def test_a_kernel_without_a_name_for_c_is_named(tmp_path):
    header = "MONOGRAPH_KERNEL(flip);\nKernelStatus roll_kernel(KernelCall& call);\n"
    (found,) = kernel_problems(tree(tmp_path, {"src/kernels/flip.h": header}))
    assert "src/kernels/flip.h:2: declare it by MONOGRAPH_KERNEL" in found


def test_cmake_and_the_check_name_the_same_layers():
    (listed,) = re.findall(r"set\(MONOGRAPH_LAYERS ([^)]*)\)", (ROOT / "CMakeLists.txt").read_text())
    assert [*listed.split(), "cli"] == LAYERS


def test_one_version():
    (stated,) = re.findall(r"project\(monograph VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert f'__version__ = "{stated}"' in (ROOT / "python" / "monograph" / "__init__.py").read_text()


def test_a_class_of_two_modules_is_named(tmp_path):
    from check_type_names import problems_in_python

    for name in ("one", "two"):
        file = tmp_path / "python" / "monograph" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("class Found:\n    class Inner: ...\n")
    (found,) = problems_in_python(tmp_path, {})
    assert "two.py:1: Found is a class at python/monograph/one.py:1 too" in found
    assert problems_in_python(tmp_path, {"Found": "one thing"}) == []
    (gone,) = problems_in_python(tmp_path, {"Found": "one thing", "Gone": "no more"})
    assert "'Gone'" in gone
