// What is known of calls while a function is compiled: the keywords of **kwargs, hasattr and getattr; slices and starred parts of lists.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Type;
using ir::TypeKind;

namespace {

// A str that is written in the program; none for others.
std::optional<std::string> written(const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Plain && v.arg[0].is(ArgKind::Str)) return v.arg[0].as_str();
  return {};
}

}  // namespace

// Of f(**e): a dict that is written there, or the caller's own **kwargs.
std::vector<std::pair<std::string, ScriptValue>> FunctionCompiler::keywords_of(const Expr& e) {
  std::vector<std::pair<std::string, ScriptValue>> named;
  if (e.kind == SyntaxKind::Dict) {
    for (size_t k = 0; k + 1 < e.parts.size(); k += 2) {
      const std::optional<std::string> key = e.parts[k] ? written(expression(*e.parts[k])) : std::nullopt;
      if (!key) unsupported(e.range, "'**' of a dict whose keys are not written in the call");
      named.emplace_back(*key, expression(*e.parts[k + 1]));
    }
    return named;
  }
  const ScriptValue v = expression(e);
  if (v.kind != ScriptValue::Kind::Keywords)
    unsupported(e.range, "'**' in a call, of a dict whose keys are not known while the function is compiled,");
  for (size_t k = 0; k < v.parts.size(); ++k) named.emplace_back(v.names[k], v.parts[k]);
  return named;
}

ScriptValue FunctionCompiler::keyword_item(const TextRange& at, const ScriptValue& keywords, const ScriptValue& key) {
  const std::optional<std::string> name = written(key);
  if (!name) wrong(at, "the key of **kwargs must be written as a str, because its values have different types");
  auto found = std::ranges::find(keywords.names, *name);
  if (found == keywords.names.end())
    wrong(at, keywords.text.empty() ? concat("the call gives no keyword argument '", *name, "'")
                                    : concat("nothing gives the keyword argument '", *name, "': **", keywords.text,
                                             " of what is compiled is empty; give '", *name, "' a parameter of its own"));
  return keywords.parts[static_cast<size_t>(found - keywords.names.begin())];
}

ScriptValue FunctionCompiler::keywords_method(const Expr& e, const ScriptValue& keywords, const std::string& method, const Given& given) {
  ScriptValue tuple;
  tuple.kind = ScriptValue::Kind::Tuple;
  const size_t n = given.positional.size();
  if (method == "get" && (n == 1 || n == 2)) {
    const std::optional<std::string> name = written(given.positional[0]);
    if (name && std::ranges::find(keywords.names, *name) == keywords.names.end())
      return n == 2 ? given.positional[1] : literal(Args().none());
    return keyword_item(e.range, keywords, given.positional[0]);
  }
  if ((method == "pop" && (n == 1 || n == 2)) || (method == "setdefault" && n == 2)) {
    const std::optional<std::string> name = written(given.positional[0]);
    const bool has = !name || std::ranges::find(keywords.names, *name) != keywords.names.end();
    if (method == "pop" && n == 2 && !has) return given.positional[1];
    const ScriptValue value = has || n == 1 ? keyword_item(e.range, keywords, given.positional[0]) : given.positional[1];
    if (has != (method == "setdefault"))
      set_keyword(*e.parts[0]->parts[0], e.range, given.positional[0], method == "pop" ? nullptr : &value);
    return value;
  }
  if (method == "update" && !n) {
    for (const auto& [name, value] : given.named) set_keyword(*e.parts[0]->parts[0], e.range, literal(Args(name)), &value);
    return literal(Args().none());
  }
  if (n || (method != "keys" && method != "values" && method != "items")) unsupported(e.range, concat("**kwargs with .", method, "()"));
  for (size_t k = 0; k < keywords.parts.size(); ++k) {
    const ScriptValue key = literal(Args(keywords.names[k]));
    ScriptValue pair = tuple;
    pair.parts = {key, keywords.parts[k]};
    tuple.parts.push_back(method == "keys" ? key : method == "values" ? keywords.parts[k] : pair);
    if (method == "items") tuple.parts.back().parts = {key, keywords.parts[k]};
  }
  return tuple;
}

// Whether it is the name of a **kwargs.
bool FunctionCompiler::names_keywords(const Expr& e) {
  const ScriptVariable* named = e.kind == SyntaxKind::Name ? find_variable(e.text) : nullptr;
  return named && named->fixed && named->fixed->kind == ScriptValue::Kind::Keywords;
}

