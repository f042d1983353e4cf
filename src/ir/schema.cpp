// SchemaParser reads one signature; printing writes the same text.
#include "ir/schema.h"

#include <algorithm>
#include <charconv>

#include "ir/scanner.h"

namespace monograph::ir {

// A recursive-descent parser of one line; its depth is that of the types in it.
class SchemaParser final : private Scanner {
 public:
  explicit SchemaParser(std::string_view text) : Scanner(text) {}

  FunctionSchema schema() {
    FunctionSchema s;
    s.name_ = word(":");
    if (accept(".")) s.overload_ = word("");
    s.full_name_ = s.overload_.empty() ? s.name_ : s.name_ + "." + s.overload_;
    expect("(");
    bool kwarg_only = false;
    if (!accept(")")) {
      do {
        if (accept("...")) {
          s.vararg_ = true;
          break;
        }
        if (accept("*")) {
          if (kwarg_only) error("a second '*'");
          kwarg_only = true;
          continue;
        }
        Argument a = value(true);
        a.kwarg_only = kwarg_only;
        s.arguments_.push_back(std::move(a));
      } while (accept(","));
      expect(")");
    }
    expect("->");
    if (accept("...")) {
      s.varret_ = true;
    } else if (peek() == '(') {
      expect("(");
      if (!accept(")")) {
        do {
          if (accept("...")) {
            s.varret_ = true;
            break;
          }
          s.returns_.push_back(value(false));
        } while (accept(","));
        expect(")");
      }
    } else {
      s.returns_.push_back(value(false));
    }
    if (peek()) error("unexpected text after the schema");
    // An out argument is written, keyword-only, and returned under the same mark.
    for (Argument& a : s.arguments_)
      a.out = a.kwarg_only && a.alias && a.alias->write && std::any_of(s.returns_.begin(), s.returns_.end(), [&](const Argument& r) {
                return r.alias && r.alias->before == a.alias->before;
              });
    return s;
  }

 private:
  [[noreturn]] void error(std::string_view what) override {
    fail(ErrorKind::Value, "column ", at_ + 1, " of the schema '", text_, "': ", what);
  }
  std::string word(std::string_view also) {
    peek();
    const std::string_view found = take_while([&](char c) { return is_word(c) || also.find(c) != std::string_view::npos; });
    if (found.empty()) error("expected a name");
    return std::string(found);
  }

  // One argument or result: type, alias marks, name, default.
  Argument value(bool argument) {
    Argument a;
    a.type = type(&a);
    if (argument || is_letter(peek())) a.name = word(".");
    if (argument && accept("=")) {
      a.enumerated_default = a.type.is(TypeKind::Int) && is_letter(peek());
      a.default_value = default_value(a);
    }
    return a;
  }

  Type type(Argument* top) {
    if (++depth_ > kMaxTypeDepth) error("a type nests too deep");
    Type t;
    if (accept("(")) {
      t = Type::tuple(types(")"));
    } else {
      std::string name = word(".");
      bool generic = name == "Dict" || name == "Future" || name == "List" || name == "Optional" || name == "Union" || name == "Tuple" ||
                     name == "RRef" || name == "Await";
      if (generic && accept("(")) t = generic_type(name, types(")"));
      else t = named(name);
    }
    std::optional<AliasMark> mark;
    for (;;) {
      if (peek() == '(') {
        mark = alias();
      } else if (accept("[")) {
        if (mark && top) top->element_alias = std::exchange(mark, std::nullopt);
        int size = -1;
        if (is_digit(peek())) size = static_cast<int>(integer());
        expect("]");
        if (top) top->list_size = size;
        t = Type::list(t);
      } else if (accept("?")) {
        t = Type::optional(t);
      } else {
        break;
      }
    }
    if (top) top->alias = std::move(mark);
    --depth_;
    return t;
  }
  std::vector<Type> types(std::string_view close) {
    std::vector<Type> result;
    if (accept(close)) return result;
    do result.push_back(type(nullptr));
    while (accept(","));
    expect(close);
    return result;
  }
  Type generic_type(const std::string& name, const std::vector<Type>& t) {
    if (name == "Dict" && t.size() == 2) return Type::dict(t[0], t[1]);
    if (name == "Future" && t.size() == 1) return Type::future(t[0]);
    if (name == "List" && t.size() == 1) return Type::list(t[0]);
    if (name == "Optional" && t.size() == 1) return Type::optional(t[0]);
    if (name == "Union" && !t.empty()) return Type::unite(t);
    if (name == "Tuple") return Type::tuple(t);
    if (t.size() == 1) return Type::named(TypeKind::Opaque, concat(name, "(", to_string(t[0]), ")"));
    error(concat(name, " takes another number of types"));
  }
  Type named(const std::string& name) {
    // Words of the language that are no type of a value elsewhere.
    if (name == "AnyClassType" || name == "AnyEnumType" || name == "AnyListType" || name == "AnyTupleType" || name == "ConstQuantizerPtr" ||
        name == "Capsule" || name == "PyObject" || name == "DeviceObjType" || name == "StreamObjType" || name == "StreamContext" ||
        name == "Quantizer" || name == "AnyList" || name == "AnyTuple" || name == "W")
      return Type::named(TypeKind::Opaque, name);
    try {
      return parse_type(name);
    } catch (const Error& e) {
      error(e.what());
    }
  }

