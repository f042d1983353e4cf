// Classes of the user's: objects with attributes and methods, NamedTuples and Enums.
//
// An object is a value of the graph: prim::CreateObject makes one, prim::GetAttr and prim::SetAttr read and write it, and every name of it means the same
// one. Its methods are compiled in place, as functions are. The attributes of a class and their types are those that __init__ assigns: it is compiled
// once for that, into a graph that nobody sees. A NamedTuple is a tuple whose type knows the names of its parts.
#include <algorithm>
#include <set>
#include <utility>

#include "capture/script/function_compiler.h"
#include "capture/script/parser.h"
#include "ir/operators.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

const Type* ScriptClass::find(const std::string& attribute) const {
  auto found = std::ranges::find(attributes, attribute, &std::pair<std::string, Type>::first);
  return found == attributes.end() ? nullptr : &found->second;
}

const FunctionSyntax* ScriptClass::method(std::string_view name, std::string_view decorator) const {
  const FunctionSyntax* found = nullptr;
  if (host.syntax)
    for (const FunctionSyntax* f : host.syntax->methods) {
      const bool setter =
          std::ranges::any_of(f->decorators, [](const Expr* d) { return d->kind == SyntaxKind::Attribute && d->text == "setter"; });
      if (f->name == name && setter == (decorator == "setter")) found = f;
    }
  return found;
}

const Stmt* ScriptClass::field(std::string_view name) const {
  if (host.syntax)
    for (const Stmt* s : host.syntax->fields)
      for (const Expr* target : s->values)
        if (target->kind == SyntaxKind::Name && target->text == name) return s;
  return nullptr;
}

namespace {

bool decorated(const FunctionSyntax& f, std::string_view name) {
  return std::ranges::any_of(
      f.decorators, [&](const Expr* d) { return (d->kind == SyntaxKind::Name || d->kind == SyntaxKind::Attribute) && d->text == name; });
}

// Whether @dataclass(order=True) says so.
bool dataclass_option(const ScriptClass& c, std::string_view option, bool otherwise) {
  if (!c.host.syntax) return otherwise;
  for (const Expr* d : c.host.syntax->decorators) {
    if (d->kind != SyntaxKind::Call || d->parts[0]->text != "dataclass") continue;
    const size_t positional = d->parts.size() - 1 - d->names.size();
    for (size_t k = 0; k < d->names.size(); ++k)
      if (d->names[k] == option) return d->parts[1 + positional + k]->kind == SyntaxKind::True;
  }
  return otherwise;
}

// A call at this place, for what asks for an expression.
Expr call_at(const TextRange& at) { return Expr{SyntaxKind::Call, at, {}, {}, {}, 1}; }

}  // namespace

// --- What a class is.

ScriptValue FunctionCompiler::typed_call(const TextRange& at, std::string_view target, const Args& args, Type type) {
  locate(at);
  Node* n = graph_.call(target, args);
  graph_.set_target(n, graph_.resolved(target, target));
  graph_.set_type(n, type);
  return node_value(n);
}

template <class F>
auto FunctionCompiler::in_class(const ScriptClass& c, const F& f) {
  FunctionFrame frame;
  frame.function = method_function(c, nullptr), frame.name = c.short_name();
  FunctionFrame* caller = std::exchange(frame_, &frame);
  try {
    auto result = f();
    frame_ = caller;
    return result;
  } catch (...) {
    frame_ = caller;
    throw;
  }
}

HostFunction FunctionCompiler::method_function(const ScriptClass& c, const FunctionSyntax* f) const {
  return {c.host.source, c.host.tree, f, c.host.scope};
}

ScriptClass& FunctionCompiler::class_of(const TextRange& at, int64_t id) { return register_class(at, host_.class_info(id)); }

ScriptClass& FunctionCompiler::class_of(const TextRange& at, Type type) {
  if (auto found = host_.classes.find(type.name()); found != host_.classes.end()) return *found->second;
  const int64_t id = host_.find_class(type.name());
  if (id < 0) wrong(at, concat("the class ", spelled(type), " is not known here"));
  return class_of(at, id);
}

