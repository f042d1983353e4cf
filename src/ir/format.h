// The number of the format that the text form and JSON are written in (docs/ir.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace monograph::ir {

inline constexpr int64_t kFormat = 1;

// What is said of another one.
inline std::string wrong_format(std::string_view what, std::string_view number) {
  return concat("expected format ", kFormat, ", but this ", what, " has format ", number, "; read it with a later version of Monograph");
}

}  // namespace monograph::ir
