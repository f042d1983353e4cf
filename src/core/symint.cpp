// Expressions are built by add, multiply and the atoms, each of which normalizes and interns its result. Bounds follow from the ranges of symbols.
#include "core/symint.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/characters.h"
#include "core/hash.h"

namespace monograph {
namespace {

using Kind = SymExpr::Kind;
using Term = SymExpr::Term;
constexpr int64_t kInfinity = std::numeric_limits<int64_t>::max(), kMinusInfinity = std::numeric_limits<int64_t>::min();

bool same(const SymExpr& a, const SymExpr& b) {
  return a.kind == b.kind && a.hash == b.hash && a.constant == b.constant && a.symbol == b.symbol && a.operands == b.operands &&
         a.terms == b.terms;
}

struct SymExprHash {
  size_t operator()(const SymExpr* e) const { return e->hash; }
};
struct SymExprEqual {
  bool operator()(const SymExpr* a, const SymExpr* b) const { return same(*a, *b); }
};

const SymExpr* intern(SymExpr&& e) {
  uint64_t h = hash_combine(static_cast<uint64_t>(e.kind) + 1, static_cast<uint64_t>(e.constant));
  if (e.kind == Kind::Symbol) {
    h = hash_combine(hash_combine(hash_combine(h, hash_text(e.symbol.name)), static_cast<uint64_t>(e.symbol.lower)),
                     static_cast<uint64_t>(e.symbol.upper));
    h = hash_combine(h, e.symbol.hint ? static_cast<uint64_t>(*e.symbol.hint) : 0x5eed);
  }
  int depth = 0, size = 1;
  for (SymInt operand : e.operands) {
    h = hash_combine(h, operand.hash());
    if (auto* x = operand.expr()) depth = std::max(depth, x->depth), size += x->size;
  }
  for (const Term& term : e.terms) {
    h = hash_combine(h, static_cast<uint64_t>(term.coefficient));
    for (auto* factor : term.factors) h = hash_combine(h, factor->hash), depth = std::max(depth, factor->depth), size += factor->size;
  }
  e.hash = h;
  e.depth = e.kind == Kind::Sum ? depth : depth + 1;
  e.size = size;
  MONOGRAPH_CHECK(size <= kMaxSymSize, Value, "a symbolic size has more than ", kMaxSymSize, " operations; make one of its parts a number");
  MONOGRAPH_CHECK(e.depth <= kMaxSymDepth, Value, "a symbolic size nests deeper than ", kMaxSymDepth,
                  " operations; make one of its parts a number");
  static std::mutex mutex;
  static auto* table = new std::unordered_set<const SymExpr*, SymExprHash, SymExprEqual>;
  std::lock_guard lock(mutex);
  if (auto found = table->find(&e); found != table->end()) return *found;
  return *table->insert(new SymExpr(std::move(e))).first;
}

// The numbers below -2^62 that a SymInt was made of.
struct LargeNumbers {
  std::mutex mutex;
  std::vector<int64_t> numbers;
  std::unordered_map<int64_t, size_t> index;
};
LargeNumbers& large_numbers() {
  static auto* table = new LargeNumbers;
  return *table;
}

int64_t add(int64_t a, int64_t b) {
  int64_t r;
  MONOGRAPH_CHECK(!__builtin_add_overflow(a, b, &r), Runtime, "a size overflows 64 bits: ", a, " + ", b);
  return r;
}
int64_t subtract(int64_t a, int64_t b) {
  int64_t r;
  MONOGRAPH_CHECK(!__builtin_sub_overflow(a, b, &r), Runtime, "a size overflows 64 bits: ", a, " - ", b);
  return r;
}
int64_t multiply(int64_t a, int64_t b) {
  int64_t r;
  MONOGRAPH_CHECK(!__builtin_mul_overflow(a, b, &r), Runtime, "a size overflows 64 bits: ", a, " * ", b);
  return r;
}
int64_t floor_divide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
int64_t floor_mod(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

// Symbols by name, then other atoms by hash: stable between processes, readable where it matters.
int compare(const SymExpr* a, const SymExpr* b) {
  if (a == b) return 0;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->kind == Kind::Symbol)
    if (int c = a->symbol.name.compare(b->symbol.name)) return c;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return to_string(SymInt::of(a)).compare(to_string(SymInt::of(b)));
}
bool before(const SymExpr* a, const SymExpr* b) { return compare(a, b) < 0; }

// Terms of higher degree first, then by their factors.
bool term_before(const Term& a, const Term& b) {
  if (a.factors.size() != b.factors.size()) return a.factors.size() > b.factors.size();
  for (size_t i = 0; i < a.factors.size(); ++i)
    if (int c = compare(a.factors[i], b.factors[i])) return c < 0;
  return false;
}

struct Polynomial {
  int64_t constant = 0;
  std::vector<Term> terms;
};

Polynomial polynomial(SymInt v) {
  if (v.is_int()) return {v.as_int(), {}};
  const SymExpr* e = v.expr();
  if (e->kind == Kind::Sum) return {e->constant, e->terms};
  return {0, {{1, {e}}}};
}

SymInt make(Polynomial p) {
  std::sort(p.terms.begin(), p.terms.end(), term_before);
  std::vector<Term> merged;
  for (Term& term : p.terms) {
    if (!merged.empty() && merged.back().factors == term.factors)
      merged.back().coefficient = add(merged.back().coefficient, term.coefficient);
    else merged.push_back(std::move(term));
    if (merged.back().coefficient == 0) merged.pop_back();
  }
  if (merged.empty()) return p.constant;
  MONOGRAPH_CHECK(merged.size() <= kMaxSymTerms, Value, "a symbolic size has more than ", kMaxSymTerms,
                  " terms; make one of its parts a number");
  if (p.constant == 0 && merged.size() == 1 && merged[0].coefficient == 1 && merged[0].factors.size() == 1)
    return SymInt::of(merged[0].factors[0]);
  SymExpr e(Kind::Sum);
  e.constant = p.constant;
  e.terms = std::move(merged);
  return SymInt::of(intern(std::move(e)));
}

SymInt atom(Kind kind, std::vector<SymInt> operands) {
  SymExpr e(kind);
  e.operands = std::move(operands);
  return SymInt::of(intern(std::move(e)));
}

// a / b where b is one term that divides each term of a; nothing otherwise.
std::optional<SymInt> exact_quotient(SymInt a, SymInt b) {
  Polynomial p = polynomial(a), q = polynomial(b);
  if (q.constant != 0 || q.terms.size() != 1) return std::nullopt;
  const Term& divisor = q.terms[0];
  Polynomial result;
  if (p.constant != 0) return std::nullopt;
  for (Term& term : p.terms) {
    if (term.coefficient % divisor.coefficient) return std::nullopt;
    Term quotient{term.coefficient / divisor.coefficient, {}};
    if (!std::includes(term.factors.begin(), term.factors.end(), divisor.factors.begin(), divisor.factors.end(), before))
      return std::nullopt;
    std::set_difference(term.factors.begin(), term.factors.end(), divisor.factors.begin(), divisor.factors.end(),
                        std::back_inserter(quotient.factors), before);
    if (quotient.factors.empty()) result.constant = add(result.constant, quotient.coefficient);
    else result.terms.push_back(std::move(quotient));
  }
  return make(std::move(result));
}

int64_t saturating_add(int64_t a, int64_t b) {
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (a == kMinusInfinity || b == kMinusInfinity) return kMinusInfinity;
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? (a > 0 ? kInfinity : kMinusInfinity) : r;
}
int64_t saturating_multiply(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  bool negative = (a < 0) != (b < 0);
  int64_t r;
  if (a == kInfinity || a == kMinusInfinity || b == kInfinity || b == kMinusInfinity || __builtin_mul_overflow(a, b, &r))
    return negative ? kMinusInfinity : kInfinity;
  return r;
}
Bounds multiply(Bounds a, Bounds b) {
  int64_t products[] = {saturating_multiply(a.lower, b.lower), saturating_multiply(a.lower, b.upper), saturating_multiply(a.upper, b.lower),
                        saturating_multiply(a.upper, b.upper)};
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}
int64_t divide_bound(int64_t a, int64_t b) { return a == kInfinity || a == kMinusInfinity ? a : floor_divide(a, b); }

// a <= b and a < b whatever the symbols are, as far as ranges tell. A number is compared as it is: its difference from a size may be none.
bool never_above(SymInt a, SymInt b) {
  if (a.is_int() || b.is_int()) return a.bounds().upper <= b.bounds().lower;
  return (a - b).bounds().upper <= 0;
}
bool always_below(SymInt a, SymInt b) {
  if (a.is_int() || b.is_int()) return a.bounds().upper < b.bounds().lower;
  return (a - b).bounds().upper < 0;
}

// Folds constants and what a range decides, flattens, sorts; `larger` picks max.
SymInt extreme(Kind kind, SymInt a, SymInt b) {
  bool larger = kind == Kind::Max;
  std::vector<SymInt> operands;
  std::optional<int64_t> constant;
  auto put = [&](SymInt v) {
    if (v.is_int()) constant = !constant ? v.as_int() : larger ? std::max(*constant, v.as_int()) : std::min(*constant, v.as_int());
    else if (std::find(operands.begin(), operands.end(), v) == operands.end()) operands.push_back(v);
  };
  for (SymInt v : {a, b}) {
    if (v.expr() && v.expr()->kind == kind)
      for (SymInt x : v.expr()->operands) put(x);
    else put(v);
  }
  if (constant) operands.push_back(*constant);
  // An operand goes where another is known to win against it.
  for (size_t i = 0; i < operands.size();) {
    bool beaten = false;
    for (size_t j = 0; j < operands.size() && !beaten; ++j) {
      if (i == j) continue;
      beaten = larger ? never_above(operands[i], operands[j]) : never_above(operands[j], operands[i]);
    }
    if (beaten) operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
    else ++i;
  }
  if (operands.size() == 1) return operands[0];
  MONOGRAPH_CHECK(operands.size() <= kMaxSymTerms, Value, "a symbolic maximum or minimum has more than ", kMaxSymTerms, " operands");
  std::sort(operands.begin(), operands.end(), [](SymInt x, SymInt y) {
    if (x.is_int() || y.is_int()) return !x.is_int() || (y.is_int() && x.as_int() < y.as_int());
    return before(x.expr(), y.expr());
  });
  return atom(kind, std::move(operands));
}

}  // namespace

int64_t SymInt::bits_of_large(int64_t value) {
  LargeNumbers& large = large_numbers();
  std::lock_guard lock(large.mutex);
  const auto [found, added] = large.index.try_emplace(value, large.numbers.size());
  if (added) large.numbers.push_back(value);
  return static_cast<int64_t>(kLargeTag | found->second);
}

int64_t SymInt::large() const {
  MONOGRAPH_ASSERT(is_large(bits_));
  LargeNumbers& large = large_numbers();
  std::lock_guard lock(large.mutex);
  const size_t index = static_cast<uintptr_t>(bits_) & ~kLargeTag;
  return index < large.numbers.size() ? large.numbers[index] : bits_;
}

SymInt SymInt::symbol(const Symbol& symbol) {
  MONOGRAPH_CHECK(symbol.lower <= symbol.upper, Value, "the range of the symbol ", symbol.name, " is empty");
  if (symbol.lower == symbol.upper) return symbol.lower;
  SymExpr e(Kind::Symbol);
  e.symbol = symbol;
  return SymInt::of(intern(std::move(e)));
}

const Symbol* SymInt::as_symbol() const {
  const SymExpr* e = expr();
  return e && e->kind == Kind::Symbol ? &e->symbol : nullptr;
}

uint64_t SymInt::hash() const { return is_int() ? hash_combine(0x1111, static_cast<uint64_t>(as_int())) : expr()->hash; }

Bounds SymInt::bounds() const {
  const SymExpr* e = expr();
  if (!e) return {as_int(), as_int()};
  switch (e->kind) {
    case Kind::Symbol: return {e->symbol.lower, e->symbol.upper};
    case Kind::FloorDiv: {
      Bounds a = e->operands[0].bounds(), b = e->operands[1].bounds();
      if (b.lower <= 0) return {kMinusInfinity, kInfinity};
      int64_t low = divide_bound(a.lower, a.lower < 0 ? b.lower : b.upper), high = divide_bound(a.upper, a.upper < 0 ? b.upper : b.lower);
      return {low, high};
    }
    case Kind::Mod: {
      Bounds b = e->operands[1].bounds();
      if (b.lower <= 0) return {kMinusInfinity, kInfinity};
      return {0, b.upper == kInfinity ? kInfinity : b.upper - 1};
    }
    case Kind::Max:
    case Kind::Min: {
      Bounds r = e->operands[0].bounds();
      for (size_t i = 1; i < e->operands.size(); ++i) {
        Bounds b = e->operands[i].bounds();
        r = e->kind == Kind::Max ? Bounds{std::max(r.lower, b.lower), std::max(r.upper, b.upper)}
                                 : Bounds{std::min(r.lower, b.lower), std::min(r.upper, b.upper)};
      }
      return r;
    }
    case Kind::Sum: {
      Bounds r{e->constant, e->constant};
      for (const Term& term : e->terms) {
        Bounds t{term.coefficient, term.coefficient};
        for (auto* factor : term.factors) t = multiply(t, SymInt::of(factor).bounds());
        r = {saturating_add(r.lower, t.lower), saturating_add(r.upper, t.upper)};
      }
      return r;
    }
  }
  __builtin_unreachable();
}

SymInt SymInt::substitute(const std::function<SymInt(const Symbol&)>& lookup) const {
  const SymExpr* e = expr();
  if (!e) return *this;
  switch (e->kind) {
    case Kind::Symbol: return lookup(e->symbol);
    case Kind::FloorDiv: return floordiv(e->operands[0].substitute(lookup), e->operands[1].substitute(lookup));
    case Kind::Mod: return mod(e->operands[0].substitute(lookup), e->operands[1].substitute(lookup));
    case Kind::Max:
    case Kind::Min: {
      SymInt r = e->operands[0].substitute(lookup);
      for (size_t i = 1; i < e->operands.size(); ++i) r = extreme(e->kind, r, e->operands[i].substitute(lookup));
      return r;
    }
    case Kind::Sum: {
      SymInt r = e->constant;
      for (const Term& term : e->terms) {
        SymInt product = term.coefficient;
        for (auto* factor : term.factors) product = product * SymInt::of(factor).substitute(lookup);
        r = r + product;
      }
      return r;
    }
  }
  __builtin_unreachable();
}

int64_t SymInt::evaluate(const std::function<int64_t(const Symbol&)>& lookup) const {
  return substitute([&](const Symbol& s) { return SymInt(lookup(s)); }).as_int();
}

std::optional<int64_t> SymInt::hint() const {
  bool all = true;
  visit_symbols([&](const Symbol& s) { all &= s.hint.has_value(); });
  if (!all) return std::nullopt;
  return evaluate([](const Symbol& s) { return *s.hint; });
}

void SymInt::visit_symbols(const std::function<void(const Symbol&)>& f) const {
  const SymExpr* e = expr();
  if (!e) return;
  if (e->kind == Kind::Symbol) return f(e->symbol);
  for (SymInt operand : e->operands) operand.visit_symbols(f);
  for (const Term& term : e->terms)
    for (auto* factor : term.factors) SymInt::of(factor).visit_symbols(f);
}

SymInt operator+(SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) [[likely]]
    return add(a.as_int(), b.as_int());
  Polynomial p = polynomial(a), q = polynomial(b);
  p.constant = add(p.constant, q.constant);
  p.terms.insert(p.terms.end(), q.terms.begin(), q.terms.end());
  return make(std::move(p));
}
SymInt operator-(SymInt a) { return a * SymInt(int64_t{-1}); }
SymInt operator-(SymInt a, SymInt b) {
  if (a == b) return 0;
  if (a.is_int() && b.is_int()) return subtract(a.as_int(), b.as_int());  // -b may overflow where a - b does not
  return a + -b;
}