ScriptClass& FunctionCompiler::register_class(const TextRange& at, const HostClass& info) {
  auto& known = host_.classes[info.name];
  if (known) {
    if (!known->type) wrong(at, concat("the class ", known->short_name(), " holds itself, which is not supported in a script"));
    return *known;
  }
  known = std::make_shared<ScriptClass>();
  ScriptClass& c = *known;
  c.host = info;
  switch (info.kind) {
    case HostClass::Kind::Object: c.type = Type::named(TypeKind::Class, info.name); break;
    case HostClass::Kind::Enum: c.type = Type::named(TypeKind::Enum, info.name), c.defined = true; break;
    case HostClass::Kind::NamedTuple: {
      c.defined = true;
      if (info.type) {
        c.type = info.type;
        break;
      }
      std::vector<Type> types;
      std::vector<std::string> names;
      in_class(c, [&] {
        for (const Stmt* s : info.syntax->fields) {
          if (!s->type) wrong(s->range, "a field of a NamedTuple has a type");
          names.push_back(s->values[0]->text), types.push_back(annotation(*s->type));
        }
        return 0;
      });
      c.type = Type::named_tuple(info.name, types, names);
    }
  }
  return c;
}

// The attributes of a class and their types.
void FunctionCompiler::define(const TextRange& at, ScriptClass& c) {
  if (c.defined) return;
  if (c.defining)
    wrong(at, concat("__init__ of ", c.short_name(), " makes or uses another ", c.short_name(), ", whose attributes are not known yet"));
  c.defining = true;
  try {
    define_attributes(at, c);
    c.defining = false, c.defined = true;
    check_recursion(at, c);
  } catch (const Error& e) {
    c.defining = c.defined = false;
    c.attributes.clear();
    throw SourceError(e, concat("the class '", c.short_name(), "' is compiled because it is used here:\n", source().highlight(at)));
  }
}

void FunctionCompiler::define_attributes(const TextRange& at, ScriptClass& c) {
  if (!c.host.syntax) wrong(at, concat("the source text of the class ", c.short_name(), " is not to be had"));
  for (const Expr* base : c.host.syntax->bases)
    if (base->kind != SyntaxKind::Name || (base->text != "object" && base->text != "ABC"))
      in_class(c, [&]() -> int { unsupported(base->range, concat("the class ", c.short_name(), " with a base class")); });
  in_class(c, [&] {
    for (const Stmt* s : c.host.syntax->fields)
      if (s->type && s->values[0]->kind == SyntaxKind::Name) c.attributes.emplace_back(s->values[0]->text, annotation(*s->type));
    return 0;
  });
  const FunctionSyntax* init = c.method("__init__");
  if (!init || host_.serialized()) return;  // an archive says all attributes
  ir::Graph scratch("__init__");
  FunctionCompiler(host_, scratch).compile_method(c, *init);
}

// A class whose objects hold objects of the same class, or of one that holds them, has no end.
void FunctionCompiler::check_recursion(const TextRange& at, const ScriptClass& c) {
  std::set<Type, bool (*)(Type, Type)> seen([](Type a, Type b) { return to_string(a) < to_string(b); });
  std::vector<Type> open;
  for (const auto& [name, type] : c.attributes) open.push_back(type);
  while (!open.empty()) {
    const Type type = open.back();
    open.pop_back();
    if (type == c.type) unsupported(at, concat("a class that holds itself, as ", c.short_name(), " does,"));
    if (!seen.insert(type).second) continue;
    for (Type part : type.elements()) open.push_back(part);
    if (!type.is(TypeKind::Class)) continue;
    ScriptClass& inner = class_of(at, type);
    if (!inner.defining) define(at, inner);
    for (const auto& [name, held] : inner.attributes) open.push_back(held);
  }
}

