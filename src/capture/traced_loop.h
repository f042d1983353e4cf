// One loop of a trace: its body is recorded while the capture machine runs it on types alone, as often as it takes to know what is carried.
//
//   TracedLoop loop(session, condition, {});
//   loop.begin_round(); …run the body…; loop.end_round();      nothing is carried yet
//   Tensor inside = *loop.carry(x, why);                       the body has changed x
//   loop.begin_round(); …run it with `inside`…; loop.end_round();
//   loop.settle(ends, …);  loop.finish(values);                values[0] is x behind the Loop
//
// Behind the Loop the example goes on with what the Loop computes for its values: the graph's own interpreter runs it once.
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
  // It runs while `condition` holds, a bool of the graph; or `count` times, if that is a number.
  TracedLoop(Session& session, const IValue& condition, const IValue& count);

  void begin_round();
  void end_round();
  IValue index() const;  // of the round that runs
  // The value in the body of one that begins as `initial`: a tensor, a number or a list; `next` is what a round has made of it. Nothing if the graph
  // cannot carry it.
  std::optional<IValue> carry(const IValue& initial, const IValue& next, std::string& why);

  struct Ends {
    std::vector<IValue> carried;  // in the order of carry()
    std::vector<IValue> exits;  // that only the code behind the loop reads
    IValue again = true;  // whether another round follows
    std::optional<IValue> early;  // whether the loop was left early
  };
  struct Refused {
    size_t index;  // counts carried values, then exits
    std::string why;
  };
  // Whether the types of what is carried have become wider, so that the body is to run again.
  std::optional<Refused> settle(const Ends& ends, bool& widened);
  // Behind settle() without a change: the carried values, the exits, and whether it was left early.
  void finish(std::vector<IValue>& values);
  void give_up();

 private:
  struct Carried;
  std::string begin_list(Carried& c, ir::Type behind);
  void add_list(ir::Args& end, const IValue& list, ir::Type as);
  void clear_body();
  std::unordered_set<const ir::Node*> marked_writes() const;
  void tell_writes(const std::vector<std::pair<const ir::Node*, Tensor>>& given) const;
  std::vector<IValue> run_example() const;
  std::string missing_value() const;
  const Tensor* copied_constant(const ir::Node* node) const;
  std::vector<ir::Node*> outer_inputs() const;
  std::optional<IValue> value_at_hand(const ir::Node* node) const;

  Session& session_;
  Writer& writer_;
  IValue condition_, count_;
  ir::Node* region_;
  ir::Graph::InsertPoint after_;
  RegionUses uses_;
  Writer::TensorNodes known_;
  std::string raised_;
  size_t guards_;
  std::optional<TypesOnly> types_;
  struct Carried {
    IValue initial;
    ir::ArgRef first() const { return begin[0]; }
    ir::Args begin;
    ir::Node* placeholder;
    IValue inside;
  };
  std::vector<Carried> carried_;
  std::vector<IValue> exits_;
  ir::Args end_;
  std::vector<ir::Type> end_types_;
  bool left_early_ = false;
  ir::Node* counter_;
};

}  // namespace monograph::capture
