// Types are interned in one table. Below are printing, parsing, joins and the relation of subtypes.
#include "ir/type.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_set>

#include "core/hash.h"
#include "ir/scanner.h"

namespace monograph::ir {

const std::string* intern(std::string_view text) { return intern_file(text); }  // one table for all names of the process

struct TypeInfo {
  TypeKind kind = TypeKind::Any;
  int depth = 1;
  uint64_t size = 1;  // as a tree
  uint64_t hash = 0;
  const std::string* name = nullptr;
  TensorType tensor;
  std::vector<Type> elements;
  std::vector<std::string> fields;

  bool same(const TypeInfo& o) const {
    return kind == o.kind && hash == o.hash && name == o.name && elements == o.elements && fields == o.fields && tensor == o.tensor;
  }
  static Type handle(const TypeInfo* info) { return Type(info); }
  static uint64_t size_of(Type t) { return t.info_->size; }
};

namespace {

constexpr std::string_view kAtomicNames[kAtomicTypeCount] = {
    "Any",     "Tensor", "int",        "float",  "bool",         "complex",   "str",     "NoneType", "Scalar",  "SymInt",  "SymFloat",
    "SymBool", "Device", "ScalarType", "Layout", "MemoryFormat", "Generator", "Storage", "Stream",   "QScheme", "Dimname", "NoReturn"};

uint64_t hash_dims(uint64_t h, const std::optional<std::vector<TensorType::Dim>>& dims) {
  if (!dims) return hash_combine(h, 77);
  h = hash_combine(h, dims->size());
  for (const auto& d : *dims) h = hash_combine(h, d ? d->hash() : 99);
  return h;
}

const TypeInfo& atomic(TypeKind kind) {
  static const auto* table = [] {
    auto* t = new std::array<TypeInfo, kAtomicTypeCount>;
    for (int i = 0; i < kAtomicTypeCount; ++i) {
      (*t)[static_cast<size_t>(i)].kind = static_cast<TypeKind>(i);
      (*t)[static_cast<size_t>(i)].hash = hash_combine(0xa70, static_cast<uint64_t>(i));
    }
    return t;
  }();
  return (*table)[static_cast<size_t>(kind)];
}

struct TypeInfoHash {
  size_t operator()(const TypeInfo* t) const { return t->hash; }
};
struct TypeInfoEqual {
  bool operator()(const TypeInfo* a, const TypeInfo* b) const { return a->same(*b); }
};

const TypeInfo* intern(TypeInfo&& t) {
  uint64_t h = hash_combine(0xbeef, static_cast<uint64_t>(t.kind));
  if (t.name) h = hash_combine(h, hash_text(*t.name));
  for (const std::string& f : t.fields) h = hash_combine(h, hash_text(f));
  for (Type e : t.elements) {
    MONOGRAPH_CHECK(e, Value, "a type has a part that is not known");
    h = hash_combine(h, e.hash());
    t.depth = std::max(t.depth, e.depth() + 1);
    t.size += TypeInfo::size_of(e);
  }
  MONOGRAPH_CHECK(t.size <= kMaxTypeSize, Value, "a type has more than ", kMaxTypeSize, " parts");
  MONOGRAPH_CHECK(t.depth <= kMaxTypeDepth, Value, "a type nests deeper than ", kMaxTypeDepth);
  if (t.kind == TypeKind::Tensor) {
    h = hash_combine(h, t.tensor.dtype ? static_cast<uint64_t>(*t.tensor.dtype) : 1000);
    h = hash_combine(h, t.tensor.device ? hash_text(to_string(*t.tensor.device)) : 1001);
    h = hash_combine(h, t.tensor.requires_grad ? *t.tensor.requires_grad : 1002);
    h = hash_dims(hash_dims(h, t.tensor.sizes), t.tensor.strides);
  }
  t.hash = h;
  static std::mutex mutex;
  static auto* table = new std::unordered_set<const TypeInfo*, TypeInfoHash, TypeInfoEqual>;
  std::lock_guard lock(mutex);
  if (auto found = table->find(&t); found != table->end()) return *found;
  return *table->insert(new TypeInfo(std::move(t))).first;
}

Type make(TypeKind kind, std::vector<Type> elements, const std::string* name = nullptr, std::vector<std::string> fields = {}) {
  TypeInfo t;
  t.kind = kind;
  t.elements = std::move(elements);
  t.name = name;
  t.fields = std::move(fields);
  return TypeInfo::handle(intern(std::move(t)));
}

}  // namespace

TensorType TensorType::of(monograph::DType dtype, std::span<const monograph::SymInt> sizes) {
  TensorType t;
  t.dtype = dtype;
  t.sizes.emplace(sizes.begin(), sizes.end());
  return t;
}

Type::Type(TypeKind kind) : info_(&atomic(kind)) { MONOGRAPH_ASSERT(static_cast<int>(kind) < kAtomicTypeCount); }
Type::Type(TensorType tensor) {
  MONOGRAPH_CHECK(!tensor.strides || (tensor.sizes && tensor.strides->size() == tensor.sizes->size()), Value,
                  "a tensor type has other strides than sizes");
  if (tensor == TensorType()) {
    info_ = &atomic(TypeKind::Tensor);
    return;
  }
  TypeInfo t;
  t.kind = TypeKind::Tensor;
  t.tensor = std::move(tensor);
  info_ = intern(std::move(t));
}
Type Type::list(Type element) { return make(TypeKind::List, {element}); }
Type Type::optional(Type element) {
  if (element.is(TypeKind::None) || element.is(TypeKind::Optional) || element.is(TypeKind::Any)) return element;
  return make(TypeKind::Optional, {element});
}
Type Type::future(Type element) { return make(TypeKind::Future, {element}); }
Type Type::dict(Type key, Type value) { return make(TypeKind::Dict, {key, value}); }
Type Type::tuple(std::span<const Type> elements) { return make(TypeKind::Tuple, {elements.begin(), elements.end()}); }
Type Type::named_tuple(std::string_view name, std::span<const Type> elements, std::span<const std::string> fields) {
  MONOGRAPH_CHECK(elements.size() == fields.size(), Value, "the named tuple ", name, " has other fields than types");
  return make(TypeKind::NamedTuple, {elements.begin(), elements.end()}, ir::intern(name), {fields.begin(), fields.end()});
}
Type Type::named(TypeKind kind, std::string_view name) {
  MONOGRAPH_ASSERT(kind >= TypeKind::Class);
  return make(kind, {}, ir::intern(name));
}

Type Type::unite(std::span<const Type> alternatives) {
  std::vector<Type> flat;
  bool none = false;
  auto put = [&](auto& self, Type t) -> void {
    if (t.is(TypeKind::None)) {
      none = true;
    } else if (t.is(TypeKind::Optional)) {
      none = true;
      self(self, t.element());
    } else if (t.is(TypeKind::Union)) {
      for (Type e : t.elements()) self(self, e);
    } else if (std::find(flat.begin(), flat.end(), t) == flat.end()) {
      flat.push_back(t);
    }
  };
  for (Type t : alternatives) {
    if (t.is(TypeKind::Any)) return t;
    put(put, t);
  }
  if (flat.empty()) return TypeKind::None;
  std::vector<std::pair<std::string, Type>> sorted;
  sorted.reserve(flat.size());
  for (Type t : flat) sorted.emplace_back(to_string(t), t);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < flat.size(); ++i) flat[i] = sorted[i].second;
  Type result = flat.size() == 1 ? flat[0] : make(TypeKind::Union, std::move(flat));
  return none ? optional(result) : result;
}