// The body of a method by itself: its parameters are those of the graph, and self is a new object.
void FunctionCompiler::compile_method(const ScriptClass& c, const FunctionSyntax& f) {
  FunctionFrame frame;
  frame.function = method_function(c, &f), frame.name = frame.shown = concat(c.short_name(), ".", f.name);
  frame_ = &frame;
  auto add = [&](const Parameter& p, Type type, const Args& value) {
    ScriptVariable v;
    v.type = type, v.range = p.range, v.slot = variable_slot(p.name);
    regions_.declare(v.slot, type);
    regions_.set(v.slot, value);
    frame.variables.emplace(p.name, std::move(v));
  };
  std::vector<std::pair<const Parameter*, Node*>> placeholders;
  for (size_t k = 1; k < f.parameters.size(); ++k) {
    const Parameter& p = f.parameters[k];
    if (p.kind != Parameter::Kind::Plain)
      unsupported(p.range, concat("the parameter '", p.kind == Parameter::Kind::Args ? "*" : "**", p.name, "' of __init__"));
    Type type = p.type ? annotation(*p.type) : Type();
    if (!type) type = p.default_value ? widened(type_of(expression(*p.default_value))) : Type(TypeKind::Tensor);
    placeholders.emplace_back(&p, graph_.placeholder(graph_.root(), p.name, type));
  }
  for (const auto& [p, n] : placeholders) add(*p, n->type(), Args(n));
  if (f.parameters.empty()) wrong(f.range, concat(f.name, "() of a class takes self"));
  add(f.parameters[0], c.type, new_object(f.range, c).arg);
  chain_.push_back({&f, std::nullopt});
  run_body(frame);
}

ScriptValue FunctionCompiler::new_object(const TextRange& at, const ScriptClass& c) {
  return typed_call(at, "prim::CreateObject", Args(c.host.name), c.type);
}

void FunctionCompiler::compile_class(int64_t id) {
  FunctionFrame frame;
  const HostClass info = host_.class_info(id);
  frame.function = {info.source, info.tree, nullptr, info.scope}, frame.name = info.name;
  frame_ = &frame;
  if (!info.source) return void(register_class({}, info));
  const TextRange at = info.syntax->range;
  ScriptClass& c = register_class(at, info);
  define(at, c);
  if (info.kind != HostClass::Kind::Object) return;
  for (const FunctionSyntax* f : info.syntax->methods) {
    if (f->name == "__init__" || decorated(*f, "staticmethod") || decorated(*f, "unused") || decorated(*f, "ignore")) continue;
    ir::Graph scratch(f->name);
    FunctionCompiler(host_, scratch).compile_method(c, *f);
  }
}

void FunctionCompiler::define_classes() {
  for (bool again = true; again;) {
    again = false;
    const auto known = host_.classes;
    for (const auto& [name, c] : known)
      if (!c->defined && !c->defining) {
        FunctionFrame frame;
        frame.function = method_function(*c, nullptr), frame.name = c->short_name();
        frame_ = &frame;
        define(c->host.syntax ? c->host.syntax->range : TextRange{}, *c), again = true;
      }
  }
}

std::vector<CompiledClass> compiled_classes(Host& host) {
  std::vector<CompiledClass> classes;
  for (const auto& [name, c] : host.classes) classes.push_back({name, c->type, c->attributes});
  return classes;
}

void compile_class(Host& host, int64_t id) {
  ir::Graph graph("class");
  FunctionCompiler compiler(host, graph);
  compiler.compile_class(id);
  compiler.define_classes();
}

void add_classes(ir::Unit& unit, Host& host) {
  for (const auto& [name, c] : host.classes) {
    if (c->host.kind != HostClass::Kind::Object || unit.find_class(name)) continue;
    ir::Class* made = unit.add_class(name);
    for (const auto& [attribute, type] : c->attributes) {
      ir::Attribute a;
      a.name = attribute, a.type = type;
      made->attributes.push_back(std::move(a));
    }
  }
}

// --- Making values of a class.

// The default of a field: of a NamedTuple's or of a dataclass's.
std::optional<ScriptValue> FunctionCompiler::field_default(const ScriptClass& c, const std::string& name, Type type) {
  for (const auto& [known, value] : c.host.values)
    if (known == name) {
      const Expr place = call_at({});
      return from_host(place, value);
    }
  const Stmt* s = c.field(name);
  if (!s || !s->value) return {};
  const Expr* value = s->value;
  const bool described = value->kind == SyntaxKind::Call && value->parts[0]->text == "field";
  if (described) {
    const Expr* chosen = nullptr;
    bool factory = false;
    for (size_t k = 0; k < value->names.size(); ++k) {
      const std::string& word = value->names[k];
      if (word == "default") chosen = value->parts[1 + k];
      if (word == "default_factory") chosen = value->parts[1 + k], factory = true;
    }
    if (!chosen) return {};
    value = chosen;
    if (factory && chosen->kind == SyntaxKind::Lambda) {
      value = chosen->parts[0];
    } else if (factory) {
      return in_class(c, [&] {
        const Expr place = call_at(chosen->range);
        return std::optional(call_value(place, expression(*chosen), {}, type));
      });
    }
  }
  return in_class(c, [&] { return std::optional(expression(*value, type)); });
}

