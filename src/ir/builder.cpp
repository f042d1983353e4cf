// Each open region keeps the values that slots had before it set them. At its end, slots that differ become results of the If, or carried values of the Loop.
#include "ir/builder.h"

#include <map>
#include "ir/node_names.h"

namespace monograph::ir {

Type type_of(ArgRef arg) {
  switch (arg.kind()) {
    case ArgKind::None: return TypeKind::None;
    case ArgKind::Bool: return TypeKind::Bool;
    case ArgKind::Int: return TypeKind::Int;
    case ArgKind::Float: return TypeKind::Float;
    case ArgKind::Complex: return TypeKind::Complex;
    case ArgKind::Str: return TypeKind::Str;
    case ArgKind::DType: return TypeKind::DType;
    case ArgKind::Device: return TypeKind::Device;
    case ArgKind::Layout: return TypeKind::Layout;
    case ArgKind::MemoryFormat: return TypeKind::MemoryFormat;
    case ArgKind::SymInt: return TypeKind::SymInt;
    case ArgKind::Node: return arg.as_node()->type();
    case ArgKind::Tensor: {
      std::vector<SymInt> sizes(arg.as_tensor().sizes().begin(), arg.as_tensor().sizes().end());
      return TensorType::of(arg.as_tensor().dtype(), sizes);
    }
    case ArgKind::List: {
      Type element;
      for (ArgRef part : arg) {
        Type t = type_of(part);
        if (!t) return {};
        element = element ? join(element, t) : t;
      }
      return element ? Type::list(element) : Type();
    }
    case ArgKind::Tuple: {
      std::vector<Type> parts;
      for (ArgRef part : arg) {
        parts.push_back(type_of(part));
        if (!parts.back()) return {};
      }
      return Type::tuple(parts);
    }
    case ArgKind::Dict: {
      Type key, value;
      bool is_key = true;
      for (ArgRef part : arg) {
        Type& of = is_key ? key : value;
        Type t = type_of(part);
        if (!t) return {};
        of = of ? join(of, t) : t;
        is_key = !is_key;
      }
      return value ? Type::dict(key, value) : Type();
    }
    default: return {};
  }
}

namespace {

bool same_value(const Args& a, const Args& b) {
  if (a.size() != b.size() || a.items().size() != b.items().size()) return false;
  if (a.size() == 0) return true;
  if (!std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end())) return false;
  for (size_t i = 0; i < a.items().size(); ++i) {
    const ArgItem &x = a.items()[i], &y = b.items()[i];
    if (x.kind != y.kind || x.extent != y.extent) return false;
    if (x.kind == ArgKind::Node) continue;
    if (x.kind == ArgKind::Str ? *x.s != *y.s : x.kind == ArgKind::Global ? x.global->name != y.global->name : x.i != y.i) return false;
  }
  return true;
}

}  // namespace

RegionBuilder::Slot RegionBuilder::slot(std::string_view name, const Args& value) {
  slots_.emplace_back().name = name;
  values_.emplace_back();
  if (value.size()) set(values_.size() - 1, value);
  return values_.size() - 1;
}

const Args& RegionBuilder::get(Slot slot) const {
  MONOGRAPH_CHECK(defined(slot), Value, "'", slots_[slot].name,
                  "' may have no value here, because not every branch or loop before this line sets it");
  return values_[slot].size() ? values_[slot] : slots_[slot].default_value;
}

void RegionBuilder::set(Slot slot, const Args& value) {
  MONOGRAPH_CHECK(value.size() == 1, Value, "'", slots_[slot].name, "' is set to ", value.size(), " values");
  assign(slot, value);
  Node* n = slots_[slot].names_nodes ? value[0].node() : nullptr;
  const bool here = n && n->block() == (graph_.insert_point().block ? graph_.insert_point().block : graph_.root());
  if (here && n->op() != Op::GetAttr && has_default_name(*n)) graph_.set_name(n, slots_[slot].name);
}

void RegionBuilder::assign(Slot slot, const Args& value) {
  if (!regions_.empty()) {
    Changes& changes = regions_.back().changes;
    if (changes.index.try_emplace(slot, changes.before.size()).second) changes.before.emplace_back(slot, values_[slot]);
  }
  values_[slot] = value;
}

