// What is known while a function is compiled, and is no value of a graph: objects of Python that are constants, such as the configuration of a model, and
// records, which are the results of models that are dataclasses and dicts at once.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "ops/dispatch.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Type;
using ir::TypeKind;

// --- Objects.

// Whether only the compiler knows the value, and no variable of the graph can hold it.
bool FunctionCompiler::is_known_alone(const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Tuple) return std::ranges::any_of(v.parts, is_known_alone);
  return v.kind != ScriptValue::Kind::Plain && v.kind != ScriptValue::Kind::List;
}

std::optional<ScriptValue> FunctionCompiler::asked(const Expr& e, const ScriptValue& object, const std::string& question,
                                                   const ScriptValue* key) {
  IValue k;
  if (key) {
    if (key->kind != ScriptValue::Kind::Plain) return {};
    const std::optional<IValue> known = scalar_literal(key->arg[0]);
    if (!known)
      wrong(e.range,
            "the key of a dict that is a constant of the script must be known while the function is compiled, because its values have "
            "different types");
    k = *known;
  }
  const HostValue answer = host_.ask(object.id, question, k);
  if (answer.kind == HostValue::Kind::Missing) return {};
  return from_host(e, answer);
}

// A method of a dict that is a constant.
ScriptValue FunctionCompiler::mapping_method(const Expr& e, const ScriptValue& object, const std::string& method, const Given& given) {
  const std::vector<ScriptValue>& args = given.positional;
  if (method == "get" && (args.size() == 1 || args.size() == 2) && given.named.empty()) {
    if (std::optional<ScriptValue> item = asked(e, object, "item", &args[0])) return *item;
    return args.size() == 2 ? args[1] : literal(Args().none());
  }
  if (!args.empty() || !given.named.empty()) wrong(e.range, concat(method, "() does not take these arguments in a script"));
  if (std::optional<ScriptValue> all = asked(e, object, method)) return *all;
  wrong(e.range, concat("'", text_at(e.parts[0]->range).substr(0, 60), "' is no method that a script can call"));
}

// import a.b as c, and from a import b, in a function.
void FunctionCompiler::import_statement(const Stmt& s) {
  for (const auto& [name, given] : s.imports) {
    if (name == "*") unsupported(s.range, "an import of all names");
    const HostValue held =
        host_.imported(frame_->function.scope, s.text, s.text.empty() && given == name.substr(0, name.find('.')) ? given : name);
    if (held.kind == HostValue::Kind::Missing)
      raise_at(source(), s.range, concat("there is no '", name, "'", s.text.empty() ? "" : concat(" in '", s.text, "'"), " to import"),
               ErrorKind::Key);
    Expr target{SyntaxKind::Name, s.range, given, {}, {}, 1};
    assign_name(target, from_host(target, held), {});
  }
}

namespace {

// Whether a handler catches that a name is not there, or a module of an import.
bool catches(const Expr* caught, ErrorKind kind) {
  if (!caught) return true;
  if (caught->kind == SyntaxKind::Tuple) return std::ranges::any_of(caught->parts, [&](const Expr* part) { return catches(part, kind); });
  const std::string& name = caught->text;
  if (name == "Exception" || name == "BaseException") return true;
  return kind == ErrorKind::Attribute ? name == "AttributeError" : name == "ImportError" || (name == "ModuleNotFoundError");
}

}  // namespace

// A try whose body makes no nodes: nothing in it can raise when the script runs, so that no handler does.
Flow FunctionCompiler::try_except(const Stmt& s) {
  const uint32_t before = graph_.id_limit();
  if (!s.orelse.empty()) unsupported(s.range, "try with except");
  Flow flow = Flow::Falls;
  try {
    flow = block(s.body);
  } catch (const Error& e) {
    const bool known = e.kind() == ErrorKind::Attribute || e.kind() == ErrorKind::Key;  // a name or module that is not there
    if (!known || s.handler.empty() || graph_.id_limit() != before || !catches(s.value, e.kind())) throw;
    return block(s.handler);
  }
  if (graph_.id_limit() != before) unsupported(s.range, "try with except");
  return flow;
}