SymInt operator*(SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) [[likely]]
    return multiply(a.as_int(), b.as_int());
  Polynomial p = polynomial(a), q = polynomial(b), r;
  MONOGRAPH_CHECK((p.terms.size() + 1) * (q.terms.size() + 1) <= 16 * kMaxSymTerms, Value, "a symbolic size has more than ", kMaxSymTerms,
                  " terms");
  r.constant = multiply(p.constant, q.constant);
  for (const Term& x : p.terms) {
    if (q.constant) r.terms.push_back({multiply(x.coefficient, q.constant), x.factors});
    for (const Term& y : q.terms) {
      Term product{multiply(x.coefficient, y.coefficient), {}};
      std::merge(x.factors.begin(), x.factors.end(), y.factors.begin(), y.factors.end(), std::back_inserter(product.factors), before);
      MONOGRAPH_CHECK(product.factors.size() <= kMaxSymTerms, Value, "a symbolic size has a degree above ", kMaxSymTerms);
      r.terms.push_back(std::move(product));
    }
  }
  if (p.constant)
    for (const Term& y : q.terms) r.terms.push_back({multiply(p.constant, y.coefficient), y.factors});
  return make(std::move(r));
}

SymInt floordiv(SymInt a, SymInt b) {
  if (b == SymInt(int64_t{0})) fail(ErrorKind::Value, "a size is divided by zero");
  if (a.is_int() && b.is_int()) [[likely]]
    return floor_divide(a.as_int(), b.as_int());
  if (b == SymInt(int64_t{1})) return a;
  if (b.bounds().lower > 0) {  // what follows needs a divisor that cannot be 0
    if (auto q = exact_quotient(a, b)) return *q;
    Bounds range = a.bounds();
    if (range.lower >= 0 && known_less(a, b) == true) return 0;
  }
  if (b.is_int() && b.as_int() > 1) {
    int64_t d = b.as_int();
    // (d*x + r) // d = x + r // d, and a common factor of r and d cancels.
    Polynomial p = polynomial(a), whole, rest;
    whole.constant = floor_divide(p.constant, d), rest.constant = floor_mod(p.constant, d);
    int64_t common = rest.constant ? std::gcd(d, rest.constant) : d;
    for (Term& term : p.terms) {
      if (term.coefficient % d == 0) whole.terms.push_back({term.coefficient / d, term.factors});
      else common = std::gcd(common, term.coefficient), rest.terms.push_back(term);
    }
    if (rest.terms.empty()) return make(std::move(whole));
    bool changed = !whole.terms.empty() || whole.constant || common > 1;
    if (changed) {
      for (Term& term : rest.terms) term.coefficient /= common;
      rest.constant /= common;
      return make(std::move(whole)) + floordiv(make(std::move(rest)), d / common);
    }
    const SymExpr* e = a.expr();  // (x // m) // d = x // (m * d)
    if (e->kind == Kind::FloorDiv && e->operands[1].is_int() && e->operands[1].as_int() > 0)
      return floordiv(e->operands[0], multiply(e->operands[1].as_int(), d));
  }
  return atom(Kind::FloorDiv, {a, b});
}

