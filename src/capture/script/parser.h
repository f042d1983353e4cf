// From the text of functions to their syntax tree. All of Python's statements and expressions are read; what a script cannot mean is refused by the
// compiler, with its name.
#pragma once

#include <memory>

#include "capture/script/syntax.h"

namespace monograph::capture::script {

// The functions of a text. Error (Runtime) with the line where it is something else.
std::unique_ptr<Tree> parse_functions(const SourceText& source);
// A whole file of Python: its statements, with what its classes and imports say.
std::unique_ptr<Tree> parse_module(const SourceText& source);
// One expression: a type in a string or comment. Its nodes go into `tree`.
Expr* parse_expression(const SourceText& source, TextRange range, Tree& tree);

}  // namespace monograph::capture::script