std::vector<ScriptValue> FunctionCompiler::bind_fields(const Expr& e, const ScriptClass& c,
                                                       std::span<const std::pair<std::string, Type>> fields, const Given& given) {
  const std::string name = c.short_name();
  if (given.positional.size() > fields.size())
    wrong(e.range, concat(name, "() takes ", fields.size(), " arguments, but ", given.positional.size(), " were given"));
  for (const auto& [keyword, value] : given.named)
    if (std::ranges::none_of(fields, [&](const auto& field) { return field.first == keyword; }))
      wrong(e.range, concat(name, "() got an unexpected keyword argument '", keyword, "'"));
  std::vector<ScriptValue> values;
  for (size_t k = 0; k < fields.size(); ++k) {
    const auto& [field, type] = fields[k];
    std::optional<ScriptValue> value;
    if (k < given.positional.size()) value = given.positional[k];
    for (const auto& [keyword, v] : given.named) {
      if (keyword != field) continue;
      if (value) wrong(e.range, concat(name, "() got multiple values for argument '", field, "'"));
      value = v;
    }
    if (!value) value = field_default(c, field, type);
    if (!value) wrong(e.range, concat(name, "() is missing the argument '", field, "'"));
    values.push_back(converted(e.range, *value, type, concat("the field '", field, "' of ", name)));
  }
  return values;
}

ScriptValue FunctionCompiler::construct_tuple(const Expr& e, const ScriptClass& c, const Given& given) {
  std::vector<std::pair<std::string, Type>> fields;
  for (size_t k = 0; k < c.type.elements().size(); ++k) fields.emplace_back(c.type.fields()[k], c.type.elements()[k]);
  Args args;
  for (const ScriptValue& v : bind_fields(e, c, fields, given)) args.add(arg_of(e.range, v)[0]);
  locate(e.range);
  Node* n = graph_.call("prim::TupleConstruct", args);
  graph_.set_type(n, c.type);
  return node_value(n);
}

ScriptValue FunctionCompiler::construct(const Expr& e, ScriptClass& c, Given given) {
  if (c.host.kind == HostClass::Kind::NamedTuple) return construct_tuple(e, c, given);
  if (c.host.kind == HostClass::Kind::Enum)
    wrong(e.range,
          concat("a call of the Enum ", c.short_name(), " is not supported in a script; name the member, as ", c.short_name(), ".NAME"));
  define(e.range, c);
  ScriptValue self = new_object(e.range, c);
  if (const FunctionSyntax* init = c.method("__init__")) {
    call_bound(e.range, c, *init, &self, std::move(given));
    return self;
  }
  if (!c.host.dataclass) {
    if (!given.positional.empty() || !given.named.empty()) wrong(e.range, concat(c.short_name(), "() takes no arguments"));
    return self;
  }
  std::vector<std::pair<std::string, Type>> fields;
  for (const Stmt* s : c.host.syntax->fields)
    if (s->type) fields.emplace_back(s->values[0]->text, *c.find(s->values[0]->text));
  const std::vector<ScriptValue> values = bind_fields(e, c, fields, given);
  for (size_t k = 0; k < fields.size(); ++k) write_attribute(e.range, self, fields[k].first, values[k]);
  if (const FunctionSyntax* post = c.method("__post_init__")) call_bound(e.range, c, *post, &self, {});
  return self;
}

// --- Enums.

std::vector<ScriptValue> FunctionCompiler::enum_members(const TextRange& at, const ScriptClass& c) {
  std::vector<ScriptValue> members;
  if (!c.host.syntax || !c.host.values.empty()) {
    for (const auto& [name, value] : c.host.values) members.push_back(enum_member(at, c, name));
    return members;
  }
  for (const Stmt* s : c.host.syntax->fields)
    if (s->value) members.push_back(enum_member(at, c, s->values[0]->text));
  return members;
}

