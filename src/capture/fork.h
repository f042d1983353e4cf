// One fork of a trace: an If whose arms are recorded while the capture machine runs them, first the one that the example takes.
//
// The arm that the example takes runs on its values, the other one on types alone (capture/types_only.h). Behind the If the example goes on with the values of
// the first one. Where the code around runs on types alone, both arms do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/regions.h"
#include "capture/types_only.h"

namespace monograph::capture {

// Adds what an arm or a body ends with. A constant is made anew there: who writes to it behind writes to no other run's.
void add_end(Writer& writer, ir::Args& args, const IValue& value);
// A node of this type for a value that nobody reads.
ir::Node* uninitialized(Writer& writer, ir::Type type);
// Why the values cannot be one value of the graph, or "".
std::string joining_fails(const IValue& a, const IValue& b);

class Fork {
 public:
  // `condition` is a bool that the graph computes, with the example's value; `expression` how the user wrote it, for a guard.
  Fork(Session& session, const IValue& condition, std::string expression);
  ~Fork();
  Fork(const Fork&) = delete;

  bool taken() const { return taken_; }
  bool has_example() const { return valued_; }  // whether the example takes one of the ways
  void begin_second();

  // What stands at one place at the end of the first and the second arm: a tensor, a number, or a value that the graph computes. Absent where nobody reads
  // it behind that arm.
  struct Ends {
    std::optional<IValue> first, second;
  };
  // Ends the fork: the values behind it, in order. If one of them cannot be joined, nothing is done, and `why` says for what reason.
  struct Refused {
    size_t index;
    std::string why;
  };
  std::optional<Refused> join(const std::vector<Ends>& ends, std::vector<IValue>& values);
  // Ends the fork where one arm ends by raising an exception of this class: the other one's nodes, the second's if `second` goes on, stand behind the If.
  // `message`: a str, which the graph may compute.
  void keep_beside_raise(bool second, const IValue& message, const std::string& exception);
  // Ends the fork, of which nothing is left. False if the first arm ran for the example and did what cannot be done twice.
  bool cancel();
  // Ends the fork: what the first arm recorded stands where the If stood, behind a guard. The second one's is gone. Where the code around runs on types
  // alone nothing is left: no value says which way to go.
  void give_up();

 private:
  void end_second();
  bool runs_twice(const ir::Block* block) const;
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
