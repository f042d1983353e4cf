// Expressions but for calls, conditions and subscripts.
#include <algorithm>
#include <charconv>
#include <complex>
#include <set>

#include "capture/script/function_compiler.h"
#include "ir/operators.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

ScriptValue FunctionCompiler::expression(const Expr& e, Type expected) {
  check_stack(e.range);
  switch (e.kind) {
    case SyntaxKind::Name: return name(e);
    case SyntaxKind::Number: return number(e);
    case SyntaxKind::String: return literal(Args(e.text));
    case SyntaxKind::True: return literal(Args(true));
    case SyntaxKind::False: return literal(Args(false));
    case SyntaxKind::None: return literal(Args().none());
    case SyntaxKind::Attribute: return attribute(e);
    case SyntaxKind::Call: return call(e, expected);
    case SyntaxKind::Subscript: return subscript(e);
    case SyntaxKind::Unary: return unary(e);
    case SyntaxKind::Binary: return binary(e);
    case SyntaxKind::Compare: {
      if (e.names.size() == 1 && e.names[0] != "is" && e.names[0] != "is not") {  // of tensors a tensor
        const ScriptValue left = expression(*e.parts[0]);
        return compare(e, e.names[0], left, compared(*e.parts[1], e.names[0]));
      }
      return bool_value(condition(e));
    }
    case SyntaxKind::And:
    case SyntaxKind::Or: {
      // `self.size or self.hidden`, the first of them a constant: one of both.
      if (e.parts.size() == 2 && e.parts[0]->kind == SyntaxKind::Attribute) {
        const ScriptValue first = expression(*e.parts[0]);
        if (first.kind == ScriptValue::Kind::Plain && (first.is_none() || first.arg[0].is(ArgKind::Int))) {
          const bool truth = !first.is_none() && first.arg[0].as_int() != 0;
          return truth == (e.kind == SyntaxKind::Or) ? first : expression(*e.parts[1], expected);
        }
      }
      return short_circuit_value(e, expected);
    }
    case SyntaxKind::Conditional: return conditional(e, expected);
    case SyntaxKind::List: return list_display(e, expected);
    case SyntaxKind::Tuple: return tuple_display(e, expected);
    case SyntaxKind::Dict: return dict_display(e, expected);
    case SyntaxKind::ListComprehension:
    case SyntaxKind::DictComprehension: return comprehension(e, expected);
    case SyntaxKind::FormatString: return format_string(e);
    case SyntaxKind::Set: unsupported(e.range, "a set");
    case SyntaxKind::Generator:  // a list, which is what a script can go over
      return comprehension(e, expected);
    case SyntaxKind::Lambda: {
      ScriptValue v;
      v.kind = ScriptValue::Kind::Local, v.local = e.function, v.home = frame_;
      return v;
    }
    case SyntaxKind::Assignment: assign(*e.parts[0], expression(*e.parts[1], expected)); return name(*e.parts[0]);
    case SyntaxKind::Await: unsupported(e.range, "await");
    case SyntaxKind::Yield: unsupported(e.range, "yield");
    case SyntaxKind::Starred: wrong(e.range, "a starred expression is allowed only in a call, a tuple or a list");
    case SyntaxKind::Ellipsis: wrong(e.range, "'...' is allowed only in an index");
    case SyntaxKind::Slice: wrong(e.range, "a slice is allowed only in an index");
    case SyntaxKind::DoubleStarred:
    case SyntaxKind::Formatted: break;
  }
  wrong(e.range, "this is not a value");
}

// One that the graph can hold.
ScriptValue FunctionCompiler::plain(const Expr& e, Type expected) {
  ScriptValue v = expression(e, expected);
  if (v.kind == ScriptValue::Kind::List) return made_list(e.range, v);
  if (v.kind == ScriptValue::Kind::Tuple) {
    ScriptValue whole;
    whole.type = type_of(v), whole.arg = arg_of(e.range, v);
    return whole;
  }
  if (v.kind != ScriptValue::Kind::Plain) arg_of(e.range, v);  // raises
  return v;
}

// --- Names.

ScriptValue FunctionCompiler::name(const Expr& e) {
  if (const ScriptVariable* v = find_variable(e.text)) return load(e, *v);
  const HostValue host = look_up(e.text);
  if (host.kind == HostValue::Kind::Missing) wrong(e.range, concat("'", e.text, "' is not defined"));
  ScriptValue value = from_host(e, host);
  if (host.kind == HostValue::Kind::Constant) note_container(value, {kNoModule, e.text, frame_->function.source, e.range});
  return value;
}

