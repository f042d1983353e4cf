// DialectRewriter visits each expression and statement once. It recurses, because the parser bounds how deep they nest.
#include "formats/torchscript/dialect.h"

#include <algorithm>
#include <map>

#include "capture/script/parser.h"
#include "core/error.h"

namespace monograph::torchscript {
namespace {

using namespace capture::script;

// "torch.add" for a chain of attributes that begins with a name; "" for any other expression.
std::string dotted(const Expr& e) {
  if (e.kind == SyntaxKind::Name) return e.text;
  if (e.kind != SyntaxKind::Attribute) return {};
  std::string base = dotted(*e.parts[0]);
  return base.empty() ? base : concat(base, ".", e.text);
}

class DialectRewriter {
 public:
  DialectRewriter(Tree& tree, const SourceText& source, const SourceIndex* index) : tree_(tree), source_(source), index_(index) {}

  void run() {
    // The list grows while types are read. Functions that are added are rewritten already.
    const size_t functions = tree_.function_list.size();
    for (size_t k = 0; k < functions; ++k) function(tree_.function_list[k]);
    for (ClassSyntax& c : tree_.classes)
      for (Stmt* field : c.fields)
        if (field->type) field->type = type(field->type);
  }
  Expr* type(Expr* e) {
    if (index_ && e->kind == SyntaxKind::Subscript && e->parts[0]->kind == SyntaxKind::Name && e->parts[0]->text == "Future")
      return type(e->parts[1]);
    if (e->kind == SyntaxKind::Attribute) {
      const std::string name = dotted(*e);
      if (const SourceClass* c = find_class(name)) return type_of_class(*e, *c);
      if (index_ && name.starts_with("__torch__.")) return make(SyntaxKind::Name, *e, name);  // a class of C++
    }
    for (Expr*& part : e->parts)
      if (part) part = type(part);
    return e;
  }

 private:
  const SourceClass* find_class(std::string_view name) const { return index_ ? index_->find_class(name) : nullptr; }
  Expr* make(SyntaxKind kind, const Expr& at, std::string text, std::vector<Expr*> parts = {}) {
    Expr& e = tree_.exprs.emplace_back();
    e.kind = kind, e.range = at.range, e.text = std::move(text), e.parts = std::move(parts), e.depth = at.depth;
    return &e;
  }

  // The compiler finds a class by one name with dots in it.
  Expr* type_of_class(const Expr& at, const SourceClass& c) {
    if (c.kind == SourceClass::Kind::NamedTuple || c.kind == SourceClass::Kind::Object || c.kind == SourceClass::Kind::Enum)
      return make(SyntaxKind::Name, at, c.name);
    if (c.kind == SourceClass::Kind::Interface) return make(SyntaxKind::Name, at, "Any");  // the compiler knows the modules themselves
    raise_at(source_, at.range,
             concat("a value of the class ", c.name, " has no form in a graph; modules, NamedTuples, Enums and script classes have one"),
             ErrorKind::NotImplemented);
  }

  void function(FunctionSyntax& f) {
    hooks_.clear();
    for (size_t k = 0; k < f.parameters.size(); ++k) {
      Parameter& p = f.parameters[k];
      // A module is known by itself and needs no type: the first parameter of a method, whatever its name, and in a trace a layer that two modules share.
      const SourceClass* held = p.type ? find_class(dotted(*p.type)) : nullptr;
      if (index_ && ((k == 0 && p.name == "self") || (held && held->kind == SourceClass::Kind::Module))) p.type = nullptr;
      if (p.type) p.type = type(p.type);
      if (p.default_value) p.default_value = expression(p.default_value);
    }
    if (f.returns) f.returns = type(f.returns);
    for (Stmt* s : f.body) statement(*s);
  }

  // _0 = __torch__.Net.hook: calls of _0 call the hook.
  bool names_hook(const Stmt& s) {
    if (!index_ || s.kind != StmtKind::Assign || s.values.size() != 1 || s.values[0]->kind != SyntaxKind::Name || !s.value) return false;
    const std::string hook = dotted(*s.value);
    const size_t dot = hook.rfind('.');
    const SourceClass* c = dot == std::string::npos ? nullptr : find_class(std::string_view(hook).substr(0, dot));
    if (!c || c->kind != SourceClass::Kind::Module || !c->find(std::string_view(hook).substr(dot + 1))) return false;
    hooks_[s.values[0]->text] = hook;
    return true;
  }

