// The canonical form of a graph. Two captures of one program have the same canonical form, and any change to the program changes it.
//
// The steps, in this order:
//    1  inline calls of functions of the Unit, except recursive calls
//    2  resolve every target to one operator overload (ir::OperatorLookup::resolve)
//    3  bind arguments to the schema: positions in the schema's order, defaults filled in, no keywords; an int stays an int, a float a float
//    4  rewrite into canonical operators: indexing to select, slice, index; size reads to sym_size (ir::OpInfo::canonicalize, canonical_calls.h)
//    5  functionalize: writes in place become values (functionalize.h, canonical_dicts.h)
//    6  join Ifs with one condition; unroll Loops whose number of iterations is known, up to kMaxUnrolledNodes nodes (canonical_branches.h)
//    7  replace reads of `training` by the mode, if the options give one
//    8  inline constants, and lists and tuples that are used once, or only read
//       what has literals and small constant tensors alone as arguments is computed, and so are sizes of parameters and buffers (canonical_constants.h)
//    9  common subexpressions: equal nodes without effects become one node, if it can stand before all their users
//   10  drop carried values that never change, unused results and dead nodes
//       8 to 10 repeat until nothing changes, and again after Ifs were joined or loops unrolled (6)
//   11  order the results of Ifs and Loops, and the nodes, by walks from the effects and then the outputs (canonical_order.h)
//   12  name the nodes v0, v1, ... in that order
// No step depends on the order in which the program is written; docs/ir.md says why. The form has no names, spans, scopes, inferred types, surface
// targets, guards, checks of ranks and dtypes that raise, or hints. It has the declared types, with their symbols numbered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ir/unit.h"

namespace monograph::passes {

inline constexpr size_t kMaxUnrolledNodes = 1024;
// The same for the iterations that are copied before a while loop, or become Ifs.
inline constexpr size_t kMaxFollowedNodes = 2048;
// A graph of more nodes is not unrolled further. Unrolling an outer loop may make the count of an inner one a literal, so without a limit it might never end.
inline constexpr size_t kMaxUnrolledGraph = size_t{1} << 20;

struct CanonicalOptions {
  std::optional<bool> training;  // step 7
  bool functionalize = true;  // step 5
  std::function<void(ir::Graph&)> inline_modules;  // part of step 1: calls of leaf layers
};

std::unique_ptr<ir::Graph> canonical(const ir::Graph& graph, const CanonicalOptions& options = {});

// SHA-256 of the text of the canonical form, as 64 hexadecimal digits.
std::string hash(const ir::Graph& graph, const CanonicalOptions& options = {});
// The hash of a program: of its functions, ordered by name, its classes, and its modules with their values.
std::string hash(const ir::Unit& unit, const CanonicalOptions& options = {});

// Whether two graphs have the same canonical form. If not, `difference` is set to the first difference.
bool equal(const ir::Graph& a, const ir::Graph& b, std::string* difference = nullptr, const CanonicalOptions& options = {});

}  // namespace monograph::passes
