// The canonical form: equal for equal programs, whichever capture they came from, changed by any single edit.
//
// It is reached in this order:
//    1  inline calls of functions of the Unit, but for recursive ones
//    2  resolve every target to one operator overload (ir::OperatorLookup::resolve)
//    3  bind arguments to the schema: every argument in its place, defaults filled in, no keywords; a number stays int or float
//    4  rewrite into canonical operators: indexing to select, slice, index; size reads to sym_size (ir::OpInfo::canonicalize)
//    5  functionalize: writes in place become values (functionalize.h)
//    6  unroll loops of literal count up to kMaxUnrolledNodes nodes
//    7  fold the training flag, where a mode is asked for
//    8  inline constants, and lists and tuples that are used once and never written
//    9  common subexpressions: one node for equal ones without effects, wherever the first can stand before the others
//   10  drop invariant carried values, dead results, dead nodes; 8 to 10 until nothing changes, and again after loops were unrolled (6)
//   11  order the results of Ifs and Loops, and the nodes, by walks from the effects and then the outputs (canonical_order.h)
//   12  number by that order
// No step depends on the order in which the program is written; docs/ir.md says why.
// Names, spans, scopes, inferred types, surface targets, guards and hints are not part of it; declared types are, with their symbols numbered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ir/unit.h"

namespace monograph::passes {

inline constexpr size_t kMaxUnrolledNodes = 1024;
// A graph that has grown larger is not unrolled further: counts that are literals only because a loop around was unrolled could go on for ever.
inline constexpr size_t kMaxUnrolledGraph = size_t{1} << 20;

struct CanonicalOptions {
  std::optional<bool> training;  // step 7
  bool functionalize = true;  // step 5
  std::function<void(ir::Graph&)> inline_modules;  // part of step 1: calls of leaf layers
};

std::unique_ptr<ir::Graph> canonical(const ir::Graph& graph, const CanonicalOptions& options = {});

// SHA-256 of the text of the canonical form, as 64 hexadecimal digits.
std::string hash(const ir::Graph& graph, const CanonicalOptions& options = {});
// Of a program: its functions by name, its classes, its modules with their values.
std::string hash(const ir::Unit& unit, const CanonicalOptions& options = {});

// Whether two graphs have the same canonical form; where not, `difference` tells the first.
bool equal(const ir::Graph& a, const ir::Graph& b, std::string* difference = nullptr, const CanonicalOptions& options = {});

}  // namespace monograph::passes
