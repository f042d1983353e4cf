// The files of which this process has captured or compiled code.
#pragma once

#include <string>

namespace monograph::python {

// `file` is an interned name (core/error.h).
void note_program_file(const std::string* file);
// The lines of other files, which a loaded archive may name, are not written into archives.
bool is_program_file(const std::string& file);

}  // namespace monograph::python
