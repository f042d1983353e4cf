// Conditions: what they are, and what they say of the types of variables.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "ir/bind.h"
#include "ops/dispatch.h"
#include "ops/tensor_facts.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

Node* FunctionCompiler::condition_node(const ScriptCondition& c) { return c.value[0].as_node(); }

namespace {

// What a value is for all tensors of Monograph (same_for_all_tensors), where that is known; None where it is not.
IValue known_for_all(ArgRef a, int depth) {
  constexpr int kDeep = 32;
  if (std::optional<IValue> literal = scalar_literal(a)) return *literal;
  const Node* n = a.node();
  if (!n || depth > kDeep) return {};
  if (const Node* owner = n->is_projection() ? n->projected() : n; owner->is_if()) {
    const IValue holds = known_for_all(owner->arg(0), depth + 1);
    const Node* end = holds.is_bool() ? owner->block(holds.to_bool() ? 0 : 1)->output() : nullptr;
    const size_t k = n->is_projection() ? n->projected_index() : 0;
    return end && k < end->arg_count() ? known_for_all(end->arg(k), depth + 1) : IValue();
  }
  const auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || n->is_projection()) return {};
  if (IValue same = same_for_all_tensors(*op); !same.is_none()) return same;
  const std::optional<Args> bound = ir::bound_args(op->schema(), *n);
  if (!bound || !op->eval || op->results() != 1 || op->effects() != ir::Effects::none()) return {};
  if (!n->type().is(TypeKind::Bool) && !n->type().is(TypeKind::Int)) return {};
  std::vector<IValue> values;
  for (size_t k = 0; k < bound->size(); ++k)
    if (values.push_back(known_for_all((*bound)[k], depth + 1)); values.back().is_none()) return {};
  IValue out;
  if (values.size() == op->schema().arguments().size()) monograph::call(*op, values.data(), &out);
  return out;
}

}  // namespace

// Whether the condition is false for all tensors of Monograph. PyTorch has others, which fulfill it where it runs what Monograph has saved.
bool FunctionCompiler::never_holds(const ScriptCondition& c) {
  if (c.known) return false;
  const IValue known = known_for_all(c.value[0], 0);
  return known.is_bool() && !known.to_bool();
}

ScriptValue FunctionCompiler::bool_value(const ScriptCondition& c) {
  if (c.known) return literal(Args(*c.known));
  ScriptValue v;
  v.arg = c.value, v.type = TypeKind::Bool;
  return v;
}

ScriptCondition FunctionCompiler::negated(ScriptCondition c) const {
  if (c.known) c.known = !*c.known;
  std::swap(c.if_true, c.if_false);
  return c;
}

// In the region that begins here, or behind an assert, these variables have these types.
void FunctionCompiler::refine(const std::map<std::string, Type>& facts) {
  for (const auto& [name, type] : facts) {
    if (name.find('.') != std::string::npos) {
      if (type.is(TypeKind::None)) frame_->refined.present.erase(name);
      else frame_->refined.present.insert(name);
      continue;
    }
    auto found = frame_->variables.find(name);
    if (found == frame_->variables.end() || found->second.fixed || !regions_.defined(found->second.slot)) continue;
    const Slot slot = found->second.slot;
    Node* now = regions_.get(slot)[0].node();
    if (!now) continue;
    auto known = frame_->refined.variables.find(slot);
    const Args value = known != frame_->refined.variables.end() && known->second.first == now ? known->second.second : Args(now);
    if (value[0].node() && value[0].as_node()->type() == type) continue;
    Node* cast = graph_.create(ir::Op::CallFunction, graph_.target("prim::unchecked_cast"), value, name);
    graph_.set_target(cast, graph_.resolved(cast->target().name(), cast->target().name()));
    graph_.set_type(cast, type);
    frame_->refined.variables[slot] = {now, Args(cast)};
  }
}