  AliasMark alias() {
    AliasMark mark;
    expect("(");
    auto sets = [&](std::vector<std::string>& into) {
      do into.push_back(accept("*") ? "*" : word(""));
      while (accept("|"));
      std::sort(into.begin(), into.end());
    };
    sets(mark.before);
    mark.write = accept("!");
    if (accept("->")) sets(mark.after);
    else mark.after = mark.before;
    expect(")");
    return mark;
  }

  Args default_value(const Argument& a) {
    Args args;
    Type t = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    bool spread = t.is(TypeKind::List) && a.list_size > 0 && peek() != '[' && peek() != 'N';
    if (!spread) return literal(args, t), args;
    Args one;
    literal(one, t.element());
    args.open(ArgKind::List);
    for (int i = 0; i < a.list_size; ++i) args.add(one);
    args.close();
    return args;
  }

  void literal(Args& args, Type t) {
    char c = peek();
    if (c == '[') {
      expect("[");
      args.open(ArgKind::List);
      if (!accept("]")) {
        do literal(args, t.is(TypeKind::List) ? t.element() : t);
        while (accept(","));
        expect("]");
      }
      args.close();
    } else if (c == '"' || c == '\'') {
      ++at_;
      std::string text;
      if (!plainly_quoted(c, text)) error("a string does not end");
      args.add(text);
    } else if (is_digit(c) || c == '-' || c == '.') {
      number(args, t, take_while([](char d) { return is_digit(d) || d == '.' || d == 'e' || d == 'E' || d == '-' || d == '+'; }));
    } else {
      std::string name = word("");
      if (name == "None") args.none();
      else if (name == "True" || name == "False") args.add(name == "True");
      else enumerator(args, name);
    }
  }
  void number(Args& args, Type t, std::string_view digits) {
    bool real = digits.find_first_of(".eE") != std::string_view::npos || t.is(TypeKind::Float);
    double d = 0;
    int64_t i = 0;
    const char* end = digits.data() + digits.size();
    auto r = real ? std::from_chars(digits.data(), end, d) : std::from_chars(digits.data(), end, i);
    if (r.ec != std::errc() || r.ptr != end) error("expected a number");
    real ? args.add(d) : args.add(i);
  }
  // Names of PyTorch's enumerations, as its own parser reads them.
  void enumerator(Args& args, std::string_view name) {
    if (name == "Mean") return void(args.add(1));
    if (name == "Sum") return void(args.add(2));
    if (name == "inf") return void(args.add(std::numeric_limits<double>::infinity()));
    if (name == "contiguous_format") return void(args.add(MemoryFormat::Contiguous));
    if (name == "preserve_format") return void(args.add(MemoryFormat::Preserve));
    if (name == "strided") return void(args.layout());
    DType d;
    if (parse_dtype(name, d)) return void(args.add(d));
    error(concat("unknown default ", name));
  }

  int depth_ = 0;
};

FunctionSchema FunctionSchema::parse(std::string_view text) { return SchemaParser(text).schema(); }

int FunctionSchema::index_of(std::string_view argument) const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].name == argument) return static_cast<int>(i);
  return -1;
}

bool FunctionSchema::is_pure() const {
  return std::none_of(arguments_.begin(), arguments_.end(), [](const Argument& a) { return a.writes(); });
}