TypeKind Type::kind() const { return info_->kind; }
const TensorType& Type::tensor() const {
  MONOGRAPH_ASSERT(is(TypeKind::Tensor));
  return info_->tensor;
}
std::span<const Type> Type::elements() const { return info_->elements; }
const std::string& Type::name() const {
  MONOGRAPH_ASSERT(info_->name);
  return *info_->name;
}
std::span<const std::string> Type::fields() const { return info_->fields; }
int Type::depth() const { return info_->depth; }
uint64_t Type::hash() const { return info_->hash; }

void Type::visit_symbols(const std::function<void(const Symbol&)>& f) const {
  if (!info_) return;
  for (auto* dims : {&info_->tensor.sizes, &info_->tensor.strides})
    if (*dims)
      for (const auto& d : **dims)
        if (d) d->visit_symbols(f);
  for (Type e : info_->elements) e.visit_symbols(f);
}

namespace {

bool dims_within(const std::optional<std::vector<TensorType::Dim>>& a, const std::optional<std::vector<TensorType::Dim>>& b) {
  if (!b) return true;
  if (!a || a->size() != b->size()) return false;
  for (size_t i = 0; i < a->size(); ++i)
    if ((*b)[i] && (*a)[i] != (*b)[i]) return false;
  return true;
}
bool tensor_within(const TensorType& a, const TensorType& b) {
  return (!b.dtype || a.dtype == b.dtype) && (!b.device || a.device == b.device) &&
         (!b.requires_grad || a.requires_grad == b.requires_grad) && dims_within(a.sizes, b.sizes) && dims_within(a.strides, b.strides);
}
std::optional<std::vector<TensorType::Dim>> join_dims(const std::optional<std::vector<TensorType::Dim>>& a,
                                                      const std::optional<std::vector<TensorType::Dim>>& b) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  auto r = *a;
  for (size_t i = 0; i < r.size(); ++i)
    if (r[i] != (*b)[i]) r[i].reset();
  return r;
}
Type join_tensors(const TensorType& a, const TensorType& b) {
  TensorType r;
  if (a.dtype == b.dtype) r.dtype = a.dtype;
  if (a.device == b.device) r.device = a.device;
  if (a.requires_grad == b.requires_grad) r.requires_grad = a.requires_grad;
  r.sizes = join_dims(a.sizes, b.sizes);
  if (r.sizes) r.strides = join_dims(a.strides, b.strides);
  return r;
}

}  // namespace