ScriptCondition FunctionCompiler::truth_of(const Expr& e, const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Plain && v.type.is(TypeKind::Optional) && v.arg[0].node()) return optional_truth(e, v);
  ScriptCondition c;
  if (v.kind == ScriptValue::Kind::Namespace)
    if (const std::optional<ScriptValue> truth = asked(e, v, "truth")) return truth_of(e, *truth);
  if (v.kind == ScriptValue::Kind::Function || v.kind == ScriptValue::Kind::Local || v.kind == ScriptValue::Kind::Bound) {
    c.known = true;
    return c;
  }
  if (v.kind == ScriptValue::Kind::List || v.kind == ScriptValue::Kind::Tuple) {
    c.known = !v.parts.empty();
    return c;
  }
  for (const char* method : {"__bool__", "__len__"})
    if (std::optional<ScriptValue> truth = special_method(e.range, method, {v})) return truth_of(e, *truth);
  if (v.type.is(TypeKind::Class) || v.type.is(TypeKind::Enum)) {
    c.known = true;
    return c;
  }
  if (known_length(v)) {
    c.known = *known_length(v) != 0;
    return c;
  }
  if (v.kind != ScriptValue::Kind::Plain) wrong(e.range, "a condition is a bool, number, tensor, str, list or dict");
  const Type type = v.type;
  if (v.arg[0].is(ArgKind::Bool)) {
    c.known = v.arg[0].as_bool();
    return c;
  }
  if (type.is(TypeKind::None)) {
    c.known = false;
    return c;
  }
  ScriptValue b = v;
  if (type.is(TypeKind::Tensor) || type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Complex) ||
      type.is(TypeKind::Number)) {
    b = emit(e.range, "aten::Bool", {v});
  } else if (type.is(TypeKind::List) || type.is(TypeKind::Dict) || type.is(TypeKind::Str)) {
    b = emit(e.range, "operator.ne", {emit(e.range, "aten::len", {v}), literal(Args(0))});
  } else if (!type.is(TypeKind::Bool)) {
    wrong(e.range, concat("a condition is a bool, number, tensor, str, list or dict, but this value has type ", spelled(type),
                          type.is(TypeKind::Optional) ? "; check `is not None` first" : ""));
  }
  if (b.arg[0].is(ArgKind::Bool)) c.known = b.arg[0].as_bool();
  else c.value = Args(node_of(e.range, b));
  return c;
}

ScriptCondition FunctionCompiler::condition(const Expr& e) {
  switch (e.kind) {
    case SyntaxKind::Unary:
      if (e.text == "not") {
        ScriptCondition c = condition(*e.parts[0]);
        if (!c.known) c.value = emit(e.range, "aten::__not__", {bool_value(c)}).arg;
        return negated(std::move(c));
      }
      break;
    case SyntaxKind::And:
    case SyntaxKind::Or: return short_circuit(e, false);
    case SyntaxKind::Compare:
      if (e.names.size() == 1 && (e.names[0] == "is" || e.names[0] == "is not")) {
        const bool is = e.names[0] == "is";
        if (e.parts[1]->kind == SyntaxKind::None) return none_test(e, *e.parts[0], is);
        if (e.parts[0]->kind == SyntaxKind::None) return none_test(e, *e.parts[1], is);
      }
      return comparison_chain(e);
    case SyntaxKind::Call:
      if (std::optional<ScriptCondition> c = static_question(e)) return *c;
      break;
    default: break;
  }
  return truth_of(e, expression(e));
}

// A part of `and` or `or`. As a value Python's give one of their operands, which is the same where all are bools: strict.
// `computed`: its value, where it was computed already.
ScriptCondition FunctionCompiler::operand(const Expr& e, bool strict, const ScriptValue* computed) {
  if (!strict) return condition(e);
  if (e.kind == SyntaxKind::And || e.kind == SyntaxKind::Or) return short_circuit(e, true);
  if (e.kind == SyntaxKind::Unary && e.text == "not") return condition(e);
  if (e.kind == SyntaxKind::Compare && e.names[0].starts_with("is")) return condition(e);
  if (e.kind == SyntaxKind::Call && !computed)
    if (std::optional<ScriptCondition> c = static_question(e)) return *c;
  const ScriptValue v = computed ? *computed : expression(e);
  if (!type_of(v).is(TypeKind::Bool))
    wrong(e.range, concat("the operands of `and` and `or` must be bools in a script, but this one has type ", spelled(type_of(v)),
                          "; write bool(...), or choose the value with `if`"));
  return truth_of(e, v);
}

