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

#include <string>
#include <vector>

#include "ir/graph.h"

namespace monograph::ir {

class RegionBuilder {
 public:
  using Slot = size_t;
  explicit RegionBuilder(Graph& graph) : graph_(graph) {}

  // A variable and its value, one argument: a node or a literal. Without a value it is not defined yet.
  Slot slot(std::string_view name, const Args& value = {});
  // Error where the slot is not defined on every way that leads here; the message names the variable.
  const Args& get(Slot slot) const;
  bool defined(Slot slot) const { return values_[slot].size() != 0; }
  void set(Slot slot, const Args& value);
  // A node for the slot's value: a literal becomes a constant.
  Node* node(Slot slot);

  // Both arms, in this order; begin_else may be left out. end_if gives the If: its results are the slots whose values differ between the arms,
  // in the order of the slots, each typed as the join of both. A slot that only one arm defines is not defined behind it.
  void begin_if(Node* condition);
  void begin_else();
  Node* end_if();

  // A loop that runs while `condition` holds and at most `count` times (Loop's rule; pass the largest int64 for a pure while). The carried slots
  // are placeholders inside; the counter is returned. end_loop gives the Loop, whose results the carried slots stand for behind it. A slot that
  // the body sets without carrying it is an error there if it was defined before, and not defined behind it else.
  Node* begin_loop(const Args& count, const Args& condition, std::span<const Slot> carried);
  Node* end_loop(const Args& condition);
  // After end_loop: whether a carried value ends with a type that its placeholder, typed before the body was built, did not allow. The
  // placeholder has the joined type then; a capture that chose operators by the narrower one builds the body again.
  bool widened() const { return widened_; }

  size_t depth() const { return regions_.size(); }

 private:
  struct Region {
    Node* node;
    bool loop = false, in_else = false;
    std::vector<Args> before, then_values;
    std::vector<Slot> carried;
    Graph::InsertPoint after;
  };
  Graph& graph_;
  std::vector<std::string> names_;
  std::vector<Args> values_;
  std::vector<Region> regions_;
  bool widened_ = false;
};

// The type of one argument: of a literal its own, of a node the node's.
Type type_of(ArgRef arg);

}  // namespace monograph::ir
