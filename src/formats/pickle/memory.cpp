// The limits are compared only where a number is above the smaller one, because each value of a pickle is counted.
#include "formats/pickle/memory.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "formats/pickle/unpickler.h"

namespace monograph::pickle {
namespace {

constexpr size_t kFree = size_t{64} << 20, kTimesFile = 4, kTimesRead = 20;

}  // namespace

MemoryLimit::MemoryLimit(std::string where, size_t file_bytes)
    : where_(std::move(where)), file_bytes_(file_bytes), least_(kFree + kTimesFile * file_bytes) {
  const char* text = std::getenv(kMemoryVariable);
  if (text == nullptr || *text == 0) return;
  const std::string_view number = text;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), least_);
  MONOGRAPH_CHECK(failed == std::errc() && end == number.data() + number.size(), Value, kMemoryVariable,
                  ": expected a number of bytes, such as 8000000000, but got ", text);
  chosen_ = true;
}

size_t MemoryLimit::most(size_t read) const {
  return chosen_ ? least_ : std::max(least_, copied_ + kTimesRead * std::min(read, file_bytes_));
}

void MemoryLimit::check(size_t read) const {
  if (used_ <= most(read)) return;
  const std::string rule = chosen_                ? concat("the limit that ", kMemoryVariable, " sets")
                           : most(read) == least_ ? concat("the limit of 4 times its ", file_bytes_, " bytes plus 64 MiB")
                                                  : concat("the limit of 20 times the ", read, " bytes that were read of the pickle");
  throw UnpicklingError(concat(where_, ": reading it would take more than ", most(read), " bytes of memory, ", rule,
                               ". If you trust the file, set the environment variable ", kMemoryVariable,
                               " to the number of bytes that it may take, such as 8000000000"));
}

}  // namespace monograph::pickle