// The bool that an attribute of a module holds for good; nothing where it is another expression.
std::optional<bool> FunctionCompiler::constant_bool(const Expr& e) {
  if (e.kind != SyntaxKind::Attribute || e.parts[0]->kind != SyntaxKind::Name) return {};
  const ScriptVariable* variable = find_variable(e.parts[0]->text);
  if (!variable || !variable->fixed || variable->fixed->kind != ScriptValue::Kind::Module) return {};
  const HostValue held = host_.attribute(variable->fixed->id, e.text);
  if (held.kind != HostValue::Kind::Constant || held.constant.size() != 1 || !held.constant[0].is(ArgKind::Bool)) return {};
  return held.constant[0].as_bool();
}

// The next part is only computed where this one does not decide.
ScriptCondition FunctionCompiler::short_circuit(const Expr& e, bool strict, const ScriptValue* first) {
  const bool conjunction = e.kind == SyntaxKind::And;
  ScriptCondition all = operand(*e.parts[0], strict, first);
  for (size_t k = 1; k < e.parts.size(); ++k) {
    auto& passing = conjunction ? all.if_true : all.if_false;
    if (all.known) {
      if (*all.known != conjunction) return all;  // it decides
      refine(passing);
      ScriptCondition next = operand(*e.parts[k], strict);
      (conjunction ? next.if_true : next.if_false).insert(passing.begin(), passing.end());
      all = std::move(next);
      continue;
    }
    if (constant_bool(*e.parts[k]) == conjunction) continue;  // `x and True`
    const Slot slot = regions_.slot("both");
    regions_.declare(slot, TypeKind::Bool);
    const auto refined = frame_->refined;
    ScriptCondition next;
    auto compute = [&] {
      refine(passing);
      next = operand(*e.parts[k], strict);
      regions_.set(slot, bool_value(next).arg);
      frame_->refined = refined;
    };
    regions_.begin_if(condition_node(all));
    if (conjunction) compute();
    else regions_.set(slot, Args(true));
    regions_.begin_else();
    if (conjunction) regions_.set(slot, Args(false));
    else compute();
    regions_.end_if();
    ScriptCondition both;
    const Args value = regions_.get(slot);
    if (value[0].is(ArgKind::Bool)) both.known = value[0].as_bool();
    else both.value = value;
    auto& facts = conjunction ? both.if_true : both.if_false;
    facts = passing;
    for (const auto& [name, type] : conjunction ? next.if_true : next.if_false) facts[name] = type;
    all = std::move(both);
  }
  return all;
}

// `and` and `or` where their value is used. Of tensors it is one of them, as in Python; where a bool is wanted, and of bools, a bool.
ScriptValue FunctionCompiler::short_circuit_value(const Expr& e, Type expected) {
  if (expected.is(TypeKind::Bool)) return bool_value(short_circuit(e, false));
  const Expr& part = *e.parts[0];
  const bool question = part.kind == SyntaxKind::Call && static_question_name(part.parts[0]->text);
  const bool bools = part.kind == SyntaxKind::And || part.kind == SyntaxKind::Or || part.kind == SyntaxKind::Unary;
  if (question || bools || (part.kind == SyntaxKind::Compare && part.names[0].starts_with("is"))) return bool_value(short_circuit(e, true));
  const ScriptValue first = expression(part);
  return type_of(first).is(TypeKind::Tensor) ? chosen_tensor(e, first) : bool_value(short_circuit(e, true, &first));
}

ScriptValue FunctionCompiler::chosen_tensor(const Expr& e, const ScriptValue& first) {
  ScriptVariable chosen;
  chosen.slot = regions_.slot("value"), chosen.type = TypeKind::Tensor;
  regions_.declare(chosen.slot, chosen.type);
  ScriptValue value = first;
  for (size_t k = 1; k < e.parts.size(); ++k) {
    const Expr& part = *e.parts[k];
    const auto refined = frame_->refined;
    const auto next = [&] {
      const ScriptValue other = expression(part);
      if (!type_of(other).is(TypeKind::Tensor))
        wrong(part.range, concat("`and` and `or` give one of their operands, and the first is a Tensor, but this one has type ",
                                 spelled(type_of(other)), "; write bool(...) around each"));
      regions_.set(chosen.slot, arg_of(part.range, other));
      frame_->refined = refined;
    };
    const auto keep = [&] { regions_.set(chosen.slot, value.arg); };
    regions_.begin_if(condition_node(truth_of(*e.parts[k - 1], value)));
    e.kind == SyntaxKind::And ? next() : keep();
    regions_.begin_else();
    e.kind == SyntaxKind::And ? keep() : next();
    regions_.end_if();
    value = load(e, chosen);
  }
  return value;
}

