// The table of direct evaluations. The key is the evaluation that each one replaces and the types of the arguments.
#include "ops/direct.h"

#include <map>
#include <mutex>
#include <tuple>

namespace monograph {
namespace {

using Key = std::tuple<EvalFn, ir::TypeKind, ir::TypeKind>;
struct Table {
  std::mutex mutex;
  std::map<Key, DirectFn> functions;
};
Table& table() {
  static Table t;
  return t;
}

}  // namespace

void state_direct(EvalFn eval, ir::TypeKind a, ir::TypeKind b, DirectFn f) {
  // raw_number() relies on the layout of IValue.
  MONOGRAPH_ASSERT(raw_number<int64_t>(IValue(int64_t{-7})) == -7 && raw_number<double>(IValue(0.5)) == 0.5 &&
                   raw_number<bool>(IValue(true)));
  const std::lock_guard lock(table().mutex);
  table().functions[{eval, a, b}] = f;
}

DirectFn direct_evaluation(const Operator& op) {
  const auto& formals = op.schema().arguments();
  if (!op.eval || op.alias_of || op.results() != 1 || formals.empty() || formals.size() > 2) return nullptr;
  const auto kind = [](const ir::Argument& a) { return a.type.is(ir::TypeKind::SymInt) ? ir::TypeKind::Int : a.type.kind(); };
  const std::lock_guard lock(table().mutex);
  const auto found = table().functions.find({op.eval, kind(formals.front()), kind(formals.back())});
  return found == table().functions.end() ? nullptr : found->second;
}

}  // namespace monograph
