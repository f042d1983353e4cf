// A module of a ModuleList or ModuleDict by a number or key that is known only when the script runs: `block: Block = self.blocks[i]`. The value holds the
// modules that it may be and the place of the one that it is. A call of its method becomes Ifs over the place, with the method of one module in each arm:
//
//   block.forward(x)    ->    if place < 1: blocks[0].forward(x)
//                             else: if place < 2: blocks[1].forward(x)  else: blocks[2].forward(x)
//
// Only the arm that is taken runs. The Ifs halve the modules that are left, so that their depth is the logarithm of the number of modules.
#include <algorithm>

#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;
using Leave = ir::RegionBuilder::Leave;

// Raises as the container does in Python, where `fits` is false.
void FunctionCompiler::check_place(const Expr& e, const ScriptValue& fits, const std::function<ScriptValue()>& message,
                                   const std::string& exception) {
  regions_.begin_if(node_of(e.range, fits));
  regions_.begin_else();
  raise_exception(e.range, message(), exception);
  regions_.leave(Leave::Forever);
  regions_.end_if();
}

// The place of a number that may be negative.
ScriptValue FunctionCompiler::list_place(const Expr& e, const ScriptValue& index, int64_t count) {
  const TextRange at = e.range;
  const ScriptValue length = literal(Args(count)), zero = literal(Args(int64_t{0}));
  const Slot slot = regions_.slot("place", index.arg);
  regions_.declare(slot, TypeKind::Int);
  regions_.begin_if(node_of(at, operation(at, "<", false, index, zero)));
  regions_.set(slot, operation(at, "+", false, index, length).arg);
  regions_.end_if();
  const ScriptValue place = literal(regions_.get(slot));
  const ScriptValue fits = emit(at, "operator.and_", {operation(at, ">=", false, place, zero), operation(at, "<", false, place, length)});
  check_place(
      e, fits,
      [&] {
        Given given;
        given.positional = {index};
        return string_format(e, literal(Args("index {} is out of range")), given);
      },
      "IndexError");
  return place;
}

// The place of a key, found by comparing it with each.
ScriptValue FunctionCompiler::dict_place(const Expr& e, const ScriptValue& key, const HostModule& m) {
  const TextRange at = e.range;
  const Slot slot = regions_.slot("place", Args(int64_t{-1}));
  regions_.declare(slot, TypeKind::Int);
  size_t open = 0;
  for (; open < m.items.size(); ++open) {
    if (open) regions_.begin_else();
    regions_.begin_if(node_of(at, operation(at, "==", false, key, literal(Args(m.items[open].first)))));
    regions_.set(slot, Args(static_cast<int64_t>(open)));
  }
  for (; open; --open) regions_.end_if();
  const ScriptValue place = literal(regions_.get(slot));
  check_place(e, operation(at, ">=", false, place, literal(Args(int64_t{0}))), [&] { return key; }, "KeyError");
  return place;
}

ScriptValue FunctionCompiler::chosen_module(const TextRange& at, const ScriptValue& container, const ScriptValue& index) {
  const HostModule& m = module_of(container);
  const bool dict = m.kind == HostModule::Items::Dict;
  const Type type = type_of(index);
  if (index.kind != ScriptValue::Kind::Plain || !type.is(dict ? TypeKind::Str : TypeKind::Int))
    wrong(at, concat(dict ? "the key of " : "the index of ", m.type, dict ? " is a str" : " is an int", ", but this value has type ",
                     spelled(type), type.is(TypeKind::Tensor) && !dict ? "; write int(...)" : ""));
  if (m.items.empty()) wrong(at, concat(m.type, " holds no modules"));
  Expr e{};
  e.range = at;
  ScriptValue chosen;
  chosen.kind = ScriptValue::Kind::Chosen;
  for (const auto& [key, item] : m.items)
    chosen.parts.push_back(host_.keeps_calls() ? kept_attribute(e, container, key, item) : from_host(e, item));
  for (const ScriptValue& part : chosen.parts)
    if (part.kind != ScriptValue::Kind::Module) wrong(at, concat(m.type, " holds a value that is not a module"));
  chosen.arg = (dict ? dict_place(e, index, m) : list_place(e, index, static_cast<int64_t>(m.items.size()))).arg;
  return chosen;
}

