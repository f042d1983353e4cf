// Code in TorchScript's words. Each node is one line, and every name is assigned once but for the carried values of loops, so that what PyTorch compiles
// from it does the same in the same order. prim::If is an `if`; prim::Loop is `for i in range(n)` where it always goes on, `while` where it has no count,
// and else a `while` that counts by itself. Guards are an `if` that raises.
#include "ir/torchscript_code.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/node_names.h"
#include "ir/text.h"
#include "ir/unit.h"
#include "ir/walk.h"
#include "ir/words.h"

namespace monograph::ir {

void print_torchscript_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (byte >= 0x20 && byte < 0x7f) out += c;
    else
      for (int shift : {6, 3, 0}) {
        if (shift == 6) out += '\\';
        out += static_cast<char>('0' + (byte >> shift & 7));
      }
  }
  out += '"';
}

void print_torchscript_float(std::string& out, double v) {
  if (std::isnan(v)) return void(out += "nan");
  if (std::isinf(v)) return void(out += v < 0 ? "-inf" : "inf");
  char text[64];
  constexpr double kWhole = 1e10;  // below it PyTorch writes whole numbers with all digits
  if (v == std::trunc(v) && std::fabs(v) < kWhole) {
    const auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::fixed, 0);
    out.append(text, end.ptr) += '.';
    return;
  }
  const auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::general, 17);
  const std::string_view digits(text, static_cast<size_t>(end.ptr - text));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out += '.';
}