namespace {

// What the program writes for an attribute of a variable, "self.cache.keys"; "" for another expression.
std::string attribute_path(const Expr& e) {
  if (e.kind != SyntaxKind::Attribute) return "";
  const Expr& base = *e.parts[0];
  const std::string before = base.kind == SyntaxKind::Name ? base.text : attribute_path(base);
  return before.empty() ? "" : concat(before, ".", e.text);
}

}  // namespace

// A value that is compared with None, as it may be None although another condition said that it is not.
ScriptValue FunctionCompiler::tested_value(const Expr& tested) {
  const std::set<std::string> present = frame_->refined.present;
  frame_->refined.present.erase(attribute_path(tested));
  ScriptValue v = expression(tested);
  frame_->refined.present = present;
  return v;
}

// An attribute of which a condition says that it is not None: see present().
void FunctionCompiler::note_present(const Expr& e, const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Plain && v.type.is(TypeKind::Optional) && v.arg[0].node() &&
      frame_->refined.present.contains(attribute_path(e)))
    present_reads_.insert(v.arg[0].node());
}

// This variable or attribute is assigned: what conditions said of attributes that are read through it holds no longer.
void FunctionCompiler::forget_attributes(const std::string& name) {
  const std::string inner = concat(".", name, "."), first = concat(name, "."), last = concat(".", name);
  std::erase_if(frame_->refined.present, [&](const std::string& path) {
    return path.starts_with(first) || path.ends_with(last) || path.find(inner) != std::string::npos;
  });
}

// What an attribute is after its assignment.
void FunctionCompiler::note_assigned_attribute(const Expr& target, const ScriptValue& value) {
  forget_attributes(target.text);
  const std::string path = attribute_path(target);
  const Type type = type_of(value);
  if (!path.empty() && type && !type.is(TypeKind::None) && !type.is(TypeKind::Optional) && !type.is(TypeKind::Any) &&
      !type.is(TypeKind::Union))
    frame_->refined.present.insert(path);
}

ScriptCondition FunctionCompiler::none_test(const Expr& e, const Expr& tested, bool is) {
  const ScriptValue v = tested_value(tested);
  ScriptCondition c;
  const Type type = v.kind == ScriptValue::Kind::Plain ? v.type : Type();
  if (v.kind != ScriptValue::Kind::Plain ||
      (type && !type.is(TypeKind::Optional) && !type.is(TypeKind::Any) && !type.is(TypeKind::Union))) {
    c.known = v.is_none() == is;
    return c;
  }
  c.value = emit(e.range, is ? "aten::__is__" : "aten::__isnot__", {v, literal(Args().none())}).arg;
  const std::string name = tested.kind == SyntaxKind::Name ? tested.text : attribute_path(tested);
  if (!name.empty() && type.is(TypeKind::Optional)) {
    (is ? c.if_false : c.if_true)[name] = type.element();
    (is ? c.if_true : c.if_false)[name] = TypeKind::None;
  }
  return c;
}

// Whether it names a class that a script has no values of, so that none is an instance of it.
bool FunctionCompiler::names_refused_class(const Expr& e) {
  if (e.kind != SyntaxKind::Name && e.kind != SyntaxKind::Attribute) return false;
  const HostValue v = named_type(e);
  return v.kind == HostValue::Kind::Refused || v.kind == HostValue::Kind::Record ||
         (v.kind == HostValue::Kind::Namespace && !v.text.empty());
}

// isinstance(x, T) where the value decides; x has type `yes` where it holds, and `no` where it does not.
ScriptCondition FunctionCompiler::runtime_instance_test(const Expr& e, const ScriptValue& v, Type asked, Type yes, Type no) {
  ScriptCondition c;
  c.value = emit(e.range, "prim::isinstance", {v, literal(Args(to_string(asked)))}).arg;
  if (e.parts[1]->kind == SyntaxKind::Name) {
    c.if_true[e.parts[1]->text] = yes;
    if (no) c.if_false[e.parts[1]->text] = no;
  }
  return c;
}

namespace {

// What isinstance(x, (A, (B, C))) asks for, one after the other.
void add_asked(const Expr& given, std::vector<const Expr*>& asked) {
  if (given.kind != SyntaxKind::Tuple) return asked.push_back(&given);
  for (const Expr* part : given.parts) add_asked(*part, asked);
}

}  // namespace

