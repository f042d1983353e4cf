// From the serialized dialect of TorchScript to the Python that the compiler reads, on the syntax tree: torch.__is__(x, None) becomes x is None,
// ops.prim.RaiseException(...) a raise, getattr(self, "0") an attribute, the name of a class one name with dots.
// Ranges stay, so that errors show the archive's lines.
#pragma once

#include "capture/script/syntax.h"
#include "formats/torchscript/source.h"

namespace monograph::torchscript {

// Rewrites everything in the tree. Error (NotImplemented) names a class that has no form in a graph.
void to_python(capture::script::Tree& tree, const capture::script::SourceText& source, const SourceIndex& index);
// The same of a text that a user gives to the compiler, which may be printed code. It has no index; its Futures, forks and waits are what the user means.
void printed_to_python(capture::script::Tree& tree, const capture::script::SourceText& source);
// The expression of one type, rewritten: "List[__torch__.Pair]".
capture::script::Expr* type_in(capture::script::Tree& tree, const capture::script::SourceText& source, const SourceIndex& index);

}  // namespace monograph::torchscript
