// RegionBuilder: how captures and file readers build If and Loop without knowing their layout.
//
// The builder keeps the variables of the program in slots. Inside an arm or a body a slot is set as the program sets it; where regions end, the
// slots that differ become results, and from there on stand for them:
//
//   RegionBuilder b(graph);
//   auto y = b.slot("y", Args(x));
//   b.begin_if(condition);
//   b.set(y, Args(graph.call("aten::relu", Args(x))));
//   b.begin_else();
//   b.end_if();                       // %y : Tensor = prim::If(%condition) …
//   b.get(y)                          // the If's result
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace monograph::ir {

class RegionBuilder {
 public:
  using Slot = size_t;
  explicit RegionBuilder(Graph& graph) : graph_(graph) {}

  // A variable and its value, one argument: a node or a literal. Without a value it is not defined yet.
  Slot slot(std::string_view name, const Args& value = {});
  // Error where the slot has no value on one of the paths that lead here; the message names the variable.
  const Args& get(Slot slot) const;
  bool defined(Slot slot) const { return values_[slot].size() != 0 || slots_[slot].default_value.size() != 0; }
  void set(Slot slot, const Args& value);
  // A node for the slot's value: a literal becomes a constant.
  Node* node(Slot slot);
  // The type of the slot where regions end and loops carry it, instead of the join of what arrives.
  void declare(Slot slot, Type type);
  // The slot is a variable of the user's: what it is first set to, and what Ifs and Loops make of it, is named after it.
  void name_nodes(Slot slot) { slots_[slot].names_nodes = true; }
  // The slot counts on the ways that leave a region early too: what a function returns, and which way was left. Where it is not set, it has the default,
  // or is uninitialized without one. Its type may be declared when everything is built.
  void keep(Slot slot, const Args& default_value = {}) { slots_[slot].kept = true, slots_[slot].default_value = default_value; }

  // Both arms, in this order; begin_else may be left out. end_if gives the If: its results are the slots whose values differ between the arms,
  // in the order of the slots, each typed as the join of both. A slot that only one arm defines is not defined behind it.
  void begin_if(Node* condition);
  void begin_else();
  Node* end_if();

  // The program leaves the open arm here: it returns, raises, breaks or continues. Nothing behind the If sees variables as this arm leaves them, so that
  // what the other arm defines is defined behind it. Whoever builds the rest sees to it that it does not run on this way, by a kept slot that says so.
  enum class Leave : uint8_t {
    No,
    WithValues,  // a break or continue: the loop goes on with the variables of this arm
    Forever,  // a return or raise: only kept slots count
  };
  void leave(Leave how);

  // A loop that runs while `condition` holds and at most `count` times (Loop's rule; pass the largest int64 for a pure while). The carried slots
  // are placeholders inside; the counter is returned. end_loop gives the Loop, whose results the carried slots stand for behind it. A slot that
  // the body sets without carrying it is an error there if it was defined before, and not defined behind it else.
  Node* begin_loop(const Args& count, const Args& condition, std::span<const Slot> carried, std::string_view counter_name = "i");
  Node* end_loop(const Args& condition);
  // After end_loop: whether a carried value ends with a type that its placeholder, typed before the body was built, did not allow. The
  // placeholder has the joined type then; a capture that chose operators by the narrower one builds the body again.
  bool widened() const { return widened_; }

  // Rollback: drops the innermost open region with all that was built in it. The graph, the slots and the insertion point are as before its begin. Nodes from
  // outside of the region that others have inserted before it stay. Whoever knows nodes of the region by address forgets them first: open_region() gives it.
  void abandon();
  Node* open_region() const { return regions_.empty() ? nullptr : regions_.back().node; }

  size_t depth() const { return regions_.size(); }

 private:
  struct BuilderSlot {
    std::string name;
    Type declared;
    bool kept = false, names_nodes = false;
    Args default_value;  // of a kept slot
    std::vector<Node*> untyped;  // made for a kept slot that has no type yet
  };
  // The slots that an arm or body set, with their values before it.
  struct Changes {
    std::vector<std::pair<Slot, Args>> before;
    std::unordered_map<Slot, size_t> index;
  };
  struct Region {
    Node* node;
    bool loop = false, in_else = false;
    Changes changes;  // of the arm or body that is open
    std::unordered_map<Slot, Args> then_values;  // of those that the first arm set
    Changes then_changes;
    Leave left[2] = {Leave::No, Leave::No};
    std::vector<Slot> carried;
    Graph::InsertPoint after;
  };
  // The values of both arms where they end; absent where the If has no result for the slot.
  struct Joined {
    Args ends[2];
    Type type;
  };
  void assign(Slot slot, const Args& value);
  void restore(const Changes& changes);
  std::optional<Joined> join_values(const Region& region, Slot slot, const Args& yes, const Args& no);
  Args uninitialized(Slot slot, Type type);
  Type type_of_slot(Slot slot, Type otherwise) const { return slots_[slot].declared ? slots_[slot].declared : otherwise; }
  void note_untyped(Slot slot, Node* node);

  Graph& graph_;
  std::vector<BuilderSlot> slots_;
  std::vector<Args> values_;
  std::vector<Region> regions_;
  bool widened_ = false;
};

// The type of one argument: of a literal its own, of a node the node's.
Type type_of(ArgRef arg);

}  // namespace monograph::ir
