// One fork of a trace: an If whose arms are recorded while the capture machine runs them, first the one that the example takes.
//
// Both arms run on the example's values. What the second one writes to tensors, and the random numbers that it draws, are put back behind it. Behind the
// If the example goes on with the values of the first one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/regions.h"
#include "core/generator.h"

namespace monograph::capture {

class Fork {
 public:
  // `condition` is a bool that the graph computes, with the example's value; `expression` how the user wrote it, for a guard.
  Fork(Session& session, const IValue& condition, std::string expression);
  ~Fork();
  Fork(const Fork&) = delete;

  bool taken() const { return taken_; }
  void begin_second();

  // What stands at one place at the end of the first and the second arm: a tensor, or a number, bool or symbolic one.
  struct Ends {
    IValue first, second;
  };
  // Ends the fork: the values behind it, in order. If one of them cannot be joined, nothing is done, and `why` says for what reason.
  struct Refused {
    size_t index;
    std::string why;
  };
  std::optional<Refused> join(const std::vector<Ends>& ends, std::vector<IValue>& values);
  // Ends the fork: what the first arm recorded stands where the If stood, behind a guard. The second one's is gone.
  void give_up();

 private:
  struct Written {
    Tensor tensor;
    std::string bytes;  // of its storage, before
  };
  void end_second();
  void note_write(const Operator& op, const IValue* args);
  void add_end(ir::Args& args, const IValue& value);

  Session& session_;
  Writer& writer_;
  IValue condition_;
  std::string expression_;
  bool taken_;
  bool second_ = false;
  Span span_;
  ir::Node* region_;
  ir::Graph::InsertPoint after_;
  RegionUses uses_;
  Writer::TensorNodes known_;
  std::string raised_;
  std::function<void(const Operator&, const IValue*)> outer_;
  std::vector<Written> written_;
  std::optional<Generator> random_;
};

}  // namespace monograph::capture