  void statement(Stmt& s) {
    if (names_hook(s)) {
      s.kind = StmtKind::Pass, s.values.clear(), s.value = nullptr;
      return;
    }
    for (Expr*& v : s.values)
      if (v) v = expression(v);
    if (s.value) s.value = expression(s.value);
    if (s.type) s.type = type(s.type);
    for (auto* list : {&s.body, &s.orelse})
      for (Stmt* inner : *list) statement(*inner);
    // ops.prim.RaiseException("message", "builtins.ValueError")
    if (s.kind != StmtKind::Expression || s.values[0]->kind != SyntaxKind::Call ||
        dotted(*s.values[0]->parts[0]) != "ops.prim.RaiseException")
      return;
    const Expr& call = *s.values[0];
    std::string exception = "RuntimeError";
    if (call.parts.size() > 2 && call.parts[2]->kind == SyntaxKind::String) {
      const std::string& given = call.parts[2]->text;
      if (given.starts_with("builtins.")) exception = given.substr(given.rfind('.') + 1);
    }
    std::vector<Expr*> parts{make(SyntaxKind::Name, call, exception)};
    if (call.parts.size() > 1) parts.push_back(call.parts[1]);
    // Printed code has this form for an assert.
    constexpr std::string_view kAssertion = "AssertionError: ";
    if (!index_ && parts.size() == 2 && call.parts.size() == 2 && parts[1]->kind == SyntaxKind::String &&
        parts[1]->text.starts_with(kAssertion))
      parts = {make(SyntaxKind::Name, call, "AssertionError"), make(SyntaxKind::String, call, parts[1]->text.substr(kAssertion.size()))};
    s.kind = StmtKind::Raise, s.value = make(SyntaxKind::Call, call, "", std::move(parts)), s.values.clear();
  }

  Expr* expression(Expr* e) {
    const bool takes_type =
        e->kind == SyntaxKind::Call && e->parts[0]->kind == SyntaxKind::Name && e->parts.size() > 1 &&
        (e->parts[0]->text == "annotate" || e->parts[0]->text == "unchecked_cast" || e->parts[0]->text == "uninitialized");
    for (size_t k = 0; k < e->parts.size(); ++k)
      if (e->parts[k]) e->parts[k] = takes_type && k == 1 ? type(e->parts[k]) : expression(e->parts[k]);
    if (e->kind == SyntaxKind::Call && e->parts[0]->kind == SyntaxKind::Name && e->parts[0]->text == "isinstance" && e->parts.size() == 3)
      e->parts[2] = type(e->parts[2]);
    return e->kind == SyntaxKind::Call ? call(e) : e;
  }

  Expr* call(Expr* e) {
    std::string name = dotted(*e->parts[0]);
    if (const auto hook = hooks_.find(name); hook != hooks_.end()) name = hook->second;
    const size_t given = e->parts.size() - 1;
    const bool first_is_positional = given > e->names.size();
    auto part = [&](size_t k) { return e->parts[k + 1]; };
    auto compare = [&](std::string word, Expr* a, Expr* b) {
      Expr* made = make(SyntaxKind::Compare, *e, "", {a, b});
      made->names = {std::move(word)};
      return made;
    };
    const bool with_none = given == 2 && (part(0)->kind == SyntaxKind::None || part(1)->kind == SyntaxKind::None);
    if (name == "torch.__is__" && with_none) return compare("is", part(0), part(1));
    if (name == "torch.__isnot__" && with_none) return compare("is not", part(0), part(1));
    if (name == "torch.__contains__" && given == 2) return compare("in", part(1), part(0));
    if (name == "torch.__not__" && given == 1) return make(SyntaxKind::Unary, *e, "not", {part(0)});
    if (index_ && name == "torch.wait" && given == 1) return part(0);
    if (name == "getattr" && given == 2 && part(1)->kind == SyntaxKind::String)
      return make(SyntaxKind::Attribute, *e, part(1)->text, {part(0)});
    if (name == "torch.format" && first_is_positional) {
      e->parts[0] = make(SyntaxKind::Attribute, *e, "format", {part(0)});
      e->parts.erase(e->parts.begin() + 1);
      return e;
    }
    if (index_ && name == "fork" && first_is_positional) {  // the forked call runs at once
      e->parts.erase(e->parts.begin());
      return e;
    }
    // __torch__.Net.hook(net, (x,)) calls a hook of the module `net`.
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos && first_is_positional)
      if (const SourceClass* c = find_class(std::string_view(name).substr(0, dot)); c && c->kind == SourceClass::Kind::Module) {
        e->parts[0] = make(SyntaxKind::Attribute, *e, name.substr(dot + 1), {part(0)});
        e->parts.erase(e->parts.begin() + 1);
        return e;
      }
    // __torch__.Point(1, 2) constructs a NamedTuple, __torch__.Point.__new__(__torch__.Point) an object.
    if (const SourceClass* c = find_class(name)) {
      e->parts[0] = make(SyntaxKind::Name, *e->parts[0], c->name);
      return e;
    }
    constexpr std::string_view kNew = ".__new__";
    if (name.ends_with(kNew))
      if (const SourceClass* c = find_class(std::string_view(name).substr(0, name.size() - kNew.size())))
        e->parts[0]->parts[0] = make(SyntaxKind::Name, *e->parts[0], c->name);
    return e;
  }