namespace {

bool wildcard(const std::vector<std::string>& sets) { return std::find(sets.begin(), sets.end(), "*") != sets.end(); }
bool intersect(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return wildcard(a) || wildcard(b) ||
         std::any_of(a.begin(), a.end(), [&](const std::string& s) { return std::find(b.begin(), b.end(), s) != b.end(); });
}
void collect(const Argument& a, bool after, std::vector<std::string>& sets) {
  for (const auto* mark : {&a.alias, &a.element_alias})
    if (*mark) {
      const auto& from = after ? (*mark)->after : (*mark)->before;
      sets.insert(sets.end(), from.begin(), from.end());
    }
}

}  // namespace

bool FunctionSchema::may_alias(size_t result, size_t argument) const {
  if (std::find(unmarked_.begin(), unmarked_.end(), std::pair(result, argument)) != unmarked_.end()) return true;
  std::vector<std::string> r, a;
  collect(returns_[result], true, r);
  collect(arguments_[argument], true, a);
  return !r.empty() && !a.empty() && intersect(r, a);
}

bool FunctionSchema::result_aliases(size_t result) const {
  return returns_[result].alias || returns_[result].element_alias ||
         std::any_of(unmarked_.begin(), unmarked_.end(), [&](const auto& pair) { return pair.first == result; });
}

bool FunctionSchema::returns_argument(size_t result, size_t argument) const {
  const auto &r = returns_[result].alias, &a = arguments_[argument].alias;
  return r && a && r->write && a->write && r->before == a->before;
}

namespace {

void print_mark(std::string& out, const std::optional<AliasMark>& mark) {
  if (!mark) return;
  auto sets = [&](const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) out += i ? "|" : "", out += names[i];
  };
  out += "(";
  sets(mark->before);
  if (mark->write) out += "!";
  if (mark->after != mark->before) out += " -> ", sets(mark->after);
  out += ")";
}

void print_value(std::string& out, const Argument& a) {
  Type t = a.type;
  bool optional = t.is(TypeKind::Optional);
  if (optional) t = t.element();
  if (t.is(TypeKind::List)) {
    Type e = t.element();
    bool inner = e.is(TypeKind::Optional) && a.element_alias;
    out += to_string(inner ? e.element() : e);
    print_mark(out, a.element_alias);
    if (inner) out += "?";
    out += "[";
    if (a.list_size >= 0) out += std::to_string(a.list_size);
    out += "]";
  } else {
    out += to_string(t);
  }
  print_mark(out, a.alias);
  if (optional) out += "?";
  if (!a.name.empty()) out += " ", out += a.name;
}

void print_default(std::string& out, const Argument& a) {
  ArgRef v = (*a.default_value)[0];
  out += "=";
  if (v.is(ArgKind::List) && a.list_size > 1 && v.size() > 1) {
    bool all = true;
    for (ArgRef part : v) all &= part.kind() == v[0].kind() && part.item()->i == v[0].item()->i;
    Type element = (a.type.is(TypeKind::Optional) ? a.type.element() : a.type).element();
    if (all && v[0].is(ArgKind::Int) && element.is(TypeKind::Int)) v = v[0];  // PyTorch shows SymInts one by one
  }
  if (v.is(ArgKind::MemoryFormat)) {
    out += to_string(v.as_memory_format()).substr(6);
  } else if (v.is(ArgKind::Layout)) {
    out += "strided";
  } else if (v.is(ArgKind::DType)) {
    out += name(v.as_dtype());
  } else if (v.is(ArgKind::Float)) {
    print_float(out, v.as_float());
    if (out.ends_with(".0")) out.pop_back();  // "1.", as PyTorch writes it
  } else {
    print_arg(out, v);
  }
}

}  // namespace

std::string to_string(const FunctionSchema& s) {
  std::string out = s.full_name() + "(";
  bool kwarg_only = false;
  for (size_t i = 0; i < s.arguments().size(); ++i) {
    const Argument& a = s.arguments()[i];
    if (i) out += ", ";
    if (a.kwarg_only && !kwarg_only) out += "*, ", kwarg_only = true;
    print_value(out, a);
    if (a.default_value) print_default(out, a);
  }
  if (s.is_vararg()) out += s.arguments().empty() ? "..." : ", ...";
  out += ") -> ";
  bool parens = s.returns().size() != 1 || (s.is_varret() && !s.returns().empty()) || s.returns()[0].type.is(TypeKind::Tuple);
  if (s.is_varret() && s.returns().empty()) return out + "...";
  if (parens) out += "(";
  for (size_t i = 0; i < s.returns().size(); ++i) {
    if (i) out += ", ";
    print_value(out, s.returns()[i]);
  }
  if (s.is_varret()) out += ", ...";
  if (parens) out += ")";
  return out;
}

}  // namespace monograph::ir
