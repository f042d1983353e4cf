// The slow paths of sizes: where a symbol takes part, something is unknown, or a number overflows.
#include "core/size.h"

#include <utility>

namespace monograph {
namespace {

// What F gives of two SymInts; unknown where an operand is.
template <class F>
Size both(Size a, Size b, F&& f) {
  auto x = a.symint(), y = b.symint();
  return x && y ? Size(f(*x, *y)) : Size::unknown();
}

}  // namespace

namespace detail {

Size slow_add(Size a, Size b) {
  return both(a, b, [](SymInt x, SymInt y) { return x + y; });
}
Size slow_subtract(Size a, Size b) {
  return both(a, b, [](SymInt x, SymInt y) { return x - y; });
}
Size slow_multiply(Size a, Size b) {
  if (a.is(0) || b.is(0)) return 0;
  return both(a, b, [](SymInt x, SymInt y) { return x * y; });
}
Size slow_floordiv(Size a, Size b) {
  if (b.is(0)) return Size::unknown();
  return both(a, b, [](SymInt x, SymInt y) { return monograph::floordiv(x, y); });
}
Size slow_mod(Size a, Size b) {
  if (b.is(0)) return Size::unknown();
  return both(a, b, [](SymInt x, SymInt y) { return monograph::mod(x, y); });
}
Size slow_max(Size a, Size b) {
  return both(a, b, [](SymInt x, SymInt y) { return monograph::max(x, y); });
}
Size slow_min(Size a, Size b) {
  return both(a, b, [](SymInt x, SymInt y) { return monograph::min(x, y); });
}
Truth slow_less(Size a, Size b) {
  auto x = a.symint(), y = b.symint();
  return x && y ? Truth::of(known_less(*x, *y)) : Truth::unknown();
}
Truth slow_equal(Size a, Size b) {
  auto x = a.symint(), y = b.symint();
  return x && y ? Truth::of(known_equal(*x, *y)) : Truth::unknown();
}
}  // namespace detail

std::string to_string(Size value) {
  auto known = value.symint();
  return known ? to_string(*known) : "?";
}

std::string words(SizesRef sizes) {
  if (!sizes.ranked()) return "[...]";
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + to_string(sizes[i]);
  return out + "]";
}

Size element_count(SizesRef sizes) {
  if (!sizes.ranked()) return Size::unknown();
  Size n = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].is(0)) return 0;
  for (size_t i = 0; i < sizes.size(); ++i) n = n * sizes[i];
  return n;
}

}  // namespace monograph