// isinstance(x, T) by the types alone, where they decide.
ScriptCondition FunctionCompiler::instance_test(const Expr& e) {
  if (e.parts.size() != 3 || !e.names.empty()) wrong(e.range, "isinstance takes a value and a type, or a tuple of types");
  const ScriptValue v = expression(*e.parts[1]);
  std::vector<const Expr*> asked;
  add_asked(*e.parts[2], asked);
  if (v.kind == ScriptValue::Kind::Module || v.kind == ScriptValue::Kind::Namespace || v.kind == ScriptValue::Kind::Record) {
    ScriptCondition c;
    c.known = false;
    const int64_t id = v.kind == ScriptValue::Kind::Record ? host_.find_class(v.text) : v.id;
    for (const Expr* one : asked) c.known = *c.known || host_.is_instance(id, frame_->function.scope, std::string(text_at(one->range)));
    return c;
  }
  std::vector<Type> types;
  bool any_list = false, any_dict = false, any_tuple = false;
  for (const Expr* one : asked) {
    const bool bare = one->kind == SyntaxKind::Name;
    if (names_old_tensor(*one)) unsupported(one->range, "isinstance with an old type of tensors", "ask for x.dtype");
    if (bare && (one->text == "list" || one->text == "List")) any_list = true;
    else if (bare && (one->text == "dict" || one->text == "Dict")) any_dict = true;
    else if (bare && (one->text == "tuple" || one->text == "Tuple")) any_tuple = true;
    else if (!bare &&
             (one->kind == SyntaxKind::Call || (one->kind == SyntaxKind::Attribute && named_type(*one).kind == HostValue::Kind::Missing))) {
      const ScriptValue cls = expression(*one);  // torch.fx.Proxy; getattr(module, "Cache")
      if (cls.kind == ScriptValue::Kind::Type) types.push_back(cls.type);
      else if (cls.kind == ScriptValue::Kind::Class) types.push_back(class_of(one->range, cls.id).type);
      else if (cls.kind != ScriptValue::Kind::Namespace && cls.kind != ScriptValue::Kind::RecordClass)
        wrong(one->range, "isinstance takes a value and a type, or a tuple of types");
    } else if (!names_refused_class(*one)) {
      // A class that no script has values of, although it has no base.
      const bool cls = (bare || one->kind == SyntaxKind::Attribute) && named_type(*one).kind == HostValue::Kind::Class;
      if (const Type t = cls ? open_annotation(*one) : annotation(*one)) types.push_back(t);
    }
  }
  auto holds = [&](Type t) {
    if (!t) return false;
    if ((any_list && t.is(TypeKind::List)) || (any_dict && t.is(TypeKind::Dict)) || (any_tuple && t.is(TypeKind::Tuple))) return true;
    return std::ranges::any_of(types, [&](Type u) { return is_subtype(widened(t), u) || (t.is(TypeKind::Bool) && u.is(TypeKind::Int)); });
  };
  const Type type = type_of(v);
  if (!type || type.is(TypeKind::Number)) unsupported(e.range, concat("isinstance of a value of type ", spelled(type)));
  ScriptCondition c;
  if (type.is(TypeKind::Any)) {
    if (any_list) types.push_back(Type::list(TypeKind::Any));
    if (any_dict) types.push_back(Type::dict(TypeKind::Any, TypeKind::Any));
    if (any_tuple)
      unsupported(e.range, "isinstance of a value of type Any with tuple alone",
                  "write the types of the tuple, for example Tuple[int, int]");
    if (types.empty()) {  // classes that a script has no values of
      c.known = false;
      return c;
    }
    const Type all = Type::unite(types);
    if (all.is(TypeKind::NamedTuple)) unsupported(e.range, "isinstance of a value of type Any and a NamedTuple");
    return runtime_instance_test(e, v, all, all, {});
  }
  if (type.is(TypeKind::Union) || (type.is(TypeKind::Optional) && type.element().is(TypeKind::Union))) {
    std::vector<Type> yes, no;
    const Type alternatives = type.is(TypeKind::Union) ? type : type.element();
    for (Type t : alternatives.elements()) (holds(t) ? yes : no).push_back(t);
    if (type.is(TypeKind::Optional)) (holds(TypeKind::None) ? yes : no).push_back(TypeKind::None);
    if (yes.empty() || no.empty()) {
      c.known = no.empty();
      return c;
    }
    // What a list without items may hold is not asked where one kind of list alone is possible.
    std::vector<Type> tested = yes;
    for (Type& t : tested)
      if (std::ranges::none_of(no, [&](Type other) { return other.is(t.kind()); })) {
        if (t.is(TypeKind::List)) t = Type::list(TypeKind::Any);
        if (t.is(TypeKind::Dict)) t = Type::dict(TypeKind::Any, TypeKind::Any);
      }
    return runtime_instance_test(e, v, Type::unite(tested), Type::unite(yes), Type::unite(no));
  }
  if (!type.is(TypeKind::Optional)) {
    c.known = holds(type);
    return c;
  }
  const bool none = holds(TypeKind::None), some = holds(type.element());
  if (none == some) {
    c.known = none;
    return c;
  }
  c.value = emit(e.range, none ? "aten::__is__" : "aten::__isnot__", {v, literal(Args().none())}).arg;
  if (e.parts[1]->kind == SyntaxKind::Name) {
    (some ? c.if_true : c.if_false)[e.parts[1]->text] = type.element();
    (some ? c.if_false : c.if_true)[e.parts[1]->text] = TypeKind::None;
  }
  return c;
}

