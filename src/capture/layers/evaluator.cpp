// Evaluates files, statements and expressions. A file is parsed when one of its names is first used; each name is evaluated at its first use.
#include "capture/layers/evaluator.h"

#include <algorithm>
#include <charconv>

#include "capture/script/host.h"
#include "capture/script/parser.h"
#include "core/dtype.h"
#include "ir/operators.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/program_values.h"
#include "ops/registry.h"

namespace monograph::capture::layers {

using script::SyntaxKind;

namespace {

constexpr std::string_view kPackage = "monograph.", kLayers = "monograph.nn.modules";
constexpr int kMaxCallDepth = 200;

}  // namespace

struct Evaluator::Frame {
  SourceFile* file;
  std::shared_ptr<NameTable> names;
  ClassValue* owner = nullptr;
  IValue self, result;
};

// --- Values.

IValue* find_key(const IValue& dict, std::string_view key) {
  for (auto& [k, v] : dict.pairs())
    if (k.is_string() && k.to_string() == key) return &v;
  return nullptr;
}
void set_key(const IValue& dict, const std::string& key, IValue value) {
  if (IValue* found = find_key(dict, key)) *found = std::move(value);
  else dict.pairs().emplace_back(IValue(key), std::move(value));
}
bool erase_key(const IValue& dict, std::string_view key) {
  return std::erase_if(dict.pairs(), [&](const auto& pair) { return pair.first.is_string() && pair.first.to_string() == key; }) > 0;
}

std::string ClassValue::full_name() const {
  std::string home = file ? file->name : std::string("monograph.nn.modules.module");
  if (home.starts_with(kPackage)) home = concat("torch.", home.substr(kPackage.size()));
  return concat(home, ".", name);
}

// Depth first equals Python's method resolution order here: no class of the sources has two bases that share a base other than Module.
std::vector<ClassValue*> resolution_order(ClassValue& type) {
  std::vector<ClassValue*> order{&type};
  for (const Ref<ClassValue>& base : type.bases)
    for (ClassValue* c : resolution_order(*base)) {
      std::erase(order, c);
      order.push_back(c);
    }
  return order;
}
const IValue* find_member(const std::vector<ClassValue*>& order, std::string_view name) {
  for (ClassValue* c : order)
    for (const auto& [key, value] : c->members)
      if (key == name) return &value;
  return nullptr;
}
bool is_subclass(ClassValue& type, std::string_view name) {
  return std::ranges::any_of(resolution_order(type), [&](const ClassValue* c) { return c->name == name; });
}

std::vector<IValue> items_of(const IValue& v) {
  if (v.is_list() || v.is_tuple()) return v.items();
  std::vector<IValue> out;
  if (v.is_ints())
    for (int64_t n : v.to_ints()) out.emplace_back(n);
  else if (v.is_dict())
    for (const auto& [key, value] : v.pairs()) out.push_back(key);
  else if (v.is_string())
    for (char c : v.to_string()) out.emplace_back(std::string(1, c));
  else if (auto* layer = as<LayerValue>(v); layer && !layer->modules.pairs().empty())
    for (const auto& [key, value] : layer->modules.pairs()) out.push_back(value);
  else if (auto* held = as<LayerValue>(v))
    for (const auto& [key, value] : held->parameters.pairs()) out.push_back(value);
  else fail(ErrorKind::Type, "'", describe(v), "' object is not iterable");
  return out;
}

std::string Evaluator::str_of(const IValue& v, bool repr) {
  if (auto* n = as<NativeValue>(v)) return concat("<class '", n->name.substr(n->name.rfind('.') + 1), "'>");
  if (auto* c = as<ClassValue>(v)) return concat("<class '", c->full_name(), "'>");
  static const Operator& op = *Registry::global().find("aten::warn");
  return text_of_value(op, v, repr);
}

bool Evaluator::truth(const IValue& v) {
  if (v.is_none()) return false;
  if (v.is_bool()) return v.to_bool();
  if (v.is_int()) return v.to_int() != 0;
  if (v.is_float()) return v.to_double() != 0;
  if (v.is_string()) return !v.to_string().empty();
  if (v.is_list() || v.is_tuple()) return !v.items().empty();
  if (v.is_dict()) return !v.pairs().empty();
  if (v.is_ints()) return !v.to_ints().empty();
  if (v.is_tensor()) return truth("item"_op(v));
  return true;
}

// --- Files.

Evaluator& Evaluator::global() {
  static Evaluator* one = new Evaluator();
  return *one;
}

SourceFile* Evaluator::file(const std::string& name) {
  if (const auto found = files_.find(name); found != files_.end()) return as<SourceFile>(found->second);
  const auto sources = embedded_sources();
  const auto source = std::ranges::find(sources, name, &EmbeddedSource::name);
  if (source == sources.end()) return nullptr;
  auto* made = new SourceFile();
  files_.emplace(name, boxed(made));
  std::string path = name;
  std::ranges::replace(path, '.', '/');
  made->name = name, made->text = std::make_shared<const script::SourceText>(std::string(source->text), path + ".py");
  made->tree = script::parse_module(*made->text);
  made->names = std::make_shared<NameTable>();
  for (const Stmt* s : made->tree->statements) {
    if (s->kind == script::StmtKind::Function) made->names->pending[s->function->name] = s;
    if (s->kind == script::StmtKind::Class) made->names->pending[s->cls->name] = s;
    for (const auto& [from, given] : s->imports) made->names->pending[given] = s;
    if (s->kind != script::StmtKind::Assign) continue;
    for (const Expr* target : s->values) {
      if (target->kind == SyntaxKind::Name) made->names->pending[target->text] = s;
      for (const Expr* part : target->parts)
        if (target->kind == SyntaxKind::Tuple && part->kind == SyntaxKind::Name) made->names->pending[part->text] = s;
    }
  }
  return made;
}

// The value of `from MODULE import NAME` in a file; without a name, the module.
IValue Evaluator::imported(const SourceFile& from, const std::string& module, const std::string& name) {
  std::string base = module;
  if (module.starts_with('.')) {
    const size_t dots = module.find_first_not_of('.') == std::string::npos ? module.size() : module.find_first_not_of('.');
    std::string package = from.name;
    for (size_t k = 0; k < dots; ++k) package.resize(std::min(package.size(), package.rfind('.')));
    base = module.size() > dots ? concat(package, ".", module.substr(dots)) : package;
  }
  if (SourceFile* inner = file(name.empty() ? base : concat(base, ".", name))) return IValue(Ref<ObjectBox>(inner));
  if (SourceFile* home = name.empty() ? nullptr : file(base)) return look_up(home->names, *home, name);
  if (base.starts_with(kPackage)) base = base.substr(kPackage.size());
  if (base == "monograph") base = "";
  if (name == "Module" && base == "nn.modules.module") return IValue(Ref<ObjectBox>(module_class_));
  if (name == "TYPE_CHECKING") return false;
  // Operators are found under the names that their functions have in PyTorch's namespaces.
  std::string full = base.empty() || name.empty() ? base + name : concat(base, ".", name);
  if (full == "_VF" || full.starts_with("_VF.")) full = concat("torch", full.substr(3));
  if (full == "_nn" || full.starts_with("_nn.")) full = concat("torch._C._nn", full.substr(3));
  return native(full);
}

void Evaluator::define(NameTable& names, const std::shared_ptr<NameTable>& enclosing, SourceFile& file, const Stmt& s) {
  using script::StmtKind;
  switch (s.kind) {
    case StmtKind::Function: names.values[s.function->name] = function_value(*s.function, enclosing, file, nullptr); break;
    case StmtKind::Class: names.values[s.cls->name] = class_value(*s.cls, enclosing, file); break;
    case StmtKind::Import:
      for (const auto& [from, given] : s.imports)
        names.values[given] = s.text.empty() ? imported(file, given == from ? from : from, "") : imported(file, s.text, from);
      break;
    default: {
      Frame frame{&file, enclosing, nullptr, {}, {}};
      run(frame, s);
    }
  }
}

IValue Evaluator::look_up(const std::shared_ptr<NameTable>& names, SourceFile& file, const std::string& name) {
  for (std::shared_ptr<NameTable> at = names; at; at = at->outer) {
    if (const auto found = at->values.find(name); found != at->values.end()) return found->second;
    if (const auto found = at->pending.find(name); found != at->pending.end()) {
      const Stmt* s = found->second;
      at->pending.erase(found);
      define(*at, at, file, *s);
      return look_up(at, file, name);
    }
  }
  // A name of torch.nn.functional that no Python function defines is an operator.
  const bool functional = file.name == "monograph.nn.functional" && !script::is_builtin(name) && !name.ends_with("Error");
  return native(concat(functional ? "torch._C._nn." : "builtins.", name));
}

IValue Evaluator::function_value(const FunctionSyntax& f, const std::shared_ptr<NameTable>& enclosing, SourceFile& file,
                                 ClassValue* owner) {
  auto* made = new FunctionValue();
  IValue value = boxed(made);
  made->syntax = &f, made->file = &file, made->enclosing = enclosing, made->owner = owner;
  for (const Expr* d : f.decorators) {
    if (d->text == "property") made->kind = FunctionValue::Kind::Property;
    if (d->text == "staticmethod") made->kind = FunctionValue::Kind::Static;
    if (d->text == "classmethod") made->kind = FunctionValue::Kind::Class;
  }
  Frame frame{&file, enclosing, owner, {}, {}};
  for (const script::Parameter& p : f.parameters)
    if (p.default_value) made->defaults[p.name] = evaluate(frame, *p.default_value);
  return value;
}

IValue Evaluator::class_value(const ClassSyntax& c, const std::shared_ptr<NameTable>& enclosing, SourceFile& file) {
  auto* made = new ClassValue();
  IValue value = boxed(made);
  made->name = c.name, made->syntax = &c, made->file = &file;
  Frame frame{&file, enclosing, made, {}, {}};
  for (const Expr* base : c.bases) {
    const IValue b = evaluate(frame, *base);
    if (auto* of = as<ClassValue>(b)) made->bases.push_back(Ref<ClassValue>(of)), made->named_tuple |= of->named_tuple;
    else if (auto* n = as<NativeValue>(b)) made->named_tuple |= n->name == "typing.NamedTuple";
  }
  for (const Stmt* s : c.fields) {
    if (!s->value) continue;
    const IValue v = evaluate(frame, *s->value);
    for (const Expr* target : s->values)
      if (target->kind == SyntaxKind::Name) made->members.emplace_back(target->text, v);
  }
  for (const FunctionSyntax* f : c.methods) made->members.emplace_back(f->name, function_value(*f, enclosing, file, made));
  return value;
}

Ref<ClassValue> Evaluator::layer_class(std::string_view name) {
  if (!module_class_) {
    module_class_ = Ref<ClassValue>(new ClassValue());
    module_class_->name = "Module";
  }
  const auto layers = embedded_layers();
  const auto found = std::ranges::find(layers, name, &EmbeddedLayer::name);
  MONOGRAPH_CHECK(found != layers.end(), Attribute, "torch.nn has no layer '", name, "' that C++ can make");
  SourceFile& home = *file(std::string(found->module));
  return Ref<ClassValue>(as<ClassValue>(look_up(home.names, home, std::string(name))));
}

IValue Evaluator::function(const std::string& name, const std::string& module) {
  SourceFile& home = *file(module);
  const IValue found = look_up(home.names, home, name);
  auto* n = as<NativeValue>(found);
  const bool known = n ? Registry::global().find_overloads(concat("aten::", n->name.substr(n->name.rfind('.') + 1))) != nullptr
                       : as<FunctionValue>(found) != nullptr;
  MONOGRAPH_CHECK(known, Attribute, "torch", std::string_view(module).substr(module.find('.')), " has no function '", name,
                  "' that C++ can call");
  return found;
}

IValue Evaluator::evaluate(const std::string& expression) {
  const script::SourceText text(expression, "<string>");
  script::Tree tree;
  const Expr* e = script::parse_expression(text, {0, static_cast<uint32_t>(expression.size())}, tree);
  layer_class("Identity");
  auto* here = new SourceFile();
  const IValue keep = boxed(here);
  here->name = kLayers, here->text = std::make_shared<const script::SourceText>(text), here->names = std::make_shared<NameTable>();
  for (const EmbeddedLayer& layer : embedded_layers()) {
    const std::string name(layer.name);
    if (expression.find(name) != std::string::npos) here->names->values[name] = IValue(Ref<ObjectBox>(layer_class(name)));
  }
  here->names->values["F"] = IValue(Ref<ObjectBox>(file("monograph.nn.functional")));
  Frame frame{here, here->names, nullptr, {}, {}};
  return evaluate(frame, *e);
}

// --- Statements.

void Evaluator::unsupported(const Frame& frame, const Expr& e, std::string_view what) {
  script::raise_at(*frame.file->text, e.range, concat("the source of torch.nn has ", what, ", which runs in Python only"),
                   ErrorKind::NotImplemented);
}

Evaluator::Leaving Evaluator::run(Frame& frame, const std::vector<Stmt*>& body) {
  for (const Stmt* s : body)
    if (const Leaving flow = run(frame, *s); flow != Leaving::Next) return flow;
  return Leaving::Next;
}

void Evaluator::raise(Frame& frame, const Stmt& s) {
  const Expr& e = *s.value;
  const bool called = e.kind == SyntaxKind::Call;
  const std::string message = called && e.parts.size() > 1 ? str_of(evaluate(frame, *e.parts[1])) : std::string();
  static const Operator& op = *Registry::global().find("prim::RaiseException");
  const IValue args[] = {IValue(message), IValue(called ? e.parts[0]->text : e.text)};
  IValue nothing;
  monograph::call(op, args, &nothing);
  std::abort();  // the operator has raised
}

Evaluator::Leaving Evaluator::run_for(Frame& frame, const Stmt& s) {
  for (const IValue& item : items_of(evaluate(frame, *s.value))) {
    assign(frame, *s.values[0], item);
    const Leaving flow = run(frame, s.body);
    if (flow == Leaving::Return) return flow;
    if (flow == Leaving::Break) return Leaving::Next;
  }
  return run(frame, s.orelse);
}

Evaluator::Leaving Evaluator::run(Frame& frame, const Stmt& s) {
  using script::StmtKind;
  switch (s.kind) {
    case StmtKind::Expression:
      if (s.values[0]->kind != SyntaxKind::String) evaluate(frame, *s.values[0]);
      return Leaving::Next;
    case StmtKind::Assign: {
      if (!s.value) return Leaving::Next;
      const IValue v = evaluate(frame, *s.value);
      for (const Expr* target : s.values) assign(frame, *target, v);
      return Leaving::Next;
    }
    case StmtKind::Augmented: {
      const IValue before = evaluate(frame, *s.values[0]), added = evaluate(frame, *s.value);
      if (before.is_list() && s.text == "+") {
        for (const IValue& item : items_of(added)) before.items().push_back(item);
        return Leaving::Next;
      }
      assign(frame, *s.values[0], binary(s.text, before, added));
      return Leaving::Next;
    }
    case StmtKind::Return: frame.result = s.value ? evaluate(frame, *s.value) : IValue(); return Leaving::Return;
    case StmtKind::If: return run(frame, truth(evaluate(frame, *s.value)) ? s.body : s.orelse);
    case StmtKind::While:
      while (truth(evaluate(frame, *s.value))) {
        const Leaving flow = run(frame, s.body);
        if (flow == Leaving::Return) return flow;
        if (flow == Leaving::Break) break;
      }
      return Leaving::Next;
    case StmtKind::For: return run_for(frame, s);
    case StmtKind::Break: return Leaving::Break;
    case StmtKind::Continue: return Leaving::Continue;
    case StmtKind::Pass: return Leaving::Next;
    case StmtKind::Assert:
      if (truth(evaluate(frame, *s.value))) return Leaving::Next;
      throw Error(ErrorKind::Runtime,
                  concat("AssertionError", s.values.empty() ? "" : ": ", s.values.empty() ? "" : str_of(evaluate(frame, *s.values[0]))));
    case StmtKind::Raise: raise(frame, s);
    case StmtKind::With: {
      // The only `with` in the sources is that of no_grad().
      const GradModeScope no_grad(false);
      return run(frame, s.body);
    }
    case StmtKind::Function:
    case StmtKind::Class:
    case StmtKind::Import: define(*frame.names, frame.names, *frame.file, s); return Leaving::Next;
    default: break;
  }
  script::raise_at(*frame.file->text, s.range, "the source of torch.nn has a statement that runs in Python only",
                   ErrorKind::NotImplemented);
}

void Evaluator::assign(Frame& frame, const Expr& target, const IValue& value) {
  switch (target.kind) {
    case SyntaxKind::Name: frame.names->values[target.text] = value; return;
    case SyntaxKind::Attribute: return set_attribute(evaluate(frame, *target.parts[0]), target.text, value);
    case SyntaxKind::Subscript: {
      const IValue base = evaluate(frame, *target.parts[0]), index = evaluate(frame, *target.parts[1]);
      if (base.is_dict() && index.is_string()) return set_key(base, index.to_string(), value);
      if (as<LayerValue>(base)) return void(call_method(base, "__setitem__", {{index, value}, {}}));
      if (base.is_list()) {
        const int64_t n = static_cast<int64_t>(base.items().size()), k = index.to_int();
        MONOGRAPH_CHECK(k >= -n && k < n, Index, "list assignment index out of range");
        base.items()[static_cast<size_t>(k < 0 ? k + n : k)] = value;
        return;
      }
      break;
    }
    case SyntaxKind::Tuple:
    case SyntaxKind::List: {
      const std::vector<IValue> items = items_of(value);
      MONOGRAPH_CHECK(items.size() == target.parts.size(), Value, "expected ", target.parts.size(), " values to unpack, but got ",
                      items.size());
      for (size_t k = 0; k < items.size(); ++k) assign(frame, *target.parts[k], items[k]);
      return;
    }
    default: break;
  }
  unsupported(frame, target, "an assignment");
}

// --- Expressions.

IValue Evaluator::binary(std::string_view symbol, const IValue& a, const IValue& b) {
  if ((a.is_tuple() || a.is_list()) && symbol == "+") {
    std::vector<IValue> items = a.items();
    for (const IValue& item : items_of(b)) items.push_back(item);
    return a.is_tuple() ? IValue::tuple(std::move(items)) : IValue::list(std::move(items));
  }
  if ((a.is_tuple() || a.is_list()) && symbol == "*") {
    std::vector<IValue> items;
    for (int64_t k = 0; k < b.to_int(); ++k) items.insert(items.end(), a.items().begin(), a.items().end());
    return a.is_tuple() ? IValue::tuple(std::move(items)) : IValue::list(std::move(items));
  }
  if (symbol == "%" && a.is_string())
    fail(ErrorKind::NotImplemented, "the source of torch.nn formats a text with %, which runs in Python only");
  for (const ir::PythonOperator& op : ir::kPythonOperators) {
    if (op.symbol != symbol || (op.form != ir::OperatorForm::Binary && op.form != ir::OperatorForm::Comparison)) continue;
    const bool tensors = a.is_tensor() || b.is_tensor();
    return call_operator(tensors ? op.tensors : op.numbers, {{a, b}, {}});
  }
  fail(ErrorKind::NotImplemented, "the source of torch.nn uses the operator ", symbol, ", which runs in Python only");
}

namespace {

bool equal(const IValue& a, const IValue& b) {
  static const Operator& op = *Registry::global().find("aten::warn");
  if (a.is_object() || b.is_object() || a.is_none() || b.is_none()) return a.is(b);
  if (a.is_number() && b.is_number()) return equal_values(op, a, b);
  if (a.is_tuple() != b.is_tuple() || a.is_string() != b.is_string() || a.is_number() != b.is_number()) return false;
  if (a.is_tuple() || a.is_list() || a.is_ints()) return std::ranges::equal(items_of(a), items_of(b), equal);
  return equal_values(op, a, b);
}

}  // namespace

bool Evaluator::contains(const IValue& container, const IValue& v) {
  if (container.is_string()) return container.to_string().find(v.to_string()) != std::string::npos;
  if (container.is_object() && !as<LayerValue>(container)) return truth(call_method(container, "__contains__", {{v}, {}}));
  return std::ranges::any_of(items_of(container), [&](const IValue& item) { return equal(item, v); });
}

IValue Evaluator::compare(Frame& frame, const Expr& e) {
  IValue left = evaluate(frame, *e.parts[0]);
  for (size_t k = 0; k < e.names.size(); ++k) {
    const IValue right = evaluate(frame, *e.parts[k + 1]);
    const std::string& op = e.names[k];
    bool holds = false;
    if (op == "is" || op == "is not") holds = left.is(right) == (op == "is");
    else if (op == "in" || op == "not in") holds = contains(right, left) == (op == "in");
    else if (left.is_tensor() || right.is_tensor()) {
      const IValue result = binary(op, left, right);
      if (e.names.size() == 1) return result;
      holds = truth(result);
    } else if (op == "==" || op == "!=") holds = equal(left, right) == (op == "==");
    else holds = truth(binary(op, left, right));
    if (!holds) return false;
    left = right;
  }
  return true;
}

void Evaluator::clauses(Frame& frame, const Expr& e, size_t clause, size_t part, const std::function<void()>& each) {
  if (clause == e.names.size()) return each();
  if (e.names[clause] == "if") {
    if (truth(evaluate(frame, *e.parts[part]))) clauses(frame, e, clause + 1, part + 1, each);
    return;
  }
  for (const IValue& item : items_of(evaluate(frame, *e.parts[part + 1]))) {
    assign(frame, *e.parts[part], item);
    clauses(frame, e, clause + 1, part + 2, each);
  }
}

// Generator expressions become lists: the sources iterate over each of them once.
IValue Evaluator::comprehension(Frame& frame, const Expr& e) {
  Frame inner = frame;
  inner.names = std::make_shared<NameTable>();
  inner.names->outer = frame.names;
  if (e.kind == SyntaxKind::DictComprehension) {
    IValue dict = IValue::dict({});
    clauses(inner, e, 0, 2, [&] { set_key(dict, evaluate(inner, *e.parts[0]).to_string(), evaluate(inner, *e.parts[1])); });
    return dict;
  }
  std::vector<IValue> items;
  clauses(inner, e, 0, 1, [&] { items.push_back(evaluate(inner, *e.parts[0])); });
  return IValue::list(std::move(items));
}

IValue Evaluator::format_string(Frame& frame, const Expr& e) {
  std::string text;
  for (const Expr* part : e.parts) {
    if (part->kind == SyntaxKind::String) text += part->text;
    else text += str_of(evaluate(frame, *part->parts[0]), part->text.starts_with("!r"));
  }
  return text;
}

IValue Evaluator::subscript(Frame& frame, const Expr& e) {
  const IValue base = evaluate(frame, *e.parts[0]);
  const Expr& at = *e.parts[1];
  if (at.kind == SyntaxKind::Slice && (base.is_list() || base.is_tuple() || base.is_ints())) {
    std::optional<int64_t> bounds[3];
    for (size_t k = 0; k < 3; ++k)
      if (at.parts[k])
        if (const IValue v = evaluate(frame, *at.parts[k]); !v.is_none()) bounds[k] = v.to_int();
    const std::vector<IValue> items = items_of(base);
    std::vector<IValue> out;
    for (int64_t k : slice_places(static_cast<int64_t>(items.size()), bounds[0], bounds[1], bounds[2].value_or(1)))
      out.push_back(items[static_cast<size_t>(k)]);
    return base.is_tuple() ? IValue::tuple(std::move(out)) : IValue::list(std::move(out));
  }
  if (at.kind == SyntaxKind::Slice) unsupported(frame, e, "a slice");
  const IValue index = evaluate(frame, at);
  if (base.is_dict()) {
    for (const auto& [key, value] : base.pairs())
      if (equal(key, index)) return value;
    fail(ErrorKind::Key, str_of(index, true));
  }
  if (as<LayerValue>(base)) return call_method(base, "__getitem__", {{index}, {}});
  if (base.is_tensor()) return "select"_op(base, 0, index);
  if (!base.is_list() && !base.is_tuple() && !base.is_ints()) return {};  // of an annotation
  const std::vector<IValue> items = items_of(base);
  const int64_t n = static_cast<int64_t>(items.size()), k = index.to_int();
  MONOGRAPH_CHECK(k >= -n && k < n, Index, base.is_tuple() ? "tuple" : "list", " index out of range");
  return items[static_cast<size_t>(k < 0 ? k + n : k)];
}

namespace {

IValue number(const std::string& written) {
  std::string text;
  std::ranges::copy_if(written, std::back_inserter(text), [](char c) { return c != '_'; });
  if (text.find_first_of(".eE") == std::string::npos || text.starts_with("0x"))
    return IValue(static_cast<int64_t>(std::stoll(text, nullptr, 0)));
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

IValue Evaluator::evaluate(Frame& frame, const Expr& e) {
  switch (e.kind) {
    case SyntaxKind::Name: return look_up(frame.names, *frame.file, e.text);
    case SyntaxKind::Number: return number(e.text);
    case SyntaxKind::String: return e.text;
    case SyntaxKind::True: return true;
    case SyntaxKind::False: return false;
    case SyntaxKind::None: return {};
    case SyntaxKind::Attribute: return attribute(evaluate(frame, *e.parts[0]), e.text);
    case SyntaxKind::Call: return call(frame, e);
    case SyntaxKind::Subscript: return subscript(frame, e);
    case SyntaxKind::Unary: {
      const IValue v = evaluate(frame, *e.parts[0]);
      if (e.text == "not") return !truth(v);
      if (e.text == "-" && v.is_int()) return -v.to_int();
      if (e.text == "-" && v.is_float()) return -v.to_double();
      if (e.text == "-" && v.is_tensor()) return "neg"_op(v);
      break;
    }
    case SyntaxKind::Binary: return binary(e.text, evaluate(frame, *e.parts[0]), evaluate(frame, *e.parts[1]));
    case SyntaxKind::Compare: return compare(frame, e);
    case SyntaxKind::And:
    case SyntaxKind::Or: {
      IValue v;
      for (const Expr* part : e.parts)
        if (v = evaluate(frame, *part); truth(v) == (e.kind == SyntaxKind::Or)) break;
      return v;
    }
    case SyntaxKind::Conditional: return evaluate(frame, *e.parts[truth(evaluate(frame, *e.parts[1])) ? 0 : 2]);
    case SyntaxKind::List:
    case SyntaxKind::Tuple:
    case SyntaxKind::Set: {
      std::vector<IValue> items;
      for (const Expr* part : e.parts) {
        if (part->kind != SyntaxKind::Starred) items.push_back(evaluate(frame, *part));
        else
          for (const IValue& item : items_of(evaluate(frame, *part->parts[0]))) items.push_back(item);
      }
      return e.kind == SyntaxKind::Tuple ? IValue::tuple(std::move(items)) : IValue::list(std::move(items));
    }
    case SyntaxKind::Dict: {
      std::vector<std::pair<IValue, IValue>> pairs;
      for (size_t k = 0; k < e.parts.size(); k += 2) {
        if (!e.parts[k]) unsupported(frame, e, "a dict with ** in it");
        pairs.emplace_back(evaluate(frame, *e.parts[k]), evaluate(frame, *e.parts[k + 1]));
      }
      return IValue::dict(std::move(pairs));
    }
    case SyntaxKind::ListComprehension:
    case SyntaxKind::DictComprehension:
    case SyntaxKind::Generator: return comprehension(frame, e);
    case SyntaxKind::FormatString: return format_string(frame, e);
    case SyntaxKind::Lambda: return function_value(*e.function, frame.names, *frame.file, nullptr);
    default: break;
  }
  unsupported(frame, e, "an expression");
}

CallArguments Evaluator::arguments(Frame& frame, const Expr& e) {
  CallArguments given;
  const size_t positional = e.parts.size() - 1 - e.names.size();
  for (size_t k = 0; k < positional; ++k) {
    const Expr& part = *e.parts[k + 1];
    if (part.kind != SyntaxKind::Starred) given.positional.push_back(evaluate(frame, part));
    else
      for (const IValue& item : items_of(evaluate(frame, *part.parts[0]))) given.positional.push_back(item);
  }
  for (size_t k = 0; k < e.names.size(); ++k) {
    const Expr& part = *e.parts[1 + positional + k];
    if (part.kind != SyntaxKind::DoubleStarred) {
      given.named.emplace_back(e.names[k], evaluate(frame, part));
      continue;
    }
    for (const auto& [key, value] : evaluate(frame, *part.parts[0]).pairs()) given.named.emplace_back(key.to_string(), value);
  }
  return given;
}

IValue Evaluator::call(Frame& frame, const Expr& e) {
  const Expr& callee = *e.parts[0];
  if (callee.kind == SyntaxKind::Name && callee.text == "super") {
    auto* made = new SuperValue();
    IValue value = boxed(made);
    made->self = Ref<LayerValue>(as<LayerValue>(frame.self)), made->method_class = frame.owner;
    MONOGRAPH_CHECK(made->self && made->method_class, NotImplemented, "super() of anything but a module runs in Python only");
    return value;
  }
  // A method of a value that is no object of the evaluator: text.lower(), tensor.dim().
  if (callee.kind == SyntaxKind::Attribute) {
    const IValue base = evaluate(frame, *callee.parts[0]);
    if (!as<NativeValue>(base) && !as<SourceFile>(base)) return call_method(base, callee.text, arguments(frame, e));
    return call(attribute(base, callee.text), arguments(frame, e));
  }
  return call(evaluate(frame, callee), arguments(frame, e));
}

// The call of a function with its parameters bound.
IValue Evaluator::call_function(FunctionValue& f, const IValue* self, CallArguments given) {
  static thread_local int depth = 0;
  MONOGRAPH_CHECK(depth < kMaxCallDepth, Runtime, "constructors call each other more than ", kMaxCallDepth, " deep");
  struct Depth {
    Depth() { ++depth; }
    ~Depth() { --depth; }
  } const deeper;
  if (self) given.positional.insert(given.positional.begin(), *self);
  Frame frame{f.file, std::make_shared<NameTable>(), f.owner, {}, {}};
  frame.names->outer = f.enclosing;
  auto& values = frame.names->values;
  const std::string name = f.owner ? concat(f.owner->name, ".", f.syntax->name) : f.syntax->name;
  size_t next = 0;
  for (const script::Parameter& p : f.syntax->parameters) {
    using Kind = script::Parameter::Kind;
    if (p.kind == Kind::Args) {
      values[p.name] = IValue::tuple({given.positional.begin() + static_cast<ptrdiff_t>(next), given.positional.end()});
      next = given.positional.size();
      continue;
    }
    if (p.kind == Kind::Kwargs) {
      std::vector<std::pair<IValue, IValue>> pairs;
      for (auto& [key, value] : given.named) pairs.emplace_back(IValue(key), value);
      given.named.clear();
      values[p.name] = IValue::dict(std::move(pairs));
      continue;
    }
    const auto named = std::ranges::find(given.named, p.name, &std::pair<std::string, IValue>::first);
    if (!p.keyword_only && next < given.positional.size()) {
      MONOGRAPH_CHECK(named == given.named.end(), Type, name, "() got multiple values for argument '", p.name, "'");
      values[p.name] = given.positional[next++];
    } else if (named != given.named.end()) {
      values[p.name] = named->second;
      given.named.erase(named);
    } else {
      const auto fallback = f.defaults.find(p.name);
      MONOGRAPH_CHECK(fallback != f.defaults.end(), Type, name, "() missing a required argument: '", p.name, "'");
      values[p.name] = fallback->second;
    }
  }
  const size_t most = next, got = given.positional.size();
  MONOGRAPH_CHECK(got <= most, Type, name, "() takes ", most - (self ? 1 : 0), " positional arguments but ", got - (self ? 1 : 0),
                  " were given");
  MONOGRAPH_CHECK(given.named.empty(), Type, name, "() got an unexpected keyword argument '", given.named[0].first, "'");
  if (self) frame.self = *self;
  run(frame, f.syntax->body);
  // Breaks reference cycles: functions defined in this call hold its names, which hold the functions.
  std::erase_if(values, [&](const auto& pair) {
    auto* inner = as<FunctionValue>(pair.second);
    return inner && inner->enclosing == frame.names && inner->use_count() == 1;
  });
  return frame.result;
}

}  // namespace monograph::capture::layers
