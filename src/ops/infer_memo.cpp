// A hash table of calls. Operators, skeletons and types are interned, so a call is described by a few pointers.
#include "ops/infer_memo.h"

#include "ops/promotion.h"

namespace monograph {

size_t InferMemo::Hash::operator()(const TypedCall& c) const {
  uint64_t h = reinterpret_cast<uintptr_t>(c.op) >> 4;
  const auto mix = [&](uint64_t v) { h = (h ^ (h >> 29) ^ v) * 0xbf58476d1ce4e5b9u; };
  mix(reinterpret_cast<uintptr_t>(c.skeleton));
  mix(c.guards);
  for (const ir::Type t : c.inputs) mix(t ? t.hash() : 1);
  return h ^ (h >> 32);
}

bool InferMemo::describe(const ir::Node& node, TypedCall& call) {
  if (node.input_count() > call.inputs.size()) return false;
  for (size_t k = 0; k < node.input_count(); ++k) {
    call.inputs[k] = node.input(k)->type();
    if (!call.inputs[k].is(ir::TypeKind::Tensor)) return false;
  }
  call.op = node.info(), call.skeleton = &node.skeleton();
  call.guards = node.graph()->guards().size(), call.default_dtype = default_dtype();
  return true;
}

const ir::Type* InferMemo::find(const ir::Node& node) const {
  TypedCall call;
  if (!describe(node, call)) return nullptr;
  const auto found = known_.find(call);
  return found == known_.end() ? nullptr : &found->second;
}

ir::Type InferMemo::infer(const ir::Node& node) {
  TypedCall call;
  if (!describe(node, call)) return node.info()->infer(node);
  const auto found = known_.find(call);
  if (found != known_.end()) return found->second;
  return known_.emplace(call, node.info()->infer(node)).first->second;
}

}  // namespace monograph