// Calls whose answer is known while the function is compiled.
std::optional<ScriptCondition> FunctionCompiler::static_question(const Expr& e) {
  const Expr& callee = *e.parts[0];
  const std::string& word = callee.text;
  if (callee.kind == SyntaxKind::Name && find_variable(word)) return {};
  if ((callee.kind == SyntaxKind::Name || callee.kind == SyntaxKind::Attribute) && word == "isinstance") return instance_test(e);
  if (callee.kind == SyntaxKind::Name && word == "hasattr" && e.parts.size() == 3 && e.parts[2]->kind == SyntaxKind::String) {
    const ScriptValue v = expression(*e.parts[1]);
    if (v.kind != ScriptValue::Kind::Module && v.kind != ScriptValue::Kind::Namespace) return {};
    ScriptCondition c;
    c.known = host_.attribute(v.id, e.parts[2]->text).kind != HostValue::Kind::Missing;
    return c;
  }
  if (word.find("compiling") != std::string::npos || word == "is_exporting")  // torch.compiler.is_compiling(), and no method of the user's
    if (callee.kind != SyntaxKind::Attribute || (callee.parts[0]->text != "compiler" && callee.parts[0]->text != "_dynamo")) return {};
  if (static_question_name(word) && word.find("is_") != std::string::npos && e.parts.size() == 1) {
    ScriptCondition c;
    c.known = word == "is_scripting";
    return c;
  }
  return {};
}

ScriptCondition FunctionCompiler::comparison_chain(const Expr& e) {
  ScriptValue left = expression(*e.parts[0]);
  ScriptCondition all;
  const bool chain = e.names.size() > 1;
  Slot slot = 0;
  size_t open = 0;
  if (chain) slot = regions_.slot("chain"), regions_.declare(slot, TypeKind::Bool);
  for (size_t k = 0; k < e.names.size(); ++k) {
    ScriptValue right = compared(*e.parts[k + 1], e.names[k]);
    const ScriptValue one = compare(e, e.names[k], left, right);
    if (!chain) return truth_of(e, one);
    // a < b < c: c is computed where a < b holds.
    const ScriptCondition c = truth_of(e, one);
    regions_.set(slot, bool_value(c).arg);
    if (c.known && !*c.known) break;
    if (k + 1 < e.names.size() && !c.known) regions_.begin_if(condition_node(c)), ++open;
    left = std::move(right);
  }
  for (; open; --open) {
    regions_.begin_else();
    regions_.set(slot, Args(false));
    regions_.end_if();
  }
  const Args value = regions_.get(slot);
  if (value[0].is(ArgKind::Bool)) all.known = value[0].as_bool();
  else all.value = value;
  return all;
}