// --- What branches choose among values that the compiler alone knows.

// The if of this place with all that follows in both of its arms; null where that is not needed: where an arm gives a function another one, what follows
// differs too.
const Stmt* FunctionCompiler::with_rest(const std::vector<Stmt*>& statements, size_t k) {
  constexpr size_t kMost = 8;  // in each other
  const Stmt& s = *statements[k];
  if (s.kind != StmtKind::If || k + 1 >= statements.size() || frame_->rest_arms.size() >= kMost || !frame_->loops.empty()) return nullptr;
  const std::function<bool(const std::vector<Stmt*>&)> chooses = [&](const std::vector<Stmt*>& arm) {
    return std::ranges::any_of(arm, [&](const Stmt* inner) {
      if (inner->kind == StmtKind::If) return chooses(inner->body) || chooses(inner->orelse);
      if (inner->kind != StmtKind::Assign) return false;
      if (inner->values[0]->kind == SyntaxKind::Subscript && names_keywords(*inner->values[0]->parts[0])) return true;
      return std::ranges::any_of(inner->values, [&](const Expr* target) {
        const auto known = target->kind == SyntaxKind::Name ? frame_->variables.find(target->text) : frame_->variables.end();
        if (known == frame_->variables.end() || !known->second.fixed) return false;
        const ScriptValue::Kind kind = known->second.fixed->kind;
        return kind == ScriptValue::Kind::Function || kind == ScriptValue::Kind::Local || kind == ScriptValue::Kind::Bound;
      });
    });
  };
  if (!chooses(s.body) && !chooses(s.orelse)) return nullptr;
  Stmt& whole = made_statements_.emplace_back(s);
  for (std::vector<Stmt*>* arm : {&whole.body, &whole.orelse})
    arm->insert(arm->end(), statements.begin() + static_cast<ptrdiff_t>(k) + 1, statements.end());
  return &whole;
}

namespace {

bool spreads(const Expr* e, const std::string& name) {
  if (!e) return false;
  if (e->kind == SyntaxKind::DoubleStarred && e->parts[0]->kind == SyntaxKind::Name && e->parts[0]->text == name) return true;
  return std::ranges::any_of(e->parts, [&](const Expr* part) { return spreads(part, name); });
}

bool spreads(const std::vector<Stmt*>& statements, const std::string& name) {
  return std::ranges::any_of(statements, [&](const Stmt* s) {
    return spreads(s->value, name) || std::ranges::any_of(s->values, [&](const Expr* e) { return spreads(e, name); }) ||
           spreads(s->body, name) || spreads(s->orelse, name);
  });
}

}  // namespace

// options = {"scale": 2.0}, which a call of this function takes as **options: what it holds is known while the function is compiled, as that of **kwargs is.
bool FunctionCompiler::collects_keywords(const Stmt& s) {
  const Expr &target = *s.values[0], &dict = *s.value;
  if (dict.kind != SyntaxKind::Dict || s.type || !spreads(frame_->function.function->body, target.text)) return false;
  for (size_t k = 0; k < dict.parts.size(); k += 2)
    if (!dict.parts[k] || dict.parts[k]->kind != SyntaxKind::String) return false;
  ScriptValue keywords;
  keywords.kind = ScriptValue::Kind::Keywords, keywords.id = ++records_;
  for (size_t k = 0; k + 1 < dict.parts.size(); k += 2) {
    ScriptValue item = expression(*dict.parts[k + 1]);
    if (item.kind == ScriptValue::Kind::List) item = made_list(dict.range, item);
    const auto known = std::ranges::find(keywords.names, dict.parts[k]->text);
    if (known != keywords.names.end()) {
      keywords.parts[static_cast<size_t>(known - keywords.names.begin())] = std::move(item);
      continue;
    }
    keywords.names.push_back(dict.parts[k]->text), keywords.parts.push_back(std::move(item));
  }
  assign_name(target, std::move(keywords), {});
  return true;
}

