// A size as a shape rule sees it: a number, an expression over symbols (core/symint.h), or unknown. One word; arithmetic of numbers is inline.
//
//   Size out = floordiv(n + padding * 2 - kernel, stride) + 1;   numbers, symbols and unknown sizes alike
//   if (never(index < n)) ...                                    where it is known to be wrong
//
// What is unknown makes what is computed from it unknown. Comparisons answer a Truth, which is unknown where a symbol decides.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "core/symint.h"
#include "core/tensor.h"

namespace monograph {

// Yes, no, or not known before the program runs.
class Truth {
 public:
  constexpr Truth(bool value) : state_(value ? Yes : No) {}
  static constexpr Truth unknown() { return Truth(Unknown); }
  static Truth of(std::optional<bool> value) { return value ? Truth(*value) : unknown(); }
  friend constexpr Truth operator&&(Truth a, Truth b) { return a.state_ == No || b.state_ == No ? No : a.state_ == Yes ? b : a; }
  friend constexpr Truth operator||(Truth a, Truth b) { return a.state_ == Yes || b.state_ == Yes ? Yes : a.state_ == No ? b : a; }
  constexpr Truth operator!() const { return state_ == Unknown ? Unknown : state_ == Yes ? No : Yes; }
  friend constexpr bool certainly(Truth t) { return t.state_ == Yes; }
  friend constexpr bool never(Truth t) { return t.state_ == No; }

 private:
  enum State : uint8_t { No, Yes, Unknown };
  constexpr Truth(State state) : state_(state) {}
  State state_;
};
constexpr bool certainly(Truth t);
constexpr bool never(Truth t);

class Size {
 public:
  constexpr Size() : word_(kUnknown) {}
  constexpr Size(int64_t value) : word_(value < SymInt::kLeast ? SymInt::bits_of_large(value) : value) {}
  constexpr Size(int value) : word_(value) {}
  Size(SymInt value) : word_(value.bits()) {}
  Size(const std::optional<SymInt>& value) : word_(value ? value->bits() : kUnknown) {}
  static constexpr Size unknown() { return Size(); }
  static constexpr Size from_word(int64_t word) {
    Size s;
    s.word_ = word;
    return s;
  }

  constexpr bool is_int() const { return is_word() || SymInt::is_large(word_); }
  // Whether it is the number that its word is: all but those below -2^62.
  constexpr bool is_word() const { return word_ >= SymInt::kLeast; }
  constexpr bool known() const { return word_ != kUnknown; }
  int64_t as_int() const {
    MONOGRAPH_ASSERT(known());
    return SymInt::from_bits(word_).as_int();
  }
  std::optional<int64_t> number() const { return is_int() ? std::optional(as_int()) : std::nullopt; }
  constexpr bool is(int64_t value) const { return word_ == value; }  // known to be this number
  std::optional<SymInt> symint() const { return known() ? std::optional(SymInt::from_bits(word_)) : std::nullopt; }
  constexpr int64_t word() const { return word_; }
  // The word in a list of sizes, whose numbers are read as such: there a number far below 0, which no size is, is the least word.
  int64_t word_in_list() const { return is_word() || !is_int() ? word_ : SymInt::kLeast; }
  // The same number, the same expression, or both unknown.
  constexpr bool same(Size o) const { return word_ == o.word_; }