  Tree& tree_;
  const SourceText& source_;
  const SourceIndex* index_;  // null for a user's text
  std::map<std::string, std::string> hooks_;  // by the variables that name them, in this function
};

// A number in the code; -1 for another expression.
int64_t number_of(const Expr& e) {
  const bool digits = e.kind == SyntaxKind::Number && !e.text.empty() && e.text.size() < 9 &&
                      std::ranges::all_of(e.text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::stoi(e.text) : -1;
}

std::optional<DType> dtype_with_code(int64_t code) {
  for (int k = 0; k < kDTypeCount; ++k)
    if (info(static_cast<DType>(k)).code == code) return static_cast<DType>(k);
  return std::nullopt;
}

// `x`, `(x)[0]`.
bool find_place(const Expr& e, InputCheck& check) {
  if (e.kind == SyntaxKind::Name) return check.input = e.text, true;
  if (e.kind != SyntaxKind::Subscript || e.parts.size() != 2 || !find_place(*e.parts[0], check)) return false;
  const int64_t k = number_of(*e.parts[1]);
  if (k >= 0) check.parts.push_back(static_cast<size_t>(k));
  return k >= 0;
}

// torch.ne(torch.dim(x), 2), torch.ne(ops.prim.dtype(x), 6), and both with torch.__or__.
bool find_check(const Expr& e, InputCheck& check) {
  if (e.kind != SyntaxKind::Call || e.parts.size() != 3 || !e.names.empty()) return false;
  const std::string name = dotted(*e.parts[0]);
  if (name == "torch.__or__") {
    InputCheck second;
    if (!find_check(*e.parts[1], check) || !find_check(*e.parts[2], second) || check.dims || second.dtype) return false;
    check.dims = second.dims;
    return check.input == second.input && check.parts == second.parts;
  }
  const Expr& of = *e.parts[1];
  const int64_t number = number_of(*e.parts[2]);
  if (name != "torch.ne" || of.kind != SyntaxKind::Call || of.parts.size() != 2 || number < 0 || !find_place(*of.parts[1], check))
    return false;
  const std::string what = dotted(*of.parts[0]);
  constexpr int64_t kMostDims = 64;
  if (what == "torch.dim" && number <= kMostDims) check.dims = static_cast<size_t>(number);
  if (what == "ops.prim.dtype") check.dtype = dtype_with_code(number);
  return check.dims || check.dtype;
}

}  // namespace

std::vector<InputCheck> input_checks(const FunctionSyntax& f) {
  std::vector<InputCheck> found;
  for (const Stmt* s : f.body) {
    const auto is_input = [&](const Parameter& p) { return p.name == (found.empty() ? "" : found.back().input); };
    if (s->kind != StmtKind::If || !s->value || s->body.size() != 1 || s->orelse.size() != 1 || s->orelse[0]->kind != StmtKind::Pass) break;
    const Stmt& raise = *s->body[0];
    if (raise.kind != StmtKind::Expression || raise.values[0]->kind != SyntaxKind::Call || raise.values[0]->parts.size() != 3) break;
    const auto& parts = raise.values[0]->parts;
    if (dotted(*parts[0]) != "ops.prim.RaiseException" || parts[1]->kind != SyntaxKind::String || !parts[1]->text.starts_with("Input '") ||
        parts[2]->kind != SyntaxKind::String || parts[2]->text != "builtins.TypeError")
      break;
    InputCheck check;
    if (!find_check(*s->value, check)) break;
    found.push_back(std::move(check));
    if (std::ranges::none_of(f.parameters, is_input)) return found.pop_back(), found;
  }
  return found;
}

void to_python(Tree& tree, const SourceText& source, const SourceIndex& index) { DialectRewriter(tree, source, &index).run(); }
void printed_to_python(Tree& tree, const SourceText& source) { DialectRewriter(tree, source, nullptr).run(); }

Expr* type_in(Tree& tree, const SourceText& source, const SourceIndex& index) {
  return DialectRewriter(tree, source, &index).type(parse_expression(source, {0, static_cast<uint32_t>(source.text().size())}, tree));
}

}  // namespace monograph::torchscript