Node* RegionBuilder::node(Slot slot) {
  ArgRef value = get(slot)[0];
  if (Node* n = value.node()) return n;
  Args args;
  args.kw("value", value);
  Node* constant = graph_.call("prim::Constant", args);
  graph_.set_type(constant, type_of(value));
  return constant;
}

void RegionBuilder::declare(Slot slot, Type type) {
  slots_[slot].declared = type;
  for (Node* n : slots_[slot].untyped)
    if (!n->erased()) graph_.set_type(n, type);
  slots_[slot].untyped.clear();
}

void RegionBuilder::note_untyped(Slot slot, Node* node) {
  if (slots_[slot].kept && !slots_[slot].declared) slots_[slot].untyped.push_back(node);
}

void RegionBuilder::restore(const Changes& changes) {
  for (const auto& [slot, before] : changes.before) values_[slot] = before;
}

void RegionBuilder::begin_if(Node* condition) {
  Region r;
  r.node = graph_.create_if(condition);
  r.after = graph_.insert_point();
  regions_.push_back(std::move(r));
  graph_.insert_at_end(regions_.back().node->block(0));
}

void RegionBuilder::begin_else() {
  MONOGRAPH_ASSERT(!regions_.empty() && !regions_.back().loop && !regions_.back().in_else);
  Region& r = regions_.back();
  r.in_else = true;
  for (const auto& [slot, before] : r.changes.before) r.then_values.emplace(slot, values_[slot]);
  restore(r.changes);
  r.then_changes = std::exchange(r.changes, {});
  graph_.insert_at_end(r.node->block(1));
}

void RegionBuilder::leave(Leave how) {
  if (regions_.empty() || regions_.back().loop) return;
  Region& r = regions_.back();
  r.left[r.in_else] = how;
}

Args RegionBuilder::uninitialized(Slot slot, Type type) {
  Node* n = graph_.call("prim::Uninitialized");
  graph_.set_type(n, type);
  note_untyped(slot, n);
  return Args(n);
}

std::optional<RegionBuilder::Joined> RegionBuilder::join_values(const Region& r, Slot slot, const Args& yes, const Args& no) {
  if (same_value(yes, no)) return {};
  const BuilderSlot& variable = slots_[slot];
  const Args* values[2] = {&yes, &no};
  for (const Args*& value : values)
    if (!value->size()) value = &variable.default_value;
  Joined joined;
  bool missing[2] = {!values[0]->size(), !values[1]->size()};
  if (same_value(*values[0], *values[1])) return {};
  if (!variable.kept && (r.left[0] == Leave::No) != (r.left[1] == Leave::No)) {
    const size_t left = r.left[0] == Leave::No ? 1 : 0;
    if (missing[1 - left]) return {};
    if (r.left[left] == Leave::Forever) missing[left] = true;
  } else if ((missing[0] || missing[1]) && !variable.kept) {
    return {};
  }
  Type types[2];
  for (size_t k = 0; k < 2; ++k) types[k] = missing[k] ? Type() : type_of((*values[k])[0]);
  joined.type = type_of_slot(slot, missing[0] ? types[1] : missing[1] ? types[0] : join(types[0], types[1]));
  for (size_t k = 0; k < 2; ++k) {
    if (missing[k]) graph_.insert_at_end(r.node->block(k));
    joined.ends[k] = missing[k] ? uninitialized(slot, joined.type) : *values[k];
  }
  return joined;
}