SymInt mod(SymInt a, SymInt b) {
  if (b == SymInt(int64_t{0})) fail(ErrorKind::Value, "a size is divided by zero");
  if (a.is_int() && b.is_int()) [[likely]]
    return floor_mod(a.as_int(), b.as_int());
  if (b == SymInt(int64_t{1})) return 0;
  if (b.bounds().lower > 0) {
    if (exact_quotient(a, b)) return 0;
    if (a.bounds().lower >= 0 && known_less(a, b) == true) return a;
  }
  if (b.is_int() && b.as_int() > 1) {
    int64_t d = b.as_int();
    Polynomial p = polynomial(a), rest;
    rest.constant = floor_mod(p.constant, d);
    bool changed = rest.constant != p.constant;
    for (Term& term : p.terms) {
      int64_t kept = floor_mod(term.coefficient, d);
      changed |= kept != term.coefficient;
      if (kept) rest.terms.push_back({kept, term.factors});
    }
    if (changed) return mod(make(std::move(rest)), b);
  }
  return atom(Kind::Mod, {a, b});
}

SymInt max(SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) return std::max(a.as_int(), b.as_int());
  return extreme(Kind::Max, a, b);
}
SymInt min(SymInt a, SymInt b) {
  if (a.is_int() && b.is_int()) return std::min(a.as_int(), b.as_int());
  return extreme(Kind::Min, a, b);
}

