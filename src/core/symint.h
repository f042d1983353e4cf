// Symbolic sizes: an int64, or an expression over named symbols.
//
// A SymInt is one word. Where no symbol is involved it is the number itself, so that eager code pays one comparison; a number below -2^62, which
// no size is, but which a draw may begin at, stands in a table. Otherwise it points to an interned expression in canonical form (a sum of products of atoms; an atom is a symbol, a floor division, a remainder, a maximum or a minimum):
// equal expressions are the same pointer, `a == b` is one comparison, and 2*s0 + s0 - s0*3 is the number 0.
//
// Symbols and expressions are immutable, shared by all threads and live as long as the process.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace monograph {

// A size that is known only when the program runs. Interned by all its fields: two symbols with one name and different ranges are different
// symbols, and one graph may hold only one of them. Its meaning is local to the graph that names it.
struct Symbol {
  std::string name;  // an identifier
  int64_t lower = 0;  // its range, inclusive
  int64_t upper = std::numeric_limits<int64_t>::max();  // the largest number stands for "unbounded"
  std::optional<int64_t> hint;  // the value seen in the example, never used to decide anything
  bool operator==(const Symbol&) const = default;
};

struct SymExpr;

// Inclusive bounds; the extreme int64 values stand for minus and plus infinity.
struct Bounds {
  int64_t lower, upper;
};

class SymInt {
 public:
  SymInt(int64_t value = 0) : bits_(value < kLeast ? bits_of_large(value) : value) {}
  static SymInt symbol(const Symbol& symbol);
  static SymInt of(const SymExpr* expr) {
    SymInt result;
    result.bits_ = static_cast<int64_t>(reinterpret_cast<uintptr_t>(expr) | kTag);
    return result;
  }

  bool is_int() const { return bits_ >= kLeast || is_large(bits_); }
  int64_t as_int() const { return bits_ >= kLeast ? bits_ : large(); }
  const SymExpr* expr() const { return is_int() ? nullptr : reinterpret_cast<const SymExpr*>(static_cast<uintptr_t>(bits_) & ~kTag); }
  // The symbol, where the expression is nothing but one.
  const Symbol* as_symbol() const;
  // The word itself, and back.
  int64_t bits() const { return bits_; }
  static SymInt from_bits(int64_t bits) {
    SymInt result;
    result.bits_ = bits;
    return result;
  }

  bool operator==(const SymInt&) const = default;

  // What is known from the ranges of the symbols.
  Bounds bounds() const;
  // The value at the symbols' hints; nothing where one has none.
  std::optional<int64_t> hint() const;
  // The value where `lookup` answers each symbol.
  int64_t evaluate(const std::function<int64_t(const Symbol&)>& lookup) const;
  SymInt substitute(const std::function<SymInt(const Symbol&)>& lookup) const;
  // Calls f for each symbol of the expression, in order of print, with repetitions.
  void visit_symbols(const std::function<void(const Symbol&)>& f) const;
  // Equal for equal expressions in every process.
  uint64_t hash() const;

 private:
  friend class Size;
  static constexpr int64_t kLeast = -(int64_t{1} << 62);
  // Pointers of user space leave the upper bits 0, so tagged ones lie below kLeast. A number below kLeast stands in a table: its word is another tag and the index.
  static constexpr uintptr_t kTag = uintptr_t{1} << 63, kLargeTag = kTag | uintptr_t{1} << 60;
  static int64_t bits_of_large(int64_t value);
  static constexpr bool is_large(int64_t bits) { return static_cast<uintptr_t>(bits) >> 60 == kLargeTag >> 60; }
  int64_t large()
      const;  // the word itself where the table lacks it: strides of an empty tensor may have wrapped. InternalError for an expression
  int64_t bits_;
};

// Arithmetic overflow, division by the number 0, an expression of more than kMaxSymTerms terms, nested deeper than kMaxSymDepth
// or of more than kMaxSymSize nodes as a tree raise Error.
inline constexpr int kMaxSymTerms = 256, kMaxSymDepth = 64, kMaxSymSize = 4096;
SymInt operator+(SymInt a, SymInt b);
SymInt operator-(SymInt a, SymInt b);
SymInt operator*(SymInt a, SymInt b);
SymInt operator-(SymInt a);
SymInt floordiv(SymInt a, SymInt b);  // rounds down, as Python's //
SymInt mod(SymInt a, SymInt b);  // has the sign of b, as Python's %
SymInt max(SymInt a, SymInt b);
SymInt min(SymInt a, SymInt b);

// a < b and the like as far as ranges tell; nothing where they do not.
std::optional<bool> known_less(SymInt a, SymInt b);
std::optional<bool> known_equal(SymInt a, SymInt b);

// An expression node. Operands of Max and Min, terms and factors are sorted; atoms are all kinds but Sum.
struct SymExpr {
  enum class Kind : uint8_t { Symbol, FloorDiv, Mod, Max, Min, Sum };
  struct Term {
    int64_t coefficient;
    std::vector<const SymExpr*> factors;  // atoms, repeated for powers; never empty
    bool operator==(const Term&) const = default;
  };
  Kind kind;
  int depth = 1;  // of nested atoms
  int size = 1;  // nodes of the expression as a tree
  uint64_t hash = 0;
  Symbol symbol;  // Symbol
  std::vector<SymInt> operands;  // FloorDiv, Mod: two; Max, Min: two or more
  int64_t constant = 0;  // Sum: constant + terms
  std::vector<Term> terms;
  explicit SymExpr(Kind k) : kind(k) {}
};

// "2*s0*s1 + s0//2 - 1"; reads back by parse_symint.
std::string to_string(SymInt value);

// Reads an expression from text at `position` and moves it behind; `symbol` answers a name. Error (Value) with what was expected.
SymInt parse_symint(std::string_view text, size_t& position, const std::function<const Symbol*(std::string_view)>& symbol);

}  // namespace monograph