// Why a variable has no value where it is read.
void FunctionCompiler::no_value(const Expr& e, const ScriptVariable& v) const {
  if (!v.other)
    wrong(e.range, concat("'", e.text,
                          "' may have no value here, because not every branch or loop before this line sets it; give it a value before the "
                          "branch or loop"));
  const std::string first = spelled(v.other->first), second = spelled(v.type);
  try {
    wrong(e.range, concat("'", e.text, "' has type ", first, " after one branch and type ", second,
                          " after the other, and one type is needed; use two names, ",
                          "or say before the branch what it may be, for example ", e.text, ": Union[", first, ", ", second, "] = ..."));
  } catch (const Error& error) {
    const SourceError both(error, concat("it is set to a value of type ", first, " here:\n", source().highlight(v.other->second)));
    throw SourceError(both, concat("and to a value of type ", second, " here:\n", source().highlight(v.range)));
  }
}

ScriptValue FunctionCompiler::load(const Expr& e, const ScriptVariable& v) {
  if (v.fixed) return *v.fixed;
  if (!regions_.defined(v.slot)) no_value(e, v);
  const Args arg = regions_.get(v.slot);
  if (arg[0].is(ArgKind::Tuple)) {
    ScriptValue tuple;
    tuple.kind = ScriptValue::Kind::Tuple;
    for (ArgRef part : arg[0]) {
      ScriptValue item = literal(Args().add(part));
      if (part.is(ArgKind::Tuple)) item.type = ir::type_of(part);
      tuple.parts.push_back(std::move(item));
    }
    return tuple;
  }
  const auto& known = frame_->refined.variables;
  if (auto refined = known.find(v.slot); refined != known.end() && refined->second.first == arg[0].node())
    return literal(refined->second.second);
  ScriptValue value = literal(arg);
  if (!value.type) value.type = v.type;
  if (const std::optional<ScriptValue> record = as_record(e.range, value)) return *record;
  return value;
}

ScriptValue FunctionCompiler::from_host(const Expr& e, const HostValue& host) {
  using Kind = HostValue::Kind;
  ScriptValue v;
  v.text = host.text, v.id = host.id;
  switch (host.kind) {
    case Kind::Missing: wrong(e.range, concat("'", text_at(e.range).substr(0, 60), "' is not defined"));
    case Kind::Refused: wrong(e.range, host.text);
    case Kind::Operator: v.kind = ScriptValue::Kind::Operator; return v;
    case Kind::Function: v.kind = ScriptValue::Kind::Function; return v;
    case Kind::Namespace: v.kind = ScriptValue::Kind::Namespace; return v;
    case Kind::Builtin: v.kind = ScriptValue::Kind::Builtin; return v;
    case Kind::Exception: v.kind = ScriptValue::Kind::Exception; return v;
    case Kind::Type: v.kind = ScriptValue::Kind::Type, v.type = host.type; return v;
    case Kind::Module: module_of(v = module_value(host.id)); return v;
    case Kind::Tensor: return module_tensor(e.range, host);
    case Kind::Method:
    case Kind::Property:
      v.kind = ScriptValue::Kind::Bound, v.parts = {module_value(host.self)};
      if (host.text == "object") v.parts[0].kind = ScriptValue::Kind::Namespace, v.text.clear();
      return host.kind == Kind::Method ? v : call_value(e, v, {}, {});
    case Kind::Sequence:
      v.kind = ScriptValue::Kind::Tuple;
      for (const HostValue& part : host.parts) v.parts.push_back(from_host(e, part));
      return v;
    case Kind::Interface: v.kind = ScriptValue::Kind::Type, v.type = TypeKind::Any; return v;
    case Kind::Class: v.kind = ScriptValue::Kind::Class; return v;
    case Kind::Record:
      v.kind = ScriptValue::Kind::RecordClass;
      for (const HostValue& field : host.parts) {
        v.names.push_back(field.text);
        v.parts.push_back(field.kind == Kind::Missing ? ScriptValue() : from_host(e, field));
      }
      return v;
    case Kind::Graph: v.kind = ScriptValue::Kind::Graph; return v;
    case Kind::Member: return enum_member(e.range, class_of(e.range, host.id), host.text);
    case Kind::Context: v.kind = ScriptValue::Kind::Context; return v;
    case Kind::Container: return container_from_host(e, host);
    case Kind::State: wrong(e.range, "an attribute that the program assigns is read from its module");
    case Kind::Constant: break;
  }
  const ArgRef constant = host.constant[0];
  if (!constant.is(ArgKind::Tuple) && !constant.is(ArgKind::List)) return literal(host.constant);
  v.kind = constant.is(ArgKind::Tuple) ? ScriptValue::Kind::Tuple : ScriptValue::Kind::List;
  Type element;
  for (ArgRef part : constant) {
    HostValue inner;
    inner.kind = Kind::Constant, inner.constant.add(part);
    v.parts.push_back(from_host(e, inner));
    const Type type = widened(type_of(v.parts.back()));
    element = element ? join(element, type) : type;
  }
  if (v.kind == ScriptValue::Kind::List) {
    if (element.is(TypeKind::Union)) wrong(e.range, "the items of this list have several types");
    v.type = Type::list(element ? element : Type(TypeKind::Tensor));
  }
  return v;
}