ScriptValue FunctionCompiler::enum_member(const TextRange& at, const ScriptClass& c, const std::string& name) {
  std::optional<ScriptValue> value;
  for (const auto& [known, member] : c.host.values)
    if (known == name) value = from_host(call_at(at), member);
  if (const Stmt* s = c.field(name); !value && s && s->value) value = in_class(c, [&] { return expression(*s->value); });
  if (!value) wrong(at, concat("the Enum ", c.short_name(), " has no member '", name, "'"));
  return typed_call(at, "prim::EnumMember", Args(c.host.name, name, arg_of(at, *value)[0]), c.type);
}

ScriptValue FunctionCompiler::enum_attribute(const Expr& e, const ScriptValue& base, const std::string& name) {
  const Node* n = base.arg[0].node();
  const bool known = n && n->target().name() == "prim::EnumMember";
  if (name == "name") return known ? literal(Args(n->arg(1).as_str())) : typed_call(e.range, "prim::EnumName", base.arg, TypeKind::Str);
  if (name != "value") wrong(e.range, concat("a member of an Enum has a name and a value, but no '", name, "' that a script can read"));
  if (known) return literal(Args().add(n->arg(2)));
  Type type;
  for (const ScriptValue& member : enum_members(e.range, class_of(e.range, base.type))) {
    const Type one = widened(ir::type_of(member.arg[0].as_node()->arg(2)));
    type = type ? join(type, one) : one;
  }
  if (!type || type.is(TypeKind::Union)) wrong(e.range, concat("the values of the Enum ", spelled(base.type), " have several types"));
  return typed_call(e.range, "prim::EnumValue", base.arg, type);
}

// --- Attributes.

ScriptValue FunctionCompiler::tuple_field(const Expr& e, const ScriptValue& base, const std::string& name) {
  for (size_t k = 0; k < base.type.fields().size(); ++k)
    if (base.type.fields()[k] == name) return item_of(e.range, base, k);
  if (name == "_replace") {
    ScriptValue method;
    method.kind = ScriptValue::Kind::Method, method.text = name, method.parts = {base};
    return method;
  }
  std::string fields;
  for (const std::string& field : base.type.fields()) fields += (fields.empty() ? "'" : ", '") + field + "'";
  wrong(e.range, concat("the NamedTuple ", spelled(base.type), " has no field '", name, "'; it has ", fields));
}

ScriptValue FunctionCompiler::read_attribute(const TextRange& at, const ScriptValue& object, const std::string& name, Type type) {
  return typed_call(at, "prim::GetAttr", Args(arg_of(at, object)[0], name), type);
}
void FunctionCompiler::write_attribute(const TextRange& at, const ScriptValue& object, const std::string& name, const ScriptValue& value) {
  typed_call(at, "prim::SetAttr", Args(arg_of(at, object)[0], name, arg_of(at, value)[0]), TypeKind::None);
}

ScriptValue FunctionCompiler::object_attribute(const Expr& e, const ScriptValue& base, const std::string& name) {
  ScriptClass& c = class_of(e.range, base.type);
  if (!c.defining) define(e.range, c);
  if (const Type* type = c.find(name)) return read_attribute(e.range, base, name, *type);
  if (const FunctionSyntax* f = c.method(name)) {
    if (decorated(*f, "property")) return call_bound(e.range, c, *f, &base, {});
    ScriptValue method;
    method.kind = ScriptValue::Kind::BoundMethod, method.local = f, method.text = c.host.name;
    if (!decorated(*f, "staticmethod")) method.parts = {base};
    return method;
  }
  return class_attribute(e, c, name);
}

// What the class itself has: members of an Enum, static methods, constants.
ScriptValue FunctionCompiler::class_attribute(const Expr& e, ScriptClass& c, const std::string& name) {
  if (c.host.kind == HostClass::Kind::Enum) return enum_member(e.range, c, name);
  if (const FunctionSyntax* f = c.method(name); f && decorated(*f, "staticmethod")) {
    ScriptValue method;
    method.kind = ScriptValue::Kind::BoundMethod, method.local = f, method.text = c.host.name;
    return method;
  }
  if (const HostValue now = host_.class_constant(c.host.name, name); now.kind == HostValue::Kind::Constant) return from_host(e, now);
  if (const Stmt* s = c.field(name); s && s->value && !s->type) return in_class(c, [&] { return expression(*s->value); });
  std::string known;
  for (const auto& [attribute, type] : c.attributes) known += (known.empty() ? "; it has '" : ", '") + attribute + "'";
  wrong(e.range, concat("the class ", c.short_name(), " has no attribute or method '", name, "'", known));
}

