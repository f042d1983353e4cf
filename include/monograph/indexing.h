// The items of Python's x[...] in C++:
//
//   using namespace monograph::indexing;
//   x.index({0})                        x[0]
//   x.index({Slice(), Slice(1, -1)})    x[:, 1:-1]
//   x.index({"...", None})              x[..., None]
//   x.index({x > 0})                    x[x > 0]
//   x.index_put_({Slice(None, 2)}, 7)   x[:2] = 7
//
// As in Python, an index of ints, Slices, None and "..." gives a view, so writes to it change x. Errors have the same messages as in Python.
#pragma once

#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN
namespace indexing {

inline constexpr std::nullopt_t None = std::nullopt;  // adds a dim of size 1; in a Slice it leaves out start, stop or step
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis;  // stands for all dims that no other item indexes; "..." means the same

// start:stop:step. The step is positive.
class Slice {
 public:
  Slice(std::optional<Int> start = {}, std::optional<Int> stop = {}, std::optional<Int> step = {})
      : start_(start), stop_(stop), step_(step) {}
  std::optional<Int> start() const { return start_; }
  std::optional<Int> stop() const { return stop_; }
  std::optional<Int> step() const { return step_; }

 private:
  std::optional<Int> start_, stop_, step_;
};

// One item of an index.
class TensorIndex {
 public:
  TensorIndex(std::nullopt_t) {}
  TensorIndex(EllipsisType v) : value_(v) {}
  TensorIndex(const char* text);  // "..."; ValueError for another text
  template <std::same_as<bool> T>
  TensorIndex(T v) : value_(v) {}
  template <IntLike T>
  TensorIndex(T v) : value_(static_cast<int64_t>(v)) {}
  TensorIndex(const Slice& v) : value_(v) {}
  TensorIndex(const Tensor& v) : value_(v) {}  // a tensor of ints or bools; an undefined tensor means the whole dim

  const std::variant<std::monostate, EllipsisType, bool, int64_t, Slice, Tensor>& value() const { return value_; }

 private:
  std::variant<std::monostate, EllipsisType, bool, int64_t, Slice, Tensor> value_;
};

}  // namespace indexing
MONOGRAPH_API_END