 private:
  static constexpr int64_t kUnknown = SymInt::kLeast - 1;  // no SymInt has this word
  int64_t word_;
};

namespace detail {
Size slow_add(Size a, Size b);
Size slow_subtract(Size a, Size b);
Size slow_multiply(Size a, Size b);
Size slow_floordiv(Size a, Size b);
Size slow_mod(Size a, Size b);
Size slow_max(Size a, Size b);
Size slow_min(Size a, Size b);
Truth slow_less(Size a, Size b);
Truth slow_equal(Size a, Size b);
}  // namespace detail

// Overflow of 64 bits raises Error.
inline Size operator+(Size a, Size b) {
  int64_t r;
  if (a.is_word() && b.is_word() && !__builtin_add_overflow(a.word(), b.word(), &r)) [[likely]]
    return r;
  return detail::slow_add(a, b);
}
inline Size operator-(Size a, Size b) {
  int64_t r;
  if (a.is_word() && b.is_word() && !__builtin_sub_overflow(a.word(), b.word(), &r)) [[likely]]
    return r;
  return detail::slow_subtract(a, b);
}
inline Size operator*(Size a, Size b) {
  int64_t r;
  if (a.is_word() && b.is_word() && !__builtin_mul_overflow(a.word(), b.word(), &r)) [[likely]]
    return r;
  return detail::slow_multiply(a, b);
}
// Rounds down, as Python's //; unknown where b is 0.
inline Size floordiv(Size a, Size b) {
  if (a.is_word() && b.is_word() && b.word() > 0) [[likely]]
    return a.word() / b.word() - (a.word() % b.word() < 0);
  return detail::slow_floordiv(a, b);
}
// Has the sign of b, as Python's %; unknown where b is 0.
inline Size mod(Size a, Size b) {
  if (a.is_word() && b.is_word() && b.word() > 0) [[likely]]
    return a.word() % b.word() + (a.word() % b.word() < 0 ? b.word() : 0);
  return detail::slow_mod(a, b);
}
inline Size max(Size a, Size b) {
  if (a.is_word() && b.is_word()) [[likely]]
    return a.word() > b.word() ? a : b;
  return detail::slow_max(a, b);
}
inline Size min(Size a, Size b) {
  if (a.is_word() && b.is_word()) [[likely]]
    return a.word() < b.word() ? a : b;
  return detail::slow_min(a, b);
}
inline Truth operator<(Size a, Size b) {
  if (a.is_word() && b.is_word()) [[likely]]
    return a.word() < b.word();
  return detail::slow_less(a, b);
}
inline Truth operator==(Size a, Size b) {
  if (a.is_word() && b.is_word()) [[likely]]
    return a.word() == b.word();
  return detail::slow_equal(a, b);
}
inline Truth operator>(Size a, Size b) { return b < a; }
inline Truth operator<=(Size a, Size b) { return !(b < a); }
inline Truth operator>=(Size a, Size b) { return !(a < b); }
inline Truth operator!=(Size a, Size b) { return !(a == b); }

std::string to_string(Size value);  // "3", "2*s0 + 1", "?"

// Sizes or strides of somebody else, read-only. Of a tensor whose rank is not known it is unranked.
class SizesRef {
 public:
  SizesRef() = default;  // unranked
  SizesRef(const int64_t* words, size_t count) : words_(words), count_(count), ranked_(true) {}
  SizesRef(const Dims& numbers) : SizesRef(numbers.data(), numbers.size()) {}
  explicit operator bool() const { return ranked_; }
  bool ranked() const { return ranked_; }
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  // Unknown where there is no such dim: && and || of Truths evaluate both sides.
  Size operator[](size_t i) const { return i < count_ ? Size::from_word(words_[i]) : Size::unknown(); }
  Size back() const { return (*this)[count_ - 1]; }
  SizesRef first(size_t n) const { return {words_, n}; }
  SizesRef from(size_t i) const { return {words_ + i, count_ - i}; }
  std::span<const int64_t> words() const { return {words_, count_}; }
  // Whether all of them are numbers.
  bool all_ints() const {
    for (size_t i = 0; i < count_; ++i)
      if (!(*this)[i].is_int()) return false;
    return ranked_;
  }

 private:
  const int64_t* words_ = nullptr;
  size_t count_ = 0;
  bool ranked_ = false;
};

// Sizes of one's own: up to six without an allocation.
class Sizes {
 public:
  Sizes() = default;  // of no dim
  Sizes(SizesRef o) : words_(o.words()), ranked_(o.ranked()) {}
  // Of numbers that a program gives, which may be any: those far below 0 are held as Size holds them.
  static Sizes of_numbers(const Dims& numbers) {
    Sizes s;
    for (const int64_t n : numbers) s.push_back(Size(n));
    return s;
  }
  Sizes(std::initializer_list<Size> sizes) {
    for (Size s : sizes) push_back(s);
  }
  Sizes(size_t n, Size value) : words_(n, value.word_in_list()) {}
  static Sizes unranked() {
    Sizes s;
    s.ranked_ = false;
    return s;
  }
  operator SizesRef() const { return ranked_ ? SizesRef(words_) : SizesRef(); }
  explicit operator bool() const { return ranked_; }
  bool ranked() const { return ranked_; }
  size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  Size operator[](size_t i) const { return SizesRef(words_)[i]; }
  Size back() const { return (*this)[size() - 1]; }
  void set(size_t i, Size s) { words_[i] = s.word_in_list(); }
  void push_back(Size s) { words_.push_back(s.word_in_list()); }
  void insert(size_t i, Size s) { words_.insert(i, s.word_in_list()); }
  void erase(size_t i) { words_.erase(i); }
  void swap(size_t i, size_t j) { std::swap(words_[i], words_[j]); }
  // Where all of them are numbers.
  const Dims& ints() const { return words_; }
  Dims take() { return std::move(words_); }

 private:
  Dims words_;
  bool ranked_ = true;
};

std::string words(SizesRef sizes);  // "[2, s0]"
// How many elements a tensor of these sizes has: 0 where a size is 0; unknown where one is unknown.
Size element_count(SizesRef sizes);

}  // namespace monograph