// The type of the attribute that is assigned, where it is known before.
Type FunctionCompiler::attribute_type(const Expr& target) {
  if (target.kind != SyntaxKind::Attribute || target.parts[0]->kind != SyntaxKind::Name) return {};
  const ScriptVariable* v = find_variable(target.parts[0]->text);
  if (v && v->fixed && v->fixed->kind == ScriptValue::Kind::Module) {
    const HostValue known = host_.attribute(v->fixed->id, target.text);
    return known.kind == HostValue::Kind::State ? known.type : Type();
  }
  if (!v || v->fixed || !v->type.is(TypeKind::Class)) return {};
  ScriptClass& c = class_of(target.range, v->type);
  if (!c.defining) define(target.range, c);
  const Type* type = c.find(target.text);
  return type ? *type : Type();
}

void FunctionCompiler::assign_attribute(const Expr& target, const ScriptValue& value, Type annotated) {
  assign_attribute_of(target, expression(*target.parts[0]), value, annotated);
}
void FunctionCompiler::assign_attribute_of(const Expr& target, const ScriptValue& object, const ScriptValue& value, Type annotated) {
  note_assigned_attribute(target, value);
  const ScriptValue base = present(target.parts[0]->range, object);
  if (base.kind == ScriptValue::Kind::Module) return assign_module_attribute(target, base, value);
  if (base.kind == ScriptValue::Kind::Record) return assign_record(target, value);
  if (base.kind == ScriptValue::Kind::Namespace)
    wrong(target.range,
          concat("the attribute '", target.text, "' cannot be assigned: ", base.text.empty() ? "it is of a module of Python" : base.text));
  if (base.kind != ScriptValue::Kind::Plain) wrong(target.range, "an attribute of this cannot be assigned");
  if (base.type.is(TypeKind::NamedTuple))
    wrong(target.range, concat("the fields of the NamedTuple ", spelled(base.type), " cannot be assigned; make another with _replace(",
                               target.text, "=...)"));
  if (base.type.is(TypeKind::Optional))
    wrong(target.range, concat("a value of type ", spelled(base.type), " has no attributes; check `is not None` first"));
  if (!base.type.is(TypeKind::Class))
    unsupported(target.range, concat("the assignment of an attribute of a value of type ", spelled(base.type)));
  ScriptClass& c = class_of(target.range, base.type);
  if (!c.defining) define(target.range, c);
  if (const FunctionSyntax* setter = c.method(target.text, "setter")) {
    Given given;
    given.positional = {value};
    call_bound(target.range, c, *setter, &base, std::move(given));
    return;
  }
  if (c.host.dataclass && dataclass_option(c, "frozen", false))
    wrong(target.range, concat("the dataclass ", c.short_name(), " is frozen, so its field '", target.text, "' cannot be assigned"));
  const Type* known = c.find(target.text);
  Type type = known ? *known : annotated ? annotated : widened(type_of(value));
  if (!known && !c.defining)
    wrong(target.range, concat("the class ", c.short_name(), " has no attribute '", target.text, "'; its __init__ must set it"));
  if (!known) {
    if (!type) arg_of(target.range, value);  // raises
    if (value.kind != ScriptValue::Kind::Plain && value.kind != ScriptValue::Kind::Tuple && value.kind != ScriptValue::Kind::List)
      arg_of(target.range, value);
    c.attributes.emplace_back(target.text, type);
  }
  write_attribute(target.range, base, target.text,
                  converted(target.range, value, type, concat("the attribute '", target.text, "' of ", c.short_name())));
}

// --- Methods.

ScriptValue FunctionCompiler::call_bound(const TextRange& at, const ScriptClass& c, const FunctionSyntax& f, const ScriptValue* self,
                                         Given given) {
  if (decorated(f, "classmethod")) unsupported(at, concat("the class method ", f.name, "()"));
  if (self) given.positional.insert(given.positional.begin(), *self);
  return call_function(call_at(at), method_function(c, &f), nullptr, given);
}