// A function that is returned sees the variables of the one in which it stands.
std::shared_ptr<FunctionFrame> FunctionCompiler::kept_frame(const FunctionFrame& frame) {
  auto kept = std::make_shared<FunctionFrame>(frame);
  if (frame.outer && !frame.outer_kept) kept->outer_kept = kept_frame(*frame.outer);
  if (kept->outer_kept) kept->outer = kept->outer_kept.get();
  return kept;
}

namespace {

// What a value is where no input is given that may be left out; nothing where it depends on others.
std::optional<IValue> by_defaults(const ir::ArgRef& a, int depth, size_t& inputs) {
  constexpr int kDeep = 32;
  const ir::Node* n = a.node();
  if (!n) return scalar_literal(a);
  if (depth > kDeep) return {};
  if (n->op() == ir::Op::Placeholder) return ++inputs, n->arg_count() > 0 ? scalar_literal(n->arg(0)) : std::nullopt;
  const ir::Node* owner = n->is_projection() ? n->projected() : n;
  if (owner->is_if()) {
    const std::optional<IValue> holds = by_defaults(owner->arg(0), depth + 1, inputs);
    const size_t k = n->is_projection() ? n->projected_index() : 0;
    const ir::Node* end = holds && holds->is_bool() ? owner->block(holds->to_bool() ? 0 : 1)->output() : nullptr;
    return end && k < end->arg_count() ? by_defaults(end->arg(k), depth + 1, inputs) : std::nullopt;
  }
  if (owner != n || n->arg_count() == 0) return {};
  std::optional<IValue> x = by_defaults(n->arg(0), depth + 1, inputs);
  const std::string& name = n->target().name();
  if (!x || name == "prim::unchecked_cast") return x;
  if (name == "aten::Bool" && (x->is_bool() || x->is_int())) return IValue(x->is_bool() ? x->to_bool() : x->to_int() != 0);
  if (name == "aten::__not__" && x->is_bool()) return IValue(!x->to_bool());
  const std::optional<IValue> y = n->arg_count() == 2 ? by_defaults(n->arg(1), depth + 1, inputs) : std::nullopt;
  if (!y) return {};
  if (name == "aten::__is__" && y->is_none()) return IValue(x->is_none());
  if (name == "aten::__isnot__" && y->is_none()) return IValue(!x->is_none());
  if (!x->is_bool() || !y->is_bool()) return {};
  if (name == "operator.and_") return IValue(x->to_bool() && y->to_bool());
  if (name == "operator.or_") return IValue(x->to_bool() || y->to_bool());
  if (name == "operator.xor" || name == "operator.ne") return IValue(x->to_bool() != y->to_bool());
  if (name == "operator.eq") return IValue(x->to_bool() == y->to_bool());
  return {};
}

}  // namespace

// What a condition is where no input is given that may be left out; nothing where it does not depend on such inputs alone.
std::optional<bool> FunctionCompiler::chosen_by_default(const ir::Node* condition) {
  size_t inputs = 0;
  const std::optional<IValue> holds = by_defaults(Args(const_cast<ir::Node*>(condition))[0], 0, inputs);
  return holds && holds->is_bool() && inputs > 0 ? std::optional(holds->to_bool()) : std::nullopt;
}

// why_not, whose answer is kept: what has compiled once is not tried again, and what has not is not for this module.
std::string FunctionCompiler::why_not_once(const void* place, const ScriptCondition& c, const std::vector<Stmt*>& body) {
  if (tried_->compiled.contains(place)) return "";
  const auto key = std::pair(place, scope_);
  if (const auto known = tried_->refused.find(key); known != tried_->refused.end()) return known->second;
  std::string why = why_not(c, body);
  if (why.empty()) tried_->compiled.insert(place);
  else tried_->refused.emplace(key, why);
  return why;
}