std::optional<bool> known_less(SymInt a, SymInt b) {
  if (always_below(a, b)) return true;
  if (never_above(b, a)) return false;
  return std::nullopt;
}

std::optional<bool> known_equal(SymInt a, SymInt b) {
  if (a == b) return true;
  if (always_below(a, b) || always_below(b, a)) return false;
  return std::nullopt;
}

namespace {

void print_atom(std::string& out, const SymExpr* e);

void print(std::string& out, SymInt value) {
  const SymExpr* e = value.expr();
  if (!e) {
    out += std::to_string(value.as_int());
    return;
  }
  if (e->kind != Kind::Sum) return print_atom(out, e);
  bool first = true;
  for (const Term& term : e->terms) {
    int64_t c = term.coefficient;
    if (!first) out += c < 0 ? " - " : " + ";
    uint64_t magnitude = c < 0 ? 0 - static_cast<uint64_t>(c) : static_cast<uint64_t>(c);
    if (first && c < 0) out += "-";
    if (magnitude != 1) out += std::to_string(magnitude) + "*";
    for (size_t i = 0; i < term.factors.size(); ++i) {
      if (i) out += "*";
      print_atom(out, term.factors[i]);
    }
    first = false;
  }
  if (e->constant) out += e->constant < 0 ? concat(" - ", 0 - static_cast<uint64_t>(e->constant)) : concat(" + ", e->constant);
}

void print_atom(std::string& out, const SymExpr* e) {
  switch (e->kind) {
    case Kind::Symbol: out += e->symbol.name; return;
    case Kind::FloorDiv:
    case Kind::Mod: {
      auto operand = [&](SymInt v) {
        bool bare = (v.is_int() && v.as_int() >= 0) || v.as_symbol();
        if (!bare) out += "(";
        print(out, v);
        if (!bare) out += ")";
      };
      out += "(";
      operand(e->operands[0]);
      out += e->kind == Kind::FloorDiv ? " // " : " % ";
      operand(e->operands[1]);
      out += ")";
      return;
    }
    default:
      out += e->kind == Kind::Max ? "max(" : "min(";
      for (size_t i = 0; i < e->operands.size(); ++i) {
        if (i) out += ", ";
        print(out, e->operands[i]);
      }
      out += ")";
  }
}

// Recursive descent; the depth of parentheses is bounded.
struct SizeTextReader {
  std::string_view text;
  size_t& position;
  const std::function<const Symbol*(std::string_view)>& symbol;
  int depth = 0;

