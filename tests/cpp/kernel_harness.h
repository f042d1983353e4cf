// Runs one body through several kernels and the evaluator on the same operands, each operand between two guard pages, and compares bits.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/body.h"
#include "kernels/evaluator.h"

namespace monograph::test {

// Memory that ends or begins at a page without access: a touch outside is a crash.
class Guarded {
 public:
  Guarded(size_t size, bool at_end) : size_(size) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), pages = (size + page - 1) / page + (size == 0);
    length_ = (pages + 2) * page;
    base_ = static_cast<char*>(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(base_, page, PROT_NONE);
    mprotect(base_ + length_ - page, page, PROT_NONE);
    data_ = at_end ? base_ + length_ - page - size : base_ + page;
  }
  ~Guarded() { munmap(base_, length_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char *base_, *data_;
  size_t length_, size_;
};

// How an operand lies: strides in elements.
struct OperandLayout {
  int64_t inner = 1, outer = 0;
};

using Kernels = std::vector<std::pair<std::string, KernelFn>>;

inline void fill(DType t, char* data, size_t bytes, std::mt19937_64& random) {
  const DType part = real_type(t);
  const size_t size = static_cast<size_t>(element_size(part));
  for (size_t at = 0; at + size <= bytes; at += size) {
    uint64_t bits = random();
    const uint64_t kind = random() % 16;
    if (part == DType::b1) bits &= 1;
    else if (is_floating(part) && kind > 1) {  // else any bits: NaN, infinities, subnormals, huge ones
      const double v = std::ldexp(static_cast<double>(static_cast<int64_t>(bits)), -60);
      if (part == DType::f64) std::memcpy(&bits, &v, 8);
      else if (part == DType::f32) bits = std::bit_cast<uint32_t>(static_cast<float>(v));
      else bits = part == DType::f16 ? half_from_float(static_cast<float>(v)) : bfloat_from_float(static_cast<float>(v));
    }
    std::memcpy(data + at, &bits, size);
  }
}

inline bool is_nan(DType t, const char* p) {
  if (t == DType::f64) {
    double v;
    std::memcpy(&v, p, 8);
    return v != v;
  }
  uint32_t bits = 0;
  std::memcpy(&bits, p, static_cast<size_t>(element_size(t)));
  if (t == DType::f16) return (bits & 0x7fff) > 0x7c00;
  if (t == DType::bf16) return (bits & 0x7fff) > 0x7f80;
  return t == DType::f32 && (bits & 0x7fffffff) > 0x7f800000;
}

// The first byte where two buffers of elements differ, NaN as NaN; -1 where they are equal.
inline int64_t first_difference(DType t, const char* a, const char* b, size_t bytes) {
  if (std::memcmp(a, b, bytes) == 0) return -1;
  const DType part = real_type(t);
  const size_t size = static_cast<size_t>(element_size(part));
  for (size_t at = 0; at < bytes; at += size)
    if (std::memcmp(a + at, b + at, size) != 0 && !(is_nan(part, a + at) && is_nan(part, b + at))) return static_cast<int64_t>(at);
  return -1;
}

// Runs the body on random operands laid out as told (results, then arguments) and expects every kernel to leave the evaluator's bits.
// Bytes between elements must stay as they were. `alias` makes the first result lie in the first argument's memory.
inline void expect_equal(const Kernels& kernels, const Body& body, KernelForm form, int64_t n, int64_t rows,
                         const std::vector<OperandLayout>& layouts, std::mt19937_64& random, bool at_end, bool alias = false) {
  const size_t outs = body.outs.size(), count = outs + body.args.size();
  std::vector<int64_t> inner(count), outer(count);
  std::vector<std::vector<char>> contents(count);
  std::vector<size_t> origin(count);
  for (size_t k = 0; k < count; ++k) {
    const BodyArg& arg = k < outs ? body.outs[k].arg : body.args[k - outs];
    const int64_t size = element_size(arg.dtype), last = arg.uniform ? 0 : std::max<int64_t>(n - 1, 0) * layouts[k].inner * size;
    inner[k] = arg.uniform ? 0 : layouts[k].inner * size;
    outer[k] = layouts[k].outer * size;
    const int64_t rows_last = std::max<int64_t>(rows - 1, 0) * outer[k];
    const int64_t low = std::min<int64_t>(last, 0) + std::min<int64_t>(rows_last, 0);
    const int64_t high = std::max<int64_t>(last, 0) + std::max<int64_t>(rows_last, 0) + (rows > 0 && (n > 0 || arg.uniform) ? size : 0);
    origin[k] = static_cast<size_t>(-low);
    contents[k].resize(static_cast<size_t>(high - low));
    fill(arg.dtype, contents[k].data(), contents[k].size(), random);
  }
  auto run = [&](KernelFn fn, std::vector<std::vector<char>>& results) {
    std::vector<std::unique_ptr<Guarded>> memory;
    std::vector<char*> operands(count);
    for (size_t k = 0; k < count; ++k) {
      memory.push_back(std::make_unique<Guarded>(contents[k].size(), at_end));
      std::memcpy(memory[k]->data(), contents[k].data(), contents[k].size());
      operands[k] = memory[k]->data() + origin[k];
    }
    if (alias) operands[0] = operands[outs];
    const int32_t raised = fn ? fn(operands.data(), inner.data(), n, outer.data(), rows)
                              : evaluate(body, form, operands.data(), inner.data(), n, outer.data(), rows);
    for (size_t k = 0; k < count; ++k) results.emplace_back(memory[k]->data(), memory[k]->data() + contents[k].size());
    return raised;
  };
  std::vector<std::vector<char>> expected;
  const int32_t raised = run(nullptr, expected);
  for (const auto& [name, fn] : kernels) {
    std::vector<std::vector<char>> got;
    EXPECT_EQ(run(fn, got) != 0, raised != 0) << name;
    if (raised != 0) continue;
    for (size_t k = 0; k < count; ++k) {
      const DType t = k < outs ? body.outs[k].arg.dtype : body.args[k - outs].dtype;
      ASSERT_EQ(first_difference(t, got[k].data(), expected[k].data(), got[k].size()), -1)
          << name << ", operand " << k << ", n " << n << ", rows " << rows << ", inner " << layouts[k].inner << "\n"
          << to_string(body);
    }
  }
}

}  // namespace monograph::test