// Of `a if x is not None else b`: the part that is chosen where x is left out, where the other one does not compile. The graph raises where that one is
// chosen.
std::optional<ScriptValue> FunctionCompiler::compiled_arm(const Expr& e, const ScriptCondition& c, bool holds) {
  ScriptCondition chosen = c;
  if (holds) std::swap(chosen.if_true, chosen.if_false);
  Stmt value{};
  Expr* part = e.parts[holds ? 2 : 0];
  value.kind = StmtKind::Expression, value.range = part->range, value.values = {part};
  const std::string why = why_not_once(part, chosen, {&value});
  if (why.empty()) return {};
  regions_.begin_if(condition_node(c));
  if (holds) regions_.begin_else();
  raise_exception(e.range, literal(Args(concat("this branch was not compiled: ", why))), "NotImplementedError");
  regions_.leave(ir::RegionBuilder::Leave::Forever);
  if (!holds) regions_.begin_else();
  regions_.end_if();
  refine(holds ? c.if_true : c.if_false);
  return expression(*e.parts[holds ? 0 : 2]);
}

// --- What may be None.

// x where x may be None: as in Python, None is false.
ScriptCondition FunctionCompiler::optional_truth(const Expr& e, const ScriptValue& v) {
  const Slot slot = regions_.slot("truth");
  regions_.declare(slot, TypeKind::Bool);
  locate(e.range);
  regions_.begin_if(node_of(e.range, emit(e.range, "aten::__isnot__", {v, literal(Args().none())})));
  ir::Node* cast = graph_.call("prim::unchecked_cast", v.arg);
  graph_.set_target(cast, graph_.resolved(cast->target().name(), cast->target().name()));
  graph_.set_type(cast, v.type.element());
  regions_.set(slot, bool_value(truth_of(e, node_value(cast))).arg);
  regions_.begin_else();
  regions_.set(slot, Args(false));
  regions_.end_if();
  ScriptCondition c;
  c.value = regions_.get(slot);
  if (e.kind == SyntaxKind::Name) c.if_true[e.text] = v.type.element();
  return c;
}

namespace {

void add_names(const Expr& e, std::vector<const Expr*>& names) {
  if (e.kind == SyntaxKind::Name) names.push_back(&e);
  for (const Expr* part : e.parts)
    if (part) add_names(*part, names);
}

}  // namespace

namespace {

// Classes that an annotation named, and that no value has.
void forget_classes(Host& host, const std::set<std::string>& known) {
  std::erase_if(host.classes, [&](const auto& entry) { return !known.contains(entry.first); });
}

}  // namespace

// Whether the classes of a type are classes of scripts; where they are not, nothing is left of them.
bool FunctionCompiler::define_or_forget(const TextRange& at, Type type, const std::set<std::string>& known) {
  if (!type) return true;
  if (type.is(TypeKind::Class)) {
    ScriptClass& c = class_of(at, type);
    if (c.defining || c.defined || known.contains(c.host.name)) return true;
    try {
      define(at, c);
    } catch (const Error&) {
      forget_classes(host_, known);
      return false;
    }
  }
  return std::ranges::all_of(type.elements(), [&](Type part) { return define_or_forget(at, part, known); });
}

// The type that an annotation says; none where it says one that no script has, as `tuple`, Callable and classes of Python do: the value says more.
Type FunctionCompiler::open_annotation(const Expr& e) {
  std::set<std::string> known;
  for (const auto& [name, c] : host_.classes) known.insert(name);
  try {
    const Type type = annotation(e);
    return define_or_forget(e.range, type, known) ? type : Type();
  } catch (const Error&) {
    forget_classes(host_, known);
    std::vector<const Expr*> names;
    add_names(e, names);
    for (const Expr* name : names)
      if (look_up(name->text).kind == HostValue::Kind::Missing) throw;
    return {};
  }
}

