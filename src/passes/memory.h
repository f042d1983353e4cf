// Alias analysis: which values of a graph may share memory, and which memory is written. It uses only the alias marks of the schemas.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// Values in one group may share memory, directly or through lists that hold them. Values of two groups do not share memory, except that a caller may
// pass one tensor as two inputs or attributes. A call that is not resolved may do anything with its arguments.
class MemoryGroups {
 public:
  explicit MemoryGroups(const ir::Graph& graph);
  // Of lists alone: each list of its own, with what the calls answer that write it.
  static MemoryGroups of_lists(const ir::Graph& graph);
  // A number for the group, by a value: a node, not a multi node itself.
  uint32_t group(const ir::Node* value) const;
  bool written(const ir::Node* value) const { return written_[group(value)]; }
  // A call that is not resolved is given it, or runs foreign code on it.
  bool unknown(const ir::Node* value) const { return unknown_[group(value)]; }

 private:
  explicit MemoryGroups(size_t ids);
  void join(uint32_t a, uint32_t b);
  void add_call(const ir::Node* n);
  void add_structure(const ir::Node* n);
  mutable std::vector<uint32_t> parent_;  // by id
  std::vector<bool> written_, unknown_;  // by group
};

// The list that a call changes, as append does; null for all else.
const ir::Node* written_list(const ir::Node* n);

}  // namespace monograph::passes