ScriptValue FunctionCompiler::attribute(const Expr& e) {
  const Expr& base = *e.parts[0];
  // type(self).__name__ of a module.
  if (e.text == "__name__" && base.kind == SyntaxKind::Call && base.parts[0]->text == "type" && base.parts.size() == 2) {
    const ScriptValue module = expression(*base.parts[1]);
    if (module.kind == ScriptValue::Kind::Module) return literal(Args(module_of(module).type));
  }
  ScriptValue value = attribute_of(e, expression(base), e.text);
  note_present(e, value);
  return value;
}

// torch.max(x, 1).values: one of an operator's results, by the name that its schema gives it.
std::optional<ScriptValue> FunctionCompiler::result_field(const Expr& e, const ScriptValue& results, const std::string& name) {
  if (!type_of(results).is(TypeKind::Tuple)) return {};
  const std::vector<ScriptValue> parts = items_of(e.range, results);
  for (size_t k = 0; k < parts.size(); ++k) {
    const Node* n = parts[k].kind == ScriptValue::Kind::Plain ? parts[k].arg[0].node() : nullptr;
    if (!n || !n->is_projection() || n->projected_index() != k || !n->projected()->info()) return {};
    const std::vector<ir::Argument>& returns = n->projected()->info()->schema().returns();
    if (returns.size() != parts.size()) return {};
    if (returns[k].name == name) return parts[k];
  }
  return {};
}

