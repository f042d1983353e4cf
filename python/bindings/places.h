// Places of the program, in words.
#pragma once

#include <string>
#include <string_view>

namespace monograph::python {

// "file:line" of caller_span(), and of the line of Python's own library that it runs, if there is one.
std::string caller_place_in_words();
// The place itself; for one in this package behind that of its caller in the program.
std::string with_caller(std::string place);

}  // namespace monograph::python