bool is_subtype(Type a, Type b) {
  if (a == b) return true;
  if (!b) return false;
  if (b.is(TypeKind::Any)) return true;
  if (!a) return false;
  if (a.is(TypeKind::NoReturn)) return true;
  if (a.is(TypeKind::Union) || a.is(TypeKind::Optional)) {
    if (a.is(TypeKind::Optional) && !is_subtype(TypeKind::None, b)) return false;
    for (Type e : a.elements())
      if (!is_subtype(e, b)) return false;
    return true;
  }
  switch (b.kind()) {
    case TypeKind::Optional: return a.is(TypeKind::None) || is_subtype(a, b.element());
    case TypeKind::Union: return std::any_of(b.elements().begin(), b.elements().end(), [&](Type e) { return is_subtype(a, e); });
    case TypeKind::Number:
      return a.is(TypeKind::Int) || a.is(TypeKind::Float) || a.is(TypeKind::Bool) || a.is(TypeKind::Complex) || a.is(TypeKind::SymInt) ||
             a.is(TypeKind::SymFloat);
    case TypeKind::SymInt: return a.is(TypeKind::Int);
    case TypeKind::SymFloat: return a.is(TypeKind::Float);
    case TypeKind::SymBool: return a.is(TypeKind::Bool);
    case TypeKind::Tensor: return a.is(TypeKind::Tensor) && tensor_within(a.tensor(), b.tensor());
    case TypeKind::Tuple: {
      if (!a.is(TypeKind::Tuple) && !a.is(TypeKind::NamedTuple)) return false;
      auto x = a.elements(), y = b.elements();
      if (x.size() != y.size()) return false;
      for (size_t i = 0; i < x.size(); ++i)
        if (!is_subtype(x[i], y[i])) return false;
      return true;
    }
    case TypeKind::Future: return a.is(TypeKind::Future) && is_subtype(a.element(), b.element());
    // Lists and dicts can be written, so their parts must agree; what is only known of a tensor makes no difference to writing.
    case TypeKind::List: return a.is(TypeKind::List) && a.element().is(TypeKind::Tensor) && is_subtype(a.element(), b.element());
    default: return false;
  }
}