// kwargs["x"] = value, or without a value del kwargs["x"]: what the dict holds is known while the function is compiled, and so is the change.
void FunctionCompiler::set_keyword(const Expr& dict, const TextRange& at, const ScriptValue& key, const ScriptValue* value) {
  const auto known = dict.kind == SyntaxKind::Name ? frame_->variables.find(dict.text) : frame_->variables.end();
  if (known == frame_->variables.end()) unsupported(at, "a change of the **kwargs of another function");
  if (!same_place(frame_->depth)) unsupported(at, "a change of **kwargs in a branch or loop");
  const auto holds = [&](const auto& v) {
    return v.second.fixed && v.second.fixed->kind == ScriptValue::Kind::Keywords && v.second.fixed->id == known->second.fixed->id;
  };
  if (std::ranges::count_if(frame_->variables, holds) > 1) unsupported(at, "a change of **kwargs that have two names");
  ScriptValue& keywords = *known->second.fixed;
  if (!value) keyword_item(at, keywords, key);
  const std::optional<std::string> name = written(key);
  if (!name) wrong(at, "the key of **kwargs must be written as a str, because its values have different types");
  const auto place = std::ranges::find(keywords.names, *name) - keywords.names.begin();
  const bool has = place < static_cast<ptrdiff_t>(keywords.names.size());
  if (!value) {
    keywords.names.erase(keywords.names.begin() + place), keywords.parts.erase(keywords.parts.begin() + place);
    return;
  }
  const ScriptValue held = value->kind == ScriptValue::Kind::List ? made_list(at, *value) : *value;
  if (has) keywords.parts[static_cast<size_t>(place)] = held;
  else keywords.names.push_back(*name), keywords.parts.push_back(held);
}

// hasattr(x, "name") and getattr(x, "name"): the type of x says what it has.
ScriptValue FunctionCompiler::known_attribute(const Expr& e, const std::string& function, const Given& given) {
  const size_t n = given.positional.size();
  if (n != 2 && !(n == 3 && function == "getattr")) wrong(e.range, concat(function, "() takes a value and a name"));
  const ScriptValue& v = given.positional[0];
  const std::optional<std::string> name = written(given.positional[1]);
  if (!name) wrong(e.range, concat("the name that ", function, "() asks for must be written as a str"));
  bool has = false;
  const Type type = v.kind == ScriptValue::Kind::Plain ? v.type : Type();
  if (type.is(TypeKind::Class)) {
    ScriptClass& c = class_of(e.range, type);
    if (!c.defining) define(e.range, c);
    has = c.find(*name) || c.method(*name) || c.field(*name);
  } else if (type.is(TypeKind::NamedTuple)) {
    has = std::ranges::find(type.fields(), *name) != type.fields().end();
  } else if (type.is(TypeKind::Tensor)) {
    has = Registry::global().find_attribute(*name) || Registry::global().find_overloads(concat("aten::", *name));
  } else if (v.kind == ScriptValue::Kind::Record) {
    has = std::ranges::find(v.names, *name) != v.names.end() || *name == "to_tuple" || *name == "keys";
  } else if (type.is(TypeKind::None)) {
    has = name->starts_with("__");
  } else if (function == "hasattr") {
    unsupported(e.range, concat("hasattr() of a value of type ", spelled(type_of(v))));
  } else {
    has = true;
  }
  if (function == "hasattr") return literal(Args(has));
  if (!has && n == 3) return given.positional[2];
  return attribute_of(e, v, *name);
}

// The right operand of a comparison: a set that stands behind `in` is what it holds.
ScriptValue FunctionCompiler::compared(const Expr& e, const std::string& op) {
  if (e.kind != SyntaxKind::Set || !e.names.empty() || (op != "in" && op != "not in")) return expression(e);
  ScriptValue tuple;
  tuple.kind = ScriptValue::Kind::Tuple;
  for (const Expr* part : e.parts) tuple.parts.push_back(expression(*part));
  return tuple;
}

// first, *middle, last = values: as many as the list has when the program runs.
void FunctionCompiler::unpack_starred_list(const Expr& target, const ScriptValue& value, size_t star) {
  const size_t n = target.parts.size(), behind = n - star - 1;
  const ScriptValue length = emit(target.range, "aten::len", {value});
  const ScriptValue fits = emit(target.range, "operator.ge", {length, literal(Args(static_cast<int64_t>(n - 1)))});
  regions_.begin_if(node_of(target.range, fits));
  regions_.begin_else();
  raise_exception(target.range, literal(Args(concat("not enough values to unpack (expected at least ", n - 1, ")"))), "ValueError");
  regions_.leave(ir::RegionBuilder::Leave::Forever);
  regions_.end_if();
  for (size_t k = 0; k < star; ++k) assign(*target.parts[k], element(target.range, value, literal(Args(static_cast<int64_t>(k)))));
  Args slice = Args(value.arg[0], static_cast<int64_t>(star));
  if (behind) slice.add(-static_cast<int64_t>(behind));
  else slice.none();
  slice.add(1);
  assign(*target.parts[star]->parts[0], emit(target.range, "aten::slice", slice));
  for (size_t k = 0; k < behind; ++k)
    assign(*target.parts[star + 1 + k],
           element(target.range, value, literal(Args(static_cast<int64_t>(k) - static_cast<int64_t>(behind)))));
}

// v[a:b] = values, or without a value del v[a:b].
void FunctionCompiler::assign_slice(const Expr& target, const ScriptValue& base, const ScriptValue* value) {
  Args args = arg_of(target.range, base);
  const Args bounds = slice_bounds(*target.parts[1]);
  for (size_t k = 0; k < 3; ++k) args.add(bounds[k]);
  if (value) args.add(arg_of(target.range, *value)[0]);
  emit(target.range, value ? "prim::set_slice" : "prim::delete_slice", args);
}

}  // namespace monograph::capture::script