std::string torchscript_attribute(std::string base, std::string_view path) {
  while (!path.empty()) {
    const size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    base = is_identifier(part) ? concat(base, ".", part) : concat("getattr(", base, ", \"", part, "\")");
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return base;
}

std::string torchscript_type(Type t, const TorchScriptCode& options) {
  auto parts = [&](std::string_view word) {
    std::string out;
    for (Type e : t.elements()) out += (out.empty() ? "" : ", ") + torchscript_type(e, options);
    return concat(word, "[", out.empty() ? "()" : out, "]");
  };
  if (!t) return "Tensor";
  switch (t.kind()) {
    case TypeKind::Tensor: return "Tensor";
    case TypeKind::Int:
    case TypeKind::SymInt:
    case TypeKind::DType:
    case TypeKind::Layout:
    case TypeKind::MemoryFormat: return "int";
    case TypeKind::Float:
    case TypeKind::SymFloat: return "float";
    case TypeKind::Bool:
    case TypeKind::SymBool: return "bool";
    case TypeKind::List: return parts("List");
    case TypeKind::Optional: return parts("Optional");
    case TypeKind::Future: return parts("Future");
    case TypeKind::Dict: return parts("Dict");
    case TypeKind::Tuple: return parts("Tuple");
    case TypeKind::Union: return parts("Union");
    case TypeKind::Number: return "number";
    case TypeKind::NamedTuple:
    case TypeKind::Class:
    case TypeKind::Enum: return options.class_name ? options.class_name(t.name()) : t.name();
    default: return to_string(t);
  }
}

std::optional<std::pair<std::string, std::string>> several_types(ArgRef dict, const TorchScriptCode& options) {
  std::string first[2];
  size_t k = 0;
  for (ArgRef part : dict) {
    std::string found = torchscript_type(type_of(part), options);
    std::string& of = first[k % 2];
    if (k++ < 2) of = std::move(found);
    else if (of != found) return std::pair(of, found);
  }
  return {};
}

namespace {

// Names that mean something else in this language.
bool is_taken(std::string_view name) {
  static const std::unordered_set<std::string_view> kTaken = {
      "self", "torch", "ops",    "CONSTANTS", "__torch__", "annotate", "uninitialized", "unchecked_cast", "inf", "nan",
      "infj", "nanj",  "Tensor", "List",      "Dict",      "Tuple",    "Optional",      "Union",          "Any", "Future"};
  return kTaken.contains(name) || is_python_name(name);
}

// Names that PyTorch's printer gives a number. Python's builtin functions are none of them: a parameter may be called input.
bool is_reserved(std::string_view name) {
  static const std::unordered_set<std::string_view> kReserved = {
      "_",      "as",        "aten",  "attribute", "CONSTANTS", "fork",          "getattr",       "inf",   "nan",   "infj",   "nanj",
      "ops",    "__torch__", "torch", "self",      "and",       "assert",        "async",         "await", "break", "class",  "continue",
      "def",    "del",       "elif",  "else",      "except",    "False",         "finally",       "for",   "from",  "global", "if",
      "import", "in",        "is",    "lambda",    "None",      "nonlocal",      "not",           "or",    "pass",  "raise",  "return",
      "True",   "try",       "with",  "while",     "yield",     "uninitialized", "unchecked_cast"};
  return kReserved.contains(name);
}

class CodePrinter {
 public:
  CodePrinter(const Graph& g, const TorchScriptCode& options, std::vector<TensorRef>& constants)
      : g_(g), options_(options), constants_(constants) {}

  std::string run() {
    const std::string name = options_.name.empty() ? g_.name().substr(g_.name().rfind('.') + 1) : options_.name;
    // A function has no self; a method in an archive always has one.
    const bool method = !options_.readable || reads_modules();
    out_ = "def " + name + (method ? "(self" : "(") + (options_.self_type.empty() ? "" : ": " + options_.self_type);
    bool first = true, any = method;
    for (Node* p : g_.placeholders()) {
      if (first && p->type().is(TypeKind::Class) && (options_.self_type.empty() || p->name() == "self")) {
        self_ = p;
        first = false;
        continue;
      }
      first = false;
      out_ += (any ? ",\n    " : "") + identifier(p) + ": " + type(p->type());
      any = true;
      if (p->arg_count()) out_ += "=" + value(p->arg(0), p->type());
    }
    const std::string result = g_.output() && g_.output()->arg_count() ? type(returned()) : "NoneType";
    out_ += ") -> " + (result == "NoneType" && options_.self_type.empty() && !options_.keeps_lists ? "None" : result) + ":\n";
    if (options_.input_checks) *options_.input_checks = input_checks();
    if (options_.origins) options_.origins->assign(static_cast<size_t>(std::ranges::count(out_, '\n')), Span());
    for (const std::string& text : options_.first_lines) line(text);
    size_guards();
    for (const Guard& guard : g_.guards())
      if (guard.value) guards_[guard.value].push_back(&guard);
    if (options_.readable) find_inlined(g_.root()), name_constants();
    for (Node* p : g_.placeholders()) value_guards(p);
    walk(g_.root(), [&](Node* n) { visit(n); }, [&](Block* b) { leave(b); });
    return std::move(out_);
  }

 private:
  std::string type(Type t) const { return torchscript_type(t, options_); }
  // What isinstance asks for, in TorchScript's words: `list` for a list of anything, and for a dict of anything those that the value may be.
  std::string asked_type(const Node* n, Type asked) const {
    const Type given = type_of(n->arg(0)), some = given.is(TypeKind::Optional) ? given.element() : given;
    if (asked == Type::list(TypeKind::Any)) return "list";
    std::vector<Type> parts;
    if (asked == Type::dict(TypeKind::Any, TypeKind::Any) && some.is(TypeKind::Union))
      std::ranges::copy_if(some.elements(), std::back_inserter(parts), [](Type t) { return t.is(TypeKind::Dict); });
    else if (asked.is(TypeKind::Union)) parts.assign(asked.elements().begin(), asked.elements().end());
    if (parts.empty()) return type(asked);
    std::string words;
    for (Type part : parts) words += concat(words.empty() ? "" : ", ", asked_type(n, part));
    return parts.size() == 1 ? words : concat("(", words, ")");
  }
  Type returned() const {
    const Args args = g_.output()->copy_args();
    if (args.size() == 1 && args[0].size() == 0 && args[0].kind() == ArgKind::List) return Type::list(TypeKind::Tensor);
    if (args.size() == 1 && args[0].size() == 0 && args[0].kind() == ArgKind::Dict) return Type::dict(TypeKind::Str, TypeKind::Tensor);
    if (args.size() == 1) return type_of(args[0]);
    std::vector<Type> types;
    for (size_t k = 0; k < args.size(); ++k) types.push_back(type_of(args[k]));
    return Type::tuple(types);
  }

  [[noreturn]] static void refuse(const Node& n, std::string_view why) {
    Error e(ErrorKind::NotImplemented,
            concat("PyTorch cannot express %", n.name(), " = ", n.target().overload ? *n.target().overload : n.target().name(), ": ", why));
    e.locate(n.span());
    throw e;
  }

  void line(std::string_view text) {
    constexpr size_t kMostBlocks = 1100;  // as many as are read again
    MONOGRAPH_CHECK(depth_ <= kMostBlocks, NotImplemented, "blocks nest deeper than ", kMostBlocks,
                    " levels, which no reader of the text takes");
    out_.append(2 + 2 * depth_, ' ').append(text) += "\n";
    if (options_.origins) options_.origins->push_back(origin_);
  }

  // A number in the place of a tensor. TorchScript itself defines the four operators of arithmetic for that; of others a tensor of dtype float64 or int64
  // would stand there, which promotes as no number does.
  static void check_numbers(const Node& n) {
    if (!n.info()) return;
    const FunctionSchema& schema = n.info()->schema();
    const std::string_view name = schema.name();
    const auto is_number = [](Type t) { return t && ir::is_number(t.kind()); };
    const std::optional<Args> bound = bound_args(schema, n);
    if (name == "aten::add" || name == "aten::sub" || name == "aten::mul" || name == "aten::div") {
      if (!bound || bound->size() < 3 || !is_number(type_of((*bound)[0]))) return;
      const ArgRef more = (*bound)[2];  // alpha, or the rounding mode, which arithmetic has not
      if (!more.is(ArgKind::None) && !(more.is(ArgKind::Int) && more.as_int() == 1))
        refuse(n, concat("with ", schema.arguments()[2].name, " it takes no number on the left; write a tensor"));
      return;
    }
    const bool beside_tensor = schema.arguments().size() > 1 && !schema.takes_number_at(1);  // it has an overload for that
    for (size_t k = 0; bound && k < bound->size() && k < schema.arguments().size(); ++k)
      if (schema.arguments()[k].type.is(TypeKind::Tensor) && is_number(type_of((*bound)[k])) && !beside_tensor)
        refuse(n, "it takes no number there; write a tensor");
  }
  // --- Names.

  std::string unique(std::string name) {
    if (is_taken(name)) name += '_';
    std::string out = name;
    for (size_t k = 0; !used_.insert(out).second; ++k) out = concat(name, "_", k);
    return out;
  }
  std::string fresh() { return options_.readable ? numbered("_") : unique(concat("_", unnamed_++)); }
  const std::string& identifier(const Node* n) {
    auto [found, made] = names_.try_emplace(n);
    if (!made) return found->second;
    if (options_.readable) return found->second = numbered(users_name(n));
    std::string out;
    for (char c : n->name()) out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
    return found->second = unique(std::move(out));
  }

  // --- Names and places of the form for readers. The rules are those of PyTorch's printer.

  bool reads_modules() const {
    if (g_.unit() && g_.unit()->root()) return true;
    for (const Node* n : NestedNodes(g_))
      if (n->op() == Op::GetAttr || n->op() == Op::CallModule || n->op() == Op::CallMethod) return true;
    return false;
  }
  // A name as it is while it is free, and then with numbers: "x", "x0", "x1".
  std::string numbered(const std::string& name) {
    std::string out = name;
    while (is_reserved(out) || !used_.insert(out).second) out = concat(name, next_number_[out]++);
    return out;
  }
  // The variable that the user's program gives the value to; "_" where it has none. Nodes are named after what they compute, unless a variable has them.
  std::string users_name(const Node* n) const {
    if (n->op() == Op::GetAttr || is_read(n)) {
      const std::string& path = is_read(n) ? n->arg(1).as_str() : n->target().name();
      std::string last = path.substr(path.rfind('.') + 1);
      if (is_identifier(last)) return last;
      // PyTorch's printer writes "block1-0" as block1_0, and "0x" as _0x.
      for (char& c : last)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      if (last[0] >= '0' && last[0] <= '9') last.insert(0, "_");
      return is_identifier(last) ? last : "_";
    }
    const bool input = n->op() == Op::Placeholder && n->block() == n->graph()->root();
    if (options_.variable && !input) return options_.variable(n);
    const std::string given = input ? n->target().name() : name_without_number(n->name());
    return is_identifier(given) && (input || !has_default_name(*n)) ? given : "_";
  }
  // The read of a module's attribute.
  static bool is_read(const Node* n) {
    return n->target().name() == "prim::GetAttr" && n->arg_count() == 2 && n->arg(0).is(ArgKind::Node) &&
           type_of(n->arg(0)).is(TypeKind::Class) && (n->arg(0).node()->op() == Op::GetAttr || is_read(n->arg(0).node()));
  }
  // A call that the program's text has, of a function or method; the name of the function is a constant of the program.
  static bool is_kept_call(const Node* n) {
    return n->op() == Op::CallMethod || (n->op() == Op::CallFunction && n->target().name().starts_with("__torch__."));
  }
  // Constants with a long text, the names of functions and strs, get a line at the beginning, in the order of their use.
  void name_constants() {
    for (const Node* n : NestedNodes(g_)) {
      if (n->op() == Op::CallFunction && is_kept_call(n)) name_function(n->target().name());
      if (is_assertion(n)) {
        name_str(concat(kAssertion, n->arg(0).as_str()));
        continue;
      }
      if (has_words(n)) continue;
      for (auto it = n->args_begin(); it != n->args_end(); ++it) name_strs(*it);
    }
  }
  void name_function(const std::string& function) {
    if (functions_.contains(function) || function.size() + 2 < kLongText) return;
    const std::string name = fresh();
    line(name + " = " + function);
    functions_[function] = name;
  }
  void name_strs(ArgRef a) {
    if (a.is(ArgKind::Str)) name_str(a.as_str());
    if (a.is(ArgKind::List) || a.is(ArgKind::Tuple) || a.is(ArgKind::Dict))
      for (ArgRef part : a) name_strs(part);
  }
  void name_str(const std::string& text) {
    std::string shown;
    print_torchscript_string(shown, text);
    if (strs_.contains(text) || shown.size() + 2 < kLongText) return;
    const std::string name = fresh();
    line(name + " = " + shown);
    strs_[text] = name;
  }
  std::string str(const std::string& text) const {
    if (const auto known = strs_.find(text); known != strs_.end()) return known->second;
    std::string out;
    print_torchscript_string(out, text);
    return out;
  }
  // Of an assert whose message is a constant, which PyTorch has as one text.
  static bool is_assertion(const Node* n) {
    return n->target().name() == "prim::RaiseException" && n->arg_count() == 2 && n->arg(0).is(ArgKind::Str) &&
           n->arg(1).is(ArgKind::Str) && n->arg(1).as_str() == "AssertionError";
  }
  // Whether its strs are words of the language, as the name of an attribute is.
  static bool has_words(const Node* n) {
    static const std::unordered_set<std::string_view> kTargets = {"prim::GetAttr",    "prim::SetAttr", "prim::isinstance",
                                                                  "prim::EnumMember", "prim::tolist",  "prim::format"};
    return kTargets.contains(n->target().name());
  }
  static bool is_silent(const Node* n) {
    return n->is_projection() || n->op() == Op::Placeholder || is_module_object(n) || n->target().name() == "prim::Constant";
  }
  static constexpr size_t kLongText = 40;  // with its indentation
  static constexpr std::string_view kAssertion = "AssertionError: ";
  static const Node* previous(const Node* n) {
    do n = n->previous();
    while (n && is_silent(n));
    return n;
  }
  bool can_inline(const Node* n) const {
    if (n->multi() || n->block_count() || !n->has_one_use() || is_silent(n) || guards_.contains(n)) return false;
    const Node* user = n->first_use()->user;
    if ((users_name(n) != "_" || n->op() == Op::GetAttr || is_read(n)) && user->op() != Op::Output) return false;
    if (user->is_loop() && n->first_use()->index >= 1 && user->arg(1).node() != n && user->arg(0).node() != n) return false;
    return user->target().name() != "prim::fork" && n->target().name() != "prim::isinstance" && n->result_count() > 0;
  }
  // `at` is where the walk from the end to the beginning stands: a value that is made there may stand where it is used.
  const Node* find_inputs(const Node* n) {
    for (size_t b = 0; b < n->block_count(); ++b) find_inlined(n->block(b));
    const Node* at = previous(n);
    for (size_t k = n->input_count(); k-- > 0;) {
      const Node* input = n->input(k);
      if (input != at || !can_inline(input)) continue;
      inlined_.insert(input);
      at = find_inputs(input);
    }
    return at;
  }
  void find_inlined(const Block* b) {
    for (const Node* n = b->last(); n; n = n->previous())
      if (!inlined_.contains(n) && !is_silent(n)) find_inputs(n);
  }
  // A value whose text is long gets a line. So does what would be computed before it where it stands: that keeps its order.
  void split_long(const Node* n) {
    if (texts_.at(n).size() + 2 * (depth_ + 1) < kLongText) return;
    std::vector<const Node*> split;
    size_t offset = n->first_use()->index;
    for (const Node* user = n->first_use()->user; user;) {
      const auto [done, fresh] = split_until_.try_emplace(user, -1);
      for (int k = static_cast<int>(offset); k > done->second; --k)
        if (inlined_.contains(user->input(static_cast<size_t>(k)))) split.push_back(user->input(static_cast<size_t>(k)));
      done->second = static_cast<int>(offset);
      if (!fresh || !inlined_.contains(user) || user->first_use()->index == 0) break;
      // Of the user, whose text is not made yet, what stands before it.
      offset = user->first_use()->index - 1;
      user = user->first_use()->user;
    }
    for (size_t k = split.size(); k-- > 0;) {
      inlined_.erase(split[k]);
      const std::string text = texts_.at(split[k]);
      line(identifier(split[k]) + " = " + text);
    }
  }

  // A list with values in it is one in PyTorch too, so that a long one gets a line, behind what would be computed before it.
  void split_lists(const Node* n) {
    if (!options_.readable || n->block_count()) return;
    // As the call is printed: x.reshape(a, b) has a list too.
    std::optional<Args> given = n->info() ? bound_args(n->info()->schema(), *n) : std::nullopt;
    const Args own = n->copy_args();
    const bool bound = given && given->size() <= n->info()->schema().arguments().size() && std::ranges::equal(given->nodes(), own.nodes());
    if (!bound) given = own;
    size_t inputs = 0;
    for (size_t k = 0; k < given->size(); ++k) {
      const ArgRef a = (*given)[k];
      const size_t within = nodes_within(a);
      std::string text;
      if (a.is(ArgKind::List) && within) text = value(a, bound ? n->info()->schema().arguments()[k].type : formal_of(n, k));
      if (text.size() + 2 * (depth_ + 1) >= kLongText) {
        for (size_t i = 0; i < inputs; ++i)
          if (inlined_.erase(n->input(i))) line(identifier(n->input(i)) + " = " + texts_.at(n->input(i)));
        const std::string name = fresh();
        line(name + " = " + text);
        lists_[{n, std::move(text)}] = name;
      }
      inputs += within;
    }
  }
  static size_t nodes_within(ArgRef a) {
    if (a.node()) return 1;
    size_t count = 0;
    if (a.is(ArgKind::List) || a.is(ArgKind::Tuple) || a.is(ArgKind::Dict) || a.is(ArgKind::Slice))
      for (ArgRef part : a) count += nodes_within(part);
    return count;
  }
  // An argument of a node, or the name of the list that it is.
  std::string argument(const Node* n, ArgRef a, Type formal) {
    std::string text = value(a, formal);
    const auto list = lists_.find({n, text});
    return list == lists_.end() ? text : list->second;
  }

  // --- Values.

  static Type without_optional(Type t) { return t.is(TypeKind::Optional) ? t.element() : t; }

  void check_values(ArgRef dict) const {
    if (const auto types = several_types(dict, options_))
      refuse(*g_.output(), concat("a dict that it returns holds ", types->first, " and ", types->second,
                                  ", and a dict of TorchScript has values of one type. Return a tuple, or a dict for each type"));
  }

  // `formal`: what takes the value, where that is known.
  std::string value(ArgRef a, Type formal = {}) {
    std::string out;
    const Type inner = formal ? without_optional(formal) : Type();
    auto parts = [&](std::string_view open, std::string_view close) {
      out = open;
      size_t k = 0;
      for (ArgRef p : a) {
        const Type element = inner.is(TypeKind::List)                                   ? inner.element()
                             : inner.is(TypeKind::Tuple) && k < inner.elements().size() ? inner.elements()[k]
                                                                                        : Type();
        out += (k++ ? ", " : "") + value(p, element);
      }
      return out += close;
    };
    switch (a.kind()) {
      case ArgKind::Node:
        if (a.as_node() == self_) return "self";
        out = inlined_.contains(a.as_node())  ? texts_.at(a.as_node())
              : is_module_object(a.as_node()) ? read(a.as_node()->target().name())
                                              : identifier(a.as_node());
        // What item() gives is a number in TorchScript, which no int is made of by itself: [n, m] as sizes.
        if ((inner.is(TypeKind::Int) || inner.is(TypeKind::SymInt)) && a.as_node()->type().is(TypeKind::Number))
          return concat("int(", out, ")");
        return out;
      case ArgKind::List:
        if (a.size() == 0 && inner.is(TypeKind::List) && !inner.element().is(TypeKind::Variable))
          return concat("annotate(", type(inner), ", [])");
        if (inner.is(TypeKind::List) &&
            (inner.element().is(TypeKind::Union) || (options_.readable && inner.element().is(TypeKind::Optional))))  // no reader infers it
          return concat("annotate(", type(inner), ", ", parts("[", "]"), ")");
        return parts("[", "]");
      case ArgKind::Tuple: return parts("(", a.size() == 1 ? ",)" : ")");
      case ArgKind::Dict: {
        size_t k = 0;
        const bool typed = inner.is(TypeKind::Dict);
        if (a.size() == 0 && typed) return concat("annotate(", type(inner), ", {})");
        if (!typed || inner.elements()[1].is(TypeKind::Union)) check_values(a);
        out = "{";
        for (ArgRef p : a) out += (k == 0 ? "" : k % 2 ? ": " : ", ") + value(p, typed ? inner.elements()[k % 2] : Type()), ++k;
        return out + "}";
      }
      case ArgKind::DType: return std::to_string(static_cast<int>(info(a.as_dtype()).code));
      case ArgKind::MemoryFormat: return std::to_string(static_cast<int>(a.as_memory_format()));
      case ArgKind::Layout: return "0";
      case ArgKind::Device: return "torch.device(\"" + to_string(a.as_device()) + "\")";
      case ArgKind::Tensor: return constant(a.as_tensor().shared_from_this());
      case ArgKind::Bool: return a.as_bool() ? "True" : "False";
      case ArgKind::Str: return str(a.as_str());
      case ArgKind::Float: print_torchscript_float(out, a.as_float()); return out;
      case ArgKind::Int:
        if (inner.is(TypeKind::Float)) print_torchscript_float(out, static_cast<double>(a.as_int()));
        else print_arg(out, a);
        return out;
      case ArgKind::Complex: {
        out = "complex(";
        print_torchscript_float(out, a.as_complex().real());
        out += ", ";
        print_torchscript_float(out, a.as_complex().imag());
        return out + ")";
      }
      default: print_arg(out, a); return out;
    }
  }

  // A value of exactly this type, where PyTorch would not infer it: None for Optional[Tensor].
  std::string typed_value(ArgRef a, Type wanted) {
    const Type own = type_of(a);
    std::string text = value(a, wanted);
    if (!wanted || text.starts_with("annotate(") || !options_.strict || (own && type(own) == type(wanted))) return text;
    return concat("annotate(", type(wanted), ", ", text, ")");
  }

  // Numbered in the order of their first use, as PyTorch's code does it; what they hold stands beside the code.
  std::string constant(const TensorRef& t) {
    size_t k = 0;
    while (k < constants_.size() && constants_[k] != t) ++k;
    if (k == constants_.size()) constants_.push_back(t);
    return concat("CONSTANTS.c", k);
  }

  // --- Expressions.

  Type formal_of(const Node* n, size_t k) const {
    if (!n->info()) return {};
    const std::vector<Argument>& formals = n->info()->schema().arguments();
    // [] + sizes: what the result has tells what an empty list is.
    if (k < formals.size() && formals[k].type.is(TypeKind::List) && formals[k].type.element().is(TypeKind::Variable) &&
        n->type().is(TypeKind::List))
      return n->type();
    if (k < n->positional_count()) return k < formals.size() ? formals[k].type : Type();
    const int at = n->info()->schema().index_of(n->keyword(k - n->positional_count()));
    return at < 0 ? Type() : formals[static_cast<size_t>(at)].type;
  }

  // torch.div(7, x, rounding_mode="floor"), which TorchScript has for tensors alone: a number in front of a tensor is written as a tensor without dims, of the
  // dtype of the result, which promotes and computes as the number does. Its own division by a tensor without a mode multiplies by the reciprocal.
  std::optional<std::string> with_number_first(const Node* n) {
    if (!n->info() || n->multi() || !n->type().is(TypeKind::Tensor)) return {};
    const FunctionSchema& schema = n->info()->schema();
    const std::string_view name = schema.name();
    const bool arithmetic = name == "aten::add" || name == "aten::sub" || name == "aten::div";
    if (!arithmetic && name != "aten::floor_divide") return {};
    const std::optional<Args> bound = bound_args(schema, *n);
    const std::optional<DType> dtype = n->type().tensor().dtype;
    if (!bound || bound->size() < 2 || !dtype || *dtype == DType::f16 || *dtype == DType::bf16) return {};
    const Type number = type_of((*bound)[0]);
    if (!number.is(TypeKind::Int) && !number.is(TypeKind::Float)) return {};
    if (!schema.arguments()[0].type.is(TypeKind::Tensor) || !type_of((*bound)[1]).is(TypeKind::Tensor)) return {};
    const bool plain = bound->size() < 3 || ((*bound)[2].is(ArgKind::Int) && (*bound)[2].as_int() == 1);
    if ((name == "aten::add" || name == "aten::sub") && plain) return {};
    std::string out = concat("torch.", name.substr(6), "(torch.scalar_tensor(", value((*bound)[0]), ", dtype=", info(*dtype).code, ")");
    for (size_t k = 1; k < bound->size(); ++k) {
      const Argument& formal = schema.arguments()[k];
      out += concat(", ", formal.kwarg_only ? formal.name + "=" : "", argument(n, (*bound)[k], formal.type));
    }
    return out + ")";
  }

  std::string arguments(const Node* n, size_t from, std::string_view last) {
    std::string out;
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k < from) continue;
      if (k > from) out += ", ";
      if (k >= n->positional_count()) out += n->keyword(k - n->positional_count()) + "=";
      out += argument(n, *it, formal_of(n, k));
    }
    return "(" + out + std::string(k > from ? last : "") + ")";
  }

  // What the user wrote is no call of the operator itself: x.device is getattr(x, "device"), and 1 - x is rsub(x, 1).
  std::string bound_arguments(const Node* n) {
    const std::vector<Argument>& formals = n->info()->schema().arguments();
    const std::optional<Args> bound = bound_args(n->info()->schema(), *n);
    if (!bound || bound->size() > formals.size()) return arguments(n, 0, "");
    size_t count = bound->size();
    auto is_default = [&](size_t k) {
      if (options_.keeps_lists && formals[k].type.is(TypeKind::List)) return false;
      return formals[k].default_value && value((*bound)[k], formals[k].type) == value((*formals[k].default_value)[0], formals[k].type);
    };
    while (count > 0 && is_default(count - 1)) --count;
    std::string out;
    for (size_t k = 0; k < count; ++k)
      out += concat(k ? ", " : "", formals[k].kwarg_only ? formals[k].name + "=" : "", argument(n, (*bound)[k], formals[k].type));
    return "(" + out + ")";
  }

  // A module as an object stands where it is used, as `self.encoder`.
  static bool is_module_object(const Node* n) {
    return n->op() == Op::GetAttr && n->type().is(TypeKind::Class) && n->type().name() == kModuleObject;
  }
  static std::string read(std::string_view path) {
    if (path == kModuleObject) return "self";
    if (path.ends_with(kModuleObject)) path.remove_suffix(kModuleObject.size() + 1);
    return torchscript_attribute("self", path);
  }

  // What TorchScript has words of its own for.
  std::optional<std::string> special(const Node* n, const std::string& target) {
    const size_t count = n->arg_count();
    auto items = [&](std::string_view open, std::string_view close, Type element) {
      std::string out(open);
      size_t k = 0;
      for (auto it = n->args_begin(); it != n->args_end(); ++it)
        out += (k++ ? ", " : "") + (element ? typed_value(*it, element) : value(*it));
      return out.append(close);
    };
    if (target == "prim::ListConstruct") {
      const Type t = n->type();
      if (count == 0 && t.is(TypeKind::List)) return concat("annotate(", type(t), ", [])");
      // PyTorch takes [annotate(Optional[Tensor], x)] for a list of tensors.
      if (options_.strict && t.is(TypeKind::List) && t.element().is(TypeKind::Optional))
        return concat("annotate(", type(t), ", ", items("[", "]", {}), ")");
      return items("[", "]", t.is(TypeKind::List) ? t.element() : Type());
    }
    if (target == "prim::TupleConstruct") {
      if (n->type().is(TypeKind::NamedTuple)) return items(type(n->type()) + "(", ")", {});
      return items("(", count == 1 ? ",)" : ")", {});
    }
    if (target == "prim::DictConstruct") {
      const Type t = n->type();
      if (count == 0 && t.is(TypeKind::Dict)) return concat("annotate(", type(t), ", {})");
      std::string out = "{";
      size_t k = 0;
      for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
        out += (k == 0 ? "" : k % 2 ? ": " : ", ") + (t.is(TypeKind::Dict) ? typed_value(*it, t.elements()[k % 2]) : value(*it));
      return out + "}";
    }
    if (target == "prim::ListUnpack" || target == "prim::TupleUnpack") return value(n->arg(0));
    if ((target == "aten::__getitem__" || target == "prim::TupleIndex" || target == "operator.getitem") && n->positional_count() == 2) {
      const std::string base = value(n->arg(0));
      const bool name = std::ranges::all_of(base, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
      const bool bare = name && n->arg(0).is(ArgKind::Node) && target != "prim::TupleIndex";
      return concat(bare ? base : "(" + base + ")", "[", value(n->arg(1)), "]");
    }
    if (target == "prim::Constant" && count) return value(n->arg(0), n->type());
    if (target == "prim::Uninitialized") return concat("uninitialized(", type(n->type()), ")");
    if (target == "prim::unchecked_cast" && count) return concat("unchecked_cast(", type(n->type()), ", ", value(n->arg(0)), ")");
    if (target == "prim::GetAttr" && count == 2) return torchscript_attribute(value(n->arg(0)), n->arg(1).as_str());
    if (target == "prim::SetAttr" && count == 3)
      return concat(torchscript_attribute(value(n->arg(0)), n->arg(1).as_str()), " = ", value(n->arg(2)));
    if (target == "prim::CreateObject") return concat(type(n->type()), ".__new__(", type(n->type()), ")");
    if (target == "prim::EnumMember" && count >= 2) return concat(type(n->type()), ".", n->arg(1).as_str());
    if (options_.strict && target == "aten::set_grad_enabled" && count == 1 && n->arg(0).is(ArgKind::Bool) && n->arg(0).as_bool())
      refuse(*n, "its executor decides by itself what requires grad after gradients are switched on again");
    if (options_.strict && target == "aten::__contains__" && count == 2 && type_of(n->arg(0)).is(TypeKind::Str))
      return concat("torch.ne(torch.find(", value(n->arg(0)), ", ", value(n->arg(1)), "), -1)");
    if (options_.strict && target == "aten::__contains__" && count == 2 && type_of(n->arg(1)).is(TypeKind::Enum))
      refuse(*n, "it looks for no members of Enums in lists");
    // There a value of type Any is never None, whatever it is when it runs.
    if (options_.strict && (target == "aten::__is__" || target == "aten::__isnot__") && count == 2 &&
        type_of(n->arg(0)).is(TypeKind::Any) && n->arg(1).is_none()) {
      const std::string is = concat("isinstance(", value(n->arg(0)), ", NoneType)");
      return target == "aten::__is__" ? is : concat("torch.__not__(", is, ")");
    }
    // Members of Enums are equal where they are the same one.
    if ((target == "aten::__is__" || target == "aten::__isnot__") && type_of(n->arg(0)).is(TypeKind::Enum))
      return concat(target == "aten::__is__" ? "torch.eq(" : "torch.ne(", value(n->arg(0)), ", ", value(n->arg(1)), ")");
    // TorchScript's power of two ints is a float.
    if (options_.strict && options_.int_power && n->info() && n->info()->name() == "aten::pow.int_to_int")
      return options_.int_power() + arguments(n, 0, "");
    if (target == "prim::EnumName") return value(n->arg(0)) + ".name";
    if (target == "prim::EnumValue") return value(n->arg(0)) + ".value";
    if (target == "prim::tolist" && count == 2) return concat("annotate(", type(n->type()), ", ", value(n->arg(0)), ".tolist())");
    if (target == "prim::isinstance" && count == 2 && n->arg(1).is(ArgKind::Str)) {
      const std::string asked = asked_type(n, parse_type(n->arg(1).as_str()));
      if (options_.strict && asked.find("Dict[Any, ") != std::string::npos)
        refuse(*n,
               "its isinstance() knows no dict of anything; name the types of its keys and values, for example isinstance(x, Dict[str, "
               "Tensor])");
      return concat("isinstance(", value(n->arg(0)), ", ", asked, ")");
    }
    // Dtypes and layouts are numbers there.
    if ((target == "prim::number_of_dtype" || target == "prim::dtype_of_number" || target == "prim::number_of_layout") && count == 1)
      return value(n->arg(0));
    // Of the specs that Python has, TorchScript's own formats know these.
    if (target == "prim::format" && count == 2 && n->arg(1).is(ArgKind::Str)) {
      const std::string& spec = n->arg(1).as_str();
      if (spec.empty()) return concat("torch.format(\"{}\", ", value(n->arg(0)), ")");
      if (spec == "d" || spec == "s") return concat("torch.percentFormat(\"%", spec, "\", ", value(n->arg(0)), ")");
    }
    if (target == "prim::Print" && count == 1) return concat("print(", value(n->arg(0)), ")");
    if (target == "prim::RaiseException" && count == 2) {
      const std::string cls = n->arg(1).is(ArgKind::Str) ? n->arg(1).as_str() : "Exception";
      if (options_.readable && is_assertion(n)) return concat("ops.prim.RaiseException(", str(concat(kAssertion, n->arg(0).as_str())), ")");
      if (options_.readable && cls == "AssertionError") return concat("ops.prim.RaiseException(", value(n->arg(0)), ")");
      std::string text;
      print_torchscript_string(text, cls.find('.') == std::string::npos ? concat("builtins.", cls) : cls);
      return concat("ops.prim.RaiseException(", value(n->arg(0)), ", ", text, ")");
    }
    return {};
  }

  std::string expression(const Node* n) {
    std::string target = n->target().overload ? *n->target().overload : n->target().name();
    switch (n->op()) {
      case Op::GetAttr: return read(target);
      case Op::CallModule: return "(" + torchscript_attribute("self", target) + ").forward" + arguments(n, 0, ", ");
      case Op::CallMethod: return "(" + (n->arg_count() ? value(n->arg(0)) : "self") + ")." + target + arguments(n, 1, ", ");
      default: break;
    }
    if (is_kept_call(n)) {
      const auto known = functions_.find(target);
      return (known == functions_.end() ? target : known->second) + arguments(n, 0, ", ");
    }
    const size_t colons = target.find("::"), dot = colons == std::string::npos ? colons : target.find('.', colons + 3);
    if (auto text = special(n, target.substr(0, dot))) return *text;
    if (colons == std::string::npos) {
      if (options_.strict) refuse(*n, "it is not an operator");
      return target + arguments(n, 0, "");
    }
    if (options_.strict)
      if (auto text = with_number_first(n)) return *text;
    if (options_.strict) check_numbers(*n);
    if (options_.strict && !n->info()) refuse(*n, "no operator of this name is known, so that its arguments are not either");
    if (options_.why_not && n->info())
      if (const char* why = options_.why_not(*n->info())) refuse(*n, why);
    const std::string space = target.substr(0, colons), base = target.substr(colons + 2, dot == std::string::npos ? dot : dot - colons - 2);
    if (space == "aten" && n->arg_count() == 1)
      for (const auto& [name, cast] : {std::pair{"Bool", "bool"}, std::pair{"Int", "int"}, std::pair{"Float", "float"},
                                       std::pair{options_.readable ? "str" : "", "str"}})
        if (base == name) return cast + arguments(n, 0, "");
    if (target == "prim::device.str" || target == "prim::device.with_index") return "torch.device" + arguments(n, 0, "");
    const std::string& surface = n->target().name();
    const bool spelled = n->info() && (options_.readable || surface.starts_with("operator.") || surface.ends_with("getattr"));
    return (space == "aten" ? "torch." : concat("ops.", space, ".")) + base + (spelled ? bound_arguments(n) : arguments(n, 0, ""));
  }

  // --- Statements.

  std::string results(const Node* n) {
    if (!n->multi() && n->structure() == Structure::None) return identifier(n);
    std::string out;
    for (size_t k = 0; k < n->result_count(); ++k) {
      const Node* r = n->result(k);
      out += concat(k ? ", " : "", r ? identifier(r) : fresh());
    }
    const std::string& target = n->target().name();
    return out + (n->multi() && (!options_.readable || target == "prim::ListUnpack" || target == "prim::TupleUnpack") ? "," : "");
  }

  void visit(Node* n) {
    origin_ = n->span();
    if (n->op() == Op::Placeholder || n->is_projection() || is_module_object(n)) return;
    if (n->op() == Op::Output) return end(n);
    split_lists(n);
    if (inlined_.contains(n)) {
      texts_[n] = expression(n);
      return split_long(n);
    }
    if (n->is_if()) {
      // Arms of several types: the variable has the wider one before them.
      for (size_t k = 0; k < n->result_count(); ++k)
        if (const Node* r = n->result(k); r && options_.strict && n->result_type(k).is(TypeKind::Union))
          line(concat(identifier(r), " = uninitialized(", type(n->result_type(k)), ")"));
      if (options_.readable)  // named before what its arms compute
        for (size_t k = 0; k < n->result_count(); ++k)
          if (n->result(k)) identifier(n->result(k));
      line("if " + value(n->arg(0)) + ":");
      ++depth_, length_ = out_.size();
    } else if (n->is_loop()) {
      begin_loop(n);
    } else {
      const std::string text = expression(n);
      const bool nothing = n->type().is(TypeKind::None) && !n->has_uses() && !(options_.readable && is_kept_call(n));
      line(nothing || (n->result_count() == 0) ? text : results(n) + " = " + text);
      value_guards(n);
      if (n->multi())
        for (size_t k = 0; k < n->result_count(); ++k)
          if (n->result(k)) value_guards(n->result(k));
    }
  }

  static bool is_true(ArgRef a) { return a.is(ArgKind::Bool) && a.as_bool(); }
  static bool is_endless(ArgRef a) { return a.is(ArgKind::Int) && a.as_int() >= std::numeric_limits<int64_t>::max() / 2; }

  struct LoopNames {
    bool counted = false, counts = false;  // `for`; or a counter of its own
    std::string goes_on, counter, count;
    std::vector<Type> types;
  };

  // How often a Loop runs at most. What item() gives is a number in TorchScript, which range() does not take.
  std::string count_of(const Node* n) {
    return type_of(n->arg(0)).is(TypeKind::Number) ? concat("int(", value(n->arg(0)), ")") : value(n->arg(0));
  }
  void begin_loop(Node* n) {
    LoopNames& loop = loops_[n];
    const auto slots = n->block(0)->placeholders();
    const Node* body_end = n->block(0)->output();
    if (options_.readable)  // what a Loop carries has one name, in it and behind it
      for (size_t c = 1; c < slots.size(); ++c) {
        const std::string& name = identifier(slots[c]);
        if (const Node* r = n->result(c - 1)) names_[r] = name;
      }
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k >= 2) {
        loop.types.push_back(n->result_type(k - 2));
        line(identifier(slots[k - 1]) + " = " + typed_value(*it, slots[k - 1]->type() ? slots[k - 1]->type() : loop.types.back()));
      }
    loop.counted = is_true(n->arg(1)) && body_end && is_true(body_end->arg(0)) && !is_endless(n->arg(0));
    if (!options_.readable || loop.counted || slots[0]->has_uses() || !is_endless(n->arg(0))) loop.counter = identifier(slots[0]);
    if (loop.counted) {
      line("for " + loop.counter + " in range(" + count_of(n) + "):");
    } else {
      loop.goes_on = options_.readable ? numbered("_") : unique(identifier(n) + "_goes_on");
      loop.counts = !is_endless(n->arg(0));
      const std::string condition = value(n->arg(1));
      if (loop.counts || slots[0]->has_uses()) line(loop.counter + " = 0");
      if (loop.counts) {
        loop.count = options_.readable ? numbered("_") : unique(identifier(n) + "_count");
        line(loop.count + " = " + count_of(n));
      }
      line(loop.goes_on + " = " + (loop.counts ? concat("torch.__and__(", condition, ", torch.gt(", loop.count, ", 0))") : condition));
      line("while " + loop.goes_on + ":");
    }
    ++depth_, length_ = out_.size();
  }

  // The output of a block: the function's return, or what an arm or body leaves behind.
  void end(Node* n) {
    const Node* owner = n->block()->owner();
    if (!owner) return end_function(n);
    if (owner->is_loop()) return end_body(n, loops_.at(owner), n->block()->placeholders());
    size_t k = 0;
    std::string to, from;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      const Node* r = owner->result(k);
      if (!r) continue;
      const std::string text = typed_value(*it, owner->result_type(k));
      if (options_.readable) to += (to.empty() ? "" : ", ") + identifier(r), from += (from.empty() ? "" : ", ") + text;
      else line(identifier(r) + " = " + text);
    }
    if (!to.empty()) line(to + " = " + from);
    if (out_.size() == length_) line("pass");
  }

  void end_function(Node* n) {
    if (n->arg_count() == 0) return line("return None");
    const Type whole = returned();
    if (n->arg_count() == 1) return line("return " + value(n->arg(0), whole));
    std::string all;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) all += (all.empty() ? "" : ", ") + value(*it);
    line("return (" + all + ")");
  }

  static bool mentions(const std::string& code, const std::string& name) {
    if (name.empty()) return false;
    auto is_part = [&](size_t at) { return at < code.size() && (std::isalnum(static_cast<unsigned char>(code[at])) || code[at] == '_'); };
    for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1))
      if (!is_part(at + name.size()) && (at == 0 || !is_part(at - 1))) return true;
    return false;
  }

  void end_body(Node* n, const LoopNames& loop, const std::vector<Node*>& slots) {
    std::string to, from;
    size_t k = 0;
    auto add = [&](const std::string& name, const std::string& what) {
      if (name == what) return;
      to += (to.empty() ? "" : ", ") + name;
      from += (from.empty() ? "" : ", ") + what;
    };
    std::vector<std::string> values;
    bool uses_counter = false;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      values.push_back(k ? typed_value(*it, slots[k]->type() ? slots[k]->type() : loop.types[k - 1]) : value(*it));
      uses_counter = uses_counter || mentions(values.back(), loop.counter);
    }
    // What the iteration leaves behind may be its number, so both are set at once then.
    const bool counts = loop.counts || (!loop.counted && slots[0]->has_uses());
    const std::string next = concat("torch.add(", loop.counter, ", 1)");
    if (counts && !uses_counter) line(loop.counter + " = " + next);
    if (!loop.counted)
      add(loop.goes_on, loop.counts
                            ? concat("torch.__and__(", values[0], ", torch.lt(", uses_counter ? next : loop.counter, ", ", loop.count, "))")
                            : values[0]);
    for (k = 1; k < values.size(); ++k) add(identifier(slots[k]), values[k]);
    if (counts && uses_counter) add(loop.counter, next);
    if (!to.empty()) line(to + " = " + from);
    if (out_.size() == length_) line("pass");
  }

  void leave(Block* b) {
    const Node* owner = b->owner();
    if (!owner) return;
    origin_ = owner->span();
    --depth_;
    if (owner->is_if() && b->index() == 0) {
      line("else:");
      ++depth_, length_ = out_.size();
    } else if (owner->is_loop()) {
      const auto slots = b->placeholders();
      for (size_t k = 0; k + 1 < slots.size(); ++k)
        if (const Node* r = owner->result(k); r && identifier(r) != identifier(slots[k + 1]))
          line(identifier(r) + " = " + identifier(slots[k + 1]));
    }
    if (!owner->is_if() || b->index() == 1)
      for (size_t k = 0; k < owner->result_count(); ++k)
        if (owner->result(k)) value_guards(owner->result(k));
  }

  // --- Guards.

  // PyTorch's types do not say what the capture relied on, so that the code checks it. An archive that is read here has types in place of these lines
  // (formats/torchscript/dialect.h), which knows their form.
  std::string input_checks() {
    std::string code = std::exchange(out_, "");
    for (const Node* p : g_.placeholders())
      if (p != self_) input_check(p->type(), identifier(p), p->target().name());
    return std::exchange(out_, std::move(code));
  }
  void input_check(Type t, const std::string& place, const std::string& name) {
    if (t.is(TypeKind::Tuple))
      for (size_t k = 0; k < t.elements().size(); ++k)
        input_check(t.elements()[k], concat("(", place, ")[", k, "]"), concat(name, "[", k, "]"));
    if (!t.is(TypeKind::Tensor)) return;
    const TensorType& known = t.tensor();
    std::string test;
    if (known.dtype) test = concat("torch.ne(ops.prim.dtype(", place, "), ", static_cast<int>(info(*known.dtype).code), ")");
    if (known.sizes) {
      const std::string dims = concat("torch.ne(torch.dim(", place, "), ", known.sizes->size(), ")");
      test = test.empty() ? dims : concat("torch.__or__(", test, ", ", dims, ")");
    }
    if (test.empty()) return;
    TensorType kind;
    kind.dtype = known.dtype;
    if (known.sizes) kind.sizes.emplace(known.sizes->size());
    std::string message;
    print_torchscript_string(message,
                             concat("Input '", name, "' must be ", in_words(kind),
                                    ", as where the graph was captured; capture the function again with an input of the other kind"));
    line(concat("if ", test, ":"));
    line(concat("  ops.prim.RaiseException(", message, ", \"builtins.TypeError\")"));
    line("else:");
    line("  pass");
  }

  void guard(const Guard& g, const std::string& is) {
    const Span around = std::exchange(origin_, g.span);
    std::string expected, message, text = value(g.expected[0]);
    print_arg(expected, g.expected[0]);
    print_torchscript_string(message, concat("the graph was captured where `", g.expression, "` is ", expected,
                                             ", but here it is not; capture the function again with such an input",
                                             g.span.known() ? concat(" (", to_string(g.span), ")") : std::string()));
    line(concat("if torch.ne(", is, ", ", text, "):"));
    ++depth_;
    line(concat("ops.prim.RaiseException(", message, ", \"builtins.RuntimeError\")"));
    --depth_;
    line("else:");
    ++depth_;
    line("pass");
    --depth_;
    origin_ = around;
  }

  void value_guards(const Node* n) {
    if (const auto found = guards_.find(n); found != guards_.end())
      for (const Guard* g : found->second) guard(*g, identifier(n));
  }

  // Sizes are checked before anything runs. A symbol is a dim of an input.
  void size_guards() {
    std::map<std::string, std::string> sources;
    for (const Node* p : g_.placeholders()) {
      if (!p->type().is(TypeKind::Tensor) || !p->type().tensor().sizes) continue;
      const auto& sizes = *p->type().tensor().sizes;
      for (size_t d = 0; d < sizes.size(); ++d)
        if (sizes[d] && sizes[d]->as_symbol())
          sources.emplace(sizes[d]->as_symbol()->name, concat("torch.size(", identifier(p), ", ", d, ")"));
    }
    std::set<std::string> read;
    for (const Guard& g : g_.guards()) {
      if (g.value) continue;
      g.size.visit_symbols([&](const Symbol& s) {
        if (!read.insert(s.name).second) return;
        const auto found = sources.find(s.name);
        if (found == sources.end()) {
          Error e(ErrorKind::NotImplemented, concat("PyTorch cannot express the guard `", g.expression, "`: its size is that of no input"));
          e.locate(g.span);
          throw e;
        }
        used_.insert(s.name);
        origin_ = g.span;
        line(s.name + " = " + found->second);
      });
      guard(g, to_string(g.size));
    }
  }

  const Graph& g_;
  const TorchScriptCode& options_;
  std::vector<TensorRef>& constants_;
  const Node* self_ = nullptr;
  std::string out_;
  Span origin_;  // of the lines that are being written
  size_t depth_ = 0, length_ = 0, unnamed_ = 0;
  std::unordered_map<const Node*, std::string> names_;
  std::unordered_set<std::string> used_;
  std::unordered_map<const Node*, std::vector<const Guard*>> guards_;
  std::unordered_map<const Node*, LoopNames> loops_;
  std::unordered_set<const Node*> inlined_;
  std::unordered_map<const Node*, std::string> texts_;  // of the inlined ones
  std::map<std::pair<const Node*, std::string>, std::string> lists_;  // the names of those that got a line, by user and text
  std::unordered_map<const Node*, int> split_until_;  // by user: the inputs up to this one have lines, where they need them
  std::unordered_map<std::string, int> next_number_;
  std::unordered_map<std::string, std::string> functions_, strs_;  // their names in this code
};

}  // namespace

std::string to_torchscript_code(const Graph& graph, const TorchScriptCode& options, std::vector<TensorRef>& constants) {
  return CodePrinter(graph, options, constants).run();
}

std::string to_torchscript_code(const Graph& graph) {
  std::vector<TensorRef> constants;
  TorchScriptCode options;
  options.readable = true;
  return to_torchscript_code(graph, options, constants);
}

}  // namespace monograph::ir
