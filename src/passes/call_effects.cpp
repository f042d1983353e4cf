// Looks up `training` in the schema, and then its literal in the node's arguments.
#include "passes/call_effects.h"

namespace monograph::passes {

using namespace ir;

namespace {

bool is_false(ArgRef a) { return a.is(ArgKind::Bool) && !a.as_bool(); }

bool evaluates(const Node& n) {
  const int place = n.info()->schema().index_of("training");
  if (place < 0) return false;
  if (const auto by_name = n.kwarg("training")) return is_false(*by_name);
  if (static_cast<size_t>(place) < n.positional_count()) return is_false(n.arg(static_cast<size_t>(place)));
  const auto& otherwise = n.info()->schema().arguments()[static_cast<size_t>(place)].default_value;
  return otherwise && is_false((*otherwise)[0]);
}

}  // namespace

Effects call_effects(const Node& n) {
  Effects e = own_effects(n);
  // Only a pure schema: an argument that the schema marks as written is written in evaluation too.
  if (n.op() == Op::CallFunction && n.info() && (e.writes & Effects::Memory) && n.info()->schema().is_pure() && evaluates(n))
    e.writes &= static_cast<uint8_t>(~Effects::Memory);
  return e;
}

}  // namespace monograph::passes