namespace {

template <class T>
std::optional<bool> compared(const std::string& op, const T& a, const T& b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return {};
}

// The answer where both sides are known while the function is compiled: `self.mode == "same"`, so that the other branch is not compiled.
std::optional<bool> known_comparison(const std::string& op, const ScriptValue& a, const ScriptValue& b) {
  if (a.kind != ScriptValue::Kind::Plain || b.kind != ScriptValue::Kind::Plain) return {};
  const ir::ArgRef x = a.arg[0], y = b.arg[0];
  if (x.is(ArgKind::Str) && y.is(ArgKind::Str)) return compared(op, x.as_str(), y.as_str());
  if (x.is(ArgKind::Int) && y.is(ArgKind::Int)) return compared(op, x.as_int(), y.as_int());
  if (x.is(ArgKind::Bool) && y.is(ArgKind::Bool)) return compared(op, x.as_bool(), y.as_bool());
  if (x.is(ArgKind::Float) && y.is(ArgKind::Float)) return compared(op, x.as_float(), y.as_float());
  if (x.is(ArgKind::DType) && y.is(ArgKind::DType) && (op == "==" || op == "!=")) return (x.as_dtype() == y.as_dtype()) == (op == "==");
  return {};
}

}  // namespace

// a < b of tuples: the first parts that differ decide, and without any the lengths do.
ScriptValue FunctionCompiler::tuple_order(const Expr& e, const std::string& op, const std::vector<ScriptValue>& a,
                                          const std::vector<ScriptValue>& b) {
  const size_t common = std::min(a.size(), b.size());
  const auto length = [&](const std::vector<ScriptValue>& parts) { return literal(Args(static_cast<int64_t>(parts.size()))); };
  ScriptValue result = compare(e, op, length(a), length(b));
  for (size_t k = common; k-- > 0;) {
    const ScriptValue differ = compare(e, "!=", a[k], b[k]), order = compare(e, op, a[k], b[k]);
    if (!type_of(differ).is(TypeKind::Bool) || !type_of(order).is(TypeKind::Bool))
      unsupported(e.range, "the order of tuples that hold tensors");
    if (differ.arg[0].is(ArgKind::Bool)) {
      if (differ.arg[0].as_bool()) result = order;
      continue;
    }
    const ScriptValue decided = emit(e.range, "operator.and_", {differ, order});
    result = emit(e.range, "operator.or_", {decided, emit(e.range, "operator.and_", {emit(e.range, "aten::__not__", {differ}), result})});
  }
  return result;
}

