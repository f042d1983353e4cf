// Comprehensions: a list or dict, and a loop for each `for` that puts values into it.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "ir/node_names.h"

namespace monograph::capture::script {

using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

// What a comprehension makes, while its clauses are compiled.
struct FunctionCompiler::Collected {
  Node* made;
  Type expected, type;  // null before the first value
  bool dict;
  std::optional<ScriptValue> first;  // what the outermost `for` goes over, which is computed before all else
};

// {key: value for …} and [element for …]. `over`: what the outermost `for` goes over, where that is compiled already.
ScriptValue FunctionCompiler::comprehension(const Expr& e, Type expected, std::optional<ScriptValue> over) {
  if (expected.is(TypeKind::Optional)) expected = expected.element();
  const bool dict = e.kind == SyntaxKind::DictComprehension;
  // Its variables are its own.
  const std::unordered_map<std::string, ScriptVariable> outside = frame_->variables;
  const auto refined = frame_->refined;
  ScriptValue first = over ? std::move(*over) : expression(*e.parts[dict ? 3 : 2]);
  if (!dict && e.names.size() == 1)
    if (const std::optional<ScriptValue> list = written_out(e, first)) return *list;
  locate(e.range);
  Collected into{graph_.call(dict ? "prim::DictConstruct" : "prim::ListConstruct"), expected, {}, dict, std::move(first)};
  clauses(e, 0, dict ? 2 : 1, into);
  if (!into.type) {
    into.type = expected;
    if (!into.type) into.type = dict ? Type::dict(TypeKind::Str, TypeKind::Tensor) : Type::list(TypeKind::Tensor);
    graph_.set_type(into.made, into.type);
  }
  // What `:=` assigns stays.
  for (const auto& [name, v] : frame_->variables)
    if (!outside.contains(name)) regions_.declare(v.slot, v.type);
  frame_->variables = outside, frame_->refined = refined;
  return node_value(into.made);
}

// [element for target in iterated] over the parts of a tuple or the modules of a container: the list of its values, whose length is known.
std::optional<ScriptValue> FunctionCompiler::written_out(const Expr& e, const ScriptValue& over) {
  const auto items = unrolled_items(e.parts[2]->range, over);
  if (!items || !items->count || !items->lengths.empty()) return {};
  const std::unordered_map<std::string, ScriptVariable> outside = frame_->variables;
  ScriptValue list;
  list.kind = ScriptValue::Kind::List;
  Type element;
  for (size_t k = 0; k < items->count; ++k) {
    hide_targets(*e.parts[1]);
    assign(*e.parts[1], items->item(k));
    list.parts.push_back(plain(*e.parts[0]));
    const Type type = widened(list.parts.back().type);
    element = element ? join(element, type) : type;
  }
  frame_->variables = outside;
  if (!element || element.is(TypeKind::Union)) wrong(e.range, "the items of a list must have one type");
  list.type = Type::list(element);
  return list;
}

void FunctionCompiler::clauses(const Expr& e, size_t clause, size_t part, Collected& into) {
  if (clause == e.names.size()) return collect(e, into);
  if (e.names[clause] == "if") {
    const ScriptCondition c = condition(*e.parts[part]);
    if (c.known) {
      if (*c.known) clauses(e, clause + 1, part + 1, into);
      return;
    }
    const auto refined = frame_->refined;
    regions_.begin_if(condition_node(c));
    refine(c.if_true);
    clauses(e, clause + 1, part + 1, into);
    regions_.end_if();
    frame_->refined = refined;
    return;
  }
  const Expr &target = *e.parts[part], &over = *e.parts[part + 1];
  const ScriptValue iterated = clause == 0 ? std::move(*into.first) : expression(over);
  if (const auto items = unrolled_items(over.range, iterated)) {
    for (size_t k = 0; k < items->count; ++k) {
      if (!items->lengths.empty()) regions_.begin_if(reaches(over.range, *items, k));
      hide_targets(target);
      assign(target, items->item(k));
      clauses(e, clause + 1, part + 2, into);
      if (!items->lengths.empty()) regions_.end_if();
    }
    return;
  }
  const IteratedValue values = iterated_value(over.range, iterated);
  locate(e.range);
  Node* counter = regions_.begin_loop(values.count, Args(true), {}, ir::kCounterName);
  hide_targets(target);
  assign(target, values.item(counter));
  clauses(e, clause + 1, part + 2, into);
  regions_.end_loop(Args(true));
}

void FunctionCompiler::collect(const Expr& e, Collected& into) {
  ScriptValue made;
  made.arg = Args(into.made);
  const bool typed = into.expected.is(into.dict ? TypeKind::Dict : TypeKind::List);
  auto wanted = [&](size_t k) { return into.type ? into.type.elements()[k] : typed ? into.expected.elements()[k] : Type(); };
  if (into.dict) {
    const ScriptValue key = plain(*e.parts[0], wanted(0)), item = plain(*e.parts[1], wanted(1));
    if (!into.type) into.type = typed ? into.expected : Type::dict(widened(key.type), widened(item.type));
    converted(e.parts[0]->range, key, into.type.elements()[0], "a key of this dict");
    converted(e.parts[1]->range, item, into.type.elements()[1], "a value of this dict");
    graph_.set_type(into.made, into.type);
    emit(e.range, "aten::_set_item", {made, key, item});
    return;
  }
  const ScriptValue item = plain(*e.parts[0], wanted(0));
  if (!into.type)
    into.type = typed && is_subtype(widened(item.type), into.expected.element()) ? into.expected : Type::list(widened(item.type));
  if (!is_subtype(widened(item.type), into.type.element()))
    wrong(e.parts[0]->range,
          concat("the items of a list must have one type, but these have ", spelled(into.type.element()), " and ", spelled(item.type)));
  if (!into.made->type().is(TypeKind::List)) graph_.set_type(into.made, into.type);
  emit(e.range, "aten::append", {made, item});
}

// list.extend(element for …), which appends each element before the next is computed, as in Python: y.extend(y[-1] + 1 for _ in range(3)).
ScriptValue FunctionCompiler::extended(const ScriptValue& list, const Expr& generator) {
  const std::unordered_map<std::string, ScriptVariable> outside = frame_->variables;
  const auto refined = frame_->refined;
  Collected into{list.arg[0].as_node(), list.type, list.type, false, expression(*generator.parts[2])};
  clauses(generator, 0, 1, into);
  frame_->variables = outside, frame_->refined = refined;
  return literal(Args().none());
}

// any(element for …) and all(element for …), which end at the first element that decides, as in Python. Nothing for a generator with conditions or several `for`.
std::optional<ScriptValue> FunctionCompiler::quantified(const Expr& e, const Expr& generator, bool any) {
  if (generator.names.size() != 1) return {};
  ScriptValue over = expression(*generator.parts[2]);
  if (unrolled_items(generator.parts[2]->range, over)) {
    Given list;
    list.positional.push_back(comprehension(generator, {}, std::move(over))), list.ranges.push_back(generator.range);
    return builtin(e, any ? "any" : "all", std::move(list), {});
  }
  const std::unordered_map<std::string, ScriptVariable> outside = frame_->variables;
  const auto refined = frame_->refined;
  const IteratedValue values = iterated_value(generator.parts[2]->range, over);
  const Slot decided = regions_.slot("early", Args(false));  // whether an element has decided
  regions_.declare(decided, TypeKind::Bool);
  const Slot carried[] = {decided};
  locate(e.range);
  Node* counter = regions_.begin_loop(values.count, Args(true), carried, ir::kCounterName);
  hide_targets(*generator.parts[1]);
  assign(*generator.parts[1], values.item(counter));
  const ScriptValue holds = bool_value(condition(*generator.parts[0]));
  const ScriptValue fails = emit(e.range, "aten::__not__", {holds});
  regions_.set(decided, any ? holds.arg : fails.arg);
  regions_.end_loop(any ? fails.arg : holds.arg);
  for (const auto& [name, v] : frame_->variables)
    if (!outside.contains(name)) regions_.declare(v.slot, v.type);
  frame_->variables = outside, frame_->refined = refined;
  ScriptValue result;
  result.arg = regions_.get(decided), result.type = TypeKind::Bool;
  return any ? result : emit(e.range, "aten::__not__", {result});
}

// map(f, values): a list.
ScriptValue FunctionCompiler::mapped(const Expr& e, const Given& given) {
  if (given.positional.size() < 2 || !given.named.empty()) wrong(e.range, "map() takes a function and what it goes over");
  const ScriptValue& f = given.positional[0];
  std::vector<IteratedValue> all;
  for (size_t k = 1; k < given.positional.size(); ++k) all.push_back(iterated_value(e.range, given.positional[k]));
  Args count = all[0].count;
  for (size_t k = 1; k < all.size(); ++k) count = emit(e.range, "prim::min", {literal(count), literal(all[k].count)}).arg;
  locate(e.range);
  Node* made = graph_.call("prim::ListConstruct");
  Node* counter = regions_.begin_loop(count, Args(true), {}, ir::kCounterName);
  Given one;
  for (const IteratedValue& values : all) one.positional.push_back(values.item(counter)), one.ranges.push_back(e.range);
  ScriptValue item = call_value(e, f, std::move(one), {});
  graph_.set_type(made, Type::list(widened(type_of(item))));
  emit(e.range, "aten::append", {node_value(made), item});
  regions_.end_loop(Args(true));
  return node_value(made);
}

// dict([(key, value), …]) and dict(zip(keys, values)).
ScriptValue FunctionCompiler::dict_of_pairs(const Expr& e, const ScriptValue& pairs) {
  const IteratedValue values = iterated_value(e.range, pairs);
  locate(e.range);
  Node* made = graph_.call("prim::DictConstruct");
  Node* counter = regions_.begin_loop(values.count, Args(true), {}, ir::kCounterName);
  const ScriptValue pair = values.item(counter);
  if (known_length(pair) != 2)
    wrong(e.range, concat("dict() takes a dict, or pairs of keys and values, but an item has type ", spelled(type_of(pair))));
  const std::vector<ScriptValue> parts = items_of(e.range, pair);
  graph_.set_type(made, Type::dict(widened(type_of(parts[0])), widened(type_of(parts[1]))));
  emit(e.range, "aten::_set_item", {node_value(made), parts[0], parts[1]});
  regions_.end_loop(Args(true));
  return node_value(made);
}

// {**a, "k": v}: a copy of each part in turn.
ScriptValue FunctionCompiler::merged_dict(const Expr& e, Type expected) {
  locate(e.range);
  Node* made = graph_.call("prim::DictConstruct");
  Type type = expected.is(TypeKind::Dict) ? expected : Type();
  for (size_t k = 0; k + 1 < e.parts.size(); k += 2) {
    const ScriptValue value = plain(*e.parts[k + 1], !type ? Type() : e.parts[k] ? type.elements()[1] : type);
    if (e.parts[k]) {
      const ScriptValue key = plain(*e.parts[k]);
      if (!type) type = Type::dict(widened(key.type), widened(value.type));
      graph_.set_type(made, type);
      emit(e.range, "aten::_set_item",
           {node_value(made), converted(e.range, key, type.elements()[0], "a key of this dict"),
            converted(e.range, value, type.elements()[1], "a value of this dict")});
      continue;
    }
    if (!value.type.is(TypeKind::Dict))
      wrong(e.parts[k + 1]->range, concat("'**' takes a dict, but this value has type ", spelled(value.type)));
    if (!type) type = value.type;
    graph_.set_type(made, type);
    emit(e.range, "aten::update", {node_value(made), converted(e.range, value, type, "the other dict")});
  }
  return node_value(made);
}

}  // namespace monograph::capture::script
