// Prints which rules every operator record states, one line a functional operator, and fails where one is blank: neither given nor none("reason").
//
//   support_matrix            the matrix; exit code 3 where something is blank
//   support_matrix --reasons  what is missing on purpose: the operator, the part, and the reason that its record states
//   support_matrix --samples  a line of JSON for each record, as tools/oracle/freeze_ops.py reads it: its schema, and what tests call it with
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ops/decomposition.h"
#include "ops/onnx_rule.h"
#include "ops/registry.h"

using namespace monograph;

namespace {

struct TableCell {
  const char* text;
  bool blank = false;
};

// A part that is missing on purpose; blank where the record does not say why.
TableCell missing(const char* reason) { return {"none", *reason == 0}; }

bool gives_tensors(const Operator& op) {
  for (const ir::Argument& r : op.schema().returns())
    if (r.type.is(ir::TypeKind::Tensor) || (r.type.is(ir::TypeKind::List) && r.type.element().is(ir::TypeKind::Tensor))) return true;
  return false;
}

TableCell eval(const Operator& op) {
  if (op.pointwise) return {"body"};
  if (op.rows) return {"rows"};
  if (op.kernel) return {"kernel"};
  if (op.evaluates()) return {op.eval ? "eval" : "view"};
  return op.decompose ? TableCell{"decomposed"} : TableCell{"-", true};
}
TableCell infer(const Operator& op) {
  if (op.rule) return {"stated"};
  if (op.pointwise || op.rows) return {"generic"};
  if (op.decompose && op.decompose_reads != Reads::Strides) return {"composite"};
  const std::vector<ir::Argument>& arguments = op.schema().arguments();
  const bool takes_apart =
      arguments.size() == 1 && arguments[0].type.is(ir::TypeKind::Dict);  // the tensors that are the keys of a dict are known as such
  return gives_tensors(op) && !takes_apart ? TableCell{"-", true} : TableCell{"schema"};
}
TableCell gradient(const Operator& op) {
  if (op.gradient) return {"stated"};
  if (op.derived_gradient) return {"body"};
  if (op.no_gradient) return missing(op.no_gradient);
  return op.decompose ? TableCell{"decomposed"} : TableCell{"-", true};
}
TableCell decomposed(const Operator& op) {
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
TableCell onnx(const Operator& op) {
  if (const OnnxRule* rule = onnx_rule(op)) return {rule->both_ways ? "both" : "out"};
  return op.no_onnx ? missing(op.no_onnx) : TableCell{"-", true};
}
// Its own samples, those of its kind, or none: of in-place and out= forms, which the tests run on those of the functional form, too.
TableCell sampled(const Operator& op) {
  if (op.samples) return {"own"};
  if (op.no_samples) return missing(op.no_samples);
  return op.pointwise || op.rows ? TableCell{"kind"} : TableCell{"-", true};
}
nlohmann::json samples(const Operator& op) {
  nlohmann::json line{{"op", op.name()}, {"family", op.family}};
  if (op.no_samples || op.functional || op.alias_of) return line;
  line["samples"] = op.samples ? op.samples : op.pointwise ? "pointwise()" : op.rows ? "rows()" : "[]";
  line["first_result_alone"] = op.is_special(Special::FirstResultAlone);
  return line;
}
TableCell doc(const Operator& op) { return *op.doc ? TableCell{"yes"} : TableCell{"-", true}; }

void print_reasons() {
  for (const auto& op : Registry::global().all()) {
    if (op->functional || op->copy != 0) continue;
    const std::pair<const char*, const char*> parts[] = {
        {"gradient", op->no_gradient}, {"decomposition", op->no_decomposition}, {"onnx", op->no_onnx}, {"samples", op->no_samples}};
    for (const auto& [part, reason] : parts)
      if (reason) std::printf("%-44s %-13s %s\n", op->name().c_str(), part, reason);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--reasons") == 0) return print_reasons(), 0;
  if (argc > 1 && std::strcmp(argv[1], "--samples") == 0) {
    for (const auto& op : Registry::global().all())
      if (op->copy == 0) std::printf("%s\n", samples(*op).dump().c_str());  // a copy is tested with its original's
    for (const auto& op : Registry::global().aliases())
      if (op->copy == 0) std::printf("%s\n", samples(*op).dump().c_str());
    return 0;
  }
  if (argc > 1) return std::fprintf(stderr, "usage: support_matrix [--samples | --reasons]\n"), 2;
  std::printf("%-44s %-12s %-11s %-8s %-11s %-10s %-5s %-7s %s\n", "operator", "family", "evaluation", "infer", "gradient", "decomposes",
              "onnx", "samples", "doc");
  int blanks = 0, count = 0, copies = 0, forms = 0;
  for (const auto& op : Registry::global().all()) {
    op->copy == 0 ? ++forms : ++copies;
    if (op->functional) continue;  // its in-place and out= forms have the rules of the form without effects
    std::vector<TableCell> cells{eval(*op), infer(*op), gradient(*op), decomposed(*op), onnx(*op), sampled(*op), doc(*op)};
    for (const TableCell& c : cells) blanks += c.blank;
    std::printf("%-44s %-12s %-11s %-8s %-11s %-10s %-5s %-7s %s\n", op->name().c_str(), op->family.c_str(), cells[0].text, cells[1].text,
                cells[2].text, cells[3].text, cells[4].text, cells[5].text, cells[6].text);
    count += op->copy == 0;
  }
  if (copies != 0) std::printf("%d copies of them under other names (cmake/Copies.cmake)\n", copies);
  std::printf("%zu other names of them\n", Registry::global().aliases().size());
  std::printf("%d operators, %d with their in-place and out= forms; %d blank\n", count, forms, blanks);
  return blanks ? 3 : 0;
}