// Calls one of the modules [first, last), by the place. What they give has one type.
void FunctionCompiler::call_chosen_between(const Expr& e, const ScriptValue& chosen, const std::string& method, const Given& given,
                                           size_t first, size_t last, ChosenResult& result) {
  if (last - first > 1) {
    const size_t middle = first + (last - first) / 2;
    const ScriptValue before = operation(e.range, "<", false, literal(chosen.arg), literal(Args(static_cast<int64_t>(middle))));
    regions_.begin_if(node_of(e.range, before));
    call_chosen_between(e, chosen, method, given, first, middle, result);
    regions_.begin_else();
    call_chosen_between(e, chosen, method, given, middle, last, result);
    regions_.end_if();
    return;
  }
  const ScriptValue& module = chosen.parts[first];
  const auto refined = frame_->refined;
  const ScriptValue v = method.empty() ? call_module(e, module, given) : call_value(e, module_attribute(e, module, method), given, {});
  frame_->refined = refined;
  const Args arg = arg_of(e.range, v);
  const Type type = widened(v.kind == ScriptValue::Kind::Plain && v.type ? v.type : ir::type_of(arg[0]));
  const Type both = result.type && type ? join(result.type, type) : type;
  if (both.is(TypeKind::Union))
    wrong(e.range, concat(method.empty() ? "forward" : method, "() of ", module_of(chosen.parts[0]).type, " gives ", spelled(result.type),
                          ", and that of ", module_of(module).type, " gives ", spelled(type),
                          "; where an index chooses the module, all modules give one type"));
  result.type = both;
  regions_.set(result.slot, arg);
}

// chosen.method(...); the empty name calls the module itself, with its hooks.
ScriptValue FunctionCompiler::call_chosen(const Expr& e, const ScriptValue& chosen, const std::string& method, const Given& given) {
  for (const ScriptValue& part : chosen.parts)
    if (!method.empty() && module_attribute(e, part, method).kind != ScriptValue::Kind::Bound)
      wrong(e.range, concat("'", method, "' of ", module_of(part).type, " is not a method that a script can call"));
  // What was just written is one value for all modules.
  Given once = given;
  auto made = [&](ScriptValue& v) {
    if (v.kind == ScriptValue::Kind::List) v = made_list(e.range, v);
  };
  for (ScriptValue& v : once.positional) made(v);
  for (auto& [name, v] : once.named) made(v);
  ChosenResult result{regions_.slot("value"), {}};
  call_chosen_between(e, chosen, method, once, 0, chosen.parts.size(), result);
  ScriptVariable v;
  v.slot = result.slot, v.type = result.type;
  return load(e, v);
}

// `module: Interface = value`: each module that the value may be has the methods that the interface declares.
void FunctionCompiler::check_interface(const TextRange& at, const ScriptValue& value, const HostValue& interface) {
  if (type_of(value).is(TypeKind::Class) && !is_foreign(value.type)) {
    const ScriptClass& c = class_of(at, value.type);
    for (const HostValue& method : interface.parts)
      if (!c.method(method.text)) wrong(at, concat(c.short_name(), " is no ", interface.text, ": it has no method '", method.text, "'"));
    return;
  }
  const bool one = value.kind == ScriptValue::Kind::Module;
  if (!one && value.kind != ScriptValue::Kind::Chosen)
    wrong(at, concat("a variable of the interface ", interface.text, " holds a module or an object, but this value has type ",
                     spelled(type_of(value))));
  for (const ScriptValue& module : one ? std::vector<ScriptValue>{value} : value.parts)
    for (const HostValue& method : interface.parts) {
      const HostValue held = host_.attribute(module.id, method.text);
      if (held.kind != HostValue::Kind::Method && held.kind != HostValue::Kind::Graph)
        wrong(at, concat(module_of(module).type, " is no ", interface.text, ": it has no method '", method.text, "'"));
    }
}

}  // namespace monograph::capture::script
