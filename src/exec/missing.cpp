#include "exec/missing.h"

#include "core/error.h"
#include "exec/fusion.h"
#include "exec/node_interpreter.h"
#include "ir/bind.h"
#include "ir/unit.h"
#include "ops/infer.h"

namespace monograph::exec {

bool takes(const Operator* op, const ir::Node& n) {
  if (!op) return false;
  // Of an archive: a call by the operator's own name, of an overload that Monograph lacks.
  return n.info() ? ir::bound_args(op->schema(), n).has_value() : ir::misfit(op->schema(), n).empty();
}

bool is_missing(const ir::Node& n) {
  const bool call = n.op() == ir::Op::CallFunction && !n.info() && !n.is_projection() && n.structure() == ir::Structure::None;
  const ir::Unit* unit = n.graph()->unit();
  return call && !is_structural(n.target().name()) && !(unit && unit->find_function(n.target().name())) && !takes(operator_of(n), n);
}

std::string why_missing(const ir::Node& n) {
  if (const Operator* op = operator_of(n)) return ir::misfit(op->schema(), n);
  if (std::string why = misfit(n); !why.empty()) return why;
  if (n.target().name().find("::") == std::string::npos) return concat("there is no operator or function named ", n.target().name());
  try {
    find_operator(n.target().name());
  } catch (const Error& error) {  // its message names the nearest
    return error.what();
  }
  return "its arguments fit no overload";
}

}  // namespace monograph::exec
