// Places of the program, in words.
#pragma once

#include <string>
#include <string_view>

namespace monograph::python {

// "file:line" of caller_span(), and of the line of Python's own library that it runs, if there is one.
std::string caller_place_in_words();
// Whether a file is one of this package.
bool is_of_package(std::string_view file);

}  // namespace monograph::python
