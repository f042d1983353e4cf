// The registry that src/ops sets, and the words for states.
#include "ir/op.h"

#include "ir/graph.h"

namespace monograph::ir {

std::string to_string(const Effects& e) {
  std::string out;
  auto put = [&](std::string_view text) { out += out.empty() ? "" : ", ", out += text; };
  auto states = [&](std::string_view verb, uint8_t mask) {
    constexpr std::string_view kNames[] = {"memory", "random", "console", "mode"};
    for (int i = 0; i < 4; ++i)
      if (mask >> i & 1) put(concat(verb, " ", kNames[i]));
  };
  states("reads", e.reads);
  states("writes", e.writes);
  if (e.may_raise) put("may raise");
  if (e.raises) put("raises");
  if (e.user_code) put("runs user code");
  return out.empty() ? "none" : out;
}

OpInfo::OpInfo(FunctionSchema schema, Effects effects) : schema_(std::move(schema)), effects_(effects) {
  if (!schema_.is_pure()) effects_.reads |= Effects::Memory, effects_.writes |= Effects::Memory;
}

Type OpInfo::infer(const Node&) const {
  const auto& returns = schema_.returns();
  if (returns.empty()) return TypeKind::None;
  if (returns.size() == 1) return returns[0].type;
  std::vector<Type> types;
  for (const Argument& r : returns) types.push_back(r.type);
  return Type::tuple(types);
}

namespace {
OperatorLookup current;
}  // namespace

const OperatorLookup& operator_lookup() { return current; }
OperatorLookup set_operator_lookup(OperatorLookup next) { return std::exchange(current, next); }

}  // namespace monograph::ir
