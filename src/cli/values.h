// Results for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/ivalue.h"

namespace monograph::cli {

using Json = nlohmann::ordered_json;

// Elements as nested rows, the middle of long dims left out.
std::string tensor_text(const Tensor& tensor, size_t indent);
std::string value_text(const IValue& value, size_t indent);

// {"dtype", "shape", "data"}: nested lists of at most kMostJsonElements elements; what JSON's numbers lack is "nan", "inf", "-inf".
inline constexpr int64_t kMostJsonElements = 100'000;
Json value_json(const IValue& value);

}  // namespace monograph::cli