// --- Records.

ScriptValue FunctionCompiler::make_record(const Expr& e, const ScriptValue& cls, const Given& given) {
  ScriptValue record = cls;
  record.kind = ScriptValue::Kind::Record;
  record.id = ++records_;
  const std::string name = cls.text.substr(cls.text.rfind('.') + 1);
  std::vector<bool> has(cls.names.size());
  const auto put = [&](size_t k, const ScriptValue& v) {
    if (has[k]) wrong(e.range, concat(name, "() got multiple values for argument '", cls.names[k], "'"));
    record.parts[k] = v, has[k] = true;
  };
  if (given.positional.size() > cls.names.size())
    wrong(e.range, concat(name, "() takes ", cls.names.size(), " arguments, but ", given.positional.size(), " were given"));
  for (size_t k = 0; k < given.positional.size(); ++k) put(k, given.positional[k]);
  for (const auto& [keyword, v] : given.named) {
    const auto found = std::ranges::find(cls.names, keyword);
    if (found == cls.names.end()) wrong(e.range, concat(name, "() got an unexpected keyword argument '", keyword, "'"));
    put(static_cast<size_t>(found - cls.names.begin()), v);
  }
  for (size_t k = 0; k < has.size(); ++k)
    if (!has[k] && record.parts[k].kind == ScriptValue::Kind::Plain && !record.parts[k].arg.size())
      wrong(e.range, concat(name, "() is missing the argument '", cls.names[k], "'"));
  return record;
}

// The place of one that is not negative needs no more than the fields in front of it.
ScriptValue FunctionCompiler::record_place(const TextRange& at, const ScriptValue& record, const ScriptValue& index) {
  if (index.kind == ScriptValue::Kind::Plain && index.arg[0].is(ArgKind::Int) && index.arg[0].as_int() >= 0) {
    int64_t left = index.arg[0].as_int();
    for (const ScriptValue& part : record.parts) {
      if (part.is_none()) continue;
      if (left-- == 0 && !type_of(part).is(TypeKind::Optional)) return part;
      if (type_of(part).is(TypeKind::Optional)) break;
    }
  }
  return element(at, tuple_of(record_items(at, record)), index);
}

// What a branch gave, or a graph: a tuple of the graph that is a record.
std::optional<ScriptValue> FunctionCompiler::as_record(const TextRange& at, const ScriptValue& v) {
  if (v.kind != ScriptValue::Kind::Plain || !v.type.is(TypeKind::NamedTuple)) return {};
  const int64_t id = host_.find_class(v.type.name());
  if (id < 0 || host_.ask(id, "record", {}).kind == HostValue::Kind::Missing) return {};
  ScriptValue record;
  record.kind = ScriptValue::Kind::Record, record.text = v.type.name(), record.parts = items_of(at, v);
  record.names.assign(v.type.fields().begin(), v.type.fields().end());
  return record;
}

Type FunctionCompiler::record_type(const ScriptValue& record) const {
  std::vector<Type> types;
  for (const ScriptValue& part : record.parts)
    if (types.push_back(widened(type_of(part))); !types.back()) return {};
  return Type::named_tuple(record.text, types, record.names);
}