std::optional<ScriptValue> FunctionCompiler::special_method(const TextRange& at, std::string_view name,
                                                            std::initializer_list<ScriptValue> values) {
  const ScriptValue& self = *values.begin();
  if (self.kind != ScriptValue::Kind::Plain || !self.type.is(TypeKind::Class)) return {};
  ScriptClass& c = class_of(at, self.type);
  if (!c.defining) define(at, c);
  const FunctionSyntax* f = c.method(name);
  if (!f) return {};
  Given given;
  given.positional.assign(values.begin() + 1, values.end());
  return call_bound(at, c, *f, &self, std::move(given));
}

std::optional<ScriptValue> FunctionCompiler::object_operation(const TextRange& at, std::string_view symbol, bool inplace,
                                                              const ScriptValue& a, const ScriptValue& b) {
  const bool left = type_of(a).is(TypeKind::Class), right = type_of(b).is(TypeKind::Class);
  if (!left && !right) return {};
  std::string stem;
  for (const ir::PythonOperator& o : ir::kPythonOperators)
    if (o.symbol == symbol && o.form != ir::OperatorForm::Unary) stem = o.stem();
  if (inplace)
    if (auto v = special_method(at, concat("__i", stem, "__"), {a, b})) return v;
  if (left)
    if (auto v = special_method(at, concat("__", stem, "__"), {a, b})) return v;
  if (right)
    if (auto v = special_method(at, concat("__r", stem, "__"), {b, a})) return v;
  wrong(at, concat("the class ", spelled(type_of(left ? a : b)), " has no method __", stem, "__, which '", symbol, "' calls"));
}

// Comparisons that are not those of tensors, numbers, lists and strs.
std::optional<ScriptValue> FunctionCompiler::object_comparison(const TextRange& at, const std::string& op, const ScriptValue& a,
                                                               const ScriptValue& b) {
  const Type x = type_of(a), y = type_of(b);
  if (op == "in" || op == "not in") {
    std::optional<ScriptValue> in = special_method(at, "__contains__", {b, a});
    if (in && op == "not in") in = emit(at, "aten::__not__", {*in});
    return in;
  }
  auto one_of = [](Type t) {
    return t.is(TypeKind::Enum) || t.is(TypeKind::Class) || t.is(TypeKind::DType) || t.is(TypeKind::Device) || t.is(TypeKind::Bool);
  };
  const bool is = op == "is" || op == "is not", objects = x.is(TypeKind::Class) || y.is(TypeKind::Class);
  auto same = [&](bool positive) -> ScriptValue {
    if (!(x == y)) return literal(Args(!positive));
    return emit(at, positive ? "aten::__is__" : "aten::__isnot__", {a, b});
  };
  if (is && one_of(x) && one_of(y)) {
    if (x.is(TypeKind::Bool) && y.is(TypeKind::Bool)) return emit(at, op == "is" ? "operator.eq" : "operator.ne", {a, b});
    return same(op == "is");
  }
  if (is || a.is_none() || b.is_none()) return {};
  if (x.is(TypeKind::Enum) || y.is(TypeKind::Enum)) {
    if (op != "==" && op != "!=") wrong(at, "members of an Enum have no order; compare their values");
    if (!(x == y))  // equal for an IntEnum, and not for an Enum
      wrong(at, concat("'", op, "' compares ", spelled(x), " with ", spelled(y), "; compare the value of the member, as in member.value ",
                       op, " 1"));
    return same(op == "==");
  }
  if (!objects) return {};
  std::string stem;
  for (const ir::PythonOperator& o : ir::kPythonOperators)
    if (o.symbol == op && o.form == ir::OperatorForm::Comparison) stem = o.name;
  if (auto v = special_method(at, concat("__", stem, "__"), {a, b})) return v;
  if (op == "!=")
    if (auto v = object_comparison(at, "==", a, b)) return emit(at, "aten::__not__", {*v});
  // a > b asks b < a where the class of a has no method for it.
  for (const auto& [one, other] : {std::pair("lt", "gt"), std::pair("gt", "lt"), std::pair("le", "ge"), std::pair("ge", "le")})
    if (stem == one)
      if (auto v = special_method(at, concat("__", other, "__"), {b, a})) return v;
  if (op != "==" && op != "!=" && x == y)
    if (const ScriptClass& ordered = class_of(at, x); ordered.host.dataclass && dataclass_option(ordered, "order", false)) {
      std::vector<ScriptValue> fields[2];
      for (const auto& [name, type] : ordered.attributes)
        fields[0].push_back(read_attribute(at, a, name, type)), fields[1].push_back(read_attribute(at, b, name, type));
      return tuple_order(call_at(at), op, fields[0], fields[1]);
    }
  if (op != "==" && op != "!=") wrong(at, concat("the class ", spelled(x), " has no method __", stem, "__, which '", op, "' calls"));
  const ScriptClass& c = class_of(at, x.is(TypeKind::Class) ? x : y);
  if (!c.host.dataclass || !dataclass_option(c, "eq", true) || !(x == y)) return same(op == "==");
  // Of a dataclass: equal where all fields are.
  ScriptValue all = literal(Args(true));
  bool first = true;
  for (const auto& [name, type] : c.attributes) {
    const ScriptValue one = compare(call_at(at), "==", read_attribute(at, a, name, type), read_attribute(at, b, name, type));
    if (!one.type.is(TypeKind::Bool)) unsupported(at, "the comparison of dataclasses that hold tensors");
    all = first ? one : emit(at, "operator.and_", {all, one});
    first = false;
  }
  return all;
}