Type join(Type a, Type b) {
  if (a == b) return a;
  if (!a || !b) return {};
  if (a.is(TypeKind::NoReturn)) return b;
  if (b.is(TypeKind::NoReturn)) return a;
  if (a.is(TypeKind::Tensor) && b.is(TypeKind::Tensor)) return join_tensors(a.tensor(), b.tensor());
  if (is_subtype(a, b)) return b;
  if (is_subtype(b, a)) return a;
  if (a.is(TypeKind::Tuple) && b.is(TypeKind::Tuple) && a.elements().size() == b.elements().size()) {
    std::vector<Type> parts;
    for (size_t i = 0; i < a.elements().size(); ++i) parts.push_back(join(a.elements()[i], b.elements()[i]));
    return Type::tuple(parts);
  }
  if (a.is(TypeKind::List) && b.is(TypeKind::List) && a.element().is(TypeKind::Tensor) && b.element().is(TypeKind::Tensor))
    return Type::list(join(a.element(), b.element()));
  bool none = a.is(TypeKind::Optional) || b.is(TypeKind::Optional);
  Type x = a.is(TypeKind::Optional) ? a.element() : a, y = b.is(TypeKind::Optional) ? b.element() : b;
  if (none && !x.is(TypeKind::None) && !y.is(TypeKind::None)) return Type::optional(join(x, y));
  Type both[] = {a, b};
  return Type::unite(both);
}

namespace {

void print_dims(std::string& out, const std::vector<TensorType::Dim>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ", ";
    out += dims[i] ? to_string(*dims[i]) : "*";
  }
}

void print_tensor(std::string& out, const TensorType& t) {
  out += t.dtype ? info(*t.dtype).scalar_type : "Tensor";
  if (!t.sizes && !t.strides && !t.device && !t.requires_grad && !t.dtype) return;
  out += "(";
  const char* comma = "";
  if (!t.sizes) {
    out += "...", comma = ", ";
  } else {
    print_dims(out, *t.sizes);
    if (!t.sizes->empty()) comma = ", ";
  }
  if (t.strides) {
    out += comma, out += "strides=[", comma = ", ";
    print_dims(out, *t.strides);
    out += "]";
  }
  if (t.requires_grad) out += comma, out += *t.requires_grad ? "requires_grad=1" : "requires_grad=0", comma = ", ";
  if (t.device) out += comma, out += "device=", out += to_string(*t.device);
  out += ")";
}

bool dotted_name(std::string_view name) {
  if (name.find('.') == std::string_view::npos || name.ends_with('.') || name.starts_with('.')) return false;
  bool start = true;
  for (char c : name) {
    if (c == '.') {
      if (start) return false;
      start = true;
      continue;
    }
    if (!is_letter(c) && !(is_digit(c) && !start)) return false;
    start = false;
  }
  return true;
}

