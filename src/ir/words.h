// Types in the words of an error message: "a float32 tensor with 2 dimensions" rather than Float(s0_0, s0_1), the form that the text of a graph has.
#pragma once

#include <string>
#include <string_view>

#include "ir/type.h"

namespace monograph::ir {

// With its article. Sizes are shown where one of them is a number; any other is "*", as in PyTorch's messages.
std::string in_words(Type type);

// "a list", "an int".
std::string with_article(std::string_view noun);

}  // namespace monograph::ir
