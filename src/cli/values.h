// Writes values as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/ivalue.h"

namespace monograph::cli {

using Json = nlohmann::ordered_json;

// The elements as nested rows. The middle of long dims is left out. All lines but the first are indented by `indent` spaces.
std::string tensor_text(const Tensor& tensor, size_t indent);
std::string value_text(const IValue& value, size_t indent);

// A tensor as {"dtype", "shape", "data"}, where data are nested lists. Data is left out for a tensor of more than kMostJsonElements elements. Numbers that
// JSON lacks are "nan", "inf" and "-inf".
inline constexpr int64_t kMostJsonElements = 100'000;
Json value_json(const IValue& value);

// The text of a JSON document. Names come from files, so they may hold bytes that are not UTF-8; each becomes U+FFFD. indent -1: all on one line.
std::string json_text(const Json& value, int indent = -1);

}  // namespace monograph::cli