ScriptValue FunctionCompiler::compare(const Expr& e, const std::string& op, const ScriptValue& a, const ScriptValue& b) {
  if (std::optional<ScriptValue> result = object_comparison(e.range, op, a, b)) return *result;
  if (op == "in" || op == "not in") {
    ScriptValue in;
    if (const std::optional<ScriptValue> held = b.kind == ScriptValue::Kind::Namespace ? asked(e, b, "in", &a) : std::nullopt) {
      in = *held;
    } else if (b.kind == ScriptValue::Kind::Record && a.kind == ScriptValue::Kind::Plain && a.arg[0].is(ArgKind::Str)) {
      in = literal(
          Args(std::ranges::find(b.names, a.arg[0].as_str()) != b.names.end() && !record_item(e.range, b, a.arg[0].as_str()).is_none()));
    } else if (b.kind == ScriptValue::Kind::Keywords && a.kind == ScriptValue::Kind::Plain && a.arg[0].is(ArgKind::Str)) {
      in = literal(Args(std::ranges::find(b.names, a.arg[0].as_str()) != b.names.end()));
    } else if (b.kind == ScriptValue::Kind::Module && module_of(b).kind == HostModule::Items::Dict) {  // one of its keys
      return compare(e, op, a, tuple_of(module_items(e.range, b)));
    } else if (known_length(b) && b.kind == ScriptValue::Kind::Tuple) {  // in a tuple: equal to one of its parts
      ScriptCondition any;
      any.known = false;
      ScriptValue result = literal(Args(false));
      for (const ScriptValue& part : b.parts) {
        const ScriptValue equal = compare(e, "==", a, part);
        if (equal.arg[0].is(ArgKind::Bool)) {
          if (!equal.arg[0].as_bool()) continue;
          result = equal;
          break;
        }
        result = result.arg[0].is(ArgKind::Bool) ? equal : emit(e.range, "operator.or_", {result, equal});
      }
      in = result;
    } else {
      in = emit(e.range, "aten::__contains__", {b, a});
    }
    if (op == "in") return in;
    if (in.arg[0].is(ArgKind::Bool)) return literal(Args(!in.arg[0].as_bool()));
    return emit(e.range, "aten::__not__", {in});
  }
  if (const std::optional<bool> known = known_comparison(op, a, b)) return literal(Args(*known));
  // Two tensors are one where they are one value; whether others are, shows when it runs.
  if ((op == "is" || op == "is not") && type_of(a).is(TypeKind::Tensor) && type_of(b).is(TypeKind::Tensor)) {
    if (a.arg[0].node() == b.arg[0].node()) return literal(Args(op == "is"));
    return emit(e.range, op == "is" ? "aten::__is__" : "aten::__isnot__", {a, b});
  }
  // x is True where x may be None
  if ((op == "is" || op == "is not") && b.kind == ScriptValue::Kind::Plain && b.arg[0].is(ArgKind::Bool) &&
      a.kind == ScriptValue::Kind::Plain) {
    const Type type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    if (type.is(TypeKind::Bool) && (b.arg[0].as_bool() || !a.type.is(TypeKind::Optional))) {
      ScriptCondition c = truth_of(e, a);
      if (!b.arg[0].as_bool() != (op == "is not")) {
        if (!c.known) c.value = emit(e.range, "aten::__not__", {bool_value(c)}).arg;
        c = negated(std::move(c));
      }
      return bool_value(c);
    }
    if (a.is_none()) return literal(Args(op == "is not"));
  }
  if ((op == "is" || op == "is not") && (is_known_alone(a) || is_known_alone(b))) {
    const bool one = a.kind == b.kind && a.id == b.id && a.local == b.local && a.text == b.text && a.kind != ScriptValue::Kind::Record &&
                     a.kind != ScriptValue::Kind::Tuple;
    const bool other = is_known_alone(a) != is_known_alone(b) || a.kind == ScriptValue::Kind::Namespace ||
                       a.kind == ScriptValue::Kind::Function || a.kind == ScriptValue::Kind::Module;
    if (one || other) return literal(Args(one == (op == "is")));
  }
  if (op == "is" || op == "is not") {
    // Lists and dicts are the same one, or not, when it runs.
    const auto may_be_one = [](Type t) {
      const Type held = t.is(TypeKind::Optional) ? t.element() : t;
      return held.is(TypeKind::List) || held.is(TypeKind::Dict);
    };
    if (!may_be_one(type_of(a)) || !may_be_one(type_of(b)))
      wrong(e.range, "'is' compares tensors, lists, dicts, objects and bools, and values with None, in a script; use == for other values");
    return emit(e.range, op == "is" ? "aten::__is__" : "aten::__isnot__", Args(arg_of(e.range, a)[0], arg_of(e.range, b)[0]));
  }
  if (a.is_none() || b.is_none()) {
    if (op != "==" && op != "!=") wrong(e.range, "None has no order");
    if (a.is_none() && b.is_none()) return literal(Args(op == "=="));
    const Type other = type_of(a.is_none() ? b : a);
    if (!other.is(TypeKind::Optional)) return literal(Args(op == "!="));
    return emit(e.range, op == "==" ? "aten::__is__" : "aten::__isnot__", {a.is_none() ? b : a, literal(Args().none())});
  }
  // Layouts are ints in TorchScript.
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (type_of(*one).is(TypeKind::Layout) && type_of(*other).is(TypeKind::Int)) {
      const ScriptValue number = emit(e.range, "prim::number_of_layout", {*one});
      return one == &a ? compare(e, op, number, b) : compare(e, op, a, number);
    }
  const auto na = known_length(a), nb = known_length(b);
  if (na && nb && a.kind != ScriptValue::Kind::List && b.kind != ScriptValue::Kind::List) {  // tuples: part by part
    if (op != "==" && op != "!=") return tuple_order(e, op, items_of(e.range, a), items_of(e.range, b));
    ScriptValue equal = literal(Args(*na == *nb));
    if (*na == *nb) {
      const std::vector<ScriptValue> x = items_of(e.range, a), y = items_of(e.range, b);
      for (size_t k = 0; k < *na; ++k) {
        const ScriptValue one = compare(e, "==", x[k], y[k]);
        if (!one.type.is(TypeKind::Bool)) unsupported(e.range, "the comparison of tuples that hold tensors");
        equal = k == 0 ? one : emit(e.range, "operator.and_", {equal, one});
      }
    }
    if (op == "==") return equal;
    if (equal.arg[0].is(ArgKind::Bool)) return literal(Args(!equal.arg[0].as_bool()));
    return emit(e.range, "aten::__not__", {equal});
  }
  return operation(e.range, op, false, a, b);
}

}  // namespace monograph::capture::script
