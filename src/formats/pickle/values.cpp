// Access to the values in a container. None of these functions recurses, because containers may nest deeply.
#include "formats/pickle/values.h"

#include "core/error.h"

namespace monograph::pickle {
namespace {

using Pairs = std::vector<std::pair<IValue, IValue>>;

const IValue& at(const Pairs& pairs, size_t k) { return k % 2 ? pairs[k / 2].second : pairs[k / 2].first; }

}  // namespace

const Pairs* dict_items(const IValue& v) {
  if (v.is_dict()) return &v.pairs();
  const auto* object = as<NamedObject>(v);
  const bool is_dict = object && object->callable->module == "collections" &&
                       (object->callable->name == "OrderedDict" || object->callable->name == "Counter");
  return is_dict ? &object->pairs : nullptr;
}

bool is_container(const IValue& v) {
  return v.is_list() || v.is_tuple() || v.is_dict() || as<NamedObject>(v) || as<SetBox>(v) || as<TensorWithState>(v);
}

const void* identity(const IValue& v) {
  if (v.is_list() || v.is_tuple()) return &v.items();
  if (v.is_dict()) return &v.pairs();
  return v.object();
}

size_t child_count(const IValue& v) {
  if (v.is_list() || v.is_tuple()) return v.items().size();
  if (v.is_dict()) return 2 * v.pairs().size();
  if (auto* object = as<NamedObject>(v)) return 2 + object->items.size() + 2 * object->pairs.size() + object->states.size();
  if (auto* set = as<SetBox>(v)) return set->items.size();
  return as<TensorWithState>(v) ? 1 : 0;
}

const IValue& child(const IValue& v, size_t k) {
  if (v.is_list() || v.is_tuple()) return v.items()[k];
  if (v.is_dict()) return at(v.pairs(), k);
  if (auto* set = as<SetBox>(v)) return set->items[k];
  if (auto* tensor = as<TensorWithState>(v)) return tensor->state;
  auto* object = as<NamedObject>(v);
  MONOGRAPH_ASSERT(object);
  if (k < 2) return k == 0 ? object->args : object->kwargs;
  k -= 2;
  if (k < object->items.size()) return object->items[k];
  k -= object->items.size();
  return k < 2 * object->pairs.size() ? at(object->pairs, k) : object->states[k - 2 * object->pairs.size()];
}

size_t small_leaf_size(const IValue& v) {
  constexpr size_t kMostChildren = 8;
  const size_t count = child_count(v);
  if (count > kMostChildren || as<TensorWithState>(v)) return 0;
  for (size_t k = 0; k < count; ++k)
    if (is_container(child(v, k))) return 0;
  return count + 1;
}

void append_children(const IValue& v, std::vector<const IValue*>& out) {
  const size_t count = child_count(v);
  for (size_t k = 0; k < count; ++k) out.push_back(&child(v, k));
}

void drop_children(const IValue& v) {
  // The values are moved out first, because the container must not hold them any more while they are destroyed.
  if (v.is_list() || v.is_tuple()) std::vector<IValue>().swap(v.items());
  else if (v.is_dict()) Pairs().swap(v.pairs());
  else if (auto* set = as<SetBox>(v)) std::vector<IValue>().swap(set->items);
  else if (auto* tensor = as<TensorWithState>(v)) tensor->state = IValue();
  else if (auto* object = as<NamedObject>(v)) {
    object->args = IValue(), object->kwargs = IValue();
    std::vector<IValue>().swap(object->items), Pairs().swap(object->pairs), std::vector<IValue>().swap(object->states);
  }
}

}  // namespace monograph::pickle