// Sorts a list of objects by the method __lt__ of their class. As in Python, equal ones stay in their order.
void FunctionCompiler::sort_objects(const Expr& e, const ScriptValue& list, const ScriptValue& reverse) {
  static const auto kSource = std::make_shared<const SourceText>(R"(def sort(values, reverse: bool):
    for i in range(1, len(values)):
        value = values[i]
        place = i
        while place > 0:
            before = values[place - 1]
            if reverse:
                moves = before < value
            else:
                moves = value < before
            if not moves:
                break
            values[place] = before
            place -= 1
        values[place] = value
)",
                                                                 "sort of objects");
  static const std::shared_ptr<const Tree> kTree = parse_functions(*kSource);
  HostFunction f;
  f.source = kSource, f.tree = kTree, f.function = kTree->functions[0], f.scope = frame_->function.scope, f.library = true;
  Given given;
  given.positional = {list, reverse}, given.ranges = {e.range, e.range};
  call_function(e, f, nullptr, given);
}

// The text of what has parts with names, as Python's repr writes it.
std::optional<ScriptValue> FunctionCompiler::object_text(const TextRange& at, const ScriptValue& v) {
  const Type type = type_of(v);
  auto joined = [&](const std::string& name, const std::vector<std::pair<std::string, ScriptValue>>& parts) {
    ScriptValue text = literal(Args(name + "("));
    for (size_t k = 0; k < parts.size(); ++k) {
      text = emit(at, "operator.add", {text, literal(Args(concat(k ? ", " : "", parts[k].first, "=")))});
      const std::optional<ScriptValue> inner = object_text(at, parts[k].second);
      text = emit(at, "operator.add", {text, inner ? *inner : emit(at, "prim::repr", {parts[k].second})});
    }
    return emit(at, "operator.add", {text, literal(Args(")"))});
  };
  std::vector<std::pair<std::string, ScriptValue>> parts;
  if (type.is(TypeKind::NamedTuple)) {
    const std::vector<ScriptValue> items = items_of(at, v);
    for (size_t k = 0; k < items.size(); ++k) parts.emplace_back(type.fields()[k], items[k]);
    return joined(spelled(type), parts);
  }
  if (!type.is(TypeKind::Class)) return {};
  if (auto text = special_method(at, "__str__", {v})) return text;
  if (auto text = special_method(at, "__repr__", {v})) return text;
  const ScriptClass& c = class_of(at, type);
  if (!c.host.dataclass) wrong(at, concat("the class ", c.short_name(), " has no method __str__ or __repr__, which its text needs"));
  for (const auto& [name, held] : c.attributes) parts.emplace_back(name, read_attribute(at, v, name, held));
  return joined(c.short_name(), parts);
}

}  // namespace monograph::capture::script