ScriptValue FunctionCompiler::attribute_of(const Expr& e, const ScriptValue& base, const std::string& attribute) {
  if (base.kind == ScriptValue::Kind::Namespace) {
    const bool lists = attribute == "get" || attribute == "keys" || attribute == "values" || attribute == "items";
    const ScriptValue word = literal(Args(attribute));
    if (lists && asked(e, base, "mapping", &word)) {
      ScriptValue method;
      method.kind = ScriptValue::Kind::Method, method.text = attribute, method.parts = {base};
      return method;
    }
    const HostValue v = host_.attribute(base.id, attribute);
    if (v.kind == HostValue::Kind::Missing)  // of this kind, so that a try knows it
      raise_at(source(), e.range, concat("'", text_at(e.range).substr(0, 60), "' is not defined"), ErrorKind::Attribute);
    if (v.kind == HostValue::Kind::State) return read_attribute(e.range, module_object(e.range, v.text), v.constant[0].as_str(), v.type);
    ScriptValue value = from_host(e, v);
    // A write to a list of a constant would be lost.
    if (v.kind == HostValue::Kind::Constant || v.kind == HostValue::Kind::Container)
      note_container(value, {base.id, attribute, frame_->function.source, e.range});
    return value;
  }
  if (base.kind == ScriptValue::Kind::Graph) {  // a traced module, of which the host knows the parameters, buffers and parts
    const HostValue v = host_.attribute(base.id, attribute);
    if (v.kind != HostValue::Kind::Missing) return from_host(e, v);
  }
  if (base.kind == ScriptValue::Kind::Module && host_.listing(base.id, attribute).kind == HostValue::Kind::Missing)
    return module_attribute(e, base, attribute);
  if (base.kind == ScriptValue::Kind::Class) return class_attribute(e, class_of(e.range, base.id), attribute);
  if (base.kind == ScriptValue::Kind::Record && std::ranges::find(base.names, attribute) != base.names.end())
    return record_item(e.range, base, attribute);
  if (base.kind == ScriptValue::Kind::Plain) {
    if (base.type.is(TypeKind::Class) && !is_foreign(base.type)) return object_attribute(e, base, attribute);
    if (base.type.is(TypeKind::NamedTuple)) return tuple_field(e, base, attribute);
    if (base.type.is(TypeKind::Enum)) return enum_attribute(e, base, attribute);
    if (base.type.is(TypeKind::Complex) && (attribute == "real" || attribute == "imag"))
      return emit(e.range, attribute == "real" ? "prim::real_part" : "prim::imaginary_part", {base});
    if (base.type.is(TypeKind::Device) && (attribute == "type" || attribute == "index"))
      return emit(e.range, concat("prim::", attribute), {base});
  }
  if (std::optional<ScriptValue> field = result_field(e, base, attribute)) return *field;
  ScriptValue method;
  method.kind = ScriptValue::Kind::Method, method.text = attribute, method.parts = {base};
  if (base.kind == ScriptValue::Kind::List || base.kind == ScriptValue::Kind::Tuple || base.kind == ScriptValue::Kind::Keywords ||
      base.kind == ScriptValue::Kind::Record || base.kind == ScriptValue::Kind::Module || base.kind == ScriptValue::Kind::Chosen)
    return method;
  if (base.kind != ScriptValue::Kind::Plain)
    wrong(e.range, concat("'", text_at(e.parts[0]->range).substr(0, 60), "' has no attribute '", attribute, "' that a script can read"));
  if (base.type.is(TypeKind::Optional)) {
    const ScriptValue there = present(e.range, base);
    if (!there.type.is(TypeKind::Optional)) return attribute_of(e, there, attribute);
    wrong(e.range, concat("a value of type ", spelled(base.type), " has no attributes; check `is not None` first"));
  }
  // What layers ask of a tensor that has no sizes: a script runs on tensors that have some.
  if (base.type.is(TypeKind::Tensor) && attribute == "_is_symbolic") return literal(Args(false));
  if (base.type.is(TypeKind::Tensor) && attribute == "requires_grad") return emit(e.range, "prim::requires_grad", {base});
  if (base.type.is(TypeKind::Tensor) && Registry::global().find_attribute(attribute))
    return emit(e.range, "getattr", {base, literal(Args(attribute))});
  return method;
}

// --- Literals.

ScriptValue FunctionCompiler::number(const Expr& e) {
  std::string_view text = e.text;
  if (text.ends_with('j') || text.ends_with('J')) {
    double d = 0;
    std::from_chars(text.data(), text.data() + text.size() - 1, d);
    return literal(Args(std::complex<double>(0, d)));
  }
  const bool prefixed =
      text.size() > 1 && text[0] == '0' && std::isalpha(static_cast<unsigned char>(text[1])) && text[1] != 'e' && text[1] != 'E';
  if (prefixed || text.find_first_of(".eE") == std::string_view::npos) {
    int base = 10;
    if (prefixed) base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'o' || text[1] == 'O' ? 8 : 2, text.remove_prefix(2);
    int64_t i = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), i, base);
    if (error != std::errc() || end != text.data() + text.size())
      wrong(e.range, "this int has more than 64 bits, in which a graph computes");
    return literal(Args(i));
  }
  double d = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  // What is too large or small is inf or 0, as in Python.
  if (error == std::errc::result_out_of_range) d = std::strtod(std::string(text).c_str(), nullptr);
  return literal(Args(d));
}

ScriptValue FunctionCompiler::list_display(const Expr& e, Type expected) {
  if (expected.is(TypeKind::Optional)) expected = expected.element();
  ScriptValue list;
  list.kind = ScriptValue::Kind::List;
  Type element, wanted = expected.is(TypeKind::List) ? expected.element() : Type();
  for (size_t k = 0; k < e.parts.size(); ++k) {
    const Expr* part = e.parts[k];
    if (part->kind == SyntaxKind::Starred) {
      const ScriptValue items = expression(*part->parts[0]);
      if (!known_length(items)) return joined_list(e.parts, k, list.parts, items, wanted);
      for (const ScriptValue& item : items_of(part->range, items)) list.parts.push_back(item);
    } else {
      list.parts.push_back(expression(*part, wanted));
    }
  }
  for (ScriptValue& part : list.parts) {
    if (part.kind == ScriptValue::Kind::List) part = made_list(e.range, part);
    const Type type = widened(type_of(part));
    if (!type) arg_of(e.range, part);  // raises
    element = element ? join(element, type) : type;
  }
  if (wanted && !list.parts.empty() && is_subtype(element, wanted)) element = wanted;
  if (list.parts.empty()) element = wanted ? wanted : Type(TypeKind::Tensor);
  if (element.is(TypeKind::Union) && element != wanted)
    wrong(e.range, concat("the items of a list must have one type, but these have ", spelled(element), "; write a tuple"));
  list.type = Type::list(element);
  return list;
}

