// One loop of a trace. The capture machine runs its body on types, and repeats this until it is known which values the loop carries. A round is one such run.
//
//   TracedLoop loop(session, condition, {});
//   loop.begin_round(); …run the body…; loop.end_round();      nothing is carried yet
//   Tensor inside = *loop.carry(x, why);                       the body has changed x
//   loop.begin_round(); …run it with `inside`…; loop.end_round();
//   loop.settle(ends, …);  loop.finish(values);                values[0] is x after the Loop
//
// Then the interpreter runs the Loop once on the example's values, and the trace goes on with its results.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "capture/regions.h"
#include "capture/types_only.h"

namespace monograph::capture {

class TracedLoop {
 public:
  // The loop runs while `condition`, a bool of the graph, is true (always, if it is None), and at most `count` times (without a limit, if that is None).
  TracedLoop(Session& session, const IValue& condition, const IValue& count);

  void begin_round();
  void end_round();
  IValue index() const;  // the number of the iteration, as a value of the graph
  // Carries a value: a tensor, a number or a list that is `initial` before the loop and `next` after an iteration. Returns what the body reads in its place;
  // absent if the graph cannot carry it, and then `why` says why.
  std::optional<IValue> carry(const IValue& initial, const IValue& next, std::string& why);

  struct Ends {
    std::vector<IValue> carried;  // in the order of carry()
    std::vector<IValue> exits;  // values that only the code after the loop reads
    IValue again = true;  // whether another iteration follows
    std::optional<IValue> early;  // whether the loop was left early
  };
  struct Refused {
    size_t index;  // of a carried value, or of an exit (then the number of carried values is added)
    std::string why;
  };
  // Sets the values at the end of an iteration. `widened`: the type of a carried value has become more general, so the body must run again. Returns the value
  // that cannot be carried, if there is one.
  std::optional<Refused> settle(const Ends& ends, bool& widened);
  // After settle() without widening: completes the Loop and sets the carried values, the exits, and whether the loop was left early.
  // False where the example does not pass the guards of the body, and nothing has happened: then the loop is to be given up.
  bool finish(std::vector<IValue>& values);
  // Removes the Loop from the graph.
  void give_up();

 private:
  struct Carried;
  std::string begin_list(Carried& c, ir::Type element_after);
  void add_list(ir::Args& end, const IValue& list, ir::Type as);
  void clear_body();
  std::unordered_set<const ir::Node*> marked_writes() const;
  void report_writes(const std::vector<std::pair<const ir::Node*, Tensor>>& tensors) const;
  std::vector<ir::Guard> guards_in_body() const;
  std::vector<IValue> run_example() const;
  std::string missing_value() const;
  const Tensor* copied_constant(const ir::Node* node) const;
  std::vector<ir::Node*> outer_inputs() const;
  std::optional<IValue> example_value(const ir::Node* node) const;

  Session& session_;
  Writer& writer_;
  IValue condition_, count_;  // kept alive: while they live, the writer knows their values in the example
  ir::Node* region_;
  ir::Graph::InsertPoint after_;
  RegionUses uses_;
  Writer::TensorNodes known_;
  std::string raised_;
  std::optional<TypesOnly> types_;
  struct Carried {
    IValue initial;
    ir::Args begin;  // its one item: the initial value as an argument of the Loop
    ir::Node* placeholder;
    IValue inside;  // what the body reads
  };
  std::vector<Carried> carried_;
  std::vector<IValue> exits_;
  ir::Args end_;
  std::vector<ir::Type> end_types_;
  bool left_early_ = false;
  ir::Node* counter_;
};

}  // namespace monograph::capture
