// Prints which rules every operator record states, one line a functional operator, and fails where one is blank: neither given nor none("reason").
//
//   support_matrix            the matrix; exit code 3 where something is blank
//   support_matrix --schemas  the schemas alone, one a line, as tools/oracle/freeze_ops.py reads them
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ops/decomposition.h"
#include "ops/onnx_rule.h"
#include "ops/registry.h"

using namespace monograph;

namespace {

struct Cell {
  const char* text;
  bool blank = false;
};

bool gives_tensors(const Operator& op) {
  for (const ir::Argument& r : op.schema().returns())
    if (r.type.is(ir::TypeKind::Tensor) || (r.type.is(ir::TypeKind::List) && r.type.element().is(ir::TypeKind::Tensor))) return true;
  return false;
}

Cell eval(const Operator& op) {
  if (op.pointwise) return {"body"};
  if (op.rows) return {"rows"};
  if (op.kernel) return {"kernel"};
  if (op.evaluates()) return {op.eval ? "eval" : "view"};
  return op.decompose ? Cell{"decomposed"} : Cell{"-", true};
}
Cell infer(const Operator& op) {
  if (op.rule) return {"stated"};
  if (op.pointwise || op.rows) return {"generic"};
  return gives_tensors(op) ? Cell{"-", true} : Cell{"schema"};
}
Cell gradient(const Operator& op) {
  if (op.gradient) return {"stated"};
  if (op.derived_gradient) return {"body"};
  if (op.no_gradient) return {"none"};
  return op.decompose ? Cell{"decomposed"} : Cell{"-", true};
}
Cell decomposed(const Operator& op) {
  switch (decomposition(op)) {
    case Decomposition::Core: return {"core"};
    case Decomposition::Stated: return {op.decompose_reads == Reads::Strides ? "eager" : "stated"};
    case Decomposition::Body: return {"body"};
    case Decomposition::Rows: return {"rows"};
    case Decomposition::Blank: break;
  }
  return {"-", true};
}
// In and out, out only, or none on purpose. A rule that does not parse raises here.
Cell onnx(const Operator& op) {
  if (const OnnxRule* rule = onnx_rule(op)) return {rule->both_ways ? "both" : "out"};
  return op.no_onnx ? Cell{"none"} : Cell{"-", true};
}
Cell doc(const Operator& op) { return *op.doc ? Cell{"yes"} : Cell{"-", true}; }

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--schemas") == 0) {
    for (const auto& op : Registry::global().all())
      std::printf("%s\t%s\t%s\n", op->family.c_str(), op->functional ? op->functional->name().c_str() : "", op->text.c_str());
    return 0;
  }
  if (argc > 1) return std::fprintf(stderr, "usage: support_matrix [--schemas]\n"), 2;
  std::printf("%-44s %-12s %-11s %-8s %-11s %-10s %-5s %s\n", "operator", "family", "evaluation", "infer", "gradient", "decomposes", "onnx",
              "doc");
  int blanks = 0, count = 0;
  for (const auto& op : Registry::global().all()) {
    if (op->functional) continue;  // its in-place and out= forms have the rules of the form without effects
    std::vector<Cell> cells{eval(*op), infer(*op), gradient(*op), decomposed(*op), onnx(*op), doc(*op)};
    for (const Cell& c : cells) blanks += c.blank;
    std::printf("%-44s %-12s %-11s %-8s %-11s %-10s %-5s %s\n", op->name().c_str(), op->family.c_str(), cells[0].text, cells[1].text,
                cells[2].text, cells[3].text, cells[4].text, cells[5].text);
    ++count;
  }
  std::printf("%d operators, %zu with their in-place and out= forms; %d blank\n", count, Registry::global().all().size(), blanks);
  return blanks ? 3 : 0;
}