// [a, *values, b], where `star` is the place of the first list whose length is not known, `before` what stands in front of it, and `items` that list.
ScriptValue FunctionCompiler::joined_list(std::span<Expr* const> parts, size_t star, std::vector<ScriptValue> before, ScriptValue items,
                                          Type wanted) {
  const TextRange& at = parts[star]->range;
  const Type whole = type_of(items);
  if (!whole.is(TypeKind::List)) unsupported(at, concat("'*' of a value of type ", spelled(whole)));
  if (wanted && wanted != whole.element())
    wrong(at, concat("a list of ", spelled(whole.element()), " cannot stand in one of ", spelled(wanted)));
  std::optional<ScriptValue> all;
  const auto add = [&](const ScriptValue& v) { all = all ? emit(at, "aten::add", {*all, v}) : v; };
  const auto add_written = [&] {
    if (before.empty()) return;
    ScriptValue list;
    list.kind = ScriptValue::Kind::List, list.type = whole, list.parts = std::move(before);
    for (ScriptValue& part : list.parts) part = converted(at, part, whole.element(), "an item beside a starred list");
    add(made_list(at, list));
    before.clear();
  };
  for (size_t k = star; k < parts.size(); ++k) {
    const Expr& part = *parts[k];
    if (part.kind != SyntaxKind::Starred) {
      before.push_back(expression(part, whole.element()));
      continue;
    }
    if (k > star) items = expression(*part.parts[0]);
    if (known_length(items)) {
      for (const ScriptValue& item : items_of(part.range, items)) before.push_back(item);
      continue;
    }
    if (type_of(items) != whole) wrong(part.range, concat("a ", spelled(type_of(items)), " cannot stand beside a ", spelled(whole)));
    add_written();
    add(items);
  }
  add_written();
  return parts.size() == 1 ? emit(at, "aten::list", {*all}) : *all;  // a list of its own
}

ScriptValue FunctionCompiler::tuple_display(const Expr& e, Type expected) {
  if (expected.is(TypeKind::Optional)) expected = expected.element();
  ScriptValue tuple;
  tuple.kind = ScriptValue::Kind::Tuple;
  for (size_t place = 0; place < e.parts.size(); ++place) {
    const Expr* part = e.parts[place];
    if (part->kind == SyntaxKind::Starred) {
      const ScriptValue items = expression(*part->parts[0]);
      if (!known_length(items)) {  // sizes, which are a list: (*x.shape[:-1], -1)
        if (!type_of(items).is(TypeKind::List) || !type_of(items).element().is(TypeKind::Int))
          unsupported(part->range, "a starred list of unknown length in a tuple");
        return joined_list(e.parts, place, tuple.parts, items, TypeKind::Int);
      }
      for (const ScriptValue& item : items_of(part->range, items)) tuple.parts.push_back(item);
      continue;
    }
    const size_t k = tuple.parts.size();
    tuple.parts.push_back(
        expression(*part, expected.is(TypeKind::Tuple) && k < expected.elements().size() ? expected.elements()[k] : Type()));
  }
  return tuple;
}

ScriptValue FunctionCompiler::dict_display(const Expr& e, Type expected) {
  if (expected.is(TypeKind::Optional)) expected = expected.element();
  const bool wanted = expected.is(TypeKind::Dict);
  Args args;
  Type key, item;
  for (size_t k = 0; k + 1 < e.parts.size(); k += 2) {
    if (!e.parts[k]) return merged_dict(e, expected);
    ScriptValue v = plain(*e.parts[k], wanted ? expected.elements()[0] : Type());
    key = key ? join(key, widened(v.type)) : widened(v.type);
    args.add(v.arg[0]);
    v = plain(*e.parts[k + 1], wanted ? expected.elements()[1] : Type());
    item = item ? join(item, widened(v.type)) : widened(v.type);
    args.add(v.arg[0]);
  }
  if (wanted && (!key || (is_subtype(key, expected.elements()[0]) && is_subtype(item, expected.elements()[1]))))
    key = expected.elements()[0], item = expected.elements()[1];
  if (!key) key = TypeKind::Str, item = TypeKind::Tensor;
  if (key.is(TypeKind::Union) || item.is(TypeKind::Union)) wrong(e.range, "the keys of a dict have one type, and its values have one type");
  if (!may_be_key(key))
    wrong(e.range, concat("the keys of a dict are str, int, float, complex, bool or Tensor, but these have type ", spelled(key)));
  locate(e.range);
  Node* n = graph_.call("prim::DictConstruct", args);
  graph_.set_type(n, Type::dict(key, item));
  return node_value(n);
}

