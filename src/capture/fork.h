// A branch in a trace: an If whose arms are recorded while the capture machine runs them. The arm that the example takes comes first.
//
// The first arm runs on the example's values, the other one on types alone (capture/types_only.h). After the If the example continues with the values of the
// first arm. If the surrounding code runs on types alone, so do both arms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/regions.h"
#include "capture/types_only.h"

namespace monograph::capture {

// Adds a value to the outputs of an arm or body. A constant is cloned there, so that a later write to it does not reach other runs.
void add_end(Writer& writer, ir::Args& args, const IValue& value);
// Adds a node of the kind that this number has, where its own node is of any number, as that of item() is.
void convert_end(Writer& writer, ir::Args& args, const IValue& value);
// A node of this type for a value that nobody reads.
ir::Node* uninitialized(Writer& writer, ir::Type type);
// Whether the block may run twice: no node writes, draws a random number, prints or runs user code.
bool runs_twice(const ir::Block* block);
// Why the values cannot be one value of the graph, or "".
std::string joining_fails(const IValue& a, const IValue& b);

class Fork {
 public:
  // `condition` is a bool that the graph computes, with the example's value; `expression` how the user wrote it, for a guard.
  Fork(Session& session, const IValue& condition, std::string expression);
  ~Fork();
  Fork(const Fork&) = delete;

  bool taken() const { return taken_; }
  bool has_example() const { return valued_; }  // whether the condition has a value in the example
  void begin_second();

  // The value of one variable at the end of the first and the second arm: a tensor, a number, or a value that the graph computes. Absent if nobody reads the
  // variable after that arm.
  struct Ends {
    std::optional<IValue> first, second;
  };
  // Ends the fork and sets `values` to the values after it, in order. If one of them cannot be joined, returns its index and the reason instead.
  struct Refused {
    size_t index;
    std::string why;
  };
  std::optional<Refused> join(const std::vector<Ends>& ends, std::vector<IValue>& values);
  // Ends a fork of which one arm raises an exception of this class. `second`: the second arm does not raise. The nodes of the arm that does not raise are moved
  // behind the If. `message` is a str, which the graph may compute.
  void keep_beside_raise(bool second, const IValue& message, const std::string& exception);
  // Ends the fork and removes all its nodes. False if the first arm has run on the example and had effects that must not happen twice.
  bool cancel();
  // Ends the fork: replaces the If by the nodes of the first arm, with a guard on the condition. If the surrounding code runs on types alone, the condition has no
  // value, and all nodes are removed.
  void give_up();

 private:
  void end_second();
  void drop_guards(bool of_kept);
  ir::Block* arm(size_t way) const { return region_->block(((way == 0) == taken_) ? 0 : 1); }
  std::string end_lists(const Ends& ends, ir::Args (&known)[2]) const;
  std::optional<Refused> check_kinds(const std::vector<Ends>& ends) const;

  Session& session_;
  Writer& writer_;
  IValue condition_;
  std::string expression_;
  bool valued_;  // the condition has a value
  bool taken_;
  bool second_ = false;
  Span span_;
  ir::Node* region_;
  ir::Graph::InsertPoint after_;
  RegionUses uses_;
  Writer::TensorNodes known_;
  std::string raised_;
  std::optional<TypesOnly> types_;
};

}  // namespace monograph::capture
