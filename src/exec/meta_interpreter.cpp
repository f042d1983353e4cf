// Runs the blocks of an If or Loop on meta tensors with the sizes and dtypes that the enclosing run has, and records the value of each node. So the shapes in
// all blocks become known, also in those that the run does not take.
#include "exec/meta_interpreter.h"

#include "autograd/engine.h"

namespace monograph::exec {

using ir::Node;

namespace {

constexpr Device kMeta{DeviceType::Meta, -1};

IValue on_meta(const IValue& v) {
  if (v.is_tensor()) {
    const Tensor& t = v.as_tensor();
    if (t.device().type == DeviceType::Meta) return v;
    Tensor meta = empty_strided(t.sizes(), t.strides(), t.dtype(), kMeta);
    if (t.requires_grad()) set_requires_grad(meta, true);
    return meta;
  }
  if (v.is_list() || v.is_tuple()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(on_meta(item));
    return v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
  }
  return v;
}

// Error where the two arms of an If, or the values before and after a Loop's body, differ in dtype or size.
void check_equal(const Node* n, const std::vector<IValue>& first, const std::vector<IValue>& second) {
  for (size_t k = 0; k < first.size() && k < second.size(); ++k) {
    if (!first[k].is_tensor() || !second[k].is_tensor()) continue;
    const Tensor &a = first[k].as_tensor(), &b = second[k].as_tensor();
    MONOGRAPH_CHECK(a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()), Runtime, n->name(),
                    " has two different shapes: ", name(a.dtype()), to_string(a.sizes()), " and ", name(b.dtype()), to_string(b.sizes()));
  }
}

}  // namespace

bool MetaInterpreter::run_block_of(const Node* owner, size_t block) {
  begin({});
  const auto copy_inputs = [&](const Node* reader) {
    for (size_t k = 0; k < reader->input_count(); ++k) {
      const Node* used = reader->input(k);
      if (used->is_before(owner) && !has_value(used)) store(used, on_meta(enclosing_.value_of(used)));
    }
  };
  copy_inputs(owner);
  for (const Node* inner : ir::NestedNodes(owner->block(block))) copy_inputs(inner);
  std::vector<IValue> carried;
  if (owner->is_loop()) {
    carried = values_of(owner);
    carried.erase(carried.begin());
    carried[0] = int64_t{0};  // the counter
  }
  try {
    run_block(owner->block(block), carried);
  } catch (const Error&) {
    return false;
  }
  size_t k = 0;
  for (const Node* slot : owner->block(block)->placeholders()) record_(slot, carried[k++]);
  return true;
}

IValue MetaInterpreter::run_node(const Node* n) {
  IValue value = on_meta(NodeInterpreter::run_node(n));
  record_(n, value);
  return value;
}

IValue MetaInterpreter::call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  const auto to_meta = [](const IValue& v) { return v.tag() == IValue::Tag::Device ? IValue(kMeta) : on_meta(v); };
  for (IValue& v : args) v = to_meta(v);
  for (auto& [name, v] : kwargs) v = to_meta(v);
  return NodeInterpreter::call_function(target, std::move(args), std::move(kwargs));
}

std::vector<IValue> MetaInterpreter::run_if(const Node* n) {
  std::vector<IValue> then_values = run_block(n->block(0), {});
  check_equal(n, then_values, run_block(n->block(1), {}));
  return then_values;
}

std::vector<IValue> MetaInterpreter::run_loop(const Node* n) {
  std::vector<IValue> before = values_of(n);
  before.erase(before.begin());
  before[0] = int64_t{0};
  const std::vector<IValue> after = run_block(n->block(0), before);
  check_equal(n, before, after);
  return {after.begin() + 1, after.end()};
}

}  // namespace monograph::exec
