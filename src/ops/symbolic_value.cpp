#include "ops/symbolic_value.h"

#include "ir/graph.h"

namespace monograph {

ir::Type type_of_value(const SymbolicValue& value) {
  const ir::Type type = value.node->type();
  if (!type.is(ir::TypeKind::Number)) return type;
  if (value.hint.is_bool()) return ir::TypeKind::Bool;
  if (value.hint.is_int()) return ir::TypeKind::Int;
  if (value.hint.is_float()) return ir::TypeKind::Float;
  if (value.node->input_count() != 1 || !value.node->input(0)->type().is(ir::TypeKind::Tensor)) return type;
  const std::optional<DType> dtype = value.node->input(0)->type().tensor().dtype;
  if (!dtype || is_complex(*dtype)) return type;
  return *dtype == DType::b1 ? ir::TypeKind::Bool : is_floating(*dtype) ? ir::TypeKind::Float : ir::TypeKind::Int;
}

}  // namespace monograph
