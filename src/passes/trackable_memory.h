// Finds the memory of a graph that can be tracked as a value, and the nodes that are names of its values.
//
//   %y = aten::relu(%x)                 a base: the memory when it is new
//   %v = aten::select.int(%y, 0, 1)     a view: it is computed from the base, and a write to it can be put into the base (Operator::inverse, ::scatter)
//   %w = aten::add_.Tensor(%v, 1)       a write: another name for %v
//   %s = aten::reshape(%y, [4])         a copy or a view, depending on the layout. It counts as a copy if nothing writes the memory while %s is used;
//                                       otherwise the memory is not tracked
//
// Memory that no node writes is left out: it never changes.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "ops/record.h"
#include "passes/memory.h"

namespace monograph::passes {

// Which memory is tracked: that of tensors (and of lists that hold them), or only that of lists.
enum class Memory { Tensors, Lists };

// Whether the node calls an operator, function or module: it is no input, output, attribute, projection, If or Loop.
bool is_call(const ir::Node* n);

class TrackableMemory {
 public:
  explicit TrackableMemory(const ir::Graph& graph, Memory of = Memory::Tensors);

  struct Base {
    const ir::Node* value = nullptr;  // the call that made the memory, or the input or attribute that has it
    const char* reason = nullptr;  // why the memory cannot be tracked; null if it can
  };
  // The bases of all memory that is written, by group.
  const std::map<uint32_t, Base>& bases() const { return bases_; }
  uint32_t group(const ir::Node* v) const { return groups_.group(v); }
  bool written(const ir::Node* v) const { return groups_.written(v); }

  bool follows(const ir::Node* v) const {
    auto found = bases_.find(group(v));
    return found != bases_.end() && !found->second.reason && found->second.value;
  }
  // The following are for values of tracked memory. The base of the memory:
  const ir::Node* base(const ir::Node* v) const { return bases_.at(group(v)).value; }
  // The base, view or copy that v is another name for.
  const ir::Node* shown(const ir::Node* v) const { return members_[v->id()].shown; }
  // The value that a view is a view of; null for other values.
  const ir::Node* parent(const ir::Node* v) const { return members_[v->id()].parent; }
  // Whether later writes do not change the value: it may be a copy (reshape), or is a view of such a value.
  bool fixed(const ir::Node* v) const { return members_[v->id()].fixed; }

  // Writes of an input or attribute that need not be moved to the end: each is a copy_, the only write of its memory, and nothing reads the memory or changes
  // the source after it. In order.
  const std::vector<const ir::Node*>& write_backs() const { return write_backs_; }

 private:
  struct Member {
    const ir::Node* shown = nullptr;
    const ir::Node* parent = nullptr;
    bool fixed = false;
    uint32_t end = 0;  // for a fixed value: the place of its last use
  };
  void find_tensors(std::span<const ir::Node* const> nodes);
  void find_lists(std::span<const ir::Node* const> nodes);
  void add_list(const ir::Node* v);
  bool holds_still(const ir::Node* user, const ir::Node* list) const;
  void leave(const ir::Node* v, const char* reason);
  void check_writes(const ir::Node* n);
  void add(const ir::Node* v);
  bool add_view(const ir::Node* v);
  void find_write_backs(std::span<const ir::Node* const> nodes);
  void check_fixed(std::span<const ir::Node* const> nodes);
  uint32_t last_use(const ir::Node* v) const;

  MemoryGroups groups_;
  std::map<uint32_t, Base> bases_;
  std::vector<Member> members_;  // by id
  std::vector<const ir::Node*> write_backs_;
  std::vector<uint32_t> place_, end_;  // by id: the place of a node in the order of all nodes, and the place of the last node inside of it
};

// If the node calls an in-place form, which writes its first argument and returns it: the operator without effects that computes the same. Else null.
const Operator* functional_form(const ir::Node* n);

}  // namespace monograph::passes