void print_type_name(std::string& out, std::string_view name) {
  if (dotted_name(name)) {
    out += name;
    return;
  }
  out += '"';
  for (char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void print(std::string& out, Type t) {
  auto parts = [&](std::string_view open, std::string_view close) {
    out += open;
    for (size_t i = 0; i < t.elements().size(); ++i) {
      if (i) out += ", ";
      if (!t.fields().empty()) out += t.fields()[i], out += " : ";
      print(out, t.elements()[i]);
    }
    out += close;
  };
  switch (t.kind()) {
    case TypeKind::Tensor: return print_tensor(out, t.tensor());
    case TypeKind::List: return print(out, t.element()), void(out += "[]");
    case TypeKind::Optional: return print(out, t.element()), void(out += "?");
    case TypeKind::Future: return parts("Future(", ")");
    case TypeKind::Dict: return parts("Dict(", ")");
    case TypeKind::Tuple: return parts("(", t.elements().size() == 1 ? ",)" : ")");
    case TypeKind::Union: return parts("Union(", ")");
    case TypeKind::NamedTuple: out += "NamedTuple<", print_type_name(out, t.name()); return parts(">(", ")");
    case TypeKind::Class:
      if (dotted_name(t.name())) return void(out += t.name());
      out += "Class<", print_type_name(out, t.name()), out += ">";
      return;
    case TypeKind::Enum: out += "Enum<", print_type_name(out, t.name()), out += ">"; return;
    case TypeKind::Function: out += "Function<", print_type_name(out, t.name()), out += ">"; return;
    case TypeKind::Opaque: out += "Opaque<", print_type_name(out, t.name()), out += ">"; return;
    case TypeKind::Variable: out += t.name(); return;
    default: out += kAtomicNames[static_cast<size_t>(t.kind())];
  }
}

// Recursive descent over one type; its depth is that of the type.
class TypeReader final : private Scanner {
 public:
  TypeReader(std::string_view text, size_t& position, const SymbolLookup& symbol)
      : Scanner(text, position), position_(position), symbol_(symbol) {}
  ~TypeReader() override { position_ = at_; }  // of an error, too

  Type type() {
    MONOGRAPH_CHECK(++depth_ <= kMaxTypeDepth + 1, Value, "a type nests deeper than ", kMaxTypeDepth);
    Type t = primary();
    for (;;) {
      if (accept("[]")) t = Type::list(t);
      else if (accept("?")) t = Type::optional(t);
      else break;
    }
    --depth_;
    return t;
  }

 private:
  [[noreturn]] void error(std::string_view what) override { fail(ErrorKind::Value, what); }
  // Spaces behind a type are not its own.
  bool accept(std::string_view token) {
    const size_t before = at_;
    if (Scanner::accept(token)) return true;
    at_ = before;
    return false;
  }
  void expect(std::string_view token) {
    if (!accept(token)) error(concat("expected '", token, "' in a type"));
  }
  std::string_view word() { return identifier("expected a type"); }
  std::string name() {  // identifiers joined by dots, or quoted
    std::string result;
    if (accept("\"")) {
      if (!plainly_quoted('"', result)) error("expected '\"' in a type");
      return result;
    }
    result = word();
    while (here() == '.') ++at_, result += ".", result += word();
    return result;
  }
  std::vector<Type> list(std::string_view close) {
    std::vector<Type> types;
    if (accept(close)) return types;
    do {
      if (!types.empty() && accept(close)) return types;  // after a last comma
      types.push_back(type());
    } while (accept(","));
    expect(close);
    return types;
  }
  Type named(TypeKind kind) {
    expect("<");
    std::string n = name();
    expect(">");
    return Type::named(kind, n);
  }
  Type wrapped(std::string_view word, std::string_view close) {
    std::vector<Type> t = list(close);
    auto need = [&](size_t n) {
      MONOGRAPH_CHECK(t.size() == n, Value, word, " takes ", n, n == 1 ? " type" : " types", ", not ", t.size());
    };
    if (word == "List") return need(1), Type::list(t[0]);
    if (word == "Optional") return need(1), Type::optional(t[0]);
    if (word == "Future") return need(1), Type::future(t[0]);
    if (word == "Dict") return need(2), Type::dict(t[0], t[1]);
    if (word == "Tuple") return Type::tuple(t);
    MONOGRAPH_CHECK(!t.empty(), Value, "a Union needs alternatives");
    return Type::unite(t);
  }
  Type primary() {
    if (accept("(")) return Type::tuple(list(")"));
    const std::string_view first = word();
    if (first == "List" || first == "Optional" || first == "Future" || first == "Dict" || first == "Tuple" || first == "Union") {
      if (accept("(")) return wrapped(first, ")");
      if (accept("[")) return wrapped(first, "]");
      return first == "List" ? Type::list(TypeKind::Any) : fail_after(first);
    }
    if (first == "NamedTuple") return named_tuple();
    if (first == "Class") return named(TypeKind::Class);
    if (first == "Enum") return named(TypeKind::Enum);
    if (first == "Function") return named(TypeKind::Function);
    if (first == "Opaque") return named(TypeKind::Opaque);
    if (here() == '.' && is_letter(here(1))) {
      std::string n(first);
      while (here() == '.') ++at_, n += ".", n += word();
      return Type::named(TypeKind::Class, n);
    }
    for (int d = 0; d < kDTypeCount; ++d)
      if (info(static_cast<DType>(d)).scalar_type == first) return tensor(static_cast<DType>(d));
    if (first == "Tensor") return tensor(std::nullopt);
    for (int i = 0; i < kAtomicTypeCount; ++i)
      if (kAtomicNames[i] == first) return static_cast<TypeKind>(i);
    if (first == "None") return TypeKind::None;
    if (first == "number" || first == "Number") return TypeKind::Number;
    if (first == "dtype") return TypeKind::DType;
    // Type variables are words in lower case.
    if (first[0] >= 'a' && first[0] <= 'z') return Type::named(TypeKind::Variable, first);
    fail(ErrorKind::Value, "unknown type ", first);
  }
  [[noreturn]] static Type fail_after(std::string_view word) { fail(ErrorKind::Value, "expected '(' after ", word); }
  Type named_tuple() {
    expect("<");
    std::string n = name();
    expect(">");
    expect("(");
    std::vector<Type> types;
    std::vector<std::string> fields;
    if (!accept(")")) {
      do {
        fields.emplace_back(word());
        expect(":");
        types.push_back(type());
      } while (accept(","));
      expect(")");
    }
    return Type::named_tuple(n, types, fields);
  }
  std::vector<TensorType::Dim> dims(std::string_view close) {
    std::vector<TensorType::Dim> result;
    if (accept(close)) return result;
    do result.push_back(dim());
    while (accept(","));
    expect(close);
    return result;
  }
  TensorType::Dim dim() {
    if (accept("*")) return std::nullopt;
    return parse_symint(text_, at_, symbol_);
  }
  Type tensor(std::optional<DType> dtype) {
    TensorType t;
    t.dtype = dtype;
    if (here() != '(') {
      MONOGRAPH_CHECK(!dtype, Value, "expected '(' after ", info(*dtype).scalar_type);
      return t;
    }
    ++at_;
    if (accept("...")) {
      if (!accept(",")) return expect(")"), t;
    } else {
      t.sizes.emplace();
    }
    bool named = false;
    while (peek() != ')') {
      if (accept("strides=[")) {
        t.strides = dims("]");
        named = true;
      } else if (accept("requires_grad=")) {
        t.requires_grad = digit_bool(), named = true;
      } else if (accept("device=")) {
        t.device = device(), named = true;
      } else {
        MONOGRAPH_CHECK(!named && t.sizes, Value, "a size comes after strides, requires_grad or device");
        if (accept("...")) {  // TorchScript: more dimensions than it shows
          t.sizes.reset();
        } else {
          t.sizes->push_back(dim());
        }
      }
      if (!accept(",")) break;
    }
    expect(")");
    return t;
  }
  bool digit_bool() {
    if (accept("0")) return false;
    expect("1");
    return true;
  }
  Device device() {
    peek();
    const std::string_view named = take_while([](char c) { return is_word(c) || c == ':'; });
    Device d;
    MONOGRAPH_CHECK(parse_device(named, d), Value, "unknown device ", named);
    return d;
  }

  size_t& position_;
  const SymbolLookup& symbol_;
  int depth_ = 0;
};

}  // namespace

std::string to_string(Type type) {
  std::string out;
  if (type) print(out, type);
  return out;
}

Type parse_type(std::string_view text, size_t& position, const SymbolLookup& symbol) { return TypeReader(text, position, symbol).type(); }

Type parse_type(std::string_view text) {
  size_t at = 0;
  Type t = parse_type(text, at, [](std::string_view) -> const Symbol* { return nullptr; });
  while (at < text.size() && text[at] == ' ') ++at;
  MONOGRAPH_CHECK(at == text.size(), Value, "unexpected text after a type: ", text.substr(at));
  return t;
}

}  // namespace monograph::ir