void FunctionCompiler::hide_targets(const Expr& target) {
  if (target.kind == SyntaxKind::Name) frame_->variables.erase(target.text);
  if (target.kind == SyntaxKind::Tuple || target.kind == SyntaxKind::List)
    for (const Expr* part : target.parts) hide_targets(*part);
}

// --- Operators.

namespace {

bool is_number(Type t) { return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool) || t.is(TypeKind::Number); }

// Of two bools these give an int or a float, and the others a bool.
const std::set<std::string_view> kOfInts{"+", "-", "*", "/", "//", "%", "**", "<<", ">>"};

// What Python calls the operator of this symbol.
std::string target_of(std::string_view symbol, bool unary, bool inplace) {
  for (const ir::PythonOperator& o : ir::kPythonOperators) {
    if (o.symbol != symbol || (o.form == ir::OperatorForm::Unary) != unary) continue;
    return inplace ? concat("operator.i", o.stem()) : concat("operator.", o.name);
  }
  return {};
}

}  // namespace

ScriptValue FunctionCompiler::unary(const Expr& e) {
  if (e.text == "not") return bool_value(condition(e));
  ScriptValue v = expression(*e.parts[0]);
  if (v.kind == ScriptValue::Kind::Plain && e.text == "-") {
    if (v.arg[0].is(ArgKind::Int)) return literal(Args(static_cast<int64_t>(-static_cast<uint64_t>(v.arg[0].as_int()))));
    if (v.arg[0].is(ArgKind::Float)) return literal(Args(-v.arg[0].as_float()));
    if (v.arg[0].is(ArgKind::Complex)) return literal(Args(-v.arg[0].as_complex()));
  }
  for (const auto& [symbol, method] : {std::pair("-", "__neg__"), std::pair("+", "__pos__"), std::pair("~", "__invert__")})
    if (e.text == symbol)
      if (std::optional<ScriptValue> result = special_method(e.range, method, {v})) return *result;
  if (v.type.is(TypeKind::Bool)) v = emit(e.range, "aten::Int", {v});
  if (e.text == "~" && v.type.is(TypeKind::Int))  // TorchScript has no operator for it
    return operation(e.range, "-", false, operation(e.range, "-", false, literal(Args(0)), v), literal(Args(1)));
  if (e.text == "+" && (v.type.is(TypeKind::Int) || v.type.is(TypeKind::Float))) return v;
  return emit(e.range, target_of(e.text, true, false), {v});
}

ScriptValue FunctionCompiler::binary(const Expr& e) {
  // a + b + c + ...: the operations in their order, without a level for each.
  std::vector<const Expr*> sums{&e};
  while (sums.back()->parts[0]->kind == SyntaxKind::Binary) sums.push_back(sums.back()->parts[0]);
  ScriptValue value = expression(*sums.back()->parts[0]);
  for (size_t k = sums.size(); k-- > 0;) value = operation(sums[k]->range, sums[k]->text, false, value, expression(*sums[k]->parts[1]));
  return value;
}

// 1 + 2j is one number, as Python and PyTorch's archives write it.
std::optional<ScriptValue> FunctionCompiler::complex_literal(std::string_view symbol, const ScriptValue& a, const ScriptValue& b) {
  if ((symbol != "+" && symbol != "-") || a.kind != ScriptValue::Kind::Plain || b.kind != ScriptValue::Kind::Plain) return {};
  const auto number = [](ArgRef v) -> std::optional<std::complex<double>> {
    if (v.is(ArgKind::Complex)) return v.as_complex();
    if (v.is(ArgKind::Float)) return v.as_float();
    if (v.is(ArgKind::Int)) return static_cast<double>(v.as_int());
    return {};
  };
  if (!b.arg[0].is(ArgKind::Complex) && !a.arg[0].is(ArgKind::Complex)) return {};
  const auto x = number(a.arg[0]), y = number(b.arg[0]);
  if (!x || !y) return {};
  return literal(Args(symbol == "+" ? *x + *y : *x - *y));
}

