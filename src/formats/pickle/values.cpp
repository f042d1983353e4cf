// Access to the values in a container. None of these functions recurses, because containers may nest deeply.
#include "formats/pickle/values.h"

namespace monograph::pickle {
namespace {

using Pairs = std::vector<std::pair<IValue, IValue>>;

void append(const std::vector<IValue>& items, std::vector<const IValue*>& out) {
  for (const IValue& item : items) out.push_back(&item);
}
void append(const Pairs& pairs, std::vector<const IValue*>& out) {
  for (const auto& [key, value] : pairs) out.push_back(&key), out.push_back(&value);
}
void take(std::vector<IValue>& items, std::vector<IValue>& out) {
  for (IValue& item : items) out.push_back(std::move(item));
  items.clear();
}
void take(Pairs& pairs, std::vector<IValue>& out) {
  for (auto& [key, value] : pairs) out.push_back(std::move(key)), out.push_back(std::move(value));
  pairs.clear();
}

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

void append_children(const IValue& v, std::vector<const IValue*>& out) {
  if (v.is_list() || v.is_tuple()) append(v.items(), out);
  else if (v.is_dict()) append(v.pairs(), out);
  else if (auto* set = as<SetBox>(v)) append(set->items, out);
  else if (auto* tensor = as<TensorWithState>(v)) out.push_back(&tensor->state);
  else if (auto* object = as<NamedObject>(v)) {
    out.push_back(&object->args), out.push_back(&object->kwargs);
    append(object->items, out), append(object->pairs, out), append(object->states, out);
  }
}

void take_children(const IValue& v, std::vector<IValue>& out) {
  if (v.is_list() || v.is_tuple()) take(v.items(), out);
  else if (v.is_dict()) take(v.pairs(), out);
  else if (auto* set = as<SetBox>(v)) take(set->items, out);
  else if (auto* tensor = as<TensorWithState>(v)) out.push_back(std::move(tensor->state));
  else if (auto* object = as<NamedObject>(v)) {
    out.push_back(std::move(object->args)), out.push_back(std::move(object->kwargs));
    take(object->items, out), take(object->pairs, out), take(object->states, out);
  }
}

}  // namespace monograph::pickle
