// libtorch's macros for checks, errors and warnings, and the names of its error classes in c10. monograph/torch.h includes this file.
#pragma once

#include <iostream>
#include <sstream>

#include "monograph/types.h"

namespace torch::detail {

// The text of a macro's arguments, one after the other.
template <class... T>
std::string text_of(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}
inline void warn(const std::string& text, const char* file, int line) {
  std::cerr << "[W " << file << ":" << line << "] Warning: " << text << "\n";
}

}  // namespace torch::detail

namespace c10 {
using Error = monograph::Exception;
using IndexError = monograph::IndexError;
using TypeError = monograph::TypeError;
using ValueError = monograph::ValueError;
using NotImplementedError = monograph::NotImplementedError;
using LinAlgError = monograph::LinAlgError;
}  // namespace c10

// Raises an error of this class with the text of the arguments if the condition does not hold.
#define MONOGRAPH_CHECK_AS(error, condition, ...) \
  do { \
    if (!(condition)) { \
      const std::string text = ::torch::detail::text_of(__VA_ARGS__); \
      throw error(text.empty() ? "Expected " #condition " to be true, but got false." : text); \
    } \
  } while (false)
// Raises c10::Error: TORCH_CHECK(x.dim() == 2, "x has ", x.dim(), " dims")
#define TORCH_CHECK(condition, ...) MONOGRAPH_CHECK_AS(::monograph::RuntimeError, condition, __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) MONOGRAPH_CHECK_AS(::monograph::IndexError, condition, __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) MONOGRAPH_CHECK_AS(::monograph::ValueError, condition, __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) MONOGRAPH_CHECK_AS(::monograph::TypeError, condition, __VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) MONOGRAPH_CHECK_AS(::monograph::LinAlgError, condition, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) MONOGRAPH_CHECK_AS(::monograph::NotImplementedError, condition, __VA_ARGS__)
#define TORCH_CHECK_ARG(condition, argument, ...) \
  TORCH_CHECK(condition, "invalid argument ", argument, ": ", ::torch::detail::text_of(__VA_ARGS__))
#define TORCH_INTERNAL_ASSERT(condition, ...) \
  TORCH_CHECK(condition, #condition " INTERNAL ASSERT FAILED at \"", __FILE__, "\":", __LINE__, ", please report a bug. ", \
              ::torch::detail::text_of(__VA_ARGS__))
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) (void)0
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif

#define MONOGRAPH_CHECK_PAIR(a, b, symbol) TORCH_CHECK((a)symbol(b), "Check failed: " #a " " #symbol " " #b " (", (a), " vs. ", (b), "). ")
#define TORCH_CHECK_EQ(a, b) MONOGRAPH_CHECK_PAIR(a, b, ==)
#define TORCH_CHECK_NE(a, b) MONOGRAPH_CHECK_PAIR(a, b, !=)
#define TORCH_CHECK_LT(a, b) MONOGRAPH_CHECK_PAIR(a, b, <)
#define TORCH_CHECK_LE(a, b) MONOGRAPH_CHECK_PAIR(a, b, <=)
#define TORCH_CHECK_GT(a, b) MONOGRAPH_CHECK_PAIR(a, b, >)
#define TORCH_CHECK_GE(a, b) MONOGRAPH_CHECK_PAIR(a, b, >=)

#define AT_ERROR(...) TORCH_CHECK(false, __VA_ARGS__)
#define AT_ASSERT(condition) TORCH_INTERNAL_ASSERT(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define C10_THROW_ERROR(error, text) throw ::c10::error(text)

// A line on the standard error stream.
#define TORCH_WARN(...) ::torch::detail::warn(::torch::detail::text_of(__VA_ARGS__), __FILE__, __LINE__)
#define TORCH_WARN_ONCE(...) \
  do { \
    [[maybe_unused]] static const bool warned = (TORCH_WARN(__VA_ARGS__), true); \
  } while (false)
