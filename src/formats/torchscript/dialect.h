// Rewrites the syntax tree of TorchScript's serialized code into the Python that the compiler reads: torch.__is__(x, None) becomes `x is None`,
// ops.prim.RaiseException(...) becomes a raise statement, getattr(self, "0") an attribute, and the dotted name of a class one Name with dots in it.
// Source ranges stay as they are, so errors show the archive's lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/script/syntax.h"
#include "core/dtype.h"
#include "formats/torchscript/source.h"

namespace monograph::torchscript {

// Rewrites the whole tree of an archive's text. Error (NotImplemented) names a class whose objects graphs cannot hold.
void to_python(capture::script::Tree& tree, const capture::script::SourceText& source, const SourceIndex& index);
// What the first lines of a method check of an input, or of a part of one that is a tuple (ir::TorchScriptCode::input_checks).
struct InputCheck {
  std::string input;
  std::vector<size_t> parts;
  std::optional<DType> dtype;
  std::optional<size_t> dims;
};
// The checks of the first statements of a function that was not rewritten yet, one a statement.
std::vector<InputCheck> input_checks(const capture::script::FunctionSyntax& f);
// Rewrites the tree of a text that a user gives to the compiler, which may be code that was printed from a graph. Futures, forks and waits stay as the
// user wrote them.
void printed_to_python(capture::script::Tree& tree, const capture::script::SourceText& source);
// Parses and rewrites a text that is one type, such as "List[__torch__.Pair]".
capture::script::Expr* type_in(capture::script::Tree& tree, const capture::script::SourceText& source, const SourceIndex& index);

}  // namespace monograph::torchscript
