// Each open region keeps the values of the slots at its beginning. At its end, slots that differ become results of the If, or carried values of the Loop.
#include "ir/builder.h"

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
  names_.emplace_back(name);
  values_.push_back(value);
  return values_.size() - 1;
}

const Args& RegionBuilder::get(Slot slot) const {
  MONOGRAPH_CHECK(defined(slot), Value, "'", names_[slot], "' is not defined on every way that leads here");
  return values_[slot];
}

void RegionBuilder::set(Slot slot, const Args& value) {
  MONOGRAPH_CHECK(value.size() == 1, Value, "'", names_[slot], "' is set to ", value.size(), " values");
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

void RegionBuilder::begin_if(Node* condition) {
  Region r;
  r.node = graph_.create_if(condition);
  r.after = graph_.insert_point();
  r.before = values_;
  regions_.push_back(std::move(r));
  graph_.insert_at_end(regions_.back().node->block(0));
}

void RegionBuilder::begin_else() {
  MONOGRAPH_ASSERT(!regions_.empty() && !regions_.back().loop && !regions_.back().in_else);
  Region& r = regions_.back();
  r.in_else = true;
  r.then_values = std::move(values_);
  values_ = r.before;
  values_.resize(r.then_values.size());  // a slot that the first arm opened is not defined in the second
  graph_.insert_at_end(r.node->block(1));
}

Node* RegionBuilder::end_if() {
  if (!regions_.back().in_else) begin_else();
  Region r = std::move(regions_.back());
  regions_.pop_back();
  r.then_values.resize(values_.size());
  Args ends[2];
  std::vector<Type> types;
  std::vector<Slot> changed;
  for (Slot s = 0; s < values_.size(); ++s) {
    const Args &yes = r.then_values[s], &no = values_[s];
    if (same_value(yes, no)) continue;
    if (!yes.size() || !no.size()) {
      values_[s] = Args();
      continue;
    }
    ends[0].add(yes[0]);
    ends[1].add(no[0]);
    types.push_back(join(type_of(yes[0]), type_of(no[0])));
    changed.push_back(s);
  }
  for (size_t k = 0; k < 2; ++k) graph_.set_output(r.node->block(k), ends[k]);
  graph_.set_results(r.node, types);
  graph_.set_insert_point(r.after);
  for (size_t k = 0; k < changed.size(); ++k) values_[changed[k]] = Args(graph_.project(r.node, k));
  return r.node;
}

Node* RegionBuilder::begin_loop(const Args& count, const Args& condition, std::span<const Slot> carried) {
  Region r;
  r.loop = true;
  r.before = values_;
  r.carried.assign(carried.begin(), carried.end());
  Args initial;
  for (Slot s : carried) initial.add(get(s)[0]);
  r.node = graph_.create_loop(count, condition, initial);
  r.after = graph_.insert_point();
  Block* body = r.node->block(0);
  Node* counter = graph_.placeholder(body, "i", TypeKind::Int);
  for (Slot s : carried) values_[s] = Args(graph_.placeholder(body, names_[s], type_of(values_[s][0])));
  regions_.push_back(std::move(r));
  graph_.insert_at_end(body);
  return counter;
}

Node* RegionBuilder::end_loop(const Args& condition) {
  MONOGRAPH_ASSERT(!regions_.empty() && regions_.back().loop);
  Region r = std::move(regions_.back());
  regions_.pop_back();
  r.before.resize(values_.size());
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
    Type joined = join(slot->type(), type_of(value[0]));
    widened_ |= joined != slot->type();
    graph_.set_type(slot, joined);
    types.push_back(joined);
  }
  graph_.set_output(r.node->block(0), end);
  graph_.set_results(r.node, types);
  graph_.set_insert_point(r.after);
  for (Slot s = 0; s < values_.size(); ++s) {
    if (is_carried[s] || same_value(values_[s], r.before[s])) continue;
    MONOGRAPH_CHECK(!r.before[s].size(), Value, "the loop sets '", names_[s], "', which it does not carry");
    values_[s] = Args();
  }
  for (size_t k = 0; k < r.carried.size(); ++k) values_[r.carried[k]] = Args(graph_.project(r.node, k));
  return r.node;
}

}  // namespace monograph::ir