ScriptValue FunctionCompiler::operation(const TextRange& at, std::string_view symbol, bool inplace, const ScriptValue& a,
                                        const ScriptValue& b) {
  const auto is_tuple = [&](const ScriptValue& v) { return v.kind == ScriptValue::Kind::Tuple || type_of(v).is(TypeKind::Tuple); };
  if (symbol == "+" && is_tuple(a) && is_tuple(b)) {
    ScriptValue both;
    both.kind = ScriptValue::Kind::Tuple, both.parts = items_of(at, a);
    for (const ScriptValue& item : items_of(at, b)) both.parts.push_back(item);
    return both;
  }
  // (1,) + x.shape[1:]: sizes are a list, which a tuple beside it becomes, too.
  if (symbol == "+" && is_tuple(a) != is_tuple(b))
    if (const Type list = type_of(is_tuple(a) ? b : a); list.is(TypeKind::List)) {
      const auto as_list = [&](const ScriptValue& v) {
        return is_tuple(v) ? converted(at, v, list, "a tuple that is added to a list") : v;
      };
      return operation(at, symbol, inplace, as_list(a), as_list(b));
    }
  if (symbol == "%" && type_of(a).is(TypeKind::Str)) return percent_format(at, a, b);
  if (std::optional<ScriptValue> v = object_operation(at, symbol, inplace, a, b)) return *v;
  if (std::optional<ScriptValue> v = complex_literal(symbol, a, b)) return *v;
  const std::string target = target_of(symbol, false, inplace);
  if (target.empty()) wrong(at, concat("the operator '", symbol, "' is unknown"));
  if (type_of(a).is(TypeKind::Optional) || type_of(b).is(TypeKind::Optional)) {
    const ScriptValue left = present(at, a), right = present(at, b);
    if (left.type != a.type || right.type != b.type) return operation(at, symbol, inplace, left, right);
  }
  for (const ScriptValue* v : {&a, &b})
    if (v->is_none() || type_of(*v).is(TypeKind::Optional))
      wrong(at, concat("'", symbol, "' takes no value of type ", spelled(type_of(*v)), v->is_none() ? "" : "; check `is not None` first"));
  // A bool computes as an int.
  const auto is_bool = [&](const ScriptValue& v) { return type_of(v).is(TypeKind::Bool); };
  if (const bool x = is_bool(a), y = is_bool(b); x != y ? is_number(type_of(x ? b : a)) : x && kOfInts.contains(symbol)) {
    const auto as_int = [&](const ScriptValue& v, bool is) {
      if (!is) return v;
      return v.arg[0].is(ArgKind::Bool) ? literal(Args(int64_t{v.arg[0].as_bool()})) : emit(at, "aten::Int", {v});
    };
    return operation(at, symbol, inplace, as_int(a, x), as_int(b, y));
  }
  // A power of ints is an int, as in Python, and raises where it would be none. With a negative exponent in the text it is a float.
  if (symbol == "**" && type_of(a).is(TypeKind::Int) && b.arg.size() == 1 && b.arg[0].is(ArgKind::Int) && b.arg[0].as_int() < 0 &&
      !host_.serialized()) {
    if (!host_.keeps_calls())
      return operation(at, symbol, inplace,
                       a.arg[0].is(ArgKind::Int) ? literal(Args(static_cast<double>(a.arg[0].as_int()))) : emit(at, "aten::Float", {a}), b);
    ScriptValue power = emit(at, target, {a, b});
    graph_.set_type(node_of(at, power), power.type = TypeKind::Float);
    return power;
  }
  // A complex number and another one: both are complex.
  if (const Type x = type_of(a), y = type_of(b);
      x != y && (is_number(x) || is_number(y)) && (x.is(TypeKind::Complex) || y.is(TypeKind::Complex)))
    return x.is(TypeKind::Complex) ? operation(at, symbol, inplace, a, emit(at, "aten::Complex", {b}))
                                   : operation(at, symbol, inplace, emit(at, "aten::Complex", {a}), b);
  constexpr std::string_view kOfAnyNumber[] = {"+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">="};
  for (const ScriptValue* v : {&a, &b})
    if (const Type other = type_of(v == &a ? b : a);
        type_of(*v).is(TypeKind::Number) && !other.is(TypeKind::Tensor) && (!is_number(other) || !std::ranges::count(kOfAnyNumber, symbol)))
      wrong(at,
            "item() gives an int or a float, and the script must know which one before it runs; write int(...) or float(...) around it");
  // What a list is made of must be a list of its own.
  const bool lists = type_of(a).is(TypeKind::List) || type_of(b).is(TypeKind::List);
  // As in Python: with two roundings.
  if (symbol == "/" && is_number(type_of(a)) && type_of(b).is(TypeKind::Tensor))
    return emit(at, "aten::mul", {emit(at, "aten::reciprocal", {b}), a});
  // The operator takes the tensor first: k * x is x * k.
  const bool number_first =
      a.kind == ScriptValue::Kind::Plain && a.arg[0].node() && !type_of(a).is(TypeKind::Tensor) && type_of(b).is(TypeKind::Tensor);
  if (number_first && (symbol == "+" || symbol == "*")) return emit(at, target, {b, a});
  if (number_first) {
    ScriptValue result = emit(at, target, {a, b});
    if (!result.type.is(TypeKind::Tensor)) graph_.set_type(node_of(at, result), result.type = TypeKind::Tensor);
    return result;
  }
  if (!lists) return emit(at, target, {a, b});
  ScriptValue left = a, right = b;
  if (left.kind == ScriptValue::Kind::List && left.parts.empty()) left = converted(at, left, type_of(b), "this list");
  if (right.kind == ScriptValue::Kind::List && type_of(a).is(TypeKind::List)) right = converted(at, right, type_of(a), "this list");
  return emit(at, target, Args(arg_of(at, left)[0], arg_of(at, right)[0]));
}

ScriptValue FunctionCompiler::conditional(const Expr& e, Type expected) {
  const ScriptCondition c = condition(*e.parts[1]);
  if (c.known) {
    refine(*c.known ? c.if_true : c.if_false);
    return expression(*e.parts[*c.known ? 0 : 2], expected);
  }
  if (const std::optional<bool> holds = lenient_ ? chosen_by_default(condition_node(c)) : std::nullopt)
    if (const std::optional<ScriptValue> one = compiled_arm(e, c, *holds)) return *one;
  const Slot slot = regions_.slot("value");
  const auto refined = frame_->refined;
  Type types[2];
  auto arm = [&](size_t k) {
    const Expr& part = *e.parts[k == 0 ? 0 : 2];
    ScriptValue v = expression(part, expected);
    if (v.kind == ScriptValue::Kind::List && expected.is(TypeKind::List)) v = converted(part.range, v, expected, "this list");
    const Args arg = arg_of(part.range, v);
    types[k] = widened(v.kind == ScriptValue::Kind::Plain ? v.type : ir::type_of(arg[0]));
    regions_.set(slot, arg);
    frame_->refined = refined;
  };
  regions_.begin_if(condition_node(c));
  refine(c.if_true);
  arm(0);
  regions_.begin_else();
  refine(c.if_false);
  arm(1);
  if (types[0] && types[1] && join(types[0], types[1]).is(TypeKind::Union))
    wrong(e.range,
          concat("both sides of a conditional expression have one type, but these have ", spelled(types[0]), " and ", spelled(types[1])));
  regions_.end_if();
  ScriptVariable v;
  v.slot = slot;
  v.type = types[0] && types[1] ? join(types[0], types[1]) : Type();
  return load(e, v);
}

// --- f-strings.

ScriptValue FunctionCompiler::format_string(const Expr& e) {
  const auto fits = [](const Expr* part) {  // no format behind a field, and no brace in a text
    return part->kind == SyntaxKind::String ? part->text.find_first_of("{}") == std::string::npos : part->text.empty();
  };
  if (host_.keeps_calls() && std::ranges::all_of(e.parts, fits)) {
    std::string pattern;
    std::vector<ScriptValue> values;
    for (const Expr* part : e.parts) {
      const bool field = part->kind == SyntaxKind::Formatted;
      pattern += field ? "{}" : part->text;
      if (field) values.push_back(expression(*part->parts[0]));
    }
    return kept_format(e.range, pattern, values);
  }
  ScriptValue text;
  bool any = false;
  for (const Expr* part : e.parts) {
    ScriptValue one = part->kind == SyntaxKind::String ? literal(Args(part->text)) : ScriptValue();
    if (part->kind == SyntaxKind::Formatted) {
      one = formatted(part->range, expression(*part->parts[0]), part->text);
    }
    text = any ? emit(e.range, "operator.add", {text, one}) : one;
    any = true;
  }
  return any ? text : literal(Args(""));
}

}  // namespace monograph::capture::script