Node* RegionBuilder::end_if() {
  if (!regions_.back().in_else) begin_else();
  Region r = std::move(regions_.back());
  regions_.pop_back();
  std::map<Slot, std::pair<Args, Args>> ends;  // of what either arm set
  for (const auto& [slot, before] : r.then_changes.before) ends.try_emplace(slot, r.then_values.at(slot), before);
  for (const auto& [slot, before] : r.changes.before) ends.try_emplace(slot, before, before).first->second.second = values_[slot];
  restore(r.changes);
  Args results[2];
  std::vector<Type> types;
  std::vector<Slot> changed;
  for (const auto& [slot, values] : ends) {
    const auto& [yes, no] = values;
    // Where one arm was left for ever, the other one's value is the value; one from before the If needs no result.
    const bool one_left = !slots_[slot].kept && (r.left[0] == Leave::Forever) != (r.left[1] == Leave::Forever) &&
                          (r.left[0] == Leave::No || r.left[1] == Leave::No);
    if (one_left && same_value(r.left[0] == Leave::No ? yes : no, values_[slot])) continue;
    if (std::optional<Joined> joined = join_values(r, slot, yes, no)) {
      for (size_t k = 0; k < 2; ++k) results[k].add(joined->ends[k][0]);
      types.push_back(joined->type), changed.push_back(slot);
    } else {
      assign(slot, same_value(yes, no) ? yes : Args());
    }
  }
  for (size_t k = 0; k < 2; ++k) graph_.set_output(r.node->block(k), results[k]);
  graph_.set_results(r.node, types);
  graph_.set_insert_point(r.after);
  for (size_t k = 0; k < changed.size(); ++k) {
    Node* result = graph_.project(r.node, k);
    note_untyped(changed[k], result);
    set(changed[k], Args(result));
  }
  return r.node;
}

void RegionBuilder::abandon() {
  MONOGRAPH_ASSERT(!regions_.empty());
  const Region r = std::move(regions_.back());
  regions_.pop_back();
  restore(r.changes);
  restore(r.then_changes);
  graph_.erase(r.node);
  graph_.set_insert_point(r.after);
}

Node* RegionBuilder::begin_loop(const Args& count, const Args& condition, std::span<const Slot> carried, std::string_view counter_name) {
  Region r;
  r.loop = true;
  r.carried.assign(carried.begin(), carried.end());
  Args initial;
  for (Slot s : carried) {
    if (slots_[s].kept && !defined(s)) assign(s, uninitialized(s, slots_[s].declared));
    initial.add(get(s)[0]);
  }
  r.node = graph_.create_loop(count, condition, initial);
  r.after = graph_.insert_point();
  regions_.push_back(std::move(r));
  Block* body = regions_.back().node->block(0);
  Node* counter = graph_.placeholder(body, counter_name, TypeKind::Int);
  for (Slot s : carried) {
    Node* slot = graph_.placeholder(body, slots_[s].name, type_of_slot(s, type_of(get(s)[0])));
    note_untyped(s, slot);
    set(s, Args(slot));
  }
  graph_.insert_at_end(body);
  return counter;
}

Node* RegionBuilder::end_loop(const Args& condition) {
  MONOGRAPH_ASSERT(!regions_.empty() && regions_.back().loop);
  Region r = std::move(regions_.back());
  regions_.pop_back();
  Args end;
  end.add(condition);
  std::vector<bool> is_carried(values_.size());
  std::vector<Type> types;
  std::vector<Node*> slots = r.node->block(0)->placeholders();
  widened_ = false;
  for (size_t k = 0; k < r.carried.size(); ++k) {
    is_carried[r.carried[k]] = true;
    const Args& value = get(r.carried[k]);
    end.add(value[0]);
    Node* slot = slots[k + 1];
    Type joined = type_of_slot(r.carried[k], join(slot->type(), type_of(value[0])));
    widened_ |= joined != slot->type();
    graph_.set_type(slot, joined);
    types.push_back(joined);
  }
  graph_.set_output(r.node->block(0), end);
  graph_.set_results(r.node, types);
  graph_.set_insert_point(r.after);
  for (const auto& [slot, before] : r.changes.before) {
    if (!is_carried[slot])
      MONOGRAPH_CHECK(same_value(values_[slot], before) || !before.size(), Value, "the loop sets '", slots_[slot].name,
                      "', which it does not carry");
    values_[slot] = before;
  }
  for (size_t k = 0; k < r.carried.size(); ++k) {
    Node* result = graph_.project(r.node, k);
    note_untyped(r.carried[k], result);
    set(r.carried[k], Args(result));
  }
  return r.node;
}

}  // namespace monograph::ir