  char peek() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\n' || text[position] == '\t')) ++position;
    return position < text.size() ? text[position] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (text.substr(position, token.size()) != token) return false;
    position += token.size();
    return true;
  }
  void expect(char c) {
    if (peek() != c) fail(ErrorKind::Value, "expected '", c, "' in a size");
    ++position;
  }

  SymInt sum() {
    MONOGRAPH_CHECK(++depth <= 2 * kMaxSymDepth + 4, Value, "a size nests deeper than ", kMaxSymDepth, " operations");
    SymInt value = product();
    for (;;) {
      char c = peek();
      if (c == '+' || c == '-') {
        ++position;
        value = value + product(c == '-');
      } else {
        --depth;
        return value;
      }
    }
  }
  SymInt product(bool negative = false) {
    while (peek() == '-') negative = !negative, ++position;
    const bool is_number = is_digit(peek());
    SymInt value = is_number ? number(negative) : factor();
    if (negative && !is_number) value = -value;
    for (;;) {
      if (accept("//")) value = floordiv(value, factor());
      else if (accept("*")) value = value * factor();
      else if (accept("%")) value = mod(value, factor());
      else return value;
    }
  }
  // The least number is read with its sign: without it it has more than 64 bits.
  SymInt number(bool negative) {
    const size_t start = position;
    const uint64_t most = static_cast<uint64_t>(kInfinity) + (negative ? 1 : 0);
    uint64_t value = 0;
    for (; position < text.size() && is_digit(text[position]); ++position) {
      value = value * 10 + static_cast<uint64_t>(text[position] - '0');
      MONOGRAPH_CHECK(position - start < 19 && value <= most, Value, "a size overflows 64 bits");
    }
    return static_cast<int64_t>(negative ? 0 - value : value);
  }
  SymInt factor() {
    char c = peek();
    if (c == '(') {
      ++position;
      SymInt value = sum();
      expect(')');
      return value;
    }
    if (is_digit(c)) return number(false);
    const size_t start = position;
    MONOGRAPH_CHECK(is_letter(c), Value, "expected a size: a number, a symbol or an expression of them");
    while (position < text.size() && is_word(text[position])) ++position;
    std::string_view name = text.substr(start, position - start);
    if ((name == "max" || name == "min") && peek() == '(') {
      ++position;
      SymInt value = sum();
      while (accept(",")) {
        SymInt next = sum();
        value = name == "max" ? max(value, next) : min(value, next);
      }
      expect(')');
      return value;
    }
    const Symbol* s = symbol(name);
    MONOGRAPH_CHECK(s, Value, "the symbol ", name, " is not declared");
    return SymInt::symbol(*s);
  }
};

}  // namespace

std::string to_string(SymInt value) {
  std::string out;
  print(out, value);
  return out;
}

SymInt parse_symint(std::string_view text, size_t& position, const std::function<const Symbol*(std::string_view)>& symbol) {
  return SizeTextReader{text, position, symbol}.sum();
}

}  // namespace monograph