// record.field = value. No other name leads to the record: it was made, or returned, for this variable.
void FunctionCompiler::assign_record(const Expr& target, const ScriptValue& value) {
  const Expr& base = *target.parts[0];
  const auto found = base.kind == SyntaxKind::Name ? frame_->variables.find(base.text) : frame_->variables.end();
  const auto is_parameter = [&] {
    return std::ranges::any_of(frame_->function.function->parameters,
                               [&](const Parameter& p) { return p.range.begin == found->second.range.begin; });
  };
  const std::function<bool(const ScriptValue&)> holds = [&](const ScriptValue& v) {
    return (v.kind == ScriptValue::Kind::Record && v.id == found->second.fixed->id) || std::ranges::any_of(v.parts, holds);
  };
  if (found == frame_->variables.end() || is_parameter() || !same_place(found->second.depth) || value.kind == ScriptValue::Kind::List ||
      std::ranges::count_if(frame_->variables, [&](const auto& v) { return v.second.fixed && holds(*v.second.fixed); }) > 1)
    unsupported(target.range, "the assignment of a field of a result here", "make another one with the field");
  ScriptValue& record = *found->second.fixed;
  const std::string& name = target.kind == SyntaxKind::Attribute ? target.text : target.parts[1]->text;
  const auto field = std::ranges::find(record.names, name);
  if (field == record.names.end())
    wrong(target.range, concat(record.text.substr(record.text.rfind('.') + 1), " has no field '", name, "'"));
  ScriptValue& part = record.parts[static_cast<size_t>(field - record.names.begin())];
  // A field that is None has no place among the keys, and an assignment gives it none.
  if (part.is_none() || value.is_none())
    unsupported(target.range, "the assignment of a field of a result that is None, or of None to one,", "make the result with the field");
  part = value;
}

// len(inspect.signature(f).parameters)
ScriptValue FunctionCompiler::signature_value(const Expr& e, const ScriptValue& f) {
  const FunctionSyntax* function = f.kind == ScriptValue::Kind::Local ? f.local : nullptr;
  if (f.kind == ScriptValue::Kind::Function || f.kind == ScriptValue::Kind::Bound) function = host_.function(f.id).function;
  if (!function) unsupported(e.range, "inspect.signature() of this");
  ScriptValue signature, parameters;
  parameters.kind = ScriptValue::Kind::Keywords;
  for (const Parameter& p : function->parameters) {
    if (f.kind == ScriptValue::Kind::Bound && &p == function->parameters.data()) continue;
    parameters.names.push_back(p.name), parameters.parts.push_back(literal(Args().none()));
  }
  signature.kind = ScriptValue::Kind::Record, signature.text = "inspect.Signature";
  signature.names = {"parameters"}, signature.parts = {std::move(parameters)};
  return signature;
}

// What an index counts: the fields that are not None.
std::vector<ScriptValue> FunctionCompiler::record_items(const TextRange& at, const ScriptValue& record) const {
  std::vector<ScriptValue> items;
  for (size_t k = 0; k < record.parts.size(); ++k) {
    if (record.parts[k].is_none()) continue;
    if (type_of(record.parts[k]).is(TypeKind::Optional))
      wrong(at, concat("the place of what stands behind the field '", record.names[k],
                       "' is not known, because this field may be None; read the fields by their names"));
    items.push_back(record.parts[k]);
  }
  return items;
}

ScriptValue FunctionCompiler::record_item(const TextRange& at, const ScriptValue& record, const std::string& name) const {
  const auto found = std::ranges::find(record.names, name);
  if (found == record.names.end()) wrong(at, concat(record.text.substr(record.text.rfind('.') + 1), " has no field '", name, "'"));
  return record.parts[static_cast<size_t>(found - record.names.begin())];
}

ScriptValue FunctionCompiler::record_method(const Expr& e, const ScriptValue& record, const std::string& method, const Given& given) {
  const std::vector<ScriptValue>& args = given.positional;
  if (method == "to_tuple" && args.empty()) return tuple_of(record_items(e.range, record));
  if (method == "get" && !args.empty() && args.size() <= 2 && args[0].kind == ScriptValue::Kind::Plain && args[0].arg[0].is(ArgKind::Str)) {
    const auto found = std::ranges::find(record.names, args[0].arg[0].as_str());
    if (found != record.names.end()) return record.parts[static_cast<size_t>(found - record.names.begin())];
    return args.size() == 2 ? args[1] : literal(Args().none());
  }
  wrong(e.range,
        concat(record.text.substr(record.text.rfind('.') + 1), " has no method '", method, "' that a script can call; read its fields"));
}

}  // namespace monograph::capture::script
