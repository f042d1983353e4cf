// Errors. Two kinds: the user's (wrong input, file or program: class Error, with the Python exception it becomes) and ours (InternalError).
// A message names the operator, what was expected, what came, where, and the way out.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace monograph {

// A place in the user's program. The file is interned for the life of the process; line 0 means unknown. Columns count from 0.
struct Span {
  const std::string* file = nullptr;
  uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
  bool known() const { return file != nullptr && line != 0; }
  bool operator==(const Span&) const = default;
};

// The same pointer for equal names, for ever; safe from any thread.
const std::string* intern_file(std::string_view name);
// "model.py:12" or "" where unknown.
std::string to_string(const Span& span);

enum class ErrorKind : uint8_t { Runtime, Value, Type, Index, Key, NotImplemented, Attribute, File, LinearAlgebra, Overflow };

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }
  // Adds the user's line, once: the innermost place wins.
  void locate(const Span& span) {
    if (located_ || !span.known()) return;
    located_ = true;
    message_ += "\n  at " + to_string(span);
  }
  // "[inner] words" becomes "[outer] words" and a note that says where it happened. False where no operator stands in front of the words.
  bool name_caller(std::string_view outer) {
    const size_t end = message_.starts_with('[') ? message_.find("] ") : std::string::npos;
    if (end == std::string::npos || message_.find("::") > end) return false;
    const std::string inner = message_.substr(1, end - 1);
    if (inner == outer) return true;
    message_.replace(1, end - 1, outer);
    note("in " + inner);
    return true;
  }
  // Appends one more sentence of help or context.
  void note(std::string_view text) { message_ += "\n  ", message_ += text; }

 private:
  ErrorKind kind_;
  bool located_ = false;
  std::string message_;
};

// A broken promise of our own code; never the user's fault. Exit code 70 in the program.
class InternalError : public std::exception {
 public:
  explicit InternalError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

namespace detail {
inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, const char* text) { out += text; }
inline void append(std::string& out, const std::string& text) { out += text; }
inline void append(std::string& out, char c) { out += c; }
template <class T>
  requires std::is_arithmetic_v<T>
void append(std::string& out, T value) {
  out += std::to_string(value);
}
}  // namespace detail

// Joins texts and numbers: concat("expected ", 3, " but got ", n).
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

template <class... Parts>
[[noreturn]] [[gnu::cold]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, concat(parts...));
}

// user_check(n > 0, ErrorKind::Value, "[op] expected ...", n): the parts are evaluated only on failure.
#define MONOGRAPH_CHECK(condition, kind, ...) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::monograph::fail(::monograph::ErrorKind::kind, __VA_ARGS__); \
  } while (0)

// A promise of our own code, kept in release builds: its failure names the file, line and condition.
#define MONOGRAPH_ASSERT(condition) \
  do { \
    if (!(condition)) [[unlikely]] \
      throw ::monograph::InternalError(::monograph::concat(__FILE__, ":", __LINE__, ": ", #condition)); \
  } while (0)

// The word of `candidates` nearest to `word` by edits, or "" where none is near: for "did you mean".
std::string nearest(std::string_view word, const std::string_view* candidates, size_t count);

}  // namespace monograph
